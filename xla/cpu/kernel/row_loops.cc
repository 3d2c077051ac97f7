// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/row_loops.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/transpose.h"
#include "xla/passes/split_reductions.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Counts the instructions by the bytes of an element in registers, weighted by `weight`.
std::array<double, 9> CountByElementBytes(const HloComputation& computation,
                                          absl::FunctionRef<double(const HloInstruction&)> weight) {
  std::array<double, 9> by_bytes = {};
  for (const HloInstruction* instruction : computation.instructions()) {
    if (!instruction->shape().IsArray() || CountOf(instruction->shape()) == 1) continue;
    const PrimitiveType type = instruction->shape().element_type();
    size_t own = static_cast<size_t>(primitive_util::ByteWidth(type));
    if (primitive_util::IsFloatingPointType(type)) own = std::max<size_t>(own, 4);
    if (primitive_util::IsComplexType(type)) own /= 2;
    by_bytes[own] += weight(*instruction);
  }
  return by_bytes;
}

// Chains of dependent operations that take longer leave the processor idle, because it does not
// look far enough ahead; computing several vectors at a time fills the gaps.
constexpr int64_t kLongChain = 90;
// With few registers, the constants of functions are loaded for each vector, which several share:
// that pays for chains of one function, if little is independent of them.
constexpr int64_t kLongChainOfFewRegisters = 60;

// Returns the lanes of several vectors at a time of the types that most instructions have. A vector
// of complex numbers is two vectors. `is_short`: at most two vectors.
int InterleavedLanes(const HloComputation& computation, const Target& target, int lanes,
                     bool is_short) {
  const auto& instructions = computation.instructions();
  const bool has_complex =
      std::any_of(instructions.begin(), instructions.end(), [](const HloInstruction* instruction) {
        return primitive_util::IsComplexType(FirstShape(*instruction).element_type());
      });
  const int vectors = has_complex || is_short ? 2 : 4;
  const std::array<double, 9> by_bytes =
      CountByElementBytes(computation, [](const HloInstruction&) { return 1.0; });
  const bool is_mostly_narrow = by_bytes[4] > 2 * by_bytes[8];
  return vectors * std::max(lanes, is_mostly_narrow ? target.machine.vector_bytes / 4 : 0);
}

// Rows of few elements are computed several at a time.
void GroupShortRows(RowLoops& loops) {
  constexpr int64_t kShortRow = 256, kUnitElements = 1024;
  const size_t rank = loops.dimensions.size();
  if (rank < 2 || loops.segments != 1 || loops.dimensions[rank - 1] > kShortRow ||
      loops.dimensions[rank - 1] == 0) {
    return;
  }
  const int64_t rows = loops.dimensions[rank - 2];
  const int64_t wanted = std::min(rows, kUnitElements / loops.dimensions[rank - 1]);
  if (wanted < 2 || loops.units / wanted < 64) return;
  loops.rows_per_unit = wanted;
  loops.units = loops.units / rows * ((rows + wanted - 1) / wanted);
}

// Whether the last rows of the result read the same memory with a stride.
bool PicksLastRows(const HloComputation& computation) {
  const Shape& result = FirstShape(*computation.root_instruction());
  const auto& instructions = computation.instructions();
  return std::any_of(instructions.begin(), instructions.end(), [&](const auto* instruction) {
    return instruction->opcode() == HloOpcode::kTranspose && PicksFromShortRows(*instruction) &&
           instruction->shape().dimensions() == result.dimensions() &&
           instruction->dimensions()[static_cast<size_t>(result.rank()) - 2] == result.rank() - 1;
  });
}

// Whether rows shorter than a vector are better reduced one by one, by shorter vectors and a masked
// one for the last elements, than side by side in the lanes of a vector, whose elements are
// gathered. They are if elements are computed without long functions, because masked lanes cost as
// much as others.
bool SuitsShortVectors(const HloInstruction& reduce) {
  if (reduce.operand_count() != 2 || !IdentityOfReducer(*reduce.to_apply()).has_value())
    return false;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> pending = {reduce.operand(0)};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (!seen.insert(instruction).second) continue;
    if (IsTranscendental(instruction->opcode())) return false;
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  return true;
}

// Whether rows are reduced side by side, each in a lane of vectors: rows of a few vectors, whose
// last one would be partly empty, and rows of so few elements that combining the lanes of a vector
// would cost more. Needs instructions to load the elements as they are in memory and transpose
// them.
bool ReducesAcrossRows(const HloInstruction& reduce, const Target& target, int vector_lanes) {
  const Shape& shape = reduce.operand(0)->shape();
  const HloInstruction& root = *reduce.parent()->root_instruction();
  if (!target.machine.avx512 || !AppliesVectors(reduce) || shape.rank() < 2 ||
      reduce.dimensions().size() != 1 || reduce.dimensions()[0] != shape.rank() - 1 ||
      FirstShape(reduce).dimensions() != FirstShape(root).dimensions() ||
      FirstShape(reduce).dimensions().back() < vector_lanes) {
    return false;
  }
  const int64_t length = shape.dimensions().back();
  // Narrower elements are picked as words.
  const int lanes = std::min(vector_lanes, target.machine.Lanes(4));
  constexpr int64_t kFewest = 3;
  const bool has_functions = !SuitsShortVectors(reduce) && reduce.operand_count() == 2;
  const bool has_several = reduce.operand_count() > 2;  // whose lanes take longer to combine
  return length >= kFewest &&
         (length <= lanes || (has_several && 2 * length < 3 * lanes) ||
          (length < 2 * lanes &&
           (has_functions || (lanes == vector_lanes && length % (lanes / 4) != 0))) ||
          (has_functions && length < 4 * lanes && length % lanes != 0));
}

}  // namespace

bool PadsBetweenRows(const HloComputation& computation) {
  const auto& instructions = computation.instructions();
  return std::any_of(instructions.begin(), instructions.end(), [](const HloInstruction* pad) {
    if (pad->opcode() != HloOpcode::kPad || pad->shape().rank() == 0) return false;
    const std::vector<PadDim>& padding = pad->attributes<PadAttributes>().padding;
    return std::any_of(padding.begin(), padding.end() - 1,
                       [](const PadDim& dim) { return dim.interior > 0; });
  });
}

int LargestElementBytes(const HloComputation& computation) {
  // What is reduced has more elements than the rest, such as indices that it is compared with.
  const std::array<double, 9> by_bytes =
      CountByElementBytes(computation, [](const HloInstruction& instruction) {
        return static_cast<double>(CountOf(instruction.shape()));
      });
  if (by_bytes[8] > 0 && by_bytes[8] * 8 > by_bytes[4]) return 8;
  for (const int bytes : {4, 2}) {
    if (by_bytes[static_cast<size_t>(bytes)] > 0) return bytes;
  }
  return by_bytes[8] > 0 ? 8 : 1;
}

const ReductionLanes& LanesOfReductions(const KernelRequest& request) {
  if (request.reduction_lanes.has_value()) return *request.reduction_lanes;
  const HloComputation& computation = request.computation();
  ReductionLanes& lanes = request.reduction_lanes.emplace();
  lanes.vector_lanes = request.target->machine.Lanes(LargestElementBytes(computation));
  int64_t longest_row = 0;  // that is reduced by vectors
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() != HloOpcode::kReduce) continue;
    lanes.reduces = true;
    const int64_t row = RowLengthOf(*instruction);
    if (ReducesAcrossRows(*instruction, *request.target, lanes.vector_lanes)) {
      lanes.longest_across = std::max(lanes.longest_across, row);
    } else if (AppliesVectors(*instruction) &&
               (row >= lanes.vector_lanes || SuitsShortVectors(*instruction))) {
      longest_row = std::max(longest_row, row);
    }
  }
  // Rows shorter than a vector are reduced by shorter vectors, except for very short rows, several
  // of which are reduced at a time.
  constexpr int kShortestRowVector = 8;
  lanes.row_lanes = lanes.vector_lanes;
  while (lanes.row_lanes > kShortestRowVector && lanes.row_lanes > longest_row)
    lanes.row_lanes /= 2;
  lanes.reduces_rows = longest_row >= lanes.row_lanes;
  return lanes;
}

RowFacts FactsOfRows(const KernelRequest& request) {
  const HloComputation& computation = request.computation();
  RowFacts facts;
  static_cast<ReductionLanes&>(facts) = LanesOfReductions(request);
  facts.work = EstimateWork(*request.instruction, request.contraction);
  const Machine& machine = request.target->machine;
  facts.nanoseconds =
      machine.Nanoseconds(facts.work.bytes, facts.work.operations / facts.vector_lanes);
  facts.applies_vectors = AppliesVectors(computation);
  facts.is_for_one_thread = !machine.IsWorthAThread(facts.nanoseconds);
  for (const HloInstruction* instruction : computation.instructions()) {
    facts.is_for_one_thread |=
        AppliesComputations(*instruction) && HasOrder(*instruction->to_apply());
    facts.has_windows |= instruction->opcode() == HloOpcode::kReduceWindow;
    facts.has_dot |= instruction->opcode() == HloOpcode::kDot &&
                     instruction->attributes<DotAttributes>().rhs_batch_dims.empty();
  }
  return facts;
}

void SetWork(const Machine& machine, const RowFacts& facts, KernelPlan& plan) {
  plan.tests_at_end = facts.has_dot;
  plan.bytes = facts.work.bytes;
  plan.operations = facts.work.operations;
  if (facts.is_for_one_thread || plan.units <= 1) {
    plan.chunk = std::max<int64_t>(plan.units, 1);
    return;
  }
  plan.chunk = std::min(machine.UnitsOfTask(plan.units, facts.nanoseconds), (plan.units + 1) / 2);
}

int LanesOfRows(const KernelRequest& request, const RowFacts& facts, const RowLoops& loops) {
  // Several vectors of rows at a time hide latencies where there is little to compute, as long as
  // registers suffice. Functions of the elements of a row do not wait for each other.
  constexpr int64_t kFewAcross = 6, kFewOperations = 8;
  const int64_t length = loops.row_length();
  const auto results = static_cast<double>(CountOf(FirstShape(request.root())));
  int lanes = facts.reduces && facts.longest_across <= kFewAcross &&
                      facts.work.operations <= kFewOperations * results &&
                      length >= 8 * int64_t{facts.vector_lanes}
                  ? 4 * facts.vector_lanes
                  : facts.vector_lanes;
  // The last elements of a row, by several vectors at a time, repeat some of those before them: at
  // most an eighth of the row.
  const auto repeats_few = [&](int64_t wide) {
    return 8 * (CeilOfRatio(length, wide) * wide - length) <= length;
  };
  // Several vectors share the test whether taps are inside, and do not wait for each other.
  while (facts.has_windows && lanes < 4 * facts.vector_lanes && repeats_few(2 * lanes)) lanes *= 2;
  if (!facts.reduces && !facts.has_windows && length >= 8 * lanes && loops.phases == 1) {
    const Latencies latencies = LatenciesOf(request.computation());
    // Twice the code takes more than twice as long to compile. That does not pay if much of the
    // code is independent of the rest or, if half of it is, in short runs.
    constexpr int64_t kFewFunctions = 3, kManyTasks = 5;
    const bool waits =
        latencies.all < 4 * latencies.longest && latencies.trigonometric <= kFewFunctions &&
        (facts.nanoseconds >= kManyTasks * request.target->machine.nanoseconds_of_task ||
         8 * latencies.all < 15 * latencies.longest);
    const bool shares_constants = waits && request.target->machine.vector_registers < 32;
    if (latencies.longest >= (shares_constants ? kLongChainOfFewRegisters : kLongChain)) {
      // Epilogues compute short ranges, whose ends are scalar code.
      lanes = InterleavedLanes(request.computation(), *request.target, lanes,
                               /*is_short=*/request.epilogue_of >= 0 || !waits);
      while (lanes > facts.vector_lanes && !repeats_few(lanes)) lanes /= 2;
    }
  }
  while (lanes > 1 && lanes > length) lanes /= 2;
  return lanes;
}

void DropUnitDimensions(const KernelRequest& request, std::vector<int64_t>& dimensions) {
  const absl::Span<const int64_t> result = FirstShape(request.root()).dimensions();
  while (dimensions.size() > 1 && dimensions.back() == 1 && result[dimensions.size() - 1] == 1)
    dimensions.pop_back();
}

std::vector<int64_t> LoopDimensions(const KernelRequest& request, const Shape& shape) {
  std::vector<int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end());
  DropUnitDimensions(request, dimensions);
  return dimensions;
}

// With `shares_rows`, long rows are split among threads. Rows that need a row reduction are not:
// every thread would repeat it.
void DivideIntoUnits(const KernelRequest& request, bool is_for_one_thread, bool shares_rows,
                     RowLoops& loops) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < loops.dimensions.size(); ++d) rows *= loops.dimensions[d];
  const int64_t length = loops.row_length();
  constexpr int64_t kSegment = 8192;
  loops.segment_length = std::max<int64_t>(length, 1);
  if (is_for_one_thread) {
    // Rows stay whole.
  } else if (length >= 2 * kSegment && loops.row_lanes == 1) {
    loops.segment_length = kSegment;
  } else if (shares_rows && rows < 64 && length > loops.lanes) {
    // Few rows: several threads share each.
    const int64_t wanted =
        CeilOfRatio(length, CeilOfRatio<int64_t>(64, std::max<int64_t>(rows, 1)));
    loops.segment_length =
        std::max<int64_t>((wanted + loops.lanes - 1) / loops.lanes * loops.lanes, loops.lanes);
  }
  loops.segments = length == 0 ? 0 : (length + loops.segment_length - 1) / loops.segment_length;
  // The last segment includes a rest that is too short for a vector.
  if (loops.segments > 1 && length % loops.segment_length < loops.lanes &&
      length % loops.segment_length != 0) {
    --loops.segments;
  }
  loops.units = rows * loops.segments;
  GroupShortRows(loops);
  if (loops.segments > 1 && loops.dimensions.size() > 1 && PicksLastRows(request.computation()))
    loops.rows_together = loops.dimensions[loops.dimensions.size() - 2];
}

bool MayStream(const Machine& machine, const KernelPlan& plan, const RowLoops& loops) {
  const HloInstruction& root = plan.root();
  if ((root.shape().IsTuple() && root.opcode() != HloOpcode::kTuple) || plan.SharesMemory() ||
      !loops.parts.empty() || loops.phases > 1 || loops.dimensions.empty() ||
      loops.row_length() % loops.lanes != 0) {
    return false;
  }
  double total = 0;
  for (int64_t i = 0; i < ResultCount(root); ++i) {
    const Shape& shape = ResultShape(root, i);
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    if (loops.lanes * bytes < 16 || loops.lanes * bytes > 256) return false;
    total += static_cast<double>(CountOf(shape) * bytes);
  }
  return machine.ExceedsCaches(total);
}

std::string SegmentsText(int64_t segments, int64_t segment_length) {
  return segments == 1 ? "" : absl::StrCat(" segments ", segments, " of ", segment_length);
}

std::string RowLoopsText(const RowLoops& loops) {
  std::string text =
      absl::StrCat(" [", absl::StrJoin(loops.dimensions, ","), "] lanes ", loops.lanes, " of ",
                   std::string(HloOpcodeString(loops.source->opcode())));
  if (loops.row_lanes != 1) absl::StrAppend(&text, " row lanes ", loops.row_lanes);
  absl::StrAppend(&text, SegmentsText(loops.segments, loops.segment_length));
  if (loops.rows_together != 1) absl::StrAppend(&text, " rows together ", loops.rows_together);
  if (loops.rows_per_unit != 1) absl::StrAppend(&text, " rows ", loops.rows_per_unit);
  for (const LoopPartition& part : loops.parts) {
    absl::StrAppend(&text, " part ", part.begin, " ", part.end);
    if (part.period > 0)
      absl::StrAppend(&text, " of ", part.period, " from ", part.origin, " times ", part.repeats);
  }
  if (loops.phases > 1) absl::StrAppend(&text, " phases ", loops.phases);
  if (loops.first > 0) absl::StrAppend(&text, " from ", loops.first);
  if (loops.offset_dimension >= 0)
    absl::StrAppend(&text, " offset ", loops.offset_dimension, " ", loops.offset);
  return absl::StrCat(text, " units ", loops.units);
}

}  // namespace xla::cpu
