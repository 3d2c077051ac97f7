// SPDX-License-Identifier: Apache-2.0
// What a machine is: its instructions, vectors, registers, caches, and how fast it is, roughly.
//
// Code that is generated, Highway's dispatch and variants written by hand all follow the same
// description, within the bound on instruction sets (instruction_set.h). What decides something for
// a machine asks one that it is given, so that tests can give it another; kernels behind interfaces
// that have no place for it take that of the calling thread.
//
// Instructions and sizes of vectors decide how numbers are computed, and may change the last bit of
// a result; all else decides how fast, as no sum is cut where a cache or the number of cores says.
// Only instructions and cores are found out: what systems say of shared caches is off by factors of
// ten, and rates would have to be measured. The others are those of a usual machine.
#ifndef XLA_BASE_MACHINE_H_
#define XLA_BASE_MACHINE_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "xla/base/instruction_set.h"

namespace xla {

struct Machine {
  // --- Instructions. Those of x86-64; AArch64 has none of these but fma, half and aes.
  bool ssse3 = false;
  bool sse4 = false;  // 4.1 and 4.2
  bool aes = false;   // and carry-less multiplication
  bool avx2 = false;
  bool fma = false;
  bool half = false;    // conversions between f16 and f32
  bool bmi = false;     // BMI, BMI2 and LZCNT
  bool avx512 = false;  // F, BW, DQ, VL, and all of the above
  bool vnni = false;    // of 512 bits: products of bytes
  bool bf16 = false;    // of 512 bits: products of bfloat16
  bool amx = false;     // products of matrices of bytes and of bfloat16, in registers of 1 KB

  int vector_bytes = 16;
  int vector_registers = 16;
  // That the process may use: decides among how many threads work is divided, and in how many
  // pieces, never how a number is computed.
  int cores = 1;

  // --- Memory: sizes, and the rates of one core.
  int64_t line_bytes = 64;
  int64_t page_bytes = 4096;
  int64_t first_level_bytes = 32 << 10;
  int64_t second_level_bytes = 1 << 20;
  double last_level_bytes = 24e6;
  double cached_bytes_per_nanosecond = 25;
  double memory_bytes_per_nanosecond = 10;

  // --- Work of one core.
  double products_per_nanosecond = 24;  // multiplications of f32 with additions
  // Products that are subnormal, or underflow, take some 150 cycles: Intel's processors.
  bool underflows_slowly = false;

  // --- Threads
  double nanoseconds_worth_a_thread = 20e3;  // shorter loops run on one
  double nanoseconds_of_task = 50e3;         // what a thread takes at a time
  // Loops ask about so often whether the run goes on.
  int64_t nanoseconds_between_polls = 1 << 20;

  // Elements of so many bytes in a vector, at least as many as are always computed at a time.
  constexpr int Lanes(int64_t element_bytes) const {
    return std::max(4, vector_bytes / static_cast<int>(element_bytes));
  }

  // A loop that computes for so long without a pause, and moves so many bytes.
  constexpr double Nanoseconds(double bytes, double computing) const {
    return bytes / cached_bytes_per_nanosecond + computing;
  }
  constexpr bool IsWorthAThread(double nanoseconds) const {
    return nanoseconds >= nanoseconds_worth_a_thread;
  }
  // How many of the units of a loop a thread takes at a time.
  constexpr int64_t UnitsOfTask(int64_t units, double nanoseconds) const {
    return std::max<int64_t>(
        1, static_cast<int64_t>(static_cast<double>(units) * nanoseconds_of_task / nanoseconds));
  }
  // What makes a task where an item takes so long: a power of two.
  constexpr int64_t ItemsOfTask(double nanoseconds_per_item) const {
    return static_cast<int64_t>(
        std::bit_floor(static_cast<uint64_t>(nanoseconds_of_task / nanoseconds_per_item)));
  }
  // Bytes of memory that are copied in a task.
  constexpr int64_t BytesOfTask() const {
    return static_cast<int64_t>(nanoseconds_of_task * memory_bytes_per_nanosecond);
  }
  // Multiplications with additions of a task: a power of two.
  constexpr int64_t ProductsOfTask() const { return ItemsOfTask(1 / products_per_nanosecond); }
  // Whether arrays of so many bytes are better written past the caches.
  constexpr bool ExceedsCaches(double bytes) const { return bytes >= last_level_bytes; }
};

// Decisions that are the same for all machines (what is fused, in which order instructions run) are
// made for this one.
inline constexpr Machine kUsualMachine = {.vector_bytes = 64, .vector_registers = 32};

// An x86-64 machine with all instructions up to the set and no others.
Machine MachineWith(InstructionSet set);
// AArch64.
Machine NeonMachine();

// This machine, without the instructions beyond the bound. Constant for the process's life.
const Machine& HostMachine(InstructionSet bound = InstructionSet::kAny);
// Within the bound of the calling thread.
inline const Machine& MachineOfThread() { return HostMachine(MaxInstructionSet()); }

}  // namespace xla

#endif  // XLA_BASE_MACHINE_H_
