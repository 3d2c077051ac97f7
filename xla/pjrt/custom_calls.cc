// SPDX-License-Identifier: Apache-2.0
// The registry of custom calls. It belongs to the process because the interface registers handlers
// without a client.
#include "xla/pjrt/custom_calls.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"

struct PJRT_ExecuteContext {
  xla::pjrt::FfiUserData user_data;
};

namespace xla::pjrt {
namespace {

struct Target {
  XLA_FFI_Handler_Bundle bundle = {};
  void* untyped = nullptr;
};

class Targets {
 public:
  void Set(std::string_view name, const Target& target) {
    const std::lock_guard<std::mutex> lock(mutex_);
    targets_[std::string(name)] = target;
    without_data_ = nullptr;
  }

  std::shared_ptr<const CustomCallRegistry> Registry(const FfiUserData& user_data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (user_data.empty() && without_data_ != nullptr) return without_data_;
    auto registry = std::make_shared<CustomCallRegistry>();
    for (const auto& [name, target] : targets_) {
      if (target.untyped != nullptr) {
        (void)registry->RegisterUntyped(name, target.untyped);
        continue;
      }
      (void)registry->Register(name, [bundle = target.bundle, user_data](CustomCallFrame& call) {
        return CallFfiHandler(bundle, user_data, call);
      });
    }
    if (user_data.empty()) without_data_ = registry;
    return registry;
  }

  absl::StatusOr<int64_t> NumberOf(std::string_view type, int64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, is_new] = types_.try_emplace(std::string(type), id != 0 ? id : next_type_);
    if (is_new && id == 0) ++next_type_;
    if (id != 0 && found->second != id) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the type ", View(type), " is registered with number ", found->second, ", not ", id));
    }
    return found->second;
  }

  static Targets& Get() {
    static auto* const targets = new Targets;  // used by threads until the process ends
    return *targets;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Target> targets_;
  std::shared_ptr<const CustomCallRegistry> without_data_;
  std::map<std::string, int64_t> types_;
  int64_t next_type_ = 1;
};

}  // namespace

absl::Status RegisterFfiHandler(std::string_view name, const XLA_FFI_Handler_Bundle& bundle) {
  if (name.empty()) return absl::InvalidArgumentError("a custom call without a name");
  XLA_RETURN_IF_ERROR(CheckFfiVersion(bundle));
  Targets::Get().Set(name, {.bundle = bundle});
  return absl::OkStatus();
}

absl::Status RegisterUntypedCustomCall(std::string_view name, void* function) {
  if (name.empty() || function == nullptr) {
    return absl::InvalidArgumentError("a custom call without a name or without a function");
  }
  Targets::Get().Set(name, {.untyped = function});
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RegisterFfiType(std::string_view name, int64_t id) {
  return Targets::Get().NumberOf(name, id);
}

std::shared_ptr<const CustomCallRegistry> CustomCallsOf(const PJRT_ExecuteContext* context) {
  static const FfiUserData none;
  return Targets::Get().Registry(context == nullptr ? none : context->user_data);
}

PJRT_ExecuteContext* MakeExecuteContext() { return new PJRT_ExecuteContext; }
void DestroyExecuteContext(PJRT_ExecuteContext* context) { delete context; }
void AddUserData(PJRT_ExecuteContext* context, int64_t type_id, void* data) {
  context->user_data[type_id] = data;
}

}  // namespace xla::pjrt
