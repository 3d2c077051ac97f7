// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/nested_computation.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/passes/dynamic_resolver.h"

namespace xla::cpu {
namespace {

// The most instructions of one copy of the code, with what it calls. Larger computations are
// programs.
constexpr int64_t kMostInstructions = 2000;
constexpr int kDeepestCode = 32;

bool IsOneElement(const Shape& shape) {
  return shape.IsArray() && !shape.is_dynamic() && CountOf(shape) == 1;
}

bool HasOneElementLeaves(const Shape& shape, int depth = 0) {
  if (!shape.IsTuple()) return IsOneElement(shape);
  return depth < kDeepestCode &&
         std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                     [&](const Shape& element) { return HasOneElementLeaves(element, depth + 1); });
}

class Classifier {
 public:
  NestedKind KindOf(const HloComputation& computation, int depth) {
    left_ -= computation.instruction_count();
    if (left_ < 0 || depth > kDeepestCode) return NestedKind::kProgram;
    NestedKind kind = NestedKind::kVectors;
    for (const HloInstruction* instruction : computation.instructions()) {
      kind = std::max(kind, KindOf(*instruction, depth));
      if (kind == NestedKind::kProgram) break;
    }
    return kind;
  }

 private:
  NestedKind KindOf(const HloInstruction& instruction, int depth) {
    if (!HasOneElementLeaves(instruction.shape()) || !instruction.control_predecessors().empty())
      return NestedKind::kProgram;
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kTuple:
      case HloOpcode::kGetTupleElement:
      case HloOpcode::kOptimizationBarrier:
        return NestedKind::kVectors;
      case HloOpcode::kConstant:
        return instruction.shape().IsArray() ? NestedKind::kVectors : NestedKind::kProgram;
      case HloOpcode::kBitcast:
        return instruction.shape().element_type() == instruction.operand(0)->shape().element_type()
                   ? NestedKind::kVectors
                   : NestedKind::kProgram;
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kTranspose:
        return NestedKind::kVectors;
      case HloOpcode::kConditional:
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
      case HloOpcode::kMap:
      case HloOpcode::kWhile: {
        NestedKind kind =
            instruction.opcode() == HloOpcode::kWhile ? NestedKind::kScalars : NestedKind::kVectors;
        for (const HloComputation* called : instruction.called_computations())
          kind = std::max(kind, KindOf(*called, depth + 1));
        return kind;
      }
      default:
        return IsElementwise(instruction) ? NestedKind::kVectors : NestedKind::kProgram;
    }
  }

  int64_t left_ = kMostInstructions;
};

// Returns these computations and all that their instructions call, once each.
std::vector<const HloComputation*> WithCalled(std::vector<const HloComputation*> pending) {
  absl::flat_hash_set<const HloComputation*> seen(pending.begin(), pending.end());
  for (size_t i = 0; i < pending.size(); ++i) {
    const HloComputation* const computation = pending[i];
    for (const HloInstruction* instruction : computation->instructions()) {
      for (const HloComputation* called : instruction->called_computations()) {
        if (seen.insert(called).second) pending.push_back(called);
      }
    }
  }
  return pending;
}

// Calls visit(instruction, computation) for all computations that are applied.
template <typename Visit>
void VisitNested(const HloModule& module, Visit visit) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->IsDead() || !AppliesComputations(*instruction)) continue;
      for (const HloComputation* applied : instruction->called_computations())
        visit(*instruction, *applied);
    }
  }
}

}  // namespace

NestedKind KindOfNested(const HloComputation& computation) {
  return Classifier().KindOf(computation, 0);
}

bool IsSelectAndScatter(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kSelectAndScatter ||
         (instruction.opcode() == HloOpcode::kCustomCall &&
          instruction.custom_call_target() == kSizedSelectAndScatterTarget);
}

bool AppliesComputations(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kAsyncStart:
      return false;
    case HloOpcode::kCustomCall:
      return IsSelectAndScatter(instruction);  // handlers apply those of other calls
    default:
      return !instruction.called_computations().empty();
  }
}

bool AppliesVectors(const HloInstruction& instruction) {
  if (!AppliesComputations(instruction)) return true;
  const auto& called = instruction.called_computations();
  return std::all_of(called.begin(), called.end(), [](const HloComputation* computation) {
    return KindOfNested(*computation) == NestedKind::kVectors;
  });
}

bool AppliesVectors(const HloComputation& computation) {
  const auto& instructions = computation.instructions();
  return std::all_of(
      instructions.begin(), instructions.end(),
      [](const HloInstruction* instruction) { return AppliesVectors(*instruction); });
}

double CostOfNested(const HloComputation& computation) {
  const NestedKind kind = KindOfNested(computation);
  if (kind == NestedKind::kVectors) return 0;
  // Estimates: loops take some iterations; thunks of programs are called.
  constexpr double kScalar = 10, kStep = 100;
  double instructions = 0;
  for (const HloComputation* called : WithCalled({&computation}))
    instructions += static_cast<double>(called->instruction_count());
  return (kind == NestedKind::kScalars ? kScalar : kStep) * instructions;
}

bool HasOrder(const HloComputation& computation) {
  for (const HloComputation* called : WithCalled({&computation})) {
    for (const HloInstruction* instruction : called->instructions()) {
      if (instruction->opcode() == HloOpcode::kRng ||
          instruction->opcode() == HloOpcode::kRngGetAndUpdateState) {
        return true;
      }
    }
  }
  return false;
}

std::vector<const HloComputation*> ComputationsOfNestedCode(const HloModule& module) {
  std::vector<const HloComputation*> code;
  VisitNested(module, [&](const HloInstruction&, const HloComputation& applied) {
    if (KindOfNested(applied) != NestedKind::kProgram) code.push_back(&applied);
  });
  return WithCalled(std::move(code));
}

absl::Status CheckNestedComputations(const HloModule& module) {
  std::vector<const HloComputation*> all;
  absl::flat_hash_map<const HloComputation*, const HloInstruction*> appliers;
  VisitNested(module, [&](const HloInstruction& instruction, const HloComputation& applied) {
    // The collective that reduces is no communication for each element.
    if (appliers.emplace(&applied, &instruction).second) all.push_back(&applied);
  });
  for (const HloComputation* applied : all) {
    for (const HloComputation* called : WithCalled({applied})) {
      for (const HloInstruction* instruction : called->instructions()) {
        if (!instruction->info().Has(op_traits::kCommunicates) ||
            instruction->opcode() == HloOpcode::kPartitionId ||
            instruction->opcode() == HloOpcode::kReplicaId) {
          continue;
        }
        return absl::InvalidArgumentError(absl::StrCat(
            instruction->ToShortString(), " is in ", called->name(), ", which ",
            appliers.at(applied)->ToShortString(),
            " applies to elements: these have no order in which they could communicate with other "
            "devices or with the host"));
      }
    }
  }
  return absl::OkStatus();
}

NestedPrograms::NestedPrograms(const HloModule& module) {
  absl::flat_hash_map<size_t, std::vector<int64_t>> by_hash;
  VisitNested(module, [&](const HloInstruction&, const HloComputation& applied) {
    if (numbers_.contains(&applied) || KindOfNested(applied) != NestedKind::kProgram) return;
    std::vector<int64_t>& candidates = by_hash[applied.Hash()];
    for (const int64_t candidate : candidates) {
      if (!computations_[static_cast<size_t>(candidate)]->Equal(applied, false)) continue;
      numbers_[&applied] = candidate;
      return;
    }
    const auto number = static_cast<int64_t>(computations_.size());
    candidates.push_back(number);
    numbers_[&applied] = number;
    computations_.push_back(&applied);
  });
}

int64_t NestedPrograms::NumberOf(const HloComputation& computation) const {
  const auto found = numbers_.find(&computation);
  return found == numbers_.end() ? -1 : found->second;
}

}  // namespace xla::cpu
