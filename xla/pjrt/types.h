// SPDX-License-Identifier: Apache-2.0
// Converts element types, shapes and layouts of the interface to XLA's, and back.
#ifndef XLA_PJRT_TYPES_H_
#define XLA_PJRT_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/pjrt/c/pjrt_c_api_buffer.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla::pjrt {

// Return PRIMITIVE_TYPE_INVALID and PJRT_Buffer_Type_INVALID if the other side has no such type.
PrimitiveType FromBufferType(PJRT_Buffer_Type type);
PJRT_Buffer_Type ToBufferType(PrimitiveType type);

// Returns an array with the layout `layout`, or row-major without one. InvalidArgument for unknown
// types, negative or too large dimensions, and layouts that do not fit; Unimplemented for tiles.
absl::StatusOr<Shape> ShapeOf(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                              const PJRT_Buffer_MemoryLayout* layout);

// Returns the strides in elements of the layout of `array`.
absl::InlinedVector<int64_t, 6> ElementStrides(const Shape& array);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_TYPES_H_
