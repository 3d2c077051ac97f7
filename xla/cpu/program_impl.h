// SPDX-License-Identifier: Apache-2.0
// What a compiled program consists of. Private to program.cc and program_run.cc.
#ifndef XLA_CPU_PROGRAM_IMPL_H_
#define XLA_CPU_PROGRAM_IMPL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/instruction_set.h"
#include "xla/cpu/lower/lower_program.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pipeline.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

struct CpuProgram::Impl {
  std::unique_ptr<HloModule> module;
  InstructionSet max_instruction_set = InstructionSet::kAny;
  FloatingPointMode floating_point_mode = FloatingPointMode::Ieee();  // of runs
  PipelineStatistics pass_statistics;
  cpu::ProgramSchedule schedule;
  cpu::MemoryNumbers memories;
  cpu::LoweredProgram lowered;
  Shape result_shape;
  // The leaves of arguments and result as callers see them.
  std::vector<Shape> argument_leaves, result_leaves;  // the latter with layouts
  // How they are in the memory of the program.
  std::vector<DimensionVector> argument_strides, result_strides;
  // The number of each leaf's memory in the program, which has one more for each dynamic dimension:
  // its size.
  std::vector<int32_t> argument_memory, result_memory;
  // By leaf of the result: the leaf of the arguments whose memory it takes if that is donated, -1:
  // none. Computed in place if the schedule has aliases.
  std::vector<int32_t> donors;
  std::vector<char*> constants;
  std::vector<std::unique_ptr<char[]>> copied_constants;  // of other layouts

  // Scratch memories that no run uses. One for each run that there was at the same time.
  struct Arena {
    void* memory = nullptr;
    int64_t bytes = 0;
    std::vector<char*> pointers;  // what runs of programs with many arrays keep them in
  };
  mutable std::mutex mutex;
  mutable std::vector<Arena> arenas;

  ~Impl();
  int64_t ScratchBytes(int threads) const;
  // Of programs that are applied to elements on so many threads.
  int64_t NestedBytes(int threads) const;
  // With that many pointers, if any.
  absl::StatusOr<Arena> TakeArena(int threads, size_t pointers) const;
  void GiveArena(Arena arena) const;
  void SetLeaves(const HloModule& source);
  void SetDonors(const HloModule& source);
};

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_IMPL_H_
