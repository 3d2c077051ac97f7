// SPDX-License-Identifier: Apache-2.0
// Dimension relations of decompositions, solvers and Fourier transforms: batches are independent.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

Relations RelateCholesky(const RelationInput& in) {
  RelationBuilder builder(in);
  const int64_t rank = in.operand(0).rank();
  for (int64_t d = 0; d < rank; ++d) {
    builder.AddEverywhere(
        d, {.size = in.operand(0).dimensions(static_cast<int>(d)),
            .kind = d < rank - 2 ? FactorKind::kPassThrough : FactorKind::kNeedReplication});
  }
  return std::move(builder).Build();
}

Relations RelateFft(const RelationInput& in) {
  const int64_t transformed =
      static_cast<int64_t>(in.attributes<FftAttributes>().fft_length.size());
  const Sizes from = in.operand(0).dimensions(), to = in.result().dimensions();
  RelationBuilder builder(in);
  const int64_t rank = in.operand(0).rank();
  for (int64_t d = 0; d < rank; ++d) {
    DimensionFactor factor{.size = from[d]};
    if (d >= rank - transformed) {
      factor.kind = FactorKind::kNeedReplication;
      // Transforms of real numbers drop or add half of the minor dimension.
      factor.is_blocked = d == rank - 1 && from[d] != to[d];
    }
    builder.AddEverywhere(d, factor);
  }
  return std::move(builder).Build();
}

// op(a) x = b, or x op(a) = b.
Relations RelateTriangularSolve(const RelationInput& in) {
  const auto& attributes = in.attributes<TriangularSolveAttributes>();
  const Sizes a = in.operand(0).dimensions(), b = in.operand(1).dimensions();
  RelationBuilder builder(in);
  const int64_t row = in.operand(0).rank() - 2, column = row + 1;
  builder.AddPointwise(a.first(static_cast<size_t>(row)));
  const bool is_transposed = attributes.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE ||
                             attributes.transpose_a == TriangularSolveOptions_Transpose_ADJOINT;
  const auto add = [&](int64_t of_a, int64_t of_b, int64_t out, int64_t size) {
    builder.Add({of_a, of_b}, {out}, {.size = size, .kind = FactorKind::kNeedReplication});
  };
  if (attributes.left_side) {
    const int64_t free = is_transposed ? column : row, contracting = is_transposed ? row : column;
    add(free, row, kNoDim, a[free]);
    add(kNoDim, column, column, b[column]);
    add(contracting, kNoDim, row, a[contracting]);
  } else {
    const int64_t free = is_transposed ? row : column, contracting = is_transposed ? column : row;
    add(kNoDim, row, row, b[row]);
    add(free, column, kNoDim, a[free]);
    add(contracting, kNoDim, column, a[contracting]);
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
