// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/recomputation.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/row_reduction.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// A store and a load, in arithmetic operations.
constexpr double kStoreAndLoad = 8;

double Elements(const Shape& shape) {
  double count = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) count = std::max(count, static_cast<double>(CountOf(leaf)));
  });
  return count;
}

double WindowElements(const HloInstruction& instruction) {
  double count = 1;
  for (const WindowDim& dim : instruction.attributes<WindowAttributes>().window.dims)
    count *= static_cast<double>(dim.size);
  return count;
}

// Returns how many elements are combined for an element of the result.
double CombinedElements(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kReduce:
      return Elements(instruction.operand(0)->shape()) /
             std::max(Elements(FirstShape(instruction)), 1.0);
    case HloOpcode::kReduceWindow:
      return WindowElements(instruction);
    case HloOpcode::kDot:
      return ContractionFlops(instruction) / 2 / std::max(Elements(instruction.shape()), 1.0);
    default:
      return 1;
  }
}

// A context in a kernel in which elements are computed: elements of one instruction are computed
// once for all users in the same loop that need the same ones.
struct Access {
  const HloInstruction* user;  // the user that reads at other indices, or null
  int64_t operand;
  int64_t outer;  // the number of that user's access
  bool operator==(const Access&) const = default;
};

// Counts how often a kernel computes each instruction, users before operands.
class Evaluations {
 public:
  explicit Evaluations(const HloInstruction& fusion)
      : body_(*fusion.to_apply()),
        reduces_own_rows_(ReducesOwnRows(body_) && AppliesVectors(body_)) {
    const HloInstruction* root = body_.root_instruction();
    const std::vector<HloInstruction*> order = body_.MakeInstructionPostOrder();
    Add(root, 0, Elements(root->shape()));
    for (auto it = order.rbegin(); it != order.rend(); ++it) Visit(**it);
    for (const HloInstruction* instruction : order)
      costs_[instruction] = CostWithOperands(*instruction);
  }

  double Work() const {
    double work = 0;
    for (const auto& [instruction, places] : counts_) {
      double count = 0;
      for (const auto& [slice, evaluations] : places) count += evaluations;
      const double once = Elements(instruction->shape());
      if (costs_.at(instruction) <= kStoreAndLoad) count = std::min(count, once);
      work += count * CombinedElements(*instruction) * ElementCost(*instruction);
    }
    return work;
  }

 private:
  void Add(const HloInstruction* instruction, int64_t slice, double evaluations) {
    double& count = counts_[instruction][slice];
    count = std::max(count, evaluations);
  }

  int64_t PlaceOf(const HloInstruction* access, int64_t operand, int64_t outer) {
    const Access slice = {access, operand, outer};
    const auto found = absl::c_find(places_, slice);
    const auto number = static_cast<int64_t>(found - places_.begin()) + 1;
    if (found == places_.end()) places_.push_back(slice);
    return number;
  }

  void Visit(const HloInstruction& user) {
    const auto found = counts_.find(&user);
    if (found == counts_.end()) return;
    const std::vector<std::pair<int64_t, double>> places(found->second.begin(),
                                                         found->second.end());
    // A row is reduced once for all readers of the result.
    if (user.opcode() == HloOpcode::kReduce && reduces_own_rows_) {
      const double count = Elements(FirstShape(user));
      counts_[&user] = {{0, count}};
      VisitAt(user, 0, count);
      return;
    }
    for (const auto& [slice, evaluations] : places) VisitAt(user, slice, evaluations);
  }

  void VisitAt(const HloInstruction& user, int64_t slice, double evaluations) {
    const double combined = CombinedElements(user);
    for (int64_t i = 0; i < user.operand_count(); ++i) {
      const HloInstruction* operand = user.operand(i);
      const double all = Elements(operand->shape());
      if (all == 1) {
        Add(operand, 0, 1);
        continue;
      }
      switch (user.opcode()) {
        case HloOpcode::kReshape:
        case HloOpcode::kBitcast:
        case HloOpcode::kTuple:
          Add(operand, slice, evaluations);
          break;
        case HloOpcode::kBroadcast: {
          // If the last dimension is not the operand's, the element is the same for a whole row and
          // computed once.
          const int64_t last = user.shape().rank() - 1;
          const bool is_by_row = !absl::c_linear_search(user.dimensions(), last);
          const double row = is_by_row ? static_cast<double>(user.shape().dimensions().back()) : 1;
          Add(operand, PlaceOf(&user, i, slice), evaluations / row);
          break;
        }
        case HloOpcode::kConcatenate:
          Add(operand, PlaceOf(&user, i, slice),
              evaluations * all / std::max(Elements(user.shape()), 1.0));
          break;
        case HloOpcode::kDynamicUpdateSlice:
          Add(operand, PlaceOf(&user, i, slice), std::min(all, evaluations));
          break;
        case HloOpcode::kScatter:
          Add(operand, PlaceOf(&user, i, slice), all);
          break;
        case HloOpcode::kGather:
          Add(operand, PlaceOf(&user, i, slice),
              i == 0 ? evaluations : std::max(all, evaluations * all / Elements(user.shape())));
          break;
        case HloOpcode::kReduce:
        case HloOpcode::kReduceWindow:
        case HloOpcode::kDot:
          Add(operand, PlaceOf(&user, i, slice), evaluations * combined);
          break;
        default:
          Add(operand, IsElementwise(user) ? slice : PlaceOf(&user, i, slice), evaluations);
      }
    }
  }

  // Returns the cost of an element with the operands that the kernel computes for it.
  double CostWithOperands(const HloInstruction& instruction) const {
    double cost = CombinedElements(instruction) * ElementCost(instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      const auto found = costs_.find(operand);
      if (found != costs_.end()) cost += found->second * CombinedElements(instruction);
    }
    return cost;
  }

  const HloComputation& body_;
  const bool reduces_own_rows_;
  std::vector<Access> places_;
  absl::flat_hash_map<const HloInstruction*, absl::flat_hash_map<int64_t, double>> counts_;
  absl::flat_hash_map<const HloInstruction*, double> costs_;
};

// Returns the computations that are called, rather than applied to elements or fused.
std::vector<const HloComputation*> CalledComputations(const HloModule& module) {
  const std::vector<const HloComputation*> code = ComputationsOfNestedCode(module);
  const absl::flat_hash_set<const HloComputation*> applied(code.begin(), code.end());
  std::vector<const HloComputation*> called;
  for (const HloComputation* computation : module.computations()) {
    if (!applied.contains(computation)) called.push_back(computation);
  }
  return called;
}

double WorkOf(const HloComputation& computation) {
  double work = 0;
  for (const HloInstruction* instruction : computation.instructions())
    work += cpu::WorkOf(*instruction);
  return work;
}

}  // namespace

double WorkOf(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kFusion) return Evaluations(instruction).Work();
  return Elements(instruction.shape()) * CombinedElements(instruction) * ElementCost(instruction);
}

WorkBeforeFusion::WorkBeforeFusion(const HloModule& module) {
  for (const HloComputation* computation : CalledComputations(module))
    computations_.push_back({std::string(computation->name()), WorkOf(*computation)});
}

std::vector<ComputationWork> WorkBeforeFusion::Exceeding(const HloModule& fused) const {
  absl::flat_hash_map<std::string, double> after;
  for (const HloComputation* computation : CalledComputations(fused))
    after[std::string(computation->name())] = WorkOf(*computation);
  std::vector<ComputationWork> exceeding;
  for (const ComputationWork& computation : computations_) {
    const auto found = after.find(computation.name);
    if (found == after.end() || found->second <= kMostWork * computation.before + kLittleWork)
      continue;
    exceeding.push_back({computation.name, computation.before, found->second});
  }
  return exceeding;
}

}  // namespace xla::cpu
