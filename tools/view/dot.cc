// SPDX-License-Identifier: Apache-2.0
#include "tools/view/dot.h"

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla {
namespace {

std::string DotText(std::string_view text) {
  constexpr size_t kMost = 200;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c == '\n' ? ' ' : c);
  }
  return text.size() > kMost ? absl::StrCat(out, "...") : out;
}

// Families of operations have the colors of `xylem view`.
const char* ColorOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
      return "#d5d9e0";
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
      return "#f4a98a";
    case HloOpcode::kFusion:
      return "#8fd3d1";
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCall:
    case HloOpcode::kCustomCall:
      return "#f0d58c";
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSort:
      return "#c9b6ec";
    default:
      return instruction.IsElementwise() ? "#a9cdf0" : "#b5dcc0";
  }
}

}  // namespace

std::string ModuleToDot(const HloModule& module) {
  absl::flat_hash_map<const HloInstruction*, int64_t> numbers;
  std::string out = absl::StrCat(
      "digraph \"", DotText(module.name()),
      "\" {\n  node [shape=box, style=\"rounded,filled\", fontname=monospace, fontsize=10];\n"
      "  edge [color=\"#667085\"];\n");
  std::string edges;
  int64_t cluster = 0;
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    absl::StrAppend(&out, "  subgraph cluster_", cluster++, " {\n    label=\"",
                    DotText(computation->name()), "\"; color=\"#98a2b3\"; fontname=monospace;\n");
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      const auto number = static_cast<int64_t>(numbers.size());
      numbers.emplace(instruction, number);
      absl::StrAppend(&out, "    n", number, " [label=\"", DotText(instruction->name()), "\\n",
                      View(HloOpcodeString(instruction->opcode())), "\\n",
                      DotText(instruction->shape().ToString()), "\", fillcolor=\"",
                      ColorOf(*instruction), "\"",
                      instruction == computation->root_instruction() ? ", penwidth=2" : "", "];\n");
      for (const HloInstruction* operand : instruction->operands())
        absl::StrAppend(&edges, "  n", numbers.at(operand), " -> n", number, ";\n");
      for (const HloComputation* called : instruction->called_computations()) {
        absl::StrAppend(&edges, "  n", numbers.at(called->root_instruction()), " -> n", number,
                        " [style=dashed, color=\"#b9770e\"];\n");
      }
    }
    absl::StrAppend(&out, "  }\n");
  }
  return absl::StrCat(out, edges, "}\n");
}

}  // namespace xla
