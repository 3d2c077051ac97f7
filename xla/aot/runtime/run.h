// SPDX-License-Identifier: Apache-2.0
// A loaded program, and one run of it.
#ifndef XLA_AOT_RUNTIME_RUN_H_
#define XLA_AOT_RUNTIME_RUN_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/aot/runtime/program.h"
#include "xla/aot/runtime/table.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/instruction_set.h"
#include "xla/kernels/context.h"
#include "xla/kernels/kernel.h"

namespace xla::aot {

// Calls a function whose exceptions must not propagate: through generated code, or to the caller.
template <typename Function>
absl::Status Guarded(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the system has no memory left");
  }
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;
inline constexpr uintptr_t kAlignment = 64;
absl::StatusOr<Memory> AllocateAligned(int64_t bytes);

// Working memory that is kept from one run to the next, which then finds its pages mapped. Of runs
// at the same time, one takes the memory that is kept, and one leaves its own. Thread-safe.
class KeptMemory {
 public:
  // At least so many bytes. To be returned to Keep.
  absl::StatusOr<Memory> Take(int64_t bytes);
  void Keep(Memory memory);
  // Where the bytes begin.
  static char* BytesOf(const Memory& memory) {
    return static_cast<char*>(memory.get()) + kAlignment;
  }

  KeptMemory() = default;
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
  ~KeptMemory() { FreeMemory()(kept_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<void*> kept_ = nullptr;  // begins with its size in bytes
};

// A unit of a loaded program: its constants, and the kernels of the library, made.
struct Unit {
  const UnitTable* table;
  std::vector<const char*> constants;
  std::vector<std::unique_ptr<const kernels::Kernel>> kernels;

  // Scratch memory of a run on this many threads, with the addresses of its memories first.
  int64_t FrameBytes(int32_t threads) const;
};

// Immutable once it is loaded, but for memory that runs use one after the other.
struct Program {
  const ProgramTable* table;
  const TargetTable* target;
  std::vector<Unit> units;
  void* weights = nullptr;  // mapped
  int64_t weights_bytes = 0;
  mutable KeptMemory scratch;

  ~Program();
  InstructionSet bound() const { return static_cast<InstructionSet>(target->instruction_set); }
  FloatingPointMode mode() const {
    return target->flushes_subnormals != 0 ? FloatingPointMode::FlushingSubnormals()
                                           : FloatingPointMode::Ieee();
  }
};

// What all units of a run share.
class RunShared {
 public:
  RunShared(const Program& program, const xylem_run_options& options)
      : program_(program), options_(options) {}

  const Program& program() const { return program_; }
  int32_t threads() const;
  const xylem_threads* caller_threads() const { return options_.threads; }
  // The error of code that cannot return one. Nothing else runs after it. Any thread may set it.
  absl::Status failure() const;
  void set_failure(absl::Status failure);
  absl::Status Poll() const;
  uint64_t TakeRandomCounters(uint64_t count) {
    return random_counter_.fetch_add(count, std::memory_order_relaxed);
  }

 private:
  const Program& program_;
  const xylem_run_options& options_;
  std::atomic<uint64_t> random_counter_{0};
  std::atomic<bool> has_failed_{false};
  absl::Status failure_;      // set before has_failed_
  mutable std::mutex mutex_;  // guards setting it
};

// A run of one unit.
class Run final : public kernels::Context {
 public:
  // `memory` is unit.FrameBytes(threads) bytes, aligned to 64. Nested runs, of programs that code
  // applies to elements, stay on their thread.
  Run(RunShared& shared, const Unit& unit, char* memory, bool is_nested);

  RunShared& shared() { return shared_; }
  char** bases() { return bases_; }
  int32_t threads() const { return is_nested_ ? 1 : shared_.threads(); }

  absl::Status Execute(int64_t block);
  // A nested run, of a unit with arguments, results after them, a fixed number of bytes apart.
  void Apply(int64_t unit, char* cells);

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override;
  absl::Status Poll() override { return shared_.Poll(); }
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override;

  template <typename Function>
  Function FunctionAt(int64_t number) const {
    return reinterpret_cast<Function>(const_cast<void*>(target_.functions[number]));
  }

 private:
  // Each takes the numbers of its step.
  absl::Status RunKernel(const int64_t* numbers);
  absl::Status RunLoop(const int64_t* numbers);
  absl::Status RunCopy(const int64_t* numbers);
  absl::Status RunPrepared(const int64_t* numbers);
  absl::Status RunWhile(const int64_t* numbers);
  absl::Status RunCompiledWhile(const int64_t* numbers);
  absl::Status RunConditional(const int64_t* numbers);
  absl::Status RunCall(const int64_t* numbers);
  absl::Status RunStep(StepKind kind, const int64_t* numbers);

  char* At(const int64_t* slot) const { return bases_[slot[0]] + slot[1]; }
  RunShared& shared_;
  const Unit& unit_;
  const TargetTable& target_;
  char** const bases_;
  char* library_scratch_;
  const bool is_nested_;
};

// A function of library_steps.h: computes an instruction from its operands and results.
using LibraryStepFunction = void (*)(Run* run, char* const* buffers, const int64_t* parameters,
                                     absl::Status* status);

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_RUN_H_
