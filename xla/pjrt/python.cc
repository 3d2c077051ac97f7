// SPDX-License-Identifier: Apache-2.0
// The interpreter of Python, and its signals.
#include "xla/pjrt/python.h"

#include <pthread.h>
#include <time.h>

#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/python_state.h"
#include "xla/pjrt/runs_in_flight.h"

namespace xla::pjrt {
namespace {

// Set once and never freed: used until the process ends.
std::atomic<const PythonState*> python{nullptr};
std::atomic<bool> leaves{false};
thread_local PythonSignals* innermost = nullptr;

// The interval between checks for signals.
constexpr std::chrono::milliseconds kAskInterval(50);

// Takes a few nanoseconds; accurate to a few milliseconds.
std::chrono::nanoseconds CoarseTime() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

bool MayCallPython(const PythonState& state) {
  return !leaves.load(std::memory_order_relaxed) ||
         pthread_equal(pthread_self(), state.main_thread);
}

const PythonState* Python() { return python.load(std::memory_order_acquire); }

void RaiseInMainThread(const PythonState& state, const PythonError& error) {
  struct Raised {
    const PythonState* state;
    PythonError error;
  };
  auto raised = std::make_unique<Raised>(Raised{&state, error});
  const auto raise = [](void* data) {
    const std::unique_ptr<Raised> raised(static_cast<Raised*>(data));
    const PythonError& error = raised->error;
    raised->state->api.err_restore(error.type, error.value, error.traceback);
    return -1;
  };
  if (state.api.add_pending_call(raise, raised.get()) == 0) {
    (void)raised.release();
    return;
  }
  // The interpreter has too many pending calls: the exception is at least printed.
  state.api.err_restore(error.type, error.value, error.traceback);
  state.api.err_print();
}

PythonSignals::PythonSignals()
    : is_main_thread_(Python() != nullptr && pthread_equal(pthread_self(), Python()->main_thread)),
      outer_(innermost) {
  if (!is_main_thread_) return;
  innermost = this;
  asked_ = CoarseTime();
}

PythonSignals::~PythonSignals() {
  if (is_main_thread_) innermost = outer_;
}

PythonSignals* PythonSignals::Current() { return innermost; }

bool PythonSignals::IsRequested() {
  if (was_requested()) return true;
  if (!is_main_thread_ || !pthread_equal(pthread_self(), Python()->main_thread)) return false;
  const std::chrono::nanoseconds now = CoarseTime();
  if (now - asked_ < kAskInterval) return false;
  asked_ = now;
  const PythonState& state = *Python();
  const PythonLock lock(state);
  if (state.api.check_signals() == 0) return false;
  PythonError error;
  state.api.err_fetch(&error.type, &error.value, &error.traceback);
  RaiseInMainThread(state, error);
  Request();
  return true;
}

absl::Status AwaitUnlessSignaled(const runtime::Event& event) {
  if (event.IsReady()) return event.status();
  PythonSignals signals;
  if (!signals.is_main_thread()) return event.Await();
  while (!event.IsReady()) {
    (void)event.Await(absl::FromChrono(kAskInterval));
    if (!event.IsReady() && signals.IsRequested()) {
      EndRunsInFlight(kGraceOfSignals, /*spares_effects=*/false);
      return absl::CancelledError("a signal ended the wait");
    }
  }
  return event.status();
}

absl::Status SetPython(Xylem_Python_Set_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"api", args.api},
                               {"none", args.none},
                               {"array", args.array},
                               {"dtypes", args.dtypes},
                               {"dispatch", args.dispatch}}));
  if (args.api_size != sizeof(Xylem_PythonApi)) {
    return absl::InvalidArgumentError(absl::StrCat("a table of ", args.api_size,
                                                   " bytes of Python's functions; this one has ",
                                                   sizeof(Xylem_PythonApi)));
  }
  auto state = std::make_unique<PythonState>();
  state->api = *args.api;
  state->main_thread = static_cast<pthread_t>(args.main_thread);
  state->none = args.none;
  state->array = args.array;
  state->dispatch = args.dispatch;
  state->dtypes.assign(args.dtypes, args.dtypes + args.num_dtypes);
  for (_object* const kept : {args.none, args.array, args.dispatch}) state->api.inc_ref(kept);
  for (_object* const dtype : state->dtypes) {
    if (dtype != nullptr) state->api.inc_ref(dtype);
  }
  state->former = python.load(std::memory_order_acquire);
  python.store(state.release(), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status EndRuns(Xylem_EndRuns_Args& args) {
  if (!std::isfinite(args.grace_seconds) || args.grace_seconds < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a grace of ", args.grace_seconds, " seconds for runs"));
  }
  if (args.is_last) leaves.store(true, std::memory_order_relaxed);
  EndRunsInFlight(absl::Seconds(args.grace_seconds), args.spares_effects);
  if (args.ends_compilations) EndCompilationsInFlight();
  return absl::OkStatus();
}

}  // namespace xla::pjrt
