// SPDX-License-Identifier: Apache-2.0
// The client library: what its functions compute, run by the interpreter.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/hlo/builder/lib/quantize.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/sorting.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::RunProgram;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The program's result as text: "f32[2] {1, 2}".
template <typename Make>
std::string Result(Make make) {
  XlaBuilder b("test");
  make(&b);
  absl::StatusOr<Literal> result = RunProgram(&b);
  return result.ok() ? result->ToStringWithoutShapeOneline()
                     : absl::StrCat("error: ", std::string(result.status().message()));
}

template <typename T>
std::vector<T> Values(const absl::StatusOr<Literal>& literal) {
  EXPECT_OK(literal);
  if (!literal.ok()) return {};
  const auto data = literal->data<T>();
  return std::vector<T>(data.begin(), data.end());
}

XlaOp F32s(XlaBuilder* b, std::vector<float> values) {
  return ConstantR1<float>(b, absl::MakeConstSpan(values));
}
XlaOp Square3(XlaBuilder* b) { return ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}); }

// --- Constants

TEST(ConstantsTest, ByType) {
  EXPECT_EQ(Result([](auto* b) { ConstantR0WithType(b, F16, 0.5); }), "0.5");
  EXPECT_EQ(Result([](auto* b) { ConstantR0WithType(b, U64, ~uint64_t{0}); }),
            "18446744073709551615");
  EXPECT_EQ(Result([](auto* b) { ConstantR0WithType(b, C64, 2); }), "(2, 0)");
  EXPECT_EQ(Result([](auto* b) { One(b, PRED); }), "true");
  EXPECT_EQ(Result([](auto* b) { ScalarLike(F32s(b, {1, 2}), 3); }), "3");
  EXPECT_EQ(Result([](auto* b) { FullLike(F32s(b, {1, 2}), 3); }), "{3, 3}");
  EXPECT_EQ(Result([](auto* b) { ZerosLike(F32s(b, {1, 2})); }), "{0, 0}");
  EXPECT_EQ(Result([](auto* b) { MaxValue(b, F32); }), "inf");
  EXPECT_EQ(Result([](auto* b) { MinValue(b, S8); }), "-128");
  EXPECT_EQ(Result([](auto* b) { MaxFiniteValue(b, F16); }), "65504");
  EXPECT_EQ(Result([](auto* b) { MinFiniteValue(b, U8); }), "0");
  EXPECT_EQ(Result([](auto* b) { Epsilon(b, F32); }), "1.1920929e-07");
  EXPECT_EQ(Result([](auto* b) { MinPositiveNormalValue(b, F32); }), "1.17549435e-38");
  EXPECT_EQ(Result([](auto* b) { NanValue(b, F32); }), "nan");
}

TEST(ConstantsTest, Errors) {
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { ConstantR0WithType(b, S32, 0.5); }),
                                "Invalid cast from floating point type to S32"));
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { Epsilon(b, S32); }), "Epsilon: Invalid type"));
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { MaxValue(b, C64); }), "has no order"));
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { NanValue(b, S8); }), "floating-point"));
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { Zero(b, TUPLE); }), "TUPLE"));
}

// --- Arithmetic

TEST(ArithmeticTest, AnyAndAll) {
  EXPECT_EQ(Result([](auto* b) { Any(ConstantR1<bool>(b, {false, true})); }), "true");
  EXPECT_EQ(Result([](auto* b) { All(ConstantR1<bool>(b, {false, true})); }), "false");
  EXPECT_EQ(Result([](auto* b) { All(ConstantR1<bool>(b, {})); }), "true");
}

TEST(ArithmeticTest, ArgMaxTakesTheFirstAndLosesNan) {
  EXPECT_EQ(Result([](auto* b) {
              ArgMax(ConstantR2<float>(b, {{1, 5, 5}, {7, 2, 7}}), S32, 1);
            }),
            "{1, 0}");
  EXPECT_EQ(Result([](auto* b) { ArgMin(F32s(b, {kNan, 3, 2, kNan, 2}), S64, 0); }), "2");
  EXPECT_EQ(Result([](auto* b) { ArgMax(F32s(b, {kNan, -kInf}), S32, 0); }), "1");
  EXPECT_EQ(Result([](auto* b) { ArgMax(F32s(b, {kNan, kNan}), S32, 0); }), "0");
  EXPECT_EQ(Result([](auto* b) { ArgMax(ConstantR1<int8_t>(b, {-128, -128}), U8, 0); }), "0");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { ArgMax(F32s(b, {1}), S32, 1); }),
                                "ArgMax: There is no axis 1"));
}

TEST(ArithmeticTest, ScalarComputations) {
  const auto reduce = [](auto create, float init) {
    return Result([&](auto* b) {
      Reduce(F32s(b, {3, 4, 5}), ConstantR0<float>(b, init), create(F32, b), {0});
    });
  };
  EXPECT_EQ(reduce(CreateScalarAddComputation, 0), "12");
  EXPECT_EQ(reduce(CreateScalarMultiplyComputation, 1), "60");
  EXPECT_EQ(reduce(CreateScalarMaxComputation, 0), "5");
  EXPECT_EQ(reduce(CreateScalarMinComputation, 9), "3");
  EXPECT_EQ(reduce(CreateScalarIdentityWithZeroComputation, 0), "12");
}

// --- Sorting

TEST(SortingTest, ComparatorsUseTheTotalOrder) {
  EXPECT_EQ(
      Result([](auto* b) {
        Sort({F32s(b, {kNan, 1, -kInf, 0.f, -0.f, kInf})}, CreateScalarLtComputation({F32}, b));
      }),
      "{-inf, -0, 0, 1, inf, nan}");
}

TEST(SortingTest, SeveralComparisonsDecideInTurn) {
  EXPECT_EQ(Result([](auto* b) {
              const XlaOp keys = ConstantR1<int32_t>(b, {2, 1, 2, 1});
              const XlaOp values = F32s(b, {1, 2, 3, 4});
              const XlaComputation comparator = CreateScalarComparisonComputation(
                  "compare", {S32, F32}, {LtTotalOrder, GtTotalOrder}, b);
              Sort({keys, values}, comparator);
            }),
            "( {1, 1, 2, 2}, {4, 2, 3, 1} )");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) {
                                  CreateScalarComparisonComputation("c", {S32}, {std::nullopt}, b);
                                  F32s(b, {1});
                                }),
                                "needs a comparison"));
}

TEST(SortingTest, TopKWithAnyIndexType) {
  EXPECT_EQ(Result([](auto* b) {
              TopK(F32s(b, {0.1f, 0.3f, 0.2f, 0.3f}), 3, U16);
            }),
            "( {0.3, 0.3, 0.2}, {1, 3, 2} )");
  EXPECT_EQ(Result([](auto* b) {
              TopKWithPartitions(ConstantR2<int32_t>(b, {{1, 9, 3}, {7, 8, 2}}), 1, 2, S32);
            }),
            "( { {9}, {8} }, { {1}, {1} } )");
}

// --- Loops

TEST(LoopsTest, ForEachIndex) {
  EXPECT_EQ(Result([](XlaBuilder* b) {
              const auto body = [](XlaOp i, absl::Span<const XlaOp> values,
                                   XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
                return std::vector<XlaOp>{values[0] + i, values[1] * ScalarLike(values[1], 2)};
              };
              const auto values = ForEachIndex(
                  5, S32, body, {ConstantR0<int32_t>(b, 0), ConstantR0<float>(b, 1)}, "loop", b);
              ASSERT_OK(values);
              Tuple(b, *values);
            }),
            "( 10, 32 )");
}

// --- Slicing

TEST(SlicingTest, MinorDimensions) {
  EXPECT_EQ(Result([](auto* b) {
              SliceInMinorDims(Square3(b), {0, 1}, {2, 3});
            }),
            "{ { 2, 3 }, { 5, 6 } }");
  EXPECT_EQ(Result([](auto* b) { SliceInMinorDims(Square3(b), {1}, {2}); }), "{ {2}, {5}, {8} }");
  EXPECT_EQ(Result([](auto* b) {
              UpdateSlice(Square3(b), ConstantR2<float>(b, {{10, 11}}), {2, 1});
            }),
            "{ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 10, 11 } }");
  EXPECT_EQ(Result([](auto* b) {
              UpdateSliceInMinorDims(Square3(b), ConstantR2<float>(b, {{1}, {2}, {3}}), {2});
            }),
            "{ { 1, 2, 1 }, { 4, 5, 2 }, { 7, 8, 3 } }");
  EXPECT_EQ(Result([](auto* b) {
              const XlaOp one = ConstantR0<int32_t>(b, 1);
              DynamicStridedSlice(Square3(b), {one, one}, {1, 3}, {1, 2});
            }),
            "{ { 4, 6 } }");
  EXPECT_EQ(Result([](auto* b) {
              DynamicSliceInMinorDims(Square3(b), {ConstantR0<int32_t>(b, 2)}, {1});
            }),
            "{ {3}, {6}, {9} }");
  EXPECT_EQ(Result([](auto* b) {
              DynamicUpdateSliceInMinorDims(Square3(b), ConstantR2<float>(b, {{0}}),
                                            {ConstantR0<int32_t>(b, 1)});
            }),
            "{ { 1, 0, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) {
                                  SliceInMinorDims(Square3(b), {0, 0, 0}, {1, 1, 1});
                                }),
                                "at least 3 dimensions"));
}

TEST(SlicingTest, TorchIndexing) {
  for (const bool sparse : {false, true}) {
    EXPECT_EQ(Result([&](auto* b) {
                TorchGather(Square3(b), ConstantR2<int32_t>(b, {{0, 2}, {1, 1}}), 1, sparse);
              }),
              "{ { 1, 3 }, { 5, 5 } }");
    EXPECT_EQ(Result([&](auto* b) {
                TorchGather(Square3(b), ConstantR2<int64_t>(b, {{2, 1, 0}}), 0, sparse);
              }),
              "{ { 7, 5, 3 } }");
  }
  EXPECT_EQ(Result([](auto* b) {
              TorchScatterDense(Square3(b),
                                ConstantR2<int32_t>(b, {{0, 0, 2}, {1, 1, 1}, {2, 2, 2}}),
                                ConstantR2<float>(b, {{10, 20, 30}, {1, 1, 1}, {0, 0, 0}}), 1,
                                [](XlaOp x, XlaOp y) { return x + y; });
            }),
            "{ { 31, 2, 33 }, { 4, 8, 6 }, { 7, 8, 9 } }");
  EXPECT_EQ(Result([](auto* b) {
              TorchIndexSelect(Square3(b), ConstantR1<int32_t>(b, {2, 0}), 1);
            }),
            "{ { 3, 1 }, { 6, 4 }, { 9, 7 } }");
  EXPECT_EQ(Result([](auto* b) {
              TorchIndexSelect(Square3(b), ConstantR2<int32_t>(b, {{0}, {1}, {2}}), 1, 1);
            }),
            "{ {1}, {5}, {9} }");
}

// --- Matrices

TEST(MatrixTest, DiagonalsAndTriangles) {
  EXPECT_EQ(Result([](auto* b) { IdentityMatrix(b, F32, 2, 3); }), "{ { 1, 0, 0 }, { 0, 1, 0 } }");
  for (const auto get : {GetMatrixDiagonal, GetMatrixDiagonalViaGather}) {
    EXPECT_EQ(Result([&](auto* b) { get(Square3(b), 0); }), "{1, 5, 9}");
    EXPECT_EQ(Result([&](auto* b) { get(Square3(b), 1); }), "{2, 6}");
    EXPECT_EQ(Result([&](auto* b) { get(Square3(b), -2); }), "{7}");
    EXPECT_EQ(Result([&](auto* b) { get(Square3(b), 5); }), "{}");
  }
  EXPECT_EQ(Result([](auto* b) {
              SetMatrixDiagonal(Square3(b), F32s(b, {0, 0}), -1);
            }),
            "{ { 1, 2, 3 }, { 0, 5, 6 }, { 7, 0, 9 } }");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) {
                                  SetMatrixDiagonal(Square3(b), F32s(b, {0, 0}));
                                }),
                                "has 3 elements"));
  EXPECT_EQ(Result([](auto* b) { LowerTriangle(Square3(b)); }),
            "{ { 1, 0, 0 }, { 4, 5, 0 }, { 7, 8, 9 } }");
  EXPECT_EQ(Result([](auto* b) { UpperTriangle(Square3(b)); }),
            "{ { 1, 2, 3 }, { 0, 5, 6 }, { 0, 0, 9 } }");
  EXPECT_EQ(Result([](auto* b) { Symmetrize(Square3(b)); }),
            "{ { 1, 4, 7 }, { 4, 5, 8 }, { 7, 8, 9 } }");
  EXPECT_EQ(Result([](auto* b) { Symmetrize(Square3(b), false); }),
            "{ { 1, 2, 3 }, { 2, 5, 6 }, { 3, 6, 9 } }");
  // The diagonal of a Hermitian matrix is real.
  EXPECT_EQ(Result([](auto* b) {
              const XlaOp real = ConstantR2<float>(b, {{1, 2}, {3, 4}});
              Symmetrize(Complex(real, real));
            }),
            "{ { (1, 0), (3, -3) }, { (3, 3), (4, 0) } }");
  EXPECT_EQ(Result([](auto* b) { TransposeInMinorDims(Square3(b)); }),
            "{ { 1, 4, 7 }, { 2, 5, 8 }, { 3, 6, 9 } }");
}

TEST(MatrixTest, Products) {
  const auto column = [](auto* b) { return ConstantR2<float>(b, {{1}, {0}, {2}}); };
  EXPECT_EQ(Result([&](auto* b) { BatchDot(Square3(b), column(b)); }), "{ {7}, {16}, {25} }");
  EXPECT_EQ(Result([&](auto* b) { BatchDot(Square3(b), true, column(b), false); }),
            "{ {15}, {18}, {21} }");
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), column(b), "ij,jk->ki"); }),
            "{ { 7, 16, 25 } }");
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), Square3(b), "ij,ij->i"); }), "{14, 77, 194}");
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), column(b), "ii,kl->k"); }), "{15, 0, 30}");
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), Square3(b), "...j,...j->..."); }),
            "{14, 77, 194}");
  // The dimensions of `...` are those of either operand.
  EXPECT_EQ(Result([&](auto* b) {
              Einsum(ConstantR1<float>(b, {1, 10}), ConstantR2<float>(b, {{1, 2}, {3, 4}, {5, 6}}),
                     "j,...j->...");
            }),
            "{21, 43, 65}");
  EXPECT_EQ(Result([](auto* b) { Einsum(Square3(b), "ii->i"); }), "{1, 5, 9}");
  EXPECT_EQ(Result([](auto* b) { Einsum(Square3(b), "ij->ji"); }),
            "{ { 1, 4, 7 }, { 2, 5, 8 }, { 3, 6, 9 } }");
  EXPECT_EQ(Result([](auto* b) { Einsum(Square3(b), "ij->"); }), "45");
  EXPECT_TRUE(absl::StrContains(
      Result([&](auto* b) { Einsum(Square3(b), column(b), "ij,jk->il"); }), "Einsum: No operand"));
}

TEST(MatrixTest, SizesOfOneBroadcast) {
  const auto column = [](auto* b) { return ConstantR2<float>(b, {{1}, {0}, {2}}); };
  const std::string once = Result([&](auto* b) { BatchDot(Square3(b), column(b)); });
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), column(b), "ij,jk"); }), once);
  EXPECT_EQ(Result([](auto* b) { Einsum(Square3(b), "ji"); }), Result([](auto* b) {
              Transpose(Square3(b), {1, 0});
            }));
  const std::string twice =
      Result([&](auto* b) { Broadcast(BatchDot(Square3(b), column(b)), {2}); });
  EXPECT_EQ(
      Result([&](auto* b) { BatchDot(Broadcast(Square3(b), {2}), Broadcast(column(b), {1})); }),
      twice);
  EXPECT_EQ(Result([&](auto* b) { BatchDot(Broadcast(Square3(b), {2}), column(b)); }), twice);
  EXPECT_EQ(Result([&](auto* b) {
              BatchDot(Broadcast(Transpose(Square3(b), {1, 0}), {1}), true,
                       Broadcast(Transpose(column(b), {1, 0}), {2}), true);
            }),
            twice);
  // A contracted dimension of size 1 multiplies the sum of the other.
  EXPECT_EQ(Result([&](auto* b) { Einsum(Square3(b), ConstantR2<float>(b, {{2}}), "ij,jk->ik"); }),
            "{ {12}, {30}, {48} }");
}

TEST(MatrixTest, EinsumConfigs) {
  EXPECT_EQ(NormalizeEinsumString("a,b->ab"), "");
  EXPECT_EQ(NormalizeEinsumString("ba"), "ba->ab");
  EXPECT_EQ(NormalizeEinsumString("ij,jk"), "ij,jk->ik");
  EXPECT_EQ(NormalizeEinsumString("...ba,ca..."), "...ba,ca...->...bc");
  XlaBuilder b("test");
  BatchDot(Square3(&b), Square3(&b), PrecisionConfig::DEFAULT, std::nullopt, /*grad_x=*/true);
  EXPECT_TRUE(absl::StrContains(testing::Body(&b), "frontend_attributes={grad_x=\"true\"}"));
}

TEST(MatrixTest, LuDecompositionExchangesRows) {
  EXPECT_EQ(
      Result([](auto* b) {
        const auto parts = LuDecomposition(ConstantR2<float>(b, {{0, 2, 1}, {4, 4, 8}, {2, 6, 1}}));
        Tuple(b, {parts.lu, parts.pivots, parts.permutation});
      }),
      "( { { 4, 4, 8 }, { 0.5, 4, -3 }, { 0, 0.5, 2.5 } }, {1, 2, 2}, {1, 2, 0} )");
  // Wide, tall, singular.
  EXPECT_EQ(Result([](auto* b) {
              const auto parts = LuDecomposition(ConstantR2<float>(b, {{1, 2, 3}, {2, 2, 2}}));
              Tuple(b, {parts.lu, parts.pivots, parts.permutation});
            }),
            "( { { 2, 2, 2 }, { 0.5, 1, 2 } }, {1, 1}, {1, 0} )");
  EXPECT_EQ(Result([](auto* b) {
              Tuple(b, {LuDecomposition(ConstantR2<float>(b, {{1}, {0}, {4}})).lu,
                        LuDecomposition(ConstantR2<float>(b, {{0, 0}, {0, 3}})).lu});
            }),
            "( { {4}, {0}, {0.25} }, { { 0, 0 }, { 0, 3 } } )");
  // P a = L U of a batch of random matrices.
  XlaBuilder b("test");
  const Shape shape = ShapeUtil::MakeShape(F64, {3, 5, 5});
  const XlaOp bits =
      PhiloxBitGenerator(ConstantR0<uint64_t>(&b, 3), ConstantR1<uint64_t>(&b, {0, 0}),
                         ShapeUtil::MakeShape(U64, {3, 5, 5}))
          .value;
  const XlaOp a =
      ConvertElementType(ConvertElementType(bits, S64), F64) * ConstantR0<double>(&b, 0x1p-63);
  const LuDecompositionResult parts = LuDecomposition(a);
  const XlaOp unit = IdentityMatrix(&b, F64, 5, 5);
  const XlaOp lower = Select(TriangleMask(parts.lu, -1), parts.lu, ZerosLike(parts.lu));
  const XlaOp product =
      BatchDot(Add(lower, unit, {1, 2}), UpperTriangle(parts.lu), PrecisionConfig::HIGHEST);
  const XlaOp permuted =
      TorchGather(a, BroadcastInDim(parts.permutation, shape.dimensions(), {0, 1}), 1);
  All(Lt(Abs(product - permuted), ScalarLike(a, 1e-14)));
  ASSERT_OK_AND_ASSIGN(const Literal equal, RunProgram(&b));
  EXPECT_EQ(equal, LiteralUtil::CreateR0<bool>(true));
}

TEST(MatrixTest, Determinants) {
  EXPECT_EQ(Result([](auto* b) {
              const SignAndLogDet parts =
                  SLogDet(ConstantR2<double>(b, {{0, 2, 1}, {4, 4, 8}, {2, 6, 1}}));
              Tuple(b, {parts.sign, Exp(parts.logdet)});
            }),
            "( 1, 40 )");
  EXPECT_EQ(Result([](auto* b) { LogDet(ConstantR2<float>(b, {{0, 1}, {1, 0}})); }), "nan");
  EXPECT_EQ(Result([](auto* b) { LogDet(ConstantR2<float>(b, {{1, 1}, {1, 1}})); }), "-inf");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) {
                                  SLogDet(ConstantR2<float>(b, {{1, 2}}));
                                }),
                                "SLogDet: Determinants are of square matrices"));
  EXPECT_TRUE(
      absl::StrContains(Result([](auto* b) { LuDecomposition(ConstantR2<int32_t>(b, {{1}})); }),
                        "LuDecomposition: The operand must be floating-point"));
}

// --- Pooling

const TensorFormat kImages(0, 1, {2, 3});  // batch, feature, height, width

TEST(PoolingTest, MaxAndMean) {
  const auto image = [](auto* b) { return Reshape(Square3(b), {1, 1, 3, 3}); };
  const auto flat = [](XlaOp x, std::vector<int64_t> sizes) { return Reshape(x, sizes); };
  EXPECT_EQ(Result([&](auto* b) {
              flat(MaxPool(image(b), {1, 1, 2, 2}, {1, 1, 1, 1}, Padding::kValid, kImages), {2, 2});
            }),
            "{ { 5, 6 }, { 8, 9 } }");
  const std::vector<std::pair<int64_t, int64_t>> edges = {{0, 1}, {0, 1}};
  EXPECT_EQ(MakeSpatialPadding({1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 1, 1}, Padding::kSame, kImages),
            edges);
  EXPECT_EQ(Result([&](auto* b) {
              flat(AvgPool(image(b), {1, 1, 2, 2}, {1, 1, 2, 2}, edges, kImages, false), {2, 2});
            }),
            "{ { 3, 4.5 }, { 7.5, 9 } }");
  EXPECT_EQ(Result([&](auto* b) {
              flat(AvgPool(image(b), {1, 1, 2, 2}, {1, 1, 2, 2}, edges, kImages, true), {2, 2});
            }),
            "{ { 3, 2.25 }, { 3.75, 2.25 } }");
  // Each element gets its share of the windows that it is in.
  EXPECT_EQ(
      Result([&](auto* b) {
        const XlaOp ones = Reshape(ConstantR2<float>(b, {{1, 1}, {1, 1}}), {1, 1, 2, 2});
        flat(AvgPoolGrad(ones, {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 2, 2}, edges, kImages, false),
             {3, 3});
      }),
      "{ { 0.25, 0.25, 0.5 }, { 0.25, 0.25, 0.5 }, { 0.5, 0.5, 1 } }");
  EXPECT_TRUE(absl::StrContains(Result([&](auto* b) {
                                  AvgPool(image(b), {1, 2}, {1, 2}, edges, kImages, true);
                                }),
                                "AvgPool: Of 4 dimensions, 2 must be spatial"));
  EXPECT_TRUE(absl::StrContains(
      Result([&](auto* b) {
        AvgPoolGrad(image(b), {1, 1, 9, 9}, {1, 1, 2, 2}, {1, 1, 2, 2}, edges, kImages, true);
      }),
      "AvgPoolGrad: Size of out_backprop doesn't match computed: actual = 3, computed = 5 input: "
      "10 "
      "filter: 2 stride: 2 dilation: 1"));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<std::pair<int64_t, int64_t>> wide = {{1, kMost}, {0, 0}};
  EXPECT_TRUE(absl::StrContains(
      Result([&](auto* b) {
        AvgPoolGrad(image(b), {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 2, 2}, wide, kImages, true);
      }),
      "AvgPoolGrad: No pool has the padding 1, 9223372036854775807"));
  EXPECT_TRUE(absl::StrContains(
      Result([&](auto* b) {
        AvgPoolGrad(image(b), {1, 1, kMost, 3}, {1, 1, 2, 2}, {1, 1, 2, 2}, edges, kImages, true);
      }),
      "AvgPoolGrad: No pool has the size 9223372036854775807"));
}

// --- Broadcasting and quantization

TEST(BroadcastToTest, TilesAndStretches) {
  const auto to = [](std::vector<int64_t> sizes) {
    return Result([&](auto* b) {
      const auto result = BroadcastTo(ConstantR2<float>(b, {{1, 2}}), sizes);
      if (!result.ok()) b->ReportError(result.status());
    });
  };
  EXPECT_EQ(to({1, 2}), "{ { 1, 2 } }");
  EXPECT_EQ(to({2, 4}), "{ { 1, 2, 1, 2 }, { 1, 2, 1, 2 } }");
  EXPECT_EQ(to({2, 1, 2}), "{ { { 1, 2 } }, { { 1, 2 } } }");
  EXPECT_TRUE(absl::StrContains(to({1, 3}), "cannot be tiled to the sizes [1,3]"));
  EXPECT_TRUE(absl::StrContains(to({2}), "cannot be tiled"));
}

TEST(QuantizeTest, CodesStandForNumbersOfTheRange) {
  const std::vector<uint8_t> codes = {0, 51, 102, 255, 204};
  const std::vector<uint32_t> packed = PackToUint32<uint8_t>(codes);
  EXPECT_EQ(packed, (std::vector<uint32_t>{0x003366ff, 0xcc000000}));
  EXPECT_EQ(PackToUint32<uint16_t>(std::vector<uint16_t>{1, 2, 3}),
            (std::vector<uint32_t>{0x00010002, 0x00030000}));
  // In bf16: the step 5.09375 / 255 is 0.02002 there.
  const auto numbers = [&](bool transposed) {
    return Result([&](auto* b) {
      const XlaOp words = Reshape(ConstantR1<uint32_t>(b, packed), {2, 1});
      Dequantize<uint8_t>(words, QuantizedRange(0, 5.09375), "MIN_COMBINED", transposed);
    });
  };
  EXPECT_EQ(numbers(false), "{ { 0, 1.023, 2.047, 5.094 }, { 4.094, 0, 0, 0 } }");
  EXPECT_EQ(numbers(true), "{ { 0, 4.094 }, { 1.023, 0 }, { 2.047, 0 }, { 5.094, 0 } }");
  EXPECT_TRUE(absl::StrContains(
      Result([](auto* b) { Dequantize<uint8_t>(F32s(b, {1}), QuantizedRange()); }),
      "Dequantize: Only U32"));
}

// --- Math

TEST(MathTest, Tests) {
  const std::vector<float> values = {kInf, -kInf, kNan, -0.f, 0.f, 1.f};
  EXPECT_EQ(Result([&](auto* b) { IsPosInf(F32s(b, values)); }), "{1, 0, 0, 0, 0, 0}");
  EXPECT_EQ(Result([&](auto* b) { IsNegInf(F32s(b, values)); }), "{0, 1, 0, 0, 0, 0}");
  EXPECT_EQ(Result([&](auto* b) { IsInf(F32s(b, values)); }), "{1, 1, 0, 0, 0, 0}");
  EXPECT_EQ(Result([&](auto* b) { IsNan(F32s(b, values)); }), "{0, 0, 1, 0, 0, 0}");
  EXPECT_EQ(Result([&](auto* b) { IsNegZero(F32s(b, values)); }), "{0, 0, 0, 1, 0, 0}");
  EXPECT_TRUE(absl::StrContains(Result([](auto* b) { IsNan(ConstantR0<int32_t>(b, 1)); }),
                                "IsNan: Operands must be real-valued floating-point"));
}

TEST(MathTest, NextAfterIsThatOfC) {
  const std::vector<float> numbers = {0.f,     -0.f, 1.f,   -1.f,  1e-45f,
                                      -1e-45f, kInf, -kInf, 3e38f, kNan};
  std::vector<float> from, to;
  for (const float x : numbers) {
    for (const float y : numbers) {
      from.push_back(x);
      to.push_back(y);
    }
  }
  XlaBuilder b("test");
  NextAfter(F32s(&b, from), F32s(&b, to));
  const std::vector<float> result = Values<float>(RunProgram(&b));
  ASSERT_EQ(result.size(), from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const float expected = std::nextafterf(from[i], to[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(result[i])) << from[i] << " " << to[i];
    } else {
      EXPECT_EQ(result[i], expected) << from[i] << " " << to[i];
      EXPECT_EQ(std::signbit(result[i]), std::signbit(expected)) << from[i] << " " << to[i];
    }
  }
}

// Relative to the result; absolute below 1.
template <typename Make, typename Reference>
void ExpectClose(Make make, Reference reference, std::vector<double> arguments, double tolerance) {
  XlaBuilder b("test");
  make(ConstantR1<double>(&b, absl::MakeConstSpan(arguments)));
  const std::vector<double> result = Values<double>(RunProgram(&b));
  ASSERT_EQ(result.size(), arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const double expected = reference(arguments[i]);
    if (std::isnan(expected) || std::isinf(expected)) {
      EXPECT_EQ(std::isnan(expected), std::isnan(result[i])) << arguments[i];
      if (!std::isnan(expected)) {
        EXPECT_EQ(result[i], expected) << arguments[i];
      }
      continue;
    }
    EXPECT_NEAR(result[i], expected, tolerance * std::max(std::abs(expected), 1e-290))
        << arguments[i];
  }
}

TEST(MathTest, SpecialFunctions) {
  const double inf = std::numeric_limits<double>::infinity();
  ExpectClose([](XlaOp x) { return Erfc(x); }, [](double x) { return std::erfc(x); },
              {-30, -3, -1, -0.5, 0, 0.3, 0.99, 1, 1.5, 4, 7.9, 8, 12, 25, 40, inf, -inf, NAN},
              1e-13);
  ExpectClose([](XlaOp x) { return Lgamma(x); }, [](double x) { return std::lgamma(x); },
              {-3.5, -2, -0.5, 0, 0.1, 0.5, 3.5, 10, 100, 1e10, 1e300, inf, -inf, NAN}, 1e-12);
  // The inverse: erf(erfinv(x)) and, near 1, erfc(erfinv(1 - e)).
  ExpectClose([](XlaOp x) { return Erf(ErfInv(x)); }, [](double x) { return x; },
              {-0.999, -0.5, -0.1, 1e-5, 0.25, 0.7, 0.99}, 1e-14);
  ExpectClose([](XlaOp x) { return Erfc(ErfInv(ScalarLike(x, 1) - x)); },
              [](double x) { return x; }, {0.25, 0x1p-10, 0x1p-20, 0x1p-40, 0x1p-50}, 1e-12);
  ExpectClose([](XlaOp x) { return ErfInv(x); },
              [&](double x) {
                return x == 1 ? inf : x == -1 ? -inf : x == 0 ? 0 : NAN;
              },
              {1, -1, 0, 2, -1.5}, 0);
  // digamma(1) = -Euler's constant; digamma(x + 1) = digamma(x) + 1/x; at 1/2 by its closed form.
  const double euler = 0.57721566490153286061;
  ExpectClose([](XlaOp x) { return Digamma(x); },
              [&](double x) {
                if (x == 1) return -euler;
                if (x == 2) return 1 - euler;
                if (x == 0.5) return -euler - 2 * std::log(2.0);
                if (x == -0.5) return 2 - euler - 2 * std::log(2.0);
                return x == 0 ? -inf : NAN;
              },
              {1, 2, 0.5, -0.5, 0, -1, -7}, 1e-13);
}

TEST(MathTest, SmallOnes) {
  EXPECT_EQ(Result([](auto* b) { Square(ConstantR0<float>(b, 3)); }), "9");
  EXPECT_EQ(Result([](auto* b) { Reciprocal(ConstantR0<float>(b, 4)); }), "0.25");
  EXPECT_EQ(Result([](auto* b) { RoundToEven(F32s(b, {0.5, 1.5, -2.5})); }), "{0, 2, -2}");
  EXPECT_EQ(Result([](auto* b) {
              MaybeConjugate(ConstantR0<std::complex<float>>(b, {1, 2}), true);
            }),
            "(1, -2)");
}

TEST(MathTest, ExpansionsAreTheOperations) {
  const std::vector<double> any = {-50, -3, -1, -0.5, -1e-9, 0, 1e-9, 0.3, 1, 2, 50, 700};
  const std::vector<double> unit = {-1, -0.9, -1e-9, 0, 0.5, 0.99999, 1};
  ExpectClose([](XlaOp x) { return Acos(x, std::nullopt, true); },
              [](double x) { return std::acos(x); }, unit, 1e-14);
  ExpectClose([](XlaOp x) { return Asin(x, std::nullopt, true); },
              [](double x) { return std::asin(x); }, unit, 1e-14);
  ExpectClose([](XlaOp x) { return Atanh(x, std::nullopt, true); },
              [](double x) { return std::atanh(x); }, unit, 1e-14);
  ExpectClose([](XlaOp x) { return Acosh(x, std::nullopt, true); },
              [](double x) { return std::acosh(x); }, {0.5, 1, 1.0000001, 2, 50, 1e20, 1e300},
              1e-14);
  ExpectClose([](XlaOp x) { return Asinh(x, std::nullopt, true); },
              [](double x) { return std::asinh(x); }, any, 1e-14);
  ExpectClose([](XlaOp x) { return Cosh(x, std::nullopt, true); },
              [](double x) { return std::cosh(x); }, {-710, -3, 0, 0.5, 3, 710}, 1e-12);
  ExpectClose([](XlaOp x) { return Sinh(x, std::nullopt, true); },
              [](double x) { return std::sinh(x); }, {-710, -3, -1e-9, 0, 0.5, 3, 710}, 1e-12);
}

// --- Random numbers

// Known answers of Random123 (kat_vectors): counter and key zero, and all ones.
TEST(PrngTest, KnownAnswers) {
  const auto threefry = [](uint64_t key, uint64_t counter) {
    XlaBuilder b("test");
    ThreeFryBitGenerator(ConstantR0<uint64_t>(&b, key), ConstantR0<uint64_t>(&b, counter),
                         ShapeUtil::MakeShape(U64, {1}));
    absl::StatusOr<Literal> result = RunProgram(&b);
    return Values<uint64_t>(result);
  };
  // threefry2x32 20 rounds: 6b200159 99ba4efe; 1cb996fc bb002be7 (low word first).
  EXPECT_EQ(threefry(0, 0), (std::vector<uint64_t>{0x99ba4efe6b200159}));
  EXPECT_EQ(threefry(~uint64_t{0}, ~uint64_t{0}), (std::vector<uint64_t>{0xbb002be71cb996fc}));

  const auto philox = [](uint64_t key, uint64_t low, uint64_t high) {
    XlaBuilder b("test");
    PhiloxBitGenerator(ConstantR0<uint64_t>(&b, key), ConstantR1<uint64_t>(&b, {low, high}),
                       ShapeUtil::MakeShape(U32, {4}));
    return Values<uint32_t>(RunProgram(&b));
  };
  EXPECT_EQ(philox(0, 0, 0),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(PrngTest, TheStateCountsOn) {
  EXPECT_EQ(Result([](auto* b) {
              const RngOutput output = PhiloxBitGenerator(
                  ConstantR0<uint64_t>(b, 1), ConstantR1<uint64_t>(b, {~uint64_t{0}, 7}),
                  ShapeUtil::MakeShape(U64, {3}));
              Tuple(b, {output.state});
            }),
            "( {1, 8} )");
  EXPECT_EQ(Result([](auto* b) {
              const RngOutput output =
                  ThreeFryBitGenerator(ConstantR0<uint64_t>(b, 1), ConstantR0<uint64_t>(b, 10),
                                       ShapeUtil::MakeShape(U32, {3, 5}));
              Tuple(b, {output.state});
            }),
            "( 19 )");  // 3 x 5 is cut along its longest dimension into halves of 3 x 3
  EXPECT_EQ(Result([](auto* b) {
              PhiloxIncreaseCounter(ConstantR1<uint64_t>(b, {~uint64_t{0}, 0}),
                                    ConstantR0<uint64_t>(b, 2));
            }),
            "{1, 1}");
}

// The program and the operation draw the same bits.
TEST(PrngTest, PhiloxIsThatOfTheOperation) {
  for (const PrimitiveType type : {U32, U64}) {
    XlaBuilder b("test");
    const Shape shape = ShapeUtil::MakeShape(type, {2, 5});
    const XlaOp ours =
        PhiloxBitGenerator(ConstantR0<uint64_t>(&b, 42), ConstantR1<uint64_t>(&b, {5, 6}), shape)
            .value;
    const XlaOp operation = GetTupleElement(
        RngBitGenerator(RandomAlgorithm::RNG_PHILOX, ConstantR1<uint64_t>(&b, {42, 5, 6}), shape),
        1);
    All(Eq(ours, operation));
    ASSERT_OK_AND_ASSIGN(const Literal equal, RunProgram(&b));
    EXPECT_EQ(equal, LiteralUtil::CreateR0<bool>(true)) << PrimitiveType_Name(type);
  }
}

TEST(PrngTest, UninitializedOperandsAreErrors) {
  XlaBuilder b("test");
  PhiloxIncreaseCounter(XlaOp(), ConstantR0<uint64_t>(&b, 1));
  EXPECT_ERROR(b.Build(), "operand 0 of PhiloxIncreaseCounter is an uninitialized XlaOp");
}

TEST(PrngTest, Distributions) {
  const Shape shape = ShapeUtil::MakeShape(F32, {101, 99});
  const auto draw = [&](auto make) {
    XlaBuilder b("test");
    make(&b, ConstantR0<uint64_t>(&b, 7), ConstantR0<uint64_t>(&b, 0));
    return RunProgram(&b);
  };
  double sum = 0, squares = 0;
  const std::vector<float> uniform = Values<float>(draw([&](auto* b, XlaOp key, XlaOp state) {
    UniformFloatingPointDistribution(key, state, ThreeFryBitGenerator, ConstantR0<float>(b, 2),
                                     ConstantR0<float>(b, 4), shape);
  }));
  for (const float x : uniform) {
    ASSERT_GE(x, 2);
    ASSERT_LT(x, 4);
    sum += x;
  }
  EXPECT_NEAR(sum / 9999, 3, 0.03);
  const std::vector<float> normal = Values<float>(draw([&](auto*, XlaOp key, XlaOp state) {
    NormalFloatingPointDistribution(key, state, ThreeFryBitGenerator, shape);
  }));
  sum = 0;
  for (const float x : normal) {
    sum += x;
    squares += double{x} * x;
  }
  EXPECT_EQ(normal.size(), 9999u);
  EXPECT_NEAR(sum / 9999, 0, 0.05);
  EXPECT_NEAR(squares / 9999, 1, 0.05);
  const std::vector<int32_t> integers = Values<int32_t>(draw([&](auto* b, XlaOp key, XlaOp state) {
    UniformIntDistribution(key, state, ThreeFryBitGenerator, ConstantR0<int32_t>(b, -5),
                           ConstantR0<int32_t>(b, 5), ShapeUtil::MakeShape(S32, {1000}));
  }));
  std::vector<int> counts(10, 0);
  for (const int32_t x : integers) {
    ASSERT_TRUE(x >= -5 && x < 5);
    ++counts[x + 5];
  }
  for (const int count : counts) EXPECT_NEAR(count, 100, 50);
  EXPECT_ERROR(draw([&](auto*, XlaOp key, XlaOp state) {
                 NormalFloatingPointDistribution(key, state, ThreeFryBitGenerator,
                                                 ShapeUtil::MakeShape(S32, {2}));
               }),
               "NormalFloatingPointDistribution: Types other than");
}

}  // namespace
}  // namespace xla
