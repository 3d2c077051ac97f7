// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/loop_plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace xla::cpu {
namespace {

class LoopPlanner {
 public:
  LoopPlanner(const ProgramSchedule& schedule, const Target& target)
      : schedule_(schedule), target_(target) {}

  LoopPlans Plan() {
    PlanItems(schedule_.items);
    return std::move(plans_);
  }

 private:
  void PlanItems(absl::Span<const ScheduledItem> items) {
    for (const ScheduledItem& item : items) {
      if (item.kind == ScheduledItem::Kind::kWhile && PlanAsFunction(item)) continue;
      for (const auto& body : item.bodies) PlanItems(body);
    }
  }

  // Plans a loop and those within it. Returns whether it runs as a function.
  bool PlanAsFunction(const ScheduledItem& loop) {
    LoopPlan& plan = plans_[&loop];
    plan.elements = UnitsOfElementwiseWhile(schedule_, loop, target_);
    if (plan.elements.length > 0) {
      plan.kind = LoopPlan::Kind::kElements;
    } else if (IsScalarWhile(schedule_, loop)) {
      plan.kind = LoopPlan::Kind::kScalars;
    } else if ((plan.function = PlanCompiledWhile(schedule_, loop, target_)).has_value()) {
      plan.kind = LoopPlan::Kind::kCompiled;
      PlanInnerLoops(*plan.function);
    } else {
      return false;
    }
    return true;
  }

  void PlanInnerLoops(const CompiledWhilePlan& function) {
    for (const auto& [item, planned] : function.items) {
      if (planned.mode == CompiledWhilePlan::Mode::kLoop && item != function.loop)
        plans_[item].kind = LoopPlan::Kind::kInlined;
    }
    for (const CompiledWhilePlan::Entry& entry : function.entries) {
      if (entry.item != nullptr) PlanItems({entry.item, 1});
    }
  }

  const ProgramSchedule& schedule_;
  const Target& target_;
  LoopPlans plans_;
};

}  // namespace

LoopPlans PlanLoops(const ProgramSchedule& schedule, const Target& target) {
  return LoopPlanner(schedule, target).Plan();
}

std::string PlanText(const LoopPlan& plan) {
  switch (plan.kind) {
    case LoopPlan::Kind::kElements:
      return absl::StrCat("elements lanes ", plan.elements.lanes, " units ", plan.elements.count,
                          " chunk ", plan.elements.chunk);
    case LoopPlan::Kind::kScalars:
      return "scalars";
    case LoopPlan::Kind::kCompiled:
      return absl::StrCat(PlanText(*plan.function));
    case LoopPlan::Kind::kInlined:
      return "inlined";
    case LoopPlan::Kind::kThunks:
      break;
  }
  return "thunks";
}

}  // namespace xla::cpu
