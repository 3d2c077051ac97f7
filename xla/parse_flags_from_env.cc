// SPDX-License-Identifier: Apache-2.0
#include "xla/parse_flags_from_env.h"

#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/tsl/platform/file_system.h"

namespace xla {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

// Takes the characters of `text` up to the first that does not fit `keep`.
template <typename Predicate>
absl::string_view TakeWhile(absl::string_view& text, Predicate keep) {
  size_t length = 0;
  while (length < text.size() && keep(text[length])) ++length;
  const absl::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

bool IsNotSpace(char c) { return !absl::ascii_isspace(static_cast<unsigned char>(c)); }

// Takes a value in quotes, or the rest of the text if the closing quote is missing.
std::string TakeQuoted(absl::string_view& text) {
  const char quote = text[0];
  text.remove_prefix(1);
  std::string value;
  while (!text.empty() && text[0] != quote) {
    if (quote == '"' && text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
    value += text[0];
    text.remove_prefix(1);
  }
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

std::vector<std::string> SplitFlags(absl::string_view text) {
  std::vector<std::string> flags;
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty() || text[0] != '-') return flags;
    std::string flag(TakeWhile(text, [](char c) { return IsNotSpace(c) && c != '='; }));
    if (text.size() > 1 && text[0] == '=' && (text[1] == '\'' || text[1] == '"')) {
      text.remove_prefix(1);
      absl::StrAppend(&flag, "=", TakeQuoted(text));
    } else {
      absl::StrAppend(&flag, TakeWhile(text, IsNotSpace));
    }
    flags.push_back(std::move(flag));
  }
}

// Flags of a variable in the form that tsl::Flags takes.
struct Arguments {
  int count = 0;
  std::vector<char*> pointers;     // the program's name, flags, null; empty until it is read
  std::list<std::string> strings;  // what they point to
};

// Of each variable that was asked for.
struct AllArguments {
  std::mutex mutex;
  std::map<std::string, Arguments, std::less<>> of;
};

AllArguments& TheArguments() {
  static auto* const arguments =
      new AllArguments;  // never destroyed: static objects may read flags
  return *arguments;
}

[[noreturn]] void Die(absl::string_view sentence) {
  std::fputs(absl::StrCat(sentence, "\n").c_str(), stderr);
  std::fflush(nullptr);
  std::_Exit(1);
}

void Read(absl::string_view envvar, Arguments& arguments) {
  if (!arguments.pointers.empty()) return;
  const absl::StatusOr<std::vector<std::string>> flags = FlagsFromEnv(envvar);
  if (!flags.ok()) Die(flags.status().message());
  arguments.strings.assign(flags->begin(), flags->end());
  arguments.strings.emplace_front("<argv[0]>");
  for (std::string& text : arguments.strings) arguments.pointers.push_back(text.data());
  arguments.count = static_cast<int>(arguments.pointers.size());
  arguments.pointers.push_back(nullptr);
}

void Parse(absl::string_view envvar, const std::vector<tsl::Flag>& flag_list, bool reset_envvar,
           bool others_are_errors) {
  AllArguments& all = TheArguments();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (reset_envvar) all.of.erase(std::string(envvar));
  Arguments& arguments = all.of[std::string(envvar)];
  Read(envvar, arguments);
  if (!tsl::Flags::Parse(&arguments.count, arguments.pointers.data(), flag_list)) {
    Die(absl::StrCat("Flag parsing failed: ", envvar));
  }
  if (!others_are_errors || arguments.count == 1) return;
  Die(absl::StrCat("Unknown flag", arguments.count > 2 ? "s" : "", " in ", envvar, ": ",
                   absl::StrJoin(arguments.pointers.begin() + 1,
                                 arguments.pointers.begin() + arguments.count, " ")));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FlagsFromEnv(absl::string_view envvar) {
  const char* value = std::getenv(std::string(envvar).c_str());
  if (value == nullptr) return std::vector<std::string>();
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(value);
  if (text.empty() || text[0] == '-') return SplitFlags(text);
  const absl::StatusOr<std::string> content = tsl::ReadWholeFile(value, kMaxFileBytes);
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        absl::StrCat("flags of environment variable ", envvar,
                                     ", which does not begin with \"-\" and "
                                     "is taken as the name of a file: ",
                                     content.status().message()));
  }
  return SplitFlags(*content);
}

void ParseFlagsFromEnvAndDieIfUnknown(absl::string_view envvar,
                                      const std::vector<tsl::Flag>& flag_list, bool reset_envvar) {
  Parse(envvar, flag_list, reset_envvar, /*others_are_errors=*/true);
}

void ParseFlagsFromEnvAndIgnoreUnknown(absl::string_view envvar,
                                       const std::vector<tsl::Flag>& flag_list, bool reset_envvar) {
  Parse(envvar, flag_list, reset_envvar, /*others_are_errors=*/false);
}

void ResetFlagsFromEnvForTesting(absl::string_view envvar, int** argc, std::vector<char*>** argv) {
  AllArguments& all = TheArguments();
  const std::lock_guard<std::mutex> lock(all.mutex);
  Arguments& arguments = all.of[std::string(envvar)];
  arguments = Arguments();
  *argc = &arguments.count;
  *argv = &arguments.pointers;
}

}  // namespace xla
