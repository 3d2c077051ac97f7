// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_ALGORITHM_CONTAINER_H_
#define SHIM_ABSL_ALGORITHM_CONTAINER_H_

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename C, typename P>
bool c_all_of(const C& c, P&& predicate) {
  return std::all_of(std::begin(c), std::end(c), std::forward<P>(predicate));
}
template <typename C, typename P>
bool c_any_of(const C& c, P&& predicate) {
  return std::any_of(std::begin(c), std::end(c), std::forward<P>(predicate));
}
template <typename C, typename Less>
auto c_min_element(C&& c, Less&& less) {
  return std::min_element(std::begin(c), std::end(c), std::forward<Less>(less));
}
template <typename C, typename Less>
void c_stable_sort(C&& c, Less&& less) {
  std::stable_sort(std::begin(c), std::end(c), std::forward<Less>(less));
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_ALGORITHM_CONTAINER_H_
