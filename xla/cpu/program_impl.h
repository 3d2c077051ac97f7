// SPDX-License-Identifier: Apache-2.0
// The parts of a compiled program. Private to program.cc and program_run.cc.
#ifndef XLA_CPU_PROGRAM_IMPL_H_
#define XLA_CPU_PROGRAM_IMPL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
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
  std::string target;  // what the machine code depends on besides the module
  PipelineStatistics pass_statistics;
  cpu::ProgramSchedule schedule;
  cpu::MemoryNumbers memories;
  cpu::LoweredProgram lowered;
  Shape result_shape;
  // The leaves of arguments and result as callers see them.
  std::vector<Shape> argument_leaves, result_leaves;  // the latter with layouts
  // Their strides in the memory of the program.
  std::vector<DimensionVector> argument_strides, result_strides;
  // The number of each leaf's memory in the program. A leaf has another memory for the size of each
  // dynamic dimension.
  std::vector<int32_t> argument_memory, result_memory;
  // By leaf of the result: the leaf of the arguments whose memory it takes if that is donated, or
  // -1. It is computed in place if the schedule has aliases.
  std::vector<int32_t> donors;
  std::vector<char*> constants;
  std::vector<std::unique_ptr<char[]>> copied_constants;  // of other layouts

  // A scratch memory that no run uses. There is one for each of the most runs at the same time.
  struct Arena {
    void* memory = nullptr;
    int64_t bytes = 0;
    std::vector<char*> pointers;  // addresses of arrays, if there are many
  };
  mutable std::mutex mutex;
  mutable std::vector<Arena> arenas;

  ~Impl();
  // Schedules `module`, which the passes have made of `source`.
  absl::Status Schedule(const HloModule& source, const CpuCompileOptions& options);
  // Makes what runs it, of these objects instead of new ones if there are any.
  absl::Status Lower(const CpuCompileOptions& options, std::vector<std::vector<char>> objects);
  int64_t ScratchBytes(int threads) const;
  // Returns the memory of programs that are applied to elements on this many threads.
  int64_t NestedBytes(int threads) const;
  // Takes an unused arena, or a new one, with this many pointers.
  absl::StatusOr<Arena> TakeArena(int threads, size_t pointers) const;
  void GiveArena(Arena arena) const;
  // Sets leaves and memories.
  void SetLeaves(const HloModule& source);
  // Sets the strides: row-major, or those of the entry layout where they became a transpose.
  void SetStrides(const HloModule& source);
  // Sets the donors: aliases of static shapes with the same layout. Results of other layouts are
  // copied anyway.
  void SetDonors(const HloModule& source);
};

// Whether both strides are the same, ignoring dimensions of size 1.
bool SameOrder(const Shape& shape, absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Appends the constants of a schedule as the program reads them, dense and row-major. Those of
// other layouts are copied to `copied_constants`.
void AddDenseConstants(const cpu::ProgramSchedule& schedule, std::vector<char*>& constants,
                       std::vector<std::unique_ptr<char[]>>& copied_constants);

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_IMPL_H_
