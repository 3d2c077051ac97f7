// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, triangular systems, Cholesky decompositions.
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Fft", [&] {
    return builder->state().Add(
        HloOpcode::kFft, {operand},
        FftAttributes{.fft_type = fft_type, .fft_length = ToInt64s(fft_length)});
  });
}

XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a) {
  XlaBuilder* builder = XlaBuilder::Of({a, b});
  if (builder == nullptr) return XlaOp();
  return builder->Record("TriangularSolve", [&] {
    return builder->state().Add(HloOpcode::kTriangularSolve, {a, b},
                                TriangularSolveAttributes{.left_side = left_side,
                                                          .lower = lower,
                                                          .unit_diagonal = unit_diagonal,
                                                          .transpose_a = transpose_a});
  });
}

XlaOp Cholesky(XlaOp a, bool lower) {
  XlaBuilder* builder = XlaBuilder::Of({a});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Cholesky", [&] {
    return builder->state().Add(HloOpcode::kCholesky, {a}, CholeskyAttributes{.lower = lower});
  });
}

}  // namespace xla
