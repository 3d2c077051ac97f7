// SPDX-License-Identifier: Apache-2.0
#include "tools/array_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/text/parser.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

bool IsRegular(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// The first bytes, where no reader needs them: of regular files.
std::string FirstBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(16, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// Of what may never end: whether it can become a file of arrays.
bool CanBegin(std::string_view bytes) {
  const auto is_prefix = [&](std::string_view magic) {
    return bytes.starts_with(magic.substr(0, bytes.size()));
  };
  return is_prefix("\x93NUMPY") || is_prefix("PK") || bytes.size() < 9 || IsSafetensors(bytes);
}

// A layout that follows a shape in HLO text, before the values: "f32[2,2]{1,0} {{1,2},{3,4}}".
std::string_view WithoutLayout(std::string_view values) {
  const size_t close = values.find('}');
  if (values.empty() || values[0] != '{' || close == std::string_view::npos) return values;
  const std::string_view inside = values.substr(1, close - 1);
  const bool is_layout = std::all_of(inside.begin(), inside.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == ',';
  });
  const absl::string_view rest = absl::StripLeadingAsciiWhitespace(View(values.substr(close + 1)));
  return is_layout && !rest.empty() && rest[0] == '{' ? std::string_view(rest.data(), rest.size())
                                                      : values;
}

// What is wrong, of a message of the parser of HLO text: "Syntax error ..:\nwas parsing 1:2: error:
// WHY", the line, and more such reasons.
absl::string_view FirstReason(absl::string_view message) {
  constexpr absl::string_view kError = "error: ";
  const size_t at = message.find(kError);
  if (at == absl::string_view::npos) return message;
  message.remove_prefix(at + kError.size());
  return message.substr(0, message.find('\n'));
}

}  // namespace

bool IsInlineLiteral(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || text.find(']', bracket) == std::string_view::npos)
    return false;
  const absl::string_view type = absl::StripAsciiWhitespace(View(text.substr(0, bracket)));
  return primitive_util::StringToPrimitiveType(type).ok() && !IsRegular(std::string(text));
}

absl::StatusOr<Literal> ParseInlineLiteral(std::string_view text) {
  const size_t end = text.find(']') + 1;
  XLA_ASSIGN_OR_RETURN(const Shape shape, ParseShape(text.substr(0, end)));
  const absl::string_view rest = absl::StripAsciiWhitespace(View(text.substr(end)));
  const std::string_view values = WithoutLayout({rest.data(), rest.size()});
  if (values.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("expected the values of ", shape.ToString(),
                                                   " after it, as in f32[3]{1, 2, 3}"));
  }
  return ParseLiteral(shape, values);
}

absl::StatusOr<ArrayFile> ArrayFile::Open(const std::string& source) {
  if (IsInlineLiteral(source)) {
    absl::StatusOr<Literal> literal = ParseInlineLiteral(source);
    if (!literal.ok()) {
      return absl::Status(literal.status().code(),
                          absl::StrCat("'", source.substr(0, 60), source.size() > 60 ? "..." : "",
                                       "': ", FirstReason(literal.status().message())));
    }
    return ArrayFile(*std::move(literal));
  }
  if (IsRegular(source)) {
    if (IsSafetensors(FirstBytes(source))) {
      XLA_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::Open(source));
      return ArrayFile(std::move(file));
    }
    XLA_ASSIGN_OR_RETURN(NumpyFile file, NumpyFile::Open(source));
    return ArrayFile(std::move(file));
  }
  XLA_ASSIGN_OR_RETURN(std::string bytes, ReadFile(source, UsableMemoryBytes(), CanBegin));
  const auto parse = [&]() -> absl::StatusOr<ArrayFile> {
    if (IsSafetensors(bytes)) {
      XLA_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::FromBytes(std::move(bytes)));
      return ArrayFile(std::move(file));
    }
    XLA_ASSIGN_OR_RETURN(NumpyFile file, NumpyFile::FromBytes(std::move(bytes)));
    return ArrayFile(std::move(file));
  };
  absl::StatusOr<ArrayFile> file = parse();
  if (file.ok()) return file;
  return absl::Status(file.status().code(),
                      absl::StrCat(DisplayName(source), ": ", file.status().message()));
}

size_t ArrayFile::size() const {
  return std::visit(Overloaded{[](const Literal&) { return size_t{1}; },
                               [](const auto& file) { return file.size(); }},
                    arrays_);
}

const std::string& ArrayFile::name(size_t i) const {
  static const std::string none;
  return std::visit(
      Overloaded{[](const Literal&) -> const std::string& { return none; },
                 [i](const auto& file) -> const std::string& { return file.name(i); }},
      arrays_);
}

absl::StatusOr<Shape> ArrayFile::ReadShape(size_t i) const {
  using Result = absl::StatusOr<Shape>;
  return std::visit(Overloaded{[](const Literal& literal) -> Result { return literal.shape(); },
                               [i](const SafetensorsFile& file) -> Result { return file.shape(i); },
                               [i](const NumpyFile& file) -> Result { return file.ReadShape(i); }},
                    arrays_);
}

absl::StatusOr<Literal> ArrayFile::Read(size_t i) const {
  using Result = absl::StatusOr<Literal>;
  return std::visit(Overloaded{[](const Literal& literal) -> Result { return literal.Clone(); },
                               [i](const auto& file) -> Result { return file.Read(i); }},
                    arrays_);
}

absl::StatusOr<Literal> ArrayFile::ReadAs(size_t i, const Shape& shape) const {
  if (const auto* numpy = std::get_if<NumpyFile>(&arrays_)) return numpy->ReadAs(i, shape);
  XLA_ASSIGN_OR_RETURN(const Shape given, ReadShape(i));
  XLA_RETURN_IF_ERROR(CheckFitsArgument(given, shape));
  XLA_ASSIGN_OR_RETURN(Literal array, Read(i));
  return ToArgument(std::move(array), shape);
}

}  // namespace xla
