// SPDX-License-Identifier: Apache-2.0
// The text of Shardy's operations. Shardings, meshes and lists of axes are kept as text.
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::OperationReader;
using mlir::OperationState;
using mlir::TypeRef;

// The text in brackets, as #sdy.kind<..>; between '<' and '>' without them.
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

// <@mesh, [..]>, or an alias of #sdy.sharding<..>.
bool ParseShardyShardingText(OperationReader& reader, OperationState& state,
                             std::string_view name) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.Peek('#')) return KeepUntil(reader, state, name, "sharding", '<', '>');
  const size_t begin = cursor.offset();
  const AttributeRef value = reader.attributes().ParseAttribute();
  if (value == nullptr) return false;
  const auto* sharding = value->As<mlir::DialectAttribute>();
  if (sharding == nullptr || !sharding->Is("sdy", "sharding")) {
    return cursor.FailAt(begin, "expected a sharding");
  }
  state.AddAttribute(name, value);
  return true;
}

// {..} : type, of the only operand and the result.
bool FinishWithType(OperationReader& reader, OperationState& state) {
  return mlir::ParseByFormat(reader, "dict : same", state);
}

// sdy.mesh @name = <["x"=2, "y"=4]>
bool ParseShardyMesh(OperationReader& reader, OperationState& state) {
  std::string_view name;
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.SymbolName(&name) || !cursor.Expect('=')) return false;
  state.AddAttribute("sym_name", reader.context().String(name));
  if (cursor.Peek('#')) {
    const AttributeRef value = reader.attributes().ParseAttribute();
    if (value == nullptr) return false;
    state.AddAttribute("mesh", value);
  } else if (!KeepUntil(reader, state, "mesh", "mesh", '<', '>')) {
    return false;
  }
  return reader.ParseOptionalDictionary(state);
}

// sdy.sharding_constraint %0 <@mesh, [..]> : type
bool ParseShardyConstraint(OperationReader& reader, OperationState& state) {
  state.operands.emplace_back();
  return reader.ParseOperand(&state.operands.back()) &&
         ParseShardyShardingText(reader, state, "sharding") && FinishWithType(reader, state);
}

// sdy.data_flow_edge %0 sharding=<@mesh, [..]> : type
bool ParseShardyDataFlowEdge(OperationReader& reader, OperationState& state) {
  state.operands.emplace_back();
  if (!reader.ParseOperand(&state.operands.back())) return false;
  if (reader.cursor().ConsumeWord("sharding") &&
      (!reader.cursor().Expect('=') || !ParseShardyShardingText(reader, state, "sharding"))) {
    return false;
  }
  return FinishWithType(reader, state);
}

struct Collective {
  std::string_view name;
  std::string_view axes;  // the attribute that lists them; empty: none
  std::string_view kind;
};
constexpr Collective kCollectives[] = {
    {"sdy.all_gather", "gathering_axes", "list_of_axis_ref_lists"},
    {"sdy.all_reduce", "reduction_axes", "axis_ref_list"},
    {"sdy.all_slice", "slicing_axes", "list_of_axis_ref_lists"},
    {"sdy.all_to_all", "params", "all_to_all_param_list"},
    {"sdy.collective_permute", "", ""},
    {"sdy.reduce_scatter", "reduce_scatter_axes", "list_of_axis_ref_lists"},
    {"sdy.replicated_to_unreduced", "axes", "axis_ref_list"},
    {"sdy.sharded_to_unreduced", "axes", "list_of_axis_ref_lists"},
};

// sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [..]> : type,
// sdy.all_reduce SUM {"x"} %0 out_sharding=<@mesh, [..]> : type
bool ParseShardyCollective(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  const Collective* collective = nullptr;
  for (const Collective& known : kCollectives) {
    if (state.name->text == known.name) collective = &known;
  }
  const bool reduces =
      collective->name == "sdy.all_reduce" || collective->name == "sdy.reduce_scatter";
  if (const std::string_view word = cursor.PeekWord(); reduces && !word.empty()) {
    cursor.Word();
    state.AddAttribute("reduction_op", reader.context().DialectOf("sdy", "reduction_op", word));
  }
  if (!collective->axes.empty()) {
    const bool is_list = collective->kind != "axis_ref_list";
    if (!KeepUntil(reader, state, collective->axes, collective->kind, is_list ? '[' : '{',
                   is_list ? ']' : '}')) {
      return false;
    }
  }
  state.operands.emplace_back();
  return reader.ParseOperand(&state.operands.back()) && cursor.ExpectWord("out_sharding") &&
         cursor.Expect('=') && ParseShardyShardingText(reader, state, "out_sharding") &&
         FinishWithType(reader, state);
}

// (%arg0: type, ..) {..} {attributes} : fn
bool ParseShardyBody(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!cursor.Expect('(')) return false;
  std::vector<mlir::NamedArgument> arguments;
  if (!cursor.Peek(')')) {
    do {
      arguments.emplace_back();
      if (!reader.ParseArgument(&arguments.back())) return false;
    } while (cursor.Consume(','));
  }
  return cursor.Expect(')') && reader.ParseRegion(state, arguments) &&
         mlir::ParseByFormat(reader, "dict : fn", state);
}

// sdy.manual_computation(%0) in_shardings=[..] out_shardings=[..] manual_axes={..} (%arg: type)
// {..} : fn
bool ParseShardyManualComputation(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!mlir::ParseByFormat(reader, "( $operands* )", state)) return false;
  for (const std::string_view name : {"in_shardings", "out_shardings"}) {
    if (!cursor.ExpectWord(name) || !cursor.Expect('=') ||
        !KeepUntil(reader, state, name, "sharding_per_value", '[', ']')) {
      return false;
    }
  }
  return cursor.ExpectWord("manual_axes") && cursor.Expect('=') &&
         KeepUntil(reader, state, "manual_axes", "manual_axes", '{', '}') &&
         ParseShardyBody(reader, state);
}

// sdy.named_computation<"name">(%0) in_shardings=[..] out_shardings=[..] (%arg: type) {..} : fn
bool ParseShardyNamedComputation(OperationReader& reader, OperationState& state) {
  mlir::TextCursor& cursor = reader.cursor();
  if (!mlir::ParseByFormat(reader, "< @name:str > ( $operands* )", state)) return false;
  for (const std::string_view name : {"in_shardings", "out_shardings"}) {
    if (cursor.ConsumeWord(name) &&
        (!cursor.Expect('=') || !KeepUntil(reader, state, name, "sharding_per_value", '[', ']'))) {
      return false;
    }
  }
  return ParseShardyBody(reader, state);
}

constexpr mlir::OperationSyntax kShardy[] = {
    {"sdy.all_gather", "", ParseShardyCollective},
    {"sdy.all_reduce", "", ParseShardyCollective},
    {"sdy.all_slice", "", ParseShardyCollective},
    {"sdy.all_to_all", "", ParseShardyCollective},
    {"sdy.collective_permute", "", ParseShardyCollective},
    {"sdy.constant", "dict @value:any value"},
    {"sdy.data_flow_edge", "", ParseShardyDataFlowEdge},
    {"sdy.func_data_flow_edge", "$operand dict : same"},
    {"sdy.manual_computation", "", ParseShardyManualComputation, /*is_isolated=*/false},
    {"sdy.mesh", "", ParseShardyMesh},
    {"sdy.named_computation", "", ParseShardyNamedComputation},
    {"sdy.propagation_barrier",
     "$input allowed_direction = @allowed_direction:enum:sdy.propagation_direction dict : same"},
    {"sdy.reduce_scatter", "", ParseShardyCollective},
    {"sdy.replicated_to_unreduced", "", ParseShardyCollective},
    {"sdy.reshard", "", ParseShardyConstraint},
    {"sdy.return", "dict [ $results* : operands ]"},
    {"sdy.sharded_to_unreduced", "", ParseShardyCollective},
    {"sdy.sharding_constraint", "", ParseShardyConstraint},
    {"sdy.sharding_group", "$input group_id = @group_id:i64 dict : operand"},
};

}  // namespace

void AddShardy(mlir::Dialects* dialects) { dialects->Add(kShardy); }

}  // namespace xla::stablehlo
