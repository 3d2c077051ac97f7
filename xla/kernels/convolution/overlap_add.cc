// SPDX-License-Identifier: Apache-2.0
// Convolutions of dilated inputs as one product for each image, of all taps and features with the
// input as it is: each element of the input, times the kernel, is added to the results that it
// reaches. Nothing is gathered, and no zeros are multiplied. F32, features before positions.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/convolution/convolution_forms.h"
#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/forms.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The products of a task stay in the cache: those of some output features with one image.
constexpr int64_t kProductBytes = 256 * 1024;
// Bounds the memory and the time of listing which rows of products are added to which results.
constexpr double kMostPairs = 1 << 18, kMostSteps = 1 << 22;

int64_t Taps(const ConvolutionSpec& spec, const ConvolutionSpec::Spatial& dim) {
  return spec.kernel.dimensions[dim.kernel_dimension];
}
int64_t InputSize(const ConvolutionSpec& spec, const ConvolutionSpec::Spatial& dim) {
  return spec.input.dimensions[dim.input_dimension];
}
int64_t ResultSize(const ConvolutionSpec& spec, const ConvolutionSpec::Spatial& dim) {
  return spec.result.dimensions[dim.result_dimension];
}

// The sizes of the products of one image: [feature, tap.., input position..], row-major.
struct TaskSizes {
  int64_t features = 0;   // of a task; a divisor of the output features
  int64_t taps = 1;       // of all dimensions
  int64_t positions = 1;  // of the input
  int64_t per_feature() const { return taps * positions; }
  int64_t bytes() const { return features * per_feature() * static_cast<int64_t>(sizeof(float)); }
};

TaskSizes SizesOf(const ConvolutionSpec& spec) {
  TaskSizes sizes;
  for (const ConvolutionSpec::Spatial& dim : spec.spatial) {
    sizes.taps *= Taps(spec, dim);
    sizes.positions *= InputSize(spec, dim);
  }
  const int64_t features = spec.kernel.dimensions[spec.kernel_output_feature];
  const int64_t bytes = sizes.per_feature() * static_cast<int64_t>(sizeof(float));
  int64_t blocks = std::min(features, CeilOfRatio(features * bytes, kProductBytes));
  while (features % blocks != 0) ++blocks;
  sizes.features = features / blocks;
  return sizes;
}

// The product of one task: of the kernel, whose elements are rows, and an image.
DotSpec ProductOf(const ConvolutionSpec& spec, const TaskSizes& sizes) {
  DotSpec dot;
  dot.lhs.type = dot.rhs.type = dot.result.type = F32;
  const auto append = [](int64_t size, int64_t stride, ArraySpec* to) {
    to->dimensions.push_back(size);
    to->strides.push_back(stride);
  };
  append(sizes.features, spec.kernel.strides[spec.kernel_output_feature], &dot.lhs);
  for (const ConvolutionSpec::Spatial& dim : spec.spatial)
    append(Taps(spec, dim), spec.kernel.strides[dim.kernel_dimension], &dot.lhs);
  dot.lhs_contracting = {static_cast<int64_t>(dot.lhs.dimensions.size())};
  append(spec.kernel.dimensions[spec.kernel_input_feature],
         spec.kernel.strides[spec.kernel_input_feature], &dot.lhs);
  dot.rhs_contracting = {0};
  append(spec.input.dimensions[spec.input_feature], spec.input.strides[spec.input_feature],
         &dot.rhs);
  for (const ConvolutionSpec::Spatial& dim : spec.spatial)
    append(InputSize(spec, dim), spec.input.strides[dim.input_dimension], &dot.rhs);
  dot.result.dimensions.assign(dot.lhs.dimensions.begin(), dot.lhs.dimensions.end() - 1);
  dot.result.dimensions.insert(dot.result.dimensions.end(), dot.rhs.dimensions.begin() + 1,
                               dot.rhs.dimensions.end());
  dot.result.strides.resize(dot.result.dimensions.size());
  int64_t stride = 1;
  for (size_t d = dot.result.dimensions.size(); d-- > 0; stride *= dot.result.dimensions[d])
    dot.result.strides[d] = stride;
  dot.lhs_scale = spec.kernel_scale;
  return dot;
}

// Calls visit(tap, input position) for each tap of the kernel that meets an element at an output
// position; taps count as they are in memory.
template <typename Visit>
void ForEachElement(const ConvolutionSpec& spec, const ConvolutionSpec::Spatial& dim,
                    int64_t output, Visit visit) {
  const int64_t taps = Taps(spec, dim);
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t place = output - dim.padding_low + tap * dim.window_dilation;
    if (place < 0 || place % dim.base_dilation != 0) continue;
    if (const int64_t at = place / dim.base_dilation; at < InputSize(spec, dim))
      visit(dim.reversal ? taps - 1 - tap : tap, at);
  }
}

// A row of products along the minor dimension that is added to a row of results: its offset among
// those of a feature, without the minor tap.
struct RowPair {
  int64_t result_row, offset;
};
// A minor tap: products from `first` on, `count` of them, are added to the elements of its phase
// from `to` on.
struct MinorTap {
  int64_t phase, offset, first, to, count;
};

class OverlapAddKernel final : public Kernel {
 public:
  OverlapAddKernel(ConvolutionSpec spec, std::unique_ptr<const Kernel> product)
      : spec_(std::move(spec)), product_(std::move(product)), sizes_(SizesOf(spec_)) {
    ListRows();
    ListTaps();
  }

  int64_t ScratchBytes(int32_t workers) const override { return workers * WorkerBytes(); }

  absl::Status Run(const KernelCall& call) const override {
    const int64_t blocks = spec_.kernel.dimensions[spec_.kernel_output_feature] / sizes_.features;
    const int64_t batch = spec_.result.dimensions[spec_.result_batch];
    return RunTasks(
        *call.host, batch * blocks, static_cast<char*>(call.scratch), WorkerBytes(),
        [&](int64_t index, Task& task) { RunTask(call, index / blocks, index % blocks, task); });
  }

 private:
  int64_t LineBytes() const {
    return Aligned(phases() * phase_size_ * static_cast<int64_t>(sizeof(float)));
  }
  int64_t WorkerBytes() const {
    return Aligned(sizes_.bytes()) + LineBytes() + Aligned(product_->ScratchBytes(1));
  }
  const ConvolutionSpec::Spatial& minor() const { return spec_.spatial.back(); }
  int64_t dilation() const { return minor().base_dilation; }
  int64_t phases() const { return std::min(dilation(), ResultSize(spec_, minor())); }

  // Lists the pairs of all rows, in the order of the results.
  void ListRows() {
    std::vector<RowPair> rows = {{0, 0}};
    row_offsets_ = {0};
    int64_t tap_step = sizes_.per_feature(), input_step = sizes_.positions;
    for (size_t d = 0; d + 1 < spec_.spatial.size(); ++d) {
      const ConvolutionSpec::Spatial& dim = spec_.spatial[d];
      const int64_t size = ResultSize(spec_, dim);
      tap_step /= Taps(spec_, dim);
      input_step /= InputSize(spec_, dim);
      std::vector<RowPair> next;
      std::vector<int64_t> offsets;
      for (const int64_t offset : row_offsets_) {
        for (int64_t o = 0; o < size; ++o)
          offsets.push_back(offset + o * spec_.result.strides[dim.result_dimension]);
      }
      for (const RowPair& row : rows) {
        for (int64_t o = 0; o < size; ++o) {
          ForEachElement(spec_, dim, o, [&](int64_t tap, int64_t at) {
            next.push_back(
                {row.result_row * size + o, row.offset + tap * tap_step + at * input_step});
          });
        }
      }
      rows = std::move(next);
      row_offsets_ = std::move(offsets);
    }
    absl::c_stable_sort(
        rows, [](const RowPair& a, const RowPair& b) { return a.result_row < b.result_row; });
    rows_ = std::move(rows);
  }

  void ListTaps() {
    const int64_t size = ResultSize(spec_, minor()), inputs = InputSize(spec_, minor());
    phase_size_ = CeilOfRatio(size, dilation());
    for (int64_t tap = 0; tap < Taps(spec_, minor()); ++tap) {
      // An element at i is added to the result at i * dilation + shift.
      const int64_t shift = minor().padding_low - tap * minor().window_dilation;
      const int64_t phase = (shift % dilation() + dilation()) % dilation();
      const int64_t steps = (shift - phase) / dilation();
      const int64_t results = phase < size ? CeilOfRatio(size - phase, dilation()) : 0;
      const int64_t first = std::max<int64_t>(0, -steps);
      const int64_t end = std::min(inputs, results - steps);
      if (first >= end) continue;
      const int64_t in_memory = minor().reversal ? Taps(spec_, minor()) - 1 - tap : tap;
      taps_.push_back({phase, in_memory * sizes_.positions, first, first + steps, end - first});
    }
  }

  void RunTask(const KernelCall& call, int64_t image, int64_t block, Task& task) const {
    float* products = reinterpret_cast<float*>(task.scratch());
    float* line = reinterpret_cast<float*>(task.scratch() + Aligned(sizes_.bytes()));
    const KernelHost host = {call.host->caller, 1, nullptr, nullptr};
    const int64_t feature = block * sizes_.features;
    const float* input =
        static_cast<const float*>(call.buffers[0]) + image * spec_.input.strides[spec_.input_batch];
    const float* kernel = static_cast<const float*>(call.buffers[1]) + spec_.kernel_origin +
                          feature * spec_.kernel.strides[spec_.kernel_output_feature];
    void* const buffers[] = {const_cast<float*>(kernel), const_cast<float*>(input), products};
    const KernelCall product = {&host, buffers,
                                task.scratch() + Aligned(sizes_.bytes()) + LineBytes()};
    (void)product_->Run(product);  // fails only if polls do
    for (int64_t f = 0; f < sizes_.features && !task.ShouldStop(); ++f) {
      const int64_t offset = spec_.result_origin +
                             image * spec_.result.strides[spec_.result_batch] +
                             (feature + f) * spec_.result.strides[spec_.result_feature];
      AddFeature(call, products + f * sizes_.per_feature(), offset, line);
    }
  }

  // Adds the products of one feature to its results.
  void AddFeature(const KernelCall& call, const float* products, int64_t offset,
                  float* line) const {
    const RowPair* pair = rows_.data();
    const RowPair* const end = pair + rows_.size();
    for (int64_t row = 0; row < static_cast<int64_t>(row_offsets_.size()); ++row) {
      std::fill_n(line, phases() * phase_size_, 0.0f);
      for (; pair != end && pair->result_row == row; ++pair) {
        for (const MinorTap& tap : taps_) {
          const float* from = products + pair->offset + tap.offset + tap.first;
          float* to = line + tap.phase * phase_size_ + tap.to;
          for (int64_t i = 0; i < tap.count; ++i) to[i] += from[i];
        }
      }
      StoreRow(call, line, offset + row_offsets_[row]);
    }
  }

  // Stores the phases of a row, one element of each after the other.
  void StoreRow(const KernelCall& call, const float* line, int64_t offset) const {
    const int64_t size = ResultSize(spec_, minor());
    float* out = static_cast<float*>(call.buffers[2]) + offset;
    const int64_t whole = size / dilation();
    if (dilation() == 2) {
      const float* odd = line + phase_size_;
      for (int64_t i = 0; i < whole; ++i) {
        out[2 * i] = line[i];
        out[2 * i + 1] = odd[i];
      }
    } else {
      for (int64_t i = 0; i < whole; ++i) {
        for (int64_t phase = 0; phase < dilation(); ++phase)
          out[i * dilation() + phase] = line[phase * phase_size_ + i];
      }
    }
    for (int64_t i = whole * dilation(); i < size; ++i)
      out[i] = line[(i - whole * dilation()) * phase_size_ + whole];
    if (spec_.epilogue.store != nullptr) spec_.epilogue.store(call.buffers, offset, size, out);
  }

  const ConvolutionSpec spec_;
  const std::unique_ptr<const Kernel> product_;
  const TaskSizes sizes_;
  std::vector<RowPair> rows_;
  std::vector<int64_t> row_offsets_;  // of the rows of results of a feature
  std::vector<MinorTap> taps_;
  int64_t phase_size_ = 0;
};

// What a feature takes: pairs of rows, elements of products, and steps to list the pairs.
struct Additions {
  double pairs = 1, elements = 1, steps = 1;
};
Additions CountAdditions(const ConvolutionSpec& spec) {
  Additions all;
  for (size_t d = 0; d < spec.spatial.size(); ++d) {
    const ConvolutionSpec::Spatial& dim = spec.spatial[d];
    const auto taps = static_cast<double>(Taps(spec, dim));
    // Most elements are within the result under each tap.
    const double pairs = taps * static_cast<double>(InputSize(spec, dim));
    all.elements *= pairs;
    if (d + 1 == spec.spatial.size()) break;
    all.pairs *= pairs;
    all.steps *= taps * static_cast<double>(ResultSize(spec, dim));
  }
  return all;
}

bool Fits(const ConvolutionSpec& spec) {
  const bool is_f32 = spec.input.type == F32 && spec.kernel.type == F32 && spec.result.type == F32;
  return is_f32 && !spec.spatial.empty() && spec.outer_features.empty() &&
         spec.feature_group_count == 1 && spec.batch_group_count == 1 &&
         (spec.epilogue.store == nullptr || spec.epilogue.in_place) &&
         spec.result.strides[spec.spatial.back().result_dimension] == 1 &&
         absl::c_all_of(spec.spatial, [](const auto& dim) { return dim.stride == 1; }) &&
         absl::c_any_of(spec.spatial, [](const auto& dim) { return dim.base_dilation > 1; }) &&
         spec.input.element_count() > 0 && spec.kernel.element_count() > 0;
}

}  // namespace

double OverlapAddCost(const ConvolutionSpec& spec) {
  constexpr double kElement = 0.35, kRow = 8, kResult = 0.6, kLine = 15;  // cycles
  if (!Fits(spec)) return kDoesNotFit;
  const TaskSizes sizes = SizesOf(spec);
  const Additions additions = CountAdditions(spec);
  if (additions.pairs > kMostPairs || additions.steps > kMostSteps) return kDoesNotFit;
  const std::vector<FormCost> forms = DotForms(ProductOf(spec, sizes));
  const int64_t cheapest = CheapestForm(forms);
  if (cheapest < 0) return kDoesNotFit;
  const auto planes = static_cast<double>(spec.result.dimensions[spec.result_batch] *
                                          spec.result.dimensions[spec.result_feature]);
  const auto results = static_cast<double>(spec.result.element_count());
  const auto lines = results / static_cast<double>(ResultSize(spec, spec.spatial.back()));
  return planes / static_cast<double>(sizes.features) * forms[cheapest].cost +
         planes * (additions.elements * kElement +
                   additions.pairs * static_cast<double>(Taps(spec, spec.spatial.back())) * kRow) +
         results * kResult + lines * kLine;
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakeOverlapAdd(const ConvolutionSpec& spec) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<const Kernel> product,
                       MakeDotKernel(ProductOf(spec, SizesOf(spec))));
  return std::make_unique<OverlapAddKernel>(spec, std::move(product));
}

}  // namespace xla::kernels
