// SPDX-License-Identifier: Apache-2.0
// The text of CHLO operations.
#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_reader.h"
#include "xla/stablehlo/attribute_syntax.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::OperationReader;
using mlir::OperationState;

// (%inputs) inits (%inits) dimension=0 attributes {..} {..} : fn
bool ParseScan(OperationReader& reader, OperationState& state) {
  if (!mlir::ParseByFormat(reader, "( $inputs* ) inits (", state)) return false;
  const size_t inputs = state.operands.size();
  if (!mlir::ParseByFormat(reader, "$inits* ) dimension = @dimension:i64 dictkw region : fn",
                           state)) {
    return false;
  }
  const auto carries = static_cast<int64_t>(state.operands.size() - inputs);
  const int64_t outputs = static_cast<int64_t>(state.result_types.size()) - carries;
  if (outputs < 0) {
    return reader.cursor().FailAt(state.offset, "there are fewer results than carries");
  }
  mlir::Context& context = reader.context();
  const auto sizes = [&](int64_t first, int64_t second) -> mlir::AttributeRef {
    const absl::Span<int32_t> values = context.arena().NewArray<int32_t>(2);
    values[0] = static_cast<int32_t>(first);
    values[1] = static_cast<int32_t>(second);
    return context.arena().New<mlir::DenseArrayAttribute>(
        mlir::Attribute{mlir::AttributeKind::kDenseArray}, context.Integer(32), int64_t{2},
        absl::MakeConstSpan(reinterpret_cast<const char*>(values.data()), 8));
  };
  state.AddAttribute("operandSegmentSizes", sizes(static_cast<int64_t>(inputs), carries));
  state.AddAttribute("resultSegmentSizes", sizes(outputs, carries));
  return true;
}

#define UNARY(name) \
  { "chlo." name, "$operand dict : operands -> results" }
#define BINARY(name) \
  { "chlo." name, "$lhs , $rhs dict : operands -> results" }
#define BROADCAST(name) \
  { "chlo.broadcast_" name, "$lhs , $rhs dict : fn" }

constexpr mlir::OperationSyntax kChlo[] = {
    UNARY("_asin_acos_kernel"),
    UNARY("acos"),
    UNARY("acosh"),
    UNARY("asin"),
    UNARY("asinh"),
    UNARY("atan"),
    UNARY("atanh"),
    UNARY("bessel_i1e"),
    UNARY("conj"),
    UNARY("cosh"),
    UNARY("digamma"),
    UNARY("erf"),
    UNARY("erf_inv"),
    UNARY("erfc"),
    UNARY("is_inf"),
    UNARY("is_neg_inf"),
    UNARY("is_pos_inf"),
    UNARY("lgamma"),
    UNARY("sinh"),
    UNARY("square"),
    UNARY("tan"),
    BINARY("mulhi"),
    BINARY("next_after"),
    BINARY("polygamma"),
    BINARY("zeta"),
    BROADCAST("add"),
    BROADCAST("and"),
    BROADCAST("atan2"),
    BROADCAST("complex"),
    BROADCAST("divide"),
    BROADCAST("maximum"),
    BROADCAST("minimum"),
    BROADCAST("multiply"),
    BROADCAST("next_after"),
    BROADCAST("or"),
    BROADCAST("polygamma"),
    BROADCAST("power"),
    BROADCAST("remainder"),
    BROADCAST("shift_left"),
    BROADCAST("shift_right_arithmetic"),
    BROADCAST("shift_right_logical"),
    BROADCAST("subtract"),
    BROADCAST("xor"),
    BROADCAST("zeta"),
    {"chlo.broadcast_compare", "$lhs , $rhs dict : fn"},
    {"chlo.broadcast_select", "$pred , $on_true , $on_false dict : fn"},
    {"chlo.constant", "dict @value:any value"},
    {"chlo.constant_like", ""},
    {"chlo.ragged_dot", ""},
    {"chlo.scan", "", ParseScan},
    {"chlo.top_k",
     "( $operand , k = @k:i64 [ , is_stable = @is_stable:bool ] ) dict : operands -> ( results )"},
};
#undef UNARY
#undef BINARY
#undef BROADCAST

}  // namespace

void AddChlo(mlir::Dialects* dialects) {
  dialects->Add(kChlo);
  dialects->Add(mlir::DialectSyntax{"chlo", ParseStableHloAttribute, nullptr});
}

}  // namespace xla::stablehlo
