// SPDX-License-Identifier: Apache-2.0
// Sharding rules of Shardy (#sdy.op_sharding_rule): which dimensions of operands and results of an
// operation belong together.
#ifndef XLA_SPMD_SHARDING_RULE_H_
#define XLA_SPMD_SHARDING_RULE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

struct ShardingRule {
  using Dimension = std::vector<size_t>;  // numbers of factors, major first
  using Mapping = std::vector<Dimension>;
  std::vector<Mapping> operands, results;
  std::vector<int64_t> factor_sizes;
  std::vector<bool> needs_replication;  // of each factor
};

// Reads "([i, j], [j, k])->([i, k]) {i=8, j=4, k=8} need_replication={k}, custom", with or without
// #sdy.op_sharding_rule<..> around it. InvalidArgument for other texts, and for factors without a
// size.
absl::StatusOr<ShardingRule> ParseShardingRule(std::string_view text);

// How the rule divides the results if the operands are divided so: each factor as the first operand
// that has it as the major factor of a dimension. Factors that would need one axis of the mesh
// twice, or do not divide evenly, are not divided. `operands` holds null for full arrays.
// InvalidArgument if the rule is for other numbers of operands or ranks.
absl::StatusOr<std::vector<ShardLayout>> ResultsByRule(
    const ShardingRule& rule, absl::Span<const ShardLayout* const> operands, int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHARDING_RULE_H_
