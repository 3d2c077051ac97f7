// SPDX-License-Identifier: Apache-2.0
// convolution, of any number of spatial dimensions, as a product of matrices: a line of the left
// one is the patch of the input under the window at one output position, and is gathered only when
// its panel is packed.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/contraction_panels.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/gemm.h"
#include "xla/interpreter/strided.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide.h"
#include "xla/interpreter/window.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

// One spatial dimension: the input coordinate under tap t at output coordinate o is
// (o * stride - padding_low + t * window_dilation) / base_dilation, where that divides and lies
// inside.
struct SpatialDim {
  int64_t output_size, taps;
  int64_t stride, padding_low, window_dilation, base_dilation;
  int64_t input_size, input_stride;
};

// The input as lines of patches. Positions are (batch, output spatial..), k is (tap.., input
// feature) in row-major order.
struct Patches {
  PrimitiveType type;  // of the elements, or of their parts if they are complex
  const char* data;
  int64_t element_bytes;
  int64_t group_stride;  // from group to group, in elements
  int64_t batch_size, batch_stride;
  int64_t features, feature_stride;
  absl::InlinedVector<SpatialDim, 3> dims;

  int64_t positions() const {
    int64_t count = batch_size;
    for (const SpatialDim& dim : dims) count *= dim.output_size;
    return count;
  }
  int64_t depth() const {
    int64_t count = features;
    for (const SpatialDim& dim : dims) count *= dim.taps;
    return count;
  }
};

// Where the windows of the lines of a panel start.
class LineOrigins {
 public:
  LineOrigins(const Patches& patches, int64_t first, int64_t lines)
      : rank_(patches.dims.size()), offsets_(lines), starts_(lines * rank_) {
    for (int64_t i = 0; i < lines; ++i) {
      int64_t rest = first + i;
      for (int64_t d = rank_ - 1; d >= 0; --d) {
        const SpatialDim& dim = patches.dims[d];
        starts_[i * rank_ + d] = rest % dim.output_size * dim.stride - dim.padding_low;
        rest /= dim.output_size;
      }
      offsets_[i] = rest * patches.batch_stride;
    }
  }

  // Offset of the input element (feature 0) under the tap that lies `steps` from the origin of line
  // i; -1 in padding.
  int64_t Offset(const Patches& patches, int64_t line, const int64_t* steps) const {
    int64_t offset = offsets_[line];
    const int64_t* start = starts_.data() + line * rank_;
    for (int64_t d = 0; d < rank_; ++d) {
      const SpatialDim& dim = patches.dims[d];
      int64_t at = start[d] + steps[d];
      if (dim.base_dilation != 1) {
        if (at < 0 || at % dim.base_dilation != 0) return -1;
        at /= dim.base_dilation;
      }
      if (at < 0 || at >= dim.input_size) return -1;
      offset += at * dim.input_stride;
    }
    return offset;
  }

 private:
  const int64_t rank_;
  absl::InlinedVector<int64_t, 64> offsets_, starts_;
};

// The pack function of the input (gemm.h). Complex elements (kParts == 2) are pairs of reals along
// k.
template <typename T, int kParts>
void PackPatches(const Patches& patches, WideLoad<T> load, int64_t group, int64_t first,
                 int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel) {
  const bool is_native = patches.type == primitive_util::NativeToPrimitiveType<T>();
  const char* base = patches.data + group * patches.group_stride * patches.element_bytes;
  const LineOrigins origins(patches, first, lines);
  const int64_t rank = patches.dims.size();
  absl::InlinedVector<int64_t, 4> steps(rank);
  T buffer[kGemmBlockK];
  const int64_t k_end = (k0 + depth) / kParts;
  for (int64_t k = k0 / kParts; k < k_end;) {
    const int64_t feature = k % patches.features;
    const int64_t count = std::min(patches.features - feature, k_end - k);
    int64_t tap = k / patches.features;
    for (int64_t d = rank - 1; d >= 0; --d) {
      steps[d] = tap % patches.dims[d].taps * patches.dims[d].window_dilation;
      tap /= patches.dims[d].taps;
    }
    T* rows = panel + (k * kParts - k0) * width;
    for (int64_t line = 0; line < lines; ++line) {
      T* dst = rows + line;
      const int64_t offset = origins.Offset(patches, line, steps.data());
      if (offset < 0) {
        for (int64_t i = 0; i < count * kParts; ++i) dst[i * width] = T(0);
        continue;
      }
      const char* src = base + (offset + feature * patches.feature_stride) * patches.element_bytes;
      if (kParts == 1 && !is_native) {
        load(src, patches.feature_stride, count, buffer);
        for (int64_t i = 0; i < count; ++i) dst[i * width] = buffer[i];
      } else {
        const T* elements = reinterpret_cast<const T*>(src);
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t part = 0; part < kParts; ++part) {
            dst[(i * kParts + part) * width] = elements[i * patches.feature_stride * kParts + part];
          }
        }
      }
    }
    k += count;
  }
  if (lines < width) {
    for (int64_t k = 0; k < depth; ++k)
      std::fill(panel + k * width + lines, panel + (k + 1) * width, T(0));
  }
}

// A convolution taken apart: patches, kernel and result as (group, line, k).
struct Convolution {
  Patches patches;
  MatrixView kernel;  // lines are output features
  ResultView result;  // rows are positions, columns output features
};

Convolution MakeConvolution(const ConvolutionAttributes& attributes, const Value& input,
                            const Value& kernel, Value& output) {
  const ConvDims& labels = attributes.dim_labels;
  const DimensionVector input_strides = RowMajorStrides(input.dimensions());
  const DimensionVector kernel_strides = RowMajorStrides(kernel.dimensions());
  const DimensionVector output_strides = RowMajorStrides(output.dimensions());
  const int64_t groups = attributes.feature_group_count * attributes.batch_group_count;
  // Of features that exist in one operand alone nothing is summed; what does not exist of the
  // input's spatial dimensions is padding.
  const int64_t all_features = kernel.dimensions()[labels.kernel_input_feature];
  int64_t features = kernel.dynamic_size(labels.kernel_input_feature);
  if (attributes.feature_group_count == 1)
    features = std::min(features, input.dynamic_size(labels.input_feature));
  const int64_t output_features = kernel.dimensions()[labels.kernel_output_feature] / groups;
  const int64_t batch_size = input.dimensions()[labels.input_batch] / attributes.batch_group_count;

  Convolution conv;
  Patches& patches = conv.patches;
  patches.type = input.element_type();
  patches.data = static_cast<const char*>(input.untyped_data());
  patches.element_bytes = primitive_util::ByteWidth(input.element_type());
  patches.batch_size = batch_size;
  patches.batch_stride = input_strides[labels.input_batch];
  patches.features = features;
  patches.feature_stride = input_strides[labels.input_feature];
  patches.group_stride = attributes.batch_group_count > 1 ? batch_size * patches.batch_stride
                                                          : all_features * patches.feature_stride;

  conv.kernel.type = kernel.element_type();
  conv.kernel.element_bytes = primitive_util::ByteWidth(kernel.element_type());
  conv.kernel.batch =
      StridedDims({groups}, {output_features * kernel_strides[labels.kernel_output_feature]});
  conv.kernel.lines =
      StridedDims({output_features}, {kernel_strides[labels.kernel_output_feature]});

  ResultView& result = conv.result;
  result.type = output.element_type();
  result.data = output.mutable_untyped_data();
  result.element_bytes = primitive_util::ByteWidth(output.element_type());
  result.batch = StridedDims({groups}, {output_features * output_strides[labels.output_feature]});
  result.columns = StridedDims({output_features}, {output_strides[labels.output_feature]});
  result.rows.Append(batch_size, output_strides[labels.output_batch]);

  int64_t kernel_origin = 0;
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    const int64_t output_size = output.dimensions()[labels.output_spatial[d]];
    // Taps exist from the kernel's first element on, which is the window's last place if reversed.
    const int64_t taps = std::min(window.size, kernel.dynamic_size(labels.kernel_spatial[d]));
    const int64_t skipped =
        window.window_reversal ? (window.size - taps) * window.window_dilation : 0;
    patches.dims.push_back({.output_size = output_size,
                            .taps = taps,
                            .stride = window.stride,
                            .padding_low = window.padding_low - skipped,
                            .window_dilation = window.window_dilation,
                            .base_dilation = window.base_dilation,
                            .input_size = input.dynamic_size(labels.input_spatial[d]),
                            .input_stride = input_strides[labels.input_spatial[d]]});
    result.rows.Append(output_size, output_strides[labels.output_spatial[d]]);
    const int64_t stride = kernel_strides[labels.kernel_spatial[d]];
    if (window.window_reversal && taps > 0) kernel_origin += (taps - 1) * stride;
    conv.kernel.k.Append(taps, window.window_reversal ? -stride : stride);
  }
  conv.kernel.k.Append(features, kernel_strides[labels.kernel_input_feature]);
  conv.kernel.data =
      static_cast<const char*>(kernel.untyped_data()) + kernel_origin * conv.kernel.element_bytes;
  return conv;
}

// Convolutions of many groups of few features (depthwise ones): a product of matrices would be
// mostly padding, so groups are the lanes. Sums go in order of k.
template <typename T>
class GroupLanes {
 public:
  explicit GroupLanes(const Convolution& conv)
      : conv_(conv),
        groups_(conv.result.batch.count()),
        outputs_(conv.result.columns.count()),
        depth_(conv.patches.depth()),
        load_(GetWideLoad<T>(conv.patches.type)),
        store_(GetWideStore<T>(conv.result.type)),
        is_native_(conv.patches.type == primitive_util::NativeToPrimitiveType<T>() &&
                   conv.patches.group_stride == 1),
        kernel_(depth_ * outputs_ * groups_) {
    const MatrixView& kernel = conv.kernel;
    const WideLoad<T> load = GetWideLoad<T>(kernel.type);
    for (int64_t k = 0; k < depth_; ++k) {
      for (int64_t o = 0; o < outputs_; ++o) {
        const char* src = static_cast<const char*>(kernel.data) +
                          (kernel.k.Offset(k) + kernel.lines.Offset(o)) * kernel.element_bytes;
        load(src, kernel.batch.run_stride(), groups_, &kernel_[(k * outputs_ + o) * groups_]);
      }
    }
  }

  // Whether this is the better way: the groups' elements lie side by side.
  static bool IsBetter(const Convolution& conv) {
    constexpr int64_t kEnoughGroups = 8, kFewFeatures = 4;
    return conv.result.batch.count() >= kEnoughGroups &&
           conv.result.columns.count() <= kFewFeatures && conv.patches.features <= kFewFeatures &&
           conv.patches.feature_stride == 1 && conv.patches.group_stride == conv.patches.features;
  }

  absl::Status Run(EvalContext& ctx) const {
    const int64_t positions = conv_.result.rows.count();
    const double cost = 50 + 0.3 * static_cast<double>(kernel_.size());
    return ctx.ParallelFor(positions, EvalContext::ChunkFor(positions, cost),
                           [&](int64_t begin, int64_t end) {
                             std::vector<T> sums(outputs_ * groups_), elements(groups_);
                             for (int64_t position = begin; position < end; ++position) {
                               RunPosition(position, sums, elements);
                             }
                           });
  }

 private:
  void RunPosition(int64_t position, std::vector<T>& sums, std::vector<T>& elements) const {
    const Patches& patches = conv_.patches;
    const LineOrigins origins(patches, position, 1);
    const int64_t rank = patches.dims.size();
    absl::InlinedVector<int64_t, 4> steps(rank);
    std::fill(sums.begin(), sums.end(), T(0));
    for (int64_t k = 0; k < depth_; k += patches.features) {
      int64_t tap = k / patches.features;
      for (int64_t d = rank - 1; d >= 0; --d) {
        steps[d] = tap % patches.dims[d].taps * patches.dims[d].window_dilation;
        tap /= patches.dims[d].taps;
      }
      const int64_t offset = origins.Offset(patches, 0, steps.data());
      if (offset < 0) continue;
      for (int64_t i = 0; i < patches.features; ++i) {
        const char* src =
            patches.data + (offset + i * patches.feature_stride) * patches.element_bytes;
        const T* lanes = reinterpret_cast<const T*>(src);
        if (!is_native_) {
          load_(src, patches.group_stride, groups_, elements.data());
          lanes = elements.data();
        }
        for (int64_t o = 0; o < outputs_; ++o) {
          MultiplyAdd(lanes, &kernel_[((k + i) * outputs_ + o) * groups_],
                      sums.data() + o * groups_);
        }
      }
    }
    const ResultView& result = conv_.result;
    char* row =
        static_cast<char*>(result.data) + result.rows.Offset(position) * result.element_bytes;
    for (int64_t o = 0; o < outputs_; ++o) {
      store_(sums.data() + o * groups_, groups_,
             row + result.columns.Offset(o) * result.element_bytes, result.batch.run_stride());
    }
  }

  // Inner loops of constant length, which compilers turn into vector code.
  void MultiplyAdd(const T* __restrict a, const T* __restrict b, T* __restrict sum) const {
    constexpr int64_t kLanes = 16;
    int64_t g = 0;
    for (; g + kLanes <= groups_; g += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) sum[g + l] += a[g + l] * b[g + l];
    }
    for (; g < groups_; ++g) sum[g] += a[g] * b[g];
  }

  const Convolution& conv_;
  const int64_t groups_, outputs_, depth_;
  const WideLoad<T> load_;
  const WideStore<T> store_;
  const bool is_native_;
  std::vector<T> kernel_;  // [k, output, group]
};

template <typename T>
absl::Status ConvolveReal(EvalContext& ctx, const Convolution& conv) {
  if (GroupLanes<T>::IsBetter(conv)) return GroupLanes<T>(conv).Run(ctx);
  const WideLoad<T> load_input = GetWideLoad<T>(conv.patches.type),
                    load_kernel = GetWideLoad<T>(conv.kernel.type);
  const auto pack_patches = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                                int64_t depth, int64_t width, T* panel) {
    PackPatches<T, 1>(conv.patches, load_input, group, first, lines, k0, depth, width, panel);
  };
  const auto pack_kernel = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, int64_t width, T* panel) {
    PackLines(conv.kernel, load_kernel, group, first, lines, k0, depth, width, panel);
  };
  const int64_t groups = conv.result.batch.count(), k = conv.patches.depth();
  ResultView result = conv.result;
  // The larger side is the vectorised one, unless there are enough output features to fill vectors:
  // these are packed once for many positions.
  constexpr int64_t kEnoughFeatures = 32;
  const int64_t positions = result.rows.count(), features = result.columns.count();
  if (features >= std::min(positions, kEnoughFeatures)) {
    const ResultWriter<T> writer(result);
    const auto store = [&](int64_t group, int64_t row, int64_t column, int64_t count,
                           const T* values) { writer.Write(group, row, column, count, values); };
    return RunGemm<T>(ctx, {groups, positions, features, k, pack_patches, pack_kernel, store});
  }
  std::swap(result.rows, result.columns);
  const ResultWriter<T> writer(result);
  const auto store = [&](int64_t group, int64_t row, int64_t column, int64_t count,
                         const T* values) { writer.Write(group, row, column, count, values); };
  return RunGemm<T>(ctx, {groups, features, positions, k, pack_kernel, pack_patches, store});
}

// See MultiplyViews for how complex products become real ones.
template <typename Complex>
absl::Status ConvolveComplex(EvalContext& ctx, const Convolution& conv) {
  using T = GemmType<Complex>;
  const auto pack_patches = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                                int64_t depth, int64_t width, T* panel) {
    PackPatches<T, 2>(conv.patches, nullptr, group, first, lines, k0, depth, width, panel);
  };
  const auto pack_kernel = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, int64_t width, T* panel) {
    PackRotated(conv.kernel, group, first, lines, k0, depth, width, panel);
  };
  const ResultWriter<Complex> writer(conv.result);
  const auto store = [&](int64_t group, int64_t row, int64_t column, int64_t count,
                         const T* values) { writer.Write(group, row, column, count, values); };
  return RunGemm<T>(
      ctx, {conv.result.batch.count(), conv.result.rows.count(), 2 * conv.result.columns.count(),
            2 * conv.patches.depth(), pack_patches, pack_kernel, store});
}

// Existing sizes of the result.
DimensionVector ConvolvedSizes(const ConvolutionAttributes& attributes, const Value& input,
                               const Value& kernel) {
  const ConvDims& labels = attributes.dim_labels;
  DimensionVector sizes(input.rank());
  sizes[labels.output_batch] =
      input.dynamic_size(labels.input_batch) / attributes.batch_group_count;
  sizes[labels.output_feature] = kernel.dynamic_size(labels.kernel_output_feature);
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    const int64_t size = input.dynamic_size(labels.input_spatial[d]);
    const int64_t padded = (size == 0 ? 0 : (size - 1) * window.base_dilation + 1) +
                           window.padding_low + window.padding_high;
    const int64_t dilated = (window.size - 1) * window.window_dilation + 1;
    sizes[labels.output_spatial[d]] =
        window.size == 0 || padded < dilated ? 0 : (padded - dilated) / window.stride + 1;
  }
  return sizes;
}

}  // namespace

absl::StatusOr<Value> Convolve(EvalContext& ctx, const Shape& shape,
                               const ConvolutionAttributes& attributes,
                               absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
  if (operands[0].has_dynamic_sizes() || operands[1].has_dynamic_sizes()) {
    SetExistingSizes(ConvolvedSizes(attributes, operands[0], operands[1]), result);
  }
  if (result.element_count() == 0) return result;
  XLA_ASSIGN_OR_RETURN(const ContractionWide type,
                       ContractionType(operands[0].element_type(), operands[1].element_type(),
                                       result.element_type()));
  XLA_RETURN_IF_ERROR(WithWideType(type, [&](auto sample) -> absl::Status {
    using Wide = decltype(sample);
    XLA_ASSIGN_OR_RETURN(const Value input, PrepareOperand<Wide>(ctx, operands[0]));
    XLA_ASSIGN_OR_RETURN(const Value kernel, PrepareOperand<Wide>(ctx, operands[1]));
    const Convolution conv = MakeConvolution(attributes, input, kernel, result);
    if constexpr (is_complex_v<Wide>) {
      return ConvolveComplex<Wide>(ctx, conv);
    } else {
      return ConvolveReal<Wide>(ctx, conv);
    }
  }));
  return result;
}

absl::StatusOr<Value> EvalConvolution(EvalContext& ctx, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  return Convolve(ctx, inst.shape(), inst.attributes<ConvolutionAttributes>(), operands);
}

}  // namespace xla::interpreter
