// SPDX-License-Identifier: Apache-2.0
// The schemas of called computations as tables.
#include "xla/hlo/ir/callee_schema.h"

#include <array>

namespace xla {
namespace {

constexpr std::array<CalleeRoleInfo, static_cast<size_t>(CalleeRole::kExternal) + 1> kRoles = [] {
  std::array<CalleeRoleInfo, static_cast<size_t>(CalleeRole::kExternal) + 1> roles{};
  const auto at = [&](CalleeRole role) -> CalleeRoleInfo& {
    return roles[static_cast<size_t>(role)];
  };
  at(CalleeRole::kFunction) = {.per_operand = 1};
  at(CalleeRole::kBody) = {.fixed = 1};
  at(CalleeRole::kCondition) = {.returns_pred = true, .fixed = 1};
  at(CalleeRole::kBranch) = {.fixed = 1};
  at(CalleeRole::kReducer) = {.on_elements = true, .per_pair = 2};
  at(CalleeRole::kBinaryReducer) = {.on_elements = true, .fixed = 2};
  at(CalleeRole::kMapper) = {.on_elements = true, .per_operand = 1};
  at(CalleeRole::kScanner) = {.on_elements = true, .per_operand = 1};
  at(CalleeRole::kComparator) = {.returns_pred = true, .on_elements = true, .per_operand = 2};
  at(CalleeRole::kSelector) = {.returns_pred = true, .on_elements = true, .fixed = 2};
  at(CalleeRole::kExternal) = {.on_elements = true, .any_parameters = true};
  return roles;
}();

constexpr CalleeSlot kFunctionSlots[] = {{"to_apply", CalleeRole::kFunction}};
constexpr CalleeSlot kCallsSlots[] = {{"calls", CalleeRole::kFunction}};
constexpr CalleeSlot kOfStartSlots[] = {{"calls", CalleeRole::kFunction, /*is_required=*/false}};
constexpr CalleeSlot kLoopSlots[] = {{"body", CalleeRole::kBody},
                                     {"condition", CalleeRole::kCondition}};
constexpr uint8_t kLoopPrintOrder[] = {1, 0};
constexpr CalleeSlot kBranchSlots[] = {
    {"branch_computations", CalleeRole::kBranch, /*is_required=*/true, /*is_list=*/true}};
constexpr CalleeSlot kPredBranchSlots[] = {{"true_computation", CalleeRole::kBranch},
                                           {"false_computation", CalleeRole::kBranch}};
constexpr CalleeSlot kReducerSlots[] = {{"to_apply", CalleeRole::kReducer}};
constexpr CalleeSlot kBinaryReducerSlots[] = {{"to_apply", CalleeRole::kBinaryReducer}};
constexpr CalleeSlot kMapperSlots[] = {{"to_apply", CalleeRole::kMapper}};
constexpr CalleeSlot kScannerSlots[] = {{"to_apply", CalleeRole::kScanner}};
constexpr CalleeSlot kComparatorSlots[] = {{"to_apply", CalleeRole::kComparator}};
constexpr CalleeSlot kSelectAndScatterSlots[] = {{"select", CalleeRole::kSelector},
                                                 {"scatter", CalleeRole::kBinaryReducer}};
constexpr CalleeSlot kExternalSlots[] = {
    {"to_apply", CalleeRole::kExternal, /*is_required=*/false},
    {"called_computations", CalleeRole::kExternal, /*is_required=*/false, /*is_list=*/true}};

constexpr std::array<CalleeSchema, static_cast<size_t>(Callees::kExternal) + 1> kSchemas = [] {
  std::array<CalleeSchema, static_cast<size_t>(Callees::kExternal) + 1> schemas{};
  const auto at = [&](Callees callees) -> CalleeSchema& {
    return schemas[static_cast<size_t>(callees)];
  };
  at(Callees::kFunction) = {.slots = kFunctionSlots, .count = 1};
  at(Callees::kFused) = {.slots = kCallsSlots, .count = 1};
  at(Callees::kWrapped) = {.slots = kCallsSlots, .count = 1};
  at(Callees::kOfStart) = {.slots = kOfStartSlots, .may_repeat_start = true};
  at(Callees::kLoop) = {.slots = kLoopSlots, .print_order = kLoopPrintOrder, .count = 2};
  at(Callees::kBranches) = {.slots = kBranchSlots, .count = CalleeSchema::kOnePerBranch};
  at(Callees::kReducer) = {.slots = kReducerSlots, .count = 1};
  at(Callees::kBinaryReducer) = {.slots = kBinaryReducerSlots, .count = 1};
  at(Callees::kMapper) = {.slots = kMapperSlots, .count = 1};
  at(Callees::kScanner) = {.slots = kScannerSlots, .count = 1};
  at(Callees::kComparator) = {.slots = kComparatorSlots, .count = 1};
  at(Callees::kSelectAndScatter) = {.slots = kSelectAndScatterSlots, .count = 2};
  at(Callees::kExternal) = {.slots = kExternalSlots, .count = CalleeSchema::kAnyCount};
  return schemas;
}();

}  // namespace

const CalleeRoleInfo& GetCalleeRoleInfo(CalleeRole role) {
  return kRoles[static_cast<size_t>(role)];
}

const CalleeSchema& GetCalleeSchema(Callees callees) {
  return kSchemas[static_cast<size_t>(callees)];
}

absl::Span<const CalleeSlot> CalleeSlots(Callees callees, bool branch_index_is_pred) {
  if (callees == Callees::kBranches && branch_index_is_pred) return kPredBranchSlots;
  return GetCalleeSchema(callees).slots;
}

}  // namespace xla
