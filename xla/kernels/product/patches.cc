// SPDX-License-Identifier: Apache-2.0
// Copies patches as rows and as columns. Runs of features, or of positions along the minor spatial
// dimension, are copied at once.
#include "xla/kernels/product/patches.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "xla/kernels/product/pack.h"

namespace xla::kernels {
int64_t MinorRunStride(const Patches& patches) {
  if (patches.dims.empty() || patches.dims.back().base_dilation != 1) return 0;
  const SpatialDim& minor = patches.dims.back();
  if (patches.features == 1) return minor.input_stride * minor.window_dilation;
  const bool dense = patches.feature_stride == 1 && minor.window_dilation == 1 &&
                     minor.input_stride == patches.features;
  return dense ? 1 : 0;
}

namespace {

using Coordinates = absl::InlinedVector<int64_t, 4>;

// Iterates over the taps of a patch, in order.
class TapCursor {
 public:
  TapCursor(const Patches& patches, int64_t tap) : patches_(patches), steps_(patches.dims.size()) {
    for (int64_t d = Rank() - 1; d >= 0; --d) {
      const SpatialDim& dim = patches.dims[d];
      steps_[d] = tap % dim.taps * dim.window_dilation;
      tap /= dim.taps;
    }
  }
  void Next() { Advance(Rank() - 1, 1); }
  // Advances by `count` taps along dimension d, all later dimensions being at their first tap. At
  // most to the end of the dimension.
  void Advance(int64_t d, int64_t count) {
    for (; d >= 0; --d, count = 1) {
      const SpatialDim& dim = patches_.dims[d];
      if ((steps_[d] += count * dim.window_dilation) < dim.taps * dim.window_dilation) return;
      steps_[d] = 0;
    }
  }
  int64_t step(int64_t d) const { return steps_[d]; }

 private:
  int64_t Rank() const { return static_cast<int64_t>(patches_.dims.size()); }
  const Patches& patches_;
  Coordinates steps_;
};

// Returns the input coordinate under a tap, or -1 in padding.
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
    if (stride == 2) {  // by vectors
      for (int64_t i = 0; i < count; ++i) to[i] = elements[2 * i];
      return;
    }
    for (int64_t i = 0; i < count; ++i) to[i] = elements[i * stride];
  }
}

// Copies elements of patches in order, one patch after the other. What does not depend on the patch
// is found once for a group of runs.
template <typename E>
class PatchRows {
 public:
  PatchRows(const Patches& patches, WideLoad<E> load, const char* base)
      : patches_(patches),
        load_(load),
        base_(base),
        minor_run_(MinorRunStride(patches) != 0),
        run_stride_(minor_run_ ? MinorRunStride(patches) : patches.feature_stride),
        rank_(static_cast<int64_t>(patches.dims.size())),
        outer_(minor_run_ ? rank_ - 1 : rank_),
        is_dense_(std::all_of(patches.dims.begin(), patches.dims.end(),
                              [](const SpatialDim& dim) { return dim.base_dilation == 1; })),
        origin_(rank_) {}

  // Copies elements [k0, k0 + count) of patches [first, first + lines).
  void Copy(int64_t first, int64_t lines, int64_t k0, int64_t count, E* rows, int64_t row_stride) {
    const int64_t taps = minor_run_ ? patches_.dims.back().taps : 1;
    const int64_t run_size = patches_.features * taps, k_end = k0 + count;
    TapCursor tap(patches_, k0 / run_size * taps);
    for (int64_t k = k0; k < k_end;) {
      runs_.clear();
      for (; k < k_end && runs_.size() < kRunsOfGroup; tap.Advance(outer_ - 1, 1)) {
        const int64_t begin = k % run_size, end = std::min(run_size, begin + k_end - k);
        runs_.push_back({tap, begin, end, k - k0, OffsetOf(tap) + begin * run_stride_});
        k += end - begin;
      }
      MoveTo(first);
      for (int64_t i = 0; i < lines; ++i, Next()) CopyRuns(rows + i * row_stride);
    }
  }

 private:
  static constexpr size_t kRunsOfGroup = 32;
  // Elements [begin, end) of the features under one tap, or under all taps of a minor run.
  struct Run {
    TapCursor tap;
    int64_t begin, end;
    int64_t to;
    int64_t offset;  // of the first element from that under the first tap, inside of the input
  };

  int64_t OffsetOf(const TapCursor& tap) const {
    int64_t offset = 0;
    for (int64_t d = 0; d < outer_; ++d) offset += tap.step(d) * patches_.dims[d].input_stride;
    return offset;
  }

  void MoveTo(int64_t position) {
    for (int64_t d = rank_ - 1; d >= 0; --d) {
      const SpatialDim& dim = patches_.dims[d];
      origin_[d] = position % dim.output_size * dim.stride - dim.padding_low;
      position /= dim.output_size;
    }
    batch_offset_ = position * patches_.batch_stride;
  }

  // Advances to the next patch.
  void Next() {
    for (int64_t d = rank_ - 1; d >= 0; --d) {
      const SpatialDim& dim = patches_.dims[d];
      origin_[d] += dim.stride;
      if (origin_[d] < dim.output_size * dim.stride - dim.padding_low) return;
      origin_[d] = -dim.padding_low;
    }
    batch_offset_ += patches_.batch_stride;
  }

  // Whether all taps of the patch are elements of the input.
  bool IsInside() const {
    if (!is_dense_) return false;
    for (int64_t d = 0; d < rank_; ++d) {
      const SpatialDim& dim = patches_.dims[d];
      const int64_t last = origin_[d] + (dim.taps - 1) * dim.window_dilation;
      if (origin_[d] < 0 || last >= dim.input_size) return false;
    }
    return true;
  }

  void CopyRuns(E* row) const {
    if (!IsInside()) {
      for (const Run& run : runs_) CopyRun(run, row + run.to);
      return;
    }
    int64_t offset = batch_offset_;
    for (int64_t d = 0; d < rank_; ++d) offset += origin_[d] * patches_.dims[d].input_stride;
    for (const Run& run : runs_) {
      kernels::CopyRun(load_, base_ + (offset + run.offset) * patches_.element_bytes, run_stride_,
                       run.end - run.begin, row + run.to);
    }
  }

  void CopyRun(const Run& run, E* to) const {
    int64_t offset = batch_offset_;
    for (int64_t d = 0; d < outer_; ++d) {
      const int64_t at = InputAt(patches_.dims[d], origin_[d] + run.tap.step(d));
      if (at < 0) {
        std::fill_n(to, run.end - run.begin, E(0));
        return;
      }
      offset += at * patches_.dims[d].input_stride;
    }
    int64_t low = run.begin, high = run.end;
    if (minor_run_) {
      // Taps outside of the input.
      const SpatialDim& minor = patches_.dims.back();
      const int64_t first = origin_[rank_ - 1], step = minor.window_dilation;
      const auto tap_from = [&](int64_t at) {  // the first tap at this coordinate or beyond it
        return at <= first ? 0 : (at - first + step - 1) / step;
      };
      low = std::clamp(tap_from(0) * patches_.features, run.begin, run.end);
      high = std::clamp(tap_from(minor.input_size) * patches_.features, low, run.end);
      offset += first * minor.input_stride;
      std::fill(to, to + (low - run.begin), E(0));
      std::fill(to + (high - run.begin), to + (run.end - run.begin), E(0));
    }
    if (high == low) return;
    kernels::CopyRun(load_, base_ + (offset + low * run_stride_) * patches_.element_bytes,
                     run_stride_, high - low, to + (low - run.begin));
  }

  const Patches& patches_;
  const WideLoad<E> load_;
  const char* const base_;
  const bool minor_run_;
  const int64_t run_stride_, rank_;
  const int64_t outer_;  // dimensions whose taps are in different runs
  const bool is_dense_;
  absl::InlinedVector<Run, kRunsOfGroup> runs_;
  Coordinates origin_;
  int64_t batch_offset_ = 0;
};

}  // namespace

template <typename E>
void PackPatchRows(const Patches& patches, const void* data, WideLoad<E> load, int64_t group,
                   int64_t first, int64_t lines, int64_t k0, int64_t count, E* rows,
                   int64_t row_stride) {
  const char* base =
      static_cast<const char*>(data) + group * patches.group_stride * patches.element_bytes;
  PatchRows<E>(patches, load, base).Copy(first, lines, k0, count, rows, row_stride);
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

// Copies positions [begin, begin + count) of one output row along the minor spatial dimension, for
// several features under one tap: feature f goes to `to` + f * width.
template <typename E>
void CopyPositions(const Patches& patches, WideLoad<E> load, const char* base, int64_t features,
                   int64_t shift, int64_t begin, int64_t count, E* to, int64_t width) {
  const SpatialDim& dim = patches.dims.back();
  const int64_t distance = patches.feature_stride * patches.element_bytes;
  if (dim.base_dilation == 1) {
    const ValidRange valid(dim, shift);
    const int64_t low = std::clamp(valid.begin, begin, begin + count),
                  high = std::clamp(valid.end, low, begin + count);
    const char* from = base + (low * dim.stride + shift) * dim.input_stride * patches.element_bytes;
    const bool is_plain = load == nullptr && dim.stride * dim.input_stride == 1 && high > low;
    if (is_plain) {
      constexpr int64_t kBytes = sizeof(E);
      CopyRows(features, (high - low) * kBytes, from, distance,
               reinterpret_cast<char*>(to + (low - begin)), width * kBytes);
    }
    for (int64_t f = 0; f < features; ++f, from += distance, to += width) {
      if (low > begin) std::fill(to, to + (low - begin), E(0));
      if (high > low && !is_plain)
        CopyRun(load, from, dim.stride * dim.input_stride, high - low, to + (low - begin));
      if (high < begin + count) std::fill(to + (high - begin), to + count, E(0));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = InputAt(dim, (begin + i) * dim.stride + shift);
    const char* from = base + at * dim.input_stride * patches.element_bytes;
    for (int64_t f = 0; f < features; ++f, from += distance) {
      to[f * width + i] = E(0);
      if (at >= 0) CopyRun(load, from, 1, 1, to + f * width + i);
    }
  }
}

// Whether positions along the minor dimension are adjacent in memory under every tap, and taps of
// the dimension before it are equally spaced: rows of a panel are copies of rows of memory.
bool HasPlainRows(const Patches& patches) {
  if (patches.dims.size() < 2 || patches.features != 1) return false;
  const SpatialDim &minor = patches.dims.back(), &taps = patches.dims[patches.dims.size() - 2];
  return minor.taps == 1 && minor.stride == 1 && minor.padding_low == 0 &&
         minor.base_dilation == 1 && minor.input_stride == 1 &&
         minor.output_size <= minor.input_size && taps.base_dilation == 1;
}

// Copies columns [0, columns) of the panel, from the tap at the cursor on. `origin` is the window's
// coordinates, `base` the element of the first column under the tap at zero of all dimensions.
template <typename E>
void CopyPlainRows(const Patches& patches, const Coordinates& origin, const char* base,
                   TapCursor tap, int64_t columns, int64_t count, int64_t width, E* panel) {
  constexpr int64_t kBytes = sizeof(E);
  const int64_t d_taps = static_cast<int64_t>(patches.dims.size()) - 2;
  const SpatialDim& dim = patches.dims[d_taps];
  const auto clear = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) std::fill_n(panel + k * width, columns, E(0));
  };
  for (int64_t k = 0; k < count;) {
    const int64_t first = tap.step(d_taps) / dim.window_dilation;
    const int64_t taps = std::min(dim.taps - first, count - k);
    int64_t offset = 0;
    bool inside = true;
    for (int64_t d = 0; d < d_taps; ++d) {
      const int64_t at = InputAt(patches.dims[d], origin[d] + tap.step(d));
      inside = inside && at >= 0;
      offset += at * patches.dims[d].input_stride;
    }
    // Taps [low, high) are within the input.
    const int64_t start = origin[d_taps] + tap.step(d_taps), step = dim.window_dilation;
    int64_t low = 0, high = 0;
    if (inside) {
      low = std::min(taps, start >= 0 ? 0 : (-start + step - 1) / step);
      high = start >= dim.input_size ? low : (dim.input_size - start + step - 1) / step;
      high = std::clamp(high, low, taps);
    }
    clear(k, k + low);
    if (high > low) {
      CopyRows(high - low, columns * kBytes,
               base + (offset + (start + low * step) * dim.input_stride) * kBytes,
               step * dim.input_stride * kBytes, reinterpret_cast<char*>(panel + (k + low) * width),
               width * kBytes);
    }
    clear(k + high, k + taps);
    tap.Advance(d_taps, taps);
    k += taps;
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
  const bool plain_rows = load == nullptr && HasPlainRows(patches);
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
    if (plain_rows) {
      CopyPlainRows(patches, origin, base + (batch_offset + minor) * patches.element_bytes, tap,
                    run, count, width, panel + done);
      done += run;
      continue;
    }
    int64_t feature = k0 % patches.features;
    for (int64_t k = 0; k < count;) {
      const int64_t features = std::min(patches.features - feature, count - k);
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
        for (int64_t f = 0; f < features; ++f) std::fill_n(to + f * width, run, E(0));
      } else if (rank == 0) {
        for (int64_t f = 0; f < features; ++f) {
          CopyRun(load, from + f * patches.feature_stride * patches.element_bytes, 1, 1,
                  to + f * width);
        }
      } else {
        CopyPositions(patches, load, from, features,
                      tap.step(rank - 1) - patches.dims.back().padding_low, minor, run, to, width);
      }
      k += features;
      feature = 0;
      tap.Next();
    }
    done += run;
  }
  for (int64_t k = 0; lines < width && k < count; ++k)
    std::fill(panel + k * width + lines, panel + (k + 1) * width, E(0));
}

#define XLA_INSTANTIATE(E)                                                                   \
  template void PackPatchRows<E>(const Patches&, const void*, WideLoad<E>, int64_t, int64_t, \
                                 int64_t, int64_t, int64_t, E*, int64_t);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint8_t)
XLA_INSTANTIATE(uint16_t)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
XLA_INSTANTIATE(std::complex<float>)
XLA_INSTANTIATE(std::complex<double>)
#undef XLA_INSTANTIATE
#define XLA_INSTANTIATE(E)                                                                      \
  template void PackPatchColumns<E>(const Patches&, const void*, WideLoad<E>, int64_t, int64_t, \
                                    int64_t, int64_t, int64_t, int64_t, E*);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
