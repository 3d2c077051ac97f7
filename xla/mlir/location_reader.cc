// SPDX-License-Identifier: Apache-2.0
// Locations in MLIR text: loc(..).
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attribute_reader.h"

namespace xla::mlir {

using Form = LocationAttribute::Form;

AttributeRef AttributeReader::MakeLocation(Form form, std::string_view text,
                                           absl::Span<const AttributeRef> children,
                                           AttributeRef metadata) {
  return arena().New<LocationAttribute>(xla::mlir::Attribute{AttributeKind::kLocation}, form,
                                        int64_t{0}, int64_t{0}, text, metadata,
                                        arena().Copy(children));
}

AttributeRef AttributeReader::ParseLocation() {
  if (!cursor_.ExpectWord("loc") || !cursor_.Expect('(')) return nullptr;
  const AttributeRef result = LocationBody();
  return result != nullptr && cursor_.Expect(')') ? result : nullptr;
}

AttributeRef AttributeReader::LocationBody() {
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  if (cursor_.Peek('"')) return LocationFile();
  if (cursor_.Peek('#')) {
    const size_t begin = cursor_.offset();
    cursor_.Seek(begin + 1);
    const std::string_view name = cursor_.SuffixName();
    const auto known = attribute_aliases_.find(name);
    if (known != attribute_aliases_.end()) return known->second.value;
    if (name.find('.') != std::string_view::npos) {  // a dialect's location
      cursor_.Seek(begin);
      return ParseAttribute();
    }
    const AttributeRef result = MakeLocation(Form::kAlias, name);
    unresolved_locations_.emplace_back(
        const_cast<LocationAttribute*>(result->As<LocationAttribute>()), begin);
    return result;
  }
  if (cursor_.PeekWord("loc")) return ParseLocation();
  const std::string_view word = cursor_.Word();
  if (word == "unknown") return MakeLocation(Form::kUnknown, {});
  if (word == "callsite") {
    if (!cursor_.Expect('(')) return nullptr;
    const AttributeRef callee = LocationBody();
    if (callee == nullptr || !cursor_.ExpectWord("at")) return nullptr;
    const AttributeRef caller = LocationBody();
    if (caller == nullptr || !cursor_.Expect(')')) return nullptr;
    return MakeLocation(Form::kCallSite, {}, {callee, caller});
  }
  if (word == "fused") {
    AttributeRef metadata = nullptr;
    if (cursor_.Consume('<')) {
      metadata = ParseAttribute();
      if (metadata == nullptr || !cursor_.Expect('>')) return nullptr;
    }
    if (!cursor_.Expect('[')) return nullptr;
    std::vector<AttributeRef> children;
    if (!cursor_.Peek(']')) {
      do {
        children.push_back(LocationBody());
        if (children.back() == nullptr) return nullptr;
      } while (cursor_.Consume(','));
    }
    if (!cursor_.Expect(']')) return nullptr;
    return MakeLocation(Form::kFused, {}, children, metadata);
  }
  cursor_.FailExpected("a location");
  return nullptr;
}

// "file":line, "file":line:column, "file":line:column to [line]:column, "name", "name"(child)
AttributeRef AttributeReader::LocationFile() {
  std::string_view text;
  if (!cursor_.String(&text)) return nullptr;
  if (cursor_.Consume('(')) {
    const AttributeRef child = LocationBody();
    if (child == nullptr || !cursor_.Expect(')')) return nullptr;
    return MakeLocation(Form::kName, text, {child});
  }
  if (!cursor_.Consume(':')) return MakeLocation(Form::kName, text);
  int64_t line = 0;
  int64_t column = 0;
  if (!cursor_.Digits(&line)) return nullptr;
  cursor_.SkipSpace();
  if (cursor_.Consume(':')) {
    if (!cursor_.Digits(&column)) return nullptr;
    cursor_.SkipSpace();
  }
  int64_t end_line = line;
  int64_t end_column = column;
  if (cursor_.ConsumeWord("to")) {
    if (cursor_.PeekDigit()) {
      if (!cursor_.Digits(&end_line)) return nullptr;
      cursor_.SkipSpace();
    }
    if (!cursor_.Expect(':') || !cursor_.Digits(&end_column)) return nullptr;
    cursor_.SkipSpace();
  }
  const bool is_range = end_line != line || end_column != column;
  return arena().New<LocationAttribute>(
      xla::mlir::Attribute{AttributeKind::kLocation}, Form::kFile, line, column, text, nullptr,
      absl::Span<const AttributeRef>(), is_range ? end_line : 0, is_range ? end_column : 0);
}

bool AttributeReader::ResolveLocations() {
  for (const auto& [location, offset] : unresolved_locations_) {
    const auto known = attribute_aliases_.find(location->text);
    if (known == attribute_aliases_.end()) {
      return cursor_.FailAt(
          offset, absl::StrCat("location alias '#", View(location->text), "' is not defined"));
    }
    const AttributeRef child[] = {known->second.value};
    location->children = arena().Copy(absl::Span<const AttributeRef>(child));
  }
  unresolved_locations_.clear();
  return true;
}

}  // namespace xla::mlir
