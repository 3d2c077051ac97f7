// SPDX-License-Identifier: Apache-2.0
// Custom calls registered by static initializers, under XLA's names:
//
//   void do_custom_call(void* out, const void** in) { ... }
//   XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");
//
// A table of the whole process, as XLA's contract has it. Only clients read it, when they compile;
// a CustomCallRegistry (xla/runtime/custom_call.h) is the better way for new programs.
#ifndef XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
#define XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace xla {

// Thread-safe.
class CustomCallTargetRegistry {
 public:
  static CustomCallTargetRegistry* Global();

  // The first registration of a symbol for a platform stays; another function for the same pair is
  // reported on stderr and not taken.
  void Register(const std::string& symbol, void* address, const std::string& platform);
  // Null if there is none.
  void* Lookup(const std::string& symbol, const std::string& platform) const;
  std::unordered_map<std::string, void*> registered_symbols(const std::string& platform) const;

 private:
  std::map<std::pair<std::string, std::string>, void*> targets_;  // by platform and symbol
  mutable std::mutex mutex_;
};

class RegisterCustomCallTarget {
 public:
  RegisterCustomCallTarget(const std::string& name, void* address, const std::string& platform) {
    CustomCallTargetRegistry::Global()->Register(name, address, platform);
  }
};

}  // namespace xla

#define XLA_REGISTER_CUSTOM_CALL_JOIN_INNER(a, b) a##b
#define XLA_REGISTER_CUSTOM_CALL_JOIN(a, b) XLA_REGISTER_CUSTOM_CALL_JOIN_INNER(a, b)

#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, platform)   \
  static const ::xla::RegisterCustomCallTarget XLA_REGISTER_CUSTOM_CALL_JOIN( \
      xla_custom_call_target_, __COUNTER__)(symbol, reinterpret_cast<void*>(address), platform)
#define XLA_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, "Host")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, "Host")

#endif  // XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
