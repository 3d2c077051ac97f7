// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla::stablehlo {

absl::StatusOr<std::unique_ptr<mlir::Source>> TranslateFromHlo(const HloModule&) {
  return absl::UnimplementedError("the translation of HLO to StableHLO is not implemented");
}

}  // namespace xla::stablehlo
