// SPDX-License-Identifier: Apache-2.0
// Tokens of HLO text.
#include "xla/hlo/text/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "xla/primitive_util.h"

namespace xla::text {
namespace {

// Classes of characters.
enum CharClass : uint8_t {
  kSpaceChar = 1,    // blank, tab, line ends
  kWordStart = 2,    // [A-Za-z_]
  kWordChar = 4,     // [A-Za-z0-9_.-]
  kDigitChar = 8,    // [0-9]
  kInputLabel = 16,  // [0-9bf?]: dimension labels of a convolution's input and output
  kKernelLabel = 32  // [0-9io?]
};

constexpr std::array<uint8_t, 256> MakeCharClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[c] |= kWordStart | kWordChar;
    classes[c - 'a' + 'A'] |= kWordStart | kWordChar;
  }
  classes[static_cast<int>('_')] |= kWordStart | kWordChar;
  for (int c = '0'; c <= '9'; ++c)
    classes[c] |= kWordChar | kDigitChar | kInputLabel | kKernelLabel;
  for (unsigned char c : {'.', '-'}) classes[c] |= kWordChar;
  for (unsigned char c : {' ', '\t', '\n', '\r'}) classes[c] |= kSpaceChar;
  for (unsigned char c : {'b', 'f', '?'}) classes[c] |= kInputLabel;
  for (unsigned char c : {'i', 'o', '?'}) classes[c] |= kKernelLabel;
  return classes;
}
constexpr std::array<uint8_t, 256> kCharClasses = MakeCharClasses();

bool Is(char c, uint8_t char_class) {
  return (kCharClasses[static_cast<uint8_t>(c)] & char_class) != 0;
}

Loc SkipWhile(Loc p, Loc end, uint8_t char_class) {
  while (p != end && Is(*p, char_class)) ++p;
  return p;
}

struct Word {
  TokKind kind;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
};
constexpr size_t kLongestReserved = 24;

// Reserved words: keywords and the names of element types.
const absl::flat_hash_map<std::string_view, Word>& ReservedWords() {
  static const auto* const words = [] {
    auto* map = new absl::flat_hash_map<std::string_view, Word>{
        {"true", {TokKind::kwTrue}},
        {"false", {TokKind::kwFalse}},
        {"inf", {TokKind::kwInf}},
        {"nan", {TokKind::kDecimal}},
        {"HloModule", {TokKind::kwHloModule}},
        {"ENTRY", {TokKind::kwEntry}},
        {"ROOT", {TokKind::kwRoot}},
        {"FileLocations", {TokKind::kwFileLocations}},
        {"FileNames", {TokKind::kwFileNames}},
        {"FunctionNames", {TokKind::kwFunctionNames}},
        {"StackFrames", {TokKind::kwStackFrames}},
        {"maximal", {TokKind::kwMaximal}},
        {"replicated", {TokKind::kwReplicated}},
        {"manual", {TokKind::kwManual}},
        {"last_tile_dim_replicate", {TokKind::kwLastTileDimReplicate}},
        {"shard_as", {TokKind::kwShardAs}},
        {"shard_like", {TokKind::kwShardLike}},
        {"unknown", {TokKind::kwUnknown}},
        {"unreduced", {TokKind::kwUnreduced}},
    };
    for (int i = PrimitiveType_MIN; i <= PrimitiveType_MAX; ++i) {
      const auto type = static_cast<PrimitiveType>(i);
      // Tuples and buffers are written with parentheses; their names are free.
      if (!PrimitiveType_IsValid(i) || type == TUPLE || type == BUFFER ||
          type == PRIMITIVE_TYPE_INVALID)
        continue;
      map->emplace(primitive_util::LowercasePrimitiveTypeName(type),
                   Word{TokKind::kPrimitiveType, type});
    }
    return map;
  }();
  return *words;
}

// Each scanner gives the end of the longest match at p, or null.

// [-]?(digits with an exponent | digits with a point), digits on at least one side of the point.
Loc ScanDecimal(Loc p, Loc end) {
  if (p != end && *p == '-') ++p;
  const Loc whole = p;
  p = SkipWhile(p, end, kDigitChar);
  bool has_digits = p != whole;
  bool has_point = false;
  if (p != end && *p == '.') {
    const Loc fraction = SkipWhile(p + 1, end, kDigitChar);
    if (has_digits || fraction != p + 1) {
      has_point = true;
      has_digits = true;
      p = fraction;
    }
  }
  if (!has_digits) return nullptr;
  if (p != end && (*p == 'e' || *p == 'E')) {
    Loc exponent = p + 1;
    if (exponent != end && (*exponent == '+' || *exponent == '-')) ++exponent;
    const Loc exponent_end = SkipWhile(exponent, end, kDigitChar);
    if (exponent_end != exponent) return exponent_end;
  }
  return has_point ? p : nullptr;
}

// [0-9bf?]{2,}_[0-9io?]{2,}->[0-9bf?]{2,}
Loc ScanDimLabels(Loc p, Loc end) {
  Loc q = SkipWhile(p, end, kInputLabel);
  if (q - p < 2 || q == end || *q != '_') return nullptr;
  p = q + 1;
  q = SkipWhile(p, end, kKernelLabel);
  if (q - p < 2 || end - q < 2 || q[0] != '-' || q[1] != '>') return nullptr;
  p = q + 2;
  q = SkipWhile(p, end, kInputLabel);
  return q - p < 2 ? nullptr : q;
}

// [0-9]+(x[0-9]+)+
Loc ScanDxD(Loc p, Loc end) {
  Loc last = nullptr;
  Loc q = SkipWhile(p, end, kDigitChar);
  if (q == p) return nullptr;
  while (q != end && *q == 'x') {
    const Loc next = SkipWhile(q + 1, end, kDigitChar);
    if (next == q + 1) break;
    last = q = next;
  }
  return last;
}

// -?[0-9]+_-?[0-9]+(_[0-9]+)?
Loc ScanPadDim(Loc p, Loc end) {
  if (p != end && *p == '-') ++p;
  Loc q = SkipWhile(p, end, kDigitChar);
  if (q == p || q == end || *q != '_') return nullptr;
  p = q + 1;
  if (p != end && *p == '-') ++p;
  q = SkipWhile(p, end, kDigitChar);
  if (q == p) return nullptr;
  if (q != end && *q == '_') {
    const Loc interior = SkipWhile(q + 1, end, kDigitChar);
    if (interior != q + 1) q = interior;
  }
  return q;
}

// pad_dim(x pad_dim)*
Loc ScanPad(Loc p, Loc end) {
  Loc last = ScanPadDim(p, end);
  if (last == nullptr) return nullptr;
  while (last != end && *last == 'x') {
    const Loc next = ScanPadDim(last + 1, end);
    if (next == nullptr) break;
    last = next;
  }
  return last;
}

// The number in [begin, end); beyond the range of double: infinity or zero.
double ParseDecimal(Loc begin, Loc end) {
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc() && rest == end) return value;
  // Out of range, or a form that from_chars does not take: "-.5e3" it does, so this is rare.
  value = 0;
  (void)absl::SimpleAtod(absl::string_view(begin, end - begin), &value);
  return value;
}

double NanWithPayload(bool negative, uint64_t payload) {
  return std::bit_cast<double>((negative ? uint64_t{1} << 63 : 0) | uint64_t{0x7ff} << 52 |
                               payload);
}

bool IsValidUtf8(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    const auto lead = static_cast<uint8_t>(s[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > s.size()) return false;
    for (size_t j = 1; j < length; ++j) {
      if ((static_cast<uint8_t>(s[i + j]) & 0xc0) != 0x80) return false;
    }
    const auto second = static_cast<uint8_t>(s[i + 1]);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
      return false;
    }
    i += length;
  }
  return true;
}

// The end of a quoted string that starts at p, past the closing quote; null if it does not end. A
// backslash takes the next character with it, which may not be a line end.
Loc ScanQuoted(Loc p, Loc end, char quote, bool* has_escapes, bool* has_high_bytes) {
  for (++p; p != end; ++p) {
    if (*p == quote) return p + 1;
    if (*p == '\\') {
      *has_escapes = true;
      if (++p == end || *p == '\n') return nullptr;
    }
    if (static_cast<int8_t>(*p) < 0) *has_high_bytes = true;
  }
  return nullptr;
}

}  // namespace

std::string_view TokKindName(TokKind kind) {
  static constexpr std::string_view kNames[] = {"kEof",
                                                "kError",
                                                "kEqual",
                                                "kComma",
                                                "kColon",
                                                "kAsterisk",
                                                "kQuestionMark",
                                                "kOctothorp",
                                                "kPlus",
                                                "kTilde",
                                                "kLsquare",
                                                "kRsquare",
                                                "kLbrace",
                                                "kRbrace",
                                                "kLparen",
                                                "kRparen",
                                                "kArrow",
                                                "kLeq",
                                                "kDots",
                                                "kw_HloModule",
                                                "kw_ENTRY",
                                                "kw_ROOT",
                                                "kw_FileNames",
                                                "kw_FunctionNames",
                                                "kw_FileLocations",
                                                "kw_StackFrames",
                                                "kw_true",
                                                "kw_false",
                                                "kw_maximal",
                                                "kw_replicated",
                                                "kw_manual",
                                                "kw_last_tile_dim_replicate",
                                                "kw_shard_as",
                                                "kw_shard_like",
                                                "kw_unknown",
                                                "kw_unreduced",
                                                "kw_inf",
                                                "kNegInf",
                                                "kPrimitiveType",
                                                "kName",
                                                "kAttributeName",
                                                "kDimLabels",
                                                "kDxD",
                                                "kPad",
                                                "kIdent",
                                                "kString",
                                                "kInt",
                                                "kDecimal"};
  static_assert(std::size(kNames) == static_cast<size_t>(TokKind::kDecimal) + 1);
  return kNames[static_cast<size_t>(kind)];
}

TokKind Lexer::Lex(bool integers_only) { return token_.kind = LexToken(integers_only); }

TokKind Lexer::LookAhead() {
  if (token_.kind == TokKind::kEof || token_.kind == TokKind::kError) return token_.kind;
  const State state = Save();
  std::string unescaped;
  if (token_.has_escapes) unescaped.swap(unescaped_);
  const TokKind kind = Next();
  Restore(state);
  if (token_.has_escapes) unescaped.swap(unescaped_);
  return kind;
}

TokKind Lexer::Take(TokKind kind, Loc end) {
  token_.text = std::string_view(token_.begin, end - token_.begin);
  cursor_ = end;
  return kind;
}

TokKind Lexer::LexToken(bool integers_only) {
  token_.has_escapes = false;
  while (true) {
    cursor_ = SkipWhile(cursor_, end_, kSpaceChar);
    token_.begin = cursor_;
    if (cursor_ == end_) return TokKind::kEof;
    const char c = *cursor_;
    if (Is(c, kWordStart)) return LexWord();
    if (Is(c, kDigitChar)) return LexNumberOrPattern(integers_only);
    const char next = end_ - cursor_ > 1 ? cursor_[1] : '\0';
    switch (c) {
      case '\0':
        return TokKind::kError;  // and stays there
      case '-':
        if (next == '>') {
          cursor_ += 2;
          return TokKind::kArrow;
        }
        return LexNumberOrPattern(integers_only);
      case '?': {
        const TokKind kind = LexNumberOrPattern(integers_only);
        return kind == TokKind::kError ? TokKind::kQuestionMark : kind;
      }
      case '%':
        return LexPercent();
      case '"':
      case '\'':
        return LexString(c);
      case '/':
        if (next != '*' && next != '/') break;
        if (!SkipComment()) return TokKind::kError;
        continue;
      case '<':
        if (next != '=') break;
        cursor_ += 2;
        return TokKind::kLeq;
      case '.':
        if (next != '.' || end_ - cursor_ < 3 || cursor_[2] != '.') break;
        cursor_ += 3;
        return TokKind::kDots;
      case '=':
        ++cursor_;
        return TokKind::kEqual;
      case ',':
        ++cursor_;
        return TokKind::kComma;
      case ':':
        ++cursor_;
        return TokKind::kColon;
      case '*':
        ++cursor_;
        return TokKind::kAsterisk;
      case '#':
        ++cursor_;
        return TokKind::kOctothorp;
      case '+':
        ++cursor_;
        return TokKind::kPlus;
      case '~':
        ++cursor_;
        return TokKind::kTilde;
      case '[':
        ++cursor_;
        return TokKind::kLsquare;
      case ']':
        ++cursor_;
        return TokKind::kRsquare;
      case '{':
        ++cursor_;
        return TokKind::kLbrace;
      case '}':
        ++cursor_;
        return TokKind::kRbrace;
      case '(':
        ++cursor_;
        return TokKind::kLparen;
      case ')':
        ++cursor_;
        return TokKind::kRparen;
      default:
        break;
    }
    ++cursor_;
    return TokKind::kError;
  }
}

// From a '/' that starts a comment to what follows it. False, with the cursor inside, if it holds a
// NUL or does not end.
bool Lexer::SkipComment() {
  const Loc start = cursor_;
  Loc p = cursor_ + 2;
  if (start[1] == '/') {
    while (p != end_ && *p != '\n' && *p != '\r' && *p != '\0') ++p;
    cursor_ = p;
    return p == end_ || *p != '\0';
  }
  for (; p != end_; ++p) {
    if (*p == '\0') {
      cursor_ = p;
      return false;
    }
    if (*p == '*' && end_ - p > 1 && p[1] == '/') {
      cursor_ = p + 2;
      return true;
    }
  }
  cursor_ = start + 1;
  return false;
}

TokKind Lexer::LexWord() {
  const Loc end = SkipWhile(cursor_ + 1, end_, kWordChar);
  token_.text = std::string_view(cursor_, end - cursor_);
  if (end != end_ && (*end == ':' || *end == '=')) {
    cursor_ = end + 1;
    return *end == ':' ? TokKind::kName : TokKind::kAttributeName;
  }
  cursor_ = end;
  if (token_.text.size() <= kLongestReserved) {
    const auto& reserved = ReservedWords();
    if (auto it = reserved.find(token_.text); it != reserved.end()) {
      if (it->second.kind == TokKind::kDecimal) return LexNan(/*negative=*/false);
      token_.type = it->second.type;
      return it->second.kind;
    }
  }
  if (Is(*token_.begin, kInputLabel)) {
    if (const Loc labels_end = ScanDimLabels(token_.begin, end_))
      return Take(TokKind::kDimLabels, labels_end);
  }
  return TokKind::kIdent;
}

TokKind Lexer::LexPercent() {
  const Loc name = ++cursor_;
  if (name == end_ || !Is(*name, kWordStart)) return TokKind::kError;
  cursor_ = SkipWhile(name + 1, end_, kWordChar);
  token_.text = std::string_view(name, cursor_ - name);
  return TokKind::kName;
}

// After "nan" or "-nan": perhaps "(0x12)".
TokKind Lexer::LexNan(bool negative) {
  constexpr uint64_t kQuiet = uint64_t{1} << 51;
  constexpr uint64_t kPayloadMask = (uint64_t{1} << 52) - 1;
  uint64_t payload = kQuiet;
  if (cursor_ != end_ && *cursor_ == '(') {
    if (end_ - cursor_ < 5 || cursor_[1] != '0' || cursor_[2] != 'x') return TokKind::kError;
    const auto [rest, error] = std::from_chars(cursor_ + 3, end_, payload, 16);
    if (error != std::errc() || rest == end_ || *rest != ')' || payload == 0 ||
        payload > kPayloadMask) {
      return TokKind::kError;
    }
    cursor_ = rest + 1;
  }
  token_.decimal = NanWithPayload(negative, payload);
  return TokKind::kDecimal;
}

TokKind Lexer::LexNumberOrPattern(bool integers_only) {
  const Loc start = cursor_;
  if (!integers_only) {
    // Most numbers are plain integers: the character after the digits decides whether a pattern can
    // match.
    Loc digits_end = start + (*start == '-' ? 1 : 0);
    digits_end = SkipWhile(digits_end, end_, kDigitChar);
    const char after = digits_end == end_ ? '\0' : *digits_end;
    if (after == '.' || after == 'e' || after == 'E') {
      if (const Loc end = ScanDecimal(start, end_)) {
        token_.decimal = ParseDecimal(start, end);
        cursor_ = end;
        return TokKind::kDecimal;
      }
    }
    if (after == '_' || Is(after, kInputLabel)) {
      if (const Loc end = ScanDimLabels(start, end_)) return Take(TokKind::kDimLabels, end);
    }
    if (after == 'x') {
      if (const Loc end = ScanDxD(start, end_)) return Take(TokKind::kDxD, end);
    }
    if (after == '_') {
      if (const Loc end = ScanPad(start, end_)) return Take(TokKind::kPad, end);
    }
  }
  if (LexInteger() == TokKind::kInt) return TokKind::kInt;
  const std::string_view rest(start, end_ - start);
  if (rest.starts_with("-inf")) {
    cursor_ = start + 4;
    return TokKind::kNegInf;
  }
  if (rest.starts_with("-nan")) {
    cursor_ = start + 4;
    return LexNan(/*negative=*/true);
  }
  cursor_ = start + 1;
  return TokKind::kError;
}

// -?[0-9]+ in the range of int64, or of uint64 (kept as the int64 of the same bits).
TokKind Lexer::LexInteger() {
  Loc p = cursor_;
  const bool negative = *p == '-';
  if (negative) ++p;
  const Loc digits = p;
  uint64_t value = 0;
  for (; p != end_ && Is(*p, kDigitChar); ++p) {
    const uint64_t digit = static_cast<uint64_t>(*p - '0');
    if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      return TokKind::kError;
    }
  }
  if (p == digits) return TokKind::kError;
  if (negative) {
    if (value > uint64_t{1} << 63) return TokKind::kError;
    value = uint64_t{0} - value;
  }
  token_.integer = static_cast<int64_t>(value);
  cursor_ = p;
  return TokKind::kInt;
}

TokKind Lexer::LexString(char quote) {
  bool has_escapes = false, has_high_bytes = false;
  const Loc end = ScanQuoted(cursor_, end_, quote, &has_escapes, &has_high_bytes);
  const Loc start = cursor_;
  if (end == nullptr) {
    ++cursor_;
    return TokKind::kError;
  }
  token_.text = std::string_view(start + 1, end - start - 2);
  if (has_high_bytes && !IsValidUtf8(token_.text)) {
    ++cursor_;
    return TokKind::kError;
  }
  cursor_ = end;
  if (has_escapes) {
    if (!absl::CUnescape(absl::string_view(token_.text.data(), token_.text.size()), &unescaped_)) {
      return TokKind::kError;
    }
    token_.has_escapes = true;
  }
  return TokKind::kString;
}

TokKind Lexer::LexJsonDict() {
  if (token_.kind != TokKind::kLbrace) return TokKind::kError;
  bool ignored = false;
  int64_t depth = 0;
  for (Loc p = token_.begin; p != end_;) {
    if (*p == '"') {
      p = ScanQuoted(p, end_, '"', &ignored, &ignored);
      if (p == nullptr) return TokKind::kError;
      continue;
    }
    if (*p == '{') ++depth;
    if (*p == '}') --depth;
    ++p;
    if (depth == 0) return token_.kind = Take(TokKind::kString, p);
  }
  return TokKind::kError;
}

bool LexesAsJsonDict(std::string_view text) {
  Lexer lexer(text);
  return lexer.Next() == TokKind::kLbrace && lexer.LexJsonDict() == TokKind::kString &&
         lexer.Next() == TokKind::kEof;
}

}  // namespace xla::text
