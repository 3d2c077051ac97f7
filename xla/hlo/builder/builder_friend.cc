// SPDX-License-Identifier: Apache-2.0
// Operations that compilers insert.
#include "xla/hlo/builder/builder_friend.h"

#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/collective_util.h"
#include "xla/shape_util.h"

namespace xla::internal {

XlaOp XlaBuilderFriend::BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                           const Shape& shape) {
  return builder->Record("BuildAddDependency", [&] {
    return builder->state_->Add(HloOpcode::kAddDependency, {operand, token}, NoAttributes{},
                                &shape);
  });
}

XlaOp XlaBuilderFriend::BuildBitcast(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildBitcast", [&] {
    return builder->state_->Add(HloOpcode::kBitcast, {operand}, NoAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildDomain(XlaBuilder* builder, XlaOp operand, OpSharding entry,
                                    OpSharding exit, const Shape& shape) {
  return builder->Record("BuildDomain", [&]() -> absl::StatusOr<XlaOp> {
    DomainAttributes attributes;
    attributes.domain.kind = "sharding";
    XLA_ASSIGN_OR_RETURN(attributes.domain.entry, HloSharding::FromProto(entry));
    XLA_ASSIGN_OR_RETURN(attributes.domain.exit, HloSharding::FromProto(exit));
    return builder->state_->Add(HloOpcode::kDomain, {operand}, std::move(attributes), &shape);
  });
}

XlaOp XlaBuilderFriend::BuildFusion(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                    absl::string_view fusion_kind,
                                    XlaComputationRef fused_computation,
                                    AliasingPairs output_operand_aliasing) {
  return builder->Record("BuildFusion", [&]() -> absl::StatusOr<XlaOp> {
    const auto kind = FusionKindFromName({fusion_kind.data(), fusion_kind.size()});
    if (!kind.has_value()) {
      return InvalidArgumentStrCat("Unknown fusion kind: ", fusion_kind, ".");
    }
    return builder->state_->Add(
        HloOpcode::kFusion, operands,
        FusionAttributes{.kind = *kind,
                         .output_to_operand_aliasing = ToAliases(output_operand_aliasing)},
        nullptr, {&fused_computation, 1});
  });
}

XlaOp XlaBuilderFriend::BuildPartitionId(XlaBuilder* builder, const Shape& shape) {
  return builder->Record("BuildPartitionId", [&] {
    return builder->state_->Add(HloOpcode::kPartitionId, {}, NoAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildRngGetAndUpdateState(XlaBuilder* builder, int64_t delta,
                                                  const Shape& shape) {
  return builder->Record("BuildRngGetAndUpdateState", [&] {
    return builder->state_->Add(HloOpcode::kRngGetAndUpdateState, {},
                                RngDeltaAttributes{.delta = delta}, &shape);
  });
}

// --- Asynchronous operations

XlaOp XlaBuilderFriend::BuildAsyncStart(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                                        std::string execution_thread,
                                        XlaComputationRef called_computation, const Shape& shape) {
  return builder->Record("BuildAsyncStart", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(
        const XlaOp op,
        builder->state_->Add(HloOpcode::kAsyncStart, operands,
                             AsyncAttributes{.async_execution_thread = execution_thread}, &shape,
                             {&called_computation, 1}));
    XLA_ASSIGN_OR_RETURN(HloInstruction * start, builder->state_->Find(op));
    start->called_computations()[0]->SetExecutionThread(std::move(execution_thread));
    return op;
  });
}

XlaOp XlaBuilderFriend::BuildAsyncUpdate(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildAsyncUpdate", [&] {
    return builder->state_->Add(HloOpcode::kAsyncUpdate, {operand}, AsyncAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildAsyncDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildAsyncDone", [&] {
    return builder->state_->Add(HloOpcode::kAsyncDone, {operand}, AsyncAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildCopyStart(XlaBuilder* builder, XlaOp operand,
                                       std::optional<int> cross_program_prefetch_index) {
  return builder->Record("BuildCopyStart", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state_->ShapeOf(operand));
    const Shape declared =
        ShapeUtil::MakeTupleShape({*shape, *shape, ShapeUtil::MakeScalarShape(U32)});
    CopyStartAttributes attributes;
    attributes.cross_program_prefetch_index = cross_program_prefetch_index;
    return builder->state_->Add(HloOpcode::kCopyStart, {operand}, std::move(attributes), &declared);
  });
}

XlaOp XlaBuilderFriend::BuildCopyDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildCopyDone", [&] {
    return builder->state_->Add(HloOpcode::kCopyDone, {operand}, NoAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildAllGatherStart(XlaBuilder* builder, XlaOp operand,
                                            int64_t all_gather_dimension, int64_t shard_count,
                                            absl::Span<const ReplicaGroup> replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Layout>& layout,
                                            std::optional<bool> use_global_device_ids) {
  return BuildAllGatherStart(builder, operand, all_gather_dimension, shard_count,
                             ToDeviceList(replica_groups), channel_id, layout,
                             use_global_device_ids);
}

XlaOp XlaBuilderFriend::BuildAllGatherStart(XlaBuilder* builder, XlaOp operand,
                                            int64_t all_gather_dimension, int64_t shard_count,
                                            const CollectiveDeviceList& replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Layout>& layout,
                                            std::optional<bool> use_global_device_ids) {
  return builder->Record("BuildAllGatherStart", [&] {
    return builder->state_->AddAllGather(HloOpcode::kAllGatherStart, operand, all_gather_dimension,
                                         shard_count, replica_groups, channel_id, layout,
                                         use_global_device_ids);
  });
}

XlaOp XlaBuilderFriend::BuildAllGatherDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildAllGatherDone", [&] {
    return builder->state_->Add(HloOpcode::kAllGatherDone, {operand}, NoAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                            XlaComputationRef computation,
                                            absl::Span<const ReplicaGroup> replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Shape>& layout,
                                            std::optional<bool> use_global_device_ids) {
  return BuildAllReduceStart(builder, operand, computation, ToDeviceList(replica_groups),
                             channel_id, layout, use_global_device_ids);
}

XlaOp XlaBuilderFriend::BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                            XlaComputationRef computation,
                                            const CollectiveDeviceList& replica_groups,
                                            const std::optional<ChannelHandle>& channel_id,
                                            const std::optional<Shape>& layout,
                                            std::optional<bool> use_global_device_ids) {
  return builder->Record("BuildAllReduceStart", [&] {
    return builder->state_->AddAllReduce(HloOpcode::kAllReduceStart, operand, computation,
                                         replica_groups, channel_id, layout, use_global_device_ids);
  });
}

XlaOp XlaBuilderFriend::BuildAllReduceDone(XlaBuilder* builder, XlaOp operand, const Shape& shape) {
  return builder->Record("BuildAllReduceDone", [&] {
    return builder->state_->Add(HloOpcode::kAllReduceDone, {operand}, NoAttributes{}, &shape);
  });
}

XlaOp XlaBuilderFriend::BuildCollectivePermuteStart(
    XlaBuilder* builder, XlaOp operand,
    const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
    const std::optional<ChannelHandle>& channel_id) {
  return BuildCollectivePermuteStart(builder, absl::MakeConstSpan(&operand, 1), source_target_pairs,
                                     channel_id);
}

XlaOp XlaBuilderFriend::BuildCollectivePermuteStart(
    XlaBuilder* builder, absl::Span<const XlaOp> operands,
    const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
    const std::optional<ChannelHandle>& channel_id) {
  return builder->Record("BuildCollectivePermuteStart", [&] {
    return builder->state_->AddPermute(HloOpcode::kCollectivePermuteStart, operands,
                                       source_target_pairs, channel_id);
  });
}

XlaOp XlaBuilderFriend::BuildCollectivePermuteDone(XlaBuilder* builder, XlaOp operand,
                                                   const Shape& shape) {
  return builder->Record("BuildCollectivePermuteDone", [&] {
    return builder->state_->Add(HloOpcode::kCollectivePermuteDone, {operand}, NoAttributes{},
                                &shape);
  });
}

// --- Transfers

XlaOp XlaBuilderFriend::BuildSend(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const ChannelHandle& handle, bool is_host_transfer) {
  return builder->Record("BuildSend", [&] {
    return builder->state_->Add(
        HloOpcode::kSend, {operand, token},
        SendRecvAttributes{.channel_id = ChannelOf(handle), .is_host_transfer = is_host_transfer});
  });
}

XlaOp XlaBuilderFriend::BuildSendDone(XlaBuilder* builder, XlaOp operand,
                                      const ChannelHandle& handle, bool is_host_transfer) {
  return builder->Record("BuildSendDone", [&] {
    return builder->state_->Add(
        HloOpcode::kSendDone, {operand},
        SendRecvAttributes{.channel_id = ChannelOf(handle), .is_host_transfer = is_host_transfer});
  });
}

XlaOp XlaBuilderFriend::BuildRecv(XlaBuilder* builder, XlaOp token, const Shape& shape,
                                  const ChannelHandle& handle, bool is_host_transfer) {
  return builder->Record("BuildRecv", [&] {
    const Shape declared = ShapeUtil::MakeTupleShape(
        {shape, ShapeUtil::MakeScalarShape(U32), ShapeUtil::MakeTokenShape()});
    return builder->state_->Add(
        HloOpcode::kRecv, {token},
        SendRecvAttributes{.channel_id = ChannelOf(handle), .is_host_transfer = is_host_transfer},
        &declared);
  });
}

XlaOp XlaBuilderFriend::BuildRecvDone(XlaBuilder* builder, XlaOp token, const Shape& shape,
                                      const ChannelHandle& handle, bool is_host_transfer) {
  return builder->Record("BuildRecvDone", [&] {
    const Shape declared = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()});
    return builder->state_->Add(
        HloOpcode::kRecvDone, {token},
        SendRecvAttributes{.channel_id = ChannelOf(handle), .is_host_transfer = is_host_transfer},
        &declared);
  });
}

}  // namespace xla::internal
