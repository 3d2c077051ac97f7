// SPDX-License-Identifier: Apache-2.0
// lasr of LAPACK, which applies sequences of plane rotations: most of the time of QR iterations for
// eigenvectors and singular vectors. The place of LAPACK's own, which goes through the whole matrix
// with each rotation. Here a part that the first cache holds goes through all rotations, and
// threads share the parts; every element is computed as there.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "xla/blas/blas_threads.h"
#include "xla/kernels/simd_targets.h"
#include "xla/lapack/fortran.h"

#ifndef XLA_LAPACK_PLANE_ROTATIONS_H_
#define XLA_LAPACK_PLANE_ROTATIONS_H_

namespace xla::lapack {

// Rotation k, of `count`, turns planes p(k) and q(k): of columns or rows of a matrix.
template <typename Real>
struct Rotations {
  int64_t count;
  char pivot;  // V: k and k + 1; T: 0 and k + 1; B: k and count
  bool is_forward;
  const Real* c;
  const Real* s;

  int64_t At(int64_t step) const { return is_forward ? step : count - 1 - step; }
  int64_t P(int64_t k) const { return pivot == 'T' ? 0 : k; }
  int64_t Q(int64_t k) const { return pivot == 'B' ? count : k + 1; }
};

}  // namespace xla::lapack

#endif  // XLA_LAPACK_PLANE_ROTATIONS_H_

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/lapack/plane_rotations.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::lapack {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns of `size` real numbers, `stride` apart: x and y become s y + c x and c y - s x.
template <typename Real>
void RotateColumns(const Rotations<Real>& r, Real* a, int64_t stride, int64_t size) {
  const hn::ScalableTag<Real> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t step = 0; step < r.count; ++step) {
    const int64_t k = r.At(step);
    const Real c = r.c[k], s = r.s[k];
    if (c == 1 && s == 0) continue;
    Real* const x = a + r.P(k) * stride;
    Real* const y = a + r.Q(k) * stride;
    const auto cs = hn::Set(d, c), ss = hn::Set(d, s);
    int64_t i = 0;
    for (; i + lanes <= size; i += lanes) {
      const auto old_x = hn::LoadU(d, x + i), old_y = hn::LoadU(d, y + i);
      hn::StoreU(hn::Sub(hn::Mul(cs, old_y), hn::Mul(ss, old_x)), d, y + i);
      hn::StoreU(hn::Add(hn::Mul(ss, old_y), hn::Mul(cs, old_x)), d, x + i);
    }
    for (; i < size; ++i) {
      const Real old_x = x[i], old_y = y[i];
      y[i] = c * old_y - s * old_x;
      x[i] = s * old_y + c * old_x;
    }
  }
}

void RotateColumnsF32(const Rotations<float>& r, float* a, int64_t stride, int64_t size) {
  RotateColumns(r, a, stride, size);
}
void RotateColumnsF64(const Rotations<double>& r, double* a, int64_t stride, int64_t size) {
  RotateColumns(r, a, stride, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::lapack
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::lapack {

HWY_EXPORT(RotateColumnsF32);
HWY_EXPORT(RotateColumnsF64);

namespace {

template <typename Real>
void CallRotateColumns(const Rotations<Real>& r, Real* a, int64_t stride, int64_t size) {
  if constexpr (std::is_same_v<Real, float>) {
    HWY_DYNAMIC_DISPATCH(RotateColumnsF32)(r, a, stride, size);
  } else {
    HWY_DYNAMIC_DISPATCH(RotateColumnsF64)(r, a, stride, size);
  }
}

// kWidth columns, whose rows turn: the rotations of one column depend on each other, those of
// several run side by side.
template <int kWidth, typename T, typename Real>
void RotateRows(const Rotations<Real>& r, T* a, int64_t lda) {
  for (int64_t step = 0; step < r.count; ++step) {
    const int64_t k = r.At(step), p = r.P(k), q = r.Q(k);
    const Real c = r.c[k], s = r.s[k];
    if (c == 1 && s == 0) continue;
#pragma GCC unroll 8
    for (int j = 0; j < kWidth; ++j) {
      T& x = a[j * lda + p];
      T& y = a[j * lda + q];
      const T old_x = x, old_y = y;
      y = c * old_y - s * old_x;
      x = s * old_y + c * old_x;
    }
  }
}

// Calls body(i) for i in [0, count), on threads if there is work for them: `items` numbers are
// turned in each call.
void RunParts(int64_t count, int64_t items, absl::FunctionRef<void(int64_t)> body) {
  constexpr int64_t kItemsOfTask = 1 << 16;
  blas::BlasThreads* const threads = blas::BlasThreads::Current();
  const int64_t together = std::max<int64_t>(1, kItemsOfTask / std::max<int64_t>(items, 1));
  if (threads == nullptr || count <= together) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  threads->Run((count + together - 1) / together, [&](int64_t task) {
    for (int64_t i = task * together; i < std::min(count, (task + 1) * together); ++i) body(i);
  });
}

template <typename T>
void Lasr(const char* side, const char* pivot, const char* direct, const Int* m, const Int* n,
          const RealOf<T>* c, const RealOf<T>* s, T* a, const Int* lda) {
  using Real = RealOf<T>;
  const auto upper = [](const char* option) { return static_cast<char>(*option & ~0x20); };
  const int64_t rows = *m, columns = *n, stride = *lda;
  const bool is_left = upper(side) == 'L';
  const int64_t planes = is_left ? rows : columns;
  if (rows <= 0 || columns <= 0 || planes < 2) return;
  const Rotations<Real> r = {planes - 1, upper(pivot), upper(direct) == 'F', c, s};
  constexpr int64_t kNumbers = kIsComplex<T> ? 2 : 1;
  if (is_left) {
    constexpr int kWidth = 8;
    RunParts((columns + kWidth - 1) / kWidth, kWidth * kNumbers * planes, [&](int64_t group) {
      const int64_t begin = group * kWidth, end = std::min<int64_t>(columns, begin + kWidth);
      if (end - begin == kWidth) return RotateRows<kWidth>(r, a + begin * stride, stride);
      for (int64_t j = begin; j < end; ++j) RotateRows<1>(r, a + j * stride, stride);
    });
    return;
  }
  // Numbers of a column that make a part: two columns at a time are in use.
  constexpr int64_t kSize = 256;
  const int64_t size = rows * kNumbers;
  RunParts((size + kSize - 1) / kSize, kSize * planes, [&](int64_t part) {
    const int64_t begin = part * kSize;
    CallRotateColumns<Real>(r, reinterpret_cast<Real*>(a) + begin, stride * kNumbers,
                            std::min(kSize, size - begin));
  });
}

}  // namespace
}  // namespace xla::lapack

extern "C" {
#define XYLEM_LASR(letter, T, R)                                                                   \
  __attribute__((visibility("hidden"))) void letter##lasr_(                                        \
      const char* side, const char* pivot, const char* direct, const int32_t* m, const int32_t* n, \
      const R* c, const R* s, T* a, const int32_t* lda, size_t, size_t, size_t) {                  \
    xla::lapack::Lasr<T>(side, pivot, direct, m, n, c, s, a, lda);                                 \
  }
XYLEM_LASR(s, float, float)
XYLEM_LASR(d, double, double)
XYLEM_LASR(c, xla::complex64, float)
XYLEM_LASR(z, xla::complex128, double)
#undef XYLEM_LASR
}  // extern "C"
#endif  // HWY_ONCE
