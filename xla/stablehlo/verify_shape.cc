// SPDX-License-Identifier: Apache-2.0
// Rules of the operations of arith, tensor and shape that compute sizes.
#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::TypeKind;
using mlir::TypeRef;

bool IsNumber(TypeRef type) {
  return type->kind == TypeKind::kInteger || type->kind == TypeKind::kIndex ||
         type->kind == TypeKind::kFloat;
}

// Numbers, or tensors of them.
bool NumbersRule(Check& check) {
  const auto holds = [](TypeRef type) {
    return IsNumber(type) || (IsShaped(type) && IsNumber(type->element));
  };
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!holds(check.operand(i))) {
      return check.Fail("operand #", i, " must be a number or a tensor of numbers, but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (!holds(check.result(i))) {
      return check.Fail("result #", i, " must be a number or a tensor of numbers, but is ",
                        mlir::ToString(check.result(i)));
    }
  }
  return true;
}

// Of one type.
bool ArithmeticRule(Check& check) {
  if (!NumbersRule(check)) return false;
  return check.Require(check.operand(0) == check.operand(1) && check.operand(0) == check.result(0),
                       "requires the same type for all operands and results, but they are ",
                       check.operand(0), ", ", check.operand(1), " and ", check.result(0));
}

bool CompareIntegersRule(Check& check) {
  if (!NumbersRule(check)) return false;
  if (check.operand(0) != check.operand(1)) {
    return check.Fail("requires operands of one type, but they are ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(check.operand(1)));
  }
  return check.InRange("predicate", check.Integer("predicate"), 10);
}

bool ArithSelectRule(Check& check) {
  return NumbersRule(check) &&
         check.Require(check.operand(1) == check.operand(2) && check.operand(1) == check.result(0),
                       "requires the same type for both values and the result");
}

bool CastRule(Check& check) {
  if (!NumbersRule(check)) return false;
  return check.Require(
      (check.operand(0)->element == nullptr) == (check.result(0)->element == nullptr),
      "operand type ", check.operand(0), " and result type ", check.result(0),
      " are cast incompatible");
}

bool ArithConstantRule(Check& check) {
  const mlir::AttributeRef value = check.operation().Find("value");
  TypeRef type = nullptr;
  if (const auto* dense = value->As<mlir::DenseAttribute>()) type = dense->type;
  if (const auto* integer = value->As<mlir::IntegerAttribute>()) type = integer->type;
  if (const auto* number = value->As<mlir::FloatAttribute>()) type = number->type;
  return check.Require(type == nullptr || type == check.result(0),
                       "the value is of another type than ", check.result(0));
}

bool IndexOperand(Check& check, size_t i) {
  return check.Require(check.operand(i)->kind == TypeKind::kIndex, "operand #", i,
                       " must be an index, but is ", check.operand(i));
}

bool DimRule(Check& check) {
  return check.Require(IsShaped(check.operand(0)), "operand #0 must be a tensor, but is ",
                       check.operand(0)) &&
         IndexOperand(check, 1) &&
         check.Require(check.result(0)->kind == TypeKind::kIndex, "the result must be an index");
}

bool ExtractRule(Check& check) {
  if (!IsTensor(check.operand(0))) {
    return check.Fail("operand #0 must be a ranked tensor, but is ",
                      mlir::ToString(check.operand(0)));
  }
  if (static_cast<int64_t>(check.num_operands()) != check.rank(0) + 1) {
    return check.Fail("incorrect number of indices: ", check.num_operands() - 1, " for rank ",
                      check.rank(0));
  }
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!IndexOperand(check, i)) return false;
  }
  return check.Require(check.result(0) == check.operand(0)->element,
                       "the result must be an element of the tensor");
}

bool FromElementsRule(Check& check) {
  const TypeRef result = check.result(0);
  if (!IsTensor(result) || !mlir::HasStaticSizes(*result) || !IsNumber(result->element)) {
    return check.Fail("the result must be a statically shaped tensor of numbers, but is ",
                      mlir::ToString(result));
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (check.operand(i) != result->element) {
      return check.Fail("operand #", i, " must be ", mlir::ToString(result->element), ", but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  return check.Require(mlir::NumElements(*result) == static_cast<int64_t>(check.num_operands()),
                       "requires as many operands as the result has elements");
}

bool TensorCastRule(Check& check) {
  const TypeRef from = check.operand(0), to = check.result(0);
  return check.Require(IsShaped(from) && IsShaped(to) && from->element == to->element &&
                           (!IsTensor(from) || !IsTensor(to) || ShapesAgree(from, to)),
                       "operand type ", from, " and result type ", to, " are cast incompatible");
}

// Shapes are vectors of index, or !shape.shape.
bool IsExtents(TypeRef type) {
  return type->IsDialect("shape", "shape") ||
         (IsTensor(type) && Rank(type) == 1 &&
          (type->element->kind == TypeKind::kIndex || type->element->kind == TypeKind::kInteger));
}

bool ShapeOfRule(Check& check) {
  return check.Require(IsShaped(check.operand(0)), "operand #0 must be a tensor, but is ",
                       check.operand(0)) &&
         check.Require(IsExtents(check.result(0)), "the result must be a shape, but is ",
                       check.result(0));
}

bool ShapesRule(Check& check) {
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!IsExtents(check.operand(i))) {
      return check.Fail("operand #", i, " must be a shape, but is ",
                        mlir::ToString(check.operand(i)));
    }
  }
  return true;
}

#define ARITHMETIC(name) \
  { "arith." name, 2, 2, 1, 1, 0, kAnyElements, "", ArithmeticRule }
#define ARITH_CAST(name) \
  { "arith." name, 1, 1, 1, 1, 0, kAnyElements, "", CastRule }
constexpr OperationRule kShapeRules[] = {
    ARITHMETIC("addf"),
    ARITHMETIC("addi"),
    ARITHMETIC("andi"),
    ARITHMETIC("divf"),
    ARITHMETIC("divsi"),
    ARITHMETIC("divui"),
    ARITHMETIC("maxsi"),
    ARITHMETIC("minsi"),
    ARITHMETIC("mulf"),
    ARITHMETIC("muli"),
    ARITHMETIC("ori"),
    ARITHMETIC("remsi"),
    ARITHMETIC("remui"),
    ARITHMETIC("subf"),
    ARITHMETIC("subi"),
    ARITHMETIC("xori"),
    ARITH_CAST("extsi"),
    ARITH_CAST("extui"),
    ARITH_CAST("index_cast"),
    ARITH_CAST("trunci"),
    {"arith.cmpi", 2, 2, 1, 1, 0, kAnyElements, "predicate:i64", CompareIntegersRule},
    {"arith.constant", 0, 0, 1, 1, 0, kAnyElements, "value", ArithConstantRule},
    {"arith.select", 3, 3, 1, 1, 0, kAnyElements, "", ArithSelectRule},
    {"shape.broadcast", 0, -1, 1, 1, 0, kAnyElements, "", ShapesRule},
    {"shape.const_shape", 0, 0, 1, 1, 0, kAnyElements, "shape", nullptr},
    {"shape.num_elements", 1, 1, 1, 1, 0, kAnyElements, "", ShapesRule},
    {"shape.shape_of", 1, 1, 1, 1, 0, kAnyElements, "", ShapeOfRule},
    {"shape.to_extent_tensor", 1, 1, 1, 1, 0, kAnyElements, "", ShapesRule},
    {"tensor.cast", 1, 1, 1, 1, 0, kAnyElements, "", TensorCastRule},
    {"tensor.dim", 2, 2, 1, 1, 0, kAnyElements, "", DimRule},
    {"tensor.extract", 1, -1, 1, 1, 0, kAnyElements, "", ExtractRule},
    {"tensor.from_elements", 0, -1, 1, 1, 0, kAnyElements, "", FromElementsRule},
};
#undef ARITHMETIC
#undef ARITH_CAST

}  // namespace

void AddShapeRules(RuleTable* table) {
  for (const OperationRule& rule : kShapeRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
