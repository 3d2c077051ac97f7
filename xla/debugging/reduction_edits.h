// SPDX-License-Identifier: Apache-2.0
// The edits of a reduction: each makes a program smaller, and perhaps another one.
#ifndef XLA_DEBUGGING_REDUCTION_EDITS_H_
#define XLA_DEBUGGING_REDUCTION_EDITS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/debugging/reduction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

enum class EditKind : uint8_t {
  kDropResults,   // elements of the tuple that is the result go
  kMoveRoot,      // an instruction of the entry becomes the result
  kCut,           // instructions of the entry become parameters
  kZero,          // instructions become zeros
  kOne,           // instructions become ones
  kOperand,       // an instruction becomes its operand number `argument`, of the same shape
  kInline,        // a call, fusion, loop (one trip) or branch number `argument` is inlined
  kShrink,        // the dimensions of a class get the size `argument`
  kDropDetails,   // metadata, attributes of frontends and backends, shardings
  kSplatConstant  // all elements of a constant become its first one
};
std::string_view EditKindName(EditKind kind);

// An instruction, by names that copies of a module share.
struct InstructionName {
  std::string computation, instruction;
};

struct Edit {
  EditKind kind = EditKind::kCut;
  std::vector<InstructionName> targets;  // of kDropResults none
  std::vector<int64_t> elements;         // kDropResults: those that stay; kShrink: leaf, dimension
  int64_t argument = 0;
};

// The edited program: without what is not needed any more, with the layouts that follow, verified.
// An error where the edit does not apply or makes an invalid program.
absl::StatusOr<ReducibleProgram> ApplyEdit(const ReducibleProgram& program, const Edit& edit);

// Instructions that an edit may be tried on, in an order in which the largest changes come first.
std::vector<InstructionName> EditTargets(const HloModule& module, EditKind kind);

// For each dimension that may get smaller, edits with smaller sizes; the smallest comes first.
// `elements` holds the leaf and the dimension of the target.
std::vector<Edit> ShrinkEdits(const HloModule& module);
// Gives all dimensions that belong together with the edit's one its new size, and adapts shapes,
// attributes, constants and arguments. The module may be invalid afterwards.
absl::Status ShrinkDimensions(const Edit& edit, ReducibleProgram& program);

}  // namespace xla

#endif  // XLA_DEBUGGING_REDUCTION_EDITS_H_
