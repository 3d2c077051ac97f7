// SPDX-License-Identifier: Apache-2.0
// Pieces of HLO text.
#ifndef XYLEM_TESTS_CPU_RANDOM_CHAIN_TEXT_H_
#define XYLEM_TESTS_CPU_RANDOM_CHAIN_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/primitive_util.h"

namespace xla::testing {

inline int64_t CountOf(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  return count;
}

inline std::string ShapeText(PrimitiveType type, const std::vector<int64_t>& dims) {
  return absl::StrCat(primitive_util::LowercasePrimitiveTypeName(type), "[",
                      absl::StrJoin(dims, ","), "]");
}

// Without strides if there are none.
inline std::string SliceText(const std::string& operand, const std::vector<int64_t>& low,
                             const std::vector<int64_t>& limit,
                             const std::vector<int64_t>& strides) {
  std::vector<std::string> ranges;
  for (size_t d = 0; d < low.size(); ++d) {
    ranges.push_back(absl::StrCat("[", low[d], ":", limit[d],
                                  strides.empty() ? "" : absl::StrCat(":", strides[d]), "]"));
  }
  return absl::StrCat("slice(", operand, "), slice={", absl::StrJoin(ranges, ", "), "}");
}

}  // namespace xla::testing

#endif  // XYLEM_TESTS_CPU_RANDOM_CHAIN_TEXT_H_
