// SPDX-License-Identifier: Apache-2.0
// bitcast and bitcast-convert: the bits of an array as an array of another type or layout.
#ifndef XLA_KERNELS_MOVEMENT_BITCAST_H_
#define XLA_KERNELS_MOVEMENT_BITCAST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/shape.h"

namespace xla::kernels {

// Whether a bitcast between these array shapes leaves dense row-major arrays as they are.
bool IsPlainBitcast(const Shape& from, const Shape& to);

// Reinterprets the memory of `in` in the layout of `from` as memory in the layout of `to`. `in` and
// `out` themselves are dense and row-major, with at least a byte for each element. If a layout is
// not, an image of the memory is built: of elements if possible; of bits if there are tiles,
// padding or elements narrower than a byte. Gaps that padding and tiles leave hold the layout's
// padding value, or zeros.
absl::Status BitcastArray(Context& context, const Shape& from, const Shape& to, const void* in,
                          void* out);

// Reinterprets `from_count` elements, row-major, as elements of another type: bit 0 of the first
// element stays bit 0. A PRED is a byte that holds 0 or 1.
absl::Status BitcastConvertArray(Context& context, PrimitiveType from, PrimitiveType to,
                                 int64_t from_count, int64_t to_count, const void* in, void* out);
// Whether BitcastConvertArray copies the bytes unchanged.
bool IsPlainBitcastConvert(PrimitiveType from, PrimitiveType to);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_MOVEMENT_BITCAST_H_
