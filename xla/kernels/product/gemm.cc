// SPDX-License-Identifier: Apache-2.0
// Blocked matrix multiplication: cache blocks, packing, and register kernels for each instruction
// set.
#include "xla/kernels/product/gemm.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/status/status.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/context.h"
#include "xla/kernels/simd_targets.h"
#include "xla/util.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/gemm.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef XLA_KERNELS_GEMM_CC_
#define XLA_KERNELS_GEMM_CC_
namespace xla::kernels {

// c[r * ldc + j] += sum over k of a[k * rows + r] * b[k * columns + j]. Pointers to b and c are
// aligned to a vector.
template <typename T>
using PanelKernel = void (*)(int64_t depth, const T* a, const T* b, T* c, int64_t ldc);

// The kernels of one instruction set.
template <typename T>
struct GemmKernels {
  int64_t columns;  // two vectors
  int64_t rows;     // of `full`; small problems take fewer rows at a time
  PanelKernel<T> full, four, one;
  // The sum of a[i] * b[i] for i in [0, count), in kGemmDotLanes partial sums.
  T (*dot)(int64_t count, const T* a, const T* b);
};

}  // namespace xla::kernels
#endif  // XLA_KERNELS_GEMM_CC_

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T, int kRows>
void MultiplyPanel(int64_t depth, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                   T* HWY_RESTRICT c, int64_t ldc) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(d)>;
  V sum[kRows][2];
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  for (int64_t k = 0; k < depth; ++k) {
    const V b0 = hn::Load(d, b), b1 = hn::Load(d, b + kLanes);
    // Not MulAdd, which would round once on some machines and twice on others.
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, a[r]);
      sum[r][0] = hn::Add(sum[r][0], hn::Mul(factor, b0));
      sum[r][1] = hn::Add(sum[r][1], hn::Mul(factor, b1));
    }
    a += kRows;
    b += 2 * kLanes;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    T* row = c + r * ldc;
    hn::Store(hn::Add(hn::Load(d, row), sum[r][0]), d, row);
    hn::Store(hn::Add(hn::Load(d, row + kLanes), sum[r][1]), d, row + kLanes);
  }
}

template <typename T>
T DotProduct(int64_t count, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b) {
  if (count < 2 * kGemmDotLanes) {
    T sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
  }
  const hn::CappedTag<T, kGemmDotLanes> d;
  constexpr int64_t kLanes = hn::MaxLanes(d), kVectors = kGemmDotLanes / kLanes;
  using V = hn::Vec<decltype(d)>;
  V sums[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  int64_t i = 0;
  for (; i + kGemmDotLanes <= count; i += kGemmDotLanes) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t at = i + v * kLanes;
      sums[v] = hn::Add(sums[v], hn::Mul(hn::LoadU(d, a + at), hn::LoadU(d, b + at)));
    }
  }
  T lanes[kGemmDotLanes];
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, lanes + v * kLanes);
  for (int64_t l = 0; i < count; ++i, ++l) lanes[l] += a[i] * b[i];
  for (int64_t width = kGemmDotLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) lanes[l] += lanes[l + width];
  }
  return lanes[0];
}

// Chooses as many rows as leave registers for two vectors of B and a broadcast element of A: of 32
// registers with AVX-512 and on AArch64, of 16 otherwise.
template <typename T>
GemmKernels<T> KernelsOf() {
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
  constexpr int kRows = 8;
#elif HWY_TARGET == HWY_AVX2
  constexpr int kRows = 6;
#else
  constexpr int kRows = 4;
#endif
  return {2 * hn::MaxLanes(hn::ScalableTag<T>()),
          kRows,
          MultiplyPanel<T, kRows>,
          MultiplyPanel<T, 4>,
          MultiplyPanel<T, 1>,
          DotProduct<T>};
}

GemmKernels<float> KernelsF32() { return KernelsOf<float>(); }
GemmKernels<double> KernelsF64() { return KernelsOf<double>(); }
GemmKernels<uint32_t> KernelsU32() { return KernelsOf<uint32_t>(); }
GemmKernels<uint64_t> KernelsU64() { return KernelsOf<uint64_t>(); }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(KernelsF32);
HWY_EXPORT(KernelsF64);
HWY_EXPORT(KernelsU32);
HWY_EXPORT(KernelsU64);

template <typename T>
GemmKernels<T> ChooseKernels() {
  if constexpr (std::is_same_v<T, float>) {
    return HWY_DYNAMIC_DISPATCH(KernelsF32)();
  } else if constexpr (std::is_same_v<T, double>) {
    return HWY_DYNAMIC_DISPATCH(KernelsF64)();
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return HWY_DYNAMIC_DISPATCH(KernelsU32)();
  } else {
    return HWY_DYNAMIC_DISPATCH(KernelsU64)();
  }
}

// How a problem is divided: blocks of C are independent tasks.
struct Blocking {
  int64_t rows_per_panel, columns_per_panel;
  int64_t block_m, block_n;
  int64_t blocks_m, blocks_n;
};

template <typename T>
Blocking ChooseBlocking(const GemmProblem<T>& problem, const GemmKernels<T>& kernels) {
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

constexpr double kNanosecondsPerProduct = 0.04, kNanosecondsPerPacked = 2;

// Computes one block of C: rows [row, row + rows) and columns [column, column + columns) of problem
// `batch`.
template <typename T>
absl::Status RunBlock(Context& context, const GemmProblem<T>& problem,
                      const GemmKernels<T>& kernels, const Blocking& blocking, int64_t batch,
                      int64_t row, int64_t column, WorkMeter& meter) {
  const int64_t rows = std::min(blocking.block_m, problem.m - row);
  const int64_t columns = std::min(blocking.block_n, problem.n - column);
  const int64_t mr = blocking.rows_per_panel, nr = blocking.columns_per_panel;
  const int64_t padded_rows = RoundUpTo(rows, mr), padded_columns = RoundUpTo(columns, nr);
  const int64_t depth_limit = std::min(problem.k, kGemmBlockK);
  const PanelKernel<T> kernel = mr == 1              ? kernels.one
                                : mr == kernels.rows ? kernels.full
                                                     : kernels.four;

  // C and B start on vectors: padded_columns is a multiple of two of them. The small panel of A
  // comes last.
  const int64_t c_elements = padded_rows * padded_columns,
                b_elements = depth_limit * padded_columns;
  XLA_ASSIGN_OR_RETURN(const ScratchArray<T> scratch,
                       AllocateArray<T>(context, c_elements + b_elements + depth_limit * mr));
  T* c = scratch.data();
  T* b = c + c_elements;
  T* a = b + b_elements;
  std::memset(c, 0, c_elements * sizeof(T));

  for (int64_t k0 = 0; k0 < problem.k; k0 += kGemmBlockK) {
    const int64_t depth = std::min(kGemmBlockK, problem.k - k0);
    XLA_RETURN_IF_ERROR(
        meter.Add(static_cast<double>(depth) *
                  (kNanosecondsPerProduct * static_cast<double>(padded_rows * padded_columns) +
                   kNanosecondsPerPacked * static_cast<double>(padded_rows + padded_columns))));
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

// Results of few elements, for which panels would be mostly padding.
constexpr int64_t kDotLines = 8;

template <typename T>
absl::Status RunDots(const GemmProblem<T>& problem, const GemmKernels<T>& kernels, int64_t batch,
                     WorkMeter& meter) {
  T a[kDotLines][kGemmBlockK], b[kDotLines][kGemmBlockK];
  T c[kDotLines][kDotLines] = {};
  const double cost_per_k = static_cast<double>(problem.m + problem.n);
  for (int64_t k0 = 0; k0 < problem.k; k0 += kGemmBlockK) {
    const int64_t depth = std::min(kGemmBlockK, problem.k - k0);
    XLA_RETURN_IF_ERROR(meter.Add(cost_per_k * static_cast<double>(depth)));
    for (int64_t i = 0; i < problem.m; ++i) problem.pack_rows(batch, i, 1, k0, depth, 1, a[i]);
    for (int64_t j = 0; j < problem.n; ++j) problem.pack_columns(batch, j, 1, k0, depth, 1, b[j]);
    for (int64_t i = 0; i < problem.m; ++i) {
      for (int64_t j = 0; j < problem.n; ++j) c[i][j] += kernels.dot(depth, a[i], b[j]);
    }
  }
  for (int64_t i = 0; i < problem.m; ++i) problem.store(batch, i, 0, problem.n, c[i]);
  return absl::OkStatus();
}

}  // namespace

template <typename T>
absl::Status RunGemm(Context& context, const GemmProblem<T>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return absl::OkStatus();
  const GemmKernels<T> kernels = ChooseKernels<T>();
  if (problem.m < kDotLines && problem.n < kDotLines) {
    const double cost =
        50 + static_cast<double>(problem.m + problem.n) * (static_cast<double>(problem.k) + 20);
    return context.ParallelFor(problem.batch, ChunkFor(problem.batch, cost),
                               [&](int64_t begin, int64_t end) -> absl::Status {
                                 WorkMeter meter(context);
                                 for (int64_t i = begin; i < end; ++i) {
                                   XLA_RETURN_IF_ERROR(RunDots(problem, kernels, i, meter));
                                 }
                                 return absl::OkStatus();
                               });
  }
  const Blocking blocking = ChooseBlocking(problem, kernels);
  const int64_t blocks = blocking.blocks_m * blocking.blocks_n;
  const double cost = 500 + kNanosecondsPerProduct * static_cast<double>(blocking.block_m) *
                                static_cast<double>(blocking.block_n) *
                                static_cast<double>(problem.k);
  return context.ParallelFor(
      problem.batch * blocks, ChunkFor(problem.batch * blocks, cost),
      [&](int64_t begin, int64_t end) -> absl::Status {
        WorkMeter meter(context);
        for (int64_t task = begin; task < end; ++task) {
          const int64_t block = task % blocks;
          XLA_RETURN_IF_ERROR(RunBlock(context, problem, kernels, blocking, task / blocks,
                                       block / blocking.blocks_n * blocking.block_m,
                                       block % blocking.blocks_n * blocking.block_n, meter));
        }
        return absl::OkStatus();
      });
}

template absl::Status RunGemm<float>(Context&, const GemmProblem<float>&);
template absl::Status RunGemm<double>(Context&, const GemmProblem<double>&);
template absl::Status RunGemm<uint32_t>(Context&, const GemmProblem<uint32_t>&);
template absl::Status RunGemm<uint64_t>(Context&, const GemmProblem<uint64_t>&);

}  // namespace xla::kernels
#endif  // HWY_ONCE
