// SPDX-License-Identifier: Apache-2.0
#include "xla/service/dump.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

using google::protobuf::FieldDescriptor;

// A line for each value of the field; entries of maps, which have no order, by their text.
std::vector<std::string> Lines(const DebugOptions& options, const FieldDescriptor* field) {
  std::vector<std::string> lines;
  const int count = field->is_repeated() ? options.GetReflection()->FieldSize(options, field) : 1;
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  for (int i = 0; i < count; ++i) {
    std::string value;
    google::protobuf::TextFormat::PrintFieldValueToString(options, field,
                                                          field->is_repeated() ? i : -1, &value);
    lines.push_back(is_message ? absl::StrCat(field->name(), " {\n", value, "}\n")
                               : absl::StrCat(field->name(), ": ", value, "\n"));
  }
  if (field->is_map()) std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::string GetNonDefaultDebugOptions(const DebugOptions& options) {
  const DebugOptions defaults = DefaultDebugOptionsIgnoringFlags();
  std::string text;
  for (int i = 0; i < DebugOptions::descriptor()->field_count(); ++i) {
    const FieldDescriptor* field = DebugOptions::descriptor()->field(i);
    const std::vector<std::string> lines = Lines(options, field);
    if (lines == Lines(defaults, field)) continue;
    for (const std::string& line : lines) text += line;
  }
  return text;
}

}  // namespace xla
