// SPDX-License-Identifier: Apache-2.0
// Shardy's operations and attributes as StableHLO.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/sdy_editor.h"
#include "xla/stablehlo/sdy_round_trip.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::TypeRef;

class ShardyExporter {
 public:
  explicit ShardyExporter(mlir::Source* source) : editor_(source) {}

  absl::Status Run() {
    mlir::Block* functions = editor_.functions();
    if (functions == nullptr) return absl::OkStatus();
    for (const Operation& operation : *functions) {
      if (const std::string_view name = StringOf(operation, "sym_name"); !name.empty()) {
        symbols_.insert(std::string(name));
      }
    }
    ExportMeshes(functions);
    // Functions that are added on the way are done already.
    Operation* last = functions->last;
    for (Operation* operation = functions->first; operation != nullptr;
         operation = operation == last ? nullptr : operation->next) {
      XLA_RETURN_IF_ERROR(Export(operation));
    }
    return absl::OkStatus();
  }

 private:
  static std::string_view StringOf(const Operation& operation, std::string_view name) {
    const AttributeRef value = operation.Find(name);
    const auto* string = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
    return string == nullptr ? std::string_view() : string->value;
  }

  // The text of an attribute as a string.
  AttributeRef Text(AttributeRef attribute) {
    AttributeRef& text = texts_[attribute];
    if (text == nullptr) {
      text = editor_.context().String(editor_.context().InternText(mlir::ToString(attribute)));
    }
    return text;
  }

  // {mesh = #sdy.mesh<..>}
  void ExportMeshes(mlir::Block* functions) {
    std::string text = "{";
    for (Operation* operation = functions->first; operation != nullptr;) {
      Operation* next = operation->next;
      if (operation->Is("sdy.mesh")) {
        const NamedAttribute mesh = {StringOf(*operation, "sym_name"), operation->Find("mesh")};
        if (mesh.value != nullptr) {
          std::string entry;
          mlir::AppendTo(&entry, absl::MakeConstSpan(&mesh, 1));
          absl::StrAppend(&text, text.size() > 1 ? ", " : "", entry.substr(1, entry.size() - 2));
        }
        functions->Remove(operation);
      }
      operation = next;
    }
    if (text.size() == 1) return;
    text.push_back('}');
    Operation& module = editor_.module();
    std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(module.attributes);
    facts.push_back(
        {"xla.sdy.meshes", editor_.context().String(editor_.context().InternText(text))});
    editor_.SetAttributes(&module, editor_.WithFrontend(module.attributes, facts));
  }

  // Takes Shardy's attributes out of a list and adds them to its frontend attributes.
  std::vector<NamedAttribute> Exported(absl::Span<const NamedAttribute> attributes) {
    std::vector<NamedAttribute> others, frontend = ShardyEditor::FrontendOf(attributes);
    for (const NamedAttribute& attribute : attributes) {
      const RoundTripName* known = nullptr;
      for (const RoundTripName& name : kRoundTripNames) {
        if (name.shardy == attribute.name) known = &name;
      }
      if (known == nullptr) {
        others.push_back(attribute);
      } else {
        frontend.push_back({known->frontend, Text(attribute.value)});
      }
    }
    return editor_.WithFrontend(others, frontend);
  }

  absl::Status Export(Operation* operation) {
    for (mlir::Region& region : operation->regions) {
      for (mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (Operation* inner = block->first; inner != nullptr;) {
          Operation* next = inner->next;
          XLA_RETURN_IF_ERROR(Export(inner));
          inner = next;
        }
      }
    }
    if (operation->Is("func.func")) return ExportFunction(operation);
    if (operation->Is("sdy.manual_computation")) return ExportManual(operation);
    if (operation->Is("sdy.named_computation")) return ExportNamed(operation);
    if (operation->name->text.substr(0, 4) == "sdy." && !operation->Is("sdy.return")) {
      ExportOperation(operation);
      return absl::OkStatus();
    }
    for (const NamedAttribute& attribute : operation->attributes) {
      if (attribute.name.substr(0, 4) != "sdy.") continue;
      editor_.SetAttributes(operation, Exported(operation->attributes));
      break;
    }
    return absl::OkStatus();
  }

  // Makes the operation a custom call. `frontend` stands for its attributes, but those named here.
  void BecomeCall(Operation* operation, std::string_view target, bool has_effect,
                  std::vector<NamedAttribute> frontend,
                  absl::Span<const NamedAttribute> others = {}) {
    std::vector<NamedAttribute> attributes = {
        {"call_target_name", editor_.context().String(editor_.context().InternText(target))}};
    if (has_effect) attributes.push_back({"has_side_effect", editor_.context().Bool(true)});
    const std::vector<NamedAttribute> exported = Exported(others);
    const std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(exported);
    frontend.insert(frontend.end(), facts.begin(), facts.end());
    attributes.insert(attributes.end(), exported.begin(), exported.end());
    editor_.SetName(operation, "stablehlo.custom_call");
    editor_.SetAttributes(operation, editor_.WithFrontend(attributes, frontend));
  }

  AttributeRef ShardingOfOne(AttributeRef sharding) {
    const auto* attribute = sharding->As<mlir::DialectAttribute>();
    if (attribute == nullptr) return Text(sharding);
    return editor_.context().String(editor_.context().InternText(
        absl::StrCat("#sdy.sharding_per_value<[<", View(attribute->text), ">]>")));
  }

  // The attribute of this name as another frontend attribute, and the other attributes beside it.
  void ExportAs(Operation* operation, std::string_view target, bool has_effect,
                std::string_view name, std::string_view frontend, AttributeRef text) {
    std::vector<NamedAttribute> others;
    for (const NamedAttribute& attribute : operation->attributes) {
      if (attribute.name != name) others.push_back(attribute);
    }
    BecomeCall(operation, target, has_effect, {{frontend, text}}, others);
  }

  void ExportOperation(Operation* operation) {
    const auto find = [&](std::string_view name) { return operation->Find(name); };
    if (operation->Is("sdy.constant")) {
      std::vector<NamedAttribute> attributes = Exported(operation->attributes);
      std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(attributes);
      facts.push_back({"xla.sdy.constant", editor_.context().String("true")});
      editor_.SetName(operation, "stablehlo.constant");
      editor_.SetAttributes(operation, editor_.WithFrontend(attributes, facts));
      return;
    }
    if (const AttributeRef sharding = find("sharding");
        sharding != nullptr && operation->Is("sdy.sharding_constraint")) {
      return ExportAs(operation, "Sharding", false, "sharding", "xla.sdy.sharding",
                      ShardingOfOne(sharding));
    }
    if (const AttributeRef group = find("group_id");
        group != nullptr && operation->Is("sdy.sharding_group")) {
      return ExportAs(operation, "xla.sdy.ShardingGroup", true, "group_id",
                      "xla.sdy.sharding_group_id", Text(group));
    }
    if (const AttributeRef direction = find("allowed_direction");
        direction != nullptr && operation->Is("sdy.propagation_barrier")) {
      return ExportAs(operation, "xla.sdy.PropagationBarrier", true, "allowed_direction",
                      "xla.sdy.allowed_direction", Text(direction));
    }
    std::vector<NamedAttribute> frontend, others;
    for (const NamedAttribute& attribute : operation->attributes) {
      const bool is_own = attribute.name.find('.') == std::string_view::npos;
      if (is_own) frontend.push_back({attribute.name, Text(attribute.value)});
      if (!is_own) others.push_back(attribute);
    }
    BecomeCall(operation, operation->name->text, true, std::move(frontend), others);
  }

  // --- Functions ---

  absl::Status ExportFunction(Operation* function) {
    std::vector<NamedAttribute> attributes;
    std::vector<AttributeRef> shardings;  // of results
    for (const NamedAttribute& attribute : function->attributes) {
      const auto* list = attribute.value->As<mlir::ArrayAttribute>();
      if ((attribute.name != "arg_attrs" && attribute.name != "res_attrs") || list == nullptr) {
        attributes.push_back(attribute);
        continue;
      }
      std::vector<AttributeRef> dictionaries;
      for (const AttributeRef element : list->elements) {
        const auto* entries = element->As<mlir::DictionaryAttribute>();
        if (entries == nullptr) {
          return absl::InvalidArgumentError("attributes of arguments must be dictionaries");
        }
        std::vector<NamedAttribute> exported = Exported(entries->entries);
        if (attribute.name == "res_attrs") {
          shardings.push_back(mlir::FindAttribute(entries->entries, "sdy.sharding"));
          if (shardings.back() != nullptr) {
            std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(exported);
            facts.pop_back();  // the sharding, which a custom call has
            exported = editor_.WithFrontend(exported, facts);
          }
        }
        dictionaries.push_back(editor_.context().Dictionary(exported));
      }
      attributes.push_back({attribute.name, editor_.context().Array(dictionaries)});
    }
    editor_.SetAttributes(function, attributes);
    if (function->regions.empty() || function->regions[0].empty()) return absl::OkStatus();
    Operation* last = function->regions[0].last->last;
    if (last == nullptr) return absl::OkStatus();
    for (size_t i = 0; i < shardings.size() && i < last->operands.size(); ++i) {
      if (shardings[i] == nullptr) continue;
      mlir::Value* value = last->operands[i];
      Operation* call =
          editor_.New("stablehlo.custom_call", {value}, {value->type}, {}, last->location);
      BecomeCall(call, "xla.sdy.FuncResultSharding", true,
                 {{"xla.sdy.sharding", ShardingOfOne(shardings[i])}});
      ShardyEditor::InsertBefore(last, call);
      last->operands[i] = &call->results[0];
    }
    return absl::OkStatus();
  }

  // Makes the region a private function and returns a call of it, which is inserted before.
  absl::StatusOr<Operation*> Outline(Operation* operation, std::string_view name,
                                     absl::Span<mlir::Value* const> operands,
                                     std::vector<NamedAttribute> frontend,
                                     absl::Span<const NamedAttribute> others) {
    if (operation->regions.size() != 1 || !operation->regions[0].HasOneBlock() ||
        operation->regions[0].first->last == nullptr ||
        !operation->regions[0].first->last->Is("sdy.return")) {
      return absl::InvalidArgumentError(
          absl::StrCat(View(operation->name->text), " needs a region that ends with sdy.return"));
    }
    mlir::Block& body = *operation->regions[0].first;
    editor_.SetName(body.last, "func.return");
    std::vector<TypeRef> inputs, results;
    for (const mlir::Value& argument : body.arguments) inputs.push_back(argument.type);
    for (const mlir::Value* value : body.last->operands) results.push_back(value->type);
    std::string unique(name);
    for (size_t i = 0; !symbols_.insert(unique).second; ++i) {
      unique = absl::StrCat(View(name), "_", i);
    }
    mlir::Context& context = editor_.context();
    const std::string_view symbol = context.InternText(unique);
    const NamedAttribute attributes[] = {
        {"sym_name", context.String(symbol)},
        {"function_type", context.TypeOf(context.Function(inputs, results))},
        {"sym_visibility", context.String("private")}};
    Operation* function = editor_.New("func.func", {}, {}, attributes, operation->location);
    ShardyEditor::MoveRegions(operation, function);
    editor_.functions()->Append(function);
    std::vector<NamedAttribute> call_attributes = Exported(others);
    const std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(call_attributes);
    frontend.insert(frontend.end(), facts.begin(), facts.end());
    call_attributes.insert(call_attributes.begin(), {"callee", context.Symbol(symbol)});
    Operation* call =
        editor_.New("func.call", operands, results, editor_.WithFrontend(call_attributes, frontend),
                    operation->location);
    ShardyEditor::InsertBefore(operation, call);
    return call;
  }

  static std::vector<NamedAttribute> OthersOf(const Operation& operation,
                                              absl::Span<const std::string_view> names) {
    std::vector<NamedAttribute> others;
    for (const NamedAttribute& attribute : operation.attributes) {
      if (std::find(names.begin(), names.end(), attribute.name) == names.end()) {
        others.push_back(attribute);
      }
    }
    return others;
  }

  absl::Status ExportManual(Operation* operation) {
    std::vector<NamedAttribute> attributes;
    for (const std::string_view name : {"in_shardings", "manual_axes", "out_shardings"}) {
      const AttributeRef value = operation->Find(name);
      if (value == nullptr) {
        return absl::InvalidArgumentError("sdy.manual_computation needs shardings and axes");
      }
      attributes.push_back(
          {editor_.context().InternText(absl::StrCat(kRoundTripPrefix, View(name))), Text(value)});
    }
    std::vector<mlir::Value*> operands(operation->operands.begin(), operation->operands.end());
    std::vector<TypeRef> local;
    if (!operation->regions.empty() && operation->regions[0].first != nullptr) {
      for (const mlir::Value& argument : operation->regions[0].first->arguments) {
        local.push_back(argument.type);
      }
    }
    if (!operands.empty()) {
      Operation* entry =
          editor_.New("stablehlo.custom_call", operands, local, {}, operation->location);
      BecomeCall(entry, "xla.sdy.GlobalToLocalShape", true, {attributes[0], attributes[1]});
      ShardyEditor::InsertBefore(operation, entry);
      operands = ShardyEditor::ValuesOf(entry->results);
    }
    std::vector<NamedAttribute> facts = {{"inlineable", editor_.context().String("false")}};
    // Where nothing goes in or out, no other operation can state the axes.
    if (operands.empty() && operation->results.empty()) facts.push_back(attributes[1]);
    XLA_ASSIGN_OR_RETURN(
        Operation * call,
        Outline(operation, kManualBody, operands, facts,
                OthersOf(*operation, {"in_shardings", "manual_axes", "out_shardings"})));
    if (operation->results.empty()) {
      operation->block->Remove(operation);
      return absl::OkStatus();
    }
    editor_.SetOperands(operation, ShardyEditor::ValuesOf(call->results));
    BecomeCall(operation, "xla.sdy.LocalToGlobalShape", true, {attributes[1], attributes[2]});
    return absl::OkStatus();
  }

  absl::Status ExportNamed(Operation* operation) {
    std::vector<NamedAttribute> facts = {
        {"xla.sdy.named_computation", editor_.context().String(StringOf(*operation, "name"))}};
    for (const std::string_view name : {"in_shardings", "out_shardings"}) {
      if (const AttributeRef value = operation->Find(name)) {
        facts.push_back({editor_.context().InternText(absl::StrCat(kRoundTripPrefix, View(name))),
                         Text(value)});
      }
    }
    XLA_ASSIGN_OR_RETURN(
        Operation * call,
        Outline(operation, StringOf(*operation, "name"), operation->operands, facts,
                OthersOf(*operation, {"name", "in_shardings", "out_shardings"})));
    // The operation's results have their users: it becomes the call.
    editor_.SetName(operation, "func.call");
    editor_.SetAttributes(operation, call->attributes);
    operation->block->Remove(call);
    return absl::OkStatus();
  }

  ShardyEditor editor_;
  absl::flat_hash_set<std::string> symbols_;
  absl::flat_hash_map<AttributeRef, AttributeRef> texts_;
};

}  // namespace

absl::Status ExportShardy(mlir::Source* source) { return ShardyExporter(source).Run(); }

}  // namespace xla::stablehlo
