// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plain_operations.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/shape_util.h"

namespace xla::spmd {
namespace {

// Calls are inlined once their values have shardings.
absl::Status ReplaceFusionsAndDomains(HloModule* module) {
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() == HloOpcode::kFusion) {
        XLA_RETURN_IF_ERROR(computation
                                ->ReplaceWithNewInstruction(
                                    instruction, HloInstruction::CreateCall(
                                                     instruction->shape(), instruction->operands(),
                                                     instruction->to_apply()))
                                .status());
      } else if (instruction->opcode() == HloOpcode::kDomain) {
        XLA_RETURN_IF_ERROR(
            computation->ReplaceInstruction(instruction, instruction->mutable_operand(0)));
      }
    }
  }
  return absl::OkStatus();
}

// The value of a dynamic shape in static form (dynamic_shapes.h).
HloInstruction* StaticForm(HloInstruction* value, GraphBuilder& b) {
  const Shape shape = value->shape();
  std::vector<HloInstruction*> elements;
  if (shape.IsTuple()) {
    for (int64_t i = 0; i < shape.tuple_shapes_size(); ++i) {
      elements.push_back(StaticForm(b.Element(value, i), b));
    }
    return b.Tuple(elements);
  }
  if (!HasDynamicArray(shape)) return value;
  HloInstruction* array = value;
  elements.push_back(nullptr);
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    elements.push_back(b.Make(HloOpcode::kGetDimensionSize, ShapeUtil::MakeShape(S32, {}), {value},
                              OneDimensionAttributes{{d}}));
    Shape at_bound = array->shape();
    at_bound.set_dynamic_dimension(d, false);
    HloInstruction* bound = b.Scalar(S32, static_cast<double>(shape.dimensions(d)));
    array =
        b.Make(HloOpcode::kSetDimensionSize, at_bound, {array, bound}, OneDimensionAttributes{{d}});
  }
  elements[0] = array;
  return b.Tuple(elements);
}

// The value of a shape from its static form.
HloInstruction* FromStaticForm(HloInstruction* form, const Shape& shape, GraphBuilder& b) {
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      elements.push_back(FromStaticForm(b.Element(form, i), shape.tuple_shapes(i), b));
    }
    return b.Tuple(elements);
  }
  if (!HasDynamicArray(shape)) return form;
  HloInstruction* array = b.Element(form, 0);
  int64_t next = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    Shape sized = array->shape();
    sized.set_dynamic_dimension(d, true);
    array = b.Make(HloOpcode::kSetDimensionSize, sized, {array, b.Element(form, next++)},
                   OneDimensionAttributes{{d}});
  }
  return array;
}

// A parameter or the result of the program.
struct Declared {
  Shape shape;
  std::optional<HloSharding> sharding;
};

Declared DeclarationOf(const HloInstruction& value) {
  Declared declared{value.shape(), std::nullopt};
  if (value.has_sharding()) declared.sharding = *value.extras().sharding;
  return declared;
}

// A parameter in static form gets the dynamic shape that it had.
absl::Status RestoreParameter(const Declared& declared, HloInstruction* parameter) {
  GraphBuilder b(parameter->parent());
  HloInstruction* placeholder = b.Scalar(PRED, 0);
  XLA_RETURN_IF_ERROR(parameter->ReplaceAllUsesWithDifferentShape(placeholder));
  *parameter->mutable_shape() = declared.shape;
  if (declared.sharding.has_value()) parameter->mutable_extras().sharding = *declared.sharding;
  XLA_RETURN_IF_ERROR(placeholder->ReplaceAllUsesWithDifferentShape(StaticForm(parameter, b)));
  return parameter->parent()->RemoveInstruction(placeholder);
}

// Sizes that are known at run time become values. Parameters and results keep their shapes.
absl::Status WriteSizes(HloModule* module) {
  const ProgramShape layout = module->entry_computation_layout();
  std::vector<Declared> parameters;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    parameters.push_back(DeclarationOf(*parameter));
  }
  const Declared result = DeclarationOf(*module->entry_computation()->root_instruction());
  XLA_ASSIGN_OR_RETURN(const bool changed, ResolveDynamicSizes(module));
  if (!changed) return absl::OkStatus();
  HloComputation* entry = module->entry_computation();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!HasDynamicArray(parameters[i].shape)) continue;
    XLA_RETURN_IF_ERROR(
        RestoreParameter(parameters[i], entry->parameter_instruction(static_cast<int64_t>(i))));
  }
  if (HasDynamicArray(result.shape)) {
    GraphBuilder b(entry);
    HloInstruction* root = FromStaticForm(entry->root_instruction(), result.shape, b);
    if (result.sharding.has_value()) root->mutable_extras().sharding = *result.sharding;
    entry->set_root_instruction(root);
  }
  module->config().set_entry_computation_layout(layout);
  return absl::OkStatus();
}

}  // namespace

absl::Status WritePlainOperations(HloModule* module) {
  XLA_RETURN_IF_ERROR(ExpandAsync(module).status());
  XLA_RETURN_IF_ERROR(ExpandScans(module).status());
  XLA_RETURN_IF_ERROR(ReplaceFusionsAndDomains(module));
  return WriteSizes(module);
}

}  // namespace xla::spmd
