// SPDX-License-Identifier: Apache-2.0
// Arguments of several devices.
#include "tools/replicas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/argument_names.h"
#include "tools/array_file.h"
#include "tools/draw.h"
#include "tools/given_arrays.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

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

// Fills what is still missing with random data, if --random asks for it.
absl::Status DrawMissing(const HloModule& module, const DeviceGrid& grid,
                         const Arguments& arguments, std::vector<Leaf>& leaves) {
  const int64_t seed = arguments.GetInt("--random", 0);
  // Of a program with shardings all devices have shards of the same values.
  const bool is_sharded = IsSharded(module, grid.partitions);
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
  }
  return absl::OkStatus();
}

// The arguments of a device: arrays as they are, tuples put together from their leaves.
absl::StatusOr<DeviceArguments> Assemble(const ProgramShape& program,
                                         const std::vector<Leaf>& leaves, int64_t device) {
  DeviceArguments result;
  size_t leaf = 0;
  for (int p = 0; p < program.parameters_size(); ++p) {
    if (program.parameters(p).IsArray()) {
      result.push_back(leaves[leaf++].Of(device));
      continue;
    }
    // The layouts are those of the values: a literal has no tiles, as the parameter may.
    const size_t first = leaf;
    Shape shape = program.parameters(p);
    for (; leaf < leaves.size() && leaves[leaf].parameter == p; ++leaf) {
      *ShapeUtil::GetMutableSubshape(&shape, leaves[leaf].index) = leaves[leaf].Of(device)->shape();
    }
    XLA_ASSIGN_OR_RETURN(Literal whole, Literal::Make(shape));
    for (size_t k = first; k < leaf; ++k) {
      XLA_RETURN_IF_ERROR(whole.MoveFrom(leaves[k].Of(device)->Clone(), leaves[k].index));
    }
    result.push_back(std::make_shared<const Literal>(std::move(whole)));
  }
  return result;
}

}  // namespace

OptionSpec RandomOption() {
  return {
      "--random",
      "SEED",
      "fill missing arguments with random data: floats uniform in [-1, 1), integers in [0, 100)",
      {},
      IntegerRange{0, INT64_MAX}};
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
  XLA_RETURN_IF_ERROR(TakeGiven(module, grid, arguments, leaves));
  XLA_RETURN_IF_ERROR(TakeRecorded(program, recorded, leaves));
  XLA_RETURN_IF_ERROR(CheckSizesAreKnown(module));
  XLA_RETURN_IF_ERROR(DrawMissing(module, grid, arguments, leaves));
  std::vector<DeviceArguments> result;
  for (int64_t device = 0; device < grid.count(); ++device) {
    XLA_ASSIGN_OR_RETURN(DeviceArguments of_device, Assemble(program, leaves, device));
    result.push_back(std::move(of_device));
  }
  return result;
}

}  // namespace xla
