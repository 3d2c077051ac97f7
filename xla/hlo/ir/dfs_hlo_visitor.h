// SPDX-License-Identifier: Apache-2.0
// Visitors of instructions: one virtual function for each opcode. HloComputation::Accept visits a
// computation in post order.
#ifndef XLA_HLO_IR_DFS_HLO_VISITOR_H_
#define XLA_HLO_IR_DFS_HLO_VISITOR_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

template <typename HloInstructionPtr>
class DfsHloVisitorBase {
 public:
  virtual ~DfsHloVisitorBase() = default;

  // HandleAdd, HandleDot, ...: DefaultAction unless overridden.
#define HLO_OP(stem, ...) \
  virtual absl::Status Handle##stem(HloInstructionPtr hlo) { return DefaultAction(hlo); }
#include "xla/hlo/ir/opcodes.def"

  // Before and after the function of each instruction.
  virtual absl::Status Preprocess(HloInstructionPtr) { return absl::OkStatus(); }
  virtual absl::Status Postprocess(HloInstructionPtr) { return absl::OkStatus(); }
  // After all instructions.
  virtual absl::Status FinishVisit(HloInstructionPtr) { return absl::OkStatus(); }

  absl::Status Visit(HloInstructionPtr hlo) {
    absl::Status status = Preprocess(hlo);
    if (!status.ok()) return status;
    switch (hlo->opcode()) {
#define HLO_OP(stem, ...)       \
  case HloOpcode::k##stem:      \
    status = Handle##stem(hlo); \
    break;
#include "xla/hlo/ir/opcodes.def"
    }
    return status.ok() ? Postprocess(hlo) : status;
  }

 protected:
  virtual absl::Status DefaultAction(HloInstructionPtr hlo) = 0;
};

using DfsHloVisitor = DfsHloVisitorBase<HloInstruction*>;
using ConstDfsHloVisitor = DfsHloVisitorBase<const HloInstruction*>;
using DfsHloVisitorWithDefault = DfsHloVisitor;
using ConstDfsHloVisitorWithDefault = ConstDfsHloVisitor;

template <typename HloInstructionPtr>
absl::Status HloComputation::Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor) const {
  const auto order = PostOrder();
  if (!order.ok()) return order.status();
  for (HloInstruction* instruction : *order) {
    absl::Status status = visitor->Visit(instruction);
    if (!status.ok()) return status;
  }
  return visitor->FinishVisit(root_instruction());
}

}  // namespace xla

#endif  // XLA_HLO_IR_DFS_HLO_VISITOR_H_
