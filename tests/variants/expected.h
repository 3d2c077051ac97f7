// SPDX-License-Identifier: Apache-2.0
// What variants of a program gave, compared with what is expected: line by line where the lines are
// to be read, else by the kinds of outcomes and how many variants have each.
//
// With XYLEM_OUTCOMES=FOLDER the tests also write all outcomes there, with fingerprints of what is
// printed and computed: scripts/compare_code.py compares those of two trees.
#ifndef TESTS_VARIANTS_EXPECTED_H_
#define TESTS_VARIANTS_EXPECTED_H_

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/fingerprints/fingerprint.h"
#include "tests/test_util.h"
#include "tests/variants/text_variants.h"

namespace xla::testing {

inline std::string VariantsPath(absl::string_view name) {
  return absl::StrCat(XYLEM_SOURCE_DIR, "/tests/variants/", std::string(name));
}

// Numbers with a fraction to four digits: more depend on the mathematical functions of the system.
// NaNs without sign: which one an operation gives depends on how it was compiled.
inline std::string RoundedNumbers(absl::string_view message) {
  std::string result;
  for (size_t i = 0; i < message.size();) {
    size_t end = i;
    while (end < message.size() &&
           (std::isdigit(static_cast<unsigned char>(message[end])) != 0 || message[end] == '.' ||
            (end > i && message[end] == 'e') ||
            (end > i && message[end - 1] == 'e' && (message[end] == '-' || message[end] == '+')))) {
      ++end;
    }
    const std::string number(message.substr(i, end - i));
    const bool has_fraction = number.find('.') != std::string::npos && number.size() > 1 &&
                              number.find('.') == number.rfind('.') && number.back() != '.' &&
                              number.front() != '.' && (result.empty() || result.back() != '_');
    if (end == i) {
      result.push_back(message[i++]);
    } else {
      absl::StrAppend(&result, has_fraction
                                   ? absl::StrFormat("%.4g", std::strtod(number.c_str(), nullptr))
                                   : number);
      i = end;
    }
  }
  return absl::StrReplaceAll(result, {{"-nan", "nan"}});
}

inline std::string WithoutFingerprints(absl::string_view line) {
  constexpr size_t kDigits = 8;
  std::string result;
  for (size_t i = 0; i < line.size(); ++i) {
    result.push_back(line[i]);
    if (line[i] != '#') continue;
    size_t digits = 0;
    while (digits < kDigits && i + 1 + digits < line.size() &&
           std::isxdigit(static_cast<unsigned char>(line[i + 1 + digits])) != 0) {
      ++digits;
    }
    if (digits == kDigits) i += kDigits;
  }
  return result;
}

// A program for each line of a file of a folder of tests/variants: comments, a paragraph in which
// @@ stands for a line, then the lines.
struct ProgramOfLine {
  std::string line, text;
};
inline std::vector<ProgramOfLine> ReadProgramsOfLines(const std::string& name,
                                                      const std::string& folder = "rejected") {
  std::string paragraph;
  std::vector<ProgramOfLine> programs;
  bool in_paragraph = true;
  const std::string file = ReadWholeFile(VariantsPath(absl::StrCat(folder, "/", name, ".txt")));
  for (const absl::string_view view : absl::StrSplit(file, '\n')) {
    const std::string line(view);
    if (!line.empty() && line[0] == '#') continue;
    if (line.empty()) {
      in_paragraph = in_paragraph && paragraph.empty();
    } else if (in_paragraph) {
      absl::StrAppend(&paragraph, line, "\n");
    } else {
      const size_t place = paragraph.find("@@");
      programs.push_back({line, paragraph.substr(0, place) + line + paragraph.substr(place + 2)});
    }
  }
  return programs;
}

// A line for each variant: what changed, a colon and a space, and the outcome.
template <typename OutcomeOf>
void AddOutcomes(const std::vector<Variant>& variants, OutcomeOf outcome_of,
                 std::vector<std::string>* lines) {
  for (const Variant& variant : variants) {
    lines->push_back(absl::StrCat(absl::StrReplaceAll(OneLine(variant.change), {{": ", ":"}}), ": ",
                                  outcome_of(variant.text)));
  }
}

// Writes the lines to the folder of outcomes, if there is one.
inline void WriteOutcomes(const std::string& name, const std::vector<std::string>& lines) {
  const char* const folder = std::getenv("XYLEM_OUTCOMES");
  if (folder == nullptr) return;
  std::ofstream out(absl::StrCat(folder, "/", name, ".txt"), std::ios::binary);
  for (const std::string& line : lines) out << line << "\n";
  ASSERT_TRUE(out.good()) << folder << "/" << name;
}

// Compares the lines with tests/variants/expected/NAME.txt; writes them there instead if the
// environment says XYLEM_UPDATE_EXPECTED (`make variants`).
inline void CompareLines(const std::string& name, const std::vector<std::string>& lines) {
  const std::string path = VariantsPath(absl::StrCat("expected/", name, ".txt"));
  if (std::getenv("XYLEM_UPDATE_EXPECTED") != nullptr) {
    std::ofstream out(path, std::ios::binary);
    for (const std::string& line : lines) out << line << "\n";
    ASSERT_TRUE(out.good()) << path;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << "`make variants` writes it";
  std::vector<std::string> expected = absl::StrSplit(ReadWholeFile(path), '\n');
  if (!expected.empty() && expected.back().empty()) expected.pop_back();
  int differences = 0;
  for (size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
    const std::string is = i < lines.size() ? lines[i] : "(nothing)";
    const std::string was = i < expected.size() ? expected[i] : "(nothing)";
    if (is == was) continue;
    if (++differences > 5) break;
    ADD_FAILURE() << name << ".txt:" << i + 1 << "\n  expected: " << was << "\n  is:       " << is;
  }
  EXPECT_EQ(differences, 0) << "If the change is meant, `make variants` writes " << path
                            << " again; review the difference.";
}

inline void ExpectLines(const std::string& name, const std::vector<std::string>& lines) {
  WriteOutcomes(name, lines);
  std::vector<std::string> plain;
  for (const std::string& line : lines) plain.push_back(WithoutFingerprints(line));
  CompareLines(name, plain);
}

// The outcome with N for numbers, [] for shapes, {} for lists, '' for what is quoted, without the
// instruction that it is about, and not longer than a rule needs to be told from others.
inline std::string KindOf(absl::string_view outcome) {
  constexpr size_t kMost = 56;
  for (const char* about : {", for instruction ", ", in computation "})
    outcome = outcome.substr(0, outcome.find(about));
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const auto after = [&](size_t open, char close) {
    const size_t end = outcome.find(close, open + 1);
    return end == absl::string_view::npos ? outcome.size() : end + 1;
  };
  const std::string plain = WithoutFingerprints(outcome);
  outcome = plain;
  std::string kind;
  for (size_t i = 0; i < outcome.size() && kind.size() < 2 * kMost;) {
    const char c = outcome[i];
    if ((c == '\'' || c == '"' || c == '`') && outcome.find(c, i + 1) != absl::string_view::npos) {
      kind.append(2, c);
      i = after(i, c);
    } else if (c == '{') {
      absl::StrAppend(&kind, "{}");
      i = after(i, '}');
    } else if (is_word(c)) {
      const size_t begin = i;
      while (i < outcome.size() && is_word(outcome[i])) ++i;
      if (i < outcome.size() && outcome[i] == '[') {
        absl::StrAppend(&kind, "[]");
        i = after(i, ']');
        if (i < outcome.size() && outcome[i] == '{') i = after(i, '}');
        continue;
      }
      for (size_t k = begin; k < i; ++k) {
        const bool is_digit = std::isdigit(static_cast<unsigned char>(outcome[k])) != 0;
        if (!is_digit) kind.push_back(outcome[k]);
        if (is_digit && (kind.empty() || kind.back() != 'N')) kind.push_back('N');
      }
    } else {
      kind.push_back(c);
      ++i;
    }
  }
  for (const char* list : {", -N", ", N", " N"}) {
    while (absl::StrContains(kind, absl::StrCat(list, list)))
      kind = absl::StrReplaceAll(kind, {{absl::StrCat(list, list), list}});
  }
  return kind.substr(0, kMost);
}

// Compares kinds of outcomes, which stand after the first colon of a line, and how many lines have
// each, with tests/variants/expected/NAME.txt: a rule that holds no longer, or one more, shows.
inline void ExpectKinds(const std::string& name, const std::vector<std::string>& lines) {
  WriteOutcomes(name, lines);
  std::map<std::string, int> counts;
  for (const std::string& line : lines) {
    const size_t colon = line.find(": ");
    ++counts[KindOf(absl::string_view(line).substr(colon == std::string::npos ? 0 : colon + 2))];
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back(absl::StrCat(count, " ", kind));
  CompareLines(name, kinds);
}

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_EXPECTED_H_
