// SPDX-License-Identifier: Apache-2.0
// Traces of the Profiler extension.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "xla/cpu/program.h"
#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"
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

// The names of the steps of one run of a program on 4,096 floats, as the trace has them; `check` is
// called with the line of the device.
void TraceRun(std::string_view code, std::string* names,
              const std::function<void(const ProfileLine& line)>& check) {
  Plugin plugin;
  PJRT_LoadedExecutable* program = plugin.Compile(code);
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
  for (const ProfileEvent& event : plane.lines(0).events())
    absl::StrAppend(names, plane.event_metadata().at(event.metadata_id()).name(), " ");
  check(plane.lines(0));
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
  std::string names;
  TraceRun(kSteps, &names, [](const ProfileLine& line) {
    ASSERT_GE(line.events_size(), 3);
    int64_t begin = line.events(0).offset_ps();
    for (int i = 1; i < line.events_size(); ++i) {
      EXPECT_GE(line.events(i).offset_ps(), begin);
      begin = line.events(i).offset_ps() + line.events(i).duration_ps();
    }
    EXPECT_LE(begin, line.events(0).offset_ps() + line.events(0).duration_ps());
  });
  EXPECT_EQ(names.find("two_steps "), 0u) << names;
  const size_t product = names.find("dot"), sort = names.find("sort");
  ASSERT_NE(product, std::string::npos) << names;
  ASSERT_NE(sort, std::string::npos) << names;
  EXPECT_LT(product, sort) << names;
}

constexpr std::string_view kLoop = R"(
module @loop {
  func.func public @main(%a: tensor<4096xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4096xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.reverse %x, dims = [0] : tensor<4096xf32>
        %3 = "stablehlo.sort"(%2) ({
          ^bb0(%y: tensor<f32>, %z: tensor<f32>):
            %4 = stablehlo.compare LT, %y, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %4 : tensor<i1>
        }) {dimension = 0 : i64} : (tensor<4096xf32>) -> tensor<4096xf32>
        stablehlo.return %1, %3 : tensor<i32>, tensor<4096xf32>
      }
    return %0#1 : tensor<4096xf32>
  }
})";

TEST(PjrtProfilerTest, TracesLoopsBeforeWhatTheyRun) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  std::string names;
  TraceRun(kLoop, &names, [](const ProfileLine&) {});
  const size_t loop = names.find("while");
  ASSERT_NE(loop, std::string::npos) << names;
  size_t sort = loop;
  for (int i = 0; i < 3; ++i) {
    sort = names.find("sort", sort + 1);
    ASSERT_NE(sort, std::string::npos) << names;
  }
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
