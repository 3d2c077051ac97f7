// SPDX-License-Identifier: Apache-2.0
// gtsv: tridiagonal systems by elimination with exchanges of rows; tridiagonal_solve_perturbed: the
// same for matrices that may be singular, whose small pivots are moved away from zero (LAPACK's
// lagtf and lagts).
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"

namespace xla::lapack {
namespace {

// The norm that pivots are chosen by: without a square root.
template <typename T>
RealOf<T> Magnitude(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

template <typename T>
T Product(const T& a, const T& b) {
  if constexpr (kIsComplex<T>) {
    // Without the special cases of infinities.
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

// Rows of right-hand sides.
template <typename T>
struct Rows {
  T* data;
  int64_t columns, row_stride, column_stride;
  T& At(int64_t i, int64_t c) const { return data[i * row_stride + c * column_stride]; }
  // Row i becomes row j, and j the old one of i less the multiple of the new.
  void ExchangeAndSubtract(int64_t i, int64_t j, const T& factor) const {
    for (int64_t c = 0; c < columns; ++c) {
      const T old = At(i, c);
      At(i, c) = At(j, c);
      At(j, c) = old - Product(factor, At(i, c));
    }
  }
  void Subtract(int64_t from, const T& factor, int64_t row) const {
    for (int64_t c = 0; c < columns; ++c) At(from, c) -= Product(factor, At(row, c));
  }
};

// `dl` and `du` have n - 1 elements: they become the second and first diagonal above that of U.
// Returns the number of the first zero pivot, from 1; 0 if there is none.
template <typename T>
Int Solve(int64_t n, T* dl, T* d, T* du, const Rows<T>& b) {
  StopPoll should_stop(b.columns + 4);
  for (int64_t i = 0; i + 1 < n; ++i) {
    if (should_stop()) return 0;
    const bool is_last = i + 2 == n;
    if (dl[i] == T{0}) {
      if (d[i] == T{0}) return static_cast<Int>(i + 1);
    } else if (Magnitude(d[i]) >= Magnitude(dl[i])) {
      const T factor = dl[i] / d[i];
      d[i + 1] -= Product(factor, du[i]);
      b.Subtract(i + 1, factor, i);
      if (!is_last) dl[i] = T{0};
    } else {
      const T factor = d[i] / dl[i];
      d[i] = dl[i];
      const T below = d[i + 1];
      d[i + 1] = du[i] - Product(factor, below);
      if (!is_last) {
        dl[i] = du[i + 1];
        du[i + 1] = -Product(factor, dl[i]);
      }
      du[i] = below;
      b.ExchangeAndSubtract(i, i + 1, factor);
    }
  }
  if (d[n - 1] == T{0}) return static_cast<Int>(n);
  for (int64_t i = n - 1; i >= 0; --i) {
    if (should_stop()) return 0;
    for (int64_t c = 0; c < b.columns; ++c) {
      T x = b.At(i, c);
      if (i + 1 < n) x -= Product(du[i], b.At(i + 1, c));
      if (i + 2 < n) x -= Product(dl[i], b.At(i + 2, c));
      b.At(i, c) = x / d[i];
    }
  }
  return 0;
}

template <typename T>
class Gtsv final : public BatchKernel {
 public:
  Gtsv(int64_t count, const Matrices& b, const Matrices& out)
      : BatchKernel(count,
                    100 + static_cast<double>(b.rows) * (20 + 4 * static_cast<double>(b.columns)),
                    0),
        b_(b),
        out_(out) {}

 private:
  // Buffers: dl, d, du, b; then the same, and info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char*) const override {
    const int64_t n = b_.rows;
    for (int64_t i = begin; i < end; ++i) {
      T* diagonals[3];
      for (int64_t k = 0; k < 3; ++k) {
        diagonals[k] = Output<T>(buffers, 4 + k, i * n);
        const T* const in = Input<T>(buffers, k, i * n);
        if (n > 0) std::memmove(diagonals[k], in, static_cast<size_t>(n) * sizeof(T));
      }
      CopyMatrix(b_, Input<T>(buffers, 3, i * b_.size()), out_,
                 Output<T>(buffers, 7, i * out_.size()));
      const Rows<T> rows = {Output<T>(buffers, 7, i * out_.size()), out_.columns, out_.row_stride,
                            out_.column_stride};
      // The first element of dl is not one of the matrix.
      *Output<Int>(buffers, 8, i) =
          n == 0 ? 0 : Solve(n, diagonals[0] + 1, diagonals[1], diagonals[2], rows);
    }
  }

  const Matrices b_, out_;
};

// --- Of matrices that may be singular.

// Moves the pivot away from zero until a right-hand side can be divided by it without overflow, or
// scales both.
template <typename T>
void Perturb(RealOf<T> by, T& pivot, const Rows<T>& b, int64_t row) {
  using Real = RealOf<T>;
  constexpr Real kSafe = std::numeric_limits<Real>::min(), kBig = 1 / kSafe;
  Real size = std::abs(pivot);
  if (!(size < 1)) return;
  by = std::copysign(std::max(std::abs(by), kSafe), std::real(pivot));
  Real largest = 0;
  for (int64_t c = 0; c < b.columns; ++c) largest = std::max(largest, std::abs(b.At(row, c)));
  while (size < 1) {
    if (size < kSafe && size != 0 && largest * kSafe <= size) {
      pivot *= kBig;
      for (int64_t c = 0; c < b.columns; ++c) b.At(row, c) *= kBig;
      return;
    }
    if (size >= kSafe && !(largest > size * kBig)) return;
    pivot += by;
    by *= 2;
    size = std::abs(pivot);
  }
}

// `d`, `du` and `second` become the diagonals of U; `b` the solutions.
template <typename T>
void SolvePerturbed(int64_t n, const T* dl, T* d, T* du, T* second, const Rows<T>& b) {
  using Real = RealOf<T>;
  StopPoll should_stop(b.columns + 8);
  Real scale = std::abs(d[0]) + (n > 1 ? std::abs(du[0]) : Real{0});
  for (int64_t k = 0; k + 1 < n; ++k) {
    if (should_stop()) return;
    const bool is_last = k + 2 == n;
    const T below = dl[k + 1];
    second[k] = T{0};
    const Real next =
        std::abs(below) + std::abs(d[k + 1]) + (is_last ? Real{0} : std::abs(du[k + 1]));
    const Real here = d[k] == T{0} ? Real{0} : std::abs(d[k]) / scale;
    if (below == T{0}) {
      scale = next;
    } else if (std::abs(below) / next <= here) {
      const T factor = below / d[k];
      d[k + 1] -= Product(factor, du[k]);
      b.Subtract(k + 1, factor, k);
      scale = next;
    } else {
      const T factor = d[k] / below;
      const T diagonal = d[k + 1];
      d[k] = below;
      d[k + 1] = du[k] - Product(factor, diagonal);
      du[k] = diagonal;
      if (!is_last) {
        second[k] = du[k + 1];
        du[k + 1] = -Product(factor, second[k]);
      }
      b.ExchangeAndSubtract(k, k + 1, factor);
      scale = std::abs(d[k + 1]) + (is_last ? Real{0} : std::abs(du[k + 1]));
    }
  }
  Real largest = 0;
  for (int64_t k = 0; k < n; ++k) {
    largest = std::max(largest, std::abs(d[k]));
    if (k + 1 < n) largest = std::max(largest, std::abs(du[k]));
    if (k + 2 < n) largest = std::max(largest, std::abs(second[k]));
  }
  const Real by = std::numeric_limits<Real>::epsilon() * largest;
  for (int64_t k = n - 1; k >= 0; --k) {
    if (should_stop()) return;
    if (k + 1 < n) b.Subtract(k, du[k], k + 1);
    if (k + 2 < n) b.Subtract(k, second[k], k + 2);
    T pivot = d[k];
    Perturb(by, pivot, b, k);
    for (int64_t c = 0; c < b.columns; ++c) b.At(k, c) /= pivot;
  }
}

template <typename T>
class PerturbedSolve final : public BatchKernel {
 public:
  PerturbedSolve(int64_t count, const Matrices& b, const Matrices& out)
      : BatchKernel(count,
                    100 + static_cast<double>(b.rows) * (40 + 4 * static_cast<double>(b.columns)),
                    3 * Arena::BytesOf<T>(b.rows)),
        b_(b),
        out_(out) {}

 private:
  // Buffers: dl, d, du, b, x.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const int64_t n = b_.rows;
    if (n == 0) return;
    Arena arena(scratch);
    T* const d = arena.Take<T>(n);
    T* const du = arena.Take<T>(n);
    T* const second = arena.Take<T>(n);
    for (int64_t i = begin; i < end; ++i) {
      T* const x = Output<T>(buffers, 4, i * out_.size());
      CopyMatrix(b_, Input<T>(buffers, 3, i * b_.size()), out_, x);
      std::copy_n(Input<T>(buffers, 1, i * n), n, d);
      std::copy_n(Input<T>(buffers, 2, i * n), n, du);
      SolvePerturbed(n, Input<T>(buffers, 0, i * n), d, du, second,
                     Rows<T>{x, out_.columns, out_.row_stride, out_.column_stride});
    }
  }

  const Matrices b_, out_;
};

// dl, d, du and b.
absl::Status ExpectSystems(const Signature& call, PrimitiveType type) {
  constexpr absl::string_view kNames[] = {"dl", "d", "du"};
  for (int64_t i = 0; i < 3; ++i)
    XLA_RETURN_IF_ERROR(call.ExpectOperand(i, kNames[i], type, {call.rows()}));
  return call.ExpectOperand(3, "b", type, {call.rows(), call.columns()});
}

template <typename T>
KernelOr MakePerturbed(Signature& call) {
  return std::make_unique<PerturbedSolve<T>>(call.count(), call.OperandMatrices(3),
                                             call.ResultMatrices(0));
}

}  // namespace

template <typename T>
KernelOr MakeGtsv(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(4, 5));
  XLA_RETURN_IF_ERROR(call.SetBatch(3));
  XLA_RETURN_IF_ERROR(ExpectSystems(call, kTypeOf<T>));
  constexpr absl::string_view kNames[] = {"dl", "d", "du"};
  for (int64_t i = 0; i < 3; ++i)
    XLA_RETURN_IF_ERROR(call.ExpectResult(i, kNames[i], kTypeOf<T>, {call.rows()}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(3, "x", kTypeOf<T>, {call.rows(), call.columns()}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(4, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  return std::make_unique<Gtsv<T>>(call.count(), call.OperandMatrices(3), call.ResultMatrices(3));
}

KernelOr MakePerturbedTridiagonalSolve(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(4, 1));
  XLA_RETURN_IF_ERROR(call.SetBatch(3));
  const PrimitiveType type = call.operand(3).element_type();
  XLA_RETURN_IF_ERROR(ExpectSystems(call, type));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "x", type, {call.rows(), call.columns()}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  switch (type) {
    case F32:
      return MakePerturbed<float>(call);
    case F64:
      return MakePerturbed<double>(call);
    case C64:
      return MakePerturbed<complex64>(call);
    case C128:
      return MakePerturbed<complex128>(call);
    default:
      return call.Error(absl::StrCat("operand 3 (b) is ", call.operand(3).ToString(),
                                     ": its type must be f32, f64, c64 or c128"));
  }
}

template KernelOr MakeGtsv<float>(Signature&);
template KernelOr MakeGtsv<double>(Signature&);
template KernelOr MakeGtsv<complex64>(Signature&);
template KernelOr MakeGtsv<complex128>(Signature&);

}  // namespace xla::lapack
