// SPDX-License-Identifier: Apache-2.0
// Sorts words, values and indices.
#include "xla/kernels/sort/sort.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "hwy/base.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/sort/total_order.h"
#include "xla/kernels/sort/vector_sort.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The elements that are sorted at once, which takes some milliseconds. Blocks are merged in tasks
// of kMergeTask results.
constexpr int64_t kBlock = kUsualMachine.second_level_bytes / 4;
constexpr double kNanosecondsPerMerge = 1.5, kNanosecondsPerKey = 0.75;
constexpr int64_t kMergeTask = kUsualMachine.ItemsOfTask(kNanosecondsPerMerge);

// A key of 64 bits and the index that breaks ties, ordered by both.
using KeyAndIndex = hwy::uint128_t;  // low: index, high: key
bool IsLess(const KeyAndIndex& a, const KeyAndIndex& b) {
  return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}
template <typename Word>
bool IsLess(Word a, Word b) {
  return a < b;
}

template <typename Word>
void SortBlock(Word* words, int64_t count) {
  // Below this, the vectorized sort costs more to start than it gains.
  constexpr int64_t kFew = 32;
  if (count <= kFew) {
    std::sort(words, words + count, [](const Word& a, const Word& b) { return IsLess(a, b); });
    return;
  }
  VectorSort(words, static_cast<size_t>(count));
}

// Returns how many of the first `place` results of the merge of a and b come from a. Equal words
// are identical.
template <typename Word>
int64_t MergeSplit(const Word* a, int64_t a_count, const Word* b, int64_t b_count, int64_t place) {
  int64_t low = std::max<int64_t>(0, place - b_count), high = std::min(place, a_count);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (IsLess(b[place - middle - 1], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

template <typename Word>
void Merge(const Word* a, int64_t a_count, const Word* b, int64_t b_count, Word* out) {
  const Word *a_end = a + a_count, *b_end = b + b_count;
  while (a < a_end && b < b_end) {
    // Without branches, which could not be predicted.
    const bool take_b = IsLess(*b, *a);
    *out++ = take_b ? *b : *a;
    a += take_b ? 0 : 1;
    b += take_b ? 1 : 0;
  }
  out = std::copy(a, a_end, out);
  std::copy(b, b_end, out);
}

// Merges pairs of sorted runs of `width` words.
template <typename Word>
absl::Status MergeRuns(Context& context, int64_t count, int64_t width, const Word* from, Word* to) {
  const int64_t tasks = CeilOfRatio(count, kMergeTask);
  return context.ParallelFor(tasks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      // kMergeTask divides the widths: a task lies within one pair of runs.
      const int64_t first = task * kMergeTask, last = std::min(count, first + kMergeTask);
      const int64_t pair = first / (2 * width) * 2 * width;
      const int64_t a_count = std::min(width, count - pair);
      const int64_t b_count = std::min(width, count - pair - a_count);
      const Word *a = from + pair, *b = a + a_count;
      const int64_t a_first = MergeSplit(a, a_count, b, b_count, first - pair);
      const int64_t a_last = MergeSplit(a, a_count, b, b_count, last - pair);
      const int64_t b_first = first - pair - a_first, b_last = last - pair - a_last;
      Merge(a + a_first, a_last - a_first, b + b_first, b_last - b_first, to + first);
    }
    return absl::OkStatus();
  });
}

template <typename Word>
absl::Status SortAny(Context& context, Word* words, int64_t count) {
  if (count <= kBlock) {
    SortBlock(words, count);
    return absl::OkStatus();
  }
  XLA_RETURN_IF_ERROR(
      context.ParallelFor(CeilOfRatio(count, kBlock), 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          const int64_t first = block * kBlock;
          SortBlock(words + first, std::min(kBlock, count - first));
        }
        return absl::OkStatus();
      }));
  XLA_ASSIGN_OR_RETURN(const ScratchArray<Word> merged, AllocateArray<Word>(context, count));
  Word *from = words, *to = merged.data();
  for (int64_t width = kBlock; width < count; width *= 2) {
    XLA_RETURN_IF_ERROR(MergeRuns(context, count, width, from, to));
    std::swap(from, to);
  }
  if (from == words) return absl::OkStatus();
  return context.ParallelFor(count, kBlock, [&](int64_t begin, int64_t end) {
    std::copy(from + begin, from + end, words + begin);
    return absl::OkStatus();
  });
}

// Runs f(begin, end) over [0, count) in chunks of cheap work.
template <typename F>
absl::Status ForEachChunk(Context& context, int64_t count, F&& f) {
  constexpr int64_t kChunk = kUsualMachine.ItemsOfTask(kNanosecondsPerKey);
  return context.ParallelFor(count, kChunk, [&](int64_t begin, int64_t end) {
    f(begin, end);
    return absl::OkStatus();
  });
}

// Keys relative to the least one, and the index, in one word.
struct PackedWords {
  using Word = uint64_t;
  uint64_t least;

  Word Pack(int64_t key, int64_t index) const {
    return (static_cast<uint64_t>(key) - least) << 32 | static_cast<uint64_t>(index);
  }
  static int64_t Index(Word word) { return static_cast<int64_t>(word & 0xFFFFFFFFu); }
};

struct PackedPairs {
  using Word = KeyAndIndex;

  static Word Pack(int64_t key, int64_t index) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    Word word;
    word.lo = static_cast<uint64_t>(index);
    word.hi = static_cast<uint64_t>(key) ^ kSign;
    return word;
  }
  static int64_t Index(const Word& word) { return static_cast<int64_t>(word.lo); }
};

template <typename Packing>
absl::Status OrderAll(Context& context, const Packing& packing, absl::Span<const int64_t> keys,
                      absl::Span<int64_t> order) {
  using Word = typename Packing::Word;
  const int64_t n = static_cast<int64_t>(keys.size());
  XLA_ASSIGN_OR_RETURN(const ScratchArray<Word> words, AllocateArray<Word>(context, n));
  XLA_RETURN_IF_ERROR(ForEachChunk(context, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) words[i] = packing.Pack(keys[i], i);
  }));
  XLA_RETURN_IF_ERROR(SortAny(context, words.data(), n));
  return ForEachChunk(context, static_cast<int64_t>(order.size()), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) order[i] = Packing::Index(words[i]);
  });
}

// For few places: candidates are collected and reduced to the best ones whenever a block is full.
template <typename Packing>
absl::Status OrderFirst(Context& context, const Packing& packing, absl::Span<const int64_t> keys,
                        absl::Span<int64_t> order) {
  using Word = typename Packing::Word;
  const int64_t n = static_cast<int64_t>(keys.size()), limit = static_cast<int64_t>(order.size());
  const int64_t block = std::min(n, std::max<int64_t>(limit, int64_t{1} << 14));
  const auto is_less = [](const Word& a, const Word& b) { return IsLess(a, b); };
  XLA_ASSIGN_OR_RETURN(const ScratchArray<Word> words, AllocateArray<Word>(context, limit + block));
  int64_t size = 0;
  WorkMeter meter(context);
  for (int64_t begin = 0; begin < n; begin += block) {
    XLA_RETURN_IF_ERROR(meter.Add(4 * static_cast<double>(limit + block)));
    const int64_t end = std::min(n, begin + block);
    const bool full = size == limit;
    for (int64_t i = begin; i < end; ++i) {
      const Word word = packing.Pack(keys[i], i);
      words[size] = word;
      // The last candidate kept is the worst of them.
      size += !full || IsLess(word, words[limit - 1]) ? 1 : 0;
    }
    if (size < limit) continue;
    std::nth_element(words.begin(), words.begin() + limit - 1, words.begin() + size, is_less);
    size = limit;
  }
  std::sort(words.begin(), words.begin() + size, is_less);
  for (int64_t i = 0; i < limit; ++i) order[i] = Packing::Index(words[i]);
  return absl::OkStatus();
}

template <typename Packing>
absl::Status OrderPacked(Context& context, const Packing& packing, absl::Span<const int64_t> keys,
                         absl::Span<int64_t> order) {
  constexpr size_t kFewPlaces = size_t{1} << 16;
  if (order.size() <= keys.size() / 8 && order.size() <= kFewPlaces)
    return OrderFirst(context, packing, keys, order);
  return OrderAll(context, packing, keys, order);
}

// Converts between a value and bits with the same order as unsigned numbers. Signed integers flip
// the sign bit; negative floating-point numbers flip all bits, others the sign bit.
template <typename Word>
absl::Status SortBits(Context& context, bool is_float, bool is_signed, bool descending,
                      int64_t count, Word* words) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  constexpr Word kAll = std::numeric_limits<Word>::max();
  const Word flip = descending ? kAll : Word{0};
  if (!is_float) {
    const Word mask = static_cast<Word>(flip ^ (is_signed ? kSign : Word{0}));
    const auto convert = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) words[i] = static_cast<Word>(words[i] ^ mask);
    };
    XLA_RETURN_IF_ERROR(ForEachChunk(context, count, convert));
    XLA_RETURN_IF_ERROR(SortAny(context, words, count));
    return ForEachChunk(context, count, convert);
  }
  XLA_RETURN_IF_ERROR(ForEachChunk(context, count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Word mask = (words[i] & kSign) != 0 ? kAll : kSign;
      words[i] = static_cast<Word>(words[i] ^ mask ^ flip);
    }
  }));
  XLA_RETURN_IF_ERROR(SortAny(context, words, count));
  return ForEachChunk(context, count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Word word = static_cast<Word>(words[i] ^ flip);
      const Word mask = (word & kSign) != 0 ? kSign : kAll;
      words[i] = static_cast<Word>(word ^ mask);
    }
  });
}

}  // namespace

template <typename Word>
absl::Status SortWords(Context& context, absl::Span<Word> words) {
  return SortAny(context, words.data(), static_cast<int64_t>(words.size()));
}
template absl::Status SortWords<uint16_t>(Context&, absl::Span<uint16_t>);
template absl::Status SortWords<uint32_t>(Context&, absl::Span<uint32_t>);
template absl::Status SortWords<uint64_t>(Context&, absl::Span<uint64_t>);

bool CanSortValues(PrimitiveType type) {
  if (!primitive_util::IsIntegralType(type) && !primitive_util::IsFloatingPointType(type))
    return false;
  const int bits = primitive_util::BitWidth(type);
  return bits == 16 || bits == 32 || bits == 64;
}

absl::Status SortValues(Context& context, PrimitiveType type, bool descending, int64_t count,
                        void* values) {
  const bool is_float = primitive_util::IsFloatingPointType(type);
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  switch (primitive_util::BitWidth(type)) {
    case 16:
      return SortBits(context, is_float, is_signed, descending, count,
                      static_cast<uint16_t*>(values));
    case 32:
      return SortBits(context, is_float, is_signed, descending, count,
                      static_cast<uint32_t*>(values));
    default:
      return SortBits(context, is_float, is_signed, descending, count,
                      static_cast<uint64_t*>(values));
  }
}

absl::Status StableOrder(Context& context, absl::Span<const int64_t> keys,
                         absl::Span<int64_t> order) {
  if (order.empty()) return absl::OkStatus();
  int64_t least = keys[0], greatest = keys[0];
  WorkMeter meter(context);
  constexpr size_t kPiece = size_t{1} << 16;
  for (size_t begin = 0; begin < keys.size(); begin += kPiece) {
    const absl::Span<const int64_t> piece = keys.subspan(begin, kPiece);
    XLA_RETURN_IF_ERROR(meter.Add(static_cast<double>(piece.size())));
    const auto [low, high] = std::minmax_element(piece.begin(), piece.end());
    least = std::min(least, *low);
    greatest = std::max(greatest, *high);
  }
  const uint64_t base = static_cast<uint64_t>(least),
                 range = static_cast<uint64_t>(greatest) - base;
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  if (range <= kMax && keys.size() <= kMax)
    return OrderPacked(context, PackedWords{base}, keys, order);
  return OrderPacked(context, PackedPairs(), keys, order);
}

absl::Status StableOrderBy(Context& context, absl::Span<int64_t> order,
                           absl::FunctionRef<absl::StatusOr<bool>(int64_t a, int64_t b)> less) {
  const int64_t n = static_cast<int64_t>(order.size());
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  constexpr double kNanosecondsPerComparison = 200;
  constexpr int64_t kRun = 8;
  WorkMeter meter(context);
  for (int64_t start = 0; start < n; start += kRun) {
    const int64_t end = std::min(n, start + kRun);
    XLA_RETURN_IF_ERROR(meter.Add(kNanosecondsPerComparison * kRun));
    for (int64_t i = start + 1; i < end; ++i) {
      const int64_t item = order[i];
      int64_t at = i;
      for (; at > start; --at) {
        XLA_ASSIGN_OR_RETURN(const bool is_less, less(item, order[at - 1]));
        if (!is_less) break;
        order[at] = order[at - 1];
      }
      order[at] = item;
    }
  }
  if (n <= kRun) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(const ScratchArray<int64_t> scratch, AllocateArray<int64_t>(context, n));
  int64_t *from = order.data(), *to = scratch.data();
  for (int64_t width = kRun; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      const int64_t middle = std::min(n, start + width), end = std::min(n, start + 2 * width);
      int64_t a = start, b = middle;
      for (int64_t i = start; i < end; ++i) {
        bool take_b = b < end && a >= middle;
        if (b < end && a < middle) {
          XLA_RETURN_IF_ERROR(meter.Add(kNanosecondsPerComparison));
          XLA_ASSIGN_OR_RETURN(take_b, less(from[b], from[a]));
        }
        to[i] = take_b ? from[b++] : from[a++];
      }
    }
    std::swap(from, to);
  }
  if (from != order.data()) std::copy(from, from + n, order.data());
  return absl::OkStatus();
}

absl::Status Gather(Context& context, int64_t element_bytes, absl::Span<const int64_t> order,
                    const void* src, int64_t src_stride, void* dst, int64_t dst_stride) {
  const char* from = static_cast<const char*>(src);
  char* to = static_cast<char*>(dst);
  const int64_t from_step = src_stride * element_bytes, to_step = dst_stride * element_bytes;
  const auto gather = [&](auto bytes) {
    return ForEachChunk(context, static_cast<int64_t>(order.size()),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i)
                            std::memcpy(to + i * to_step, from + order[i] * from_step, bytes);
                        });
  };
  switch (element_bytes) {
    case 1:
      return gather(std::integral_constant<size_t, 1>());
    case 2:
      return gather(std::integral_constant<size_t, 2>());
    case 4:
      return gather(std::integral_constant<size_t, 4>());
    case 8:
      return gather(std::integral_constant<size_t, 8>());
    default:
      return gather(std::integral_constant<size_t, 16>());
  }
}

absl::Status TopK(Context& context, const TopKProblem& problem) {
  const int64_t ranked = std::min(problem.k, problem.valid);
  if (ranked <= 0) return absl::OkStatus();
  const int64_t bytes = primitive_util::ByteWidth(problem.type);
  const char* values = static_cast<const char*>(problem.values);
  char* top_values = static_cast<char*>(problem.top_values);
  constexpr double kNanosecondsPerElement = 4;
  const double cost = 200 + kNanosecondsPerElement * static_cast<double>(problem.valid);
  return context.ParallelFor(
      problem.rows, ChunkFor(problem.rows, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        SerialContext serial(context);
        XLA_ASSIGN_OR_RETURN(const ScratchArray<int64_t> keys,
                             AllocateArray<int64_t>(context, problem.valid));
        XLA_ASSIGN_OR_RETURN(const ScratchArray<int64_t> order,
                             AllocateArray<int64_t>(context, ranked));
        for (int64_t row = begin; row < end; ++row) {
          const char* in = values + row * problem.length * bytes;
          XLA_RETURN_IF_ERROR(ForEachChunk(serial, problem.valid, [&](int64_t first, int64_t last) {
            TotalOrderKeys(problem.type, /*descending=*/problem.largest, last - first,
                           in + first * bytes, keys.data() + first);
          }));
          XLA_RETURN_IF_ERROR(StableOrder(serial, keys.span(), order.span()));
          XLA_RETURN_IF_ERROR(
              Gather(serial, bytes, order.span(), in, 1, top_values + row * problem.k * bytes, 1));
          int32_t* indices = problem.indices + row * problem.k;
          for (int64_t i = 0; i < ranked; ++i) indices[i] = static_cast<int32_t>(order[i]);
        }
        return absl::OkStatus();
      });
}

}  // namespace xla::kernels
