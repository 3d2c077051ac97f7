// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/shift_calls.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

using ConfigNumbers = absl::flat_hash_map<std::string, std::vector<int64_t>>;

// "dimension=0,amount=1,start_indices=[7]"; lists may have commas.
ConfigNumbers ConfigNumbersOf(absl::string_view text) {
  ConfigNumbers numbers;
  while (!text.empty()) {
    const size_t equals = text.find('=');
    if (equals == absl::string_view::npos) break;
    const std::string name(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    const bool is_list = absl::ConsumePrefix(&text, "[");
    const size_t end = std::min(text.find(is_list ? ']' : ','), text.size());
    for (const absl::string_view word : absl::StrSplit(text.substr(0, end), ',')) {
      int64_t value = 0;
      if (absl::SimpleAtoi(word, &value)) numbers[name].push_back(value);
    }
    text.remove_prefix(std::min(end + (is_list ? 1 : 0), text.size()));
    absl::ConsumePrefix(&text, ",");
  }
  return numbers;
}

std::optional<ShiftCall::Kind> ShiftKindOf(const HloInstruction& call) {
  const auto is = [&](absl::string_view name) { return IsCall(call, {name.data(), name.size()}); };
  if (is("_SPMDInternalOp_RotateRight")) return ShiftCall::Kind::kRotate;
  if (is("_SPMDInternalOp_MultiRotate")) return ShiftCall::Kind::kMultiRotate;
  if (is("_SPMDInternalOp_MultiSlice")) return ShiftCall::Kind::kMultiSlice;
  if (is("_SPMDInternalOp_MultiPad")) return ShiftCall::Kind::kMultiPad;
  if (is("_SPMDInternalOp_Wrap")) return ShiftCall::Kind::kWrap;
  return std::nullopt;
}

// Rows [first, first + size) of a circle.
HloInstruction* CircleRows(HloInstruction* operand, int64_t d, int64_t first, int64_t size) {
  const int64_t n = operand->shape().dimensions(static_cast<int>(d));
  std::vector<HloInstruction*> parts;
  for (int64_t done = 0; done < size;) {
    const int64_t start = ((first + done) % n + n) % n;
    const int64_t rows = std::min(n - start, size - done);
    parts.push_back(RowsOf(operand, d, start, rows));
    done += rows;
  }
  if (parts.size() == 1) return parts[0];
  Shape shape = operand->shape();
  shape.set_dimensions(static_cast<int>(d), size);
  return Add(operand->parent(), HloOpcode::kConcatenate, shape, parts, Dimensions({d}));
}

// A number of the config that is there once, and not negative.
std::optional<int64_t> ConfigNumber(const ConfigNumbers& numbers, const char* name) {
  const auto found = numbers.find(name);
  if (found == numbers.end() || found->second.size() != 1 || found->second[0] < 0) {
    return std::nullopt;
  }
  return found->second[0];
}

// Sets what a call of slices gives, and the rows of each. Whether its config is as it should be.
bool SetMultiSlice(const ConfigNumbers& numbers, const Shape& operand, ShiftCall& shift,
                   int64_t& size) {
  const auto list = [&](const char* name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::vector<int64_t>() : found->second;
  };
  const auto amount = ConfigNumber(numbers, "amount");
  const auto starts = list("start_indices"), limits = list("limit_indices");
  const auto strides = list("strides");
  const auto rank = static_cast<size_t>(operand.rank());
  const auto dimension = static_cast<size_t>(shift.dimension);
  if (!amount || starts.size() != rank || limits.size() != rank || strides.size() != rank) {
    return false;
  }
  for (size_t d = 0; d < rank; ++d) {
    const bool is_kept = starts[d] == 0 && limits[d] == operand.dimensions(static_cast<int>(d));
    if (strides[d] != 1 || (d != dimension && !is_kept)) return false;
  }
  const int64_t n = operand.dimensions(static_cast<int>(dimension));
  shift.first = starts[dimension];
  shift.results = *amount + 1;
  size = limits[dimension] - shift.first;
  return shift.first >= 0 && size >= 1 && *amount < n && shift.first + size + *amount <= n;
}

// The same of all kinds: `size` is that of the operand at first.
bool SetShift(const HloInstruction& call, const ConfigNumbers& numbers, ShiftCall& shift,
              int64_t& size) {
  const int64_t n = size;
  const auto number = [&](const char* name) { return ConfigNumber(numbers, name); };
  switch (shift.kind) {
    case ShiftCall::Kind::kRotate: {
      const auto amount = number("amount");
      if (!amount) return false;
      shift.first = n - *amount % n;
      return true;
    }
    case ShiftCall::Kind::kMultiRotate: {
      // To the left by `left`, by one less, .., to the right by `right`.
      const auto left = number("left_amount"), right = number("right_amount");
      if (!left || !right || *left >= n || *right >= n) return false;
      shift.first = *left;
      shift.results = *left + *right + 1;
      return true;
    }
    case ShiftCall::Kind::kMultiSlice:
      return SetMultiSlice(numbers, call.operand(0)->shape(), shift, size);
    case ShiftCall::Kind::kMultiPad: {
      const auto amount = number("amt");
      if (!amount || *amount >= n || call.operand(1)->shape().rank() != 0) return false;
      shift.first = -*amount;
      shift.results = *amount + 1;
      size = n + *amount;
      return true;
    }
    case ShiftCall::Kind::kWrap: {
      const auto left = number("left_amount"), right = number("right_amount");
      if (!left || !right || *left > n || *right > n) return false;
      shift.first = -*left;
      size = n + *left + *right;
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<ShiftCall> ShiftCallOf(const HloInstruction& call) {
  const auto kind = ShiftKindOf(call);
  if (!kind.has_value()) return std::nullopt;
  const ConfigNumbers numbers = ConfigNumbersOf(call.raw_backend_config_string());
  if (call.operand_count() != (*kind == ShiftCall::Kind::kMultiPad ? 2 : 1)) return std::nullopt;
  const Shape& operand = call.operand(0)->shape();
  const auto dimension = ConfigNumber(numbers, "dimension");
  if (!dimension || !operand.IsArray() || *dimension >= operand.rank() ||
      ShapeUtil::IsZeroElementArray(operand)) {
    return std::nullopt;
  }
  ShiftCall shift{*kind, *dimension};
  int64_t size = operand.dimensions(static_cast<int>(*dimension));
  if (!SetShift(call, numbers, shift, size)) return std::nullopt;
  Shape result = operand;
  result.set_dimensions(static_cast<int>(*dimension), size);
  if (!call.shape().IsTuple()) {
    return shift.results == 1 && ShapeUtil::Compatible(call.shape(), result) ? std::optional(shift)
                                                                             : std::nullopt;
  }
  if (call.shape().tuple_shapes_size() != shift.results) return std::nullopt;
  for (const Shape& shape : call.shape().tuple_shapes()) {
    if (!ShapeUtil::Compatible(shape, result)) return std::nullopt;
  }
  return shift;
}

HloInstruction* ExpandedShiftCall(const HloInstruction& call, const ShiftCall& shift) {
  HloInstruction* operand = call.operands()[0];
  const Shape& result = call.shape().IsTuple() ? call.shape().tuple_shapes(0) : call.shape();
  const int dim = static_cast<int>(shift.dimension);
  const int64_t size = result.dimensions(dim), n = operand->shape().dimensions(dim);
  std::vector<HloInstruction*> results;
  for (int64_t i = 0; i < shift.results; ++i) {
    if (shift.kind == ShiftCall::Kind::kMultiSlice) {
      results.push_back(RowsOf(operand, shift.dimension, shift.first + i, size));
    } else if (shift.kind == ShiftCall::Kind::kMultiPad) {
      PadAttributes padding;
      padding.padding.resize(static_cast<size_t>(result.rank()));
      const int64_t low = -(shift.first + i);
      padding.padding[static_cast<size_t>(shift.dimension)] = {low, size - n - low, 0};
      results.push_back(Add(operand->parent(), HloOpcode::kPad, result,
                            {operand, call.operands()[1]}, std::move(padding)));
    } else {
      // Later results are rotated less to the left.
      results.push_back(CircleRows(operand, shift.dimension, shift.first - i, size));
    }
  }
  if (!call.shape().IsTuple()) return results[0];
  return Add(operand->parent(), HloOpcode::kTuple, call.shape(), results);
}

absl::Status ExpandShiftCalls(HloModule* module, bool keeps_slices) {
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* call : computation->MakeInstructionPostOrder()) {
      const auto shift = ShiftCallOf(*call);
      if (!shift.has_value()) continue;
      const bool is_slices =
          shift->kind == ShiftCall::Kind::kMultiSlice || shift->kind == ShiftCall::Kind::kMultiPad;
      if (keeps_slices && is_slices) continue;
      HloInstruction* expanded = ExpandedShiftCall(*call, *shift);
      if (call->has_sharding() && expanded != call->operand(0)) {
        expanded->mutable_extras().sharding = call->extras().sharding;
      }
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(call, expanded));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::spmd
