// SPDX-License-Identifier: Apache-2.0
// Flags are made from the description that protobuf has of DebugOptions; tables name the
// exceptions.
#include "xla/debug_options_flags.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/base/text_format.h"
#include "xla/debug_options_parsers.h"
#include "xla/parse_flags_from_env.h"
#include "xla/pass_fuel.h"
#include "xla/tsl/platform/file_system.h"

namespace xla {
namespace {

using details::ParseIntRangeInclusive;
using details::RepeatedFlagModifier;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

constexpr const char* kEnvVar = "XLA_FLAGS";
constexpr size_t kMaxFileBytes = size_t{1} << 20;  // of DebugOptions as text

const FieldDescriptor* FieldOf(absl::string_view name) {
  const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(std::string(name));
  XLA_CHECK(field != nullptr) << name;
  return field;
}

// What the names of all values begin with, whole words.
absl::string_view CommonPrefix(const EnumDescriptor& type) {
  absl::string_view prefix = type.value(0)->name();
  for (int i = 1; i < type.value_count(); ++i) {
    const absl::string_view name = type.value(i)->name();
    while (!absl::StartsWith(name, prefix)) prefix.remove_suffix(1);
  }
  return prefix.substr(0, prefix.rfind('_') + 1);  // all of it if it ends in '_', none without one
}

// The value whose name is `text`, or whose words, after the common ones, begin with those of `text`
// and no other's do.
const EnumValueDescriptor* FindValue(const EnumDescriptor& type, absl::string_view text) {
  const std::string upper = absl::AsciiStrToUpper(text);
  const absl::string_view prefix = CommonPrefix(type);
  const EnumValueDescriptor* found = nullptr;
  int beginnings = 0;
  for (int i = 0; i < type.value_count(); ++i) {
    absl::string_view name = type.value(i)->name();
    if (name == upper) return type.value(i);
    absl::ConsumePrefix(&name, prefix);
    if (name == upper) return type.value(i);
    if (!absl::StartsWith(name, absl::StrCat(upper, "_"))) continue;
    found = type.value(i);
    ++beginnings;
  }
  return beginnings == 1 ? found : nullptr;
}

bool SetEnum(DebugOptions* options, const FieldDescriptor* field, const std::string& text) {
  const EnumValueDescriptor* value = FindValue(*field->enum_type(), text);
  if (value == nullptr) return false;
  options->GetReflection()->SetEnum(options, field, value);
  return true;
}

// A new list, or one that is changed; an empty text empties it.
bool SetEnums(DebugOptions* options, const FieldDescriptor* field, const std::string& text) {
  const Reflection& reflection = *options->GetReflection();
  const EnumDescriptor& type = *field->enum_type();
  const auto modifiers = details::ParseRepeatedEnumModifiers(text, CommonPrefix(type));
  if (!modifiers.ok()) return false;
  std::vector<int> values;
  for (int i = 0; i < reflection.FieldSize(*options, field); ++i) {
    values.push_back(reflection.GetRepeatedEnumValue(*options, field, i));
  }
  if (modifiers->empty()) values.clear();
  for (const RepeatedFlagModifier& modifier : *modifiers) {
    if (modifier.op == RepeatedFlagModifier::Op::kClear) {
      values.clear();
      continue;
    }
    const EnumValueDescriptor* value = type.FindValueByName(modifier.value);
    if (value == nullptr) return false;
    const bool is_there = std::find(values.begin(), values.end(), value->number()) != values.end();
    if (modifier.op == RepeatedFlagModifier::Op::kRemove) {
      std::erase(values, value->number());
    } else if (!is_there) {
      values.push_back(value->number());
    }
  }
  reflection.ClearField(options, field);
  for (const int value : values) reflection.AddEnumValue(options, field, value);
  return true;
}

bool SetDisabledCollectives(DebugOptions* options, const std::string& text) {
  if (!SetEnums(options, FieldOf("xla_gpu_disable_async_collectives"), text)) return false;
  auto& values = *options->mutable_xla_gpu_disable_async_collectives();
  if (std::find(values.begin(), values.end(), DebugOptions::ALLCOLLECTIVES) == values.end())
    return true;
  values.Clear();
  for (int i = DebugOptions::ALLREDUCE; i < DebugOptions::ALLCOLLECTIVES; ++i) values.Add(i);
  return true;
}

bool SetString(DebugOptions* options, const FieldDescriptor* field, const std::string& text) {
  options->GetReflection()->SetString(options, field, text);
  return true;
}

}  // namespace

bool AddStrings(DebugOptions* options, const FieldDescriptor* field, const std::string& text) {
  if (!field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) return false;
  const absl::string_view name = field->name();
  std::vector<std::string> values;
  if (name == "xla_gpu_ptx_file" || name == "xla_gpu_llvm_ir_file") {
    values.emplace_back(text);
  } else if (name == "xla_gpu_ptx_compiler_extra_flags") {  // has commas within flags
    values = absl::StrSplit(text, absl::ByAnyChar(" \t\n\r\f\v"), absl::SkipEmpty());
  } else {
    values = absl::StrSplit(text, ',');
  }
  for (std::string& value : values) {
    options->GetReflection()->AddString(options, field, std::move(value));
  }
  return true;
}

namespace {

bool AddEntries(DebugOptions* options, const FieldDescriptor* field, const std::string& text) {
  std::map<std::string, std::string> entries;
  parse_comma_separated_values(&entries, text);
  const FieldDescriptor* key = field->message_type()->map_key();
  const FieldDescriptor* mapped = field->message_type()->map_value();
  const Reflection& reflection = *options->GetReflection();
  std::map<std::string, google::protobuf::Message*> present;
  for (int i = 0; i < reflection.FieldSize(*options, field); ++i) {
    google::protobuf::Message* entry = reflection.MutableRepeatedMessage(options, field, i);
    present[entry->GetReflection()->GetString(*entry, key)] = entry;
  }
  for (const auto& [name, value] : entries) {
    google::protobuf::Message*& entry = present[name];
    if (entry == nullptr) entry = reflection.AddMessage(options, field);
    entry->GetReflection()->SetString(entry, key, name);
    entry->GetReflection()->SetString(entry, mapped, value);
  }
  return true;
}

// The value of a field as Usage shows it.
std::string ShownValue(const DebugOptions& options, const FieldDescriptor* field) {
  const Reflection& reflection = *options.GetReflection();
  if (!field->is_repeated()) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      return reflection.GetString(options, field);
    }
    return std::string(reflection.GetEnum(options, field)->name());
  }
  std::vector<std::string> values(static_cast<size_t>(reflection.FieldSize(options, field)));
  for (size_t i = 0; i < values.size(); ++i) {
    google::protobuf::TextFormat::PrintFieldValueToString(options, field, static_cast<int>(i),
                                                          &values[i]);
  }
  return absl::StrJoin(values, ", ");
}

template <typename T>
tsl::Flag ScalarFlag(const std::string& name, const FieldDescriptor* field, DebugOptions* options,
                     T (Reflection::*get)(const google::protobuf::Message&, const FieldDescriptor*)
                         const,
                     void (Reflection::*set)(google::protobuf::Message*, const FieldDescriptor*, T)
                         const) {
  const Reflection* reflection = options->GetReflection();
  return tsl::Flag(name.c_str(), std::function<bool(T)>([=](T value) {
                     (reflection->*set)(options, field, value);
                     return true;
                   }),
                   (reflection->*get)(*options, field), "");
}

// The flag `name` that sets `field` of `options`.
tsl::Flag FlagFor(const std::string& name, const FieldDescriptor* field, DebugOptions* options) {
  const auto text_flag = [&](bool (*set)(DebugOptions*, const FieldDescriptor*,
                                         const std::string&)) {
    return tsl::Flag(name.c_str(), std::function<bool(std::string)>([=](const std::string& text) {
                       return set(options, field, text);
                     }),
                     field->is_map() ? std::string() : ShownValue(*options, field), "");
  };
  if (field->is_map()) return text_flag(AddEntries);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return ScalarFlag(name, field, options, &Reflection::GetBool, &Reflection::SetBool);
    case FieldDescriptor::CPPTYPE_INT32:
      return ScalarFlag(name, field, options, &Reflection::GetInt32, &Reflection::SetInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return ScalarFlag(name, field, options, &Reflection::GetInt64, &Reflection::SetInt64);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return ScalarFlag(name, field, options, &Reflection::GetFloat, &Reflection::SetFloat);
    case FieldDescriptor::CPPTYPE_ENUM:
      return text_flag(field->is_repeated() ? SetEnums : SetEnum);
    default:
      XLA_CHECK(field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) << name;
      return text_flag(field->is_repeated() ? AddStrings : SetString);
  }
}

struct OtherName {
  const char* flag;
  const char* field;
};
constexpr OtherName kOtherNames[] = {
    {"xla_gpu_executable_terminate_timeout", "xla_gpu_executable_terminate_timeout_seconds"},
    {"xla_gpu_executable_warn_stuck_timeout", "xla_gpu_executable_warn_stuck_timeout_seconds"},
    {"xla_cpu_collective_call_warn_stuck_timeout_seconds",
     "xla_cpu_collective_call_warn_stuck_seconds"},
};

// Flags whose fields XLA has removed.
constexpr const char* kWithoutEffect[] = {"xla_gpu_strict_conv_algorithm_picker",
                                          "xla_gpu_enable_cudnn_fmha",
                                          "xla_gpu_enable_triton_gemm_int4"};

struct TextFlag {
  const char* name;
  bool (*set)(DebugOptions* options, const std::string& text);
};
constexpr TextFlag kTextFlags[] = {
    {"xla_cpu_max_isa",
     [](DebugOptions* options, const std::string& text) {
       options->set_xla_cpu_max_isa(absl::AsciiStrToUpper(text));
       return true;
     }},
    {"xla_gpu_execution_terminate_timeout",
     [](DebugOptions* options, const std::string& text) {
       absl::Duration duration;
       if (!absl::ParseDuration(text, &duration)) return false;
       options->set_xla_gpu_execution_terminate_timeout(text);
       return true;
     }},
    {"xla_gpu_disable_async_collectives", SetDisabledCollectives},
    {"xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges",
     [](DebugOptions* options, const std::string& text) {
       auto& filter = *options->mutable_xla_gpu_experimental_thunk_buffer_debug_filter();
       for (const absl::string_view part : absl::StrSplit(text, ',')) {
         if (!ParseIntRangeInclusive(part, *filter.add_thunk_id_ranges())) return false;
       }
       return true;
     }},
    {"xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_re",
     [](DebugOptions* options, const std::string& text) {
       auto& filter = *options->mutable_xla_gpu_experimental_thunk_buffer_debug_filter();
       for (const absl::string_view part : absl::StrSplit(text, ',')) {
         filter.add_profile_annotation_regexes(std::string(part));
       }
       return true;
     }},
    {"xla_fuel", [](DebugOptions*, const std::string& text) { return SetPassFuel(text); }},
};

struct BoolFlag {
  const char* name;
  void (*set)(DebugOptions* options, bool value);
};
constexpr BoolFlag kBoolFlags[] = {
    {"xla_cpu_enable_concurrency_optimized_scheduler",
     [](DebugOptions* options, bool value) {
       options->set_xla_cpu_scheduler_type(
           value ? DebugOptions::CPU_SCHEDULER_TYPE_CONCURRENCY_OPTIMIZED
                 : DebugOptions::CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED);
     }},
    {"xla_gpu_graph_enable_concurrent_region",
     [](DebugOptions* options, bool value) {
       options->set_xla_gpu_command_buffer_scheduling_mode(value ? DebugOptions::CONCURRENT
                                                                 : DebugOptions::SERIALIZE);
     }},
};

template <typename Table>
bool IsIn(const Table& table, absl::string_view name) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const auto& flag) { return flag.name == name; });
}

// The options of the process and their flags, for the whole process as XLA's contract has it.
struct ProcessOptions {
  std::mutex mutex;  // of what follows; the flags themselves are parsed without it
  DebugOptions own;
  DebugOptions* values = nullptr;  // null until something uses them
  std::vector<tsl::Flag> flags;
};

ProcessOptions& TheProcessOptions() {
  static auto* const options = new ProcessOptions;  // never destroyed: static objects may use it
  return *options;
}

// Makes and parses the flags of the process at the first call.
ProcessOptions& UseProcessOptions(DebugOptions* values = nullptr) {
  ProcessOptions& process = TheProcessOptions();
  const std::lock_guard<std::mutex> lock(process.mutex);
  if (process.values == nullptr) {
    process.own = DefaultDebugOptionsIgnoringFlags();
    process.values = values != nullptr ? values : &process.own;
    MakeDebugOptionsFlags(&process.flags, process.values);
    ParseFlagsFromEnvAndDieIfUnknown(kEnvVar, process.flags);
  }
  return process;
}

bool Complain(absl::string_view sentence) {
  std::fputs(absl::StrCat(sentence, "\n").c_str(), stderr);
  return false;
}

}  // namespace

void MakeDebugOptionsFlags(std::vector<tsl::Flag>* flag_list, DebugOptions* options) {
  const google::protobuf::Descriptor& fields = *DebugOptions::descriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor* field = fields.field(i);
    const std::string name(field->name());
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if ((is_message && !field->is_map()) || IsIn(kTextFlags, name) || IsIn(kBoolFlags, name))
      continue;
    flag_list->push_back(FlagFor(name, field, options));
  }
  for (const OtherName& other : kOtherNames) {
    flag_list->push_back(FlagFor(other.flag, FieldOf(other.field), options));
  }
  for (const char* name : kWithoutEffect) {
    flag_list->emplace_back(name, std::function<bool(bool)>([](bool) { return true; }), false, "");
  }
  for (const TextFlag& flag : kTextFlags) {
    flag_list->emplace_back(
        flag.name,
        std::function<bool(std::string)>(
            [set = flag.set, options](const std::string& text) { return set(options, text); }),
        std::string(), "");
  }
  for (const BoolFlag& flag : kBoolFlags) {
    flag_list->emplace_back(flag.name,
                            std::function<bool(bool)>([set = flag.set, options](bool value) {
                              set(options, value);
                              return true;
                            }),
                            false, "");
  }
}

void AppendDebugOptionsFlags(std::vector<tsl::Flag>* flag_list, DebugOptions* options) {
  const ProcessOptions& process = UseProcessOptions(options);
  flag_list->insert(flag_list->end(), process.flags.begin(), process.flags.end());
}

DebugOptions GetDebugOptionsFromFlags() {
  const ProcessOptions& process = UseProcessOptions();
  if (process.values->xla_flags_reset()) {
    ParseFlagsFromEnvAndDieIfUnknown(kEnvVar, process.flags, /*reset_envvar=*/true);
  }
  return *process.values;
}

DebugOptions GetDebugOptionsFromProtoAndFlags(DebugOptions* options) {
  if (options == nullptr) return GetDebugOptionsFromFlags();
  DebugOptions changed = *options;
  std::vector<tsl::Flag> flags;
  MakeDebugOptionsFlags(&flags, &changed);
  ParseFlagsFromEnvAndDieIfUnknown(kEnvVar, flags, /*reset_envvar=*/true);
  return changed;
}

void ParseDebugOptionFlagsFromEnv(bool reset_envvar) {
  ParseFlagsFromEnvAndDieIfUnknown(kEnvVar, UseProcessOptions().flags, reset_envvar);
}

bool ParseFlagsFromDebugOptionsFile(absl::string_view filename) {
  const ProcessOptions& process = UseProcessOptions();
  const absl::StatusOr<std::string> text = tsl::ReadWholeFile(std::string(filename), kMaxFileBytes);
  if (!text.ok()) return Complain(absl::StrCat("debug options file: ", text.status().message()));
  DebugOptions read;
  std::vector<const FieldDescriptor*> mentioned;
  const absl::Status status = ParseTextFormat(*text, read, &mentioned);
  if (!status.ok()) {
    return Complain(absl::StrCat("debug options file: ", filename, ":", status.message()));
  }
  process.values->GetReflection()->SwapFields(process.values, &read, mentioned);
  return true;
}

void ResetFlagValues() {
  ProcessOptions& process = TheProcessOptions();
  const std::lock_guard<std::mutex> lock(process.mutex);
  if (process.values != nullptr) *process.values = DefaultDebugOptionsIgnoringFlags();
}

FlagStatus GetFlagStatus(absl::string_view flag_name) {
  constexpr absl::string_view kStable[] = {
      "xla_gpu_all_reduce_combine_threshold_bytes",
      "xla_gpu_autotune_level",
      "xla_gpu_collective_permute_decomposer_threshold",
      "xla_gpu_cublas_fallback",
      "xla_gpu_dot_merger_threshold_mb",
      "xla_gpu_enable_dynamic_slice_fusion",
      "xla_gpu_enable_latency_hiding_scheduler",
      "xla_gpu_enable_pipelined_all_gather",
      "xla_gpu_enable_pipelined_all_reduce",
      "xla_gpu_enable_pipelined_reduce_scatter",
      "xla_gpu_enable_triton_gemm",
      "xla_gpu_enable_while_loop_double_buffering",
      "xla_gpu_exhaustive_tiling_search",
      "xla_gpu_reduce_scatter_combine_threshold_bytes",
  };
  const bool is_stable =
      std::find(std::begin(kStable), std::end(kStable), flag_name) != std::end(kStable);
  return is_stable ? FlagStatus::kStable : FlagStatus::kExperimental;
}

absl::StatusOr<int> HostPlatformDeviceCountFromFlags() {
  ProcessOptions& process = TheProcessOptions();
  {
    const std::lock_guard<std::mutex> lock(process.mutex);
    if (process.values != nullptr) return process.values->xla_force_host_platform_device_count();
  }
  XLA_ASSIGN_OR_RETURN(std::vector<std::string> flags, FlagsFromEnv(kEnvVar));
  int32_t count = 1;
  if (!tsl::Flags::Parse(flags, {tsl::Flag("xla_force_host_platform_device_count", &count, "")})) {
    return absl::InvalidArgumentError(
        absl::StrCat(kEnvVar, ": xla_force_host_platform_device_count is no number"));
  }
  return count;
}

absl::StatusOr<InstructionSet> MaxInstructionSetOf(const DebugOptions& options) {
  absl::StatusOr<InstructionSet> bound = ParseInstructionSet(options.xla_cpu_max_isa());
  if (!bound.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("xla_cpu_max_isa: ", bound.status().message()));
  }
  return std::min(*bound, MaxInstructionSet());
}

std::vector<std::string> DisabledPassesOf(const DebugOptions& options) {
  return {options.xla_disable_hlo_passes().begin(), options.xla_disable_hlo_passes().end()};
}

absl::StatusOr<InstructionSet> MaxInstructionSetFromFlags() {
  DebugOptions options;
  {
    ProcessOptions& process = TheProcessOptions();
    const std::lock_guard<std::mutex> lock(process.mutex);
    if (process.values != nullptr) return MaxInstructionSetOf(*process.values);
  }
  XLA_ASSIGN_OR_RETURN(std::vector<std::string> flags, FlagsFromEnv(kEnvVar));
  std::string name;
  if (!tsl::Flags::Parse(flags, {tsl::Flag("xla_cpu_max_isa", &name, "")})) {
    return absl::InvalidArgumentError(absl::StrCat(kEnvVar, ": xla_cpu_max_isa has no value"));
  }
  options.set_xla_cpu_max_isa(name);
  return MaxInstructionSetOf(options);
}

}  // namespace xla
