// SPDX-License-Identifier: Apache-2.0
// Literals: access to single elements, queries over all elements, equality and hash.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "xla/base/check.h"
#include "xla/element_convert.h"
#include "xla/index_util.h"
#include "xla/literal.h"
#include "xla/literal_access.h"
#include "xla/literal_print.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"
#include "xla/util.h"

namespace xla {

const char* LiteralAccess::RowMajorData(const Piece& piece, std::vector<char>* storage) {
  if (IsRowMajor(*piece.subshape) && AllExist(piece)) return piece.buffer;
  const DimensionVector sizes = ExistingSizes(piece);
  DimensionVector strides(sizes.size());
  int64_t count = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = count;
    count *= sizes[d];
  }
  storage->resize(count * piece.element_bytes());
  StridedCopy(piece.element_bytes(), sizes, storage->data(), strides, piece.buffer,
              IndexUtil::DimensionStrides(*piece.subshape));
  return storage->data();
}

namespace {

using Piece = LiteralAccess::Piece;

const char* ElementAt(const Piece& piece, absl::Span<const int64_t> index) {
  XLA_CHECK(piece.subshape->IsArray())
      << "element of a literal of shape " << piece.subshape->ToString();
  return piece.buffer + piece.LinearIndex(index) * piece.element_bytes();
}

complex128 AsComplex128(PrimitiveType type, const void* element) {
  complex128 value;
  ConvertElements(type, element, C128, &value, 1);
  return value;
}

int64_t AsS64(PrimitiveType type, const void* element) {
  int64_t value;
  ConvertElements(type, element, S64, &value, 1);
  return value;
}

bool IsInexact(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
}

bool SameNumber(double a, double b) { return a == b || (a != a && b != b); }

// Equal bits, or equal values with NaN equal to NaN.
bool ElementsMatch(PrimitiveType type, const void* a, const void* b) {
  if (std::memcmp(a, b, primitive_util::ByteWidth(type)) == 0) return true;
  if (!IsInexact(type)) return false;
  const complex128 x = AsComplex128(type, a);
  const complex128 y = AsComplex128(type, b);
  return SameNumber(x.real(), y.real()) && SameNumber(x.imag(), y.imag());
}

// Whether f(element) holds for all elements that exist.
bool AllElements(const Piece& piece, absl::FunctionRef<bool(const char*)> f) {
  bool all = true;
  const int64_t bytes = piece.element_bytes();
  if (LiteralAccess::AllExist(piece)) {
    LiteralAccess::ForEachRun(*piece.subshape, [&](int64_t begin, int64_t count) {
      for (int64_t i = begin; all && i < begin + count; ++i) all = f(piece.buffer + i * bytes);
    });
  } else {
    piece.ForEachIndex(/*only_existing=*/true, [&](absl::Span<const int64_t>, int64_t linear) {
      all = all && f(piece.buffer + linear * bytes);
    });
  }
  return all;
}

bool AllMatch(const Piece& piece, const void* element) {
  const PrimitiveType type = piece.subshape->element_type();
  return AllElements(piece, [&](const char* each) { return ElementsMatch(type, each, element); });
}

// The same bits: 0 and -0 differ, whatever the processor takes denormal numbers for.
bool AllHaveBits(const Piece& piece, const void* element) {
  const auto bytes = static_cast<size_t>(piece.element_bytes());
  return AllElements(piece,
                     [&](const char* each) { return std::memcmp(each, element, bytes) == 0; });
}

}  // namespace

std::string LiteralBase::GetR1U8AsString() const {
  XLA_CHECK(shape().rank() == 1) << "GetR1U8AsString of a literal of shape " << shape().ToString();
  return std::string(reinterpret_cast<const char*>(data<uint8_t>().data()),
                     root_piece().existing_size(0));
}

std::optional<int64_t> LiteralBase::GetFirstInteger() const {
  if (!primitive_util::IsIntegralType(shape().element_type())) return std::nullopt;
  XLA_CHECK(ShapeUtil::ElementsIn(shape()) > 0) << "GetFirstInteger of an array without elements";
  return AsS64(shape().element_type(), root_piece().buffer);
}

std::string LiteralBase::GetAsString(absl::Span<const int64_t> multi_index,
                                     const ShapeIndex& shape_index) const {
  const Piece& p = piece(shape_index);
  std::string text;
  AppendElement(&text, p.subshape->element_type(), ElementAt(p, multi_index));
  return text;
}

std::optional<int64_t> LiteralBase::GetIntegralAsS64(absl::Span<const int64_t> multi_index) const {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsIntegralType(type) && type != PRED) return std::nullopt;
  return AsS64(type, ElementAt(root_piece(), multi_index));
}

std::optional<double> LiteralBase::GetAsDouble(absl::Span<const int64_t> multi_index) const {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsArrayType(type) || primitive_util::IsComplexType(type))
    return std::nullopt;
  double value;
  ConvertElements(type, ElementAt(root_piece(), multi_index), F64, &value, 1);
  return value;
}

std::optional<complex128> LiteralBase::GetAsComplex128(
    absl::Span<const int64_t> multi_index) const {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsFloatingPointType(type) && !primitive_util::IsComplexType(type)) {
    return std::nullopt;
  }
  return AsComplex128(type, ElementAt(root_piece(), multi_index));
}

std::optional<double> LiteralBase::GetSumAsDouble(absl::Span<const int64_t> linear_indices) const {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsArrayType(type) || primitive_util::IsComplexType(type)) {
    return std::nullopt;
  }
  double sum = 0;
  for (const int64_t index : linear_indices) {
    XLA_CHECK(0 <= index && index < root_piece().buffer_elements()) << index << " in " << shape();
    const char* element = root_piece().buffer + index * root_piece().element_bytes();
    sum += AsComplex128(type, element).real();
  }
  return sum;
}

std::optional<complex128> LiteralBase::GetSumAsComplex128() const {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsArrayType(type) || type == PRED) return std::nullopt;
  complex128 sum = 0;
  root_piece().ForEachIndex(/*only_existing=*/true, [&](absl::Span<const int64_t>, int64_t linear) {
    sum += AsComplex128(type, root_piece().buffer + linear * root_piece().element_bytes());
  });
  return sum;
}

bool LiteralBase::IsEqualAt(absl::Span<const int64_t> multi_index, complex128 value) const {
  if (const auto as_s64 = GetIntegralAsS64(multi_index)) {
    return static_cast<double>(*as_s64) == value.real() && value.imag() == 0;
  }
  return *GetAsComplex128(multi_index) == value;
}

void LiteralBase::EachCellAsString(
    absl::FunctionRef<void(absl::Span<const int64_t>, const std::string&)> per_cell) const {
  const Piece& root = root_piece();
  XLA_CHECK(root.subshape->IsArray())
      << "EachCellAsString of a literal of shape " << shape().ToString();
  std::string text;
  root.ForEachIndex(/*only_existing=*/true, [&](absl::Span<const int64_t> index, int64_t linear) {
    text.clear();
    AppendElement(&text, root.subshape->element_type(),
                  root.buffer + linear * root.element_bytes());
    per_cell(index, text);
  });
}

bool LiteralBase::IsAll(const LiteralBase& scalar) const {
  XLA_CHECK(ShapeUtil::IsScalar(scalar.shape()))
      << "IsAll with shape " << scalar.shape().ToString();
  if (!shape().IsArray()) return false;
  XLA_CHECK(shape().element_type() == scalar.shape().element_type())
      << "IsAll of " << shape().ToString() << " with " << scalar.shape().ToString();
  return AllHaveBits(root_piece(), scalar.root_piece().buffer);
}

bool LiteralBase::IsAll(int8_t value) const {
  if (!shape().IsArray()) return false;
  const PrimitiveType type = shape().element_type();
  const auto wide = static_cast<int64_t>(value);
  alignas(16) char element[16];
  ConvertElements(S64, &wide, type, element, 1);
  // Not if the type cannot hold it.
  if (AsComplex128(type, element) != complex128(value)) return false;
  return AllMatch(root_piece(), element);
}

bool LiteralBase::IsAllFloat(float value) const {
  if (!primitive_util::IsFloatingPointType(shape().element_type())) return false;
  alignas(16) char element[16];
  ConvertElements(F32, &value, shape().element_type(), element, 1);
  return AllMatch(root_piece(), element);
}

bool LiteralBase::IsAllComplex(complex64 value) const {
  if (!primitive_util::IsComplexType(shape().element_type())) return false;
  alignas(16) char element[16];
  ConvertElements(C64, &value, shape().element_type(), element, 1);
  return AllMatch(root_piece(), element);
}

bool LiteralBase::IsAllFirst() const {
  if (!shape().IsArray() || ShapeUtil::IsZeroElementArray(shape())) return false;
  return AllHaveBits(root_piece(), root_piece().buffer);
}

bool LiteralBase::IsR1Iota() const {
  if (!shape().IsArray() || shape().rank() != 1 || shape().element_type() == PRED) return false;
  const PrimitiveType type = shape().element_type();
  int64_t i = 0;
  return AllElements(root_piece(), [&](const char* element) {
    if (!IsInexact(type)) return AsS64(type, element) == i++;
    alignas(16) char expected[16];
    ConvertElements(S64, &i, type, expected, 1);
    ++i;
    return AsComplex128(type, element) == AsComplex128(type, expected);
  });
}

std::optional<int64_t> LiteralBase::IsR1StridedIota() const {
  if (!shape().IsArray() || shape().rank() != 1 ||
      !primitive_util::IsIntegralType(shape().element_type()) ||
      root_piece().existing_size(0) < 2) {
    return std::nullopt;
  }
  const PrimitiveType type = shape().element_type();
  const int64_t stride = AsS64(type, root_piece().buffer + root_piece().element_bytes());
  if (stride == 0) return std::nullopt;
  int64_t expected = 0;
  const bool is_iota = AllElements(root_piece(), [&](const char* element) {
    const bool same = AsS64(type, element) == expected;
    // The expected value exceeds int64, so no element equals it.
    return same && !__builtin_add_overflow(expected, stride, &expected);
  });
  return is_iota ? std::optional<int64_t>(stride) : std::nullopt;
}

bool LiteralBase::IsZero(absl::Span<const int64_t> multi_index) const {
  return AsComplex128(shape().element_type(), ElementAt(root_piece(), multi_index)) ==
         complex128(0);
}

namespace {

// The bits that count of each byte of an array's elements: those above a narrow element do not.
uint8_t ElementMask(PrimitiveType type) {
  return primitive_util::IsSubByteNonPredType(type)
             ? LsbMask<uint8_t>(primitive_util::BitWidth(type))
             : uint8_t{0xff};
}

bool EqualBytes(const char* a, const char* b, size_t size, uint8_t mask) {
  if (mask == 0xff) return std::memcmp(a, b, size) == 0;
  return std::equal(a, a + size, b, [mask](char x, char y) { return ((x ^ y) & mask) == 0; });
}

bool EqualPieces(const Piece& a, const Piece& b, bool layout_sensitive) {
  const Shape& x = *a.subshape;
  const Shape& y = *b.subshape;
  if (x.element_type_including_buffer() != y.element_type_including_buffer() ||
      x.rank() != y.rank() || a.children.size() != b.children.size()) {
    return false;
  }
  if (!x.IsArray()) return true;
  if (layout_sensitive && x.layout() != y.layout()) return false;
  if (LiteralAccess::ExistingSizes(a) != LiteralAccess::ExistingSizes(b)) return false;
  const uint8_t mask = ElementMask(x.element_type());
  const auto bytes_of = [&](int64_t count) {
    return static_cast<size_t>(count * a.element_bytes());
  };
  if (LiteralAccess::SameMemory(x, y) && LiteralAccess::AllExist(a)) {
    bool same = true;
    LiteralAccess::ForEachRun(x, [&](int64_t begin, int64_t count) {
      const int64_t offset = begin * a.element_bytes();
      same = same && EqualBytes(a.buffer + offset, b.buffer + offset, bytes_of(count), mask);
    });
    return same;
  }
  int64_t count = 1;
  for (int64_t size : LiteralAccess::ExistingSizes(a)) count *= size;
  if (count == 0) return true;
  std::vector<char> a_storage;
  std::vector<char> b_storage;
  return EqualBytes(LiteralAccess::RowMajorData(a, &a_storage),
                    LiteralAccess::RowMajorData(b, &b_storage), bytes_of(count), mask);
}

uint64_t Mix(uint64_t state, uint64_t word) {
  const auto product = static_cast<unsigned __int128>(state ^ word) * 0x9e3779b97f4a7c15u;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t HashBytes(uint64_t state, const char* data, size_t size) {
  uint64_t word;
  for (; size >= sizeof(word); data += sizeof(word), size -= sizeof(word)) {
    std::memcpy(&word, data, sizeof(word));
    state = Mix(state, word);
  }
  word = 0;
  if (size > 0) std::memcpy(&word, data, size);
  return Mix(state, word ^ (static_cast<uint64_t>(size) << 56));
}

}  // namespace

bool LiteralBase::Equal(const LiteralBase& other, bool layout_sensitive) const {
  // Pairs of pieces still to compare.
  std::vector<std::pair<const Piece*, const Piece*>> stack = {{&root_piece(), &other.root_piece()}};
  while (!stack.empty()) {
    const auto [a, b] = stack.back();
    stack.pop_back();
    if (!EqualPieces(*a, *b, layout_sensitive)) return false;
    for (size_t i = 0; i < a->children.size(); ++i)
      stack.emplace_back(&a->children[i], &b->children[i]);
  }
  return true;
}

uint64_t LiteralBase::HashValue(int64_t byte_limit) const {
  uint64_t state = 0x243f6a8885a308d3u;
  ForEachPiece(root_piece(), [&](const ShapeIndex&, const Piece& p) {
    state = Mix(state, p.subshape->element_type_including_buffer());
    state = Mix(state, p.children.size());
    if (!p.subshape->IsArray()) return;
    int64_t count = 1;
    for (int64_t size : LiteralAccess::ExistingSizes(p)) {
      state = Mix(state, static_cast<uint64_t>(size));
      count *= size;
    }
    if (count == 0) return;
    std::vector<char> storage;
    const char* data = LiteralAccess::RowMajorData(p, &storage);
    const int64_t size = std::min(count * p.element_bytes(), byte_limit);
    if (const uint8_t mask = ElementMask(p.subshape->element_type()); mask != 0xff) {
      std::vector<char> masked(data, data + size);
      for (char& byte : masked) byte = static_cast<char>(byte & mask);
      state = HashBytes(state, masked.data(), masked.size());
      return;
    }
    state = HashBytes(state, data, static_cast<size_t>(size));
  });
  return state;
}

}  // namespace xla
