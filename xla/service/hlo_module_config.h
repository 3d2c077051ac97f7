// SPDX-License-Identifier: Apache-2.0
// HloModuleConfig under XLA's include path.
#ifndef XLA_SERVICE_HLO_MODULE_CONFIG_H_
#define XLA_SERVICE_HLO_MODULE_CONFIG_H_

#include "xla/hlo/ir/hlo_module.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_HLO_MODULE_CONFIG_H_
