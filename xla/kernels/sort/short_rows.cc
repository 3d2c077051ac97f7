// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/sort/short_rows.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/kernels/sort/key_encoding.h"
#include "xla/kernels/sort/sort_rows.h"
#include "xla/kernels/sort/sorting_network.h"

namespace xla::kernels {
namespace {

// Returns the sort with its other dimensions in the order of memory, as few as there can be: rows
// of the last one are neighbors.
SortSpec InOrderOfMemory(const SortSpec& spec) {
  std::vector<size_t> order;
  for (size_t d = 0; d < spec.dimensions.size(); ++d) {
    if (static_cast<int64_t>(d) != spec.dimension && spec.dimensions[d] != 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return spec.strides[a] > spec.strides[b]; });
  SortSpec sorted = spec;
  sorted.dimensions = {spec.dimensions[spec.dimension]};
  sorted.strides = {spec.strides[spec.dimension]};
  sorted.dimension = 0;
  for (const size_t d : order) {
    const int64_t size = spec.dimensions[d], stride = spec.strides[d];
    if (sorted.dimensions.size() > 1 && sorted.strides.back() == size * stride) {
      sorted.dimensions.back() *= size;
      sorted.strides.back() = stride;
    } else {
      sorted.dimensions.push_back(size);
      sorted.strides.push_back(stride);
    }
  }
  return sorted;
}

// to[lane * to_stride] = from[lane * from_stride].
template <typename Word>
void CopyLanes(const Word* from, int64_t from_stride, int64_t count, Word* to, int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    std::copy_n(from, count, to);
    return;
  }
  for (int64_t lane = 0; lane < count; ++lane) to[lane * to_stride] = from[lane * from_stride];
}

template <typename Word>
class ShortRowSort : public SortKernelBase {
 protected:
  explicit ShortRowSort(const SortSpec& spec)
      : SortKernelBase(InOrderOfMemory(spec)), network_(MakeSortingNetwork(rows_.length)) {
    if (!rows_.sizes.empty()) {
      neighbors_ = rows_.sizes.back();
      distance_ = rows_.strides.back();
    }
  }

  static constexpr int64_t kRows = kNetworkRows<Word>;
  int64_t BlockBytes() const { return Aligned(rows_.length * kRows * int64_t{sizeof(Word)}); }

  // Calls sort(start of the first row, rows, task) for blocks of at most kRows neighboring rows,
  // which are distance_ elements apart.
  template <typename F>
  absl::Status ForEachBlock(const KernelCall& call, int64_t scratch_bytes, F&& sort) const {
    const int64_t blocks = CeilOfRatio(neighbors_, kRows), groups = rows_.count / neighbors_;
    const int64_t per_task = std::max<int64_t>(1, RowsPerTask() / kRows);
    return RunTasks(
        *call.host, CeilOfRatio(blocks * groups, per_task), static_cast<char*>(call.scratch),
        scratch_bytes, [&](int64_t index, Task& task) {
          const int64_t end = std::min(blocks * groups, (index + 1) * per_task);
          for (int64_t block = index * per_task; block < end && !task.ShouldStop(); ++block) {
            const int64_t first = block % blocks * kRows;
            const int64_t start = rows_.Start(block / blocks * neighbors_) + first * distance_;
            sort(start, std::min(kRows, neighbors_ - first), task);
          }
        });
  }

  const std::vector<Comparator> network_;
  int64_t neighbors_ = 1, distance_ = 1;
};

// Sorts values alone, which are words of their size.
template <typename Word>
class ShortValueSort final : public ShortRowSort<Word> {
  using Base = ShortRowSort<Word>;
  using Base::distance_, Base::rows_, Base::kRows;

 public:
  explicit ShortValueSort(const SortSpec& spec) : Base(spec), order_(spec) {}

  int64_t ScratchBytes(int32_t workers) const override { return 2 * Base::BlockBytes() * workers; }

  absl::Status Run(const KernelCall& call) const override {
    return Base::ForEachBlock(
        call, 2 * Base::BlockBytes(), [&](int64_t start, int64_t rows, Task& task) {
          const Word* from = reinterpret_cast<const Word*>(Base::Operand(call, 0, start));
          Word* to = reinterpret_cast<Word*>(Base::Result(call, 0, start));
          Word* words = reinterpret_cast<Word*>(task.scratch());
          const int64_t count = rows_.length * kRows;
          for (int64_t i = 0; i < rows_.length; ++i) {
            CopyLanes(from + i * rows_.stride, distance_, rows, words + i * kRows, 1);
            std::fill(words + i * kRows + rows, words + (i + 1) * kRows, Word{0});
          }
          if (order_.HasClasses(words, count)) {
            SortOneByOne(words, rows, reinterpret_cast<Word*>(task.scratch() + Base::BlockBytes()));
          } else {
            order_.ToWordsInPlace(count, words);
            RunSortingNetwork(Base::network_, words);
            order_.FromWords(count, words);
          }
          for (int64_t i = 0; i < rows_.length; ++i)
            CopyLanes(words + i * kRows, 1, rows, to + i * rows_.stride, distance_);
        });
  }

 private:
  // Equal elements that differ in their bits keep their order.
  void SortOneByOne(Word* words, int64_t rows, Word* scratch) const {
    Word* sorted = scratch + rows_.length;
    for (int64_t row = 0; row < rows; ++row) {
      CopyLanes(words + row, kRows, rows_.length, scratch, 1);
      order_.SortRow(scratch, rows_.length, sorted);
      CopyLanes(sorted, 1, rows_.length, words + row, kRows);
    }
  }

  const ValueOrder<Word> order_;
};

// Sorts words of keys of 32 bits and their indices.
class ShortKeySort final : public ShortRowSort<uint64_t> {
 public:
  explicit ShortKeySort(const SortSpec& spec) : ShortRowSort(spec) {}

  int64_t ScratchBytes(int32_t workers) const override { return BlockBytes() * workers; }

  absl::Status Run(const KernelCall& call) const override {
    return ForEachBlock(call, BlockBytes(), [&](int64_t start, int64_t rows, Task& task) {
      uint64_t* words = reinterpret_cast<uint64_t*>(task.scratch());
      const char* keys = Operand(call, spec_.key, start);
      for (int64_t i = 0; i < rows_.length; ++i) {
        uint32_t key[kRows] = {};
        OrderedWords(spec_.types[spec_.key], spec_.order, spec_.descending,
                     keys + i * rows_.stride * Bytes(spec_.key), distance_, rows, key);
        for (int64_t row = 0; row < kRows; ++row)
          words[i * kRows + row] = uint64_t{key[row]} << 32 | static_cast<uint64_t>(i);
      }
      RunSortingNetwork(network_, words);
      for (int64_t row = 0; row < rows; ++row) {
        GatherRow(call, start + row * distance_, 0, rows_.length, [&](int64_t i) {
          return static_cast<int64_t>(words[i * kRows + row] & 0xFFFFFFFFu);
        });
      }
    });
  }
};

// Whether sorting each row by itself takes longer than the network, which has more comparators an
// element for longer rows. Measured with AVX2 and AVX-512, with words of 32 and 64 bits.
bool IsWorthwhile(const SortSpec& spec) {
  constexpr int64_t kFewestRows = 8, kLongest = 64;
  int64_t rows = 1;
  for (size_t d = 0; d < spec.dimensions.size(); ++d) {
    if (static_cast<int64_t>(d) != spec.dimension) rows *= spec.dimensions[d];
  }
  const int64_t length = spec.dimensions[spec.dimension];
  return length >= 2 && length <= kLongest && rows >= kFewestRows;
}

template <typename Word>
std::unique_ptr<const Kernel> MakeShortValueSort(const SortSpec& spec) {
  if (!ValueOrder<Word>::Fits(spec)) return nullptr;
  return std::make_unique<ShortValueSort<Word>>(spec);
}

}  // namespace

std::unique_ptr<const Kernel> MakeShortRowSort(const SortSpec& spec) {
  if (!IsWorthwhile(spec)) return nullptr;
  if (std::unique_ptr<const Kernel> kernel = MakeShortValueSort<uint16_t>(spec)) return kernel;
  if (std::unique_ptr<const Kernel> kernel = MakeShortValueSort<uint32_t>(spec)) return kernel;
  if (std::unique_ptr<const Kernel> kernel = MakeShortValueSort<uint64_t>(spec)) return kernel;
  if (primitive_util::BitWidth(spec.types[spec.key]) == 64) return nullptr;
  return std::make_unique<ShortKeySort>(spec);
}

}  // namespace xla::kernels
