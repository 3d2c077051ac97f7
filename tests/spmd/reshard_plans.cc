// SPDX-License-Identifier: Apache-2.0
// What PlanReshard makes of pairs of shardings, for scripts/shardy_reshard.py, which compares with
// Shardy.
//
//   f32[8,16] {mesh['x'=2,'y'=4], [{'x'}, {}]} -> {mesh['x'=2,'y'=4], [{}, {'x'}]}
//
// Each line of standard input gives one: the bytes that a device receives, the most bytes that a
// device has, and the steps; or "error: " and the reason.
#include <algorithm>
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/spmd/reshard.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

absl::StatusOr<NamedSharding> ReadSharding(std::string_view text) {
  XLA_ASSIGN_OR_RETURN(const HloSharding sharding, ParseSharding(text));
  if (!sharding.UseNamedShardingLeaf()) return InvalidArgument("not a sharding by axes");
  return sharding.named_sharding();
}

absl::StatusOr<std::string> Plan(std::string_view line) {
  const size_t space = line.find(' '), arrow = line.find(" -> ");
  if (space == line.npos || arrow == line.npos || arrow < space) {
    return InvalidArgument("a line needs a shape and two shardings");
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ParseShape(line.substr(0, space)));
  XLA_ASSIGN_OR_RETURN(const NamedSharding from,
                       ReadSharding(line.substr(space + 1, arrow - space - 1)));
  XLA_ASSIGN_OR_RETURN(const NamedSharding to, ReadSharding(line.substr(arrow + 4)));
  XLA_ASSIGN_OR_RETURN(const std::vector<ReshardStep> steps, PlanReshard(from, to, shape));
  const NamedSharding& last = steps.empty() ? from : steps.back().result;
  if (HloSharding::V3ToV2Sharding(last) != HloSharding::V3ToV2Sharding(to)) {
    return InvalidArgument("the steps end at %s", last.ToString());
  }
  int64_t most = ShardBytes(from, shape);
  for (const ReshardStep& step : steps) most = std::max(most, ShardBytes(step, shape));
  return absl::StrCat(BytesReceived(from, steps, shape), " ", most, " ",
                      absl::StrReplaceAll(ReshardToString(steps), {{"\n", "; "}}));
}

}  // namespace
}  // namespace xla::spmd

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto plan = xla::spmd::Plan(line);
    std::cout << (plan.ok() ? *plan : "error: " + std::string(plan.status().message())) << "\n";
  }
}
