// SPDX-License-Identifier: Apache-2.0
// Arguments and results of several devices.
#include "tools/replicas.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/argument_names.h"
#include "tools/array_file.h"
#include "tools/draw.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/base/suggestion.h"
#include "xla/interpreter/interpreter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/partition.h"

namespace xla {
namespace {

// Moves the arrays of a literal to the end of `arrays`, in order.
void TakeArrays(Literal literal, std::vector<Literal>& arrays) {
  if (literal.shape().IsArray()) {
    arrays.push_back(std::move(literal));
  } else if (literal.shape().IsTuple()) {
    for (Literal& element : literal.DecomposeTuple()) TakeArrays(std::move(element), arrays);
  }
}

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

// An array of --param.
struct NamedArray {
  std::string name;
  std::shared_ptr<const ArrayFile> file;
  size_t index = 0;
};

// NAME=FILE, NAME=FILE:KEY or NAME=VALUE. Without KEY, the file has one array, or one of that name.
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

std::string Signature(const HloModule& module) {
  std::string out;
  const ProgramShape& program = module.entry_computation_layout();
  for (int i = 0; i < program.parameters_size(); ++i) {
    absl::StrAppend(&out, "\n  argument ", i, ": ", program.parameters(i).ToString());
    if (module.entry_computation()->parameter_instruction(i) != nullptr) {
      absl::StrAppend(&out, " ", module.entry_computation()->parameter_instruction(i)->name());
    }
  }
  return out;
}

// An array of the program's arguments: for all devices, and for some of them alone.
struct Leaf {
  int parameter;
  ShapeIndex index;
  Shape shape;
  std::shared_ptr<const Literal> for_all;
  std::map<int64_t, std::shared_ptr<const Literal>> for_one;

  std::shared_ptr<const Literal> Of(int64_t device) const {
    const auto found = for_one.find(device);
    return found == for_one.end() ? for_all : found->second;
  }
};

// Fills what no file gave with the values that a snapshot recorded.
absl::Status TakeRecorded(const ProgramShape& program, absl::Span<const Literal> recorded,
                          std::vector<Leaf>& leaves) {
  if (recorded.empty()) return absl::OkStatus();
  if (recorded.size() != static_cast<size_t>(program.parameters_size())) {
    return absl::InvalidArgumentError(absl::StrCat("the snapshot has ", recorded.size(),
                                                   " arguments; the program takes ",
                                                   program.parameters_size()));
  }
  for (Leaf& leaf : leaves) {
    const Literal& given = recorded[static_cast<size_t>(leaf.parameter)];
    const Shape& taken = program.parameters(leaf.parameter);
    if (!ShapeUtil::DynamicShapeIsCompatible(given.shape(), taken)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", leaf.parameter, " of the snapshot is ",
                       given.shape().ToString(), "; the program takes ", taken.ToString()));
    }
    if (leaf.for_all != nullptr || !leaf.shape.IsArray()) continue;
    Literal value = LiteralSlice(given, leaf.index).Clone();
    if (leaf.shape.is_dynamic() && value.shape().is_static())
      value = value.ToBoundedDynamic(leaf.shape);
    leaf.for_all = std::make_shared<const Literal>(std::move(value));
  }
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

OptionSpec RandomOption() {
  return {
      "--random",
      "SEED",
      "fill missing arguments with random data: floats uniform in [-1, 1), integers in [0, 100)",
      {},
      IntegerRange{0, INT64_MAX}};
}

absl::StatusOr<DeviceGrid> CheckDeviceGrid(DeviceGrid grid, int64_t most) {
  if (grid.replicas >= 1 && grid.partitions >= 1 && grid.replicas <= most &&
      grid.partitions <= most / grid.replicas) {
    return grid;
  }
  return absl::InvalidArgumentError(absl::StrCat(grid.replicas, " replicas of ", grid.partitions,
                                                 " partitions are not 1 to ", most, " devices"));
}

absl::StatusOr<DeviceGrid> ReadDeviceGrid(const HloModule& module, const Arguments& arguments,
                                          int64_t most_devices) {
  DeviceGrid grid;
  grid.replicas = arguments.GetInt("--replicas", module.config().replica_count());
  // The programs of Shardy state the number of their devices in meshes alone.
  int64_t stated = module.config().num_partitions();
  if (stated == 1 || arguments.Has("--mesh")) {
    const int64_t sharded = spmd::CountShardedDevices(module);
    if (sharded > 1) stated = sharded;
  }
  grid.partitions = arguments.GetInt("--partitions", stated);
  return CheckDeviceGrid(grid, most_devices);
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

namespace {

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

absl::Status About(const std::string& where, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

}  // namespace

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

namespace {

// Puts an array into its place among the arguments.
absl::Status Place(const DeviceArray& given, size_t position, Leaf& leaf) {
  std::shared_ptr<const Literal>& place =
      given.device < 0 ? leaf.for_all : leaf.for_one[given.device];
  if (place != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(given.where, ": argument ", position, " is duplicated"));
  }
  auto value = given.file->ReadAs(given.index, leaf.shape);
  if (!value.ok()) return About(absl::StrCat(given.where, ": argument ", position), value.status());
  place = std::make_shared<const Literal>(*std::move(value));
  return absl::OkStatus();
}

// Where arrays of a file that has names for some of the arguments belong; what has another name is
// left alone.
absl::Status PlaceByName(const std::string& path, const std::vector<DeviceArray>& arrays,
                         const ArgumentNames& names, std::vector<Leaf>& leaves) {
  std::vector<std::string> unused;
  for (const DeviceArray& given : arrays) {
    const std::optional<size_t> position = names.Find(given.name);
    if (position.has_value()) {
      XLA_RETURN_IF_ERROR(Place(given, *position, leaves[*position]));
    } else {
      unused.push_back(given.name);
    }
  }
  if (unused.empty()) return absl::OkStatus();
  const size_t shown = std::min<size_t>(unused.size(), 3);
  const std::string list = absl::StrJoin(absl::MakeSpan(unused).subspan(0, shown), ", ");
  std::fprintf(
      stderr, "xylem: %s: %s not used, as no argument has the name: %s%s%s\n", path.c_str(),
      unused.size() == 1 ? "1 array is" : absl::StrCat(unused.size(), " arrays are").c_str(),
      list.c_str(), shown < unused.size() ? ", ..." : "",
      unused.size() == 1 ? names.SuggestionFor(unused[0]).c_str() : "");
  return absl::OkStatus();
}

absl::Status PlaceParams(const HloModule& module, const Arguments& arguments,
                         const ArgumentNames& names, std::vector<Leaf>& leaves) {
  for (const std::string& text : arguments.All("--param")) {
    XLA_ASSIGN_OR_RETURN(NamedArray param, OpenParam(text));
    const std::optional<size_t> position = names.FindNameOrNumber(param.name);
    if (!position.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--param ", text, ": the program has no argument '", param.name, "'",
                       names.SuggestionFor(param.name), Signature(module)));
    }
    const DeviceArray given = {absl::StrCat("--param ", text), -1, "", std::move(param.file),
                               param.index};
    XLA_RETURN_IF_ERROR(Place(given, *position, leaves[*position]));
  }
  return absl::OkStatus();
}

// Takes what the options give.
absl::Status TakeGiven(const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
                       std::vector<Leaf>& leaves) {
  if (!GivesArguments(arguments)) return absl::OkStatus();
  const ArgumentNames names(module);
  std::map<int64_t, size_t> next;  // by device
  for (const std::string& path : arguments.All("--input")) {
    XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArray> arrays, ReadDeviceArrays(path, grid));
    const bool by_number = std::all_of(arrays.begin(), arrays.end(), [](const DeviceArray& given) {
      return ArgumentNumber(given.name).has_value();
    });
    const bool by_name = std::any_of(arrays.begin(), arrays.end(), [&](const DeviceArray& given) {
      return names.Find(given.name).has_value();
    });
    if (by_name && !by_number) {
      XLA_RETURN_IF_ERROR(PlaceByName(path, arrays, names, leaves));
      continue;
    }
    for (const DeviceArray& given : arrays) {
      const size_t position = by_number ? *ArgumentNumber(given.name) : next[given.device]++;
      if (position >= leaves.size()) {
        const std::string taken =
            leaves.empty() ? "no arrays" : Counted(static_cast<int64_t>(leaves.size()), "array");
        return absl::InvalidArgumentError(absl::StrCat(
            given.where,
            by_number ? absl::StrCat(": there is no argument ", position) : ": too many",
            "; the program takes ", taken, Signature(module)));
      }
      XLA_RETURN_IF_ERROR(Place(given, position, leaves[position]));
    }
  }
  return PlaceParams(module, arguments, names, leaves);
}

}  // namespace

absl::StatusOr<std::vector<DeviceArguments>> ReadDeviceArguments(
    const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
    absl::Span<const Literal> recorded) {
  // Leaves of all parameters, in order: what "position" and "argNN" count.
  std::vector<Leaf> leaves;
  const ProgramShape& program = module.entry_computation_layout();
  for (int p = 0; p < program.parameters_size(); ++p) {
    for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(program.parameters(p)))
      leaves.push_back({p, leaf.index, leaf.shape, nullptr, {}});
  }
  XLA_RETURN_IF_ERROR(TakeGiven(module, grid, arguments, leaves));
  XLA_RETURN_IF_ERROR(TakeRecorded(program, recorded, leaves));
  XLA_RETURN_IF_ERROR(CheckSizesAreKnown(module));
  const int64_t seed = arguments.GetInt("--random", 0);
  // Of a program with shardings all devices have shards of the same values.
  const bool is_sharded = IsSharded(module, grid.partitions);
  std::vector<DeviceArguments> result(static_cast<size_t>(grid.count()));
  for (int64_t device = 0; device < grid.count(); ++device) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].Of(device) != nullptr) continue;
      if (is_sharded && device > 0) {
        leaves[i].for_one[device] = leaves[i].Of(0);
        continue;
      }
      if (!arguments.Has("--random")) {
        return absl::InvalidArgumentError(absl::StrCat(
            "argument ", i, grid.count() > 1 ? absl::StrCat(" of device ", device) : "",
            " is missing; pass it with --input, or generate random data with --random SEED",
            Signature(module)));
      }
      XLA_ASSIGN_OR_RETURN(Literal drawn,
                           DrawLiteral(leaves[i].shape, seed + i * 1000003 + device * 7368787,
                                       DrawKind::kUniform, 100));
      leaves[i].for_one[device] = std::make_shared<const Literal>(std::move(drawn));
    }
    size_t leaf = 0;
    for (int p = 0; p < program.parameters_size(); ++p) {
      if (program.parameters(p).IsArray()) {
        result[static_cast<size_t>(device)].push_back(leaves[leaf++].Of(device));
        continue;
      }
      // The layouts are those of the values: a literal has no tiles, as the parameter may.
      const size_t first = leaf;
      Shape shape = program.parameters(p);
      for (; leaf < leaves.size() && leaves[leaf].parameter == p; ++leaf) {
        *ShapeUtil::GetMutableSubshape(&shape, leaves[leaf].index) =
            leaves[leaf].Of(device)->shape();
      }
      XLA_ASSIGN_OR_RETURN(Literal whole, Literal::Make(shape));
      for (size_t k = first; k < leaf; ++k) {
        XLA_RETURN_IF_ERROR(whole.MoveFrom(leaves[k].Of(device)->Clone(), leaves[k].index));
      }
      result[static_cast<size_t>(device)].push_back(
          std::make_shared<const Literal>(std::move(whole)));
    }
  }
  return result;
}

absl::StatusOr<std::vector<NamedLiteral>> CollectOutputs(const DeviceGrid& grid,
                                                         std::vector<Literal> results,
                                                         runtime::Feeds& feeds,
                                                         runtime::HostChannels& channels) {
  std::vector<NamedLiteral> outputs;
  // The arrays of a literal, named by `stem` or, in a tuple, stem.0, stem.1, ..
  const auto append = [&](const std::string& stem, Literal literal) {
    const bool is_tuple = literal.shape().IsTuple();
    std::vector<Literal> arrays;
    TakeArrays(std::move(literal), arrays);
    for (size_t i = 0; i < arrays.size(); ++i)
      outputs.push_back({is_tuple ? absl::StrCat(stem, ".", i) : stem, std::move(arrays[i])});
  };
  const bool is_for_devices = results.size() == static_cast<size_t>(grid.count());
  const auto of_replicas = [&](int64_t replica) {
    return results.size() > 1 ? absl::StrCat("replica", replica, "/") : std::string();
  };
  for (int64_t device = 0; device < grid.count(); ++device) {
    const std::string prefix = grid.count() > 1 ? absl::StrCat("device", device, "/") : "";
    if (static_cast<size_t>(device) < results.size()) {
      std::vector<Literal> arrays;
      TakeArrays(std::move(results[static_cast<size_t>(device)]), arrays);
      const std::string of_device = is_for_devices ? prefix : of_replicas(device);
      for (size_t i = 0; i < arrays.size(); ++i)
        outputs.push_back({absl::StrFormat("%sout%02d", of_device, i), std::move(arrays[i])});
    }
    for (int i = 0; feeds.OutfeedSize(device) > 0; ++i) {
      XLA_ASSIGN_OR_RETURN(Literal literal, feeds.TransferFromOutfeed(device));
      append(absl::StrFormat("%soutfeed%02d", prefix, i), std::move(literal));
    }
    std::map<int64_t, int> sent;
    for (std::vector<int64_t> ready; !(ready = channels.Sent(device)).empty();) {
      XLA_ASSIGN_OR_RETURN(Literal literal, channels.FromDevice(device, ready[0]));
      append(absl::StrFormat("%schannel%d_%02d", prefix, ready[0], sent[ready[0]]++),
             std::move(literal));
    }
  }
  return outputs;
}

}  // namespace xla
