// SPDX-License-Identifier: Apache-2.0
// Convolutions that are several others, or a product.
#include "xla/kernels/convolution_forms.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/kernels/dot_kernel.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// A part of the result, computed by a convolution with a part of the taps.
struct Phase {
  ConvolutionSpec spec;
  int64_t kernel_offset = 0, result_offset = 0;  // elements
};

// Divides along one spatial dimension. A phase that meets no tap has none: its results are 0.
void DividePhases(size_t d, std::vector<Phase>* phases) {
  std::vector<Phase> divided;
  for (const Phase& whole : *phases) {
    const ConvolutionSpec::Spatial& from = whole.spec.spatial[d];
    const int64_t base = from.base_dilation;
    const int64_t period = base / std::gcd(base, from.stride);
    const int64_t tap_period = base / std::gcd(base, from.window_dilation);
    const int64_t taps = whole.spec.kernel.dimensions[from.kernel_dimension];
    const int64_t size = whole.spec.result.dimensions[from.result_dimension];
    for (int64_t first = 0; first < std::min(period, size); ++first) {
      int64_t tap = 0;
      const auto shift = [&] {
        return first * from.stride + tap * from.window_dilation - from.padding_low;
      };
      while (tap < std::min(tap_period, taps) && shift() % base != 0) ++tap;
      const bool has_taps = tap < std::min(tap_period, taps);
      Phase part = whole;
      ConvolutionSpec::Spatial& to = part.spec.spatial[d];
      to.base_dilation = 1;
      to.stride = from.stride * period / base;
      to.window_dilation = from.window_dilation * tap_period / base;
      to.padding_low = has_taps ? -shift() / base : 0;
      int64_t& kernel_stride = part.spec.kernel.strides[from.kernel_dimension];
      int64_t& result_stride = part.spec.result.strides[from.result_dimension];
      const int64_t part_taps = has_taps ? CeilOfRatio(taps - tap, tap_period) : 0;
      if (has_taps) {
        part.kernel_offset +=
            (from.reversal ? taps - 1 - tap - (part_taps - 1) * tap_period : tap) * kernel_stride;
      }
      part.result_offset += first * result_stride;
      part.spec.kernel.dimensions[from.kernel_dimension] = part_taps;
      part.spec.result.dimensions[from.result_dimension] = CeilOfRatio(size - first, period);
      kernel_stride *= tap_period;
      result_stride *= period;
      divided.push_back(std::move(part));
    }
  }
  *phases = std::move(divided);
}

class PhasedKernel final : public Kernel {
 public:
  struct Part {
    std::unique_ptr<const Kernel> kernel;
    int64_t kernel_bytes, result_bytes;  // offsets
  };
  explicit PhasedKernel(std::vector<Part> parts) : parts_(std::move(parts)) {}

  int64_t ScratchBytes(int32_t workers) const override {
    int64_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.kernel->ScratchBytes(workers));
    return most;
  }
  absl::Status Run(const KernelCall& call) const override {
    for (const Part& part : parts_) {
      void* buffers[] = {call.buffers[0], static_cast<char*>(call.buffers[1]) + part.kernel_bytes,
                         static_cast<char*>(call.buffers[2]) + part.result_bytes};
      XLA_RETURN_IF_ERROR(part.kernel->Run({call.host, buffers, call.scratch}));
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<Part> parts_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakePhasedConvolution(const ConvolutionSpec& spec) {
  constexpr size_t kMostPhases = 64;
  std::vector<Phase> phases = {{spec}};
  for (size_t d = 0; d < spec.spatial.size(); ++d) {
    const int64_t base = spec.spatial[d].base_dilation;
    if (base > 1) DividePhases(d, &phases);
    if (phases.size() > kMostPhases) return nullptr;
  }
  if (phases.size() == 1 || spec.epilogue.store != nullptr) return nullptr;
  std::vector<PhasedKernel::Part> parts;
  for (const Phase& phase : phases) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<const Kernel> kernel, MakeConvolutionKernel(phase.spec));
    parts.push_back({std::move(kernel), phase.kernel_offset * spec.kernel.element_bytes(),
                     phase.result_offset * spec.result.element_bytes()});
  }
  return std::make_unique<PhasedKernel>(std::move(parts));
}

absl::StatusOr<std::unique_ptr<const Kernel>> MakeNarrowConvolution(const ConvolutionSpec& spec) {
  constexpr int64_t kFewFeatures = 12;
  const ArraySpec &input = spec.input, &kernel = spec.kernel, &result = spec.result;
  if (spec.feature_group_count != 1 || spec.batch_group_count != 1 ||
      result.dimensions[spec.result_feature] > kFewFeatures) {
    return nullptr;
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
      return nullptr;
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
  return MakeDotKernel(dot);
}

}  // namespace xla::kernels
