// SPDX-License-Identifier: Apache-2.0
// What sharding knows of StableHLO and HLO programs, for scripts to compare with Shardy:
//   sharding_driver relations [--conservative] FILE...
// prints the dimension relations of each instruction, as "computation instruction opcode: RULE";
//   sharding_driver propagate [--text] FILE
// propagates shardings and prints those of arguments ("arg0: ..."), results ("res0: ...") and of
// each result of instructions with a name as location ("v7.0: ..."), as Shardy writes them.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path, bool keeps_axes) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot read " + path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (stablehlo::LooksLikeMlir(text)) {
    return stablehlo::ReadStableHlo(std::move(text), path, {.keeps_axes = keeps_axes});
  }
  return ParseAndReturnUnverifiedModule(text);
}

absl::Status PrintRelations(const HloModule& module, const RelationOptions& options) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      XLA_ASSIGN_OR_RETURN(const auto relations, RelateDimensions(*instruction, options));
      const auto print = [&](const std::string& text) {
        std::printf("%s %s %s: %s\n",
                    computation->IsEntryComputation() ? "ENTRY" : computation->name().c_str(),
                    instruction->name().c_str(), HloOpcodeString(instruction->opcode()).c_str(),
                    text.c_str());
      };
      print(relations.has_value() ? relations->ToString() : "none");
      if (const auto match = MatchStretchingBroadcast(*instruction); match.has_value()) {
        print(match->relations.ToString());
      }
    }
  }
  return absl::OkStatus();
}

std::string AxesText(const std::vector<AxisRef>& axes, const Mesh& mesh) {
  return absl::StrJoin(axes, ", ", [&](std::string* out, const AxisRef& axis) {
    absl::StrAppend(out, "\"", mesh.axis_name(axis.mesh_axis_index()), "\"");
    if (axis.IsSubAxis()) absl::StrAppend(out, ":(", axis.pre_size(), ")", axis.size(mesh));
  });
}

std::string ShardingText(const NamedSharding& sharding) {
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

void PrintSharding(const std::string& name, const HloSharding& sharding, bool has_numbers) {
  std::vector<HloSharding> elements = sharding.tuple_elements();
  if (!sharding.IsTuple()) elements.push_back(sharding);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].UseNamedShardingLeaf()) continue;
    std::printf("%s%s: %s\n", name.c_str(), has_numbers ? absl::StrCat(i).c_str() : "",
                ShardingText(elements[i].named_sharding()).c_str());
  }
}

// A result of several arrays is an instruction and its elements, which all have the name.
bool IsNamed(const HloInstruction& instruction) {
  const std::string& name = instruction.metadata().op_name();
  return name.size() > 1 && name[0] == 'v' && std::isdigit(static_cast<unsigned char>(name[1])) &&
         instruction.opcode() != HloOpcode::kGetTupleElement &&
         instruction.opcode() != HloOpcode::kTuple;
}

absl::Status PrintPropagated(HloModule& module, bool prints_text) {
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings({}, &module));
  if (prints_text) {
    std::fputs(module.ToString().c_str(), stdout);
    return absl::OkStatus();
  }
  const HloComputation& entry = *module.entry_computation();
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    if (!parameter->has_sharding()) continue;
    PrintSharding(absl::StrCat("arg", parameter->parameter_number()), parameter->sharding(), false);
  }
  const HloInstruction* root = entry.root_instruction();
  if (root->has_sharding()) PrintSharding("res", root->sharding(), true);
  // Of what an operation became, the last one has its result; copies of constants have one name.
  std::map<std::string, std::vector<const HloInstruction*>> named;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (IsNamed(*instruction)) {
        named[std::string(instruction->metadata().op_name())].push_back(instruction);
      }
    }
  }
  for (const auto& [name, instructions] : named) {
    for (const HloInstruction* instruction : instructions) {
      if (instruction->opcode() != instructions.back()->opcode()) continue;
      if (!instruction->has_sharding()) {
        std::printf("%s.0: []\n", name.c_str());
        continue;
      }
      PrintSharding(name + ".", instruction->sharding(), true);
    }
  }
  return absl::OkStatus();
}

int Run(const std::vector<std::string>& words) {
  const bool propagates = !words.empty() && words[0] == "propagate";
  if (words.empty() || (words[0] != "relations" && !propagates)) {
    std::fputs("usage: sharding_driver relations|propagate [--conservative] FILE...\n", stderr);
    return 2;
  }
  RelationOptions options;
  bool prints_text = false;
  int code = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--conservative") {
      options.is_conservative = true;
      continue;
    }
    if (words[i] == "--text") {
      prints_text = true;
      continue;
    }
    const auto module = ReadModule(words[i], propagates);
    const absl::Status status = !module.ok() ? module.status()
                                : propagates ? PrintPropagated(**module, prints_text)
                                             : PrintRelations(**module, options);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", words[i].c_str(), std::string(status.message()).c_str());
    code = 1;
  }
  return code;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Run({argv + 1, argv + argc}); }
