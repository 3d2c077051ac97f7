// SPDX-License-Identifier: Apache-2.0
// Rewrites across the border of computations: instructions move into a computation of their own
// (fusion, outlining) or back (inlining), and signatures lose parameters and results.
//
// All of them preserve what the module computes and keep a schedule valid. Removed instructions
// live until HloModule::Cleanup, so pointers to them stay valid until then.
#ifndef XLA_HLO_IR_CALL_REWRITING_H_
#define XLA_HLO_IR_CALL_REWRITING_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// --- Out of a computation. The instructions must be of one computation, without parameters and
// duplicates, and no path may leave the set and enter it again (checked: that would be a cycle).
// Values that are used outside, or nowhere, become the results: one as it is, several as a tuple
// whose elements are taken apart again, in order of the set. Operands from outside become
// parameters in order of first use. Control dependencies inside the set stay there; others become
// those of the new instruction, which inherits metadata from the last of the set.

// Replaces the instructions by a fusion of that kind.
absl::StatusOr<HloInstruction*> FuseInstructions(absl::Span<HloInstruction* const> instructions,
                                                 FusionKind kind, std::string_view name = "fusion");
// Replaces the instructions by a call of a new computation.
absl::StatusOr<HloInstruction*> OutlineInstructions(absl::Span<HloInstruction* const> instructions,
                                                    std::string_view name = "outlined");

// Copies an operand of a fusion into its computation; the fusion takes the operands of the producer
// instead. The producer is removed if that was its last use. The producer may be a fusion itself,
// with one result. Fails where the fusion depends on the producer by another way as well.
absl::Status FuseProducerInto(HloInstruction* fusion, HloInstruction* producer);

// --- Into a computation.

// Replaces a call or fusion by the instructions of its computation, which stays for other callers.
// Returns what has taken the place of the result. `map`, if given, tells the copies.
absl::StatusOr<HloInstruction*> InlineCall(HloInstruction* call, CloneMap* map = nullptr);

// Inlines every call instruction (fusions, loops, conditionals and applied computations stay), and
// removes computations that are not called any more. Composite calls and calls into another
// execution thread are left alone, and those that `stays`, if given, is true of. Returns whether
// there was one. The result may be exponentially larger: stops with RESOURCE_EXHAUSTED beyond
// `max_instructions`.
absl::StatusOr<bool> InlineAllCalls(
    HloModule* module, int64_t max_instructions = int64_t{1} << 22,
    const std::function<bool(const HloInstruction& call)>& stays = nullptr);

// Copies computations until each is called from one place at most, so that what is done to one does
// not matter to other callers. Computations that are applied to elements (of reduce, sort, ...) are
// left shared. Returns whether there was something to copy; bounded as InlineAllCalls.
absl::StatusOr<bool> FlattenCalls(HloModule* module, int64_t max_instructions = int64_t{1} << 22);

// --- Signatures. Callers may be call, fusion, and (for parameters of their bodies) async-start;
// for others the first two are errors. Numbers are ascending.

// Removes parameters, which must have no users, and the operands of all callers.
absl::Status RemoveParameters(HloComputation* computation, absl::Span<const int64_t> numbers);
// Removes elements of the tuple that is the result, and renumbers get-tuple-element users of all
// callers; these must be the only users, and not of the elements removed.
absl::Status RemoveResults(HloComputation* computation, absl::Span<const int64_t> elements);
// Removes elements of a loop's state: of the initial tuple, of body and condition (copied first if
// they have other callers), and of the result. The elements must be used by nothing but the body's
// own way to pass them on.
absl::Status RemoveLoopState(HloInstruction* loop, absl::Span<const int64_t> elements);

}  // namespace xla

#endif  // XLA_HLO_IR_CALL_REWRITING_H_
