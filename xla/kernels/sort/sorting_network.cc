// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/sort/sorting_network.h"

#include <cstddef>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/sort/sorting_network.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Word>
HWY_INLINE void Exchange(const Comparator* comparators, size_t count, Word* words) {
  const hn::CappedTag<Word, 64 / sizeof(Word)> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  for (size_t c = 0; c < count; ++c) {
    Word* low = words + int64_t{comparators[c].low} * kNetworkRows<Word>;
    Word* high = words + int64_t{comparators[c].high} * kNetworkRows<Word>;
    for (int64_t i = 0; i < kNetworkRows<Word>; i += kLanes) {
      const auto a = hn::Load(d, low + i), b = hn::Load(d, high + i);
      hn::Store(hn::Min(a, b), d, low + i);
      hn::Store(hn::Max(a, b), d, high + i);
    }
  }
}

void Exchange16(const Comparator* comparators, size_t count, uint16_t* words) {
  Exchange(comparators, count, words);
}
void Exchange32(const Comparator* comparators, size_t count, uint32_t* words) {
  Exchange(comparators, count, words);
}
void Exchange64(const Comparator* comparators, size_t count, uint64_t* words) {
  Exchange(comparators, count, words);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(Exchange16);
HWY_EXPORT(Exchange32);
HWY_EXPORT(Exchange64);

std::vector<Comparator> MakeSortingNetwork(int64_t length) {
  std::vector<Comparator> network;
  // Merges sorted runs of `run` elements in pairs, by exchanges at decreasing distances.
  for (int64_t run = 1; run < length; run *= 2) {
    for (int64_t distance = run; distance >= 1; distance /= 2) {
      for (int64_t first = distance % run; first + distance < length; first += 2 * distance) {
        for (int64_t i = first; i < first + distance && i + distance < length; ++i) {
          if (i / (2 * run) == (i + distance) / (2 * run)) {
            network.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(i + distance)});
          }
        }
      }
    }
  }
  return network;
}

template <>
void RunSortingNetwork<uint16_t>(const std::vector<Comparator>& network, uint16_t* words) {
  HWY_DYNAMIC_DISPATCH(Exchange16)(network.data(), network.size(), words);
}
template <>
void RunSortingNetwork<uint32_t>(const std::vector<Comparator>& network, uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(Exchange32)(network.data(), network.size(), words);
}
template <>
void RunSortingNetwork<uint64_t>(const std::vector<Comparator>& network, uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(Exchange64)(network.data(), network.size(), words);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
