// SPDX-License-Identifier: Apache-2.0
// SortKey: recognizes comparators that compare one integer or float made from each element, so that
// keys can be sorted instead of calling the comparator.
#ifndef XLA_INTERPRETER_SORT_KEY_H_
#define XLA_INTERPRETER_SORT_KEY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/interpreter/elementwise.h"
#include "xla/xla_data_enums.h"

namespace xla::interpreter {

// A comparator of the form compare(f(p[2i]), f(p[2i+1])) or the reverse, where f is any elementwise
// expression of one element: a plain comparison, one that treats all NaNs and zeros as equal, one
// of the bits.
class SortKey {
 public:
  // Null if the comparator is not of this form.
  static std::optional<SortKey> FromComparator(const HloComputation& comparator);
  // The operand of the sort that is compared.
  int64_t operand() const { return operand_; }

  // Keys of `count` contiguous elements: a comes before b if key(a) < key(b). False if some
  // elements cannot be ordered (a NaN in a partial order).
  bool Compute(int64_t count, const void* elements, int64_t* keys) const;

  // Whether the elements themselves are compared, in an order in which equal ones are the same bits
  // (kernels::SortValues).
  bool OrdersValues() const;
  PrimitiveType type() const { return type_; }
  bool descending() const { return descending_; }

 private:
  // A register of the expression, a block of elements: the element itself, a constant, or the
  // result of an operation.
  struct Register {
    int8_t bytes = 0;
    std::vector<char> constant;
    std::optional<ElementwiseKernel> kernel;
    absl::InlinedVector<int32_t, 3> operands;
    int32_t alias = -1;  // same bits as another register
  };
  class Builder;

  bool ToKeys(int64_t count, const void* elements, int64_t* keys) const;

  int64_t operand_ = 0;
  PrimitiveType type_ = PRIMITIVE_TYPE_INVALID;  // of what is compared
  bool total_order_ = false, descending_ = false;
  std::vector<Register> registers_;  // the first is the element, the last what is compared
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_SORT_KEY_H_
