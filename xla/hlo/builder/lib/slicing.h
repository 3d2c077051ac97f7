// SPDX-License-Identifier: Apache-2.0
// Slices along the last dimensions, and indexing as frameworks name it.
#ifndef XLA_HLO_BUILDER_LIB_SLICING_H_
#define XLA_HLO_BUILDER_LIB_SLICING_H_

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// The window of these sizes at base_indices, clamped so that it lies inside, and of it every
// strides[i]-th element.
XlaOp DynamicStridedSlice(XlaOp input, absl::Span<const XlaOp> base_indices,
                          absl::Span<const int64_t> window_sizes,
                          absl::Span<const int64_t> strides);
// x[..., start[0]:end[0], start[1]:end[1]]
XlaOp SliceInMinorDims(XlaOp x, absl::Span<const int64_t> start, absl::Span<const int64_t> end);
// x with `update` at `start`: of all dimensions, or of the last ones.
XlaOp UpdateSlice(XlaOp x, XlaOp update, absl::Span<const int64_t> start);
XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const int64_t> start);
// The same at s32 scalar starts known at run time.
XlaOp DynamicSliceInMinorDims(XlaOp x, absl::Span<const XlaOp> starts,
                              absl::Span<const int64_t> sizes);
XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const XlaOp> starts);

// out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and so on: index has the rank of the input,
// and sizes at most the input's but along dim. `sparse` picks a gather, else a masked reduction;
// the results are equal where the indices are in bounds.
XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, bool sparse = true);
// combiner(input, sum of src at its places along dim). Dense: takes memory for all places at once.
XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner);
// The slices of the input along dim at the indices, which may have any shape that begins with the
// first batch_dims dimensions of the input.
XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims = 0);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SLICING_H_
