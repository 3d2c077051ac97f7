// SPDX-License-Identifier: Apache-2.0
// safe_reinterpret_cast<To>(from): as reinterpret_cast, but it compiles only for conversions that
// have a defined meaning.
#ifndef XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_
#define XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tsl {
namespace internal {

template <typename T>
inline constexpr bool kIsBytes = std::is_void_v<T> || std::is_same_v<std::remove_cv_t<T>, char> ||
                                 std::is_same_v<std::remove_cv_t<T>, unsigned char> ||
                                 std::is_same_v<std::remove_cv_t<T>, std::byte>;

template <typename T>
inline constexpr bool kIsAddress =
    std::is_same_v<T, std::uintptr_t> || std::is_same_v<T, std::intptr_t>;

// Between pointers of which one is to bytes or void, of the same type, or a pointer and an integer
// of its size.
template <typename From, typename To>
constexpr bool IsSafeCast() {
  if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To>) {
    using F = std::remove_pointer_t<From>;
    using T = std::remove_pointer_t<To>;
    return kIsBytes<F> || kIsBytes<T> || std::is_same_v<F, T>;
  } else {
    return ((std::is_pointer_v<From> || std::is_null_pointer_v<From>)&&kIsAddress<To>) ||
           (kIsAddress<From> && std::is_pointer_v<To>);
  }
}

}  // namespace internal

template <typename To, typename From,
          typename = std::enable_if_t<
              internal::IsSafeCast<std::remove_cv_t<From>, std::remove_cv_t<To>>()>>
To safe_reinterpret_cast(From from) {
  return reinterpret_cast<To>(from);
}

}  // namespace tsl

#endif  // XLA_TSL_UTIL_SAFE_REINTERPRET_CAST_H_
