// SPDX-License-Identifier: Apache-2.0
// Operations across replicas and partitions.
#include <utility>

#include "absl/functional/function_ref.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/collective_util.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape_util.h"

namespace xla {

CollectiveDeviceList ToDeviceList(absl::Span<const ReplicaGroup> groups) {
  CollectiveDeviceList list;
  for (const ReplicaGroup& group : groups) list.groups.push_back(ToInt64s(group.replica_ids()));
  return list;
}

namespace {

CollectiveBase MakeBase(const CollectiveDeviceList& groups,
                        const std::optional<ChannelHandle>& channel, bool constrain_layout) {
  CollectiveBase base;
  base.channel_id = ChannelOf(channel);
  base.replica_groups = groups;
  base.constrain_layout = constrain_layout;
  return base;
}

// The size times the count; shape inference reports overflow and remainders.
int64_t SaturatedProduct(int64_t size, int64_t count) {
  int64_t product = 0;
  return __builtin_mul_overflow(size, count, &product) ? -1 : product;
}

// The arrays with other sizes along a dimension, alone or as a tuple; unbounded sizes remain
// unbounded. `name` is the dimension's, for errors.
absl::StatusOr<Shape> Resized(absl::Span<const Shape* const> shapes, int64_t dimension,
                              absl::string_view name,
                              absl::FunctionRef<absl::StatusOr<int64_t>(int64_t)> resize) {
  std::vector<Shape> results;
  for (const Shape* shape : shapes) {
    results.push_back(*shape);
    if (!shape->IsArray() || dimension < 0 || dimension >= shape->rank()) {
      return InvalidArgumentStrCat(name, " ", dimension, " is out-of-bounds in shape ",
                                   ShapeUtil::HumanString(*shape), ".");
    }
    const int d = static_cast<int>(dimension);
    if (shape->is_unbounded_dynamic_dimension(d)) continue;
    XLA_ASSIGN_OR_RETURN(const int64_t size, resize(shape->dimensions(d)));
    results.back().set_dimensions(d, size, shape->is_dynamic_dimension(d));
  }
  return results.size() == 1 ? std::move(results[0]) : ShapeUtil::MakeTupleShape(results);
}

}  // namespace

// The operands of a collective: the elements of a tuple, or the array itself.
absl::StatusOr<std::vector<XlaOp>> XlaBuilder::State::CollectiveOperands(const char* call,
                                                                         XlaOp operand,
                                                                         bool one_element_type) {
  XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, ShapeOf(operand));
  if (!operand_shape->IsTuple()) return std::vector<XlaOp>{operand};
  const Shape shape = *operand_shape;
  if (shape.tuple_shapes_size() == 0) {
    return UnimplementedStrCat("0 element tuple ", call, " is not supported");
  }
  std::vector<XlaOp> operands;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    if (one_element_type &&
        shape.tuple_shapes(i).element_type() != shape.tuple_shapes(0).element_type()) {
      return UnimplementedStrCat("All the shapes of a tuple input of ", call,
                                 " must have the same element type; got ",
                                 ShapeUtil::HumanString(shape));
    }
    XLA_ASSIGN_OR_RETURN(const XlaOp element, Add(HloOpcode::kGetTupleElement, {operand},
                                                  TupleIndexAttributes{.index = i}));
    operands.push_back(element);
  }
  return operands;
}

absl::Status XlaBuilder::State::SetLayout(XlaOp op, const Layout& layout) {
  XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, Find(op));
  ShapeUtil::ForEachMutableSubshape(instruction->mutable_shape(),
                                    [&](Shape* part, const ShapeIndex&) {
                                      if (part->IsArray()) *part->mutable_layout() = layout;
                                    });
  absl::Status valid = ShapeUtil::ValidateShapeWithOptionalLayout(instruction->shape());
  return valid.ok() ? valid : AddContext(valid, "the layout does not fit the result");
}

// --- AllGather

absl::StatusOr<XlaOp> XlaBuilder::State::AddAllGather(
    HloOpcode opcode, XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
    const CollectiveDeviceList& groups, const std::optional<ChannelHandle>& channel,
    const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids) {
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> operands,
                       CollectiveOperands("AllGather", operand, /*one_element_type=*/false));
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  if (shard_count < 1) {
    return InvalidArgument("AllGather needs a positive shard_count; got %d.", shard_count);
  }
  const auto gathered = [&](int64_t size) -> absl::StatusOr<int64_t> {
    const int64_t whole = SaturatedProduct(size, shard_count);
    if (whole >= 0) return whole;
    return InvalidArgument("AllGather to %d shards is too large.", shard_count);
  };
  XLA_ASSIGN_OR_RETURN(Shape declared,
                       Resized(shapes, all_gather_dimension, "all_gather_dim", gathered));
  if (opcode == HloOpcode::kAllGatherStart) {
    std::vector<Shape> sources;
    for (const Shape* shape : shapes) sources.push_back(*shape);
    declared = ShapeUtil::MakeTupleShape(
        {sources.size() == 1 ? sources[0] : ShapeUtil::MakeTupleShape(sources), declared});
  }
  AllGatherAttributes attributes;
  static_cast<CollectiveBase&>(attributes) = MakeBase(groups, channel, layout.has_value());
  attributes.dimensions = {all_gather_dimension};
  attributes.use_global_device_ids = use_global_device_ids.value_or(false);
  XLA_ASSIGN_OR_RETURN(const XlaOp op, Add(opcode, operands, std::move(attributes), &declared));
  if (layout.has_value()) XLA_RETURN_IF_ERROR(SetLayout(op, *layout));
  return op;
}

XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id, const std::optional<Layout>& layout,
                std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllGather", [&] {
    return builder->state().AddAllGather(HloOpcode::kAllGather, operand, all_gather_dimension,
                                         shard_count, ToDeviceList(replica_groups), channel_id,
                                         layout, use_global_device_ids);
  });
}

XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Layout>& layout,
                              std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllGatherWithDeviceList", [&] {
    return builder->state().AddAllGather(HloOpcode::kAllGather, operand, all_gather_dimension,
                                         shard_count, replica_groups, channel_id, layout,
                                         use_global_device_ids);
  });
}

XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Layout>& layout,
                     std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllGatherTuple", [&]() -> absl::StatusOr<XlaOp> {
    return AllGather(Tuple(builder, operands), all_gather_dimension, shard_count, replica_groups,
                     channel_id, layout, use_global_device_ids);
  });
}

XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count, const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Layout>& layout,
                                   std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllGatherTupleWithDeviceList", [&]() -> absl::StatusOr<XlaOp> {
    return AllGatherWithDeviceList(Tuple(builder, operands), all_gather_dimension, shard_count,
                                   replica_groups, channel_id, layout, use_global_device_ids);
  });
}

// --- AllReduce

absl::StatusOr<XlaOp> XlaBuilder::State::AddAllReduce(HloOpcode opcode, XlaOp operand,
                                                      XlaComputationRef computation,
                                                      const CollectiveDeviceList& groups,
                                                      const std::optional<ChannelHandle>& channel,
                                                      const std::optional<Shape>& shape_with_layout,
                                                      std::optional<bool> use_global_device_ids) {
  XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, ShapeOf(operand));
  const bool is_tuple = operand_shape->IsTuple();
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> operands,
                       CollectiveOperands("AllReduce", operand, /*one_element_type=*/true));
  AllReduceAttributes attributes;
  static_cast<CollectiveBase&>(attributes) =
      MakeBase(groups, channel, shape_with_layout.has_value());
  attributes.use_global_device_ids = use_global_device_ids.value_or(false);
  XLA_ASSIGN_OR_RETURN(const XlaOp op,
                       Add(opcode, operands, std::move(attributes), nullptr, {&computation, 1}));
  if (shape_with_layout.has_value()) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, Find(op));
    const bool one_element = shape_with_layout->IsTuple() && operands.size() == 1 &&
                             shape_with_layout->tuple_shapes_size() == 1;
    const Shape& wanted = one_element ? shape_with_layout->tuple_shapes(0) : *shape_with_layout;
    if (!ShapeUtil::Compatible(wanted, instruction->shape())) {
      return InvalidArgumentStrCat("shape_with_layout ", ShapeUtil::HumanString(*shape_with_layout),
                                   " of AllReduce is not compatible with its result ",
                                   ShapeUtil::HumanString(instruction->shape()), ".");
    }
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(wanted));
    *instruction->mutable_shape() = wanted;
  }
  if (is_tuple && operands.size() == 1) return Add(HloOpcode::kTuple, {op});
  return op;
}

XlaOp AllReduce(XlaOp operand, XlaComputationRef computation,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id,
                const std::optional<Shape>& shape_with_layout,
                std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllReduce", [&] {
    return builder->state().AddAllReduce(HloOpcode::kAllReduce, operand, computation,
                                         ToDeviceList(replica_groups), channel_id,
                                         shape_with_layout, use_global_device_ids);
  });
}

XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationRef computation,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Shape>& shape_with_layout,
                              std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllReduceWithDeviceList", [&] {
    return builder->state().AddAllReduce(HloOpcode::kAllReduce, operand, computation,
                                         replica_groups, channel_id, shape_with_layout,
                                         use_global_device_ids);
  });
}

XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllReduceTuple", [&]() -> absl::StatusOr<XlaOp> {
    return AllReduce(Tuple(builder, operands), computation, replica_groups, channel_id,
                     shape_with_layout, use_global_device_ids);
  });
}

XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Shape>& shape_with_layout,
                                   std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("AllReduceTupleWithDeviceList", [&]() -> absl::StatusOr<XlaOp> {
    return AllReduceWithDeviceList(Tuple(builder, operands), computation, replica_groups,
                                   channel_id, shape_with_layout, use_global_device_ids);
  });
}

XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("CrossReplicaSum", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    if (shape->IsTuple() && shape->tuple_shapes_size() == 0) {
      return Unimplemented("0 element tuple CrossReplicaSum is not supported");
    }
    const Shape& array = shape->IsTuple() ? shape->tuple_shapes(0) : *shape;
    if (!array.IsArray()) {
      return InvalidArgumentStrCat("Expected array argument for CrossReplicaSum, but got ",
                                   ShapeUtil::HumanString(*shape), ".");
    }
    const Shape scalar = ShapeUtil::MakeScalarShape(array.element_type());
    const std::unique_ptr<XlaBuilder> sum = builder->CreateSubBuilder("sum");
    const XlaOp x = Parameter(sum.get(), 0, scalar, "x");
    const XlaOp y = Parameter(sum.get(), 1, scalar, "y");
    if (scalar.element_type() == PRED) {
      Or(x, y);
    } else {
      Add(x, y);
    }
    XLA_ASSIGN_OR_RETURN(const XlaComputation computation, sum->Build());
    return AllReduce(operand, computation, replica_groups);
  });
}

// --- ReduceScatter

absl::StatusOr<XlaOp> XlaBuilder::State::AddReduceScatter(
    XlaOp operand, XlaComputationRef computation, int64_t scatter_dimension, int64_t shard_count,
    const CollectiveDeviceList& groups, const std::optional<ChannelHandle>& channel,
    const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids) {
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> operands,
                       CollectiveOperands("ReduceScatter", operand, /*one_element_type=*/true));
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  if (shard_count < 1) {
    return InvalidArgument("ReduceScatter needs a positive shard_count; got %d.", shard_count);
  }
  const auto part_of = [&](int64_t size) -> absl::StatusOr<int64_t> {
    if (size % shard_count == 0) return size / shard_count;
    return InvalidArgumentStrCat("ReduceScatter operand scatter dimension size ", size,
                                 " must be dividable by shard_count ", shard_count, ".");
  };
  XLA_ASSIGN_OR_RETURN(const Shape declared,
                       Resized(shapes, scatter_dimension, "scatter_dimension", part_of));
  ReduceScatterAttributes attributes;
  static_cast<CollectiveBase&>(attributes) = MakeBase(groups, channel, layout.has_value());
  attributes.dimensions = {scatter_dimension};
  attributes.use_global_device_ids = use_global_device_ids.value_or(false);
  XLA_ASSIGN_OR_RETURN(const XlaOp op, Add(HloOpcode::kReduceScatter, operands,
                                           std::move(attributes), &declared, {&computation, 1}));
  if (layout.has_value()) XLA_RETURN_IF_ERROR(SetLayout(op, *layout));
  return op;
}

XlaOp ReduceScatter(XlaOp operand, XlaComputationRef computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<ChannelHandle>& channel_id,
                    const std::optional<Layout>& layout,
                    std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReduceScatter", [&] {
    return builder->state().AddReduceScatter(operand, computation, scatter_dimension, shard_count,
                                             ToDeviceList(replica_groups), channel_id, layout,
                                             use_global_device_ids);
  });
}

XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationRef computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id,
                                  const std::optional<Layout>& layout,
                                  std::optional<bool> use_global_device_ids) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReduceScatterWithDeviceList", [&] {
    return builder->state().AddReduceScatter(operand, computation, scatter_dimension, shard_count,
                                             replica_groups, channel_id, layout,
                                             use_global_device_ids);
  });
}

// --- The others

absl::StatusOr<XlaOp> XlaBuilder::State::AddCollective(
    HloOpcode opcode, absl::Span<const XlaOp> operands, const CollectiveDeviceList& groups,
    const std::optional<ChannelHandle>& channel) {
  CollectiveAttributes attributes;
  static_cast<CollectiveBase&>(attributes) = MakeBase(groups, channel, false);
  return Add(opcode, operands, std::move(attributes));
}

// The instruction has its operands in another order than the call its arguments.
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder =
      XlaBuilder::Of({input, input_offsets, send_sizes, output, output_offsets, recv_sizes});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RaggedAllToAll", [&] {
    return builder->state().AddCollective(
        HloOpcode::kRaggedAllToAll,
        {input, output, input_offsets, send_sizes, output_offsets, recv_sizes},
        ToDeviceList(replica_groups), channel_id);
  });
}

XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder =
      XlaBuilder::Of({input, input_offsets, send_sizes, output, output_offsets, recv_sizes});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RaggedAllToAllWithDeviceList", [&] {
    return builder->state().AddCollective(
        HloOpcode::kRaggedAllToAll,
        {input, output, input_offsets, send_sizes, output_offsets, recv_sizes}, replica_groups,
        channel_id);
  });
}

XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return CollectiveBroadcast(absl::MakeConstSpan(&operand, 1), replica_groups, channel_id, false);
}

XlaOp CollectiveBroadcastWithDeviceList(XlaOp operand, const CollectiveDeviceList& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return CollectiveBroadcastWithDeviceList(absl::MakeConstSpan(&operand, 1), replica_groups,
                                           channel_id, false);
}

XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id, bool has_dynamic_root) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("CollectiveBroadcast", [&] {
    return CollectiveBroadcastWithDeviceList(operands, ToDeviceList(replica_groups), channel_id,
                                             has_dynamic_root);
  });
}

XlaOp CollectiveBroadcastWithDeviceList(absl::Span<const XlaOp> operands,
                                        const CollectiveDeviceList& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id,
                                        bool has_dynamic_root) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("CollectiveBroadcastWithDeviceList", [&]() -> absl::StatusOr<XlaOp> {
    if (has_dynamic_root) {
      return UnimplementedStrCat("A root known at run time (has_dynamic_root) has no form in HLO.");
    }
    return builder->state().AddCollective(HloOpcode::kCollectiveBroadcast, operands, replica_groups,
                                          channel_id);
  });
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddPermute(
    HloOpcode opcode, absl::Span<const XlaOp> operands,
    const std::vector<std::pair<int64_t, int64_t>>& pairs,
    const std::optional<ChannelHandle>& channel) {
  CollectivePermuteAttributes attributes{.source_target_pairs = pairs};
  attributes.channel_id = ChannelOf(channel);
  return Add(opcode, operands, std::move(attributes));
}

XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("CollectivePermute", [&] {
    return builder->state().AddPermute(HloOpcode::kCollectivePermute, {operand},
                                       source_target_pairs, channel_id);
  });
}

XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("MultiCollectivePermute", [&] {
    return builder->state().AddPermute(HloOpcode::kCollectivePermute, operands, source_target_pairs,
                                       channel_id);
  });
}

XlaOp ReplicaId(XlaBuilder* builder) {
  return builder->Record("ReplicaId",
                         [&] { return builder->state().Add(HloOpcode::kReplicaId, {}); });
}

XlaOp PartitionId(XlaBuilder* builder) {
  return builder->Record("PartitionId",
                         [&] { return builder->state().Add(HloOpcode::kPartitionId, {}); });
}

}  // namespace xla
