// SPDX-License-Identifier: Apache-2.0
// Plans as JSON, for `xylem plan --json`.
#ifndef XYLEM_TOOLS_PLAN_JSON_H_
#define XYLEM_TOOLS_PLAN_JSON_H_

#include <optional>
#include <string>

#include "xla/spmd/plan.h"

namespace xla {

// One object, on one line. `measured`: seconds of a run, if there was one.
std::string PlanJson(const spmd::Plan& plan, std::optional<double> measured);

}  // namespace xla

#endif  // XYLEM_TOOLS_PLAN_JSON_H_
