// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/function_length.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace xla::testing {
namespace {

constexpr int kMaxBodyLines = 60;
constexpr std::string_view kReason = "// Long: ";

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Reads C++ text token by token, as far as braces need it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Replaces comments, literals and preprocessor lines by blanks; line breaks stay.
  std::string WithoutLiterals() {
    while (at_ < text_.size()) {
      if (StartsWith("//")) {
        BlankUntil(text_.find('\n', at_));
      } else if (StartsWith("/*")) {
        BlankUntil(End("*/", at_ + 2));
      } else if (StartsWith("R\"") && (at_ == 0 || !IsWordCharacter(text_[at_ - 1]))) {
        const std::string_view delimiter = text_.substr(at_ + 2, text_.find('(', at_) - at_ - 2);
        BlankUntil(End(absl::StrCat(")", View(delimiter), "\""), at_ + 2));
      } else if (text_[at_] == '"' || IsCharacterLiteral()) {
        BlankUntil(EndOfLiteral());
      } else if (text_[at_] == '#' && IsFirstOfLine()) {
        BlankUntil(EndOfDirective());
      } else {
        code_ += text_[at_++];
      }
    }
    return std::move(code_);
  }

 private:
  static absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }
  bool StartsWith(std::string_view prefix) const {
    return text_.substr(at_, prefix.size()) == prefix;
  }
  size_t End(std::string_view what, size_t from) const {
    const size_t found = text_.find(what, from);
    return found == std::string_view::npos ? found : found + what.size();
  }
  // As opposed to the separator of digits in 1'000.
  bool IsCharacterLiteral() const {
    return text_[at_] == '\'' && (at_ == 0 || !IsWordCharacter(text_[at_ - 1]));
  }
  size_t EndOfLiteral() const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != text_[at_]) end += text_[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  bool IsFirstOfLine() const {
    const size_t line = code_.find_last_of('\n');
    return code_.find_first_not_of(' ', line == std::string::npos ? 0 : line + 1) ==
           std::string::npos;
  }
  size_t EndOfDirective() const {
    size_t end = text_.find('\n', at_);
    while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    return end;
  }
  void BlankUntil(size_t end) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_)
      code_ += text_[at_] == '\n' ? '\n' : ' ';
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::string code_;
};

// Whether a brace after these words opens a namespace, a class, or a block of declarations.
bool OpensScope(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const auto is_type = [](const std::string& word) {
    return word == "class" || word == "struct" || word == "union" || word == "enum";
  };
  if (words[0] == "namespace" || words[0] == "extern" ||
      (words[0] == "inline" && words.size() > 1 && words[1] == "namespace"))
    return true;
  // A class in a template's parameters precedes its ">".
  const auto type = std::find_if(words.rbegin(), words.rend(), is_type);
  return type != words.rend() && std::none_of(type.base(), words.end(), [](const auto& word) {
           return absl::StrContains(word, "(");
         });
}

// Follows the braces of code without literals.
class FunctionFinder {
 public:
  std::vector<FunctionDefinition> Find(std::string_view code) {
    for (const char c : code) {
      if (c == '\n') ++line_;
      if (c == '{') {
        Open();
      } else if (c == '}') {
        Close();
      } else if (depth_ == 0 && c == ';') {
        EndStatement();
      } else if (depth_ == 0) {
        if (statement_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
        if (statement_.empty()) start_ = line_;
        statement_ += c;
      }
    }
    return std::move(functions_);
  }

 private:
  void Open() {
    if (depth_ > 0) {
      ++depth_;
      return;
    }
    const std::vector<std::string> words =
        absl::StrSplit(statement_, absl::ByAnyChar(" \n"), absl::SkipEmpty());
    if (OpensScope(words)) return EndStatement();
    ++depth_;
    // "int x = {" and "int x{" are variables.
    if (!absl::StrContains(statement_, "(") || words.back() == "=") return;
    function_ = FunctionDefinition{absl::StrJoin(words, " "), start_, 0, ""};
    opened_ = line_;
  }

  void Close() {
    // Closes a class or a namespace.
    if (depth_ == 0) return EndStatement();
    if (--depth_ > 0 || !function_.has_value()) return;
    function_->body_lines = std::max(line_ - opened_ - 1, 0);
    functions_.push_back(*std::move(function_));
    function_.reset();
    EndStatement();
  }

  void EndStatement() { statement_.clear(); }

  std::vector<FunctionDefinition> functions_;
  std::optional<FunctionDefinition> function_;
  std::string statement_;  // at namespace or class scope, so far
  int line_ = 1, start_ = 1, opened_ = 1;
  int depth_ = 0;  // of braces within a function or an initializer
};

}  // namespace

std::vector<FunctionDefinition> FindFunctions(std::string_view text) {
  std::vector<FunctionDefinition> functions =
      FunctionFinder().Find(Scanner(text).WithoutLiterals());
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
  for (FunctionDefinition& function : functions) {
    for (int above = function.line - 2; above >= 0; --above) {
      absl::string_view line = absl::StripAsciiWhitespace(lines[static_cast<size_t>(above)]);
      if (!absl::StartsWith(line, "//")) break;
      if (absl::ConsumePrefix(&line, absl::string_view(kReason.data(), kReason.size())))
        function.reason = std::string(line);
    }
  }
  return functions;
}

std::vector<std::string> CheckFunctionLengths(const std::string& path, std::string_view text) {
  std::vector<std::string> findings;
  for (const FunctionDefinition& function : FindFunctions(text)) {
    const bool is_long = function.body_lines > kMaxBodyLines;
    if (is_long == !function.reason.empty()) continue;
    findings.push_back(absl::StrCat(
        path, ":", function.line, ": ",
        is_long
            ? absl::StrCat("a function of ", function.body_lines, " lines; split it, or say \"",
                           absl::string_view(kReason.data(), kReason.size()), "<reason>\" above it")
            : absl::StrCat("a reason for a length of ", function.body_lines, " lines"),
        ": ", function.signature));
  }
  return findings;
}

}  // namespace xla::testing
