// SPDX-License-Identifier: Apache-2.0
// Stand-ins for passes that make a module one that XLA's interpreter can run; Xylem's runs all.
#ifndef TESTS_XLA_COMPAT_REFERENCE_PASSES_H_
#define TESTS_XLA_COMPAT_REFERENCE_PASSES_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

class Despecializer {
 public:
  absl::StatusOr<bool> Run(HloModule*) { return false; }
};
using BFloat16MixedPrecisionRemoval = Despecializer;

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_REFERENCE_PASSES_H_
