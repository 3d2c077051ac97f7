// SPDX-License-Identifier: Apache-2.0
// Rules of elementwise operations.
#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::TypeKind;
using mlir::TypeRef;

bool IsQuantized(TypeRef type) {
  return IsShaped(type) && type->element->kind == TypeKind::kQuantized;
}

// Shapes of operands and results agree.
bool SameShapes(Check& check) {
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!IsShaped(check.operand(i)) || !ShapesAgree(check.operand(0), check.operand(i))) {
      return check.Fail("requires the same shape for all operands and results, but operand #", i,
                        " is ", mlir::ToString(check.operand(i)), " and operand #0 ",
                        mlir::ToString(check.operand(0)));
    }
  }
  return check.Require(check.num_operands() == 0 || ShapesAgree(check.operand(0), check.result(0)),
                       "requires the same shape for all operands and results, but operand #0 is ",
                       check.operand(0), " and the result ", check.result(0));
}

bool SameElements(Check& check) {
  const TypeRef element = check.result(0)->element;
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!ElementsAgree(check.operand(i)->element, element)) {
      return check.Fail(
          "requires compatible element types for all operands and results, but "
          "operand #",
          i, " is ", mlir::ToString(check.operand(i)), " and the result ",
          mlir::ToString(check.result(0)));
    }
  }
  return true;
}

// Bounded sizes of operands: the result of an elementwise operation has bounds that agree.
bool SameBounds(Check& check) {
  const auto bound = [](TypeRef type, size_t i) {
    const auto bounds = BoundsOf(type);
    if (i < bounds.size() && !IsDynamicSize(bounds[i])) return bounds[i];
    return i < type->sizes.size() ? type->sizes[i] : mlir::kDynamic;
  };
  for (size_t k = 0; k < check.num_operands(); ++k) {
    const TypeRef operand = check.operand(k);
    if (!IsTensor(operand) || !IsTensor(check.result(0))) return true;
    if (BoundsOf(operand).empty()) continue;
    for (size_t i = 0; i < operand->sizes.size() && i < check.result(0)->sizes.size(); ++i) {
      if (!IsDynamicSize(operand->sizes[i]) || bound(operand, i) == mlir::kDynamic) continue;
      for (size_t other = 0; other < check.num_operands(); ++other) {
        const int64_t size = check.operand(other)->sizes[i];
        if (!IsDynamicSize(size) && size > bound(operand, i)) {
          return check.Fail("Mismatched dimension size ", size, " and bound ", bound(operand, i),
                            " in dimension ", i);
        }
      }
      if (bound(check.result(0), i) != mlir::kDynamic &&
          bound(check.result(0), i) > bound(operand, i)) {
        return check.Fail("the bound of dimension ", i, " of the result exceeds that of operand #",
                          k);
      }
    }
  }
  return true;
}

bool SameTypes(Check& check) {
  return check.AllTensors() && SameShapes(check) && SameElements(check) && SameBounds(check);
}

// add of quantized values per axis: axes of operands are those of the result.
bool SumRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  const bool quantized[] = {IsQuantized(check.operand(0)), IsQuantized(check.operand(1)),
                            IsQuantized(check.result(0))};
  if (!quantized[0] && !quantized[1] && !quantized[2]) {
    return SameElements(check) && SameBounds(check);
  }
  if (!quantized[0] || !quantized[1] || !quantized[2]) {
    return check.Fail("requires all operands and results to be either quantized or not");
  }
  const mlir::Type& result = *check.result(0)->element;
  for (size_t i = 0; i < 2; ++i) {
    const mlir::Type& operand = *check.operand(i)->element;
    if (operand.element != result.element) {
      return check.Fail("operands and result express different types: ",
                        mlir::ToString(operand.element), " and ", mlir::ToString(result.element));
    }
    if (operand.storage != result.storage || operand.signedness != result.signedness) {
      return check.Fail("operands and result are stored as different types: ",
                        mlir::ToString(&operand), " and ", mlir::ToString(&result));
    }
    const auto& axes = operand.quantized->dimensions;
    if (axes.empty()) continue;
    if (result.quantized->dimensions.empty()) {
      return check.Fail("an operand is quantized per axis, but the result is not");
    }
    if (axes != result.quantized->dimensions) {
      return check.Fail("the quantized dimensions of operand #", i,
                        " and the result differ: ", axes[0], " and ",
                        result.quantized->dimensions[0]);
    }
  }
  return true;
}

// A structured result_accuracy: of HIGHEST, all tolerances are zero.
bool AccuracyRule(Check& check) {
  const mlir::AttributeRef attribute = check.operation().Find("result_accuracy");
  const auto* accuracy = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  if (accuracy != nullptr) {
    const mlir::AttributeRef mode = mlir::FindAttribute(accuracy->parameters, "mode");
    const auto* keyword = mode == nullptr ? nullptr : mode->As<mlir::DialectAttribute>();
    if (keyword != nullptr && keyword->text != "TOLERANCE") {
      for (const auto& [name, value] : accuracy->parameters) {
        const auto* number = value->As<mlir::FloatAttribute>();
        const auto* integer = value->As<mlir::IntegerAttribute>();
        if ((number != nullptr && number->value() != 0) ||
            (integer != nullptr && integer->value != 0)) {
          return check.Fail("the tolerances of a result accuracy of mode ", View(keyword->text),
                            " must be zero, but ", View(name), " is not");
        }
      }
    }
  }
  return SameTypes(check);
}

// abs, real and imag of complex numbers have a result of their parts.
bool PartRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  const TypeRef element = check.operand(0)->element;
  return check.ResultIs(0, check.sizes(0),
                        element->kind == TypeKind::kComplex ? element->element : element);
}

bool ComplexRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  const TypeRef element = check.operand(0)->element;
  const TypeRef result = check.result(0)->element;
  if (element != check.operand(1)->element) {
    return check.Fail("operands must have the same element type");
  }
  if (result->kind != TypeKind::kComplex || result->element != element) {
    return check.Fail("the result must be complex numbers of ", mlir::ToString(element),
                      ", but is ", mlir::ToString(check.result(0)));
  }
  return check.Require(
      element->kind == TypeKind::kFloat && (element->float_kind == mlir::FloatKind::kF32 ||
                                            element->float_kind == mlir::FloatKind::kF64),
      "operands must be f32 or f64, but are ", check.operand(0));
}

bool ConvertRule(Check& check) { return check.AllTensors() && SameShapes(check); }

bool IsFiniteRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  if ((ClassOf(check.operand(0)->element) & (kReals | kQuantizeds | kPerAxis)) == 0) {
    return check.Fail("the operand must be floating-point numbers, but is ",
                      mlir::ToString(check.operand(0)));
  }
  return check.Require(check.result(0)->element->IsInteger(1), "the result must be i1, but is ",
                       check.result(0));
}

bool CompareRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  if (!ElementsAgree(check.operand(0)->element, check.operand(1)->element)) {
    return check.Fail("requires the same element type for both operands, but they are ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.operand(1)));
  }
  return check.Require(check.result(0)->element->IsInteger(1), "the result must be i1, but is ",
                       check.result(0));
}

bool SelectRule(Check& check) {
  if (!check.AllTensors()) return false;
  if (!check.operand(0)->element->IsInteger(1)) {
    return check.Fail("operand #0 must be i1, but is ", mlir::ToString(check.operand(0)));
  }
  if (!TypesAgree(check.operand(1), check.operand(2))) {
    return check.Fail("requires compatible types for the values, but they are ",
                      mlir::ToString(check.operand(1)), " and ", mlir::ToString(check.operand(2)));
  }
  if (check.rank(0) != 0 && !ShapesAgree(check.operand(0), check.operand(1))) {
    return check.Fail("requires the same shape for all operands, but the predicate is ",
                      mlir::ToString(check.operand(0)), " and a value ",
                      mlir::ToString(check.operand(1)));
  }
  return check.ResultIs(0, check.operand(1));
}

bool ClampRule(Check& check) {
  if (!check.AllTensors()) return false;
  for (const size_t i : {size_t{0}, size_t{2}}) {
    if (!ElementsAgree(check.operand(i)->element, check.operand(1)->element)) {
      return check.Fail("requires the same element type for all operands and results");
    }
    if (check.rank(i) != 0 && !ShapesAgree(check.operand(i), check.operand(1))) {
      return check.Fail(i == 0 ? "min" : "max", " shape ", ListText(check.sizes(i)),
                        " is not scalar and is not compatible with the operand shape ",
                        ListText(check.sizes(1)));
    }
  }
  return check.ResultIs(0, check.operand(1));
}

int64_t BitWidth(TypeRef element) {
  switch (element->kind) {
    case TypeKind::kInteger:
      return element->width;
    case TypeKind::kFloat:
      return mlir::GetFloatFormat(element->float_kind).width;
    case TypeKind::kComplex:
      return 2 * BitWidth(element->element);
    case TypeKind::kQuantized:
      return element->storage->width;
    default:
      return 0;
  }
}

bool BitcastConvertRule(Check& check) {
  if (!check.AllTensors()) return false;
  const TypeRef from = check.operand(0);
  const TypeRef to = check.result(0);
  if ((from->element->kind == TypeKind::kComplex) != (to->element->kind == TypeKind::kComplex)) {
    return check.Fail("cannot convert between real and complex types");
  }
  const int64_t from_bits = BitWidth(from->element);
  const int64_t to_bits = BitWidth(to->element);
  const TypeRef small = from_bits < to_bits ? from : to;
  const TypeRef large = from_bits < to_bits ? to : from;
  const bool same_width = from_bits == to_bits;
  if (!same_width && Rank(small) != Rank(large) + 1) {
    return check.Fail("the rank of the type of smaller elements (", Rank(small),
                      ") must be 1 more than the rank of the other (", Rank(large), ")");
  }
  if (same_width && Rank(small) != Rank(large)) {
    return check.Fail("operand and result must have the same rank, but are ", mlir::ToString(from),
                      " and ", mlir::ToString(to));
  }
  for (size_t i = 0; i < large->sizes.size(); ++i) {
    if (!SizesAgree(small->sizes[i], large->sizes[i])) {
      return check.Fail(
          "operand and result shapes must match except for the innermost dimension "
          "of the smaller elements, but are ",
          mlir::ToString(from), " and ", mlir::ToString(to));
    }
  }
  if (same_width || IsDynamicSize(small->sizes.back())) return true;
  return check.Require(
      std::min(from_bits, to_bits) * small->sizes.back() == std::max(from_bits, to_bits),
      "requires compatible bit widths, but ", std::min(from_bits, to_bits), " * ",
      small->sizes.back(), " is not ", std::max(from_bits, to_bits));
}

bool ReducePrecisionRule(Check& check) { return SameTypes(check); }

bool ConstantRule(Check& check) {
  const mlir::AttributeRef value = check.operation().Find("value");
  const auto* dense = value->As<mlir::DenseAttribute>();
  TypeRef type = nullptr;
  if (dense != nullptr) type = dense->type;
  if (const auto* resource = value->As<mlir::DenseResourceAttribute>()) type = resource->type;
  if (const auto* sparse = value->As<mlir::SparseAttribute>()) type = sparse->type;
  if (type == nullptr) return check.Fail("requires attribute 'value' to be a constant of numbers");
  if (!mlir::HasStaticSizes(*check.result(0))) {
    return check.Fail("the result must have static sizes, but is ",
                      mlir::ToString(check.result(0)));
  }
  TypeRef element = type->element;
  const TypeRef result = check.result(0)->element;
  // A quantized constant is given by what it stores.
  if (result->kind == TypeKind::kQuantized && element == result->storage) element = result;
  if (ElementsAgree(element, result) && SizesAgree(type->sizes, check.result(0)->sizes)) {
    return true;
  }
  return check.Fail("the type of the result, ", mlir::ToString(check.result(0)),
                    ", must be that of the value, ", mlir::ToString(type));
}

// uniform_quantize and uniform_dequantize.
bool QuantizeRule(Check& check) {
  if (!check.AllTensors() || !SameShapes(check)) return false;
  const bool quantizes = check.Is("stablehlo.uniform_quantize");
  const TypeRef operand = check.operand(0)->element;
  const TypeRef result = check.result(0)->element;
  if (quantizes) {
    const TypeRef expressed = operand->kind == TypeKind::kQuantized ? operand->element : operand;
    return check.Require(result->kind == TypeKind::kQuantized && expressed == result->element,
                         "the result must be quantized and express the operand, but they are ",
                         result, " and ", operand);
  }
  return check.Require(operand->kind == TypeKind::kQuantized && operand->element == result,
                       "the operand must be quantized and express the result, but they are ",
                       operand, " and ", result);
}

constexpr uint32_t kFloatsC = kReals | kComplexes | kQuantizeds | kPerAxis;
constexpr uint32_t kFloatsOnly = kReals | kQuantizeds | kPerAxis;
constexpr uint32_t kNumbersAll = kIntegers | kFloatsC;
constexpr uint32_t kBits = kBooleans | kIntegers;

#define UNARY(name, classes) \
  { "stablehlo." name, 1, 1, 1, 1, 0, classes, "", SameTypes }
#define ACCURATE(name) \
  { "stablehlo." name, 1, 1, 1, 1, 0, kFloatsC, "result_accuracy:struct?", AccuracyRule }
#define BINARY(name, classes) \
  { "stablehlo." name, 2, 2, 1, 1, 0, classes, "", SameTypes }

constexpr OperationRule kElementwiseRules[] = {
    ACCURATE("cbrt"),
    ACCURATE("cosine"),
    ACCURATE("exponential"),
    ACCURATE("exponential_minus_one"),
    ACCURATE("log"),
    ACCURATE("log_plus_one"),
    ACCURATE("logistic"),
    ACCURATE("rsqrt"),
    ACCURATE("sine"),
    ACCURATE("sqrt"),
    ACCURATE("tan"),
    ACCURATE("tanh"),
    UNARY("ceil", kFloatsOnly),
    UNARY("floor", kFloatsOnly),
    UNARY("round_nearest_afz", kFloatsOnly),
    UNARY("round_nearest_even", kFloatsOnly),
    UNARY("negate", kNumbersAll),
    UNARY("sign", kSignedIntegers | kFloatsC),
    UNARY("not", kBits),
    UNARY("popcnt", kIntegers),
    UNARY("count_leading_zeros", kIntegers),
    {"stablehlo.abs", 1, 1, 1, 1, 0, kSignedIntegers | kFloatsC, "", PartRule},
    {"stablehlo.real", 1, 1, 1, 1, 0, kFloatsC, "", PartRule},
    {"stablehlo.imag", 1, 1, 1, 1, 0, kFloatsC, "", PartRule},
    {"stablehlo.add", 2, 2, 1, 1, 0, kAnyElements, "", SumRule},
    BINARY("and", kBits),
    BINARY("or", kBits),
    BINARY("xor", kBits),
    BINARY("atan2", kFloatsC),
    BINARY("divide", kNumbersAll),
    BINARY("maximum", kAnyElements),
    BINARY("minimum", kAnyElements),
    BINARY("multiply", kAnyElements),
    BINARY("power", kNumbersAll),
    BINARY("remainder", kNumbersAll),
    BINARY("shift_left", kIntegers),
    BINARY("shift_right_arithmetic", kIntegers),
    BINARY("shift_right_logical", kIntegers),
    BINARY("subtract", kNumbersAll),
    {"stablehlo.complex", 2, 2, 1, 1, 0, kAnyElements, "", ComplexRule},
    {"stablehlo.convert", 1, 1, 1, 1, 0, kAnyElements, "", ConvertRule},
    {"stablehlo.is_finite", 1, 1, 1, 1, 0, kAnyElements, "", IsFiniteRule},
    {"stablehlo.compare", 2, 2, 1, 1, 0, kAnyElements,
     "comparison_direction:enum compare_type:enum?", CompareRule},
    {"stablehlo.select", 3, 3, 1, 1, 0, kAnyElements, "", SelectRule},
    {"stablehlo.clamp", 3, 3, 1, 1, 0, kAnyElements, "", ClampRule},
    {"stablehlo.bitcast_convert", 1, 1, 1, 1, 0, kAnyElements, "", BitcastConvertRule},
    {"stablehlo.reduce_precision", 1, 1, 1, 1, 0, kFloatsOnly,
     "exponent_bits:i32+ mantissa_bits:i32*", ReducePrecisionRule},
    {"stablehlo.constant", 0, 0, 1, 1, 0, kAnyElements, "value", ConstantRule},
    {"stablehlo.uniform_quantize", 1, 1, 1, 1, 0, kAnyElements, "", QuantizeRule},
    {"stablehlo.uniform_dequantize", 1, 1, 1, 1, 0, kAnyElements, "", QuantizeRule},
};
#undef UNARY
#undef ACCURATE
#undef BINARY

}  // namespace

void AddElementwiseRules(RuleTable* table) {
  for (const OperationRule& rule : kElementwiseRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
