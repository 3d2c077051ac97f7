// SPDX-License-Identifier: Apache-2.0
// The value of one instruction of a program, on arguments that differ in every element.
#ifndef TESTS_VARIANTS_VALUES_H_
#define TESTS_VARIANTS_VALUES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/variants/expected.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::testing {

// Small numbers, with fractions where the type has them; other ones for each parameter. Dynamic
// sizes are one below their bound.
inline absl::StatusOr<Literal> NumberedArgument(const Shape& shape, int64_t parameter) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(shape)) {
    if (!leaf.shape.IsArray()) continue;
    std::vector<double> numbers(static_cast<size_t>(ShapeUtil::ElementsIn(leaf.shape)));
    const bool has_fractions = primitive_util::IsFloatingPointType(leaf.shape.element_type()) ||
                               primitive_util::IsComplexType(leaf.shape.element_type());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto k = static_cast<int64_t>(i);
      const int64_t whole = (3 * parameter + k * (parameter + 2) + k / 7) % 7;
      numbers[i] = static_cast<double>(whole) + (has_fractions ? 0.25 * (k % 3) - 1 : 0);
    }
    XLA_ASSIGN_OR_RETURN(Literal values,
                         LiteralUtil::CreateR1<double>(numbers).Convert(leaf.shape.element_type()));
    XLA_ASSIGN_OR_RETURN(values, values.Reshape(leaf.shape.dimensions()));
    XLA_RETURN_IF_ERROR(literal.CopyFrom(values, leaf.index, {}, /*only_dynamic_bound=*/true));
    for (int64_t d = 0; d < leaf.shape.rank(); ++d) {
      if (!leaf.shape.is_dynamic_dimension(static_cast<int>(d))) continue;
      const int64_t size = leaf.shape.dimensions(static_cast<int>(d)) - 1;
      literal.SetDynamicSize(d, leaf.index, static_cast<int32_t>(std::max<int64_t>(size, 0)));
    }
  }
  return literal;
}

// The text without numbers so near to zero that they may be what is left of rounding.
inline std::string WithoutResidues(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && !absl::StrContains(" ,(){}", text.substr(end, 1))) ++end;
    const size_t exponent = text.substr(i, end - i).find("e-");
    const bool is_residue =
        exponent != std::string::npos && std::atoi(text.c_str() + i + exponent + 2) >= 5;
    absl::StrAppend(&result, is_residue ? "0" : text.substr(i, end - i));
    if (end < text.size()) result.push_back(text[end++]);
    i = end;
  }
  return result;
}

// Shape, sizes and numbers to four digits, which do not depend on the functions of the system.
inline std::string RoundedValue(const LiteralSlice& value) {
  std::string text = value.shape().ToString();
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(value.shape())) {
    if (!leaf.shape.IsArray()) continue;
    absl::StrAppend(&text, " ");
    for (int64_t d = 0; d < leaf.shape.rank(); ++d) {
      if (leaf.shape.is_dynamic_dimension(static_cast<int>(d)))
        absl::StrAppend(&text, "<", value.GetDynamicSize(d, leaf.index), ">");
    }
    absl::StrAppend(&text,
                    RoundedNumbers(LiteralSlice(value, leaf.index).ToStringWithoutShapeOneline()));
  }
  return text;
}

// A program in which each instruction has a line.
class ProgramLines {
 public:
  explicit ProgramLines(const std::string& text) : lines_(absl::StrSplit(text, '\n')) {
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (absl::StartsWith(lines_[i], "HloModule")) lines_[i] = "HloModule part";
      if (absl::StartsWith(lines_[i], "ENTRY")) entry_ = i;
    }
  }

  size_t size() const { return lines_.size(); }
  // Whether the line is an instruction of the entry.
  bool IsInstruction(size_t line) const {
    return entry_ > 0 && line > entry_ && line < lines_.size() &&
           absl::StrContains(lines_[line], " = ");
  }
  const std::string& LineAt(size_t line) const { return lines_[line]; }
  // "add" for "  ROOT add = f32[] add(x, y)".
  std::string NameAt(size_t line) const {
    absl::string_view text = absl::StripLeadingAsciiWhitespace(lines_[line]);
    absl::ConsumePrefix(&text, "ROOT ");
    return std::string(text.substr(0, text.find(" = ")));
  }
  // The program with the line's instruction as its root, on one device, without what follows.
  std::string UpTo(size_t line) const {
    std::vector<std::string> part(lines_.begin(), lines_.begin() + static_cast<int64_t>(line) + 1);
    for (size_t i = entry_ + 1; i < part.size(); ++i) {
      absl::string_view text = absl::StripLeadingAsciiWhitespace(part[i]);
      const bool is_root = absl::ConsumePrefix(&text, "ROOT ");
      if (is_root || i == line) part[i] = absl::StrCat(i == line ? "  ROOT " : "  ", text);
    }
    if (absl::StrContains(part[entry_], ") -> ")) part[entry_] = "ENTRY part {";
    return absl::StrCat(absl::StrJoin(part, "\n"), "\n}\n");
  }

 private:
  std::vector<std::string> lines_;
  size_t entry_ = 0;
};

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_VALUES_H_
