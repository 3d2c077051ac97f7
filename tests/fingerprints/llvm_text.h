// SPDX-License-Identifier: Apache-2.0
// LLVM IR without what depends on the order in which a C++ compiler evaluates arguments: each
// instruction stands for what it computes from parameters and loads rather than for its number, and
// the instructions of a block are sorted.
#ifndef TESTS_FINGERPRINTS_LLVM_TEXT_H_
#define TESTS_FINGERPRINTS_LLVM_TEXT_H_

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/fingerprints/fingerprint.h"

namespace xla::testing {

// One function: lines between "define" and "}".
class LlvmFunction {
 public:
  explicit LlvmFunction(absl::string_view header) {
    const size_t at = header.find('@');
    name_ = std::string(header.substr(at + 1, header.find('(') - at - 1));
    header_ = WithoutNumbers(header);
    for (size_t i = header.find('('); i < header.size(); ++i) {
      if (header[i] == '%') values_[NumberAt(header, i)] = absl::StrCat("P", parameters_++);
    }
    blocks_.push_back({std::to_string(parameters_), {}});
  }

  void Add(absl::string_view line) {
    const size_t comment = line.find("; preds");
    if (comment != absl::string_view::npos || (!line.empty() && line[0] != ' ')) {
      blocks_.push_back({std::string(line.substr(0, line.find(':'))), {}});
      return;
    }
    line = absl::StripLeadingAsciiWhitespace(line);
    if (line.empty()) return;
    std::string result;
    if (line[0] == '%') {
      const size_t equals = line.find(" = ");
      result = std::string(line.substr(1, equals - 1));
      line.remove_prefix(equals + 3);
    }
    Block& block = blocks_.back();
    if (absl::StartsWith(line, "phi ")) {
      values_[result] = absl::StrCat("F", block.label, ".", block.lines.size());
      phis_.push_back({result, blocks_.size() - 1, block.lines.size()});
    } else if (!result.empty()) {
      definitions_[result] = std::string(line);
    }
    block.lines.emplace_back(result, std::string(line));
  }

  // The name and a fingerprint of what the function does.
  std::string Summary() {
    for (size_t i = 0; i < blocks_.size(); ++i) index_[blocks_[i].label] = i;
    Visit(0);
    for (const auto& [result, block, line] : phis_)
      values_[result] = absl::StrCat("F", order_[block], ".", line);
    std::string text = header_;
    for (const size_t i : visited_) {
      std::vector<std::string> lines;
      for (const auto& [result, line] : blocks_[i].lines) {
        const bool is_phi = absl::StartsWith(line, "phi ");
        lines.push_back(absl::StrCat(is_phi ? values_[result] : "", " ", Canonical(line)));
      }
      std::sort(lines.begin(), lines.end());
      absl::StrAppend(&text, "\nB", order_[i]);
      for (const std::string& line : lines) absl::StrAppend(&text, "\n", line);
    }
    return absl::StrCat(name_, " ", Fingerprint(text));
  }

 private:
  struct Block {
    std::string label;
    std::vector<std::pair<std::string, std::string>> lines;  // result and instruction
  };
  struct Phi {
    std::string result;
    size_t block, line;
  };

  static bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

  // The digits after the character at i.
  static std::string NumberAt(absl::string_view text, size_t i) {
    size_t end = i + 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    return std::string(text.substr(i + 1, end - i - 1));
  }

  // Numbers of metadata and attributes follow the order of their first use.
  static std::string WithoutNumbers(absl::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      result.push_back(text[i]);
      if (text[i] == '!' || text[i] == '#') i += NumberAt(text, i).size();
    }
    return result;
  }

  // Numbers blocks in the order in which the function's branches name them.
  void Visit(size_t first) {
    std::vector<size_t> pending = {first};
    while (!pending.empty()) {
      const size_t block = pending.back();
      pending.pop_back();
      if (!order_.emplace(block, visited_.size()).second) continue;
      visited_.push_back(block);
      if (blocks_[block].lines.empty()) continue;
      const std::string& last = blocks_[block].lines.back().second;
      for (size_t at = last.rfind("label %"); at != std::string::npos && at > 0;
           at = last.rfind("label %", at - 1)) {
        pending.push_back(index_.at(NumberAt(last, at + 6)));
      }
    }
  }

  std::string Canonical(absl::string_view line) {
    const std::string text = WithoutNumbers(line);
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%' || i + 1 == text.size() || !IsDigit(text[i + 1])) {
        result.push_back(text[i]);
        continue;
      }
      const std::string number = NumberAt(text, i);
      i += number.size();
      if (const auto block = index_.find(number); block != index_.end()) {
        absl::StrAppend(&result, "B", order_[block->second]);
      } else {
        absl::StrAppend(&result, "%", ValueOf(number));
      }
    }
    return result;
  }

  const std::string& ValueOf(const std::string& number) {
    const auto known = values_.find(number);
    if (known != values_.end()) return known->second;
    return values_[number] = Fingerprint(Canonical(definitions_[number]));
  }

  std::string name_, header_;
  int parameters_ = 0;
  std::vector<Block> blocks_;
  std::vector<Phi> phis_;
  std::map<std::string, std::string> values_, definitions_;
  std::map<std::string, size_t> index_;  // of blocks, by label
  std::map<size_t, size_t> order_;
  std::vector<size_t> visited_;
};

// A line for each function.
inline std::vector<std::string> FunctionSummaries(absl::string_view llvm_text) {
  std::vector<std::string> summaries;
  std::vector<LlvmFunction> open;
  for (const absl::string_view line : absl::StrSplit(llvm_text, '\n')) {
    if (absl::StartsWith(line, "define ")) {
      open.clear();
      open.emplace_back(line);
    } else if (line == "}" && !open.empty()) {
      summaries.push_back(open[0].Summary());
      open.clear();
    } else if (!open.empty()) {
      open[0].Add(line);
    }
  }
  return summaries;
}

}  // namespace xla::testing

#endif  // TESTS_FINGERPRINTS_LLVM_TEXT_H_
