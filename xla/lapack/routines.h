// SPDX-License-Identifier: Apache-2.0
// The kernels of each routine, by file. Each function checks the rest of the call's signature.
#ifndef XLA_LAPACK_ROUTINES_H_
#define XLA_LAPACK_ROUTINES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/kernels/kernel.h"
#include "xla/lapack/signature.h"

namespace xla::lapack {

using KernelOr = absl::StatusOr<std::unique_ptr<const kernels::Kernel>>;

// cholesky.cc, lu.cc, triangular_solve.cc
template <typename T>
KernelOr MakePotrf(Signature& call);
template <typename T>
KernelOr MakeGetrf(Signature& call);
template <typename T>
KernelOr MakeTrsm(Signature& call);

// qr.cc. ungqr and unmqr are orgqr and ormqr of real types.
template <typename T>
KernelOr MakeGeqrf(Signature& call);
template <typename T>
KernelOr MakeGeqp3(Signature& call);
template <typename T>
KernelOr MakeUngqr(Signature& call);
template <typename T>
KernelOr MakeUnmqr(Signature& call);

// svd.cc
template <typename T>
KernelOr MakeGesdd(Signature& call);
template <typename T>
KernelOr MakeGesvd(Signature& call);

// symmetric.cc. heevd and hetrd are syevd and sytrd of real types.
template <typename T>
KernelOr MakeHeevd(Signature& call);
template <typename T>
KernelOr MakeHetrd(Signature& call);

// nonsymmetric.cc
template <typename T>
KernelOr MakeGeev(Signature& call);
template <typename T>
KernelOr MakeGees(Signature& call);
template <typename T>
KernelOr MakeGehrd(Signature& call);

// tridiagonal_solve.cc. The second takes its type from the call.
template <typename T>
KernelOr MakeGtsv(Signature& call);
KernelOr MakePerturbedTridiagonalSolve(Signature& call);

}  // namespace xla::lapack

#endif  // XLA_LAPACK_ROUTINES_H_
