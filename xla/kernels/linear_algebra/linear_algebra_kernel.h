// SPDX-License-Identifier: Apache-2.0
// Cholesky, triangular-solve and XLA's custom calls of linear algebra as prepared kernels.
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_KERNEL_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_KERNEL_H_

#include <memory>

#include "xla/kernels/kernel.h"
#include "xla/kernels/linear_algebra/householder.h"
#include "xla/kernels/linear_algebra/jacobi.h"
#include "xla/kernels/linear_algebra/linear_algebra.h"

namespace xla::kernels {

// `a` without data; the result is dense like it. Buffers of a call: a, result, which may be the
// same memory.
std::unique_ptr<const Kernel> MakeCholeskyKernel(bool lower, const MatrixBatch& a);

// `a` and `b` without data. Buffers of a call: a, b, result, which may be the memory of b.
std::unique_ptr<const Kernel> MakeTriangularSolveKernel(const TriangularSolveSpec& options,
                                                        const MatrixBatch& a, const MatrixBatch& b);

// Makes a kernel with buffers a, factors, taus.
std::unique_ptr<const Kernel> MakeQrKernel(const MatrixBatch& a);
// Makes a kernel with buffers a, taus, result, for `p` reflections.
std::unique_ptr<const Kernel> MakeHouseholderProductKernel(const MatrixBatch& a, int64_t p);
// Makes a kernel with buffers a, vectors, values.
std::unique_ptr<const Kernel> MakeHermitianEigenKernel(const EighOptions& options,
                                                       const MatrixBatch& a);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_KERNEL_H_
