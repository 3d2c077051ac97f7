// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/lib/tridiagonal.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla::tridiagonal {
namespace {

// The number of equations of a system whose parts fit together.
absl::StatusOr<int64_t> NumEquations(XlaBuilder* builder, XlaOp lower, XlaOp main, XlaOp upper,
                                     XlaOp rhs) {
  XLA_ASSIGN_OR_RETURN(const Shape lower_shape, builder->GetShape(lower));
  XLA_ASSIGN_OR_RETURN(const Shape main_shape, builder->GetShape(main));
  XLA_ASSIGN_OR_RETURN(const Shape upper_shape, builder->GetShape(upper));
  XLA_ASSIGN_OR_RETURN(const Shape rhs_shape, builder->GetShape(rhs));
  const int64_t rank = lower_shape.rank();
  if (main_shape.rank() != rank || upper_shape.rank() != rank || rhs_shape.rank() != rank) {
    return InvalidArgument(
        "All inputs should have the same rank but got rank %d for lower diagonal, %d for diagonal, "
        "%d for upper diagonal, %d for rhs",
        rank, main_shape.rank(), upper_shape.rank(), rhs_shape.rank());
  }
  if (rank < 2) return InvalidArgument("Arguments must have rank >=2; got rank %d.", rank);
  const auto equations = [](const Shape& shape) { return ShapeUtil::GetDimension(shape, -1); };
  if (equations(lower_shape) != equations(main_shape) ||
      equations(lower_shape) != equations(upper_shape) ||
      equations(lower_shape) != equations(rhs_shape)) {
    return InvalidArgument(
        "All inputs should have the same innermost dimension but got %d for lower diagonal, %d for "
        "diagonal, %d for upper diagonal, %d for rhs",
        equations(lower_shape), equations(main_shape), equations(upper_shape),
        equations(rhs_shape));
  }
  for (const auto& [shape, name] :
       {std::pair(&lower_shape, "lower diagonal"), std::pair(&main_shape, "diagonal"),
        std::pair(&upper_shape, "upper diagonal")}) {
    if (const int64_t rows = ShapeUtil::GetDimension(*shape, -2); rows != 1) {
      return InvalidArgument("Second to last dimension of %s should be %d but is %d.", name, 1,
                             rows);
    }
  }
  return equations(lower_shape);
}

XlaOp At(XlaOp array, XlaOp i) { return DynamicSliceInMinorDims(array, {i}, {1}); }
XlaOp WithAt(XlaOp array, XlaOp i, XlaOp value) {
  return DynamicUpdateSliceInMinorDims(array, value, {i});
}

}  // namespace

absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm, XlaOp lower_diagonal, XlaOp main_diagonal,
                                        XlaOp upper_diagonal, XlaOp rhs) {
  XlaBuilder* builder = lower_diagonal.builder();
  XLA_ASSIGN_OR_RETURN(const int64_t n,
                       NumEquations(builder, lower_diagonal, main_diagonal, upper_diagonal, rhs));
  // Forward: row i loses its element below the diagonal. The main diagonal and rhs change.
  const auto forward = [](XlaOp index, absl::Span<const XlaOp> values,
                          XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp previous = index;
    const XlaOp i = index + ScalarLike(index, 1);
    const XlaOp lower = values[0], main = values[1], upper = values[2], right = values[3];
    const XlaOp factor = At(lower, i) / At(main, previous);
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(right));
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes.back() = 1;
    std::vector<int64_t> all(sizes.size());
    std::iota(all.begin(), all.end(), 0);
    const XlaOp wide_factor = BroadcastInDim(factor, sizes, all);
    return std::vector<XlaOp>{lower, WithAt(main, i, At(main, i) - factor * At(upper, previous)),
                              upper,
                              WithAt(right, i, At(right, i) - wide_factor * At(right, previous))};
  };
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> eliminated,
                       ForEachIndex(std::max<int64_t>(n - 1, 0), S32, forward,
                                    {lower_diagonal, main_diagonal, upper_diagonal, rhs},
                                    "TridiagonalForward", builder));
  // Backward, from the last row.
  const auto backward = [n](XlaOp index, absl::Span<const XlaOp> values,
                            XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp i = ScalarLike(index, n - 1) - index;
    const XlaOp main = values[0], upper = values[1], x = values[2];
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(x));
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes.back() = 1;
    std::vector<int64_t> all(sizes.size());
    std::iota(all.begin(), all.end(), 0);
    const auto wide = [&](XlaOp value) { return BroadcastInDim(value, sizes, all); };
    // Of the last row there is no next: the clamped element is itself, taken zero times.
    const XlaOp next = Min(i + ScalarLike(i, 1), ScalarLike(i, n - 1));
    const XlaOp is_last = Eq(i, ScalarLike(i, n - 1));
    const XlaOp known = wide(At(upper, i)) * At(x, next);
    const XlaOp rest = At(x, i) - Select(Broadcast(is_last, sizes), ZerosLike(known), known);
    return std::vector<XlaOp>{main, upper, WithAt(x, i, rest / wide(At(main, i)))};
  };
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> solved,
                       ForEachIndex(n, S32, backward, {eliminated[1], eliminated[2], eliminated[3]},
                                    "TridiagonalBackward", builder));
  return solved[2];
}

absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algorithm, XlaOp diagonals, XlaOp rhs) {
  XlaBuilder* builder = diagonals.builder();
  XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(diagonals));
  const int64_t rank = shape.rank();
  if (rank < 2) return InvalidArgument("Arguments must have rank >=2; got rank %d.", rank);
  if (const int64_t rows = ShapeUtil::GetDimension(shape, -2); rows != 3) {
    return InvalidArgument("Second to last dimension of %s should be %d but is %d.", "diagonals", 3,
                           rows);
  }
  const auto row = [&](int64_t i) { return SliceInDim(diagonals, i, i + 1, 1, rank - 2); };
  return TridiagonalSolver(algorithm, /*lower_diagonal=*/row(2), /*main_diagonal=*/row(1),
                           /*upper_diagonal=*/row(0), rhs);
}

absl::StatusOr<XlaOp> TridiagonalMatMul(XlaOp upper_diagonal, XlaOp main_diagonal,
                                        XlaOp lower_diagonal, XlaOp rhs) {
  XlaBuilder* builder = rhs.builder();
  XLA_ASSIGN_OR_RETURN(const Shape rhs_shape, builder->GetShape(rhs));
  const int64_t rank = rhs_shape.rank();
  if (rank < 2) return InvalidArgument("Input must have rank >= 2, but got %d.", rank);
  const int64_t m = ShapeUtil::GetDimension(rhs_shape, -2);
  const int64_t n = ShapeUtil::GetDimension(rhs_shape, -1);
  for (const auto& [diagonal, name] :
       {std::pair(upper_diagonal, "superdiag"), std::pair(main_diagonal, "maindiag"),
        std::pair(lower_diagonal, "subdiag")}) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(diagonal));
    if (shape.rank() != rank) {
      return InvalidArgument("%s must have same rank as rhs, but got %d and %d.", name,
                             shape.rank(), rank);
    }
    for (int i = 0; i < rank - 2; ++i) {
      if (shape.dimensions(i) != rhs_shape.dimensions(i)) {
        return InvalidArgument(
            "%s must have same outer dimensions as rhs, but for index %d, got %d and %d.", name, i,
            shape.dimensions(i), rhs_shape.dimensions(i));
      }
    }
    if (const int64_t rows = ShapeUtil::GetDimension(shape, -2); rows != 1) {
      return InvalidArgument("%s's second-to-last dimension must be 1, but got %d.", name, rows);
    }
    if (const int64_t size = ShapeUtil::GetDimension(shape, -1); size != m) {
      return InvalidArgument(
          "%s's last dimension size must be rhs's second-to-last dimension size, but got %d and "
          "%d.",
          name, size, m);
    }
  }
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  std::vector<int64_t> swapped = all;
  std::swap(swapped[rank - 2], swapped[rank - 1]);
  const auto column = [&](XlaOp diagonal) { return Transpose(diagonal, swapped); };
  const XlaOp zero = Zero(builder, rhs_shape.element_type());
  // Row i of the result has main[i] rhs[i] + upper[i] rhs[i+1] + lower[i] rhs[i-1].
  const XlaOp same = Mul(column(main_diagonal), rhs, all);
  const XlaOp above = PadInDim(Mul(column(SliceInMinorDims(upper_diagonal, {0}, {m - 1})),
                                   SliceInMinorDims(rhs, {1, 0}, {m, n}), all),
                               zero, rank - 2, /*pad_lo=*/0, /*pad_hi=*/1);
  const XlaOp below = PadInDim(Mul(column(SliceInMinorDims(lower_diagonal, {1}, {m})),
                                   SliceInMinorDims(rhs, {0, 0}, {m - 1, n}), all),
                               zero, rank - 2, /*pad_lo=*/1, /*pad_hi=*/0);
  return same + above + below;
}

}  // namespace xla::tridiagonal
