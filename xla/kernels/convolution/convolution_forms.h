// SPDX-License-Identifier: Apache-2.0
// The forms of convolution. Each has a cost (forms.h), kDoesNotFit for convolutions that it cannot
// compute, and a function that makes the kernel.
#ifndef XLA_KERNELS_CONVOLUTION_CONVOLUTION_FORMS_H_
#define XLA_KERNELS_CONVOLUTION_CONVOLUTION_FORMS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/kernels/convolution/convolution_kernel.h"
#include "xla/kernels/convolution/convolution_problem.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// --- Convolutions that are computed by other kernels as a whole.

// For a dilated input: the output positions that use the same taps, a phase, are a convolution of
// an input that is not dilated. With `joins`, phases that only differ in their first tap are output
// features of one convolution.
double PhasesCost(const ConvolutionSpec& spec, bool joins);
absl::StatusOr<std::unique_ptr<const Kernel>> MakePhases(const ConvolutionSpec& spec, bool joins);

// For a dilated input whose features come before its positions: each element of the input, times
// all taps, is added to the results that it reaches.
double OverlapAddCost(const ConvolutionSpec& spec);
absl::StatusOr<std::unique_ptr<const Kernel>> MakeOverlapAdd(const ConvolutionSpec& spec);

// For windows of one element: a product of matrices.
double PointwiseCost(const ConvolutionSpec& spec);
absl::StatusOr<std::unique_ptr<const Kernel>> MakePointwise(const ConvolutionSpec& spec);

// --- Products of patches and features.

// For many groups of one feature, contiguous: depthwise convolutions of f32.
double DepthwiseCost(const ConvolutionProblem& problem);
std::unique_ptr<const Kernel> MakeDepthwise(ConvolutionProblem problem);

// Copies blocks of patches, as rows of a product or as its columns; any sizes and types. Packing:
// see packing.h; columns can only be real numbers.
template <typename Packing>
double PatchRowsCost(const ConvolutionProblem& problem);
template <typename Packing>
std::unique_ptr<const Kernel> MakePatchRows(ConvolutionProblem problem);
template <typename Packing>
double PatchColumnsCost(const ConvolutionProblem& problem);
template <typename Packing>
std::unique_ptr<const Kernel> MakePatchColumns(ConvolutionProblem problem);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_CONVOLUTION_FORMS_H_
