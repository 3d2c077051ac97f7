// SPDX-License-Identifier: Apache-2.0
// Products of few rows: the matrix of columns is read in place.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/dot/dot_forms.h"
#include "xla/kernels/product/product_cost.h"
#include "xla/kernels/product/skinny_product.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// The most rows of the product that are computed as dot products of two vectors: in a few passes
// over a part of the matrix, each over as many rows as registers hold.
constexpr int64_t kMaxDotRows = 3 * kMaxSkinnyRows;

constexpr double kCyclesOfNanosecond = 2.5;

// Whether lines of the matrix are contiguous along k, as dot products need.
bool HasDotRows(const MatrixView& matrix) {
  return matrix.k.IsOneRun() && matrix.k.run_stride() == 1 && matrix.lines.IsOneRun() &&
         (matrix.k.count() > 1 || matrix.lines.run_stride() != 1);
}

// The type of arrays whose elements a kernel reads as W.
template <typename W>
constexpr PrimitiveType kMatrixType = primitive_util::NativeToPrimitiveType<W>();
template <>
constexpr PrimitiveType kMatrixType<Bf16Bits> = BF16;

// Elements of the matrix are of type W, sums of type T. Rows of any type are converted; to sums of
// integers, rows of bytes.
template <typename T, typename W>
class SkinnyDotKernel final : public Kernel {
 public:
  using Row = SkinnyRow<T>;

  explicit SkinnyDotKernel(DotProblem problem) : problem_(std::move(problem)) {
    const MatrixView& w = problem_.columns.view;
    dots_ = HasDotRows(w);
    ldw_ = dots_ ? w.lines.run_stride() : w.k.run_stride();
    // Blocks of some hundred kilobytes of the matrix.
    constexpr int64_t kStreamColumns = 1024, kParts = 16;
    constexpr int64_t kBlockElements = kUsualMachine.second_level_bytes / 16;
    block_ = dots_ ? std::clamp<int64_t>(kBlockElements / problem_.k, 4, 1024) : kStreamColumns;
    block_ = std::min(block_, problem_.n);
    blocks_ = CeilOfRatio(problem_.n, block_);
    stride_ = RoundUpTo<int64_t>(block_, 64 / sizeof(T));
    split_depth_ = problem_.k;
    const int64_t tasks = problem_.batch * blocks_;
    if (tasks < 8 && problem_.k * block_ > 2 * kBlockElements) {
      const int64_t splits = std::min(kParts, CeilOfRatio(problem_.k * block_, kBlockElements));
      split_depth_ = RoundUpTo<int64_t>(CeilOfRatio(problem_.k, splits), 64);
    }
    splits_ = CeilOfRatio(problem_.k, split_depth_);
    const auto bytes = static_cast<double>(problem_.batch * problem_.n * problem_.k * sizeof(W));
    nanoseconds_ =
        kUsualMachine.Nanoseconds(bytes, SkinnyDotCost<T, W>(problem_) / kCyclesOfNanosecond);
  }

  // Whether there is one problem, whose rows are as they would be packed.
  static bool RowsInPlace(const DotProblem& problem) {
    const MatrixView& view = problem.rows.view;
    return std::is_same_v<Row, T> && IsPlain<T>(problem.rows) && problem.batch == 1 &&
           view.k.IsOneRun() && view.k.run_stride() == 1 && view.lines.IsOneRun();
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return RowBytes() + SumBytes() + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    const KernelHost host = WorkersWorth(*call.host, nanoseconds_);
    char* scratch = static_cast<char*>(call.scratch);
    const Row* x = nullptr;
    int64_t x_stride = problem_.k;
    PrepareRows(call, reinterpret_cast<Row*>(scratch), &x, &x_stride);
    T* partial = reinterpret_cast<T*>(scratch + RowBytes());
    const W* w = static_cast<const W*>(call.buffers[problem_.columns.buffer]);
    const SkinnyKernels<T, W> kernels = FusedSkinnyKernels<T, W>();
    const ElementStore<T> store(problem_, call.buffers);
    XLA_RETURN_IF_ERROR(RunTasks(
        host, problem_.batch * blocks_ * splits_, scratch + RowBytes() + SumBytes(), WorkerBytes(),
        [&](int64_t index, Task& task) {
          const int64_t split = index % splits_, block = index / splits_ % blocks_,
                        batch = index / splits_ / blocks_;
          const int64_t column = block * block_, columns = std::min(block_, problem_.n - column);
          T* sums = splits_ == 1
                        ? reinterpret_cast<T*>(task.scratch())
                        : partial + (split * problem_.batch * blocks_ + batch * blocks_ + block) *
                                        problem_.m * stride_;
          MultiplyBlock(kernels, x + batch * problem_.m * x_stride, x_stride,
                        w + problem_.columns.view.batch.Offset(batch), column, columns,
                        split * split_depth_, sums, task);
          if (splits_ == 1) StoreBlock(store, batch, column, columns, sums);
        }));
    if (splits_ == 1) return absl::OkStatus();
    const int64_t areas = problem_.batch * blocks_, area = problem_.m * stride_;
    for (int64_t i = 0; i < areas; ++i) {
      T* sums = partial + i * area;
      for (int64_t split = 1; split < splits_; ++split) {
        for (int64_t j = 0; j < area; ++j) sums[j] += partial[(split * areas + i) * area + j];
      }
      const int64_t column = i % blocks_ * block_;
      StoreBlock(store, i / blocks_, column, std::min(block_, problem_.n - column), sums);
    }
    return absl::OkStatus();
  }

 private:
  int64_t RowBytes() const {
    return RowsInPlace(problem_) ? 0
                                 : Aligned(problem_.batch * problem_.m * problem_.k *
                                           static_cast<int64_t>(sizeof(Row)));
  }
  int64_t WorkerBytes() const {
    return Aligned(problem_.m * stride_ * static_cast<int64_t>(sizeof(T)));
  }
  int64_t SumBytes() const {
    return splits_ == 1 ? 0
                        : Aligned(splits_ * problem_.batch * blocks_ * problem_.m * stride_ *
                                  static_cast<int64_t>(sizeof(T)));
  }

  void PrepareRows(const KernelCall& call, Row* packed, const Row** x, int64_t* x_stride) const {
    const MatrixView& view = problem_.rows.view;
    const char* data = static_cast<const char*>(call.buffers[problem_.rows.buffer]);
    if (RowsInPlace(problem_)) {
      *x = reinterpret_cast<const Row*>(data);
      *x_stride = problem_.m == 1 ? 0 : view.lines.run_stride();
      return;
    }
    *x = packed;
    const WideLoad<T> load = GetWideLoad<T>(view.type);
    for (int64_t b = 0; b < problem_.batch; ++b) {
      for (int64_t i = 0; i < problem_.m; ++i) {
        const int64_t line = view.batch.Offset(b) + view.lines.Offset(i);
        view.k.ForEachRun(0, problem_.k, [&](int64_t k, int64_t offset, int64_t length) {
          LoadRow(load, data + (line + offset) * view.element_bytes, view.k.run_stride(),
                  view.element_bytes, length, packed + (b * problem_.m + i) * problem_.k + k);
        });
      }
    }
  }

  static void LoadRow(WideLoad<T> load, const char* from, int64_t stride, int64_t element_bytes,
                      int64_t count, Row* to) {
    if constexpr (std::is_same_v<Row, T>) {
      load(from, stride, count, to);
    } else {
      constexpr int64_t kBuffer = 256;
      T buffer[kBuffer];
      for (int64_t i = 0; i < count; i += kBuffer) {
        const int64_t length = std::min(kBuffer, count - i);
        load(from + i * stride * element_bytes, stride, length, buffer);
        for (int64_t j = 0; j < length; ++j) to[i + j] = static_cast<Row>(buffer[j]);
      }
    }
  }

  void MultiplyBlock(const SkinnyKernels<T, W>& kernels, const Row* x, int64_t x_stride, const W* w,
                     int64_t column, int64_t columns, int64_t k0, T* sums, Task& task) const {
    const int64_t depth = std::min(split_depth_, problem_.k - k0);
    if (dots_) {
      for (int64_t i = 0; i < problem_.m; i += kMaxSkinnyRows) {
        kernels.dots(std::min(kMaxSkinnyRows, problem_.m - i), columns, depth,
                     x + i * x_stride + k0, x_stride, w + column * ldw_ + k0, ldw_,
                     sums + i * stride_, stride_);
      }
      return;
    }
    std::fill_n(sums, problem_.m * stride_, T(0));
    // Several passes are over so much of the matrix that it stays in the cache.
    const int64_t step = problem_.m <= kMaxSkinnyRows ? 1 << 12 : 64;
    for (int64_t k = 0; k < depth; k += step) {
      if (k > 0 && k % (1 << 12) == 0 && task.ShouldStop()) return;
      for (int64_t i = 0; i < problem_.m; i += kMaxSkinnyRows) {
        kernels.stream(std::min(kMaxSkinnyRows, problem_.m - i), columns, std::min(step, depth - k),
                       x + i * x_stride + k0 + k, x_stride, w + (k0 + k) * ldw_ + column, ldw_,
                       sums + i * stride_, stride_);
      }
    }
  }

  void StoreBlock(const ElementStore<T>& store, int64_t batch, int64_t column, int64_t columns,
                  T* sums) const {
    for (int64_t i = 0; i < problem_.m; ++i) store(batch, i, column, columns, sums + i * stride_);
  }

  const DotProblem problem_;
  bool dots_;
  double nanoseconds_;  // on one thread
  int64_t ldw_, block_, blocks_, splits_, split_depth_;
  int64_t stride_;  // of rows of sums
};

}  // namespace

template <typename T, typename W>
double SkinnyDotCost(const DotProblem& problem) {
  const MatrixView& w = problem.columns.view;
  const bool dots = HasDotRows(w);
  // Other kernels would widen the whole matrix, which takes as long as a few passes.
  const bool takes_passes = dots || !std::is_same_v<T, W>;
  if (problem.m > (takes_passes ? kMaxDotRows : kMaxSkinnyRows) || problem.k < 1 ||
      w.type != kMatrixType<W> || problem.columns.scale != 1 || problem.rows.scale != 1 ||
      (std::is_same_v<T, W> && !IsPlain<T>(problem.rows)) ||
      (std::is_integral_v<T> && problem.rows.view.element_bytes != 1) || !w.k.IsOneRun() ||
      !w.lines.IsOneRun() || (w.k.run_stride() != 1 && w.lines.run_stride() != 1)) {
    return kDoesNotFit;
  }
  const auto lanes = static_cast<double>(ProductLanes<T>());
  const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n),
             k = static_cast<double>(problem.k), batch = static_cast<double>(problem.batch);
  constexpr double kStart = 80, kProblem = 40, kStored = 0.5;
  double cost = kProblem + m * n * kStored;
  if (!SkinnyDotKernel<T, W>::RowsInPlace(problem))
    cost += PackRowsCost(problem.rows.view, kMatrixType<T>);
  // Vectors are loaded in part, or what is left after the last one is multiplied one by one.
  const Machine& machine = MachineOfThread();
  const bool loads_parts = machine.avx512 || (std::is_same_v<T, W> && machine.avx2);
  constexpr double kProduct = 1.4;
  const auto vectors_of = [&](double count, double of) {
    return loads_parts ? std::ceil(count / of) : std::floor(count / of);
  };
  const auto rest_of = [&](double count, double of) {
    return loads_parts ? 0 : kProduct * std::fmod(count, of);
  };
  // What a vector of the matrix takes to be widened.
  constexpr double kWidened = std::is_same_v<T, W> ? 0 : std::is_same_v<W, Bf16Bits> ? 1 : 1.5;
  if (dots) {
    // For up to kMaxSkinnyRows rows: vectors of products, and the sums of their lanes.
    constexpr double kVector = 0.5, kSum = 2.5, kFewestColumns = 4;
    const double passes = std::ceil(m / kMaxSkinnyRows), rows = std::max(m, 1.3 * passes);
    const double of_vector = std::is_integral_v<T> ? 2 * lanes : lanes;
    const double vectors = vectors_of(k, of_vector);
    return kStart + batch * (cost + std::max(n, kFewestColumns) *
                                        (rows * (vectors * kVector + kSum) +
                                         passes * vectors * kWidened + m * rest_of(k, of_vector)));
  }
  // Sums of more rows are stored and loaded more often.
  constexpr double kRow = 2.2;
  constexpr double kVectors[kMaxSkinnyRows] = {0.9, 0.9, 1.4, 2.8};
  double vector = 0;
  for (int64_t rows = problem.m; rows > 0; rows -= kMaxSkinnyRows)
    vector += kVectors[std::min(rows, kMaxSkinnyRows) - 1] + kWidened;
  const double passes = std::ceil(m / kMaxSkinnyRows);
  return kStart + batch * (cost + k * (vectors_of(n, lanes) * vector + m * rest_of(n, lanes) +
                                       kRow * passes));
}

template <typename T, typename W>
std::unique_ptr<const Kernel> MakeSkinnyDot(DotProblem problem) {
  return std::make_unique<SkinnyDotKernel<T, W>>(std::move(problem));
}

#define XLA_INSTANTIATE(T, W)                             \
  template double SkinnyDotCost<T, W>(const DotProblem&); \
  template std::unique_ptr<const Kernel> MakeSkinnyDot<T, W>(DotProblem);
XLA_INSTANTIATE(float, float)
XLA_INSTANTIATE(double, double)
XLA_INSTANTIATE(float, Bf16Bits)
XLA_INSTANTIATE(float, int8_t)
XLA_INSTANTIATE(uint32_t, int8_t)
XLA_INSTANTIATE(uint32_t, uint8_t)
#undef XLA_INSTANTIATE

}  // namespace xla::kernels
