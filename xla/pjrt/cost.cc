// SPDX-License-Identifier: Apache-2.0
// What a program costs, estimated from its instructions.
#include "xla/pjrt/cost.h"

#include <cstring>

#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/runtime/buffer_view.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

struct Cost {
  double flops = 0, transcendentals = 0, bytes = 0;
};

double Elements(const Shape& shape) {
  if (shape.IsArray()) return static_cast<double>(ShapeUtil::ElementsIn(shape));
  double sum = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) sum += Elements(element);
  }
  return sum;
}

double Bytes(const Shape& shape) {
  if (shape.IsArray()) return static_cast<double>(runtime::ArrayBytes(shape).value_or(0));
  double sum = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) sum += Bytes(element);
  }
  return sum;
}

// Mathematical functions are those that have an accuracy, and these, which XLA counts too.
bool IsTranscendental(const HloInstruction& instruction) {
  return instruction.info().Has(op_traits::kHasAccuracy) ||
         instruction.opcode() == HloOpcode::kPower || instruction.opcode() == HloOpcode::kAtan2;
}

// Instructions that only name values.
bool IsFree(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kConstant:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kParameter:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
    case HloOpcode::kCall:
    case HloOpcode::kConditional:
      return true;
    default:
      return false;
  }
}

double DotFlops(const HloInstruction& dot) {
  const auto& attributes = dot.attributes<DotAttributes>();
  double reduced = 1;
  for (const int64_t d : attributes.lhs_contracting_dims) {
    reduced *= static_cast<double>(dot.operand(0)->shape().dimensions(static_cast<int>(d)));
  }
  return 2 * reduced * Elements(dot.shape());
}

double ConvolutionFlops(const HloInstruction& convolution) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  // A sparse kernel is a tuple of its values and their places.
  const Shape& operand = convolution.operand(1)->shape();
  const Shape& kernel = operand.IsTuple() ? operand.tuple_shapes(0) : operand;
  const auto features = static_cast<int>(attributes.dim_labels.kernel_output_feature);
  const double per_output =
      Elements(kernel) / std::max<double>(1, static_cast<double>(kernel.dimensions(features)));
  return 2 * per_output * Elements(convolution.shape());
}

// Computations that an instruction applies to elements count with it.
bool CountsAlone(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    switch (caller->opcode()) {
      case HloOpcode::kAsyncStart:
      case HloOpcode::kCall:
      case HloOpcode::kConditional:
      case HloOpcode::kFusion:
      case HloOpcode::kWhile:
        return true;
      default:
        break;
    }
  }
  return false;
}

void AddInstruction(const HloInstruction& instruction, bool is_fused, Cost& cost) {
  const HloOpcode opcode = instruction.opcode();
  if (IsFree(opcode)) return;
  if (!is_fused) {
    cost.bytes += Bytes(instruction.shape());
    for (const HloInstruction* operand : instruction.operands()) {
      cost.bytes += Bytes(operand->shape());
    }
  }
  if (opcode == HloOpcode::kDot) {
    cost.flops += DotFlops(instruction);
  } else if (opcode == HloOpcode::kConvolution) {
    cost.flops += ConvolutionFlops(instruction);
  } else if (opcode == HloOpcode::kReduce || opcode == HloOpcode::kReduceWindow) {
    cost.flops += Elements(instruction.operand(0)->shape());
  } else if (IsTranscendental(instruction)) {
    cost.transcendentals += Elements(instruction.shape());
  } else if (GetOpInfo(opcode).Has(op_traits::kElementwiseTrait)) {
    cost.flops += Elements(instruction.shape());
  }
}

PJRT_NamedValue Property(const char* name, double value) {
  PJRT_NamedValue property = {};
  property.struct_size = sizeof(PJRT_NamedValue);
  property.name = name;
  property.name_size = std::strlen(name);
  property.type = PJRT_NamedValue_kFloat;
  property.float_value = static_cast<float>(value);
  property.value_size = 1;
  return property;
}

}  // namespace

std::vector<PJRT_NamedValue> CostProperties(const HloModule& module) {
  Cost cost;
  for (const HloComputation* computation : module.computations()) {
    if (computation != module.entry_computation() && !CountsAlone(*computation)) continue;
    for (const HloInstruction* instruction : computation->instructions()) {
      AddInstruction(*instruction, computation->IsFusionComputation(), cost);
    }
  }
  return {Property("flops", cost.flops), Property("transcendentals", cost.transcendentals),
          Property("bytes accessed", cost.bytes)};
}

}  // namespace xla::pjrt
