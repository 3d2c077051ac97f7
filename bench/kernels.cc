// SPDX-License-Identifier: Apache-2.0
// bench_kernels [FILTER]: the speed of the kernels of xla/kernels on one thread.
//
// Each kernel whose name contains FILTER runs for at least half a second of processor time; the best
// time counts. Processor time of the thread, so that a busy machine disturbs it little.
#include <time.h>

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

#include "xla/kernels/context.h"
#include "xla/kernels/fft.h"
#include "xla/kernels/linear_algebra.h"
#include "xla/kernels/matrix_product.h"
#include "xla/kernels/random_bits.h"
#include "xla/kernels/sort.h"
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

double Seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string filter;
PlainContext context;

// Runs `kernel`, after `prepare` each time, and prints work / time in `unit`.
void Measure(
    const std::string& name, double work, const char* unit,
    const std::function<absl::Status()>& kernel, const std::function<void()>& prepare = [] {}) {
  if (name.find(filter) == std::string::npos) return;
  double best = std::numeric_limits<double>::infinity();
  const double end = Seconds() + 0.5;
  do {
    prepare();
    const double start = Seconds();
    if (const absl::Status status = kernel(); !status.ok()) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(status.message()).c_str());
      std::exit(1);
    }
    best = std::min(best, Seconds() - start);
  } while (Seconds() < end);
  std::printf("%-32s %10.3f ms %10.2f %s\n", name.c_str(), best * 1e3, work / best * 1e-9, unit);
}

uint64_t NextBits() {
  static uint64_t state = 1;
  return (state = state * 6364136223846793005u + 1442695040888963407u) ^ state >> 29;
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
  xla::kernels::MeasureProducts();
  xla::kernels::MeasureSorts();
  xla::kernels::MeasureRandomBits();
  xla::kernels::MeasureFfts();
  xla::kernels::MeasureLinearAlgebra();
  return 0;
}
