// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/check_lowering.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

using Kind = Lowering::Kind;

absl::Status Wrong(const HloInstruction& instruction, absl::string_view what) {
  return absl::InternalError(absl::StrCat("the lowering of ", instruction.ToShortString(), " ",
                                          LoweringOf(instruction).ToString(), ": ", what));
}

// Returns -1 for tuples and tokens.
int64_t ArrayBytes(const Shape& shape) {
  return shape.IsArray() ? CountOf(shape) * primitive_util::ByteWidth(shape.element_type()) : -1;
}

// The readers of a folded instruction are library kernels that read it as it is folded, or folded
// themselves.
absl::Status CheckFolded(const HloInstruction& instruction) {
  const Lowering& lowering = LoweringOf(instruction);
  if (instruction.IsRoot()) return Wrong(instruction, "it is folded, but a result");
  for (const HloInstruction* user : instruction.users()) {
    const Lowering& reader = LoweringOf(*user);
    if (reader.kind == Kind::kFolded) continue;
    if (reader.kind != Kind::kLibrary && reader.kind != Kind::kFinished)
      return Wrong(instruction, absl::StrCat("it is folded, but ", user->name(), " reads it"));
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) == &instruction && !(reader.OperandAt(i) == lowering.folding)) {
        return Wrong(instruction, absl::StrCat(user->name(), " does not read it as it is folded"));
      }
    }
  }
  return absl::OkStatus();
}

// The contraction has one reader, through reshapes: the fusion that finishes it.
absl::Status CheckFinished(const HloInstruction& contraction) {
  const HloInstruction* reader = &contraction;
  do {
    if (reader->users().size() != 1)
      return Wrong(contraction, "it is finished by a fusion, but is not read once");
    reader = reader->users()[0];
  } while (LoweringOf(*reader).kind == Kind::kForwarded);
  if (LoweringOf(*reader).kind != Kind::kKernel || FinishedContraction(*reader) != &contraction)
    return Wrong(contraction, "its reader does not finish it");
  return absl::OkStatus();
}

// All instructions that depend on elements of the contraction are elementwise.
absl::Status CheckEpilogue(const HloInstruction& fusion) {
  const HloInstruction* contraction = FinishedContraction(fusion);
  if (LoweringOf(*contraction).kind != Kind::kFinished)
    return Wrong(fusion, absl::StrCat(contraction->name(), " is computed for itself"));
  const HloInstruction* element =
      fusion.to_apply()->parameter_instruction(LoweringOf(fusion).epilogue_of);
  for (const HloInstruction* user : element->users()) {
    if (!IsElementwise(*user) || user->shape().dimensions() != element->shape().dimensions())
      return Wrong(fusion, absl::StrCat(user->name(), " is not elementwise"));
  }
  return absl::OkStatus();
}

absl::Status CheckKernel(const HloInstruction& instruction) {
  const Lowering& lowering = LoweringOf(instruction);
  for (const auto& [operand, result] : lowering.may_share) {
    if (ArrayBytes(instruction.operand(operand)->shape()) !=
        ArrayBytes(ResultShape(instruction, result)))
      return Wrong(instruction, absl::StrCat("operand ", operand, " is not as large as result ",
                                             result, ", whose memory it may have"));
  }
  for (size_t r = 0; r < lowering.updated.size(); ++r) {
    const int64_t operand = lowering.updated[r];
    if (!lowering.MayShare(operand, static_cast<int64_t>(r))) {
      return Wrong(instruction,
                   absl::StrCat("operand ", operand, " is updated, but may not have the memory"));
    }
    if (lowering.IsUnused(static_cast<int64_t>(r)))
      return Wrong(instruction, absl::StrCat("result ", r, " is updated, but has no memory"));
  }
  return lowering.epilogue_of < 0 ? absl::OkStatus() : CheckEpilogue(instruction);
}

}  // namespace

absl::Status CheckLowering(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    if (computation->IsFusionComputation()) continue;
    for (const HloInstruction* instruction : computation->instructions()) {
      switch (LoweringOf(*instruction).kind) {
        case Kind::kFolded:
          XLA_RETURN_IF_ERROR(CheckFolded(*instruction));
          break;
        case Kind::kFinished:
          XLA_RETURN_IF_ERROR(CheckFinished(*instruction));
          break;
        case Kind::kKernel:
          XLA_RETURN_IF_ERROR(CheckKernel(*instruction));
          break;
        case Kind::kStructure:
        case Kind::kForwarded:
        case Kind::kLibrary:
          break;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::cpu
