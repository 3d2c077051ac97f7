// SPDX-License-Identifier: Apache-2.0
// Which values the options of the compiler take, by the types of the fields of DebugOptions.
#include "xla/pjrt/compiler_options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace xla::pjrt {
namespace {

constexpr char kBool[] = "xla_embed_ir_in_executable", kInt32[] = "xla_backend_optimization_level",
               kInt64[] = "xla_gpu_redzone_padding_bytes",
               kFloat[] = "xla_gpu_auto_spmd_partitioning_memory_budget_ratio",
               kString[] = "xla_dump_to", kEnum[] = "xla_gpu_shape_checks",
               kStrings[] = "xla_disable_hlo_passes", kEnums[] = "xla_gpu_enable_command_buffer";

absl::Status Check(const char* name, const OptionOverrideProto& value) {
  CompileOptionsProto options;
  (*options.mutable_env_option_overrides())[name] = value;
  return CheckCompilerOptions(options);
}

OptionOverrideProto Text(const std::string& text) {
  OptionOverrideProto option;
  option.set_string_field(text);
  return option;
}
OptionOverrideProto Number(int64_t number) {
  OptionOverrideProto option;
  option.set_int_field(number);
  return option;
}
OptionOverrideProto Real(double real) {
  OptionOverrideProto option;
  option.set_double_field(real);
  return option;
}
OptionOverrideProto Flag(bool flag) {
  OptionOverrideProto option;
  option.set_bool_field(flag);
  return option;
}

TEST(CompilerOptions, Texts) {
  struct Case {
    const char* name;
    std::vector<std::string> good, bad;
  };
  const Case cases[] = {
      {kBool, {"True", "False"}, {"true", "false", "1", "", "Tru"}},
      {kInt32, {"0", "-3", "2147483647"}, {"2147483648", "1.5", "", "two"}},
      {kInt64, {"2147483648", "-1"}, {"9223372036854775808", "1.5", ""}},
      {kFloat, {"1.5", "-2", "1e3"}, {"half", ""}},
      {kString, {"", "/tmp/x", "1"}, {}},
      {kEnum, {"IGNORE", "1"}, {"ignore", "", "1.5"}},
      {kStrings, {"", "a", "a,b"}, {}},
      {kEnums, {"", "FUSION", "FUSION,CUBLAS", "1,2"}, {"FUSION,", "FUSION,nothing"}},
  };
  for (const Case& each : cases) {
    for (const std::string& text : each.good) EXPECT_OK(Check(each.name, Text(text)));
    for (const std::string& text : each.bad) {
      EXPECT_ERROR(Check(each.name, Text(text)), absl::StrCat("While setting option ", each.name,
                                                              ", '", text, "' is not a valid "));
    }
  }
}

TEST(CompilerOptions, NumbersAndFlags) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(),
                    kGreatest = std::numeric_limits<int32_t>::max();
  for (const char* name : {kBool, kInt32, kInt64, kFloat, kString, kEnum}) {
    const bool is_wide = name == kInt64 || name == kEnum;
    const auto expect = [&](const OptionOverrideProto& value, bool good, const char* text) {
      const absl::Status status = Check(name, value);
      EXPECT_EQ(status.ok(), good) << name << " " << status;
      if (!good) {
        EXPECT_ERROR(status, absl::StrCat("While setting option ", name, ", '", text, "' is not"));
      }
    };
    expect(Number(kLeast), is_wide || name == kInt32, "-2147483648");
    expect(Number(kGreatest), is_wide || name == kInt32, "2147483647");
    expect(Number(kLeast - 1), is_wide, "-2147483649");
    expect(Number(kGreatest + 1), is_wide, "2147483648");
    expect(Real(0.5), name == kFloat, "0.5");
    expect(Flag(true), name == kBool, "1");
    expect(Flag(false), name == kBool, "0");
    expect(OptionOverrideProto(), false, "");
  }
}

TEST(CompilerOptions, TheFirstNameThatIsWrongIsReported) {
  CompileOptionsProto options;
  for (const char* name : {"zeta", "beta", "gamma"})
    (*options.mutable_env_option_overrides())[name] = Flag(true);
  (*options.mutable_env_option_overrides())[kBool] = Flag(true);
  EXPECT_ERROR(CheckCompilerOptions(options), "No such compile option: 'beta'");
  EXPECT_OK(CheckCompilerOptions(CompileOptionsProto()));
}

TEST(CompilerOptions, InstructionSets) {
  CompileOptionsProto options;
  (*options.mutable_env_option_overrides())["xla_cpu_max_isa"] = Text("AVX2");
  EXPECT_EQ(DebugOptionsOf(options).xla_cpu_max_isa(), "AVX2");
  setenv("XLA_FLAGS", "--xla_dump_hlo_as_text --xla_cpu_max_isa=sse4_2", 1);
  EXPECT_EQ(DebugOptionsOf(CompileOptionsProto()).xla_cpu_max_isa(), "sse4_2");
  EXPECT_EQ(DebugOptionsOf(options).xla_cpu_max_isa(), "AVX2");
  unsetenv("XLA_FLAGS");
}

// XLA's default is true, and clients send it along.
TEST(CompilerOptions, SubnormalsAreFlushedIfAnOptionSaysSo) {
  CompileOptionsProto options;
  options.mutable_executable_build_options()->mutable_debug_options()->set_xla_cpu_ftz(true);
  EXPECT_EQ(FlushSubnormalsOf(options), std::nullopt);
  (*options.mutable_env_option_overrides())["xla_cpu_ftz"] = Flag(true);
  EXPECT_EQ(FlushSubnormalsOf(options), true);
  (*options.mutable_env_option_overrides())["xla_cpu_ftz"] = Text("False");
  EXPECT_EQ(FlushSubnormalsOf(options), false);
  (*options.mutable_env_option_overrides())["xla_cpu_ftz"] = Text("True");
  EXPECT_EQ(FlushSubnormalsOf(options), true);
}

// A cache passes options again when it loads what was compiled with them, not quite the same ones.
TEST(CompiledProgramTest, KeysAreOfWhatProgramsDependOn) {
  const ProgramSource source = {
      .format = "mlir", .code = "module {}", .options = {}, .compiled = {}};
  CompileOptionsProto options;
  options.mutable_executable_build_options()->set_num_partitions(2);
  const std::string key = KeyOf(source, options);
  CompileOptionsProto again = options;
  again.set_allow_in_place_mlir_modification(true);
  again.set_profile_version(7);
  again.mutable_executable_build_options()->set_device_ordinal(1);
  DeviceAssignmentProto& devices =
      *again.mutable_executable_build_options()->mutable_device_assignment();
  devices.set_replica_count(1);
  devices.set_computation_count(2);
  EXPECT_EQ(KeyOf(source, again), key);
  CompileOptionsProto other = options;
  other.mutable_executable_build_options()->set_num_partitions(4);
  EXPECT_NE(KeyOf(source, other), key);
  other = options;
  other.mutable_executable_build_options()->mutable_debug_options()->set_xla_cpu_ftz(true);
  EXPECT_NE(KeyOf(source, other), key);
  ProgramSource other_source = source;
  other_source.code += " ";
  EXPECT_NE(KeyOf(other_source, options), key);
}

}  // namespace
}  // namespace xla::pjrt
