// SPDX-License-Identifier: Apache-2.0
// Simplifications of scatters.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/loop_analysis.h"
#include "xla/passes/negative_zero.h"
#include "xla/passes/pattern.h"
#include "xla/passes/prefix_scan.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using Result = absl::StatusOr<HloInstruction*>;

// Returns the value of a constant, or of one that a loop carries unchanged; null if unknown.
const Literal* ConstantOf(const HloInstruction* instruction) {
  constexpr int kMostLoops = 4;
  for (int i = 0; i < kMostLoops; ++i) {
    if (instruction->opcode() == HloOpcode::kConstant) return &instruction->literal();
    if (instruction->opcode() != HloOpcode::kGetTupleElement ||
        instruction->operand(0)->opcode() != HloOpcode::kParameter) {
      return nullptr;
    }
    const HloComputation* const body = instruction->parent();
    const std::vector<HloInstruction*> callers = body->callers();
    if (callers.size() != 1 || callers[0]->opcode() != HloOpcode::kWhile ||
        callers[0]->while_body() != body) {
      return nullptr;
    }
    const auto element = static_cast<size_t>(instruction->tuple_index());
    const std::vector<bool> invariant = InvariantElements(*callers[0]);
    if (element >= invariant.size() || !invariant[element]) return nullptr;
    instruction = InitialElement(*callers[0], instruction->tuple_index());
    if (instruction == nullptr) return nullptr;
  }
  return nullptr;
}

// Whether all index vectors, [count, numbers] in row-major order, are distinct.
bool AreDistinct(const Literal& indices, int64_t numbers) {
  constexpr int64_t kMostBytes = int64_t{1} << 22;
  const int64_t bytes = numbers * primitive_util::ByteWidth(indices.shape().element_type());
  if (bytes <= 0 || indices.size_bytes() > kMostBytes ||
      primitive_util::BitWidth(indices.shape().element_type()) < 8) {
    return false;
  }
  const char* const data = static_cast<const char*>(indices.untyped_data());
  absl::flat_hash_set<absl::string_view> seen;
  for (int64_t offset = 0; offset < indices.size_bytes(); offset += bytes) {
    if (!seen.insert(absl::string_view(data + offset, static_cast<size_t>(bytes))).second)
      return false;
  }
  return true;
}

// Whether each element of the operand is updated at most once, by an update of one element.
bool UpdatesAreDistinct(const HloInstruction& scatter) {
  const ScatterAttributes& attributes = scatter.attributes<ScatterAttributes>();
  const Shape& indices = scatter.operand(1)->shape();
  if (!attributes.update_window_dims.empty() || !attributes.input_batching_dims.empty() ||
      attributes.index_vector_dim < indices.rank() - 1) {
    return false;
  }
  if (attributes.unique_indices) return true;
  const Literal* const known = ConstantOf(scatter.operand(1));
  return known != nullptr &&
         AreDistinct(*known, static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size()));
}

// Whether the instruction adds updates to an array of zeros and has no other reader.
bool AddsUpInZeros(const HloInstruction& scatter) {
  if (scatter.opcode() != HloOpcode::kScatter || scatter.operand_count() != 3 ||
      scatter.user_count() != 1 || scatter.IsRoot() || !IsPlain(scatter) ||
      primitive_util::IsComplexType(scatter.shape().element_type())) {
    return false;
  }
  return absl::c_all_of(
             scatter.operands(),
             [](const HloInstruction* operand) { return operand->shape().is_static(); }) &&
         Match(scatter.mutable_operand(0), m::Splat(0)) &&
         OperationOfReducer(*scatter.to_apply()) == HloOpcode::kAdd;
}

// x + scatter(zeros, indices, updates) that adds: scatter(x + 0, indices, updates). Several updates
// of one element would be summed in another order, which only integers allow. Adding zero turns -0
// into 0, as the sum did.
Result SumWithScatter(HloInstruction* add, Rewriter& rewriter) {
  const int64_t summand = AddsUpInZeros(*add->operand(1)) ? 1 : 0;
  HloInstruction* const scatter = add->operand(summand);
  HloInstruction* x = add->operand(1 - summand);
  if (!AddsUpInZeros(*scatter) || !x->shape().is_static() ||
      ShapeUtil::ElementsIn(scatter->operand(2)->shape()) > ShapeUtil::ElementsIn(add->shape())) {
    return nullptr;
  }
  const PrimitiveType type = add->shape().element_type();
  if (primitive_util::IsFloatingPointType(type) && !UpdatesAreDistinct(*scatter)) return nullptr;
  x = PlusZero(x, rewriter);
  HloComputation* combine = scatter->to_apply();
  return rewriter.Create(HloOpcode::kScatter, add->shape(),
                         {x, scatter->operand(1), scatter->operand(2)}, scatter->attributes(),
                         {&combine, 1});
}

// The dimensions of a scatter's indices that correspond to those of the array which a mask goes
// along; nullopt unless all are batches, each of which scatters to its own part of the array.
std::optional<std::vector<int64_t>> BatchesOf(const HloInstruction& scatter,
                                              const HloInstruction& mask) {
  const auto& attributes = scatter.attributes<ScatterAttributes>();
  std::vector<int64_t> batches;
  for (const int64_t d : mask.dimensions()) {
    const auto found = absl::c_find(attributes.input_batching_dims, d);
    if (found == attributes.input_batching_dims.end()) return std::nullopt;
    batches.push_back(attributes.scatter_indices_batching_dims[static_cast<size_t>(
        found - attributes.input_batching_dims.begin())]);
  }
  if (!absl::c_is_sorted(batches)) return std::nullopt;
  return batches;
}

// The scatters of little, one after the other, that make the value from the array, last first,
// where nothing else reads what they make, and indices of each may be masked. Empty for others.
std::vector<HloInstruction*> ScattersTo(HloInstruction* value, const HloInstruction* array,
                                        const HloInstruction& mask) {
  constexpr int64_t kLeastRatio = 4;
  constexpr size_t kMostScatters = 16;
  std::vector<HloInstruction*> scatters;
  for (; value != array; value = value->operand(0)) {
    if (value->opcode() != HloOpcode::kScatter || value->operand_count() != 3 ||
        value->user_count() != 1 || value->IsRoot() || scatters.size() == kMostScatters ||
        !absl::c_all_of(value->operands(),
                        [](const HloInstruction* o) { return o->shape().is_static(); }) ||
        value->attributes<ScatterAttributes>().scatter_dims_to_operand_dims.empty() ||
        kLeastRatio * ShapeUtil::ElementsIn(value->operand(2)->shape()) >
            ShapeUtil::ElementsIn(value->shape()) ||
        !BatchesOf(*value, mask).has_value()) {
      return {};
    }
    // The largest number of a narrow type may be inside.
    const PrimitiveType type = value->operand(1)->shape().element_type();
    if (primitive_util::IsUnsignedIntegralType(type) && primitive_util::BitWidth(type) < 32)
      return {};
    scatters.push_back(value);
  }
  return scatters;
}

// select(p, scatter(x, indices, updates), x), where p has a value for each batch of indices, or one
// for all, as mapped conditionals have it: indices that are not chosen lie outside of the array,
// where updates have no effect, so that the array can be updated in place. Several scatters alike.
Result SelectOfScatter(HloInstruction* select, Rewriter& rewriter) {
  HloInstruction* const mask = select->operand(0);
  HloInstruction *const on_true = select->operand(1), *const on_false = select->operand(2);
  if (mask->opcode() != HloOpcode::kBroadcast) return nullptr;
  std::vector<HloInstruction*> scatters = ScattersTo(on_true, on_false, *mask);
  const bool is_true = !scatters.empty();
  if (!is_true) scatters = ScattersTo(on_false, on_true, *mask);
  if (scatters.empty()) return nullptr;
  HloInstruction* value = is_true ? on_false : on_true;
  for (auto it = scatters.rbegin(); it != scatters.rend(); ++it) {
    HloInstruction* const scatter = *it;
    HloInstruction* const indices = scatter->operand(1);
    const PrimitiveType type = indices->shape().element_type();
    HloInstruction* const outside = rewriter.Create(
        HloOpcode::kBroadcast, indices->shape(),
        {rewriter.Constant(primitive_util::IsUnsignedIntegralType(type)
                               ? LiteralUtil::MaxValue(type)
                               : *LiteralUtil::CreateR0<int64_t>(-1).Convert(type))});
    HloInstruction* const chosen =
        rewriter.Create(HloOpcode::kBroadcast, Shape(PRED, indices->shape().dimensions()),
                        {mask->operand(0)}, DimensionListAttributes{*BatchesOf(*scatter, *mask)});
    HloInstruction* const places =
        rewriter.Create(HloOpcode::kSelect, indices->shape(),
                        {chosen, is_true ? indices : outside, is_true ? outside : indices});
    ScatterAttributes attributes = scatter->attributes<ScatterAttributes>();
    attributes.indices_are_sorted = false;
    HloComputation* combine = scatter->to_apply();
    value =
        rewriter.Create(HloOpcode::kScatter, scatter->shape(), {value, places, scatter->operand(2)},
                        std::move(attributes), {&combine, 1});
  }
  return value;
}

constexpr RewriteRule kScatterRules[] = {
    {"select-of-scatter", HloOpcode::kSelect, &SelectOfScatter},
    {"sum-with-scatter", HloOpcode::kAdd, &SumWithScatter},
};

}  // namespace

absl::Span<const RewriteRule> ScatterSimplifications() { return kScatterRules; }

}  // namespace xla
