// SPDX-License-Identifier: Apache-2.0
// xylem bench --collectives: how long collectives take, by size.
#ifndef XYLEM_TOOLS_BENCH_COLLECTIVES_H_
#define XYLEM_TOOLS_BENCH_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "tools/command.h"

namespace xla {

absl::StatusOr<int> BenchCollectives(const Arguments& arguments);

}  // namespace xla

#endif  // XYLEM_TOOLS_BENCH_COLLECTIVES_H_
