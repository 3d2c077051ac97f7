// SPDX-License-Identifier: Apache-2.0
// Names and texts of XLA's platform `cpu` are those of its TFRT client as of 2026.
#include "xla/pjrt/platform.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/string_view.h"

namespace xla::pjrt {
namespace {

// Returns the class of a memory of XLA's CPUs.
std::string_view ClassOfMemory(std::string_view kind) {
  if (kind == "device") return "CpuDeviceMemory";
  return kind == "pinned_host" ? "PinnedHostMemory" : "UnpinnedHostMemorySpace";
}

}  // namespace

absl::StatusOr<const Platform*> Platform::Find(std::string_view name) {
  static const Platform xylem("xylem", Kind::kXylem), cpu("cpu", Kind::kCpu);
  for (const Platform* platform : {&xylem, &cpu}) {
    if (platform->name_ == name) return platform;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the platform cannot be called \"", View(name), "\"; it is xylem or cpu"));
}

absl::StatusOr<const Platform*> Platform::FromOptions(const PJRT_NamedValue* options,
                                                      size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& option = options[i];
    if (absl::string_view(option.name, option.name_size) != "platform_name") continue;
    if (option.type == PJRT_NamedValue_kString) {
      return Find({option.string_value, option.value_size});
    }
    return absl::InvalidArgumentError("the option platform_name must be a string");
  }
  // For programs that do not create the client themselves, like XYLEM_NUM_DEVICES.
  const char* variable = std::getenv("XYLEM_PLATFORM_NAME");
  return Find(variable == nullptr || *variable == '\0' ? "xylem" : variable);
}

std::string Platform::DeviceText(int id) const {
  return absl::StrCat(kind_ == Kind::kCpu ? "CpuDevice" : "XylemDevice", "(id=", id, ")");
}

std::string Platform::DeviceDebugText(int id) const {
  return kind_ == Kind::kCpu ? absl::StrCat("cpu:", id) : absl::StrCat("XYLEM_", id);
}

std::string Platform::MemoryText(int id, std::string_view kind, int device) const {
  if (kind_ == Kind::kCpu) {
    return absl::StrCat(View(ClassOfMemory(kind)), "(id=", id, ", process_index=0, client=cpu)");
  }
  return absl::StrCat("XylemMemory(id=", id, ", kind=", View(kind), ", device=", device, ")");
}

std::string Platform::MemoryDebugText(int id, std::string_view kind) const {
  if (kind_ == Kind::kXylem) return absl::StrCat("XYLEM_", View(kind), "_", id);
  const std::string upper = absl::AsciiStrToUpper(View(kind));
  return absl::StrCat(kind == "device" ? "CPU_" : "", upper, "_", id);
}

}  // namespace xla::pjrt
