// SPDX-License-Identifier: Apache-2.0
// The options --input and --param, and the arrays that they name.
#include "tools/given_arrays.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tools/argument_names.h"
#include "xla/base/status_macros.h"
#include "xla/base/suggestion.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

std::optional<int64_t> Number(absl::string_view text) {
  int64_t number;
  if (text.empty() || !absl::SimpleAtoi(text, &number) || number < 0) return std::nullopt;
  return number;
}

// How messages call what an option gave: values are abbreviated.
std::string ShortName(const std::string& source) {
  constexpr size_t kMost = 60;
  if (!IsInlineLiteral(source) || source.size() <= kMost) return source;
  return absl::StrCat(source.substr(0, kMost), "...");
}

// "device3/arg00" -> 3 and "arg00"; other names belong to all devices: -1.
std::pair<int64_t, std::string> SplitDevice(const std::string& name) {
  absl::string_view rest = name;
  if (absl::ConsumePrefix(&rest, "device")) {
    const size_t slash = rest.find('/');
    const std::optional<int64_t> device =
        slash == absl::string_view::npos ? std::nullopt : Number(rest.substr(0, slash));
    if (device.has_value()) return {*device, std::string(rest.substr(slash + 1))};
  }
  return {-1, name};
}

// What a file of --input or --param says of sizes.
absl::Status AddInputArray(const ArrayFile& file, size_t i, int64_t position,
                           std::vector<InputArray>& result) {
  InputArray& array = result.emplace_back();
  array.position = position;
  XLA_ASSIGN_OR_RETURN(array.shape, file.ReadShape(i));
  if (array.shape.rank() > 0 || !primitive_util::IsIntegralType(array.shape.element_type()))
    return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(const Literal value, file.Read(i));
  array.integer = value.GetFirstInteger();
  return absl::OkStatus();
}

}  // namespace

OptionSpec InputOption() {
  return {"--input", "FILE",
          "file with arguments (.npy, .npz, .safetensors), or a value: 'f32[3]{1, 2, 3}'; may be\n"
          "repeated"};
}

OptionSpec ParamOption() {
  return {"--param", "NAME=FILE[:KEY]",
          "the argument of this name or number, from a file (the array KEY of it) or a value; may\n"
          "be repeated"};
}

bool GivesArguments(const Arguments& arguments) {
  return arguments.Has("--input") || arguments.Has("--param");
}

absl::StatusOr<NamedArray> OpenParam(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--param takes a name and a file or a value, as in w=weights.npz:w, not '", text, "'"));
  }
  NamedArray param;
  param.name = text.substr(0, equals);
  std::string source = text.substr(equals + 1), key;
  const size_t colon = source.rfind(':');
  std::error_code ignored;
  if (!IsInlineLiteral(source) && colon != std::string::npos &&
      !std::filesystem::exists(source, ignored)) {
    key = source.substr(colon + 1);
    source.resize(colon);
  }
  XLA_ASSIGN_OR_RETURN(ArrayFile file, ArrayFile::Open(source));
  param.file = std::make_shared<const ArrayFile>(std::move(file));
  const std::string wanted = key.empty() ? param.name : key;
  std::vector<std::string_view> known;
  for (size_t i = 0; i < param.file->size(); ++i) {
    if (param.file->name(i) == wanted) {
      param.index = i;
      return param;
    }
    known.emplace_back(param.file->name(i));
  }
  if (key.empty() && param.file->size() == 1) return param;
  return absl::NotFoundError(absl::StrCat("--param ", text, ": ", source, " has no array '", wanted,
                                          "'", Suggestion(wanted, known)));
}

absl::StatusOr<std::vector<DeviceArray>> ReadDeviceArrays(const std::string& path,
                                                          const DeviceGrid& grid) {
  XLA_ASSIGN_OR_RETURN(ArrayFile opened, ArrayFile::Open(path));
  const auto file = std::make_shared<const ArrayFile>(std::move(opened));
  std::vector<DeviceArray> arrays;
  for (size_t i = 0; i < file->size(); ++i) {
    std::string where =
        file->name(i).empty() ? ShortName(path) : absl::StrCat(path, ":", file->name(i));
    auto [device, name] = SplitDevice(file->name(i));
    if (device >= grid.count()) {
      return absl::InvalidArgumentError(absl::StrCat(where, ": there is no device ", device,
                                                     "; the program runs on ", grid.count()));
    }
    arrays.push_back({std::move(where), device, std::move(name), file, i});
  }
  return arrays;
}

absl::Status About(const std::string& where, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

absl::StatusOr<std::vector<InputArray>> ReadInputArrays(const Arguments& arguments) {
  std::vector<InputArray> result;
  int64_t next = 0;
  for (const std::string& path : arguments.All("--input")) {
    std::error_code ignored;
    // What can be read once only is read later.
    if (!IsInlineLiteral(path) && !std::filesystem::is_regular_file(path, ignored)) continue;
    XLA_ASSIGN_OR_RETURN(const ArrayFile file, ArrayFile::Open(path));
    bool by_name = true;
    for (size_t i = 0; i < file.size(); ++i)
      by_name = by_name && ArgumentNumber(SplitDevice(file.name(i)).second).has_value();
    for (size_t i = 0; i < file.size(); ++i) {
      const auto [device, name] = SplitDevice(file.name(i));
      if (device >= 0) continue;
      const int64_t position = by_name ? static_cast<int64_t>(*ArgumentNumber(name)) : next++;
      const absl::Status status = AddInputArray(file, i, position, result);
      if (!status.ok()) return About(ShortName(path), status);
    }
  }
  // Parameters that are given by number: their names are known with the program.
  for (const std::string& text : arguments.All("--param")) {
    XLA_ASSIGN_OR_RETURN(const NamedArray param, OpenParam(text));
    const std::optional<size_t> number = ArgumentNumberOrDigits(param.name);
    if (!number.has_value()) continue;
    const absl::Status status =
        AddInputArray(*param.file, param.index, static_cast<int64_t>(*number), result);
    if (!status.ok()) return About(text, status);
  }
  return result;
}

}  // namespace xla
