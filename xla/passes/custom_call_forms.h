// SPDX-License-Identifier: Apache-2.0
// The forms of XLA's own custom calls. The verifier does not check custom calls: what computes them
// asks here first.
#ifndef XLA_PASSES_CUSTOM_CALL_FORMS_H_
#define XLA_PASSES_CUSTOM_CALL_FORMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Why a call is not of its form; empty if it is. The first three return their operand where a
// program is not partitioned: annotations of shardings and layouts, and the borders of buffers that
// are updated in place.
absl::string_view FaultOfAnnotation(const HloInstruction& call);        // Sharding, SPMD...Shape
absl::string_view FaultOfLayoutConstraint(const HloInstruction& call);  // LayoutConstraint
absl::string_view FaultOfPin(const HloInstruction& call);               // Pin, Unpin
absl::string_view FaultOfCreateBuffer(const HloInstruction& call);      // CreateBuffer
absl::string_view FaultOfNoResults(const HloInstruction& call);         // control_dep, dce_sink
absl::string_view FaultOfTopK(const HloInstruction& call);              // TopK

// Linear algebra, on batches of matrices of any floating-point or complex type: Qr makes the
// factors and taus of LAPACK's geqrf; ProductOfElementaryHouseholderReflectors makes a matrix of
// orthonormal columns of these; Eigh makes eigenvectors and eigenvalues of a Hermitian matrix.
absl::string_view FaultOfQr(const HloInstruction& call);
absl::string_view FaultOfHouseholderProduct(const HloInstruction& call);

// The backend_config of Eigh: "lower,sort,sweeps,tolerance". Reads the lower triangle or the upper
// one; sorts eigenvalues or not; sweeps at most, until what is off the diagonal is within the
// tolerance.
struct EighConfig {
  bool lower, sorts;
  int64_t most_sweeps;
  float tolerance;
};
// INVALID_ARGUMENT, with the reason alone, for other forms.
absl::StatusOr<EighConfig> EighConfigOf(const HloInstruction& call);

// The dimension that a call of ApproxTopK reduces: reduction_dim of its backend_config, in text or
// JSON. Its operands are arrays, as many initial values, and a computation that compares. As XLA's
// CPU compiler, everything here computes it exactly: the arrays sorted by the computation, of which
// the first elements along the dimension are the result. INVALID_ARGUMENT, with the reason alone,
// for other forms.
absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call);

}  // namespace xla

#endif  // XLA_PASSES_CUSTOM_CALL_FORMS_H_
