// SPDX-License-Identifier: Apache-2.0
#include "tools/color.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/program_files.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

constexpr char kBold[] = "\x1b[1m";
constexpr char kRed[] = "\x1b[31m";
constexpr char kBoldRed[] = "\x1b[1;31m";
constexpr char kGreen[] = "\x1b[32m";
constexpr char kBoldGreen[] = "\x1b[1;32m";
constexpr char kYellow[] = "\x1b[33m";
constexpr char kPlain[] = "\x1b[0m";

std::string Painted(const char* color, absl::string_view text) {
  return text.empty() ? std::string() : absl::StrCat(color, text, kPlain);
}

bool IsDigits(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
}

// The length of "file:12:3:" or "file:" at the beginning of a line; 0 if there is none.
size_t PlaceLength(absl::string_view line) {
  const size_t file = line.find(": ");
  if (file == absl::string_view::npos) return 0;
  const std::vector<absl::string_view> parts = absl::StrSplit(line.substr(0, file), ':');
  const bool has_place =
      parts.size() >= 3 && IsDigits(parts[parts.size() - 1]) && IsDigits(parts[parts.size() - 2]);
  return has_place ? file + 1 : 0;
}

bool IsMark(absl::string_view line) {
  return line.find('^') != absl::string_view::npos &&
         line.find_first_not_of(" \t^~") == absl::string_view::npos;
}

}  // namespace

OptionSpec ColorOption() {
  return {"--color",
          "WHEN",
          "colors: auto (the default: on a terminal, unless NO_COLOR is set), always or never",
          {"auto", "always", "never"}};
}

bool UsesColor(const Arguments& arguments, int fd) {
  const std::string when = arguments.Get("--color", "auto");
  if (when != "auto") return when == "always";
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb" && isatty(fd) == 1;
}

std::string ColoredDiagnostic(std::string_view message) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(View(message), '\n')) {
    const size_t place = PlaceLength(line);
    lines.push_back(IsMark(line)
                        ? Painted(kBoldGreen, line)
                        : absl::StrCat(Painted(kBold, line.substr(0, place)), line.substr(place)));
  }
  return absl::StrJoin(lines, "\n");
}

std::string ColoredDifference(std::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(View(text), '\n')) {
    const absl::string_view sign = line.substr(0, 2);
    const char* const color = sign == "- "   ? kRed
                              : sign == "+ " ? kGreen
                              : sign == "~ " ? kYellow
                                             : nullptr;
    lines.push_back(color == nullptr ? std::string(line) : Painted(color, line));
  }
  return absl::StrJoin(lines, "\n");
}

void PrintDiagnostic(const Arguments& arguments, const std::string& message) {
  if (UsesColor(arguments, STDERR_FILENO)) {
    std::fprintf(stderr, "%sxylem:%s %s\n", kBoldRed, kPlain, ColoredDiagnostic(message).c_str());
  } else {
    std::fprintf(stderr, "xylem: %s\n", message.c_str());
  }
}

void PrintDiagnosticAbout(const Arguments& arguments, const std::string& path,
                          const absl::Status& status) {
  PrintDiagnostic(arguments, AboutFile(path, std::string(status.message())));
}

}  // namespace xla
