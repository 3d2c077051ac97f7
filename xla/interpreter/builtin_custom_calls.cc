// SPDX-License-Identifier: Apache-2.0
// The table of XLA's own custom calls, and those that return their operand.
#include "xla/interpreter/builtin_custom_calls.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/lapack/lapack.h"
#include "xla/passes/custom_call_forms.h"
#include "xla/passes/dynamic_shapes.h"

namespace xla::interpreter {
namespace {

absl::Status Refuse(const HloInstruction& inst, absl::string_view error) {
  return InstructionError(inst, absl::StatusCode::kInvalidArgument, error);
}

// The operand, unless the call is at error.
absl::StatusOr<Value> OnlyOperand(const HloInstruction& inst, absl::Span<Value> operands,
                                  absl::string_view error) {
  if (!error.empty()) return Refuse(inst, error);
  return std::move(operands[0]).WithShape(inst.shape());
}

absl::StatusOr<Value> EvalAnnotation(EvalContext&, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  return OnlyOperand(inst, operands, ErrorOfAnnotation(inst));
}

// Pin makes an array into a buffer that is updated in place, Unpin the reverse. Both are the same
// memory here: what is updated is copied if others still read it.
absl::StatusOr<Value> EvalPin(EvalContext&, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  return OnlyOperand(inst, operands, ErrorOfPin(inst));
}

absl::StatusOr<Value> EvalLayoutConstraint(EvalContext&, const HloInstruction& inst,
                                           absl::Span<Value> operands) {
  return OnlyOperand(inst, operands, ErrorOfLayoutConstraint(inst));
}

// A buffer whose contents are not defined: zeros.
absl::StatusOr<Value> EvalCreateBuffer(EvalContext& ctx, const HloInstruction& inst,
                                       absl::Span<Value>) {
  const absl::string_view error = ErrorOfCreateBuffer(inst);
  if (!error.empty()) return Refuse(inst, error);
  return ctx.AllocateZeros(inst.shape());
}

// control_dep says that one operand is computed before the other, dce_sink that operands are used:
// neither changes a value.
absl::StatusOr<Value> EvalWithoutResults(EvalContext&, const HloInstruction& inst,
                                         absl::Span<Value>) {
  const absl::string_view error = ErrorOfNoResults(inst);
  if (!error.empty()) return Refuse(inst, error);
  return Value::Tuple(inst.shape(), {});
}

// A size that a program sets, unless it is beyond its bound.
absl::StatusOr<Value> EvalCheckSize(EvalContext&, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  int64_t bound = -1;
  const Shape size_shape(S32, {});
  if (operands.size() != 1 || !Shape::Equal().IgnoreLayout()(inst.shape(), size_shape) ||
      !Shape::Equal().IgnoreLayout()(operands[0].shape(), size_shape) ||
      !absl::SimpleAtoi(inst.extras().backend_config, &bound)) {
    return Refuse(inst, "a size is an s32 scalar, with its bound as configuration");
  }
  int32_t size;
  std::memcpy(&size, operands[0].untyped_data(), sizeof(size));
  if (size >= 0 && size <= bound) return std::move(operands[0]);
  return Refuse(inst,
                absl::StrCat("the size ", size, " of a dimension is not in [0, ", bound, "]"));
}

struct Builtin {
  std::string_view target;
  EvalFunction function;
};
constexpr Builtin kBuiltins[] = {
    {"ApproxTopK", EvalApproxTopKCall},
    {"CreateBuffer", EvalCreateBuffer},
    {"DynamicConvolutionForward", EvalDynamicConvolutionForward},
    {"DynamicConvolutionInputGrad", EvalDynamicConvolutionInputGrad},
    {"DynamicConvolutionKernelGrad", EvalDynamicConvolutionKernelGrad},
    {"DynamicReduceWindowSamePadding", EvalDynamicReduceWindow},
    {"DynamicSelectAndScatterSamePadding", EvalDynamicSelectAndScatter},
    {"Eigh", EvalEighCall},
    {"LayoutConstraint", EvalLayoutConstraint},
    {"ProductOfElementaryHouseholderReflectors", EvalHouseholderProductCall},
    {"Qr", EvalQrCall},
    {"Sharding", EvalAnnotation},
    {"SPMDFullToShardShape", EvalAnnotation},
    {"SPMDShardToFullShape", EvalAnnotation},
    {"Pin", EvalPin},
    {"TopK", EvalTopKCall},
    {"Unpin", EvalPin},
    {"control_dep", EvalWithoutResults},
    {"dce_sink", EvalWithoutResults},
    {kCheckSizeTarget, EvalCheckSize},
};

}  // namespace

EvalFunction FindBuiltinCustomCall(std::string_view target) {
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.target == target) return builtin.function;
  }
  return lapack::IsLapackTarget({target.data(), target.size()}) ? EvalLapackCall : nullptr;
}

}  // namespace xla::interpreter
