// SPDX-License-Identifier: Apache-2.0
// Dequantization, and broadcasting with tiles.
#include "xla/hlo/builder/lib/quantize.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {

XlaOp lib_internal::DequantizeCodes(XlaOp input, const QuantizedRange& range,
                                    absl::string_view mode_string, bool transpose_output, int bits,
                                    float offset, float span) {
  return Make("Dequantize", {input}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOfRank(b, input, 1));
    if (shape.element_type() != U32) {
      return InvalidArgument("Only U32 is supported for input type of xla::Dequantize Op.");
    }
    if (mode_string != "MIN_COMBINED") {
      return InvalidArgument("Only MIN_COMBINED mode is supported in xla::Dequantize Op.");
    }
    // A new last dimension for the codes of a word, the highest first.
    const int64_t codes = 32 / bits;
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    std::vector<int64_t> dimensions;
    for (size_t i = 0; i < sizes.size(); ++i) dimensions.push_back(static_cast<int64_t>(i));
    sizes.push_back(codes);
    const XlaOp words = BroadcastInDim(input, sizes, dimensions);
    XLA_ASSIGN_OR_RETURN(const Shape words_shape, ShapeUtil::MakeValidatedShape(U32, sizes));
    const XlaOp place = ScalarLike(words, codes - 1) - Iota(b, words_shape, shape.rank());
    const XlaOp shift = place * ScalarLike(words, bits);
    const XlaOp code =
        And(ShiftRightLogical(words, shift), ScalarLike(words, (uint32_t{1} << bits) - 1));
    const bfloat16 scale = (range.max - range.min) / static_cast<bfloat16>(span);
    const XlaOp sum =
        ConvertElementType(code, BF16) + ConstantR0<bfloat16>(b, static_cast<bfloat16>(offset));
    const XlaOp value = sum * ConstantR0<bfloat16>(b, scale) + ConstantR0<bfloat16>(b, range.min);
    const XlaOp flat = Collapse(value, {shape.rank() - 1, shape.rank()});
    if (!transpose_output) return flat;
    return Transpose(flat, std::vector<int64_t>(dimensions.rbegin(), dimensions.rend()));
  });
}

absl::StatusOr<XlaOp> BroadcastTo(XlaOp input, absl::Span<const int64_t> output_dims) {
  XlaBuilder* const builder = XlaBuilder::Of({input});
  if (builder == nullptr) return InvalidArgument("BroadcastTo: the input is uninitialized.");
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(builder, input));
  const int64_t added = static_cast<int64_t>(output_dims.size()) - shape.rank();
  bool fits = added >= 0;
  // A dimension for the tiles before each that is tiled.
  std::vector<int64_t> sizes(output_dims.begin(), output_dims.begin() + (fits ? added : 0));
  std::vector<int64_t> dimensions;
  for (int64_t i = 0; fits && i < shape.rank(); ++i) {
    const int64_t size = shape.dimensions(static_cast<int>(i));
    const int64_t output = output_dims[static_cast<size_t>(i + added)];
    const bool whole = output >= 0 && (size == 0 ? output == 0 : output % size == 0);
    fits = fits && whole;
    if (fits && size > 1 && output != size) sizes.push_back(output / size);
    dimensions.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(size == 1 ? output : size);
  }
  if (!fits) {
    return InvalidArgumentStrCat("BroadcastTo: Input ", ShapeUtil::HumanString(shape),
                                 " cannot be tiled to the sizes [", absl::StrJoin(output_dims, ","),
                                 "].");
  }
  const XlaOp tiled = BroadcastInDim(input, sizes, dimensions);
  return sizes.size() == output_dims.size() ? tiled : Reshape(tiled, output_dims);
}

}  // namespace xla
