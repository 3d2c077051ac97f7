// SPDX-License-Identifier: Apache-2.0
// collective-permute: sends arrays, or slices of arrays, from source to target devices.
//
// Plain form: a target gets the operands of its source; a device that is not a target gets zeros.
// In place, collective-permute(input, output, input offsets, output offsets) with slice_sizes: the
// k-th pair in which a device is the source sends its k-th slice of the input, the k-th pair in
// which it is the target is written to the k-th slice of the output; the rest is unchanged.
// Input and output may be tuples of arrays; offsets are then tuples with an element for each, and
// slice_sizes lists the slices of the first array, then those of the second, ..
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/async.h"
#include "xla/interpreter/collective.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

absl::StatusOr<Values> ZerosOf(EvalContext& ctx, const Shape& shape, size_t count) {
  Values zeros;
  for (size_t i = 0; i < count; ++i) {
    XLA_ASSIGN_OR_RETURN(
        Value zero,
        ctx.AllocateZeros(shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(i)) : shape));
    zeros.push_back(std::move(zero));
  }
  return zeros;
}

// --- In place

// The arrays of a buffer operand: the elements of a tuple, or the array itself.
std::vector<const Value*> Arrays(const Value& buffers) {
  if (!buffers.IsTuple()) return {&buffers};
  std::vector<const Value*> arrays;
  for (const Value& element : buffers.elements()) arrays.push_back(&element);
  return arrays;
}

using Starts = std::vector<DimensionVector>;

// Appends the slices' first indices in one array: a tuple of scalars, or a tuple of such tuples.
absl::Status AppendStarts(const Value& offsets, std::vector<Starts>& starts) {
  const bool is_nested = !offsets.elements().empty() && offsets.element(0).IsTuple();
  starts.emplace_back();
  for (size_t i = 0; i < (is_nested ? offsets.elements().size() : 1); ++i) {
    const Value& tuple = is_nested ? offsets.element(static_cast<int64_t>(i)) : offsets;
    DimensionVector start;
    for (const Value& index : tuple.elements()) {
      if (!index.IsArray() || !primitive_util::IsIntegralType(index.element_type()) ||
          index.element_count() != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("an offset is ", index.shape().ToString(), ", not an integer scalar"));
      }
      start.push_back(index.IntegerAt(0));
    }
    starts.back().push_back(std::move(start));
  }
  return absl::OkStatus();
}

// The start indices of the slices of each array of a buffer operand.
absl::StatusOr<std::vector<Starts>> StartsOf(const Value& buffers, const Value& offsets) {
  std::vector<Starts> starts;
  if (!buffers.IsTuple()) {
    XLA_RETURN_IF_ERROR(AppendStarts(offsets, starts));
    return starts;
  }
  for (const Value& element : offsets.elements())
    XLA_RETURN_IF_ERROR(AppendStarts(element, starts));
  return starts;
}

absl::Status CheckSlice(const Value& array, const DimensionVector& start,
                        absl::Span<const int64_t> size, int64_t device) {
  bool fits = static_cast<int64_t>(size.size()) == array.rank() && start.size() == size.size();
  for (size_t d = 0; fits && d < size.size(); ++d) {
    const int64_t limit = array.dimensions()[d];
    fits = size[d] >= 0 && start[d] >= 0 && start[d] <= limit && size[d] <= limit - start[d];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the slice of sizes {", absl::StrJoin(size, ","), "} at {", absl::StrJoin(start, ","),
      "} does not lie in ", array.shape().ToString(), " of device ", device));
}

int64_t OffsetOf(const DimensionVector& start, const DimensionVector& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += start[d] * strides[d];
  return offset;
}

// One exchange of slices. Owns the output arrays, which it updates.
class InPlacePermute {
 public:
  InPlacePermute(EvalContext& ctx, const HloInstruction& inst, const DeviceGroup& group,
                 absl::Span<const Values* const> inputs)
      : ctx_(ctx),
        sizes_(inst.attributes<CollectivePermuteAttributes>().slice_sizes),
        group_(group),
        inputs_(inputs) {}

  absl::StatusOr<std::vector<Values>> Run() {
    for (const Values* input : inputs_) {
      Values arrays;
      for (const Value* array : Arrays((*input)[1])) {
        XLA_ASSIGN_OR_RETURN(Value copy, ctx_.MakeMutable(array->shape(), Value(*array)));
        arrays.push_back(std::move(copy));
      }
      outputs_.push_back(std::move(arrays));
    }
    std::map<int64_t, size_t> sent, received;
    for (const auto& [source, target] : group_.pairs)
      XLA_RETURN_IF_ERROR(Copy(source, sent[source]++, target, received[target]++));
    return std::move(outputs_);
  }

 private:
  size_t RankOf(int64_t device) const {
    return static_cast<size_t>(
        std::lower_bound(group_.devices.begin(), group_.devices.end(), device) -
        group_.devices.begin());
  }

  // Slice `out_slice` of each input array of `source` to slice `in_slice` of `target`'s outputs.
  absl::Status Copy(int64_t source, size_t out_slice, int64_t target, size_t in_slice) {
    const Values& from = *inputs_[RankOf(source)];
    const Values& to = *inputs_[RankOf(target)];
    const std::vector<const Value*> arrays = Arrays(from[0]);
    XLA_ASSIGN_OR_RETURN(const std::vector<Starts> from_starts, StartsOf(from[0], from[2]));
    XLA_ASSIGN_OR_RETURN(const std::vector<Starts> to_starts, StartsOf(to[1], to[3]));
    size_t first_size = 0;  // of this array in slice_sizes
    for (size_t a = 0; a < arrays.size(); ++a) {
      const size_t slices = from_starts[a].size();
      if (out_slice >= slices || in_slice >= to_starts[a].size() ||
          first_size + slices > sizes_.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the pair {", source, ",", target, "} needs more slices than there are: ", slices,
            " sent, ", to_starts[a].size(), " received, ", sizes_.size(), " slice_sizes"));
      }
      const absl::Span<const int64_t> size = sizes_[first_size + out_slice];
      first_size += slices;
      const Value& src = *arrays[a];
      Value& dst = outputs_[RankOf(target)][a];
      XLA_RETURN_IF_ERROR(CheckSlice(src, from_starts[a][out_slice], size, source));
      XLA_RETURN_IF_ERROR(CheckSlice(dst, to_starts[a][in_slice], size, target));
      if (src.element_type() != dst.element_type()) {
        return absl::InvalidArgumentError(absl::StrCat("input ", src.shape().ToString(),
                                                       " and output ", dst.shape().ToString(),
                                                       " hold different types"));
      }
      if (std::find(size.begin(), size.end(), 0) != size.end()) continue;
      const int64_t bytes = primitive_util::ByteWidth(src.element_type());
      const DimensionVector src_strides = RowMajorStrides(src.dimensions());
      const DimensionVector dst_strides = RowMajorStrides(dst.dimensions());
      XLA_RETURN_IF_ERROR(StridedCopy(
          ctx_, bytes, size,
          src.data<char>() + OffsetOf(from_starts[a][out_slice], src_strides) * bytes, src_strides,
          static_cast<char*>(dst.mutable_untyped_data()) +
              OffsetOf(to_starts[a][in_slice], dst_strides) * bytes,
          dst_strides));
    }
    return absl::OkStatus();
  }

  EvalContext& ctx_;
  const std::vector<Int64s>& sizes_;
  const DeviceGroup& group_;
  const absl::Span<const Values* const> inputs_;
  std::vector<Values> outputs_;
};

// The output arrays of this device; `shape` is their shape.
absl::StatusOr<Values> Permute(EvalContext& ctx, const HloInstruction& inst, const Shape& shape,
                               absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(const DeviceGroup* const group, GroupOf(ctx, inst));
  if (!inst.attributes<CollectivePermuteAttributes>().slice_sizes.empty()) {
    if (group->empty()) {
      if (operands[1].IsTuple()) return std::move(operands[1]).TakeElements();
      return Values{std::move(operands[1])};
    }
    return Exchange(ctx, inst, *group, operands, [&](absl::Span<const Values* const> inputs) {
      return InPlacePermute(ctx, inst, *group, inputs).Run();
    });
  }
  if (group->empty()) return ZerosOf(ctx, shape, operands.size());
  return Exchange(
      ctx, inst, *group, operands,
      [&](absl::Span<const Values* const> inputs) -> absl::StatusOr<std::vector<Values>> {
        std::vector<Values> received(inputs.size());
        const auto rank_of = [&](int64_t device) {
          return static_cast<size_t>(
              std::lower_bound(group->devices.begin(), group->devices.end(), device) -
              group->devices.begin());
        };
        for (const auto& [source, target] : group->pairs) {
          Values& to = received[rank_of(target)];
          if (!to.empty()) {
            return absl::InvalidArgumentError(
                absl::StrCat("device ", target, " is the target of two pairs"));
          }
          to = *inputs[rank_of(source)];
        }
        for (Values& values : received) {
          if (!values.empty()) continue;
          XLA_ASSIGN_OR_RETURN(values, ZerosOf(ctx, shape, inputs[0]->size()));
        }
        return received;
      });
}

}  // namespace

absl::StatusOr<Value> EvalCollectivePermute(EvalContext& ctx, const HloInstruction& inst,
                                            absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Values results, Permute(ctx, inst, inst.shape(), operands));
  return WithResultShape(inst.shape(), std::move(results));
}

// (operands, results, contexts...)
absl::StatusOr<Value> EvalCollectivePermuteStart(EvalContext& ctx, const HloInstruction& inst,
                                                 absl::Span<Value> operands) {
  const Shape& before = inst.shape().tuple_shapes(0);
  const Shape& after = inst.shape().tuple_shapes(1);
  const bool in_place = !inst.attributes<CollectivePermuteAttributes>().slice_sizes.empty();
  Values elements;
  if (in_place) {
    elements.push_back(operands[0].WithShape(before));
  } else {
    elements.push_back(WithResultShape(before, Values(operands.begin(), operands.end())));
  }
  XLA_ASSIGN_OR_RETURN(Values results, Permute(ctx, inst, after, operands));
  elements.push_back(WithResultShape(after, std::move(results)));
  return StartResult(ctx, inst.shape(), std::move(elements));
}

}  // namespace xla::interpreter
