// SPDX-License-Identifier: Apache-2.0
// Instructions that kernels of the library read through, or compute instead of generated code.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/cpu/elementwise.h"
#include "xla/cpu/fusion.h"
#include "xla/cpu/kernel_emitter.h"
#include "xla/cpu/sort_order.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// The operand that is a number in all elements: a broadcast of a scalar constant; -1 if none is.
int SplatOperand(const HloInstruction& multiply) {
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& operand = *multiply.operand(i);
    if (operand.opcode() == HloOpcode::kBroadcast && operand.operand(0)->shape().rank() == 0 &&
        SplatValue(operand).has_value()) {
      return i;
    }
  }
  return -1;
}

bool ReadsThroughScale(const HloInstruction& user, const HloInstruction& view) {
  if (user.opcode() == HloOpcode::kDot && !IsSmallProduct(user))
    return user.operand(0)->shape().element_type() == user.operand(1)->shape().element_type();
  return user.opcode() == HloOpcode::kConvolution && user.operand(0) != &view;
}

// Whether sums of the contraction are formed in the type of its result.
bool SumsInOwnType(const HloInstruction& contraction) {
  const PrimitiveType result = contraction.shape().element_type();
  for (const HloInstruction* operand : contraction.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    const bool is_narrow = primitive_util::BitWidth(type) <= primitive_util::BitWidth(result);
    const bool is_alike = result == F32 || result == F64 ? primitive_util::IsFloatingPointType(type)
                                                         : primitive_util::IsIntegralType(type);
    if (!is_narrow || !is_alike) return false;
  }
  return result == F32 || result == F64 || result == S32 || result == U32;
}

bool HasControlDependencies(const HloInstruction& instruction) {
  return !instruction.control_predecessors().empty() || !instruction.control_successors().empty();
}

// Whether an epilogue may finish the results of the instruction.
bool TakesEpilogue(const HloInstruction& instruction) {
  if (HasControlDependencies(instruction) || instruction.IsRoot()) return false;
  if (instruction.opcode() == HloOpcode::kDot)
    return !IsSmallProduct(instruction) && SumsInOwnType(instruction);
  if (instruction.opcode() != HloOpcode::kConvolution ||
      !instruction.operand(1)->shape().IsArray() || !SumsInOwnType(instruction)) {
    return false;
  }
  // Those with base dilation are computed in parts.
  const auto& dims = instruction.attributes<ConvolutionAttributes>().window.dims;
  return std::all_of(dims.begin(), dims.end(),
                     [](const WindowDim& dim) { return dim.base_dilation == 1; });
}

// What is read through reshapes that nothing else reads; null if there is something else.
const HloInstruction* ThroughReshapes(const HloInstruction* instruction) {
  while (instruction->users().size() == 1 && !instruction->IsRoot() &&
         !HasControlDependencies(*instruction)) {
    const bool is_view =
        (instruction->opcode() == HloOpcode::kReshape ||
         instruction->opcode() == HloOpcode::kBitcast) &&
        instruction->operand(0)->shape().element_type() == instruction->shape().element_type();
    if (!is_view) return instruction;
    instruction = instruction->operand(0);
  }
  return nullptr;
}

// Whether the fusion is elementwise in the parameter, and cheap in what else it reads.
bool FinishesElements(const HloComputation& fusion, const HloInstruction* parameter) {
  const HloInstruction* root = fusion.root_instruction();
  absl::flat_hash_set<const HloInstruction*> reached = {parameter};
  for (const HloInstruction* instruction : fusion.MakeInstructionPostOrder()) {
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
        continue;
      default:
        break;
    }
    const auto& operands = instruction->operands();
    const bool depends = std::any_of(operands.begin(), operands.end(),
                                     [&](const HloInstruction* o) { return reached.contains(o); });
    if (depends) {
      if (!IsElementwise(*instruction) ||
          instruction->shape().dimensions() != parameter->shape().dimensions()) {
        return false;
      }
      reached.insert(instruction);
      continue;
    }
    switch (instruction->opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
      case HloOpcode::kIota:
      case HloOpcode::kSlice:
        break;
      default:
        if (!IsElementwise(*instruction)) return false;
    }
  }
  return reached.contains(root);
}

}  // namespace

int64_t ContractionOperand(const HloInstruction& fusion) {
  if (fusion.opcode() != HloOpcode::kFusion || !fusion.shape().IsArray() ||
      fusion.to_apply()->root_instruction()->opcode() == HloOpcode::kParameter) {
    return -1;
  }
  for (int64_t i = 0; i < fusion.operand_count(); ++i) {
    if (!fusion.operand(i)->shape().IsArray()) continue;
    const HloInstruction* contraction = ThroughReshapes(fusion.operand(i));
    if (contraction != nullptr && TakesEpilogue(*contraction) &&
        FinishesElements(*fusion.to_apply(), fusion.to_apply()->parameter_instruction(i))) {
      return i;
    }
  }
  return -1;
}

const HloInstruction* FusedContraction(const HloInstruction& fusion) {
  const int64_t operand = ContractionOperand(fusion);
  return operand < 0 ? nullptr : ThroughReshapes(fusion.operand(operand));
}

bool IsFusedContraction(const HloInstruction& contraction) {
  if (contraction.opcode() != HloOpcode::kDot && contraction.opcode() != HloOpcode::kConvolution)
    return false;
  const HloInstruction* user = &contraction;
  while (user->users().size() == 1 && user->opcode() != HloOpcode::kFusion) user = user->users()[0];
  return FusedContraction(*user) == &contraction;
}

bool IsScaledView(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kMultiply || instruction.IsRoot() ||
      instruction.users().empty() || !instruction.control_predecessors().empty() ||
      !instruction.control_successors().empty()) {
    return false;
  }
  const PrimitiveType type = instruction.shape().element_type();
  if (type != F32 && type != F64) return false;
  for (const HloInstruction* user : instruction.users()) {
    if (!ReadsThroughScale(*user, instruction)) return false;
  }
  const int splat = SplatOperand(instruction);
  // What is computed anyway may as well be multiplied where it is computed.
  if (splat < 0) return false;
  const HloInstruction* array = instruction.operand(1 - splat);
  while (array->opcode() == HloOpcode::kReshape || array->opcode() == HloOpcode::kBitcast ||
         array->opcode() == HloOpcode::kGetTupleElement) {
    array = array->operand(0);
  }
  return array->opcode() == HloOpcode::kParameter;
}

const HloInstruction* ScaledArray(const HloInstruction& view) {
  return view.operand(1 - SplatOperand(view));
}

double ScaleOf(const HloInstruction& view) {
  return *SplatValue(*view.operand(SplatOperand(view)));
}

bool IsScaleOfViews(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kBroadcast || instruction.IsRoot() ||
      instruction.users().empty() || !instruction.control_predecessors().empty() ||
      !instruction.control_successors().empty()) {
    return false;
  }
  return std::all_of(instruction.users().begin(), instruction.users().end(),
                     [&](const HloInstruction* user) {
                       return IsScaledView(*user) && ScaledArray(*user) != &instruction;
                     });
}

bool IsSmallProduct(const HloInstruction& dot) {
  // To call a library kernel, or to prepare it for another product, takes longer than so many
  // multiplications. Short sums are formed sooner than matrices are copied, whatever their sizes.
  constexpr double kFewMultiplications = 1024, kFewStrided = 256;
  constexpr double kSomeMultiplications = 1 << 22;
  constexpr int64_t kSmall = 16, kShort = 8, kTiny = 4, kPair = 2, kManyProducts = 64,
                    kFewResults = 32;
  if (dot.opcode() != HloOpcode::kDot) return false;
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const PrimitiveType type = dot.shape().element_type();
  if (type == PRED || lhs.element_type() != rhs.element_type() || !lhs.is_static() ||
      !rhs.is_static() || rhs.rank() == 0) {
    return false;
  }
  const auto& dims = dot.attributes<DotAttributes>();
  const auto is_listed = [](const std::vector<int64_t>& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  int64_t products = 1, depth = 1, rows = 1, columns = 1;
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    const int64_t size = lhs.dimensions(static_cast<int>(d));
    (is_listed(dims.lhs_batch_dims, d)         ? products
     : is_listed(dims.lhs_contracting_dims, d) ? depth
                                               : rows) *= size;
  }
  const auto is_column = [&](int64_t d) {
    return !is_listed(dims.rhs_batch_dims, d) && !is_listed(dims.rhs_contracting_dims, d);
  };
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (is_column(d)) columns *= rhs.dimensions(static_cast<int>(d));
  }
  if (depth == 0) return false;
  const auto multiplications = static_cast<double>(products) * static_cast<double>(rows) *
                               static_cast<double>(columns) * static_cast<double>(depth);
  const bool is_tiny = depth <= kTiny && columns <= kSmall;
  const bool is_small = depth <= kSmall && columns <= kSmall && rows <= kSmall;
  // Vectors of the right-hand side are contiguous, or put together from single elements.
  if (is_column(rhs.rank() - 1)) {
    return depth <= kShort || multiplications <= kFewMultiplications ||
           (depth <= kSmall && multiplications <= kSomeMultiplications);
  }
  const bool fills_vectors = (columns & (columns - 1)) == 0 && columns < kSmall;
  return depth <= kPair || multiplications <= kFewStrided ||
         (is_tiny &&
          (rows <= kSmall || (fills_vectors && (products == 1 || products >= kManyProducts)))) ||
         (is_small && products >= kManyProducts && rows * columns <= kFewResults);
}

bool IsUnusedResult(const HloInstruction& instruction, int64_t result) {
  if (instruction.IsRoot() || !instruction.shape().IsTuple() || instruction.users().empty())
    return false;
  switch (instruction.opcode()) {
    case HloOpcode::kSort:
      if (!RecognizeOrder(*instruction.to_apply()).has_value()) return false;
      break;
    case HloOpcode::kFusion: {
      const HloInstruction* root = instruction.to_apply()->root_instruction();
      if (!UpdatedOperands(instruction).empty() ||
          (root->opcode() == HloOpcode::kReduce && IsColumnReduction(*root))) {
        return false;
      }
      break;
    }
    default:
      return false;
  }
  return std::all_of(
      instruction.users().begin(), instruction.users().end(), [&](const HloInstruction* user) {
        return user->opcode() == HloOpcode::kGetTupleElement && user->tuple_index() != result;
      });
}

}  // namespace xla::cpu
