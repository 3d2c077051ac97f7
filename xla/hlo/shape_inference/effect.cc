// SPDX-License-Identifier: Apache-2.0
// Shape inference of tokens and host transfers.
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

Shape Token() { return ShapeUtil::MakeTokenShape(); }

absl::Status ExpectToken(const InferenceInput& in, int64_t i) {
  if (Operand(in, i).IsToken()) return absl::OkStatus();
  return InvalidArgumentStrCat("Expected operand ", i, " of ", OpName(in.opcode),
                               " to be token-shaped, actual shape is ", Str(Operand(in, i)));
}

// The tuple of a send or recv, perhaps passed on through other tuples.
absl::Status ExpectTransfer(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  if (operand.IsTuple() && operand.tuple_shapes_size() >= 1) return absl::OkStatus();
  return InvalidArgumentStrCat("The operand of ", OpName(in.opcode),
                               " must be the tuple of a send or recv; got ", Str(operand), ".");
}

Shape Transfer(const Shape& data) {
  return ShapeUtil::MakeTupleShape({data, ScalarShape(U32), Token()});
}

// The verifier compares layouts with those inferred.
Result CheckDeclared(const InferenceInput& in, const Shape& inferred) {
  if (in.declared != nullptr) XLA_RETURN_IF_ERROR(DeclaredMustBe(in, inferred).status());
  return inferred;
}

}  // namespace

Result InferAfterAll(const InferenceInput&) {
  // Operands of any shape: as in XLA, the token waits for them.
  return Token();
}

Result InferAddDependency(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectToken(in, 1));
  return Operand(in, 0);
}

Result InferInfeed(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectToken(in, 0));
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!declared->IsTuple() || declared->tuple_shapes_size() != 2 ||
      !declared->tuple_shapes(1).IsToken()) {
    return InvalidArgumentStrCat(
        "The result of infeed must be a tuple of the data and a token; got ", Str(*declared), ".");
  }
  return *declared;
}

Result InferOutfeed(const InferenceInput& in) {
  const auto& outfeed_shape = Attrs<OutfeedAttributes>(in).outfeed_shape;
  XLA_RETURN_IF_ERROR(ExpectToken(in, 1));
  if (outfeed_shape.has_value())
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(*outfeed_shape));
  if (outfeed_shape.has_value() && !ShapeUtil::Compatible(*outfeed_shape, Operand(in, 0))) {
    return InvalidArgumentStrCat("Expected outfeed shape to be equal to operand's shape ",
                                 Str(Operand(in, 0)), ", actual shape is ", Str(*outfeed_shape));
  }
  return Token();
}

Result InferSend(const InferenceInput& in) {
  // Where an instruction exists, its shape alone says what is sent.
  if (in.declared == nullptr) XLA_RETURN_IF_ERROR(ExpectToken(in, 1));
  return CheckDeclared(in, Transfer(Operand(in, 0)));
}

Result InferSendDone(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectTransfer(in));
  return Token();
}

Result InferRecv(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectToken(in, 0));
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!declared->IsTuple() || declared->tuple_shapes_size() != 3) {
    return InvalidArgumentStrCat(
        "The result of recv must be a tuple of data, u32[] and token; got ", Str(*declared), ".");
  }
  return CheckDeclared(in, Transfer(declared->tuple_shapes(0)));
}

Result InferRecvDone(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectTransfer(in));
  return CheckDeclared(in, ShapeUtil::MakeTupleShape({Operand(in, 0).tuple_shapes(0), Token()}));
}

}  // namespace xla::shape_inference
