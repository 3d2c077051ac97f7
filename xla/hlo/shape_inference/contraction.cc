// SPDX-License-Identifier: Apache-2.0
// Shape inference of dot, ragged-dot, scaled-dot and convolution.
#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/hlo/shape_inference/window.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

using DimList = absl::Span<const int64_t>;

absl::Status Fail(const Shape& lhs, const Shape& rhs, absl::string_view rule) {
  return InvalidArgumentStrCat("Cannot infer shape for dot operation: ", Str(lhs), " <dot> ",
                               Str(rhs), ". ", rule);
}

absl::Status CheckDotSide(const Shape& shape, DimList batch, DimList contracting) {
  std::vector<int64_t> all(batch.begin(), batch.end());
  all.insert(all.end(), contracting.begin(), contracting.end());
  const auto numbers = [&] {
    return absl::StrCat("batch {", Joined(batch), "}, contracting {", Joined(contracting), "} for ",
                        Str(shape));
  };
  if (!AllInRange(all, shape.rank())) {
    return InvalidArgumentStrCat("A dimension number is out of range in Dot: ", numbers(), ".");
  }
  if (!AllUnique(all))
    return InvalidArgumentStrCat("A dimension number is not unique in Dot: ", numbers(), ".");
  return absl::OkStatus();
}

absl::Status CheckDotDims(const Shape& lhs, const Shape& rhs, const DotNumbers& dims) {
  XLA_RETURN_IF_ERROR(ExpectArray(lhs, "lhs of dot"));
  XLA_RETURN_IF_ERROR(ExpectArray(rhs, "rhs of dot"));
  XLA_RETURN_IF_ERROR(CheckDotSide(lhs, dims.lhs_batch, dims.lhs_contracting));
  XLA_RETURN_IF_ERROR(CheckDotSide(rhs, dims.rhs_batch, dims.rhs_contracting));
  if (dims.lhs_contracting.size() != dims.rhs_contracting.size()) {
    return Fail(lhs, rhs,
                "Must specify the same number of contracting dimensions for lhs and rhs.");
  }
  for (size_t i = 0; i < dims.lhs_contracting.size(); ++i) {
    if (!SizesCompatible(DimOf(lhs, dims.lhs_contracting[i]).size,
                         DimOf(rhs, dims.rhs_contracting[i]).size)) {
      return Fail(lhs, rhs, "Contracting dimension sizes are not compatible.");
    }
  }
  if (dims.lhs_batch.size() != dims.rhs_batch.size()) {
    return Fail(lhs, rhs, "Must the same number of batch dimensions for lhs and rhs.");
  }
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    if (!SizesCompatible(DimOf(lhs, dims.lhs_batch[i]).size, DimOf(rhs, dims.rhs_batch[i]).size)) {
      return Fail(lhs, rhs, "Batch dimension sizes are not compatible.");
    }
  }
  return absl::OkStatus();
}

void AddDotResultDims(const Shape& lhs, const Shape& rhs, const DotNumbers& dims,
                      DimList rhs_dropped, Dims* result) {
  for (const OperandDimension& d : DotDimensions(dims, lhs.rank(), rhs.rank(), rhs_dropped))
    result->Add(DimOf(d.operand == 0 ? lhs : rhs, d.dimension));
}

// The element type the instruction declares, or the higher of the operands'.
absl::StatusOr<PrimitiveType> ResultType(const InferenceInput& in, const Shape& lhs,
                                         const Shape& rhs) {
  if (in.declared == nullptr) return ShapeUtil::HigherPrecisionElementType(lhs, rhs);
  if (in.declared->IsArray()) return in.declared->element_type();
  return InvalidArgumentStrCat("The result of ", OpName(in.opcode), " must be an array; got ",
                               Str(*in.declared), ".");
}

absl::Status CheckPrecision(const InferenceInput& in, const Precisions& precision) {
  if (static_cast<int64_t>(precision.values.size()) <= OperandCount(in)) return absl::OkStatus();
  return InvalidArgument("operand_precision has %u entries for %d operands.",
                         precision.values.size(), OperandCount(in));
}

DotNumbers DimsOf(const DotAttributes& a) {
  return {a.lhs_batch_dims, a.lhs_contracting_dims, a.rhs_batch_dims, a.rhs_contracting_dims};
}

// The dimensions that stand before the groups in the long form of group_sizes: the batch dimensions
// (those before the ragged one, if that is a batch dimension), then the dimensions of the ragged
// one's own kind before it.
std::vector<int64_t> GroupSizesPrefix(const Shape& lhs, const DotNumbers& dims, int64_t ragged) {
  std::vector<int64_t> prefix;
  const auto add_until_ragged = [&](DimList list) {
    for (const int64_t d : list) {
      if (d == ragged) return true;
      prefix.push_back(DimOf(lhs, d).size);
    }
    return false;
  };
  if (add_until_ragged(dims.lhs_batch)) return prefix;
  if (Contains(dims.lhs_contracting, ragged)) {
    add_until_ragged(dims.lhs_contracting);
    return prefix;
  }
  for (int64_t d = 0; d < ragged; ++d) {
    if (!Contains(dims.lhs_batch, d) && !Contains(dims.lhs_contracting, d)) {
      prefix.push_back(DimOf(lhs, d).size);
    }
  }
  return prefix;
}

// --- Convolution ---------------------------------------------------------------------------------

std::vector<int64_t> AllDims(int64_t a, int64_t b, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> all{a, b};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

absl::Status CheckConvDims(const Shape& lhs, const Shape& rhs,
                           const ConvolutionAttributes& attributes) {
  const ConvDims& dims = attributes.dim_labels;
  const size_t spatial = dims.input_spatial.size();
  if (!dims.input_unknown.empty() || !dims.kernel_unknown.empty() || !dims.output_unknown.empty()) {
    return InvalidArgument(
        "Unknown dimensions ('?') are not allowed in the dim_labels of convolution.");
  }
  if (dims.kernel_spatial.size() != spatial) {
    return InvalidArgument(
        "Both arguments to convolution must have same number of dimensions; input has %u spatial "
        "dimensions, "
        "kernel %u.",
        spatial, dims.kernel_spatial.size());
  }
  if (dims.output_spatial.size() != spatial) {
    return InvalidArgument(
        "Both input and output of convolution must have same number of dimensions; input has %u "
        "spatial "
        "dimensions, output %u.",
        spatial, dims.output_spatial.size());
  }
  if (attributes.window.size() != spatial) {
    return InvalidArgument(
        "Window must have same number of dimensions as dimension numbers; window has %u, dimension "
        "numbers "
        "%u.",
        attributes.window.size(), spatial);
  }
  const int64_t rank = static_cast<int64_t>(spatial) + 2;
  if (lhs.rank() != rank) {
    return InvalidArgumentStrCat("The LHS argument to a convolution should have rank ", rank,
                                 "; lhs: ", Str(lhs), ".");
  }
  if (rhs.rank() != rank) {
    return InvalidArgumentStrCat("The RHS argument to a convolution should have rank ", rank,
                                 "; rhs: ", Str(rhs), ".");
  }
  const std::vector<int64_t> input =
      AllDims(dims.input_batch, dims.input_feature, dims.input_spatial);
  const std::vector<int64_t> kernel =
      AllDims(dims.kernel_input_feature, dims.kernel_output_feature, dims.kernel_spatial);
  const std::vector<int64_t> output =
      AllDims(dims.output_batch, dims.output_feature, dims.output_spatial);
  const auto check = [](absl::string_view name, DimList numbers) -> absl::Status {
    if (IsPermutation(numbers)) return absl::OkStatus();
    return InvalidArgumentStrCat(
        name,
        " dimensions of convolution must contain each dimension exactly once: ", Joined(numbers),
        ".");
  };
  XLA_RETURN_IF_ERROR(check("Input", input));
  XLA_RETURN_IF_ERROR(check("Window", kernel));
  return check("Output", output);
}

}  // namespace

Result InferDot(const InferenceInput& in) {
  const auto& attributes = Attrs<DotAttributes>(in);
  const Shape& lhs = Operand(in, 0);
  const Shape& rhs = Operand(in, 1);
  const DotNumbers dims = DimsOf(attributes);
  XLA_RETURN_IF_ERROR(CheckDotDims(lhs, rhs, dims));
  XLA_RETURN_IF_ERROR(CheckPrecision(in, attributes.precision));
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(in, lhs, rhs));
  Dims result;
  AddDotResultDims(lhs, rhs, dims, {}, &result);
  return result.Make(type);
}

Result InferScaledDot(const InferenceInput& in) {
  const auto& attributes = Attrs<DotAttributes>(in);
  const Shape& lhs = Operand(in, 0);
  const Shape& rhs = Operand(in, 1);
  const DotNumbers dims = DimsOf(attributes);
  XLA_RETURN_IF_ERROR(CheckDotDims(lhs, rhs, dims));
  XLA_RETURN_IF_ERROR(CheckPrecision(in, attributes.precision));
  // Each element of a scale covers a block of its operand: every size divides the operand's.
  int scalars = 0;
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& operand = Operand(in, i);
    const Shape& scale = Operand(in, i + 2);
    const absl::string_view name = i == 0 ? "lhs" : "rhs";
    XLA_RETURN_IF_ERROR(ExpectArray(scale, absl::StrCat(name, " scale of scaled-dot")));
    const bool is_scalar = ShapeUtil::IsScalar(scale);
    scalars += is_scalar;
    // XLA's sign for an operand without scale.
    if (is_scalar && operand.element_type() == BF16 && scale.element_type() == BF16) continue;
    if (scale.rank() != operand.rank()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "Scale operand ", Str(scale), " has a different number of dimensions than operand ",
          Str(operand), " in scaled-dot."));
    }
    if (!primitive_util::IsFloatingPointType(scale.element_type())) {
      return InvalidArgumentStrCat(
          "The ", name, " scale of scaled-dot must be floating point; got ", Str(scale), ".");
    }
    for (int64_t d = 0; d < operand.rank(); ++d) {
      const int64_t size = DimOf(operand, d).size;
      const int64_t blocks = DimOf(scale, d).size;
      if (IsUnbounded(size) || IsUnbounded(blocks) || size == blocks) continue;
      if (blocks == 0 || size % blocks != 0) {
        return absl::FailedPreconditionError(absl::StrCat(
            "Dimension ", d, " of operand ", Str(operand), " should be a multiple of dimension ", d,
            " of scale operand ", Str(scale), " in scaled-dot."));
      }
    }
  }
  if (scalars == 2) {
    return absl::FailedPreconditionError(
        "At least one of the scales should be not a scalar in scaled-dot.");
  }
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(in, lhs, rhs));
  Dims result;
  AddDotResultDims(lhs, rhs, dims, {}, &result);
  return result.Make(type);
}

// Three modes by the kind of the ragged dimension of lhs (b batch, m free, k contracting; g
// groups):
//   m: [b,m,k], [g,b,k,n] -> [b,m,n];  k: [b,m,k], [b,k,n] -> [g,b,m,n];  b: [b,m,k], [b,k,n] ->
//   [b,m,n].
Result InferRaggedDot(const InferenceInput& in) {
  const auto& attributes = Attrs<RaggedDotAttributes>(in);
  const Shape& lhs = Operand(in, 0);
  const Shape& rhs = Operand(in, 1);
  const Shape& group_sizes = Operand(in, 2);
  const DotNumbers dims{attributes.lhs_batch_dims, attributes.lhs_contracting_dims,
                        attributes.rhs_batch_dims, attributes.rhs_contracting_dims};
  XLA_RETURN_IF_ERROR(CheckDotDims(lhs, rhs, dims));
  XLA_RETURN_IF_ERROR(CheckPrecision(in, attributes.precision));
  XLA_RETURN_IF_ERROR(ExpectArray(group_sizes, "group_sizes of ragged-dot"));
  if (!primitive_util::IsIntegralType(group_sizes.element_type())) {
    return InvalidArgumentStrCat("The group_sizes of ragged-dot must be integers; got ",
                                 Str(group_sizes), ".");
  }
  if (attributes.lhs_ragged_dims.size() != 1) {
    return InvalidArgument("There must be exactly one ragged dimension in the lhs; got %u.",
                           attributes.lhs_ragged_dims.size());
  }
  const int64_t ragged = attributes.lhs_ragged_dims[0];
  if (!InRange(ragged, lhs.rank())) {
    return InvalidArgumentStrCat("The lhs ragged dimension ", ragged, " is out of range [0, ",
                                 lhs.rank(), ") in ", Str(lhs), ".");
  }
  const std::vector<int64_t> prefix = GroupSizesPrefix(lhs, dims, ragged);
  const int64_t group_rank = group_sizes.rank();
  if (group_rank != 1 && group_rank != static_cast<int64_t>(prefix.size()) + 1) {
    return InvalidArgumentStrCat("expected group_sizes to have rank ", prefix.size() + 1, ", got ",
                                 group_rank, ": ", Str(group_sizes), ".");
  }
  for (int64_t i = 0; i < group_rank - 1; ++i) {
    if (SizesCompatible(prefix[i], DimOf(group_sizes, i).size)) continue;
    return InvalidArgumentStrCat("group_sizes is expected to have shape [",
                                 absl::StrJoin(prefix, ", "), ", ", group_sizes.dimensions().back(),
                                 "], got [", absl::StrJoin(group_sizes.dimensions(), ", "), "].");
  }
  const Dim groups = DimOf(group_sizes, group_rank - 1);

  const bool ragged_batch = Contains(dims.lhs_batch, ragged);
  const bool ragged_contracting = Contains(dims.lhs_contracting, ragged);
  const Int64s& rhs_groups = attributes.rhs_group_dims;
  if (ragged_batch || ragged_contracting) {
    if (!rhs_groups.empty()) {
      return InvalidArgument(
          "There must be zero group dimensions in the rhs when the ragged dimension is batch or "
          "contracting; "
          "got %u.",
          rhs_groups.size());
    }
  } else {
    if (rhs_groups.size() != 1) {
      return InvalidArgument(
          "There must be exactly one group dimension in the rhs when the lhs ragged dimension is "
          "non-contracting; got %u.",
          rhs_groups.size());
    }
    const int64_t d = rhs_groups[0];
    if (!InRange(d, rhs.rank())) {
      return InvalidArgumentStrCat("The group dimension ", d, " is out of range for rhs ", Str(rhs),
                                   ".");
    }
    if (Contains(dims.rhs_batch, d) || Contains(dims.rhs_contracting, d)) {
      return InvalidArgument(
          "The rhs group dimension cannot be a batch or contracting dimension, got %d.", d);
    }
    if (!SizesCompatible(DimOf(rhs, d).size, groups.size)) {
      return InvalidArgument("rhs group dimension is expected to have size=%d, got %d.",
                             groups.size, DimOf(rhs, d).size);
    }
  }
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(in, lhs, rhs));
  Dims result;
  if (ragged_contracting) result.Add(groups);
  AddDotResultDims(lhs, rhs, dims, rhs_groups, &result);
  return result.Make(type);
}

Result InferConvolution(const InferenceInput& in) {
  const auto& attributes = Attrs<ConvolutionAttributes>(in);
  const ConvDims& dims = attributes.dim_labels;
  const Shape& lhs = Operand(in, 0);
  const Shape& rhs_operand = Operand(in, 1);
  if (rhs_operand.IsTuple() && rhs_operand.tuple_shapes_size() != 2) {
    return InvalidArgumentStrCat(
        "rhs of convolution, if a tuple, must have 2 elements for sparsity; got: ",
        Str(rhs_operand));
  }
  const Shape& rhs = rhs_operand.IsTuple() ? rhs_operand.tuple_shapes(0) : rhs_operand;
  const int64_t feature_groups = attributes.feature_group_count;
  const int64_t batch_groups = attributes.batch_group_count;
  XLA_RETURN_IF_ERROR(ExpectArray(lhs, "lhs of convolution"));
  XLA_RETURN_IF_ERROR(ExpectArray(rhs, "rhs of convolution"));
  if (feature_groups <= 0) {
    return InvalidArgument("feature_group_count must be a positive number, got %d", feature_groups);
  }
  if (batch_groups <= 0) {
    return InvalidArgument("batch_group_count must be a positive number, got %d", batch_groups);
  }
  if (batch_groups > 1 && feature_groups > 1) {
    return InvalidArgument(
        "both batch_group_count %d and feature_group_count %d cannot be greater than 1",
        batch_groups, feature_groups);
  }
  XLA_RETURN_IF_ERROR(CheckConvDims(lhs, rhs, attributes));
  XLA_RETURN_IF_ERROR(CheckPrecision(in, attributes.precision));

  const Dim batch = DimOf(lhs, dims.input_batch);
  const Dim features = DimOf(lhs, dims.input_feature);
  Dim kernel_inputs = DimOf(rhs, dims.kernel_input_feature);
  if (attributes.sparsity.rhs.has_value()) {
    const Sparsity::Operand& sparsity = *attributes.sparsity.rhs;
    if (sparsity.num_non_zero != 1) {
      return InvalidArgument("Only 1:N sparsity is currently supported.");
    }
    // The kernel holds one element of each block.
    int64_t dense_size;
    if (sparsity.block_size < 1 || kernel_inputs.IsUnbounded() ||
        __builtin_mul_overflow(kernel_inputs.size, sparsity.block_size, &dense_size)) {
      return InvalidArgument("The block size %d of a sparse kernel does not fit its %d features",
                             sparsity.block_size, kernel_inputs.size);
    }
    kernel_inputs.size = dense_size;
  }
  const Dim kernel_outputs = DimOf(rhs, dims.kernel_output_feature);
  const auto error = [&](const std::string& rule) {
    return InvalidArgumentStrCat(rule, "; got <conv>(", Str(lhs), ", ", Str(rhs), ")");
  };
  if (kernel_outputs.dynamic) {
    return error("Dynamic output feature dim on convolution kernel is not supported");
  }
  if (kernel_outputs.size % batch_groups != 0) {
    return error(absl::StrCat("Expected output feature dimension size (value ", kernel_outputs.size,
                              ") to be a multiple of batch group count ", batch_groups));
  }
  if (!features.IsUnbounded() &&
      (features.size % feature_groups != 0 ||
       !SizesCompatible(features.size / feature_groups, kernel_inputs.size))) {
    return error(
        absl::StrCat("Expected LHS feature dimension (value ", features.size,
                     ") to be a multiple of feature_group_count (value ", feature_groups,
                     "), and LHS feature dimension / feature_group_count = RHS feature dimension "
                     "(value ",
                     kernel_inputs.size, ")"));
  }
  if (kernel_outputs.size % feature_groups != 0) {
    return error(absl::StrCat("Expected output feature dimension (value ", kernel_outputs.size,
                              ") to be divisible by feature_group_count (value ", feature_groups,
                              ")"));
  }
  if (!batch.IsUnbounded() && batch.size % batch_groups != 0) {
    return error(absl::StrCat("Expected input batch dimension (value ", batch.size,
                              ") to be divisible by batch_group_count (value ", batch_groups, ")"));
  }

  std::vector<Dim> base;
  for (size_t i = 0; i < dims.input_spatial.size(); ++i) {
    const Dim kernel = DimOf(rhs, dims.kernel_spatial[i]);
    if (kernel.size != attributes.window[i].size) {
      return error(absl::StrCat("Window dimensions do not match RHS shape: window size ",
                                attributes.window[i].size, " in spatial dimension ", i, ", RHS ",
                                kernel.size));
    }
    base.push_back(DimOf(lhs, dims.input_spatial[i]));
    base.back().dynamic |= kernel.dynamic;
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<Dim> places, WindowedDims(base, attributes.window));

  Dims result;
  result.Resize(lhs.rank());
  result.Set(dims.output_batch,
             batch.IsUnbounded() ? batch : Dim{batch.size / batch_groups, batch.dynamic});
  result.Set(dims.output_feature, kernel_outputs);
  for (size_t i = 0; i < places.size(); ++i) result.Set(dims.output_spatial[i], places[i]);
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(in, lhs, rhs));
  return result.Make(type);
}

}  // namespace xla::shape_inference
