// SPDX-License-Identifier: Apache-2.0
// A tile of the product is a few neighboring positions of an output row: their patches are runs of
// the input at a fixed distance, one for each tap (or one for all taps of a row, if these are
// contiguous). Input rows are read in place, or copied once with zeros on both sides if the window
// exceeds them.
#include "xla/kernels/product/direct_product.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "xla/base/machine.h"
#include "xla/kernels/movement/transpose.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/input_rows.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/product/product_cost.h"
#include "xla/kernels/product/skinny_product.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The most elements of a patch that are multiplied at a time: a panel of the kernel with this many
// rows stays in the second-level cache.
constexpr int64_t kChunkDepth = 512;
// The most bytes of a task's copied rows.
constexpr int64_t kMaxCopiedBytes = kUsualMachine.second_level_bytes / 2;
// The most features for which dot products are computed, and the positions at a time.
constexpr int64_t kMostDotFeatures = 8, kDotPositions = 128;

class DirectProduct final : public Kernel {
 public:
  static bool Fits(const Convolution& conv) {
    const Patches& patches = conv.patches;
    if (FusedKernels<float>().runs == nullptr || patches.type != F32 || conv.kernel.type != F32 ||
        conv.result.type != F32 || patches.dims.empty() || patches.depth() == 0 ||
        conv.result.rows.count() == 0 || conv.result.columns.run_stride() != 1 ||
        !conv.result.columns.IsOneRun() || (patches.features > 1 && patches.feature_stride != 1)) {
      return false;
    }
    for (const SpatialDim& dim : patches.dims) {
      if (dim.base_dilation != 1) return false;
    }
    // Positions of a row are equally spaced in the result.
    const int64_t row = patches.dims.back().output_size;
    return conv.result.rows.IsOneRun() || conv.result.rows.run_length() % row == 0;
  }

  // Estimated cycles.
  double Cost() const {
    // Rows of a tile at such distances would share a set of the first-level cache.
    constexpr int64_t kSetDistance = 1024;
    if (row_ > 1 && minor_.stride * pixel_ % kSetDistance == 0) return kDoesNotFit;
    // Vectors go along the features. If these are few, lanes are idle, which costs less than
    // transposing the input if it has several features, and nothing is copied.
    constexpr int64_t kFewFeatures = 16;
    const bool is_narrow = conv_.result.columns.count() < kFewFeatures;
    const bool is_short = span_ * outer_taps_ * 4 <= kMaxCopiedBytes;
    if (!is_short && (!is_narrow || copies_)) return kDoesNotFit;
    constexpr double kStart = 180, kTable = 15, kRunStart = 4, kCopied = 0.1;
    const TileSizes tile = kernels_.tile_sizes();
    const int64_t columns = conv_.result.columns.count();
    const Plan plan = MakePlan(1);
    double row = static_cast<double>(outer_taps_) * kTable;
    if (is_dots_) {
      // Vectors are loaded once for up to kMaxSkinnyRows features.
      constexpr double kVector = 0.6, kProduct = 0.3, kSum = 2;
      constexpr int64_t kFewestPositions = 3;  // that are computed together
      const auto lanes = static_cast<double>(ProductLanes<float>()),
                 features = static_cast<double>(columns);
      const double vector =
          static_cast<double>(CeilOfRatio(columns, kMaxSkinnyRows)) * kVector + features * kProduct;
      for (const PatchRun& run : runs_) {
        row += static_cast<double>(std::max(row_, kFewestPositions)) *
               (std::ceil(static_cast<double>(run.length) / lanes) * vector + features * kSum);
      }
    } else {
      row +=
          TilesCost(row_, columns, conv_.patches.depth(), tile) +
          static_cast<double>(CeilOfRatio(row_, tile.rows) * CeilOfRatio(columns, tile.columns)) *
              static_cast<double>(runs_.size()) * kRunStart;
    }
    const auto blocks = static_cast<double>(plan.row_blocks);
    return kStart + static_cast<double>(conv_.result.batch.count()) *
                        (static_cast<double>(rows_) * row +
                         blocks * PackPanelsCost(conv_.kernel, F32, kernels_.columns) +
                         blocks * static_cast<double>(plan.slots * span_) * kCopied);
  }

  explicit DirectProduct(DirectProductSpec spec)
      : spec_(std::move(spec)),
        conv_(spec_.convolution),
        input_rows_(conv_.patches),
        minor_(conv_.patches.dims.back()),
        kernels_(FusedKernels<float>()),
        dots_(FusedSkinnyKernels<float>().dots) {
    const Patches& patches = conv_.patches;
    row_ = minor_.output_size;
    rows_ = conv_.result.rows.count() / row_;
    outer_taps_ = input_rows_.outer_taps();
    const int64_t reach = (row_ - 1) * minor_.stride + (minor_.taps - 1) * minor_.window_dilation;
    copies_ = minor_.padding_low > 0 || reach - minor_.padding_low >= minor_.input_size;
    pixel_ = copies_ || minor_.input_size == 1 ? patches.features : minor_.input_stride;
    prefetches_ = !copies_ && minor_.taps == 1 && outer_taps_ == 1;
    width_ = reach + 1;
    span_ = reach * pixel_ + patches.features;
    zero_slots_ = input_rows_.ReadsPadding() ? 1 : 0;
    MakeRuns();
    constexpr int64_t kLongRun = 32;
    is_dots_ = conv_.result.columns.count() <= kMostDotFeatures && runs_.front().length >= kLongRun;
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return WorkerBytes(PlanFor(workers)) * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    const Plan plan = PlanFor(call.host->workers);
    const int64_t groups = conv_.result.batch.count();
    return RunTasks(
        *call.host, groups * plan.row_blocks * plan.segments * plan.column_blocks,
        static_cast<char*>(call.scratch), WorkerBytes(plan), [&](int64_t index, Task& task) {
          const int64_t column = index % plan.column_blocks * plan.columns;
          index /= plan.column_blocks;
          const int64_t position = index % plan.segments * plan.positions;
          index /= plan.segments;
          RunBlock(call, plan,
                   {index / plan.row_blocks, index % plan.row_blocks * plan.rows, position, column},
                   task);
        });
  }

 private:
  // Elements that are contiguous in the input and in the patch, under an outer tap.
  struct PatchRun {
    int64_t outer_tap, offset, length;
  };
  struct Plan {
    int64_t rows, row_blocks;        // output rows of a task
    int64_t positions, segments;     // of each of these rows, of a task
    int64_t columns, column_blocks;  // output features of a task
    int64_t slots;                   // copied input rows of a task at most
  };

  void MakeRuns() {
    const int64_t features = conv_.patches.features;
    const bool joins = pixel_ == features && minor_.window_dilation == 1;
    const int64_t per_row = joins ? 1 : minor_.taps;
    const int64_t length = joins ? minor_.taps * features : features;
    int64_t depth = 0;
    for (int64_t tap = 0; tap < outer_taps_; ++tap) {
      for (int64_t i = 0; i < per_row; ++i) {
        for (int64_t done = 0; done < length;) {
          // A chunk ends before the run that would not fit.
          if (depth == kChunkDepth || (depth > 0 && done == 0 && depth + length > kChunkDepth)) {
            chunks_.push_back(static_cast<int64_t>(runs_.size()));
            depth = 0;
          }
          const int64_t part = std::min(length - done, kChunkDepth - depth);
          runs_.push_back({tap, i * minor_.window_dilation * pixel_ + done, part});
          depth += part;
          done += part;
        }
      }
    }
    chunks_.push_back(static_cast<int64_t>(runs_.size()));
  }

  // The plan for the first number of workers that was asked for is kept.
  Plan PlanFor(int32_t workers) const {
    std::call_once(is_planned_, [&] {
      planned_workers_ = workers;
      plan_ = MakePlan(workers);
    });
    return workers == planned_workers_ ? plan_ : MakePlan(workers);
  }

  // Chooses among the ways to divide output rows and features into whole rounds of tasks the one
  // that takes the least time; among equal ones the one with more tasks, which are easier to
  // balance.
  Plan MakePlan(int32_t workers) const {
    constexpr int64_t kPositions = 256, kRounds = 4;
    constexpr double kEqual = 1.005;
    int64_t rows = std::clamp<int64_t>(kPositions / row_, 1, rows_);
    while (rows > 1 && SlotsOf(rows) * SlotBytes() > kMaxCopiedBytes) rows /= 2;
    const int64_t groups = conv_.result.batch.count(), fewest = CeilOfRatio(rows_, rows);
    Plan best = CutInto(fewest, 1);
    if (workers <= 1) return best;
    double least = TimeOf(best, workers);
    const auto consider = [&](int64_t blocks, int64_t cuts) {
      const Plan plan = CutInto(blocks, cuts);
      const double time = TimeOf(plan, workers);
      if (time < least * kEqual) best = plan;
      least = std::min(least, time);
    };
    consider(CeilOfRatio<int64_t>(groups * fewest, workers) * workers / groups, 1);
    for (int64_t tasks = workers; tasks <= kRounds * workers; tasks *= 2) {
      for (int64_t cuts = 1; cuts <= tasks && tasks / cuts >= groups * fewest; cuts *= 2)
        consider(tasks / cuts / groups, cuts);
      consider(fewest, CeilOfRatio(tasks, groups * fewest));
    }
    return best;
  }

  // Divides rows, positions of a row if more blocks are wanted, and features into about this many
  // blocks.
  Plan CutInto(int64_t row_blocks, int64_t column_blocks) const {
    const int64_t panels = CeilOfRatio(conv_.result.columns.count(), kernels_.columns);
    Plan plan;
    plan.rows = CeilOfRatio(rows_, std::min(row_blocks, rows_));
    plan.row_blocks = CeilOfRatio(rows_, plan.rows);
    const int64_t segments = row_blocks / rows_;
    plan.positions = segments <= 1 ? row_ : RoundUpTo(CeilOfRatio(row_, segments), kernels_.rows);
    plan.segments = CeilOfRatio(row_, plan.positions);
    const int64_t cut = CeilOfRatio(panels, std::min(column_blocks, panels));
    plan.columns = cut * kernels_.columns;
    plan.column_blocks = CeilOfRatio(panels, cut);
    plan.slots = SlotsOf(plan.rows);
    return plan;
  }

  // Estimates the time, in products of a row of a panel: what a task computes, its copies of the
  // kernel's panels and of input rows, its start, and the calls of an epilogue for parts of rows.
  double TimeOf(const Plan& plan, int32_t workers) const {
    constexpr int64_t kCopyRows = 16, kCopied = 8, kStart = 1 << 12, kCall = 16;
    const int64_t tiles = plan.rows * CeilOfRatio(plan.positions, kernels_.rows);
    const int64_t panel_rows = plan.columns / kernels_.columns * conv_.patches.depth();
    const bool has_calls = spec_.epilogue.store != nullptr && plan.column_blocks > 1;
    const int64_t calls = has_calls ? plan.rows * plan.positions : 0;
    const double task =
        static_cast<double>(panel_rows) * static_cast<double>(tiles * kernels_.rows + kCopyRows) +
        static_cast<double>(plan.slots * span_ / kCopied + calls * kCall + kStart);
    const int64_t tasks =
        conv_.result.batch.count() * plan.row_blocks * plan.segments * plan.column_blocks;
    return task * static_cast<double>(CeilOfRatio<int64_t>(tasks, workers));
  }

  // Returns the most input rows that are copied for this many output rows.
  int64_t SlotsOf(int64_t rows) const { return copies_ ? input_rows_.MostOf(rows) : 0; }
  int64_t SlotBytes() const { return Aligned(span_ * 4); }

  int64_t PanelBytes() const { return Aligned(kChunkDepth * kernels_.columns * 4); }
  int64_t TableBytes(const Plan& plan) const { return Aligned(plan.rows * outer_taps_ * 8); }
  int64_t RunBytes() const { return Aligned(static_cast<int64_t>(runs_.size()) * 16); }
  // The bytes of the kernel's elements by features, and of sums.
  int64_t DotBytes() const {
    constexpr int64_t kSums = 2 * kMaxSkinnyRows * kDotPositions;
    return is_dots_ ? Aligned((kMostDotFeatures * kChunkDepth + kSums) * 4) : 0;
  }
  int64_t WorkerBytes(const Plan& plan) const {
    return PanelBytes() + DotBytes() + TableBytes(plan) + RunBytes() +
           (plan.slots + zero_slots_) * SlotBytes();
  }

  // Copies the elements of a row that windows reach, with zeros around them.
  void CopyRow(const float* from, float* to) const {
    const int64_t features = conv_.patches.features;
    const int64_t low = std::clamp<int64_t>(minor_.padding_low, 0, width_);
    const int64_t first = low - minor_.padding_low;  // of the input: padding may be negative
    const int64_t count = std::clamp<int64_t>(minor_.input_size - first, 0, width_ - low);
    std::fill_n(to, low * features, 0.0f);
    const float* source = from + first * minor_.input_stride;
    if (minor_.input_stride == features) {
      std::copy_n(source, count * features, to + low * features);
    } else {
      for (int64_t i = 0; i < count; ++i)
        std::copy_n(source + i * minor_.input_stride, features, to + (low + i) * features);
    }
    std::fill_n(to + (low + count) * features, (width_ - low - count) * features, 0.0f);
  }

  // table[row * outer_taps + tap]: the row of input, copied if need be.
  void FindRows(const float* input, int64_t first_row, int64_t rows, const float** table,
                float* slots) const {
    const int64_t slot_elements = SlotBytes() / 4;
    bool has_zeros = false;  // in the first slot, which is theirs
    int64_t used = zero_slots_;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t tap = 0; tap < outer_taps_; ++tap) {
        const int64_t at = r * outer_taps_ + tap, id = input_rows_.OffsetOf(first_row + r, tap);
        if (id == InputRows::kZeroRow) {
          if (!std::exchange(has_zeros, true)) std::fill_n(slots, slot_elements, 0.0f);
          table[at] = slots;
          continue;
        }
        if (!copies_) {
          table[at] = input + id - minor_.padding_low * minor_.input_stride;
          continue;
        }
        const int64_t distance = input_rows_.Distance(first_row + r, tap);
        if (distance > 0 && distance <= at) {
          table[at] = table[at - distance];
          continue;
        }
        float* slot = slots + used++ * slot_elements;
        CopyRow(input + id, slot);
        table[at] = slot;
      }
    }
  }

  // Reads the rows of positions into the cache while others are multiplied.
  void Prefetch(const TileRun<float>* runs, int64_t count, int64_t first, int64_t last,
                int64_t end) const {
    constexpr int64_t kLine = 16;
    for (int64_t p = first; p < std::min(last, end); ++p) {
      for (int64_t i = 0; i < count; ++i) {
        const float* row = runs[i].a + p * minor_.stride * pixel_;
        for (int64_t at = 0; at < runs[i].length; at += kLine) __builtin_prefetch(row + at);
      }
    }
  }

  // The start of a task.
  struct Block {
    int64_t group, row, position, column;
  };

  void RunBlock(const KernelCall& call, const Plan& plan, const Block& block, Task& task) const {
    const auto [group, first_row, first_position, first_column] = block;
    const int64_t rows = std::min(plan.rows, rows_ - first_row);
    const int64_t end_position = std::min(row_, first_position + plan.positions);
    const int64_t columns = std::min(plan.columns, conv_.result.columns.count() - first_column);
    char* scratch = task.scratch();
    float* panel = reinterpret_cast<float*>(scratch);
    float* dot_scratch = reinterpret_cast<float*>(scratch += PanelBytes());
    const float** table = reinterpret_cast<const float**>(scratch += DotBytes());
    TileRun<float>* runs = reinterpret_cast<TileRun<float>*>(scratch += TableBytes(plan));
    float* slots = reinterpret_cast<float*>(scratch + RunBytes());
    FindRows(static_cast<const float*>(call.buffers[spec_.input_buffer]) +
                 group * conv_.patches.group_stride,
             first_row, rows, table, slots);
    const void* kernel =
        static_cast<const float*>(call.buffers[spec_.kernel_buffer]) + spec_.kernel_origin;
    float* result = static_cast<float*>(call.buffers[2]) + spec_.result_origin +
                    conv_.result.batch.Offset(group) + first_column;
    for (int64_t j = 0; j < columns; j += kernels_.columns) {
      if (task.ShouldStop()) return;
      const int64_t width = std::min(kernels_.columns, columns - j);
      int64_t begin = 0, k0 = 0;
      for (const int64_t end : chunks_) {
        int64_t depth = 0;
        for (int64_t i = begin; i < end; ++i) depth += runs_[static_cast<size_t>(i)].length;
        WidePacking<float>::PackColumns(conv_.kernel, kernel, group, first_column + j, width, k0,
                                        depth, kernels_.columns, panel);
        if (spec_.kernel_scale != 1) {
          const auto scale = static_cast<float>(spec_.kernel_scale);
          for (int64_t i = 0; i < depth * kernels_.columns; ++i) panel[i] *= scale;
        }
        if (is_dots_) Transpose32(width, depth, panel, kernels_.columns, dot_scratch, kChunkDepth);
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = begin; i < end; ++i) {
            const PatchRun& run = runs_[static_cast<size_t>(i)];
            runs[i - begin] = {table[r * outer_taps_ + run.outer_tap] + run.offset, run.length};
          }
          const int64_t position = (first_row + r) * row_;
          const int64_t offset = conv_.result.rows.Offset(position);
          const int64_t ldc = row_ == 1 ? 0 : conv_.result.rows.Offset(position + 1) - offset;
          if (is_dots_) {
            RunDots(runs, end - begin, width, dot_scratch, first_position, end_position,
                    result + offset + j, ldc, k0 > 0);
            continue;
          }
          for (int64_t p = first_position; p < end_position; p += kernels_.rows) {
            if (j == 0 && prefetches_)
              Prefetch(runs, end - begin, p + kernels_.rows, p + 2 * kernels_.rows, end_position);
            kernels_.runs(std::min(kernels_.rows, end_position - p), width, runs, end - begin,
                          p * minor_.stride * pixel_, minor_.stride * pixel_, panel,
                          kernels_.columns, result + offset + p * ldc + j, ldc, k0 > 0);
          }
        }
        begin = end;
        k0 += depth;
      }
    }
    if (spec_.epilogue.store != nullptr) FinishBlock(call, block, rows, end_position, columns);
  }

  // Computes dot products of the patches of positions [begin, end) and the elements of each
  // feature.
  void RunDots(const TileRun<float>* runs, int64_t count, int64_t features, float* scratch,
               int64_t begin, int64_t end, float* result, int64_t ldc, bool accumulate) const {
    const int64_t step = minor_.stride * pixel_;
    float* const sums = scratch + kMostDotFeatures * kChunkDepth;
    float* const more = sums + kMaxSkinnyRows * kDotPositions;
    for (int64_t p = begin; p < end; p += kDotPositions) {
      const int64_t positions = std::min(kDotPositions, end - p);
      for (int64_t c = 0; c < features; c += kMaxSkinnyRows) {
        const int64_t lines = std::min(kMaxSkinnyRows, features - c);
        const float* weights = scratch + c * kChunkDepth;
        for (int64_t i = 0; i < count; weights += runs[i++].length) {
          dots_(lines, positions, runs[i].length, weights, kChunkDepth, runs[i].a + p * step, step,
                i == 0 ? sums : more, kDotPositions);
          for (int64_t line = 0; i > 0 && line < lines; ++line) {
            for (int64_t at = line * kDotPositions; at < line * kDotPositions + positions; ++at)
              sums[at] += more[at];
          }
        }
        for (int64_t line = 0; line < lines; ++line) {
          float* const to = result + p * ldc + c + line;
          const float* const from = sums + line * kDotPositions;
          for (int64_t i = 0; i < positions; ++i)
            to[i * ldc] = accumulate ? to[i * ldc] + from[i] : from[i];
        }
      }
    }
  }

  // Applies the epilogue to the results of a task.
  void FinishBlock(const KernelCall& call, const Block& block, int64_t rows, int64_t end_position,
                   int64_t columns) const {
    const float* result = static_cast<const float*>(call.buffers[2]);
    const int64_t base =
        spec_.result_origin + conv_.result.batch.Offset(block.group) + block.column;
    const int64_t positions = end_position - block.position;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t position = (block.row + r) * row_ + block.position;
      const int64_t first = base + conv_.result.rows.Offset(position);
      const int64_t step =
          positions == 1 ? columns : base + conv_.result.rows.Offset(position + 1) - first;
      // Contiguous positions with all their features are one run.
      const int64_t runs = step == columns ? 1 : positions;
      const int64_t length = step == columns ? positions * columns : columns;
      for (int64_t i = 0; i < runs; ++i) {
        const int64_t at = first + i * step;
        spec_.epilogue.store(call.buffers, at, length, result + at);
      }
    }
  }

  const DirectProductSpec spec_;
  const Convolution& conv_;
  const InputRows input_rows_;
  const SpatialDim minor_;
  const ProductKernels<float, float> kernels_;
  decltype(SkinnyKernels<float>::dots) const dots_;
  int64_t row_, rows_, outer_taps_;
  bool is_dots_;  // few features: dot products along the patches rather than vectors of features
  bool copies_;
  int64_t pixel_;       // elements from one input position of a row to the next, as it is read
  bool prefetches_;     // rows in memory that no other position reads
  int64_t width_;       // input positions of a row
  int64_t span_;        // elements of a row
  int64_t zero_slots_;  // 1 if there are rows of padding
  std::vector<PatchRun> runs_;
  std::vector<int64_t> chunks_;  // ends of ranges of runs
  mutable std::once_flag is_planned_;
  mutable int32_t planned_workers_ = 0;
  mutable Plan plan_;
};

}  // namespace

double DirectProductCost(const DirectProductSpec& spec) {
  if (!DirectProduct::Fits(spec.convolution)) return kDoesNotFit;
  return DirectProduct(spec).Cost();
}

std::unique_ptr<const Kernel> MakeDirectProduct(DirectProductSpec spec) {
  return std::make_unique<DirectProduct>(std::move(spec));
}

}  // namespace xla::kernels
