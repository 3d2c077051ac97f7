// SPDX-License-Identifier: Apache-2.0
// How instructions of a fused module are computed: decided once, by the pass assign-lowering
// (assign_lowering.h), and read by all later stages. A lowering is data on the instruction, printed
// as its backend configuration.
#ifndef XLA_CPU_PLAN_LOWERING_H_
#define XLA_CPU_PLAN_LOWERING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// How an operand of a library kernel is read.
struct FoldedOperand {
  enum class Kind : uint8_t {
    kNone,        // from memory
    kTransposed,  // the operand of a transpose, by its strides
    kScaled,      // the array of a product with a constant, by the kernel
    kIndex,       // not read: the index along the sorted dimension
  };
  Kind kind = Kind::kNone;
  double scale = 1;  // of kScaled
  bool operator==(const FoldedOperand&) const = default;
};

struct Lowering final : public BackendDecision {
  enum class Kind : uint8_t {
    kStructure,  // parameters, constants, tuples, calls, loops, conditionals: by the opcode
    kForwarded,  // the value of an operand, without code
    kFolded,     // computed by the library kernels that read it
    kFinished,   // computed by the fusion that finishes its results
    kKernel,     // generated code: a fusion, or a select-and-scatter
    kLibrary,    // a prepared kernel or a function of the runtime
  };
  static std::string_view KindName(Kind kind);

  Kind kind = Kind::kStructure;

  // kForwarded, kFolded: the operand whose memory is read; -1 if there is none.
  int64_t forwards = -1;
  // kFolded: how its readers read it.
  FoldedOperand folding;

  // kKernel: the name of its strategy (kernel/strategies.h).
  std::string strategy;
  // The operand whose elements a contraction passes to the kernel block by block; -1 if there is
  // none.
  int64_t epilogue_of = -1;
  // Operands that are updated in place: result r takes the memory of operand [r].
  std::vector<int64_t> updated;
  // Pairs of an operand and a result that may be in the same memory, ascending.
  std::vector<std::pair<int64_t, int64_t>> may_share;

  // kLibrary: the name of the kernel or function.
  std::string library;
  std::vector<FoldedOperand> operands;
  bool needs_comparator = false;  // a sort whose comparator is generated code

  // kKernel, kLibrary: results that nothing reads and that need no memory, ascending.
  std::vector<int64_t> unused;

  // How a library kernel reads an operand.
  FoldedOperand OperandAt(int64_t operand) const;
  bool IsUnused(int64_t result) const;
  bool MayShare(int64_t operand, int64_t result) const;
  // Whether the instruction takes no time and no memory of its own.
  bool IsFree() const;

  // Returns {"lowering":{...}}, without fields that have their default; empty for kStructure.
  std::string ToString() const override;
  bool operator==(const Lowering& other) const;
};

// Returns the lowering of an instruction; kStructure if it has none.
const Lowering& LoweringOf(const HloInstruction& instruction);

// Parses what ToString returns. INVALID_ARGUMENT, naming the field, for anything else.
absl::StatusOr<Lowering> ParseLowering(std::string_view text);

// Returns the texts of all lowerings of a module: of its computations, and their instructions, in
// the order of their names. SetLowerings gives them to a copy of the module: INVALID_ARGUMENT if
// their number differs, or for a text that is none, or refers to operands that an instruction does
// not have.
std::vector<std::string> LoweringTexts(const HloModule& module);
absl::Status SetLowerings(absl::Span<const std::string> texts, HloModule* module);

// Returns the contraction that a kernel finishes; null if there is none.
const HloInstruction* FinishedContraction(const HloInstruction& fusion);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_LOWERING_H_
