// SPDX-License-Identifier: Apache-2.0
// Each operation of the StableHLO programs alone, with operands and results whose sizes are open,
// bounded or other ones, or whose rank is.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/stablehlo_outcome.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/translate.h"

namespace xla::testing {
namespace {

// "tensor<2x3xf32>": its sizes and what follows them. No sizes for what is no tensor.
struct TypeParts {
  explicit TypeParts(const std::string& type) : rest(type) {
    constexpr absl::string_view kTensor = "tensor<";
    if (!absl::StartsWith(type, kTensor)) return;
    is_tensor = true;
    size_t at = kTensor.size();
    for (;;) {
      const size_t end = type.find_first_not_of("0123456789?", at);
      if (end == at || end == std::string::npos || type[end] != 'x') break;
      sizes.push_back(type.substr(at, end - at));
      at = end + 1;
    }
    rest = type.substr(at);
    has_extensions = absl::StrContains(rest, "#");
  }
  std::string ToString() const {
    if (!is_tensor) return rest;
    if (is_unranked) return absl::StrCat("tensor<*x", rest);
    std::string text = "tensor<";
    for (const std::string& size : sizes) absl::StrAppend(&text, size, "x");
    return absl::StrCat(text, rest);
  }

  std::vector<std::string> sizes;
  std::string rest;  // "f32>"
  bool is_tensor = false, is_unranked = false, has_extensions = false;
};

TypeParts Open(TypeParts type) {
  for (std::string& size : type.sizes) size = "?";
  return type;
}
TypeParts Unranked(TypeParts type) {
  type.is_unranked = !type.has_extensions;
  return type;
}
// Each size is open, and bounded by what it was.
TypeParts Bounded(TypeParts type) {
  if (type.sizes.empty() || type.has_extensions) return type;
  type.rest = absl::StrCat(type.rest.substr(0, type.rest.size() - 1), ", #stablehlo.bounds<",
                           absl::StrJoin(type.sizes, ", "), ">>");
  return Open(std::move(type));
}

std::vector<TypeParts> Each(std::vector<TypeParts> types, TypeParts (*change)(TypeParts)) {
  for (TypeParts& type : types) type = change(std::move(type));
  return types;
}

// The parts of a list between commas that are not within brackets.
std::vector<std::string> SplitList(absl::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' && list[i - 1] != '-') || c == ')' || c == '}' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    const absl::string_view part = absl::StripAsciiWhitespace(list.substr(begin, i - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = i + 1;
  }
  return parts;
}

// An operation in generic form, on several lines if it has regions.
class OperationAlone {
 public:
  explicit OperationAlone(const std::string& text) {
    const size_t open = text.find("\"(") + 1, close = text.find(')', open);
    const size_t types = text.rfind(" : ("), arrow = text.rfind(" -> ");
    if (open == 0 || close == std::string::npos || types == std::string::npos ||
        arrow == std::string::npos || arrow < types) {
      return;
    }
    head_ = text.substr(0, open);
    middle_ = text.substr(close, types - close);
    const absl::string_view from =
        absl::string_view(text).substr(types + 4, arrow - 1 - (types + 4));
    for (const std::string& type : SplitList(from)) operands.emplace_back(type);
    absl::string_view to = absl::string_view(text).substr(arrow + 4);
    has_list_ = absl::StartsWith(to, "(");
    if (has_list_) to = to.substr(1, to.rfind(')') - 1);
    for (const std::string& type : SplitList(to)) results.emplace_back(type);
    is_operation = SplitList(text.substr(open + 1, close - open - 1)).size() == operands.size();
  }

  // The program with these types.
  std::string Program(const std::vector<TypeParts>& from, const std::vector<TypeParts>& to) const {
    std::string text = "func.func @main() {\n";
    std::vector<std::string> names, from_types, to_types;
    for (const TypeParts& type : from) {
      names.push_back(absl::StrCat("%in", names.size()));
      from_types.push_back(type.ToString());
      absl::StrAppend(&text, "  ", names.back(),
                      " = \"stablehlo.custom_call\"() {call_target_name = \"source\"} : () -> ",
                      from_types.back(), "\n");
    }
    for (const TypeParts& type : to) to_types.push_back(type.ToString());
    const std::string list = absl::StrJoin(to_types, ", ");
    return absl::StrCat(text, head_, "(", absl::StrJoin(names, ", "), middle_, " : (",
                        absl::StrJoin(from_types, ", "), ") -> ",
                        has_list_ ? absl::StrCat("(", list, ")") : list, "\n  return\n}\n");
  }

  std::string name() const {
    const size_t begin = head_.find('"');
    return head_.substr(begin + 1, head_.rfind('"') - begin - 1);
  }

  bool is_operation = false;
  std::vector<TypeParts> operands, results;

 private:
  std::string head_, middle_;
  bool has_list_ = false;
};

// The operations of the functions of a module in generic form.
std::vector<OperationAlone> OperationsOf(const std::string& text) {
  constexpr absl::string_view kIndent = "    ";
  std::vector<OperationAlone> operations;
  std::string lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool is_inside = !absl::StartsWith(line, kIndent) || line.substr(4, 1) == " ";
    const bool is_end = absl::StartsWith(line, "    })");
    if (!is_inside && !is_end) lines.clear();
    absl::StrAppend(&lines, lines.empty() ? "" : "\n", line);
    if (is_inside || absl::EndsWith(line, "({")) continue;
    OperationAlone operation(lines);
    if (operation.is_operation && !operation.operands.empty())
      operations.push_back(std::move(operation));
  }
  return operations;
}

void AddOperation(const OperationAlone& operation, std::vector<std::string>* lines) {
  const auto add = [&](const std::string& change, const std::vector<TypeParts>& from,
                       const std::vector<TypeParts>& to) {
    lines->push_back(absl::StrCat("  ", change, ": ",
                                  OneLine(StableHloOutcome(operation.Program(from, to)), 150)));
  };
  const std::vector<TypeParts>&from = operation.operands, &to = operation.results;
  lines->push_back(operation.name());
  add("unchanged", from, to);
  add("open", Each(from, Open), Each(to, Open));
  add("bounded", Each(from, Bounded), Each(to, Bounded));
  add("operands bounded", Each(from, Bounded), to);
  add("unranked", Each(from, Unranked), Each(to, Unranked));
  add("results open", from, Each(to, Open));
  add("results unranked", from, Each(to, Unranked));
  for (size_t k = 0; k < from.size(); ++k) {
    std::vector<TypeParts> changed = from;
    changed[k] = Unranked(from[k]);
    add(absl::StrCat(k, " unranked"), changed, to);
    for (size_t d = 0; d < from[k].sizes.size(); ++d) {
      changed = from;
      changed[k].sizes[d] = "?";
      add(absl::StrCat(k, ".", d, " open"), changed, to);
      add(absl::StrCat(k, ".", d, " open, results too"), changed, Each(to, Open));
      for (const char* size : {"0", "1", "7"}) {
        changed[k].sizes[d] = size;
        add(absl::StrCat(k, ".", d, " ", size, ", results open"), changed, Each(to, Open));
      }
      changed[k].sizes.erase(changed[k].sizes.begin() + static_cast<int64_t>(d));
      add(absl::StrCat(k, ".", d, " left out"), changed, Each(to, Open));
    }
  }
}

TEST(StableHloVariants, OpenSizes) {
  std::vector<std::string> lines;
  for (const char* name : {"chlo", "contractions", "dynamic_operations", "quantized", "ragged",
                           "scan", "stablehlo_operations"}) {
    const auto source = stablehlo::LoadStableHlo(
        ReadWholeFile(VariantsPath(absl::StrCat("programs/", name, ".mlir"))), "");
    ASSERT_OK(source) << name;
    lines.push_back(absl::StrCat("== ", name));
    for (const OperationAlone& operation : OperationsOf(mlir::ToString(*(*source)->module)))
      AddOperation(operation, &lines);
  }
  EXPECT_GT(lines.size(), 1000u);
  ExpectKinds("open_sizes", lines);
}

}  // namespace
}  // namespace xla::testing
