// SPDX-License-Identifier: Apache-2.0
// Tokens of HLO text (HLO text format, section 1).
//
// The lexer reads the text in place: a token's text is a view of it, and lines and columns are
// computed only when an error is reported. The text must outlive the lexer.
#ifndef XLA_HLO_TEXT_LEXER_H_
#define XLA_HLO_TEXT_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "xla/xla_data_enums.h"

namespace xla::text {

enum class TokKind : uint8_t {
  kEof,
  kError,
  // Punctuation
  kEqual,         // =
  kComma,         // ,
  kColon,         // :
  kAsterisk,      // *
  kQuestionMark,  // ?
  kOctothorp,     // #
  kPlus,          // +
  kTilde,         // ~
  kLsquare,       // [
  kRsquare,       // ]
  kLbrace,        // {
  kRbrace,        // }
  kLparen,        // (
  kRparen,        // )
  kArrow,         // ->
  kLeq,           // <=
  kDots,          // ...
  // Reserved words
  kwHloModule,
  kwEntry,
  kwRoot,
  kwFileNames,
  kwFunctionNames,
  kwFileLocations,
  kwStackFrames,
  kwTrue,
  kwFalse,
  kwMaximal,
  kwReplicated,
  kwManual,
  kwLastTileDimReplicate,
  kwShardAs,
  kwShardLike,
  kwUnknown,
  kwUnreduced,
  kwInf,
  kNegInf,  // -inf
  // With a value
  kPrimitiveType,
  kName,           // %ident, or ident: with the colon eaten
  kAttributeName,  // ident= with the equals sign eaten
  kDimLabels,      // b01f_01io->b01f
  kDxD,            // 2x3x4
  kPad,            // 0_1x2_3_1
  kIdent,
  kString,
  kInt,
  kDecimal,
};

// "kLbrace" and so on, as XLA's messages name token kinds.
std::string_view TokKindName(TokKind kind);

// A place in the text.
using Loc = const char*;

struct Token {
  TokKind kind = TokKind::kEof;
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;  // kPrimitiveType
  bool has_escapes = false;                     // kString: the value is in the lexer's buffer
  Loc begin = nullptr;                          // the first character
  // kName, kAttributeName, kIdent without the sign; kString without quotes; kDimLabels, kDxD, kPad
  // as they stand.
  std::string_view text;
  union {
    int64_t integer;  // kInt
    double decimal;   // kDecimal; out of range: infinity
  };
  Token() : integer(0) {}
};

class Lexer {
 public:
  explicit Lexer(std::string_view text)
      : begin_(text.data()), end_(begin_ + text.size()), cursor_(begin_) {}

  const Token& token() const { return token_; }
  TokKind kind() const { return token_.kind; }
  Loc loc() const { return token_.begin; }

  // Moves to the next token.
  TokKind Next() { return Lex(/*integers_only=*/false); }
  // The same where only an integer can follow: patterns and decimal numbers that start with one are
  // not tried.
  TokKind NextInteger() { return Lex(/*integers_only=*/true); }
  // The kind of the token after this one.
  TokKind LookAhead();
  // From a '{' token to the matching '}', quoted strings skipped: becomes a kString token whose
  // text includes the braces. kError if there is no matching brace.
  TokKind LexJsonDict();

  // The value of a kString token, escapes resolved.
  std::string_view StringValue() const {
    return token_.has_escapes ? std::string_view(unescaped_) : token_.text;
  }

  // Saves and restores the position; not at a string token.
  struct State {
    Token token;
    Loc cursor;
  };
  State Save() const { return {token_, cursor_}; }
  void Restore(const State& state) {
    token_ = state.token;
    cursor_ = state.cursor;
  }

  // The number of bytes left after this token.
  int64_t BytesLeft() const { return end_ - cursor_; }
  int64_t TextSize() const { return end_ - begin_; }

 private:
  TokKind Lex(bool integers_only);
  TokKind LexToken(bool integers_only);
  bool SkipComment();
  TokKind LexWord();
  TokKind LexPercent();
  TokKind LexNumberOrPattern(bool integers_only);
  TokKind LexInteger();
  TokKind LexNan(bool negative);
  TokKind LexString(char quote);
  TokKind Take(TokKind kind, Loc end);

  Loc begin_, end_, cursor_;
  Token token_;
  std::string unescaped_;
};

// Whether the whole text is one JSON-like dictionary: what a printer may write without quotes.
bool LexesAsJsonDict(std::string_view text);

}  // namespace xla::text

#endif  // XLA_HLO_TEXT_LEXER_H_
