// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/convolution/convolution_problem.h"

#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "xla/base/dimension_vector.h"

namespace xla::kernels {

bool IsPointwise(const SpatialDim& dim) {
  return dim.taps == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.base_dilation == 1 &&
         dim.output_size == dim.input_size;
}

namespace {

// Merges a pointwise dimension with the dimension before it if the elements of both are contiguous,
// so that rows of positions are long: with another pointwise one or, if it is short itself, with
// any dimension without strides. The positions of a row must be equally spaced in the result as
// well: `result_strides`, by dimension.
void MergePointwiseDims(Patches* patches, const DimensionVector& result_strides) {
  constexpr int64_t kShortRow = 16;
  absl::InlinedVector<SpatialDim, 3> merged;
  for (size_t d = 0; d < patches->dims.size(); ++d) {
    const SpatialDim& dim = patches->dims[d];
    if (!merged.empty() && merged.back().stride == 1 && merged.back().base_dilation == 1 &&
        (IsPointwise(merged.back()) || dim.output_size < kShortRow) && IsPointwise(dim) &&
        merged.back().input_stride == dim.input_stride * dim.input_size &&
        result_strides[d - 1] == result_strides[d] * dim.output_size) {
      SpatialDim& last = merged.back();
      for (int64_t* size :
           {&last.output_size, &last.input_size, &last.padding_low, &last.window_dilation}) {
        *size *= dim.input_size;
      }
      last.input_stride = dim.input_stride;
    } else {
      merged.push_back(dim);
    }
  }
  patches->dims = std::move(merged);
}

// Whether images are interleaved element by element (as in gradients of kernels), so that positions
// of neighboring images are neighbors: the batch is then one more dimension, pointwise and minor.
bool IsBatchMinor(const ConvolutionSpec& spec, int64_t batch_size) {
  return spec.batch_group_count == 1 && batch_size > 1 &&
         spec.input.strides[spec.input_batch] == 1 && spec.input.strides[spec.input_feature] != 1;
}

void SetImages(const ConvolutionSpec& spec, int64_t batch_size, bool batch_is_minor,
               Patches& patches) {
  patches.type = spec.input.type;
  patches.data = nullptr;
  patches.element_bytes = spec.input.element_bytes();
  patches.batch_size = batch_is_minor ? 1 : batch_size;
  patches.batch_stride = spec.input.strides[spec.input_batch];
  patches.features = spec.kernel.dimensions[spec.kernel_input_feature];
  patches.feature_stride = spec.input.strides[spec.input_feature];
  patches.group_stride = spec.batch_group_count > 1 ? batch_size * patches.batch_stride
                                                    : patches.features * patches.feature_stride;
}

// Sets groups and output features of kernel and result.
void SetFeatures(const ConvolutionSpec& spec, MatrixView& kernel, ResultView& result) {
  const int64_t groups = spec.feature_group_count * spec.batch_group_count;
  const int64_t output_features = spec.kernel.dimensions[spec.kernel_output_feature] / groups;
  const int64_t kernel_stride = spec.kernel.strides[spec.kernel_output_feature];
  kernel.type = spec.kernel.type;
  kernel.data = nullptr;
  kernel.element_bytes = spec.kernel.element_bytes();
  kernel.batch = StridedDims({groups}, {output_features * kernel_stride});
  for (const ConvolutionSpec::OuterFeatures& outer : spec.outer_features)
    kernel.lines.Append(outer.size, outer.kernel_stride);
  kernel.lines.Append(output_features, kernel_stride);

  const int64_t result_stride = spec.result.strides[spec.result_feature];
  result.type = spec.result.type;
  result.data = nullptr;
  result.element_bytes = spec.result.element_bytes();
  result.batch = StridedDims({groups}, {output_features * result_stride});
  for (const ConvolutionSpec::OuterFeatures& outer : spec.outer_features)
    result.columns.Append(outer.size, outer.result_stride);
  result.columns.Append(output_features, result_stride);
}

// Adds a spatial dimension to the patches and the rows of the result.
void AddSpatialDim(const SpatialDim& dim, int64_t result_stride, ConvolutionProblem& problem,
                   DimensionVector& result_strides) {
  problem.conv.patches.dims.push_back(dim);
  problem.conv.result.rows.Append(dim.output_size, result_stride);
  result_strides.push_back(result_stride);
}

}  // namespace

ConvolutionProblem MakeConvolutionProblem(const ConvolutionSpec& spec) {
  ConvolutionProblem problem;
  const int64_t batch_size = spec.input.dimensions[spec.input_batch] / spec.batch_group_count;
  const bool batch_is_minor = IsBatchMinor(spec, batch_size);
  Patches& patches = problem.conv.patches;
  MatrixView& kernel = problem.conv.kernel;
  ResultView& result = problem.conv.result;
  SetImages(spec, batch_size, batch_is_minor, patches);
  SetFeatures(spec, kernel, result);
  if (!batch_is_minor) result.rows.Append(batch_size, spec.result.strides[spec.result_batch]);

  problem.kernel_origin = spec.kernel_origin;
  problem.result_origin = spec.result_origin;
  DimensionVector result_strides;
  for (const ConvolutionSpec::Spatial& spatial : spec.spatial) {
    const int64_t taps = spec.kernel.dimensions[spatial.kernel_dimension];
    AddSpatialDim({.output_size = spec.result.dimensions[spatial.result_dimension],
                   .taps = taps,
                   .stride = spatial.stride,
                   .padding_low = spatial.padding_low,
                   .window_dilation = spatial.window_dilation,
                   .base_dilation = spatial.base_dilation,
                   .input_size = spec.input.dimensions[spatial.input_dimension],
                   .input_stride = spec.input.strides[spatial.input_dimension]},
                  spec.result.strides[spatial.result_dimension], problem, result_strides);
    const int64_t stride = spec.kernel.strides[spatial.kernel_dimension];
    if (spatial.reversal && taps > 0) problem.kernel_origin += (taps - 1) * stride;
    problem.tap_sizes.push_back(taps);
    problem.tap_strides.push_back(spatial.reversal ? -stride : stride);
  }
  kernel.k = StridedDims(problem.tap_sizes, problem.tap_strides);
  if (batch_is_minor) {
    AddSpatialDim({.output_size = batch_size,
                   .taps = 1,
                   .stride = 1,
                   .padding_low = 0,
                   .window_dilation = 1,
                   .base_dilation = 1,
                   .input_size = batch_size,
                   .input_stride = 1},
                  spec.result.strides[spec.result_batch], problem, result_strides);
  }
  problem.kernel_feature_stride = spec.kernel.strides[spec.kernel_input_feature];
  kernel.k.Append(patches.features, problem.kernel_feature_stride);
  MergePointwiseDims(&patches, result_strides);
  problem.kernel_scale = spec.kernel_scale;
  problem.epilogue = spec.epilogue;
  return problem;
}

}  // namespace xla::kernels
