// SPDX-License-Identifier: Apache-2.0
// Triangles for each instruction set: a few columns of X, one in each lane, are copied to rows of
// vectors, which stay in the first-level cache. Upper triangles are turned by 180 degrees, so that
// there is only substitution from the first row on.
#include "xla/blas/triangular_kernels.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/element_types.h"
#include "xla/blas/matrix.h"
#include "xla/kernels/movement/transpose.h"
#include "xla/kernels/simd_targets.h"
#include "xla/util.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/triangular_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Numbers of lanes, with real and imaginary parts apart.
template <typename T, class D>
struct Numbers {
  using V = hn::Vec<D>;

  // Constructors that the compiler adds would lack the instruction set that GCC wants them to have.
  HWY_INLINE Numbers() {}
  static HWY_INLINE Numbers Load(const Part<T>* re, int64_t plane) {
    Numbers result;
    result.re = hn::Load(D(), re);
    if constexpr (kIsComplex<T>) result.im = hn::Load(D(), re + plane);
    return result;
  }
  HWY_INLINE void Store(Part<T>* to, int64_t plane) const {
    hn::Store(re, D(), to);
    if constexpr (kIsComplex<T>) hn::Store(im, D(), to + plane);
  }
  // *this + sign * a * x; sign is 1 or -1.
  template <bool kSubtract>
  HWY_INLINE void AddProduct(const T& a, const Numbers& x) {
    const V a_re = hn::Set(D(), RealPart(a));
    re = MultiplyAdd<kSubtract>(a_re, x.re, re);
    if constexpr (kIsComplex<T>) {
      const V a_im = hn::Set(D(), a.imag());
      re = MultiplyAdd<!kSubtract>(a_im, x.im, re);
      im = MultiplyAdd<kSubtract>(a_re, x.im, im);
      im = MultiplyAdd<kSubtract>(a_im, x.re, im);
    }
  }
  HWY_INLINE Numbers Times(const T& a) const {
    Numbers result;
    const V a_re = hn::Set(D(), RealPart(a));
    result.re = hn::Mul(a_re, re);
    if constexpr (kIsComplex<T>) {
      const V a_im = hn::Set(D(), a.imag());
      result.re = hn::NegMulAdd(a_im, im, result.re);
      result.im = hn::MulAdd(a_im, re, hn::Mul(a_re, im));
    }
    return result;
  }
  HWY_INLINE Numbers DividedBy(const Divisor<T>& d) const {
    const V den = hn::Set(D(), d.den);
    Numbers result;
    if constexpr (kIsComplex<T>) {
      const V p = hn::Set(D(), d.p), q = hn::Set(D(), d.q);
      result.re = hn::Div(hn::MulAdd(re, p, hn::Mul(im, q)), den);
      result.im = hn::Div(hn::NegMulAdd(re, q, hn::Mul(im, p)), den);
    } else {
      result.re = hn::Div(re, den);
    }
    return result;
  }

  V re, im;

 private:
  template <bool kNegate>
  static HWY_INLINE V MultiplyAdd(V a, V b, V sum) {
    if constexpr (kNegate)
      return hn::NegMulAdd(a, b, sum);
    else
      return hn::MulAdd(a, b, sum);
  }
};

template <typename T>
using Lanes = Numbers<T, hn::ScalableTag<Part<T>>>;

// One number.
template <typename T>
struct Single : Numbers<T, hn::CappedTag<Part<T>, 1>> {
  using Base = Numbers<T, hn::CappedTag<Part<T>, 1>>;
  using D = hn::CappedTag<Part<T>, 1>;

  explicit HWY_INLINE Single(const Base& base) : Base(base) {}
  explicit HWY_INLINE Single(T value) {
    this->re = hn::Set(D(), RealPart(value));
    if constexpr (kIsComplex<T>) this->im = hn::Set(D(), value.imag());
  }
  HWY_INLINE T value() const {
    if constexpr (kIsComplex<T>) {
      return {hn::GetLane(this->re), hn::GetLane(this->im)};
    } else {
      return hn::GetLane(this->re);
    }
  }
};

template <typename T>
struct Block {
  static constexpr int kGroup = kIsComplex<T> ? 2 : 4;    // rows at a time
  static constexpr int kVectors = kIsComplex<T> ? 2 : 3;  // of columns
  static constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<Part<T>>());
  static constexpr int64_t kWidth = kVectors * kLanes;
  static constexpr int64_t kRows = kTriangleRows<T>;
  static constexpr int64_t kPlane = kRows * kWidth;

  // The triangle: for each group of rows, the columns up to its last one, kGroup elements each;
  // zero above the diagonal.
  T triangle[kRows * (kRows + kGroup)];
  T diagonal[kRows];
  alignas(64) Part<T> x[kParts<T> * kPlane];
};

// The offset of the first element of the group of rows from `row` on.
template <typename T>
constexpr int64_t GroupAt(int64_t row) {
  constexpr int64_t g = Block<T>::kGroup;
  // The groups before have g, 2 * g, ... columns of g elements.
  return g * g * (row / g) * (row / g + 1) / 2;
}

// Rows are a multiple of a group afterwards: those that are missing are those of an identity
// matrix.
template <typename T>
void PackTriangle(const Triangle<T>& a, int64_t rows, Block<T>& block) {
  constexpr int64_t g = Block<T>::kGroup;
  T* to = block.triangle;
  for (int64_t row = 0; row < rows; row += g) {
    for (int64_t k = 0; k < row + g; ++k) {
      for (int64_t r = row; r < row + g; ++r, ++to) {
        const bool inside = r < rows && k < r;
        *to = !inside ? T(0) : a.lower ? a.a(r, k) : a.a(rows - 1 - r, rows - 1 - k);
      }
    }
    for (int64_t r = row; r < row + g; ++r) {
      const int64_t at = a.lower ? r : rows - 1 - r;
      block.diagonal[r] = r >= rows || a.unit_diagonal ? T(1) : a.a(at, at);
    }
  }
}

// Copies `columns` columns of X to the block, or back.
template <typename T, bool kLoad>
HWY_INLINE void CopyElement(Part<T>* in_block, T* x) {
  using B = Block<T>;
  if constexpr (kIsComplex<T>) {
    if constexpr (kLoad) {
      in_block[0] = x->real();
      in_block[B::kPlane] = x->imag();
    } else {
      *x = {in_block[0], in_block[B::kPlane]};
    }
  } else if constexpr (kLoad) {
    *in_block = *x;
  } else {
    *x = *in_block;
  }
}
template <typename T, bool kLoad>
void CopyColumns(bool lower, int64_t rows, int64_t columns, const Matrix<T>& x, Block<T>& block) {
  using B = Block<T>;
  // Row i of X is row `first` + i * `step` of the block.
  const int64_t first = lower ? 0 : rows - 1, step = lower ? 1 : -1;
  if constexpr (!kIsComplex<T>) {
    if (x.row_stride == 1) {
      constexpr auto kTranspose = sizeof(T) == 4 ? &kernels::Transpose32 : &kernels::Transpose64;
      T* const in_block = block.x + first * B::kWidth;
      if (kLoad) {
        kTranspose(rows, columns, x.data, x.column_stride, in_block, step * B::kWidth);
      } else {
        kTranspose(columns, rows, in_block, step * B::kWidth, x.data, x.column_stride);
      }
      return;
    }
  }
  if (x.row_stride == 1) {
    for (int64_t l = 0; l < columns; ++l) {
      T* const column = x.At(0, l);
      for (int64_t i = 0; i < rows; ++i)
        CopyElement<T, kLoad>(block.x + (first + i * step) * B::kWidth + l, column + i);
    }
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      Part<T>* const to = block.x + (first + i * step) * B::kWidth;
      T* const row = x.At(i, 0);
      if (x.column_stride == 1) {
        for (int64_t l = 0; l < columns; ++l) CopyElement<T, kLoad>(to + l, row + l);
      } else {
        for (int64_t l = 0; l < columns; ++l)
          CopyElement<T, kLoad>(to + l, row + l * x.column_stride);
      }
    }
  }
}

template <typename T, int kVectors>
void SolveLanes(int64_t rows, bool unit_diagonal, Block<T>& block) {
  using B = Block<T>;
  using L = Lanes<T>;
  const T* a = block.triangle;
  for (int64_t row = 0; row < rows; row += B::kGroup) {
    L sum[B::kGroup][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < B::kGroup; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sum[r][v] = L::Load(block.x + (row + r) * B::kWidth + v * B::kLanes, B::kPlane);
    }
    for (int64_t k = 0; k < row; ++k, a += B::kGroup) {
      L x[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        x[v] = L::Load(block.x + k * B::kWidth + v * B::kLanes, B::kPlane);
#pragma GCC unroll 4
      for (int r = 0; r < B::kGroup; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[r][v].template AddProduct<true>(a[r], x[v]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < B::kGroup; ++r, a += B::kGroup) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        if (!unit_diagonal) sum[r][v] = sum[r][v].DividedBy(Divisor<T>(block.diagonal[row + r]));
        sum[r][v].Store(block.x + (row + r) * B::kWidth + v * B::kLanes, B::kPlane);
      }
#pragma GCC unroll 4
      for (int s = r + 1; s < B::kGroup; ++s) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[s][v].template AddProduct<true>(a[s], sum[r][v]);
      }
    }
  }
}

template <typename T, int kVectors>
void MultiplyLanes(int64_t rows, bool unit_diagonal, T alpha, Block<T>& block) {
  using B = Block<T>;
  using L = Lanes<T>;
  for (int64_t row = (rows - 1) / B::kGroup * B::kGroup; row >= 0; row -= B::kGroup) {
    const T* a = block.triangle + GroupAt<T>(row);
    L sum[B::kGroup][kVectors];
    // The diagonal first, then what is left of it.
#pragma GCC unroll 4
    for (int r = 0; r < B::kGroup; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sum[r][v] = L::Load(block.x + (row + r) * B::kWidth + v * B::kLanes, B::kPlane);
        if (!unit_diagonal) sum[r][v] = sum[r][v].Times(block.diagonal[row + r]);
      }
    }
    const T* within = a + row * B::kGroup;
#pragma GCC unroll 4
    for (int k = 0; k < B::kGroup - 1; ++k) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const L x = L::Load(block.x + (row + k) * B::kWidth + v * B::kLanes, B::kPlane);
#pragma GCC unroll 4
        for (int r = k + 1; r < B::kGroup; ++r)
          sum[r][v].template AddProduct<false>(within[k * B::kGroup + r], x);
      }
    }
    for (int64_t k = 0; k < row; ++k, a += B::kGroup) {
      L x[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        x[v] = L::Load(block.x + k * B::kWidth + v * B::kLanes, B::kPlane);
#pragma GCC unroll 4
      for (int r = 0; r < B::kGroup; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[r][v].template AddProduct<false>(a[r], x[v]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < B::kGroup; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        if (alpha != T(1)) sum[r][v] = sum[r][v].Times(alpha);
        sum[r][v].Store(block.x + (row + r) * B::kWidth + v * B::kLanes, B::kPlane);
      }
    }
  }
}

template <typename T>
void ScaleLanes(int64_t rows, T alpha, Block<T>& block) {
  using B = Block<T>;
  if (alpha == T(1)) return;
  for (int64_t i = 0; i < rows * B::kWidth; i += B::kLanes)
    Lanes<T>::Load(block.x + i, B::kPlane).Times(alpha).Store(block.x + i, B::kPlane);
}

// Clears columns of a row of the block.
template <typename T>
HWY_INLINE void ClearColumns(int64_t row, int64_t begin, int64_t end, Block<T>& block) {
  for (int64_t part = 0; part < kParts<T>; ++part) {
    Part<T>* const in_block = block.x + part * Block<T>::kPlane + row * Block<T>::kWidth;
    std::fill(in_block + begin, in_block + end, Part<T>(0));
  }
}

// Calls body(columns, vectors) for few columns at a time.
template <typename T, class Body>
HWY_INLINE void ForColumns(const Triangle<T>& a, int64_t rows, int64_t columns, const Matrix<T>& x,
                           const Body& body) {
  using B = Block<T>;
  B block;
  PackTriangle(a, rows, block);
  // Rows of the last group are solved for, too.
  for (int64_t i = rows; i < RoundUpTo(rows, int64_t{B::kGroup}); ++i)
    ClearColumns(i, 0, B::kWidth, block);
  for (int64_t l = 0; l < columns; l += B::kWidth) {
    const int64_t count = std::min(B::kWidth, columns - l);
    const int64_t width = count <= B::kLanes ? B::kLanes : B::kWidth;
    for (int64_t i = 0; count < width && i < rows; ++i) ClearColumns(i, count, width, block);
    CopyColumns<T, true>(a.lower, rows, count, x.From(0, l), block);
    body(block, count);
    CopyColumns<T, false>(a.lower, rows, count, x.From(0, l), block);
  }
}

// Triangles of so few rows are not copied. Bits are the same.
template <typename T>
HWY_INLINE bool IsSmall(int64_t rows, int64_t columns) {
  return rows * rows * columns * kParts<T> <= 128;
}

template <typename T>
void SolveInPlace(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                  const Matrix<T>& x) {
  for (int64_t step = 0; step < rows; ++step) {
    const int64_t i = a.lower ? step : rows - 1 - step;
    const Divisor<T> pivot(a.unit_diagonal ? T(1) : a.a(i, i));
    for (int64_t j = 0; j < columns; ++j) {
      Single<T> sum(*x.At(i, j));
      if (alpha != T(1)) sum = Single<T>(sum.Times(alpha));
      for (int64_t s = 0; s < step; ++s) {
        const int64_t k = a.lower ? s : rows - 1 - s;
        sum.template AddProduct<true>(a.a(i, k), Single<T>(*x.At(k, j)));
      }
      if (!a.unit_diagonal) sum = Single<T>(sum.DividedBy(pivot));
      *x.At(i, j) = sum.value();
    }
  }
}

template <typename T>
void MultiplyInPlace(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                     const Matrix<T>& x) {
  constexpr int64_t g = Block<T>::kGroup;
  for (int64_t step = rows - 1; step >= 0; --step) {
    const auto at = [&](int64_t k) { return a.lower ? k : rows - 1 - k; };
    const int64_t i = at(step), group = step / g * g;
    for (int64_t j = 0; j < columns; ++j) {
      Single<T> sum(*x.At(i, j));
      if (!a.unit_diagonal) sum = Single<T>(sum.Times(a.a(i, i)));
      for (int64_t k = group; k < step; ++k)
        sum.template AddProduct<false>(a.a(i, at(k)), Single<T>(*x.At(at(k), j)));
      for (int64_t k = 0; k < group; ++k)
        sum.template AddProduct<false>(a.a(i, at(k)), Single<T>(*x.At(at(k), j)));
      if (alpha != T(1)) sum = Single<T>(sum.Times(alpha));
      *x.At(i, j) = sum.value();
    }
  }
}

template <typename T>
void Solve(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha, const Matrix<T>& x) {
  using B = Block<T>;
  if (IsSmall<T>(rows, columns)) return SolveInPlace(a, rows, columns, alpha, x);
  ForColumns(a, rows, columns, x, [&](B& block, int64_t count) HWY_ATTR {
    ScaleLanes(rows, alpha, block);
    if (count <= B::kLanes) return SolveLanes<T, 1>(rows, a.unit_diagonal, block);
    SolveLanes<T, B::kVectors>(rows, a.unit_diagonal, block);
  });
}

template <typename T>
void Multiply(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha, const Matrix<T>& x) {
  using B = Block<T>;
  if (IsSmall<T>(rows, columns)) return MultiplyInPlace(a, rows, columns, alpha, x);
  ForColumns(a, rows, columns, x, [&](B& block, int64_t count) HWY_ATTR {
    if (count <= B::kLanes) return MultiplyLanes<T, 1>(rows, a.unit_diagonal, alpha, block);
    MultiplyLanes<T, B::kVectors>(rows, a.unit_diagonal, alpha, block);
  });
}

template <typename T>
TriangularKernels<T> KernelsOf() {
  return {&Solve<T>, &Multiply<T>};
}

const ForElementTypes<TriangularKernels>& AllKernels() {
  static const ForElementTypes<TriangularKernels> kAll = {KernelsOf<float>(), KernelsOf<double>(),
                                                          KernelsOf<std::complex<float>>(),
                                                          KernelsOf<std::complex<double>>()};
  return kAll;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xla::blas
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::blas {
namespace {

HWY_EXPORT(AllKernels);

}  // namespace

template <typename T>
const TriangularKernels<T>& GetTriangularKernels() {
  return std::get<TriangularKernels<T>>(HWY_DYNAMIC_DISPATCH(AllKernels)());
}
template const TriangularKernels<float>& GetTriangularKernels();
template const TriangularKernels<double>& GetTriangularKernels();
template const TriangularKernels<std::complex<float>>& GetTriangularKernels();
template const TriangularKernels<std::complex<double>>& GetTriangularKernels();

}  // namespace xla::blas
#endif  // HWY_ONCE
