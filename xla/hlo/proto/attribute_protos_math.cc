// SPDX-License-Identifier: Apache-2.0
// Attribute protos of contractions, windows, normalization, linear algebra and random numbers.
#include <algorithm>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto_internal {
namespace {

// Former writers left a group count of one out.
int64_t GroupCount(int64_t value) { return value == 0 ? 1 : value; }

template <typename DotLike>
void ReadDotDims(const DotDimensionNumbers& numbers, DotLike* a) {
  a->lhs_batch_dims = ToInt64s(numbers.lhs_batch_dimensions());
  a->lhs_contracting_dims = ToInt64s(numbers.lhs_contracting_dimensions());
  a->rhs_batch_dims = ToInt64s(numbers.rhs_batch_dimensions());
  a->rhs_contracting_dims = ToInt64s(numbers.rhs_contracting_dimensions());
}

template <typename DotLike>
void WriteDotDims(const DotLike& a, DotDimensionNumbers* numbers) {
  AddAll(a.lhs_batch_dims, numbers->mutable_lhs_batch_dimensions());
  AddAll(a.lhs_contracting_dims, numbers->mutable_lhs_contracting_dimensions());
  AddAll(a.rhs_batch_dims, numbers->mutable_rhs_batch_dimensions());
  AddAll(a.rhs_contracting_dims, numbers->mutable_rhs_contracting_dimensions());
}

template <typename DotLike>
absl::Status ReadDotPrecision(const HloInstructionProto& proto, DotLike* a) {
  XLA_ASSIGN_OR_RETURN(a->precision,
                       ReadPrecisions(proto.precision_config(), proto.operand_ids_size()));
  XLA_CHECK_ENUM(PrecisionConfig::Algorithm, proto.precision_config().algorithm());
  a->algorithm = proto.precision_config().algorithm();
  return absl::OkStatus();
}

template <typename DotLike>
void WriteDotPrecision(const HloInstruction& instruction, const DotLike& a,
                       HloInstructionProto* proto) {
  WritePrecisions(a.precision, instruction.operand_count(), proto->mutable_precision_config());
  proto->mutable_precision_config()->set_algorithm(a.algorithm);
}

}  // namespace

absl::StatusOr<Precisions> ReadPrecisions(const PrecisionConfig& proto, int64_t count) {
  Precisions precisions;
  for (int value : proto.operand_precision()) {
    XLA_CHECK_ENUM(PrecisionConfig::Precision, value);
    precisions.values.push_back(static_cast<PrecisionConfig::Precision>(value));
  }
  if (precisions.IsDefault()) return Precisions();
  while (static_cast<int64_t>(precisions.values.size()) < count) {
    precisions.values.push_back(PrecisionConfig::DEFAULT);
  }
  return precisions;
}

void WritePrecisions(const Precisions& precisions, int64_t count, PrecisionConfig* proto) {
  const int64_t given = static_cast<int64_t>(precisions.values.size());
  for (int64_t i = 0; i < std::max(given, count); ++i) {
    proto->add_operand_precision(i < given ? precisions.values[i] : PrecisionConfig::DEFAULT);
  }
}

WindowDims ReadWindow(const Window& proto) {
  WindowDims window;
  for (const WindowDimension& dim : proto.dimensions()) {
    window.dims.push_back({.size = dim.size(),
                           .stride = dim.stride(),
                           .padding_low = dim.padding_low(),
                           .padding_high = dim.padding_high(),
                           .window_dilation = dim.window_dilation(),
                           .base_dilation = dim.base_dilation(),
                           .window_reversal = dim.window_reversal()});
  }
  return window;
}

Window WriteWindow(const WindowDims& window) {
  Window proto;
  for (const WindowDim& dim : window.dims) {
    WindowDimension* dim_proto = proto.add_dimensions();
    dim_proto->set_size(dim.size);
    dim_proto->set_stride(dim.stride);
    dim_proto->set_padding_low(dim.padding_low);
    dim_proto->set_padding_high(dim.padding_high);
    dim_proto->set_window_dilation(dim.window_dilation);
    dim_proto->set_base_dilation(dim.base_dilation);
    dim_proto->set_window_reversal(dim.window_reversal);
  }
  return proto;
}

namespace {

// The dimensions up to the last that `named` does not name; an error if it names one twice.
absl::Status FindUnknown(const char* array, Int64s named, Int64s* unknown) {
  std::sort(named.begin(), named.end());
  int64_t next = 0;
  for (int64_t dim : named) {
    if (dim < next || dim >= ShapeUtil::kMaxRank) {
      return InvalidArgument(
          "convolution_dimension_numbers: dimension %d of the %s is out of range or stands twice",
          dim, array);
    }
    for (; next < dim; ++next) unknown->push_back(next);
    next = dim + 1;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConvDims> ReadConvDims(const ConvolutionDimensionNumbers& proto) {
  ConvDims dims;
  dims.input_batch = proto.input_batch_dimension();
  dims.input_feature = proto.input_feature_dimension();
  dims.input_spatial = ToInt64s(proto.input_spatial_dimensions());
  dims.kernel_input_feature = proto.kernel_input_feature_dimension();
  dims.kernel_output_feature = proto.kernel_output_feature_dimension();
  dims.kernel_spatial = ToInt64s(proto.kernel_spatial_dimensions());
  dims.output_batch = proto.output_batch_dimension();
  dims.output_feature = proto.output_feature_dimension();
  dims.output_spatial = ToInt64s(proto.output_spatial_dimensions());

  auto with = [](Int64s spatial, int64_t a, int64_t b) {
    spatial.push_back(a);
    spatial.push_back(b);
    return spatial;
  };
  XLA_RETURN_IF_ERROR(FindUnknown("input",
                                  with(dims.input_spatial, dims.input_batch, dims.input_feature),
                                  &dims.input_unknown));
  XLA_RETURN_IF_ERROR(FindUnknown(
      "kernel", with(dims.kernel_spatial, dims.kernel_input_feature, dims.kernel_output_feature),
      &dims.kernel_unknown));
  XLA_RETURN_IF_ERROR(FindUnknown("output",
                                  with(dims.output_spatial, dims.output_batch, dims.output_feature),
                                  &dims.output_unknown));
  return dims;
}

ConvolutionDimensionNumbers WriteConvDims(const ConvDims& dims) {
  ConvolutionDimensionNumbers proto;
  proto.set_input_batch_dimension(dims.input_batch);
  proto.set_input_feature_dimension(dims.input_feature);
  AddAll(dims.input_spatial, proto.mutable_input_spatial_dimensions());
  proto.set_kernel_input_feature_dimension(dims.kernel_input_feature);
  proto.set_kernel_output_feature_dimension(dims.kernel_output_feature);
  AddAll(dims.kernel_spatial, proto.mutable_kernel_spatial_dimensions());
  proto.set_output_batch_dimension(dims.output_batch);
  proto.set_output_feature_dimension(dims.output_feature);
  AddAll(dims.output_spatial, proto.mutable_output_spatial_dimensions());
  return proto;
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, DotAttributes* a) {
  ReadDotDims(proto.dot_dimension_numbers(), a);
  return ReadDotPrecision(proto, a);
}
absl::Status Write(const HloInstruction& instruction, const DotAttributes& a,
                   HloInstructionProto* proto) {
  WriteDotDims(a, proto->mutable_dot_dimension_numbers());
  WriteDotPrecision(instruction, a, proto);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, RaggedDotAttributes* a) {
  const RaggedDotDimensionNumbers& numbers = proto.ragged_dot_dimension_numbers();
  ReadDotDims(numbers.dot_dimension_numbers(), a);
  a->lhs_ragged_dims = ToInt64s(numbers.lhs_ragged_dimensions());
  a->rhs_group_dims = ToInt64s(numbers.rhs_group_dimensions());
  return ReadDotPrecision(proto, a);
}
absl::Status Write(const HloInstruction& instruction, const RaggedDotAttributes& a,
                   HloInstructionProto* proto) {
  RaggedDotDimensionNumbers* numbers = proto->mutable_ragged_dot_dimension_numbers();
  WriteDotDims(a, numbers->mutable_dot_dimension_numbers());
  AddAll(a.lhs_ragged_dims, numbers->mutable_lhs_ragged_dimensions());
  AddAll(a.rhs_group_dims, numbers->mutable_rhs_group_dimensions());
  WriteDotPrecision(instruction, a, proto);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  ConvolutionAttributes* a) {
  if (!proto.has_convolution_dimension_numbers()) {
    return absl::InvalidArgumentError("a convolution without convolution_dimension_numbers");
  }
  a->window = ReadWindow(proto.window());
  XLA_ASSIGN_OR_RETURN(a->dim_labels, ReadConvDims(proto.convolution_dimension_numbers()));
  a->feature_group_count = GroupCount(proto.feature_group_count());
  a->batch_group_count = GroupCount(proto.batch_group_count());
  XLA_ASSIGN_OR_RETURN(a->precision,
                       ReadPrecisions(proto.precision_config(), proto.operand_ids_size()));
  XLA_CHECK_ENUM(ConvolutionKind, proto.conv_kind());
  a->kind = proto.conv_kind();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction& instruction, const ConvolutionAttributes& a,
                   HloInstructionProto* proto) {
  *proto->mutable_window() = WriteWindow(a.window);
  *proto->mutable_convolution_dimension_numbers() = WriteConvDims(a.dim_labels);
  proto->set_feature_group_count(a.feature_group_count);
  proto->set_batch_group_count(a.batch_group_count);
  WritePrecisions(a.precision, instruction.operand_count(), proto->mutable_precision_config());
  proto->set_conv_kind(a.kind);
  proto->mutable_sparsity_config();  // present, as XLA has it
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, WindowAttributes* a) {
  a->window = ReadWindow(proto.window());
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const WindowAttributes& a, HloInstructionProto* proto) {
  *proto->mutable_window() = WriteWindow(a.window);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, BatchNormAttributes* a) {
  a->epsilon = proto.epsilon();
  a->feature_index = proto.feature_index();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const BatchNormAttributes& a,
                   HloInstructionProto* proto) {
  proto->set_epsilon(a.epsilon);
  proto->set_feature_index(a.feature_index);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, FftAttributes* a) {
  XLA_CHECK_ENUM(FftType, proto.fft_type());
  a->fft_type = proto.fft_type();
  a->fft_length = ToInt64s(proto.fft_length());
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const FftAttributes& a, HloInstructionProto* proto) {
  proto->set_fft_type(a.fft_type);
  AddAll(a.fft_length, proto->mutable_fft_length());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, CholeskyAttributes* a) {
  a->lower = proto.cholesky_options().lower();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const CholeskyAttributes& a, HloInstructionProto* proto) {
  proto->mutable_cholesky_options()->set_lower(a.lower);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  TriangularSolveAttributes* a) {
  const TriangularSolveOptions& options = proto.triangular_solve_options();
  a->left_side = options.left_side();
  a->lower = options.lower();
  a->unit_diagonal = options.unit_diagonal();
  XLA_CHECK_ENUM(TriangularSolveOptions::Transpose, options.transpose_a());
  a->transpose_a = options.transpose_a();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const TriangularSolveAttributes& a,
                   HloInstructionProto* proto) {
  TriangularSolveOptions* options = proto->mutable_triangular_solve_options();
  options->set_left_side(a.left_side);
  options->set_lower(a.lower);
  options->set_unit_diagonal(a.unit_diagonal);
  options->set_transpose_a(a.transpose_a);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, RngAttributes* a) {
  XLA_CHECK_ENUM(RandomDistribution, proto.distribution());
  a->distribution = proto.distribution();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const RngAttributes& a, HloInstructionProto* proto) {
  proto->set_distribution(a.distribution);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  RngBitGeneratorAttributes* a) {
  XLA_CHECK_ENUM(RandomAlgorithm, proto.rng_algorithm());
  a->algorithm = proto.rng_algorithm();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const RngBitGeneratorAttributes& a,
                   HloInstructionProto* proto) {
  proto->set_rng_algorithm(a.algorithm);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, RngDeltaAttributes* a) {
  a->delta = proto.delta();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const RngDeltaAttributes& a, HloInstructionProto* proto) {
  proto->set_delta(a.delta);
  return absl::OkStatus();
}

}  // namespace xla::proto_internal
