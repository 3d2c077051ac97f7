// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/movement/sparse_array.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"

namespace xla::kernels {
namespace {

// Writes zeros, in pieces that take some milliseconds each.
absl::Status FillZeros(WorkMeter& meter, char* to, int64_t bytes) {
  constexpr int64_t kPiece = int64_t{16} << 20;
  for (int64_t at = 0; at < bytes; at += kPiece) {
    const int64_t count = std::min(bytes - at, kPiece);
    std::memset(to + at, 0, static_cast<size_t>(count));
    XLA_RETURN_IF_ERROR(meter.Add(0.2 * static_cast<double>(count)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExpandSparseArray(Context& context, const SparseArray& array, const void* values,
                               const void* positions, void* whole) {
  // Elements within a block of the sparse dimension are `inner` elements apart.
  int64_t inner = 1, count = 1;
  for (size_t d = 0; d < array.dimensions.size(); ++d) {
    if (static_cast<int64_t>(d) > array.dimension) inner *= array.dimensions[d];
    count *= array.dimensions[d];
  }
  const int64_t bytes = array.element_bytes, block = array.block_size;
  const int64_t position_bytes = primitive_util::ByteWidth(array.position_type);
  const WideLoad<uint64_t> load = GetWideLoad<uint64_t>(array.position_type);
  const auto* const from = static_cast<const char*>(values);
  const auto* const places = static_cast<const char*>(positions);
  auto* const to = static_cast<char*>(whole);
  const double cost = 2 + 0.2 * static_cast<double>(block * bytes);
  return context.ParallelFor(
      count, ChunkFor(count, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        constexpr int64_t kRun = 256;
        uint64_t offsets[kRun];
        WorkMeter meter(context);
        for (int64_t i = begin, run; i < end; i += run) {
          // Adjacent elements within one row of blocks.
          const int64_t column = i % inner;
          run = std::min({end - i, inner - column, kRun});
          char* const start = to + (i / inner * block * inner + column) * bytes;
          if (run == inner) {
            XLA_RETURN_IF_ERROR(FillZeros(meter, start, block * inner * bytes));
          } else {
            for (int64_t k = 0; k < block; ++k)
              XLA_RETURN_IF_ERROR(FillZeros(meter, start + k * inner * bytes, run * bytes));
          }
          load(places + i * position_bytes, 1, run, offsets);
          for (int64_t k = 0; k < run; ++k) {
            if (offsets[k] >= static_cast<uint64_t>(block)) {
              return absl::InvalidArgumentError(
                  absl::StrCat("Invalid position in block: ", static_cast<int64_t>(offsets[k]),
                               ", must be in [0, ", block, ")"));
            }
            std::memcpy(start + (static_cast<int64_t>(offsets[k]) * inner + k) * bytes,
                        from + (i + k) * bytes, static_cast<size_t>(bytes));
          }
          XLA_RETURN_IF_ERROR(meter.Add(2 * static_cast<double>(run)));
        }
        return absl::OkStatus();
      });
}

}  // namespace xla::kernels
