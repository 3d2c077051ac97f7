// SPDX-License-Identifier: Apache-2.0
// Reads operations by their format.
#include "xla/mlir/operation_format.h"

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::mlir {
namespace {

// "`[`" is a literal bracket.
std::string_view Literal(std::string_view word) {
  return word.size() > 2 && word.front() == '`' ? word.substr(1, word.size() - 2) : word;
}

bool PeekLiteral(const TextCursor& cursor, std::string_view literal) {
  if (IsAssignment(literal)) literal.remove_suffix(1);
  return TextCursor::IsLetter(literal[0]) ? cursor.PeekWord(literal) : cursor.PeekText(literal);
}

bool ExpectLiteral(TextCursor& cursor, std::string_view literal) {
  if (IsAssignment(literal)) {
    literal.remove_suffix(1);
    return cursor.ExpectWord(literal) && cursor.Expect('=');
  }
  return TextCursor::IsLetter(literal[0]) ? cursor.ExpectWord(literal) : cursor.ExpectText(literal);
}

class FormatParser {
 public:
  FormatParser(OperationReader& reader, OperationState& state)
      : reader_(reader), state_(state), cursor_(reader.cursor()) {}

  bool Run(std::string_view format) {
    while (true) {
      const std::string_view word = NextWord(&format);
      if (word.empty()) return true;
      if (word == "[") {
        if (!IsPresent(format)) SkipGroup(&format);
      } else if (word != "]" && !Step(word)) {
        return false;
      }
    }
  }

 private:
  bool IsPresent(std::string_view group) const {
    const std::string_view first = NextWord(&group);
    if (first[0] == '$') return cursor_.Peek('%');
    if (first == "region") return cursor_.Peek('{');
    if (first[0] == '@') {
      return CaseNumber(first.substr(first.find(':') + 1), cursor_.PeekWord()) >= 0;
    }
    return PeekLiteral(cursor_, Literal(first));
  }

  static void SkipGroup(std::string_view* format) {
    while (!format->empty() && NextWord(format) != "]") {
    }
  }

  bool Step(std::string_view word) {
    if (word[0] == '$') return Operand(word.substr(1));
    if (word[0] == '@') return AttributeStep(word.substr(1));
    // The dictionary is kept where the form states an attribute as well, as MLIR does.
    constexpr auto kReplaced = OperationReader::Repeated::kReplaced;
    if (word == "dict") return reader_.ParseOptionalDictionary(state_, kReplaced);
    if (word == "dictkw") {
      return !cursor_.ConsumeWord("attributes") ||
             reader_.ParseOptionalDictionary(state_, kReplaced);
    }
    if (word == "region") return reader_.ParseRegion(state_, {});
    if (word == "body") return Body();
    if (word == "regions") {
      do {
        if (!reader_.ParseRegion(state_, {})) return false;
      } while (cursor_.Consume(','));
      return true;
    }
    if (word == "fn") return reader_.ParseFunctionalType(state_);
    if (word == "same") return SameType();
    if (word == "operands") return reader_.ParseTypes(&state_.operand_types);
    if (word == "results") return Results();
    if (word == "operand") return OperandType();
    if (word == "value") return TypeOfValue();
    if (word == "select") return SelectType();
    if (word == "complex") return ComplexType();
    if (word == "tuple") return TupleType();
    if (word == "pairwise") {
      if (!reader_.ParseTypes(&state_.operand_types)) return false;
      state_.result_types.assign(state_.operand_types.begin(), state_.operand_types.end());
      return true;
    }
    return ExpectLiteral(cursor_, Literal(word));
  }

  bool Operand(std::string_view word) {
    if (word.size() > 2 && word.substr(word.size() - 2) == ",*") {
      while (cursor_.Peek('%')) {
        state_.operands.emplace_back();
        if (!reader_.ParseOperand(&state_.operands.back()) || !cursor_.Expect(',')) return false;
      }
      return true;
    }
    if (word.back() == '*') return reader_.ParseOperands(state_);
    state_.operands.emplace_back();
    return reader_.ParseOperand(&state_.operands.back());
  }

  bool Body() {
    std::vector<NamedArgument> arguments;
    if (!cursor_.Expect('(')) return false;
    if (!cursor_.Peek(')')) {
      do {
        arguments.emplace_back();
        if (!reader_.ParseArgument(&arguments.back())) return false;
      } while (cursor_.Consume(','));
    }
    return cursor_.Expect(')') && reader_.ParseRegion(state_, arguments);
  }

  bool AttributeStep(std::string_view word) {
    const size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    const size_t begin = cursor_.offset();
    const AttributeRef value = ParseAttribute(word.substr(colon + 1));
    if (value == nullptr) return false;
    // A dictionary before it.
    if (FindAttribute(state_.attributes, name) != nullptr) {
      return cursor_.FailAt(begin, absl::StrCat("attribute '", View(name), "' is given twice"));
    }
    state_.AddAttribute(name, value);
    return true;
  }

  AttributeRef ParseAttribute(std::string_view kind) {
    Context& context = reader_.context();
    AttributeReader& attributes = reader_.attributes();
    if (kind == "i64") return attributes.ParseInteger(context.Integer(64));
    if (kind == "i32") return attributes.ParseInteger(context.Integer(32));
    if (kind == "ui32") {
      return attributes.ParseInteger(context.Integer(32, Signedness::kUnsigned));
    }
    if (kind == "bool") return attributes.ParseInteger(context.Integer(1));
    if (kind == "f64") return attributes.ParseNumber(context.Float(FloatKind::kF64));
    if (kind == "array") return Array();
    if (kind == "any") return attributes.ParseAttribute();
    if (kind == "sym") return attributes.ParseSymbol();
    std::string_view text;
    if (kind == "str") return cursor_.String(&text) ? context.String(text) : nullptr;
    if (kind == "symstr") return cursor_.SymbolName(&text) ? context.String(text) : nullptr;
    // enum:dialect.name, own:dialect.name, bare:dialect.name, case:A,B
    const std::string_view type = kind.substr(kind.find(':') + 1);
    const size_t point = type.find('.');
    const bool is_bare = kind.substr(0, 5) == "bare:";
    if (is_bare || kind.substr(0, 4) == "own:") {
      return attributes.ParseKnown(type.substr(0, point), type.substr(point + 1), is_bare);
    }
    if (kind.substr(0, 5) == "case:") {
      const int64_t number = CaseNumber(kind, cursor_.PeekWord());
      if (number < 0) {
        cursor_.FailExpected(absl::StrCat("one of ", View(type)));
        return nullptr;
      }
      cursor_.Word();
      return context.IntegerOf(context.Integer(32), number);
    }
    text = cursor_.Word();
    if (text.empty()) {
      cursor_.FailExpected(absl::StrCat("a keyword of ", View(type)));
      return nullptr;
    }
    return context.DialectOf(type.substr(0, point), type.substr(point + 1), text);
  }

  AttributeRef Array() {
    // An alias or "array<i64: 1, 2>" are possible too.
    if (!cursor_.Peek('[')) return reader_.attributes().ParseAttribute();
    cursor_.Consume('[');
    absl::InlinedVector<int64_t, 8> values;
    if (!cursor_.Peek(']')) {
      do {
        values.push_back(0);
        if (!reader_.attributes().ParseSignedInteger(&values.back())) return nullptr;
      } while (cursor_.Consume(','));
    }
    return cursor_.Expect(']') ? reader_.context().I64Array(values) : nullptr;
  }

  // Operand and result types from a function type that was read as a type.
  bool AssignFunction(const Type& function, size_t begin) {
    if (function.types.size() != state_.operands.size()) {
      return cursor_.FailAt(begin, absl::StrCat(state_.operands.size(), " operands, but ",
                                                function.types.size(), " types of operands"));
    }
    if (function.results.size() != 1) return cursor_.FailAt(begin, "expected a single result");
    state_.operand_types.assign(function.types.begin(), function.types.end());
    state_.result_types.assign(function.results.begin(), function.results.end());
    return true;
  }

  bool SameType() {
    const size_t begin = cursor_.offset();
    const TypeRef type = reader_.attributes().ParseType();
    if (type == nullptr) return false;
    if (type->kind == TypeKind::kFunction) return AssignFunction(*type, begin);
    state_.operand_types.assign(state_.operands.size(), type);
    state_.result_types.assign(1, type);
    return true;
  }

  bool SelectType() {
    const size_t begin = cursor_.offset();
    const TypeRef first = reader_.attributes().ParseType();
    if (first == nullptr) return false;
    if (first->kind == TypeKind::kFunction) return AssignFunction(*first, begin);
    if (!cursor_.Consume(',')) {
      return cursor_.FailAt(begin, "expected a function type or two types");
    }
    const TypeRef type = reader_.attributes().ParseType();
    if (type == nullptr) return false;
    state_.operand_types = {first, type, type};
    state_.result_types.assign(1, type);
    return true;
  }

  bool ComplexType() {
    const size_t begin = cursor_.offset();
    const TypeRef type = reader_.attributes().ParseType();
    if (type == nullptr) return false;
    if (type->kind == TypeKind::kFunction) return AssignFunction(*type, begin);
    if (type->element == nullptr || type->element->kind != TypeKind::kComplex) {
      return cursor_.FailAt(begin, "expected a tensor of complex elements");
    }
    Type part = *type;
    part.element = type->element->element;
    state_.operand_types.assign(state_.operands.size(), reader_.context().Intern(part));
    state_.result_types.assign(1, type);
    return true;
  }

  bool TupleType() {
    const size_t begin = cursor_.offset();
    const TypeRef type = reader_.attributes().ParseType();
    if (type == nullptr) return false;
    if (type->kind != TypeKind::kTuple) return cursor_.FailAt(begin, "expected a tuple type");
    state_.operand_types.assign(type->types.begin(), type->types.end());
    state_.result_types.assign(1, type);
    return true;
  }

  bool Results() {
    absl::InlinedVector<TypeRef, 6> types;
    if (!reader_.ParseTypes(&types)) return false;
    state_.result_types.assign(types.begin(), types.end());
    return true;
  }

  bool OperandType() {
    const TypeRef type = reader_.attributes().ParseType();
    if (type == nullptr) return false;
    state_.operand_types.assign(state_.operands.size(), type);
    return true;
  }

  // The type of the constant that was read last.
  bool TypeOfValue() {
    const AttributeRef value =
        state_.attributes.empty() ? nullptr : FindAttribute(state_.attributes, "value");
    TypeRef type = nullptr;
    if (value != nullptr) {
      if (const auto* dense = value->As<DenseAttribute>()) type = dense->type;
      if (const auto* resource = value->As<DenseResourceAttribute>()) type = resource->type;
      if (const auto* strings = value->As<DenseStringsAttribute>()) type = strings->type;
      if (const auto* sparse = value->As<SparseAttribute>()) type = sparse->type;
      if (const auto* integer = value->As<IntegerAttribute>()) type = integer->type;
      if (const auto* number = value->As<FloatAttribute>()) type = number->type;
    }
    if (type == nullptr) return cursor_.Fail("the constant must have a type");
    if (state_.operands.empty()) {
      state_.result_types.assign(1, type);
    } else {
      state_.operand_types.assign(state_.operands.size(), type);
    }
    return true;
  }

  OperationReader& reader_;
  OperationState& state_;
  TextCursor& cursor_;
};

}  // namespace

bool IsAssignment(std::string_view literal) { return literal.size() > 1 && literal.back() == '='; }

std::string_view CaseName(std::string_view kind, int64_t number) {
  for (kind.remove_prefix(5); number > 0 && !kind.empty(); --number) {
    kind.remove_prefix(std::min(kind.find(','), kind.size() - 1) + 1);
  }
  return number == 0 ? kind.substr(0, kind.find(',')) : std::string_view();
}

int64_t CaseNumber(std::string_view kind, std::string_view word) {
  if (kind.substr(0, 5) != "case:" || word.empty()) return -1;
  for (int64_t number = 0;; ++number) {
    const std::string_view name = CaseName(kind, number);
    if (name.empty() || name == word) return name.empty() ? -1 : number;
  }
}

std::string_view NextWord(std::string_view* format) {
  const size_t begin = format->find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    *format = {};
    return {};
  }
  const size_t end = std::min(format->find(' ', begin), format->size());
  const std::string_view word = format->substr(begin, end - begin);
  format->remove_prefix(end);
  return word;
}

bool ParseByFormat(OperationReader& reader, std::string_view format, OperationState& state) {
  return FormatParser(reader, state).Run(format);
}

}  // namespace xla::mlir
