// SPDX-License-Identifier: Apache-2.0
// Checks a custom call of LAPACK against the signature of its target: the shapes of operands and
// results, and attributes.
#ifndef XLA_LAPACK_SIGNATURE_H_
#define XLA_LAPACK_SIGNATURE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"
#include "xla/lapack/lapack.h"
#include "xla/lapack/matrices.h"
#include "xla/runtime/attribute_dictionary.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla::lapack {

class Signature {
 public:
  // `call` must outlive the signature.
  static absl::StatusOr<Signature> Read(const LapackCall& call);

  // Matrices are the last two dimensions of an operand; those before are the batch, which all other
  // arrays of the call must have as well.
  absl::Status SetBatch(int64_t operand);
  int64_t count() const { return count_; }  // of matrices
  int64_t rows() const { return rows_; }    // of the operand of SetBatch
  int64_t columns() const { return columns_; }
  // An error that says so unless the matrices of the batch are square.
  absl::Status ExpectSquare() const;
  // RESOURCE_EXHAUSTED for matrices of more rows, whose working memory LAPACK cannot count.
  absl::Status ExpectAtMost(int64_t rows, int64_t most) const;

  absl::Status ExpectCounts(int64_t operands, int64_t results) const;
  int64_t operand_count() const { return static_cast<int64_t>(call_->operands.size()); }
  int64_t result_count() const { return static_cast<int64_t>(results_.size()); }
  const Shape& operand(int64_t i) const { return call_->operands[static_cast<size_t>(i)]; }
  const Shape& result(int64_t i) const { return *results_[static_cast<size_t>(i)]; }

  // The array is `type[batch.., dimensions..]`, of which the dimensions are at most two.
  absl::Status ExpectOperand(int64_t i, absl::string_view name, PrimitiveType type,
                             absl::Span<const int64_t> dimensions) const;
  absl::Status ExpectResult(int64_t i, absl::string_view name, PrimitiveType type,
                            absl::Span<const int64_t> dimensions) const;
  // Where the elements of matrices are.
  Matrices OperandMatrices(int64_t i) const { return MatricesOf(operand(i)); }
  Matrices ResultMatrices(int64_t i) const { return MatricesOf(result(i)); }

  // An attribute of 8 bits that is one of the characters.
  absl::StatusOr<char> Choice(absl::string_view name, absl::string_view characters);
  absl::StatusOr<bool> Bool(absl::string_view name);
  absl::StatusOr<int32_t> Int32(absl::string_view name);
  // There are no attributes but those that were asked for.
  absl::Status ExpectNoOtherAttributes() const;

  // INVALID_ARGUMENT that names the instruction and its target.
  absl::Status Error(absl::string_view message) const;

 private:
  explicit Signature(const LapackCall& call) : call_(&call) {}

  absl::Status CheckArray(const Shape& shape, absl::string_view what) const;
  absl::Status ExpectArray(const Shape& shape, absl::string_view kind, int64_t i,
                           absl::string_view name, PrimitiveType type,
                           absl::Span<const int64_t> dimensions) const;

  const LapackCall* call_;
  std::vector<const Shape*> results_;
  AttributeDictionary attributes_;
  std::set<std::string, std::less<>> asked_;
  DimensionVector batch_;
  int64_t count_ = 1, rows_ = 0, columns_ = 0;
};

}  // namespace xla::lapack

#endif  // XLA_LAPACK_SIGNATURE_H_
