// SPDX-License-Identifier: Apache-2.0
// What files are by content and name, and binary data on terminals.
#include "tools/file_kinds.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"

namespace xla {
namespace {

using testing::CommandLine;

TEST(FileKindsTest, ProgramsAndArraysAreNotForeign) {
  for (const char* text :
       {"HloModule m", "ENTRY e { ROOT c = f32[] constant(1) }", "c = f32[] constant(1)",
        "module {}", "func.func @main() { return }", "// a comment", "{",
        "name { p = f32[] "
        "parameter(0) }",
        "\x93NUMPY\x01", "PK\x03\x04"}) {
    const std::string kind = DescribeForeignFile(text);
    EXPECT_TRUE(kind.empty() || kind == "this is JSON" ||
                kind.find("proto in text") != std::string::npos)
        << text << ": " << kind;
  }
  EXPECT_EQ(DescribeForeignFile("HloModule m"), "");
  EXPECT_EQ(DescribeForeignFile("module {}"), "");
  EXPECT_EQ(DescribeForeignFile("c = f32[] constant(1)"), "");
}

TEST(FileKindsTest, NamesSayFormats) {
  EXPECT_EQ(FormatOfName("a/b.npy"), "npy");
  EXPECT_EQ(FormatOfName("b.hlo.pb"), "hlo-proto");
  EXPECT_EQ(FormatOfName("b.mlirbc"), "mlirbc");
  EXPECT_EQ(FormatOfName("b.data"), "");
  EXPECT_EQ(FormatOfName(".npy"), "");
  EXPECT_EQ(FormatOfName("folder.npy/x"), "");
  EXPECT_EQ(FormatOfName("-"), "");
  EXPECT_OK(CheckOutputName("-", "npz"));
  EXPECT_OK(CheckOutputName("x.npz", "npz"));
  EXPECT_OK(CheckOutputName("x.txt", "stablehlo"));
  EXPECT_ERROR(CheckOutputName("x.txt", "npz"), "x.txt: by its name this would be text");
  EXPECT_ERROR(CheckOutputName("x.csv", "hlo"), "x.csv: by its name this would be a table");
  EXPECT_ERROR(CheckOutputName("x.npz", "hlo"), "x.npz: by its name this would be a .npz archive");
}

TEST(FileKindsTest, BinaryDataGoToATerminalIfForced) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    GTEST_SKIP() << "no pseudo-terminal here";
  const std::string path = ptsname(terminal);
  ASSERT_OK_AND_ASSIGN(const Arguments plain, CommandLine({"x.hlo"}));
  EXPECT_ERROR(CheckBinaryTarget(path, "an archive", plain),
               "an archive is binary and is not written to a terminal");
  for (const char* force : {"--force", "-f"}) {
    ASSERT_OK_AND_ASSIGN(const Arguments forced, CommandLine({force, "x.hlo"}));
    EXPECT_OK(CheckBinaryTarget(path, "an archive", forced));
  }
  EXPECT_OK(CheckBinaryTarget("/dev/null", "an archive", plain));
  EXPECT_OK(CheckBinaryTarget("/nonexistent/x", "an archive", plain));
  close(terminal);
}

}  // namespace
}  // namespace xla
