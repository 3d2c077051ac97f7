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
#include "xla/cpu/plan/entry_layouts.h"
#include "xla/cpu/program_impl.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/debug_options_flags.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla {
namespace {

void CollectProgramLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) CollectProgramLeaves(element, leaves);
}

int DynamicDimensions(const Shape& leaf) {
  int count = 0;
  for (int d = 0; leaf.IsArray() && d < leaf.rank(); ++d)
    count += leaf.is_dynamic_dimension(d) ? 1 : 0;
  return count;
}

// The first memory of each leaf, and after them their number.
std::vector<int32_t> NumberMemories(const std::vector<Shape>& leaves, int32_t& count) {
  std::vector<int32_t> numbers;
  count = 0;
  for (const Shape& leaf : leaves) {
    numbers.push_back(count);
    count += 1 + DynamicDimensions(leaf);
  }
  return numbers;
}

// Whether both strides are the same, ignoring dimensions of size 1.
bool SameOrder(const Shape& shape, absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) != 1 && a[d] != b[d]) return false;
  }
  return true;
}

// The number of the leaf at an index.
int32_t LeafAt(const Shape& shape, absl::Span<const int64_t> index) {
  if (index.empty()) return 0;
  int64_t position = 0;
  for (int i = 0; i < index[0]; ++i) position += ShapeUtil::GetLeafCount(shape.tuple_shapes(i));
  return static_cast<int32_t>(position) +
         LeafAt(shape.tuple_shapes(static_cast<int>(index[0])), index.subspan(1));
}

// Strides of a dense array whose dimensions are in the order of the layout, if it has one.
DimensionVector DenseStridesInOrder(const Shape& shape) {
  Shape dense(shape.element_type(), shape.dimensions());
  if (shape.has_layout()) {
    const auto order = shape.layout().minor_to_major();
    *dense.mutable_layout() = Layout(std::vector<int64_t>(order.begin(), order.end()));
  }
  return StridesOfLayout(dense);
}

// Row-major, or as the entry layout says where that became a transpose.
void SetStrides(const HloModule& source, const cpu::NormalizedLayouts& normalized,
                const Shape& result_shape, std::vector<DimensionVector>& argument_strides,
                std::vector<DimensionVector>& result_strides) {
  const auto add = [](const Shape& shape, bool is_normalized,
                      std::vector<DimensionVector>& strides) {
    std::vector<Shape> leaves;
    CollectProgramLeaves(shape, leaves);
    for (const Shape& leaf : leaves) {
      if (!leaf.IsArray()) {
        strides.emplace_back();
      } else {
        strides.push_back(is_normalized ? DenseStridesInOrder(leaf)
                                        : DenseStrides(leaf.dimensions()));
      }
    }
  };
  const HloComputation& entry = *source.entry_computation();
  for (int64_t i = 0; i < entry.num_parameters(); ++i) {
    const bool is_normalized = normalized.parameters[static_cast<size_t>(i)];
    add(is_normalized ? source.entry_computation_layout().parameters(static_cast<int>(i))
                      : entry.parameter_instruction(i)->shape(),
        is_normalized, argument_strides);
  }
  if (!result_shape.IsTuple()) {
    add(result_shape, normalized.results[0], result_strides);
    return;
  }
  for (size_t i = 0; i < result_shape.tuple_shapes().size(); ++i) {
    add(result_shape.tuple_shapes(static_cast<int>(i)), normalized.results[i], result_strides);
  }
}

// Constants as the program reads them: dense and row-major.
void MakeConstants(const cpu::ProgramSchedule& schedule, std::vector<char*>& constants,
                   std::vector<std::unique_ptr<char[]>>& copied_constants) {
  for (const HloInstruction* instruction : schedule.constants) {
    const Literal& literal = instruction->literal();
    const Shape& shape = literal.shape();
    const DimensionVector strides = StridesOfLayout(shape);
    if (SameOrder(shape, strides, DenseStrides(shape.dimensions())) ||
        cpu::DenseArrayBytes(shape) == 0) {
      constants.push_back(const_cast<char*>(static_cast<const char*>(literal.untyped_data())));
      continue;
    }
    auto copy = std::make_unique<char[]>(static_cast<size_t>(cpu::DenseArrayBytes(shape)));
    const StridedCopyPlan plan(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                               copy.get(), DenseStrides(shape.dimensions()), literal.untyped_data(),
                               strides);
    plan.Run(0, plan.tasks());
    constants.push_back(copy.get());
    copied_constants.push_back(std::move(copy));
  }
}

}  // namespace

CpuProgram::Impl::~Impl() {
  for (const Arena& arena : arenas) runtime::FreeHostMemory(arena.memory);
}

int64_t CpuProgram::Impl::ScratchBytes(int threads) const {
  int64_t library = 0;
  for (const kernels::Kernel* kernel : lowered.prepared) {
    const int64_t bytes = kernel->ScratchBytes(threads);
    if (!cpu::UsesThreadMemory(bytes, threads)) library = std::max(library, bytes);
  }
  return schedule.scratch_bytes + library;
}

int64_t CpuProgram::Impl::NestedBytes(int threads) const {
  int64_t bytes = 0;
  for (const auto& nested : lowered.nested) bytes += nested->FrameBytes() * threads;
  return bytes;
}

absl::StatusOr<CpuProgram::Impl::Arena> CpuProgram::Impl::TakeArena(int threads,
                                                                    size_t pointers) const {
  const int64_t bytes = ScratchBytes(threads);
  Arena arena;
  if (bytes == 0 && pointers == 0) return arena;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = arenas.size(); i-- > 0;) {
      if (arenas[i].bytes < bytes) continue;
      arena = std::move(arenas[i]);
      arenas.erase(arenas.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  if (arena.memory == nullptr && bytes > 0) {
    arena.memory = runtime::AllocateHostMemory(static_cast<size_t>(bytes));
    if (arena.memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", bytes, " bytes of scratch memory"));
    }
    arena.bytes = bytes;
  }
  arena.pointers.resize(pointers);
  return arena;
}

void CpuProgram::Impl::GiveArena(Arena arena) const {
  if (arena.memory == nullptr && arena.pointers.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex);
  arenas.push_back(std::move(arena));
}

void CpuProgram::Impl::SetLeaves(const HloModule& source) {
  const HloComputation& entry = *source.entry_computation();
  for (const HloInstruction* parameter : entry.parameter_instructions()) {
    CollectProgramLeaves(parameter->shape(), argument_leaves);
  }
  result_shape = entry.root_instruction()->shape();
  if (source.config().has_entry_computation_layout() &&
      ShapeUtil::Compatible(source.entry_computation_layout().result(), result_shape)) {
    result_shape = source.entry_computation_layout().result();
  }
  CollectProgramLeaves(result_shape, result_leaves);
  argument_memory = NumberMemories(argument_leaves, memories.arguments);
  result_memory = NumberMemories(result_leaves, memories.results);
}

// Pairs of one layout, of static shapes; a result of another layout is copied anyway.
void CpuProgram::Impl::SetDonors(const HloModule& source) {
  donors.assign(result_leaves.size(), -1);
  const HloComputation& entry = *source.entry_computation();
  for (const InputOutputAlias& alias : source.config().input_output_alias) {
    int32_t argument = 0;
    for (int64_t i = 0; i < alias.parameter_number; ++i) {
      argument +=
          static_cast<int32_t>(ShapeUtil::GetLeafCount(entry.parameter_instruction(i)->shape()));
    }
    argument +=
        LeafAt(entry.parameter_instruction(alias.parameter_number)->shape(), alias.parameter_index);
    const auto a = static_cast<size_t>(argument),
               k = static_cast<size_t>(LeafAt(result_shape, alias.output_index));
    const Shape &from = argument_leaves[a], &to = result_leaves[k];
    if (!from.IsArray() || from.is_dynamic() || to.is_dynamic() ||
        from.element_type() != to.element_type() || from.dimensions() != to.dimensions() ||
        !SameOrder(from, argument_strides[a], result_strides[k]) ||
        !SameOrder(to, StridesOfLayout(to), result_strides[k])) {
      continue;
    }
    donors[k] = argument;
  }
}

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
  // LLVM's tables and passes are set up when code is first generated: a reduction of rows.
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
  if (options.flush_subnormals) impl->floating_point_mode = FloatingPointMode::FlushingSubnormals();
  impl->module = module.Clone();
  HloModule* const clone = impl->module.get();
  XLA_RETURN_IF_ERROR(RunCpuPipeline(clone, options, &impl->pass_statistics));
  impl->SetLeaves(module);
  SetStrides(module, cpu::LayoutsToNormalize(module), impl->result_shape, impl->argument_strides,
             impl->result_strides);
  impl->SetDonors(module);
  std::vector<cpu::MemoryAlias> aliases;
  for (size_t k = 0; k < impl->donors.size(); ++k) {
    if (impl->donors[k] < 0) continue;
    aliases.push_back(
        {impl->argument_memory[static_cast<size_t>(impl->donors[k])], impl->result_memory[k]});
  }
  XLA_ASSIGN_OR_RETURN(impl->schedule, cpu::ScheduleProgram(*clone, aliases));
  XLA_RETURN_IF_ERROR(cpu::PollCompilation(options));
  MakeConstants(impl->schedule, impl->constants, impl->copied_constants);
  XLA_ASSIGN_OR_RETURN(impl->lowered, cpu::LowerProgram(impl->schedule, impl->memories, options));
  for (const auto& nested : impl->lowered.nested)
    MakeConstants(nested->schedule(), nested->constants, nested->copied_constants);
  return std::unique_ptr<CpuProgram>(new CpuProgram(std::move(impl)));
}

}  // namespace xla
