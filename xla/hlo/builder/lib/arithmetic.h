// SPDX-License-Identifier: Apache-2.0
// Scalar computations for reductions and the like, and reductions made of them.
#ifndef XLA_HLO_BUILDER_LIB_ARITHMETIC_H_
#define XLA_HLO_BUILDER_LIB_ARITHMETIC_H_

#include <functional>
#include <string>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

using XlaOpGenerator = std::function<XlaOp(XlaOp, XlaOp)>;

// generator(lhs, rhs) of two scalars, as a computation for `builder` to call. An error is noted in
// the builder; the computation is then null.
XlaComputation CreateScalarComputation(const std::string& name, PrimitiveType type,
                                       XlaBuilder* builder, XlaOpGenerator generator);
XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder);
XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder);
// For reductions of which at most one element is not 0: or for integers and pred, else add.
XlaComputation CreateScalarIdentityWithZeroComputation(PrimitiveType type, XlaBuilder* builder);

// Whether any, or all, of an array of pred are true.
XlaOp Any(XlaOp predicates);
XlaOp All(XlaOp predicates);

// The index of the greatest (least) element along the axis, the lowest of equal ones. NaN loses to
// any number.
XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int axis);
XlaOp ArgMin(XlaOp input, PrimitiveType output_type, int axis);
XlaOp ArgMinMax(XlaOp input, PrimitiveType output_type, int axis, bool is_min);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_ARITHMETIC_H_
