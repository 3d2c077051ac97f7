// SPDX-License-Identifier: Apache-2.0
// Custom call "ApproxTopK": arrays, as many initial values, and a computation that compares. As
// XLA's CPU compiler, everything here computes it exactly: the arrays sorted by the computation, of
// which the first elements along one dimension are the result.
#ifndef XLA_PASSES_APPROX_TOP_K_CALL_H_
#define XLA_PASSES_APPROX_TOP_K_CALL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// The dimension that the call reduces: reduction_dim of its backend_config, in text or JSON.
// INVALID_ARGUMENT for calls that are not of this form: the verifier does not check custom calls.
absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call);

}  // namespace xla

#endif  // XLA_PASSES_APPROX_TOP_K_CALL_H_
