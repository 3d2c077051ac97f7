// SPDX-License-Identifier: Apache-2.0
// Patches as rows and as columns. Runs of features, or of positions along the minor spatial
// dimension, are copied at once.
#include "xla/kernels/patches.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "absl/container/inlined_vector.h"

namespace xla::kernels {
namespace {

using Coordinates = absl::InlinedVector<int64_t, 4>;

// Places of the taps of a patch, in order.
class TapCursor {
 public:
  TapCursor(const Patches& patches, int64_t tap) : patches_(patches), steps_(patches.dims.size()) {
    for (int64_t d = Rank() - 1; d >= 0; --d) {
      const SpatialDim& dim = patches.dims[d];
      steps_[d] = tap % dim.taps * dim.window_dilation;
      tap /= dim.taps;
    }
  }
  void Next() {
    for (int64_t d = Rank() - 1; d >= 0; --d) {
      const SpatialDim& dim = patches_.dims[d];
      if ((steps_[d] += dim.window_dilation) < dim.taps * dim.window_dilation) return;
      steps_[d] = 0;
    }
  }
  int64_t step(int64_t d) const { return steps_[d]; }

 private:
  int64_t Rank() const { return static_cast<int64_t>(patches_.dims.size()); }
  const Patches& patches_;
  Coordinates steps_;
};

// The input coordinate under a tap, or -1 in padding.
int64_t InputAt(const SpatialDim& dim, int64_t at) {
  if (dim.base_dilation != 1) {
    if (at < 0 || at % dim.base_dilation != 0) return -1;
    at /= dim.base_dilation;
  }
  return at < 0 || at >= dim.input_size ? -1 : at;
}

template <typename E>
void CopyRun(WideLoad<E> load, const char* from, int64_t stride, int64_t count, E* to) {
  if (load != nullptr) {
    load(from, stride, count, to);
  } else if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(E));
  } else {
    const E* elements = reinterpret_cast<const E*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = elements[i * stride];
  }
}

}  // namespace

template <typename E>
void PackPatchRows(const Patches& patches, const void* data, WideLoad<E> load, int64_t group,
                   int64_t first, int64_t lines, int64_t k0, int64_t count, E* rows,
                   int64_t row_stride) {
  const int64_t rank = static_cast<int64_t>(patches.dims.size());
  const int64_t features = patches.features, k_end = k0 + count;
  const char* base =
      static_cast<const char*>(data) + group * patches.group_stride * patches.element_bytes;
  Coordinates origin(rank);
  for (int64_t i = 0; i < lines; ++i) {
    int64_t rest = first + i;
    for (int64_t d = rank - 1; d >= 0; --d) {
      const SpatialDim& dim = patches.dims[d];
      origin[d] = rest % dim.output_size * dim.stride - dim.padding_low;
      rest /= dim.output_size;
    }
    const int64_t batch_offset = rest * patches.batch_stride;
    E* row = rows + i * row_stride;
    TapCursor tap(patches, k0 / features);
    for (int64_t k = k0; k < k_end; tap.Next()) {
      const int64_t feature = k % features, run = std::min(features - feature, k_end - k);
      int64_t offset = batch_offset;
      bool inside = true;
      for (int64_t d = 0; d < rank; ++d) {
        const int64_t at = InputAt(patches.dims[d], origin[d] + tap.step(d));
        inside = inside && at >= 0;
        offset += at * patches.dims[d].input_stride;
      }
      if (inside) {
        CopyRun(load, base + (offset + feature * patches.feature_stride) * patches.element_bytes,
                patches.feature_stride, run, row + (k - k0));
      } else {
        std::fill_n(row + (k - k0), run, E(0));
      }
      k += run;
    }
  }
}

namespace {

// Output positions [begin, end) whose coordinate o * stride + shift lies in [0, input_size).
struct ValidRange {
  ValidRange(const SpatialDim& dim, int64_t shift) {
    begin = shift >= 0 ? 0 : (-shift + dim.stride - 1) / dim.stride;
    end = dim.input_size - shift <= 0 ? 0 : (dim.input_size - shift + dim.stride - 1) / dim.stride;
  }
  int64_t begin, end;
};

// Positions of one output row: [begin, begin + count) of the minor spatial dimension.
template <typename E>
void CopyPositions(const Patches& patches, WideLoad<E> load, const char* base, int64_t shift,
                   int64_t begin, int64_t count, E* to) {
  const SpatialDim& dim = patches.dims.back();
  if (dim.base_dilation == 1) {
    const ValidRange valid(dim, shift);
    const int64_t low = std::clamp(valid.begin, begin, begin + count),
                  high = std::clamp(valid.end, low, begin + count);
    std::fill(to, to + (low - begin), E(0));
    if (high > low) {
      CopyRun(load, base + (low * dim.stride + shift) * dim.input_stride * patches.element_bytes,
              dim.stride * dim.input_stride, high - low, to + (low - begin));
    }
    std::fill(to + (high - begin), to + count, E(0));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = InputAt(dim, (begin + i) * dim.stride + shift);
    to[i] = E(0);
    if (at >= 0) CopyRun(load, base + at * dim.input_stride * patches.element_bytes, 1, 1, to + i);
  }
}

}  // namespace

template <typename E>
void PackPatchColumns(const Patches& patches, const void* data, WideLoad<E> load, int64_t group,
                      int64_t first, int64_t lines, int64_t k0, int64_t count, int64_t width,
                      E* panel) {
  const int64_t rank = static_cast<int64_t>(patches.dims.size());
  const char* base =
      static_cast<const char*>(data) + group * patches.group_stride * patches.element_bytes;
  const int64_t row_size = rank == 0 ? 1 : patches.dims.back().output_size;
  Coordinates origin(rank);
  for (int64_t done = 0; done < lines;) {
    const int64_t position = first + done, minor = position % row_size;
    const int64_t run = std::min(lines - done, row_size - minor);
    int64_t rest = position / row_size;
    for (int64_t d = rank - 2; d >= 0; --d) {
      const SpatialDim& dim = patches.dims[d];
      origin[d] = rest % dim.output_size * dim.stride - dim.padding_low;
      rest /= dim.output_size;
    }
    const int64_t batch_offset = rest * patches.batch_stride;
    TapCursor tap(patches, k0 / patches.features);
    int64_t feature = k0 % patches.features;
    for (int64_t k = 0; k < count; ++k) {
      int64_t offset = batch_offset + feature * patches.feature_stride;
      bool inside = true;
      for (int64_t d = 0; d + 1 < rank; ++d) {
        const int64_t at = InputAt(patches.dims[d], origin[d] + tap.step(d));
        inside = inside && at >= 0;
        offset += at * patches.dims[d].input_stride;
      }
      E* to = panel + k * width + done;
      const char* from = base + offset * patches.element_bytes;
      if (!inside) {
        std::fill_n(to, run, E(0));
      } else if (rank == 0) {
        CopyRun(load, from, 1, 1, to);
      } else {
        CopyPositions(patches, load, from, tap.step(rank - 1) - patches.dims.back().padding_low,
                      minor, run, to);
      }
      if (++feature == patches.features) {
        feature = 0;
        tap.Next();
      }
    }
    done += run;
  }
  for (int64_t k = 0; lines < width && k < count; ++k)
    std::fill(panel + k * width + lines, panel + (k + 1) * width, E(0));
}

#define XLA_INSTANTIATE(E)                                                                      \
  template void PackPatchRows<E>(const Patches&, const void*, WideLoad<E>, int64_t, int64_t,    \
                                 int64_t, int64_t, int64_t, E*, int64_t);                       \
  template void PackPatchColumns<E>(const Patches&, const void*, WideLoad<E>, int64_t, int64_t, \
                                    int64_t, int64_t, int64_t, int64_t, E*);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint8_t)
XLA_INSTANTIATE(uint16_t)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
XLA_INSTANTIATE(std::complex<float>)
XLA_INSTANTIATE(std::complex<double>)
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
