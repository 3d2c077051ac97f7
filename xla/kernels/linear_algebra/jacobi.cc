// SPDX-License-Identifier: Apache-2.0
// A round rotates rows and columns i and half + i for all i < half, so that elements [i, half + i]
// vanish, and then permutes rows and columns such that after 2 * half - 1 rounds each pair has been
// rotated once and all are back in their places.
#include "xla/kernels/linear_algebra/jacobi.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/kernels/linear_algebra/row_operations.h"
#include "xla/kernels/linear_algebra/split_complex_matrix.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Elements before and after each half that may be accessed.
constexpr int64_t kMargin = 16;

// Returns the index of a row or column of a matrix of size 2 * half after a round.
int64_t PlaceAfter(int64_t half, int64_t i) {
  if (half == 1 || i == 0) return i;
  if (i < half - 1) return i + 1;
  if (i == half - 1) return 2 * half - 1;
  return i == half ? 1 : i - 1;
}

// A matrix of 2 * half rows, each in two halves with margins around them.
struct HalvedMatrix {
  int64_t half;
  Planes<double> data;
  static int64_t Stride(int64_t half) { return 2 * half + 3 * kMargin; }
  static int64_t Count(int64_t half) { return 2 * half * Stride(half); }

  Halves<double> Row(int64_t i) const {
    const int64_t left = i * Stride(half) + kMargin;
    return {data.At(left), data.At(left + half + kMargin)};
  }
  Planes<double> At(int64_t i, int64_t j) const {
    const Halves<double> row = Row(i);
    return j < half ? row.left.At(j) : row.right.At(j - half);
  }
};

complex128 Get(const Planes<const double>& from) { return GetNumber(from, 0); }
void Set(const Planes<double>& to, complex128 value) { SetNumber(to, 0, value); }

class Solver {
 public:
  Solver(int64_t n, bool is_complex, double* memory)
      : n_(n), half_(CeilOfRatio<int64_t>(n, 2)), is_complex_(is_complex) {
    const int64_t count = HalvedMatrix::Count(half_);
    w_ = {half_, TakePlanes(&memory, count, is_complex)};
    next_ = {half_, TakePlanes(&memory, count, is_complex)};
    v_ = TakePlanes(&memory, 4 * half_ * half_, is_complex);
    cosines_ = TakePlanes(&memory, half_ + kMargin, false).re;
    sines_ = TakePlanes(&memory, half_ + kMargin, is_complex);
    firsts_ = TakePlanes(&memory, half_, false).re;
    seconds_ = TakePlanes(&memory, half_, false).re;
    rows_ = reinterpret_cast<int64_t*>(TakePlanes(&memory, 2 * half_, false).re);
    moved_ = reinterpret_cast<int64_t*>(TakePlanes(&memory, 2 * half_, false).re);
  }
  static int64_t Bytes(int64_t n, bool is_complex) {
    const int64_t half = CeilOfRatio<int64_t>(n, 2);
    return 8 * (PlaneCount(2 * HalvedMatrix::Count(half) + 4 * half * half + half + kMargin,
                           is_complex) +
                7 * half + kMargin);
  }

  void Load(const MatrixBatch& a, int64_t b, bool lower) {
    std::fill_n(w_.data.re, PlaneCount(2 * HalvedMatrix::Count(half_), is_complex_), 0.0);
    std::fill_n(v_.re, PlaneCount(4 * half_ * half_, is_complex_), 0.0);
    std::fill_n(cosines_, half_ + kMargin + PlaneCount(half_ + kMargin, is_complex_), 0.0);
    const int64_t bytes = primitive_util::ByteWidth(a.type);
    // Rows are loaded to the memory of the eigenvectors first.
    for (int64_t i = 0; i < n_; ++i) {
      LoadPlanes(a.type, static_cast<const char*>(a.data) + RowOffset(a, bytes, b, i), n_, v_);
      for (int64_t j = lower ? 0 : i; j < (lower ? i + 1 : n_); ++j) {
        const complex128 value = Get(v_.At(j));
        Set(w_.At(i, j), i == j ? value.real() : value);
        Set(w_.At(j, i), i == j ? value.real() : std::conj(value));
      }
    }
    std::fill_n(v_.re, PlaneCount(4 * half_ * half_, is_complex_), 0.0);
    for (int64_t i = 0; i < 2 * half_; ++i) {
      rows_[i] = i;
      v_.re[i * 2 * half_ + i] = 1;
    }
  }

  absl::Status Sweep(Context& context, const EighOptions& options) {
    WorkMeter meter(context);
    const double cost = 4 * static_cast<double>(half_) * (is_complex_ ? 4 : 1);
    for (int64_t sweep = 0; sweep < options.most_sweeps && !HasConverged(options.tolerance);
         ++sweep) {
      for (int64_t round = 0; round < 2 * half_ - 1; ++round) {
        ChooseRotations();
        XLA_RETURN_IF_ERROR(context.ParallelFor(half_, ChunkFor(half_, cost),
                                                [&](int64_t begin, int64_t end) -> absl::Status {
                                                  for (int64_t i = begin; i < end; ++i)
                                                    RotatePair(i);
                                                  return absl::OkStatus();
                                                }));
        XLA_RETURN_IF_ERROR(meter.Add(cost * static_cast<double>(half_)));
        std::swap(w_, next_);
        for (int64_t i = 0; i < 2 * half_; ++i) moved_[PlaceAfter(half_, i)] = rows_[i];
        std::swap(rows_, moved_);
      }
    }
    return absl::OkStatus();
  }

  // Eigenvector k is column k of the result: row k of the product of rotations, conjugated.
  void Store(const MatrixBatch& a, int64_t b, bool sorts, void* vectors, PrimitiveType value_type,
             void* values) {
    int64_t* const order = moved_;
    for (int64_t i = 0; i < n_; ++i) order[i] = i;
    const auto value = [&](int64_t i) { return *w_.At(i, i).re; };
    if (sorts) {
      // NaN last.
      std::sort(order, order + n_, [&](int64_t i, int64_t j) {
        const double x = value(i), y = value(j);
        if (x < y || x > y) return x < y;
        return std::isnan(x) != std::isnan(y) ? std::isnan(y) : i < j;
      });
    }
    double* const row_values = next_.data.re;
    for (int64_t i = 0; i < n_; ++i) row_values[i] = value(order[i]);
    StorePlanes(value_type, {row_values, nullptr}, n_,
                static_cast<char*>(values) + b * n_ * primitive_util::ByteWidth(value_type));
    const int64_t bytes = primitive_util::ByteWidth(a.type);
    const Planes<double> row = next_.data;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t k = 0; k < n_; ++k)
        Set(row.At(k), std::conj(Get(v_.At(rows_[order[k]] * 2 * half_ + i))));
      StorePlanes(a.type, row, n_, static_cast<char*>(vectors) + RowOffset(a, bytes, b, i));
    }
  }

 private:
  bool HasConverged(double tolerance) const {
    double all = 0, diagonal = 0, others = 0;
    for (int64_t i = 0; i < 2 * half_; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < 2 * half_; ++j) {
        const complex128 x = Get(w_.At(i, j));
        const double square = x.real() * x.real() + x.imag() * x.imag();
        if (i == j) {
          diagonal += square;
        } else {
          sum += square;
        }
      }
      others += sum;
    }
    all = diagonal + others;
    // NaN ends the iteration, too.
    return !(all * tolerance * tolerance < others);
  }

  // Chooses the rotations that diagonalize [[w(i, i), w(i, half + i)], [.., w(half + i, half +
  // i)]].
  void ChooseRotations() {
    for (int64_t i = 0; i < half_; ++i) {
      const Halves<double> top = w_.Row(i), bottom = w_.Row(half_ + i);
      const double a = top.left.re[i], d = bottom.right.re[i];
      const complex128 off = Get(top.right.At(i));
      double b = off.real();
      complex128 turn = 1;
      if (is_complex_) {
        b = std::sqrt(off.real() * off.real() + off.imag() * off.imag());
        if (b != 0) turn = {off.real() / b, -off.imag() / b};
      }
      const double tau = (d - a) / (2 * b);
      const double root = std::sqrt(1 + tau * tau);
      double t = 1 / (tau + (tau >= 0 ? root : -root));
      constexpr double kTiny = 0.1 * std::numeric_limits<double>::epsilon();
      if (std::abs(b) <= kTiny * std::min(std::abs(a), std::abs(d))) t = 0;
      const double c = 1 / std::sqrt(1 + t * t), s = t * c;
      cosines_[i] = c;
      sines_.re[i] = s * turn.real();
      if (is_complex_) sines_.im[i] = s * turn.imag();
      firsts_[i] = a - t * b;
      seconds_[i] = d + t * b;
    }
  }

  void RotatePair(int64_t i) {
    const Rotation rotation = {cosines_[i], sines_.re[i], is_complex_ ? sines_.im[i] : 0};
    const int64_t top = PlaceAfter(half_, i), bottom = PlaceAfter(half_, half_ + i);
    const Halves<double> x = w_.Row(i), y = w_.Row(half_ + i);
    const Halves<double> to_x = next_.Row(top), to_y = next_.Row(bottom);
    // The elements at the ends of halves move differently from their neighbors: half a row is
    // shifted, except for its first or last element.
    RotateHalves(rotation, half_, cosines_, sines_, {x.left, x.right}, {y.left, y.right}, to_x,
                 to_y);
    for (const Halves<double>& row : {to_x, to_y}) PlaceEnds(row);
    Set(next_.At(top, PlaceAfter(half_, i)), firsts_[i]);
    Set(next_.At(top, PlaceAfter(half_, half_ + i)), 0);
    Set(next_.At(bottom, PlaceAfter(half_, i)), 0);
    Set(next_.At(bottom, PlaceAfter(half_, half_ + i)), seconds_[i]);
    const int64_t size = 2 * half_;
    RotateRows(rotation, size, v_.At(rows_[i] * size), v_.At(rows_[half_ + i] * size));
  }

  // Left elements have been stored one place late and right ones one place early: the first left
  // one stays, the first right one becomes the second left one and the last left one the last right
  // one.
  void PlaceEnds(const Halves<double>& row) const {
    const complex128 first = Get(row.left.At(1)), last = Get(row.left.At(half_)),
                     second = Get(row.right.At(-1));
    Set(row.left, first);
    if (half_ == 1) {
      Set(row.right, second);
      return;
    }
    Set(row.left.At(1), second);
    Set(row.right.At(half_ - 1), last);
  }

  const int64_t n_, half_;
  const bool is_complex_;
  HalvedMatrix w_, next_;
  Planes<double> v_;  // rows of the product of rotations; that of row i of w_ is rows_[i]
  double* cosines_;
  Planes<double> sines_;
  double *firsts_, *seconds_;  // eigenvalues of the pairs
  int64_t *rows_, *moved_;
};

}  // namespace

bool SharesRotations(const MatrixBatch& a) {
  constexpr int64_t kManyMatrices = 8, kLarge = 192;
  return a.count < kManyMatrices && a.rows >= kLarge;
}

int64_t EigenBytes(const MatrixBatch& a) {
  return Solver::Bytes(a.rows, primitive_util::IsComplexType(a.type));
}

absl::Status HermitianEigen(Context& context, const EighOptions& options, const MatrixBatch& a,
                            void* vectors, void* values) {
  if (a.count == 0 || a.rows == 0) return absl::OkStatus();
  const bool is_complex = primitive_util::IsComplexType(a.type);
  const PrimitiveType value_type =
      is_complex ? primitive_util::ComplexComponentType(a.type) : a.type;
  const double size = static_cast<double>(a.rows);
  return ForEachMatrix(context,
                       {a.count, SharesRotations(a), 10 * size * size * size, EigenBytes(a)},
                       [&](Context& inner, int64_t b, double* memory) -> absl::Status {
                         Solver solver(a.rows, is_complex, memory);
                         solver.Load(a, b, options.lower);
                         if (a.rows > 1) XLA_RETURN_IF_ERROR(solver.Sweep(inner, options));
                         solver.Store(a, b, options.sorts, vectors, value_type, values);
                         return absl::OkStatus();
                       });
}

}  // namespace xla::kernels
