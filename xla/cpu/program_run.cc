// SPDX-License-Identifier: Apache-2.0
// Runs of compiled programs: memory of arguments and results, devices.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/program_impl.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/cpu/run/run_state.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/rendezvous.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/step_observer.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla {
namespace {

using cpu::DenseArrayBytes;
using cpu::RunState;

// Whether both strides are the same, ignoring dimensions of size 1.
bool HasOrder(const Shape& shape, absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) != 1 && a[d] != b[d]) return false;
  }
  return true;
}

absl::Status CopyBetween(RunState& state, const Shape& shape, const void* from,
                         absl::Span<const int64_t> from_strides, void* to,
                         absl::Span<const int64_t> to_strides) {
  if (DenseArrayBytes(shape) == 0) return absl::OkStatus();
  const StridedCopyPlan plan(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                             to, to_strides, from, from_strides);
  return state.ParallelFor(plan.tasks(), plan.tasks_per_chunk(), [&](int64_t begin, int64_t end) {
    plan.Run(begin, end);
    return absl::OkStatus();
  });
}

// Memory that is freed at the end of a run, which counts it until then: copies of arguments and
// results whose layout or alignment is not the program's.
class OwnedBlocks {
 public:
  OwnedBlocks() = default;
  OwnedBlocks(const OwnedBlocks&) = delete;
  OwnedBlocks& operator=(const OwnedBlocks&) = delete;
  ~OwnedBlocks() {
    for (void* block : blocks_) runtime::FreeHostMemory(block);
  }
  absl::StatusOr<char*> Allocate(runtime::MemoryBudget& budget, int64_t bytes) {
    // A cache line is not counted: whether a scalar of a literal is aligned is chance.
    constexpr int64_t kCounted = 64;
    if (bytes > kCounted && !budget.Take(bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a copy of ", bytes,
                       " bytes of an argument or result would pass the memory "
                       "limit of ",
                       budget.limit(), " bytes"));
    }
    void* block = runtime::AllocateHostMemory(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
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

bool IsAligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % runtime::kHostMemoryAlignment == 0;
}

// Where the sizes of a dynamic array are in its buffer.
int64_t SizesOffset(int64_t element_bytes) { return (element_bytes + 3) / 4 * 4; }

std::string DevicePrefix(int64_t device, int64_t replicas, int64_t partitions) {
  if (replicas * partitions == 1) return "";
  return absl::StrCat("device ", device, " (replica ", device / partitions, ", partition ",
                      device % partitions, "): ");
}

}  // namespace

// One run. All memory stays until all devices have ended: the last device to arrive at a collective
// reads and writes that of the others.
class CpuRun {
 public:
  CpuRun(const CpuProgram& program, const runtime::ExecutionContext& context,
         const CpuRunOptions& options)
      : impl_(*program.impl_),
        context_(context),
        options_(options),
        budget_(options.memory_limit_bytes) {
    pool_ = context.pool;
    if (pool_ == nullptr) {
      own_pool_ = std::make_unique<runtime::ThreadPool>();
      pool_ = own_pool_.get();
    }
  }

  // `copied_bytes`: memory that the caller took to copy arguments and results.
  absl::Status Run(int64_t replicas, int64_t partitions,
                   absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
                   absl::Span<const absl::Span<runtime::ResultView>> results,
                   runtime::RunStatistics* statistics, int64_t copied_bytes = 0) {
    const int64_t count = replicas * partitions;
    int64_t bytes = copied_bytes + impl_.ScratchBytes(pool_->num_threads()) * count +
                    impl_.NestedBytes(pool_->num_threads()) * count;
    for (size_t d = 0; d < arguments.size(); ++d) {
      if (arguments[d].size() != impl_.argument_leaves.size() ||
          results[d].size() != impl_.result_leaves.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("module ", impl_.module->name(), " takes ", impl_.argument_leaves.size(),
                         " buffers and makes ", impl_.result_leaves.size(), "; ",
                         arguments[d].size(), " and ", results[d].size(), " were given"));
      }
    }
    XLA_RETURN_IF_ERROR(CountMemory(count, bytes));
    absl::Status status;
    if (count == 1) {
      Device device;
      status = RunGuarded(device, arguments[0], results[0]);
      Finish(absl::MakeSpan(&device, 1), results, status, statistics);
      return status;
    }
    runtime::Rendezvous rendezvous(count);
    std::vector<Device> devices(static_cast<size_t>(count));
    for (int64_t id = 0; id < count; ++id) {
      cpu::DeviceState& state = devices[static_cast<size_t>(id)].state;
      state.position = {replicas, partitions, id / partitions, id % partitions};
      state.rendezvous = &rendezvous;
    }
    runtime::ReusableThreads own_threads;
    runtime::ReusableThreads& threads =
        context_.threads == nullptr ? own_threads : *context_.threads;
    status = threads.RunAll(count, [&](int64_t id) {
      const auto d = static_cast<size_t>(id);
      rendezvous.Finish(id, RunGuarded(devices[d], arguments[d], results[d]));
    });
    if (status.ok()) {
      const absl::Status error = rendezvous.RootError();
      if (!error.ok()) {
        status = absl::Status(
            error.code(), absl::StrCat(DevicePrefix(rendezvous.RootDevice(), replicas, partitions),
                                       error.message()));
      }
    }
    Finish(absl::MakeSpan(devices), results, status, statistics);
    return status;
  }

 private:
  static constexpr size_t kFewPointers = 40;
  struct Device {
    cpu::DeviceState state;
    OwnedBlocks blocks;
    // Memories, and where results go at the end; in the arena if they are many.
    absl::Span<char*> bases, final_places;
    std::array<char*, kFewPointers> few;
    CpuProgram::Impl::Arena arena;
    int64_t copies = 0, copied_bytes = 0;
  };

  // Memory of arguments and results, besides `bytes`.
  absl::Status CountMemory(int64_t devices, int64_t bytes) {
    for (const auto* leaves : {&impl_.argument_leaves, &impl_.result_leaves}) {
      for (const Shape& leaf : *leaves) {
        if (!leaf.IsArray()) continue;
        XLA_ASSIGN_OR_RETURN(const int64_t array_bytes, runtime::ArrayBytes(leaf));
        int64_t all = 0;
        if (__builtin_mul_overflow(array_bytes, devices, &all) ||
            __builtin_add_overflow(bytes, all, &bytes)) {
          return absl::ResourceExhaustedError("the size of arguments and results overflows");
        }
      }
    }
    if (budget_.Take(bytes)) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "arguments, results and scratch memory of ", bytes,
        " bytes would pass the memory limit of ", options_.memory_limit_bytes, " bytes"));
  }

  // Memory that results got, or that goes back to the program.
  void Finish(absl::Span<Device> devices, absl::Span<const absl::Span<runtime::ResultView>> results,
              const absl::Status& status, runtime::RunStatistics* statistics) {
    for (Device& device : devices) impl_.GiveArena(std::move(device.arena));
    if (!status.ok()) {
      for (const absl::Span<runtime::ResultView> device : results) {
        for (runtime::ResultView& result : device) {
          if (result.is_new) runtime::FreeHostMemory(result.data);
          result = runtime::ResultView();
        }
      }
    }
    if (statistics == nullptr) return;
    *statistics = {};
    statistics->peak_bytes = budget_.peak_bytes();
    for (const Device& device : devices) {
      statistics->instructions += static_cast<int64_t>(impl_.lowered.thunks.size());
      statistics->copies += device.copies;
      statistics->copied_bytes += device.copied_bytes;
    }
  }

  // An exception would leave the other devices waiting for this one.
  absl::Status RunGuarded(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                          absl::Span<runtime::ResultView> results) {
    // As when the kernels were made, and whatever mode the caller is in.
    const ScopedMaxInstructionSet bound(impl_.max_instruction_set);
    const ScopedFloatingPointMode mode(impl_.floating_point_mode);
    try {
      return RunDevice(device, arguments, results);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("the system has no memory left");
    }
  }

  absl::Status RunDevice(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                         absl::Span<runtime::ResultView> results) {
    const size_t memories =
        static_cast<size_t>(impl_.memories.constants_begin()) + impl_.constants.size();
    const size_t pointers = memories + results.size();
    const bool is_few = pointers <= kFewPointers;
    XLA_ASSIGN_OR_RETURN(device.arena,
                         impl_.TakeArena(pool_->num_threads(), is_few ? 0 : pointers));
    const absl::Span<char*> all =
        is_few ? absl::MakeSpan(device.few).first(pointers) : absl::MakeSpan(device.arena.pointers);
    std::fill(all.begin(), all.end(), nullptr);
    device.bases = all.first(memories);
    device.final_places = all.subspan(memories);
    device.bases[0] = static_cast<char*>(device.arena.memory);
    RunState state(context_, *pool_, device.bases.data(), device.state);
    state.set_extras({.budget = &budget_,
                      .custom_calls = options_.custom_calls,
                      .nested = impl_.lowered.nested});
    XLA_RETURN_IF_ERROR(state.Poll());
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (impl_.argument_leaves[i].IsArray())
        XLA_RETURN_IF_ERROR(SetArgument(device, state, i, arguments[i]));
    }
    for (size_t k = 0; k < results.size(); ++k) {
      if (impl_.result_leaves[k].IsArray())
        XLA_RETURN_IF_ERROR(SetResult(device, state, k, arguments, results[k]));
    }
    std::copy(impl_.constants.begin(), impl_.constants.end(),
              device.bases.begin() + impl_.memories.constants_begin());
    XLA_RETURN_IF_ERROR(cpu::RunThunks(impl_.lowered.thunks, state));
    for (size_t k = 0; k < results.size(); ++k) {
      if (device.final_places[k] == nullptr) continue;
      const Shape& shape = impl_.result_leaves[k];
      XLA_RETURN_IF_ERROR(CopyBetween(state, shape, *ResultBase(device, k), impl_.result_strides[k],
                                      device.final_places[k], StridesOfLayout(shape)));
      ++device.copies;
      device.copied_bytes += DenseArrayBytes(shape);
    }
    return absl::OkStatus();
  }

  char** ArgumentBase(Device& device, size_t leaf) {
    return &device.bases[1 + static_cast<size_t>(impl_.argument_memory[leaf])];
  }
  char** ResultBase(Device& device, size_t leaf) {
    return &device.bases[1 + static_cast<size_t>(impl_.memories.arguments) +
                         static_cast<size_t>(impl_.result_memory[leaf])];
  }

  // An argument of the same bounds in the program's order is read in place, others are copied.
  absl::Status SetArgument(Device& device, RunState& state, size_t i,
                           const runtime::ArgumentView& argument) {
    const Shape& shape = impl_.argument_leaves[i];
    const auto misfit = [&] {
      return absl::InvalidArgumentError(
          absl::StrCat("argument buffer ", i, " does not hold ", shape.ToString()));
    };
    if (argument.shape == nullptr || !runtime::LiteralFits(shape, *argument.shape)) return misfit();
    const Shape& given = *argument.shape;
    XLA_ASSIGN_OR_RETURN(const int64_t needed, runtime::ArrayBytes(given));
    if (argument.size_bytes < needed || (argument.data == nullptr && needed > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, ": the buffer of ", given.ToString(), " has ",
                       argument.data == nullptr ? 0 : argument.size_bytes, " bytes, not ", needed));
    }
    const DimensionVector strides = StridesOfLayout(given);
    char** const base = ArgumentBase(device, i);
    *base = static_cast<char*>(argument.data);
    const bool same_bounds = given.dimensions() == shape.dimensions();
    if (!same_bounds || !HasOrder(shape, strides, impl_.argument_strides[i])) {
      XLA_ASSIGN_OR_RETURN(*base, device.blocks.Allocate(budget_, DenseArrayBytes(shape)));
      XLA_RETURN_IF_ERROR(
          CopyBetween(state, given, argument.data, strides, *base, impl_.argument_strides[i]));
      ++device.copies;
      device.copied_bytes += DenseArrayBytes(given);
    }
    if (!shape.is_dynamic()) return absl::OkStatus();
    DimensionVector sizes(given.dimensions().begin(), given.dimensions().end());
    if (given.is_dynamic())
      XLA_RETURN_IF_ERROR(runtime::ReadDynamicSizes(given, argument.data, absl::MakeSpan(sizes)));
    XLA_ASSIGN_OR_RETURN(char* const memory,
                         device.blocks.Allocate(budget_, static_cast<int64_t>(sizes.size() * 4)));
    int next = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      if (!shape.is_dynamic_dimension(d)) continue;
      const auto size = static_cast<int32_t>(sizes[static_cast<size_t>(d)]);
      base[1 + next] = memory + 4 * next;
      std::memcpy(base[1 + next++], &size, sizeof(size));
    }
    return absl::OkStatus();
  }

  // Results go to the caller's memory, to that of a donated argument, or to new memory; through a
  // copy where the layout differs.
  absl::Status SetResult(Device& device, RunState& state, size_t k,
                         absl::Span<const runtime::ArgumentView> arguments,
                         runtime::ResultView& result) {
    const Shape& shape = impl_.result_leaves[k];
    XLA_ASSIGN_OR_RETURN(const int64_t needed, runtime::ArrayBytes(shape));
    char** const base = ResultBase(device, k);
    const int32_t donor = impl_.donors[k];
    char* const given = donor < 0 ? nullptr : *ArgumentBase(device, static_cast<size_t>(donor));
    const bool is_donated =
        donor >= 0 && result.data == nullptr && arguments[static_cast<size_t>(donor)].is_donated &&
        arguments[static_cast<size_t>(donor)].data == given && IsAligned(given) &&
        arguments[static_cast<size_t>(donor)].size_bytes >= needed;
    if (is_donated) {
      result = {.data = given,
                .size_bytes = arguments[static_cast<size_t>(donor)].size_bytes,
                .donor = donor,
                .is_new = false};
    } else if (result.data == nullptr) {
      void* memory = runtime::AllocateHostMemory(static_cast<size_t>(needed));
      if (memory == nullptr) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the system has no memory for a result of ", needed, " bytes"));
      }
      result = {.data = memory, .size_bytes = needed, .donor = -1, .is_new = true};
    } else if (result.size_bytes < needed) {
      return absl::InvalidArgumentError(absl::StrCat("the memory for a result of shape ",
                                                     shape.ToString(), " has ", result.size_bytes,
                                                     " bytes"));
    }
    *base = static_cast<char*>(result.data);
    if (shape.is_dynamic()) {
      runtime::WriteDynamicSizes(shape, result.data, shape.dimensions());
      XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ElementBytes(shape));
      char* const sizes = *base + SizesOffset(bytes);
      int next = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        if (shape.is_dynamic_dimension(d)) base[1 + next++] = sizes + 4 * d;
      }
    }
    // Kernels store whole vectors. A donor that is not computed in place is overwritten at the end.
    const bool at_end = is_donated && !impl_.schedule.has_aliases;
    if (at_end || !IsAligned(*base) ||
        !HasOrder(shape, StridesOfLayout(shape), impl_.result_strides[k])) {
      device.final_places[k] = *base;
      XLA_ASSIGN_OR_RETURN(*base, device.blocks.Allocate(budget_, DenseArrayBytes(shape)));
    }
    // The program computes in place of the argument.
    if (donor >= 0 && impl_.schedule.has_aliases && *base != given && DenseArrayBytes(shape) > 0) {
      XLA_RETURN_IF_ERROR(CopyBetween(state, shape, given, impl_.result_strides[k], *base,
                                      impl_.result_strides[k]));
    }
    return absl::OkStatus();
  }

  const CpuProgram::Impl& impl_;
  const runtime::ExecutionContext& context_;
  const CpuRunOptions& options_;
  std::unique_ptr<runtime::ThreadPool> own_pool_;
  runtime::ThreadPool* pool_ = nullptr;
  runtime::MemoryBudget budget_;
};

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
  XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, arguments.size()));
  XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, results.size()));
  return CpuRun(*this, context, options).Run(replicas, partitions, arguments, results, statistics);
}

namespace {

// Time of each step of one device.
class ThunkTimes final : public runtime::StepObserver {
 public:
  // A step, by the loops and conditionals that it is a part of.
  struct Node {
    std::map<const HloInstruction*, std::unique_ptr<Node>> parts;
    int64_t runs = 0;
    double seconds = 0, seconds_of_parts = 0;
  };
  struct Event {
    const HloInstruction* instruction;
    double start, seconds;  // since some point in time
  };

  void OnStepBegin(int64_t /*device*/, const HloInstruction* instruction) override {
    std::unique_ptr<Node>& node = running_.back()->parts[instruction];
    if (node == nullptr) node = std::make_unique<Node>();
    running_.push_back(node.get());
  }
  void OnStep(int64_t /*device*/, const HloInstruction* instruction, Time begin,
              Time end) override {
    using Seconds = std::chrono::duration<double>;
    const double seconds = Seconds(end - begin).count();
    Node& node = *running_.back();
    running_.pop_back();
    ++node.runs;
    node.seconds += seconds;
    running_.back()->seconds_of_parts += seconds;
    constexpr size_t kMostEvents = 1000000;
    if (events.size() < kMostEvents)
      events.push_back({instruction, Seconds(begin.time_since_epoch()).count(), seconds});
  }

  Node root;
  std::vector<Event> events;  // the first ones, by their ends

 private:
  std::vector<Node*> running_ = {&root};
};

CpuProgram::ProfileEntry EntryOf(const HloInstruction* instruction, const ThunkTimes::Node& node) {
  CpuProgram::ProfileEntry entry;
  entry.runs = node.runs;
  entry.seconds = node.seconds;
  entry.self_seconds = std::max(0.0, node.seconds - node.seconds_of_parts);
  entry.has_parts = !node.parts.empty();
  if (instruction == nullptr) return entry;
  entry.name = instruction->name();
  entry.text = instruction->ToShortString();
  const auto add = [&](const Shape& shape) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsArray()) entry.bytes += static_cast<double>(DenseArrayBytes(part));
    });
  };
  add(instruction->shape());
  for (const HloInstruction* operand : instruction->operands()) add(operand->shape());
  // What a loop computes is counted where its parts are.
  if (!entry.has_parts)
    entry.operations = cpu::EstimateOperations(*instruction, cpu::FinishedContraction);
  const HloInstruction* product = instruction->opcode() == HloOpcode::kFusion
                                      ? cpu::FinishedContraction(*instruction)
                                      : instruction;
  if (product != nullptr &&
      (product->opcode() == HloOpcode::kDot || product->opcode() == HloOpcode::kConvolution)) {
    entry.multiplied = product->operand(0)->shape().element_type();
  }
  return entry;
}

// The parts of a node and theirs, the longest first.
void AppendEntries(const ThunkTimes::Node& parent, int depth,
                   std::vector<CpuProgram::ProfileEntry>& entries) {
  std::vector<std::pair<const HloInstruction*, const ThunkTimes::Node*>> parts;
  for (const auto& [instruction, node] : parent.parts) parts.emplace_back(instruction, node.get());
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.second->seconds > b.second->seconds; });
  for (const auto& [instruction, node] : parts) {
    entries.push_back(EntryOf(instruction, *node));
    entries.back().depth = depth;
    AppendEntries(*node, depth + 1, entries);
  }
}

}  // namespace

absl::StatusOr<std::vector<CpuProgram::ProfileEntry>> CpuProgram::Profile(
    absl::Span<const runtime::ArgumentView> arguments, const runtime::ExecutionContext& given,
    std::vector<ProfileEvent>* events) const {
  std::vector<runtime::ResultView> results(impl_->result_leaves.size());
  ThunkTimes times;
  runtime::ExecutionContext context = given;
  context.step_observer = &times;
  const absl::Span<runtime::ResultView> views = absl::MakeSpan(results);
  const CpuRunOptions options;
  XLA_RETURN_IF_ERROR(
      CpuRun(*this, context, options)
          .Run(1, 1, absl::MakeConstSpan(&arguments, 1), absl::MakeConstSpan(&views, 1), nullptr));
  for (const runtime::ResultView& result : results) {
    if (result.is_new) runtime::FreeHostMemory(result.data);
  }
  std::vector<ProfileEntry> entries;
  AppendEntries(times.root, 0, entries);
  if (events == nullptr) return entries;
  double first = 0;
  for (const ThunkTimes::Event& event : times.events) {
    first = events->empty() ? event.start : std::min(first, event.start);
    const bool is_instruction = event.instruction != nullptr;
    events->push_back(
        {is_instruction ? std::string(event.instruction->name()) : "", event.start, event.seconds});
  }
  for (ProfileEvent& event : *events) event.start -= first;
  return entries;
}

namespace {

// Views of literals. Arrays of dynamic shapes are copied, with their sizes behind them.
struct LiteralViews {
  struct FreeMemory {
    void operator()(char* memory) const { runtime::FreeHostMemory(memory); }
  };
  absl::Status Add(int64_t bytes) {
    memory.emplace_back(
        static_cast<char*>(runtime::AllocateHostMemory(static_cast<size_t>(bytes))));
    if (memory.back() == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", bytes, " bytes"));
    }
    memory_bytes += bytes;
    return absl::OkStatus();
  }

  std::vector<std::unique_ptr<char, FreeMemory>> memory;
  int64_t memory_bytes = 0;
  std::vector<runtime::ArgumentView> arguments;
  std::vector<runtime::ResultView> results;
};

absl::Status AddArgument(const LiteralSlice& literal, LiteralViews& views) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    runtime::ArgumentView view;
    view.shape = &ShapeUtil::GetSubshape(literal.shape(), index);
    if (part.IsArray()) {
      const absl::StatusOr<int64_t> bytes = runtime::ArrayBytes(*view.shape);
      status = bytes.status();
      if (!status.ok()) return;
      view.data = const_cast<void*>(literal.untyped_data(index));
      view.size_bytes = *bytes;
      if (part.is_dynamic()) {
        const int64_t elements = literal.size_bytes(index);
        status = views.Add(*bytes);
        if (!status.ok()) return;
        if (elements > 0)
          std::memcpy(views.memory.back().get(), view.data, static_cast<size_t>(elements));
        view.data = views.memory.back().get();
        DimensionVector sizes;
        for (int d = 0; d < part.rank(); ++d) sizes.push_back(literal.GetDynamicSize(d, index));
        runtime::WriteDynamicSizes(*view.shape, view.data, sizes);
      }
    }
    views.arguments.push_back(view);
  });
  return status;
}

absl::Status AddResult(Literal& literal, LiteralViews& views) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    runtime::ResultView view;
    if (part.IsArray()) {
      const absl::StatusOr<int64_t> bytes = runtime::ArrayBytes(part);
      status = bytes.status();
      if (!status.ok()) return;
      view.data = literal.untyped_data(index);
      view.size_bytes = *bytes;
      if (part.is_dynamic()) {
        status = views.Add(*bytes);
        if (!status.ok()) return;
        view.data = views.memory.back().get();
      }
    }
    views.results.push_back(view);
  });
  return status;
}

// What the run left in copies.
absl::Status TakeDynamicResults(const LiteralViews& views, Literal& literal) {
  absl::Status status;
  size_t next = 0;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    const runtime::ResultView& view = views.results[next++];
    if (!part.IsArray() || !part.is_dynamic() || !status.ok()) return;
    DimensionVector sizes(static_cast<size_t>(part.rank()));
    status = runtime::ReadDynamicSizes(part, view.data, absl::MakeSpan(sizes));
    if (!status.ok()) return;
    for (int d = 0; d < part.rank(); ++d) {
      if (part.is_dynamic_dimension(d))
        literal.SetDynamicSize(d, index, static_cast<int32_t>(sizes[static_cast<size_t>(d)]));
    }
    const int64_t elements = literal.size_bytes(index);
    if (elements > 0)
      std::memcpy(literal.untyped_data(index), view.data, static_cast<size_t>(elements));
  });
  return status;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> CpuProgram::RunReplicated(
    int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
    const runtime::ExecutionContext& context, runtime::RunStatistics* statistics,
    const CpuRunOptions& options) const {
  const HloComputation& entry = *impl_->module->entry_computation();
  const size_t count = arguments.size();
  std::vector<LiteralViews> views(count);
  std::vector<Literal> literals;
  for (size_t d = 0; d < count; ++d) {
    if (static_cast<int64_t>(arguments[d].size()) != entry.num_parameters()) {
      return absl::InvalidArgumentError(absl::StrCat("module ", impl_->module->name(), " takes ",
                                                     entry.num_parameters(), " arguments; ",
                                                     arguments[d].size(), " were given"));
    }
    for (const Literal* argument : arguments[d])
      XLA_RETURN_IF_ERROR(AddArgument(*argument, views[d]));
    XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(impl_->result_shape));
    literals.push_back(std::move(literal));
  }
  std::vector<absl::Span<const runtime::ArgumentView>> argument_views;
  std::vector<absl::Span<runtime::ResultView>> result_views;
  for (size_t d = 0; d < count; ++d) {
    XLA_RETURN_IF_ERROR(AddResult(literals[d], views[d]));
    argument_views.push_back(views[d].arguments);
    result_views.push_back(absl::MakeSpan(views[d].results));
  }
  XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(replicas, partitions, count));
  int64_t copied_bytes = 0;
  for (const LiteralViews& device : views) copied_bytes += device.memory_bytes;
  XLA_RETURN_IF_ERROR(
      CpuRun(*this, context, options)
          .Run(replicas, partitions, argument_views, result_views, statistics, copied_bytes));
  for (size_t d = 0; d < count; ++d) XLA_RETURN_IF_ERROR(TakeDynamicResults(views[d], literals[d]));
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

}  // namespace xla
