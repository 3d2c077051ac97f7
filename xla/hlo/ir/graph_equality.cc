// SPDX-License-Identifier: Apache-2.0
// Equality and hash of computations as graphs: names, ids and instruction order do not count.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hasher.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/ir_internal.h"
#include "xla/util.h"

namespace xla::ir_internal {
namespace {

using Hashes = absl::flat_hash_map<const HloInstruction*, uint64_t>;

// Hashes of instructions with all that they depend on; callees come from `callee_hashes`, where
// known.
Hashes StructuralHashes(const HloComputation& computation,
                        const absl::flat_hash_map<const HloComputation*, uint64_t>& callee_hashes) {
  Hashes hashes;
  const absl::StatusOr<std::vector<HloInstruction*>> order = computation.PostOrder();
  // With a cycle there is no order; each instruction then stands for itself.
  const std::vector<HloInstruction*> instructions =
      order.ok() ? *order : computation.instructions();
  hashes.reserve(instructions.size());
  for (const HloInstruction* instruction : instructions) {
    Hasher hasher(instruction->Hash());
    if (order.ok()) {
      for (const HloInstruction* operand : instruction->operands()) hasher.Add(hashes[operand]);
      for (const HloInstruction* predecessor : instruction->control_predecessors())
        hasher.Add(~hashes[predecessor]);
    }
    for (const HloComputation* callee : instruction->called_computations()) {
      auto it = callee_hashes.find(callee);
      hasher.Add(it == callee_hashes.end() ? 0 : it->second);
    }
    hashes[instruction] = hasher.result();
  }
  return hashes;
}

// Matches the instructions of two computations one to one.
class ComputationMatcher {
 public:
  ComputationMatcher(const HloComputation& a, const HloComputation& b, bool layout_sensitive)
      : a_(a), b_(b), layout_sensitive_(layout_sensitive) {}

  // Pairs of computations that must be equal as well go to *callees.
  absl::Status Match(std::vector<ComputationPair>* callees) {
    callees_ = callees;
    if (a_.instruction_count() != b_.instruction_count()) {
      return Different(a_.instruction_count(), " and ", b_.instruction_count(), " instructions");
    }
    if (a_.execution_thread() != b_.execution_thread()) {
      return Different("execution threads \"", a_.execution_thread(), "\" and \"",
                       b_.execution_thread(), "\"");
    }
    if (a_.num_parameters() != b_.num_parameters()) {
      return Different(a_.num_parameters(), " and ", b_.num_parameters(), " parameters");
    }
    matches_.reserve(a_.instruction_count());
    reverse_.reserve(a_.instruction_count());

    if ((a_.root_instruction() == nullptr) != (b_.root_instruction() == nullptr))
      return Different("one has no root");
    if (a_.root_instruction() != nullptr) {
      XLA_RETURN_IF_ERROR(MatchFrom(a_.root_instruction(), b_.root_instruction()));
    }
    for (int64_t i = 0; i < a_.num_parameters(); ++i) {
      const HloInstruction* x = a_.parameter_instruction(i);
      const HloInstruction* y = b_.parameter_instruction(i);
      if ((x == nullptr) != (y == nullptr)) return Different("parameter ", i, " is missing in one");
      if (x != nullptr) XLA_RETURN_IF_ERROR(MatchFrom(x, y));
    }
    if (IsScheduled(a_) && IsScheduled(b_))
      return MatchInOrder(a_.instructions(), b_.instructions());
    if (IsComplete()) return absl::OkStatus();
    return MatchUnreached();
  }

 private:
  // Whether the order of instructions means something.
  static bool IsScheduled(const HloComputation& computation) {
    return computation.parent()->config().is_scheduled && !computation.IsFusionComputation();
  }

  bool IsComplete() const {
    return static_cast<int64_t>(matches_.size()) == a_.instruction_count();
  }

  absl::Status MatchInOrder(const std::vector<HloInstruction*>& a,
                            const std::vector<HloInstruction*>& b) {
    for (size_t i = 0; i < a.size(); ++i) XLA_RETURN_IF_ERROR(MatchFrom(a[i], b[i]));
    return absl::OkStatus();
  }

  // Instructions without users first; what is left then is part of cycles.
  absl::Status MatchUnreached() {
    std::vector<HloInstruction*> ends_a = UnmatchedEnds(a_, matches_);
    std::vector<HloInstruction*> ends_b = UnmatchedEnds(b_, reverse_);
    if (ends_a.size() != ends_b.size()) {
      return Different(ends_a.size(), " and ", ends_b.size(),
                       " instructions without users beside the root");
    }
    XLA_RETURN_IF_ERROR(MatchInOrder(ends_a, ends_b));
    if (IsComplete()) return absl::OkStatus();
    return MatchInOrder(Unmatched(a_, matches_), Unmatched(b_, reverse_));
  }

  template <typename Map>
  static std::vector<HloInstruction*> Unmatched(const HloComputation& computation,
                                                const Map& matched) {
    std::vector<HloInstruction*> result;
    for (HloInstruction* instruction : computation.instructions()) {
      if (!matched.contains(instruction)) result.push_back(instruction);
    }
    return result;
  }

  // Sorted by structure.
  template <typename Map>
  static std::vector<HloInstruction*> UnmatchedEnds(const HloComputation& computation,
                                                    const Map& matched) {
    const Hashes hashes = StructuralHashes(computation, {});
    std::vector<HloInstruction*> ends;
    for (HloInstruction* instruction : Unmatched(computation, matched)) {
      if (instruction->user_count() == 0) ends.push_back(instruction);
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [&](const HloInstruction* x, const HloInstruction* y) {
                       return hashes.at(x) < hashes.at(y);
                     });
    return ends;
  }

  // Matches x with y and, along operands and control predecessors, what they depend on.
  absl::Status MatchFrom(const HloInstruction* x, const HloInstruction* y) {
    XLA_RETURN_IF_ERROR(Pair(x, y));
    while (!pending_.empty()) {
      std::tie(x, y) = pending_.back();
      pending_.pop_back();
      for (int64_t i = 0; i < x->operand_count(); ++i)
        XLA_RETURN_IF_ERROR(Pair(x->operand(i), y->operand(i)));
      for (size_t i = 0; i < x->control_predecessors().size(); ++i) {
        XLA_RETURN_IF_ERROR(Pair(x->control_predecessors()[i], y->control_predecessors()[i]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Pair(const HloInstruction* x, const HloInstruction* y) {
    auto [match, is_new] = matches_.emplace(x, y);
    if (!is_new) return match->second == y ? absl::OkStatus() : Different(*x, *y);
    if (!reverse_.emplace(y, x).second) return Different(*x, *y);
    if (!LocallyEqual(*x, *y, layout_sensitive_) || x->IsRoot() != y->IsRoot() ||
        x->control_predecessors().size() != y->control_predecessors().size()) {
      return Different(*x, *y);
    }
    for (size_t i = 0; i < x->called_computations().size(); ++i) {
      callees_->emplace_back(x->called_computations()[i], y->called_computations()[i]);
    }
    pending_.emplace_back(x, y);
    return absl::OkStatus();
  }

  template <typename... Parts>
  absl::Status Different(const Parts&... parts) const {
    return InvalidArgumentStrCat("computations ", a_.name(), " and ", b_.name(),
                                 " differ: ", parts...);
  }
  absl::Status Different(const HloInstruction& x, const HloInstruction& y) const {
    std::string why;
    if (x.ToShortString() == y.ToShortString()) why = " (in attributes, layout, users or position)";
    return Different("`", x.ToShortString(), "` stands where the other has `", y.ToShortString(),
                     "`", why);
  }

  const HloComputation& a_;
  const HloComputation& b_;
  const bool layout_sensitive_;
  std::vector<ComputationPair>* callees_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> matches_, reverse_;
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> pending_;
};

// Classes of computations that are equal if all comparisons made so far succeed (Hopcroft and
// Karp's way to compare automata): a pair of one class need not be compared, so that there are
// fewer comparisons than computations.
class EqualClasses {
 public:
  // False if the two are of one class already.
  bool Unite(const HloComputation* a, const HloComputation* b) {
    const HloComputation* x = Find(a);
    const HloComputation* y = Find(b);
    if (x == y) return false;
    parents_[x] = y;
    return true;
  }

 private:
  const HloComputation* Find(const HloComputation* x) {
    while (true) {
      const HloComputation*& parent = parents_.emplace(x, x).first->second;
      if (parent == x) return x;
      const HloComputation* grandparent = parents_[parent];
      parents_[x] = grandparent;
      x = grandparent;
    }
  }

  absl::flat_hash_map<const HloComputation*, const HloComputation*> parents_;
};

}  // namespace

absl::Status CheckComputationsEqual(std::vector<ComputationPair> pending, bool layout_sensitive) {
  EqualClasses classes;
  std::reverse(pending.begin(), pending.end());
  while (!pending.empty()) {
    const auto [x, y] = pending.back();
    pending.pop_back();
    if (!classes.Unite(x, y)) continue;
    XLA_RETURN_IF_ERROR(ComputationMatcher(*x, *y, layout_sensitive).Match(&pending));
  }
  return absl::OkStatus();
}

size_t HashOfComputations(absl::Span<HloComputation* const> roots) {
  const absl::StatusOr<std::vector<HloComputation*>> order = CallPostOrder(roots);
  // Computations that call themselves are compared, but not hashed.
  if (!order.ok()) return 0;
  absl::flat_hash_map<const HloComputation*, uint64_t> hashes;
  for (const HloComputation* computation : *order) {
    const Hashes instruction_hashes = StructuralHashes(*computation, hashes);
    Hasher hasher;
    hasher.Add(computation->instruction_count());
    // A sum: the order of instructions does not count.
    uint64_t sum = 0;
    for (const HloInstruction* instruction : computation->instructions()) {
      sum += Hasher::Mix(instruction_hashes.at(instruction));
    }
    hasher.Add(sum);
    if (computation->root_instruction() != nullptr)
      hasher.Add(instruction_hashes.at(computation->root_instruction()));
    hashes[computation] = hasher.result();
  }
  Hasher hasher;
  for (const HloComputation* root : roots) hasher.Add(hashes[root]);
  return hasher.result();
}

}  // namespace xla::ir_internal
