// SPDX-License-Identifier: Apache-2.0
// Collectives as HLO.
#include <optional>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
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

// Splits one dimension in as many pieces as there are devices and concatenates the pieces received
// along another.
absl::StatusOr<HloInstruction*> EmitAllToAll(Translator& translator, HloInstruction* operand,
                                             const AllToAllAttributes& attributes, int64_t split,
                                             int64_t concat, int64_t count) {
  const Shape& shape = operand->shape();
  if (split == concat) {
    return translator.Emit(HloOpcode::kAllToAll, shape, {operand}, attributes);
  }
  const PrimitiveType type = shape.element_type();
  const auto transpose = [&](HloInstruction* value, const std::vector<int64_t>& permutation) {
    std::vector<int64_t> sizes;
    for (const int64_t i : permutation) {
      sizes.push_back(value->shape().dimensions(static_cast<int>(i)));
    }
    return translator.Emit(HloOpcode::kTranspose, ShapeUtil::MakeShape(type, sizes), {value},
                           DimensionListAttributes{permutation});
  };
  // The pieces become a dimension of their own, which moves to the front, is exchanged, and moves
  // before the dimension of the concatenation.
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> pieces = sizes;
  pieces[static_cast<size_t>(split)] /= count;
  std::vector<int64_t> result = pieces;
  result[static_cast<size_t>(concat)] *= count;
  pieces.insert(pieces.begin() + split, count);
  std::vector<int64_t> to_front = {split};
  std::vector<int64_t> from_front;
  for (int64_t i = 0; i < static_cast<int64_t>(pieces.size()); ++i) {
    if (i != split) to_front.push_back(i);
    if (i < static_cast<int64_t>(sizes.size())) {
      if (i == concat) from_front.push_back(0);
      from_front.push_back(i + 1);
    }
  }
  HloInstruction* value = translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(type, pieces),
                                          {operand}, ReshapeAttributes{});
  value = transpose(value, to_front);
  AllToAllAttributes exchange = attributes;
  exchange.dimensions = std::vector<int64_t>{0};
  value = translator.Emit(HloOpcode::kAllToAll, value->shape(), {value}, exchange);
  value = transpose(value, from_front);
  return translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(type, result), {value},
                         ReshapeAttributes{});
}

absl::Status TranslateAllToAll(Translator& translator, const Operation& operation) {
  AllToAllAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  XLA_ASSIGN_OR_RETURN(const int64_t split, translator.Integer(operation, "split_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t concat, translator.Integer(operation, "concat_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t count, translator.Integer(operation, "split_count"));
  attributes.dimensions = std::vector<int64_t>{split};
  for (size_t i = 0; i < operation.operands.size() && i < operation.results.size(); ++i) {
    HloInstruction* operand = translator.Operand(operation, i);
    const auto rank = static_cast<int64_t>(operand->shape().dimensions().size());
    if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 ||
        operand->shape().dimensions(static_cast<int>(split)) % count != 0) {
      return translator.Error(operation, "cannot split the operand in that many pieces");
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * result,
                         EmitAllToAll(translator, operand, attributes, split, concat, count));
    translator.Set(operation.results[i], result);
  }
  return absl::OkStatus();
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
  table->emplace("stablehlo.all_to_all", TranslateAllToAll);
  table->emplace("stablehlo.collective_broadcast", TranslateCollectiveBroadcast);
  table->emplace("stablehlo.collective_permute", TranslateCollectivePermute);
  table->emplace("stablehlo.partition_id", TranslateId);
  table->emplace("stablehlo.reduce_scatter", TranslateReduceScatter);
  table->emplace("stablehlo.replica_id", TranslateId);
}

}  // namespace xla::stablehlo
