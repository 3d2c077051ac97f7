// SPDX-License-Identifier: Apache-2.0
// Sorts values in place, keys with their indices, and by a comparator.
#include "xla/kernels/sort/sort_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hwy/base.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/call_context.h"
#include "xla/kernels/sort/first_few.h"
#include "xla/kernels/sort/key_encoding.h"
#include "xla/kernels/sort/short_rows.h"
#include "xla/kernels/sort/sort.h"
#include "xla/kernels/sort/sort_rows.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// --- Sorts by one key: words of the key and the index.

template <typename KeyWord>
class KeySortKernel final : public SortKernelBase {
  using Word = std::conditional_t<sizeof(KeyWord) == 4, uint64_t, hwy::uint128_t>;

 public:
  explicit KeySortKernel(const SortSpec& spec) : SortKernelBase(spec) {}

  int64_t ScratchBytes(int32_t workers) const override {
    if (!rows_.IsLong()) return (KeyBytes() + WordBytes()) * workers;
    return WordBytes() + ParallelSortBytes(rows_.length);
  }

  absl::Status Run(const KernelCall& call) const override {
    if (rows_.count == 0 || rows_.length == 0) return absl::OkStatus();
    char* scratch = static_cast<char*>(call.scratch);
    if (rows_.IsLong()) {
      for (int64_t row = 0; row < rows_.count; ++row)
        XLA_RETURN_IF_ERROR(SortLongRow(call, rows_.Start(row), scratch));
      return absl::OkStatus();
    }
    return ForEachRow(call, scratch, KeyBytes() + WordBytes(), [&](int64_t start, Task& task) {
      KeyWord* keys = reinterpret_cast<KeyWord*>(task.scratch());
      Word* words = reinterpret_cast<Word*>(task.scratch() + KeyBytes());
      MakeWords(call, start, 0, rows_.length, words, keys);
      SortWordsInPlace(words, rows_.length);
      GatherRow(call, start, 0, rows_.length, [&](int64_t i) { return IndexOf(words[i]); });
    });
  }

 private:
  int64_t KeyBytes() const { return Aligned(rows_.length * static_cast<int64_t>(sizeof(KeyWord))); }
  int64_t WordBytes() const { return Aligned(rows_.length * static_cast<int64_t>(sizeof(Word))); }

  static int64_t IndexOf(const Word& word) {
    if constexpr (sizeof(KeyWord) == 4) {
      return static_cast<int64_t>(word & 0xFFFFFFFFu);
    } else {
      return static_cast<int64_t>(word.lo);
    }
  }

  // Computes words[0..count) of the elements from `begin`; `keys` has memory for as many keys.
  void MakeWords(const KernelCall& call, int64_t start, int64_t begin, int64_t count, Word* words,
                 KeyWord* keys) const {
    const char* elements =
        Operand(call, spec_.key, start) + begin * rows_.stride * Bytes(spec_.key);
    OrderedWords(spec_.types[spec_.key], spec_.order, spec_.descending, elements, rows_.stride,
                 count, keys);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (sizeof(KeyWord) == 4) {
        words[i] = static_cast<uint64_t>(keys[i]) << 32 | static_cast<uint64_t>(begin + i);
      } else {
        words[i].hi = keys[i];
        words[i].lo = static_cast<uint64_t>(begin + i);
      }
    }
  }

  absl::Status SortLongRow(const KernelCall& call, int64_t start, char* scratch) const {
    Word* sorted = reinterpret_cast<Word*>(scratch);
    XLA_RETURN_IF_ERROR(ParallelSort<Word>(
        *call.host, rows_.length,
        [&](int64_t begin, int64_t count, Word* words) {
          KeyWord keys[kSortBlock];
          MakeWords(call, start, begin, count, words, keys);
        },
        sorted, scratch + WordBytes()));
    return ForEachPiece(call, [&](int64_t begin, int64_t end) {
      GatherRow(call, start, begin, end, [&](int64_t i) { return IndexOf(sorted[i]); });
    });
  }
};

// --- Sorts of values alone: as words in the memory of the result.

template <typename Word>
class ValueSortKernel final : public SortKernelBase {
 public:
  explicit ValueSortKernel(const SortSpec& spec) : SortKernelBase(spec), order_(spec) {}

  static bool Fits(const SortSpec& spec) {
    return spec.strides[spec.dimension] == 1 && ValueOrder<Word>::Fits(spec);
  }

  int64_t ScratchBytes(int32_t) const override {
    return rows_.IsLong() ? ParallelSortBytes(rows_.length) : 0;
  }

  absl::Status Run(const KernelCall& call) const override {
    if (rows_.count == 0 || rows_.length == 0) return absl::OkStatus();
    if (!rows_.IsLong()) {
      return ForEachRow(call, nullptr, 0, [&](int64_t start, Task&) {
        order_.SortRow(reinterpret_cast<const Word*>(Operand(call, 0, start)), rows_.length,
                       reinterpret_cast<Word*>(Result(call, 0, start)));
      });
    }
    for (int64_t row = 0; row < rows_.count; ++row) {
      const Word* from = reinterpret_cast<const Word*>(Operand(call, 0, rows_.Start(row)));
      Word* to = reinterpret_cast<Word*>(Result(call, 0, rows_.Start(row)));
      XLA_RETURN_IF_ERROR(ParallelSort<Word>(
          *call.host, rows_.length,
          [&](int64_t begin, int64_t count, Word* words) {
            order_.ToWords(from + begin, count, words);
          },
          to, static_cast<char*>(call.scratch)));
      XLA_RETURN_IF_ERROR(ForEachPiece(
          call, [&](int64_t begin, int64_t end) { order_.FromWords(end - begin, to + begin); }));
      order_.RestoreClasses(from, rows_.length, to);
    }
    return absl::OkStatus();
  }

 private:
  const ValueOrder<Word> order_;
};

// --- Sorts by a function: merge sort of indices.

class ComparatorSortKernel final : public SortKernelBase {
 public:
  explicit ComparatorSortKernel(const SortSpec& spec) : SortKernelBase(spec) {}

  int64_t ScratchBytes(int32_t workers) const override {
    return 2 * OrderBytes() * (rows_.IsLong() ? 1 : workers);
  }

  absl::Status Run(const KernelCall& call) const override {
    if (rows_.count == 0 || rows_.length == 0) return absl::OkStatus();
    char* scratch = static_cast<char*>(call.scratch);
    if (!rows_.IsLong()) {
      return ForEachRow(call, scratch, 2 * OrderBytes(), [&](int64_t start, Task& task) {
        int64_t* order = reinterpret_cast<int64_t*>(task.scratch());
        int64_t* other = reinterpret_cast<int64_t*>(task.scratch() + OrderBytes());
        SortRun(call, start, 0, rows_.length, order);
        order = MergeAll(call, start, 0, rows_.length, order, other, &task);
        GatherRow(call, start, 0, rows_.length, [&](int64_t i) { return order[i]; });
      });
    }
    for (int64_t row = 0; row < rows_.count; ++row)
      XLA_RETURN_IF_ERROR(SortLongRow(call, rows_.Start(row), scratch));
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kRun = 8;  // sorted by insertion
  int64_t OrderBytes() const { return Aligned(rows_.length * 8); }

  bool IsLess(const KernelCall& call, int64_t start, int64_t a, int64_t b) const {
    const int64_t count = static_cast<int64_t>(spec_.types.size());
    absl::InlinedVector<const void*, 16> elements(2 * count);
    for (int64_t i = 0; i < count; ++i) {
      const char* operand = Operand(call, i, start);
      elements[2 * i] = operand + a * rows_.stride * Bytes(i);
      elements[2 * i + 1] = operand + b * rows_.stride * Bytes(i);
    }
    return spec_.less(call.buffers, elements.data());
  }

  // Sorts the runs of kRun elements of [begin, end).
  void SortRun(const KernelCall& call, int64_t start, int64_t begin, int64_t end,
               int64_t* order) const {
    for (int64_t run = begin; run < end; run += kRun) {
      for (int64_t i = run; i < std::min(end, run + kRun); ++i) {
        int64_t at = i;
        for (; at > run && IsLess(call, start, i, order[at - 1]); --at) order[at] = order[at - 1];
        order[at] = i;
      }
    }
  }

  void Merge(const KernelCall& call, int64_t start, const int64_t* from, int64_t begin,
             int64_t middle, int64_t end, int64_t* to) const {
    int64_t a = begin, b = middle;
    for (int64_t i = begin; i < end; ++i) {
      const bool take_b = b < end && (a >= middle || IsLess(call, start, from[b], from[a]));
      to[i] = take_b ? from[b++] : from[a++];
    }
  }

  // Merges the runs of [begin, end) to one, within one of the two arrays, which is returned. Stops
  // early if the task should.
  int64_t* MergeAll(const KernelCall& call, int64_t start, int64_t begin, int64_t end,
                    int64_t* order, int64_t* other, Task* task) const {
    for (int64_t width = kRun; width < end - begin; width *= 2) {
      for (int64_t run = begin; run < end; run += 2 * width) {
        Merge(call, start, order, run, std::min(end, run + width), std::min(end, run + 2 * width),
              other);
      }
      std::swap(order, other);
      if (task->ShouldStop()) break;
    }
    return order;
  }

  absl::Status SortLongRow(const KernelCall& call, int64_t start, char* scratch) const {
    int64_t* order = reinterpret_cast<int64_t*>(scratch);
    int64_t* other = reinterpret_cast<int64_t*>(scratch + OrderBytes());
    const int64_t length = rows_.length;
    XLA_RETURN_IF_ERROR(RunTasks(
        *call.host, CeilOfRatio(length, kTaskElements), nullptr, 0, [&](int64_t index, Task& task) {
          const int64_t begin = index * kTaskElements,
                        end = std::min(length, begin + kTaskElements);
          SortRun(call, start, begin, end, order);
          const int64_t* sorted = MergeAll(call, start, begin, end, order, other, &task);
          if (sorted != order) std::copy(sorted + begin, sorted + end, order + begin);
        }));
    for (int64_t width = kTaskElements; width < length; width *= 2) {
      XLA_RETURN_IF_ERROR(
          RunTasks(*call.host, CeilOfRatio(length, 2 * width), nullptr, 0, [&](int64_t i, Task&) {
            const int64_t run = i * 2 * width;
            Merge(call, start, order, run, std::min(length, run + width),
                  std::min(length, run + 2 * width), other);
          }));
      std::swap(order, other);
    }
    return ForEachPiece(call, [&](int64_t begin, int64_t end) {
      GatherRow(call, start, begin, end, [&](int64_t i) { return order[i]; });
    });
  }
};

// Selects the first k of rows by words of a key and the index: words that come before the k-th so
// far are collected, and sorted when there are enough.
class SelectKernel final : public Kernel {
 public:
  // Rows of fewer elements are taken at once.
  static constexpr int64_t kShortRow = 512;

  explicit SelectKernel(const TopKSpec& spec) : spec_(spec) {}

  // Whether rows are short, and have enough groups of more than two elements (see GroupLimit): the
  // least of pairs say too little.
  static bool HasGroupLimit(const TopKSpec& spec) {
    return spec.length < kShortRow && 5 * GroupsOf(spec) <= 2 * spec.length;
  }

  int64_t ScratchBytes(int32_t workers) const override { return Aligned(Capacity() * 8) * workers; }
  absl::Status Run(const KernelCall& call) const override {
    const int64_t per_task =
        std::max<int64_t>(1, kTaskElements / std::max<int64_t>(spec_.length, 1));
    return RunTasks(*call.host, CeilOfRatio(spec_.rows, per_task), static_cast<char*>(call.scratch),
                    Aligned(Capacity() * 8), [&](int64_t index, Task& task) {
                      const int64_t end = std::min(spec_.rows, (index + 1) * per_task);
                      for (int64_t row = index * per_task; row < end && !task.ShouldStop(); ++row)
                        SelectRow(call, row, reinterpret_cast<uint64_t*>(task.scratch()));
                    });
  }

 private:
  static int64_t GroupsOf(const TopKSpec& spec) { return RoundUpTo<int64_t>(3 * spec.k, 16); }

  int64_t Capacity() const { return spec_.k + std::max<int64_t>(spec_.k, 256); }

  void SelectRow(const KernelCall& call, int64_t row, uint64_t* best) const {
    const int64_t bytes = primitive_util::ByteWidth(spec_.type);
    const char* in = static_cast<const char*>(call.buffers[0]) + row * spec_.length * bytes;
    int64_t count = 0;
    uint32_t limit = 0;
    if (HasGroupLimit(spec_)) {
      limit = GroupLimit(in);
    } else if (spec_.length >= kShortRow) {
      limit = SampledLimit(in);
    }
    if (limit > 0) count = Collect(in, true, limit, best);
    if (count < spec_.k) count = Collect(in, false, 0, best);
    SortWordsInPlace(best, count);
    const auto place = [&](int64_t i) { return static_cast<int64_t>(best[i] & 0xFFFFFFFFu); };
    GatherElements(bytes, in, static_cast<char*>(call.buffers[1]) + row * spec_.k * bytes, 1, 0,
                   spec_.k, place);
    StoreIndices(4, static_cast<int32_t*>(call.buffers[2]) + row * spec_.k, 1, 0, spec_.k, place);
  }

  // Returns a key that is greater than at least k keys of the row, and than few others: the k-th of
  // the least keys of groups, and one. 0 if there is none.
  uint32_t GroupLimit(const char* in) const {
    const int64_t n = spec_.length, k = spec_.k, groups = GroupsOf(spec_);
    uint32_t keys[kShortRow], least[kShortRow / 2];
    OrderedWords(spec_.type, SortOrder::kTotal, spec_.largest, in, 1, n, keys);
    std::copy(keys, keys + groups, least);
    for (int64_t first = groups; first < n; first += groups) {
      for (int64_t j = 0; j < std::min(groups, n - first); ++j)
        least[j] = std::min(least[j], keys[first + j]);
    }
    std::nth_element(least, least + k - 1, least + groups);
    return least[k - 1] == std::numeric_limits<uint32_t>::max() ? 0 : least[k - 1] + 1;
  }

  // Estimates, from samples, a key that is greater than somewhat more than k keys of a long row.
  // Without it, most elements of a row in ascending order would be among the first so far.
  uint32_t SampledLimit(const char* in) const {
    constexpr int64_t kMostSamples = 2048, kOthers = 8;
    const int64_t samples = std::min(kMostSamples, spec_.length / kOthers);
    uint32_t keys[kMostSamples];
    OrderedWords(spec_.type, SortOrder::kTotal, spec_.largest, in, spec_.length / samples, samples,
                 keys);
    // The expected rank, plus three standard deviations.
    const double rank = static_cast<double>(samples) * static_cast<double>(spec_.k) /
                        static_cast<double>(spec_.length);
    const auto place = static_cast<int64_t>(rank + 3 * std::sqrt(rank) + 2);
    if (place >= samples) return 0;
    std::nth_element(keys, keys + place, keys + samples);
    return keys[place];
  }

  // Collects the words of keys below `limit`, if there is one, that are among the first k so far.
  // They are the words of all k if at least k keys are below it.
  int64_t Collect(const char* in, bool is_limited, uint32_t limit, uint64_t* best) const {
    constexpr int64_t kBlock = 1024, kGroup = 16;
    const int64_t bytes = primitive_util::ByteWidth(spec_.type);
    int64_t count = 0;
    for (int64_t block = 0; block < spec_.length; block += kBlock) {
      uint32_t keys[kBlock];
      const int64_t n = std::min(kBlock, spec_.length - block);
      OrderedWords(spec_.type, SortOrder::kTotal, spec_.largest, in + block * bytes, 1, n, keys);
      for (int64_t i = 0; i < n; i += kGroup) {
        if (is_limited && i + kGroup <= n) {
          uint32_t any = 0;
          for (int64_t j = 0; j < kGroup; ++j) any |= keys[i + j] < limit ? 1u : 0u;
          if (any == 0) continue;
        }
        if (is_limited && i + kGroup <= n && count + kGroup < Capacity()) {
          // Without branches: those that are not below are written over.
          for (int64_t j = i; j < i + kGroup; ++j) {
            best[count] = static_cast<uint64_t>(keys[j]) << 32 | static_cast<uint64_t>(block + j);
            count += keys[j] < limit ? 1 : 0;
          }
          continue;
        }
        for (int64_t j = i; j < std::min(n, i + kGroup); ++j) {
          if (is_limited && keys[j] >= limit) continue;
          best[count++] = static_cast<uint64_t>(keys[j]) << 32 | static_cast<uint64_t>(block + j);
          if (count < Capacity()) continue;
          SortWordsInPlace(best, count);
          count = spec_.k;
          limit = static_cast<uint32_t>(best[count - 1] >> 32);
          is_limited = true;
        }
      }
    }
    return count;
  }

  const TopKSpec spec_;
};

class TopKKernel final : public Kernel {
 public:
  explicit TopKKernel(const TopKSpec& spec) : spec_(spec) {
    // The memory of keys, the order, and the words of StableOrder: of all elements, or of the
    // candidates.
    constexpr int64_t kWordBytes = 16, kCandidates = int64_t{1} << 14;
    const int64_t n = spec.length, k = spec.k;
    const int64_t words = k > n / 8 ? 2 * n : std::min(2 * n, 2 * k + std::max(k, kCandidates));
    memory_.worker =
        CallMemory::Of(n * 8) + CallMemory::Of(k * 8) + 2 * CallMemory::Of(words * kWordBytes / 2);
  }
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    return TopK(context,
                {spec_.type, spec_.largest, spec_.rows, spec_.length, spec_.length, spec_.k,
                 call.buffers[0], call.buffers[1], static_cast<int32_t*>(call.buffers[2])});
  }

 private:
  const TopKSpec spec_;
  CallMemory memory_;
};

}  // namespace

namespace {

// The keys of all elements are compared, and some of them sorted.
double SelectCost(const TopKSpec& spec) {
  if (primitive_util::BitWidth(spec.type) > 32 || spec.k == 0 ||
      spec.length > int64_t{0xFFFFFFFF}) {
    return kDoesNotFit;
  }
  constexpr double kRow = 300, kElement = 0.6, kCollected = 15;
  const auto n = static_cast<double>(spec.length), k = static_cast<double>(spec.k);
  if (SelectKernel::HasGroupLimit(spec)) {
    constexpr double kGroupedRow = 150, kGroupedPlace = 45;
    return static_cast<double>(spec.rows) * (kGroupedRow + n * kElement + k * kGroupedPlace);
  }
  if (spec.length < SelectKernel::kShortRow) {
    // The words stay in the first-level cache.
    constexpr double kShortRow = 50, kShortCollected = 8;
    return static_cast<double>(spec.rows) *
           (kShortRow + n * kElement + std::min(n, 2 * k + 256) * kShortCollected);
  }
  const double collected = std::min(n, 1.2 * k + 3 * n / 2048) * kCollected;
  return static_cast<double>(spec.rows) * (kRow + n * kElement + collected);
}

// The elements are sorted: all of them, or the candidates if k is small.
double OrderCost(const TopKSpec& spec) {
  constexpr double kRow = 450, kElement = 5, kOrdered = 25;
  const auto n = static_cast<double>(spec.length);
  const double ordered = spec.k > spec.length / 8 ? n : 2 * static_cast<double>(spec.k);
  return static_cast<double>(spec.rows) * (kRow + n * kElement + ordered * kOrdered);
}

template <typename K>
std::unique_ptr<const Kernel> MakeOf(const TopKSpec& spec) {
  return std::make_unique<K>(spec);
}

constexpr Form<TopKSpec> kTopKForms[] = {{"select", &SelectCost, &MakeOf<SelectKernel>},
                                         {"order", &OrderCost, &MakeOf<TopKKernel>},
                                         {"first few", &FirstFewCost, &MakeFirstFew}};

}  // namespace

std::vector<FormCost> TopKForms(const TopKSpec& spec) {
  return CostsOf<TopKSpec>(kTopKForms, spec);
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakeTopKKernel(const TopKSpec& spec) {
  if (primitive_util::IsComplexType(spec.type))
    return absl::InvalidArgumentError("cannot sort complex numbers");
  return MakeChosen<TopKSpec>(kTopKForms, spec);
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakeSortKernel(const SortSpec& spec) {
  if (spec.order == SortOrder::kComparator) return std::make_unique<ComparatorSortKernel>(spec);
  const PrimitiveType type = spec.types[spec.key];
  if (primitive_util::IsComplexType(type))
    return absl::InvalidArgumentError("cannot sort complex numbers");
  const bool is_wide = primitive_util::BitWidth(type) == 64;
  if (!is_wide && spec.dimensions[spec.dimension] > int64_t{0xFFFFFFFF}) {
    return absl::UnimplementedError(
        absl::StrCat("sort of rows of ", spec.dimensions[spec.dimension], " elements"));
  }
  if (std::unique_ptr<const Kernel> kernel = MakeShortRowSort(spec)) return kernel;
  if (ValueSortKernel<uint16_t>::Fits(spec))
    return std::make_unique<ValueSortKernel<uint16_t>>(spec);
  if (ValueSortKernel<uint32_t>::Fits(spec))
    return std::make_unique<ValueSortKernel<uint32_t>>(spec);
  if (ValueSortKernel<uint64_t>::Fits(spec))
    return std::make_unique<ValueSortKernel<uint64_t>>(spec);
  if (is_wide) return std::make_unique<KeySortKernel<uint64_t>>(spec);
  return std::make_unique<KeySortKernel<uint32_t>>(spec);
}

}  // namespace xla::kernels
