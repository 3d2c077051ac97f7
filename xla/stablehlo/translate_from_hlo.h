// SPDX-License-Identifier: Apache-2.0
// Translates HLO modules to StableHLO.
#ifndef XLA_STABLEHLO_TRANSLATE_FROM_HLO_H_
#define XLA_STABLEHLO_TRANSLATE_FROM_HLO_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

// The entry computation becomes a public function, @main unless named; computations that are called
// become functions, others regions. Layouts are dropped. Unimplemented names an operation that
// StableHLO does not have.
absl::StatusOr<std::unique_ptr<mlir::Source>> TranslateFromHlo(
    const HloModule& module, std::string_view entry_name = "main");

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_TRANSLATE_FROM_HLO_H_
