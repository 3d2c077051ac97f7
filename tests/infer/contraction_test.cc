// SPDX-License-Identifier: Apache-2.0
// Shape inference of contractions, linear algebra and random numbers.
#include "tests/infer/infer_test_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using Op = HloOpcode;

const DotAttributes kMatMul{.lhs_contracting_dims = {1}, .rhs_contracting_dims = {0}};

TEST(ContractionInference, Dot) {
  ExpectInferred(
      {{Op::kDot, {"f32[2,3]", "f32[3,4]"}, kMatMul, "f32[2,4]"},
       {Op::kDot, {"f32[2,3]", "f32[4,5]"}, {}, "f32[2,3,4,5]"},
       {Op::kDot,
        {"f32[7,2,3]", "f32[3,7,4]"},
        DotAttributes{.lhs_batch_dims = {0},
                      .lhs_contracting_dims = {2},
                      .rhs_batch_dims = {1},
                      .rhs_contracting_dims = {0}},
        "f32[7,2,4]"},
       {Op::kDot, {"s8[2,3]", "s32[3,4]"}, kMatMul, "s32[2,4]"},
       {Op::kDot,
        {"bf16[2,3]", "bf16[3,4]"},
        kMatMul,
        "f32[2,4]",
        {},
        "f32[2,4]"},  // declared: the preferred type
       {Op::kDot, {"f32[?,3]", "f32[?,<=4]"}, kMatMul, "f32[?,<=4]"},
       {Op::kDot,
        {"f32[2,3]", "f32[4,4]"},
        kMatMul,
        "! Contracting dimension sizes are not compatible"},
       {Op::kDot, {"f32[2]", "f32[4,4]"}, kMatMul, "! out of range in Dot"},
       {Op::kDot,
        {"f32[2,3]", "f32[3]"},
        DotAttributes{.lhs_contracting_dims = {0, 1}, .rhs_contracting_dims = {0}},
        "! same number of contracting"},
       {Op::kDot,
        {"f32[2,2]", "f32[2]"},
        DotAttributes{.lhs_contracting_dims = {0, 0}, .rhs_contracting_dims = {0}},
        "! not unique in Dot"},
       {Op::kDot,
        {"f32[2]", "f32[3]"},
        DotAttributes{.lhs_batch_dims = {0}, .rhs_batch_dims = {0}},
        "! Batch dimension sizes"},
       {Op::kDot, {"(f32[2])", "f32[2]"}, {}, "! Expected array argument for lhs of dot"}});
}

TEST(ContractionInference, ScaledDotScalesDivideTheirOperands) {
  ExpectInferred(
      {{Op::kScaledDot,
        {"f8e4m3fn[4,64]", "f8e4m3fn[64,8]", "f8e8m0fnu[4,2]", "f8e8m0fnu[2,8]"},
        kMatMul,
        "f32[4,8]",
        {},
        "f32[4,8]"},
       {Op::kScaledDot,
        {"bf16[4,64]", "bf16[64,8]", "bf16[1,1]", "bf16[1,1]"},
        kMatMul,
        "bf16[4,8]"},
       {Op::kScaledDot,
        {"f8e4m3fn[4,64]", "f8e4m3fn[64,8]", "f8e8m0fnu[4,3]", "f8e8m0fnu[2,8]"},
        kMatMul,
        "! Dimension 1 of operand f8e4m3fn[4,64] should be a multiple of dimension 1 of scale "
        "operand "
        "f8e8m0fnu[4,3]"},
       {Op::kScaledDot,
        {"f8e4m3fn[4,64]", "f8e4m3fn[64,8]", "f8e8m0fnu[4,2]", "f8e8m0fnu[8]"},
        kMatMul,
        "! f8e8m0fnu[8] has a different number of dimensions than operand f8e4m3fn[64,8]"},
       {Op::kScaledDot, {"bf16[4,64]", "bf16[64,8]", "bf16[]", "bf16[2,8]"}, kMatMul, "bf16[4,8]"},
       {Op::kScaledDot,
        {"bf16[4,64]", "bf16[64,8]", "bf16[]", "bf16[]"},
        kMatMul,
        "! At least one of the scales should be not a scalar"},
       {Op::kScaledDot,
        {"f8e4m3fn[4,64]", "f8e4m3fn[64,8]", "s8[4,2]", "f8e8m0fnu[2,8]"},
        kMatMul,
        "! must be floating point"}});
}

TEST(ContractionInference, RaggedDotHasThreeModes) {
  const RaggedDotAttributes free{.lhs_contracting_dims = {1},
                                 .rhs_contracting_dims = {1},
                                 .lhs_ragged_dims = {0},
                                 .rhs_group_dims = {0}};
  const RaggedDotAttributes contracting{
      .lhs_contracting_dims = {0}, .rhs_contracting_dims = {0}, .lhs_ragged_dims = {0}};
  const RaggedDotAttributes batch{.lhs_batch_dims = {0},
                                  .lhs_contracting_dims = {2},
                                  .rhs_batch_dims = {0},
                                  .rhs_contracting_dims = {1},
                                  .lhs_ragged_dims = {0}};
  RaggedDotAttributes no_group = free, group_contracting = free, no_ragged = free;
  no_group.rhs_group_dims = {};
  group_contracting.rhs_group_dims = {1};
  no_ragged.lhs_ragged_dims = {};
  ExpectInferred(
      {{Op::kRaggedDot, {"f32[11,5]", "f32[3,5,7]", "s32[3]"}, free, "f32[11,7]"},
       {Op::kRaggedDot, {"f32[11,5]", "f32[11,7]", "s32[3]"}, contracting, "f32[3,5,7]"},
       {Op::kRaggedDot, {"f32[3,11,5]", "f32[3,5,7]", "s32[3]"}, batch, "f32[3,11,7]"},
       {Op::kRaggedDot,
        {"f32[11,5]", "f32[3,5,7]", "s32[2]"},
        free,
        "! expected to have size=2, got 3"},
       {Op::kRaggedDot,
        {"f32[11,5]", "f32[3,5,7]", "s32[2,3]"},
        free,
        "! expected group_sizes to have rank 1, got 2"},
       {Op::kRaggedDot, {"f32[11,5]", "f32[3,5,7]", "f32[3]"}, free, "! must be integers"},
       {Op::kRaggedDot,
        {"f32[11,5]", "f32[3,5,7]", "s32[3]"},
        no_group,
        "! exactly one group dimension"},
       {Op::kRaggedDot,
        {"f32[11,5]", "f32[3,5,7]", "s32[3]"},
        group_contracting,
        "! cannot be a batch or contracting dimension"},
       {Op::kRaggedDot,
        {"f32[11,5]", "f32[3,5,7]", "s32[3]"},
        no_ragged,
        "! exactly one ragged dimension"}});
}

// One list of group sizes for each index of the dimensions before the ragged one.
TEST(ContractionInference, LongFormOfGroupSizes) {
  const RaggedDotAttributes free{.lhs_batch_dims = {0},
                                 .lhs_contracting_dims = {3},
                                 .rhs_batch_dims = {1},
                                 .rhs_contracting_dims = {2},
                                 .lhs_ragged_dims = {2},
                                 .rhs_group_dims = {0}};
  const std::string lhs = "f32[2,4,11,5]", rhs = "f32[3,2,5,7]", result = "f32[2,4,11,7]";
  ExpectInferred(
      {{Op::kRaggedDot, {lhs, rhs, "s32[2,4,3]"}, free, result},
       {Op::kRaggedDot, {lhs, rhs, "s32[3]"}, free, result},
       {Op::kRaggedDot, {lhs, rhs, "s32[2,5,3]"}, free, "! expected to have shape [2, 4, 3]"},
       {Op::kRaggedDot, {lhs, rhs, "s32[3,4,3]"}, free, "! expected to have shape [2, 4, 3]"},
       {Op::kRaggedDot,
        {lhs, rhs, "s32[4,3]"},
        free,
        "! expected group_sizes to have rank 3, got 2"},
       {Op::kRaggedDot, {lhs, rhs, "s32[2,4,2]"}, free, "! expected to have size=2, got 3"}});
}

ConvolutionAttributes Conv2d(std::vector<WindowDim> window) {
  return {.window = {std::move(window)},
          .dim_labels = {.input_batch = 0,
                         .input_feature = 3,
                         .input_spatial = {1, 2},
                         .kernel_input_feature = 2,
                         .kernel_output_feature = 3,
                         .kernel_spatial = {0, 1},
                         .output_batch = 0,
                         .output_feature = 3,
                         .output_spatial = {1, 2}}};
}

TEST(ContractionInference, Convolution) {
  const ConvolutionAttributes plain = Conv2d({{.size = 3}, {.size = 3}});
  ConvolutionAttributes grouped = plain, batch_grouped = plain, both = plain, repeated = plain,
                        no_spatial;
  grouped.feature_group_count = 2;
  batch_grouped.batch_group_count = 2;
  both.feature_group_count = both.batch_group_count = 2;
  repeated.dim_labels.input_feature = 0;
  no_spatial.dim_labels = {.input_batch = 0,
                           .input_feature = 1,
                           .kernel_input_feature = 0,
                           .kernel_output_feature = 1,
                           .output_batch = 0,
                           .output_feature = 1};
  const WindowDim strided{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1};
  ExpectInferred(
      {{Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,8,16]"},
        Conv2d({strided, strided}),
        "f32[1,5,5,16]"},
       {Op::kConvolution, {"f32[1,9,9,8]", "f32[3,3,4,16]"}, grouped, "f32[1,7,7,16]"},
       {Op::kConvolution, {"f32[4,9,9,8]", "f32[3,3,8,16]"}, batch_grouped, "f32[2,7,7,16]"},
       {Op::kConvolution, {"f32[4,8]", "f32[8,16]"}, no_spatial, "f32[4,16]"},
       {Op::kConvolution,
        {"s8[1,9,9,8]", "s8[3,3,8,16]"},
        plain,
        "s32[1,7,7,16]",
        {},
        "s32[1,7,7,16]"},
       {Op::kConvolution, {"f32[?,9,?,8]", "f32[3,3,8,16]"}, plain, "f32[?,7,?,16]"},
       {Op::kConvolution, {"f32[<=4,9,<=9,8]", "f32[3,3,8,16]"}, plain, "f32[<=4,7,<=7,16]"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,4,16]"},
        plain,
        "! Expected LHS feature dimension (value 8)"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,4,15]"},
        grouped,
        "! divisible by feature_group_count (value 2)"},
       {Op::kConvolution,
        {"f32[3,9,9,8]", "f32[3,3,8,16]"},
        batch_grouped,
        "! divisible by batch_group_count"},
       {Op::kConvolution, {"f32[1,9,9,8]", "f32[3,3,8,16]"}, both, "! cannot be greater than 1"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,2,8,16]"},
        plain,
        "! Window dimensions do not match RHS shape"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,8,<=16]"},
        plain,
        "! Dynamic output feature dim"},
       {Op::kConvolution,
        {"f32[1,9,8]", "f32[3,3,8,16]"},
        plain,
        "! LHS argument to a convolution should have rank 4"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,8,16]"},
        repeated,
        "! contain each dimension exactly once"},
       {Op::kConvolution,
        {"f32[1,9,9,8]", "f32[3,3,8,16]"},
        Conv2d({{.size = 3}}),
        "! Window must have same number"}});
}

TEST(LinearAlgebraInference, Fft) {
  const auto fft = [](FftType type, Int64s length) {
    return FftAttributes{type, std::move(length)};
  };
  ExpectInferred(
      {{Op::kFft, {"c64[2,8]{0,1}"}, fft(FftType::FFT, {8}), "c64[2,8]{0,1}"},
       {Op::kFft, {"f32[2,8]{0,1}"}, fft(FftType::RFFT, {8}), "c64[2,5]{0,1}"},
       {Op::kFft, {"f64[4,8]"}, fft(FftType::RFFT, {4, 8}), "c128[4,5]"},
       {Op::kFft, {"c64[2,5]"}, fft(FftType::IRFFT, {9}), "f32[2,9]"},
       {Op::kFft, {"c64[2,<=5]"}, fft(FftType::IRFFT, {8}), "f32[2,<=8]"},
       {Op::kFft, {"f32[2,?]"}, fft(FftType::RFFT, {8}), "c64[2,5]"},
       {Op::kFft, {"f32[0]"}, fft(FftType::RFFT, {0}), "c64[0]"},
       {Op::kFft,
        {"f32[2]"},
        fft(FftType::FFT, {2}),
        "! FFT requires complex input type, found F32"},
       {Op::kFft, {"f32[8]"}, fft(FftType::RFFT, {7}), "! dimension 0 is 8 and should be 7"},
       {Op::kFft, {"c64[5]"}, fft(FftType::IRFFT, {7}), "! dimension 0 is 5 and should be 4"},
       {Op::kFft, {"f16[8]"}, fft(FftType::RFFT, {8}), "! requires F32 or F64"},
       {Op::kFft, {"c64[8]"}, fft(FftType::FFT, {8, 8}), "! input of at least same rank"},
       {Op::kFft, {"c64[8]"}, fft(FftType::FFT, {}), "! ranks 1-3; got 0"}});
}

TEST(LinearAlgebraInference, CholeskyAndTriangularSolve) {
  TriangularSolveAttributes left{.left_side = true,
                                 .transpose_a = TriangularSolveOptions_Transpose_NO_TRANSPOSE};
  TriangularSolveAttributes right{.transpose_a = TriangularSolveOptions_Transpose_ADJOINT};
  ExpectInferred(
      {{Op::kCholesky, {"f32[2,3,3]{0,1,2}"}, {}, "f32[2,3,3]{0,1,2}"},
       {Op::kCholesky, {"f32[3,4]"}, {}, "! must have equal size, got f32[3,4]"},
       {Op::kCholesky, {"f32[3]"}, {}, "! must have rank >= 2"},
       {Op::kCholesky, {"s32[3,3]"}, {}, "! floating or complex for Cholesky; got S32"},
       {Op::kTriangularSolve, {"f32[3,3]", "f32[3,5]"}, left, "f32[3,5]"},
       {Op::kTriangularSolve, {"c64[3,3]", "c64[5,3]"}, right, "c64[5,3]"},
       {Op::kTriangularSolve, {"f32[3,3]", "f32[5,3]"}, left, "! shared dimension"},
       {Op::kTriangularSolve, {"f32[2,3,3]", "f32[3,3,5]"}, left, "! batch dimensions"},
       {Op::kTriangularSolve, {"f32[3,3]", "f64[3,5]"}, left, "! identical for TriangularSolve"},
       {Op::kTriangularSolve,
        {"f32[3,3]", "f32[3,5]"},
        TriangularSolveAttributes{.left_side = true},
        "! Invalid transpose option"}});
}

TEST(RandomInference, Rng) {
  const RngAttributes uniform{RandomDistribution::RNG_UNIFORM},
      normal{RandomDistribution::RNG_NORMAL};
  const RngBitGeneratorAttributes philox{RandomAlgorithm::RNG_PHILOX};
  ExpectInferred(
      {{Op::kRng, {"f32[]", "f32[]"}, uniform, "f32[2,3]", {}, "f32[2,3]"},
       {Op::kRng, {"s32[]", "s32[]"}, normal, "! FloatingPointType for RngNormal", {}, "s32[2]"},
       {Op::kRng, {"f32[]", "f32[1]"}, uniform, "! scalar types", {}, "f32[2]"},
       {Op::kRng, {"f32[]", "f32[]"}, uniform, "! compatible element types", {}, "s32[2]"},
       {Op::kRng, {"f32[]", "f32[]"}, {}, "! Invalid Rng distribution", {}, "f32[2]"},
       {Op::kRng, {"f32[]"}, uniform, "! Expected 2 operands", {}, "f32[2]"},
       {Op::kRngBitGenerator, {"u64[2]"}, philox, "(u64[2], u32[5])", {}, "(u64[2], u32[5])"},
       {Op::kRngBitGenerator,
        {"u64[2]"},
        philox,
        "! Expected state shape to match",
        {},
        "(u64[3], u32[5])"},
       {Op::kRngBitGenerator, {"u64[2]"}, philox, "! 2 elements", {}, "(u64[2])"},
       {Op::kRngGetAndUpdateState, {}, {}, "u64[2]"},
       {Op::kRngGetAndUpdateState,
        {},
        {},
        "! equal to u64[2], actual shape is u64[3]",
        {},
        "u64[3]"}});
}

}  // namespace
}  // namespace xla
