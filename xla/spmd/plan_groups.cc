// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_groups.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/passes/collective_group.h"

namespace xla::spmd {
namespace {

using IdGroups = std::vector<std::vector<int64_t>>;

void AppendDigit(DeviceDigit digit, std::vector<DeviceDigit>& digits) {
  if (digit.size == 1) return;
  if (!digits.empty() && digits.back().stride * digits.back().size == digit.stride) {
    digits.back().size *= digit.size;
  } else {
    digits.push_back(digit);
  }
}

int64_t SizeOfDigits(absl::Span<const DeviceDigit> digits) {
  int64_t size = 1;
  for (const DeviceDigit& digit : digits) size *= digit.size;
  return size;
}

// The minor `group_size` positions of an iota as digits; nullopt if they cut a dimension unevenly.
std::optional<std::vector<DeviceDigit>> DigitsOfIota(absl::Span<const int64_t> reshape_dims,
                                                     absl::Span<const int> transpose_perm,
                                                     int64_t group_size) {
  std::vector<int64_t> strides(reshape_dims.size(), 1);
  for (size_t d = reshape_dims.size(); d-- > 1;) strides[d - 1] = strides[d] * reshape_dims[d];
  std::vector<DeviceDigit> digits;
  int64_t rest = group_size;
  for (size_t i = reshape_dims.size(); i-- > 0 && rest > 1;) {
    const size_t d = transpose_perm.empty() ? i : static_cast<size_t>(transpose_perm[i]);
    const int64_t taken = std::min(rest, reshape_dims[d]);
    if (reshape_dims[d] % taken != 0 || rest % taken != 0) return std::nullopt;
    AppendDigit({strides[d], taken}, digits);
    rest /= taken;
  }
  return digits;
}

// Digits of ids that are base + k1 * stride1 + ...: those of the first group, if all groups have
// them.
std::optional<std::vector<DeviceDigit>> DigitsOfLists(const IdGroups& groups) {
  const std::vector<int64_t>& first = groups[0];
  std::vector<DeviceDigit> digits;
  size_t known = 1;
  while (known < first.size()) {
    const int64_t stride = first[known] - first[0];
    int64_t size = 1;
    while (static_cast<size_t>(size) * known < first.size() &&
           first[static_cast<size_t>(size) * known] - first[0] == stride * size) {
      ++size;
    }
    if (stride <= 0 || first.size() % (known * static_cast<size_t>(size)) != 0) return std::nullopt;
    AppendDigit({stride, size}, digits);
    known *= static_cast<size_t>(size);
  }
  for (const std::vector<int64_t>& group : groups) {
    if (group.size() != first.size()) return std::nullopt;
    for (size_t i = 0; i < group.size(); ++i) {
      int64_t rank = static_cast<int64_t>(i), offset = 0;
      for (const DeviceDigit& digit : digits) {
        offset += rank % digit.size * digit.stride;
        rank /= digit.size;
      }
      if (group[i] - group[0] != offset) return std::nullopt;
    }
  }
  return digits;
}

// What ids of a collective are, and how they become devices: id * stride, for every multiple of it
// below `extra` minor digits.
struct IdMeaning {
  int64_t ids = 1;         // there are so many
  int64_t stride = 1;      // between devices of consecutive ids
  int64_t partitions = 1;  // devices that each id stands for in a group
};

IdMeaning MeaningOfIds(const HloInstruction& collective, const DeviceCounts& counts) {
  if (!ChannelOf(collective).has_value()) return {counts.replicas, counts.partitions, 1};
  return collective.attributes().visit([&](const auto& attributes) -> IdMeaning {
    if constexpr (requires { attributes.use_global_device_ids; }) {
      if (attributes.use_global_device_ids) return {counts.devices(), 1, 1};
      return {counts.replicas, counts.partitions, counts.partitions};
    } else {
      return {counts.partitions, 1, 1};
    }
  });
}

absl::Status CheckIdRange(const HloInstruction& collective, int64_t id, int64_t ids) {
  if (id >= 0 && id < ids) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(collective.name(), ": its groups have device ", id, ", but there are ", ids));
}

const CollectiveDeviceList* DeviceListOf(const HloInstruction& collective) {
  return collective.attributes().visit([](const auto& attributes) -> const CollectiveDeviceList* {
    if constexpr (requires { attributes.replica_groups; }) {
      return &attributes.replica_groups;
    } else {
      return nullptr;
    }
  });
}

// Distinct units of a level that ids are in.
int64_t UnitsOf(absl::Span<const int64_t> ids, int64_t devices_in_unit) {
  absl::flat_hash_set<int64_t> units;
  for (const int64_t id : ids) units.insert(id / devices_in_unit);
  return static_cast<int64_t>(units.size());
}

// Raises spans[l] to the units of level l that the group is in.
void RaiseSpans(absl::Span<const int64_t> group, const MachineDescription& machine,
                std::vector<int64_t>& spans) {
  for (size_t l = 0; l < spans.size(); ++l)
    spans[l] = std::max(spans[l], UnitsOf(group, machine.DevicesInUnit(l)));
}

std::vector<int64_t> MembersOfSpans(int64_t size, const std::vector<int64_t>& spans) {
  std::vector<int64_t> members;
  int64_t below = size;
  for (size_t l = 0; l < spans.size(); ++l) {
    // What is left over meets on the outermost level.
    const int64_t above = l + 1 == spans.size() ? 1 : spans[l];
    members.push_back((below + above - 1) / above);
    below = above;
  }
  return members;
}

// Calls `visit` for each group of the digits.
template <typename Visit>
void EachGroup(absl::Span<const DeviceDigit> digits, int64_t devices, const Visit& visit) {
  std::vector<int64_t> group;
  const int64_t size = SizeOfDigits(digits);
  for (int64_t id = 0; id < devices; ++id) {
    bool is_first = true;
    for (const DeviceDigit& digit : digits) is_first &= id / digit.stride % digit.size == 0;
    if (!is_first) continue;
    group.clear();
    for (int64_t rank = 0; rank < size; ++rank) {
      int64_t rest = rank, device = id;
      for (const DeviceDigit& digit : digits) {
        device += rest % digit.size * digit.stride;
        rest /= digit.size;
      }
      group.push_back(device);
    }
    visit(group);
  }
}

// The part of an axis between two strides: "d", or "d:(2)4".
std::string AxisPartText(const PlanAxis& axis, int64_t axis_stride, int64_t low, int64_t high) {
  const int64_t end = axis_stride * axis.size;
  if (low == axis_stride && high == end) return axis.name;
  return absl::StrCat(axis.name, ":(", end / high, ")", high / low);
}

}  // namespace

absl::StatusOr<PlanMesh> ParsePlanMesh(std::string_view text) {
  PlanMesh mesh;
  int64_t devices = 1;
  const auto error = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("mesh '", View(text), "': ", View(what), "; expected axes as in d=64,m=64"));
  };
  for (const absl::string_view part : absl::StrSplit(View(text), ',')) {
    const std::vector<std::string> sides = absl::StrSplit(part, '=');
    PlanAxis axis;
    if (sides.size() != 2 || sides[0].empty()) return error("an axis has a name and a size");
    axis.name = sides[0];
    for (const char c : axis.name) {
      if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
        return error("names have letters, digits, '_' and '-'");
    }
    if (!absl::SimpleAtoi(sides[1], &axis.size) || axis.size < 1)
      return error(absl::StrCat("'", sides[1], "' is not a size"));
    if (axis.size > kMaxDevices / devices)
      return error(absl::StrCat("more than ", kMaxDevices, " devices"));
    for (const PlanAxis& other : mesh) {
      if (other.name == axis.name) return error(absl::StrCat("axis ", axis.name, " is duplicated"));
    }
    devices *= axis.size;
    mesh.push_back(std::move(axis));
  }
  return mesh;
}

int64_t DevicesOf(const PlanMesh& mesh) {
  int64_t devices = 1;
  for (const PlanAxis& axis : mesh) devices *= axis.size;
  return devices;
}

absl::StatusOr<DeviceGroups> FindDeviceGroups(const HloInstruction& collective,
                                              const DeviceCounts& counts) {
  const CollectiveDeviceList* const list = DeviceListOf(collective);
  if (list == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        collective.name(), ": ", HloOpcodeString(collective.opcode()), " has no replica groups"));
  }
  const IdMeaning meaning = MeaningOfIds(collective, counts);
  std::optional<std::vector<DeviceDigit>> digits;
  IdGroups groups;
  using Form = CollectiveDeviceList::Form;
  if (list->form == Form::kExplicit && list->groups.empty()) {
    digits.emplace();
    AppendDigit({1, meaning.ids}, *digits);
  } else if (list->form == Form::kIota) {
    int64_t ids = 1;
    for (const int64_t size : list->reshape_dims) {
      if (size < 1 || size > kMaxDevices / ids) ids = kMaxDevices + 1;
      if (ids <= kMaxDevices) ids *= size;
    }
    XLA_RETURN_IF_ERROR(CheckIdRange(collective, ids - 1, meaning.ids));
    digits = DigitsOfIota(list->reshape_dims, list->transpose_perm, list->group_size);
  } else if (list->form == Form::kMesh && list->mesh->HasIotaDevices()) {
    XLA_RETURN_IF_ERROR(CheckIdRange(collective, list->mesh->num_devices() - 1, meaning.ids));
    XLA_RETURN_IF_ERROR(
        ValidateSpanOfAxes(list->mesh_axes, *list->mesh, /*allow_mergeable_neighbors=*/true));
    const TileAssignment devices = AxesGroups(*list->mesh, list->mesh_axes);
    digits = DigitsOfIota(devices.iota()->reshape_dims(), devices.iota()->transpose_perm(),
                          devices.dim(1));
  }
  if (!digits.has_value()) {
    XLA_ASSIGN_OR_RETURN(groups, list->Flatten());
    for (const std::vector<int64_t>& group : groups) {
      for (const int64_t id : group) XLA_RETURN_IF_ERROR(CheckIdRange(collective, id, meaning.ids));
    }
    if (!groups.empty()) digits = DigitsOfLists(groups);
  }
  DeviceGroups found;
  if (digits.has_value()) {
    AppendDigit({1, meaning.partitions}, found.digits);
    for (const DeviceDigit& digit : *digits)
      AppendDigit({digit.stride * meaning.stride, digit.size}, found.digits);
    found.size = SizeOfDigits(found.digits);
    return found;
  }
  found.is_regular = false;
  for (std::vector<int64_t>& group : groups) {
    std::vector<int64_t> members;
    for (const int64_t id : group) {
      for (int64_t p = 0; p < meaning.partitions; ++p) members.push_back(id * meaning.stride + p);
    }
    found.size = std::max(found.size, static_cast<int64_t>(members.size()));
    found.groups.push_back(std::move(members));
  }
  return found;
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> FindDevicePairs(
    const HloInstruction& permute, const DeviceCounts& counts) {
  const auto& pairs = permute.attributes<CollectivePermuteAttributes>().source_target_pairs;
  const IdMeaning meaning = MeaningOfIds(permute, counts);
  std::vector<std::pair<int64_t, int64_t>> devices;
  devices.reserve(pairs.size());
  for (const auto& [source, target] : pairs) {
    XLA_RETURN_IF_ERROR(CheckIdRange(permute, source, meaning.ids));
    XLA_RETURN_IF_ERROR(CheckIdRange(permute, target, meaning.ids));
    devices.emplace_back(source * meaning.stride, target * meaning.stride);
  }
  return devices;
}

std::string AxesText(const DeviceGroups& groups, const PlanMesh& mesh) {
  if (groups.size <= 1) return "-";
  if (!groups.is_regular) return "?";
  // Major axes first, as in the mesh.
  std::vector<std::string> names;
  int64_t covered = 1, stride = 1;
  for (size_t a = mesh.size(); a-- > 0; stride *= mesh[a].size) {
    const int64_t end = stride * mesh[a].size;
    std::vector<std::pair<int64_t, int64_t>> parts;
    for (const DeviceDigit& digit : groups.digits) {
      const int64_t low = std::max(digit.stride, stride),
                    high = std::min(digit.stride * digit.size, end);
      if (low >= high) continue;
      if (low % stride != 0 || end % high != 0 || high % low != 0) return "?";
      parts.emplace_back(low, high);
      covered *= high / low;
    }
    std::sort(parts.begin(), parts.end());
    // Digits in another order than that of the axis may still be neighbors.
    for (size_t i = 1; i < parts.size();) {
      if (parts[i - 1].second == parts[i].first) {
        parts[i - 1].second = parts[i].second;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    for (const auto& [low, high] : parts) names.push_back(AxisPartText(mesh[a], stride, low, high));
  }
  if (covered != groups.size) return "?";
  std::reverse(names.begin(), names.end());
  return absl::StrJoin(names, ",");
}

std::string AxesText(absl::Span<const std::pair<int64_t, int64_t>> pairs, const PlanMesh& mesh) {
  std::vector<bool> differs(mesh.size(), false);
  for (const auto& [source, target] : pairs) {
    int64_t from = source, to = target;
    for (size_t a = mesh.size(); a-- > 0;) {
      if (from % mesh[a].size != to % mesh[a].size) differs[a] = true;
      from /= mesh[a].size;
      to /= mesh[a].size;
    }
  }
  std::vector<std::string> names;
  for (size_t a = 0; a < mesh.size(); ++a) {
    if (differs[a]) names.push_back(mesh[a].name);
  }
  return names.empty() ? "-" : absl::StrJoin(names, ",");
}

std::vector<int64_t> MembersByLevel(const DeviceGroups& groups, const MachineDescription& machine,
                                    int64_t devices) {
  const size_t levels = machine.levels.size();
  std::vector<int64_t> spans(levels, 1);
  if (!groups.is_regular) {
    for (const std::vector<int64_t>& group : groups.groups) RaiseSpans(group, machine, spans);
    return MembersOfSpans(groups.size, spans);
  }
  std::vector<int64_t> members(levels, 1);
  bool is_even = true;
  for (const DeviceDigit& digit : groups.digits) {
    int64_t begin = 1;
    for (size_t l = 0; l < levels; ++l) {
      const int64_t end = l + 1 == levels ? kMaxDevices * 2 : machine.DevicesInUnit(l);
      const int64_t low = std::max(begin, digit.stride),
                    high = std::min(end, digit.stride * digit.size);
      if (low < high) {
        is_even &= low % digit.stride == 0 && high % low == 0;
        members[l] *= high / low;
      }
      // Steps of a digit keep to units, or pass over whole ones.
      if (l + 1 < levels && end < devices) {
        if (digit.stride >= end) {
          is_even &= digit.stride % end == 0;
        } else {
          is_even &= end % digit.stride == 0 && (end % (digit.stride * digit.size) == 0 ||
                                                 digit.stride * digit.size % end == 0);
        }
      }
      begin = std::min(end, kMaxDevices * 2);
    }
  }
  if (is_even) return members;
  EachGroup(groups.digits, devices,
            [&](const std::vector<int64_t>& group) { RaiseSpans(group, machine, spans); });
  return MembersOfSpans(groups.size, spans);
}

size_t LevelBetween(const MachineDescription& machine, int64_t from, int64_t to) {
  for (size_t l = 0; l + 1 < machine.levels.size(); ++l) {
    const int64_t devices = machine.DevicesInUnit(l);
    if (from / devices == to / devices) return l;
  }
  return machine.levels.size() - 1;
}

}  // namespace xla::spmd
