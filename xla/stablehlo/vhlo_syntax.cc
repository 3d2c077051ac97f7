// SPDX-License-Identifier: Apache-2.0
// VHLO in text: its types and attributes are read as the builtin ones that they stand for.
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/attribute_syntax.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeReader;
using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::OperationReader;
using mlir::OperationState;
using mlir::TextCursor;
using mlir::TypeRef;

// "i32_v1" without its version; empty if there is none, or if no name is left of it ("i32._v1").
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at == 0 || name[at - 1] == '.') return {};
  return name.substr(0, at);
}

bool ParseTypes(AttributeReader& reader, char end, std::vector<TypeRef>* types) {
  // "()" stands for an empty list.
  if (reader.cursor().PeekText("()")) return reader.cursor().ConsumeText("()");
  if (reader.cursor().Peek(end)) return true;
  do {
    types->push_back(reader.ParseType());
    if (types->back() == nullptr) return false;
  } while (reader.cursor().Consume(','));
  return true;
}

// storage:expressed, scale:zero point, min:max, flags
TypeRef ParseQuantized(AttributeReader& reader, bool per_axis) {
  TextCursor& cursor = reader.cursor();
  mlir::Type type;
  type.kind = mlir::TypeKind::kQuantized;
  mlir::QuantizedParameters parameters;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  std::vector<int64_t> dimensions;
  const auto scale = [&]() {
    const AttributeRef value = reader.ParseNumber(reader.context().Float(mlir::FloatKind::kF64));
    if (value == nullptr) return false;
    scales.push_back(value->As<mlir::FloatAttribute>()->value());
    return true;
  };
  const auto integer = [&](std::vector<int64_t>* values) {
    values->push_back(0);
    return reader.ParseSignedInteger(&values->back());
  };
  const size_t begin = cursor.offset();
  type.storage = reader.ParseType();
  if (type.storage == nullptr || !cursor.Expect(':')) return nullptr;
  type.element = reader.ParseType();
  if (type.element == nullptr || !cursor.Expect(',')) return nullptr;
  if (per_axis) {
    if (!integer(&dimensions) || !cursor.Expect(',') || !cursor.Expect('[')) return nullptr;
    do {
      if (!scale()) return nullptr;
    } while (cursor.Consume(','));
    if (!cursor.Expect(']') || !cursor.Expect(',') || !cursor.Expect('[')) return nullptr;
    do {
      if (!integer(&zero_points)) return nullptr;
    } while (cursor.Consume(','));
    if (!cursor.Expect(']')) return nullptr;
  } else if (!scale() || !cursor.Expect(':') || !integer(&zero_points)) {
    return nullptr;
  }
  int64_t flags = 0;
  if (!cursor.Expect(',') || !reader.ParseSignedInteger(&parameters.storage_min) ||
      !cursor.Expect(':') || !reader.ParseSignedInteger(&parameters.storage_max) ||
      !cursor.Expect(',') || !reader.ParseSignedInteger(&flags)) {
    return nullptr;
  }
  if (flags % 2 == 0) type.signedness = mlir::Signedness::kUnsigned;
  parameters.scales = scales;
  parameters.zero_points = zero_points;
  parameters.dimensions = dimensions;
  if (const std::string error = mlir::CheckQuantized(type, parameters); !error.empty()) {
    cursor.FailAt(begin, error);
    return nullptr;
  }
  type.storage = reader.context().Integer(type.storage->width);
  type.quantized = &parameters;
  return reader.context().Intern(type);
}

TypeRef ParseVhloType(AttributeReader& reader, std::string_view full_name, bool has_body) {
  mlir::Context& context = reader.context();
  TextCursor& cursor = reader.cursor();
  const std::string_view name = WithoutVersion(full_name);
  if (!has_body) {
    if (name == "bool") return context.Integer(1);
    if (name == "index") return context.Index();
    if (name == "none") return context.None();
    if (name == "token") return context.Dialect("stablehlo", "token");
    if (name == "tf31") return context.Float(mlir::FloatKind::kTF32);  // spelled so upstream
    if (const auto kind = mlir::FindFloatKind(name)) return context.Float(*kind);
    const bool is_unsigned = name.substr(0, 1) == "u";
    const std::string_view digits = name.substr(is_unsigned ? 1 : 0);
    for (const uint32_t width : {2u, 4u, 8u, 16u, 32u, 64u}) {
      if (digits == absl::StrCat("i", width)) {
        return context.Integer(
            width, is_unsigned ? mlir::Signedness::kUnsigned : mlir::Signedness::kSignless);
      }
    }
    return nullptr;
  }
  if (name == "tensor" || name == "buffer") {
    std::vector<int64_t> sizes;
    if (!reader.ParseSizes(/*allow_dynamic=*/true, &sizes)) return nullptr;
    const TypeRef element = reader.ParseType();
    if (element == nullptr) return nullptr;
    if (name == "buffer") {
      mlir::Type type;
      type.kind = mlir::TypeKind::kMemRef;
      type.sizes = sizes;
      type.element = element;
      return context.Intern(type);
    }
    AttributeRef encoding = nullptr;
    if (cursor.Consume(',')) {
      encoding = reader.ParseAttribute();
      if (encoding == nullptr) return nullptr;
    }
    return context.RankedTensor(sizes, element, encoding);
  }
  if (name == "complex" || name == "unranked_tensor") {
    const TypeRef element = reader.ParseType();
    if (element == nullptr) return nullptr;
    return name == "complex" ? context.Complex(element) : context.UnrankedTensor(element);
  }
  if (name == "quant") return ParseQuantized(reader, /*per_axis=*/false);
  if (name == "quant_per_axis") return ParseQuantized(reader, /*per_axis=*/true);
  std::vector<TypeRef> types;
  if (name == "tuple" || name == "future") {
    if (!ParseTypes(reader, '>', &types)) return nullptr;
    return name == "tuple" ? context.Tuple(types) : context.Dialect("stablehlo", "future", types);
  }
  if (name == "func") {
    std::vector<TypeRef> results;
    const auto list = [&](std::vector<TypeRef>* out) {
      const bool paren = cursor.Consume('(');
      if (paren && cursor.Consume(')')) return true;
      if (!ParseTypes(reader, paren ? ')' : '>', out)) return false;
      return !paren || cursor.Expect(')');
    };
    if (!list(&types) || !cursor.ExpectText("->") || !list(&results)) return nullptr;
    return context.Function(types, results);
  }
  return nullptr;
}

// {#vhlo.string_v1<"name"> = attribute, "name" = attribute}
AttributeRef ParseDictionary(AttributeReader& reader) {
  TextCursor& cursor = reader.cursor();
  std::vector<NamedAttribute> entries;
  if (!cursor.Expect('{')) return nullptr;
  if (!cursor.Peek('}')) {
    do {
      const AttributeRef name = reader.ParseAttribute();
      if (name == nullptr) return nullptr;
      const auto* text = name->As<mlir::StringAttribute>();
      if (text == nullptr) {
        cursor.Fail("expected a name");
        return nullptr;
      }
      if (!cursor.Expect('=')) return nullptr;
      const AttributeRef value = reader.ParseAttribute();
      if (value == nullptr) return nullptr;
      entries.push_back({text->value, value});
    } while (cursor.Consume(','));
  }
  return cursor.Expect('}') ? reader.context().Dictionary(entries) : nullptr;
}

AttributeRef ParseVhloAttribute(AttributeReader& reader, std::string_view full_name,
                                bool has_body) {
  if (!has_body) return nullptr;
  mlir::Context& context = reader.context();
  TextCursor& cursor = reader.cursor();
  const std::string_view name = WithoutVersion(full_name);
  if (name == "dict") return ParseDictionary(reader);
  if (name == "array" || name == "tensor" || name == "string" || name == "integer" ||
      name == "float") {
    return reader.ParseAttribute();
  }
  if (name == "bool") return reader.ParseInteger(context.Integer(1));
  if (name == "type") {
    const TypeRef type = reader.ParseType();
    return type == nullptr ? nullptr : context.TypeOf(type);
  }
  if (name == "type_extensions" || name == "output_operand_alias") {
    return ParseStableHloAttribute(reader, name, has_body);
  }
  static constexpr std::string_view kStructs[] = {
      "result_accuracy", "sub_axis_info", "axis_ref",
      "mesh_axis",       "mesh",          "replica_group_mesh_axes"};
  for (const std::string_view known : kStructs) {
    if (name != known) continue;
    std::vector<NamedAttribute> parameters;
    if (!reader.ParseParameters(&parameters)) return nullptr;
    return context.DialectOf("stablehlo", name, {}, parameters);
  }
  // Enumerations, and what else has one keyword.
  const std::string_view word = cursor.Word();
  if (name.empty() || word.empty() || !cursor.Peek('>')) return nullptr;
  return context.DialectOf("stablehlo", name, word);
}

// vhlo.func_v1 @name(%arg0: type) -> (types) {..} {attributes}
bool ParseVhloFunction(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  mlir::Context& context = reader.context();
  std::string_view name;
  if (!cursor.SymbolName(&name) || !cursor.Expect('(')) return false;
  std::vector<mlir::NamedArgument> arguments;
  std::vector<TypeRef> inputs;
  if (!cursor.Peek(')')) {
    do {
      arguments.emplace_back();
      if (!reader.ParseArgument(&arguments.back())) return false;
      inputs.push_back(arguments.back().type);
    } while (cursor.Consume(','));
  }
  if (!cursor.Expect(')') || !cursor.ExpectText("->")) return false;
  std::vector<TypeRef> results;
  if (cursor.Peek('(')) {
    if (!reader.attributes().ParseTypeList('(', ')', &results)) return false;
  } else {
    results.push_back(reader.attributes().ParseType());
    if (results.back() == nullptr) return false;
  }
  state.AddAttribute("sym_name", context.String(name));
  state.AddAttribute("function_type", context.TypeOf(context.Function(inputs, results)));
  return reader.ParseRegion(state, arguments) && reader.ParseOptionalDictionary(state);
}

constexpr mlir::OperationSyntax kVhlo[] = {
    {"vhlo.func_v1", "", ParseVhloFunction, /*is_isolated=*/true},
    {"vhlo.return_v1", "$results* dict [ : operands ]"},
};

}  // namespace

void AddVhlo(mlir::Dialects* dialects) {
  dialects->Add(kVhlo);
  dialects->Add(mlir::DialectSyntax{"vhlo", ParseVhloAttribute, ParseVhloType});
}

}  // namespace xla::stablehlo
