// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/lower_program.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_cache.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/combiner_emitter.h"
#include "xla/cpu/codegen/comparator.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/lower/compiled_while.h"
#include "xla/cpu/lower/kernel_request.h"
#include "xla/cpu/lower/scalar_while.h"
#include "xla/cpu/plan/entry_layouts.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/ping_pong_state.h"
#include "xla/cpu/run/library_calls.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"

namespace xla::cpu {
namespace {

// What a map from addresses holds, by name: addresses differ from run to run, and equal programs
// should give equal code.
template <typename Key>
std::vector<std::pair<std::string, Key>> ByName(const std::map<Key, std::string>& names) {
  std::vector<std::pair<std::string, Key>> sorted;
  for (const auto& [key, name] : names) sorted.emplace_back(name, key);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// A kernel that is generated, for all items that compute the same.
struct UniqueKernel {
  std::unique_ptr<const KernelPlan> plan;
  std::string name;
  int64_t uses = 0;
  KernelFunction function = nullptr;
  double compile_seconds = 0;
  bool is_cached = false;
};

struct NativeLoop {
  std::string name;
  CompiledWhilePlan plan;
};

double NowSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Runs a prepared kernel on the pool.
class PreparedStep final : public Thunk {
 public:
  PreparedStep(std::unique_ptr<const kernels::Kernel> kernel, std::vector<Slot> buffers,
               int64_t scratch_offset)
      : kernel_(std::move(kernel)), buffers_(std::move(buffers)), scratch_{0, scratch_offset} {}

  absl::Status Run(RunState& state) const override {
    absl::InlinedVector<void*, 8> buffers;
    for (const Slot& slot : buffers_) buffers.push_back(slot.In(state));
    buffers.push_back(&state);  // for comparators and epilogues
    kernels::KernelHost host = {};
    host.caller = &state;
    host.workers = state.workers();
    host.parallel_for = [](void* caller, int64_t count, void (*body)(void*, int64_t),
                           void* argument) {
      // A poll that fails ends the loop early; the kernel asks for the reason itself.
      (void)static_cast<RunState*>(caller)->ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) body(argument, i);
        return absl::OkStatus();
      });
    };
    host.poll = [](void* caller) {
      return static_cast<int32_t>(static_cast<RunState*>(caller)->Poll().code());
    };
    char* scratch = scratch_.In(state);
    // The thread's memory may be in use where a program is applied to elements.
    if (const int64_t bytes = kernel_->ScratchBytes(host.workers);
        UsesThreadMemory(bytes, host.workers) && !state.is_nested()) {
      scratch = runtime::ThreadMemory(bytes);
      if (scratch == nullptr)
        return absl::ResourceExhaustedError("no memory for a kernel's blocks");
    }
    const absl::Status status = kernel_->Run({&host, buffers.data(), scratch});
    return status.ok() ? state.failure() : state.Poll();
  }

 private:
  const std::unique_ptr<const kernels::Kernel> kernel_;
  const std::vector<Slot> buffers_;
  const Slot scratch_;
};

class ProgramLowering {
 public:
  ProgramLowering(const ProgramSchedule& schedule, const MemoryNumbers& memories,
                  const CpuCompileOptions& options, const Target& target)
      : schedule_(schedule), memories_(memories), options_(options), target_(&target) {}

  absl::StatusOr<GeneratedProgram> Generate() {
    XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
    XLA_RETURN_IF_ERROR(PlanItems(schedule_.items));
    XLA_RETURN_IF_ERROR(PlanApplied());
    Ir ir(*llvm, *target_, "program");
    XLA_RETURN_IF_ERROR(Emit(ir, 0, 1));
    GeneratedProgram generated;
    generated.llvm_text = TextOf(ir);
    AddPlans(generated);
    for (const auto& lowering : applied_lowerings_) lowering->AddPlans(generated);
    return generated;
  }

  void AddPlans(GeneratedProgram& generated) const {
    for (const UniqueKernel& kernel : kernels_)
      generated.plans.push_back(absl::StrCat(kernel.name, " ", PlanText(*kernel.plan)));
    for (const auto& [name, loop] : ByName(element_loops_)) {
      const ElementwiseWhileUnits units = UnitsOfElementwiseWhile(schedule_, *loop, *target_);
      generated.plans.push_back(absl::StrCat(name, " lanes ", units.lanes, " units ", units.count,
                                             " chunk ", units.chunk));
    }
    for (const NativeLoop& loop : native_loops_)
      generated.plans.push_back(absl::StrCat(loop.name, " ", PlanText(loop.plan)));
    for (const auto& [name, key] : ByName(functions_)) {
      if (!IsSelectAndScatter(*key.first)) continue;
      const SelectAndScatterPlan plan = PlanSelectAndScatter(*key.first, target_->machine);
      generated.plans.push_back(absl::StrCat(name, " units ", plan.units, " chunk ", plan.chunk));
    }
  }

  absl::StatusOr<LoweredProgram> Run() {
    XLA_RETURN_IF_ERROR(PlanItems(schedule_.items));
    XLA_RETURN_IF_ERROR(PlanApplied());
    XLA_RETURN_IF_ERROR(CompileKernels());
    XLA_RETURN_IF_ERROR(BuildProgram());
    for (size_t i = 0; i < applied_lowerings_.size(); ++i) {
      ProgramLowering& lowering = *applied_lowerings_[i];
      XLA_RETURN_IF_ERROR(lowering.UseCode(code_));
      XLA_RETURN_IF_ERROR(lowering.BuildProgram());
      program_.nested[i]->thunks = std::move(lowering.program_.thunks);
      program_.nested[i]->prepared = std::move(lowering.program_.prepared);
    }
    for (const UniqueKernel& kernel : kernels_) {
      CpuProgram::KernelReport report;
      report.name = std::string(kernel.plan->fusion->name());
      report.uses = kernel.uses;
      report.bytes = kernel.plan->bytes;
      report.operations = kernel.plan->operations;
      report.compile_seconds = kernel.compile_seconds;
      report.is_cached = kernel.is_cached;
      report.lanes = kernel.plan->lanes();
      program_.kernels.push_back(std::move(report));
    }
    return std::move(program_);
  }

 private:
  // Steps, and copies of results to where they belong.
  absl::Status BuildProgram() {
    XLA_RETURN_IF_ERROR(Build(schedule_.items, program_.thunks));
    for (size_t k = 0; k < schedule_.results.size(); ++k) {
      const ValueId value = schedule_.results[k];
      if (value == kNoValue) continue;
      const BufferSlice slice = {BufferSlice::Memory::kResult, static_cast<int32_t>(k), 0};
      AddCopy(schedule_.At(value).slice, slice, schedule_.At(value).bytes, program_.thunks);
    }
    return absl::OkStatus();
  }

  // Programs that are applied to elements, also by code of such programs: each is lowered like the
  // whole program, and its functions are generated with those of the whole program.
  absl::Status PlanApplied() {
    programs_ = NestedPrograms(*schedule_.module);
    for (const HloComputation* computation : programs_.computations()) {
      XLA_RETURN_IF_ERROR(CheckScalars(*computation));
      XLA_ASSIGN_OR_RETURN(ProgramSchedule schedule, ScheduleComputation(*computation));
      auto program = std::make_unique<NestedProgram>(
          std::move(schedule), static_cast<int32_t>(computation->num_parameters()));
      MemoryNumbers memories;
      memories.arguments = program->arguments();
      memories.results = program->results();
      applied_memories_.push_back(std::make_unique<MemoryNumbers>(memories));
      applied_lowerings_.push_back(std::make_unique<ProgramLowering>(
          program->schedule(), *applied_memories_.back(), options_, *target_));
      ProgramLowering& lowering = *applied_lowerings_.back();
      lowering.prefix_ = absl::StrCat("nested_", applied_lowerings_.size() - 1, "_");
      XLA_RETURN_IF_ERROR(lowering.PlanItems(lowering.schedule_.items));
      program_.nested.push_back(std::move(program));
    }
    return absl::OkStatus();
  }

  // Elements are what is applied to.
  static absl::Status CheckScalars(const HloComputation& computation) {
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
                     " is nested to elements, but its parameters or results are no scalars"));
  }

  // The code of another lowering has the functions of this one.
  absl::Status UseCode(const NativeCode* code) {
    code_ = code;
    for (UniqueKernel& kernel : kernels_) {
      kernel.function = reinterpret_cast<KernelFunction>(code->Find(kernel.name));
      if (kernel.function == nullptr) return absl::InternalError("a kernel was not compiled");
    }
    return absl::OkStatus();
  }

  bool IsWithoutCode() const {
    return kernels_.empty() && comparators_.empty() && loops_.empty() && element_loops_.empty() &&
           native_loops_.empty() && functions_.empty();
  }

  void AddCopy(const BufferSlice& from, const BufferSlice& to, int64_t bytes,
               ThunkSequence& thunks) const {
    if (from == to || bytes == 0) return;
    thunks.push_back(std::make_unique<CopyThunk>(SlotAt(from), SlotAt(to), bytes));
  }

  Slot SlotAt(const BufferSlice& slice) const {
    return memories_.SlotOf(SwappedSlice(schedule_, pairs_, slice));
  }

  absl::Status PlanItems(absl::Span<const ScheduledItem> items) {
    for (const ScheduledItem& item : items) {
      const bool has_elements = ElementwiseWhileLength(schedule_, item) > 0;
      if (has_elements || IsScalarWhile(schedule_, item)) {
        const size_t number = loops_.size() + element_loops_.size();
        if (has_elements)
          element_loops_[&item] = absl::StrCat(prefix_, "elementwise_while_", number);
        if (!has_elements || !UnitsOfElementwiseWhile(schedule_, item, *target_).finishes_scalars())
          loops_[&item] = absl::StrCat(prefix_, "scalar_while_", number);
        continue;
      }
      if (std::optional<CompiledWhilePlan> plan = PlanCompiledWhile(schedule_, item, *target_)) {
        for (const CompiledWhilePlan::Entry& entry : plan->entries) {
          if (entry.item != nullptr) XLA_RETURN_IF_ERROR(PlanItems({entry.item, 1}));
        }
        native_loop_of_[&item] = native_loops_.size();
        native_loops_.push_back(
            {absl::StrCat(prefix_, "while_", native_loops_.size()), *std::move(plan)});
        continue;
      }
      for (const auto& body : item.bodies) XLA_RETURN_IF_ERROR(PlanItems(body));
      if (item.kind != ScheduledItem::Kind::kInstruction) continue;
      if (LoweringOf(*item.instruction).needs_comparator) {
        const size_t number = comparators_.size();
        comparators_[item.instruction] = absl::StrCat(prefix_, "comparator_", number);
      }
      PlanFunctions(*item.instruction);
      if (item.instruction->opcode() != HloOpcode::kFusion) continue;
      const size_t found = FindOrPlanKernel(item);
      ++kernels_[found].uses;
      kernel_of_[&item] = found;
    }
    return absl::OkStatus();
  }

  // The number of the kernel that computes a fusion.
  size_t FindOrPlanKernel(const ScheduledItem& item) {
    const KernelRequest request = RequestOf(schedule_, item, *target_);
    const HloComputation& computation = *item.instruction->to_apply();
    auto& candidates = by_hash_[computation.Hash()];
    for (const size_t candidate : candidates) {
      const UniqueKernel& kernel = kernels_[candidate];
      if (kernel.plan->is_written == request.is_written &&
          kernel.plan->is_unused == request.is_unused &&
          kernel.plan->epilogue_of == request.epilogue_of &&
          kernel.plan->computation().Equal(computation, /*layout_sensitive=*/false)) {
        return candidate;
      }
    }
    candidates.push_back(kernels_.size());
    UniqueKernel kernel;
    kernel.plan = PlanKernel(request);
    kernel.name = absl::StrCat(prefix_, "kernel_", kernels_.size());
    kernels_.push_back(std::move(kernel));
    return kernels_.size() - 1;
  }

  // Functions of operations that are no fusions.
  void PlanFunctions(const HloInstruction& instruction) {
    const auto add = [&](int64_t operand) {
      const size_t number = functions_.size();
      functions_[{&instruction, operand}] = absl::StrCat(prefix_, "combiner_", number);
    };
    if (IsSelectAndScatter(instruction)) add(0);
    if (instruction.opcode() == HloOpcode::kAllReduce ||
        instruction.opcode() == HloOpcode::kReduceScatter) {
      for (int64_t i = 0; i < instruction.operand_count(); ++i) {
        const Shape& shape = FirstShape(*instruction.operand(i));
        if (CanEmitFold(*instruction.to_apply(), shape.element_type())) add(i);
      }
    }
  }

  absl::Status EmitFunction(Ir& ir, const HloInstruction& instruction, int64_t operand,
                            const char* name) {
    if (IsSelectAndScatter(instruction)) return EmitSelectAndScatter(ir, instruction, name);
    return EmitFold(ir, *instruction.to_apply(),
                    FirstShape(*instruction.operand(operand)).element_type(), name);
  }

  static std::string TextOf(const Ir& ir) {
    char* const text = ir.llvm().LLVMPrintModuleToString(ir.module());
    std::string copy = text;
    ir.llvm().LLVMDisposeMessage(text);
    return copy;
  }

  // The kernels first, first + step, .. and, with the first one, all other functions.
  absl::Status Emit(Ir& ir, size_t first, size_t step) {
    if (first == 0) {
      for (const auto& lowering : applied_lowerings_) {
        ir.set_programs(&programs_);
        XLA_RETURN_IF_ERROR(lowering->Emit(ir, 0, 1));
      }
    }
    if (!programs_.computations().empty()) ir.set_programs(&programs_);
    for (size_t k = first; k < kernels_.size(); k += step) {
      XLA_RETURN_IF_ERROR(PollCompilation(options_));
      const double start = NowSeconds();
      XLA_RETURN_IF_ERROR(EmitKernel(ir, *kernels_[k].plan, kernels_[k].name.c_str()));
      kernels_[k].compile_seconds = NowSeconds() - start;
    }
    if (first != 0) return absl::OkStatus();
    for (const auto& [name, loop] : ByName(loops_))
      XLA_RETURN_IF_ERROR(EmitScalarWhile(ir, schedule_, *loop, name.c_str()));
    for (const auto& [name, loop] : ByName(element_loops_))
      XLA_RETURN_IF_ERROR(EmitElementwiseWhile(ir, schedule_, *loop, name.c_str()));
    for (const NativeLoop& loop : native_loops_)
      XLA_RETURN_IF_ERROR(EmitCompiledWhile(ir, schedule_, loop.plan, loop.name.c_str()));
    for (const auto& [name, sort] : ByName(comparators_))
      XLA_RETURN_IF_ERROR(EmitComparator(ir, *sort->to_apply(), name.c_str()));
    for (const auto& [name, key] : ByName(functions_))
      XLA_RETURN_IF_ERROR(EmitFunction(ir, *key.first, key.second, name.c_str()));
    return absl::OkStatus();
  }

  absl::Status CompileKernels() {
    bool is_without_code = IsWithoutCode();
    for (const auto& lowering : applied_lowerings_) is_without_code &= lowering->IsWithoutCode();
    if (is_without_code) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(const LlvmApi* llvm, LlvmApi::Get());
    // A module for each thread, but no more than there is work for.
    constexpr size_t kKernelsPerModule = 2;
    const size_t threads =
        options_.pool == nullptr ? 1 : static_cast<size_t>(options_.pool->num_threads());
    const size_t count = std::max<size_t>(
        1, std::min(threads * (kernels_.size() > 64 ? 4 : 1),
                    (kernels_.size() + kKernelsPerModule - 1) / kKernelsPerModule));
    program_.code.resize(count);
    std::vector<std::string> llvm_texts(count), assembly_texts(count);
    if (options_.keep_objects) program_.objects.resize(count);
    const CodeCache cache(options_.cache_directory, *target_, VersionText(*llvm));
    const auto compile = [&](int64_t begin, int64_t end) -> absl::Status {
      for (auto m = static_cast<size_t>(begin); m < static_cast<size_t>(end); ++m) {
        Ir ir(*llvm, *target_, "program");
        const double start = NowSeconds();
        XLA_RETURN_IF_ERROR(Emit(ir, m, count));
        XLA_RETURN_IF_ERROR(PollCompilation(options_));
        const double emitted = NowSeconds();
        if (options_.keep_llvm || cache.is_enabled()) llvm_texts[m] = TextOf(ir);
        std::vector<char> object;
        if (cache.is_enabled()) object = cache.Find(llvm_texts[m]);
        const bool is_cached = !object.empty();
        if (!is_cached) {
          XLA_ASSIGN_OR_RETURN(object, GenerateCode(ir, CodeFormat::kObject));
        }
        XLA_ASSIGN_OR_RETURN(program_.code[m], NativeCode::Load(object, ExternalFunctions()));
        if (cache.is_enabled() && !is_cached) cache.Store(llvm_texts[m], object);
        // LLVM's time, divided as that of the emitters.
        const double factor = (NowSeconds() - start) / std::max(emitted - start, 1e-9);
        for (size_t k = m; k < kernels_.size(); k += count) {
          kernels_[k].compile_seconds *= factor;
          kernels_[k].is_cached = is_cached;
        }
        if (options_.keep_assembly) {
          XLA_ASSIGN_OR_RETURN(const std::vector<char> text,
                               GenerateCode(ir, CodeFormat::kAssembly));
          assembly_texts[m].assign(text.begin(), text.end());
        }
        if (options_.keep_objects) program_.objects[m] = std::move(object);
      }
      return absl::OkStatus();
    };
    if (options_.pool == nullptr || count == 1) {
      XLA_RETURN_IF_ERROR(compile(0, static_cast<int64_t>(count)));
    } else {
      XLA_RETURN_IF_ERROR(options_.pool->ParallelFor(static_cast<int64_t>(count), 1, compile));
    }
    code_ = program_.code[0].get();
    for (const std::string& text : llvm_texts) {
      if (options_.keep_llvm) program_.llvm_text += text;
    }
    for (const std::string& text : assembly_texts) program_.assembly_text += text;
    for (size_t k = 0; k < kernels_.size(); ++k) {
      kernels_[k].function =
          reinterpret_cast<KernelFunction>(program_.code[k % count]->Find(kernels_[k].name));
      if (kernels_[k].function == nullptr) return absl::InternalError("a kernel was not compiled");
    }
    return absl::OkStatus();
  }

  std::vector<Slot> SlotsOf(const std::vector<ValueId>& values) const {
    std::vector<Slot> slots;
    for (const ValueId value : values) {
      slots.push_back(value == kNoValue ? Slot() : SlotAt(schedule_.At(value).slice));
    }
    return slots;
  }

  absl::Status Build(const std::vector<ScheduledItem>& items, ThunkSequence& thunks) {
    for (const ScheduledItem& item : items) XLA_RETURN_IF_ERROR(BuildItem(item, thunks));
    return absl::OkStatus();
  }

  absl::Status BuildItem(const ScheduledItem& item, ThunkSequence& thunks) {
    switch (item.kind) {
      case ScheduledItem::Kind::kCopy:
        AddCopy(schedule_.At(item.operands[0]).slice, schedule_.At(item.results[0]).slice,
                schedule_.At(item.results[0]).bytes, thunks);
        break;
      case ScheduledItem::Kind::kWhile: {
        const auto loop = loops_.find(&item);
        const auto elements = element_loops_.find(&item);
        if (loop != loops_.end() || elements != element_loops_.end()) {
          const ScalarWhileArrays arrays = ArraysOfScalarWhile(item);
          std::vector<Slot> slots = SlotsOf(arrays.state);
          const std::vector<Slot> inputs = SlotsOf(arrays.inputs);
          slots.insert(slots.end(), inputs.begin(), inputs.end());
          if (elements != element_loops_.end()) {
            const ElementwiseWhileUnits units = UnitsOfElementwiseWhile(schedule_, item, *target_);
            thunks.push_back(std::make_unique<LoopFunctionThunk>(
                reinterpret_cast<LoopFunction>(code_->Find(elements->second)), slots, units.count,
                units.chunk));
            thunks.back()->set_instruction(item.instruction);
          }
          if (loop != loops_.end()) {
            thunks.push_back(std::make_unique<LoopFunctionThunk>(
                reinterpret_cast<LoopFunction>(code_->Find(loop->second)), std::move(slots)));
            thunks.back()->set_instruction(item.instruction);
          }
          break;
        }
        const auto native = native_loop_of_.find(&item);
        XLA_RETURN_IF_ERROR(native == native_loop_of_.end()
                                ? BuildWhile(item, thunks)
                                : BuildNativeLoop(native_loops_[native->second], thunks));
        break;
      }
      case ScheduledItem::Kind::kConditional: {
        std::vector<ThunkSequence> branches(item.bodies.size());
        for (size_t i = 0; i < branches.size(); ++i) {
          XLA_RETURN_IF_ERROR(Build(item.bodies[i], branches[i]));
        }
        const bool is_predicate = item.instruction->operand(0)->shape().element_type() == PRED;
        thunks.push_back(std::make_unique<ConditionalThunk>(
            is_predicate, memories_.SlotOf(schedule_.At(item.operands[0]).slice),
            std::move(branches)));
        thunks.back()->set_instruction(item.instruction);
        break;
      }
      case ScheduledItem::Kind::kInstruction:
        XLA_RETURN_IF_ERROR(BuildInstruction(item, thunks));
        break;
    }
    return absl::OkStatus();
  }

  absl::Status BuildNativeLoop(const NativeLoop& loop, ThunkSequence& thunks) {
    using Entry = CompiledWhilePlan::Entry;
    std::vector<CompiledWhileThunk::Entry> table;
    std::vector<std::unique_ptr<ThunkSequence>> inner;
    for (size_t t = 0; t <= loop.plan.tables.size(); ++t) {
      if (t > 0) pairs_ = loop.plan.items.at(loop.plan.tables[t - 1]).pairs;
      for (const Entry& entry : loop.plan.entries) {
        CompiledWhileThunk::Entry& added = table.emplace_back();
        switch (entry.kind) {
          case Entry::Kind::kValue:
            if (entry.value != kNoValue) added.slot = SlotAt(schedule_.At(entry.value).slice);
            break;
          case Entry::Kind::kFunction:
            added.kind = CompiledWhileThunk::Entry::Kind::kAddress;
            added.address = reinterpret_cast<void*>(kernels_[kernel_of_.at(entry.item)].function);
            break;
          case Entry::Kind::kThunks: {
            added.kind = CompiledWhileThunk::Entry::Kind::kAddress;
            if (t > 0) break;  // loops that exchange have none
            auto built = std::make_unique<ThunkSequence>();
            XLA_RETURN_IF_ERROR(BuildItem(*entry.item, *built));
            added.address = built.get();
            inner.push_back(std::move(built));
            break;
          }
          case Entry::Kind::kRun:
            added.kind = CompiledWhileThunk::Entry::Kind::kRun;
            break;
        }
      }
    }
    pairs_.clear();
    thunks.push_back(
        std::make_unique<CompiledWhileThunk>(reinterpret_cast<LoopFunction>(code_->Find(loop.name)),
                                             std::move(table), std::move(inner)));
    thunks.back()->set_instruction(loop.plan.loop->instruction);
    return absl::OkStatus();
  }

  absl::Status BuildWhile(const ScheduledItem& item, ThunkSequence& thunks) {
    const std::vector<PingPongPair> pairs = PingPongPairsOf(schedule_, item);
    std::vector<WhileThunk::Turn> turns(pairs.empty() ? 1 : 2);
    for (size_t turn = 0; turn < turns.size(); ++turn) {
      if (turn == 1) pairs_ = pairs;
      XLA_RETURN_IF_ERROR(Build(item.bodies[0], turns[turn].condition));
      if (pairs.empty()) {
        XLA_RETURN_IF_ERROR(Build(item.bodies[1], turns[turn].body));
        continue;
      }
      for (const ScheduledItem& part : item.bodies[1]) {
        const bool is_swapped_copy =
            part.kind == ScheduledItem::Kind::kCopy &&
            std::any_of(pairs.begin(), pairs.end(), [&](const PingPongPair& pair) {
              return part.operands[0] == pair.next && part.results[0] == pair.state;
            });
        if (!is_swapped_copy) XLA_RETURN_IF_ERROR(BuildItem(part, turns[turn].body));
      }
    }
    pairs_.clear();
    ThunkSequence finish;
    for (const PingPongPair& pair : pairs) {
      AddCopy(schedule_.At(pair.next).slice, schedule_.At(pair.state).slice,
              schedule_.At(pair.state).bytes, finish);
    }
    thunks.push_back(std::make_unique<WhileThunk>(
        memories_.SlotOf(schedule_.At(item.predicate).slice), std::move(turns), std::move(finish)));
    thunks.back()->set_instruction(item.instruction);
    return absl::OkStatus();
  }

  absl::Status BuildInstruction(const ScheduledItem& item, ThunkSequence& thunks) {
    if (item.contraction != nullptr) return BuildContraction(item, thunks);
    const HloInstruction& instruction = *item.instruction;
    std::vector<Slot> operands = SlotsOf(item.operands);
    const std::vector<Slot> results = SlotsOf(item.results);
    if (instruction.opcode() == HloOpcode::kFusion) {
      const UniqueKernel& kernel = kernels_[kernel_of_.at(&item)];
      const std::vector<int64_t>& updated = LoweringOf(instruction).updated;
      for (size_t r = 0; r < updated.size(); ++r) {
        const auto operand = static_cast<size_t>(updated[r]);
        AddCopy(schedule_.At(item.operands[operand]).slice, schedule_.At(item.results[r]).slice,
                schedule_.At(item.results[r]).bytes, thunks);
        operands[operand] = results[r];
      }
      operands.insert(operands.end(), results.begin(), results.end());
      if (kernel.plan->units == 0) return absl::OkStatus();
      thunks.push_back(std::make_unique<KernelThunk>(kernel.function, std::move(operands),
                                                     kernel.plan->units, kernel.plan->chunk));
      thunks.back()->set_instruction(&instruction);
      return absl::OkStatus();
    }
    SortComparator comparator = nullptr;
    const auto name = comparators_.find(&instruction);
    if (name != comparators_.end()) {
      comparator = reinterpret_cast<SortComparator>(code_->Find(name->second));
    }
    std::unique_ptr<const kernels::Kernel> prepared;
    if (!(IsLapackCall(instruction) && options_.custom_calls != nullptr &&
          options_.custom_calls->Contains(instruction.custom_call_target()))) {
      XLA_ASSIGN_OR_RETURN(prepared, MakePreparedKernel(instruction, comparator));
    }
    if (prepared != nullptr) {
      program_.prepared.push_back(prepared.get());
      if (HasForms(instruction)) program_.chosen.push_back({&instruction, {}});
      operands.insert(operands.end(), results.begin(), results.end());
      thunks.push_back(std::make_unique<PreparedStep>(std::move(prepared), std::move(operands),
                                                      schedule_.scratch_bytes));
      thunks.back()->set_instruction(&instruction);
      if (IsLapackCall(instruction)) {
        thunks.back() = std::make_unique<OverridableThunk>(
            &instruction, std::move(thunks.back()),
            std::make_unique<LibraryThunk>(CallCustom, &instruction, PresentSlots(item.operands),
                                           PresentSlots(item.results),
                                           std::vector<CombinerFunction>()));
      }
      return absl::OkStatus();
    }
    if (IsSelectAndScatter(instruction)) {
      const SelectAndScatterPlan plan = PlanSelectAndScatter(instruction, target_->machine);
      operands.insert(operands.end(), results.begin(), results.end());
      thunks.push_back(std::make_unique<KernelThunk>(
          reinterpret_cast<KernelFunction>(code_->Find(functions_.at({&instruction, 0}))),
          std::move(operands), plan.units, plan.chunk));
      thunks.back()->set_instruction(&instruction);
      return absl::OkStatus();
    }
    if (instruction.opcode() == HloOpcode::kCustomCall &&
        instruction.custom_call_target() == kBitcastTarget) {
      XLA_ASSIGN_OR_RETURN(Shape to, BitcastResult(instruction));
      thunks.push_back(std::make_unique<BitcastThunk>(
          &instruction,
          instruction.attributes<CustomCallAttributes>().operand_layout_constraints->front(),
          std::move(to), operands[0], results[0]));
      return absl::OkStatus();
    }
    const LibraryFunction function = FindLibraryFunction(instruction);
    if (function == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("the CPU compiler does not implement ", instruction.ToShortString()));
    }
    std::vector<CombinerFunction> folds;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const auto found = functions_.find({&instruction, i});
      if (found == functions_.end()) continue;
      folds.resize(static_cast<size_t>(i) + 1, nullptr);
      folds.back() = reinterpret_cast<CombinerFunction>(code_->Find(found->second));
    }
    thunks.push_back(std::make_unique<LibraryThunk>(
        function, &instruction, PresentSlots(item.operands), PresentSlots(item.results),
        std::move(folds), MakeCallSite(instruction)));
    return absl::OkStatus();
  }

  // A dot or convolution that a fusion finishes.
  absl::Status BuildContraction(const ScheduledItem& item, ThunkSequence& thunks) {
    const std::vector<Slot> operands = SlotsOf(item.operands), results = SlotsOf(item.results);
    const auto own = operands.begin() + item.instruction->operand_count();
    std::vector<Slot> buffers(own, operands.end());
    buffers.push_back(results[0]);
    buffers.insert(buffers.end(), operands.begin(), own);
    kernels::KernelEpilogue epilogue;
    epilogue.store = reinterpret_cast<decltype(epilogue.store)>(
        reinterpret_cast<void*>(kernels_[kernel_of_.at(&item)].function));
    epilogue.in_place =
        item.contraction->shape().element_type() == item.instruction->shape().element_type();
    XLA_ASSIGN_OR_RETURN(auto prepared, MakePreparedKernel(*item.contraction, nullptr, epilogue));
    program_.prepared.push_back(prepared.get());
    program_.chosen.push_back({item.contraction, epilogue});
    thunks.push_back(std::make_unique<PreparedStep>(std::move(prepared), std::move(buffers),
                                                    schedule_.scratch_bytes));
    thunks.back()->set_instruction(item.instruction);
    return absl::OkStatus();
  }

  std::vector<std::optional<Slot>> PresentSlots(const std::vector<ValueId>& values) const {
    std::vector<std::optional<Slot>> slots;
    for (const ValueId value : values) {
      slots.emplace_back();
      if (value != kNoValue) slots.back() = memories_.SlotOf(schedule_.At(value).slice);
    }
    return slots;
  }

  const ProgramSchedule& schedule_;
  const MemoryNumbers& memories_;
  const CpuCompileOptions& options_;
  const Target* const target_;
  std::vector<UniqueKernel> kernels_;
  std::map<size_t, std::vector<size_t>> by_hash_;
  std::map<const ScheduledItem*, size_t> kernel_of_;
  std::map<const HloInstruction*, std::string> comparators_;   // of sorts
  std::map<const ScheduledItem*, std::string> loops_;          // that are one function
  std::map<const ScheduledItem*, std::string> element_loops_;  // those of arrays among them
  std::vector<NativeLoop> native_loops_;
  std::map<const ScheduledItem*, size_t> native_loop_of_;
  // By instruction and operand: see PlanFunctions.
  std::map<std::pair<const HloInstruction*, int64_t>, std::string> functions_;
  std::vector<PingPongPair> pairs_;   // in the code that is built
  std::string prefix_;                // of the names of functions
  const NativeCode* code_ = nullptr;  // with all functions but kernels
  NestedPrograms programs_;
  std::vector<std::unique_ptr<MemoryNumbers>> applied_memories_;
  std::vector<std::unique_ptr<ProgramLowering>> applied_lowerings_;
  LoweredProgram program_;
};

}  // namespace

bool UsesThreadMemory(int64_t bytes, int threads) {
  return bytes > 0 && bytes <= kUsualMachine.second_level_bytes * threads;
}

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

absl::StatusOr<LoweredProgram> LowerProgram(const ProgramSchedule& schedule,
                                            const MemoryNumbers& memories,
                                            const CpuCompileOptions& options) {
  XLA_ASSIGN_OR_RETURN(const Target* target, HostTarget(MaxInstructionSet()));
  return ProgramLowering(schedule, memories, options, *target).Run();
}

absl::StatusOr<GeneratedProgram> GenerateProgram(const ProgramSchedule& schedule,
                                                 const Target& target) {
  return ProgramLowering(schedule, MemoryNumbers(), CpuCompileOptions(), target).Generate();
}

}  // namespace xla::cpu
