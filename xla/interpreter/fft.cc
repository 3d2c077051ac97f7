// SPDX-License-Identifier: Apache-2.0
// fft: FFT, IFFT, RFFT and IRFFT over the last one to three axes; computed in double precision,
// rounded once at the end.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/fft_plan.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

static_assert(sizeof(FftComplex) == sizeof(complex128));

// Lines along one axis of an array [outer, from length, inner] that become [outer, to length,
// inner]. A line from which less than a transform's length is given is the first half of one with
// conjugate symmetry; of the result the first elements are kept.
struct AxisPass {
  PrimitiveType from_type, to_type;
  const char* from;
  char* to;
  int64_t from_length, to_length;
  int64_t outer, inner;
  bool inverse;
};

absl::Status RunPass(EvalContext& ctx, const AxisPass& pass, int64_t length) {
  const FftPlan plan(length);
  const WideLoad<complex128> load = GetWideLoad<complex128>(pass.from_type);
  const WideStore<complex128> store = GetWideStore<complex128>(pass.to_type);
  const int64_t from_bytes = primitive_util::ByteWidth(pass.from_type);
  const int64_t to_bytes = primitive_util::ByteWidth(pass.to_type);
  const int64_t lines = pass.outer * pass.inner;
  const double cost = 200 + 60.0 * static_cast<double>(length);
  return ctx.ParallelFor(
      lines, EvalContext::ChunkFor(lines, cost), [&](int64_t begin, int64_t end) {
        std::vector<FftComplex> data(length), work;
        for (int64_t line = begin; line < end; ++line) {
          const int64_t outer = line / pass.inner, inner = line % pass.inner;
          const int64_t given = std::min(length, pass.from_length);
          load(pass.from + (outer * pass.from_length * pass.inner + inner) * from_bytes, pass.inner,
               given, reinterpret_cast<complex128*>(data.data()));
          for (int64_t k = given; k < length; ++k)
            data[k] = {data[length - k].re, -data[length - k].im};
          plan.Transform(pass.inverse, data.data(), work);
          store(reinterpret_cast<const complex128*>(data.data()), pass.to_length,
                pass.to + (outer * pass.to_length * pass.inner + inner) * to_bytes, pass.inner);
        }
      });
}

}  // namespace

absl::StatusOr<Value> EvalFft(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<FftAttributes>();
  const Value& operand = operands[0];
  const int64_t rank = operand.rank(), axes = static_cast<int64_t>(attributes.fft_length.size());
  // XLA has no sizes at run time here at all; those of batch dimensions are harmless.
  for (int64_t d = rank - axes; d < rank; ++d) {
    if (operand.dynamic_size(d) == operand.dimensions()[d]) continue;
    return InstructionError(
        inst, absl::StatusCode::kInvalidArgument,
        absl::StrCat("dimension ", d, " of ", operand.shape().ToString(), " has size ",
                     operand.dynamic_size(d), " at run time, but fft_length={",
                     absl::StrJoin(attributes.fft_length, ","), "} transforms all of it"));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (operand.has_dynamic_sizes()) {
    DimensionVector sizes = operand.existing_dimensions();
    for (int64_t d = rank - axes; d < rank; ++d) sizes[d] = result.dimensions()[d];
    SetExistingSizes(sizes, result);
  }
  if (result.element_count() == 0) return result;
  const bool inverse =
      attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT;
  const bool real_result = attributes.fft_type == FftType::IRFFT;
  if (operand.element_count() == 0) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "an empty operand has no transform");
  }

  // The real axis is the last; it is first in a transform from real numbers and last in one to
  // them.
  DimensionVector order;
  for (int64_t i = 0; i < axes; ++i) order.push_back(real_result ? i : axes - 1 - i);

  DimensionVector sizes(operand.dimensions().begin(), operand.dimensions().end());
  PrimitiveType type = operand.element_type();
  const char* data = static_cast<const char*>(operand.untyped_data());
  Value scratch[2];  // between passes, in double precision
  for (int64_t i = 0; i < axes; ++i) {
    const int64_t axis = rank - axes + order[i];
    const bool is_last = i + 1 == axes;
    AxisPass pass;
    pass.from_type = type;
    pass.from = data;
    pass.inverse = inverse;
    pass.outer = pass.inner = 1;
    for (int64_t d = 0; d < axis; ++d) pass.outer *= sizes[d];
    for (int64_t d = axis + 1; d < rank; ++d) pass.inner *= sizes[d];
    pass.from_length = sizes[axis];
    pass.to_length = sizes[axis] = result.dimensions()[axis];
    pass.to_type = is_last ? inst.shape().element_type() : C128;
    if (is_last) {
      pass.to = static_cast<char*>(result.mutable_untyped_data());
    } else {
      XLA_ASSIGN_OR_RETURN(scratch[i % 2], ctx.AllocateScratch(pass.outer * pass.to_length *
                                                               pass.inner * sizeof(complex128)));
      pass.to = scratch[i % 2].mutable_data<char>();
    }
    XLA_RETURN_IF_ERROR(RunPass(ctx, pass, attributes.fft_length[order[i]]));
    data = pass.to;
    type = pass.to_type;
  }
  return result;
}

}  // namespace xla::interpreter
