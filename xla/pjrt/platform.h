// SPDX-License-Identifier: Apache-2.0
// The platform names of the plugin. Programs that ask for the platform `cpu` find Xylem's devices
// there if the client is created with that name: its devices and memories then have the names and
// texts of XLA's.
#ifndef XLA_PJRT_PLATFORM_H_
#define XLA_PJRT_PLATFORM_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "xla/pjrt/c/pjrt_c_api_base.h"

namespace xla::pjrt {

// "xylem" or "cpu".
class Platform {
 public:
  // InvalidArgument for another name.
  static absl::StatusOr<const Platform*> Find(std::string_view name);
  // Returns the platform of the option platform_name or the environment variable
  // XYLEM_PLATFORM_NAME.
  static absl::StatusOr<const Platform*> FromOptions(const PJRT_NamedValue* options, size_t count);

  const std::string& name() const { return name_; }  // of the devices' kind, too
  std::string DeviceText(int id) const;
  std::string DeviceDebugText(int id) const;
  std::string MemoryText(int id, std::string_view kind, int device) const;
  std::string MemoryDebugText(int id, std::string_view kind) const;

 private:
  enum class Kind { kXylem, kCpu };
  Platform(std::string name, Kind kind) : name_(std::move(name)), kind_(kind) {}

  std::string name_;
  Kind kind_;
};

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PLATFORM_H_
