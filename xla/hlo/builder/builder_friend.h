// SPDX-License-Identifier: Apache-2.0
// Builds operations that compilers insert and users do not call, for translators and tests. Part of
// xla_builder.h; include that.
#ifndef XLA_HLO_BUILDER_BUILDER_FRIEND_H_
#define XLA_HLO_BUILDER_BUILDER_FRIEND_H_

#include <string>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/service/hlo.pb.h"

namespace xla::internal {

// Shapes given are those of the results.
struct XlaBuilderFriend {
  // The proto of an operation, the same at every call; null for a handle without one. Changes of
  // its shape, metadata, sharding and frontend attributes are taken when the program is built;
  // other changes are errors of Build. Valid until then.
  static HloInstructionProto* GetInstruction(XlaOp op);
  static HloInstructionProto* GetInstructionByHandle(XlaBuilder* builder, int64_t handle);

  static XlaOp BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const Shape& shape);
  static XlaOp BuildBitcast(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildDomain(XlaBuilder* builder, XlaOp operand, OpSharding entry, OpSharding exit,
                           const Shape& shape);
  // fusion_kind is "kLoop", "kInput", "kOutput" or "kCustom".
  static XlaOp BuildFusion(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                           absl::string_view fusion_kind, XlaComputationRef fused_computation,
                           AliasingPairs output_operand_aliasing = {});
  static XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape);
  static XlaOp BuildRngGetAndUpdateState(XlaBuilder* builder, int64_t delta, const Shape& shape);

  // The halves of asynchronous operations.
  static XlaOp BuildAsyncStart(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                               std::string execution_thread, XlaComputationRef called_computation,
                               const Shape& shape);
  static XlaOp BuildAsyncUpdate(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildAsyncDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildCopyStart(XlaBuilder* builder, XlaOp operand,
                              std::optional<int> cross_program_prefetch_index = std::nullopt);
  static XlaOp BuildCopyDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildAllGatherStart(XlaBuilder* builder, XlaOp operand, int64_t all_gather_dimension,
                                   int64_t shard_count,
                                   absl::Span<const ReplicaGroup> replica_groups = {},
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllGatherStart(XlaBuilder* builder, XlaOp operand, int64_t all_gather_dimension,
                                   int64_t shard_count, const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllGatherDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                   XlaComputationRef computation,
                                   absl::Span<const ReplicaGroup> replica_groups = {},
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllReduceStart(XlaBuilder* builder, XlaOp operand,
                                   XlaComputationRef computation,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
  static XlaOp BuildAllReduceDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildCollectivePermuteStart(
      XlaBuilder* builder, XlaOp operand,
      const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
      const std::optional<ChannelHandle>& channel_id = std::nullopt);
  static XlaOp BuildCollectivePermuteStart(
      XlaBuilder* builder, absl::Span<const XlaOp> operands,
      const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
      const std::optional<ChannelHandle>& channel_id = std::nullopt);
  static XlaOp BuildCollectivePermuteDone(XlaBuilder* builder, XlaOp operand, const Shape& shape);
  static XlaOp BuildSend(XlaBuilder* builder, XlaOp operand, XlaOp token,
                         const ChannelHandle& handle, bool is_host_transfer);
  static XlaOp BuildSendDone(XlaBuilder* builder, XlaOp operand, const ChannelHandle& handle,
                             bool is_host_transfer);
  // `shape` is that of the data.
  static XlaOp BuildRecv(XlaBuilder* builder, XlaOp token, const Shape& shape,
                         const ChannelHandle& handle, bool is_host_transfer);
  static XlaOp BuildRecvDone(XlaBuilder* builder, XlaOp token, const Shape& shape,
                             const ChannelHandle& handle, bool is_host_transfer);
};

}  // namespace xla::internal

#endif  // XLA_HLO_BUILDER_BUILDER_FRIEND_H_
