// SPDX-License-Identifier: Apache-2.0
// Rules of Shardy's collectives: what they do with the axes of the operand must give the sharding
// of the result.
#include <algorithm>

#include "xla/stablehlo/sdy_text.h"
#include "xla/stablehlo/verify_sharding.h"

namespace xla::stablehlo {
namespace {

using Axes = std::vector<ShardyAxis>;

// The shardings of operand and result, and their mesh.
struct Sides {
  ShardySharding operand;
  bool has_operand = false;
  ShardySharding result;
  const ShardyMesh* mesh = nullptr;
};

template <typename T>
bool ReadShardy(Check& check, std::string_view name, std::string_view kind,
                absl::StatusOr<T> (*parse)(std::string_view), T* value) {
  const auto* attribute = check.operation().Find(name)->As<mlir::DialectAttribute>();
  if (attribute == nullptr || !attribute->Is("sdy", kind)) {
    return check.Fail("attribute '", View(name), "' must be a #sdy.", View(kind));
  }
  auto parsed = parse(attribute->text);
  if (!parsed.ok()) return check.Fail(parsed.status().message());
  *value = *std::move(parsed);
  return true;
}

// What holds for all of them. `needs_operand`: the operand must have a sharding; `same_mesh`: of
// the same mesh.
bool ReadSides(Check& check, bool needs_operand, bool same_mesh, Sides* sides) {
  if (!check.ResultIs(0, check.operand(0)) ||
      !ReadShardy(check, "out_sharding", "sharding", ParseShardySharding, &sides->result)) {
    return false;
  }
  const ShardyScope& scope = check.shardy();
  auto operand = ShardingOf(*check.operation().operands[0], scope);
  sides->has_operand = operand.has_value();
  if (needs_operand && !sides->has_operand) {
    return check.Fail("collective on operand without sharding");
  }
  ShardingCheck sharding_check(check, scope);
  if (!sharding_check.Sharding(sides->result, check.result(0))) return false;
  sides->mesh = scope.Mesh(sides->result);
  if (!sides->has_operand) {
    sides->operand.mesh = sides->result.mesh;
    sides->operand.inlined = sides->result.inlined;
    sides->operand.dimensions.resize(sides->result.dimensions.size());
    return true;
  }
  sides->operand = *std::move(operand);
  const ShardyMesh* other = scope.Mesh(sides->operand);
  if (other == nullptr) return check.Fail("unknown mesh: @", sides->operand.mesh);
  if (same_mesh && *other != *sides->mesh) {
    return check.Fail("result mesh does not match operand mesh: ", ToText(*sides->mesh), " and ",
                      ToText(*other));
  }
  if (sides->operand.dimensions.size() != sides->result.dimensions.size()) {
    return check.Fail("result sharding has rank ", sides->result.dimensions.size(),
                      " but operand sharding has rank ", sides->operand.dimensions.size());
  }
  return true;
}

// Takes axes off the end of those of a dimension.
bool GatherAxes(Check& check, Axes* axes, const Axes& gathered, size_t dimension,
                const ShardyMesh& mesh, const char* what) {
  for (size_t i = gathered.size(); i-- > 0;) {
    const ShardyAxis& axis = gathered[i];
    if (axes->empty() || !IsSuffix(axis, axes->back(), mesh)) {
      return check.Fail("can't apply ", what, " axis ", AxisText(axis),
                        " to operand sharding on dimension ", dimension);
    }
    const ShardyAxis last = axes->back();
    axes->pop_back();
    if (const auto rest = PrefixWithout(last, axis)) axes->push_back(*rest);
  }
  return true;
}

bool SliceAxes(Check&, Axes* axes, const Axes& added, size_t, const ShardyMesh& mesh, const char*) {
  for (const ShardyAxis& axis : added) AppendOrMerge(axes, axis, mesh);
  return true;
}

bool IsExpected(Check& check, const Axes& expected, const Sides& sides, size_t dimension) {
  return expected == sides.result.dimensions[dimension].axes ||
         check.Fail("result sharding doesn't match expected sharding ", AxesText(expected),
                    " on dimension ", dimension);
}

// One list of axes for each dimension.
bool PerDimension(Check& check, const Sides& sides, const std::vector<Axes>& lists,
                  bool (*apply)(Check&, Axes*, const Axes&, size_t, const ShardyMesh&, const char*),
                  const char* what) {
  ShardingCheck::Seen seen;
  ShardingCheck sharding_check(check, check.shardy());
  for (const Axes& axes : lists) {
    if (!sharding_check.Axes(axes, *sides.mesh, &seen)) return false;
  }
  if (sides.result.dimensions.size() != lists.size()) {
    return check.Fail("result sharding has rank ", sides.result.dimensions.size(),
                      " but collective axes has rank ", lists.size());
  }
  for (size_t d = 0; d < lists.size(); ++d) {
    Axes axes = sides.operand.dimensions[d].axes;
    if (!apply(check, &axes, lists[d], d, *sides.mesh, what) ||
        !IsExpected(check, axes, sides, d)) {
      return false;
    }
  }
  return true;
}

// Whether unreduced axes that the result does not have are reduced as their sharding says.
bool ReducesAsUnreduced(Check& check, const Sides& sides) {
  constexpr auto kLast = static_cast<int64_t>(UnreducedKind::kMin);
  const int64_t number = check.Integer("reduction_op", 0);
  if (number < 0 || number > kLast) return check.Fail("reduction_op must be sum, max or min");
  const auto kind = static_cast<UnreducedKind>(number);
  if (sides.operand.reduction == kind) return true;
  for (const ShardyAxis& axis : sides.operand.unreduced) {
    if (FindOverlap(sides.result.unreduced, axis) != nullptr) continue;
    return check.Fail("cannot reduce '", ReductionText(sides.operand.reduction),
                      "' unreduced axes. Expected '", ReductionText(kind), "'.");
  }
  return true;
}

bool ShardyAllGatherRule(Check& check) {
  Sides sides;
  std::vector<Axes> lists;
  return ReadShardy(check, "gathering_axes", "list_of_axis_ref_lists", ParseShardyAxisLists,
                    &lists) &&
         ReadSides(check, true, true, &sides) &&
         PerDimension(check, sides, lists, GatherAxes, "gathering");
}

bool AllSliceRule(Check& check) {
  Sides sides;
  std::vector<Axes> lists;
  return ReadShardy(check, "slicing_axes", "list_of_axis_ref_lists", ParseShardyAxisLists,
                    &lists) &&
         ReadSides(check, false, true, &sides) &&
         PerDimension(check, sides, lists, SliceAxes, "slicing");
}

bool ShardyReduceScatterRule(Check& check) {
  Sides sides;
  std::vector<Axes> lists;
  return ReadShardy(check, "reduce_scatter_axes", "list_of_axis_ref_lists", ParseShardyAxisLists,
                    &lists) &&
         ReadSides(check, false, true, &sides) && ReducesAsUnreduced(check, sides) &&
         PerDimension(check, sides, lists, SliceAxes, "reduce-scatter");
}

bool CheckUnreduced(Check& check, const Sides& sides, const Axes& added, const char* name) {
  if (sides.result.reduction != UnreducedKind::kSum)
    return check.Fail("out_sharding reduction_op must be SUM");
  Axes expected = sides.operand.unreduced;
  expected.insert(expected.end(), added.begin(), added.end());
  SortAndMerge(&expected, *sides.mesh);
  return expected == sides.result.unreduced ||
         check.Fail("out_unreduced_axes should be in_unreduced_axes + ", name, "_axes");
}

bool ShardedToUnreducedRule(Check& check) {
  Sides sides;
  std::vector<Axes> lists;
  if (!ReadShardy(check, "axes", "list_of_axis_ref_lists", ParseShardyAxisLists, &lists) ||
      !ReadSides(check, true, true, &sides) ||
      !PerDimension(check, sides, lists, GatherAxes, "shard-to-unreduce")) {
    return false;
  }
  Axes all;
  for (const Axes& axes : lists) all.insert(all.end(), axes.begin(), axes.end());
  return CheckUnreduced(check, sides, all, "sharded_to_unreduced");
}

bool OverlapsDimension(const ShardySharding& sharding, const ShardyAxis& axis) {
  return std::any_of(sharding.dimensions.begin(), sharding.dimensions.end(),
                     [&](const ShardyDimension& dimension) {
                       return FindOverlap(dimension.axes, axis) != nullptr;
                     });
}

bool ReplicatedToUnreducedRule(Check& check) {
  Sides sides;
  Axes axes;
  if (!ReadShardy(check, "axes", "axis_ref_list", ParseShardyAxisList, &axes) ||
      !ReadSides(check, true, true, &sides)) {
    return false;
  }
  if (sides.operand.dimensions != sides.result.dimensions) {
    return check.Fail("input and output must share the same dimension shardings");
  }
  if (axes.empty()) return check.Fail("r2u axes must not be empty");
  ShardingCheck::Seen seen;
  if (!ShardingCheck(check, check.shardy()).SortedAxes(axes, *sides.mesh, &seen, "r2u")) {
    return false;
  }
  for (const ShardyAxis& axis : axes) {
    if (OverlapsDimension(sides.operand, axis)) {
      return check.Fail("r2u axis ", AxisText(axis), " overlaps with operand dimension sharding");
    }
    if (FindOverlap(sides.operand.unreduced, axis) != nullptr) {
      return check.Fail("r2u axis ", AxisText(axis), " overlaps with operand unreduced axes");
    }
  }
  return CheckUnreduced(check, sides, axes, "r2u");
}

bool IsReplicated(const ShardySharding& sharding) {
  return std::all_of(sharding.dimensions.begin(), sharding.dimensions.end(),
                     [](const ShardyDimension& dimension) { return dimension.axes.empty(); });
}

// Both divide dimensions in the same way.
bool AreEquivalent(const ShardySharding& a, const ShardySharding& b) {
  if (IsReplicated(a) || IsReplicated(b)) return IsReplicated(a) && IsReplicated(b);
  return a.mesh == b.mesh && a.inlined == b.inlined &&
         std::equal(
             a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
             [](const ShardyDimension& x, const ShardyDimension& y) { return x.axes == y.axes; });
}

bool ShardyAllReduceRule(Check& check) {
  Sides sides;
  Axes axes;
  if (!ReadShardy(check, "reduction_axes", "axis_ref_list", ParseShardyAxisList, &axes) ||
      !ReadSides(check, false, true, &sides)) {
    return false;
  }
  if (!AreEquivalent(sides.operand, sides.result)) {
    return check.Fail("operand and result shardings are not equivalent");
  }
  ShardingCheck::Seen seen;
  if (!ShardingCheck(check, check.shardy()).SortedAxes(axes, *sides.mesh, &seen, "reduction")) {
    return false;
  }
  for (const ShardyAxis& axis : axes) {
    if (OverlapsDimension(sides.operand, axis) ||
        FindOverlap(sides.operand.replicated, axis) != nullptr) {
      return check.Fail("reduction axis ", AxisText(axis),
                        " overlaps with operand dimension sharding or replicated axes");
    }
    if (FindOverlap(sides.result.unreduced, axis) != nullptr) {
      return check.Fail("reduction axis ", AxisText(axis), " overlaps with result unreduced axes");
    }
  }
  return ReducesAsUnreduced(check, sides);
}

bool ShardyAllToAllRule(Check& check) {
  Sides sides;
  std::vector<ShardyExchange> exchanges;
  if (!ReadShardy(check, "params", "all_to_all_param_list", ParseShardyExchanges, &exchanges) ||
      !ReadSides(check, true, true, &sides)) {
    return false;
  }
  if (exchanges.empty()) return check.Fail("parameter list is empty");
  const auto rank = static_cast<int64_t>(sides.result.dimensions.size());
  std::vector<bool> seen_dimensions(static_cast<size_t>(rank), false);
  ShardingCheck::Seen seen;
  int64_t previous = -1;
  for (const ShardyExchange& exchange : exchanges) {
    if (!ShardingCheck(check, check.shardy()).Axes(exchange.axes, *sides.mesh, &seen)) return false;
    for (const int64_t dimension : {exchange.source, exchange.target}) {
      if (dimension >= 0 && dimension < rank) continue;
      return check.Fail(dimension == exchange.source ? "source" : "target", " dimension ",
                        dimension, " is out of range [0, ", rank, ")");
    }
    for (const int64_t dimension : {exchange.source, exchange.target}) {
      const auto d = static_cast<size_t>(dimension);
      if (seen_dimensions[d]) {
        return check.Fail("overlapping source/target dimensions in all-to-all params: ", dimension);
      }
      seen_dimensions[d] = true;
    }
    if (previous >= exchange.source) {
      return check.Fail("source dimensions are not sorted in ascending order: ", exchange.source,
                        " appears after ", previous);
    }
    previous = exchange.source;
  }
  for (const ShardyExchange& exchange : exchanges) {
    const auto source = static_cast<size_t>(exchange.source);
    const auto target = static_cast<size_t>(exchange.target);
    Axes left = sides.operand.dimensions[source].axes;
    Axes added = sides.operand.dimensions[target].axes;
    if (!GatherAxes(check, &left, exchange.axes, source, *sides.mesh, "all-to-all") ||
        !IsExpected(check, left, sides, source) ||
        !SliceAxes(check, &added, exchange.axes, target, *sides.mesh, "") ||
        !IsExpected(check, added, sides, target)) {
      return false;
    }
  }
  for (size_t d = 0; d < seen_dimensions.size(); ++d) {
    if (!seen_dimensions[d] && !IsExpected(check, sides.operand.dimensions[d].axes, sides, d)) {
      return false;
    }
  }
  return true;
}

bool ShardyCollectivePermuteRule(Check& check) {
  Sides sides;
  if (!ReadSides(check, true, false, &sides)) return false;
  const ShardyMesh& mesh = *sides.mesh;
  const ShardyMesh& other = *check.shardy().Mesh(sides.operand);
  if (mesh.axes != other.axes) {
    return check.Fail("result mesh has different axes than operand mesh: ", ToText(mesh), " and ",
                      ToText(other));
  }
  const bool is_same =
      sides.operand.mesh == sides.result.mesh && sides.operand.inlined == sides.result.inlined;
  if (!is_same && mesh.device_ids == other.device_ids) {
    return check.Fail("result mesh name is different but same device ids as operand");
  }
  for (size_t d = 0; d < sides.result.dimensions.size(); ++d) {
    const int64_t before = ShardedSize(sides.operand.dimensions[d].axes, mesh);
    const int64_t after = ShardedSize(sides.result.dimensions[d].axes, mesh);
    if (before != after) {
      return check.Fail("sharded size of result doesn't match operand on dimension ", d, ": ",
                        after, " != ", before);
    }
  }
  return true;
}

constexpr OperationRule kCollectives[] = {
    {"sdy.all_gather", 1, 1, 1, 1, 0, kAnyElements, "gathering_axes out_sharding",
     ShardyAllGatherRule},
    {"sdy.all_reduce", 1, 1, 1, 1, 0, kAnyElements, "reduction_axes out_sharding",
     ShardyAllReduceRule},
    {"sdy.all_slice", 1, 1, 1, 1, 0, kAnyElements, "slicing_axes out_sharding", AllSliceRule},
    {"sdy.all_to_all", 1, 1, 1, 1, 0, kAnyElements, "params out_sharding", ShardyAllToAllRule},
    {"sdy.collective_permute", 1, 1, 1, 1, 0, kAnyElements, "out_sharding",
     ShardyCollectivePermuteRule},
    {"sdy.reduce_scatter", 1, 1, 1, 1, 0, kAnyElements, "reduce_scatter_axes out_sharding",
     ShardyReduceScatterRule},
    {"sdy.replicated_to_unreduced", 1, 1, 1, 1, 0, kAnyElements, "axes out_sharding",
     ReplicatedToUnreducedRule},
    {"sdy.sharded_to_unreduced", 1, 1, 1, 1, 0, kAnyElements, "axes out_sharding",
     ShardedToUnreducedRule},
};

}  // namespace

void AddShardyCollectiveRules(RuleTable* table) {
  for (const OperationRule& rule : kCollectives) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
