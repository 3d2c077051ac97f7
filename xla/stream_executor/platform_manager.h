// SPDX-License-Identifier: Apache-2.0
// PlatformManager: platforms by name. Defined in xla/service/platform_util.cc.
#ifndef XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_
#define XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

class PlatformManager {
 public:
  PlatformManager() = delete;
  // NotFound for an unknown name; see xla::PlatformUtil::GetPlatform.
  static absl::StatusOr<Platform*> PlatformWithName(absl::string_view name);
  static absl::StatusOr<Platform*> PlatformWithId(Platform::Id id);
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_PLATFORM_MANAGER_H_
