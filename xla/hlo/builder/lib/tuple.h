// SPDX-License-Identifier: Apache-2.0
// Tuples taken apart and put together.
#ifndef XLA_HLO_BUILDER_LIB_TUPLE_H_
#define XLA_HLO_BUILDER_LIB_TUPLE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape_tree.h"

namespace xla {

// For every part of the tuple the operation that gives it; the root is the tuple itself.
absl::StatusOr<ShapeTree<XlaOp>> DisassembleTuple(XlaOp tuple);

// The tuple of the leaves; what stands at tuples is not used.
XlaOp AssembleTuple(XlaBuilder* builder, ShapeTree<XlaOp> elements);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_TUPLE_H_
