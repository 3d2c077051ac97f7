// SPDX-License-Identifier: Apache-2.0
// Unique names by XLA's rules, so that the same program gets the same names here and there.
#include "xla/hlo/ir/name_uniquer.h"

#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

struct SplitName {
  std::string stem;
  std::optional<int64_t> number;
};

SplitName Split(std::string name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size())
    return {std::move(name), std::nullopt};
  int64_t number = 0;
  if (!absl::SimpleAtoi(name.substr(dot + 1), &number)) return {std::move(name), std::nullopt};
  name.resize(dot);
  return {std::move(name), number};
}

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; }

}  // namespace

std::string SanitizeHloName(std::string_view name) {
  std::string result(name);
  if (result.empty()) return result;
  if (!absl::ascii_isalpha(result[0]) && result[0] != '_') result[0] = '_';
  for (char& c : result) {
    if (!IsNameCharacter(c)) c = '_';
  }
  if (primitive_util::IsPrimitiveTypeName(result) && result != "tuple") result += "_";
  if (result.starts_with("__") && !result.starts_with("__xla_")) result[0] = 'a';
  return result;
}

bool HloModule::Uniquer::Numbers::Take(int64_t number) {
  if (number < 0 || number > next) return beyond.insert(number).second;
  if (number < next) return false;
  ++next;
  while (!beyond.empty() && beyond.erase(next) > 0) ++next;
  return true;
}

int64_t HloModule::Uniquer::Numbers::TakeNext() {
  const int64_t number = next;
  Take(number);
  return number;
}

std::string HloModule::Uniquer::Unique(std::string_view name) {
  // Most names are opcodes, which need no check.
  const auto known = stems_.find(View(name));
  if (known != stems_.end() && known->second.is_valid) {
    const int64_t number = known->second.TakeNext();
    return number == 0 ? known->first : absl::StrCat(known->first, ".", number);
  }
  SplitName split = Split(SanitizeHloName(name.empty() ? "name" : name));
  Numbers& numbers = stems_[split.stem];
  numbers.is_valid |= !split.number.has_value() && split.stem == name;
  int64_t number = split.number.value_or(0);
  if (!numbers.Take(number)) number = numbers.TakeNext();
  if (number == 0 && !split.number.has_value()) return split.stem;
  return absl::StrCat(split.stem, ".", number);
}

bool HloModule::Uniquer::TakeReserved(const std::string& name) {
  if (reserved_.empty() || reserved_.erase(name) == 0) return false;
  // The table keeps its size when it is emptied; a parser reserves names by the thousand.
  constexpr size_t kKeptSize = 64;
  if (reserved_.empty() && reserved_.capacity() > kKeptSize) reserved_ = {};
  return true;
}

bool HloModule::Uniquer::Claim(std::string_view name) {
  SplitName split = Split(std::string(name));
  return stems_[split.stem].Take(split.number.value_or(0));
}

}  // namespace xla
