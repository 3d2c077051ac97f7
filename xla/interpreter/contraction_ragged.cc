// SPDX-License-Identifier: Apache-2.0
// ragged-dot: a dot whose left operand is cut into groups of given sizes along one dimension.
//
//   mode (what the ragged dimension is)   right operand          result
//   free: each group has its own          [.. group .. k .. n]   [batch.., m.., n..]; rows beyond
//         right operand                                          the groups are 0
//   contracting: one product per group     [.. k .. n]            [group, batch.., m.., n..]
//   batch: the groups have no effect      as in dot              as in dot
//
// group_sizes is [groups], or [prefix.., groups] where the prefix is the dimensions of the left
// operand that come before the ragged one: the batch dimensions, then the free (or contracting)
// ones. Source: the specification of chlo.ragged_dot.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/contraction_operands.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/matrix_product.h"
#include "xla/kernels/strided_dims.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

using kernels::MatrixView;
using kernels::ResultView;
using kernels::StridedDims;

int64_t IndexIn(absl::Span<const int64_t> list, int64_t value) {
  const auto it = std::find(list.begin(), list.end(), value);
  return it == list.end() ? -1 : it - list.begin();
}

// A box of an array.
struct Box {
  explicit Box(absl::Span<const int64_t> dimensions)
      : strides(RowMajorStrides(dimensions)),
        starts(dimensions.size(), 0),
        sizes(dimensions.begin(), dimensions.end()) {}

  void Cut(int64_t dimension, int64_t start, int64_t size) {
    starts[dimension] = start;
    sizes[dimension] = size;
  }
  int64_t Offset() const {
    int64_t offset = 0;
    for (size_t d = 0; d < starts.size(); ++d) offset += starts[d] * strides[d];
    return offset;
  }
  StridedDims Select(absl::Span<const int64_t> dimensions) const {
    StridedDims selected;
    for (const int64_t d : dimensions) selected.Append(sizes[d], strides[d]);
    return selected;
  }

  DimensionVector strides, starts, sizes;
};

enum class Mode { kFree, kContracting, kBatch };

struct Plan {
  explicit Plan(const RaggedDotAttributes& a, const Value& lhs, const Value& rhs)
      : attributes(a), ragged(a.lhs_ragged_dims[0]) {
    for (int64_t d = 0; d < lhs.rank(); ++d) {
      if (IndexIn(a.lhs_batch_dims, d) < 0 && IndexIn(a.lhs_contracting_dims, d) < 0)
        lhs_free.push_back(d);
    }
    for (int64_t d = 0; d < rhs.rank(); ++d) {
      if (IndexIn(a.rhs_batch_dims, d) < 0 && IndexIn(a.rhs_contracting_dims, d) < 0 &&
          IndexIn(a.rhs_group_dims, d) < 0) {
        rhs_free.push_back(d);
      }
    }
    const int64_t batch = IndexIn(a.lhs_batch_dims, ragged),
                  contracting = IndexIn(a.lhs_contracting_dims, ragged);
    mode = batch >= 0 ? Mode::kBatch : contracting >= 0 ? Mode::kContracting : Mode::kFree;
    prefix.assign(a.lhs_batch_dims.begin(), a.lhs_batch_dims.end());
    if (mode == Mode::kBatch) {
      prefix.resize(static_cast<size_t>(batch));
      return;
    }
    absl::Span<const int64_t> before =
        mode == Mode::kFree ? absl::MakeConstSpan(lhs_free) : a.lhs_contracting_dims;
    before = before.subspan(0, IndexIn(before, ragged));
    prefix.insert(prefix.end(), before.begin(), before.end());
  }

  const RaggedDotAttributes& attributes;
  int64_t ragged;  // dimension of lhs
  Mode mode;
  DimensionVector lhs_free, rhs_free;  // rhs_free without the group dimension
  DimensionVector prefix;              // dimensions of lhs that group_sizes may start with
};

// Cuts a dimension of lhs and the corresponding dimensions of rhs and the result.
void CutAll(const Plan& plan, int64_t lhs_dim, int64_t start, int64_t size, Box& lhs, Box& rhs,
            Box& result) {
  const RaggedDotAttributes& a = plan.attributes;
  const int64_t groups_first = plan.mode == Mode::kContracting ? 1 : 0;
  lhs.Cut(lhs_dim, start, size);
  if (const int64_t batch = IndexIn(a.lhs_batch_dims, lhs_dim); batch >= 0) {
    rhs.Cut(a.rhs_batch_dims[batch], start, size);
    result.Cut(groups_first + batch, start, size);
  } else if (const int64_t contracting = IndexIn(a.lhs_contracting_dims, lhs_dim);
             contracting >= 0) {
    rhs.Cut(a.rhs_contracting_dims[contracting], start, size);
  } else {
    result.Cut(groups_first + a.lhs_batch_dims.size() + IndexIn(plan.lhs_free, lhs_dim), start,
               size);
  }
}

template <typename Wide>
absl::Status MultiplyBoxes(EvalContext& ctx, const Plan& plan, const Value& lhs, const Box& lhs_box,
                           const Value& rhs, const Box& rhs_box, Value& result,
                           const Box& result_box) {
  const RaggedDotAttributes& a = plan.attributes;
  const auto view = [](const Value& value, const Box& box, absl::Span<const int64_t> batch,
                       absl::Span<const int64_t> lines, absl::Span<const int64_t> k) -> MatrixView {
    const int64_t bytes = primitive_util::ByteWidth(value.element_type());
    return {value.element_type(),
            static_cast<const char*>(value.untyped_data()) + box.Offset() * bytes,
            bytes,
            box.Select(batch),
            box.Select(lines),
            box.Select(k)};
  };
  // The result is [group?, batch.., lhs free.., rhs free..].
  DimensionVector dims[3];
  int64_t next = plan.mode == Mode::kContracting ? 1 : 0;
  const size_t counts[3] = {a.lhs_batch_dims.size(), plan.lhs_free.size(), plan.rhs_free.size()};
  for (int part = 0; part < 3; ++part) {
    for (size_t i = 0; i < counts[part]; ++i) dims[part].push_back(next++);
  }
  const int64_t bytes = primitive_util::ByteWidth(result.element_type());
  const ResultView result_view = {
      result.element_type(),
      static_cast<char*>(result.mutable_untyped_data()) + result_box.Offset() * bytes,
      bytes,
      result_box.Select(dims[0]),
      result_box.Select(dims[1]),
      result_box.Select(dims[2]),
      /*accumulate=*/plan.mode == Mode::kContracting};
  KernelContext kernel_context(ctx);
  return kernels::MultiplyMatrices<Wide>(
      kernel_context, view(lhs, lhs_box, a.lhs_batch_dims, plan.lhs_free, a.lhs_contracting_dims),
      view(rhs, rhs_box, a.rhs_batch_dims, plan.rhs_free, a.rhs_contracting_dims), result_view);
}

// The products of all groups. In contracting mode `result` is of the wide type and holds sums.
template <typename Wide>
absl::Status MultiplyGroups(EvalContext& ctx, const Plan& plan, const Value& lhs, const Value& rhs,
                            const Value& group_sizes, Value& result) {
  std::memset(result.mutable_untyped_data(), 0, result.byte_size());
  const int64_t groups = group_sizes.dimensions().back();
  const bool has_prefix = group_sizes.rank() > 1;
  const int64_t rows = groups == 0 ? 0 : group_sizes.element_count() / groups;
  for (int64_t row = 0; row < rows; ++row) {
    Box lhs_row(lhs.dimensions()), rhs_row(rhs.dimensions()), result_row(result.dimensions());
    if (has_prefix) {
      int64_t rest = row;
      for (int64_t i = plan.prefix.size() - 1; i >= 0; --i) {
        const int64_t size = lhs.dimensions()[plan.prefix[i]];
        CutAll(plan, plan.prefix[i], rest % size, 1, lhs_row, rhs_row, result_row);
        rest /= size;
      }
    }
    int64_t start = 0;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t size = std::clamp<int64_t>(group_sizes.IntegerAt(row * groups + group), 0,
                                               lhs.dimensions()[plan.ragged] - start);
      Box lhs_box = lhs_row, rhs_box = rhs_row, result_box = result_row;
      CutAll(plan, plan.ragged, start, size, lhs_box, rhs_box, result_box);
      if (plan.mode == Mode::kContracting) {
        result_box.Cut(0, group, 1);
      } else if (plan.mode == Mode::kFree) {
        rhs_box.Cut(plan.attributes.rhs_group_dims[0], group, 1);
      }
      XLA_RETURN_IF_ERROR(
          MultiplyBoxes<Wide>(ctx, plan, lhs, lhs_box, rhs, rhs_box, result, result_box));
      start += size;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Value> EvalRaggedDot(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<RaggedDotAttributes>();
  const Plan plan(attributes, operands[0], operands[1]);
  const Value& group_sizes = operands[2];
  if (group_sizes.rank() != 1) {
    bool fits = group_sizes.rank() == static_cast<int64_t>(plan.prefix.size()) + 1;
    for (size_t i = 0; fits && i < plan.prefix.size(); ++i) {
      fits = group_sizes.dimensions()[i] == operands[0].dimensions()[plan.prefix[i]];
    }
    if (!fits) {
      return InstructionError(
          inst, absl::StatusCode::kInvalidArgument,
          absl::StrCat("the group sizes ", group_sizes.shape().ToString(),
                       " are neither one list nor one for each index of the dimensions before the "
                       "ragged dimension ",
                       plan.ragged, " of ", operands[0].shape().ToString()));
    }
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  XLA_ASSIGN_OR_RETURN(const ContractionWide type,
                       ContractionType(operands[0].element_type(), operands[1].element_type(),
                                       result.element_type()));
  XLA_RETURN_IF_ERROR(WithWideType(type, [&](auto sample) -> absl::Status {
    using Wide = decltype(sample);
    constexpr PrimitiveType kWide = primitive_util::NativeToPrimitiveType<Wide>();
    XLA_ASSIGN_OR_RETURN(const Value lhs, PrepareOperand<Wide>(ctx, operands[0]));
    XLA_ASSIGN_OR_RETURN(const Value rhs, PrepareOperand<Wide>(ctx, operands[1]));
    if (plan.mode != Mode::kContracting || result.element_type() == kWide) {
      return MultiplyGroups<Wide>(ctx, plan, lhs, rhs, group_sizes, result);
    }
    XLA_ASSIGN_OR_RETURN(Value sums,
                         ctx.Allocate(ctx.InternShape(Shape(kWide, result.dimensions()))));
    XLA_RETURN_IF_ERROR(MultiplyGroups<Wide>(ctx, plan, lhs, rhs, group_sizes, sums));
    kernels::GetWideStore<Wide>(result.element_type())(sums.data<Wide>(), sums.element_count(),
                                                       result.mutable_untyped_data(), 1);
    return absl::OkStatus();
  }));
  return result;
}

}  // namespace xla::interpreter
