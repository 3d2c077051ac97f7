// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/compiler_options.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "xla/debug_options_flags.h"
#include "xla/service/dump.h"
#include "xla/xla.pb.h"

namespace xla::pjrt {
namespace {

using google::protobuf::FieldDescriptor;

bool IsInt32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

bool IsText(const FieldDescriptor& field, absl::string_view text) {
  int32_t narrow;
  int64_t wide;
  double real;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return true;
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::SimpleAtoi(text, &narrow);
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::SimpleAtoi(text, &wide);
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return absl::SimpleAtod(text, &real);
    case FieldDescriptor::CPPTYPE_BOOL:
      return text == "True" || text == "False";
    case FieldDescriptor::CPPTYPE_ENUM:
      return absl::SimpleAtoi(text, &narrow) ||
             field.enum_type()->FindValueByName(std::string(text)) != nullptr;
    default:
      return false;
  }
}

bool IsValue(const FieldDescriptor& field, const OptionOverrideProto& option) {
  switch (option.value_case()) {
    case OptionOverrideProto::kStringField:
      if (!field.is_repeated()) return IsText(field, option.string_field());
      if (option.string_field().empty()) return true;
      for (const absl::string_view text : absl::StrSplit(option.string_field(), ',')) {
        if (!IsText(field, text)) return false;
      }
      return true;
    case OptionOverrideProto::kBoolField:
      return field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL;
    case OptionOverrideProto::kIntField:
      return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64 ||
             field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM ||
             (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 && IsInt32(option.int_field()));
    case OptionOverrideProto::kDoubleField:
      return field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT ||
             field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    case OptionOverrideProto::VALUE_NOT_SET:
      return false;
  }
  return false;
}

std::string TextOf(const OptionOverrideProto& option) {
  switch (option.value_case()) {
    case OptionOverrideProto::kStringField:
      return option.string_field();
    case OptionOverrideProto::kBoolField:
      return absl::StrCat(option.bool_field());
    case OptionOverrideProto::kIntField:
      return absl::StrCat(option.int_field());
    case OptionOverrideProto::kDoubleField:
      return absl::StrCat(option.double_field());
    case OptionOverrideProto::VALUE_NOT_SET:
      break;
  }
  return "";
}

}  // namespace

absl::Status CheckCompilerOptions(const CompileOptionsProto& options) {
  // In the order of names, so that the same options give the same message.
  const std::map<std::string, OptionOverrideProto> ordered(options.env_option_overrides().begin(),
                                                           options.env_option_overrides().end());
  for (const auto& [name, option] : ordered) {
    const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(name);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("No such compile option: '", name, "'"));
    }
    if (IsValue(*field, option)) continue;
    return absl::InvalidArgumentError(absl::StrCat("While setting option ", name, ", '",
                                                   TextOf(option), "' is not a valid ",
                                                   field->type_name(), " value."));
  }
  return absl::OkStatus();
}

DebugOptions DebugOptionsOf(const CompileOptionsProto& options) {
  const ExecutableBuildOptionsProto& build = options.executable_build_options();
  DebugOptions result = build.has_debug_options() ? build.debug_options() : DebugOptionsFromEnv();
  for (const auto& [name, option] : options.env_option_overrides()) {
    const FieldDescriptor* field = DebugOptions::descriptor()->FindFieldByName(name);
    if (field == nullptr) continue;
    const auto* reflection = DebugOptions::GetReflection();
    const std::string text = TextOf(option);
    if (field->is_repeated()) {
      reflection->ClearField(&result, field);
      AddStrings(&result, field, text);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection->SetString(&result, field, text);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      reflection->SetBool(&result, field, option.bool_field() || text == "True" || text == "true");
    } else if (int32_t number; field->cpp_type() == FieldDescriptor::CPPTYPE_INT32 &&
                               absl::SimpleAtoi(text, &number)) {
      reflection->SetInt32(&result, field, number);
    }
  }
  return result;
}

std::optional<bool> FlushSubnormalsOf(const CompileOptionsProto& options) {
  if (!options.env_option_overrides().contains("xla_cpu_ftz")) return std::nullopt;
  return DebugOptionsOf(options).xla_cpu_ftz();
}

}  // namespace xla::pjrt
