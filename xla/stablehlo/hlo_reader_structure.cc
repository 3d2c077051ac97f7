// SPDX-License-Identifier: Apache-2.0
// Operations of HLO that move, reduce and contract, as StableHLO.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/hlo_reader.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;

// "name = [dimensions]", the only attribute.
absl::Status EmitWithList(HloReader& reader, const HloInstruction& instruction,
                          std::string_view name, std::string_view attribute) {
  const NamedAttribute attributes[] = {{attribute, reader.List(instruction.dimensions())}};
  return reader.EmitFor(instruction, name, reader.Operands(instruction), attributes);
}

absl::Status ReadBroadcast(HloReader& reader, const HloInstruction& instruction) {
  if (IsSplatConstant(instruction)) {
    XLA_ASSIGN_OR_RETURN(const mlir::AttributeRef value,
                         reader.Splat(instruction, instruction.operand(0)->literal()));
    const NamedAttribute attributes[] = {{"value", value}};
    return reader.EmitFor(instruction, "stablehlo.constant", {}, attributes);
  }
  return EmitWithList(reader, instruction, "stablehlo.broadcast_in_dim", "broadcast_dimensions");
}
absl::Status ReadTranspose(HloReader& reader, const HloInstruction& instruction) {
  return EmitWithList(reader, instruction, "stablehlo.transpose", "permutation");
}
absl::Status ReadReverse(HloReader& reader, const HloInstruction& instruction) {
  return EmitWithList(reader, instruction, "stablehlo.reverse", "dimensions");
}
absl::Status ReadReshape(HloReader& reader, const HloInstruction& instruction) {
  return reader.EmitFor(instruction, "stablehlo.reshape", reader.Operands(instruction));
}

absl::Status ReadOneDimension(HloReader& reader, const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  const std::string_view name = opcode == HloOpcode::kConcatenate ? "stablehlo.concatenate"
                                : opcode == HloOpcode::kGetDimensionSize
                                    ? "stablehlo.get_dimension_size"
                                    : "stablehlo.set_dimension_size";
  const NamedAttribute attributes[] = {{"dimension", reader.I64(instruction.dimensions()[0])}};
  return reader.EmitFor(instruction, name, reader.Operands(instruction), attributes);
}

absl::Status ReadIota(HloReader& reader, const HloInstruction& instruction) {
  const NamedAttribute attributes[] = {
      {"iota_dimension", reader.I64(instruction.attributes<IotaAttributes>().iota_dimension)}};
  return reader.EmitFor(instruction, "stablehlo.iota", {}, attributes);
}

absl::Status ReadSlice(HloReader& reader, const HloInstruction& instruction) {
  std::vector<int64_t> starts, limits, strides;
  for (const SliceDim& dim : instruction.attributes<SliceAttributes>().slice) {
    starts.push_back(dim.start);
    limits.push_back(dim.limit);
    strides.push_back(dim.stride);
  }
  const NamedAttribute attributes[] = {{"start_indices", reader.List(starts)},
                                       {"limit_indices", reader.List(limits)},
                                       {"strides", reader.List(strides)}};
  return reader.EmitFor(instruction, "stablehlo.slice", reader.Operands(instruction), attributes);
}

absl::Status ReadPad(HloReader& reader, const HloInstruction& instruction) {
  std::vector<int64_t> low, high, interior;
  for (const PadDim& dim : instruction.attributes<PadAttributes>().padding) {
    low.push_back(dim.low);
    high.push_back(dim.high);
    interior.push_back(dim.interior);
  }
  const NamedAttribute attributes[] = {{"edge_padding_low", reader.List(low)},
                                       {"edge_padding_high", reader.List(high)},
                                       {"interior_padding", reader.List(interior)}};
  return reader.EmitFor(instruction, "stablehlo.pad", reader.Operands(instruction), attributes);
}

absl::Status ReadDynamicSlice(HloReader& reader, const HloInstruction& instruction) {
  const int64_t first = instruction.opcode() == HloOpcode::kDynamicUpdateSlice ? 2 : 1;
  if (instruction.operand_count() > first && instruction.operand(first)->shape().rank() == 1) {
    return reader.Unimplemented(instruction, "a vector of start indices");
  }
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) {
    return reader.EmitFor(instruction, "stablehlo.dynamic_update_slice",
                          reader.Operands(instruction));
  }
  const NamedAttribute attributes[] = {
      {"slice_sizes",
       reader.List(instruction.attributes<DynamicSliceAttributes>().dynamic_slice_sizes)}};
  return reader.EmitFor(instruction, "stablehlo.dynamic_slice", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadGather(HloReader& reader, const HloInstruction& instruction) {
  const auto& gather = instruction.attributes<GatherAttributes>();
  const NamedAttribute numbers[] = {
      {"offset_dims", reader.List(gather.offset_dims)},
      {"collapsed_slice_dims", reader.List(gather.collapsed_slice_dims)},
      {"operand_batching_dims", reader.List(gather.operand_batching_dims)},
      {"start_indices_batching_dims", reader.List(gather.start_indices_batching_dims)},
      {"start_index_map", reader.List(gather.start_index_map)},
      {"index_vector_dim", reader.I64(gather.index_vector_dim)}};
  const NamedAttribute attributes[] = {
      {"dimension_numbers", reader.context().DialectOf("stablehlo", "gather", {}, numbers)},
      {"indices_are_sorted", reader.Flag(gather.indices_are_sorted)},
      {"slice_sizes", reader.List(gather.slice_sizes)}};
  return reader.EmitFor(instruction, "stablehlo.gather", reader.Operands(instruction), attributes);
}

absl::Status ReadScatter(HloReader& reader, const HloInstruction& instruction) {
  const auto& scatter = instruction.attributes<ScatterAttributes>();
  const NamedAttribute numbers[] = {
      {"update_window_dims", reader.List(scatter.update_window_dims)},
      {"inserted_window_dims", reader.List(scatter.inserted_window_dims)},
      {"input_batching_dims", reader.List(scatter.input_batching_dims)},
      {"scatter_indices_batching_dims", reader.List(scatter.scatter_indices_batching_dims)},
      {"scatter_dims_to_operand_dims", reader.List(scatter.scatter_dims_to_operand_dims)},
      {"index_vector_dim", reader.I64(scatter.index_vector_dim)}};
  const NamedAttribute attributes[] = {
      {"scatter_dimension_numbers",
       reader.context().DialectOf("stablehlo", "scatter", {}, numbers)},
      {"indices_are_sorted", reader.Flag(scatter.indices_are_sorted)},
      {"unique_indices", reader.Flag(scatter.unique_indices)}};
  return reader.EmitWithRegions(instruction, "stablehlo.scatter", reader.Operands(instruction),
                                attributes, instruction.called_computations());
}

// --- Reductions ---

absl::Status ReadReduce(HloReader& reader, const HloInstruction& instruction) {
  const bool is_map = instruction.opcode() == HloOpcode::kMap;
  const absl::Span<const int64_t> dimensions =
      is_map ? absl::MakeConstSpan(instruction.attributes<MapAttributes>().dimensions)
             : instruction.dimensions();
  const NamedAttribute attributes[] = {{"dimensions", reader.List(dimensions)}};
  return reader.EmitWithRegions(instruction, is_map ? "stablehlo.map" : "stablehlo.reduce",
                                reader.Operands(instruction), attributes,
                                instruction.called_computations());
}

// The lists of a window; those of dilations and reversal under the names of the operation.
std::vector<NamedAttribute> WindowLists(HloReader& reader, const WindowDims& window,
                                        std::string_view base_dilation,
                                        std::string_view window_dilation) {
  std::vector<int64_t> strides, base, dilations;
  std::vector<std::vector<int64_t>> padding;
  for (const WindowDim& dim : window.dims) {
    strides.push_back(dim.stride);
    base.push_back(dim.base_dilation);
    dilations.push_back(dim.window_dilation);
    padding.push_back({dim.padding_low, dim.padding_high});
  }
  std::vector<NamedAttribute> attributes = {{"window_strides", reader.List(strides)},
                                            {"padding", reader.Rows(padding, 2)}};
  if (!base_dilation.empty()) {
    attributes.push_back({base_dilation, reader.List(base)});
    attributes.push_back({window_dilation, reader.List(dilations)});
  }
  return attributes;
}

AttributeRef WindowSizes(HloReader& reader, const WindowDims& window) {
  std::vector<int64_t> sizes;
  for (const WindowDim& dim : window.dims) sizes.push_back(dim.size);
  return reader.List(sizes);
}

absl::Status ReadWindowed(HloReader& reader, const HloInstruction& instruction) {
  const WindowDims& window = instruction.attributes<WindowAttributes>().window;
  const bool is_reduce = instruction.opcode() == HloOpcode::kReduceWindow;
  std::vector<NamedAttribute> attributes =
      is_reduce ? WindowLists(reader, window, "base_dilations", "window_dilations")
                : WindowLists(reader, window, "", "");
  attributes.push_back({"window_dimensions", WindowSizes(reader, window)});
  return reader.EmitWithRegions(
      instruction, is_reduce ? "stablehlo.reduce_window" : "stablehlo.select_and_scatter",
      reader.Operands(instruction), attributes, instruction.called_computations());
}

absl::Status ReadSort(HloReader& reader, const HloInstruction& instruction) {
  const auto& sort = instruction.attributes<SortAttributes>();
  const NamedAttribute attributes[] = {{"dimension", reader.I64(sort.dimensions[0])},
                                       {"is_stable", reader.Flag(sort.is_stable)}};
  return reader.EmitWithRegions(instruction, "stablehlo.sort", reader.Operands(instruction),
                                attributes, instruction.called_computations());
}

absl::Status ReadTopK(HloReader& reader, const HloInstruction& instruction) {
  const auto& topk = instruction.attributes<TopKAttributes>();
  if (!topk.largest) return reader.Unimplemented(instruction, "topk of the smallest");
  const NamedAttribute attributes[] = {{"k", reader.I64(topk.k)}};
  return reader.EmitFor(instruction, "chlo.top_k", reader.Operands(instruction), attributes);
}

absl::Status ReadBatchNorm(HloReader& reader, const HloInstruction& instruction) {
  const auto& norm = instruction.attributes<BatchNormAttributes>();
  const std::string_view name =
      instruction.opcode() == HloOpcode::kBatchNormGrad       ? "stablehlo.batch_norm_grad"
      : instruction.opcode() == HloOpcode::kBatchNormTraining ? "stablehlo.batch_norm_training"
                                                              : "stablehlo.batch_norm_inference";
  const mlir::TypeRef f32 = reader.context().Float(mlir::FloatKind::kF32);
  const NamedAttribute attributes[] = {
      {"epsilon",
       reader.context().FloatOf(f32, mlir::EncodeFloat(mlir::FloatKind::kF32, norm.epsilon))},
      {"feature_index", reader.I64(norm.feature_index)}};
  return reader.EmitFor(instruction, name, reader.Operands(instruction), attributes);
}

// --- Contractions ---

absl::Status ReadDot(HloReader& reader, const HloInstruction& instruction) {
  const auto& dot = instruction.attributes<DotAttributes>();
  if (dot.algorithm != PrecisionConfig_Algorithm_ALG_UNSET) {
    return reader.Unimplemented(instruction, "a dot algorithm");
  }
  const NamedAttribute numbers[] = {
      {"lhs_batching_dimensions", reader.List(dot.lhs_batch_dims)},
      {"rhs_batching_dimensions", reader.List(dot.rhs_batch_dims)},
      {"lhs_contracting_dimensions", reader.List(dot.lhs_contracting_dims)},
      {"rhs_contracting_dimensions", reader.List(dot.rhs_contracting_dims)}};
  std::vector<NamedAttribute> attributes = {
      {"dot_dimension_numbers", reader.context().DialectOf("stablehlo", "dot", {}, numbers)}};
  if (!dot.precision.IsDefault()) {
    attributes.push_back({"precision_config", reader.Precision(dot.precision, "stablehlo")});
  }
  return reader.EmitFor(instruction, "stablehlo.dot_general", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadConvolution(HloReader& reader, const HloInstruction& instruction) {
  const auto& convolution = instruction.attributes<ConvolutionAttributes>();
  const ConvDims& dims = convolution.dim_labels;
  const NamedAttribute numbers[] = {
      {"input_batch_dimension", reader.I64(dims.input_batch)},
      {"input_feature_dimension", reader.I64(dims.input_feature)},
      {"input_spatial_dimensions", reader.List(dims.input_spatial)},
      {"kernel_input_feature_dimension", reader.I64(dims.kernel_input_feature)},
      {"kernel_output_feature_dimension", reader.I64(dims.kernel_output_feature)},
      {"kernel_spatial_dimensions", reader.List(dims.kernel_spatial)},
      {"output_batch_dimension", reader.I64(dims.output_batch)},
      {"output_feature_dimension", reader.I64(dims.output_feature)},
      {"output_spatial_dimensions", reader.List(dims.output_spatial)}};
  std::vector<NamedAttribute> attributes =
      WindowLists(reader, convolution.window, "lhs_dilation", "rhs_dilation");
  const absl::Span<bool> reversal =
      reader.context().arena().NewArray<bool>(convolution.window.size());
  for (size_t i = 0; i < reversal.size(); ++i) {
    reversal[i] = convolution.window[i].window_reversal;
  }
  attributes.push_back({"window_reversal", reader.context().BoolArray(reversal)});
  attributes.push_back(
      {"dimension_numbers", reader.context().DialectOf("stablehlo", "conv", {}, numbers)});
  attributes.push_back({"feature_group_count", reader.I64(convolution.feature_group_count)});
  attributes.push_back({"batch_group_count", reader.I64(convolution.batch_group_count)});
  if (!convolution.precision.IsDefault()) {
    attributes.push_back(
        {"precision_config", reader.Precision(convolution.precision, "stablehlo")});
  }
  return reader.EmitFor(instruction, "stablehlo.convolution", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadCholesky(HloReader& reader, const HloInstruction& instruction) {
  const NamedAttribute attributes[] = {
      {"lower", reader.Flag(instruction.attributes<CholeskyAttributes>().lower)}};
  return reader.EmitFor(instruction, "stablehlo.cholesky", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadTriangularSolve(HloReader& reader, const HloInstruction& instruction) {
  const auto& solve = instruction.attributes<TriangularSolveAttributes>();
  const std::string_view transpose =
      solve.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE ? "TRANSPOSE"
      : solve.transpose_a == TriangularSolveOptions_Transpose_ADJOINT ? "ADJOINT"
                                                                      : "NO_TRANSPOSE";
  const NamedAttribute attributes[] = {{"left_side", reader.Flag(solve.left_side)},
                                       {"lower", reader.Flag(solve.lower)},
                                       {"unit_diagonal", reader.Flag(solve.unit_diagonal)},
                                       {"transpose_a", reader.Keyword("transpose", transpose)}};
  return reader.EmitFor(instruction, "stablehlo.triangular_solve", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadFft(HloReader& reader, const HloInstruction& instruction) {
  static constexpr std::pair<FftType, std::string_view> kTypes[] = {{FftType::FFT, "FFT"},
                                                                    {FftType::IFFT, "IFFT"},
                                                                    {FftType::RFFT, "RFFT"},
                                                                    {FftType::IRFFT, "IRFFT"}};
  const auto& fft = instruction.attributes<FftAttributes>();
  std::vector<NamedAttribute> attributes = {{"fft_length", reader.List(fft.fft_length)}};
  for (const auto& [type, keyword] : kTypes) {
    if (type == fft.fft_type) {
      attributes.push_back({"fft_type", reader.Keyword("fft_type", keyword)});
    }
  }
  return reader.EmitFor(instruction, "stablehlo.fft", reader.Operands(instruction), attributes);
}

}  // namespace

HloHandler FindStructureReader(HloOpcode opcode) {
  static constexpr std::pair<HloOpcode, HloHandler> kReaders[] = {
      {HloOpcode::kBatchNormGrad, ReadBatchNorm},
      {HloOpcode::kBatchNormInference, ReadBatchNorm},
      {HloOpcode::kBatchNormTraining, ReadBatchNorm},
      {HloOpcode::kBroadcast, ReadBroadcast},
      {HloOpcode::kCholesky, ReadCholesky},
      {HloOpcode::kConcatenate, ReadOneDimension},
      {HloOpcode::kConvolution, ReadConvolution},
      {HloOpcode::kDot, ReadDot},
      {HloOpcode::kDynamicSlice, ReadDynamicSlice},
      {HloOpcode::kDynamicUpdateSlice, ReadDynamicSlice},
      {HloOpcode::kFft, ReadFft},
      {HloOpcode::kGather, ReadGather},
      {HloOpcode::kGetDimensionSize, ReadOneDimension},
      {HloOpcode::kIota, ReadIota},
      {HloOpcode::kMap, ReadReduce},
      {HloOpcode::kPad, ReadPad},
      {HloOpcode::kReduce, ReadReduce},
      {HloOpcode::kReduceWindow, ReadWindowed},
      {HloOpcode::kReshape, ReadReshape},
      {HloOpcode::kReverse, ReadReverse},
      {HloOpcode::kScatter, ReadScatter},
      {HloOpcode::kSelectAndScatter, ReadWindowed},
      {HloOpcode::kSetDimensionSize, ReadOneDimension},
      {HloOpcode::kSlice, ReadSlice},
      {HloOpcode::kSort, ReadSort},
      {HloOpcode::kTopK, ReadTopK},
      {HloOpcode::kTranspose, ReadTranspose},
      {HloOpcode::kTriangularSolve, ReadTriangularSolve},
  };
  for (const auto& [known, reader] : kReaders) {
    if (known == opcode) return reader;
  }
  return nullptr;
}

}  // namespace xla::stablehlo
