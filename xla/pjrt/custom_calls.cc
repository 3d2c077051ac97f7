// SPDX-License-Identifier: Apache-2.0
// Registries for runs. Runs without user data share one until another handler is registered.
#include "xla/pjrt/custom_calls.h"

#include <mutex>

#include "xla/pjrt/python.h"

struct PJRT_ExecuteContext {
  xla::ffi::CallContext calls;
};

namespace xla::pjrt {

std::shared_ptr<const CustomCallRegistry> CustomCallsOf(const PJRT_ExecuteContext* context) {
  const auto make = [](const ffi::CallContext& calls) {
    auto registry = std::make_shared<CustomCallRegistry>();
    AddPythonCallbacks(*registry);
    // XLA has this handler too: it does nothing but keep the operand in the compiled program.
    (void)registry->Register("dce_sink", [](CustomCallFrame&) { return absl::OkStatus(); });
    ffi::AddRegisteredHandlers(calls, *registry);
    return registry;
  };
  if (context != nullptr && !context->calls.user_data.empty()) return make(context->calls);

  struct Shared {
    std::mutex mutex;
    int64_t version = -1;
    std::shared_ptr<const CustomCallRegistry> registry;
  };
  static auto* const shared = new Shared;  // used by threads until the process ends
  const std::lock_guard<std::mutex> lock(shared->mutex);
  const int64_t version = ffi::RegistryVersion();
  if (shared->version != version) {
    shared->registry = make({});
    shared->version = version;
  }
  return shared->registry;
}

PJRT_ExecuteContext* MakeExecuteContext() { return new PJRT_ExecuteContext; }
void DestroyExecuteContext(PJRT_ExecuteContext* context) { delete context; }
void AddUserData(PJRT_ExecuteContext* context, int64_t type_id, void* data) {
  context->calls.user_data[type_id] = data;
}

}  // namespace xla::pjrt
