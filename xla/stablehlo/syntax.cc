// SPDX-License-Identifier: Apache-2.0
// All dialects; the small ones.
#include "xla/stablehlo/syntax.h"

#include "xla/mlir/operation_format.h"
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

// The sizes of slices: [0, %i, 4], numbers or operands, as the attribute `name` and operands.
bool ParseMixedList(OperationReader& reader, OperationState& state, std::string_view name,
                    int32_t* dynamic) {
  mlir::TextCursor& cursor = reader.cursor();
  std::vector<int64_t> values;
  *dynamic = 0;
  if (!cursor.Expect('[')) return false;
  if (!cursor.Peek(']')) {
    do {
      values.push_back(mlir::kDynamic);
      if (cursor.Peek('%')) {
        state.operands.emplace_back();
        if (!reader.ParseOperand(&state.operands.back())) return false;
        state.operand_types.push_back(reader.context().Index());
        ++*dynamic;
      } else if (!reader.attributes().ParseSignedInteger(&values.back())) {
        return false;
      }
    } while (cursor.Consume(','));
  }
  state.AddAttribute(name, reader.context().I64Array(values));
  return cursor.Expect(']');
}

void AddSegments(OperationReader& reader, OperationState& state, absl::Span<const int32_t> sizes) {
  const absl::Span<const int32_t> copy = reader.context().arena().Copy(sizes);
  state.AddAttribute("operandSegmentSizes",
                     reader.context().arena().New<mlir::DenseArrayAttribute>(
                         mlir::Attribute{mlir::AttributeKind::kDenseArray},
                         reader.context().Integer(32), static_cast<int64_t>(copy.size()),
                         absl::MakeConstSpan(reinterpret_cast<const char*>(copy.data()),
                                             copy.size() * sizeof(int32_t))));
}

// tensor.extract_slice %t[0] [4] [1] : type to type,
// tensor.insert_slice %s into %t[0] [4] [1] : type into type
bool ParseTensorSlice(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  const bool is_insert = state.name->text == "tensor.insert_slice";
  const size_t tensors = is_insert ? 2 : 1;
  for (size_t i = 0; i < tensors; ++i) {
    if (i == 1 && !cursor.ExpectWord("into")) return false;
    state.operands.emplace_back();
    if (!reader.ParseOperand(&state.operands.back())) return false;
    state.operand_types.push_back(nullptr);
  }
  std::vector<int32_t> segments(tensors, 1);
  for (const std::string_view name : {"static_offsets", "static_sizes", "static_strides"}) {
    segments.push_back(0);
    if (!ParseMixedList(reader, state, name, &segments.back())) return false;
  }
  AddSegments(reader, state, segments);
  if (!reader.ParseOptionalDictionary(state) || !cursor.Expect(':')) return false;
  state.operand_types[0] = reader.attributes().ParseType();
  if (state.operand_types[0] == nullptr || !cursor.ExpectWord(is_insert ? "into" : "to")) {
    return false;
  }
  const TypeRef result = reader.attributes().ParseType();
  if (result == nullptr) return false;
  if (is_insert) state.operand_types[1] = result;
  state.result_types.push_back(result);
  return true;
}

// cf.br ^block(%0 : type), cf.cond_br %c, ^a(%0 : type), ^b
bool ParseBranch(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  const bool is_conditional = state.name->text == "cf.cond_br";
  std::vector<int32_t> segments;
  if (is_conditional) {
    state.operands.emplace_back();
    if (!reader.ParseOperand(&state.operands.back()) || !cursor.Expect(',')) return false;
    state.operand_types.push_back(reader.context().Integer(1));
    segments.push_back(1);
  }
  for (int i = 0; i < (is_conditional ? 2 : 1); ++i) {
    if (i == 1 && !cursor.Expect(',')) return false;
    if (!reader.ParseSuccessor(state)) return false;
    const size_t first = state.operands.size();
    if (cursor.Consume('(') && (!reader.ParseOperands(state) || !cursor.Expect(':') ||
                                !reader.ParseTypes(&state.operand_types) || !cursor.Expect(')'))) {
      return false;
    }
    segments.push_back(static_cast<int32_t>(state.operands.size() - first));
  }
  if (is_conditional) AddSegments(reader, state, segments);
  return reader.ParseOptionalDictionary(state);
}

// ml_program.global private mutable @name(value) : type
bool ParseGlobal(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  for (const std::string_view visibility : {"private", "public", "nested"}) {
    if (!cursor.ConsumeWord(visibility)) continue;
    state.AddAttribute("sym_visibility", reader.context().String(visibility));
  }
  if (cursor.ConsumeWord("mutable")) {
    state.AddAttribute("is_mutable", reader.context().Unit());
  }
  std::string_view name;
  if (!cursor.SymbolName(&name)) return false;
  state.AddAttribute("sym_name", reader.context().String(name));
  if (cursor.Consume('(')) {
    const mlir::AttributeRef value = reader.attributes().ParseAttribute();
    if (value == nullptr || !cursor.Expect(')')) return false;
    state.AddAttribute("value", value);
  }
  if (!cursor.Expect(':')) return false;
  const TypeRef type = reader.attributes().ParseType();
  if (type == nullptr) return false;
  state.AddAttribute("type", reader.context().TypeOf(type));
  return reader.ParseOptionalDictionary(state);
}

// shape.const_shape [1, 2] : type
bool ParseConstShape(OperationReader& reader, OperationState& state) {
  if (!reader.ParseOptionalDictionary(state)) return false;
  return mlir::ParseByFormat(reader, "@shape:array : results", state);
}

// shape.cstr_broadcastable %a, %b : types
bool ParseWitness(OperationReader& reader, OperationState& state) {
  if (!mlir::ParseByFormat(reader, "$shapes* dict : operands", state)) return false;
  state.result_types.push_back(reader.context().Dialect("shape", "witness"));
  return true;
}

// shape.assuming_all %a, %b
bool ParseWitnesses(OperationReader& reader, OperationState& state) {
  if (!mlir::ParseByFormat(reader, "$inputs* dict", state)) return false;
  const TypeRef witness = reader.context().Dialect("shape", "witness");
  state.operand_types.assign(state.operands.size(), witness);
  state.result_types.push_back(witness);
  return true;
}

// shape.assuming %w -> (types) {..}
bool ParseAssuming(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  state.operands.emplace_back();
  if (!reader.ParseOperand(&state.operands.back())) return false;
  state.operand_types.push_back(reader.context().Dialect("shape", "witness"));
  if (cursor.ConsumeText("->")) {
    absl::InlinedVector<TypeRef, 6> types;
    if (!cursor.Expect('(') || (!cursor.Peek(')') && !reader.ParseTypes(&types)) ||
        !cursor.Expect(')')) {
      return false;
    }
    state.result_types.assign(types.begin(), types.end());
  }
  return reader.ParseRegion(state, {}) && reader.ParseOptionalDictionary(state);
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
    {"tensor.extract_slice", "", ParseTensorSlice},
    {"tensor.insert_slice", "", ParseTensorSlice},
    {"cf.br", "", ParseBranch},
    {"cf.cond_br", "", ParseBranch},
    {"ml_program.global", "", ParseGlobal},
    {"ml_program.global_load", "@global:sym dict : results"},
    {"ml_program.global_store", "@global:sym = $value dict : operands"},
    {"tensor.empty", "( $sizes* ) dict : results"},
    {"shape.shape_of", "$arg dict : operands -> results"},
    {"shape.broadcast", "$shapes* dict : operands -> results"},
    {"shape.num_elements", "$shape dict : operands -> results"},
    {"shape.to_extent_tensor", "$input dict : operands -> results"},
    {"shape.assuming", "", ParseAssuming},
    {"shape.assuming_all", "", ParseWitnesses},
    {"shape.assuming_yield", "dict [ $results* : operands ]"},
    {"shape.const_shape", "", ParseConstShape},
    {"shape.cstr_broadcastable", "", ParseWitness},
    {"shape.cstr_eq", "", ParseWitness},
    {"scf.for", "", ParseScfFor},
    {"scf.yield", "dict [ $results* : operands ]"},
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
    AddMhlo(all);
    AddShardy(all);
    AddOthers(all);
    return all;
  }();
  return *dialects;
}

}  // namespace xla::stablehlo
