// SPDX-License-Identifier: Apache-2.0
// Dynamic sizes of the results of operations.
#include "xla/interpreter/dynamic_sizes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

bool IsDynamic(const Value& value, int64_t dimension) {
  return value.shape().is_dynamic_dimension(static_cast<int>(dimension)) ||
         value.dynamic_size(dimension) != value.dimensions()[static_cast<size_t>(dimension)];
}

// The operand with its dimensions of existing size 1 repeated up to `sizes`.
absl::StatusOr<Value> Stretch(EvalContext& ctx, const Value& operand,
                              absl::Span<const int64_t> sizes) {
  const DimensionVector row_major = RowMajorStrides(operand.dimensions());
  DimensionVector from = row_major;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (operand.dynamic_size(static_cast<int64_t>(d)) == 1) from[d] = 0;
  }
  XLA_ASSIGN_OR_RETURN(Value stretched, ctx.Allocate(operand.shape()));
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, primitive_util::ByteWidth(operand.element_type()), sizes,
                                  operand.untyped_data(), from, stretched.mutable_untyped_data(),
                                  row_major));
  stretched.SetDynamicSizes(sizes);
  return stretched;
}

}  // namespace

void SetExistingSizes(absl::Span<const int64_t> sizes, Value& result) {
  result.ClearDynamicSizes();
  if (!result.shape().is_dynamic()) return;
  DimensionVector kept(result.dimensions().begin(), result.dimensions().end());
  for (size_t i = 0; i < kept.size(); ++i) {
    if (result.shape().is_dynamic_dimension(static_cast<int>(i))) kept[i] = sizes[i];
  }
  result.SetDynamicSizes(kept);
}

bool AnyHasDynamicSizes(absl::Span<const Value> operands) {
  for (const Value& operand : operands) {
    if (operand.has_dynamic_sizes()) return true;
  }
  return false;
}

absl::StatusOr<DimensionVector> JoinExistingSizes(EvalContext& ctx, absl::Span<Value> operands) {
  DimensionVector sizes;
  std::vector<bool> is_known;
  for (const Value& operand : operands) {
    if (operand.rank() == 0) continue;
    if (sizes.empty()) {
      sizes.assign(operand.dimensions().begin(), operand.dimensions().end());
      is_known.resize(sizes.size());
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      const auto dimension = static_cast<int64_t>(d);
      if (!IsDynamic(operand, dimension)) continue;
      const int64_t size = operand.dynamic_size(dimension);
      if (!is_known[d]) {
        sizes[d] = size;
        is_known[d] = true;
      } else {
        const auto [least, greatest] = std::minmax(sizes[d], size);
        sizes[d] = least == 1 ? greatest : least;
      }
    }
  }
  for (Value& operand : operands) {
    bool stretches = false;
    for (int64_t d = 0; d < operand.rank(); ++d)
      stretches |= operand.dynamic_size(d) == 1 && sizes[static_cast<size_t>(d)] > 1;
    if (!stretches) continue;
    XLA_ASSIGN_OR_RETURN(operand, Stretch(ctx, operand, sizes));
  }
  return sizes;
}

std::vector<bool> ExistingElements(const Value& value) {
  std::vector<bool> exists(static_cast<size_t>(value.element_count()), true);
  int64_t stride = 1;
  for (int64_t d = value.rank() - 1; d >= 0; --d) {
    const int64_t bound = value.dimensions()[static_cast<size_t>(d)], size = value.dynamic_size(d);
    if (size != bound) {
      for (size_t i = 0; i < exists.size(); ++i) {
        if (static_cast<int64_t>(i) / stride % bound >= size) exists[i] = false;
      }
    }
    stride *= bound;
  }
  return exists;
}

}  // namespace xla::interpreter
