// SPDX-License-Identifier: Apache-2.0
// Rules of convolutions.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::TypeRef;

struct ConvolutionDimensions {
  std::vector<int64_t> input, kernel, output;  // batch (input feature), feature (output), spatial
};

ConvolutionDimensions ReadDimensions(const Check& check) {
  constexpr std::string_view kNumbers = "dimension_numbers";
  const auto read = [&](std::string_view first, std::string_view second, std::string_view spatial) {
    std::vector<int64_t> all = {check.IntegerParameter(kNumbers, first, 0),
                                check.IntegerParameter(kNumbers, second, 0)};
    const auto rest = check.Parameter(kNumbers, spatial);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  return {read("input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"),
          read("kernel_input_feature_dimension", "kernel_output_feature_dimension",
               "kernel_spatial_dimensions"),
          read("output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions")};
}

bool CheckDimensions(Check& check, const ConvolutionDimensions& dims) {
  const int64_t rank = check.rank(0);
  if (rank != check.rank(1)) {
    return check.Fail("expects convolution arguments to have same number of dimensions. Got: ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.operand(1)));
  }
  if (rank < 2) {
    return check.Fail("expects convolution arguments to have >= 2 dimensions. Got: ",
                      mlir::ToString(check.operand(0)));
  }
  if (dims.input.size() != dims.kernel.size() || dims.input.size() != dims.output.size()) {
    return check.Fail(
        "expects the same size for input, kernel and output spatial-dimensions, but "
        "got ",
        dims.input.size() - 2, ", ", dims.kernel.size() - 2, ", and ", dims.output.size() - 2);
  }
  if (static_cast<int64_t>(dims.input.size()) != rank) {
    return check.Fail("expects convolution arguments to have ", dims.input.size(),
                      " dimensions. Got: ", rank);
  }
  for (const auto& list : {dims.input, dims.kernel, dims.output}) {
    for (const int64_t dimension : list) {
      if (dimension < 0 || dimension >= rank) {
        return check.Fail("expects input, kernel, and output dimension-numbers to be in-range [0, ",
                          rank, "), but got ", dimension);
      }
    }
  }
  return check.Distinct("input dimension-numbers", dims.input) &&
         check.Distinct("kernel dimension-numbers", dims.kernel) &&
         check.Distinct("output dimension-numbers", dims.output);
}

// Batches and features divide by the numbers of groups.
bool CheckGroups(Check& check, const ConvolutionDimensions& dims) {
  const int64_t features = check.Integer("feature_group_count", 1);
  const int64_t batches = check.Integer("batch_group_count", 1);
  const auto input = [&](size_t i) { return check.sizes(0)[static_cast<size_t>(dims.input[i])]; };
  const auto kernel = [&](size_t i) { return check.sizes(1)[static_cast<size_t>(dims.kernel[i])]; };
  if (features > 1 && batches > 1) {
    return check.Fail(
        "expects batch_group_count and feature_group_count not to be both greater "
        "than 1. Got ",
        batches, " and ", features);
  }
  if (!IsDynamicSize(input(0)) && input(0) % batches != 0) {
    return check.Fail("expects input batch dimension (", input(0),
                      ") to be divisible by batch_group_count. Got batch_group_count = ", batches);
  }
  if (!IsDynamicSize(input(1)) && input(1) % features != 0) {
    return check.Fail(
        "expects input feature dimension (", input(1),
        ") to be a multiple of feature_group_count. Got feature_group_count = ", features);
  }
  if (!IsDynamicSize(input(1)) && !IsDynamicSize(kernel(0)) && input(1) / features != kernel(0)) {
    return check.Fail("expects input feature dimension (", input(1),
                      ") / feature_group_count = kernel input feature dimension (", kernel(0),
                      "). Got feature_group_count = ", features);
  }
  if (!IsDynamicSize(kernel(1)) && kernel(1) % features != 0) {
    return check.Fail("expects kernel output feature dimension (", kernel(1),
                      ") to be divisible by feature_group_count = ", features);
  }
  return check.Require(
      IsDynamicSize(kernel(1)) || kernel(1) % batches == 0,
      "expects output feature dimension size (", kernel(1),
      ") to be a multiple of batch_group_count. Got batch_group_count = ", batches);
}

bool CheckPrecisions(Check& check) {
  const mlir::AttributeRef config = check.operation().Find("precision_config");
  const auto* list = config == nullptr ? nullptr : config->As<mlir::ArrayAttribute>();
  return check.Require(list == nullptr || list->elements.size() <= 2,
                       "expects precision config to be empty or have <= 2 elements");
}

bool ConvolutionRule(Check& check) {
  if (!check.AllTensors()) return false;
  const bool is_mhlo = check.Is("mhlo.dynamic_conv");
  const bool is_dynamic = is_mhlo || check.Is("stablehlo.dynamic_conv");
  const TypeRef input = check.operand(0)->element, kernel = check.operand(1)->element;
  const bool quantized = ((ClassOf(input) | ClassOf(kernel)) & (kQuantizeds | kPerAxis)) != 0;
  const ConvolutionDimensions dims = ReadDimensions(check);
  if (!CheckDimensions(check, dims)) return false;
  if (!quantized && input != kernel) {
    return check.Fail("expects lhs and rhs to have compatible element type. Got: ",
                      mlir::ToString(input), " and ", mlir::ToString(kernel));
  }
  Check::Window window;
  for (size_t i = 2; i < dims.kernel.size(); ++i) {
    window.sizes.push_back(check.sizes(1)[static_cast<size_t>(dims.kernel[i])]);
  }
  const size_t spatial = window.sizes.size();
  if (is_dynamic) {
    const auto shape = check.sizes(2);
    // MHLO takes the numbers in one row as well.
    const bool is_row =
        is_mhlo && shape.size() == 1 && SizesAgree(shape[0], static_cast<int64_t>(2 * spatial));
    if (!is_row && (shape.size() != 2 || !SizesAgree(shape[0], static_cast<int64_t>(spatial)) ||
                    !SizesAgree(shape[1], 2))) {
      return check.Fail("expects padding to be of shape [", spatial, ", 2], but got ",
                        ListText(shape));
    }
  }
  const mlir::AttributeRef reversal = check.operation().Find("window_reversal");
  if (reversal != nullptr) {
    const auto flags = check.List(*reversal).value_or(std::vector<int64_t>());
    if (!flags.empty() && flags.size() != spatial) {
      return check.Fail(
          "expects window-reversal to have same dimension-size as size of window "
          "dimensions (",
          spatial, "), but got: ", flags.size());
    }
  }
  if (!check.ReadWindow(&window, "lhs_dilation", "rhs_dilation") || !CheckGroups(check, dims) ||
      !CheckPrecisions(check)) {
    return false;
  }
  std::vector<int64_t> sizes(dims.output.size(), mlir::kDynamic);
  const auto at = [&](size_t i) -> int64_t& { return sizes[static_cast<size_t>(dims.output[i])]; };
  const int64_t batch = check.sizes(0)[static_cast<size_t>(dims.input[0])];
  at(0) = IsDynamicSize(batch) ? batch : batch / check.Integer("batch_group_count", 1);
  at(1) = check.sizes(1)[static_cast<size_t>(dims.kernel[1])];
  if (!is_dynamic) {
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t size = check.sizes(0)[static_cast<size_t>(dims.input[i + 2])];
      at(i + 2) = Check::WindowedSize(window, i, size);
    }
  }
  return check.ResultIs(0, sizes, check.result(0)->element);
}

constexpr char kConvolutionAttributes[] =
    "dimension_numbers:struct window_strides:list? padding? lhs_dilation:list? rhs_dilation:list? "
    "window_reversal:flags? feature_group_count:i64+ batch_group_count:i64+ precision_config?";
constexpr OperationRule kConvolutionRules[] = {
    {"stablehlo.convolution", 2, 2, 1, 1, 0, kAnyElements, kConvolutionAttributes, ConvolutionRule},
    {"mhlo.dynamic_conv", 3, 3, 1, 1, 0, kAnyElements, kConvolutionAttributes, ConvolutionRule},
    {"stablehlo.dynamic_conv", 3, 3, 1, 1, 0, kAnyElements, kConvolutionAttributes,
     ConvolutionRule},
};

}  // namespace

void AddConvolutionRules(RuleTable* table) {
  for (const OperationRule& rule : kConvolutionRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
