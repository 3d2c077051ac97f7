// SPDX-License-Identifier: Apache-2.0
// Converts keys to ordered words; sample sort over Highway's vectorized quicksort.
#include "xla/kernels/sort/key_encoding.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/base.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/sort/key_encoding_lanes.h"
#include "xla/kernels/sort/vector_sort.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

template <typename Word>
constexpr Word kSignBit = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));

// Returns the word for the bits of a float.
template <typename Word>
Word FloatWord(SortOrder order, Word bits) {
  constexpr Word kInfinity =
      sizeof(Word) == 4 ? static_cast<Word>(0x7F800000u) : static_cast<Word>(0x7FF0000000000000u);
  if (order == SortOrder::kNumbers) {
    const Word magnitude = static_cast<Word>(bits & ~kSignBit<Word>);
    bits = magnitude > kInfinity ? static_cast<Word>(kInfinity + 1) : bits;
    bits = magnitude == 0 ? Word{0} : bits;
  }
  return (bits & kSignBit<Word>) != 0 ? static_cast<Word>(~bits)
                                      : static_cast<Word>(bits | kSignBit<Word>);
}

template <typename Word>
void FloatWords(SortOrder order, Word flip, const void* elements, int64_t stride, int64_t count,
                Word* words) {
  const Word* bits = static_cast<const Word*>(elements);
  if (stride == 1) {
    OrderFloats(order == SortOrder::kNumbers, flip, bits, count, words);
  } else if (order == SortOrder::kNumbers) {
    for (int64_t i = 0; i < count; ++i)
      words[i] = FloatWord(SortOrder::kNumbers, bits[i * stride]) ^ flip;
  } else {
    for (int64_t i = 0; i < count; ++i)
      words[i] = FloatWord(SortOrder::kTotal, bits[i * stride]) ^ flip;
  }
}

}  // namespace

void OrderedWords(PrimitiveType type, SortOrder order, bool descending, const void* elements,
                  int64_t stride, int64_t count, uint32_t* words) {
  const uint32_t flip = descending ? ~uint32_t{0} : 0;
  if (type == F32) {
    FloatWords<uint32_t>(order, flip, elements, stride, count, words);
  } else if (primitive_util::IsFloatingPointType(type)) {
    // Narrower floats become f32, in the same order.
    GetWideLoad<float>(type)(elements, stride, count, reinterpret_cast<float*>(words));
    FloatWords<uint32_t>(order, flip, words, 1, count, words);
  } else {
    const uint32_t mask =
        flip ^ (primitive_util::IsSignedIntegralType(type) ? kSignBit<uint32_t> : 0);
    GetWideLoad<uint32_t>(type)(elements, stride, count, words);
    for (int64_t i = 0; i < count; ++i) words[i] ^= mask;
  }
}

void OrderedWords(PrimitiveType type, SortOrder order, bool descending, const void* elements,
                  int64_t stride, int64_t count, uint64_t* words) {
  const uint64_t flip = descending ? ~uint64_t{0} : 0;
  if (type == F64) {
    FloatWords<uint64_t>(order, flip, elements, stride, count, words);
    return;
  }
  const uint64_t mask =
      flip ^ (primitive_util::IsSignedIntegralType(type) ? kSignBit<uint64_t> : 0);
  const uint64_t* bits = static_cast<const uint64_t*>(elements);
  for (int64_t i = 0; i < count; ++i) words[i] = bits[i * stride] ^ mask;
}

template <typename Word>
void BitsToOrdered(bool is_float, bool is_signed, bool descending, int64_t count, Word* words) {
  const Word flip = descending ? std::numeric_limits<Word>::max() : Word{0};
  constexpr Word kSign = kSignBit<Word>, kAll = std::numeric_limits<Word>::max();
  if constexpr (sizeof(Word) >= 4) {
    if (is_float) return OrderFloats(/*numbers=*/false, flip, words, count, words);
  }
  if (is_float) {
    for (int64_t i = 0; i < count; ++i) {
      const Word mask = (words[i] & kSign) != 0 ? kAll : kSign;
      words[i] = static_cast<Word>(words[i] ^ mask ^ flip);
    }
    return;
  }
  const Word mask = static_cast<Word>(flip ^ (is_signed ? kSign : Word{0}));
  for (int64_t i = 0; i < count; ++i) words[i] = static_cast<Word>(words[i] ^ mask);
}

template <typename Word>
void OrderedToBits(bool is_float, bool is_signed, bool descending, int64_t count, Word* words) {
  if (!is_float) {
    BitsToOrdered(is_float, is_signed, descending, count, words);
    return;
  }
  const Word flip = descending ? std::numeric_limits<Word>::max() : Word{0};
  if constexpr (sizeof(Word) >= 4) return RestoreFloats(flip, count, words);
  constexpr Word kSign = kSignBit<Word>, kAll = std::numeric_limits<Word>::max();
  for (int64_t i = 0; i < count; ++i) {
    const Word word = static_cast<Word>(words[i] ^ flip);
    const Word mask = (word & kSign) != 0 ? kSign : kAll;
    words[i] = static_cast<Word>(word ^ mask);
  }
}

bool HasUnorderedBits(PrimitiveType type, const void* elements, int64_t count) {
  const auto has = [&](auto infinity) {
    using Word = decltype(infinity);
    const Word* bits = static_cast<const Word*>(elements);
    Word found = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Word magnitude = bits[i] & ~kSignBit<Word>;
      found |=
          static_cast<Word>(magnitude > infinity) | static_cast<Word>(bits[i] == kSignBit<Word>);
    }
    return found != 0;
  };
  return type == F64 ? has(uint64_t{0x7FF0000000000000u}) : has(uint32_t{0x7F800000u});
}

template <typename Word>
void SortWordsInPlace(Word* words, int64_t count) {
  // Below this, the vectorized sort costs more to start than it gains.
  constexpr int64_t kFew = 32;
  if (count <= kFew) {
    std::sort(words, words + count, [](const Word& a, const Word& b) {
      if constexpr (std::is_same_v<Word, hwy::uint128_t>) {
        return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
      } else {
        return a < b;
      }
    });
    return;
  }
  VectorSort(words, static_cast<size_t>(count));
}

namespace {

// Sample sort: words are distributed to buckets between splitters, which are sorted separately.
constexpr int64_t kBuckets = 16;

// Returns how many words one task classifies and moves: few tasks, so that the counts of their
// buckets take little memory.
int64_t PieceLength(int64_t count) {
  constexpr double kNanosecondsPerWord = 0.75;
  constexpr int64_t kLeast = kUsualMachine.ItemsOfTask(kNanosecondsPerWord), kMostPieces = 32;
  const int64_t even = (count + kMostPieces - 1) / kMostPieces;
  return std::max(kLeast, (even + kSortBlock - 1) / kSortBlock * kSortBlock);
}
int64_t Pieces(int64_t count) { return (count + PieceLength(count) - 1) / PieceLength(count); }

template <typename Word>
bool IsLessWord(const Word& a, const Word& b) {
  if constexpr (std::is_same_v<Word, hwy::uint128_t>) {
    return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
  } else {
    return a < b;
  }
}

template <typename Word>
using WordsAt = absl::FunctionRef<void(int64_t begin, int64_t count, Word* words)>;

template <typename Word>
void ChooseSplitters(int64_t count, WordsAt<Word> words_at, Word* splitters) {
  constexpr int64_t kSamples = kBuckets * 32;
  Word samples[kSamples];
  for (int64_t i = 0; i < kSamples; ++i) {
    // Samples are in the middle of equal parts, shifted by a fixed pattern in case the input is
    // periodic.
    const int64_t shift = (i * 7919) % std::max<int64_t>(1, count / kSamples);
    words_at(std::min(count - 1, count / kSamples * i + shift), 1, &samples[i]);
  }
  SortWordsInPlace(samples, kSamples);
  for (int64_t b = 1; b < kBuckets; ++b) splitters[b - 1] = samples[b * (kSamples / kBuckets)];
}

template <typename Word>
uint8_t BucketOf(const Word& word, const Word* splitters) {
  uint8_t bucket = 0;
#pragma GCC unroll 16
  for (int64_t b = 0; b < kBuckets - 1; ++b)
    bucket = static_cast<uint8_t>(bucket + (IsLessWord(word, splitters[b]) ? 0 : 1));
  return bucket;
}

// Calls f(words, buckets, n) for the words of a piece, a block at a time.
template <typename Word, typename F>
void ForEachBlock(int64_t piece, int64_t count, WordsAt<Word> words_at, const Word* splitters,
                  F&& f) {
  const int64_t begin = piece * PieceLength(count);
  const int64_t end = std::min(count, begin + PieceLength(count));
  Word words[kSortBlock];
  uint8_t buckets[kSortBlock];
  for (int64_t block = begin; block < end; block += kSortBlock) {
    const int64_t n = std::min(kSortBlock, end - block);
    words_at(block, n, words);
    if constexpr (std::is_same_v<Word, uint32_t> || std::is_same_v<Word, uint64_t>) {
      FindBuckets(words, n, splitters, kBuckets - 1, buckets);
    } else {
      for (int64_t i = 0; i < n; ++i) buckets[i] = BucketOf(words[i], splitters);
    }
    f(words, buckets, n);
  }
}

}  // namespace

int64_t ParallelSortBytes(int64_t count) { return Aligned(Pieces(count) * kBuckets * 8); }

template <typename Word>
absl::Status ParallelSort(const KernelHost& host, int64_t count, WordsAt<Word> words_at,
                          Word* sorted, char* scratch) {
  int64_t* places = reinterpret_cast<int64_t*>(scratch);  // [piece, bucket]
  Word splitters[kBuckets - 1];
  ChooseSplitters<Word>(count, words_at, splitters);
  XLA_RETURN_IF_ERROR(RunTasks(host, Pieces(count), nullptr, 0, [&](int64_t piece, Task&) {
    int64_t counts[kBuckets] = {};
    ForEachBlock<Word>(piece, count, words_at, splitters,
                       [&](const Word*, const uint8_t* buckets, int64_t n) {
                         for (int64_t i = 0; i < n; ++i) ++counts[buckets[i]];
                       });
    std::copy_n(counts, kBuckets, places + piece * kBuckets);
  }));
  int64_t bucket_begin[kBuckets + 1];
  int64_t place = 0;
  for (int64_t b = 0; b < kBuckets; ++b) {
    bucket_begin[b] = place;
    for (int64_t piece = 0; piece < Pieces(count); ++piece) {
      const int64_t size = places[piece * kBuckets + b];
      places[piece * kBuckets + b] = place;
      place += size;
    }
  }
  bucket_begin[kBuckets] = count;
  XLA_RETURN_IF_ERROR(RunTasks(host, Pieces(count), nullptr, 0, [&](int64_t piece, Task&) {
    int64_t at[kBuckets];
    std::copy_n(places + piece * kBuckets, kBuckets, at);
    ForEachBlock<Word>(piece, count, words_at, splitters,
                       [&](const Word* words, const uint8_t* buckets, int64_t n) {
                         for (int64_t i = 0; i < n; ++i) sorted[at[buckets[i]]++] = words[i];
                       });
  }));
  return RunTasks(host, kBuckets, nullptr, 0, [&](int64_t b, Task&) {
    SortWordsInPlace(sorted + bucket_begin[b], bucket_begin[b + 1] - bucket_begin[b]);
  });
}

#define XLA_INSTANTIATE(Word)                                          \
  template void BitsToOrdered<Word>(bool, bool, bool, int64_t, Word*); \
  template void OrderedToBits<Word>(bool, bool, bool, int64_t, Word*); \
  template void SortWordsInPlace<Word>(Word*, int64_t);                \
  template absl::Status ParallelSort<Word>(const KernelHost&, int64_t, WordsAt<Word>, Word*, char*);
XLA_INSTANTIATE(uint16_t)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
#undef XLA_INSTANTIATE
template void SortWordsInPlace<hwy::uint128_t>(hwy::uint128_t*, int64_t);
template absl::Status ParallelSort<hwy::uint128_t>(const KernelHost&, int64_t,
                                                   WordsAt<hwy::uint128_t>, hwy::uint128_t*, char*);

}  // namespace xla::kernels
