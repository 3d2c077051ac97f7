// SPDX-License-Identifier: Apache-2.0
// What variants of a program gave, compared with the file of expected outcomes.
#ifndef TESTS_VARIANTS_EXPECTED_H_
#define TESTS_VARIANTS_EXPECTED_H_

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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
#include "tests/variants/text_variants.h"

namespace xla::testing {

inline std::string VariantsPath(absl::string_view name) {
  return absl::StrCat(XYLEM_SOURCE_DIR, "/tests/variants/", std::string(name));
}

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The files of a folder with the extension, in order.
inline std::vector<std::filesystem::path> FilesOf(const std::string& folder,
                                                  absl::string_view extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension().string() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A message on one line of at most `most` bytes.
inline std::string OneLine(absl::string_view message, size_t most = 200) {
  std::string line;
  for (const char c : message) {
    if (c == '\n') {
      absl::StrAppend(&line, "; ");
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      absl::StrAppendFormat(&line, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      line.push_back(c);
    }
    if (line.size() > most) return line.substr(0, most) + "...";
  }
  return line;
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

// 32 bits in hexadecimal digits (FNV-1a).
inline std::string Fingerprint(absl::string_view bytes) {
  uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return absl::StrFormat("%08x", hash);
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
  for (const absl::string_view view :
       absl::StrSplit(ReadWholeFile(VariantsPath(absl::StrCat(folder, "/", name, ".txt"))), '\n')) {
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

// A line for each variant; one for all characters of a line of the program, with a fingerprint of
// what they gave.
template <typename OutcomeOf>
void AddOutcomes(const std::vector<Variant>& variants, OutcomeOf outcome_of,
                 std::vector<std::string>* lines) {
  std::string outcomes;
  int count = 0;
  for (size_t i = 0; i < variants.size(); ++i) {
    const Variant& variant = variants[i];
    if (!variant.is_character) {
      lines->push_back(absl::StrCat(OneLine(variant.change), ": ", outcome_of(variant.text)));
      continue;
    }
    absl::StrAppend(&outcomes, variant.change, ": ", outcome_of(variant.text), "\n");
    ++count;
    if (i + 1 < variants.size() && variants[i + 1].is_character &&
        variants[i + 1].line == variant.line) {
      continue;
    }
    lines->push_back(
        absl::StrCat(variant.line, ": ", count, " characters: ", Fingerprint(outcomes)));
    outcomes.clear();
    count = 0;
  }
}

// Compares the lines with tests/variants/expected/NAME.txt; writes them there instead if the
// environment says XYLEM_UPDATE_EXPECTED (`make variants`).
inline void ExpectLines(const std::string& name, const std::vector<std::string>& lines) {
  const std::string path = VariantsPath(absl::StrCat("expected/", name, ".txt"));
  if (std::getenv("XYLEM_UPDATE_EXPECTED") != nullptr) {
    std::ofstream out(path, std::ios::binary);
    for (const std::string& line : lines) out << line << "\n";
    ASSERT_TRUE(out.good()) << path;
    return;
  }
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing: `make variants`";
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

// The same of sections, each of a header line and what follows. A section whose header the file
// does not have, such as that of a program which was edited, is not compared until `make variants`.
inline void ExpectSections(const std::string& name,
                           const std::vector<std::vector<std::string>>& sections) {
  const std::string path = VariantsPath(absl::StrCat("expected/", name, ".txt"));
  const bool updates = std::getenv("XYLEM_UPDATE_EXPECTED") != nullptr;
  std::map<std::string, std::vector<std::string>> known;
  if (!updates && std::filesystem::exists(path)) {
    std::vector<std::string>* section = nullptr;
    const std::string text = ReadWholeFile(path);
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (absl::StartsWith(line, "== ")) section = &known[std::string(line)];
      if (section != nullptr && !line.empty()) section->emplace_back(line);
    }
  }
  std::vector<std::string> all;
  for (const std::vector<std::string>& section : sections) {
    if (updates) {
      all.insert(all.end(), section.begin(), section.end());
    } else if (const auto it = known.find(section[0]); it != known.end()) {
      EXPECT_EQ(section, it->second) << path;
    }
  }
  if (updates) ExpectLines(name, all);
}

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_EXPECTED_H_
