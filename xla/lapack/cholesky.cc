// SPDX-License-Identifier: Apache-2.0
// potrf: Cholesky factors.
#include <memory>

#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"
#include "xla/lapack/small_matrices.h"

namespace xla::lapack {
namespace {

template <typename T>
class Potrf final : public BatchKernel {
 public:
  Potrf(int64_t count, double cost, char uplo, const Matrices& x, const Matrices& out)
      : BatchKernel(count, cost, IsSmall(x.rows, x.rows) ? SmallBytes<T>(x.rows, x.rows) : 0),
        uplo_(uplo),
        x_(x),
        out_(out) {}

 private:
  // Buffers: x, factor, info.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override {
    const Int n = static_cast<Int>(x_.rows), lda = Leading(n);
    // Rows of a Hermitian matrix are the columns of its transpose, whose factor is the transpose.
    const char uplo = out_.is_column_major() == (uplo_ == 'L') ? 'L' : 'U';
    for (int64_t b = begin; b < end; ++b) {
      T* const out = Output<T>(buffers, 1, b * out_.matrix_stride);
      CopyMatrix(x_, Input<T>(buffers, 0, b * x_.matrix_stride), out_, out);
      if (IsSmall(n, n)) {
        *Output<Int>(buffers, 2, b) = SmallPotrf(uplo_, out_, out, out_, out, scratch);
        continue;
      }
      Int info = 0;
      Fortran<T>::potrf(&uplo, &n, out, &lda, &info, 1);
      *Output<Int>(buffers, 2, b) = info;
    }
  }

  const char uplo_;
  const Matrices x_, out_;
};

}  // namespace

template <typename T>
KernelOr MakePotrf(Signature& call) {
  XLA_RETURN_IF_ERROR(call.ExpectCounts(1, 2));
  XLA_RETURN_IF_ERROR(call.SetBatch(0));
  XLA_RETURN_IF_ERROR(call.ExpectSquare());
  const int64_t n = call.rows();
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "x", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "factor", kTypeOf<T>, {n, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(1, "info", S32, {}));
  XLA_ASSIGN_OR_RETURN(const char uplo, call.Choice("uplo", "LU"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const double size = static_cast<double>(n);
  return std::make_unique<Potrf<T>>(call.count(), 100 + size * size * (size / 10 + 2), uplo,
                                    call.OperandMatrices(0), call.ResultMatrices(0));
}

template KernelOr MakePotrf<float>(Signature&);
template KernelOr MakePotrf<double>(Signature&);
template KernelOr MakePotrf<complex64>(Signature&);
template KernelOr MakePotrf<complex128>(Signature&);

}  // namespace xla::lapack
