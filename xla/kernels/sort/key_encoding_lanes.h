// SPDX-License-Identifier: Apache-2.0
// The operations of sorting on every word, for each instruction set. Word: uint32_t or uint64_t.
#ifndef XLA_KERNELS_SORT_KEY_ENCODING_LANES_H_
#define XLA_KERNELS_SORT_KEY_ENCODING_LANES_H_

#include <cstdint>

namespace xla::kernels {

// Encodes the bits of floating-point numbers as words with the same order, xor `flip`. If
// `numbers`, zeros are equal, and so are NaNs, which are the greatest; otherwise the order is the
// total one. `words` may be `bits`.
template <typename Word>
void OrderFloats(bool numbers, Word flip, const Word* bits, int64_t count, Word* words);

// Restores the bits of words that OrderFloats encoded with the same `flip`, in place.
template <typename Word>
void RestoreFloats(Word flip, int64_t count, Word* words);

// Counts how many of the splitters (at most 255, sorted) are not greater than each word.
template <typename Word>
void FindBuckets(const Word* words, int64_t count, const Word* splitters, int64_t splitter_count,
                 uint8_t* buckets);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_KEY_ENCODING_LANES_H_
