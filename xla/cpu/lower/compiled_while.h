// SPDX-License-Identifier: Apache-2.0
// Compiles a loop with a small body, and the loops and conditionals within it, to one function:
// single elements stay in registers, small kernels are inlined, larger ones are called, and thunks
// run what no generated code computes.
#ifndef XLA_CPU_LOWER_COMPILED_WHILE_H_
#define XLA_CPU_LOWER_COMPILED_WHILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/target.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/plan/ping_pong_state.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

struct CompiledWhilePlan {
  enum class Mode : uint8_t {
    kCopy,
    kScalar,    // single elements, in registers
    kInline,    // a kernel, as part of the function
    kCall,      // a kernel of one thread that is a function of its own
    kThunks,    // anything else, by thunks
    kLoop,      // of the same function
    kBranches,  // the same for conditionals
  };
  struct Item {
    Mode mode = Mode::kCopy;
    std::unique_ptr<const KernelPlan> kernel;  // of kInline and kCall
    size_t entry = 0;                          // of kCall and kThunks: the first in the table
    std::vector<PingPongPair> pairs;           // of kLoop
    size_t table = 0;                          // that odd iterations use
  };
  // The function takes a table of addresses. For each kernel that is called, the table has the
  // addresses of its function, of its arrays and of the state of the run; for thunks, that of their
  // sequence; then those of the values. Each loop with ping-pong state has another table for odd
  // iterations.
  struct Entry {
    enum class Kind : uint8_t { kValue, kFunction, kThunks, kRun };
    Kind kind = Kind::kValue;
    ValueId value = kNoValue;
    const ScheduledItem* item = nullptr;
  };

  const ScheduledItem* loop = nullptr;
  std::map<const ScheduledItem*, Item> items;  // of all bodies except those run by thunks
  std::vector<Entry> entries;                  // of the first table
  std::map<ValueId, size_t> value_entries;     // of the values
  std::vector<const ScheduledItem*> tables;    // the loops of the further tables
};

// Returns no plan for loops that mostly run thunks, or that are not worth a function.
std::optional<CompiledWhilePlan> PlanCompiledWhile(const ProgramSchedule& schedule,
                                                   const ScheduledItem& loop, const Target& target);

// The plan on one line.
std::string PlanText(const CompiledWhilePlan& plan);

// Emits void name(char** table, RunState* state, int64_t, int64_t), a LoopFunction (thunk.h). It
// polls for cancellation, and returns early then.
absl::Status EmitCompiledWhile(Ir& ir, const ProgramSchedule& schedule,
                               const CompiledWhilePlan& plan, const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_COMPILED_WHILE_H_
