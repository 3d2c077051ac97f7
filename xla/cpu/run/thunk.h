// SPDX-License-Identifier: Apache-2.0
// The steps of a compiled program: kernels, calls of libraries, copies, loops.
#ifndef XLA_CPU_RUN_THUNK_H_
#define XLA_CPU_RUN_THUNK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/run/run_state.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/runtime/registry_call_site.h"
#include "xla/shape.h"

namespace xla::cpu {

// An address: that of a memory of the run plus bytes.
struct Slot {
  int32_t base = 0;
  int64_t offset = 0;
  char* In(const RunState& state) const { return state.base(base) + offset; }
};

class Step {
 public:
  virtual ~Step() = default;
  virtual absl::Status Run(RunState& state) const = 0;
  // Of the instruction that it computes; for profiles. Null: part of another step.
  const HloInstruction* instruction() const { return instruction_; }
  void set_instruction(const HloInstruction* instruction) { instruction_ = instruction; }

 private:
  const HloInstruction* instruction_ = nullptr;
};
using Steps = std::vector<std::unique_ptr<Step>>;

absl::Status RunSteps(const Steps& steps, RunState& state);
// The same for generated code. False: the state has the reason.
bool RunStepsOfFunction(const Steps& steps, RunState& state);

// Generated code, see kernel/kernel_code.h.
using KernelFunction = void (*)(char** arrays, int64_t begin, int64_t end);

class KernelStep final : public Step {
 public:
  KernelStep(KernelFunction function, std::vector<Slot> arrays, int64_t units, int64_t chunk)
      : function_(function), arrays_(std::move(arrays)), units_(units), chunk_(chunk) {}
  absl::Status Run(RunState& state) const override;

 private:
  const KernelFunction function_;
  const std::vector<Slot> arrays_;
  const int64_t units_, chunk_;
};

class CopyStep final : public Step {
 public:
  CopyStep(Slot from, Slot to, int64_t bytes) : from_(from), to_(to), bytes_(bytes) {}
  absl::Status Run(RunState& state) const override;

 private:
  const Slot from_, to_;
  const int64_t bytes_;
};

// out[i] = f(..f(f(parts[0][i], parts[1][i]), parts[2][i])..) for i in [begin, end): `arrays` are
// the parts, the result and the state of the run. See EmitFold.
using FoldFunction = void (*)(char** arrays, int64_t parts, int64_t begin, int64_t end);

// A function of library_calls.h.
struct LibraryCall {
  const HloInstruction* instruction;
  RunState* state;
  absl::Span<char*const> operands, results;  // leaves; null for tokens
  absl::Span<const FoldFunction> folds;      // of reductions between devices, by operand
  const runtime::RegistryCallSite* site;     // of custom calls; may be null
};
using LibraryFunction = absl::Status (*)(const LibraryCall& call);

class LibraryStep final : public Step {
 public:
  LibraryStep(LibraryFunction function, const HloInstruction* inst,
              std::vector<std::optional<Slot>> operands, std::vector<std::optional<Slot>> results,
              std::vector<FoldFunction> folds,
              std::unique_ptr<const runtime::RegistryCallSite> site = nullptr)
      : function_(function),
        operands_(std::move(operands)),
        results_(std::move(results)),
        folds_(std::move(folds)),
        site_(std::move(site)) {
    set_instruction(inst);
  }
  absl::Status Run(RunState& state) const override;

 private:
  const LibraryFunction function_;
  const std::vector<std::optional<Slot>> operands_, results_;  // none for tokens
  const std::vector<FoldFunction> folds_;
  const std::unique_ptr<const runtime::RegistryCallSite> site_;
};

// A custom call that there is a kernel for, unless the run has a handler of its name.
class OverridableStep final : public Step {
 public:
  OverridableStep(const HloInstruction* call, std::unique_ptr<Step> kernel,
                  std::unique_ptr<Step> handler)
      : kernel_(std::move(kernel)), handler_(std::move(handler)) {
    set_instruction(call);
  }
  absl::Status Run(RunState& state) const override;

 private:
  const std::unique_ptr<Step> kernel_, handler_;
};

// A bitcast that changes bytes; see ExpandBitcasts.
class BitcastStep final : public Step {
 public:
  BitcastStep(const HloInstruction* inst, Shape from, Shape to, Slot operand, Slot result)
      : from_(std::move(from)), to_(std::move(to)), operand_(operand), result_(result) {
    set_instruction(inst);
  }
  absl::Status Run(RunState& state) const override;

 private:
  const Shape from_, to_;
  const Slot operand_, result_;
};

class WhileStep final : public Step {
 public:
  // With two phases, odd iterations run the second one, with the (ping-pong) buffers of the state
  // exchanged; `finish` copies the state back if the loop ends in an odd iteration.
  struct Phase {
    Steps condition, body;
  };
  WhileStep(Slot predicate, std::vector<Phase> phases, Steps finish)
      : predicate_(predicate), phases_(std::move(phases)), finish_(std::move(finish)) {}
  absl::Status Run(RunState& state) const override;

 private:
  const Slot predicate_;
  const std::vector<Phase> phases_;
  const Steps finish_;
};

// A loop that is one function, see scalar_while.h.
using LoopFunction = void (*)(char** arrays, RunState* state, int64_t begin, int64_t end);

class ScalarLoopStep final : public Step {
 public:
  ScalarLoopStep(LoopFunction function, std::vector<Slot> arrays, int64_t units = 1,
                 int64_t chunk = 1)
      : function_(function), arrays_(std::move(arrays)), units_(units), chunk_(chunk) {}
  absl::Status Run(RunState& state) const override;

 private:
  const LoopFunction function_;
  const std::vector<Slot> arrays_;
  const int64_t units_, chunk_;
};

// A loop that is one function, see compiled_while.h.
class CompiledWhileStep final : public Step {
 public:
  struct Entry {
    enum class Kind : uint8_t { kSlot, kAddress, kRun };
    Kind kind = Kind::kSlot;
    Slot slot;
    void* address = nullptr;
  };
  // `inner`: the steps among the addresses.
  CompiledWhileStep(LoopFunction function, std::vector<Entry> table,
                    std::vector<std::unique_ptr<Steps>> inner)
      : function_(function), table_(std::move(table)), inner_(std::move(inner)) {}
  absl::Status Run(RunState& state) const override;

 private:
  const LoopFunction function_;
  const std::vector<Entry> table_;
  const std::vector<std::unique_ptr<Steps>> inner_;
};

class ConditionalStep final : public Step {
 public:
  // The selector is a PRED (true: the first branch) or an S32 (out of range: the last branch).
  ConditionalStep(bool is_predicate, Slot selector, std::vector<Steps> branches)
      : is_predicate_(is_predicate), selector_(selector), branches_(std::move(branches)) {}
  absl::Status Run(RunState& state) const override;

 private:
  const bool is_predicate_;
  const Slot selector_;
  const std::vector<Steps> branches_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_THUNK_H_
