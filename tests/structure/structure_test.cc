// SPDX-License-Identifier: Apache-2.0
// The source tree follows docs/architecture.md; and the checks report trees that do not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/structure/source_tree.h"
#include "tests/test_util.h"

namespace xla::testing {
namespace {

using Findings = std::vector<std::string>;

std::vector<Room> PageOfThisTree() {
  return ParseArchitecturePage(ReadTestFile(SourcePath("docs/architecture.md")));
}

TEST(StructureTest, RoomsOfTheBuildAreThoseOfThePage) {
  const std::vector<Room> build = ParseRoomsOfBuild(ReadTestFile(SourcePath("CMakeLists.txt")));
  EXPECT_GE(build.size(), 10u);
  EXPECT_EQ(absl::StrJoin(CheckRooms(PageOfThisTree(), build), "\n"), "");
}

TEST(StructureTest, IncludesFollowThePage) {
  const std::vector<SourceFile> files = ReadSources(SourcePath("."));
  EXPECT_GE(files.size(), 300u);
  EXPECT_EQ(absl::StrJoin(CheckIncludes(PageOfThisTree(), files), "\n"), "");
}

TEST(StructureTest, FoldersOfCompilerAndKernelsAreInOrder) {
  const std::vector<SourceFile> files = ReadSources(SourcePath("."));
  EXPECT_EQ(absl::StrJoin(CheckFolderOrder({"xla/cpu/lower", "xla/cpu/run", "xla/cpu/plan",
                                            "xla/cpu/kernel", "xla/cpu/codegen"},
                                           files),
                          "\n"),
            "");
  // The choices of dot and convolution: convolutions may be dots, and both are products.
  EXPECT_EQ(absl::StrJoin(
                CheckFolderOrder(
                    {"xla/kernels/convolution", "xla/kernels/dot", "xla/kernels/product"}, files),
                "\n"),
            "");
}

TEST(StructureTest, IncludesAreAcyclic) {
  EXPECT_EQ(absl::StrJoin(CheckIncludeCycles(ReadSources(SourcePath("."))), "\n"), "");
}

TEST(StructureTest, FilesAreShortAndNotDeep) {
  const std::string long_files = ReadTestFile(SourcePath("tests/structure/long_files.txt"));
  EXPECT_EQ(absl::StrJoin(CheckSizes(ReadSources(SourcePath(".")), long_files), "\n"), "");
}

// A page of three rooms for the tests of the checks.
std::vector<Room> SmallPage() {
  return ParseArchitecturePage(R"(
| folder | library | holds | uses |
|---|---|---|---|
| `xla/`, `xla/base` | `xla_base` | words | Abseil |
| `xla/hlo/ir` | `xla_ir` | modules | `xla_base` |
| `xla/hlo/text` | `xla_text` | text | `xla_ir` |
| `tools` | `xylem` | the command | all of the above |
| `tests` | | tests | |

| `xla/elsewhere` | `xla_other` | another table | |
)");
}

TEST(SourceTreeTest, ReadsTheTable) {
  const std::vector<Room> rooms = SmallPage();
  ASSERT_EQ(rooms.size(), 5u);
  EXPECT_EQ(rooms[0].folders, (Findings{"xla", "xla/base"}));
  EXPECT_EQ(rooms[2].library, "xla_text");
  EXPECT_EQ(rooms[2].uses, std::set<std::string>{"xla_ir"});
  EXPECT_TRUE(rooms[3].uses_all);
}

TEST(SourceTreeTest, ReportsIncludesAgainstTheArrows) {
  const std::vector<SourceFile> files = {
      ParseSource("xla/hlo/ir/a.cc", "#include <vector>\n#include \"xla/hlo/text/b.h\"\n"),
      ParseSource("xla/hlo/text/b.h", "#include \"xla/shape.h\"\n#include \"xla/hlo/ir/a.h\"\n"),
      ParseSource("xla/shape.h", "// nothing\n#include \"tools/c.h\"\n"),
      ParseSource("tools/c.h", "#include \"xla/hlo/text/b.h\"\n#include \"tests/d.h\"\n"),
      ParseSource("tests/d.h", "#include \"tools/c.h\"\n")};
  EXPECT_EQ(CheckIncludes(SmallPage(), files),
            (Findings{"xla/hlo/ir/a.cc:2: xla_ir may not include xla/hlo/text/b.h of xla_text",
                      "xla/shape.h:2: xla_base may not include tools/c.h of xylem",
                      "tools/c.h:2: xylem may not include tests/d.h of tests"}));
}

TEST(SourceTreeTest, ReportsIncludesOfEarlierFolders) {
  const std::vector<SourceFile> files = {
      ParseSource("xla/a/b.h", "#include \"xla/b/c.h\"\n#include \"xla/d.h\"\n"),
      ParseSource("xla/b/c.h", "#include \"xla/d.h\"\n#include \"xla/a/b.h\"\n"),
      ParseSource("xla/d.h", "#include \"xla/a/b.h\"\n")};
  EXPECT_EQ(CheckFolderOrder({"xla/a", "xla/b"}, files),
            (Findings{"xla/b/c.h:2: xla/b may not include xla/a/b.h"}));
}

TEST(SourceTreeTest, ReportsCyclesWithFileAndLine) {
  const std::vector<SourceFile> files = {
      ParseSource("xla/a.h", "\n#include \"xla/b.h\"\n"),
      ParseSource("xla/b.h", "#include \"xla/c.h\"\n"),
      ParseSource("xla/c.h", "#include \"xla/d.h\"\n\n#include \"xla/b.h\"\n"),
      ParseSource("xla/d.h", "")};
  EXPECT_EQ(CheckIncludeCycles(files), Findings{"include cycle:\n  xla/b.h:1\n  xla/c.h:3"});
}

TEST(SourceTreeTest, ReportsRoomsThatDiffer) {
  const std::vector<Room> build = ParseRoomsOfBuild(
      "xylem_room(xla_base FOLDERS xla USES absl::base)\n"
      "xylem_room(xla_ir UNITY FOLDERS xla/hlo/ir USES xla_base xla_text)\n"
      "xylem_room(xla_text FOLDERS xla/hlo/text USES xla_base)\n");
  EXPECT_EQ(
      CheckRooms(SmallPage(), build),
      (Findings{
          "CMakeLists.txt:1: xla_ir uses xla_text, which its row in docs/architecture.md does not "
          "list",
          "CMakeLists.txt:1: xla_text uses xla_base, which its row in docs/architecture.md does "
          "not list",
          "docs/architecture.md:1: the row of xla_text lists xla_ir, which CMakeLists.txt does "
          "not"}));
}

TEST(SourceTreeTest, ReportsCyclesOfRooms) {
  std::vector<Room> rooms = SmallPage();
  rooms[0].uses.insert("xla_ir");
  EXPECT_EQ(CheckRooms(rooms, {}).size(), 2u);
}

TEST(SourceTreeTest, ReportsLongAndDeepFiles) {
  const std::string long_text(801, '\n');
  const std::vector<SourceFile> files = {
      ParseSource("xla/long.cc", long_text), ParseSource("xla/known.cc", long_text),
      ParseSource("xla/short.cc", std::string(800, '\n')), ParseSource("xla/a/b/c/d/e.h", "")};
  const Findings findings =
      CheckSizes(files, "# files\nxla/known.cc: a table\nxla/short.cc: a table\nxla/long.h: \n");
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0], "long_files.txt: xla/short.cc is not a long file");
  EXPECT_EQ(findings[1], "long_files.txt: xla/long.h has no reason");
  EXPECT_EQ(findings[2],
            "xla/long.cc:801: more than 800 lines; split it, or give a reason in "
            "tests/structure/long_files.txt");
  EXPECT_EQ(findings[3], "xla/a/b/c/d/e.h:1: more than 4 folders deep");
}

}  // namespace
}  // namespace xla::testing
