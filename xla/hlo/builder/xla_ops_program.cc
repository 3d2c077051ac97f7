// SPDX-License-Identifier: Apache-2.0
// Free functions: control, calls, effects, collectives.
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// --- Tuples and control
XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements, CallSite site) {
  return builder->Tuple(elements, site);
}

XlaOp GetTupleElement(XlaOp tuple_data, int64_t index, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({tuple_data});
  return builder == nullptr ? XlaOp() : builder->GetTupleElement(tuple_data, index, site);
}

XlaOp Call(XlaBuilder* builder, XlaComputationRef computation, absl::Span<const XlaOp> operands,
           CallSite site) {
  return builder->Call(computation, operands, site);
}

XlaOp CompositeCall(XlaBuilder* builder, XlaComputationRef computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes, std::optional<int64_t> version,
                    CallSite site) {
  return builder->CompositeCall(computation, operands, name, attributes, version, site);
}

XlaOp While(XlaComputationRef condition, XlaComputationRef body, XlaOp init, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({init});
  return builder == nullptr ? XlaOp() : builder->While(condition, body, init, site);
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationRef true_computation,
                  XlaOp false_operand, XlaComputationRef false_computation, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({predicate, true_operand, false_operand});
  return builder == nullptr ? XlaOp()
                            : builder->Conditional(predicate, true_operand, true_computation,
                                                   false_operand, false_computation, site);
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({branch_index});
  return builder == nullptr
             ? XlaOp()
             : builder->Conditional(branch_index, branch_computations, branch_operands, site);
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({branch_index});
  return builder == nullptr
             ? XlaOp()
             : builder->Conditional(branch_index, branch_computations, branch_operands, site);
}

XlaOp OptimizationBarrier(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->OptimizationBarrier(operand, site);
}

// --- Custom calls
XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape, const std::string& opaque,
                 bool has_side_effect, AliasingPairs output_operand_aliasing,
                 const Literal* literal, CustomCallSchedule schedule,
                 CustomCallApiVersion api_version, CallSite site) {
  return builder->CustomCall(call_target_name, operands, shape, opaque, has_side_effect,
                             output_operand_aliasing, literal, schedule, api_version, site);
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                AliasingPairs output_operand_aliasing, const Literal* literal,
                                CustomCallSchedule schedule, CustomCallApiVersion api_version,
                                CallSite site) {
  return builder->CustomCallWithComputation(call_target_name, operands, computation, shape, opaque,
                                            has_side_effect, output_operand_aliasing, literal,
                                            schedule, api_version, site);
}

XlaOp CustomCallWithComputationAndLayouts(XlaBuilder* builder, const std::string& call_target_name,
                                          absl::Span<const XlaOp> operands,
                                          XlaComputationRef computation, const Shape& shape,
                                          absl::Span<const Shape> operand_shapes_with_layout,
                                          const std::string& opaque, bool has_side_effect,
                                          AliasingPairs output_operand_aliasing,
                                          const Literal* literal, CustomCallSchedule schedule,
                                          CustomCallApiVersion api_version, CallSite site) {
  return builder->CustomCallWithComputationAndLayouts(
      call_target_name, operands, computation, shape, operand_shapes_with_layout, opaque,
      has_side_effect, output_operand_aliasing, literal, schedule, api_version, site);
}

XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque, bool has_side_effect,
                           AliasingPairs output_operand_aliasing, const Literal* literal,
                           CustomCallSchedule schedule, CustomCallApiVersion api_version,
                           CallSite site) {
  return builder->CustomCallWithLayout(
      call_target_name, operands, shape_with_layout, operand_shapes_with_layout, opaque,
      has_side_effect, output_operand_aliasing, literal, schedule, api_version, site);
}

XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              AliasingPairs output_operand_aliasing, const Literal* literal,
                              Window window, ConvolutionDimensionNumbers dnums,
                              CustomCallSchedule schedule, CustomCallApiVersion api_version,
                              CallSite site) {
  return builder->CustomCallWithConvDnums(
      call_target_name, operands, shape, operand_shapes_with_layout, opaque, has_side_effect,
      output_operand_aliasing, literal, window, dnums, schedule, api_version, site);
}

// --- Tokens and effects
XlaOp CreateToken(XlaBuilder* builder, CallSite site) { return builder->CreateToken(site); }

XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens, CallSite site) {
  return builder->AfterAll(tokens, site);
}

XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config, CallSite site) {
  return builder->Infeed(shape, config, site);
}

XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  return builder == nullptr ? XlaOp() : builder->InfeedWithToken(token, shape, config, site);
}

void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config,
             CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder != nullptr) builder->Outfeed(operand, shape_with_layout, outfeed_config, site);
}

XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  return builder == nullptr
             ? XlaOp()
             : builder->OutfeedWithToken(operand, token, shape_with_layout, outfeed_config, site);
}

void Send(XlaOp operand, const ChannelHandle& handle, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder != nullptr) builder->Send(operand, handle, site);
}

XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  return builder == nullptr ? XlaOp() : builder->SendWithToken(operand, token, handle, site);
}

XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle, CallSite site) {
  return builder->Recv(shape, handle, site);
}

XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  return builder == nullptr ? XlaOp() : builder->RecvWithToken(token, shape, handle, site);
}

XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  return builder == nullptr ? XlaOp()
                            : builder->SendToHost(operand, token, shape_with_layout, handle, site);
}

XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  return builder == nullptr ? XlaOp() : builder->RecvFromHost(token, shape, handle, site);
}

// --- Across replicas and partitions
XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id, const std::optional<Layout>& layout,
                std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->AllGather(operand, all_gather_dimension, shard_count, replica_groups,
                                  channel_id, layout, use_global_device_ids, site);
}

XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Layout>& layout,
                              std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->AllGatherWithDeviceList(
                                  operand, all_gather_dimension, shard_count, replica_groups,
                                  channel_id, layout, use_global_device_ids, site);
}

XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids,
                     CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr
             ? XlaOp()
             : builder->AllGatherTuple(operands, all_gather_dimension, shard_count, replica_groups,
                                       channel_id, layout, use_global_device_ids, site);
}

XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count, const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Layout>& layout,
                                   std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->AllGatherTupleWithDeviceList(
                                  operands, all_gather_dimension, shard_count, replica_groups,
                                  channel_id, layout, use_global_device_ids, site);
}

XlaOp AllReduce(XlaOp operand, XlaComputationRef computation,
                absl::Span<const ReplicaGroup> replica_groups,
                const std::optional<ChannelHandle>& channel_id,
                const std::optional<Shape>& shape_with_layout,
                std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->AllReduce(operand, computation, replica_groups, channel_id,
                                                 shape_with_layout, use_global_device_ids, site);
}

XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationRef computation,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id,
                              const std::optional<Shape>& shape_with_layout,
                              std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->AllReduceWithDeviceList(operand, computation, replica_groups, channel_id,
                                                shape_with_layout, use_global_device_ids, site);
}

XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr
             ? XlaOp()
             : builder->AllReduceTuple(operands, computation, replica_groups, channel_id,
                                       shape_with_layout, use_global_device_ids, site);
}

XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id,
                                   const std::optional<Shape>& shape_with_layout,
                                   std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->AllReduceTupleWithDeviceList(
                                  operands, computation, replica_groups, channel_id,
                                  shape_with_layout, use_global_device_ids, site);
}

XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->CrossReplicaSum(operand, replica_groups, site);
}

XlaOp ReduceScatter(XlaOp operand, XlaComputationRef computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<ChannelHandle>& channel_id,
                    const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids,
                    CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->ReduceScatter(operand, computation, scatter_dimension,
                                                     shard_count, replica_groups, channel_id,
                                                     layout, use_global_device_ids, site);
}

XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationRef computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id,
                                  const std::optional<Layout>& layout,
                                  std::optional<bool> use_global_device_ids, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->ReduceScatterWithDeviceList(
                                  operand, computation, scatter_dimension, shard_count,
                                  replica_groups, channel_id, layout, use_global_device_ids, site);
}

XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
               const std::optional<Layout>& layout, const std::optional<ChannelHandle>& channel_id,
               CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->AllToAll(operand, split_dimension, concat_dimension, split_count,
                                 replica_groups, layout, channel_id, site);
}

XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceList& replica_groups,
                             const std::optional<Layout>& layout,
                             const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->AllToAllWithDeviceList(
                                  operand, split_dimension, concat_dimension, split_count,
                                  replica_groups, layout, channel_id, site);
}

XlaOp AllToAllTuple(absl::Span<const XlaOp> operands, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr
             ? XlaOp()
             : builder->AllToAllTuple(operands, replica_groups, layout, channel_id, site);
}

XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->AllToAllTupleWithDeviceList(operands, replica_groups, layout,
                                                                   channel_id, site);
}

XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
                    const std::optional<Layout>& layout,
                    const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->AllToAllTuple(operand, split_dimension, concat_dimension, split_count,
                                      replica_groups, layout, channel_id, site);
}

XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count, const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout,
                                  const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->AllToAllTupleWithDeviceList(
                                  operand, split_dimension, concat_dimension, split_count,
                                  replica_groups, layout, channel_id, site);
}

XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups,
                     const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder =
      XlaBuilder::Of({input, input_offsets, send_sizes, output, output_offsets, recv_sizes});
  return builder == nullptr
             ? XlaOp()
             : builder->RaggedAllToAll(input, input_offsets, send_sizes, output, output_offsets,
                                       recv_sizes, replica_groups, channel_id, site);
}

XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder =
      XlaBuilder::Of({input, input_offsets, send_sizes, output, output_offsets, recv_sizes});
  return builder == nullptr ? XlaOp()
                            : builder->RaggedAllToAllWithDeviceList(
                                  input, input_offsets, send_sizes, output, output_offsets,
                                  recv_sizes, replica_groups, channel_id, site);
}

XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->CollectiveBroadcast(operand, replica_groups, channel_id, site);
}

XlaOp CollectiveBroadcastWithDeviceList(XlaOp operand, const CollectiveDeviceList& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id,
                                        CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->CollectiveBroadcastWithDeviceList(operand, replica_groups,
                                                                         channel_id, site);
}

XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id, bool has_dynamic_root,
                          CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->CollectiveBroadcast(operands, replica_groups, channel_id,
                                                           has_dynamic_root, site);
}

XlaOp CollectiveBroadcastWithDeviceList(absl::Span<const XlaOp> operands,
                                        const CollectiveDeviceList& replica_groups,
                                        const std::optional<ChannelHandle>& channel_id,
                                        bool has_dynamic_root, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->CollectiveBroadcastWithDeviceList(
                                  operands, replica_groups, channel_id, has_dynamic_root, site);
}

XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->CollectivePermute(operand, source_target_pairs, channel_id, site);
}

XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr
             ? XlaOp()
             : builder->MultiCollectivePermute(operands, source_target_pairs, channel_id, site);
}

XlaOp ReplicaId(XlaBuilder* builder, CallSite site) { return builder->ReplicaId(site); }

XlaOp PartitionId(XlaBuilder* builder, CallSite site) { return builder->PartitionId(site); }

}  // namespace xla
