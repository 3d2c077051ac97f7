// SPDX-License-Identifier: Apache-2.0
// The forms of dot. Each has a cost (forms.h), kDoesNotFit for problems that it cannot compute or
// would sum less exactly than the others, and a function that makes the kernel.
//
// The operand of columns is the vectorized one: callers try both orders of the operands
// (DotProblem::Swap).
#ifndef XLA_KERNELS_DOT_DOT_FORMS_H_
#define XLA_KERNELS_DOT_DOT_FORMS_H_

#include <memory>

#include "xla/kernels/dot/dot_problem.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// For few rows: the matrix of columns is streamed once, in place. Its elements are of type W and
// summed in T: float or double for both, or Bf16Bits or int8_t in float, with rows of any type, or
// int8_t or uint8_t in uint32_t, with rows of bytes.
template <typename T, typename W>
double SkinnyDotCost(const DotProblem& problem);
template <typename T, typename W>
std::unique_ptr<const Kernel> MakeSkinnyDot(DotProblem problem);

// For small matrices: multiplied in place by one thread, which takes less time than dividing or
// copying them. T: float, double.
template <typename T>
double SmallDotCost(const DotProblem& problem);
template <typename T>
std::unique_ptr<const Kernel> MakeSmallDot(DotProblem problem);

// Rows are read in place, as those of a pointwise convolution; f32.
double DirectDotCost(const DotProblem& problem);
std::unique_ptr<const Kernel> MakeDirectDot(DotProblem problem);

// Copies blocks of both operands; any sizes and types. Packing: see packing.h.
template <typename Packing>
double BlockedDotCost(const DotProblem& problem);
template <typename Packing>
std::unique_ptr<const Kernel> MakeBlockedDot(DotProblem problem);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_DOT_DOT_FORMS_H_
