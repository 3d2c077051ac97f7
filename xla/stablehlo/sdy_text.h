// SPDX-License-Identifier: Apache-2.0
// Shardy's attributes in text: reads them, checks what an attribute alone can be checked for, and
// writes them as MLIR does. The grammar is that of Shardy's attrs.td and parsers.cc.
#ifndef XLA_STABLEHLO_SDY_TEXT_H_
#define XLA_STABLEHLO_SDY_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/stablehlo/sharding.h"

namespace xla::stablehlo {

// #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4} reduction={i}, custom>: dimensions are lists of
// numbers of factors.
struct ShardyRule {
  using Dimension = std::vector<int64_t>;
  using Mapping = std::vector<Dimension>;
  std::vector<Mapping> operands, results;
  std::vector<int64_t> sizes;  // of the factors
  std::vector<int64_t> reduction, need_replication, permutation, blocked_propagation;
  bool is_custom = false;
};

// {"x"}: 0->1
struct ShardyExchange {
  std::vector<ShardyAxis> axes;
  int64_t source = 0;
  int64_t target = 0;
};

// operand-0
struct ShardyEdgeValue {
  bool is_result = false;
  int64_t index = 0;

  bool operator==(const ShardyEdgeValue&) const = default;
};

// {"x" = operand-0 -> [result-0]}
struct ShardyEdge {
  ShardyAxis axis;
  ShardyEdgeValue source;
  std::vector<ShardyEdgeValue> targets;
};

// {step-1 = [..]}
struct ShardyStep {
  int64_t index = 0;
  std::vector<ShardyEdge> edges;
};

// Reads the text of an attribute without its name: of those that have it, without < and >.
// Functions return false after an error, which the cursor has.
class ShardyReader {
 public:
  // `attributes` reads what the text refers to by an alias; null if it cannot.
  ShardyReader(mlir::TextCursor* cursor, mlir::AttributeReader* attributes)
      : cursor_(*cursor), attributes_(attributes) {}

  bool ManualAxes(std::vector<std::string>* names);
  bool MeshAxis(std::pair<std::string, int64_t>* axis);
  bool Mesh(ShardyMesh* mesh);
  bool SubAxis(ShardyAxis* axis);
  bool Axis(ShardyAxis* axis);
  bool AxisList(std::vector<ShardyAxis>* axes);
  bool AxisLists(std::vector<std::vector<ShardyAxis>>* lists);
  bool Dimension(ShardyDimension* dimension);
  bool Sharding(ShardySharding* sharding);
  bool Shardings(std::vector<ShardySharding>* shardings);
  bool Exchange(ShardyExchange* exchange);
  bool Exchanges(std::vector<ShardyExchange>* exchanges);
  bool DimensionMapping(ShardyRule::Dimension* dimension);
  bool TensorMapping(ShardyRule::Mapping* mapping);
  bool Rule(ShardyRule* rule);
  bool EdgeValue(ShardyEdgeValue* value);
  bool Edge(ShardyEdge* edge);
  bool Step(ShardyStep* step);
  bool Steps(std::vector<ShardyStep>* steps);

 private:
  template <typename T>
  using Read = bool (ShardyReader::*)(T* value);

  bool Within(bool ok, const char* parameter, const char* attribute);
  bool Integer(int64_t* value);
  // Whether an attribute is named here, or an alias of one.
  bool IsReference() const { return attributes_ != nullptr && cursor_.Peek('#'); }
  // An attribute of the given kind by its name or an alias, or its text.
  template <typename T>
  bool Element(std::string_view kind, Read<T> read, T* value);
  template <typename T>
  bool List(std::string_view kind, Read<T> read, std::vector<T>* values);
  bool NamedAxes(std::vector<ShardyAxis>* axes);
  bool UnreducedAxes(ShardySharding* sharding);
  bool BracketedSharding(ShardySharding* sharding);
  bool MeshOrName(ShardySharding* sharding);
  bool ReadPriority(ShardyDimension* dimension);
  bool Mappings(std::vector<ShardyRule::Mapping>* mappings, const char* parameter);
  bool TakeFactor(std::string_view* text, int64_t* factor);
  bool FactorSizes(std::vector<int64_t>* sizes);
  bool Factors(const char* keyword, std::vector<int64_t>* factors);
  bool CheckMesh(const ShardyMesh& mesh, size_t begin);
  bool CheckSteps(const std::vector<ShardyStep>& steps, size_t begin);

  mlir::TextCursor& cursor_;
  mlir::AttributeReader* attributes_;
};

// The letters of a factor: i to z, z_1, z_2 and so on.
std::string FactorName(int64_t factor);

// Appends the text that ShardyReader reads.
void AppendText(std::string* out, const std::vector<std::string>& manual_axes);
void AppendText(std::string* out, const std::pair<std::string, int64_t>& mesh_axis);
void AppendText(std::string* out, const ShardyMesh& mesh);
void AppendText(std::string* out, const ShardyAxis& axis);
void AppendText(std::string* out, const std::vector<ShardyAxis>& axes);
void AppendText(std::string* out, const std::vector<std::vector<ShardyAxis>>& lists);
void AppendText(std::string* out, const ShardyDimension& dimension);
void AppendText(std::string* out, const ShardySharding& sharding);
void AppendText(std::string* out, const std::vector<ShardySharding>& shardings);
void AppendText(std::string* out, const ShardyExchange& exchange);
void AppendText(std::string* out, const std::vector<ShardyExchange>& exchanges);
void AppendText(std::string* out, const ShardyRule::Dimension& dimension);
void AppendText(std::string* out, const ShardyRule::Mapping& mapping);
void AppendText(std::string* out, const ShardyRule& rule);
void AppendText(std::string* out, const ShardyEdgeValue& value);
void AppendText(std::string* out, const ShardyEdge& edge);
void AppendText(std::string* out, const ShardyStep& step);
void AppendText(std::string* out, const std::vector<ShardyStep>& steps);
// `"x", "y":(1)2`: a list of axes without brackets.
void AppendAxes(std::string* out, const std::vector<ShardyAxis>& axes);

template <typename T>
std::string ToText(const T& value) {
  std::string text;
  AppendText(&text, value);
  return text;
}

// Reads an attribute of the dialect, for DialectSyntax: up to the closing '>' where it follows its
// name, else all of its text, with brackets of its own.
mlir::AttributeRef ReadShardyAttribute(mlir::AttributeReader& reader, std::string_view name,
                                       bool has_body);
mlir::AttributeRef ReadShardyAttributeText(mlir::AttributeReader& reader, std::string_view name);

absl::StatusOr<ShardyRule> ParseShardyRule(std::string_view text);
absl::StatusOr<std::vector<ShardyAxis>> ParseShardyAxisList(std::string_view text);
absl::StatusOr<std::vector<std::vector<ShardyAxis>>> ParseShardyAxisLists(std::string_view text);
absl::StatusOr<std::vector<ShardyExchange>> ParseShardyExchanges(std::string_view text);
absl::StatusOr<std::vector<ShardyStep>> ParseShardySteps(std::string_view text);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SDY_TEXT_H_
