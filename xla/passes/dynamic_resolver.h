// SPDX-License-Identifier: Apache-2.0
// The parts of ResolveDynamicSizes (dynamic_shapes.h), by family of operations.
//
// An array is represented by its elements at the bounds and the sizes of its dynamic dimensions,
// s32 scalars. Elements beyond the sizes (padding) are undefined: operations that would combine
// them with others replace them first. The rules for sizes are those of the interpreter.
#ifndef XLA_PASSES_DYNAMIC_RESOLVER_H_
#define XLA_PASSES_DYNAMIC_RESOLVER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/graph_builder.h"

namespace xla {

struct SizedArray {
  HloInstruction* array = nullptr;
  std::vector<HloInstruction*> sizes;  // by dimension; null: the bound

  const Shape& shape() const { return array->shape(); }
  int rank() const { return static_cast<int>(array->shape().rank()); }
  int64_t bound(int64_t d) const { return array->shape().dimensions(static_cast<int>(d)); }
  HloInstruction* size(int64_t d) const { return sizes[static_cast<size_t>(d)]; }
  bool IsSized() const {
    for (const HloInstruction* size : sizes) {
      if (size != nullptr) return true;
    }
    return false;
  }
};
using SizedArrays = absl::Span<const SizedArray>;
using Sizes = std::vector<HloInstruction*>;

class DynamicResolver {
 public:
  DynamicResolver(HloModule* module, HloComputation* target) : module_(module), b_(target) {}

  // Resolves one operation on arrays: `operands` are those of `inst`, in the new computation.
  // Returns its results.
  absl::StatusOr<std::vector<SizedArray>> Resolve(const HloInstruction& inst, SizedArrays operands);

  GraphBuilder& builder() { return b_; }

  // Keeps the sizes of the dimensions that are dynamic in `shape`; sizes that are null are the
  // bounds.
  SizedArray WithSizes(const Shape& shape, HloInstruction* array, Sizes sizes);
  // Returns the size if it is in [0, bound]; otherwise the run fails.
  HloInstruction* CheckedSize(HloInstruction* size, int64_t bound);
  // Returns the size if `ok` is true; otherwise the run fails.
  HloInstruction* SizeIf(HloInstruction* ok, HloInstruction* size, int64_t bound);

 private:
  using Results = absl::StatusOr<std::vector<SizedArray>>;

  // --- Helpers
  HloInstruction* Number(int64_t value) { return b_.Scalar(S32, static_cast<double>(value)); }
  HloInstruction* SizeOf(const SizedArray& x, int64_t d) {
    return x.size(d) != nullptr ? x.size(d) : Number(x.bound(d));
  }
  // ceil(a / divisor), a >= 0.
  HloInstruction* CeilDivide(HloInstruction* a, int64_t divisor);
  HloInstruction* FloorDivide(HloInstruction* a, int64_t divisor);
  HloInstruction* Clamp(HloInstruction* x, int64_t low, int64_t high) {
    return b_.Min(b_.Max(x, Number(low)), Number(high));
  }
  // Returns the mask of valid elements for these sizes, by dimension (null: all are valid); null if
  // all elements are valid.
  HloInstruction* ExistenceMask(absl::Span<const int64_t> dimensions, const Sizes& sizes);
  HloInstruction* ExistenceMask(const SizedArray& x) {
    return ExistenceMask(x.shape().dimensions(), x.sizes);
  }
  HloInstruction* MaskBy(HloInstruction* x, HloInstruction* mask, HloInstruction* fill);
  HloInstruction* Masked(const SizedArray& x, HloInstruction* fill) {
    return MaskBy(x.array, ExistenceMask(x), fill);
  }
  // Masks with zero, the neutral element of sums of products; widens to f32 for types without a
  // zero.
  HloInstruction* MaskByZero(HloInstruction* x, HloInstruction* mask);
  HloInstruction* ZeroOf(PrimitiveType type) { return b_.Zeros(Shape(type, {})); }
  HloInstruction* LowestOf(PrimitiveType type, bool greatest);
  // Clones the instruction with other operands and a static shape.
  HloInstruction* CloneOn(const HloInstruction& inst, absl::Span<HloInstruction* const> operands);
  // Returns the results of a clone, without sizes.
  std::vector<SizedArray> ResultsOf(const HloInstruction& inst, HloInstruction* clone,
                                    const std::vector<Sizes>& sizes);
  static const Shape& ResultShape(const HloInstruction& inst, int i) {
    return inst.shape().IsTuple() ? inst.shape().tuple_shapes(i) : inst.shape();
  }

  // --- Families
  Results Elementwise(const HloInstruction& inst, SizedArrays operands);
  // Returns the sizes of several arrays that are combined element by element; sizes of 1 are
  // broadcast.
  Sizes Join(std::vector<SizedArray>& arrays);
  Results Broadcast(const HloInstruction& inst, const SizedArray& x);
  Results Reshape(const HloInstruction& inst, const SizedArray& x);
  Results DynamicReshape(const HloInstruction& inst, SizedArrays operands);
  HloInstruction* ReshapeExisting(const HloInstruction& inst, const SizedArray& x,
                                  const Sizes& sizes);
  Results Transpose(const HloInstruction& inst, const SizedArray& x);
  Results Reverse(const HloInstruction& inst, const SizedArray& x);
  Results Slice(const HloInstruction& inst, const SizedArray& x);
  Results Pad(const HloInstruction& inst, SizedArrays operands);
  Results Concatenate(const HloInstruction& inst, SizedArrays operands);
  Results GetDimensionSize(const HloInstruction& inst, const SizedArray& x);
  Results SetDimensionSize(const HloInstruction& inst, SizedArrays operands);
  Results DynamicSlice(const HloInstruction& inst, SizedArrays operands);
  Results DynamicUpdateSlice(const HloInstruction& inst, SizedArrays operands);
  Results Gather(const HloInstruction& inst, SizedArrays operands);
  Results Scatter(const HloInstruction& inst, SizedArrays operands);

  Results Reduce(const HloInstruction& inst, SizedArrays operands);
  Results ReduceWindow(const HloInstruction& inst, SizedArrays operands);
  // The inputs and initial values of a reduction that ignores padding elements. `function` becomes
  // one that skips them if no value is an identity.
  struct Reduction {
    std::vector<HloInstruction*> operands;
    HloComputation* function;
    bool is_lifted;  // has another input and initial value, to be dropped
  };
  Reduction IgnoreMissing(const HloInstruction& inst, HloComputation* function,
                          std::vector<SizedArray> inputs, absl::Span<HloInstruction* const> inits,
                          HloInstruction* mask);
  Results SelectAndScatter(const HloInstruction& inst, SizedArrays operands,
                           const std::vector<WindowDim>& window, const Sizes& paddings);
  Results Dot(const HloInstruction& inst, SizedArrays operands);
  Results Convolution(const HloInstruction& inst, SizedArrays operands);
  Results WholeKernel(const HloInstruction& inst, SizedArrays operands);
  Results Sort(const HloInstruction& inst, SizedArrays operands);
  Results TopK(const HloInstruction& inst, const SizedArray& x);
  Results LinearAlgebra(const HloInstruction& inst, SizedArrays operands);
  Results Fft(const HloInstruction& inst, const SizedArray& x);
  Results BatchNorm(const HloInstruction& inst, SizedArrays operands);
  Results Scan(const HloInstruction& inst, SizedArrays operands);

  // Custom calls with windows whose padding depends on sizes (dynamic_resolver_window.cc).
  Results DynamicConvolution(const HloInstruction& inst, SizedArrays operands);
  Results DynamicReduceWindow(const HloInstruction& inst, SizedArrays operands);
  Results DynamicSelectAndScatter(const HloInstruction& inst, SizedArrays operands);
  struct Placement {
    HloInstruction *padding_low, *output_size;
  };
  Placement Place(HloInstruction* size, int64_t taps, int64_t dilation, int64_t stride, bool same);
  // Moves x up by `low` in each dimension (null: 0), in an array of the bounds, filled elsewhere.
  HloInstruction* Moved(HloInstruction* x, absl::Span<const int64_t> bounds, const Sizes& low,
                        HloInstruction* fill);

  HloModule* const module_;
  GraphBuilder b_;
};

// A custom call with the window, computations and operands of a select-and-scatter, and after
// these, for each dimension, s32 scalars: sizes of the operand, sizes of the source, low paddings.
inline constexpr char kSizedSelectAndScatterTarget[] = "xylem.select_and_scatter";

}  // namespace xla

#endif  // XLA_PASSES_DYNAMIC_RESOLVER_H_
