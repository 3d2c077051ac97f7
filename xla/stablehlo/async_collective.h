// SPDX-License-Identifier: Apache-2.0
// Collectives that start and end with a custom call, as JAX 0.11 and later write them. Internal.
#ifndef XLA_STABLEHLO_ASYNC_COLLECTIVE_H_
#define XLA_STABLEHLO_ASYNC_COLLECTIVE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {

// Translates custom calls of "all-gather-start", "all-gather-done" and their like, as collectives
// that do not overlap with anything. False for other targets.
absl::StatusOr<bool> TranslateAsyncCollective(Translator& translator,
                                              const mlir::Operation& operation,
                                              std::string_view target);

// Splits one dimension in as many pieces as there are devices and concatenates the pieces received
// along another.
absl::StatusOr<HloInstruction*> EmitAllToAll(Translator& translator, HloInstruction* operand,
                                             const AllToAllAttributes& attributes, int64_t split,
                                             int64_t concat, int64_t count);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_ASYNC_COLLECTIVE_H_
