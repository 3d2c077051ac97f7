// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/sort/key_encoding_lanes.h"

#include <algorithm>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/sort/key_encoding_lanes.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Word>
using WordTag = hn::CappedTag<Word, 64 / sizeof(Word)>;

// Runs f(from, to) on whole vectors; the last one is padded with arbitrary words.
template <typename Word, typename Result, typename F>
HWY_INLINE void ForEachVector(const Word* from, int64_t count, Result* to, F&& f) {
  constexpr int64_t kLanes = hn::MaxLanes(WordTag<Word>());
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) f(from + i, to + i);
  if (i == count) return;
  HWY_ALIGN Word words[kLanes] = {};
  HWY_ALIGN Result results[kLanes];
  std::copy(from + i, from + count, words);
  f(words, results);
  std::copy_n(results, count - i, to + i);
}

// Sets all bits of words whose highest bit is set, and clears the others.
template <typename V>
HWY_INLINE V HighestBits(V words) {
  const hn::DFromV<V> d;
  return hn::BitCast(d,
                     hn::BroadcastSignBit(hn::BitCast(hn::RebindToSigned<decltype(d)>(), words)));
}

template <typename Word, bool kNumbers>
HWY_INLINE void OrderAs(Word flip, const Word* bits, int64_t count, Word* words) {
  const WordTag<Word> d;
  const hn::RebindToSigned<decltype(d)> signed_d;
  constexpr Word kSign = Word{1} << (8 * sizeof(Word) - 1);
  constexpr Word kInfinity =
      sizeof(Word) == 4 ? static_cast<Word>(0x7F800000u) : static_cast<Word>(0x7FF0000000000000u);
  const auto sign = hn::Set(d, kSign), flips = hn::Set(d, flip);
  const auto infinity = hn::Set(d, kInfinity), nan = hn::Set(d, kInfinity + 1);
  ForEachVector(bits, count, words, [&](const Word* from, Word* to) HWY_ATTR {
    auto v = hn::LoadU(d, from);
    if constexpr (kNumbers) {
      const auto magnitude = hn::AndNot(sign, v);
      const auto is_nan = hn::Gt(hn::BitCast(signed_d, magnitude), hn::BitCast(signed_d, infinity));
      v = hn::IfThenElse(hn::RebindMask(d, is_nan), nan, v);
      v = hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), v);
    }
    hn::StoreU(hn::Xor(hn::Xor(v, flips), hn::Or(HighestBits(v), sign)), d, to);
  });
}

template <typename Word>
void Order(bool numbers, Word flip, const Word* bits, int64_t count, Word* words) {
  (numbers ? OrderAs<Word, true> : OrderAs<Word, false>)(flip, bits, count, words);
}

template <typename Word>
void Restore(Word flip, int64_t count, Word* words) {
  const WordTag<Word> d;
  const auto sign = hn::Set(d, Word{1} << (8 * sizeof(Word) - 1)), flips = hn::Set(d, flip);
  ForEachVector(words, count, words, [&](const Word* from, Word* to) HWY_ATTR {
    const auto v = hn::Xor(hn::LoadU(d, from), flips);
    hn::StoreU(hn::Xor(v, hn::Or(hn::Not(HighestBits(v)), sign)), d, to);
  });
}

template <typename Word>
void Classify(const Word* words, int64_t count, const Word* splitters, int64_t splitter_count,
              uint8_t* buckets) {
  const WordTag<Word> d;
  const hn::RebindToSigned<decltype(d)> signed_d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  // Compares words minus half their range as signed numbers.
  constexpr Word kHalf = Word{1} << (8 * sizeof(Word) - 1);
  constexpr int64_t kMostSplitters = 255;
  using Signed = hn::TFromD<decltype(signed_d)>;
  Signed signed_splitters[kMostSplitters];
  for (int64_t s = 0; s < splitter_count; ++s)
    signed_splitters[s] = static_cast<Signed>(splitters[s] ^ kHalf);
  const auto half = hn::Set(d, kHalf);
  ForEachVector(words, count, buckets, [&](const Word* from, uint8_t* to) HWY_ATTR {
    const auto v = hn::BitCast(signed_d, hn::Xor(hn::LoadU(d, from), half));
    auto bucket = hn::Set(d, static_cast<Word>(splitter_count));
    for (int64_t s = 0; s < splitter_count; ++s) {
      const auto is_less = hn::Lt(v, hn::Set(signed_d, signed_splitters[s]));
      bucket = hn::Add(bucket, hn::VecFromMask(d, hn::RebindMask(d, is_less)));
    }
    hn::StoreU(hn::TruncateTo(bytes, bucket), bytes, to);
  });
}

// One name for each of the functions to export.
#define XLA_WORDS(Word, Suffix)                                                               \
  void Order##Suffix(bool numbers, Word flip, const Word* bits, int64_t count, Word* words) { \
    Order<Word>(numbers, flip, bits, count, words);                                           \
  }                                                                                           \
  void Restore##Suffix(Word flip, int64_t count, Word* words) {                               \
    Restore<Word>(flip, count, words);                                                        \
  }                                                                                           \
  void Classify##Suffix(const Word* words, int64_t count, const Word* splitters,              \
                        int64_t splitter_count, uint8_t* buckets) {                           \
    Classify<Word>(words, count, splitters, splitter_count, buckets);                         \
  }
XLA_WORDS(uint32_t, U32)
XLA_WORDS(uint64_t, U64)
#undef XLA_WORDS

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(OrderU32);
HWY_EXPORT(OrderU64);
HWY_EXPORT(RestoreU32);
HWY_EXPORT(RestoreU64);
HWY_EXPORT(ClassifyU32);
HWY_EXPORT(ClassifyU64);

}  // namespace

template <>
void OrderFloats<uint32_t>(bool numbers, uint32_t flip, const uint32_t* bits, int64_t count,
                           uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(OrderU32)(numbers, flip, bits, count, words);
}
template <>
void OrderFloats<uint64_t>(bool numbers, uint64_t flip, const uint64_t* bits, int64_t count,
                           uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(OrderU64)(numbers, flip, bits, count, words);
}
template <>
void RestoreFloats<uint32_t>(uint32_t flip, int64_t count, uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(RestoreU32)(flip, count, words);
}
template <>
void RestoreFloats<uint64_t>(uint64_t flip, int64_t count, uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(RestoreU64)(flip, count, words);
}
template <>
void FindBuckets<uint32_t>(const uint32_t* words, int64_t count, const uint32_t* splitters,
                           int64_t splitter_count, uint8_t* buckets) {
  HWY_DYNAMIC_DISPATCH(ClassifyU32)(words, count, splitters, splitter_count, buckets);
}
template <>
void FindBuckets<uint64_t>(const uint64_t* words, int64_t count, const uint64_t* splitters,
                           int64_t splitter_count, uint8_t* buckets) {
  HWY_DYNAMIC_DISPATCH(ClassifyU64)(words, count, splitters, splitter_count, buckets);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
