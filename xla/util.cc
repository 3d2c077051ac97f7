// SPDX-License-Identifier: Apache-2.0
// Definitions of the utilities.
#include "xla/util.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "xla/base/check.h"

namespace xla {

std::string DimensionsToString(absl::Span<const int64_t> dimensions) {
  return absl::StrCat("[", absl::StrJoin(dimensions, ","), "]");
}

absl::Status AddContext(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b) {
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> bounds;
  const auto end = std::make_pair<int64_t, int64_t>(a.size(), b.size());
  bounds.emplace_back(0, 0);
  const bool any_zero =
      std::find(a.begin(), a.end(), 0) != a.end() || std::find(b.begin(), b.end(), 0) != b.end();
  if (any_zero) {
    if (bounds.back() != end) bounds.push_back(end);
    return bounds;
  }
  // Walk both lists, always extending the side whose product since the last bound is the smaller.
  // A dimension of size 1 at a group boundary forms a group of its own, paired with one on the
  // other side if there is one. Inside a group it belongs to that group.
  int64_t i = 0, j = 0;
  int64_t a_product = 1, b_product = 1;
  while (i < end.first || j < end.second) {
    const bool a_left = i < end.first, b_left = j < end.second;
    const bool between_groups = a_product == 1 && b_product == 1;
    const bool a_is_one = a_left && a[i] == 1, b_is_one = b_left && b[j] == 1;
    if (between_groups && (a_is_one || b_is_one)) {
      i += a_is_one;
      j += b_is_one;
    } else if (!b_left || (a_left && a_product <= b_product)) {
      a_product *= a[i++];
    } else {
      b_product *= b[j++];
    }
    if (a_product == b_product) {
      bounds.emplace_back(i, j);
      a_product = b_product = 1;
    }
  }
  XLA_CHECK(bounds.back() == end) << "the products of " << DimensionsToString(a) << " and "
                                  << DimensionsToString(b) << " differ";
  return bounds;
}

}  // namespace xla
