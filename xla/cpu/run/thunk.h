// SPDX-License-Identifier: Apache-2.0
// The thunks of a compiled program: kernels, calls of libraries, copies, loops.
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

// An address: an offset in a memory of the run.
struct Slot {
  int32_t base = 0;
  int64_t offset = 0;
  char* In(const RunState& state) const { return state.base(base) + offset; }
};

class KernelThunk;
class CopyThunk;
class LibraryThunk;
class OverridableThunk;
class PreparedThunk;  // prepared_kernels.h
class BitcastThunk;
class WhileThunk;
class LoopFunctionThunk;
class CompiledWhileThunk;
class ConditionalThunk;

// What is done with a thunk of each kind, for those that write programs down rather than run them.
class ThunkVisitor {
 public:
  virtual ~ThunkVisitor() = default;
  virtual absl::Status Visit(const KernelThunk& thunk) = 0;
  virtual absl::Status Visit(const CopyThunk& thunk) = 0;
  virtual absl::Status Visit(const LibraryThunk& thunk) = 0;
  virtual absl::Status Visit(const OverridableThunk& thunk) = 0;
  virtual absl::Status Visit(const PreparedThunk& thunk) = 0;
  virtual absl::Status Visit(const BitcastThunk& thunk) = 0;
  virtual absl::Status Visit(const WhileThunk& thunk) = 0;
  virtual absl::Status Visit(const LoopFunctionThunk& thunk) = 0;
  virtual absl::Status Visit(const CompiledWhileThunk& thunk) = 0;
  virtual absl::Status Visit(const ConditionalThunk& thunk) = 0;
};

class Thunk {
 public:
  virtual ~Thunk() = default;
  virtual absl::Status Run(RunState& state) const = 0;
  virtual absl::Status Accept(ThunkVisitor& visitor) const = 0;
  // The instruction that it computes, for profiles. Null if it is part of another thunk.
  const HloInstruction* instruction() const { return instruction_; }
  void set_instruction(const HloInstruction* instruction) { instruction_ = instruction; }

 private:
  const HloInstruction* instruction_ = nullptr;
};
using ThunkSequence = std::vector<std::unique_ptr<Thunk>>;

absl::Status RunThunks(const ThunkSequence& thunks, RunState& state);
// Runs thunks for generated code. If it returns false, the state has the error.
bool RunThunksOfFunction(const ThunkSequence& thunks, RunState& state);

// Generated code, see kernel/kernel_code.h.
using KernelFunction = void (*)(char** arrays, int64_t begin, int64_t end);

class KernelThunk final : public Thunk {
 public:
  KernelThunk(KernelFunction function, std::vector<Slot> arrays, int64_t units, int64_t chunk)
      : function_(function), arrays_(std::move(arrays)), units_(units), chunk_(chunk) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  KernelFunction function() const { return function_; }
  const std::vector<Slot>& arrays() const { return arrays_; }
  int64_t units() const { return units_; }
  int64_t chunk() const { return chunk_; }

 private:
  const KernelFunction function_;
  const std::vector<Slot> arrays_;
  const int64_t units_, chunk_;
};

class CopyThunk final : public Thunk {
 public:
  CopyThunk(Slot from, Slot to, int64_t bytes) : from_(from), to_(to), bytes_(bytes) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  const Slot& from() const { return from_; }
  const Slot& to() const { return to_; }
  int64_t bytes() const { return bytes_; }

 private:
  const Slot from_, to_;
  const int64_t bytes_;
};

// Computes out[i] = f(f(parts[0][i], parts[1][i]), f(parts[2][i], parts[3][i])).. for i in [begin,
// end): a tree whose left subtrees have a power of two of parts.
// `arrays` are the parts, the result and the state of the run. See EmitCombiner.
using CombinerFunction = void (*)(char** arrays, int64_t parts, int64_t begin, int64_t end);

// A function of library_calls.h.
struct LibraryCall {
  const HloInstruction* instruction;
  RunState* state;
  absl::Span<char*const> operands, results;      // leaves; null for tokens
  absl::Span<const CombinerFunction> combiners;  // of reductions between devices, by operand
  const runtime::RegistryCallSite* site;         // of custom calls; may be null
};
using LibraryFunction = absl::Status (*)(const LibraryCall& call);

class LibraryThunk final : public Thunk {
 public:
  LibraryThunk(LibraryFunction function, const HloInstruction* inst,
               std::vector<std::optional<Slot>> operands, std::vector<std::optional<Slot>> results,
               std::vector<CombinerFunction> combiners,
               std::unique_ptr<const runtime::RegistryCallSite> site = nullptr)
      : function_(function),
        operands_(std::move(operands)),
        results_(std::move(results)),
        combiners_(std::move(combiners)),
        site_(std::move(site)) {
    set_instruction(inst);
  }
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  const std::vector<std::optional<Slot>>& operands() const { return operands_; }
  const std::vector<std::optional<Slot>>& results() const { return results_; }

 private:
  const LibraryFunction function_;
  const std::vector<std::optional<Slot>> operands_, results_;  // none for tokens
  const std::vector<CombinerFunction> combiners_;
  const std::unique_ptr<const runtime::RegistryCallSite> site_;
};

// A custom call with a kernel, which runs unless the run has a handler of the call's name.
class OverridableThunk final : public Thunk {
 public:
  OverridableThunk(const HloInstruction* call, std::unique_ptr<Thunk> kernel,
                   std::unique_ptr<Thunk> handler)
      : kernel_(std::move(kernel)), handler_(std::move(handler)) {
    set_instruction(call);
  }
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

 private:
  const std::unique_ptr<Thunk> kernel_, handler_;
};

// A bitcast that changes bytes; see ExpandBitcasts.
class BitcastThunk final : public Thunk {
 public:
  BitcastThunk(const HloInstruction* inst, Shape from, Shape to, Slot operand, Slot result)
      : from_(std::move(from)), to_(std::move(to)), operand_(operand), result_(result) {
    set_instruction(inst);
  }
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

 private:
  const Shape from_, to_;
  const Slot operand_, result_;
};

class WhileThunk final : public Thunk {
 public:
  // With two phases, odd iterations run the second one, with the (ping-pong) buffers of the state
  // exchanged; `finish` copies the state back if the loop ends in an odd iteration.
  struct Phase {
    ThunkSequence condition, body;
  };
  WhileThunk(Slot predicate, std::vector<Phase> phases, ThunkSequence finish)
      : predicate_(predicate), phases_(std::move(phases)), finish_(std::move(finish)) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  const Slot& predicate() const { return predicate_; }
  const std::vector<Phase>& phases() const { return phases_; }
  const ThunkSequence& finish() const { return finish_; }

 private:
  const Slot predicate_;
  const std::vector<Phase> phases_;
  const ThunkSequence finish_;
};

// A loop that is one function, see scalar_while.h.
using LoopFunction = void (*)(char** arrays, RunState* state, int64_t begin, int64_t end);

class LoopFunctionThunk final : public Thunk {
 public:
  LoopFunctionThunk(LoopFunction function, std::vector<Slot> arrays, int64_t units = 1,
                    int64_t chunk = 1)
      : function_(function), arrays_(std::move(arrays)), units_(units), chunk_(chunk) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  LoopFunction function() const { return function_; }
  const std::vector<Slot>& arrays() const { return arrays_; }
  int64_t units() const { return units_; }
  int64_t chunk() const { return chunk_; }

 private:
  const LoopFunction function_;
  const std::vector<Slot> arrays_;
  const int64_t units_, chunk_;
};

// A loop that is one function, see compiled_while.h.
class CompiledWhileThunk final : public Thunk {
 public:
  struct Entry {
    enum class Kind : uint8_t { kSlot, kAddress, kRun };
    Kind kind = Kind::kSlot;
    Slot slot;
    void* address = nullptr;
  };
  // `inner`: the thunks among the addresses.
  CompiledWhileThunk(LoopFunction function, std::vector<Entry> table,
                     std::vector<std::unique_ptr<ThunkSequence>> inner)
      : function_(function), table_(std::move(table)), inner_(std::move(inner)) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  LoopFunction function() const { return function_; }
  const std::vector<Entry>& table() const { return table_; }
  const std::vector<std::unique_ptr<ThunkSequence>>& inner() const { return inner_; }

 private:
  const LoopFunction function_;
  const std::vector<Entry> table_;
  const std::vector<std::unique_ptr<ThunkSequence>> inner_;
};

class ConditionalThunk final : public Thunk {
 public:
  // The selector is a PRED (true selects the first branch) or an S32 (out of range selects the last
  // branch).
  ConditionalThunk(bool is_predicate, Slot selector, std::vector<ThunkSequence> branches)
      : is_predicate_(is_predicate), selector_(selector), branches_(std::move(branches)) {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  bool is_predicate() const { return is_predicate_; }
  const Slot& selector() const { return selector_; }
  const std::vector<ThunkSequence>& branches() const { return branches_; }

 private:
  const bool is_predicate_;
  const Slot selector_;
  const std::vector<ThunkSequence> branches_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_THUNK_H_
