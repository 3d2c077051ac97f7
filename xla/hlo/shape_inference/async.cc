// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations that start and finish separately: copy-start/-done,
// async-start/-update/-done.
#include <string>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

// ((operands..), result, state..)
absl::Status ExpectAsyncShape(const InferenceInput& in, const Shape& shape) {
  if (shape.IsTuple() && shape.tuple_shapes_size() >= 2 && shape.tuple_shapes(0).IsTuple()) {
    return absl::OkStatus();
  }
  return InvalidArgumentStrCat(
      "The ", OpName(in.opcode),
      " expects the async shape to be a tuple of at least two elements, the first a "
      "tuple of the operands, found ",
      Str(shape), ".");
}

// output_to_operand_aliasing names parameters of the wrapped computation and parts of the async
// shape.
absl::Status CheckAliases(const InferenceInput& in, const ProgramShape& wrapped) {
  const auto is_same = Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer();
  for (const OutputOperandAlias& alias : Attrs<AsyncAttributes>(in).output_to_operand_aliasing) {
    if (!InRange(alias.operand, wrapped.parameters_size())) {
      return InvalidArgument(
          "Invalid aliasing operand index. Operand number %d in aliasing config is out of bounds.",
          alias.operand);
    }
    const Shape& parameter = wrapped.parameters(static_cast<int>(alias.operand));
    if (!ShapeUtil::IndexIsValid(parameter, alias.operand_index)) {
      return InvalidArgumentStrCat("Invalid aliasing operand shape index. There is no {",
                                   Joined(alias.operand_index), "} in ", Str(parameter), ".");
    }
    if (alias.output_index.empty()) return InvalidArgument("Output index should not be empty.");
    if (!ShapeUtil::IndexIsValid(*in.declared, alias.output_index)) {
      return InvalidArgumentStrCat("Invalid aliasing output shape index. There is no {",
                                   Joined(alias.output_index), "} in ", Str(*in.declared), ".");
    }
    const Shape& from = ShapeUtil::GetSubshape(parameter, alias.operand_index);
    const Shape& to = ShapeUtil::GetSubshape(*in.declared, alias.output_index);
    if (!is_same(from, to)) {
      return InvalidArgumentStrCat("Different aliasing shapes: ", Str(from), " vs ", Str(to));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Result InferCopyStart(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Shape inferred = ShapeUtil::MakeTupleShape({operand, operand, ScalarShape(U32)});
  // The verifier compares layouts with those inferred.
  if (in.declared != nullptr) XLA_RETURN_IF_ERROR(DeclaredMustBe(in, inferred).status());
  return inferred;
}

Result InferCopyDone(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  if (!operand.IsTuple() || operand.tuple_shapes_size() < 2) {
    return InvalidArgumentStrCat("The operand of copy-done must be the tuple of a copy-start; got ",
                                 Str(operand), ".");
  }
  if (!ShapeUtil::Compatible(operand.tuple_shapes(0), operand.tuple_shapes(1))) {
    return InvalidArgumentStrCat(
        "Source and destination buffers in CopyDone arguments need to be the same shape found ",
        Str(operand.tuple_shapes(0)), " and ", Str(operand.tuple_shapes(1)));
  }
  return operand.tuple_shapes(0);
}

Result InferAsyncStart(const InferenceInput& in) {
  const ProgramShape& wrapped = *in.callees[0];
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  for (int i = 0; i < wrapped.parameters_size(); ++i) {
    if (!ShapeUtil::Compatible(Operand(in, i), wrapped.parameters(i))) {
      return InvalidArgumentStrCat("The async-start expects the shape of operand ", i,
                                   " to match the async shape at index {0} (", Str(Operand(in, i)),
                                   " vs ", Str(wrapped.parameters(i)), ").");
    }
  }
  const Shape parameters = ShapeUtil::MakeTupleShape(std::vector<Shape>(wrapped.parameters()));
  if (in.declared == nullptr) return ShapeUtil::MakeTupleShape({parameters, wrapped.result()});
  XLA_RETURN_IF_ERROR(ExpectAsyncShape(in, *in.declared));
  if (!ShapeUtil::Compatible(in.declared->tuple_shapes(0), parameters)) {
    return InvalidArgumentStrCat(
        "The async-start expects the async shape at index {0} to match async "
        "computation parameter shape (",
        Str(in.declared->tuple_shapes(0)), " vs ", Str(parameters), ").");
  }
  if (!ShapeUtil::Compatible(in.declared->tuple_shapes(1), wrapped.result())) {
    return InvalidArgumentStrCat(
        "The async-start expects the async shape at index {1} to match the async "
        "computation root shape (",
        Str(in.declared->tuple_shapes(1)), " vs ", Str(wrapped.result()), ").");
  }
  XLA_RETURN_IF_ERROR(CheckAliases(in, wrapped));
  return *in.declared;
}

Result InferAsyncUpdate(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectAsyncShape(in, Operand(in, 0)));
  if (in.declared == nullptr) return Operand(in, 0);
  if (!ShapeUtil::Compatible(Operand(in, 0), *in.declared)) {
    return InvalidArgumentStrCat(
        "The async-update expects the shape of operand and output to match (", Str(Operand(in, 0)),
        " vs ", Str(*in.declared), ").");
  }
  return *in.declared;
}

Result InferAsyncDone(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectAsyncShape(in, Operand(in, 0)));
  const Shape& result = Operand(in, 0).tuple_shapes(1);
  if (in.declared == nullptr) return result;
  if (!ShapeUtil::Compatible(result, *in.declared)) {
    return InvalidArgumentStrCat(
        "The async-done expects the shape of output to match the async shape at index {1} (",
        Str(*in.declared), " vs ", Str(result), ").");
  }
  return *in.declared;
}

}  // namespace xla::shape_inference
