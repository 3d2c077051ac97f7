// SPDX-License-Identifier: Apache-2.0
// The text of functions.
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::NamedArgument;
using mlir::NamedAttribute;
using mlir::OperationReader;
using mlir::OperationState;
using mlir::TypeRef;

// "type {attributes}" of an argument without a name, or a result.
bool ParseTypeWithAttributes(OperationReader& reader, std::vector<TypeRef>* types,
                             std::vector<AttributeRef>* attributes,
                             AttributeRef* location = nullptr) {
  types->push_back(reader.attributes().ParseType());
  if (types->back() == nullptr) return false;
  std::vector<NamedAttribute> entries;
  if (reader.cursor().Peek('{') && !reader.attributes().ParseEntries(&entries)) return false;
  attributes->push_back(reader.context().Dictionary(entries));
  AttributeRef unused;
  return reader.ParseOptionalLocation(location != nullptr ? location : &unused);
}

// (%arg0: type {attributes} loc(..), ..), or types alone in declarations.
bool ParseArguments(OperationReader& reader, std::vector<NamedArgument>* arguments,
                    std::vector<TypeRef>* types, std::vector<AttributeRef>* attributes) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.Expect('(')) return false;
  if (cursor.Consume(')')) return true;
  do {
    if (!cursor.Peek('%')) {
      if (!arguments->empty()) return cursor.FailExpected("the name of an argument");
      if (!ParseTypeWithAttributes(reader, types, attributes)) return false;
      continue;
    }
    if (arguments->size() != types->size()) {
      return cursor.FailExpected("a type: other arguments have no name");
    }
    mlir::OperandName name;
    AttributeRef location = nullptr;
    if (!reader.ParseOperand(&name) || !cursor.Expect(':') ||
        !ParseTypeWithAttributes(reader, types, attributes, &location)) {
      return false;
    }
    arguments->push_back({name.name, types->back(), name.offset, location});
  } while (cursor.Consume(','));
  return cursor.Expect(')');
}

bool ParseResults(OperationReader& reader, std::vector<TypeRef>* types,
                  std::vector<AttributeRef>* attributes) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.ConsumeText("->")) return true;
  if (!cursor.Peek('(')) {
    types->push_back(reader.attributes().ParseType());
    attributes->push_back(reader.context().Dictionary({}));
    return types->back() != nullptr;
  }
  cursor.Consume('(');
  if (cursor.Consume(')')) return true;
  do {
    if (!ParseTypeWithAttributes(reader, types, attributes)) return false;
  } while (cursor.Consume(','));
  return cursor.Expect(')');
}

bool AnyEntries(const std::vector<AttributeRef>& dictionaries) {
  for (const AttributeRef dictionary : dictionaries) {
    if (!dictionary->As<mlir::DictionaryAttribute>()->entries.empty()) return true;
  }
  return false;
}

// func.func private @name(..) -> (..) attributes {..} {..}
bool ParseFunction(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  mlir::Context& context = reader.context();
  for (const std::string_view visibility : {"private", "public", "nested"}) {
    if (cursor.ConsumeWord(visibility)) {
      state.AddAttribute("sym_visibility", context.String(visibility));
    }
  }
  std::string_view name;
  if (!cursor.SymbolName(&name)) return false;
  state.AddAttribute("sym_name", context.String(name));
  std::vector<NamedArgument> arguments;
  std::vector<TypeRef> inputs;
  std::vector<TypeRef> results;
  std::vector<AttributeRef> input_attributes;
  std::vector<AttributeRef> result_attributes;
  if (!ParseArguments(reader, &arguments, &inputs, &input_attributes) ||
      !ParseResults(reader, &results, &result_attributes)) {
    return false;
  }
  state.AddAttribute("function_type", context.TypeOf(context.Function(inputs, results)));
  if (AnyEntries(input_attributes)) {
    state.AddAttribute("arg_attrs", context.Array(input_attributes));
  }
  if (AnyEntries(result_attributes)) {
    state.AddAttribute("res_attrs", context.Array(result_attributes));
  }
  if (cursor.ConsumeWord("attributes") && !reader.ParseOptionalDictionary(state)) return false;
  if (!cursor.Peek('{')) {
    state.regions.emplace_back();  // a declaration
    return true;
  }
  if (arguments.size() != inputs.size()) {
    return cursor.Fail("the arguments of a function with a body need names");
  }
  return reader.ParseRegion(state, arguments);
}

// @callee(%0, %1) {..} : (..) -> ..
constexpr mlir::OperationSyntax kFunc[] = {
    {"func.func", "", ParseFunction, /*is_isolated=*/true, "func", PrintFunction},
    {"func.return", "dict [ $operands* : operands ]"},
    {"func.call", "@callee:sym ( $operands* ) dict : fn"},
    {"func.call_indirect", "$callee ( $operands* ) dict : fn"},
    {"func.constant", "dict @value:sym : results"},
};

}  // namespace

void AddFunc(mlir::Dialects* dialects) { dialects->Add(kFunc); }

}  // namespace xla::stablehlo
