// SPDX-License-Identifier: Apache-2.0
#include "xla/service/hlo_verifier.h"

#include "xla/base/status_macros.h"

namespace xla {

absl::StatusOr<bool> HloVerifier::Run(HloModule* module,
                                      const absl::flat_hash_set<absl::string_view>&) const {
  XLA_RETURN_IF_ERROR(VerifyModule(*module, options_));
  return false;
}

}  // namespace xla
