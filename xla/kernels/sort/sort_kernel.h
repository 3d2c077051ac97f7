// SPDX-License-Identifier: Apache-2.0
// sort and top-k as prepared kernels.
#ifndef XLA_KERNELS_SORT_SORT_KERNEL_H_
#define XLA_KERNELS_SORT_SORT_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// How elements are ordered.
enum class SortOrder {
  // By the key operand: integers by value; floats in XLA's total order, with -0 before 0 and NaNs
  // at the ends, ordered by their bits.
  kTotal,
  // Like kTotal, but zeros are equal, and NaNs are equal to each other and greater than numbers.
  kNumbers,
  // By a comparator function.
  kComparator,
};

struct SortSpec {
  // Of all operands and results, which have one layout; strides in elements.
  DimensionVector dimensions, strides;
  int64_t dimension;
  absl::InlinedVector<PrimitiveType, 2> types;  // of the operands

  SortOrder order = SortOrder::kTotal;
  int64_t key = 0;  // the operand that is compared; not complex
  bool descending = false;
  // Operands that are the index along the sorted dimension and are not read: integers, which are
  // not compared. Empty, or one for each operand.
  absl::InlinedVector<bool, 2> is_index;
  // Results that are unused and not written. Empty, or one for each operand.
  absl::InlinedVector<bool, 2> is_unused;
  // For kComparator: whether element a comes before b. elements[2 * i] points to that of operand i
  // of a, elements[2 * i + 1] to that of b. `buffers` are those of the call.
  bool (*less)(void* const* buffers, const void* const* elements) = nullptr;
};

// Buffers of a call: operands, then results. Equal elements keep their order. kComparator takes
// no indices.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeSortKernel(const SortSpec& spec);

// The first k of each row of values[rows, length] in descending (if `largest`) or ascending total
// order. Of equal elements that of the smaller index comes first. Buffers of a call: values, top
// values [rows, k], indices s32[rows, k]; all dense and row-major. k <= length.
struct TopKSpec {
  PrimitiveType type;  // not complex
  bool largest;
  int64_t rows, length, k;
  // The name of the form to use; if empty, the cheapest. For tests and measurements.
  std::string form;
};

// Returns the forms that can compute the selection, with their costs; MakeTopKKernel uses the
// cheapest.
std::vector<FormCost> TopKForms(const TopKSpec& spec);
absl::StatusOr<std::unique_ptr<const Kernel>> MakeTopKKernel(const TopKSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_SORT_KERNEL_H_
