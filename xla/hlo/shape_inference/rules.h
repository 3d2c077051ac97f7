// SPDX-License-Identifier: Apache-2.0
// The shape inference rule of every opcode, by family; the table in shape_inference.cc maps opcodes
// to them. Internal to this folder and the verifier.
//
// A rule may rely on: the number of operands that the operation table tells (any number for
// variadic operations), the opcode's own attribute struct, and the number of callees that the table
// tells (for conditional and custom-call any). All values in them are the user's: ranks, indices
// and sizes are checked by the rule.
#ifndef XLA_HLO_SHAPE_INFERENCE_RULES_H_
#define XLA_HLO_SHAPE_INFERENCE_RULES_H_

#include "absl/status/statusor.h"
#include "xla/hlo/shape_inference/shape_inference.h"

namespace xla::shape_inference {

using Result = absl::StatusOr<Shape>;
using Rule = Result (*)(const InferenceInput&);

// As InferShape, without the operation and its operands at the end of error messages.
Result ApplyRule(const InferenceInput& input);

// elementwise.cc
Result InferFloatingUnary(const InferenceInput& in);           // floor, cbrt, erf, ...
Result InferFloatingOrComplexUnary(const InferenceInput& in);  // exponential, sine, ...
Result InferAbs(const InferenceInput& in);
Result InferBitCount(const InferenceInput& in);  // popcnt, count-leading-zeros
Result InferNegate(const InferenceInput& in);
Result InferNot(const InferenceInput& in);
Result InferSign(const InferenceInput& in);
Result InferRealOrImag(const InferenceInput& in);
Result InferIsFinite(const InferenceInput& in);
Result InferCopy(const InferenceInput& in);
Result InferConvert(const InferenceInput& in);
Result InferBitcastConvert(const InferenceInput& in);
Result InferStochasticConvert(const InferenceInput& in);
Result InferReducePrecision(const InferenceInput& in);
Result InferBinary(const InferenceInput& in);
Result InferTernary(const InferenceInput& in);  // select, clamp

// leaf.cc
Result InferParameter(const InferenceInput& in);
Result InferConstant(const InferenceInput& in);
Result InferIota(const InferenceInput& in);

// reshape.cc
Result InferBitcast(const InferenceInput& in);
Result InferBroadcast(const InferenceInput& in);
Result InferConcatenate(const InferenceInput& in);
Result InferDynamicReshape(const InferenceInput& in);
Result InferPad(const InferenceInput& in);
Result InferReshape(const InferenceInput& in);
Result InferReverse(const InferenceInput& in);
Result InferSlice(const InferenceInput& in);
Result InferTranspose(const InferenceInput& in);
Result InferGetDimensionSize(const InferenceInput& in);
Result InferSetDimensionSize(const InferenceInput& in);

// gather_scatter.cc
Result InferDynamicSlice(const InferenceInput& in);
Result InferDynamicUpdateSlice(const InferenceInput& in);
Result InferGather(const InferenceInput& in);
Result InferScatter(const InferenceInput& in);

// normalization.cc
Result InferBatchNormTraining(const InferenceInput& in);
Result InferBatchNormInference(const InferenceInput& in);
Result InferBatchNormGrad(const InferenceInput& in);

// reduce.cc
Result InferMap(const InferenceInput& in);
Result InferReduce(const InferenceInput& in);
Result InferScan(const InferenceInput& in);

// window.cc
Result InferReduceWindow(const InferenceInput& in);
Result InferSelectAndScatter(const InferenceInput& in);

// sort.cc
Result InferSort(const InferenceInput& in);
Result InferTopK(const InferenceInput& in);

// contraction.cc
Result InferConvolution(const InferenceInput& in);
Result InferDot(const InferenceInput& in);
Result InferRaggedDot(const InferenceInput& in);
Result InferScaledDot(const InferenceInput& in);

// linear_algebra.cc
Result InferCholesky(const InferenceInput& in);
Result InferFft(const InferenceInput& in);
Result InferTriangularSolve(const InferenceInput& in);

// random.cc
Result InferRng(const InferenceInput& in);
Result InferRngBitGenerator(const InferenceInput& in);
Result InferRngGetAndUpdateState(const InferenceInput& in);

// control.cc
Result InferTuple(const InferenceInput& in);
Result InferGetTupleElement(const InferenceInput& in);
Result InferCall(const InferenceInput& in);
Result InferWhile(const InferenceInput& in);
Result InferConditional(const InferenceInput& in);
Result InferFusion(const InferenceInput& in);
Result InferCustomCall(const InferenceInput& in);
Result InferSameAsOperand(const InferenceInput& in);  // opt-barrier, domain

// async.cc
Result InferCopyStart(const InferenceInput& in);
Result InferCopyDone(const InferenceInput& in);
Result InferAsyncStart(const InferenceInput& in);
Result InferAsyncUpdate(const InferenceInput& in);
Result InferAsyncDone(const InferenceInput& in);

// effect.cc
Result InferAfterAll(const InferenceInput& in);
Result InferAddDependency(const InferenceInput& in);
Result InferInfeed(const InferenceInput& in);
Result InferOutfeed(const InferenceInput& in);
Result InferSend(const InferenceInput& in);
Result InferSendDone(const InferenceInput& in);
Result InferRecv(const InferenceInput& in);
Result InferRecvDone(const InferenceInput& in);

// collective.cc
Result InferAllGather(const InferenceInput& in);
Result InferAllGatherStart(const InferenceInput& in);
Result InferAllGatherDone(const InferenceInput& in);
Result InferAllReduce(const InferenceInput& in);  // all-reduce-start too
Result InferAllReduceDone(const InferenceInput& in);
Result InferReduceScatter(const InferenceInput& in);
Result InferAllToAll(const InferenceInput& in);
Result InferRaggedAllToAll(const InferenceInput& in);
Result InferCollectiveBroadcast(const InferenceInput& in);
Result InferCollectivePermute(const InferenceInput& in);
Result InferCollectivePermuteStart(const InferenceInput& in);
Result InferCollectivePermuteDone(const InferenceInput& in);
Result InferParticipantId(const InferenceInput& in);  // replica-id, partition-id

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_RULES_H_
