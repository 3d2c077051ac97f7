// SPDX-License-Identifier: Apache-2.0
// ComputationLayout under XLA's include path.
#ifndef XLA_SERVICE_COMPUTATION_LAYOUT_H_
#define XLA_SERVICE_COMPUTATION_LAYOUT_H_

#include "xla/hlo/ir/hlo_module_config.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_COMPUTATION_LAYOUT_H_
