// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/verify_sharding.h"

#include <algorithm>

#include "xla/stablehlo/sdy_axes.h"
#include "xla/stablehlo/sdy_text.h"

namespace xla::stablehlo {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeRef;

namespace {

const mlir::DialectAttribute* FindShardy(const Operation& operation, std::string_view name,
                                         std::string_view kind) {
  const AttributeRef value = operation.Find(name);
  const auto* attribute = value == nullptr ? nullptr : value->As<mlir::DialectAttribute>();
  return attribute != nullptr && attribute->Is("sdy", kind) ? attribute : nullptr;
}

template <typename T>
std::optional<T> ValueOr(absl::StatusOr<T> value) {
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

void CountUses(const Operation& operation,
               absl::flat_hash_map<const mlir::Value*, ShardyScope::Uses>* uses) {
  for (const mlir::Value* operand : operation.operands) {
    ShardyScope::Uses& use = (*uses)[operand];
    if (use.count++ == 0) use.first = &operation;
  }
  for (const mlir::Region& region : operation.regions) {
    for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
      for (const Operation& inner : *block) CountUses(inner, uses);
    }
  }
}

}  // namespace

std::string AxisText(const ShardyAxis& axis) { return ToText(axis); }

std::string AxesText(const std::vector<ShardyAxis>& axes) {
  std::string text = "[";
  AppendAxes(&text, axes);
  return text + "]";
}

std::optional<ShardySharding> FindSharding(const Operation& operation, std::string_view name) {
  const auto* attribute = FindShardy(operation, name, "sharding");
  if (attribute == nullptr) return std::nullopt;
  return ValueOr(ParseShardySharding(attribute->text));
}

std::optional<std::vector<ShardySharding>> FindShardings(const Operation& operation,
                                                         std::string_view name) {
  const auto* attribute = FindShardy(operation, name, "sharding_per_value");
  if (attribute == nullptr) return std::nullopt;
  return ValueOr(ParseShardyShardings(attribute->text));
}

std::vector<std::string> ManualAxesOf(const Operation& operation) {
  const auto* attribute = FindShardy(operation, "manual_axes", "manual_axes");
  if (attribute == nullptr) return {};
  return ValueOr(ParseShardyAxes(attribute->text)).value_or(std::vector<std::string>());
}

const Operation* ParentOf(const Operation& operation) {
  return operation.block == nullptr || operation.block->region == nullptr
             ? nullptr
             : operation.block->region->parent;
}

// --- Scope ---

ShardyScope::ShardyScope(const Operation& module) : module_(module) {
  for (const mlir::Region& region : module.regions) {
    for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
      for (const Operation& operation : *block) {
        if (!operation.Is("sdy.mesh")) continue;
        const AttributeRef symbol = operation.Find("sym_name");
        const auto* name = symbol == nullptr ? nullptr : symbol->As<mlir::StringAttribute>();
        const auto* mesh = FindShardy(operation, "mesh", "mesh");
        if (name == nullptr || mesh == nullptr) continue;
        auto parsed = ParseShardyMesh(mesh->text);
        if (parsed.ok()) meshes_.emplace(name->value, *std::move(parsed));
      }
    }
  }
}

const ShardyMesh* ShardyScope::Mesh(std::string_view name) const {
  const auto found = meshes_.find(name);
  return found == meshes_.end() ? nullptr : &found->second;
}

const ShardyMesh* ShardyScope::Mesh(const ShardySharding& sharding) const {
  return sharding.inlined.has_value() ? &*sharding.inlined : Mesh(sharding.mesh);
}

ShardyScope::Uses ShardyScope::UsesOf(const mlir::Value& value) const {
  if (!uses_.has_value()) CountUses(module_, &uses_.emplace());
  const auto found = uses_->find(&value);
  return found == uses_->end() ? Uses() : found->second;
}

// --- Shardings of values ---

namespace {

// The element of a list that a value is given.
std::optional<ShardySharding> At(std::optional<std::vector<ShardySharding>> shardings, size_t i) {
  if (!shardings.has_value() || i >= shardings->size()) return std::nullopt;
  return std::move((*shardings)[i]);
}

// What leads values from its operands into regions, and from those to its results.
bool LeadsData(const Operation& operation) {
  constexpr std::string_view kNames[] = {"sdy.manual_computation", "sdy.named_computation",
                                         "stablehlo.while", "stablehlo.case",
                                         "stablehlo.optimization_barrier"};
  return std::find(std::begin(kNames), std::end(kNames), operation.name->text) != std::end(kNames);
}

std::optional<ShardySharding> ShardingOfResult(const Operation& operation, size_t index) {
  if (operation.Is("sdy.manual_computation") || operation.Is("sdy.named_computation")) {
    return At(FindShardings(operation, "out_shardings"), index);
  }
  for (const std::string_view name : {"out_sharding", "sharding"}) {
    if (auto sharding = FindSharding(operation, name)) return sharding;
  }
  return At(FindShardings(operation, "sdy.sharding"), index);
}

std::optional<ShardySharding> ShardingOfArgument(const Operation& owner, size_t index) {
  if (owner.Is("func.func")) {
    const AttributeRef list = owner.Find("arg_attrs");
    const auto* array = list == nullptr ? nullptr : list->As<mlir::ArrayAttribute>();
    if (array == nullptr || index >= array->elements.size()) return std::nullopt;
    const auto* entries = array->elements[index]->As<mlir::DictionaryAttribute>();
    const AttributeRef value =
        entries == nullptr ? nullptr : mlir::FindAttribute(entries->entries, "sdy.sharding");
    const auto* attribute = value == nullptr ? nullptr : value->As<mlir::DialectAttribute>();
    if (attribute == nullptr || !attribute->Is("sdy", "sharding")) return std::nullopt;
    return ValueOr(ParseShardySharding(attribute->text));
  }
  auto sharding = At(FindShardings(owner, "in_shardings"), index);
  if (!sharding.has_value() || !owner.Is("sdy.manual_computation")) return sharding;
  return WithoutAxes(*std::move(sharding), ManualAxesOf(owner));
}

}  // namespace

std::optional<ShardySharding> ShardingOf(const mlir::Value& value, const ShardyScope& scope) {
  const Operation* owner = value.operation;
  const mlir::Value* target = &value;
  if (owner == nullptr) {
    owner = value.block == nullptr || value.block->region == nullptr ? nullptr
                                                                     : value.block->region->parent;
    if (owner == nullptr) return std::nullopt;
    // A loop has one sharding for what it carries, that of the result.
    if (owner->Is("stablehlo.while")) {
      if (value.index >= owner->results.size()) return std::nullopt;
      target = &owner->results[value.index];
    }
  }
  if (LeadsData(*owner)) {
    const ShardyScope::Uses uses = scope.UsesOf(*target);
    if (uses.count == 1 && uses.first->Is("sdy.data_flow_edge")) {
      return FindSharding(*uses.first, "sharding");
    }
  }
  return target->operation != nullptr ? ShardingOfResult(*owner, target->index)
                                      : ShardingOfArgument(*owner, target->index);
}

// --- Rules of axes ---

bool ShardingCheck::Axes(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh, Seen* seen) {
  const ShardyAxis* previous = nullptr;
  for (const ShardyAxis& axis : axes) {
    if (AxisSize(mesh, axis.name) == 0) {
      return Fail("unknown axis name: ", AxisText({axis.name, 1, 0}));
    }
    if (std::find(seen->axes.begin(), seen->axes.end(), axis) != seen->axes.end()) {
      return Fail("duplicate axis ref: ", AxisText(axis));
    }
    seen->axes.push_back(axis);
    if (previous != nullptr && CanMerge(*previous, axis)) {
      return Fail("two consecutive sub-axes can be merged: ", AxisText(*previous), ", ",
                  AxisText(axis));
    }
    previous = &axis;
  }
  return true;
}

bool ShardingCheck::SortedAxes(const std::vector<ShardyAxis>& axes, const ShardyMesh& mesh,
                               Seen* seen, std::string_view what) {
  for (size_t i = 1; i < axes.size(); ++i) {
    if (IsBefore(axes[i], axes[i - 1], mesh)) {
      return Fail(View(what), " axes are not ordered w.r.t. mesh");
    }
  }
  return Axes(axes, mesh, seen);
}

// Parts divide their axis, and neither they nor the whole axis overlap.
bool ShardingCheck::Parts(const ShardyMesh& mesh, const Seen& seen) {
  std::vector<ShardyAxis> axes = seen.axes;
  std::stable_sort(axes.begin(), axes.end(), [](const ShardyAxis& a, const ShardyAxis& b) {
    if (a.name != b.name) return a.name < b.name;
    if (IsPart(a) != IsPart(b)) return IsPart(b);
    return a.pre_size != b.pre_size ? a.pre_size < b.pre_size : a.size < b.size;
  });
  const ShardyAxis* previous = nullptr;
  for (const ShardyAxis& axis : axes) {
    if (previous != nullptr && previous->name != axis.name) previous = nullptr;
    if (IsPart(axis)) {
      const int64_t whole = AxisSize(mesh, axis.name);
      if (previous != nullptr && !IsPart(*previous)) {
        return Fail("both sub-axis and full-axis are used for axis name: ",
                    AxisText({axis.name, 1, 0}));
      }
      if (axis.pre_size < 1) {
        return Fail("sub-axis pre-size must be at least 1: ", AxisText(axis));
      }
      if (axis.size <= 1) return Fail("sub-axis sizes must be greater than 1: ", AxisText(axis));
      if (whole % NextPreSize(axis) != 0) {
        return Fail("sub-axis next pre-size ", NextPreSize(axis),
                    " doesn't divide the size of the full axis ", whole, ": ", AxisText(axis));
      }
      if (axis.size == whole) {
        return Fail("sub-axis size is equal to the full axis size: ", AxisText(axis));
      }
      if (previous != nullptr && NextPreSize(*previous) > axis.pre_size) {
        return Fail("overlapping sub-axes: ", AxisText(*previous), ", ", AxisText(axis));
      }
    }
    previous = &axis;
  }
  return true;
}

// A program handles its manual axes itself.
bool ShardingCheck::NotManual(const Seen& seen) {
  for (const Operation* parent = ParentOf(check_.operation()); parent != nullptr;
       parent = ParentOf(*parent)) {
    if (!parent->Is("sdy.manual_computation")) continue;
    const std::vector<std::string> manual = ManualAxesOf(*parent);
    for (const ShardyAxis& axis : seen.axes) {
      if (std::find(manual.begin(), manual.end(), axis.name) != manual.end()) {
        return Fail("operates on axis ", AxisText({axis.name, 1, 0}),
                    " which is already bound by a parent sdy.manual_computation op");
      }
    }
  }
  return true;
}

bool ShardingCheck::Sharding(const ShardySharding& sharding, TypeRef type) {
  const ShardyMesh* mesh = scope_.Mesh(sharding);
  if (mesh == nullptr) return Fail("unknown mesh: @", sharding.mesh);
  const bool has_no_axes =
      sharding.dimensions.empty() && sharding.replicated.empty() && sharding.unreduced.empty();
  const auto is_empty = [](const ShardyDimension& dimension) { return dimension.axes.empty(); };
  const bool is_maximal = mesh->axes.empty() && mesh->device_ids.size() == 1;
  if (is_maximal || type == nullptr) {
    return has_no_axes || Fail(
                              "a maximal sharding can only have a sharding with rank 0 and no "
                              "replicated or unreduced axes.");
  }
  if (type->kind == mlir::TypeKind::kTuple) {
    if (type->types.size() != 1) {
      return Fail("ops can only have a sharding for a tuple of size 1: ", mlir::ToString(type));
    }
    type = type->types[0];
  }
  const bool has_rank = IsTensor(type) || type->kind == mlir::TypeKind::kVector ||
                        (type->kind == mlir::TypeKind::kMemRef && type->name != "*");
  if (!has_rank && !IsShaped(type) && type->kind != mlir::TypeKind::kMemRef) {
    return has_no_axes || Fail(
                              "non-shaped tensors can only have a sharding with rank 0 and no "
                              "replicated or unreduced axes. type: ",
                              mlir::ToString(type), ", sharding: ", ToText(sharding));
  }
  if (!has_rank) {
    return Fail("only ranked tensors can have a sharding. type: ", mlir::ToString(type));
  }
  if (sharding.dimensions.size() != type->sizes.size()) {
    return Fail("sharding doesn't match tensor rank: ", sharding.dimensions.size(),
                " != ", type->sizes.size());
  }
  Seen seen;
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    const ShardyDimension& dimension = sharding.dimensions[d];
    if (dimension.priority.has_value() && dimension.is_closed && is_empty(dimension)) {
      return Fail("dim ", d, " is empty and closed but has a priority");
    }
    if (!Axes(dimension.axes, *mesh, &seen)) return false;
  }
  return SortedAxes(sharding.replicated, *mesh, &seen, "replicated") &&
         SortedAxes(sharding.unreduced, *mesh, &seen, "unreduced") && Parts(*mesh, seen) &&
         NotManual(seen);
}

bool ShardingCheck::Shardings(const std::vector<ShardySharding>& shardings,
                              const std::vector<TypeRef>& types) {
  if (types.empty() && shardings.size() == 1) {
    const ShardyMesh* mesh = scope_.Mesh(shardings[0]);
    const bool is_maximal = mesh != nullptr && mesh->axes.empty() && mesh->device_ids.size() == 1;
    const auto& dimensions = shardings[0].dimensions;
    if (is_maximal || std::all_of(dimensions.begin(), dimensions.end(),
                                  [](const auto& dimension) { return dimension.axes.empty(); })) {
      return For(absl::StrCat(prefix_, "0 - ")).Sharding(shardings[0], nullptr);
    }
  }
  if (shardings.size() != types.size()) {
    return Fail("shardings don't match number of values: ", shardings.size(), " shardings vs ",
                types.size(), " values");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string which = types.size() == 1 ? "- " : absl::StrCat(i, " - ");
    if (!For(absl::StrCat(prefix_, which)).Sharding(shardings[i], types[i])) return false;
  }
  return true;
}

const char* ReductionText(UnreducedKind kind) {
  return kind == UnreducedKind::kMax ? "max" : kind == UnreducedKind::kMin ? "min" : "sum";
}

bool KeepsReduction(Check& check, const ShardySharding& before, const ShardySharding& after) {
  if (before.mesh != after.mesh || before.inlined != after.inlined) return true;
  const auto was_unreduced = [&](const ShardyAxis& axis) {
    return FindOverlap(before.unreduced, axis) != nullptr;
  };
  const auto first = after.unreduced.begin(), last = after.unreduced.end();
  if (before.reduction != after.reduction && std::any_of(first, last, was_unreduced)) {
    return check.Fail("cannot change the reduction operator of kept unreduced axes from ",
                      ReductionText(before.reduction), " to ", ReductionText(after.reduction), ".");
  }
  if (after.reduction == UnreducedKind::kSum || std::all_of(first, last, was_unreduced))
    return true;
  return check.Fail("cannot introduce '", ReductionText(after.reduction),
                    "' unreduced axes. Expected 'sum'.");
}

}  // namespace xla::stablehlo
