// SPDX-License-Identifier: Apache-2.0
// The compiler's decisions about a program, for people: how each instruction is computed, in which
// order, and where arrays are.
#ifndef XLA_CPU_PROGRAM_REPORT_H_
#define XLA_CPU_PROGRAM_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace xla {

// An instruction that is computed. What a loop or conditional runs follows it, one level deeper.
struct PlannedInstruction {
  int depth = 0;
  std::string name, shape, opcode;
  std::string
      lowering;      // a JSON dictionary (cpu/plan/lowering.h); empty for copies and control flow
  std::string plan;  // of a kernel or a loop: how its work is divided
};

// An item of the schedule, in the order of execution.
struct ScheduledStep {
  int depth = 0;
  int64_t position = 0;                        // the unit of live ranges
  std::string name;                            // of the instruction; empty for copies
  std::string operation;                       // its opcode, or "copy"
  std::vector<std::string> operands, results;  // places: "scratch+64", "argument 0", "token"
};

// An array in memory, or several arrays that are never needed at the same time.
struct BufferReport {
  std::string memory;  // "scratch", "argument", "result" or "constant"
  int64_t number = 0;  // of the argument, result or constant
  int64_t offset = 0;  // bytes, in the scratch memory
  int64_t bytes = 0;
  int64_t begin = 0,
          end = 0;          // positions of the first step that writes it and the last that reads it
  bool is_at_peak = false;  // live at the peak of scratch memory
  std::vector<std::string> values;  // the instructions that make its contents
};

struct ProgramReport {
  std::vector<PlannedInstruction> plan;
  std::vector<ScheduledStep> schedule;
  std::vector<BufferReport> buffers;          // by memory, number and offset
  int64_t scratch_bytes = 0;                  // allocated, without that of library kernels
  int64_t peak_bytes = 0, peak_position = 0;  // of buffers in it that are alive at the same time
};

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_REPORT_H_
