// SPDX-License-Identifier: Apache-2.0
// Sorts many short rows at once: each lane of a vector is a row.
#ifndef XLA_KERNELS_SORT_SORTING_NETWORK_H_
#define XLA_KERNELS_SORT_SORTING_NETWORK_H_

#include <cstdint>
#include <vector>

namespace xla::kernels {

// Rows that are sorted together, for words of a size.
template <typename Word>
inline constexpr int64_t kNetworkRows = 128 / static_cast<int64_t>(sizeof(Word));

// Exchanges two elements of a row if the one at `low` is greater.
struct Comparator {
  uint8_t low, high;
};

// Returns the comparators that sort any row of `length` elements, at most 255: the network of
// Batcher's odd-even merges (K. Batcher, Sorting networks and their applications, 1968).
std::vector<Comparator> MakeSortingNetwork(int64_t length);

// Sorts kNetworkRows<Word> rows in ascending order: words[i * kNetworkRows<Word> + row] is element
// i of a row. The words are aligned to 64 bytes. Word: uint16_t, uint32_t or uint64_t.
template <typename Word>
void RunSortingNetwork(const std::vector<Comparator>& network, Word* words);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_SORTING_NETWORK_H_
