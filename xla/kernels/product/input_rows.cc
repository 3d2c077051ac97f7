// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/product/input_rows.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace xla::kernels {

InputRows::InputRows(const Patches& patches) : patches_(patches) {
  const auto& dims = patches.dims;
  for (size_t d = 0; d + 1 < dims.size(); ++d) outer_taps_ *= dims[d].taps;
  if (dims.size() < 2) return;
  const SpatialDim& outer = dims[dims.size() - 2];
  const int64_t common = std::gcd(outer.stride, outer.window_dilation);
  shared_rows_ = outer.window_dilation / common;
  shared_taps_ = outer.stride / common;
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

bool InputRows::ReadsPadding() const {
  const auto& dims = patches_.dims;
  return std::any_of(dims.begin(), dims.end() - 1, [](const SpatialDim& dim) {
    const int64_t reach = (dim.output_size - 1) * dim.stride + (dim.taps - 1) * dim.window_dilation;
    return dim.padding_low > 0 || reach - dim.padding_low >= dim.input_size;
  });
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

int64_t InputRows::Distance(int64_t row, int64_t tap) const {
  const auto& dims = patches_.dims;
  if (dims.size() < 2) return 0;
  const SpatialDim& outer = dims[dims.size() - 2];
  if (row % outer.output_size < shared_rows_ || tap % outer.taps + shared_taps_ >= outer.taps) {
    return 0;
  }
  return shared_rows_ * outer_taps_ - shared_taps_;
}

}  // namespace xla::kernels
