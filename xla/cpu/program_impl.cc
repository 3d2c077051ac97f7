// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/program_impl.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/cpu/plan/entry_layouts.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/cpu/run/prepared_kernels.h"
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

// Returns the first memory of each leaf, and sets `count` to the number of memories.
std::vector<int32_t> NumberMemories(const std::vector<Shape>& leaves, int32_t& count) {
  std::vector<int32_t> numbers;
  count = 0;
  for (const Shape& leaf : leaves) {
    numbers.push_back(count);
    count += 1 + DynamicDimensions(leaf);
  }
  return numbers;
}

// Returns the number of the leaf at an index.
int32_t LeafAt(const Shape& shape, absl::Span<const int64_t> index) {
  if (index.empty()) return 0;
  int64_t position = 0;
  for (int i = 0; i < index[0]; ++i) position += ShapeUtil::GetLeafCount(shape.tuple_shapes(i));
  return static_cast<int32_t>(position) +
         LeafAt(shape.tuple_shapes(static_cast<int>(index[0])), index.subspan(1));
}

// Returns the strides of a dense array with the dimension order of the layout, if it has one.
DimensionVector DenseStridesInOrder(const Shape& shape) {
  Shape dense(shape.element_type(), shape.dimensions());
  if (shape.has_layout()) {
    const auto order = shape.layout().minor_to_major();
    *dense.mutable_layout() = Layout(std::vector<int64_t>(order.begin(), order.end()));
  }
  return StridesOfLayout(dense);
}

}  // namespace

bool SameOrder(const Shape& shape, absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) != 1 && a[d] != b[d]) return false;
  }
  return true;
}

void AddDenseConstants(const cpu::ProgramSchedule& schedule, std::vector<char*>& constants,
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

CpuProgram::Impl::~Impl() {
  for (const Arena& arena : arenas) runtime::FreeHostMemory(arena.memory);
}

absl::Status CpuProgram::Impl::Schedule(const HloModule& source, const CpuCompileOptions& options) {
  if (options.flush_subnormals) floating_point_mode = FloatingPointMode::FlushingSubnormals();
  SetLeaves(source);
  SetStrides(source);
  SetDonors(source);
  std::vector<cpu::MemoryAlias> aliases;
  for (size_t k = 0; k < donors.size(); ++k) {
    if (donors[k] < 0) continue;
    aliases.push_back({argument_memory[static_cast<size_t>(donors[k])], result_memory[k]});
  }
  XLA_ASSIGN_OR_RETURN(schedule, cpu::ScheduleProgram(*module, aliases));
  AddDenseConstants(schedule, constants, copied_constants);
  return absl::OkStatus();
}

absl::Status CpuProgram::Impl::Lower(const CpuCompileOptions& options,
                                     std::vector<std::vector<char>> objects) {
  XLA_ASSIGN_OR_RETURN(lowered, cpu::LowerProgram(schedule, memories, options, std::move(objects)));
  for (const auto& nested : lowered.nested)
    AddDenseConstants(nested->schedule(), nested->constants, nested->copied_constants);
  return absl::OkStatus();
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

void CpuProgram::Impl::SetStrides(const HloModule& source) {
  const cpu::NormalizedLayouts normalized = cpu::LayoutsToNormalize(source);
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

}  // namespace xla
