// SPDX-License-Identifier: Apache-2.0
// Conversion of runs of elements between element types, in bulk.
//
// Conversions go through a wide type that represents each value exactly: int64_t (PRED and signed
// integers), uint64_t (unsigned), float (float and narrower), double, complex64, complex128. This
// keeps the number of loops small, and each conversion still rounds at most once. Source and
// destination must not overlap, except that equal pointers are allowed between types of equal size.
#ifndef XLA_ELEMENT_CONVERT_H_
#define XLA_ELEMENT_CONVERT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {

// The wide type of an element type: S64, U64, F32, F64, C64 or C128. PRED's is S64.
PrimitiveType CarrierTypeOf(PrimitiveType type);

// Converts as the HLO operation convert does:
//   floating-point to integral   towards zero; saturates at the ends; NaN gives 0
//   to floating-point            nearest, ties to even, rounded once
//   integral to integral         wraps
//   to PRED                      value != 0 (NaN gives true)
//   complex to real              the real part (to PRED: either part != 0)
//   real to complex              imaginary part +0
// Both types must be array types.
void ConvertElements(PrimitiveType from, const void* source, PrimitiveType to, void* destination,
                     int64_t count);

// Typed versions of the most frequent floating-point conversions. The spans must have equal sizes.
void ConvertSpan(absl::Span<const half> source, absl::Span<float> destination);
void ConvertSpan(absl::Span<const bfloat16> source, absl::Span<float> destination);
void ConvertSpan(absl::Span<const float> source, absl::Span<half> destination);
void ConvertSpan(absl::Span<const float> source, absl::Span<bfloat16> destination);

// Of the elements of types of less than 8 bits, which take a byte each: sets the bits of the byte
// beyond those of the type to what its own values have there (the sign of signed integers, else 0).
// For memory that was written elsewhere, where these bits may be anything. Others are unchanged.
void NormalizeSubByteElements(PrimitiveType type, void* data, int64_t count);

}  // namespace xla

#endif  // XLA_ELEMENT_CONVERT_H_
