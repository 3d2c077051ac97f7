// SPDX-License-Identifier: Apache-2.0
// Iota. (Parameters and constants are put in place by the evaluator.)
#include <cstdint>

#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

// indices[i] = i for i in [begin, end).
void FillIndices(PrimitiveType type, int64_t begin, int64_t end, void* indices) {
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto element_type) {
        using T = primitive_util::NativeTypeOf<element_type>;
        T* out = static_cast<T*>(indices);
        for (int64_t i = begin; i < end; ++i) {
          if constexpr (is_complex_v<T>) {
            out[i] = T(static_cast<typename T::value_type>(i));
          } else {
            out[i] = static_cast<T>(i);
          }
        }
      },
      type);
}

}  // namespace

absl::StatusOr<Value> EvalIota(EvalContext& ctx, const HloInstruction& inst, absl::Span<Value>) {
  const Shape& shape = inst.shape();
  const int64_t dimension = inst.attributes<IotaAttributes>().iota_dimension;
  const int64_t count = shape.dimensions(static_cast<int>(dimension));
  const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
  if (result.element_count() == 0) return result;
  // The indices once, then spread over the other dimensions.
  const bool is_vector = shape.rank() == 1;
  Value scratch;
  void* indices;
  if (is_vector) {
    indices = result.mutable_untyped_data();
  } else {
    XLA_ASSIGN_OR_RETURN(scratch, ctx.AllocateScratch(count * bytes));
    indices = scratch.mutable_untyped_data();
  }
  XLA_RETURN_IF_ERROR(ctx.ParallelFor(
      count, EvalContext::ChunkFor(count, 1),
      [&](int64_t begin, int64_t end) { FillIndices(shape.element_type(), begin, end, indices); }));
  if (!is_vector) {
    DimensionVector source_strides(static_cast<size_t>(shape.rank()), 0);
    source_strides[static_cast<size_t>(dimension)] = 1;
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, bytes, shape.dimensions(), indices, source_strides,
                                    result.mutable_untyped_data(),
                                    RowMajorStrides(shape.dimensions())));
  }
  return result;
}

}  // namespace xla::interpreter
