// SPDX-License-Identifier: Apache-2.0
// LU decomposition by elimination, a column a loop trip, and determinants of it.
#include "xla/hlo/builder/lib/lu_decomposition.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"

namespace xla {
namespace {

// Dimensions of an array without the last ones.
std::vector<int64_t> Leading(int64_t count) {
  std::vector<int64_t> dimensions(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) dimensions[static_cast<size_t>(i)] = i;
  return dimensions;
}

// Brings the greatest of column k from row k on to row k, and subtracts multiples of that row from
// those below, so that they have zeros there; the multiples take the place of the zeros.
std::vector<XlaOp> EliminateColumn(const Shape& shape, XlaOp k, absl::Span<const XlaOp> state,
                                   XlaBuilder* b) {
  const XlaOp lu = state[0], pivots = state[1], permutation = state[2];
  const int64_t rank = shape.rank(), row = rank - 2, column = rank - 1;
  const Shape indices = ShapeUtil::ChangeElementType(shape, S32);
  const XlaOp rows = Iota(b, indices, row), columns = Iota(b, indices, column);
  const std::vector<int64_t> batch_and_row = Leading(rank - 1), batch = Leading(rank - 2);
  const auto in_matrix = [&](XlaOp x, absl::Span<const int64_t> dimensions) {
    return BroadcastInDim(x, shape.dimensions(), dimensions);
  };

  // The pivot: rows above k do not count.
  const int64_t m = shape.dimensions(static_cast<int>(row));
  const XlaOp zero_s32 = ScalarLike(k, 0);
  std::vector<XlaOp> at_column(static_cast<size_t>(rank), zero_s32);
  at_column.back() = k;
  std::vector<int64_t> column_sizes(shape.dimensions().begin(), shape.dimensions().end());
  column_sizes.back() = 1;
  const std::vector<int64_t> without_column(column_sizes.begin(), column_sizes.end() - 1);
  const auto column_of = [&](XlaOp x) {
    return Reshape(DynamicSlice(x, at_column, column_sizes), without_column);
  };
  const XlaOp magnitude = Abs(column_of(lu));
  const XlaOp column_rows =
      Iota(b, ShapeUtil::MakeShape(S32, without_column), static_cast<int64_t>(row));
  const XlaOp candidates = Select(Ge(column_rows, k), magnitude, FullLike(magnitude, -1));
  const XlaOp pivot = ArgMax(candidates, S32, static_cast<int>(row));  // [batch]

  // Rows k and pivot change places.
  const XlaOp pivot_rows = BroadcastInDim(pivot, without_column, batch);
  const XlaOp order =
      Select(Eq(column_rows, k), pivot_rows,
             Select(Eq(column_rows, pivot_rows), Broadcast(k, without_column), column_rows));
  XlaOp swapped = TorchGather(lu, in_matrix(order, batch_and_row), row);
  const XlaOp next_permutation = TorchGather(permutation, order, row);
  const int64_t steps = std::min(m, shape.dimensions(static_cast<int>(column)));
  std::vector<int64_t> pivot_sizes(without_column.begin(), without_column.end());
  pivot_sizes.back() = steps;
  const XlaOp pivot_places = Iota(b, ShapeUtil::MakeShape(S32, pivot_sizes), row);
  const XlaOp next_pivots =
      Select(Eq(pivot_places, k), BroadcastInDim(pivot, pivot_sizes, batch), pivots);

  // Elimination.
  std::vector<XlaOp> at_row(static_cast<size_t>(rank), zero_s32);
  at_row[static_cast<size_t>(row)] = k;
  std::vector<int64_t> row_sizes(shape.dimensions().begin(), shape.dimensions().end());
  row_sizes[static_cast<size_t>(row)] = 1;
  std::vector<int64_t> batch_and_column = batch, without_row = row_sizes;
  batch_and_column.push_back(column);
  without_row.erase(without_row.begin() + row);
  const XlaOp pivot_row =
      in_matrix(Reshape(DynamicSlice(swapped, at_row, row_sizes), without_row), batch_and_column);
  const XlaOp pivot_column = in_matrix(column_of(swapped), batch_and_row);
  std::vector<int64_t> one_row_sizes = row_sizes;
  one_row_sizes.back() = 1;
  at_row.back() = k;
  const std::vector<int64_t> batch_sizes(without_row.begin(), without_row.end() - 1);
  const XlaOp pivot_value =
      in_matrix(Reshape(DynamicSlice(swapped, at_row, one_row_sizes), batch_sizes), batch);
  const XlaOp zeros = ZerosLike(swapped);
  const XlaOp below = Gt(rows, k);
  // Below a pivot of 0 there are zeros alone.
  const XlaOp multiples =
      Select(And(below, Ne(pivot_value, zeros)), pivot_column / pivot_value, zeros);
  const XlaOp eliminated = swapped - multiples * Select(Gt(columns, k), pivot_row, zeros);
  const XlaOp next = Select(And(below, Eq(columns, k)), multiples, eliminated);
  return {next, next_pivots, next_permutation};
}

}  // namespace

LuDecompositionResult LuDecomposition(XlaOp a) {
  LuDecompositionResult result;
  const XlaOp lu =
      lib_internal::Make("LuDecomposition", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, a, 2));
        const PrimitiveType type = shape.element_type();
        if (!shape.is_static() ||
            !(primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type))) {
          return InvalidArgumentStrCat(
              "The operand must be floating-point or complex, of static sizes, but is ",
              ShapeUtil::HumanString(shape), ".");
        }
        const int rank = static_cast<int>(shape.rank());
        const int64_t m = shape.dimensions(rank - 2), n = shape.dimensions(rank - 1);
        std::vector<int64_t> rows(shape.dimensions().begin(), shape.dimensions().end() - 1);
        std::vector<int64_t> pivots = rows;
        pivots.back() = std::min(m, n);
        const std::vector<XlaOp> initial = {a, Zeros(b, ShapeUtil::MakeShape(S32, pivots)),
                                            Iota(b, ShapeUtil::MakeShape(S32, rows), rank - 2)};
        const auto body = [&](XlaOp k, absl::Span<const XlaOp> state,
                              XlaBuilder* inner) -> absl::StatusOr<std::vector<XlaOp>> {
          return EliminateColumn(shape, k, state, inner);
        };
        if (ShapeUtil::IsZeroElementArray(shape)) {
          result = {a, initial[1], initial[2]};
          return a;
        }
        XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> values,
                             ForEachIndex(std::min(m, n), S32, body, initial, "lu", b));
        result = {values[0], values[1], values[2]};
        return values[0];
      });
  if (!lu.valid()) result = {lu, lu, lu};
  return result;
}

SignAndLogDet SLogDet(XlaOp a) {
  SignAndLogDet result;
  const XlaOp logdet =
      lib_internal::Make("SLogDet", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, a, 2));
        const int rank = static_cast<int>(shape.rank());
        if (shape.dimensions(rank - 2) != shape.dimensions(rank - 1)) {
          return InvalidArgumentStrCat("Determinants are of square matrices, not ",
                                       ShapeUtil::HumanString(shape), ".");
        }
        const LuDecompositionResult lu = LuDecomposition(a);
        XLA_RETURN_IF_ERROR(b->first_error());
        const XlaOp diagonal = GetMatrixDiagonal(lu.lu);
        XLA_ASSIGN_OR_RETURN(const Shape diagonal_shape, b->GetShape(diagonal));
        const XlaOp places = Iota(b, ShapeUtil::ChangeElementType(diagonal_shape, S32), rank - 2);
        const XlaOp signs = Sign(diagonal);
        const XlaOp factors = Select(Ne(lu.pivots, places), -signs, signs);
        const PrimitiveType type = shape.element_type();
        result.sign =
            Reduce(factors, One(b, type), CreateScalarMultiplyComputation(type, b), {rank - 2});
        const XlaOp logs = Log(Abs(diagonal));
        XLA_ASSIGN_OR_RETURN(const Shape logs_shape, b->GetShape(logs));
        const PrimitiveType real = logs_shape.element_type();
        result.logdet =
            Reduce(logs, Zero(b, real), CreateScalarAddComputation(real, b), {rank - 2});
        return result.logdet;
      });
  if (!logdet.valid()) result = {logdet, logdet};
  return result;
}

XlaOp LogDet(XlaOp a) {
  return lib_internal::Make("LogDet", {a}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(lib_internal::RealShape(b, a).status());
    const SignAndLogDet parts = SLogDet(a);
    XLA_RETURN_IF_ERROR(b->first_error());
    return Select(Lt(parts.sign, ScalarLike(parts.sign, 0)),
                  FullLike(parts.logdet, std::numeric_limits<float>::quiet_NaN()), parts.logdet);
  });
}

}  // namespace xla
