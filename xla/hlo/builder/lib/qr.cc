// SPDX-License-Identifier: Apache-2.0
// The reflection of step j is I - tau v v^H, where v is 0 above row j and 1 in it. It takes column
// j to (.., beta, 0, .., 0), as LAPACK's xLARFG chooses beta.
#include "xla/hlo/builder/lib/qr.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla {
namespace {

// Whether the row (or column) number of each element of [..., rows, columns] stands so to j.
XlaOp Rows(XlaBuilder* b, const Shape& shape, int64_t from_end, XlaOp j,
           XlaOp (*compare)(XlaOp, XlaOp, absl::Span<const int64_t>)) {
  const Shape numbers = ShapeUtil::MakeShape(S32, shape.dimensions());
  return compare(Iota(b, numbers, shape.rank() - from_end), Broadcast(j, shape.dimensions()), {});
}

// The sum along the dimension before the last, kept with size 1.
absl::StatusOr<XlaOp> SumOfRows(XlaBuilder* b, XlaOp x) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(x));
  const int64_t dim = shape.rank() - 2;
  const XlaOp sum = Reduce(x, Zero(b, shape.element_type()),
                           CreateScalarAddComputation(shape.element_type(), b), {dim});
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[dim] = 1;
  return Reshape(sum, sizes);
}

XlaOp ConjIfComplex(XlaOp x, PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? Conj(x) : x;
}

// x, of [..., 1, 1] or [..., m, 1], with the sizes of `shape`.
XlaOp Stretch(XlaOp x, const Shape& shape) {
  std::vector<int64_t> all(shape.rank());
  for (int64_t d = 0; d < shape.rank(); ++d) all[d] = d;
  return BroadcastInDim(x, shape.dimensions(), all);
}

// x - factor v (v^H x), where factor is [..., 1, 1] and v [..., m, 1].
XlaOp Reflect(XlaOp x, XlaOp v, XlaOp factor, const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const XlaOp dots = BatchDot(ConjIfComplex(v, type), /*transpose_x=*/true, x,
                              /*transpose_y=*/false, PrecisionConfig::HIGHEST);
  return x - Stretch(factor, shape) * BatchDot(v, dots, PrecisionConfig::HIGHEST);
}

absl::StatusOr<std::vector<XlaOp>> ReflectColumn(XlaOp j, absl::Span<const XlaOp> values,
                                                 XlaBuilder* b) {
  const XlaOp a = values[0];
  XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(a));
  const PrimitiveType type = shape.element_type();
  const int64_t m = ShapeUtil::GetDimension(shape, -2);
  const XlaOp zero_index = ScalarLike(j, 0);
  const XlaOp column = DynamicSliceInMinorDims(a, {zero_index, j}, {m, 1});
  XLA_ASSIGN_OR_RETURN(const Shape column_shape, b->GetShape(column));
  const XlaOp alpha = DynamicSliceInMinorDims(column, {j, zero_index}, {1, 1});

  const XlaOp is_below = Rows(b, column_shape, 2, j, &Gt);
  const XlaOp below = Select(is_below, column, ZerosLike(column));
  const bool is_complex = primitive_util::IsComplexType(type);
  const XlaOp below_squares =
      is_complex ? Square(Real(below)) + Square(Imag(below)) : Square(below);
  XLA_ASSIGN_OR_RETURN(const XlaOp sigma, SumOfRows(b, below_squares));
  const XlaOp real_alpha = is_complex ? Real(alpha) : alpha;
  const XlaOp alpha_square = is_complex ? Square(Real(alpha)) + Square(Imag(alpha)) : Square(alpha);
  // Already done if nothing is below and alpha is real.
  XlaOp is_done = Eq(sigma, ZerosLike(sigma));
  if (is_complex) is_done = And(is_done, Eq(Imag(alpha), ZerosLike(sigma)));
  const XlaOp norm = Sqrt(alpha_square + sigma);
  const XlaOp real_beta =
      Select(is_done, real_alpha, Select(Lt(real_alpha, ZerosLike(norm)), norm, -norm));
  const XlaOp beta = is_complex ? Complex(real_beta, ZerosLike(real_beta)) : real_beta;
  const XlaOp tau = Select(is_done, ZerosLike(beta), (beta - alpha) / beta);
  const XlaOp divisor = Select(is_done, FullLike(beta, 1), alpha - beta);

  const XlaOp is_row = Rows(b, column_shape, 2, j, &Eq);
  const XlaOp v = Select(is_row, FullLike(column, 1), below / Stretch(divisor, column_shape));
  // Columns to the right are reflected; those to the left hold former reflectors.
  const XlaOp reflected = Reflect(a, v, ConjIfComplex(tau, type), shape);
  const XlaOp rest = Select(Rows(b, shape, 1, j, &Gt), reflected, a);
  const XlaOp new_column = Select(is_below, v, Select(is_row, Stretch(beta, column_shape), column));

  XLA_ASSIGN_OR_RETURN(const Shape tau_shape, b->GetShape(tau));
  std::vector<int64_t> tau_sizes(tau_shape.dimensions().begin(), tau_shape.dimensions().end() - 1);
  return std::vector<XlaOp>{DynamicUpdateSliceInMinorDims(rest, new_column, {zero_index, j}),
                            DynamicUpdateSliceInMinorDims(values[1], Reshape(tau, tau_sizes), {j})};
}

}  // namespace

QrDecomposition Qr(XlaOp a) {
  XlaBuilder* builder = a.builder();
  QrDecomposition result;
  const XlaOp error = lib_internal::Make("Qr", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(a));
    if (shape.rank() < 2) {
      return InvalidArgument("Arguments to QR must have rank >= 2: got shape %s", shape.ToString());
    }
    const int64_t p =
        std::min(ShapeUtil::GetDimension(shape, -2), ShapeUtil::GetDimension(shape, -1));
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end() - 1);
    sizes.back() = p;
    const XlaOp taus = Zeros(b, ShapeUtil::MakeShape(shape.element_type(), sizes));
    XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> values,
                         ForEachIndex(p, S32, ReflectColumn, {a, taus}, "Qr", b));
    result = {values[0], values[1]};
    return values[0];
  });
  if (!builder->first_error().ok()) return {error, error};
  return result;
}

XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus) {
  return lib_internal::Make(
      "ProductOfElementaryHouseholderReflectors", {a, taus},
      [&](XlaBuilder* builder) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(a));
        XLA_ASSIGN_OR_RETURN(const Shape taus_shape, builder->GetShape(taus));
        if (shape.rank() < 2) {
          return InvalidArgument("Matrix `a` must have >= 2 dimensions: got shape %s",
                                 shape.ToString());
        }
        if (taus_shape.rank() + 1 != shape.rank()) {
          return InvalidArgument(
              "Matrix `taus` must have one fewer dimension than `a`: got shapes %s and %s",
              taus_shape.ToString(), shape.ToString());
        }
        const int64_t m = ShapeUtil::GetDimension(shape, -2);
        const int64_t n = ShapeUtil::GetDimension(shape, -1);
        const int64_t k = ShapeUtil::GetDimension(taus_shape, -1);
        if (m < n) {
          return InvalidArgument(
              "Argument to product of elementary Householder reflectors must have m >= n, got "
              "shape %s",
              shape.ToString());
        }
        if (shape.element_type() != taus_shape.element_type() || k > n ||
            shape.dimensions().first(shape.rank() - 2) !=
                taus_shape.dimensions().first(shape.rank() - 2)) {
          return InvalidArgument("Invalid shape for `taus`, got a=%s and taus=%s", shape.ToString(),
                                 taus_shape.ToString());
        }
        const auto apply = [&shape, m, k](XlaOp index, absl::Span<const XlaOp> values,
                                          XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
          const XlaOp j = ScalarLike(index, k - 1) - index;  // the last reflection first
          const XlaOp zero_index = ScalarLike(index, 0);
          const XlaOp column = DynamicSliceInMinorDims(values[0], {zero_index, j}, {m, 1});
          XLA_ASSIGN_OR_RETURN(const Shape column_shape, b->GetShape(column));
          const XlaOp v = Select(
              Rows(b, column_shape, 2, j, &Gt), column,
              Select(Rows(b, column_shape, 2, j, &Eq), FullLike(column, 1), ZerosLike(column)));
          std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
          sizes[sizes.size() - 2] = sizes.back() = 1;
          const XlaOp tau = Reshape(DynamicSliceInMinorDims(values[1], {j}, {1}), sizes);
          return std::vector<XlaOp>{values[0], values[1], Reflect(values[2], v, tau, shape)};
        };
        const XlaOp identity =
            Add(Zeros(builder, shape), IdentityMatrix(builder, shape.element_type(), m, n),
                {shape.rank() - 2, shape.rank() - 1});
        XLA_ASSIGN_OR_RETURN(
            const std::vector<XlaOp> values,
            ForEachIndex(k, S32, apply, {a, taus, identity}, "HouseholderProduct", builder));
        return values[2];
      });
}

void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r) {
  XlaBuilder* builder = a.builder();
  const absl::StatusOr<Shape> shape = builder->GetShape(a);
  if (!shape.ok()) {
    q = r = builder->ReportError(shape.status());
    return;
  }
  const QrDecomposition qr = Qr(a);
  if (!builder->first_error().ok()) {
    q = r = qr.q_and_r;
    return;
  }
  const int64_t m = ShapeUtil::GetDimension(*shape, -2);
  const int64_t n = ShapeUtil::GetDimension(*shape, -1);
  const int64_t p = std::min(m, n);
  XlaOp reflectors = qr.q_and_r;
  if (m < n) {
    reflectors = SliceInMinorDims(qr.q_and_r, {0, 0}, {m, m});
  } else if (full_matrices) {
    reflectors = PadInDim(qr.q_and_r, Zero(builder, shape->element_type()), shape->rank() - 1,
                          /*pad_lo=*/0, /*pad_hi=*/m - n);
  }
  q = ProductOfElementaryHouseholderReflectors(reflectors, qr.taus);
  if (full_matrices) {
    r = UpperTriangle(qr.q_and_r);
  } else {
    q = SliceInMinorDims(q, {0, 0}, {m, p});
    r = UpperTriangle(SliceInMinorDims(qr.q_and_r, {0, 0}, {p, n}));
  }
}

}  // namespace xla
