// SPDX-License-Identifier: Apache-2.0
// Numbers in MLIR text.
#include "xla/mlir/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace xla::mlir {
namespace {

// words = words * factor + addend
bool MultiplyAdd(std::vector<uint64_t>* words, uint64_t factor, uint64_t addend) {
  unsigned __int128 carry = addend;
  for (uint64_t& word : *words) {
    carry += static_cast<unsigned __int128>(word) * factor;
    word = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) words->push_back(static_cast<uint64_t>(carry));
  return words->size() <= kMaxIntegerBits / 64;
}

}  // namespace

bool ParseMagnitude(std::string_view text, std::vector<uint64_t>* words) {
  const bool is_hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  if (is_hex) text.remove_prefix(2);
  words->assign(1, 0);
  // Chunks whose value fits a word.
  const size_t step = is_hex ? 15 : 18;
  while (!text.empty()) {
    const std::string_view chunk = text.substr(0, step);
    text.remove_prefix(chunk.size());
    uint64_t value = 0;
    std::from_chars(chunk.data(), chunk.data() + chunk.size(), value, is_hex ? 16 : 10);
    uint64_t scale = 1;
    for (size_t i = 0; i < chunk.size(); ++i) scale *= is_hex ? 16 : 10;
    if (!MultiplyAdd(words, scale, value)) return false;
  }
  while (words->size() > 1 && words->back() == 0) words->pop_back();
  return true;
}

bool ParseDecimalFloat(std::string_view text, double* value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (stop != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) {
    // Too small or too large for a double: from_chars leaves the value unset.
    const size_t e = text.find_first_of("eE");
    const bool negative = text[0] == '-';
    bool is_tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    if (e == std::string_view::npos) {  // digits alone
      const size_t point = text.find('.');
      is_tiny = text.substr(0, point).find_first_of("123456789") == std::string_view::npos;
    }
    *value = is_tiny ? 0.0 : HUGE_VAL;
    if (negative) *value = -*value;
    return true;
  }
  return error == std::errc();
}

void AppendFloatText(std::string* out, FloatKind kind, const FloatBits& bits) {
  const double value = DecodeFloat(kind, bits);
  if (std::isfinite(value) && EncodeFloat(kind, value) == bits) {
    char buffer[40];
    const auto result =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
    const std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
    const size_t e = text.find('e');
    out->append(text.substr(0, e));
    if (text.substr(0, e).find('.') == std::string_view::npos) out->append(".0");
    out->append(text.substr(e));
    return;
  }
  const int digits = (GetFloatFormat(kind).width + 3) / 4;
  if (digits > 16) {
    absl::StrAppendFormat(out, "0x%0*x%016x", digits - 16, bits[1], bits[0]);
  } else {
    absl::StrAppendFormat(out, "0x%0*X", digits, bits[0]);
  }
}

void AppendIntegerText(std::string* out, const uint64_t* words, size_t count, bool is_signed) {
  std::vector<uint64_t> magnitude(words, words + count);
  if (is_signed && magnitude.back() >> 63 != 0) {
    out->push_back('-');
    uint64_t carry = 1;
    for (uint64_t& word : magnitude) {
      word = ~word + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
    }
  }
  // Groups of 18 digits, the lowest first.
  std::vector<uint64_t> groups;
  constexpr uint64_t kGroup = 1000000000000000000u;
  while (!magnitude.empty()) {
    unsigned __int128 rest = 0;
    for (size_t i = magnitude.size(); i-- > 0;) {
      rest = rest << 64 | magnitude[i];
      magnitude[i] = static_cast<uint64_t>(rest / kGroup);
      rest %= kGroup;
    }
    groups.push_back(static_cast<uint64_t>(rest));
    while (!magnitude.empty() && magnitude.back() == 0) magnitude.pop_back();
  }
  absl::StrAppend(out, groups.back());
  for (size_t i = groups.size() - 1; i-- > 0;) absl::StrAppendFormat(out, "%018d", groups[i]);
}

}  // namespace xla::mlir
