// SPDX-License-Identifier: Apache-2.0
#include "xla/text_literal_writer.h"

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

absl::Status TextLiteralWriter::WriteToPath(const Literal& literal, absl::string_view path) {
  std::ofstream file{std::string(path), std::ios::binary};
  if (!file) return NotFound("cannot open \"%s\" to write", path);
  file << ShapeUtil::HumanString(literal.shape()) << '\n';
  literal.EachCellAsString([&](absl::Span<const int64_t> index, const std::string& value) {
    file << '(' << absl::StrJoin(index, ", ") << "): " << value << '\n';
  });
  file.close();
  if (!file) return Internal("cannot write \"%s\" completely", path);
  return absl::OkStatus();
}

}  // namespace xla
