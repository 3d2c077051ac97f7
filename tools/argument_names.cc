// SPDX-License-Identifier: Apache-2.0
#include "tools/argument_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla/base/string_view.h"
#include "xla/base/suggestion.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::optional<size_t> NumberOf(absl::string_view text) {
  uint32_t number;
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return size_t{number};
}

// The parts of a name: params['a'][0].b/c is params, a, 0, b, c.
std::string Normalized(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool separates = c == '[' || c == ']' || c == '\'' || c == '"' || c == '/' || c == '.';
    if (!separates) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != '.') {
      out.push_back('.');
    }
  }
  while (!out.empty() && out.back() == '.') out.pop_back();
  return out;
}

}  // namespace

std::optional<size_t> ArgumentNumber(std::string_view name) {
  absl::string_view rest = View(name);
  return absl::ConsumePrefix(&rest, "arg") ? NumberOf(rest) : std::nullopt;
}

std::optional<size_t> ArgumentNumberOrDigits(std::string_view name) {
  const std::optional<size_t> number = ArgumentNumber(name);
  return number.has_value() ? number : NumberOf(View(name));
}

ArgumentNames::ArgumentNames(const HloModule& module) {
  const ProgramShape& program = module.entry_computation_layout();
  std::vector<std::pair<std::string, size_t>> tails;  // of names of several parts
  for (int p = 0; p < program.parameters_size(); ++p) {
    const auto parts = ShapeUtil::GetLeafShapes(program.parameters(p));
    const HloInstruction* const parameter = module.entry_computation()->parameter_instruction(p);
    for (const ShapeUtil::IndexedShape& part : parts) {
      const size_t leaf = count_++;
      if (parameter == nullptr) continue;
      std::string index;
      for (const int64_t i : part.index) absl::StrAppend(&index, ".", i);
      Add(absl::StrCat(parameter->name(), index), leaf);
      const std::string& written = parameter->metadata().op_name();
      if (written.empty()) continue;
      const std::string whole = absl::StrCat(Normalized(written), index);
      Add(whole, leaf);
      const size_t dot = whole.find('.');
      if (dot != std::string::npos) tails.emplace_back(whole.substr(dot + 1), leaf);
    }
  }
  // Without the name of the argument of the function: the names within what it was given.
  std::map<std::string, size_t, std::less<>> shorter;
  for (const auto& [tail, leaf] : tails) {
    const auto [at, is_new] = shorter.emplace(tail, leaf);
    if (!is_new && at->second != leaf) at->second = kAmbiguous;
  }
  for (const auto& [tail, leaf] : shorter) leaves_.emplace(tail, leaf);
}

void ArgumentNames::Add(std::string_view name, size_t leaf) {
  const auto [at, is_new] = leaves_.emplace(Normalized(name), leaf);
  if (!is_new && at->second != leaf) at->second = kAmbiguous;
}

std::optional<size_t> ArgumentNames::Find(std::string_view name) const {
  const auto found = leaves_.find(Normalized(name));
  if (found == leaves_.end() || found->second == kAmbiguous) return std::nullopt;
  return found->second;
}

std::optional<size_t> ArgumentNames::FindNameOrNumber(std::string_view name) const {
  if (const auto leaf = Find(name)) return leaf;
  const std::optional<size_t> number = ArgumentNumberOrDigits(name);
  return number.has_value() && *number < count_ ? number : std::nullopt;
}

std::string ArgumentNames::SuggestionFor(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const auto& [other, leaf] : leaves_) known.push_back(other);
  return Suggestion(Normalized(name), known);
}

}  // namespace xla
