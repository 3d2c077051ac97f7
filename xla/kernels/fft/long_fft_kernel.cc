// SPDX-License-Identifier: Apache-2.0
// Transforms long lines one after the other. A line of real numbers of an even length is
// transformed as half as many complex numbers, two lines of an odd length as one.
#include "xla/kernels/fft/long_fft_kernel.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/fft/fft_lanes.h"
#include "xla/kernels/fft/fft_plan.h"
#include "xla/kernels/fft/long_fft.h"
#include "xla/kernels/forms.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

template <typename T>
std::complex<T> Product(std::complex<T> a, std::complex<double> b) {
  const T re = static_cast<T>(b.real()), im = static_cast<T>(b.imag());
  return {a.real() * re - a.imag() * im, a.real() * im + a.imag() * re};
}

template <typename T>
class LongLinesKernel final : public Kernel {
 public:
  struct Sides {
    bool from_real, to_real;
  };
  // `fft` has half the length if that is even and one side is real.
  LongLinesKernel(int64_t length, Sides sides, int64_t lines, std::unique_ptr<const LongFft<T>> fft)
      : length_(length), sides_(sides), lines_(lines), fft_(std::move(fft)) {
    if (!has_reals() || is_odd()) return;
    coarse_.resize(CeilOfRatio(length, kFine));
    for (size_t i = 0; i < coarse_.size(); ++i)
      coarse_[i] = RootOf(length, static_cast<int64_t>(i) * kFine);
    fine_.resize(std::min(length, kFine));
    for (size_t i = 0; i < fine_.size(); ++i) fine_[i] = RootOf(length, static_cast<int64_t>(i));
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return std::max(BetweenBytes() + fft_->ScratchBytes(workers),
                    is_divided(workers) ? workers * LineBytes() : 0);
  }

  absl::Status Run(const KernelCall& call) const override {
    const int64_t step = has_reals() && is_odd() ? 2 : 1;
    if (!is_divided(call.host->workers)) {
      for (int64_t line = 0; line < lines_; line += step) {
        XLA_RETURN_IF_ERROR(RunLine(*call.host, call, line, static_cast<char*>(call.scratch)));
      }
      return absl::OkStatus();
    }
    // The transform of a line takes a few milliseconds at most: polled before each.
    const KernelHost alone = {nullptr, 1, nullptr, nullptr};
    return RunTasks(*call.host, CeilOfRatio(lines_, step), static_cast<char*>(call.scratch),
                    LineBytes(), [&](int64_t index, Task& task) {
                      RunLine(alone, call, index * step, task.scratch()).IgnoreError();
                    });
  }

 private:
  using Complex = std::complex<T>;
  static constexpr int64_t kFine = 1024;

  bool has_reals() const { return sides_.from_real || sides_.to_real; }
  bool is_odd() const { return length_ % 2 != 0; }

  // Whether each worker transforms separate lines. That does not change the results.
  bool is_divided(int32_t workers) const {
    constexpr int64_t kLongest = int64_t{1} << 16, kLinesOfWorker = 4;
    return workers > 1 && length_ <= kLongest && lines_ >= kLinesOfWorker * workers;
  }
  int64_t LineBytes() const { return BetweenBytes() + fft_->ScratchBytes(1); }

  // The bytes of the copy that is transformed instead of the operand.
  int64_t BetweenBytes() const {
    if (!has_reals() || (sides_.from_real && !is_odd())) return 0;
    return Aligned((is_odd() ? 2 * length_ : length_) * static_cast<int64_t>(sizeof(T)));
  }

  // Calls body(begin, end) for parts of [0, count).
  template <typename Body>
  absl::Status ForParts(const KernelHost& host, int64_t count, Body&& body) const {
    constexpr double kNanosecondsPerElement = 12;
    constexpr int64_t kPart = kUsualMachine.ItemsOfTask(kNanosecondsPerElement);
    return RunTasks(host, CeilOfRatio(count, kPart), nullptr, 0, [&](int64_t index, Task&) {
      body(index * kPart, std::min(count, (index + 1) * kPart));
    });
  }

  // Transforms a line, together with the next one if pairs are lines of complex numbers.
  absl::Status RunLine(const KernelHost& host, const KernelCall& call, int64_t line,
                       char* scratch) const {
    const int64_t half = length_ / 2 + 1;
    const int64_t from_length = sides_.from_real ? length_ : 2 * (sides_.to_real ? half : length_),
                  to_length = sides_.to_real ? length_ : 2 * (sides_.from_real ? half : length_);
    const T* from = static_cast<const T*>(call.buffers[0]) + line * from_length;
    T* to = static_cast<T*>(call.buffers[1]) + line * to_length;
    const bool is_pair = line + 1 < lines_;
    const T* from_other = is_pair ? from + from_length : nullptr;
    T* to_other = is_pair ? to + to_length : nullptr;
    T* const between = reinterpret_cast<T*>(scratch);
    const auto transform = [&](const T* source, T* target) {
      return fft_->Run(host, source, target, scratch + BetweenBytes());
    };
    if (!has_reals()) return transform(from, to);
    if (is_odd()) {
      Complex* const z = reinterpret_cast<Complex*>(between);
      XLA_RETURN_IF_ERROR(
          ForParts(host, sides_.from_real ? length_ : half, [&](int64_t begin, int64_t end) {
            sides_.from_real ? JoinReals(begin, end, from, from_other, z)
                             : JoinSpectra(begin, end, from, from_other, z);
          }));
      XLA_RETURN_IF_ERROR(transform(between, between));
      return ForParts(host, sides_.from_real ? half : length_, [&](int64_t begin, int64_t end) {
        sides_.from_real ? SplitSpectra(begin, end, z, to, to_other)
                         : SplitReals(begin, end, z, to, to_other);
      });
    }
    const int64_t pairs = length_ / 4 + 1;
    if (sides_.from_real) {
      XLA_RETURN_IF_ERROR(transform(from, to));
      return ForParts(host, pairs, [&](int64_t begin, int64_t end) { FinishReal(begin, end, to); });
    }
    XLA_RETURN_IF_ERROR(ForParts(
        host, pairs, [&](int64_t begin, int64_t end) { StartReal(begin, end, from, between); }));
    return transform(between, to);
  }

  // exp(-2 pi i k / length)
  std::complex<double> Root(int64_t k) const { return coarse_[k / kFine] * fine_[k % kFine]; }

  // See FinishRealLanes: elements k and m - k of a line, for k in [begin, end).
  void FinishReal(int64_t begin, int64_t end, T* to) const {
    Complex* z = reinterpret_cast<Complex*>(to);
    const int64_t m = length_ / 2;
    for (int64_t k = begin; k < end; ++k) {
      if (k == 0) {
        const Complex first = z[0];
        z[0] = first.real() + first.imag();
        z[m] = first.real() - first.imag();
        continue;
      }
      const Complex a = z[k], b = std::conj(z[m - k]);
      const Complex even = T(0.5) * (a + b), difference = T(0.5) * (a - b);
      const Complex odd = Product<T>({difference.imag(), -difference.real()}, Root(k));
      z[k] = even + odd;
      z[m - k] = std::conj(even - odd);
    }
  }
  // See StartRealLanes.
  void StartReal(int64_t begin, int64_t end, const T* from, T* to) const {
    const Complex* x = reinterpret_cast<const Complex*>(from);
    Complex* z = reinterpret_cast<Complex*>(to);
    const int64_t m = length_ / 2;
    for (int64_t k = begin; k < end; ++k) {
      if (k == 0) {
        z[0] = {x[0].real() + x[m].real(), x[0].real() - x[m].real()};
        continue;
      }
      const Complex a = x[k], b = std::conj(x[m - k]);
      const Complex even = a + b, odd = Product<T>(a - b, std::conj(Root(k)));
      const Complex turned = {-odd.imag(), odd.real()};
      z[m - k] = std::conj(even - turned);
      z[k] = even + turned;
    }
  }

  // Real and imaginary parts are those of two lines; see SplitRealLanes. Without a second line its
  // numbers are zeros.
  static void JoinReals(int64_t begin, int64_t end, const T* x, const T* other, Complex* z) {
    for (int64_t k = begin; k < end; ++k) z[k] = {x[k], other == nullptr ? T(0) : other[k]};
  }
  static void SplitReals(int64_t begin, int64_t end, const Complex* z, T* x, T* other) {
    for (int64_t k = begin; k < end; ++k) x[k] = z[k].real();
    if (other == nullptr) return;
    for (int64_t k = begin; k < end; ++k) other[k] = z[k].imag();
  }
  void JoinSpectra(int64_t begin, int64_t end, const T* from, const T* from_other,
                   Complex* z) const {
    const Complex* x = reinterpret_cast<const Complex*>(from);
    const Complex* other = reinterpret_cast<const Complex*>(from_other);
    for (int64_t k = begin; k < end; ++k) {
      const Complex a = x[k], b = other == nullptr ? Complex() : other[k];
      if (k == 0) {
        z[0] = {a.real(), b.real()};
        continue;
      }
      z[k] = {a.real() - b.imag(), a.imag() + b.real()};
      z[length_ - k] = {a.real() + b.imag(), b.real() - a.imag()};
    }
  }
  void SplitSpectra(int64_t begin, int64_t end, const Complex* z, T* to, T* to_other) const {
    Complex* x = reinterpret_cast<Complex*>(to);
    Complex* other = reinterpret_cast<Complex*>(to_other);
    for (int64_t k = begin; k < end; ++k) {
      const Complex a = z[k], b = std::conj(z[k == 0 ? 0 : length_ - k]);
      x[k] = T(0.5) * (a + b);
      if (other != nullptr)
        other[k] = {T(0.5) * (a.imag() - b.imag()), T(0.5) * (b.real() - a.real())};
    }
  }

  const int64_t length_;
  const Sides sides_;
  const int64_t lines_;
  const std::unique_ptr<const LongFft<T>> fft_;
  std::vector<std::complex<double>> coarse_, fine_;  // see Root
};

// One axis of the operand, and the complex transform of it.
struct Lines {
  int64_t length = 0;  // 0 if the transform is not along one axis
  int64_t complex_length = 0, count = 1;
  bool from_real = false, to_real = false;
};

Lines LinesOf(const FftSpec& spec) {
  Lines lines;
  if (spec.lengths.size() != 1) return lines;
  lines.from_real = !primitive_util::IsComplexType(spec.from_type);
  lines.to_real = !primitive_util::IsComplexType(spec.to_type);
  const int64_t length = spec.lengths[0];
  if (spec.dimensions.back() != (lines.to_real ? length / 2 + 1 : length)) return lines;
  lines.length = length;
  lines.complex_length =
      (lines.from_real || lines.to_real) && length % 2 == 0 ? length / 2 : length;
  for (size_t d = 0; d + 1 < spec.dimensions.size(); ++d) lines.count *= spec.dimensions[d];
  return lines;
}

}  // namespace

template <typename T>
double LongLinesCost(const FftSpec& spec) {
  const Lines lines = LinesOf(spec);
  if (lines.length == 0) return kDoesNotFit;
  const double line = LongFftCost<T>(lines.complex_length);
  if (line == kDoesNotFit) return kDoesNotFit;
  // The halves of real transforms are joined; lines of odd length are transformed in pairs.
  constexpr double kJoined = 2;
  const bool has_reals = lines.from_real || lines.to_real;
  const bool is_pair = has_reals && lines.length % 2 != 0;
  // Lines of arrays that exceed the caches are read and written once more.
  constexpr double kFar = 0.7;
  constexpr int64_t kCachedElements = int64_t{1} << 20;
  const bool is_far = lines.count > 1 && lines.count * lines.length > kCachedElements;
  const double far = is_far ? static_cast<double>(lines.complex_length) * kFar : 0;
  const double reals = has_reals ? static_cast<double>(lines.complex_length) * kJoined : 0;
  return (line + reals + far) *
         static_cast<double>(is_pair ? CeilOfRatio<int64_t>(lines.count, 2) : lines.count);
}

template <typename T>
std::unique_ptr<const Kernel> MakeLongLinesKernel(const FftSpec& spec) {
  const Lines lines = LinesOf(spec);
  // The halves of StartReal are not divided by two.
  const double size = static_cast<double>(lines.length);
  return std::make_unique<LongLinesKernel<T>>(
      lines.length, typename LongLinesKernel<T>::Sides{lines.from_real, lines.to_real}, lines.count,
      MakeLongFft<T>(lines.complex_length, spec.inverse, spec.inverse ? 1 / size : 1));
}

template double LongLinesCost<float>(const FftSpec& spec);
template double LongLinesCost<double>(const FftSpec& spec);
template std::unique_ptr<const Kernel> MakeLongLinesKernel<float>(const FftSpec& spec);
template std::unique_ptr<const Kernel> MakeLongLinesKernel<double>(const FftSpec& spec);

}  // namespace xla::kernels
