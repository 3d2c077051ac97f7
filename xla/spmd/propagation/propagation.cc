// SPDX-License-Identifier: Apache-2.0
// Propagation of shardings through a module, step by step.
#include "xla/spmd/propagation/propagation.h"

#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/spmd/propagation/module_graph.h"
#include "xla/spmd/propagation/split_constants.h"

namespace xla::propagation {
namespace {

// The first axes, the last perhaps cut, that divide the size.
void MakeDivisible(int64_t size, const Mesh& mesh, Axes* axes) {
  if (size % AxesSize(*axes, mesh) == 0) return;
  Axes result;
  for (const AxisRef& axis : *axes) {
    const int64_t gcd = std::gcd(axis.size(mesh), size);
    if (gcd == 1) break;
    if (gcd != axis.size(mesh)) {
      result.push_back(
          AxisRef::Part(axis.mesh_axis_index(), axis.pre_size(), axis.pre_size() * gcd, mesh));
      break;
    }
    result.push_back(axis);
    size /= gcd;
  }
  *axes = std::move(result);
}

void DropSubAxes(ArraySharding::Dimension* dimension) {
  if (dimension->is_closed) return;
  for (size_t i = 0; i < dimension->axes.size(); ++i) {
    if (!dimension->axes[i].IsSubAxis()) continue;
    dimension->axes.resize(i, AxisRef(0));
    return;
  }
}

// Of edges into and out of manual computations, calls, and the program.
void Export(const HloModule& module, ModuleGraph* module_graph) {
  Graph& graph = module_graph->graph;
  const auto make_divisible = [&](ValueId id) {
    Value& value = graph.holder(id);
    if (!value.sharding.has_value()) return;
    for (size_t d = 0; d < value.sizes.size(); ++d) {
      MakeDivisible(value.sizes[d], graph.meshes[value.mesh], &value.sharding->dimensions[d].axes);
    }
  };
  const auto drop_sub_axes = [&](ValueId id) {
    Value& value = graph.holder(id);
    if (!value.sharding.has_value()) return;
    for (auto& dimension : value.sharding->dimensions) DropSubAxes(&dimension);
  };
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    for (const ValueId leaf : module_graph->leaves.at(parameter)) {
      make_divisible(leaf);
      drop_sub_axes(leaf);
    }
  }
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kCall) continue;
      const auto leaves = module_graph->leaves.find(instruction);
      if (leaves == module_graph->leaves.end()) continue;
      // The results of a manual computation are the values within.
      const auto within = module_graph->leaves.find(instruction->to_apply()->root_instruction());
      if (within != module_graph->leaves.end() && within->second == leaves->second) continue;
      for (const ValueId leaf : leaves->second) make_divisible(leaf);
    }
  }
  for (const Node& node : graph.nodes) {
    if (node.boundary == Node::Boundary::kOutOfManual) make_divisible(node.results[0]);
  }
  for (const auto& [edge, operand] : module_graph->manual_operands) make_divisible(operand);
  for (const auto& [value, result] : graph.results) {
    make_divisible(result);
    drop_sub_axes(result);
  }
  for (Value& value : graph.values) {
    if (!value.sharding.has_value()) continue;
    for (auto& dimension : value.sharding->dimensions) dimension.is_closed = true;
    value.sharding->replicated.clear();
  }
}

}  // namespace

absl::Status PropagateShardings(const PropagationOptions& options, HloModule* module,
                                std::vector<HloSharding>* results) {
  XLA_RETURN_IF_ERROR(FlattenCalls(module).status());
  std::vector<std::pair<HloInstruction*, HloInstruction*>> copies;
  if (options.splits_constants) {
    XLA_ASSIGN_OR_RETURN(copies, SplitConstants(module));
  }
  XLA_ASSIGN_OR_RETURN(ModuleGraph module_graph, MakeModuleGraph(*module, options.is_conservative));
  Graph& graph = module_graph.graph;
  Propagate(options, &graph);
  for (const auto& [edge, operand] : module_graph.manual_operands) {
    const Value& inside = graph.values[graph.nodes[edge].results[0]];
    if (inside.sharding.has_value()) {
      graph.values[operand].sharding = graph.nodes[edge].Outside(*inside.sharding);
    }
  }
  if (options.exports) Export(*module, &module_graph);
  if (results != nullptr) {
    XLA_ASSIGN_OR_RETURN(*results, ResultShardings(graph));
  }
  XLA_RETURN_IF_ERROR(SetModuleShardings(module_graph, module));
  return MergeConstants(copies);
}

}  // namespace xla::propagation
