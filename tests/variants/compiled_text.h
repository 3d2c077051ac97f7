// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of a program, as lines of text that are the same on every machine.
#ifndef TESTS_VARIANTS_COMPILED_TEXT_H_
#define TESTS_VARIANTS_COMPILED_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/llvm_text.h"
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

inline std::string TextOf(const HloModule& module) {
  HloPrintOptions options = HloPrintOptions::ShortParsable();
  options.print_large_constants = true;
  return ModuleToString(module, options);
}

// Passes that programs of tests/passes specify whole.
inline bool IsSpecified(const Pass& pass) {
  return pass.name == "expand-custom-calls" || pass.name == "expand-sparse-convolutions" ||
         pass.name == "forget-original-shapes" || pass.name == "resolve-dynamic-sizes";
}

// The other passes that change the program, with a fingerprint of the result.
inline std::string AfterEachPass(const HloModule& module) {
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

// The steps of a program that the CPU compiler makes, with their buffers.
inline void AddItems(const cpu::ProgramSchedule& schedule,
                     const std::vector<cpu::ScheduledItem>& items, const std::string& indent,
                     std::vector<std::string>* lines) {
  for (const cpu::ScheduledItem& item : items) {
    std::string line = indent;
    const auto add = [&](cpu::ValueId id) {
      if (id == cpu::kNoValue) {
        absl::StrAppend(&line, " token");
        return;
      }
      const cpu::Place& place = schedule.values[static_cast<size_t>(id)].place;
      absl::StrAppend(&line, " ", std::string("sarc").substr(static_cast<size_t>(place.memory), 1),
                      place.number, "+", place.offset);
    };
    for (const cpu::ValueId id : item.results) add(id);
    if (item.instruction == nullptr) {
      absl::StrAppend(&line, " = copy");
    } else {
      absl::StrAppend(&line, " = ", std::string(HloOpcodeString(item.instruction->opcode())), " ",
                      item.instruction->shape().ToString());
      if (item.instruction->opcode() == HloOpcode::kFusion) {
        absl::StrAppend(&line, " of ",
                        item.instruction->called_computations()[0]->instruction_count());
      }
    }
    for (const cpu::ValueId id : item.operands) add(id);
    lines->push_back(OneLine(line, 300));
    for (const auto& body : item.bodies) AddItems(schedule, body, indent + "  ", lines);
  }
}

inline const std::vector<cpu::Target>& Targets() {
  static const auto* const targets =
      new std::vector<cpu::Target>{{"x86_64", "", "", MachineWith(InstructionSet::kAvx512)},
                                   {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)},
                                   {"x86_64", "", "", MachineWith(InstructionSet::kSse42)}};
  return *targets;
}

// Whether code can be compared with what is recorded, which is as this version of LLVM prints it.
inline bool IsRecordedLlvm() {
  const absl::StatusOr<std::string> version = CpuCompilerVersion();
  return version.ok() && absl::StartsWith(*version, "LLVM 19.");
}

// Plans of kernels and their LLVM IR for each target: as text for the one with AVX-512, as a
// fingerprint for others. Nothing if LLVM cannot be loaded.
inline void AddGenerated(HloModule* module, const cpu::ProgramSchedule& schedule,
                         absl::Span<const cpu::Target> targets, std::vector<std::string>* lines) {
  std::string others;
  for (const cpu::Target& target : targets) {
    EXPECT_OK(cpu::AssignLowering(module, target).status());
    const auto generated = cpu::GenerateProgram(schedule, target);
    if (!generated.ok()) {
      if (!absl::IsUnavailable(generated.status()))
        lines->push_back(OneLine(generated.status().message()));
      return;
    }
    std::vector<std::string> all = generated->plans;
    for (std::string& line : FunctionSummaries(generated->llvm_text))
      all.push_back(std::move(line));
    if (target.machine.avx512) {
      for (const std::string& line : all) lines->push_back(OneLine(line, 400));
    } else {
      absl::StrAppend(&others, " ", Fingerprint(absl::StrJoin(all, "\n")));
    }
  }
  lines->push_back(absl::StrCat("others:", others));
}

// What passes, buffer assignment and the emitters of kernels make of a program, without folding
// constants.
inline void AddCompiled(const HloModule& source, std::vector<std::string>* lines,
                        std::vector<std::string>* generated,
                        absl::Span<const cpu::Target> targets = Targets()) {
  const auto module = source.Clone();
  CpuCompileOptions options;
  options.check_work = true;
  // Kernels are recorded with their numbers.
  options.pipeline.disabled = {"make-constants-operands", "assign-lowering"};
  if (const absl::Status status = RunCpuPipeline(module.get(), options); !status.ok()) {
    EXPECT_FALSE(absl::IsInternal(status)) << source.name() << ": " << status;
    lines->push_back(OneLine(status.message()));
    return;
  }
  const std::string text = TextOf(*module);
  EXPECT_OK(cpu::AssignLowering(module.get(), Targets()[0]).status());
  EXPECT_OK(cpu::CheckLowering(*module)) << TextOf(source);
  const auto schedule = cpu::ScheduleProgram(*module);
  if (!schedule.ok()) {
    lines->push_back(OneLine(schedule.status().message()));
    return;
  }
  EXPECT_OK(VerifyModule(*module)) << TextOf(source);
  AddItems(*schedule, schedule->items, "", lines);
  lines->push_back(absl::StrCat("scratch ", schedule->scratch_bytes, ", text ", Fingerprint(text)));
  AddGenerated(module.get(), *schedule, targets, generated);
}

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_COMPILED_TEXT_H_
