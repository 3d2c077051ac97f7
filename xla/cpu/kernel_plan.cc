// SPDX-License-Identifier: Apache-2.0
// How kernels divide their work, and where their results may be.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/applied.h"
#include "xla/cpu/elementwise.h"
#include "xla/cpu/fusion.h"
#include "xla/cpu/kernel_emitter.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/cpu/transpose_emitter.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/loop_analysis.h"
#include "xla/passes/split_reductions.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// How many instructions have elements of so many bytes in registers.
std::array<int, 9> CountByElementBytes(const HloComputation& computation) {
  std::array<int, 9> by_bytes = {};
  for (const HloInstruction* instruction : computation.instructions()) {
    if (!instruction->shape().IsArray() || CountOf(instruction->shape()) == 1) continue;
    const PrimitiveType type = instruction->shape().element_type();
    size_t own = static_cast<size_t>(primitive_util::ByteWidth(type));
    if (primitive_util::IsFloatingPointType(type)) own = std::max<size_t>(own, 4);
    if (primitive_util::IsComplexType(type)) own /= 2;
    ++by_bytes[own];
  }
  return by_bytes;
}

// Of the elements in registers that vectors are made for: those of the widest type, unless nearly
// all are narrower.
int LargestElementBytes(const HloComputation& computation) {
  const std::array<int, 9> by_bytes = CountByElementBytes(computation);
  if (by_bytes[8] > 0 && by_bytes[8] * 8 > by_bytes[4]) return 8;
  for (const int bytes : {4, 2}) {
    if (by_bytes[static_cast<size_t>(bytes)] > 0) return bytes;
  }
  return by_bytes[8] > 0 ? 8 : 1;
}

// Nanoseconds for each operation on a vector, roughly.
double OperationCost(const HloInstruction& instruction) {
  if (AppliesComputations(instruction)) {
    constexpr double kUsualLanes = 8;
    double cost = 0.5;
    for (const HloComputation* applied : instruction.called_computations())
      cost += kUsualLanes * CostOfApplied(*applied);
    return cost;
  }
  if (instruction.info().Has(op_traits::kHasAccuracy)) return 6;
  switch (instruction.opcode()) {
    case HloOpcode::kPower:
    case HloOpcode::kAtan2:
    case HloOpcode::kRemainder:
      return 100;
    case HloOpcode::kDivide:
      return 4;
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
      return 0;
    default:
      return 0.5;
  }
}

// Whether a result is the memory of its first operand, of which this changes a part.
bool UpdatesInPlace(const HloInstruction& root) {
  return root.opcode() == HloOpcode::kDynamicUpdateSlice &&
         root.parent()->root_instruction() == &root;
}

// Elements of a parameter that a kernel reads: all, or those of slices and gathers.
int64_t ElementsRead(const HloInstruction& parameter) {
  const int64_t all = CountOf(parameter.shape());
  int64_t read = 0;
  for (const HloInstruction* user : parameter.users()) {
    const bool reads_part = user->opcode() == HloOpcode::kSlice ||
                            user->opcode() == HloOpcode::kDynamicSlice ||
                            user->opcode() == HloOpcode::kGather;
    if (user->operand(0) != &parameter || (!reads_part && !UpdatesInPlace(*user))) return all;
    if (reads_part) read += CountOf(user->shape());
  }
  return std::min(read, all);
}

void Estimate(const HloInstruction& fusion, KernelPlan& plan) {
  const HloComputation& computation = *fusion.to_apply();
  const HloInstruction& root = *computation.root_instruction();
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    if (!parameter->shape().IsArray()) continue;
    plan.bytes += static_cast<double>(ElementsRead(*parameter) *
                                      primitive_util::ByteWidth(parameter->shape().element_type()));
  }
  const Shape& result = UpdatesInPlace(root) ? root.operand(1)->shape() : FirstShape(fusion);
  plan.bytes +=
      static_cast<double>(CountOf(result) * primitive_util::ByteWidth(result.element_type()));
  plan.operations += EstimateOperations(fusion);
}

// Cycles until the result of an operation on a vector can be used, roughly.
int64_t LatencyOf(const HloInstruction& instruction) {
  if (instruction.info().Has(op_traits::kHasAccuracy)) return 60;
  if (!instruction.info().Has(op_traits::kElementwiseTrait)) return 0;
  const PrimitiveType type = instruction.shape().element_type();
  if (!primitive_util::IsFloatingPointType(type)) return 2;
  // Narrow types are rounded after each operation.
  const int64_t own = instruction.opcode() == HloOpcode::kDivide ? 12 : 4;
  return primitive_util::BitWidth(type) < 32 ? own + 6 : own;
}

// Operations that wait for each other longer than a processor looks ahead leave it idle, which
// several vectors at a time make up for.
constexpr int64_t kLongChain = 90;
struct Latencies {
  int64_t longest = 0, all = 0;
  int64_t trigonometric = 0;  // functions, with code for large arguments
};
Latencies LatenciesOf(const HloComputation& computation) {
  constexpr int64_t kMostInterleaved = 512;  // more would take long to compile
  Latencies latencies;
  if (computation.instruction_count() > kMostInterleaved) return latencies;
  absl::flat_hash_map<const HloInstruction*, int64_t> chains;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    int64_t chain = 0;
    for (const HloInstruction* operand : instruction->operands())
      chain = std::max(chain, chains[operand]);
    chain += LatencyOf(*instruction);
    latencies.all += LatencyOf(*instruction);
    const HloOpcode opcode = instruction->opcode();
    latencies.trigonometric +=
        opcode == HloOpcode::kSin || opcode == HloOpcode::kCos || opcode == HloOpcode::kTan ? 1 : 0;
    chains[instruction] = chain;
    latencies.longest = std::max(latencies.longest, chain);
  }
  return latencies;
}

// Lanes for several vectors at a time of what most instructions have, or more: as many as there are
// registers for. Complex numbers are two vectors each. `is_short`: no more than two.
int InterleavedLanes(const HloComputation& computation, const Target& target, int lanes,
                     bool is_short) {
  const auto& instructions = computation.instructions();
  const bool has_complex =
      std::any_of(instructions.begin(), instructions.end(), [](const HloInstruction* instruction) {
        return primitive_util::IsComplexType(FirstShape(*instruction).element_type());
      });
  // Of 32 and of 16 registers.
  const int vectors = target.vector_bytes >= 64 && !has_complex && !is_short ? 4 : 2;
  const std::array<int, 9> by_bytes = CountByElementBytes(computation);
  const bool is_mostly_narrow = by_bytes[4] > 2 * by_bytes[8];
  return vectors * std::max(lanes, is_mostly_narrow ? target.vector_bytes / 4 : 0);
}

// Rows of few elements are computed several at a time.
void GroupShortRows(KernelRegion& region) {
  constexpr int64_t kShortRow = 256, kUnitElements = 1024;
  const size_t rank = region.dimensions.size();
  if (rank < 2 || region.segments != 1 || region.dimensions[rank - 1] > kShortRow ||
      region.dimensions[rank - 1] == 0) {
    return;
  }
  const int64_t rows = region.dimensions[rank - 2];
  const int64_t wanted = std::min(rows, kUnitElements / region.dimensions[rank - 1]);
  if (wanted < 2 || region.units / wanted < 64) return;
  region.rows_per_unit = wanted;
  region.units = region.units / rows * ((rows + wanted - 1) / wanted);
}

// Rows that are reduced first are not shared: each thread would reduce them whole.
void DivideIntoUnits(KernelRegion& region, bool is_for_one_thread, bool shares_rows) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < region.dimensions.size(); ++d) rows *= region.dimensions[d];
  const int64_t length = region.dimensions.empty() ? 1 : region.dimensions.back();
  constexpr int64_t kSegment = 8192;
  region.segment_length = std::max<int64_t>(length, 1);
  if (is_for_one_thread) {
    // Rows stay whole.
  } else if (length >= 2 * kSegment && region.row_lanes == 1) {
    region.segment_length = kSegment;
  } else if (shares_rows && rows < 64 && length > region.lanes) {
    // Few rows: several threads share each.
    const int64_t wanted = (length + 63) / 64;
    region.segment_length =
        std::max<int64_t>((wanted + region.lanes - 1) / region.lanes * region.lanes, region.lanes);
  }
  region.segments = length == 0 ? 0 : (length + region.segment_length - 1) / region.segment_length;
  // The last one takes what is too short for a vector.
  if (region.segments > 1 && length % region.segment_length < region.lanes &&
      length % region.segment_length != 0) {
    --region.segments;
  }
  region.units = rows * region.segments;
  GroupShortRows(region);
}

// The last dimensions of a column reduction's result that may be seen as one.
int64_t MergedColumns(const HloInstruction& reduce) {
  const Shape& shape = reduce.operand(0)->shape();
  const auto reduced = reduce.dimensions();
  int64_t minor = 0;
  while (minor < shape.rank() && !absl::c_linear_search(reduced, shape.rank() - 1 - minor)) ++minor;
  const auto is_in_memory = [](const HloInstruction* instruction) {
    return instruction->opcode() == HloOpcode::kParameter;
  };
  for (int64_t i = 0; i < reduce.operand_count() / 2; ++i) {
    if (!ReadsInOrder(reduce.operand(i), minor, is_in_memory)) return 1;
  }
  return std::max<int64_t>(minor, 1);
}

void PlanColumnReduction(const HloInstruction& fusion, const HloInstruction& reduce,
                         const Target& target, KernelPlan& plan) {
  const HloComputation& computation = *fusion.to_apply();
  KernelRegion region;
  region.source = &reduce;
  const Shape& shape = FirstShape(reduce);
  region.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  plan.merged_columns = MergedColumns(reduce);
  for (int64_t d = 1; d < plan.merged_columns; ++d) {
    const int64_t minor = region.dimensions.back();
    region.dimensions.pop_back();
    region.dimensions.back() *= minor;
  }
  region.lanes = std::max(4, target.vector_bytes / LargestElementBytes(computation));
  const int64_t columns = region.dimensions.back();
  while (region.lanes > columns) region.lanes /= 2;
  // Whole pages of long rows are read at a time.
  constexpr int64_t kLongRow = 4096, kLongest = 1024;
  const int64_t wanted =
      columns >= kLongRow ? kLongest : std::clamp<int64_t>(columns / 8, 4 * region.lanes, kLongest);
  region.segment_length = (wanted + region.lanes - 1) / region.lanes * region.lanes;
  region.segments = (columns + region.segment_length - 1) / region.segment_length;
  region.units = CountOf(shape) / columns * region.segments;
  Estimate(fusion, plan);
  double cost = 0;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (CountOf(FirstShape(*instruction)) > CountOf(shape)) cost += OperationCost(*instruction);
  }
  plan.rows_at_once = cost < 4 ? 8 : cost < 12 ? 4 : 1;
  const bool has_order = HasOrder(*reduce.to_apply());
  plan.reduces_columns = true;
  plan.units = region.units;
  const double nanoseconds = plan.bytes / 10 + plan.operations / region.lanes;
  plan.chunk = nanoseconds < 20e3 || has_order ? std::max<int64_t>(plan.units, 1) : 1;
  plan.regions.push_back(std::move(region));
}

// Whether results that are too large for caches may be written past them: whole vectors to aligned
// addresses.
bool MayStream(const KernelPlan& plan, const HloInstruction& root) {
  if (plan.regions.size() != 1 || plan.updates_in_place ||
      (root.shape().IsTuple() && root.opcode() != HloOpcode::kTuple) ||
      std::find(plan.is_written.begin(), plan.is_written.end(), true) != plan.is_written.end()) {
    return false;
  }
  const KernelRegion& region = plan.regions[0];
  if (!region.parts.empty() || region.phases > 1 || region.dimensions.empty() ||
      region.dimensions.back() % region.lanes != 0) {
    return false;
  }
  double total = 0;
  const int results = root.shape().IsTuple() ? root.shape().tuple_shapes_size() : 1;
  for (int i = 0; i < results; ++i) {
    const Shape& shape = root.shape().IsTuple() ? root.shape().tuple_shapes(i) : root.shape();
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    if (region.lanes * bytes < 16 || region.lanes * bytes > 256) return false;
    total += static_cast<double>(CountOf(shape) * bytes);
  }
  return total >= kStreamingBytes;
}

// Vectors along the minor dimension of the window, where it is that of the operand too.
void PlanScatter(const HloInstruction& scatter, const Target& target, int element_bytes,
                 KernelPlan& plan) {
  const auto& s = scatter.attributes<ScatterAttributes>();
  const int64_t inputs = scatter.operand_count() / 2;
  const Shape& updates = scatter.operand(inputs + 1)->shape();
  const Shape& operand = scatter.operand(0)->shape();
  KernelRegion region;
  region.source = &scatter;
  const int64_t minor = operand.rank() - 1;
  const bool has_minor_window =
      !s.update_window_dims.empty() && s.update_window_dims.back() == updates.rank() - 1 &&
      std::find(s.inserted_window_dims.begin(), s.inserted_window_dims.end(), minor) ==
          s.inserted_window_dims.end() &&
      std::find(s.input_batching_dims.begin(), s.input_batching_dims.end(), minor) ==
          s.input_batching_dims.end();
  region.segment_length = 1;
  region.units = CountOf(updates) == 0 ? 0 : 1;
  if (has_minor_window && region.units > 0) {
    const int64_t length = updates.dimensions().back();
    region.dimensions = {length};
    region.lanes = std::max(4, target.vector_bytes / element_bytes);
    while (region.lanes > length) region.lanes /= 2;
    const int64_t wanted = std::max<int64_t>(length / 8, 4 * region.lanes);
    region.segment_length = (wanted + region.lanes - 1) / region.lanes * region.lanes;
    region.segments = (length + region.segment_length - 1) / region.segment_length;
    region.units = region.segments;
  }
  // Batches are apart from each other.
  if (!s.input_batching_dims.empty())
    region.units *= operand.dimensions(static_cast<int>(s.input_batching_dims[0]));
  plan.units = region.units;
  const bool is_small = CountOf(updates) < 8192 || HasOrder(*scatter.to_apply());
  plan.chunk = is_small ? std::max<int64_t>(plan.units, 1) : 1;
  plan.bytes = static_cast<double>(3 * CountOf(updates) * element_bytes);
  plan.regions.push_back(std::move(region));
}

// Of what a generated function computes.
double OperationsOfMembers(const HloComputation& computation) {
  const auto count = [](const Shape& shape) { return static_cast<double>(CountOf(shape)); };
  double operations = 0;
  for (const HloInstruction* member : computation.instructions()) {
    double elements = 0;
    if (member->opcode() == HloOpcode::kFusion) {
      operations += EstimateOperations(*member);
    } else if (member->opcode() == HloOpcode::kReduce) {
      elements = count(member->operand(0)->shape());
    } else if (member->opcode() == HloOpcode::kReduceWindow) {
      elements = count(FirstShape(*member));
      for (const WindowDim& dim : member->attributes<WindowAttributes>().window.dims)
        elements *= static_cast<double>(dim.size);
    } else if (member->shape().IsArray()) {
      elements = count(UpdatesInPlace(*member) ? member->operand(1)->shape() : member->shape());
    }
    if (elements > 0) operations += elements * OperationCost(*member);
  }
  return operations;
}

}  // namespace

bool ReducesOwnRows(const HloComputation& computation) {
  const HloInstruction* root = computation.root_instruction();
  if (!root->shape().IsArray() || root->opcode() == HloOpcode::kReduce) return false;
  absl::flat_hash_set<const HloInstruction*> of_rows;  // what depends on reductions, before it is
                                                       // as large as the result
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (instruction->opcode() != HloOpcode::kReduce) {
      bool reads_rows = false;
      for (const HloInstruction* operand : instruction->operands())
        reads_rows |= of_rows.contains(operand);
      if (!reads_rows) continue;
      const bool keeps_rows = instruction->opcode() == HloOpcode::kBroadcast
                                  ? BroadcastsToOwnRows(*instruction)
                                  : IsElementwise(*instruction) ||
                                        instruction->opcode() == HloOpcode::kReshape ||
                                        instruction->opcode() == HloOpcode::kBitcast;
      if (!keeps_rows || !instruction->shape().IsArray()) return false;
      if (CountOf(instruction->shape()) < CountOf(root->shape())) of_rows.insert(instruction);
      continue;
    }
    of_rows.insert(instruction);
    const Shape& shape = instruction->operand(0)->shape();
    if (shape.dimensions() != root->shape().dimensions() || instruction->dimensions().size() != 1 ||
        instruction->dimensions()[0] != shape.rank() - 1 || !instruction->shape().IsArray()) {
      return false;
    }
  }
  return true;
}

double EstimateOperations(const HloInstruction& instruction) {
  double operations = 0;
  const auto count = [](const Shape& shape) { return static_cast<double>(CountOf(shape)); };
  switch (instruction.opcode()) {
    case HloOpcode::kDot: {
      operations = 2 * count(instruction.shape());
      for (const int64_t d : instruction.attributes<DotAttributes>().lhs_contracting_dims)
        operations *=
            static_cast<double>(instruction.operand(0)->shape().dimensions(static_cast<int>(d)));
      return operations;
    }
    case HloOpcode::kConvolution: {
      const Shape& kernel = instruction.operand(1)->shape();
      if (!kernel.IsArray()) return 0;
      const auto output = static_cast<int>(
          instruction.attributes<ConvolutionAttributes>().dim_labels.kernel_output_feature);
      operations = 2 * count(instruction.shape()) * count(kernel) /
                   static_cast<double>(std::max<int64_t>(kernel.dimensions(output), 1));
      // Zeros between the elements of the input are not multiplied.
      for (const WindowDim& dim : instruction.attributes<ConvolutionAttributes>().window.dims)
        operations /= static_cast<double>(dim.base_dilation);
      return operations;
    }
    case HloOpcode::kFft: {
      // Of a fast transform, as the field counts: 5 n log2(n) for each line of n complex numbers.
      const FftAttributes& fft = instruction.attributes<FftAttributes>();
      double line = 1;
      for (const int64_t length : fft.fft_length) line *= static_cast<double>(length);
      const double numbers =
          std::max(count(instruction.shape()), count(instruction.operand(0)->shape()));
      operations = 5 * numbers * std::log2(std::max(line, 1.0));
      return fft.fft_type == FftType::FFT || fft.fft_type == FftType::IFFT ? operations
                                                                           : operations / 2;
    }
    case HloOpcode::kWhile: {
      const std::optional<CountedLoop> loop = AnalyzeCountedLoop(instruction);
      if (!loop.has_value()) return 0;
      return static_cast<double>(loop->trips) * OperationsOfMembers(*instruction.while_body());
    }
    case HloOpcode::kFusion:
      break;
    default:
      return 0;
  }
  if (const HloInstruction* contraction = FusedContraction(instruction))
    operations += EstimateOperations(*contraction);
  return operations + OperationsOfMembers(*instruction.to_apply());
}

bool IsLinear(const HloComputation& computation) {
  const int64_t count = CountOf(FirstShape(*computation.root_instruction()));
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->IsRoot() && instruction->opcode() == HloOpcode::kTuple) continue;
    if (!instruction->shape().IsArray()) return false;
    const int64_t own = CountOf(instruction->shape());
    if (own != count && own != 1) return false;
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
        break;
      case HloOpcode::kBroadcast:
        if (CountOf(instruction->operand(0)->shape()) != 1 &&
            own != CountOf(instruction->operand(0)->shape()))
          return false;
        // A permutation of dimensions is a transpose.
        if (CountOf(instruction->operand(0)->shape()) != 1 &&
            !std::is_sorted(instruction->dimensions().begin(), instruction->dimensions().end()))
          return false;
        break;
      default:
        if (!IsElementwise(*instruction)) return false;
    }
  }
  return true;
}

bool IsColumnReduction(const HloInstruction& reduce) {
  constexpr int64_t kLeastRows = 16, kLeastColumns = 8;
  const Shape& shape = reduce.operand(0)->shape();
  if (shape.rank() < 2 || shape.dimensions().back() < kLeastColumns) return false;
  int64_t rows = 1;
  for (const int64_t d : reduce.dimensions()) {
    if (d == shape.rank() - 1) return false;
    rows *= shape.dimensions(static_cast<int>(d));
  }
  return rows >= kLeastRows;
}

namespace {

// Columns of a result of short rows that are computed by vectors of their own and stored side by
// side; 0 if vectors go along the rows.
int64_t ShortColumns(const HloComputation& computation, bool is_linear) {
  constexpr int64_t kMostColumns = 4, kLeastRows = 16;
  const HloInstruction* root = computation.root_instruction();
  if (is_linear || !root->shape().IsArray() || root->shape().rank() < 2) return 0;
  const absl::Span<const int64_t> dims = root->shape().dimensions();
  if (dims.back() < 2 || dims.back() > kMostColumns || dims[dims.size() - 2] < kLeastRows) return 0;
  for (const HloInstruction* instruction : computation.instructions()) {
    switch (instruction->opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kConstant:
      case HloOpcode::kGather:
      case HloOpcode::kIota:
      case HloOpcode::kPad:
      case HloOpcode::kParameter:
      case HloOpcode::kReverse:
      case HloOpcode::kSlice:
        break;
      case HloOpcode::kReshape: {
        // Vectors go along its last dimension too, or one before it that stays whole.
        const Shape &from = instruction->operand(0)->shape(), &to = instruction->shape();
        const bool keeps_last =
            from.rank() > 0 && to.rank() > 0 && from.dimensions().back() == to.dimensions().back();
        // Or only dimensions of one element differ.
        if (!keeps_last && ShapeUtil::DropDegenerateDimensions(from).dimensions() !=
                               ShapeUtil::DropDegenerateDimensions(to).dimensions()) {
          return 0;
        }
        break;
      }
      case HloOpcode::kConcatenate:
        // Of indices, each of which comes from one operand.
        if (!IsReadByPart(*instruction)) return 0;
        break;
      default:
        if (!IsElementwise(*instruction)) return 0;
    }
    if (primitive_util::IsComplexType(instruction->shape().element_type())) return 0;
  }
  return dims.back();
}

// Columns whose vectors are interleaved; more, up to the lanes of a vector, are transposed.
constexpr int kFewColumns = 8, kTransposedColumns = 16;

// Whether a concatenation puts a few columns side by side.
bool JoinsColumns(const HloInstruction& root) {
  const int64_t rank = root.shape().rank();
  if (root.opcode() != HloOpcode::kConcatenate || rank < 2) return false;
  const int64_t rows = root.shape().dimensions(static_cast<int>(rank) - 2);
  const int64_t most = rows >= kTransposedColumns ? kTransposedColumns : kFewColumns;
  return root.dimensions()[0] == rank - 1 && root.operand_count() <= most &&
         root.operand_count() == root.shape().dimensions().back() &&
         !primitive_util::IsComplexType(root.shape().element_type()) &&
         std::all_of(root.operands().begin(), root.operands().end(),
                     [](const HloInstruction* o) { return o->shape().dimensions().back() == 1; });
}

}  // namespace

namespace {

// Of the only region: groups of so many elements of a row, and what is left of the row.
void DividePhases(int64_t phases, KernelPlan& plan) {
  constexpr int64_t kFewestGroups = 8;
  const Shape& shape = plan.regions[0].source->shape();
  if (phases <= 1 || !shape.IsArray()) return;
  int64_t length = 1;
  for (int64_t d = shape.rank() - 1; d >= 0 && length == 1; --d)
    length = shape.dimensions(static_cast<int>(d));
  if (length < kFewestGroups * phases) return;
  plan.regions[0].phases = phases;
  if (length % phases == 0) return;
  KernelRegion rest = plan.regions[0];
  rest.phases = 1;
  rest.first = length / phases * phases;
  plan.regions.push_back(rest);
}

// Whether the last rows of the result are picked from the same memory, one element after the other.
bool PicksLastRows(const HloComputation& computation) {
  const Shape& result = FirstShape(*computation.root_instruction());
  const auto& instructions = computation.instructions();
  return std::any_of(instructions.begin(), instructions.end(), [&](const auto* instruction) {
    return instruction->opcode() == HloOpcode::kTranspose && PicksFromShortRows(*instruction) &&
           instruction->shape().dimensions() == result.dimensions() &&
           instruction->dimensions()[static_cast<size_t>(result.rank()) - 2] == result.rank() - 1;
  });
}

// Whether rows shorter than a vector are better reduced one by one, by vectors of fewer lanes and a
// masked one for the last elements, than several at a time in the lanes of a vector, whose elements
// are gathered: where an element is computed without long functions, as the lanes that are masked
// cost as much.
bool SuitsShortVectors(const HloInstruction& reduce) {
  if (reduce.operand_count() != 2 || !IdentityOfReducer(*reduce.to_apply()).has_value())
    return false;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> pending = {reduce.operand(0)};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (!seen.insert(instruction).second) continue;
    if (instruction->info().Has(op_traits::kHasAccuracy)) return false;
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  return true;
}

// Whether rows of a reduction are reduced side by side, each in a lane of vectors: rows of a few
// vectors, whose last one would be partly empty, or of few elements, which cost less than to
// combine the lanes of a vector. Their elements are loaded as they lie and transposed, for which
// there must be instructions.
bool ReducesAcrossRows(const HloInstruction& reduce, const Target& target, int vector_lanes) {
  const Shape& shape = reduce.operand(0)->shape();
  const HloInstruction& root = *reduce.parent()->root_instruction();
  if (!target.has_avx512 || !AppliesVectors(reduce) || shape.rank() < 2 ||
      reduce.dimensions().size() != 1 || reduce.dimensions()[0] != shape.rank() - 1 ||
      FirstShape(reduce).dimensions() != FirstShape(root).dimensions() ||
      FirstShape(reduce).dimensions().back() < vector_lanes) {
    return false;
  }
  const int64_t length = shape.dimensions().back();
  constexpr int64_t kFewest = 3;
  const bool has_functions = !SuitsShortVectors(reduce) && reduce.operand_count() == 2;
  const bool has_several = reduce.operand_count() > 2;  // whose lanes take longer to combine
  return length >= kFewest &&
         (length <= vector_lanes || (has_several && 2 * length < 3 * vector_lanes) ||
          (length < 2 * vector_lanes && (has_functions || length % (vector_lanes / 4) != 0)) ||
          (has_functions && length < 4 * vector_lanes && length % vector_lanes != 0));
}

}  // namespace

KernelPlan PlanKernel(const HloInstruction* fusion, const Target& target,
                      std::vector<bool> is_written, int64_t epilogue_of) {
  const HloComputation& computation = *fusion->to_apply();
  const HloInstruction* root = computation.root_instruction();
  KernelPlan plan;
  plan.fusion = fusion;
  plan.is_written = std::move(is_written);
  plan.epilogue_of = epilogue_of;
  plan.is_linear = IsLinear(computation);
  plan.updates_in_place = !UpdatedOperands(*fusion).empty();
  if (root->opcode() == HloOpcode::kTranspose && PlanTranspose(*root, target, plan)) return plan;
  if (root->opcode() == HloOpcode::kScatter) {
    PlanScatter(*root, target, LargestElementBytes(computation), plan);
    return plan;
  }
  if (root->opcode() == HloOpcode::kReduce && IsColumnReduction(*root)) {
    PlanColumnReduction(*fusion, *root, target, plan);
    return plan;
  }
  if (plan.updates_in_place) {
    KernelRegion region;
    region.source = root->operand(1);
    plan.regions.push_back(region);
  } else if (JoinsColumns(*root)) {
    plan.interleaves = true;
    KernelRegion region;
    region.source = root;
    plan.regions.push_back(region);
  } else if (const int64_t columns = ShortColumns(computation, plan.is_linear);
             columns > 0 && epilogue_of < 0) {
    plan.interleaves = true;
    plan.columns = columns;
    KernelRegion region;
    region.source = root;
    plan.regions.push_back(region);
  } else if (root->opcode() == HloOpcode::kConcatenate) {
    int64_t offset = 0;
    for (const HloInstruction* operand : root->operands()) {
      KernelRegion region;
      region.source = operand;
      region.offset_dimension = root->dimensions()[0];
      region.offset = offset;
      offset += operand->shape().dimensions(static_cast<int>(region.offset_dimension));
      plan.regions.push_back(region);
    }
  } else {
    KernelRegion region;
    region.source = root;
    plan.regions.push_back(region);
    if (epilogue_of < 0 && !plan.is_linear) DividePhases(PhasesOfRows(computation), plan);
  }

  // Lanes along the last dimension, or scalar code around reductions of rows.
  const int vector_lanes = std::max(4, target.vector_bytes / LargestElementBytes(computation));
  Estimate(*fusion, plan);
  // Loops below 20 microseconds are not worth a second thread.
  const double nanoseconds = plan.bytes / 25 + plan.operations / vector_lanes;
  const bool applies_vectors = AppliesVectors(computation);
  bool has_order = false;
  for (const HloInstruction* instruction : computation.instructions())
    has_order |= AppliesComputations(*instruction) && HasOrder(*instruction->to_apply());
  const bool is_for_one_thread = nanoseconds < 20e3 || has_order;
  bool reduces = false, has_windows = false;
  int64_t longest_across = 0;  // row that is reduced in a lane
  int64_t longest_row = 0;     // that is reduced by vectors
  for (const HloInstruction* instruction : computation.instructions()) {
    has_windows |= instruction->opcode() == HloOpcode::kReduceWindow;
    plan.keeps_matrix |= instruction->opcode() == HloOpcode::kDot &&
                         instruction->attributes<DotAttributes>().rhs_batch_dims.empty();
    if (instruction->opcode() != HloOpcode::kReduce) continue;
    reduces = true;
    const int64_t row = RowLengthOf(*instruction);
    if (ReducesAcrossRows(*instruction, target, vector_lanes)) {
      longest_across = std::max(longest_across, row);
    } else if (AppliesVectors(*instruction) &&
               (row >= vector_lanes || SuitsShortVectors(*instruction))) {
      longest_row = std::max(longest_row, row);
    }
  }
  // Rows that are shorter than a vector are reduced by shorter ones, but for very short rows, of
  // which several are reduced at a time.
  constexpr int kShortestRowVector = 8;
  int row_lanes = vector_lanes;
  while (row_lanes > kShortestRowVector && row_lanes > longest_row) row_lanes /= 2;
  const bool reduces_rows = longest_row >= row_lanes;
  for (KernelRegion& region : plan.regions) {
    const Shape& shape = region.source == root ? FirstShape(*root) : region.source->shape();
    if (plan.is_linear) {
      region.dimensions = {CountOf(shape)};
    } else {
      region.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
      if (plan.interleaves) region.dimensions.pop_back();
      // Minor dimensions of one element, of the result too, are left out: vectors go along the last
      // one that has several.
      const absl::Span<const int64_t> result = FirstShape(*root).dimensions();
      while (region.dimensions.size() > 1 && region.dimensions.back() == 1 &&
             result[region.dimensions.size() - 1] == 1) {
        region.dimensions.pop_back();
      }
    }
    if (region.phases > 1) region.dimensions.back() /= region.phases;
    if (region.first > 0) region.dimensions.back() -= region.first;
    const int64_t length = region.dimensions.empty() ? 1 : region.dimensions.back();
    plan.reduces_own_rows = reduces_rows && plan.regions.size() == 1 && !plan.updates_in_place &&
                            ReducesOwnRows(computation);
    if (plan.reduces_own_rows) {
      region.lanes = region.row_lanes = row_lanes;
    } else if (reduces_rows) {
      region.row_lanes = row_lanes;
    } else {
      constexpr int64_t kFewAcross = 6;  // there are registers for several vectors of each
      int lanes = reduces && longest_across <= kFewAcross && length >= 8 * vector_lanes
                      ? 4 * vector_lanes
                      : vector_lanes;
      // Whether taps are inside is asked once for several vectors.
      while (has_windows && lanes < 4 * vector_lanes && length % (2 * lanes) == 0) lanes *= 2;
      if (!reduces && !has_windows && length >= 8 * lanes && region.phases == 1) {
        const Latencies latencies = LatenciesOf(computation);
        // Twice the code takes more than twice as long to compile, which does not pay where much of
        // it need not wait for the rest, or, if half, in short runs.
        constexpr double kLongRun = 5e5;
        constexpr int64_t kFewFunctions = 3;
        const bool waits = latencies.all < 4 * latencies.longest &&
                           latencies.trigonometric <= kFewFunctions &&
                           (nanoseconds >= kLongRun || 8 * latencies.all < 15 * latencies.longest);
        if (latencies.longest >= kLongChain) {
          // Epilogues compute short ranges, the ends of which are scalar code.
          lanes = InterleavedLanes(computation, target, lanes,
                                   /*is_short=*/epilogue_of >= 0 || !waits);
        }
      }
      if (plan.interleaves && root->operand_count() > kFewColumns) lanes = kTransposedColumns;
      while (lanes > 1 && lanes > length) lanes /= 2;
      if (region.first > 0) lanes = 1;
      region.lanes = applies_vectors || plan.interleaves ? lanes : 1;
    }
    if (!plan.is_linear && (!reduces_rows || plan.reduces_own_rows) && region.lanes > 1 &&
        region.dimensions.size() == static_cast<size_t>(shape.rank()) && region.phases == 1) {
      region.parts = PartsOfRows(*region.source, length, region.lanes);
    }
    DivideIntoUnits(region, is_for_one_thread, /*shares_rows=*/!plan.reduces_own_rows);
    if (region.segments > 1 && region.dimensions.size() > 1 && PicksLastRows(computation))
      region.rows_together = region.dimensions[region.dimensions.size() - 2];
    plan.units += region.units;
  }
  plan.streams = epilogue_of < 0 && !plan.interleaves && MayStream(plan, *root);
  if (is_for_one_thread || plan.units <= 1) {
    plan.chunk = std::max<int64_t>(plan.units, 1);
  } else {
    // About 50 microseconds at a time.
    plan.chunk = std::max<int64_t>(
        1, static_cast<int64_t>(static_cast<double>(plan.units) * 50e3 / nanoseconds));
    plan.chunk = std::min(plan.chunk, (plan.units + 1) / 2);
  }
  return plan;
}

}  // namespace xla::cpu
