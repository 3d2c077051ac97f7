// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and dynamic slices as HLO.
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;

absl::Status TranslateGather(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* numbers,
                       translator.Struct(operation, "dimension_numbers"));
  GatherAttributes attributes;
  const auto list = [&](std::string_view name) {
    return translator.Parameters(operation, *numbers, name);
  };
  XLA_ASSIGN_OR_RETURN(attributes.offset_dims, list("offset_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.collapsed_slice_dims, list("collapsed_slice_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.start_index_map, list("start_index_map"));
  XLA_ASSIGN_OR_RETURN(attributes.operand_batching_dims, list("operand_batching_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.start_indices_batching_dims, list("start_indices_batching_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.index_vector_dim,
                       translator.Parameter(operation, *numbers, "index_vector_dim"));
  attributes.indices_are_sorted = translator.Flag(operation, "indices_are_sorted");
  if (operation.Is("stablehlo.dynamic_gather")) {
    XLA_ASSIGN_OR_RETURN(attributes.slice_sizes, translator.ConstantOperand(operation, 2));
  } else {
    XLA_ASSIGN_OR_RETURN(attributes.slice_sizes, translator.Integers(operation, "slice_sizes"));
  }
  return translator.EmitResults(
      operation, HloOpcode::kGather,
      {translator.Operand(operation, 0), translator.Operand(operation, 1)}, attributes);
}

absl::Status TranslateScatter(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* numbers,
                       translator.Struct(operation, "scatter_dimension_numbers"));
  ScatterAttributes attributes;
  const auto list = [&](std::string_view name) {
    return translator.Parameters(operation, *numbers, name);
  };
  XLA_ASSIGN_OR_RETURN(attributes.update_window_dims, list("update_window_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.inserted_window_dims, list("inserted_window_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.scatter_dims_to_operand_dims,
                       list("scatter_dims_to_operand_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.input_batching_dims, list("input_batching_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.scatter_indices_batching_dims,
                       list("scatter_indices_batching_dims"));
  XLA_ASSIGN_OR_RETURN(attributes.index_vector_dim,
                       translator.Parameter(operation, *numbers, "index_vector_dim"));
  attributes.indices_are_sorted = translator.Flag(operation, "indices_are_sorted");
  attributes.unique_indices = translator.Flag(operation, "unique_indices");
  XLA_ASSIGN_OR_RETURN(HloComputation * update, translator.Reducer(operation, 0));
  return translator.EmitResults(operation, HloOpcode::kScatter, translator.Operands(operation),
                                attributes, {update});
}

absl::Status TranslateDynamicSlice(Translator& translator, const Operation& operation) {
  DynamicSliceAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.dynamic_slice_sizes,
                       translator.Integers(operation, "slice_sizes"));
  return translator.EmitResults(operation, HloOpcode::kDynamicSlice, translator.Operands(operation),
                                attributes);
}

absl::Status TranslateDynamicUpdateSlice(Translator& translator, const Operation& operation) {
  return translator.EmitResults(operation, HloOpcode::kDynamicUpdateSlice,
                                translator.Operands(operation));
}

}  // namespace

void AddGatherScatterHandlers(HandlerTable* table) {
  table->emplace("stablehlo.dynamic_gather", TranslateGather);
  table->emplace("stablehlo.dynamic_slice", TranslateDynamicSlice);
  table->emplace("stablehlo.dynamic_update_slice", TranslateDynamicUpdateSlice);
  table->emplace("stablehlo.gather", TranslateGather);
  table->emplace("stablehlo.scatter", TranslateScatter);
}

}  // namespace xla::stablehlo
