// SPDX-License-Identifier: Apache-2.0
// Kernels of xla/kernels as steps: FFT, linear algebra, top-k, random bits.
#include "xla/cpu/library_calls.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/fft.h"
#include "xla/kernels/linear_algebra.h"
#include "xla/kernels/random_bits.h"
#include "xla/kernels/sort.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

int64_t ElementsOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

int64_t BytesOf(const Shape& shape) {
  return ElementsOf(shape) * primitive_util::ByteWidth(shape.element_type());
}

absl::Status CallFft(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<FftAttributes>();
  const Shape& operand = inst.operand(0)->shape();
  if (ElementsOf(inst.shape()) == 0) return absl::OkStatus();
  if (ElementsOf(operand) == 0) {
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

kernels::MatrixBatch BatchOf(const Shape& shape, const void* data) {
  const int64_t rank = shape.rank();
  kernels::MatrixBatch batch;
  batch.type = shape.element_type();
  batch.data = data;
  batch.count = 1;
  batch.rows = shape.dimensions(static_cast<int>(rank - 2));
  batch.columns = shape.dimensions(static_cast<int>(rank - 1));
  batch.row_stride = batch.columns;
  batch.matrix_stride = batch.rows * batch.columns;
  for (int d = 0; d < rank - 2; ++d) batch.count *= shape.dimensions(d);
  return batch;
}

absl::Status CallCholesky(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  if (ElementsOf(inst.shape()) == 0) return absl::OkStatus();
  return kernels::Cholesky(*call.state, inst.attributes<CholeskyAttributes>().lower,
                           BatchOf(inst.operand(0)->shape(), call.operands[0]), call.results[0]);
}

absl::Status CallTriangularSolve(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  if (ElementsOf(inst.shape()) == 0) return absl::OkStatus();
  const auto& attributes = inst.attributes<TriangularSolveAttributes>();
  kernels::TriangularSolveOptions options;
  options.left_side = attributes.left_side;
  options.lower = attributes.lower;
  options.unit_diagonal = attributes.unit_diagonal;
  options.conjugate = attributes.transpose_a == TriangularSolveOptions_Transpose_ADJOINT;
  options.transpose =
      options.conjugate || attributes.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE;
  return kernels::TriangularSolve(
      *call.state, options, BatchOf(inst.operand(0)->shape(), call.operands[0]),
      BatchOf(inst.operand(1)->shape(), call.operands[1]), call.results[0]);
}

absl::Status CallTopK(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<TopKAttributes>();
  const Shape& operand = inst.operand(0)->shape();
  const Shape& values = inst.shape().tuple_shapes(0);
  if (ElementsOf(values) == 0) return absl::OkStatus();
  const int64_t length = operand.dimensions().back();
  return kernels::TopK(*call.state, {.type = operand.element_type(),
                                     .largest = attributes.largest,
                                     .rows = ElementsOf(operand) / length,
                                     .length = length,
                                     .valid = length,
                                     .k = values.dimensions().back(),
                                     .values = call.operands[0],
                                     .top_values = call.results[0],
                                     .indices = reinterpret_cast<int32_t*>(call.results[1])});
}

absl::Status CallRngBitGenerator(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const Shape& state_shape = inst.operand(0)->shape();
  const Shape& shape = inst.shape().tuple_shapes(1);
  const bool is_threefry =
      inst.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::RNG_THREE_FRY;
  const int64_t bytes = BytesOf(state_shape), words = bytes / 8;
  const bool is_integer = state_shape.element_type() == U64 || state_shape.element_type() == U32;
  if (!is_integer || (is_threefry ? words != 2 : words != 2 && words != 3)) {
    return absl::InvalidArgumentError(absl::StrCat(
        inst.name(), is_threefry
                         ? ": the state of rng_three_fry is u64[2]"
                         : ": the state of rng_philox and rng_default is u64[2] or u64[3]"));
  }
  uint64_t s[3] = {};
  std::memcpy(s, call.operands[0], static_cast<size_t>(bytes));
  if (is_threefry) {
    XLA_ASSIGN_OR_RETURN(const int64_t used,
                         kernels::FillThreefry(*call.state, s[0], s[1], shape.element_type(),
                                               shape.dimensions(), call.results[1]));
    s[1] += static_cast<uint64_t>(used);
  } else {
    // A state of two words has the key as the upper half of its counter.
    const kernels::Counter128 counter = {s[1], words == 3 ? s[2] : s[0]};
    XLA_ASSIGN_OR_RETURN(const int64_t used,
                         kernels::FillPhilox(*call.state, s[0], counter, shape.element_type(),
                                             ElementsOf(shape), call.results[1]));
    const kernels::Counter128 next = counter.Plus(static_cast<uint64_t>(used));
    s[1] = next.low;
    if (words == 3) s[2] = next.high;
  }
  std::memcpy(call.results[0], s, static_cast<size_t>(bytes));
  return absl::OkStatus();
}

}  // namespace

LibraryFunction FindLibraryFunction(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kFft:
      return CallFft;
    case HloOpcode::kCholesky:
      return CallCholesky;
    case HloOpcode::kTriangularSolve:
      return CallTriangularSolve;
    case HloOpcode::kTopK:
      if (primitive_util::IsComplexType(instruction.operand(0)->shape().element_type()) ||
          instruction.shape().tuple_shapes(1).element_type() != S32) {
        return nullptr;
      }
      return CallTopK;
    case HloOpcode::kRngBitGenerator:
      return kernels::HasRandomBits(instruction.shape().tuple_shapes(1).element_type())
                 ? CallRngBitGenerator
                 : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
