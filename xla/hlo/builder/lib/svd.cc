// SPDX-License-Identifier: Apache-2.0
// a = Q R, the columns of R are made orthogonal by rotations from the right (Hestenes, 1958), and
// those columns, by descending length, are split into directions and lengths by a second QR
// decomposition, which completes the directions where lengths are zero.
#include "xla/hlo/builder/lib/svd.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/jacobi.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/qr.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla {
namespace {

XlaOp Adjoint(XlaOp x, PrimitiveType type) {
  const XlaOp transposed = TransposeInMinorDims(x);
  return primitive_util::IsComplexType(type) ? Conj(transposed) : transposed;
}

// The sum over the rows of [..., m, n].
absl::StatusOr<XlaOp> SumOverRows(XlaOp x) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, x.builder()->GetShape(x));
  return Reduce(x, Zero(x.builder(), shape.element_type()),
                CreateScalarAddComputation(shape.element_type(), x.builder()), {shape.rank() - 2});
}

// One round on (b, v, worst), of an even number of columns: rotates the pairs whose cosine exceeds
// epsilon and forms those of the next round. `worst` is the greatest cosine.
absl::StatusOr<std::vector<XlaOp>> SvdRound(absl::Span<const XlaOp> values, double epsilon) {
  XlaBuilder* builder = values[0].builder();
  XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(values[0]));
  const PrimitiveType type = shape.element_type();
  const bool is_complex = primitive_util::IsComplexType(type);
  const int64_t n = ShapeUtil::GetDimension(shape, -1), h = n / 2, dim = shape.rank() - 1;
  const XlaOp left = SliceInDim(values[0], 0, h, 1, dim);
  const XlaOp right = SliceInDim(values[0], h, n, 1, dim);
  XLA_ASSIGN_OR_RETURN(const XlaOp p, SumOverRows(lib_internal::SquaredMagnitude(left, type)));
  XLA_ASSIGN_OR_RETURN(const XlaOp q, SumOverRows(lib_internal::SquaredMagnitude(right, type)));
  XLA_ASSIGN_OR_RETURN(const XlaOp w, SumOverRows((is_complex ? Conj(left) : left) * right));
  const XlaOp lengths = Sqrt(p) * Sqrt(q);
  const XlaOp cosine = Select(Eq(lengths, ZerosLike(lengths)), lengths, Abs(w) / lengths);
  const lib_internal::JacobiRotations rotations =
      lib_internal::MakeJacobiRotations(p, q, w, FullLike(lengths, epsilon) * lengths);
  XLA_ASSIGN_OR_RETURN(const Shape real_shape, builder->GetShape(cosine));
  const PrimitiveType real = real_shape.element_type();
  const XlaOp worst = Max(
      values[2], ReduceAll(cosine, Zero(builder, real), CreateScalarMaxComputation(real, builder)));
  XLA_ASSIGN_OR_RETURN(XlaOp b, lib_internal::RotateColumns(values[0], rotations));
  XLA_ASSIGN_OR_RETURN(b, lib_internal::NextRoundOfColumns(b));
  XLA_ASSIGN_OR_RETURN(XlaOp v, lib_internal::RotateColumns(values[1], rotations));
  XLA_ASSIGN_OR_RETURN(v, lib_internal::NextRoundOfColumns(v));
  return std::vector<XlaOp>{b, v, worst};
}

// (b v, v) with orthogonal columns, for b [..., n, n].
absl::StatusOr<std::pair<XlaOp, XlaOp>> Orthogonalize(XlaOp b, int64_t max_iter, double epsilon) {
  XlaBuilder* builder = b.builder();
  XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(b));
  const PrimitiveType type = shape.element_type();
  const PrimitiveType real =
      primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
  const int64_t n = ShapeUtil::GetDimension(shape, -1), even = n + n % 2;
  // A column of zeros needs no rotation.
  if (n != even) b = PadInDim(b, Zero(builder, type), shape.rank() - 1, 0, even - n);
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[sizes.size() - 2] = sizes.back() = even;
  const XlaOp identity =
      Add(Zeros(builder, ShapeUtil::MakeShape(type, sizes)),
          IdentityMatrix(builder, type, even, even), {shape.rank() - 2, shape.rank() - 1});
  const auto condition = [&](absl::Span<const XlaOp> values, XlaBuilder*) -> absl::StatusOr<XlaOp> {
    return And(Lt(values[0], ScalarLike(values[0], max_iter)),
               Gt(values[3], ScalarLike(values[3], epsilon)));
  };
  const auto sweep = [&](absl::Span<const XlaOp> values,
                         XlaBuilder* inner) -> absl::StatusOr<std::vector<XlaOp>> {
    const auto round = [epsilon](XlaOp, absl::Span<const XlaOp> state, XlaBuilder*) {
      return SvdRound(state, epsilon);
    };
    XLA_ASSIGN_OR_RETURN(
        const std::vector<XlaOp> swept,
        ForEachIndex(even - 1, S32, round, {values[1], values[2], ZerosLike(values[3])},
                     "SvdRounds", inner));
    return std::vector<XlaOp>{values[0] + ScalarLike(values[0], 1), swept[0], swept[1], swept[2]};
  };
  XLA_ASSIGN_OR_RETURN(
      const std::vector<XlaOp> values,
      WhileLoopHelper(condition, sweep, {Zero(builder, S32), b, identity, One(builder, real)},
                      "SvdSweeps", builder));
  return std::pair(SliceInMinorDims(values[1], {0, 0}, {n, n}),
                   SliceInMinorDims(values[2], {0, 0}, {n, n}));
}

// m >= n.
absl::StatusOr<SVDResult> SvdOfTall(XlaOp a, const Shape& shape, int64_t max_iter, double epsilon,
                                    PrecisionConfig::Precision precision) {
  const int64_t m = ShapeUtil::GetDimension(shape, -2), n = ShapeUtil::GetDimension(shape, -1);
  XlaOp q, r;
  QrExplicit(a, /*full_matrices=*/true, q, r);
  XLA_ASSIGN_OR_RETURN(const auto orthogonal,
                       Orthogonalize(SliceInMinorDims(r, {0, 0}, {n, n}), max_iter, epsilon));
  XLA_ASSIGN_OR_RETURN(const XlaOp squares, SumOverRows(lib_internal::SquaredMagnitude(
                                                orthogonal.first, shape.element_type())));
  XLA_ASSIGN_OR_RETURN(const lib_internal::SortedColumns sorted,
                       lib_internal::SortKeys(Sqrt(squares), /*descending=*/true));
  XLA_ASSIGN_OR_RETURN(const XlaOp b, lib_internal::SelectColumns(orthogonal.first, sorted.order));
  XLA_ASSIGN_OR_RETURN(const XlaOp v, lib_internal::SelectColumns(orthogonal.second, sorted.order));
  // The triangle of the second decomposition is diagonal, real, of either sign.
  XlaOp directions, lengths;
  QrExplicit(b, /*full_matrices=*/true, directions, lengths);
  XlaOp signs = GetMatrixDiagonal(lengths);
  if (primitive_util::IsComplexType(shape.element_type())) signs = Real(signs);
  signs = Select(Lt(signs, ZerosLike(signs)), FullLike(signs, -1), FullLike(signs, 1));
  std::vector<int64_t> columns(static_cast<size_t>(shape.rank()) - 1);
  std::iota(columns.begin(), columns.end(), 0);
  columns.back() = shape.rank() - 1;
  directions = Mul(directions, ConvertElementType(signs, shape.element_type()), columns);
  XlaOp u = BatchDot(SliceInMinorDims(q, {0, 0}, {m, n}), directions, precision);
  if (m > n) {
    u = ConcatInDim(a.builder(), {u, SliceInMinorDims(q, {0, n}, {m, m})}, shape.rank() - 1);
  }
  return SVDResult{u, sorted.keys, v};
}

}  // namespace

SVDResult SVD(XlaOp a, int64_t max_iter, float epsilon, PrecisionConfig::Precision precision) {
  SVDResult result;
  const XlaOp u = lib_internal::Make("SVD", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(a));
    const PrimitiveType type = shape.element_type();
    if (shape.rank() < 2) {
      return InvalidArgument("Arguments to SVD must have rank >= 2: got shape %s",
                             shape.ToString());
    }
    if (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsComplexType(type)) {
      return InvalidArgument("Type of the input matrix must be floating point or complex: got %s.",
                             shape.ToString());
    }
    const int64_t m = ShapeUtil::GetDimension(shape, -2), n = ShapeUtil::GetDimension(shape, -1);
    if (ShapeUtil::IsZeroElementArray(shape)) {
      return InvalidArgument("SVD of a matrix without elements: %s", shape.ToString());
    }
    const bool is_narrow = primitive_util::BitWidth(type) < 32;
    const PrimitiveType wide_type = is_narrow ? F32 : type;
    XlaOp wide = is_narrow ? ConvertElementType(a, F32) : a;
    if (m < n) wide = Adjoint(wide, wide_type);
    XLA_ASSIGN_OR_RETURN(const Shape tall, b->GetShape(wide));
    const bool is_double = wide_type == F64 || wide_type == C128;
    const double precision_of_type =
        is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    XLA_ASSIGN_OR_RETURN(
        result, SvdOfTall(wide, tall, max_iter, std::max<double>(epsilon, 4 * precision_of_type),
                          precision));
    if (m < n) std::swap(result.u, result.v);
    if (is_narrow) {
      for (XlaOp* op : {&result.u, &result.d, &result.v}) *op = ConvertElementType(*op, type);
    }
    return result.u;
  });
  if (!u.valid()) result = {u, u, u};
  return result;
}

}  // namespace xla
