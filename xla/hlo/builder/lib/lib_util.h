// SPDX-License-Identifier: Apache-2.0
// What functions that make several operations share. Internal to xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_LIB_LIB_UTIL_H_
#define XLA_HLO_BUILDER_LIB_LIB_UTIL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::lib_internal {

// Runs `make` as the call `name` of the user, with the builder of the operands. Without a builder
// the result is uninitialized.
inline XlaOp Make(const char* name, absl::Span<const XlaOp> operands,
                  absl::FunctionRef<absl::StatusOr<XlaOp>(XlaBuilder*)> make) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record(name, [&]() -> absl::StatusOr<XlaOp> {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].IsUninitialized())
        return InvalidArgument("operand %u of %s is an uninitialized XlaOp", i, name);
    }
    return make(builder);
  });
}

// The shape of an operand that must be an array.
absl::StatusOr<Shape> ArrayShape(XlaBuilder* builder, XlaOp operand);
// .. of real floating-point numbers.
absl::StatusOr<Shape> RealShape(XlaBuilder* builder, XlaOp operand);
// .. of at least this rank.
absl::StatusOr<Shape> ShapeOfRank(XlaBuilder* builder, XlaOp operand, int64_t least_rank);

// make(x), in F32 where the element type has 16 bits or fewer.
XlaOp InF32IfNarrow(XlaOp x, const Shape& shape, absl::FunctionRef<XlaOp(XlaOp)> make);

// The product, with frontend attributes that say of which operands it is the gradient.
absl::StatusOr<XlaOp> MarkGradients(XlaBuilder* builder, XlaOp product, bool grad_x, bool grad_y);

}  // namespace xla::lib_internal

#endif  // XLA_HLO_BUILDER_LIB_LIB_UTIL_H_
