// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/program_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/process_group.h"
#include "xla/runtime/rendezvous.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/strided_copy.h"

namespace xla {
namespace {

using cpu::DenseArrayBytes;
using cpu::RunState;

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

// Memory that is freed at the end of a run and counted until then: copies of arguments and results
// whose layout or alignment is not the program's.
class OwnedBlocks {
 public:
  OwnedBlocks() = default;
  OwnedBlocks(const OwnedBlocks&) = delete;
  OwnedBlocks& operator=(const OwnedBlocks&) = delete;
  ~OwnedBlocks() {
    for (void* block : blocks_) runtime::FreeHostMemory(block);
  }
  absl::StatusOr<char*> Allocate(runtime::MemoryBudget& budget, int64_t bytes) {
    // A cache line is not counted: whether a scalar of a literal is aligned depends on chance.
    constexpr int64_t kCounted = 64;
    if (bytes > kCounted && !budget.Take(bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a copy of ", bytes,
                       " bytes of an argument or result would exceed the memory "
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

// Returns the offset of the sizes in the buffer of a dynamic array.
int64_t SizesOffset(int64_t element_bytes) { return (element_bytes + 3) / 4 * 4; }

std::string DevicePrefix(int64_t device, int64_t replicas, int64_t partitions) {
  if (replicas * partitions == 1) return "";
  return absl::StrCat("device ", device, " (replica ", device / partitions, ", partition ",
                      device % partitions, "): ");
}

}  // namespace

struct CpuRun::Device {
  static constexpr size_t kFewPointers = 40;

  cpu::DeviceState state;
  OwnedBlocks blocks;
  // The memories, and the final places of results that are copied at the end. They are in the arena
  // if they are many.
  absl::Span<char*> bases, final_places;
  std::array<char*, kFewPointers> few;
  CpuProgram::Impl::Arena arena;
  int64_t copies = 0, copied_bytes = 0;
};

CpuRun::CpuRun(const CpuProgram& program, const runtime::ExecutionContext& context,
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

absl::Status CpuRun::Run(int64_t replicas, int64_t partitions,
                         absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
                         absl::Span<const absl::Span<runtime::ResultView>> results,
                         runtime::RunStatistics* statistics, int64_t copied_bytes) {
  const int64_t all = replicas * partitions;
  const auto count = static_cast<int64_t>(arguments.size());  // in this process
  const auto id_of = [&](size_t d) {
    return context_.processes == nullptr ? static_cast<int64_t>(d)
                                         : context_.processes->local_devices()[d];
  };
  const auto prefixed = [&](const absl::Status& error, int64_t device) {
    return absl::Status(error.code(),
                        absl::StrCat(DevicePrefix(device, replicas, partitions), error.message()));
  };
  int64_t bytes = copied_bytes + impl_.ScratchBytes(pool_->num_threads()) * count +
                  impl_.NestedBytes(pool_->num_threads()) * count;
  for (size_t d = 0; d < arguments.size(); ++d) {
    if (arguments[d].size() != impl_.argument_leaves.size() ||
        results[d].size() != impl_.result_leaves.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("module ", impl_.module->name(), " takes ", impl_.argument_leaves.size(),
                       " buffers and makes ", impl_.result_leaves.size(), "; ", arguments[d].size(),
                       " and ", results[d].size(), " were given"));
    }
  }
  XLA_RETURN_IF_ERROR(CountMemory(count, bytes));
  absl::Status status;
  if (count == 1) {
    Device device;
    const int64_t id = id_of(0);
    device.state.position = {replicas, partitions, id / partitions, id % partitions};
    status = RunGuarded(device, arguments[0], results[0]);
    if (!status.ok() && all > 1) status = prefixed(status, id);
    Finish(absl::MakeSpan(&device, 1), results, status, statistics);
    return status;
  }
  runtime::Rendezvous rendezvous(all, count);
  std::vector<Device> devices(static_cast<size_t>(count));
  for (size_t d = 0; d < devices.size(); ++d) {
    cpu::DeviceState& state = devices[d].state;
    const int64_t id = id_of(d);
    state.position = {replicas, partitions, id / partitions, id % partitions};
    state.rendezvous = &rendezvous;
  }
  runtime::ReusableThreads own_threads;
  runtime::ReusableThreads& threads = context_.threads == nullptr ? own_threads : *context_.threads;
  status = threads.RunAll(count, [&](int64_t i) {
    const auto d = static_cast<size_t>(i);
    rendezvous.Finish(id_of(d), RunGuarded(devices[d], arguments[d], results[d]));
  });
  if (status.ok()) {
    const absl::Status error = rendezvous.RootError();
    if (!error.ok()) status = prefixed(error, rendezvous.RootDevice());
  }
  Finish(absl::MakeSpan(devices), results, status, statistics);
  return status;
}

absl::Status CpuRun::CountMemory(int64_t devices, int64_t bytes) {
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
      " bytes would exceed the memory limit of ", options_.memory_limit_bytes, " bytes"));
}

void CpuRun::Finish(absl::Span<Device> devices,
                    absl::Span<const absl::Span<runtime::ResultView>> results,
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

absl::Status CpuRun::RunGuarded(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                                absl::Span<runtime::ResultView> results) {
  // The bound under which the kernels were prepared; the mode does not depend on the caller's.
  const ScopedMaxInstructionSet bound(impl_.max_instruction_set);
  const ScopedFloatingPointMode mode(impl_.floating_point_mode);
  try {
    return RunDevice(device, arguments, results);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the system has no memory left");
  }
}

absl::Status CpuRun::RunDevice(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                               absl::Span<runtime::ResultView> results) {
  const size_t memories =
      static_cast<size_t>(impl_.memories.constants_begin()) + impl_.constants.size();
  const size_t pointers = memories + results.size();
  const bool is_few = pointers <= Device::kFewPointers;
  XLA_ASSIGN_OR_RETURN(device.arena, impl_.TakeArena(pool_->num_threads(), is_few ? 0 : pointers));
  const absl::Span<char*> all =
      is_few ? absl::MakeSpan(device.few).first(pointers) : absl::MakeSpan(device.arena.pointers);
  std::fill(all.begin(), all.end(), nullptr);
  device.bases = all.first(memories);
  device.final_places = all.subspan(memories);
  device.bases[0] = static_cast<char*>(device.arena.memory);
  RunState state(context_, *pool_, device.bases.data(), device.state);
  state.set_extras(
      {.budget = &budget_, .custom_calls = options_.custom_calls, .nested = impl_.lowered.nested});
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

char** CpuRun::ArgumentBase(Device& device, size_t leaf) {
  return &device.bases[1 + static_cast<size_t>(impl_.argument_memory[leaf])];
}
char** CpuRun::ResultBase(Device& device, size_t leaf) {
  return &device.bases[1 + static_cast<size_t>(impl_.memories.arguments) +
                       static_cast<size_t>(impl_.result_memory[leaf])];
}

absl::Status CpuRun::SetArgument(Device& device, RunState& state, size_t i,
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
  if (!same_bounds || !SameOrder(shape, strides, impl_.argument_strides[i])) {
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

absl::Status CpuRun::SetResult(Device& device, RunState& state, size_t k,
                               absl::Span<const runtime::ArgumentView> arguments,
                               runtime::ResultView& result) {
  const Shape& shape = impl_.result_leaves[k];
  XLA_ASSIGN_OR_RETURN(const int64_t needed, runtime::ArrayBytes(shape));
  char** const base = ResultBase(device, k);
  const int32_t donor = impl_.donors[k];
  char* const given = donor < 0 ? nullptr : *ArgumentBase(device, static_cast<size_t>(donor));
  const bool is_donated = donor >= 0 && result.data == nullptr &&
                          arguments[static_cast<size_t>(donor)].is_donated &&
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
      !SameOrder(shape, StridesOfLayout(shape), impl_.result_strides[k])) {
    device.final_places[k] = *base;
    XLA_ASSIGN_OR_RETURN(*base, device.blocks.Allocate(budget_, DenseArrayBytes(shape)));
  }
  // The program expects the argument in the memory of its result.
  if (donor >= 0 && impl_.schedule.has_aliases && *base != given && DenseArrayBytes(shape) > 0) {
    XLA_RETURN_IF_ERROR(
        CopyBetween(state, shape, given, impl_.result_strides[k], *base, impl_.result_strides[k]));
  }
  return absl::OkStatus();
}

}  // namespace xla
