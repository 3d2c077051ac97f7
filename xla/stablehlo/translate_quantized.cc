// SPDX-License-Identifier: Apache-2.0
// Quantized values as HLO: what they store. An operation on them dequantizes its operands, computes
// in the types that they express, and quantizes its results. Operations with regions, calls and
// those that keep bits work on what is stored.
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

bool IsQuantizedTensor(TypeRef type) {
  return type->element != nullptr && type->element->kind == TypeKind::kQuantized;
}

bool WorksOnStorage(const Operation& operation) {
  if (!operation.regions.empty()) return true;
  for (const std::string_view name :
       {"stablehlo.constant", "stablehlo.bitcast_convert", "stablehlo.composite",
        "stablehlo.custom_call", "stablehlo.get_tuple_element", "stablehlo.tuple",
        "stablehlo.optimization_barrier", "func.call", "builtin.unrealized_conversion_cast",
        "interpreter.print", "interpreter.probe", "interpreter.run_parallel"}) {
    if (operation.Is(name)) return true;
  }
  return operation.name->text.substr(0, 6) == "check.";
}

// A constant of one number for each scale, as wide as `shape`.
HloInstruction* PerAxis(Translator& translator, const mlir::QuantizedParameters& parameters,
                        const Shape& shape, const std::vector<double>& values) {
  const PrimitiveType type = shape.element_type();
  const bool is_vector = !parameters.dimensions.empty();
  const std::vector<int64_t> sizes = is_vector
                                         ? std::vector<int64_t>{static_cast<int64_t>(values.size())}
                                         : std::vector<int64_t>();
  Literal wide(ShapeUtil::MakeShape(F64, sizes));
  std::memcpy(wide.untyped_data(), values.data(), static_cast<size_t>(wide.size_bytes()));
  const Shape wide_shape = wide.shape();
  HloInstruction* constant =
      translator.Emit(HloOpcode::kConstant, wide_shape, {},
                      ConstantAttributes{{std::make_shared<Literal>(std::move(wide))}});
  if (type != F64) {
    constant = translator.Emit(HloOpcode::kConvert, ShapeUtil::MakeShape(type, sizes), {constant});
  }
  DimensionListAttributes attributes;
  if (is_vector) attributes.dimensions = {parameters.dimensions[0]};
  return translator.Emit(HloOpcode::kBroadcast, shape, {constant}, attributes);
}

bool HasAxis(const mlir::QuantizedParameters& parameters, const Shape& shape) {
  if (parameters.dimensions.empty()) return true;
  const int64_t axis = parameters.dimensions[0];
  return parameters.dimensions.size() == 1 && parameters.block_sizes.empty() && axis >= 0 &&
         axis < static_cast<int64_t>(shape.dimensions().size()) &&
         shape.dimensions(static_cast<int>(axis)) == static_cast<int64_t>(parameters.scales.size());
}

std::vector<double> ZeroPoints(const mlir::QuantizedParameters& parameters) {
  std::vector<double> values(parameters.zero_points.begin(), parameters.zero_points.end());
  values.resize(parameters.scales.size(), 0);
  return values;
}

}  // namespace

// (stored - zero point) * scale
absl::StatusOr<HloInstruction*> Translator::Dequantize(const Operation& operation,
                                                       HloInstruction* stored, TypeRef type) {
  const mlir::QuantizedParameters& parameters = *type->element->quantized;
  XLA_ASSIGN_OR_RETURN(const PrimitiveType expressed,
                       ElementType(operation, type->element->element));
  Shape shape = stored->shape();
  shape.set_element_type(expressed);
  if (!HasAxis(parameters, shape)) {
    return Unimplemented(operation, "quantization in blocks, or along a dynamic dimension,");
  }
  HloInstruction* value = Emit(HloOpcode::kConvert, shape, {stored});
  value = Emit(HloOpcode::kSubtract, shape,
               {value, PerAxis(*this, parameters, shape, ZeroPoints(parameters))});
  const std::vector<double> scales(parameters.scales.begin(), parameters.scales.end());
  return Emit(HloOpcode::kMultiply, shape, {value, PerAxis(*this, parameters, shape, scales)});
}

// round(value / scale) + zero point, within the limits of the storage
absl::StatusOr<HloInstruction*> Translator::Quantize(const Operation& operation,
                                                     HloInstruction* value, TypeRef type) {
  const mlir::QuantizedParameters& parameters = *type->element->quantized;
  const Shape shape = value->shape();
  if (!HasAxis(parameters, shape)) {
    return Unimplemented(operation, "quantization in blocks, or along a dynamic dimension,");
  }
  const std::vector<double> scales(parameters.scales.begin(), parameters.scales.end());
  value = Emit(HloOpcode::kDivide, shape, {value, PerAxis(*this, parameters, shape, scales)});
  value = Emit(HloOpcode::kRoundNearestEven, shape, {value});
  value = Emit(HloOpcode::kAdd, shape,
               {value, PerAxis(*this, parameters, shape, ZeroPoints(parameters))});
  mlir::QuantizedParameters whole;  // the limits hold for all
  const auto limit = [&](int64_t bound) {
    return PerAxis(*this, whole, shape, {static_cast<double>(bound)});
  };
  value = Emit(HloOpcode::kClamp, shape,
               {limit(parameters.storage_min), value, limit(parameters.storage_max)});
  Shape stored = shape;
  XLA_ASSIGN_OR_RETURN(const PrimitiveType storage, ElementType(operation, type->element));
  stored.set_element_type(storage);
  return Emit(HloOpcode::kConvert, stored, {value});
}

bool Translator::ComputesExpressed(const Operation& operation) const {
  bool any = false;
  for (const mlir::Value* operand : operation.operands) any |= IsQuantizedTensor(operand->type);
  for (const mlir::Value& result : operation.results) any |= IsQuantizedTensor(result.type);
  return any && !WorksOnStorage(operation);
}

absl::Status Translator::TranslateExpressed(const Operation& operation, Handler handler) {
  std::vector<std::pair<uint32_t, HloInstruction*>> saved;
  for (const mlir::Value* operand : operation.operands) {
    if (!IsQuantizedTensor(operand->type)) continue;
    saved.emplace_back(operand->id, Get(operand));
    XLA_ASSIGN_OR_RETURN(HloInstruction * expressed,
                         Dequantize(operation, Get(operand), operand->type));
    Set(*operand, expressed);
  }
  const bool is_identity =
      operation.Is("stablehlo.uniform_quantize") || operation.Is("stablehlo.uniform_dequantize");
  std::vector<HloInstruction*> results;
  if (is_identity) {
    if (operation.operands.size() != 1 || operation.results.size() != 1) {
      return Error(operation, "needs one operand and one result");
    }
    results.push_back(Operand(operation, 0));
  } else {
    if (handler == nullptr) return Unimplemented(operation, "the translation to HLO");
    computes_expressed_ = true;
    const absl::Status status = handler(*this, operation);
    computes_expressed_ = false;
    XLA_RETURN_IF_ERROR(status);
    for (const mlir::Value& result : operation.results) results.push_back(Get(&result));
  }
  for (size_t i = saved.size(); i-- > 0;) values_[saved[i].first] = saved[i].second;
  for (size_t i = 0; i < results.size(); ++i) {
    const mlir::Value& result = operation.results[i];
    if (IsQuantizedTensor(result.type)) {
      XLA_ASSIGN_OR_RETURN(results[i], Quantize(operation, results[i], result.type));
    }
    Set(result, results[i]);
  }
  return absl::OkStatus();
}

}  // namespace xla::stablehlo
