// SPDX-License-Identifier: Apache-2.0
// Adds instructions on arrays of static shapes, with the shapes of their results: for passes that
// write out an operation as many simpler ones.
//
//   GraphBuilder b(computation, /*before=*/instruction);
//   HloInstruction* is_inside = b.Less(b.Iota(S32, {8}, 0), b.Splat(size, {8}));
//   HloInstruction* masked = b.Select(is_inside, x, b.Splat(b.Scalar(F32, 0), {8}));
#ifndef XLA_PASSES_GRAPH_BUILDER_H_
#define XLA_PASSES_GRAPH_BUILDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/xla_data_enums.h"

namespace xla {

class GraphBuilder {
 public:
  using Dims = absl::Span<const int64_t>;

  // New instructions are inserted directly before `before`, or at the end.
  explicit GraphBuilder(HloComputation* computation, HloInstruction* before = nullptr)
      : computation_(computation), before_(before) {}

  HloComputation* computation() const { return computation_; }
  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction);
  HloInstruction* Make(HloOpcode opcode, const Shape& shape,
                       absl::Span<HloInstruction* const> operands,
                       Attributes attributes = NoAttributes{},
                       absl::Span<HloComputation* const> called = {});

  // Makes a scalar constant of a float, integer or PRED type.
  HloInstruction* Scalar(PrimitiveType type, double value);
  // Makes zeros: arrays, tuples of them, tokens.
  HloInstruction* Zeros(const Shape& shape);

  // Elementwise operations: operands have equal dimensions; the result has the type of the first
  // one.
  HloInstruction* Unary(HloOpcode opcode, HloInstruction* x);
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b);
  HloInstruction* Plus(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kAdd, a, b);
  }
  HloInstruction* Minus(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kSubtract, a, b);
  }
  HloInstruction* Times(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kMultiply, a, b);
  }
  HloInstruction* Min(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kMinimum, a, b);
  }
  HloInstruction* Max(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kMaximum, a, b);
  }
  HloInstruction* And(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kAnd, a, b);
  }
  HloInstruction* Compare(HloInstruction* a, HloInstruction* b, ComparisonDirection direction);
  HloInstruction* Less(HloInstruction* a, HloInstruction* b) {
    return Compare(a, b, ComparisonDirection::kLt);
  }
  HloInstruction* Select(HloInstruction* pred, HloInstruction* a, HloInstruction* b);
  HloInstruction* Convert(HloInstruction* x, PrimitiveType type);

  // Broadcasts: operand dimension i becomes dimension places[i] of the result.
  HloInstruction* Broadcast(HloInstruction* x, Dims dimensions, std::vector<int64_t> places);
  HloInstruction* Splat(HloInstruction* scalar, Dims dimensions) {
    return dimensions.empty() ? scalar : Broadcast(scalar, dimensions, {});
  }
  HloInstruction* Iota(PrimitiveType type, Dims dimensions, int64_t dimension);
  HloInstruction* Reshape(HloInstruction* x, Dims dimensions);
  HloInstruction* Transpose(HloInstruction* x, std::vector<int64_t> permutation);
  HloInstruction* Reverse(HloInstruction* x, std::vector<int64_t> dimensions);
  HloInstruction* Slice(HloInstruction* x, Dims starts, Dims limits);
  // Takes elements [start, limit) of one dimension.
  HloInstruction* SliceAlong(HloInstruction* x, int64_t dimension, int64_t start, int64_t limit);
  // Starts are scalars of one integer type.
  HloInstruction* DynamicSlice(HloInstruction* x, std::vector<HloInstruction*> starts, Dims sizes);
  HloInstruction* DynamicUpdateSlice(HloInstruction* x, HloInstruction* update,
                                     std::vector<HloInstruction*> starts);
  HloInstruction* Pad(HloInstruction* x, HloInstruction* value, std::vector<PadDim> padding);
  // Pads after the last element of each dimension.
  HloInstruction* PadHigh(HloInstruction* x, HloInstruction* value, Dims high);

  HloInstruction* Tuple(absl::Span<HloInstruction* const> elements);
  HloInstruction* Element(HloInstruction* tuple, int64_t index);

 private:
  HloComputation* const computation_;
  HloInstruction* const before_;
};

}  // namespace xla

#endif  // XLA_PASSES_GRAPH_BUILDER_H_
