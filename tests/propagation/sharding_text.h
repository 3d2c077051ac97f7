// SPDX-License-Identifier: Apache-2.0
// The shardings of a module after propagation as text, by the names of arguments, results and
// locations.
#ifndef TESTS_PROPAGATION_SHARDING_TEXT_H_
#define TESTS_PROPAGATION_SHARDING_TEXT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/named_sharding.h"

namespace xla::testing {

inline std::string AxesText(const std::vector<AxisRef>& axes, const Mesh& mesh) {
  return absl::StrJoin(axes, ", ", [&](std::string* out, const AxisRef& axis) {
    absl::StrAppend(out, "\"", mesh.axis_name(axis.mesh_axis_index()), "\"");
    if (axis.IsSubAxis()) absl::StrAppend(out, ":(", axis.pre_size(), ")", axis.size(mesh));
  });
}

// As Shardy writes it, without the mesh: [{"a", ?}, {}], replicated={"b"}
inline std::string ShardyText(const NamedSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  std::string text = "[";
  for (const auto& dimension : sharding.dim_shardings()) {
    std::string axes = AxesText(dimension.axes(), mesh);
    if (!dimension.is_closed()) absl::StrAppend(&axes, axes.empty() ? "?" : ", ?");
    absl::StrAppend(&text, text.size() > 1 ? ", {" : "{", axes, "}");
  }
  text += "]";
  if (!sharding.replicated_axes().empty()) {
    absl::StrAppend(&text, ", replicated={", AxesText(sharding.replicated_axes(), mesh), "}");
  }
  if (!sharding.unreduced_axes().empty()) {
    absl::StrAppend(&text, ", unreduced={", AxesText(sharding.unreduced_axes(), mesh), "}");
  }
  return text;
}

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

inline void AddSharding(const std::string& name, const HloInstruction& instruction,
                        bool has_numbers, NamedTexts* texts) {
  if (!instruction.has_sharding()) {
    texts->emplace_back(name + (has_numbers ? "0" : ""), "none");
    return;
  }
  const HloSharding& sharding = instruction.sharding();
  std::vector<HloSharding> elements = sharding.tuple_elements();
  if (!sharding.IsTuple()) elements.push_back(sharding);
  for (size_t i = 0; i < elements.size(); ++i) {
    texts->emplace_back(
        has_numbers ? absl::StrCat(name, i) : name,
        elements[i].UseNamedShardingLeaf() ? ShardyText(elements[i].named_sharding()) : "none");
  }
}

// Control flow, besides which there are parts with the same name.
inline bool IsWhole(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
      return true;
    case HloOpcode::kCustomCall:
      return instruction.custom_call_target() == "SPMDShardToFullShape";
    default:
      return false;
  }
}

// Of arguments ("arg0"), results ("res0"), and instructions that have a location's name ("dot.0",
// "dot.1" for several results). Of what an operation became, the last instruction has its result;
// copies of constants have one name.
inline NamedTexts ShardingTexts(const HloModule& module) {
  NamedTexts texts;
  const HloComputation& entry = *module.entry_computation();
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    AddSharding(absl::StrCat("arg", parameter->parameter_number()), *parameter, false, &texts);
  }
  if (entry.root_instruction()->has_sharding()) {
    AddSharding("res", *entry.root_instruction(), true, &texts);
  }
  std::vector<const HloInstruction*> named;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!instruction->metadata().op_name().empty() &&
          instruction->opcode() != HloOpcode::kGetTupleElement &&
          instruction->opcode() != HloOpcode::kTuple) {
        named.push_back(instruction);
      }
    }
  }
  std::map<std::string, const HloInstruction*> last;
  for (const HloInstruction* instruction : named) {
    const HloInstruction*& other = last[std::string(instruction->metadata().op_name())];
    if (other == nullptr || !IsWhole(*other) || IsWhole(*instruction)) other = instruction;
  }
  std::map<std::string, size_t> numbers;  // of results of manual computations
  for (const HloInstruction* instruction : named) {
    const std::string name(instruction->metadata().op_name());
    if (instruction->opcode() != last[name]->opcode() ||
        IsWhole(*instruction) != IsWhole(*last[name])) {
      continue;
    }
    if (instruction->opcode() == HloOpcode::kCustomCall && IsWhole(*instruction)) {
      AddSharding(absl::StrCat(name, ".", numbers[name]++), *instruction, false, &texts);
    } else {
      AddSharding(name + ".", *instruction, true, &texts);
    }
  }
  return texts;
}

}  // namespace xla::testing

#endif  // TESTS_PROPAGATION_SHARDING_TEXT_H_
