// SPDX-License-Identifier: Apache-2.0
// The interpreter's table: the function of every opcode. No default: an opcode without a row does
// not compile.
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

EvalFunction GetEvalFunction(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kAcos:
    case HloOpcode::kAcosh:
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kAsin:
    case HloOpcode::kAsinh:
    case HloOpcode::kAtan2:
    case HloOpcode::kAtanh:
    case HloOpcode::kCbrt:
    case HloOpcode::kCeil:
    case HloOpcode::kClamp:
    case HloOpcode::kClz:
    case HloOpcode::kCompare:
    case HloOpcode::kComplex:
    case HloOpcode::kConvert:
    case HloOpcode::kCos:
    case HloOpcode::kCosh:
    case HloOpcode::kDivide:
    case HloOpcode::kErf:
    case HloOpcode::kExp:
    case HloOpcode::kExpm1:
    case HloOpcode::kFloor:
    case HloOpcode::kImag:
    case HloOpcode::kIsFinite:
    case HloOpcode::kLog:
    case HloOpcode::kLog1p:
    case HloOpcode::kLogistic:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMulhi:
    case HloOpcode::kMultiply:
    case HloOpcode::kNegate:
    case HloOpcode::kNot:
    case HloOpcode::kOr:
    case HloOpcode::kPopulationCount:
    case HloOpcode::kPower:
    case HloOpcode::kReal:
    case HloOpcode::kReducePrecision:
    case HloOpcode::kRemainder:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kRsqrt:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kSign:
    case HloOpcode::kSin:
    case HloOpcode::kSinh:
    case HloOpcode::kSqrt:
    case HloOpcode::kStochasticConvert:
    case HloOpcode::kSubtract:
    case HloOpcode::kTan:
    case HloOpcode::kTanh:
    case HloOpcode::kXor:
      return EvalElementwise;
    case HloOpcode::kSelect:
      return EvalSelect;
    case HloOpcode::kBitcastConvert:
      return EvalBitcastConvert;
    case HloOpcode::kCopy:
      return EvalCopy;

    // The evaluator itself puts these in place.
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
      return EvalForward;
    case HloOpcode::kIota:
      return EvalIota;

    case HloOpcode::kBitcast:
      return EvalBitcast;
    case HloOpcode::kBroadcast:
      return EvalBroadcast;
    case HloOpcode::kConcatenate:
      return EvalConcatenate;
    case HloOpcode::kDynamicReshape:
      return EvalDynamicReshape;
    case HloOpcode::kPad:
      return EvalPad;
    case HloOpcode::kReshape:
      return EvalReshape;
    case HloOpcode::kReverse:
      return EvalReverse;
    case HloOpcode::kSlice:
      return EvalSlice;
    case HloOpcode::kTranspose:
      return EvalTranspose;
    case HloOpcode::kGetDimensionSize:
      return EvalGetDimensionSize;
    case HloOpcode::kSetDimensionSize:
      return EvalSetDimensionSize;

    // gather_scatter.cc
    case HloOpcode::kDynamicSlice:
      return EvalDynamicSlice;
    case HloOpcode::kDynamicUpdateSlice:
      return EvalDynamicUpdateSlice;
    case HloOpcode::kGather:
      return EvalGather;
    case HloOpcode::kScatter:
      return EvalScatter;

    // normalization.cc
    case HloOpcode::kBatchNormGrad:
      return EvalBatchNormGrad;
    case HloOpcode::kBatchNormInference:
      return EvalBatchNormInference;
    case HloOpcode::kBatchNormTraining:
      return EvalBatchNormTraining;

    // reduce.cc
    case HloOpcode::kMap:
      return EvalMap;
    case HloOpcode::kReduce:
      return EvalReduce;
    case HloOpcode::kScan:
      return EvalScan;

    // window.cc
    case HloOpcode::kReduceWindow:
      return EvalReduceWindow;
    case HloOpcode::kSelectAndScatter:
      return EvalSelectAndScatter;

    // sort.cc
    case HloOpcode::kSort:
      return EvalSort;
    case HloOpcode::kTopK:
      return EvalTopK;

    // contraction.cc
    case HloOpcode::kConvolution:
      return EvalConvolution;
    case HloOpcode::kDot:
      return EvalDot;
    case HloOpcode::kRaggedDot:
      return EvalRaggedDot;
    case HloOpcode::kScaledDot:
      return EvalScaledDot;

    // linear_algebra.cc
    case HloOpcode::kCholesky:
      return EvalCholesky;
    case HloOpcode::kFft:
      return EvalFft;
    case HloOpcode::kTriangularSolve:
      return EvalTriangularSolve;

    // random.cc
    case HloOpcode::kRng:
      return EvalRng;
    case HloOpcode::kRngBitGenerator:
      return EvalRngBitGenerator;
    case HloOpcode::kRngGetAndUpdateState:
      return EvalRngGetAndUpdateState;

    case HloOpcode::kTuple:
      return EvalTuple;
    case HloOpcode::kGetTupleElement:
      return EvalGetTupleElement;
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
      return EvalCall;
    case HloOpcode::kWhile:
      return EvalWhile;
    case HloOpcode::kConditional:
      return EvalConditional;
    case HloOpcode::kCustomCall:
      return EvalCustomCall;
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain:
      return EvalForward;

    case HloOpcode::kCopyStart:
      return EvalCopyStart;
    case HloOpcode::kCopyDone:
      return EvalCopyDone;
    case HloOpcode::kAsyncStart:
      return EvalAsyncStart;
    case HloOpcode::kAsyncUpdate:
      return EvalAsyncUpdate;
    case HloOpcode::kAsyncDone:
      return EvalAsyncDone;

    case HloOpcode::kAfterAll:
      return EvalAfterAll;
    case HloOpcode::kAddDependency:
      return EvalAddDependency;
    case HloOpcode::kInfeed:
      return EvalInfeed;
    case HloOpcode::kOutfeed:
      return EvalOutfeed;

    case HloOpcode::kSend:
      return EvalSend;
    case HloOpcode::kSendDone:
      return EvalSendDone;
    case HloOpcode::kRecv:
      return EvalRecv;
    case HloOpcode::kRecvDone:
      return EvalRecvDone;

    case HloOpcode::kAllGather:
      return EvalAllGather;
    case HloOpcode::kAllGatherStart:
      return EvalAllGatherStart;
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
      return EvalAllReduce;
    case HloOpcode::kAllReduceDone:
      return EvalForward;
    case HloOpcode::kReduceScatter:
      return EvalReduceScatter;
    case HloOpcode::kAllToAll:
      return EvalAllToAll;
    case HloOpcode::kRaggedAllToAll:
      return EvalRaggedAllToAll;
    case HloOpcode::kCollectiveBroadcast:
      return EvalCollectiveBroadcast;
    case HloOpcode::kCollectivePermute:
      return EvalCollectivePermute;
    case HloOpcode::kCollectivePermuteStart:
      return EvalCollectivePermuteStart;
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kCollectivePermuteDone:
      return EvalCollectiveDone;
    case HloOpcode::kPartitionId:
    case HloOpcode::kReplicaId:
      return EvalParticipantId;
  }
  return nullptr;
}

}  // namespace xla::interpreter
