// SPDX-License-Identifier: Apache-2.0
// The text of StableHLO operations.
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/attribute_syntax.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Block;
using mlir::NamedArgument;
using mlir::OperandName;
using mlir::OperationReader;
using mlir::OperationState;
using mlir::TextCursor;
using mlir::TypeRef;
using mlir::Value;

// [1, 2]
bool ParseIntegers(OperationReader& reader, std::vector<int64_t>* values) {
  TextCursor& cursor = reader.cursor();
  if (!cursor.Expect('[')) return false;
  if (cursor.Consume(']')) return true;
  do {
    values->push_back(0);
    if (!reader.attributes().ParseSignedInteger(&values->back())) return false;
  } while (cursor.Consume(','));
  return cursor.Expect(']');
}

// dense<..> : type, or the generic form from "()" on.
bool ParseConstant(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (cursor.Consume('(')) {
    if (!cursor.Expect(')')) return false;
    if (cursor.PeekText("<{")) {
      cursor.Consume('<');
      if (!reader.ParseOptionalDictionary(state) || !cursor.Expect('>')) return false;
    }
    return reader.ParseOptionalDictionary(state) && cursor.Expect(':') &&
           reader.ParseFunctionalType(state);
  }
  return mlir::ParseByFormat(reader, "dict @value:any value", state);
}

// %operand [start:limit:stride, ..] : fn
bool ParseSlice(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  state.operands.emplace_back();
  if (!reader.ParseOperand(&state.operands.back()) || !cursor.Expect('[')) return false;
  std::vector<int64_t> starts, limits, strides;
  if (!cursor.Peek(']')) {
    do {
      starts.push_back(0);
      limits.push_back(0);
      strides.push_back(1);
      if (!reader.attributes().ParseSignedInteger(&starts.back()) || !cursor.Expect(':') ||
          !reader.attributes().ParseSignedInteger(&limits.back())) {
        return false;
      }
      if (cursor.Consume(':') && !reader.attributes().ParseSignedInteger(&strides.back())) {
        return false;
      }
    } while (cursor.Consume(','));
  }
  if (!cursor.Expect(']')) return false;
  state.AddAttribute("start_indices", reader.context().I64Array(starts));
  state.AddAttribute("limit_indices", reader.context().I64Array(limits));
  state.AddAttribute("strides", reader.context().I64Array(strides));
  return mlir::ParseByFormat(reader, "dict : fn", state);
}

// precision = [HIGH, HIGH]
bool ParsePrecision(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!cursor.ExpectWord("precision") || !cursor.Expect('=') || !cursor.Expect('[')) return false;
  std::vector<AttributeRef> values;
  if (!cursor.Peek(']')) {
    do {
      const std::string_view word = cursor.Word();
      if (word.empty()) return cursor.FailExpected("a precision");
      values.push_back(reader.context().DialectOf("stablehlo", "precision", word));
    } while (cursor.Consume(','));
  }
  state.AddAttribute("precision_config", reader.context().Array(values));
  return cursor.Expect(']');
}

// %lhs, %rhs, precision = [..] : fn
bool ParseSimpleDot(OperationReader& reader, OperationState& state) {
  if (!mlir::ParseByFormat(reader, "$lhs , $rhs", state)) return false;
  if (reader.cursor().Consume(',') && !ParsePrecision(reader, state)) return false;
  return mlir::ParseByFormat(reader, "dict : fn", state);
}

// batching_dims = [0] x [0], contracting_dims = [1] x [0]
bool ParseDimensionPair(OperationReader& reader, std::vector<int64_t>* lhs,
                        std::vector<int64_t>* rhs) {
  return reader.cursor().Expect('=') && ParseIntegers(reader, lhs) &&
         reader.cursor().ExpectWord("x") && ParseIntegers(reader, rhs);
}

bool ParseDotGeneral(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!mlir::ParseByFormat(reader, "$lhs , $rhs ,", state)) return false;
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  if (cursor.ConsumeWord("batching_dims") || cursor.ConsumeWord("batch_dims")) {
    if (!ParseDimensionPair(reader, &lhs_batch, &rhs_batch) || !cursor.Expect(',')) return false;
  }
  if (!cursor.ExpectWord("contracting_dims") ||
      !ParseDimensionPair(reader, &lhs_contracting, &rhs_contracting)) {
    return false;
  }
  mlir::Context& context = reader.context();
  const mlir::NamedAttribute parameters[] = {
      {"lhs_batching_dimensions", context.I64Array(lhs_batch)},
      {"rhs_batching_dimensions", context.I64Array(rhs_batch)},
      {"lhs_contracting_dimensions", context.I64Array(lhs_contracting)},
      {"rhs_contracting_dimensions", context.I64Array(rhs_contracting)}};
  state.AddAttribute("dot_dimension_numbers",
                     context.DialectOf("stablehlo", "dot", {}, parameters));
  if (cursor.Consume(',')) {
    bool has_algorithm = cursor.PeekWord("algorithm");
    if (!has_algorithm) {
      if (!ParsePrecision(reader, state)) return false;
      has_algorithm = cursor.Consume(',');
    }
    if (has_algorithm) {
      std::vector<mlir::NamedAttribute> algorithm;
      if (!cursor.ExpectWord("algorithm") || !cursor.Expect('=') || !cursor.Expect('<') ||
          !reader.attributes().ParseParameters(&algorithm) || !cursor.Expect('>')) {
        return false;
      }
      state.AddAttribute("algorithm",
                         context.DialectOf("stablehlo", "dot_algorithm", {}, algorithm));
    }
  }
  return mlir::ParseByFormat(reader, "dict : fn", state);
}

// window = {stride = [..], pad = [[..]], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]}
bool ParseWindow(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  mlir::Context& context = reader.context();
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"stride", "window_strides"},
      {"pad", "padding"},
      {"lhs_dilate", "lhs_dilation"},
      {"rhs_dilate", "rhs_dilation"},
      {"reverse", "window_reversal"}};
  if (!cursor.ExpectWord("window") || !cursor.Expect('=') || !cursor.Expect('{')) return false;
  while (!cursor.Peek('}')) {
    const size_t begin = cursor.offset();
    const std::string_view word = cursor.Word();
    std::string_view name;
    for (const auto& [key, attribute] : kNames) {
      if (word == key) name = attribute;
    }
    if (name.empty()) {
      cursor.Seek(begin);
      return cursor.FailExpected("stride, pad, lhs_dilate, rhs_dilate or reverse");
    }
    if (mlir::FindAttribute(state.attributes, name) != nullptr) {
      return cursor.FailAt(begin, absl::StrCat(View(word), " is given twice"));
    }
    if (!cursor.Expect('=')) return false;
    std::vector<int64_t> values;
    if (word == "pad") {
      if (!cursor.Expect('[')) return false;
      int64_t rows = 0;
      if (!cursor.Peek(']')) {
        do {
          const size_t row = cursor.offset();
          if (!ParseIntegers(reader, &values)) return false;
          if (static_cast<int64_t>(values.size()) != 2 * ++rows) {
            return cursor.FailAt(row, "expected two numbers of padding");
          }
        } while (cursor.Consume(','));
      }
      if (!cursor.Expect(']')) return false;
      const auto* array = context.I64Array(values);
      const int64_t sizes[] = {rows, 2};
      state.AddAttribute(name, context.arena().New<mlir::DenseAttribute>(
                                   mlir::Attribute{mlir::AttributeKind::kDense}, false,
                                   context.RankedTensor(sizes, context.Integer(64)), array->data));
    } else if (word == "reverse") {
      if (!cursor.Expect('[')) return false;
      if (!cursor.Peek(']')) {
        do {
          if (cursor.PeekWord("true") || cursor.PeekWord("false")) {
            values.push_back(cursor.Word() == "true" ? 1 : 0);
          } else {
            values.push_back(0);
            if (!reader.attributes().ParseSignedInteger(&values.back())) return false;
          }
        } while (cursor.Consume(','));
      }
      if (!cursor.Expect(']')) return false;
      const absl::Span<bool> flags = context.arena().NewArray<bool>(values.size());
      for (size_t i = 0; i < values.size(); ++i) flags[i] = values[i] != 0;
      state.AddAttribute(name, context.BoolArray(flags));
    } else {
      if (!ParseIntegers(reader, &values)) return false;
      state.AddAttribute(name, context.I64Array(values));
    }
    if (!cursor.Consume(',')) break;
  }
  return cursor.Expect('}');
}

// (%lhs, %rhs) dim_numbers = [..]x[..]->[..], window = {..} {..} : fn
bool ParseConvolution(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!mlir::ParseByFormat(reader, "( $operands* ) dim_numbers =", state)) return false;
  const AttributeRef dimensions = ParseConvolutionDimensions(reader.attributes());
  if (dimensions == nullptr) return false;
  state.AddAttribute("dimension_numbers", dimensions);
  return cursor.Expect(',') && ParseWindow(reader, state) &&
         mlir::ParseByFormat(reader, "dict : fn", state);
}

// e5m10
bool ParseReducePrecision(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!mlir::ParseByFormat(reader, "$operand , format =", state)) return false;
  const size_t begin = cursor.offset();
  const std::string_view word = cursor.Word();
  int64_t numbers[2] = {};
  size_t i = 0;
  bool ok = true;
  for (int k = 0; k < 2; ++k) {
    ok = ok && i < word.size() && word[i] == (k == 0 ? 'e' : 'm');
    const size_t first = ++i;
    while (i < word.size() && TextCursor::IsDigit(word[i]) && i - first < 9) {
      numbers[k] = numbers[k] * 10 + (word[i++] - '0');
    }
    ok = ok && i > first;
  }
  if (!ok || i != word.size()) return cursor.FailAt(begin, "expected a format as e5m10");
  const TypeRef type = reader.context().Integer(32);
  state.AddAttribute("exponent_bits", reader.context().IntegerOf(type, numbers[0]));
  state.AddAttribute("mantissa_bits", reader.context().IntegerOf(type, numbers[1]));
  return mlir::ParseByFormat(reader, "dict : same", state);
}

// (%a = %0, %b = %1) : types attributes {..} cond {..} do {..}
bool ParseWhile(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!cursor.Expect('(')) return false;
  std::vector<NamedArgument> arguments;
  while (!cursor.Peek(')')) {
    OperandName argument;
    state.operands.emplace_back();
    if (!reader.ParseOperand(&argument) || !cursor.Expect('=') ||
        !reader.ParseOperand(&state.operands.back())) {
      return false;
    }
    arguments.push_back({argument.name, nullptr, argument.offset});
    if (!cursor.Consume(',')) break;
  }
  if (!cursor.Expect(')')) return false;
  if (!arguments.empty() && (!cursor.Expect(':') || !reader.ParseTypes(&state.operand_types))) {
    return false;
  }
  if (state.operand_types.size() != arguments.size()) {
    return cursor.FailAt(
        state.offset, absl::StrCat(arguments.size(), " operands, but ", state.operand_types.size(),
                                   " types of operands"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = state.operand_types[i];
  state.result_types.assign(state.operand_types.begin(), state.operand_types.end());
  return mlir::ParseByFormat(reader, "dictkw cond", state) &&
         reader.ParseRegion(state, arguments) && cursor.ExpectWord("do") &&
         reader.ParseRegion(state, arguments);
}

// The two-operand, one-result operations that the compact form of reduce allows.
bool IsReducer(std::string_view name) {
  for (const std::string_view known :
       {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
        "stablehlo.and", "stablehlo.or", "stablehlo.xor"}) {
    if (name == known) return true;
  }
  return false;
}

// The body of "applies stablehlo.add".
bool MakeReducer(OperationReader& reader, OperationState& state, std::string_view name) {
  if (state.operand_types.empty()) {
    return reader.cursor().FailAt(state.offset, "reduce needs operands");
  }
  const TypeRef first = state.operand_types[0];
  const TypeRef element = first->element == nullptr ? first : first->element;
  const TypeRef type = reader.context().RankedTensor({}, element);
  Block* block = reader.arena().New<Block>();
  block->arguments = reader.arena().NewArray<Value>(2);
  for (uint32_t i = 0; i < 2; ++i) {
    block->arguments[i].type = type;
    block->arguments[i].block = block;
    block->arguments[i].index = i;
  }
  Value* const operands[] = {&block->arguments[0], &block->arguments[1]};
  const TypeRef types[] = {type};
  mlir::Operation* inner = reader.CreateSimple(name, operands, types, state.offset);
  block->Append(inner);
  Value* const results[] = {&inner->results[0]};
  block->Append(reader.CreateSimple("stablehlo.return", results, {}, state.offset));
  state.regions.emplace_back();
  state.regions.back().Append(block);
  return true;
}

// reducer(%a: type, %b: type) (..) {..}
bool ParseReducer(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  if (!cursor.ExpectWord("reducer")) return false;
  std::vector<NamedArgument> arguments;
  std::vector<NamedArgument> accumulators;
  while (cursor.Consume('(')) {
    arguments.emplace_back();
    accumulators.emplace_back();
    if (!reader.ParseArgument(&arguments.back()) || !cursor.Expect(',') ||
        !reader.ParseArgument(&accumulators.back()) || !cursor.Expect(')')) {
      return false;
    }
  }
  arguments.insert(arguments.end(), accumulators.begin(), accumulators.end());
  return reader.ParseRegion(state, arguments);
}

// (%input init: %init), .. applies stablehlo.add across dimensions = [0] {..} : fn
bool ParseReduce(OperationReader& reader, OperationState& state) {
  TextCursor& cursor = reader.cursor();
  std::vector<OperandName> inits;
  if (cursor.Peek('(')) {
    do {
      inits.emplace_back();
      state.operands.emplace_back();
      if (!cursor.Expect('(') || !reader.ParseOperand(&state.operands.back()) ||
          !cursor.ExpectWord("init") || !cursor.Expect(':') ||
          !reader.ParseOperand(&inits.back()) || !cursor.Expect(')')) {
        return false;
      }
    } while (cursor.Consume(','));
  }
  state.operands.insert(state.operands.end(), inits.begin(), inits.end());
  std::string_view inner;
  if (cursor.ConsumeWord("applies")) {
    const size_t begin = cursor.offset();
    const std::string_view word = cursor.Word();
    inner = word.empty() ? word : reader.Name(word)->text;
    if (!IsReducer(inner)) {
      return cursor.FailAt(begin,
                           "expected a commutative operation of stablehlo with two operands");
    }
  }
  std::vector<int64_t> dimensions;
  if (!cursor.ExpectWord("across") || !cursor.ExpectWord("dimensions") || !cursor.Expect('=') ||
      !ParseIntegers(reader, &dimensions)) {
    return false;
  }
  state.AddAttribute("dimensions", reader.context().I64Array(dimensions));
  if (!reader.ParseOptionalDictionary(state) || !cursor.Expect(':') ||
      !reader.ParseFunctionalType(state)) {
    return false;
  }
  return inner.empty() ? ParseReducer(reader, state) : MakeReducer(reader, state, inner);
}

#define UNARY(name) \
  { "stablehlo." name, "$operand dict : same" }
#define BINARY(name) \
  { "stablehlo." name, "$lhs , $rhs dict : same" }
#define GENERIC(name) \
  { "stablehlo." name, "" }
#define OPERANDS(name) \
  { "stablehlo." name, "$operands* dict : fn" }

constexpr mlir::OperationSyntax kStableHlo[] = {
    UNARY("abs"),
    UNARY("cbrt"),
    UNARY("ceil"),
    UNARY("convert"),
    UNARY("count_leading_zeros"),
    UNARY("cosine"),
    UNARY("exponential"),
    UNARY("exponential_minus_one"),
    UNARY("floor"),
    UNARY("imag"),
    UNARY("log"),
    UNARY("log_plus_one"),
    UNARY("logistic"),
    UNARY("not"),
    UNARY("negate"),
    UNARY("popcnt"),
    UNARY("real"),
    UNARY("round_nearest_afz"),
    UNARY("round_nearest_even"),
    UNARY("rsqrt"),
    UNARY("sign"),
    UNARY("sine"),
    UNARY("sqrt"),
    UNARY("tan"),
    UNARY("tanh"),
    UNARY("uniform_quantize"),
    UNARY("uniform_dequantize"),
    BINARY("add"),
    BINARY("and"),
    BINARY("atan2"),
    BINARY("divide"),
    BINARY("maximum"),
    BINARY("minimum"),
    BINARY("multiply"),
    BINARY("or"),
    BINARY("power"),
    BINARY("remainder"),
    BINARY("shift_left"),
    BINARY("shift_right_arithmetic"),
    BINARY("shift_right_logical"),
    BINARY("subtract"),
    BINARY("xor"),
    OPERANDS("bitcast_convert"),
    OPERANDS("dynamic_pad"),
    OPERANDS("dynamic_reshape"),
    OPERANDS("dynamic_update_slice"),
    OPERANDS("is_finite"),
    OPERANDS("real_dynamic_slice"),
    OPERANDS("reshape"),
    GENERIC("all_gather"),
    GENERIC("all_reduce"),
    GENERIC("all_to_all"),
    GENERIC("async_done"),
    GENERIC("async_start"),
    GENERIC("batch_norm_grad"),
    GENERIC("batch_norm_inference"),
    GENERIC("batch_norm_training"),
    GENERIC("case"),
    GENERIC("collective_broadcast"),
    GENERIC("collective_permute"),
    GENERIC("collective_reduce"),
    GENERIC("cross-replica-sum"),
    GENERIC("dynamic_conv"),
    GENERIC("dynamic_gather"),
    GENERIC("gather"),
    GENERIC("if"),
    GENERIC("infeed"),
    GENERIC("map"),
    GENERIC("outfeed"),
    GENERIC("recv"),
    GENERIC("reduce_scatter"),
    GENERIC("reduce_window"),
    GENERIC("scatter"),
    GENERIC("select_and_scatter"),
    GENERIC("send"),
    GENERIC("sort"),
    GENERIC("torch_index_select"),
    GENERIC("triangular_solve"),
    {"stablehlo.after_all", "$inputs* dict : same"},
    {"stablehlo.broadcast", "$operand , sizes = @broadcast_sizes:array dict : fn"},
    {"stablehlo.broadcast_in_dim", "$operand , dims = @broadcast_dimensions:array dict : fn"},
    {"stablehlo.cholesky", "$a [ , lower = @lower:bool ] dict : same"},
    {"stablehlo.clamp", "$min , $operand , $max dict : same"},
    {"stablehlo.compare",
     "@comparison_direction:enum:stablehlo.comparison_direction , $lhs , $rhs [ , "
     "@compare_type:enum:stablehlo.comparison_type ] dict : fn"},
    {"stablehlo.complex", "$lhs , $rhs dict : complex"},
    {"stablehlo.composite", "@name:str $inputs* [ ( regions ) ] dict : fn"},
    {"stablehlo.concatenate", "$inputs,* dim = @dimension:i64 dict : fn"},
    {"stablehlo.constant", "", ParseConstant, false, {}, PrintConstant},
    {"stablehlo.convolution", "", ParseConvolution, false, {}, PrintConvolution},
    {"stablehlo.create_token", "dict : results"},
    {"stablehlo.custom_call", "@call_target_name:symstr ( $inputs* ) dict : fn"},
    {"stablehlo.dot", "", ParseSimpleDot, false, {}, PrintDot},
    {"stablehlo.dot_general", "", ParseDotGeneral, false, {}, PrintDotGeneral},
    {"stablehlo.dynamic_broadcast_in_dim",
     "$operand , $output_dimensions , dims = @broadcast_dimensions:array dict : fn"},
    {"stablehlo.dynamic_iota", "$output_shape , dim = @iota_dimension:i64 dict : fn"},
    {"stablehlo.dynamic_slice", "$operand , $start_indices,* sizes = @slice_sizes:array dict : fn"},
    {"stablehlo.einsum", "$lhs , $rhs , config = @einsum_config:str dict : fn"},
    {"stablehlo.fft",
     "$operand , type = @fft_type:enum:stablehlo.fft_type , length = @fft_length:array dict : fn"},
    {"stablehlo.get_dimension_size", "$operand , dim = @dimension:i64 dict : fn"},
    {"stablehlo.get_tuple_element", "$operand `[` @index:i32 `]` dict : fn"},
    {"stablehlo.iota", "dim = @iota_dimension:i64 dict : results"},
    {"stablehlo.optimization_barrier", "dict [ $operand* : pairwise ] [ ( ) ]"},
    {"stablehlo.pad",
     "$operand , $padding_value , low = @edge_padding_low:array , high = @edge_padding_high:array "
     ", interior = @interior_padding:array dict : fn"},
    {"stablehlo.partition_id", "dict : results"},
    {"stablehlo.reduce", "", ParseReduce, false, {}, PrintReduce},
    {"stablehlo.reduce_precision", "", ParseReducePrecision, false, {}, PrintReducePrecision},
    {"stablehlo.replica_id", "dict : results"},
    {"stablehlo.return", "$results* dict [ : operands ]"},
    {"stablehlo.reverse", "$operand , dims = @dimensions:array dict : same"},
    {"stablehlo.rng",
     "$a , $b , $shape , distribution = @rng_distribution:enum:stablehlo.rng_distribution dict : "
     "fn"},
    {"stablehlo.rng_bit_generator",
     "$initial_state , algorithm = @rng_algorithm:enum:stablehlo.rng_algorithm dict : fn"},
    {"stablehlo.select", "$operands* dict : select"},
    {"stablehlo.set_dimension_size", "$operand , $size , dim = @dimension:i64 dict : fn"},
    {"stablehlo.slice", "", ParseSlice, false, {}, PrintSlice},
    {"stablehlo.transpose", "$operand , dims = @permutation:array dict : fn"},
    {"stablehlo.tuple", "$val* dict : tuple"},
    {"stablehlo.unary_einsum", "$operand , config = @einsum_config:str dict : fn"},
    {"stablehlo.while", "", ParseWhile, false, {}, PrintWhile},
};
#undef UNARY
#undef BINARY
#undef GENERIC
#undef OPERANDS

}  // namespace

void AddStableHlo(mlir::Dialects* dialects) {
  dialects->Add(kStableHlo);
  dialects->Add(mlir::DialectSyntax{"stablehlo", ParseStableHloAttribute, ParseStableHloType});
}

}  // namespace xla::stablehlo
