// SPDX-License-Identifier: Apache-2.0
// Replaces pairs of start and done by one operation at the start; messages are awaited at the done.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/passes/communication.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Converts the value to the types of `shape`: starts and dones may declare other floating-point
// types than their operands have.
HloInstruction* Declared(GraphBuilder& b, const Shape& shape, HloInstruction* value) {
  if (shape.IsArray()) return b.Convert(value, shape.element_type());
  if (!shape.IsTuple() || ShapeUtil::Compatible(shape, value->shape())) return value;
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i)
    elements.push_back(Declared(b, shape.tuple_shapes(i), b.Element(value, i)));
  return b.Make(HloOpcode::kTuple, shape, elements);
}

// Makes a tuple of that shape.
HloInstruction* MakeTuple(GraphBuilder& b, const Shape& shape,
                          absl::Span<HloInstruction* const> values) {
  std::vector<HloInstruction*> elements;
  for (HloInstruction* value : values) {
    elements.push_back(Declared(b, shape.tuple_shapes(static_cast<int>(elements.size())), value));
  }
  return b.Make(HloOpcode::kTuple, shape, elements);
}

// Makes the start's tuple: `elements`, then zeros for its contexts.
HloInstruction* StartTuple(GraphBuilder& b, const Shape& shape,
                           std::vector<HloInstruction*> elements) {
  for (int i = static_cast<int>(elements.size()); i < shape.tuple_shapes_size(); ++i) {
    elements.push_back(b.Zeros(shape.tuple_shapes(i)));
  }
  return MakeTuple(b, shape, elements);
}

// Returns a single value as it is, or a tuple.
HloInstruction* AsShape(GraphBuilder& b, const Shape& shape,
                        absl::Span<HloInstruction* const> values) {
  return shape.IsTuple() ? MakeTuple(b, shape, values) : values[0];
}

// The operation without its contexts: all-gather of all-gather-start, ...
HloInstruction* ExpandStart(GraphBuilder& b, HloInstruction* start, HloOpcode opcode) {
  const Shape& shape = start->shape();
  const std::vector<HloInstruction*> operands(start->operands().begin(), start->operands().end());
  std::vector<HloComputation*> called(start->called_computations().begin(),
                                      start->called_computations().end());
  HloInstruction* const result =
      b.Make(opcode, shape.tuple_shapes(1), operands, start->attributes(), called);
  const bool is_in_place = start->opcode() == HloOpcode::kCollectivePermuteStart &&
                           !start->attributes<CollectivePermuteAttributes>().slice_sizes.empty();
  HloInstruction* const before =
      is_in_place ? operands[0] : AsShape(b, shape.tuple_shapes(0), operands);
  return StartTuple(b, shape, {before, result});
}

// Completes the receives of a computation with this root, given what its start returned.
HloInstruction* CompleteReceives(GraphBuilder& b, const HloInstruction& root,
                                 HloInstruction* value) {
  if (root.opcode() == HloOpcode::kRecv) {
    const Shape& shape = root.shape();
    const Shape done_shape =
        ShapeUtil::MakeTupleShape({shape.tuple_shapes(0), shape.tuple_shapes(2)});
    HloInstruction* const done =
        b.Make(HloOpcode::kRecvDone, done_shape, {value}, root.attributes());
    return b.Make(HloOpcode::kTuple, shape,
                  {b.Element(done, 0), b.Zeros(shape.tuple_shapes(1)), b.Element(done, 1)});
  }
  if (root.opcode() != HloOpcode::kTuple) return value;
  std::vector<HloInstruction*> elements;
  for (int64_t i = 0; i < root.operand_count(); ++i) {
    elements.push_back(CompleteReceives(b, *root.operand(i), b.Element(value, i)));
  }
  return b.Make(HloOpcode::kTuple, root.shape(), elements);
}

// Returns null if there is nothing to do.
HloInstruction* Expand(GraphBuilder& b, HloInstruction* instruction,
                       const HloComputation* receives) {
  switch (instruction->opcode()) {
    case HloOpcode::kAsyncStart: {
      const Shape& shape = instruction->shape();
      const std::vector<HloInstruction*> operands(instruction->operands().begin(),
                                                  instruction->operands().end());
      HloComputation* called[] = {instruction->to_apply()};
      HloInstruction* const result =
          b.Make(HloOpcode::kCall, shape.tuple_shapes(1), operands, CallAttributes(), called);
      return StartTuple(b, shape, {MakeTuple(b, shape.tuple_shapes(0), operands), result});
    }
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kAllReduceDone:
      return instruction->operand(0);
    case HloOpcode::kAsyncDone: {
      HloInstruction* const result = b.Element(instruction->operand(0), 1);
      return receives == nullptr ? result
                                 : CompleteReceives(b, *receives->root_instruction(), result);
    }
    case HloOpcode::kCopyStart:
      return StartTuple(b, instruction->shape(),
                        {instruction->operand(0), instruction->operand(0)});
    case HloOpcode::kCopyDone:
      return b.Element(instruction->operand(0), 0);
    case HloOpcode::kAllReduceStart: {
      const std::vector<HloInstruction*> operands(instruction->operands().begin(),
                                                  instruction->operands().end());
      HloComputation* called[] = {instruction->to_apply()};
      return b.Make(HloOpcode::kAllReduce, instruction->shape(), operands,
                    instruction->attributes(), called);
    }
    case HloOpcode::kAllGatherStart:
      return ExpandStart(b, instruction, HloOpcode::kAllGather);
    case HloOpcode::kCollectivePermuteStart:
      return ExpandStart(b, instruction, HloOpcode::kCollectivePermute);
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return b.Element(instruction->operand(0), 1);
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> ExpandAsync(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    const std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    // Starts are looked up while they still exist.
    std::vector<const HloComputation*> receives;
    for (const HloInstruction* instruction : order) {
      receives.push_back(instruction->opcode() == HloOpcode::kAsyncDone
                             ? AsyncComputationThatReceives(*instruction)
                             : nullptr);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      GraphBuilder b(computation, order[i]);
      HloInstruction* expanded = Expand(b, order[i], receives[i]);
      if (expanded == nullptr) continue;
      expanded = Declared(b, order[i]->shape(), expanded);
      if (!absl::c_linear_search(order[i]->operands(), expanded)) {
        order[i]->SetupDerivedInstruction(expanded);
      }
      // Layouts of buffers in start tuples may differ; values have none here.
      XLA_RETURN_IF_ERROR(computation->ReplaceInstructionWithDifferentShape(order[i], expanded));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
