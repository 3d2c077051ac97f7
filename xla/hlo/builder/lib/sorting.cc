// SPDX-License-Identifier: Apache-2.0
// The greatest elements by sorting.
#include "xla/hlo/builder/lib/sorting.h"

#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {

XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type) {
  return lib_internal::Make("TopK", {input}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, input, 1));
    if (!primitive_util::IsIntegralType(index_type)) {
      return InvalidArgumentStrCat("Indices must be integers, not ", PrimitiveType_Name(index_type),
                                   ".");
    }
    const int64_t last = shape.rank() - 1;
    XLA_ASSIGN_OR_RETURN(const Shape indices,
                         ShapeUtil::MakeValidatedShape(index_type, shape.dimensions()));
    XlaOp iota = Iota(b, indices, last);
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape.is_dynamic_dimension(i)) {
        iota = SetDimensionSize(iota, GetDimensionSize(input, i), i);
      }
    }
    const XlaOp sorted =
        Sort({input, iota}, CreateScalarGtComputation({shape.element_type(), index_type}, b), last,
             /*is_stable=*/true);
    const auto first_k = [&](int64_t element) {
      const XlaOp part = SliceInDim(GetTupleElement(sorted, element), 0, k, 1, last);
      // k is known, whatever the size of the operand.
      return shape.is_dynamic_dimension(static_cast<int>(last)) ? RemoveDynamicDimension(part, last)
                                                                : part;
    };
    return Tuple(b, {first_k(0), first_k(1)});
  });
}

XlaOp TopKWithPartitions(XlaOp input, int64_t k, int64_t num_partitions, PrimitiveType index_type) {
  return lib_internal::Make(
      "TopKWithPartitions", {input}, [&](XlaBuilder*) -> absl::StatusOr<XlaOp> {
        if (num_partitions < 1) {
          return InvalidArgument("There must be a partition; got %d.", num_partitions);
        }
        return TopK(input, k, index_type);
      });
}

}  // namespace xla
