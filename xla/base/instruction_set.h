// SPDX-License-Identifier: Apache-2.0
// Bounds on the instructions that programs are compiled to and that kernels use.
//
// A bound belongs to a program: the option xla_cpu_max_isa sets it, and CpuProgram keeps it for its
// runs. Kernels are deep below, behind Highway's dispatch and Fortran's interfaces, which have no
// place for it; so the bound is that of the calling thread while a ScopedMaxInstructionSet lives,
// and pools of threads (xla/runtime) pass it on to their workers.
#ifndef XLA_BASE_INSTRUCTION_SET_H_
#define XLA_BASE_INSTRUCTION_SET_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// Of x86-64; each includes those before it. Other processors have one level, and ignore bounds.
enum class InstructionSet : uint8_t {
  kSse42,       // x86-64-v2
  kAvx,         //
  kAvx2,        // x86-64-v3: with FMA, F16C, BMI2
  kAvx512,      // x86-64-v4: F, BW, CD, DQ, VL
  kAvx512Vnni,  // products of bytes
  kAvx512Bf16,  // products of bfloat16
  kAny,         // whatever the machine has, AMX too
};

// A value of XLA's flag xla_cpu_max_isa, in any case: "SSE4_2", "AVX2"; empty for kAny, as are the
// names of sets beyond the last ("AMX") and of other processors. INVALID_ARGUMENT for others.
absl::StatusOr<InstructionSet> ParseInstructionSet(absl::string_view name);
// The names of the sets up to kAvx512Bf16, for messages: "SSE4_2, AVX, ...".
std::string InstructionSetNames();
// "AVX2"; empty for kAny.
const char* InstructionSetName(InstructionSet set);

// The bound of the calling thread.
InstructionSet MaxInstructionSet();

// Sets the bound of the calling thread until the end of the scope.
class ScopedMaxInstructionSet {
 public:
  explicit ScopedMaxInstructionSet(InstructionSet bound);
  ~ScopedMaxInstructionSet();
  ScopedMaxInstructionSet(const ScopedMaxInstructionSet&) = delete;
  ScopedMaxInstructionSet& operator=(const ScopedMaxInstructionSet&) = delete;

 private:
  const InstructionSet outer_;
};

}  // namespace xla

#endif  // XLA_BASE_INSTRUCTION_SET_H_
