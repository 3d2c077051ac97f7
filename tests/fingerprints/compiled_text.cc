// SPDX-License-Identifier: Apache-2.0
#include "tests/fingerprints/compiled_text.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/fingerprints/fingerprint.h"
#include "tests/fingerprints/llvm_text.h"
#include "xla/base/instruction_set.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/lower/lower_program.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/check_lowering.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/passes/pass.h"

namespace xla::testing {
namespace {

bool IsSpecified(const Pass& pass) {
  return pass.name == "expand-custom-calls" || pass.name == "expand-sparse-convolutions" ||
         pass.name == "forget-original-shapes" || pass.name == "resolve-dynamic-sizes";
}

void AddItems(const cpu::ProgramSchedule& schedule, const std::vector<cpu::ScheduledItem>& items,
              const std::string& indent, std::string* text) {
  for (const cpu::ScheduledItem& item : items) {
    absl::StrAppend(text, indent);
    const auto add = [&](cpu::ValueId id) {
      if (id == cpu::kNoValue) {
        absl::StrAppend(text, " token");
        return;
      }
      const cpu::BufferSlice& slice = schedule.values[static_cast<size_t>(id)].slice;
      absl::StrAppend(text, " ", std::string("sarc").substr(static_cast<size_t>(slice.memory), 1),
                      slice.number, "+", slice.offset);
    };
    for (const cpu::ValueId id : item.results) add(id);
    if (item.instruction == nullptr) {
      absl::StrAppend(text, " = copy");
    } else {
      absl::StrAppend(text, " = ", std::string(HloOpcodeString(item.instruction->opcode())), " ",
                      item.instruction->shape().ToString());
      if (item.instruction->opcode() == HloOpcode::kFusion) {
        absl::StrAppend(text, " of ",
                        item.instruction->called_computations()[0]->instruction_count());
      }
    }
    for (const cpu::ValueId id : item.operands) add(id);
    absl::StrAppend(text, "\n");
    for (const auto& body : item.bodies) AddItems(schedule, body, indent + "  ", text);
  }
}

// An error of the compiler itself rather than of the program.
absl::Status Internal(const absl::Status& status) {
  return status.ok() ? status : absl::InternalError(status.message());
}

}  // namespace

std::string TextOf(const HloModule& module) {
  HloPrintOptions options = HloPrintOptions::ShortParsable();
  options.print_large_constants = true;
  return ModuleToString(module, options);
}

std::string AfterEachPass(const HloModule& module) {
  std::string line;
  const std::string before = TextOf(module);
  for (const Pass& pass : AllPasses()) {
    if (IsSpecified(pass)) continue;
    const auto copy = module.Clone();
    const absl::StatusOr<bool> changed = pass.run(copy.get());
    if (!changed.ok()) {
      absl::StrAppend(&line, " ", std::string(pass.name), ": ",
                      OneLine(changed.status().message(), 80));
    } else if (const std::string after = TextOf(*copy); *changed || after != before) {
      absl::StrAppend(&line, " ", std::string(pass.name), *changed ? " " : " (unchanged) ",
                      Fingerprint(after));
    }
  }
  return line;
}

const std::vector<cpu::Target>& Targets() {
  static const auto* const targets =
      new std::vector<cpu::Target>{{"x86_64", "", "", MachineWith(InstructionSet::kAvx512)},
                                   {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)},
                                   {"x86_64", "", "", MachineWith(InstructionSet::kSse42)}};
  return *targets;
}

absl::StatusOr<CompiledText> Compile(const HloModule& source,
                                     absl::Span<const cpu::Target> targets) {
  const auto module = source.Clone();
  CpuCompileOptions options;
  options.check_work = true;
  // Kernels keep their numbers; lowerings depend on the target.
  options.pipeline.disabled = {"make-constants-operands", "assign-lowering"};
  XLA_RETURN_IF_ERROR(RunCpuPipeline(module.get(), options));
  CompiledText text;
  text.hlo = TextOf(*module);
  XLA_RETURN_IF_ERROR(Internal(cpu::AssignLowering(module.get(), Targets()[0]).status()));
  XLA_RETURN_IF_ERROR(Internal(cpu::CheckLowering(*module)));
  XLA_ASSIGN_OR_RETURN(const cpu::ProgramSchedule schedule, cpu::ScheduleProgram(*module));
  XLA_RETURN_IF_ERROR(Internal(VerifyModule(*module)));
  AddItems(schedule, schedule.items, "", &text.steps);
  absl::StrAppend(&text.steps, "scratch ", schedule.scratch_bytes, "\n");
  for (const cpu::Target& target : targets) {
    XLA_RETURN_IF_ERROR(Internal(cpu::AssignLowering(module.get(), target).status()));
    XLA_RETURN_IF_ERROR(Internal(cpu::CheckLowering(*module)));
    auto generated = cpu::GenerateProgram(schedule, target);
    if (!generated.ok()) {
      if (absl::IsUnavailable(generated.status())) break;
      return generated.status();
    }
    const std::string title =
        absl::StrCat("; vectors of ", target.machine.vector_bytes, " bytes\n");
    absl::StrAppend(&text.plans, title, absl::StrJoin(generated->plans, "\n"), "\n");
    absl::StrAppend(&text.code, title, generated->llvm_text);
  }
  return text;
}

std::string NormalizedCode(const std::string& code) {
  return absl::StrJoin(FunctionSummaries(code), "\n");
}

}  // namespace xla::testing
