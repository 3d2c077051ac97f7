// SPDX-License-Identifier: Apache-2.0
// Kernels of convolutions that hold one element of each block of their input features.
#ifndef XLA_HLO_SHAPE_INFERENCE_SPARSE_KERNEL_H_
#define XLA_HLO_SHAPE_INFERENCE_SPARSE_KERNEL_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla {

// Whether the convolution has a sparsity_config for its kernel.
bool HasSparseKernel(const HloInstruction& convolution);

// The shape of the whole kernel that the operand (values, positions in their blocks) of such a
// convolution stands for. INVALID_ARGUMENT with the rule only if the operand does not fit the
// sparsity_config; the caller names the convolution.
absl::StatusOr<Shape> WholeKernelShape(const HloInstruction& convolution);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_SPARSE_KERNEL_H_
