// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/in_place.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_reduction.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Whether a kernel that reduces rows first may write the elements of a row over those of the
// parameter: only elements at the same index, and reductions of the same row, depend on the
// parameter.
bool StaysInRows(const HloComputation& computation, const HloInstruction* parameter) {
  const Shape& shape = parameter->shape();
  const int64_t rank = shape.rank();
  if (!ReducesOwnRows(computation) || rank < 2 ||
      computation.root_instruction()->shape().dimensions() != shape.dimensions()) {
    return false;
  }
  absl::flat_hash_set<const HloInstruction*> elements = {parameter}, rows;
  const auto is_row_shape = [&](const Shape& other) {
    return other.rank() == rank - 1 &&
           std::equal(other.dimensions().begin(), other.dimensions().end(),
                      shape.dimensions().begin());
  };
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    bool has_elements = false, has_rows = false;
    for (const HloInstruction* operand : instruction->operands()) {
      has_elements |= elements.contains(operand);
      has_rows |= rows.contains(operand);
    }
    if (!has_elements && !has_rows) continue;
    if (instruction->opcode() == HloOpcode::kReduce) {
      if (has_rows || elements.contains(instruction->operand(1))) return false;
      rows.insert(instruction);
    } else if (instruction->opcode() == HloOpcode::kBroadcast) {
      if (has_elements || instruction->shape().dimensions() != shape.dimensions()) return false;
      for (int64_t d = 0; d + 1 < rank; ++d) {
        if (instruction->dimensions()[static_cast<size_t>(d)] != d) return false;
      }
      elements.insert(instruction);
    } else if (!IsElementwise(*instruction)) {
      return false;
    } else if (instruction->shape().dimensions() == shape.dimensions()) {
      if (has_rows) return false;  // a scalar operand of select or clamp
      elements.insert(instruction);
    } else if (!has_elements && is_row_shape(instruction->shape())) {
      rows.insert(instruction);
    } else {
      return false;
    }
  }
  return true;
}

// Returns the value of an integer constant.
std::optional<int64_t> NumberOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant || instruction.shape().rank() != 0)
    return std::nullopt;
  return instruction.literal().GetFirstInteger();
}

// Whether no element that a slice reads for one element of the update, a dynamic-update-slice, is
// where the update puts another one, if the slice's operand is the array that is updated: windows
// start at the same place, but for dimensions along which they have a single element.
bool TakesWindowOf(const HloInstruction& slice, const HloInstruction& update) {
  if (slice.operand(0)->shape().dimensions() != update.shape().dimensions() ||
      slice.shape().dimensions() != update.operand(1)->shape().dimensions()) {
    return false;
  }
  const auto start_of = [&](int64_t d) { return update.operand(d + 2); };
  const int64_t rank = slice.shape().rank();
  for (int64_t d = 0; d < rank; ++d) {
    if (slice.shape().dimensions(static_cast<int>(d)) == 1) continue;
    const int64_t free = update.shape().dimensions(static_cast<int>(d)) -
                         slice.shape().dimensions(static_cast<int>(d));
    if (slice.opcode() == HloOpcode::kDynamicSlice) {
      const HloInstruction& start = *slice.operand(d + 1);
      if (free == 0 || &start == start_of(d)) continue;
      const std::optional<int64_t> number = NumberOf(start);
      if (!number.has_value() || number != NumberOf(*start_of(d))) return false;
      continue;
    }
    const SliceDim& dim = slice.attributes<SliceAttributes>().slice[static_cast<size_t>(d)];
    if (dim.stride != 1) return false;
    if (free == 0) continue;
    const std::optional<int64_t> number = NumberOf(*start_of(d));
    if (!number.has_value() || std::clamp<int64_t>(*number, 0, free) != dim.start) return false;
  }
  return true;
}

// Whether each element of the instruction is computed from elements of the window at the same
// place, if any of its operands are computed from it.
bool KeepsPlaces(const HloInstruction& instruction, const Shape& window) {
  const auto long_dimensions = [](const Shape& shape) {
    DimensionVector dimensions;
    for (const int64_t size : shape.dimensions()) {
      if (size != 1) dimensions.push_back(size);
    }
    return dimensions;
  };
  return (IsElementwise(instruction) || IsView(instruction.opcode())) &&
         instruction.shape().IsArray() &&
         long_dimensions(instruction.shape()) == long_dimensions(window);
}

// Whether an update of a part of an array may overwrite the parameter, which is the same array:
// what an element of the part depends on is not where another one is put.
bool ReadsOwnWindow(const HloInstruction& update, const HloInstruction* parameter) {
  absl::flat_hash_set<const HloInstruction*> reached;
  for (const HloInstruction* user : parameter->users()) {
    const bool slices =
        user->opcode() == HloOpcode::kSlice || user->opcode() == HloOpcode::kDynamicSlice;
    if (!slices || !TakesWindowOf(*user, update)) return false;
    reached.insert(user);
  }
  for (const HloInstruction* instruction : update.parent()->MakeInstructionPostOrder()) {
    if (instruction == &update || reached.contains(instruction)) continue;
    const bool depends = std::any_of(instruction->operands().begin(), instruction->operands().end(),
                                     [&](const HloInstruction* o) { return reached.contains(o); });
    if (!depends) continue;
    if (!KeepsPlaces(*instruction, update.operand(1)->shape())) return false;
    reached.insert(instruction);
  }
  const auto starts = absl::MakeConstSpan(update.operands()).subspan(2);
  return std::none_of(starts.begin(), starts.end(),
                      [&](const HloInstruction* start) { return reached.contains(start); });
}

}  // namespace

bool ReadsWhereItWrites(const HloInstruction& slice, const HloInstruction& update,
                        const absl::flat_hash_set<const HloInstruction*>& fused) {
  if (update.opcode() != HloOpcode::kDynamicUpdateSlice || slice.operand(0) != update.operand(0) ||
      (slice.opcode() != HloOpcode::kSlice && slice.opcode() != HloOpcode::kDynamicSlice) ||
      !TakesWindowOf(slice, update)) {
    return false;
  }
  absl::flat_hash_set<const HloInstruction*> reached = {&slice};
  std::vector<const HloInstruction*> pending = {&slice};
  while (!pending.empty()) {
    const HloInstruction* const instruction = pending.back();
    pending.pop_back();
    for (const HloInstruction* user : instruction->users()) {
      if (user == &update) {
        for (int64_t i = 2; i < update.operand_count(); ++i) {
          if (update.operand(i) == instruction) return false;
        }
      } else if (fused.contains(user) && reached.insert(user).second) {
        if (!KeepsPlaces(*user, slice.shape())) return false;
        pending.push_back(user);
      }
    }
  }
  return true;
}

bool MayShareMemory(const HloInstruction& fusion, int64_t operand, int result,
                    bool reduces_rows_first) {
  const HloComputation& computation = *fusion.to_apply();
  const HloInstruction* parameter = computation.parameter_instruction(operand);
  const HloInstruction* root = computation.root_instruction();
  if (root->shape().IsTuple() && root->opcode() != HloOpcode::kTuple &&
      root->opcode() != HloOpcode::kScatter) {
    return false;
  }
  const Shape& shape = root->shape().IsTuple() ? root->shape().tuple_shapes(result) : root->shape();
  const auto bytes = [](const Shape& s) {
    return CountOf(s) * primitive_util::ByteWidth(s.element_type());
  };
  if (primitive_util::ByteWidth(parameter->shape().element_type()) !=
          primitive_util::ByteWidth(shape.element_type()) ||
      bytes(parameter->shape()) != bytes(shape)) {
    return false;
  }
  const std::vector<int64_t> updated = UpdatedOperands(fusion);
  if (!updated.empty()) {
    return updated[static_cast<size_t>(result)] == operand ||
           (root->opcode() == HloOpcode::kDynamicUpdateSlice && ReadsOwnWindow(*root, parameter));
  }
  if (!IsLinear(computation) && !(reduces_rows_first && StaysInRows(computation, parameter))) {
    // All instructions between the parameter and the root must be elementwise and have the same
    // dimensions.
    absl::flat_hash_set<const HloInstruction*> reached = {parameter};
    for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
      const bool depends =
          std::any_of(instruction->operands().begin(), instruction->operands().end(),
                      [&](const HloInstruction* o) { return reached.contains(o); });
      if (!depends) continue;
      if (instruction->opcode() != HloOpcode::kTuple &&
          (!IsElementwise(*instruction) ||
           instruction->shape().dimensions() != parameter->shape().dimensions())) {
        return false;
      }
      reached.insert(instruction);
    }
  }
  return true;
}

bool ReadsWhatIsWritten(const HloInstruction& fusion, const std::vector<bool>& is_written,
                        const HloInstruction* known) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> pending = {fusion.to_apply()->root_instruction()};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (instruction == known || instruction->opcode() == HloOpcode::kReduce ||
        !seen.insert(instruction).second) {
      continue;
    }
    if (instruction->opcode() == HloOpcode::kParameter &&
        is_written[static_cast<size_t>(instruction->parameter_number())]) {
      return true;
    }
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  return false;
}

std::vector<int64_t> UpdatedOperands(const HloInstruction& fusion) {
  const HloInstruction* root = fusion.to_apply()->root_instruction();
  int64_t count = 0;
  if (root->opcode() == HloOpcode::kDynamicUpdateSlice) count = 1;
  if (root->opcode() == HloOpcode::kScatter) count = root->operand_count() / 2;
  std::vector<int64_t> operands;
  for (int64_t i = 0; i < count; ++i) operands.push_back(root->operand(i)->parameter_number());
  return operands;
}

}  // namespace xla::cpu
