// SPDX-License-Identifier: Apache-2.0
// Copies of instructions and computations, within a module or into another one, and the map from
// originals to copies.
//
//   CloneMap map;
//   HloComputation* copy = CloneComputation(body, module, &map, {.suffix = "peeled"});
//   HloInstruction* copied_root = map.Find(body.root_instruction());
#ifndef XLA_HLO_IR_CLONE_H_
#define XLA_HLO_IR_CLONE_H_

#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// What became of originals. Entries made by the caller before a copy is taken are replacements:
//   - an instruction that is mapped is not copied; its users get what it is mapped to (which must
//   be
//     in the new computation) as operand.
//   - a computation that is mapped is not copied; its callers call what it is mapped to.
struct CloneMap {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> instructions;
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations;

  // Null where there is no entry.
  HloInstruction* Find(const HloInstruction* original) const {
    const auto it = instructions.find(original);
    return it == instructions.end() ? nullptr : it->second;
  }
  HloComputation* Find(const HloComputation* original) const {
    const auto it = computations.find(original);
    return it == computations.end() ? nullptr : it->second;
  }
};

struct CloneOptions {
  // Appended to the names of computations and instructions: "body" becomes "body.peeled". Empty:
  // the same names where they are free in the target module, else with a number.
  std::string_view suffix = "";
  // Whether called computations that are not in the map are copied as well. Always the case when
  // the target is another module.
  bool clone_callees = false;
  // Keep the ids, and names even if they are duplicates: for an exact copy of a whole module.
  bool exact = false;
};

// A free copy of the instruction with other operands, and callees as the map has them (the same
// where it has none). The map gets an entry.
std::unique_ptr<HloInstruction> CloneInstruction(const HloInstruction& original, const Shape& shape,
                                                 absl::Span<HloInstruction* const> operands,
                                                 CloneMap* map);

// Adds a copy of the computation to the module: instructions in the same order, with control
// dependencies, execution thread and optional data. The map gets entries for all that is copied.
// Calls must be acyclic.
HloComputation* CloneComputation(const HloComputation& original, HloModule* target, CloneMap* map,
                                 const CloneOptions& options = {});

// Appends copies of the original's instructions, those in the map left out, to a computation that
// exists; operands are taken from the map. Returns the copy of the root. This is what inlining
// does: the caller maps parameters to arguments.
HloInstruction* CloneInstructionsInto(const HloComputation& original, HloComputation* target,
                                      CloneMap* map, const CloneOptions& options = {},
                                      HloInstruction* before = nullptr);

}  // namespace xla

#endif  // XLA_HLO_IR_CLONE_H_
