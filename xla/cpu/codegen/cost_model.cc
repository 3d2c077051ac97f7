// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "xla/base/machine.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/passes/loop_analysis.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Returns how many elements of a parameter a kernel reads: all, or those of slices and gathers.
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

// The costs of each class of operations. Nanoseconds and cycles were measured with arrays in the
// cache: `xylem bench` of one operation, on f32 in vectors of 64 bytes.
struct ClassCost {
  int64_t place;       // operations to find an element
  double nanoseconds;  // for a vector
  int64_t latency;     // cycles until the result for a vector can be used
};
constexpr std::array<ClassCost, kNumCostClasses> kClassCosts = {{
    {1, 0, 0},    // free: a load from memory
    {0, 0, 0},    // view
    {0, 0, 0},    // move: indices are computed once a vector
    {2, 0.5, 0},  // select
    {0, 0.5, 4},  // arithmetic
    {0, 4, 12},   // divide
    {0, 4, 60},   // root: with a quotient, if it is a reciprocal
    {0, 6, 60},   // transcendental
    {0, 40, 60},  // power
    {1, 0.5, 0},  // apply: plus the computation's
    {1, 0.5, 0},  // contraction: for each product
    {1, 0.5, 0},  // algorithm
    {1, 0.5, 0},  // control
    {1, 0.5, 0},  // communication
}};
const ClassCost& CostOf(const HloInstruction& instruction) {
  return kClassCosts[static_cast<size_t>(instruction.info().cost)];
}

int64_t LatencyOf(const HloInstruction& instruction) {
  const int64_t latency = CostOf(instruction).latency;
  const PrimitiveType type = FirstShape(instruction).element_type();
  if (latency == 0 || IsTranscendental(instruction.opcode())) return latency;
  if (!primitive_util::IsFloatingPointType(type)) return 2;
  // Narrow types are rounded after each operation.
  return primitive_util::BitWidth(type) < 32 ? latency + 6 : latency;
}

// Returns the operations of the instructions of a generated function.
double OperationsOfMembers(const HloComputation& computation, ContractionFinder find) {
  const auto count = [](const Shape& shape) { return static_cast<double>(CountOf(shape)); };
  double operations = 0;
  for (const HloInstruction* member : computation.instructions()) {
    double elements = 0;
    if (member->opcode() == HloOpcode::kFusion) {
      operations += EstimateOperations(*member, find);
    } else if (member->opcode() == HloOpcode::kReduce) {
      elements = count(member->operand(0)->shape());
    } else if (member->opcode() == HloOpcode::kReduceWindow) {
      elements = count(FirstShape(*member));
      for (const WindowDim& dim : member->attributes<WindowAttributes>().window.dims)
        elements *= static_cast<double>(dim.size);
    } else if (member->info().cost == CostClass::kContraction) {
      elements = ContractionFlops(*member) / 2;
    } else if (member->shape().IsArray()) {
      elements = count(UpdatesInPlace(*member) ? member->operand(1)->shape() : member->shape());
    }
    if (elements > 0) operations += elements * VectorCost(*member);
  }
  return operations;
}

}  // namespace

int64_t ElementCost(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kMap:
      return instruction.to_apply()->instruction_count();
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kDot:
      return 1;
    default:
      return ElementWork(instruction.opcode());
  }
}

int64_t FusedCost(const HloInstruction& instruction) {
  const CostClass cost = instruction.info().cost;
  switch (instruction.opcode()) {
    case HloOpcode::kConstant:
      return 0;
    case HloOpcode::kConcatenate:
      return CostOf(instruction).place * instruction.operand_count();
    case HloOpcode::kDynamicUpdateSlice:
      return kCostInMemory;
    case HloOpcode::kMap:
      return AppliesVectors(instruction) ? ElementCost(instruction) : kCostInMemory;
    default:
      if (cost == CostClass::kApply || cost == CostClass::kContraction) return kCostInMemory;
      return CostOf(instruction).place + ElementCost(instruction);
  }
}

double VectorCost(const HloInstruction& instruction) {
  double cost = CostOf(instruction).nanoseconds;
  const PrimitiveType type = FirstShape(instruction).element_type();
  // Vectors of long integers are divided element by element.
  constexpr double kOneByOne = 4;
  if (instruction.info().cost == CostClass::kDivide && primitive_util::IsIntegralType(type) &&
      primitive_util::BitWidth(type) == 64) {
    cost *= kOneByOne;
  }
  if (!AppliesComputations(instruction)) return cost;
  for (const HloComputation* applied : instruction.called_computations())
    cost += kUsualMachine.Lanes(4) * CostOfNested(*applied);
  return cost;
}

bool UpdatesInPlace(const HloInstruction& root) {
  return root.opcode() == HloOpcode::kDynamicUpdateSlice &&
         root.parent()->root_instruction() == &root;
}

KernelWork EstimateWork(const HloInstruction& fusion, const HloInstruction* contraction) {
  const HloComputation& computation = *fusion.to_apply();
  const HloInstruction& root = *computation.root_instruction();
  KernelWork work;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    if (!parameter->shape().IsArray()) continue;
    work.bytes += static_cast<double>(ElementsRead(*parameter) *
                                      primitive_util::ByteWidth(parameter->shape().element_type()));
  }
  const Shape& result = UpdatesInPlace(root) ? root.operand(1)->shape() : FirstShape(fusion);
  work.bytes +=
      static_cast<double>(CountOf(result) * primitive_util::ByteWidth(result.element_type()));
  // Fusions within the loop finish no contractions.
  constexpr ContractionFinder kNone = [](const HloInstruction&) -> const HloInstruction* {
    return nullptr;
  };
  if (contraction != nullptr) work.operations += EstimateOperations(*contraction, kNone);
  work.operations += OperationsOfMembers(computation, kNone);
  return work;
}

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

double EstimateOperations(const HloInstruction& instruction, ContractionFinder find) {
  double operations = 0;
  const auto count = [](const Shape& shape) { return static_cast<double>(CountOf(shape)); };
  switch (instruction.opcode()) {
    case HloOpcode::kFft: {
      // The usual count for a fast transform: 5 n log2(n) for each line of n complex numbers.
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
      return static_cast<double>(loop->trips) *
             OperationsOfMembers(*instruction.while_body(), find);
    }
    case HloOpcode::kFusion:
      break;
    default:
      return ContractionFlops(instruction);
  }
  if (const HloInstruction* contraction = find(instruction))
    operations += EstimateOperations(*contraction, find);
  return operations + OperationsOfMembers(*instruction.to_apply(), find);
}

}  // namespace xla::cpu
