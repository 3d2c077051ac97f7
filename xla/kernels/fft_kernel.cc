// SPDX-License-Identifier: Apache-2.0
// Transforms axis by axis: groups of lines are lanes, transformed together. Lines of real numbers
// of an even length are lines of half as many complex numbers.
#include "xla/kernels/fft_kernel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/kernels/fft_lanes.h"
#include "xla/kernels/transpose.h"
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

// exp(-2 pi i k / n) for k in [0, n), from the angle within an eighth of the circle.
std::complex<double> RootOf(int64_t n, int64_t k) {
  const int64_t eighth = 8 * k / n, rest = 8 * k % n;
  const bool mirrored = (eighth & 1) != 0;
  const double angle = static_cast<double>(mirrored ? n - rest : rest) / static_cast<double>(n) *
                       (std::acos(-1.0) / 4);
  double c = std::cos(angle), s = std::sin(angle);
  if (mirrored) std::swap(c, s);
  const double re[] = {c, -s, -c, s}, im[] = {-s, -c, s, c};
  return {re[eighth / 2], im[eighth / 2]};
}

// Those of k < count, as pairs.
template <typename T>
std::vector<T> RootsOf(int64_t n, int64_t count) {
  std::vector<T> roots(2 * count);
  for (int64_t k = 0; k < count; ++k) {
    const std::complex<double> root = RootOf(n, k);
    roots[2 * k] = static_cast<T>(root.real());
    roots[2 * k + 1] = static_cast<T>(root.imag());
  }
  return roots;
}

// One axis: lines [outer, length, inner].
template <typename T>
struct LaneAxis {
  int64_t outer, inner, from_length, to_length, length;
  bool from_real, to_real;
  std::vector<int> radices;
  std::vector<T> roots;       // of the complex transform
  std::vector<T> real_roots;  // see FinishRealLanes

  int64_t lines() const { return outer * inner; }
  // Whether pairs of real numbers are complex numbers of a transform of half the length.
  bool is_halved() const { return (from_real || to_real) && length % 2 == 0; }
  int64_t complex_length() const { return is_halved() ? length / 2 : length; }
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
  LaneFftKernel(bool inverse, std::vector<LaneAxis<T>> axes)
      : inverse_(inverse), axes_(std::move(axes)) {
    for (const LaneAxis<T>& axis : axes_) longest_ = std::max(longest_, axis.complex_length());
    if (axes_.back().to_real && axes_.size() > 1) {
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
      void* to = between_ > 0 && !is_last ? call.scratch : call.buffers[1];
      XLA_RETURN_IF_ERROR(
          RunAxis(call, axes_[i], static_cast<const T*>(from), static_cast<T*>(to)));
      from = to;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kLanes = kFftLanes<T>;
  static constexpr int64_t kRow = 2 * kLanes;
  static constexpr int64_t kComplexBytes = 2 * static_cast<int64_t>(sizeof(T));

  // One more than the length, for spectra of real numbers.
  int64_t RowBytes() const {
    return Aligned((longest_ + 1) * kRow * static_cast<int64_t>(sizeof(T)));
  }
  // Rows and work.
  int64_t WorkerBytes() const { return 2 * RowBytes(); }

  absl::Status RunAxis(const KernelCall& call, const LaneAxis<T>& axis, const T* from,
                       T* to) const {
    const LaneFft<T> fft = {axis.complex_length(),
                            axis.radices.data(),
                            static_cast<int64_t>(axis.radices.size()),
                            axis.roots.data(),
                            inverse_,
                            inverse_ ? T(1) / static_cast<T>(axis.length) : T(1)};
    char* scratch = static_cast<char*>(call.scratch) + Aligned(between_ * kComplexBytes);
    return RunTasks(*call.host, axis.groups(), scratch, WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      T* rows = reinterpret_cast<T*>(task.scratch());
                      T* work = reinterpret_cast<T*>(task.scratch() + RowBytes());
                      RunGroup(axis, fft, LineGroup<T>(axis, index), from, to, rows, work);
                    });
  }

  static void RunGroup(const LaneAxis<T>& axis, const LaneFft<T>& fft, const LineGroup<T>& group,
                       const T* from, T* to, T* rows, T* work) {
    if (group.adjacent && group.count == kLanes && axis.from_length == axis.length &&
        axis.to_length == axis.length && !axis.from_real && !axis.to_real) {
      const int64_t start = 2 * group.Start(axis, 0, axis.length);
      RunLaneFft<T>(fft, rows, work, {from + start, 2 * axis.inner}, {to + start, 2 * axis.inner});
      return;
    }
    LoadLines(axis, group, from, rows);
    if (axis.to_real && axis.is_halved()) StartRealLanes(fft.n, axis.real_roots.data(), rows);
    T* const result = RunLaneFft<T>(fft, rows, work, {}, {});
    if (axis.from_real && axis.is_halved()) FinishRealLanes(fft.n, axis.real_roots.data(), result);
    StoreLines(axis, group, result, to);
  }

  static void LoadLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* from,
                        T* rows) {
    const bool is_dense = !axis.from_real || axis.is_halved();
    const int64_t given = axis.from_real && is_dense ? axis.from_length / 2 : axis.from_length;
    const int64_t rows_bytes = given * kRow * static_cast<int64_t>(sizeof(T));
    // Lanes without a line, and imaginary parts of real numbers, are zeros.
    if (group.count < kLanes || !is_dense) std::memset(rows, 0, static_cast<size_t>(rows_bytes));
    if (axis.inner == 1) {
      // Numbers of a line follow each other: those of all lines are the columns of a matrix.
      const int64_t stride = axis.from_real ? axis.from_length : 2 * axis.from_length;
      const T* first = from + group.first * stride;
      if (is_dense) {
        Transpose(2 * given, group.count, first, stride, rows, kLanes);
      } else {
        Transpose(given, group.count, first, stride, rows, kRow);
      }
    } else {
      for (int64_t lane = 0; lane < group.count; ++lane) {
        const T* line = from + 2 * group.Start(axis, lane, axis.from_length);
        for (int64_t k = 0; k < given; ++k) {
          rows[k * kRow + lane] = line[2 * k * axis.inner];
          rows[k * kRow + kLanes + lane] = line[2 * k * axis.inner + 1];
        }
      }
    }
    if (!axis.to_real || axis.is_halved()) return;
    // The other half of a spectrum.
    for (int64_t k = given; k < axis.length; ++k) {
      const T* other = rows + (axis.length - k) * kRow;
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        rows[k * kRow + lane] = other[lane];
        rows[k * kRow + kLanes + lane] = -other[kLanes + lane];
      }
    }
  }

  static void StoreLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* rows, T* to) {
    if (axis.inner == 1) {
      const int64_t stride = axis.to_real ? axis.to_length : 2 * axis.to_length;
      T* first = to + group.first * stride;
      if (axis.to_real && !axis.is_halved()) {
        Transpose(group.count, axis.to_length, rows, kRow, first, stride);
      } else {
        Transpose(group.count, stride, rows, kLanes, first, stride);
      }
      return;
    }
    for (int64_t lane = 0; lane < group.count; ++lane) {
      T* line = to + 2 * group.Start(axis, lane, axis.to_length);
      for (int64_t k = 0; k < axis.to_length; ++k) {
        line[2 * k * axis.inner] = rows[k * kRow + lane];
        line[2 * k * axis.inner + 1] = rows[k * kRow + kLanes + lane];
      }
    }
  }

  static void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                        int64_t to_stride) {
    (sizeof(T) == 4 ? Transpose32 : Transpose64)(rows, columns, from, from_stride, to, to_stride);
  }

  const bool inverse_;
  const std::vector<LaneAxis<T>> axes_;
  int64_t longest_ = 1;
  int64_t between_ = 0;  // complex numbers between the axes of a transform to real numbers
};

// One long line at a time: with n = rows * columns, its elements j = j1 * columns + j2 and the
// results k = k1 + rows * k2, transforms of the columns (over j1), factors exp(-2 pi i j2 k1 / n)
// and transforms of the rows (over j2). Columns and rows are lanes. (Bailey, FFTs in external or
// hierarchical memory, 1990.)
template <typename T>
class LongFftKernel final : public Kernel {
 public:
  // Of 2 * rows * columns real numbers, in pairs, if one side is real.
  struct Sides {
    bool from_real, to_real;
  };
  LongFftKernel(bool inverse, Sides sides, int64_t lines, int64_t rows, int64_t columns)
      : inverse_(inverse),
        sides_(sides),
        lines_(lines),
        column_fft_(rows),
        row_fft_(columns),
        coarse_(CeilOfRatio(2 * rows * columns, kFine)),
        fine_(kFine),
        lane_factors_(rows * kRow) {
    const int64_t n = length();
    for (size_t i = 0; i < coarse_.size(); ++i)
      coarse_[i] = RootOf(2 * n, static_cast<int64_t>(i) * kFine);
    for (int64_t i = 0; i < std::min(2 * n, kFine); ++i) fine_[i] = RootOf(2 * n, i);
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const std::complex<double> root = Turned(RootOf(n, k * lane % n));
        lane_factors_[k * kRow + lane] = static_cast<T>(root.real());
        lane_factors_[k * kRow + kLanes + lane] = static_cast<T>(root.imag());
      }
    }
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return BetweenBytes() + SpectrumBytes() + 2 * RowBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    T* between = static_cast<T*>(call.scratch);
    T* spectrum = reinterpret_cast<T*>(static_cast<char*>(call.scratch) + BetweenBytes());
    char* scratch = static_cast<char*>(call.scratch) + BetweenBytes() + SpectrumBytes();
    const int64_t from_length = length() + (sides_.to_real ? 1 : 0),
                  to_length = length() + (sides_.from_real ? 1 : 0);
    const auto run = [&](int64_t count, int64_t step, auto&& body) {
      return RunTasks(*call.host, CeilOfRatio(count, step), scratch, 2 * RowBytes(),
                      [&](int64_t index, Task& task) {
                        body(index * step, reinterpret_cast<T*>(task.scratch()),
                             reinterpret_cast<T*>(task.scratch() + RowBytes()));
                      });
    };
    constexpr int64_t kPairs = 4096;
    const int64_t pairs = length() / 2 + 1;
    for (int64_t line = 0; line < lines_; ++line) {
      const T* from = static_cast<const T*>(call.buffers[0]) + 2 * line * from_length;
      T* to = static_cast<T*>(call.buffers[1]) + 2 * line * to_length;
      if (sides_.to_real) {
        XLA_RETURN_IF_ERROR(run(pairs, kPairs, [&](int64_t first, T*, T*) {
          StartReal(first, std::min(pairs, first + kPairs), from, spectrum);
        }));
        from = spectrum;
      }
      XLA_RETURN_IF_ERROR(run(columns(), kLanes, [&](int64_t first, T* data, T* work) {
        TransformColumns(first, from, data, work, between);
      }));
      XLA_RETURN_IF_ERROR(run(rows(), kLanes, [&](int64_t first, T* work, T*) {
        TransformRows(first, between + first * columns() * 2, work, to);
      }));
      if (sides_.from_real) {
        XLA_RETURN_IF_ERROR(run(pairs, kPairs, [&](int64_t first, T*, T*) {
          FinishReal(first, std::min(pairs, first + kPairs), to);
        }));
      }
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kLanes = kFftLanes<T>, kRow = 2 * kLanes;
  static constexpr int64_t kFine = 1024;

  struct ShortFft {
    explicit ShortFft(int64_t n) : length(n), radices(*RadicesOf(n)), roots(RootsOf<T>(n, n)) {}
    LaneFft<T> lanes(bool inverse, T scale) const {
      return {length,       radices.data(), static_cast<int64_t>(radices.size()),
              roots.data(), inverse,        scale};
    }
    int64_t length;
    std::vector<int> radices;
    std::vector<T> roots;
  };

  int64_t rows() const { return column_fft_.length; }
  int64_t columns() const { return row_fft_.length; }
  int64_t length() const { return rows() * columns(); }
  // Lanes of the row transforms: groups of kLanes rows, column after column.
  int64_t BetweenBytes() const {
    return Aligned(RoundUpTo(rows(), kLanes) * columns() * 2 * static_cast<int64_t>(sizeof(T)));
  }
  int64_t RowBytes() const {
    return Aligned(std::max(rows(), columns()) * kRow * static_cast<int64_t>(sizeof(T)));
  }

  // Of a transform to real numbers: what its pairs are the transform of.
  int64_t SpectrumBytes() const {
    return sides_.to_real ? Aligned(2 * length() * static_cast<int64_t>(sizeof(T))) : 0;
  }

  std::complex<double> Turned(std::complex<double> root) const {
    return inverse_ ? std::conj(root) : root;
  }
  // exp(-pi i k / length), or its conjugate for the inverse.
  std::complex<double> HalfRoot(int64_t k) const {
    return Turned(coarse_[k / kFine] * fine_[k % kFine]);
  }

  // See FinishRealLanes: elements k and length - k of a line, for k in [begin, end).
  void FinishReal(int64_t begin, int64_t end, T* to) const {
    using Complex = std::complex<T>;
    Complex* z = reinterpret_cast<Complex*>(to);
    const int64_t m = length();
    for (int64_t k = begin; k < end; ++k) {
      if (k == 0) {
        const Complex first = z[0];
        z[0] = first.real() + first.imag();
        z[m] = first.real() - first.imag();
        continue;
      }
      const std::complex<double> root = HalfRoot(k);
      const Complex a = z[k], b = std::conj(z[m - k]);
      const Complex even = T(0.5) * (a + b), difference = T(0.5) * (a - b);
      const Complex odd = Product({difference.imag(), -difference.real()}, root);
      z[k] = even + odd;
      z[m - k] = std::conj(even - odd);
    }
  }
  // See StartRealLanes.
  void StartReal(int64_t begin, int64_t end, const T* from, T* to) const {
    using Complex = std::complex<T>;
    const Complex* x = reinterpret_cast<const Complex*>(from);
    Complex* z = reinterpret_cast<Complex*>(to);
    const int64_t m = length();
    for (int64_t k = begin; k < end; ++k) {
      if (k == 0) {
        z[0] = {x[0].real() + x[m].real(), x[0].real() - x[m].real()};
        continue;
      }
      const Complex a = x[k], b = std::conj(x[m - k]);
      const Complex even = a + b, odd = Product(a - b, HalfRoot(k));
      const Complex turned = {-odd.imag(), odd.real()};
      z[m - k] = std::conj(even - turned);
      z[k] = even + turned;
    }
  }
  static std::complex<T> Product(std::complex<T> a, std::complex<double> b) {
    const T re = static_cast<T>(b.real()), im = static_cast<T>(b.imag());
    return {a.real() * re - a.imag() * im, a.real() * im + a.imag() * re};
  }

  // Columns [first, first + kLanes).
  void TransformColumns(int64_t first, const T* from, T* data, T* work, T* between) const {
    const int64_t count = std::min(kLanes, columns() - first);
    const LaneFft<T> fft = column_fft_.lanes(
        inverse_, inverse_
                      ? static_cast<T>((sides_.to_real ? 0.5 : 1.0) / static_cast<double>(length()))
                      : T(1));
    T* result;
    if (count == kLanes) {
      result = RunLaneFft<T>(fft, data, work, {from + 2 * first, 2 * columns()}, {});
    } else {
      std::fill_n(data, rows() * kRow, T(0));
      for (int64_t k = 0; k < rows(); ++k) {
        const T* pairs = from + 2 * (k * columns() + first);
        for (int64_t lane = 0; lane < count; ++lane) {
          data[k * kRow + lane] = pairs[2 * lane];
          data[k * kRow + kLanes + lane] = pairs[2 * lane + 1];
        }
      }
      result = RunLaneFft<T>(fft, data, work, {}, {});
    }
    for (int64_t k = 0; k < rows(); ++k) Turn(k, first, result + k * kRow);
    // Columns become rows of the groups.
    for (int64_t row = 0; row < rows(); row += kLanes) {
      const int64_t rows_here = std::min(kLanes, rows() - row);
      for (const int64_t part : {int64_t{0}, kLanes}) {
        Transpose(count, rows_here, result + row * kRow + part, kRow,
                  between + row * columns() * 2 + first * kRow + part, kRow);
      }
    }
  }

  // Lane l is multiplied by exp(-2 pi i k (first + l) / n).
  void Turn(int64_t k, int64_t first, T* row) const {
    const std::complex<double> root = HalfRoot(2 * k * first);
    const T c = static_cast<T>(root.real()), s = static_cast<T>(root.imag());
    const T* factors = lane_factors_.data() + k * kRow;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const T lane_re = factors[lane], lane_im = factors[kLanes + lane];
      const T factor_re = lane_re * c - lane_im * s, factor_im = lane_re * s + lane_im * c;
      const T re = row[lane], im = row[kLanes + lane];
      row[lane] = re * factor_re - im * factor_im;
      row[kLanes + lane] = re * factor_im + im * factor_re;
    }
  }

  // Rows [first, first + kLanes): element k2 of row k1 is result k1 + rows * k2.
  void TransformRows(int64_t first, T* data, T* work, T* to) const {
    const int64_t count = std::min(kLanes, rows() - first);
    const LaneFft<T> fft = row_fft_.lanes(inverse_, T(1));
    if (count == kLanes) {
      RunLaneFft<T>(fft, data, work, {}, {to + 2 * first, 2 * rows()});
      return;
    }
    for (int64_t k = 0; k < columns(); ++k) {
      for (const int64_t part : {int64_t{0}, kLanes})
        std::fill(data + k * kRow + part + count, data + k * kRow + part + kLanes, T(0));
    }
    const T* result = RunLaneFft<T>(fft, data, work, {}, {});
    for (int64_t k = 0; k < columns(); ++k) {
      T* pairs = to + 2 * (k * rows() + first);
      for (int64_t lane = 0; lane < count; ++lane) {
        pairs[2 * lane] = result[k * kRow + lane];
        pairs[2 * lane + 1] = result[k * kRow + kLanes + lane];
      }
    }
  }

  static void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                        int64_t to_stride) {
    (sizeof(T) == 4 ? Transpose32 : Transpose64)(rows, columns, from, from_stride, to, to_stride);
  }

  const bool inverse_;
  const Sides sides_;
  const int64_t lines_;
  const ShortFft column_fft_, row_fft_;
  // exp(-pi i k / n) is coarse_[k / kFine] * fine_[k % kFine].
  std::vector<std::complex<double>> coarse_, fine_;
  std::vector<T> lane_factors_;  // exp(-2 pi i k lane / n) of row k, as rows
};

// The longest line whose rows of a group fit the second-level cache, or nearly so.
constexpr int64_t kMaxLaneLength = int64_t{1} << 15;
// Fewer lines leave most lanes empty.
constexpr int64_t kLeastLines = 4;

// Null if the transform is not along one axis with few or very long lines, or the length is short,
// odd with real numbers, or has no suitable factors.
template <typename T>
std::unique_ptr<const Kernel> MakeLongFft(const FftSpec& spec) {
  constexpr int64_t kLeastLength = 1024, kMaxRatio = 16;
  if (spec.lengths.size() != 1) return nullptr;
  const bool from_real = !primitive_util::IsComplexType(spec.from_type),
             to_real = !primitive_util::IsComplexType(spec.to_type);
  const bool has_reals = from_real || to_real;
  const int64_t length = spec.lengths[0], n = has_reals ? length / 2 : length;
  int64_t lines = 1;
  for (size_t d = 0; d + 1 < spec.dimensions.size(); ++d) lines *= spec.dimensions[d];
  if (spec.dimensions.back() != (to_real ? n + 1 : length) || n < kLeastLength ||
      (has_reals && length % 2 != 0) || (lines >= kLeastLines && length <= kMaxLaneLength) ||
      !RadicesOf(n).has_value()) {
    return nullptr;
  }
  // Factors near the square root; multiples of the lanes if there are any.
  int64_t rows = 0;
  for (int64_t d = static_cast<int64_t>(std::sqrt(static_cast<double>(n))); d > 0; --d) {
    if (n / d > kMaxLaneLength || n / d > kMaxRatio * d) break;
    if (n % d != 0) continue;
    if (rows == 0) rows = d;
    if (d % kFftLanes<T> == 0 && n / d % kFftLanes<T> == 0) {
      rows = d;
      break;
    }
  }
  if (rows == 0) return nullptr;
  return std::make_unique<LongFftKernel<T>>(
      spec.inverse, typename LongFftKernel<T>::Sides{from_real, to_real}, lines, rows, n / rows);
}

template <typename T>
std::unique_ptr<const Kernel> MakeLaneFft(const FftSpec& spec) {
  if (std::unique_ptr<const Kernel> kernel = MakeLongFft<T>(spec); kernel != nullptr) return kernel;
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
    if (axis.length > kMaxLaneLength || axis.length < 1) return nullptr;
    const bool is_real_axis = which == count - 1;
    axis.from_real = from_real && is_real_axis;
    axis.to_real = to_real && is_real_axis;
    std::optional<std::vector<int>> radices = RadicesOf(axis.complex_length());
    if (!radices.has_value()) return nullptr;
    axis.radices = *std::move(radices);
    axis.roots = RootsOf<T>(axis.complex_length(), axis.complex_length());
    if (axis.is_halved()) axis.real_roots = RootsOf<T>(axis.length, axis.length / 2 + 1);
    axis.outer = axis.inner = 1;
    for (int64_t e = 0; e < d; ++e) axis.outer *= sizes[e];
    for (int64_t e = d + 1; e < rank; ++e) axis.inner *= sizes[e];
    axis.from_length = sizes[d];
    if (axis.from_length != (axis.to_real ? axis.length / 2 + 1 : axis.length)) return nullptr;
    axis.to_length = axis.from_real ? axis.length / 2 + 1 : axis.length;
    sizes[d] = axis.to_length;
    if (axis.lines() < kLeastLines) return nullptr;
    axes.push_back(std::move(axis));
  }
  return std::make_unique<LaneFftKernel<T>>(spec.inverse, std::move(axes));
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
