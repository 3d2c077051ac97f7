// SPDX-License-Identifier: Apache-2.0
// geev: eigenvalues and eigenvectors; gees: Schur forms; gehrd: Hessenberg forms.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"

namespace xla::lapack {
namespace {

constexpr int64_t kMostRows = 30000;  // a multiple of its square is counted in 32 bits

double CostOf(int64_t n) {
  const double size = static_cast<double>(n);
  return 2000 + size * size * (20 + 4 * size);
}

// geev of real matrices gives complex vectors as pairs of real ones, one for two conjugate
// eigenvalues.
template <typename Real>
void UnpackVectors(const Matrices& m, const Real* imaginary_values, const Real* packed,
                   std::complex<Real>* out) {
  const int64_t n = m.rows;
  for (int64_t j = 0; j < n; ++j) {
    const Real* const re = packed + j * n;
    std::complex<Real>* const column = out + j * m.column_stride;
    // A pair at the very end that lost its second half, which there is not, is taken as real.
    if (imaginary_values[j] == 0 || j + 1 == n) {
      for (int64_t i = 0; i < n; ++i) column[i * m.row_stride] = re[i];
      continue;
    }
    const Real* const im = re + n;
    for (int64_t i = 0; i < n; ++i) {
      column[i * m.row_stride] = {re[i], im[i]};
      column[i * m.row_stride + m.column_stride] = {re[i], -im[i]};
    }
    ++j;
  }
}

struct GeevPlan {
  char left = 'N', right = 'N';
  Matrices x, left_out, right_out;
  Int work = 0;
};

template <typename T>
class Geev final : public BatchKernel {
 public:
  using Complex = std::complex<RealOf<T>>;

  Geev(int64_t count, const GeevPlan& plan)
      : BatchKernel(count, CostOf(plan.x.rows),
                    3 * Arena::BytesOf<T>(plan.x.size()) + Arena::BytesOf<T>(plan.work) +
                        Arena::BytesOf<RealOf<T>>(2 * plan.x.rows)),
        plan_(plan) {}

 private:
  // Buffers: x, values (real types: real parts, imaginary parts), left vectors, right vectors,
  // info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    constexpr int64_t kVectors = kIsComplex<T> ? 2 : 3;
    const Matrices& x = plan_.x;
    const Int n = static_cast<Int>(x.rows), lda = Leading(n);
    Arena arena(scratch);
    T* const a = arena.Take<T>(x.size());
    T* const left = arena.Take<T>(x.size());
    T* const right = arena.Take<T>(x.size());
    T* const work = arena.Take<T>(plan_.work);
    RealOf<T>* const real_work = arena.Take<RealOf<T>>(2 * n);
    for (int64_t b = begin; b < end; ++b) {
      const T* const in = Input<T>(buffers, 0, b * x.matrix_stride);
      T* const values = Output<T>(buffers, 1, b * n);
      Complex* const left_out = Output<Complex>(buffers, kVectors, b * x.size());
      Complex* const right_out = Output<Complex>(buffers, kVectors + 1, b * x.size());
      Int& info = *Output<Int>(buffers, kVectors + 2, b);
      const bool is_finite = AllFinite(in, x.size());
      info = is_finite ? 0 : kNotFinite;
      if (is_finite && n > 0) {
        LoadColumns(x, in, a);
        if constexpr (kIsComplex<T>) {
          Fortran<T>::geev(&plan_.left, &plan_.right, &n, a, &lda, values, left, &lda, right, &lda,
                           work, &plan_.work, real_work, &info, 1, 1);
        } else {
          Fortran<T>::geev(&plan_.left, &plan_.right, &n, a, &lda, values,
                           Output<T>(buffers, 2, b * n), left, &lda, right, &lda, work, &plan_.work,
                           &info, 1, 1);
        }
      }
      if (info != 0) {
        FillNan(values, n);
        if constexpr (!kIsComplex<T>) FillNan(Output<T>(buffers, 2, b * n), n);
        FillNan(left_out, x.size());
        FillNan(right_out, x.size());
        continue;
      }
      Store(plan_.left, plan_.left_out, buffers, b, left, left_out);
      Store(plan_.right, plan_.right_out, buffers, b, right, right_out);
    }
  }

  static void Store(char computed, const Matrices& m, void* const* buffers, int64_t b,
                    const T* vectors, Complex* out) {
    if (computed == 'N') {
      std::fill_n(out, m.size(), Complex{0});
    } else if constexpr (kIsComplex<T>) {
      StoreColumns(m, vectors, out);
    } else {
      UnpackVectors(m, Input<T>(buffers, 2, b * m.rows), vectors, out);
    }
  }

  const GeevPlan plan_;
};

template <typename T>
class Gees final : public BatchKernel {
 public:
  Gees(int64_t count, char mode, const Matrices& x, const Matrices& form, const Matrices& vectors,
       Int work)
      : BatchKernel(count, CostOf(x.rows),
                    2 * Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work) +
                        Arena::BytesOf<RealOf<T>>(x.rows)),
        mode_(mode),
        x_(x),
        form_(form),
        vectors_(vectors),
        work_(work) {}

 private:
  // Buffers: x, form, vectors, values (real types: real parts, imaginary parts), 0, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    constexpr int64_t kCount = kIsComplex<T> ? 4 : 5;
    const Int n = static_cast<Int>(x_.rows), lda = Leading(n);
    const char sort = 'N';
    Arena arena(scratch);
    T* const a = arena.Take<T>(x_.size());
    T* const vs = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    RealOf<T>* const real_work = arena.Take<RealOf<T>>(n);
    for (int64_t b = begin; b < end; ++b) {
      const T* const in = Input<T>(buffers, 0, b * x_.matrix_stride);
      T* const form = Output<T>(buffers, 1, b * x_.size());
      T* const vectors = Output<T>(buffers, 2, b * x_.size());
      T* const values = Output<T>(buffers, 3, b * n);
      Int& info = *Output<Int>(buffers, kCount + 1, b);
      *Output<Int>(buffers, kCount, b) = 0;
      info = AllFinite(in, x_.size()) ? 0 : kNotFinite;
      if (info != 0) {
        FillNan(form, x_.size());
        FillNan(vectors, x_.size());
        FillNan(values, n);
        if constexpr (!kIsComplex<T>) FillNan(Output<T>(buffers, 4, b * n), n);
        continue;
      }
      LoadColumns(x_, in, a);
      Int selected = 0;
      if (n == 0) continue;
      if constexpr (kIsComplex<T>) {
        Fortran<T>::gees(&mode_, &sort, nullptr, &n, a, &lda, &selected, values, vs, &lda, work,
                         &work_, real_work, nullptr, &info, 1, 1);
      } else {
        (void)real_work;
        Fortran<T>::gees(&mode_, &sort, nullptr, &n, a, &lda, &selected, values,
                         Output<T>(buffers, 4, b * n), vs, &lda, work, &work_, nullptr, &info, 1,
                         1);
      }
      StoreColumns(form_, a, form);
      if (mode_ == 'V') {
        StoreColumns(vectors_, vs, vectors);
      } else {
        std::fill_n(vectors, x_.size(), T{0});
      }
    }
  }

  const char mode_;
  const Matrices x_, form_, vectors_;
  const Int work_;
};

template <typename T>
class Gehrd final : public BatchKernel {
 public:
  Gehrd(int64_t count, Int low, Int high, const Matrices& x, const Matrices& out, Int work)
      : BatchKernel(count, CostOf(x.rows) / 4,
                    Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work)),
        low_(low),
        high_(high),
        x_(x),
        out_(out),
        work_(work) {}

 private:
  // Buffers: x, form, taus, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int n = static_cast<Int>(x_.rows);
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 1, b * out_.matrix_stride);
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int info = 0;
      if (n > 0) {
        Fortran<T>::gehrd(&n, &low_, &high_, columns, &n,
                          Output<T>(buffers, 2, b * std::max(n - 1, 0)), work, &work_, &info);
      }
      StoreColumns(out_, columns, out);
      *Output<Int>(buffers, 3, b) = info;
    }
  }

  const Int low_, high_;
  const Matrices x_, out_;
  const Int work_;
};

constexpr Int kQuery = -1;

}  // namespace

template <typename T>
KernelOr MakeGeev(Signature& call) {
  constexpr int64_t kVectors = kIsComplex<T> ? 1 : 2;
  constexpr PrimitiveType kComplexType = kTypeOf<std::complex<RealOf<T>>>;
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, kVectors + 3));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  GeevPlan plan;
  XLA_ASSIGN_OR_RETURN(plan.left, call.Choice("compute_left", "NV"));
  XLA_ASSIGN_OR_RETURN(plan.right, call.Choice("compute_right", "NV"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t n = call.rows();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "values", kTypeOf<T>, {n}));
  if (!kIsComplex<T>) XLA_RETURN_IF_ERROR(call.ExpectResult(1, "imaginary parts", kTypeOf<T>, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(kVectors, "left vectors", kComplexType, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(kVectors + 1, "right vectors", kComplexType, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(kVectors + 2, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectAtMost(n, kMostRows));
  plan.x = call.OperandMatrices(0);
  plan.left_out = call.ResultMatrices(kVectors);
  plan.right_out = call.ResultMatrices(kVectors + 1);
  const Int order = static_cast<Int>(n), lda = Leading(n);
  T size = 1;
  Int info = 0;
  if constexpr (kIsComplex<T>) {
    RealOf<T> real_size[1];
    Fortran<T>::geev(&plan.left, &plan.right, &order, nullptr, &lda, nullptr, nullptr, &lda,
                     nullptr, &lda, &size, &kQuery, real_size, &info, 1, 1);
  } else {
    Fortran<T>::geev(&plan.left, &plan.right, &order, nullptr, &lda, nullptr, nullptr, nullptr,
                     &lda, nullptr, &lda, &size, &kQuery, &info, 1, 1);
  }
  plan.work = WorkCount(size);
  return std::make_unique<Geev<T>>(call.count(), plan);
}

template <typename T>
KernelOr MakeGees(Signature& call) {
  constexpr int64_t kCount = kIsComplex<T> ? 3 : 4;
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, kCount + 2));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  XLA_ASSIGN_OR_RETURN(const char mode, call.Choice("mode", "NV"));
  XLA_ASSIGN_OR_RETURN(const char sort, call.Choice("sort", "NS"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  if (sort != 'N') {
    return absl::UnimplementedError(
        call.Error("eigenvalues cannot be sorted: nothing says by what").message());
  }
  const int64_t n = call.rows();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "form", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "vectors", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "values", kTypeOf<T>, {n}));
  if (!kIsComplex<T>) XLA_RETURN_IF_ERROR(call.ExpectResult(3, "imaginary parts", kTypeOf<T>, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(kCount, "selected", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(kCount + 1, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectAtMost(n, kMostRows));
  const Int order = static_cast<Int>(n), lda = Leading(n);
  T size = 1;
  Int info = 0, selected = 0;
  if constexpr (kIsComplex<T>) {
    Fortran<T>::gees(&mode, &sort, nullptr, &order, nullptr, &lda, &selected, nullptr, nullptr,
                     &lda, &size, &kQuery, nullptr, nullptr, &info, 1, 1);
  } else {
    Fortran<T>::gees(&mode, &sort, nullptr, &order, nullptr, &lda, &selected, nullptr, nullptr,
                     nullptr, &lda, &size, &kQuery, nullptr, &info, 1, 1);
  }
  return std::make_unique<Gees<T>>(call.count(), mode, call.OperandMatrices(0),
                                   call.ResultMatrices(0), call.ResultMatrices(1), WorkCount(size));
}

template <typename T>
KernelOr MakeGehrd(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 3));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  XLA_ASSIGN_OR_RETURN(const Int low, call.Int32("low"));
  XLA_ASSIGN_OR_RETURN(const Int high, call.Int32("high"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t n = call.rows();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "form", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "taus", kTypeOf<T>, {std::max<int64_t>(n - 1, 0)}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "info", S32, {}));
  const bool is_range = n == 0 ? low == 1 && high == 0 : 1 <= low && low <= high && high <= n;
  if (!is_range) {
    return call.Error(absl::StrCat("attributes 'low' and 'high' are ", low, " and ", high,
                                   ": they must be rows of matrices of ", n,
                                   " rows, counted from 1, in order"));
  }
  const Int order = static_cast<Int>(n), lda = Leading(n);
  T size = 1;
  Int info = 0;
  Fortran<T>::gehrd(&order, &low, &high, nullptr, &lda, nullptr, &size, &kQuery, &info);
  // LAPACK 3.12 asks for one element where there is nothing to reduce, and then wants `order`.
  return std::make_unique<Gehrd<T>>(call.count(), low, high, call.OperandMatrices(0),
                                    call.ResultMatrices(0), std::max(WorkCount(size), order));
}

template KernelOr MakeGeev<float>(Signature&);
template KernelOr MakeGeev<double>(Signature&);
template KernelOr MakeGeev<complex64>(Signature&);
template KernelOr MakeGeev<complex128>(Signature&);
template KernelOr MakeGees<float>(Signature&);
template KernelOr MakeGees<double>(Signature&);
template KernelOr MakeGees<complex64>(Signature&);
template KernelOr MakeGees<complex128>(Signature&);
template KernelOr MakeGehrd<float>(Signature&);
template KernelOr MakeGehrd<double>(Signature&);
template KernelOr MakeGehrd<complex64>(Signature&);
template KernelOr MakeGehrd<complex128>(Signature&);

}  // namespace xla::lapack
