// SPDX-License-Identifier: Apache-2.0
// BitCast<T>(value): the same bits as another type, also for the narrow floats.
#ifndef XLA_BIT_CAST_H_
#define XLA_BIT_CAST_H_

#include <cstring>

#include "xla/types.h"

namespace xla {

template <typename T, typename U>
T BitCast(const U& source) {
  static_assert(sizeof(T) == sizeof(U), "both types must have the same size");
  T result;
  std::memcpy(static_cast<void*>(&result), static_cast<const void*>(&source), sizeof(T));
  return result;
}

}  // namespace xla

#endif  // XLA_BIT_CAST_H_
