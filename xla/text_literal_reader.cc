// SPDX-License-Identifier: Apache-2.0
#include "xla/text_literal_reader.h"

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();

// "(0, 1): 1.5" of an array of these sizes.
absl::Status ReadElement(absl::string_view line, Literal* literal) {
  const std::vector<absl::string_view> pieces = absl::StrSplit(line, ':');
  if (pieces.size() != 2) {
    return InvalidArgument("expected ':' separating coordinates and value: \"%s\"", line);
  }
  absl::string_view coordinates = absl::StripAsciiWhitespace(pieces[0]);
  if (!absl::ConsumePrefix(&coordinates, "(")) {
    return InvalidArgument("expected '(' at the beginning of coordinates: \"%s\"", line);
  }
  if (!absl::ConsumeSuffix(&coordinates, ")")) {
    return InvalidArgument("expected ')' at the end of coordinates: \"%s\"", line);
  }
  const absl::string_view value_text = absl::StripAsciiWhitespace(pieces[1]);
  float value;
  if (!absl::SimpleAtof(value_text, &value)) {
    return InvalidArgument("could not parse value as float: \"%s\"", value_text);
  }
  std::vector<int64_t> index;
  for (const absl::string_view piece : absl::StrSplit(coordinates, ',', absl::SkipWhitespace())) {
    if (!absl::SimpleAtoi(piece, &index.emplace_back())) {
      return InvalidArgument("could not parse coordinate member as int64_t: \"%s\"", piece);
    }
  }
  const absl::Span<const int64_t> sizes = literal->shape().dimensions();
  if (index.size() != sizes.size()) {
    return InvalidArgument(
        "line did not have expected number of coordinates; want %d got %u: \"%s\"", sizes.size(),
        index.size(), line);
  }
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= sizes[i]) {
      return InvalidArgument(
          "coordinate out of bounds for dimension %d: want [0, %d) got %d: \"%s\"", i, sizes[i],
          index[i], line);
    }
  }
  literal->Set<float>(index, value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> TextLiteralReader::ReadPath(absl::string_view path) {
  std::ifstream file{std::string(path)};
  std::string line;
  if (!file) return NotFound("cannot open \"%s\"", path);
  if (!std::getline(file, line)) return InvalidArgument("no shape in \"%s\"", path);
  XLA_ASSIGN_OR_RETURN(const Shape shape,
                       ParseShape(std::string(absl::StripAsciiWhitespace(line))));
  if (!shape.IsArray() || shape.element_type() != F32) {
    return Unimplemented("unsupported element type for text literal reading: %s",
                         ShapeUtil::HumanString(shape));
  }
  double bytes = sizeof(float);
  for (const int64_t size : shape.dimensions()) bytes *= static_cast<double>(size);
  if (!(bytes <= static_cast<double>(kMaxBytes))) {
    return ResourceExhausted("Shape %s requires too much memory", ShapeUtil::HumanString(shape));
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  literal.PopulateWithValue(std::numeric_limits<float>::quiet_NaN());
  while (std::getline(file, line)) {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(line);
    if (!trimmed.empty()) XLA_RETURN_IF_ERROR(ReadElement(trimmed, &literal));
  }
  if (file.bad()) return Internal("cannot read \"%s\"", path);
  return literal;
}

}  // namespace xla
