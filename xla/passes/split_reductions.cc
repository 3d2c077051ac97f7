// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/split_reductions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "xla/literal_util.h"
#include "xla/passes/prefix_scan.h"
#include "xla/passes/rewriter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Dimensions = std::vector<int64_t>;

// Columns are divided into this many parts if there are too few of them to share among threads.
constexpr int64_t kColumnParts = 16, kManyColumns = 1024, kVeryLongColumn = 32768;
// Shorter reductions, and those of fewer elements in total, are not split.
constexpr int64_t kLongColumn = 512, kLargeArray = 32768;
// The limit for reductions of rows and outer dimensions, but not of those between: unless they are
// split, they are read element by element.
constexpr int64_t kLargeArrayOfRows = 2048;
// Rows of at most this length, at least this many of which are added up, are first added element by
// element: vectors then hold neighbors.
constexpr int64_t kShortRow = 512, kManyRows = 8;
// Rows are divided if there are fewer of them, so that there are about twice as many parts.
constexpr int64_t kFewRows = 32, kShortestRowPart = 1024;

// Returns x such that operation(x, y) = y for every y of the type, bit for bit.
std::optional<Literal> IdentityOf(HloOpcode operation, PrimitiveType type) {
  // The narrowest floating-point types may lack zeros or signs.
  if (primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 16)
    return std::nullopt;
  switch (operation) {
    case HloOpcode::kAdd:
      if (!primitive_util::IsFloatingPointType(type)) return LiteralUtil::Zero(type);
      return LiteralUtil::CreateScalar(type, -0.0).value();
    case HloOpcode::kMultiply:
      return LiteralUtil::One(type);
    case HloOpcode::kMaximum:
      return LiteralUtil::MinValue(type);
    case HloOpcode::kMinimum:
      return LiteralUtil::MaxValue(type);
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return LiteralUtil::Zero(type);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Literal> IdentityOfReducer(const HloComputation& reducer) {
  const std::optional<HloOpcode> operation = OperationOfReducer(reducer);
  const Shape& shape = reducer.root_instruction()->shape();
  if (!operation.has_value() || !shape.IsArray() ||
      primitive_util::IsComplexType(shape.element_type())) {
    return std::nullopt;
  }
  return IdentityOf(*operation, shape.element_type());
}

namespace {

int64_t LargestDivisor(int64_t size, int64_t limit) {
  for (int64_t divisor = std::min(size, limit); divisor > 1; --divisor) {
    if (size % divisor == 0) return divisor;
  }
  return 1;
}

// The operand's shape with one reduced dimension divided in two, and the dimensions that each step
// reduces, those of the second in the result of the first.
struct Split {
  Dimensions sizes, first, second;
};

// Leaves the last dimensions to the second step, if all of them and outer ones are reduced, but not
// those between.
std::optional<Split> SplitOffShortRows(const Shape& operand, const std::vector<bool>& is_reduced) {
  Split split;
  int64_t row = 1, rows = 1, left = 0;
  const auto rank = static_cast<int64_t>(is_reduced.size());
  int64_t first_of_row = rank;
  while (first_of_row > 0 && is_reduced[static_cast<size_t>(first_of_row) - 1]) --first_of_row;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = operand.dimensions(static_cast<int>(d));
    split.sizes.push_back(size);
    if (d >= first_of_row) {
      row *= size;
      split.second.push_back(left++);
    } else if (is_reduced[static_cast<size_t>(d)]) {
      rows *= size;
      split.first.push_back(d);
    } else {
      ++left;
    }
  }
  if (row > kShortRow || rows < kManyRows) return std::nullopt;
  return split;
}

// Like SplitOffShortRows for longer rows: each is added up first.
Split SplitOffLongRows(const Shape& operand, const std::vector<bool>& is_reduced) {
  Split split;
  const auto rank = static_cast<int64_t>(is_reduced.size());
  int64_t first_of_row = rank;
  while (is_reduced[static_cast<size_t>(first_of_row) - 1]) --first_of_row;
  for (int64_t d = 0; d < rank; ++d) {
    split.sizes.push_back(operand.dimensions(static_cast<int>(d)));
    if (d >= first_of_row) {
      split.first.push_back(d);
    } else if (is_reduced[static_cast<size_t>(d)]) {
      split.second.push_back(d);
    }
  }
  return split;
}

std::optional<Split> SplitOf(const Shape& operand, absl::Span<const int64_t> reduced) {
  const int64_t rank = operand.rank();
  std::vector<bool> is_reduced(static_cast<size_t>(rank));
  int64_t length = 1, results = 1, row = 1;
  for (const int64_t d : reduced) is_reduced[static_cast<size_t>(d)] = true;
  bool in_rows = true;  // reduced dimensions are the last ones
  for (int64_t d = 0; d < rank; ++d) {
    const bool reduces = is_reduced[static_cast<size_t>(d)];
    (reduces ? length : results) *= operand.dimensions(static_cast<int>(d));
    if (d > 0 && !reduces && is_reduced[static_cast<size_t>(d) - 1]) in_rows = false;
  }
  const bool has_rows_apart = !in_rows && is_reduced.back();
  if (length * results < (has_rows_apart ? kLargeArrayOfRows : kLargeArray)) return std::nullopt;
  for (int64_t d = rank - 1; d >= 0 && is_reduced[static_cast<size_t>(d)]; --d)
    row *= operand.dimensions(static_cast<int>(d));
  if (!in_rows && row > kShortRow) return SplitOffLongRows(operand, is_reduced);
  if (has_rows_apart) {
    if (std::optional<Split> split = SplitOffShortRows(operand, is_reduced)) return split;
    if (length * results < kLargeArray) return std::nullopt;
  }
  const bool stays =
      in_rows ? results >= kFewRows
              : length < kLongColumn || (results >= kManyColumns && length < kVeryLongColumn);
  if (stays) return std::nullopt;
  const int64_t limit = in_rows ? std::max(kShortestRowPart, length * results / (2 * kFewRows))
                                : length / kColumnParts;

  // The innermost reduced dimensions go to the first step, up to the limit.
  int64_t part = 1, divided = rank, inner = 1;
  std::vector<bool> is_first(static_cast<size_t>(rank));
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (!is_reduced[static_cast<size_t>(d)]) continue;
    const int64_t size = operand.dimensions(static_cast<int>(d));
    if (part * size > limit) {
      divided = d;
      inner = LargestDivisor(size, limit / part);
      break;
    }
    part *= size;
    is_first[static_cast<size_t>(d)] = true;
  }
  part *= inner;
  if (part < 8 || part == length) return std::nullopt;

  Split split;
  int64_t left = 0;  // dimensions that the first step keeps
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = operand.dimensions(static_cast<int>(d));
    const auto position = static_cast<int64_t>(split.sizes.size());
    if (d == divided && inner > 1) {
      split.sizes.insert(split.sizes.end(), {size / inner, inner});
      split.first.push_back(position + 1);
      split.second.push_back(left++);
      continue;
    }
    split.sizes.push_back(size);
    if (is_first[static_cast<size_t>(d)]) {
      split.first.push_back(position);
      continue;
    }
    if (is_reduced[static_cast<size_t>(d)]) split.second.push_back(left);
    ++left;
  }
  return split;
}

absl::StatusOr<HloInstruction*> SplitReduction(HloInstruction* reduce, Rewriter& rewriter) {
  const Shape& shape = reduce->operand(0)->shape();
  if (reduce->operand_count() != 2 || !shape.is_static()) return nullptr;
  std::optional<Literal> identity = IdentityOfReducer(*reduce->to_apply());
  if (!identity.has_value()) return nullptr;
  const std::optional<Split> split = SplitOf(shape, reduce->dimensions());
  if (!split.has_value()) return nullptr;

  HloInstruction* operand = reduce->operand(0);
  const PrimitiveType type = shape.element_type();
  if (split->sizes.size() != static_cast<size_t>(shape.rank())) {
    operand =
        rewriter.Create(HloOpcode::kReshape, ShapeUtil::MakeShape(type, split->sizes), {operand});
  }
  Dimensions left;
  for (size_t d = 0; d < split->sizes.size(); ++d) {
    const bool is_first = std::count(split->first.begin(), split->first.end(), d) != 0;
    if (!is_first) left.push_back(split->sizes[d]);
  }
  HloComputation* reducer = reduce->to_apply();
  HloInstruction* parts = rewriter.Create(
      HloOpcode::kReduce, ShapeUtil::MakeShape(reduce->shape().element_type(), left),
      {operand, rewriter.Constant(*std::move(identity))},
      DimensionListAttributes{.dimensions = {split->first.begin(), split->first.end()}},
      {&reducer, 1});
  return rewriter.Create(
      HloOpcode::kReduce, reduce->shape(), {parts, reduce->operand(1)},
      DimensionListAttributes{.dimensions = {split->second.begin(), split->second.end()}},
      {&reducer, 1});
}

constexpr RewriteRule kSplitRules[] = {{"split-reduction", HloOpcode::kReduce, &SplitReduction}};

}  // namespace

absl::StatusOr<bool> SplitReductions(HloModule* module) {
  return RewriteToFixedPoint(module, kSplitRules);
}

}  // namespace xla
