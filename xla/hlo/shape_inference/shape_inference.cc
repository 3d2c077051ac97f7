// SPDX-License-Identifier: Apache-2.0
// The table of shape inference rules by opcode, and the checks common to all of them.
#include "xla/hlo/shape_inference/shape_inference.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace shape_inference {
namespace {

struct Row {
  HloOpcode opcode;
  Rule rule;
};

// Operations that share a rule, and elementwise operations with a rule of their own.
constexpr Row kExceptions[] = {
    {HloOpcode::kAbs, InferAbs},
    {HloOpcode::kBitcastConvert, InferBitcastConvert},
    {HloOpcode::kConvert, InferConvert},
    {HloOpcode::kCopy, InferCopy},
    {HloOpcode::kImag, InferRealOrImag},
    {HloOpcode::kIsFinite, InferIsFinite},
    {HloOpcode::kReal, InferRealOrImag},
    {HloOpcode::kReducePrecision, InferReducePrecision},
    {HloOpcode::kSign, InferSign},
    {HloOpcode::kStochasticConvert, InferStochasticConvert},
    {HloOpcode::kOptimizationBarrier, InferSameAsOperand},
    {HloOpcode::kDomain, InferSameAsOperand},
    {HloOpcode::kAllReduceStart, InferAllReduce},
    {HloOpcode::kPartitionId, InferParticipantId},
    {HloOpcode::kReplicaId, InferParticipantId},
};

constexpr Rule ElementwiseRule(int arity) {
  return arity == 1 ? InferUnary : arity == 2 ? InferBinary : InferTernary;
}

// An opcode without a rule does not link.
constexpr std::array<Rule, kNumHloOpcodes> kRules = [] {
  using op_traits::kVariadic;
  std::array<Rule, kNumHloOpcodes> rules = {
#define HLO_OP(stem, name, family, arity, ...) \
  OpFamily::family == OpFamily::kElementwise ? ElementwiseRule(arity) : Infer##stem,
#include "xla/hlo/ir/opcodes.def"
  };
  for (const Row& row : kExceptions) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}();

absl::Status CheckCalleeCount(const InferenceInput& in, const OpInfo& info) {
  const int expected = info.callee_schema().count;
  if (expected < 0 || in.callees.size() == static_cast<size_t>(expected)) return absl::OkStatus();
  return InvalidArgument("Expected %d called computations for %s, but saw %u.", expected,
                         OpName(in.opcode), in.callees.size());
}

// "add(f32[2], f32[3])", of bounded length.
std::string Describe(const InferenceInput& in) {
  constexpr size_t kMostOperands = 16;
  std::string text = absl::StrCat(OpName(in.opcode), "(");
  for (size_t i = 0; i < in.operands.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kMostOperands) {
      absl::StrAppend(&text, "... ", in.operands.size() - i, " more");
      break;
    }
    text += Str(*in.operands[i]);
  }
  return text + ")";
}

}  // namespace

Result ApplyRule(const InferenceInput& in) {
  const OpInfo& info = GetOpInfo(in.opcode);
  if (info.arity >= 0 && OperandCount(in) != info.arity) {
    return InvalidArgument("Expected %d operands for %s, but saw %d.", info.arity,
                           OpName(in.opcode), OperandCount(in));
  }
  if (in.attributes.index() != info.attributes_index) {
    return InvalidArgumentStrCat("The attributes given are not those of ", OpName(in.opcode), ".");
  }
  XLA_RETURN_IF_ERROR(CheckCalleeCount(in, info));
  // The parser does not validate layouts. Only the structure of tuples matters to the rules, and
  // elements taken out of a tuple are validated as results; validating whole tuples at each use
  // would take quadratic time.
  for (const Shape* operand : in.operands) {
    if (operand->IsArray()) {
      XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(*operand));
    }
  }
  XLA_ASSIGN_OR_RETURN(Shape result, kRules[static_cast<size_t>(in.opcode)](in));
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(result));
  return result;
}

}  // namespace shape_inference

absl::StatusOr<Shape> InferShape(const InferenceInput& input) {
  absl::StatusOr<Shape> result = shape_inference::ApplyRule(input);
  if (result.ok()) return result;
  return absl::Status(
      result.status().code(),
      absl::StrCat(result.status().message(), " In: ", shape_inference::Describe(input)));
}

}  // namespace xla
