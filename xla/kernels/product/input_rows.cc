// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/product/input_rows.h"

#include <algorithm>

namespace xla::kernels {

InputRows::InputRows(const Patches& patches) : patches_(patches) {
  const auto& dims = patches.dims;
  for (size_t d = 0; d + 1 < dims.size(); ++d) outer_taps_ *= dims[d].taps;
  if (dims.size() != 2) return;
  const SpatialDim& outer = dims[0];
  sharing_rows_ = std::max<int64_t>(
      1, (outer.taps - 1) * outer.window_dilation / std::max<int64_t>(1, outer.stride));
}

int64_t InputRows::MostOf(int64_t rows) const {
  const auto& dims = patches_.dims;
  if (dims.size() != 2) return rows * outer_taps_;
  // Neighbors of one image share rows.
  const int64_t images = rows / dims[0].output_size + 2;
  return std::min(
      rows * outer_taps_,
      rows * dims[0].stride + images * ((dims[0].taps - 1) * dims[0].window_dilation + 1));
}

int64_t InputRows::OffsetOf(int64_t row, int64_t tap) const {
  const auto& dims = patches_.dims;
  int64_t offset = 0;
  for (size_t d = dims.size() - 1; d-- > 0;) {
    const SpatialDim& dim = dims[d];
    const int64_t at =
        row % dim.output_size * dim.stride - dim.padding_low + tap % dim.taps * dim.window_dilation;
    if (at < 0 || at >= dim.input_size) return kZeroRow;
    row /= dim.output_size;
    tap /= dim.taps;
    offset += at * dim.input_stride;
  }
  return offset + row * patches_.batch_stride;
}

int64_t InputRows::FindEarlier(const int64_t* offsets, int64_t at) const {
  const int64_t begin = std::max<int64_t>(0, at / outer_taps_ - sharing_rows_) * outer_taps_;
  const int64_t* const found = std::find(offsets + begin, offsets + at, offsets[at]);
  return found == offsets + at ? -1 : found - offsets;
}

}  // namespace xla::kernels
