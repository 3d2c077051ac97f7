// SPDX-License-Identifier: Apache-2.0
// Convolution: packing of patches, and lanes of groups.
#include "xla/kernels/reference/convolution.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/kernels/product/gemm.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// The coordinates of the windows of a panel's lines.
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

  // Returns the offset of the input element (feature 0) under the tap at `steps` from the origin of
  // line i; -1 in padding.
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

// A GemmPack of the input. Complex elements (kParts == 2) are pairs of reals along
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
                   conv.patches.group_stride == 1) {}

  // Whether this is faster than a product of matrices: the groups' elements are contiguous.
  static bool IsBetter(const Convolution& conv) {
    constexpr int64_t kEnoughGroups = 8, kFewFeatures = 4;
    return conv.result.batch.count() >= kEnoughGroups &&
           conv.result.columns.count() <= kFewFeatures && conv.patches.features <= kFewFeatures &&
           conv.patches.feature_stride == 1 && conv.patches.group_stride == conv.patches.features;
  }

  absl::Status Run(Context& context) {
    XLA_RETURN_IF_ERROR(LoadKernel(context));
    const int64_t positions = conv_.result.rows.count();
    const double cost = 50 + kNanosecondsPerTerm * static_cast<double>(kernel_.size());
    return context.ParallelFor(
        positions, ChunkFor(positions, cost), [&](int64_t begin, int64_t end) -> absl::Status {
          XLA_ASSIGN_OR_RETURN(const ScratchArray<T> lanes,
                               AllocateArray<T>(context, (outputs_ + 1) * groups_));
          WorkMeter meter(context);
          for (int64_t position = begin; position < end; ++position) {
            XLA_RETURN_IF_ERROR(
                RunPosition(position, lanes.data(), lanes.data() + outputs_ * groups_, meter));
          }
          return absl::OkStatus();
        });
  }

 private:
  static constexpr double kNanosecondsPerTerm = 0.3;

  absl::Status LoadKernel(Context& context) {
    XLA_ASSIGN_OR_RETURN(kernel_, AllocateArray<T>(context, depth_ * outputs_ * groups_));
    const MatrixView& kernel = conv_.kernel;
    const WideLoad<T> load = GetWideLoad<T>(kernel.type);
    WorkMeter meter(context);
    for (int64_t k = 0; k < depth_; ++k) {
      XLA_RETURN_IF_ERROR(meter.Add(static_cast<double>(outputs_ * groups_)));
      for (int64_t o = 0; o < outputs_; ++o) {
        const char* src = static_cast<const char*>(kernel.data) +
                          (kernel.k.Offset(k) + kernel.lines.Offset(o)) * kernel.element_bytes;
        load(src, kernel.batch.run_stride(), groups_, &kernel_[(k * outputs_ + o) * groups_]);
      }
    }
    return absl::OkStatus();
  }

  // `sums` and `elements` are working memory.
  absl::Status RunPosition(int64_t position, T* sums, T* elements, WorkMeter& meter) const {
    const Patches& patches = conv_.patches;
    const LineOrigins origins(patches, position, 1);
    const int64_t rank = patches.dims.size();
    absl::InlinedVector<int64_t, 4> steps(rank);
    std::fill_n(sums, outputs_ * groups_, T(0));
    for (int64_t k = 0; k < depth_; k += patches.features) {
      XLA_RETURN_IF_ERROR(meter.Add(kNanosecondsPerTerm *
                                    static_cast<double>(patches.features * outputs_ * groups_)));
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
          load_(src, patches.group_stride, groups_, elements);
          lanes = elements;
        }
        for (int64_t o = 0; o < outputs_; ++o) {
          MultiplyAdd(lanes, &kernel_[((k + i) * outputs_ + o) * groups_], sums + o * groups_);
        }
      }
    }
    const ResultView& result = conv_.result;
    char* row =
        static_cast<char*>(result.data) + result.rows.Offset(position) * result.element_bytes;
    for (int64_t o = 0; o < outputs_; ++o) {
      store_(sums + o * groups_, groups_, row + result.columns.Offset(o) * result.element_bytes,
             result.batch.run_stride());
    }
    return absl::OkStatus();
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
  ScratchArray<T> kernel_;  // [k, output, group]
};

template <typename T>
absl::Status ConvolveReal(Context& context, const Convolution& conv) {
  if (GroupLanes<T>::IsBetter(conv)) return GroupLanes<T>(conv).Run(context);
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
  // The larger side is the vectorized one, unless there are enough output features to fill vectors:
  // these are packed once for many positions.
  constexpr int64_t kEnoughFeatures = 32;
  const int64_t positions = result.rows.count(), features = result.columns.count();
  if (features >= std::min(positions, kEnoughFeatures)) {
    const ResultWriter<T> store(result);
    return RunGemm<T>(context, {groups, positions, features, k, pack_patches, pack_kernel, store});
  }
  std::swap(result.rows, result.columns);
  const ResultWriter<T> store(result);
  return RunGemm<T>(context, {groups, features, positions, k, pack_kernel, pack_patches, store});
}

// See MultiplyMatrices for how complex products become real ones.
template <typename Complex>
absl::Status ConvolveComplex(Context& context, const Convolution& conv) {
  using T = GemmType<Complex>;
  const auto pack_patches = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                                int64_t depth, int64_t width, T* panel) {
    PackPatches<T, 2>(conv.patches, nullptr, group, first, lines, k0, depth, width, panel);
  };
  const auto pack_kernel = [&](int64_t group, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, int64_t width, T* panel) {
    PackComplexColumns(conv.kernel, group, first, lines, k0, depth, width, panel);
  };
  const ResultWriter<Complex> store(conv.result);
  return RunGemm<T>(context, {conv.result.batch.count(), conv.result.rows.count(),
                              2 * conv.result.columns.count(), 2 * conv.patches.depth(),
                              pack_patches, pack_kernel, store});
}

}  // namespace

template <typename Wide>
absl::Status Convolve(Context& context, const Convolution& convolution) {
  if constexpr (is_complex_v<Wide>) {
    return ConvolveComplex<Wide>(context, convolution);
  } else {
    return ConvolveReal<Wide>(context, convolution);
  }
}

template absl::Status Convolve<float>(Context&, const Convolution&);
template absl::Status Convolve<double>(Context&, const Convolution&);
template absl::Status Convolve<uint32_t>(Context&, const Convolution&);
template absl::Status Convolve<uint64_t>(Context&, const Convolution&);
template absl::Status Convolve<complex64>(Context&, const Convolution&);
template absl::Status Convolve<complex128>(Context&, const Convolution&);

}  // namespace xla::kernels
