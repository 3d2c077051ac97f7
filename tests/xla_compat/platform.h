// SPDX-License-Identifier: Apache-2.0
// tsl/platform/platform.h: which build of XLA's sources this is.
#ifndef TESTS_XLA_COMPAT_PLATFORM_H_
#define TESTS_XLA_COMPAT_PLATFORM_H_

namespace tsl {
inline constexpr bool kIsOpenSource = true;
}  // namespace tsl

#endif  // TESTS_XLA_COMPAT_PLATFORM_H_
