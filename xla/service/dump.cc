// SPDX-License-Identifier: Apache-2.0
#include "xla/service/dump.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
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

// How many programs have files in the folder: "module_0007." behind a timestamp or without.
int64_t ModulesIn(const std::string& folder) {
  std::set<std::string> modules;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const size_t start = name.find("module_");
    if (start != std::string::npos)
      modules.insert(name.substr(start, name.find('.', start) - start));
  }
  return static_cast<int64_t>(modules.size());
}

constexpr char kPipeline[] = "cpu";
constexpr size_t kLongestName = 255;

}  // namespace

DebugOptions DebugOptionsFromEnv() {
  DebugOptions options;
  const absl::StatusOr<std::vector<std::string>> flags = FlagsFromEnv("XLA_FLAGS");
  if (!flags.ok()) return options;
  for (absl::string_view flag : *flags) {
    if (!absl::ConsumePrefix(&flag, "--") && !absl::ConsumePrefix(&flag, "-")) continue;
    if (!absl::StartsWith(flag, "xla_dump_") && !absl::StartsWith(flag, "xla_cpu_max_isa") &&
        !absl::StartsWith(flag, "xla_cpu_ftz") && !absl::StartsWith(flag, "xla_enable_dumping") &&
        !absl::StartsWith(flag, "xla_disable_hlo_passes")) {
      continue;
    }
    const size_t equals = flag.find('=');
    const std::string name(flag.substr(0, equals));
    const bool has_value = equals != absl::string_view::npos;
    const std::string value(has_value ? flag.substr(equals + 1) : "true");
    const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(name);
    if (field == nullptr) continue;
    if (field->is_repeated()) {
      AddStrings(&options, field, value);
      continue;
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && has_value) {
      DebugOptions::GetReflection()->SetString(&options, field, value);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      DebugOptions::GetReflection()->SetBool(&options, field, value != "false" && value != "0");
    } else if (int32_t number; field->cpp_type() == FieldDescriptor::CPPTYPE_INT32 &&
                               absl::SimpleAtoi(value, &number)) {
      DebugOptions::GetReflection()->SetInt32(&options, field, number);
    }
  }
  return options;
}

HloDumper::HloDumper(DebugOptions options, const HloModule& module)
    : options_(std::move(options)), name_(module.name()) {
  if (options_.xla_dump_to().empty() &&
      (options_.xla_dump_hlo_as_text() || options_.xla_dump_hlo_as_proto())) {
    options_.set_xla_dump_to("-");
  }
  const std::string& re = options_.xla_dump_hlo_module_re();
  is_on_ = !options_.xla_dump_to().empty() && (re.empty() || Matches(re, name_)) &&
           !(options_.has_xla_enable_dumping() && !options_.xla_enable_dumping());
  if (!is_on_) return;
  const int64_t most = options_.xla_dump_max_hlo_modules();
  if (most > 0 && ModulesIn(options_.xla_dump_to()) >= most) {
    std::fprintf(stderr, "xla_dump_to: %s has %lld programs already, xla_dump_max_hlo_modules\n",
                 options_.xla_dump_to().c_str(), static_cast<long long>(most));
    is_on_ = false;
    return;
  }
  // Programs of a process have different files, whoever compiles them.
  static std::atomic<int64_t> next{0};
  prefix_ = absl::StrFormat("module_%04d", next.fetch_add(1));
  if (options_.xla_dump_include_timestamp()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t time = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    prefix_ = absl::StrCat(time, ".", prefix_);
  }
}

void HloDumper::Dump(const HloModule& module, absl::string_view stage) const {
  if (!is_on_) return;
  HloPrintOptions print;
  if (options_.has_xla_dump_hlo_as_long_text() && !options_.xla_dump_hlo_as_long_text())
    print = HloPrintOptions::ShortParsable();
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

PassInstrumentation* HloDumper::between_passes() {
  const std::string& pipelines = options_.xla_dump_hlo_pipeline_re();
  const bool wants = is_on_ && !options_.xla_dump_hlo_pass_re().empty() &&
                     (pipelines.empty() || Matches(pipelines, kPipeline));
  return wants ? this : nullptr;
}

void HloDumper::DumpBetween(const HloModule& module, std::string_view next) {
  const std::string& re = options_.xla_dump_hlo_pass_re();
  const std::string before(next);
  if (!is_new_ || (!Matches(re, last_pass_) && !Matches(re, before))) return;
  Dump(module,
       absl::StrFormat("%04d.%s.after_%s.before_%s", dumps_++, kPipeline, last_pass_, before));
}

absl::Status HloDumper::BeforePass(std::string_view pass, const HloModule& module) {
  DumpBetween(module, pass);
  return absl::OkStatus();
}

absl::Status HloDumper::AfterPass(std::string_view pass, const HloModule&, bool changed) {
  last_pass_ = pass;
  is_new_ = changed || options_.xla_dump_hlo_pass_re() != ".*";
  return absl::OkStatus();
}

absl::Status HloDumper::AfterPipeline(const HloModule& module) {
  DumpBetween(module, "pipeline-end");
  return absl::OkStatus();
}

void HloDumper::Write(absl::string_view stage, absl::string_view extension,
                      const std::string& text) const {
  const auto name_with = [&](absl::string_view module) {
    return absl::StrCat(prefix_, module.empty() ? "" : ".", module, ".", stage,
                        extension.empty() ? "" : ".", extension);
  };
  std::string name = name_with(FileName(name_));
  if (name.size() > kLongestName) name = name_with("");
  if (options_.xla_dump_to() == "-") {
    if (extension == "hlo.pb") {
      std::fprintf(stderr, "xla_dump_to: %s is not written to stdout\n", name.c_str());
      return;
    }
    std::printf("*** Begin %s ***\n%s\n*** End %s ***\n", name.c_str(), text.c_str(), name.c_str());
    std::fflush(stdout);
    return;
  }
  const std::filesystem::path folder(options_.xla_dump_to());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path path = folder / name;
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
