// SPDX-License-Identifier: Apache-2.0
// sort and topk. Both are stable: equal elements keep their order.
#include "xla/kernels/sort/sort.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/builtin_custom_calls.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/sort_key.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/passes/custom_call_forms.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

// A sort of lines along one dimension. Elements of a line are `stride` apart; the first `sorted`
// ones exist, the others stay where they are.
struct SortProblem {
  SortProblem(const ScalarFunction& comparator, const std::optional<SortKey>& key,
              absl::Span<const Value> operands, absl::Span<Value> results, int64_t dimension)
      : comparator(comparator), key(key), operands(operands), results(results) {
    const Value& first = operands[0];
    length = first.dimensions()[dimension];
    sorted = first.dynamic_size(dimension);
    for (int64_t d = dimension + 1; d < first.rank(); ++d) stride *= first.dimensions()[d];
    for (const Value& operand : operands)
      bytes.push_back(primitive_util::ByteWidth(operand.element_type()));
    sorts_values = operands.size() == 1 && key.has_value() && key->OrdersValues();
  }

  const ScalarFunction& comparator;
  const std::optional<SortKey>& key;
  const absl::Span<const Value> operands;
  const absl::Span<Value> results;
  int64_t length, sorted, stride = 1;
  absl::InlinedVector<int64_t, 4> bytes;
  bool sorts_values;  // without indices
};

// Sorts one line after the other, with the same working memory.
class LineSorter {
 public:
  LineSorter(const SortProblem& problem, EvalContext& ctx)
      : problem_(problem), ctx_(ctx), kernel_context_(ctx) {}

  absl::Status Prepare() {
    if (problem_.stride != 1) {
      for (const int64_t bytes : problem_.bytes) {
        XLA_ASSIGN_OR_RETURN(
            auto line, kernels::AllocateArray<char>(kernel_context_, problem_.length * bytes));
        copies_.push_back(std::move(line));
      }
    }
    if (problem_.sorts_values) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(order_, kernels::AllocateArray<int64_t>(kernel_context_, problem_.sorted));
    if (!problem_.key.has_value()) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(keys_, kernels::AllocateArray<int64_t>(kernel_context_, problem_.sorted));
    return absl::OkStatus();
  }

  absl::Status Sort(int64_t line) {
    const int64_t stride = problem_.stride;
    const int64_t offset = line / stride * stride * problem_.length + line % stride;
    lines_.clear();
    for (size_t k = 0; k < problem_.operands.size(); ++k) {
      const int64_t bytes = problem_.bytes[k];
      const char* elements =
          static_cast<const char*>(problem_.operands[k].untyped_data()) + offset * bytes;
      if (stride != 1) {
        XLA_RETURN_IF_ERROR(StridedCopy(ctx_, bytes, {problem_.length}, elements, {stride},
                                        copies_[k].data(), {1}));
        elements = copies_[k].data();
      }
      lines_.push_back(elements);
    }
    if (problem_.sorts_values) return SortValues(offset);
    XLA_RETURN_IF_ERROR(FindOrder());
    for (size_t k = 0; k < problem_.operands.size(); ++k) {
      XLA_RETURN_IF_ERROR(kernels::Gather(kernel_context_, problem_.bytes[k], order_.span(),
                                          lines_[k], 1, Result(k, offset), stride));
      XLA_RETURN_IF_ERROR(CopyRest(k, problem_.sorted, offset));
    }
    return absl::OkStatus();
  }

 private:
  char* Result(size_t k, int64_t offset) {
    return static_cast<char*>(problem_.results[k].mutable_untyped_data()) +
           offset * problem_.bytes[k];
  }

  // Copies the elements of a line from index `first` on to the result.
  absl::Status CopyRest(size_t k, int64_t first, int64_t offset) {
    const int64_t bytes = problem_.bytes[k], stride = problem_.stride;
    return StridedCopy(ctx_, bytes, {problem_.length - first}, lines_[k] + first * bytes, {1},
                       Result(k, offset + first * stride), {stride});
  }

  absl::Status SortValues(int64_t offset) {
    const SortKey& key = *problem_.key;
    if (problem_.stride != 1) {
      XLA_RETURN_IF_ERROR(kernels::SortValues(kernel_context_, key.type(), key.descending(),
                                              problem_.sorted, copies_[0].data()));
      return CopyRest(0, 0, offset);
    }
    XLA_RETURN_IF_ERROR(CopyRest(0, 0, offset));
    return kernels::SortValues(kernel_context_, key.type(), key.descending(), problem_.sorted,
                               Result(0, offset));
  }

  absl::Status FindOrder() {
    if (problem_.key.has_value()) {
      XLA_ASSIGN_OR_RETURN(const bool ordered, ComputeKeys());
      if (ordered) return kernels::StableOrder(kernel_context_, keys_.span(), order_.span());
    }
    absl::InlinedVector<const void*, 8> in(2 * problem_.operands.size());
    return kernels::StableOrderBy(
        kernel_context_, order_.span(), [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
          for (size_t k = 0; k < problem_.operands.size(); ++k) {
            in[2 * k] = lines_[k] + a * problem_.bytes[k];
            in[2 * k + 1] = lines_[k] + b * problem_.bytes[k];
          }
          bool is_less = false;
          void* out = &is_less;
          XLA_RETURN_IF_ERROR(problem_.comparator.Apply(ctx_, 1, in, absl::MakeSpan(&out, 1)));
          return is_less;
        });
  }

  // False if some elements have no place in the order.
  absl::StatusOr<bool> ComputeKeys() {
    constexpr int64_t kChunk = 1 << 14;
    const SortKey& key = *problem_.key;
    const char* elements = lines_[key.operand()];
    const int64_t bytes = problem_.bytes[key.operand()];
    std::atomic<bool> ordered = true;
    XLA_RETURN_IF_ERROR(
        kernel_context_.ParallelFor(problem_.sorted, kChunk, [&](int64_t begin, int64_t end) {
          if (!key.Compute(end - begin, elements + begin * bytes, keys_.data() + begin))
            ordered.store(false, std::memory_order_relaxed);
          return absl::OkStatus();
        }));
    return ordered.load();
  }

  const SortProblem& problem_;
  EvalContext& ctx_;
  KernelContext kernel_context_;
  absl::InlinedVector<kernels::ScratchArray<char>, 4> copies_;
  absl::InlinedVector<const char*, 4> lines_;
  kernels::ScratchArray<int64_t> keys_, order_;
};

// Nanoseconds to sort a line.
double SortCost(int64_t length, bool has_key) {
  double levels = 1;
  for (int64_t n = length; n > 1; n /= 2) ++levels;
  return 200 + static_cast<double>(length) * levels * (has_key ? 2 : 200);
}

absl::Status SortLines(EvalContext& ctx, const SortProblem& problem, int64_t lines) {
  // Lines that are long enough for threads to share each of them.
  constexpr int64_t kLongLine = 1 << 18;
  if (problem.length >= kLongLine) {
    LineSorter sorter(problem, ctx);
    XLA_RETURN_IF_ERROR(sorter.Prepare());
    for (int64_t line = 0; line < lines; ++line) XLA_RETURN_IF_ERROR(sorter.Sort(line));
    return absl::OkStatus();
  }
  return ctx.ParallelForStatus(
      lines, EvalContext::ChunkFor(lines, SortCost(problem.length, problem.key.has_value())),
      [&](int64_t begin, int64_t end) -> absl::Status {
        EvalContext worker = ctx.ForWorker();
        LineSorter sorter(problem, worker);
        XLA_RETURN_IF_ERROR(sorter.Prepare());
        for (int64_t line = begin; line < end; ++line) XLA_RETURN_IF_ERROR(sorter.Sort(line));
        return absl::OkStatus();
      });
}

// The operands, sorted along a dimension by the computation that the instruction calls, in values
// of the shapes `shape_of`.
absl::StatusOr<std::vector<Value>> SortOperands(EvalContext& ctx, const HloInstruction& inst,
                                                absl::Span<Value> operands, int64_t dimension,
                                                absl::FunctionRef<const Shape&(size_t)> shape_of) {
  const ScalarFunction* comparator = ctx.GetScalarFunction(*inst.to_apply());
  if (comparator == nullptr ||
      comparator->num_inputs() != 2 * static_cast<int64_t>(operands.size()) ||
      comparator->output_type(0) != PRED) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "the comparator is not a predicate of two scalars of each operand");
  }
  std::vector<Value> results;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (comparator->input_type(2 * k) != operands[k].element_type() ||
        comparator->input_type(2 * k + 1) != operands[k].element_type()) {
      return InstructionError(inst, absl::StatusCode::kUnimplemented,
                              "the comparator's types differ from those of the operands");
    }
    XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape_of(k)));
    if (operands[k].has_dynamic_sizes())
      SetExistingSizes(operands[k].existing_dimensions(), result);
    results.push_back(std::move(result));
  }
  if (results[0].element_count() > 0) {
    const std::optional<SortKey> key = SortKey::FromComparator(*inst.to_apply());
    const int64_t length = results[0].dimensions()[dimension],
                  lines = results[0].element_count() / length;
    const SortProblem problem(*comparator, key, operands, absl::MakeSpan(results), dimension);
    XLA_RETURN_IF_ERROR(SortLines(ctx, problem, lines));
  }
  return results;
}

}  // namespace

absl::StatusOr<Value> EvalSort(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(
      std::vector<Value> results,
      SortOperands(ctx, inst, operands, inst.dimensions()[0], [&](size_t k) -> const Shape& {
        // Of the instruction itself: its result may be written to
        // where the caller wants it.
        return inst.shape().IsTuple() ? inst.shape().tuple_shapes(k) : inst.shape();
      }));
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalApproxTopKCall(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  const absl::StatusOr<int64_t> dimension = ApproxTopKDimension(inst);
  if (!dimension.ok()) {
    return InstructionError(inst, dimension.status().code(), dimension.status().message());
  }
  XLA_ASSIGN_OR_RETURN(std::vector<Value> results,
                       SortOperands(ctx, inst, operands.first(operands.size() / 2), *dimension,
                                    [&](size_t k) -> const Shape& {
                                      return inst.operand(static_cast<int64_t>(k))->shape();
                                    }));
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& shape = inst.shape().tuple_shapes(i);
    std::vector<SliceDim> first;
    for (const int64_t size : shape.dimensions()) first.push_back({0, size, 1});
    XLA_ASSIGN_OR_RETURN(results[i], SliceValue(ctx, results[i], first, shape));
  }
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

// The k greatest (or least) elements of every row, in order, and their indices; NaN is greatest,
// ties go to the smaller index.
namespace {

// The greatest or least elements of the last dimension as (values, indices).
absl::StatusOr<Value> TopK(EvalContext& ctx, const HloInstruction& inst, bool largest,
                           absl::Span<Value> operands) {
  const Value& operand = operands[0];
  const Shape &values_shape = inst.shape().tuple_shapes(0),
              &indices_shape = inst.shape().tuple_shapes(1);
  XLA_ASSIGN_OR_RETURN(Value values, ctx.Allocate(values_shape));
  XLA_ASSIGN_OR_RETURN(Value indices, ctx.Allocate(indices_shape));
  // XLA's compiler ends its process on these.
  if (primitive_util::IsComplexType(operand.element_type())) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "the order of complex numbers is not defined");
  }
  if (indices_shape.element_type() != S32) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            absl::StrCat("the indices are s32, not ", indices_shape.ToString()));
  }
  if (values.element_count() > 0) {
    // Only existing elements are ranked; places beyond them do not exist either.
    const int64_t length = operand.dimensions().back();
    KernelContext kernel_context(ctx);
    XLA_RETURN_IF_ERROR(
        kernels::TopK(kernel_context, {.type = operand.element_type(),
                                       .largest = largest,
                                       .rows = operand.element_count() / length,
                                       .length = length,
                                       .valid = operand.dynamic_size(operand.rank() - 1),
                                       .k = values_shape.dimensions().back(),
                                       .values = operand.untyped_data(),
                                       .top_values = values.mutable_untyped_data(),
                                       .indices = indices.mutable_data<int32_t>()}));
  }
  if (operand.has_dynamic_sizes()) {
    for (Value* result : {&values, &indices}) {
      DimensionVector sizes = operand.existing_dimensions();
      sizes.back() = std::min(sizes.back(), result->dimensions().back());
      SetExistingSizes(sizes, *result);
    }
  }
  std::vector<Value> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace

absl::StatusOr<Value> EvalTopK(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  return TopK(ctx, inst, inst.attributes<TopKAttributes>().largest, operands);
}

// Custom call "TopK": the verifier does not check its shapes.
absl::StatusOr<Value> EvalTopKCall(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  const absl::string_view error = ErrorOfTopK(inst);
  if (!error.empty()) return InstructionError(inst, absl::StatusCode::kInvalidArgument, error);
  return TopK(ctx, inst, /*largest=*/true, operands);
}

}  // namespace xla::interpreter
