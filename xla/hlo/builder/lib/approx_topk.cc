// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/lib/approx_topk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

// XLA's numbers, on which shapes depend: elements in a chunk of a vector, and lanes otherwise.
constexpr int64_t kChunkOfVector = 1024;
constexpr int64_t kLanes = 128;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t FloorLog2(int64_t x) { return std::bit_width(static_cast<uint64_t>(x)) - 1; }
int64_t CeilLog2(int64_t x) { return x <= 1 ? 0 : FloorLog2(x - 1) + 1; }

// The one of two groups of elements that the comparator puts first.
absl::StatusOr<XlaComputationId> MakeReducer(XlaBuilder* builder, absl::Span<const Shape> shapes,
                                             XlaComputationId comparator) {
  const std::unique_ptr<XlaBuilder> b = builder->CreateSubBuilder("ReductionFn");
  const auto count = static_cast<int64_t>(shapes.size());
  std::vector<XlaOp> parameters;
  for (int64_t i = 0; i < 2 * count; ++i) {
    parameters.push_back(Parameter(b.get(), i,
                                   ShapeUtil::MakeScalarShape(shapes[i % count].element_type()),
                                   absl::StrCat(i < count ? "lhs." : "rhs.", i)));
  }
  std::vector<XlaOp> pairs, results;
  for (int64_t i = 0; i < count; ++i) {
    pairs.push_back(parameters[i]);
    pairs.push_back(parameters[count + i]);
  }
  const XlaOp lhs_first = Call(b.get(), comparator, pairs);
  for (int64_t i = 0; i < count; ++i) {
    results.push_back(Select(lhs_first, parameters[i], parameters[count + i]));
  }
  Tuple(b.get(), results);
  return b->BuildSubComputation();
}

absl::Status CheckShapes(absl::Span<const Shape> operands, absl::Span<const Shape> inits,
                         int64_t reduction_dim) {
  if (operands.size() != inits.size()) {
    return InvalidArgument("operands and init_values size mismatch: %d vs %d", operands.size(),
                           inits.size());
  }
  if (operands.empty()) return InvalidArgument("ApproxTopK needs an operand.");
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].rank() == 0) return InvalidArgument("ApproxTopK operands must have rank 1+.");
    if (!ShapeUtil::CompatibleIgnoringElementType(operands[0], operands[i])) {
      return InvalidArgument("operands shape mismatch: %s vs %s", operands[0].ToString(),
                             operands[i].ToString());
    }
    if (operands[i].element_type() != inits[i].element_type()) {
      return InvalidArgument("operands type mismatch: %s vs %s", operands[i].ToString(),
                             inits[i].ToString());
    }
  }
  if (reduction_dim < 0 || reduction_dim >= operands[0].rank()) {
    return InvalidArgument("reduction_dim should range in [0,%d)", operands[0].rank());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override) {
  using Sizes = std::pair<int64_t, int64_t>;
  if (aggregate_to_topk) return Sizes(top_k, -1);
  const int64_t tile = rank == 1 ? kChunkOfVector : kLanes;
  if (input_size <= tile) return Sizes(input_size, 0);
  if (input_size_override >= 0 && input_size > input_size_override) {
    return InvalidArgument(
        "reduction_input_size_override: %d should be greater equals to operands[reduction_dim]: %d",
        input_size_override, input_size);
  }
  const int64_t whole_size = input_size_override >= 0 ? input_size_override : input_size;
  if (top_k == 1) return Sizes(tile, CeilLog2(CeilDivide(whole_size, tile)));
  if (recall_target == 1.0f) return Sizes(input_size, 0);
  if (!(recall_target > 0.0f && recall_target < 1.0f)) {
    return InvalidArgument("recall_target should range in (0,1]");
  }
  // With M windows that keep one element each, (1 - 1/M)^(K-1), about exp((1-K)/M), of the top K
  // are found.
  const auto windows = static_cast<int64_t>((1.0 - static_cast<double>(top_k)) /
                                            std::log(static_cast<double>(recall_target)));
  const int64_t m = std::min(std::max(windows, tile), whole_size);
  int64_t log2_reduction = FloorLog2(whole_size / m);
  if (log2_reduction == 0) return Sizes(input_size, 0);
  log2_reduction = std::min(log2_reduction, CeilLog2(input_size / tile));
  return Sizes(CeilDivide(CeilDivide(input_size, tile), int64_t{1} << log2_reduction) * tile,
               log2_reduction);
}

XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 XlaComputationId comparator, float recall_target, bool aggregate_to_topk,
                 int64_t reduction_input_size_override) {
  return builder->Record("ApproxTopK", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    XLA_ASSIGN_OR_RETURN(const std::vector<Shape> inits, builder->GetOperandShapes(init_values));
    XLA_RETURN_IF_ERROR(CheckShapes(shapes, inits, reduction_dim));
    const Shape& shape = shapes[0];
    const int64_t input_size = shape.dimensions(static_cast<int>(reduction_dim));
    XLA_ASSIGN_OR_RETURN(const auto output, ApproxTopKReductionOutputSize(
                                                input_size, shape.rank(), top_k, recall_target,
                                                aggregate_to_topk, reduction_input_size_override));
    const int64_t count = output.first;
    if (count < 0 || count > input_size) {
      return InvalidArgument("ApproxTopK of %d elements cannot return %d.", input_size, count);
    }
    std::vector<XlaOp> results;
    if (count == 1) {
      XLA_ASSIGN_OR_RETURN(const XlaComputationId reducer,
                           MakeReducer(builder, shapes, comparator));
      const XlaOp reduced = Reduce(builder, operands, init_values, reducer, {reduction_dim});
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
      sizes[static_cast<size_t>(reduction_dim)] = 1;
      for (size_t i = 0; i < operands.size(); ++i) {
        const XlaOp part = GetTupleElement(reduced, static_cast<int64_t>(i));
        results.push_back(Reshape(part, sizes));
      }
    } else {
      const XlaOp sorted = Sort(operands, comparator, reduction_dim);
      for (size_t i = 0; i < operands.size(); ++i) {
        const XlaOp part =
            operands.size() == 1 ? sorted : GetTupleElement(sorted, static_cast<int64_t>(i));
        results.push_back(SliceInDim(part, 0, count, 1, reduction_dim));
      }
    }
    return Tuple(builder, results);
  });
}

XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 const XlaComputation& comparator, float recall_target, bool aggregate_to_topk,
                 int64_t reduction_input_size_override) {
  return ApproxTopK(builder, operands, init_values, top_k, reduction_dim,
                    builder->AddSubComputation(comparator), recall_target, aggregate_to_topk,
                    reduction_input_size_override);
}

XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         XlaComputationId comparator, float recall_target, bool aggregate_to_topk,
                         int64_t reduction_input_size_override) {
  return ApproxTopK(builder, operands, init_values, top_k, reduction_dim, comparator, recall_target,
                    aggregate_to_topk, reduction_input_size_override);
}

XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         const XlaComputation& comparator, float recall_target,
                         bool aggregate_to_topk, int64_t reduction_input_size_override) {
  return ApproxTopK(builder, operands, init_values, top_k, reduction_dim, comparator, recall_target,
                    aggregate_to_topk, reduction_input_size_override);
}

}  // namespace xla
