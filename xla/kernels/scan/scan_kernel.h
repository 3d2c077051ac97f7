// SPDX-License-Identifier: Apache-2.0
// Prefix scans (cumulative sums, products, maxima, minima) as prepared kernels.
#ifndef XLA_KERNELS_SCAN_SCAN_KERNEL_H_
#define XLA_KERNELS_SCAN_SCAN_KERNEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla/kernels/kernel.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

enum class ScanOperation { kAdd, kMultiply, kMaximum, kMinimum };

// A scan of arrays [outer, length, inner], dense and row-major: result[o, i, j] is the initial
// value combined with x[o, 0, j], .., x[o, i, j]; from the end to i if `reverse`.
struct ScanSpec {
  PrimitiveType type;
  ScanOperation operation;
  int64_t outer, length, inner;
  bool reverse = false;
};

// Buffers of a call: x, the initial value (a scalar), result, which may be the memory of x.
// Narrower floats are combined in f32. Sums round in another order than one after the other.
// UNIMPLEMENTED for types other than F16, BF16, F32, F64 and integers of 32 and 64 bits.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeScanKernel(const ScanSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SCAN_SCAN_KERNEL_H_
