// SPDX-License-Identifier: Apache-2.0
// The process-wide table of custom calls.
#include "xla/service/custom_call_target_registry.h"

#include <cstdio>

namespace xla {

CustomCallTargetRegistry* CustomCallTargetRegistry::Global() {
  // Never destroyed: static objects of other files may still look things up.
  static auto* const registry = new CustomCallTargetRegistry;
  return registry;
}

void CustomCallTargetRegistry::Register(const std::string& symbol, void* address,
                                        const std::string& platform) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, added] = targets_.emplace(std::make_pair(platform, symbol), address);
  if (!added && place->second != address) {
    std::fprintf(stderr, "custom-call target \"%s\" of platform %s is registered twice\n",
                 symbol.c_str(), platform.c_str());
  }
}

void* CustomCallTargetRegistry::Lookup(const std::string& symbol,
                                       const std::string& platform) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = targets_.find(std::make_pair(platform, symbol));
  return found == targets_.end() ? nullptr : found->second;
}

std::unordered_map<std::string, void*> CustomCallTargetRegistry::registered_symbols(
    const std::string& platform) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<std::string, void*> symbols;
  for (const auto& [key, address] : targets_) {
    if (key.first == platform) symbols.emplace(key.second, address);
  }
  return symbols;
}

}  // namespace xla
