// SPDX-License-Identifier: Apache-2.0
// Literals to and from LiteralProto, in XLA's format: a field for each element type, elements in
// memory order, types below 32 bits as little-endian bytes in a string; types below 8 bits take a
// byte with zeros above their bits.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/literal_access.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using Piece = LiteralAccess::Piece;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "literal protos hold little-endian bytes");

// The element types stored as a string of bytes, with their field; and those stored in a repeated
// field, with the type of its elements (a complex number takes two).
// clang-format off
#define XLA_BYTES_FIELDS(X)                                                                   \
  X(S1, s1s) X(S2, s2s) X(S4, s4s) X(S8, s8s) X(S16, s16s)                                    \
  X(U1, u1s) X(U2, u2s) X(U4, u4s) X(U8, u8s) X(U16, u16s)                                    \
  X(F16, f16s) X(BF16, bf16s) X(F8E3M4, f8e3m4s) X(F8E4M3, f8e4m3s) X(F8E4M3FN, f8e4m3fns)    \
  X(F8E4M3FNUZ, f8e4m3fnuzs) X(F8E4M3B11FNUZ, f8e4m3b11fnuzs) X(F8E5M2, f8e5m2s)              \
  X(F8E5M2FNUZ, f8e5m2fnuzs) X(F8E8M0FNU, f8e8m0fnus) X(F6E2M3FN, f6e2m3fns)                  \
  X(F6E3M2FN, f6e3m2fns) X(F4E2M1FN, f4e2m1fns)
#define XLA_REPEATED_FIELDS(X)                                                                \
  X(PRED, preds, bool) X(S32, s32s, int32_t) X(S64, s64s, int64_t) X(U32, u32s, uint32_t)     \
  X(U64, u64s, uint64_t) X(F32, f32s, float) X(F64, f64s, double) X(C64, c64s, float)         \
  X(C128, c128s, double)
// clang-format on

// Null for types that have a repeated field.
const std::string* BytesField(PrimitiveType type, const LiteralProto& proto) {
  switch (type) {
#define XLA_CASE(TYPE, field) \
  case TYPE:                  \
    return &proto.field();
    XLA_BYTES_FIELDS(XLA_CASE)
#undef XLA_CASE
    default:
      return nullptr;
  }
}

std::string* MutableBytesField(PrimitiveType type, LiteralProto* proto) {
  switch (type) {
#define XLA_CASE(TYPE, field) \
  case TYPE:                  \
    return proto->mutable_##field();
    XLA_BYTES_FIELDS(XLA_CASE)
#undef XLA_CASE
    default:
      return nullptr;
  }
}

// Calls f(field, T()), T being the type of the field's elements.
template <typename F>
void WithRepeatedField(PrimitiveType type, const LiteralProto& proto, F f) {
  switch (type) {
#define XLA_CASE(TYPE, field, Element) \
  case TYPE:                           \
    return f(proto.field(), Element());
    XLA_REPEATED_FIELDS(XLA_CASE)
#undef XLA_CASE
    default:
      XLA_CHECK(false) << "no field for type " << type;
  }
}

template <typename F>
void WithMutableRepeatedField(PrimitiveType type, LiteralProto* proto, F f) {
  switch (type) {
#define XLA_CASE(TYPE, field, Element) \
  case TYPE:                           \
    return f(proto->mutable_##field(), Element());
    XLA_REPEATED_FIELDS(XLA_CASE)
#undef XLA_CASE
    default:
      XLA_CHECK(false) << "no field for type " << type;
  }
}

// The expected and the actual number of bytes or elements of the array's field.
int64_t ExpectedCount(const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const int64_t count = ShapeUtil::ElementsIn(shape);
  if (primitive_util::IsComplexType(type)) return 2 * count;
  return BytesField(type, LiteralProto::default_instance()) != nullptr
             ? count * primitive_util::ByteWidth(type)
             : count;
}

int64_t ActualCount(const Shape& shape, const LiteralProto& proto) {
  if (const std::string* field = BytesField(shape.element_type(), proto)) return field->size();
  int64_t count = 0;
  WithRepeatedField(shape.element_type(), proto,
                    [&](const auto& field, auto) { count = field.size(); });
  return count;
}

void WriteArray(const Piece& piece, LiteralProto* proto) {
  const PrimitiveType type = piece.subshape->element_type();
  const int64_t bytes = piece.element_bytes();
  if (std::string* field = MutableBytesField(type, proto)) {
    field->reserve(ShapeUtil::ElementsIn(*piece.subshape) * bytes);
    LiteralAccess::ForEachRun(*piece.subshape, [&](int64_t begin, int64_t count) {
      field->append(piece.buffer + begin * bytes, count * bytes);
    });
    const int bits = primitive_util::BitWidth(type);
    if (bits < 8) {
      for (char& byte : *field) byte = static_cast<char>(byte & ((1 << bits) - 1));
    }
  } else {
    WithMutableRepeatedField(type, proto, [&](auto* field, auto element) {
      field->Reserve(ExpectedCount(*piece.subshape));
      LiteralAccess::ForEachRun(*piece.subshape, [&](int64_t begin, int64_t count) {
        const auto* from = reinterpret_cast<const decltype(element)*>(piece.buffer + begin * bytes);
        field->Add(from, from + count * bytes / sizeof(element));
      });
    });
  }
  if (piece.subshape->is_dynamic()) {
    for (int64_t d = 0; d < piece.subshape->rank(); ++d)
      proto->add_dynamic_sizes(piece.existing_size(d));
  }
}

void ReadBytes(const std::string& field, Piece* piece) {
  const Shape& shape = *piece->subshape;
  const int64_t bytes = piece->element_bytes();
  const char* from = field.data();
  LiteralAccess::ForEachRun(shape, [&](int64_t begin, int64_t count) {
    std::memcpy(piece->buffer + begin * bytes, from, count * bytes);
    from += count * bytes;
  });
  const int bits = primitive_util::BitWidth(shape.element_type());
  if (bits >= 8) return;
  // A literal's byte is the value itself: sign-extended for signed integers.
  const int sign = primitive_util::IsSignedIntegralType(shape.element_type()) ? 1 << (bits - 1) : 0;
  LiteralAccess::ForEachRun(shape, [&](int64_t begin, int64_t count) {
    for (int64_t i = begin; i < begin + count; ++i) {
      const int value = piece->buffer[i] & ((1 << bits) - 1);
      piece->buffer[i] = static_cast<char>((value ^ sign) - sign);
    }
  });
}

// The proto has the expected number of elements.
void ReadElements(const LiteralProto& proto, Piece* piece) {
  const Shape& shape = *piece->subshape;
  if (const std::string* field = BytesField(shape.element_type(), proto))
    return ReadBytes(*field, piece);
  WithRepeatedField(shape.element_type(), proto, [&](const auto& field, auto element) {
    const int64_t per_element = piece->element_bytes() / sizeof(element);
    auto from = field.begin();
    LiteralAccess::ForEachRun(shape, [&](int64_t begin, int64_t count) {
      auto* to = reinterpret_cast<decltype(element)*>(piece->buffer) + begin * per_element;
      std::copy(from, from + count * per_element, to);
      from += count * per_element;
    });
  });
}

absl::Status ReadDynamicSizes(const LiteralProto& proto, Piece* piece) {
  const Shape& shape = *piece->subshape;
  if (proto.dynamic_sizes().empty() && !shape.is_dynamic()) return absl::OkStatus();
  if (proto.dynamic_sizes_size() != shape.rank()) {
    return InvalidArgument("Expected %d dynamic sizes in LiteralProto, has %d, for shape %s.",
                           shape.rank(), proto.dynamic_sizes_size(), shape.ToString());
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t size = proto.dynamic_sizes(d);
    // XLA writes sizes of static dimensions as well.
    const bool fits = shape.is_dynamic_dimension(d) ? size >= 0 && size <= shape.dimensions(d)
                                                    : size == shape.dimensions(d);
    if (!fits) {
      return InvalidArgument("Dynamic size %d does not fit dimension %d of shape %s.", size, d,
                             shape.ToString());
    }
    LiteralAccess::SetExistingSize(d, size, piece);
  }
  return absl::OkStatus();
}

}  // namespace

LiteralProto LiteralBase::ToProto() const {
  LiteralProto result;
  ForEachPiece(root_piece(), [&](const ShapeIndex& index, const Piece& p) {
    LiteralProto* proto = &result;
    for (int64_t i : index) proto = proto->mutable_tuple_literals(i);
    *proto->mutable_shape() = p.subshape->ToProto();
    for (size_t i = 0; i < p.children.size(); ++i) proto->add_tuple_literals();
    if (p.subshape->IsArray()) WriteArray(p, proto);
  });
  return result;
}

absl::StatusOr<Literal> MutableLiteralBase::CreateFromProto(const LiteralProto& proto,
                                                            bool prohibit_empty_literal) {
  if (!proto.has_shape()) return InvalidArgument("LiteralProto has no shape");
  XLA_ASSIGN_OR_RETURN(const Shape shape, Shape::FromProto(proto.shape()));
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  struct Pair {
    const LiteralProto* proto;
    const Shape* shape;
    ShapeIndex index;
  };
  std::vector<Pair> pairs = {{&proto, &shape, {}}};
  for (size_t next = 0; next < pairs.size(); ++next) {
    const Pair pair = pairs[next];
    if (pair.proto->tuple_literals_size() != pair.shape->tuple_shapes_size()) {
      return InvalidArgument("Expected %d tuple elements in LiteralProto, has %d, for shape %s.",
                             pair.shape->tuple_shapes_size(), pair.proto->tuple_literals_size(),
                             pair.shape->ToString());
    }
    if (pair.shape->IsArray()) {
      if (!pair.shape->has_layout()) {
        return InvalidArgument("LiteralProto has no layout: %s", pair.shape->ToString());
      }
      // Checked before memory is allocated: the size of the proto bounds the allocation, unless the
      // caller allows absent data.
      const int64_t expected = ExpectedCount(*pair.shape);
      const int64_t actual = ActualCount(*pair.shape, *pair.proto);
      if (actual != expected && (actual != 0 || prohibit_empty_literal)) {
        return InvalidArgument(
            "Expected %d elements in LiteralProto repeated field, has %d, for shape %s.", expected,
            actual, pair.shape->ToString());
      }
    }
    for (int i = 0; i < pair.shape->tuple_shapes_size(); ++i) {
      ShapeIndex index = pair.index;
      index.push_back(i);
      pairs.push_back(
          {&pair.proto->tuple_literals(i), &pair.shape->tuple_shapes(i), std::move(index)});
    }
  }
  // The proto holds no data for padding. Bounds it by 1 GiB, or by a multiple of the data.
  const int64_t max_bytes =
      prohibit_empty_literal ? (int64_t{1} << 30) + 64 * static_cast<int64_t>(proto.ByteSizeLong())
                             : Literal::kMaxBytes;
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::MakeBounded(shape, max_bytes));
  for (const Pair& pair : pairs) {
    if (!pair.shape->IsArray()) continue;
    Piece& piece = literal.piece(pair.index);
    if (ActualCount(*pair.shape, *pair.proto) != 0) ReadElements(*pair.proto, &piece);
    XLA_RETURN_IF_ERROR(ReadDynamicSizes(*pair.proto, &piece));
  }
  return literal;
}

absl::StatusOr<std::string> LiteralBase::SerializeAsString() const {
  std::string bytes;
  if (!ToProto().SerializeToString(&bytes)) {
    return InvalidArgument("A literal of shape %s is too large for a protocol buffer.",
                           shape().ToString());
  }
  return bytes;
}

absl::StatusOr<Literal> Literal::DeserializeFromString(absl::string_view bytes) {
  LiteralProto proto;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgument("Not a serialized LiteralProto: %d bytes.", bytes.size());
  }
  return CreateFromProto(proto);
}

}  // namespace xla
