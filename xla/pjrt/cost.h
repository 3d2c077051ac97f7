// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of a program from its instructions.
#ifndef XLA_PJRT_COST_H_
#define XLA_PJRT_COST_H_

#include <vector>

#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/c/pjrt_c_api_base.h"

namespace xla::pjrt {

// "flops", "transcendentals" and "bytes accessed" of one run; bodies of loops count once, as in XLA
// where the number of iterations is unknown.
std::vector<PJRT_NamedValue> CostProperties(const HloModule& module);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_COST_H_
