// SPDX-License-Identifier: Apache-2.0
// TextLiteralReader: reads an array from a text file with one element a line:
//
//     f32[1,2]
//     (0, 0): 1.5
//     (0, 1): 0x1p-2
#ifndef XLA_TEXT_LITERAL_READER_H_
#define XLA_TEXT_LITERAL_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace xla {

class TextLiteralReader {
 public:
  // Elements that the file does not list are NaN. Errors: a malformed line; indices out of bounds;
  // an element type other than F32 (Unimplemented); more than 2 GiB (ResourceExhausted).
  static absl::StatusOr<Literal> ReadPath(absl::string_view path);
};

}  // namespace xla

#endif  // XLA_TEXT_LITERAL_READER_H_
