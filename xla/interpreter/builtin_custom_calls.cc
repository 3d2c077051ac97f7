// SPDX-License-Identifier: Apache-2.0
// The table of XLA's own custom calls, and those that return their operand.
#include "xla/interpreter/builtin_custom_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

absl::StatusOr<Value> EvalAnnotation(EvalContext&, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  if (operands.size() != 1 || !ShapeUtil::Compatible(operands[0].shape(), inst.shape())) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the program is not partitioned: the result must have the shape of "
                            "the only operand");
  }
  return std::move(operands[0]).WithShape(inst.shape());
}

struct Builtin {
  std::string_view target;
  EvalFunction function;
};
constexpr Builtin kBuiltins[] = {
    {"DynamicConvolutionForward", EvalDynamicConvolutionForward},
    {"DynamicConvolutionInputGrad", EvalDynamicConvolutionInputGrad},
    {"DynamicConvolutionKernelGrad", EvalDynamicConvolutionKernelGrad},
    {"DynamicReduceWindowSamePadding", EvalDynamicReduceWindow},
    {"DynamicSelectAndScatterSamePadding", EvalDynamicSelectAndScatter},
    {"Sharding", EvalAnnotation},
    {"SPMDFullToShardShape", EvalAnnotation},
    {"SPMDShardToFullShape", EvalAnnotation},
};

}  // namespace

EvalFunction FindBuiltinCustomCall(std::string_view target) {
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.target == target) return builtin.function;
  }
  return nullptr;
}

}  // namespace xla::interpreter
