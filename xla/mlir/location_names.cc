// SPDX-License-Identifier: Apache-2.0
#include "xla/mlir/location_names.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla::mlir {
namespace {

using Form = LocationAttribute::Form;

std::string NameOf(size_t number) {
  return number == 0 ? std::string("#loc") : absl::StrCat("#loc", number);
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(&out, text);
  return out;
}

const LocationAttribute* AsLocation(AttributeRef attribute) {
  return attribute == nullptr ? nullptr : attribute->As<LocationAttribute>();
}

// Where an alias leads; null for the ends of long chains.
const LocationAttribute* WithoutAliases(AttributeRef attribute) {
  constexpr int kMostAliases = 100;
  const LocationAttribute* location = AsLocation(attribute);
  for (int i = 0; location != nullptr && location->form == Form::kAlias; ++i) {
    const bool ends = location->children.empty() || i == kMostAliases;
    location = ends ? nullptr : AsLocation(location->children[0]);
  }
  return location;
}

bool IsUnknown(AttributeRef attribute) {
  const LocationAttribute* const location = WithoutAliases(attribute);
  return location == nullptr || location->form == Form::kUnknown;
}

}  // namespace

size_t LocationNames::NumberOfText(std::string body) {
  const auto [found, is_new] = bodies_.try_emplace(body, definitions_.size());
  if (is_new) definitions_.push_back(std::move(body));
  return found->second;
}

size_t LocationNames::NumberOf(AttributeRef attribute, int depth) {
  // Deeper ones are cut.
  constexpr int kMaxDepth = 500;
  const LocationAttribute* const location = AsLocation(attribute);
  if (location == nullptr || depth > kMaxDepth) return NumberOfText("unknown");
  const auto known = numbers_.find(attribute);
  if (known != numbers_.end()) return known->second;
  // Until it has its number: aliases can make a location a part of itself.
  numbers_.emplace(attribute, NumberOfText("unknown"));
  const auto child = [&](size_t i) {
    return i < location->children.size() ? NameOf(NumberOf(location->children[i], depth + 1))
                                         : std::string("unknown");
  };
  size_t number = 0;
  switch (location->form) {
    case Form::kUnknown:
      number = NumberOfText("unknown");
      break;
    case Form::kFile: {
      std::string body;
      AppendFileLocation(&body, *location);
      number = NumberOfText(std::move(body));
      break;
    }
    case Form::kName: {
      std::string body = Quoted(location->text);
      const bool has_child = !location->children.empty() && !IsUnknown(location->children[0]);
      if (has_child) absl::StrAppend(&body, "(", child(0), ")");
      number = NumberOfText(std::move(body));
      break;
    }
    case Form::kCallSite:
      number = NumberOfText(absl::StrCat("callsite(", child(0), " at ", child(1), ")"));
      break;
    case Form::kFused: {
      std::string body = "fused";
      if (location->metadata != nullptr) {
        body.push_back('<');
        AppendTo(&body, location->metadata);
        body.push_back('>');
      }
      for (size_t i = 0; i < location->children.size(); ++i)
        absl::StrAppend(&body, i == 0 ? "[" : ", ", child(i));
      if (location->children.empty()) body.push_back('[');
      number = NumberOfText(absl::StrCat(body, "]"));
      break;
    }
    case Form::kAlias:
      number = NumberOf(location->children.empty() ? nullptr : location->children[0], depth + 1);
      break;
  }
  numbers_[attribute] = number;
  return number;
}

std::string LocationNames::OfOperation(AttributeRef location) {
  return absl::StrCat(" loc(", NameOf(NumberOf(location, 0)), ")");
}

std::string LocationNames::OfArgument(AttributeRef attribute) {
  const LocationAttribute* const location = WithoutAliases(attribute);
  if (location == nullptr || location->form == Form::kUnknown) return "";
  const bool is_name = location->form == Form::kName &&
                       (location->children.empty() || IsUnknown(location->children[0]));
  return is_name ? absl::StrCat(" loc(", Quoted(location->text), ")") : OfOperation(attribute);
}

void LocationNames::AppendDefinitions(std::string* out) const {
  for (size_t i = 0; i < definitions_.size(); ++i)
    absl::StrAppend(out, NameOf(i), " = loc(", definitions_[i], ")\n");
}

}  // namespace xla::mlir
