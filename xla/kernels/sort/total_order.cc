// SPDX-License-Identifier: Apache-2.0
// Computes keys of floating-point numbers and integers.
#include "xla/kernels/sort/total_order.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

template <typename T>
void FloatKeys(int64_t count, const T* elements, int64_t* keys) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t magnitude;
    bool negative;
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
      const Bits bits = std::bit_cast<Bits>(elements[i]);
      magnitude = static_cast<int64_t>(bits & (~Bits{0} >> 1));
      negative = bits >> (sizeof(T) * 8 - 1) != 0;
    } else {
      magnitude = elements[i].bits() & T::kMagnitudeMask;
      negative = (elements[i].bits() & T::kSignMask) != 0;
      if constexpr (T::kHasNaN && !T::kHasNegativeZero && T::kSignMask != 0) {
        // The only NaN has the code of -0: it is less than all numbers.
        if (negative && magnitude == 0) magnitude = T::kMagnitudeMask + 1;
      }
    }
    keys[i] = negative ? -1 - magnitude : magnitude;
  }
}

}  // namespace

void TotalOrderKeys(PrimitiveType type, bool descending, int64_t count, const void* elements,
                    int64_t* keys) {
  if (primitive_util::IsFloatingPointType(type)) {
    primitive_util::FloatingPointTypeSwitch<void>(
        [&](auto t) {
          using T = primitive_util::NativeTypeOf<t>;
          FloatKeys(count, static_cast<const T*>(elements), keys);
        },
        type);
  } else {
    GetWideLoad<uint64_t>(type)(elements, 1, count, reinterpret_cast<uint64_t*>(keys));
    if (type == U64) {
      for (int64_t i = 0; i < count; ++i) keys[i] ^= std::numeric_limits<int64_t>::min();
    }
  }
  if (descending) {
    for (int64_t i = 0; i < count; ++i) keys[i] = ~keys[i];
  }
}

}  // namespace xla::kernels
