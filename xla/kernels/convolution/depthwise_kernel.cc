// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions whose channels are contiguous: vectors go along the channels. Rows of bf16
// and f16 are converted to f32 for each row of results.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "xla/base/machine.h"
#include "xla/kernels/convolution/convolution_forms.h"
#include "xla/kernels/convolution/depthwise.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/wide.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

class DepthwiseKernel final : public Kernel {
 public:
  explicit DepthwiseKernel(ConvolutionProblem problem)
      : problem_(std::move(problem)),
        channels_(problem_.groups()),
        minor_(problem_.conv.patches.dims.back()),
        outer_taps_(problem_.conv.patches.depth() / minor_.taps),
        load_input_(problem_.conv.patches.type == F32
                        ? nullptr
                        : GetWideLoad<float>(problem_.conv.patches.type)),
        input_stride_(load_input_ == nullptr ? minor_.input_stride : channels_),
        plain_(problem_.epilogue.store == nullptr && problem_.conv.result.type == F32) {}

  int64_t ScratchBytes(int32_t workers) const override {
    return WeightBytes() + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    const int64_t positions = problem_.positions();
    if (positions == 0) return absl::OkStatus();
    float* weights = static_cast<float*>(call.scratch);
    PackWeights(call, weights);
    const int64_t lines = positions / minor_.output_size;
    const int64_t work = minor_.output_size * channels_ * minor_.taps * outer_taps_;
    // Each product reads its own elements.
    const int64_t per_task = std::max<int64_t>(1, kUsualMachine.ProductsOfTask() / 4 / work);
    return RunTasks(*call.host, CeilOfRatio(lines, per_task),
                    static_cast<char*>(call.scratch) + WeightBytes(), WorkerBytes(),
                    [&](int64_t index, Task& task) {
                      const int64_t end = std::min(lines, (index + 1) * per_task);
                      for (int64_t line = index * per_task; line < end; ++line)
                        RunLine(call, weights, line, task);
                    });
  }

 private:
  int64_t WeightBytes() const { return Aligned(problem_.conv.patches.depth() * channels_ * 4); }
  // Returns the bytes of pointers to rows of the input and of the weights, of a row of results, and
  // of converted rows of the input.
  int64_t PointerBytes() const { return Aligned(outer_taps_ * 2 * 8); }
  int64_t ResultBytes() const { return plain_ ? 0 : Aligned(minor_.output_size * channels_ * 4); }
  int64_t ConvertedRow() const { return minor_.input_size * channels_; }
  int64_t WorkerBytes() const {
    return PointerBytes() + ResultBytes() +
           (load_input_ == nullptr ? 0 : Aligned(outer_taps_ * ConvertedRow() * 4));
  }

  void PackWeights(const KernelCall& call, float* weights) const {
    const MatrixView& kernel = problem_.conv.kernel;
    const char* data = static_cast<const char*>(KernelData(problem_, call));
    const WideLoad<float> load = GetWideLoad<float>(kernel.type);
    const float scale = static_cast<float>(problem_.kernel_scale);
    for (int64_t k = 0; k < kernel.k.count(); ++k) {
      float* to = weights + k * channels_;
      load(data + kernel.k.Offset(k) * kernel.element_bytes, 1, channels_, to);
      for (int64_t c = 0; scale != 1 && c < channels_; ++c) to[c] *= scale;
    }
  }

  // Computes one row of output positions along the minor dimension.
  void RunLine(const KernelCall& call, const float* weights, int64_t line, Task& task) const {
    const Patches& patches = problem_.conv.patches;
    const float** input = reinterpret_cast<const float**>(task.scratch());
    const float** weight_rows = input + outer_taps_;
    const int64_t offset =
        problem_.result_origin + problem_.conv.result.rows.Offset(line * minor_.output_size);
    float* out = plain_ ? static_cast<float*>(call.buffers[2]) + offset
                        : reinterpret_cast<float*>(task.scratch() + PointerBytes());
    float* const converted =
        reinterpret_cast<float*>(task.scratch() + PointerBytes() + ResultBytes());
    const int64_t rows = FindRows(patches, static_cast<const char*>(call.buffers[0]), weights, line,
                                  converted, input, weight_rows);
    // Computes positions with the same valid taps together: those inside at once, others one by
    // one.
    const int64_t reach = (minor_.taps - 1) * minor_.window_dilation;
    const int64_t inside_begin =
        std::clamp<int64_t>(CeilOfRatio(std::max<int64_t>(minor_.padding_low, 0), minor_.stride), 0,
                            minor_.output_size);
    const int64_t last = minor_.input_size - 1 - reach + minor_.padding_low;
    const int64_t inside_end = std::clamp<int64_t>(last < 0 ? 0 : last / minor_.stride + 1,
                                                   inside_begin, minor_.output_size);
    for (int64_t o = 0; o < inside_begin; ++o) RunPositions(rows, input, weight_rows, o, 1, out);
    if (inside_end > inside_begin)
      RunPositions(rows, input, weight_rows, inside_begin, inside_end - inside_begin, out);
    for (int64_t o = inside_end; o < minor_.output_size; ++o)
      RunPositions(rows, input, weight_rows, o, 1, out);
    if (!plain_) {
      StoreElements<float>(problem_, call, GetWideStore<float>(problem_.conv.result.type),
                           offset - problem_.result_origin, 1, minor_.output_size * channels_, out);
    }
  }

  // Converts a row of the input.
  void ConvertRow(const char* from, int64_t element_bytes, float* to) const {
    if (minor_.input_stride == channels_) return load_input_(from, 1, ConvertedRow(), to);
    for (int64_t i = 0; i < minor_.input_size; ++i)
      load_input_(from + i * minor_.input_stride * element_bytes, 1, channels_, to + i * channels_);
  }

  // Finds the rows of taps that are within the input, or copies of them in `converted`.
  int64_t FindRows(const Patches& patches, const char* data, const float* weights, int64_t line,
                   float* converted, const float** input, const float** weight_rows) const {
    const int64_t rank = static_cast<int64_t>(patches.dims.size());
    int64_t rows = 0;
    for (int64_t tap = 0; tap < outer_taps_; ++tap) {
      int64_t rest = line, tap_rest = tap, offset = 0;
      bool inside = true;
      for (int64_t d = rank - 2; d >= 0 && inside; --d) {
        const SpatialDim& dim = patches.dims[d];
        int64_t at = rest % dim.output_size * dim.stride - dim.padding_low +
                     tap_rest % dim.taps * dim.window_dilation;
        rest /= dim.output_size;
        tap_rest /= dim.taps;
        inside = at >= 0 && at % dim.base_dilation == 0;
        at /= dim.base_dilation;
        inside = inside && at < dim.input_size;
        offset += at * dim.input_stride;
      }
      if (!inside) continue;
      const char* const row = data + (rest * patches.batch_stride + offset) * patches.element_bytes;
      if (load_input_ == nullptr) {
        input[rows] = reinterpret_cast<const float*>(row);
      } else {
        float* const to = converted + rows * ConvertedRow();
        ConvertRow(row, patches.element_bytes, to);
        input[rows] = to;
      }
      weight_rows[rows++] = weights + tap * minor_.taps * channels_;
    }
    return rows;
  }

  // Computes positions [first, first + count), which have the same valid taps.
  void RunPositions(int64_t rows, const float** input, const float** weights, int64_t first,
                    int64_t count, float* out) const {
    const int64_t start = first * minor_.stride - minor_.padding_low;
    const int64_t step = minor_.window_dilation;
    const int64_t tap_begin = start >= 0 ? 0 : CeilOfRatio(-start, step);
    const int64_t room = minor_.input_size - start;
    const int64_t tap_end = std::min(minor_.taps, room <= 0 ? 0 : CeilOfRatio(room, step));
    if (tap_begin >= tap_end) {
      std::fill_n(out + first * channels_, count * channels_, 0.0f);
      return;
    }
    const int64_t input_shift = (start + tap_begin * step) * input_stride_;
    for (int64_t i = 0; i < rows; ++i) {
      input[i] += input_shift;
      weights[i] += tap_begin * channels_;
    }
    RunDepthwise({.channels = channels_,
                  .positions = count,
                  .rows = rows,
                  .taps = tap_end - tap_begin,
                  .input = input,
                  .weights = weights,
                  .input_step = minor_.stride * input_stride_,
                  .tap_step = step * input_stride_,
                  .out = out + first * channels_});
    for (int64_t i = 0; i < rows; ++i) {
      input[i] -= input_shift;
      weights[i] -= tap_begin * channels_;
    }
  }

  const ConvolutionProblem problem_;
  const int64_t channels_;
  const SpatialDim minor_;
  const int64_t outer_taps_;
  const WideLoad<float> load_input_;  // null for f32, which is read in place
  const int64_t input_stride_;        // between positions of the rows that are multiplied
  const bool plain_;
};

// Whether elements of a type are multiplied as f32.
bool IsMultipliedAsF32(PrimitiveType type) { return type == F32 || type == BF16 || type == F16; }

}  // namespace

double DepthwiseCost(const ConvolutionProblem& problem) {
  const Convolution& conv = problem.conv;
  const Patches& patches = conv.patches;
  if (!IsMultipliedAsF32(patches.type) || !IsMultipliedAsF32(conv.kernel.type) ||
      conv.result.type == F64 || patches.features != 1 || problem.features() != 1 ||
      patches.dims.empty() || patches.group_stride != 1 || conv.result.batch.run_stride() != 1 ||
      conv.kernel.batch.run_stride() != 1 || patches.depth() == 0) {
    return kDoesNotFit;
  }
  // The results of a row of positions are contiguous.
  const SpatialDim& minor = patches.dims.back();
  if (minor.base_dilation != 1 ||
      (minor.output_size != 1 && conv.result.rows.Offset(1) != problem.groups()) ||
      conv.result.rows.run_length() % minor.output_size != 0) {
    return kDoesNotFit;
  }
  constexpr double kStart = 100, kVector = 1.2, kRow = 8, kWeight = 1.5, kConverted = 0.3;
  const auto positions = static_cast<double>(problem.positions()),
             depth = static_cast<double>(patches.depth()),
             vectors = static_cast<double>(CeilOfRatio(problem.groups(), ProductLanes<float>()));
  // Rows are converted for each tap along the other dimensions.
  const double converted = patches.type == F32
                               ? 0
                               : positions / static_cast<double>(minor.output_size) * depth /
                                     static_cast<double>(minor.taps) *
                                     static_cast<double>(minor.input_size * problem.groups());
  return kStart + depth * static_cast<double>(problem.groups()) * kWeight + converted * kConverted +
         positions * (kRow + vectors * depth * kVector);
}

std::unique_ptr<const Kernel> MakeDepthwise(ConvolutionProblem problem) {
  return std::make_unique<DepthwiseKernel>(std::move(problem));
}

}  // namespace xla::kernels
