// SPDX-License-Identifier: Apache-2.0
// What sharding knows of StableHLO and HLO programs, for scripts to compare with Shardy:
//   sharding_driver relations [--conservative] FILE...
// prints the dimension relations of each instruction, as "computation instruction opcode: RULE";
//   sharding_driver propagate [--text] FILE
// propagates shardings and prints those of arguments ("arg0: ..."), results ("res0: ...") and of
// each result of instructions with a name as location ("v7.0: ..."), as Shardy writes them;
//   sharding_driver state [--pass=PASS] [--function=NAME] FILE
// prints StableHLO with the shardings that a pass of Shardy's name gives it: basic, aggressive,
// op-priority, user-priority, or the whole pipeline;
//   sharding_driver values [--tiles] [--wraps] [--undivided=FILE] FILE
// partitions the program and compares what it computes with the undivided one, or with the program
// that is named instead; --wraps: most operations are in fusions and asynchronous (values.h).
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "fuzz/sharding/values.h"
#include "tests/propagation/sharding_text.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/state_shardings.h"
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

struct Options {
  bool is_conservative = false, prints_text = false, has_tiles = false, wraps = false;
  std::string pass = "pipeline", function, undivided;
};

// Whether the word is an option.
bool ReadOption(const std::string& word, Options* options) {
  const std::pair<const char*, bool*> flags[] = {{"--conservative", &options->is_conservative},
                                                 {"--text", &options->prints_text},
                                                 {"--tiles", &options->has_tiles},
                                                 {"--wraps", &options->wraps}};
  for (const auto& [name, flag] : flags) {
    if (word != name) continue;
    *flag = true;
    return true;
  }
  const std::pair<const char*, std::string*> texts[] = {{"--pass=", &options->pass},
                                                        {"--function=", &options->function},
                                                        {"--undivided=", &options->undivided}};
  for (const auto& [name, text] : texts) {
    if (!absl::StartsWith(word, name)) continue;
    *text = word.substr(std::strlen(name));
    return true;
  }
  return false;
}

absl::Status PrintStated(const std::string& path, const Options& given) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(std::move(text), path));
  stablehlo::TranslatedValues values;
  std::vector<HloSharding> results;
  stablehlo::EntryArguments entry;
  entry.function = given.function;
  entry.shardy = stablehlo::ShardyForm::kAxes;
  XLA_ASSIGN_OR_RETURN(const auto module, stablehlo::TranslateToHlo(source.get(), entry, &values));
  propagation::PropagationOptions options;
  options.is_conservative = given.is_conservative;
  if (given.pass != "pipeline") {
    options.exports = options.splits_constants = false;
    options.uses_user_priorities = given.pass == "user-priority";
    options.uses_rounds = given.pass == "op-priority" || given.pass == "user-priority";
    options.uses_aggressive = given.pass != "basic";
    options.uses_basic = given.pass == "basic";
  }
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings(options, module.get(), &results));
  XLA_RETURN_IF_ERROR(
      stablehlo::StateShardings(*module, values, results, source.get(), options.exports));
  if (given.pass == "pipeline") stablehlo::FinishPropagation(source.get());
  std::fputs(stablehlo::PrettyText(*source->module).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status CompareWith(const Options& options, stablehlo::ShardyForm form, HloModule* module) {
  if (options.wraps) XLA_RETURN_IF_ERROR(testing::WrapOperations(module));
  if (options.undivided.empty()) {
    return testing::CompareValues(*module, *module, !options.has_tiles);
  }
  XLA_ASSIGN_OR_RETURN(const auto undivided, ReadModule(options.undivided, form));
  return testing::CompareValues(*module, *undivided, !options.has_tiles);
}

absl::Status RunOn(const std::string& path, const std::string& command, const Options& options) {
  if (command == "state") return PrintStated(path, options);
  const bool compares = command == "values", propagates = command == "propagate";
  const auto form = propagates || (compares && !options.has_tiles) ? stablehlo::ShardyForm::kAxes
                                                                   : stablehlo::ShardyForm::kTiles;
  XLA_ASSIGN_OR_RETURN(const auto module, ReadModule(path, form));
  if (compares) return CompareWith(options, form, module.get());
  if (propagates) return PrintPropagated(*module, options.prints_text);
  RelationOptions relations;
  relations.is_conservative = options.is_conservative;
  return PrintRelations(*module, relations);
}

int Run(const std::vector<std::string>& words) {
  const std::vector<std::string> commands = {"relations", "propagate", "state", "values"};
  if (words.empty() || !absl::c_linear_search(commands, words[0])) {
    std::fputs("usage: sharding_driver relations|propagate|state|values [OPTION...] FILE...\n",
               stderr);
    return 2;
  }
  Options options;
  int code = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    if (ReadOption(words[i], &options)) continue;
    const absl::Status status = RunOn(words[i], words[0], options);
    if (status.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", words[i].c_str(), std::string(status.message()).c_str());
    code = 1;
  }
  return code;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Run({argv + 1, argv + argc}); }
