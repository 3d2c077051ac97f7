// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/state_reshards.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/named_sharding.h"
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

// Whether data is where the other says, whatever is open or replicated by name.
bool SameDimensions(const NamedSharding& a, const NamedSharding& b) {
  const size_t rank = std::max(a.dim_shardings().size(), b.dim_shardings().size());
  bool is_divided = false;
  for (size_t d = 0; d < rank; ++d) {
    const auto axes = [&](const NamedSharding& sharding) {
      return d < sharding.dim_shardings().size() ? sharding.dim_shardings()[d].axes()
                                                 : std::vector<AxisRef>();
    };
    if (axes(a) != axes(b)) return false;
    is_divided = is_divided || !axes(a).empty();
  }
  return !is_divided || a.mesh() == b.mesh();
}

class Inserter {
 public:
  Inserter(const HloModule& module, const ModuleReshards& reshards, const TranslatedValues& values,
           absl::Span<const HloSharding> results, mlir::Source* source)
      : known_(module, values),
        reshards_(reshards),
        results_(results),
        editor_(source),
        writer_(source) {}

  absl::Status Run() {
    Block* functions = editor_.functions();
    if (functions == nullptr) return absl::OkStatus();
    XLA_RETURN_IF_ERROR(writer_.ReadMeshes(*functions));
    for (Operation& operation : *functions) {
      if (operation.Is("func.func")) functions_.push_back(&operation);
    }
    for (Operation* function : functions_) {
      if (function->regions.size() == 1 && function->regions[0].HasOneBlock()) {
        XLA_RETURN_IF_ERROR(VisitBlock(*function->regions[0].first));
      }
    }
    return absl::OkStatus();
  }

 private:
  // --- what values have

  // The sharding of a value as it is now; null if it has none, and is replicated.
  const NamedSharding* ShardingOf(const Value& value) const {
    const auto added = added_.find(&value);
    if (added != added_.end()) return &added->second;
    return KnownInstructions::NamedOf(known_.Find(value));
  }
  static bool IsReplicated(const NamedSharding* sharding) {
    return sharding == nullptr || (sharding->IsReplicated() && sharding->unreduced_axes().empty());
  }

  // --- operations that are added

  Operation* NewOperation(std::string_view name, Value* operand,
                          absl::Span<const NamedAttribute> attributes, NamedSharding sharding,
                          AttributeRef location) {
    Value* const operands[] = {operand};
    const mlir::TypeRef types[] = {operand->type};
    Operation* operation = editor_.New(name, operands, types, attributes, location);
    added_.emplace(&operation->results[0], std::move(sharding));
    return operation;
  }
  NamedAttribute Named(std::string_view name, AttributeRef value) {
    return {editor_.context().InternText(name), value};
  }
  absl::StatusOr<Operation*> NewReshard(Value* operand, const NamedSharding& sharding,
                                        AttributeRef location) {
    XLA_ASSIGN_OR_RETURN(const AttributeRef attribute,
                         writer_.Attribute(writer_.AsShardy(sharding.Closed())));
    return NewOperation("sdy.reshard", operand, {Named("sharding", attribute)}, sharding, location);
  }
  absl::StatusOr<Operation*> NewAllReduce(Value* operand, const std::vector<AxisRef>& axes,
                                          const NamedSharding& sharding, AttributeRef location) {
    std::string text = "#sdy<axis_ref_list";
    AppendText(&text, ShardyWriter::AxesOf(axes, sharding.mesh()));
    XLA_ASSIGN_OR_RETURN(const AttributeRef list, writer_.Read(text + ">"));
    XLA_ASSIGN_OR_RETURN(const AttributeRef attribute,
                         writer_.Attribute(writer_.AsShardy(sharding.Closed())));
    return NewOperation("sdy.all_reduce", operand,
                        {Named("out_sharding", attribute), Named("reduction_axes", list)}, sharding,
                        location);
  }
  static void InsertAfter(Operation* place, Operation* operation) {
    if (place->next != nullptr) {
      ShardyEditor::InsertBefore(place->next, operation);
    } else {
      place->block->Append(operation);
    }
  }

  // The operand gets the sharding; null: it is replicated.
  absl::Status AdjustOperand(Operation* operation, size_t index, const NamedSharding* target) {
    Value* value = operation->operands[index];
    const NamedSharding* source = ShardingOf(*value);
    if (source == nullptr && target == nullptr) return absl::OkStatus();
    const NamedSharding replicated = NamedSharding::FullyClosed(
        source != nullptr ? source->mesh() : target->mesh(), RankOf(*value));
    NamedSharding now = source != nullptr ? *source : replicated;
    const NamedSharding wanted = target != nullptr ? *target : replicated;
    const std::vector<AxisRef> summed =
        now.mesh() == wanted.mesh()
            ? AxesWithout(now.unreduced_axes(), wanted.unreduced_axes(), now.mesh())
            : now.unreduced_axes();
    if (!summed.empty()) {
      now = now.WithoutAxes(summed);
      XLA_ASSIGN_OR_RETURN(Operation * sum, NewAllReduce(value, summed, now, operation->location));
      ShardyEditor::InsertBefore(operation, sum);
      value = &sum->results[0];
    }
    if (!SameDimensions(now, wanted) || now.unreduced_axes() != wanted.unreduced_axes()) {
      XLA_ASSIGN_OR_RETURN(Operation * reshard, NewReshard(value, wanted, operation->location));
      ShardyEditor::InsertBefore(operation, reshard);
      value = &reshard->results[0];
    }
    operation->operands[index] = value;
    return absl::OkStatus();
  }

  // --- the program in order

  absl::Status VisitBlock(Block& block) {
    for (Operation* operation = block.first; operation != nullptr;) {
      Operation* const next = operation->next;
      for (Value*& operand : operation->operands) {
        if (const auto found = replaced_.find(operand); found != replaced_.end()) {
          operand = found->second;
        }
      }
      XLA_RETURN_IF_ERROR(VisitOperation(operation));
      for (Region& region : operation->regions) {
        for (Block* inner = region.first; inner != nullptr; inner = inner->next) {
          XLA_RETURN_IF_ERROR(VisitBlock(*inner));
        }
      }
      operation = next;
    }
    return absl::OkStatus();
  }

  absl::Status VisitOperation(Operation* operation) {
    if (operation->Is("func.return") || operation->Is("stablehlo.return")) {
      return VisitReturn(operation);
    }
    if (operation->Is("func.call")) return VisitCall(operation);
    if (operation->Is("sdy.manual_computation")) return VisitManual(operation);
    if (operation->Is("stablehlo.while") || operation->Is("stablehlo.optimization_barrier")) {
      for (size_t i = 0; i < operation->results.size() && i < operation->operands.size(); ++i) {
        XLA_RETURN_IF_ERROR(AdjustOperand(operation, i, ShardingOf(operation->results[i])));
      }
      return absl::OkStatus();
    }
    if (operation->results.empty() || operation->Is("sdy.reshard")) {
      return VisitReshard(operation);
    }
    const HloInstruction* instruction = known_.Find(operation->results[0]);
    const auto found = instruction == nullptr ? reshards_.end() : reshards_.find(instruction);
    if (found == reshards_.end()) return absl::OkStatus();
    return AddReshards(operation, found->second);
  }

  // Sums what is unreduced before it, and no more after it.
  absl::Status VisitReshard(Operation* reshard) {
    if (!reshard->Is("sdy.reshard") || reshard->operands.size() != 1) return absl::OkStatus();
    const NamedSharding* source = ShardingOf(*reshard->operands[0]);
    const NamedSharding* target = ShardingOf(reshard->results[0]);
    if (source == nullptr || source->unreduced_axes().empty()) return absl::OkStatus();
    NamedSharding before = *source;
    const std::vector<AxisRef> kept =
        target != nullptr ? target->unreduced_axes() : std::vector<AxisRef>();
    before = before.WithoutAxes(AxesWithout(before.unreduced_axes(), kept, before.mesh()));
    return AdjustOperand(reshard, 0, &before);
  }

  absl::Status AddReshards(Operation* operation, const OperationReshards& reshards) {
    if (reshards.operands.size() == operation->operands.size()) {
      for (size_t i = 0; i < reshards.operands.size(); ++i) {
        if (!reshards.operands[i].has_value()) continue;
        XLA_RETURN_IF_ERROR(AdjustOperand(operation, i, &*reshards.operands[i]));
      }
    }
    if (reshards.results.size() != operation->results.size()) return absl::OkStatus();
    XLA_RETURN_IF_ERROR(StateResults(operation, reshards));
    Operation* place = operation;
    for (size_t i = 0; i < reshards.results.size(); ++i) {
      Value* value = &operation->results[i];
      const NamedSharding* stated = ShardingOf(*value);
      const NamedSharding wanted =
          stated != nullptr ? *stated : NamedSharding::FullyClosed(reshards.mesh, RankOf(*value));
      const NamedSharding made = reshards.results[i].value_or(wanted);
      if (!reshards.reduced_axes.empty()) {
        XLA_ASSIGN_OR_RETURN(Operation * sum,
                             NewAllReduce(value, reshards.reduced_axes, made, operation->location));
        InsertAfter(place, sum);
        place = sum;
        value = &sum->results[0];
      }
      if (reshards.results[i].has_value()) {
        XLA_ASSIGN_OR_RETURN(Operation * reshard, NewReshard(value, wanted, operation->location));
        InsertAfter(place, reshard);
        place = reshard;
        value = &reshard->results[0];
      }
      if (value != &operation->results[i]) replaced_[&operation->results[i]] = value;
    }
    return absl::OkStatus();
  }

  // The shardings with which the operation makes its results.
  absl::Status StateResults(Operation* operation, const OperationReshards& reshards) {
    bool any = false;
    std::vector<ShardySharding> all;
    for (size_t i = 0; i < reshards.results.size(); ++i) {
      const Value& value = operation->results[i];
      const NamedSharding* stated = ShardingOf(value);
      any = any || reshards.results[i].has_value();
      const NamedSharding closed = NamedSharding::FullyClosed(reshards.mesh, RankOf(value));
      all.push_back(writer_.AsShardy(reshards.results[i].has_value() ? *reshards.results[i]
                                     : stated != nullptr             ? *stated
                                                                     : closed));
    }
    if (!any) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(const AttributeRef attribute, writer_.PerValue(all));
    writer_.Set(operation, "sdy.sharding", attribute);
    return absl::OkStatus();
  }

  // Of a function: as its results are stated. Of a loop or conditional: as the results of this are.
  absl::Status VisitReturn(Operation* operation) {
    const Operation* parent =
        operation->block->region != nullptr ? operation->block->region->parent : nullptr;
    if (parent == nullptr) return absl::OkStatus();
    const bool is_function = parent->Is("func.func");
    const bool is_state =
        (parent->Is("stablehlo.while") && operation->block->region == &parent->regions[1]) ||
        parent->Is("stablehlo.case") || parent->Is("stablehlo.if");
    if (!is_function && !is_state) return absl::OkStatus();
    for (size_t i = 0; i < operation->operands.size(); ++i) {
      const NamedSharding* target = nullptr;
      if (is_state) {
        if (i >= parent->results.size()) continue;
        target = ShardingOf(parent->results[i]);
      } else if (IsEntry(*parent)) {
        const bool is_known = i < results_.size() && results_[i].UseNamedShardingLeaf();
        if (is_known) target = &results_[i].named_sharding();
      } else {
        continue;  // as what it returns
      }
      XLA_RETURN_IF_ERROR(AdjustOperand(operation, i, target));
    }
    return absl::OkStatus();
  }
  bool IsEntry(const Operation& function) const {
    const Block& block = *function.regions[0].first;
    const HloInstruction* known = nullptr;
    for (const Value& argument : block.arguments) {
      if (known == nullptr) known = known_.Find(argument);
    }
    if (known == nullptr && block.last != nullptr) {
      for (const Value* value : block.last->operands) {
        if (known == nullptr) known = known_.Find(*value);
      }
    }
    return known != nullptr && known->parent()->IsEntryComputation();
  }

  absl::Status VisitCall(Operation* call) {
    const AttributeRef callee = call->Find("callee");
    const auto* symbol = callee == nullptr ? nullptr : callee->As<mlir::SymbolRefAttribute>();
    for (Operation* function : functions_) {
      const AttributeRef name = function->Find("sym_name");
      const auto* text = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
      if (symbol == nullptr || text == nullptr || symbol->root != text->value ||
          function->regions.size() != 1 || function->regions[0].first == nullptr) {
        continue;
      }
      const Block& block = *function->regions[0].first;
      for (size_t i = 0; i < call->operands.size() && i < block.arguments.size(); ++i) {
        XLA_RETURN_IF_ERROR(AdjustOperand(call, i, ShardingOf(block.arguments[i])));
      }
    }
    return absl::OkStatus();
  }

  // Operands are as in_shardings state.
  absl::Status VisitManual(Operation* manual) {
    const std::vector<const NamedSharding*> shardings = known_.OperandsOfManual(*manual);
    for (size_t i = 0; i < shardings.size(); ++i) {
      if (shardings[i] == nullptr) continue;
      XLA_RETURN_IF_ERROR(AdjustOperand(manual, i, shardings[i]));
    }
    return absl::OkStatus();
  }

  const KnownInstructions known_;
  const ModuleReshards& reshards_;
  const absl::Span<const HloSharding> results_;
  ShardyEditor editor_;
  ShardyWriter writer_;
  std::vector<Operation*> functions_;
  absl::node_hash_map<const Value*, NamedSharding> added_;  // results of operations that were added
  absl::flat_hash_map<const Value*, Value*> replaced_;
};

}  // namespace

absl::Status StateReshards(const HloModule& module, const ModuleReshards& reshards,
                           const TranslatedValues& values, absl::Span<const HloSharding> results,
                           mlir::Source* source) {
  return Inserter(module, reshards, values, results, source).Run();
}

}  // namespace xla::stablehlo
