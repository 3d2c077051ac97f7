// SPDX-License-Identifier: Apache-2.0
// Plans loops over an array row by row: how rows are computed by vectors and divided into units.
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
  std::vector<int64_t> dimensions;         // the last one is along the rows
  int lanes = 1;
  int row_lanes = 1;     // of vectors that reduce rows in scalar code
  int64_t segments = 1;  // of each row
  int64_t segment_length = 1;
  int64_t units = 0;
  // The units of the same segment of this many rows are consecutive, because they read the same
  // memory.
  int64_t rows_together = 1;
  // Short rows: a unit consists of this many rows with the same index of all dimensions but the
  // last two.
  int64_t rows_per_unit = 1;
  // The parts of the row that vectors compute, if not the whole row (loop_partitioning.h); the rest
  // is scalar code.
  std::vector<LoopPartition> parts;
  // For rows with interior padding: this many neighbors are computed by separate vectors, each of
  // which knows where padding is, and are stored interleaved. The last dimension counts groups of
  // this many; the elements after them have separate loops.
  int64_t phases = 1;
  int64_t first = 0;              // position in the row at which the loops start
  int64_t offset_dimension = -1;  // of a concatenation
  int64_t offset = 0;

  int64_t MostLanes() const { return std::max(lanes, row_lanes); }
  int64_t row_length() const { return dimensions.empty() ? 1 : dimensions.back(); }
};

// Finds out how the reductions use vectors, once for each request.
const ReductionLanes& LanesOfReductions(const KernelRequest& request);

// The facts that decide how the rows of a fusion are computed.
struct RowFacts : ReductionLanes {
  KernelWork work;
  double nanoseconds = 0;          // on one thread
  bool is_for_one_thread = false;  // too short for two threads, or in order
  bool applies_vectors = false;
  bool has_dot = false;  // with one right-hand side, loaded once
  bool has_windows = false;
};
RowFacts FactsOfRows(const KernelRequest& request);

// Sets the work of a plan whose units are known, and how many of them a thread takes at a time.
void SetWork(const Machine& machine, const RowFacts& facts, KernelPlan& plan);

// Returns the lanes of the vectors along the rows of the loops.
int LanesOfRows(const KernelRequest& request, const RowFacts& facts, const RowLoops& loops);

// Drops minor dimensions of one element if they have one in the result as well: vectors go along
// the last dimension with several elements.
void DropUnitDimensions(const KernelRequest& request, std::vector<int64_t>& dimensions);
// The dimensions of loops over an array of this shape.
std::vector<int64_t> LoopDimensions(const KernelRequest& request, const Shape& shape);

// Divides the loops into units.
void DivideIntoUnits(const KernelRequest& request, bool is_for_one_thread, bool shares_rows,
                     RowLoops& loops);

// Whether results exceed the caches and can be stored past them, by whole vectors at aligned
// addresses.
bool MayStream(const Machine& machine, const KernelPlan& plan, const RowLoops& loops);

std::string RowLoopsText(const RowLoops& loops);
// Returns " segments N of M", or nothing if there is only one.
std::string SegmentsText(int64_t segments, int64_t segment_length);

// Whether there is padding between rows: vectors that span several rows would compute and gather
// the elements of each pad for every lane, where one test serves a whole row.
bool PadsBetweenRows(const HloComputation& computation);

// Returns the bytes of an element, in registers, that determine the lanes of vectors: those of the
// widest type, unless nearly all types are narrower.
int LargestElementBytes(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_ROW_LOOPS_H_
