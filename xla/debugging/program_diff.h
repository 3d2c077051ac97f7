// SPDX-License-Identifier: Apache-2.0
// What two programs have in common and what not, whatever their instructions are called and in
// which order they stand.
#ifndef XLA_DEBUGGING_PROGRAM_DIFF_H_
#define XLA_DEBUGGING_PROGRAM_DIFF_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Two instructions that take the same place in their programs but are not the same.
struct ChangedInstruction {
  const HloInstruction* first;
  const HloInstruction* second;
  bool shape = false, attributes = false, called = false;
  // Positions of operands that are not those of the first one.
  std::vector<int64_t> operands;
};

struct ProgramDiff {
  // Pairs that are the same: operation, shape, attributes and operands.
  int64_t matched = 0;
  std::vector<ChangedInstruction> changed;
  std::vector<const HloInstruction*> removed, added;  // in order of their programs

  bool IsEmpty() const { return changed.empty() && removed.empty() && added.empty(); }
};

// Matches instructions by what they are computed from, then by what is computed from them, then by
// their neighbors, names and sources. Computations are matched by their callers. Metadata and names
// are no difference; layouts are. Time is O(n log n). The modules must be verified, and outlive the
// result.
ProgramDiff DiffPrograms(const HloModule& first, const HloModule& second);

// "- x = ..." for what was removed, "+ x = ..." for what was added, and for what has changed the
// two lines with the reason.
std::string DiffToText(const ProgramDiff& diff);
// One page without references to other files.
std::string DiffToHtml(const ProgramDiff& diff, const std::string& first_name,
                       const std::string& second_name);

}  // namespace xla

#endif  // XLA_DEBUGGING_PROGRAM_DIFF_H_
