// SPDX-License-Identifier: Apache-2.0
// Loops of small bodies, and loops and conditionals within them, as one native function: single
// elements stay in registers, small kernels are part of the function, larger ones are called, and
// what no generated code computes runs as steps.
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
    kThunks,    // anything else
    kLoop,      // of the same function
    kBranches,  // the same for conditionals
  };
  struct Item {
    Mode mode = Mode::kCopy;
    std::unique_ptr<const KernelPlan> kernel;  // of kInline and kCall
    size_t entry = 0;                          // of kCall and kSteps: the first in the table
    std::vector<PingPongPair> pairs;           // of kLoop
    size_t table = 0;                          // that its second turns use
  };
  // The function takes a table of addresses: of the values, then, for each kernel that is called,
  // those of the function, of its arrays and of the state of the run, and for steps that of the
  // steps. Each loop that exchanges buffers has a further table like it, of its second turns.
  struct Entry {
    enum class Kind : uint8_t { kValue, kFunction, kThunks, kRun };
    Kind kind = Kind::kValue;
    ValueId value = kNoValue;
    const ScheduledItem* item = nullptr;
  };

  const ScheduledItem* loop = nullptr;
  std::map<const ScheduledItem*, Item> items;  // of all bodies but those of steps
  std::vector<Entry> entries;                  // of the first table
  std::map<ValueId, size_t> value_entries;     // of the values
  std::vector<const ScheduledItem*> tables;    // the loops that the further ones belong to
};

// None for loops of which steps are the larger part, or that are not worth it.
std::optional<CompiledWhilePlan> PlanCompiledWhile(const ProgramSchedule& schedule,
                                                   const ScheduledItem& loop, const Target& target);

// The plan on one line.
std::string PlanText(const CompiledWhilePlan& plan);

// void name(char** table, RunState* state, int64_t, int64_t), a LoopFunction (thunk.h). Asks from
// time to time whether the run is cancelled, and then returns early.
absl::Status EmitCompiledWhile(Ir& ir, const ProgramSchedule& schedule,
                               const CompiledWhilePlan& plan, const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_COMPILED_WHILE_H_
