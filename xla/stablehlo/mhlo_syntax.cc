// SPDX-License-Identifier: Apache-2.0
// MHLO, from which StableHLO came: most of its operations, attributes and types are read as those
// of StableHLO or CHLO that they equal; the others keep their names.
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/attribute_syntax.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeReader;
using mlir::AttributeRef;
using mlir::OperationReader;
using mlir::OperationState;
using mlir::TypeRef;

// mhlo.xla.rng_get_and_update_state {delta = 1 : i64}, whose result is tensor<2xui64>
bool ParseRngState(OperationReader& reader, OperationState& state) {
  if (!reader.ParseOptionalDictionary(state)) return false;
  mlir::Context& context = reader.context();
  const int64_t sizes[] = {2};
  state.result_types.push_back(
      context.RankedTensor(sizes, context.Integer(64, mlir::Signedness::kUnsigned)));
  return true;
}

// What CHLO has, but not StableHLO, is written as the elementwise operations of StableHLO are.
#define CHLO(name) \
  { "mhlo." name, "$operand dict : same", nullptr, false, {}, nullptr, "chlo." name }
constexpr mlir::OperationSyntax kMhlo[] = {
    CHLO("acos"),
    CHLO("acosh"),
    CHLO("asin"),
    CHLO("asinh"),
    CHLO("atanh"),
    CHLO("erf"),
    {"mhlo.ragged_dot", "", nullptr, false, {}, nullptr, "chlo.ragged_dot"},
    {"mhlo.add_dependency", "$operand , $token dict : fn"},
    {"mhlo.all_to_all", ""},
    {"mhlo.async_done", ""},
    {"mhlo.async_start", ""},
    {"mhlo.async_update", ""},
    {"mhlo.bitcast", "$operand dict : fn"},
    {"mhlo.copy", "$operand dict : same"},
    {"mhlo.cosh", "$operand dict : same"},
    {"mhlo.domain", ""},
    {"mhlo.dynamic_conv", ""},
    {"mhlo.fusion", ""},
    {"mhlo.minimum_broadcast_shapes", "$shapes* dict : operands -> results"},
    {"mhlo.sinh", "$operand dict : same"},
    {"mhlo.stochastic_convert", ""},
    {"mhlo.topk",
     "( $operand , k = @k:i64 [ , largest = @largest:bool ] ) dict : operands -> ( results )"},
    {"mhlo.trace", "$operand , @tag:str dict : operands"},
    {"mhlo.xla.rng_get_and_update_state", "", ParseRngState},
};
#undef CHLO

// Attributes that only MHLO has.
bool IsOwnAttribute(std::string_view name) {
  for (const std::string_view own :
       {"cross_program_prefetch", "custom_call_schedule", "fusion_kind", "kind", "result_alias"}) {
    if (name == own) return true;
  }
  return false;
}

AttributeRef ParseMhloAttribute(AttributeReader& reader, std::string_view name, bool has_body) {
  if (IsOwnAttribute(name)) return nullptr;
  const size_t begin = reader.cursor().offset();
  const AttributeRef result = ParseStableHloAttribute(reader, name, has_body);
  if (result != nullptr || !reader.cursor().ok()) return result;
  reader.cursor().Seek(begin);
  std::string_view text;
  if (has_body && !reader.cursor().BalancedText('>', &text)) return nullptr;
  return reader.context().DialectOf("stablehlo", name, text);
}

// !mhlo.token, !mhlo.async_bundle<types>
TypeRef ParseMhloType(AttributeReader& reader, std::string_view name, bool has_body) {
  if (name != "async_bundle") {
    return has_body ? nullptr : reader.context().Dialect("stablehlo", name);
  }
  std::vector<TypeRef> types;
  if (has_body && !reader.cursor().Peek('>')) {
    do {
      types.push_back(reader.ParseType());
      if (types.back() == nullptr) return nullptr;
    } while (reader.cursor().Consume(','));
  }
  return reader.context().Dialect("mhlo", name, types);
}

}  // namespace

void AddMhlo(mlir::Dialects* dialects) {
  dialects->AddDialectAlias("mhlo", "stablehlo");
  dialects->Add(kMhlo);
  dialects->Add(mlir::DialectSyntax{"mhlo", ParseMhloAttribute, ParseMhloType});
}

}  // namespace xla::stablehlo
