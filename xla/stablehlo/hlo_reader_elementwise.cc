// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of HLO as StableHLO and CHLO.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/stablehlo/hlo_reader.h"

namespace xla::stablehlo {
namespace {

using mlir::NamedAttribute;

constexpr std::pair<HloOpcode, std::string_view> kElementwiseNames[] = {
    {HloOpcode::kAbs, "stablehlo.abs"},
    {HloOpcode::kAcos, "chlo.acos"},
    {HloOpcode::kAcosh, "chlo.acosh"},
    {HloOpcode::kAdd, "stablehlo.add"},
    {HloOpcode::kAnd, "stablehlo.and"},
    {HloOpcode::kAsin, "chlo.asin"},
    {HloOpcode::kAsinh, "chlo.asinh"},
    {HloOpcode::kAtan2, "stablehlo.atan2"},
    {HloOpcode::kAtanh, "chlo.atanh"},
    {HloOpcode::kBitcastConvert, "stablehlo.bitcast_convert"},
    {HloOpcode::kCbrt, "stablehlo.cbrt"},
    {HloOpcode::kCeil, "stablehlo.ceil"},
    {HloOpcode::kClamp, "stablehlo.clamp"},
    {HloOpcode::kClz, "stablehlo.count_leading_zeros"},
    {HloOpcode::kComplex, "stablehlo.complex"},
    {HloOpcode::kConvert, "stablehlo.convert"},
    {HloOpcode::kCos, "stablehlo.cosine"},
    {HloOpcode::kCosh, "chlo.cosh"},
    {HloOpcode::kDivide, "stablehlo.divide"},
    {HloOpcode::kErf, "chlo.erf"},
    {HloOpcode::kExp, "stablehlo.exponential"},
    {HloOpcode::kExpm1, "stablehlo.exponential_minus_one"},
    {HloOpcode::kFloor, "stablehlo.floor"},
    {HloOpcode::kImag, "stablehlo.imag"},
    {HloOpcode::kIsFinite, "stablehlo.is_finite"},
    {HloOpcode::kLog, "stablehlo.log"},
    {HloOpcode::kLog1p, "stablehlo.log_plus_one"},
    {HloOpcode::kLogistic, "stablehlo.logistic"},
    {HloOpcode::kMaximum, "stablehlo.maximum"},
    {HloOpcode::kMinimum, "stablehlo.minimum"},
    {HloOpcode::kMulhi, "chlo.mulhi"},
    {HloOpcode::kMultiply, "stablehlo.multiply"},
    {HloOpcode::kNegate, "stablehlo.negate"},
    {HloOpcode::kNot, "stablehlo.not"},
    {HloOpcode::kOr, "stablehlo.or"},
    {HloOpcode::kPopulationCount, "stablehlo.popcnt"},
    {HloOpcode::kPower, "stablehlo.power"},
    {HloOpcode::kReal, "stablehlo.real"},
    {HloOpcode::kRemainder, "stablehlo.remainder"},
    {HloOpcode::kRoundNearestAfz, "stablehlo.round_nearest_afz"},
    {HloOpcode::kRoundNearestEven, "stablehlo.round_nearest_even"},
    {HloOpcode::kRsqrt, "stablehlo.rsqrt"},
    {HloOpcode::kSelect, "stablehlo.select"},
    {HloOpcode::kShiftLeft, "stablehlo.shift_left"},
    {HloOpcode::kShiftRightArithmetic, "stablehlo.shift_right_arithmetic"},
    {HloOpcode::kShiftRightLogical, "stablehlo.shift_right_logical"},
    {HloOpcode::kSign, "stablehlo.sign"},
    {HloOpcode::kSin, "stablehlo.sine"},
    {HloOpcode::kSinh, "chlo.sinh"},
    {HloOpcode::kSqrt, "stablehlo.sqrt"},
    {HloOpcode::kSubtract, "stablehlo.subtract"},
    {HloOpcode::kTan, "stablehlo.tan"},
    {HloOpcode::kTanh, "stablehlo.tanh"},
    {HloOpcode::kXor, "stablehlo.xor"},
};

std::string_view ElementwiseName(HloOpcode opcode) {
  for (const auto& [known, name] : kElementwiseNames) {
    if (known == opcode) return name;
  }
  return {};
}

absl::Status ReadElementwise(HloReader& reader, const HloInstruction& instruction) {
  const AccuracySpec& spec = instruction.extras().result_accuracy;
  std::vector<NamedAttribute> attributes;
  if (spec.mode != AccuracySpec::Mode::kDefault) {
    const mlir::TypeRef f64 = reader.context().Float(mlir::FloatKind::kF64);
    const auto number = [&](double value) -> mlir::AttributeRef {
      return reader.context().FloatOf(f64, mlir::EncodeFloat(mlir::FloatKind::kF64, value));
    };
    const bool is_highest = spec.mode == AccuracySpec::Mode::kHighest;
    const NamedAttribute parameters[] = {
        {"atol", number(spec.atol)},
        {"rtol", number(spec.rtol)},
        {"ulps", reader.I64(spec.ulps)},
        {"mode", reader.Keyword("result_accuracy_mode", is_highest ? "HIGHEST" : "TOLERANCE")}};
    attributes.push_back({"result_accuracy", reader.context().DialectOf(
                                                 "stablehlo", "result_accuracy", {}, parameters)});
  }
  return reader.EmitFor(instruction, ElementwiseName(instruction.opcode()),
                        reader.Operands(instruction), attributes);
}

absl::Status ReadCompare(HloReader& reader, const HloInstruction& instruction) {
  static constexpr std::pair<ComparisonDirection, std::string_view> kDirections[] = {
      {ComparisonDirection::kEq, "EQ"}, {ComparisonDirection::kNe, "NE"},
      {ComparisonDirection::kGe, "GE"}, {ComparisonDirection::kGt, "GT"},
      {ComparisonDirection::kLe, "LE"}, {ComparisonDirection::kLt, "LT"}};
  const auto& compare = instruction.attributes<CompareAttributes>();
  std::vector<NamedAttribute> attributes;
  for (const auto& [direction, keyword] : kDirections) {
    if (direction != compare.direction) continue;
    attributes.push_back({"comparison_direction", reader.Keyword("comparison_direction", keyword)});
  }
  if (compare.type == ComparisonType::kFloatTotalOrder) {
    attributes.push_back({"compare_type", reader.Keyword("comparison_type", "TOTALORDER")});
  }
  return reader.EmitFor(instruction, "stablehlo.compare", reader.Operands(instruction), attributes);
}

absl::Status ReadReducePrecision(HloReader& reader, const HloInstruction& instruction) {
  const auto& precision = instruction.attributes<ReducePrecisionAttributes>();
  const mlir::TypeRef i32 = reader.context().Integer(32);
  const NamedAttribute attributes[] = {
      {"exponent_bits", reader.context().IntegerOf(i32, precision.exponent_bits)},
      {"mantissa_bits", reader.context().IntegerOf(i32, precision.mantissa_bits)}};
  return reader.EmitFor(instruction, "stablehlo.reduce_precision", reader.Operands(instruction),
                        attributes);
}

absl::Status ReadConstant(HloReader& reader, const HloInstruction& instruction) {
  // Those that broadcasts stand for have a constant of their own.
  const auto& users = instruction.users();
  if (!users.empty() && std::all_of(users.begin(), users.end(), [](const HloInstruction* user) {
        return IsSplatConstant(*user);
      })) {
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const mlir::AttributeRef value,
                       reader.Dense(instruction, instruction.literal()));
  const NamedAttribute attributes[] = {{"value", value}};
  return reader.EmitFor(instruction, "stablehlo.constant", {}, attributes);
}

// Layouts are dropped: a copy is its operand. So is a domain, which marks where shardings change.
absl::Status ReadCopy(HloReader& reader, const HloInstruction& instruction) {
  reader.Set(instruction, reader.Get(instruction.operand(0)));
  return absl::OkStatus();
}

}  // namespace

HloHandler FindElementwiseReader(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kCompare:
      return ReadCompare;
    case HloOpcode::kReducePrecision:
      return ReadReducePrecision;
    case HloOpcode::kConstant:
      return ReadConstant;
    case HloOpcode::kCopy:
    case HloOpcode::kDomain:
      return ReadCopy;
    default:
      return ElementwiseName(opcode).empty() ? nullptr : ReadElementwise;
  }
}

}  // namespace xla::stablehlo
