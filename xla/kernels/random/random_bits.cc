// SPDX-License-Identifier: Apache-2.0
// Vectorized Threefry and Philox, and arrays filled with their words.
#include "xla/kernels/random/random_bits.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "xla/base/status_macros.h"
#include "xla/kernels/context.h"
#include "xla/kernels/simd_targets.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/random/random_bits.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kRotation, class V>
HWY_INLINE void ThreefryRound(V& x0, V& x1) {
  x0 = hn::Add(x0, x1);
  x1 = hn::Xor(hn::RotateRight<32 - kRotation>(x1), x0);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void ThreefryEvenGroup(D d, uint32_t key0, uint32_t key1, V& x0, V& x1) {
  ThreefryRound<13>(x0, x1);
  ThreefryRound<15>(x0, x1);
  ThreefryRound<26>(x0, x1);
  ThreefryRound<6>(x0, x1);
  x0 = hn::Add(x0, hn::Set(d, key0));
  x1 = hn::Add(x1, hn::Set(d, key1));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void ThreefryOddGroup(D d, uint32_t key0, uint32_t key1, V& x0, V& x1) {
  ThreefryRound<17>(x0, x1);
  ThreefryRound<29>(x0, x1);
  ThreefryRound<16>(x0, x1);
  ThreefryRound<24>(x0, x1);
  x0 = hn::Add(x0, hn::Set(d, key0));
  x1 = hn::Add(x1, hn::Set(d, key1));
}

// `count` is a multiple of the vector length or ends in a scalar loop; the low word of counter + i
// does not wrap. Words are interleaved in `first` if `second` is null.
void ThreefryRun(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second) {
  const hn::ScalableTag<uint32_t> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t k2 = k0 ^ k1 ^ 0x1BD11BDAu;
  const uint32_t low = static_cast<uint32_t>(counter), high = static_cast<uint32_t>(counter >> 32);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    auto x0 = hn::Iota(d, low + static_cast<uint32_t>(i) + k0);
    auto x1 = hn::Set(d, high + k1);
    ThreefryEvenGroup(d, k1, k2 + 1, x0, x1);
    ThreefryOddGroup(d, k2, k0 + 2, x0, x1);
    ThreefryEvenGroup(d, k0, k1 + 3, x0, x1);
    ThreefryOddGroup(d, k1, k2 + 4, x0, x1);
    ThreefryEvenGroup(d, k2, k0 + 5, x0, x1);
    if (second == nullptr) {
      hn::StoreInterleaved2(x0, x1, d, first + 2 * i);
    } else {
      hn::StoreU(x0, d, first + i);
      hn::StoreU(x1, d, second + i);
    }
  }
  for (; i < count; ++i) {
    const std::array<uint32_t, 2> words = Threefry2x32(key, counter + static_cast<uint64_t>(i));
    (second == nullptr ? first[2 * i] : first[i]) = words[0];
    (second == nullptr ? first[2 * i + 1] : second[i]) = words[1];
  }
}

// The low 64 bits of counter + i do not wrap. Numbers of 32 bits are in lanes of 64, whose upper
// halves are ignored until the end.
void PhiloxRun(uint64_t key, Counter128 counter, int64_t count, uint32_t* words) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<uint32_t, decltype(d)> d32;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto multiplier0 = hn::BitCast(d32, hn::Set(d, uint64_t{0xD2511F53u}));
  const auto multiplier1 = hn::BitCast(d32, hn::Set(d, uint64_t{0xCD9E8D57u}));
  const auto mask = hn::Set(d, uint64_t{0xFFFFFFFFu});
  for (; i + kLanes <= count; i += kLanes) {
    auto c0 = hn::Iota(d, counter.low + static_cast<uint64_t>(i));
    auto c1 = hn::ShiftRight<32>(c0);
    auto c2 = hn::Set(d, counter.high);
    auto c3 = hn::ShiftRight<32>(c2);
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const auto p0 = hn::MulEven(hn::BitCast(d32, c0), multiplier0);
      const auto p1 = hn::MulEven(hn::BitCast(d32, c2), multiplier1);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(d, uint64_t{k0}));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(d, uint64_t{k1}));
      c1 = p1;
      c3 = p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    const auto low = hn::Or(hn::And(c0, mask), hn::ShiftLeft<32>(c1));
    const auto high = hn::Or(hn::And(c2, mask), hn::ShiftLeft<32>(c3));
    // Words are pairs in 64-bit lanes: the low one comes first on the little-endian machines that
    // there are kernels for.
    HWY_ALIGN uint64_t lows[kLanes], highs[kLanes];
    hn::Store(low, d, lows);
    hn::Store(high, d, highs);
    for (int64_t l = 0; l < kLanes; ++l) {
      uint32_t* out = words + 4 * (i + l);
      out[0] = static_cast<uint32_t>(lows[l]);
      out[1] = static_cast<uint32_t>(lows[l] >> 32);
      out[2] = static_cast<uint32_t>(highs[l]);
      out[3] = static_cast<uint32_t>(highs[l] >> 32);
    }
  }
#endif
  for (; i < count; ++i) {
    const Counter128 at = counter.Plus(static_cast<uint64_t>(i));
    const std::array<uint32_t, 4> block = Philox4x32(key, at.low, at.high);
    std::copy(block.begin(), block.end(), words + 4 * i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(ThreefryRun);
HWY_EXPORT(PhiloxRun);

constexpr double kNanosecondsPerBlock = 2;
// The blocks of a piece of work, which stays in the first-level cache.
constexpr int64_t kPiece = 512;

// Divides the range at the counter whose low 32 bits wrap.
void ThreefryAny(uint64_t key, uint64_t counter, int64_t count, uint32_t* first, uint32_t* second) {
  while (count > 0) {
    const int64_t until_wrap = (int64_t{1} << 32) - static_cast<int64_t>(counter & 0xFFFFFFFFu);
    const int64_t run = std::min(count, until_wrap);
    HWY_DYNAMIC_DISPATCH(ThreefryRun)(key, counter, run, first, second);
    counter += static_cast<uint64_t>(run);
    count -= run;
    first += second == nullptr ? 2 * run : run;
    if (second != nullptr) second += run;
  }
}

// Returns an integer type with the same bits; PRIMITIVE_TYPE_INVALID if there is none.
PrimitiveType StorageType(PrimitiveType type) {
  if (primitive_util::IsIntegralType(type)) return type;
  if (!primitive_util::IsFloatingPointType(type)) return PRIMITIVE_TYPE_INVALID;
  return primitive_util::UnsignedIntegralTypeForBitWidth(primitive_util::BitWidth(type));
}

// Writes words as elements of at most 32 bits.
class WordWriter {
 public:
  WordWriter(PrimitiveType type, void* result)
      : bytes_(primitive_util::ByteWidth(type)),
        out_(static_cast<char*>(result)),
        store_(GetWideStore<uint32_t>(StorageType(type))) {}

  void Write(int64_t position, int64_t count, const uint32_t* words) const {
    store_(words, count, out_ + position * bytes_, 1);
  }

 private:
  const int64_t bytes_;
  char* const out_;
  const WideStore<uint32_t> store_;
};

// The dimension along which the two words of a block are neighbors, as [outer, size, inner].
struct ThreefrySplit {
  explicit ThreefrySplit(absl::Span<const int64_t> dimensions) {
    if (dimensions.empty()) return;
    auto split = std::find_if(dimensions.begin(), dimensions.end(),
                              [](int64_t dimension) { return dimension % 2 == 0; });
    if (split == dimensions.end()) split = std::max_element(dimensions.begin(), dimensions.end());
    size = *split;
    for (auto it = dimensions.begin(); it != split; ++it) outer *= *it;
    for (auto it = split + 1; it != dimensions.end(); ++it) inner *= *it;
  }
  int64_t half() const { return CeilOfRatio<int64_t>(size, 2); }

  int64_t outer = 1, size = 1, inner = 1;
};

}  // namespace

void ThreefryBlocks(uint64_t key, uint64_t counter, int64_t count, uint32_t* words) {
  ThreefryAny(key, counter, count, words, nullptr);
}

void ThreefryBlocks(uint64_t key, uint64_t counter, int64_t count, uint32_t* first,
                    uint32_t* second) {
  ThreefryAny(key, counter, count, first, second);
}

void PhiloxBlocks(uint64_t key, Counter128 counter, int64_t count, uint32_t* words) {
  while (count > 0) {
    const uint64_t until_wrap = ~counter.low;  // less one
    int64_t run = count;
    if (static_cast<uint64_t>(count - 1) > until_wrap) run = static_cast<int64_t>(until_wrap) + 1;
    HWY_DYNAMIC_DISPATCH(PhiloxRun)(key, counter, run, words);
    counter = counter.Plus(static_cast<uint64_t>(run));
    count -= run;
    words += 4 * run;
  }
}

bool HasRandomBits(PrimitiveType type) { return StorageType(type) != PRIMITIVE_TYPE_INVALID; }

absl::StatusOr<int64_t> FillThreefry(Context& context, uint64_t key, uint64_t counter,
                                     PrimitiveType type, absl::Span<const int64_t> dimensions,
                                     void* result) {
  int64_t elements = 1;
  for (const int64_t dimension : dimensions) elements *= dimension;
  if (primitive_util::BitWidth(type) == 64) {
    uint32_t* words = static_cast<uint32_t*>(result);
    XLA_RETURN_IF_ERROR(context.ParallelFor(
        elements, ChunkFor(elements, kNanosecondsPerBlock), [&](int64_t begin, int64_t end) {
          ThreefryBlocks(key, counter + static_cast<uint64_t>(begin), end - begin,
                         words + 2 * begin);
          return absl::OkStatus();
        }));
    return elements;
  }
  if (elements == 0) return 0;
  const ThreefrySplit split(dimensions);
  const int64_t half = split.half(), blocks = split.outer * half * split.inner;
  const WordWriter writer(type, result);
  // Fills blocks [begin, begin + count) of one pair of rows of `inner` elements.
  const auto fill_rows = [&](int64_t begin, int64_t count) {
    uint32_t first[kPiece], second[kPiece];
    ThreefryBlocks(key, counter + static_cast<uint64_t>(begin), count, first, second);
    const int64_t pair = begin / split.inner % half, outer = begin / split.inner / half;
    const int64_t position = (outer * split.size + 2 * pair) * split.inner + begin % split.inner;
    writer.Write(position, count, first);
    if (2 * pair + 1 < split.size) writer.Write(position + split.inner, count, second);
  };
  // Fills blocks of rows of one element: the words of a row of blocks are contiguous.
  const auto fill_pairs = [&](int64_t begin, int64_t count) {
    uint32_t words[2 * kPiece];
    ThreefryBlocks(key, counter + static_cast<uint64_t>(begin), count, words);
    const int64_t pair = begin % half, outer = begin / half;
    writer.Write(outer * split.size + 2 * pair, std::min(2 * count, split.size - 2 * pair), words);
  };
  const bool in_pairs = split.inner == 1;
  const int64_t row = in_pairs ? half : split.inner;  // blocks that are filled together
  XLA_RETURN_IF_ERROR(context.ParallelFor(
      blocks, ChunkFor(blocks, kNanosecondsPerBlock), [&](int64_t begin, int64_t end) {
        while (begin < end) {
          const int64_t count = std::min({end - begin, row - begin % row, kPiece});
          in_pairs ? fill_pairs(begin, count) : fill_rows(begin, count);
          begin += count;
        }
        return absl::OkStatus();
      }));
  return blocks;
}

absl::StatusOr<int64_t> FillPhilox(Context& context, uint64_t key, Counter128 counter,
                                   PrimitiveType type, int64_t elements, void* result) {
  const int64_t words_per_element = primitive_util::BitWidth(type) == 64 ? 2 : 1;
  const int64_t per_block = 4 / words_per_element, blocks = CeilOfRatio(elements, per_block);
  XLA_RETURN_IF_ERROR(context.ParallelFor(
      blocks, ChunkFor(blocks, kNanosecondsPerBlock), [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += kPiece) {
          uint32_t words[4 * kPiece];
          PhiloxBlocks(key, counter.Plus(static_cast<uint64_t>(begin)),
                       std::min(kPiece, end - begin), words);
          const int64_t first = begin * per_block;
          const int64_t last = std::min(elements, std::min(begin + kPiece, end) * per_block);
          if (words_per_element == 2) {
            std::copy_n(words, 2 * (last - first), static_cast<uint32_t*>(result) + 2 * first);
          } else {
            WordWriter(type, result).Write(first, last - first, words);
          }
        }
        return absl::OkStatus();
      }));
  return blocks;
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
