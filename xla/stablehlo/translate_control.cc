// SPDX-License-Identifier: Apache-2.0
// Control flow, calls and tuples as HLO. Bodies of loops and branches see values of outside in
// StableHLO; in HLO these become further elements of what they are given.
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;
using mlir::Value;

absl::Status TranslateWhile(Translator& translator, const Operation& operation) {
  if (operation.regions.size() != 2) return translator.Error(operation, "needs two regions");
  const std::vector<Value*> captures = translator.Captures(operation);
  std::vector<HloInstruction*> carried = translator.Operands(operation);
  for (const Value* value : captures) carried.push_back(translator.Get(value));
  HloInstruction* init = translator.TupleUnlessOne(carried);
  XLA_ASSIGN_OR_RETURN(HloComputation * condition,
                       translator.Body(operation, 0, captures, /*returns_captures=*/false));
  XLA_ASSIGN_OR_RETURN(HloComputation * body,
                       translator.Body(operation, 1, captures, /*returns_captures=*/true));
  HloInstruction* loop =
      translator.Emit(HloOpcode::kWhile, init->shape(), {init}, NoAttributes{}, {body, condition});
  if (carried.size() == 1) {
    translator.SetResults(operation, loop);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    translator.Set(operation.results[i], translator.Element(loop, static_cast<int64_t>(i)));
  }
  return absl::OkStatus();
}

// if and case. The regions of `if` are those of true and false.
absl::Status TranslateConditional(Translator& translator, const Operation& operation) {
  const std::vector<Value*> captures = translator.Captures(operation);
  std::vector<HloInstruction*> captured;
  for (const Value* value : captures) captured.push_back(translator.Get(value));
  HloInstruction* argument = translator.TupleUnlessOne(captured);
  std::vector<HloInstruction*> operands = {translator.Operand(operation, 0)};
  std::vector<HloComputation*> branches;
  for (size_t i = 0; i < operation.regions.size(); ++i) {
    operands.push_back(argument);
    XLA_ASSIGN_OR_RETURN(HloComputation * branch,
                         translator.Body(operation, i, captures, /*returns_captures=*/false));
    branches.push_back(branch);
  }
  return translator.EmitResults(operation, HloOpcode::kConditional, operands, NoAttributes{},
                                branches);
}

absl::Status TranslateCall(Translator& translator, const Operation& operation) {
  const bool is_composite = operation.Is("stablehlo.composite");
  if (is_composite) {
    XLA_ASSIGN_OR_RETURN(const std::string_view name, translator.String(operation, "name"));
    XLA_ASSIGN_OR_RETURN(const bool is_recomposed,
                         TranslateRecomposed(translator, operation, name));
    if (is_recomposed) return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const std::string_view callee,
                       translator.String(operation, is_composite ? "decomposition" : "callee"));
  if (translator.HasOpenSizes(callee)) return translator.InlineFunction(operation, callee);
  XLA_ASSIGN_OR_RETURN(HloComputation * function, translator.Function(operation, callee));
  const auto parameters = static_cast<size_t>(function->num_parameters());
  if (parameters != operation.operands.size()) {
    return translator.Error(operation,
                            absl::StrCat("@", View(callee), " has ", parameters, " parameters"));
  }
  CallAttributes attributes;
  attributes.is_composite = is_composite;
  XLA_ASSIGN_OR_RETURN(const Shape shape, translator.ResultShape(operation));
  HloInstruction* call = translator.Emit(HloOpcode::kCall, shape, translator.Operands(operation),
                                         attributes, {function});
  if (is_composite) {
    auto& facts = call->mutable_extras().frontend_attributes;
    XLA_ASSIGN_OR_RETURN(const std::string_view name, translator.String(operation, "name"));
    facts["composite.name"] = std::string(name);
    const mlir::AttributeRef dictionary = operation.Find("composite_attributes");
    facts["composite.attributes"] = "{}";
    if (dictionary != nullptr) {
      XLA_ASSIGN_OR_RETURN(facts["composite.attributes"],
                           translator.OwnText(operation, dictionary));
    }
    facts["composite.version"] = absl::StrCat(translator.IntegerOr(operation, "version", 0));
  }
  translator.SetResults(operation, call);
  return absl::OkStatus();
}

absl::Status TranslateTuple(Translator& translator, const Operation& operation) {
  return translator.EmitResults(operation, HloOpcode::kTuple, translator.Operands(operation));
}

absl::Status TranslateGetTupleElement(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const int64_t index, translator.Integer(operation, "index"));
  HloInstruction* tuple = translator.Operand(operation, 0);
  if (!tuple->shape().IsTuple() || index < 0 ||
      index >= static_cast<int64_t>(tuple->shape().tuple_shapes().size())) {
    return translator.Error(operation, absl::StrCat("there is no element ", index));
  }
  translator.SetResults(operation, translator.Element(tuple, index));
  return absl::OkStatus();
}

absl::Status TranslateBarrier(Translator& translator, const Operation& operation) {
  if (operation.operands.empty()) return absl::OkStatus();
  HloInstruction* operand = translator.TupleUnlessOne(translator.Operands(operation));
  translator.SetResults(
      operation, translator.Emit(HloOpcode::kOptimizationBarrier, operand->shape(), {operand}));
  return absl::OkStatus();
}

// Stands between dialects whose types are the same here.
absl::Status TranslateCast(Translator& translator, const Operation& operation) {
  if (operation.operands.size() != operation.results.size()) {
    return translator.Unimplemented(operation, "a cast between numbers of values");
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         translator.ShapeOf(operation, operation.results[i].type));
    HloInstruction* operand = translator.Operand(operation, i);
    if (!ShapeUtil::Compatible(shape, operand->shape())) {
      return translator.Unimplemented(operation, "a cast between types that differ");
    }
    translator.Set(operation.results[i], operand);
  }
  return absl::OkStatus();
}

}  // namespace

void AddControlHandlers(HandlerTable* table) {
  table->emplace("builtin.unrealized_conversion_cast", TranslateCast);
  table->emplace("func.call", TranslateCall);
  table->emplace("stablehlo.case", TranslateConditional);
  table->emplace("stablehlo.composite", TranslateCall);
  table->emplace("stablehlo.get_tuple_element", TranslateGetTupleElement);
  table->emplace("stablehlo.if", TranslateConditional);
  table->emplace("stablehlo.optimization_barrier", TranslateBarrier);
  table->emplace("stablehlo.tuple", TranslateTuple);
  table->emplace("stablehlo.while", TranslateWhile);
}

}  // namespace xla::stablehlo
