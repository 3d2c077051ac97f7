// SPDX-License-Identifier: Apache-2.0
// fft along one axis of few or very long lines, as a prepared kernel.
#ifndef XLA_KERNELS_FFT_LONG_FFT_KERNEL_H_
#define XLA_KERNELS_FFT_LONG_FFT_KERNEL_H_

#include <memory>

#include "xla/kernels/fft/fft_kernel.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// Estimated cycles; kDoesNotFit if the transform is not along one axis, or lines are short.
template <typename T>
double LongLinesCost(const FftSpec& spec);
// The spec must fit.
template <typename T>
std::unique_ptr<const Kernel> MakeLongLinesKernel(const FftSpec& spec);

extern template double LongLinesCost<float>(const FftSpec& spec);
extern template double LongLinesCost<double>(const FftSpec& spec);
extern template std::unique_ptr<const Kernel> MakeLongLinesKernel<float>(const FftSpec& spec);
extern template std::unique_ptr<const Kernel> MakeLongLinesKernel<double>(const FftSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_LONG_FFT_KERNEL_H_
