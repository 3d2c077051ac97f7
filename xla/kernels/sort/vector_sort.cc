// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/sort/vector_sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

// In newer releases of Highway: only the templates, without functions that its library defines.
#define VQSORT_ONLY_STATIC 1

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/sort/vector_sort.cc"
#include "hwy/foreach_target.h"
// After VQSORT_ONLY_STATIC.
#include "hwy/contrib/sort/traits-inl.h"
#include "hwy/contrib/sort/traits128-inl.h"
#include "hwy/contrib/sort/vqsort-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Word>
HWY_INLINE void SortWords(Word* words, size_t count) {
#if !VQSORT_ENABLED
  std::sort(words, words + count, [](const Word& a, const Word& b) {
    if constexpr (sizeof(Word) == 16) {
      return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
    } else {
      return a < b;
    }
  });
#elif HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH < 5
  // Lanes of 64 bits make keys of 128. The null is memory for vectors of unknown length, which
  // simd_targets.h leaves out.
  namespace detail = hn::detail;
  if constexpr (sizeof(Word) == 16) {
    const detail::SharedTraits<detail::Traits128<detail::OrderAscending128>> traits;
    hn::Sort(hn::SortTag<uint64_t>(), traits, reinterpret_cast<uint64_t*>(words), 2 * count,
             static_cast<uint64_t*>(nullptr));
  } else {
    const detail::SharedTraits<detail::TraitsLane<detail::OrderAscending<Word>>> traits;
    hn::Sort(hn::SortTag<Word>(), traits, words, count, static_cast<Word*>(nullptr));
  }
#else
  hn::VQSortStatic(words, count, hwy::SortAscending());
#endif
}

bool IsAvx512() { return HWY_TARGET == HWY_AVX3; }

void Sort16(uint16_t* words, size_t count) { SortWords(words, count); }
void Sort32(uint32_t* words, size_t count) { SortWords(words, count); }
void Sort64(uint64_t* words, size_t count) { SortWords(words, count); }
void Sort128(hwy::uint128_t* words, size_t count) { SortWords(words, count); }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(IsAvx512);
HWY_EXPORT(Sort16);
HWY_EXPORT(Sort32);
HWY_EXPORT(Sort64);
HWY_EXPORT(Sort128);

void VectorSort(uint16_t* words, size_t count) { HWY_DYNAMIC_DISPATCH(Sort16)(words, count); }
void VectorSort(uint32_t* words, size_t count) {
#if (HWY_TARGETS & HWY_AVX3) && (HWY_TARGETS & HWY_AVX2)
  // Words of 32 bits are partitioned by compressing stores of AVX-512, which Zen 4 has in
  // microcode: seven times slower than the tables of AVX2.
  if (HWY_DYNAMIC_DISPATCH(IsAvx512)() && __builtin_cpu_is("amdfam19h")) {
    N_AVX2::Sort32(words, count);
    return;
  }
#endif
  HWY_DYNAMIC_DISPATCH(Sort32)(words, count);
}
void VectorSort(uint64_t* words, size_t count) { HWY_DYNAMIC_DISPATCH(Sort64)(words, count); }
void VectorSort(hwy::uint128_t* words, size_t count) {
  HWY_DYNAMIC_DISPATCH(Sort128)(words, count);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
