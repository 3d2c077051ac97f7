// SPDX-License-Identifier: Apache-2.0
// trsm: op(A) X = B or X op(A) = B for a triangle A.
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/batch_kernel.h"
#include "xla/lapack/matrices.h"
#include "xla/lapack/routines.h"

namespace xla::lapack {
namespace {

struct TrsmOptions {
  char side, uplo, trans, diag;
};

template <typename T>
class Trsm final : public BatchKernel {
 public:
  Trsm(int64_t count, double cost, const TrsmOptions& options, const Matrices& a, const Matrices& b,
       const Matrices& out, int64_t result)
      : BatchKernel(count, cost, Arena::BytesOf<T>(a.size())),
        result_(result),
        options_(options),
        a_(a),
        b_(b),
        out_(out) {}

 private:
  // Buffers: a, b, then x at `result`.
  void RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const override;

  const int64_t result_;
  const TrsmOptions options_;
  const Matrices a_, b_, out_;
};

template <typename T>
void Trsm<T>::RunMatrices(void* const* buffers, int64_t begin, int64_t end, char* scratch) const {
  TrsmOptions options = options_;
  Int m = static_cast<Int>(out_.rows), n = static_cast<Int>(out_.columns);
  const Int order = static_cast<Int>(a_.rows);
  if (out_.size() == 0) return;
  const auto flip = [](char& option, char first, char second) {
    option = option == first ? second : first;
  };
  // A vector is column and row at once.
  const bool is_vector = m == 1 || n == 1;
  bool loads_a = false;
  if (!a_.is_column_major() && is_vector && (options.trans != 'C' || !kIsComplex<T>)) {
    // The transpose of A is in memory.
    options.trans = options.trans == 'N' ? 'T' : 'N';
    flip(options.uplo, 'L', 'U');
  } else if (out_.is_column_major()) {
    loads_a = !a_.is_column_major();
  } else {
    // B^T = X^T op(A)^T, of the transposes of B, X and A.
    flip(options.side, 'L', 'R');
    flip(options.uplo, 'L', 'U');
    std::swap(m, n);
    loads_a = a_.is_column_major() && order > 1;
  }
  const T one = 1;
  for (int64_t i = begin; i < end; ++i) {
    const T* a = Input<T>(buffers, 0, i * a_.matrix_stride);
    const T* const b = Input<T>(buffers, 1, i * b_.matrix_stride);
    T* const x = Output<T>(buffers, result_, i * out_.matrix_stride);
    if (loads_a) {
      T* const copy = reinterpret_cast<T*>(scratch);
      Transpose(order, order, a, order, copy, order);
      a = copy;
    }
    CopyMatrix(b_, b, out_, x);
    Fortran<T>::trsm(&options.side, &options.uplo, &options.trans, &options.diag, &m, &n, &one, a,
                     &order, x, &m, 1, 1, 1, 1);
  }
}

}  // namespace

template <typename T>
KernelOr MakeTrsm(Signature& call) {
  if (call.operand_count() != 3) XLA_RETURN_IF_ERROR(call.ExpectCounts(2, 1));
  XLA_RETURN_IF_ERROR(call.ExpectCounts(call.operand_count(), 1));
  XLA_RETURN_IF_ERROR(call.SetBatch(1));
  XLA_ASSIGN_OR_RETURN(const char side, call.Choice("side", "LR"));
  XLA_ASSIGN_OR_RETURN(const char uplo, call.Choice("uplo", "LU"));
  XLA_ASSIGN_OR_RETURN(const char trans, call.Choice("trans_x", "NTC"));
  XLA_ASSIGN_OR_RETURN(const char diag, call.Choice("diag", "NU"));
  XLA_RETURN_IF_ERROR(call.ExpectNoOtherAttributes());
  const int64_t m = call.rows(), n = call.columns(), order = side == 'L' ? m : n;
  XLA_RETURN_IF_ERROR(call.ExpectOperand(0, "a", kTypeOf<T>, {order, order}));
  XLA_RETURN_IF_ERROR(call.ExpectOperand(1, "b", kTypeOf<T>, {m, n}));
  XLA_RETURN_IF_ERROR(call.ExpectResult(0, "x", kTypeOf<T>, {m, n}));
  // Of programs that JAX before 0.5.2 wrote: a factor of B, which handlers take for one.
  if (call.operand_count() == 3) {
    const Shape& alpha = call.operand(2);
    if (alpha.element_type() != kTypeOf<T> || alpha.rank() != 0) {
      return call.Error(absl::StrCat("operand 2 (alpha) is ", alpha.ToString(),
                                     ": it must be a single number of the type of the matrices"));
    }
  }
  const double work = static_cast<double>(m) * static_cast<double>(n);
  return std::make_unique<Trsm<T>>(call.count(), 100 + work * (static_cast<double>(order) / 8 + 4),
                                   TrsmOptions{side, uplo, trans, diag}, call.OperandMatrices(0),
                                   call.OperandMatrices(1), call.ResultMatrices(0),
                                   call.operand_count());
}

template KernelOr MakeTrsm<float>(Signature&);
template KernelOr MakeTrsm<double>(Signature&);
template KernelOr MakeTrsm<complex64>(Signature&);
template KernelOr MakeTrsm<complex128>(Signature&);

}  // namespace xla::lapack
