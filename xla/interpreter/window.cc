// SPDX-License-Identifier: Apache-2.0
// reduce-window by any computation, and select-and-scatter. The quick path of reduce-window for one
// associative operation is in window_separable.cc.
//
// An output element is f(..f(init, x0).., xn) over the elements under its window; padding and the
// holes of base dilation are not elements.
#include "xla/interpreter/window.h"

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

WindowGeometry MakeWindowGeometry(const WindowDims& window, const Value& input,
                                  absl::Span<const int64_t> output) {
  const DimensionVector strides = RowMajorStrides(input.dimensions());
  WindowGeometry geometry;
  for (int64_t d = 0; d < input.rank(); ++d) {
    // Without a window, the window is one element.
    const WindowDim dim = window.empty() ? WindowDim() : window[d];
    geometry.push_back({.output_size = output[d],
                        .taps = dim.size,
                        .stride = dim.stride,
                        .padding_low = dim.padding_low,
                        .window_dilation = dim.window_dilation,
                        .base_dilation = dim.base_dilation,
                        .input_size = input.dynamic_size(d),
                        .input_stride = strides[d]});
  }
  return geometry;
}

void CoordinatesAt(const WindowGeometryDim& dim, int64_t output,
                   std::vector<int64_t>& coordinates) {
  coordinates.clear();
  if (dim.input_size == 0 || dim.taps == 0) return;
  const int64_t start = output * dim.stride - dim.padding_low;
  const int64_t last = (dim.input_size - 1) * dim.base_dilation;
  if (start > last) return;
  int64_t reach;
  if (__builtin_sub_overflow(last, start, &reach)) reach = std::numeric_limits<int64_t>::max();
  const int64_t first_tap = start >= 0 ? 0 : (-1 - start) / dim.window_dilation + 1;
  const int64_t end_tap = std::min(dim.taps - 1, reach / dim.window_dilation) + 1;
  if (first_tap >= end_tap) return;
  if (end_tap - first_tap <= dim.input_size) {
    for (int64_t tap = first_tap; tap < end_tap; ++tap) {
      const int64_t at = start + tap * dim.window_dilation;
      if (at % dim.base_dilation == 0) coordinates.push_back(at / dim.base_dilation);
    }
    return;
  }
  for (int64_t i = 0; i < dim.input_size; ++i) {
    int64_t at;
    if (__builtin_sub_overflow(i * dim.base_dilation, start, &at) || at < 0) continue;
    if (at % dim.window_dilation == 0 && at / dim.window_dilation < dim.taps)
      coordinates.push_back(i);
  }
}

namespace {

constexpr int64_t kWindowLanes = 256;
// Taps of kWindowLanes windows between two polls: a few milliseconds.
constexpr int64_t kTapsPerPoll = 1024;

double TapCount(const WindowGeometry& geometry) {
  double count = 1;
  for (const WindowGeometryDim& dim : geometry) count *= static_cast<double>(dim.taps);
  return count;
}

// How many windows are processed together. Windows that are mostly padding or holes are processed
// one by one, over their elements only.
int64_t LanesFor(const WindowGeometry& geometry) {
  double inputs = 1;
  for (const WindowGeometryDim& dim : geometry) inputs *= static_cast<double>(dim.input_size) + 1;
  return TapCount(geometry) > 16 * inputs ? 1 : kWindowLanes;
}

// Iterates over the taps of the windows of up to kWindowLanes output elements. If there is a single
// window, taps on padding are skipped.
class LaneWindows {
 public:
  // Output elements [first, first + lanes) in row-major order.
  LaneWindows(const WindowGeometry& geometry, int64_t first, int64_t lanes)
      : geometry_(geometry), lanes_(lanes) {
    for (size_t d = 0; d < geometry.size(); ++d) {
      if (!geometry[d].IsTrivial()) active_.push_back(d);
    }
    base_.assign(lanes, 0);
    starts_.resize(lanes * active_.size());
    if (lanes == 1) elements_.resize(active_.size());
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t rest = first + lane;
      size_t next = active_.size();
      for (int64_t d = static_cast<int64_t>(geometry.size()) - 1; d >= 0; --d) {
        const WindowGeometryDim& dim = geometry[d];
        const int64_t at = rest % dim.output_size;
        rest /= dim.output_size;
        if (next > 0 && active_[next - 1] == d) {
          starts_[lane * active_.size() + --next] = at * dim.stride - dim.padding_low;
          if (lanes == 1) CoordinatesAt(dim, at, elements_[next]);
        } else {
          base_[lane] += at * dim.input_stride;
        }
      }
    }
    tap_.assign(active_.size(), 0);
    for (size_t i = 0; i < active_.size(); ++i) done_ |= Taps(i) == 0;
  }

  bool done() const { return done_; }

  // The next tap, in row-major order.
  void Advance() {
    for (int64_t i = static_cast<int64_t>(active_.size()) - 1; i >= 0; --i) {
      if (++tap_[i] < Taps(static_cast<size_t>(i))) return;
      tap_[i] = 0;
    }
    done_ = true;
  }

  // Fills lane numbers and input offsets of the lanes that have an element under the present tap;
  // returns how many.
  int64_t ValidLanes(int64_t* lane_numbers, int64_t* offsets) const {
    const size_t n = active_.size();
    if (lanes_ == 1) {
      lane_numbers[0] = 0;
      offsets[0] = base_[0];
      for (size_t i = 0; i < n; ++i) {
        offsets[0] +=
            elements_[i][static_cast<size_t>(tap_[i])] * geometry_[active_[i]].input_stride;
      }
      return 1;
    }
    int64_t count = 0;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      int64_t offset = base_[lane];
      bool valid = true;
      for (size_t i = 0; i < n && valid; ++i) {
        const WindowGeometryDim& dim = geometry_[active_[i]];
        int64_t at = starts_[lane * n + i] + tap_[i] * dim.window_dilation;
        if (dim.base_dilation != 1) {
          valid = at >= 0 && at % dim.base_dilation == 0;
          at /= dim.base_dilation;
        }
        valid &= at >= 0 && at < dim.input_size;
        offset += at * dim.input_stride;
      }
      if (!valid) continue;
      lane_numbers[count] = lane;
      offsets[count++] = offset;
    }
    return count;
  }

 private:
  int64_t Taps(size_t i) const {
    return lanes_ == 1 ? static_cast<int64_t>(elements_[i].size()) : geometry_[active_[i]].taps;
  }

  const WindowGeometry& geometry_;
  const int64_t lanes_;
  absl::InlinedVector<int64_t, 8> active_,
      tap_;  // dimensions whose windows are more than the element itself
  std::vector<int64_t> base_, starts_;
  std::vector<std::vector<int64_t>>
      elements_;  // of a single lane: coordinates, by active dimension
  bool done_ = false;
};

// dst[i] = src[offsets[i]]
void GatherElements(int64_t bytes, int64_t count, const char* src, const int64_t* offsets,
                    char* dst) {
  const auto gather = [&](auto sample) {
    using Bits = decltype(sample);
    const Bits* from = reinterpret_cast<const Bits*>(src);
    Bits* to = reinterpret_cast<Bits*>(dst);
    for (int64_t i = 0; i < count; ++i) to[i] = from[offsets[i]];
  };
  switch (bytes) {
    case 1:
      return gather(uint8_t());
    case 2:
      return gather(uint16_t());
    case 4:
      return gather(uint32_t());
    case 8:
      return gather(uint64_t());
    default:
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(dst + i * bytes, src + offsets[i] * bytes, bytes);
  }
}

// dst[offsets[i]] = src[i]
void ScatterElements(int64_t bytes, int64_t count, const char* src, const int64_t* offsets,
                     char* dst) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(dst + offsets[i] * bytes, src + i * bytes, bytes);
}

// Memory for kWindowLanes elements of any type.
struct alignas(64) LaneBuffer {
  char data[kWindowLanes * 16];
};

// Output elements [first, first + lanes) of a reduce-window.
absl::Status ReduceLanes(EvalContext& ctx, const ScalarFunction& function,
                         absl::Span<const Value> inputs, absl::Span<const Value> inits,
                         const WindowGeometry& geometry, int64_t first, int64_t lanes,
                         absl::Span<Value> results) {
  const size_t n = inputs.size();
  // Of each operand: what is accumulated, its valid lanes, and the elements that join them.
  std::vector<LaneBuffer> acc(n), valid_acc(n), elements(n);
  absl::InlinedVector<int64_t, 4> bytes;
  absl::InlinedVector<const void*, 8> in_all(2 * n), in_valid(2 * n);
  absl::InlinedVector<void*, 4> out_all(n), out_valid(n);
  for (size_t k = 0; k < n; ++k) {
    bytes.push_back(primitive_util::ByteWidth(inputs[k].element_type()));
    StridedCopySerial(bytes[k], {lanes}, inits[k].untyped_data(), {0}, acc[k].data, {1});
    in_all[k] = out_all[k] = acc[k].data;
    in_valid[k] = out_valid[k] = valid_acc[k].data;
    in_all[n + k] = in_valid[n + k] = elements[k].data;
  }
  int64_t numbers[kWindowLanes], offsets[kWindowLanes];
  int64_t taps = 0;
  for (LaneWindows windows(geometry, first, lanes); !windows.done(); windows.Advance()) {
    if (++taps % kTapsPerPoll == 0) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
    const int64_t count = windows.ValidLanes(numbers, offsets);
    if (count == 0) continue;
    for (size_t k = 0; k < n; ++k) {
      GatherElements(bytes[k], count, static_cast<const char*>(inputs[k].untyped_data()), offsets,
                     elements[k].data);
    }
    if (count == lanes) {
      XLA_RETURN_IF_ERROR(function.Apply(ctx, lanes, in_all, absl::MakeSpan(out_all)));
      continue;
    }
    for (size_t k = 0; k < n; ++k)
      GatherElements(bytes[k], count, acc[k].data, numbers, valid_acc[k].data);
    XLA_RETURN_IF_ERROR(function.Apply(ctx, count, in_valid, absl::MakeSpan(out_valid)));
    for (size_t k = 0; k < n; ++k)
      ScatterElements(bytes[k], count, valid_acc[k].data, numbers, acc[k].data);
  }
  for (size_t k = 0; k < n; ++k) {
    std::memcpy(static_cast<char*>(results[k].mutable_untyped_data()) + first * bytes[k],
                acc[k].data, lanes * bytes[k]);
  }
  return absl::OkStatus();
}

// The order of operations matters for sums and products of floats: short windows are combined in
// the order of the elements, with rounding to their type in every step.
bool IsSeparable(HloOpcode opcode, PrimitiveType type, const WindowGeometry& geometry) {
  constexpr double kShortWindow = 64;
  const bool rounds =
      primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
  const bool depends_on_order =
      rounds && (opcode == HloOpcode::kAdd || opcode == HloOpcode::kMultiply);
  return !depends_on_order || TapCount(geometry) > kShortWindow;
}

absl::Status ReduceWindowGeneral(EvalContext& ctx, const ScalarFunction& function,
                                 absl::Span<const Value> inputs, absl::Span<const Value> inits,
                                 const WindowGeometry& geometry, absl::Span<Value> results) {
  const int64_t outputs = results[0].element_count(), lanes = LanesFor(geometry);
  const int64_t tiles = CeilOfRatio(outputs, lanes);
  constexpr double kCostPerTap = 15;
  const double cost = kCostPerTap * static_cast<double>(lanes) * (TapCount(geometry) + 4);
  return ctx.ParallelForStatus(
      tiles, EvalContext::ChunkFor(tiles, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        for (int64_t tile = begin; tile < end; ++tile) {
          const int64_t first = tile * lanes;
          XLA_RETURN_IF_ERROR(ReduceLanes(worker, function, inputs, inits, geometry, first,
                                          std::min(lanes, outputs - first), results));
        }
        return absl::OkStatus();
      });
}

// Offsets of the elements selected in windows [first, first + lanes); -1 where there is none.
// select(a, b) keeps a, which comes before b in row-major order.
absl::Status SelectLanes(EvalContext& ctx, const ScalarFunction& select, const Value& operand,
                         const WindowGeometry& geometry, int64_t first, int64_t lanes,
                         int64_t* selected) {
  const int64_t bytes = primitive_util::ByteWidth(operand.element_type());
  const char* data = static_cast<const char*>(operand.untyped_data());
  LaneBuffer kept, next;
  int64_t numbers[kWindowLanes], offsets[kWindowLanes], kept_offsets[kWindowLanes];
  bool keep[kWindowLanes];
  std::fill(selected, selected + lanes, -1);
  int64_t taps = 0;
  for (LaneWindows windows(geometry, first, lanes); !windows.done(); windows.Advance()) {
    if (++taps % kTapsPerPoll == 0) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
    const int64_t valid = windows.ValidLanes(numbers, offsets);
    // A window's first element needs no comparison.
    int64_t count = 0;
    for (int64_t i = 0; i < valid; ++i) {
      int64_t& current = selected[numbers[i]];
      if (current < 0) {
        current = offsets[i];
        continue;
      }
      numbers[count] = numbers[i];
      kept_offsets[count] = current;
      offsets[count++] = offsets[i];
    }
    if (count == 0) continue;
    GatherElements(bytes, count, data, kept_offsets, kept.data);
    GatherElements(bytes, count, data, offsets, next.data);
    XLA_RETURN_IF_ERROR(select.ApplyBinary(ctx, count, kept.data, next.data, keep));
    for (int64_t i = 0; i < count; ++i) {
      if (!keep[i]) selected[numbers[i]] = offsets[i];
    }
  }
  return absl::OkStatus();
}

// The number of windows over existing elements in each dimension.
DimensionVector WindowedSizes(const WindowDims& window, const Value& input) {
  DimensionVector sizes;
  for (int64_t d = 0; d < input.rank(); ++d) {
    const WindowDim dim = window.empty() ? WindowDim() : window[d];
    const int64_t size = input.dynamic_size(d);
    const int64_t padded =
        (size == 0 ? 0 : (size - 1) * dim.base_dilation + 1) + dim.padding_low + dim.padding_high;
    const int64_t dilated = dim.size == 0 ? 0 : (dim.size - 1) * dim.window_dilation + 1;
    sizes.push_back(padded < dilated || padded <= 0 ? 0 : (padded - dilated) / dim.stride + 1);
  }
  return sizes;
}

// Whether the element at a row-major position exists.
bool ExistsAt(const Value& value, int64_t position) {
  for (int64_t d = value.rank() - 1; d >= 0; --d) {
    const int64_t size = value.dimensions()[d];
    if (position % size >= value.dynamic_size(d)) return false;
    position /= size;
  }
  return true;
}

}  // namespace

absl::StatusOr<Value> ReduceWindow(EvalContext& ctx, const HloInstruction& inst,
                                   const WindowDims& window, absl::Span<Value> operands) {
  const int64_t count = static_cast<int64_t>(operands.size()) / 2;
  const absl::Span<const Value> inputs = operands.subspan(0, count),
                                inits = operands.subspan(count);
  const ScalarFunction* function = ctx.GetScalarFunction(*inst.to_apply());
  if (function == nullptr) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the reducer is not a function of scalars");
  }
  std::vector<Value> results;
  for (int64_t k = 0; k < count; ++k) {
    const PrimitiveType type = inputs[k].element_type();
    if (inits[k].element_type() != type || function->input_type(k) != type ||
        function->input_type(count + k) != type || function->output_type(k) != type) {
      return InstructionError(
          inst, absl::StatusCode::kUnimplemented,
          "the reducer's types differ from those of operands and initial values");
    }
    XLA_ASSIGN_OR_RETURN(
        Value result,
        ctx.Allocate(inst.shape().IsTuple() ? inst.shape().tuple_shapes(k) : inst.shape()));
    results.push_back(std::move(result));
  }
  const WindowGeometry geometry = MakeWindowGeometry(window, inputs[0], results[0].dimensions());
  bool done = results[0].element_count() == 0;
  if (!done && count == 1 && function->binary().has_value() && !inputs[0].has_dynamic_sizes() &&
      IsSeparable(function->binary()->opcode, inputs[0].element_type(), geometry)) {
    XLA_ASSIGN_OR_RETURN(done, ReduceWindowSeparably(ctx, function->binary()->opcode, inputs[0],
                                                     inits[0], geometry, results[0]));
  }
  if (!done) {
    XLA_RETURN_IF_ERROR(
        ReduceWindowGeneral(ctx, *function, inputs, inits, geometry, absl::MakeSpan(results)));
  }
  if (inputs[0].has_dynamic_sizes()) {
    const DimensionVector sizes = WindowedSizes(window, inputs[0]);
    for (Value& result : results) SetExistingSizes(sizes, result);
  }
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalReduceWindow(EvalContext& ctx, const HloInstruction& inst,
                                       absl::Span<Value> operands) {
  return ReduceWindow(ctx, inst, inst.attributes<WindowAttributes>().window, operands);
}

absl::StatusOr<Value> SelectAndScatter(EvalContext& ctx, const HloInstruction& inst,
                                       const WindowDims& window, absl::Span<Value> operands) {
  const Value &operand = operands[0], &source = operands[1], &init = operands[2];
  const ScalarFunction* select = ctx.GetScalarFunction(*inst.select());
  const ScalarFunction* scatter = ctx.GetScalarFunction(*inst.scatter());
  if (select == nullptr || scatter == nullptr) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "select or scatter is not a function of scalars");
  }
  const PrimitiveType type = operand.element_type();
  if (select->input_type(0) != type || select->input_type(1) != type ||
      select->output_type(0) != PRED || scatter->input_type(0) != type ||
      scatter->input_type(1) != type || scatter->output_type(0) != type ||
      source.element_type() != type || init.element_type() != type) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "the types of select or scatter differ from those of the operands");
  }
  std::vector<Value> results(1);
  XLA_ASSIGN_OR_RETURN(results[0], ctx.Allocate(inst.shape()));
  XLA_RETURN_IF_ERROR(FillElements(ctx, primitive_util::ByteWidth(type), results[0].element_count(),
                                   init.untyped_data(), results[0].mutable_untyped_data()));
  if (operand.has_dynamic_sizes()) SetExistingSizes(operand.existing_dimensions(), results[0]);
  const int64_t windows = source.element_count();
  if (windows == 0 || operand.element_count() == 0) return std::move(results[0]);
  const WindowGeometry geometry = MakeWindowGeometry(window, operand, source.dimensions());

  XLA_ASSIGN_OR_RETURN(Value scratch, ctx.AllocateScratch(windows * sizeof(int64_t)));
  int64_t* selected = scratch.mutable_data<int64_t>();
  const int64_t lanes = LanesFor(geometry), tiles = CeilOfRatio(windows, lanes);
  constexpr double kCostPerTap = 20;
  const double cost = kCostPerTap * static_cast<double>(lanes) * (TapCount(geometry) + 4);
  XLA_RETURN_IF_ERROR(ctx.ParallelForStatus(
      tiles, EvalContext::ChunkFor(tiles, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        for (int64_t tile = begin; tile < end; ++tile) {
          const int64_t first = tile * lanes;
          XLA_RETURN_IF_ERROR(SelectLanes(worker, *select, operand, geometry, first,
                                          std::min(lanes, windows - first), selected + first));
        }
        return absl::OkStatus();
      }));

  // Windows overlap: in order, one by one.
  const std::unique_ptr<Combiner> combiner =
      MakeCombiner(*scatter, absl::MakeSpan(results), absl::MakeConstSpan(&source, 1));
  for (int64_t i = 0; i < windows; ++i) {
    if (i % 4096 == 4095) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
    if (selected[i] < 0 || (source.has_dynamic_sizes() && !ExistsAt(source, i))) continue;
    XLA_RETURN_IF_ERROR(combiner->Run(ctx, 1, selected[i], 1, i, 1));
  }
  return std::move(results[0]);
}

absl::StatusOr<Value> EvalSelectAndScatter(EvalContext& ctx, const HloInstruction& inst,
                                           absl::Span<Value> operands) {
  return SelectAndScatter(ctx, inst, inst.attributes<WindowAttributes>().window, operands);
}

}  // namespace xla::interpreter
