// SPDX-License-Identifier: Apache-2.0
// Plans to be read.
#ifndef XLA_SPMD_PLAN_TEXT_H_
#define XLA_SPMD_PLAN_TEXT_H_

#include <cstddef>
#include <string>

#include "xla/spmd/plan.h"

namespace xla::spmd {

// Tables of at most so many rows each; collectives, products and steps with the most time or bytes
// first.
std::string PlanText(const Plan& plan, size_t rows);

// "12.3 us", "4.56 GB", "1.2 T": three digits.
std::string PlanSecondsText(double seconds);
std::string PlanBytesText(double bytes);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_TEXT_H_
