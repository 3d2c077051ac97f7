// SPDX-License-Identifier: Apache-2.0
// Traces of the Profiler extension.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/pjrt/plugin.h"
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
  ASSERT_EQ(plane.lines(1).events_size(), 3);
  int64_t end = 0;
  for (const ProfileEvent& event : plane.lines(1).events()) {
    EXPECT_GE(event.offset_ps(), end);
    end = event.offset_ps() + event.duration_ps();
    EXPECT_EQ(plane.event_metadata().count(event.metadata_id()), 1u);
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
