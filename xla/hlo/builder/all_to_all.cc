// SPDX-License-Identifier: Apache-2.0
// All-to-all in its forms: of an array, of a tuple of parts, of an array cut into parts.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/collective_util.h"
#include "xla/hlo/builder/native_constants.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool IsEmpty(const CollectiveDeviceList& groups) {
  return groups.form == CollectiveDeviceList::Form::kExplicit && groups.groups.empty();
}

absl::Status CheckSplit(const Shape& shape, int64_t split, int64_t concat, int64_t count) {
  const auto is_dimension = [&](int64_t d) {
    return shape.IsArray() && d >= 0 && d < shape.rank();
  };
  if (!is_dimension(split)) {
    return InvalidArgumentStrCat("AllToAll split_dimension ", split, " is out-of-bounds in shape ",
                                 ShapeUtil::HumanString(shape), ".");
  }
  if (!is_dimension(concat)) {
    return InvalidArgumentStrCat("AllToAll concat_dimension ", concat,
                                 " is out-of-bounds in shape ", ShapeUtil::HumanString(shape), ".");
  }
  if (shape.is_bounded_dynamic()) {
    return UnimplementedStrCat("AllToAll does not support bounded dynamic shapes: ",
                               ShapeUtil::HumanString(shape));
  }
  const bool is_unbounded = shape.is_unbounded_dynamic_dimension(static_cast<int>(split));
  if (count <= 0 || (!is_unbounded && shape.dimensions(static_cast<int>(split)) % count != 0)) {
    return InvalidArgumentStrCat("AllToAll split dimension size ",
                                 shape.dimensions(static_cast<int>(split)),
                                 " must be dividable by split_count ", count, ".");
  }
  return absl::OkStatus();
}

// The sizes of an array, where they are not known as values of the program.
class UnboundedSizes {
 public:
  UnboundedSizes(XlaBuilder* builder, XlaOp operand, const Shape& shape)
      : builder_(builder), operand_(operand), shape_(shape) {}

  XlaOp Constant(int64_t size) const {
    return ConstantR1<int32_t>(builder_, {static_cast<int32_t>(size)});
  }
  XlaOp Of(int64_t dimension) const {
    const int d = static_cast<int>(dimension);
    if (!shape_.is_unbounded_dynamic_dimension(d)) return Constant(shape_.dimensions(d));
    return Reshape(GetDimensionSize(operand_, dimension), {1});
  }

 private:
  XlaBuilder* const builder_;
  const XlaOp operand_;
  const Shape& shape_;
};

// A size times or divided by a count; without a bound it stays so.
absl::StatusOr<int64_t> Times(int64_t size, int64_t count) {
  if (size == Shape::kUnboundedSize) return size;
  if (!__builtin_mul_overflow(size, count, &size)) return size;
  return InvalidArgumentStrCat("AllToAll concat dimension overflow");
}
int64_t Divided(int64_t size, int64_t count) {
  return size == Shape::kUnboundedSize ? size : size / count;
}

absl::StatusOr<Shape> ShapeOfSizes(PrimitiveType type, absl::Span<const int64_t> sizes) {
  std::vector<bool> dynamic;
  for (const int64_t size : sizes) dynamic.push_back(size == Shape::kUnboundedSize);
  return ShapeUtil::MakeValidatedShape(type, sizes, dynamic);
}

}  // namespace

absl::StatusOr<XlaOp> XlaBuilder::State::AddAllToAllTuple(
    absl::Span<const XlaOp> operands, const CollectiveDeviceList& groups,
    const std::optional<Layout>& layout, const std::optional<ChannelHandle>& channel) {
  AllToAllAttributes attributes;
  attributes.channel_id = ChannelOf(channel);
  attributes.replica_groups = groups;
  attributes.constrain_layout = layout.has_value();
  XLA_ASSIGN_OR_RETURN(const XlaOp op, Add(HloOpcode::kAllToAll, operands, std::move(attributes)));
  if (layout.has_value()) XLA_RETURN_IF_ERROR(SetLayout(op, *layout));
  return op;
}

// The parts of the devices are concatenated along the split dimension; a reshape and a transpose
// move them to the concat dimension.
absl::StatusOr<XlaOp> XlaBuilder::State::AddAllToAllArray(
    XlaOp operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count,
    const CollectiveDeviceList& groups, const std::optional<ChannelHandle>& channel) {
  XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, ShapeOf(operand));
  const Shape shape = *operand_shape;
  XLA_RETURN_IF_ERROR(CheckSplit(shape, split_dimension, concat_dimension, split_count));
  AllToAllAttributes attributes;
  attributes.channel_id = ChannelOf(channel);
  attributes.replica_groups = groups;
  if (IsEmpty(groups)) {
    Int64s all;
    for (int64_t i = 0; i < split_count; ++i) all.push_back(i);
    attributes.replica_groups.groups.push_back(std::move(all));
  }
  attributes.dimensions = Int64s{split_dimension};
  XLA_ASSIGN_OR_RETURN(XlaOp result, Add(HloOpcode::kAllToAll, {operand}, std::move(attributes)));
  if (split_dimension == concat_dimension) return result;

  Int64s split_sizes, permutation, sizes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.dimensions(static_cast<int>(i));
    if (i == split_dimension) split_sizes.push_back(split_count);
    split_sizes.push_back(i == split_dimension ? Divided(size, split_count) : size);
    if (i == concat_dimension) permutation.push_back(split_dimension);
    permutation.push_back(i >= split_dimension ? i + 1 : i);
    sizes.push_back(i == split_dimension ? Divided(size, split_count) : size);
  }
  XLA_ASSIGN_OR_RETURN(sizes[static_cast<size_t>(concat_dimension)],
                       Times(sizes[static_cast<size_t>(concat_dimension)], split_count));
  if (!shape.is_unbounded_dynamic()) {
    result = Reshape(result, split_sizes);
    result = Transpose(result, permutation);
    return Reshape(result, sizes);
  }

  const UnboundedSizes known(self, operand, shape);
  const XlaOp count = known.Constant(split_count);
  std::vector<XlaOp> split, whole;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const XlaOp size = known.Of(i);
    const XlaOp part = i == split_dimension ? Div(size, count) : size;
    if (i == split_dimension) split.push_back(count);
    split.push_back(part);
    whole.push_back(i == concat_dimension ? Mul(size, count) : part);
  }
  XLA_ASSIGN_OR_RETURN(const Shape split_shape, ShapeOfSizes(shape.element_type(), split_sizes));
  XLA_ASSIGN_OR_RETURN(const Shape whole_shape, ShapeOfSizes(shape.element_type(), sizes));
  result = MhloDynamicReshape(result, ConcatInDim(self, split, 0), split_shape);
  result = Transpose(result, permutation);
  return MhloDynamicReshape(result, ConcatInDim(self, whole, 0), whole_shape);
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddAllToAllOfParts(
    XlaOp operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count,
    const CollectiveDeviceList& groups, const std::optional<Layout>& layout,
    const std::optional<ChannelHandle>& channel) {
  XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(operand));
  if (shape->is_unbounded_dynamic()) {
    return UnimplementedStrCat("AllToAllTuple does not support unbounded dynamic shapes");
  }
  XLA_RETURN_IF_ERROR(CheckSplit(*shape, split_dimension, concat_dimension, split_count));
  const int64_t size = shape->dimensions(static_cast<int>(split_dimension)) / split_count;
  std::vector<XlaOp> parts;
  for (int64_t i = 0; i < split_count; ++i) {
    parts.push_back(SliceInDim(operand, i * size, (i + 1) * size, /*stride=*/1, split_dimension));
    XLA_RETURN_IF_ERROR(first_error);
  }
  XLA_ASSIGN_OR_RETURN(const XlaOp exchanged, AddAllToAllTuple(parts, groups, layout, channel));
  for (int64_t i = 0; i < split_count; ++i) parts[i] = GetTupleElement(exchanged, i);
  return ConcatInDim(self, parts, concat_dimension);
}

XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
               const std::optional<Layout>& layout,
               const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAll", [&]() -> absl::StatusOr<XlaOp> {
    return AllToAllWithDeviceList(operand, split_dimension, concat_dimension, split_count,
                                  ToDeviceList(replica_groups), layout, channel_id);
  });
}

XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceList& replica_groups,
                             const std::optional<Layout>& layout,
                             const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAllWithDeviceList", [&] {
    // The array form may not keep a layout.
    if (layout.has_value()) {
      return builder->state().AddAllToAllOfParts(operand, split_dimension, concat_dimension,
                                                 split_count, replica_groups, layout, channel_id);
    }
    return builder->state().AddAllToAllArray(operand, split_dimension, concat_dimension,
                                             split_count, replica_groups, channel_id);
  });
}

XlaOp AllToAllTuple(absl::Span<const XlaOp> operands, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAllTuple", [&] {
    return builder->state().AddAllToAllTuple(operands, ToDeviceList(replica_groups), layout,
                                             channel_id);
  });
}

XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAllTupleWithDeviceList", [&] {
    return builder->state().AddAllToAllTuple(operands, replica_groups, layout, channel_id);
  });
}

XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAllTuple", [&] {
    return builder->state().AddAllToAllOfParts(operand, split_dimension, concat_dimension,
                                               split_count, ToDeviceList(replica_groups), layout,
                                               channel_id);
  });
}

XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count, const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllToAllTupleWithDeviceList", [&] {
    return builder->state().AddAllToAllOfParts(operand, split_dimension, concat_dimension,
                                               split_count, replica_groups, layout, channel_id);
  });
}

}  // namespace xla
