// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/prefix_scan.h"

#include <cstdint>
#include <optional>

#include "xla/hlo/ir/hlo_computation.h"

namespace xla {
std::optional<HloOpcode> OperationOfReducer(const HloComputation& reducer) {
  const HloInstruction& root = *reducer.root_instruction();
  if (reducer.num_parameters() != 2 || root.operand_count() != 2) return std::nullopt;
  const HloInstruction &a = *root.operand(0), &b = *root.operand(1);
  if (a.opcode() != HloOpcode::kParameter || b.opcode() != HloOpcode::kParameter || &a == &b)
    return std::nullopt;
  return root.opcode();
}

std::optional<PrefixWindow> RecognizePrefixWindow(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kReduceWindow ||
      !instruction.operand(0)->shape().is_static()) {
    return std::nullopt;
  }
  const WindowDims& window = instruction.attributes<WindowAttributes>().window;
  std::optional<PrefixWindow> scan;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& dim = window[d];
    if (dim.stride != 1 || dim.window_dilation != 1 || dim.base_dilation != 1) return std::nullopt;
    if (dim.size == 1 && dim.padding_low == 0 && dim.padding_high == 0) continue;
    const int64_t size = instruction.operand(0)->shape().dimensions(static_cast<int>(d));
    const bool forward = dim.padding_low == size - 1 && dim.padding_high == 0;
    const bool reverse = dim.padding_low == 0 && dim.padding_high == size - 1;
    if (scan.has_value() || dim.size != size || (!forward && !reverse)) return std::nullopt;
    scan = PrefixWindow{static_cast<int64_t>(d), !forward, size};
  }
  return scan;
}

std::optional<PrefixScan> RecognizePrefixScan(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kReduceWindow || instruction.operand_count() != 2 ||
      !instruction.shape().IsArray()) {
    return std::nullopt;
  }
  const std::optional<HloOpcode> operation = OperationOfReducer(*instruction.to_apply());
  if (operation != HloOpcode::kAdd && operation != HloOpcode::kMultiply &&
      operation != HloOpcode::kMaximum && operation != HloOpcode::kMinimum) {
    return std::nullopt;
  }
  const std::optional<PrefixWindow> window = RecognizePrefixWindow(instruction);
  if (!window.has_value()) return std::nullopt;
  return PrefixScan{*window, *operation};
}

bool HasScanKernel(const HloInstruction& instruction) {
  const std::optional<PrefixScan> scan = RecognizePrefixScan(instruction);
  if (!scan.has_value() || scan->length < kLeastScanLength) return false;
  switch (instruction.shape().element_type()) {
    case F16:
    case BF16:
    case F32:
    case F64:
    case S32:
    case U32:
    case S64:
    case U64:
      return instruction.operand(0)->shape().element_type() == instruction.shape().element_type();
    default:
      return false;
  }
}

}  // namespace xla
