// SPDX-License-Identifier: Apache-2.0
// Collectives as HLO.
#include <optional>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// Rows of a [groups, size] constant; -1 pads groups that are shorter than others.
absl::StatusOr<std::vector<std::vector<int64_t>>> Rows(Translator& translator,
                                                       const Operation& operation,
                                                       std::string_view name) {
  const mlir::AttributeRef attribute = operation.Find(name);
  const auto* dense = attribute == nullptr ? nullptr : attribute->As<mlir::DenseAttribute>();
  if (dense == nullptr || dense->type->sizes.size() != 2) {
    return translator.Unimplemented(operation, "groups that are not a constant of rank 2");
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> flat, translator.Integers(operation, name));
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(dense->type->sizes[0]));
  const auto width = static_cast<size_t>(dense->type->sizes[1]);
  for (size_t i = 0; i < flat.size(); ++i) {
    if (flat[i] >= 0) rows[i / width].push_back(flat[i]);
  }
  return rows;
}

absl::StatusOr<std::optional<int64_t>> Channel(Translator& translator, const Operation& operation) {
  if (operation.Find("channel_handle") == nullptr) return std::optional<int64_t>();
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* handle,
                       translator.Struct(operation, "channel_handle"));
  XLA_ASSIGN_OR_RETURN(const int64_t id, translator.Parameter(operation, *handle, "handle"));
  return id > 0 ? std::optional<int64_t>(id) : std::nullopt;
}

absl::Status SetBase(Translator& translator, const Operation& operation, CollectiveBase* base) {
  XLA_ASSIGN_OR_RETURN(base->channel_id, Channel(translator, operation));
  XLA_ASSIGN_OR_RETURN(base->replica_groups.groups, Rows(translator, operation, "replica_groups"));
  return absl::OkStatus();
}

absl::Status TranslateAllGather(Translator& translator, const Operation& operation) {
  AllGatherAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "all_gather_dim"));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  return translator.EmitResults(operation, HloOpcode::kAllGather, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateAllReduce(Translator& translator, const Operation& operation) {
  AllReduceAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kAllReduce, translator.Operands(operation),
                                attributes, {body});
}

absl::Status TranslateReduceScatter(Translator& translator, const Operation& operation) {
  ReduceScatterAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0],
                       translator.Integer(operation, "scatter_dimension"));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kReduceScatter,
                                translator.Operands(operation), attributes, {body});
}

absl::Status TranslateCollectiveBroadcast(Translator& translator, const Operation& operation) {
  CollectiveAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  if (translator.Flag(operation, "has_dynamic_root")) {
    return translator.Unimplemented(operation, "a dynamic root");
  }
  return translator.EmitResults(operation, HloOpcode::kCollectiveBroadcast,
                                translator.Operands(operation), attributes);
}

absl::Status TranslateCollectivePermute(Translator& translator, const Operation& operation) {
  CollectivePermuteAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.channel_id, Channel(translator, operation));
  XLA_ASSIGN_OR_RETURN(const auto rows, Rows(translator, operation, "source_target_pairs"));
  for (const std::vector<int64_t>& row : rows) {
    if (row.size() != 2) return translator.Error(operation, "needs pairs of source and target");
    attributes.source_target_pairs.emplace_back(row[0], row[1]);
  }
  return translator.EmitResults(operation, HloOpcode::kCollectivePermute,
                                translator.Operands(operation), attributes);
}

absl::Status TranslateId(Translator& translator, const Operation& operation) {
  return translator.EmitResults(
      operation,
      operation.Is("stablehlo.replica_id") ? HloOpcode::kReplicaId : HloOpcode::kPartitionId, {});
}

}  // namespace

void AddCollectiveHandlers(HandlerTable* table) {
  table->emplace("stablehlo.all_gather", TranslateAllGather);
  table->emplace("stablehlo.all_reduce", TranslateAllReduce);
  table->emplace("stablehlo.collective_broadcast", TranslateCollectiveBroadcast);
  table->emplace("stablehlo.collective_permute", TranslateCollectivePermute);
  table->emplace("stablehlo.partition_id", TranslateId);
  table->emplace("stablehlo.reduce_scatter", TranslateReduceScatter);
  table->emplace("stablehlo.replica_id", TranslateId);
}

}  // namespace xla::stablehlo
