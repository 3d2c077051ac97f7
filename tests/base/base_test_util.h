// SPDX-License-Identifier: Apache-2.0
// What several tests of the vocabulary name.
#ifndef TESTS_BASE_BASE_TEST_UTIL_H_
#define TESTS_BASE_BASE_TEST_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "xla/layout.h"

namespace xla::testing {

inline constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
// The tile dimension that is written "*".
inline constexpr int64_t kCombine = Tile::kCombineDimension;
inline Tile T(std::initializer_list<int64_t> dimensions) { return Tile(dimensions); }

}  // namespace xla::testing

#endif  // TESTS_BASE_BASE_TEST_UTIL_H_
