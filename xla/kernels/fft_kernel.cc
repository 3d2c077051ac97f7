// SPDX-License-Identifier: Apache-2.0
// Transforms axis by axis: groups of lines are copied to lanes, transformed there, and copied back.
#include "xla/kernels/fft_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/kernels/fft_lanes.h"
#include "xla/kernels/pack.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Radices whose product is n; unset if a prime factor is too large.
std::optional<std::vector<int>> RadicesOf(int64_t n) {
  std::vector<int> radices;
  for (int radix = 3; radix <= kMaxLaneRadix; radix += 2) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  // Eights, unless a two would be left that makes two fours with one of them.
  while (n % 8 == 0 && n != 16) {
    radices.push_back(8);
    n /= 8;
  }
  for (const int radix : {4, 2}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n != 1) return std::nullopt;
  return radices;
}

// exp(-2 pi i k / n), from the angle within an eighth of the circle.
template <typename T>
std::vector<T> RootsOf(int64_t n) {
  std::vector<T> roots(2 * n);
  const double size = static_cast<double>(n);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t eighth = 8 * k / n, rest = 8 * k % n;
    const bool mirrored = (eighth & 1) != 0;
    const double angle =
        static_cast<double>(mirrored ? n - rest : rest) / size * (std::acos(-1.0) / 4);
    double c = std::cos(angle), s = std::sin(angle);
    if (mirrored) std::swap(c, s);
    const double re[] = {c, -s, -c, s}, im[] = {-s, -c, s, c};
    roots[2 * k] = static_cast<T>(re[eighth / 2]);
    roots[2 * k + 1] = static_cast<T>(im[eighth / 2]);
  }
  return roots;
}

// One axis: lines [outer, length, inner].
template <typename T>
struct LaneAxis {
  int64_t outer, inner, from_length, to_length, length;
  std::vector<int> radices;
  std::vector<T> roots;

  int64_t lines() const { return outer * inner; }
  // Lines side by side in memory are lanes; else lines one after the other.
  bool lanes_along_inner() const { return inner >= kFftLanes<T>; }
  int64_t groups() const {
    return lanes_along_inner() ? outer * CeilOfRatio(inner, kFftLanes<T>)
                               : CeilOfRatio(lines(), kFftLanes<T>);
  }
};

// The lines of a group: where lane l starts, for l < count.
template <typename T>
struct LineGroup {
  LineGroup(const LaneAxis<T>& axis, int64_t group) {
    if (axis.lanes_along_inner()) {
      const int64_t per_outer = CeilOfRatio(axis.inner, kFftLanes<T>);
      outer = group / per_outer;
      first = group % per_outer * kFftLanes<T>;
      count = std::min(kFftLanes<T>, axis.inner - first);
      adjacent = true;
    } else {
      first = group * kFftLanes<T>;
      count = std::min(kFftLanes<T>, axis.lines() - first);
      adjacent = false;
    }
  }
  // The place of lane l's element 0 in an array whose lines have `length` elements.
  int64_t Start(const LaneAxis<T>& axis, int64_t lane, int64_t length) const {
    if (adjacent) return outer * length * axis.inner + first + lane;
    const int64_t line = first + lane;
    return line / axis.inner * length * axis.inner + line % axis.inner;
  }

  int64_t outer = 0, first, count;
  bool adjacent;
};

template <typename T>
class LaneFftKernel final : public Kernel {
 public:
  LaneFftKernel(const FftSpec& spec, std::vector<LaneAxis<T>> axes)
      : from_real_(!primitive_util::IsComplexType(spec.from_type)),
        to_real_(!primitive_util::IsComplexType(spec.to_type)),
        inverse_(spec.inverse),
        axes_(std::move(axes)) {
    for (const LaneAxis<T>& axis : axes_) longest_ = std::max(longest_, axis.length);
    if (to_real_ && axes_.size() > 1) {
      const LaneAxis<T>& last = axes_.back();
      between_ = last.lines() * last.from_length;
    }
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return Aligned(between_ * kComplexBytes) + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    const void* from = call.buffers[0];
    for (size_t i = 0; i < axes_.size(); ++i) {
      const bool is_last = i + 1 == axes_.size();
      // Complex arrays of one size are transformed in place after the first axis.
      void* to = to_real_ && !is_last ? call.scratch : call.buffers[1];
      XLA_RETURN_IF_ERROR(
          RunAxis(call, axes_[i], from, from_real_ && i == 0, to, to_real_ && is_last));
      from = to;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kLanes = kFftLanes<T>;
  static constexpr int64_t kRow = 2 * kLanes;
  static constexpr int64_t kComplexBytes = 2 * static_cast<int64_t>(sizeof(T));

  int64_t RowBytes() const { return Aligned(longest_ * kRow * static_cast<int64_t>(sizeof(T))); }
  // Rows, work, and a square of real and one of imaginary parts.
  int64_t WorkerBytes() const {
    return 2 * RowBytes() + 2 * kLanes * kLanes * static_cast<int64_t>(sizeof(T));
  }

  absl::Status RunAxis(const KernelCall& call, const LaneAxis<T>& axis, const void* from,
                       bool from_real, void* to, bool to_real) const {
    const LaneFft<T> fft = {axis.length, axis.radices.data(),
                            static_cast<int64_t>(axis.radices.size()), axis.roots.data()};
    const T sign = inverse_ ? T(-1) : T(1);
    const T scale = inverse_ ? T(1) / static_cast<T>(axis.length) : T(1);
    char* scratch = static_cast<char*>(call.scratch) + Aligned(between_ * kComplexBytes);
    return RunTasks(
        *call.host, axis.groups(), scratch, WorkerBytes(), [&](int64_t index, Task& task) {
          T* rows = reinterpret_cast<T*>(task.scratch());
          T* work = reinterpret_cast<T*>(task.scratch() + RowBytes());
          T* squares = reinterpret_cast<T*>(task.scratch() + 2 * RowBytes());
          const LineGroup<T> group(axis, index);
          LoadLines(axis, group, static_cast<const T*>(from), from_real, sign, rows, squares);
          const T* result = RunLaneFft(fft, rows, work);
          StoreLines(axis, group, result, sign, scale, static_cast<T*>(to), to_real, squares);
        });
  }

  // Rows of all lanes of a group; those of conjugate symmetry, too.
  static void LoadLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* from,
                        bool real, T sign, T* rows, T* squares) {
    const int64_t given = std::min(axis.length, axis.from_length);
    if (!real && group.count == kLanes && group.adjacent) {
      const T* row = from + 2 * group.Start(axis, 0, axis.from_length);
      for (int64_t k = 0; k < given; ++k)
        SplitComplexRow(row + 2 * k * axis.inner, sign, rows + k * kRow);
    } else if (!real && group.count == kLanes && axis.inner == 1) {
      LoadSquares(axis, group, from, given, sign, rows, squares);
    } else {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const bool exists = lane < group.count;
        const int64_t start = exists ? group.Start(axis, lane, axis.from_length) : 0;
        for (int64_t k = 0; k < given; ++k) {
          const int64_t at = start + k * axis.inner;
          rows[k * kRow + lane] = !exists ? T(0) : real ? from[at] : from[2 * at];
          rows[k * kRow + kLanes + lane] = !exists || real ? T(0) : sign * from[2 * at + 1];
        }
      }
    }
    for (int64_t k = given; k < axis.length; ++k) {
      const T* other = rows + (axis.length - k) * kRow;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        rows[k * kRow + lane] = other[lane];
        rows[k * kRow + kLanes + lane] = -other[kLanes + lane];
      }
    }
  }

  // Lines of contiguous elements, kLanes elements of each at a time.
  static void LoadSquares(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* from,
                          int64_t given, T sign, T* rows, T* squares) {
    const int64_t full = given / kLanes * kLanes;
    for (int64_t k = 0; k < full; k += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        // Re and im of a line's elements, [lane, re or im, k].
        SplitComplexRow(from + 2 * (group.Start(axis, lane, axis.from_length) + k), sign,
                        squares + lane * kRow);
      }
      Transpose(kLanes, kLanes, squares, kRow, rows + k * kRow, kRow);
      Transpose(kLanes, kLanes, squares + kLanes, kRow, rows + k * kRow + kLanes, kRow);
    }
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const T* line = from + 2 * group.Start(axis, lane, axis.from_length);
      for (int64_t k = full; k < given; ++k) {
        rows[k * kRow + lane] = line[2 * k];
        rows[k * kRow + kLanes + lane] = sign * line[2 * k + 1];
      }
    }
  }

  static void StoreLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* rows, T sign,
                         T scale, T* to, bool real, T* squares) {
    int64_t done = 0;
    if (!real && group.count == kLanes && group.adjacent) {
      T* row = to + 2 * group.Start(axis, 0, axis.to_length);
      for (int64_t k = 0; k < axis.to_length; ++k)
        JoinComplexRow(rows + k * kRow, sign, scale, row + 2 * k * axis.inner);
      return;
    }
    if (!real && group.count == kLanes && axis.inner == 1) {
      for (; done + kLanes <= axis.to_length; done += kLanes) {
        Transpose(kLanes, kLanes, rows + done * kRow, kRow, squares, kRow);
        Transpose(kLanes, kLanes, rows + done * kRow + kLanes, kRow, squares + kLanes, kRow);
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          JoinComplexRow(squares + lane * kRow, sign, scale,
                         to + 2 * (group.Start(axis, lane, axis.to_length) + done));
        }
      }
    }
    for (int64_t lane = 0; lane < group.count; ++lane) {
      const int64_t start = group.Start(axis, lane, axis.to_length);
      for (int64_t k = done; k < axis.to_length; ++k) {
        const int64_t at = start + k * axis.inner;
        const T re = rows[k * kRow + lane] * scale;
        if (real) {
          to[at] = re;
        } else {
          to[2 * at] = re;
          to[2 * at + 1] = rows[k * kRow + kLanes + lane] * sign * scale;
        }
      }
    }
  }

  static void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                        int64_t to_stride) {
    if constexpr (sizeof(T) == 4) {
      Transpose32(rows, columns, from, from_stride, to, to_stride);
    } else {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[j * from_stride + i];
      }
    }
  }

  const bool from_real_, to_real_, inverse_;
  const std::vector<LaneAxis<T>> axes_;
  int64_t longest_ = 1;
  int64_t between_ = 0;  // complex numbers between the axes of a transform to real numbers
};

template <typename T>
std::unique_ptr<const Kernel> MakeLaneFft(const FftSpec& spec) {
  // Rows of a group should fit the second-level cache, or nearly so.
  constexpr int64_t kMaxLength = int64_t{1} << 15, kLeastLines = 4;
  const int64_t rank = static_cast<int64_t>(spec.dimensions.size());
  const int64_t count = static_cast<int64_t>(spec.lengths.size());
  const bool from_real = !primitive_util::IsComplexType(spec.from_type);
  const bool to_real = !primitive_util::IsComplexType(spec.to_type);
  DimensionVector sizes = spec.dimensions;
  std::vector<LaneAxis<T>> axes;
  for (int64_t i = 0; i < count; ++i) {
    // The real axis is the last: first in a transform from real numbers and last in one to them.
    const int64_t which = to_real ? i : count - 1 - i, d = rank - count + which;
    LaneAxis<T> axis;
    axis.length = spec.lengths[which];
    if (axis.length > kMaxLength || axis.length < 1) return nullptr;
    std::optional<std::vector<int>> radices = RadicesOf(axis.length);
    if (!radices.has_value()) return nullptr;
    axis.radices = *std::move(radices);
    axis.roots = RootsOf<T>(axis.length);
    axis.outer = axis.inner = 1;
    for (int64_t e = 0; e < d; ++e) axis.outer *= sizes[e];
    for (int64_t e = d + 1; e < rank; ++e) axis.inner *= sizes[e];
    axis.from_length = sizes[d];
    const bool is_real_axis = which == count - 1;
    const bool is_half = to_real && is_real_axis;
    if (axis.from_length != (is_half ? axis.length / 2 + 1 : axis.length)) return nullptr;
    axis.to_length = from_real && is_real_axis ? axis.length / 2 + 1 : axis.length;
    sizes[d] = axis.to_length;
    if (axis.lines() < kLeastLines) return nullptr;
    axes.push_back(std::move(axis));
  }
  return std::make_unique<LaneFftKernel<T>>(spec, std::move(axes));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakeFftKernel(const FftSpec& spec) {
  for (const int64_t size : spec.dimensions) {
    if (size == 0) return nullptr;
  }
  const bool is_double = spec.from_type == F64 || spec.from_type == C128;
  return is_double ? MakeLaneFft<double>(spec) : MakeLaneFft<float>(spec);
}

}  // namespace xla::kernels
