// SPDX-License-Identifier: Apache-2.0
// All dialects; the small ones.
#include "xla/stablehlo/syntax.h"

#include "xla/mlir/operation_reader.h"

namespace xla::stablehlo {
namespace {

using mlir::OperationReader;
using mlir::OperationState;
using mlir::TypeRef;

// %0 = arith.cmpi eq, %a, %b : type
bool ParseCompareInteger(OperationReader& reader, OperationState& state) {
  static constexpr std::string_view kPredicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                     "sge", "ult", "ule", "ugt", "uge"};
  const std::string_view word = reader.cursor().Word();
  int64_t code = -1;
  for (int64_t i = 0; i < 10; ++i) {
    if (word == kPredicates[i]) code = i;
  }
  if (code < 0) return reader.cursor().FailExpected("a comparison");
  state.AddAttribute("predicate", reader.context().IntegerOf(reader.context().Integer(64), code));
  if (!reader.cursor().Expect(',') || !reader.ParseOperands(state) ||
      !reader.ParseOptionalDictionary(state) || !reader.cursor().Expect(':')) {
    return false;
  }
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  state.operand_types.assign(state.operands.size(), type);
  mlir::Type result = *type;
  const bool is_scalar = type->element == nullptr;
  if (!is_scalar) result.element = reader.context().Integer(1);
  state.result_types.push_back(is_scalar ? reader.context().Integer(1)
                                         : reader.context().Intern(result));
  return true;
}

// %0 = tensor.dim %t, %i : tensor<..>
bool ParseTensorDim(OperationReader& reader, OperationState& state) {
  if (!reader.ParseOperands(state) || !reader.ParseOptionalDictionary(state) ||
      !reader.cursor().Expect(':')) {
    return false;
  }
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  state.operand_types = {type, reader.context().Index()};
  state.result_types.push_back(reader.context().Index());
  return true;
}

// tensor.extract %t[%i] : tensor<..>, tensor.insert %v into %t[%i] : tensor<..>
bool ParseTensorElement(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  state.operands.emplace_back();
  if (!reader.ParseOperand(&state.operands.back())) return false;
  const bool is_insert = cursor.ConsumeWord("into");
  if (is_insert) {
    state.operands.emplace_back();
    if (!reader.ParseOperand(&state.operands.back())) return false;
  }
  if (!cursor.Expect('[') || !reader.ParseOperands(state) || !cursor.Expect(']') ||
      !reader.ParseOptionalDictionary(state) || !cursor.Expect(':')) {
    return false;
  }
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  if (type->element == nullptr) return cursor.Fail("expected a tensor type");
  state.operand_types.assign(state.operands.size(), reader.context().Index());
  if (is_insert) state.operand_types[0] = type->element;
  state.operand_types[is_insert ? 1 : 0] = type;
  state.result_types.push_back(is_insert ? type : type->element);
  return true;
}

// tensor.from_elements %a, %b : tensor<2xindex>
bool ParseFromElements(OperationReader& reader, OperationState& state) {
  if (!reader.ParseOperands(state) || !reader.ParseOptionalDictionary(state) ||
      !reader.cursor().Expect(':')) {
    return false;
  }
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  if (type->element == nullptr) return reader.cursor().Fail("expected a tensor type");
  state.operand_types.assign(state.operands.size(), type->element);
  state.result_types.push_back(type);
  return true;
}

// arith.select %c, %a, %b : type
bool ParseArithSelect(OperationReader& reader, OperationState& state) {
  if (!reader.ParseOperands(state) || !reader.ParseOptionalDictionary(state) ||
      !reader.cursor().Expect(':')) {
    return false;
  }
  TypeRef condition = reader.context().Integer(1);
  TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  if (reader.cursor().Consume(',')) {
    condition = type;
    type = reader.attributes().ParseType();
    if (type == nullptr) return false;
  }
  state.operand_types = {condition, type, type};
  state.result_types.push_back(type);
  return true;
}

// scf.for %i = %lower to %upper step %step iter_args(%a = %init) -> (types) : type {..}
bool ParseScfFor(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  std::vector<mlir::NamedArgument> arguments;
  mlir::OperandName name;
  const auto operand = [&](std::string_view separator) {
    state.operands.emplace_back();
    return cursor.ExpectText(separator) && reader.ParseOperand(&state.operands.back());
  };
  if (!reader.ParseOperand(&name) || !operand("=") || !operand("to") || !operand("step")) {
    return false;
  }
  arguments.push_back({name.name, reader.context().Index(), name.offset});
  absl::InlinedVector<TypeRef, 6> types;
  if (cursor.ConsumeWord("iter_args")) {
    if (!cursor.Expect('(')) return false;
    do {
      if (!reader.ParseOperand(&name) || !operand("=")) return false;
      arguments.push_back({name.name, nullptr, name.offset});
    } while (cursor.Consume(','));
    if (!cursor.Expect(')') || !cursor.ExpectText("->")) return false;
    const bool is_list = cursor.Consume('(');
    if (!reader.ParseTypes(&types) || (is_list && !cursor.Expect(')'))) return false;
  }
  if (types.size() + 1 != arguments.size()) {
    return cursor.Fail("expected a type for each of iter_args");
  }
  if (cursor.Consume(':')) {
    arguments[0].type = reader.attributes().ParseType();
    if (arguments[0].type == nullptr) return false;
  }
  state.operand_types.assign(3, arguments[0].type);
  for (size_t i = 0; i < types.size(); ++i) {
    arguments[i + 1].type = types[i];
    state.operand_types.push_back(types[i]);
    state.result_types.push_back(types[i]);
  }
  return reader.ParseRegion(state, arguments) && reader.ParseOptionalDictionary(state);
}

// sdy.mesh @name = <["x"=2, "y"=4]>, sdy.sharding_constraint %0 <@mesh, [..]> : type,
// sdy.manual_computation(%0) in_shardings=[..] out_shardings=[..] manual_axes={..} (%arg: type)
// {..} : fn. Shardings are kept as text.
bool KeepUntil(OperationReader& reader, OperationState& state, std::string_view name,
               std::string_view kind, char open, char close) {
  mlir::TextCursor& cursor = reader.cursor();
  const size_t begin = cursor.offset();
  std::string_view text;
  if (!cursor.Expect(open) || !cursor.BalancedText(close, &text)) return false;
  const std::string_view whole = cursor.text().substr(begin, cursor.offset() + 1 - begin);
  if (!cursor.Expect(close)) return false;
  state.AddAttribute(name, reader.context().DialectOf("sdy", kind, open == '<' ? text : whole));
  return true;
}

bool ParseMesh(OperationReader& reader, OperationState& state) {
  std::string_view name;
  if (!reader.cursor().SymbolName(&name) || !reader.cursor().Expect('=')) return false;
  state.AddAttribute("sym_name", reader.context().String(name));
  return KeepUntil(reader, state, "mesh", "mesh", '<', '>') &&
         reader.ParseOptionalDictionary(state);
}

bool ParseShardingConstraint(OperationReader& reader, OperationState& state) {
  state.operands.emplace_back();
  if (!reader.ParseOperand(&state.operands.back()) ||
      !KeepUntil(reader, state, "sharding", "sharding", '<', '>') ||
      !reader.ParseOptionalDictionary(state) || !reader.cursor().Expect(':')) {
    return false;
  }
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  state.operand_types.push_back(type);
  state.result_types.push_back(type);
  return true;
}

bool ParseManualComputation(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.Expect('(') || !reader.ParseOperands(state) || !cursor.Expect(')')) return false;
  for (const std::string_view name : {"in_shardings", "out_shardings"}) {
    if (!cursor.ExpectWord(name) || !cursor.Expect('=') ||
        !KeepUntil(reader, state, name, "sharding_per_value", '[', ']')) {
      return false;
    }
  }
  if (!cursor.ExpectWord("manual_axes") || !cursor.Expect('=') ||
      !KeepUntil(reader, state, "manual_axes", "manual_axes", '{', '}') || !cursor.Expect('(')) {
    return false;
  }
  std::vector<mlir::NamedArgument> arguments;
  if (!cursor.Peek(')')) {
    do {
      arguments.emplace_back();
      if (!reader.ParseArgument(&arguments.back())) return false;
    } while (cursor.Consume(','));
  }
  return cursor.Expect(')') && reader.ParseRegion(state, arguments) &&
         reader.ParseOptionalDictionary(state) && cursor.Expect(':') &&
         reader.ParseFunctionalType(state);
}

#define ARITH_BINARY(name) \
  { "arith." name, "$lhs , $rhs dict : same" }
constexpr mlir::OperationSyntax kOthers[] = {
    {"check.expect_almost_eq", "$lhs , $rhs [ , tolerance = @tolerance:f64 ] dict : operand"},
    {"check.expect_almost_eq_const",
     "$lhs , @value:any [ , tolerance = @tolerance:f64 ] dict value"},
    {"check.expect_eq", "$lhs , $rhs dict : operand"},
    {"check.expect_eq_const", "$lhs , @value:any dict value"},
    {"check.expect_close",
     "$actual , $expected [ , max_ulp_difference = @max_ulp_difference:i64 ] [ , "
     "min_ulp_difference = @min_ulp_difference:i64 ] dict : operands"},
    {"check.expect_serialized_eq",
     "$expected , probe_id = @probe_id:str [ , iter = @iteration:ui32 ] dict : operands"},
    {"interpreter.print", "$operand dict : operand"},
    {"interpreter.probe", "$operand , probe_id = @probe_id:str dict : same"},
    {"interpreter.run_parallel", ""},
    ARITH_BINARY("addi"),
    ARITH_BINARY("subi"),
    ARITH_BINARY("muli"),
    ARITH_BINARY("divsi"),
    ARITH_BINARY("divui"),
    ARITH_BINARY("remsi"),
    ARITH_BINARY("remui"),
    ARITH_BINARY("maxsi"),
    ARITH_BINARY("minsi"),
    ARITH_BINARY("andi"),
    ARITH_BINARY("ori"),
    ARITH_BINARY("xori"),
    ARITH_BINARY("addf"),
    ARITH_BINARY("subf"),
    ARITH_BINARY("mulf"),
    ARITH_BINARY("divf"),
    {"arith.constant", "dict @value:any value"},
    {"arith.cmpi", "", ParseCompareInteger},
    {"arith.select", "", ParseArithSelect},
    {"arith.index_cast", "$in dict : operands to results"},
    {"arith.extui", "$in dict : operands to results"},
    {"arith.extsi", "$in dict : operands to results"},
    {"arith.trunci", "$in dict : operands to results"},
    {"tensor.dim", "", ParseTensorDim},
    {"tensor.extract", "", ParseTensorElement},
    {"tensor.insert", "", ParseTensorElement},
    {"tensor.from_elements", "", ParseFromElements},
    {"tensor.cast", "$source dict : operands to results"},
    {"tensor.empty", "( $sizes* ) dict : results"},
    {"shape.shape_of", "$arg dict : operands -> results"},
    {"shape.broadcast", "$shapes* dict : operands -> results"},
    {"shape.num_elements", "$shape dict : operands -> results"},
    {"shape.to_extent_tensor", "$input dict : operands -> results"},
    {"shape.cstr_broadcastable", "$shapes* dict : operands"},
    {"scf.for", "", ParseScfFor},
    {"scf.yield", "$results* dict [ : operands ]"},
    {"sdy.mesh", "", ParseMesh},
    {"sdy.sharding_constraint", "", ParseShardingConstraint},
    {"sdy.reshard", "", ParseShardingConstraint},
    {"sdy.manual_computation", "", ParseManualComputation},
    {"sdy.return", "$results* dict [ : operands ]"},
    {"sdy.data_flow_edge", ""},
    {"sdy.propagation_barrier", ""},
};
#undef ARITH_BINARY

}  // namespace

void AddOthers(mlir::Dialects* dialects) { dialects->Add(kOthers); }

const mlir::Dialects& AllDialects() {
  static const mlir::Dialects* const dialects = [] {
    auto* all = new mlir::Dialects();
    AddFunc(all);
    AddStableHlo(all);
    AddChlo(all);
    AddVhlo(all);
    AddOthers(all);
    return all;
  }();
  return *dialects;
}

}  // namespace xla::stablehlo
