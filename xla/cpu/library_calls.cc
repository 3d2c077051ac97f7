// SPDX-License-Identifier: Apache-2.0
// Kernels of xla/kernels as steps: FFT.
#include "xla/cpu/library_calls.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/kernels/fft.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

absl::Status CallFft(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<FftAttributes>();
  const Shape& operand = inst.operand(0)->shape();
  if (CountOf(inst.shape()) == 0) return absl::OkStatus();
  // A transform of length zero has no terms.
  for (const int64_t length : attributes.fft_length) {
    if (length != 0) continue;
    std::memset(call.results[0], 0, static_cast<size_t>(ShapeUtil::ByteSizeOf(inst.shape())));
    return absl::OkStatus();
  }
  if (CountOf(operand) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(inst.name(), ": an empty operand has no transform"));
  }
  const int64_t rank = operand.rank(), axes = static_cast<int64_t>(attributes.fft_length.size());
  const bool inverse =
      attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT;
  const bool real_result = attributes.fft_type == FftType::IRFFT;
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  PrimitiveType type = operand.element_type();
  const void* data = call.operands[0];
  std::shared_ptr<void> scratch[2];
  for (int64_t i = 0; i < axes; ++i) {
    // The real axis is the last: first in a transform from real numbers and last in one to them.
    const int64_t which = real_result ? i : axes - 1 - i;
    const auto dimension = static_cast<size_t>(rank - axes + which);
    const bool is_last = i + 1 == axes;
    kernels::FftAxis axis;
    axis.from_type = type;
    axis.from = data;
    axis.length = attributes.fft_length[static_cast<size_t>(which)];
    axis.inverse = inverse;
    axis.outer = axis.inner = 1;
    for (size_t d = 0; d < dimension; ++d) axis.outer *= sizes[d];
    for (size_t d = dimension + 1; d < sizes.size(); ++d) axis.inner *= sizes[d];
    axis.from_length = sizes[dimension];
    axis.to_length = sizes[dimension] = inst.shape().dimensions(static_cast<int>(dimension));
    axis.symmetric = real_result && is_last;
    axis.to_type = is_last ? inst.shape().element_type() : C128;
    if (is_last) {
      axis.to = call.results[0];
    } else {
      XLA_ASSIGN_OR_RETURN(scratch[i % 2],
                           call.state->Allocate(axis.outer * axis.to_length * axis.inner * 16));
      axis.to = scratch[i % 2].get();
    }
    XLA_RETURN_IF_ERROR(kernels::TransformAxis(*call.state, axis));
    data = axis.to;
    type = axis.to_type;
  }
  return absl::OkStatus();
}

// Handlers of the caller, on literals that borrow the operands' memory.
absl::Status CallCustom(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const std::string& target = inst.attributes<CustomCallAttributes>().custom_call_target;
  const CpuCustomCall* handler = nullptr;
  if (call.state->custom_calls() != nullptr) {
    for (const auto& [name, function] : *call.state->custom_calls()) {
      if (name == target) handler = &function;
    }
  }
  if (handler == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("custom-call ", inst.name(), ": compiled programs cannot call ", target));
  }
  std::vector<BorrowingLiteral> literals;
  size_t next = 0;
  for (const HloInstruction* operand : inst.operands()) {
    Shape shape = operand->shape();
    LayoutUtil::SetToDefaultLayout(&shape);
    const auto leaves = static_cast<size_t>(ShapeUtil::GetLeafCount(shape));
    std::vector<const char*> memory;
    for (size_t i = 0; i < leaves; ++i) memory.push_back(call.operands[next + i]);
    if (shape.IsTuple()) {
      literals.emplace_back(memory, shape);
    } else {
      literals.emplace_back(memory[0], shape);
    }
    next += leaves;
  }
  std::vector<LiteralSlice> slices(literals.begin(), literals.end());
  Shape shape = inst.shape();
  LayoutUtil::SetToDefaultLayout(&shape);
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(shape));
  XLA_RETURN_IF_ERROR((*handler)(inst, slices, &result));
  size_t leaf = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    if (part.IsArray() && result.size_bytes(index) > 0) {
      std::memcpy(call.results[leaf], result.untyped_data(index),
                  static_cast<size_t>(result.size_bytes(index)));
    }
    ++leaf;
  });
  return absl::OkStatus();
}

}  // namespace

LibraryFunction FindLibraryFunction(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kFft:
      return CallFft;
    case HloOpcode::kCustomCall:
      return CallCustom;
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
