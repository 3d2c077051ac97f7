// SPDX-License-Identifier: Apache-2.0
// xylem shard: how a program is partitioned, and what that communicates.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/spmd/insert_reshards.h"
#include "xla/spmd/machine_levels.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/propagation/explicit_reshards.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/spmd/report.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/state_reshards.h"
#include "xla/stablehlo/state_shardings.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

std::string Text(const spmd::CollectiveUse& use) {
  std::string line = absl::StrCat("  ", use.opcode, " ", use.name, " ", use.shape, " among ",
                                  use.devices, ": ", ReadableBytes(use.bytes), " for ", use.cause);
  if (!use.source.empty()) absl::StrAppend(&line, " (", use.source, ")");
  if (!use.computation.empty()) absl::StrAppend(&line, ", in ", use.computation);
  if (use.is_full_gather) absl::StrAppend(&line, ", which needs the full array");
  return line;
}

JsonObject Json(const spmd::CollectiveUse& use) {
  JsonObject json;
  json.String("name", use.name)
      .String("opcode", use.opcode)
      .String("shape", use.shape)
      .Integer("devices", use.devices)
      .Integer("bytes_received", use.bytes)
      .String("cause", use.cause)
      .String("source", use.source)
      .String("computation", use.computation)
      .Bool("full_gather", use.is_full_gather);
  return json;
}

JsonObject Json(const spmd::ValueSharding& value) {
  JsonObject json;
  json.String("name", value.name).String("shape", value.shape).String("sharding", value.sharding);
  return json;
}

template <typename Items>
std::vector<JsonObject> JsonOf(const Items& items) {
  std::vector<JsonObject> objects;
  for (const auto& item : items) objects.push_back(Json(item));
  return objects;
}

void PrintReport(const HloModule& module, const spmd::ProgramShardings& shardings,
                 const spmd::CommunicationReport& report, bool explain) {
  std::printf("%s on %lld partitions\n", module.name().c_str(),
              static_cast<long long>(module.config().num_partitions()));
  std::printf("shardings:\n");
  for (const spmd::ValueSharding& value : shardings.values) {
    if (!explain && !value.is_boundary) continue;
    std::printf("  %s %s %s\n", value.name.c_str(), value.shape.c_str(), value.sharding.c_str());
  }
  std::printf("collectives:%s\n", report.collectives.empty() ? " none" : "");
  for (const spmd::CollectiveUse& use : report.collectives) std::puts(Text(use).c_str());
  std::printf("each device receives %s\n", ReadableBytes(report.bytes).c_str());
}

// The program with the shardings of all its values, in the form in which it was given; after
// --stop-after=reshards with the reshards that operations need, too.
absl::StatusOr<std::string> PropagatedText(const Arguments& arguments) {
  const bool adds_reshards = arguments.Get("--stop-after") == "reshards";
  const std::string& path = arguments.operands()[0];
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  if (!IsStableHlo(bytes)) {
    XLA_ASSIGN_OR_RETURN(const auto module, LoadModuleFrom(path, bytes));
    XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(*module, arguments));
    module->config().set_num_partitions(grid.partitions);
    const bool is_named = spmd::HasNamedShardings(*module);
    XLA_RETURN_IF_ERROR(adds_reshards && is_named
                            ? propagation::PropagateShardings({}, module.get())
                            : spmd::PropagateModuleShardings(
                                  {is_named}, spmd::UnstatedOutputs(*module), module.get()));
    if (adds_reshards) XLA_RETURN_IF_ERROR(spmd::InsertExplicitReshards(module.get()).status());
    std::string out;
    XLA_RETURN_IF_ERROR(PrintModule(*module, HloPrintOptions(), &out));
    return out;
  }
  stablehlo::EntryArguments entry;
  entry.function = arguments.Get("--function");
  entry.shardy = stablehlo::ShardyForm::kAxes;
  XLA_ASSIGN_OR_RETURN(entry.mesh_axes, MeshAxesOf(arguments));
  const auto propagate = [&]() -> absl::StatusOr<std::string> {
    XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(bytes, DisplayName(path)));
    stablehlo::TranslatedValues values;
    std::vector<HloSharding> results;
    XLA_ASSIGN_OR_RETURN(const auto module,
                         stablehlo::TranslateToHlo(source.get(), entry, &values));
    XLA_RETURN_IF_ERROR(propagation::PropagateShardings({}, module.get(), &results));
    XLA_RETURN_IF_ERROR(stablehlo::ResizeMeshes(entry.mesh_axes, source.get()));
    XLA_RETURN_IF_ERROR(stablehlo::StateShardings(*module, values, results, source.get()));
    stablehlo::FinishPropagation(source.get());
    if (adds_reshards) {
      XLA_ASSIGN_OR_RETURN(const ModuleReshards reshards,
                           propagation::PlanExplicitReshards(*module));
      XLA_RETURN_IF_ERROR(
          stablehlo::StateReshards(*module, reshards, values, results, source.get()));
    }
    return CompleteText(stablehlo::PrettyText(*source->module));
  };
  absl::StatusOr<std::string> text = propagate();
  return text.ok() ? std::move(text) : AboutFile(path, Explained(bytes, text.status()));
}

absl::StatusOr<int> Shard(const Arguments& arguments) {
  const std::string output = arguments.Get("--output");
  if (arguments.Has("--stop-after")) {
    XLA_ASSIGN_OR_RETURN(const std::string text, PropagatedText(arguments));
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output", "-"), text));
    return kExitOk;
  }
  XLA_RETURN_IF_ERROR(CheckOutputName(output, "hlo"));
  XLA_ASSIGN_OR_RETURN(const ProgramFile file, LoadProgram(arguments.operands()[0], arguments));
  HloModule& module = *file.module;
  XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(module, arguments, spmd::kMaxDevices));
  if (!spmd::HasShardings(module) || grid.partitions < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayName(arguments.operands()[0]),
                     grid.partitions < 2 ? ": the program is for one partition; --partitions or "
                                           "--mesh says for how many it is"
                                         : ": nothing in the program has a sharding"));
  }
  module.config().set_num_partitions(grid.partitions);
  XLA_ASSIGN_OR_RETURN(
      const spmd::ProgramShardings shardings,
      spmd::PartitionModule(file.module.get(),
                            {.may_choose_output = spmd::UnstatedOutputs(module),
                             .may_choose_parameter = {spmd::HasNamedShardings(module)},
                             .collect_values = true}));
  XLA_RETURN_IF_ERROR(VerifyModule(module));
  if (arguments.Has("--output")) {
    std::string out;
    XLA_RETURN_IF_ERROR(PrintModule(module, HloPrintOptions(), &out));
    XLA_RETURN_IF_ERROR(WriteFile(output, out));
    if (output == "-") return kExitOk;
  }
  const spmd::CommunicationReport report = spmd::ReportCommunication(module);
  if (arguments.Has("--json")) {
    JsonObject json;
    json.String("name", module.name())
        .Integer("partitions", grid.partitions)
        .Objects("shardings", JsonOf(shardings.values))
        .Objects("collectives", JsonOf(report.collectives))
        .Integer("bytes_received", report.bytes);
    std::puts(json.ToString().c_str());
  } else {
    PrintReport(module, shardings, report, arguments.Has("--explain"));
  }
  return kExitOk;
}

}  // namespace

Command ShardCommand() {
  return {
      .name = "shard",
      .operands = "FILE",
      .summary = "show how a program with shardings is partitioned, and what that communicates",
      .details =
          "Partitions the program and prints the shardings of parameters and results, each "
          "collective\n"
          "with the bytes that a device receives, and the operation and source line that need it.\n"
          "What is gathered because an operation cannot work on shards says so. --explain adds "
          "the\n"
          "shardings of all values between. --mesh gives axes of the program's meshes other sizes, "
          "and\n"
          "--output writes the program of one partition. `xylem run` runs it.",
      .options = {MeshOption(),
                  {"--partitions",
                   "P",
                   "number of partitions; the default is what the module or its meshes say",
                   {},
                   IntegerRange{1, spmd::kMaxDevices}},
                  {"--explain", "", "print the sharding of every value"},
                  {"--stop-after",
                   "STEP",
                   "print the program after this step instead: propagation, with the shardings of "
                   "all values, or reshards, with those that operations need as well",
                   {"propagation", "reshards"}},
                  FunctionOption(),
                  {"--json", "", "print the report as JSON"},
                  {"--output", "FILE",
                   "write the program of one partition ('-': instead of the report)"}},
      .least_operands = 1,
      .most_operands = 1,
      .run = &Shard,
  };
}

}  // namespace xla
