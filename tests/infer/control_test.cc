// SPDX-License-Identifier: Apache-2.0
// Shape inference of tuples, calls, control flow, async operations, tokens and transfers.
#include <cstdint>
#include <limits>

#include "tests/infer/infer_test_util.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using testing::ShapeOf;
using Op = HloOpcode;

TEST(ControlInference, Tuples) {
  ExpectInferred(
      {{Op::kTuple, {"f32[2]{0}", "token[]"}, {}, "(f32[2]{0}, token[])"},
       {Op::kTuple, {}, {}, "()"},
       {Op::kGetTupleElement, {"(f32[2,3]{0,1},s32[])"}, TupleIndexAttributes{0}, "f32[2,3]{0,1}"},
       {Op::kGetTupleElement,
        {"(f32[2],s32[])"},
        TupleIndexAttributes{2},
        "! out of tuple bounds: 2 >= 2"},
       {Op::kGetTupleElement,
        {"(f32[2],s32[])"},
        TupleIndexAttributes{-1},
        "! out of tuple bounds"},
       {Op::kGetTupleElement, {"f32[2]"}, TupleIndexAttributes{0}, "! index into non-tuple"}});
}

TEST(ControlInference, Calls) {
  ExpectInferred(
      {{Op::kCall, {"f32[2]"}, {}, "s32[]", {"f32[2] -> s32[]"}},
       {Op::kCall,
        {"f32[3]"},
        {},
        "! got parameter 0 shape: f32[2], argument shape: f32[3]",
        {"f32[2] -> s32[]"}},
       {Op::kCall, {"f32[2]", "f32[2]"}, {}, "! arity: 1, arguments: 2", {"f32[2] -> s32[]"}},
       {Op::kWhile,
        {"(s32[],f32[2])"},
        {},
        "(s32[],f32[2])",
        {"(s32[],f32[2]) -> (s32[],f32[2])", "(s32[],f32[2]) -> pred[]"}},
       {Op::kWhile,
        {"s32[]"},
        {},
        "! Condition must return a boolean",
        {"s32[] -> s32[]", "s32[] -> s32[]"}},
       {Op::kWhile,
        {"s32[]"},
        {},
        "! must all have the same shape",
        {"s32[] -> f32[]", "s32[] -> pred[]"}},
       {Op::kWhile,
        {"s32[]"},
        {},
        "! Body must take 1 arguments; got 2",
        {"s32[] s32[] -> s32[]", "s32[] -> pred[]"}},
       {Op::kOptimizationBarrier, {"(f32[2],token[])"}, {}, "(f32[2],token[])"}});
}

TEST(ControlInference, Conditional) {
  const std::vector<std::string> same = {"f32[] -> s8[2]", "f32[2] -> s8[2]"};
  ExpectInferred(
      {{Op::kConditional, {"pred[]", "f32[]", "f32[2]"}, {}, "s8[2]", same},
       {Op::kConditional, {"s32[]", "f32[]", "f32[2]"}, {}, "s8[2]", same},
       {Op::kConditional,
        {"s32[]", "f32[]", "f32[2]"},
        {},
        "s8[<=2]",
        {"f32[] -> s8[2]", "f32[2] -> s8[<=2]"}},
       {Op::kConditional,
        {"u32[]", "f32[]", "f32[2]"},
        {},
        "! must be bool or int32_t; got u32[]",
        same},
       {Op::kConditional, {"pred[1]", "f32[]", "f32[2]"}, {}, "! must be a scalar", same},
       {Op::kConditional,
        {"pred[]", "f32[]"},
        {},
        "! requires 2 == branch_computations.size(); got 1",
        {same[0]}},
       {Op::kConditional,
        {"s32[]", "f32[]"},
        {},
        "! one operand for each of its 2 branches; got 1",
        same},
       {Op::kConditional, {"pred[]", "f32[]", "f32[]"}, {}, "! branch operand 1 must match", same},
       {Op::kConditional,
        {"pred[]", "f32[]", "f32[]"},
        {},
        "! must have the same shape",
        {"f32[] -> s8[2]", "f32[] -> s8[3]"}},
       {Op::kConditional, {}, {}, "! predicate or branch index"}});
}

TEST(ControlInference, FusionAndCustomCall) {
  const std::vector<std::string> fused = {"f32[2] -> f32[2]"};
  FusionAttributes aliased, bad_operand, bad_index;
  aliased.output_to_operand_aliasing = {{{}, 0, {}}};
  bad_operand.output_to_operand_aliasing = {{{}, 1, {}}};
  bad_index.output_to_operand_aliasing = {{{1}, 0, {}}};
  CustomCallAttributes constrained;
  constrained.operand_layout_constraints = {ShapeOf("f32[2,3]{0,1}")};
  // Constraints of this target may be of any shape, with a layout that there can be.
  CustomCallAttributes any = constrained, not_a_layout = constrained;
  any.custom_call_target = not_a_layout.custom_call_target = "LayoutConstraint";
  Shape impossible = ShapeOf("f32[2,3]");
  *impossible.mutable_layout() = LayoutUtil::MakeLayout({std::numeric_limits<int64_t>::min(), 1});
  not_a_layout.operand_layout_constraints = {impossible};
  ExpectInferred(
      {{Op::kFusion, {"f32[2]"}, aliased, "f32[2]", fused},
       {Op::kFusion, {"f32[3]"}, {}, "! Shape mismatch between parameter number 0", fused},
       {Op::kFusion, {"f32[2]"}, {}, "! not equal to the fusion shape (f32[3])", fused, "f32[3]"},
       {Op::kFusion, {}, {}, "! greater than the number of operands (0)", fused},
       {Op::kFusion,
        {"f32[2]"},
        bad_operand,
        "! Invalid aliasing operand index. There is no operand 1",
        fused},
       {Op::kFusion,
        {"f32[2]"},
        bad_index,
        "! Invalid aliasing output shape index. There is no {1}",
        fused},
       {Op::kCustomCall, {"f32[2]"}, {}, "(token[])", {}, "(token[])"},
       {Op::kCustomCall, {"f32[2]"}, {}, "! must be given"},
       {Op::kCustomCall, {"f32[2,3]"}, constrained, "f32[]", {}, "f32[]"},
       {Op::kCustomCall, {"f32[3,2]"}, constrained, "! but the operand is f32[3,2]", {}, "f32[]"},
       {Op::kCustomCall, {"f32[9]"}, any, "f32[]", {}, "f32[]"},
       {Op::kCustomCall, {"f32[9]"}, not_a_layout, "! out-of-bounds value", {}, "f32[]"},
       {Op::kCustomCall, {}, constrained, "! has 1 shapes for 0 operands", {}, "f32[]"}});
}

TEST(AsyncInference, StartAndDone) {
  const std::string async = "((f32[2]), s32[], u32[])";
  const std::vector<std::string> wrapped = {"f32[2] -> s32[]"};
  ExpectInferred(
      {{Op::kCopyStart, {"f32[2]"}, {}, "(f32[2], f32[2], u32[])"},
       {Op::kCopyDone, {"(f32[2],f32[2],u32[])"}, {}, "f32[2]"},
       {Op::kCopyDone, {"(f32[2],f32[3],u32[])"}, {}, "! need to be the same shape"},
       {Op::kCopyDone, {"f32[2]"}, {}, "! must be the tuple of a copy-start"},
       {Op::kAsyncStart, {"f32[2]"}, {}, async, wrapped, async},
       {Op::kAsyncStart, {"f32[2]"}, {}, "((f32[2]), s32[])", wrapped},
       {Op::kAsyncStart, {"f32[3]"}, {}, "! shape of operand 0 to match", wrapped, async},
       {Op::kAsyncStart, {"f32[2]"}, {}, "! index {1} to match", wrapped, "((f32[2]), s8[])"},
       {Op::kAsyncStart, {"f32[2]"}, {}, "! tuple of at least two elements", wrapped, "(f32[2])"},
       {Op::kAsyncUpdate, {async}, {}, async, {}, async},
       {Op::kAsyncDone, {async}, {}, "s32[]", {}, "s32[]"},
       {Op::kAsyncDone, {async}, {}, "! match the async shape at index {1}", {}, "s8[]"}});
}

TEST(EffectInference, TokensAndTransfers) {
  OutfeedAttributes other;
  other.outfeed_shape = ShapeOf("f32[3]");
  ExpectInferred(
      {{Op::kAfterAll, {"token[]", "token[]"}, {}, "token[]"},
       {Op::kAfterAll, {"f32[]", "token[]"}, {}, "token[]"},
       {Op::kAddDependency, {"f32[2]{0}", "token[]"}, {}, "f32[2]{0}"},
       {Op::kAddDependency, {"f32[2]", "f32[2]"}, {}, "! Expected operand 1"},
       {Op::kInfeed, {"token[]"}, {}, "(f32[2], token[])", {}, "(f32[2], token[])"},
       {Op::kInfeed, {"token[]"}, {}, "! tuple of the data and a token", {}, "f32[2]"},
       {Op::kOutfeed, {"f32[2]", "token[]"}, {}, "token[]"},
       {Op::kOutfeed, {"f32[2]", "token[]"}, other, "! actual shape is f32[3]"},
       {Op::kSend, {"f32[2]", "token[]"}, {}, "(f32[2], u32[], token[])"},
       {Op::kSendDone, {"(f32[2],u32[],token[])"}, {}, "token[]"},
       {Op::kSendDone, {"f32[2]"}, {}, "! must be the tuple of a send or recv"},
       {Op::kRecv, {"token[]"}, {}, "(f32[2], u32[], token[])", {}, "(f32[2], u32[], token[])"},
       {Op::kRecv, {"token[]"}, {}, "! tuple of data, u32[] and token", {}, "(f32[2], u32[])"},
       {Op::kRecvDone, {"(f32[2],u32[],token[])"}, {}, "(f32[2], token[])"}});
}

}  // namespace
}  // namespace xla
