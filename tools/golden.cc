// SPDX-License-Identifier: Apache-2.0
#include "tools/golden.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Json = nlohmann::json;

constexpr std::pair<const char*, PrimitiveType> kTypes[] = {
    {"float32", F32}, {"float64", F64}, {"float16", F16}, {"bfloat16", BF16}, {"int8", S8},
    {"int16", S16},   {"int32", S32},   {"int64", S64},   {"uint8", U8},      {"uint16", U16},
    {"uint32", U32},  {"uint64", U64},  {"bool", PRED},   {"complex64", C64}, {"complex128", C128}};

absl::Status Invalid(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("golden.json: ", absl::string_view(what.data(), what.size())));
}

// "golden.json:line:column: ..", of a byte that counts from 1. The library says "[..] parse error
// at line 1, column 2: WHY".
absl::Status InvalidAt(std::string_view text, size_t byte, absl::string_view what) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const size_t line_end = before.rfind('\n');
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column =
      line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  const size_t why = what.find(": ");
  return absl::InvalidArgumentError(
      absl::StrCat("golden.json:", line, ":", column, why == absl::string_view::npos ? ": " : "",
                   what.substr(why == absl::string_view::npos ? 0 : why)));
}

// For messages: arrays may be nested too deep to be printed.
std::string Describe(const Json& json) {
  return json.is_structured() ? json.type_name() : json.dump().substr(0, 100);
}

// Members that are missing read as null.
const Json& Member(const Json& object, const char* key) {
  static const Json null;
  const auto found = object.find(key);
  return object.is_object() && found != object.end() ? *found : null;
}

absl::StatusOr<Shape> ReadShape(const Json& json) {
  const Json& dtype = Member(json, "dtype");
  const Json& sizes = Member(json, "shape");
  if (!dtype.is_string() || !sizes.is_array()) return Invalid("an array has no dtype or no shape");
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  for (const auto& [name, known] : kTypes) {
    if (dtype.get_ref<const std::string&>() == name) type = known;
  }
  if (type == PRIMITIVE_TYPE_INVALID) return Invalid("unknown dtype " + Describe(dtype));
  std::vector<int64_t> dimensions;
  for (const Json& size : sizes) {
    if (!size.is_number_integer()) return Invalid("dimensions must be integers");
    dimensions.push_back(size.get<int64_t>());
  }
  return ShapeUtil::MakeValidatedShape(type, dimensions);
}

// JSON has no infinities and NaN: they are strings.
absl::StatusOr<double> ReadReal(const Json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>() ? 1.0 : 0.0;
  if (json == "Infinity") return kInfinity;
  if (json == "-Infinity") return -kInfinity;
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return Invalid("expected a number, got " + Describe(json));
}

absl::StatusOr<GoldenSample> ReadSample(const Json& json, PrimitiveType type) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number_integer())
    return Invalid("a sample must be a pair of an index and a value");
  GoldenSample sample;
  sample.index = json[0].get<int64_t>();
  const Json& value = json[1];
  if (value.is_array() && value.size() == 2) {
    XLA_ASSIGN_OR_RETURN(const double real, ReadReal(value[0]));
    XLA_ASSIGN_OR_RETURN(const double imaginary, ReadReal(value[1]));
    sample.value = {real, imaginary};
    return sample;
  }
  XLA_ASSIGN_OR_RETURN(const double real, ReadReal(value));
  sample.value = real;
  if (primitive_util::IsIntegralType(type) || (type == PRED && !value.is_boolean())) {
    if (!value.is_number_integer()) return Invalid("a sample of integers must be an integer");
    sample.integer = value.is_number_unsigned() ? static_cast<int64_t>(value.get<uint64_t>())
                                                : value.get<int64_t>();
  } else if (value.is_boolean()) {
    sample.integer = value.get<bool>();
  }
  return sample;
}

absl::StatusOr<GoldenArgument> ReadArgument(const Json& json) {
  GoldenArgument argument;
  XLA_ASSIGN_OR_RETURN(argument.shape, ReadShape(json));
  const Json& seed = Member(json, "seed");
  const Json& limit = Member(json, "hi");
  if (!seed.is_number_integer()) return Invalid("an argument has no seed");
  argument.seed = seed.get<uint64_t>();
  if (Member(json, "kind") == "integer") {
    argument.kind = DrawKind::kInteger;
    if (!limit.is_number_integer()) return Invalid("an argument of integers has no hi");
    argument.limit = limit.get<uint64_t>();
  }
  return argument;
}

absl::StatusOr<GoldenOutput> ReadOutput(const Json& json) {
  GoldenOutput output;
  XLA_ASSIGN_OR_RETURN(output.shape, ReadShape(json));
  XLA_ASSIGN_OR_RETURN(output.l1, ReadReal(Member(json, "l1")));
  XLA_ASSIGN_OR_RETURN(output.linf, ReadReal(Member(json, "linf")));
  const int64_t count = ShapeUtil::ElementsIn(output.shape);
  for (const Json& entry : Member(json, "samples")) {
    XLA_ASSIGN_OR_RETURN(GoldenSample sample, ReadSample(entry, output.shape.element_type()));
    if (sample.index < 0 || sample.index >= count)
      return Invalid(absl::StrCat("sample index ", sample.index, " is outside the array"));
    output.samples.push_back(sample);
  }
  if (output.samples.empty() && count > 0) return Invalid("an output has no samples");
  return output;
}

}  // namespace

absl::StatusOr<Golden> ParseGolden(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return InvalidAt(text, error.byte, error.what());
  } catch (const Json::exception& error) {  // a number may also be out of range
    return Invalid(error.what());
  }
  if (!json.is_object()) return Invalid("expected an object with args and outputs");
  Golden golden;
  for (const Json& entry : Member(json, "args")) {
    XLA_ASSIGN_OR_RETURN(GoldenArgument argument, ReadArgument(entry));
    golden.arguments.push_back(std::move(argument));
  }
  // Without outputs there is nothing to compare with, but arguments to run the program with.
  const Json& outputs = Member(json, "outputs");
  if (!outputs.is_array() && !outputs.is_null()) return Invalid("outputs must be a list");
  for (const Json& entry : outputs) {
    XLA_ASSIGN_OR_RETURN(GoldenOutput output, ReadOutput(entry));
    golden.outputs.push_back(std::move(output));
  }
  return golden;
}

}  // namespace xla
