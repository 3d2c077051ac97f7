// SPDX-License-Identifier: Apache-2.0
// Windows of convolution, reduce-window and select-and-scatter: construction, queries, printing,
// and the sizes of their results.
#ifndef XLA_WINDOW_UTIL_H_
#define XLA_WINDOW_UTIL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/xla_data_enums.h"

namespace xla {
namespace window_util {

// A window of these sizes, with stride and dilations 1 and no padding.
Window MakeWindow(absl::Span<const int64_t> sizes);
Window MakeWindow(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides);
// The same padding at both ends of each dimension, none between elements.
PaddingConfig MakeSymmetricPadding(absl::Span<const int64_t> sizes);

// The HLO text form: "size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x2 rhs_dilate=2x1
// rhs_reversal=0x1"; parts with only default values are omitted. "" for no dimensions.
std::string ToString(const Window& window);
// The same for one dimension: "(size=3,stride=2,...)".
std::string ToString(const WindowDimension& dimension);
// The HLO text form of pad's padding: "0_1x2_3_1"; interior padding is printed for all dimensions
// if one has it.
std::string ToString(const PaddingConfig& padding_config);

// Whether the field differs from its default in some dimension.
bool HasStride(const Window& window);
bool HasPadding(const Window& window);
bool HasSymmetricPadding(const Window& window);
bool HasSymmetricPadding(const PaddingConfig& padding_config);
bool HasNegativePadding(const Window& window);
bool HasBaseDilation(const Window& window);
bool HasWindowDilation(const Window& window);
bool HasDilation(const Window& window);
bool HasOverlappingWindow(const Window& window);
bool HasWindowReversal(const Window& window);
bool AllOrNoneReversed(const Window& window);
// Size 1, no stride, padding or dilation.
bool IsTrivialWindowDimension(const WindowDimension& dimension);
bool IsTrivialWindow(const Window& window);

// Checks that size, stride and dilations are positive in every dimension. The error names the
// dimension and prints the window.
absl::Status ValidateWindow(const Window& window);

// The extent of `bound` elements with `dilation` - 1 holes between neighbors: DilatedBound(3, 2)
// is 5; 0 stays 0. Preconditions: bound >= 0, dilation >= 1, the result fits.
int64_t DilatedBound(int64_t bound, int64_t dilation);
// The number of positions of a window in an array: StridedBound(5, 2, 2) is 2 (offsets 0 and 2).
// Preconditions: window_size >= 0, stride >= 1.
int64_t StridedBound(int64_t bound, int64_t window_size, int64_t stride);

// The size of the result in one dimension, after base dilation, padding, window dilation and stride
// are applied to `bound`; 0 if the window does not fit. Returns an error if a number is out of
// range or overflows. An unbounded `bound` (Shape::kUnboundedSize) stays unbounded.
absl::StatusOr<int64_t> WindowedBound(int64_t bound, int64_t size, int64_t stride,
                                      int64_t padding_low, int64_t padding_high,
                                      int64_t window_dilation, int64_t base_dilation);
absl::StatusOr<int64_t> WindowedBound(int64_t bound, const WindowDimension& dimension);
// The size after pad: low + dilated + high; returns an error if it is negative or overflows.
absl::StatusOr<int64_t> PaddedBound(int64_t bound, int64_t padding_low, int64_t padding_high,
                                    int64_t interior_padding);
absl::StatusOr<int64_t> PaddedBound(int64_t bound,
                                    const PaddingConfig_PaddingConfigDimension& padding);

}  // namespace window_util
}  // namespace xla

#endif  // XLA_WINDOW_UTIL_H_
