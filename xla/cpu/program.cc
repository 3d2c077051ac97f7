// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/program.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/code_generator.h"
#include "xla/cpu/entry_layouts.h"
#include "xla/cpu/fusion.h"
#include "xla/cpu/lowering.h"
#include "xla/cpu/schedule.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/passes/cpu_pipeline.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla {
namespace {

using cpu::RunState;

void CollectProgramLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) CollectProgramLeaves(element, leaves);
}

DimensionVector DenseStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size(), 1);
  for (size_t d = dimensions.size(); d-- > 1;) strides[d - 1] = strides[d] * dimensions[d];
  return strides;
}

// In elements, of an array in its layout's order.
DimensionVector StridesOfLayout(const Shape& shape) {
  if (!shape.has_layout()) return DenseStrides(shape.dimensions());
  DimensionVector strides(static_cast<size_t>(shape.rank()), 1);
  int64_t stride = 1;
  for (const int64_t d : shape.layout().minor_to_major()) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimensions(static_cast<int>(d));
  }
  return strides;
}

// Dimensions of one element do not count.
bool SameOrder(const Shape& shape, absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) != 1 && a[d] != b[d]) return false;
  }
  return true;
}

int64_t DenseBytes(const Shape& shape) {
  if (!shape.IsArray()) return 0;
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  for (const int64_t size : shape.dimensions()) bytes *= size;
  return bytes;
}

absl::Status CopyStrided(RunState& state, const Shape& shape, const void* from,
                         absl::Span<const int64_t> from_strides, void* to,
                         absl::Span<const int64_t> to_strides) {
  if (DenseBytes(shape) == 0) return absl::OkStatus();
  const StridedCopyPlan plan(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                             to, to_strides, from, from_strides);
  return state.ParallelFor(plan.tasks(), plan.tasks_per_chunk(), [&](int64_t begin, int64_t end) {
    plan.Run(begin, end);
    return absl::OkStatus();
  });
}

// Memory that is freed at the end of a run.
class OwnedBlocks {
 public:
  ~OwnedBlocks() {
    for (void* block : blocks_) runtime::FreeHostMemory(block);
  }
  absl::StatusOr<char*> Allocate(int64_t bytes) {
    void* block = runtime::AllocateHostMemory(static_cast<size_t>(bytes));
    if (block == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", bytes, " bytes"));
    }
    blocks_.push_back(block);
    return static_cast<char*>(block);
  }

 private:
  absl::InlinedVector<void*, 2> blocks_;
};

absl::Status CheckStaticShapes(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      std::vector<Shape> leaves;
      CollectProgramLeaves(instruction->shape(), leaves);
      for (const Shape& leaf : leaves) {
        if (leaf.IsArray() && leaf.is_dynamic()) {
          return absl::UnimplementedError(absl::StrCat(
              "the CPU compiler does not implement dynamic sizes: ", instruction->ToShortString()));
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

struct CpuProgram::Impl {
  std::unique_ptr<HloModule> module;
  cpu::ProgramSchedule schedule;
  cpu::MemoryNumbers memories;
  cpu::LoweredProgram lowered;
  std::vector<Shape> argument_leaves, result_leaves;  // the latter with layouts
  // How the leaves are in the memory of the program.
  std::vector<DimensionVector> argument_strides, result_strides;
  Shape result_shape;
  std::vector<char*> constants;
  std::vector<std::unique_ptr<char[]>> copied_constants;  // of other layouts

  // Scratch memories that no run uses. One for each run that there was at the same time.
  struct Arena {
    void* memory = nullptr;
    int64_t bytes = 0;
  };
  mutable std::mutex mutex;
  mutable std::vector<Arena> arenas;

  ~Impl() {
    for (const Arena& arena : arenas) runtime::FreeHostMemory(arena.memory);
  }

  int64_t ScratchBytes(int threads) const {
    int64_t library = 0;
    for (const kernels::Kernel* kernel : lowered.prepared) {
      const int64_t bytes = kernel->ScratchBytes(threads);
      if (!cpu::UsesThreadMemory(bytes, threads)) library = std::max(library, bytes);
    }
    return schedule.scratch_bytes + library;
  }

  absl::StatusOr<Arena> TakeArena(int threads) const {
    const int64_t bytes = ScratchBytes(threads);
    if (bytes == 0) return Arena();
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (size_t i = arenas.size(); i-- > 0;) {
        if (arenas[i].bytes < bytes) continue;
        const Arena arena = arenas[i];
        arenas.erase(arenas.begin() + static_cast<std::ptrdiff_t>(i));
        return arena;
      }
    }
    void* memory = runtime::AllocateHostMemory(static_cast<size_t>(bytes));
    if (memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", bytes, " bytes of scratch memory"));
    }
    return Arena{memory, bytes};
  }

  void GiveArena(const Arena& arena) const {
    if (arena.memory == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex);
    arenas.push_back(arena);
  }

  void SetLeaves(const HloModule& source) {
    const HloComputation& entry = *source.entry_computation();
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      CollectProgramLeaves(parameter->shape(), argument_leaves);
    }
    result_shape = entry.root_instruction()->shape();
    if (source.config().entry_computation_layout.has_value() &&
        ShapeUtil::Compatible(source.entry_computation_layout().result(), result_shape)) {
      result_shape = source.entry_computation_layout().result();
    }
    CollectProgramLeaves(result_shape, result_leaves);
  }

  // Row-major, or as the entry layout says where that became a transpose.
  void SetStrides(const HloModule& source, const cpu::NormalizedLayouts& normalized) {
    const auto add = [](const Shape& shape, bool is_normalized,
                        std::vector<DimensionVector>& strides) {
      std::vector<Shape> leaves;
      CollectProgramLeaves(shape, leaves);
      for (const Shape& leaf : leaves) {
        if (!leaf.IsArray()) {
          strides.emplace_back();
        } else {
          strides.push_back(is_normalized ? StridesOfLayout(leaf)
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

  absl::Status MakeConstants() {
    for (const HloInstruction* instruction : schedule.constants) {
      const Literal& literal = instruction->literal();
      const Shape& shape = literal.shape();
      const DimensionVector strides = StridesOfLayout(shape);
      if (SameOrder(shape, strides, DenseStrides(shape.dimensions())) || DenseBytes(shape) == 0) {
        constants.push_back(const_cast<char*>(static_cast<const char*>(literal.untyped_data())));
        continue;
      }
      auto copy = std::make_unique<char[]>(static_cast<size_t>(DenseBytes(shape)));
      const StridedCopyPlan plan(primitive_util::ByteWidth(shape.element_type()),
                                 shape.dimensions(), copy.get(), DenseStrides(shape.dimensions()),
                                 literal.untyped_data(), strides);
      plan.Run(0, plan.tasks());
      constants.push_back(copy.get());
      copied_constants.push_back(std::move(copy));
    }
    return absl::OkStatus();
  }
};

CpuProgram::CpuProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CpuProgram::~CpuProgram() = default;

int64_t CpuProgram::ScratchBytes(int threads) const { return impl_->ScratchBytes(threads); }
int64_t CpuProgram::ThreadBytes(int threads) const {
  int64_t most = 0;
  for (const kernels::Kernel* kernel : impl_->lowered.prepared) {
    const int64_t bytes = kernel->ScratchBytes(threads);
    if (cpu::UsesThreadMemory(bytes, threads)) most = std::max(most, bytes);
  }
  return most;
}
const std::vector<CpuProgram::KernelReport>& CpuProgram::kernels() const {
  return impl_->lowered.kernels;
}
const HloModule& CpuProgram::optimized_module() const { return *impl_->module; }
const std::string& CpuProgram::llvm_text() const { return impl_->lowered.llvm_text; }
const std::string& CpuProgram::assembly_text() const { return impl_->lowered.assembly_text; }

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
  if (module.config().replica_count * module.config().num_partitions != 1) {
    return absl::UnimplementedError("the CPU compiler does not implement several devices");
  }
  XLA_RETURN_IF_ERROR(CheckStaticShapes(module));
  auto impl = std::make_unique<Impl>();
  impl->module = module.Clone();
  HloModule* const clone = impl->module.get();
  impl->SetLeaves(*clone);
  XLA_ASSIGN_OR_RETURN(const cpu::NormalizedLayouts normalized, cpu::NormalizeEntryLayouts(clone));
  impl->SetStrides(module, normalized);
  XLA_RETURN_IF_ERROR(cpu::ExpandBitcasts(clone));
  XLA_RETURN_IF_ERROR(CpuPipeline(/*constant_folding=*/std::nullopt).Run(clone).status());
  XLA_RETURN_IF_ERROR(FlattenCalls(clone).status());
  XLA_RETURN_IF_ERROR(cpu::FuseForCpu(clone).status());
  XLA_RETURN_IF_ERROR(FlattenCalls(clone).status());
  XLA_ASSIGN_OR_RETURN(impl->schedule, cpu::ScheduleProgram(*clone));

  impl->memories.arguments = static_cast<int32_t>(impl->argument_leaves.size());
  impl->memories.results = static_cast<int32_t>(impl->result_leaves.size());
  XLA_RETURN_IF_ERROR(impl->MakeConstants());
  XLA_ASSIGN_OR_RETURN(impl->lowered, cpu::LowerProgram(impl->schedule, impl->memories, options));
  return std::unique_ptr<CpuProgram>(new CpuProgram(std::move(impl)));
}

absl::Status CpuProgram::RunOnBuffers(absl::Span<const runtime::ArgumentView> arguments,
                                      absl::Span<runtime::ResultView> results,
                                      const runtime::ExecutionContext& context,
                                      runtime::RunStatistics* statistics) const {
  return RunWith({}, arguments, results, context, statistics);
}

absl::StatusOr<std::vector<CpuProgram::ProfileEntry>> CpuProgram::Profile(
    absl::Span<const runtime::ArgumentView> arguments,
    const runtime::ExecutionContext& context) const {
  std::vector<runtime::ResultView> results(impl_->result_leaves.size());
  cpu::StepTimes times;
  XLA_RETURN_IF_ERROR(
      RunWith({.profile = &times}, arguments, absl::MakeSpan(results), context, nullptr));
  for (const runtime::ResultView& result : results) {
    if (result.is_new) runtime::FreeHostMemory(result.data);
  }
  std::vector<ProfileEntry> entries;
  for (const auto& [instruction, time] : times.entries) {
    ProfileEntry entry;
    entry.runs = time.runs;
    entry.seconds = time.seconds;
    if (instruction != nullptr) {
      entry.name = instruction->name();
      entry.text = instruction->ToShortString();
      std::vector<Shape> leaves;
      CollectProgramLeaves(instruction->shape(), leaves);
      for (const HloInstruction* operand : instruction->operands()) {
        CollectProgramLeaves(operand->shape(), leaves);
      }
      for (const Shape& leaf : leaves) entry.bytes += static_cast<double>(DenseBytes(leaf));
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const ProfileEntry& a, const ProfileEntry& b) { return a.seconds > b.seconds; });
  return entries;
}

absl::Status CpuProgram::RunWith(const cpu::RunExtras& extras,
                                 absl::Span<const runtime::ArgumentView> arguments,
                                 absl::Span<runtime::ResultView> results,
                                 const runtime::ExecutionContext& context,
                                 runtime::RunStatistics* statistics) const {
  const Impl& impl = *impl_;
  if (arguments.size() != impl.argument_leaves.size() ||
      results.size() != impl.result_leaves.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", impl.module->name(), " takes ", impl.argument_leaves.size(),
                     " buffers and makes ", impl.result_leaves.size(), "; ", arguments.size(),
                     " and ", results.size(), " were given"));
  }
  std::unique_ptr<runtime::ThreadPool> own_pool;
  runtime::ThreadPool* pool = context.pool;
  if (pool == nullptr) {
    own_pool = std::make_unique<runtime::ThreadPool>();
    pool = own_pool.get();
  }
  OwnedBlocks blocks;
  absl::InlinedVector<char*, 32> bases(
      static_cast<size_t>(impl.memories.constants_begin()) + impl.constants.size(), nullptr);
  RunState state(context, *pool, bases.data());
  state.set_extras(extras);
  XLA_RETURN_IF_ERROR(state.Poll());
  int64_t bytes = 0, copies = 0, copied_bytes = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = impl.argument_leaves[i];
    const runtime::ArgumentView& argument = arguments[i];
    if (!shape.IsArray()) continue;
    if (argument.shape == nullptr || argument.shape->dimensions() != shape.dimensions() ||
        argument.shape->element_type() != shape.element_type() ||
        argument.size_bytes < DenseBytes(shape)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument buffer ", i, " does not hold ", shape.ToString()));
    }
    bytes += DenseBytes(shape);
    const DimensionVector strides = StridesOfLayout(*argument.shape);
    char*& base = bases[1 + i];
    base = static_cast<char*>(argument.data);
    if (!SameOrder(shape, strides, impl.argument_strides[i])) {
      XLA_ASSIGN_OR_RETURN(base, blocks.Allocate(DenseBytes(shape)));
      XLA_RETURN_IF_ERROR(
          CopyStrided(state, shape, argument.data, strides, base, impl.argument_strides[i]));
      ++copies;
      copied_bytes += DenseBytes(shape);
    }
  }
  // Results go to the caller's memory, or to memory for the caller; through a copy where the layout
  // differs or an argument is to be overwritten.
  std::vector<char*> new_blocks;
  absl::InlinedVector<char*, 8> final_places(results.size(), nullptr);
  const auto give_up = [&](absl::Status status) {
    for (char* block : new_blocks) runtime::FreeHostMemory(block);
    for (runtime::ResultView& result : results) result = runtime::ResultView();
    return status;
  };
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape& shape = impl.result_leaves[k];
    runtime::ResultView& result = results[k];
    if (!shape.IsArray()) continue;
    const absl::StatusOr<int64_t> needed = runtime::ArrayBytes(shape);
    if (!needed.ok()) return give_up(needed.status());
    bytes += *needed;
    char*& base = bases[1 + arguments.size() + k];
    if (result.data == nullptr) {
      void* memory = runtime::AllocateHostMemory(static_cast<size_t>(*needed));
      if (memory == nullptr) {
        return give_up(absl::ResourceExhaustedError(
            absl::StrCat("the system has no memory for a result of ", *needed, " bytes")));
      }
      result = {.data = memory, .size_bytes = *needed, .donor = -1, .is_new = true};
      new_blocks.push_back(static_cast<char*>(memory));
    } else if (result.size_bytes < *needed) {
      return give_up(absl::InvalidArgumentError(absl::StrCat("the memory for a result of shape ",
                                                             shape.ToString(), " has ",
                                                             result.size_bytes, " bytes")));
    }
    base = static_cast<char*>(result.data);
    // Kernels store whole vectors.
    const bool is_aligned = reinterpret_cast<uintptr_t>(base) % runtime::kHostMemoryAlignment == 0;
    if (!is_aligned || !SameOrder(shape, StridesOfLayout(shape), impl.result_strides[k])) {
      final_places[k] = base;
      absl::StatusOr<char*> block = blocks.Allocate(DenseBytes(shape));
      if (!block.ok()) return give_up(block.status());
      base = *block;
    }
  }
  std::copy(impl.constants.begin(), impl.constants.end(),
            bases.begin() + impl.memories.constants_begin());
  absl::StatusOr<Impl::Arena> arena = impl.TakeArena(pool->num_threads());
  if (!arena.ok()) return give_up(arena.status());
  bases[0] = static_cast<char*>(arena->memory);
  absl::Status status = cpu::RunSteps(impl.lowered.steps, state);
  for (size_t k = 0; k < results.size() && status.ok(); ++k) {
    if (final_places[k] == nullptr) continue;
    const Shape& shape = impl.result_leaves[k];
    status = CopyStrided(state, shape, bases[1 + arguments.size() + k], impl.result_strides[k],
                         final_places[k], StridesOfLayout(shape));
    ++copies;
    copied_bytes += DenseBytes(shape);
  }
  impl.GiveArena(*arena);
  if (!status.ok()) return give_up(status);
  if (statistics != nullptr) {
    *statistics = {};
    statistics->peak_bytes = bytes + impl.ScratchBytes(pool->num_threads());
    statistics->instructions = static_cast<int64_t>(impl.lowered.steps.size());
    statistics->copies = copies;
    statistics->copied_bytes = copied_bytes;
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> CpuProgram::Run(absl::Span<const Literal* const> arguments,
                                        const runtime::ExecutionContext& context,
                                        runtime::RunStatistics* statistics,
                                        const CpuCustomCalls* custom_calls) const {
  const HloComputation& entry = *impl_->module->entry_computation();
  if (static_cast<int64_t>(arguments.size()) != entry.num_parameters()) {
    return absl::InvalidArgumentError(absl::StrCat("module ", impl_->module->name(), " takes ",
                                                   entry.num_parameters(), " arguments; ",
                                                   arguments.size(), " were given"));
  }
  std::vector<runtime::ArgumentView> views;
  for (const Literal* argument : arguments) {
    ShapeUtil::ForEachSubshape(argument->shape(), [&](const Shape& part, const ShapeIndex& index) {
      if (part.IsTuple()) return;
      runtime::ArgumentView view;
      view.shape = &ShapeUtil::GetSubshape(argument->shape(), index);
      if (part.IsArray()) {
        view.data = const_cast<void*>(argument->untyped_data(index));
        view.size_bytes = DenseBytes(part);
      }
      views.push_back(view);
    });
  }
  Literal result(impl_->result_shape);
  std::vector<runtime::ResultView> leaves;
  ShapeUtil::ForEachSubshape(impl_->result_shape, [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    runtime::ResultView view;
    if (part.IsArray()) {
      view.data = result.untyped_data(index);
      view.size_bytes = DenseBytes(part);
    }
    leaves.push_back(view);
  });
  XLA_RETURN_IF_ERROR(
      RunWith({.custom_calls = custom_calls}, views, absl::MakeSpan(leaves), context, statistics));
  return result;
}

}  // namespace xla
