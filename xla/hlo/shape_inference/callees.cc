// SPDX-License-Identifier: Apache-2.0
// Called computations against their schema: number of parameters, and results that are a pred. The
// sentences are XLA's.
#include "absl/strings/str_cat.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

absl::Status WrongParameterCount(const InferenceInput& in, size_t i, int64_t expected) {
  const ProgramShape& callee = *in.callees[i];
  const int64_t actual = callee.parameters_size();
  switch (GetOpInfo(in.opcode).callee_schema().SlotOf(i).role) {
    case CalleeRole::kFunction:
      if (in.opcode == HloOpcode::kCall) {
        return InvalidArgumentStrCat(
            "Call applied function arity must match number of arguments; got: arity: ", actual,
            ", arguments: ", expected, "; computation signature: ", Str(callee), ".");
      }
      if (in.opcode == HloOpcode::kFusion && actual > expected) {
        return InvalidArgument(
            "Fused parameter count (%d) is greater than the number of operands (%d) passed to the "
            "fusion instruction.",
            actual, expected);
      }
      return InvalidArgument("The %s has %d operands, but its computation has %d parameters.",
                             OpName(in.opcode), expected, actual);
    case CalleeRole::kBody:
      return InvalidArgument("Body must take %d arguments; got %d.", expected, actual);
    case CalleeRole::kCondition:
      return InvalidArgument("Condition must take %d arguments; got %d.", expected, actual);
    case CalleeRole::kBranch:
      return InvalidArgument("branch computation %u must take %d argument; got %d.", i, expected,
                             actual);
    case CalleeRole::kMapper:
      return InvalidArgument(
          "Map applied function arity must match number of arguments; got: arity: %d, arguments: "
          "%d.",
          actual, expected);
    case CalleeRole::kComparator:
      return InvalidArgument(
          "Expected the compare computation of sort to have %d parameters, has %d.", expected,
          actual);
    case CalleeRole::kScanner:
      return InvalidArgument("Scan function must take %d parameters, but takes %d.", expected,
                             actual);
    case CalleeRole::kSelector:
      return InvalidArgument("Select function must take %d parameters, but takes %d parameter(s).",
                             expected, actual);
    case CalleeRole::kReducer:
    case CalleeRole::kBinaryReducer:
    case CalleeRole::kExternal:
      break;
  }
  return InvalidArgument("Reduction function must take %d parameters, but takes %d parameter(s).",
                         expected, actual);
}

}  // namespace

absl::Status CheckParameterCount(const InferenceInput& in, size_t i) {
  const CalleeRoleInfo& role =
      GetCalleeRoleInfo(GetOpInfo(in.opcode).callee_schema().SlotOf(i).role);
  const int64_t expected = role.ParameterCount(OperandCount(in));
  if (role.any_parameters || in.callees[i]->parameters_size() == expected) return absl::OkStatus();
  return WrongParameterCount(in, i, expected);
}

absl::Status CheckPredResult(const InferenceInput& in, size_t i) {
  const CalleeRole role = GetOpInfo(in.opcode).callee_schema().SlotOf(i).role;
  const Shape& result = in.callees[i]->result();
  if (!GetCalleeRoleInfo(role).returns_pred || ShapeUtil::IsScalarWithElementType(result, PRED)) {
    return absl::OkStatus();
  }
  switch (role) {
    case CalleeRole::kCondition:
      return InvalidArgumentStrCat(
          "Condition must return a boolean; got Condition: ", Str(*in.callees[i]),
          "; body: ", Str(*in.callees[0]), "; init: ", Str(Operand(in, 0)), ".");
    case CalleeRole::kComparator:
      return InvalidArgumentStrCat(
          "The Sort compare computation shape does not lead to a scalar predicate shape: ",
          Str(result));
    default:
      return InvalidArgumentStrCat("Select function must have rank-0 PRED result; got ",
                                   Str(result), ".");
  }
}

}  // namespace xla::shape_inference
