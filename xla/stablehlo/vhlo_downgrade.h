// SPDX-License-Identifier: Apache-2.0
// The operations of VHLO that stand for those of StableHLO at a given version.
#ifndef XLA_STABLEHLO_VHLO_DOWNGRADE_H_
#define XLA_STABLEHLO_VHLO_DOWNGRADE_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {

struct Version {
  int major = 1, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};

// "1.10.3", "current" (the latest), "minimum" (1.0.0). Errors: other texts, and versions that are
// not written: before 1.0 or later than the latest.
absl::StatusOr<Version> ParseVersion(std::string_view text);
inline constexpr Version kLatestVersion = {1, 20, 0};

struct VhloForm {
  const VhloOperation* operation = nullptr;
  std::vector<mlir::AttributeRef> properties;     // in the order of operation->attributes
  std::vector<mlir::NamedAttribute> discardable;  // the other attributes
};

// Attributes that VHLO requires get their default values; those that are one in StableHLO are
// taken apart. New attributes are made in the context of the source. Errors: operations that VHLO
// does not have, or not in that version with what the operation states.
absl::StatusOr<VhloForm> DowngradeToVhlo(const mlir::Operation& operation, const Version& version,
                                         mlir::Context* context);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_VHLO_DOWNGRADE_H_
