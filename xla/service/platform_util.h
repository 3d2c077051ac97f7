// SPDX-License-Identifier: Apache-2.0
// The platforms there are: one, called "Host".
#ifndef XLA_SERVICE_PLATFORM_UTIL_H_
#define XLA_SERVICE_PLATFORM_UTIL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"

namespace xla {

class PlatformUtil {
 public:
  PlatformUtil() = delete;

  static absl::StatusOr<std::vector<se::Platform*>> GetSupportedPlatforms();
  static absl::StatusOr<se::Platform*> GetDefaultPlatform();
  // "host", "cpu" or "interpreter", in any case; NotFound for others.
  // One for each device that a client of this platform has by default: one.
  static absl::StatusOr<std::vector<se::StreamExecutor*>> GetStreamExecutors(
      se::Platform* platform);
  static absl::StatusOr<se::Platform*> GetPlatform(const std::string& platform_name);
};

}  // namespace xla

#endif  // XLA_SERVICE_PLATFORM_UTIL_H_
