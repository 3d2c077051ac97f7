// SPDX-License-Identifier: Apache-2.0
#include "tools/host_data.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/device_grid.h"
#include "tools/given_arrays.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Kinds of values that a program reads, each once.
using Shapes = std::vector<Shape>;

void AddShape(const Shape& shape, Shapes& shapes) {
  const bool is_known = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& known) {
    return ShapeUtil::Compatible(known, shape);
  });
  if (!is_known) shapes.push_back(shape);
}

std::string ToString(const Shapes& shapes) {
  return absl::StrJoin(shapes, ", ", [](std::string* out, const Shape& shape) {
    absl::StrAppend(out, shape.ToString());
  });
}

void ForEachInstruction(const HloModule& module, HloOpcode opcode,
                        absl::FunctionRef<void(const HloInstruction&)> use) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) use(*instruction);
    }
  }
}

// How many arrays at `first` are one value; several are a tuple.
size_t CountLeaves(const std::vector<DeviceArray>& arrays, size_t first, bool* is_tuple) {
  const std::string& name = arrays[first].name;
  const size_t dot = name.rfind('.');
  *is_tuple = dot != std::string::npos && name.substr(dot) == ".0";
  const std::string stem = name.substr(0, dot);
  size_t count = 1;
  while (*is_tuple && first + count < arrays.size() &&
         arrays[first + count].device == arrays[first].device &&
         arrays[first + count].name == absl::StrCat(stem, ".", count)) {
    ++count;
  }
  return count;
}

// The arrays as a value of a shape with as many leaves.
absl::StatusOr<Literal> ValueOf(absl::Span<const DeviceArray> arrays, const Shape& shape) {
  const auto leaves = ShapeUtil::GetLeafShapes(shape);
  std::vector<Literal> parts;
  Shape dense = shape;  // without tiles, which literals do not have
  for (size_t k = 0; k < leaves.size(); ++k) {
    XLA_ASSIGN_OR_RETURN(Literal leaf, arrays[k].file->ReadAs(arrays[k].index, leaves[k].shape));
    *ShapeUtil::GetMutableSubshape(&dense, leaves[k].index) = leaf.shape();
    parts.push_back(std::move(leaf));
  }
  XLA_ASSIGN_OR_RETURN(Literal value, Literal::Make(dense));
  for (size_t k = 0; k < leaves.size(); ++k) {
    XLA_RETURN_IF_ERROR(value.MoveFrom(std::move(parts[k]), leaves[k].index));
  }
  return value;
}

// Gives each value of a file, as the first of `shapes` that it fits, to its devices. `reader` is
// what reads them, for errors.
absl::Status GiveFile(const std::string& path, const DeviceGrid& grid, const Shapes& shapes,
                      const std::string& reader,
                      absl::FunctionRef<absl::Status(const Literal&, int64_t device)> give) {
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArray> arrays, ReadDeviceArrays(path, grid));
  size_t count;
  for (size_t i = 0; i < arrays.size(); i += count) {
    bool is_tuple;
    count = CountLeaves(arrays, i, &is_tuple);
    std::optional<Literal> value;
    std::vector<std::string> reasons;
    for (const Shape& shape : shapes) {
      if (shape.IsTuple() != is_tuple || ShapeUtil::GetLeafShapes(shape).size() != count) continue;
      auto fitting = ValueOf(absl::MakeSpan(arrays).subspan(i, count), shape);
      if (fitting.ok()) {
        value = *std::move(fitting);
        break;
      }
      reasons.emplace_back(fitting.status().message());
    }
    if (!value.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          arrays[i].where, ": the program has no ", reader, " for this",
          count > 1 ? absl::StrCat(" tuple of ", count) : "", "; it reads ",
          shapes.empty() ? "none" : ToString(shapes),
          reasons.empty() ? "" : absl::StrCat(" (", absl::StrJoin(reasons, "; "), ")")));
    }
    for (int64_t device = 0; device < grid.count(); ++device) {
      if (arrays[i].device >= 0 && arrays[i].device != device) continue;
      XLA_RETURN_IF_ERROR(give(*value, device));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status GiveInfeed(const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
                        runtime::Feeds& feeds) {
  Shapes shapes;
  ForEachInstruction(module, HloOpcode::kInfeed, [&](const HloInstruction& infeed) {
    AddShape(infeed.shape().tuple_shapes(0), shapes);
  });
  for (const std::string& path : arguments.All("--infeed")) {
    XLA_RETURN_IF_ERROR(
        GiveFile(path, grid, shapes, "infeed", [&](const Literal& value, int64_t device) {
          return feeds.TransferToInfeed(value, device);
        }));
  }
  feeds.CloseInfeeds();
  return absl::OkStatus();
}

absl::Status GiveHostRecv(const HloModule& module, const DeviceGrid& grid,
                          const Arguments& arguments, runtime::HostChannels& channels) {
  std::map<int64_t, Shapes> received;  // by channel
  ForEachInstruction(module, HloOpcode::kRecv, [&](const HloInstruction& recv) {
    const auto& attributes = recv.attributes<SendRecvAttributes>();
    if (!attributes.is_host_transfer) return;
    AddShape(recv.shape().tuple_shapes(0), received[attributes.channel_id.value_or(0)]);
  });
  for (const std::string& option : arguments.All("--host-recv")) {
    const size_t equals = option.find('=');
    const std::string path = equals == std::string::npos ? "" : option.substr(equals + 1);
    int64_t channel;
    if (path.empty() || !absl::SimpleAtoi(option.substr(0, equals), &channel)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--host-recv takes a channel and a file, as in 5=x.npy, not '", option, "'"));
    }
    const auto shapes = received.find(channel);
    if (shapes == received.end()) {
      const std::string others =
          absl::StrJoin(received, ", ", [](std::string* out, const auto& known) {
            absl::StrAppend(out, "on channel ", known.first, " ", ToString(known.second));
          });
      return absl::InvalidArgumentError(absl::StrCat(
          "--host-recv ", option, ": the program receives nothing from the host on channel ",
          channel, "; it receives ", others.empty() ? "nothing from the host" : others));
    }
    XLA_RETURN_IF_ERROR(GiveFile(path, grid, shapes->second,
                                 absl::StrCat("recv on channel ", channel),
                                 [&](const Literal& value, int64_t device) {
                                   return channels.ToDevice(value, device, channel);
                                 }));
  }
  channels.Close();
  return absl::OkStatus();
}

}  // namespace xla
