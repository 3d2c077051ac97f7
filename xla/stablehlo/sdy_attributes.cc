// SPDX-License-Identifier: Apache-2.0
// The kinds of Shardy's attributes: read as attributes of MLIR, whose text becomes what MLIR would
// write, or from text alone.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/stablehlo/sdy_text.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeReader;
using mlir::AttributeRef;
using mlir::TextCursor;

// Attributes whose own text is between < and >; MLIR writes #sdy.mesh<..>, but
// #sdy<axis_ref_list{..}>.
struct Kind {
  std::string_view name;
  bool has_brackets;
  bool (*read)(ShardyReader& reader, std::string* text);
};

template <typename T, bool (ShardyReader::*kRead)(T*)>
bool ReadText(ShardyReader& reader, std::string* text) {
  T value;
  if (!(reader.*kRead)(&value)) return false;
  AppendText(text, value);
  return true;
}

bool ReadSubAxis(ShardyReader& reader, std::string* text) {
  ShardyAxis axis;
  if (!reader.SubAxis(&axis)) return false;
  absl::StrAppend(text, "(", axis.pre_size, ")", axis.size);
  return true;
}

using Axes = std::vector<ShardyAxis>;
constexpr Kind kKinds[] = {
    {"all_to_all_param", false, ReadText<ShardyExchange, &ShardyReader::Exchange>},
    {"all_to_all_param_list", false,
     ReadText<std::vector<ShardyExchange>, &ShardyReader::Exchanges>},
    {"axis_ref", false, ReadText<ShardyAxis, &ShardyReader::Axis>},
    {"axis_ref_list", false, ReadText<Axes, &ShardyReader::AxisList>},
    {"axis_to_propagation_details", false, ReadText<ShardyEdge, &ShardyReader::Edge>},
    {"dim_mapping", false, ReadText<ShardyRule::Dimension, &ShardyReader::DimensionMapping>},
    {"dimension_sharding", false, ReadText<ShardyDimension, &ShardyReader::Dimension>},
    {"edge_value_ref", false, ReadText<ShardyEdgeValue, &ShardyReader::EdgeValue>},
    {"list_of_axis_ref_lists", false, ReadText<std::vector<Axes>, &ShardyReader::AxisLists>},
    {"manual_axes", false, ReadText<std::vector<std::string>, &ShardyReader::ManualAxes>},
    {"mesh", true, ReadText<ShardyMesh, &ShardyReader::Mesh>},
    {"mesh_axis", false, ReadText<std::pair<std::string, int64_t>, &ShardyReader::MeshAxis>},
    {"op_sharding_rule", true, ReadText<ShardyRule, &ShardyReader::Rule>},
    {"propagation_edges", true, ReadText<std::vector<ShardyStep>, &ShardyReader::Steps>},
    {"propagation_one_step", false, ReadText<ShardyStep, &ShardyReader::Step>},
    {"sharding", true, ReadText<ShardySharding, &ShardyReader::Sharding>},
    {"sharding_per_value", true, ReadText<std::vector<ShardySharding>, &ShardyReader::Shardings>},
    {"sub_axis_info", false, ReadSubAxis},
    {"tensor_mapping", false, ReadText<ShardyRule::Mapping, &ShardyReader::TensorMapping>},
};

const Kind* FindKind(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

template <typename T, bool (ShardyReader::*kRead)(T*)>
absl::StatusOr<T> ParseWhole(std::string_view text, const char* what) {
  mlir::Arena arena;
  TextCursor cursor(text, &arena);
  ShardyReader reader(&cursor, nullptr);
  T value;
  if ((reader.*kRead)(&value) && !cursor.AtEnd()) {
    cursor.FailExpected(absl::StrCat("the end of the ", what));
  }
  if (!cursor.ok()) return cursor.ToStatus(what);
  return value;
}

}  // namespace

AttributeRef ReadShardyAttribute(AttributeReader& reader, std::string_view name, bool has_body) {
  const Kind* kind = FindKind(name);
  if (kind == nullptr || !has_body) return nullptr;
  ShardyReader shardy(&reader.cursor(), &reader);
  std::string text;
  if (!kind->read(shardy, &text)) return nullptr;
  return reader.context().DialectOf("sdy", name, reader.context().InternText(text));
}

AttributeRef ReadShardyAttributeText(AttributeReader& reader, std::string_view name) {
  const Kind* kind = FindKind(name);
  if (kind == nullptr) return nullptr;
  if (kind->has_brackets && !reader.cursor().Expect('<')) return nullptr;
  const AttributeRef value = ReadShardyAttribute(reader, kind->name, /*has_body=*/true);
  return value == nullptr || (kind->has_brackets && !reader.cursor().Expect('>')) ? nullptr : value;
}

absl::StatusOr<ShardyMesh> ParseShardyMesh(std::string_view text) {
  return ParseWhole<ShardyMesh, &ShardyReader::Mesh>(text, "mesh");
}
absl::StatusOr<ShardySharding> ParseShardySharding(std::string_view text) {
  return ParseWhole<ShardySharding, &ShardyReader::Sharding>(text, "sharding");
}
absl::StatusOr<std::vector<ShardySharding>> ParseShardyShardings(std::string_view text) {
  return ParseWhole<std::vector<ShardySharding>, &ShardyReader::Shardings>(text, "sharding");
}
absl::StatusOr<std::vector<std::string>> ParseShardyAxes(std::string_view text) {
  return ParseWhole<std::vector<std::string>, &ShardyReader::ManualAxes>(text, "axes");
}
absl::StatusOr<ShardyRule> ParseShardyRule(std::string_view text) {
  return ParseWhole<ShardyRule, &ShardyReader::Rule>(text, "sharding rule");
}
absl::StatusOr<Axes> ParseShardyAxisList(std::string_view text) {
  return ParseWhole<Axes, &ShardyReader::AxisList>(text, "axes");
}
absl::StatusOr<std::vector<Axes>> ParseShardyAxisLists(std::string_view text) {
  return ParseWhole<std::vector<Axes>, &ShardyReader::AxisLists>(text, "axes");
}
absl::StatusOr<std::vector<ShardyExchange>> ParseShardyExchanges(std::string_view text) {
  return ParseWhole<std::vector<ShardyExchange>, &ShardyReader::Exchanges>(text, "exchange");
}
absl::StatusOr<std::vector<ShardyStep>> ParseShardySteps(std::string_view text) {
  return ParseWhole<std::vector<ShardyStep>, &ShardyReader::Steps>(text, "propagation edges");
}

}  // namespace xla::stablehlo
