// SPDX-License-Identifier: Apache-2.0
// Instructions as values and nodes: tuples are taken apart, loops, conditionals, calls and manual
// computations become edges.
#include "xla/spmd/propagation/module_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"
#include "xla/spmd/propagation/constraints.h"
#include "xla/spmd/propagation/manual_boundary.h"
#include "xla/spmd/propagation/named_shardings.h"
#include "xla/spmd/propagation/program_order.h"

namespace xla::propagation {
namespace {

using Leaves = std::vector<ValueId>;

bool IsCall(const HloInstruction& instruction, std::string_view target) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.custom_call_target() == target;
}

bool IsOffload(const HloInstruction& instruction) {
  return IsCall(instruction, "MoveToDevice") || IsCall(instruction, "MoveToHost");
}

NodeClass ClassOf(const HloInstruction& instruction, bool is_elementwise) {
  switch (instruction.opcode()) {
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
      return NodeClass::kPassThrough;
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
      return NodeClass::kDynamicSlice;
    case HloOpcode::kBroadcast:
      return NodeClass::kBroadcast;
    default:
      return is_elementwise || IsOffload(instruction) ? NodeClass::kPassThrough : NodeClass::kOther;
  }
}

class Builder {
 public:
  Builder(bool is_conservative, ModuleGraph* result)
      : is_conservative_(is_conservative), result_(*result), graph_(result->graph) {}

  absl::Status Build(const HloModule& module) {
    const HloComputation& entry = *module.entry_computation();
    std::vector<Leaves> arguments;
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      arguments.push_back(NewLeaves(parameter->shape()));
    }
    XLA_ASSIGN_OR_RETURN(const Leaves roots, Visit(entry, arguments));
    XLA_RETURN_IF_ERROR(AddResults(*entry.root_instruction(), roots));
    MakeGroups();
    ApplyConstraints(constraints_, &graph_);
    return absl::OkStatus();
  }

 private:
  // --- values

  ValueId NewValue(const Shape& shape) {
    std::vector<int64_t> sizes;
    if (shape.IsArray()) sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
    const ValueId id = graph_.AddValue(std::move(sizes));
    graph_.values[id].manual = manual_;
    return id;
  }
  Leaves NewLeaves(const Shape& shape) {
    Leaves leaves;
    ShapeUtil::ForEachLeafShape(
        shape, [&](const Shape& leaf, const ShapeIndex&) { leaves.push_back(NewValue(leaf)); });
    return leaves;
  }
  const Leaves& LeavesOf(const HloInstruction* instruction) const {
    return result_.leaves.at(instruction);
  }
  Leaves OperandLeaves(const HloInstruction& instruction) const {
    Leaves leaves;
    for (const HloInstruction* operand : instruction.operands()) {
      const Leaves& more = LeavesOf(operand);
      leaves.insert(leaves.end(), more.begin(), more.end());
    }
    return leaves;
  }

  // Sharding `index` of the leaves; nothing if it has none, or none with axes.
  static const NamedSharding* NamedOf(const HloInstruction& instruction, size_t index) {
    if (!instruction.has_sharding()) return nullptr;
    const HloSharding* sharding = &instruction.sharding();
    if (sharding->IsTuple()) {
      if (index >= sharding->tuple_elements().size()) return nullptr;
      sharding = &sharding->tuple_elements()[index];
    }
    return sharding->UseNamedShardingLeaf() ? &sharding->named_sharding() : nullptr;
  }
  absl::Status ReadShardings(const HloInstruction& instruction, const Leaves& leaves) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      const NamedSharding* named = NamedOf(instruction, i);
      if (named == nullptr) continue;
      XLA_RETURN_IF_ERROR(SetSharding(instruction, *named, leaves[i]));
    }
    return absl::OkStatus();
  }
  // Of values that have been made elsewhere and may have shardings there.
  absl::Status ReadShardingsOfParts(const HloInstruction& instruction, const Leaves& leaves) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      const NamedSharding* named = NamedOf(instruction, i);
      if (named == nullptr || graph_.holder(leaves[i]).sharding.has_value()) continue;
      XLA_RETURN_IF_ERROR(SetSharding(instruction, *named, leaves[i]));
    }
    return absl::OkStatus();
  }
  absl::Status SetSharding(const HloInstruction& instruction, const NamedSharding& named,
                           ValueId id) {
    Value& value = graph_.holder(id);
    const size_t rank = value.sizes.size();
    if (!named.dim_shardings().empty() && named.dim_shardings().size() != rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sharding of ", instruction.ToShortString(), " has ",
                       named.num_dimensions(), " dimensions, its value has ", rank));
    }
    value.sharding = FromNamed(named, rank);
    value.mesh = graph_.AddMesh(named.mesh());
    return absl::OkStatus();
  }

  // --- edges

  // Of values that are one at different places: arrays only.
  void AddEdge(Leaves sources, ValueId target, std::vector<ValueId> other_targets = {}) {
    const Value& value = graph_.values[target];
    Node node;
    node.relations = IdentityRelations(value.sizes, sources.size(), 1);
    node.operands = std::move(sources);
    node.results = {target};
    node.node_class = NodeClass::kPassThrough;
    node.is_edge = true;
    for (const ValueId other : other_targets) graph_.values[other].holder = target;
    node.other_targets = std::move(other_targets);
    graph_.AddNode(std::move(node));
  }

  absl::StatusOr<Leaves> VisitWhile(const HloInstruction& loop) {
    const Leaves& initial = LeavesOf(loop.operand(0));
    const Leaves results = NewLeaves(loop.shape());
    const Leaves body_arguments = NewLeaves(loop.shape());
    const Leaves condition_arguments = NewLeaves(loop.shape());
    for (size_t i = 0; i < results.size(); ++i) {
      graph_.values[body_arguments[i]].holder = results[i];
      graph_.values[condition_arguments[i]].holder = results[i];
    }
    XLA_RETURN_IF_ERROR(ReadShardings(loop, results));
    XLA_RETURN_IF_ERROR(Visit(*loop.while_condition(), {condition_arguments}).status());
    XLA_ASSIGN_OR_RETURN(const Leaves next, Visit(*loop.while_body(), {body_arguments}));
    for (size_t i = 0; i < results.size(); ++i) {
      AddEdge({initial[i], next[i]}, results[i], {body_arguments[i], condition_arguments[i]});
    }
    return results;
  }

  absl::StatusOr<Leaves> VisitConditional(const HloInstruction& conditional) {
    const Leaves results = NewLeaves(conditional.shape());
    XLA_RETURN_IF_ERROR(ReadShardings(conditional, results));
    std::vector<Leaves> sources(results.size());
    for (size_t i = 0; i < conditional.called_computations().size(); ++i) {
      const int64_t branch = static_cast<int64_t>(i);
      XLA_ASSIGN_OR_RETURN(const Leaves values, Visit(*conditional.branch_computation(branch),
                                                      {LeavesOf(conditional.operand(branch + 1))}));
      for (size_t k = 0; k < results.size(); ++k) sources[k].push_back(values[k]);
    }
    for (size_t k = 0; k < results.size(); ++k) AddEdge(std::move(sources[k]), results[k]);
    return results;
  }

  // Arguments and results of calls are edges, but for those of manual computations, which have
  // theirs at the calls that surround them.
  absl::StatusOr<Leaves> VisitCall(const HloInstruction& call) {
    const HloComputation& callee = *call.to_apply();
    std::vector<Leaves> arguments;
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      const Leaves& operand = LeavesOf(call.operand(i));
      if (IsCall(*call.operand(i), kFullToShardTarget)) {
        arguments.push_back(operand);
        continue;
      }
      const Leaves targets = NewLeaves(call.operand(i)->shape());
      XLA_RETURN_IF_ERROR(ReadShardings(*callee.parameter_instruction(i), targets));
      for (size_t k = 0; k < targets.size(); ++k) {
        AddEdge({operand[k]}, targets[k]);
        graph_.nodes.back().is_into_call = true;
      }
      arguments.push_back(targets);
    }
    const HloInstruction* entered = ManualOperand(call);
    const bool is_manual = entered != nullptr;
    const Axes outside = manual_;
    if (is_manual) manual_ = graph_.values[LeavesOf(entered)[0]].manual;
    absl::StatusOr<Leaves> visited = Visit(callee, arguments);
    manual_ = outside;
    XLA_ASSIGN_OR_RETURN(const Leaves values, std::move(visited));
    if (is_manual) return values;
    const Leaves results = NewLeaves(call.shape());
    XLA_RETURN_IF_ERROR(ReadShardings(call, results));
    for (size_t k = 0; k < results.size(); ++k) AddEdge({values[k]}, results[k]);
    return results;
  }
  // An operand that enters the manual computation that is called; null if it is another call.
  static const HloInstruction* ManualOperand(const HloInstruction& call) {
    for (const HloInstruction* operand : call.operands()) {
      if (IsCall(*operand, kFullToShardTarget) && operand->shape().IsArray()) return operand;
    }
    return nullptr;
  }

  Leaves VisitBarrier(const HloInstruction& barrier) {
    const Leaves& sources = LeavesOf(barrier.operand(0));
    const Leaves results = NewLeaves(barrier.shape());
    for (size_t k = 0; k < results.size(); ++k) AddEdge({sources[k]}, results[k]);
    return results;
  }

  // --- manual computations

  // Other calls of this name are errors that the partitioner reports.
  static bool IsBoundaryOfArray(const HloInstruction& instruction) {
    return instruction.operand_count() == 1 && instruction.shape().IsArray() &&
           instruction.operand(0)->shape().IsArray() &&
           instruction.shape().rank() == instruction.operand(0)->shape().rank();
  }

  absl::StatusOr<Leaves> VisitFullToShard(const HloInstruction& instruction) {
    if (!IsBoundaryOfArray(instruction)) return NewLeaves(instruction.shape());
    const HloInstruction* full = instruction.operand(0);
    const std::optional<Boundary> boundary = BoundaryOf(NamedOf(*full, 0), NamedOf(instruction, 0));
    const ValueId result = NewValue(instruction.shape());
    if (!boundary.has_value()) return Leaves{result};
    const NamedSharding* inside = NamedOf(instruction, 0);
    graph_.values[result].manual = inside->manual_axes();
    // The annotation of the operand is the computation's own.
    const bool is_own = IsAnnotationFor(*full, kFullToShardTarget);
    const ValueId source = LeavesOf(is_own ? full->operand(0) : full)[0];
    AddBoundary(*boundary, Node::Boundary::kIntoManual, source, result);
    const NodeId edge = static_cast<NodeId>(graph_.nodes.size()) - 1;
    if (is_own) result_.manual_operands.emplace_back(edge, LeavesOf(full)[0]);
    constraints_.push_back(
        {.node = edge,
         .sharding = FromNamed(*boundary->outside, graph_.values[source].sizes.size()),
         .mesh = graph_.AddMesh(boundary->outside->mesh())});
    return Leaves{result};
  }

  absl::StatusOr<Leaves> VisitShardToFull(const HloInstruction& instruction) {
    if (!IsBoundaryOfArray(instruction)) return NewLeaves(instruction.shape());
    const HloInstruction* local = instruction.operand(0);
    const std::optional<Boundary> boundary =
        BoundaryOf(NamedOf(instruction, 0), NamedOf(*local, 0));
    const ValueId result = NewValue(instruction.shape());
    if (!boundary.has_value()) return Leaves{result};
    const ValueId source = LeavesOf(local)[0];
    AddBoundary(*boundary, Node::Boundary::kOutOfManual, source, result);
    return Leaves{result};
  }

  void AddBoundary(const Boundary& boundary, Node::Boundary kind, ValueId source, ValueId result) {
    const bool is_into = kind == Node::Boundary::kIntoManual;
    const Value& outer = graph_.values[is_into ? source : result];
    ArraySharding of_result;
    Node node = MakeBoundaryNode(boundary, kind, outer.sizes, &of_result);
    node.operands = {source};
    node.results = {result};
    graph_.values[result].sharding = std::move(of_result);
    graph_.values[result].mesh = graph_.AddMesh(boundary.outside->mesh());
    graph_.AddNode(std::move(node));
  }

  static bool IsAnnotationFor(const HloInstruction& instruction, std::string_view target) {
    return IsCall(instruction, kShardingTarget) && instruction.operand_count() == 1 &&
           ShapeUtil::Compatible(instruction.shape(), instruction.operand(0)->shape()) &&
           instruction.user_count() == 1 && IsCall(*instruction.users()[0], target);
  }

  // --- operations

  absl::StatusOr<Leaves> VisitOperation(const HloInstruction& instruction) {
    const Leaves results = NewLeaves(instruction.shape());
    XLA_RETURN_IF_ERROR(ReadShardings(instruction, results));
    Node node;
    node.operands = OperandLeaves(instruction);
    node.results = results;
    const bool is_constraint = IsCall(instruction, kShardingTarget);
    const bool is_barrier = IsCall(instruction, kPropagationBarrierTarget);
    if (const auto stretching = MatchStretchingBroadcast(instruction); stretching.has_value()) {
      node.relations = stretching->relations;
      node.operands = LeavesOf(stretching->operand);
    } else if (is_barrier && results.size() == 1 && node.operands.size() == 1) {
      node.relations = IdentityRelations(graph_.values[results[0]].sizes, 1, 1);
    } else {
      XLA_ASSIGN_OR_RETURN(auto relations,
                           RelateDimensions(instruction, {.is_conservative = is_conservative_}));
      if (relations.has_value()) node.relations = *std::move(relations);
    }
    node.is_elementwise = instruction.IsElementwise() || is_constraint || is_barrier;
    node.is_pure = !instruction.HasSideEffect() && instruction.opcode() != HloOpcode::kCustomCall &&
                   instruction.info().family != OpFamily::kCollective;
    node.node_class = is_barrier ? NodeClass::kBarrier : ClassOf(instruction, node.is_elementwise);
    if (is_barrier) node.allowed = AllowedDirection(instruction);
    const NodeId id = graph_.AddNode(std::move(node));
    if (is_constraint && !results.empty() && graph_.values[results[0]].sharding.has_value()) {
      constraints_.push_back({.node = id,
                              .sharding = *graph_.values[results[0]].sharding,
                              .mesh = graph_.values[results[0]].mesh,
                              .is_constraint = true});
    }
    return results;
  }
  static Direction AllowedDirection(const HloInstruction& barrier) {
    const auto& attributes = barrier.extras().frontend_attributes;
    const auto found = attributes.find(kAllowedDirectionAttribute);
    if (found == attributes.end()) return Direction::kNone;
    const std::string& text = found->second;
    if (text == "FORWARD" || text == "1") return Direction::kForward;
    if (text == "BACKWARD" || text == "2") return Direction::kBackward;
    if (text == "BOTH" || text == "3") return Direction::kBoth;
    return Direction::kNone;
  }

  // The number of leaves in front of an element of a tuple.
  size_t LeafStart(const HloInstruction& tuple, int64_t index) {
    std::vector<size_t>& starts = leaf_starts_[&tuple];
    if (starts.empty()) {
      size_t leaves = 0;
      for (const Shape& element : tuple.shape().tuple_shapes()) {
        starts.push_back(leaves);
        leaves += static_cast<size_t>(ShapeUtil::GetLeafCount(element));
      }
    }
    return starts[static_cast<size_t>(index)];
  }

  absl::StatusOr<Leaves> VisitInstruction(const HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kTuple:
        return OperandLeaves(instruction);
      case HloOpcode::kGetTupleElement: {
        const HloInstruction* tuple = instruction.operand(0);
        const size_t begin = LeafStart(*tuple, instruction.tuple_index());
        const auto from = LeavesOf(tuple).begin() + static_cast<std::ptrdiff_t>(begin);
        Leaves leaves(from, from + ShapeUtil::GetLeafCount(instruction.shape()));
        // That of a root is of the result (AddResults).
        if (!StatesResults(instruction)) {
          XLA_RETURN_IF_ERROR(ReadShardingsOfParts(instruction, leaves));
        }
        return leaves;
      }
      case HloOpcode::kWhile:
        return VisitWhile(instruction);
      case HloOpcode::kConditional:
        return VisitConditional(instruction);
      case HloOpcode::kCall:
        return VisitCall(instruction);
      case HloOpcode::kOptimizationBarrier:
        return VisitBarrier(instruction);
      case HloOpcode::kCustomCall:
        if (IsCall(instruction, kFullToShardTarget)) return VisitFullToShard(instruction);
        if (IsCall(instruction, kShardToFullTarget)) return VisitShardToFull(instruction);
        if (IsAnnotationFor(instruction, kFullToShardTarget)) {
          const Leaves leaves = NewLeaves(instruction.shape());
          XLA_RETURN_IF_ERROR(ReadShardings(instruction, leaves));
          return leaves;
        }
        if (IsAnnotationFor(instruction, kShardToFullTarget)) {
          return LeavesOf(instruction.operand(0));
        }
        return VisitOperation(instruction);
      default:
        return VisitOperation(instruction);
    }
  }

  // The depth of calls is that of the program, which its reader bounds.
  absl::StatusOr<Leaves> Visit(const HloComputation& computation,
                               const std::vector<Leaves>& arguments) {
    for (const HloInstruction* parameter : computation.parameter_instructions()) {
      Leaves& leaves = result_.leaves[parameter];
      leaves = arguments[parameter->parameter_number()];
      if (computation.IsEntryComputation()) {
        XLA_RETURN_IF_ERROR(ReadShardings(*parameter, leaves));
      }
      XLA_RETURN_IF_ERROR(ReadGroups(*parameter, leaves));
    }
    for (const HloInstruction* instruction : InstructionsInOrder(computation)) {
      if (instruction->opcode() == HloOpcode::kParameter) continue;
      XLA_ASSIGN_OR_RETURN(Leaves leaves, VisitInstruction(*instruction));
      XLA_RETURN_IF_ERROR(ReadGroups(*instruction, leaves));
      result_.leaves[instruction] = std::move(leaves);
    }
    return LeavesOf(computation.root_instruction());
  }

  absl::Status AddResults(const HloInstruction& root, const Leaves& roots) {
    for (size_t i = 0; i < roots.size(); ++i) {
      const ValueId result = graph_.AddValue(graph_.values[roots[i]].sizes);
      const NamedSharding* named = StatesResults(root) ? NamedOf(root, i) : nullptr;
      if (named != nullptr) XLA_RETURN_IF_ERROR(SetSharding(root, *named, result));
      ++graph_.values[roots[i]].num_uses;
      graph_.results.emplace_back(roots[i], result);
    }
    return absl::OkStatus();
  }

  // --- groups

  // Groups that have a value in common are one.
  absl::Status ReadGroups(const HloInstruction& instruction, const Leaves& leaves) {
    const auto& attributes = instruction.extras().frontend_attributes;
    const auto found = attributes.find(kShardingGroupFrontendAttribute);
    if (found == attributes.end()) return absl::OkStatus();
    // A constant that nothing reads needs no sharding.
    const bool is_constant =
        instruction.opcode() == HloOpcode::kConstant || instruction.opcode() == HloOpcode::kIota;
    if (is_constant && instruction.user_count() == 0 && !instruction.IsRoot()) {
      return absl::OkStatus();
    }
    // Being in a group is a use.
    if (leaves.size() == 1) ++graph_.values[leaves[0]].num_uses;
    for (const auto text : absl::StrSplit(found->second, ',')) {
      int64_t id = 0;
      if (!absl::SimpleAtoi(text, &id) || leaves.size() != 1) {
        return absl::InvalidArgumentError(absl::StrCat(
            instruction.ToShortString(), " cannot be in the sharding group '", text, "'"));
      }
      std::vector<ValueId>& members = groups_[id];
      if (!members.empty() && graph_.values[members[0]].sizes != graph_.values[leaves[0]].sizes) {
        return absl::InvalidArgumentError(
            absl::StrCat("the values of sharding group ", id,
                         " have different shapes: ", instruction.ToShortString()));
      }
      members.push_back(graph_.values[leaves[0]].holder);
    }
    return absl::OkStatus();
  }
  void MakeGroups() {
    for (auto& [id, members] : groups_) {
      const auto other = std::find_if(members.begin(), members.end(), [&](ValueId member) {
        return graph_.values[member].group >= 0;
      });
      int64_t group = static_cast<int64_t>(graph_.groups.size());
      if (other != members.end()) {
        group = graph_.values[*other].group;
      } else {
        graph_.groups.emplace_back();
      }
      for (const ValueId member : members) {
        const int64_t merged = graph_.values[member].group;
        if (merged == group) continue;
        if (merged < 0) {
          graph_.values[member].group = group;
          graph_.groups[group].push_back(member);
          continue;
        }
        for (const ValueId moved : graph_.groups[merged]) {
          graph_.values[moved].group = group;
          graph_.groups[group].push_back(moved);
        }
        graph_.groups[merged].clear();
      }
    }
  }

  const bool is_conservative_;
  ModuleGraph& result_;
  Graph& graph_;
  std::map<int64_t, std::vector<ValueId>> groups_;
  absl::flat_hash_map<const HloInstruction*, std::vector<size_t>> leaf_starts_;  // of tuples
  std::vector<Constraint> constraints_;
  Axes manual_;  // where the visited computation is
};

}  // namespace

absl::StatusOr<ModuleGraph> MakeModuleGraph(const HloModule& module, bool is_conservative) {
  ModuleGraph result;
  XLA_RETURN_IF_ERROR(Builder(is_conservative, &result).Build(module));
  return result;
}

}  // namespace xla::propagation
