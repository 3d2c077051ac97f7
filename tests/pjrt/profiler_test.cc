// SPDX-License-Identifier: Apache-2.0
// Traces of the Profiler extension.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "xla/cpu/program.h"
#include "xla/pjrt/abi_profiler.h"
#include "xla/pjrt/profile.pb.h"

namespace xla::pjrt::testing {
namespace {

const PLUGIN_Profiler_Api& Profiler() {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_Profiler) extension = extension->next;
  return *reinterpret_cast<const PJRT_Profiler_Extension*>(extension)->profiler_api;
}

class ProfilerSession {
 public:
  ProfilerSession() {
    PLUGIN_Profiler_Create_Args args = {};
    EXPECT_EQ(Profiler().create(&args), nullptr);
    profiler_ = args.profiler;
  }
  ~ProfilerSession() {
    PLUGIN_Profiler_Destroy_Args args = {0, profiler_};
    EXPECT_EQ(Profiler().destroy(&args), nullptr);
  }
  void Start() {
    PLUGIN_Profiler_Start_Args args = {0, profiler_};
    EXPECT_EQ(Profiler().start(&args), nullptr);
  }
  void Stop() {
    PLUGIN_Profiler_Stop_Args args = {0, profiler_};
    EXPECT_EQ(Profiler().stop(&args), nullptr);
  }
  ProfileSpace Collect() {
    PLUGIN_Profiler_CollectData_Args args = {0, profiler_, nullptr, 0};
    EXPECT_EQ(Profiler().collect_data(&args), nullptr);
    std::vector<uint8_t> copy(args.buffer_size_in_bytes);
    if (!copy.empty()) {
      PLUGIN_Profiler_CollectData_Args again = {0, profiler_, copy.data(), copy.size()};
      EXPECT_EQ(Profiler().collect_data(&again), nullptr);
    }
    ProfileSpace space;
    EXPECT_TRUE(space.ParseFromArray(copy.data(), static_cast<int>(copy.size())));
    return space;
  }

 private:
  PLUGIN_Profiler* profiler_;
};

TEST(PjrtProfilerTest, TracesWhatIsCompiledAndRunMeanwhile) {
  Plugin plugin;
  ProfilerSession session;
  PJRT_LoadedExecutable* before = plugin.Compile(kAdd);
  session.Start();
  PJRT_LoadedExecutable* add = plugin.Compile(kAdd);
  std::vector<PJRT_Buffer*> results(1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(plugin.Run(add, {plugin.Floats({1, 2, 3, 4}), plugin.Floats({1, 2, 3, 4})}, &results),
              "OK");
    plugin.ToFloats(results[0]);
  }
  session.Stop();
  ASSERT_EQ(
      plugin.Run(before, {plugin.Floats({1, 2, 3, 4}), plugin.Floats({1, 2, 3, 4})}, &results),
      "OK");
  const ProfileSpace space = session.Collect();
  ASSERT_EQ(space.planes_size(), 1);
  const ProfilePlane& plane = space.planes(0);
  ASSERT_EQ(plane.lines_size(), 2);
  EXPECT_EQ(plane.lines(0).name(), "compiler");
  EXPECT_EQ(plane.lines(0).events_size(), 1);
  EXPECT_EQ(plane.lines(1).name(), "device 0");
  int runs = 0;
  int64_t end = 0;
  for (const ProfileEvent& event : plane.lines(1).events()) {
    ASSERT_EQ(plane.event_metadata().count(event.metadata_id()), 1u);
    if (plane.event_metadata().at(event.metadata_id()).name() != "add") continue;
    ++runs;
    EXPECT_GE(event.offset_ps(), end);
    end = event.offset_ps() + event.duration_ps();
  }
  EXPECT_EQ(runs, 3);
}

// A product and a sort are steps of their own.
constexpr std::string_view kSteps = R"(
module @two_steps {
  func.func public @main(%values: tensor<4096xf32>) -> tensor<64x64xf32> {
    %a = stablehlo.reshape %values : (tensor<4096xf32>) -> tensor<64x64xf32>
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = "stablehlo.sort"(%0) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
})";

TEST(PjrtProfilerTest, TracesTheStepsOfCompiledProgramsWithinTheirRuns) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  Plugin plugin;
  PJRT_LoadedExecutable* program = plugin.Compile(kSteps);
  ProfilerSession session;
  session.Start();
  std::vector<PJRT_Buffer*> results(1);
  ASSERT_EQ(plugin.Run(program, {plugin.Floats(std::vector<float>(4096, 1))}, &results), "OK");
  plugin.ToFloats(results[0]);
  session.Stop();
  const ProfileSpace space = session.Collect();
  ASSERT_EQ(space.planes_size(), 1);
  const ProfilePlane& plane = space.planes(0);
  ASSERT_EQ(plane.lines_size(), 1);
  const ProfileLine& line = plane.lines(0);
  ASSERT_GE(line.events_size(), 3);
  const auto name = [&](int event) {
    return plane.event_metadata().at(line.events(event).metadata_id()).name();
  };
  EXPECT_EQ(name(0), "two_steps");
  std::string steps;
  int64_t begin = line.events(0).offset_ps();
  for (int i = 1; i < line.events_size(); ++i) {
    const ProfileEvent& step = line.events(i);
    absl::StrAppend(&steps, name(i), " ");
    EXPECT_GE(step.offset_ps(), begin);
    begin = step.offset_ps() + step.duration_ps();
  }
  EXPECT_LE(begin, line.events(0).offset_ps() + line.events(0).duration_ps());
  const size_t product = steps.find("dot"), sort = steps.find("sort");
  ASSERT_NE(product, std::string::npos) << steps;
  ASSERT_NE(sort, std::string::npos) << steps;
  EXPECT_LT(product, sort) << steps;
}

TEST(PjrtProfilerTest, ASecondStartBeginsAnew) {
  Plugin plugin;
  ProfilerSession session;
  session.Start();
  plugin.Compile(kAdd);
  session.Start();
  session.Stop();
  session.Stop();
  EXPECT_EQ(session.Collect().planes_size(), 0);
}

TEST(PjrtProfilerTest, NullsAreErrors) {
  PLUGIN_Profiler_Start_Args args = {};
  PLUGIN_Profiler_Error* error = Profiler().start(&args);
  ASSERT_NE(error, nullptr);
  PLUGIN_Profiler_Error_Message_Args message = {};
  message.error = error;
  Profiler().error_message(&message);
  EXPECT_NE(std::string(message.message, message.message_size).find("null"), std::string::npos);
  PLUGIN_Profiler_Error_GetCode_Args code = {};
  code.error = error;
  EXPECT_EQ(Profiler().error_get_code(&code), nullptr);
  EXPECT_EQ(code.code, 3);  // INVALID_ARGUMENT
  PLUGIN_Profiler_Error_Destroy_Args destroy = {};
  destroy.error = error;
  Profiler().error_destroy(&destroy);
}

}  // namespace
}  // namespace xla::pjrt::testing
