// SPDX-License-Identifier: Apache-2.0
// Dimension relations of products: dots and convolutions.
#include <algorithm>

#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {
namespace {

// The order of dimensions of a dot's result: batch, then free dimensions of lhs, then of rhs.
template <class Attributes>
std::vector<int64_t> FreeDims(int64_t rank, const Attributes& batch,
                              const Attributes& contracting) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

}  // namespace

Relations RelateDot(const RelationInput& in) {
  const auto& dims = in.attributes<DotAttributes>();
  // Other operands hold the positions of sparse ones.
  if (in.operands.size() != 2) return std::nullopt;
  const Sizes lhs = in.operand(0).dimensions(), rhs = in.operand(1).dimensions();
  RelationBuilder builder(in);
  int64_t out = 0;
  for (size_t i = 0; i < dims.lhs_batch_dims.size(); ++i) {
    builder.Add({dims.lhs_batch_dims[i], dims.rhs_batch_dims[i]}, {out++},
                {.size = lhs[dims.lhs_batch_dims[i]]});
  }
  for (const int64_t d :
       FreeDims(in.operand(0).rank(), dims.lhs_batch_dims, dims.lhs_contracting_dims)) {
    builder.Add({d, kNoDim}, {out++}, {.size = lhs[d]});
  }
  for (const int64_t d :
       FreeDims(in.operand(1).rank(), dims.rhs_batch_dims, dims.rhs_contracting_dims)) {
    builder.Add({kNoDim, d}, {out++}, {.size = rhs[d]});
  }
  for (size_t i = 0; i < dims.lhs_contracting_dims.size(); ++i) {
    builder.Add({dims.lhs_contracting_dims[i], dims.rhs_contracting_dims[i]}, {kNoDim},
                {.size = lhs[dims.lhs_contracting_dims[i]], .kind = FactorKind::kReduction});
  }
  return std::move(builder).Build();
}

// A scale has an element for each block of its operand: of the two factors of a dimension with
// blocks, the major one.
Relations RelateScaledDot(const RelationInput& in) {
  const auto& dims = in.attributes<DotAttributes>();
  const Sizes lhs = in.operand(0).dimensions(), rhs = in.operand(1).dimensions();
  RelationBuilder builder(in);
  const auto has_scale = [&](int64_t operand) { return in.operand(operand + 2).rank() > 0; };
  const auto blocks = [&](int64_t operand, int64_t d) {
    return has_scale(operand) ? in.operand(operand + 2).dimensions(static_cast<int>(d))
                              : in.operand(operand).dimensions(static_cast<int>(d));
  };
  // A dimension of lhs, rhs or both. Blocks of different sizes in the two leave it whole.
  const auto add = [&](int64_t lhs_dim, int64_t rhs_dim, int64_t out, FactorKind kind) {
    const int64_t size = lhs_dim != kNoDim ? lhs[lhs_dim] : rhs[rhs_dim];
    int64_t major = size;
    bool is_regular = true;
    for (int64_t operand = 0; operand < 2; ++operand) {
      const int64_t d = operand == 0 ? lhs_dim : rhs_dim;
      if (d == kNoDim || !has_scale(operand)) continue;
      is_regular = is_regular && (major == size || major == blocks(operand, d));
      major = std::min(major, blocks(operand, d));
    }
    if (!is_regular || major == 0) {
      builder.Add({lhs_dim, rhs_dim, kNoDim, kNoDim}, {out},
                  {.size = size, .kind = FactorKind::kNeedReplication});
      for (int64_t operand = 0; operand < 2; ++operand) {
        const int64_t d = operand == 0 ? lhs_dim : rhs_dim;
        if (d == kNoDim || !has_scale(operand)) continue;
        Dims scale(4, kNoDim);
        scale[operand + 2] = d;
        builder.Add(scale, {kNoDim},
                    {.size = blocks(operand, d), .kind = FactorKind::kNeedReplication});
      }
      return;
    }
    Dims major_dims = {lhs_dim, rhs_dim, has_scale(0) ? lhs_dim : kNoDim,
                       has_scale(1) ? rhs_dim : kNoDim};
    // A scale without blocks in this dimension, beside one that has them, has both factors.
    Dims minor_dims = major_dims;
    for (int64_t operand = 0; operand < 2; ++operand) {
      const int64_t d = operand == 0 ? lhs_dim : rhs_dim;
      if (d != kNoDim && blocks(operand, d) == major) minor_dims[operand + 2] = kNoDim;
    }
    builder.Add(major_dims, {out}, {.size = major, .kind = kind});
    if (size / major > 1) builder.Add(minor_dims, {out}, {.size = size / major, .kind = kind});
  };
  int64_t out = 0;
  for (size_t i = 0; i < dims.lhs_batch_dims.size(); ++i) {
    add(dims.lhs_batch_dims[i], dims.rhs_batch_dims[i], out++, FactorKind::kPassThrough);
  }
  for (const int64_t d :
       FreeDims(in.operand(0).rank(), dims.lhs_batch_dims, dims.lhs_contracting_dims)) {
    add(d, kNoDim, out++, FactorKind::kPassThrough);
  }
  for (const int64_t d :
       FreeDims(in.operand(1).rank(), dims.rhs_batch_dims, dims.rhs_contracting_dims)) {
    add(kNoDim, d, out++, FactorKind::kPassThrough);
  }
  for (size_t i = 0; i < dims.lhs_contracting_dims.size(); ++i) {
    add(dims.lhs_contracting_dims[i], dims.rhs_contracting_dims[i], kNoDim, FactorKind::kReduction);
  }
  return std::move(builder).Build();
}

// The ragged dimension and the groups stay whole: which rows belong to which group is data.
Relations RelateRaggedDot(const RelationInput& in) {
  const auto& dims = in.attributes<RaggedDotAttributes>();
  const Sizes lhs = in.operand(0).dimensions(), rhs = in.operand(1).dimensions();
  const int64_t ragged = dims.lhs_ragged_dims[0];
  const bool adds_groups = Contains(dims.lhs_contracting_dims, ragged);
  RelationBuilder builder(in);
  const auto kind = [&](int64_t lhs_dim, FactorKind otherwise) {
    return lhs_dim == ragged ? FactorKind::kNeedReplication : otherwise;
  };
  int64_t out = 0;
  if (adds_groups) {
    builder.Add({kNoDim, kNoDim, kNoDim}, {out++},
                {.size = in.result().dimensions(0), .kind = FactorKind::kNeedReplication});
  }
  for (size_t i = 0; i < dims.lhs_batch_dims.size(); ++i) {
    const int64_t d = dims.lhs_batch_dims[i];
    builder.Add({d, dims.rhs_batch_dims[i], kNoDim}, {out++},
                {.size = lhs[d], .kind = kind(d, FactorKind::kPassThrough)});
  }
  for (const int64_t d :
       FreeDims(in.operand(0).rank(), dims.lhs_batch_dims, dims.lhs_contracting_dims)) {
    builder.Add({d, kNoDim, kNoDim}, {out++},
                {.size = lhs[d], .kind = kind(d, FactorKind::kPassThrough)});
  }
  for (const int64_t d :
       FreeDims(in.operand(1).rank(), dims.rhs_batch_dims, dims.rhs_contracting_dims)) {
    if (Contains(dims.rhs_group_dims, d)) {
      builder.Add({kNoDim, d, kNoDim}, {kNoDim},
                  {.size = rhs[d], .kind = FactorKind::kNeedReplication});
    } else {
      builder.Add({kNoDim, d, kNoDim}, {out++}, {.size = rhs[d]});
    }
  }
  for (size_t i = 0; i < dims.lhs_contracting_dims.size(); ++i) {
    const int64_t d = dims.lhs_contracting_dims[i];
    builder.Add({d, dims.rhs_contracting_dims[i], kNoDim}, {kNoDim},
                {.size = lhs[d], .kind = kind(d, FactorKind::kReduction)});
  }
  for (int64_t d = 0; d < in.operand(2).rank(); ++d) {
    builder.Add({kNoDim, kNoDim, d}, {kNoDim},
                {.size = in.operand(2).dimensions(static_cast<int>(d)),
                 .kind = FactorKind::kNeedReplication});
  }
  return std::move(builder).Build();
}

Relations RelateConvolution(const RelationInput& in) {
  const auto& attributes = in.attributes<ConvolutionAttributes>();
  const ConvDims& dims = attributes.dim_labels;
  if (in.operands.size() != 2) return std::nullopt;  // sparse, as for dots
  const Sizes lhs = in.operand(0).dimensions(), rhs = in.operand(1).dimensions();
  const Sizes out = in.result().dimensions();
  RelationBuilder builder(in);
  if (attributes.batch_group_count > 1) {
    builder.Add({dims.input_batch, dims.kernel_output_feature}, {dims.output_feature},
                {.size = attributes.batch_group_count});
  }
  builder.Add({dims.input_batch, kNoDim}, {dims.output_batch}, {.size = out[dims.output_batch]});
  for (size_t i = 0; i < dims.input_spatial.size() && !in.is_conservative; ++i) {
    // The input is divided either into windows or along each window; the larger is the major
    // factor, as in Shardy.
    const int64_t windows = out[dims.output_spatial[i]], window = rhs[dims.kernel_spatial[i]];
    int64_t remaining = lhs[dims.input_spatial[i]];
    const auto add = [&](bool is_window) {
      const int64_t size = std::min(remaining, is_window ? window : windows);
      if (size <= 1) return;
      builder.Add(
          {dims.input_spatial[i], is_window ? dims.kernel_spatial[i] : kNoDim},
          {is_window ? kNoDim : dims.output_spatial[i]},
          {.size = size, .kind = is_window ? FactorKind::kReduction : FactorKind::kPermutation});
      remaining /= size;
    };
    add(/*is_window=*/windows < window);
    add(/*is_window=*/windows >= window);
  }
  if (attributes.feature_group_count > 1) {
    builder.Add({dims.input_feature, dims.kernel_output_feature}, {dims.output_feature},
                {.size = attributes.feature_group_count});
  }
  builder.Add({dims.input_feature, dims.kernel_input_feature}, {kNoDim},
              {.size = rhs[dims.kernel_input_feature], .kind = FactorKind::kReduction});
  const int64_t features =
      out[dims.output_feature] / attributes.batch_group_count / attributes.feature_group_count;
  if (features > 1) {
    builder.Add({kNoDim, dims.kernel_output_feature}, {dims.output_feature}, {.size = features});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
