// SPDX-License-Identifier: Apache-2.0
// Shardings as HLO: attributes of values, and Shardy's operations as XLA exports them. A manual
// computation is a call between custom calls: Sharding and SPMDFullToShardShape for each operand,
// Sharding and SPMDShardToFullShape for each result.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/hlo/text/parser.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/translator.h"
#include "xla/xla_data.pb.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;

absl::StatusOr<std::string_view> TextOf(const Translator& translator, const Operation& operation,
                                        std::string_view name) {
  const AttributeRef attribute = operation.Find(name);
  const auto* text = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  if (text != nullptr) return text->text;
  return translator.Error(operation, absl::StrCat("needs the attribute '", View(name), "'"));
}

HloInstruction* Annotate(Translator& translator, const char* target, HloInstruction* operand,
                         const Shape& shape, HloSharding sharding) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = target;
  HloInstruction* call =
      translator.Emit(HloOpcode::kCustomCall, shape, {operand}, std::move(attributes));
  call->mutable_extras().sharding = std::move(sharding);
  return call;
}

// The numbers of the dimensions that may be divided further, separated by commas.
std::string OpenDimensions(std::string_view text) {
  const auto sharding = ParseShardySharding(text);
  std::string numbers;
  if (!sharding.ok()) return numbers;
  for (size_t d = 0; d < sharding->dimensions.size(); ++d) {
    if (sharding->dimensions[d].is_closed) continue;
    absl::StrAppend(&numbers, numbers.empty() ? "" : ",", d);
  }
  return numbers;
}

absl::Status TranslateConstraint(Translator& translator, const Operation& operation) {
  const bool is_constraint = operation.Is("sdy.sharding_constraint") || operation.Is("sdy.reshard");
  XLA_ASSIGN_OR_RETURN(const std::string_view text,
                       TextOf(translator, operation, is_constraint ? "sharding" : "out_sharding"));
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, translator.Sharding(operation, text));
  HloInstruction* operand = translator.Operand(operation, 0);
  HloInstruction* annotation =
      Annotate(translator, "Sharding", operand, operand->shape(), std::move(sharding));
  if (const std::string open = OpenDimensions(text); !open.empty()) {
    annotation->set_raw_backend_config_string(absl::StrCat("unspecified_dims=[", open, "]"));
  }
  translator.SetResults(operation, annotation);
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> FullToShard(Translator& translator, const Operation& operation,
                                            HloInstruction* operand, const Shape& shape,
                                            const ShardySharding& sharding,
                                            absl::Span<const std::string> outer,
                                            absl::Span<const std::string> inner) {
  XLA_ASSIGN_OR_RETURN(HloSharding full, translator.Sharding(operation, sharding, outer));
  XLA_ASSIGN_OR_RETURN(HloSharding local,
                       translator.Sharding(operation, WithoutAxes(sharding, inner), inner));
  HloInstruction* annotated =
      Annotate(translator, "Sharding", operand, operand->shape(), std::move(full));
  return Annotate(translator, "SPMDFullToShardShape", annotated, shape, std::move(local));
}

absl::StatusOr<HloInstruction*> ShardToFull(Translator& translator, const Operation& operation,
                                            HloInstruction* result, const Shape& shape,
                                            const ShardySharding& sharding,
                                            absl::Span<const std::string> outer,
                                            absl::Span<const std::string> inner) {
  XLA_ASSIGN_OR_RETURN(HloSharding full, translator.Sharding(operation, sharding, outer));
  XLA_ASSIGN_OR_RETURN(HloSharding local,
                       translator.Sharding(operation, WithoutAxes(sharding, inner), inner));
  HloInstruction* annotated =
      Annotate(translator, "Sharding", result, result->shape(), std::move(local));
  return Annotate(translator, "SPMDShardToFullShape", annotated, shape, std::move(full));
}

absl::Status TranslateManualComputation(Translator& translator, const Operation& operation) {
  std::vector<std::vector<ShardySharding>> shardings;
  for (const std::string_view name : {"in_shardings", "out_shardings"}) {
    XLA_ASSIGN_OR_RETURN(const std::string_view text, TextOf(translator, operation, name));
    auto parsed = ParseShardyShardings(text);
    if (!parsed.ok()) return translator.Error(operation, std::string(parsed.status().message()));
    shardings.push_back(*std::move(parsed));
  }
  XLA_ASSIGN_OR_RETURN(const std::string_view axes_text,
                       TextOf(translator, operation, "manual_axes"));
  auto axes = ParseShardyAxes(axes_text);
  if (!axes.ok()) return translator.Error(operation, std::string(axes.status().message()));
  if (operation.regions.size() != 1 || !operation.regions[0].HasOneBlock() ||
      shardings[0].size() != operation.operands.size() ||
      shardings[1].size() != operation.results.size() ||
      operation.regions[0].first->arguments.size() != operation.operands.size()) {
    return translator.Error(operation,
                            "needs a sharding for each operand and result, and a region with an "
                            "argument for each operand");
  }
  const std::vector<std::string> outer = translator.manual_axes();
  std::vector<std::string> inner = outer;
  inner.insert(inner.end(), axes->begin(), axes->end());
  std::vector<HloInstruction*> arguments;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        const Shape shape,
        translator.ShapeOf(operation, operation.regions[0].first->arguments[i].type));
    XLA_ASSIGN_OR_RETURN(HloInstruction * argument,
                         FullToShard(translator, operation, translator.Operand(operation, i), shape,
                                     shardings[0][i], outer, inner));
    arguments.push_back(argument);
  }
  translator.set_manual_axes(inner);
  auto body = translator.Reducer(operation, 0);
  translator.set_manual_axes(outer);
  XLA_RETURN_IF_ERROR(body.status());
  HloInstruction* call = translator.Emit(HloOpcode::kCall, (*body)->root_instruction()->shape(),
                                         arguments, CallAttributes(), {*body});
  if (operation.results.size() != 1 &&
      (!call->shape().IsTuple() ||
       call->shape().tuple_shapes().size() != operation.results.size())) {
    return translator.Error(operation, "the region does not return a value for each result");
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         translator.ShapeOf(operation, operation.results[i].type));
    HloInstruction* result =
        operation.results.size() == 1 ? call : translator.Element(call, static_cast<int64_t>(i));
    XLA_ASSIGN_OR_RETURN(HloInstruction * full, ShardToFull(translator, operation, result, shape,
                                                            shardings[1][i], outer, inner));
    translator.Set(operation.results[i], full);
  }
  return absl::OkStatus();
}

absl::Status TranslateNamedComputation(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  if (static_cast<size_t>(body->num_parameters()) != operation.operands.size()) {
    return translator.Error(operation, "needs a region with an argument for each operand");
  }
  return translator.EmitResults(operation, HloOpcode::kCall, translator.Operands(operation),
                                CallAttributes(), {body});
}

// Only guide the propagation of shardings.
absl::Status TranslateIdentity(Translator& translator, const Operation& operation) {
  if (!operation.results.empty()) {
    translator.SetResults(operation, translator.Operand(operation, 0));
  }
  return absl::OkStatus();
}

// The direction stays with a custom call, under XLA's names for both.
absl::Status TranslateBarrier(Translator& translator, const Operation& operation) {
  if (!translator.keeps_axes()) return TranslateIdentity(translator, operation);
  const AttributeRef direction = operation.Find("allowed_direction");
  HloInstruction* operand = translator.Operand(operation, 0);
  CustomCallAttributes attributes;
  attributes.custom_call_target = "xla.sdy.PropagationBarrier";
  HloInstruction* call =
      translator.Emit(HloOpcode::kCustomCall, operand->shape(), {operand}, std::move(attributes));
  std::string& text = call->mutable_extras().frontend_attributes["xla.sdy.allowed_direction"] =
      "NONE";
  if (const auto* number =
          direction == nullptr ? nullptr : direction->As<mlir::IntegerAttribute>()) {
    text = absl::StrCat(number->value);
  } else if (const auto* dialect =
                 direction == nullptr ? nullptr : direction->As<mlir::DialectAttribute>()) {
    for (const char* name : {"FORWARD", "BACKWARD", "BOTH"}) {
      if (absl::StrContains(View(dialect->text), name)) text = name;
    }
  }
  translator.SetResults(operation, call);
  return absl::OkStatus();
}

// The group is kept with the value: all values of one group are divided alike.
absl::Status TranslateShardingGroup(Translator& translator, const Operation& operation) {
  const AttributeRef group = operation.Find("group_id");
  const auto* number = group == nullptr ? nullptr : group->As<mlir::IntegerAttribute>();
  if (number == nullptr) return translator.Error(operation, "needs a group_id");
  std::string& groups = translator.Operand(operation, 0)
                            ->mutable_extras()
                            .frontend_attributes[kShardingGroupAttribute];
  // A value may be in several.
  if (!translator.keeps_axes()) groups.clear();
  absl::StrAppend(&groups, groups.empty() ? "" : ",", number->value);
  return absl::OkStatus();
}

absl::Status TranslateShardyConstant(Translator& translator, const Operation& operation) {
  const AttributeRef value = operation.Find("value");
  const auto* dense = value == nullptr ? nullptr : value->As<mlir::DenseAttribute>();
  if (dense == nullptr) return translator.Unimplemented(operation, "a constant that is not dense");
  XLA_ASSIGN_OR_RETURN(HloInstruction * constant, translator.Constant(operation, *dense));
  translator.SetResults(operation, constant);
  return absl::OkStatus();
}

}  // namespace

// The custom calls that stand for Shardy's operations in portable artifacts: the start and the end
// of a manual computation, and the sharding of a result, which the function states as well.
absl::Status TranslateShardyCall(Translator& translator, const Operation& operation,
                                 std::string_view target) {
  if (target == "xla.sdy.FuncResultSharding") {
    for (size_t i = 0; i < operation.results.size() && i < operation.operands.size(); ++i) {
      translator.Set(operation.results[i], translator.Operand(operation, i));
    }
    return absl::OkStatus();
  }
  const bool enters = target == "xla.sdy.GlobalToLocalShape";
  const AttributeRef attributes = operation.Find("mhlo.frontend_attributes");
  std::map<std::string, std::string> facts;
  if (attributes != nullptr) {
    XLA_RETURN_IF_ERROR(translator.ReadFrontendAttributes(operation, *attributes, &facts));
  }
  // The text between the outer brackets of "#sdy.sharding_per_value<..>".
  const auto body = [&](const char* name) {
    std::string_view text = facts[name];
    const size_t begin = text.find('<');
    if (begin == std::string_view::npos || text.size() < begin + 2) return std::string_view();
    text = text.substr(begin + 1, text.size() - begin - 2);
    // #sdy<manual_axes{..}>
    const std::string_view kind = "manual_axes";
    return text.substr(0, kind.size()) == kind ? text.substr(kind.size()) : text;
  };
  auto axes = ParseShardyAxes(body("xla.sdy.manual_axes"));
  auto shardings =
      ParseShardyShardings(body(enters ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings"));
  if (!axes.ok()) return translator.Error(operation, std::string(axes.status().message()));
  if (!shardings.ok()) {
    return translator.Error(operation, std::string(shardings.status().message()));
  }
  if (shardings->size() != operation.operands.size() ||
      operation.results.size() != operation.operands.size()) {
    return translator.Error(operation, "needs a sharding and a result for each operand");
  }
  for (size_t i = 0; i < shardings->size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         translator.ShapeOf(operation, operation.results[i].type));
    auto result = (enters ? FullToShard : ShardToFull)(
        translator, operation, translator.Operand(operation, i), shape, (*shardings)[i], {}, *axes);
    XLA_RETURN_IF_ERROR(result.status());
    translator.Set(operation.results[i], *result);
  }
  return absl::OkStatus();
}

absl::Status Translator::ReadMeshes(const mlir::Operation& module) {
  for (const Operation& operation : *module.regions[0].first) {
    if (!operation.Is("sdy.mesh")) continue;
    XLA_ASSIGN_OR_RETURN(const std::string_view name, String(operation, "sym_name"));
    XLA_ASSIGN_OR_RETURN(const std::string_view text, TextOf(*this, operation, "mesh"));
    auto mesh = ParseShardyMesh(text);
    if (!mesh.ok()) return Error(operation, std::string(mesh.status().message()));
    meshes_.emplace(std::string(name), *std::move(mesh));
  }
  XLA_RETURN_IF_ERROR(ReadMeshText(module));
  return ResizeMeshes(module);
}

absl::Status Translator::ResizeMeshes(const mlir::Operation& module) {
  for (const auto& [name, size] : arguments_.mesh_axes) {
    bool is_known = false;
    for (auto& [mesh_name, mesh] : meshes_) {
      for (auto& [axis, axis_size] : mesh.axes) {
        if (axis != name) continue;
        if (!mesh.device_ids.empty() && axis_size != size) {
          return Error(module, absl::StrCat("mesh @", mesh_name, " lists its devices, so axis \"",
                                            name, "\" cannot have another size"));
        }
        axis_size = size;
        is_known = true;
      }
    }
    if (!is_known) return Error(module, absl::StrCat("no mesh has an axis \"", name, "\""));
  }
  constexpr int64_t kMostDevices = int64_t{1} << 24;
  for (const auto& [mesh_name, mesh] : meshes_) {
    int64_t devices = 1;
    for (const auto& [axis, size] : mesh.axes) {
      if (size > kMostDevices / std::max<int64_t>(devices, 1)) {
        return Error(
            module, absl::StrCat("mesh @", mesh_name, " has more than ", kMostDevices, " devices"));
      }
      devices *= size;
    }
  }
  return absl::OkStatus();
}

// Portable artifacts keep the meshes in a frontend attribute: {name = #sdy.mesh<..>, ..}
absl::Status Translator::ReadMeshText(const mlir::Operation& module) {
  const AttributeRef attributes = module.Find("mhlo.frontend_attributes");
  if (attributes == nullptr) return absl::OkStatus();
  std::map<std::string, std::string> facts;
  XLA_RETURN_IF_ERROR(ReadFrontendAttributes(module, *attributes, &facts));
  const auto text = facts.find("xla.sdy.meshes");
  if (text == facts.end()) return absl::OkStatus();
  const auto meshes = mlir::ReadAttribute(
      source_.context.arena().Copy(std::string_view(text->second)), &source_.context);
  if (!meshes.ok()) return Error(module, std::string(meshes.status().message()));
  const auto* dictionary = (*meshes)->As<mlir::DictionaryAttribute>();
  if (dictionary == nullptr) return Error(module, "xla.sdy.meshes must be a dictionary");
  for (const auto& [name, value] : dictionary->entries) {
    const auto* attribute = value->As<mlir::DialectAttribute>();
    if (attribute == nullptr) return Error(module, "xla.sdy.meshes must hold meshes");
    auto mesh = ParseShardyMesh(attribute->text);
    if (!mesh.ok()) return Error(module, std::string(mesh.status().message()));
    meshes_.emplace(std::string(name), *std::move(mesh));
  }
  return absl::OkStatus();
}

absl::StatusOr<HloSharding> Translator::GspmdSharding(const Operation& operation,
                                                      std::string_view text) const {
  absl::StatusOr<HloSharding> sharding = HloSharding();
  // HLO text, or a serialized OpSharding.
  if (absl::StartsWith(View(text), "{")) {
    sharding = ParseSharding(text);
  } else {
    OpSharding proto;
    if (!proto.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
      return Error(operation, "a sharding is neither text nor a serialized OpSharding");
    }
    sharding = HloSharding::FromProto(proto);
  }
  if (!sharding.ok()) return Error(operation, std::string(sharding.status().message()));
  // One tile on one device, as XLA has it for meshes of one device.
  if (sharding->kind() == HloSharding::Kind::kTiled && sharding->num_devices() == 1) {
    return HloSharding::Replicate();
  }
  return sharding;
}

absl::StatusOr<ShardyMesh> Translator::FindMesh(const Operation& operation,
                                                std::string_view name) const {
  const auto found = meshes_.find(name);
  if (found != meshes_.end()) return found->second;
  return Error(operation, absl::StrCat("there is no mesh @", View(name)));
}

absl::StatusOr<HloSharding> Translator::Sharding(const Operation& operation,
                                                 const ShardySharding& sharding,
                                                 absl::Span<const std::string> manual) const {
  if (keeps_axes()) {
    auto named = ToNamedSharding(sharding, meshes_, manual);
    if (!named.ok()) return Error(operation, std::string(named.status().message()));
    return HloSharding(*std::move(named));
  }
  auto result = ToHloSharding(sharding, meshes_, manual);
  if (!result.ok()) return Error(operation, std::string(result.status().message()));
  return result;
}

absl::StatusOr<HloSharding> Translator::Sharding(const Operation& operation,
                                                 std::string_view text) const {
  auto parsed = ParseShardySharding(text);
  if (!parsed.ok()) return Error(operation, std::string(parsed.status().message()));
  return Sharding(operation, WithoutAxes(*parsed, manual_axes_), manual_axes_);
}

absl::StatusOr<HloSharding> Translator::Sharding(const Operation& operation,
                                                 AttributeRef attribute) const {
  if (const auto* string = attribute->As<mlir::StringAttribute>()) {
    return GspmdSharding(operation, string->value);
  }
  const auto* dialect = attribute->As<mlir::DialectAttribute>();
  if (dialect == nullptr || dialect->dialect != "sdy") {
    return Error(operation, "a sharding is neither a string nor one of Shardy");
  }
  if (dialect->name == "sharding") return Sharding(operation, dialect->text);
  auto parsed = ParseShardyShardings(dialect->text);
  if (!parsed.ok()) return Error(operation, std::string(parsed.status().message()));
  std::vector<HloSharding> elements;
  for (const ShardySharding& sharding : *parsed) {
    XLA_ASSIGN_OR_RETURN(HloSharding element,
                         Sharding(operation, WithoutAxes(sharding, manual_axes_), manual_axes_));
    elements.push_back(std::move(element));
  }
  if (elements.size() == 1) return elements[0];
  return HloSharding::Tuple(std::move(elements));
}

void AddShardingHandlers(HandlerTable* table) {
  for (const std::string_view name :
       {"sdy.sharding_constraint", "sdy.reshard", "sdy.all_gather", "sdy.all_reduce",
        "sdy.all_slice", "sdy.all_to_all", "sdy.collective_permute", "sdy.reduce_scatter"}) {
    table->emplace(name, TranslateConstraint);
  }
  table->emplace("sdy.constant", TranslateShardyConstant);
  table->emplace("sdy.data_flow_edge", TranslateIdentity);
  table->emplace("sdy.manual_computation", TranslateManualComputation);
  table->emplace("sdy.named_computation", TranslateNamedComputation);
  table->emplace("sdy.propagation_barrier", TranslateBarrier);
  table->emplace("sdy.sharding_group", TranslateShardingGroup);
}

}  // namespace xla::stablehlo
