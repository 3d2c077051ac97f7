// SPDX-License-Identifier: Apache-2.0
// Names, numbers, strings and lists of them.
#include <cmath>
#include <limits>

#include "xla/hlo/text/parser_impl.h"

namespace xla::text {

bool HloTextParser::ParseName(std::string_view* name) {
  if (kind() != TokKind::kIdent && kind() != TokKind::kName) return TokenError("expects name");
  *name = lexer_.token().text;
  lexer_.Next();
  return true;
}

// A module may be called like a type.
bool HloTextParser::ParseModuleName(std::string_view* name) {
  if (kind() != TokKind::kPrimitiveType) return ParseName(name);
  *name = lexer_.token().text;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseAttributeName(std::string_view* name) {
  if (kind() != TokKind::kAttributeName) return TokenError("expects attribute name");
  *name = lexer_.token().text;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseIdent(std::string_view what, std::string_view* ident) {
  if (kind() != TokKind::kIdent) return TokenError(Cat("expects ", what));
  *ident = lexer_.token().text;
  return true;  // the caller moves on once the word is known to be good, so that errors point at it
}

bool HloTextParser::ParseValue(std::string* value) {
  if (kind() != TokKind::kString) return TokenError("expects string");
  value->assign(lexer_.StringValue());
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseStringOrDict(std::string* value) {
  if (kind() == TokKind::kString) return ParseValue(value);
  if (kind() != TokKind::kLbrace) return false;
  if (lexer_.LexJsonDict() != TokKind::kString) return TokenError("expects JSON dict");
  value->assign(lexer_.StringValue());
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(int64_t* value) {
  if (kind() != TokKind::kInt) return TokenError("expects integer");
  *value = lexer_.token().integer;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseInt32(int64_t* value) {
  const Loc start = loc();
  if (!ParseValue(value)) return false;
  if (*value != static_cast<int32_t>(*value)) return Error(start, "value out of range for int32_t");
  return true;
}

bool HloTextParser::ParseValue(double* value) {
  switch (kind()) {
    case TokKind::kDecimal:
      if (std::isinf(lexer_.token().decimal)) {
        return TokenError(Cat("Constant is out of range for double (+/-",
                              std::numeric_limits<double>::max(), ") and so is unparsable."));
      }
      *value = lexer_.token().decimal;
      break;
    case TokKind::kInt:
      // "-0" is an integer, and so loses its sign.
      *value = static_cast<double>(lexer_.token().integer);
      break;
    case TokKind::kwInf:
      *value = std::numeric_limits<double>::infinity();
      break;
    case TokKind::kNegInf:
      *value = -std::numeric_limits<double>::infinity();
      break;
    default:
      return TokenError("expects decimal or integer");
  }
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(float* value) {
  const Loc start = loc();
  double wide;
  if (!ParseValue(&wide)) return false;
  if (wide > std::numeric_limits<float>::max() || wide < std::numeric_limits<float>::lowest()) {
    return Error(start, "value out of range for float");
  }
  *value = static_cast<float>(wide);
  return true;
}

bool HloTextParser::ParseValue(bool* value) {
  if (kind() != TokKind::kwTrue && kind() != TokKind::kwFalse)
    return TokenError("expects true or false");
  *value = kind() == TokKind::kwTrue;
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseList(TokKind start, TokKind end, TokKind delimiter,
                              absl::FunctionRef<bool()> parse_item) {
  if (kind() != start) return TokenError(Cat("expects a list starting with ", TokKindName(start)));
  lexer_.Next();
  if (kind() != end) {
    do {
      if (!parse_item()) return false;
    } while (Eat(delimiter));
  }
  if (kind() != end) return TokenError(Cat("expects a list to end with ", TokKindName(end)));
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseIntegerList(TokKind start, TokKind end, TokKind delimiter,
                                     Int64s* values) {
  const auto list_error = [&] {
    return TokenError(Cat("expects a list to end with ", TokKindName(end)));
  };
  if (kind() != start) return list_error();
  lexer_.NextInteger();
  if (kind() != end) {
    while (true) {
      int64_t value;
      if (!ParseValue(&value)) return false;
      values->push_back(value);
      if (kind() != delimiter) break;
      lexer_.NextInteger();
    }
  }
  if (kind() != end) return list_error();
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(Int64s* value) {
  return ParseIntegerList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma, value);
}

bool HloTextParser::ParseValue(std::vector<Int64s>* value) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma,
                   [&] { return ParseValue(&value->emplace_back()); });
}

bool HloTextParser::ParseValue(std::vector<std::pair<int64_t, int64_t>>* value) {
  std::vector<Int64s> lists;
  if (!ParseValue(&lists)) return false;
  for (const Int64s& list : lists) {
    if (list.size() != 2) {
      has_bad_pairs_ = true;
      break;
    }
    value->emplace_back(list[0], list[1]);
  }
  return true;
}

bool HloTextParser::ParseValue(std::vector<Shape>* value) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma,
                   [&] { return ParseShape(&value->emplace_back()); });
}

bool HloTextParser::ParseShapeIndex(std::vector<int64_t>* index) {
  if (!Expect(TokKind::kLbrace, "Expects '{' at the start of ShapeIndex")) return false;
  while (kind() != TokKind::kRbrace) {
    if (!ParseValue(&index->emplace_back())) return false;
    if (!Eat(TokKind::kComma)) break;
  }
  return Expect(TokKind::kRbrace, "Expects '}' at the end of ShapeIndex");
}

bool HloTextParser::ParseValue(std::vector<OutputOperandAlias>* value) {
  constexpr std::string_view kFormat =
      "Expected format: <output_shape_index>: (<operand_index>, <operand_shape_index>)";
  if (!Expect(TokKind::kLbrace, "Expects '{' at the start of instruction aliasing description"))
    return false;
  while (kind() != TokKind::kRbrace) {
    OutputOperandAlias& alias = value->emplace_back();
    if (!ParseShapeIndex(&alias.output_index) || !Expect(TokKind::kColon, kFormat) ||
        !Expect(TokKind::kLparen, kFormat) || !ParseValue(&alias.operand) ||
        !Expect(TokKind::kComma, kFormat) || !ParseShapeIndex(&alias.operand_index) ||
        !Expect(TokKind::kRparen, kFormat)) {
      return false;
    }
    if (!Eat(TokKind::kComma)) break;
  }
  return Expect(TokKind::kRbrace, "Expects '}' at the end of instruction aliasing description");
}

}  // namespace xla::text
