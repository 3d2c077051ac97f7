// SPDX-License-Identifier: Apache-2.0
// The multiplications of dot and convolution, as HloEvaluator::set_trace_mac_handler lists them.
// Which there are depends on shapes and attributes alone.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/index_util.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Index = std::vector<int64_t>;

// Places in memory need layouts.
Shape WithLayout(Shape shape) {
  if (!shape.has_layout()) LayoutUtil::SetToDefaultLayout(&shape);
  return shape;
}

void ForEachIndex(const Shape& shape, absl::FunctionRef<void(const Index&)> visit) {
  ShapeUtil::ForEachIndex(shape, [&](absl::Span<const int64_t> index) {
    visit(Index(index.begin(), index.end()));
    return true;
  });
}

bool IsListed(const Int64s& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void TraceDot(const HloInstruction& dot, const HloEvaluator::TraceMACHandler& handler) {
  const auto& a = dot.attributes<DotAttributes>();
  const Shape result = WithLayout(dot.shape());
  const Shape lhs = WithLayout(dot.operand(0)->shape());
  const Shape rhs = WithLayout(dot.operand(1)->shape());
  std::vector<int64_t> contracted;
  for (const int64_t d : a.lhs_contracting_dims) contracted.push_back(lhs.dimensions(d));
  const Shape sums = ShapeUtil::MakeShape(F32, contracted);
  ForEachIndex(result, [&](const Index& at) {
    Index left(lhs.rank()), right(rhs.rank());
    size_t next = 0;
    for (size_t i = 0; i < a.lhs_batch_dims.size(); ++i, ++next) {
      left[a.lhs_batch_dims[i]] = right[a.rhs_batch_dims[i]] = at[next];
    }
    for (int64_t d = 0; d < lhs.rank(); ++d) {
      if (!IsListed(a.lhs_batch_dims, d) && !IsListed(a.lhs_contracting_dims, d)) {
        left[d] = at[next++];
      }
    }
    for (int64_t d = 0; d < rhs.rank(); ++d) {
      if (!IsListed(a.rhs_batch_dims, d) && !IsListed(a.rhs_contracting_dims, d)) {
        right[d] = at[next++];
      }
    }
    ForEachIndex(sums, [&](const Index& k) {
      for (size_t i = 0; i < k.size(); ++i) {
        left[a.lhs_contracting_dims[i]] = right[a.rhs_contracting_dims[i]] = k[i];
      }
      handler(IndexUtil::MultidimensionalIndexToLinearIndex(result, at),
              IndexUtil::MultidimensionalIndexToLinearIndex(lhs, left),
              IndexUtil::MultidimensionalIndexToLinearIndex(rhs, right));
    });
  });
}

// Where tap `tap` of the window at `position` reads; false in the padding and between dilated
// elements.
bool Tap(const WindowDim& window, int64_t position, int64_t tap, int64_t size, int64_t* place) {
  const int64_t at = position * window.stride + tap * window.window_dilation - window.padding_low;
  if (at < 0 || at % window.base_dilation != 0) return false;
  *place = at / window.base_dilation;
  return *place < size;
}

void TraceConvolution(const HloInstruction& convolution,
                      const HloEvaluator::TraceMACHandler& handler) {
  const auto& a = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& dims = a.dim_labels;
  const Shape result = WithLayout(convolution.shape());
  const Shape lhs = WithLayout(convolution.operand(0)->shape());
  const Shape rhs = WithLayout(convolution.operand(1)->shape());
  if (!lhs.IsArray() || !rhs.IsArray()) return;  // sparse
  std::vector<int64_t> sums = {rhs.dimensions(dims.kernel_input_feature)};
  for (const WindowDim& window : a.window.dims) sums.push_back(window.size);
  const int64_t features = result.dimensions(dims.output_feature);
  const int64_t batches = result.dimensions(dims.output_batch);
  ForEachIndex(result, [&](const Index& at) {
    const int64_t feature = at[dims.output_feature];
    const int64_t group = feature / (features / a.feature_group_count);
    const int64_t batch_group = feature / (features / a.batch_group_count);
    ForEachIndex(ShapeUtil::MakeShape(F32, sums), [&](const Index& k) {
      Index left(lhs.rank()), right(rhs.rank());
      left[dims.input_batch] = batch_group * batches + at[dims.output_batch];
      left[dims.input_feature] = group * sums[0] + k[0];
      right[dims.kernel_input_feature] = k[0];
      right[dims.kernel_output_feature] = feature;
      for (size_t i = 0; i < a.window.size(); ++i) {
        const WindowDim& window = a.window[i];
        const int64_t d = dims.input_spatial[i];
        const int64_t tap = k[i + 1];
        if (!Tap(window, at[dims.output_spatial[i]], tap, lhs.dimensions(d), &left[d])) return;
        right[dims.kernel_spatial[i]] = window.window_reversal ? window.size - 1 - tap : tap;
      }
      handler(IndexUtil::MultidimensionalIndexToLinearIndex(result, at),
              IndexUtil::MultidimensionalIndexToLinearIndex(lhs, left),
              IndexUtil::MultidimensionalIndexToLinearIndex(rhs, right));
    });
  });
}

}  // namespace

void HloEvaluator::TraceMACs(const HloComputation& computation) const {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() == HloOpcode::kDot) TraceDot(*instruction, trace_mac_handler_);
    if (instruction->opcode() == HloOpcode::kConvolution) {
      TraceConvolution(*instruction, trace_mac_handler_);
    }
  }
}

}  // namespace xla
