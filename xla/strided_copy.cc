// SPDX-License-Identifier: Apache-2.0
// Strided copy: dimensions are sorted and merged, then the innermost two run in one loop nest.
#include "xla/strided_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "xla/base/check.h"

namespace xla {
namespace {

struct Dimension {
  int64_t size;
  int64_t to;    // destination stride
  int64_t from;  // source stride
};
using Dimensions = absl::InlinedVector<Dimension, 8>;

// Outermost first by destination stride; without sizes of 1; neighbours that continue each other as
// one.
Dimensions Simplify(absl::Span<const int64_t> sizes, absl::Span<const int64_t> to,
                    absl::Span<const int64_t> from) {
  Dimensions dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) dims.push_back({sizes[d], to[d], from[d]});
  }
  std::stable_sort(dims.begin(), dims.end(), [](const Dimension& a, const Dimension& b) {
    return std::abs(a.to) > std::abs(b.to);
  });
  Dimensions merged;
  for (const Dimension& d : dims) {
    if (!merged.empty() && merged.back().to == d.to * d.size &&
        merged.back().from == d.from * d.size) {
      merged.back() = {merged.back().size * d.size, d.to, d.from};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

template <typename T>
void CopyRow(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t size) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, size * sizeof(T));
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill(to, to + size, *from);
  } else if (to_stride == 1) {
    for (int64_t i = 0; i < size; ++i) to[i] = from[i * from_stride];
  } else {
    for (int64_t i = 0; i < size; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// Two dimensions, in square blocks so that a transpose uses each cache line of either side while it
// is there.
template <typename T>
void CopyPlane(T* to, const T* from, const Dimension& outer, const Dimension& inner) {
  constexpr int64_t kBlock = 32;
  if (std::abs(inner.from) <= std::abs(outer.from) || outer.from == 0) {
    for (int64_t i = 0; i < outer.size; ++i) {
      CopyRow(to + i * outer.to, inner.to, from + i * outer.from, inner.from, inner.size);
    }
    return;
  }
  for (int64_t i0 = 0; i0 < outer.size; i0 += kBlock) {
    const int64_t i1 = std::min(i0 + kBlock, outer.size);
    for (int64_t j0 = 0; j0 < inner.size; j0 += kBlock) {
      const int64_t n = std::min(kBlock, inner.size - j0);
      for (int64_t i = i0; i < i1; ++i) {
        CopyRow(to + i * outer.to + j0 * inner.to, inner.to,
                from + i * outer.from + j0 * inner.from, inner.from, n);
      }
    }
  }
}

template <typename T>
void Copy(T* to, const T* from, Dimensions dims) {
  if (dims.empty()) {
    *to = *from;
    return;
  }
  if (dims.size() == 1) return CopyRow(to, dims[0].to, from, dims[0].from, dims[0].size);
  // Next to the innermost destination dimension goes the one whose source stride is least: with
  // both in a plane, all of the memory near either stride is used at once.
  const size_t rank = dims.size();
  size_t nearest = rank - 2;
  for (size_t d = 0; d + 1 < rank; ++d) {
    if (dims[d].from != 0 && std::abs(dims[d].from) < std::abs(dims[nearest].from)) nearest = d;
  }
  std::rotate(dims.begin() + nearest, dims.begin() + nearest + 1, dims.end() - 1);
  const Dimension inner = dims[rank - 1];
  const Dimension outer = dims[rank - 2];
  const size_t loops = rank - 2;
  absl::InlinedVector<int64_t, 8> index(loops, 0);
  while (true) {
    CopyPlane(to, from, outer, inner);
    size_t d = loops;
    while (d-- > 0) {
      to += dims[d].to;
      from += dims[d].from;
      if (++index[d] < dims[d].size) break;
      to -= dims[d].to * dims[d].size;
      from -= dims[d].from * dims[d].size;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

struct alignas(8) Bytes16 {
  uint64_t low, high;
};

}  // namespace

void StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes, void* destination,
                 absl::Span<const int64_t> destination_strides, const void* source,
                 absl::Span<const int64_t> source_strides) {
  for (int64_t size : sizes) {
    if (size == 0) return;
  }
  const Dimensions dims = Simplify(sizes, destination_strides, source_strides);
  switch (element_bytes) {
    case 1:
      return Copy(static_cast<uint8_t*>(destination), static_cast<const uint8_t*>(source), dims);
    case 2:
      return Copy(static_cast<uint16_t*>(destination), static_cast<const uint16_t*>(source), dims);
    case 4:
      return Copy(static_cast<uint32_t*>(destination), static_cast<const uint32_t*>(source), dims);
    case 8:
      return Copy(static_cast<uint64_t*>(destination), static_cast<const uint64_t*>(source), dims);
    case 16:
      return Copy(static_cast<Bytes16*>(destination), static_cast<const Bytes16*>(source), dims);
    default:
      XLA_CHECK(false) << "element of " << element_bytes << " bytes";
  }
}

}  // namespace xla
