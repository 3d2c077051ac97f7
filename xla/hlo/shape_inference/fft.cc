// SPDX-License-Identifier: Apache-2.0
// Shape inference of fft.
#include <string>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

using primitive_util::IsComplexType;

// The innermost `count` of the transformed dimensions but the last `except` have the sizes of
// fft_length.
absl::Status ExpectLengths(const InferenceInput& in, const FftAttributes& attributes,
                           size_t count) {
  const Shape& operand = Operand(in, 0);
  const int64_t first = operand.rank() - static_cast<int64_t>(attributes.fft_length.size());
  for (size_t i = 0; i < count; ++i) {
    const int64_t size = DimOf(operand, first + static_cast<int64_t>(i)).size;
    if (!SizesCompatible(size, attributes.fft_length[i])) {
      return InvalidArgument(
          "%s requires %sinnermost dimensions match fft_length but dimension %d is %d and "
          "should be %d.",
          FftType_Name(attributes.fft_type),
          attributes.fft_type == FftType::IRFFT ? "all but one " : "",
          first + static_cast<int64_t>(i), size, attributes.fft_length[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

Result InferFft(const InferenceInput& in) {
  const auto& attributes = Attrs<FftAttributes>(in);
  const Shape& operand = Operand(in, 0);
  const Int64s& lengths = attributes.fft_length;
  const size_t rank = lengths.size();
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of fft"));
  if (rank < 1 || rank > 3) return InvalidArgument("FFT only supports ranks 1-3; got %u.", rank);
  if (operand.rank() < static_cast<int64_t>(rank)) {
    return InvalidArgument(
        "FFT of rank %u requires input of at least same rank; got input of rank %d", rank,
        operand.rank());
  }
  for (const int64_t length : lengths) {
    if (length < 0) return InvalidArgument("FFT lengths must not be negative; got %d.", length);
  }
  const std::string name = FftType_Name(attributes.fft_type);
  const PrimitiveType type = operand.element_type();
  const int64_t last = operand.rank() - 1;
  const Dim last_dim = DimOf(operand, last);
  // An unbounded last dimension gets the size given by fft_length.
  const bool dynamic = last_dim.dynamic && !last_dim.IsUnbounded();
  const auto with_last = [&](PrimitiveType new_type, int64_t size) -> Result {
    XLA_ASSIGN_OR_RETURN(Shape result, WithElementType(operand, new_type));
    result.set_dimensions(static_cast<int>(last), size, dynamic);
    return result;
  };
  switch (attributes.fft_type) {
    case FftType::FFT:
    case FftType::IFFT:
      if (!IsComplexType(type)) {
        return InvalidArgumentStrCat(name, " requires complex input type, found ", TypeName(type),
                                     ".");
      }
      // Other lengths than the operand's cut it or add zeros.
      return operand;
    case FftType::RFFT:
      if (type != F32 && type != F64) {
        return InvalidArgumentStrCat("RFFT requires F32 or F64 input type, found ", TypeName(type),
                                     ".");
      }
      XLA_RETURN_IF_ERROR(ExpectLengths(in, attributes, rank));
      // A size of zero stays zero.
      return with_last(type == F32 ? C64 : C128, HalfSpectrumSize(lengths.back()));
    case FftType::IRFFT: {
      if (!IsComplexType(type)) {
        return InvalidArgumentStrCat("IRFFT requires complex input type, found ", TypeName(type),
                                     ".");
      }
      XLA_RETURN_IF_ERROR(ExpectLengths(in, attributes, rank - 1));
      const int64_t expected = lengths.back() / 2 + 1;
      const bool both_zero = last_dim.size == 0 && lengths.back() == 0;
      if (!both_zero && !SizesCompatible(last_dim.size, expected)) {
        return InvalidArgument(
            "IRFFT requires innermost dimension matches fft_length/2+1, but dimension %d is %d and "
            "should be "
            "%d.",
            last, last_dim.size, expected);
      }
      return with_last(primitive_util::ComplexComponentType(type), lengths.back());
    }
    default:
      return InvalidArgument("Unexpected fft_type: %d", static_cast<int>(attributes.fft_type));
  }
}

}  // namespace xla::shape_inference
