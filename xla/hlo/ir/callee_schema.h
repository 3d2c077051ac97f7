// SPDX-License-Identifier: Apache-2.0
// Called computations: which of them an operation has, their names in text, and the parameters and
// results that they must have. A column of the operation table.
#ifndef XLA_HLO_IR_CALLEE_SCHEMA_H_
#define XLA_HLO_IR_CALLEE_SCHEMA_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace xla {

// What a called computation computes. n is the number of operands.
enum class CalleeRole : uint8_t {
  kFunction,       // (the n operands) -> the result of the operation
  kBody,           // (state) -> state
  kCondition,      // (state) -> pred
  kBranch,         // (the branch's operand) -> the result of the operation
  kReducer,        // (accumulators, elements), n / 2 scalars each -> accumulators
  kBinaryReducer,  // (accumulator, element), scalars -> accumulator
  kMapper,         // (n scalars) -> scalar
  kScanner,        // (slices of the inputs, carries), n together -> (slices of outputs, carries)
  kComparator,     // (two scalars of each operand) -> pred
  kSelector,       // (two scalars) -> pred
  kExternal,       // whatever the target of a custom call needs
};

struct CalleeRoleInfo {
  // The result is a scalar pred.
  bool returns_pred = false;
  // Applied to elements or slices, in an order that is not part of the semantics; otherwise called
  // on whole values, by each device in the same order.
  bool on_elements = false;
  // Parameters for n operands: per_operand * n + per_pair * (n / 2) + fixed.
  int per_operand = 0, per_pair = 0, fixed = 0;
  bool any_parameters = false;

  int64_t ParameterCount(int64_t operand_count) const {
    return per_operand * operand_count + per_pair * (operand_count / 2) + fixed;
  }
};
const CalleeRoleInfo& GetCalleeRoleInfo(CalleeRole role);

// One attribute that names a called computation, or a list of them.
struct CalleeSlot {
  std::string_view name;
  CalleeRole role;
  bool is_required = true;
  bool is_list = false;
};

// The schemas that rows of the operation table refer to.
enum class Callees : uint8_t {
  kNone,
  kFunction,          // to_apply
  kFused,             // calls
  kWrapped,           // calls; of async-start
  kOfStart,           // none: text and old protos may repeat `calls` of the start
  kLoop,              // body, condition
  kBranches,          // true_computation and false_computation, or branch_computations
  kReducer,           // to_apply
  kBinaryReducer,     // to_apply
  kMapper,            // to_apply
  kScanner,           // to_apply
  kComparator,        // to_apply
  kSelectAndScatter,  // select, scatter
  kExternal,          // none, to_apply, or called_computations
};

struct CalleeSchema {
  // In the order of HloInstruction::called_computations().
  absl::Span<const CalleeSlot> slots;
  // In the order in which text prints them: numbers of slots. Empty: the order of `slots`.
  absl::Span<const uint8_t> print_order;
  // How many computations are called; kOnePerBranch: one for each operand but the first.
  static constexpr int kAnyCount = -1, kOnePerBranch = -2;
  int count = 0;
  // Text may repeat the computation, which is that of the operation's start.
  bool may_repeat_start = false;

  // The slot of called computation number `i`.
  const CalleeSlot& SlotOf(size_t i) const {
    return slots[i < slots.size() && !slots[0].is_list ? i : slots.size() - 1];
  }
};
const CalleeSchema& GetCalleeSchema(Callees callees);
// Slots as text has them: a conditional on a pred names its two branches.
absl::Span<const CalleeSlot> CalleeSlots(Callees callees, bool branch_index_is_pred);

}  // namespace xla

#endif  // XLA_HLO_IR_CALLEE_SCHEMA_H_
