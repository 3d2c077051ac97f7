// SPDX-License-Identifier: Apache-2.0
// The operations of MHLO that StableHLO lacks, as HLO; and those of CHLO that StableHLO programs
// hold as custom calls and composites.
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::Operation;

template <HloOpcode kOpcode>
absl::Status TranslateAsOpcode(Translator& translator, const Operation& operation) {
  return translator.EmitResults(operation, kOpcode, translator.Operands(operation));
}

absl::Status TranslateMhloCopy(Translator& translator, const Operation& operation) {
  HloInstruction* operand = translator.Operand(operation, 0);
  translator.SetResults(operation, translator.Emit(HloOpcode::kCopy, operand->shape(), {operand}));
  return absl::OkStatus();
}

absl::Status TranslateMhloDomain(Translator& translator, const Operation& operation) {
  DomainAttributes attributes;
  attributes.domain.kind = std::string(translator.Keyword(operation, "kind"));
  for (const bool is_entry : {true, false}) {
    const AttributeRef text = operation.Find(is_entry ? "entry_metadata" : "exit_metadata");
    if (text == nullptr) return translator.Error(operation, "needs entry_metadata, exit_metadata");
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, translator.Sharding(operation, text));
    (is_entry ? attributes.domain.entry : attributes.domain.exit) = std::move(sharding);
  }
  HloInstruction* operand = translator.Operand(operation, 0);
  translator.SetResults(operation, translator.Emit(HloOpcode::kDomain, operand->shape(), {operand},
                                                   std::move(attributes)));
  return absl::OkStatus();
}

absl::Status TranslateMhloFusion(Translator& translator, const Operation& operation) {
  static constexpr std::pair<std::string_view, FusionKind> kKinds[] = {
      {"kLoop", FusionKind::kLoop},
      {"kInput", FusionKind::kInput},
      {"kOutput", FusionKind::kOutput},
      {"kCustom", FusionKind::kCustom}};
  FusionAttributes attributes;
  const std::string_view keyword = translator.Keyword(operation, "fusion_kind");
  bool is_known = false;
  for (const auto& [name, kind] : kKinds) {
    if (name != keyword) continue;
    attributes.kind = kind;
    is_known = true;
  }
  if (!is_known) return translator.Error(operation, "needs a fusion_kind");
  XLA_ASSIGN_OR_RETURN(attributes.output_to_operand_aliasing,
                       translator.OutputOperandAliases(operation));
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  if (static_cast<size_t>(body->num_parameters()) != operation.operands.size()) {
    return translator.Error(operation, "needs a region with an argument for each operand");
  }
  return translator.EmitResults(operation, HloOpcode::kFusion, translator.Operands(operation),
                                std::move(attributes), {body});
}

absl::Status TranslateRngState(Translator& translator, const Operation& operation) {
  RngDeltaAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.delta, translator.Integer(operation, "delta"));
  return translator.EmitResults(operation, HloOpcode::kRngGetAndUpdateState, {}, attributes);
}

// Marks a value for a profiler.
absl::Status TranslateMhloTrace(Translator&, const Operation&) { return absl::OkStatus(); }

// Starts a function. The bundle has the operands, the results and what else its type lists.
absl::Status TranslateBundleStart(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const std::string_view callee,
                       translator.String(operation, "called_computation"));
  XLA_ASSIGN_OR_RETURN(HloComputation * function, translator.Function(operation, callee));
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (static_cast<size_t>(function->num_parameters()) != operands.size()) {
    return translator.Error(operation, absl::StrCat("@", View(callee), " has ",
                                                    function->num_parameters(), " parameters"));
  }
  AsyncAttributes attributes;
  if (operation.Find("execution_thread") != nullptr) {
    XLA_ASSIGN_OR_RETURN(const std::string_view thread,
                         translator.String(operation, "execution_thread"));
    if (thread != "main") attributes.async_execution_thread = std::string(thread);
  }
  // Other operations may call the function as well; the computation is of this one alone.
  HloComputation* body = translator.OwnComputation(function);
  body->SetExecutionThread(attributes.async_execution_thread);
  std::vector<Shape> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(operand->shape());
  std::vector<Shape> parts = {ShapeUtil::MakeTupleShape(shapes), body->root_instruction()->shape()};
  const absl::Span<const mlir::TypeRef> listed = operation.results[0].type->types;
  for (size_t i = 2; i < listed.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Shape shape, translator.ShapeOf(operation, listed[i]));
    parts.push_back(std::move(shape));
  }
  translator.SetResults(
      operation, translator.Emit(HloOpcode::kAsyncStart, ShapeUtil::MakeTupleShape(parts), operands,
                                 std::move(attributes), {body}));
  return absl::OkStatus();
}

bool IsAsync(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kAsyncStart ||
         instruction.opcode() == HloOpcode::kAsyncUpdate;
}

absl::Status TranslateBundleUpdate(Translator& translator, const Operation& operation) {
  HloInstruction* bundle = translator.Operand(operation, 0);
  if (!IsAsync(*bundle)) {
    return translator.Unimplemented(operation, "a bundle that is not that of async_start");
  }
  translator.SetResults(operation, translator.Emit(HloOpcode::kAsyncUpdate, bundle->shape(),
                                                   {bundle}, AsyncAttributes()));
  return absl::OkStatus();
}

absl::Status TranslateBundleDone(Translator& translator, const Operation& operation) {
  HloInstruction* bundle = translator.Operand(operation, 0);
  if (!IsAsync(*bundle)) {
    return translator.Unimplemented(operation, "a bundle that is not that of async_start");
  }
  HloInstruction* done = translator.Emit(HloOpcode::kAsyncDone, bundle->shape().tuple_shapes(1),
                                         {bundle}, AsyncAttributes());
  const bool fits = done->shape().IsTuple()
                        ? done->shape().tuple_shapes().size() == operation.results.size() ||
                              operation.results.size() == 1
                        : operation.results.size() == 1;
  if (!fits) return translator.Error(operation, "needs a result for each value of the function");
  translator.SetResults(operation, done);
  return absl::OkStatus();
}

// Operations that XLA's exporter writes as custom calls "mhlo.erf" with mhlo.attributes, and as
// composites "chlo.erf" of version 1.
struct Recomposed {
  std::string_view name;         // of CHLO, after "chlo."
  std::string_view custom_call;  // another name, after "mhlo."; empty if it is the same
  bool is_composite;
};
constexpr Recomposed kRecomposed[] = {
    {"acos", "", true},  {"acosh", "", true}, {"asin", "", true},      {"asinh", "", true},
    {"atanh", "", true}, {"cosh", "", true},  {"erf", "", true},       {"ragged_dot", "", true},
    {"sinh", "", true},  {"tan", "", false},  {"top_k", "topk", true},
};

// The attributes of ragged_dot, which are kept as lists and strings: [[lhs_batch], [rhs_batch],
// [lhs_contract], [rhs_contract], [lhs_ragged], [rhs_group]] and ["DEFAULT", ..].
AttributeRef RaggedDotAttribute(mlir::Context& context, const NamedAttribute& attribute) {
  const auto* array = attribute.value->As<mlir::ArrayAttribute>();
  if (array == nullptr) return attribute.value;
  if (attribute.name == "precision_config") {
    std::vector<AttributeRef> keywords;
    for (const AttributeRef element : array->elements) {
      const auto* text = element->As<mlir::StringAttribute>();
      keywords.push_back(
          text == nullptr ? element : context.DialectOf("stablehlo", "precision", text->value));
    }
    return context.Array(keywords);
  }
  constexpr std::string_view kNames[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions",
                                         "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                         "lhs_ragged_dimensions",      "rhs_group_dimensions"};
  if (attribute.name != "ragged_dot_dimension_numbers" ||
      array->elements.size() != std::size(kNames)) {
    return attribute.value;
  }
  std::vector<NamedAttribute> parameters;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    parameters.push_back({kNames[i], array->elements[i]});
  }
  return context.DialectOf("stablehlo", "ragged_dot", {}, parameters);
}

// A custom call with nothing but its target, its operands and the attributes of the operation.
bool IsExtension(const Operation& operation) {
  for (const auto& [name, value] : operation.attributes) {
    const auto* text = value->As<mlir::StringAttribute>();
    const auto* array = value->As<mlir::ArrayAttribute>();
    const auto* integer = value->As<mlir::IntegerAttribute>();
    const bool is_known = name == "call_target_name" || name == "mhlo.attributes" ||
                          (name == "mhlo.version" && integer != nullptr && integer->value == 1);
    const bool is_empty =
        (name == "backend_config" && text != nullptr && text->value.empty()) ||
        (name == "called_computations" && array != nullptr && array->elements.empty());
    if (!is_known && !is_empty) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> TranslateRecomposed(Translator& translator, const Operation& operation,
                                         std::string_view target) {
  const bool is_composite = operation.Is("stablehlo.composite");
  if (!absl::StartsWith(View(target), "chlo.") &&
      (is_composite || !absl::StartsWith(View(target), "mhlo."))) {
    return false;
  }
  const bool is_mhlo = target.front() == 'm';
  target.remove_prefix(5);
  const Recomposed* found = nullptr;
  for (const Recomposed& known : kRecomposed) {
    const bool has_other_name = is_mhlo && !known.custom_call.empty();
    if (target == (has_other_name ? known.custom_call : known.name)) found = &known;
  }
  if (found == nullptr || (is_composite && !found->is_composite)) return false;
  if (is_composite ? translator.IntegerOr(operation, "version", 0) != 1 : !IsExtension(operation)) {
    return false;
  }
  const AttributeRef attribute =
      operation.Find(is_composite ? "composite_attributes" : "mhlo.attributes");
  const auto* dictionary =
      attribute == nullptr ? nullptr : attribute->As<mlir::DictionaryAttribute>();
  if (dictionary == nullptr && !is_composite) return false;
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& entry :
       dictionary == nullptr ? absl::Span<const NamedAttribute>() : dictionary->entries) {
    const auto* flag = entry.value->As<mlir::IntegerAttribute>();
    if (entry.name == "largest" && flag != nullptr && flag->value == 0) return false;
    attributes.push_back({entry.name, found->name == "ragged_dot"
                                          ? RaggedDotAttribute(translator.context(), entry)
                                          : entry.value});
  }
  // Shardings and frontend attributes are those of the operation itself.
  XLA_RETURN_IF_ERROR(
      translator.TranslateAs(operation, absl::StrCat("chlo.", View(found->name)), attributes));
  return true;
}

void AddMhloHandlers(HandlerTable* table) {
  table->emplace("mhlo.add_dependency", TranslateAsOpcode<HloOpcode::kAddDependency>);
  table->emplace("mhlo.async_done", TranslateBundleDone);
  table->emplace("mhlo.async_start", TranslateBundleStart);
  table->emplace("mhlo.async_update", TranslateBundleUpdate);
  table->emplace("mhlo.bitcast", TranslateAsOpcode<HloOpcode::kBitcast>);
  table->emplace("mhlo.copy", TranslateMhloCopy);
  table->emplace("mhlo.cosh", TranslateAsOpcode<HloOpcode::kCosh>);
  table->emplace("mhlo.domain", TranslateMhloDomain);
  table->emplace("mhlo.fusion", TranslateMhloFusion);
  table->emplace("mhlo.sinh", TranslateAsOpcode<HloOpcode::kSinh>);
  table->emplace("mhlo.stochastic_convert", TranslateAsOpcode<HloOpcode::kStochasticConvert>);
  table->emplace("mhlo.trace", TranslateMhloTrace);
  table->emplace("mhlo.xla.rng_get_and_update_state", TranslateRngState);
}

}  // namespace xla::stablehlo
