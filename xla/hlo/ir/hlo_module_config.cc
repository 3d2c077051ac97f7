// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_module_config.h"

#include "xla/xla.pb.h"

namespace xla {

void HloModuleConfig::set_debug_options(const DebugOptions& options) {
  requests_.debug_options = std::make_shared<DebugOptions>(options);
}

const DebugOptions& HloModuleConfig::debug_options() const {
  return requests_.debug_options != nullptr ? *requests_.debug_options
                                            : DebugOptions::default_instance();
}

DebugOptions& HloModuleConfig::mutable_debug_options() {
  if (requests_.debug_options == nullptr || requests_.debug_options.use_count() > 1) {
    requests_.debug_options = std::make_shared<DebugOptions>(debug_options());
  }
  return *requests_.debug_options;
}

}  // namespace xla
