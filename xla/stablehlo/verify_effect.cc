// SPDX-License-Identifier: Apache-2.0
// Rules of tokens, transfers, custom calls, asynchronous operations and the interpreter's own.
#include <algorithm>
#include <set>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

bool TokenResult(Check& check) {
  return check.Require(IsToken(check.result(0)), "the result must be a token");
}

bool AfterAllRule(Check& check) {
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!IsToken(check.operand(i))) return check.Fail("operand #", i, " must be a token");
  }
  return TokenResult(check);
}

// The results of infeed and recv: tensors, and a token.
bool TensorsAndToken(Check& check) {
  if (check.num_results() == 0) {
    return check.Fail("result is expected to be at least of size 1, but got 0");
  }
  for (size_t i = 0; i + 1 < check.num_results(); ++i) {
    if (!IsShaped(check.result(i))) {
      return check.Fail(
          "everything but the last element of result types is expected to be of "
          "tensor type, but got ",
          mlir::ToString(check.result(i)));
    }
  }
  return check.Require(IsToken(check.result(check.num_results() - 1)),
                       "last element of result types is expected to be of token type, but got ",
                       check.result(check.num_results() - 1));
}

bool InfeedRule(Check& check) {
  if (!TensorsAndToken(check)) return false;
  const AttributeRef layout = check.operation().Find("layout");
  if (layout == nullptr) return true;
  const auto* lists = layout->As<mlir::ArrayAttribute>();
  if (lists == nullptr) return check.Fail("the layout must be a list");
  if (lists->elements.size() != check.num_results() - 1) {
    return check.Fail("layout-attribute size must be ", check.num_results() - 1,
                      " (which is the number of op-results - 1 (for token result)), but got ",
                      lists->elements.size());
  }
  for (const AttributeRef element : lists->elements) {
    const auto* dimensions = element->As<mlir::ArrayAttribute>();
    if (dimensions == nullptr) {
      return check.Fail("layout-attribute expected to have elements of type array, but got ",
                        mlir::ToString(element));
    }
    for (const AttributeRef leaf : dimensions->elements) {
      if (leaf->kind != mlir::AttributeKind::kInteger) {
        return check.Fail(
            "layout-attribute's leaf elements are expected to be of type integer, "
            "but got ",
            mlir::ToString(leaf));
      }
    }
  }
  return true;
}

bool ChannelTypeRule(Check& check) {
  const bool is_send = check.Is("stablehlo.send");
  const bool to_host = check.Flag("is_host_transfer");
  const int64_t type = check.IntegerParameter("channel_handle", "type", 0);
  const int64_t expected = !to_host ? 1 : is_send ? 2 : 3;
  if (type != expected) {
    return check.Fail("channel_type should be ",
                      expected == 1   ? "DEVICE_TO_DEVICE"
                      : expected == 2 ? "DEVICE_TO_HOST"
                                      : "HOST_TO_DEVICE",
                      " (", expected, ") when is_host_transfer is ", to_host ? "true" : "false",
                      ", but is ", type);
  }
  return is_send ? TokenResult(check) : TensorsAndToken(check);
}

// --- Custom calls ---

bool LayoutsRule(Check& check) {
  const AttributeRef lists[] = {check.operation().Find("operand_layouts"),
                                check.operation().Find("result_layouts")};
  if ((lists[0] == nullptr) != (lists[1] == nullptr)) {
    return check.Fail(
        "Layout attributes should be specified for either both operands and results "
        "or none");
  }
  if (lists[0] == nullptr) return true;
  for (const bool is_result : {false, true}) {
    const auto* layouts = lists[is_result ? 1 : 0]->As<mlir::ArrayAttribute>();
    if (layouts == nullptr) return check.Fail("layouts must be lists");
    std::vector<TypeRef> types;
    for (size_t i = 0; i < (is_result ? check.num_results() : check.num_operands()); ++i) {
      types.push_back(is_result ? check.result(i) : check.operand(i));
    }
    // A single tuple stands for its elements.
    if (is_result && types.size() == 1 && types[0]->kind == TypeKind::kTuple) {
      types.assign(types[0]->types.begin(), types[0]->types.end());
    }
    const char* what = is_result ? "result" : "operand";
    if (layouts->elements.size() != types.size()) {
      return check.Fail("Number of ", what, "s must match the number of ", what, " layouts, ",
                        types.size(), " != ", layouts->elements.size());
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const auto layout = check.List(*layouts->elements[i]).value_or(std::vector<int64_t>());
      if (types[i]->kind == TypeKind::kTuple) {
        return check.Fail("Tuple types are not fully supported with layout constraints yet");
      }
      if (!IsTensor(types[i])) {
        if (layout.empty()) continue;
        return check.Fail("Only tensor types can have non-empty layout: ", what, " #", i,
                          " of type ", mlir::ToString(types[i]));
      }
      if (!check.IsPermutation(absl::StrCat("the layout of ", what, " #", i), layout,
                               Rank(types[i]))) {
        return false;
      }
    }
  }
  return true;
}

// The element of a tuple at a path; null if there is none.
TypeRef ElementAt(TypeRef type, absl::Span<const int64_t> path) {
  for (const int64_t index : path) {
    if (type == nullptr || type->kind != TypeKind::kTuple || index < 0 ||
        index >= static_cast<int64_t>(type->types.size())) {
      return nullptr;
    }
    type = type->types[static_cast<size_t>(index)];
  }
  return type;
}

std::vector<int64_t> PathOf(const Check& check, const mlir::DialectAttribute& alias,
                            std::string_view name) {
  const AttributeRef list = mlir::FindAttribute(alias.parameters, name);
  return list == nullptr ? std::vector<int64_t>()
                         : check.List(*list).value_or(std::vector<int64_t>());
}

// The memrefs in a type, with their paths.
void ListBuffers(TypeRef type, std::vector<int64_t>* path, std::set<std::vector<int64_t>>* found) {
  if (type->kind == TypeKind::kMemRef) found->insert(*path);
  if (type->kind != TypeKind::kTuple) return;
  for (size_t i = 0; i < type->types.size(); ++i) {
    path->push_back(static_cast<int64_t>(i));
    ListBuffers(type->types[i], path, found);
    path->pop_back();
  }
}

bool AliasesRule(Check& check) {
  const AttributeRef attribute = check.operation().Find("output_operand_aliases");
  const auto* aliases = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  std::set<std::vector<int64_t>> buffers, used_outputs, used_operands;
  std::vector<int64_t> path;
  for (size_t i = 0; i < check.num_results(); ++i) {
    if (check.num_results() > 1) path = {static_cast<int64_t>(i)};
    ListBuffers(check.result(i), &path, &buffers);
    path.clear();
  }
  for (size_t k = 0; aliases != nullptr && k < aliases->elements.size(); ++k) {
    const auto* alias = aliases->elements[k]->As<mlir::DialectAttribute>();
    if (alias == nullptr) return check.Fail("an output_operand_alias is not valid");
    const AttributeRef index = mlir::FindAttribute(alias->parameters, "operand_index");
    const auto* integer = index == nullptr ? nullptr : index->As<mlir::IntegerAttribute>();
    const int64_t operand = integer == nullptr ? 0 : integer->value;
    if (operand < 0 || operand >= static_cast<int64_t>(check.num_operands())) {
      return check.Fail(
          "expects operand_index in the output_operand_alias attribute to be in "
          "range [0, ",
          check.num_operands(), "); got: ", operand);
    }
    const auto operand_path = PathOf(check, *alias, "operand_tuple_indices");
    const auto output_path = PathOf(check, *alias, "output_tuple_indices");
    TypeRef output = nullptr;
    if (check.num_results() == 1) {
      output = ElementAt(check.result(0), output_path);
    } else if (!output_path.empty() && output_path[0] >= 0 &&
               output_path[0] < static_cast<int64_t>(check.num_results())) {
      output = ElementAt(check.result(static_cast<size_t>(output_path[0])),
                         absl::MakeConstSpan(output_path).subspan(1));
    }
    const TypeRef part = ElementAt(check.operand(static_cast<size_t>(operand)), operand_path);
    if (output == nullptr) {
      return check.Fail("output_tuple_indices in the output_operand_alias attribute out of bounds");
    }
    if (part == nullptr) {
      return check.Fail(
          "operand_tuple_indices in the output_operand_alias attribute out of "
          "bounds");
    }
    if (part != output && !TypesAgree(part, output)) {
      return check.Fail(
          "shapes mismatch in the output_operand_alias attribute: operand part has "
          "type ",
          mlir::ToString(part), " and output part has type ", mlir::ToString(output));
    }
    if (part->kind != TypeKind::kMemRef) continue;
    std::vector<int64_t> operand_place = operand_path;
    operand_place.insert(operand_place.begin(), operand);
    if (!used_operands.insert(operand_place).second) {
      return check.Fail("buffer operand ", operand, ListText(operand_path),
                        " is used in output_operand_alias more than once");
    }
    if (!used_outputs.insert(output_path).second) {
      return check.Fail("buffer output ", ListText(output_path),
                        " is used in output_operand_alias more than once");
    }
  }
  for (const std::vector<int64_t>& buffer : buffers) {
    if (used_outputs.count(buffer) == 0) {
      return check.Fail("buffer output ", ListText(buffer), " is not used in output_operand_alias");
    }
  }
  return true;
}

// CreateBuffer, Pin and Unpin make buffers of tensors, and tensors of buffers.
bool BufferCallRule(Check& check, std::string_view target) {
  const auto is_buffer = [](TypeRef type) { return type->kind == TypeKind::kMemRef; };
  const auto same = [](TypeRef a, TypeRef b) {
    return a->element == b->element && a->sizes == b->sizes;
  };
  if (target == "CreateBuffer") {
    if (check.num_operands() != 0) {
      return check.Fail("CreateBuffer custom_call shouldn't have any inputs");
    }
    return check.Require(check.num_results() == 1 && is_buffer(check.result(0)),
                         "CreateBuffer custom_call should have a memref output");
  }
  const bool pins = target == "Pin";
  if (check.num_operands() != 1 || is_buffer(check.operand(0)) == pins) {
    return check.Fail(View(target), " custom_call should have a ", pins ? "tensor" : "memref",
                      " input");
  }
  if (check.num_results() != 1 || is_buffer(check.result(0)) != pins) {
    return check.Fail(View(target), " custom_call should have a ", pins ? "memref" : "tensor",
                      " output");
  }
  return check.Require(same(check.operand(0), check.result(0)), View(target),
                       " custom_call should have compatible input and output types");
}

bool CustomCallRule(Check& check) {
  const AttributeRef target = check.operation().Find("call_target_name");
  const auto* name = target->As<mlir::StringAttribute>();
  const int64_t version = check.Integer("api_version", -1);
  const AttributeRef config = check.operation().Find("backend_config");
  const bool is_typed = version == 4 || check.Keyword("api_version") == "API_VERSION_TYPED_FFI";
  if (config != nullptr && is_typed && config->kind != mlir::AttributeKind::kDictionary) {
    return check.Fail(
        "backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary "
        "attribute");
  }
  if (config != nullptr && !is_typed && config->kind != mlir::AttributeKind::kString) {
    return check.Fail("backend_config for api_version ", version < 0 ? 1 : version,
                      " must be a string attribute");
  }
  if (!LayoutsRule(check)) return false;
  if (name->value == "CreateBuffer" || name->value == "Pin" || name->value == "Unpin") {
    return BufferCallRule(check, name->value);
  }
  return AliasesRule(check);
}

// --- Asynchronous operations ---

bool AsyncStartRule(Check& check) {
  const Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  const mlir::Block& block = *check.operation().regions[0].first;
  if (block.first->next != last) {
    return check.Fail("region must contain exactly one operation and a return");
  }
  bool is_known = false;
  for (const std::string_view name :
       {"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all",
        "stablehlo.collective_broadcast", "stablehlo.collective_permute",
        "stablehlo.collective_reduce", "stablehlo.reduce_scatter", "stablehlo.slice",
        "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"}) {
    is_known = is_known || block.first->Is(name);
  }
  if (!is_known) return check.Fail("region must contain a collective or slice operation");
  if (block.arguments.size() != check.num_operands()) {
    return check.Fail("number of operands (", check.num_operands(),
                      ") must match number of region arguments (", block.arguments.size(), ")");
  }
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    if (block.arguments[i].type != check.operand(i)) {
      return check.Fail("operand type ", mlir::ToString(check.operand(i)), " at index ", i,
                        " must match region argument type ",
                        mlir::ToString(block.arguments[i].type));
    }
  }
  const TypeRef future = check.result(0);
  bool agrees =
      future->IsDialect("stablehlo", "future") && future->types.size() == last->operands.size();
  for (size_t i = 0; agrees && i < last->operands.size(); ++i) {
    agrees = TypesAgree(future->types[i], last->operands[i]->type);
  }
  return check.Require(agrees, "the result must be a future of what the region returns, but is ",
                       future);
}

bool AsyncDoneRule(Check& check) {
  const TypeRef future = check.operand(0);
  bool agrees =
      future->IsDialect("stablehlo", "future") && future->types.size() == check.num_results();
  for (size_t i = 0; agrees && i < check.num_results(); ++i) {
    agrees = TypesAgree(future->types[i], check.result(i));
  }
  return check.Require(agrees, "the results must be those of the future ", future);
}

// --- StableHLO's interpreter ---

TypeRef TypeOfFunction(const Operation* function) {
  const AttributeRef attribute = function == nullptr ? nullptr : function->Find("function_type");
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  return type != nullptr && type->type->kind == TypeKind::kFunction ? type->type : nullptr;
}

bool RunParallelRule(Check& check) {
  const auto* rows = check.operation().Find("programs")->As<mlir::ArrayAttribute>();
  if (rows->elements.empty() || rows->elements[0]->kind != mlir::AttributeKind::kArray ||
      rows->elements[0]->As<mlir::ArrayAttribute>()->elements.empty()) {
    return check.Fail("`programs` attribute cannot be empty");
  }
  const size_t width = rows->elements[0]->As<mlir::ArrayAttribute>()->elements.size();
  size_t inputs = 0, results = 0;
  for (const AttributeRef row : rows->elements) {
    const auto* programs = row->As<mlir::ArrayAttribute>();
    if (programs == nullptr || programs->elements.size() != width) {
      return check.Fail("Sizes of second dimension of `programs` should all match ", width,
                        " but got ", programs == nullptr ? 0 : programs->elements.size());
    }
    for (const AttributeRef program : programs->elements) {
      const auto* symbol = program->As<mlir::SymbolRefAttribute>();
      if (symbol == nullptr) return check.Fail("`programs` must be names of functions");
      const TypeRef type = TypeOfFunction(check.FindSymbol(symbol->root));
      if (type == nullptr) return check.Fail("Function \"", View(symbol->root), "\" not found");
      inputs += type->types.size();
      results += type->results.size();
    }
  }
  if (inputs != check.num_operands()) {
    return check.Fail("Number of inputs (", check.num_operands(),
                      ") should match the sum of the number of inputs of all programs (", inputs,
                      ")");
  }
  if (results != check.num_results()) {
    return check.Fail("Number of results (", check.num_results(),
                      ") should match the sum of the number of results of all programs (", results,
                      ")");
  }
  const AttributeRef infeed = check.operation().Find("infeed");
  if (infeed == nullptr) return true;
  const auto* queue = infeed->As<mlir::ArrayAttribute>();
  if (queue == nullptr || queue->elements.empty()) {
    return check.Fail("infeed attribute is optional or should not be empty");
  }
  for (const AttributeRef element : queue->elements) {
    const auto* symbol = element->As<mlir::SymbolRefAttribute>();
    const TypeRef type =
        symbol == nullptr ? nullptr : TypeOfFunction(check.FindSymbol(symbol->root));
    if (type == nullptr) {
      return check.Fail("Function \"", symbol == nullptr ? "" : View(symbol->root), "\" not found");
    }
    if (type->results.size() != 1) {
      return check.Fail("Function \"", View(symbol->root), "\" should return 1 tensor but returns ",
                        type->results.size());
    }
    if (!IsShaped(type->results[0])) {
      return check.Fail("Function \"", View(symbol->root),
                        "\" should return a tensor type, but instead returns ",
                        mlir::ToString(type->results[0]));
    }
  }
  return true;
}

constexpr OperationRule kEffectRules[] = {
    {"stablehlo.after_all", 0, -1, 1, 1, 0, kAnyElements, "", AfterAllRule},
    {"stablehlo.create_token", 0, 0, 1, 1, 0, kAnyElements, "", AfterAllRule},
    {"stablehlo.async_start", 0, -1, 1, 1, 1, kAnyElements, "", AsyncStartRule},
    {"stablehlo.async_done", 1, 1, 1, -1, 0, kAnyElements, "", AsyncDoneRule},
    {"stablehlo.custom_call", 0, -1, 0, -1, 0, kAnyElements, "call_target_name:str",
     CustomCallRule},
    {"stablehlo.infeed", 1, 1, 0, -1, 0, kAnyElements, "infeed_config:str? layout:array?",
     InfeedRule},
    {"stablehlo.outfeed", 1, -1, 1, 1, 0, kAnyElements, "outfeed_config:str?", TokenResult},
    {"stablehlo.recv", 1, 1, 0, -1, 0, kAnyElements, "channel_handle:struct is_host_transfer:bool?",
     ChannelTypeRule},
    {"stablehlo.send", 1, -1, 1, 1, 0, kAnyElements, "channel_handle:struct is_host_transfer:bool?",
     ChannelTypeRule},
    {"interpreter.run_parallel", 0, -1, 0, -1, 0, kAnyElements, "programs:array infeed:array?",
     RunParallelRule},
};

}  // namespace

void AddEffectRules(RuleTable* table) {
  for (const OperationRule& rule : kEffectRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo
