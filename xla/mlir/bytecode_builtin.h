// SPDX-License-Identifier: Apache-2.0
// How the builtin dialect is encoded in bytecode.
#ifndef XLA_MLIR_BYTECODE_BUILTIN_H_
#define XLA_MLIR_BYTECODE_BUILTIN_H_

#include "xla/mlir/bytecode_reader.h"

namespace xla::mlir {

const DialectBytecode& BuiltinBytecode();

// Fails if two attributes have the same name.
bool CheckDistinctNames(absl::Span<const NamedAttribute> attributes, BytecodeCursor& cursor);

}  // namespace xla::mlir

#endif  // XLA_MLIR_BYTECODE_BUILTIN_H_
