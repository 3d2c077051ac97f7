// SPDX-License-Identifier: Apache-2.0
// The table of shape inference rules by opcode, and what holds for all of them.
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

constexpr Row kRows[] = {
    // Elementwise
    {HloOpcode::kAbs, InferAbs},
    {HloOpcode::kAcos, InferFloatingOrComplexUnary},
    {HloOpcode::kAcosh, InferFloatingOrComplexUnary},
    {HloOpcode::kAsin, InferFloatingOrComplexUnary},
    {HloOpcode::kAsinh, InferFloatingOrComplexUnary},
    {HloOpcode::kAtanh, InferFloatingOrComplexUnary},
    {HloOpcode::kBitcastConvert, InferBitcastConvert},
    {HloOpcode::kCbrt, InferFloatingUnary},
    {HloOpcode::kCeil, InferFloatingUnary},
    {HloOpcode::kClz, InferBitCount},
    {HloOpcode::kConvert, InferConvert},
    {HloOpcode::kCopy, InferCopy},
    {HloOpcode::kCos, InferFloatingOrComplexUnary},
    {HloOpcode::kCosh, InferFloatingOrComplexUnary},
    {HloOpcode::kErf, InferFloatingUnary},
    {HloOpcode::kExp, InferFloatingOrComplexUnary},
    {HloOpcode::kExpm1, InferFloatingOrComplexUnary},
    {HloOpcode::kFloor, InferFloatingUnary},
    {HloOpcode::kImag, InferRealOrImag},
    {HloOpcode::kIsFinite, InferIsFinite},
    {HloOpcode::kLog, InferFloatingOrComplexUnary},
    {HloOpcode::kLog1p, InferFloatingOrComplexUnary},
    {HloOpcode::kLogistic, InferFloatingOrComplexUnary},
    {HloOpcode::kNegate, InferNegate},
    {HloOpcode::kNot, InferNot},
    {HloOpcode::kPopulationCount, InferBitCount},
    {HloOpcode::kReal, InferRealOrImag},
    {HloOpcode::kReducePrecision, InferReducePrecision},
    {HloOpcode::kRoundNearestAfz, InferFloatingUnary},
    {HloOpcode::kRoundNearestEven, InferFloatingUnary},
    {HloOpcode::kRsqrt, InferFloatingOrComplexUnary},
    {HloOpcode::kSign, InferSign},
    {HloOpcode::kSin, InferFloatingOrComplexUnary},
    {HloOpcode::kSinh, InferFloatingOrComplexUnary},
    {HloOpcode::kSqrt, InferFloatingOrComplexUnary},
    {HloOpcode::kTan, InferFloatingOrComplexUnary},
    {HloOpcode::kTanh, InferFloatingOrComplexUnary},
    {HloOpcode::kAdd, InferBinary},
    {HloOpcode::kAnd, InferBinary},
    {HloOpcode::kAtan2, InferBinary},
    {HloOpcode::kClamp, InferTernary},
    {HloOpcode::kCompare, InferBinary},
    {HloOpcode::kComplex, InferBinary},
    {HloOpcode::kDivide, InferBinary},
    {HloOpcode::kMaximum, InferBinary},
    {HloOpcode::kMinimum, InferBinary},
    {HloOpcode::kMulhi, InferBinary},
    {HloOpcode::kMultiply, InferBinary},
    {HloOpcode::kOr, InferBinary},
    {HloOpcode::kPower, InferBinary},
    {HloOpcode::kRemainder, InferBinary},
    {HloOpcode::kSelect, InferTernary},
    {HloOpcode::kShiftLeft, InferBinary},
    {HloOpcode::kShiftRightArithmetic, InferBinary},
    {HloOpcode::kShiftRightLogical, InferBinary},
    {HloOpcode::kStochasticConvert, InferStochasticConvert},
    {HloOpcode::kSubtract, InferBinary},
    {HloOpcode::kXor, InferBinary},
    // Leaves and data movement
    {HloOpcode::kParameter, InferParameter},
    {HloOpcode::kConstant, InferConstant},
    {HloOpcode::kIota, InferIota},
    {HloOpcode::kBitcast, InferBitcast},
    {HloOpcode::kBroadcast, InferBroadcast},
    {HloOpcode::kConcatenate, InferConcatenate},
    {HloOpcode::kDynamicReshape, InferDynamicReshape},
    {HloOpcode::kPad, InferPad},
    {HloOpcode::kReshape, InferReshape},
    {HloOpcode::kReverse, InferReverse},
    {HloOpcode::kSlice, InferSlice},
    {HloOpcode::kTranspose, InferTranspose},
    {HloOpcode::kGetDimensionSize, InferGetDimensionSize},
    {HloOpcode::kSetDimensionSize, InferSetDimensionSize},
    {HloOpcode::kDynamicSlice, InferDynamicSlice},
    {HloOpcode::kDynamicUpdateSlice, InferDynamicUpdateSlice},
    {HloOpcode::kGather, InferGather},
    {HloOpcode::kScatter, InferScatter},
    // Reductions, windows, orderings
    {HloOpcode::kBatchNormGrad, InferBatchNormGrad},
    {HloOpcode::kBatchNormInference, InferBatchNormInference},
    {HloOpcode::kBatchNormTraining, InferBatchNormTraining},
    {HloOpcode::kMap, InferMap},
    {HloOpcode::kReduce, InferReduce},
    {HloOpcode::kScan, InferScan},
    {HloOpcode::kReduceWindow, InferReduceWindow},
    {HloOpcode::kSelectAndScatter, InferSelectAndScatter},
    {HloOpcode::kSort, InferSort},
    {HloOpcode::kTopK, InferTopK},
    // Contractions and linear algebra
    {HloOpcode::kConvolution, InferConvolution},
    {HloOpcode::kDot, InferDot},
    {HloOpcode::kRaggedDot, InferRaggedDot},
    {HloOpcode::kScaledDot, InferScaledDot},
    {HloOpcode::kCholesky, InferCholesky},
    {HloOpcode::kFft, InferFft},
    {HloOpcode::kTriangularSolve, InferTriangularSolve},
    // Random bits
    {HloOpcode::kRng, InferRng},
    {HloOpcode::kRngBitGenerator, InferRngBitGenerator},
    {HloOpcode::kRngGetAndUpdateState, InferRngGetAndUpdateState},
    // Tuples, control flow, calls
    {HloOpcode::kTuple, InferTuple},
    {HloOpcode::kGetTupleElement, InferGetTupleElement},
    {HloOpcode::kCall, InferCall},
    {HloOpcode::kWhile, InferWhile},
    {HloOpcode::kConditional, InferConditional},
    {HloOpcode::kFusion, InferFusion},
    {HloOpcode::kCustomCall, InferCustomCall},
    {HloOpcode::kOptimizationBarrier, InferSameAsOperand},
    {HloOpcode::kDomain, InferSameAsOperand},
    {HloOpcode::kCopyStart, InferCopyStart},
    {HloOpcode::kCopyDone, InferCopyDone},
    {HloOpcode::kAsyncStart, InferAsyncStart},
    {HloOpcode::kAsyncUpdate, InferAsyncUpdate},
    {HloOpcode::kAsyncDone, InferAsyncDone},
    // Tokens and effects
    {HloOpcode::kAfterAll, InferAfterAll},
    {HloOpcode::kAddDependency, InferAddDependency},
    {HloOpcode::kInfeed, InferInfeed},
    {HloOpcode::kOutfeed, InferOutfeed},
    {HloOpcode::kSend, InferSend},
    {HloOpcode::kSendDone, InferSendDone},
    {HloOpcode::kRecv, InferRecv},
    {HloOpcode::kRecvDone, InferRecvDone},
    // Across replicas and partitions
    {HloOpcode::kAllGather, InferAllGather},
    {HloOpcode::kAllGatherStart, InferAllGatherStart},
    {HloOpcode::kAllGatherDone, InferAllGatherDone},
    {HloOpcode::kAllReduce, InferAllReduce},
    {HloOpcode::kAllReduceStart, InferAllReduce},
    {HloOpcode::kAllReduceDone, InferAllReduceDone},
    {HloOpcode::kReduceScatter, InferReduceScatter},
    {HloOpcode::kAllToAll, InferAllToAll},
    {HloOpcode::kRaggedAllToAll, InferRaggedAllToAll},
    {HloOpcode::kCollectiveBroadcast, InferCollectiveBroadcast},
    {HloOpcode::kCollectivePermute, InferCollectivePermute},
    {HloOpcode::kCollectivePermuteStart, InferCollectivePermuteStart},
    {HloOpcode::kCollectivePermuteDone, InferCollectivePermuteDone},
    {HloOpcode::kPartitionId, InferParticipantId},
    {HloOpcode::kReplicaId, InferParticipantId},
};

constexpr std::array<Rule, kNumHloOpcodes> kRules = [] {
  std::array<Rule, kNumHloOpcodes> rules{};
  for (const Row& row : kRows) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}();
// Asked of the rows, for sanitizers do not take the comparison of a function with null for a
// constant.
constexpr bool EveryOpcodeHasOneRow() {
  std::array<int, kNumHloOpcodes> rows{};
  for (const Row& row : kRows) ++rows[static_cast<size_t>(row.opcode)];
  return std::all_of(rows.begin(), rows.end(), [](int count) { return count == 1; });
}
static_assert(EveryOpcodeHasOneRow(), "an opcode has no shape inference rule, or two");

absl::Status CheckCalleeCount(const InferenceInput& in, const OpInfo& info) {
  const size_t count = in.callees.size();
  size_t expected = 0;
  switch (info.callees) {
    case Callees::kNone:
      expected = 0;
      break;
    case Callees::kToApply:
    case Callees::kCalls:
      expected = 1;
      break;
    case Callees::kBodyCondition:
    case Callees::kSelectScatter:
      expected = 2;
      break;
    case Callees::kBranches:
    case Callees::kOptionalCallees:
      return absl::OkStatus();
  }
  if (count == expected) return absl::OkStatus();
  return InvalidArgument("Expected %u called computations for %s, but saw %u.", expected,
                         OpName(in.opcode), count);
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
  // A parser has not looked at the layouts that it read. Of tuples only the structure matters to
  // the rules, and what they take out of one is validated as a result; to validate them whole at
  // each use would take quadratic time.
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
