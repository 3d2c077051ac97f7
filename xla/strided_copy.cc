// SPDX-License-Identifier: Apache-2.0
// Strided copy: dimensions are merged and ordered, then a two-dimensional kernel runs over the
// rest.
#include "xla/strided_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "xla/base/check.h"

namespace xla {
namespace {

using Dimension = StridedCopyPlan::Dimension;

struct [[gnu::packed]] Bytes16 {
  uint64_t low, high;
};

// Blocks of this many elements are one task; tiles of a transposition are kTile x kTile.
constexpr int64_t kBlock = 1 << 15;
constexpr int64_t kTile = 32;

template <typename T>
void CopyPlane(const T* source, T* destination, Dimension a, Dimension b) {
  if (b.from == 1 && b.to == 1) {
    if (b.size * static_cast<int64_t>(sizeof(T)) >= 64) {
      for (int64_t i = 0; i < a.size; ++i) {
        std::memcpy(destination + i * a.to, source + i * a.from,
                    static_cast<size_t>(b.size) * sizeof(T));
      }
    } else {
      for (int64_t i = 0; i < a.size; ++i) {
        const T* from = source + i * a.from;
        T* to = destination + i * a.to;
        for (int64_t j = 0; j < b.size; ++j) to[j] = from[j];
      }
    }
    return;
  }
  if (b.from == 0 && b.to == 1) {
    for (int64_t i = 0; i < a.size; ++i) {
      std::fill_n(destination + i * a.to, b.size, source[i * a.from]);
    }
    return;
  }
  // With tiles the cache lines of both sides stay in cache.
  for (int64_t i0 = 0; i0 < a.size; i0 += kTile) {
    const int64_t i1 = std::min(a.size, i0 + kTile);
    for (int64_t j0 = 0; j0 < b.size; j0 += kTile) {
      const int64_t j1 = std::min(b.size, j0 + kTile);
      for (int64_t i = i0; i < i1; ++i) {
        const T* from = source + i * a.from;
        T* to = destination + i * a.to;
        for (int64_t j = j0; j < j1; ++j) to[j * b.to] = from[j * b.from];
      }
    }
  }
}

// An element anywhere: arrays of callers need not be aligned.
template <typename T>
struct [[gnu::packed]] Unaligned {
  T value;
};

template <typename T>
void CopyPlaneOf(const char* source, char* destination, Dimension a, Dimension b) {
  static_assert(sizeof(Unaligned<T>) == sizeof(T));
  CopyPlane(reinterpret_cast<const Unaligned<T>*>(source),
            reinterpret_cast<Unaligned<T>*>(destination), a, b);
}

void CopyPlaneOfBytes(int64_t element_bytes, const char* source, char* destination, Dimension a,
                      Dimension b) {
  switch (element_bytes) {
    case 1:
      return CopyPlaneOf<uint8_t>(source, destination, a, b);
    case 2:
      return CopyPlaneOf<uint16_t>(source, destination, a, b);
    case 4:
      return CopyPlaneOf<uint32_t>(source, destination, a, b);
    case 8:
      return CopyPlaneOf<uint64_t>(source, destination, a, b);
    case 16:
      return CopyPlaneOf<Bytes16>(source, destination, a, b);
    default:
      XLA_CHECK(false) << "an element of " << element_bytes << " bytes";
  }
}

}  // namespace

StridedCopyPlan::StridedCopyPlan(int64_t element_bytes, absl::Span<const int64_t> sizes,
                                 void* destination, absl::Span<const int64_t> destination_strides,
                                 const void* source, absl::Span<const int64_t> source_strides)
    : element_bytes_(element_bytes),
      source_(static_cast<const char*>(source)),
      destination_(static_cast<char*>(destination)) {
  absl::InlinedVector<Dimension, 6> dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) tasks_ = 0;
    if (sizes[i] != 1) dims.push_back({sizes[i], source_strides[i], destination_strides[i]});
  }
  if (tasks_ == 0) return;
  std::stable_sort(dims.begin(), dims.end(), [](const Dimension& x, const Dimension& y) {
    return std::abs(x.to) > std::abs(y.to);
  });
  absl::InlinedVector<Dimension, 6> merged;
  for (const Dimension& dim : dims) {
    if (!merged.empty() && merged.back().to == dim.to * dim.size &&
        merged.back().from == dim.from * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.from, dim.to};
    } else {
      merged.push_back(dim);
    }
  }
  if (!merged.empty()) {
    b_ = merged.back();
    merged.pop_back();
  }
  if (!merged.empty()) {
    // Next to the dimension with contiguous writes, the one with contiguous reads; otherwise the
    // next outer one.
    size_t best = merged.size() - 1;
    if (std::abs(b_.from) > 1) {
      for (size_t i = 0; i < merged.size(); ++i) {
        if (std::abs(merged[i].from) == 1) best = i;
      }
    }
    a_ = merged[best];
    merged.erase(merged.begin() + static_cast<int64_t>(best));
  }
  outer_ = std::move(merged);
  block_b_ = std::min(b_.size, kBlock);
  block_a_ = std::min(a_.size, std::max<int64_t>(1, kBlock / block_b_));
  outer_.push_back({(a_.size + block_a_ - 1) / block_a_, a_.from * block_a_, a_.to * block_a_});
  outer_.push_back({(b_.size + block_b_ - 1) / block_b_, b_.from * block_b_, b_.to * block_b_});
  for (const Dimension& dim : outer_) tasks_ *= dim.size;
}

int64_t StridedCopyPlan::tasks_per_chunk() const {
  return std::max<int64_t>(1, 2 * kBlock / (block_a_ * block_b_));
}

void StridedCopyPlan::Run(int64_t begin, int64_t end) const {
  if (begin >= end) return;
  absl::InlinedVector<int64_t, 8> index(outer_.size());
  int64_t from = 0, to = 0, rest = begin;
  for (size_t d = outer_.size(); d-- > 0;) {
    index[d] = rest % outer_[d].size;
    rest /= outer_[d].size;
    from += index[d] * outer_[d].from;
    to += index[d] * outer_[d].to;
  }
  const size_t at_a = outer_.size() - 2, at_b = outer_.size() - 1;
  for (int64_t task = begin; task < end; ++task) {
    const Dimension part_a = {std::min(block_a_, a_.size - index[at_a] * block_a_), a_.from, a_.to};
    const Dimension part_b = {std::min(block_b_, b_.size - index[at_b] * block_b_), b_.from, b_.to};
    CopyPlaneOfBytes(element_bytes_, source_ + from * element_bytes_,
                     destination_ + to * element_bytes_, part_a, part_b);
    for (size_t d = outer_.size(); d-- > 0;) {
      from += outer_[d].from;
      to += outer_[d].to;
      if (++index[d] < outer_[d].size) break;
      from -= outer_[d].from * outer_[d].size;
      to -= outer_[d].to * outer_[d].size;
      index[d] = 0;
    }
  }
}

void StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes, void* destination,
                 absl::Span<const int64_t> destination_strides, const void* source,
                 absl::Span<const int64_t> source_strides) {
  const StridedCopyPlan plan(element_bytes, sizes, destination, destination_strides, source,
                             source_strides);
  plan.Run(0, plan.tasks());
}

}  // namespace xla
