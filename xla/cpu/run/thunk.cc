// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/run/thunk.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/library_custom_calls.h"
#include "xla/kernels/movement/bitcast.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/step_observer.h"

namespace xla::cpu {
namespace {

// A thunk keeps this many pointers to arrays on the stack.
constexpr size_t kFewArrays = 64;

}  // namespace

absl::StatusOr<std::shared_ptr<void>> RunState::Allocate(int64_t bytes) {
  runtime::MemoryBudget* const budget = extras_.budget;
  if (budget != nullptr && !budget->Take(bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat("working memory of ", bytes,
                                                     " bytes would exceed the memory limit of ",
                                                     budget->limit(), " bytes"));
  }
  void* memory = runtime::AllocateHostMemory(static_cast<size_t>(bytes));
  if (memory == nullptr) {
    if (budget != nullptr) budget->Give(bytes);
    return absl::ResourceExhaustedError(
        absl::StrCat("the system has no memory for ", bytes, " bytes"));
  }
  return std::shared_ptr<void>(memory, [budget, bytes](void* data) {
    runtime::FreeHostMemory(data);
    if (budget != nullptr) budget->Give(bytes);
  });
}

absl::Status RunState::ParallelFor(int64_t count, int64_t chunk,
                                   absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  if (!is_nested_) return pool_.ParallelFor(count, chunk, body, [this] { return Poll(); });
  chunk = std::max<int64_t>(chunk, 1);
  for (int64_t begin = 0; begin < count; begin += chunk) {
    XLA_RETURN_IF_ERROR(body(begin, std::min(count, begin + chunk)));
    XLA_RETURN_IF_ERROR(Poll());
  }
  return absl::OkStatus();
}

absl::Status RunState::failure() const {
  return has_failed_.load(std::memory_order_acquire) ? failure_ : absl::OkStatus();
}

void RunState::set_failure(absl::Status failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (has_failed_.load(std::memory_order_relaxed)) return;
  failure_ = std::move(failure);
  has_failed_.store(true, std::memory_order_release);
}

absl::Status RunThunks(const ThunkSequence& thunks, RunState& state) {
  if (runtime::StepObserver* const observer = state.observer()) {
    const int64_t device = state.device().position.id();
    for (const std::unique_ptr<Thunk>& step : thunks) {
      observer->OnStepBegin(device, step->instruction());
      const runtime::StepObserver::Time begin = std::chrono::steady_clock::now();
      XLA_RETURN_IF_ERROR(step->Run(state));
      observer->OnStep(device, step->instruction(), begin, std::chrono::steady_clock::now());
    }
    return absl::OkStatus();
  }
  for (const std::unique_ptr<Thunk>& step : thunks) {
    XLA_RETURN_IF_ERROR(step->Run(state));
  }
  return absl::OkStatus();
}

absl::Status OverridableThunk::Run(RunState& state) const {
  return (HasCustomCallHandler(state, *instruction()) ? handler_ : kernel_)->Run(state);
}

// Exceptions must not propagate through generated code.
bool RunThunksOfFunction(const ThunkSequence& thunks, RunState& state) {
  if (!state.failure().ok()) return false;
  try {
    // Generated loops poll rarely, as they do not know how long these thunks take.
    absl::Status status = state.Poll();
    if (status.ok()) status = RunThunks(thunks, state);
    if (status.ok()) return true;
    state.set_failure(std::move(status));
  } catch (const std::bad_alloc&) {
    state.set_failure(absl::ResourceExhaustedError("the system has no memory for a thunk"));
  }
  return false;
}

absl::Status KernelThunk::Run(RunState& state) const {
  absl::InlinedVector<char*, kFewArrays> arrays;
  for (const Slot& slot : arrays_) arrays.push_back(slot.In(state));
  arrays.push_back(reinterpret_cast<char*>(&state));
  if (units_ <= chunk_) {
    function_(arrays.data(), 0, units_);
  } else {
    XLA_RETURN_IF_ERROR(state.ParallelFor(units_, chunk_, [&](int64_t begin, int64_t end) {
      function_(arrays.data(), begin, end);
      return absl::OkStatus();
    }));
  }
  return state.Poll();  // long loops end early if the run does
}

absl::Status CopyThunk::Run(RunState& state) const {
  char* const from = from_.In(state);
  char* const to = to_.In(state);
  const Machine& machine = MachineOfThread();
  if (!machine.IsWorthAThread(machine.Nanoseconds(static_cast<double>(2 * bytes_), 0))) {
    if (bytes_ > 0) std::memcpy(to, from, static_cast<size_t>(bytes_));
    return absl::OkStatus();
  }
  return state.ParallelFor(bytes_, machine.BytesOfTask() / 2, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    return absl::OkStatus();
  });
}

absl::Status LibraryThunk::Run(RunState& state) const {
  absl::InlinedVector<char*, kFewArrays> operands, results;
  const auto in = [&](const std::optional<Slot>& slot) -> char* {
    return slot.has_value() ? slot->In(state) : nullptr;
  };
  for (const auto& slot : operands_) operands.push_back(in(slot));
  for (const auto& slot : results_) results.push_back(in(slot));
  const absl::Status status =
      function_({instruction(), &state, operands, results, combiners_, site_.get()});
  if (status.ok()) return state.failure();
  return absl::Status(status.code(),
                      absl::StrCat(instruction()->ToShortString(), ": ", status.message()));
}

absl::Status BitcastThunk::Run(RunState& state) const {
  return kernels::BitcastArray(state, from_, to_, operand_.In(state), result_.In(state));
}

absl::Status WhileThunk::Run(RunState& state) const {
  const char* const predicate = predicate_.In(state);
  for (size_t phase = 0;; phase = (phase + 1) % phases_.size()) {
    XLA_RETURN_IF_ERROR(RunThunks(phases_[phase].condition, state));
    if (*predicate == 0) return phase == 0 ? absl::OkStatus() : RunThunks(finish_, state);
    XLA_RETURN_IF_ERROR(RunThunks(phases_[phase].body, state));
    XLA_RETURN_IF_ERROR(state.Poll());
  }
}

absl::Status LoopFunctionThunk::Run(RunState& state) const {
  absl::InlinedVector<char*, kFewArrays> arrays;
  for (const Slot& slot : arrays_) arrays.push_back(slot.In(state));
  if (units_ > chunk_) {
    XLA_RETURN_IF_ERROR(state.ParallelFor(units_, chunk_, [&](int64_t begin, int64_t end) {
      function_(arrays.data(), &state, begin, end);
      return absl::OkStatus();
    }));
  } else {
    function_(arrays.data(), &state, 0, units_);
  }
  return state.Poll();
}

absl::Status CompiledWhileThunk::Run(RunState& state) const {
  absl::InlinedVector<char*, 64> table;
  for (const Entry& entry : table_) {
    switch (entry.kind) {
      case Entry::Kind::kSlot:
        table.push_back(entry.slot.In(state));
        break;
      case Entry::Kind::kAddress:
        table.push_back(static_cast<char*>(entry.address));
        break;
      case Entry::Kind::kRun:
        table.push_back(reinterpret_cast<char*>(&state));
        break;
    }
  }
  function_(table.data(), &state, 0, 1);
  return state.Poll();
}

absl::Status ConditionalThunk::Run(RunState& state) const {
  const char* const selector = selector_.In(state);
  size_t branch = 0;
  if (is_predicate_) {
    branch = *selector != 0 ? 0 : 1;
  } else {
    int32_t index;
    std::memcpy(&index, selector, sizeof(index));
    const size_t last = branches_.size() - 1;
    branch = index < 0 || static_cast<size_t>(index) > last ? last : static_cast<size_t>(index);
  }
  return RunThunks(branches_[branch], state);
}

}  // namespace xla::cpu
