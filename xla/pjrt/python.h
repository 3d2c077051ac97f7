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
// The same, called in each partition with the shards that it has.
inline constexpr char kPartitionedPythonCallback[] = "xylem_partitioned_python_callback";
// Its function gets arguments in place, and writes its results itself.
inline constexpr char kPythonBufferCallback[] = "xylem_python_buffer_callback";

bool IsPythonCallback(std::string_view target);
// Adds the targets above, which fail as long as the interpreter is not known.
void AddPythonCallbacks(CustomCallRegistry& registry);

// Signals of the interpreter, while a run or wait goes on: its handlers of signals run on its main
// thread only, which does not run Python meanwhile. What a handler raises, or a callback that the
// run calls on the main thread if it is not an Exception (KeyboardInterrupt, SystemExit), ends the
// run, and is raised in the main thread as soon as this runs Python again.
class PythonSignals final : public runtime::Interrupt {
 public:
  // On threads other than the interpreter's main thread, or without an interpreter, none comes.
  PythonSignals();
  ~PythonSignals() override;
  PythonSignals(const PythonSignals&) = delete;
  PythonSignals& operator=(const PythonSignals&) = delete;

  bool is_main_thread() const { return is_main_thread_; }
  bool IsRequested() override;
  bool was_requested() const { return requested_.load(std::memory_order_relaxed); }

  // The innermost one of this thread; null if there is none, or it is another thread.
  static PythonSignals* Current();
  void Request() { requested_.store(true, std::memory_order_relaxed); }

 private:
  const bool is_main_thread_;
  std::atomic<bool> requested_{false};
  std::chrono::nanoseconds asked_{0};
  PythonSignals* const outer_;
};

// What a run may take after a signal: training steps, whose arguments were donated, leave their
// results behind; loops that do not end do not keep later programs from running.
inline constexpr absl::Duration kGraceOfSignals = absl::Seconds(1);

// As event.Await(), but that a signal ends the wait with CANCELLED, and the runs in flight with it.
absl::Status AwaitUnlessSignaled(const runtime::Event& event);

// The functions of the extension.
absl::Status SetPython(Xylem_Python_Set_Args& args);
absl::Status EndRuns(Xylem_EndRuns_Args& args);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PYTHON_H_
