// SPDX-License-Identifier: Apache-2.0
// Operations that move data, on arrays of dynamic sizes.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/passes/dynamic_resolver.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

bool IsIn(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

DynamicResolver::Results DynamicResolver::Broadcast(const HloInstruction& inst,
                                                    const SizedArray& x) {
  Sizes sizes(static_cast<size_t>(inst.shape().rank()), nullptr);
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t to = inst.dimensions()[static_cast<size_t>(i)];
    // A dimension of size 1 is broadcast.
    if (x.bound(i) == 1 && inst.shape().dimensions(static_cast<int>(to)) != 1) continue;
    sizes[static_cast<size_t>(to)] = x.size(i);
  }
  return ResultsOf(inst, CloneOn(inst, {&x.array, 1}), {sizes});
}

// Moves the valid elements, in row-major order, to those of a result of these sizes.
HloInstruction* DynamicResolver::ReshapeExisting(const HloInstruction& inst, const SizedArray& x,
                                                 const Sizes& sizes) {
  const auto to = inst.shape().dimensions();
  const int64_t rank = inst.shape().rank();
  const int64_t elements = ShapeUtil::ElementsIn(x.shape());
  const Shape shape(inst.shape().element_type(), to);
  if (elements == 0 || ShapeUtil::ElementsIn(shape) == 0) return b_.Zeros(shape);
  // The position of each element of the result among the valid ones.
  HloInstruction* position = b_.Splat(Number(0), to);
  HloInstruction* stride = Number(1);
  for (int64_t d = rank; d-- > 0;) {
    const int64_t bound = to[static_cast<size_t>(d)];
    if (bound > 1)
      position = b_.Plus(position, b_.Times(b_.Iota(S32, to, d), b_.Splat(stride, to)));
    HloInstruction* const size = sizes[static_cast<size_t>(d)];
    if (d > 0) stride = b_.Times(stride, size != nullptr ? size : Number(bound));
  }
  // The position of that element in the operand, including padding.
  HloInstruction* place = b_.Splat(Number(0), to);
  int64_t bound_stride = 1;
  for (int64_t d = x.rank(); d-- > 0;) {
    HloInstruction* index = position;
    if (d > 0) {
      HloInstruction* const size = b_.Splat(b_.Max(SizeOf(x, d), Number(1)), to);
      index = b_.Binary(HloOpcode::kRemainder, position, size);
      position = b_.Binary(HloOpcode::kDivide, position, size);
    }
    place = b_.Plus(place, b_.Times(index, b_.Splat(Number(bound_stride), to)));
    bound_stride *= x.bound(d);
  }
  HloInstruction* const flat = b_.Reshape(x.array, {elements});
  GatherAttributes gather;
  gather.collapsed_slice_dims = {0};
  gather.start_index_map = {0};
  gather.index_vector_dim = rank;
  gather.slice_sizes = {1};
  return b_.Make(HloOpcode::kGather, shape, {flat, place}, std::move(gather));
}

DynamicResolver::Results DynamicResolver::Reshape(const HloInstruction& inst, const SizedArray& x) {
  const Shape& shape = inst.shape();
  Sizes sizes(static_cast<size_t>(shape.rank()), nullptr);
  if (inst.opcode() == HloOpcode::kBitcast) {
    if (shape.dimensions() == x.shape().dimensions()) sizes = x.sizes;
    return std::vector<SizedArray>{
        WithSizes(shape, b_.Reshape(x.array, shape.dimensions()), sizes)};
  }
  // In each group of corresponding dimensions, one dynamic dimension of the result takes the
  // remaining elements.
  const auto groups = CommonFactors(x.shape().dimensions(), shape.dimensions());
  bool keeps_order = true;
  for (size_t g = 0; g + 1 < groups.size(); ++g) {
    HloInstruction* rest = nullptr;
    int64_t static_rest = 1;
    bool leads = true;  // only dimensions of one element so far
    for (int64_t i = groups[g].first; i < groups[g + 1].first; ++i) {
      if (x.size(i) == nullptr) {
        static_rest *= x.bound(i);
        leads &= x.bound(i) == 1;
        continue;
      }
      rest = rest == nullptr ? x.size(i) : b_.Times(rest, x.size(i));
      keeps_order &= leads;
      leads = false;
    }
    int64_t dynamic = -1, fixed = 1;
    for (int64_t i = groups[g].second; i < groups[g + 1].second; ++i) {
      const auto dim = static_cast<int>(i);
      if (shape.is_dynamic_dimension(dim) && (dynamic < 0 || shape.dimensions(dim) > 1)) {
        if (dynamic >= 0) fixed *= shape.dimensions(static_cast<int>(dynamic));
        dynamic = i;
      } else {
        fixed *= shape.dimensions(dim);
      }
    }
    if (rest == nullptr || dynamic < 0 || fixed == 0) continue;
    leads = true;
    for (int64_t i = groups[g].second; i < dynamic; ++i)
      leads &= shape.dimensions(static_cast<int>(i)) == 1;
    keeps_order &= leads;
    HloInstruction* const total = static_rest == 1 ? rest : b_.Times(rest, Number(static_rest));
    HloInstruction* size = FloorDivide(total, fixed);
    if (static_rest % fixed != 0) {
      HloInstruction* const divides =
          b_.Compare(b_.Times(size, Number(fixed)), total, ComparisonDirection::kEq);
      size = SizeIf(divides, size, shape.dimensions(static_cast<int>(dynamic)));
    }
    sizes[static_cast<size_t>(dynamic)] = size;
  }
  HloInstruction* const array = keeps_order || !x.IsSized()
                                    ? b_.Reshape(x.array, shape.dimensions())
                                    : ReshapeExisting(inst, x, sizes);
  return std::vector<SizedArray>{WithSizes(shape, array, sizes)};
}

DynamicResolver::Results DynamicResolver::DynamicReshape(const HloInstruction& inst,
                                                         SizedArrays operands) {
  const SizedArray& x = operands[0];
  const Shape& shape = inst.shape();
  Sizes sizes;
  HloInstruction *from = Number(1), *to = Number(1);
  for (int64_t d = 0; d < x.rank(); ++d) from = b_.Times(from, SizeOf(x, d));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    HloInstruction* const given = b_.Convert(operands[static_cast<size_t>(d) + 1].array, S32);
    sizes.push_back(CheckedSize(given, shape.dimensions(static_cast<int>(d))));
    to = b_.Times(to, sizes.back());
  }
  // The elements must fill the sizes; those that are left over are dropped.
  if (!sizes.empty()) {
    HloInstruction* const fits = b_.Compare(from, to, ComparisonDirection::kGe);
    sizes[0] = SizeIf(fits, sizes[0], shape.dimensions(0));
  }
  return std::vector<SizedArray>{WithSizes(shape, ReshapeExisting(inst, x, sizes), sizes)};
}

DynamicResolver::Results DynamicResolver::Transpose(const HloInstruction& inst,
                                                    const SizedArray& x) {
  Sizes sizes;
  for (const int64_t d : inst.dimensions()) sizes.push_back(x.size(d));
  return ResultsOf(inst, CloneOn(inst, {&x.array, 1}), {sizes});
}

DynamicResolver::Results DynamicResolver::Reverse(const HloInstruction& inst, const SizedArray& x) {
  HloInstruction* array = CloneOn(inst, {&x.array, 1});
  const auto bounds = x.shape().dimensions();
  std::vector<int64_t> high(bounds.size(), 0);
  std::vector<HloInstruction*> starts(bounds.size(), Number(0));
  bool moves = false;
  for (const int64_t d : inst.dimensions()) {
    if (x.size(d) == nullptr) continue;
    high[static_cast<size_t>(d)] = x.bound(d);
    starts[static_cast<size_t>(d)] = b_.Minus(Number(x.bound(d)), x.size(d));
    moves = true;
  }
  if (moves) {
    array =
        b_.DynamicSlice(b_.PadHigh(array, ZeroOf(x.shape().element_type()), high), starts, bounds);
  }
  return std::vector<SizedArray>{WithSizes(inst.shape(), array, x.sizes)};
}

DynamicResolver::Results DynamicResolver::Slice(const HloInstruction& inst, const SizedArray& x) {
  const auto& slice = inst.attributes<SliceAttributes>().slice;
  Sizes sizes;
  for (size_t d = 0; d < slice.size(); ++d) {
    HloInstruction* size = x.sizes[d];
    if (size != nullptr) {
      HloInstruction* const limit = b_.Min(size, Number(slice[d].limit));
      size =
          CeilDivide(b_.Max(b_.Minus(limit, Number(slice[d].start)), Number(0)), slice[d].stride);
    }
    sizes.push_back(size);
  }
  return ResultsOf(inst, CloneOn(inst, {&x.array, 1}), {sizes});
}

DynamicResolver::Results DynamicResolver::Pad(const HloInstruction& inst, SizedArrays operands) {
  const SizedArray& x = operands[0];
  HloInstruction* const value = operands[1].array;
  const auto& padding = inst.attributes<PadAttributes>().padding;
  HloInstruction* const arrays[] = {Masked(x, value), value};
  Sizes sizes;
  for (size_t d = 0; d < padding.size(); ++d) {
    HloInstruction* size = x.sizes[d];
    if (size != nullptr) {
      HloInstruction* total = b_.Plus(size, Number(padding[d].low + padding[d].high));
      if (padding[d].interior > 0) {
        HloInstruction* const gaps = b_.Max(b_.Minus(size, Number(1)), Number(0));
        total = b_.Plus(total, b_.Times(gaps, Number(padding[d].interior)));
      }
      size = b_.Max(total, Number(0));
    }
    sizes.push_back(size);
  }
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

DynamicResolver::Results DynamicResolver::Concatenate(const HloInstruction& inst,
                                                      SizedArrays operands) {
  const int64_t dimension = inst.dimensions()[0];
  Sizes sizes(static_cast<size_t>(inst.shape().rank()), nullptr);
  bool is_packed = false;
  for (const SizedArray& operand : operands) {
    if (operand.IsSized()) sizes = operand.sizes;
    is_packed |= operand.size(dimension) != nullptr;
  }
  if (!is_packed) {
    std::vector<HloInstruction*> arrays;
    for (const SizedArray& operand : operands) arrays.push_back(operand.array);
    sizes[static_cast<size_t>(dimension)] = nullptr;
    return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
  }
  // Each operand begins after the valid elements of the one before, and overwrites its padding.
  HloInstruction* result = b_.Zeros(Shape(inst.shape().element_type(), inst.shape().dimensions()));
  HloInstruction* position = Number(0);
  for (const SizedArray& operand : operands) {
    std::vector<HloInstruction*> starts(sizes.size(), Number(0));
    starts[static_cast<size_t>(dimension)] = position;
    result = b_.DynamicUpdateSlice(result, operand.array, starts);
    position = b_.Plus(position, SizeOf(operand, dimension));
  }
  sizes[static_cast<size_t>(dimension)] = position;
  return std::vector<SizedArray>{WithSizes(inst.shape(), result, sizes)};
}

DynamicResolver::Results DynamicResolver::GetDimensionSize(const HloInstruction& inst,
                                                           const SizedArray& x) {
  const int64_t dimension = inst.attributes<OneDimensionAttributes>().dimension();
  return std::vector<SizedArray>{{SizeOf(x, dimension), {}}};
}

DynamicResolver::Results DynamicResolver::SetDimensionSize(const HloInstruction& inst,
                                                           SizedArrays operands) {
  const int64_t dimension = inst.attributes<OneDimensionAttributes>().dimension();
  const auto d = static_cast<size_t>(dimension);
  const SizedArray& x = operands[0];
  HloInstruction* const size = b_.Convert(operands[1].array, S32);
  const int64_t bound = inst.shape().dimensions(static_cast<int>(dimension));
  Sizes sizes = x.sizes;
  if (inst.shape().is_dynamic_dimension(static_cast<int>(dimension))) {
    sizes[d] = CheckedSize(size, bound);
  } else {
    // A static dimension must have its full size.
    SizeIf(b_.Compare(size, Number(bound), ComparisonDirection::kEq), size, bound);
  }
  return std::vector<SizedArray>{WithSizes(inst.shape(), x.array, sizes)};
}

DynamicResolver::Results DynamicResolver::DynamicSlice(const HloInstruction& inst,
                                                       SizedArrays operands) {
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& operand : operands) arrays.push_back(operand.array);
  const SizedArray& x = operands[0];
  Sizes sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    HloInstruction* size = x.size(d);
    const int64_t slice = inst.shape().dimensions(static_cast<int>(d));
    if (size != nullptr) {
      HloInstruction* const start =
          Clamp(b_.Convert(arrays[static_cast<size_t>(d) + 1], S32), 0, x.bound(d) - slice);
      size = Clamp(b_.Minus(size, start), 0, slice);
    }
    sizes.push_back(size);
  }
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

DynamicResolver::Results DynamicResolver::DynamicUpdateSlice(const HloInstruction& inst,
                                                             SizedArrays operands) {
  std::vector<HloInstruction*> arrays;
  for (const SizedArray& operand : operands) arrays.push_back(operand.array);
  const SizedArray &x = operands[0], &update = operands[1];
  Sizes sizes = x.sizes;
  if (update.IsSized()) {
    // Padding elements of the update have no effect.
    const std::vector<HloInstruction*> starts(arrays.begin() + 2, arrays.end());
    HloInstruction* const old = b_.DynamicSlice(x.array, starts, update.shape().dimensions());
    arrays[1] = b_.Select(ExistenceMask(update), update.array, old);
  }
  for (int64_t d = 0; d < x.rank(); ++d) {
    // A dynamic dimension that is replaced as a whole has the size of the update.
    if (inst.operand(1)->shape().is_dynamic_dimension(static_cast<int>(d)) &&
        update.bound(d) == x.bound(d)) {
      sizes[static_cast<size_t>(d)] = update.size(d);
    }
  }
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

DynamicResolver::Results DynamicResolver::Gather(const HloInstruction& inst, SizedArrays operands) {
  const auto& attributes = inst.attributes<GatherAttributes>();
  const SizedArray &x = operands[0], &indices = operands[1];
  Sizes window, batch, sizes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (IsIn(attributes.collapsed_slice_dims, d) || IsIn(attributes.operand_batching_dims, d))
      continue;
    const bool is_whole = attributes.slice_sizes[static_cast<size_t>(d)] == x.bound(d);
    window.push_back(is_whole ? x.size(d) : nullptr);
  }
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != attributes.index_vector_dim) batch.push_back(indices.size(d));
  }
  size_t next_window = 0, next_batch = 0;
  for (int64_t d = 0; d < inst.shape().rank(); ++d) {
    sizes.push_back(IsIn(attributes.offset_dims, d) ? window[next_window++] : batch[next_batch++]);
  }
  HloInstruction* const arrays[] = {x.array, indices.array};
  return ResultsOf(inst, CloneOn(inst, arrays), {sizes});
}

// Padding indices are set outside the operand, so that their updates are dropped.
DynamicResolver::Results DynamicResolver::Scatter(const HloInstruction& inst,
                                                  SizedArrays operands) {
  ScatterAttributes attributes = inst.attributes<ScatterAttributes>();
  const size_t count = operands.size() / 2;
  const SizedArray& indices = operands[count];
  const SizedArray& update = operands[count + 1];
  const auto& components = attributes.scatter_dims_to_operand_dims;
  HloInstruction* positions = indices.array;
  if (!components.empty()) positions = b_.Convert(positions, S64);
  const auto index_dims = positions->shape().dimensions();
  const auto drop = [&](HloInstruction* keep) {
    positions = b_.Select(keep, positions, b_.Splat(b_.Scalar(S64, -1), index_dims));
  };
  if (indices.IsSized() && !components.empty()) drop(ExistenceMask(indices));

  // Partial windows have the size of their valid extent, and the rest is not combined. The operands
  // are padded to have room for it.
  std::vector<HloInstruction*> inputs, updates;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back(operands[i].array);
    updates.push_back(operands[count + 1 + i].array);
  }
  const SizedArray& x = operands[0];
  std::vector<int64_t> room(static_cast<size_t>(x.rank()), 0);
  Sizes window_sizes(static_cast<size_t>(update.rank()), nullptr);
  bool is_partial = false;
  size_t next = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (IsIn(attributes.inserted_window_dims, d) || IsIn(attributes.input_batching_dims, d))
      continue;
    const int64_t update_dim = attributes.update_window_dims[next++];
    HloInstruction* const size = update.size(update_dim);
    if (size == nullptr) continue;
    is_partial = true;
    window_sizes[static_cast<size_t>(update_dim)] = size;
    room[static_cast<size_t>(d)] = update.bound(update_dim);
    const auto component = std::find(components.begin(), components.end(), d);
    if (component == components.end()) continue;
    // The valid extent must be inside the operand.
    HloInstruction* const limit = b_.Convert(b_.Minus(Number(x.bound(d)), size), S64);
    HloInstruction* keep =
        b_.Compare(positions, b_.Splat(limit, index_dims), ComparisonDirection::kLe);
    if (attributes.index_vector_dim < positions->shape().rank()) {
      HloInstruction* const other = b_.Compare(
          b_.Iota(S64, index_dims, attributes.index_vector_dim),
          b_.Splat(b_.Scalar(S64, static_cast<double>(component - components.begin())), index_dims),
          ComparisonDirection::kNe);
      keep = b_.Binary(HloOpcode::kOr, keep, other);
    }
    drop(keep);
  }
  std::vector<Sizes> sizes;
  for (size_t i = 0; i < count; ++i) sizes.push_back(operands[i].sizes);
  if (!is_partial) {
    std::vector<HloInstruction*> arrays = inputs;
    arrays.push_back(positions);
    arrays.insert(arrays.end(), updates.begin(), updates.end());
    return ResultsOf(inst, CloneOn(inst, arrays), sizes);
  }
  // One more array marks the valid updates.
  HloComputation* const function = module_->AddComputation("scatter_existing");
  {
    GraphBuilder f(function);
    std::vector<HloInstruction*> olds, news;
    int64_t number = 0;
    const auto parameter = [&](PrimitiveType type) {
      return f.Add(HloInstruction::CreateParameter(number++, Shape(type, {}), "p"));
    };
    for (HloInstruction* input : inputs) olds.push_back(parameter(input->shape().element_type()));
    HloInstruction* const old_flag = parameter(PRED);
    for (HloInstruction* value : updates) news.push_back(parameter(value->shape().element_type()));
    HloInstruction* const counts = parameter(PRED);
    std::vector<HloInstruction*> arguments = olds;
    arguments.insert(arguments.end(), news.begin(), news.end());
    HloComputation* called[] = {inst.to_apply()};
    HloInstruction* const call =
        f.Make(HloOpcode::kCall, inst.to_apply()->root_instruction()->shape(), arguments,
               CallAttributes(), called);
    std::vector<HloInstruction*> results;
    for (size_t i = 0; i < count; ++i) {
      HloInstruction* const combined =
          call->shape().IsTuple() ? f.Element(call, static_cast<int64_t>(i)) : call;
      results.push_back(f.Select(counts, combined, olds[i]));
    }
    results.push_back(old_flag);
    function->set_root_instruction(f.Tuple(results));
  }
  std::vector<HloInstruction*> arrays;
  std::vector<Shape> shapes;
  for (HloInstruction* input : inputs) {
    arrays.push_back(b_.PadHigh(input, ZeroOf(input->shape().element_type()), room));
    shapes.push_back(arrays.back()->shape());
  }
  arrays.push_back(b_.Zeros(Shape(PRED, shapes[0].dimensions())));
  shapes.push_back(arrays.back()->shape());
  arrays.push_back(positions);
  arrays.insert(arrays.end(), updates.begin(), updates.end());
  arrays.push_back(ExistenceMask(update.shape().dimensions(), window_sizes));
  HloComputation* called[] = {function};
  HloInstruction* const scatter = b_.Make(HloOpcode::kScatter, ShapeUtil::MakeTupleShape(shapes),
                                          arrays, inst.attributes(), called);
  std::vector<SizedArray> results;
  const std::vector<int64_t> origin(room.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    HloInstruction* const whole = b_.Element(scatter, static_cast<int64_t>(i));
    results.push_back(WithSizes(ResultShape(inst, static_cast<int>(i)),
                                b_.Slice(whole, origin, inputs[i]->shape().dimensions()),
                                sizes[i]));
  }
  return results;
}

}  // namespace xla
