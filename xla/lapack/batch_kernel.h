// SPDX-License-Identifier: Apache-2.0
// Kernels that do the same to each matrix of a batch.
#ifndef XLA_LAPACK_BATCH_KERNEL_H_
#define XLA_LAPACK_BATCH_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/status/status.h"
#include "xla/kernels/kernel.h"
#include "xla/lapack/fortran.h"

namespace xla::lapack {

// Gives out scratch memory from front to back.
class Arena {
 public:
  explicit Arena(char* memory) : next_(memory) {}
  template <typename T>
  T* Take(int64_t count) {
    T* const taken = reinterpret_cast<T*>(next_);
    next_ += BytesOf<T>(count);
    return taken;
  }
  // What Take uses.
  template <typename T>
  static int64_t BytesOf(int64_t count) {
    return kernels::Aligned(count * static_cast<int64_t>(sizeof(T)));
  }

 private:
  char* next_;
};

class BatchKernel : public kernels::Kernel {
 public:
  // `cost` estimates the nanoseconds of a matrix: threads share the batch if it is worth it.
  // `scratch_bytes` are for one matrix at a time.
  BatchKernel(int64_t count, double cost, int64_t scratch_bytes)
      : count_(count), chunk_(ChunkOf(count, cost)), scratch_bytes_(scratch_bytes), cost_(cost) {}

  int64_t ScratchBytes(int32_t workers) const final {
    const int64_t chunks = count_ == 0 ? 0 : (count_ - 1) / chunk_ + 1;
    return scratch_bytes_ * std::min<int64_t>(chunks, workers);
  }
  absl::Status Run(const kernels::KernelCall& call) const final;

 protected:
  // Matrices [begin, end). Routines of BLAS use threads if Run says so.
  virtual void RunMatrices(void* const* buffers, int64_t begin, int64_t end,
                           char* scratch) const = 0;

  template <typename T>
  static const T* Input(void* const* buffers, int64_t i, int64_t offset) {
    return static_cast<const T*>(buffers[i]) + offset;
  }
  template <typename T>
  static T* Output(void* const* buffers, int64_t i, int64_t offset) {
    return static_cast<T*>(buffers[i]) + offset;
  }

 private:
  static int64_t ChunkOf(int64_t count, double cost);

  const int64_t count_, chunk_, scratch_bytes_;
  const double cost_;
};

// Elements of working memory that a routine asked for through a number of its type, which may have
// been rounded down.
template <typename T>
Int WorkCount(T asked) {
  const double count = static_cast<double>(std::real(asked));
  const double above = std::is_same_v<RealOf<T>, float> ? count * (1 + 0x1p-23) : count;
  return static_cast<Int>(std::min(std::max(1.0, std::ceil(above)), 2147483647.0));
}

// A leading dimension, which LAPACK wants to be at least 1.
inline Int Leading(int64_t rows) { return static_cast<Int>(std::max<int64_t>(rows, 1)); }

// Whether the caller of the kernel that runs on this thread wants it to stop, for loops that call
// no routines of BLAS.
bool ShouldStop();
// The same, asked from time to time: a call is so many items of a few nanoseconds.
class StopPoll {
 public:
  explicit StopPoll(int64_t items_at_once) : step_(items_at_once) {}
  bool operator()() {
    constexpr int64_t kItems = int64_t{1} << 20;
    if ((done_ += step_) < kItems) return false;
    done_ = 0;
    return ShouldStop();
  }

 private:
  const int64_t step_;
  int64_t done_ = 0;
};

template <typename T>
bool AllFinite(const T* data, int64_t count) {
  using Real = RealOf<T>;
  const Real* const numbers = reinterpret_cast<const Real*>(data);
  if constexpr (kIsComplex<T>) count *= 2;
  Real sum = 0;
  // A product with zero is NaN for what is not finite.
  for (int64_t i = 0; i < count; ++i) sum += numbers[i] * Real{0};
  return sum == 0;
}

template <typename T>
void FillNan(T* data, int64_t count) {
  using Real = RealOf<T>;
  if constexpr (kIsComplex<T>) count *= 2;
  std::fill_n(reinterpret_cast<Real*>(data), count, std::numeric_limits<Real>::quiet_NaN());
}

// INFO where the input is not finite; LAPACK has no number for it, -4 is what its checks for NaN
// give.
inline constexpr Int kNotFinite = -4;

}  // namespace xla::lapack

#endif  // XLA_LAPACK_BATCH_KERNEL_H_
