// SPDX-License-Identifier: Apache-2.0
// Convolutions that are computed as several other convolutions, or as a product.
#include "xla/kernels/convolution/convolution_forms.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/forms.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// A phase of a spatial dimension: output positions first, first + period, ... combine the taps tap,
// tap + tap_period, ... of the kernel with elements of an input that is not dilated.
struct Phase {
  int64_t taps, padding_low, positions;
  int64_t kernel_offset;  // elements, of the first of these taps in memory
};

class PhasesOf {
 public:
  PhasesOf(const ConvolutionSpec& spec, const ConvolutionSpec::Spatial& dim)
      : dim_(dim),
        period_(dim.base_dilation / std::gcd(dim.base_dilation, dim.stride)),
        tap_period_(dim.base_dilation / std::gcd(dim.base_dilation, dim.window_dilation)),
        taps_(spec.kernel.dimensions[dim.kernel_dimension]),
        size_(spec.result.dimensions[dim.result_dimension]),
        kernel_stride_(spec.kernel.strides[dim.kernel_dimension]),
        result_stride_(spec.result.strides[dim.result_dimension]) {}

  int64_t count() const { return std::min(period_, size_); }

  // Returns a phase without taps, whose results are 0, if no tap meets an element.
  Phase Get(int64_t first) const {
    Phase phase = {0, 0, CeilOfRatio(size_ - first, period_), 0};
    const auto shift = [&](int64_t tap) {
      return first * dim_.stride + tap * dim_.window_dilation - dim_.padding_low;
    };
    const int64_t end = std::min(tap_period_, taps_);
    int64_t tap = 0;
    while (tap < end && shift(tap) % dim_.base_dilation != 0) ++tap;
    if (tap == end) return phase;
    phase.taps = CeilOfRatio(taps_ - tap, tap_period_);
    phase.padding_low = -shift(tap) / dim_.base_dilation;
    phase.kernel_offset =
        (dim_.reversal ? taps_ - 1 - tap - (phase.taps - 1) * tap_period_ : tap) * kernel_stride_;
    return phase;
  }

  // Sets the problem of phases [first, first + count), as output features if there are several.
  void Set(int64_t first, int64_t count, int64_t d, ConvolutionSpec* spec) const {
    const Phase phase = Get(first);
    ConvolutionSpec::Spatial& to = spec->spatial[d];
    to.base_dilation = 1;
    to.stride = dim_.stride * period_ / dim_.base_dilation;
    to.window_dilation = dim_.window_dilation * tap_period_ / dim_.base_dilation;
    to.padding_low = phase.padding_low;
    spec->kernel.dimensions[dim_.kernel_dimension] = phase.taps;
    spec->kernel.strides[dim_.kernel_dimension] = kernel_stride_ * tap_period_;
    spec->kernel_origin += phase.kernel_offset;
    spec->result.dimensions[dim_.result_dimension] = phase.positions;
    spec->result.strides[dim_.result_dimension] = result_stride_ * period_;
    spec->result_origin += first * result_stride_;
    if (count > 1) {
      const int64_t step = Get(first + 1).kernel_offset - phase.kernel_offset;
      spec->outer_features.push_back({count, step, result_stride_});
    }
  }

  // Returns how many phases from `first` on differ only in their first tap, by a constant distance.
  int64_t CountWithEqualTaps(int64_t first) const {
    const Phase phase = Get(first);
    Phase last = phase;
    int64_t step = 0, end = first + 1;
    for (; end < count(); ++end) {
      const Phase next = Get(end);
      const int64_t to_next = next.kernel_offset - last.kernel_offset;
      if (next.taps != phase.taps || next.padding_low != phase.padding_low ||
          next.positions != phase.positions || (end > first + 1 && to_next != step)) {
        break;
      }
      step = to_next;
      last = next;
    }
    return end - first;
  }

 private:
  const ConvolutionSpec::Spatial dim_;
  const int64_t period_, tap_period_, taps_, size_, kernel_stride_, result_stride_;
};

// Divides the convolution into phases along spatial dimension d. With `joins`, phases become output
// features if they can. Returns false if there are too many to be worthwhile.
bool DividePhases(int64_t d, bool joins, std::vector<ConvolutionSpec>* parts) {
  constexpr size_t kMostParts = 1024;
  std::vector<ConvolutionSpec> divided;
  for (const ConvolutionSpec& whole : *parts) {
    const PhasesOf phases(whole, whole.spatial[d]);
    for (int64_t first = 0; first < phases.count();) {
      if (divided.size() >= kMostParts) return false;
      const int64_t count = joins ? phases.CountWithEqualTaps(first) : 1;
      phases.Set(first, count, d, &divided.emplace_back(whole));
      first += count;
    }
  }
  *parts = std::move(divided);
  return true;
}

// Returns convolutions of inputs that are not dilated; none if the input of the spec is not dilated
// or there are too many.
std::vector<ConvolutionSpec> PhaseSpecs(const ConvolutionSpec& spec, bool joins) {
  if (absl::c_all_of(spec.spatial, [](const auto& dim) { return dim.base_dilation == 1; }))
    return {};
  std::vector<ConvolutionSpec> specs = {spec};
  for (int64_t d = 0; d < static_cast<int64_t>(spec.spatial.size()); ++d) {
    if (spec.spatial[d].base_dilation > 1 && !DividePhases(d, joins, &specs)) return {};
  }
  for (ConvolutionSpec& part : specs) part.form.clear();
  return specs;
}

class PhasedKernel final : public Kernel {
 public:
  explicit PhasedKernel(std::vector<std::unique_ptr<const Kernel>> parts)
      : parts_(std::move(parts)) {}

  int64_t ScratchBytes(int32_t workers) const override {
    int64_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->ScratchBytes(workers));
    return most;
  }
  absl::Status Run(const KernelCall& call) const override {
    for (const auto& part : parts_) XLA_RETURN_IF_ERROR(part->Run(call));
    return absl::OkStatus();
  }

 private:
  const std::vector<std::unique_ptr<const Kernel>> parts_;
};

// Returns the product that a convolution with windows of one element is; nullopt for others.
std::optional<DotSpec> PointwiseProduct(const ConvolutionSpec& spec) {
  const ArraySpec &input = spec.input, &kernel = spec.kernel, &result = spec.result;
  if (spec.kernel_origin != 0 || spec.result_origin != 0 || !spec.outer_features.empty() ||
      spec.feature_group_count != 1 || spec.batch_group_count != 1) {
    return std::nullopt;
  }
  DotSpec dot;
  const auto append = [](const ArraySpec& from, int64_t d, ArraySpec* to) {
    to->dimensions.push_back(from.dimensions[d]);
    to->strides.push_back(from.strides[d]);
  };
  append(input, spec.input_batch, &dot.lhs);
  append(result, spec.result_batch, &dot.result);
  for (const ConvolutionSpec::Spatial& spatial : spec.spatial) {
    if (kernel.dimensions[spatial.kernel_dimension] != 1 || spatial.stride != 1 ||
        spatial.padding_low != 0 || spatial.base_dilation != 1 ||
        input.dimensions[spatial.input_dimension] != result.dimensions[spatial.result_dimension]) {
      return std::nullopt;
    }
    append(input, spatial.input_dimension, &dot.lhs);
    append(result, spatial.result_dimension, &dot.result);
  }
  dot.lhs_contracting = {static_cast<int64_t>(dot.lhs.dimensions.size())};
  append(input, spec.input_feature, &dot.lhs);
  append(kernel, spec.kernel_input_feature, &dot.rhs);
  dot.rhs_contracting = {0};
  append(kernel, spec.kernel_output_feature, &dot.rhs);
  append(result, spec.result_feature, &dot.result);
  dot.lhs.type = input.type;
  dot.rhs.type = kernel.type;
  dot.result.type = result.type;
  dot.rhs_scale = spec.kernel_scale;
  dot.epilogue = spec.epilogue;
  return dot;
}

}  // namespace

double PhasesCost(const ConvolutionSpec& spec, bool joins) {
  const std::vector<ConvolutionSpec> parts = PhaseSpecs(spec, joins);
  if (parts.empty()) return kDoesNotFit;
  const bool joined =
      absl::c_any_of(parts, [](const auto& part) { return !part.outer_features.empty(); });
  if (joins && !joined && spec.outer_features.empty())
    return kDoesNotFit;  // no better than without joining
  double cost = 0;
  for (const ConvolutionSpec& part : parts) {
    const std::vector<FormCost> forms = ConvolutionForms(part);
    if (const int64_t cheapest = CheapestForm(forms); cheapest >= 0) cost += forms[cheapest].cost;
  }
  return cost;
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakePhases(const ConvolutionSpec& spec, bool joins) {
  std::vector<std::unique_ptr<const Kernel>> parts;
  for (const ConvolutionSpec& part : PhaseSpecs(spec, joins)) {
    XLA_ASSIGN_OR_RETURN(parts.emplace_back(), MakeConvolutionKernel(part));
  }
  return std::make_unique<PhasedKernel>(std::move(parts));
}

double PointwiseCost(const ConvolutionSpec& spec) {
  const std::optional<DotSpec> dot = PointwiseProduct(spec);
  if (!dot.has_value()) return kDoesNotFit;
  const std::vector<FormCost> forms = DotForms(*dot);
  const int64_t cheapest = CheapestForm(forms);
  return cheapest < 0 ? kDoesNotFit : forms[cheapest].cost;
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakePointwise(const ConvolutionSpec& spec) {
  return MakeDotKernel(*PointwiseProduct(spec));
}

}  // namespace xla::kernels
