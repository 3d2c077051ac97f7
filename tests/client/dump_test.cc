// SPDX-License-Identifier: Apache-2.0
// Programs dumped as LocalClient compiles them: xla_dump_to of XLA_FLAGS and of build options.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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
