// SPDX-License-Identifier: Apache-2.0
// Rules of Shardy's operations but for its collectives.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "xla/stablehlo/sdy_text.h"
#include "xla/stablehlo/verify_sharding.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeRef;

bool KeepsType(Check& check) { return check.ResultIs(0, check.operand(0)); }

// The attribute that the operation must have, as its kind is read.
template <typename T>
std::optional<T> Required(Check& check, std::string_view name, std::string_view kind,
                          absl::StatusOr<T> (*parse)(std::string_view)) {
  const auto* attribute = check.operation().Find(name)->As<mlir::DialectAttribute>();
  if (attribute == nullptr || !attribute->Is("sdy", kind)) {
    check.Fail("attribute '", View(name), "' must be a #sdy.", View(kind));
    return std::nullopt;
  }
  auto parsed = parse(attribute->text);
  if (!parsed.ok()) {
    check.Fail(parsed.status().message());
    return std::nullopt;
  }
  return *std::move(parsed);
}

bool MeshRule(Check& check) { return Required(check, "mesh", "mesh", ParseShardyMesh).has_value(); }

bool ConstraintRule(Check& check) {
  const auto sharding = Required(check, "sharding", "sharding", ParseShardySharding);
  if (!sharding.has_value() || !KeepsType(check) ||
      !ShardingCheck(check, check.shardy()).Sharding(*sharding, check.result(0))) {
    return false;
  }
  const auto before = ShardingOf(*check.operation().operands[0], check.shardy());
  return !before.has_value() || KeepsReduction(check, *before, *sharding);
}

bool IsStatic(TypeRef type) {
  return IsTensor(type) && std::none_of(type->sizes.begin(), type->sizes.end(),
                                        [](int64_t s) { return IsDynamicSize(s); });
}

bool DataFlowEdgeRule(Check& check) {
  if (!KeepsType(check)) return false;
  if (!IsStatic(check.result(0))) {
    return check.Fail("expected sdy.data_flow_edge to have a static-shaped result. type: ",
                      mlir::ToString(check.result(0)));
  }
  const mlir::Value& input = *check.operation().operands[0];
  if (check.shardy().UsesOf(input).count != 1) {
    return check.Fail("expected input of sdy.data_flow_edge to have a single user");
  }
  const Operation* definition = input.operation;
  if (definition != nullptr && definition->name->text.substr(0, 4) == "sdy." &&
      !definition->Is("sdy.named_computation") && !definition->Is("sdy.manual_computation")) {
    return check.Fail(
        "expected input of sdy.data_flow_edge to not be defined by an SdyDialect op "
        "(other than an sdy.named_computation), but it is by ",
        View(definition->name->text));
  }
  if (check.operation().Find("sharding") == nullptr) return true;
  const auto sharding = Required(check, "sharding", "sharding", ParseShardySharding);
  return sharding.has_value() &&
         ShardingCheck(check, check.shardy()).Sharding(*sharding, check.result(0));
}

bool FunctionEdgeRule(Check& check) {
  if (!KeepsType(check)) return false;
  if (!IsStatic(check.result(0))) {
    return check.Fail("expected sdy.func_data_flow_edge to have a static-shaped result. type: ",
                      mlir::ToString(check.result(0)));
  }
  const mlir::Value& operand = *check.operation().operands[0];
  if (check.shardy().UsesOf(operand).count != 1) {
    return check.Fail("expected operand of sdy.func_data_flow_edge to have a single user");
  }
  if (operand.operation != nullptr) {
    return operand.operation->Is("func.call") ||
           check.Fail("expected operand of sdy.func_data_flow_edge to be a result of call op.");
  }
  const Operation* owner =
      operand.block->region == nullptr ? nullptr : operand.block->region->parent;
  return (owner != nullptr && owner->Is("func.func")) ||
         check.Fail(
             "expected operand of sdy.func_data_flow_edge to be a block argument of a func op.");
}

bool ShardyBarrierRule(Check& check) {
  constexpr int64_t kBoth = 3;
  const int64_t direction = check.Integer("allowed_direction", -1);
  if (direction < 0 || direction > kBoth) {
    return check.Fail("allowed_direction must be NONE, FORWARD or BACKWARD");
  }
  if (direction == kBoth) {
    return check.Fail(
        "cannot specify `BOTH` as the direction. Not blocking propagation direction "
        "makes the op redundant.");
  }
  return check.Require(IsTensor(check.operand(0)), "operand #0 must be a ranked tensor, but is ",
                       check.operand(0)) &&
         KeepsType(check);
}

bool GroupRule(Check& check) {
  return check.Require(IsTensor(check.operand(0)), "operand #0 must be a ranked tensor, but is ",
                       check.operand(0));
}

bool ShardyConstantRule(Check& check) {
  const auto* dense = check.operation().Find("value")->As<mlir::DenseAttribute>();
  if (dense == nullptr) return true;
  return IsStatic(check.result(0)) || check.Fail("the result must have a static shape, but is ",
                                                 mlir::ToString(check.result(0)));
}

// --- Computations ---

// Their regions see nothing of what is around them.
bool IsIsolated(Check& check) {
  const mlir::Region& region = check.operation().regions[0];
  return check.Require(region.HasOneBlock(), "region #0 must have one block");
}

// The values that the region returns; null, with an error, if it does not end with sdy.return.
const Operation* ReturnOf(Check& check) {
  const mlir::Block& block = *check.operation().regions[0].first;
  if (block.last != nullptr && block.last->Is("sdy.return")) return block.last;
  check.Fail("expects region #0 to end with 'sdy.return'");
  return nullptr;
}

bool IsIn(const std::vector<std::string>& names, const ShardyAxis& axis) {
  return std::find(names.begin(), names.end(), axis.name) != names.end();
}

// The shardings of operands or results, and the types that they have within the region.
bool CheckBoundary(Check& check, std::string_view what, const std::vector<TypeRef>& outer,
                   const std::vector<TypeRef>& inner, const std::vector<ShardySharding>& shardings,
                   const std::vector<std::string>& manual) {
  if (outer.empty() && inner.empty() && shardings.empty()) return true;
  ShardingCheck sharding_check(check, check.shardy(), absl::StrCat(View(what), " "));
  if (!sharding_check.Shardings(shardings, outer)) return false;
  if (outer.size() != inner.size()) {
    return check.Fail("number of op ", View(what), "s and region ", View(what),
                      "s must match. Op has ", outer.size(), " op ", View(what), "s and ",
                      inner.size(), " region ", View(what), "s");
  }
  for (size_t i = 0; i < outer.size() && i < shardings.size(); ++i) {
    const auto& dimensions = shardings[i].dimensions;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const std::vector<ShardyAxis>& axes = dimensions[d].axes;
      for (size_t a = 1; a < axes.size(); ++a) {
        if (IsIn(manual, axes[a - 1]) || !IsIn(manual, axes[a])) continue;
        return check.Fail(View(what), " sharding at index ", i,
                          " must have all manual axes come before free axes in its dimension "
                          "sharding at index ",
                          d, ". Saw manual axis ", AxisText(axes[a]), " after free axis ",
                          AxisText(axes[a - 1]));
      }
    }
    if (!IsTensor(outer[i])) continue;  // a token
    const ShardyMesh* mesh = check.shardy().Mesh(shardings[i]);
    std::vector<int64_t> sizes(outer[i]->sizes.begin(), outer[i]->sizes.end());
    for (size_t d = 0; d < sizes.size() && d < dimensions.size() && mesh != nullptr; ++d) {
      if (IsDynamicSize(sizes[d])) continue;
      std::vector<ShardyAxis> own;
      for (const ShardyAxis& axis : dimensions[d].axes) {
        if (IsIn(manual, axis)) own.push_back(axis);
      }
      const int64_t parts = ShardedSize(own, *mesh);
      if (sizes[d] % parts != 0) {
        return check.Fail(View(what), " dimension size ", sizes[d],
                          " is not divisible by the manual axes size ", parts);
      }
      sizes[d] /= parts;
    }
    mlir::Type local = *outer[i];
    local.sizes = sizes;
    local.encoding = nullptr;
    if (!IsTensor(inner[i]) || inner[i]->sizes != local.sizes ||
        inner[i]->element != local.element) {
      return check.Fail(View(what), " shape, corresponding sharding, and region ", View(what),
                        " shape at index ", i, " must match. Expected local shape '",
                        mlir::ToString(&local), "', actual local shape '", mlir::ToString(inner[i]),
                        "'");
    }
  }
  return true;
}

bool ManualComputationRule(Check& check) {
  const auto manual = Required(check, "manual_axes", "manual_axes", ParseShardyAxes);
  const auto in = Required(check, "in_shardings", "sharding_per_value", ParseShardyShardings);
  const auto out = Required(check, "out_shardings", "sharding_per_value", ParseShardyShardings);
  if (!manual.has_value() || !in.has_value() || !out.has_value() || !IsIsolated(check))
    return false;
  const Operation& operation = check.operation();
  for (const Operation* parent = ParentOf(operation); parent != nullptr;
       parent = ParentOf(*parent)) {
    if (!parent->Is("sdy.manual_computation")) continue;
    for (const std::string& name : ManualAxesOf(*parent)) {
      if (!IsIn(*manual, {name, 1, 0})) continue;
      return check.Fail("operates on axis ", AxisText({name, 1, 0}),
                        " which is already bound by a parent sdy.manual_computation op");
    }
  }
  const Operation* last = ReturnOf(check);
  if (last == nullptr ||
      !CheckBoundary(check, "operand", TypesOfValues(operation.operands),
                     TypesOfValues(operation.regions[0].first->arguments), *in, *manual) ||
      !CheckBoundary(check, "result", TypesOfValues(operation.results),
                     TypesOfValues(last->operands), *out, *manual)) {
    return false;
  }
  // All have one mesh, or an empty one.
  const ShardyMesh* common = nullptr;
  for (const auto* shardings : {&*in, &*out}) {
    for (const ShardySharding& sharding : *shardings) {
      const ShardyMesh* mesh = check.shardy().Mesh(sharding);
      if (mesh == nullptr) continue;
      if (common == nullptr || (common->axes.empty() && common->device_ids.empty())) common = mesh;
      const bool is_empty = mesh->axes.empty() && mesh->device_ids.empty();
      if (is_empty || *mesh == *common || manual->empty()) continue;
      return check.Fail(
          "all in and out shardings must be bound to the same mesh or an empty mesh.");
    }
  }
  for (const std::string& name : *manual) {
    if (common == nullptr || AxisSize(*common, name) != 0) continue;
    return check.Fail("unknown manual axis: ", AxisText({name, 1, 0}));
  }
  return true;
}

std::string ListOfTypes(const std::vector<TypeRef>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, TypeRef type) {
    absl::StrAppend(out, "'", mlir::ToString(type), "'");
  });
}

bool NamedComputationRule(Check& check) {
  if (!IsIsolated(check)) return false;
  const Operation& operation = check.operation();
  const std::vector<TypeRef> inner = TypesOfValues(operation.regions[0].first->arguments);
  const std::vector<TypeRef> operands = TypesOfValues(operation.operands);
  const std::vector<TypeRef> results = TypesOfValues(operation.results);
  const Operation* last = ReturnOf(check);
  if (last == nullptr) return false;
  if (inner.size() != operands.size()) {
    return check.Fail("number of block arguments must match the number of operands: ", inner.size(),
                      " != ", operands.size());
  }
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == operands[i]) continue;
    return check.Fail("expected the type of the ", i,
                      "'th block argument to match the type of the corresponding operand: '",
                      mlir::ToString(inner[i]), "' vs '", mlir::ToString(operands[i]), "'");
  }
  if (const std::vector<TypeRef> returned = TypesOfValues(last->operands); returned != results) {
    return check.Fail("failed to infer returned types: inferred type(s) ", ListOfTypes(returned),
                      " are incompatible with return type(s) of operation ", ListOfTypes(results));
  }
  for (const std::string_view name : {"in_shardings", "out_shardings"}) {
    if (operation.Find(name) == nullptr) continue;
    const auto shardings = Required(check, name, "sharding_per_value", ParseShardyShardings);
    if (!shardings.has_value()) return false;
    ShardingCheck sharding_check(check, check.shardy(), absl::StrCat(View(name), " "));
    if (!sharding_check.Shardings(*shardings, name == "in_shardings" ? operands : results)) {
      return false;
    }
  }
  return true;
}

constexpr OperationRule kShardyRules[] = {
    {"sdy.constant", 0, 0, 1, 1, 0, kAnyElements, "value", ShardyConstantRule},
    {"sdy.data_flow_edge", 1, 1, 1, 1, 0, kAnyElements, "", DataFlowEdgeRule},
    {"sdy.func_data_flow_edge", 1, 1, 1, 1, 0, kAnyElements, "", FunctionEdgeRule},
    {"sdy.manual_computation", 0, -1, 0, -1, 1, kAnyElements,
     "in_shardings out_shardings manual_axes", ManualComputationRule},
    {"sdy.mesh", 0, 0, 0, 0, 0, kAnyElements, "sym_name:str mesh", MeshRule},
    {"sdy.named_computation", 0, -1, 0, -1, 1, kAnyElements, "name:str", NamedComputationRule},
    {"sdy.propagation_barrier", 1, 1, 1, 1, 0, kAnyElements, "allowed_direction:i32",
     ShardyBarrierRule},
    {"sdy.reshard", 1, 1, 1, 1, 0, kAnyElements, "sharding", ConstraintRule},
    {"sdy.return", 0, -1, 0, 0, 0, kAnyElements, "", nullptr},
    {"sdy.sharding_constraint", 1, 1, 1, 1, 0, kAnyElements, "sharding", ConstraintRule},
    {"sdy.sharding_group", 1, 1, 0, 0, 0, kAnyElements, "group_id:i64", GroupRule},
};

}  // namespace

void AddShardyRules(RuleTable* table) {
  for (const OperationRule& rule : kShardyRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
