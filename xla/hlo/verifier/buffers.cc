// SPDX-License-Identifier: Apache-2.0
// Verifier rules for buffers: b(f32[2]) is memory that custom calls pass on and write in place.
// Each value of such a type has one writer at most.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

using Index = std::vector<int64_t>;

// The indices of the buffers within a shape.
std::vector<Index> BufferIndices(const Shape& shape) {
  std::vector<Index> indices;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsBuffer()) indices.emplace_back(index.begin(), index.end());
  });
  return indices;
}

bool HasBuffers(const Shape& shape) { return !BufferIndices(shape).empty(); }

std::string IndexText(const Index& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

bool IsBodyOfLoop(const HloComputation& computation) {
  const auto callers = computation.callers();
  return std::any_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
    return caller->opcode() == HloOpcode::kWhile;
  });
}

// What takes a buffer as an operand is taken to write it.
bool Writes(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kFusion:
    case HloOpcode::kCall:
    case HloOpcode::kCustomCall:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kDynamicUpdateSlice:
      return true;
    default:
      return false;
  }
}

// Checks that the buffer at `index` of the result has one writer at most. It is followed through
// tuples; a worklist, since such chains may be long.
absl::Status CheckUniqueWriter(const HloInstruction& instruction, const Index& index) {
  int64_t writers = 0;
  std::vector<std::pair<const HloInstruction*, Index>> pending = {{&instruction, index}};
  std::set<std::pair<const HloInstruction*, Index>> seen;
  while (!pending.empty() && writers < 2) {
    auto [value, at] = std::move(pending.back());
    pending.pop_back();
    if (!seen.emplace(value, at).second) continue;
    for (const HloInstruction* user : value->users()) {
      if (Writes(user->opcode())) {
        ++writers;
      } else if (user->opcode() == HloOpcode::kGetTupleElement) {
        if (!at.empty() && user->tuple_index() == at[0]) {
          pending.emplace_back(user, Index(at.begin() + 1, at.end()));
        }
      } else if (user->opcode() == HloOpcode::kTuple) {
        if (user->IsRoot()) {
          // The next trip of the loop writes it.
          if (IsBodyOfLoop(*user->parent())) ++writers;
          continue;
        }
        const auto& operands = user->operands();
        const auto place = std::find(operands.begin(), operands.end(), value);
        Index inside = {place - operands.begin()};
        inside.insert(inside.end(), at.begin(), at.end());
        pending.emplace_back(user, std::move(inside));
      }
    }
  }
  if (writers < 2) return absl::OkStatus();
  return InvalidArgument("an HLO buffer value has more than one writers (or unpins): '%s' '%s'",
                         instruction.ToShortString(), IndexText(index));
}

absl::Status CheckUniqueWriters(const HloInstruction& instruction) {
  for (const Index& index : BufferIndices(instruction.shape())) {
    XLA_RETURN_IF_ERROR(CheckUniqueWriter(instruction, index));
  }
  return absl::OkStatus();
}

// Pin makes a buffer of an array, Unpin the reverse.
absl::Status CheckPin(const HloInstruction& call, bool is_pin, bool layout_sensitive) {
  const char* name = is_pin ? "Pin" : "Unpin";
  const auto is_array = [](const Shape& shape) { return shape.IsArray() && !shape.IsBuffer(); };
  const bool fits = call.operand_count() == 1 && (is_pin ? is_array(call.operand(0)->shape())
                                                         : call.operand(0)->shape().IsBuffer());
  if (!fits) {
    return InvalidArgument("custom-call to %s must have one %s operand", name,
                           is_pin ? "array non-buffer" : "buffer");
  }
  if (is_pin ? !call.shape().IsBuffer() : !is_array(call.shape())) {
    return InvalidArgument("custom-call to %s must have one %s result", name,
                           is_pin ? "buffer" : "array non-buffer");
  }
  const Shape& operand = call.operand(0)->shape();
  const Shape& from = is_pin ? operand : operand.buffer_shape();
  const Shape& to = is_pin ? call.shape().buffer_shape() : call.shape();
  if (!Shape::Equal().IgnoreLayout(!layout_sensitive)(from, to)) {
    if (Shape::Equal().IgnoreLayout()(from, to)) {
      return InvalidArgument("Different aliasing shapes: %s vs %s", from.ToString(true),
                             to.ToString(true));
    }
    return InvalidArgument("custom-call to %s must have the same shape as the operand", name);
  }
  if (call.attributes<CustomCallAttributes>().output_to_operand_aliasing.size() != 1) {
    return InvalidArgument("custom-call to %s must have one output-to-operand aliasing", name);
  }
  return is_pin ? CheckUniqueWriter(call, {}) : absl::OkStatus();
}

// Each buffer of operands and results is in one pair of output_to_operand_aliasing.
absl::Status CheckBuffersOfCall(const HloInstruction& call, bool layout_sensitive) {
  const std::string& target = call.custom_call_target();
  if (target == "Pin" || target == "Unpin") {
    return CheckPin(call, target == "Pin", layout_sensitive);
  }
  if (target == "CreateBuffer") {
    if (call.operand_count() != 0) {
      return InvalidArgument("custom-call to CreateBuffer can't have an operand");
    }
    if (!call.shape().IsBuffer()) {
      return InvalidArgument("custom-call to CreateBuffer must have one buffer result");
    }
    return CheckUniqueWriter(call, {});
  }
  const auto& aliases = call.attributes<CustomCallAttributes>().output_to_operand_aliasing;
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    for (const Index& index : BufferIndices(call.operand(i)->shape())) {
      const auto count =
          std::count_if(aliases.begin(), aliases.end(), [&](const OutputOperandAlias& alias) {
            return alias.operand == i && alias.operand_index == index;
          });
      if (count == 1) continue;
      return InvalidArgumentStrCat(count == 0 ? "buffer is used in operands but not in results"
                                              : "buffer is used in results multiple times",
                                   ": operand ", i, " ShapeIndex ", IndexText(index));
    }
  }
  for (const Index& index : BufferIndices(call.shape())) {
    const auto count =
        std::count_if(aliases.begin(), aliases.end(),
                      [&](const OutputOperandAlias& alias) { return alias.output_index == index; });
    if (count != 1) {
      return InvalidArgumentStrCat(count == 0 ? "buffer is used in results but not in operands: "
                                              : "buffer is used in operands multiple times: ",
                                   IndexText(index));
    }
    XLA_RETURN_IF_ERROR(CheckUniqueWriter(call, index));
  }
  return absl::OkStatus();
}

absl::Status CheckNoBuffers(const Shape& shape, const HloInstruction& instruction) {
  if (!HasBuffers(shape)) return absl::OkStatus();
  return InvalidArgument("Seen buffers while buffers aren't allowed in this context: %s",
                         instruction.ToShortString());
}

absl::Status CheckNoBuffersAt(const HloInstruction& instruction) {
  XLA_RETURN_IF_ERROR(CheckNoBuffers(instruction.shape(), instruction));
  for (const HloInstruction* operand : instruction.operands()) {
    XLA_RETURN_IF_ERROR(CheckNoBuffers(operand->shape(), instruction));
  }
  return absl::OkStatus();
}

absl::Status CheckOne(const HloInstruction& instruction, bool layout_sensitive) {
  switch (instruction.opcode()) {
    case HloOpcode::kCustomCall:
      return CheckBuffersOfCall(instruction, layout_sensitive);
    case HloOpcode::kWhile:
      return CheckUniqueWriters(instruction);
    case HloOpcode::kParameter:
      if (instruction.parent()->IsEntryComputation()) {
        XLA_RETURN_IF_ERROR(CheckNoBuffersAt(instruction));
      }
      return CheckUniqueWriters(instruction);
    case HloOpcode::kDynamicUpdateSlice: {
      if (!instruction.operand(0)->shape().IsBuffer()) return CheckNoBuffersAt(instruction);
      XLA_RETURN_IF_ERROR(CheckUniqueWriters(instruction));
      for (int64_t i = 1; i < instruction.operand_count(); ++i) {
        XLA_RETURN_IF_ERROR(CheckNoBuffers(instruction.operand(i)->shape(), instruction));
      }
      if (instruction.shape().IsBuffer()) return absl::OkStatus();
      return InvalidArgument("DynamicUpdateSlice result must be a buffer if operand 0 is a buffer");
    }
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kTuple:
      return absl::OkStatus();
    default:
      return CheckNoBuffersAt(instruction);
  }
}

// Operations that only carry what an asynchronous computation works on.
bool PassesBuffers(const HloInstruction& instruction) {
  return instruction.info().async_role != AsyncRole::kNone ||
         (instruction.opcode() == HloOpcode::kCall &&
          instruction.extras().frontend_attributes.contains("_xla_stream_annotation"));
}

bool UsesBuffers(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (HasBuffers(instruction->shape())) return true;
      if (instruction->opcode() != HloOpcode::kCustomCall) continue;
      const std::string& target = instruction->custom_call_target();
      if (target == "Pin" || target == "Unpin" || target == "CreateBuffer") return true;
    }
  }
  return false;
}

}  // namespace

absl::Status CheckBuffers(const HloModule& module, const HloVerifierOptions& options) {
  if (!UsesBuffers(module)) return absl::OkStatus();
  for (const HloComputation* computation : module.computations()) {
    const auto callers = computation->callers();
    const bool is_async = std::any_of(
        callers.begin(), callers.end(),
        [](const HloInstruction* caller) { return caller->opcode() == HloOpcode::kAsyncStart; });
    if (is_async) {
      const HloInstruction& root = *computation->root_instruction();
      if (root.opcode() == HloOpcode::kCustomCall) {
        XLA_RETURN_IF_ERROR(CheckBuffersOfCall(root, options.layout_sensitive));
      }
      continue;
    }
    for (const HloInstruction* instruction : computation->instructions()) {
      if (PassesBuffers(*instruction)) continue;
      XLA_RETURN_IF_ERROR(CheckOne(*instruction, options.layout_sensitive));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
