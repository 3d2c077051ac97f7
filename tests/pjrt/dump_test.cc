// SPDX-License-Identifier: Apache-2.0
// Programs dumped as they are compiled: xla_dump_to of XLA_FLAGS and of compile options.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/dump_folder.h"
#include "tests/pjrt/plugin.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace xla::pjrt::testing {
namespace {

class DumpTest : public ::testing::Test {
 protected:
  DumpTest() : folder_("xylem_dump_test") {}
  std::vector<std::string> Names() const { return folder_.Names(); }

  const DumpFolder folder_;
};

TEST_F(DumpTest, OptionsOfAProgram) {
  CompileOptionsProto options;
  (*options.mutable_env_option_overrides())["xla_dump_to"].set_string_field(folder_.path());
  Plugin plugin;
  plugin.Compile(kAdd, nullptr, "mlir", options.SerializeAsString());
  EXPECT_EQ(Names(),
            (std::vector<std::string>{"add.before_optimizations.txt",
                                      "add.cpu_after_optimizations.txt", "add.debug_options"}));
  EXPECT_NE(folder_.TextOfFile("before_optimizations.txt").find("HloModule add"),
            std::string::npos);
  EXPECT_NE(folder_.TextOfFile("cpu_after_optimizations.txt").find("f32[4]"), std::string::npos);
  EXPECT_NE(folder_.TextOfFile("debug_options").find("xla_dump_to: "), std::string::npos);
}

TEST_F(DumpTest, FlagsAsBooleansAndAsTexts) {
  CompileOptionsProto options;
  auto& overrides = *options.mutable_env_option_overrides();
  overrides["xla_dump_to"].set_string_field(folder_.path());
  overrides["xla_dump_hlo_as_proto"].set_bool_field(true);
  overrides["xla_dump_hlo_as_text"].set_string_field("True");
  overrides["xla_dump_disable_metadata"].set_bool_field(false);
  Plugin plugin;
  plugin.Compile(kAdd, nullptr, "mlir", options.SerializeAsString());
  EXPECT_EQ(Names(), (std::vector<std::string>{
                         "add.before_optimizations.hlo.pb", "add.before_optimizations.txt",
                         "add.cpu_after_optimizations.hlo.pb", "add.cpu_after_optimizations.txt",
                         "add.debug_options"}));
}

TEST_F(DumpTest, TheEnvironment) {
  Plugin plugin;
  setenv("XLA_FLAGS",
         ("--xla_no_such_flag=1 --xla_dump_hlo_as_proto --xla_dump_to=" + folder_.path()).c_str(),
         1);
  plugin.Compile(kAdd);
  setenv("XLA_FLAGS",
         ("--xla_dump_to=" + folder_.path() + " --xla_dump_hlo_module_re=^other$").c_str(), 1);
  plugin.Compile(kAdd);
  unsetenv("XLA_FLAGS");
  plugin.Compile(kAdd);
  EXPECT_EQ(Names(),
            (std::vector<std::string>{"add.before_optimizations.hlo.pb",
                                      "add.cpu_after_optimizations.hlo.pb", "add.debug_options"}));
}

TEST_F(DumpTest, BetweenPasses) {
  CompileOptionsProto options;
  auto& overrides = *options.mutable_env_option_overrides();
  overrides["xla_dump_to"].set_string_field(folder_.path());
  overrides["xla_dump_hlo_pass_re"].set_string_field("pipeline-end");
  Plugin plugin;
  plugin.Compile(kAdd, nullptr, "mlir", options.SerializeAsString());
  EXPECT_EQ(Names(),
            (std::vector<std::string>{"add.0000.cpu.after_assign-lowering.before_pipeline-end.txt",
                                      "add.before_optimizations.txt",
                                      "add.cpu_after_optimizations.txt", "add.debug_options"}));
  EXPECT_EQ(folder_.TextOfFile("pipeline-end.txt"), folder_.TextOfFile("after_optimizations.txt"));
}

TEST_F(DumpTest, FoldersThatCannotBeMadeDoNotStopACompilation) {
  setenv("XLA_FLAGS", "--xla_dump_to=/dev/null/folder", 1);
  Plugin plugin;
  EXPECT_NE(plugin.Compile(kAdd), nullptr);
  unsetenv("XLA_FLAGS");
}

}  // namespace
}  // namespace xla::pjrt::testing
