// SPDX-License-Identifier: Apache-2.0
// Numbers in MLIR text.
#include "xla/mlir/number_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

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

namespace {

// A positive number: digits, read as an integer, times 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// Divides by 10, which gives the rest.
uint64_t DivideByTen(std::vector<uint64_t>* words) {
  unsigned __int128 rest = 0;
  for (size_t i = words->size(); i-- > 0;) {
    rest = rest << 64 | (*words)[i];
    (*words)[i] = static_cast<uint64_t>(rest / 10);
    rest %= 10;
  }
  while (!words->empty() && words->back() == 0) words->pop_back();
  return static_cast<uint64_t>(rest);
}

// At most `precision` digits of a positive number, as LLVM's APFloat finds them: digits that are
// surely not needed are cut off first, then the rest is rounded.
Decimal DecimalOf(double value, int precision) {
  constexpr int kMantissaBits = 53;
  int power;
  auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(value, &power), kMantissaBits));
  power -= kMantissaBits;
  for (; mantissa % 2 == 0; mantissa /= 2) ++power;
  std::vector<uint64_t> words = {mantissa};
  for (int i = 0; i < power; ++i) MultiplyAdd(&words, 2, 0);
  for (int i = power; i < 0; ++i) MultiplyAdd(&words, 5, 0);
  Decimal result;
  result.exponent = std::min(power, 0);
  const int bits = static_cast<int>(64 * words.size()) - std::countl_zero(words.back());
  // 196 / 59 is a little more than the bits of a decimal digit.
  const int needed = (precision * 196 + 58) / 59;
  const int cut = bits > needed ? (bits - needed) * 59 / 196 : 0;
  for (int i = 0; i < cut; ++i) DivideByTen(&words);
  result.exponent += cut;
  while (!words.empty()) {
    result.digits.push_back(static_cast<char>('0' + DivideByTen(&words)));
  }
  std::reverse(result.digits.begin(), result.digits.end());
  const auto most = static_cast<size_t>(precision);
  if (result.digits.size() > most) {
    const bool rounds_up = result.digits[most] >= '5';
    result.exponent += static_cast<int>(result.digits.size() - most);
    result.digits.resize(most);
    while (rounds_up && !result.digits.empty() && result.digits.back() == '9') {
      result.digits.pop_back();
      ++result.exponent;
    }
    if (result.digits.empty()) {
      result.digits = "1";
    } else if (rounds_up) {
      ++result.digits.back();
    }
  }
  while (result.digits.size() > 1 && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

// "d.dddddde+xx", with six digits behind the point at least.
std::string Scientific(const Decimal& decimal) {
  constexpr size_t kPadded = 6;
  std::string fraction = decimal.digits.substr(1);
  if (fraction.size() < kPadded) fraction.append(kPadded - fraction.size(), '0');
  const int exponent = decimal.exponent + static_cast<int>(decimal.digits.size()) - 1;
  return absl::StrCat(decimal.digits.substr(0, 1), ".", fraction, exponent < 0 ? "e-" : "e+",
                      std::abs(exponent) < 10 ? "0" : "", std::abs(exponent));
}

// A plain decimal if that is not much longer, else as "1.23E-6".
std::string PlainOrScientific(const Decimal& decimal, int precision) {
  const std::string& digits = decimal.digits;
  const auto count = static_cast<int>(digits.size());
  const int first = decimal.exponent + count - 1;  // the power of ten of the first digit
  constexpr int kMaxPadding = 3;
  const bool is_plain = decimal.exponent >= 0 ? decimal.exponent <= kMaxPadding &&
                                                    count + decimal.exponent <= precision
                                              : first >= 0 || -first <= kMaxPadding;
  if (!is_plain) {
    return absl::StrCat(digits.substr(0, 1), ".", count == 1 ? "0" : digits.substr(1), "E",
                        first < 0 ? "-" : "+", std::abs(first));
  }
  if (decimal.exponent >= 0) {
    return absl::StrCat(digits, std::string(static_cast<size_t>(decimal.exponent), '0'));
  }
  if (first >= 0) {
    const auto point = static_cast<size_t>(first) + 1;
    return absl::StrCat(digits.substr(0, point), ".", digits.substr(point));
  }
  return absl::StrCat("0.", std::string(static_cast<size_t>(-first - 1), '0'), digits);
}

// As MLIR writes finite numbers: with 6 digits if they tell the value, else with as many as do.
std::string FiniteText(FloatKind kind, const FloatBits& bits, double value) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0) return absl::StrCat(sign, "0.000000e+00");
  const auto is_value = [&](const std::string& text) {
    double read = 0;
    return ParseDecimalFloat(text, &read) && EncodeFloat(kind, read) == bits;
  };
  constexpr int kFewDigits = 6;
  const std::string few = absl::StrCat(sign, Scientific(DecimalOf(std::fabs(value), kFewDigits)));
  if (is_value(few)) return few;
  constexpr int kMaxDigits = 17;  // of a double
  std::string many;
  int digits = std::min(kMaxDigits, 2 + (GetFloatFormat(kind).mantissa_bits + 1) * 59 / 196);
  do {
    many = absl::StrCat(sign, PlainOrScientific(DecimalOf(std::fabs(value), digits), digits));
  } while (!is_value(many) && ++digits <= kMaxDigits + 2);
  return many;
}

}  // namespace

void AppendFloatText(std::string* out, FloatKind kind, const FloatBits& bits) {
  const double value = DecodeFloat(kind, bits);
  if (std::isfinite(value) && EncodeFloat(kind, value) == bits) {
    const std::string text = FiniteText(kind, bits, value);
    // What would read as an integer is written in hexadecimal.
    if (text.find('.') != std::string::npos) {
      out->append(text);
      return;
    }
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
