// SPDX-License-Identifier: Apache-2.0
// Sessions of profilers, and the functions of the Profiler extension.
#include "xla/pjrt/profiler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/pjrt/profile.pb.h"
#include "xla/runtime/step_observer.h"

struct PLUGIN_Profiler_Error {
  int code;
  std::string message;
};

namespace xla::pjrt {
namespace {

struct TraceEntry {
  int64_t begin_ns, end_ns;
  int line;
  std::string name;
};

// A session that is left running keeps at most this many entries.
constexpr size_t kMostEntries = 1'000'000;

}  // namespace
}  // namespace xla::pjrt

struct PLUGIN_Profiler {
  std::vector<xla::pjrt::TraceEntry> entries;
  std::string bytes;  // what was collected
};

namespace xla::pjrt {
namespace {

struct TraceSessions {
  std::atomic<int> count{0};
  std::mutex mutex;  // guards the following, and entries of running sessions
  std::vector<PLUGIN_Profiler*> running;
};

TraceSessions& Sessions() {
  // Never destroyed: runs may end after static objects.
  static TraceSessions* const sessions = new TraceSessions;
  return *sessions;
}

// Adds entries to all running sessions.
void AddEntries(const std::vector<TraceEntry>& entries) {
  TraceSessions& sessions = Sessions();
  const std::lock_guard<std::mutex> lock(sessions.mutex);
  for (PLUGIN_Profiler* profiler : sessions.running) {
    const size_t room = kMostEntries - std::min(kMostEntries, profiler->entries.size());
    profiler->entries.insert(
        profiler->entries.end(), entries.begin(),
        entries.begin() + static_cast<ptrdiff_t>(std::min(room, entries.size())));
  }
}

// Records the steps of one run.
class StepRecorder final : public runtime::StepObserver {
 public:
  explicit StepRecorder(size_t devices) : steps_(devices) {}

  void OnStep(int64_t device, const HloInstruction* instruction, Time begin, Time end) override {
    std::vector<Step>& steps = steps_[static_cast<size_t>(device)];
    if (steps.size() * steps_.size() < kMostEntries) steps.push_back({instruction, begin, end});
  }

  // Returns the steps as entries of lines, in nanoseconds since the epoch.
  std::vector<TraceEntry> Entries(absl::Span<const int> lines) const {
    const int64_t epoch = TraceClock() - Nanoseconds(std::chrono::steady_clock::now());
    std::vector<TraceEntry> entries;
    for (size_t d = 0; d < std::min(steps_.size(), lines.size()); ++d) {
      for (const Step& step : steps_[d]) {
        entries.push_back(
            {epoch + Nanoseconds(step.begin), epoch + Nanoseconds(step.end), lines[d],
             step.instruction == nullptr ? "copy" : std::string(step.instruction->name())});
      }
    }
    return entries;
  }

 private:
  struct Step {
    const HloInstruction* instruction;
    Time begin, end;
  };
  static int64_t Nanoseconds(Time time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
  }

  std::vector<std::vector<Step>> steps_;  // by device; only the device's thread appends
};

class TracedExecutable final : public Executable {
 public:
  TracedExecutable(std::shared_ptr<const Executable> traced, std::vector<int> device_ordinals)
      : Executable(traced->shared_module()),
        traced_(std::move(traced)),
        device_ordinals_(std::move(device_ordinals)) {}

 protected:
  absl::Status Run(const ExecuteRequest& request) const override {
    StepRecorder recorder(request.arguments.size());
    ExecuteRequest observed = request;
    observed.context.step_observer = &recorder;
    const int64_t begin = TraceClock();
    const absl::Status status = traced_->Execute(observed);
    for (const int ordinal : device_ordinals_) TraceSince(begin, ordinal, module().name());
    AddEntries(recorder.Entries(device_ordinals_));
    return status;
  }

 private:
  const std::shared_ptr<const Executable> traced_;
  const std::vector<int> device_ordinals_;
};

std::string SerializedTrace(std::vector<TraceEntry> entries) {
  ProfileSpace space;
  if (entries.empty()) return space.SerializeAsString();
  std::stable_sort(entries.begin(), entries.end(), [](const TraceEntry& a, const TraceEntry& b) {
    // An entry that contains another one comes before it.
    return std::tuple(a.line, a.begin_ns, -a.end_ns) < std::tuple(b.line, b.begin_ns, -b.end_ns);
  });
  ProfilePlane& plane = *space.add_planes();
  // The prefix by which viewers know the planes of plugins.
  plane.set_name("/device:CUSTOM:Xylem");
  std::map<std::string, int64_t> names;
  ProfileLine* line = nullptr;
  for (const TraceEntry& entry : entries) {
    const int64_t line_id = entry.line - kCompilerLine + 1;
    if (line == nullptr || line->id() != line_id) {
      line = plane.add_lines();
      line->set_id(line_id);
      line->set_name(entry.line == kCompilerLine ? "compiler"
                                                 : absl::StrCat("device ", entry.line));
      line->set_timestamp_ns(entry.begin_ns);
    }
    const auto [name, is_new] =
        names.try_emplace(entry.name, static_cast<int64_t>(names.size()) + 1);
    if (is_new) {
      ProfileEventMetadata& metadata = (*plane.mutable_event_metadata())[name->second];
      metadata.set_id(name->second);
      metadata.set_name(entry.name);
    }
    ProfileEvent& event = *line->add_events();
    event.set_metadata_id(name->second);
    event.set_offset_ps((entry.begin_ns - line->timestamp_ns()) * 1000);
    event.set_duration_ps((entry.end_ns - entry.begin_ns) * 1000);
  }
  return space.SerializeAsString();
}

void StopSession(PLUGIN_Profiler* profiler) {
  TraceSessions& sessions = Sessions();
  const std::lock_guard<std::mutex> lock(sessions.mutex);
  const auto found = std::find(sessions.running.begin(), sessions.running.end(), profiler);
  if (found == sessions.running.end()) return;
  sessions.running.erase(found);
  sessions.count.fetch_sub(1, std::memory_order_relaxed);
}

// --- The functions
PLUGIN_Profiler_Error* ProfilerError(absl::StatusCode code, const char* message) {
  return new PLUGIN_Profiler_Error{static_cast<int>(code), message};
}

PLUGIN_Profiler_Error* NullArgument() {
  return ProfilerError(absl::StatusCode::kInvalidArgument, "an argument of the profiler is null");
}

void DestroyProfilerError(PLUGIN_Profiler_Error_Destroy_Args* args) {
  if (args != nullptr) delete args->error;
}

void ProfilerErrorMessage(PLUGIN_Profiler_Error_Message_Args* args) {
  if (args == nullptr || args->error == nullptr) return;
  args->message = args->error->message.c_str();
  args->message_size = args->error->message.size();
}

PLUGIN_Profiler_Error* ProfilerErrorCode(PLUGIN_Profiler_Error_GetCode_Args* args) {
  if (args == nullptr || args->error == nullptr) return NullArgument();
  args->code = args->error->code;
  return nullptr;
}

PLUGIN_Profiler_Error* CreateProfiler(PLUGIN_Profiler_Create_Args* args) {
  if (args == nullptr) return NullArgument();
  args->profiler = new PLUGIN_Profiler;
  return nullptr;
}

PLUGIN_Profiler_Error* DestroyProfiler(PLUGIN_Profiler_Destroy_Args* args) {
  if (args == nullptr || args->profiler == nullptr) return nullptr;
  StopSession(args->profiler);
  delete args->profiler;
  return nullptr;
}

PLUGIN_Profiler_Error* StartProfiler(PLUGIN_Profiler_Start_Args* args) {
  if (args == nullptr || args->profiler == nullptr) return NullArgument();
  StopSession(args->profiler);
  TraceSessions& sessions = Sessions();
  const std::lock_guard<std::mutex> lock(sessions.mutex);
  args->profiler->entries.clear();
  sessions.running.push_back(args->profiler);
  sessions.count.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

PLUGIN_Profiler_Error* StopProfiler(PLUGIN_Profiler_Stop_Args* args) {
  if (args == nullptr || args->profiler == nullptr) return NullArgument();
  StopSession(args->profiler);
  return nullptr;
}

PLUGIN_Profiler_Error* CollectProfile(PLUGIN_Profiler_CollectData_Args* args) {
  if (args == nullptr || args->profiler == nullptr) return NullArgument();
  std::string bytes;
  {
    const std::lock_guard<std::mutex> lock(Sessions().mutex);
    bytes = SerializedTrace(args->profiler->entries);
  }
  if (args->buffer == nullptr) {
    args->profiler->bytes = std::move(bytes);
    args->buffer = reinterpret_cast<uint8_t*>(args->profiler->bytes.data());
    args->buffer_size_in_bytes = args->profiler->bytes.size();
    return nullptr;
  }
  if (args->buffer_size_in_bytes < bytes.size()) {
    return ProfilerError(absl::StatusCode::kInvalidArgument, "the buffer is too small");
  }
  std::memcpy(args->buffer, bytes.data(), bytes.size());
  args->buffer_size_in_bytes = bytes.size();
  return nullptr;
}

}  // namespace

bool IsTracing() { return Sessions().count.load(std::memory_order_relaxed) > 0; }

int64_t TraceClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void TraceSince(int64_t begin_ns, int line, std::string name) {
  AddEntries({{begin_ns, std::max(TraceClock(), begin_ns), line, std::move(name)}});
}

std::shared_ptr<const Executable> Traced(std::shared_ptr<const Executable> executable,
                                         std::vector<int> device_ordinals) {
  return std::make_shared<TracedExecutable>(std::move(executable), std::move(device_ordinals));
}

PLUGIN_Profiler_Api* ProfilerApi() {
  static PLUGIN_Profiler_Api table = {sizeof(PLUGIN_Profiler_Api),
                                      nullptr,
                                      DestroyProfilerError,
                                      ProfilerErrorMessage,
                                      ProfilerErrorCode,
                                      CreateProfiler,
                                      DestroyProfiler,
                                      StartProfiler,
                                      StopProfiler,
                                      CollectProfile};
  return &table;
}

}  // namespace xla::pjrt
