// SPDX-License-Identifier: Apache-2.0
// Arguments and results of several devices.
#include "tools/replicas.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "tools/draw.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
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

// "arg07" -> 7
std::optional<int64_t> ArgumentNumber(absl::string_view name) {
  return absl::ConsumePrefix(&name, "arg") ? Number(name) : std::nullopt;
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
  return {"--input", "FILE", ".npy or .npz file with arguments; may be repeated"};
}

OptionSpec RandomOption() {
  return {
      "--random",
      "SEED",
      "fill missing arguments with random data: floats uniform in [-1, 1), integers in [0, 100)",
      {},
      IntegerRange{0, INT64_MAX}};
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
  if (grid.replicas >= 1 && grid.partitions >= 1 && grid.replicas <= most_devices &&
      grid.partitions <= most_devices / grid.replicas) {
    return grid;
  }
  return absl::InvalidArgumentError(absl::StrCat(grid.replicas, " replicas of ", grid.partitions,
                                                 " partitions are not 1 to ", most_devices,
                                                 " devices"));
}

absl::StatusOr<std::vector<DeviceArray>> ReadDeviceArrays(const std::string& path,
                                                          const DeviceGrid& grid) {
  XLA_ASSIGN_OR_RETURN(NumpyFile opened, NumpyFile::Open(path));
  const auto file = std::make_shared<const NumpyFile>(std::move(opened));
  std::vector<DeviceArray> arrays;
  for (size_t i = 0; i < file->size(); ++i) {
    std::string where = file->name(i).empty() ? path : absl::StrCat(path, ":", file->name(i));
    auto [device, name] = SplitDevice(file->name(i));
    if (device >= grid.count()) {
      return absl::InvalidArgumentError(absl::StrCat(where, ": there is no device ", device,
                                                     "; the program runs on ", grid.count()));
    }
    arrays.push_back({std::move(where), device, std::move(name), file, i});
  }
  return arrays;
}

absl::StatusOr<std::vector<InputArray>> ReadInputArrays(const Arguments& arguments) {
  std::vector<InputArray> result;
  int64_t next = 0;
  for (const std::string& path : arguments.All("--input")) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) continue;  // can be read once only
    XLA_ASSIGN_OR_RETURN(const NumpyFile file, NumpyFile::Open(path));
    bool by_name = true;
    for (size_t i = 0; i < file.size(); ++i)
      by_name = by_name && ArgumentNumber(SplitDevice(file.name(i)).second).has_value();
    for (size_t i = 0; i < file.size(); ++i) {
      const auto [device, name] = SplitDevice(file.name(i));
      if (device >= 0) continue;
      InputArray& array = result.emplace_back();
      array.position = by_name ? *ArgumentNumber(name) : next++;
      auto shape = file.ReadShape(i);
      if (!shape.ok()) {
        return absl::Status(shape.status().code(),
                            absl::StrCat(path, ": ", shape.status().message()));
      }
      array.shape = *std::move(shape);
      if (array.shape.rank() > 0 || !primitive_util::IsIntegralType(array.shape.element_type()))
        continue;
      XLA_ASSIGN_OR_RETURN(const Literal value, file.Read(i));
      array.integer = value.GetFirstInteger();
    }
  }
  return result;
}

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
  std::map<int64_t, size_t> next;  // by device
  for (const std::string& path : arguments.All("--input")) {
    XLA_ASSIGN_OR_RETURN(std::vector<DeviceArray> arrays, ReadDeviceArrays(path, grid));
    const bool by_name = std::all_of(arrays.begin(), arrays.end(), [](const DeviceArray& given) {
      return ArgumentNumber(given.name).has_value();
    });
    for (DeviceArray& given : arrays) {
      const int64_t device = given.device;
      const size_t position = by_name ? *ArgumentNumber(given.name) : next[device]++;
      if (position >= leaves.size()) {
        const std::string taken =
            leaves.empty() ? "no arrays" : Counted(static_cast<int64_t>(leaves.size()), "array");
        return absl::InvalidArgumentError(absl::StrCat(
            given.where, by_name ? absl::StrCat(": there is no argument ", position) : ": too many",
            "; the program takes ", taken, Signature(module)));
      }
      Leaf& leaf = leaves[position];
      std::shared_ptr<const Literal>& place = device < 0 ? leaf.for_all : leaf.for_one[device];
      if (place != nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat(given.where, ": argument ", position, " is duplicated"));
      }
      auto value = given.file->ReadAs(given.index, leaf.shape);
      if (!value.ok()) {
        return absl::Status(
            value.status().code(),
            absl::StrCat(given.where, ": argument ", position, ": ", value.status().message()));
      }
      place = std::make_shared<const Literal>(*std::move(value));
    }
  }

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
