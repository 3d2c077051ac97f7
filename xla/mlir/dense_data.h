// SPDX-License-Identifier: Apache-2.0
// The bytes of dense constants, from MLIR's own layouts of them.
#ifndef XLA_MLIR_DENSE_DATA_H_
#define XLA_MLIR_DENSE_DATA_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "xla/mlir/context.h"

namespace xla::mlir {

// The constant of a static `type` whose elements are `bytes`, as MLIR stores them: one element (a
// splat) or all; i1 a byte or a bit each. Data that needs no change is not copied and must outlive
// the result. Null if the size does not fit the type; `error` then says why.
const DenseAttribute* MakeDense(TypeRef type, absl::Span<const char> bytes, Context* context,
                                std::string* error);

}  // namespace xla::mlir

#endif  // XLA_MLIR_DENSE_DATA_H_
