// SPDX-License-Identifier: Apache-2.0
// The attributes and types of StableHLO and CHLO in text.
#include "xla/stablehlo/attribute_syntax.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeReader;
using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::TextCursor;

// Where "[b, 0, f]" puts what: the indices of two letters, and of 0, 1, ...
struct DimensionList {
  int64_t first = -1;
  int64_t second = -1;
  std::vector<int64_t> spatial;
};

bool ParseDimensionList(AttributeReader& reader, char first, char second, DimensionList* list) {
  TextCursor& cursor = reader.cursor();
  const size_t begin = cursor.offset();
  if (!cursor.Expect('[')) return false;
  int64_t index = 0;
  do {
    const size_t at = cursor.offset();
    int64_t* slot = nullptr;
    if (cursor.PeekDigit()) {
      int64_t spatial;
      if (!cursor.Digits(&spatial)) return false;
      cursor.SkipSpace();
      if (spatial > 1000) return cursor.FailAt(at, "there are too many spatial dimensions");
      const auto needed = static_cast<size_t>(spatial) + 1;
      if (list->spatial.size() < needed) list->spatial.resize(needed, -1);
      slot = &list->spatial[needed - 1];
    } else if (cursor.Consume('?')) {
      ++index;  // a dimension that has no role
      continue;
    } else {
      const std::string_view word = cursor.Word();
      if (word.size() == 1 && word[0] == first) slot = &list->first;
      if (word.size() == 1 && word[0] == second) slot = &list->second;
    }
    if (slot == nullptr) {
      cursor.Seek(at);
      return cursor.FailExpected(absl::StrCat("'", std::string(1, first), "', '",
                                              std::string(1, second), "' or a spatial dimension"));
    }
    if (*slot >= 0) return cursor.FailAt(at, "the dimension is given twice");
    *slot = index++;
  } while (cursor.Consume(','));
  if (!cursor.Expect(']')) return false;
  if (list->first < 0 || list->second < 0) {
    return cursor.FailAt(begin, absl::StrCat("expected '", std::string(1, first), "' and '",
                                             std::string(1, second), "'"));
  }
  for (const int64_t spatial : list->spatial) {
    if (spatial < 0) return cursor.FailAt(begin, "a spatial dimension is missing");
  }
  return true;
}

// [3, ?]
bool ParseBounds(AttributeReader& reader, std::vector<int64_t>* bounds) {
  TextCursor& cursor = reader.cursor();
  do {
    bounds->push_back(mlir::kDynamic);
    if (!cursor.Consume('?') && !reader.ParseSignedInteger(&bounds->back())) return false;
  } while (cursor.Consume(','));
  return true;
}

// [0, 1] as array<i64: 0, 1>, which is what lists of dimensions are.
AttributeRef AsArray(AttributeReader& reader, AttributeRef value) {
  const auto* list = value->As<mlir::ArrayAttribute>();
  if (list == nullptr) return value;
  std::vector<int64_t> integers;
  for (const AttributeRef element : list->elements) {
    const auto* integer = element->As<mlir::IntegerAttribute>();
    if (integer == nullptr || !integer->type->IsInteger(64)) return value;
    integers.push_back(integer->value);
  }
  return reader.context().I64Array(integers);
}

AttributeRef MakeBounds(AttributeReader& reader, const std::vector<int64_t>& bounds) {
  const NamedAttribute parameters[] = {{"bounds", reader.context().I64Array(bounds)}};
  return reader.context().DialectOf("stablehlo", "type_extensions", {}, parameters);
}

}  // namespace

AttributeRef ParseConvolutionDimensions(AttributeReader& reader) {
  TextCursor& cursor = reader.cursor();
  DimensionList input, kernel, output;
  if (!ParseDimensionList(reader, 'b', 'f', &input) || !cursor.ExpectText("x") ||
      !ParseDimensionList(reader, 'i', 'o', &kernel) || !cursor.ExpectText("->") ||
      !ParseDimensionList(reader, 'b', 'f', &output)) {
    return nullptr;
  }
  mlir::Context& context = reader.context();
  const auto integer = [&](int64_t value) -> AttributeRef {
    return context.IntegerOf(context.Integer(64), value);
  };
  const NamedAttribute parameters[] = {
      {"input_batch_dimension", integer(input.first)},
      {"input_feature_dimension", integer(input.second)},
      {"input_spatial_dimensions", context.I64Array(input.spatial)},
      {"kernel_input_feature_dimension", integer(kernel.first)},
      {"kernel_output_feature_dimension", integer(kernel.second)},
      {"kernel_spatial_dimensions", context.I64Array(kernel.spatial)},
      {"output_batch_dimension", integer(output.first)},
      {"output_feature_dimension", integer(output.second)},
      {"output_spatial_dimensions", context.I64Array(output.spatial)}};
  return context.DialectOf("stablehlo", "conv", {}, parameters);
}

namespace {

// name = "x", sub_axis_info = (1)2
AttributeRef ParseAxisRef(AttributeReader& reader) {
  TextCursor& cursor = reader.cursor();
  mlir::Context& context = reader.context();
  std::vector<NamedAttribute> parameters;
  do {
    const std::string_view name = cursor.Word();
    if (name.empty()) {
      cursor.FailExpected("the name of a parameter");
      return nullptr;
    }
    if (!cursor.Expect('=')) return nullptr;
    AttributeRef value;
    if (name == "sub_axis_info" && cursor.Consume('(')) {
      const auto* before = reader.ParseInteger(context.Integer(64));
      if (before == nullptr || !cursor.Expect(')')) return nullptr;
      const auto* size = reader.ParseInteger(context.Integer(64));
      if (size == nullptr) return nullptr;
      const NamedAttribute sub_axis[] = {{"pre_size", before}, {"size", size}};
      value = context.DialectOf("stablehlo", "sub_axis_info", {}, sub_axis);
    } else {
      value = reader.ParseAttribute();
    }
    if (value == nullptr) return nullptr;
    parameters.push_back({name, value});
  } while (cursor.Consume(','));
  return context.DialectOf("stablehlo", "axis_ref", {}, parameters);
}

// axes = [<name = "x", size = 2>], device_ids = dense<..>
AttributeRef ParseMesh(AttributeReader& reader) {
  TextCursor& cursor = reader.cursor();
  mlir::Context& context = reader.context();
  if (!cursor.ExpectWord("axes") || !cursor.Expect('=') || !cursor.Expect('[')) return nullptr;
  std::vector<AttributeRef> axes;
  if (!cursor.Peek(']')) {
    do {
      AttributeRef axis;
      if (cursor.Consume('<')) {
        std::vector<NamedAttribute> parameters;
        if (!reader.ParseParameters(&parameters) || !cursor.Expect('>')) return nullptr;
        axis = context.DialectOf("stablehlo", "mesh_axis", {}, parameters);
      } else {
        const size_t begin = cursor.offset();
        axis = reader.ParseAttribute();
        const auto* structure = axis == nullptr ? nullptr : axis->As<mlir::DialectAttribute>();
        if (axis != nullptr && (structure == nullptr || structure->name != "mesh_axis")) {
          cursor.FailAt(begin, "expected an axis of a mesh");
          return nullptr;
        }
      }
      if (axis == nullptr) return nullptr;
      axes.push_back(axis);
    } while (cursor.Consume(','));
  }
  if (!cursor.Expect(']')) return nullptr;
  std::vector<NamedAttribute> parameters = {{"axes", context.Array(axes)}};
  if (cursor.Consume(',')) {
    if (!cursor.ExpectWord("device_ids") || !cursor.Expect('=')) return nullptr;
    const AttributeRef ids = reader.ParseAttribute();
    if (ids == nullptr) return nullptr;
    parameters.push_back({"device_ids", ids});
  }
  return context.DialectOf("stablehlo", "mesh", {}, parameters);
}

// MHLO has the dimensions of ragged_dot within: dot_dimension_numbers = #mhlo.dot<..>.
void Flatten(std::vector<NamedAttribute>* parameters) {
  for (size_t i = 0; i < parameters->size(); ++i) {
    const auto* inner = (*parameters)[i].value->As<mlir::DialectAttribute>();
    if ((*parameters)[i].name != "dot_dimension_numbers" || inner == nullptr) continue;
    const std::vector<NamedAttribute> dot(inner->parameters.begin(), inner->parameters.end());
    parameters->erase(parameters->begin() + static_cast<ptrdiff_t>(i));
    parameters->insert(parameters->begin(), dot.begin(), dot.end());
    return;
  }
}

bool IsDotParameter(std::string_view name) {
  return name == "lhs_batching_dimensions" || name == "rhs_batching_dimensions" ||
         name == "lhs_contracting_dimensions" || name == "rhs_contracting_dimensions";
}

}  // namespace

AttributeRef ParseStableHloAttribute(AttributeReader& reader, std::string_view name,
                                     bool has_body) {
  if (!has_body) return nullptr;
  TextCursor& cursor = reader.cursor();
  if (name == "axis_ref") return ParseAxisRef(reader);
  if (name == "mesh") return ParseMesh(reader);
  if (name == "conv") {
    if (cursor.Peek('[')) return ParseConvolutionDimensions(reader);
    cursor.ConsumeWord("raw");
  } else if (name == "bounds" || name == "type_extensions") {
    std::vector<int64_t> bounds;
    const bool is_list = name == "type_extensions";
    if (is_list && (!cursor.ExpectWord("bounds") || !cursor.Expect('='))) return nullptr;
    if (is_list && !cursor.Peek('[')) {
      const AttributeRef array = reader.ParseAttribute();
      if (array == nullptr) return nullptr;
      const NamedAttribute parameters[] = {{"bounds", array}};
      return reader.context().DialectOf("stablehlo", name, {}, parameters);
    }
    if (is_list) cursor.Consume('[');
    if (!cursor.Peek(']') && !cursor.Peek('>') && !ParseBounds(reader, &bounds)) return nullptr;
    if (is_list && !cursor.Expect(']')) return nullptr;
    return MakeBounds(reader, bounds);
  } else if (name != "gather" && name != "scatter" && name != "dot" && name != "dot_algorithm" &&
             name != "channel_handle" && name != "output_operand_alias" &&
             name != "result_accuracy" && name != "ragged_dot" && name != "mesh_axis" &&
             name != "replica_group_mesh_axes") {
    // Enumerations: the keyword is the text.
    return nullptr;
  }
  std::vector<NamedAttribute> parameters;
  const size_t begin = cursor.offset();
  if (!reader.ParseParameters(&parameters)) return nullptr;
  if (name == "ragged_dot") {
    Flatten(&parameters);
    absl::flat_hash_set<std::string_view> seen;
    for (const NamedAttribute& parameter : parameters) {
      if (seen.insert(parameter.name).second) continue;
      cursor.FailAt(begin, absl::StrCat("'", View(parameter.name), "' is given twice"));
      return nullptr;
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].value = AsArray(reader, parameters[i].value);
    if (name == "dot" && !IsDotParameter(parameters[i].name)) {
      cursor.FailAt(begin, absl::StrCat("'", View(parameters[i].name),
                                        "' is not a parameter of #stablehlo.dot"));
      return nullptr;
    }
  }
  return reader.context().DialectOf("stablehlo", name, {}, parameters);
}

// !stablehlo.token, !stablehlo.future<types>
mlir::TypeRef ParseStableHloType(AttributeReader& reader, std::string_view name, bool has_body) {
  if (name != "future" || !has_body) return nullptr;
  std::vector<mlir::TypeRef> types;
  if (!reader.cursor().Peek('>')) {
    do {
      types.push_back(reader.ParseType());
      if (types.back() == nullptr) return nullptr;
    } while (reader.cursor().Consume(','));
  }
  return reader.context().Dialect("stablehlo", "future", types);
}

}  // namespace xla::stablehlo
