// SPDX-License-Identifier: Apache-2.0
// Transforms axis by axis: groups of lines are lanes, transformed together. A line of real numbers
// of an even length is transformed as half as many complex numbers, two lines of an odd length as
// one.
#include "xla/kernels/fft/fft_kernel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/fft/fft_lanes.h"
#include "xla/kernels/fft/fft_plan.h"
#include "xla/kernels/fft/long_fft_kernel.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/movement/transpose.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// One axis: lines [outer, length, inner].
template <typename T>
struct LaneAxis {
  int64_t outer, inner, from_length, to_length, length;
  bool from_real, to_real;
  std::optional<LanePlan<T>> plan;  // of the complex transform
  std::vector<T> real_roots;        // see FinishRealLanes

  int64_t lines() const { return outer * inner; }
  bool has_reals() const { return from_real || to_real; }
  // Whether pairs of real numbers are the complex numbers of a transform of half the length.
  bool is_halved() const { return has_reals() && length % 2 == 0; }
  // Whether pairs of lines of real numbers are lines of complex numbers.
  bool is_paired() const { return has_reals() && length % 2 != 0; }
  int64_t complex_length() const { return is_halved() ? length / 2 : length; }
  int64_t lines_per_group() const { return is_paired() ? 2 * kFftLanes<T> : kFftLanes<T>; }
  // Whether lines that are interleaved in memory are lanes; otherwise consecutive lines are.
  bool lanes_along_inner() const { return inner >= kFftLanes<T>; }
  int64_t groups() const {
    return lanes_along_inner() ? outer * CeilOfRatio(inner, kFftLanes<T>)
                               : CeilOfRatio(lines(), lines_per_group());
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
      first = group * axis.lines_per_group();
      count = std::min(axis.lines_per_group(), axis.lines() - first);
      adjacent = false;
    }
  }
  // The offset of lane l's element 0 in an array whose lines have `length` elements.
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
    for (const LaneAxis<T>& axis : axes_) {
      longest_ = std::max(longest_, axis.complex_length());
      work_rows_ = std::max(work_rows_, axis.plan->work_rows());
    }
    if (axes_.back().to_real && axes_.size() > 1) {
      const LaneAxis<T>& last = axes_.back();
      between_ = last.lines() * last.from_length;
    }
    // Lines of the second axis wait for what other threads have just written of the first.
    constexpr double kWait = 6;
    for (const LaneAxis<T>& axis : axes_) nanoseconds_ += Nanoseconds(axis);
    if (axes_.size() > 1) nanoseconds_ /= kWait;
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return Aligned(between_ * kComplexBytes) + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& given) const override {
    const KernelHost host = WorkersWorth(*given.host, nanoseconds_);
    const KernelCall call = {&host, given.buffers, given.scratch};
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

  static double Nanoseconds(const LaneAxis<T>& axis) {
    constexpr double kStep = 0.04 * sizeof(T);  // of an element
    const auto length = static_cast<double>(axis.complex_length());
    return kStep * static_cast<double>(axis.lines()) * length * std::log2(length + 1);
  }

  // The bytes of one more row than the length, for spectra of real numbers.
  static int64_t RowBytes(int64_t rows) {
    return Aligned((rows + 1) * kRow * static_cast<int64_t>(sizeof(T)));
  }
  // Rows and work.
  int64_t WorkerBytes() const { return RowBytes(longest_) + RowBytes(work_rows_); }

  absl::Status RunAxis(const KernelCall& call, const LaneAxis<T>& axis, const T* from,
                       T* to) const {
    const LaneFft<T> fft =
        axis.plan->Lanes(inverse_, inverse_ ? T(1) / static_cast<T>(axis.length) : T(1));
    char* scratch = static_cast<char*>(call.scratch) + Aligned(between_ * kComplexBytes);
    return RunTasks(*call.host, axis.groups(), scratch, WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      T* rows = reinterpret_cast<T*>(task.scratch());
                      T* work = reinterpret_cast<T*>(task.scratch() + RowBytes(longest_));
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
    LoadLines(axis, group, from, rows, work);
    if (axis.to_real && axis.is_halved()) StartRealLanes(fft.n, axis.real_roots.data(), rows);
    if (axis.to_real && axis.is_paired()) JoinRealLanes(fft.n, rows, work);
    T* const result = RunLaneFft<T>(fft, rows, work, {}, {});
    T* const other = result == rows ? work : rows;
    if (axis.from_real && axis.is_halved()) FinishRealLanes(fft.n, axis.real_roots.data(), result);
    if (axis.from_real && axis.is_paired()) SplitRealLanes(fft.n, result, other);
    StoreLines(axis, group, result, other, to);
  }

  // Loads lines. The second lines of pairs go to the imaginary parts or, as spectra, to `others`.
  static void LoadLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* from, T* rows,
                        T* others) {
    const int64_t given = axis.from_real && axis.is_halved() ? axis.length / 2 : axis.from_length;
    const auto rows_bytes = static_cast<size_t>(given * kRow * static_cast<int64_t>(sizeof(T)));
    // Lanes without a line are zeros.
    if (group.count < axis.lines_per_group()) {
      std::memset(rows, 0, rows_bytes);
      if (axis.to_real && axis.is_paired()) std::memset(others, 0, rows_bytes);
    }
    if (axis.inner == 1) {
      // Numbers of a line are contiguous: those of all lines are the columns of a matrix.
      const int64_t stride = axis.from_real ? axis.from_length : 2 * axis.from_length;
      const T* first = from + group.first * stride;
      const int64_t count = std::min(group.count, kLanes), rest = group.count - count;
      if (axis.from_real && axis.is_paired()) {
        Transpose(given, count, first, stride, rows, kRow);
        Transpose(given, rest, first + count * stride, stride, rows + kLanes, kRow);
        return;
      }
      Transpose(2 * given, count, first, stride, rows, kLanes);
      Transpose(2 * given, rest, first + count * stride, stride, others, kLanes);
      return;
    }
    for (int64_t lane = 0; lane < group.count; ++lane) {
      const T* line = from + 2 * group.Start(axis, lane, axis.from_length);
      for (int64_t k = 0; k < given; ++k) {
        rows[k * kRow + lane] = line[2 * k * axis.inner];
        rows[k * kRow + kLanes + lane] = line[2 * k * axis.inner + 1];
      }
    }
  }

  static void StoreLines(const LaneAxis<T>& axis, const LineGroup<T>& group, const T* rows,
                         const T* others, T* to) {
    if (axis.inner == 1) {
      const int64_t stride = axis.to_real ? axis.to_length : 2 * axis.to_length;
      T* first = to + group.first * stride;
      const int64_t count = std::min(group.count, kLanes), rest = group.count - count;
      if (axis.to_real && axis.is_paired()) {
        Transpose(count, axis.to_length, rows, kRow, first, stride);
        Transpose(rest, axis.to_length, rows + kLanes, kRow, first + count * stride, stride);
        return;
      }
      Transpose(count, stride, rows, kLanes, first, stride);
      Transpose(rest, stride, others, kLanes, first + count * stride, stride);
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
  double nanoseconds_ = 0;  // what is worth other threads, on one
  int64_t longest_ = 1, work_rows_ = 1;
  int64_t between_ = 0;  // complex numbers between the axes of a transform to real numbers
};

// Returns the axes of a transform, in the order in which they are transformed, without their
// tables; none for operands whose sizes differ from the lengths.
template <typename T>
std::vector<LaneAxis<T>> AxesOf(const FftSpec& spec) {
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
    if (axis.length < 1) return {};
    const bool is_real_axis = which == count - 1;
    axis.from_real = from_real && is_real_axis;
    axis.to_real = to_real && is_real_axis;
    axis.outer = axis.inner = 1;
    for (int64_t e = 0; e < d; ++e) axis.outer *= sizes[e];
    for (int64_t e = d + 1; e < rank; ++e) axis.inner *= sizes[e];
    axis.from_length = sizes[d];
    if (axis.from_length != (axis.to_real ? axis.length / 2 + 1 : axis.length)) return {};
    axis.to_length = axis.from_real ? axis.length / 2 + 1 : axis.length;
    sizes[d] = axis.to_length;
    axes.push_back(std::move(axis));
  }
  return axes;
}

// kDoesNotFit for lines that are so long that the rows of a group exceed the second-level cache by
// far.
template <typename T>
double LaneAxisCost(const LaneAxis<T>& axis) {
  // Rows of lanes are loaded and stored, transposed where lines follow each other.
  constexpr double kAdjacent = 5, kTransposed = 10, kFar = 10;
  constexpr int64_t kCachedLength = int64_t{1} << 13;  // beyond it rows are read from farther away
  constexpr int64_t kMaxLaneLength = int64_t{1} << 15;
  if (axis.length > kMaxLaneLength) return kDoesNotFit;
  const auto groups = static_cast<double>(CeilOfRatio(axis.lines(), kFftLanes<T>));
  const int64_t n = axis.complex_length();
  return groups * (LaneTransformCost(n) +
                   static_cast<double>(n) * ((axis.inner == 1 ? kTransposed : kAdjacent) +
                                             (n > kCachedLength ? kFar : 0)));
}

constexpr double kStart = 100;

template <typename T>
double LanesCost(const FftSpec& spec) {
  const std::vector<LaneAxis<T>> axes = AxesOf<T>(spec);
  if (axes.empty()) return kDoesNotFit;
  double cost = kStart;
  for (const LaneAxis<T>& axis : axes) cost += LaneAxisCost(axis);
  return cost;
}

template <typename T>
std::unique_ptr<const Kernel> MakeLanesOf(std::vector<LaneAxis<T>> axes, bool inverse) {
  for (LaneAxis<T>& axis : axes) {
    axis.plan.emplace(axis.complex_length());
    if (axis.is_halved()) axis.real_roots = RootsOf<T>(axis.length, axis.length / 2 + 1);
  }
  return std::make_unique<LaneFftKernel<T>>(inverse, std::move(axes));
}

template <typename T>
std::unique_ptr<const Kernel> MakeLanes(const FftSpec& spec) {
  return MakeLanesOf(AxesOf<T>(spec), spec.inverse);
}

// Transforms one axis whose lines are contiguous.
template <typename T>
FftSpec LinesOfAxis(const LaneAxis<T>& axis, bool inverse) {
  constexpr PrimitiveType kReal = sizeof(T) == 4 ? F32 : F64,
                          kComplex = sizeof(T) == 4 ? C64 : C128;
  return {.from_type = axis.from_real ? kReal : kComplex,
          .to_type = axis.to_real ? kReal : kComplex,
          .inverse = inverse,
          .dimensions = {axis.lines(), axis.from_length},
          .lengths = {axis.length},
          .form = ""};
}

// Transforms one axis whose lines are interleaved, with transposed copies before and after.
template <typename T>
double LinesOfAxisCost(const LaneAxis<T>& axis) {
  constexpr double kCopied = 3;
  const double copies =
      axis.inner == 1 ? 0 : 2 * kCopied * static_cast<double>(axis.lines() * axis.length);
  return LongLinesCost<T>(LinesOfAxis(axis, /*inverse=*/false)) + copies;
}

// Transforms several axes, each by lanes or line by line: few long lines would leave most lanes
// empty.
template <typename T>
class AxesFftKernel final : public Kernel {
 public:
  struct Step {
    int64_t outer, length, inner;  // of what is transposed; inner is 1 if nothing is
    std::unique_ptr<const Kernel> kernel;
  };
  // `between`: the complex numbers before the last axis, if that converts them to real ones.
  AxesFftKernel(std::vector<Step> steps, int64_t between)
      : steps_(std::move(steps)), between_(between) {
    for (const Step& step : steps_) {
      if (step.inner > 1)
        transposed_ = std::max(transposed_, step.outer * step.length * step.inner);
    }
  }

  int64_t ScratchBytes(int32_t workers) const override {
    int64_t most = 0;
    for (const Step& step : steps_) most = std::max(most, step.kernel->ScratchBytes(workers));
    return ArrayBytes(between_) + ArrayBytes(transposed_) + most;
  }

  absl::Status Run(const KernelCall& call) const override {
    char* const scratch = static_cast<char*>(call.scratch);
    char* const transposed = scratch + ArrayBytes(between_);
    char* const rest = transposed + ArrayBytes(transposed_);
    void* from = call.buffers[0];
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      // Complex arrays of one size are transformed in place after the first axis.
      void* const to = between_ > 0 && i + 1 < steps_.size() ? call.scratch : call.buffers[1];
      if (step.inner > 1) {
        XLA_RETURN_IF_ERROR(TransposeAll(call, step, step.length, step.inner, from, transposed));
        void* const buffers[] = {transposed, transposed};
        XLA_RETURN_IF_ERROR(step.kernel->Run({call.host, buffers, rest}));
        XLA_RETURN_IF_ERROR(TransposeAll(call, step, step.inner, step.length, transposed, to));
      } else {
        void* const buffers[] = {from, to};
        XLA_RETURN_IF_ERROR(step.kernel->Run({call.host, buffers, rest}));
      }
      from = to;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kComplexBytes = 2 * static_cast<int64_t>(sizeof(T));
  static int64_t ArrayBytes(int64_t count) { return Aligned(count * kComplexBytes); }

  // Transposes consecutive matrices of complex numbers.
  static absl::Status TransposeAll(const KernelCall& call, const Step& step, int64_t rows,
                                   int64_t columns, const void* from, void* to) {
    return RunTasks(*call.host, step.outer, nullptr, 0, [&](int64_t matrix, Task&) {
      const auto* source = static_cast<const std::complex<T>*>(from) + matrix * rows * columns;
      auto* target = static_cast<std::complex<T>*>(to) + matrix * rows * columns;
      if constexpr (sizeof(T) == 4) {
        Transpose64(columns, rows, source, columns, target, rows);
      } else {
        for (int64_t c = 0; c < columns; ++c) {
          for (int64_t r = 0; r < rows; ++r) target[c * rows + r] = source[r * columns + c];
        }
      }
    });
  }

  const std::vector<Step> steps_;
  const int64_t between_;
  int64_t transposed_ = 0;
};

// kDoesNotFit if lanes are best for all axes.
template <typename T>
double AxesCost(const FftSpec& spec) {
  const std::vector<LaneAxis<T>> axes = AxesOf<T>(spec);
  if (axes.size() < 2) return kDoesNotFit;
  double cost = 0;
  bool has_lines = false;
  for (const LaneAxis<T>& axis : axes) {
    const double lanes = LaneAxisCost(axis) + kStart, lines = LinesOfAxisCost(axis);
    has_lines |= lines < lanes;
    cost += std::min(lanes, lines);
  }
  return has_lines ? cost : kDoesNotFit;
}

template <typename T>
std::unique_ptr<const Kernel> MakeAxes(const FftSpec& spec) {
  std::vector<LaneAxis<T>> axes = AxesOf<T>(spec);
  const LaneAxis<T>& last = axes.back();
  const int64_t between = last.to_real ? last.lines() * last.from_length : 0;
  std::vector<typename AxesFftKernel<T>::Step> steps;
  for (LaneAxis<T>& axis : axes) {
    const bool by_lines = LinesOfAxisCost(axis) < LaneAxisCost(axis) + kStart;
    auto& step = steps.emplace_back();
    step.outer = axis.outer;
    step.length = axis.length;
    step.inner = by_lines ? axis.inner : 1;
    if (by_lines) {
      step.kernel = MakeLongLinesKernel<T>(LinesOfAxis(axis, spec.inverse));
    } else {
      std::vector<LaneAxis<T>> alone;
      alone.push_back(std::move(axis));
      step.kernel = MakeLanesOf<T>(std::move(alone), spec.inverse);
    }
  }
  return std::make_unique<AxesFftKernel<T>>(std::move(steps), between);
}

template <typename T>
constexpr Form<FftSpec> kForms[] = {{"lines", &LongLinesCost<T>, &MakeLongLinesKernel<T>},
                                    {"lanes", &LanesCost<T>, &MakeLanes<T>},
                                    {"axes", &AxesCost<T>, &MakeAxes<T>}};

// Returns no forms for arrays without elements.
absl::Span<const Form<FftSpec>> FormsFor(const FftSpec& spec) {
  for (const int64_t size : spec.dimensions) {
    if (size == 0) return {};
  }
  if (spec.from_type == F64 || spec.from_type == C128) return kForms<double>;
  return kForms<float>;
}

}  // namespace

std::vector<FormCost> FftForms(const FftSpec& spec) { return CostsOf(FormsFor(spec), spec); }

absl::StatusOr<std::unique_ptr<const Kernel>> MakeFftKernel(const FftSpec& spec) {
  return MakeChosen(FormsFor(spec), spec);
}

}  // namespace xla::kernels
