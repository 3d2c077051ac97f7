// SPDX-License-Identifier: Apache-2.0
// Rules of collectives.
#include <algorithm>
#include <set>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::TypeRef;

// Whether replica_groups names axes of a mesh, which must be defined.
bool MeshGroups(Check& check, const mlir::DialectAttribute& groups) {
  const AttributeRef mesh = mlir::FindAttribute(groups.parameters, "mesh");
  const auto* symbol = mesh == nullptr ? nullptr : mesh->As<mlir::SymbolRefAttribute>();
  return check.Require(symbol == nullptr || check.FindSymbol(symbol->root) != nullptr,
                       "replica_groups: mesh symbol '", symbol == nullptr ? "" : View(symbol->root),
                       "' not found");
}

// `every_id`: all ids below the largest must appear. `group_size`: of each group, if positive.
bool ReplicaGroups(Check& check, bool every_id, bool may_be_empty, int64_t group_size) {
  const AttributeRef attribute = check.operation().Find("replica_groups");
  if (attribute == nullptr) return true;
  if (const auto* mesh = attribute->As<mlir::DialectAttribute>()) return MeshGroups(check, *mesh);
  const auto* dense = attribute->As<mlir::DenseAttribute>();
  if (dense == nullptr || dense->type->sizes.size() != 2) {
    return check.Fail("replica groups should be a rank 2 tensor");
  }
  const auto ids = check.List(*attribute).value_or(std::vector<int64_t>());
  if (ids.empty() && !may_be_empty) return check.Fail("replica groups cannot be empty");
  std::set<int64_t> seen;
  for (const int64_t id : ids) {
    if (id == -1 && group_size <= 0 && !every_id) continue;  // pads shorter groups
    if (id == -1 && check.Is("stablehlo.all_reduce")) continue;
    if (id < 0) return check.Fail("Invalid replica id ", id);
    if (!seen.insert(id).second) return check.Fail("replica id #", id, " seen more than once");
  }
  if (every_id) {
    for (int64_t id = 0; id < static_cast<int64_t>(seen.size()); ++id) {
      if (seen.count(id) == 0) {
        return check.Fail("replica id #", id, " not seen in replica groups");
      }
    }
  }
  return check.Require(group_size <= 0 || dense->type->sizes[1] == group_size,
                       "group size of replica_groups must be ", group_size);
}

bool ChannelRule(Check& check) {
  if (!check.Flag("use_global_device_ids")) return true;
  const int64_t id = check.IntegerParameter("channel_handle", "handle", 0);
  if (check.Is("stablehlo.all_gather")) {
    return check.Require(
        id >= 0, "channel_id cannot be negative when useGlobalDeviceIds is set, but is ", id);
  }
  return check.Require(id > 0,
                       "channel_id must be positive when useGlobalDeviceIds is set but got: ", id);
}

// A reduction of two scalars for each operand alone.
bool ElementReduction(Check& check, size_t count) {
  const TypeRef inputs[] = {check.operand(0)};
  if (!check.Reduction(0, inputs, inputs, /*inits_are_results=*/false)) return false;
  const auto& arguments = check.operation().regions[0].first->arguments;
  for (const mlir::Value& argument : arguments) {
    if (!IsTensor(argument.type) || Rank(argument.type) != 0) {
      return check.Fail("the parameters of the reduction must be scalars, but one is ",
                        mlir::ToString(argument.type), "; the initial value is one as well");
    }
  }
  const TypeRef element = check.Terminator(0)->operands[0]->type->element;
  for (size_t i = 0; i < count; ++i) {
    if (!IsPromotable(check.operand(i)->element, element)) {
      return check.Fail("operand #", i, ", ", mlir::ToString(check.operand(i)),
                        ", must be promotable to the result of the reduction, ",
                        mlir::ToString(element));
    }
  }
  return true;
}

bool AllReduceRule(Check& check) {
  if (!check.AllTensors() || !ReplicaGroups(check, true, !check.Flag("use_global_device_ids"), 0) ||
      !ChannelRule(check) || !ElementReduction(check, check.num_operands())) {
    return false;
  }
  if (check.num_results() != check.num_operands()) {
    return check.Fail("requires as many results as operands");
  }
  const TypeRef element = check.Terminator(0)->operands[0]->type->element;
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!check.ResultIs(i, check.sizes(i), element)) return false;
  }
  return true;
}

bool ReduceScatterRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t dim = check.Integer("scatter_dimension");
  if (!ReplicaGroups(check, true, /*may_be_empty=*/true, 0) || !ChannelRule(check) ||
      !ElementReduction(check, 1)) {
    return false;
  }
  const TypeRef operand = check.operand(0), result = check.result(0);
  if (Rank(operand) != Rank(result)) return check.Fail("operand and result should have same rank");
  if (dim >= Rank(operand)) {
    return check.Fail("scatter dim should be less than operand/result rank");
  }
  const auto d = static_cast<size_t>(dim);
  if (result->sizes[d] == 0) {
    return check.Fail("result dimension size at scatter_dimension cannot be zero");
  }
  if (operand->sizes[d] == 0) {
    return check.Fail("operand dimension size at scatter_dimension cannot be zero");
  }
  if (!IsDynamicSize(operand->sizes[d]) && !IsDynamicSize(result->sizes[d]) &&
      operand->sizes[d] % result->sizes[d] != 0) {
    return check.Fail("operand scatter dimension has size ", operand->sizes[d],
                      ", expected to be a multiple of result scatter dimension size ",
                      result->sizes[d]);
  }
  for (size_t i = 0; i < operand->sizes.size(); ++i) {
    if (i != d && !SizesAgree(operand->sizes[i], result->sizes[i])) {
      return check.Fail("non scatter dimensions should be same for operand (", operand->sizes[i],
                        ") and result (", result->sizes[i], ")");
    }
  }
  const TypeRef element = check.Terminator(0)->operands[0]->type->element;
  return check.Require(ElementsAgree(element, result->element),
                       "result element-type is expected to be ", element, ", but got ",
                       result->element);
}

bool AllGatherRule(Check& check) {
  if (!check.AllTensors()) return false;
  if (check.num_results() != check.num_operands()) {
    return check.Fail("requires as many results as operands");
  }
  const auto dim = static_cast<size_t>(check.Integer("all_gather_dim"));
  if (!ReplicaGroups(check, true, /*may_be_empty=*/true, 0) || !ChannelRule(check)) return false;
  for (size_t k = 0; k < check.num_operands(); ++k) {
    const auto from = check.sizes(k);
    const TypeRef result = check.result(k);
    if (dim >= from.size()) return check.Fail("all_gather_dim must be a valid index of operand");
    if (result->sizes.size() != from.size()) {
      return check.Fail("operand and result must have the same rank");
    }
    if (from[dim] == 0) {
      return check.Fail("dimension size of operand at 'all_gather_dim' cannot be zero");
    }
    for (size_t i = 0; i < from.size(); ++i) {
      if (i != dim && !SizesAgree(from[i], result->sizes[i])) {
        return check.Fail(
            "operand and result should have the same shape except for the dimension "
            "size at 'all_gather_dim'");
      }
    }
    if (!IsDynamicSize(from[dim]) && !IsDynamicSize(result->sizes[dim]) &&
        result->sizes[dim] % from[dim] != 0) {
      return check.Fail("result gather dimension has size ", result->sizes[dim],
                        ", expected to be a multiple of operand gather dimension size ", from[dim]);
    }
    if (!ElementsAgree(check.operand(k)->element, result->element)) {
      return check.Fail("requires the same element type for operand and result at index ", k);
    }
  }
  return true;
}

bool AllToAllRule(Check& check) {
  if (!check.AllTensors()) return false;
  if (check.num_results() != check.num_operands()) {
    return check.Fail("requires the same number of operands and results");
  }
  const int64_t split = check.Integer("split_dimension");
  const int64_t concat = check.Integer("concat_dimension");
  const int64_t count = check.Integer("split_count");
  for (size_t k = 0; k < check.num_operands(); ++k) {
    const int64_t rank = check.rank(k);
    if (split >= rank) {
      return check.Fail("AllToAll split_dimension ", split, " is out-of-bounds for input rank ",
                        rank);
    }
    if (concat >= rank) {
      return check.Fail("AllToAll concat_dimension ", concat, " is out-of-bounds for input rank ",
                        rank);
    }
    std::vector<int64_t> sizes(check.sizes(k).begin(), check.sizes(k).end());
    int64_t& from = sizes[static_cast<size_t>(split)];
    if (!IsDynamicSize(from)) {
      if (from % count != 0) {
        return check.Fail("split dimension has size ", from,
                          ", expected to be a multiple of split_count ", count);
      }
      from /= count;
    }
    int64_t& to = sizes[static_cast<size_t>(concat)];
    if (!IsDynamicSize(to) && __builtin_mul_overflow(to, count, &to)) {
      return check.Fail("the size of the concat dimension ", concat, " overflows with split_count ",
                        count);
    }
    if (!ElementsAgree(check.operand(k)->element, check.result(k)->element)) {
      return check.Fail("requires the same element type for operand and result at index ", k);
    }
    if (!check.ResultIs(k, sizes, check.operand(k)->element)) return false;
  }
  return ReplicaGroups(check, true, /*may_be_empty=*/true, count);
}

// The last operand of has_dynamic_root: an i32 for each data operand.
bool RootRule(Check& check) {
  if (!check.Flag("has_dynamic_root")) return true;
  if (check.num_operands() < 2) {
    return check.Fail("with has_dynamic_root=true requires at least two operands (data + root)");
  }
  const size_t data = check.num_operands() - 1;
  const TypeRef root = check.operand(data);
  if (!IsTensor(root) || Rank(root) != 1 || !root->element->IsInteger(32)) {
    return check.Fail("last operand with has_dynamic_root=true must be a rank-1 i32 tensor");
  }
  return check.Require(SizesAgree(root->sizes[0], static_cast<int64_t>(data)),
                       "last operand with has_dynamic_root=true must have the same number of "
                       "elements as data operands (",
                       data, "), but got ", root->sizes[0]);
}

bool SameAsData(Check& check) {
  const size_t data = check.num_operands() - (check.Flag("has_dynamic_root") ? 1 : 0);
  if (check.num_results() != data) return check.Fail("requires a result for each data operand");
  for (size_t i = 0; i < data; ++i) {
    if (!check.ResultIs(i, check.operand(i))) return false;
  }
  return true;
}

// The results are as large as the data, of the type that the reduction returns.
bool ReducedData(Check& check) {
  const TypeRef element = check.Terminator(0)->operands[0]->type->element;
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (!check.ResultIs(i, check.sizes(i), element)) return false;
  }
  return check.Require(
      check.num_results() == check.num_operands() - (check.Flag("has_dynamic_root") ? 1 : 0),
      "requires a result for each data operand");
}

bool CollectiveBroadcastRule(Check& check) {
  return check.Require(check.num_operands() > 0, "requires at least one data operand") &&
         check.AllTensors() && RootRule(check) &&
         ReplicaGroups(check, false, /*may_be_empty=*/true, 0) && SameAsData(check);
}

bool CollectiveReduceRule(Check& check) {
  return check.Require(check.num_operands() > 0, "requires at least one data operand") &&
         check.AllTensors() && RootRule(check) && ChannelRule(check) &&
         ReplicaGroups(check, false, /*may_be_empty=*/true, 0) &&
         ElementReduction(check, check.num_results()) && ReducedData(check);
}

bool CollectivePermuteRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto* dense = check.operation().Find("source_target_pairs")->As<mlir::DenseAttribute>();
  if (dense == nullptr || dense->type->sizes.size() != 2) {
    return check.Fail("expect source_target_pairs attribute to be of rank 2");
  }
  if (dense->type->sizes[1] != 2) {
    return check.Fail("expect source_target_pairs attribute of shape (N, 2), but got (",
                      dense->type->sizes[0], ", ", dense->type->sizes[1], ")");
  }
  const auto pairs = check.List(*dense).value_or(std::vector<int64_t>());
  std::vector<int64_t> sides[2];
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i] < 0) return check.Fail("replica ids in source_target_pairs must be >= 0");
    sides[i % 2].push_back(pairs[i]);
  }
  if (!check.Distinct("sources", sides[0]) || !check.Distinct("targets", sides[1])) return false;
  for (size_t i = 0; i < check.num_results() && i < check.num_operands(); ++i) {
    if (!check.ResultIs(i, check.operand(i))) return false;
  }
  return true;
}

bool IdRule(Check& check) {
  const TypeRef type = check.result(0);
  return check.Require(IsTensor(type) && Rank(type) == 0 &&
                           ClassOf(type->element) == kUnsignedIntegers &&
                           type->element->width == 32,
                       "the result must be tensor<ui32>, but is ", type);
}

// Without dimensions, each operand goes to one process.
bool MhloAllToAllRule(Check& check) {
  const int present = static_cast<int>(check.operation().Find("split_dimension") != nullptr) +
                      static_cast<int>(check.operation().Find("concat_dimension") != nullptr) +
                      static_cast<int>(check.operation().Find("split_count") != nullptr);
  if (present == 3) return AllToAllRule(check);
  if (present != 0) {
    return check.Fail(
        "TupleAllToAll should not have split_dimension, concat_dimension and split_count, and "
        "ArrayAllToAll should have all three");
  }
  if (!check.AllTensors() || !ReplicaGroups(check, true, /*may_be_empty=*/true, 0)) return false;
  if (check.num_operands() != check.num_results()) {
    return check.Fail("requires as many results as operands");
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!check.ResultIs(i, check.operand(0))) return false;
  }
  return true;
}

constexpr OperationRule kCollectiveRules[] = {
    {"stablehlo.all_gather", 1, -1, 1, -1, 0, kAnyElements,
     "all_gather_dim:i64* replica_groups channel_handle:struct? use_global_device_ids:bool?",
     AllGatherRule},
    {"stablehlo.all_reduce", 1, -1, 1, -1, 1, kAnyElements,
     "replica_groups channel_handle:struct? use_global_device_ids:bool?", AllReduceRule},
    {"mhlo.all_to_all", 1, -1, 1, -1, 0, kAnyElements,
     "split_dimension:i64*? concat_dimension:i64*? split_count:i64+? replica_groups "
     "channel_handle:struct?",
     MhloAllToAllRule},
    {"stablehlo.all_to_all", 1, -1, 1, -1, 0, kAnyElements,
     "split_dimension:i64* concat_dimension:i64* split_count:i64+ replica_groups "
     "channel_handle:struct?",
     AllToAllRule},
    {"stablehlo.collective_broadcast", 0, -1, 0, -1, 0, kAnyElements,
     "replica_groups channel_handle:struct? has_dynamic_root:bool?", CollectiveBroadcastRule},
    {"stablehlo.collective_permute", 1, -1, 1, -1, 0, kAnyElements,
     "source_target_pairs:dense channel_handle:struct?", CollectivePermuteRule},
    {"stablehlo.collective_reduce", 0, -1, 0, -1, 1, kAnyElements,
     "replica_groups channel_handle:struct? use_global_device_ids:bool? has_dynamic_root:bool?",
     CollectiveReduceRule},
    {"stablehlo.partition_id", 0, 0, 1, 1, 0, kAnyElements, "", IdRule},
    {"stablehlo.reduce_scatter", 1, 1, 1, 1, 1, kAnyElements,
     "scatter_dimension:i64* replica_groups channel_handle:struct? use_global_device_ids:bool?",
     ReduceScatterRule},
    {"stablehlo.replica_id", 0, 0, 1, 1, 0, kAnyElements, "", IdRule},
};

}  // namespace

void AddCollectiveRules(RuleTable* table) {
  for (const OperationRule& rule : kCollectiveRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
