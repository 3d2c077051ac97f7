// SPDX-License-Identifier: Apache-2.0
// Copies rows of the input with zeros around them and reads them at the distance of each tap;
// weights are packed once.
#include "xla/kernels/convolution/row_convolution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/convolution/row_tiles.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/input_rows.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Products that are summed at a time, for the rows of a few features.
constexpr int64_t kChunkDepth = 128;

template <typename T>
class RowConvolution final : public Kernel {
 public:
  static bool Fits(const Convolution& conv) {
    constexpr PrimitiveType kType = sizeof(T) == 4 ? F32 : F64;
    const Patches& patches = conv.patches;
    if (patches.type != kType || conv.kernel.type != kType || conv.result.type != kType ||
        patches.dims.empty() || patches.depth() == 0 || conv.result.rows.count() == 0) {
      return false;
    }
    for (const SpatialDim& dim : patches.dims) {
      if (dim.base_dilation != 1) return false;
    }
    const SpatialDim& minor = patches.dims.back();
    const int64_t channels = InterleavedChannels(conv), row = minor.output_size;
    return channels > 0 && minor.stride == 1 &&
           (conv.result.rows.count() == 1 || row == 1 || conv.result.rows.Offset(1) == channels) &&
           conv.result.rows.run_length() % row == 0;
  }

  // Estimated cycles.
  double Cost() const {
    // Many weights are better packed when they are used.
    constexpr int64_t kMostWeightBytes = 2 * kUsualMachine.second_level_bytes,
                      kMostCopied = kUsualMachine.second_level_bytes;
    if (WeightBytes() > kMostWeightBytes || SlotsOf(1) * SlotBytes() > kMostCopied)
      return kDoesNotFit;
    constexpr double kStart = 200, kWeight = 2, kCopied = 0.15, kSlot = 15, kInputRow = 3,
                     kTable = 25, kRowOfFeatures = 60, kLatency = 4;
    const auto vectors = static_cast<double>(CeilOfRatio<int64_t>(row_, kRowLanes)) *
                         (static_cast<double>(kRowLanes) / static_cast<double>(ProductLanes<T>()));
    const auto depth = static_cast<double>(conv_.patches.depth());
    const double weights = static_cast<double>(WeightBytes()) / kBytes * kWeight;
    const auto rows = static_cast<double>(rows_);
    const double blocks = static_cast<double>(CeilOfRatio(rows_, rows_of_task_));
    const double copies = blocks * static_cast<double>(SlotsOf(rows_of_task_)) *
                          (kSlot + static_cast<double>(SlotElements()) * kCopied);
    const double table = static_cast<double>(outer_taps_) * kTable;
    if (channels_ > 1) {
      const double row = table + depth * vectors * static_cast<double>(channels_) + kRowOfFeatures;
      return kStart + weights + copies + rows * row;
    }
    double row = 0;
    for (int64_t feature = 0; feature < features_;) {
      const int64_t together = FeaturesTogether(features_ - feature);
      // One load for the products of these features, and one for the weight of each; the sums of a
      // step wait for those of the last.
      const double steps = std::ceil(vectors / (together > 2 ? 2 : 4));
      row +=
          depth * std::max(kLatency * steps, vectors * (static_cast<double>(together) + 1.5) / 2) +
          kRowOfFeatures;
      feature += together;
    }
    row += table + static_cast<double>(InputRowCount()) * kInputRow;
    return kStart + static_cast<double>(groups_) * (copies + rows * row) + weights;
  }

  explicit RowConvolution(DirectProductSpec spec)
      : spec_(std::move(spec)),
        conv_(spec_.convolution),
        input_rows_(conv_.patches),
        minor_(conv_.patches.dims.back()),
        channels_(InterleavedChannels(conv_)),
        groups_(channels_ > 1 ? 1 : conv_.result.batch.count()),
        features_(conv_.result.columns.count()),
        row_(minor_.output_size),
        rows_(conv_.result.rows.count() / row_),
        outer_taps_(input_rows_.outer_taps()) {
    // Output rows of a task share the input rows that they read.
    constexpr int64_t kWorkOfTask = kUsualMachine.ProductsOfTask(),
                      kCopiedOfTask = 2 * kUsualMachine.first_level_bytes;
    const int64_t work = row_ * channels_ * features_ * conv_.patches.depth();
    rows_of_task_ = std::clamp<int64_t>(kWorkOfTask / work, 1, rows_);
    while (rows_of_task_ > 1 && SlotsOf(rows_of_task_) * SlotBytes() > kCopiedOfTask)
      rows_of_task_ = CeilOfRatio<int64_t>(rows_of_task_, 2);
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return WeightBytes() + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    T* const weights = static_cast<T*>(call.scratch);
    XLA_RETURN_IF_ERROR(RunTasks(*call.host, groups_, nullptr, 0, [&](int64_t group, Task&) {
      channels_ > 1 ? PackChannels(call, weights) : PackFeatures(call, group, weights);
    }));
    const int64_t tasks = CeilOfRatio(rows_, rows_of_task_);
    return RunTasks(*call.host, groups_ * tasks, static_cast<char*>(call.scratch) + WeightBytes(),
                    WorkerBytes(), [&](int64_t index, Task& task) {
                      const int64_t first = index % tasks * rows_of_task_;
                      RunRows(call, weights, index / tasks, first,
                              std::min(rows_, first + rows_of_task_), task);
                    });
  }

 private:
  static constexpr int64_t kBytes = sizeof(T);

  // Returns 1 if rows of positions are contiguous in the input; the number of channels if that many
  // interleaved channels are, each with its own kernel; otherwise 0.
  static int64_t InterleavedChannels(const Convolution& conv) {
    const Patches& patches = conv.patches;
    const int64_t stride = patches.dims.back().input_stride, groups = conv.result.batch.count();
    if (stride == 1) return 1;
    const bool is_depthwise = groups > 1 && groups <= kMostRowChannels && patches.features == 1 &&
                              conv.result.columns.count() == 1;
    return is_depthwise && stride == groups && patches.group_stride == 1 &&
                   conv.result.batch.run_stride() == 1
               ? groups
               : 0;
  }

  // Features [feature, feature + n) are computed together.
  static int64_t FeaturesTogether(int64_t left) {
    return left >= kMostRowFeatures ? kMostRowFeatures : left >= 4 ? 4 : left >= 2 ? 2 : 1;
  }

  // Returns the weights of an output feature: all taps of all features of the input.
  int64_t WeightsOfFeature() const { return conv_.patches.depth(); }
  int64_t WeightBytes() const {
    const int64_t copies = channels_ > 1 ? channels_ * kRowLanes : groups_ * features_;
    return Aligned(kBytes * copies * WeightsOfFeature());
  }
  int64_t InputRowCount() const { return conv_.patches.features * outer_taps_; }

  int64_t SlotElements() const {
    const int64_t reach = (minor_.taps - 1) * minor_.window_dilation;
    return (RoundUpTo(row_, kRowLanes) + reach) * channels_;
  }
  int64_t SlotBytes() const { return Aligned(SlotElements() * kBytes); }
  // Returns the most input rows that are copied for this many output rows.
  int64_t SlotsOf(int64_t rows) const { return input_rows_.MostOf(rows) * conv_.patches.features; }

  // The bytes of the table of slots that each output row reads under each outer tap, and of the
  // rows of the input and of weights with their numbers.
  int64_t TableBytes() const { return Aligned(rows_of_task_ * outer_taps_ * 8); }
  int64_t PointerBytes() const { return Aligned(InputRowCount() * 8); }
  int64_t WorkerBytes() const {
    return 2 * TableBytes() + 3 * PointerBytes() + SlotsOf(rows_of_task_) * SlotBytes();
  }

  // weights[feature block][input feature][outer tap][tap][feature of the block]
  void PackFeatures(const KernelCall& call, int64_t group, T* weights) const {
    const T* const kernel = Kernel(call) + conv_.kernel.batch.Offset(group);
    const auto scale = static_cast<T>(spec_.kernel_scale);
    const int64_t inputs = conv_.patches.features;
    const int64_t taps = outer_taps_ * minor_.taps;
    T* to = weights + group * features_ * WeightsOfFeature();
    for (int64_t first = 0; first < features_;) {
      const int64_t count = FeaturesTogether(features_ - first);
      for (int64_t input = 0; input < inputs; ++input) {
        for (int64_t tap = 0; tap < taps; ++tap) {
          const T* from = kernel + conv_.kernel.k.Offset(tap * inputs + input);
          for (int64_t f = 0; f < count; ++f) {
            const T weight = from[conv_.kernel.lines.Offset(first + f)];
            *to++ = scale == 1 ? weight : weight * scale;
          }
        }
      }
      first += count;
    }
  }
  // weights[tap][pixel][channel]
  void PackChannels(const KernelCall& call, T* weights) const {
    const auto scale = static_cast<T>(spec_.kernel_scale);
    for (int64_t tap = 0; tap < WeightsOfFeature(); ++tap) {
      const T* from = Kernel(call) + conv_.kernel.k.Offset(tap);
      for (int64_t i = 0; i < kRowLanes * channels_; ++i) {
        const T weight = from[conv_.kernel.batch.Offset(i % channels_)];
        *weights++ = scale == 1 ? weight : weight * scale;
      }
    }
  }
  const T* Kernel(const KernelCall& call) const {
    return static_cast<const T*>(call.buffers[spec_.kernel_buffer]) + spec_.kernel_origin;
  }

  // Copies the elements of a row that windows reach, with zeros around them.
  void CopyRow(const T* from, T* to) const {
    const int64_t width = SlotElements() / channels_;
    const int64_t low = std::clamp<int64_t>(minor_.padding_low, 0, width);
    const int64_t first = low - minor_.padding_low;  // of the input: padding may be negative
    const int64_t count = std::clamp<int64_t>(minor_.input_size - first, 0, width - low);
    std::fill_n(to, low * channels_, T(0));
    std::copy_n(from + first * channels_, count * channels_, to + low * channels_);
    std::fill_n(to + (low + count) * channels_, (width - low - count) * channels_, T(0));
  }

  // table[row * outer_taps + tap]: the slot of the row of input of the first feature, or kZeroRow.
  int64_t FindRows(int64_t first, int64_t rows, int64_t* table, int64_t* starts) const {
    int64_t used = 0;
    for (int64_t row = 0, at = 0; row < rows; ++row) {
      for (int64_t tap = 0; tap < outer_taps_; ++tap, ++at) {
        const int64_t start = input_rows_.OffsetOf(first + row, tap);
        const int64_t distance = input_rows_.Distance(first + row, tap);
        if (start == InputRows::kZeroRow) {
          table[at] = InputRows::kZeroRow;
        } else if (distance > 0 && distance <= at) {
          table[at] = table[at - distance];
        } else {
          starts[used] = start;
          table[at] = used++;
        }
      }
    }
    return used;
  }

  void RunRows(const KernelCall& call, const T* weights, int64_t group, int64_t first, int64_t end,
               Task& task) const {
    char* scratch = task.scratch();
    const auto take = [&](int64_t bytes) { return std::exchange(scratch, scratch + bytes); };
    int64_t* const table = reinterpret_cast<int64_t*>(take(TableBytes()));
    int64_t* const starts = reinterpret_cast<int64_t*>(take(TableBytes()));
    const T** const input = reinterpret_cast<const T**>(take(PointerBytes()));
    const T** const weight_rows = reinterpret_cast<const T**>(take(PointerBytes()));
    int64_t* const indices = reinterpret_cast<int64_t*>(take(PointerBytes()));
    T* const slots = reinterpret_cast<T*>(scratch);
    const int64_t slot = SlotBytes() / kBytes, inputs = conv_.patches.features;
    const T* const data = static_cast<const T*>(call.buffers[spec_.input_buffer]) +
                          group * conv_.patches.group_stride;
    const int64_t used = FindRows(first, end - first, table, starts);
    for (int64_t i = 0; i < used; ++i) {
      for (int64_t f = 0; f < inputs; ++f)
        CopyRow(data + starts[i] + f * conv_.patches.feature_stride,
                slots + (i * inputs + f) * slot);
    }
    for (int64_t row = first; row < end; ++row) {
      if (task.ShouldStop()) return;
      int64_t count = 0;
      for (int64_t i = 0; i < inputs * outer_taps_; ++i) {
        const int64_t at = table[(row - first) * outer_taps_ + i % outer_taps_];
        if (at == InputRows::kZeroRow) continue;
        input[count] = slots + (at * inputs + i / outer_taps_) * slot;
        indices[count++] = i;
      }
      const int64_t offset = spec_.result_origin + conv_.result.batch.Offset(group) +
                             conv_.result.rows.Offset(row * row_);
      T* const out = static_cast<T*>(call.buffers[2]) + offset;
      if (channels_ > 1) {
        for (int64_t i = 0; i < count; ++i)
          weight_rows[i] = weights + indices[i] * minor_.taps * channels_ * kRowLanes;
        RunRowChannels<T>(
            {channels_, count, minor_.taps, minor_.window_dilation, input, weight_rows, out, row_});
        Finish(call, offset, row_ * channels_);
        continue;
      }
      for (int64_t feature = 0; feature < features_;) {
        const int64_t together = FeaturesTogether(features_ - feature);
        const T* const block = weights + (group * features_ + feature) * WeightsOfFeature();
        for (int64_t i = 0; i < count; ++i)
          weight_rows[i] = block + indices[i] * minor_.taps * together;
        T* outs[kMostRowFeatures];
        for (int64_t f = 0; f < together; ++f)
          outs[f] = out + conv_.result.columns.Offset(feature + f);
        // Accumulates a chunk in registers, and then adds the sums of chunks: more exact than a
        // single sum.
        const int64_t chunk = std::max<int64_t>(1, kChunkDepth / minor_.taps);
        for (int64_t i = 0; i == 0 || i < count; i += chunk) {
          RunRowFeatures<T>({together, std::min(chunk, count - i), minor_.taps,
                             minor_.window_dilation, input + i, weight_rows + i, outs, row_,
                             i > 0});
        }
        for (int64_t f = 0; f < together; ++f)
          Finish(call, offset + conv_.result.columns.Offset(feature + f), row_);
        feature += together;
      }
    }
  }

  void Finish(const KernelCall& call, int64_t offset, int64_t count) const {
    if (spec_.epilogue.store == nullptr) return;
    spec_.epilogue.store(call.buffers, offset, count,
                         static_cast<const T*>(call.buffers[2]) + offset);
  }

  const DirectProductSpec spec_;
  const Convolution& conv_;
  const InputRows input_rows_;
  const SpatialDim minor_;
  const int64_t channels_;  // that are interleaved
  const int64_t groups_, features_, row_, rows_, outer_taps_;
  int64_t rows_of_task_ = 1;
};

}  // namespace

template <typename T>
double RowConvolutionCost(const DirectProductSpec& spec) {
  if (!RowConvolution<T>::Fits(spec.convolution)) return kDoesNotFit;
  return RowConvolution<T>(spec).Cost();
}
template double RowConvolutionCost<float>(const DirectProductSpec& spec);
template double RowConvolutionCost<double>(const DirectProductSpec& spec);

template <typename T>
std::unique_ptr<const Kernel> MakeRowConvolution(DirectProductSpec spec) {
  return std::make_unique<RowConvolution<T>>(std::move(spec));
}
template std::unique_ptr<const Kernel> MakeRowConvolution<float>(DirectProductSpec spec);
template std::unique_ptr<const Kernel> MakeRowConvolution<double>(DirectProductSpec spec);

}  // namespace xla::kernels
