// SPDX-License-Identifier: Apache-2.0
// The form of programs that are compiled ahead of time: read-only data of the object file, which
// the runtime executes. The compiler writes it (xla/aot/program_writer.h); both include
// this file.
//
// A program is a sequence of steps, each of them numbers of 64 bits: its kind, the number of
// numbers that follow, and those. Sequences (blocks) are numbered; loops and conditionals name the
// blocks that they run. Arrays are slots: a memory of the run and an offset in bytes. Memories are
// numbered as in MemoryNumbers (xla/cpu/lower/lower_program.h): scratch memory, arguments, results,
// constants. Functions are named by their index in a list of addresses.
#ifndef XLA_AOT_RUNTIME_TABLE_H_
#define XLA_AOT_RUNTIME_TABLE_H_

#include <cstdint>

#include "xla/kernels/kernel.h"

namespace xla::aot {

// Of all of this, the code that is generated, and the structures of program.h.
inline constexpr int64_t kTableVersion = 2;

// In braces: the numbers of a step. "slots" is a count, and that many slots of two numbers each.
enum class StepKind : int64_t {
  kKernel,         // {function, units, chunk, slots}
  kLoop,           // {function, units, chunk, slots}
  kCopy,           // {slot from, slot to, bytes}
  kPrepared,       // {kernel, slots}
  kWhile,          // {slot of the predicate, block that ends it, phases, {condition, body}..}
  kCompiledWhile,  // {function, count, {kind of entry, 2 numbers}..}
  kConditional,    // {is the selector a PRED, slot of the selector, count, block..}
  kCall,           // {function of the runtime, slots, count of parameters, parameter..}
};

// The entries of the table of a kCompiledWhile: a slot, a function, a block, the state of the run,
// or nothing.
enum class EntryKind : int64_t { kSlot, kFunction, kBlock, kRun, kNone };

// A constant: its elements, or their offset in the weights (-1: `data` has them).
struct ConstantTable {
  const void* data;
  int64_t offset, bytes;
};

// A kernel of the library: the function that makes it (kernel_makers.h), and the first number of
// its recipe (xla/kernels/recipe.h).
struct KernelTable {
  int64_t function, first;
};

// The whole program, or one that its code applies to elements.
struct UnitTable {
  int64_t block;               // that is run
  int64_t arguments, results;  // memories
  int64_t scratch_bytes;       // without that of library kernels
  int64_t constant_count;
  const ConstantTable* constants;
  int64_t kernel_count;
  const KernelTable* kernels;
};
// The frame of a run of a unit: the addresses of its memories, its scratch memory, that of library
// kernels.
inline int64_t BytesOfBases(const UnitTable& unit) {
  return kernels::Aligned(8 * (1 + unit.arguments + unit.results + unit.constant_count));
}
inline int64_t FrameBytesOf(const UnitTable& unit, int64_t library_bytes) {
  return BytesOfBases(unit) + kernels::Aligned(unit.scratch_bytes) +
         kernels::Aligned(library_bytes);
}

// A program as compiled for one machine.
struct TargetTable {
  int64_t instruction_set;  // the bound on instructions (xla/base/instruction_set.h)
  int64_t flushes_subnormals;
  const int64_t* numbers;  // of all steps and recipes
  const int64_t* blocks;   // for each: its first number, and that after its last
  const void* const* functions;
  int64_t unit_count;
  const UnitTable* units;  // the program is the first one
};

// An argument or result. Callers give its address and, if it has dynamic dimensions, that of their
// sizes.
struct ArrayTable {
  const char* name;
  int64_t bytes;               // at its bounds
  int64_t memory;              // among the arguments or results; sizes are in the ones that follow
  int64_t dynamic_dimensions;  // their number
  const int64_t* bounds;       // of the dynamic dimensions
  int64_t donor;               // of results: the argument that its memory must hold first, or -1
};

struct ProgramTable {
  int64_t version;
  const char* name;
  int64_t argument_count, result_count;
  const ArrayTable* arrays;  // arguments, then results
  int64_t weights_bytes;     // of the file of weights; 0 if there is none
  int64_t weights_digest;    // of their contents
  int64_t target_count;
  const TargetTable* targets;  // those that need more instructions first
};

// The first bytes of a file of weights; the weights follow from kWeightsStart on.
struct WeightsHeader {
  char magic[8];  // kWeightsMagic
  int64_t version, bytes, digest;
};
inline constexpr char kWeightsMagic[9] = "XYLEMWTS";
inline constexpr int64_t kWeightsVersion = 1, kWeightsStart = 64;

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_TABLE_H_
