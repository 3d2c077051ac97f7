// SPDX-License-Identifier: Apache-2.0
// bench_kernel_forms [--shapes N] [--seed S] [--only dot|convolution|fft|topk] [--limit X]
// [--max-isa SET]
// [--verbose]: whether the forms that kernels choose are the fastest ones.
//
// Makes random shapes of dot, convolution, Fourier transform and top-k, times every form that can
// compute each, and prints how much slower the chosen one is than the best: form, estimated cycles,
// nanoseconds. Times are processor time of one thread. What seems to be beyond the limit is
// measured again. Exits with 1 if a shape is beyond the limit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/thread_time.h"
#include "xla/base/instruction_set.h"
#include "xla/kernels/convolution/convolution_kernel.h"
#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/fft/fft_kernel.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/sort/sort_kernel.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Seconds of measurements of a form.
constexpr double kBudget = 1e-3;

struct Options {
  int64_t shapes = 200;
  uint64_t seed = 1;
  double products = 1 << 25;  // of a shape at most
  double limit = 2;
  std::string only;  // "dot", "convolution", "fft" or "topk"
  bool verbose = false;
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  // From 1 to `most`: evenly distributed on a logarithmic scale, half of them multiples of 8.
  int64_t Size(double most) {
    const double at = static_cast<double>(engine_() % 1000003) / 1000003;
    int64_t size = std::max<int64_t>(1, std::llround(std::exp(at * std::log(most))));
    if (size > 8 && OneIn(2)) size = size / 8 * 8;
    return size;
  }

 private:
  std::mt19937_64 engine_;
};

// Memory for an operand: zeros.
std::shared_ptr<void> Filled(const ArraySpec& array) {
  const int64_t bytes = Aligned(array.element_count() * array.element_bytes() + 64);
  std::shared_ptr<void> memory(std::aligned_alloc(64, static_cast<size_t>(bytes)), std::free);
  std::fill_n(static_cast<char*>(memory.get()), bytes, 0);
  return memory;
}

// Seconds of a run, the least of several.
double Time(const Kernel& kernel, std::vector<void*> buffers, double budget) {
  const KernelHost host = {nullptr, 1, nullptr, nullptr};
  std::shared_ptr<void> scratch(
      std::aligned_alloc(64, static_cast<size_t>(Aligned(kernel.ScratchBytes(1) + 64))), std::free);
  const KernelCall call = {&host, buffers.data(), scratch.get()};
  const auto run = [&](int64_t count) {
    const double start = ThreadSeconds();
    for (int64_t i = 0; i < count; ++i) {
      if (!kernel.Run(call).ok()) std::abort();
    }
    return ThreadSeconds() - start;
  };
  double seconds = run(1);
  constexpr double kLeast = 2e-5;
  int64_t count = 1;
  while (seconds < kLeast) seconds = run(count *= 2);
  const int64_t rounds = std::clamp<int64_t>(static_cast<int64_t>(budget / seconds), 2, 20);
  for (int64_t i = 0; i < rounds; ++i) seconds = std::min(seconds, run(count));
  return seconds / static_cast<double>(count);
}

ArraySpec Permuted(PrimitiveType type, const DimensionVector& dimensions,
                   const DimensionVector& minor_last) {
  ArraySpec array = ArraySpec::FromShape(Shape(type, dimensions));
  int64_t stride = 1;
  for (size_t i = minor_last.size(); i-- > 0;) {
    array.strides[minor_last[i]] = stride;
    stride *= dimensions[minor_last[i]];
  }
  return array;
}

struct Worst {
  double ratio = 1;
  std::string text;
};

struct Summary {
  int64_t shapes = 0, beyond = 0;
  double log_sum = 0;
  std::vector<Worst> worst;
};

// `time` measures a form.
void Measure(const Options& options, const std::string& shape, const std::vector<FormCost>& forms,
             const std::function<double(const std::string& form)>& time, Summary* summary) {
  if (forms.size() < 2) return;
  constexpr int kMostTries = 4;
  std::vector<double> seconds(forms.size(), std::numeric_limits<double>::infinity());
  const int64_t chosen = CheapestForm(forms);
  double ratio = 0;
  for (int i = 0; i == 0 || (i < kMostTries && ratio > options.limit); ++i) {
    for (size_t f = 0; f < forms.size(); ++f)
      seconds[f] = std::min(seconds[f], time(forms[f].form));
    ratio = seconds[chosen] / *std::min_element(seconds.begin(), seconds.end());
  }
  ++summary->shapes;
  summary->log_sum += std::log(ratio);
  if (ratio > options.limit) ++summary->beyond;
  std::string text = absl::StrCat(shape, "  chosen ", forms[chosen].form);
  for (size_t f = 0; f < forms.size(); ++f)
    absl::StrAppend(&text, " | ", forms[f].form, " ", forms[f].cost, " ", seconds[f] * 1e9);
  if (options.verbose) std::printf("%.2f  %s\n", ratio, text.c_str());
  summary->worst.push_back({ratio, text});
}

void Print(const Options& options, const char* name, Summary summary) {
  std::sort(summary.worst.begin(), summary.worst.end(),
            [](const Worst& a, const Worst& b) { return a.ratio > b.ratio; });
  constexpr size_t kPrinted = 20;
  for (size_t i = 0; i < std::min(kPrinted, summary.worst.size()); ++i)
    std::printf("%.2f  %s\n", summary.worst[i].ratio, summary.worst[i].text.c_str());
  std::printf(
      "%s: %lld shapes, chosen form against the best: geometric mean %.3f, worst %.2f, "
      "%lld beyond %g\n",
      name, static_cast<long long>(summary.shapes),
      std::exp(summary.log_sum / static_cast<double>(std::max<int64_t>(1, summary.shapes))),
      summary.worst.empty() ? 1.0 : summary.worst.front().ratio,
      static_cast<long long>(summary.beyond), options.limit);
}

DotSpec RandomDot(Random& random, double products) {
  constexpr PrimitiveType kTypes[] = {F32, F32, F32, F32, F64, F64, BF16, F16, C64, S8, S32};
  const PrimitiveType type = kTypes[random.Below(std::size(kTypes))];
  int64_t batch, m, n, k;
  do {
    batch = random.OneIn(3) ? random.Size(256) : 1;
    m = random.Size(4096);
    n = random.Size(4096);
    k = random.Size(8192);
  } while (static_cast<double>(batch) * static_cast<double>(m * n) * static_cast<double>(k) >
           products);
  DotSpec spec;
  const auto layout = [&]() -> DimensionVector {
    return random.OneIn(2) ? DimensionVector{0, 1, 2} : DimensionVector{0, 2, 1};
  };
  spec.lhs = Permuted(type, {batch, m, k}, layout());
  spec.rhs = Permuted(type, {batch, k, n}, layout());
  spec.result = Permuted(type == S8 ? S32 : type, {batch, m, n}, {0, 1, 2});
  spec.lhs_batch = spec.rhs_batch = {0};
  spec.lhs_contracting = {2};
  spec.rhs_contracting = {1};
  return spec;
}

std::string Text(const ArraySpec& array) {
  return absl::StrCat(primitive_util::LowercasePrimitiveTypeName(array.type), "[",
                      absl::StrJoin(array.dimensions, ","), "]/",
                      absl::StrJoin(array.strides, ","));
}

int64_t MeasureDots(const Options& options) {
  Random random(options.seed);
  Summary summary;
  for (int64_t i = 0; i < options.shapes; ++i) {
    DotSpec spec = RandomDot(random, options.products);
    const auto lhs = Filled(spec.lhs), rhs = Filled(spec.rhs), result = Filled(spec.result);
    const auto time = [&](const std::string& form) {
      spec.form = form;
      const auto kernel = MakeDotKernel(spec);
      if (!kernel.ok()) std::abort();
      return Time(**kernel, {lhs.get(), rhs.get(), result.get()}, kBudget);
    };
    Measure(options, absl::StrCat(Text(spec.lhs), " ", Text(spec.rhs)), DotForms(spec), time,
            &summary);
  }
  Print(options, "dot", summary);
  return summary.beyond;
}

ConvolutionSpec RandomConvolution(Random& random, double products) {
  constexpr PrimitiveType kTypes[] = {F32, F32, F32, F32, F32, F32, F64, BF16, F16, S8, C64};
  const PrimitiveType type = kTypes[random.Below(std::size(kTypes))];
  ConvolutionSpec spec;
  double work;
  do {
    spec = ConvolutionSpec();
    const int64_t rank = 1 + random.Below(3);
    // Few, some and many of each, as in first layers, deep layers, depthwise and transposed ones
    // and gradients of kernels, where taps are many.
    const int64_t batch = random.OneIn(2) ? 1 : random.Size(64);
    const int64_t groups = random.OneIn(4) ? random.Size(256) : 1;
    const int64_t features = groups > 1 && random.OneIn(2) ? 1 : random.Size(256);
    const int64_t output_features = groups * (groups > 1 && random.OneIn(2) ? 1 : random.Size(256));
    const bool dilates = random.OneIn(4), last = random.OneIn(2), is_gradient = random.OneIn(6);
    DimensionVector input = {batch, features * groups}, kernel = {features, output_features},
                    result = {batch, output_features};
    DimensionVector order = {0}, kernel_order;
    if (!last) order.push_back(1);
    work = static_cast<double>(batch * output_features) * static_cast<double>(features);
    for (int64_t d = 0; d < rank; ++d) {
      ConvolutionSpec::Spatial spatial;
      spatial.input_dimension = spatial.kernel_dimension = spatial.result_dimension = 2 + d;
      const int64_t size = random.Size(rank == 1 ? 4096 : rank == 2 ? 128 : 32);
      const int64_t taps =
          is_gradient ? random.Size(static_cast<double>(size)) : 1 + random.Below(5);
      spatial.stride = dilates ? 1 : random.OneIn(3) ? 1 + random.Below(4) : 1;
      spatial.base_dilation = dilates ? 1 + random.Below(4) : 1;
      spatial.window_dilation = random.OneIn(6) ? 2 : 1;
      const int64_t reach = (taps - 1) * spatial.window_dilation + 1;
      spatial.padding_low = random.OneIn(2) ? 0 : (reach - 1) / 2;
      const int64_t span = (size - 1) * spatial.base_dilation + 1 + 2 * spatial.padding_low;
      spatial.reversal = dilates;
      input.push_back(size);
      kernel.push_back(taps);
      result.push_back(span < reach ? 0 : (span - reach) / spatial.stride + 1);
      order.push_back(2 + d);
      kernel_order.push_back(2 + d);
      spec.spatial.push_back(spatial);
      work *= static_cast<double>(taps) * static_cast<double>(result.back());
    }
    if (last) order.push_back(1);
    if (last) {  // [taps.., features in, features out]
      kernel_order.insert(kernel_order.end(), {0, 1});
    } else {
      kernel_order.insert(kernel_order.begin(), {1, 0});
    }
    spec.input = Permuted(type, input, order);
    spec.kernel = Permuted(type, kernel, kernel_order);
    spec.result = Permuted(type == S8 ? S32 : type, result, order);
    spec.input_batch = spec.result_batch = 0;
    spec.input_feature = spec.result_feature = 1;
    spec.kernel_input_feature = 0;
    spec.kernel_output_feature = 1;
    spec.feature_group_count = groups;
  } while (work == 0 || work > products || spec.input.element_count() > (1 << 22) ||
           spec.result.element_count() > (1 << 22));
  return spec;
}

std::string Text(const ConvolutionSpec& spec) {
  std::string text = absl::StrCat(Text(spec.input), " ", Text(spec.kernel), " -> ",
                                  absl::StrJoin(spec.result.dimensions, ","), " groups ",
                                  spec.feature_group_count, " window");
  for (const ConvolutionSpec::Spatial& dim : spec.spatial) {
    absl::StrAppend(&text, " /", dim.stride, " pad ", dim.padding_low, " dil ", dim.window_dilation,
                    ",", dim.base_dilation);
  }
  return text;
}

int64_t MeasureConvolutions(const Options& options) {
  Random random(options.seed);
  Summary summary;
  for (int64_t i = 0; i < options.shapes; ++i) {
    ConvolutionSpec spec = RandomConvolution(random, options.products);
    const auto input = Filled(spec.input), kernel = Filled(spec.kernel),
               result = Filled(spec.result);
    const auto time = [&](const std::string& form) {
      spec.form = form;
      const auto made = MakeConvolutionKernel(spec);
      if (!made.ok()) std::abort();
      return Time(**made, {input.get(), kernel.get(), result.get()}, kBudget);
    };
    Measure(options, Text(spec), ConvolutionForms(spec), time, &summary);
  }
  Print(options, "convolution", summary);
  return summary.beyond;
}

FftSpec RandomFft(Random& random, double elements) {
  const bool is_double = random.OneIn(3);
  const PrimitiveType complex = is_double ? C128 : C64, real = is_double ? F64 : F32;
  FftSpec spec;
  spec.inverse = false;
  spec.from_type = spec.to_type = complex;
  if (random.OneIn(3)) {
    spec.inverse = random.OneIn(2);
    (spec.inverse ? spec.to_type : spec.from_type) = real;
  }
  int64_t length, lines;
  do {
    length = random.Size(1 << 20);
    if (random.OneIn(3)) length = int64_t{1} << random.Below(20);
    lines = random.Size(4096);
  } while (static_cast<double>(length * lines) > elements);
  spec.lengths = {length};
  spec.dimensions = {lines, spec.to_type == real ? length / 2 + 1 : length};
  return spec;
}

int64_t MeasureFfts(const Options& options) {
  constexpr double kElements = 1 << 21;
  Random random(options.seed);
  Summary summary;
  for (int64_t i = 0; i < options.shapes; ++i) {
    FftSpec spec = RandomFft(random, kElements);
    const ArraySpec operand = ArraySpec::FromShape(Shape(spec.from_type, spec.dimensions));
    DimensionVector sizes = {spec.dimensions[0], spec.lengths[0]};
    const ArraySpec output = ArraySpec::FromShape(Shape(spec.to_type, sizes));
    const auto from = Filled(operand), to = Filled(output);
    const auto time = [&](const std::string& form) {
      spec.form = form;
      const auto made = MakeFftKernel(spec);
      if (!made.ok()) std::abort();
      return Time(**made, {from.get(), to.get()}, kBudget);
    };
    Measure(options,
            absl::StrCat(Text(operand), " -> ",
                         primitive_util::LowercasePrimitiveTypeName(spec.to_type), " length ",
                         spec.lengths[0]),
            FftForms(spec), time, &summary);
  }
  Print(options, "fft", summary);
  return summary.beyond;
}

// Numbers in random order, or half of the time in ascending or descending order.
int64_t MeasureTopK(const Options& options) {
  constexpr double kElements = 1 << 21;
  Random random(options.seed);
  Summary summary;
  for (int64_t i = 0; i < options.shapes; ++i) {
    TopKSpec spec;
    spec.type = random.OneIn(4) ? S32 : F32;
    spec.largest = true;
    do {
      spec.rows = random.OneIn(2) ? 1 : random.Size(4096);
      spec.length = random.Size(1 << 21);
    } while (static_cast<double>(spec.rows * spec.length) > kElements);
    spec.k = random.Size(static_cast<double>(spec.length));
    const int64_t count = spec.rows * spec.length;
    std::vector<float> values(count), top(spec.rows * spec.k);
    std::vector<int32_t> indices(top.size());
    const int64_t order = random.OneIn(2) ? random.Below(2) : 2;
    for (int64_t at = 0; at < count; ++at) {
      const int64_t place = order == 2 ? random.Below(1 << 24) : order == 1 ? at : count - at;
      values[at] = static_cast<float>(place);
    }
    const auto time = [&](const std::string& form) {
      spec.form = form;
      const auto made = MakeTopKKernel(spec);
      if (!made.ok()) std::abort();
      return Time(**made, {values.data(), top.data(), indices.data()}, kBudget);
    };
    Measure(options,
            absl::StrCat(primitive_util::LowercasePrimitiveTypeName(spec.type), "[", spec.rows, ",",
                         spec.length, "] k ", spec.k, " order ", order),
            TopKForms(spec), time, &summary);
  }
  Print(options, "topk", summary);
  return summary.beyond;
}

}  // namespace
}  // namespace xla::kernels

int main(int argc, char** argv) {
  xla::kernels::Options options;
  std::optional<xla::ScopedMaxInstructionSet> bound;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    bool ok = true;
    if (argument == "--shapes") {
      ok = absl::SimpleAtoi(value(), &options.shapes);
    } else if (argument == "--seed") {
      ok = absl::SimpleAtoi(value(), &options.seed);
    } else if (argument == "--limit") {
      ok = absl::SimpleAtod(value(), &options.limit);
    } else if (argument == "--only") {
      options.only = value();
      ok = options.only == "dot" || options.only == "convolution" || options.only == "fft" ||
           options.only == "topk";
    } else if (argument == "--max-isa") {
      const absl::StatusOr<xla::InstructionSet> set = xla::ParseInstructionSet(value());
      ok = set.ok();
      if (ok) bound.emplace(*set);
    } else if (argument == "--verbose") {
      options.verbose = true;
    } else {
      ok = false;
    }
    if (!ok) {
      std::fprintf(
          stderr,
          "usage: bench_kernel_forms [--shapes N] [--seed S] [--only dot|convolution|fft|topk] "
          "[--limit X] [--max-isa SET] [--verbose]\n");
      return 2;
    }
  }
  int64_t beyond = 0;
  const auto is_asked_for = [&](const char* name) {
    return options.only.empty() || options.only == name;
  };
  if (is_asked_for("dot")) beyond += xla::kernels::MeasureDots(options);
  if (is_asked_for("convolution")) beyond += xla::kernels::MeasureConvolutions(options);
  if (is_asked_for("topk")) beyond += xla::kernels::MeasureTopK(options);
  if (is_asked_for("fft")) beyond += xla::kernels::MeasureFfts(options);
  return beyond == 0 ? 0 : 1;
}
