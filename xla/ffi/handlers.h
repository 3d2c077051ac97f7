// SPDX-License-Identifier: Apache-2.0
// Typed handlers of custom calls: those registered for the whole process, and how they are called.
// Internal; users include xla/ffi/ffi.h.
#ifndef XLA_FFI_HANDLERS_H_
#define XLA_FFI_HANDLERS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/ffi/api/c_api.h"
#include "xla/runtime/custom_call.h"

namespace Eigen {
struct ThreadPoolDevice;
}

namespace xla::ffi {

// What the caller of a run hands to handlers, by type id.
using UserData = std::map<int64_t, void*>;

// An object of a type of the registry (RegisterType).
struct State {
  int64_t type_id = 0;
  void* object = nullptr;
};

// What the instructions of a program keep: the state that their handlers made when they were
// instantiated, once for each instruction. Thread-safe.
class Instances {
 public:
  Instances() = default;
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;
  ~Instances();

 private:
  friend class Call;
  std::mutex mutex_;
  std::map<std::string, State, std::less<>> states_;  // by name of the instruction; may be null
};

struct CallContext {
  UserData user_data;
  const Eigen::ThreadPoolDevice* intra_op_thread_pool = nullptr;
  std::shared_ptr<Instances> instances;  // null: of the calling instruction alone
};

// Calls the handler with frames of custom calls: all its stages, one after the other; but it is
// instantiated once for an instruction, which `kept` belongs to: see CustomCallRegistry::Prepare.
std::unique_ptr<PreparedHandler> PrepareHandler(const XLA_FFI_Handler_Bundle& bundle,
                                                std::shared_ptr<const CallContext> context,
                                                const CustomCallFrame& form,
                                                std::shared_ptr<void>& kept);

// INVALID_ARGUMENT if the handler was made for another version of the interface.
absl::Status CheckVersion(const XLA_FFI_Handler_Bundle& bundle);

// While it lives, code that a program calls runs on this thread.
class InsideCustomCall {
 public:
  InsideCustomCall();
  ~InsideCustomCall();
  InsideCustomCall(const InsideCustomCall&) = delete;
  InsideCustomCall& operator=(const InsideCustomCall&) = delete;
};

// Is a handler running on this thread? What it starts must not wait for the run that called it.
bool IsInsideCustomCall();

// --- Of the process, because the interface registers handlers without a client. Thread-safe.

// A name that is registered again takes the new function, as in interactive sessions.
absl::Status RegisterHandler(std::string_view name, const XLA_FFI_Handler_Bundle& bundle);
absl::Status RegisterUntyped(std::string_view name, void* function);

// Numbers the type, or notes the number that it brings. INVALID_ARGUMENT for a second number. The
// deleter, which may be null, frees states of the type.
absl::StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                     void (*deleter)(void*) = nullptr);

// Adds all registered targets that the registry lacks, to be called with the context.
void AddRegisteredHandlers(const CallContext& context, CustomCallRegistry& registry);
// Changes when a target is registered.
int64_t RegistryVersion();

}  // namespace xla::ffi

#endif  // XLA_FFI_HANDLERS_H_
