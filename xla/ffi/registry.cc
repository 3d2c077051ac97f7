// SPDX-License-Identifier: Apache-2.0
// Handlers and types of the process.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/ffi/handlers.h"

namespace xla::ffi {
namespace {

struct RegisteredTarget {
  XLA_FFI_Handler_Bundle bundle = {};
  void* untyped = nullptr;
};

struct RegisteredType {
  int64_t id = 0;
  void (*deleter)(void*) = nullptr;
};

struct Registered {
  std::mutex mutex;
  std::map<std::string, RegisteredTarget, std::less<>> targets;
  int64_t version = 0;
  std::map<std::string, RegisteredType, std::less<>> types;
  int64_t next_type = 1;

  static Registered& Get() {
    static auto* const registered = new Registered;  // used by threads until the process ends
    return *registered;
  }
};

void SetTarget(std::string_view name, const RegisteredTarget& target) {
  Registered& registered = Registered::Get();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  registered.targets[std::string(name)] = target;
  ++registered.version;
}

}  // namespace

absl::Status RegisterHandler(std::string_view name, const XLA_FFI_Handler_Bundle& bundle) {
  if (name.empty()) return absl::InvalidArgumentError("a custom call without a name");
  XLA_RETURN_IF_ERROR(CheckVersion(bundle));
  SetTarget(name, {.bundle = bundle});
  return absl::OkStatus();
}

absl::Status RegisterUntyped(std::string_view name, void* function) {
  if (name.empty() || function == nullptr) {
    return absl::InvalidArgumentError("a custom call without a name or without a function");
  }
  SetTarget(name, {.untyped = function});
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RegisterType(std::string_view name, int64_t id, void (*deleter)(void*)) {
  Registered& registered = Registered::Get();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  RegisteredType& type = registered.types[std::string(name)];
  if (type.id == 0) type.id = id != 0 ? id : registered.next_type++;
  if (id != 0 && type.id != id) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the type ", View(name), " is registered with number ", type.id, ", not ", id));
  }
  if (deleter != nullptr) type.deleter = deleter;
  return type.id;
}

void FreeState(const State& state) {
  if (state.object == nullptr) return;
  void (*deleter)(void*) = nullptr;
  {
    Registered& registered = Registered::Get();
    const std::lock_guard<std::mutex> lock(registered.mutex);
    for (const auto& [name, type] : registered.types) {
      if (type.id == state.type_id) deleter = type.deleter;
    }
  }
  if (deleter != nullptr) deleter(state.object);
}

Instances::~Instances() {
  for (const auto& [instruction, state] : states_) FreeState(state);
}

void AddRegisteredHandlers(const CallContext& context, CustomCallRegistry& registry) {
  std::map<std::string, RegisteredTarget, std::less<>> targets;
  {
    Registered& registered = Registered::Get();
    const std::lock_guard<std::mutex> lock(registered.mutex);
    targets = registered.targets;
  }
  const auto shared = std::make_shared<const CallContext>(context);
  for (const auto& [name, target] : targets) {
    if (registry.Contains(name)) continue;
    if (target.untyped != nullptr) {
      (void)registry.RegisterUntyped(name, target.untyped);
    } else {
      (void)registry.RegisterPrepared(
          name, [bundle = target.bundle, shared](const CustomCallFrame& form,
                                                 std::shared_ptr<void>& kept) {
            return PrepareHandler(bundle, shared, form, kept);
          });
    }
  }
}

int64_t RegistryVersion() {
  Registered& registered = Registered::Get();
  const std::lock_guard<std::mutex> lock(registered.mutex);
  return registered.version;
}

}  // namespace xla::ffi
