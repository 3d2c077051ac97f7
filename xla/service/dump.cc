// SPDX-License-Identifier: Apache-2.0
#include "xla/service/dump.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/parse_flags_from_env.h"

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

// Whether the whole pattern occurs somewhere in the name; a pattern that is none matches nothing.
bool Matches(const std::string& pattern, const std::string& name) {
  try {
    return std::regex_search(name, std::regex(pattern));
  } catch (const std::regex_error&) {
    return false;
  }
}

std::string FileName(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\\' || c == '[' || c == ']' || c == ' ') c = '_';
  }
  return name;
}

}  // namespace

DebugOptions DebugOptionsFromEnv() {
  DebugOptions options;
  const absl::StatusOr<std::vector<std::string>> flags = FlagsFromEnv("XLA_FLAGS");
  if (!flags.ok()) return options;
  for (absl::string_view flag : *flags) {
    if (!absl::ConsumePrefix(&flag, "--") && !absl::ConsumePrefix(&flag, "-")) continue;
    if (!absl::StartsWith(flag, "xla_dump_") && !absl::StartsWith(flag, "xla_cpu_max_isa"))
      continue;
    const size_t equals = flag.find('=');
    const std::string name(flag.substr(0, equals));
    const bool has_value = equals != absl::string_view::npos;
    const std::string value(has_value ? flag.substr(equals + 1) : "true");
    const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(name);
    if (field == nullptr || field->is_repeated()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && has_value) {
      DebugOptions::GetReflection()->SetString(&options, field, value);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      DebugOptions::GetReflection()->SetBool(&options, field, value != "false" && value != "0");
    }
  }
  return options;
}

HloDumper::HloDumper(DebugOptions options, const HloModule& module) : options_(std::move(options)) {
  const std::string name(module.name());
  is_on_ = !options_.xla_dump_to().empty() && (options_.xla_dump_hlo_module_re().empty() ||
                                               Matches(options_.xla_dump_hlo_module_re(), name));
  if (!is_on_) return;
  // Programs of a process have different files, whoever compiles them.
  static std::atomic<int64_t> next{0};
  prefix_ = absl::StrFormat("module_%04d.%s", next.fetch_add(1), FileName(name));
}

void HloDumper::Dump(const HloModule& module, absl::string_view stage) const {
  if (!is_on_) return;
  HloPrintOptions print;
  print.print_large_constants = options_.xla_dump_large_constants();
  print.print_metadata = !options_.xla_dump_disable_metadata();
  if (options_.xla_dump_hlo_as_text() || !options_.xla_dump_hlo_as_proto()) {
    Write(stage, "txt", absl::StrCat(module.ToString(print), "\n"));
  }
  if (options_.xla_dump_hlo_as_proto()) {
    const absl::StatusOr<HloModuleProto> proto = ModuleToProto(module);
    if (proto.ok()) {
      HloProto wrapped;
      *wrapped.mutable_hlo_module() = *proto;
      Write(stage, "hlo.pb", wrapped.SerializeAsString());
    }
  }
  if (stage == "before_optimizations") {
    Write("debug_options", "", GetNonDefaultDebugOptions(options_));
  }
}

void HloDumper::Write(absl::string_view stage, absl::string_view extension,
                      const std::string& text) const {
  if (options_.xla_dump_to() == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  const std::filesystem::path folder(options_.xla_dump_to());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path path =
      folder / absl::StrCat(prefix_, ".", stage, extension.empty() ? "" : ".", extension);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "xla_dump_to: cannot write %s\n", path.c_str());
}

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
