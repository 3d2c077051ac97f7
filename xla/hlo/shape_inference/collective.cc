// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations across replicas and partitions, and the rules of their device
// groups.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/overflow_util.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

// What the ids of replica groups name.
enum class GroupMode : uint8_t { kReplica, kPartition, kReplicaAndPartition, kFlattened };

absl::string_view ModeName(GroupMode mode) {
  switch (mode) {
    case GroupMode::kReplica:
      return "cross_replica";
    case GroupMode::kPartition:
      return "cross_partition";
    case GroupMode::kReplicaAndPartition:
      return "cross_replica_and_partition";
    case GroupMode::kFlattened:
      return "flattened_id";
  }
  return "";
}

// The plural of what the ids name, for errors.
absl::string_view IdsName(GroupMode mode) {
  switch (mode) {
    case GroupMode::kReplica:
    case GroupMode::kReplicaAndPartition:
      return "replicas";
    case GroupMode::kPartition:
      return "partitions";
    case GroupMode::kFlattened:
      return "flattened IDs";
  }
  return "";
}

bool HasChannel(std::optional<int64_t> channel_id) { return channel_id.value_or(0) > 0; }

absl::StatusOr<GroupMode> ModeOf(std::optional<int64_t> channel_id,
                                 std::optional<bool> use_global_device_ids) {
  if (!HasChannel(channel_id)) {
    if (use_global_device_ids.value_or(false)) {
      return InvalidArgument("Cannot have use_global_device_ids=true without channel_id");
    }
    return GroupMode::kReplica;
  }
  if (!use_global_device_ids.has_value()) return GroupMode::kPartition;
  return *use_global_device_ids ? GroupMode::kFlattened : GroupMode::kReplicaAndPartition;
}

struct Groups {
  GroupMode mode = GroupMode::kReplica;
  // Devices that take part in one group, by counts of replicas and partitions where the groups are
  // empty. 0: not known.
  int64_t size = 0;
};

int64_t ProductOrZero(absl::int128 product) { return ToSize(product).value_or(0); }

// Ids that all groups hold together, and those of the first group. Errors: what no list of groups
// can be.
struct GroupCounts {
  int64_t ids = 0, group_size = 0;
};

absl::Status BadGroups(const CollectiveDeviceList& list, absl::string_view rule) {
  std::string text = list.ToString();
  if (text.size() > 200) text = text.substr(0, 200) + "...";
  return InvalidArgumentStrCat(rule, " in replica_groups=", text, ".");
}

absl::StatusOr<GroupCounts> CountExplicit(const CollectiveDeviceList& list, bool uniform) {
  GroupCounts counts;
  for (const auto& group : list.groups) {
    if (group.empty()) return BadGroups(list, "Instruction cannot have an empty replica group");
    if (uniform && group.size() != list.groups[0].size()) {
      return BadGroups(list, "Replica groups expected to be of uniform size");
    }
    counts.ids += static_cast<int64_t>(group.size());
  }
  counts.group_size = static_cast<int64_t>(list.groups[0].size());
  // Together the groups name each of 0..n-1 once.
  std::vector<bool> seen(counts.ids, false);
  for (const auto& group : list.groups) {
    for (const int64_t id : group) {
      if (!InRange(id, counts.ids)) {
        return BadGroups(
            list, absl::StrCat("Replica ", id, " is out of range: the groups hold ", counts.ids,
                               " ids, and must name each of 0..", counts.ids - 1, " once"));
      }
      if (seen[id]) {
        return BadGroups(
            list, absl::StrCat("Replica ", id, " is repeated in instruction's replica-groups"));
      }
      seen[id] = true;
    }
  }
  return counts;
}

absl::StatusOr<GroupCounts> CountIota(const CollectiveDeviceList& list) {
  const int64_t ids = ProductOrZero(absl::int128(list.num_groups) * list.group_size);
  if (list.num_groups <= 0 || list.group_size <= 0 || ids == 0) {
    return BadGroups(list, "Numbers of groups and of devices in each must be positive");
  }
  if (SaturatingProduct(list.reshape_dims) != ids) {
    return BadGroups(list, "Product of the reshape dimensions must be the number of devices");
  }
  std::vector<int64_t> permutation(list.transpose_perm.begin(), list.transpose_perm.end());
  if (!permutation.empty() &&
      (permutation.size() != list.reshape_dims.size() || !IsPermutation(permutation))) {
    return BadGroups(list, "The transposition must be a permutation of the reshape dimensions");
  }
  return GroupCounts{ids, list.group_size};
}

absl::StatusOr<GroupCounts> CountMesh(const CollectiveDeviceList& list) {
  if (!list.mesh.has_value()) return BadGroups(list, "No mesh");
  const absl::Status axes =
      ValidateSpanOfAxes(list.mesh_axes, *list.mesh, /*allow_mergeable_neighbors=*/true);
  if (!axes.ok()) return BadGroups(list, std::string(axes.message()));
  return GroupCounts{list.mesh->num_devices(), AxesSize(list.mesh_axes, *list.mesh)};
}

bool IsEmptyList(const CollectiveDeviceList& list) {
  return list.form == CollectiveDeviceList::Form::kExplicit && list.groups.empty();
}

// Checks the groups and finds out how many devices each has.
absl::StatusOr<Groups> CheckGroups(const InferenceInput& in, const CollectiveBase& base,
                                   std::optional<bool> use_global_device_ids, bool uniform = true) {
  Groups groups;
  XLA_ASSIGN_OR_RETURN(groups.mode, ModeOf(base.channel_id, use_global_device_ids));
  const CollectiveDeviceList& list = base.replica_groups;
  if (IsEmptyList(list)) {
    switch (groups.mode) {
      case GroupMode::kReplica:
        groups.size = in.replica_count;
        break;
      case GroupMode::kPartition:
        groups.size = in.num_partitions;
        break;
      case GroupMode::kReplicaAndPartition:
        groups.size = ProductOrZero(absl::int128(in.replica_count) * in.num_partitions);
        break;
      case GroupMode::kFlattened:
        return InvalidArgument("Replica groups must be specified in flattened-id mode");
    }
    return groups;
  }
  GroupCounts counts;
  switch (list.form) {
    case CollectiveDeviceList::Form::kExplicit: {
      XLA_ASSIGN_OR_RETURN(counts, CountExplicit(list, uniform));
      break;
    }
    case CollectiveDeviceList::Form::kIota: {
      XLA_ASSIGN_OR_RETURN(counts, CountIota(list));
      break;
    }
    case CollectiveDeviceList::Form::kMesh: {
      XLA_ASSIGN_OR_RETURN(counts, CountMesh(list));
      break;
    }
  }
  // Counts of one are the defaults of a module that says nothing of its devices: nothing to compare
  // with.
  int64_t expected = in.replica_count;
  if (groups.mode == GroupMode::kPartition) expected = in.num_partitions;
  if (groups.mode == GroupMode::kFlattened) {
    expected = ProductOrZero(absl::int128(in.replica_count) * in.num_partitions);
  }
  if (expected > 1 && counts.ids != expected) {
    return BadGroups(
        list, absl::StrCat("In ", ModeName(groups.mode), " mode, replica groups should contain ",
                           expected, " ", IdsName(groups.mode), ", but found ", counts.ids));
  }
  groups.size = counts.group_size;
  if (groups.mode == GroupMode::kReplicaAndPartition) {
    groups.size =
        ProductOrZero(absl::int128(groups.size) * std::max<int64_t>(in.num_partitions, 1));
  }
  return groups;
}

absl::StatusOr<int64_t> OnlyDimension(const InferenceInput& in,
                                      absl::Span<const int64_t> dimensions) {
  if (dimensions.size() != 1) {
    return InvalidArgument("%s expects exactly one dimension; got %u.", OpName(in.opcode),
                           dimensions.size());
  }
  return dimensions[0];
}

// The operands: at least one, arrays.
absl::Status ExpectArrays(const InferenceInput& in) {
  if (in.operands.empty())
    return InvalidArgument("%s expects at least one operand.", OpName(in.opcode));
  for (const Shape* operand : in.operands) {
    XLA_RETURN_IF_ERROR(ExpectArray(*operand, absl::StrCat("operand of ", OpName(in.opcode))));
  }
  return absl::OkStatus();
}

std::vector<Shape> OperandShapes(const InferenceInput& in) {
  std::vector<Shape> shapes;
  for (const Shape* operand : in.operands) shapes.push_back(*operand);
  return shapes;
}

// The computation of all-reduce and reduce-scatter takes two scalars, whatever the number of
// operands.
absl::Status CheckReduction(const InferenceInput& in) {
  const ProgramShape& reducer = *in.callees[0];
  const bool fits = reducer.parameters_size() == 2 && ShapeUtil::IsScalar(reducer.parameters(0)) &&
                    ShapeUtil::IsScalar(reducer.parameters(1)) &&
                    ShapeUtil::IsScalar(reducer.result());
  if (fits) return absl::OkStatus();
  return InvalidArgumentStrCat("The computation of ", OpName(in.opcode),
                               " must take two scalars and return one; got ", Str(reducer), ".");
}

// How many shards make up the result of an all-gather (or the operand of a reduce-scatter): told by
// the declared shape where there is one, for a module need not say how many devices it runs on;
// else by the groups.
absl::StatusOr<int64_t> ShardCount(const InferenceInput& in, const Groups& groups, int64_t whole,
                                   int64_t part) {
  if (in.declared == nullptr) {
    if (groups.size > 0) return groups.size;
    return InvalidArgument("The number of devices of %s is not known.", OpName(in.opcode));
  }
  const bool told = !IsUnbounded(whole) && !IsUnbounded(part) && part > 0 && whole > 0;
  const int64_t count = told ? CeilOfRatio(whole, part) : std::max<int64_t>(groups.size, 1);
  if (told && groups.size > 1 && count != groups.size) {
    return InvalidArgument(
        "shard_count = %d, subgroup_size = %d: the shapes of %s do not fit its groups.", count,
        groups.size, OpName(in.opcode));
  }
  return count;
}

// The i-th array of a result that is a tuple for several operands.
absl::StatusOr<const Shape*> ResultPart(const InferenceInput& in, const Shape& result, int64_t i) {
  const Shape* part = &result;
  if (OperandCount(in) > 1) {
    if (!result.IsTuple() || result.tuple_shapes_size() != OperandCount(in)) {
      return InvalidArgumentStrCat("The result of ", OpName(in.opcode), " with ", OperandCount(in),
                                   " operands must be a tuple of as many arrays; got ", Str(result),
                                   ".");
    }
    part = &result.tuple_shapes(static_cast<int>(i));
  }
  XLA_RETURN_IF_ERROR(ExpectArray(*part, absl::StrCat("result of ", OpName(in.opcode))));
  return part;
}

// Dimension `along` of a shape; `what` is the shape, for errors: "shape" or "result".
absl::StatusOr<Dim> DimAlong(absl::string_view operation, int64_t along, const Shape& shape,
                             absl::string_view what) {
  if (InRange(along, shape.rank())) return DimOf(shape, along);
  return InvalidArgumentStrCat("The ", operation, " dimension ", along, " is out of bounds in ",
                               what, " ", Str(shape), ".");
}

// The size of the first result along a dimension, where `declared` has it; else unbounded.
absl::StatusOr<int64_t> DeclaredSize(const InferenceInput& in, const Shape* declared,
                                     absl::string_view operation, int64_t along) {
  if (declared == nullptr) return Shape::kUnboundedSize;
  XLA_ASSIGN_OR_RETURN(const Shape* part, ResultPart(in, *declared, 0));
  XLA_ASSIGN_OR_RETURN(const Dim dim, DimAlong(operation, along, *part, "result"));
  return dim.size;
}

// The operands' shapes with other sizes along a dimension; what is unbounded stays so.
Result Resized(const InferenceInput& in, absl::string_view operation, int64_t along,
               absl::FunctionRef<absl::StatusOr<int64_t>(int64_t)> resize) {
  std::vector<Shape> results = OperandShapes(in);
  for (Shape& result : results) {
    XLA_ASSIGN_OR_RETURN(const Dim dim, DimAlong(operation, along, result, "shape"));
    if (dim.IsUnbounded()) continue;
    XLA_ASSIGN_OR_RETURN(const int64_t size, resize(dim.size));
    result.set_dimensions(static_cast<int>(along), size, dim.dynamic);
  }
  return MaybeTuple(std::move(results));
}

// The gathered shapes; `declared` is the part of the declared result that holds them, or null.
Result Gathered(const InferenceInput& in, const Shape* declared) {
  const auto& attributes = Attrs<AllGatherAttributes>(in);
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  XLA_ASSIGN_OR_RETURN(const int64_t along, OnlyDimension(in, attributes.dimensions));
  XLA_ASSIGN_OR_RETURN(const Groups groups,
                       CheckGroups(in, attributes, attributes.use_global_device_ids));
  XLA_ASSIGN_OR_RETURN(const Dim part, DimAlong("all-gather", along, Operand(in, 0), "shape"));
  XLA_ASSIGN_OR_RETURN(const int64_t whole, DeclaredSize(in, declared, "all-gather", along));
  XLA_ASSIGN_OR_RETURN(const int64_t shards, ShardCount(in, groups, whole, part.size));
  return Resized(in, "all-gather", along, [&](int64_t size) -> absl::StatusOr<int64_t> {
    const auto gathered = ToSize(absl::int128(size) * shards);
    if (gathered.has_value()) return *gathered;
    return InvalidArgument("AllGather overflows the size of dimension %d.", along);
  });
}

// The second element of the tuple that a -start gives.
Result SecondElement(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  if (operand.IsTuple() && operand.tuple_shapes_size() >= 2) return operand.tuple_shapes(1);
  return InvalidArgumentStrCat("The operand of ", OpName(in.opcode),
                               " must be the tuple that its -start gives; got ", Str(operand), ".");
}

absl::Status CheckPairs(const InferenceInput& in, const CollectivePermuteAttributes& attributes,
                        size_t most_per_device) {
  XLA_ASSIGN_OR_RETURN(const GroupMode mode, ModeOf(attributes.channel_id, std::nullopt));
  const int64_t limit = mode == GroupMode::kReplica ? in.replica_count : in.num_partitions;
  absl::flat_hash_map<int64_t, size_t> sources, targets;
  const auto check = [&](absl::string_view role, int64_t id, size_t count) -> absl::Status {
    if (id < 0) {
      return InvalidArgumentStrCat(role, " ", id,
                                   " in the instruction's source-target pair must be >= 0");
    }
    if (limit > 1 && id >= limit) {
      return InvalidArgumentStrCat(role, " ", id,
                                   " in the instruction's source-target pair must be < ", limit);
    }
    if (count > most_per_device) {
      return InvalidArgumentStrCat(
          role, " ", id, " appears more than ",
          most_per_device == 1 ? "once" : absl::StrCat(most_per_device, " times"),
          " in instruction's source-target pairs: {",
          absl::StrJoin(attributes.source_target_pairs, ",",
                        [](std::string* out, const auto& pair) {
                          absl::StrAppend(out, "{", pair.first, ",", pair.second, "}");
                        }),
          "}");
    }
    return absl::OkStatus();
  };
  for (const auto& [source, target] : attributes.source_target_pairs) {
    XLA_RETURN_IF_ERROR(check("Source", source, ++sources[source]));
    XLA_RETURN_IF_ERROR(check("Target", target, ++targets[target]));
  }
  return absl::OkStatus();
}

// Where slices of a buffer start: a tuple of an index for each dimension, or a tuple of such
// tuples.
absl::Status CheckOffsets(const Shape& buffer, const Shape& offsets) {
  const auto one_each = [&](const Shape& tuple) {
    return tuple.tuple_shapes_size() == buffer.rank() &&
           std::all_of(tuple.tuple_shapes().begin(), tuple.tuple_shapes().end(),
                       [](const Shape& s) { return s.IsArray(); });
  };
  bool fits = buffer.IsArray() && offsets.IsTuple();
  if (fits && !one_each(offsets)) {
    fits = std::all_of(offsets.tuple_shapes().begin(), offsets.tuple_shapes().end(),
                       [&](const Shape& s) { return s.IsTuple() && one_each(s); });
  }
  if (fits) return absl::OkStatus();
  return InvalidArgumentStrCat(
      "Buffer offset index should have the same number of elements as the buffer's rank; got "
      "buffer ",
      Str(buffer), " with offsets ", Str(offsets), ".");
}

// collective-permute(input, output, input offsets, output offsets): slices of one buffer written
// into another.
absl::Status CheckInPlacePermute(const InferenceInput& in, size_t* most_per_device) {
  if (OperandCount(in) != 4) {
    return InvalidArgument("%s with slice_sizes expects 4 operands; got %d.", OpName(in.opcode),
                           OperandCount(in));
  }
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& buffer = Operand(in, i);
    const Shape& offsets = Operand(in, i + 2);
    if (buffer.IsTuple() != Operand(in, 0).IsTuple()) {
      return InvalidArgument("Unmatching input buffers and output buffers.");
    }
    if (!buffer.IsTuple()) {
      XLA_RETURN_IF_ERROR(CheckOffsets(buffer, offsets));
      continue;
    }
    if (buffer.tuple_shapes_size() != Operand(in, 0).tuple_shapes_size()) {
      return InvalidArgument("Unmatching input buffers and output buffers.");
    }
    if (!offsets.IsTuple() || offsets.tuple_shapes_size() != buffer.tuple_shapes_size()) {
      const char* which = i == 0 ? "input" : "output";
      return InvalidArgumentStrCat("Unmatching ", which, " buffers and ", which,
                                   " offset. The buffers are ", Str(buffer), ", the offsets ",
                                   Str(offsets), ".");
    }
    for (int j = 0; j < buffer.tuple_shapes_size(); ++j) {
      XLA_RETURN_IF_ERROR(CheckOffsets(buffer.tuple_shapes(j), offsets.tuple_shapes(j)));
    }
  }
  const Shape& input = Operand(in, 0);
  const size_t buffers =
      input.IsTuple() ? static_cast<size_t>(input.tuple_shapes_size()) : size_t{1};
  const auto& slices = Attrs<CollectivePermuteAttributes>(in).slice_sizes;
  if (buffers == 0 || slices.size() % buffers != 0) {
    return InvalidArgumentStrCat("slice_sizes has ", slices.size(), " slices for ", buffers,
                                 " buffers.");
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    const Shape& buffer =
        input.IsTuple() ? input.tuple_shapes(static_cast<int>(i % buffers)) : input;
    if (static_cast<int64_t>(slices[i].size()) != buffer.rank()) {
      return InvalidArgumentStrCat("slice_sizes ", i, " has ", slices[i].size(),
                                   " sizes for the buffer ", Str(buffer), ".");
    }
  }
  // A device may stand in as many pairs as there are slices.
  const Shape& offsets = Operand(in, 2);
  const bool nested = Operand(in, 0).IsTuple() && offsets.tuple_shapes_size() > 0;
  *most_per_device =
      nested ? offsets.tuple_shapes(0).tuple_shapes_size() : offsets.tuple_shapes_size();
  return absl::OkStatus();
}

// Checks a permute; whether it is in place.
absl::StatusOr<bool> CheckPermute(const InferenceInput& in) {
  const auto& attributes = Attrs<CollectivePermuteAttributes>(in);
  const bool in_place = !attributes.slice_sizes.empty();
  size_t most_per_device = 1;
  if (in_place) {
    XLA_RETURN_IF_ERROR(CheckInPlacePermute(in, &most_per_device));
  } else {
    XLA_RETURN_IF_ERROR(ExpectArrays(in));
  }
  XLA_RETURN_IF_ERROR(CheckPairs(in, attributes, most_per_device));
  return in_place;
}

}  // namespace

Result InferAllGather(const InferenceInput& in) { return Gathered(in, in.declared); }

Result InferAllGatherStart(const InferenceInput& in) {
  const Shape* declared = nullptr;
  if (in.declared != nullptr) {
    if (!in.declared->IsTuple() || in.declared->tuple_shapes_size() < 2) {
      return InvalidArgumentStrCat(
          "The result of all-gather-start must be a tuple of operands and results; got ",
          Str(*in.declared), ".");
    }
    declared = &in.declared->tuple_shapes(1);
  }
  XLA_ASSIGN_OR_RETURN(const Shape gathered, Gathered(in, declared));
  return ShapeUtil::MakeTupleShape({MaybeTuple(OperandShapes(in)), gathered});
}

Result InferAllGatherDone(const InferenceInput& in) { return SecondElement(in); }

Result InferAllReduce(const InferenceInput& in) {
  const auto& attributes = Attrs<AllReduceAttributes>(in);
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  XLA_RETURN_IF_ERROR(CheckReduction(in));
  // The only collective whose groups may differ in size.
  XLA_RETURN_IF_ERROR(
      CheckGroups(in, attributes, attributes.use_global_device_ids, /*uniform=*/false).status());
  return MaybeTuple(OperandShapes(in));
}

Result InferAllReduceDone(const InferenceInput& in) { return Operand(in, 0); }

Result InferReduceScatter(const InferenceInput& in) {
  const auto& attributes = Attrs<ReduceScatterAttributes>(in);
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  XLA_RETURN_IF_ERROR(CheckReduction(in));
  XLA_ASSIGN_OR_RETURN(const int64_t along, OnlyDimension(in, attributes.dimensions));
  XLA_ASSIGN_OR_RETURN(const Groups groups,
                       CheckGroups(in, attributes, attributes.use_global_device_ids));
  XLA_ASSIGN_OR_RETURN(const Dim whole, DimAlong("reduce-scatter", along, Operand(in, 0), "shape"));
  XLA_ASSIGN_OR_RETURN(const int64_t part, DeclaredSize(in, in.declared, "reduce-scatter", along));
  XLA_ASSIGN_OR_RETURN(const int64_t shards, ShardCount(in, groups, whole.size, part));
  return Resized(in, "reduce-scatter", along, [&](int64_t size) -> absl::StatusOr<int64_t> {
    if (size % shards == 0) return size / shards;
    return InvalidArgument(
        "ReduceScatter operand scatter dimension size %d must be dividable by shard_count %d.",
        size, shards);
  });
}

Result InferAllToAll(const InferenceInput& in) {
  const auto& attributes = Attrs<AllToAllAttributes>(in);
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  XLA_ASSIGN_OR_RETURN(const Groups groups, CheckGroups(in, attributes, std::nullopt));
  const Shape& first = Operand(in, 0);
  if (attributes.dimensions.has_value()) {
    if (OperandCount(in) != 1) {
      return InvalidArgument("AllToAll along a dimension expects one operand; got %d.",
                             OperandCount(in));
    }
    XLA_ASSIGN_OR_RETURN(const int64_t along, OnlyDimension(in, *attributes.dimensions));
    if (!InRange(along, first.rank())) {
      return InvalidArgumentStrCat("AllToAll split_dimension ", along,
                                   " is out-of-bounds in shape ", Str(first), ".");
    }
    if (first.is_bounded_dynamic()) {
      return InvalidArgument("AllToAll does not support bounded dynamic shapes");
    }
    const Dim dim = DimOf(first, along);
    if (!dim.IsUnbounded() && groups.size > 0 && dim.size % groups.size != 0) {
      return InvalidArgument(
          "AllToAll split dimension size %d must be dividable by split_count %d.", dim.size,
          groups.size);
    }
    return first;
  }
  // One operand for each device of a group, all alike.
  if (groups.size > 1 && OperandCount(in) != groups.size) {
    return InvalidArgument(
        "AllToAll requires hlo->operand_count() == split_count; got %d operands for %d devices of "
        "a "
        "group.",
        OperandCount(in), groups.size);
  }
  const auto is_same = Shape::Equal().IgnoreMemorySpaceInLayout();
  for (int64_t i = 0; i < OperandCount(in); ++i) {
    if (Operand(in, i).is_unbounded_dynamic()) {
      return InvalidArgument("AllToAllTuple does not support unbounded dynamic shapes");
    }
    if (!is_same(first, Operand(in, i))) {
      return InvalidArgumentStrCat(
          "HLO all-to-all has operands with different shapes: the 0th operand shape ",
          first.ToString(/*print_layout=*/true), ", but the ", i, "th operand has shape ",
          Operand(in, i).ToString(/*print_layout=*/true), ".");
    }
  }
  return ShapeUtil::MakeTupleShape(OperandShapes(in));
}

Result InferRaggedAllToAll(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  XLA_RETURN_IF_ERROR(CheckGroups(in, Attrs<CollectiveAttributes>(in), std::nullopt).status());
  const Shape& input = Operand(in, 0);
  const Shape& output = Operand(in, 1);
  if (!ShapeUtil::SameElementType(input, output) || input.rank() != output.rank()) {
    return InvalidArgumentStrCat(
        "Input and output of ragged-all-to-all must have the same element type and rank; got ",
        Str(input), " and ", Str(output), ".");
  }
  for (int64_t i = 2; i < 6; ++i) {
    const Shape& offsets = Operand(in, i);
    if (!primitive_util::IsIntegralType(offsets.element_type()) ||
        !ShapeUtil::CompatibleIgnoringElementType(offsets, Operand(in, 2))) {
      return InvalidArgumentStrCat(
          "RaggedAllToAll operands have different shapes: offsets and sizes must be integer arrays "
          "of one shape; operand ",
          i, " is ", Str(offsets), ", operand 2 is ", Str(Operand(in, 2)), ".");
    }
    if (offsets.rank() != 1 && offsets.rank() != 2) {
      return InvalidArgumentStrCat("RaggedAllToAll operand ", i,
                                   " must be rank 1 or 2: ", Str(offsets));
    }
  }
  return output;
}

Result InferCollectiveBroadcast(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectArrays(in));
  const auto& attributes = Attrs<CollectiveAttributes>(in);
  // Devices may be left out, and groups may differ: only repetition is wrong, which the source
  // would be ambiguous by.
  absl::flat_hash_set<int64_t> seen;
  for (const auto& group : attributes.replica_groups.groups) {
    if (group.empty()) {
      return BadGroups(attributes.replica_groups, "Instruction cannot have an empty replica group");
    }
    for (const int64_t id : group) {
      if (id < 0 || !seen.insert(id).second) {
        return BadGroups(attributes.replica_groups,
                         absl::StrCat("Replica ", id, " is negative or repeated"));
      }
    }
  }
  return MaybeTuple(OperandShapes(in));
}

Result InferCollectivePermute(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const bool in_place, CheckPermute(in));
  if (in_place) return Operand(in, 1);
  return MaybeTuple(OperandShapes(in));
}

Result InferCollectivePermuteStart(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const bool in_place, CheckPermute(in));
  std::vector<Shape> parts;
  parts.push_back(in_place ? Operand(in, 0) : MaybeTuple(OperandShapes(in)));
  parts.push_back(in_place ? Operand(in, 1) : parts[0]);
  // What a device keeps for itself meanwhile follows.
  if (in.declared != nullptr) {
    for (int i = 2; i < in.declared->tuple_shapes_size(); ++i)
      parts.push_back(in.declared->tuple_shapes(i));
  }
  return ShapeUtil::MakeTupleShape(std::move(parts));
}

Result InferCollectivePermuteDone(const InferenceInput& in) { return SecondElement(in); }

Result InferParticipantId(const InferenceInput&) { return ScalarShape(U32); }

}  // namespace xla::shape_inference
