// SPDX-License-Identifier: Apache-2.0
// Every operation of the client API: what instructions a call becomes. Each program is verified.
#include <string>

#include "absl/strings/match.h"
#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::Body;
using testing::ScalarAdd;
using testing::ScalarLess;

Shape S(PrimitiveType type, std::vector<int64_t> sizes = {}) {
  return ShapeUtil::MakeShape(type, sizes);
}

// Parameters a, b, c, ... of these shapes.
template <typename Make>
std::string Text(std::vector<Shape> shapes, Make make) {
  XlaBuilder b("test");
  std::vector<XlaOp> p;
  for (size_t i = 0; i < shapes.size(); ++i) {
    p.push_back(Parameter(&b, static_cast<int64_t>(i), shapes[i], std::string(1, 'a' + i)));
  }
  make(&b, p);
  return Body(&b);
}

#define EXPECT_TEXT(shapes, make, text)                                                            \
  EXPECT_EQ(                                                                                       \
      Text(std::vector<Shape> shapes, []([[maybe_unused]] XlaBuilder* b,                           \
                                         [[maybe_unused]] const std::vector<XlaOp>& p) { make; }), \
      text)

const Shape kF = S(F32, {2});
const Shape kI = S(S32, {2});

TEST(OperationsTest, Unary) {
  EXPECT_TEXT(({kF}), Abs(p[0]), "ROOT abs = f32[2] abs(a)");
  EXPECT_TEXT(({S(C64, {2})}), Abs(p[0]), "ROOT abs = f32[2] abs(a)");
  EXPECT_TEXT(({kF}), Acos(p[0]), "ROOT acos = f32[2] acos(a)");
  EXPECT_TEXT(({kF}), Acosh(p[0]), "ROOT acosh = f32[2] acosh(a)");
  EXPECT_TEXT(({kF}), Asin(p[0]), "ROOT asin = f32[2] asin(a)");
  EXPECT_TEXT(({kF}), Asinh(p[0]), "ROOT asinh = f32[2] asinh(a)");
  EXPECT_TEXT(({kF}), Atanh(p[0]), "ROOT atanh = f32[2] atanh(a)");
  EXPECT_TEXT(({kF}), Cbrt(p[0]), "ROOT cbrt = f32[2] cbrt(a)");
  EXPECT_TEXT(({kF}), Ceil(p[0]), "ROOT ceil = f32[2] ceil(a)");
  EXPECT_TEXT(({kI}), Clz(p[0]), "ROOT count-leading-zeros = s32[2] count-leading-zeros(a)");
  EXPECT_TEXT(({kF}), Copy(p[0]), "ROOT copy = f32[2] copy(a)");
  EXPECT_TEXT(({kF}), Cos(p[0]), "ROOT cosine = f32[2] cosine(a)");
  EXPECT_TEXT(({kF}), Cosh(p[0]), "ROOT cosh = f32[2] cosh(a)");
  EXPECT_TEXT(({kF}), Erf(p[0]), "ROOT erf = f32[2] erf(a)");
  EXPECT_TEXT(({kF}), Exp(p[0]), "ROOT exponential = f32[2] exponential(a)");
  EXPECT_TEXT(({kF}), Expm1(p[0]), "ROOT exponential-minus-one = f32[2] exponential-minus-one(a)");
  EXPECT_TEXT(({kF}), Floor(p[0]), "ROOT floor = f32[2] floor(a)");
  EXPECT_TEXT(({S(C64, {2})}), Imag(p[0]), "ROOT imag = f32[2] imag(a)");
  EXPECT_TEXT(({kF}), IsFinite(p[0]), "ROOT is-finite = pred[2] is-finite(a)");
  EXPECT_TEXT(({kF}), Log(p[0]), "ROOT log = f32[2] log(a)");
  EXPECT_TEXT(({kF}), Log1p(p[0]), "ROOT log-plus-one = f32[2] log-plus-one(a)");
  EXPECT_TEXT(({kF}), Logistic(p[0]), "ROOT logistic = f32[2] logistic(a)");
  EXPECT_TEXT(({kF}), Neg(p[0]), "ROOT negate = f32[2] negate(a)");
  EXPECT_TEXT(({kF}), -p[0], "ROOT negate = f32[2] negate(a)");
  EXPECT_TEXT(({kI}), Not(p[0]), "ROOT not = s32[2] not(a)");
  EXPECT_TEXT(({kI}), ~p[0], "ROOT not = s32[2] not(a)");
  EXPECT_TEXT(({kI}), PopulationCount(p[0]), "ROOT popcnt = s32[2] popcnt(a)");
  EXPECT_TEXT(({S(C64, {2})}), Real(p[0]), "ROOT real = f32[2] real(a)");
  EXPECT_TEXT(({kF}), Round(p[0]), "ROOT round-nearest-afz = f32[2] round-nearest-afz(a)");
  EXPECT_TEXT(({kF}), RoundNearestAfz(p[0]),
              "ROOT round-nearest-afz = f32[2] round-nearest-afz(a)");
  EXPECT_TEXT(({kF}), RoundNearestEven(p[0]),
              "ROOT round-nearest-even = f32[2] round-nearest-even(a)");
  EXPECT_TEXT(({kF}), Rsqrt(p[0]), "ROOT rsqrt = f32[2] rsqrt(a)");
  EXPECT_TEXT(({kF}), Sign(p[0]), "ROOT sign = f32[2] sign(a)");
  EXPECT_TEXT(({kF}), Sin(p[0]), "ROOT sine = f32[2] sine(a)");
  EXPECT_TEXT(({kF}), Sinh(p[0]), "ROOT sinh = f32[2] sinh(a)");
  EXPECT_TEXT(({kF}), Sqrt(p[0]), "ROOT sqrt = f32[2] sqrt(a)");
  EXPECT_TEXT(({kF}), Tan(p[0]), "ROOT tan = f32[2] tan(a)");
  EXPECT_TEXT(({kF}), Tanh(p[0]), "ROOT tanh = f32[2] tanh(a)");
}

TEST(OperationsTest, ResultAccuracy) {
  EXPECT_TEXT(({kF}),
              {
                ResultAccuracy accuracy;
                accuracy.set_mode(ResultAccuracy::HIGHEST);
                Exp(p[0], accuracy);
              },
              "ROOT exponential = f32[2] exponential(a), result_accuracy={mode=highest}");
  EXPECT_TEXT(({kF}),
              {
                ResultAccuracy accuracy;
                accuracy.mutable_tolerance()->set_ulps(2);
                Tanh(p[0], accuracy);
              },
              "ROOT tanh = f32[2] tanh(a), result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}");
  XlaBuilder b("test");
  ResultAccuracy accuracy;
  accuracy.mutable_tolerance()->set_ulps(-1);
  Exp(Parameter(&b, 0, kF, "x"), accuracy);
  EXPECT_ERROR(b.Build(), "Exp: The tolerances of result_accuracy must not be negative");
}

TEST(OperationsTest, Conversions) {
  EXPECT_TEXT(({kF}), ConvertElementType(p[0], S8), "ROOT convert = s8[2] convert(a)");
  EXPECT_TEXT(({S(C64, {2})}), ConvertElementType(p[0], F32),
              "real = f32[2] real(a)\nROOT convert = f32[2] convert(real)");
  EXPECT_TEXT(({kF}), BitcastConvertType(p[0], S32),
              "ROOT bitcast-convert = s32[2] bitcast-convert(a)");
  EXPECT_TEXT(({kF}), BitcastConvertType(p[0], U8),
              "ROOT bitcast-convert = u8[2,4] bitcast-convert(a)");
  EXPECT_TEXT(({S(U8, {2, 4})}), BitcastConvertType(p[0], F32),
              "ROOT bitcast-convert = f32[2] bitcast-convert(a)");
  EXPECT_TEXT(({kF, S(U32, {2})}), StochasticConvertType(p[0], p[1], BF16),
              "ROOT stochastic-convert = bf16[2] stochastic-convert(a, b)");
  EXPECT_TEXT(({kF}), ReducePrecision(p[0], 5, 10),
              "ROOT reduce-precision = f32[2] reduce-precision(a), exponent_bits=5, "
              "mantissa_bits=10");
  EXPECT_TEXT(({S(C64, {2})}), Conj(p[0]),
              "real = f32[2] real(a)\nimag = f32[2] imag(a)\nnegate = f32[2] negate(imag)\n"
              "ROOT complex = c64[2] complex(real, negate)");
}

TEST(OperationsTest, Binary) {
  EXPECT_TEXT(({kF, kF}), p[0] + p[1], "ROOT add = f32[2] add(a, b)");
  EXPECT_TEXT(({kF, kF}), p[0] - p[1], "ROOT subtract = f32[2] subtract(a, b)");
  EXPECT_TEXT(({kF, kF}), p[0] * p[1], "ROOT multiply = f32[2] multiply(a, b)");
  EXPECT_TEXT(({kF, kF}), p[0] / p[1], "ROOT divide = f32[2] divide(a, b)");
  EXPECT_TEXT(({kF, kF}), p[0] % p[1], "ROOT remainder = f32[2] remainder(a, b)");
  EXPECT_TEXT(({kI, kI}), p[0] & p[1], "ROOT and = s32[2] and(a, b)");
  EXPECT_TEXT(({kI, kI}), p[0] | p[1], "ROOT or = s32[2] or(a, b)");
  EXPECT_TEXT(({kI, kI}), p[0] ^ p[1], "ROOT xor = s32[2] xor(a, b)");
  EXPECT_TEXT(({kI, kI}), p[0] << p[1], "ROOT shift-left = s32[2] shift-left(a, b)");
  EXPECT_TEXT(({kI, kI}), p[0] >> p[1],
              "ROOT shift-right-arithmetic = s32[2] shift-right-arithmetic(a, b)");
  EXPECT_TEXT(({S(U32), S(U32)}), p[0] >> p[1],
              "ROOT shift-right-logical = u32[] shift-right-logical(a, b)");
  EXPECT_TEXT(({kF, kF}), Atan2(p[0], p[1]), "ROOT atan2 = f32[2] atan2(a, b)");
  EXPECT_TEXT(({kF, kF}), Complex(p[0], p[1]), "ROOT complex = c64[2] complex(a, b)");
  EXPECT_TEXT(({kF, kF}), Max(p[0], p[1]), "ROOT maximum = f32[2] maximum(a, b)");
  EXPECT_TEXT(({kF, kF}), Min(p[0], p[1]), "ROOT minimum = f32[2] minimum(a, b)");
  EXPECT_TEXT(({kI, kI}), Mulhi(p[0], p[1]), "ROOT mulhi = s32[2] mulhi(a, b)");
  EXPECT_TEXT(({kF, kF}), Pow(p[0], p[1]), "ROOT power = f32[2] power(a, b)");
  EXPECT_TEXT(({kI, kI, kI}), And(p[0], p[1], p[2]),
              "and = s32[2] and(b, c)\nROOT and.1 = s32[2] and(a, and)");
  EXPECT_TEXT(({kI, kI, kI}), Or(p[0], p[1], p[2], p[0]),
              "or = s32[2] or(c, a)\nor.1 = s32[2] or(b, or)\nROOT or.2 = s32[2] or(a, or.1)");
}

TEST(OperationsTest, Comparisons) {
  EXPECT_TEXT(({kF, kF}), Eq(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=EQ");
  EXPECT_TEXT(({kF, kF}), Ne(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=NE");
  EXPECT_TEXT(({kF, kF}), Ge(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=GE");
  EXPECT_TEXT(({kF, kF}), Gt(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=GT");
  EXPECT_TEXT(({kF, kF}), Le(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=LE");
  EXPECT_TEXT(({kI, kI}), Lt(p[0], p[1]), "ROOT compare = pred[2] compare(a, b), direction=LT");
  EXPECT_TEXT(({kF, kF}), LtTotalOrder(p[0], p[1]),
              "ROOT compare = pred[2] compare(a, b), direction=LT, type=TOTALORDER");
  EXPECT_TEXT(({kI, kI}), GtTotalOrder(p[0], p[1]),
              "ROOT compare = pred[2] compare(a, b), direction=GT");
  EXPECT_TEXT(({kF, kF}),
              Compare(p[0], p[1], {}, ComparisonDirection::kEq, Comparison::Type::kFloatTotalOrder),
              "ROOT compare = pred[2] compare(a, b), direction=EQ, type=TOTALORDER");
  EXPECT_TEXT(({kF, kF}), Compare(p[0], p[1], ComparisonDirection::kNe),
              "ROOT compare = pred[2] compare(a, b), direction=NE");
}

TEST(OperationsTest, ShiftsAndTestsNeedTheirTypes) {
  XlaBuilder b("b");
  const XlaOp real = ConstantR0<float>(&b, 1);
  EXPECT_ERROR((real >> real).builder()->Build(),
               "Argument to >> operator does not have an integral type (f32[])");
  XlaBuilder c("c");
  IsInf(Complex(ConstantR0<float>(&c, 1), ConstantR0<float>(&c, 1)));
  EXPECT_FALSE(c.Build().ok());
}

TEST(OperationsTest, Ternary) {
  EXPECT_TEXT(({S(PRED, {2}), kF, kF}), Select(p[0], p[1], p[2]),
              "ROOT select = f32[2] select(a, b, c)");
  EXPECT_TEXT(({kF, kF, kF}), Clamp(p[0], p[1], p[2]), "ROOT clamp = f32[2] clamp(a, b, c)");
  EXPECT_TEXT(({S(PRED), ShapeUtil::MakeTupleShape({kF, kI}), ShapeUtil::MakeTupleShape({kF, kI})}),
              Select(p[0], p[1], p[2]),
              "ROOT conditional = (f32[2], s32[2]) conditional(a, b, c), "
              "true_computation=select_branch, false_computation=select_branch.1");
}

TEST(OperationsTest, Leaves) {
  EXPECT_TEXT(({}), Iota(b, S(F32, {2, 3}), 1), "ROOT iota = f32[2,3] iota(), iota_dimension=1");
  EXPECT_TEXT(({}), Iota(b, U32, 5), "ROOT iota = u32[5] iota(), iota_dimension=0");
  EXPECT_TEXT(({}), Parameter(b, 0, ShapeUtil::MakeTupleShape({kF, kF}), "t", {true, false}),
              "ROOT t = (f32[2], f32[2]) parameter(0), parameter_replication={true,false}");
}

TEST(OperationsTest, Reshapes) {
  EXPECT_TEXT(({S(F32, {2, 6})}), Reshape(p[0], {3, 4}), "ROOT reshape = f32[3,4] reshape(a)");
  EXPECT_TEXT(({S(F32, {2, 6})}), Reshape(S(F32, {12}), p[0]), "ROOT reshape = f32[12] reshape(a)");
  EXPECT_TEXT(({S(F32, {2, 6})}), ReshapeWithInferredDimension(p[0], {3, 4}, 1),
              "ROOT reshape = f32[3,4] reshape(a), inferred_dimension=1");
  EXPECT_TEXT(({S(F32, {2, 3, 4})}), Collapse(p[0], {0, 1}), "ROOT reshape = f32[6,4] reshape(a)");
  EXPECT_TEXT(({S(F32, {2, 3, 4})}), Collapse(p[0], {1}), "ROOT a = f32[2,3,4] parameter(0)");
  EXPECT_TEXT(({S(F32, {12}), S(S32), S(S32)}),
              DynamicReshape(p[0], {p[1], p[2]}, {3, 4}, {true, false}),
              "ROOT dynamic-reshape = f32[<=3,4] dynamic-reshape(a, b, c)");
  EXPECT_TEXT(({ShapeUtil::MakeShape(F32, {4, 3}, {true, false})}), Reshape(p[0], {4, 3, 1}),
              "ROOT reshape = f32[<=4,3,1] reshape(a)");
}

TEST(OperationsTest, MovingAndCutting) {
  const Shape m = S(F32, {2, 3});
  EXPECT_EQ(Text({m},
                 [](auto*, auto& p) {
                   Transpose(p[0], {1, 0});
                 }),
            "ROOT transpose = f32[3,2] transpose(a), dimensions={1,0}");
  EXPECT_EQ(Text({m}, [](auto*, auto& p) { Rev(p[0], {1}); }),
            "ROOT reverse = f32[2,3] reverse(a), dimensions={1}");
  EXPECT_EQ(Text({m, S(F32)},
                 [](auto*, auto& p) {
                   PaddingConfig config;
                   for (int i = 0; i < 2; ++i) {
                     auto* dimension = config.add_dimensions();
                     dimension->set_edge_padding_low(i);
                     dimension->set_edge_padding_high(-1);
                     dimension->set_interior_padding(i);
                   }
                   Pad(p[0], p[1], config);
                 }),
            "ROOT pad = f32[1,5] pad(a, b), padding=0_-1_0x1_-1_1");
  EXPECT_EQ(Text({m, S(F32)}, [](auto*, auto& p) { PadInDim(p[0], p[1], 1, 2, 3); }),
            "ROOT pad = f32[2,8] pad(a, b), padding=0_0x2_3");
  EXPECT_EQ(Text({m, m},
                 [](auto* b, auto& p) {
                   ConcatInDim(b, {p[0], p[1]}, 1);
                 }),
            "ROOT concatenate = f32[2,6] concatenate(a, b), dimensions={1}");
  EXPECT_EQ(Text({m},
                 [](auto*, auto& p) {
                   Slice(p[0], {0, 0}, {2, 3}, {1, 2});
                 }),
            "ROOT slice = f32[2,2] slice(a), slice={[0:2:1], [0:3:2]}");
  EXPECT_EQ(Text({m}, [](auto*, auto& p) { SliceInDim(p[0], 1, 2, 1, 0); }),
            "ROOT slice = f32[1,3] slice(a), slice={[1:2], [0:3]}");
  EXPECT_EQ(Text({m, S(S32), S(S32)},
                 [](auto*, auto& p) {
                   DynamicSlice(p[0], {p[1], p[2]}, {1, 2});
                 }),
            "ROOT dynamic-slice = f32[1,2] dynamic-slice(a, b, c), dynamic_slice_sizes={1,2}");
  EXPECT_EQ(Text({m, S(F32, {1, 1}), S(S32), S(S32)},
                 [](auto*, auto& p) {
                   DynamicUpdateSlice(p[0], p[1], {p[2], p[3]});
                 }),
            "ROOT dynamic-update-slice = f32[2,3] dynamic-update-slice(a, b, c, d)");
}

TEST(OperationsTest, GatherAndScatter) {
  EXPECT_EQ(Text({S(F32, {4, 3}), S(S32, {5, 1})},
                 [](auto*, auto& p) {
                   GatherDimensionNumbers numbers;
                   numbers.add_offset_dims(1);
                   numbers.add_collapsed_slice_dims(0);
                   numbers.add_start_index_map(0);
                   numbers.set_index_vector_dim(1);
                   Gather(p[0], p[1], numbers, {1, 3}, /*indices_are_sorted=*/true);
                 }),
            "ROOT gather = f32[5,3] gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}, indices_are_sorted=true");
  ScatterDimensionNumbers numbers;
  numbers.add_update_window_dims(1);
  numbers.add_inserted_window_dims(0);
  numbers.add_scatter_dims_to_operand_dims(0);
  numbers.set_index_vector_dim(1);
  EXPECT_EQ(Text({S(F32, {4, 3}), S(S32, {5, 1}), S(F32, {5, 3})},
                 [&](auto*, auto& p) { Scatter(p[0], p[1], p[2], ScalarAdd(F32), numbers); }),
            "ROOT scatter = f32[4,3] scatter(a, b, c), update_window_dims={1}, "
            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
            "to_apply=add");
  XlaBuilder second("second");
  {
    const XlaOp x = Parameter(&second, 0, S(F32), "");
    Parameter(&second, 1, S(S32), "");
    Parameter(&second, 2, S(F32), "");
    Tuple(&second, {x, Parameter(&second, 3, S(S32), "")});
  }
  const XlaComputation both = second.Build().value();
  EXPECT_EQ(Text({S(F32, {4, 3}), S(S32, {4, 3}), S(S32, {5, 1}), S(F32, {5, 3}), S(S32, {5, 3})},
                 [&](auto*, auto& p) {
                   Scatter({p[0], p[1]}, p[2], {p[3], p[4]}, both, numbers, false, true);
                 }),
            "ROOT scatter = (f32[4,3], s32[4,3]) scatter(a, b, c, d, e), update_window_dims={1}, "
            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
            "unique_indices=true, to_apply=second");
}

TEST(OperationsTest, RunTimeSizes) {
  const Shape dynamic = ShapeUtil::MakeShape(F32, {4}, {true});
  EXPECT_EQ(Text({dynamic}, [](auto*, auto& p) { GetDimensionSize(p[0], 0); }),
            "ROOT get-dimension-size = s32[] get-dimension-size(a), dimensions={0}");
  EXPECT_EQ(Text({S(F32, {4})}, [](auto*, auto& p) { GetDimensionSize(p[0], 0); }),
            "ROOT constant = s32[] constant(4)");
  EXPECT_EQ(Text({S(F32, {4}), S(S32)}, [](auto*, auto& p) { SetDimensionSize(p[0], p[1], 0); }),
            "ROOT set-dimension-size = f32[<=4] set-dimension-size(a, b), dimensions={0}");
  EXPECT_EQ(Text({dynamic}, [](auto*, auto& p) { RemoveDynamicDimension(p[0], 0); }),
            "constant = s32[] constant(4)\n"
            "ROOT set-dimension-size = f32[4] set-dimension-size(a, constant), dimensions={0}");
}

TEST(OperationsTest, SortAndTopK) {
  EXPECT_EQ(Text({S(F32, {2, 3})}, [](auto*, auto& p) { Sort({p[0]}, ScalarLess(F32)); }),
            "ROOT sort = f32[2,3] sort(a), dimensions={1}, to_apply=less");
  EXPECT_EQ(Text({S(F32, {2, 3}), S(S32, {2, 3})},
                 [](auto*, auto& p) {
                   Sort({p[0], p[1]}, ScalarLess(F32, {S32}), 0, true);
                 }),
            "ROOT sort = (f32[2,3], s32[2,3]) sort(a, b), dimensions={0}, is_stable=true, "
            "to_apply=less");
  EXPECT_EQ(Text({S(F32, {2, 3})}, [](auto*, auto& p) { TopK(p[0], 2, false); }),
            "ROOT topk = (f32[2,2], s32[2,2]) topk(a), k=2, largest=false");
}

TEST(OperationsTest, Reductions) {
  const Shape m = S(F32, {2, 3});
  EXPECT_EQ(Text({m, S(F32)}, [](auto*, auto& p) { Reduce(p[0], p[1], ScalarAdd(F32), {1}); }),
            "ROOT reduce = f32[2] reduce(a, b), dimensions={1}, to_apply=add");
  EXPECT_EQ(Text({m, S(F32)}, [](auto*, auto& p) { ReduceAll(p[0], p[1], ScalarAdd(F32)); }),
            "ROOT reduce = f32[] reduce(a, b), dimensions={0,1}, to_apply=add");
  XlaBuilder pair("pair");
  {
    const XlaOp x = Parameter(&pair, 0, S(F32), "");
    const XlaOp y = Parameter(&pair, 1, S(S32), "");
    Tuple(&pair, {x + Parameter(&pair, 2, S(F32), ""), y + Parameter(&pair, 3, S(S32), "")});
  }
  const XlaComputation both = pair.Build().value();
  EXPECT_EQ(Text({m, S(S32, {2, 3}), S(F32), S(S32)},
                 [&](auto* b, auto& p) {
                   Reduce(b, {p[0], p[1]}, {p[2], p[3]}, both, {0});
                 }),
            "ROOT reduce = (f32[3], s32[3]) reduce(a, b, c, d), dimensions={0}, to_apply=pair");
  EXPECT_EQ(Text({m, m},
                 [](auto* b, auto& p) {
                   Map(b, {p[0], p[1]}, ScalarAdd(F32), {0, 1});
                 }),
            "ROOT map = f32[2,3] map(a, b), dimensions={0,1}, to_apply=add");
  EXPECT_EQ(Text({m, S(F32)},
                 [](auto*, auto& p) {
                   ReduceWindow(p[0], p[1], ScalarAdd(F32), {1, 3}, {1, 1}, Padding::kSame);
                 }),
            "ROOT reduce-window = f32[2,3] reduce-window(a, b), "
            "window={size=1x3 pad=0_0x1_1}, to_apply=add");
  EXPECT_EQ(Text({m, S(S32, {2, 3}), S(F32), S(S32)},
                 [&](auto*, auto& p) {
                   ReduceWindow({p[0], p[1]}, {p[2], p[3]}, both, {2, 2}, {1, 1}, Padding::kValid);
                 }),
            "ROOT reduce-window = (f32[1,2], s32[1,2]) reduce-window(a, b, c, d), "
            "window={size=2x2}, to_apply=pair");
  EXPECT_EQ(Text({m, S(F32)},
                 [](auto*, auto& p) {
                   ReduceWindowWithGeneralPadding(p[0], p[1], ScalarAdd(F32), {2, 2}, {1, 2},
                                                  {2, 1}, {1, 2}, {{1, 0}, {0, 1}});
                 }),
            "ROOT reduce-window = f32[3,1] reduce-window(a, b), window={size=2x2 stride=1x2 "
            "pad=1_0x0_1 lhs_dilate=2x1 rhs_dilate=1x2}, to_apply=add");
  XlaBuilder ge("ge");
  Ge(Parameter(&ge, 0, S(F32), "x"), Parameter(&ge, 1, S(F32), "y"));
  const XlaComputation select = ge.Build().value();
  EXPECT_EQ(Text({S(F32, {4}), S(F32, {2}), S(F32)},
                 [&](auto*, auto& p) {
                   SelectAndScatter(p[0], select, {2}, {2}, Padding::kValid, p[1], p[2],
                                    ScalarAdd(F32));
                 }),
            "ROOT select-and-scatter = f32[4] select-and-scatter(a, b, c), "
            "window={size=2 stride=2}, select=ge, scatter=add");
}

TEST(OperationsTest, Scan) {
  XlaBuilder step("step");
  const XlaOp sum =
      Parameter(&step, 0, S(F32, {2}), "slice") + Parameter(&step, 1, S(F32, {2}), "carry");
  Tuple(&step, {sum, sum});
  const XlaComputation body = step.Build().value();
  EXPECT_EQ(Text({S(F32, {2, 5}), S(F32, {2})},
                 [&](auto*, auto& p) {
                   Scan({p[0]}, {p[1]}, body, 1, std::nullopt, /*is_reverse=*/true, TRI_STATE_TRUE);
                 }),
            "ROOT scan = (f32[2,5], f32[2]) scan(a, b), dimensions={1}, num_carries=1, "
            "is_reverse=true, is_associative=true, to_apply=step");
}

TEST(OperationsTest, BatchNorm) {
  const Shape x = S(F32, {4, 3}), f = S(F32, {3});
  EXPECT_EQ(Text({x, f, f}, [](auto*, auto& p) { BatchNormTraining(p[0], p[1], p[2], 0.5, 1); }),
            "ROOT batch-norm-training = (f32[4,3], f32[3], f32[3]) batch-norm-training(a, b, c), "
            "epsilon=0.5, feature_index=1");
  EXPECT_EQ(Text({x, f, f, f, f},
                 [](auto*, auto& p) { BatchNormInference(p[0], p[1], p[2], p[3], p[4], 0.5, 1); }),
            "ROOT batch-norm-inference = f32[4,3] batch-norm-inference(a, b, c, d, e), "
            "epsilon=0.5, feature_index=1");
  EXPECT_EQ(Text({x, f, f, f, x},
                 [](auto*, auto& p) { BatchNormGrad(p[0], p[1], p[2], p[3], p[4], 0.5, 1); }),
            "ROOT batch-norm-grad = (f32[4,3], f32[3], f32[3]) batch-norm-grad(a, b, c, d, e), "
            "epsilon=0.5, feature_index=1");
}

TEST(OperationsTest, Contractions) {
  EXPECT_EQ(Text({S(F32, {2, 3}), S(F32, {3, 4})}, [](auto*, auto& p) { Dot(p[0], p[1]); }),
            "ROOT dot = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  EXPECT_EQ(Text({S(F32, {3}), S(F32, {3})}, [](auto*, auto& p) { Dot(p[0], p[1]); }),
            "ROOT dot = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  EXPECT_EQ(Text({S(S8, {5, 2, 3}), S(S8, {5, 4, 3})},
                 [](auto*, auto& p) {
                   DotDimensionNumbers numbers;
                   numbers.add_lhs_batch_dimensions(0);
                   numbers.add_rhs_batch_dimensions(0);
                   numbers.add_lhs_contracting_dimensions(2);
                   numbers.add_rhs_contracting_dimensions(2);
                   PrecisionConfig config;
                   config.add_operand_precision(PrecisionConfig::HIGHEST);
                   config.add_operand_precision(PrecisionConfig::HIGH);
                   DotGeneral(p[0], p[1], numbers, &config, S32);
                 }),
            "ROOT dot = s32[5,2,4] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
            "rhs_batch_dims={0}, rhs_contracting_dims={2}, operand_precision={highest,high}");
  EXPECT_EQ(
      Text({S(F8E4M3FN, {4, 32}), S(F8E4M3FN, {32, 4}), S(F8E8M0FNU, {4, 1}), S(F8E8M0FNU, {1, 4})},
           [](auto*, auto& p) {
             DotDimensionNumbers numbers;
             numbers.add_lhs_contracting_dimensions(1);
             numbers.add_rhs_contracting_dimensions(0);
             ScaledDot(p[0], p[1], p[2], p[3], numbers, nullptr, BF16);
           }),
      "ROOT scaled-dot = bf16[4,4] scaled-dot(a, b, c, d), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}");
  EXPECT_EQ(Text({S(F32, {6, 3}), S(F32, {2, 3, 4}), S(S32, {2})},
                 [](auto*, auto& p) {
                   RaggedDotDimensionNumbers numbers;
                   numbers.mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
                   numbers.mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(1);
                   numbers.add_lhs_ragged_dimensions(0);
                   numbers.add_rhs_group_dimensions(0);
                   RaggedDot(p[0], p[1], p[2], numbers);
                 }),
            "ROOT ragged-dot = f32[6,4] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}");
}

TEST(OperationsTest, Convolutions) {
  const Shape x = S(F32, {1, 2, 5, 5}), k = S(F32, {3, 2, 3, 3});
  EXPECT_EQ(Text({x, k},
                 [](auto*, auto& p) {
                   Conv(p[0], p[1], {1, 1}, Padding::kSame);
                 }),
            "ROOT convolution = f32[1,3,5,5] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
            "dim_labels=bf01_oi01->bf01");
  EXPECT_EQ(Text({x, k},
                 [](auto*, auto& p) {
                   ConvWithGeneralPadding(p[0], p[1], {2, 2}, {{0, 0}, {1, 1}});
                 }),
            "ROOT convolution = f32[1,3,2,3] convolution(a, b), window={size=3x3 stride=2x2 "
            "pad=0_0x1_1}, dim_labels=bf01_oi01->bf01");
  EXPECT_EQ(Text({x, S(F32, {4, 1, 3, 3})},
                 [](auto*, auto& p) {
                   ConvGeneralDilated(p[0], p[1], {1, 1}, {{0, 0}, {0, 0}}, {1, 2}, {2, 1},
                                      XlaBuilder::CreateDefaultConvDimensionNumbers(), 2, 1,
                                      nullptr, F64, std::vector<bool>{true, false});
                 }),
            "ROOT convolution = f64[1,4,1,7] convolution(a, b), window={size=3x3 lhs_dilate=1x2 "
            "rhs_dilate=2x1 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01, feature_group_count=2");
  EXPECT_EQ(Text({x, k},
                 [](auto*, auto& p) {
                   DynamicConvForward(p[0], p[1], {1, 1}, {{0, 0}, {0, 0}}, {}, {},
                                      XlaBuilder::CreateDefaultConvDimensionNumbers(), 1, 1,
                                      nullptr, PADDING_VALID);
                 }),
            "ROOT custom-call = f32[1,3,3,3] custom-call(a, b), window={size=3x3}, "
            "dim_labels=bf01_oi01->bf01, padding_type=PADDING_VALID, "
            "custom_call_target=\"DynamicConvolutionForward\"");
}

TEST(OperationsTest, LinearAlgebra) {
  EXPECT_EQ(Text({S(C64, {4})}, [](auto*, auto& p) { Fft(p[0], FftType::IFFT, {4}); }),
            "ROOT fft = c64[4] fft(a), fft_type=IFFT, fft_length={4}");
  EXPECT_EQ(Text({S(F32, {3, 3}), S(F32, {3, 1})},
                 [](auto*, auto& p) {
                   TriangularSolve(p[0], p[1], true, true, false,
                                   TriangularSolveOptions::NO_TRANSPOSE);
                 }),
            "ROOT triangular-solve = f32[3,1] triangular-solve(a, b), left_side=true, lower=true, "
            "transpose_a=NO_TRANSPOSE");
  EXPECT_EQ(Text({S(F32, {3, 3})}, [](auto*, auto& p) { Cholesky(p[0], true); }),
            "ROOT cholesky = f32[3,3] cholesky(a), lower=true");
}

TEST(OperationsTest, Random) {
  EXPECT_EQ(Text({S(F32), S(F32)}, [](auto*, auto& p) { RngNormal(p[0], p[1], kF); }),
            "ROOT rng = f32[2] rng(a, b), distribution=rng_normal");
  EXPECT_EQ(Text({S(F32), S(F32)}, [](auto*, auto& p) { RngUniform(p[0], p[1], kF); }),
            "ROOT rng = f32[2] rng(a, b), distribution=rng_uniform");
  EXPECT_EQ(Text({S(U64, {3})},
                 [](auto*, auto& p) { RngBitGenerator(RandomAlgorithm::RNG_PHILOX, p[0], kF); }),
            "ROOT rng-bit-generator = (u64[3], u32[2]) rng-bit-generator(a), "
            "algorithm=rng_philox");
}

TEST(OperationsTest, Control) {
  EXPECT_EQ(Text({kF, kI},
                 [](auto* b, auto& p) {
                   Tuple(b, {p[0], p[1]});
                 }),
            "ROOT tuple = (f32[2], s32[2]) tuple(a, b)");
  EXPECT_EQ(
      Text({ShapeUtil::MakeTupleShape({kF, kI})}, [](auto*, auto& p) { GetTupleElement(p[0], 1); }),
      "ROOT get-tuple-element = s32[2] get-tuple-element(a), index=1");
  EXPECT_EQ(Text({S(F32), S(F32)},
                 [](auto* b, auto& p) {
                   Call(b, ScalarAdd(F32), {p[0], p[1]});
                 }),
            "ROOT call = f32[] call(a, b), to_apply=add");
  EXPECT_EQ(Text({S(F32), S(F32)},
                 [](auto* b, auto& p) {
                   CompositeCall(b, ScalarAdd(F32), {p[0], p[1]}, "my.add", "{n = 1 : i32}", 2);
                 }),
            "ROOT call = f32[] call(a, b), to_apply=add, is_composite=true, "
            "frontend_attributes={composite.attributes={n = 1 : i32},composite.name=\"my.add\","
            "composite.version=\"2\"}");
  XlaBuilder negate("negate");
  Neg(Parameter(&negate, 0, kF, "x"));
  const XlaComputation neg = negate.Build().value();
  EXPECT_EQ(
      Text({S(PRED), kF, kF}, [&](auto*, auto& p) { Conditional(p[0], p[1], neg, p[2], neg); }),
      "ROOT conditional = f32[2] conditional(a, b, c), true_computation=negate, "
      "false_computation=negate");
  EXPECT_EQ(Text({S(S32), kF, kF},
                 [&](auto*, auto& p) {
                   Conditional(p[0], {&neg, &neg}, {p[1], p[2]});
                 }),
            "ROOT conditional = f32[2] conditional(a, b, c), branch_computations={negate, negate}");
  EXPECT_EQ(Text({kF}, [](auto*, auto& p) { OptimizationBarrier(p[0]); }),
            "ROOT opt-barrier = f32[2] opt-barrier(a)");
}

TEST(OperationsTest, CustomCalls) {
  EXPECT_EQ(
      Text({kF}, [](auto* b, auto& p) { CustomCall(b, "target", {p[0]}, kI, "opaque", true); }),
      "ROOT custom-call = s32[2] custom-call(a), custom_call_target=\"target\", "
      "custom_call_has_side_effect=true, backend_config=\"opaque\"");
  EXPECT_EQ(Text({S(F32)},
                 [](auto* b, auto& p) {
                   CustomCallWithComputation(b, "target", {p[0]}, ScalarAdd(F32), S(F32), "", false,
                                             {{{}, {0, {}}}}, nullptr, SCHEDULE_LATEST,
                                             API_VERSION_STATUS_RETURNING);
                 }),
            "ROOT custom-call = f32[] custom-call(a), custom_call_target=\"target\", "
            "output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_LATEST, "
            "api_version=API_VERSION_STATUS_RETURNING, called_computations={add}");
}

TEST(OperationsTest, TokensAndFeeds) {
  EXPECT_EQ(Text({}, [](auto* b, auto&) { AfterAll(b, {CreateToken(b)}); }),
            "after-all = token[] after-all()\nROOT after-all.1 = token[] after-all(after-all)");
  EXPECT_EQ(Text({},
                 [](auto* b, auto&) {
                   Infeed(b, kF, "config");
                   Infeed(b, kI);
                 }),
            "after-all = token[] after-all()\n"
            "infeed = (f32[2], token[]) infeed(after-all), infeed_config=\"config\"\n"
            "get-tuple-element.1 = f32[2] get-tuple-element(infeed), index=0\n"
            "get-tuple-element = token[] get-tuple-element(infeed), index=1\n"
            "infeed.1 = (s32[2], token[]) infeed(get-tuple-element)\n"
            "get-tuple-element.2 = token[] get-tuple-element(infeed.1), index=1\n"
            "ROOT get-tuple-element.3 = s32[2] get-tuple-element(infeed.1), index=0");
  EXPECT_EQ(Text({kF}, [](auto* b, auto& p) { OutfeedWithToken(p[0], CreateToken(b), kF, "x"); }),
            "after-all = token[] after-all()\n"
            "ROOT outfeed = token[] outfeed(a, after-all), outfeed_shape=f32[2]{0}, "
            "outfeed_config=\"x\"");
}

ChannelHandle Handle(int64_t id, ChannelHandle::ChannelType type) {
  ChannelHandle handle;
  handle.set_handle(id);
  handle.set_type(type);
  return handle;
}

TEST(OperationsTest, Transfers) {
  EXPECT_EQ(Text({kF, ShapeUtil::MakeTokenShape()},
                 [](auto*, auto& p) {
                   SendToHost(p[0], p[1], kF, Handle(3, ChannelHandle::DEVICE_TO_HOST));
                 }),
            "send = (f32[2], u32[], token[]) send(a, b), channel_id=3, is_host_transfer=true\n"
            "ROOT send-done = token[] send-done(send), channel_id=3, is_host_transfer=true");
  EXPECT_EQ(Text({ShapeUtil::MakeTokenShape()},
                 [](auto*, auto& p) {
                   RecvFromHost(p[0], kF, Handle(4, ChannelHandle::HOST_TO_DEVICE));
                 }),
            "recv = (f32[2], u32[], token[]) recv(a), channel_id=4, is_host_transfer=true\n"
            "ROOT recv-done = (f32[2], token[]) recv-done(recv), channel_id=4, "
            "is_host_transfer=true");
  EXPECT_EQ(
      Text({}, [](auto* b, auto&) { Recv(b, kF, Handle(5, ChannelHandle::DEVICE_TO_DEVICE)); }),
      "after-all = token[] after-all()\n"
      "recv = (f32[2], u32[], token[]) recv(after-all), channel_id=5\n"
      "recv-done = (f32[2], token[]) recv-done(recv), channel_id=5\n"
      "ROOT get-tuple-element = f32[2] get-tuple-element(recv-done), index=0");
  EXPECT_TRUE(absl::StrContains(
      Text({kF}, [](auto*, auto& p) { Send(p[0], Handle(5, ChannelHandle::DEVICE_TO_HOST)); }),
      "device-to-device"));
}

TEST(OperationsTest, Collectives) {
  ReplicaGroup group;
  group.add_replica_ids(0);
  group.add_replica_ids(1);
  const std::vector<ReplicaGroup> groups = {group};
  ChannelHandle channel = Handle(1, ChannelHandle::DEVICE_TO_DEVICE);
  const Shape m = S(F32, {4, 6});
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { AllGather(p[0], 0, 2, groups); }),
            "ROOT all-gather = f32[8,6] all-gather(a), replica_groups={{0,1}}, dimensions={0}");
  EXPECT_EQ(Text({m, m},
                 [&](auto*, auto& p) {
                   AllGatherTuple({p[0], p[1]}, 1, 2, groups, channel, std::nullopt, true);
                 }),
            "tuple = (f32[4,6], f32[4,6]) tuple(a, b)\n"
            "get-tuple-element = f32[4,6] get-tuple-element(tuple), index=0\n"
            "get-tuple-element.1 = f32[4,6] get-tuple-element(tuple), index=1\n"
            "ROOT all-gather = (f32[4,12], f32[4,12]) all-gather(get-tuple-element, "
            "get-tuple-element.1), channel_id=1, replica_groups={{0,1}}, dimensions={1}, "
            "use_global_device_ids=true");
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { AllReduce(p[0], ScalarAdd(F32), groups); }),
            "ROOT all-reduce = f32[4,6] all-reduce(a), replica_groups={{0,1}}, to_apply=add");
  EXPECT_EQ(Text({m},
                 [&](auto*, auto& p) {
                   AllReduce(p[0], ScalarAdd(F32), groups, channel, std::nullopt,
                             /*use_global_device_ids=*/true);
                 }),
            "ROOT all-reduce = f32[4,6] all-reduce(a), channel_id=1, replica_groups={{0,1}}, "
            "use_global_device_ids=true, to_apply=add");
  EXPECT_EQ(Text({S(PRED)}, [](auto*, auto& p) { CrossReplicaSum(p[0]); }),
            "ROOT all-reduce = pred[] all-reduce(a), replica_groups={}, to_apply=sum");
  EXPECT_EQ(Text({m},
                 [&](auto*, auto& p) {
                   AllReduceWithDeviceList(p[0], ScalarAdd(F32),
                                           CollectiveDeviceList::Iota(2, 4, {8}));
                 }),
            "ROOT all-reduce = f32[4,6] all-reduce(a), replica_groups=[2,4]<=[8], to_apply=add");
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { ReduceScatter(p[0], ScalarAdd(F32), 1, 2, groups); }),
            "ROOT reduce-scatter = f32[4,3] reduce-scatter(a), replica_groups={{0,1}}, "
            "dimensions={1}, to_apply=add");
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { AllToAll(p[0], 0, 1, 2, groups); }),
            "all-to-all = f32[4,6] all-to-all(a), replica_groups={{0,1}}, dimensions={0}\n"
            "reshape = f32[2,2,6] reshape(all-to-all)\n"
            "transpose = f32[2,2,6] transpose(reshape), dimensions={1,0,2}\n"
            "ROOT reshape.1 = f32[2,12] reshape(transpose)");
  // Sizes without bound are known when the program runs.
  constexpr int64_t kUnbounded = Shape::kUnboundedSize;
  const Shape unbounded = ShapeUtil::MakeShape(F32, {kUnbounded, 6}, {true, false});
  EXPECT_EQ(Text({unbounded}, [&](auto*, auto& p) { AllToAll(p[0], 0, 0, 2, groups); }),
            "ROOT all-to-all = f32[?,6] all-to-all(a), replica_groups={{0,1}}, dimensions={0}");
  const std::string exchanged =
      Text({unbounded}, [&](auto*, auto& p) { AllToAll(p[0], 0, 1, 2, groups); });
  for (const char* part : {"= f32[2,?,6] custom-call(", "transpose = f32[?,2,6] transpose(",
                           "= f32[?,12] custom-call(", "mhlo.dynamic_reshape"}) {
    EXPECT_TRUE(absl::StrContains(exchanged, part)) << exchanged;
  }
  const std::string other_way =
      Text({unbounded}, [&](auto*, auto& p) { AllToAll(p[0], 1, 0, 2, groups); });
  EXPECT_TRUE(absl::StrContains(other_way, "= f32[?,3] custom-call(")) << other_way;
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { AllToAllTuple(p[0], 0, 1, 2, groups); }),
            "slice = f32[2,6] slice(a), slice={[0:2], [0:6]}\n"
            "slice.1 = f32[2,6] slice(a), slice={[2:4], [0:6]}\n"
            "all-to-all = (f32[2,6], f32[2,6]) all-to-all(slice, slice.1), replica_groups={{0,1}}\n"
            "get-tuple-element = f32[2,6] get-tuple-element(all-to-all), index=0\n"
            "get-tuple-element.1 = f32[2,6] get-tuple-element(all-to-all), index=1\n"
            "ROOT concatenate = f32[2,12] concatenate(get-tuple-element, get-tuple-element.1), "
            "dimensions={1}");
  EXPECT_EQ(Text({m, m},
                 [&](auto*, auto& p) {
                   AllToAllTuple({p[0], p[1]}, groups);
                 }),
            "ROOT all-to-all = (f32[4,6], f32[4,6]) all-to-all(a, b), replica_groups={{0,1}}");
  EXPECT_EQ(
      Text({S(F32, {8}), S(S32, {2}), S(S32, {2}), S(F32, {8}), S(S32, {2}), S(S32, {2})},
           [&](auto*, auto& p) { RaggedAllToAll(p[0], p[1], p[2], p[3], p[4], p[5], groups); }),
      "ROOT ragged-all-to-all = f32[8] ragged-all-to-all(a, d, b, c, e, f), "
      "replica_groups={{0,1}}");
  EXPECT_EQ(Text({m}, [&](auto*, auto& p) { CollectiveBroadcast(p[0], groups); }),
            "ROOT collective-broadcast = f32[4,6] collective-broadcast(a), replica_groups={{0,1}}");
  EXPECT_EQ(Text({m},
                 [&](auto*, auto& p) {
                   CollectivePermute(p[0], {{0, 1}, {1, 0}}, channel);
                 }),
            "ROOT collective-permute = f32[4,6] collective-permute(a), channel_id=1, "
            "source_target_pairs={{0,1},{1,0}}");
  EXPECT_EQ(Text({}, [](auto* b, auto&) { ReplicaId(b); }), "ROOT replica-id = u32[] replica-id()");
  EXPECT_EQ(Text({}, [](auto* b, auto&) { PartitionId(b); }),
            "ROOT partition-id = u32[] partition-id()");
}

TEST(OperationsTest, InsertedByCompilers) {
  using Friend = internal::XlaBuilderFriend;
  EXPECT_EQ(Text({kF, ShapeUtil::MakeTokenShape()},
                 [](auto* b, auto& p) { Friend::BuildAddDependency(b, p[0], p[1], kF); }),
            "ROOT add-dependency = f32[2] add-dependency(a, b)");
  EXPECT_EQ(Text({kF},
                 [](auto* b, auto& p) {
                   Friend::BuildBitcast(b, p[0], S(F32, {1, 2}));
                 }),
            "ROOT bitcast = f32[1,2] bitcast(a)");
  EXPECT_EQ(
      Text({kF},
           [](auto* b, auto& p) { Friend::BuildCopyDone(b, Friend::BuildCopyStart(b, p[0]), kF); }),
      "copy-start = (f32[2], f32[2], u32[]) copy-start(a)\n"
      "ROOT copy-done = f32[2] copy-done(copy-start)");
  XlaBuilder negate("negate");
  Neg(Parameter(&negate, 0, kF, "x"));
  const XlaComputation neg = negate.Build().value();
  EXPECT_EQ(Text({kF}, [&](auto* b, auto& p) { Friend::BuildFusion(b, {p[0]}, "kLoop", neg); }),
            "ROOT fusion = f32[2] fusion(a), kind=kLoop, calls=negate");
  EXPECT_EQ(Text({}, [](auto* b, auto&) { Friend::BuildRngGetAndUpdateState(b, 7, S(U64, {2})); }),
            "ROOT rng-get-and-update-state = u64[2] rng-get-and-update-state(), delta=7");
  EXPECT_EQ(Text({kF},
                 [](auto* b, auto& p) {
                   Friend::BuildAllReduceDone(
                       b, Friend::BuildAllReduceStart(b, p[0], ScalarAdd(F32)), kF);
                 }),
            "all-reduce-start = f32[2] all-reduce-start(a), replica_groups={}, to_apply=add\n"
            "ROOT all-reduce-done = f32[2] all-reduce-done(all-reduce-start)");
}

TEST(OperationsTest, HandPartitionedParts) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, S(F32, {4, 6}), "x");
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  for (int size : {2, 1}) sharding.add_tile_assignment_dimensions(size);
  for (int device : {0, 1}) sharding.add_tile_assignment_devices(device);
  ASSERT_OK_AND_ASSIGN(const XlaOp shard, ConvertSpmdFullToShardShape(&b, x, -1, sharding, {}));
  EXPECT_EQ(ShapeUtil::HumanString(b.GetShape(shard).value()), "f32[2,6]");
  ASSERT_OK(ConvertSpmdShardToFullShape(&b, shard, S(F32, {4, 6}), -1, sharding, {1}));
  EXPECT_EQ(Body(&b),
            "custom-call = f32[4,6] custom-call(x), custom_call_target=\"Sharding\", "
            "sharding={devices=[2,1]0,1}\n"
            "custom-call.1 = f32[2,6] custom-call(custom-call), "
            "custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
            "custom-call.2 = f32[2,6] custom-call(custom-call.1), custom_call_target=\"Sharding\", "
            "sharding={manual}, backend_config=\"unspecified_dims=[1]\"\n"
            "ROOT custom-call.3 = f32[4,6] custom-call(custom-call.2), "
            "custom_call_target=\"SPMDShardToFullShape\", sharding={devices=[2,1]0,1}, "
            "backend_config=\"unspecified_dims=[1]\"");
}

TEST(OperationsTest, HandPartitionedDimensions) {
  const auto manual = [](std::vector<int> sizes, std::vector<int> devices, int dimension) {
    XlaBuilder b("test");
    const XlaOp x = Parameter(&b, 0, S(F32, {4, 6}), "x");
    OpSharding sharding;
    sharding.set_type(OpSharding::OTHER);
    for (const int size : sizes) sharding.add_tile_assignment_dimensions(size);
    for (const int device : devices) sharding.add_tile_assignment_devices(device);
    const auto shard = ConvertSpmdFullToShardShape(&b, x, dimension, sharding, {});
    if (!shard.ok()) return std::string(shard.status().message());
    const std::string body = Body(&b);
    return body.substr(body.rfind("sharding="));
  };
  EXPECT_EQ(manual({2, 3}, {0, 1, 2, 3, 4, 5}, 0),
            "sharding={devices=[1,3,2]0,3,1,4,2,5 last_tile_dims={manual}}");
  EXPECT_EQ(manual({2, 3}, {0, 1, 2, 3, 4, 5}, 1),
            "sharding={devices=[2,1,3]0,1,2,3,4,5 last_tile_dims={manual}}");
  EXPECT_EQ(manual({2, 1}, {0, 1}, 0), "sharding={manual}");
  for (const auto& [sizes, devices, dimension] :
       {std::tuple<std::vector<int>, std::vector<int>, int>{{2, 3}, {0, 1}, 0},
        {{2, 0}, {}, 0},
        {{2, 1}, {0, 1}, 2},
        {{1, 1}, {0, 1, 2}, 0}}) {
    EXPECT_TRUE(absl::StrContains(manual(sizes, devices, dimension),
                                  "no explicit list of devices along dimension"));
  }
}

TEST(OperationsTest, LayoutsOfAllReduceFitItsResult) {
  const auto reduce = [](const Shape& layout) {
    XlaBuilder b("test");
    AllReduce(Parameter(&b, 0, S(F32, {4, 6}), "x"), ScalarAdd(F32), {}, std::nullopt, layout);
    return Body(&b);
  };
  EXPECT_TRUE(absl::StrContains(reduce(S(F32, {6, 4})), "is not compatible with its result"));
  EXPECT_TRUE(absl::StrContains(reduce(S(S32, {4, 6})), "is not compatible with its result"));
  EXPECT_TRUE(absl::StrContains(reduce(S(F32, {4, 6})), "ROOT all-reduce = f32[4,6] "));
}

}  // namespace
}  // namespace xla
