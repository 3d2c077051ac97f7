// SPDX-License-Identifier: Apache-2.0
// Bytes of numbers and texts: numbers in eight bytes, the least significant one first, texts after
// their sizes.
#ifndef XLA_BASE_SIZED_TEXT_H_
#define XLA_BASE_SIZED_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xla {

inline void AppendNumber(uint64_t number, std::string& bytes) {
  for (int i = 0; i < 8; ++i, number >>= 8) bytes.push_back(static_cast<char>(number & 0xff));
}
inline void AppendSizedText(std::string_view text, std::string& bytes) {
  AppendNumber(text.size(), bytes);
  bytes.append(text);
}

// Take what was appended from the front of `bytes`; return false if they end early.
inline bool TakeNumber(std::string_view& bytes, uint64_t& number) {
  if (bytes.size() < 8) return false;
  number = 0;
  for (size_t i = 8; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(8);
  return true;
}
inline bool TakeSizedText(std::string_view& bytes, std::string_view& text) {
  uint64_t size = 0;
  if (!TakeNumber(bytes, size) || bytes.size() < size) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

}  // namespace xla

#endif  // XLA_BASE_SIZED_TEXT_H_
