// SPDX-License-Identifier: Apache-2.0
// Kernels: functions that compute a fusion, or a part of it.
//
//   void kernel(char** arrays, int64_t begin, int64_t end)
//
// `arrays` are the operands of the fusion, then its results. The work is numbered in units, which
// may be computed in any order and by any number of threads: results do not depend on it.
#ifndef XLA_CPU_KERNEL_EMITTER_H_
#define XLA_CPU_KERNEL_EMITTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/ir.h"
#include "xla/cpu/row_parts.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Part of the index space of a result: everything but for concatenations (an operand each) and
// in-place updates (the update).
struct KernelRegion {
  const HloInstruction* source = nullptr;  // in the fusion
  std::vector<int64_t> dimensions;         // of the loops, rows of the last one
  int lanes = 1;
  int row_lanes = 1;     // of reductions of rows in scalar code
  int64_t segments = 1;  // that a row is divided into
  int64_t segment_length = 1;
  int64_t units = 0;
  // Units of one segment of so many rows follow each other: they read the same memory.
  int64_t rows_together = 1;
  // Of transposes: elements along the minor dimension of the operand and along that of the result
  // that make a unit, and those of a tile, which is as long both ways; units of all other
  // dimensions of the same block follow each other if `blocks_are_outer`.
  int64_t block_a = 0, block_b = 0;
  int tile = 0;
  bool blocks_are_outer = false;
  // Rows of the result are shorter than tiles and stored in two parts that overlap.
  bool pads = false;
  // Short rows: a unit is so many of them, of one index of all dimensions but the last two.
  int64_t rows_per_unit = 1;
  // Where vectors go, if not along the whole row (row_parts.h); the rest is scalar code.
  std::vector<RowPart> parts;
  // Of rows of what is spread out by interior padding: so many neighbours are computed by vectors
  // of their own, each of which knows what lies between elements, and stored side by side. The
  // last dimension counts groups of as many; single elements behind them are another region.
  int64_t phases = 1;
  int64_t first = 0;              // position of the row that the region starts at
  int64_t offset_dimension = -1;  // of a concatenation
  int64_t offset = 0;
};

struct KernelPlan {
  const HloInstruction* fusion = nullptr;
  std::vector<KernelRegion> regions;
  bool is_linear = false;
  bool updates_in_place = false;  // dynamic-update-slice and scatter
  // Rows of the result need reductions of the same rows, which are made first.
  bool reduces_own_rows = false;
  // Multiplies rows by one small matrix, which is loaded once.
  bool keeps_matrix = false;
  // Elements of columns are stored side by side: operands of a concatenation, or so many columns of
  // what is computed.
  bool interleaves = false;
  int64_t columns = 0;
  // An array in memory, or what is computed along the rows of the operand, by tiles of vectors
  // (transpose_emitter.h).
  bool transposes = false;
  // A reduction that keeps the minor dimension: rows are combined in the memory of the result.
  bool reduces_columns = false;
  int64_t merged_columns = 1;  // the last dimensions of its result that are seen as one
  // The operand whose elements a contraction gives to the kernel part by part (FusedContraction);
  // -1 if there is none. The kernel is an epilogue then, see EmitKernel.
  int64_t epilogue_of = -1;
  int64_t rows_at_once = 1;  // of those rows, between a load of the result and a store
  // Results are stored past the caches: they are too large for them.
  bool streams = false;
  std::vector<bool> is_written;  // operands that are in the memory of a result
  std::vector<bool> is_unused;   // results without memory; empty: none
  int64_t units = 0;
  int64_t chunk = 1;  // units for a thread at a time

  double bytes = 0, operations = 0;  // of a whole execution, estimated
};

// Operands (by number of the parameter) that are updated in place: result r is where the operand
// [r] was. Of dynamic-update-slice and scatter; empty for others.
std::vector<int64_t> UpdatedOperands(const HloInstruction& fusion);

// The fusion's result is in the memory of operand i where is_written[i]; epilogue_of as in the
// plan.
KernelPlan PlanKernel(const HloInstruction* fusion, const Target& target,
                      std::vector<bool> is_written, int64_t epilogue_of = -1);

// The plan on one line.
std::string PlanText(const KernelPlan& plan);

// Arithmetic operations of a fusion, dot or convolution, roughly; 0 for others.
double EstimateOperations(const HloInstruction& instruction);

// Whether all arrays of a fusion may be seen as one dimension of the same length: it is
// elementwise.
bool IsLinear(const HloComputation& computation);

// Whether a kernel that is a transpose computes what it transposes: rows of the operand are long
// enough for vectors, and the result's as well, or so short that they are stored side by side.
bool TransposesComputedRows(const HloInstruction& transpose);

// Whether rows of a transpose's result are every second, third or fourth element of memory: it is
// as good as any other operation that reads such.
bool PicksFromShortRows(const HloInstruction& transpose);

// Whether a reduction keeps the minor dimension and is long enough to be a kernel of its own, which
// combines rows in the memory of the result.
bool IsColumnReduction(const HloInstruction& reduce);

// Whether all reductions are of the minor dimension of arrays like the result, and each row of the
// result needs those of the same row only.
bool ReducesOwnRows(const HloComputation& computation);

// Whether a kernel of the fusion may write its result to the memory of an operand: each element
// depends on that operand's element at the same place only, and on what is reduced from its row. Of
// an update, the operand that is updated may be, and others of which nothing is read but what is
// replaced.
bool MayShareMemory(const HloInstruction& fusion, int64_t operand, int result);

// Whether elements of the root read operands in the memory of the result, where those of `known`
// and what is reduced need not be computed.
bool ReadsWhatIsWritten(const KernelPlan& plan, const HloInstruction* known);

// An epilogue is a function for kernels::KernelEpilogue: buffers from the third on are the result
// and the operands of the fusion.
absl::Status EmitKernel(Ir& ir, const KernelPlan& plan, const char* name);

// What a kernel within another function reads and writes.
struct InlineKernel {
  std::vector<IrValue> arrays;          // those of the fusion's operands, then of its results
  std::vector<bool> is_invariant;       // operands that nothing writes while the function runs
  ElementEmitter::Elements parameters;  // whose single element is known
};
// Emits all units of the kernel as part of the function that is being built.
absl::Status EmitInlineKernel(Ir& ir, const KernelPlan& plan, const InlineKernel& kernel);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_EMITTER_H_
