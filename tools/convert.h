// SPDX-License-Identifier: Apache-2.0
// Programs in the formats that `xylem print` and Python's `print` write.
#ifndef XYLEM_TOOLS_CONVERT_H_
#define XYLEM_TOOLS_CONVERT_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"

namespace xla {

struct HloTextStyle {
  std::string set = "long";  // long, short, canonical or fingerprint
  bool operand_shapes = false;
  bool large_constants = false;
  bool metadata = true;
};

struct StableHloStyle {
  bool bytecode = false;            // a portable artifact
  bool generic = false;             // text in MLIR's generic form
  bool locations = true;            // in text, if the program has any
  std::string version = "current";  // of a portable artifact
};

// INVALID_ARGUMENT for a set that does not exist.
absl::StatusOr<std::string> HloText(const HloModule& module, const HloTextStyle& style);

// A serialized HloModuleProto.
absl::StatusOr<std::string> HloProtoBytes(const HloModule& module);

// A program as StableHLO. What was read as StableHLO is `source` and is kept as it is, but for
// operations of MHLO that StableHLO lacks; then, and without a source, `hlo` is translated, whose
// module is changed.
absl::StatusOr<std::string> StableHloOf(
    std::unique_ptr<mlir::Source> source,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<HloModule>>()> hlo,
    const StableHloStyle& style);

}  // namespace xla

#endif  // XYLEM_TOOLS_CONVERT_H_
