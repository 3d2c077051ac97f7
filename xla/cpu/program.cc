// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/llvm_api.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/lower/make_report.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/schedule_hash.h"
#include "xla/cpu/program_impl.h"
#include "xla/cpu/program_profile.h"
#include "xla/cpu/program_run.h"
#include "xla/cpu/run/literal_views.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/debug_options_flags.h"
#include "xla/runtime/host_memory.h"

namespace xla {

CpuProgram::CpuProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CpuProgram::~CpuProgram() = default;

int64_t CpuProgram::ScratchBytes(int threads) const {
  return impl_->ScratchBytes(threads) + impl_->NestedBytes(threads);
}
int64_t CpuProgram::ThreadBytes(int threads) const {
  int64_t most = 0;
  for (const kernels::Kernel* kernel : impl_->lowered.prepared) {
    const int64_t bytes = kernel->ScratchBytes(threads);
    if (cpu::UsesThreadMemory(bytes, threads)) most = std::max(most, bytes);
  }
  return most;
}
int64_t CpuProgram::GeneratedBytes() const {
  int64_t bytes = 0;
  for (const auto& code : impl_->lowered.code) {
    if (code != nullptr) bytes += static_cast<int64_t>(code->bytes());
  }
  for (const HloComputation* computation : impl_->module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->IsConstant()) bytes += instruction->literal().size_bytes();
    }
  }
  return bytes;
}
std::vector<CpuProgram::LibraryReport> CpuProgram::library_calls() const {
  std::vector<LibraryReport> calls;
  for (const auto& [instruction, epilogue] : impl_->lowered.chosen)
    calls.push_back({std::string(instruction->name()), cpu::FormsText(*instruction, epilogue)});
  return calls;
}
const std::vector<CpuProgram::KernelReport>& CpuProgram::kernels() const {
  return impl_->lowered.kernels;
}
absl::StatusOr<ProgramReport> CpuProgram::Report() const {
  const ScopedMaxInstructionSet bound(impl_->max_instruction_set);
  XLA_ASSIGN_OR_RETURN(const cpu::Target* target, cpu::HostTarget(MaxInstructionSet()));
  return cpu::MakeReport(impl_->schedule, impl_->lowered.loops, *target);
}
const PipelineStatistics& CpuProgram::pass_statistics() const { return impl_->pass_statistics; }
const HloModule& CpuProgram::optimized_module() const { return *impl_->module; }
const std::string& CpuProgram::llvm_text() const { return impl_->lowered.llvm_text; }
const std::string& CpuProgram::assembly_text() const { return impl_->lowered.assembly_text; }
const std::vector<std::vector<char>>& CpuProgram::objects() const { return impl_->lowered.objects; }

absl::Status CheckCpuCompiler() { return cpu::HostTarget().status(); }

absl::StatusOr<std::string> CpuCompilerVersion() {
  XLA_ASSIGN_OR_RETURN(const cpu::LlvmApi* llvm, cpu::LlvmApi::Get());
  return absl::StrCat("LLVM ", cpu::VersionText(*llvm));
}

absl::Status LoadCpuCompiler() {
  XLA_RETURN_IF_ERROR(cpu::HostTarget().status());
  // LLVM sets up its tables and passes when code is first generated: compiles a reduction of rows.
  HloModule module("load");
  HloComputation* const sum = module.AddComputation("sum");
  const Shape scalar(F32, {}), row(F32, {64}), array(F32, {64, 256});
  const auto parameter = [](HloComputation* computation, int64_t number, const Shape& shape) {
    return computation->AddInstruction(HloInstruction::CreateParameter(number, shape, "p"));
  };
  const auto add = [](HloComputation* computation, HloOpcode opcode, const Shape& shape,
                      std::initializer_list<HloInstruction*> operands) {
    return computation->AddInstruction(HloInstruction::Create(opcode, shape, operands));
  };
  sum->set_root_instruction(
      add(sum, HloOpcode::kAdd, scalar, {parameter(sum, 0, scalar), parameter(sum, 1, scalar)}));
  HloComputation* const entry = module.AddComputation("entry");
  module.set_entry_computation(entry);
  HloInstruction* const x = parameter(entry, 0, array);
  HloInstruction* const initial = parameter(entry, 1, scalar);
  HloInstruction* const exponential = add(entry, HloOpcode::kExp, array, {x});
  HloInstruction* const sums = entry->AddInstruction(HloInstruction::Create(
      HloOpcode::kReduce, row, {exponential, initial}, DimensionListAttributes{{1}}, {sum}));
  entry->set_root_instruction(sums);
  return CpuProgram::Compile(module).status();
}

absl::StatusOr<std::unique_ptr<CpuProgram>> CpuProgram::Compile(const HloModule& module,
                                                                const CpuCompileOptions& options) {
  auto impl = std::make_unique<Impl>();
  XLA_ASSIGN_OR_RETURN(impl->max_instruction_set,
                       MaxInstructionSetOf(module.config().debug_options()));
  const ScopedMaxInstructionSet bound(impl->max_instruction_set);
  const ScopedFloatingPointMode mode(FloatingPointMode::Ieee());  // constants are folded exactly
  XLA_ASSIGN_OR_RETURN(impl->target, CpuCodeDependencies(options));
  impl->module = module.Clone();
  XLA_RETURN_IF_ERROR(RunCpuPipeline(impl->module.get(), options, &impl->pass_statistics));
  XLA_RETURN_IF_ERROR(impl->Schedule(module, options));
  XLA_RETURN_IF_ERROR(cpu::PollCompilation(options));
  XLA_RETURN_IF_ERROR(impl->Lower(options, {}));
  return std::unique_ptr<CpuProgram>(new CpuProgram(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<CpuProgram>> CpuProgram::Load(const HloModule& module,
                                                             CpuProgramParts parts,
                                                             const CpuCompileOptions& options) {
  auto impl = std::make_unique<Impl>();
  XLA_ASSIGN_OR_RETURN(impl->max_instruction_set,
                       MaxInstructionSetOf(module.config().debug_options()));
  const ScopedMaxInstructionSet bound(impl->max_instruction_set);
  const ScopedFloatingPointMode mode(FloatingPointMode::Ieee());
  XLA_ASSIGN_OR_RETURN(impl->target, CpuCodeDependencies(options));
  if (impl->target != parts.target) {
    return absl::FailedPreconditionError(
        absl::StrCat("module ", module.name(), " was compiled for another machine or with other ",
                     "options: ", parts.target, "; this is ", impl->target));
  }
  impl->module = std::move(parts.module);
  XLA_RETURN_IF_ERROR(cpu::SetLowerings(parts.lowerings, impl->module.get()));
  XLA_RETURN_IF_ERROR(impl->Schedule(module, options));
  if (cpu::HashOf(impl->schedule) != parts.schedule_hash) {
    return absl::InvalidArgumentError(
        absl::StrCat("the machine code of module ", module.name(), " is for another schedule"));
  }
  XLA_RETURN_IF_ERROR(impl->Lower(options, std::move(parts.objects)));
  return std::unique_ptr<CpuProgram>(new CpuProgram(std::move(impl)));
}

CpuProgramParts CpuProgram::Parts() const {
  CpuProgramParts parts;
  parts.module = impl_->module->Clone();
  parts.lowerings = cpu::LoweringTexts(*impl_->module);
  parts.objects = impl_->lowered.objects;
  parts.target = impl_->target;
  parts.schedule_hash = cpu::HashOf(impl_->schedule);
  return parts;
}

absl::Status CpuProgram::RunOnBuffers(absl::Span<const runtime::ArgumentView> arguments,
                                      absl::Span<runtime::ResultView> results,
                                      const runtime::ExecutionContext& context,
                                      runtime::RunStatistics* statistics,
                                      const CpuRunOptions& options) const {
  return RunOnDevices(1, 1, absl::MakeConstSpan(&arguments, 1), absl::MakeConstSpan(&results, 1),
                      context, statistics, options);
}

absl::Status CpuProgram::RunOnDevices(
    int64_t replicas, int64_t partitions,
    absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
    absl::Span<const absl::Span<runtime::ResultView>> results,
    const runtime::ExecutionContext& context, runtime::RunStatistics* statistics,
    const CpuRunOptions& options) const {
  for (const size_t given : {arguments.size(), results.size()}) {
    XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, given, context.processes));
  }
  return CpuRun(*this, context, options).Run(replicas, partitions, arguments, results, statistics);
}

absl::StatusOr<std::vector<Literal>> CpuProgram::RunReplicated(
    int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
    const runtime::ExecutionContext& context, runtime::RunStatistics* statistics,
    const CpuRunOptions& options) const {
  const HloComputation& entry = *impl_->module->entry_computation();
  const size_t count = arguments.size();
  std::vector<cpu::LiteralViews> views(count);
  std::vector<Literal> literals;
  for (size_t d = 0; d < count; ++d) {
    if (static_cast<int64_t>(arguments[d].size()) != entry.num_parameters()) {
      return absl::InvalidArgumentError(absl::StrCat("module ", impl_->module->name(), " takes ",
                                                     entry.num_parameters(), " arguments; ",
                                                     arguments[d].size(), " were given"));
    }
    for (const Literal* argument : arguments[d])
      XLA_RETURN_IF_ERROR(views[d].AddArgument(*argument));
    XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(impl_->result_shape));
    literals.push_back(std::move(literal));
  }
  std::vector<absl::Span<const runtime::ArgumentView>> argument_views;
  std::vector<absl::Span<runtime::ResultView>> result_views;
  for (size_t d = 0; d < count; ++d) {
    XLA_RETURN_IF_ERROR(views[d].AddResult(literals[d]));
    argument_views.push_back(views[d].arguments());
    result_views.push_back(views[d].results());
  }
  XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, count, context.processes));
  int64_t copied_bytes = 0;
  for (const cpu::LiteralViews& device : views) copied_bytes += device.memory_bytes();
  XLA_RETURN_IF_ERROR(
      CpuRun(*this, context, options)
          .Run(replicas, partitions, argument_views, result_views, statistics, copied_bytes));
  for (size_t d = 0; d < count; ++d) XLA_RETURN_IF_ERROR(views[d].CopyDynamicResults(literals[d]));
  return literals;
}

absl::StatusOr<Literal> CpuProgram::Run(absl::Span<const Literal* const> arguments,
                                        const runtime::ExecutionContext& context,
                                        runtime::RunStatistics* statistics,
                                        const CpuRunOptions& options) const {
  const std::vector<const Literal*> own(arguments.begin(), arguments.end());
  XLA_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      RunReplicated(1, 1, absl::MakeConstSpan(&own, 1), context, statistics, options));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<CpuProgram::ProfileEntry>> CpuProgram::Profile(
    absl::Span<const runtime::ArgumentView> arguments, const runtime::ExecutionContext& given,
    std::vector<ProfileEvent>* events) const {
  std::vector<runtime::ResultView> results(impl_->result_leaves.size());
  cpu::ThunkProfile profile;
  runtime::ExecutionContext context = given;
  context.step_observer = &profile;
  const absl::Span<runtime::ResultView> views = absl::MakeSpan(results);
  const CpuRunOptions options;
  XLA_RETURN_IF_ERROR(
      CpuRun(*this, context, options)
          .Run(1, 1, absl::MakeConstSpan(&arguments, 1), absl::MakeConstSpan(&views, 1), nullptr));
  for (const runtime::ResultView& result : results) {
    if (result.is_new) runtime::FreeHostMemory(result.data);
  }
  if (events != nullptr) profile.AppendEvents(*events);
  return profile.Entries();
}

}  // namespace xla
