// SPDX-License-Identifier: Apache-2.0
// The interpreter of Python in this process, if the Python package has made it known: callbacks of
// programs, and signals that end runs and waits on its main thread (Ctrl-C).
//
// The plugin is not built against Python: the package hands over addresses of functions of its
// stable ABI. Locks of ours are never held while the interpreter's is taken.
#ifndef XLA_PJRT_PYTHON_H_
#define XLA_PJRT_PYTHON_H_

#include <atomic>
#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla/pjrt/abi_python.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/event.h"
#include "xla/runtime/interrupt.h"

namespace xla::pjrt {

// The custom calls of callbacks: their attribute "index" names the function in the package's table.
inline constexpr char kPythonCallback[] = "xylem_python_callback";
// Like kPythonCallback, but called in each partition with its shards.
inline constexpr char kPartitionedPythonCallback[] = "xylem_partitioned_python_callback";
// Like kPythonCallback, but the function gets its arguments in place, and writes its results
// itself.
inline constexpr char kPythonBufferCallback[] = "xylem_python_buffer_callback";

bool IsPythonCallback(std::string_view target);
// Registers the targets above, which fail while the interpreter is unknown.
void AddPythonCallbacks(CustomCallRegistry& registry);

// Handles signals of the interpreter during a run or wait: its signal handlers run on its main
// thread only, which does not run Python meanwhile. If a handler raises, or a callback that the run
// calls on the main thread raises something that is not an Exception (KeyboardInterrupt,
// SystemExit), the run ends, and the exception is raised in the main thread as soon as it runs
// Python again.
class PythonSignals final : public runtime::Interrupt {
 public:
  // Receives no signals on threads other than the interpreter's main thread, or without an
  // interpreter.
  PythonSignals();
  ~PythonSignals() override;
  PythonSignals(const PythonSignals&) = delete;
  PythonSignals& operator=(const PythonSignals&) = delete;

  bool is_main_thread() const { return is_main_thread_; }
  bool IsRequested() override;
  bool was_requested() const { return requested_.load(std::memory_order_relaxed); }

  // Returns the innermost one of this thread; null if there is none, or on other threads.
  static PythonSignals* Current();
  void Request() { requested_.store(true, std::memory_order_relaxed); }

 private:
  const bool is_main_thread_;
  std::atomic<bool> requested_{false};
  std::chrono::nanoseconds asked_{0};
  PythonSignals* const outer_;
};

// The grace period of runs after a signal: training steps, whose arguments were donated, finish and
// keep their results; loops that do not end do not block later programs.
inline constexpr absl::Duration kGraceOfSignals = absl::Seconds(1);

// Like event.Await(), but a signal ends the wait with CANCELLED, and the runs in flight with it.
absl::Status AwaitUnlessSignaled(const runtime::Event& event);

// The functions of the extension.
absl::Status SetPython(Xylem_Python_Set_Args& args);
absl::Status EndRuns(Xylem_EndRuns_Args& args);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PYTHON_H_
