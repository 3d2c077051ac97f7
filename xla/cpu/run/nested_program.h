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

// Thread-safe once it is complete.
class NestedProgram {
 public:
  NestedProgram(ProgramSchedule schedule, int32_t arguments);
  NestedProgram(const NestedProgram&) = delete;
  NestedProgram& operator=(const NestedProgram&) = delete;

  const ProgramSchedule& schedule() const { return schedule_; }
  int32_t arguments() const { return arguments_; }
  int32_t results() const { return static_cast<int32_t>(schedule_.results.size()); }

  // Runs the program on arguments, which the results follow, kCellBytes apart. An error is recorded
  // as the caller's failure.
  void Run(RunState& caller, char* cells) const;

  // Returns the memory of one run. There is one at a time on each thread.
  int64_t FrameBytes() const;

  // Set by lowering.
  ThunkSequence thunks;
  std::vector<const kernels::Kernel*> prepared;
  std::vector<char*> constants;
  std::vector<std::unique_ptr<char[]>> copied_constants;  // of other layouts

 private:
  // Scratch memory, and the addresses of arguments, results and constants.
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
  mutable std::vector<Frame> frames_;  // unused ones
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_NESTED_PROGRAM_H_
