// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/cost_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/passes/loop_analysis.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

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

// Of what a generated function computes.
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
    } else if (member->shape().IsArray()) {
      elements = count(UpdatesInPlace(*member) ? member->operand(1)->shape() : member->shape());
    }
    if (elements > 0) operations += elements * OperationCost(*member);
  }
  return operations;
}

}  // namespace

double OperationCost(const HloInstruction& instruction) {
  if (AppliesComputations(instruction)) {
    constexpr double kUsualLanes = 8;
    double cost = 0.5;
    for (const HloComputation* applied : instruction.called_computations())
      cost += kUsualLanes * CostOfNested(*applied);
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
  // The fusions within finish none.
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
      return static_cast<double>(loop->trips) *
             OperationsOfMembers(*instruction.while_body(), find);
    }
    case HloOpcode::kFusion:
      break;
    default:
      return 0;
  }
  if (const HloInstruction* contraction = find(instruction))
    operations += EstimateOperations(*contraction, find);
  return operations + OperationsOfMembers(*instruction.to_apply(), find);
}

}  // namespace xla::cpu
