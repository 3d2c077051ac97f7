// SPDX-License-Identifier: Apache-2.0
// Operations that HLO has none for: what the client library makes of them; and those of CHLO that
// broadcast.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/primitive_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// Builds `function` of parameters as the operands are and puts it in the place of the operation.
template <typename Function>
absl::Status TranslateByBuilder(Translator& translator, const Operation& operation,
                                const std::vector<HloInstruction*>& operands, Function function) {
  XlaBuilder builder("function");
  std::vector<XlaOp> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    parameters.push_back(Parameter(&builder, static_cast<int64_t>(i), operands[i]->shape(), "x"));
  }
  const auto computation = builder.Build(function(parameters));
  if (!computation.ok())
    return translator.Error(operation, std::string(computation.status().message()));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> module, computation->module());
  translator.SetResults(operation, translator.Inline(*module->entry_computation(), operands));
  return absl::OkStatus();
}

template <typename Function>
absl::Status TranslateByBuilder(Translator& translator, const Operation& operation, size_t arity,
                                Function function) {
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != arity || operation.results.size() != 1) {
    return translator.Error(operation, "has a wrong number of operands or results");
  }
  return TranslateByBuilder(translator, operation, operands, function);
}

template <XlaOp (*kFunction)(XlaOp)>
absl::Status TranslateUnary(Translator& translator, const Operation& operation) {
  return TranslateByBuilder(translator, operation, 1,
                            [](const std::vector<XlaOp>& x) { return kFunction(x[0]); });
}

template <XlaOp (*kFunction)(XlaOp, XlaOp)>
absl::Status TranslateBinary(Translator& translator, const Operation& operation) {
  return TranslateByBuilder(translator, operation, 2,
                            [](const std::vector<XlaOp>& x) { return kFunction(x[0], x[1]); });
}

PrimitiveType TypeOf(XlaOp x) {
  const auto shape = x.builder()->GetShape(x);
  return shape.ok() ? shape->element_type() : PRIMITIVE_TYPE_INVALID;
}

// (e^(x - ln 2) + sign e^(-x - ln 2)): CHLO's expansion, which does not overflow before the result
// does. Numbers narrower than f32 are computed in f32.
XlaOp HalfSumOfExponentials(XlaOp x, bool subtracts) {
  const XlaOp log_half = FullLike(x, std::log(0.5));
  const XlaOp positive = Exp(x + log_half), negative = Exp(log_half - x);
  return subtracts ? positive - negative : positive + negative;
}

template <XlaOp (*kFunction)(XlaOp)>
XlaOp InWideType(XlaOp x) {
  const PrimitiveType type = TypeOf(x);
  const bool is_narrow = primitive_util::IsFloatingPointType(type) && type != F32 && type != F64;
  return is_narrow ? ConvertElementType(kFunction(ConvertElementType(x, F32)), type) : kFunction(x);
}

XlaOp CoshByExponentials(XlaOp x) { return HalfSumOfExponentials(x, /*subtracts=*/false); }

// For small x by e^x - 1, which does not cancel.
XlaOp SinhByExponentials(XlaOp x) {
  const XlaOp large = HalfSumOfExponentials(x, /*subtracts=*/true);
  if (primitive_util::IsComplexType(TypeOf(x))) return large;
  const XlaOp expm1 = Expm1(x);
  const XlaOp one = FullLike(x, 1);
  const XlaOp small = ScalarLike(x, 0.5) * (expm1 + expm1 / (expm1 + one));
  return Select(Lt(Abs(x), one), small, large);
}

// Of complex x + iy: ((x - y) (x + y), 2xy), where the real part is 0 if |x| is |y| and finite.
XlaOp SquareWithoutCancellation(XlaOp z) {
  if (!primitive_util::IsComplexType(TypeOf(z))) return z * z;
  const XlaOp x = Real(z), y = Imag(z);
  const XlaOp cancels = And(Eq(Abs(x), Abs(y)), IsFinite(x));
  const XlaOp real = Select(cancels, ZerosLike(x), (x - y) * (x + y));
  const XlaOp product = x * y;
  return Complex(real, product + product);
}

// Of complex z: -i atanh(iz).
XlaOp AtanByAtanh(XlaOp z) {
  if (!primitive_util::IsComplexType(TypeOf(z))) return Atan(z);
  const XlaOp w = Atanh(Complex(Neg(Imag(z)), Real(z)));
  return Complex(Imag(w), Neg(Real(w)));
}

// Of complex z: z^(1/3).
XlaOp CubeRoot(XlaOp z) {
  if (!primitive_util::IsComplexType(TypeOf(z))) return Cbrt(z);
  return Pow(z, ScalarLike(z, 1.0 / 3.0));
}

XlaOp Conjugate(XlaOp x) { return MaybeConjugate(x, /*conjugate=*/true); }

// --- Binary operations that broadcast ---

// Both operands in the shape of the result, whose dimensions those of an operand are: the last
// ones, or for the one of lower rank those given.
absl::StatusOr<std::vector<HloInstruction*>> BroadcastOperands(Translator& translator,
                                                               const Operation& operation,
                                                               size_t count) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != count || operation.results.size() != 1) {
    return translator.Error(operation, "has a wrong number of operands or results");
  }
  XLA_ASSIGN_OR_RETURN(const Shape result, translator.ResultShape(operation));
  const auto rank = static_cast<int64_t>(result.dimensions().size());
  for (HloInstruction*& operand : operands) {
    const Shape& from = operand->shape();
    const auto operand_rank = static_cast<int64_t>(from.dimensions().size());
    std::vector<int64_t> dimensions;
    for (int64_t i = 0; i < operand_rank; ++i) dimensions.push_back(rank - operand_rank + i);
    if (operation.Find("broadcast_dimensions") != nullptr && operand_rank < rank) {
      XLA_ASSIGN_OR_RETURN(dimensions, translator.Integers(operation, "broadcast_dimensions"));
    }
    Shape wide = result;
    wide.set_element_type(from.element_type());
    XLA_ASSIGN_OR_RETURN(operand, translator.BroadcastInDim(operation, operand, wide, dimensions));
  }
  return operands;
}

template <HloOpcode kOpcode>
absl::Status TranslateBroadcasting(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands,
                       BroadcastOperands(translator, operation, 2));
  return translator.EmitResults(operation, kOpcode, operands);
}

absl::Status TranslateBroadcastSelect(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands,
                       BroadcastOperands(translator, operation, 3));
  return translator.EmitResults(operation, HloOpcode::kSelect, operands);
}

absl::Status TranslateBroadcastCompare(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands,
                       BroadcastOperands(translator, operation, 2));
  XLA_ASSIGN_OR_RETURN(CompareAttributes attributes,
                       translator.Comparison(operation, operands[0]->shape().element_type()));
  return translator.EmitResults(operation, HloOpcode::kCompare, operands, attributes);
}

template <XlaOp (*kFunction)(XlaOp, XlaOp)>
absl::Status TranslateBroadcastFunction(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands,
                       BroadcastOperands(translator, operation, 2));
  return TranslateByBuilder(translator, operation, operands,
                            [](const std::vector<XlaOp>& x) { return kFunction(x[0], x[1]); });
}

// --- Others ---

absl::Status TranslateEinsum(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::string_view text, translator.String(operation, "einsum_config"));
  const absl::string_view config(text.data(), text.size());
  if (operation.Is("stablehlo.unary_einsum")) {
    return TranslateByBuilder(translator, operation, 1,
                              [&](const std::vector<XlaOp>& x) { return Einsum(x[0], config); });
  }
  return TranslateByBuilder(translator, operation, 2, [&](const std::vector<XlaOp>& x) {
    return Einsum(x[0], x[1], config);
  });
}

absl::Status TranslateCubeRoot(Translator& translator, const Operation& operation) {
  if (operation.operands.size() == 1 &&
      primitive_util::IsComplexType(translator.Operand(operation, 0)->shape().element_type())) {
    return TranslateUnary<CubeRoot>(translator, operation);
  }
  return TranslateSameOperation(translator, operation);
}

absl::Status TranslateTorchIndexSelect(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const int64_t dim, translator.Integer(operation, "dim"));
  XLA_ASSIGN_OR_RETURN(const int64_t batch_dims, translator.Integer(operation, "batch_dims"));
  return TranslateByBuilder(translator, operation, 2, [&](const std::vector<XlaOp>& x) {
    return TorchIndexSelect(x[0], x[1], dim, batch_dims);
  });
}

}  // namespace

void AddFunctionHandlers(HandlerTable* table) {
  table->emplace("chlo.bessel_i1e", TranslateUnary<BesselI1e>);
  table->emplace("chlo.broadcast_add", TranslateBroadcasting<HloOpcode::kAdd>);
  table->emplace("chlo.broadcast_and", TranslateBroadcasting<HloOpcode::kAnd>);
  table->emplace("chlo.broadcast_atan2", TranslateBroadcasting<HloOpcode::kAtan2>);
  table->emplace("chlo.broadcast_compare", TranslateBroadcastCompare);
  table->emplace("chlo.broadcast_complex", TranslateBroadcasting<HloOpcode::kComplex>);
  table->emplace("chlo.broadcast_divide", TranslateBroadcasting<HloOpcode::kDivide>);
  table->emplace("chlo.broadcast_maximum", TranslateBroadcasting<HloOpcode::kMaximum>);
  table->emplace("chlo.broadcast_minimum", TranslateBroadcasting<HloOpcode::kMinimum>);
  table->emplace("chlo.broadcast_multiply", TranslateBroadcasting<HloOpcode::kMultiply>);
  table->emplace("chlo.broadcast_next_after", TranslateBroadcastFunction<NextAfter>);
  table->emplace("chlo.broadcast_or", TranslateBroadcasting<HloOpcode::kOr>);
  table->emplace("chlo.broadcast_polygamma", TranslateBroadcastFunction<Polygamma>);
  table->emplace("chlo.broadcast_power", TranslateBroadcasting<HloOpcode::kPower>);
  table->emplace("chlo.broadcast_remainder", TranslateBroadcasting<HloOpcode::kRemainder>);
  table->emplace("chlo.broadcast_select", TranslateBroadcastSelect);
  table->emplace("chlo.broadcast_shift_left", TranslateBroadcasting<HloOpcode::kShiftLeft>);
  table->emplace("chlo.broadcast_shift_right_arithmetic",
                 TranslateBroadcasting<HloOpcode::kShiftRightArithmetic>);
  table->emplace("chlo.broadcast_shift_right_logical",
                 TranslateBroadcasting<HloOpcode::kShiftRightLogical>);
  table->emplace("chlo.broadcast_subtract", TranslateBroadcasting<HloOpcode::kSubtract>);
  table->emplace("chlo.broadcast_xor", TranslateBroadcasting<HloOpcode::kXor>);
  table->emplace("chlo.broadcast_zeta", TranslateBroadcastFunction<Zeta>);
  table->emplace("chlo.atan", TranslateUnary<AtanByAtanh>);
  table->emplace("chlo.conj", TranslateUnary<Conjugate>);
  table->emplace("chlo.cosh", TranslateUnary<InWideType<CoshByExponentials>>);
  table->emplace("chlo.digamma", TranslateUnary<Digamma>);
  table->emplace("chlo.erf_inv", TranslateUnary<ErfInv>);
  table->emplace("chlo.erfc", TranslateUnary<Erfc>);
  table->emplace("chlo.is_inf", TranslateUnary<IsInf>);
  table->emplace("chlo.is_neg_inf", TranslateUnary<IsNegInf>);
  table->emplace("chlo.is_pos_inf", TranslateUnary<IsPosInf>);
  table->emplace("chlo.lgamma", TranslateUnary<Lgamma>);
  table->emplace("chlo.next_after", TranslateBinary<NextAfter>);
  table->emplace("chlo.polygamma", TranslateBinary<Polygamma>);
  table->emplace("chlo.zeta", TranslateBinary<Zeta>);
  table->emplace("chlo.sinh", TranslateUnary<InWideType<SinhByExponentials>>);
  table->emplace("chlo.square", TranslateUnary<SquareWithoutCancellation>);
  table->emplace("stablehlo.cbrt", TranslateCubeRoot);
  table->emplace("stablehlo.einsum", TranslateEinsum);
  table->emplace("stablehlo.torch_index_select", TranslateTorchIndexSelect);
  table->emplace("stablehlo.unary_einsum", TranslateEinsum);
}

}  // namespace xla::stablehlo
