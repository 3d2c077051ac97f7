// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, triangular systems, Cholesky decompositions.
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaOp XlaBuilder::Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length,
                      CallSite site) {
  return Record("Fft", site, [&] {
    return state_->Add(HloOpcode::kFft, {operand},
                       FftAttributes{.fft_type = fft_type, .fft_length = ToInt64s(fft_length)});
  });
}

XlaOp XlaBuilder::TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                                  TriangularSolveOptions::Transpose transpose_a, CallSite site) {
  return Record("TriangularSolve", site, [&] {
    return state_->Add(HloOpcode::kTriangularSolve, {a, b},
                       TriangularSolveAttributes{.left_side = left_side,
                                                 .lower = lower,
                                                 .unit_diagonal = unit_diagonal,
                                                 .transpose_a = transpose_a});
  });
}

XlaOp XlaBuilder::Cholesky(XlaOp a, bool lower, CallSite site) {
  return Record("Cholesky", site, [&] {
    return state_->Add(HloOpcode::kCholesky, {a}, CholeskyAttributes{.lower = lower});
  });
}

}  // namespace xla
