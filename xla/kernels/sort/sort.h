// SPDX-License-Identifier: Apache-2.0
// Sorting: plain words and values, stable orders by keys or by any comparator, top-k.
//
//   // The indices that sort `values` (f32[n]) in XLA's total order, equal elements in their order:
//   std::vector<int64_t> keys(n), order(n);
//   TotalOrderKeys(F32, /*descending=*/false, n, values, keys.data());
//   absl::Status status = StableOrder(context, keys, absl::MakeSpan(order));
//
// Words are sorted by Highway's vectorized quicksort (Blacher et al., Vectorized and
// performance-portable quicksort, 2022) in blocks, which are merged in parallel. Words that compare
// equal are the same word, so that neither the blocks nor the number of threads show in the result.
#ifndef XLA_KERNELS_SORT_SORT_H_
#define XLA_KERNELS_SORT_SORT_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Sorts in ascending order. Word: uint16_t, uint32_t or uint64_t. Working memory: as much as
// `words` if these are more than one block.
template <typename Word>
absl::Status SortWords(Context& context, absl::Span<Word> words);

// Whether SortValues takes the element type: integers and floating-point types of 16, 32 or 64
// bits.
bool CanSortValues(PrimitiveType type);
// Sorts `count` contiguous elements in XLA's total order (total_order.h), ascending or descending.
absl::Status SortValues(Context& context, PrimitiveType type, bool descending, int64_t count,
                        void* values);

// Sets order[i] to the index of the key at place i of the ascending order of `keys`; equal keys
// keep their order. If `order` is shorter than `keys`, only the first places are found. Working
// memory: 16 bytes a key if the range of keys is less than 2^32, else 32 bytes; less for few
// places.
absl::Status StableOrder(Context& context, absl::Span<const int64_t> keys,
                         absl::Span<int64_t> order);

// Sets order[i] to the index of the element at place i of [0, order.size()), sorted by any
// comparator: less(a, b) tells whether the element of index a comes before that of index b. Equal
// elements keep their order. A comparator that is no strict order gives some permutation. The first
// error of `less` is returned. Merges runs on the calling thread; working memory: 8 bytes an
// element.
absl::Status StableOrderBy(Context& context, absl::Span<int64_t> order,
                           absl::FunctionRef<absl::StatusOr<bool>(int64_t a, int64_t b)> less);

// dst[i * dst_stride] = src[order[i] * src_stride], in elements of `element_bytes` (1, 2, 4, 8 or
// 16). The arrays do not overlap.
absl::Status Gather(Context& context, int64_t element_bytes, absl::Span<const int64_t> order,
                    const void* src, int64_t src_stride, void* dst, int64_t dst_stride);

// The first k of each row of values[rows, length] in descending (if `largest`) or ascending total
// order, and their indices: top_values[rows, k], indices[rows, k]. Of equal elements that of the
// smaller index comes first. Only the first `valid` elements of a row are considered; places beyond
// min(k, valid) are left as they are. `type` is not complex.
struct TopKProblem {
  PrimitiveType type;
  bool largest;
  int64_t rows, length, valid, k;
  const void* values;
  void* top_values;
  int32_t* indices;
};
absl::Status TopK(Context& context, const TopKProblem& problem);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_SORT_H_
