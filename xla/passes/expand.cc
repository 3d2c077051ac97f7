// SPDX-License-Identifier: Apache-2.0
// Expands composites, maps, and constants that are tuples.
#include "xla/passes/expand.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/rewriter.h"
#include "xla/shape_util.h"

namespace xla {

bool IsElementwiseFunction(const HloComputation& function) {
  for (const HloInstruction* instruction : function.instructions()) {
    if (!instruction->shape().IsArray() || instruction->shape().rank() != 0 ||
        instruction->HasSideEffect()) {
      return false;
    }
    if (instruction->opcode() == HloOpcode::kParameter ||
        instruction->opcode() == HloOpcode::kConstant) {
      continue;
    }
    if (!instruction->info().Has(op_traits::kElementwiseTrait)) return false;
  }
  return true;
}

namespace {

using Result = absl::StatusOr<HloInstruction*>;

Result ExpandMap(HloInstruction* map, Rewriter& rewriter) {
  const HloComputation& function = *map->to_apply();
  if (!IsElementwiseFunction(function) || !map->shape().is_static()) return nullptr;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> arrays;
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, function.PostOrder());
  for (const HloInstruction* scalar : order) {
    if (scalar->opcode() == HloOpcode::kParameter) {
      arrays[scalar] = map->operand(scalar->parameter_number());
      continue;
    }
    Shape shape = map->shape();
    shape.set_element_type(scalar->shape().element_type());
    if (scalar->opcode() == HloOpcode::kConstant) {
      HloInstruction* constant = rewriter.Constant(scalar->literal().Clone());
      arrays[scalar] =
          shape.rank() == 0 ? constant : rewriter.Create(HloOpcode::kBroadcast, shape, {constant});
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : scalar->operands()) operands.push_back(arrays[operand]);
    HloInstruction* array =
        rewriter.Create(scalar->opcode(), shape, operands, scalar->attributes());
    if (scalar->has_extras())
      array->mutable_extras().result_accuracy = scalar->extras().result_accuracy;
    arrays[scalar] = array;
  }
  return arrays[function.root_instruction()];
}

constexpr RewriteRule kMapRules[] = {{"expand-map", HloOpcode::kMap, &ExpandMap}};

}  // namespace

absl::StatusOr<bool> ExpandComposites(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kCall ||
          !instruction->attributes<CallAttributes>().is_composite) {
        continue;
      }
      instruction->mutable_attributes<CallAttributes>()->is_composite = false;
      auto& attributes = instruction->mutable_extras().frontend_attributes;
      for (const char* name : {"composite.attributes", "composite.name", "composite.version"})
        attributes.erase(name);
      changed = true;
    }
  }
  return changed;
}

absl::StatusOr<bool> ExpandMaps(HloModule* module) {
  return RewriteToFixedPoint(module, kMapRules);
}

namespace {

// Makes the instructions that produce the value of a constant.
HloInstruction* ConstantParts(GraphBuilder& b, Literal literal) {
  const Shape shape = literal.shape();
  if (shape.IsArray()) return b.Add(HloInstruction::CreateConstant(std::move(literal)));
  if (!shape.IsTuple()) return b.Zeros(shape);
  std::vector<HloInstruction*> parts;
  for (Literal& part : literal.DecomposeTuple()) parts.push_back(ConstantParts(b, std::move(part)));
  return b.Make(HloOpcode::kTuple, shape, parts);
}

}  // namespace

absl::StatusOr<bool> ExpandTupleConstants(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kConstant || !instruction->shape().IsTuple())
        continue;
      GraphBuilder b(computation, instruction);
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(
          instruction, ConstantParts(b, instruction->literal().Clone())));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
