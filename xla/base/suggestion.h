// SPDX-License-Identifier: Apache-2.0
// What a misspelled word may have meant, for error messages.
#ifndef XLA_BASE_SUGGESTION_H_
#define XLA_BASE_SUGGESTION_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace xla {

// The known word that is near, of which a few letters differ or the word is an abbreviation
// ("algsimp"); empty if there is none.
std::string_view NearestWord(std::string_view word, absl::Span<const std::string_view> known);

// "; did you mean '--input'?", or nothing.
std::string Suggestion(std::string_view word, absl::Span<const std::string_view> known);

}  // namespace xla

#endif  // XLA_BASE_SUGGESTION_H_
