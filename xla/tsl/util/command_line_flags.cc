// SPDX-License-Identifier: Apache-2.0
#include "xla/tsl/util/command_line_flags.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace tsl {
namespace {

template <typename T>
std::function<bool(T)> Storing(T* destination, bool* was_set) {
  return [destination, was_set](T value) {
    *destination = std::move(value);
    if (was_set != nullptr) *was_set = true;
    return true;
  };
}

std::string Shown(bool value) { return value ? "true" : "false"; }
std::string Shown(float value) { return absl::StrFormat("%f", value); }
std::string Shown(absl::string_view value) { return absl::StrCat("\"", value, "\""); }
std::string Shown(int64_t value) { return absl::StrCat(value); }

template <typename T>
std::optional<T> ValueOf(absl::string_view text) {
  T value{};
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (absl::EqualsIgnoreCase(text, "true") || text == "1") return true;
    if (absl::EqualsIgnoreCase(text, "false") || text == "0") return false;
    return std::nullopt;
  } else if constexpr (std::is_same_v<T, float>) {
    if (!absl::SimpleAtof(text, &value)) return std::nullopt;
    return value;
  } else {
    if (!absl::SimpleAtoi(text, &value)) return std::nullopt;
    return value;
  }
}

constexpr const char* kTypeNames[] = {"int32", "int64", "bool", "string", "float"};

}  // namespace

Flag::Flag(const char* name, int32_t* value, absl::string_view usage, bool* was_set)
    : Flag(name, Storing(value, was_set), *value, usage) {}
Flag::Flag(const char* name, int64_t* value, absl::string_view usage, bool* was_set)
    : Flag(name, Storing(value, was_set), *value, usage) {}
Flag::Flag(const char* name, bool* value, absl::string_view usage, bool* was_set)
    : Flag(name, Storing(value, was_set), *value, usage) {}
Flag::Flag(const char* name, std::string* value, absl::string_view usage, bool* was_set)
    : Flag(name, Storing(value, was_set), *value, usage) {}
Flag::Flag(const char* name, float* value, absl::string_view usage, bool* was_set)
    : Flag(name, Storing(value, was_set), *value, usage) {}

Flag::Flag(const char* name, std::function<bool(int32_t)> hook, int32_t shown_default,
           absl::string_view usage)
    : name_(name), hook_(std::move(hook)), default_(Shown(int64_t{shown_default})), usage_(usage) {}
Flag::Flag(const char* name, std::function<bool(int64_t)> hook, int64_t shown_default,
           absl::string_view usage)
    : name_(name), hook_(std::move(hook)), default_(Shown(shown_default)), usage_(usage) {}
Flag::Flag(const char* name, std::function<bool(float)> hook, float shown_default,
           absl::string_view usage)
    : name_(name), hook_(std::move(hook)), default_(Shown(shown_default)), usage_(usage) {}
Flag::Flag(const char* name, std::function<bool(bool)> hook, bool shown_default,
           absl::string_view usage)
    : name_(name), hook_(std::move(hook)), default_(Shown(shown_default)), usage_(usage) {}
Flag::Flag(const char* name, std::function<bool(std::string)> hook, std::string shown_default,
           absl::string_view usage)
    : name_(name),
      hook_(std::move(hook)),
      default_(Shown(absl::string_view(shown_default))),
      usage_(usage) {}

Flag::Outcome Flag::Parse(absl::string_view argument) const {
  absl::string_view rest = argument;
  if (!absl::ConsumePrefix(&rest, "--") || !absl::ConsumePrefix(&rest, name_)) {
    return Outcome::kOther;
  }
  return std::visit(
      [&]<typename T>(const std::function<bool(T)>& hook) {
        const bool has_value = absl::ConsumePrefix(&rest, "=");
        if (!has_value && !(std::is_same_v<T, bool> && rest.empty())) return Outcome::kOther;
        const std::optional<T> value = ValueOf<T>(has_value ? rest : "true");
        if (value.has_value()) return hook(*value) ? Outcome::kTaken : Outcome::kRejected;
        std::fputs(
            absl::StrCat("Couldn't interpret value ", rest, " for flag ", name_, ".\n").c_str(),
            stderr);
        return Outcome::kRejected;
      },
      hook_);
}

bool Flags::Parse(std::vector<std::string>& arguments, absl::Span<const Flag> flag_list) {
  bool all_allowed = true;
  const auto is_taken = [&](const std::string& argument) {
    for (const Flag& flag : flag_list) {
      const Flag::Outcome outcome = flag.Parse(argument);
      if (outcome == Flag::Outcome::kOther) continue;
      if (outcome == Flag::Outcome::kRejected) all_allowed = false;
      return true;
    }
    return false;
  };
  std::erase_if(arguments, is_taken);
  return all_allowed;
}

bool Flags::Parse(int* argc, char** argv, absl::Span<const Flag> flag_list) {
  bool all_allowed = true;
  char** const end = argv + *argc;
  char** const stop = std::find_if(
      argv + 1, end, [](const char* argument) { return absl::string_view(argument) == "--"; });
  char** kept = std::remove_if(argv + 1, stop, [&](const char* argument) {
    std::vector<std::string> one = {argument};
    if (!Parse(one, flag_list)) all_allowed = false;
    return one.empty();
  });
  kept = std::copy(stop, end, kept);
  *kept = nullptr;
  *argc = static_cast<int>(kept - argv);
  return all_allowed && (*argc < 2 || absl::string_view(argv[1]) != "--help");
}

std::string Flags::Usage(absl::string_view command, absl::Span<const Flag> flag_list) {
  std::string text = absl::StrCat("usage: ", command, flag_list.empty() ? "\n" : "\nFlags:\n");
  for (const Flag& flag : flag_list) {
    absl::StrAppendFormat(&text, "\t%-33s\t%s\t%s\n",
                          absl::StrCat("--", flag.name_, "=", flag.default_),
                          kTypeNames[flag.hook_.index()], flag.usage_);
  }
  return text;
}

}  // namespace tsl
