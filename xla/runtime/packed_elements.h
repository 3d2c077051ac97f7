// SPDX-License-Identifier: Apache-2.0
// Arrays whose elements of less than a byte share bytes, as XLA's devices hold them: element i of a
// type of b bits is bits (i * b) % 8 and up of byte i * b / 8. Programs work on a byte an element
// (buffer_view.h), so that buffers are unpacked before a run and packed after it.
#ifndef XLA_RUNTIME_PACKED_ELEMENTS_H_
#define XLA_RUNTIME_PACKED_ELEMENTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla::runtime {

// The bits of an element that shares its byte: 4, 2 or 1. 0 for types whose elements have bytes of
// their own; PRED and the floats of six bits are among them.
int PackedBits(PrimitiveType type);

// ArrayBytes (buffer_view.h) of packed memory. The same for types that are not packed.
absl::StatusOr<int64_t> PackedArrayBytes(const Shape& array);

// Of all elements of an array, in the order of memory, and of its dynamic sizes. Preconditions:
// PackedBits is not 0; ArrayBytes is a number. An array may be packed in place.
void PackArray(const Shape& array, const void* source, void* packed);
void UnpackArray(const Shape& array, const void* packed, void* destination);

// The elements alone, with zeros in the rest of each byte, whatever their sign: what XLA gives to
// the host.
void UnpackForHost(PrimitiveType type, const void* packed, void* destination, int64_t count);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_PACKED_ELEMENTS_H_
