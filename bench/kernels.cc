// SPDX-License-Identifier: Apache-2.0
// bench_kernels [FILTER]: the speed of the kernels of xla/kernels on one thread.
//
// Each kernel whose name contains FILTER runs for at least half a second of processor time; the
// best time counts. Processor time of the thread, so that a busy machine disturbs it little.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/thread_time.h"
#include "xla/kernels/context.h"
#include "xla/kernels/convolution/convolution_kernel.h"
#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/fft/fft.h"
#include "xla/kernels/fft/fft_kernel.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/linear_algebra/linear_algebra.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/random/random_bits.h"
#include "xla/kernels/scan/scan_kernel.h"
#include "xla/kernels/sort/sort.h"
#include "xla/kernels/sort/sort_kernel.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// One thread, no limits.
class PlainContext final : public Context {
 public:
  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override {
    for (int64_t begin = 0; begin < count; begin += chunk) {
      absl::Status status = body(begin, std::min(count, begin + chunk));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status Poll() override { return absl::OkStatus(); }
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override {
    return std::shared_ptr<void>(
        std::aligned_alloc(64, (static_cast<size_t>(bytes) + 63) / 64 * 64), std::free);
  }
};

std::string filter;
PlainContext context;

// Runs `kernel`, after `prepare` each time, and prints work / time in `unit`.
void Measure(
    const std::string& name, double work, const char* unit,
    const std::function<absl::Status()>& kernel, const std::function<void()>& prepare = [] {}) {
  if (name.find(filter) == std::string::npos) return;
  double best = std::numeric_limits<double>::infinity();
  const double end = ThreadSeconds() + 0.5;
  do {
    prepare();
    const double start = ThreadSeconds();
    if (const absl::Status status = kernel(); !status.ok()) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(status.message()).c_str());
      std::exit(1);
    }
    best = std::min(best, ThreadSeconds() - start);
  } while (ThreadSeconds() < end);
  std::printf("%-32s %10.3f ms %10.2f %s\n", name.c_str(), best * 1e3, work / best * 1e-9, unit);
}

uint64_t NextBits() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ state >> 29;
}

template <typename Wide, typename T = Wide>
void MeasureProduct(const std::string& name, int64_t m, int64_t n, int64_t k) {
  std::vector<T> a(m * k), b(k * n);
  for (T& x : a) x = T(static_cast<float>(NextBits() % 16));
  for (T& x : b) x = T(static_cast<float>(NextBits() % 16));
  std::vector<Wide> c(m * n);
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<T>();
  const MatrixView lhs = {
      kType, a.data(), sizeof(T), StridedDims(), StridedDims({m}, {k}), StridedDims({k}, {1})};
  const MatrixView rhs = {
      kType, b.data(), sizeof(T), StridedDims(), StridedDims({n}, {1}), StridedDims({k}, {n})};
  const ResultView result = {primitive_util::NativeToPrimitiveType<Wide>(),
                             c.data(),
                             sizeof(Wide),
                             StridedDims(),
                             StridedDims({m}, {n}),
                             StridedDims({n}, {1})};
  Measure(name, 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
          "Gflop/s", [&] { return MultiplyMatrices<Wide>(context, lhs, rhs, result); });
}

void MeasureProducts() {
  MeasureProduct<float>("product f32 2048^3", 2048, 2048, 2048);
  MeasureProduct<float>("product f32 256^3", 256, 256, 256);
  MeasureProduct<float>("product f32 1x4096x4096", 1, 4096, 4096);
  MeasureProduct<float>("product f32 4x4x1M", 4, 4, 1 << 20);
  MeasureProduct<float, bfloat16>("product bf16 1024^3", 1024, 1024, 1024);
  MeasureProduct<double>("product f64 1024^3", 1024, 1024, 1024);
  MeasureProduct<uint32_t>("product u32 1024^3", 1024, 1024, 1024);
  MeasureProduct<complex64>("product c64 512^3 (x4 flops)", 512, 512, 512);
}

// --- Prepared kernels, on one worker.

void MeasurePrepared(const std::string& name, double work, const char* unit,
                     absl::StatusOr<std::unique_ptr<const Kernel>> kernel,
                     std::vector<void*> buffers) {
  if (!kernel.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(kernel.status().message()).c_str());
    std::exit(1);
  }
  const KernelHost host = {nullptr, 1, nullptr, nullptr};
  const auto scratch = *context.Allocate((*kernel)->ScratchBytes(1) + 64);
  const KernelCall call = {&host, buffers.data(), scratch.get()};
  Measure(name, work, unit, [&] { return (*kernel)->Run(call); });
}

ArraySpec RowMajor(PrimitiveType type, const DimensionVector& dimensions) {
  return ArraySpec::FromShape(Shape(type, dimensions));
}

template <typename T>
std::vector<T> RandomValues(int64_t count) {
  std::vector<T> values(count);
  for (T& x : values) x = static_cast<T>(static_cast<float>(NextBits() % 16) - 7.5f);
  return values;
}

template <typename T, typename Out>
void MeasureDot(const std::string& name, int64_t batch, int64_t m, int64_t n, int64_t k,
                bool rhs_transposed = false) {
  if (name.find(filter) == std::string::npos) return;
  std::vector<T> lhs = RandomValues<T>(batch * m * k), rhs = RandomValues<T>(batch * n * k);
  std::vector<Out> out(batch * m * n);
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<T>();
  DotSpec spec;
  spec.lhs = RowMajor(type, {batch, m, k});
  spec.rhs =
      RowMajor(type, rhs_transposed ? DimensionVector{batch, n, k} : DimensionVector{batch, k, n});
  spec.result = RowMajor(primitive_util::NativeToPrimitiveType<Out>(), {batch, m, n});
  spec.lhs_batch = spec.rhs_batch = {0};
  spec.lhs_contracting = {2};
  spec.rhs_contracting = {rhs_transposed ? 2 : 1};
  MeasurePrepared(name, 2.0 * static_cast<double>(batch * m) * static_cast<double>(n * k),
                  "Gflop/s", MakeDotKernel(spec), {lhs.data(), rhs.data(), out.data()});
}

void MeasureDots() {
  MeasureDot<float, float>("dot f32 1024^3", 1, 1024, 1024, 1024);
  MeasureDot<float, float>("dot f32 1024^3, rhs transposed", 1, 1024, 1024, 1024, true);
  MeasureDot<float, float>("dot f32 512x1024x2048", 1, 512, 1024, 2048);
  MeasureDot<float, float>("dot f32 128x768x768", 1, 128, 768, 768);
  MeasureDot<float, float>("dot f32 128x50257x768, rhs transposed", 1, 128, 50257, 768, true);
  MeasureDot<float, float>("dot f32 96x128x128x64, rhs transposed", 96, 128, 128, 64, true);
  MeasureDot<float, float>("dot f32 12x128x64x128", 12, 128, 64, 128);
  MeasureDot<float, float>("dot f32 32x512x1024", 1, 32, 512, 1024);
  MeasureDot<float, float>("dot f32 128x10x512", 1, 128, 10, 512);
  MeasureDot<float, float>("dot f32 8x8x8", 1, 8, 8, 8);
  MeasureDot<float, float>("dot f32 matrix 4096^2 by vector", 1, 4096, 1, 4096);
  MeasureDot<float, float>("dot f32 vector by matrix 4096^2", 1, 1, 4096, 4096);
  MeasureDot<double, double>("dot f64 1024^3", 1, 1024, 1024, 1024);
  MeasureDot<bfloat16, bfloat16>("dot bf16 1024^3", 1, 1024, 1024, 1024);
  MeasureDot<int8_t, int32_t>("dot s8 512x512x1024", 1, 512, 512, 1024);
  MeasureDot<half, half>("dot f16 1024^3", 1, 1024, 1024, 1024);
}

// Images [batch, size, size, features], or [batch, features, size, size].
void MeasureConvolution(const std::string& name, int64_t batch, int64_t size, int64_t features,
                        int64_t output_features, int64_t taps, int64_t stride, int64_t groups,
                        bool channels_first = false) {
  if (name.find(filter) == std::string::npos) return;
  const int64_t output = size / stride, group_features = features / groups;
  ConvolutionSpec spec;
  const int64_t spatial = channels_first ? 2 : 1, feature = channels_first ? 1 : 3;
  const auto image = [&](int64_t edge, int64_t depth) {
    return channels_first ? RowMajor(F32, {batch, depth, edge, edge})
                          : RowMajor(F32, {batch, edge, edge, depth});
  };
  spec.input = image(size, features);
  spec.result = image(output, output_features);
  spec.kernel = channels_first ? RowMajor(F32, {output_features, group_features, taps, taps})
                               : RowMajor(F32, {taps, taps, group_features, output_features});
  spec.input_batch = spec.result_batch = 0;
  spec.input_feature = spec.result_feature = feature;
  spec.kernel_input_feature = channels_first ? 1 : 2;
  spec.kernel_output_feature = channels_first ? 0 : 3;
  spec.feature_group_count = groups;
  for (int64_t d = 0; d < 2; ++d) {
    spec.spatial.push_back({.input_dimension = spatial + d,
                            .kernel_dimension = (channels_first ? 2 : 0) + d,
                            .result_dimension = spatial + d,
                            .stride = stride,
                            .padding_low = (taps - 1) / 2});
  }
  std::vector<float> input = RandomValues<float>(spec.input.element_count()),
                     kernel = RandomValues<float>(spec.kernel.element_count()),
                     result(spec.result.element_count());
  const double flops =
      2.0 * static_cast<double>(result.size()) * static_cast<double>(taps * taps * group_features);
  MeasurePrepared(name, flops, "Gflop/s", MakeConvolutionKernel(spec),
                  {input.data(), kernel.data(), result.data()});
}

void MeasureConvolutions() {
  MeasureConvolution("convolution 3x3 8x56x56x64", 8, 56, 64, 64, 3, 1, 1);
  MeasureConvolution("convolution 1x1 8x256x28x28, channels first", 8, 28, 256, 128, 1, 1, 1, true);
  MeasureConvolution("convolution 3x3 8x64x56x56, channels first", 8, 56, 64, 64, 3, 1, 1, true);
  MeasureConvolution("convolution depthwise 3x3 8x56x56x128", 8, 56, 128, 128, 3, 1, 128);
  MeasureConvolution("convolution 7x7 stride 2 4x224x224x3", 4, 224, 3, 64, 7, 2, 1);
  MeasureConvolution("convolution 3x3 4x7x7x512", 4, 7, 512, 512, 3, 1, 1);
  MeasureConvolution("convolution 1x1 4x14x14x1024", 4, 14, 1024, 256, 1, 1, 1);
  MeasureConvolution("convolution 1x1 4x56x56x64", 4, 56, 64, 256, 1, 1, 1);
}

// Rows of random f32; with their indices if `argsort`.
void MeasurePreparedSort(const std::string& name, int64_t rows, int64_t length, bool argsort) {
  if (name.find(filter) == std::string::npos) return;
  std::vector<float> values(rows * length), sorted(values.size());
  std::vector<int32_t> indices(values.size()), order(values.size());
  for (float& value : values) value = static_cast<float>(static_cast<int64_t>(NextBits() >> 20));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int32_t>(i) % length;
  SortSpec spec;
  spec.dimensions = {rows, length};
  spec.strides = {length, 1};
  spec.dimension = 1;
  spec.order = SortOrder::kNumbers;
  spec.types = {F32};
  std::vector<void*> buffers = {values.data(), sorted.data()};
  if (argsort) {
    spec.types.push_back(S32);
    buffers = {values.data(), indices.data(), sorted.data(), order.data()};
  }
  MeasurePrepared(name, static_cast<double>(values.size()), "G/s", MakeSortKernel(spec), buffers);
}

void MeasureOtherPrepared() {
  MeasurePreparedSort("prepared sort f32 1M", 1, 1 << 20, false);
  MeasurePreparedSort("prepared argsort f32 1024x1024", 1024, 1024, true);
  MeasurePreparedSort("prepared argsort f32 1M", 1, 1 << 20, true);
  constexpr int64_t kEdge = 1024;
  std::vector<complex64> from(kEdge * kEdge, complex64(1, 2)), to(from.size());
  MeasurePrepared("prepared fft c64 1024x1024", 100.0 * static_cast<double>(from.size()), "Gflop/s",
                  MakeFftKernel({C64, C64, false, {kEdge, kEdge}, {kEdge, kEdge}}),
                  {from.data(), to.data()});
  MeasurePrepared("prepared fft c64 1M", 100.0 * static_cast<double>(from.size()), "Gflop/s",
                  MakeFftKernel({C64, C64, false, {kEdge * kEdge}, {kEdge * kEdge}}),
                  {from.data(), to.data()});
  for (const auto& [lines, length] :
       {std::pair<int64_t, int64_t>{512, 1009}, {1, 10007}, {1, 11 * 19 * 79}}) {
    const double size = static_cast<double>(length);
    MeasurePrepared("prepared fft c64 " + std::to_string(lines) + "x" + std::to_string(length),
                    5 * size * std::log2(size) * static_cast<double>(lines), "Gflop/s",
                    MakeFftKernel({C64, C64, false, {lines, length}, {length}}),
                    {from.data(), to.data()});
  }
  std::vector<float> x(kEdge * 4096, 1), out(x.size());
  float zero = 0;
  MeasurePrepared("prepared scan f32 1024x4096", static_cast<double>(x.size()), "G/s",
                  MakeScanKernel({F32, ScanOperation::kAdd, kEdge, 4096, 1}),
                  {x.data(), &zero, out.data()});
}

template <typename T>
void MeasureValues(const std::string& name, PrimitiveType type, int64_t count) {
  std::vector<T> values(count), sorted(count);
  for (T& value : values) value = static_cast<T>(NextBits());
  Measure(
      name, static_cast<double>(count), "G/s",
      [&] { return SortValues(context, type, false, count, sorted.data()); },
      [&] { sorted = values; });
}

void MeasureSorts() {
  constexpr int64_t kCount = 1 << 20;
  MeasureValues<uint32_t>("sort values f32 1M", F32, kCount);
  MeasureValues<uint64_t>("sort values f64 1M", F64, kCount);
  MeasureValues<uint16_t>("sort values bf16 1M", BF16, kCount);
  MeasureValues<uint32_t>("sort values f32 16M", F32, 16 * kCount);
  std::vector<uint64_t> words(kCount), sorted;
  for (uint64_t& word : words) word = NextBits();
  Measure(
      "std::sort u64 1M", static_cast<double>(kCount), "G/s",
      [&] {
        std::sort(sorted.begin(), sorted.end());
        return absl::OkStatus();
      },
      [&] { sorted = words; });
  std::vector<int64_t> keys(kCount), order(kCount);
  for (int64_t& key : keys) key = static_cast<int64_t>(NextBits()) >> 33;
  Measure("stable order, keys of 32 bits 1M", kCount, "G/s",
          [&] { return StableOrder(context, keys, absl::MakeSpan(order)); });
  Measure("top 100 of 1M", kCount, "G/s",
          [&] { return StableOrder(context, keys, absl::MakeSpan(order).subspan(0, 100)); });
  for (int64_t& key : keys) key = static_cast<int64_t>(NextBits());
  Measure("stable order, keys of 64 bits 1M", kCount, "G/s",
          [&] { return StableOrder(context, keys, absl::MakeSpan(order)); });
}

void MeasureRandomBits() {
  constexpr int64_t kCount = 1 << 22;
  std::vector<uint32_t> words(kCount);
  Measure("threefry u32[4M]", kCount, "G/s",
          [&] { return FillThreefry(context, 1, 2, U32, {kCount}, words.data()).status(); });
  Measure("philox u32[4M]", kCount, "G/s", [&] {
    return FillPhilox(context, 1, {2, 3}, U32, kCount, words.data()).status();
  });
  Measure("threefry, a counter at a time", kCount, "G/s", [&] {
    for (int64_t i = 0; i < kCount / 2; ++i) {
      const auto pair = Threefry2x32(1, 2 + static_cast<uint64_t>(i));
      std::memcpy(&words[2 * i], pair.data(), 8);
    }
    return absl::OkStatus();
  });
  Measure("philox, a counter at a time", kCount, "G/s", [&] {
    for (int64_t i = 0; i < kCount / 4; ++i) {
      const auto block = Philox4x32(1, 2 + static_cast<uint64_t>(i), 3);
      std::memcpy(&words[4 * i], block.data(), 16);
    }
    return absl::OkStatus();
  });
}

void MeasureFfts() {
  for (const auto& [length, lines] :
       {std::pair<int64_t, int64_t>{1024, 1024}, {1000, 1024}, {1009, 256}, {1 << 20, 1}}) {
    std::vector<complex64> from(length * lines, complex64(1, 2)), to(length * lines);
    const FftAxis axis = {C64,    C64,   from.data(), to.data(), length,
                          length, lines, 1,           length,    false};
    const double size = static_cast<double>(length);
    Measure("fft c64[" + std::to_string(lines) + "," + std::to_string(length) + "]",
            5 * size * std::log2(size) * static_cast<double>(lines), "Gflop/s",
            [&] { return TransformAxis(context, axis); });
  }
}

void MeasureLinearAlgebra() {
  for (const auto& [n, count] : {std::pair<int64_t, int64_t>{8, 4096}, {512, 1}}) {
    std::vector<float> a(count * n * n, 0.01f), x(count * n * n);
    for (int64_t i = 0; i < count * n; ++i) a[i / n * n * n + i % n * (n + 1)] = 100;
    const MatrixBatch batch = {F32, a.data(), count, n, n, n, n * n};
    const double cube = static_cast<double>(n * n * n * count);
    const std::string shape =
        " f32[" + std::to_string(count) + "," + std::to_string(n) + "," + std::to_string(n) + "]";
    Measure("cholesky" + shape, cube / 3, "Gflop/s",
            [&] { return Cholesky(context, true, batch, x.data()); });
    Measure("triangular solve" + shape, cube, "Gflop/s", [&] {
      return TriangularSolve(context, {true, true, false, false, false}, batch, batch, x.data());
    });
  }
}

}  // namespace
}  // namespace xla::kernels

int main(int argc, char** argv) {
  if (argc > 1) xla::kernels::filter = argv[1];
  xla::kernels::MeasureDots();
  xla::kernels::MeasureConvolutions();
  xla::kernels::MeasureOtherPrepared();
  xla::kernels::MeasureProducts();
  xla::kernels::MeasureSorts();
  xla::kernels::MeasureRandomBits();
  xla::kernels::MeasureFfts();
  xla::kernels::MeasureLinearAlgebra();
  return 0;
}
