// SPDX-License-Identifier: Apache-2.0
// Rules of Shardy's attributes of operations and functions: shardings, sharding rules, edges.
#include <algorithm>

#include "xla/stablehlo/sdy_text.h"
#include "xla/stablehlo/verify_sharding.h"

namespace xla::stablehlo {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeRef;

namespace {

const mlir::DialectAttribute* AsShardy(const mlir::Attribute& attribute, std::string_view kind) {
  const auto* dialect = attribute.As<mlir::DialectAttribute>();
  return dialect != nullptr && dialect->Is("sdy", kind) ? dialect : nullptr;
}

}  // namespace

// --- Sharding rules ---

bool ShardingCheck::Mappings(const std::vector<std::vector<std::vector<int64_t>>>& mappings,
                             const std::vector<TypeRef>& types, const std::vector<int64_t>& sizes,
                             std::string_view what, std::vector<bool>* seen) {
  if (types.size() != mappings.size()) {
    return Fail("number of ", View(what), "s and mappings must match: ", types.size(),
                " != ", mappings.size());
  }
  const auto count = static_cast<int64_t>(sizes.size());
  for (size_t i = 0; i < types.size(); ++i) {
    ShardingCheck value =
        For(absl::StrCat(View(what), types.size() == 1 ? " - " : absl::StrCat(" ", i, " - ")));
    const auto is_open = [](int64_t size) { return IsDynamicSize(size); };
    if (!IsTensor(types[i]) ||
        std::any_of(types[i]->sizes.begin(), types[i]->sizes.end(), is_open)) {
      return value.Fail("expected a ranked tensor with a static shape. type: ",
                        mlir::ToString(types[i]));
    }
    if (mappings[i].size() != types[i]->sizes.size()) {
      return value.Fail("mapping rank must match: ", mappings[i].size(),
                        " != ", types[i]->sizes.size());
    }
    std::vector<bool> used(sizes.size(), false);
    for (const std::vector<int64_t>& dimension : mappings[i]) {
      if (dimension.empty()) return value.Fail("dim mapping must have at least one factor");
      for (const int64_t factor : dimension) {
        if (factor < 0 || factor >= count) {
          return value.Fail("expecting factor indices to be within 0<=...<num_factors; received: ",
                            factor, ", num_factors: ", count);
        }
        const auto f = static_cast<size_t>(factor);
        if (used[f]) return value.Fail("cannot reuse factors for the same tensor value");
        if (sizes[f] == 1 && dimension.size() > 1) {
          return value.Fail(
              "dim mapping can't have a factor of size 1 if there are multiple factors");
        }
        used[f] = true;
        (*seen)[f] = true;
      }
    }
  }
  return true;
}

bool ShardingCheck::SpecialFactors(const std::vector<int64_t>& factors, int64_t count) {
  if (factors.empty()) return true;
  if (!std::is_sorted(factors.begin(), factors.end())) {
    return Fail("indices of special factors must be sorted");
  }
  if (std::adjacent_find(factors.begin(), factors.end()) != factors.end()) {
    return Fail("indices of special factors must be unique");
  }
  if (factors.front() < 0) return Fail("index must be non-negative");
  return factors.back() < count ||
         Fail("index must be less than ", count, ", got: ", factors.back());
}

bool ShardingCheck::Rule(const mlir::Attribute& attribute) {
  const auto* text = AsShardy(attribute, "op_sharding_rule");
  if (text == nullptr) {
    return Fail(
        "should have a sharding rule attribute of type OpShardingRuleAttr for attr named "
        "'sdy.sharding_rule'");
  }
  const auto parsed = ParseShardyRule(text->text);
  if (!parsed.ok()) return Fail(parsed.status().message());
  const ShardyRule& rule = *parsed;
  const Operation& operation = check_.operation();
  std::vector<bool> in_operands(rule.sizes.size(), false);
  std::vector<bool> in_results(rule.sizes.size(), false);
  if (!Mappings(rule.operands, TypesOfValues(operation.operands), rule.sizes, "operand",
                &in_operands) ||
      !Mappings(rule.results, TypesOfValues(operation.results), rule.sizes, "result",
                &in_results)) {
    return false;
  }
  const auto count = static_cast<int64_t>(rule.sizes.size());
  for (size_t f = 0; f < rule.sizes.size(); ++f) {
    if (in_operands[f] || in_results[f]) continue;
    return Fail("has factor ", FactorName(static_cast<int64_t>(f)), "=", rule.sizes[f],
                " that isn't used in operand and result mappings");
  }
  std::vector<int64_t> special;
  for (const auto* factors : {&rule.reduction, &rule.need_replication, &rule.permutation}) {
    if (!SpecialFactors(*factors, count)) return false;
    special.insert(special.end(), factors->begin(), factors->end());
  }
  std::sort(special.begin(), special.end());
  if (std::adjacent_find(special.begin(), special.end()) != special.end()) {
    return Fail(
        "a factor can only be in one of the reduction, need replication, or permutation "
        "factor sets");
  }
  if (!SpecialFactors(rule.blocked_propagation, count)) return false;
  for (const int64_t factor : rule.reduction) {
    if (in_results[static_cast<size_t>(factor)]) {
      return Fail("reduction factor cannot be in result mappings");
    }
  }
  return true;
}

// --- Edges ---

bool ShardingCheck::EdgeValue(bool is_result, int64_t index) {
  const size_t count = is_result ? check_.num_results() : check_.num_operands();
  if (index >= 0 && static_cast<uint64_t>(index) < count) return true;
  return Fail("expected a value ref to have ", is_result ? "a result" : "an operand",
              " index in range [0, ", count, "), got: ", index);
}

bool ShardingCheck::PropagationEdges(const mlir::Attribute& attribute) {
  const auto* text = AsShardy(attribute, "propagation_edges");
  if (text == nullptr) {
    return Fail(
        "should have a propagation edges attribute of type PropagationEdgesAttr for attr "
        "named 'sdy.propagation_edges'");
  }
  const auto steps = ParseShardySteps(text->text);
  if (!steps.ok()) return Fail(steps.status().message());
  const Operation& operation = check_.operation();
  // The meshes of all values that the edges name.
  std::vector<const ShardyMesh*> meshes;
  const auto add = [&](const ShardyEdgeValue& value) {
    const size_t count = value.is_result ? operation.results.size() : operation.operands.size();
    if (value.index < 0 || static_cast<uint64_t>(value.index) >= count) return;
    const auto i = static_cast<size_t>(value.index);
    const auto sharding =
        ShardingOf(value.is_result ? operation.results[i] : *operation.operands[i], scope_);
    // Those that are inlined are not kept.
    if (sharding.has_value()) meshes.push_back(scope_.Mesh(sharding->mesh));
  };
  for (const ShardyStep& step : *steps) {
    for (const ShardyEdge& edge : step.edges) {
      add(edge.source);
      for (const ShardyEdgeValue& target : edge.targets) add(target);
    }
  }
  if (meshes.empty()) return Fail("expected propagation edges attr to reference a sharding.");
  const ShardyMesh* common = nullptr;
  for (const ShardyMesh* mesh : meshes) {
    if (mesh == nullptr || (mesh->axes.empty() && mesh->device_ids.empty())) continue;
    if (common != nullptr && *common != *mesh) {
      return Fail("expected a common mesh for propagation edges attr.");
    }
    common = mesh;
  }
  for (const ShardyStep& step : *steps) {
    for (const ShardyEdge& edge : step.edges) {
      if (common != nullptr && AxisSize(*common, edge.axis.name) == 0) {
        return Fail("expected axis ref to be in one of the meshes, but it is ",
                    AxisText(edge.axis));
      }
      if (!EdgeValue(edge.source.is_result, edge.source.index)) return false;
      for (const ShardyEdgeValue& target : edge.targets) {
        if (!EdgeValue(target.is_result, target.index)) return false;
      }
    }
  }
  return true;
}

// --- Attributes ---

namespace {

// The dictionaries of the arguments or results of a function.
bool CheckValues(Check& check, const ShardyScope& scope, std::string_view list,
                 absl::Span<const TypeRef> types, const char* what) {
  const AttributeRef value = check.operation().Find(list);
  const auto* array = value == nullptr ? nullptr : value->As<mlir::ArrayAttribute>();
  if (array == nullptr) return true;
  for (size_t i = 0; i < array->elements.size() && i < types.size(); ++i) {
    const auto* entries = array->elements[i]->As<mlir::DictionaryAttribute>();
    const AttributeRef found =
        entries == nullptr ? nullptr : mlir::FindAttribute(entries->entries, "sdy.sharding");
    if (found == nullptr) continue;
    ShardingCheck sharding(check, scope, absl::StrCat(what, " ", i, " - "));
    const auto* attribute = AsShardy(*found, "sharding");
    if (attribute == nullptr) {
      return sharding.Fail("should have a sharding attribute of type TensorShardingAttr");
    }
    const auto parsed = ParseShardySharding(attribute->text);
    if (!parsed.ok()) return sharding.Fail(parsed.status().message());
    if (!sharding.Sharding(*parsed, types[i])) return false;
  }
  return true;
}

bool CheckOwnSharding(Check& check, const ShardyScope& scope, const mlir::Attribute& value) {
  const auto* attribute = AsShardy(value, "sharding_per_value");
  if (attribute == nullptr) {
    return check.Fail("should have a sharding attribute of type TensorShardingPerValueAttr");
  }
  const auto parsed = ParseShardyShardings(attribute->text);
  if (!parsed.ok()) return check.Fail(parsed.status().message());
  return ShardingCheck(check, scope, "result ")
      .Shardings(*parsed, TypesOfValues(check.operation().results));
}

bool CheckListOfEdges(Check& check, const mlir::Attribute& value) {
  const auto* array = value.As<mlir::ArrayAttribute>();
  const bool is_list =
      array != nullptr &&
      std::all_of(array->elements.begin(), array->elements.end(), [](AttributeRef element) {
        return AsShardy(*element, "propagation_edges") != nullptr;
      });
  return is_list || check.Fail(
                        "should have a propagation edges attribute of type "
                        "ArrayAttr<PropagationEdgesAttr> for attr named "
                        "'sdy.result_propagation_edges' or "
                        "'sdy.block_arg_propagation_edges'");
}

}  // namespace

bool CheckShardyAttributes(Check& check, const ShardyScope& scope) {
  const Operation& operation = check.operation();
  for (const mlir::NamedAttribute& attribute : operation.attributes) {
    if (attribute.name.substr(0, 4) != "sdy.") continue;
    bool ok = true;
    if (attribute.name == "sdy.sharding") {
      ok = CheckOwnSharding(check, scope, *attribute.value);
    } else if (attribute.name == "sdy.sharding_rule") {
      ok = ShardingCheck(check, scope).Rule(*attribute.value);
    } else if (attribute.name == "sdy.propagation_edges") {
      ok = ShardingCheck(check, scope).PropagationEdges(*attribute.value);
    } else if (attribute.name == "sdy.result_propagation_edges" ||
               attribute.name == "sdy.block_arg_propagation_edges") {
      ok = CheckListOfEdges(check, *attribute.value);
    }
    if (!ok) return false;
  }
  if (!operation.Is("func.func")) return true;
  const AttributeRef function = operation.Find("function_type");
  const auto* type = function == nullptr ? nullptr : function->As<mlir::TypeAttribute>();
  if (type == nullptr) return true;
  return CheckValues(check, scope, "arg_attrs", type->type->types, "arg") &&
         CheckValues(check, scope, "res_attrs", type->type->results, "result");
}

}  // namespace xla::stablehlo
