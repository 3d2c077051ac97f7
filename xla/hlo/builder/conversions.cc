// SPDX-License-Identifier: Apache-2.0
// Arguments of the client API as attributes of instructions.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/extras_proto.h"

namespace xla {

std::vector<XlaOp> Concatenated(absl::Span<const XlaOp> first, absl::Span<const XlaOp> second) {
  std::vector<XlaOp> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

absl::StatusOr<Precisions> PrecisionsOf(const PrecisionConfig* config, int64_t operand_count) {
  if (config == nullptr) return Precisions();
  return proto::ReadPrecisions(*config, operand_count);
}

PrecisionConfig::Algorithm AlgorithmOf(const PrecisionConfig* config) {
  return config == nullptr ? PrecisionConfig::ALG_UNSET : config->algorithm();
}

absl::StatusOr<WindowDims> MakeWindow(absl::Span<const int64_t> sizes,
                                      absl::Span<const int64_t> strides,
                                      absl::Span<const std::pair<int64_t, int64_t>> padding,
                                      absl::Span<const int64_t> base_dilations,
                                      absl::Span<const int64_t> window_dilations,
                                      const std::optional<std::vector<bool>>& reversal) {
  const auto check = [&](size_t size, const char* what) -> absl::Status {
    if (size == 0 || size == sizes.size()) return absl::OkStatus();
    return InvalidArgument(
        "Window has different number of window dimensions than of %s: %u and %u.", what,
        sizes.size(), size);
  };
  XLA_RETURN_IF_ERROR(check(strides.size(), "window strides"));
  XLA_RETURN_IF_ERROR(check(padding.size(), "padding entries"));
  XLA_RETURN_IF_ERROR(check(base_dilations.size(), "lhs dilation factors"));
  XLA_RETURN_IF_ERROR(check(window_dilations.size(), "rhs dilation factors"));
  if (reversal.has_value()) {
    XLA_RETURN_IF_ERROR(check(reversal->size(), "window reversal flags"));
  }
  WindowDims window;
  for (size_t i = 0; i < sizes.size(); ++i) {
    WindowDim dim;
    dim.size = sizes[i];
    if (!strides.empty()) dim.stride = strides[i];
    if (!padding.empty()) std::tie(dim.padding_low, dim.padding_high) = padding[i];
    if (!base_dilations.empty()) dim.base_dilation = base_dilations[i];
    if (!window_dilations.empty()) dim.window_dilation = window_dilations[i];
    if (reversal.has_value() && !reversal->empty()) dim.window_reversal = (*reversal)[i];
    window.dims.push_back(dim);
  }
  return window;
}

absl::StatusOr<ConvDims> ToConvDims(const ConvolutionDimensionNumbers& numbers) {
  return proto::ReadConvDims(numbers);
}

WindowDims ToWindowDims(const Window& window) { return proto::ReadWindow(window); }

std::vector<OutputOperandAlias> ToAliases(AliasingPairs aliasing) {
  std::vector<OutputOperandAlias> aliases;
  for (const auto& [output, operand] : aliasing) {
    aliases.push_back({.output_index = ToInt64s(output),
                       .operand = operand.first,
                       .operand_index = ToInt64s(operand.second)});
  }
  return aliases;
}

absl::StatusOr<AccuracySpec> ToAccuracy(const ResultAccuracy& proto) {
  XLA_ASSIGN_OR_RETURN(const AccuracySpec accuracy, proto::ReadAccuracy(proto));
  if (!(accuracy.atol >= 0) || !(accuracy.rtol >= 0) || accuracy.ulps < 0) {
    return InvalidArgument(
        "The tolerances of result_accuracy must not be negative: atol=%g, rtol=%g, ulps=%d",
        accuracy.atol, accuracy.rtol, accuracy.ulps);
  }
  return accuracy;
}

}  // namespace xla
