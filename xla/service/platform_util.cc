// SPDX-License-Identifier: Apache-2.0
// The one platform.
#include "xla/service/platform_util.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla/stream_executor/host/host_platform_id.h"
#include "xla/stream_executor/platform_manager.h"
#include "xla/stream_executor/stream_executor.h"

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

absl::StatusOr<stream_executor::Platform*> stream_executor::PlatformManager::PlatformWithId(
    Platform::Id id) {
  absl::StatusOr<Platform*> host = PlatformWithName("Host");
  if (!host.ok() || id == host::kHostPlatformId || id == (*host)->id()) return host;
  return absl::NotFoundError("there is no platform with this id");
}

absl::StatusOr<stream_executor::StreamExecutor*> stream_executor::Platform::ExecutorForDevice(
    int ordinal) {
  absl::StatusOr<std::vector<StreamExecutor*>> executors =
      xla::PlatformUtil::GetStreamExecutors(this);
  if (!executors.ok()) return executors.status();
  if (ordinal != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("no device with ordinal ", ordinal, " on this platform"));
  }
  return (*executors)[0];
}

namespace stream_executor::host {
namespace {
constexpr char kHostPlatform = 0;
}  // namespace
extern const Platform::Id kHostPlatformId = &kHostPlatform;
}  // namespace stream_executor::host

absl::StatusOr<stream_executor::Platform*> stream_executor::PlatformManager::PlatformWithName(
    absl::string_view name) {
  return xla::PlatformUtil::GetPlatform(std::string(name));
}
