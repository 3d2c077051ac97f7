// SPDX-License-Identifier: Apache-2.0
// What sharding knows of StableHLO and HLO programs, for scripts to compare with Shardy:
//   sharding_driver relations [--conservative] FILE...
// prints the dimension relations of each instruction, as "computation instruction opcode: RULE";
//   sharding_driver propagate [--text] FILE
// propagates shardings and prints those of arguments ("arg0: ..."), results ("res0: ...") and of
// each result of instructions with a name as location ("v7.0: ..."), as Shardy writes them.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/propagation/sharding_text.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path,
                                                      stablehlo::ShardyForm shardy) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot read " + path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (stablehlo::LooksLikeMlir(text)) {
    return stablehlo::ReadStableHlo(std::move(text), path, {.shardy = shardy});
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

absl::Status PrintPropagated(HloModule& module, bool prints_text) {
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings({}, &module));
  if (prints_text) {
    std::fputs(module.ToString().c_str(), stdout);
    return absl::OkStatus();
  }
  for (const auto& [name, text] : testing::ShardingTexts(module)) {
    std::printf("%s: %s\n", name.c_str(), text == "none" ? "[]" : text.c_str());
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
    const auto module = ReadModule(
        words[i], propagates ? stablehlo::ShardyForm::kAxes : stablehlo::ShardyForm::kTiles);
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
