// SPDX-License-Identifier: Apache-2.0
// Shape inference of elementwise operations, parameters, constants and iota.
#include <map>
#include <set>

#include "tests/infer/infer_test_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using testing::ShapeOf;
using Op = HloOpcode;

const std::set<std::string> kFloats = {"f16",      "bf16",       "f32",           "f64",
                                       "f8e3m4",   "f8e4m3",     "f8e4m3fn",      "f8e4m3fnuz",
                                       "f8e5m2",   "f8e5m2fnuz", "f8e4m3b11fnuz", "f8e8m0fnu",
                                       "f6e2m3fn", "f6e3m2fn",   "f4e2m1fn"};
const std::set<std::string> kSigned = {"s1", "s2", "s4", "s8", "s16", "s32", "s64"};
const std::set<std::string> kUnsigned = {"u1", "u2", "u4", "u8", "u16", "u32", "u64"};
const std::set<std::string> kComplex = {"c64", "c128"};
const std::set<std::string> kPred = {"pred"};

std::set<std::string> Union(std::initializer_list<std::set<std::string>> sets) {
  std::set<std::string> all;
  for (const auto& set : sets) all.insert(set.begin(), set.end());
  return all;
}

const std::set<std::string> kAll = Union({kFloats, kSigned, kUnsigned, kComplex, kPred});

// Which element types an operation takes: all others are errors, these keep their shape and layout.
void ExpectTypes(Op opcode, const std::set<std::string>& accepted,
                 const std::map<std::string, std::string>& changed = {}) {
  const int arity = GetOpInfo(opcode).arity;
  for (const std::string& type : kAll) {
    const std::vector<std::string> operands(arity, type + "[2,<=3]{0,1}");
    const auto change = changed.find(type);
    const std::string result = (change == changed.end() ? type : change->second) + "[2,<=3]{0,1}";
    ExpectInferred(
        {opcode, operands, NoAttributes{}, accepted.contains(type) ? result : "! xpected"});
  }
}

TEST(ElementwiseInference, UnaryOperationsTakeTheirTypes) {
  for (const Op op :
       {Op::kCbrt, Op::kCeil, Op::kErf, Op::kFloor, Op::kRoundNearestAfz, Op::kRoundNearestEven}) {
    ExpectTypes(op, kFloats);
  }
  for (const Op op : {Op::kAcos, Op::kAcosh, Op::kAsin, Op::kAsinh, Op::kAtanh, Op::kCos, Op::kCosh,
                      Op::kExp, Op::kExpm1, Op::kLog, Op::kLog1p, Op::kLogistic, Op::kRsqrt,
                      Op::kSin, Op::kSinh, Op::kSqrt, Op::kTan, Op::kTanh}) {
    ExpectTypes(op, Union({kFloats, kComplex}));
  }
  ExpectTypes(Op::kClz, Union({kSigned, kUnsigned}));
  ExpectTypes(Op::kPopulationCount, Union({kSigned, kUnsigned}));
  ExpectTypes(Op::kNegate, Union({kFloats, kComplex, kSigned, kUnsigned}));
  ExpectTypes(Op::kNot, Union({kPred, kSigned, kUnsigned}));
  ExpectTypes(Op::kSign, Union({kFloats, kComplex, kSigned}));
  ExpectTypes(Op::kCopy, kAll);
}

TEST(ElementwiseInference, PartsOfComplexNumbersAreReal) {
  const std::map<std::string, std::string> parts = {{"c64", "f32"}, {"c128", "f64"}};
  ExpectTypes(Op::kAbs, Union({kFloats, kComplex, kSigned}), parts);
  ExpectTypes(Op::kReal, Union({kFloats, kComplex}), parts);
  ExpectTypes(Op::kImag, Union({kFloats, kComplex}), parts);
}

TEST(ElementwiseInference, BinaryOperationsTakeTheirTypes) {
  for (const Op op : {Op::kAdd, Op::kMaximum, Op::kMinimum, Op::kMulhi, Op::kMultiply})
    ExpectTypes(op, kAll);
  for (const Op op : {Op::kDivide, Op::kPower, Op::kRemainder, Op::kShiftLeft,
                      Op::kShiftRightArithmetic, Op::kShiftRightLogical, Op::kSubtract}) {
    ExpectTypes(op, Union({kFloats, kComplex, kSigned, kUnsigned}));
  }
  for (const Op op : {Op::kAnd, Op::kOr, Op::kXor})
    ExpectTypes(op, Union({kPred, kSigned, kUnsigned}));
  ExpectTypes(Op::kAtan2, Union({kFloats, kComplex}));
}

TEST(ElementwiseInference, ResultsOfPredicates) {
  ExpectInferred(
      {{Op::kIsFinite, {"f32[2,3]{0,1}"}, {}, "pred[2,3]{0,1}"},
       {Op::kIsFinite, {"s32[2]"}, {}, "! floating point for is-finite operation; got S32"},
       {Op::kCompare, {"s8[2]", "s8[2]"}, {}, "pred[2]"},
       {Op::kCompare, {"c64[2]", "c64[2]"}, {}, "pred[2]"},
       {Op::kComplex, {"f64[2]", "f64[2]"}, {}, "c128[2]"}});
}

TEST(ElementwiseInference, InstructionsDoNotBroadcast) {
  ExpectInferred(
      {{Op::kAdd, {"f32[2,3]", "f32[2,3]"}, {}, "f32[2,3]"},
       {Op::kAdd, {"f32[1,3]", "f32[2,3]"}, {}, "! Implicit broadcast is not allowed in HLO"},
       {Op::kAdd, {"f32[]", "f32[2,3]"}, {}, "! Implicit broadcast is not allowed in HLO"},
       {Op::kAdd, {"f32[3]", "f32[2,3]"}, {}, "! Shapes must be equal rank"},
       {Op::kAdd, {"f32[2]", "f32[3]"}, {}, "! incompatible shapes: f32[2] and f32[3]"},
       {Op::kAdd, {"f32[?]", "f32[<=3]"}, {}, "f32[<=3]"},
       {Op::kAdd, {"f32[2]", "bf16[2]"}, {}, "f32[2]"},
       {Op::kAdd, {"f32[2]", "s32[2]"}, {}, "! different element types"},
       {Op::kAdd,
        {"(f32[2])", "f32[2]"},
        {},
        "! Expected array argument for lhs of binary operation add"},
       {Op::kAdd,
        {"f32[2]", "token[]"},
        {},
        "! Expected array argument for rhs of binary operation add"},
       {Op::kAdd, {"f32[2]"}, {}, "! Expected 2 operands for add, but saw 1"}});
}

TEST(ElementwiseInference, SelectFollowsThePredicatesLayout) {
  ExpectInferred(
      {{Op::kSelect, {"pred[2,3]", "f32[2,3]{0,1}", "f32[2,3]{0,1}"}, {}, "f32[2,3]{1,0}"},
       {Op::kSelect, {"pred[]", "f32[2,3]{0,1}", "f32[2,3]"}, {}, "f32[2,3]{0,1}"},
       {Op::kSelect, {"pred[2,<=4]", "f32[2,?]", "f32[2,4]"}, {}, "f32[2,<=4]"},
       {Op::kSelect, {"s8[2]", "f32[2]", "f32[2]"}, {}, "! must have PRED element type"},
       {Op::kSelect,
        {"pred[]", "(f32[2])", "(f32[2])"},
        {},
        "! Expected array argument for select on-true"},
       {Op::kClamp, {"f32[]", "f32[2,3]{0,1}", "f32[]"}, {}, "f32[2,3]{0,1}"},
       {Op::kClamp, {"s32[]", "f32[2]", "f32[]"}, {}, "! Clamp with incompatible element types"}});
}

TEST(ElementwiseInference, ConversionsCheckTheDeclaredResult) {
  ExpectInferred(
      {{Op::kConvert, {"f32[2,3]"}, {}, "s8[2,3]{0,1}", {}, "s8[2,3]{0,1}"},
       {Op::kConvert,
        {"f32[2,3]"},
        {},
        "! Expected instruction to have shape equal to s8[2,3]",
        {},
        "s8[3,2]"},
       {Op::kConvert, {"f32[2]"}, {}, "! must be given"},
       {Op::kConvert, {"token[]"}, {}, "! does not allow non-arrays", {}, "f32[]"},
       {Op::kBitcastConvert, {"f32[2]"}, {}, "u8[2,4]", {}, "u8[2,4]"},
       {Op::kBitcastConvert, {"s4[3,8]"}, {}, "f32[3]", {}, "f32[3]"},
       {Op::kBitcastConvert, {"f64[]"}, {}, "pred[8]", {}, "pred[8]"},
       {Op::kBitcastConvert, {"u8[2,3]"}, {}, "! not equal to ratio of bit-widths=4", {}, "f32[2]"},
       {Op::kBitcastConvert, {"u8[]"}, {}, "! A scalar cannot be bitcast to wider", {}, "f32[]"},
       {Op::kBitcastConvert, {"f32[2]"}, {}, "! between complex and real", {}, "c64[1]"},
       {Op::kBitcastConvert, {"f6e2m3fn[4]"}, {}, "! undivisible bit-widths", {}, "u8[3]"},
       {Op::kStochasticConvert, {"f32[2]", "u32[2]"}, {}, "bf16[2]", {}, "bf16[2]"},
       {Op::kStochasticConvert, {"f32[2]", "u16[2]"}, {}, "! same bits", {}, "bf16[2]"},
       {Op::kStochasticConvert,
        {"f32[2]", "s32[2]"},
        {},
        "! must be unsigned integers",
        {},
        "bf16[2]"}});
}

TEST(ElementwiseInference, ReducePrecision) {
  ExpectInferred(
      {{Op::kReducePrecision, {"f32[2]"}, ReducePrecisionAttributes{5, 10}, "f32[2]"},
       {Op::kReducePrecision,
        {"f32[2]"},
        ReducePrecisionAttributes{0, 10},
        "! exponent_bits >= 1; got 0"},
       {Op::kReducePrecision,
        {"f32[2]"},
        ReducePrecisionAttributes{5, -1},
        "! non-negative mantissa_bits"},
       {Op::kReducePrecision, {"s32[2]"}, ReducePrecisionAttributes{5, 10}, "! floating point"}});
}

TEST(LeafInference, IotaNeedsAnArrayWithThatDimension) {
  ExpectInferred(
      {{Op::kIota, {}, IotaAttributes{1}, "s32[2,3]{0,1}", {}, "s32[2,3]{0,1}"},
       {Op::kIota, {}, IotaAttributes{2}, "! cannot go beyond the operation rank", {}, "s32[2,3]"},
       {Op::kIota, {}, IotaAttributes{0}, "! does not support scalars", {}, "s32[]"},
       {Op::kIota, {}, IotaAttributes{0}, "! got PRED", {}, "pred[2]"},
       {Op::kIota, {}, IotaAttributes{0}, "! must be given"},
       {Op::kIota, {}, IotaAttributes{0}, "! non-array result", {}, "(s32[2])"}});
}

TEST(LeafInference, ConstantsHaveTheirLiteralsShape) {
  const LiteralRef literal{std::make_shared<Literal>(LiteralUtil::CreateR1<float>({1, 2}))};
  ExpectInferred(
      {{Op::kConstant, {}, ConstantAttributes{literal}, "f32[2]"},
       {Op::kConstant, {}, ConstantAttributes{literal}, "f32[2]", {}, "f32[2]"},
       {Op::kConstant, {}, ConstantAttributes{literal}, "! actual shape is f32[3]", {}, "f32[3]"},
       {Op::kConstant, {}, ConstantAttributes{}, "! required to have a valid literal"},
       {Op::kParameter, {}, ParameterAttributes{0}, "(f32[2], token[])", {}, "(f32[2], token[])"},
       {Op::kParameter, {}, ParameterAttributes{-1}, "! must be >= 0", {}, "f32[]"}});
}

TEST(ElementwiseInference, WrongAttributesAreAnError) {
  ExpectInferred(
      {{Op::kIota, {}, DotAttributes{}, "! attributes given are not those of iota", {}, "s32[2]"},
       {Op::kAdd,
        {"f32[]", "f32[]"},
        {},
        "! Expected 0 called computations for add",
        {"f32[] -> f32[]"}}});
}

}  // namespace
}  // namespace xla
