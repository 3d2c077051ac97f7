// SPDX-License-Identifier: Apache-2.0
// Operations on arrays of dynamic sizes: helpers, elementwise operations, and which function
// resolves which operation.
#include "xla/passes/dynamic_resolver.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<std::vector<SizedArray>> DynamicResolver::Resolve(const HloInstruction& inst,
                                                                 SizedArrays operands) {
  switch (inst.opcode()) {
    case HloOpcode::kBroadcast:
      return Broadcast(inst, operands[0]);
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
      return Reshape(inst, operands[0]);
    case HloOpcode::kDynamicReshape:
      return DynamicReshape(inst, operands);
    case HloOpcode::kTranspose:
      return Transpose(inst, operands[0]);
    case HloOpcode::kReverse:
      return Reverse(inst, operands[0]);
    case HloOpcode::kSlice:
      return Slice(inst, operands[0]);
    case HloOpcode::kPad:
      return Pad(inst, operands);
    case HloOpcode::kConcatenate:
      return Concatenate(inst, operands);
    case HloOpcode::kGetDimensionSize:
      return GetDimensionSize(inst, operands[0]);
    case HloOpcode::kSetDimensionSize:
      return SetDimensionSize(inst, operands);
    case HloOpcode::kDynamicSlice:
      return DynamicSlice(inst, operands);
    case HloOpcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(inst, operands);
    case HloOpcode::kGather:
      return Gather(inst, operands);
    case HloOpcode::kScatter:
      return Scatter(inst, operands);
    case HloOpcode::kReduce:
      return Reduce(inst, operands);
    case HloOpcode::kReduceWindow:
      return ReduceWindow(inst, operands);
    case HloOpcode::kSelectAndScatter: {
      std::vector<WindowDim> window = inst.attributes<WindowAttributes>().window.dims;
      return SelectAndScatter(inst, operands, window, {});
    }
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      return Dot(inst, operands);
    case HloOpcode::kConvolution:
      return Convolution(inst, operands);
    case HloOpcode::kSort:
      return Sort(inst, operands);
    case HloOpcode::kTopK:
      return TopK(inst, operands[0]);
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
      return LinearAlgebra(inst, operands);
    case HloOpcode::kFft:
      return Fft(inst, operands[0]);
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormTraining:
      return BatchNorm(inst, operands);
    case HloOpcode::kScan:
      return Scan(inst, operands);
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kMap:
    case HloOpcode::kStochasticConvert:
      return Elementwise(inst, operands);
    case HloOpcode::kCustomCall: {
      const std::string& target = inst.custom_call_target();
      if (target.rfind("DynamicConvolution", 0) == 0) return DynamicConvolution(inst, operands);
      if (target == "DynamicReduceWindowSamePadding") return DynamicReduceWindow(inst, operands);
      if (target == "DynamicSelectAndScatterSamePadding")
        return DynamicSelectAndScatter(inst, operands);
      if (target == kWholeKernelTarget) return WholeKernel(inst, operands);
      break;
    }
    default:
      if (inst.info().Has(op_traits::kElementwiseTrait)) return Elementwise(inst, operands);
      break;
  }
  // Other operations compute all elements; if they keep bounds, they keep sizes.
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& operand : operands) arrays.push_back(operand.array);
  HloInstruction* const clone = CloneOn(inst, arrays);
  std::vector<Sizes> sizes;
  const int count = inst.shape().IsTuple() ? inst.shape().tuple_shapes_size() : 1;
  for (int i = 0; i < count; ++i) {
    sizes.emplace_back(static_cast<size_t>(ResultShape(inst, i).rank()), nullptr);
    if (!operands.empty() && operands[0].shape().dimensions() == ResultShape(inst, i).dimensions())
      sizes.back() = operands[0].sizes;
  }
  return ResultsOf(inst, clone, sizes);
}

// --- Helpers

SizedArray DynamicResolver::WithSizes(const Shape& shape, HloInstruction* array, Sizes sizes) {
  SizedArray result = {array, std::move(sizes)};
  result.sizes.resize(static_cast<size_t>(shape.rank()), nullptr);
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) result.sizes[static_cast<size_t>(d)] = nullptr;
  }
  return result;
}

HloInstruction* DynamicResolver::CheckedSize(HloInstruction* size, int64_t bound) {
  if (size->opcode() == HloOpcode::kConstant) {
    const int32_t value = *static_cast<const int32_t*>(size->literal().untyped_data());
    if (value >= 0 && value <= bound) return size;
  }
  CustomCallAttributes attributes;
  attributes.custom_call_target = kCheckSizeTarget;
  attributes.has_side_effect = true;
  HloInstruction* const call =
      b_.Make(HloOpcode::kCustomCall, Shape(S32, {}), {size}, std::move(attributes));
  call->mutable_extras().backend_config = absl::StrCat(bound);
  return call;
}

HloInstruction* DynamicResolver::SizeIf(HloInstruction* ok, HloInstruction* size, int64_t bound) {
  return CheckedSize(b_.Select(ok, size, Number(-1)), bound);
}

HloInstruction* DynamicResolver::CeilDivide(HloInstruction* a, int64_t divisor) {
  if (divisor == 1) return a;
  return b_.Binary(HloOpcode::kDivide, b_.Plus(a, Number(divisor - 1)), Number(divisor));
}

HloInstruction* DynamicResolver::FloorDivide(HloInstruction* a, int64_t divisor) {
  return divisor == 1 ? a : b_.Binary(HloOpcode::kDivide, a, Number(divisor));
}

HloInstruction* DynamicResolver::ExistenceMask(absl::Span<const int64_t> dimensions,
                                               const Sizes& sizes) {
  HloInstruction* mask = nullptr;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == nullptr) continue;
    HloInstruction* const exists =
        b_.Less(b_.Iota(S32, dimensions, static_cast<int64_t>(d)), b_.Splat(sizes[d], dimensions));
    mask = mask == nullptr ? exists : b_.And(mask, exists);
  }
  return mask;
}

HloInstruction* DynamicResolver::MaskBy(HloInstruction* x, HloInstruction* mask,
                                        HloInstruction* fill) {
  if (mask == nullptr) return x;
  return b_.Select(mask, x, b_.Splat(fill, x->shape().dimensions()));
}

HloInstruction* DynamicResolver::MaskByZero(HloInstruction* x, HloInstruction* mask) {
  if (mask == nullptr) return x;
  if (x->shape().element_type() == F8E8M0FNU) x = b_.Convert(x, F32);
  return MaskBy(x, mask, ZeroOf(x->shape().element_type()));
}

HloInstruction* DynamicResolver::LowestOf(PrimitiveType type, bool greatest) {
  if (primitive_util::IsFloatingPointType(type)) {
    // The extremes of the total order are the NaNs with all bits set, negative or not.
    if (primitive_util::BitWidth(type) >= 16) {
      Literal literal(Shape(type, {}));
      const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(type));
      auto* const data = static_cast<unsigned char*>(literal.untyped_data());
      std::fill(data, data + bytes, 0xFF);
      if (greatest) data[bytes - 1] = 0x7F;
      return b_.Add(HloInstruction::CreateConstant(std::move(literal)));
    }
  }
  return b_.Add(HloInstruction::CreateConstant(greatest ? LiteralUtil::MaxValue(type)
                                                        : LiteralUtil::MinValue(type)));
}

HloInstruction* DynamicResolver::CloneOn(const HloInstruction& inst,
                                         absl::Span<HloInstruction* const> operands) {
  Shape shape = inst.shape();
  const auto make_static = [](const Shape& array) {
    return array.IsArray() ? Shape(array.element_type(), array.dimensions()) : array;
  };
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(make_static(element));
    shape = ShapeUtil::MakeTupleShape(elements);
  } else {
    shape = make_static(shape);
  }
  return b_.Add(inst.CloneWithNewOperands(shape, operands));
}

std::vector<SizedArray> DynamicResolver::ResultsOf(const HloInstruction& inst,
                                                   HloInstruction* clone,
                                                   const std::vector<Sizes>& sizes) {
  std::vector<SizedArray> results;
  for (size_t i = 0; i < sizes.size(); ++i) {
    HloInstruction* const array =
        clone->shape().IsTuple() ? b_.Element(clone, static_cast<int64_t>(i)) : clone;
    results.push_back(WithSizes(ResultShape(inst, static_cast<int>(i)), array, sizes[i]));
  }
  return results;
}

// --- Elementwise operations

Sizes DynamicResolver::Join(std::vector<SizedArray>& arrays) {
  Sizes sizes;
  for (const SizedArray& array : arrays) {
    if (array.rank() == 0) continue;
    sizes.resize(static_cast<size_t>(array.rank()), nullptr);
    for (size_t d = 0; d < sizes.size(); ++d) {
      HloInstruction* const size = array.sizes[d];
      if (size == nullptr || size == sizes[d]) continue;
      if (sizes[d] == nullptr) {
        sizes[d] = size;
        continue;
      }
      // A size of 1 is broadcast to a greater one; otherwise the smallest size is the result's.
      HloInstruction *const least = b_.Min(sizes[d], size), *const greatest =
                                                                b_.Max(sizes[d], size);
      sizes[d] = b_.Select(b_.Compare(least, Number(1), ComparisonDirection::kEq), greatest, least);
    }
  }
  for (SizedArray& array : arrays) {
    const auto dimensions = array.shape().dimensions();
    for (int64_t d = 0; d < array.rank(); ++d) {
      HloInstruction* const size = array.size(d);
      if (size == nullptr || size == sizes[static_cast<size_t>(d)] || array.bound(d) <= 1) continue;
      HloInstruction* const stretches =
          b_.And(b_.Compare(size, Number(1), ComparisonDirection::kEq),
                 b_.Compare(sizes[static_cast<size_t>(d)], Number(1), ComparisonDirection::kGt));
      std::vector<int64_t> places, rest;  // without d
      for (int64_t i = 0; i < array.rank(); ++i) {
        if (i == d) continue;
        places.push_back(i);
        rest.push_back(array.bound(i));
      }
      HloInstruction* const first =
          b_.Broadcast(b_.Reshape(b_.SliceAlong(array.array, d, 0, 1), rest), dimensions, places);
      array.array = b_.Select(b_.Splat(stretches, dimensions), first, array.array);
    }
  }
  return sizes;
}

DynamicResolver::Results DynamicResolver::Elementwise(const HloInstruction& inst,
                                                      SizedArrays operands) {
  std::vector<SizedArray> arrays(operands.begin(), operands.end());
  Sizes sizes = Join(arrays);
  std::vector<HloInstruction*> values;
  for (const SizedArray& array : arrays) values.push_back(array.array);
  HloInstruction* const clone = CloneOn(inst, values);
  sizes.resize(static_cast<size_t>(inst.shape().rank()), nullptr);
  return ResultsOf(inst, clone, {sizes});
}

}  // namespace xla
