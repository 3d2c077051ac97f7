// SPDX-License-Identifier: Apache-2.0
// Reductions, windows, sorts and normalizations as HLO.
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

// The values of outside that the body returns, whatever it is given; none if it returns others.
std::vector<HloInstruction*> ReturnedFromOutside(const Translator& translator,
                                                 const Operation& operation) {
  std::vector<HloInstruction*> values;
  const mlir::Operation* last =
      operation.regions[0].HasOneBlock() ? operation.regions[0].first->last : nullptr;
  if (last == nullptr || last->operands.size() != operation.results.size()) return values;
  for (const mlir::Value* value : last->operands) {
    if (!translator.IsOutside(operation.regions[0], *value)) return {};
    values.push_back(translator.Get(value));
  }
  return values;
}

absl::Status TranslateReduce(Translator& translator, const Operation& operation) {
  DimensionListAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.dimensions, translator.Integers(operation, "dimensions"));
  // A computation of HLO cannot return what is outside; where there is something to reduce, that is
  // the result.
  const std::vector<HloInstruction*> outside = ReturnedFromOutside(translator, operation);
  if (!outside.empty() && !Translator::HasOpenResult(operation)) {
    const Shape& input = translator.Operand(operation, 0)->shape();
    bool is_empty = false;
    for (const int64_t d : attributes.dimensions) {
      is_empty |= input.dimensions(static_cast<int>(d)) == 0;
    }
    for (size_t i = 0; i < outside.size(); ++i) {
      HloInstruction* value =
          is_empty ? translator.Operand(operation, outside.size() + i) : outside[i];
      XLA_ASSIGN_OR_RETURN(const Shape shape,
                           translator.ShapeOf(operation, operation.results[i].type));
      if (value->shape().element_type() != shape.element_type()) {
        Shape converted = value->shape();
        converted.set_element_type(shape.element_type());
        value = translator.Emit(HloOpcode::kConvert, converted, {value});
      }
      translator.Set(operation.results[i], translator.BroadcastScalar(value, shape));
    }
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kReduce, translator.Operands(operation),
                                attributes, {body});
}

absl::Status TranslateMap(Translator& translator, const Operation& operation) {
  MapAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.dimensions, translator.Integers(operation, "dimensions"));
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kMap, translator.Operands(operation),
                                attributes, {body});
}

// The window of reduce_window and select_and_scatter.
absl::StatusOr<WindowAttributes> Window(Translator& translator, const Operation& operation) {
  const size_t rank = translator.Operand(operation, 0)->shape().dimensions().size();
  const auto list = [&](std::string_view name, size_t count, int64_t value) {
    return translator.IntegersOr(operation, name, count, value);
  };
  XLA_ASSIGN_OR_RETURN(const auto sizes, list("window_dimensions", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto strides, list("window_strides", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto base, list("base_dilations", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto dilations, list("window_dilations", rank, 1));
  XLA_ASSIGN_OR_RETURN(const auto padding, list("padding", 2 * rank, 0));
  WindowAttributes attributes;
  for (size_t i = 0; i < rank; ++i) {
    WindowDim dim;
    dim.size = sizes[i];
    dim.stride = strides[i];
    dim.padding_low = padding[2 * i];
    dim.padding_high = padding[2 * i + 1];
    dim.window_dilation = dilations[i];
    dim.base_dilation = base[i];
    attributes.window.dims.push_back(dim);
  }
  return attributes;
}

absl::Status TranslateReduceWindow(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(WindowAttributes attributes, Window(translator, operation));
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kReduceWindow, translator.Operands(operation),
                                std::move(attributes), {body});
}

absl::Status TranslateSelectAndScatter(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(WindowAttributes attributes, Window(translator, operation));
  XLA_ASSIGN_OR_RETURN(HloComputation * select, translator.Reducer(operation, 0));
  XLA_ASSIGN_OR_RETURN(HloComputation * scatter, translator.Reducer(operation, 1));
  return translator.EmitResults(operation, HloOpcode::kSelectAndScatter,
                                translator.Operands(operation), std::move(attributes),
                                {select, scatter});
}

absl::Status TranslateSort(Translator& translator, const Operation& operation) {
  const auto rank =
      static_cast<int64_t>(translator.Operand(operation, 0)->shape().dimensions().size());
  SortAttributes attributes;
  const int64_t dimension = translator.IntegerOr(operation, "dimension", -1);
  attributes.dimensions = {dimension < 0 ? dimension + rank : dimension};
  attributes.is_stable = translator.Flag(operation, "is_stable");
  XLA_ASSIGN_OR_RETURN(HloComputation * comparator, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kSort, translator.Operands(operation),
                                attributes, {comparator});
}

absl::Status TranslateScan(Translator& translator, const Operation& operation) {
  ScanAttributes attributes;
  attributes.dimensions.resize(1);
  XLA_ASSIGN_OR_RETURN(attributes.dimensions[0], translator.Integer(operation, "dimension"));
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> segments,
                       translator.Integers(operation, "operandSegmentSizes"));
  if (segments.size() != 2) return translator.Error(operation, "needs inputs and initial values");
  attributes.num_carries = segments[1];
  attributes.is_reverse = translator.Flag(operation, "is_reverse");
  if (operation.Find("is_associative") != nullptr) {
    attributes.is_associative = translator.Flag(operation, "is_associative");
  }
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kScan, translator.Operands(operation),
                                std::move(attributes), {body});
}

absl::Status TranslateTopK(Translator& translator, const Operation& operation) {
  TopKAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.k, translator.Integer(operation, "k"));
  // Of MHLO.
  attributes.largest =
      operation.Find("largest") == nullptr || translator.Flag(operation, "largest");
  return translator.EmitResults(operation, HloOpcode::kTopK, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateBatchNorm(Translator& translator, const Operation& operation) {
  BatchNormAttributes attributes;
  const mlir::AttributeRef epsilon = operation.Find("epsilon");
  const auto* number = epsilon == nullptr ? nullptr : epsilon->As<mlir::FloatAttribute>();
  if (number == nullptr) return translator.Error(operation, "needs the attribute 'epsilon'");
  attributes.epsilon = static_cast<float>(number->value());
  XLA_ASSIGN_OR_RETURN(attributes.feature_index, translator.Integer(operation, "feature_index"));
  const HloOpcode opcode = operation.Is("stablehlo.batch_norm_grad") ? HloOpcode::kBatchNormGrad
                           : operation.Is("stablehlo.batch_norm_training")
                               ? HloOpcode::kBatchNormTraining
                               : HloOpcode::kBatchNormInference;
  return translator.EmitResults(operation, opcode, translator.Operands(operation), attributes);
}

}  // namespace

void AddReduceHandlers(HandlerTable* table) {
  table->emplace("stablehlo.batch_norm_grad", TranslateBatchNorm);
  table->emplace("stablehlo.batch_norm_inference", TranslateBatchNorm);
  table->emplace("stablehlo.batch_norm_training", TranslateBatchNorm);
  table->emplace("stablehlo.map", TranslateMap);
  table->emplace("stablehlo.reduce", TranslateReduce);
  table->emplace("stablehlo.reduce_window", TranslateReduceWindow);
  table->emplace("stablehlo.select_and_scatter", TranslateSelectAndScatter);
  table->emplace("stablehlo.sort", TranslateSort);
  table->emplace("chlo.scan", TranslateScan);
  table->emplace("chlo.top_k", TranslateTopK);
  table->emplace("mhlo.topk", TranslateTopK);
}

}  // namespace xla::stablehlo
