// SPDX-License-Identifier: Apache-2.0
// Stand-in for XLA's questions about the device that tests run on: a CPU.
#ifndef TESTS_XLA_COMPAT_BACKEND_PREDICATES_H_
#define TESTS_XLA_COMPAT_BACKEND_PREDICATES_H_

#include <algorithm>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/xla_compat/test_macros.h"

namespace xla::test {

inline constexpr absl::string_view kCpu = "cpu", kGpu = "gpu", kA100 = "a100", kH100 = "h100",
                                   kB200 = "b200", kP100 = "p100", kV100 = "v100",
                                   kInterpreter = "interpreter", kTpu = "tpu",
                                   kHardware = "hardware", kIss = "iss", kGrm = "grm";

inline bool DeviceIs(absl::string_view device) { return device == kCpu; }
inline bool DeviceIsOneOf(absl::Span<const absl::string_view> devices) {
  return std::find(devices.begin(), devices.end(), kCpu) != devices.end();
}
inline bool DeviceTypeIs(absl::string_view type) { return DeviceIs(type); }
inline bool DeviceTypeIsOneOf(absl::Span<const absl::string_view> types) {
  return DeviceIsOneOf(types);
}
inline bool HasModifiers(absl::Span<const absl::string_view> modifiers) {
  return modifiers.empty();
}
inline bool BackendLike(absl::string_view device, absl::Span<const absl::string_view> modifiers) {
  return DeviceIs(device) && modifiers.empty();
}
inline bool BackendIsExactly(absl::string_view device,
                             absl::Span<const absl::string_view> modifiers) {
  return BackendLike(device, modifiers);
}
inline bool BackendIsStrict(absl::string_view device) { return DeviceIs(device); }
inline bool BackendSupportsFloat64() { return true; }
inline bool BackendSupportsComplex128() { return true; }
template <typename T>
::testing::internal::ParamGenerator<T> Empty() {
  return ::testing::ValuesIn(std::vector<T>());
}

}  // namespace xla::test

#endif  // TESTS_XLA_COMPAT_BACKEND_PREDICATES_H_
