// SPDX-License-Identifier: Apache-2.0
// StableHLO that stands for Shardy's operations and attributes as those.
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/sdy_editor.h"
#include "xla/stablehlo/sdy_round_trip.h"
#include "xla/stablehlo/sdy_text.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::TypeRef;

class ShardyImporter {
 public:
  explicit ShardyImporter(mlir::Source* source) : editor_(source) {}

  absl::Status Run() {
    mlir::Block* functions = editor_.functions();
    if (functions == nullptr) return absl::OkStatus();
    ImportMeshes(functions);
    Count(editor_.module());
    for (Operation* operation = functions->first; operation != nullptr;
         operation = operation->next) {
      if (operation->Is("func.func")) functions_[StringOf(*operation, "sym_name")] = operation;
    }
    for (Operation* operation = functions->first; operation != nullptr;) {
      Operation* next = operation->next;
      Import(operation);
      operation = next;
    }
    for (Operation* function : inlined_) functions->Remove(function);
    return absl::OkStatus();
  }

 private:
  static std::string_view StringOf(const Operation& operation, std::string_view name) {
    const AttributeRef value = operation.Find(name);
    const auto* string = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
    return string == nullptr ? std::string_view() : string->value;
  }
  static std::string_view StringIn(absl::Span<const NamedAttribute> attributes,
                                   std::string_view name) {
    const AttributeRef value = mlir::FindAttribute(attributes, name);
    const auto* string = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
    return string == nullptr ? std::string_view() : string->value;
  }

  // The attribute that a text states; null if it is none.
  AttributeRef Read(std::string_view text) {
    if (text.empty()) return nullptr;
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    const auto parsed = mlir::ReadAttribute(text, &editor_.context(), AllDialects().syntaxes());
    return texts_[text] = parsed.ok() ? *parsed : nullptr;
  }

  void ImportMeshes(mlir::Block* functions) {
    Operation& module = editor_.module();
    std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(module.attributes);
    const AttributeRef value = Read(StringIn(facts, "xla.sdy.meshes"));
    const auto* meshes = value == nullptr ? nullptr : value->As<mlir::DictionaryAttribute>();
    if (meshes == nullptr) return;
    Operation* const first = functions->first;
    for (const auto& [name, mesh] : meshes->entries) {
      const NamedAttribute attributes[] = {{"sym_name", editor_.context().String(name)},
                                           {"mesh", mesh}};
      Operation* operation = editor_.New("sdy.mesh", {}, {}, attributes, nullptr);
      if (first == nullptr) {
        functions->Append(operation);
      } else {
        ShardyEditor::InsertBefore(first, operation);
      }
    }
    Take(&facts, "xla.sdy.meshes");
    editor_.SetAttributes(&module, editor_.WithFrontend(module.attributes, facts));
  }

  static void Take(std::vector<NamedAttribute>* attributes, std::string_view name) {
    for (size_t i = 0; i < attributes->size(); ++i) {
      if ((*attributes)[i].name != name) continue;
      attributes->erase(attributes->begin() + static_cast<ptrdiff_t>(i));
      return;
    }
  }

  // How often functions are called, and what uses the results of operations.
  void Count(Operation& operation) {
    if (const auto* callee = CalleeOf(operation)) ++calls_[callee->root];
    for (const mlir::Value* operand : operation.operands) users_.emplace(operand, &operation);
    for (const mlir::Region& region : operation.regions) {
      for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (Operation& inner : *block) Count(inner);
      }
    }
  }

  static const mlir::SymbolRefAttribute* CalleeOf(const Operation& operation) {
    const AttributeRef callee = operation.Is("func.call") ? operation.Find("callee") : nullptr;
    return callee == nullptr ? nullptr : callee->As<mlir::SymbolRefAttribute>();
  }

  // Takes what stands for Shardy's attributes out of the frontend attributes of a list.
  std::vector<NamedAttribute> Imported(absl::Span<const NamedAttribute> attributes) {
    std::vector<NamedAttribute> frontend = ShardyEditor::FrontendOf(attributes);
    std::vector<NamedAttribute> found;
    for (const RoundTripName& name : kRoundTripNames) {
      const AttributeRef value = Read(StringIn(frontend, name.frontend));
      if (value == nullptr) continue;
      found.push_back({name.shardy, value});
      Take(&frontend, name.frontend);
    }
    std::vector<NamedAttribute> result = editor_.WithFrontend(attributes, frontend);
    if (mlir::FindAttribute(found, "sdy.sharding") != nullptr) Take(&result, "mhlo.sharding");
    result.insert(result.end(), found.begin(), found.end());
    return result;
  }

  void Import(Operation* operation) {
    if (operation->Is("func.func")) ImportArguments(operation);
    if (!operation->Is("func.func") && !operation->Is("stablehlo.custom_call")) {
      if (operation->Find(kFrontendAttributes) != nullptr) {
        editor_.SetAttributes(operation, Imported(operation->attributes));
        if (operation->Is("stablehlo.while")) AddOpenShardings(operation);
        if (operation->Is("stablehlo.constant")) ImportConstant(operation);
      }
    }
    if (operation->Is("stablehlo.custom_call")) ImportCustomCall(operation);
    if (operation->Is("func.call")) ImportCall(operation);
    for (mlir::Region& region : operation->regions) {
      for (mlir::Block* block = region.first; block != nullptr; block = block->next) {
        for (Operation* inner = block->first; inner != nullptr;) {
          Operation* next = inner->next;
          Import(inner);
          inner = next;
        }
      }
    }
    if (operation->Is("func.func")) ImportResults(operation);
  }

  // Loops in HLO carry what they see of outside as well: propagation decides of that.
  void AddOpenShardings(Operation* loop) {
    std::vector<NamedAttribute> attributes(loop->attributes.begin(), loop->attributes.end());
    for (NamedAttribute& attribute : attributes) {
      const auto* list = attribute.value->As<mlir::DialectAttribute>();
      if (attribute.name != "sdy.sharding" || list == nullptr) continue;
      auto shardings = ParseShardyShardings(list->text);
      if (!shardings.ok() || shardings->empty()) return;
      while (shardings->size() < loop->results.size()) {
        const TypeRef type = loop->results[shardings->size()].type;
        ShardySharding open;
        open.mesh = shardings->front().mesh;
        open.inlined = shardings->front().inlined;
        open.dimensions.resize(type->sizes.size(), ShardyDimension{{}, /*is_closed=*/false, {}});
        shardings->push_back(std::move(open));
      }
      attribute.value = editor_.context().DialectOf(
          "sdy", "sharding_per_value", editor_.context().InternText(ToText(*shardings)));
    }
    editor_.SetAttributes(loop, attributes);
  }

  // --- Functions ---

  void ImportArguments(Operation* function) {
    std::vector<NamedAttribute> attributes(function->attributes.begin(),
                                           function->attributes.end());
    for (NamedAttribute& attribute : attributes) {
      const auto* list = attribute.value->As<mlir::ArrayAttribute>();
      if ((attribute.name != "arg_attrs" && attribute.name != "res_attrs") || list == nullptr) {
        continue;
      }
      std::vector<AttributeRef> dictionaries;
      for (const AttributeRef element : list->elements) {
        const auto* entries = element->As<mlir::DictionaryAttribute>();
        dictionaries.push_back(entries == nullptr
                                   ? element
                                   : editor_.context().Dictionary(Imported(entries->entries)));
      }
      attribute.value = editor_.context().Array(dictionaries);
    }
    editor_.SetAttributes(function, attributes);
  }

  // The custom calls before the return that state shardings of results.
  void ImportResults(Operation* function) {
    if (function->regions.empty() || function->regions[0].empty()) return;
    Operation* last = function->regions[0].last->last;
    if (last == nullptr || !last->Is("func.return")) return;
    std::vector<std::vector<NamedAttribute>> entries(last->operands.size());
    std::vector<NamedAttribute> attributes;
    for (const NamedAttribute& attribute : function->attributes) {
      const auto* list = attribute.value->As<mlir::ArrayAttribute>();
      if (attribute.name != "res_attrs" || list == nullptr) {
        attributes.push_back(attribute);
        continue;
      }
      for (size_t i = 0; i < list->elements.size() && i < entries.size(); ++i) {
        const auto* known = list->elements[i]->As<mlir::DictionaryAttribute>();
        if (known != nullptr) entries[i].assign(known->entries.begin(), known->entries.end());
      }
    }
    bool any = false;
    for (size_t i = 0; i < last->operands.size(); ++i) {
      Operation* call = last->operands[i]->operation;
      if (call == nullptr || StringOf(*call, "call_target_name") != "xla.sdy.FuncResultSharding" ||
          call->operands.size() != 1) {
        continue;
      }
      const AttributeRef sharding = ShardingOfOne(*call);
      if (sharding == nullptr) continue;
      Take(&entries[i], "mhlo.sharding");
      entries[i].push_back({"sdy.sharding", sharding});
      last->operands[i] = call->operands[0];
      any = true;
      call->block->Remove(call);
    }
    if (!any) return;
    std::vector<AttributeRef> dictionaries;
    for (const auto& list : entries) dictionaries.push_back(editor_.context().Dictionary(list));
    attributes.push_back({"res_attrs", editor_.context().Array(dictionaries)});
    editor_.SetAttributes(function, attributes);
  }

  // The only sharding of the list that a custom call has; null if there is none.
  AttributeRef ShardingOfOne(const Operation& call) {
    const AttributeRef list =
        Read(StringIn(ShardyEditor::FrontendOf(call.attributes), "xla.sdy.sharding"));
    const auto* attribute = list == nullptr ? nullptr : list->As<mlir::DialectAttribute>();
    if (attribute == nullptr || !attribute->Is("sdy", "sharding_per_value")) return nullptr;
    const std::string_view text = attribute->text;
    if (!absl::StartsWith(View(text), "[<") || !absl::EndsWith(View(text), ">]")) return nullptr;
    return Read(editor_.context().InternText(
        absl::StrCat("#sdy.sharding<", View(text.substr(2, text.size() - 4)), ">")));
  }

  // --- Operations ---

  // What a custom call has besides what every one has, and besides this frontend attribute.
  std::vector<NamedAttribute> OthersOf(const Operation& call, std::string_view fact) {
    std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(call.attributes);
    Take(&facts, fact);
    std::vector<NamedAttribute> others = editor_.WithFrontend(call.attributes, facts);
    Take(&others, "call_target_name");
    Take(&others, "has_side_effect");
    return Imported(others);
  }

  void ImportAs(Operation* call, std::string_view name, std::string_view attribute,
                AttributeRef value, std::string_view fact) {
    std::vector<NamedAttribute> attributes = OthersOf(*call, fact);
    attributes.insert(attributes.begin(), {attribute, value});
    Become(call, name, attributes);
  }

  void ImportCustomCall(Operation* call) {
    const std::string_view target = StringOf(*call, "call_target_name");
    const std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(call->attributes);
    if (target == "Sharding" && call->operands.size() == 1) {
      if (const AttributeRef sharding = ShardingOfOne(*call)) {
        ImportAs(call, "sdy.sharding_constraint", "sharding", sharding, "xla.sdy.sharding");
        return;
      }
    }
    if (target == "xla.sdy.ShardingGroup" && call->operands.size() == 1 && call->results.empty()) {
      constexpr char kGroup[] = "xla.sdy.sharding_group_id";
      if (const AttributeRef group = Read(StringIn(facts, kGroup))) {
        return ImportAs(call, "sdy.sharding_group", "group_id", group, kGroup);
      }
    }
    if (target == "xla.sdy.PropagationBarrier" && call->operands.size() == 1) {
      constexpr char kDirection[] = "xla.sdy.allowed_direction";
      if (const AttributeRef direction = Read(StringIn(facts, kDirection))) {
        return ImportAs(call, "sdy.propagation_barrier", "allowed_direction", direction,
                        kDirection);
      }
    }
    if (target.substr(0, 4) == "sdy." && AllDialects().Find(target) != nullptr) {
      std::vector<NamedAttribute> attributes, others;
      for (const NamedAttribute& fact : facts) {
        const auto* text = fact.value->As<mlir::StringAttribute>();
        const bool is_own = fact.name.find('.') == std::string_view::npos;
        const AttributeRef read = text == nullptr || !is_own ? nullptr : Read(text->value);
        (read != nullptr ? attributes : others)
            .push_back({fact.name, read != nullptr ? read : fact.value});
      }
      editor_.SetAttributes(call, editor_.WithFrontend(call->attributes, others));
      const std::vector<NamedAttribute> rest = OthersOf(*call, {});
      attributes.insert(attributes.end(), rest.begin(), rest.end());
      return Become(call, target, attributes);
    }
    if (target == "xla.sdy.FuncResultSharding") return;
    if (!facts.empty()) editor_.SetAttributes(call, Imported(call->attributes));
  }

  void ImportConstant(Operation* constant) {
    std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(constant->attributes);
    if (StringIn(facts, "xla.sdy.constant").empty()) return;
    Take(&facts, "xla.sdy.constant");
    Become(constant, "sdy.constant", editor_.WithFrontend(constant->attributes, facts));
  }

  void Become(Operation* operation, std::string_view name,
              absl::Span<const NamedAttribute> attributes) {
    editor_.SetName(operation, name);
    editor_.SetAttributes(operation, attributes);
  }

  // The body of a function that only this call has, as the region of an operation in its place.
  bool TakeBody(Operation* call, Operation* target) {
    const auto* callee = CalleeOf(*call);
    const auto found = callee == nullptr ? functions_.end() : functions_.find(callee->root);
    if (found == functions_.end() || calls_[callee->root] != 1) return false;
    Operation* function = found->second;
    if (function->regions.size() != 1 || !function->regions[0].HasOneBlock() ||
        function->regions[0].first->last == nullptr ||
        !function->regions[0].first->last->Is("func.return")) {
      return false;
    }
    // A function that calls itself stays one.
    for (const Operation* around = call; around != nullptr && around->block != nullptr;
         around = around->block->region == nullptr ? nullptr : around->block->region->parent) {
      if (around == function) return false;
    }
    ImportResults(function);
    editor_.SetName(function->regions[0].first->last, "sdy.return");
    ShardyEditor::MoveRegions(function, target);
    inlined_.push_back(function);
    functions_.erase(found);
    return true;
  }

  static bool IsCallTo(const Operation* operation, std::string_view target) {
    return operation != nullptr && operation->Is("stablehlo.custom_call") &&
           StringOf(*operation, "call_target_name") == target;
  }

  Operation* UserOf(const mlir::Value& value) const {
    const auto found = users_.find(&value);
    return found == users_.end() ? nullptr : found->second;
  }

  // All operands are the results of this one operation, in order.
  static Operation* OnlySource(const Operation& operation) {
    if (operation.operands.empty()) return nullptr;
    Operation* source = operation.operands[0]->operation;
    if (source == nullptr || source->results.size() != operation.operands.size()) return nullptr;
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      if (operation.operands[i] != &source->results[i]) return nullptr;
    }
    return source;
  }

  // What a call has besides its callee and these frontend attributes.
  void AddOthers(const Operation& call, absl::Span<const std::string_view> facts,
                 std::vector<NamedAttribute>* attributes) {
    std::vector<NamedAttribute> frontend = ShardyEditor::FrontendOf(call.attributes);
    for (const std::string_view fact : facts) Take(&frontend, fact);
    std::vector<NamedAttribute> others = editor_.WithFrontend(call.attributes, frontend);
    Take(&others, "callee");
    others = Imported(others);
    attributes->insert(attributes->end(), others.begin(), others.end());
  }

  void ImportCall(Operation* call) {
    const std::vector<NamedAttribute> facts = ShardyEditor::FrontendOf(call->attributes);
    if (const AttributeRef name = mlir::FindAttribute(facts, "xla.sdy.named_computation")) {
      std::vector<NamedAttribute> attributes = {{"name", name}};
      for (const char* list : {"in_shardings", "out_shardings"}) {
        if (const AttributeRef value =
                Read(StringIn(facts, absl::StrCat(kRoundTripPrefix, list)))) {
          attributes.push_back({list, value});
        }
      }
      AddOthers(*call,
                {"xla.sdy.named_computation", "xla.sdy.in_shardings", "xla.sdy.out_shardings"},
                &attributes);
      if (TakeBody(call, call)) Become(call, "sdy.named_computation", attributes);
      return;
    }
    const auto* callee = CalleeOf(*call);
    if (callee == nullptr || callee->root.substr(0, sizeof kManualBody - 1) != kManualBody) return;
    Operation* entry = OnlySource(*call);
    Operation* exit = call->results.empty() ? nullptr : UserOf(call->results[0]);
    const bool has_entry = IsCallTo(entry, "xla.sdy.GlobalToLocalShape");
    const bool has_exit = IsCallTo(exit, "xla.sdy.LocalToGlobalShape") && OnlySource(*exit) == call;
    if (has_entry == call->operands.empty() || has_exit == call->results.empty()) return;
    const AttributeRef none = Read("#sdy.sharding_per_value<[]>");
    const auto fact = [&](const Operation* from, const char* name) {
      return Read(StringIn(ShardyEditor::FrontendOf(from->attributes), name));
    };
    const AttributeRef in = has_entry ? fact(entry, "xla.sdy.in_shardings") : none;
    const AttributeRef out = has_exit ? fact(exit, "xla.sdy.out_shardings") : none;
    const AttributeRef axes = has_entry  ? fact(entry, "xla.sdy.manual_axes")
                              : has_exit ? fact(exit, "xla.sdy.manual_axes")
                                         : fact(call, "xla.sdy.manual_axes");
    if (in == nullptr || out == nullptr || axes == nullptr) return;
    // The exit, whose results have their users, becomes the computation.
    Operation* target = has_exit ? exit : call;
    const std::vector<mlir::Value*> operands =
        has_entry ? std::vector<mlir::Value*>(entry->operands.begin(), entry->operands.end())
                  : std::vector<mlir::Value*>();
    if (!TakeBody(call, target)) return;
    editor_.SetOperands(target, operands);
    std::vector<NamedAttribute> attributes = {
        {"in_shardings", in}, {"out_shardings", out}, {"manual_axes", axes}};
    AddOthers(*call, {"inlineable", "xla.sdy.manual_axes"}, &attributes);
    Become(target, "sdy.manual_computation", attributes);
    if (has_entry) entry->block->Remove(entry);
    if (!has_exit) return;
    // The walk goes on with what follows the call, the exit among it.
    call->block->Remove(call);
  }

  ShardyEditor editor_;
  absl::flat_hash_map<std::string_view, Operation*> functions_;
  absl::flat_hash_map<std::string_view, size_t> calls_;
  absl::flat_hash_map<const mlir::Value*, Operation*> users_;  // the first of each
  absl::flat_hash_map<std::string_view, AttributeRef> texts_;
  std::vector<Operation*> inlined_;
};

}  // namespace

absl::Status ImportShardy(mlir::Source* source) { return ShardyImporter(source).Run(); }

}  // namespace xla::stablehlo
