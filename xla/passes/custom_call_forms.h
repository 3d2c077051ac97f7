// SPDX-License-Identifier: Apache-2.0
// The signatures of XLA's own custom calls. The verifier does not check custom calls: code that
// computes them must check them first.
#ifndef XLA_PASSES_CUSTOM_CALL_FORMS_H_
#define XLA_PASSES_CUSTOM_CALL_FORMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Return the validation error of a call; empty if it is valid. The first three calls return their
// operand if a program is not partitioned: annotations of shardings and layouts, and the boundaries
// of buffers that are updated in place.
absl::string_view ErrorOfAnnotation(const HloInstruction& call);        // Sharding, SPMD...Shape
absl::string_view ErrorOfLayoutConstraint(const HloInstruction& call);  // LayoutConstraint
absl::string_view ErrorOfPin(const HloInstruction& call);               // Pin, Unpin
absl::string_view ErrorOfCreateBuffer(const HloInstruction& call);      // CreateBuffer
absl::string_view ErrorOfNoResults(const HloInstruction& call);         // control_dep, dce_sink
absl::string_view ErrorOfTopK(const HloInstruction& call);              // TopK

// Linear algebra on batches of matrices of any floating-point or complex type: Qr computes the
// factors and taus of LAPACK's geqrf; ProductOfElementaryHouseholderReflectors computes a matrix
// with orthonormal columns from them; Eigh computes eigenvectors and eigenvalues of a Hermitian
// matrix.
absl::string_view ErrorOfQr(const HloInstruction& call);
absl::string_view ErrorOfHouseholderProduct(const HloInstruction& call);

// The backend_config of Eigh, "lower,sort,sweeps,tolerance": whether it reads the lower triangle or
// the upper one; whether it sorts eigenvalues; and the most sweeps, until the elements off the
// diagonal are within the tolerance.
struct EighConfig {
  bool lower, sorts;
  int64_t most_sweeps;
  float tolerance;
};
// INVALID_ARGUMENT, with the reason alone, for other forms.
absl::StatusOr<EighConfig> EighConfigOf(const HloInstruction& call);

// Returns the dimension that a call of ApproxTopK reduces: reduction_dim of its backend_config, in
// text or JSON. Its operands are arrays, as many initial values, and a comparator. As XLA's CPU
// compiler does, everything here computes it exactly: the result consists of the first elements
// along the dimension after sorting by the comparator. INVALID_ARGUMENT, with the reason alone, for
// invalid calls.
absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call);

}  // namespace xla

#endif  // XLA_PASSES_CUSTOM_CALL_FORMS_H_
