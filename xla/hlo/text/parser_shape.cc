// SPDX-License-Identifier: Apache-2.0
// Shapes and layouts (HLO text format, section 4; the layout's own properties: xla/layout.h).
#include <utility>

#include "absl/strings/str_format.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::text {

bool HloTextParser::CanBeShape() {
  return kind() == TokKind::kPrimitiveType || kind() == TokKind::kLparen ||
         (AtIdent("b") && lexer_.LookAhead() == TokKind::kLparen);
}

bool HloTextParser::ParsePrimitiveType(PrimitiveType* type) {
  if (kind() != TokKind::kPrimitiveType) {
    return TokenError(Cat("expected primitive type, saw ", TokKindName(kind())));
  }
  *type = lexer_.token().type;
  lexer_.Next();
  return true;
}

// '[' ((int | '<=' int | '?') % ',') ']'
bool HloTextParser::ParseDimensions(DimensionVector* sizes, absl::InlinedVector<bool, 8>* dynamic) {
  Loc negative_loc = nullptr;
  const bool ok = ParseList(TokKind::kLsquare, TokKind::kRsquare, TokKind::kComma, [&] {
    if (Eat(TokKind::kQuestionMark)) {
      sizes->push_back(Shape::kUnboundedSize);
      dynamic->push_back(true);
      return true;
    }
    const bool is_dynamic = Eat(TokKind::kLeq);
    const Loc size_loc = loc();
    int64_t size;
    if (!ParseValue(&size)) return false;
    if (size < 0) negative_loc = size_loc;
    sizes->push_back(size);
    dynamic->push_back(is_dynamic);
    return true;
  });
  if (!ok) return false;
  return negative_loc == nullptr || Error(negative_loc, "expects a dimension size of at least 0");
}

bool HloTextParser::ParseShape(Shape* shape, bool fill_missing_layouts) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;

  if (AtIdent("b") && lexer_.LookAhead() == TokKind::kLparen) {
    lexer_.Next();
    lexer_.Next();
    const Loc array_loc = loc();
    Shape array;
    if (!ParseShape(&array, fill_missing_layouts)) return false;
    if (!array.IsArray() || array.IsBuffer()) {
      return Error(array_loc, Cat("expects an array shape in a buffer shape, but sees ",
                                  array.ToString(true)));
    }
    *shape = std::move(array);
    shape->set_is_buffer(true);
    return Expect(TokKind::kRparen, "expects ')' at the end of buffer shape.");
  }

  if (kind() == TokKind::kLparen) {
    if (shape_depth_ >= Shape::kMaxTupleDepth)
      return TokenError("maximum recursion depth exceeded");
    lexer_.Next();
    ++shape_depth_;
    std::vector<Shape> elements;
    bool ok = true;
    if (kind() != TokKind::kRparen) {
      do {
        const Loc element_loc = loc();
        Shape& element = elements.emplace_back();
        ok = ParseShape(&element, fill_missing_layouts);
        // The verifier checks the layout of a single array; in a tuple, it must be valid here.
        if (ok && element.IsArray() && element.has_layout()) {
          const absl::Status status = LayoutUtil::ValidateLayoutForShape(element.layout(), element);
          if (!status.ok()) ok = Error(element_loc, std::string(status.message()));
        }
      } while (ok && Eat(TokKind::kComma));
    }
    --shape_depth_;
    if (!ok) return false;
    *shape = Shape(std::move(elements));
    return Expect(TokKind::kRparen, "expects ')' at the end of tuple.");
  }

  const Loc type_loc = loc();
  PrimitiveType type;
  DimensionVector sizes;
  absl::InlinedVector<bool, 8> dynamic;
  if (!ParsePrimitiveType(&type) || !ParseDimensions(&sizes, &dynamic)) return false;
  if (!primitive_util::IsArrayType(type)) {
    if (!sizes.empty()) {
      return Error(type_loc, Cat("expects no dimensions of the type ",
                                 primitive_util::LowercasePrimitiveTypeName(type)));
    }
    *shape = Shape(type);
    return true;
  }
  *shape = Shape(type, sizes, dynamic);
  // A brace starts a layout if a dimension number or a colon follows; otherwise it may be the body
  // of a computation.
  if (kind() == TokKind::kLbrace) {
    const TokKind next = lexer_.LookAhead();
    if (next == TokKind::kInt || next == TokKind::kColon) {
      Layout layout;
      if (!ParseLayout(&layout)) return false;
      if (layout.minor_to_major_size() != shape->rank()) {
        return TokenError(absl::StrFormat("Dimensions size is %d, but minor to major size is %d.",
                                          shape->rank(), layout.minor_to_major_size()));
      }
      if (layout.has_physical_shape()) {
        return TokenError(
            Cat("Layout has physical shape, but is not for a sparse array: ", layout.ToString()));
      }
      *shape->mutable_layout() = std::move(layout);
      return true;
    }
  }
  if ((fill_missing_layouts && options_.fill_missing_layouts) || sizes.empty())
    LayoutUtil::SetToDefaultLayout(shape);
  return true;
}

// '(' int ')'
bool HloTextParser::ParseLayoutInteger(std::string_view what, int64_t* value) {
  return Expect(TokKind::kLparen, Cat("expects ", what, " to start with kLparen")) &&
         ParseValue(value) &&
         Expect(TokKind::kRparen, Cat("expects ", what, " to end with kRparen"));
}

// '(' unsigned integer type ')' after '#' or '*'
bool HloTextParser::ParseLayoutUnsignedType(TokKind sign, std::string_view what,
                                            PrimitiveType* type) {
  bool ok =
      Expect(TokKind::kLparen, Cat("expects ", TokKindName(sign), " to be followed by kLparen"));
  if (!ParsePrimitiveType(type)) {
    ok = false;
  } else if (!primitive_util::IsUnsignedIntegralType(*type)) {
    ok = TokenError("expecting an unsigned integer type");
  }
  return Expect(TokKind::kRparen,
                Cat("expects ", what, " primitive type to be followed by kRparen")) &&
         ok;
}

// '(' ([DCSH] '+'? '~'?) % ',' ')': kinds of sparse storage, which layouts no longer have. Parsed
// and ignored.
bool HloTextParser::ParseDimLevelTypes() {
  return ParseList(TokKind::kLparen, TokKind::kRparen, TokKind::kComma, [&] {
    if (!AtIdent("D") && !AtIdent("C") && !AtIdent("S") && !AtIdent("H")) {
      return TokenError("expected a DimLevelType abbreviation (D, C, or S)");
    }
    lexer_.Next();
    Eat(TokKind::kPlus);
    Eat(TokKind::kTilde);
    return true;
  });
}

// ('(' (int | '*') % ',' ')')+
bool HloTextParser::ParseTiles(TileVector* tiles) {
  do {
    Tile& tile = tiles->emplace_back();
    if (!ParseList(TokKind::kLparen, TokKind::kRparen, TokKind::kComma, [&] {
          int64_t size = Tile::kCombineDimension;
          if (!Eat(TokKind::kAsterisk) && !ParseValue(&size)) return false;
          tile.add_dimensions(size);
          return true;
        })) {
      return false;
    }
  } while (kind() == TokKind::kLparen);
  return true;
}

// ('(' dimension ':' index % ',' ')')+
bool HloTextParser::ParseSplitConfigs(std::vector<SplitConfig>* configs) {
  do {
    int64_t dimension;
    if (!Expect(TokKind::kLparen, "expects split configs to start with kLparen") ||
        !ParseValue(&dimension)) {
      return false;
    }
    SplitConfig& config = configs->emplace_back(dimension, absl::Span<const int64_t>());
    if (!ParseList(TokKind::kColon, TokKind::kRparen, TokKind::kComma, [&] {
          int64_t index;
          if (!ParseValue(&index)) return false;
          config.add_split_indices(index);
          return true;
        })) {
      return false;
    }
  } while (kind() == TokKind::kLparen);
  return true;
}

bool HloTextParser::ParseLayout(Layout* layout) {
  if (!Expect(TokKind::kLbrace, "expects layout to start with kLbrace")) return false;
  if (kind() == TokKind::kInt) {
    do {
      int64_t dimension;
      if (!ParseValue(&dimension)) return false;
      layout->add_minor_to_major(dimension);
    } while (Eat(TokKind::kComma));
  }
  // Properties, in this order. As in XLA, a broken one does not stop the others: all that is wrong
  // is reported.
  bool ok = true;
  if (Eat(TokKind::kColon)) {
    const auto eat_ident = [&](std::string_view ident) {
      if (!AtIdent(ident)) return false;
      lexer_.Next();
      return true;
    };
    int64_t number = 0;
    if (eat_ident("D")) ok &= ParseDimLevelTypes();
    if (eat_ident("T")) ok &= ParseTiles(layout->mutable_tiles());
    if (eat_ident("L")) {
      if (ParseLayoutInteger("multiple padded to in elements", &number)) {
        layout->set_tail_padding_alignment_in_elements(number);
      } else {
        ok = false;
      }
    }
    PrimitiveType type = PRIMITIVE_TYPE_INVALID;
    if (Eat(TokKind::kOctothorp)) {
      ok &= ParseLayoutUnsignedType(TokKind::kOctothorp, "index", &type);
      layout->set_index_primitive_type(type);
    }
    if (Eat(TokKind::kAsterisk)) {
      type = PRIMITIVE_TYPE_INVALID;
      ok &= ParseLayoutUnsignedType(TokKind::kAsterisk, "pointer", &type);
      layout->set_pointer_primitive_type(type);
    }
    if (eat_ident("E")) {
      number = 0;
      ok &= ParseLayoutInteger("element size in bits", &number);
      layout->set_element_size_in_bits(number);
    }
    if (eat_ident("S")) {
      number = 0;
      ok &= ParseLayoutInteger("memory space", &number);
      layout->set_memory_space(number);
    }
    if (eat_ident("SC")) {
      std::vector<SplitConfig> configs;
      ok &= ParseSplitConfigs(&configs);
      for (const SplitConfig& config : configs) layout->add_split_configs(config);
    }
    if (eat_ident("P")) {
      ok &= Expect(TokKind::kLparen, "expects physical shape to start with kLparen") &&
            ParseShape(layout->mutable_physical_shape()) &&
            Expect(TokKind::kRparen, "expects physical shape to end with kRparen");
    }
    if (eat_ident("M")) {
      number = 0;
      ok &= ParseLayoutInteger("dynamic shape metadata prefix bytes", &number);
      layout->set_dynamic_shape_metadata_prefix_bytes(number);
    }
    if (eat_ident("W")) {
      ok &= ParseList(TokKind::kLparen, TokKind::kRparen, TokKind::kComma, [&] {
        if (!ParseValue(&number)) return false;
        layout->add_padded_dimensions(number);
        return true;
      });
    }
    if (eat_ident("V")) {
      ok &= Expect(TokKind::kLparen, "expects padding value to start with kLparen");
      // "unknown" is a reserved word.
      std::string_view word = kind() == TokKind::kwUnknown ? "unknown" : "";
      if (kind() == TokKind::kIdent) word = lexer_.token().text;
      if (const auto value = StringToPaddingValue(View(word)); value.ok()) {
        layout->set_padding_value(*value);
        lexer_.Next();
        ok &= Expect(TokKind::kRparen, "expects padding value to end with kRparen");
      } else {
        ok = TokenError(Cat("expects a padding value, error: ", value.status().message()));
      }
    }
  }
  return Expect(TokKind::kRbrace, "expects layout to end with kRbrace") && ok;
}

}  // namespace xla::text
