// SPDX-License-Identifier: Apache-2.0
// The rows that a sort orders, how their elements move, and the order of values without indices.
#ifndef XLA_KERNELS_SORT_SORT_ROWS_H_
#define XLA_KERNELS_SORT_SORT_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "xla/base/machine.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/sort/key_encoding.h"
#include "xla/kernels/sort/sort_kernel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {

// The least elements that a task sorts or moves.
inline constexpr int64_t kTaskElements = kUsualMachine.ItemsOfTask(/*nanoseconds=*/3);
// Rows of at least as many elements are sorted by all workers together.
inline constexpr int64_t kLongRow = 8 * kTaskElements;

// The rows to sort: their starts, and the distance between their elements.
struct Rows {
  explicit Rows(const SortSpec& spec)
      : length(spec.dimensions[spec.dimension]), stride(spec.strides[spec.dimension]) {
    for (size_t d = 0; d < spec.dimensions.size(); ++d) {
      if (static_cast<int64_t>(d) == spec.dimension) continue;
      sizes.push_back(spec.dimensions[d]);
      strides.push_back(spec.strides[d]);
      count *= spec.dimensions[d];
    }
  }
  int64_t Start(int64_t row) const {
    int64_t offset = 0;
    for (size_t d = sizes.size(); d > 0; --d) {
      offset += row % sizes[d - 1] * strides[d - 1];
      row /= sizes[d - 1];
    }
    return offset;
  }
  bool IsLong() const { return length >= kLongRow; }

  int64_t length, stride, count = 1;
  DimensionVector sizes, strides;
};

// to[i * stride] = from[index(i) * stride] for i in [begin, end).
template <typename Index>
void GatherElements(int64_t bytes, const void* from, void* to, int64_t stride, int64_t begin,
                    int64_t end, Index&& index) {
  const auto gather = [&](auto sample) {
    using Element = decltype(sample);
    const Element* src = static_cast<const Element*>(from);
    Element* dst = static_cast<Element*>(to);
    for (int64_t i = begin; i < end; ++i) dst[i * stride] = src[index(i) * stride];
  };
  struct Sixteen {
    uint64_t words[2];
  };
  switch (bytes) {
    case 1:
      return gather(uint8_t());
    case 2:
      return gather(uint16_t());
    case 4:
      return gather(uint32_t());
    case 8:
      return gather(uint64_t());
    default:
      return gather(Sixteen());
  }
}

// to[i * stride] = index(i) for i in [begin, end), as integers of so many bytes.
template <typename Index>
void StoreIndices(int64_t bytes, void* to, int64_t stride, int64_t begin, int64_t end,
                  Index&& index) {
  const auto store = [&](auto sample) {
    using Element = decltype(sample);
    Element* dst = static_cast<Element*>(to);
    for (int64_t i = begin; i < end; ++i) dst[i * stride] = static_cast<Element>(index(i));
  };
  switch (bytes) {
    case 1:
      return store(uint8_t());
    case 2:
      return store(uint16_t());
    case 4:
      return store(uint32_t());
    default:
      return store(uint64_t());
  }
}

class SortKernelBase : public Kernel {
 protected:
  explicit SortKernelBase(const SortSpec& spec) : spec_(spec), rows_(spec) {
    for (const PrimitiveType type : spec.types) bytes_.push_back(primitive_util::ByteWidth(type));
  }

  const char* Operand(const KernelCall& call, int64_t i, int64_t row_start) const {
    return static_cast<const char*>(call.buffers[i]) + row_start * Bytes(i);
  }
  char* Result(const KernelCall& call, int64_t i, int64_t row_start) const {
    return static_cast<char*>(call.buffers[spec_.types.size() + i]) + row_start * Bytes(i);
  }
  int64_t Bytes(int64_t i) const { return bytes_[static_cast<size_t>(i)]; }
  bool IsIndex(int64_t i) const { return !spec_.is_index.empty() && spec_.is_index[i]; }
  bool IsUnused(int64_t i) const { return !spec_.is_unused.empty() && spec_.is_unused[i]; }
  int64_t RowsPerTask() const {
    return std::max<int64_t>(1, kTaskElements / std::max<int64_t>(rows_.length, 1));
  }

  // Moves the elements [begin, end) of all operands of a row to their sorted positions.
  template <typename Index>
  void GatherRow(const KernelCall& call, int64_t row_start, int64_t begin, int64_t end,
                 Index&& index) const {
    for (int64_t i = 0; i < static_cast<int64_t>(spec_.types.size()); ++i) {
      if (IsUnused(i)) continue;
      if (IsIndex(i)) {
        StoreIndices(Bytes(i), Result(call, i, row_start), rows_.stride, begin, end, index);
        continue;
      }
      GatherElements(Bytes(i), Operand(call, i, row_start), Result(call, i, row_start),
                     rows_.stride, begin, end, index);
    }
  }

  // Calls sort_row(row start, task) for rows that a worker sorts alone.
  template <typename F>
  absl::Status ForEachRow(const KernelCall& call, char* scratch, int64_t bytes,
                          F&& sort_row) const {
    const int64_t per_task = RowsPerTask();
    return RunTasks(*call.host, CeilOfRatio(rows_.count, per_task), scratch, bytes,
                    [&](int64_t index, Task& task) {
                      const int64_t end = std::min(rows_.count, (index + 1) * per_task);
                      for (int64_t row = index * per_task; row < end; ++row)
                        sort_row(rows_.Start(row), task);
                    });
  }
  // Calls f(begin, end) for pieces of a long row.
  template <typename F>
  absl::Status ForEachPiece(const KernelCall& call, F&& f) const {
    return RunTasks(*call.host, CeilOfRatio(rows_.length, kTaskElements), nullptr, 0,
                    [&](int64_t index, Task&) {
                      f(index * kTaskElements, std::min(rows_.length, (index + 1) * kTaskElements));
                    });
  }

  const SortSpec spec_;
  const Rows rows_;
  std::vector<int64_t> bytes_;  // of the elements of each operand
};

// How values are ordered that are sorted alone: as words in the memory of the result.
template <typename Word>
class ValueOrder {
 public:
  // Whether words have the size of the only operand's elements, and their order determines the
  // elements.
  static bool Fits(const SortSpec& spec) {
    const PrimitiveType type = spec.types[0];
    return spec.types.size() == 1 &&
           primitive_util::BitWidth(type) == 8 * static_cast<int>(sizeof(Word)) &&
           (spec.order == SortOrder::kTotal || !primitive_util::IsFloatingPointType(type) ||
            type == F32 || type == F64);
  }

  explicit ValueOrder(const SortSpec& spec)
      : type_(spec.types[0]),
        is_float_(primitive_util::IsFloatingPointType(type_)),
        is_signed_(primitive_util::IsSignedIntegralType(type_)),
        has_classes_(is_float_ && spec.order == SortOrder::kNumbers),
        descending_(spec.descending) {}

  void ToWords(const Word* from, int64_t count, Word* words) const {
    if constexpr (sizeof(Word) >= 4) {
      if (has_classes_) {
        OrderedWords(type_, SortOrder::kNumbers, descending_, from, 1, count, words);
        return;
      }
    }
    std::copy_n(from, count, words);
    ToWordsInPlace(count, words);
  }
  // For elements none of which may differ in bits from equal ones (HasClasses).
  void ToWordsInPlace(int64_t count, Word* words) const {
    BitsToOrdered(is_float_, is_signed_, descending_, count, words);
  }
  void FromWords(int64_t count, Word* words) const {
    OrderedToBits(is_float_, is_signed_, descending_, count, words);
  }

  // Whether equal elements may differ in their bits.
  bool HasClasses(const Word* elements, int64_t count) const {
    return has_classes_ && HasUnorderedBits(type_, elements, count);
  }

  // Restores the zeros and NaNs of a sorted row to those of `from`, in their order there.
  void RestoreClasses(const Word* from, int64_t count, Word* sorted) const {
    if constexpr (sizeof(Word) >= 4) {
      if (!HasClasses(from, count)) return;
      constexpr Word kInfinity =
          sizeof(Word) == 4 ? Word{0x7F800000u} : static_cast<Word>(0x7FF0000000000000u);
      constexpr Word kMagnitude = std::numeric_limits<Word>::max() >> 1;
      const auto restore = [&](auto&& belongs) {
        Word* place = std::find_if(sorted, sorted + count, belongs);
        for (int64_t i = 0; i < count; ++i) {
          if (belongs(from[i])) *place++ = from[i];
        }
      };
      restore([](Word bits) { return (bits & kMagnitude) == 0; });
      restore([](Word bits) { return (bits & kMagnitude) > kInfinity; });
    }
  }

  // Sorts a row of contiguous elements; `to` is other memory.
  void SortRow(const Word* from, int64_t count, Word* to) const {
    ToWords(from, count, to);
    SortWordsInPlace(to, count);
    FromWords(count, to);
    RestoreClasses(from, count, to);
  }

 private:
  const PrimitiveType type_;
  const bool is_float_, is_signed_;
  const bool has_classes_;  // zeros and NaNs compare equal, but keep their order and bits
  const bool descending_;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_SORT_ROWS_H_
