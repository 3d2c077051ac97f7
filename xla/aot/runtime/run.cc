// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/huge_pages.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"

namespace xla::aot {
namespace {

// Arrays that a step keeps the addresses of on the stack.
constexpr size_t kFewArrays = 64;
// The distance in bytes between arguments and results of a nested run (nested_computation.h).
constexpr int64_t kCellBytes = 16;

// Addresses of arrays, on the stack if they are few.
class Addresses {
 public:
  explicit Addresses(int64_t count) {
    if (static_cast<size_t>(count) > kFewArrays) {
      many_ = std::make_unique<char*[]>(static_cast<size_t>(count));
      next_ = many_.get();
    }
    data_ = next_;
  }
  void Add(char* address) { *next_++ = address; }
  char** data() { return data_; }
  int64_t size() const { return next_ - data_; }

 private:
  char* few_[kFewArrays];
  std::unique_ptr<char*[]> many_;
  char** next_ = few_;
  char** data_;
};

}  // namespace

absl::StatusOr<Memory> AllocateAligned(int64_t bytes) {
  Memory memory(std::aligned_alloc(
      kAlignment, static_cast<size_t>(kernels::Aligned(std::max<int64_t>(bytes, 1)))));
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system has no memory for ", bytes, " bytes"));
  }
  AdviseHugePages(memory.get(), static_cast<size_t>(bytes));
  return memory;
}

absl::StatusOr<Memory> KeptMemory::Take(int64_t bytes) {
  Memory memory(kept_.exchange(nullptr, std::memory_order_acquire));
  int64_t size = 0;
  if (memory != nullptr) std::memcpy(&size, memory.get(), sizeof(size));
  if (memory != nullptr && size >= bytes) return memory;
  memory.reset();  // before more is allocated
  XLA_ASSIGN_OR_RETURN(memory, AllocateAligned(static_cast<int64_t>(kAlignment) + bytes));
  std::memcpy(memory.get(), &bytes, sizeof(bytes));
  return memory;
}

void KeptMemory::Keep(Memory memory) {
  FreeMemory()(kept_.exchange(memory.release(), std::memory_order_acq_rel));
}

int64_t Unit::FrameBytes(int32_t threads) const {
  int64_t library = 0;
  for (const auto& kernel : kernels) library = std::max(library, kernel->ScratchBytes(threads));
  return FrameBytesOf(*table, library);
}

int32_t RunShared::threads() const {
  constexpr int32_t kMostThreads = 256;
  return options_.threads == nullptr ? 1 : std::clamp(options_.threads->count, 1, kMostThreads);
}

absl::Status RunShared::failure() const {
  return has_failed_.load(std::memory_order_acquire) ? failure_ : absl::OkStatus();
}

void RunShared::set_failure(absl::Status failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (has_failed_.load(std::memory_order_relaxed)) return;
  failure_ = std::move(failure);
  has_failed_.store(true, std::memory_order_release);
}

absl::Status RunShared::Poll() const {
  if (has_failed_.load(std::memory_order_acquire)) return failure_;
  const bool ends =
      options_.cancel != nullptr && __atomic_load_n(options_.cancel, __ATOMIC_RELAXED) != 0;
  return ends ? absl::CancelledError("the run was cancelled") : absl::OkStatus();
}

Run::Run(RunShared& shared, const Unit& unit, char* memory, bool is_nested)
    : shared_(shared),
      unit_(unit),
      target_(*shared.program().target),
      bases_(reinterpret_cast<char**>(memory)),
      is_nested_(is_nested) {
  bases_[0] = memory + BytesOfBases(*unit.table);
  library_scratch_ = bases_[0] + kernels::Aligned(unit.table->scratch_bytes);
  char** const constants = bases_ + 1 + unit.table->arguments + unit.table->results;
  for (size_t i = 0; i < unit.constants.size(); ++i)
    constants[i] = const_cast<char*>(unit.constants[i]);
}

absl::Status Run::ParallelFor(int64_t count, int64_t chunk,
                              absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  chunk = std::max<int64_t>(chunk, 1);
  const int64_t tasks = count / chunk + (count % chunk != 0 ? 1 : 0);
  const xylem_threads* const threads = shared_.caller_threads();
  if (threads == nullptr || this->threads() <= 1 || tasks <= 1) {
    for (int64_t task = 0; task < tasks; ++task) {
      XLA_RETURN_IF_ERROR(body(task * chunk, std::min(count, (task + 1) * chunk)));
      XLA_RETURN_IF_ERROR(Poll());
    }
    return absl::OkStatus();
  }
  struct Loop {
    Run& run;
    const int64_t count, chunk;
    absl::FunctionRef<absl::Status(int64_t, int64_t)> body;
    std::mutex mutex;
    int64_t failed_task = -1;  // the lowest
    absl::Status error;
  } loop = {*this, count, chunk, body, {}, -1, {}};
  threads->parallel_for(
      threads->context, tasks,
      [](void* argument, int64_t task) {
        Loop& in = *static_cast<Loop*>(argument);
        const ScopedMaxInstructionSet bound(in.run.shared_.program().bound());
        const ScopedFloatingPointMode mode(in.run.shared_.program().mode());
        absl::Status status = Guarded([&] {
          XLA_RETURN_IF_ERROR(in.run.Poll());
          return in.body(task * in.chunk, std::min(in.count, (task + 1) * in.chunk));
        });
        if (status.ok()) return;
        const std::lock_guard<std::mutex> lock(in.mutex);
        if (in.failed_task >= 0 && in.failed_task <= task) return;
        in.failed_task = task;
        in.error = std::move(status);
      },
      &loop);
  return loop.failed_task < 0 ? absl::OkStatus() : std::move(loop.error);
}

absl::StatusOr<std::shared_ptr<void>> Run::Allocate(int64_t bytes) {
  XLA_ASSIGN_OR_RETURN(Memory memory, AllocateAligned(bytes));
  return std::shared_ptr<void>(std::move(memory));
}

absl::Status Run::Execute(int64_t block) {
  const int64_t* step = target_.numbers + target_.blocks[2 * block];
  const int64_t* const end = target_.numbers + target_.blocks[2 * block + 1];
  for (; step < end; step += 2 + step[1])
    XLA_RETURN_IF_ERROR(RunStep(static_cast<StepKind>(step[0]), step + 2));
  return absl::OkStatus();
}

absl::Status Run::RunStep(StepKind kind, const int64_t* numbers) {
  switch (kind) {
    case StepKind::kKernel:
      return RunKernel(numbers);
    case StepKind::kLoop:
      return RunLoop(numbers);
    case StepKind::kCopy:
      return RunCopy(numbers);
    case StepKind::kPrepared:
      return RunPrepared(numbers);
    case StepKind::kWhile:
      return RunWhile(numbers);
    case StepKind::kCompiledWhile:
      return RunCompiledWhile(numbers);
    case StepKind::kConditional:
      return RunConditional(numbers);
    case StepKind::kCall:
      return RunCall(numbers);
  }
  return absl::InternalError("a step of an unknown kind");
}

absl::Status Run::RunKernel(const int64_t* numbers) {
  const auto function = FunctionAt<void (*)(char**, int64_t, int64_t)>(numbers[0]);
  const int64_t units = numbers[1], chunk = numbers[2], count = numbers[3];
  Addresses arrays(count + 1);
  for (int64_t i = 0; i < count; ++i) arrays.Add(At(numbers + 4 + 2 * i));
  arrays.Add(reinterpret_cast<char*>(this));
  if (units <= chunk || threads() <= 1) {
    function(arrays.data(), 0, units);
  } else {
    XLA_RETURN_IF_ERROR(ParallelFor(units, chunk, [&](int64_t begin, int64_t end) {
      function(arrays.data(), begin, end);
      return absl::OkStatus();
    }));
  }
  return Poll();  // long loops end early if the run does
}

absl::Status Run::RunLoop(const int64_t* numbers) {
  const auto function = FunctionAt<void (*)(char**, void*, int64_t, int64_t)>(numbers[0]);
  const int64_t units = numbers[1], chunk = numbers[2], count = numbers[3];
  Addresses arrays(count);
  for (int64_t i = 0; i < count; ++i) arrays.Add(At(numbers + 4 + 2 * i));
  if (units <= chunk || threads() <= 1) {
    function(arrays.data(), this, 0, units);
  } else {
    XLA_RETURN_IF_ERROR(ParallelFor(units, chunk, [&](int64_t begin, int64_t end) {
      function(arrays.data(), this, begin, end);
      return absl::OkStatus();
    }));
  }
  return Poll();
}

absl::Status Run::RunCopy(const int64_t* numbers) {
  char* const from = At(numbers);
  char* const to = At(numbers + 2);
  const int64_t bytes = numbers[4];
  const Machine& machine = MachineOfThread();
  if (threads() <= 1 ||
      !machine.IsWorthAThread(machine.Nanoseconds(static_cast<double>(2 * bytes), 0))) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  return ParallelFor(bytes, machine.BytesOfTask() / 2, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    return absl::OkStatus();
  });
}

absl::Status Run::RunPrepared(const int64_t* numbers) {
  const kernels::Kernel& kernel = *unit_.kernels[static_cast<size_t>(numbers[0])];
  const int64_t count = numbers[1];
  Addresses buffers(count + 1);
  for (int64_t i = 0; i < count; ++i) buffers.Add(At(numbers + 2 + 2 * i));
  buffers.Add(reinterpret_cast<char*>(this));  // for comparators and epilogues
  kernels::KernelHost host = {};
  host.caller = this;
  host.workers = threads();
  host.parallel_for = [](void* caller, int64_t n, void (*body)(void*, int64_t), void* argument) {
    const xylem_threads& pool = *static_cast<Run*>(caller)->shared_.caller_threads();
    pool.parallel_for(pool.context, n, body, argument);
  };
  host.poll = [](void* caller) {
    return static_cast<int32_t>(static_cast<Run*>(caller)->Poll().code());
  };
  const absl::Status status =
      kernel.Run({&host, const_cast<void* const*>(reinterpret_cast<void**>(buffers.data())),
                  library_scratch_});
  return status.ok() ? shared_.failure() : Poll();
}

absl::Status Run::RunWhile(const int64_t* numbers) {
  const char* const predicate = At(numbers);
  const int64_t finish = numbers[2], phases = numbers[3];
  for (int64_t phase = 0;; phase = (phase + 1) % phases) {
    XLA_RETURN_IF_ERROR(Execute(numbers[4 + 2 * phase]));
    if (*predicate == 0) return phase == 0 ? absl::OkStatus() : Execute(finish);
    XLA_RETURN_IF_ERROR(Execute(numbers[5 + 2 * phase]));
    XLA_RETURN_IF_ERROR(Poll());
  }
}

absl::Status Run::RunCompiledWhile(const int64_t* numbers) {
  const auto function = FunctionAt<void (*)(char**, void*, int64_t, int64_t)>(numbers[0]);
  const int64_t count = numbers[1];
  Addresses table(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* const entry = numbers + 2 + 3 * i;
    switch (static_cast<EntryKind>(entry[0])) {
      case EntryKind::kSlot:
        table.Add(At(entry + 1));
        break;
      case EntryKind::kFunction:
        table.Add(FunctionAt<char*>(entry[1]));
        break;
      case EntryKind::kBlock:  // XlaCpuRunThunks takes the address of its number
        table.Add(const_cast<char*>(reinterpret_cast<const char*>(entry + 1)));
        break;
      case EntryKind::kRun:
        table.Add(reinterpret_cast<char*>(this));
        break;
      case EntryKind::kNone:
        table.Add(nullptr);
        break;
    }
  }
  function(table.data(), this, 0, 1);
  return Poll();
}

absl::Status Run::RunConditional(const int64_t* numbers) {
  const char* const selector = At(numbers + 1);
  const int64_t count = numbers[3];
  int64_t branch = 0;
  if (numbers[0] != 0) {
    branch = *selector != 0 ? 0 : 1;
  } else {
    int32_t index;
    std::memcpy(&index, selector, sizeof(index));
    branch = index < 0 || index >= count ? count - 1 : index;
  }
  return Execute(numbers[4 + branch]);
}

absl::Status Run::RunCall(const int64_t* numbers) {
  const auto function = FunctionAt<LibraryStepFunction>(numbers[0]);
  const int64_t count = numbers[1];
  Addresses buffers(count);
  for (int64_t i = 0; i < count; ++i) buffers.Add(At(numbers + 2 + 2 * i));
  absl::Status status;
  function(this, buffers.data(), numbers + 3 + 2 * count, &status);
  return status.ok() ? shared_.failure() : status;
}

void Run::Apply(int64_t number, char* cells) {
  if (!Poll().ok()) return;
  const Unit& unit = shared_.program().units[static_cast<size_t>(1 + number)];
  const int64_t bytes = unit.FrameBytes(/*threads=*/1);
  constexpr int64_t kFewBytes = 4096;
  alignas(kAlignment) char few[kFewBytes];
  Memory many;
  if (bytes > kFewBytes) {
    many.reset(std::aligned_alloc(kAlignment, static_cast<size_t>(bytes)));
    if (many == nullptr) {
      shared_.set_failure(absl::ResourceExhaustedError("the system has no memory left"));
      return;
    }
  }
  Run run(shared_, unit, many == nullptr ? few : static_cast<char*>(many.get()),
          /*is_nested=*/true);
  for (int64_t i = 0; i < unit.table->arguments + unit.table->results; ++i)
    run.bases()[1 + i] = cells + i * kCellBytes;
  absl::Status status = Guarded([&] { return run.Execute(unit.table->block); });
  if (!status.ok()) shared_.set_failure(std::move(status));
}

}  // namespace xla::aot

// --- Functions that generated code calls (xla/cpu/run/external_functions.cc).

extern "C" {

int32_t XlaCpuPoll(void* run);
int32_t XlaCpuRunThunks(const void* block, void* run);
void XlaCpuApply(void* run, int64_t unit, char* cells);

// Not 0 if the run is to stop.
int32_t XlaCpuPoll(void* run) { return static_cast<xla::aot::Run*>(run)->Poll().ok() ? 0 : 1; }

// Not 0 if the run is to stop.
int32_t XlaCpuRunThunks(const void* block, void* state) {
  xla::aot::Run& run = *static_cast<xla::aot::Run*>(state);
  absl::Status status = xla::aot::Guarded([&] {
    XLA_RETURN_IF_ERROR(run.Poll());
    return run.Execute(*static_cast<const int64_t*>(block));
  });
  if (status.ok()) return 0;
  run.shared().set_failure(std::move(status));
  return 1;
}

void XlaCpuApply(void* run, int64_t unit, char* cells) {
  static_cast<xla::aot::Run*>(run)->Apply(unit, cells);
}

}  // extern "C"
