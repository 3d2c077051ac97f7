// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/state_shardings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/stablehlo/sdy_editor.h"
#include "xla/stablehlo/sdy_text.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/shardy_writer.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Block;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::Region;
using mlir::Value;

constexpr char kSharding[] = "sdy.sharding";

class Stater {
 public:
  Stater(const HloModule& module, const TranslatedValues& values,
         absl::Span<const HloSharding> results, bool is_final, mlir::Source* source)
      : known_(module, values),
        results_(results),
        is_final_(is_final),
        source_(*source),
        editor_(source),
        writer_(source) {}

  absl::Status Run() {
    Block* functions = editor_.functions();
    if (functions == nullptr) return absl::OkStatus();
    XLA_RETURN_IF_ERROR(writer_.ReadMeshes(*functions));
    for (Operation& operation : *functions) FindEdges(operation);
    for (Operation& operation : *functions) {
      if (operation.Is("func.func")) XLA_RETURN_IF_ERROR(StateFunction(&operation));
    }
    return absl::OkStatus();
  }

 private:
  // --- as text

  void FindEdges(const Operation& operation) {
    if (operation.Is("sdy.data_flow_edge") && operation.operands.size() == 1 &&
        operation.operands[0]->operation != nullptr) {
      on_edges_.insert(operation.operands[0]->operation);
    }
    for (const Region& region : operation.regions) {
      for (const Block* block = region.first; block != nullptr; block = block->next) {
        for (const Operation& inner : *block) FindEdges(inner);
      }
    }
  }
  // That of a value beside others that have one. A mesh of one device has no dimensions.
  NamedSharding Unknown(const Mesh& mesh, int64_t rank) const {
    if (mesh.IsMaximal()) return NamedSharding(mesh);
    return is_final_ ? NamedSharding::FullyClosed(mesh, rank)
                     : NamedSharding::FullyOpen(mesh, rank);
  }
  // Where some have none, these are open, and closed in the end. Null if none has one.
  absl::StatusOr<AttributeRef> PerValue(const std::vector<const NamedSharding*>& shardings,
                                        absl::Span<const int64_t> ranks) {
    const NamedSharding* any = nullptr;
    for (const NamedSharding* sharding : shardings) any = sharding != nullptr ? sharding : any;
    if (any == nullptr) return AttributeRef(nullptr);
    std::vector<ShardySharding> all;
    for (size_t i = 0; i < shardings.size(); ++i) {
      all.push_back(writer_.AsShardy(shardings[i] != nullptr ? *shardings[i]
                                                             : Unknown(any->mesh(), ranks[i])));
    }
    return writer_.PerValue(all);
  }
  // --- in the program

  // Dictionaries of arguments or results with these shardings.
  absl::Status SetDictionaries(Operation* function, std::string_view name,
                               const std::vector<const NamedSharding*>& shardings) {
    const AttributeRef old = function->Find(name);
    const auto* array = old == nullptr ? nullptr : old->As<mlir::ArrayAttribute>();
    std::vector<AttributeRef> elements;
    bool any = false;
    for (size_t i = 0; i < shardings.size(); ++i) {
      std::vector<NamedAttribute> entries;
      if (array != nullptr && i < array->elements.size()) {
        const auto* known = array->elements[i]->As<mlir::DictionaryAttribute>();
        for (const NamedAttribute& entry : known->entries) {
          if (entry.name != kSharding) entries.push_back(entry);
        }
      }
      if (shardings[i] != nullptr) {
        XLA_ASSIGN_OR_RETURN(const AttributeRef sharding,
                             writer_.Attribute(writer_.AsShardy(*shardings[i])));
        entries.push_back({source_.context.InternText(kSharding), sharding});
      }
      any = any || !entries.empty();
      elements.push_back(source_.context.Dictionary(entries));
    }
    writer_.Set(function, name, any ? source_.context.Array(elements) : nullptr);
    return absl::OkStatus();
  }

  absl::Status StateFunction(Operation* function) {
    if (function->regions.size() != 1 || !function->regions[0].HasOneBlock()) {
      return absl::OkStatus();
    }
    Block& block = *function->regions[0].first;
    std::vector<const NamedSharding*> arguments, results;
    const HloComputation* computation = nullptr;
    for (const Value& argument : block.arguments) {
      const HloInstruction* parameter = known_.Find(argument);
      arguments.push_back(KnownInstructions::NamedOf(parameter));
      if (parameter != nullptr) computation = parameter->parent();
    }
    if (block.last != nullptr && block.last->Is("func.return")) {
      for (const Value* value : block.last->operands) {
        const HloInstruction* instruction = known_.Find(*value);
        if (instruction != nullptr) computation = instruction->parent();
        results.push_back(KnownInstructions::NamedOf(instruction));
      }
    }
    if (computation == nullptr) return absl::OkStatus();  // it is not called
    if (computation->IsEntryComputation()) {
      for (size_t i = 0; i < results.size(); ++i) {
        const bool is_known = i < results_.size() && results_[i].UseNamedShardingLeaf();
        results[i] = is_known ? &results_[i].named_sharding() : nullptr;
      }
    }
    XLA_RETURN_IF_ERROR(SetDictionaries(function, "arg_attrs", arguments));
    XLA_RETURN_IF_ERROR(SetDictionaries(function, "res_attrs", results));
    return StateBlock(block);
  }

  absl::Status StateBlock(Block& block) {
    for (Operation& operation : block) {
      XLA_RETURN_IF_ERROR(StateOperation(&operation));
      for (Region& region : operation.regions) {
        for (Block* inner = region.first; inner != nullptr; inner = inner->next) {
          XLA_RETURN_IF_ERROR(StateBlock(*inner));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status StateOperation(Operation* operation) {
    if (operation->results.empty()) return absl::OkStatus();
    std::vector<const NamedSharding*> shardings;
    std::vector<int64_t> ranks;
    for (const Value& result : operation->results) {
      shardings.push_back(KnownInstructions::NamedOf(known_.Find(result)));
      ranks.push_back(RankOf(result));
    }
    if (operation->Is("sdy.manual_computation")) {
      std::vector<int64_t> operand_ranks;
      for (const Value* operand : operation->operands) operand_ranks.push_back(RankOf(*operand));
      const std::vector<const NamedSharding*> operands = known_.OperandsOfManual(*operation);
      if (!operands.empty()) {
        XLA_ASSIGN_OR_RETURN(const AttributeRef in, PerValue(operands, operand_ranks));
        if (in != nullptr) writer_.Set(operation, "in_shardings", in);
      }
      XLA_ASSIGN_OR_RETURN(const AttributeRef out, PerValue(shardings, ranks));
      if (out != nullptr) writer_.Set(operation, "out_shardings", out);
      return absl::OkStatus();
    }
    // Edges have the shardings of the values that they are about.
    if (on_edges_.contains(operation)) return absl::OkStatus();
    if (operation->Is("sdy.sharding_constraint") || operation->Is("sdy.reshard") ||
        operation->Is("sdy.data_flow_edge")) {
      if (shardings[0] == nullptr) return absl::OkStatus();
      XLA_ASSIGN_OR_RETURN(const AttributeRef sharding,
                           writer_.Attribute(writer_.AsShardy(*shardings[0])));
      writer_.Set(operation, "sharding", sharding);
      return absl::OkStatus();
    }
    XLA_ASSIGN_OR_RETURN(const AttributeRef sharding, PerValue(shardings, ranks));
    writer_.Set(operation, kSharding, sharding);
    return absl::OkStatus();
  }

  const KnownInstructions known_;
  const absl::Span<const HloSharding> results_;
  const bool is_final_;
  mlir::Source& source_;
  ShardyEditor editor_;
  ShardyWriter writer_;
  absl::flat_hash_set<const Operation*> on_edges_;  // those of whose results there are edges
};

void FinishBlock(ShardyEditor& editor, Block& block) {
  for (Operation* operation = block.first; operation != nullptr;) {
    Operation* const next = operation->next;
    if (operation->Is("sdy.sharding_constraint")) editor.SetName(operation, "sdy.reshard");
    if (operation->Is("sdy.constant")) editor.SetName(operation, "stablehlo.constant");
    if (operation->Is("sdy.sharding_group")) block.Remove(operation);
    for (Region& region : operation->regions) {
      for (Block* inner = region.first; inner != nullptr; inner = inner->next) {
        FinishBlock(editor, *inner);
      }
    }
    operation = next;
  }
}

}  // namespace

absl::Status StateShardings(const HloModule& module, const TranslatedValues& values,
                            absl::Span<const HloSharding> results, mlir::Source* source,
                            bool is_final) {
  return Stater(module, values, results, is_final, source).Run();
}

absl::Status ResizeMeshes(const std::map<std::string, int64_t>& axes, mlir::Source* source) {
  ShardyEditor editor(source);
  Block* functions = editor.functions();
  if (axes.empty() || functions == nullptr) return absl::OkStatus();
  for (Operation& operation : *functions) {
    if (!operation.Is("sdy.mesh")) continue;
    std::vector<NamedAttribute> attributes(operation.attributes.begin(),
                                           operation.attributes.end());
    for (NamedAttribute& attribute : attributes) {
      const auto* dialect = attribute.value->As<mlir::DialectAttribute>();
      if (attribute.name != "mesh" || dialect == nullptr) continue;
      XLA_ASSIGN_OR_RETURN(ShardyMesh mesh, ParseShardyMesh(dialect->text));
      for (auto& [name, size] : mesh.axes) {
        if (const auto found = axes.find(name); found != axes.end()) size = found->second;
      }
      std::string text = "#sdy.mesh<";
      AppendText(&text, mesh);
      text += ">";
      XLA_ASSIGN_OR_RETURN(
          attribute.value,
          mlir::ReadAttribute(source->context.lasting_arena().Copy(std::string_view(text)),
                              &source->context));
    }
    editor.SetAttributes(&operation, attributes);
  }
  return absl::OkStatus();
}

void FinishPropagation(mlir::Source* source) {
  ShardyEditor editor(source);
  if (Block* functions = editor.functions()) FinishBlock(editor, *functions);
}

}  // namespace xla::stablehlo
