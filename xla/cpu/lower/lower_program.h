// SPDX-License-Identifier: Apache-2.0
// Lowers a scheduled program to thunks: kernels are generated, equal ones once, and compiled in
// parallel.
#ifndef XLA_CPU_LOWER_LOWER_PROGRAM_H_
#define XLA_CPU_LOWER_LOWER_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/cpu/codegen/native_code.h"
#include "xla/cpu/codegen/target.h"
#include "xla/cpu/lower/loop_plan.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/program.h"
#include "xla/cpu/run/nested_program.h"
#include "xla/cpu/run/thunk.h"
#include "xla/kernels/kernel.h"

namespace xla::cpu {

// The numbering of memories of a run in slots: the scratch memory, then arguments, results,
// constants.
struct MemoryNumbers {
  int32_t arguments = 0, results = 0;
  Slot SlotOf(const BufferSlice& slice) const;
  int32_t constants_begin() const { return 1 + arguments + results; }
};

struct LoweredProgram {
  ThunkSequence thunks;
  std::vector<std::unique_ptr<NativeCode>> code;
  LoopPlans loops;  // of the schedule
  std::vector<CpuProgram::KernelReport> kernels;
  std::string llvm_text, assembly_text;
  std::vector<std::vector<char>> objects;
  // Library kernels, whose scratch memory is needed beyond that of the schedule.
  std::vector<const kernels::Kernel*> prepared;
  // The instructions whose kernels were chosen from several forms.
  struct ChosenKernel {
    const HloInstruction* instruction;
    kernels::KernelEpilogue epilogue;
  };
  std::vector<ChosenKernel> chosen;
  // The programs that code applies to elements (nested_computation.h), by number. Their constants
  // are left to the caller.
  std::vector<std::unique_ptr<NestedProgram>> nested;
};

// Returns CANCELLED if the caller has cancelled the compilation.
absl::Status PollCompilation(const CpuCompileOptions& options);

// With `objects`, which LowerProgram has made of the same schedule, nothing is compiled: INTERNAL
// if functions are missing in them.
absl::StatusOr<LoweredProgram> LowerProgram(const ProgramSchedule& schedule,
                                            const MemoryNumbers& memories,
                                            const CpuCompileOptions& options,
                                            std::vector<std::vector<char>> objects = {});

// What LowerProgram generates, for any machine: a line for each kernel and each function that says
// how its work is divided, and the LLVM IR of all of them. Nothing is compiled.
struct GeneratedProgram {
  std::vector<std::string> plans;
  std::string llvm_text;
};
absl::StatusOr<GeneratedProgram> GenerateProgram(const ProgramSchedule& schedule,
                                                 const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_LOWER_PROGRAM_H_
