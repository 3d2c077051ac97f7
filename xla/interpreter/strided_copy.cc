// SPDX-License-Identifier: Apache-2.0
// Strided copies: dimensions are merged and ordered, then a two-dimensional kernel runs over the
// rest.
#include "xla/interpreter/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "xla/base/check.h"

namespace xla {
namespace {

struct Dim {
  int64_t size, src, dst;  // strides in elements
};

struct Bytes16 {
  uint64_t low, high;
};

// Blocks of this many elements are one task; tiles of a transposition are kTile x kTile.
constexpr int64_t kBlock = 1 << 15;
constexpr int64_t kTile = 32;

template <typename T>
void Copy2D(const T* src, T* dst, Dim a, Dim b) {
  if (b.src == 1 && b.dst == 1) {
    if (b.size * static_cast<int64_t>(sizeof(T)) >= 64) {
      for (int64_t i = 0; i < a.size; ++i) {
        std::memcpy(dst + i * a.dst, src + i * a.src, static_cast<size_t>(b.size) * sizeof(T));
      }
    } else {
      for (int64_t i = 0; i < a.size; ++i) {
        const T* from = src + i * a.src;
        T* to = dst + i * a.dst;
        for (int64_t j = 0; j < b.size; ++j) to[j] = from[j];
      }
    }
    return;
  }
  if (b.src == 0 && b.dst == 1) {
    for (int64_t i = 0; i < a.size; ++i) std::fill_n(dst + i * a.dst, b.size, src[i * a.src]);
    return;
  }
  // Tiles keep the cache lines of both sides in reach.
  for (int64_t i0 = 0; i0 < a.size; i0 += kTile) {
    const int64_t i1 = std::min(a.size, i0 + kTile);
    for (int64_t j0 = 0; j0 < b.size; j0 += kTile) {
      const int64_t j1 = std::min(b.size, j0 + kTile);
      for (int64_t i = i0; i < i1; ++i) {
        const T* from = src + i * a.src;
        T* to = dst + i * a.dst;
        for (int64_t j = j0; j < j1; ++j) to[j * b.dst] = from[j * b.src];
      }
    }
  }
}

void Copy2DBytes(int64_t element_bytes, const char* src, char* dst, Dim a, Dim b) {
  switch (element_bytes) {
    case 1:
      return Copy2D(reinterpret_cast<const uint8_t*>(src), reinterpret_cast<uint8_t*>(dst), a, b);
    case 2:
      return Copy2D(reinterpret_cast<const uint16_t*>(src), reinterpret_cast<uint16_t*>(dst), a, b);
    case 4:
      return Copy2D(reinterpret_cast<const uint32_t*>(src), reinterpret_cast<uint32_t*>(dst), a, b);
    case 8:
      return Copy2D(reinterpret_cast<const uint64_t*>(src), reinterpret_cast<uint64_t*>(dst), a, b);
    case 16:
      return Copy2D(reinterpret_cast<const Bytes16*>(src), reinterpret_cast<Bytes16*>(dst), a, b);
    default:
      XLA_CHECK(false) << "an element of " << element_bytes << " bytes";
  }
}

// A copy cut into tasks: every index of `outer`, for blocks of the two kernel dimensions.
struct Plan {
  int64_t element_bytes;
  const char* src;
  char* dst;
  absl::InlinedVector<Dim, 6>
      outer;  // the last two step through the blocks of the kernel's dimensions
  Dim a, b;
  int64_t block_a, block_b;
  int64_t tasks = 1;
  bool is_empty = false;

  Plan(int64_t bytes, absl::Span<const int64_t> dimensions, const void* source,
       absl::Span<const int64_t> src_strides, void* destination,
       absl::Span<const int64_t> dst_strides)
      : element_bytes(bytes),
        src(static_cast<const char*>(source)),
        dst(static_cast<char*>(destination)) {
    absl::InlinedVector<Dim, 6> dims;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i] == 0) is_empty = true;
      if (dimensions[i] != 1) dims.push_back({dimensions[i], src_strides[i], dst_strides[i]});
    }
    if (is_empty) return;
    std::stable_sort(dims.begin(), dims.end(),
                     [](const Dim& x, const Dim& y) { return std::abs(x.dst) > std::abs(y.dst); });
    absl::InlinedVector<Dim, 6> merged;
    for (const Dim& dim : dims) {
      if (!merged.empty() && merged.back().dst == dim.dst * dim.size &&
          merged.back().src == dim.src * dim.size) {
        merged.back() = {merged.back().size * dim.size, dim.src, dim.dst};
      } else {
        merged.push_back(dim);
      }
    }
    b = merged.empty() ? Dim{1, 1, 1} : merged.back();
    if (!merged.empty()) merged.pop_back();
    a = {1, 0, 0};
    if (!merged.empty()) {
      // Beside the dimension that writes in order, the one that reads in order; else the next one
      // out.
      size_t best = merged.size() - 1;
      if (std::abs(b.src) > 1) {
        for (size_t i = 0; i < merged.size(); ++i) {
          if (std::abs(merged[i].src) == 1) best = i;
        }
      }
      a = merged[best];
      merged.erase(merged.begin() + static_cast<int64_t>(best));
    }
    outer = std::move(merged);
    block_b = std::min(b.size, kBlock);
    block_a = std::min(a.size, std::max<int64_t>(1, kBlock / block_b));
    outer.push_back({(a.size + block_a - 1) / block_a, a.src * block_a, a.dst * block_a});
    outer.push_back({(b.size + block_b - 1) / block_b, b.src * block_b, b.dst * block_b});
    for (const Dim& dim : outer) tasks *= dim.size;
  }

  // Tasks per parallel chunk.
  int64_t Chunk() const { return std::max<int64_t>(1, 2 * kBlock / (block_a * block_b)); }

  void Run(int64_t begin, int64_t end) const {
    absl::InlinedVector<int64_t, 8> index(outer.size());
    int64_t from = 0, to = 0, rest = begin;
    for (size_t d = outer.size(); d-- > 0;) {
      index[d] = rest % outer[d].size;
      rest /= outer[d].size;
      from += index[d] * outer[d].src;
      to += index[d] * outer[d].dst;
    }
    const size_t at_a = outer.size() - 2, at_b = outer.size() - 1;
    for (int64_t task = begin; task < end; ++task) {
      const Dim part_a = {std::min(block_a, a.size - index[at_a] * block_a), a.src, a.dst};
      const Dim part_b = {std::min(block_b, b.size - index[at_b] * block_b), b.src, b.dst};
      Copy2DBytes(element_bytes, src + from * element_bytes, dst + to * element_bytes, part_a,
                  part_b);
      for (size_t d = outer.size(); d-- > 0;) {
        from += outer[d].src;
        to += outer[d].dst;
        if (++index[d] < outer[d].size) break;
        from -= outer[d].src * outer[d].size;
        to -= outer[d].dst * outer[d].size;
        index[d] = 0;
      }
    }
  }
};

}  // namespace

absl::Status StridedCopy(EvalContext& ctx, int64_t element_bytes,
                         absl::Span<const int64_t> dimensions, const void* src,
                         absl::Span<const int64_t> src_strides, void* dst,
                         absl::Span<const int64_t> dst_strides) {
  const Plan plan(element_bytes, dimensions, src, src_strides, dst, dst_strides);
  if (plan.is_empty) return absl::OkStatus();
  return ctx.ParallelFor(plan.tasks, plan.Chunk(),
                         [&](int64_t begin, int64_t end) { plan.Run(begin, end); });
}

void StridedCopySerial(int64_t element_bytes, absl::Span<const int64_t> dimensions, const void* src,
                       absl::Span<const int64_t> src_strides, void* dst,
                       absl::Span<const int64_t> dst_strides) {
  const Plan plan(element_bytes, dimensions, src, src_strides, dst, dst_strides);
  if (!plan.is_empty) plan.Run(0, plan.tasks);
}

absl::Status FillElements(EvalContext& ctx, int64_t element_bytes, int64_t count, const void* value,
                          void* dst) {
  return StridedCopy(ctx, element_bytes, {count}, value, {0}, dst, {1});
}

}  // namespace xla
