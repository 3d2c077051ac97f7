// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/lower_program.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_cache.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/lower/generated_functions.h"
#include "xla/cpu/lower/thunk_builder.h"
#include "xla/runtime/thread_pool.h"

namespace xla::cpu {
namespace {

double NowSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string TextOf(const Ir& ir) {
  char* const text = ir.llvm().LLVMPrintModuleToString(ir.module());
  std::string copy = text;
  ir.llvm().LLVMDisposeMessage(text);
  return copy;
}

// Returns UNIMPLEMENTED for a computation that is applied to elements but does not map scalars to
// scalars.
absl::Status CheckScalars(const HloComputation& computation) {
  const auto is_scalar = [](const Shape& shape) {
    return shape.IsArray() && !shape.is_dynamic() && CountOf(shape) == 1;
  };
  const Shape& root = computation.root_instruction()->shape();
  bool all = root.IsTuple() || is_scalar(root);
  if (root.IsTuple()) {
    for (const Shape& element : root.tuple_shapes()) all &= is_scalar(element);
  }
  for (const HloInstruction* parameter : computation.parameter_instructions())
    all &= is_scalar(parameter->shape());
  if (all) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("computation ", computation.name(),
                   " is applied to elements, but its parameters or results are not scalars"));
}

class ProgramLowering {
 public:
  ProgramLowering(const ProgramSchedule& schedule, const MemoryNumbers& memories,
                  const CpuCompileOptions& options, const Target& target)
      : options_(options),
        target_(target),
        main_(schedule, memories, target, options.symbol_prefix) {}

  void set_objects(std::vector<std::vector<char>> objects) {
    program_.objects = std::move(objects);
  }

  absl::StatusOr<GeneratedProgram> Generate() {
    XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
    XLA_RETURN_IF_ERROR(PlanNested());
    Ir ir(*llvm, target_, "program");
    XLA_RETURN_IF_ERROR(Emit(ir, 0, 1));
    GeneratedProgram generated;
    generated.llvm_text = TextOf(ir);
    main_.functions.AddPlans(generated.plans);
    for (const auto& unit : nested_) unit->functions.AddPlans(generated.plans);
    return generated;
  }

  absl::StatusOr<LoweredProgram> Run() {
    XLA_RETURN_IF_ERROR(PlanNested());
    XLA_RETURN_IF_ERROR(program_.objects.empty() ? CompileAll() : LoadAll());
    XLA_ASSIGN_OR_RETURN(program_.thunks, BuildThunks(main_, program_.prepared));
    for (size_t i = 0; i < nested_.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(program_.nested[i]->thunks,
                           BuildThunks(*nested_[i], program_.nested[i]->prepared));
    }
    AddReports();
    program_.loops = main_.functions.TakeLoops();
    return std::move(program_);
  }

 private:
  // The whole program, or a program that is applied to elements.
  struct Unit {
    Unit(const ProgramSchedule& unit_schedule, const MemoryNumbers& numbers, const Target& target,
         std::string prefix)
        : schedule(unit_schedule),
          memories(numbers),
          functions(unit_schedule, target, std::move(prefix)) {}
    const ProgramSchedule& schedule;
    const MemoryNumbers memories;
    GeneratedFunctions functions;
  };

  // Plans programs that are applied to elements, including those applied by such programs: each is
  // lowered like the whole program, and its functions are generated with those of the whole
  // program.
  absl::Status PlanNested() {
    programs_ = NestedPrograms(*main_.schedule.module);
    for (const HloComputation* computation : programs_.computations()) {
      XLA_RETURN_IF_ERROR(CheckScalars(*computation));
      XLA_ASSIGN_OR_RETURN(ProgramSchedule schedule, ScheduleComputation(*computation));
      auto program = std::make_unique<NestedProgram>(
          std::move(schedule), static_cast<int32_t>(computation->num_parameters()));
      MemoryNumbers memories;
      memories.arguments = program->arguments();
      memories.results = program->results();
      nested_.push_back(std::make_unique<Unit>(
          program->schedule(), memories, target_,
          absl::StrCat(options_.symbol_prefix, "nested_", nested_.size(), "_")));
      program_.nested.push_back(std::move(program));
    }
    return absl::OkStatus();
  }

  // Emits the kernels first, first + step, .. and, with the first one, all other functions.
  absl::Status Emit(Ir& ir, size_t first, size_t step) {
    if (!programs_.computations().empty()) ir.set_programs(&programs_);
    for (const auto& unit : nested_) {
      if (first == 0) XLA_RETURN_IF_ERROR(EmitUnit(ir, unit->functions, 0, 1));
    }
    return EmitUnit(ir, main_.functions, first, step);
  }

  absl::Status EmitUnit(Ir& ir, GeneratedFunctions& functions, size_t first, size_t step) {
    for (size_t k = first; k < functions.kernels().size(); k += step) {
      XLA_RETURN_IF_ERROR(PollCompilation(options_));
      const double start = NowSeconds();
      XLA_RETURN_IF_ERROR(functions.EmitKernelAt(ir, k));
      functions.kernels()[k].compile_seconds = NowSeconds() - start;
    }
    return first == 0 ? functions.EmitOthers(ir) : absl::OkStatus();
  }

  // Returns the number of modules: one for each thread, but no more than there is work for, and
  // none without code.
  size_t CountModules() const {
    bool has_code = !main_.functions.empty();
    for (const auto& unit : nested_) has_code |= !unit->functions.empty();
    if (!has_code) return 0;
    constexpr size_t kKernelsPerModule = 2, kManyKernels = 64, kModulesPerThread = 4;
    const size_t kernels = main_.functions.kernels().size();
    const size_t threads =
        options_.pool == nullptr ? 1 : static_cast<size_t>(options_.pool->num_threads());
    return std::max<size_t>(1, std::min(threads * (kernels > kManyKernels ? kModulesPerThread : 1),
                                        (kernels + kKernelsPerModule - 1) / kKernelsPerModule));
  }

  absl::Status CompileAll() {
    const size_t count = CountModules();
    if (count == 0) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
    program_.code.resize(count);
    llvm_texts_.resize(count);
    assembly_texts_.resize(count);
    if (options_.keep_objects) program_.objects.resize(count);
    const CodeCache cache(options_.cache_directory, target_, VersionText(*llvm));
    const auto compile = [&](int64_t begin, int64_t end) -> absl::Status {
      for (auto m = static_cast<size_t>(begin); m < static_cast<size_t>(end); ++m)
        XLA_RETURN_IF_ERROR(CompileModule(*llvm, cache, m));
      return absl::OkStatus();
    };
    if (options_.pool == nullptr || count == 1) {
      XLA_RETURN_IF_ERROR(compile(0, static_cast<int64_t>(count)));
    } else {
      XLA_RETURN_IF_ERROR(options_.pool->ParallelFor(static_cast<int64_t>(count), 1, compile));
    }
    for (const std::string& text : llvm_texts_) {
      if (options_.keep_llvm) program_.llvm_text += text;
    }
    for (const std::string& text : assembly_texts_) program_.assembly_text += text;
    return FindFunctions();
  }

  absl::Status LoadAll() {
    for (const std::vector<char>& object : program_.objects) {
      XLA_ASSIGN_OR_RETURN(std::unique_ptr<NativeCode> code,
                           NativeCode::Load(object, ExternalFunctions()));
      program_.code.push_back(std::move(code));
    }
    for (UniqueKernel& kernel : main_.functions.kernels()) kernel.is_cached = true;
    return FindFunctions();
  }

  // Compiles the module with kernels m, m + count, ..
  absl::Status CompileModule(const LlvmApi& llvm, const CodeCache& cache, size_t m) {
    const size_t count = program_.code.size();
    Ir ir(llvm, target_, "program");
    const double start = NowSeconds();
    XLA_RETURN_IF_ERROR(Emit(ir, m, count));
    XLA_RETURN_IF_ERROR(PollCompilation(options_));
    const double emitted = NowSeconds();
    if (options_.keep_llvm || cache.is_enabled()) llvm_texts_[m] = TextOf(ir);
    std::vector<char> object;
    if (cache.is_enabled()) object = cache.Find(llvm_texts_[m]);
    const bool is_cached = !object.empty();
    if (!is_cached) {
      XLA_ASSIGN_OR_RETURN(object, GenerateCode(ir, CodeFormat::kObject));
    }
    XLA_ASSIGN_OR_RETURN(program_.code[m], options_.target == nullptr
                                               ? NativeCode::Load(object, ExternalFunctions())
                                               : NativeCode::ListFunctions(object));
    if (cache.is_enabled() && !is_cached) cache.Store(llvm_texts_[m], object);
    // Divides LLVM's time in proportion to that of the emitters.
    const double factor = (NowSeconds() - start) / std::max(emitted - start, 1e-9);
    std::vector<UniqueKernel>& kernels = main_.functions.kernels();
    for (size_t k = m; k < kernels.size(); k += count) {
      kernels[k].compile_seconds *= factor;
      kernels[k].is_cached = is_cached;
    }
    if (options_.keep_assembly) {
      XLA_ASSIGN_OR_RETURN(const std::vector<char> text, GenerateCode(ir, CodeFormat::kAssembly));
      assembly_texts_[m].assign(text.begin(), text.end());
    }
    if (options_.keep_objects) program_.objects[m] = std::move(object);
    return absl::OkStatus();
  }

  // The functions of nested programs, and all others but kernels, are in the first module.
  absl::Status FindFunctions() {
    const size_t count = program_.code.size();
    main_.functions.set_code(program_.code[0].get());
    for (size_t k = 0; k < main_.functions.kernels().size(); ++k)
      XLA_RETURN_IF_ERROR(main_.functions.FindKernel(k, *program_.code[k % count]));
    for (const auto& unit : nested_) {
      unit->functions.set_code(program_.code[0].get());
      for (size_t k = 0; k < unit->functions.kernels().size(); ++k)
        XLA_RETURN_IF_ERROR(unit->functions.FindKernel(k, *program_.code[0]));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ThunkSequence> BuildThunks(const Unit& unit,
                                            std::vector<const kernels::Kernel*>& prepared) {
    std::vector<LoweredProgram::ChosenKernel> chosen;
    auto thunks =
        ThunkBuilder(unit.schedule, unit.memories, options_, unit.functions, prepared, chosen)
            .Build();
    if (&unit == &main_) program_.chosen = std::move(chosen);
    return thunks;
  }

  void AddReports() {
    for (const UniqueKernel& kernel : main_.functions.kernels()) {
      CpuProgram::KernelReport report;
      report.name = std::string(kernel.plan->instruction->name());
      report.uses = kernel.uses;
      report.bytes = kernel.plan->bytes;
      report.operations = kernel.plan->operations;
      report.compile_seconds = kernel.compile_seconds;
      report.is_cached = kernel.is_cached;
      report.lanes = kernel.plan->lanes();
      program_.kernels.push_back(std::move(report));
    }
  }

  const CpuCompileOptions& options_;
  const Target& target_;
  NestedPrograms programs_;
  Unit main_;
  std::vector<std::unique_ptr<Unit>> nested_;
  std::vector<std::string> llvm_texts_, assembly_texts_;  // by module
  LoweredProgram program_;
};

}  // namespace

Slot MemoryNumbers::SlotOf(const BufferSlice& slice) const {
  switch (slice.memory) {
    case BufferSlice::Memory::kScratch:
      return {0, slice.offset};
    case BufferSlice::Memory::kArgument:
      return {1 + slice.number, slice.offset};
    case BufferSlice::Memory::kResult:
      return {1 + arguments + slice.number, slice.offset};
    case BufferSlice::Memory::kConstant:
      break;
  }
  return {constants_begin() + slice.number, slice.offset};
}

absl::Status PollCompilation(const CpuCompileOptions& options) {
  if (options.cancel == nullptr || !options.cancel->load(std::memory_order_relaxed))
    return absl::OkStatus();
  return absl::CancelledError("the compilation was cancelled");
}

namespace {

absl::StatusOr<Target> TargetOf(const CpuCompileOptions& options) {
  const Target* target = options.target;
  if (target == nullptr) {
    XLA_ASSIGN_OR_RETURN(target, HostTarget(MaxInstructionSet()));
  }
  Target used = *target;
  // Products that are flushed do not underflow.
  if (options.flush_subnormals) used.machine.underflows_slowly = false;
  return used;
}

}  // namespace

absl::StatusOr<LoweredProgram> LowerProgram(const ProgramSchedule& schedule,
                                            const MemoryNumbers& memories,
                                            const CpuCompileOptions& options,
                                            std::vector<std::vector<char>> objects) {
  XLA_ASSIGN_OR_RETURN(const Target target, TargetOf(options));
  ProgramLowering lowering(schedule, memories, options, target);
  lowering.set_objects(std::move(objects));
  return lowering.Run();
}

absl::StatusOr<GeneratedProgram> GenerateProgram(const ProgramSchedule& schedule,
                                                 const Target& target) {
  const CpuCompileOptions options;
  return ProgramLowering(schedule, MemoryNumbers(), options, target).Generate();
}

}  // namespace xla::cpu

namespace xla {

absl::StatusOr<std::string> CpuCodeDependencies(const CpuCompileOptions& options) {
  XLA_ASSIGN_OR_RETURN(const cpu::Target target, cpu::TargetOf(options));
  return absl::StrCat(target.triple, " ", target.cpu, " ", target.features,
                      target.machine.underflows_slowly ? " underflows slowly" : "",
                      options.flush_subnormals ? " flushing" : "");
}

}  // namespace xla
