// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/graph_builder.h"

#include <utility>

#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

HloInstruction* GraphBuilder::Add(std::unique_ptr<HloInstruction> instruction) {
  if (before_ == nullptr) return computation_->AddInstruction(std::move(instruction));
  return computation_->InsertBefore(before_, std::move(instruction));
}

HloInstruction* GraphBuilder::Make(HloOpcode opcode, const Shape& shape,
                                   absl::Span<HloInstruction* const> operands,
                                   Attributes attributes,
                                   absl::Span<HloComputation* const> called) {
  return Add(HloInstruction::Create(opcode, shape, operands, std::move(attributes), called));
}

HloInstruction* GraphBuilder::Scalar(PrimitiveType type, double value) {
  const Literal number = LiteralUtil::CreateR0<double>(value);
  return Add(HloInstruction::CreateConstant(*number.Convert(type)));
}

HloInstruction* GraphBuilder::Zeros(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Zeros(element));
    return Make(HloOpcode::kTuple, shape, elements);
  }
  if (!shape.IsArray()) return Make(HloOpcode::kAfterAll, shape, {});
  HloInstruction* const zero =
      Add(HloInstruction::CreateConstant(LiteralUtil::Zero(shape.element_type())));
  return Splat(zero, shape.dimensions());
}

HloInstruction* GraphBuilder::Unary(HloOpcode opcode, HloInstruction* x) {
  return Make(opcode, x->shape(), {x});
}

HloInstruction* GraphBuilder::Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
  return Make(opcode, a->shape(), {a, b});
}

HloInstruction* GraphBuilder::Compare(HloInstruction* a, HloInstruction* b,
                                      ComparisonDirection direction) {
  return Make(HloOpcode::kCompare, Shape(PRED, a->shape().dimensions()), {a, b},
              CompareAttributes{.direction = direction});
}

HloInstruction* GraphBuilder::Select(HloInstruction* pred, HloInstruction* a, HloInstruction* b) {
  return Make(HloOpcode::kSelect, a->shape(), {pred, a, b});
}

HloInstruction* GraphBuilder::Convert(HloInstruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  return Make(HloOpcode::kConvert, ShapeUtil::ChangeElementType(x->shape(), type), {x});
}

HloInstruction* GraphBuilder::Broadcast(HloInstruction* x, Dims dimensions,
                                        std::vector<int64_t> places) {
  return Make(HloOpcode::kBroadcast, Shape(x->shape().element_type(), dimensions), {x},
              DimensionListAttributes{.dimensions = std::move(places)});
}

HloInstruction* GraphBuilder::Iota(PrimitiveType type, Dims dimensions, int64_t dimension) {
  return Make(HloOpcode::kIota, Shape(type, dimensions), {},
              IotaAttributes{.iota_dimension = dimension});
}

HloInstruction* GraphBuilder::Reshape(HloInstruction* x, Dims dimensions) {
  if (x->shape().dimensions() == dimensions) return x;
  return Make(HloOpcode::kReshape, Shape(x->shape().element_type(), dimensions), {x});
}

HloInstruction* GraphBuilder::Transpose(HloInstruction* x, std::vector<int64_t> permutation) {
  std::vector<int64_t> sizes;
  for (const int64_t d : permutation) sizes.push_back(x->shape().dimensions(static_cast<int>(d)));
  return Make(HloOpcode::kTranspose, Shape(x->shape().element_type(), sizes), {x},
              DimensionListAttributes{.dimensions = std::move(permutation)});
}

HloInstruction* GraphBuilder::Reverse(HloInstruction* x, std::vector<int64_t> dimensions) {
  return Make(HloOpcode::kReverse, x->shape(), {x},
              DimensionListAttributes{.dimensions = std::move(dimensions)});
}

HloInstruction* GraphBuilder::Slice(HloInstruction* x, Dims starts, Dims limits) {
  SliceAttributes attributes;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < starts.size(); ++d) {
    attributes.slice.push_back({.start = starts[d], .limit = limits[d], .stride = 1});
    sizes.push_back(limits[d] - starts[d]);
  }
  return Make(HloOpcode::kSlice, Shape(x->shape().element_type(), sizes), {x},
              std::move(attributes));
}

HloInstruction* GraphBuilder::SliceAlong(HloInstruction* x, int64_t dimension, int64_t start,
                                         int64_t limit) {
  const auto all = x->shape().dimensions();
  std::vector<int64_t> starts(all.size(), 0), limits(all.begin(), all.end());
  starts[static_cast<size_t>(dimension)] = start;
  limits[static_cast<size_t>(dimension)] = limit;
  return Slice(x, starts, limits);
}

HloInstruction* GraphBuilder::DynamicSlice(HloInstruction* x, std::vector<HloInstruction*> starts,
                                           Dims sizes) {
  std::vector<HloInstruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(HloOpcode::kDynamicSlice, Shape(x->shape().element_type(), sizes), operands,
              DynamicSliceAttributes{.dynamic_slice_sizes =
                                         std::vector<int64_t>(sizes.begin(), sizes.end())});
}

HloInstruction* GraphBuilder::DynamicUpdateSlice(HloInstruction* x, HloInstruction* update,
                                                 std::vector<HloInstruction*> starts) {
  std::vector<HloInstruction*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(HloOpcode::kDynamicUpdateSlice, x->shape(), operands);
}

HloInstruction* GraphBuilder::Pad(HloInstruction* x, HloInstruction* value,
                                  std::vector<PadDim> padding) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < padding.size(); ++d) {
    const int64_t size = x->shape().dimensions(static_cast<int>(d));
    sizes.push_back(size + padding[d].low + padding[d].high +
                    (size > 0 ? (size - 1) * padding[d].interior : 0));
  }
  return Make(HloOpcode::kPad, Shape(x->shape().element_type(), sizes), {x, value},
              PadAttributes{.padding = std::move(padding)});
}

HloInstruction* GraphBuilder::PadHigh(HloInstruction* x, HloInstruction* value, Dims high) {
  std::vector<PadDim> padding;
  for (const int64_t h : high) padding.push_back({.low = 0, .high = h, .interior = 0});
  return Pad(x, value, std::move(padding));
}

HloInstruction* GraphBuilder::Tuple(absl::Span<HloInstruction* const> elements) {
  std::vector<Shape> shapes;
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return Make(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), elements);
}

HloInstruction* GraphBuilder::Element(HloInstruction* tuple, int64_t index) {
  return Make(HloOpcode::kGetTupleElement, tuple->shape().tuple_shapes(static_cast<int>(index)),
              {tuple}, TupleIndexAttributes{.index = index});
}

}  // namespace xla
