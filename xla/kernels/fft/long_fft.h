// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of one long line at a time, by several workers.
#ifndef XLA_KERNELS_FFT_LONG_FFT_H_
#define XLA_KERNELS_FFT_LONG_FFT_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// A complex transform of one length.
template <typename T>
class LongFft {
 public:
  virtual ~LongFft() = default;
  virtual int64_t ScratchBytes(int32_t workers) const = 0;
  // Interleaved complex numbers; `from` and `to` may be the same.
  virtual absl::Status Run(const KernelHost& host, const T* from, T* to, char* scratch) const = 0;
};

// All results are multiplied by `scale`. Null if the length is too short or too long for this.
template <typename T>
std::unique_ptr<const LongFft<T>> MakeLongFft(int64_t n, bool inverse, double scale);

// Estimated cycles of its run; kDoesNotFit where it is null.
template <typename T>
double LongFftCost(int64_t n);

extern template double LongFftCost<float>(int64_t);
extern template double LongFftCost<double>(int64_t);
extern template std::unique_ptr<const LongFft<float>> MakeLongFft(int64_t, bool, double);
extern template std::unique_ptr<const LongFft<double>> MakeLongFft(int64_t, bool, double);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_LONG_FFT_H_
