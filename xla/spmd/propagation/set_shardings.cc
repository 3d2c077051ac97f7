// SPDX-License-Identifier: Apache-2.0
// The module's shardings from the graph of propagation.
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"
#include "xla/spmd/propagation/module_graph.h"
#include "xla/spmd/propagation/named_shardings.h"

namespace xla::propagation {
namespace {

// A result that is no element of a tuple has its sharding from a constraint of its own, if it is
// another one than the value has.
absl::Status SetResultSharding(const ModuleGraph& module_graph, HloModule* module) {
  const Graph& graph = module_graph.graph;
  HloComputation* entry = module->entry_computation();
  HloInstruction* root = entry->root_instruction();
  if (StatesResults(*root) || root->shape().IsTuple() || graph.results.size() != 1) {
    return absl::OkStatus();
  }
  const Value& value = graph.holder(graph.results[0].first);
  const Value& result = graph.values[graph.results[0].second];
  if (!result.sharding.has_value() || result.sharding == value.sharding) return absl::OkStatus();
  CustomCallAttributes attributes;
  attributes.custom_call_target = kShardingTarget;
  XLA_ASSIGN_OR_RETURN(NamedSharding named,
                       ToNamed(*result.sharding, result.manual, graph.meshes[result.mesh]));
  HloInstruction* constraint = entry->AddInstruction(
      HloInstruction::Create(HloOpcode::kCustomCall, root->shape(), {root}, std::move(attributes)));
  constraint->set_sharding(HloSharding(std::move(named)));
  entry->set_root_instruction(constraint);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<HloSharding>> ResultShardings(const Graph& graph) {
  std::vector<HloSharding> shardings;
  for (const auto& [value, result] : graph.results) {
    const Value& holder = graph.holder(result);
    if (!holder.sharding.has_value()) {
      shardings.push_back(HloSharding::Unknown());
      continue;
    }
    XLA_ASSIGN_OR_RETURN(NamedSharding named, ToNamed(*holder.sharding, graph.values[result].manual,
                                                      graph.meshes[holder.mesh]));
    shardings.emplace_back(std::move(named));
  }
  return shardings;
}

absl::Status SetModuleShardings(const ModuleGraph& module_graph, HloModule* module) {
  const Graph& graph = module_graph.graph;
  const auto sharding_of = [&](ValueId id) -> absl::StatusOr<std::optional<HloSharding>> {
    const Value& holder = graph.holder(id);
    if (!holder.sharding.has_value()) return std::nullopt;
    XLA_ASSIGN_OR_RETURN(NamedSharding named, ToNamed(*holder.sharding, graph.values[id].manual,
                                                      graph.meshes[holder.mesh]));
    return HloSharding(std::move(named));
  };
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      const auto found = module_graph.leaves.find(instruction);
      if (found == module_graph.leaves.end()) continue;
      std::vector<ValueId> leaves = found->second;
      const bool is_result = instruction == module->entry_computation()->root_instruction() &&
                             StatesResults(*instruction);
      for (size_t i = 0; is_result && i < leaves.size(); ++i) leaves[i] = graph.results[i].second;
      std::vector<std::optional<HloSharding>> elements;
      bool any = false;
      for (const ValueId leaf : leaves) {
        XLA_ASSIGN_OR_RETURN(elements.emplace_back(), sharding_of(leaf));
        any = any || elements.back().has_value();
      }
      if (!any) continue;
      if (!instruction->shape().IsTuple()) {
        instruction->set_sharding(*std::move(elements[0]));
        continue;
      }
      std::vector<HloSharding> all;
      for (size_t i = 0; i < leaves.size(); ++i) {
        all.push_back(elements[i].has_value() ? *std::move(elements[i]) : HloSharding::Unknown());
      }
      instruction->set_sharding(HloSharding::Tuple(std::move(all)));
    }
  }
  return SetResultSharding(module_graph, module);
}

}  // namespace xla::propagation
