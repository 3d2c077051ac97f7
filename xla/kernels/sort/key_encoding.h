// SPDX-License-Identifier: Apache-2.0
// Encodes elements as words with the same order as unsigned numbers, and sorts words by many
// workers.
#ifndef XLA_KERNELS_SORT_KEY_ENCODING_H_
#define XLA_KERNELS_SORT_KEY_ENCODING_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/sort/sort_kernel.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Sets words[i] to the word of elements[i * stride], for i in [0, count). For types of at most 32
// bits.
void OrderedWords(PrimitiveType type, SortOrder order, bool descending, const void* elements,
                  int64_t stride, int64_t count, uint32_t* words);
// For F64, S64 and U64.
void OrderedWords(PrimitiveType type, SortOrder order, bool descending, const void* elements,
                  int64_t stride, int64_t count, uint64_t* words);

// Replaces bits of floats or integers by words of the same size in the total order, and back.
template <typename Word>
void BitsToOrdered(bool is_float, bool is_signed, bool descending, int64_t count, Word* words);
template <typename Word>
void OrderedToBits(bool is_float, bool is_signed, bool descending, int64_t count, Word* words);

// Whether there is a NaN or a negative zero among contiguous floats of 32 or 64 bits.
bool HasUnorderedBits(PrimitiveType type, const void* elements, int64_t count);

// Sorts in ascending order. Word: uint16_t, uint32_t, uint64_t or hwy::uint128_t (key in the high
// half). On the calling thread.
template <typename Word>
void SortWordsInPlace(Word* words, int64_t count);

// The most words that ParallelSort requests at once.
inline constexpr int64_t kSortBlock = 1024;

// Sorts `count` words into `sorted`, by many workers. words_at(begin, n, words) sets words[0..n) to
// the words from `begin`, n <= kSortBlock; it is called twice for each word, from any worker.
// `scratch` has ParallelSortBytes(count). The result does not depend on the workers, as words that
// compare equal are the same.
int64_t ParallelSortBytes(int64_t count);
template <typename Word>
absl::Status ParallelSort(
    const KernelHost& host, int64_t count,
    absl::FunctionRef<void(int64_t begin, int64_t count, Word* words)> words_at, Word* sorted,
    char* scratch);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_KEY_ENCODING_H_
