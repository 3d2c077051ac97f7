// SPDX-License-Identifier: Apache-2.0
// Batches of matrices.
#include "xla/hlo/builder/lib/matrix.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla {
namespace {

using Int64List = std::vector<int64_t>;

int64_t Rows(const Shape& shape) { return shape.dimensions(static_cast<int>(shape.rank() - 2)); }
int64_t Columns(const Shape& shape) { return shape.dimensions(static_cast<int>(shape.rank() - 1)); }

// Numbers of rows and columns of the shape.
absl::StatusOr<std::pair<XlaOp, XlaOp>> Places(XlaBuilder* b, const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(const Shape numbers, ShapeUtil::MakeValidatedShape(S64, shape.dimensions()));
  return std::pair<XlaOp, XlaOp>{Iota(b, numbers, shape.rank() - 2),
                                 Iota(b, numbers, shape.rank() - 1)};
}

// Where diagonal k lies: its first row and column, and its length.
struct Diagonal {
  int64_t row, column, length;
};
Diagonal DiagonalOf(const Shape& shape, int64_t k) {
  const int64_t row = std::max<int64_t>(-k, 0), column = std::max<int64_t>(k, 0);
  return {row, column, std::max<int64_t>(std::min(Rows(shape) - row, Columns(shape) - column), 0)};
}

}  // namespace

XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, int64_t m, int64_t n) {
  return builder->Record("IdentityMatrix", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeUtil::MakeValidatedShape(S64, {m, n}));
    const XlaOp on_diagonal = Eq(Iota(builder, shape, 0), Iota(builder, shape, 1));
    return ConvertElementType(on_diagonal, type);
  });
}

XlaOp GetMatrixDiagonal(XlaOp x, int k) {
  return lib_internal::Make("GetMatrixDiagonal", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
    const auto [row, column, length] = DiagonalOf(shape, k);
    // The square block whose main diagonal it is; without elements off the diagonal its rows
    // sum to it.
    const int64_t first_row = std::min(row, Rows(shape));
    const int64_t first_column = std::min(column, Columns(shape));
    const XlaOp block =
        SliceInMinorDims(x, {first_row, first_column}, {first_row + length, first_column + length});
    XLA_ASSIGN_OR_RETURN(const Shape square, lib_internal::ArrayShape(b, block));
    XLA_ASSIGN_OR_RETURN(const auto places, Places(b, square));
    const XlaOp only_diagonal = Select(Eq(places.first, places.second), block, ZerosLike(block));
    const PrimitiveType type = shape.element_type();
    return Reduce(only_diagonal, Zero(b, type), CreateScalarIdentityWithZeroComputation(type, b),
                  {shape.rank() - 2});
  });
}

XlaOp GetMatrixDiagonalViaGather(XlaOp x, int k) {
  return lib_internal::Make(
      "GetMatrixDiagonalViaGather", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
        const auto [row, column, length] = DiagonalOf(shape, k);
        XLA_ASSIGN_OR_RETURN(const Shape pairs, ShapeUtil::MakeValidatedShape(S64, {length, 2}));
        // Row i of the indices is (row + i, column + i).
        const XlaOp steps = Iota(b, pairs, 0);
        const XlaOp start = ConstantR1<int64_t>(b, {row, column});
        const XlaOp indices = Add(steps, start, {1});
        GatherDimensionNumbers numbers;
        numbers.set_index_vector_dim(1);
        Int64List slice_sizes(shape.dimensions().begin(), shape.dimensions().end());
        for (int64_t i = 0; i < shape.rank(); ++i) {
          if (i < shape.rank() - 2) {
            numbers.add_offset_dims(i);
          } else {
            slice_sizes[i] = std::min<int64_t>(slice_sizes[i], 1);
            numbers.add_collapsed_slice_dims(i);
            numbers.add_start_index_map(i);
          }
        }
        return Gather(x, indices, numbers, slice_sizes, /*indices_are_sorted=*/true);
      });
}

XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, int k) {
  return lib_internal::Make(
      "SetMatrixDiagonal", {matrix, diag}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, matrix, 2));
        XLA_ASSIGN_OR_RETURN(const Shape diag_shape, lib_internal::ShapeOfRank(b, diag, 1));
        const auto [row, column, length] = DiagonalOf(shape, k);
        if (diag_shape.rank() != shape.rank() - 1 ||
            diag_shape.dimensions(static_cast<int>(diag_shape.rank() - 1)) != length) {
          return InvalidArgumentStrCat("Diagonal ", k, " of ", ShapeUtil::HumanString(shape),
                                       " has ", length, " elements; got ",
                                       ShapeUtil::HumanString(diag_shape), ".");
        }
        // Element j of the diagonal stands in column `column + j`: padded to the columns it can be
        // broadcast down them.
        const XlaOp padded = PadInDim(diag, Zero(b, shape.element_type()), diag_shape.rank() - 1,
                                      column, Columns(shape) - length - column);
        Int64List dimensions(shape.rank() - 1);
        std::iota(dimensions.begin(), dimensions.end(), 0);
        dimensions.back() = shape.rank() - 1;
        const XlaOp values = BroadcastInDim(padded, shape.dimensions(), dimensions);
        XLA_ASSIGN_OR_RETURN(const auto places, Places(b, shape));
        const XlaOp on_diagonal = Eq(places.first + ConstantR0<int64_t>(b, k), places.second);
        return Select(on_diagonal, values, matrix);
      });
}

XlaOp TriangleMask(XlaOp x, int diagonal) {
  return lib_internal::Make("TriangleMask", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
    XLA_ASSIGN_OR_RETURN(const auto places, Places(b, shape));
    return Ge(places.first + ConstantR0<int64_t>(b, diagonal), places.second);
  });
}

XlaOp Triangle(XlaOp x, bool lower) {
  return lib_internal::Make("Triangle", {x}, [&](XlaBuilder*) -> absl::StatusOr<XlaOp> {
    return lower ? Select(TriangleMask(x, 0), x, ZerosLike(x))
                 : Select(TriangleMask(x, -1), ZerosLike(x), x);
  });
}

XlaOp UpperTriangle(XlaOp x) { return Triangle(x, /*lower=*/false); }
XlaOp LowerTriangle(XlaOp x) { return Triangle(x, /*lower=*/true); }

XlaOp Symmetrize(XlaOp x, bool lower) {
  return lib_internal::Make("Symmetrize", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
    const XlaOp mirrored = MaybeConjugate(TransposeInMinorDims(x), true);
    const XlaOp result =
        lower ? Select(TriangleMask(x, 0), x, mirrored) : Select(TriangleMask(x, -1), mirrored, x);
    if (!primitive_util::IsComplexType(shape.element_type())) return result;
    // The diagonal of a Hermitian matrix is real.
    XLA_ASSIGN_OR_RETURN(const auto places, Places(b, shape));
    const XlaOp imaginary = Imag(result);
    return Complex(Real(result),
                   Select(Eq(places.first, places.second), ZerosLike(imaginary), imaginary));
  });
}

XlaOp TransposeInMinorDims(XlaOp x) {
  return lib_internal::Make(
      "TransposeInMinorDims", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
        Int64List permutation(shape.rank());
        std::iota(permutation.begin(), permutation.end(), 0);
        std::swap(permutation[shape.rank() - 1], permutation[shape.rank() - 2]);
        return Transpose(x, permutation);
      });
}

XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose) {
  return transpose ? TransposeInMinorDims(x) : x;
}

XlaOp BatchDot(XlaOp x, XlaOp y, PrecisionConfig::Precision precision,
               std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  return BatchDot(x, false, y, false, precision, preferred_element_type, grad_x, grad_y);
}

XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y,
               PrecisionConfig::Precision precision,
               std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  return lib_internal::Make("BatchDot", {x, y}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, 2));
    XLA_ASSIGN_OR_RETURN(const Shape y_shape, lib_internal::ShapeOfRank(b, y, 2));
    const auto batch = [](const Shape& of) {
      return of.dimensions().subspan(0, static_cast<size_t>(of.rank()) - 2);
    };
    if (batch(shape) != batch(y_shape)) {  // batch dimensions of size 1 broadcast
      return Einsum(x, y,
                    absl::StrCat(transpose_x ? "...km" : "...mk", ",",
                                 transpose_y ? "...nk" : "...kn", "->...mn"),
                    precision, preferred_element_type, grad_x, grad_y);
    }
    DotDimensionNumbers numbers;
    for (int64_t i = 0; i < shape.rank() - 2; ++i) {
      numbers.add_lhs_batch_dimensions(i);
      numbers.add_rhs_batch_dimensions(i);
    }
    numbers.add_lhs_contracting_dimensions(shape.rank() - (transpose_x ? 2 : 1));
    numbers.add_rhs_contracting_dimensions(shape.rank() - (transpose_y ? 1 : 2));
    PrecisionConfig config;
    config.add_operand_precision(precision);
    config.add_operand_precision(precision);
    return lib_internal::MarkGradients(
        b, DotGeneral(x, y, numbers, &config, preferred_element_type), grad_x, grad_y);
  });
}

}  // namespace xla
