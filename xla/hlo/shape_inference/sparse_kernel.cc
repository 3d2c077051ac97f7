// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/shape_inference/sparse_kernel.h"

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

bool HasSparseKernel(const HloInstruction& convolution) {
  return convolution.operand(1)->shape().IsTuple() ||
         convolution.attributes<ConvolutionAttributes>().sparsity.rhs.has_value();
}

absl::StatusOr<Shape> WholeKernelShape(const HloInstruction& convolution) {
  const auto error = [](const auto&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  };
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const Shape& kernel = convolution.operand(1)->shape();
  if (!attributes.sparsity.rhs.has_value())
    return error("a tuple is the kernel of a convolution without sparsity_config.rhs");
  if (!kernel.IsTuple() || kernel.tuple_shapes_size() != 2)
    return error("a sparse kernel is a tuple of values and positions, not ", kernel.ToString());
  const Sparsity::Operand& sparsity = *attributes.sparsity.rhs;
  const Shape &values = kernel.tuple_shapes(0), &positions = kernel.tuple_shapes(1);
  if (sparsity.num_non_zero != 1) return error("only sparsity of 1 in N is supported");
  if (sparsity.stride != 1) return error("sparsity must have stride 1, not ", sparsity.stride);
  if (sparsity.dimension != attributes.dim_labels.kernel_input_feature) {
    return error("a sparse kernel must be sparse along its input features, dimension ",
                 attributes.dim_labels.kernel_input_feature, ", not ", sparsity.dimension);
  }
  if (!positions.IsArray() || !primitive_util::IsIntegralType(positions.element_type()) ||
      positions.dimensions() != values.dimensions()) {
    return error("the positions of a sparse kernel are integers of the dimensions of its values, ",
                 values.ToString(), ", not ", positions.ToString());
  }
  const auto d = static_cast<int>(sparsity.dimension);
  const int64_t features = convolution.operand(0)->shape().dimensions(
                               static_cast<int>(attributes.dim_labels.input_feature)) /
                           attributes.feature_group_count;
  int64_t size;
  if (sparsity.block_size < 1 ||
      __builtin_mul_overflow(values.dimensions(d), sparsity.block_size, &size) ||
      size != features) {
    return error(values.dimensions(d), " blocks of ", sparsity.block_size, " elements are not ",
                 features, " features");
  }
  Shape whole = values;
  whole.set_dimensions(d, size);
  whole.clear_layout();
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(whole));
  return whole;
}

}  // namespace xla
