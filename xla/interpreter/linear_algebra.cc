// SPDX-License-Identifier: Apache-2.0
// cholesky, triangular-solve and XLA's custom calls of linear algebra, batched, real and complex.
#include "xla/kernels/linear_algebra/linear_algebra.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/builtin_custom_calls.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/linear_algebra/householder.h"
#include "xla/kernels/linear_algebra/jacobi.h"
#include "xla/passes/custom_call_forms.h"

namespace xla::interpreter {
namespace {

// The matrices [batch.., rows, columns] of the sizes that exist; elements beyond them are never
// read. (XLA's compiler expands both operations before it looks at dynamic sizes, so that the
// elements beyond them count there.)
kernels::MatrixBatch BatchOf(const Value& value) {
  const absl::Span<const int64_t> dimensions = value.dimensions();
  const int64_t rank = value.rank();
  kernels::MatrixBatch batch = {.type = value.element_type(),
                                .data = value.untyped_data(),
                                .count = 1,
                                .rows = value.dynamic_size(rank - 2),
                                .columns = value.dynamic_size(rank - 1),
                                .row_stride = dimensions[rank - 1],
                                .matrix_stride = dimensions[rank - 2] * dimensions[rank - 1]};
  for (int64_t d = 0; d < rank - 2; ++d) batch.count *= dimensions[d];
  return batch;
}

absl::Status ExpectSquare(const HloInstruction& inst, const Value& value,
                          const kernels::MatrixBatch& batch) {
  if (batch.rows == batch.columns) return absl::OkStatus();
  return InstructionError(
      inst, absl::StatusCode::kInvalidArgument,
      absl::StrCat("the matrices of ", value.shape().ToString(), " are ", batch.rows, " x ",
                   batch.columns, " at run time: they must be square"));
}

}  // namespace

absl::StatusOr<Value> EvalCholesky(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  const bool lower = inst.attributes<CholeskyAttributes>().lower;
  const Value& operand = operands[0];
  const kernels::MatrixBatch batch = BatchOf(operand);
  XLA_RETURN_IF_ERROR(ExpectSquare(inst, operand, batch));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (operand.has_dynamic_sizes()) SetExistingSizes(operand.existing_dimensions(), result);
  if (result.element_count() == 0) return result;
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(
      kernels::Cholesky(kernel_context, lower, batch, result.mutable_untyped_data()));
  return result;
}

absl::StatusOr<Value> EvalTriangularSolve(EvalContext& ctx, const HloInstruction& inst,
                                          absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<TriangularSolveAttributes>();
  const Value &a_operand = operands[0], &b_operand = operands[1];
  const kernels::MatrixBatch a_batch = BatchOf(a_operand), b_batch = BatchOf(b_operand);
  XLA_RETURN_IF_ERROR(ExpectSquare(inst, a_operand, a_batch));
  const int64_t n = a_batch.rows, rows = b_batch.rows, columns = b_batch.columns;
  if (n != (attributes.left_side ? rows : columns)) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            absl::StrCat(n, " x ", n, " matrices cannot solve for ",
                                         attributes.left_side ? absl::StrCat(rows, " rows")
                                                              : absl::StrCat(columns, " columns"),
                                         " of ", b_operand.shape().ToString(), " at run time"));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (b_operand.has_dynamic_sizes()) SetExistingSizes(b_operand.existing_dimensions(), result);
  if (result.element_count() == 0) return result;
  const kernels::TriangularSolveSpec options = {
      .left_side = attributes.left_side,
      .lower = attributes.lower,
      .unit_diagonal = attributes.unit_diagonal,
      .transpose = attributes.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE ||
                   attributes.transpose_a == TriangularSolveOptions_Transpose_ADJOINT,
      .conjugate = attributes.transpose_a == TriangularSolveOptions_Transpose_ADJOINT};
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::TriangularSolve(kernel_context, options, a_batch, b_batch,
                                               result.mutable_untyped_data()));
  return result;
}

namespace {

absl::Status Refuse(const HloInstruction& inst, absl::string_view error) {
  return InstructionError(inst, absl::StatusCode::kInvalidArgument, error);
}

// Arrays for the two results of a call, which makes a tuple of them.
absl::StatusOr<Value> CallForTwo(EvalContext& ctx, const HloInstruction& inst,
                                 absl::FunctionRef<absl::Status(void*, void*)> call) {
  std::vector<Value> results;
  for (const Shape& shape : inst.shape().tuple_shapes()) {
    XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
    results.push_back(std::move(result));
  }
  XLA_RETURN_IF_ERROR(call(results[0].mutable_untyped_data(), results[1].mutable_untyped_data()));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace

absl::StatusOr<Value> EvalQrCall(EvalContext& ctx, const HloInstruction& inst,
                                 absl::Span<Value> operands) {
  if (const absl::string_view error = ErrorOfQr(inst); !error.empty()) return Refuse(inst, error);
  return CallForTwo(ctx, inst, [&](void* factors, void* taus) {
    KernelContext kernel_context(ctx);
    return kernels::QrFactors(kernel_context, BatchOf(operands[0]), factors, taus);
  });
}

absl::StatusOr<Value> EvalHouseholderProductCall(EvalContext& ctx, const HloInstruction& inst,
                                                 absl::Span<Value> operands) {
  const absl::string_view error = ErrorOfHouseholderProduct(inst);
  if (!error.empty()) return Refuse(inst, error);
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::HouseholderProduct(
      kernel_context, BatchOf(operands[0]), operands[1].dimensions().back(),
      operands[1].untyped_data(), result.mutable_untyped_data()));
  return result;
}

absl::StatusOr<Value> EvalEighCall(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  const absl::StatusOr<EighConfig> config = EighConfigOf(inst);
  if (!config.ok()) return Refuse(inst, config.status().message());
  const kernels::EighOptions options = {config->lower, config->sorts, config->most_sweeps,
                                        config->tolerance};
  return CallForTwo(ctx, inst, [&](void* vectors, void* values) {
    KernelContext kernel_context(ctx);
    return kernels::HermitianEigen(kernel_context, options, BatchOf(operands[0]), vectors, values);
  });
}

}  // namespace xla::interpreter
