// SPDX-License-Identifier: Apache-2.0
// dynamic-slice, dynamic-update-slice, gather and scatter.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/combiner.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// An index of any integral type as a signed one; unsigned ones beyond its range become the
// greatest.
int64_t IndexAt(const Value& indices, int64_t position) {
  const int64_t value = indices.IntegerAt(position);
  if (indices.element_type() == U64 && value < 0) return std::numeric_limits<int64_t>::max();
  return value;
}

// --- dynamic-slice, dynamic-update-slice

// Start indices of a box inside `outer`, clamped so that the box stays inside. They come as one
// scalar a dimension, or (in older programs) as one array.
DimensionVector ClampedStarts(absl::Span<const Value> indices, absl::Span<const int64_t> outer,
                              absl::Span<const int64_t> box) {
  DimensionVector starts;
  const bool is_array = indices.size() == 1 && indices[0].rank() == 1;
  for (size_t d = 0; d < outer.size(); ++d) {
    const int64_t start = is_array ? IndexAt(indices[0], d) : IndexAt(indices[d], 0);
    starts.push_back(std::clamp<int64_t>(start, 0, outer[d] - box[d]));
  }
  return starts;
}

int64_t Dot(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// --- gather, scatter: a matrix of start indices

// The array of start indices as `count` vectors, in row-major order of the other dimensions.
class StartIndices {
 public:
  StartIndices(const Value& indices, int64_t index_vector_dim) : indices_(indices) {
    const DimensionVector strides = RowMajorStrides(indices.dimensions());
    for (int64_t d = 0; d < indices.rank(); ++d) {
      if (d == index_vector_dim) {
        length_ = indices.dimensions()[d];
        stride_ = strides[d];
      } else {
        sizes_.push_back(indices.dimensions()[d]);
        existing_.push_back(indices.dynamic_size(d));
        strides_.push_back(strides[d]);
        count_ *= indices.dimensions()[d];
      }
    }
  }

  int64_t count() const { return count_; }
  // Components of a vector; one if the array is of scalars.
  int64_t length() const { return length_; }
  // Sizes of the batch dimensions that exist, and whether a vector is among them.
  absl::Span<const int64_t> existing_sizes() const { return existing_; }
  bool Exists(const DimensionVector& batch_index) const {
    for (size_t d = 0; d < existing_.size(); ++d) {
      if (batch_index[d] >= existing_[d]) return false;
    }
    return true;
  }

  // The multi-index of a vector in the batch dimensions.
  void Unflatten(int64_t number, DimensionVector& index) const {
    index.resize(sizes_.size());
    for (int64_t d = static_cast<int64_t>(sizes_.size()) - 1; d >= 0; --d) {
      index[d] = number % sizes_[d];
      number /= sizes_[d];
    }
  }
  int64_t At(const DimensionVector& batch_index, int64_t component) const {
    return IndexAt(indices_, Dot(batch_index, strides_) + component * stride_);
  }

 private:
  const Value& indices_;
  DimensionVector sizes_, existing_, strides_;
  int64_t count_ = 1, length_ = 1, stride_ = 0;
};

// Batch dimensions of the start indices that are tied to dimensions of the operand, as positions
// among the batch dimensions.
DimensionVector BatchPositions(absl::Span<const int64_t> indices_batching_dims,
                               int64_t index_vector_dim) {
  DimensionVector positions;
  for (const int64_t d : indices_batching_dims)
    positions.push_back(d < index_vector_dim ? d : d - 1);
  return positions;
}

// A window inside an operand, and the same elements in slices or updates.
struct WindowPlan {
  DimensionVector sizes, operand_strides,
      other_strides;  // dimensions of more than one element, merged where they can be

  void Append(int64_t size, int64_t operand_stride, int64_t other_stride) {
    if (size == 1) return;
    if (!sizes.empty() && operand_strides.back() == size * operand_stride &&
        other_strides.back() == size * other_stride) {
      sizes.back() *= size;
      operand_strides.back() = operand_stride;
      other_strides.back() = other_stride;
      return;
    }
    sizes.push_back(size);
    operand_strides.push_back(operand_stride);
    other_strides.push_back(other_stride);
  }

  int64_t count() const {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    return count;
  }
  // Length and strides of the innermost runs.
  int64_t run() const { return sizes.empty() ? 1 : sizes.back(); }
  int64_t operand_run_stride() const { return sizes.empty() ? 1 : operand_strides.back(); }
  int64_t other_run_stride() const { return sizes.empty() ? 1 : other_strides.back(); }

  // Calls f(operand offset, other offset) for every run.
  template <typename F>
  void ForEachRun(F&& f) const {
    const int64_t outer = static_cast<int64_t>(sizes.size()) - 1;
    if (outer <= 0) return f(0, 0);
    DimensionVector index(outer, 0);
    int64_t operand = 0, other = 0;
    while (true) {
      f(operand, other);
      int64_t d = outer - 1;
      for (; d >= 0; --d) {
        operand += operand_strides[d];
        other += other_strides[d];
        if (++index[d] < sizes[d]) break;
        operand -= sizes[d] * operand_strides[d];
        other -= sizes[d] * other_strides[d];
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }
};

absl::Status Scatter(EvalContext& ctx, const ScatterAttributes& attributes,
                     const ScalarFunction& function, const Value& indices,
                     absl::Span<const Value> updates, std::vector<Value>& results) {
  const absl::Span<const int64_t> operand_dims = results[0].dimensions();
  const int64_t rank = results[0].rank();
  const DimensionVector operand_strides = RowMajorStrides(operand_dims);
  const DimensionVector update_strides = RowMajorStrides(updates[0].dimensions());
  const StartIndices starts(indices, attributes.index_vector_dim);

  // Window dimensions of the updates go, in order, to the operand's dimensions that are neither
  // inserted nor batching.
  WindowPlan window;
  DimensionVector window_sizes(rank, 1), scatter_strides;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (Contains(attributes.inserted_window_dims, d) || Contains(attributes.input_batching_dims, d))
      continue;
    const int64_t update_dim = attributes.update_window_dims[next++];
    window_sizes[d] = updates[0].dynamic_size(update_dim);
    window.Append(window_sizes[d], operand_strides[d], update_strides[update_dim]);
  }
  for (int64_t d = 0; d < updates[0].rank(); ++d) {
    if (!Contains(attributes.update_window_dims, d)) scatter_strides.push_back(update_strides[d]);
  }
  if (window.count() == 0) return absl::OkStatus();
  const DimensionVector batch_positions =
      BatchPositions(attributes.scatter_indices_batching_dims, attributes.index_vector_dim);

  const std::unique_ptr<Combiner> combiner =
      MakeCombiner(function, absl::MakeSpan(results), updates);
  const int64_t count = starts.count();
  const auto& components = attributes.scatter_dims_to_operand_dims;
  const int64_t run = window.run(), operand_stride = window.operand_run_stride();
  const int64_t other_stride = window.other_run_stride();
  DimensionVector batch_index, origin(rank);
  int64_t elements = 0;  // since the last poll
  for (int64_t number = 0; number < count; ++number) {
    if (number % 4096 == 4095) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
    starts.Unflatten(number, batch_index);
    if (!starts.Exists(batch_index)) continue;
    std::fill(origin.begin(), origin.end(), 0);
    for (size_t i = 0; i < components.size(); ++i)
      origin[components[i]] = starts.At(batch_index, i);
    for (size_t i = 0; i < batch_positions.size(); ++i) {
      origin[attributes.input_batching_dims[i]] = batch_index[batch_positions[i]];
    }
    bool inside = true;
    for (int64_t d = 0; d < rank && inside; ++d) {
      inside = origin[d] >= 0 && origin[d] <= operand_dims[d] - window_sizes[d];
    }
    if (!inside) continue;
    const int64_t operand_base = Dot(origin, operand_strides),
                  update_base = Dot(batch_index, scatter_strides);
    absl::Status status;
    window.ForEachRun([&](int64_t operand, int64_t other) {
      if (!status.ok()) return;
      // In parts, which take some milliseconds at most.
      constexpr int64_t kPart = 1 << 16;
      for (int64_t i = 0; i < run && status.ok(); i += kPart) {
        const int64_t part = std::min(kPart, run - i);
        status =
            combiner->Run(ctx, part, operand_base + operand + i * operand_stride, operand_stride,
                          update_base + other + i * other_stride, other_stride);
        if ((elements += part) < kPart || !status.ok()) continue;
        elements = 0;
        status = ctx.CheckCancelled();
      }
    });
    XLA_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

// Existing sizes of a gather's result: of the batch dimensions those of the start indices; of whole
// dimensions those of the operand.
void SetGatheredSizes(const GatherAttributes& attributes, const Value& operand,
                      const Value& indices, const StartIndices& starts, Value& result) {
  if (!operand.has_dynamic_sizes() && !indices.has_dynamic_sizes()) return;
  DimensionVector window;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (Contains(attributes.collapsed_slice_dims, d) ||
        Contains(attributes.operand_batching_dims, d))
      continue;
    const bool is_whole = attributes.slice_sizes[d] == operand.dimensions()[d];
    window.push_back(is_whole ? operand.dynamic_size(d) : attributes.slice_sizes[d]);
  }
  DimensionVector sizes;
  size_t next_window = 0, next_batch = 0;
  for (int64_t d = 0; d < result.rank(); ++d) {
    sizes.push_back(Contains(attributes.offset_dims, d) ? window[next_window++]
                                                        : starts.existing_sizes()[next_batch++]);
  }
  SetExistingSizes(sizes, result);
}

}  // namespace

absl::StatusOr<Value> EvalDynamicSlice(EvalContext& ctx, const HloInstruction& inst,
                                       absl::Span<Value> operands) {
  const Value& operand = operands[0];
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const DimensionVector starts =
      ClampedStarts(operands.subspan(1), operand.dimensions(), result.dimensions());
  const DimensionVector strides = RowMajorStrides(operand.dimensions());
  const int64_t bytes = primitive_util::ByteWidth(operand.element_type());
  if (result.element_count() > 0) {
    XLA_RETURN_IF_ERROR(
        StridedCopy(ctx, bytes, result.dimensions(),
                    static_cast<const char*>(operand.untyped_data()) + Dot(starts, strides) * bytes,
                    strides, result.mutable_untyped_data(), RowMajorStrides(result.dimensions())));
  }
  if (operand.has_dynamic_sizes()) {
    DimensionVector sizes;
    for (size_t d = 0; d < starts.size(); ++d) {
      const int64_t left = operand.dynamic_size(static_cast<int64_t>(d)) - starts[d];
      sizes.push_back(std::clamp<int64_t>(left, 0, result.dimensions()[d]));
    }
    SetExistingSizes(sizes, result);
  }
  return result;
}

absl::StatusOr<Value> EvalDynamicUpdateSlice(EvalContext& ctx, const HloInstruction& inst,
                                             absl::Span<Value> operands) {
  const Value& update = operands[1];
  const DimensionVector starts =
      ClampedStarts(operands.subspan(2), operands[0].dimensions(), update.dimensions());
  XLA_ASSIGN_OR_RETURN(Value result, ctx.MakeMutable(inst.shape(), std::move(operands[0])));
  if (update.element_count() > 0) {
    const DimensionVector strides = RowMajorStrides(result.dimensions());
    const int64_t bytes = primitive_util::ByteWidth(update.element_type());
    XLA_RETURN_IF_ERROR(StridedCopy(
        ctx, bytes, update.existing_dimensions(), update.untyped_data(),
        RowMajorStrides(update.dimensions()),
        static_cast<char*>(result.mutable_untyped_data()) + Dot(starts, strides) * bytes, strides));
  }
  if (update.shape().is_dynamic()) {
    // A dynamic dimension that is replaced as a whole has the size of the update.
    DimensionVector sizes = result.existing_dimensions();
    for (int64_t d = 0; d < result.rank(); ++d) {
      const auto i = static_cast<size_t>(d);
      if (update.shape().is_dynamic_dimension(static_cast<int>(d)) &&
          update.dimensions()[i] == result.dimensions()[i]) {
        sizes[i] = update.dynamic_size(d);
      }
    }
    SetExistingSizes(sizes, result);
  }
  return result;
}

absl::StatusOr<Value> EvalGather(EvalContext& ctx, const HloInstruction& inst,
                                 absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<GatherAttributes>();
  const Value& operand = operands[0];
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const StartIndices starts(operands[1], attributes.index_vector_dim);
  SetGatheredSizes(attributes, operand, operands[1], starts, result);
  if (result.element_count() == 0) return result;
  if (operand.element_count() == 0) {  // slices of no elements: there is nothing to read
    std::memset(result.mutable_untyped_data(), 0,
                result.element_count() * primitive_util::ByteWidth(result.element_type()));
    return result;
  }
  const int64_t rank = operand.rank();
  const DimensionVector operand_strides = RowMajorStrides(operand.dimensions());
  const DimensionVector result_strides = RowMajorStrides(result.dimensions());

  // Offset dimensions of the result come, in order, from the operand's dimensions that are neither
  // collapsed nor batching.
  WindowPlan window;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (Contains(attributes.collapsed_slice_dims, d) ||
        Contains(attributes.operand_batching_dims, d))
      continue;
    const int64_t result_dim = attributes.offset_dims[next++];
    window.Append(attributes.slice_sizes[d], operand_strides[d], result_strides[result_dim]);
  }
  DimensionVector batch_strides;
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (!Contains(attributes.offset_dims, d)) batch_strides.push_back(result_strides[d]);
  }
  const DimensionVector batch_positions =
      BatchPositions(attributes.start_indices_batching_dims, attributes.index_vector_dim);

  const int64_t bytes = primitive_util::ByteWidth(operand.element_type());
  const char* src = static_cast<const char*>(operand.untyped_data());
  char* dst = static_cast<char*>(result.mutable_untyped_data());
  const int64_t run = window.run(), operand_stride = window.operand_run_stride();
  const int64_t other_stride = window.other_run_stride();
  const double cost = 30 + 0.5 * static_cast<double>(window.count() * bytes);
  XLA_RETURN_IF_ERROR(ctx.ParallelFor(
      starts.count(), EvalContext::ChunkFor(starts.count(), cost), [&](int64_t begin, int64_t end) {
        DimensionVector batch_index, origin(rank);
        for (int64_t number = begin; number < end; ++number) {
          starts.Unflatten(number, batch_index);
          std::fill(origin.begin(), origin.end(), 0);
          for (size_t i = 0; i < attributes.start_index_map.size(); ++i) {
            const int64_t d = attributes.start_index_map[i];
            origin[d] = std::clamp<int64_t>(starts.At(batch_index, i), 0,
                                            operand.dimensions()[d] - attributes.slice_sizes[d]);
          }
          for (size_t i = 0; i < batch_positions.size(); ++i) {
            origin[attributes.operand_batching_dims[i]] = batch_index[batch_positions[i]];
          }
          const char* from = src + Dot(origin, operand_strides) * bytes;
          char* to = dst + Dot(batch_index, batch_strides) * bytes;
          window.ForEachRun([&](int64_t operand_offset, int64_t other_offset) {
            const char* run_src = from + operand_offset * bytes;
            char* run_dst = to + other_offset * bytes;
            if (operand_stride == 1 && other_stride == 1) {
              std::memcpy(run_dst, run_src, run * bytes);
            } else {
              StridedCopySerial(bytes, {run}, run_src, {operand_stride}, run_dst, {other_stride});
            }
          });
        }
      }));
  return result;
}

absl::StatusOr<Value> EvalScatter(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<ScatterAttributes>();
  const int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const ScalarFunction* function = ctx.GetScalarFunction(*inst.to_apply());
  if (function == nullptr) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the combiner is not a function of scalars");
  }
  std::vector<Value> results;
  for (int64_t k = 0; k < count; ++k) {
    const PrimitiveType type = operands[k].element_type();
    if (function->input_type(k) != type || function->output_type(k) != type ||
        function->input_type(count + k) != type || operands[count + 1 + k].element_type() != type) {
      return InstructionError(inst, absl::StatusCode::kUnimplemented,
                              "the combiner's types differ from those of operands and updates");
    }
    const Shape& shape = inst.shape().IsTuple() ? inst.shape().tuple_shapes(k) : inst.shape();
    XLA_ASSIGN_OR_RETURN(Value result, ctx.MakeMutable(shape, std::move(operands[k])));
    results.push_back(std::move(result));
  }
  XLA_RETURN_IF_ERROR(
      Scatter(ctx, attributes, *function, operands[count], operands.subspan(count + 1), results));
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter
