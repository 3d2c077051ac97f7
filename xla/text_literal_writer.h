// SPDX-License-Identifier: Apache-2.0
// TextLiteralWriter: writes an array to a text file that TextLiteralReader reads.
#ifndef XLA_TEXT_LITERAL_WRITER_H_
#define XLA_TEXT_LITERAL_WRITER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace xla {

class TextLiteralWriter {
 public:
  // Overwrites the file. The error says if it cannot be written completely.
  static absl::Status WriteToPath(const Literal& literal, absl::string_view path);
};

}  // namespace xla

#endif  // XLA_TEXT_LITERAL_WRITER_H_
