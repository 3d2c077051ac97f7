// SPDX-License-Identifier: Apache-2.0
// Tokens, feeds, custom calls and checks as HLO.
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/async_collective.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;

absl::Status TranslateAfterAll(Translator& translator, const Operation& operation) {
  return translator.EmitResults(operation, HloOpcode::kAfterAll, translator.Operands(operation));
}

absl::Status TranslateOutfeed(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.empty()) return translator.Error(operation, "needs a token");
  HloInstruction* token = operands.back();
  operands.pop_back();
  HloInstruction* data = translator.TupleUnlessOne(operands);
  OutfeedAttributes attributes;
  attributes.outfeed_shape = data->shape();
  if (operation.Find("outfeed_config") != nullptr) {
    XLA_ASSIGN_OR_RETURN(const std::string_view config,
                         translator.String(operation, "outfeed_config"));
    attributes.outfeed_config = std::string(config);
  }
  return translator.EmitResults(operation, HloOpcode::kOutfeed, {data, token},
                                std::move(attributes));
}

// The data, alone or as a tuple, and the token.
absl::Status TranslateInfeed(Translator& translator, const Operation& operation) {
  std::vector<Shape> shapes;
  for (const mlir::Value& result : operation.results) {
    XLA_ASSIGN_OR_RETURN(Shape shape, translator.ShapeOf(operation, result.type));
    shapes.push_back(std::move(shape));
  }
  if (shapes.empty()) return translator.Error(operation, "needs a token as result");
  const size_t count = shapes.size() - 1;
  const Shape token = shapes.back();
  shapes.pop_back();
  const Shape data = count == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
  InfeedAttributes attributes;
  if (operation.Find("infeed_config") != nullptr) {
    XLA_ASSIGN_OR_RETURN(const std::string_view config,
                         translator.String(operation, "infeed_config"));
    attributes.infeed_config = std::string(config);
  }
  HloInstruction* infeed =
      translator.Emit(HloOpcode::kInfeed, ShapeUtil::MakeTupleShape({data, token}),
                      {translator.Operand(operation, 0)}, std::move(attributes));
  HloInstruction* values = translator.Element(infeed, 0);
  for (size_t i = 0; i < count; ++i) {
    translator.Set(operation.results[i],
                   count == 1 ? values : translator.Element(values, static_cast<int64_t>(i)));
  }
  translator.Set(operation.results[count], translator.Element(infeed, 1));
  return absl::OkStatus();
}

absl::StatusOr<SendRecvAttributes> TransferAttributes(Translator& translator,
                                                      const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const mlir::DialectAttribute* handle,
                       translator.Struct(operation, "channel_handle"));
  SendRecvAttributes attributes;
  XLA_ASSIGN_OR_RETURN(attributes.channel_id, translator.Parameter(operation, *handle, "handle"));
  attributes.is_host_transfer = translator.Flag(operation, "is_host_transfer");
  return attributes;
}

absl::Status TranslateSend(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const SendRecvAttributes attributes,
                       TransferAttributes(translator, operation));
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operands.empty()) return translator.Error(operation, "needs a token");
  HloInstruction* token = operands.back();
  operands.pop_back();
  HloInstruction* data = translator.TupleUnlessOne(operands);
  const Shape shape = ShapeUtil::MakeTupleShape(
      {data->shape(), ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
  HloInstruction* send = translator.Emit(HloOpcode::kSend, shape, {data, token}, attributes);
  return translator.EmitResults(operation, HloOpcode::kSendDone, {send}, attributes);
}

absl::Status TranslateRecv(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const SendRecvAttributes attributes,
                       TransferAttributes(translator, operation));
  std::vector<Shape> shapes;
  for (const mlir::Value& result : operation.results) {
    XLA_ASSIGN_OR_RETURN(Shape shape, translator.ShapeOf(operation, result.type));
    shapes.push_back(std::move(shape));
  }
  if (shapes.empty()) return translator.Error(operation, "needs a token as result");
  const size_t count = shapes.size() - 1;
  shapes.pop_back();
  const Shape data = count == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
  const Shape token = ShapeUtil::MakeTokenShape();
  HloInstruction* recv = translator.Emit(
      HloOpcode::kRecv, ShapeUtil::MakeTupleShape({data, ShapeUtil::MakeShape(U32, {}), token}),
      {translator.Operand(operation, 0)}, attributes);
  HloInstruction* done = translator.Emit(
      HloOpcode::kRecvDone, ShapeUtil::MakeTupleShape({data, token}), {recv}, attributes);
  HloInstruction* values = translator.Element(done, 0);
  for (size_t i = 0; i < count; ++i) {
    translator.Set(operation.results[i],
                   count == 1 ? values : translator.Element(values, static_cast<int64_t>(i)));
  }
  translator.Set(operation.results[count], translator.Element(done, 1));
  return absl::OkStatus();
}

absl::StatusOr<CustomCallApiVersion> ApiVersion(Translator& translator,
                                                const Operation& operation) {
  static constexpr std::pair<std::string_view, CustomCallApiVersion> kVersions[] = {
      {"API_VERSION_UNSPECIFIED", CustomCallApiVersion::API_VERSION_UNSPECIFIED},
      {"API_VERSION_ORIGINAL", CustomCallApiVersion::API_VERSION_ORIGINAL},
      {"API_VERSION_STATUS_RETURNING", CustomCallApiVersion::API_VERSION_STATUS_RETURNING},
      {"API_VERSION_STATUS_RETURNING_UNIFIED",
       CustomCallApiVersion::API_VERSION_STATUS_RETURNING_UNIFIED},
      {"API_VERSION_TYPED_FFI", CustomCallApiVersion::API_VERSION_TYPED_FFI}};
  const AttributeRef attribute = operation.Find("api_version");
  if (attribute == nullptr) return CustomCallApiVersion::API_VERSION_ORIGINAL;
  if (const auto* integer = attribute->As<mlir::IntegerAttribute>()) {
    if (integer->value >= 0 && integer->value < 5) return kVersions[integer->value].second;
  }
  for (const auto& [name, value] : kVersions) {
    if (translator.Keyword(operation, "api_version") == name) return value;
  }
  return translator.Error(operation, "api_version is not valid");
}

absl::StatusOr<CustomCallSchedule> Schedule(Translator& translator, const Operation& operation) {
  const std::string_view keyword = translator.Keyword(operation, "custom_call_schedule");
  if (keyword == "LATEST") return CustomCallSchedule::SCHEDULE_LATEST;
  if (keyword == "EARLIEST") return CustomCallSchedule::SCHEDULE_EARLIEST;
  if (keyword.empty() || keyword == "NONE") return CustomCallSchedule::SCHEDULE_NONE;
  return translator.Error(operation, "custom_call_schedule is not valid");
}

// The shape with a layout, which is given from the minor to the major dimension.
absl::StatusOr<Shape> WithLayout(Translator& translator, const Operation& operation,
                                 const Shape& shape, const std::vector<int64_t>& minor_to_major) {
  Shape result = shape;
  if (!shape.IsArray()) return result;
  const Layout layout = LayoutUtil::MakeLayout(minor_to_major);
  const absl::Status status = LayoutUtil::ValidateLayoutForShape(layout, shape);
  if (!status.ok()) return translator.Error(operation, std::string(status.message()));
  *result.mutable_layout() = layout;
  return result;
}

// operand_layouts and result_layouts, where they are stated.
absl::Status SetLayouts(Translator& translator, const Operation& operation,
                        CustomCallAttributes* attributes, Shape* shape) {
  if (operation.Find("operand_layouts") == nullptr || operation.Find("result_layouts") == nullptr) {
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const auto operands, translator.IntegerLists(operation, "operand_layouts"));
  XLA_ASSIGN_OR_RETURN(const auto results, translator.IntegerLists(operation, "result_layouts"));
  if (operands.size() != operation.operands.size() || results.size() != operation.results.size()) {
    return translator.Error(operation, "needs a layout for each operand and each result");
  }
  std::vector<Shape>& constraints = attributes->operand_layout_constraints.emplace();
  for (size_t i = 0; i < operands.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        Shape operand,
        WithLayout(translator, operation, translator.Operand(operation, i)->shape(), operands[i]));
    constraints.push_back(std::move(operand));
  }
  if (results.size() == 1) {
    XLA_ASSIGN_OR_RETURN(*shape, WithLayout(translator, operation, *shape, results[0]));
    return absl::OkStatus();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Shape* element = shape->mutable_tuple_shapes(static_cast<int>(i));
    XLA_ASSIGN_OR_RETURN(*element, WithLayout(translator, operation, *element, results[i]));
  }
  return absl::OkStatus();
}

absl::Status TranslateCustomCall(Translator& translator, const Operation& operation) {
  CustomCallAttributes attributes;
  XLA_ASSIGN_OR_RETURN(const std::string_view target,
                       translator.String(operation, "call_target_name"));
  XLA_ASSIGN_OR_RETURN(const bool is_collective,
                       TranslateAsyncCollective(translator, operation, target));
  if (is_collective) return absl::OkStatus();
  if (!translator.keeps_shardy() &&
      (target == "xla.sdy.GlobalToLocalShape" || target == "xla.sdy.LocalToGlobalShape" ||
       target == "xla.sdy.FuncResultSharding")) {
    return TranslateShardyCall(translator, operation, target);
  }
  XLA_ASSIGN_OR_RETURN(const bool is_recomposed,
                       TranslateRecomposed(translator, operation, target));
  if (is_recomposed) return absl::OkStatus();
  attributes.custom_call_target = std::string(target);
  attributes.has_side_effect = translator.Flag(operation, "has_side_effect");
  XLA_ASSIGN_OR_RETURN(attributes.api_version, ApiVersion(translator, operation));
  // JAX puts the attributes of typed calls here, and leaves the version out.
  const AttributeRef typed = operation.Find("mhlo.backend_config");
  if (typed != nullptr) attributes.api_version = CustomCallApiVersion::API_VERSION_TYPED_FFI;
  XLA_ASSIGN_OR_RETURN(attributes.schedule, Schedule(translator, operation));
  XLA_ASSIGN_OR_RETURN(attributes.output_to_operand_aliasing,
                       translator.OutputOperandAliases(operation));
  std::vector<HloComputation*> called;
  const AttributeRef computations = operation.Find("called_computations");
  if (computations != nullptr && computations->kind == mlir::AttributeKind::kArray) {
    for (const AttributeRef symbol : computations->As<mlir::ArrayAttribute>()->elements) {
      const auto* name = symbol->As<mlir::SymbolRefAttribute>();
      if (name == nullptr) return translator.Error(operation, "needs names of functions");
      XLA_ASSIGN_OR_RETURN(HloComputation * function, translator.Function(operation, name->root));
      called.push_back(function);
    }
  }
  XLA_ASSIGN_OR_RETURN(Shape shape, translator.ResultShape(operation));
  XLA_RETURN_IF_ERROR(SetLayouts(translator, operation, &attributes, &shape));
  HloInstruction* call =
      translator.Emit(HloOpcode::kCustomCall, std::move(shape), translator.Operands(operation),
                      std::move(attributes), called);
  if (const AttributeRef config = typed != nullptr ? typed : operation.Find("backend_config")) {
    XLA_ASSIGN_OR_RETURN(call->mutable_extras().backend_config,
                         translator.OwnText(operation, config));
  }
  translator.SetResults(operation, call);
  return absl::OkStatus();
}

// An operation that starts here and ends with async_done. Its future stands for the pair of the
// operands and the result.
absl::Status TranslateAsyncStart(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(HloComputation * body, translator.Reducer(operation, 0));
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (static_cast<size_t>(body->num_parameters()) != operands.size() ||
      operation.results.size() != 1) {
    return translator.Error(operation, "needs a region with an argument for each operand");
  }
  std::vector<Shape> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(operand->shape());
  const Shape shape = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeTupleShape(shapes), body->root_instruction()->shape()});
  translator.SetResults(operation, translator.Emit(HloOpcode::kAsyncStart, shape, operands,
                                                   AsyncAttributes(), {body}));
  return absl::OkStatus();
}

absl::Status TranslateAsyncDone(Translator& translator, const Operation& operation) {
  if (operation.operands.size() != 1) return translator.Error(operation, "needs one future");
  HloInstruction* start = translator.Operand(operation, 0);
  if (start->opcode() != HloOpcode::kAsyncStart) {
    return translator.Unimplemented(operation, "a future that is not that of async_start");
  }
  return translator.EmitResults(operation, HloOpcode::kAsyncDone, {start}, AsyncAttributes());
}

// check.expect_eq_const and the like: the custom calls that check the same.
absl::Status TranslateCheck(Translator& translator, const Operation& operation) {
  std::vector<HloInstruction*> operands = translator.Operands(operation);
  std::string name(operation.name->text);
  const AttributeRef value = operation.Find("value");
  if (value != nullptr) {
    const auto* dense = value->As<mlir::DenseAttribute>();
    if (dense == nullptr)
      return translator.Unimplemented(operation, "a constant that is not dense");
    XLA_ASSIGN_OR_RETURN(HloInstruction * constant, translator.Constant(operation, *dense));
    operands.push_back(constant);
    name = name.substr(0, name.rfind("_const"));
  }
  CustomCallAttributes attributes;
  attributes.custom_call_target = name;
  attributes.has_side_effect = true;
  HloInstruction* call = translator.Emit(HloOpcode::kCustomCall, ShapeUtil::MakeTupleShape({}),
                                         operands, std::move(attributes));
  for (const char* bound : {"min_ulp_difference", "max_ulp_difference"}) {
    if (operation.Find(bound) == nullptr) continue;
    XLA_ASSIGN_OR_RETURN(const int64_t value, translator.Integer(operation, bound));
    call->mutable_extras().frontend_attributes[bound] = absl::StrCat(value);
  }
  const AttributeRef tolerance = operation.Find("tolerance");
  if (const auto* number = tolerance == nullptr ? nullptr : tolerance->As<mlir::FloatAttribute>()) {
    call->mutable_extras().frontend_attributes["tolerance"] = absl::StrCat(number->value());
  }
  return absl::OkStatus();
}

}  // namespace

void AddEffectHandlers(HandlerTable* table) {
  table->emplace("check.expect_almost_eq", TranslateCheck);
  table->emplace("check.expect_almost_eq_const", TranslateCheck);
  table->emplace("check.expect_close", TranslateCheck);
  table->emplace("check.expect_eq", TranslateCheck);
  table->emplace("check.expect_eq_const", TranslateCheck);
  table->emplace("stablehlo.after_all", TranslateAfterAll);
  table->emplace("stablehlo.async_done", TranslateAsyncDone);
  table->emplace("stablehlo.async_start", TranslateAsyncStart);
  table->emplace("stablehlo.create_token", TranslateAfterAll);
  table->emplace("stablehlo.custom_call", TranslateCustomCall);
  table->emplace("stablehlo.infeed", TranslateInfeed);
  table->emplace("stablehlo.outfeed", TranslateOutfeed);
  table->emplace("stablehlo.recv", TranslateRecv);
  table->emplace("stablehlo.send", TranslateSend);
}

}  // namespace xla::stablehlo
