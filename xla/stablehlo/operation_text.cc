// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/operation_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Block;
using mlir::DialectAttribute;
using mlir::Operation;
using mlir::OperationPrinter;
using mlir::Value;

// Names of the results of operations, as StableHLO chooses them.
std::string_view ResultName(const Operation& operation, size_t index) {
  struct Names {
    std::string_view operation;
    std::string_view results[3];
  };
  static constexpr Names kNames[] = {
      {"stablehlo.batch_norm_grad", {"grad_operand", "grad_scale", "grad_offset"}},
      {"stablehlo.batch_norm_training", {"output", "batch_mean", "batch_var"}},
      {"stablehlo.rng_bit_generator", {"output_state", "output"}},
      {"chlo.top_k", {"values", "indices"}}};
  if (operation.Is("stablehlo.constant") || operation.Is("chlo.constant")) {
    const mlir::TypeRef type = operation.results[0].type;
    const bool is_integer =
        type->element != nullptr && type->element->kind == mlir::TypeKind::kInteger;
    return is_integer ? "c" : "cst";
  }
  for (const Names& names : kNames) {
    if (operation.Is(names.operation) && index < 3) return names.results[index];
  }
  return {};
}

std::string_view ArgumentName(const Operation& operation, size_t) {
  return operation.Is("stablehlo.while") ? "iterArg" : std::string_view();
}

// The numbers of array<i64: ..>, or of a dense constant; false if it is something else.
bool ReadNumbers(AttributeRef attribute, std::vector<int64_t>* values) {
  if (attribute == nullptr) return false;
  if (const auto* array = attribute->As<mlir::DenseArrayAttribute>()) {
    for (int64_t i = 0; i < array->count; ++i) {
      values->push_back(mlir::DenseInteger(*array->element, array->data, i));
    }
    return true;
  }
  const auto* dense = attribute->As<mlir::DenseAttribute>();
  constexpr int64_t kMaxNumbers = 1 << 10;
  if (dense == nullptr || dense->type->element->kind != mlir::TypeKind::kInteger ||
      mlir::NumElements(*dense->type) > kMaxNumbers) {
    return false;
  }
  for (int64_t i = 0; i < mlir::NumElements(*dense->type); ++i) {
    values->push_back(
        mlir::DenseInteger(*dense->type->element, dense->data, dense->is_splat ? 0 : i));
  }
  return true;
}

void PrintNumbers(OperationPrinter& printer, const std::vector<int64_t>& values) {
  printer.Text("[");
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) printer.Text(", ");
    printer.Integer(values[i]);
  }
  printer.Text("]");
}

const DialectAttribute* FindStruct(const Operation& operation, std::string_view name) {
  const AttributeRef attribute = operation.Find(name);
  return attribute == nullptr ? nullptr : attribute->As<DialectAttribute>();
}

std::vector<int64_t> NumbersOf(const DialectAttribute& attribute, std::string_view name) {
  std::vector<int64_t> values;
  ReadNumbers(mlir::FindAttribute(attribute.parameters, name), &values);
  return values;
}

int64_t NumberOf(const DialectAttribute& attribute, std::string_view name) {
  const AttributeRef value = mlir::FindAttribute(attribute.parameters, name);
  const auto* integer = value == nullptr ? nullptr : value->As<mlir::IntegerAttribute>();
  return integer == nullptr ? 0 : integer->value;
}

// ", precision = [DEFAULT, DEFAULT]"; false if the attribute is something else.
bool PrintPrecision(OperationPrinter& printer, const Operation& operation) {
  const AttributeRef attribute = operation.Find("precision_config");
  if (attribute == nullptr) return true;
  const auto* array = attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr) return false;
  printer.Text(", precision = [");
  const char* separator = "";
  for (const AttributeRef element : array->elements) {
    const auto* keyword = element->As<DialectAttribute>();
    if (keyword == nullptr) return false;
    printer.Text(separator);
    printer.Text(keyword->text);
    separator = ", ";
  }
  printer.Text("]");
  return true;
}

void PrintDictionaryAndType(OperationPrinter& printer, const Operation& operation,
                            absl::Span<const std::string_view> elided) {
  printer.Dictionary(operation.attributes, elided);
  printer.Text(" : ");
  printer.FunctionalType(operation);
}

// The attributes of an argument or result of a function, if there are any.
void PrintValueAttributes(OperationPrinter& printer, const Operation& function,
                          std::string_view name, size_t index) {
  const AttributeRef attribute = function.Find(name);
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr || index >= array->elements.size()) return;
  const auto* entries = array->elements[index]->As<mlir::DictionaryAttribute>();
  if (entries != nullptr) printer.Dictionary(entries->entries, {});
}

bool HasEntries(const Operation& function, std::string_view name) {
  const AttributeRef attribute = function.Find(name);
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr) return false;
  return std::any_of(array->elements.begin(), array->elements.end(), [](AttributeRef element) {
    const auto* entries = element->As<mlir::DictionaryAttribute>();
    return entries != nullptr && !entries->entries.empty();
  });
}

// "[b, 0, 1, f]"
void PrintDimensions(OperationPrinter& printer, const std::pair<char, int64_t> (&letters)[2],
                     const std::vector<int64_t>& spatial) {
  const size_t rank = spatial.size() + 2;
  printer.Text("[");
  for (size_t i = 0; i < rank; ++i) {
    if (i > 0) printer.Text(", ");
    const auto at = static_cast<int64_t>(i);
    const auto found = std::find(spatial.begin(), spatial.end(), at);
    if (found != spatial.end()) {
      printer.Integer(found - spatial.begin());
    } else {
      const char letter = letters[0].second == at ? letters[0].first : letters[1].first;
      printer.Text(std::string_view(&letter, 1));
    }
  }
  printer.Text("]");
}

// window = {stride = [2, 2], pad = [[1, 1], [0, 0]]}
bool PrintWindow(OperationPrinter& printer, const Operation& operation) {
  static constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"stride", "window_strides"},
      {"pad", "padding"},
      {"lhs_dilate", "lhs_dilation"},
      {"rhs_dilate", "rhs_dilation"},
      {"reverse", "window_reversal"}};
  printer.Text(", window = {");
  const char* separator = "";
  for (const auto& [key, name] : kParts) {
    if (operation.Find(name) == nullptr) continue;
    std::vector<int64_t> values;
    if (!ReadNumbers(operation.Find(name), &values)) return false;
    printer.Text(separator);
    separator = ", ";
    printer.Text(key);
    printer.Text(" = ");
    if (key == "pad") {
      printer.Text("[");
      for (size_t i = 0; i + 1 < values.size(); i += 2) {
        if (i > 0) printer.Text(", ");
        PrintNumbers(printer, {values[i], values[i + 1]});
      }
      printer.Text("]");
    } else if (key == "reverse") {
      printer.Text("[");
      for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) printer.Text(", ");
        printer.Text(values[i] != 0 ? "true" : "false");
      }
      printer.Text("]");
    } else {
      PrintNumbers(printer, values);
    }
  }
  printer.Text("}");
  return true;
}

// The name of the operation of "applies": the region is that operation on both arguments.
std::string_view AppliedOperation(const Operation& reduce) {
  if (reduce.operands.size() != 2 || reduce.regions.size() != 1 ||
      !reduce.regions[0].HasOneBlock()) {
    return {};
  }
  const Block& block = *reduce.regions[0].first;
  const Operation* inner = block.first;
  if (inner == nullptr || inner->next == nullptr || inner->next->next != nullptr) return {};
  const bool is_plain = block.arguments.size() == 2 && inner->operands.size() == 2 &&
                        inner->results.size() == 1 && inner->attributes.empty() &&
                        inner->operands[0] == &block.arguments[0] &&
                        inner->operands[1] == &block.arguments[1];
  const Operation& last = *inner->next;
  if (!is_plain || !last.Is("stablehlo.return") || last.operands.size() != 1 ||
      last.operands[0] != &inner->results[0] || !last.attributes.empty()) {
    return {};
  }
  const mlir::TypeRef type = inner->results[0].type;
  if (block.arguments[0].type != type || block.arguments[1].type != type ||
      reduce.operands[0]->type->element != type->element || !type->sizes.empty()) {
    return {};
  }
  for (const std::string_view known :
       {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
        "stablehlo.and", "stablehlo.or", "stablehlo.xor"}) {
    if (inner->Is(known)) return known;
  }
  return {};
}

}  // namespace

bool PrintFunction(OperationPrinter& printer, const Operation& operation) {
  const AttributeRef name = operation.Find("sym_name");
  const AttributeRef attribute = operation.Find("function_type");
  const auto* symbol = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  if (symbol == nullptr || type == nullptr || operation.regions.size() != 1) return false;
  const AttributeRef visibility = operation.Find("sym_visibility");
  printer.Text(" ");
  if (visibility != nullptr && visibility->kind == mlir::AttributeKind::kString) {
    printer.Text(visibility->As<mlir::StringAttribute>()->value);
    printer.Text(" ");
  }
  printer.Symbol(symbol->value);
  printer.Text("(");
  const mlir::Region& body = operation.regions[0];
  for (size_t i = 0; i < type->type->types.size(); ++i) {
    if (i > 0) printer.Text(", ");
    if (!body.empty() && i < body.first->arguments.size()) {
      printer.Operand(&body.first->arguments[i]);
      printer.Text(": ");
    }
    printer.Type(type->type->types[i]);
    PrintValueAttributes(printer, operation, "arg_attrs", i);
    if (!body.empty() && i < body.first->arguments.size())
      printer.LocationOf(body.first->arguments[i]);
  }
  printer.Text(")");
  const auto& results = type->type->results;
  const bool bare = results.size() == 1 && !HasEntries(operation, "res_attrs") &&
                    results[0]->kind != mlir::TypeKind::kFunction;
  if (!results.empty()) printer.Text(bare ? " -> " : " -> (");
  for (size_t i = 0; i < results.size(); ++i) {
    if (i > 0) printer.Text(", ");
    printer.Type(results[i]);
    PrintValueAttributes(printer, operation, "res_attrs", i);
  }
  if (!results.empty() && !bare) printer.Text(")");
  printer.Dictionary(operation.attributes,
                     {"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"},
                     "attributes ");
  if (body.empty()) return true;
  printer.Text(" ");
  printer.PrintRegion(body, /*has_arguments=*/false);
  return true;
}

bool PrintConstant(OperationPrinter& printer, const Operation& operation) {
  const AttributeRef value = operation.Find("value");
  if (value == nullptr || operation.results.size() != 1) return false;
  printer.Dictionary(operation.attributes, {"value"});
  printer.Text(" ");
  printer.Attribute(value);
  const auto* dense = value->As<mlir::DenseAttribute>();
  return dense == nullptr || dense->type == operation.results[0].type;
}

bool PrintSlice(OperationPrinter& printer, const Operation& operation) {
  std::vector<int64_t> starts, limits, strides;
  if (operation.operands.size() != 1 || !ReadNumbers(operation.Find("start_indices"), &starts) ||
      !ReadNumbers(operation.Find("limit_indices"), &limits) ||
      !ReadNumbers(operation.Find("strides"), &strides) || starts.size() != limits.size() ||
      starts.size() != strides.size()) {
    return false;
  }
  printer.Text(" ");
  printer.Operands(operation.operands);
  printer.Text(" [");
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i > 0) printer.Text(", ");
    printer.Integer(starts[i]);
    printer.Text(":");
    printer.Integer(limits[i]);
    if (strides[i] == 1) continue;
    printer.Text(":");
    printer.Integer(strides[i]);
  }
  printer.Text("]");
  PrintDictionaryAndType(printer, operation, {"start_indices", "limit_indices", "strides"});
  return true;
}

bool PrintDot(OperationPrinter& printer, const Operation& operation) {
  if (operation.operands.size() != 2) return false;
  printer.Text(" ");
  printer.Operands(operation.operands);
  if (!PrintPrecision(printer, operation)) return false;
  PrintDictionaryAndType(printer, operation, {"precision_config"});
  return true;
}

bool PrintDotGeneral(OperationPrinter& printer, const Operation& operation) {
  const DialectAttribute* dimensions = FindStruct(operation, "dot_dimension_numbers");
  if (operation.operands.size() != 2 || dimensions == nullptr) return false;
  printer.Text(" ");
  printer.Operands(operation.operands);
  const auto pair = [&](std::string_view keyword, const std::vector<int64_t>& lhs,
                        const std::vector<int64_t>& rhs) {
    printer.Text(", ");
    printer.Text(keyword);
    printer.Text(" = ");
    PrintNumbers(printer, lhs);
    printer.Text(" x ");
    PrintNumbers(printer, rhs);
  };
  const std::vector<int64_t> lhs_batch = NumbersOf(*dimensions, "lhs_batching_dimensions");
  const std::vector<int64_t> rhs_batch = NumbersOf(*dimensions, "rhs_batching_dimensions");
  if (!lhs_batch.empty() || !rhs_batch.empty()) pair("batching_dims", lhs_batch, rhs_batch);
  pair("contracting_dims", NumbersOf(*dimensions, "lhs_contracting_dimensions"),
       NumbersOf(*dimensions, "rhs_contracting_dimensions"));
  if (!PrintPrecision(printer, operation)) return false;
  if (const DialectAttribute* algorithm = FindStruct(operation, "algorithm")) {
    const std::string text = mlir::ToString(algorithm);
    const size_t begin = text.find('<');
    if (begin == std::string::npos) return false;
    printer.Text(", algorithm = ");
    printer.Text(std::string_view(text).substr(begin));
  }
  PrintDictionaryAndType(printer, operation,
                         {"dot_dimension_numbers", "precision_config", "algorithm"});
  return true;
}

bool PrintConvolution(OperationPrinter& printer, const Operation& operation) {
  const DialectAttribute* d = FindStruct(operation, "dimension_numbers");
  if (d == nullptr) return false;
  printer.Text("(");
  printer.Operands(operation.operands);
  printer.Text(") dim_numbers = ");
  PrintDimensions(printer,
                  {{'b', NumberOf(*d, "input_batch_dimension")},
                   {'f', NumberOf(*d, "input_feature_dimension")}},
                  NumbersOf(*d, "input_spatial_dimensions"));
  printer.Text("x");
  PrintDimensions(printer,
                  {{'i', NumberOf(*d, "kernel_input_feature_dimension")},
                   {'o', NumberOf(*d, "kernel_output_feature_dimension")}},
                  NumbersOf(*d, "kernel_spatial_dimensions"));
  printer.Text("->");
  PrintDimensions(printer,
                  {{'b', NumberOf(*d, "output_batch_dimension")},
                   {'f', NumberOf(*d, "output_feature_dimension")}},
                  NumbersOf(*d, "output_spatial_dimensions"));
  if (!PrintWindow(printer, operation)) return false;
  PrintDictionaryAndType(printer, operation,
                         {"dimension_numbers", "window_strides", "padding", "lhs_dilation",
                          "rhs_dilation", "window_reversal"});
  return true;
}

bool PrintReducePrecision(OperationPrinter& printer, const Operation& operation) {
  std::vector<int64_t> bits;
  for (const std::string_view name : {"exponent_bits", "mantissa_bits"}) {
    const AttributeRef attribute = operation.Find(name);
    const auto* integer = attribute == nullptr ? nullptr : attribute->As<mlir::IntegerAttribute>();
    if (integer == nullptr) return false;
    bits.push_back(integer->value);
  }
  if (operation.operands.size() != 1 || operation.results.size() != 1) return false;
  printer.Text(" ");
  printer.Operands(operation.operands);
  printer.Text(absl::StrCat(", format = e", bits[0], "m", bits[1]));
  printer.Dictionary(operation.attributes, {"exponent_bits", "mantissa_bits"});
  printer.Text(" : ");
  if (operation.operands[0]->type == operation.results[0].type) {
    printer.Type(operation.results[0].type);
  } else {
    printer.FunctionalType(operation);
  }
  return true;
}

bool PrintWhile(OperationPrinter& printer, const Operation& operation) {
  if (operation.regions.size() != 2 || !operation.regions[0].HasOneBlock() ||
      !operation.regions[1].HasOneBlock() ||
      operation.regions[0].first->arguments.size() != operation.operands.size()) {
    return false;
  }
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    if (operation.operands[i]->type != operation.regions[0].first->arguments[i].type) return false;
  }
  printer.Text("(");
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    if (i > 0) printer.Text(", ");
    printer.Operand(&operation.regions[0].first->arguments[i]);
    printer.Text(" = ");
    printer.Operand(operation.operands[i]);
  }
  printer.Text(")");
  if (!operation.operands.empty()) {
    printer.Text(" : ");
    printer.TypesOf(operation.operands);
  }
  printer.Dictionary(operation.attributes, {}, "attributes ");
  printer.Newline();
  printer.Text("cond ");
  printer.PrintRegion(operation.regions[0], /*has_arguments=*/false);
  printer.Text(" do ");
  printer.PrintRegion(operation.regions[1], /*has_arguments=*/false);
  return true;
}

bool PrintReduce(OperationPrinter& printer, const Operation& operation) {
  std::vector<int64_t> dimensions;
  const size_t count = operation.operands.size() / 2;
  if (operation.operands.empty() || operation.operands.size() % 2 != 0 ||
      operation.regions.size() != 1 || !operation.regions[0].HasOneBlock() ||
      operation.regions[0].first->arguments.size() != 2 * count ||
      !ReadNumbers(operation.Find("dimensions"), &dimensions)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    printer.Text(i == 0 ? "(" : ", (");
    printer.Operand(operation.operands[i]);
    printer.Text(" init: ");
    printer.Operand(operation.operands[count + i]);
    printer.Text(")");
  }
  const std::string_view applied = AppliedOperation(operation);
  if (!applied.empty()) {
    printer.Text(" applies ");
    printer.Text(applied);
  }
  printer.Text(" across dimensions = ");
  PrintNumbers(printer, dimensions);
  PrintDictionaryAndType(printer, operation, {"dimensions"});
  if (!applied.empty()) return true;
  printer.Newline();
  printer.Text(" reducer");
  const Block& block = *operation.regions[0].first;
  for (size_t i = 0; i < count; ++i) {
    printer.Text("(");
    const char* separator = "";
    for (const Value* argument : {&block.arguments[i], &block.arguments[count + i]}) {
      printer.Text(separator);
      separator = ", ";
      printer.Operand(argument);
      printer.Text(": ");
      printer.Type(argument->type);
      printer.LocationOf(*argument);
    }
    printer.Text(") ");
  }
  printer.Text(" ");
  printer.PrintRegion(operation.regions[0], /*has_arguments=*/false);
  return true;
}

std::string PrettyText(const Operation& module, bool locations) {
  return OperationPrinter({ResultName, ArgumentName}, locations).Print(module);
}

}  // namespace xla::stablehlo
