// SPDX-License-Identifier: Apache-2.0
// Loops over an array row by row: how rows are computed by vectors and divided into units.
#ifndef XLA_CPU_KERNEL_ROW_LOOPS_H_
#define XLA_CPU_KERNEL_ROW_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/kernel/loop_partitioning.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Loops over the result, or a part of it: an operand of a concatenation, the update of an update in
// place.
struct RowLoops {
  const HloInstruction* source = nullptr;  // in the fusion
  std::vector<int64_t> dimensions;         // the last one is that of the rows
  int lanes = 1;
  int row_lanes = 1;     // of reductions of rows in scalar code
  int64_t segments = 1;  // that a row is divided into
  int64_t segment_length = 1;
  int64_t units = 0;
  // Units of one segment of so many rows follow each other: they read the same memory.
  int64_t rows_together = 1;
  // Short rows: a unit is so many of them, of one index of all dimensions but the last two.
  int64_t rows_per_unit = 1;
  // Where vectors go, if not along the whole row (loop_partitioning.h); the rest is scalar code.
  std::vector<LoopPartition> parts;
  // Of rows of what is spread out by interior padding: so many neighbors are computed by vectors
  // of their own, each of which knows what lies between elements, and stored side by side. The
  // last dimension counts groups of as many; single elements behind them have loops of their own.
  int64_t phases = 1;
  int64_t first = 0;              // position of the row that the loops start at
  int64_t offset_dimension = -1;  // of a concatenation
  int64_t offset = 0;

  int64_t MostLanes() const { return std::max(lanes, row_lanes); }
  int64_t row_length() const { return dimensions.empty() ? 1 : dimensions.back(); }
};

// How the reductions of a fusion use vectors.
struct ReductionLanes {
  int vector_lanes = 1;  // of a vector of the fusion's elements
  bool reduces = false;
  // Rows are reduced in scalar code around vectors of so many lanes.
  bool reduces_rows = false;
  int row_lanes = 1;
  int64_t longest_across = 0;  // row that is reduced in a lane
};
ReductionLanes LanesOfReductions(const KernelRequest& request);

// What decides how the rows of a fusion are computed.
struct RowFacts : ReductionLanes {
  KernelWork work;
  double nanoseconds = 0;          // on one thread
  bool is_for_one_thread = false;  // too short for a second one, or in order
  bool applies_vectors = false;
  bool has_dot = false;  // of one right-hand side, which may be loaded once
  bool has_windows = false;
};
RowFacts FactsOfRows(const KernelRequest& request);

// Sets the work of a plan whose units are known, and how many of them a thread takes at a time.
void SetWork(const Machine& machine, const RowFacts& facts, KernelPlan& plan);

// Lanes of the vectors along the rows of the loops.
int LanesOfRows(const KernelRequest& request, const RowFacts& facts, const RowLoops& loops);

// Drops minor dimensions of one element, of the result too: vectors go along the last one that has
// several.
void DropUnitDimensions(const KernelRequest& request, std::vector<int64_t>& dimensions);
// The dimensions of loops over an array of this shape.
std::vector<int64_t> LoopDimensions(const KernelRequest& request, const Shape& shape);

// Divides the loops into units.
void DivideIntoUnits(const KernelRequest& request, bool is_for_one_thread, bool shares_rows,
                     RowLoops& loops);

// Whether results that are too large for caches may be written past them: whole vectors to aligned
// addresses.
bool MayStream(const Machine& machine, const KernelPlan& plan, const RowLoops& loops);

std::string RowLoopsText(const RowLoops& loops);
// " segments N of M", or nothing if there is one.
std::string SegmentsText(int64_t segments, int64_t segment_length);

// Bytes of the elements in registers that vectors are made for: of the widest type, unless nearly
// all are narrower.
int LargestElementBytes(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_ROW_LOOPS_H_
