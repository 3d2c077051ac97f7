// SPDX-License-Identifier: Apache-2.0
// rng-bit-generator as a prepared kernel.
#ifndef XLA_KERNELS_RANDOM_RANDOM_BITS_KERNEL_H_
#define XLA_KERNELS_RANDOM_RANDOM_BITS_KERNEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/kernel.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

struct RandomBitsSpec {
  bool threefry;  // else philox
  // The state as words of 64 bits: 2 for threefry, 2 or 3 for philox.
  int64_t state_words;
  PrimitiveType type;
  DimensionVector dimensions;  // of the result, which is dense and row-major
};

// Buffers of a call: state, new state, result. UNIMPLEMENTED for element types without random bits.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeRandomBitsKernel(const RandomBitsSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_RANDOM_RANDOM_BITS_KERNEL_H_
