// SPDX-License-Identifier: Apache-2.0
// Operations that move and cut elements, as HLO. Dynamic ones whose sizes are constants are those
// without "dynamic".
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
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

// The shape of the result. Open sizes are those of operand `sizes`, a constant, or, of reshape,
// what is left of the operand's elements.
absl::StatusOr<Shape> ShapeOfSizes(Translator& translator, const Operation& operation,
                                   size_t sizes) {
  if (!Translator::HasOpenResult(operation)) return translator.ResultShape(operation);
  const mlir::TypeRef type = operation.results[0].type;
  if (sizes < operation.operands.size()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                         translator.ConstantOperand(operation, sizes));
    return translator.ShapeWithSizes(operation, type, values);
  }
  std::vector<int64_t> values(type->sizes.begin(), type->sizes.end());
  int64_t rest = ShapeUtil::ElementsIn(translator.Operand(operation, 0)->shape());
  int64_t* open = nullptr;
  for (int64_t& value : values) {
    if (value == mlir::kDynamic && open != nullptr) {
      return translator.Unimplemented(operation, "a reshape to several open sizes");
    }
    if (value == mlir::kDynamic) {
      open = &value;
    } else {
      rest = value == 0 ? 0 : rest / value;
    }
  }
  if (open != nullptr) *open = rest;
  return translator.ShapeWithSizes(operation, type, values);
}

// A broadcast of a scalar constant to that shape, which exists already; null if there is none.
HloInstruction* FindBroadcast(const HloInstruction& operand, const Shape& shape) {
  constexpr size_t kMaxUsers = 16;
  if (!operand.IsConstant() || !operand.shape().dimensions().empty()) return nullptr;
  for (size_t i = 0; i < operand.users().size() && i < kMaxUsers; ++i) {
    HloInstruction* user = operand.users()[i];
    if (user->opcode() == HloOpcode::kBroadcast && user->shape() == shape &&
        !user->has_sharding()) {
      return user;
    }
  }
  return nullptr;
}

absl::Status TranslateBroadcastInDim(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions,
                       translator.Integers(operation, "broadcast_dimensions"));
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOfSizes(translator, operation, 1));
  if (std::is_sorted(dimensions.begin(), dimensions.end()) &&
      translator.ReplaceByOperand(operation, shape)) {
    return absl::OkStatus();
  }
  if (HloInstruction* known = FindBroadcast(*translator.Operand(operation, 0), shape)) {
    translator.SetResults(operation, known);
    return absl::OkStatus();
  }
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
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOfSizes(translator, operation, 1));
  if (translator.ReplaceByOperand(operation, shape)) return absl::OkStatus();
  translator.SetResults(
      operation, translator.Emit(HloOpcode::kReshape, shape, {translator.Operand(operation, 0)},
                                 ReshapeAttributes{}));
  return absl::OkStatus();
}

absl::Status TranslateTranspose(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> permutation,
                       translator.Integers(operation, "permutation"));
  if (std::is_sorted(permutation.begin(), permutation.end()) &&
      !Translator::HasOpenResult(operation)) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
    if (translator.ReplaceByOperand(operation, shape)) return absl::OkStatus();
  }
  return EmitWithDimensions(translator, operation, HloOpcode::kTranspose, "permutation", 1);
}

absl::Status TranslateReverse(Translator& translator, const Operation& operation) {
  return EmitWithDimensions(translator, operation, HloOpcode::kReverse, "dimensions", 1);
}

absl::Status TranslateConcatenate(Translator& translator, const Operation& operation) {
  DimensionListAttributes attributes;
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "dimension"));
  if (operation.operands.size() == 1 &&
      translator.ReplaceByOperand(operation, translator.Operand(operation, 0)->shape())) {
    return absl::OkStatus();
  }
  return translator.EmitResults(operation, HloOpcode::kConcatenate, translator.Operands(operation),
                                attributes);
}

absl::Status EmitSlice(Translator& translator, const Operation& operation,
                       const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
                       const std::vector<int64_t>& strides) {
  if (starts.size() != limits.size() || starts.size() != strides.size()) {
    return translator.Error(operation, "needs as many starts as limits and strides");
  }
  if (!Translator::HasOpenResult(operation)) {
    // Of all of the operand.
    XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
    if (translator.ReplaceByOperand(operation, shape)) return absl::OkStatus();
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
  const auto is_zero = [](int64_t size) { return size == 0; };
  if (std::all_of(low.begin(), low.end(), is_zero) &&
      std::all_of(high.begin(), high.end(), is_zero) &&
      std::all_of(interior.begin(), interior.end(), is_zero) &&
      translator.ReplaceByOperand(operation, translator.Operand(operation, 0)->shape())) {
    return absl::OkStatus();
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
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOfSizes(translator, operation, 0));
  translator.SetResults(operation, translator.Emit(HloOpcode::kIota, shape, {}, attributes));
  return absl::OkStatus();
}

absl::Status TranslateDimensionSize(Translator& translator, const Operation& operation) {
  OneDimensionAttributes attributes;
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "dimension"));
  const bool gets = operation.Is("stablehlo.get_dimension_size");
  const mlir::TypeRef type = operation.operands[0]->type;
  if (gets && Translator::IsOpen(type)) {
    // Known now.
    const Shape& shape = translator.Operand(operation, 0)->shape();
    if (attributes.dimensions[0] < 0 || attributes.dimensions[0] >= shape.rank()) {
      return translator.Error(operation, "there is no such dimension");
    }
    const int64_t size = shape.dimensions(static_cast<int>(attributes.dimensions[0]));
    Literal literal = LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(size));
    translator.SetResults(
        operation,
        translator.Emit(HloOpcode::kConstant, ShapeUtil::MakeShape(S32, {}), {},
                        ConstantAttributes{{std::make_shared<Literal>(std::move(literal))}}));
    return absl::OkStatus();
  }
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
