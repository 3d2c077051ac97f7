// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/program_diff.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Instruction = const HloInstruction*;
using Instructions = std::vector<Instruction>;

size_t Combine(size_t a, size_t b) { return absl::HashOf(a, b); }

// Hashes of one program's instructions: alone, with all that they are computed from, and with all
// that is computed from them.
class Hashes {
 public:
  explicit Hashes(const HloModule& module) {
    for (const HloComputation* computation : module.MakeComputationPostOrder()) {
      const std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
      for (Instruction instruction : order) {
        size_t hash = absl::HashOf(static_cast<int>(instruction->opcode()), instruction->Hash());
        alone_[instruction] = hash;
        for (Instruction operand : instruction->operands()) hash = Combine(hash, down_[operand]);
        down_[instruction] = hash;
      }
      for (auto it = order.rbegin(); it != order.rend(); ++it) {
        // Users in any order: their hashes add up.
        size_t hash = 0;
        for (Instruction user : (*it)->users()) {
          for (int64_t i = 0; i < user->operand_count(); ++i) {
            if (user->operand(i) == *it)
              hash += absl::HashOf(up_[user], alone_[user], static_cast<size_t>(i));
          }
        }
        up_[*it] = absl::HashOf(static_cast<int>((*it)->opcode()), (*it)->IsRoot(), hash);
      }
    }
  }
  size_t alone(Instruction i) const { return alone_.at(i); }
  size_t down(Instruction i) const { return down_.at(i); }
  size_t up(Instruction i) const { return up_.at(i); }

 private:
  absl::flat_hash_map<Instruction, size_t> alone_, down_, up_;
};

class Matcher {
 public:
  Matcher(const HloModule& first, const HloModule& second)
      : first_(first), second_(second), of_first_(first), of_second_(second) {}

  ProgramDiff Run() {
    MatchComputations(first_.entry_computation(), second_.entry_computation());
    // What is called by instructions that match; callees are added on the way.
    for (size_t i = 0; i < pairs_.size(); ++i) MatchBodies(pairs_[i].first, pairs_[i].second);
    return Collect();
  }

 private:
  using Key = std::function<size_t(const Hashes&, Instruction)>;

  void MatchComputations(const HloComputation* first, const HloComputation* second) {
    const bool is_new_first = seen_first_.insert(first).second;
    const bool is_new_second = seen_second_.insert(second).second;
    if (is_new_first && is_new_second) pairs_.emplace_back(first, second);
  }

  bool Match(Instruction first, Instruction second) {
    if (first->opcode() != second->opcode() || partner_.contains(first) ||
        reverse_.contains(second)) {
      return false;
    }
    partner_[first] = second;
    reverse_[second] = first;
    fresh_.emplace_back(first, second);
    const auto& called = first->called_computations();
    const auto& others = second->called_computations();
    for (size_t i = 0; i < std::min(called.size(), others.size()); ++i)
      MatchComputations(called[i], others[i]);
    return true;
  }

  // Matches what has the same key: one by one, in order. `is_unique`: only keys that one
  // instruction on each side has.
  void MatchBy(const Instructions& first, const Instructions& second, const Key& key,
               bool is_unique) {
    std::map<size_t, std::pair<Instructions, Instructions>> groups;
    for (Instruction i : first) {
      if (!partner_.contains(i)) groups[key(of_first_, i)].first.push_back(i);
    }
    for (Instruction i : second) {
      if (!reverse_.contains(i)) groups[key(of_second_, i)].second.push_back(i);
    }
    for (const auto& [hash, group] : groups) {
      if (is_unique && (group.first.size() != 1 || group.second.size() != 1)) continue;
      for (size_t i = 0; i < std::min(group.first.size(), group.second.size()); ++i)
        Match(group.first[i], group.second[i]);
    }
  }

  // Neighbors of matched instructions, in the same place and with the same operation.
  void Spread() {
    while (!fresh_.empty()) {
      const auto [first, second] = fresh_.back();
      fresh_.pop_back();
      for (int64_t i = 0; i < std::min(first->operand_count(), second->operand_count()); ++i)
        Match(first->operand(i), second->operand(i));
      MatchUsers(*first, *second);
    }
  }

  // A user that is the only one of its operation.
  void MatchUsers(const HloInstruction& first, const HloInstruction& second) {
    if (first.user_count() > 8 || second.user_count() > 8) return;
    for (Instruction user : first.users()) {
      if (partner_.contains(user)) continue;
      std::optional<Instruction> other;
      int64_t count = 0;
      for (Instruction candidate : second.users()) {
        if (candidate->opcode() != user->opcode() || reverse_.contains(candidate)) continue;
        other = candidate;
        ++count;
      }
      if (count == 1) Match(user, *other);
    }
  }

  void MatchBodies(const HloComputation* first, const HloComputation* second) {
    const auto order_of = [](const HloComputation* computation) {
      const std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
      return Instructions(order.begin(), order.end());
    };
    const Instructions a = order_of(first), b = order_of(second);
    for (int64_t i = 0; i < std::min(first->num_parameters(), second->num_parameters()); ++i)
      Match(first->parameter_instruction(i), second->parameter_instruction(i));
    fresh_.clear();
    const Key both = [](const Hashes& of, Instruction i) { return Combine(of.down(i), of.up(i)); };
    MatchBy(a, b, both, false);
    MatchBy(
        a, b, [](const Hashes& of, Instruction i) { return of.down(i); }, false);
    MatchBy(
        a, b, [](const Hashes& of, Instruction i) { return of.up(i); }, true);
    Match(first->root_instruction(), second->root_instruction());
    Spread();
    const Key by_name = [](const Hashes&, Instruction i) {
      return absl::HashOf(static_cast<int>(i->opcode()), i->name());
    };
    const Key by_source = [](const Hashes&, Instruction i) {
      return absl::HashOf(static_cast<int>(i->opcode()), i->metadata().op_name(),
                          i->metadata().source_file(), i->metadata().source_line());
    };
    const Key by_kind = [](const Hashes& of, Instruction i) { return of.alone(i); };
    for (const Key& key : {by_name, by_source, by_kind}) {
      MatchBy(a, b, key, true);
      Spread();
    }
  }

  void Compare(Instruction first, Instruction second, ProgramDiff& diff) const {
    ChangedInstruction change{first, second, false, false, false, {}};
    change.shape = !ShapeUtil::Equal(first->shape(), second->shape());
    change.attributes = !(first->attributes() == second->attributes());
    const auto& called = first->called_computations();
    const auto& others = second->called_computations();
    change.called = called.size() != others.size();
    for (size_t i = 0; !change.called && i < called.size(); ++i)
      change.called = !called[i]->Equal(*others[i]);
    for (int64_t i = 0; i < std::max(first->operand_count(), second->operand_count()); ++i) {
      if (i < first->operand_count() && i < second->operand_count()) {
        const auto found = partner_.find(first->operand(i));
        if (found != partner_.end() && found->second == second->operand(i)) continue;
      }
      change.operands.push_back(i);
    }
    if (change.shape || change.attributes || change.called || !change.operands.empty() ||
        first->IsRoot() != second->IsRoot()) {
      diff.changed.push_back(std::move(change));
    } else {
      ++diff.matched;
    }
  }

  ProgramDiff Collect() const {
    ProgramDiff diff;
    // A computation that is called from several places is listed once.
    for (const HloComputation* computation : first_.MakeComputationPostOrder()) {
      for (Instruction i : computation->MakeInstructionPostOrder()) {
        const auto found = partner_.find(i);
        if (found == partner_.end()) {
          diff.removed.push_back(i);
        } else {
          Compare(i, found->second, diff);
        }
      }
    }
    for (const HloComputation* computation : second_.MakeComputationPostOrder()) {
      for (Instruction i : computation->MakeInstructionPostOrder()) {
        if (!reverse_.contains(i)) diff.added.push_back(i);
      }
    }
    return diff;
  }

  const HloModule& first_;
  const HloModule& second_;
  const Hashes of_first_, of_second_;
  absl::flat_hash_map<Instruction, Instruction> partner_, reverse_;
  std::vector<std::pair<Instruction, Instruction>> fresh_;
  absl::flat_hash_set<const HloComputation*> seen_first_, seen_second_;
  std::vector<std::pair<const HloComputation*, const HloComputation*>> pairs_;
};

std::string WhatChanged(const ChangedInstruction& change) {
  std::vector<std::string> parts;
  if (change.shape) parts.emplace_back("shape");
  if (change.attributes) parts.emplace_back("attributes");
  if (change.called) parts.emplace_back("called computation");
  if (!change.operands.empty()) {
    std::string list = change.operands.size() == 1 ? "operand" : "operands";
    for (const int64_t i : change.operands) absl::StrAppend(&list, " ", i);
    parts.push_back(std::move(list));
  }
  if (parts.empty()) return "root";
  std::string text;
  for (const std::string& part : parts) absl::StrAppend(&text, text.empty() ? "" : ", ", part);
  return text;
}

std::string Line(Instruction instruction) { return instruction->ToString(); }

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string Summary(const ProgramDiff& diff) {
  return absl::StrCat(diff.matched, " the same, ", diff.changed.size(), " changed, ",
                      diff.removed.size(), " removed, ", diff.added.size(), " added");
}

}  // namespace

ProgramDiff DiffPrograms(const HloModule& first, const HloModule& second) {
  return Matcher(first, second).Run();
}

std::string DiffToText(const ProgramDiff& diff) {
  std::string text = absl::StrCat(Summary(diff), "\n");
  for (const ChangedInstruction& change : diff.changed) {
    absl::StrAppend(&text, "\n~ ", WhatChanged(change), "\n- ", Line(change.first), "\n+ ",
                    Line(change.second), "\n");
  }
  if (!diff.removed.empty()) absl::StrAppend(&text, "\n");
  for (Instruction i : diff.removed) absl::StrAppend(&text, "- ", Line(i), "\n");
  if (!diff.added.empty()) absl::StrAppend(&text, "\n");
  for (Instruction i : diff.added) absl::StrAppend(&text, "+ ", Line(i), "\n");
  return text;
}

std::string DiffToHtml(const ProgramDiff& diff, const std::string& first_name,
                       const std::string& second_name) {
  std::string page = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>",
      Escaped(first_name), " and ", Escaped(second_name),
      "</title>\n<style>\n:root{color-scheme:light dark}\n"
      "body{font-family:system-ui,sans-serif;margin:2em;max-width:120em}\n"
      "table{border-collapse:collapse;width:100%;table-layout:fixed}\n"
      "td,th{text-align:left;vertical-align:top;padding:.3em .6em;border-bottom:1px solid #8884;"
      "overflow-wrap:anywhere}\n"
      "td{font-family:ui-monospace,monospace;font-size:.85em}\n"
      "th:first-child,td:first-child{width:12em}\n"
      ".removed{background:#f002}.added{background:#0a02}\n</style></head><body>\n<main>\n<h1>",
      Escaped(first_name), " and ", Escaped(second_name), "</h1>\n<p>", Summary(diff),
      "</p>\n<table><thead><tr><th scope=\"col\">change</th><th scope=\"col\">",
      Escaped(first_name), "</th><th scope=\"col\">", Escaped(second_name),
      "</th></tr></thead><tbody>\n");
  const auto row = [&page](const std::string& what, Instruction first, Instruction second) {
    absl::StrAppend(&page, "<tr><td>", Escaped(what), "</td><td",
                    first != nullptr ? " class=\"removed\">" : ">",
                    first != nullptr ? Escaped(Line(first)) : "", "</td><td",
                    second != nullptr ? " class=\"added\">" : ">",
                    second != nullptr ? Escaped(Line(second)) : "", "</td></tr>\n");
  };
  for (const ChangedInstruction& change : diff.changed)
    row(WhatChanged(change), change.first, change.second);
  for (Instruction i : diff.removed) row("removed", i, nullptr);
  for (Instruction i : diff.added) row("added", nullptr, i);
  absl::StrAppend(&page, "</tbody></table>\n</main></body></html>\n");
  return page;
}

}  // namespace xla
