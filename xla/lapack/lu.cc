// SPDX-License-Identifier: Apache-2.0
// getrf: LU factors with row exchanges.
#include <memory>

#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"
#include "xla/lapack/small_matrices.h"

namespace xla::lapack {
namespace {

template <typename T>
class Getrf final : public BatchKernel {
 public:
  Getrf(int64_t count, double cost, const Matrices& x, const Matrices& out)
      : BatchKernel(count, cost,
                    IsSmall(x.rows, x.columns) ? SmallBytes<T>(x.rows, x.columns)
                                               : Arena::BytesOf<T>(x.size())),
        x_(x),
        out_(out) {}

 private:
  // Buffers: x, factors, pivots, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int m = static_cast<Int>(x_.rows), n = static_cast<Int>(x_.columns);
    const int64_t k = std::min(m, n);
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 1, b * out_.matrix_stride);
      if (IsSmall(m, n)) {
        *Output<Int>(buffers, 3, b) =
            SmallGetrf(x_, Input<T>(buffers, 0, b * x_.matrix_stride), out_, out,
                       Output<Int>(buffers, 2, b * k), scratch);
        continue;
      }
      T* const columns = out_.is_column_major() ? out : reinterpret_cast<T*>(scratch);
      LoadColumns(x_, Input<T>(buffers, 0, b * x_.matrix_stride), columns);
      Int info = 0;
      if (k > 0) {
        Fortran<T>::getrf(&m, &n, columns, &m, Output<Int>(buffers, 2, b * k), &info);
        StoreColumns(out_, columns, out);
      }
      *Output<Int>(buffers, 3, b) = info;
    }
  }

  const Matrices x_, out_;
};

}  // namespace

template <typename T>
KernelOr MakeGetrf(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 3));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  const int64_t m = call.rows(), n = call.columns(), k = std::min(m, n);
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "factors", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "pivots", S32, {k}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(2, "info", S32, {}));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const double size = static_cast<double>(m) * static_cast<double>(n);
  return std::make_unique<Getrf<T>>(call.count(), 150 + size * (static_cast<double>(k) / 10 + 4),
                                    call.OperandMatrices(0), call.ResultMatrices(0));
}

template KernelOr MakeGetrf<float>(Signature&);
template KernelOr MakeGetrf<double>(Signature&);
template KernelOr MakeGetrf<complex64>(Signature&);
template KernelOr MakeGetrf<complex128>(Signature&);

}  // namespace xla::lapack
