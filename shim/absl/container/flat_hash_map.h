// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_CONTAINER_FLAT_HASH_MAP_H_
#define SHIM_ABSL_CONTAINER_FLAT_HASH_MAP_H_

#include <unordered_map>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
template <typename K, typename V>
using flat_hash_map = std::unordered_map<K, V>;
ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_CONTAINER_FLAT_HASH_MAP_H_
