// SPDX-License-Identifier: Apache-2.0
// Windows: construction, queries, printing, and the sizes of their results.
#include "xla/window_util.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/overflow_util.h"
#include "xla/shape.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace window_util {
namespace {

template <typename Predicate>
bool AnyDimension(const Window& window, Predicate predicate) {
  return std::any_of(window.dimensions().begin(), window.dimensions().end(), predicate);
}

// " name=1x2x3", one part for each dimension, printed by append(dimension, out).
template <typename Dimensions, typename Append>
void AppendPart(absl::string_view name, const Dimensions& dimensions, std::string* out,
                Append append) {
  if (!out->empty()) out->push_back(' ');
  absl::StrAppend(out, name);
  bool first = true;
  for (const auto& dimension : dimensions) {
    if (!first) out->push_back('x');
    first = false;
    append(dimension, out);
  }
}

// bound elements with dilation - 1 holes between neighbors, or nullopt on overflow.
std::optional<int64_t> CheckedDilatedBound(int64_t bound, int64_t dilation) {
  if (bound == 0) return 0;
  const int64_t span = MultiplyWithoutOverflow(bound - 1, dilation);
  if (span < 0) return std::nullopt;
  return OverflowSafeAdd<int64_t>(span, 1);
}

absl::Status Overflow(int64_t bound) {
  return InvalidArgumentStrCat("the size that results from a dimension of size ", bound,
                               " overflows int64");
}

absl::StatusOr<int64_t> AddPadding(int64_t bound, int64_t dilated, int64_t low, int64_t high) {
  // Low and high may be extreme with opposite signs, so any of the partial sums may not fit.
  __int128 padded = static_cast<__int128>(dilated) + low + high;
  if (padded > std::numeric_limits<int64_t>::max()) return Overflow(bound);
  if (padded < 0) {
    return InvalidArgumentStrCat(
        "padding ", low, "_", high, " of a dimension of size ", bound,
        dilated == bound ? "" : absl::StrCat(" (dilated to ", dilated, ")"),
        " leaves a negative size");
  }
  return static_cast<int64_t>(padded);
}

}  // namespace

// ---- Construction ----

Window MakeWindow(absl::Span<const int64_t> sizes) {
  return MakeWindow(sizes, DimensionVector(sizes.size(), 1));
}
Window MakeWindow(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
  XLA_CHECK(sizes.size() == strides.size());
  Window window;
  for (size_t i = 0; i < sizes.size(); ++i) {
    WindowDimension& dimension = *window.add_dimensions();
    dimension.set_size(sizes[i]);
    dimension.set_stride(strides[i]);
    dimension.set_base_dilation(1);
    dimension.set_window_dilation(1);
  }
  return window;
}
PaddingConfig MakeSymmetricPadding(absl::Span<const int64_t> sizes) {
  PaddingConfig config;
  for (const int64_t size : sizes) {
    PaddingConfig::PaddingConfigDimension& dimension = *config.add_dimensions();
    dimension.set_edge_padding_low(size);
    dimension.set_edge_padding_high(size);
  }
  return config;
}

// ---- Printing ----

std::string ToString(const WindowDimension& dimension) {
  std::string out = absl::StrCat("(size=", dimension.size());
  const auto add_unless = [&](absl::string_view name, int64_t value, int64_t usual) {
    if (value != usual) absl::StrAppend(&out, ",", name, "=", value);
  };
  add_unless("stride", dimension.stride(), 1);
  add_unless("padding_low", dimension.padding_low(), 0);
  add_unless("padding_high", dimension.padding_high(), 0);
  add_unless("base_dilation", dimension.base_dilation(), 1);
  add_unless("window_dilation", dimension.window_dilation(), 1);
  if (dimension.window_reversal()) out.append(",window_reversal");
  out.push_back(')');
  return out;
}

std::string ToString(const Window& window) {
  std::string out;
  if (window.dimensions_size() == 0) return out;
  const auto& dimensions = window.dimensions();
  using Dimension = WindowDimension;
  AppendPart("size=", dimensions, &out,
             [](const Dimension& d, std::string* s) { absl::StrAppend(s, d.size()); });
  if (HasStride(window)) {
    AppendPart("stride=", dimensions, &out,
               [](const Dimension& d, std::string* s) { absl::StrAppend(s, d.stride()); });
  }
  if (HasPadding(window)) {
    AppendPart("pad=", dimensions, &out, [](const Dimension& d, std::string* s) {
      absl::StrAppend(s, d.padding_low(), "_", d.padding_high());
    });
  }
  if (HasBaseDilation(window)) {
    AppendPart("lhs_dilate=", dimensions, &out,
               [](const Dimension& d, std::string* s) { absl::StrAppend(s, d.base_dilation()); });
  }
  if (HasWindowDilation(window)) {
    AppendPart("rhs_dilate=", dimensions, &out,
               [](const Dimension& d, std::string* s) { absl::StrAppend(s, d.window_dilation()); });
  }
  if (HasWindowReversal(window)) {
    AppendPart("rhs_reversal=", dimensions, &out, [](const Dimension& d, std::string* s) {
      s->push_back(d.window_reversal() ? '1' : '0');
    });
  }
  return out;
}

std::string ToString(const PaddingConfig& padding_config) {
  using Dimension = PaddingConfig::PaddingConfigDimension;
  const auto& dimensions = padding_config.dimensions();
  const bool any_interior =
      std::any_of(dimensions.begin(), dimensions.end(),
                  [](const Dimension& d) { return d.interior_padding() != 0; });
  std::string out;
  AppendPart("", dimensions, &out, [&](const Dimension& d, std::string* s) {
    absl::StrAppend(s, d.edge_padding_low(), "_", d.edge_padding_high());
    if (any_interior) absl::StrAppend(s, "_", d.interior_padding());
  });
  return out;
}

// ---- Queries ----

bool HasStride(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) { return d.stride() != 1; });
}
bool HasPadding(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) {
    return d.padding_low() != 0 || d.padding_high() != 0;
  });
}
bool HasSymmetricPadding(const Window& window) {
  return !AnyDimension(
      window, [](const WindowDimension& d) { return d.padding_low() != d.padding_high(); });
}
bool HasSymmetricPadding(const PaddingConfig& padding_config) {
  return std::all_of(padding_config.dimensions().begin(), padding_config.dimensions().end(),
                     [](const PaddingConfig::PaddingConfigDimension& d) {
                       return d.edge_padding_low() == d.edge_padding_high();
                     });
}
bool HasNegativePadding(const Window& window) {
  return AnyDimension(
      window, [](const WindowDimension& d) { return d.padding_low() < 0 || d.padding_high() < 0; });
}
bool HasBaseDilation(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) { return d.base_dilation() != 1; });
}
bool HasWindowDilation(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) { return d.window_dilation() != 1; });
}
bool HasDilation(const Window& window) {
  return HasBaseDilation(window) || HasWindowDilation(window);
}
bool HasOverlappingWindow(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) { return d.size() > d.stride(); });
}
bool HasWindowReversal(const Window& window) {
  return AnyDimension(window, [](const WindowDimension& d) { return d.window_reversal(); });
}
bool AllOrNoneReversed(const Window& window) {
  return !HasWindowReversal(window) ||
         !AnyDimension(window, [](const WindowDimension& d) { return !d.window_reversal(); });
}
bool IsTrivialWindowDimension(const WindowDimension& dimension) {
  return dimension.size() == 1 && dimension.stride() == 1 && dimension.padding_low() == 0 &&
         dimension.padding_high() == 0 && dimension.window_dilation() == 1 &&
         dimension.base_dilation() == 1;
}
bool IsTrivialWindow(const Window& window) {
  return !AnyDimension(window,
                       [](const WindowDimension& d) { return !IsTrivialWindowDimension(d); });
}

absl::Status ValidateWindow(const Window& window) {
  for (int i = 0; i < window.dimensions_size(); ++i) {
    const WindowDimension& d = window.dimensions(i);
    const auto check = [&](absl::string_view name, int64_t value) {
      if (value >= 1) return absl::OkStatus();
      return InvalidArgumentStrCat("window {", ToString(window), "} has ", name, " ", value,
                                   " in dimension ", i, "; it must be positive");
    };
    XLA_RETURN_IF_ERROR(check("size", d.size()));
    XLA_RETURN_IF_ERROR(check("stride", d.stride()));
    XLA_RETURN_IF_ERROR(check("base dilation", d.base_dilation()));
    XLA_RETURN_IF_ERROR(check("window dilation", d.window_dilation()));
  }
  return absl::OkStatus();
}

// ---- Bounds ----

int64_t DilatedBound(int64_t bound, int64_t dilation) {
  XLA_CHECK(bound >= 0 && dilation >= 1) << "bound " << bound << ", dilation " << dilation;
  const std::optional<int64_t> dilated = CheckedDilatedBound(bound, dilation);
  XLA_CHECK(dilated.has_value()) << "bound " << bound << ", dilation " << dilation;
  return *dilated;
}

int64_t StridedBound(int64_t bound, int64_t window_size, int64_t stride) {
  XLA_CHECK(window_size >= 0 && stride >= 1) << "size " << window_size << ", stride " << stride;
  if (bound <= 0 || window_size > bound) return 0;
  // The first position is 0, the last the greatest multiple of the stride that fits.
  return (bound - window_size) / stride + 1;
}

absl::StatusOr<int64_t> WindowedBound(int64_t bound, int64_t size, int64_t stride,
                                      int64_t padding_low, int64_t padding_high,
                                      int64_t window_dilation, int64_t base_dilation) {
  if (size < 1 || stride < 1 || window_dilation < 1 || base_dilation < 1) {
    return InvalidArgumentStrCat("window size ", size, ", stride ", stride, ", window dilation ",
                                 window_dilation, " and base dilation ", base_dilation,
                                 " must all be positive");
  }
  if (bound == Shape::kUnboundedSize) return bound;
  if (bound < 0) return InvalidArgumentStrCat("negative dimension size ", bound);
  const std::optional<int64_t> dilated_base = CheckedDilatedBound(bound, base_dilation);
  const std::optional<int64_t> dilated_window = CheckedDilatedBound(size, window_dilation);
  if (!dilated_base.has_value() || !dilated_window.has_value()) return Overflow(bound);
  XLA_ASSIGN_OR_RETURN(const int64_t padded,
                       AddPadding(bound, *dilated_base, padding_low, padding_high));
  return StridedBound(padded, *dilated_window, stride);
}

absl::StatusOr<int64_t> WindowedBound(int64_t bound, const WindowDimension& dimension) {
  return WindowedBound(bound, dimension.size(), dimension.stride(), dimension.padding_low(),
                       dimension.padding_high(), dimension.window_dilation(),
                       dimension.base_dilation());
}

absl::StatusOr<int64_t> PaddedBound(int64_t bound, int64_t padding_low, int64_t padding_high,
                                    int64_t interior_padding) {
  if (interior_padding < 0) {
    return InvalidArgumentStrCat("interior padding ", interior_padding, " is negative");
  }
  if (bound == Shape::kUnboundedSize) return bound;
  if (bound < 0) return InvalidArgumentStrCat("negative dimension size ", bound);
  const std::optional<int64_t> dilation = OverflowSafeAdd<int64_t>(interior_padding, 1);
  const std::optional<int64_t> dilated = bound <= 1 ? bound
                                         : dilation.has_value()
                                             ? CheckedDilatedBound(bound, *dilation)
                                             : dilation;
  if (!dilated.has_value()) return Overflow(bound);
  return AddPadding(bound, *dilated, padding_low, padding_high);
}

absl::StatusOr<int64_t> PaddedBound(int64_t bound,
                                    const PaddingConfig::PaddingConfigDimension& padding) {
  return PaddedBound(bound, padding.edge_padding_low(), padding.edge_padding_high(),
                     padding.interior_padding());
}

}  // namespace window_util
}  // namespace xla
