// SPDX-License-Identifier: Apache-2.0
// Literals (HLO text format, section 5), read straight into their memory.
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::text {

// The destination of an element, and the data for error messages. With a name of its own rather
// than in the anonymous namespace: GCC 14 crashes where a struct of another file's class has fields
// of its type.
struct LiteralPlace {
  HloTextParser& parser;
  const Shape& shape;
  Loc loc;
  int64_t index;
  int64_t element_count;
  char* data;

  template <typename T>
  T* slot() const {
    return reinterpret_cast<T*>(data) + index;
  }
  template <typename Value>
  bool CheckIndex(const Value& value) const {
    if (index < element_count) return true;
    return parser.Error(
        loc, Cat("tries to set value ", value, " to a literal in shape ", shape.ToString(),
                 " at linear index ", index, ", but the index is out of range"));
  }
};

namespace {

// Elided constants take memory without text. Beyond options.max_elided_bytes they may take this
// many bytes for each byte of text.
constexpr int64_t kElidedBytesPerTextByte = 1024;
// A literal with the wrong nesting gives an error for each of its elements, up to this many.
constexpr int kMostElementErrors = 100;

template <typename T>
bool StoreInteger(const LiteralPlace& place, int64_t value) {
  if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, uint64_t>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): T is a number
    constexpr auto kLowest = static_cast<int64_t>(std::numeric_limits<T>::lowest());
    constexpr auto kHighest = static_cast<int64_t>((std::numeric_limits<T>::max)());
    if (value < kLowest || value > kHighest) {
      return place.parser.Error(
          place.loc, Cat("value ", value, " is out of range for literal's primitive type ",
                         PrimitiveType_Name(place.shape.element_type()), " namely [", kLowest, ", ",
                         kHighest, "]."));
    }
  }
  if (!place.CheckIndex(value)) return false;
  *place.slot<T>() = static_cast<T>(value);
  return true;
}

// Types with signaling NaNs keep the bits below the quiet one as a payload.
template <typename T>
constexpr bool kHasNanPayload = std::numeric_limits<T>::has_signaling_NaN;
template <typename T>
constexpr int kPayloadBits = std::numeric_limits<T>::digits - 1;

template <typename T>
T NanOf(bool negative, uint64_t payload) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(uint64_t{negative} << 63 | uint64_t{0x7ff} << 52 | payload);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(uint32_t{negative} << 31 | 0x7f800000u |
                                static_cast<uint32_t>(payload));
  } else {
    using Bits = typename T::Bits;
    return T::FromBits(static_cast<Bits>((negative ? T::kSignMask : 0) | T::kInfinityBits |
                                         static_cast<Bits>(payload)));
  }
}

// The NaN of type T with the sign and payload of a double.
template <typename T>
bool ConvertNan(const LiteralPlace& place, double nan, T* result) {
  constexpr uint64_t kQuietDouble = uint64_t{1} << 51;
  const auto bits = std::bit_cast<uint64_t>(nan);
  uint64_t payload = bits & ((uint64_t{1} << 52) - 1);
  if constexpr (kHasNanPayload<T>) {
    constexpr uint64_t kLargest = (uint64_t{1} << kPayloadBits<T>)-1;
    if (payload == kQuietDouble) payload = uint64_t{1} << (kPayloadBits<T> - 1);
    if (payload > kLargest) {
      return place.parser.Error(
          place.loc,
          Cat("tries to set NaN payload 0x", absl::Hex(payload), " to a literal in shape ",
              place.shape.ToString(), " at linear index ", place.index,
              ", but the NaN payload is out of range (0x", absl::Hex(kLargest), ")"));
    }
    *result = NanOf<T>((bits >> 63) != 0, payload);
  } else {
    if (payload != kQuietDouble) {
      return place.parser.Error(
          place.loc,
          Cat("tries to set NaN payload 0x", absl::Hex(payload), " to a literal in shape ",
              place.shape.ToString(), " at linear index ", place.index, ", but ",
              primitive_util::LowercasePrimitiveTypeName(place.shape.element_type()),
              " does not support payloads"));
    }
    *result = static_cast<T>(nan);
  }
  return true;
}

template <typename T>
bool StoreReal(const LiteralPlace& place, double value) {
  // Rounding may bring a value into the range, and where the type saturates it always does.
  T element = static_cast<T>(value);
  const double rounded = static_cast<double>(element);
  if (std::isfinite(value) && std::isfinite(rounded)) value = rounded;
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr auto kHighest = static_cast<double>((std::numeric_limits<T>::max)());
  if (std::isfinite(value) && (value < kLowest || value > kHighest)) {
    return place.parser.Error(
        place.loc, Cat("value ", value, " is out of range for literal's primitive type ",
                       PrimitiveType_Name(place.shape.element_type()), " namely [", kLowest, ", ",
                       kHighest, "]."));
  }
  if (!place.CheckIndex(value)) return false;
  if (std::isnan(value) && !ConvertNan<T>(place, value, &element)) return false;
  *place.slot<T>() = element;
  return true;
}

template <typename T>
bool StoreComplex(const LiteralPlace& place, double real, double imaginary) {
  using Part = typename T::value_type;
  const auto in_range = [&](std::string_view name, double value) {
    constexpr double kHighest = (std::numeric_limits<Part>::max)();
    if (!std::isfinite(value) || (value >= -kHighest && value <= kHighest)) return true;
    return place.parser.Error(
        place.loc, Cat(name, " part ", value, " is out of range for literal's primitive type ",
                       PrimitiveType_Name(place.shape.element_type()), ", namely [", -kHighest,
                       ", ", kHighest, "]."));
  };
  if (!in_range("real", real) || !in_range("imaginary", imaginary)) return false;
  if (!place.CheckIndex(absl::StrFormat("(%f, %f)", real, imaginary))) return false;
  auto real_part = static_cast<Part>(real);
  auto imaginary_part = static_cast<Part>(imaginary);
  if (std::isnan(real)) {
    if (!ConvertNan<Part>(place, real, &real_part)) return false;
    imaginary_part = real_part;  // as XLA reads it
  }
  *place.slot<T>() = T(real_part, imaginary_part);
  return true;
}

}  // namespace

// How elements of one type are stored. One of the functions is set; PRED and integers take
// integers.
struct HloTextParser::LiteralSink {
  bool (*integer)(const LiteralPlace&, int64_t) = nullptr;
  bool (*real)(const LiteralPlace&, double) = nullptr;
  bool (*complex)(const LiteralPlace&, double, double) = nullptr;
  bool is_pred = false;

  static LiteralSink ForType(PrimitiveType type) {
    return primitive_util::ArrayTypeSwitch<LiteralSink>(
        [](auto type_constant) {
          constexpr PrimitiveType kType = type_constant;
          using T = primitive_util::NativeTypeOf<kType>;
          LiteralSink sink;
          if constexpr (is_complex_v<T>) {
            sink.complex = &StoreComplex<T>;
          } else if constexpr (is_real_float_v<T>) {
            sink.real = &StoreReal<T>;
          } else {
            sink.integer = &StoreInteger<T>;
            sink.is_pred = std::is_same_v<T, bool>;
          }
          return sink;
        },
        type);
  }
};

bool HloTextParser::ParseLiteral(const Shape& shape, Literal* literal) {
  if (shape.IsTuple()) return ParseTupleLiteral(shape, literal);
  if (!shape.IsArrayExcludingBuffer()) {
    return TokenError(
        Cat("expects a constant of an array or tuple shape, but the shape is ", shape.ToString()));
  }
  return ParseDenseLiteral(shape, literal);
}

// shape literal, or '(' such % ',' ')'
bool HloTextParser::ParseLiteralWithShape(Literal* literal) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  // Shapes may start with '(', too; a tuple literal has an element after its first shape.
  if (kind() != TokKind::kLparen) {
    Shape shape;
    return ParseShape(&shape) && ParseLiteral(shape, literal);
  }
  if (shape_depth_ >= Shape::kMaxTupleDepth) return TokenError("maximum recursion depth exceeded");
  ++shape_depth_;
  lexer_.Next();
  std::vector<Literal> elements;
  bool ok = true;
  while (ok && kind() != TokKind::kRparen) {
    ok = ParseLiteralWithShape(&elements.emplace_back()) ||
         TokenError("Fails when parsing tuple element");
    if (ok && kind() != TokKind::kRparen)
      ok = Expect(TokKind::kComma, "expects ',' to separate tuple elements");
  }
  --shape_depth_;
  if (!ok) return false;
  *literal = Literal::MoveIntoTuple(absl::MakeSpan(elements));
  return Expect(TokKind::kRparen, "expects ')' to close a tuple literal");
}

bool HloTextParser::ParseValue(LiteralRef* value) {
  Literal literal;
  has_bad_literal_ = false;
  if (!ParseLiteralWithShape(&literal) || has_bad_literal_) return false;
  value->literal = std::make_shared<const Literal>(std::move(literal));
  return true;
}

// '(' literal % ',' ')'
bool HloTextParser::ParseTupleLiteral(const Shape& shape, Literal* literal) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  if (!Expect(TokKind::kLparen, "expects '(' in front of tuple elements")) return false;
  const int count = shape.tuple_shapes_size();
  if (count > lexer_.BytesLeft() + 1) {
    return TokenError(Cat("expects ", count, " tuple elements, but the text has only ",
                          lexer_.BytesLeft(), " bytes left"));
  }
  std::vector<Literal> elements(count);
  for (int i = 0; i < count; ++i) {
    if (i > 0 && !Expect(TokKind::kComma, "expects ',' to separate tuple elements")) return false;
    if (!ParseLiteral(shape.tuple_shapes(i), &elements[i]))
      return TokenError(Cat("expects the ", i, "th element"));
  }
  *literal = Literal::MoveIntoTuple(absl::MakeSpan(elements));
  return Expect(TokKind::kRparen,
                Cat("expects ')' at the end of the tuple with ", count, "elements"));
}

// Subtracts the memory of an array with elided values from the budget.
bool HloTextParser::ChargeLiteral(const Shape& shape, int64_t bytes) {
  const int64_t budget = options_.max_elided_bytes + lexer_.TextSize() * kElidedBytesPerTextByte;
  if (bytes > budget - elided_bytes_) {
    return TokenError(
        absl::StrFormat("the elided constants of this text take more than the %d bytes allowed for "
                        "them; this one has shape %s",
                        budget, shape.ToString()));
  }
  elided_bytes_ += bytes;
  return true;
}

bool HloTextParser::ParseDenseLiteral(const Shape& declared, Literal* literal) {
  Shape shape = declared;
  for (const int64_t size : shape.dimensions()) {
    if (size < 0)
      return TokenError(Cat("a constant cannot have the unbounded shape ", declared.ToString()));
  }
  shape.clear_dynamic_dimensions();
  if (!shape.has_layout()) LayoutUtil::SetToDefaultLayout(&shape);
  const absl::Status layout_status = LayoutUtil::ValidateLayoutForShape(shape.layout(), shape);
  if (!layout_status.ok())
    LayoutUtil::SetToDefaultLayout(&shape);  // to read on; reported at the end
  if (const absl::Status status = ShapeUtil::ValidateShape(shape); !status.ok()) {
    return TokenError(std::string(status.message()));
  }

  // Allocates only as much as the text can hold: each element takes at least one character or is
  // elided.
  const int64_t element_count = SaturatingProduct(shape.dimensions());
  const int64_t padded_count = LayoutUtil::PhysicalElementCount(shape);
  const int64_t element_bytes = primitive_util::ByteWidth(shape.element_type());
  const int64_t bytes = SaturatingProduct({std::max(element_count, padded_count), element_bytes});
  const bool is_elided = kind() == TokKind::kLbrace && lexer_.LookAhead() == TokKind::kDots;
  const bool is_padded = padded_count > element_count;
  if (is_elided || is_padded) {
    if (!ChargeLiteral(shape, bytes)) return false;
  }
  if (!is_elided && element_count > lexer_.BytesLeft()) {
    constexpr int64_t kSmall = 1 << 16;
    if (kind() != TokKind::kLbrace) {
      // One number where an array belongs: as in XLA, it is the first element.
      if (!is_padded && !ChargeLiteral(shape, bytes)) return false;
    } else if (element_count > kSmall) {
      return TokenError(absl::StrFormat(
          "a constant of shape %s has %d elements, but the text has only %d bytes left",
          declared.ToString(), element_count, lexer_.BytesLeft()));
    }
  }

  const bool is_row_major = !is_padded && LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
  absl::StatusOr<Literal> dense =
      Literal::Make(is_row_major ? shape : LayoutUtil::GetWithDefaultLayout(shape));
  if (!dense.ok()) return TokenError(std::string(dense.status().message()));
  const LiteralSink sink = LiteralSink::ForType(shape.element_type());
  if (!ParseElements(declared, sink, static_cast<char*>(dense->untyped_data()), element_count))
    return false;
  if (!layout_status.ok()) return TokenError(std::string(layout_status.message()));
  *literal = is_row_major ? *std::move(dense) : dense->Relayout(shape);
  return true;
}

// The nested braces of an array, or the single value of a scalar.
bool HloTextParser::ParseElements(const Shape& shape, const LiteralSink& sink, char* data,
                                  int64_t element_count) {
  const int rank = shape.dimensions_size();
  int64_t nest_level = 0;
  int64_t linear_index = 0;
  int element_errors = 0;
  // How many elements or sub-arrays of each dimension the braces open now have shown.
  DimensionVector seen(rank, 0);

  const auto index_until = [&](int64_t dimension) {
    return Cat(
        "[",
        absl::StrJoin(seen.begin(), seen.begin() + dimension, ",",
                      [](std::string* out, int64_t count) { absl::StrAppend(out, count - 1); }),
        "]");
  };
  const auto count_element = [&] {
    // A value without braces is the first element; the others are zero.
    if (rank == 0 || (nest_level == 0 && linear_index == 0 && element_count > 0)) return true;
    if (nest_level != rank) {
      return TokenError(
          absl::StrFormat("expects nested array in rank %d, but sees %d", rank, nest_level));
    }
    if (++seen[rank - 1] > shape.dimensions(rank - 1)) {
      return TokenError(
          absl::StrFormat("expects %d elements on the minor-most dimension, but sees more",
                          shape.dimensions(rank - 1)));
    }
    return true;
  };
  const auto place = [&](Loc value_loc) {
    return LiteralPlace{*this, shape, value_loc, linear_index++, element_count, data};
  };

  do {
    const Loc value_loc = loc();
    switch (kind()) {
      case TokKind::kComma:
        lexer_.Next();
        break;
      case TokKind::kwTrue:
      case TokKind::kwFalse:
      case TokKind::kInt:
      case TokKind::kDecimal:
      case TokKind::kwInf:
      case TokKind::kNegInf: {
        if (!count_element() && ++element_errors >= kMostElementErrors) return false;
        if (kind() == TokKind::kwTrue || kind() == TokKind::kwFalse) {
          if (!sink.is_pred) {
            return TokenError(Cat("unexpected truth value in a literal of primitive type ",
                                  PrimitiveType_Name(shape.element_type())));
          }
          if (!sink.integer(place(value_loc), kind() == TokKind::kwTrue)) return false;
          lexer_.Next();
        } else if (sink.integer != nullptr) {
          int64_t value;
          if (!ParseValue(&value)) {
            return Error(value_loc, Cat("expects integer for primitive type: ",
                                        PrimitiveType_Name(shape.element_type())));
          }
          if (!sink.integer(place(value_loc), value)) return false;
        } else if (sink.real != nullptr) {
          double value;
          if (!ParseValue(&value)) {
            return Error(value_loc, Cat("expect floating point value for primitive type: ",
                                        PrimitiveType_Name(shape.element_type())));
          }
          if (!sink.real(place(value_loc), value)) return false;
        } else {
          return TokenError(
              Cat("unsupported primitive type ", PrimitiveType_Name(shape.element_type())));
        }
        break;
      }
      case TokKind::kLparen: {
        if (sink.complex == nullptr) {
          return TokenError(
              "unexpected '(' in literal. Parens are only valid for complex literals");
        }
        double real, imaginary;
        if (!count_element() || !ParseComplex(&real, &imaginary) ||
            !sink.complex(place(value_loc), real, imaginary)) {
          return false;
        }
        break;
      }
      case TokKind::kLbrace:
        if (++nest_level > rank) {
          return TokenError(
              absl::StrFormat("expects nested array in rank %d, but sees larger", rank));
        }
        if (nest_level > 1 && ++seen[nest_level - 2] > shape.dimensions(nest_level - 2)) {
          return TokenError(
              absl::StrFormat("expects %d elements in the %sth element, but sees more",
                              shape.dimensions(nest_level - 2), index_until(nest_level - 2)));
        }
        lexer_.Next();
        break;
      case TokKind::kRbrace:
        if (nest_level == 0) return TokenError("unexpected '}' token");
        --nest_level;
        if (seen[nest_level] != shape.dimensions(nest_level)) {
          return TokenError(absl::StrFormat("expects %d elements in the %sth element, but sees %d",
                                            shape.dimensions(nest_level), index_until(nest_level),
                                            seen[nest_level]));
        }
        seen[nest_level] = 0;
        lexer_.Next();
        break;
      case TokKind::kDots:
        if (nest_level != 1) {
          return TokenError(absl::StrFormat(
              "expects `...` at nest level 1, but sees it at nest level %d", nest_level));
        }
        // Elements before the dots are given; the others stay zero.
        if (linear_index > 0 && !ChargeLiteral(shape, element_count - linear_index)) return false;
        seen[0] = shape.dimensions(0);
        lexer_.Next();
        break;
      default:
        return TokenError("unexpected token type in a literal");
    }
  } while (nest_level > 0);
  // Continues, to report further errors.
  has_bad_literal_ |= element_errors > 0;
  return true;
}

// '(' real ',' imaginary ')'
bool HloTextParser::ParseComplex(double* real, double* imaginary) {
  lexer_.Next();
  Loc part_loc = loc();
  if (!ParseValue(real))
    return Error(part_loc, "expect floating-point value for real part of complex number");
  if (!Expect(TokKind::kComma, "expect comma after real part of complex literal")) return false;
  part_loc = loc();
  if (!ParseValue(imaginary)) {
    return Error(part_loc, "expect floating-point value for imaginary part of complex number");
  }
  return Expect(TokKind::kRparen, "expect ')' after complex number");
}

}  // namespace xla::text
