// SPDX-License-Identifier: Apache-2.0
// Programs dumped as LocalClient compiles them: xla_dump_to of XLA_FLAGS and of build options.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/client/execution_test_util.h"
#include "tests/dump_folder.h"
#include "tests/test_util.h"
#include "xla/service/hlo.pb.h"

namespace xla {
namespace {

using Names = std::vector<std::string>;

class ClientDumpTest : public ::testing::Test {
 protected:
  ClientDumpTest() : folder_("xylem_client_dump_test") { unsetenv("XLA_FLAGS"); }
  ~ClientDumpTest() override { unsetenv("XLA_FLAGS"); }

  static absl::Status Compile(const std::string& name, const ExecutableBuildOptions& options = {},
                              const std::string& result = "add(x, numbers)") {
    return CompileText(*MakeClient(), "HloModule " + name + R"(
ENTRY e {
  x = f32[4] parameter(0)
  numbers = f32[4] constant({1, 2, 3, 4})
  ROOT sum = f32[4] )" + result + "\n}",
                       options)
        .status();
  }

  const DumpFolder folder_;
};

TEST_F(ClientDumpTest, OptionsOfAProgram) {
  ExecutableBuildOptions options;
  options.mutable_debug_options()->set_xla_dump_to(folder_.path());
  ASSERT_OK(Compile("first", options));
  ASSERT_OK(Compile("other"));
  EXPECT_EQ(folder_.Names(), (Names{"first.before_optimizations.txt",
                                    "first.cpu_after_optimizations.txt", "first.debug_options"}));
  EXPECT_NE(folder_.TextOfFile("before_optimizations.txt").find("constant({1, 2, 3, 4})"),
            std::string::npos);
  EXPECT_NE(folder_.TextOfFile("cpu_after_optimizations.txt").find("ENTRY"), std::string::npos);
  EXPECT_NE(folder_.TextOfFile("debug_options").find("xla_dump_to: "), std::string::npos);
}

TEST_F(ClientDumpTest, TheEnvironment) {
  setenv("XLA_FLAGS", ("--xla_dump_hlo_as_proto --xla_dump_to=" + folder_.path()).c_str(), 1);
  ASSERT_OK(Compile("first"));
  setenv("XLA_FLAGS", ("--xla_dump_hlo_module_re=sec --xla_dump_to=" + folder_.path()).c_str(), 1);
  ASSERT_OK(Compile("third"));
  ASSERT_OK(Compile("second"));
  EXPECT_EQ(folder_.Names(),
            (Names{"first.before_optimizations.hlo.pb", "first.cpu_after_optimizations.hlo.pb",
                   "first.debug_options", "second.before_optimizations.txt",
                   "second.cpu_after_optimizations.txt", "second.debug_options"}));
  HloProto proto;
  ASSERT_TRUE(proto.ParseFromString(folder_.TextOfFile("first.before_optimizations.hlo.pb")));
  EXPECT_EQ(proto.hlo_module().name(), "first");
}

TEST_F(ClientDumpTest, BetweenPasses) {
  setenv("XLA_FLAGS", ("--xla_dump_hlo_pass_re=^fuse$ --xla_dump_to=" + folder_.path()).c_str(), 1);
  ASSERT_OK(Compile("first"));
  // The name of a pass selects the program before and after it, changed or not.
  EXPECT_EQ(
      folder_.Names(),
      (Names{"first.0000.cpu.after_check-applied-computations.before_fuse.txt",
             "first.0001.cpu.after_fuse.before_merge-fusions.txt", "first.before_optimizations.txt",
             "first.cpu_after_optimizations.txt", "first.debug_options"}));
  EXPECT_EQ(folder_.TextOfFile("before_fuse.txt").find("fusion("), std::string::npos);
  EXPECT_NE(folder_.TextOfFile("before_merge-fusions.txt").find("fusion("), std::string::npos);
}

TEST_F(ClientDumpTest, BetweenAllPassesThatChangeSomething) {
  setenv("XLA_FLAGS", ("--xla_dump_hlo_pass_re=.* --xla_dump_to=" + folder_.path()).c_str(), 1);
  ASSERT_OK(Compile("first", {}, "negate(x)"));
  EXPECT_EQ(folder_.Names(),
            (Names{"first.0000.cpu.after_pipeline-start.before_check-cpu-support.txt",
                   "first.0001.cpu.after_dce.before_cse.txt",
                   "first.0002.cpu.after_fuse.before_merge-fusions.txt",
                   "first.0003.cpu.after_assign-lowering.before_pipeline-end.txt",
                   "first.before_optimizations.txt", "first.cpu_after_optimizations.txt",
                   "first.debug_options"}));
}

TEST_F(ClientDumpTest, OtherPipelinesAndPassesAreNotDumped) {
  for (const char* flags : {"--xla_dump_hlo_pass_re=fuse --xla_dump_hlo_pipeline_re=simplification",
                            "--xla_dump_hlo_pass_re=algsimp", "--xla_dump_hlo_pass_re=["}) {
    SCOPED_TRACE(flags);
    const DumpFolder folder("xylem_client_dump_test_none");
    setenv("XLA_FLAGS", absl::StrCat(flags, " --xla_dump_to=", folder.path()).c_str(), 1);
    ASSERT_OK(Compile("first"));
    EXPECT_EQ(folder.Names().size(), 3u);
  }
  const DumpFolder folder("xylem_client_dump_test_off");
  setenv("XLA_FLAGS", ("--xla_enable_dumping=false --xla_dump_to=" + folder.path()).c_str(), 1);
  ASSERT_OK(Compile("first"));
  EXPECT_TRUE(folder.Names().empty());
}

TEST_F(ClientDumpTest, NoMoreProgramsThanAllowed) {
  setenv("XLA_FLAGS", ("--xla_dump_max_hlo_modules=2 --xla_dump_to=" + folder_.path()).c_str(), 1);
  for (const char* name : {"first", "second", "third"}) ASSERT_OK(Compile(name));
  EXPECT_EQ(folder_.Names().size(), 6u);
  EXPECT_EQ(folder_.TextOfFile("third.debug_options"), "no such file");
}

// A file system takes 255 characters.
TEST_F(ClientDumpTest, LongNamesAreLeftOut) {
  setenv("XLA_FLAGS", ("--xla_dump_to=" + folder_.path()).c_str(), 1);
  ASSERT_OK(Compile(std::string(240, 'n')));
  EXPECT_EQ(folder_.Names(),
            (Names{"before_optimizations.txt", "cpu_after_optimizations.txt", "debug_options"}));
}

TEST_F(ClientDumpTest, FormatsWithoutAFolderGoToStdout) {
  setenv("XLA_FLAGS", "--xla_dump_hlo_as_text --xla_dump_hlo_as_long_text=false", 1);
  ::testing::internal::CaptureStdout();
  ASSERT_OK(Compile("first"));
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(out.find(".first.before_optimizations.txt ***\nHloModule first"), std::string::npos)
      << out;
  EXPECT_NE(out.find("*** End module_"), std::string::npos) << out;
}

// That is when one looks at dumps.
TEST_F(ClientDumpTest, ProgramsThatDoNotCompileAreDumped) {
  setenv("XLA_FLAGS", ("--xla_dump_to=" + folder_.path()).c_str(), 1);
  EXPECT_FALSE(Compile("first", {}, "custom-call(x), custom_call_target=\"nobody\"").ok());
  EXPECT_NE(folder_.TextOfFile("first.before_optimizations.txt").find("nobody"), std::string::npos);
}

TEST_F(ClientDumpTest, FoldersThatCannotBeMadeDoNotStopACompilation) {
  setenv("XLA_FLAGS", "--xla_dump_to=/dev/null/folder", 1);
  EXPECT_OK(Compile("first"));
}

}  // namespace
}  // namespace xla
