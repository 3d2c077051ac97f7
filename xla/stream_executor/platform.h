// SPDX-License-Identifier: Apache-2.0
// A platform: a kind of device. There is one, the host.
#ifndef XLA_STREAM_EXECUTOR_PLATFORM_H_
#define XLA_STREAM_EXECUTOR_PLATFORM_H_

#include <string>

#include "absl/status/statusor.h"

namespace stream_executor {

class StreamExecutor;

class Platform {
 public:
  using Id = const void*;

  constexpr explicit Platform(const char* name) : name_(name) {}
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // "Host"
  const std::string Name() const { return name_; }  // NOLINT: as in XLA
  // The same for the same platform.
  Id id() const { return this; }
  // The devices of this process share one executor, that of ordinal 0. Defined in
  // xla/service/platform_util.cc.
  absl::StatusOr<StreamExecutor*> ExecutorForDevice(int ordinal);

 private:
  const char* name_;
};

}  // namespace stream_executor

namespace xla {
namespace se = ::stream_executor;  // NOLINT(misc-unused-alias-decls): XLA's name for it
}  // namespace xla

#endif  // XLA_STREAM_EXECUTOR_PLATFORM_H_
