// SPDX-License-Identifier: Apache-2.0
// Blocked matrix multiplication: packing, cache blocks, and kernels per instruction set.
#include "xla/interpreter/gemm.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

#define XLA_GEMM_NAME KernelBase
#define XLA_GEMM_TARGET
#define XLA_GEMM_VECTOR_BYTES 16
#include "xla/interpreter/gemm_kernel.inc"
#undef XLA_GEMM_NAME
#undef XLA_GEMM_TARGET
#undef XLA_GEMM_VECTOR_BYTES

#if defined(__x86_64__)
#define XLA_GEMM_NAME KernelAvx2
#define XLA_GEMM_TARGET __attribute__((target("avx2")))
#define XLA_GEMM_VECTOR_BYTES 32
#include "xla/interpreter/gemm_kernel.inc"
#undef XLA_GEMM_NAME
#undef XLA_GEMM_TARGET
#undef XLA_GEMM_VECTOR_BYTES

#define XLA_GEMM_NAME KernelAvx512
#define XLA_GEMM_TARGET __attribute__((target("avx512f,avx512dq")))
#define XLA_GEMM_VECTOR_BYTES 64
#include "xla/interpreter/gemm_kernel.inc"
#undef XLA_GEMM_NAME
#undef XLA_GEMM_TARGET
#undef XLA_GEMM_VECTOR_BYTES
#endif

template <typename T>
using Kernel = void (*)(int64_t depth, const T* a, const T* b, T* c, int64_t ldc);

// The kernels of one instruction set. Small problems take fewer rows at a time.
template <typename T>
struct KernelSet {
  int64_t columns;  // two registers of elements
  int64_t rows;
  Kernel<T> full;
  Kernel<T> four;
  Kernel<T> one;
};

template <typename T>
KernelSet<T> ChooseKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return {128 / sizeof(T), 8, KernelAvx512<T, 8>, KernelAvx512<T, 4>, KernelAvx512<T, 1>};
  }
  if (__builtin_cpu_supports("avx2")) {
    return {64 / sizeof(T), 6, KernelAvx2<T, 6>, KernelAvx2<T, 4>, KernelAvx2<T, 1>};
  }
#endif
  return {32 / sizeof(T), 4, KernelBase<T, 4>, KernelBase<T, 4>, KernelBase<T, 1>};
}

// How one problem is cut: blocks of C are independent tasks.
struct Blocking {
  int64_t rows_per_panel, columns_per_panel;
  int64_t block_m, block_n;
  int64_t blocks_m, blocks_n;
};

template <typename T>
Blocking ChooseBlocking(const GemmProblem<T>& problem, const KernelSet<T>& kernels) {
  Blocking b;
  b.columns_per_panel = kernels.columns;
  b.rows_per_panel = problem.m >= kernels.rows ? kernels.rows : problem.m >= 2 ? 4 : 1;
  // The packed block of B takes kGemmBlockK * block_n elements, half a megabyte in f32.
  b.block_m = RoundUpTo<int64_t>(std::min<int64_t>(problem.m, 192), b.rows_per_panel);
  b.block_n = RoundUpTo<int64_t>(std::min<int64_t>(problem.n, 512), b.columns_per_panel);
  const auto tasks = [&] {
    return problem.batch * CeilOfRatio(problem.m, b.block_m) * CeilOfRatio(problem.n, b.block_n);
  };
  while (tasks() < 8 && b.block_n >= 4 * b.columns_per_panel) {
    b.block_n = RoundUpTo<int64_t>(b.block_n / 2, b.columns_per_panel);
  }
  while (tasks() < 8 && b.block_m >= 8 * b.rows_per_panel) {
    b.block_m = RoundUpTo<int64_t>(b.block_m / 2, b.rows_per_panel);
  }
  b.blocks_m = CeilOfRatio(problem.m, b.block_m);
  b.blocks_n = CeilOfRatio(problem.n, b.block_n);
  return b;
}

// One block of C: rows [row, row + rows) and columns [column, column + columns) of problem `batch`.
template <typename T>
absl::Status RunBlock(EvalContext& ctx, const GemmProblem<T>& problem, const KernelSet<T>& kernels,
                      const Blocking& blocking, int64_t batch, int64_t row, int64_t column) {
  const int64_t rows = std::min(blocking.block_m, problem.m - row);
  const int64_t columns = std::min(blocking.block_n, problem.n - column);
  const int64_t mr = blocking.rows_per_panel, nr = blocking.columns_per_panel;
  const int64_t padded_rows = RoundUpTo(rows, mr), padded_columns = RoundUpTo(columns, nr);
  const int64_t depth_limit = std::min(problem.k, kGemmBlockK);
  const Kernel<T> kernel = mr == 1 ? kernels.one : mr == kernels.rows ? kernels.full : kernels.four;

  // Every part starts on 64 bytes: padded_columns * sizeof(T) is a multiple of two registers, and
  // the small panel of A comes last.
  const int64_t c_elements = padded_rows * padded_columns,
                b_elements = depth_limit * padded_columns;
  XLA_ASSIGN_OR_RETURN(
      Value scratch, ctx.AllocateScratch((c_elements + b_elements + depth_limit * mr) * sizeof(T)));
  T* c = scratch.mutable_data<T>();
  T* b = c + c_elements;
  T* a = b + b_elements;
  std::memset(c, 0, c_elements * sizeof(T));

  for (int64_t k0 = 0; k0 < problem.k; k0 += kGemmBlockK) {
    const int64_t depth = std::min(kGemmBlockK, problem.k - k0);
    for (int64_t j = 0; j < columns; j += nr) {
      problem.pack_columns(batch, column + j, std::min(nr, columns - j), k0, depth, nr,
                           b + j * depth);
    }
    for (int64_t i = 0; i < rows; i += mr) {
      problem.pack_rows(batch, row + i, std::min(mr, rows - i), k0, depth, mr, a);
      for (int64_t j = 0; j < columns; j += nr) {
        kernel(depth, a, b + j * depth, c + i * padded_columns + j, padded_columns);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    problem.store(batch, row + i, column, columns, c + i * padded_columns);
  }
  return absl::OkStatus();
}

// The sum of a[i] * b[i] over one block of k.
template <typename T>
T DotBlock(int64_t count, const T* a, const T* b) {
  if (count < 2 * kGemmDotLanes) {
    T sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
  }
  T lanes[kGemmDotLanes] = {};
  int64_t i = 0;
  for (; i + kGemmDotLanes <= count; i += kGemmDotLanes) {
    for (int64_t l = 0; l < kGemmDotLanes; ++l) lanes[l] += a[i + l] * b[i + l];
  }
  for (int64_t l = 0; i < count; ++i, ++l) lanes[l] += a[i] * b[i];
  for (int64_t width = kGemmDotLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) lanes[l] += lanes[l + width];
  }
  return lanes[0];
}

// For results of few elements, where panels would be mostly padding.
constexpr int64_t kDotLines = 8;

template <typename T>
void RunDots(const GemmProblem<T>& problem, int64_t batch) {
  T a[kDotLines][kGemmBlockK], b[kDotLines][kGemmBlockK];
  T c[kDotLines][kDotLines] = {};
  for (int64_t k0 = 0; k0 < problem.k; k0 += kGemmBlockK) {
    const int64_t depth = std::min(kGemmBlockK, problem.k - k0);
    for (int64_t i = 0; i < problem.m; ++i) problem.pack_rows(batch, i, 1, k0, depth, 1, a[i]);
    for (int64_t j = 0; j < problem.n; ++j) problem.pack_columns(batch, j, 1, k0, depth, 1, b[j]);
    for (int64_t i = 0; i < problem.m; ++i) {
      for (int64_t j = 0; j < problem.n; ++j) c[i][j] += DotBlock(depth, a[i], b[j]);
    }
  }
  for (int64_t i = 0; i < problem.m; ++i) problem.store(batch, i, 0, problem.n, c[i]);
}

}  // namespace

template <typename T>
absl::Status RunGemm(EvalContext& ctx, const GemmProblem<T>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return absl::OkStatus();
  constexpr double kNanosecondsPerProduct = 0.04;
  if (problem.m < kDotLines && problem.n < kDotLines) {
    const double cost = 50 + (problem.m + problem.n) * (problem.k + 20.0);
    return ctx.ParallelFor(problem.batch, EvalContext::ChunkFor(problem.batch, cost),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) RunDots(problem, i);
                           });
  }
  static const KernelSet<T> kernels = ChooseKernels<T>();
  const Blocking blocking = ChooseBlocking(problem, kernels);
  const int64_t blocks = blocking.blocks_m * blocking.blocks_n;
  const double cost = 500 + kNanosecondsPerProduct * static_cast<double>(blocking.block_m) *
                                static_cast<double>(blocking.block_n) *
                                static_cast<double>(problem.k);
  return ctx.ParallelForStatus(
      problem.batch * blocks, EvalContext::ChunkFor(problem.batch * blocks, cost),
      [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        for (int64_t task = begin; task < end; ++task) {
          const int64_t block = task % blocks;
          XLA_RETURN_IF_ERROR(RunBlock(worker, problem, kernels, blocking, task / blocks,
                                       block / blocking.blocks_n * blocking.block_m,
                                       block % blocking.blocks_n * blocking.block_n));
        }
        return absl::OkStatus();
      });
}

template absl::Status RunGemm<float>(EvalContext&, const GemmProblem<float>&);
template absl::Status RunGemm<double>(EvalContext&, const GemmProblem<double>&);
template absl::Status RunGemm<uint32_t>(EvalContext&, const GemmProblem<uint32_t>&);
template absl::Status RunGemm<uint64_t>(EvalContext&, const GemmProblem<uint64_t>&);

}  // namespace xla::interpreter
