// SPDX-License-Identifier: Apache-2.0
// Groups of devices of collectives.
#include "xla/passes/collective_group.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

GroupMode ModeOf(const HloInstruction& inst) {
  if (!ChannelOf(inst).has_value()) return GroupMode::kReplica;
  return inst.attributes().visit([](const auto& attributes) {
    if constexpr (requires { attributes.use_global_device_ids; }) {
      return attributes.use_global_device_ids ? GroupMode::kFlattened
                                              : GroupMode::kReplicaAndPartition;
    } else {
      return GroupMode::kPartition;
    }
  });
}

const CollectiveDeviceList* GroupsOf(const HloInstruction& inst) {
  return inst.attributes().visit([](const auto& attributes) -> const CollectiveDeviceList* {
    if constexpr (requires { attributes.replica_groups; }) {
      return &attributes.replica_groups;
    } else {
      return nullptr;
    }
  });
}

absl::Status CheckId(int64_t id, int64_t limit, absl::string_view what) {
  if (id >= 0 && id < limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no ", what, " ", id, ": the run has ", limit, " ", what, "s"));
}

// Appends the devices that an id of a group denotes.
absl::Status AppendDevices(GroupMode mode, int64_t id, const DevicePosition& self,
                           std::vector<int64_t>& devices) {
  switch (mode) {
    case GroupMode::kReplica:
      XLA_RETURN_IF_ERROR(CheckId(id, self.replicas, "replica"));
      devices.push_back(id * self.partitions + self.partition);
      break;
    case GroupMode::kPartition:
      XLA_RETURN_IF_ERROR(CheckId(id, self.partitions, "partition"));
      devices.push_back(self.replica * self.partitions + id);
      break;
    case GroupMode::kReplicaAndPartition:
      XLA_RETURN_IF_ERROR(CheckId(id, self.replicas, "replica"));
      for (int64_t p = 0; p < self.partitions; ++p) devices.push_back(id * self.partitions + p);
      break;
    case GroupMode::kFlattened:
      XLA_RETURN_IF_ERROR(CheckId(id, self.replicas * self.partitions, "device"));
      devices.push_back(id);
      break;
  }
  return absl::OkStatus();
}

// Returns the id that a group uses for the device.
int64_t OwnId(GroupMode mode, const DevicePosition& self) {
  switch (mode) {
    case GroupMode::kPartition:
      return self.partition;
    case GroupMode::kFlattened:
      return self.id();
    default:
      return self.replica;
  }
}

absl::Status CheckDifferent(std::vector<int64_t> devices) {
  std::sort(devices.begin(), devices.end());
  const auto twice = std::adjacent_find(devices.begin(), devices.end());
  if (twice == devices.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("device ", *twice, " is duplicated in a group of devices"));
}

void SetRank(const DevicePosition& self, DeviceGroup& group) {
  group.rank =
      std::find(group.devices.begin(), group.devices.end(), self.id()) - group.devices.begin();
}

// Checks that rows [offset, offset + size) lie in an array of `rows` rows.
absl::Status CheckRows(int64_t offset, int64_t size, int64_t rows, absl::string_view what,
                       int64_t from, int64_t to) {
  if (offset >= 0 && size >= 0 && offset <= rows && size <= rows - offset) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device ", from, " sends device ", to, " ", size,
                                                 " rows, ", what, " row ", offset,
                                                 ", but there are ", rows, " rows"));
}

}  // namespace

std::optional<int64_t> ChannelOf(const HloInstruction& inst) {
  const std::optional<int64_t> channel =
      inst.attributes().visit([](const auto& attributes) -> std::optional<int64_t> {
        if constexpr (requires { attributes.channel_id; }) {
          return attributes.channel_id;
        } else {
          return std::nullopt;
        }
      });
  return channel.value_or(0) > 0 ? channel : std::nullopt;
}

absl::Status CheckSameCollective(const HloInstruction& a, const HloInstruction& b) {
  bool alike = a.opcode() == b.opcode() && a.operand_count() == b.operand_count() &&
               ShapeUtil::Compatible(a.shape(), b.shape()) && a.attributes() == b.attributes();
  for (int64_t i = 0; alike && i < a.operand_count(); ++i)
    alike = ShapeUtil::Compatible(a.operand(i)->shape(), b.operand(i)->shape());
  if (alike) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("devices meet on channel ", ChannelOf(a).value_or(0), " with different ",
                   "operations: ", a.ToShortString(), " and ", b.ToShortString()));
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> DevicePairs(
    absl::Span<const std::pair<int64_t, int64_t>> pairs, bool has_channel,
    const DevicePosition& device) {
  const GroupMode mode = has_channel ? GroupMode::kPartition : GroupMode::kReplica;
  std::vector<std::pair<int64_t, int64_t>> result;
  std::vector<int64_t> devices;
  for (const auto& [source, target] : pairs) {
    devices.clear();
    XLA_RETURN_IF_ERROR(AppendDevices(mode, source, device, devices));
    XLA_RETURN_IF_ERROR(AppendDevices(mode, target, device, devices));
    result.emplace_back(devices[0], devices[1]);
  }
  return result;
}

absl::StatusOr<DeviceGroup> FindGroup(const HloInstruction& inst, const DevicePosition& device) {
  DeviceGroup group;
  if (const auto* permute = inst.attributes_if<CollectivePermuteAttributes>()) {
    XLA_ASSIGN_OR_RETURN(group.pairs, DevicePairs(permute->source_target_pairs,
                                                  ChannelOf(inst).has_value(), device));
    for (const auto& [source, target] : group.pairs) {
      group.devices.push_back(source);
      group.devices.push_back(target);
    }
    std::sort(group.devices.begin(), group.devices.end());
    group.devices.erase(std::unique(group.devices.begin(), group.devices.end()),
                        group.devices.end());
    SetRank(device, group);
    if (group.rank == group.size()) group.devices.clear();
    return group;
  }

  const GroupMode mode = ModeOf(inst);
  const CollectiveDeviceList* list = GroupsOf(inst);
  XLA_ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> groups, list->Flatten());
  if (groups.empty()) {
    int64_t count = device.replicas;
    if (mode == GroupMode::kPartition) count = device.partitions;
    if (mode == GroupMode::kFlattened) count = device.replicas * device.partitions;
    std::vector<int64_t> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    groups.push_back(std::move(all));
  }
  const int64_t own = OwnId(mode, device);
  for (const std::vector<int64_t>& ids : groups) {
    if (std::find(ids.begin(), ids.end(), own) == ids.end()) continue;
    if (!group.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("device ", device.id(), " is in two of its groups"));
    }
    for (const int64_t id : ids) {
      XLA_RETURN_IF_ERROR(AppendDevices(mode, id, device, group.devices));
    }
    XLA_RETURN_IF_ERROR(CheckDifferent(group.devices));
    SetRank(device, group);
  }
  return group;
}

absl::StatusOr<int64_t> RaggedUpdateCount(const Shape& input, const Shape& output,
                                          const Shape& offsets, const DeviceGroup& group) {
  bool rows_fit = input.rank() > 0 && output.rank() == input.rank();
  for (int d = 1; rows_fit && d < input.rank(); ++d)
    rows_fit = input.dimensions(d) == output.dimensions(d);
  if (!rows_fit) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", input.ToString(), " and output ", output.ToString(),
                     " must have rows (all dimensions but the first) of the same shape"));
  }
  const int64_t entries = ShapeUtil::ElementsIn(offsets);
  const bool fits = offsets.rank() == 1
                        ? entries % group.size() == 0
                        : offsets.rank() == 2 && offsets.dimensions(0) == group.size();
  if (fits) return entries / group.size();
  return absl::InvalidArgumentError(
      absl::StrCat("offsets and sizes of shape ", offsets.ToString(), " do not fit a group of ",
                   group.size(), " devices: their first dimension is the devices'"));
}

absl::Status CheckRaggedUpdate(const RaggedUpdate& update, int64_t input_rows, int64_t output_rows,
                               int64_t sender, int64_t receiver) {
  XLA_RETURN_IF_ERROR(
      CheckRows(update.source, update.size, input_rows, "from its input's", sender, receiver));
  XLA_RETURN_IF_ERROR(
      CheckRows(update.target, update.size, output_rows, "to the output's", sender, receiver));
  if (update.expected == update.size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device ", sender, " sends device ", receiver, " ",
                                                 update.size, " rows, but the receiver expects ",
                                                 update.expected));
}

std::string OperationShapes(const HloInstruction& inst) {
  std::string shapes(HloOpcodeString(inst.opcode()));
  for (const HloInstruction* operand : inst.operands())
    absl::StrAppend(&shapes, " ", operand->shape().ToString());
  return absl::StrCat(shapes, " -> ", inst.shape().ToString());
}

std::string OperationText(const HloInstruction& inst) {
  // Those of many operands may be long.
  constexpr size_t kMostOfShape = 120;
  std::string shape = inst.shape().ToString();
  if (shape.size() > kMostOfShape) shape = absl::StrCat(shape.substr(0, kMostOfShape), "...");
  const std::string text = absl::StrCat(inst.name(), " of ", shape);
  const auto& metadata = inst.metadata();
  if (metadata.source_file().empty()) return text;
  return absl::StrCat(text, " (", metadata.source_file(), ":", metadata.source_line(), ")");
}

}  // namespace xla
