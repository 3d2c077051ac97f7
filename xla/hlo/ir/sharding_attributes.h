// SPDX-License-Identifier: Apache-2.0
// Frontend attributes of HLO instructions that guide sharding, as XLA names them.
#ifndef XLA_HLO_IR_SHARDING_ATTRIBUTES_H_
#define XLA_HLO_IR_SHARDING_ATTRIBUTES_H_

namespace xla {

// The text of an #sdy.op_sharding_rule.
inline constexpr char kShardingRuleAttribute[] = "xla.sdy.sharding_rule";
// The number of the group whose values have one sharding.
inline constexpr char kShardingGroupAttribute[] = "xla.sdy.sharding_group_id";

}  // namespace xla

#endif  // XLA_HLO_IR_SHARDING_ATTRIBUTES_H_
