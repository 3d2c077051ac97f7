// SPDX-License-Identifier: Apache-2.0
// Optional data of instructions to and from protos.
#include "xla/hlo/proto/extras_proto.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto {

absl::StatusOr<AccuracySpec> ReadAccuracy(const ResultAccuracy& proto) {
  AccuracySpec accuracy;
  if (proto.has_tolerance()) {
    accuracy.mode = AccuracySpec::Mode::kTolerance;
    accuracy.atol = proto.tolerance().atol();
    accuracy.rtol = proto.tolerance().rtol();
    accuracy.ulps = proto.tolerance().ulps();
  } else if (proto.mode() == ResultAccuracy::HIGHEST) {
    accuracy.mode = AccuracySpec::Mode::kHighest;
  } else if (proto.mode() != ResultAccuracy::DEFAULT) {
    return InvalidArgument("%d is not a valid mode of result_accuracy.",
                           static_cast<int>(proto.mode()));
  }
  return accuracy;
}

namespace {

ResultAccuracy WriteAccuracy(const AccuracySpec& accuracy) {
  ResultAccuracy proto;
  if (accuracy.mode == AccuracySpec::Mode::kTolerance) {
    proto.mutable_tolerance()->set_atol(accuracy.atol);
    proto.mutable_tolerance()->set_rtol(accuracy.rtol);
    proto.mutable_tolerance()->set_ulps(accuracy.ulps);
  } else if (accuracy.mode == AccuracySpec::Mode::kHighest) {
    proto.set_mode(ResultAccuracy::HIGHEST);
  }
  return proto;
}

// The wire lists the leaves with their places in the tree, from first to last. What it leaves out
// are tuples without elements, as `shape` shows.
absl::StatusOr<OriginalValueTree> ReadOriginalValue(const OriginalValueProto& proto,
                                                    const Shape& shape) {
  // Bounds recursion over the tree, as for shapes.
  constexpr int kMaxDepth = Shape::kMaxTupleDepth;
  OriginalValueTree value;
  value.is_synthetic_call = proto.is_synthetic_call();
  for (const OriginalValueElementProto& element : proto.elements()) {
    if (element.shape_index_size() > kMaxDepth) {
      return InvalidArgument("original_value nests deeper than %d", kMaxDepth);
    }
    OriginalValueNode* node = &value.root;
    const Shape* node_shape = &shape;
    for (int64_t index : element.shape_index()) {
      node->is_tuple = true;
      const bool has_shape = node_shape != nullptr && node_shape->IsTuple() && index >= 0 &&
                             index < node_shape->tuple_shapes_size();
      const int64_t size = static_cast<int64_t>(node->elements.size());
      if (index < 0 || (index > size && !has_shape)) {
        return InvalidArgument("original_value: element {%s} is not in order or not in the shape",
                               absl::StrJoin(element.shape_index(), ","));
      }
      for (int64_t i = size; i <= index; ++i) {
        node->elements.emplace_back();
        node->elements.back().is_tuple =
            i < index && ShapeUtil::IsEmptyTuple(node_shape->tuple_shapes(static_cast<int>(i)));
      }
      node = &node->elements[index];
      node_shape = has_shape ? &node_shape->tuple_shapes(static_cast<int>(index)) : nullptr;
    }
    if (node->is_tuple || node->instruction_name.has_value()) {
      return InvalidArgument("original_value: element {%s} is duplicated",
                             absl::StrJoin(element.shape_index(), ","));
    }
    if (element.has_original_array()) *node = ReadOriginalArray(element.original_array());
  }
  return value;
}

void WriteOriginalLeaves(const OriginalValueNode& node, std::vector<int64_t>* index,
                         OriginalValueProto* proto) {
  if (!node.is_tuple) {
    OriginalValueElementProto* element = proto->add_elements();
    element->mutable_shape_index()->Add(index->begin(), index->end());
    if (node.instruction_name.has_value()) {
      *element->mutable_original_array() = WriteOriginalArray(node);
    }
    return;
  }
  for (size_t i = 0; i < node.elements.size(); ++i) {
    index->push_back(static_cast<int64_t>(i));
    WriteOriginalLeaves(node.elements[i], index, proto);
    index->pop_back();
  }
}

OriginalValueProto WriteOriginalValue(const OriginalValueTree& value) {
  OriginalValueProto proto;
  proto.set_is_synthetic_call(value.is_synthetic_call);
  std::vector<int64_t> index;
  if (!value.is_synthetic_call) WriteOriginalLeaves(value.root, &index, &proto);
  return proto;
}

// Bytes given in place, or by their number in the module.
absl::StatusOr<std::string> ReadPayload(const Payload& payload, const HloModuleProto& module) {
  if (payload.payload_source_case() != Payload::kId) return payload.value();
  if (payload.id() < 0 || payload.id() >= module.payloads_size()) {
    return InvalidArgument("payload %d of %d", payload.id(), module.payloads_size());
  }
  return module.payloads(static_cast<int>(payload.id()));
}

}  // namespace

OriginalValueNode ReadOriginalArray(const OriginalArrayProto& proto) {
  OriginalValueNode node;
  node.instruction_name = proto.instruction_name();
  node.shape_index.assign(proto.shape_index().begin(), proto.shape_index().end());
  return node;
}

OriginalArrayProto WriteOriginalArray(const OriginalValueNode& node) {
  OriginalArrayProto proto;
  if (node.instruction_name.has_value()) proto.set_instruction_name(*node.instruction_name);
  proto.mutable_shape_index()->Add(node.shape_index.begin(), node.shape_index.end());
  return proto;
}

absl::Status ReadExtras(const HloInstructionProto& proto, const HloModuleProto& module_proto,
                        HloInstruction* instruction) {
  if (proto.has_sharding()) {
    XLA_ASSIGN_OR_RETURN(instruction->mutable_extras().sharding,
                         HloSharding::FromProto(proto.sharding()));
  }
  if (!proto.frontend_attributes().map().empty()) {
    for (const auto& [key, value] : proto.frontend_attributes().map()) {
      instruction->mutable_extras().frontend_attributes.emplace(key, value);
    }
  }
  const StatisticsViz& statistics_proto = proto.statistics_viz();
  if (!statistics_proto.statistics().empty() || statistics_proto.stat_index_to_visualize() != 0) {
    Statistics statistics;
    statistics.visualizing_index = statistics_proto.stat_index_to_visualize();
    for (const Statistic& statistic : statistics_proto.statistics()) {
      statistics.values.emplace_back(statistic.stat_name(), statistic.stat_val());
    }
    instruction->mutable_extras().statistics = std::move(statistics);
  }
  if (proto.has_result_accuracy()) {
    XLA_ASSIGN_OR_RETURN(const AccuracySpec accuracy, ReadAccuracy(proto.result_accuracy()));
    if (!(accuracy == AccuracySpec())) instruction->mutable_extras().result_accuracy = accuracy;
  }
  if (proto.metadata().ByteSizeLong() > 0) {
    OpMetadata metadata = proto.metadata();
    // An unknown frame is ignored.
    const int frame = metadata.stack_frame_id();
    if (frame < 0 || frame > module_proto.stack_frame_index().stack_frames_size()) {
      metadata.clear_stack_frame_id();
    }
    if (metadata.metadata_payload().payload_source_case() == Payload::kId) {
      XLA_ASSIGN_OR_RETURN(std::string bytes,
                           ReadPayload(metadata.metadata_payload(), module_proto));
      metadata.mutable_metadata_payload()->set_value(std::move(bytes));
    }
    if (metadata.ByteSizeLong() > 0) {
      instruction->set_metadata(InstructionMetadata::FromProto(metadata));
    }
  }
  if (proto.has_original_value()) {
    XLA_ASSIGN_OR_RETURN(instruction->mutable_extras().original_value,
                         ReadOriginalValue(proto.original_value(), instruction->shape()));
  }
  if (!proto.backend_config().empty()) {
    instruction->mutable_extras().backend_config = proto.backend_config();
  } else if (proto.has_backend_config_payload()) {
    XLA_ASSIGN_OR_RETURN(std::string config,
                         ReadPayload(proto.backend_config_payload(), module_proto));
    if (!config.empty()) instruction->mutable_extras().backend_config = std::move(config);
  }
  if (proto.has_parameter_replication()) {
    const auto& replicated = proto.parameter_replication().replicated_at_leaf_buffers();
    instruction->mutable_extras().parameter_replication.emplace(replicated.begin(),
                                                                replicated.end());
  }
  return absl::OkStatus();
}

absl::Status WriteExtras(const HloInstruction& instruction, HloInstructionProto* proto) {
  const InstructionExtras& extras = instruction.extras();
  if (extras.sharding.has_value()) *proto->mutable_sharding() = extras.sharding->ToProto();
  // These three are present on every instruction, as XLA has it.
  *proto->mutable_metadata() = instruction.metadata().ToProto();
  auto* frontend_attributes = proto->mutable_frontend_attributes()->mutable_map();
  for (const auto& [key, value] : extras.frontend_attributes) (*frontend_attributes)[key] = value;
  StatisticsViz* statistics_proto = proto->mutable_statistics_viz();
  if (extras.statistics.has_value()) {
    statistics_proto->set_stat_index_to_visualize(extras.statistics->visualizing_index);
    for (const auto& [name, value] : extras.statistics->values) {
      Statistic* statistic = statistics_proto->add_statistics();
      statistic->set_stat_name(name);
      statistic->set_stat_val(value);
    }
  }
  if (extras.result_accuracy.mode != AccuracySpec::Mode::kDefault) {
    *proto->mutable_result_accuracy() = WriteAccuracy(extras.result_accuracy);
  }
  if (extras.original_value.has_value()) {
    *proto->mutable_original_value() = WriteOriginalValue(*extras.original_value);
  }
  proto->set_backend_config(extras.backend_config);
  if (extras.parameter_replication.has_value()) {
    ParameterReplication* replication = proto->mutable_parameter_replication();
    for (bool replicated : *extras.parameter_replication) {
      replication->add_replicated_at_leaf_buffers(replicated);
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::proto
