// SPDX-License-Identifier: Apache-2.0
#include "xla/tsl/util/env_var.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tsl {
namespace {

// Null if it is not set.
const char* Variable(absl::string_view name) { return std::getenv(std::string(name).c_str()); }

absl::Status Unparsable(absl::string_view name, absl::string_view type, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("Failed to parse the env-var ${", name, "} into ",
                                                 type, ": ", text, ". Use the default value."));
}

template <typename T, typename Parse>
absl::Status ReadNumber(absl::string_view name, absl::string_view type, const Parse& parse,
                        T default_value, T* value) {
  *value = default_value;
  const char* text = Variable(name);
  T parsed;
  if (text == nullptr) return absl::OkStatus();
  if (!parse(text, &parsed)) return Unparsable(name, type, text);
  *value = parsed;
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadBoolFromEnvVar(absl::string_view name, bool default_value, bool* value) {
  *value = default_value;
  const char* text = Variable(name);
  if (text == nullptr) return absl::OkStatus();
  if (absl::EqualsIgnoreCase(text, "true") || absl::string_view(text) == "1") {
    *value = true;
  } else if (absl::EqualsIgnoreCase(text, "false") || absl::string_view(text) == "0") {
    *value = false;
  } else {
    return Unparsable(name, "bool", text);
  }
  return absl::OkStatus();
}

absl::Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value, int64_t* value) {
  return ReadNumber(
      name, "int64",
      [](absl::string_view text, int64_t* parsed) { return absl::SimpleAtoi(text, parsed); },
      default_value, value);
}

absl::Status ReadFloatFromEnvVar(absl::string_view name, float default_value, float* value) {
  return ReadNumber(
      name, "float",
      [](absl::string_view text, float* parsed) { return absl::SimpleAtof(text, parsed); },
      default_value, value);
}

absl::Status ReadStringFromEnvVar(absl::string_view name, absl::string_view default_value,
                                  std::string* value) {
  const char* text = Variable(name);
  *value = text == nullptr ? std::string(default_value) : text;
  return absl::OkStatus();
}

absl::Status ReadStringsFromEnvVar(absl::string_view name, absl::string_view default_value,
                                   std::vector<std::string>* value, absl::string_view delimiters) {
  std::string text;
  (void)ReadStringFromEnvVar(name, default_value, &text);
  value->clear();
  for (const absl::string_view part : absl::StrSplit(text, absl::ByAnyChar(delimiters))) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(part);
    if (!stripped.empty()) value->emplace_back(stripped);
  }
  return absl::OkStatus();
}

}  // namespace tsl
