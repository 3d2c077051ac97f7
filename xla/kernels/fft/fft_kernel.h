// SPDX-License-Identifier: Apache-2.0
// fft as a prepared kernel.
#ifndef XLA_KERNELS_FFT_FFT_KERNEL_H_
#define XLA_KERNELS_FFT_FFT_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// A transform over the last lengths.size() dimensions of a dense, row-major array. The last of them
// is that of real numbers: from_type is real for RFFT, to_type for IRFFT, whose operand has length
// / 2
// + 1 elements there.
struct FftSpec {
  PrimitiveType from_type, to_type;  // F32 with C64, F64 with C128, or complex to complex
  bool inverse;
  DimensionVector dimensions;  // of the operand
  DimensionVector lengths;
  // The name of the form to use; if empty, the cheapest. For tests and measurements.
  std::string form;
};

// Returns the forms that can compute the transform, with their costs; MakeFftKernel uses the
// cheapest.
std::vector<FormCost> FftForms(const FftSpec& spec);

// Buffers of a call: operand, result. Computed in the precision of the types. Null if no form fits:
// operands whose sizes differ from the lengths, and some very long axes.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeFftKernel(const FftSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_FFT_KERNEL_H_
