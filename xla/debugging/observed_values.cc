// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/observed_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/applied_computations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool MayBeNonFinite(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
}

// Calls `visit` with the numbers of an array, row-major, until it returns false.
absl::Status ForEachNumber(const LiteralSlice& array, absl::FunctionRef<bool(double)> visit) {
  if (primitive_util::IsComplexType(array.shape().element_type())) {
    XLA_ASSIGN_OR_RETURN(const Literal wide, array.Convert(C128));
    bool goes_on = true;
    wide.EachCell<complex128>([&](absl::Span<const int64_t>, complex128 z) {
      goes_on = goes_on && visit(z.real()) && visit(z.imag());
    });
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const Literal wide, array.Convert(F64));
  bool goes_on = true;
  wide.EachCell<double>(
      [&](absl::Span<const int64_t>, double x) { goes_on = goes_on && visit(x); });
  return absl::OkStatus();
}

double LeastNormal(PrimitiveType type) {
  switch (type) {
    case F32:
    case BF16:
    case C64:
      return std::numeric_limits<float>::min();
    case F16:
      return 0x1p-14;
    case F64:
    case C128:
      return std::numeric_limits<double>::min();
    default:
      return 0;
  }
}

std::string NumberText(double x) {
  if (std::isnan(x)) return "nan";
  return x > 0 ? "inf" : "-inf";
}

// What hands on values that are given.
bool OnlyMoves(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kInfeed:
    case HloOpcode::kRecv:
    case HloOpcode::kRecvDone:
      return true;
    default:
      return false;
  }
}

// The origin, if none of the operands has such a number.
absl::StatusOr<std::optional<NonFiniteOrigin>> OriginOf(const Observation& observation,
                                                        NonFiniteKind kind) {
  XLA_ASSIGN_OR_RETURN(std::optional<NonFinite> found, FindNonFinite(observation.result, kind));
  if (!found.has_value()) return std::nullopt;
  XLA_ASSIGN_OR_RETURN(std::vector<Literal> operands, observation.operands());
  for (const Literal& operand : operands) {
    XLA_ASSIGN_OR_RETURN(const auto before, FindNonFinite(operand, kind));
    if (before.has_value()) return std::nullopt;
  }
  const HloInstruction& instruction = observation.instruction;
  NonFiniteOrigin origin;
  origin.instruction = instruction.name();
  origin.computation = instruction.parent()->name();
  origin.text = instruction.ToShortString();
  const InstructionMetadata& metadata = instruction.metadata();
  origin.op_name = metadata.op_name();
  if (!metadata.source_file().empty())
    origin.source = absl::StrCat(metadata.source_file(), ":", metadata.source_line());
  origin.device = observation.device;
  origin.element = *std::move(found);
  origin.operands = std::move(operands);
  return origin;
}

}  // namespace

absl::StatusOr<std::optional<NonFinite>> FindNonFinite(const LiteralSlice& value,
                                                       NonFiniteKind kind) {
  for (const auto& leaf : ShapeUtil::GetLeafShapes(value.shape())) {
    if (!leaf.shape.IsArray() || !MayBeNonFinite(leaf.shape.element_type())) continue;
    const LiteralSlice array(value, leaf.index);
    const int64_t numbers = primitive_util::IsComplexType(leaf.shape.element_type()) ? 2 : 1;
    int64_t position = 0;
    std::optional<double> found;
    XLA_RETURN_IF_ERROR(ForEachNumber(array, [&](double x) {
      if (kind == NonFiniteKind::kNan ? std::isnan(x) : std::isinf(x)) found = x;
      position += found.has_value() ? 0 : 1;
      return !found.has_value();
    }));
    if (!found.has_value()) continue;
    NonFinite where;
    where.leaf = leaf.index;
    where.value = NumberText(*found);
    int64_t rest = position / numbers;
    const auto dimensions = leaf.shape.dimensions();
    where.index.assign(dimensions.size(), 0);
    for (size_t d = dimensions.size(); d-- > 0;) {
      where.index[d] = rest % dimensions[d];
      rest /= dimensions[d];
    }
    return where;
  }
  return std::nullopt;
}

absl::Status ValueStatistics::Add(const LiteralSlice& value) {
  ++evaluations;
  for (const auto& leaf : ShapeUtil::GetLeafShapes(value.shape())) {
    if (!leaf.shape.IsArray()) continue;
    const double least_normal = LeastNormal(leaf.shape.element_type());
    XLA_RETURN_IF_ERROR(ForEachNumber(LiteralSlice(value, leaf.index), [&](double x) {
      ++elements;
      if (std::isnan(x)) {
        ++nans;
      } else if (std::isinf(x)) {
        ++infinities;
      } else {
        const int64_t finite = elements - nans - infinities;
        zeros += x == 0 ? 1 : 0;
        subnormals += x != 0 && std::abs(x) < least_normal ? 1 : 0;
        least = finite == 1 ? x : std::min(least, x);
        most = finite == 1 ? x : std::max(most, x);
        mean += (x - mean) / static_cast<double>(finite);
      }
      return true;
    }));
  }
  return absl::OkStatus();
}

std::function<absl::Status(const Observation&)> NonFiniteSearch::Observer() {
  return [this](const Observation& observation) { return Observe(observation); };
}

absl::Status NonFiniteSearch::Observe(const Observation& observation) {
  const HloInstruction& instruction = observation.instruction;
  if (OnlyMoves(instruction.opcode()) || IsAppliedToElements(*instruction.parent()))
    return absl::OkStatus();
  int64_t evaluation = 0;
  bool wants_infinity = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    evaluation = ++evaluations_[absl::StrCat(instruction.name(), "/", observation.device)];
    wants_infinity = !infinity_.has_value();
  }
  std::optional<NonFiniteOrigin> infinity;
  if (wants_infinity) {
    XLA_ASSIGN_OR_RETURN(infinity, OriginOf(observation, NonFiniteKind::kInfinity));
  }
  XLA_ASSIGN_OR_RETURN(std::optional<NonFiniteOrigin> nan,
                       OriginOf(observation, NonFiniteKind::kNan));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (infinity.has_value() && !infinity_.has_value()) {
    infinity->evaluation = evaluation;
    infinity_ = std::move(infinity);
    if (stops_at_infinity_) return absl::AbortedError("the result is infinite");
  }
  if (!nan.has_value()) return absl::OkStatus();
  if (!nan_.has_value()) {
    nan->evaluation = evaluation;
    nan_ = std::move(nan);
  }
  return absl::AbortedError("the result is not a number");
}

std::function<absl::Status(const Observation&)> ValueRecorder::Observer(bool with_statistics) {
  return [this, with_statistics](const Observation& observation) -> absl::Status {
    const HloInstruction& instruction = observation.instruction;
    if (IsAppliedToElements(*instruction.parent())) return absl::OkStatus();
    const bool is_selected = is_selected_ != nullptr && is_selected_(instruction.name());
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64_t evaluation = evaluations_[{instruction.name(), observation.device}]++;
    if (is_selected) {
      values_.push_back(
          {instruction.name(), observation.device, evaluation, observation.result.Clone()});
    }
    if (!with_statistics) return absl::OkStatus();
    const auto [row, is_new] = row_of_.try_emplace(instruction.name(), rows_.size());
    if (is_new) rows_.push_back({instruction.name(), instruction.ToShortString(), {}});
    return rows_[row->second].statistics.Add(observation.result);
  };
}

std::vector<std::pair<std::string, Literal>> ValueRecorder::TakeValues() {
  bool has_devices = false;
  for (const Recorded& recorded : values_) has_devices |= recorded.device > 0;
  std::vector<std::pair<std::string, Literal>> values;
  for (Recorded& recorded : values_) {
    std::string name = has_devices ? absl::StrCat("device", recorded.device, "/") : "";
    absl::StrAppend(&name, recorded.name);
    if (evaluations_[{recorded.name, recorded.device}] > 1)
      absl::StrAppend(&name, "@", recorded.evaluation);
    for (const auto& leaf : ShapeUtil::GetLeafShapes(recorded.value.shape())) {
      if (!leaf.shape.IsArray()) continue;
      std::string leaf_name = name;
      for (const int64_t i : leaf.index) absl::StrAppend(&leaf_name, ".", i);
      values.emplace_back(std::move(leaf_name), LiteralSlice(recorded.value, leaf.index).Clone());
    }
  }
  values_.clear();
  return values;
}

std::vector<ValueRecorder::Row> ValueRecorder::TakeStatistics() { return std::move(rows_); }

}  // namespace xla
