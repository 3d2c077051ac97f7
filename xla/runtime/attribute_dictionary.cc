// SPDX-License-Identifier: Apache-2.0
// Dictionaries of attributes: look-up by name and type.
#include "xla/runtime/attribute_dictionary.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

// The names of MLIR: "i32" for S32, "ui8" for U8, "i1" for PRED.
std::string ElementTypeName(PrimitiveType type) {
  if (type == PRED) return "bool";
  const std::string name = absl::AsciiStrToLower(PrimitiveType_Name(type));
  if (name[0] == 's') return absl::StrCat("i", name.substr(1));
  if (name[0] == 'u') return absl::StrCat("ui", name.substr(1));
  return name;
}

std::string Describe(AttributeValue::Kind kind, PrimitiveType element_type) {
  switch (kind) {
    case AttributeValue::Kind::kScalar:
      return ElementTypeName(element_type);
    case AttributeValue::Kind::kArray:
      return absl::StrCat("array of ", ElementTypeName(element_type));
    case AttributeValue::Kind::kString:
      return "string";
    case AttributeValue::Kind::kDictionary:
      return "dictionary";
  }
  return "";
}

}  // namespace

std::string AttributeValue::TypeName() const { return Describe(kind, element_type); }

absl::StatusOr<const AttributeValue*> AttributeDictionary::Find(std::string_view name,
                                                                AttributeValue::Kind kind,
                                                                PrimitiveType element_type) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : values_) names.push_back(known);
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no attribute '", View(name),
        "'; given are: ", names.empty() ? std::string("none") : absl::StrJoin(names, ", ")));
  }
  const AttributeValue& value = found->second;
  if (value.kind != kind || value.element_type != element_type) {
    return absl::InvalidArgumentError(absl::StrCat("attribute '", View(name), "' is of type ",
                                                   value.TypeName(), ", not ",
                                                   Describe(kind, element_type)));
  }
  return &value;
}

absl::StatusOr<std::string> AttributeDictionary::GetString(std::string_view name) const {
  auto value = Find(name, AttributeValue::Kind::kString, PRIMITIVE_TYPE_INVALID);
  if (!value.ok()) return value.status();
  return (*value)->string;
}

absl::StatusOr<const AttributeDictionary*> AttributeDictionary::GetDictionary(
    std::string_view name) const {
  auto value = Find(name, AttributeValue::Kind::kDictionary, PRIMITIVE_TYPE_INVALID);
  if (!value.ok()) return value.status();
  return (*value)->dictionary.get();
}

}  // namespace xla
