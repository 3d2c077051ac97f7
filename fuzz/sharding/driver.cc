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
//   sharding_driver values FILE
// partitions the program and compares what it computes, bit by bit, with the undivided one.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tests/propagation/sharding_text.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/spmd/shard_literals.h"
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

// Small integers of both signs.
absl::StatusOr<Literal> Argument(const Shape& shape, int64_t number) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < ShapeUtil::ElementsIn(shape); ++i) {
    values.push_back(static_cast<int32_t>((7 * i + 11 * number + i * i / 3) % 23 - 5));
  }
  XLA_ASSIGN_OR_RETURN(Literal shaped,
                       LiteralUtil::CreateR1<int32_t>(values).Reshape(shape.dimensions()));
  return shaped.Convert(shape.element_type());
}

using Pointers = std::vector<const Literal*>;

absl::StatusOr<Literal> RunUndivided(const HloModule& module, const Pointers& arguments) {
  const std::unique_ptr<HloModule> plain = module.Clone();
  XLA_RETURN_IF_ERROR(spmd::RemoveAnnotations(plain.get()));
  plain->config().set_num_partitions(1);
  XLA_ASSIGN_OR_RETURN(std::vector<Literal> results,
                       InterpretReplicated(*plain, 1, 1, {{arguments}}, {}));
  return std::move(results[0]);
}

absl::StatusOr<Literal> RunPartitioned(const HloModule& module, const Pointers& arguments) {
  const std::unique_ptr<HloModule> local = module.Clone();
  const int64_t partitions = spmd::CountShardedDevices(module);
  local->config().set_num_partitions(partitions);
  local->config().set_use_shardy_partitioner(true);
  XLA_ASSIGN_OR_RETURN(
      const spmd::ProgramShardings shardings,
      spmd::PartitionModule(local.get(), {.may_choose_output = spmd::UnstatedOutputs(*local),
                                          .may_choose_parameter = {true},
                                          .complete_outputs = true}));
  XLA_RETURN_IF_ERROR(VerifyModule(*local));
  std::vector<std::vector<Literal>> shards(static_cast<size_t>(partitions));
  std::vector<Pointers> pointers;
  for (int64_t p = 0; p < partitions; ++p) {
    std::vector<Literal>& own = shards[static_cast<size_t>(p)];
    for (size_t i = 0; i < arguments.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          Literal shard,
          spmd::ShardOfLiteral(*arguments[i], shardings.parameters[i], p, partitions));
      own.push_back(std::move(shard));
    }
    Pointers& of_device = pointers.emplace_back();
    for (const Literal& shard : own) of_device.push_back(&shard);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                       InterpretReplicated(*local, 1, partitions, pointers, {}));
  return spmd::FullResult(results, shardings.outputs,
                          module.entry_computation()->root_instruction()->shape());
}

absl::Status CompareValues(const HloModule& module) {
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    XLA_ASSIGN_OR_RETURN(Literal argument,
                         Argument(parameter->shape(), parameter->parameter_number()));
    arguments.push_back(std::move(argument));
  }
  Pointers pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  const absl::StatusOr<Literal> expected = RunUndivided(module, pointers);
  if (!expected.ok()) {
    std::printf("undecided: %s\n", std::string(expected.status().message()).c_str());
    return absl::OkStatus();
  }
  if (spmd::CountShardedDevices(module) < 2) {
    std::puts("undecided: of one device");
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const Literal computed, RunPartitioned(module, pointers));
  if (computed == *expected) {
    std::puts("equal");
    return absl::OkStatus();
  }
  std::printf("differs:\n  partitioned %s\n  undivided   %s\n", computed.ToString().c_str(),
              expected->ToString().c_str());
  return absl::OkStatus();
}

absl::Status PrintStated(const std::string& path, const std::string& pass,
                         const std::string& function, bool is_conservative) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(std::move(text), path));
  stablehlo::TranslatedValues values;
  std::vector<HloSharding> results;
  stablehlo::EntryArguments entry;
  entry.function = function;
  entry.shardy = stablehlo::ShardyForm::kAxes;
  XLA_ASSIGN_OR_RETURN(const auto module, stablehlo::TranslateToHlo(source.get(), entry, &values));
  propagation::PropagationOptions options;
  options.is_conservative = is_conservative;
  if (pass != "pipeline") {
    options.exports = options.splits_constants = false;
    options.uses_user_priorities = pass == "user-priority";
    options.uses_rounds = pass == "op-priority" || pass == "user-priority";
    options.uses_aggressive = pass != "basic";
    options.uses_basic = pass == "basic";
  }
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings(options, module.get(), &results));
  XLA_RETURN_IF_ERROR(
      stablehlo::StateShardings(*module, values, results, source.get(), options.exports));
  if (pass == "pipeline") stablehlo::FinishPropagation(source.get());
  std::fputs(stablehlo::PrettyText(*source->module).c_str(), stdout);
  return absl::OkStatus();
}

int Run(const std::vector<std::string>& words) {
  const bool propagates = !words.empty() && words[0] == "propagate";
  const bool compares = !words.empty() && words[0] == "values";
  const bool states = !words.empty() && words[0] == "state";
  if (words.empty() || (words[0] != "relations" && !propagates && !compares && !states)) {
    std::fputs("usage: sharding_driver relations|propagate|state|values [--conservative] FILE...\n",
               stderr);
    return 2;
  }
  RelationOptions options;
  bool prints_text = false;
  std::string pass = "pipeline", function;
  int code = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--conservative") {
      options.is_conservative = true;
      continue;
    }
    if (absl::StartsWith(words[i], "--pass=")) {
      pass = words[i].substr(7);
      continue;
    }
    if (absl::StartsWith(words[i], "--function=")) {
      function = words[i].substr(11);
      continue;
    }
    if (words[i] == "--text") {
      prints_text = true;
      continue;
    }
    if (states) {
      const absl::Status status = PrintStated(words[i], pass, function, options.is_conservative);
      if (status.ok()) continue;
      std::fprintf(stderr, "%s: %s\n", words[i].c_str(), std::string(status.message()).c_str());
      code = 1;
      continue;
    }
    const auto module =
        ReadModule(words[i], propagates || compares ? stablehlo::ShardyForm::kAxes
                                                    : stablehlo::ShardyForm::kTiles);
    const absl::Status status = !module.ok() ? module.status()
                                : propagates ? PrintPropagated(**module, prints_text)
                                : compares   ? CompareValues(**module)
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
