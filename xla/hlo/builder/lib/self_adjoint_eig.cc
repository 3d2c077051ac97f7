// SPDX-License-Identifier: Apache-2.0
// The cyclic Jacobi method with parallel rotations (Brent and Luk, 1985).
#include "xla/hlo/builder/lib/self_adjoint_eig.h"

#include <numeric>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/jacobi.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla {
namespace {

// One round on (a, v), n even: rotates the pairs and forms those of the next round.
absl::StatusOr<std::vector<XlaOp>> EigRound(XlaOp, absl::Span<const XlaOp> values, XlaBuilder* b) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(values[0]));
  const bool is_complex = primitive_util::IsComplexType(shape.element_type());
  const int64_t n = ShapeUtil::GetDimension(shape, -1), h = n / 2;
  const auto diagonal = [&](int64_t row, int64_t column) {
    return GetMatrixDiagonal(SliceInMinorDims(values[0], {row, column}, {row + h, column + h}));
  };
  const auto real = [&](XlaOp x) { return is_complex ? Real(x) : x; };
  const XlaOp p = real(diagonal(0, 0)), q = real(diagonal(h, h));
  const lib_internal::JacobiRotations rotations =
      lib_internal::MakeJacobiRotations(p, q, diagonal(0, h), ZerosLike(p));
  XLA_ASSIGN_OR_RETURN(XlaOp a, lib_internal::RotateColumns(values[0], rotations));
  XLA_ASSIGN_OR_RETURN(a, lib_internal::RotateRows(a, rotations));
  XLA_ASSIGN_OR_RETURN(a, lib_internal::NextRoundOfColumns(a));
  XLA_ASSIGN_OR_RETURN(a, lib_internal::NextRoundOfRows(a));
  XLA_ASSIGN_OR_RETURN(XlaOp v, lib_internal::RotateColumns(values[1], rotations));
  XLA_ASSIGN_OR_RETURN(v, lib_internal::NextRoundOfColumns(v));
  return std::vector<XlaOp>{a, v};
}

// Whether some matrix of the batch has more off its diagonal than tol times its norm; true for NaN.
absl::StatusOr<XlaOp> IsFarFromDiagonal(XlaOp a, float tol) {
  XlaBuilder* builder = a.builder();
  XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(a));
  const XlaOp squares = lib_internal::SquaredMagnitude(a, shape.element_type());
  XLA_ASSIGN_OR_RETURN(const Shape real_shape, builder->GetShape(squares));
  const PrimitiveType type = real_shape.element_type();
  const Shape numbers = ShapeUtil::MakeShape(S32, shape.dimensions());
  const XlaOp on_diagonal =
      Eq(Iota(builder, numbers, shape.rank() - 2), Iota(builder, numbers, shape.rank() - 1));
  const XlaComputation add = CreateScalarAddComputation(type, builder);
  const auto sum = [&](XlaOp x) {
    return Reduce(x, Zero(builder, type), add, {shape.rank() - 2, shape.rank() - 1});
  };
  const XlaOp off = sum(Select(on_diagonal, ZerosLike(squares), squares));
  const XlaOp all = sum(squares);
  return Any(Not(Le(off, FullLike(all, double{tol} * tol) * all)));
}

absl::StatusOr<SelfAdjointEigResult> DecomposeSymmetric(XlaOp a, const Shape& shape, bool lower,
                                                        int64_t max_iter, float tol, bool sort) {
  XlaBuilder* builder = a.builder();
  const PrimitiveType type = shape.element_type();
  const int64_t n = ShapeUtil::GetDimension(shape, -1), even = n + n % 2;
  a = Symmetrize(a, lower);
  if (n != even) {
    for (const int64_t dim : {shape.rank() - 2, shape.rank() - 1}) {
      a = PadInDim(a, Zero(builder, type), dim, /*pad_lo=*/0, /*pad_hi=*/even - n);
    }
  }
  XLA_ASSIGN_OR_RETURN(const Shape even_shape, builder->GetShape(a));
  const XlaOp identity = Add(Zeros(builder, even_shape), IdentityMatrix(builder, type, even, even),
                             {shape.rank() - 2, shape.rank() - 1});
  const auto condition = [&](absl::Span<const XlaOp> values, XlaBuilder*) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const XlaOp is_far, IsFarFromDiagonal(values[1], tol));
    return And(Lt(values[0], ScalarLike(values[0], max_iter)), is_far);
  };
  const auto sweep = [&](absl::Span<const XlaOp> values,
                         XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> swept,
                         ForEachIndex(even - 1, S32, EigRound, values.subspan(1), "EigRounds", b));
    return std::vector<XlaOp>{values[0] + ScalarLike(values[0], 1), swept[0], swept[1]};
  };
  XLA_ASSIGN_OR_RETURN(
      const std::vector<XlaOp> values,
      WhileLoopHelper(condition, sweep, {Zero(builder, S32), a, identity}, "EigSweeps", builder));
  XlaOp w = GetMatrixDiagonal(SliceInMinorDims(values[1], {0, 0}, {n, n}));
  if (primitive_util::IsComplexType(type)) w = Real(w);
  const XlaOp v = SliceInMinorDims(values[2], {0, 0}, {n, n});
  if (!sort) return SelfAdjointEigResult{v, w};
  XLA_ASSIGN_OR_RETURN(const lib_internal::SortedColumns sorted,
                       lib_internal::SortKeys(w, /*descending=*/false));
  XLA_ASSIGN_OR_RETURN(const XlaOp sorted_v, lib_internal::SelectColumns(v, sorted.order));
  return SelfAdjointEigResult{sorted_v, sorted.keys};
}

}  // namespace

SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower, int64_t max_iter, float tol,
                                    bool sort_eigenvalues) {
  SelfAdjointEigResult result;
  const XlaOp v =
      lib_internal::Make("SelfAdjointEig", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(a));
        const PrimitiveType type = shape.element_type();
        if (shape.rank() < 2) {
          return InvalidArgument(
              "Arguments to Eigen decomposition must have rank >= 2: got shape %s.",
              shape.ToString());
        }
        if (ShapeUtil::GetDimension(shape, -1) != ShapeUtil::GetDimension(shape, -2)) {
          return InvalidArgument(
              "The last two dimensions of an Eigen decomposition argument must be equal: got shape "
              "%s.",
              shape.ToString());
        }
        if (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsComplexType(type)) {
          return InvalidArgument(
              "Type of the input matrix must be floating point or complex: got %s.",
              shape.ToString());
        }
        const bool is_narrow = primitive_util::BitWidth(type) < 32;
        const XlaOp wide = is_narrow ? ConvertElementType(a, F32) : a;
        const Shape wide_shape = is_narrow ? ShapeUtil::ChangeElementType(shape, F32) : shape;
        if (ShapeUtil::IsZeroElementArray(shape)) {
          const XlaOp w =
              Zeros(b, ShapeUtil::DeleteDimension(shape.rank() - 1,
                                                  primitive_util::IsComplexType(type)
                                                      ? ShapeUtil::ComplexComponentShape(shape)
                                                      : shape));
          result = {a, w};
          return a;
        }
        XLA_ASSIGN_OR_RETURN(
            result, DecomposeSymmetric(wide, wide_shape, lower, max_iter, tol, sort_eigenvalues));
        if (is_narrow) {
          result = {ConvertElementType(result.v, type), ConvertElementType(result.w, type)};
        }
        return result.v;
      });
  if (!v.valid()) result = {v, v};
  return result;
}

}  // namespace xla
