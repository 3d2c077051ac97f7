// SPDX-License-Identifier: Apache-2.0
// DebugOptions from flags.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"
#include "google/protobuf/text_format.h"
#include "tests/test_util.h"
#include "xla/debug_options_flags.h"
#include "xla/debug_options_parsers.h"
#include "xla/parse_flags_from_env.h"

namespace xla {
namespace {

using Texts = std::vector<std::string>;

// What the flag makes of `text`, DebugOptions in protobuf's text format, or "rejected" or
// "unknown".
std::string After(const std::string& flag, const std::string& text = "") {
  DebugOptions options;
  XLA_CHECK(google::protobuf::TextFormat::ParseFromString(text, &options));
  std::vector<tsl::Flag> flags;
  MakeDebugOptionsFlags(&flags, &options);
  std::vector<std::string> arguments = {flag};
  if (!tsl::Flags::Parse(arguments, flags)) return "rejected";
  if (!arguments.empty()) return "unknown";
  std::string result;
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.PrintToString(options, &result);
  return result.empty() ? result : result.substr(0, result.size() - 1);
}

TEST(DebugOptionsFlags, SetTheirFields) {
  const std::pair<std::string, std::string> cases[] = {
      // Types
      {"--xla_cpu_enable_fast_math", "xla_cpu_enable_fast_math: true"},
      {"--xla_cpu_enable_fast_math=false", "xla_cpu_enable_fast_math: false"},
      {"--xla_backend_optimization_level=-1", "xla_backend_optimization_level: -1"},
      {"--xla_gpu_redzone_padding_bytes=5000000000", "xla_gpu_redzone_padding_bytes: 5000000000"},
      {"--xla_gpu_autotune_gemm_rtol=0.25", "xla_gpu_autotune_gemm_rtol: 0.25"},
      {"--xla_dump_to=a,b", "xla_dump_to: \"a,b\""},
      // Enums
      {"--xla_gpu_detect_nan=warning", "xla_gpu_detect_nan: DETECTION_MODE_WARNING"},
      {"--xla_gpu_detect_nan=DETECTION_MODE_FAIL", "xla_gpu_detect_nan: DETECTION_MODE_FAIL"},
      {"--xla_gpu_all_gather_mode=Symmetric",
       "xla_gpu_all_gather_mode: COLLECTIVES_SYMMETRIC_MEMORY"},
      {"--xla_gpu_shape_checks=COMPILE_TIME", "xla_gpu_shape_checks: COMPILE_TIME"},
      {"--xla_gpu_command_buffer_scheduling_mode=concurrent",
       "xla_gpu_command_buffer_scheduling_mode: CONCURRENT"},
      // Lists and maps
      {"--xla_disable_hlo_passes=dce,cse",
       "xla_disable_hlo_passes: \"dce\" xla_disable_hlo_passes: \"cse\""},
      {"--xla_gpu_ptx_file=a,b", "xla_gpu_ptx_file: \"a,b\""},
      {"--xla_gpu_llvm_ir_file=a,b", "xla_gpu_llvm_ir_file: \"a,b\""},
      {"--xla_gpu_ptx_compiler_extra_flags=-a=1,2  -b",
       "xla_gpu_ptx_compiler_extra_flags: \"-a=1,2\" xla_gpu_ptx_compiler_extra_flags: \"-b\""},
      {"--xla_backend_extra_options=a=1=2,b",
       "xla_backend_extra_options { key: \"a\" value: \"1=2\" } "
       "xla_backend_extra_options { key: \"b\" value: \"\" }"},
      {"--xla_gpu_disable_async_collectives=allreduce,alltoall",
       "xla_gpu_disable_async_collectives: ALLREDUCE xla_gpu_disable_async_collectives: ALLTOALL"},
      // Fields of their own kind
      {"--xla_cpu_max_isa=avx2", "xla_cpu_max_isa: \"AVX2\""},
      {"--xla_gpu_execution_terminate_timeout=1m30s",
       "xla_gpu_execution_terminate_timeout: \"1m30s\""},
      {"--xla_cpu_enable_concurrency_optimized_scheduler",
       "xla_cpu_scheduler_type: CPU_SCHEDULER_TYPE_CONCURRENCY_OPTIMIZED"},
      {"--xla_cpu_enable_concurrency_optimized_scheduler=0",
       "xla_cpu_scheduler_type: CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"},
      {"--xla_gpu_graph_enable_concurrent_region",
       "xla_gpu_command_buffer_scheduling_mode: CONCURRENT"},
      {"--xla_gpu_graph_enable_concurrent_region=false",
       "xla_gpu_command_buffer_scheduling_mode: SERIALIZE"},
      {"--xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges=3,5:7",
       "xla_gpu_experimental_thunk_buffer_debug_filter { thunk_id_ranges { first: 3 last: 3 } "
       "thunk_id_ranges { first: 5 last: 7 } }"},
      {"--xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_re=a.*,b",
       "xla_gpu_experimental_thunk_buffer_debug_filter { profile_annotation_regexes: \"a.*\" "
       "profile_annotation_regexes: \"b\" }"},
      // Other names
      {"--xla_gpu_executable_terminate_timeout=3",
       "xla_gpu_executable_terminate_timeout_seconds: 3"},
      {"--xla_gpu_executable_warn_stuck_timeout=3",
       "xla_gpu_executable_warn_stuck_timeout_seconds: 3"},
      {"--xla_cpu_collective_call_warn_stuck_timeout_seconds=3",
       "xla_cpu_collective_call_warn_stuck_seconds: 3"},
      {"--xla_gpu_enable_cudnn_fmha", ""},
      {"--xla_gpu_strict_conv_algorithm_picker=false", ""},
      {"--xla_gpu_enable_triton_gemm_int4", ""},
      // None
      {"--xla_gpu_experimental_thunk_buffer_debug_filter=1", "unknown"},
      {"--xla_no_such_flag", "unknown"},
  };
  for (const auto& [flag, expected] : cases) EXPECT_EQ(After(flag), expected) << flag;
}

TEST(DebugOptionsFlags, ChangeLists) {
  const std::string fusion = "xla_gpu_enable_command_buffer: FUSION";
  const std::string cudnn = "xla_gpu_enable_command_buffer: CUDNN";
  const std::string while_ = "xla_gpu_enable_command_buffer: WHILE";
  const std::string both = fusion + " " + cudnn;
  EXPECT_EQ(After("--xla_gpu_enable_command_buffer=+while,-fusion", both), cudnn + " " + while_);
  EXPECT_EQ(After("--xla_gpu_enable_command_buffer=+cudnn,-while", both), both);
  EXPECT_EQ(After("--xla_gpu_enable_command_buffer=while", both), while_);
  EXPECT_EQ(After("--xla_gpu_enable_command_buffer=", both), "");
  EXPECT_EQ(After("--xla_cpu_experimental_xnn_fusion_type=+dot",
                  "xla_cpu_experimental_xnn_fusion_type: LIBRARY_FUSION_TYPE_REDUCE"),
            "xla_cpu_experimental_xnn_fusion_type: LIBRARY_FUSION_TYPE_REDUCE "
            "xla_cpu_experimental_xnn_fusion_type: LIBRARY_FUSION_TYPE_DOT");
  // Strings are added, entries replace those of the same name.
  EXPECT_EQ(After("--xla_disable_hlo_passes=b", "xla_disable_hlo_passes: \"a\""),
            "xla_disable_hlo_passes: \"a\" xla_disable_hlo_passes: \"b\"");
  EXPECT_EQ(After("--xla_backend_extra_options=a=2",
                  "xla_backend_extra_options { key: \"a\" value: \"1\" }"),
            "xla_backend_extra_options { key: \"a\" value: \"2\" }");
  const std::string all = After("--xla_gpu_disable_async_collectives=allcollectives");
  EXPECT_TRUE(absl::StartsWith(all, "xla_gpu_disable_async_collectives: ALLREDUCE ")) << all;
  EXPECT_TRUE(absl::EndsWith(all, " xla_gpu_disable_async_collectives: RAGGEDALLTOALL")) << all;
}

TEST(DebugOptionsFlags, RejectOtherValues) {
  for (const std::string flag :
       {"--xla_cpu_enable_fast_math=yes", "--xla_backend_optimization_level=high",
        "--xla_gpu_detect_nan=often", "--xla_gpu_enable_command_buffer=fusion,nothing",
        "--xla_gpu_enable_command_buffer=+fusion,cudnn",
        "--xla_gpu_execution_terminate_timeout=soon",
        "--xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges=5:3",
        "--xla_gpu_disable_async_collectives=some", "--xla_fuel=pass", "--xla_fuel=pass=x",
        // The beginning of two names, and of none whole.
        "--xla_cpu_experimental_onednn_fusion_type=individual", "--xla_gpu_shape_checks=comp"}) {
    EXPECT_EQ(After(flag), "rejected") << flag;
  }
}

TEST(DebugOptionsFlags, Ranges) {
  const std::pair<std::string, std::string> cases[] = {
      {"10", "first: 10 last: 10"},
      {"10:20", "first: 10 last: 20"},
      {"7:7", "first: 7 last: 7"},
      {"10:", "first: 10 last: 9223372036854775807"},
      {":10", "first: -9223372036854775808 last: 10"},
      {"", ""},
      {":", ""},
      {"1:2:3", ""},
      {"2:1", ""},
      {"x", ""},
      {"1:x", ""},
      {"x:1", ""},
  };
  for (const auto& [text, expected] : cases) {
    IntRangeInclusive range;
    EXPECT_EQ(details::ParseIntRangeInclusive(text, range), !expected.empty()) << text;
    EXPECT_EQ(range.ShortDebugString(), expected) << text;
  }
}

TEST(DebugOptionsFlags, DefaultsAreXlas) {
  const DebugOptions defaults = DefaultDebugOptionsIgnoringFlags();
  EXPECT_EQ(defaults.xla_backend_optimization_level(), 3);
  EXPECT_EQ(defaults.xla_force_host_platform_device_count(), 1);
  EXPECT_TRUE(defaults.xla_allow_excess_precision());
  EXPECT_TRUE(defaults.xla_cpu_multi_thread_eigen());
  EXPECT_TRUE(defaults.xla_cpu_enable_fast_min_max());
  EXPECT_FALSE(defaults.xla_cpu_enable_fast_math());
  EXPECT_TRUE(defaults.xla_dump_hlo_as_long_text());
  EXPECT_EQ(defaults.xla_dump_max_hlo_modules(), -1);
  EXPECT_EQ(defaults.xla_gpu_enable_command_buffer_size(), 7);
  EXPECT_EQ(defaults.xla_gpu_execution_terminate_timeout(), "inf");
  EXPECT_EQ(defaults.xla_gpu_analytical_latency_estimator_options().at("rtt_us"), "-1");
  // As many as in XLA: fields, then values of all lists and maps.
  std::vector<const google::protobuf::FieldDescriptor*> set;
  defaults.GetReflection()->ListFields(defaults, &set);
  EXPECT_EQ(set.size(), 105u);
}

TEST(DebugOptionsFlags, HaveAStatus) {
  EXPECT_EQ(GetFlagStatus("xla_gpu_autotune_level"), FlagStatus::kStable);
  EXPECT_EQ(GetFlagStatus("xla_cpu_enable_fast_math"), FlagStatus::kExperimental);
}

// The options of the process, as they were before when the test ends.
class OptionsOfTheProcess : public ::testing::Test {
 protected:
  OptionsOfTheProcess() { Parse(""); }
  ~OptionsOfTheProcess() override { Parse(""); }
  void Parse(const std::string& flags) {
    ResetFlagValues();
    setenv("XLA_FLAGS", flags.c_str(), 1);
    ParseDebugOptionFlagsFromEnv(/*reset_envvar=*/true);
  }
};

TEST_F(OptionsOfTheProcess, FollowTheEnvironment) {
  Parse("--xla_dump_to=there --xla_force_host_platform_device_count=3");
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "there");
  EXPECT_EQ(*HostPlatformDeviceCountFromFlags(), 3);
  ResetFlagValues();
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "");
  EXPECT_EQ(*HostPlatformDeviceCountFromFlags(), 1);
}

TEST_F(OptionsOfTheProcess, AreReadAgainIfAsked) {
  Parse("--xla_flags_reset --xla_dump_to=there");
  setenv("XLA_FLAGS", "--xla_dump_to=elsewhere", 1);
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "elsewhere");
}

TEST_F(OptionsOfTheProcess, FollowCommandLines) {
  std::vector<tsl::Flag> flags;
  AppendDebugOptionsFlags(&flags);
  std::vector<std::string> arguments = {"--xla_dump_to=here", "other"};
  EXPECT_TRUE(tsl::Flags::Parse(arguments, flags));
  EXPECT_EQ(arguments, (Texts{"other"}));
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "here");
}

TEST_F(OptionsOfTheProcess, ChangeProtos) {
  setenv("XLA_FLAGS", "--xla_dump_to=there", 1);
  DebugOptions options;
  options.set_xla_dump_to("here");
  options.set_xla_backend_optimization_level(1);
  const DebugOptions changed = GetDebugOptionsFromProtoAndFlags(&options);
  EXPECT_EQ(changed.xla_dump_to(), "there");
  EXPECT_EQ(changed.xla_backend_optimization_level(), 1);
  EXPECT_EQ(options.xla_dump_to(), "here");
  EXPECT_EQ(GetDebugOptionsFromProtoAndFlags(nullptr).xla_backend_optimization_level(), 3);
}

TEST_F(OptionsOfTheProcess, FollowFiles) {
  const std::string path = testing::ProcessTempDir() + "/options.txt";
  std::ofstream(path) << "xla_dump_to: 'file' xla_gpu_enable_command_buffer: WHILE "
                         "xla_cpu_multi_thread_eigen: false";
  ASSERT_TRUE(ParseFlagsFromDebugOptionsFile(path));
  const DebugOptions options = GetDebugOptionsFromFlags();
  EXPECT_EQ(options.xla_dump_to(), "file");
  ASSERT_EQ(options.xla_gpu_enable_command_buffer_size(), 1);
  EXPECT_EQ(options.xla_gpu_enable_command_buffer(0), DebugOptions::WHILE);
  EXPECT_FALSE(options.xla_cpu_multi_thread_eigen());
  EXPECT_EQ(options.xla_backend_optimization_level(), 3);  // not mentioned
  std::ofstream(path) << "xla_dump_to: 3";
  EXPECT_FALSE(ParseFlagsFromDebugOptionsFile(path));
  EXPECT_FALSE(ParseFlagsFromDebugOptionsFile(path + ".missing"));
  EXPECT_FALSE(ParseFlagsFromDebugOptionsFile(testing::ProcessTempDir()));  // a folder
  EXPECT_EQ(GetDebugOptionsFromFlags().xla_dump_to(), "file");
}

TEST_F(OptionsOfTheProcess, Fuel) {
  Parse("--xla_fuel=a=2,b=0");
  EXPECT_TRUE(PassFuelIsSet("a"));
  EXPECT_FALSE(PassFuelIsSet("c"));
  bool just_ran_out = true;
  EXPECT_TRUE(ConsumeFuel("a", &just_ran_out));
  EXPECT_FALSE(just_ran_out);
  EXPECT_TRUE(ConsumeFuel("a"));
  EXPECT_FALSE(ConsumeFuel("a", &just_ran_out));
  EXPECT_TRUE(just_ran_out);
  EXPECT_FALSE(ConsumeFuel("a", &just_ran_out));
  EXPECT_FALSE(just_ran_out);
  EXPECT_TRUE(ConsumeFuel("c"));
  int told = 0;
  const auto message = [&] {
    ++told;
    return "stopped";
  };
  EXPECT_FALSE(ConsumeFuel("b", message));
  EXPECT_FALSE(ConsumeFuel("b", message));
  EXPECT_EQ(told, 1);
  // A thread may have all of it for itself.
  std::thread([] {
    EXPECT_FALSE(ConsumeFuel("a"));
    ResetThreadLocalFuel();
    EXPECT_TRUE(ConsumeFuel("a"));
    EXPECT_TRUE(ConsumeFuel("a"));
    EXPECT_FALSE(ConsumeFuel("a"));
  }).join();
  Parse("--xla_fuel=d=1");
  EXPECT_FALSE(PassFuelIsSet("a"));
}

TEST(DeviceCountOfTheHost, IsReadAlone) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  // In a process whose options nothing has used: 0 for success.
  const auto exit_with = [](const char* flags, absl::StatusOr<int> expected) {
    setenv("XLA_FLAGS", flags, 1);
    const absl::StatusOr<int> count = HostPlatformDeviceCountFromFlags();
    std::_Exit(count.status().code() == expected.status().code() &&
                       (!count.ok() || *count == *expected)
                   ? 0
                   : 1);
  };
  EXPECT_EXIT(exit_with("--no_such_flag --xla_force_host_platform_device_count=5 --other=x", 5),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with("", 1), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      exit_with("--xla_force_host_platform_device_count=many", absl::InvalidArgumentError("")),
      ::testing::ExitedWithCode(0), "value many");
  EXPECT_EXIT(exit_with("missing_file", absl::NotFoundError("")), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace xla
