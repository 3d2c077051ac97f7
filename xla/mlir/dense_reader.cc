// SPDX-License-Identifier: Apache-2.0
// dense<..>, array<..>, dense_resource<..> and sparse<..> in MLIR text.
#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/mlir/dense_data.h"
#include "xla/mlir/number_text.h"

namespace xla::mlir {
namespace {

using TypeNode = Type;

// Fills the buffer of a constant, element by element.
class DenseFiller {
 public:
  DenseFiller(AttributeReader* reader, TypeRef type, char* out)
      : reader_(*reader), cursor_(reader->cursor()), type_(*type), out_(out) {}

  // The list of dimension `depth`, or one element.
  bool Fill(size_t depth) {
    if (depth == type_.sizes.size()) return Element(*type_.element);
    const size_t begin = cursor_.offset();
    if (!cursor_.Consume('[')) {
      return cursor_.FailExpected(absl::StrCat("'[': ", ToString(&type_), " has rank ",
                                               type_.sizes.size(), ", the list of dense<..> ",
                                               depth));
    }
    int64_t count = 0;
    const int64_t size = type_.sizes[depth];
    if (!cursor_.Peek(']')) {
      do {
        if (count == size) return TooMany(begin, depth, count);
        if (!Fill(depth + 1)) return false;
        ++count;
      } while (cursor_.Consume(','));
    }
    if (!cursor_.Expect(']')) return false;
    return count == size || Mismatch(begin, depth, count);
  }

  bool Element(const TypeNode& element) {
    if (element.kind == TypeKind::kComplex) {
      return cursor_.Expect('(') && Element(*element.element) && cursor_.Expect(',') &&
             Element(*element.element) && cursor_.Expect(')');
    }
    if (element.kind == TypeKind::kInteger && element.width <= 64 && element.width > 1 &&
        SmallInteger(element)) {
      return true;
    }
    if (element.kind == TypeKind::kFloat && SimpleFloat(element)) return true;
    const AttributeRef number = reader_.ParseNumber(&element);
    if (number == nullptr) return false;
    const auto bytes = static_cast<size_t>(ElementBytes(element));
    if (const auto* integer = number->As<IntegerAttribute>()) {
      const void* words = integer->words.empty() ? static_cast<const void*>(&integer->value)
                                                 : integer->words.data();
      std::memcpy(out_, words, bytes);
    } else {
      std::memcpy(out_, number->As<FloatAttribute>()->bits.data(), bytes);
    }
    out_ += bytes;
    return true;
  }

 private:
  // Decimal integers that need no second look; false leaves them to ParseNumber.
  bool SmallInteger(const TypeNode& element) {
    const std::string_view text = cursor_.text();
    size_t i = cursor_.offset();
    const bool negative = i < text.size() && text[i] == '-';
    if (negative) ++i;
    const size_t first = i;
    uint64_t value = 0;
    while (i < text.size() && TextCursor::IsDigit(text[i]) && i - first < 18) {
      value = value * 10 + static_cast<uint64_t>(text[i++] - '0');
    }
    if (i == first || (i < text.size() && (TextCursor::IsWordChar(text[i])))) return false;
    const uint64_t limit = uint64_t{1} << (element.width - 1);
    if (element.signedness != Signedness::kSignless || value >= limit) return false;
    const uint64_t bits = negative ? uint64_t{0} - value : value;
    const auto bytes = static_cast<size_t>(ElementBytes(element));
    std::memcpy(out_, &bits, bytes);
    out_ += bytes;
    cursor_.SeekAndSkip(i);
    return true;
  }

  bool SimpleFloat(const TypeNode& element) {
    const std::string_view text = cursor_.text();
    const size_t begin = cursor_.offset();
    double value;
    const auto [stop, error] =
        std::from_chars(text.data() + begin, text.data() + text.size(), value);
    if (error != std::errc()) return false;
    const size_t end = static_cast<size_t>(stop - text.data());
    // MLIR's floats have a point, and from_chars also knows "inf" and "nan".
    const std::string_view spelling = text.substr(begin, end - begin);
    const char last = spelling.back();
    if (spelling.find('.') == std::string_view::npos || (!TextCursor::IsDigit(last) && last != '.'))
      return false;
    const char first = spelling[spelling[0] == '-' && spelling.size() > 1 ? 1 : 0];
    if (!TextCursor::IsDigit(first) || (end < text.size() && TextCursor::IsWordChar(text[end]))) {
      return false;
    }
    if (element.float_kind == FloatKind::kF32) {
      const float narrow = static_cast<float>(value);
      std::memcpy(out_, &narrow, sizeof(narrow));
      out_ += sizeof(narrow);
    } else {
      const FloatBits bits = EncodeFloat(element.float_kind, value);
      const auto bytes = static_cast<size_t>(ElementBytes(element));
      std::memcpy(out_, bits.data(), bytes);
      out_ += bytes;
    }
    cursor_.SeekAndSkip(end);
    return true;
  }

  bool TooMany(size_t begin, size_t depth, int64_t count) {
    // Counts the rest for the message, without looking at it.
    std::string_view rest;
    if (!cursor_.BalancedText(']', &rest)) return false;
    int64_t nested = 0;
    ++count;
    for (const char c : rest) {
      if (c == '[' || c == '(') ++nested;
      if (c == ']' || c == ')') --nested;
      if (c == ',' && nested == 0) ++count;
    }
    return Mismatch(begin, depth, count);
  }

  bool Mismatch(size_t begin, size_t depth, int64_t count) {
    return cursor_.FailAt(begin, absl::StrCat("dimension ", depth, " of dense<..> has ", count,
                                              " elements, its type ", type_.sizes[depth]));
  }

  AttributeReader& reader_;
  TextCursor& cursor_;
  const TypeNode& type_;
  char* out_;
};

bool DecodeHex(std::string_view text, absl::Span<char> out) {
  static constexpr auto kTable = [] {
    std::array<int16_t, 256> table{};
    for (auto& entry : table) entry = -1;
    for (int i = 0; i < 10; ++i)
      table[static_cast<unsigned char>('0' + i)] = static_cast<int16_t>(i);
    for (int i = 0; i < 6; ++i) {
      table[static_cast<unsigned char>('a' + i)] = static_cast<int16_t>(10 + i);
      table[static_cast<unsigned char>('A' + i)] = static_cast<int16_t>(10 + i);
    }
    return table;
  }();
  int bad = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const int high = kTable[static_cast<unsigned char>(text[2 * i])];
    const int low = kTable[static_cast<unsigned char>(text[2 * i + 1])];
    bad |= high | low;
    out[i] = static_cast<char>(static_cast<unsigned>(high) << 4 | static_cast<unsigned>(low));
  }
  return bad >= 0;
}

// Strings of a dialect's type: a string, or lists of them.
bool FillStrings(AttributeReader* reader, const TypeNode& type, size_t depth,
                 std::vector<std::string_view>* out) {
  TextCursor& cursor = reader->cursor();
  if (depth == type.sizes.size()) {
    std::string_view value;
    if (!cursor.String(&value)) return false;
    out->push_back(value);
    return true;
  }
  const size_t begin = cursor.offset();
  if (!cursor.Expect('[')) return false;
  int64_t count = 0;
  if (!cursor.Peek(']')) {
    do {
      if (!FillStrings(reader, type, depth + 1, out)) return false;
      ++count;
    } while (cursor.Consume(','));
  }
  if (!cursor.Expect(']')) return false;
  return count == type.sizes[depth] ||
         cursor.FailAt(begin, absl::StrCat("dimension ", depth, " of dense<..> has ", count,
                                           " elements, its type ", type.sizes[depth]));
}

// The value at the cursor: a splat, a list, hexadecimal data or strings.
AttributeRef DenseValue(AttributeReader* reader, TypeRef type, size_t text_length) {
  TextCursor& cursor = reader->cursor();
  Context& context = reader->context();
  const size_t begin = cursor.offset();
  const auto fail = [&](std::string message) -> AttributeRef {
    cursor.FailAt(begin, std::move(message));
    return nullptr;
  };
  if (!HasStaticSizes(*type)) {
    return fail(
        absl::StrCat("constants need a tensor or vector of static sizes, not ", ToString(type)));
  }
  const int64_t count = NumElements(*type);
  if (count < 0) return fail(absl::StrCat(ToString(type), " has more than 2^63 elements"));
  const int64_t element_bytes = ElementBytes(*type->element);
  if (element_bytes == 0) {
    std::vector<std::string_view> strings;
    const bool is_splat = cursor.Peek('"');
    if (!cursor.Peek('>') && !(is_splat ? FillStrings(reader, *type, type->sizes.size(), &strings)
                                        : FillStrings(reader, *type, 0, &strings))) {
      return nullptr;
    }
    return context.arena().New<DenseStringsAttribute>(
        Attribute{AttributeKind::kDenseStrings}, is_splat, type, context.arena().Copy(strings));
  }
  if (cursor.Peek('"')) {
    std::string_view hex;
    if (!cursor.String(&hex)) return nullptr;
    if (hex.substr(0, 2) != "0x" || hex.size() % 2 != 0) {
      return fail("the string of dense<\"0x..\"> does not fit its type");
    }
    const absl::Span<char> data = context.arena().NewArray<char>(hex.size() / 2 - 1);
    if (!DecodeHex(hex.substr(2), data)) {
      return fail("dense<\"0x..\"> holds something other than hexadecimal digits");
    }
    std::string error;
    const DenseAttribute* result = MakeDense(type, data, &context, &error);
    if (result == nullptr) {
      return fail(absl::StrCat("the string of dense<\"0x..\"> does not fit its type: ", error));
    }
    return result;
  }
  const auto make = [&](bool is_splat, absl::Span<const char> data) {
    return context.arena().New<DenseAttribute>(Attribute{AttributeKind::kDense}, is_splat, type,
                                               data);
  };
  if (cursor.Peek('>')) {
    return count == 0 ? make(false, {})
                      : fail(absl::StrCat("dense<> has no elements, its type ", count));
  }
  if (!cursor.Peek('[')) {
    const absl::Span<char> data =
        context.arena().NewArray<char>(static_cast<size_t>(element_bytes));
    DenseFiller filler(reader, type, data.data());
    if (!filler.Element(*type->element)) return nullptr;
    return count == 0 ? make(false, {}) : make(true, data);
  }
  // An element takes at least a digit and what separates it: the buffer never exceeds the text by
  // more than the width of an element. Lists that are too short are counted without a buffer.
  size_t bytes = 0;
  if (static_cast<uint64_t>(count) <= text_length) {
    bytes = static_cast<size_t>(count * element_bytes);
  } else {
    return fail(
        absl::StrCat("the list of dense<..> has fewer elements than its type, ", ToString(type)));
  }
  const absl::Span<char> data = context.arena().NewArray<char>(bytes);
  DenseFiller filler(reader, type, data.data());
  return filler.Fill(0) ? make(count == 1, data) : nullptr;
}

}  // namespace

AttributeRef AttributeReader::ParseDense(TypeRef known_type) {
  if (!cursor_.Expect('<')) return nullptr;
  // The type tells how to read the value, but follows it.
  const size_t begin = cursor_.offset();
  std::string_view text;
  if (!cursor_.BalancedText('>', &text) || !cursor_.Expect('>')) return nullptr;
  TypeRef type = known_type;
  if (type == nullptr) {
    if (!cursor_.Expect(':')) return nullptr;
    type = ParseType();
    if (type == nullptr) return nullptr;
  }
  const size_t end = cursor_.offset();
  cursor_.Seek(begin);
  const AttributeRef result = DenseValue(this, type, text.size());
  if (result == nullptr) return nullptr;
  if (!cursor_.Peek('>')) {
    cursor_.FailExpected("'>'");
    return nullptr;
  }
  cursor_.Seek(end);
  return result;
}

const DenseArrayAttribute* AttributeReader::ParseDenseArray() {
  if (!cursor_.Expect('<')) return nullptr;
  const size_t begin = cursor_.offset();
  const TypeRef element = ParseType();
  if (element == nullptr) return nullptr;
  const bool is_number =
      element->kind == TypeKind::kFloat ||
      (element->kind == TypeKind::kInteger && element->width > 0 && element->width <= 64);
  if (!is_number) {
    cursor_.FailAt(begin, absl::StrCat("arrays hold integers or floats, not ", ToString(element)));
    return nullptr;
  }
  std::vector<char> data;
  int64_t count = 0;
  if (cursor_.Consume(':')) {
    const auto bytes = static_cast<size_t>(ElementBytes(*element));
    do {
      if (!cursor_.PeekNumber() && !cursor_.PeekWord("true") && !cursor_.PeekWord("false")) {
        cursor_.FailExpected("a value");
        return nullptr;
      }
      char buffer[16] = {};
      DenseFiller filler(this, element, buffer);
      if (!filler.Element(*element)) return nullptr;
      data.insert(data.end(), buffer, buffer + bytes);
      ++count;
    } while (cursor_.Consume(','));
  }
  if (!cursor_.Expect('>')) return nullptr;
  // Aligned, so that arrays of i64 can be used in place.
  const absl::Span<uint64_t> storage = arena().NewArray<uint64_t>((data.size() + 7) / 8);
  char* copy = reinterpret_cast<char*>(storage.data());
  if (!data.empty()) std::memcpy(copy, data.data(), data.size());
  return arena().New<DenseArrayAttribute>(xla::mlir::Attribute{AttributeKind::kDenseArray}, element,
                                          count, absl::MakeConstSpan(copy, data.size()));
}

AttributeRef AttributeReader::DenseResource() {
  if (!cursor_.Expect('<')) return nullptr;
  std::string_view key;
  if (cursor_.Peek('"')) {
    if (!cursor_.String(&key)) return nullptr;
  } else {
    key = cursor_.Word();
    if (key.empty()) {
      cursor_.FailExpected("the key of a resource");
      return nullptr;
    }
  }
  if (!cursor_.Expect('>') || !cursor_.Expect(':')) return nullptr;
  const TypeRef type = ParseType();
  if (type == nullptr) return nullptr;
  return arena().New<DenseResourceAttribute>(xla::mlir::Attribute{AttributeKind::kDenseResource},
                                             type, key);
}

// sparse<[[0, 1], [2, 3]], [1.0, 2.0]> : tensor<4x4xf32>, sparse<1, 2.0> : .., sparse<> : ..
AttributeRef AttributeReader::Sparse() {
  if (!cursor_.Expect('<')) return nullptr;
  const size_t begin = cursor_.offset();
  std::string_view text;
  if (!cursor_.BalancedText('>', &text) || !cursor_.Expect('>') || !cursor_.Expect(':')) {
    return nullptr;
  }
  const TypeRef type = ParseType();
  if (type == nullptr) return nullptr;
  const size_t end = cursor_.offset();
  if (type->kind != TypeKind::kRankedTensor && type->kind != TypeKind::kVector) {
    cursor_.FailAt(begin, "sparse<..> needs a ranked type");
    return nullptr;
  }
  const auto make = [&](const DenseAttribute* indices, AttributeRef values) {
    cursor_.Seek(end);
    return arena().New<SparseAttribute>(xla::mlir::Attribute{AttributeKind::kSparse}, type, indices,
                                        values);
  };
  if (text.empty()) return make(nullptr, nullptr);
  // How many entries there are follows from the lists: [[..], ..] as many as it has lists, else
  // one.
  cursor_.Seek(begin);
  int64_t entries = 1;
  int64_t width = static_cast<int64_t>(type->sizes.size());
  std::vector<int64_t> index_sizes;
  if (cursor_.Peek('[')) {
    int nested = 0;
    int64_t commas = 0;
    bool has_lists = false;
    size_t i = begin;
    for (; i < begin + text.size(); ++i) {
      const char c = cursor_.text()[i];
      if (c == '[' && ++nested == 2) has_lists = true;
      if (c == ']' && --nested == 0) break;
      if (c == ',' && nested == 1) ++commas;
    }
    if (has_lists) {
      entries = commas + 1;
      index_sizes = {entries, width};
    } else {
      width = commas + 1;
      index_sizes = {width};
    }
  }
  const TypeRef index_type = context_.RankedTensor(index_sizes, context_.Integer(64));
  const AttributeRef indices = DenseValue(this, index_type, text.size());
  if (indices == nullptr || !cursor_.Expect(',')) return nullptr;
  const bool is_list = cursor_.Peek('[');
  const std::vector<int64_t> value_sizes =
      is_list ? std::vector<int64_t>{entries} : std::vector<int64_t>{};
  const AttributeRef values =
      DenseValue(this, context_.RankedTensor(value_sizes, type->element), text.size());
  if (values == nullptr) return nullptr;
  if (!cursor_.Peek('>')) {
    cursor_.FailExpected("'>'");
    return nullptr;
  }
  return make(indices->As<DenseAttribute>(), values);
}

}  // namespace xla::mlir
