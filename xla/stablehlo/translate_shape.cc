// SPDX-License-Identifier: Apache-2.0
// Numbers and shapes of arith, tensor and shape, of which programs of open sizes compute sizes, as
// HLO: index is s64, a shape is a vector of s64.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/constant_values.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

HloInstruction* EmitLiteral(Translator& translator, Literal literal) {
  const Shape shape = literal.shape();
  return translator.Emit(HloOpcode::kConstant, shape, {},
                         ConstantAttributes{{std::make_shared<Literal>(std::move(literal))}});
}

HloInstruction* EmitVector(Translator& translator, const std::vector<int64_t>& values) {
  return EmitLiteral(translator, LiteralUtil::CreateR1<int64_t>(absl::MakeConstSpan(values)));
}

HloInstruction* EmitConvert(Translator& translator, HloInstruction* operand, PrimitiveType type) {
  if (operand->shape().element_type() == type) return operand;
  Shape shape = operand->shape();
  shape.set_element_type(type);
  return translator.Emit(HloOpcode::kConvert, shape, {operand});
}

HloInstruction* EmitReshape(Translator& translator, HloInstruction* operand,
                            const std::vector<int64_t>& sizes) {
  return translator.Emit(HloOpcode::kReshape,
                         ShapeUtil::MakeShape(operand->shape().element_type(), sizes), {operand},
                         ReshapeAttributes{});
}

// Integers of MLIR have no sign; these operations take them as unsigned.
PrimitiveType UnsignedOf(PrimitiveType type) {
  return type == PRED ? PRED
                      : primitive_util::UnsignedIntegralTypeForBitWidth(
                            static_cast<int64_t>(primitive_util::BitWidth(type)));
}

struct Arithmetic {
  std::string_view name;
  HloOpcode opcode;
  bool is_unsigned = false;
};
constexpr Arithmetic kArithmetic[] = {
    {"arith.addi", HloOpcode::kAdd},
    {"arith.subi", HloOpcode::kSubtract},
    {"arith.muli", HloOpcode::kMultiply},
    {"arith.divsi", HloOpcode::kDivide},
    {"arith.divui", HloOpcode::kDivide, true},
    {"arith.remsi", HloOpcode::kRemainder},
    {"arith.remui", HloOpcode::kRemainder, true},
    {"arith.maxsi", HloOpcode::kMaximum},
    {"arith.minsi", HloOpcode::kMinimum},
    {"arith.andi", HloOpcode::kAnd},
    {"arith.ori", HloOpcode::kOr},
    {"arith.xori", HloOpcode::kXor},
    {"arith.addf", HloOpcode::kAdd},
    {"arith.subf", HloOpcode::kSubtract},
    {"arith.mulf", HloOpcode::kMultiply},
    {"arith.divf", HloOpcode::kDivide},
};

absl::Status TranslateArithmetic(Translator& translator, const Operation& operation) {
  const Arithmetic* row = nullptr;
  for (const Arithmetic& known : kArithmetic) {
    if (operation.Is(known.name)) row = &known;
  }
  if (operation.operands.size() != 2) return translator.Error(operation, "needs two operands");
  HloInstruction* lhs = translator.Operand(operation, 0);
  HloInstruction* rhs = translator.Operand(operation, 1);
  const PrimitiveType type = lhs->shape().element_type();
  if (row->is_unsigned) {
    lhs = EmitConvert(translator, lhs, UnsignedOf(type));
    rhs = EmitConvert(translator, rhs, UnsignedOf(type));
  }
  HloInstruction* result = translator.Emit(row->opcode, lhs->shape(), {lhs, rhs});
  translator.SetResults(operation, EmitConvert(translator, result, type));
  return absl::OkStatus();
}

// Between integers and index.
absl::Status TranslateIndexCast(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type,
                       translator.NumberType(operation, operation.results[0].type));
  HloInstruction* operand = translator.Operand(operation, 0);
  if (operation.Is("arith.extui")) {
    operand = EmitConvert(translator, operand, UnsignedOf(operand->shape().element_type()));
  }
  translator.SetResults(operation, EmitConvert(translator, operand, type));
  return absl::OkStatus();
}

absl::Status TranslateCompareIntegers(Translator& translator, const Operation& operation) {
  static constexpr std::pair<ComparisonDirection, bool> kPredicates[] = {
      {ComparisonDirection::kEq, false}, {ComparisonDirection::kNe, false},
      {ComparisonDirection::kLt, false}, {ComparisonDirection::kLe, false},
      {ComparisonDirection::kGt, false}, {ComparisonDirection::kGe, false},
      {ComparisonDirection::kLt, true},  {ComparisonDirection::kLe, true},
      {ComparisonDirection::kGt, true},  {ComparisonDirection::kGe, true}};
  XLA_ASSIGN_OR_RETURN(const int64_t code, translator.Integer(operation, "predicate"));
  if (code < 0 || code >= static_cast<int64_t>(std::size(kPredicates))) {
    return translator.Error(operation, "the predicate is not valid");
  }
  CompareAttributes attributes;
  attributes.direction = kPredicates[code].first;
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  for (HloInstruction*& operand : operands) {
    if (!kPredicates[code].second) continue;
    operand = EmitConvert(translator, operand, UnsignedOf(operand->shape().element_type()));
  }
  Shape shape = operands[0]->shape();
  shape.set_element_type(PRED);
  translator.SetResults(operation,
                        translator.Emit(HloOpcode::kCompare, shape, operands, attributes));
  return absl::OkStatus();
}

absl::Status TranslateArithSelect(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.size() != 3) return translator.Error(operation, "needs three operands");
  operands[0] = translator.BroadcastScalar(operands[0], operands[1]->shape());
  translator.SetResults(operation,
                        translator.Emit(HloOpcode::kSelect, operands[1]->shape(), operands));
  return absl::OkStatus();
}

// The size of a dimension, as s64.
HloInstruction* EmitSize(Translator& translator, HloInstruction* operand, int64_t dimension) {
  const Shape& shape = operand->shape();
  const auto d = static_cast<int>(dimension);
  if (!shape.is_dynamic_dimension(d)) {
    return EmitLiteral(translator, LiteralUtil::CreateR0<int64_t>(shape.dimensions(d)));
  }
  DimensionListAttributes attributes;
  attributes.dimensions = {dimension};
  return EmitConvert(translator,
                     translator.Emit(HloOpcode::kGetDimensionSize, ShapeUtil::MakeShape(S32, {}),
                                     {operand}, std::move(attributes)),
                     S64);
}

absl::Status TranslateDim(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> index, translator.ConstantOperand(operation, 1));
  if (!operand->shape().IsArray() || index.size() != 1 || index[0] < 0 ||
      index[0] >= static_cast<int64_t>(operand->shape().dimensions().size())) {
    return translator.Error(operation, "there is no such dimension");
  }
  translator.SetResults(operation, EmitSize(translator, operand, index[0]));
  return absl::OkStatus();
}

absl::Status TranslateShapeOf(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  if (!operand->shape().IsArray()) return translator.Error(operation, "needs a tensor");
  std::vector<HloInstruction*> sizes;
  const auto rank = static_cast<int64_t>(operand->shape().dimensions().size());
  if (!operand->shape().is_dynamic()) {
    const auto& known = operand->shape().dimensions();
    translator.SetResults(operation, EmitVector(translator, {known.begin(), known.end()}));
    return absl::OkStatus();
  }
  for (int64_t i = 0; i < rank; ++i) {
    sizes.push_back(EmitReshape(translator, EmitSize(translator, operand, i), {1}));
  }
  translator.SetResults(
      operation, translator.Emit(HloOpcode::kConcatenate, ShapeUtil::MakeShape(S64, {rank}), sizes,
                                 DimensionListAttributes{{0}}));
  return absl::OkStatus();
}

absl::Status TranslateFromElements(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> elements = translator.Operands(operation);
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type,
                       translator.NumberType(operation, operation.results[0].type));
  const mlir::TypeRef result = operation.results[0].type;
  if (mlir::NumElements(*result) != static_cast<int64_t>(elements.size())) {
    return translator.Error(operation, "needs as many operands as the result has elements");
  }
  if (elements.empty()) {
    translator.SetResults(
        operation, EmitLiteral(translator, Literal(ShapeUtil::MakeShape(type, result->sizes))));
    return absl::OkStatus();
  }
  for (HloInstruction*& element : elements) element = EmitReshape(translator, element, {1});
  HloInstruction* vector = elements[0];
  if (elements.size() > 1) {
    const auto count = static_cast<int64_t>(elements.size());
    vector = translator.Emit(HloOpcode::kConcatenate, ShapeUtil::MakeShape(type, {count}), elements,
                             DimensionListAttributes{{0}});
  }
  if (result->sizes.size() != 1) {
    vector = EmitReshape(translator, vector, {result->sizes.begin(), result->sizes.end()});
  }
  translator.SetResults(operation, vector);
  return absl::OkStatus();
}

absl::Status TranslateExtract(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  const Shape& shape = operands[0]->shape();
  if (!shape.IsArray() || shape.dimensions().size() + 1 != operands.size()) {
    return translator.Error(operation, "needs an index for each dimension");
  }
  const auto known = operands.size() == 2 ? ConstantValues(*operands[1]) : std::nullopt;
  HloInstruction* element = operands[0];
  if (known.has_value()) {
    if ((*known)[0] < 0 || (*known)[0] >= shape.dimensions(0)) {
      return translator.Error(operation, "the index is out of bounds");
    }
    SliceAttributes slice;
    slice.slice.push_back({(*known)[0], (*known)[0] + 1, 1});
    element = translator.Emit(HloOpcode::kSlice, ShapeUtil::MakeShape(shape.element_type(), {1}),
                              {element}, std::move(slice));
  } else if (operands.size() > 1) {
    DynamicSliceAttributes one;
    one.dynamic_slice_sizes.assign(shape.dimensions().size(), 1);
    element = translator.Emit(HloOpcode::kDynamicSlice,
                              ShapeUtil::MakeShape(shape.element_type(), one.dynamic_slice_sizes),
                              operands, one);
  }
  if (operands.size() > 1) element = EmitReshape(translator, element, {});
  translator.SetResults(operation, element);
  return absl::OkStatus();
}

// The sizes that are known stay.
absl::Status TranslateCast(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  const mlir::TypeRef type = operation.results[0].type;
  bool fits = operand->shape().IsArray();
  for (size_t i = 0; fits && i < type->sizes.size(); ++i) {
    fits = type->sizes.size() == operand->shape().dimensions().size() &&
           (type->sizes[i] == mlir::kDynamic ||
            operand->shape().is_unbounded_dynamic_dimension(static_cast<int>(i)) ||
            type->sizes[i] == operand->shape().dimensions(static_cast<int>(i)));
  }
  if (!fits) return translator.Error(operation, "the operand is not of this type");
  translator.SetResults(operation, operand);
  return absl::OkStatus();
}

absl::Status TranslateExtents(Translator& translator, const Operation& operation) {
  translator.SetResults(operation, translator.Operand(operation, 0));
  return absl::OkStatus();
}

absl::Status TranslateNumElements(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, translator.ConstantOperand(operation, 0));
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) {
      return translator.Error(operation, "the number of elements exceeds 64 bits");
    }
  }
  translator.SetResults(operation, EmitLiteral(translator, LiteralUtil::CreateR0(product)));
  return absl::OkStatus();
}

// Of shapes that are known.
absl::Status TranslateBroadcastShapes(Translator& translator, const Operation& operation) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, translator.ConstantOperand(operation, i));
    if (sizes.size() > result.size())
      result.insert(result.begin(), sizes.size() - result.size(), 1);
    for (size_t k = 0; k < sizes.size(); ++k) {
      int64_t& size = result[result.size() - sizes.size() + k];
      if (size != 1 && sizes[k] != 1 && size != sizes[k]) {
        return translator.Error(operation, "the shapes cannot be broadcast");
      }
      if (size == 1) size = sizes[k];
    }
  }
  translator.SetResults(operation, EmitVector(translator, result));
  return absl::OkStatus();
}

absl::Status TranslateConstShape(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, translator.Integers(operation, "shape"));
  translator.SetResults(operation, EmitVector(translator, sizes));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PrimitiveType> Translator::NumberType(const Operation& operation,
                                                     mlir::TypeRef type) {
  return ElementType(operation, type->element == nullptr ? type : type->element);
}

absl::Status Translator::TranslateScalar(const Operation& operation) {
  const mlir::AttributeRef value = operation.Find("value");
  const auto* integer = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
  const auto* number = value == nullptr ? nullptr : value->As<mlir::FloatAttribute>();
  if (integer == nullptr && number == nullptr) {
    return Unimplemented(operation, "a constant that is no number");
  }
  XLA_ASSIGN_OR_RETURN(const PrimitiveType type, NumberType(operation, operation.results[0].type));
  Literal literal(ShapeUtil::MakeShape(type, {}));
  const auto bytes = static_cast<size_t>(literal.size_bytes());
  if (integer != nullptr && bytes <= sizeof(integer->value)) {
    std::memcpy(literal.untyped_data(), &integer->value, bytes);
  } else if (number != nullptr && bytes <= sizeof(number->bits)) {
    std::memcpy(literal.untyped_data(), number->bits.data(), bytes);
  } else {
    return Unimplemented(operation, "a constant of this type");
  }
  SetResults(operation, EmitLiteral(*this, std::move(literal)));
  return absl::OkStatus();
}

void AddShapeHandlers(HandlerTable* table) {
  for (const Arithmetic& row : kArithmetic) table->emplace(row.name, TranslateArithmetic);
  for (const std::string_view name :
       {"arith.extsi", "arith.extui", "arith.index_cast", "arith.trunci"}) {
    table->emplace(name, TranslateIndexCast);
  }
  table->emplace("arith.cmpi", TranslateCompareIntegers);
  table->emplace("arith.select", TranslateArithSelect);
  table->emplace("shape.broadcast", TranslateBroadcastShapes);
  table->emplace("shape.const_shape", TranslateConstShape);
  table->emplace("shape.num_elements", TranslateNumElements);
  table->emplace("shape.shape_of", TranslateShapeOf);
  table->emplace("shape.to_extent_tensor", TranslateExtents);
  table->emplace("tensor.cast", TranslateCast);
  table->emplace("tensor.dim", TranslateDim);
  table->emplace("tensor.extract", TranslateExtract);
  table->emplace("tensor.from_elements", TranslateFromElements);
}

}  // namespace xla::stablehlo
