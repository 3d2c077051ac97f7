// SPDX-License-Identifier: Apache-2.0
// A program that generated code calls for each element (nested_computation.h).
#ifndef XLA_CPU_RUN_NESTED_PROGRAM_H_
#define XLA_CPU_RUN_NESTED_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/run/run_state.h"
#include "xla/cpu/run/thunk.h"
#include "xla/kernels/kernel.h"

namespace xla::cpu {

// Thread-safe once it is made.
class NestedProgram {
 public:
  NestedProgram(ProgramSchedule schedule, int32_t arguments);
  NestedProgram(const NestedProgram&) = delete;
  NestedProgram& operator=(const NestedProgram&) = delete;

  const ProgramSchedule& schedule() const { return schedule_; }
  int32_t arguments() const { return arguments_; }
  int32_t results() const { return static_cast<int32_t>(schedule_.results.size()); }

  // From arguments to results, which follow them, kCellBytes apart. An error is the caller's
  // failure.
  void Run(RunState& caller, char* cells) const;

  // Memory of one run: of as many as there are at the same time, one on each thread.
  int64_t FrameBytes() const;

  // What lowering makes.
  ThunkSequence thunks;
  std::vector<const kernels::Kernel*> prepared;
  std::vector<char*> constants;
  std::vector<std::unique_ptr<char[]>> copied_constants;  // of other layouts

 private:
  // Scratch memory, and where arguments, results and constants are.
  struct FreeMemory {
    void operator()(char* memory) const;
  };
  struct Frame {
    std::unique_ptr<char, FreeMemory> memory;
    std::vector<char*> bases;
  };
  absl::StatusOr<Frame> TakeFrame() const;

  const ProgramSchedule schedule_;
  const int32_t arguments_;
  mutable std::mutex mutex_;
  mutable std::vector<Frame> frames_;  // that nothing uses
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_NESTED_PROGRAM_H_
