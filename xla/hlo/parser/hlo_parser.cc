// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/parser/hlo_parser.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/text/printer.h"

namespace xla {
namespace {

// The same type where Abseil is built with C++17's.
std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

// What an attribute of a small module says: for values whose grammar is that of an attribute.
absl::StatusOr<std::unique_ptr<HloModule>> ParseWithAttribute(absl::string_view name,
                                                              absl::string_view value,
                                                              absl::string_view shape = "f32[]") {
  return ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m\nENTRY e { ROOT p = ", shape,
                                                     " parameter(0), ", name, "=", value, " }"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    absl::string_view text, const HloModuleConfig& config, const HloParserOptions& options) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(ToStd(text), options));
  HloModuleConfig& read = module->config();
  // The text's counts are 1 where it has none.
  if (read.replica_count() == 1) read.set_replica_count(config.replica_count());
  if (read.num_partitions() == 1) {
    read.set_num_partitions(config.num_partitions());
    read.set_use_spmd_partitioning(read.use_spmd_partitioning() || config.use_spmd_partitioning());
  }
  read.set_seed(config.seed());
  read.TakeRequests(config);
  return module;
}

absl::StatusOr<Window> ParseWindow(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const WindowDims window, ParseWindowDims(ToStd(text)));
  return proto::WriteWindow(window);
}

absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(
    absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const ConvDims dims, ParseConvDims(ToStd(text)));
  return proto::WriteConvDims(dims);
}

absl::StatusOr<PaddingConfig> ParsePaddingConfig(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const std::vector<PadDim> dims, ParsePadDims(ToStd(text)));
  PaddingConfig config;
  for (const PadDim& dim : dims) {
    PaddingConfig::PaddingConfigDimension* added = config.add_dimensions();
    added->set_edge_padding_low(dim.low);
    added->set_edge_padding_high(dim.high);
    added->set_interior_padding(dim.interior);
  }
  return config;
}

absl::StatusOr<FrontendAttributes> ParseFrontendAttributes(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseWithAttribute("frontend_attributes", text));
  FrontendAttributes attributes;
  for (const auto& [key, value] :
       module->entry_computation()->root_instruction()->extras().frontend_attributes) {
    (*attributes.mutable_map())[key] = value;
  }
  return attributes;
}

absl::StatusOr<StatisticsViz> ParseStatisticsViz(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseWithAttribute("statistics", text));
  const auto& statistics = module->entry_computation()->root_instruction()->extras().statistics;
  StatisticsViz viz;
  if (!statistics.has_value()) return viz;
  viz.set_stat_index_to_visualize(statistics->visualizing_index);
  for (const auto& [name, value] : statistics->values) {
    Statistic* added = viz.add_statistics();
    added->set_stat_name(name);
    added->set_stat_val(value);
  }
  return viz;
}

absl::StatusOr<std::vector<bool>> ParseParameterReplication(absl::string_view text) {
  // Of a parameter with as many leaves.
  const bool is_empty = absl::StripAsciiWhitespace(text) == "{}";
  const std::vector<absl::string_view> leaves(
      is_empty ? 0 : static_cast<size_t>(std::count(text.begin(), text.end(), ',')) + 1, "f32[]");
  XLA_ASSIGN_OR_RETURN(const auto module,
                       ParseWithAttribute("parameter_replication", text,
                                          absl::StrCat("(", absl::StrJoin(leaves, ", "), ")")));
  const auto& flags =
      module->entry_computation()->root_instruction()->extras().parameter_replication;
  return flags.has_value() ? *flags : std::vector<bool>();
}

absl::StatusOr<std::vector<ReplicaGroup>> ParseReplicaGroupsOnly(absl::string_view text) {
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "maximal_mesh")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Replica groups of a mesh must have more than one device per group, but got ", text));
  }
  XLA_ASSIGN_OR_RETURN(const CollectiveDeviceList devices, ParseCollectiveDeviceList(ToStd(text)));
  if (devices.mesh.has_value() && devices.mesh_axes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Replica groups of a mesh must have more than one device per group, but got ", text));
  }
  XLA_ASSIGN_OR_RETURN(const auto groups, devices.Flatten());
  std::vector<ReplicaGroup> result;
  for (const std::vector<int64_t>& ids : groups) {
    result.emplace_back();
    result.back().mutable_replica_ids()->Add(ids.begin(), ids.end());
  }
  return result;
}

absl::StatusOr<std::vector<Shape>> ParseShapeList(absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(const Shape tuple, ParseShape(absl::StrCat("(", text, ")")));
  return tuple.tuple_shapes();
}

absl::StatusOr<std::unique_ptr<CollectiveDeviceListBase>> ParseCollectiveDeviceListBase(
    absl::string_view text) {
  XLA_ASSIGN_OR_RETURN(CollectiveDeviceList devices, ParseCollectiveDeviceList(ToStd(text)));
  return std::make_unique<CollectiveDeviceListBase>(std::move(devices));
}

std::string PaddingConfigToString(const PaddingConfig& padding) {
  std::vector<PadDim> dims;
  for (const auto& dim : padding.dimensions()) {
    dims.push_back({dim.edge_padding_low(), dim.edge_padding_high(), dim.interior_padding()});
  }
  return PadDimsToString(dims);
}

std::string ConvolutionDimensionNumbersToString(const ConvolutionDimensionNumbers& numbers) {
  const absl::StatusOr<ConvDims> dims = proto::ReadConvDims(numbers);
  return dims.ok() ? ConvDimsToString(*dims) : std::string();
}

std::string FrontendAttributesToString(const FrontendAttributes& attributes) {
  return FrontendAttributesToString(
      std::map<std::string, std::string>(attributes.map().begin(), attributes.map().end()));
}

std::string ReplicaGroupsToString(absl::Span<const ReplicaGroup> groups) {
  CollectiveDeviceList list;
  for (const ReplicaGroup& group : groups) {
    list.groups.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  }
  return list.ToString();
}

}  // namespace xla
