// SPDX-License-Identifier: Apache-2.0
// Sizes of arrays in memory.
#include "xla/runtime/buffer_view.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/layout.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr int64_t kSizeBytes = sizeof(int32_t);

// Where the dynamic sizes begin.
int64_t SizesOffset(const Shape& array) {
  const absl::StatusOr<int64_t> bytes = ElementBytes(array);
  XLA_CHECK(bytes.ok()) << bytes.status();
  return RoundUpTo(*bytes, kSizeBytes);
}

}  // namespace

absl::StatusOr<int64_t> ElementBytes(const Shape& array) {
  if (array.is_unbounded_dynamic()) {
    return absl::InvalidArgumentError(absl::StrCat("a buffer of shape ", array.ToString(),
                                                   " has no size: a dimension has no bound"));
  }
  const bool is_padded = array.has_layout() && array.layout().has_padding();
  int64_t bytes = primitive_util::ByteWidth(array.element_type());
  for (int i = 0; i < array.rank(); ++i) {
    bytes = MultiplyWithoutOverflow(
        bytes, is_padded ? array.layout().padded_dimensions(i) : array.dimensions(i));
    if (bytes < 0 || bytes > std::numeric_limits<int64_t>::max() / 2) {
      return absl::ResourceExhaustedError(absl::StrCat("a buffer of shape ", array.ToString(),
                                                       ": its size in bytes overflows int64"));
    }
  }
  return bytes;
}

absl::StatusOr<int64_t> ArrayBytes(const Shape& array) {
  absl::StatusOr<int64_t> bytes = ElementBytes(array);
  if (!bytes.ok() || array.is_static()) return bytes;
  return RoundUpTo(*bytes, kSizeBytes) + kSizeBytes * array.rank();
}

void WriteDynamicSizes(const Shape& array, void* data, absl::Span<const int64_t> sizes) {
  char* const to = static_cast<char*>(data) + SizesOffset(array);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto size = static_cast<int32_t>(sizes[i]);
    std::memcpy(to + static_cast<int64_t>(i) * kSizeBytes, &size, sizeof(size));
  }
}

absl::Status ReadDynamicSizes(const Shape& array, const void* data, absl::Span<int64_t> sizes) {
  const char* const from = static_cast<const char*>(data) + SizesOffset(array);
  for (int i = 0; i < array.rank(); ++i) {
    sizes[static_cast<size_t>(i)] = array.dimensions(i);
    if (!array.is_dynamic_dimension(i)) continue;
    int32_t size;
    std::memcpy(&size, from + i * kSizeBytes, sizeof(size));
    if (size < 0 || size > array.dimensions(i)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a buffer of shape ", array.ToString(), " says that dimension ", i, " has size ", size));
    }
    sizes[static_cast<size_t>(i)] = size;
  }
  return absl::OkStatus();
}

}  // namespace xla::runtime
