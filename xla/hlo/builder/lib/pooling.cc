// SPDX-License-Identifier: Apache-2.0
// Pooling, and the sizes of gradients of convolutions.
#include "xla/hlo/builder/lib/pooling.h"

#include <algorithm>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/conv_grad_size_util.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {

absl::StatusOr<SpatialDimensionOutputSizeAndPadding> ConvGradExtractAndVerifyDimension(
    int64_t input_size, int64_t filter_size, int64_t output_size, int64_t dilation, int64_t stride,
    Padding padding) {
  constexpr int64_t kMost = int64_t{1} << 31;  // no sum or product below overflows
  if (stride < 1 || dilation < 1 || filter_size < 1 || input_size < 0 || stride > kMost ||
      dilation > kMost || filter_size > kMost || input_size > kMost * kMost / 2) {
    return InvalidArgumentStrCat("No convolution has input size ", input_size, ", filter size ",
                                 filter_size, ", dilation ", dilation, " and stride ", stride, ".");
  }
  const int64_t reach = (filter_size - 1) * dilation + 1;  // from the first tap to the last
  int64_t size = 0, before = 0;
  if (padding == Padding::kSame) {
    size = (input_size + stride - 1) / stride;
    before = std::max<int64_t>(0, (size - 1) * stride + reach - input_size) / 2;
  } else {
    size = (input_size - reach + stride) / stride;
  }
  if (size < 0 || size != output_size) {
    return InvalidArgumentStrCat(
        "Size of out_backprop doesn't match computed: actual = ", output_size,
        ", computed = ", size, " input: ", input_size, " filter: ", filter_size,
        " stride: ", stride, " dilation: ", dilation);
  }
  SpatialDimensionOutputSizeAndPadding result;
  result.output_size = (size - 1) * stride + 1;
  result.pad_before = reach - 1 - before;
  result.pad_after = input_size + reach - 1 - result.output_size - result.pad_before;
  return result;
}

namespace {

using Paddings = absl::Span<const std::pair<int64_t, int64_t>>;

// Kernel and stride of every dimension, and a padding of every spatial one.
absl::Status CheckPool(int64_t rank, absl::Span<const int64_t> kernel_size,
                       absl::Span<const int64_t> stride, size_t paddings,
                       const TensorFormat& format) {
  const bool fits = static_cast<int64_t>(kernel_size.size()) == rank &&
                    kernel_size.size() == stride.size() && format.num_spatial_dims() == rank - 2 &&
                    paddings == static_cast<size_t>(format.num_spatial_dims());
  bool in_range = true;
  for (int i = 0; i < format.num_spatial_dims(); ++i) {
    in_range &= format.spatial_dimension(i) >= 0 && format.spatial_dimension(i) < rank;
  }
  if (fits && in_range) return absl::OkStatus();
  return InvalidArgumentStrCat("Of ", rank, " dimensions, ", rank - 2,
                               " must be spatial and have a padding, and all a kernel size and a "
                               "stride; got ",
                               kernel_size.size(), " kernel sizes, ", stride.size(), " strides, ",
                               format.num_spatial_dims(), " spatial dimensions and ", paddings,
                               " paddings.");
}

// Sums and differences of these numbers must not overflow.
absl::Status CheckRange(absl::Span<const int64_t> sizes, Paddings paddings) {
  constexpr int64_t kMostSize = int64_t{1} << 62, kMostPadding = int64_t{1} << 31;
  for (const int64_t size : sizes) {
    if (size < 0 || size > kMostSize) return InvalidArgument("No pool has the size %d.", size);
  }
  for (const auto& [low, high] : paddings) {
    if (std::min(low, high) < -kMostPadding || std::max(low, high) > kMostPadding)
      return InvalidArgument("No pool has the padding %d, %d.", low, high);
  }
  return absl::OkStatus();
}

// Edges of the spatial dimensions, times `sign`.
PaddingConfig SpatialConfig(int64_t rank, Paddings padding, const TensorFormat& format, int sign) {
  PaddingConfig config = MakeNoPaddingConfig(rank);
  for (int i = 0; i < format.num_spatial_dims(); ++i) {
    auto* dimension = config.mutable_dimensions(format.spatial_dimension(i));
    dimension->set_edge_padding_low(sign * padding[static_cast<size_t>(i)].first);
    dimension->set_edge_padding_high(sign * padding[static_cast<size_t>(i)].second);
  }
  return config;
}

// Sums divided by the number of elements that each is of.
absl::StatusOr<XlaOp> DividedByCount(XlaBuilder* b, XlaOp sums, PrimitiveType type,
                                     absl::Span<const int64_t> input_size,
                                     absl::Span<const int64_t> kernel_size,
                                     absl::Span<const int64_t> stride, Paddings padding,
                                     const TensorFormat& format, bool counts_include_padding) {
  if (counts_include_padding) {
    double window = 1;
    for (const int64_t size : kernel_size) window *= static_cast<double>(size);
    return sums / ConvertElementType(ConstantR0<double>(b, window), type);
  }
  std::vector<int64_t> sizes, dimensions, kernel, strides;
  for (int i = 0; i < format.num_spatial_dims(); ++i) {
    const size_t dimension = static_cast<size_t>(format.spatial_dimension(i));
    dimensions.push_back(format.spatial_dimension(i));
    sizes.push_back(input_size[dimension]);
    kernel.push_back(kernel_size[dimension]);
    strides.push_back(stride[dimension]);
  }
  const XlaOp zero = Zero(b, type);
  const XlaOp ones = Pad(Broadcast(One(b, type), sizes), zero, MakeEdgePaddingConfig(padding));
  const XlaOp counts = ReduceWindow(ones, zero, CreateScalarAddComputation(type, b), kernel,
                                    strides, Padding::kValid);
  return Div(sums, counts, dimensions);
}

}  // namespace

XlaOp MaxPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride, Padding padding, const TensorFormat&) {
  return lib_internal::Make("MaxPool", {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand));
    const PrimitiveType type = shape.element_type();
    return ReduceWindow(operand, MinValue(b, type), CreateScalarMaxComputation(type, b),
                        kernel_size, stride, padding);
  });
}

XlaOp AvgPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride, Paddings padding, const TensorFormat& data_format,
              bool counts_include_padding) {
  return lib_internal::Make("AvgPool", {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, operand));
    XLA_RETURN_IF_ERROR(CheckPool(shape.rank(), kernel_size, stride, padding.size(), data_format));
    XLA_RETURN_IF_ERROR(CheckRange({}, padding));
    const PrimitiveType type = shape.element_type();
    const XlaOp zero = Zero(b, type);
    const XlaOp padded = Pad(operand, zero, SpatialConfig(shape.rank(), padding, data_format, 1));
    const XlaOp sums = ReduceWindow(padded, zero, CreateScalarAddComputation(type, b), kernel_size,
                                    stride, Padding::kValid);
    return DividedByCount(b, sums, type, shape.dimensions(), kernel_size, stride, padding,
                          data_format, counts_include_padding);
  });
}

std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(absl::Span<const int64_t> input_size,
                                                            absl::Span<const int64_t> kernel_size,
                                                            absl::Span<const int64_t> stride,
                                                            Padding padding,
                                                            const TensorFormat& data_format) {
  const int64_t rank = static_cast<int64_t>(input_size.size());
  const size_t spatial = static_cast<size_t>(data_format.num_spatial_dims());
  if (!CheckPool(rank, kernel_size, stride, spatial, data_format).ok()) return {};
  std::vector<int64_t> sizes, kernel, strides;
  for (int i = 0; i < data_format.num_spatial_dims(); ++i) {
    const size_t dimension = static_cast<size_t>(data_format.spatial_dimension(i));
    sizes.push_back(input_size[dimension]);
    kernel.push_back(kernel_size[dimension]);
    strides.push_back(stride[dimension]);
  }
  return MakePadding(sizes, kernel, strides, padding);
}

XlaOp AvgPoolGrad(XlaOp out_backprop, absl::Span<const int64_t> gradients_size,
                  absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                  Paddings spatial_padding, const TensorFormat& data_format,
                  bool counts_include_padding) {
  return lib_internal::Make(
      "AvgPoolGrad", {out_backprop}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, out_backprop));
        const int64_t rank = shape.rank();
        XLA_RETURN_IF_ERROR(
            CheckPool(rank, kernel_size, stride, spatial_padding.size(), data_format));
        XLA_RETURN_IF_ERROR(CheckRange(gradients_size, spatial_padding));
        if (static_cast<int64_t>(gradients_size.size()) != rank) {
          return InvalidArgument("gradients must be %d-dimensional", rank);
        }
        const PrimitiveType type = shape.element_type();
        XLA_ASSIGN_OR_RETURN(
            const XlaOp shares,
            DividedByCount(b, out_backprop, type, gradients_size, kernel_size, stride,
                           spatial_padding, data_format, counts_include_padding));
        // Each element gets the shares of the windows that it is in: a sum over windows of the
        // shares, spread by the stride.
        PaddingConfig config = MakeNoPaddingConfig(rank);
        for (int i = 0; i < data_format.num_spatial_dims(); ++i) {
          const int dimension = data_format.spatial_dimension(i);
          const size_t d = static_cast<size_t>(dimension);
          const auto& [low, high] = spatial_padding[static_cast<size_t>(i)];
          XLA_ASSIGN_OR_RETURN(const SpatialDimensionOutputSizeAndPadding spread,
                               ConvGradExtractAndVerifyDimension(
                                   gradients_size[d] + low + high, kernel_size[d],
                                   shape.dimensions(dimension), 1, stride[d], Padding::kValid));
          auto* padding = config.mutable_dimensions(dimension);
          padding->set_edge_padding_low(spread.pad_before);
          padding->set_edge_padding_high(spread.pad_after);
          padding->set_interior_padding(stride[d] - 1);
        }
        const XlaOp zero = Zero(b, type);
        const XlaOp sums = ReduceWindow(
            Pad(shares, zero, config), zero, CreateScalarAddComputation(type, b), kernel_size,
            std::vector<int64_t>(static_cast<size_t>(rank), 1), Padding::kValid);
        // What the padding would get falls away.
        return Pad(sums, zero, SpatialConfig(rank, spatial_padding, data_format, -1));
      });
}

}  // namespace xla
