// SPDX-License-Identifier: Apache-2.0
// What is inferred of values while a program is built: constants, bounds, dependence on parameters.
#include "xla/hlo/builder/value_inference.h"

#include <optional>
#include <string>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/dynamic_shaped_ops.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::RunProgram;

class Inference {
 public:
  XlaBuilder* b() { return &builder_; }
  XlaOp Scalar(int64_t number) {
    return Parameter(&builder_, number, ShapeUtil::MakeScalarShape(S32), absl::StrCat("s", number));
  }
  // s32[<=2,<=3,4].
  XlaOp Dynamic() {
    return Parameter(&builder_, 0, ShapeUtil::MakeShape(S32, {2, 3, 4}, {true, true, false}), "x");
  }
  // One character an element: 'd' where it is dynamic, else '.'.
  std::string Dynamism(XlaOp op) {
    const absl::StatusOr<Literal> mask = ValueInference(&builder_).AnalyzeIsDynamic(op);
    EXPECT_OK(mask);
    std::string text;
    if (!mask.ok()) return text;
    ShapeUtil::ForEachLeafShape(mask->shape(), [&](const Shape&, const ShapeIndex& index) {
      for (const bool dynamic : mask->data<bool>(index)) text += dynamic ? 'd' : '.';
    });
    return text;
  }
  // The elements, '?' where nothing is known.
  std::string Values(XlaOp op, ValueInferenceMode mode) {
    const absl::StatusOr<OptionalLiteral> known =
        ValueInference(&builder_).AnalyzeConstant(op, mode);
    EXPECT_OK(known);
    const Shape shape = builder_.GetShape(op).value();
    std::string text;
    if (!known.ok()) return text;
    ShapeUtil::ForEachIndexNoStatus(shape, [&](absl::Span<const int64_t> index) {
      const std::optional<int32_t> value = known->Get<int32_t>(index);
      absl::StrAppend(&text, text.empty() ? "" : " ", value ? absl::StrCat(*value) : "?");
      return true;
    });
    return text;
  }
  // "lower..upper".
  std::string Bounds(XlaOp op) {
    return absl::StrCat(Values(op, kLowerBound), "..", Values(op, kUpperBound));
  }

 private:
  XlaBuilder builder_{"inference"};
};

TEST(ValueInferenceTest, ConstantsAreKnownAndParametersAreNot) {
  Inference i;
  const XlaOp p = i.Scalar(0), c = ConstantR0<int32_t>(i.b(), 42);
  EXPECT_EQ(i.Dynamism(Tuple(i.b(), {c, p, Add(c, c), Add(p, c), Neg(p)})), ".d.dd");
  EXPECT_EQ(i.Values(Add(c, c), kValue), "84");
  EXPECT_EQ(i.Values(p, kUpperBound), "?");
  const XlaOp pair = ConcatScalars(i.b(), {c, p});
  EXPECT_EQ(i.Values(pair, kValue), "42 ?");
  EXPECT_EQ(i.Values(Rev(Broadcast(pair, {2}), {1}), kValue), "? 42 ? 42");
  EXPECT_EQ(i.Values(Slice(pair, {0}, {1}, {1}), kValue), "42");
  EXPECT_EQ(i.Values(Reduce(Broadcast(pair, {3}), c, CreateScalarAddComputation(S32, i.b()), {0}),
                     kValue),
            "168 ?");
}

TEST(ValueInferenceTest, TokensAndTuplesHaveMasks) {
  Inference i;
  const XlaOp p = Parameter(
      i.b(), 0,
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeTokenShape(), ShapeUtil::MakeShape(S32, {2})}),
      "p");
  EXPECT_EQ(i.Dynamism(p), "ddd");
  EXPECT_EQ(i.Dynamism(GetTupleElement(p, 1)), "dd");
}

TEST(ValueInferenceTest, SelectsByKnownPredicates) {
  Inference i;
  const XlaOp p = i.Scalar(0), c = ConstantR1<int32_t>(i.b(), {5, 7});
  const XlaOp unknown = Broadcast(p, {2});
  const XlaOp pred = ConstantR1<bool>(i.b(), {true, false});
  EXPECT_EQ(i.Values(Select(pred, c, unknown), kValue), "5 ?");
  const XlaOp half_known =
      ConcatInDim(i.b(), {ConstantR1<bool>(i.b(), {true}), Broadcast(Gt(p, p), {1})}, 0);
  EXPECT_EQ(i.Values(Select(half_known, c, c), kValue), "5 ?");
  EXPECT_EQ(i.Bounds(Select(half_known, c, Neg(c))), "5 -7..5 7");
}

TEST(ValueInferenceTest, IndicesMustBeKnown) {
  Inference i;
  const XlaOp p = i.Scalar(0);
  const XlaOp row =
      ConcatScalars(i.b(), {ConstantR0<int32_t>(i.b(), 1), p, ConstantR0<int32_t>(i.b(), 3)});
  const XlaOp two = ConstantR0<int32_t>(i.b(), 2), one = ConstantR0<int32_t>(i.b(), 1);
  EXPECT_EQ(i.Values(DynamicSlice(row, {two}, {1}), kValue), "3");
  EXPECT_EQ(i.Values(DynamicSlice(row, {one}, {2}), kValue), "? 3");
  EXPECT_EQ(i.Values(DynamicSlice(row, {p}, {1}), kValue), "?");
  EXPECT_EQ(i.Values(DynamicUpdateSlice(row, ConstantR1<int32_t>(i.b(), {9}), {one}), kValue),
            "1 9 3");
}

TEST(ValueInferenceTest, SizesHaveBounds) {
  Inference i;
  const XlaOp x = i.Dynamic();
  const XlaOp rows = GetDimensionSize(x, 0), columns = GetDimensionSize(x, 1);
  const XlaOp depth = GetDimensionSize(x, 2);
  EXPECT_EQ(i.Dynamism(Tuple(i.b(), {rows, depth})), "d.");
  EXPECT_EQ(i.Bounds(rows), "0..2");
  EXPECT_EQ(i.Values(depth, kValue), "4");
  EXPECT_EQ(i.Bounds(Sub(depth, rows)), "2..4");
  EXPECT_EQ(i.Bounds(Mul(rows, columns)), "0..6");
  EXPECT_EQ(i.Bounds(Mul(Neg(rows), columns)), "-6..0");
  EXPECT_EQ(i.Bounds(Div(depth, rows)), "2..4");  // 0 does not count
  EXPECT_EQ(i.Bounds(Max(rows, ConstantR0<int32_t>(i.b(), 1))), "1..2");
  EXPECT_EQ(i.Bounds(Abs(Sub(rows, ConstantR0<int32_t>(i.b(), 1)))), "0..1");
  EXPECT_EQ(i.Bounds(Rem(rows, columns)), "?..?");
  EXPECT_EQ(i.Bounds(ConvertElementType(Gt(columns, rows), S32)), "0..1");
}

TEST(ValueInferenceTest, EqualTermsCancel) {
  Inference i;
  const XlaOp x = i.Dynamic();
  const XlaOp rows = GetDimensionSize(x, 0), columns = GetDimensionSize(x, 1);
  const XlaOp difference = Sub(columns, rows);
  EXPECT_EQ(i.Bounds(Add(difference, rows)), "0..3");
  EXPECT_EQ(i.Bounds(Add(difference, GetDimensionSize(x, 0))), "0..3");
  EXPECT_EQ(i.Bounds(Add(difference, Add(columns, rows))), "0..6");
  EXPECT_EQ(i.Values(Sub(rows, rows), kValue), "0");
  // Through what moves elements, and multiples.
  const XlaOp moved = Reshape(Slice(Broadcast(rows, {1, 10}), {0, 3}, {1, 4}, {1, 1}), {});
  EXPECT_EQ(i.Bounds(Add(Sub(columns, moved), rows)), "0..3");
  const XlaOp three = ConstantR0<int32_t>(i.b(), 3);
  EXPECT_EQ(i.Bounds(Sub(Mul(rows, three), rows)), "0..4");
}

TEST(ValueInferenceTest, SortsHaveTheBoundsOfTheirElements) {
  Inference i;
  const XlaOp p = Parameter(i.b(), 0, ShapeUtil::MakeShape(S32, {3}), "p");
  const XlaOp sorted = Sort({p, Iota(i.b(), S32, 3)}, testing::ScalarLess(S32, {S32}));
  EXPECT_EQ(i.Bounds(GetTupleElement(sorted, 1)), "0 0 0..2 2 2");
  EXPECT_EQ(i.Bounds(GetTupleElement(sorted, 0)), "? ? ?..? ? ?");
  const XlaOp known = Sort({ConstantR1<int32_t>(i.b(), {3, 1, 2})}, testing::ScalarLess(S32));
  EXPECT_EQ(i.Values(known, kValue), "1 2 3");
}

XlaComputation Branch(const char* name, std::optional<int32_t> value) {
  XlaBuilder b(name);
  const XlaOp p = Parameter(&b, 0, ShapeUtil::MakeScalarShape(S32), "p");
  return b.Build(value.has_value() ? ConstantR0<int32_t>(&b, *value) : p).value();
}

TEST(ValueInferenceTest, LooksIntoCallsAndBranches) {
  Inference i;
  const XlaOp p = i.Scalar(0), c = ConstantR0<int32_t>(i.b(), 3);
  const XlaComputation identity = Branch("identity", std::nullopt), three = Branch("three", 3),
                       nine = Branch("nine", 9);
  EXPECT_EQ(i.Values(Call(i.b(), identity, {c}), kValue), "3");
  EXPECT_EQ(i.Values(Call(i.b(), identity, {p}), kValue), "?");
  const XlaOp unknown = Gt(p, c), yes = ConstantR0<bool>(i.b(), true);
  EXPECT_EQ(i.Values(Conditional(yes, c, three, p, identity), kValue), "3");
  EXPECT_EQ(i.Values(Conditional(Not(yes), c, three, p, identity), kValue), "?");
  EXPECT_EQ(i.Values(Conditional(unknown, c, three, c, identity), kValue), "3");
  EXPECT_EQ(i.Values(Conditional(unknown, c, three, c, nine), kValue), "?");
  EXPECT_EQ(i.Bounds(Conditional(unknown, c, three, c, nine)), "3..9");
}

TEST(ValueInferenceTest, SetBoundSaysWhatIsKnown) {
  Inference i;
  const XlaOp p = i.Scalar(0);
  for (const bool is_dynamic : {false, true}) {
    const Literal bound = LiteralUtil::MakeTupleFromSlices(
        {LiteralUtil::CreateR0<int32_t>(32), LiteralUtil::CreateR0<bool>(is_dynamic)});
    const XlaOp op =
        CustomCall(i.b(), "SetBound", {p}, ShapeUtil::MakeScalarShape(S32), "", false, {}, &bound);
    EXPECT_EQ(i.Values(op, kValue), is_dynamic ? "?" : "32");
    EXPECT_EQ(i.Bounds(op), "?..32");
  }
}

TEST(ValueInferenceTest, SetBoundWithoutABoundIsItsOperand) {
  Inference i;
  const XlaOp three = ConstantR0<int32_t>(i.b(), 3);
  const Literal single = LiteralUtil::CreateR0<int32_t>(32);
  const Literal alone = LiteralUtil::MakeTupleFromSlices({LiteralUtil::CreateR0<int32_t>(32)});
  for (const Literal* literal : {static_cast<const Literal*>(nullptr), &single, &alone}) {
    const XlaOp op = CustomCall(i.b(), "SetBound", {three}, ShapeUtil::MakeScalarShape(S32), "",
                                false, {}, literal);
    EXPECT_EQ(i.Values(op, kValue), "3");
    EXPECT_EQ(i.Bounds(op), "3..3");
  }
  const Literal bound = LiteralUtil::MakeTupleFromSlices(
      {LiteralUtil::CreateR0<int32_t>(32), LiteralUtil::CreateR0<bool>(false)});
  const XlaOp other = CustomCall(i.b(), "Sharding", {three}, ShapeUtil::MakeScalarShape(S32), "",
                                 false, {}, &bound);
  EXPECT_EQ(i.Values(other, kValue), "3");
}

TEST(ValueInferenceTest, RandomNumbersAndLoopsAreUnknown) {
  Inference i;
  const XlaOp one = ConstantR0<int32_t>(i.b(), 1), nine = ConstantR0<int32_t>(i.b(), 9);
  EXPECT_EQ(i.Dynamism(RngUniform(one, nine, ShapeUtil::MakeShape(S32, {2}))), "dd");
  XlaBuilder never("never");
  Parameter(&never, 0, ShapeUtil::MakeScalarShape(S32), "p");
  const XlaOp forever = ConstantR0<bool>(&never, true);
  EXPECT_EQ(i.Dynamism(While(never.Build(forever).value(), Branch("same", std::nullopt), one)),
            "d");
}

// --- Operations on sizes

TEST(DynamicShapedOpsTest, SizesGetTheirBounds) {
  XlaBuilder b("sizes");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {10, 8}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {4}, {true}), "y");
  ValueInference inference(&b);
  ASSERT_OK_AND_ASSIGN(const XlaOp cut,
                       SetDimensionSizeWithRebound(&inference, x, GetDimensionSize(y, 0), 0));
  EXPECT_EQ(b.GetShape(cut)->ToString(), "f32[<=4,8]");
  const XlaOp sizes = ConcatScalars(&b, {GetDimensionSize(y, 0), ConstantR0<int32_t>(&b, 8)});
  ASSERT_OK_AND_ASSIGN(const XlaOp sized, SetAllDimensionSizes(&inference, x, sizes));
  EXPECT_EQ(b.GetShape(sized)->ToString(), "f32[<=10,8]");
}

TEST(DynamicShapedOpsTest, BranchesMayDifferInSizes) {
  for (const bool taken : {false, true}) {
    XlaBuilder few("few"), many("many"), b("conditional");
    Parameter(&few, 0, ShapeUtil::MakeNil(), "p");
    Tuple(&few, {ConstantR1<int32_t>(&few, {1, 2}), ConstantR0<int32_t>(&few, 5)});
    Parameter(&many, 0, ShapeUtil::MakeNil(), "p");
    Tuple(&many, {ConstantR1<int32_t>(&many, {3, 4, 5}), ConstantR0<int32_t>(&many, 6)});
    const XlaOp nil = Tuple(&b, {});
    const XlaOp result = DynamicConditional(&b, ConstantR0<bool>(&b, taken), nil,
                                            few.Build().value(), nil, many.Build().value());
    EXPECT_EQ(b.GetShape(result)->ToString(), "(s32[<=3], s32[])");
    GetTupleElement(result, 0);
    ASSERT_OK_AND_ASSIGN(const Literal value, RunProgram(&b));
    EXPECT_EQ(value.ToStatic(), taken ? LiteralUtil::CreateR1<int32_t>({1, 2})
                                      : LiteralUtil::CreateR1<int32_t>({3, 4, 5}));
  }
}

}  // namespace
}  // namespace xla
