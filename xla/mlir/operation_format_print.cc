// SPDX-License-Identifier: Apache-2.0
// Prints operations by their format; the counterpart of operation_format.cc.
#include <algorithm>
#include <vector>

#include "xla/mlir/operation_format.h"
#include "xla/mlir/operation_printer.h"

namespace xla::mlir {
namespace {

// The group that starts here, up to its ']', which is taken too.
std::string_view TakeGroup(std::string_view* format) {
  const std::string_view whole = *format;
  while (!format->empty()) {
    const size_t before = whole.size() - format->size();
    if (NextWord(format) == "]") return whole.substr(0, before);
  }
  return whole;
}

// "@name:kind" without what follows the name.
std::string_view AttributeName(std::string_view word) { return word.substr(1, word.find(':') - 1); }

class FormatWriter {
 public:
  FormatWriter(OperationPrinter& printer, const Operation& operation, std::string_view format)
      : printer_(printer), operation_(operation) {
    while (!format.empty()) {
      const std::string_view word = NextWord(&format);
      if (!word.empty() && word[0] == '@') named_.push_back(AttributeName(word));
    }
  }

  bool Run(std::string_view format) {
    while (true) {
      const std::string_view word = NextWord(&format);
      if (word.empty()) return true;
      if (word == "[") {
        const std::string_view group = TakeGroup(&format);
        if (!IsPresent(group)) continue;
        after_word_ = true;  // a group that begins with a parenthesis has a space before it
        if (!Run(group)) return false;
      } else if (!Step(word, format)) {
        return false;
      }
    }
  }

 private:
  // Whether the group has something to print: an attribute that is there, operands, regions.
  bool IsPresent(std::string_view group) const {
    while (!group.empty()) {
      const std::string_view word = NextWord(&group);
      if (word.empty()) break;
      if (word[0] == '@') return IsShown(word);
      if (word[0] == '$' || word == "operands") return !operation_.operands.empty();
      if (word == "regions" || word == "region") return !operation_.regions.empty();
    }
    return false;
  }

  bool IsShown(std::string_view word) const {
    const AttributeRef value = operation_.Find(AttributeName(word));
    const bool is_case = word.find(":case:") != std::string_view::npos;
    const auto* number = value == nullptr || !is_case ? nullptr : value->As<IntegerAttribute>();
    return value != nullptr && (number == nullptr || number->value != 0);
  }

  void Space() {
    if (!is_tight_) printer_.Text(" ");
    is_tight_ = false;
  }

  bool Step(std::string_view word, std::string_view rest) {
    if (word[0] == '$') return PrintOperands(word, rest);
    if (word[0] == '@') return PrintAttribute(word);
    if (word == "dict" || word == "dictkw") {
      printer_.Dictionary(operation_.attributes, named_,
                          word == "dict" ? std::string_view() : "attributes ");
      return true;
    }
    if (word == "region" || word == "regions") {
      const char* separator = "";
      for (const Region& region : operation_.regions) {
        printer_.Text(separator);
        Space();
        printer_.PrintRegion(region, /*has_arguments=*/true);
        separator = ",";
      }
      return true;
    }
    if (word == "body") return PrintBody();
    const int types = PrintTypes(word);
    return types >= 0 ? types != 0 : PrintLiteral(word);
  }

  bool PrintOperands(std::string_view word, std::string_view rest) {
    const absl::Span<Value* const> operands = operation_.operands;
    if (word.size() > 2 && word.substr(word.size() - 2) == ",*") {
      Space();
      printer_.Operands(operands.subspan(next_operand_));
      if (next_operand_ < operands.size()) printer_.Text(",");
      next_operand_ = operands.size();
      return true;
    }
    if (word.back() == '*') {
      // MLIR writes the space before a list that may be empty.
      const bool has_types = rest.substr(rest.rfind(']') + 1).find(" : ") != std::string_view::npos;
      if (next_operand_ < operands.size() || has_types) Space();
      printer_.Operands(operands.subspan(next_operand_));
      next_operand_ = operands.size();
      return true;
    }
    if (next_operand_ >= operands.size()) return false;
    Space();
    printer_.Operand(operands[next_operand_++]);
    return true;
  }

  bool PrintBody() {
    if (operation_.regions.size() != 1 || !operation_.regions[0].HasOneBlock()) return false;
    Space();
    printer_.Text("(");
    const char* separator = "";
    for (const Value& argument : operation_.regions[0].first->arguments) {
      printer_.Text(separator);
      separator = ", ";
      printer_.Operand(&argument);
      printer_.Text(": ");
      printer_.Type(argument.type);
      printer_.LocationOf(argument);
    }
    printer_.Text(") ");
    printer_.PrintRegion(operation_.regions[0], /*has_arguments=*/false);
    return true;
  }

  bool PrintAttribute(std::string_view word) {
    const AttributeRef value = operation_.Find(AttributeName(word));
    const std::string_view kind = word.substr(word.find(':') + 1);
    if (value == nullptr) return false;
    Space();
    if (kind == "any") {
      printer_.Attribute(value);
      return true;
    }
    if (kind == "array") return PrintArray(*value);
    if (kind == "sym" || kind == "symstr") {
      const auto* symbol = value->As<SymbolRefAttribute>();
      const auto* string = value->As<StringAttribute>();
      if (symbol == nullptr && string == nullptr) return false;
      if (symbol != nullptr) printer_.Attribute(symbol);
      if (string != nullptr) printer_.Symbol(string->value);
      return true;
    }
    if (kind == "str") {
      printer_.Attribute(value);
      return value->kind == AttributeKind::kString;
    }
    if (kind.substr(0, 4) == "own:") return PrintOwn(*value, kind.substr(4));
    if (kind.substr(0, 5) == "bare:") {
      const auto* attribute = value->As<DialectAttribute>();
      if (attribute != nullptr) printer_.Text(attribute->text);
      return attribute != nullptr;
    }
    if (kind.substr(0, 5) == "case:") {
      const auto* number = value->As<IntegerAttribute>();
      const std::string_view name = number == nullptr || number->value < 0
                                        ? std::string_view()
                                        : CaseName(kind, number->value);
      printer_.Text(name);
      return !name.empty();
    }
    if (kind.substr(0, 5) == "enum:") {
      const auto* keyword = value->As<DialectAttribute>();
      if (keyword == nullptr) return false;
      printer_.Text(keyword->text);
      return true;
    }
    if (const auto* number = value->As<FloatAttribute>()) {
      std::string text = ToString(number);
      printer_.Text(text.substr(0, text.find(' ')));
      return true;
    }
    const auto* integer = value->As<IntegerAttribute>();
    if (integer == nullptr) return false;
    if (kind == "bool") {
      printer_.Text(integer->value != 0 ? "true" : "false");
    } else {
      printer_.Integer(integer->value);
    }
    return true;
  }

  // What follows the name in "#dialect.name<..>" or "#dialect<name..>".
  bool PrintOwn(const mlir::Attribute& value, std::string_view kind) {
    const auto* attribute = value.As<DialectAttribute>();
    const size_t point = kind.find('.');
    if (attribute == nullptr || !attribute->Is(kind.substr(0, point), kind.substr(point + 1))) {
      return false;
    }
    const std::string text = ToString(attribute);
    if (text.size() < kind.size() + 2) return false;
    std::string_view rest = std::string_view(text).substr(kind.size() + 1);
    const bool is_within = text[point + 1] == '<';
    if (is_within) rest.remove_suffix(1);
    printer_.Text(rest);
    return true;
  }

  bool PrintArray(const mlir::Attribute& value) {
    const auto* array = value.As<DenseArrayAttribute>();
    if (array == nullptr) return false;
    printer_.Text("[");
    for (int64_t i = 0; i < array->count; ++i) {
      if (i > 0) printer_.Text(", ");
      printer_.Integer(DenseInteger(*array->element, array->data, i));
    }
    printer_.Text("]");
    return true;
  }

  TypeRef OperandType(size_t i) const { return operation_.operands[i]->type; }

  bool AllOperandsAre(TypeRef type, size_t first = 0) const {
    for (size_t i = first; i < operation_.operands.size(); ++i) {
      if (OperandType(i) != type) return false;
    }
    return true;
  }

  // 1: printed, 0: the form cannot show these types, -1: the word stands for no types.
  int PrintTypes(std::string_view word) {
    const auto& results = operation_.results;
    const auto one = [&](TypeRef type) {
      Space();
      printer_.Type(type);
      return 1;
    };
    const auto function = [&] {
      Space();
      printer_.FunctionalType(operation_);
      return 1;
    };
    if (word == "fn") return function();
    if (word == "value") return 1;  // the attribute tells
    if (word == "results" || word == "operands" || word == "pairwise") {
      Space();
      if (word == "operands") {
        printer_.TypesOf(operation_.operands);
      } else {
        printer_.TypesOf(results);
      }
      return 1;
    }
    if (word == "operand") {
      if (operation_.operands.empty() || !AllOperandsAre(OperandType(0))) return 0;
      return one(OperandType(0));
    }
    const bool is_form = word == "same" || word == "select" || word == "complex" || word == "tuple";
    if (!is_form) return -1;
    if (results.size() != 1) return word == "tuple" ? 0 : function();
    const TypeRef result = results[0].type;
    if (word == "tuple") return one(result);
    if (word == "same") return AllOperandsAre(result) ? one(result) : function();
    if (word == "select") {
      if (operation_.operands.size() != 3 || !AllOperandsAre(result, 1)) return function();
      Space();
      printer_.Type(OperandType(0));
      printer_.Text(", ");
      return (printer_.Type(result), 1);
    }
    const bool is_complex = result->element != nullptr &&
                            result->element->kind == TypeKind::kComplex &&
                            result->kind == TypeKind::kRankedTensor;
    bool shows = is_complex;
    for (size_t i = 0; shows && i < operation_.operands.size(); ++i) {
      const TypeRef part = OperandType(i);
      shows = part->element == result->element->element && part->sizes == result->sizes &&
              part->encoding == result->encoding;
    }
    return shows ? one(result) : function();
  }

  bool PrintLiteral(std::string_view word) {
    const bool is_quoted = word.size() > 2 && word.front() == '`';
    if (is_quoted) word = word.substr(1, word.size() - 2);
    const bool joins_left = word == "," || word == ")" || word == "]" || word == "[" ||
                            word == "<" || word == ">" || (word == "(" && !after_word_);
    if (!joins_left) Space();
    printer_.Text(word);
    is_tight_ = word == "(" || word == "[" || word == "<" || IsAssignment(word);
    after_word_ = word != ")" && word != "]" && word != "," && word != ">";
    return true;
  }

  OperationPrinter& printer_;
  const Operation& operation_;
  std::vector<std::string_view> named_;
  size_t next_operand_ = 0;
  bool is_tight_ = false;
  bool after_word_ = false;  // a parenthesis has a space before it: after words, arrows
};

}  // namespace

bool OperationPrinter::ByFormat(const Operation& operation, std::string_view format) {
  return FormatWriter(*this, operation, format).Run(format);
}

}  // namespace xla::mlir
