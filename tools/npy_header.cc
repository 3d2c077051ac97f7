// SPDX-License-Identifier: Apache-2.0
#include "tools/npy_header.h"

#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Headers of version 1 have at most 64 KiB. Longer ones belong to arrays of structures.
constexpr uint32_t kMaxHeader = 1 << 16;

struct Dtype {
  std::string_view text;  // without byte order
  PrimitiveType type;
  bool is_raw = false;
};
constexpr Dtype kDtypes[] = {{"b1", PRED}, {"i1", S8},    {"i2", S16},      {"i4", S32},
                             {"i8", S64},  {"u1", U8},    {"u2", U16},      {"u4", U32},
                             {"u8", U64},  {"f2", F16},   {"f4", F32},      {"f8", F64},
                             {"c8", C64},  {"c16", C128}, {"V1", U8, true}, {"V2", U16, true}};

// A value of the dictionary: a string, a bare word (True, a number) or the items of a tuple.
struct PythonValue {
  enum Kind { kString, kWord, kTuple } kind;
  std::string text;
  std::vector<std::string> items;
};

// Parses the subset of Python's literals that numpy.lib.format writes.
class DictionaryParser {
 public:
  explicit DictionaryParser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::map<std::string, PythonValue>> Parse() {
    std::map<std::string, PythonValue> entries;
    if (!Consume('{')) return Error("a dictionary");
    while (!Consume('}')) {
      std::string key;
      PythonValue value;
      if (!String(&key) || !Consume(':')) return Error("a key");
      if (!Value(&value)) return Error("a string, a word or a tuple of numbers");
      if (!entries.emplace(std::move(key), std::move(value)).second) return Error("distinct keys");
      if (!Consume(',') && Peek() != '}') return Error("',' or '}'");
    }
    if (Peek() != '\0') return Error("the end");
    return entries;
  }

 private:
  absl::Status Error(absl::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: invalid header: expected ", expected, " at offset ", at_));
  }
  char Peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Consume(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool String(std::string* out) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return true;
  }
  bool Word(std::string* out) {
    Peek();
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) {
      *out += text_[at_++];
    }
    return !out->empty();
  }
  bool Value(PythonValue* value) {
    if (String(&value->text)) {
      value->kind = PythonValue::kString;
      return true;
    }
    if (!Consume('(')) {
      value->kind = PythonValue::kWord;
      return Word(&value->text);
    }
    value->kind = PythonValue::kTuple;
    while (!Consume(')')) {
      if (!Word(&value->items.emplace_back())) return false;
      if (!Consume(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

absl::StatusOr<Shape> MakeShape(PrimitiveType type, const std::vector<std::string>& items) {
  constexpr size_t kMaxRank = 64;  // of NumPy
  if (items.size() > kMaxRank) return absl::InvalidArgumentError("npy: too many dimensions");
  std::vector<int64_t> dimensions;
  for (const std::string& item : items) {
    int64_t size;
    // Python 2 wrote long integers with a suffix.
    const absl::string_view digits = absl::StripSuffix(item, "L");
    if (!absl::SimpleAtoi(digits, &size) || size < 0)
      return absl::InvalidArgumentError(absl::StrCat("npy: invalid dimension '", item, "'"));
    dimensions.push_back(size);
  }
  return ShapeUtil::MakeValidatedShape(type, dimensions);
}

}  // namespace

absl::Status ReadExactly(ReadBytes read, char* buffer, size_t count) {
  XLA_ASSIGN_OR_RETURN(const size_t got, read(buffer, count));
  return got == count ? absl::OkStatus() : absl::InvalidArgumentError("npy: the file is truncated");
}

bool IsNpy(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

absl::StatusOr<NpyHeader> ReadNpyHeader(ReadBytes read) {
  char start[8];
  XLA_RETURN_IF_ERROR(ReadExactly(read, start, sizeof(start)));
  const int major = static_cast<unsigned char>(start[6]);
  if (!IsNpy({start, sizeof(start)})) return absl::InvalidArgumentError("not a .npy file");
  if (major < 1 || major > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: unsupported version ", major, "; supported are 1 to 3"));
  }
  // Little-endian, of two or four bytes.
  unsigned char length[4] = {};
  XLA_RETURN_IF_ERROR(ReadExactly(read, reinterpret_cast<char*>(length), major == 1 ? 2 : 4));
  const uint32_t size =
      length[0] | length[1] << 8 | length[2] << 16 | static_cast<uint32_t>(length[3]) << 24;
  if (size > kMaxHeader) {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: the header of ", size, " bytes is longer than ", kMaxHeader));
  }
  std::string text(size, '\0');
  XLA_RETURN_IF_ERROR(ReadExactly(read, text.data(), size));
  XLA_ASSIGN_OR_RETURN(auto entries, DictionaryParser(text).Parse());
  if (entries.size() != 3 || entries["descr"].kind != PythonValue::kString ||
      entries["fortran_order"].kind != PythonValue::kWord ||
      entries["shape"].kind != PythonValue::kTuple) {
    return absl::InvalidArgumentError(
        "npy: the header must hold descr (a string), fortran_order and shape (a tuple)");
  }
  NpyHeader header;
  const std::string& fortran = entries["fortran_order"].text;
  if (fortran != "True" && fortran != "False") {
    return absl::InvalidArgumentError(
        absl::StrCat("npy: fortran_order must be True or False, not ", fortran));
  }
  header.fortran_order = fortran == "True";
  const std::string& descr = entries["descr"].text;
  const Dtype* found = nullptr;
  for (const Dtype& dtype : kDtypes) {
    if (!descr.empty() && descr.substr(1) == dtype.text) found = &dtype;
  }
  if (found == nullptr || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) {
    return absl::InvalidArgumentError(absl::StrCat(
        "npy: unsupported type '", descr, "'; supported are little-endian numbers and bool"));
  }
  header.is_raw = found->is_raw;
  XLA_ASSIGN_OR_RETURN(header.shape, MakeShape(found->type, entries["shape"].items));
  header.data_bytes = ShapeUtil::ByteSizeOf(header.shape);
  return header;
}

PrimitiveType NumpyType(PrimitiveType type) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.type == type) return type;
  }
  if (primitive_util::IsFloatingPointType(type)) return F32;
  return primitive_util::IsSignedIntegralType(type) ? S8 : U8;
}

std::string MakeNpyHeader(const Shape& shape) {
  std::string descr;
  for (const Dtype& dtype : kDtypes) {
    if (dtype.type == shape.element_type() && !dtype.is_raw)
      descr =
          absl::StrCat(primitive_util::ByteWidth(dtype.type) == 1 ? "|" : "<", View(dtype.text));
  }
  std::string text =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                   absl::StrJoin(shape.dimensions(), ", "), shape.rank() == 1 ? ",), }" : "), }");
  // The data begin at a multiple of 64 bytes.
  constexpr size_t kPreamble = 10;
  text.append(63 - (kPreamble + text.size()) % 64, ' ');
  text.push_back('\n');
  std::string header(kMagic);
  header.append(
      {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)});
  return header + text;
}

}  // namespace xla
