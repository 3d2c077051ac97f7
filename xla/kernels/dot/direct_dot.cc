// SPDX-License-Identifier: Apache-2.0
// Reads rows in place, like those of a pointwise convolution.
#include <cstdint>
#include <memory>
#include <utility>

#include "xla/kernels/dot/dot_forms.h"
#include "xla/kernels/product/direct_product.h"
#include "xla/kernels/product/product_cost.h"

namespace xla::kernels {
namespace {

DirectProductSpec ConvolutionOf(const DotProblem& problem) {
  const MatrixView& rows = problem.rows.view;
  DirectProductSpec spec;
  Patches& patches = spec.convolution.patches;
  patches.type = rows.type;
  patches.data = nullptr;
  patches.element_bytes = rows.element_bytes;
  patches.group_stride = rows.batch.run_stride();
  patches.batch_size = 1;
  patches.batch_stride = 0;
  patches.features = problem.k;
  patches.feature_stride = rows.k.run_stride();
  patches.dims.push_back({.output_size = problem.m,
                          .taps = 1,
                          .stride = 1,
                          .padding_low = 0,
                          .window_dilation = 1,
                          .base_dilation = 1,
                          .input_size = problem.m,
                          .input_stride = rows.lines.run_stride()});
  spec.convolution.kernel = problem.columns.view;
  spec.convolution.result = problem.result;
  spec.kernel_scale = problem.columns.scale;
  spec.input_buffer = problem.rows.buffer;
  spec.kernel_buffer = problem.columns.buffer;
  spec.epilogue = problem.epilogue;
  return spec;
}

}  // namespace

double DirectDotCost(const DotProblem& problem) {
  const MatrixView& rows = problem.rows.view;
  if ((problem.epilogue.store != nullptr && !problem.epilogue.in_place) ||
      problem.rows.scale != 1 || !rows.k.IsOneRun() || !rows.lines.IsOneRun() ||
      !rows.batch.IsOneRun() || rows.lines.run_stride() <= 0) {
    return kDoesNotFit;
  }
  return DirectProductCost(ConvolutionOf(problem));
}

std::unique_ptr<const Kernel> MakeDirectDot(DotProblem problem) {
  return MakeDirectProduct(ConvolutionOf(problem));
}

}  // namespace xla::kernels
