// SPDX-License-Identifier: Apache-2.0
// Contractions, linear algebra and random numbers as HLO.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// The value of `keyword` in a list of names.
template <typename T, size_t kCount>
absl::StatusOr<T> Choose(Translator& translator, const Operation& operation,
                         std::string_view keyword,
                         const std::pair<std::string_view, T> (&choices)[kCount]) {
  for (const auto& [name, value] : choices) {
    if (name == keyword) return value;
  }
  return translator.Error(operation, absl::StrCat("'", View(keyword), "' is not a valid keyword"));
}

absl::StatusOr<Precisions> PrecisionsOf(Translator& translator, const Operation& operation) {
  using Precision = PrecisionConfig_Precision;
  static constexpr std::pair<std::string_view, Precision> kPrecisions[] = {
      {"DEFAULT", PrecisionConfig_Precision_DEFAULT},
      {"HIGH", PrecisionConfig_Precision_HIGH},
      {"HIGHEST", PrecisionConfig_Precision_HIGHEST}};
  Precisions result;
  const mlir::AttributeRef config = operation.Find("precision_config");
  const auto* array = config == nullptr ? nullptr : config->As<mlir::ArrayAttribute>();
  if (array == nullptr) return result;
  for (const mlir::AttributeRef element : array->elements) {
    const auto* keyword = element->As<mlir::DialectAttribute>();
    if (keyword == nullptr) return translator.Error(operation, "precision_config is not valid");
    XLA_ASSIGN_OR_RETURN(const Precision precision,
                         Choose(translator, operation, keyword->text, kPrecisions));
    result.values.push_back(precision);
  }
  return result;
}

// Types of a dot algorithm. A null type stands for any of the types of 8 bits.
struct DotAlgorithm {
  const char* operands;
  const char* accumulator;
  int64_t primitive_operations;
  bool imprecise;
  PrecisionConfig_Algorithm algorithm;
};

constexpr DotAlgorithm kDotAlgorithms[] = {
    {nullptr, "f32", 1, false, PrecisionConfig_Algorithm_ALG_DOT_ANY_F8_ANY_F8_F32},
    {nullptr, "f32", 1, true, PrecisionConfig_Algorithm_ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM},
    {"f16", "f16", 1, false, PrecisionConfig_Algorithm_ALG_DOT_F16_F16_F16},
    {"f16", "f32", 1, false, PrecisionConfig_Algorithm_ALG_DOT_F16_F16_F32},
    {"bf16", "bf16", 1, false, PrecisionConfig_Algorithm_ALG_DOT_BF16_BF16_BF16},
    {"bf16", "f32", 1, false, PrecisionConfig_Algorithm_ALG_DOT_BF16_BF16_F32},
    {"bf16", "f32", 3, false, PrecisionConfig_Algorithm_ALG_DOT_BF16_BF16_F32_X3},
    {"bf16", "f32", 6, false, PrecisionConfig_Algorithm_ALG_DOT_BF16_BF16_F32_X6},
    {"bf16", "f32", 9, false, PrecisionConfig_Algorithm_ALG_DOT_BF16_BF16_F32_X9},
    {"tf32", "f32", 1, false, PrecisionConfig_Algorithm_ALG_DOT_TF32_TF32_F32},
    {"tf32", "f32", 3, false, PrecisionConfig_Algorithm_ALG_DOT_TF32_TF32_F32_X3},
    {"f32", "f32", 1, false, PrecisionConfig_Algorithm_ALG_DOT_F32_F32_F32},
    {"f64", "f64", 1, false, PrecisionConfig_Algorithm_ALG_DOT_F64_F64_F64},
};

absl::StatusOr<PrecisionConfig_Algorithm> AlgorithmOf(Translator& translator,
                                                      const Operation& operation) {
  const mlir::AttributeRef attribute = operation.Find("algorithm");
  if (attribute == nullptr) return PrecisionConfig_Algorithm_ALG_UNSET;
  const auto* algorithm = attribute->As<mlir::DialectAttribute>();
  if (algorithm == nullptr) return translator.Error(operation, "the algorithm is not valid");
  const auto type = [&](std::string_view name) {
    const mlir::AttributeRef value = mlir::FindAttribute(algorithm->parameters, name);
    const auto* type = value == nullptr ? nullptr : value->As<mlir::TypeAttribute>();
    return type == nullptr ? std::string() : mlir::ToString(type->type);
  };
  const auto integer = [&](std::string_view name) {
    const mlir::AttributeRef value = mlir::FindAttribute(algorithm->parameters, name);
    const auto* integer = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
    return integer == nullptr ? int64_t{0} : integer->value;
  };
  const std::string lhs = type("lhs_precision_type"), rhs = type("rhs_precision_type");
  for (const DotAlgorithm& known : kDotAlgorithms) {
    const auto is_operand = [&](const std::string& name) {
      return known.operands == nullptr ? name.rfind("f8", 0) == 0 : name == known.operands;
    };
    if (is_operand(lhs) && is_operand(rhs) && type("accumulation_type") == known.accumulator &&
        integer("num_primitive_operations") == known.primitive_operations &&
        (integer("allow_imprecise_accumulation") != 0) == known.imprecise) {
      return known.algorithm;
    }
  }
  return translator.Unimplemented(operation, "this dot algorithm");
}

absl::Status TranslateRaggedDot(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* numbers,
                       translator.Struct(operation, "ragged_dot_dimension_numbers"));
  RaggedDotAttributes attributes;
  const auto list = [&](std::string_view name) {
    return translator.Parameters(operation, *numbers, name);
  };
  XLA_ASSIGN_OR_RETURN(attributes.lhs_batch_dims, list("lhs_batching_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.rhs_batch_dims, list("rhs_batching_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.lhs_contracting_dims, list("lhs_contracting_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.rhs_contracting_dims, list("rhs_contracting_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.lhs_ragged_dims, list("lhs_ragged_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.rhs_group_dims, list("rhs_group_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.precision, PrecisionsOf(translator, operation));
  return translator.EmitResults(operation, HloOpcode::kRaggedDot, translator.Operands(operation),
                                std::move(attributes));
}

absl::Status TranslateDotGeneral(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* numbers,
                       translator.Struct(operation, "dot_dimension_numbers"));
  DotAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.algorithm, AlgorithmOf(translator, operation));
  const auto list = [&](std::string_view name) {
    return translator.Parameters(operation, *numbers, name);
  };
  XLA_ASSIGN_OR_RETURN(attributes.lhs_batch_dims, list("lhs_batching_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.rhs_batch_dims, list("rhs_batching_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.lhs_contracting_dims, list("lhs_contracting_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.rhs_contracting_dims, list("rhs_contracting_dimensions"));
  XLA_ASSIGN_OR_RETURN(attributes.precision, PrecisionsOf(translator, operation));
  return translator.EmitResults(operation, HloOpcode::kDot, translator.Operands(operation),
                                std::move(attributes));
}

// Contracts the last dimension of the left with the first of the right.
absl::Status TranslateDot(Translator& translator, const Operation& operation) {
  DotAttributes attributes;
  const size_t rank = translator.Operand(operation, 0)->shape().dimensions().size();
  if (rank == 0) return translator.Error(operation, "needs an operand of rank 1 or 2");
  attributes.lhs_contracting_dims = {static_cast<int64_t>(rank) - 1};
  attributes.rhs_contracting_dims = {0};
  XLA_ASSIGN_OR_RETURN(attributes.precision, PrecisionsOf(translator, operation));
  return translator.EmitResults(operation, HloOpcode::kDot, translator.Operands(operation),
                                std::move(attributes));
}

absl::Status TranslateConvolution(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* numbers,
                       translator.Struct(operation, "dimension_numbers"));
  const auto list = [&](std::string_view name) {
    return translator.Parameters(operation, *numbers, name);
  };
  const auto one = [&](std::string_view name) {
    return translator.Parameter(operation, *numbers, name);
  };
  ConvolutionAttributes attributes;
  ConvDims& dims = attributes.dim_labels;
  XLA_ASSIGN_OR_RETURN(dims.input_batch, one("input_batch_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.input_feature, one("input_feature_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.input_spatial, list("input_spatial_dimensions"));
  XLA_ASSIGN_OR_RETURN(dims.kernel_input_feature, one("kernel_input_feature_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.kernel_output_feature, one("kernel_output_feature_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.kernel_spatial, list("kernel_spatial_dimensions"));
  XLA_ASSIGN_OR_RETURN(dims.output_batch, one("output_batch_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.output_feature, one("output_feature_dimension"));
  XLA_ASSIGN_OR_RETURN(dims.output_spatial, list("output_spatial_dimensions"));
  const size_t rank = dims.kernel_spatial.size();
  const auto window = [&](std::string_view name, size_t count, int64_t value) {
    return translator.IntegersOr(operation, name, count, value);
  };
  XLA_ASSIGN_OR_RETURN(const auto strides, window("window_strides", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto lhs_dilation, window("lhs_dilation", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto rhs_dilation, window("rhs_dilation", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto reversal, window("window_reversal", rank, 0));
  std::vector<int64_t> padding;
  if (operation.Is("stablehlo.dynamic_conv") || operation.Is("mhlo.dynamic_conv")) {
    XLA_ASSIGN_OR_RETURN(padding, translator.ConstantOperand(operation, 2));
    if (padding.size() != 2 * rank) {
      return translator.Error(operation, "needs two numbers of padding for each dimension");
    }
  } else {
    XLA_ASSIGN_OR_RETURN(padding, window("padding", 2 * rank, 0));
  }
  const Shape& kernel = translator.Operand(operation, 1)->shape();
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dimension = dims.kernel_spatial[i];
    if (dimension < 0 || dimension >= static_cast<int64_t>(kernel.dimensions().size())) {
      return translator.Error(operation, "a spatial dimension is not one of the kernel");
    }
    WindowDim dim;
    dim.size = kernel.dimensions(static_cast<int>(dimension));
    dim.stride = strides[i];
    dim.padding_low = padding[2 * i];
    dim.padding_high = padding[2 * i + 1];
    dim.base_dilation = lhs_dilation[i];
    dim.window_dilation = rhs_dilation[i];
    dim.window_reversal = reversal[i] != 0;
    attributes.window.dims.push_back(dim);
  }
  attributes.feature_group_count = translator.IntegerOr(operation, "feature_group_count", 1);
  attributes.batch_group_count = translator.IntegerOr(operation, "batch_group_count", 1);
  XLA_ASSIGN_OR_RETURN(attributes.precision, PrecisionsOf(translator, operation));
  return translator.EmitResults(
      operation, HloOpcode::kConvolution,
      {translator.Operand(operation, 0), translator.Operand(operation, 1)}, std::move(attributes));
}

absl::Status TranslateCholesky(Translator& translator, const Operation& operation) {
  CholeskyAttributes attributes;
  attributes.lower = translator.Flag(operation, "lower");
  return translator.EmitResults(operation, HloOpcode::kCholesky, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateTriangularSolve(Translator& translator, const Operation& operation) {
  using Transpose = decltype(TriangularSolveAttributes::transpose_a);
  static constexpr std::pair<std::string_view, Transpose> kTransposes[] = {
      {"NO_TRANSPOSE", TriangularSolveOptions_Transpose_NO_TRANSPOSE},
      {"TRANSPOSE", TriangularSolveOptions_Transpose_TRANSPOSE},
      {"ADJOINT", TriangularSolveOptions_Transpose_ADJOINT}};
  TriangularSolveAttributes attributes;
  attributes.left_side = translator.Flag(operation, "left_side");
  attributes.lower = translator.Flag(operation, "lower");
  attributes.unit_diagonal = translator.Flag(operation, "unit_diagonal");
  XLA_ASSIGN_OR_RETURN(
      attributes.transpose_a,
      Choose(translator, operation, translator.Keyword(operation, "transpose_a"), kTransposes));
  return translator.EmitResults(operation, HloOpcode::kTriangularSolve,
                                translator.Operands(operation), attributes);
}

absl::Status TranslateFft(Translator& translator, const Operation& operation) {
  using Type = decltype(FftAttributes::fft_type);
  static constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"FFT", Type::FFT}, {"IFFT", Type::IFFT}, {"RFFT", Type::RFFT}, {"IRFFT", Type::IRFFT}};
  FftAttributes attributes;
  XLA_ASSIGN_OR_RETURN(
      attributes.fft_type,
      Choose(translator, operation, translator.Keyword(operation, "fft_type"), kTypes));
  XLA_ASSIGN_OR_RETURN(attributes.fft_length, translator.Integers(operation, "fft_length"));
  return translator.EmitResults(operation, HloOpcode::kFft, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateRng(Translator& translator, const Operation& operation) {
  using Distribution = decltype(RngAttributes::distribution);
  static constexpr std::pair<std::string_view, Distribution> kDistributions[] = {
      {"UNIFORM", Distribution::RNG_UNIFORM}, {"NORMAL", Distribution::RNG_NORMAL}};
  RngAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.distribution,
                       Choose(translator, operation,
                              translator.Keyword(operation, "rng_distribution"), kDistributions));
  return translator.EmitResults(
      operation, HloOpcode::kRng,
      {translator.Operand(operation, 0), translator.Operand(operation, 1)}, attributes);
}

absl::Status TranslateRngBitGenerator(Translator& translator, const Operation& operation) {
  using Algorithm = decltype(RngBitGeneratorAttributes::algorithm);
  static constexpr std::pair<std::string_view, Algorithm> kAlgorithms[] = {
      {"DEFAULT", Algorithm::RNG_DEFAULT},
      {"THREE_FRY", Algorithm::RNG_THREE_FRY},
      {"PHILOX", Algorithm::RNG_PHILOX}};
  RngBitGeneratorAttributes attributes;
  XLA_ASSIGN_OR_RETURN(
      attributes.algorithm,
      Choose(translator, operation, translator.Keyword(operation, "rng_algorithm"), kAlgorithms));
  return translator.EmitResults(operation, HloOpcode::kRngBitGenerator,
                                translator.Operands(operation), attributes);
}

}  // namespace

void AddContractionHandlers(HandlerTable* table) {
  table->emplace("chlo.ragged_dot", TranslateRaggedDot);
  table->emplace("stablehlo.cholesky", TranslateCholesky);
  table->emplace("stablehlo.convolution", TranslateConvolution);
  table->emplace("stablehlo.dot", TranslateDot);
  table->emplace("stablehlo.dot_general", TranslateDotGeneral);
  table->emplace("mhlo.dynamic_conv", TranslateConvolution);
  table->emplace("stablehlo.dynamic_conv", TranslateConvolution);
  table->emplace("stablehlo.fft", TranslateFft);
  table->emplace("stablehlo.rng", TranslateRng);
  table->emplace("stablehlo.rng_bit_generator", TranslateRngBitGenerator);
  table->emplace("stablehlo.triangular_solve", TranslateTriangularSolve);
}

}  // namespace xla::stablehlo
