// SPDX-License-Identifier: Apache-2.0
// Small unsigned numbers packed in 32 bits, and what they stand for.
#ifndef XLA_HLO_BUILDER_LIB_QUANTIZE_H_
#define XLA_HLO_BUILDER_LIB_QUANTIZE_H_

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/types.h"

namespace xla {

// The numbers that the least and the greatest code stand for.
struct QuantizedRange {
  QuantizedRange() = default;
  QuantizedRange(float min_in, float max_in) : min(min_in), max(max_in) {}
  bool operator==(const QuantizedRange& other) const {
    return min == other.min && max == other.max;
  }
  bool operator!=(const QuantizedRange& other) const { return !(*this == other); }

  bfloat16 min = bfloat16(0.0f);
  bfloat16 max = bfloat16(0.0f);
};

// The first element in the highest bits; the last word is filled up with zeros. T is uint8_t or
// uint16_t.
template <typename T>
std::vector<uint32_t> PackToUint32(absl::Span<const T> input) {
  static_assert(sizeof(T) < sizeof(uint32_t));
  constexpr size_t kPerWord = sizeof(uint32_t) / sizeof(T);
  std::vector<uint32_t> words((input.size() + kPerWord - 1) / kPerWord, 0);
  for (size_t i = 0; i < input.size(); ++i) {
    const size_t place = kPerWord - 1 - i % kPerWord;
    words[i / kPerWord] |= static_cast<uint32_t>(static_cast<std::make_unsigned_t<T>>(input[i]))
                           << (8 * sizeof(T) * place);
  }
  return words;
}

namespace lib_internal {
// Of codes `bits` wide; (code + offset) * (max - min) / span + min.
XlaOp DequantizeCodes(XlaOp input, const QuantizedRange& range, absl::string_view mode_string,
                      bool transpose_output, int bits, float offset, float span);
}  // namespace lib_internal

// Packed codes u32[d0, ..., dn] of T, uint8_t or uint16_t, as bf16[d0, ..., dn * codes in a word];
// with transpose_output the dimensions in reverse order. The mode is MIN_COMBINED.
template <typename T>
XlaOp Dequantize(XlaOp input, const QuantizedRange& range,
                 absl::string_view mode_string = "MIN_COMBINED", bool transpose_output = false) {
  static_assert(sizeof(T) < sizeof(uint32_t));
  constexpr float kSpan =
      static_cast<float>(std::numeric_limits<T>::max()) - std::numeric_limits<T>::min();
  constexpr float kOffset = std::is_signed_v<T> ? (kSpan + 1) / 2 : 0;
  return lib_internal::DequantizeCodes(input, range, mode_string, transpose_output, 8 * sizeof(T),
                                       kOffset, kSpan);
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_QUANTIZE_H_
