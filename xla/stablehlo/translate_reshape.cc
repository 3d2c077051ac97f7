// SPDX-License-Identifier: Apache-2.0
// Operations that move and cut elements, as HLO. Dynamic ones whose sizes are constants are those
// without "dynamic".
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

absl::Status EmitWithDimensions(Translator& translator, const Operation& operation,
                                HloOpcode opcode, std::string_view name, size_t operands) {
  DimensionListAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.dimensions, translator.Integers(operation, name));
  std::vector<HloInstruction*> all = translator.Operands(operation);
  all.resize(operands);
  return translator.EmitResults(operation, opcode, all, attributes);
}

absl::Status TranslateBroadcastInDim(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions,
                       translator.Integers(operation, "broadcast_dimensions"));
  XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
  XLA_ASSIGN_OR_RETURN(
      HloInstruction * result,
      translator.BroadcastInDim(operation, translator.Operand(operation, 0), shape, dimensions));
  translator.SetResults(operation, result);
  return absl::OkStatus();
}

// sizes go in front
absl::Status TranslateBroadcast(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                       translator.Integers(operation, "broadcast_sizes"));
  HloInstruction* operand = translator.Operand(operation, 0);
  DimensionListAttributes attributes;
  for (size_t i = 0; i < operand->shape().dimensions().size(); ++i) {
    attributes.dimensions.push_back(static_cast<int64_t>(sizes.size() + i));
  }
  return translator.EmitResults(operation, HloOpcode::kBroadcast, {operand}, attributes);
}

absl::Status TranslateReshape(Translator& translator, const Operation& operation) {
  return translator.EmitResults(operation, HloOpcode::kReshape, {translator.Operand(operation, 0)},
                                ReshapeAttributes{});
}

absl::Status TranslateTranspose(Translator& translator, const Operation& operation) {
  return EmitWithDimensions(translator, operation, HloOpcode::kTranspose, "permutation", 1);
}

absl::Status TranslateReverse(Translator& translator, const Operation& operation) {
  return EmitWithDimensions(translator, operation, HloOpcode::kReverse, "dimensions", 1);
}

absl::Status TranslateConcatenate(Translator& translator, const Operation& operation) {
  DimensionListAttributes attributes;
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "dimension"));
  return translator.EmitResults(operation, HloOpcode::kConcatenate, translator.Operands(operation),
                                attributes);
}

absl::Status EmitSlice(Translator& translator, const Operation& operation,
                       const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
                       const std::vector<int64_t>& strides) {
  if (starts.size() != limits.size() || starts.size() != strides.size()) {
    return translator.Error(operation, "needs as many starts as limits and strides");
  }
  SliceAttributes attributes;
  for (size_t i = 0; i < starts.size(); ++i) {
    attributes.slice.push_back({starts[i], limits[i], strides[i]});
  }
  return translator.EmitResults(operation, HloOpcode::kSlice, {translator.Operand(operation, 0)},
                                attributes);
}

absl::Status TranslateSlice(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const auto starts, translator.Integers(operation, "start_indices"));
  XLA_ASSIGN_OR_RETURN(const auto limits, translator.Integers(operation, "limit_indices"));
  XLA_ASSIGN_OR_RETURN(const auto strides, translator.Integers(operation, "strides"));
  return EmitSlice(translator, operation, starts, limits, strides);
}

absl::Status TranslateRealDynamicSlice(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const auto starts, translator.ConstantOperand(operation, 1));
  XLA_ASSIGN_OR_RETURN(const auto limits, translator.ConstantOperand(operation, 2));
  XLA_ASSIGN_OR_RETURN(const auto strides, translator.ConstantOperand(operation, 3));
  return EmitSlice(translator, operation, starts, limits, strides);
}

absl::Status EmitPad(Translator& translator, const Operation& operation,
                     const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                     const std::vector<int64_t>& interior) {
  if (low.size() != high.size() || low.size() != interior.size()) {
    return translator.Error(operation, "needs as much low as high and interior padding");
  }
  PadAttributes attributes;
  for (size_t i = 0; i < low.size(); ++i) {
    attributes.padding.push_back({low[i], high[i], interior[i]});
  }
  return translator.EmitResults(
      operation, HloOpcode::kPad,
      {translator.Operand(operation, 0), translator.Operand(operation, 1)}, attributes);
}

absl::Status TranslatePad(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const auto low, translator.Integers(operation, "edge_padding_low"));
  XLA_ASSIGN_OR_RETURN(const auto high, translator.Integers(operation, "edge_padding_high"));
  XLA_ASSIGN_OR_RETURN(const auto interior, translator.Integers(operation, "interior_padding"));
  return EmitPad(translator, operation, low, high, interior);
}

absl::Status TranslateDynamicPad(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const auto low, translator.ConstantOperand(operation, 2));
  XLA_ASSIGN_OR_RETURN(const auto high, translator.ConstantOperand(operation, 3));
  XLA_ASSIGN_OR_RETURN(const auto interior, translator.ConstantOperand(operation, 4));
  return EmitPad(translator, operation, low, high, interior);
}

absl::Status TranslateIota(Translator& translator, const Operation& operation) {
  IotaAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.iota_dimension, translator.Integer(operation, "iota_dimension"));
  return translator.EmitResults(operation, HloOpcode::kIota, {}, attributes);
}

absl::Status TranslateDimensionSize(Translator& translator, const Operation& operation) {
  OneDimensionAttributes attributes;
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "dimension"));
  const bool gets = operation.Is("stablehlo.get_dimension_size");
  return translator.EmitResults(operation,
                                gets ? HloOpcode::kGetDimensionSize : HloOpcode::kSetDimensionSize,
                                translator.Operands(operation), attributes);
}

}  // namespace

void AddReshapeHandlers(HandlerTable* table) {
  table->emplace("stablehlo.broadcast", TranslateBroadcast);
  table->emplace("stablehlo.broadcast_in_dim", TranslateBroadcastInDim);
  table->emplace("stablehlo.concatenate", TranslateConcatenate);
  table->emplace("stablehlo.dynamic_broadcast_in_dim", TranslateBroadcastInDim);
  table->emplace("stablehlo.dynamic_iota", TranslateIota);
  table->emplace("stablehlo.dynamic_pad", TranslateDynamicPad);
  table->emplace("stablehlo.dynamic_reshape", TranslateReshape);
  table->emplace("stablehlo.get_dimension_size", TranslateDimensionSize);
  table->emplace("stablehlo.iota", TranslateIota);
  table->emplace("stablehlo.pad", TranslatePad);
  table->emplace("stablehlo.real_dynamic_slice", TranslateRealDynamicSlice);
  table->emplace("stablehlo.reshape", TranslateReshape);
  table->emplace("stablehlo.reverse", TranslateReverse);
  table->emplace("stablehlo.set_dimension_size", TranslateDimensionSize);
  table->emplace("stablehlo.slice", TranslateSlice);
  table->emplace("stablehlo.transpose", TranslateTranspose);
}

}  // namespace xla::stablehlo
