// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/shardy_writer.h"

#include <algorithm>

#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/stablehlo/sdy_text.h"

namespace xla::stablehlo {

KnownInstructions::KnownInstructions(const HloModule& module, const TranslatedValues& values)
    : values_(values) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      alive_.insert(instruction);
    }
  }
}

const HloInstruction* KnownInstructions::Find(const mlir::Value& value) const {
  const auto is_known = [](int64_t size) { return size >= 0; };
  if (value.type == nullptr || value.type->kind != mlir::TypeKind::kRankedTensor ||
      !std::all_of(value.type->sizes.begin(), value.type->sizes.end(), is_known)) {
    return nullptr;
  }
  const HloInstruction* found = value.id < values_.size() ? values_[value.id] : nullptr;
  return found != nullptr && alive_.contains(found) ? found : nullptr;
}

const NamedSharding* KnownInstructions::NamedOf(const HloInstruction* instruction, size_t leaf) {
  if (instruction == nullptr || !instruction->has_sharding()) return nullptr;
  const HloSharding* sharding = &instruction->sharding();
  if (sharding->IsTuple()) {
    if (leaf >= sharding->tuple_elements().size()) return nullptr;
    sharding = &sharding->tuple_elements()[leaf];
  }
  return sharding->UseNamedShardingLeaf() ? &sharding->named_sharding() : nullptr;
}

std::vector<const NamedSharding*> KnownInstructions::OperandsOfManual(
    const mlir::Operation& manual) const {
  const HloInstruction* call = manual.results.empty() ? nullptr : Find(manual.results[0]);
  while (call != nullptr && call->opcode() != HloOpcode::kCall && call->operand_count() == 1) {
    call = call->operand(0);
  }
  if (call == nullptr || call->opcode() != HloOpcode::kCall ||
      call->operand_count() != static_cast<int64_t>(manual.operands.size())) {
    return {};
  }
  std::vector<const NamedSharding*> shardings;
  for (const HloInstruction* operand : call->operands()) {
    if (operand->operand_count() != 1) return {};
    shardings.push_back(NamedOf(operand->operand(0)));
  }
  return shardings;
}

int64_t RankOf(const mlir::Value& value) {
  return value.type != nullptr ? static_cast<int64_t>(value.type->sizes.size()) : 0;
}

absl::Status ShardyWriter::ReadMeshes(const mlir::Block& functions) {
  for (const mlir::Operation& operation : functions) {
    if (!operation.Is("sdy.mesh")) continue;
    const mlir::AttributeRef name = operation.Find("sym_name"), mesh = operation.Find("mesh");
    const auto* symbol = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
    const auto* dialect = mesh == nullptr ? nullptr : mesh->As<mlir::DialectAttribute>();
    if (symbol == nullptr || dialect == nullptr) continue;
    XLA_ASSIGN_OR_RETURN(const ShardyMesh parsed, ParseShardyMesh(dialect->text));
    XLA_ASSIGN_OR_RETURN(Mesh made, ToMesh(parsed));
    meshes_.emplace_back(std::string(symbol->value), std::move(made));
  }
  return absl::OkStatus();
}

std::vector<ShardyAxis> ShardyWriter::AxesOf(const std::vector<AxisRef>& axes, const Mesh& mesh) {
  std::vector<ShardyAxis> result;
  for (const AxisRef& axis : axes) {
    ShardyAxis& named = result.emplace_back();
    named.name = mesh.axis_name(axis.mesh_axis_index());
    if (!axis.IsSubAxis()) continue;
    named.pre_size = axis.pre_size();
    named.size = axis.size(mesh);
  }
  return result;
}

ShardySharding ShardyWriter::AsShardy(const NamedSharding& named) const {
  const Mesh& mesh = named.mesh();
  ShardySharding sharding;
  for (const auto& [name, known] : meshes_) {
    if (known == mesh && sharding.mesh.empty()) sharding.mesh = name;
  }
  if (sharding.mesh.empty()) {
    ShardyMesh& inlined = sharding.inlined.emplace();
    for (int64_t i = 0; i < mesh.num_axes(); ++i) {
      inlined.axes.emplace_back(mesh.axis_name(i), mesh.axis_size(i));
    }
    const TileAssignment& devices = mesh.device_assignment();
    if (mesh.IsMaximal() || !devices.iota().has_value() ||
        devices.iota()->reshape_dims().size() > 1) {
      inlined.device_ids.assign(devices.array().begin(), devices.array().end());
    }
  }
  for (const auto& dimension : named.dim_shardings()) {
    sharding.dimensions.push_back({.axes = AxesOf(dimension.axes(), mesh),
                                   .is_closed = dimension.is_closed(),
                                   .priority = dimension.priority()});
  }
  sharding.replicated = AxesOf(named.replicated_axes(), mesh);
  sharding.unreduced = AxesOf(named.unreduced_axes(), mesh);
  sharding.reduction = named.unreduced_kind();
  return sharding;
}

absl::StatusOr<mlir::AttributeRef> ShardyWriter::Read(const std::string& text) {
  return mlir::ReadAttribute(source_.context.lasting_arena().Copy(std::string_view(text)),
                             &source_.context);
}

absl::StatusOr<mlir::AttributeRef> ShardyWriter::Attribute(const ShardySharding& sharding) {
  std::string text = "#sdy.sharding<";
  AppendText(&text, sharding);
  return Read(text + ">");
}

absl::StatusOr<mlir::AttributeRef> ShardyWriter::PerValue(
    const std::vector<ShardySharding>& shardings) {
  std::string text = "#sdy.sharding_per_value<";
  AppendText(&text, shardings);
  return Read(text + ">");
}

void ShardyWriter::Set(mlir::Operation* operation, std::string_view name,
                       mlir::AttributeRef value) {
  std::vector<mlir::NamedAttribute> attributes;
  bool is_there = false;
  for (const mlir::NamedAttribute& attribute : operation->attributes) {
    const bool is_same = attribute.name == name;
    is_there = is_there || is_same;
    if (!is_same) {
      attributes.push_back(attribute);
    } else if (value != nullptr) {
      attributes.push_back({attribute.name, value});
    }
  }
  if (!is_there && value != nullptr) {
    attributes.push_back({source_.context.InternText(name), value});
  }
  editor_.SetAttributes(operation, attributes);
}

}  // namespace xla::stablehlo
