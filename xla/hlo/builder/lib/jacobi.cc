// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/lib/jacobi.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla::lib_internal {
namespace {

XlaOp ToTypeOf(XlaOp real, PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? Complex(real, ZerosLike(real)) : real;
}

// [..., h] along dimension `dim` of an array of these sizes.
XlaOp Along(XlaOp factors, absl::Span<const int64_t> sizes, int64_t dim) {
  std::vector<int64_t> dimensions(sizes.size() - 2);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  dimensions.push_back(dim);
  return BroadcastInDim(factors, sizes, dimensions);
}

// Rotates the two halves of dimension `dim`: by J from the right (columns), or by J^H from the
// left.
absl::StatusOr<XlaOp> Rotate(XlaOp x, const JacobiRotations& rotations, int64_t from_end) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, x.builder()->GetShape(x));
  const int64_t dim = shape.rank() - from_end;
  const int64_t h = shape.dimensions(static_cast<int>(dim)) / 2;
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[static_cast<size_t>(dim)] = h;
  const XlaOp first = SliceInDim(x, 0, h, 1, dim);
  XlaOp second = SliceInDim(x, h, 2 * h, 1, dim);
  if (!rotations.phase.IsUninitialized()) {
    const XlaOp phase = from_end == 1 ? Conj(rotations.phase) : rotations.phase;
    second = second * Along(phase, sizes, dim);
  }
  const PrimitiveType type = shape.element_type();
  const XlaOp c = Along(ToTypeOf(rotations.cosine, type), sizes, dim);
  const XlaOp s = Along(ToTypeOf(rotations.sine, type), sizes, dim);
  return ConcatInDim(x.builder(), {c * first - s * second, s * first + c * second}, dim);
}

// (a0 a1 .. | b0 b1 ..) becomes (a0 b0 a1 .. | b1 .. a_last): a0 stays, the others move around.
absl::StatusOr<XlaOp> NextRound(XlaOp x, int64_t from_end) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, x.builder()->GetShape(x));
  const int64_t dim = shape.rank() - from_end;
  const int64_t n = shape.dimensions(static_cast<int>(dim)), h = n / 2;
  if (h <= 1) return x;
  const auto part = [&](int64_t begin, int64_t end) { return SliceInDim(x, begin, end, 1, dim); };
  return ConcatInDim(x.builder(),
                     {part(0, 1), part(h, h + 1), part(1, h - 1), part(h + 1, n), part(h - 1, h)},
                     dim);
}

}  // namespace

JacobiRotations MakeJacobiRotations(XlaOp p, XlaOp q, XlaOp w, XlaOp threshold) {
  const absl::StatusOr<Shape> shape = w.builder()->GetShape(w);
  const bool is_complex = shape.ok() && primitive_util::IsComplexType(shape->element_type());
  const XlaOp magnitude = is_complex ? Abs(w) : w;
  const XlaOp is_small = Le(Abs(magnitude), threshold);
  const XlaOp one = FullLike(p, 1), zero = ZerosLike(p);
  // The smaller root t of t^2 + 2 tau t - 1 = 0.
  const XlaOp tau = (q - p) / (FullLike(p, 2) * Select(is_small, one, magnitude));
  const XlaOp root = Abs(tau) + Sqrt(one + Square(tau));
  const XlaOp t = Select(is_small, zero, Select(Lt(tau, zero), -one, one) / root);
  JacobiRotations rotations;
  rotations.cosine = one / Sqrt(one + Square(t));
  rotations.sine = t * rotations.cosine;
  if (is_complex) {
    const XlaOp divisor = Select(is_small, one, magnitude);
    rotations.phase = Select(is_small, FullLike(w, 1), w / Complex(divisor, zero));
  }
  return rotations;
}

absl::StatusOr<XlaOp> RotateColumns(XlaOp x, const JacobiRotations& rotations) {
  return Rotate(x, rotations, 1);
}
absl::StatusOr<XlaOp> RotateRows(XlaOp x, const JacobiRotations& rotations) {
  return Rotate(x, rotations, 2);
}
absl::StatusOr<XlaOp> NextRoundOfColumns(XlaOp x) { return NextRound(x, 1); }
absl::StatusOr<XlaOp> NextRoundOfRows(XlaOp x) { return NextRound(x, 2); }

XlaOp SquaredMagnitude(XlaOp x, PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? Square(Real(x)) + Square(Imag(x)) : Square(x);
}

absl::StatusOr<SortedColumns> SortKeys(XlaOp keys, bool descending) {
  XlaBuilder* builder = keys.builder();
  XLA_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(keys));
  const XlaOp numbers =
      Iota(builder, ShapeUtil::MakeShape(S32, shape.dimensions()), shape.rank() - 1);
  const std::vector<PrimitiveType> types = {shape.element_type(), S32};
  const XlaComputation comparator = descending ? CreateScalarGtComputation(types, builder)
                                               : CreateScalarLtComputation(types, builder);
  const XlaOp sorted = Sort({keys, numbers}, comparator, shape.rank() - 1, /*is_stable=*/true);
  return SortedColumns{GetTupleElement(sorted, 0), GetTupleElement(sorted, 1)};
}

absl::StatusOr<XlaOp> SelectColumns(XlaOp x, XlaOp order) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, x.builder()->GetShape(x));
  return TorchGather(x, Along(order, shape.dimensions(), shape.rank() - 1), shape.rank() - 1);
}

}  // namespace xla::lib_internal
