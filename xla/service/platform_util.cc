// SPDX-License-Identifier: Apache-2.0
// The one platform.
#include "xla/service/platform_util.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla/stream_executor/platform_manager.h"

namespace xla {
namespace {

se::Platform* HostPlatform() {
  static se::Platform platform("Host");  // constant
  return &platform;
}

}  // namespace

absl::StatusOr<std::vector<se::Platform*>> PlatformUtil::GetSupportedPlatforms() {
  return std::vector<se::Platform*>{HostPlatform()};
}

absl::StatusOr<se::Platform*> PlatformUtil::GetDefaultPlatform() { return HostPlatform(); }

absl::StatusOr<se::Platform*> PlatformUtil::GetPlatform(const std::string& platform_name) {
  const std::string name = absl::AsciiStrToLower(platform_name);
  if (name == "host" || name == "cpu" || name == "interpreter") return HostPlatform();
  return absl::NotFoundError(
      absl::StrCat("there is no platform \"", platform_name, "\"; known are: Host"));
}

absl::StatusOr<std::vector<se::StreamExecutor*>> PlatformUtil::GetStreamExecutors(
    se::Platform* platform) {
  static se::StreamExecutor* const executor = new se::StreamExecutor(HostPlatform(), 0);
  if (platform != nullptr && platform != HostPlatform()) {
    return absl::NotFoundError("there are no devices on this platform");
  }
  return std::vector<se::StreamExecutor*>{executor};
}

}  // namespace xla

absl::StatusOr<stream_executor::Platform*> stream_executor::PlatformManager::PlatformWithName(
    absl::string_view name) {
  return xla::PlatformUtil::GetPlatform(std::string(name));
}
