// SPDX-License-Identifier: Apache-2.0
// Batches of matrices: the last two dimensions are rows and columns.
#ifndef XLA_HLO_BUILDER_LIB_MATRIX_H_
#define XLA_HLO_BUILDER_LIB_MATRIX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// An m x n matrix with 1 on the main diagonal and 0 elsewhere.
XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, int64_t m, int64_t n);

// The diagonal k above the main one (k < 0: below), and a matrix with that diagonal replaced by
// diag. Diagonal k of m x n has min(m, n - k) elements for k >= 0, min(m + k, n) for k < 0.
XlaOp GetMatrixDiagonal(XlaOp x, int k = 0);
XlaOp GetMatrixDiagonalViaGather(XlaOp x, int k = 0);
XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, int k = 0);

// Pred: true on and below the diagonal.
XlaOp TriangleMask(XlaOp x, int diagonal);
// x with zeros outside of the triangle, which has the main diagonal.
XlaOp Triangle(XlaOp x, bool lower);
XlaOp UpperTriangle(XlaOp x);
XlaOp LowerTriangle(XlaOp x);
// The symmetric (Hermitian) matrix of which x has that triangle.
XlaOp Symmetrize(XlaOp x, bool lower = true);

XlaOp TransposeInMinorDims(XlaOp x);
XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose);

// Products of corresponding matrices; batch dimensions are equal. grad_x and grad_y say of the
// product that it is the gradient of an operand: frontend attributes of the same names.
XlaOp BatchDot(XlaOp x, XlaOp y, PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt,
               bool grad_x = false, bool grad_y = false);
XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y,
               PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
               std::optional<PrimitiveType> preferred_element_type = std::nullopt,
               bool grad_x = false, bool grad_y = false);

// Einstein summation: "ij,jk->ik", of one operand "ii->i". Dimensions are letters; "..." stands for
// further dimensions, in the operands aligned at their ends. Labels that the result lacks are
// summed. Errors: labels of different sizes; a label of the result that no operand has.
XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view einsum_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             bool grad_x = false, bool grad_y = false);
XlaOp Einsum(XlaOp x, absl::string_view einsum_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT);
// The same with dimensions as numbers.
XlaOp Einsum(XlaOp x, absl::Span<const int64_t> x_config, XlaOp y,
             absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
             PrecisionConfig::Precision precision = PrecisionConfig::DEFAULT,
             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
             bool grad_x = false, bool grad_y = false);

// The labels of x, y and output as numbers; labels of "..." are negative.
absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    absl::string_view einsum_config, int64_t x_rank, int64_t y_rank);

// A config without "->" with one: the labels that stand once, in the order of the alphabet, "..."
// first. Empty if there is one already.
std::string NormalizeEinsumString(absl::string_view einsum_config);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATRIX_H_
