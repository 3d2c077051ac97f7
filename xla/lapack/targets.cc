// SPDX-License-Identifier: Apache-2.0
// The table of targets: lapack_<letter of the type><routine>_ffi.
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/lapack/lapack.h"
#include "xla/lapack/routines.h"
#include "xla/lapack/signature.h"
#include "xla/types.h"

namespace xla::lapack {
namespace {

using Maker = KernelOr (*)(Signature& call);

// By the letters s, d, c and z; null: LAPACK has no such routine.
struct Routine {
  absl::string_view name;
  Maker makers[4];
};

constexpr Routine kRoutines[] = {
    {"gees", {MakeGees<float>, MakeGees<double>, MakeGees<complex64>, MakeGees<complex128>}},
    {"geev", {MakeGeev<float>, MakeGeev<double>, MakeGeev<complex64>, MakeGeev<complex128>}},
    {"gehrd", {MakeGehrd<float>, MakeGehrd<double>, MakeGehrd<complex64>, MakeGehrd<complex128>}},
    {"geqp3", {MakeGeqp3<float>, MakeGeqp3<double>, MakeGeqp3<complex64>, MakeGeqp3<complex128>}},
    {"geqrf", {MakeGeqrf<float>, MakeGeqrf<double>, MakeGeqrf<complex64>, MakeGeqrf<complex128>}},
    {"gesdd", {MakeGesdd<float>, MakeGesdd<double>, MakeGesdd<complex64>, MakeGesdd<complex128>}},
    {"gesvd", {MakeGesvd<float>, MakeGesvd<double>, MakeGesvd<complex64>, MakeGesvd<complex128>}},
    {"getrf", {MakeGetrf<float>, MakeGetrf<double>, MakeGetrf<complex64>, MakeGetrf<complex128>}},
    {"gtsv", {MakeGtsv<float>, MakeGtsv<double>, MakeGtsv<complex64>, MakeGtsv<complex128>}},
    {"heevd", {nullptr, nullptr, MakeHeevd<complex64>, MakeHeevd<complex128>}},
    {"hetrd", {nullptr, nullptr, MakeHetrd<complex64>, MakeHetrd<complex128>}},
    {"orgqr", {MakeUngqr<float>, MakeUngqr<double>, nullptr, nullptr}},
    {"ormqr", {MakeUnmqr<float>, MakeUnmqr<double>, nullptr, nullptr}},
    {"potrf", {MakePotrf<float>, MakePotrf<double>, MakePotrf<complex64>, MakePotrf<complex128>}},
    {"syevd", {MakeHeevd<float>, MakeHeevd<double>, nullptr, nullptr}},
    {"sytrd", {MakeHetrd<float>, MakeHetrd<double>, nullptr, nullptr}},
    {"trsm", {MakeTrsm<float>, MakeTrsm<double>, MakeTrsm<complex64>, MakeTrsm<complex128>}},
    {"ungqr", {nullptr, nullptr, MakeUngqr<complex64>, MakeUngqr<complex128>}},
    {"unmqr", {nullptr, nullptr, MakeUnmqr<complex64>, MakeUnmqr<complex128>}},
};

Maker FindMaker(absl::string_view target) {
  if (target == "tridiagonal_solve_perturbed_ffi") return MakePerturbedTridiagonalSolve;
  if (!absl::ConsumePrefix(&target, "lapack_") || !absl::ConsumeSuffix(&target, "_ffi") ||
      target.empty()) {
    return nullptr;
  }
  const size_t type = absl::string_view("sdcz").find(target[0]);
  if (type == absl::string_view::npos) return nullptr;
  target.remove_prefix(1);
  for (const Routine& routine : kRoutines) {
    if (routine.name == target) return routine.makers[type];
  }
  return nullptr;
}

}  // namespace

bool IsLapackTarget(absl::string_view target) { return FindMaker(target) != nullptr; }

absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakeLapackKernel(const LapackCall& call) {
  const Maker maker = FindMaker(call.target);
  if (maker == nullptr) return absl::NotFoundError("no target of LAPACK");
  XLA_ASSIGN_OR_RETURN(Signature signature, Signature::Read(call));
  return maker(signature);
}

}  // namespace xla::lapack
