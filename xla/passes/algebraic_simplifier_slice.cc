// SPDX-License-Identifier: Apache-2.0
// Simplifications of slices, concatenations, transposes that are reshapes, and dynamic slices with
// constant starts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/literal_util.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using Result = absl::StatusOr<HloInstruction*>;

// slice(slice(x))
Result SliceTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction *x, *inner;
  if (!Match(outer, m::Slice(m::Slice(Any(&x)).As(&inner))) || !x->shape().is_static())
    return nullptr;
  std::vector<SliceDim> slice = outer->attributes<SliceAttributes>().slice;
  const std::vector<SliceDim>& first = inner->attributes<SliceAttributes>().slice;
  for (size_t d = 0; d < slice.size(); ++d) {
    const int64_t size = outer->shape().dimensions(static_cast<int>(d));
    const int64_t stride = slice[d].stride * first[d].stride;
    const int64_t start = first[d].start + slice[d].start * first[d].stride;
    const int64_t limit = size == 0 ? start : start + (size - 1) * stride + 1;
    slice[d] = {start, limit, stride};
  }
  return rewriter.Create(HloOpcode::kSlice, outer->shape(), {x},
                         SliceAttributes{.slice = std::move(slice)});
}

// slice(concatenate(..)) that lies within one operand
Result SliceOfConcatenate(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* concatenate = slice->operand(0);
  if (concatenate->opcode() != HloOpcode::kConcatenate || !concatenate->shape().is_static() ||
      ShapeUtil::ElementsIn(slice->shape()) == 0) {
    return nullptr;
  }
  const int64_t d = concatenate->dimensions()[0];
  std::vector<SliceDim> dims = slice->attributes<SliceAttributes>().slice;
  const int64_t last =
      dims[d].start + (slice->shape().dimensions(static_cast<int>(d)) - 1) * dims[d].stride;
  int64_t begin = 0;
  for (HloInstruction* operand : concatenate->operands()) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    if (dims[d].start < begin + size) {
      if (last >= begin + size) return nullptr;
      dims[d].start -= begin;
      dims[d].limit = last - begin + 1;
      return rewriter.Create(HloOpcode::kSlice, slice->shape(), {operand},
                             SliceAttributes{.slice = std::move(dims)});
    }
    begin += size;
  }
  return nullptr;
}

// Returns the number of minor dimensions that are the same before and after a reshape.
int64_t CommonMinorDimensions(const Shape& a, const Shape& b) {
  int64_t count = 0;
  while (count < std::min(a.rank(), b.rank()) &&
         a.dimensions(static_cast<int>(a.rank() - 1 - count)) ==
             b.dimensions(static_cast<int>(b.rank() - 1 - count))) {
    ++count;
  }
  return count;
}

SliceDim Whole(int64_t size) { return {0, size, 1}; }

// Returns the slice of a transpose's operand that corresponds to `slice` of its result.
std::vector<SliceDim> BeforeTranspose(const HloInstruction& transpose,
                                      const std::vector<SliceDim>& slice) {
  std::vector<SliceDim> result(slice.size());
  for (size_t d = 0; d < slice.size(); ++d)
    result[static_cast<size_t>(transpose.dimensions()[d])] = slice[d];
  return result;
}

// Returns the slice of a reshape's operand that corresponds to `slice` in the minor dimensions that
// the reshape keeps, and is whole in the others.
std::vector<SliceDim> BeforeReshape(const HloInstruction& reshape,
                                    const std::vector<SliceDim>& slice) {
  const Shape& shape = reshape.operand(0)->shape();
  const int64_t common = CommonMinorDimensions(shape, reshape.shape());
  std::vector<SliceDim> result;
  for (const int64_t size : shape.dimensions()) result.push_back(Whole(size));
  for (int64_t i = 1; i <= common; ++i) result[result.size() - i] = slice[slice.size() - i];
  return result;
}

// Whether the slice of the instruction is an operand of a concatenation, or elementwise operations
// on operands of concatenations and on other values, perhaps transposed or reshaped.
bool TakesOperandOfConcatenation(const HloInstruction& instruction,
                                 const std::vector<SliceDim>& slice, int depth) {
  constexpr int kDeepest = 4;
  if (instruction.opcode() == HloOpcode::kConcatenate) {
    const int64_t d = instruction.dimensions()[0];
    int64_t begin = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      const int64_t end = begin + operand->shape().dimensions(static_cast<int>(d));
      if (slice[static_cast<size_t>(d)].start == begin &&
          slice[static_cast<size_t>(d)].limit == end) {
        return true;
      }
      begin = end;
    }
    return false;
  }
  if (depth == kDeepest || !instruction.shape().is_static()) return false;
  if (instruction.opcode() == HloOpcode::kTranspose) {
    return TakesOperandOfConcatenation(*instruction.operand(0), BeforeTranspose(instruction, slice),
                                       depth + 1);
  }
  if (instruction.opcode() == HloOpcode::kReshape) {
    return instruction.operand(0)->shape().is_static() &&
           TakesOperandOfConcatenation(*instruction.operand(0), BeforeReshape(instruction, slice),
                                       depth + 1);
  }
  return IsPlainElementwise(instruction) &&
         absl::c_any_of(instruction.operands(), [&](const HloInstruction* operand) {
           return operand->shape().dimensions() == instruction.shape().dimensions() &&
                  TakesOperandOfConcatenation(*operand, slice, depth + 1);
         });
}

// slice(transpose(..concatenate(..)..)): a transpose of a slice.
Result SliceOfTranspose(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* const transpose = slice->operand(0);
  const SliceAttributes& attributes = slice->attributes<SliceAttributes>();
  if (transpose->opcode() != HloOpcode::kTranspose || !IsPlain(*transpose) ||
      transpose->user_count() != 1 || transpose->IsRoot() || !transpose->shape().is_static() ||
      !TakesOperandOfConcatenation(*transpose, attributes.slice, 0)) {
    return nullptr;
  }
  std::vector<int64_t> sizes(transpose->dimensions().size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    sizes[static_cast<size_t>(transpose->dimensions()[d])] =
        slice->shape().dimensions(static_cast<int>(d));
  }
  HloInstruction* const taken =
      rewriter.Create(HloOpcode::kSlice, ShapeUtil::MakeShape(slice->shape().element_type(), sizes),
                      {transpose->operand(0)},
                      SliceAttributes{.slice = BeforeTranspose(*transpose, attributes.slice)});
  return rewriter.Create(HloOpcode::kTranspose, slice->shape(), {taken}, transpose->attributes());
}

int64_t SizeOf(const SliceDim& slice) {
  return slice.limit <= slice.start ? 0 : (slice.limit - slice.start - 1) / slice.stride + 1;
}

// slice(reshape(..concatenate(..)..)): slices the dimensions that the reshape keeps before it, and
// the others after it.
Result SliceOfReshape(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* const reshape = slice->operand(0);
  const SliceAttributes& attributes = slice->attributes<SliceAttributes>();
  if (reshape->opcode() != HloOpcode::kReshape || !IsPlain(*reshape) ||
      reshape->user_count() != 1 || reshape->IsRoot() || !reshape->shape().is_static() ||
      !reshape->operand(0)->shape().is_static() ||
      !TakesOperandOfConcatenation(*reshape, attributes.slice, 0)) {
    return nullptr;
  }
  const Shape& before = reshape->operand(0)->shape();
  const int64_t common = CommonMinorDimensions(before, reshape->shape());
  std::vector<SliceDim> taken = BeforeReshape(*reshape, attributes.slice);
  std::vector<SliceDim> rest = attributes.slice;
  std::vector<int64_t> taken_sizes,
      reshaped_sizes(reshape->shape().dimensions().begin(), reshape->shape().dimensions().end());
  for (const SliceDim& d : taken) taken_sizes.push_back(SizeOf(d));
  for (int64_t i = 1; i <= common; ++i) {
    const int64_t size = taken_sizes[taken_sizes.size() - i];
    reshaped_sizes[reshaped_sizes.size() - i] = size;
    rest[rest.size() - i] = Whole(size);
  }
  const PrimitiveType type = slice->shape().element_type();
  HloInstruction* const inner =
      rewriter.Create(HloOpcode::kSlice, ShapeUtil::MakeShape(type, taken_sizes),
                      {reshape->operand(0)}, SliceAttributes{.slice = std::move(taken)});
  HloInstruction* const reshaped =
      rewriter.Create(HloOpcode::kReshape, ShapeUtil::MakeShape(type, reshaped_sizes), {inner});
  return rewriter.Create(HloOpcode::kSlice, slice->shape(), {reshaped},
                         SliceAttributes{.slice = std::move(rest)});
}

// slice(f(x, concatenate(..))), if only slices read f(..): f of slices. Elements that several
// slices share are recomputed.
Result SliceOfElementwise(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* const whole = slice->operand(0);
  const SliceAttributes& attributes = slice->attributes<SliceAttributes>();
  // A function of what is taken, rather than what is taken of a function: short rows are taken
  // apart before the function, which has vectors then.
  const bool is_function = whole->operand_count() == 1 && whole->user_count() == 1 &&
                           whole->info().cost == CostClass::kTranscendental;
  if (!IsPlainElementwise(*whole) || !whole->shape().is_static() || whole->IsRoot() ||
      (!is_function && !TakesOperandOfConcatenation(*whole, attributes.slice, 0))) {
    return nullptr;
  }
  int64_t elements = 0;
  for (const HloInstruction* user : whole->users()) {
    if (user->opcode() != HloOpcode::kSlice) return nullptr;
    elements += ShapeUtil::ElementsIn(user->shape());
  }
  if (elements > ShapeUtil::ElementsIn(whole->shape())) return nullptr;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : whole->operands()) {
    if (operand->shape().rank() == 0 && whole->shape().rank() != 0) {
      operands.push_back(operand);  // of select or clamp
      continue;
    }
    Shape shape = slice->shape();
    shape.set_element_type(operand->shape().element_type());
    operands.push_back(rewriter.Create(HloOpcode::kSlice, shape, {operand}, attributes));
  }
  return rewriter.Create(whole->opcode(), slice->shape(), operands, whole->attributes());
}

// f(concatenate(a, b), concatenate(c, d), splat): concatenate(f(a, c, splat), f(b, d, splat)), so
// that concatenations come last, where they are written part by part.
Result ElementwiseOfConcatenations(HloInstruction* whole, Rewriter& rewriter) {
  constexpr int64_t kMostOperands = 8;
  if (!IsPlainElementwise(*whole) || !whole->shape().IsArray() || !whole->shape().is_static())
    return nullptr;
  const HloInstruction* first = nullptr;
  for (const HloInstruction* operand : whole->operands()) {
    if (IsSplat(*operand)) continue;
    if (operand->opcode() != HloOpcode::kConcatenate || operand->user_count() != 1 ||
        operand->operand_count() > kMostOperands ||
        absl::c_count(whole->operands(), operand) != 1) {
      return nullptr;
    }
    if (first == nullptr) first = operand;
    if (operand->operand_count() != first->operand_count() ||
        operand->dimensions() != first->dimensions()) {
      return nullptr;
    }
    for (int64_t i = 0; i < first->operand_count(); ++i) {
      if (operand->operand(i)->shape().dimensions() != first->operand(i)->shape().dimensions())
        return nullptr;
    }
  }
  if (first == nullptr) return nullptr;
  std::vector<HloInstruction*> parts;
  for (int64_t i = 0; i < first->operand_count(); ++i) {
    const auto with_type = [&](PrimitiveType type) {
      Shape shape = first->operand(i)->shape();
      shape.set_element_type(type);
      return shape;
    };
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : whole->operands()) {
      operands.push_back(IsSplat(*operand) ? rewriter.SplatIn(first->operand(i)->shape(), operand)
                                           : operand->mutable_operand(i));
    }
    parts.push_back(rewriter.Create(whole->opcode(), with_type(whole->shape().element_type()),
                                    operands, whole->attributes()));
  }
  return rewriter.Create(HloOpcode::kConcatenate, whole->shape(), parts, first->attributes());
}

// The most operands of a merged concatenation. Chains of any length take linear time.
constexpr size_t kMaxOperands = 128;

// concatenate(a, concatenate(b, c)) along one dimension; operands without elements are omitted. A
// concatenation that is an operand twice, or has other users, is computed once.
Result ConcatenateOfConcatenate(HloInstruction* outer, Rewriter& rewriter) {
  if (!outer->shape().is_static()) return nullptr;
  const int64_t d = outer->dimensions()[0];
  std::vector<HloInstruction*> operands;
  bool changed = false;
  for (HloInstruction* operand : outer->operands()) {
    if (!operand->shape().is_static()) return nullptr;
    if (operand->opcode() == HloOpcode::kConcatenate && operand->dimensions()[0] == d &&
        operand->user_count() == 1 && absl::c_count(outer->operands(), operand) == 1 &&
        operands.size() + static_cast<size_t>(operand->operand_count()) <= kMaxOperands) {
      operands.insert(operands.end(), operand->operands().begin(), operand->operands().end());
      changed = true;
    } else if (operand->shape().dimensions(static_cast<int>(d)) == 0) {
      changed = true;
    } else {
      operands.push_back(operand);
    }
  }
  if (!changed || operands.empty()) return nullptr;
  return rewriter.Create(HloOpcode::kConcatenate, outer->shape(), operands, outer->attributes());
}

// A transpose that only moves dimensions of size 1 is a reshape.
Result TransposeThatIsReshape(HloInstruction* transpose, Rewriter& rewriter) {
  if (!transpose->shape().is_static()) return nullptr;
  int64_t last = -1;
  for (int64_t d = 0; d < transpose->shape().rank(); ++d) {
    if (transpose->shape().dimensions(static_cast<int>(d)) == 1) continue;
    if (transpose->dimensions()[d] < last) return nullptr;
    last = transpose->dimensions()[d];
  }
  return rewriter.Create(HloOpcode::kReshape, transpose->shape(), {transpose->operand(0)});
}

// Returns the clamped starts of a dynamic-slice or dynamic-update-slice; nullopt if one is not
// constant.
std::optional<std::vector<int64_t>> KnownStarts(const HloInstruction& instruction, int64_t first,
                                                const Shape& operand, const Shape& window) {
  std::vector<int64_t> starts;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const HloInstruction* index = instruction.operand(first + d);
    if (index->shape().rank() != 0) return std::nullopt;
    const int64_t room =
        operand.dimensions(static_cast<int>(d)) - window.dimensions(static_cast<int>(d));
    // If the window fills the dimension, any start is clamped to 0.
    if (room == 0) {
      starts.push_back(0);
      continue;
    }
    if (index->opcode() != HloOpcode::kConstant) return std::nullopt;
    const std::optional<int64_t> start = index->literal().GetIntegralAsS64({});
    if (!start.has_value()) return std::nullopt;
    // Unsigned numbers beyond the range of signed ones are returned as negative numbers.
    const bool is_beyond = index->shape().element_type() == U64 && *start < 0;
    starts.push_back(is_beyond ? room : std::clamp<int64_t>(*start, 0, room));
  }
  return starts;
}

bool HasScalarStarts(const HloInstruction& instruction, int64_t first, int64_t rank) {
  return instruction.operand_count() == first + rank;
}

Result DynamicSliceAtKnownPlace(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* operand = slice->operand(0);
  if (!operand->shape().is_static() || !HasScalarStarts(*slice, 1, operand->shape().rank()))
    return nullptr;
  const auto starts = KnownStarts(*slice, 1, operand->shape(), slice->shape());
  if (!starts.has_value()) return nullptr;
  SliceAttributes attributes;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    attributes.slice.push_back(
        {(*starts)[d], (*starts)[d] + slice->shape().dimensions(static_cast<int>(d)), 1});
  }
  return rewriter.Create(HloOpcode::kSlice, slice->shape(), {operand}, std::move(attributes));
}

// A dynamic-update-slice of the whole array
Result DynamicUpdateOfAll(HloInstruction* update, Rewriter&) {
  HloInstruction* value = update->operand(1);
  return value->shape() == update->shape() && update->shape().is_static() ? value : nullptr;
}

// Returns the scalar predicate of a select of arrays; null if it has several.
HloInstruction* ScalarChoice(const HloInstruction& select) {
  HloInstruction* const predicate = select.operand(0);
  if (predicate->shape().rank() == 0) return predicate;
  if (predicate->opcode() != HloOpcode::kBroadcast) return nullptr;
  return predicate->operand(0)->shape().rank() == 0 ? predicate->operand(0) : nullptr;
}

// Whether the value is the array after updates of small parts, without other readers.
bool IsUpdated(const HloInstruction* value, const HloInstruction* array) {
  constexpr int kMostUpdates = 16;
  constexpr int64_t kLeastRatio = 4;
  for (int i = 0; i < kMostUpdates && value != array; ++i) {
    if (value->opcode() != HloOpcode::kDynamicUpdateSlice || value->users().size() != 1 ||
        !value->shape().is_static() || !value->operand(1)->shape().is_static() ||
        !HasScalarStarts(*value, 2, value->shape().rank()) ||
        kLeastRatio * ShapeUtil::ElementsIn(value->operand(1)->shape()) >
            ShapeUtil::ElementsIn(value->shape())) {
      return false;
    }
    value = value->operand(0);
  }
  return value == array;
}

// select(p, dynamic-update-slice(y, update, starts), x), where y is x or an update of it: selects
// the update instead, so that the array can be updated in place.
Result SelectOfUpdate(HloInstruction* select, Rewriter& rewriter) {
  HloInstruction* const choice = ScalarChoice(*select);
  if (choice == nullptr || select->shape().rank() == 0) return nullptr;
  const bool updates_if_true =
      select->operand(1) != select->operand(2) && IsUpdated(select->operand(1), select->operand(2));
  const bool updates_if_false = !updates_if_true && select->operand(1) != select->operand(2) &&
                                IsUpdated(select->operand(2), select->operand(1));
  if (!updates_if_true && !updates_if_false) return nullptr;
  HloInstruction* const x = select->operand(updates_if_true ? 2 : 1);
  HloInstruction* const update = select->operand(updates_if_true ? 1 : 2);
  const auto chosen = [&](HloInstruction* updated, HloInstruction* old) {
    const Shape& shape = old->shape();
    HloInstruction* const predicate =
        shape.rank() == 0
            ? choice
            : rewriter.Create(HloOpcode::kBroadcast, Shape(PRED, shape.dimensions()), {choice});
    return rewriter.Create(HloOpcode::kSelect, shape,
                           updates_if_true
                               ? std::initializer_list<HloInstruction*>{predicate, updated, old}
                               : std::initializer_list<HloInstruction*>{predicate, old, updated});
  };
  HloInstruction* const before = update->operand(0) == x ? x : chosen(update->operand(0), x);
  const auto& operands = update->operands();
  std::vector<HloInstruction*> starts(operands.begin() + 2, operands.end());
  std::vector<HloInstruction*> place = {before};
  place.insert(place.end(), starts.begin(), starts.end());
  HloInstruction* const value = update->operand(1);
  const auto sizes = value->shape().dimensions();
  HloInstruction* const old =
      rewriter.Create(HloOpcode::kDynamicSlice, value->shape(), place,
                      DynamicSliceAttributes{.dynamic_slice_sizes = {sizes.begin(), sizes.end()}});
  std::vector<HloInstruction*> updated = {before, chosen(value, old)};
  updated.insert(updated.end(), starts.begin(), starts.end());
  return rewriter.Create(HloOpcode::kDynamicUpdateSlice, select->shape(), updated);
}

Result DimensionSizeOfStatic(HloInstruction* size, Rewriter& rewriter) {
  const Shape& operand = size->operand(0)->shape();
  const int64_t d = size->attributes<OneDimensionAttributes>().dimension();
  if (operand.is_dynamic_dimension(static_cast<int>(d)) || size->shape().element_type() != S32)
    return nullptr;
  return rewriter.Constant(LiteralUtil::CreateR0<int32_t>(
      static_cast<int32_t>(operand.dimensions(static_cast<int>(d)))));
}

// bitcast-convert(bitcast-convert(x))
Result BitcastConvertTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction* x;
  if (!Match(outer, m::BitcastConvert(m::BitcastConvert(Any(&x)))) || !outer->shape().is_static())
    return nullptr;
  if (x->shape() == outer->shape()) return x;
  const bool same_width = primitive_util::BitWidth(x->shape().element_type()) ==
                              primitive_util::BitWidth(outer->shape().element_type()) &&
                          primitive_util::BitWidth(x->shape().element_type()) ==
                              primitive_util::BitWidth(outer->operand(0)->shape().element_type());
  if (!same_width) return nullptr;
  return rewriter.Create(HloOpcode::kBitcastConvert, outer->shape(), {x});
}

constexpr RewriteRule kSliceRules[] = {
    {"slice-slice", HloOpcode::kSlice, &SliceTwice},
    {"slice-of-concatenate", HloOpcode::kSlice, &SliceOfConcatenate},
    {"slice-of-elementwise", HloOpcode::kSlice, &SliceOfElementwise},
    {"slice-of-transpose", HloOpcode::kSlice, &SliceOfTranspose},
    {"slice-of-reshape", HloOpcode::kSlice, &SliceOfReshape},
    {"elementwise-of-concatenations", std::nullopt, &ElementwiseOfConcatenations},
    {"concatenate-concatenate", HloOpcode::kConcatenate, &ConcatenateOfConcatenate},
    {"transpose-that-is-reshape", HloOpcode::kTranspose, &TransposeThatIsReshape},
    {"dynamic-slice-at-known-place", HloOpcode::kDynamicSlice, &DynamicSliceAtKnownPlace},
    {"select-of-update", HloOpcode::kSelect, &SelectOfUpdate},
    {"dynamic-update-of-all", HloOpcode::kDynamicUpdateSlice, &DynamicUpdateOfAll},
    {"dimension-size-of-static", HloOpcode::kGetDimensionSize, &DimensionSizeOfStatic},
    {"bitcast-convert-bitcast-convert", HloOpcode::kBitcastConvert, &BitcastConvertTwice},
};

}  // namespace

absl::Span<const RewriteRule> SliceSimplifications() { return kSliceRules; }

}  // namespace xla
