// SPDX-License-Identifier: Apache-2.0
// The lexer of HLO text under XLA's include path and with its signatures. xla/hlo/text/lexer.h is
// the lexer itself.
#ifndef XLA_HLO_PARSER_HLO_LEXER_H_
#define XLA_HLO_PARSER_HLO_LEXER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "xla/hlo/text/lexer.h"
#include "xla/xla_data_enums.h"

namespace xla {

// The kinds of text::TokKind, in its order.
enum class TokKind {
  kEof,
  kError,
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kQuestionMark,
  kOctothorp,
  kPlus,
  kTilde,
  kLsquare,
  kRsquare,
  kLbrace,
  kRbrace,
  kLparen,
  kRparen,
  kArrow,
  kLeq,
  kDots,
  kw_HloModule,
  kw_ENTRY,
  kw_ROOT,
  kw_FileNames,
  kw_FunctionNames,
  kw_FileLocations,
  kw_StackFrames,
  kw_true,
  kw_false,
  kw_maximal,
  kw_replicated,
  kw_manual,
  kw_last_tile_dim_replicate,
  kw_shard_as,
  kw_shard_like,
  kw_unknown,
  kw_unreduced,
  kw_inf,
  kNegInf,
  kPrimitiveType,
  kName,
  kAttributeName,
  kDimLabels,
  kDxD,
  kPad,
  kIdent,
  kString,
  kInt,
  kDecimal,
};

// "kLbrace", "kw_ENTRY".
std::string TokKindToString(TokKind kind);

// The text must outlive the lexer.
class HloLexer {
 public:
  using LocTy = const char*;

  explicit HloLexer(absl::string_view text);

  // Moves to the next token.
  TokKind Lex() { return Kind(lexer_.Next()); }
  TokKind GetKind() const { return Kind(lexer_.kind()); }
  // The kind of the token after this one.
  TokKind LookAhead() { return Kind(lexer_.LookAhead()); }
  TokKind LexJsonDict() { return Kind(lexer_.LexJsonDict()); }

  // The value of a token of that kind; of another one, an unspecified value.
  std::string GetStrVal() const;
  int64_t GetInt64Val() const { return lexer_.token().integer; }
  double GetDecimalVal() const { return lexer_.token().decimal; }
  PrimitiveType GetPrimitiveTypeVal() const { return lexer_.token().type; }

  LocTy GetLoc() const { return lexer_.loc(); }
  // Counted from 1.
  std::pair<unsigned, unsigned> GetLineAndColumn(LocTy location) const;
  absl::string_view GetLine(LocTy location) const;

 private:
  static TokKind Kind(text::TokKind kind) { return static_cast<TokKind>(kind); }

  absl::string_view text_;
  text::Lexer lexer_;
};

// Whether the whole text is one JSON-like dictionary.
bool LexesAsJsonDict(absl::string_view text);

}  // namespace xla

#endif  // XLA_HLO_PARSER_HLO_LEXER_H_
