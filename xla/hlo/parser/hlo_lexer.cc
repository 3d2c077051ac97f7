// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/parser/hlo_lexer.h"

#include <algorithm>
#include <string_view>

#include "xla/base/string_view.h"

namespace xla {

static_assert(static_cast<int>(TokKind::kDecimal) == static_cast<int>(text::TokKind::kDecimal));
static_assert(static_cast<int>(TokKind::kw_HloModule) ==
              static_cast<int>(text::TokKind::kwHloModule));

std::string TokKindToString(TokKind kind) {
  return std::string(text::TokKindName(static_cast<text::TokKind>(kind)));
}

HloLexer::HloLexer(absl::string_view text)
    : text_(text), lexer_(std::string_view(text.data(), text.size())) {}

std::string HloLexer::GetStrVal() const {
  return lexer_.kind() == text::TokKind::kString ? std::string(lexer_.StringValue())
                                                 : std::string(lexer_.token().text);
}

std::pair<unsigned, unsigned> HloLexer::GetLineAndColumn(LocTy location) const {
  const absl::string_view before = text_.substr(0, location - text_.data());
  const size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
  return {static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<unsigned>(before.size() - line_start) + 1};
}

absl::string_view HloLexer::GetLine(LocTy location) const {
  const size_t at = location - text_.data();
  const size_t start = text_.substr(0, at).rfind('\n') + 1;
  return text_.substr(start, std::min(text_.find('\n', at), text_.size()) - start);
}

bool LexesAsJsonDict(absl::string_view text) {
  return text::LexesAsJsonDict(std::string_view(text.data(), text.size()));
}

}  // namespace xla
