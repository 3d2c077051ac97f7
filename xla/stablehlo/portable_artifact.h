// SPDX-License-Identifier: Apache-2.0
// Portable artifacts: MLIR bytecode (container version 6) that holds VHLO of a given version.
#ifndef XLA_STABLEHLO_PORTABLE_ARTIFACT_H_
#define XLA_STABLEHLO_PORTABLE_ARTIFACT_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/vhlo_downgrade.h"

namespace xla::stablehlo {

// The same program gives the same bytes. New attributes are made in the context of the source.
// Errors: operations and attributes that the version does not have; other dialects than func and
// stablehlo.
absl::StatusOr<std::string> WritePortableArtifact(mlir::Source* source, const Version& version);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_PORTABLE_ARTIFACT_H_
