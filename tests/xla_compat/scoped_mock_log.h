// SPDX-License-Identifier: Apache-2.0
// Stand-in for Abseil's mock of logs: expects nothing, since the library does not log.
#ifndef TESTS_XLA_COMPAT_SCOPED_MOCK_LOG_H_
#define TESTS_XLA_COMPAT_SCOPED_MOCK_LOG_H_

#include <string>

#include "absl/base/log_severity.h"
#include "tests/xla_compat/test_macros.h"

namespace absl {
enum class MockLogDefault { kIgnoreUnexpected, kDisallowUnexpected };
class ScopedMockLog {
 public:
  explicit ScopedMockLog(MockLogDefault = MockLogDefault::kIgnoreUnexpected) {}
  MOCK_METHOD(void, Log,
              (absl::LogSeverity severity, const std::string& path, const std::string& message));
  void StartCapturingLogs() {}
  void StopCapturingLogs() {}
};
}  // namespace absl

#endif  // TESTS_XLA_COMPAT_SCOPED_MOCK_LOG_H_
