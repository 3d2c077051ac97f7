// SPDX-License-Identifier: Apache-2.0
// Dot as a prepared kernel: products of any sizes, layouts and element types.
#ifndef XLA_KERNELS_DOT_DOT_KERNEL_H_
#define XLA_KERNELS_DOT_DOT_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/array_spec.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// result[batch.., lhs free.., rhs free..] = sum of lhs * rhs over the contracting dimensions. Free
// dimensions are in the order of the operands' dimensions.
struct DotSpec {
  ArraySpec lhs, rhs, result;
  DimensionVector lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  // Factors by which all elements of an operand are multiplied, and rounded, as they are read. For
  // f32 and f64 operands only.
  double lhs_scale = 1, rhs_scale = 1;
  // The contents of `rhs`, if they are constant: packed once, and not read at run time. The memory
  // is not used after MakeDotKernel returns.
  const void* rhs_constant = nullptr;
  // With an epilogue, the result must be dense, in any layout.
  KernelEpilogue epilogue;
  // The name of the form to use; if empty, the cheapest. For tests and measurements.
  std::string form;
};

// Returns the forms that can compute the product, with their costs; MakeDotKernel uses the
// cheapest.
std::vector<FormCost> DotForms(const DotSpec& spec);

// Buffers of a call: lhs, rhs, result. Floats of at most 32 bits are summed in f32, wider ones in
// f64; integers wrap at the width of the widest type. Products of bf16 take the machine's
// instructions for them where there are some, which treat subnormal numbers as zero.
// UNIMPLEMENTED for complex operands with a real result, INVALID_ARGUMENT for a form that does not
// fit.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeDotKernel(const DotSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_DOT_DOT_KERNEL_H_
