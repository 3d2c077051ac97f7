// SPDX-License-Identifier: Apache-2.0
// VHLO, the versioned form of StableHLO in portable artifacts: its encoding in bytecode, and what
// it stands for.
#ifndef XLA_STABLEHLO_VHLO_H_
#define XLA_STABLEHLO_VHLO_H_

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

struct VhloOperation {
  std::string_view name;        // "add_v1"
  std::string_view first;       // the versions of VHLO that have it: "0.9.0"
  std::string_view last;        // "current" if it is not replaced
  std::string_view attributes;  // in alphabetical order, separated by spaces
};

// Null if there is none of that name.
const VhloOperation* FindVhloOperation(std::string_view name);

// The code of a type that VHLO has without parameters: integers and floats.
std::optional<uint64_t> VhloCodeOf(const mlir::Type& type);
// The code of an enumeration, and of its keyword.
std::optional<std::pair<uint64_t, uint64_t>> VhloEnumCode(const mlir::DialectAttribute& attribute);

// Attributes in the order of `names`, which are separated by spaces; a '?' behind a name means that
// it may be absent. False after an error.
bool ReadListedProperties(std::string_view names, mlir::BytecodeEntry& entry,
                          std::vector<mlir::NamedAttribute>* attributes);

// The encoding of sdy (sdy_bytecode.cc).
mlir::DialectBytecode ShardyBytecode();

// The encodings of vhlo, chlo and sdy. Types and attributes are read as the builtin ones they stand
// for.
absl::Span<const mlir::DialectBytecode> BytecodeEncodings();

// Makes every operation of VHLO, of any version, the one of StableHLO or func that it stands for.
// Attributes that have their default value are dropped.
absl::Status UpgradeVhlo(mlir::Source* source);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_VHLO_H_
