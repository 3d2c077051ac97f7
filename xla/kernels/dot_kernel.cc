// SPDX-License-Identifier: Apache-2.0
// Which way a dot is computed, by sizes, strides and element types.
#include "xla/kernels/dot_kernel.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/direct_convolution.h"
#include "xla/kernels/packing.h"
#include "xla/kernels/skinny_product.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

DimensionVector FreeDims(const ArraySpec& array, absl::Span<const int64_t> batch,
                         absl::Span<const int64_t> contracting) {
  DimensionVector free;
  for (int64_t d = 0; d < static_cast<int64_t>(array.dimensions.size()); ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

MatrixView ViewOf(const ArraySpec& array, StridedDims batch, StridedDims lines, StridedDims k) {
  return {array.type,       nullptr,          array.element_bytes(),
          std::move(batch), std::move(lines), std::move(k)};
}

// An operand with its place among the buffers.
struct Operand {
  MatrixView view;
  double scale = 1;
  int buffer = 0;
  int64_t elements = 0;
};

// rows * columns = result; columns are the vectorised side.
struct DotProblem {
  Operand rows, columns;
  ResultView result;
  KernelEpilogue epilogue;
  int64_t batch, m, n, k;

  void Swap() {
    std::swap(rows, columns);
    std::swap(result.rows, result.columns);
    std::swap(m, n);
  }
};

DotProblem MakeProblem(const DotSpec& spec) {
  const DimensionVector lhs_free = FreeDims(spec.lhs, spec.lhs_batch, spec.lhs_contracting);
  const DimensionVector rhs_free = FreeDims(spec.rhs, spec.rhs_batch, spec.rhs_contracting);
  DotProblem problem;
  problem.rows = {ViewOf(spec.lhs, spec.lhs.Select(spec.lhs_batch), spec.lhs.Select(lhs_free),
                         spec.lhs.Select(spec.lhs_contracting)),
                  spec.lhs_scale, 0, spec.lhs.element_count()};
  problem.columns = {ViewOf(spec.rhs, spec.rhs.Select(spec.rhs_batch), spec.rhs.Select(rhs_free),
                            spec.rhs.Select(spec.rhs_contracting)),
                     spec.rhs_scale, 1, spec.rhs.element_count()};
  ResultView& result = problem.result;
  result.type = spec.result.type;
  result.data = nullptr;
  result.element_bytes = spec.result.element_bytes();
  size_t d = 0;
  const auto append = [&](size_t count, StridedDims& dims) {
    for (; count > 0; --count, ++d) dims.Append(spec.result.dimensions[d], spec.result.strides[d]);
  };
  append(spec.lhs_batch.size(), result.batch);
  append(lhs_free.size(), result.rows);
  append(rhs_free.size(), result.columns);
  problem.epilogue = spec.epilogue;
  problem.batch = result.batch.count();
  problem.m = result.rows.count();
  problem.n = result.columns.count();
  problem.k = problem.rows.view.k.count();
  return problem;
}

// Whether positions of a side follow each other in the result.
bool IsContiguous(const StridedDims& dims) { return dims.count() > 1 && dims.run_stride() == 1; }

// Rows of the product that dot products of two vectors are computed for: in a few passes over a
// part of the matrix, as many at a time as there are registers for.
constexpr int64_t kMaxDotRows = 3 * kMaxSkinnyRows;

// Whether lines of the matrix are contiguous along k, as dot products need.
bool HasDotRows(const MatrixView& matrix) {
  return (matrix.type == F32 || matrix.type == F64) && matrix.k.IsOneRun() &&
         matrix.k.run_stride() == 1 && matrix.lines.IsOneRun();
}

// The vectorised side is that along which results are contiguous, unless it is too short to fill
// vectors.
bool ShouldSwap(const DotProblem& problem) {
  constexpr int64_t kFew = 8, kMany = 16;
  if (problem.n < kFew && problem.m >= kMany) return true;
  if (problem.n <= kMaxDotRows && problem.m >= kMany && HasDotRows(problem.rows.view)) return true;
  if (problem.m < kFew && problem.n >= kMany) return false;
  if (IsContiguous(problem.result.columns)) return false;
  return IsContiguous(problem.result.rows) || problem.m > problem.n;
}

// Stores finished elements: through the epilogue, or converted to the result's type.
template <typename Wide>
class ElementStore {
 public:
  ElementStore(const DotProblem& problem, void* const* buffers)
      : result_(problem.result), epilogue_(problem.epilogue), buffers_(buffers) {
    result_.data = buffers[2];
  }

  void operator()(int64_t batch, int64_t row, int64_t column, int64_t count, Wide* values) const {
    if (epilogue_.store == nullptr) {
      const ResultWriter<Wide> writer(result_);
      writer(batch, row, column * kParts, count * kParts,
             reinterpret_cast<const GemmType<Wide>*>(values));
      return;
    }
    const int64_t base = result_.batch.Offset(batch) + result_.rows.Offset(row);
    const int64_t stride = result_.columns.run_stride();
    result_.columns.ForEachRun(column, count, [&](int64_t done, int64_t offset, int64_t length) {
      if (stride == 1) {
        epilogue_.store(buffers_, base + offset, length, values + done);
        return;
      }
      for (int64_t i = 0; i < length; ++i)
        epilogue_.store(buffers_, base + offset + i * stride, 1, values + done + i);
    });
  }

 private:
  // NOLINTNEXTLINE(bugprone-sizeof-expression): 1 for real types
  static constexpr int64_t kParts = sizeof(Wide) / sizeof(GemmType<Wide>);
  ResultView result_;
  KernelEpilogue epilogue_;
  void* const* buffers_;
};

template <typename T>
bool IsPlain(const Operand& operand) {
  return operand.view.type == primitive_util::NativeToPrimitiveType<T>() && operand.scale == 1;
}

// --- Few rows: the matrix of columns is read in place.

template <typename T>
class SkinnyDotKernel final : public Kernel {
 public:
  // Whether the problem is one for this kernel; it is swapped already.
  static bool Fits(const DotProblem& problem) {
    constexpr int64_t kLeastDepth = 16, kLeastColumns = 32;
    const MatrixView& w = problem.columns.view;
    const int64_t most_rows = HasDotRows(w) ? kMaxDotRows : kMaxSkinnyRows;
    if (problem.m > most_rows || problem.k < kLeastDepth) return false;
    if (problem.rows.view.type != problem.columns.view.type || !IsPlain<T>(problem.rows) ||
        !IsPlain<T>(problem.columns) || !w.k.IsOneRun() || !w.lines.IsOneRun()) {
      return false;
    }
    return w.k.run_stride() == 1 || (w.lines.run_stride() == 1 && problem.n >= kLeastColumns);
  }

  explicit SkinnyDotKernel(DotProblem problem) : problem_(std::move(problem)) {
    const MatrixView& w = problem_.columns.view;
    dots_ = w.k.run_stride() == 1 && (problem_.k > 1 || w.lines.run_stride() != 1);
    ldw_ = dots_ ? w.lines.run_stride() : w.k.run_stride();
    // Blocks of some hundred kilobytes of the matrix.
    constexpr int64_t kStreamColumns = 1024, kBlockElements = int64_t{1} << 16, kParts = 16;
    block_ = dots_ ? std::clamp<int64_t>(kBlockElements / problem_.k, 4, 1024) : kStreamColumns;
    block_ = std::min(block_, problem_.n);
    blocks_ = CeilOfRatio(problem_.n, block_);
    split_depth_ = problem_.k;
    const int64_t tasks = problem_.batch * blocks_;
    if (tasks < 8 && problem_.k * block_ > 2 * kBlockElements) {
      const int64_t splits = std::min(kParts, CeilOfRatio(problem_.k * block_, kBlockElements));
      split_depth_ = RoundUpTo<int64_t>(CeilOfRatio(problem_.k, splits), 64);
    }
    splits_ = CeilOfRatio(problem_.k, split_depth_);
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return RowBytes() + SumBytes() + WorkerBytes() * workers;
  }

  absl::Status Run(const KernelCall& call) const override {
    char* scratch = static_cast<char*>(call.scratch);
    const T* x = nullptr;
    int64_t x_stride = problem_.k;
    PrepareRows(call, reinterpret_cast<T*>(scratch), &x, &x_stride);
    T* partial = reinterpret_cast<T*>(scratch + RowBytes());
    const T* w = static_cast<const T*>(call.buffers[problem_.columns.buffer]);
    const SkinnyKernels<T> kernels = FusedSkinnyKernels<T>();
    const ElementStore<T> store(problem_, call.buffers);
    XLA_RETURN_IF_ERROR(RunTasks(
        *call.host, problem_.batch * blocks_ * splits_, scratch + RowBytes() + SumBytes(),
        WorkerBytes(), [&](int64_t index, Task& task) {
          const int64_t split = index % splits_, block = index / splits_ % blocks_,
                        batch = index / splits_ / blocks_;
          const int64_t column = block * block_, columns = std::min(block_, problem_.n - column);
          T* sums = splits_ == 1
                        ? reinterpret_cast<T*>(task.scratch())
                        : partial + (split * problem_.batch * blocks_ + batch * blocks_ + block) *
                                        problem_.m * block_;
          MultiplyBlock(kernels, x + batch * problem_.m * x_stride, x_stride,
                        w + problem_.columns.view.batch.Offset(batch), column, columns,
                        split * split_depth_, sums, task);
          if (splits_ == 1) StoreBlock(store, batch, column, columns, sums);
        }));
    if (splits_ == 1) return absl::OkStatus();
    const int64_t areas = problem_.batch * blocks_, area = problem_.m * block_;
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
    return RowsInPlace() ? 0
                         : Aligned(problem_.batch * problem_.m * problem_.k *
                                   static_cast<int64_t>(sizeof(T)));
  }
  int64_t WorkerBytes() const {
    return Aligned(problem_.m * block_ * static_cast<int64_t>(sizeof(T)));
  }
  int64_t SumBytes() const {
    return splits_ == 1 ? 0
                        : Aligned(splits_ * problem_.batch * blocks_ * problem_.m * block_ *
                                  static_cast<int64_t>(sizeof(T)));
  }
  // One problem, or rows that follow each other as if they were packed.
  bool RowsInPlace() const {
    const MatrixView& view = problem_.rows.view;
    if (!view.k.IsOneRun() || view.k.run_stride() != 1) return false;
    return problem_.batch == 1 && view.lines.IsOneRun();
  }

  void PrepareRows(const KernelCall& call, T* packed, const T** x, int64_t* x_stride) const {
    const MatrixView& view = problem_.rows.view;
    const T* data = static_cast<const T*>(call.buffers[problem_.rows.buffer]);
    if (RowsInPlace()) {
      *x = data;
      *x_stride = problem_.m == 1 ? 0 : view.lines.run_stride();
      return;
    }
    *x = packed;
    for (int64_t b = 0; b < problem_.batch; ++b) {
      for (int64_t i = 0; i < problem_.m; ++i) {
        const T* line = data + view.batch.Offset(b) + view.lines.Offset(i);
        view.k.ForEachRun(0, problem_.k, [&](int64_t k, int64_t offset, int64_t length) {
          const int64_t stride = view.k.run_stride();
          T* to = packed + (b * problem_.m + i) * problem_.k + k;
          for (int64_t j = 0; j < length; ++j) to[j] = line[offset + j * stride];
        });
      }
    }
  }

  void MultiplyBlock(const SkinnyKernels<T>& kernels, const T* x, int64_t x_stride, const T* w,
                     int64_t column, int64_t columns, int64_t k0, T* sums, Task& task) const {
    const int64_t depth = std::min(split_depth_, problem_.k - k0);
    if (dots_) {
      for (int64_t i = 0; i < problem_.m; i += kMaxSkinnyRows) {
        kernels.dots(std::min(kMaxSkinnyRows, problem_.m - i), columns, depth,
                     x + i * x_stride + k0, x_stride, w + column * ldw_ + k0, ldw_,
                     sums + i * block_, block_);
      }
      return;
    }
    std::fill_n(sums, problem_.m * block_, T(0));
    constexpr int64_t kStep = 1 << 12;
    for (int64_t k = 0; k < depth; k += kStep) {
      if (k > 0 && task.ShouldStop()) return;
      kernels.stream(problem_.m, columns, std::min(kStep, depth - k), x + k0 + k, x_stride,
                     w + (k0 + k) * ldw_ + column, ldw_, sums, block_);
    }
  }

  void StoreBlock(const ElementStore<T>& store, int64_t batch, int64_t column, int64_t columns,
                  T* sums) const {
    for (int64_t i = 0; i < problem_.m; ++i) store(batch, i, column, columns, sums + i * block_);
  }

  const DotProblem problem_;
  bool dots_;
  int64_t ldw_, block_, blocks_, splits_, split_depth_;
};

// --- Small matrices: done sooner than divided or copied.

template <typename T>
class SmallDotKernel final : public Kernel {
 public:
  static bool Fits(const DotProblem& problem) {
    // Some ten microseconds; sums as long as those that other kernels form at once.
    constexpr double kMostProducts = 1 << 19;
    constexpr int64_t kMostDepth = kProductDepth, kFewRows = 4;
    const MatrixView& rows = problem.rows.view;
    const ResultView& result = problem.result;
    const double products = static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
                            static_cast<double>(problem.n) * static_cast<double>(problem.k);
    return FusedKernels<T>().runs != nullptr && products <= kMostProducts && problem.k >= 1 &&
           problem.k <= kMostDepth && problem.m >= kFewRows && IsPlain<T>(problem.rows) &&
           IsPlain<T>(problem.columns) && rows.k.IsOneRun() &&
           (problem.k == 1 || rows.k.run_stride() == 1) && rows.lines.IsOneRun() &&
           rows.lines.run_stride() >= 0 && problem.columns.view.k.IsOneRun() &&
           result.type == primitive_util::NativeToPrimitiveType<T>() && result.rows.IsOneRun() &&
           result.columns.IsOneRun() && (problem.n == 1 || result.columns.run_stride() == 1) &&
           (problem.epilogue.store == nullptr || problem.epilogue.in_place);
  }

  explicit SmallDotKernel(DotProblem problem)
      : problem_(std::move(problem)), kernels_(FusedKernels<T>()) {
    const MatrixView& columns = problem_.columns.view;
    const bool is_readable =
        columns.lines.IsOneRun() && columns.lines.run_stride() == 1 && columns.k.run_stride() > 0;
    whole_panels_ = is_readable ? problem_.n / kernels_.columns * kernels_.columns : 0;
  }

  // Of panels that cannot be read in place.
  int64_t ScratchBytes(int32_t) const override {
    return whole_panels_ == problem_.n
               ? 0
               : Aligned(problem_.k * kernels_.columns * static_cast<int64_t>(sizeof(T)));
  }

  absl::Status Run(const KernelCall& call) const override {
    const MatrixView &rows = problem_.rows.view, &columns = problem_.columns.view;
    const ResultView& result = problem_.result;
    const T* const a = static_cast<const T*>(call.buffers[problem_.rows.buffer]);
    const T* const b = static_cast<const T*>(call.buffers[problem_.columns.buffer]);
    T* const c = static_cast<T*>(call.buffers[2]);
    const int64_t lda = rows.lines.run_stride(), ldc = result.rows.run_stride();
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      const TileRun<T> run = {a + rows.batch.Offset(batch), problem_.k};
      T* const c_batch = c + result.batch.Offset(batch);
      for (int64_t j = 0; j < problem_.n; j += kernels_.columns) {
        const int64_t width = std::min(kernels_.columns, problem_.n - j);
        const T* panel = b + columns.batch.Offset(batch) + j;
        int64_t ldb = columns.k.run_stride();
        if (j >= whole_panels_) {
          T* const packed = static_cast<T*>(call.scratch);
          WidePacking<T>::PackColumns(columns, b, batch, j, width, 0, problem_.k, kernels_.columns,
                                      packed);
          panel = packed;
          ldb = kernels_.columns;
        }
        for (int64_t i = 0; i < problem_.m; i += kernels_.rows) {
          kernels_.runs(std::min(kernels_.rows, problem_.m - i), width, &run, 1, i * lda, lda,
                        panel, ldb, c_batch + i * ldc + j, ldc, false);
        }
      }
    }
    Finish(call, c);
    return absl::OkStatus();
  }

 private:
  void Finish(const KernelCall& call, const T* c) const {
    if (problem_.epilogue.store == nullptr) return;
    const ResultView& result = problem_.result;
    const bool is_dense = problem_.m == 1 || result.rows.run_stride() == problem_.n;
    const int64_t runs = is_dense ? 1 : problem_.m;
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      for (int64_t i = 0; i < runs; ++i) {
        const int64_t first = result.batch.Offset(batch) + result.rows.Offset(i);
        problem_.epilogue.store(call.buffers, first, problem_.m / runs * problem_.n, c + first);
      }
    }
  }

  const DotProblem problem_;
  const ProductKernels<T, T> kernels_;
  int64_t whole_panels_;  // columns of panels that are read in place
};

// --- Any sizes: blocks.

template <typename Packing>
class BlockedDotKernel final : public Kernel {
  using Unit = typename Packing::Unit;
  using Acc = typename Packing::Acc;
  using Wide = typename Packing::Wide;
  static constexpr bool kIsWide = std::is_same_v<Packing, WidePacking<Unit>>;

 public:
  BlockedDotKernel(DotProblem problem, const void* columns_constant)
      : problem_(std::move(problem)), kernels_(Packing::Kernels()) {
    const ResultView& result = problem_.result;
    const bool direct = Packing::kParts == 1 &&
                        (problem_.epilogue.store == nullptr || problem_.epilogue.in_place) &&
                        StoresAcc(result.type) && result.columns.IsOneRun() &&
                        result.columns.run_stride() == 1 && result.rows.IsOneRun();
    sizes_ = {problem_.batch,
              problem_.m,
              problem_.n * Packing::kParts,
              Packing::Units(problem_.k),
              direct,
              kernels_.rows,
              kernels_.columns,
              sizeof(Unit)};
    // Few rows do not pay for a copy of the columns.
    constexpr int64_t kFewRows = 32;
    const MatrixView& columns = problem_.columns.view;
    const bool readable = columns_constant == nullptr && kIsWide &&
                          IsPlain<Unit>(problem_.columns) && columns.k.IsOneRun() &&
                          columns.lines.IsOneRun() && columns.lines.run_stride() == 1 &&
                          columns.k.run_stride() > 0;
    in_place_ = readable && problem_.m <= kFewRows;
    copies_ = readable && !in_place_ && kernels_.copying_tile != nullptr;
    const MatrixView& rows = problem_.rows.view;
    rows_by_tile_ =
        kIsWide && rows.k.IsOneRun() && rows.k.run_stride() == 1 && rows.lines.IsOneRun();
    if (columns_constant != nullptr) PackConstant(columns_constant);
  }

  int64_t ScratchBytes(int32_t workers) const override {
    return ConvertedBytes(problem_.rows) + ConvertedBytes(problem_.columns) +
           ProductScratchBytes<Unit, Acc>(PlanProduct(sizes_, workers), workers);
  }

  absl::Status Run(const KernelCall& call) const override {
    char* scratch = static_cast<char*>(call.scratch);
    MatrixView rows = problem_.rows.view, columns = problem_.columns.view;
    const void* rows_data = Prepare(call, problem_.rows, &rows, &scratch);
    const void* columns_data = Prepare(call, problem_.columns, &columns, &scratch);
    ResultView result = problem_.result;
    result.data = call.buffers[2];
    const ElementStore<Wide> element_store(problem_, call.buffers);
    const auto pack_rows = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                               int64_t depth, Unit* to) {
      Packing::PackRows(rows, rows_data, batch, first, lines, k0, depth, to);
      for (int64_t i = 0; problem_.rows.scale != 1 && i < lines; ++i)
        Scale(problem_.rows.scale, depth, to + i * kProductRowStride);
      constexpr int64_t kShortRow = 256;  // bytes; processors see where short rows go on
      if (rows_by_tile_ && depth * rows.element_bytes > kShortRow) {
        // Those of the next tile.
        const int64_t next = first + lines;
        PrefetchLines(rows, rows_data, batch, next, std::min(next + lines, problem_.m), k0, depth);
      }
    };
    const auto pack_columns = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                  int64_t depth, int64_t width, Unit* panel) {
      Packing::PackColumns(columns, columns_data, batch, first, lines, k0, depth, width, panel);
      if (problem_.columns.scale != 1) Scale(problem_.columns.scale, depth * width, panel);
    };
    const auto prefetch_columns = [&](int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                      int64_t depth, int64_t part, int64_t parts) {
      PrefetchLines(columns, columns_data, batch, first + lines * part / parts,
                    first + lines * (part + 1) / parts, k0, depth);
    };
    const auto b = [&](int64_t batch, int64_t k0, int64_t j0) -> const Unit* {
      if (!packed_.empty()) return PackedPanel(batch, k0, j0);
      return static_cast<const Unit*>(columns_data) + columns.batch.Offset(batch) +
             k0 * columns.k.run_stride() + j0;
    };
    const auto c = [&](int64_t batch, int64_t row) {
      return static_cast<Acc*>(result.data) + result.batch.Offset(batch) + result.rows.Offset(row);
    };
    const auto store = [&](int64_t batch, int64_t row, int64_t column, int64_t count, Acc* values) {
      element_store(batch, row, column / Packing::kParts, count / Packing::kParts,
                    reinterpret_cast<Wide*>(values));
    };
    const int64_t ldb = !packed_.empty()       ? kernels_.columns
                        : in_place_ || copies_ ? std::max<int64_t>(columns.k.run_stride(), 1)
                                               : 0;
    return RunProduct<Unit, Acc>(
        *call.host, scratch, PlanProduct(sizes_, call.host->workers), kernels_,
        {pack_rows, pack_columns, prefetch_columns, PrefetchesColumns(), b, ldb, copies_,
         rows_by_tile_, c, problem_.m == 1 ? 0 : result.rows.run_stride(), store,
         problem_.epilogue.store != nullptr});
  }

 private:
  // Columns that lie in memory one after the other, in a matrix too large for caches.
  bool PrefetchesColumns() const {
    constexpr int64_t kLargeBytes = int64_t{4} << 20;
    const MatrixView& view = problem_.columns.view;
    return kIsWide && view.k.IsOneRun() && view.k.run_stride() == 1 && packed_.empty() &&
           problem_.columns.elements * view.element_bytes >= kLargeBytes;
  }

  // Reads elements [k0, k0 + depth) of lines that are contiguous along k into the cache.
  static void PrefetchLines(const MatrixView& view, const void* data, int64_t batch, int64_t begin,
                            int64_t end, int64_t k0, int64_t depth) {
    constexpr int64_t kLine = 64;
    const char* base =
        static_cast<const char*>(data) + (view.batch.Offset(batch) + k0) * view.element_bytes;
    for (int64_t line = begin; line < end; ++line) {
      const char* from = base + view.lines.Offset(line) * view.element_bytes;
      for (int64_t at = 0; at < depth * view.element_bytes; at += kLine)
        __builtin_prefetch(from + at);
    }
  }

  // Whether results of the type are what is summed, bit by bit.
  static bool StoresAcc(PrimitiveType type) {
    if constexpr (std::is_floating_point_v<Acc>)
      return type == primitive_util::NativeToPrimitiveType<Acc>();
    return primitive_util::IsIntegralType(type) &&
           primitive_util::BitWidth(type) == 8 * static_cast<int>(sizeof(Acc));
  }

  static void Scale(double factor, int64_t count, Unit* units) {
    if constexpr (std::is_floating_point_v<Unit>) {
      const Unit rounded = static_cast<Unit>(factor);
      for (int64_t i = 0; i < count; ++i) units[i] *= rounded;
    }
  }

  // Complex kernels multiply one type: others are converted as a whole.
  static bool IsConverted(const Operand& operand) {
    return is_complex_v<Wide> && operand.view.type != primitive_util::NativeToPrimitiveType<Wide>();
  }
  static int64_t ConvertedBytes(const Operand& operand) {
    if (!IsConverted(operand)) return 0;
    return Aligned(operand.elements * static_cast<int64_t>(sizeof(Wide)));
  }
  static const void* Prepare(const KernelCall& call, const Operand& operand, MatrixView* view,
                             char** scratch) {
    const void* data = call.buffers[operand.buffer];
    if constexpr (is_complex_v<Wide>) {
      if (!IsConverted(operand)) return data;
      Wide* converted = reinterpret_cast<Wide*>(*scratch);
      *scratch += ConvertedBytes(operand);
      if (const WideLoad<Wide> load = GetWideLoad<Wide>(view->type); load != nullptr) {
        load(data, 1, operand.elements, converted);
      } else {
        // Integers become real parts in place, from the last one on.
        Acc* parts = reinterpret_cast<Acc*>(converted);
        GetWideLoad<Acc>(view->type)(data, 1, operand.elements, parts);
        for (int64_t i = operand.elements - 1; i >= 0; --i) converted[i] = Wide(parts[i], 0);
      }
      view->type = primitive_util::NativeToPrimitiveType<Wide>();
      view->element_bytes = sizeof(Wide);
      return converted;
    }
    return data;
  }

  // Panels of the columns: [batch, panel, k, column].
  int64_t PanelCount() const { return sizes_.n / kernels_.columns; }
  const Unit* PackedPanel(int64_t batch, int64_t k0, int64_t j0) const {
    return packed_.data() +
           ((batch * PanelCount() + j0 / kernels_.columns) * sizes_.k + k0) * kernels_.columns;
  }
  // Full panels only: those of fewer columns are packed at run time, from the constant.
  void PackConstant(const void* constant) {
    if (IsConverted(problem_.columns)) return;
    packed_.resize(problem_.batch * PanelCount() * sizes_.k * kernels_.columns);
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      for (int64_t panel = 0; panel < PanelCount(); ++panel) {
        Unit* to = packed_.data() + (batch * PanelCount() + panel) * sizes_.k * kernels_.columns;
        for (int64_t k0 = 0; k0 < sizes_.k; k0 += kProductDepth) {
          Packing::PackColumns(problem_.columns.view, constant, batch, panel * kernels_.columns,
                               kernels_.columns, k0, std::min(kProductDepth, sizes_.k - k0),
                               kernels_.columns, to + k0 * kernels_.columns);
        }
        if (problem_.columns.scale != 1)
          Scale(problem_.columns.scale, sizes_.k * kernels_.columns, to);
      }
    }
  }

  const DotProblem problem_;
  const ProductKernels<Unit, Acc> kernels_;
  ProductSizes sizes_;
  bool in_place_, copies_;  // the columns; copied while they are multiplied
  bool rows_by_tile_;
  std::vector<Unit> packed_;
};

template <typename Packing>
std::unique_ptr<const Kernel> MakeBlocked(const DotProblem& problem, const void* columns_constant) {
  return std::make_unique<BlockedDotKernel<Packing>>(problem, columns_constant);
}

// Rows that are read in place, as those of a pointwise convolution: where there are too few columns
// for copies of the rows to pay. Null if they cannot be.
std::unique_ptr<const Kernel> MakeInPlace(const DotProblem& problem, const void* columns_constant) {
  constexpr int64_t kFewColumns = 512, kEnoughRows = 12;
  const MatrixView& rows = problem.rows.view;
  // Long sums of few elements are divided by others.
  constexpr int64_t kLongSum = 4096, kFewElements = 1 << 16;
  if (problem.k >= kLongSum && problem.batch * problem.m * problem.n < kFewElements) return nullptr;
  // Few rows: the other operand is read in place, if it can be.
  constexpr int64_t kFewRows = 32;
  if (problem.m <= kFewRows && problem.columns.view.lines.run_stride() == 1) return nullptr;
  if (problem.n > kFewColumns || problem.m < kEnoughRows || columns_constant != nullptr ||
      (problem.epilogue.store != nullptr && !problem.epilogue.in_place) ||
      problem.rows.scale != 1 || !rows.k.IsOneRun() || !rows.lines.IsOneRun() ||
      !rows.batch.IsOneRun() || rows.lines.run_stride() <= 0) {
    return nullptr;
  }
  DirectConvolutionSpec spec;
  Patches& patches = spec.convolution.patches;
  patches.type = rows.type;
  patches.data = nullptr;
  patches.element_bytes = rows.element_bytes;
  patches.group_stride = rows.batch.run_stride();
  patches.batch_size = 1;
  patches.batch_stride = 0;
  patches.features = problem.k;
  patches.feature_stride = rows.k.run_stride();
  patches.dims.push_back({.output_size = problem.m,
                          .taps = 1,
                          .stride = 1,
                          .padding_low = 0,
                          .window_dilation = 1,
                          .base_dilation = 1,
                          .input_size = problem.m,
                          .input_stride = rows.lines.run_stride()});
  spec.convolution.kernel = problem.columns.view;
  spec.convolution.result = problem.result;
  spec.kernel_scale = problem.columns.scale;
  spec.input_buffer = problem.rows.buffer;
  spec.kernel_buffer = problem.columns.buffer;
  spec.epilogue = problem.epilogue;
  return MakeDirectConvolution(std::move(spec));
}

template <typename T>
std::unique_ptr<const Kernel> MakeFloat(const DotProblem& problem, const void* columns_constant) {
  if (SkinnyDotKernel<T>::Fits(problem)) return std::make_unique<SkinnyDotKernel<T>>(problem);
  if (columns_constant == nullptr && SmallDotKernel<T>::Fits(problem))
    return std::make_unique<SmallDotKernel<T>>(problem);
  if constexpr (std::is_same_v<T, float>) {
    std::unique_ptr<const Kernel> in_place = MakeInPlace(problem, columns_constant);
    if (in_place != nullptr) return in_place;
  }
  return MakeBlocked<WidePacking<T>>(problem, columns_constant);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Kernel>> MakeDotKernel(const DotSpec& spec) {
  if (spec.result.element_count() == 0) return std::make_unique<EmptyKernel>();
  DotProblem problem = MakeProblem(spec);
  if (ShouldSwap(problem)) problem.Swap();
  const void* constant = problem.columns.buffer == 1 ? spec.rhs_constant : nullptr;
  const PrimitiveType lhs = spec.lhs.type, rhs = spec.rhs.type;
  if (lhs == BF16 && rhs == BF16 && spec.result.type != F64 && PairKernels().tile != nullptr)
    return MakeBlocked<PairPacking>(problem, constant);
  const PrimitiveType wide = ContractionWideType(lhs, rhs, spec.result.type);
  if (lhs == S8 && rhs == S8 && wide == U32 && QuadKernels().tile != nullptr)
    return MakeBlocked<QuadPacking>(problem, constant);
  switch (wide) {
    case F32:
      return MakeFloat<float>(problem, constant);
    case F64:
      return MakeFloat<double>(problem, constant);
    case U32:
      return MakeBlocked<WidePacking<uint32_t>>(problem, constant);
    case U64:
      return MakeBlocked<WidePacking<uint64_t>>(problem, constant);
    case C64:
      return MakeBlocked<ComplexPacking<float>>(problem, constant);
    case C128:
      return MakeBlocked<ComplexPacking<double>>(problem, constant);
    default:
      return absl::UnimplementedError(
          absl::StrCat("products of complex numbers cannot be converted to ",
                       primitive_util::LowercasePrimitiveTypeName(spec.result.type)));
  }
}

}  // namespace xla::kernels
