// SPDX-License-Identifier: Apache-2.0
// Collectives as HLO.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/async_collective.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// Rows of a [groups, size] constant; -1 pads groups that are shorter than others.
absl::StatusOr<std::vector<std::vector<int64_t>>> Rows(Translator& translator,
                                                       const Operation& operation,
                                                       std::string_view name) {
  const mlir::AttributeRef attribute = operation.Find(name);
  const auto* dense = attribute == nullptr ? nullptr : attribute->As<mlir::DenseAttribute>();
  if (dense == nullptr || dense->type->sizes.size() != 2) {
    return translator.Unimplemented(operation, "groups that are not a constant of rank 2");
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> flat, translator.Integers(operation, name));
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(dense->type->sizes[0]));
  const auto width = static_cast<size_t>(dense->type->sizes[1]);
  for (size_t i = 0; i < flat.size(); ++i) {
    if (flat[i] >= 0) rows[i / width].push_back(flat[i]);
  }
  return rows;
}

absl::StatusOr<std::optional<int64_t>> Channel(Translator& translator, const Operation& operation) {
  if (operation.Find("channel_handle") == nullptr) return std::optional<int64_t>();
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* handle,
                       translator.Struct(operation, "channel_handle"));
  XLA_ASSIGN_OR_RETURN(const int64_t id, translator.Parameter(operation, *handle, "handle"));
  if (id <= 0) return std::optional<int64_t>();
  return std::optional<int64_t>(translator.Channel(id, operation.name->text));
}

std::string TextParameter(const mlir::DialectAttribute& attribute, std::string_view name) {
  const mlir::AttributeRef value = mlir::FindAttribute(attribute.parameters, name);
  const auto* text = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
  return text == nullptr ? std::string() : std::string(text->value);
}

// #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<[1, 0]>>
absl::StatusOr<Mesh> InlinedMesh(Translator& translator, const Operation& operation,
                                 const mlir::DialectAttribute& attribute) {
  const mlir::AttributeRef axes = mlir::FindAttribute(attribute.parameters, "axes");
  const auto* list = axes == nullptr ? nullptr : axes->As<mlir::ArrayAttribute>();
  if (list == nullptr) return translator.Error(operation, "a mesh of replica_groups needs axes");
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  for (const mlir::AttributeRef element : list->elements) {
    const auto* axis = element->As<mlir::DialectAttribute>();
    if (axis == nullptr) return translator.Error(operation, "an axis of a mesh is not valid");
    XLA_ASSIGN_OR_RETURN(const int64_t size, translator.Parameter(operation, *axis, "size"));
    names.push_back(TextParameter(*axis, "name"));
    sizes.push_back(size);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> device_ids,
                       translator.Parameters(operation, attribute, "device_ids"));
  auto mesh = Mesh::Create(sizes, std::move(names), device_ids);
  if (!mesh.ok()) return translator.Error(operation, std::string(mesh.status().message()));
  return mesh;
}

absl::StatusOr<Mesh> MeshOf(Translator& translator, const Operation& operation,
                            mlir::AttributeRef attribute) {
  if (const auto* symbol = attribute->As<mlir::SymbolRefAttribute>()) {
    XLA_ASSIGN_OR_RETURN(const ShardyMesh known, translator.FindMesh(operation, symbol->root));
    auto mesh = ToMesh(known);
    if (!mesh.ok()) return translator.Error(operation, std::string(mesh.status().message()));
    return mesh;
  }
  const auto* inlined = attribute->As<mlir::DialectAttribute>();
  if (inlined != nullptr && inlined->name == "mesh") {
    return InlinedMesh(translator, operation, *inlined);
  }
  return translator.Error(operation, "the mesh of replica_groups has neither a name nor axes");
}

// Groups along axes of a mesh: #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [..]>, or
// with a #stablehlo.mesh<..> in place of the name.
absl::Status SetMeshGroups(Translator& translator, const Operation& operation,
                           const mlir::DialectAttribute& attribute, CollectiveDeviceList* groups) {
  const mlir::AttributeRef mesh = mlir::FindAttribute(attribute.parameters, "mesh");
  const mlir::AttributeRef axes = mlir::FindAttribute(attribute.parameters, "axes");
  const auto* list = axes == nullptr ? nullptr : axes->As<mlir::ArrayAttribute>();
  if (mesh == nullptr || list == nullptr) {
    return translator.Error(operation, "replica_groups needs a mesh and axes");
  }
  groups->form = CollectiveDeviceList::Form::kMesh;
  XLA_ASSIGN_OR_RETURN(groups->mesh, MeshOf(translator, operation, mesh));
  for (const mlir::AttributeRef element : list->elements) {
    const auto* axis = element->As<mlir::DialectAttribute>();
    if (axis == nullptr) return translator.Error(operation, "an axis of a mesh is not valid");
    auto whole = groups->mesh->Axis(TextParameter(*axis, "name"));
    if (!whole.ok()) return translator.Error(operation, std::string(whole.status().message()));
    AxisRef ref = *whole;
    const mlir::AttributeRef part = mlir::FindAttribute(axis->parameters, "sub_axis_info");
    if (const auto* info = part == nullptr ? nullptr : part->As<mlir::DialectAttribute>()) {
      AxisRef::SubAxis sub_axis;
      XLA_ASSIGN_OR_RETURN(sub_axis.pre_size, translator.Parameter(operation, *info, "pre_size"));
      XLA_ASSIGN_OR_RETURN(sub_axis.size, translator.Parameter(operation, *info, "size"));
      ref = AxisRef(ref.mesh_axis_index(), sub_axis);
    }
    if (const absl::Status valid = ref.Validate(*groups->mesh); !valid.ok()) {
      return translator.Error(operation, std::string(valid.message()));
    }
    groups->mesh_axes.push_back(ref);
  }
  return absl::OkStatus();
}

absl::Status SetBase(Translator& translator, const Operation& operation, CollectiveBase* base) {
  XLA_ASSIGN_OR_RETURN(base->channel_id, Channel(translator, operation));
  const mlir::AttributeRef groups = operation.Find("replica_groups");
  const auto* mesh = groups == nullptr ? nullptr : groups->As<mlir::DialectAttribute>();
  if (mesh != nullptr) {
    return SetMeshGroups(translator, operation, *mesh, &base->replica_groups);
  }
  XLA_ASSIGN_OR_RETURN(base->replica_groups.groups, Rows(translator, operation, "replica_groups"));
  return absl::OkStatus();
}

absl::Status TranslateAllGather(Translator& translator, const Operation& operation) {
  AllGatherAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "all_gather_dim"));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  return translator.EmitResults(operation, HloOpcode::kAllGather, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateAllReduce(Translator& translator, const Operation& operation) {
  AllReduceAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kAllReduce, translator.Operands(operation),
                                attributes, {body});
}

absl::Status TranslateReduceScatter(Translator& translator, const Operation& operation) {
  ReduceScatterAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0],
                       translator.Integer(operation, "scatter_dimension"));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kReduceScatter,
                                translator.Operands(operation), attributes, {body});
}

}  // namespace

absl::StatusOr<HloInstruction*> EmitAllToAll(Translator& translator, HloInstruction* operand,
                                             const AllToAllAttributes& attributes, int64_t split,
                                             int64_t concat, int64_t count) {
  const Shape& shape = operand->shape();
  if (split == concat) {
    return translator.Emit(HloOpcode::kAllToAll, shape, {operand}, attributes);
  }
  const PrimitiveType type = shape.element_type();
  const auto transpose = [&](HloInstruction* value, const std::vector<int64_t>& permutation) {
    std::vector<int64_t> sizes;
    for (const int64_t i : permutation) {
      sizes.push_back(value->shape().dimensions(static_cast<int>(i)));
    }
    return translator.Emit(HloOpcode::kTranspose, ShapeUtil::MakeShape(type, sizes), {value},
                           DimensionListAttributes{permutation});
  };
  // The pieces become a dimension of their own, which moves to the front, is exchanged, and moves
  // before the dimension of the concatenation.
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> pieces = sizes;
  pieces[static_cast<size_t>(split)] /= count;
  std::vector<int64_t> result = pieces;
  result[static_cast<size_t>(concat)] *= count;
  pieces.insert(pieces.begin() + split, count);
  std::vector<int64_t> to_front = {split};
  std::vector<int64_t> from_front;
  for (int64_t i = 0; i < static_cast<int64_t>(pieces.size()); ++i) {
    if (i != split) to_front.push_back(i);
    if (i < static_cast<int64_t>(sizes.size())) {
      if (i == concat) from_front.push_back(0);
      from_front.push_back(i + 1);
    }
  }
  HloInstruction* value = translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(type, pieces),
                                          {operand}, ReshapeAttributes{});
  value = transpose(value, to_front);
  AllToAllAttributes exchange = attributes;
  exchange.dimensions = std::vector<int64_t>{0};
  value = translator.Emit(HloOpcode::kAllToAll, value->shape(), {value}, exchange);
  value = transpose(value, from_front);
  return translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(type, result), {value},
                         ReshapeAttributes{});
}

namespace {

absl::Status TranslateAllToAll(Translator& translator, const Operation& operation) {
  AllToAllAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  if (operation.Is("mhlo.all_to_all") && operation.Find("split_dimension") == nullptr) {
    // An operand for each process.
    return translator.EmitResults(operation, HloOpcode::kAllToAll, translator.Operands(operation),
                                  std::move(attributes));
  }
  XLA_ASSIGN_OR_RETURN(const int64_t split, translator.Integer(operation, "split_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t concat, translator.Integer(operation, "concat_dimension"));
  XLA_ASSIGN_OR_RETURN(const int64_t count, translator.Integer(operation, "split_count"));
  attributes.dimensions = std::vector<int64_t>{split};
  for (size_t i = 0; i < operation.operands.size() && i < operation.results.size(); ++i) {
    HloInstruction* operand = translator.Operand(operation, i);
    const auto rank = static_cast<int64_t>(operand->shape().dimensions().size());
    if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 ||
        operand->shape().dimensions(static_cast<int>(split)) % count != 0) {
      return translator.Error(operation, "cannot split the operand in that many pieces");
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * result,
                         EmitAllToAll(translator, operand, attributes, split, concat, count));
    translator.Set(operation.results[i], result);
  }
  return absl::OkStatus();
}

HloInstruction* EmitConstant(Translator& translator, Literal literal) {
  const Shape shape = literal.shape();
  return translator.Emit(HloOpcode::kConstant, shape, {},
                         ConstantAttributes{{std::make_shared<Literal>(std::move(literal))}});
}

// The number of this process as the groups of a collective count it.
HloInstruction* ProcessOfGroups(Translator& translator, const CollectiveBase& base,
                                bool use_global_device_ids) {
  const Shape u32 = ShapeUtil::MakeShape(U32, {}), s32 = ShapeUtil::MakeShape(S32, {});
  HloInstruction* replica =
      translator.Emit(HloOpcode::kConvert, s32, {translator.Emit(HloOpcode::kReplicaId, u32, {})});
  if (!base.channel_id.has_value() || !use_global_device_ids) return replica;
  const auto count = static_cast<int32_t>(translator.num_partitions());
  HloInstruction* partition = translator.Emit(HloOpcode::kConvert, s32,
                                              {translator.Emit(HloOpcode::kPartitionId, u32, {})});
  HloInstruction* row =
      translator.Emit(HloOpcode::kMultiply, s32,
                      {replica, EmitConstant(translator, LiteralUtil::CreateR0<int32_t>(count))});
  return translator.Emit(HloOpcode::kAdd, s32, {row, partition});
}

// The place of this process in its group; -1 if it is in none.
HloInstruction* PlaceInGroup(Translator& translator, const CollectiveBase& base,
                             bool use_global_device_ids) {
  HloInstruction* process = ProcessOfGroups(translator, base, use_global_device_ids);
  std::vector<int32_t> places;
  for (const std::vector<int64_t>& group : base.replica_groups.groups) {
    for (size_t i = 0; i < group.size(); ++i) {
      const auto at = static_cast<size_t>(group[i]);
      if (at >= places.size()) places.resize(at + 1, -1);
      places[at] = static_cast<int32_t>(i);
    }
  }
  if (places.empty()) return process;  // one group of all
  HloInstruction* table =
      EmitConstant(translator, LiteralUtil::CreateR1<int32_t>(absl::MakeConstSpan(places)));
  DynamicSliceAttributes one;
  one.dynamic_slice_sizes = {1};
  HloInstruction* place = translator.Emit(HloOpcode::kDynamicSlice, ShapeUtil::MakeShape(S32, {1}),
                                          {table, process}, one);
  return translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(S32, {}), {place},
                         ReshapeAttributes{});
}

// Element i of the last operand: the place of the root in each group.
absl::StatusOr<HloInstruction*> DynamicRoot(Translator& translator, const Operation& operation,
                                            int64_t i) {
  HloInstruction* roots = translator.Operand(operation, operation.operands.size() - 1);
  if (roots->shape().dimensions().size() != 1 || roots->shape().element_type() != S32 ||
      i >= roots->shape().dimensions(0)) {
    return translator.Error(operation, "needs a root for each operand, as its last operand");
  }
  SliceAttributes slice;
  slice.slice.push_back({i, i + 1, 1});
  HloInstruction* root =
      translator.Emit(HloOpcode::kSlice, ShapeUtil::MakeShape(S32, {1}), {roots}, slice);
  return translator.Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(S32, {}), {root},
                         ReshapeAttributes{});
}

// Gathers the operand of all, and takes that of the root.
absl::StatusOr<HloInstruction*> EmitFromDynamicRoot(Translator& translator,
                                                    const Operation& operation, int64_t i,
                                                    const CollectiveBase& base) {
  HloInstruction* operand = translator.Operand(operation, static_cast<size_t>(i));
  const Shape shape = operand->shape();
  if (base.replica_groups.groups.empty()) {
    return translator.Unimplemented(operation, "a dynamic root without groups");
  }
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin(), 1);
  const Shape row = ShapeUtil::MakeShape(shape.element_type(), sizes);
  sizes[0] = static_cast<int64_t>(base.replica_groups.groups[0].size());
  const Shape all = ShapeUtil::MakeShape(shape.element_type(), sizes);
  AllGatherAttributes attributes;
  static_cast<CollectiveBase&>(attributes) = base;
  attributes.dimensions = {0};
  HloInstruction* gathered = translator.Emit(
      HloOpcode::kAllGather, all,
      {translator.Emit(HloOpcode::kReshape, row, {operand}, ReshapeAttributes{})}, attributes);
  XLA_ASSIGN_OR_RETURN(HloInstruction * root, DynamicRoot(translator, operation, i));
  std::vector<HloInstruction*> operands = {gathered, root};
  while (operands.size() < sizes.size() + 1) {
    operands.push_back(EmitConstant(translator, LiteralUtil::CreateR0<int32_t>(0)));
  }
  DynamicSliceAttributes slice;
  slice.dynamic_slice_sizes.assign(row.dimensions().begin(), row.dimensions().end());
  HloInstruction* taken = translator.Emit(HloOpcode::kDynamicSlice, row, operands, slice);
  return translator.Emit(HloOpcode::kReshape, shape, {taken}, ReshapeAttributes{});
}

absl::Status TranslateCollectiveBroadcast(Translator& translator, const Operation& operation) {
  CollectiveAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  if (!translator.Flag(operation, "has_dynamic_root")) {
    return translator.EmitResults(operation, HloOpcode::kCollectiveBroadcast,
                                  translator.Operands(operation), attributes);
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * result,
        EmitFromDynamicRoot(translator, operation, static_cast<int64_t>(i), attributes));
    translator.Set(operation.results[i], result);
  }
  return absl::OkStatus();
}

// The sum of all on the root of each group, zeros on the others.
absl::Status TranslateCollectiveReduce(Translator& translator, const Operation& operation) {
  AllReduceAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  attributes.use_global_device_ids = translator.Flag(operation, "use_global_device_ids");
  const bool has_dynamic_root = translator.Flag(operation, "has_dynamic_root");
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  operands.resize(operation.results.size());
  HloInstruction* sums =
      translator.Emit(HloOpcode::kAllReduce, shape, operands, attributes, {body});
  HloInstruction* place = PlaceInGroup(translator, attributes, attributes.use_global_device_ids);
  for (size_t i = 0; i < operation.results.size(); ++i) {
    HloInstruction* root = EmitConstant(translator, LiteralUtil::CreateR0<int32_t>(0));
    if (has_dynamic_root) {
      XLA_ASSIGN_OR_RETURN(root, DynamicRoot(translator, operation, static_cast<int64_t>(i)));
    }
    CompareAttributes equal;
    equal.direction = ComparisonDirection::kEq;
    HloInstruction* is_root =
        translator.Emit(HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}), {place, root}, equal);
    HloInstruction* sum =
        operation.results.size() == 1 ? sums : translator.Element(sums, static_cast<int64_t>(i));
    HloInstruction* zero =
        EmitConstant(translator, Literal(ShapeUtil::MakeShape(sum->shape().element_type(), {})));
    translator.Set(operation.results[i],
                   translator.Emit(HloOpcode::kSelect, sum->shape(),
                                   {translator.BroadcastScalar(is_root, sum->shape()), sum,
                                    translator.BroadcastScalar(zero, sum->shape())}));
  }
  return absl::OkStatus();
}

// The sum over replicas.
absl::Status TranslateCrossReplicaSum(Translator& translator, const Operation& operation) {
  AllReduceAttributes attributes;
  XLA_RETURN_IF_ERROR(SetBase(translator, operation, &attributes));
  HloInstruction* operand = translator.Operand(operation, 0);
  XLA_ASSIGN_OR_RETURN(
      HloComputation * body,
      translator.ScalarComputation(HloOpcode::kAdd, operand->shape().element_type()));
  return translator.EmitResults(operation, HloOpcode::kAllReduce, {operand}, attributes, {body});
}

absl::Status TranslateCollectivePermute(Translator& translator, const Operation& operation) {
  CollectivePermuteAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.channel_id, Channel(translator, operation));
  XLA_ASSIGN_OR_RETURN(const auto rows, Rows(translator, operation, "source_target_pairs"));
  for (const std::vector<int64_t>& row : rows) {
    if (row.size() != 2) return translator.Error(operation, "needs pairs of source and target");
    attributes.source_target_pairs.emplace_back(row[0], row[1]);
  }
  return translator.EmitResults(operation, HloOpcode::kCollectivePermute,
                                translator.Operands(operation), attributes);
}

absl::Status TranslateId(Translator& translator, const Operation& operation) {
  return translator.EmitResults(
      operation,
      operation.Is("stablehlo.replica_id") ? HloOpcode::kReplicaId : HloOpcode::kPartitionId, {});
}

}  // namespace

void AddCollectiveHandlers(HandlerTable* table) {
  table->emplace("stablehlo.all_gather", TranslateAllGather);
  table->emplace("stablehlo.all_reduce", TranslateAllReduce);
  table->emplace("mhlo.all_to_all", TranslateAllToAll);
  table->emplace("stablehlo.all_to_all", TranslateAllToAll);
  table->emplace("stablehlo.collective_broadcast", TranslateCollectiveBroadcast);
  table->emplace("stablehlo.collective_reduce", TranslateCollectiveReduce);
  table->emplace("stablehlo.cross-replica-sum", TranslateCrossReplicaSum);
  table->emplace("stablehlo.collective_permute", TranslateCollectivePermute);
  table->emplace("stablehlo.partition_id", TranslateId);
  table->emplace("stablehlo.reduce_scatter", TranslateReduceScatter);
  table->emplace("stablehlo.replica_id", TranslateId);
}

}  // namespace xla::stablehlo
