// SPDX-License-Identifier: Apache-2.0
// syevd, heevd: eigenvalues and eigenvectors of symmetric and Hermitian matrices; sytrd, hetrd:
// their reduction to tridiagonal ones.
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"

namespace xla::lapack {
namespace {

// Twice the square of it is counted in 32 bits.
constexpr int64_t kMostRows = 30000;

struct EigenPlan {
  char uplo = 'L', mode = 'N';
  Matrices x, out;
  Int work = 0, real_work = 0, int_work = 0;
};

template <typename T>
Int Call(const EigenPlan& plan, Int n, T* a, RealOf<T>* values, T* work, Int work_count,
         RealOf<T>* real_work, Int real_work_count, Int* int_work, Int int_work_count) {
  Int info = 0;
  const Int lda = Leading(n);
  if constexpr (kIsComplex<T>) {
    Fortran<T>::heevd(&plan.mode, &plan.uplo, &n, a, &lda, values, work, &work_count, real_work,
                      &real_work_count, int_work, &int_work_count, &info, 1, 1);
  } else {
    (void)real_work, (void)real_work_count;
    Fortran<T>::heevd(&plan.mode, &plan.uplo, &n, a, &lda, values, work, &work_count, int_work,
                      &int_work_count, &info, 1, 1);
  }
  return info;
}

// Whether what is read of a matrix is finite: one triangle and, of its diagonal, the real parts.
template <typename T>
bool IsFiniteTriangle(char uplo, int64_t n, const T* columns) {
  for (int64_t j = 0; j < n; ++j) {
    const T* const column = columns + j * n;
    if (!std::isfinite(std::real(column[j]))) return false;
    if (!(uplo == 'L' ? AllFinite(column + j + 1, n - j - 1) : AllFinite(column, j))) return false;
  }
  return true;
}

template <typename T>
class Heevd final : public BatchKernel {
 public:
  Heevd(int64_t count, double cost, const EigenPlan& plan)
      : BatchKernel(count, cost,
                    Arena::BytesOf<T>(plan.x.size()) + Arena::BytesOf<T>(plan.work) +
                        Arena::BytesOf<RealOf<T>>(plan.real_work) +
                        Arena::BytesOf<Int>(plan.int_work)),
        plan_(plan) {}

 private:
  // Buffers: x, vectors, values, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Matrices &x = plan_.x, &out = plan_.out;
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x.size());
    T* const work = arena.Take<T>(plan_.work);
    RealOf<T>* const real_work = arena.Take<RealOf<T>>(plan_.real_work);
    Int* const int_work = arena.Take<Int>(plan_.int_work);
    const Int n = static_cast<Int>(x.rows);
    for (int64_t b = begin; b < end; ++b) {
      const T* const in = Input<T>(buffers, 0, b * x.matrix_stride);
      T* const vectors = Output<T>(buffers, 1, b * out.matrix_stride);
      RealOf<T>* const values = Output<RealOf<T>>(buffers, 2, b * n);
      Int& info = *Output<Int>(buffers, 3, b);
      T* const columns = out.is_column_major() ? vectors : copy;
      LoadColumns(x, in, columns);
      if (!IsFiniteTriangle(plan_.uplo, n, columns)) {
        info = kNotFinite;
        FillNan(vectors, out.size());
        FillNan(values, n);
        continue;
      }
      info = Call<T>(plan_, n, columns, values, work, plan_.work, real_work, plan_.real_work,
                     int_work, plan_.int_work);
      StoreColumns(out, columns, vectors);
    }
  }

  const EigenPlan plan_;
};

template <typename T>
class Hetrd final : public BatchKernel {
 public:
  Hetrd(int64_t count, double cost, char uplo, const Matrices& x, const Matrices& out, Int work)
      : BatchKernel(count, cost, Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work)),
        uplo_(uplo),
        x_(x),
        out_(out),
        work_(work) {}

 private:
  // Buffers: x, reflections, diagonal, off diagonal, taus, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    const Int n = static_cast<Int>(x_.rows);
    const int64_t others = std::max(n - 1, 0);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 1, b * out_.matrix_stride);
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int info = 0;
      if (n > 0) {
        Fortran<T>::hetrd(&uplo_, &n, columns, &n, Output<RealOf<T>>(buffers, 2, b * n),
                          Output<RealOf<T>>(buffers, 3, b * others),
                          Output<T>(buffers, 4, b * others), work, &work_, &info, 1);
      }
      StoreColumns(out_, columns, out);
      *Output<Int>(buffers, 5, b) = info;
    }
  }

  const char uplo_;
  const Matrices x_, out_;
  const Int work_;
};

}  // namespace

template <typename T>
KernelOr MakeHeevd(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 3));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  EigenPlan plan;
  XLA_ASSIGN_OR_RETURN(plan.uplo, call.Choice("uplo", "LU"));
  XLA_ASSIGN_OR_RETURN(plan.mode, call.Choice("mode", "NV"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t n = call.rows();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "vectors", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "values", kTypeOf<RealOf<T>>, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectAtMost(n, kMostRows));
  plan.x = call.OperandMatrices(0);
  plan.out = call.ResultMatrices(0);
  T size = 1;
  RealOf<T> real_size = 1;
  Int int_size = 1;
  (void)Call<T>(plan, static_cast<Int>(n), nullptr, nullptr, &size, -1, &real_size, -1, &int_size,
                -1);
  plan.work = WorkCount(size);
  plan.real_work = kIsComplex<T> ? WorkCount(real_size) : 0;
  plan.int_work = std::max(int_size, 1);
  const double work = static_cast<double>(n) * static_cast<double>(n);
  return std::make_unique<Heevd<T>>(call.count(), 1000 + work * (10 + static_cast<double>(n)),
                                    plan);
}

template <typename T>
KernelOr MakeHetrd(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 5));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  XLA_ASSIGN_OR_RETURN(const char uplo, call.Choice("uplo", "LU"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t n = call.rows(), others = std::max<int64_t>(n - 1, 0);
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "reflections", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "diagonal", kTypeOf<RealOf<T>>, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "off diagonal", kTypeOf<RealOf<T>>, {others}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(3, "taus", kTypeOf<T>, {others}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(4, "info", S32, {}));
  const Int order = static_cast<Int>(n), lda = Leading(n), query = -1;
  T size = 1;
  Int info = 0;
  Fortran<T>::hetrd(&uplo, &order, nullptr, &lda, nullptr, nullptr, nullptr, &size, &query, &info,
                    1);
  const double work = static_cast<double>(n) * static_cast<double>(n);
  return std::make_unique<Hetrd<T>>(call.count(), 500 + work * (8 + static_cast<double>(n) / 2),
                                    uplo, call.OperandMatrices(0), call.ResultMatrices(0),
                                    WorkCount(size));
}

template KernelOr MakeHeevd<float>(Signature&);
template KernelOr MakeHeevd<double>(Signature&);
template KernelOr MakeHeevd<complex64>(Signature&);
template KernelOr MakeHeevd<complex128>(Signature&);
template KernelOr MakeHetrd<float>(Signature&);
template KernelOr MakeHetrd<double>(Signature&);
template KernelOr MakeHetrd<complex64>(Signature&);
template KernelOr MakeHetrd<complex128>(Signature&);

}  // namespace xla::lapack
