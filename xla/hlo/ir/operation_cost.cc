// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/operation_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

double Elements(const Shape& shape) {
  double count = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) count += Elements(element);
  } else if (shape.IsArray()) {
    count = 1;
    for (const int64_t size : shape.dimensions()) count *= static_cast<double>(size);
  }
  return count;
}

// Elements of fewer than 8 bits are packed.
double Bytes(const Shape& shape) {
  double bytes = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) bytes += Bytes(element);
  } else if (shape.IsArray()) {
    const PrimitiveType type = shape.element_type();
    const int bits = type == PRED ? 8 : primitive_util::BitWidth(type);
    bytes = std::ceil(Elements(shape) * bits / 8);
    // The sizes of a dynamic array follow its elements, as 32-bit integers.
    constexpr double kSizeBytes = 4;
    if (shape.is_dynamic()) {
      bytes = (std::ceil(bytes / kSizeBytes) + static_cast<double>(shape.rank())) * kSizeBytes;
    }
  }
  return bytes;
}

const Shape& FirstArray(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes_size() > 0 ? shape.tuple_shapes(0) : shape;
}

double SizeOf(const Shape& shape, int64_t dimension) {
  return static_cast<double>(shape.dimensions(static_cast<int>(dimension)));
}

// --- Contractions

double ContractedElements(const Shape& lhs, const std::vector<int64_t>& dimensions) {
  double count = 1;
  for (const int64_t d : dimensions) count *= SizeOf(lhs, d);
  return count;
}

// Of each group of a ragged dimension that is contracted, its own part is summed.
double RaggedDotFlops(const HloInstruction& dot) {
  const auto& attributes = dot.attributes<RaggedDotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  double flops =
      2 * Elements(dot.shape()) * ContractedElements(lhs, attributes.lhs_contracting_dims);
  for (const int64_t d : attributes.lhs_ragged_dims) {
    const auto& contracted = attributes.lhs_contracting_dims;
    if (std::find(contracted.begin(), contracted.end(), d) != contracted.end())
      flops /= std::max(Elements(dot.operand(2)->shape()), 1.0);
  }
  return flops;
}

// Pairs of an element of the window and one of the result, along one dimension, that meet an
// element of the input.
double PairsInside(const WindowDim& window, int64_t input, int64_t output) {
  // Numbers beyond these are not of real programs; the count then takes no time either.
  constexpr int64_t kMostSteps = int64_t{1} << 20, kMostSize = int64_t{1} << 30;
  const int64_t stride = window.stride, base = window.base_dilation;
  const int64_t common = std::gcd(stride, base), period = base / std::max<int64_t>(common, 1);
  if (stride < 1 || base < 1 || input < 1 || output < 1) return 0;
  for (const int64_t size : {window.size, stride, base, window.window_dilation, input, output,
                             std::abs(window.padding_low)}) {
    if (size > kMostSize)
      return static_cast<double>(window.size) * static_cast<double>(output) /
             static_cast<double>(base);
  }
  if (window.size * period > kMostSteps)
    return static_cast<double>(window.size * output) / static_cast<double>(base);
  double pairs = 0;
  for (int64_t k = 0; k < window.size; ++k) {
    // Element o of the result meets position o * stride + start, which holds an element if it is a
    // multiple of the base dilation.
    const int64_t start = k * window.window_dilation - window.padding_low;
    if (start % common != 0) continue;
    int64_t first = start >= 0 ? 0 : (-start + stride - 1) / stride;
    const int64_t room = (input - 1) * base - start;
    if (room < 0) continue;
    const int64_t last = std::min(room / stride, output - 1);
    while (first <= last && (first * stride + start) % base != 0) ++first;
    if (first <= last) pairs += static_cast<double>((last - first) / period + 1);
  }
  return pairs;
}

double ConvolutionFlops(const HloInstruction& convolution) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& dims = attributes.dim_labels;
  const Shape& input = FirstArray(convolution.operand(0)->shape());
  const Shape& kernel = FirstArray(convolution.operand(1)->shape());
  const Shape& result = convolution.shape();
  const double features = SizeOf(kernel, dims.kernel_output_feature);
  // Of a sparse kernel the features that are stored, on average.
  double pairs = Elements(kernel) / std::max(features, 1.0);
  for (size_t i = 0; i < attributes.window.dims.size(); ++i) {
    const WindowDim& window = attributes.window.dims[i];
    const auto size = [&](const Shape& shape, const std::vector<int64_t>& spatial) {
      return shape.dimensions(static_cast<int>(spatial[i]));
    };
    pairs *=
        PairsInside(window, size(input, dims.input_spatial), size(result, dims.output_spatial)) /
        static_cast<double>(std::max<int64_t>(window.size, 1));
  }
  const double batch = SizeOf(input, dims.input_batch) /
                       static_cast<double>(std::max<int64_t>(attributes.batch_group_count, 1));
  return 2 * pairs * features * batch;
}

// --- Other operations

double ElementsOfWindow(const HloInstruction& instruction) {
  double count = 1;
  for (const WindowDim& dim : instruction.attributes<WindowAttributes>().window.dims)
    count *= static_cast<double>(dim.size);
  return count;
}

// How often an instruction applies its computations to elements, in the order of these.
std::array<double, 2> Applications(const HloInstruction& instruction) {
  const Shape& result = FirstArray(instruction.shape());
  const auto operand = [&](int64_t i) { return Elements(instruction.operand(i)->shape()); };
  switch (instruction.opcode()) {
    case HloOpcode::kReduce:
      return {std::max(operand(0) - Elements(result), 0.0)};
    case HloOpcode::kReduceWindow:
      return {(ElementsOfWindow(instruction) - 1) * Elements(result)};
    case HloOpcode::kSelectAndScatter:
      return {(ElementsOfWindow(instruction) - 1) * operand(1), operand(1)};
    case HloOpcode::kScatter:
      return {operand(instruction.operand_count() / 2 + 1)};
    case HloOpcode::kScan:
      return {operand(0)};
    default:
      return {Elements(result)};
  }
}

double BytesOf(const HloInstruction& instruction) {
  const auto operand = [&](int64_t i) { return Bytes(instruction.operand(i)->shape()); };
  const double result = Bytes(instruction.shape());
  switch (instruction.opcode()) {
    case HloOpcode::kSlice:
      return 2 * result;
    case HloOpcode::kDynamicSlice:
      return 2 * result + operand(1);
    case HloOpcode::kDynamicUpdateSlice:
      return 2 * operand(1) + operand(2);
    case HloOpcode::kGather:
      return 2 * result + operand(1);
    case HloOpcode::kScatter: {
      const int64_t count = instruction.operand_count() / 2;
      double bytes = operand(count);
      for (int64_t i = count + 1; i < instruction.operand_count(); ++i) bytes += 3 * operand(i);
      return bytes;
    }
    default: {
      double bytes = result;
      for (int64_t i = 0; i < instruction.operand_count(); ++i) bytes += operand(i);
      return bytes;
    }
  }
}

// What a fusion reads of a parameter: parts, where it uses no more than parts.
double FusedReadBytes(const HloInstruction& parameter) {
  const double whole = Bytes(parameter.shape());
  double bytes = 0;
  for (const HloInstruction* user : parameter.users()) {
    switch (user->opcode()) {
      case HloOpcode::kSlice:
        bytes += Bytes(user->shape());
        break;
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
        if (user->operand(0) != &parameter) return whole;
        bytes += Bytes(user->shape());
        break;
      case HloOpcode::kDynamicUpdateSlice:
        // Only the update is written.
        if (user->operand(0) != &parameter || !user->users().empty()) return whole;
        break;
      default:
        return whole;
    }
  }
  return std::min(bytes, whole);
}

double FusedWrittenBytes(const HloInstruction& root) {
  return Bytes(root.opcode() == HloOpcode::kDynamicUpdateSlice ? root.operand(1)->shape()
                                                               : root.shape());
}

double FusionBytes(const HloInstruction& fusion) {
  double bytes = 0;
  for (const HloInstruction* parameter : fusion.to_apply()->parameter_instructions())
    bytes += FusedReadBytes(*parameter);
  const HloInstruction& root = *fusion.to_apply()->root_instruction();
  if (root.opcode() != HloOpcode::kTuple) return bytes + FusedWrittenBytes(root);
  for (const HloInstruction* element : root.operands()) bytes += FusedWrittenBytes(*element);
  return bytes;
}

void AddAlgorithm(const HloInstruction& instruction, OperationCost& cost) {
  const double elements = Elements(instruction.shape());
  switch (instruction.opcode()) {
    case HloOpcode::kFft: {
      double levels = 1;
      for (const int64_t length : instruction.attributes<FftAttributes>().fft_length)
        levels *= std::floor(std::log2(static_cast<double>(std::max<int64_t>(length, 1))));
      cost.flops += 2 * 4 * levels * Elements(instruction.operand(0)->shape());
      break;
    }
    case HloOpcode::kTriangularSolve: {
      const Shape& a = instruction.operand(0)->shape();
      cost.flops += 2 * SizeOf(a, a.rank() - 1) * Elements(instruction.operand(1)->shape());
      break;
    }
    case HloOpcode::kCholesky:
      cost.flops +=
          std::floor(SizeOf(instruction.shape(), instruction.shape().rank() - 1) * elements / 3);
      break;
    case HloOpcode::kSort: {
      const double sorted = Elements(instruction.operand(0)->shape());
      if (sorted > 1) cost.flops += sorted * std::ceil(std::log2(sorted));
      break;
    }
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
      cost.transcendentals += elements;
      break;
    default:
      break;
  }
}

}  // namespace

int64_t ElementWork(HloOpcode opcode) {
  switch (GetOpInfo(opcode).cost) {
    case CostClass::kArithmetic:
      return 1;
    case CostClass::kDivide:
    case CostClass::kRoot:
      return 4;
    case CostClass::kTranscendental:
    case CostClass::kPower:
      return 12;
    default:
      return 0;
  }
}

double ContractionFlops(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      return 2 * Elements(instruction.shape()) *
             ContractedElements(instruction.operand(0)->shape(),
                                instruction.attributes<DotAttributes>().lhs_contracting_dims);
    case HloOpcode::kRaggedDot:
      return RaggedDotFlops(instruction);
    case HloOpcode::kConvolution:
      return ConvolutionFlops(instruction);
    default:
      return 0;
  }
}

OperationCost CostAnalysis::CostOf(const HloComputation& computation) {
  OperationCost cost;
  for (const HloInstruction* instruction : computation.instructions()) Add(*instruction, cost);
  costs_[&computation] = cost;
  return cost;
}

OperationCost CostAnalysis::CostOf(const HloInstruction& instruction) {
  OperationCost cost;
  Add(instruction, cost);
  return cost;
}

void CostAnalysis::AddApplied(const HloInstruction& instruction, OperationCost& cost) {
  const std::array<double, 2> times = Applications(instruction);
  size_t i = 0;
  for (const HloComputation* applied : instruction.called_computations()) {
    if (i == times.size()) break;
    const OperationCost& once = costs_[applied];
    cost.flops += times[i] * once.flops;
    cost.transcendentals += times[i] * once.transcendentals;
    ++i;
  }
}

void CostAnalysis::AddCalled(const HloInstruction& instruction, OperationCost& cost) {
  OperationCost called;
  for (const HloComputation* computation : instruction.called_computations()) {
    const OperationCost& once = costs_[computation];
    if (instruction.opcode() == HloOpcode::kConditional) {
      called.flops = std::max(called.flops, once.flops);
      called.transcendentals = std::max(called.transcendentals, once.transcendentals);
      called.bytes = std::max(called.bytes, once.bytes);
    } else {
      called.flops += once.flops;
      called.transcendentals += once.transcendentals;
      called.bytes += once.bytes;
    }
  }
  cost.flops += called.flops;
  cost.transcendentals += called.transcendentals;
  // What is fused is not in memory.
  if (instruction.opcode() == HloOpcode::kFusion) {
    cost.bytes += FusionBytes(instruction);
  } else {
    cost.bytes +=
        instruction.opcode() == HloOpcode::kCustomCall ? BytesOf(instruction) : called.bytes;
  }
}

void CostAnalysis::Add(const HloInstruction& instruction, OperationCost& cost) {
  const CostClass cost_class = instruction.info().cost;
  switch (cost_class) {
    case CostClass::kFree:
      return;
    case CostClass::kControl:
      if (instruction.info().async_role == AsyncRole::kUpdate ||
          instruction.info().async_role == AsyncRole::kDone) {
        return;  // counted where it starts
      }
      return AddCalled(instruction, cost);
    case CostClass::kView:
      if (instruction.opcode() == HloOpcode::kBitcast) return;
      break;
    case CostClass::kMove:
    case CostClass::kSelect:
      break;
    case CostClass::kArithmetic:
    case CostClass::kDivide:
      cost.flops += Elements(instruction.shape());
      break;
    case CostClass::kRoot:
    case CostClass::kTranscendental:
    case CostClass::kPower:
      cost.transcendentals += Elements(instruction.shape());
      break;
    case CostClass::kApply:
      AddApplied(instruction, cost);
      break;
    case CostClass::kContraction:
      cost.flops += ContractionFlops(instruction);
      break;
    case CostClass::kAlgorithm:
      AddAlgorithm(instruction, cost);
      break;
    case CostClass::kCommunication:
      // XLA takes each element of an all-reduce for a sum of two.
      if (instruction.opcode() == HloOpcode::kAllReduce ||
          instruction.opcode() == HloOpcode::kAllReduceStart) {
        cost.flops += Elements(instruction.shape());
      }
      break;
  }
  cost.bytes += BytesOf(instruction);
}

OperationCost ModuleCost(const HloModule& module) {
  CostAnalysis analysis;
  OperationCost cost;
  // Callees first; the entry is the last.
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    const OperationCost own = analysis.CostOf(*computation);
    if (computation == module.entry_computation()) cost = own;
  }
  return cost;
}

const HloInstruction* SkipViews(const HloInstruction* instruction) {
  while (IsView(instruction->opcode())) instruction = instruction->operand(0);
  return instruction;
}

}  // namespace xla
