// SPDX-License-Identifier: Apache-2.0
// geqrf, geqp3: QR factors by reflections; orgqr and ormqr: the product of the reflections, and its
// product with a matrix.
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"
#include "xla/lapack/small_matrices.h"

namespace xla::lapack {
namespace {

double CostOf(int64_t m, int64_t n, int64_t k) {
  const double size = static_cast<double>(m) * static_cast<double>(n);
  return 300 + size * (static_cast<double>(k) / 4 + 8);
}

template <typename T>
class Geqrf final : public BatchKernel {
 public:
  Geqrf(int64_t count, const Matrices& x, const Matrices& out, Int work)
      : BatchKernel(count, CostOf(x.rows, x.columns, std::min(x.rows, x.columns)),
                    IsSmall(x.rows, x.columns)
                        ? SmallBytes<T>(x.rows, x.columns)
                        : Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work)),
        x_(x),
        out_(out),
        work_(work) {}

 private:
  // Buffers: x, factors, taus.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int m = static_cast<Int>(x_.rows), n = static_cast<Int>(x_.columns);
    if (m == 0 || n == 0) return;
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 1, b * out_.matrix_stride);
      if (IsSmall(m, n)) {
        SmallGeqrf(x_, Input<T>(buffers, 0, b * x_.matrix_stride), out_, out,
                   Output<T>(buffers, 2, b * std::min(m, n)), scratch);
        continue;
      }
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int info = 0;
      Fortran<T>::geqrf(&m, &n, columns, &m, Output<T>(buffers, 2, b * std::min(m, n)), work,
                        &work_, &info);
      StoreColumns(out_, columns, out);
    }
  }

  const Matrices x_, out_;
  const Int work_;
};

template <typename T>
class Geqp3 final : public BatchKernel {
 public:
  Geqp3(int64_t count, const Matrices& x, const Matrices& out, Int work)
      : BatchKernel(count, 2 * CostOf(x.rows, x.columns, std::min(x.rows, x.columns)),
                    Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work) +
                        Arena::BytesOf<RealOf<T>>(2 * x.columns)),
        x_(x),
        out_(out),
        work_(work) {}

 private:
  // Buffers: x, the columns to begin with, factors, the order of columns, taus.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int m = static_cast<Int>(x_.rows), n = static_cast<Int>(x_.columns), lda = Leading(m);
    if (n == 0) return;
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    RealOf<T>* const real_work = arena.Take<RealOf<T>>(2 * x_.columns);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 2, b * out_.matrix_stride);
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int* const order = Output<Int>(buffers, 3, b * n);
      std::memmove(order, Input<Int>(buffers, 1, b * n), static_cast<size_t>(n) * sizeof(Int));
      // Without rows LAPACK sets nothing.
      if (m == 0) {
        for (Int i = 0; i < n; ++i) order[i] = i + 1;
        continue;
      }
      T* const taus = Output<T>(buffers, 4, b * std::min(m, n));
      Int info = 0;
      if constexpr (kIsComplex<T>) {
        Fortran<T>::geqp3(&m, &n, columns, &lda, order, taus, work, &work_, real_work, &info);
      } else {
        Fortran<T>::geqp3(&m, &n, columns, &lda, order, taus, work, &work_, &info);
      }
      StoreColumns(out_, columns, out);
    }
  }

  const Matrices x_, out_;
  const Int work_;
};

template <typename T>
class Ungqr final : public BatchKernel {
 public:
  Ungqr(int64_t count, int64_t k, const Matrices& x, const Matrices& out, Int work)
      : BatchKernel(count, CostOf(x.rows, x.columns, k),
                    IsSmall(x.rows, x.columns)
                        ? SmallBytes<T>(x.rows, x.columns)
                        : Arena::BytesOf<T>(x.size()) + Arena::BytesOf<T>(work)),
        k_(static_cast<Int>(k)),
        x_(x),
        out_(out),
        work_(work) {}

 private:
  // Buffers: x, taus, product.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int m = static_cast<Int>(x_.rows), n = static_cast<Int>(x_.columns);
    if (n == 0) return;
    Arena arena(scratch);
    T* const copy = arena.Take<T>(x_.size());
    T* const work = arena.Take<T>(work_);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 2, b * out_.matrix_stride);
      if (IsSmall(m, n)) {
        SmallUngqr(k_, x_, Input<T>(buffers, 0, b * x_.matrix_stride), Input<T>(buffers, 1, b * k_),
                   out_, out, scratch);
        continue;
      }
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int info = 0;
      Fortran<T>::ungqr(&m, &n, &k_, columns, &m, Input<T>(buffers, 1, b * k_), work, &work_,
                        &info);
      StoreColumns(out_, columns, out);
    }
  }

  const Int k_;
  const Matrices x_, out_;
  const Int work_;
};

template <typename T>
class Unmqr final : public BatchKernel {
 public:
  Unmqr(int64_t count, bool left, bool transpose, const Matrices& a, const Matrices& c,
        const Matrices& out, Int work)
      : BatchKernel(
            count, CostOf(c.rows, c.columns, a.columns),
            Arena::BytesOf<T>(a.size()) + Arena::BytesOf<T>(c.size()) + Arena::BytesOf<T>(work)),
        side_(left ? 'L' : 'R'),
        trans_(!transpose      ? 'N'
               : kIsComplex<T> ? 'C'
                               : 'T'),
        a_(a),
        c_(c),
        out_(out),
        work_(work) {}

 private:
  // Buffers: a, taus, c, product.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int m = static_cast<Int>(c_.rows), n = static_cast<Int>(c_.columns);
    const Int k = static_cast<Int>(a_.columns), lda = Leading(a_.rows);
    if (m == 0 || n == 0) return;
    Arena arena(scratch);
    T* const vectors = arena.Take<T>(a_.size());
    T* const copy = arena.Take<T>(c_.size());
    T* const work = arena.Take<T>(work_);
    for (int64_t b = begin; b < end; ++b) {
      // Changed for a while and put back, so that operands must not be used themselves.
      LoadColumns(a_, Input<T>(buffers, 0, b * a_.matrix_stride), vectors);
      T* const out = Output<T>(buffers, 3, b * out_.matrix_stride);
      T* const columns = out_.is_column_major() ? out : copy;
      LoadColumns(c_, Input<T>(buffers, 2, b * c_.matrix_stride), columns);
      Int info = 0;
      Fortran<T>::unmqr(&side_, &trans_, &m, &n, &k, vectors, &lda, Input<T>(buffers, 1, b * k),
                        columns, &m, work, &work_, &info, 1, 1);
      StoreColumns(out_, columns, out);
    }
  }

  const char side_, trans_;
  const Matrices a_, c_, out_;
  const Int work_;
};

constexpr Int kQuery = -1;

}  // namespace

template <typename T>
KernelOr MakeGeqrf(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 2));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  const int64_t m = call.rows(), n = call.columns();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "factors", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "taus", kTypeOf<T>, {std::min(m, n)}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), lda = Leading(m);
  T size = 1;
  Int info = 0;
  Fortran<T>::geqrf(&rows, &columns, nullptr, &lda, nullptr, &size, &kQuery, &info);
  return std::make_unique<Geqrf<T>>(call.count(), call.OperandMatrices(0), call.ResultMatrices(0),
                                    WorkCount(size));
}

template <typename T>
KernelOr MakeGeqp3(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(2, 3));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  const int64_t m = call.rows(), n = call.columns();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectOperand(1, "jpvt", S32, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "factors", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "jpvt", S32, {n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "taus", kTypeOf<T>, {std::min(m, n)}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), lda = Leading(m);
  T size = 1;
  Int info = 0;
  if constexpr (kIsComplex<T>) {
    Fortran<T>::geqp3(&rows, &columns, nullptr, &lda, nullptr, nullptr, &size, &kQuery, nullptr,
                      &info);
  } else {
    Fortran<T>::geqp3(&rows, &columns, nullptr, &lda, nullptr, nullptr, &size, &kQuery, &info);
  }
  return std::make_unique<Geqp3<T>>(call.count(), call.OperandMatrices(0), call.ResultMatrices(0),
                                    WorkCount(size));
}

template <typename T>
KernelOr MakeUngqr(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(2, 1));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  const int64_t m = call.rows(), n = call.columns();
  if (call.operand(1).rank() < 1) return call.Error("operand 1 (taus) has no dimensions");
  const int64_t k = call.operand(1).dimensions().back();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectOperand(1, "taus", kTypeOf<T>, {k}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "product", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  if (n > m || k > n) {
    return call.Error(absl::StrCat("its matrices are ", m, " x ", n, " with ", k,
                                   " reflections: there must be at least as many rows as columns, "
                                   "and as many columns as reflections"));
  }
  const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n),
            reflections = static_cast<Int>(k), lda = Leading(m);
  T size = 1;
  Int info = 0;
  Fortran<T>::ungqr(&rows, &columns, &reflections, nullptr, &lda, nullptr, &size, &kQuery, &info);
  return std::make_unique<Ungqr<T>>(call.count(), k, call.OperandMatrices(0),
                                    call.ResultMatrices(0), WorkCount(size));
}

template <typename T>
KernelOr MakeUnmqr(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(3, 1));
  XLA_RETURN_IF_ERROR(call.SetBatch(2));
  XLA_ASSIGN_OR_RETURN(const bool left, call.Bool("left"));
  XLA_ASSIGN_OR_RETURN(const bool transpose, call.Bool("transpose"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t m = call.rows(), n = call.columns(), order = left ? m : n;
  if (call.operand(1).rank() < 1) return call.Error("operand 1 (taus) has no dimensions");
  const int64_t k = call.operand(1).dimensions().back();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "a", kTypeOf<T>, {order, k}));
  XLA_RETURN_IF_ERROR(call.ExpectOperand(1, "taus", kTypeOf<T>, {k}));
  XLA_RETURN_IF_ERROR(call.ExpectOperand(2, "c", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "product", kTypeOf<T>, {m, n}));
  if (k > order) {
    return call.Error(absl::StrCat("there are ", k, " reflections of vectors of ", order,
                                   " elements: there must not be more of them than elements"));
  }
  const char side = left ? 'L' : 'R', trans = !transpose ? 'N' : kIsComplex<T> ? 'C' : 'T';
  const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n),
            reflections = static_cast<Int>(k), lda = Leading(order), ldc = Leading(m);
  T size = 1;
  Int info = 0;
  Fortran<T>::unmqr(&side, &trans, &rows, &columns, &reflections, nullptr, &lda, nullptr, nullptr,
                    &ldc, &size, &kQuery, &info, 1, 1);
  return std::make_unique<Unmqr<T>>(call.count(), left, transpose, call.OperandMatrices(0),
                                    call.OperandMatrices(2), call.ResultMatrices(0),
                                    WorkCount(size));
}

template KernelOr MakeGeqrf<float>(Signature&);
template KernelOr MakeGeqrf<double>(Signature&);
template KernelOr MakeGeqrf<complex64>(Signature&);
template KernelOr MakeGeqrf<complex128>(Signature&);
template KernelOr MakeGeqp3<float>(Signature&);
template KernelOr MakeGeqp3<double>(Signature&);
template KernelOr MakeGeqp3<complex64>(Signature&);
template KernelOr MakeGeqp3<complex128>(Signature&);
template KernelOr MakeUngqr<float>(Signature&);
template KernelOr MakeUngqr<double>(Signature&);
template KernelOr MakeUngqr<complex64>(Signature&);
template KernelOr MakeUngqr<complex128>(Signature&);
template KernelOr MakeUnmqr<float>(Signature&);
template KernelOr MakeUnmqr<double>(Signature&);
template KernelOr MakeUnmqr<complex64>(Signature&);
template KernelOr MakeUnmqr<complex128>(Signature&);

}  // namespace xla::lapack
