// SPDX-License-Identifier: Apache-2.0
// Writes the text of Shardy's attributes, as MLIR does.
#include "absl/strings/str_cat.h"
#include "xla/stablehlo/sdy_text.h"

namespace xla::stablehlo {

std::string FactorName(int64_t factor) {
  constexpr int64_t kLetters = 'z' - 'i' + 1;
  if (factor < kLetters) return std::string(1, static_cast<char>('i' + factor));
  return absl::StrCat("z_", factor - kLetters + 1);
}

namespace {

template <typename Range, typename Append>
void AppendList(std::string* out, std::string_view open, const Range& range, std::string_view close,
                Append append) {
  out->append(open);
  const char* separator = "";
  for (const auto& element : range) {
    out->append(separator);
    append(element);
    separator = ", ";
  }
  out->append(close);
}

void AppendFactors(std::string* out, const char* keyword, const std::vector<int64_t>& factors) {
  if (factors.empty()) return;
  absl::StrAppend(out, " ", keyword, "=");
  AppendList(out, "{", factors, "}", [&](int64_t factor) { out->append(FactorName(factor)); });
}

}  // namespace

void AppendText(std::string* out, const std::vector<std::string>& manual_axes) {
  AppendList(out, "{", manual_axes, "}",
             [&](const std::string& name) { mlir::AppendQuoted(out, name); });
}

void AppendText(std::string* out, const std::pair<std::string, int64_t>& axis) {
  mlir::AppendQuoted(out, axis.first);
  absl::StrAppend(out, "=", axis.second);
}

void AppendText(std::string* out, const ShardyMesh& mesh) {
  AppendList(out, "[", mesh.axes, "]", [&](const auto& axis) { AppendText(out, axis); });
  if (mesh.device_ids.empty()) return;
  AppendList(out, ", device_ids=[", mesh.device_ids, "]",
             [&](int64_t id) { absl::StrAppend(out, id); });
}

void AppendText(std::string* out, const ShardyAxis& axis) {
  mlir::AppendQuoted(out, axis.name);
  if (axis.size != 0) absl::StrAppend(out, ":(", axis.pre_size, ")", axis.size);
}

void AppendAxes(std::string* out, const std::vector<ShardyAxis>& axes) {
  AppendList(out, "", axes, "", [&](const ShardyAxis& axis) { AppendText(out, axis); });
}

void AppendText(std::string* out, const std::vector<ShardyAxis>& axes) {
  out->push_back('{');
  AppendAxes(out, axes);
  out->push_back('}');
}

void AppendText(std::string* out, const std::vector<std::vector<ShardyAxis>>& lists) {
  AppendList(out, "[", lists, "]", [&](const auto& axes) { AppendText(out, axes); });
}

void AppendText(std::string* out, const ShardyDimension& dimension) {
  out->push_back('{');
  AppendAxes(out, dimension.axes);
  if (!dimension.is_closed) out->append(dimension.axes.empty() ? "?" : ", ?");
  out->push_back('}');
  if (dimension.priority.has_value()) absl::StrAppend(out, "p", *dimension.priority);
}

void AppendText(std::string* out, const ShardySharding& sharding) {
  if (sharding.inlined.has_value()) {
    out->append("mesh<");
    AppendText(out, *sharding.inlined);
    out->push_back('>');
  } else {
    mlir::AppendSymbol(out, sharding.mesh);
  }
  AppendList(out, ", [", sharding.dimensions, "]",
             [&](const ShardyDimension& dimension) { AppendText(out, dimension); });
  if (!sharding.replicated.empty()) {
    out->append(", replicated=");
    AppendText(out, sharding.replicated);
  }
  if (!sharding.unreduced.empty()) {
    using Reduction = UnreducedKind;
    absl::StrAppend(out, ", unreduced=",
                    sharding.reduction == Reduction::kMax   ? "max"
                    : sharding.reduction == Reduction::kMin ? "min"
                                                            : "");
    AppendText(out, sharding.unreduced);
  }
}

void AppendText(std::string* out, const std::vector<ShardySharding>& shardings) {
  AppendList(out, "[", shardings, "]", [&](const ShardySharding& sharding) {
    out->push_back('<');
    AppendText(out, sharding);
    out->push_back('>');
  });
}

void AppendText(std::string* out, const ShardyExchange& exchange) {
  AppendText(out, exchange.axes);
  absl::StrAppend(out, ": ", exchange.source, "->", exchange.target);
}

void AppendText(std::string* out, const std::vector<ShardyExchange>& exchanges) {
  AppendList(out, "[", exchanges, "]", [&](const auto& exchange) { AppendText(out, exchange); });
}

void AppendText(std::string* out, const ShardyRule::Dimension& dimension) {
  for (const int64_t factor : dimension) out->append(FactorName(factor));
}

void AppendText(std::string* out, const ShardyRule::Mapping& mapping) {
  AppendList(out, "[", mapping, "]", [&](const auto& dimension) { AppendText(out, dimension); });
}

void AppendText(std::string* out, const ShardyRule& rule) {
  const auto append = [&](const ShardyRule::Mapping& mapping) { AppendText(out, mapping); };
  AppendList(out, "(", rule.operands, ")", append);
  out->append("->");
  AppendList(out, "(", rule.results, ")", append);
  if (!rule.sizes.empty()) {
    int64_t factor = 0;
    AppendList(out, " {", rule.sizes, "}",
               [&](int64_t size) { absl::StrAppend(out, FactorName(factor++), "=", size); });
  }
  AppendFactors(out, "reduction", rule.reduction);
  AppendFactors(out, "need_replication", rule.need_replication);
  AppendFactors(out, "permutation", rule.permutation);
  AppendFactors(out, "blocked_propagation", rule.blocked_propagation);
  if (rule.is_custom) out->append(", custom");
}

void AppendText(std::string* out, const ShardyEdgeValue& value) {
  absl::StrAppend(out, value.is_result ? "result-" : "operand-", value.index);
}

void AppendText(std::string* out, const ShardyEdge& edge) {
  out->push_back('{');
  AppendText(out, edge.axis);
  out->append(" = ");
  AppendText(out, edge.source);
  AppendList(out, " -> [", edge.targets, "]}",
             [&](const ShardyEdgeValue& target) { AppendText(out, target); });
}

void AppendText(std::string* out, const ShardyStep& step) {
  absl::StrAppend(out, "{step-", step.index);
  AppendList(out, " = [", step.edges, "]}", [&](const ShardyEdge& edge) { AppendText(out, edge); });
}

void AppendText(std::string* out, const std::vector<ShardyStep>& steps) {
  AppendList(out, "[", steps, "]", [&](const ShardyStep& step) { AppendText(out, step); });
}

}  // namespace xla::stablehlo
