// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of StableHLO and CHLO as HLO.
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

constexpr std::pair<std::string_view, HloOpcode> kSameOperation[] = {
    {"stablehlo.cbrt", HloOpcode::kCbrt},
    {"stablehlo.abs", HloOpcode::kAbs},
    {"stablehlo.add", HloOpcode::kAdd},
    {"stablehlo.and", HloOpcode::kAnd},
    {"stablehlo.atan2", HloOpcode::kAtan2},
    {"stablehlo.ceil", HloOpcode::kCeil},
    {"stablehlo.complex", HloOpcode::kComplex},
    {"stablehlo.convert", HloOpcode::kConvert},
    {"stablehlo.cosine", HloOpcode::kCos},
    {"stablehlo.count_leading_zeros", HloOpcode::kClz},
    {"stablehlo.divide", HloOpcode::kDivide},
    {"stablehlo.exponential", HloOpcode::kExp},
    {"stablehlo.exponential_minus_one", HloOpcode::kExpm1},
    {"stablehlo.floor", HloOpcode::kFloor},
    {"stablehlo.is_finite", HloOpcode::kIsFinite},
    {"stablehlo.log", HloOpcode::kLog},
    {"stablehlo.log_plus_one", HloOpcode::kLog1p},
    {"stablehlo.logistic", HloOpcode::kLogistic},
    {"stablehlo.maximum", HloOpcode::kMaximum},
    {"stablehlo.minimum", HloOpcode::kMinimum},
    {"stablehlo.multiply", HloOpcode::kMultiply},
    {"stablehlo.negate", HloOpcode::kNegate},
    {"stablehlo.not", HloOpcode::kNot},
    {"stablehlo.or", HloOpcode::kOr},
    {"stablehlo.popcnt", HloOpcode::kPopulationCount},
    {"stablehlo.power", HloOpcode::kPower},
    {"stablehlo.remainder", HloOpcode::kRemainder},
    {"stablehlo.round_nearest_afz", HloOpcode::kRoundNearestAfz},
    {"stablehlo.round_nearest_even", HloOpcode::kRoundNearestEven},
    {"stablehlo.rsqrt", HloOpcode::kRsqrt},
    {"stablehlo.shift_left", HloOpcode::kShiftLeft},
    {"stablehlo.shift_right_arithmetic", HloOpcode::kShiftRightArithmetic},
    {"stablehlo.shift_right_logical", HloOpcode::kShiftRightLogical},
    {"stablehlo.sign", HloOpcode::kSign},
    {"stablehlo.sine", HloOpcode::kSin},
    {"stablehlo.sqrt", HloOpcode::kSqrt},
    {"stablehlo.subtract", HloOpcode::kSubtract},
    {"stablehlo.tan", HloOpcode::kTan},
    {"stablehlo.tanh", HloOpcode::kTanh},
    {"stablehlo.xor", HloOpcode::kXor},
    {"chlo.acos", HloOpcode::kAcos},
    {"chlo.acosh", HloOpcode::kAcosh},
    {"chlo.asin", HloOpcode::kAsin},
    {"chlo.asinh", HloOpcode::kAsinh},
    {"chlo.atanh", HloOpcode::kAtanh},
    {"chlo.erf", HloOpcode::kErf},
    {"chlo.mulhi", HloOpcode::kMulhi},
    {"chlo.tan", HloOpcode::kTan},
};

// result_accuracy = #stablehlo.result_accuracy<..>
void SetAccuracy(const Operation& operation, HloInstruction* instruction) {
  const mlir::AttributeRef attribute = operation.Find("result_accuracy");
  const auto* accuracy = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  if (accuracy == nullptr) return;
  const mlir::AttributeRef mode = mlir::FindAttribute(accuracy->parameters, "mode");
  const auto* keyword = mode == nullptr ? nullptr : mode->As<mlir::DialectAttribute>();
  if (keyword == nullptr || keyword->text == "DEFAULT") return;
  AccuracySpec& spec = instruction->mutable_extras().result_accuracy;
  if (keyword->text == "HIGHEST") {
    spec.mode = AccuracySpec::Mode::kHighest;
    return;
  }
  spec.mode = AccuracySpec::Mode::kTolerance;
  for (const auto& [name, value] : accuracy->parameters) {
    const auto* number = value->As<mlir::FloatAttribute>();
    const auto* integer = value->As<mlir::IntegerAttribute>();
    if (name == "atol" && number != nullptr) spec.atol = number->value();
    if (name == "rtol" && number != nullptr) spec.rtol = number->value();
    if (name == "ulps" && integer != nullptr) spec.ulps = integer->value;
  }
}

absl::Status TranslateCompare(Translator& translator, const Operation& operation) {
  const PrimitiveType element = translator.Operand(operation, 0)->shape().element_type();
  XLA_ASSIGN_OR_RETURN(const CompareAttributes attributes,
                       translator.Comparison(operation, element));
  return translator.EmitResults(operation, HloOpcode::kCompare, translator.Operands(operation),
                                attributes);
}

// Scalars of select and clamp may be narrower than the result.
absl::Status TranslateSelect(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != 3) return translator.Error(operation, "needs three operands");
  operands[0] = translator.BroadcastScalar(operands[0], operands[1]->shape());
  return translator.EmitResults(operation, HloOpcode::kSelect, operands);
}

absl::Status TranslateClamp(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != 3) return translator.Error(operation, "needs three operands");
  operands[0] = translator.BroadcastScalar(operands[0], operands[1]->shape());
  operands[2] = translator.BroadcastScalar(operands[2], operands[1]->shape());
  return translator.EmitResults(operation, HloOpcode::kClamp, operands);
}

// Of real numbers: themselves, and zero.
absl::Status TranslateReal(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  if (primitive_util::IsComplexType(operand->shape().element_type())) {
    return translator.EmitResults(operation, HloOpcode::kReal, {operand});
  }
  translator.SetResults(operation, operand);
  return absl::OkStatus();
}

absl::Status TranslateImag(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  if (primitive_util::IsComplexType(operand->shape().element_type())) {
    return translator.EmitResults(operation, HloOpcode::kImag, {operand});
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
  HloInstruction* zero = translator.Emit(
      HloOpcode::kConstant, ShapeUtil::MakeShape(shape.element_type(), {}), {},
      ConstantAttributes{
          {std::make_shared<Literal>(Literal(ShapeUtil::MakeShape(shape.element_type(), {})))}});
  translator.SetResults(operation, translator.BroadcastScalar(zero, shape));
  return absl::OkStatus();
}

// Elements of i1 are bits, those of pred bytes: numbers become bits by shifts, and bits numbers by
// a sum.
absl::Status TranslateBitcastConvert(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  if (Translator::HasOpenResult(operation)) {
    return translator.EmitResults(operation, HloOpcode::kBitcastConvert, {operand});
  }
  XLA_ASSIGN_OR_RETURN(const Shape result, translator.ResultShape(operation));
  const bool from_bits = operand->shape().element_type() == PRED;
  const bool to_bits = result.element_type() == PRED;
  if (from_bits == to_bits) {
    return translator.EmitResults(operation, HloOpcode::kBitcastConvert, {operand});
  }
  const Shape& bits_shape = from_bits ? operand->shape() : result;
  const Shape& numbers = from_bits ? result : operand->shape();
  if (bits_shape.dimensions().size() != numbers.dimensions().size() + 1) {
    return translator.Error(operation, "needs one dimension more for the bits");
  }
  const auto last = static_cast<int64_t>(numbers.dimensions().size());
  const PrimitiveType word = primitive_util::UnsignedIntegralTypeForBitWidth(
      static_cast<int64_t>(bits_shape.dimensions().back()));
  if (word == PRIMITIVE_TYPE_INVALID) {
    return translator.Error(operation, "there are no numbers of that many bits");
  }
  Shape words = numbers, wide = bits_shape;
  words.set_element_type(word);
  wide.set_element_type(word);
  HloInstruction* places = translator.Emit(HloOpcode::kIota, wide, {}, IotaAttributes{last});
  if (from_bits) {
    HloInstruction* shifted =
        translator.Emit(HloOpcode::kShiftLeft, wide,
                        {translator.Emit(HloOpcode::kConvert, wide, {operand}), places});
    XLA_ASSIGN_OR_RETURN(HloComputation * sum, translator.ScalarComputation(HloOpcode::kOr, word));
    const Shape scalar = ShapeUtil::MakeShape(word, {});
    HloInstruction* zero =
        translator.Emit(HloOpcode::kConstant, scalar, {},
                        ConstantAttributes{{std::make_shared<Literal>(Literal(scalar))}});
    DimensionListAttributes dimensions;
    dimensions.dimensions = {last};
    HloInstruction* joined =
        translator.Emit(HloOpcode::kReduce, words, {shifted, zero}, dimensions, {sum});
    return translator.EmitResults(operation, HloOpcode::kBitcastConvert, {joined});
  }
  DimensionListAttributes dimensions;
  for (int64_t i = 0; i < last; ++i) dimensions.dimensions.push_back(i);
  HloInstruction* value = translator.Emit(HloOpcode::kBitcastConvert, words, {operand});
  value = translator.Emit(HloOpcode::kBroadcast, wide, {value}, dimensions);
  value = translator.Emit(HloOpcode::kShiftRightLogical, wide, {value, places});
  const Shape scalar = ShapeUtil::MakeShape(word, {});
  HloInstruction* one = translator.BroadcastScalar(
      translator.Emit(HloOpcode::kConstant, scalar, {},
                      ConstantAttributes{{std::make_shared<Literal>(LiteralUtil::One(word))}}),
      wide);
  value = translator.Emit(HloOpcode::kAnd, wide, {value, one});
  CompareAttributes equal;
  equal.direction = ComparisonDirection::kEq;
  return translator.EmitResults(operation, HloOpcode::kCompare, {value, one}, equal);
}

absl::Status TranslateReducePrecision(Translator& translator, const Operation& operation) {
  ReducePrecisionAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.exponent_bits, translator.Integer(operation, "exponent_bits"));
  XLA_ASSIGN_OR_RETURN(attributes.mantissa_bits, translator.Integer(operation, "mantissa_bits"));
  HloInstruction* operand = translator.Operand(operation, 0);
  if (attributes.mantissa_bits > 0) {
    return translator.EmitResults(operation, HloOpcode::kReducePrecision, {operand}, attributes);
  }
  // Without a mantissa, there is no NaN: it becomes an infinity. HLO's operation keeps it.
  const Shape& shape = operand->shape();
  HloInstruction* reduced =
      translator.Emit(HloOpcode::kReducePrecision, shape, {operand}, attributes);
  CompareAttributes differs;
  differs.direction = ComparisonDirection::kNe;
  Shape flags = shape;
  flags.set_element_type(PRED);
  HloInstruction* is_nan = translator.Emit(HloOpcode::kCompare, flags, {operand, operand}, differs);
  const Shape scalar = ShapeUtil::MakeShape(shape.element_type(), {});
  HloInstruction* infinity = translator.Emit(HloOpcode::kConstant, scalar, {},
                                             ConstantAttributes{{std::make_shared<Literal>(
                                                 LiteralUtil::MaxValue(scalar.element_type()))}});
  translator.SetResults(
      operation, translator.Emit(HloOpcode::kSelect, shape,
                                 {is_nan, translator.BroadcastScalar(infinity, shape), reduced}));
  return absl::OkStatus();
}

// A number in the shape of the operand.
absl::Status TranslateConstantLike(Translator& translator, const Operation& operation) {
  Shape shape = translator.Operand(operation, 0)->shape();
  XLA_ASSIGN_OR_RETURN(const PrimitiveType element,
                       translator.ElementType(operation, operation.results[0].type->element));
  shape.set_element_type(element);
  const mlir::AttributeRef value = operation.Find("value");
  const auto* number = value == nullptr ? nullptr : value->As<mlir::FloatAttribute>();
  const auto* integer = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
  Literal literal(ShapeUtil::MakeShape(shape.element_type(), {}));
  const auto bytes = static_cast<size_t>(literal.size_bytes());
  if (number != nullptr && bytes <= sizeof(number->bits)) {
    std::memcpy(literal.untyped_data(), number->bits.data(), bytes);
  } else if (integer != nullptr && bytes <= sizeof(integer->value)) {
    std::memcpy(literal.untyped_data(), &integer->value, bytes);
  } else {
    return translator.Error(operation, "needs the attribute 'value', a number");
  }
  const Shape scalar_shape = literal.shape();
  HloInstruction* scalar =
      translator.Emit(HloOpcode::kConstant, scalar_shape, {},
                      ConstantAttributes{{std::make_shared<Literal>(std::move(literal))}});
  translator.SetResults(operation, translator.BroadcastScalar(scalar, shape));
  return absl::OkStatus();
}

absl::Status TranslateConstant(Translator& translator, const Operation& operation) {
  const mlir::AttributeRef value = operation.Find("value");
  if (const auto* dense = value == nullptr ? nullptr : value->As<mlir::DenseAttribute>()) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * constant, translator.Constant(operation, *dense));
    translator.SetResults(operation, constant);
    return absl::OkStatus();
  }
  if (!operation.Is("arith.constant")) {
    return translator.Unimplemented(operation, "a constant that is not dense");
  }
  // A number that is no tensor, of which the sizes of dynamic programs are computed.
  return translator.TranslateScalar(operation);
}

}  // namespace

absl::Status TranslateSameOperation(Translator& translator, const Operation& operation) {
  static const auto* const opcodes = [] {
    auto* all = new absl::flat_hash_map<std::string_view, HloOpcode>();
    for (const auto& [name, opcode] : kSameOperation) all->emplace(name, opcode);
    return all;
  }();
  const HloOpcode opcode = opcodes->find(operation.name->text)->second;
  if (opcode == HloOpcode::kConvert && !Translator::HasOpenResult(operation)) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
    if (translator.ReplaceByOperand(operation, shape)) return absl::OkStatus();
  }
  XLA_RETURN_IF_ERROR(translator.EmitResults(operation, opcode, translator.Operands(operation)));
  if (operation.results.size() == 1) {
    SetAccuracy(operation, translator.Get(&operation.results[0]));
  }
  return absl::OkStatus();
}

absl::StatusOr<CompareAttributes> Translator::Comparison(const Operation& operation,
                                                         PrimitiveType element) const {
  static constexpr std::pair<std::string_view, ComparisonDirection> kDirections[] = {
      {"EQ", ComparisonDirection::kEq}, {"NE", ComparisonDirection::kNe},
      {"GE", ComparisonDirection::kGe}, {"GT", ComparisonDirection::kGt},
      {"LE", ComparisonDirection::kLe}, {"LT", ComparisonDirection::kLt}};
  static constexpr std::pair<std::string_view, ComparisonType> kTypes[] = {
      {"FLOAT", ComparisonType::kFloat},
      {"TOTALORDER", ComparisonType::kFloatTotalOrder},
      {"SIGNED", ComparisonType::kSigned},
      {"UNSIGNED", ComparisonType::kUnsigned}};
  CompareAttributes attributes;
  const std::string_view direction = Keyword(operation, "comparison_direction");
  bool is_known = false;
  for (const auto& [name, value] : kDirections) {
    if (name != direction) continue;
    attributes.direction = value;
    is_known = true;
  }
  if (!is_known) {
    return Error(operation,
                 absl::StrCat("'", View(direction), "' is not a valid comparison direction"));
  }
  const std::string_view type = Keyword(operation, "compare_type");
  // Signedness follows from the operands.
  const bool is_float = element != PRED && !primitive_util::IsIntegralType(element);
  for (const auto& [name, value] : kTypes) {
    if (name == type && is_float && value == ComparisonType::kFloatTotalOrder) {
      attributes.type = value;
    }
  }
  return attributes;
}

void AddElementwiseHandlers(HandlerTable* table) {
  for (const auto& [name, opcode] : kSameOperation) {
    if (opcode != HloOpcode::kCbrt) table->emplace(name, TranslateSameOperation);
  }
  table->emplace("stablehlo.bitcast_convert", TranslateBitcastConvert);
  table->emplace("stablehlo.clamp", TranslateClamp);
  table->emplace("stablehlo.compare", TranslateCompare);
  table->emplace("stablehlo.constant", TranslateConstant);
  table->emplace("arith.constant", TranslateConstant);
  table->emplace("chlo.constant", TranslateConstant);
  table->emplace("stablehlo.imag", TranslateImag);
  table->emplace("stablehlo.real", TranslateReal);
  table->emplace("stablehlo.reduce_precision", TranslateReducePrecision);
  table->emplace("stablehlo.select", TranslateSelect);
  table->emplace("chlo.constant_like", TranslateConstantLike);
}

}  // namespace xla::stablehlo
