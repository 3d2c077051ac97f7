// SPDX-License-Identifier: Apache-2.0
// gesdd, gesvd: singular values and vectors, by divide and conquer or by QR iterations.
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"

namespace xla::lapack {
namespace {

// LAPACK counts its working memory, up to six times the square of the smaller size, in 32 bits.
constexpr int64_t kMostRows = 18000;

struct SvdPlan {
  bool divides = true;  // gesdd
  char mode = 'N';      // A: all of U and V; S: as many vectors as values; N: values alone
  Matrices x, u, vt;
  Int work = 0;
  int64_t values = 0, real_work = 0, int_work = 0;
};

// The routine, for real and complex types.
template <typename T>
Int Call(const SvdPlan& plan, Int m, Int n, T* a, RealOf<T>* s, T* u, Int ldu, T* vt, Int ldvt,
         T* work, Int work_count, RealOf<T>* real_work, Int* int_work) {
  Int info = 0;
  const Int lda = m;
  const char mode = plan.mode;
  if constexpr (kIsComplex<T>) {
    if (plan.divides) {
      Fortran<T>::gesdd(&mode, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &work_count, real_work,
                        int_work, &info, 1);
    } else {
      Fortran<T>::gesvd(&mode, &mode, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &work_count,
                        real_work, &info, 1, 1);
    }
  } else {
    (void)real_work;
    if (plan.divides) {
      Fortran<T>::gesdd(&mode, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &work_count, int_work,
                        &info, 1);
    } else {
      Fortran<T>::gesvd(&mode, &mode, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &work_count,
                        &info, 1, 1);
    }
  }
  return info;
}

template <typename T>
class Svd final : public BatchKernel {
 public:
  Svd(int64_t count, double cost, const SvdPlan& plan)
      : BatchKernel(count, cost,
                    Arena::BytesOf<T>(plan.x.size()) + Arena::BytesOf<T>(plan.u.size()) +
                        Arena::BytesOf<T>(plan.vt.size()) + Arena::BytesOf<T>(plan.work) +
                        Arena::BytesOf<RealOf<T>>(plan.real_work) +
                        Arena::BytesOf<Int>(plan.int_work)),
        plan_(plan) {}

 private:
  // Buffers: x, x, values, u, vt, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Matrices &x = plan_.x, &u = plan_.u, &vt = plan_.vt;
    Arena arena(scratch);
    T* const a = arena.Take<T>(x.size());
    T* const u_columns = arena.Take<T>(u.size());
    T* const vt_columns = arena.Take<T>(vt.size());
    T* const work = arena.Take<T>(plan_.work);
    RealOf<T>* const real_work = arena.Take<RealOf<T>>(plan_.real_work);
    Int* const int_work = arena.Take<Int>(plan_.int_work);
    const Int m = static_cast<Int>(x.rows), n = static_cast<Int>(x.columns);
    const bool has_vectors = plan_.mode != 'N';
    for (int64_t b = begin; b < end; ++b) {
      const T* const in = Input<T>(buffers, 0, b * x.matrix_stride);
      T* const out = Output<T>(buffers, 1, b * x.matrix_stride);
      RealOf<T>* const values = Output<RealOf<T>>(buffers, 2, b * plan_.values);
      T* const u_out = Output<T>(buffers, 3, b * u.matrix_stride);
      T* const vt_out = Output<T>(buffers, 4, b * vt.matrix_stride);
      Int& info = *Output<Int>(buffers, 5, b);
      // What LAPACK leaves in x has no meaning.
      if (in != out && x.size() > 0)
        std::memcpy(out, in, static_cast<size_t>(x.size()) * sizeof(T));
      // Iterations on infinities need not end.
      const bool is_finite = AllFinite(in, x.size());
      if (!is_finite) {
        info = kNotFinite;
        FillNan(values, plan_.values);
        FillNan(u_out, u.size());
        FillNan(vt_out, vt.size());
        continue;
      }
      if (!has_vectors) {
        std::fill_n(u_out, u.size(), T{0});
        std::fill_n(vt_out, vt.size(), T{0});
      }
      if (plan_.values == 0) {
        info = 0;
        SetIdentity(u, u_out);
        SetIdentity(vt, vt_out);
        continue;
      }
      // Of the transpose U and V change places: memory by rows is that of the transpose by columns.
      const bool is_transposed = !x.is_column_major();
      std::memcpy(a, in, static_cast<size_t>(x.size()) * sizeof(T));
      const bool u_in_place = u.is_vector() || u.is_column_major() != is_transposed;
      const bool vt_in_place = vt.is_vector() || vt.is_column_major() != is_transposed;
      T* const u_made = u_in_place ? u_out : u_columns;
      T* const vt_made = vt_in_place ? vt_out : vt_columns;
      if (is_transposed) {
        info = Call<T>(plan_, n, m, a, values, vt_made, n, u_made, Leading(u.columns), work,
                       plan_.work, real_work, int_work);
      } else {
        info = Call<T>(plan_, m, n, a, values, u_made, m, vt_made, Leading(vt.rows), work,
                       plan_.work, real_work, int_work);
      }
      if (!has_vectors) continue;
      if (!u_in_place) Reorder(u, u_made, u_out);
      if (!vt_in_place) Reorder(vt, vt_made, vt_out);
    }
  }

  // From the order of x to its own.
  static void Reorder(const Matrices& m, const T* from, T* to) {
    if (m.is_column_major()) {
      Transpose(m.rows, m.columns, from, m.columns, to, m.rows);
    } else {
      Transpose(m.columns, m.rows, from, m.rows, to, m.columns);
    }
  }

  void SetIdentity(const Matrices& m, T* out) const {
    std::fill_n(out, m.size(), T{0});
    if (plan_.mode == 'N') return;
    for (int64_t i = 0; i < std::min(m.rows, m.columns); ++i)
      out[i * (m.row_stride + m.column_stride)] = T{1};
  }

  const SvdPlan plan_;
};

// -1 if there is none.
int64_t DimensionFromEnd(const Shape& shape, int64_t place) {
  const int64_t d = shape.rank() - place;
  return d < 0 ? -1 : shape.dimensions(static_cast<int>(d));
}

template <typename T>
KernelOr MakeSvd(Signature& call, bool divides) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 5));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  SvdPlan plan;
  plan.divides = divides;
  XLA_ASSIGN_OR_RETURN(plan.mode, call.Choice("mode", "ASN"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t m = call.rows(), n = call.columns(), least = std::min(m, n);
  const bool is_full = plan.mode == 'A';
  int64_t u_columns = is_full ? m : least, vt_rows = is_full ? n : least;
  // Without vectors, their arrays are there in either size.
  if (plan.mode == 'N') {
    if (DimensionFromEnd(call.result(2), 1) == m) u_columns = m;
    if (DimensionFromEnd(call.result(3), 2) == n) vt_rows = n;
  }
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "singular values", kTypeOf<RealOf<T>>, {least}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "u", kTypeOf<T>, {m, u_columns}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(3, "vt", kTypeOf<T>, {vt_rows, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(4, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectAtMost(least, kMostRows));
  if (is_full) XLA_RETURN_IF_ERROR(call.ExpectAtMost(std::max(m, n), 2 * kMostRows));
  plan.x = call.OperandMatrices(0);
  plan.u = call.ResultMatrices(2);
  plan.vt = call.ResultMatrices(3);
  plan.values = least;
  const int64_t most = std::max(m, n);
  if (divides) {
    plan.int_work = 8 * least;
    plan.real_work = plan.mode == 'N' ? 7 * least
                                      : std::max(5 * least * least + 5 * least,
                                                 2 * most * least + 2 * least * least + least);
  } else {
    plan.real_work = 5 * least;
  }
  if (!kIsComplex<T>) plan.real_work = 0;
  T size = 1;
  if (least > 0) {
    const bool is_transposed = !plan.x.is_column_major();
    const int64_t rows = is_transposed ? n : m, columns = is_transposed ? m : n;
    (void)Call<T>(plan, static_cast<Int>(rows), static_cast<Int>(columns), nullptr, nullptr,
                  nullptr, static_cast<Int>(rows), nullptr,
                  static_cast<Int>(is_full ? columns : least), &size, -1, nullptr, nullptr);
  }
  plan.work = WorkCount(size);
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(least);
  return std::make_unique<Svd<T>>(call.count(), 2000 + 4 * work, plan);
}

}  // namespace

template <typename T>
KernelOr MakeGesdd(Signature& call) {
  return MakeSvd<T>(call, /*divides=*/true);
}
template <typename T>
KernelOr MakeGesvd(Signature& call) {
  return MakeSvd<T>(call, /*divides=*/false);
}

template KernelOr MakeGesdd<float>(Signature&);
template KernelOr MakeGesdd<double>(Signature&);
template KernelOr MakeGesdd<complex64>(Signature&);
template KernelOr MakeGesdd<complex128>(Signature&);
template KernelOr MakeGesvd<float>(Signature&);
template KernelOr MakeGesvd<double>(Signature&);
template KernelOr MakeGesvd<complex64>(Signature&);
template KernelOr MakeGesvd<complex128>(Signature&);

}  // namespace xla::lapack
