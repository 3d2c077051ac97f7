// SPDX-License-Identifier: Apache-2.0
// Panels are reduced column by column; the reflections of a panel are then applied to blocks of the
// other columns, which are independent.
#include "xla/kernels/linear_algebra/householder.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "xla/base/status_macros.h"
#include "xla/kernels/linear_algebra/row_operations.h"
#include "xla/kernels/linear_algebra/split_complex_matrix.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

constexpr int64_t kPanel = 32, kColumns = 64;

using Matrix = PlaneMatrix;

complex128 Product(complex128 a, complex128 b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Reflections that are applied together: vectors from element k on, in order of application, each
// with the factor of v v^H.
struct Group {
  VectorGroup v;
  complex128 factors[kMostVectors];
};

// products[j][l] = v[j]^H v[l] for l < j.
template <bool kComplex>
void MultiplyVectors(int64_t rows, const VectorGroup& v,
                     complex128 (&products)[kMostVectors][kMostVectors]) {
  double re[kMostVectors][kMostVectors] = {}, im[kMostVectors][kMostVectors] = {};
  for (int64_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int64_t j = 1; j < kMostVectors; ++j) {
      const double x = v.data.re[j * v.stride + i], y = kComplex ? v.data.im[j * v.stride + i] : 0;
#pragma GCC unroll 4
      for (int64_t l = 0; l < j; ++l) {
        const double z = v.data.re[l * v.stride + i];
        re[j][l] += x * z;
        if (!kComplex) continue;
        const double w = v.data.im[l * v.stride + i];
        re[j][l] += y * w;
        im[j][l] += x * w - y * z;
      }
    }
  }
  for (int64_t j = 1; j < kMostVectors; ++j) {
    for (int64_t l = 0; l < j; ++l) products[j][l] = {re[j][l], im[j][l]};
  }
}

// Applies the reflections of the group to columns [first, end) of rows [k, rows) of `a`. `work` has
// kMostVectors * kColumns elements.
void Reflect(const Matrix& a, int64_t k, const Group& group, int64_t first, int64_t end,
             const Planes<double>& work) {
  if (first >= end) return;
  const int64_t rows = a.rows - k, columns = end - first, count = group.v.count;
  const Planes<double> block = a.At(k, first);
  ProjectRows({rows, columns, a.stride, block}, group.v, kColumns, work);
  // Each vector is applied to the result of those before it.
  complex128 products[kMostVectors][kMostVectors] = {};
  if (count > 1) {
    a.is_complex() ? MultiplyVectors<true>(rows, group.v, products)
                   : MultiplyVectors<false>(rows, group.v, products);
  }
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t c = 0; c < columns; ++c) {
      complex128 sum = GetNumber(work, j * kColumns + c);
      for (int64_t l = 0; l < j; ++l)
        sum -= Product(products[j][l], GetNumber(work, l * kColumns + c));
      SetNumber(work, j * kColumns + c, Product(group.factors[j], sum));
    }
  }
  SubtractProducts(group.v, kColumns, work, {rows, columns, a.stride, block});
}

// Computes the norm of numbers that are not negative, without overflow.
double NormOf(double x, double y, double z) {
  const double largest = std::max({x, y, z});
  x /= largest;
  y /= largest;
  z /= largest;
  return largest * std::sqrt(x * x + y * y + z * z);
}

// Reduces column k of `a` to zeros below the diagonal, by a reflection whose v (from element k on)
// goes to `v`. Returns tau.
complex128 MakeReflection(const Matrix& a, int64_t k, const Planes<double>& v) {
  const int64_t rows = a.rows - k;
  double sigma = 0;
  for (int64_t i = 1; i < rows; ++i) {
    const complex128 x = GetNumber(a.At(k + i, k), 0);
    SetNumber(v, i, x);
    sigma += x.real() * x.real() + x.imag() * x.imag();
  }
  SetNumber(v, 0, 1);
  const complex128 alpha = GetNumber(a.At(k, k), 0);
  if (sigma == 0 && alpha.imag() == 0) return 0;
  const double norm = NormOf(std::abs(alpha.real()), std::abs(alpha.imag()), std::sqrt(sigma));
  const double beta = alpha.real() < 0 ? norm : -norm;
  const complex128 divisor = alpha - beta;
  for (int64_t i = 1; i < rows; ++i) {
    const complex128 x = GetNumber(v, i);
    SetNumber(v, i, a.is_complex() ? x / divisor : complex128(x.real() / divisor.real()));
    SetNumber(a.At(k + i, k), 0, GetNumber(v, i));
  }
  SetNumber(a.At(k, k), 0, beta);
  return {(beta - alpha.real()) / beta, -alpha.imag() / beta};
}

double ReflectionCost(int64_t rows, int64_t columns) {
  return 20 + static_cast<double>(rows) * (1 + static_cast<double>(columns) * 0.5);
}

// The working memory of Reflect, for all blocks of columns and a panel.
constexpr int64_t kWorkOfBlock = kMostVectors * kColumns;
int64_t WorkCount(const MatrixBatch& a) {
  return (1 + CeilOfRatio(a.columns, kColumns)) * kWorkOfBlock;
}

double CostOf(const MatrixBatch& a) {
  return ReflectionCost(a.rows, a.columns) * static_cast<double>(std::min(a.rows, a.columns));
}

absl::Status FactorMatrix(Context& context, const Matrix& a, const Planes<double>& vs,
                          const Planes<double>& taus, const Planes<double>& work) {
  const int64_t p = std::min(a.rows, a.columns), v_stride = PlaneStride(a.rows);
  WorkMeter meter(context);
  for (int64_t panel = 0; panel < p; panel += kPanel) {
    const int64_t end = std::min(p, panel + kPanel),
                  panel_end = std::min(a.columns, panel + kPanel);
    for (int64_t k = panel; k < end; ++k) {
      XLA_RETURN_IF_ERROR(meter.Add(ReflectionCost(a.rows - k, panel_end - k)));
      // Groups need zeros before the first element.
      const Planes<double> v = vs.At((k - panel) * v_stride);
      for (int64_t i = panel; i < k; ++i) SetNumber(v, i, 0);
      const complex128 tau = MakeReflection(a, k, v.At(k));
      SetNumber(taus, k, tau);
      Reflect(a, k, {{1, v_stride, v.At(k)}, {std::conj(tau)}}, k + 1, panel_end, work);
    }
    const int64_t rest = a.columns - panel_end;
    XLA_RETURN_IF_ERROR(context.ParallelFor(
        CeilOfRatio(rest, kColumns), 1, [&](int64_t begin, int64_t finish) -> absl::Status {
          for (int64_t block = begin; block < finish; ++block) {
            const int64_t first = panel_end + block * kColumns;
            for (int64_t k = panel; k < end;) {
              const int64_t count = k + kMostVectors <= end ? kMostVectors : 1;
              Group group = {{count, v_stride, vs.At((k - panel) * v_stride + k)}, {}};
              for (int64_t j = 0; j < count; ++j)
                group.factors[j] = std::conj(GetNumber(taus, k + j));
              Reflect(a, k, group, first, std::min(a.columns, first + kColumns),
                      work.At((1 + block) * kWorkOfBlock));
              k += count;
            }
          }
          return absl::OkStatus();
        }));
  }
  return absl::OkStatus();
}

// Replaces columns [first, end) of `a`, which are those of the identity, by those of the product.
absl::Status MultiplyColumns(Context& context, const Matrix& a, int64_t p, int64_t first,
                             int64_t end, const Planes<const double>& vs,
                             const Planes<const double>& taus, const Planes<double>& work) {
  WorkMeter meter(context);
  const int64_t v_stride = PlaneStride(a.rows);
  // Reflections after a column leave it as it is.
  for (int64_t k = std::min(p, end); k > 0;) {
    const int64_t count = k >= kMostVectors ? kMostVectors : 1;
    k -= count;
    XLA_RETURN_IF_ERROR(meter.Add(ReflectionCost(a.rows - k, count * (end - first))));
    // The last is applied first.
    Group group = {{count, -v_stride, vs.At((k + count - 1) * v_stride + k)}, {}};
    for (int64_t j = 0; j < count; ++j) group.factors[j] = GetNumber(taus, k + count - 1 - j);
    Reflect(a, k, group, std::max(k, first), end, work);
  }
  return absl::OkStatus();
}

}  // namespace

bool SharesReflections(const MatrixBatch& a) {
  constexpr int64_t kManyMatrices = 8, kLarge = 192;
  return a.count < kManyMatrices && a.columns >= kLarge;
}

int64_t QrBytes(const MatrixBatch& a) {
  const int64_t p = std::min(a.rows, a.columns);
  return 8 * PlaneCount(
                 a.rows * PlaneStride(a.columns) + kPanel * PlaneStride(a.rows) + p + WorkCount(a),
                 primitive_util::IsComplexType(a.type));
}

absl::Status QrFactors(Context& context, const MatrixBatch& a, void* factors, void* taus) {
  const int64_t p = std::min(a.rows, a.columns);
  if (p == 0 || a.count == 0) return absl::OkStatus();
  const bool is_complex = primitive_util::IsComplexType(a.type);
  const int64_t tau_bytes = p * primitive_util::ByteWidth(a.type);
  return ForEachMatrix(
      context, {a.count, SharesReflections(a), CostOf(a), QrBytes(a)},
      [&](Context& inner, int64_t b, double* memory) -> absl::Status {
        WorkMeter meter(inner);
        const Matrix matrix = TakeMatrix(&memory, a.rows, a.columns, is_complex);
        const Planes<double> vs = TakePlanes(&memory, kPanel * PlaneStride(a.rows), is_complex);
        const Planes<double> all_taus = TakePlanes(&memory, p, is_complex);
        XLA_RETURN_IF_ERROR(LoadMatrix(a, b, {}, matrix, {}, meter));
        XLA_RETURN_IF_ERROR(FactorMatrix(inner, matrix, vs, all_taus,
                                         TakePlanes(&memory, WorkCount(a), is_complex)));
        XLA_RETURN_IF_ERROR(StoreMatrix(a, b, {}, matrix, {}, factors, meter));
        StorePlanes(a.type, all_taus, p, static_cast<char*>(taus) + b * tau_bytes);
        return absl::OkStatus();
      });
}

int64_t HouseholderProductBytes(const MatrixBatch& a, int64_t p) {
  return 8 *
         PlaneCount(a.rows * PlaneStride(a.columns) + p * PlaneStride(a.rows) + p + WorkCount(a),
                    primitive_util::IsComplexType(a.type));
}

absl::Status HouseholderProduct(Context& context, const MatrixBatch& a, int64_t p, const void* taus,
                                void* result) {
  if (a.rows == 0 || a.columns == 0 || a.count == 0) return absl::OkStatus();
  const int64_t v_stride = PlaneStride(a.rows);
  const bool is_complex = primitive_util::IsComplexType(a.type);
  const int64_t tau_bytes = p * primitive_util::ByteWidth(a.type);
  return ForEachMatrix(
      context, {a.count, SharesReflections(a), CostOf(a), HouseholderProductBytes(a, p)},
      [&](Context& inner, int64_t b, double* memory) -> absl::Status {
        WorkMeter meter(inner);
        const Matrix matrix = TakeMatrix(&memory, a.rows, a.columns, is_complex);
        const Planes<double> vs = TakePlanes(&memory, p * v_stride, is_complex);
        const Planes<double> all_taus = TakePlanes(&memory, p, is_complex);
        const Planes<double> work = TakePlanes(&memory, WorkCount(a), is_complex);
        XLA_RETURN_IF_ERROR(LoadMatrix(a, b, {}, matrix, {}, meter));
        LoadPlanes(a.type, static_cast<const char*>(taus) + b * tau_bytes, p, all_taus);
        for (int64_t i = 0; i < a.rows; ++i) {
          for (int64_t k = 0; k < std::min(i, p); ++k)
            SetNumber(vs.At(k * v_stride), i, GetNumber(matrix.At(i, k), 0));
          if (i < p) SetNumber(vs.At(i * v_stride), i, 1);
          for (int64_t k = i + 1; k < p; ++k) SetNumber(vs.At(k * v_stride), i, 0);
          for (int64_t j = 0; j < a.columns; ++j) SetNumber(matrix.At(i, j), 0, i == j ? 1 : 0);
        }
        XLA_RETURN_IF_ERROR(inner.ParallelFor(
            CeilOfRatio(a.columns, kColumns), 1, [&](int64_t begin, int64_t end) -> absl::Status {
              for (int64_t block = begin; block < end; ++block) {
                XLA_RETURN_IF_ERROR(MultiplyColumns(inner, matrix, p, block * kColumns,
                                                    std::min(a.columns, (block + 1) * kColumns), vs,
                                                    all_taus, work.At(block * kWorkOfBlock)));
              }
              return absl::OkStatus();
            }));
        XLA_RETURN_IF_ERROR(StoreMatrix(a, b, {}, matrix, {}, result, meter));
        return absl::OkStatus();
      });
}

}  // namespace xla::kernels
