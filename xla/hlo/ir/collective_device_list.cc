// SPDX-License-Identifier: Apache-2.0
// Replica groups: written out, as text and as protos.
#include "xla/hlo/ir/collective_device_list.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

constexpr int64_t kMaxDevices = int64_t{1} << 24;

// The product of sizes >= 1 if it is at most kMaxDevices.
template <typename Sizes>
absl::StatusOr<int64_t> DeviceCount(const Sizes& sizes, std::string_view what) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size < 1) return InvalidArgument("%s: size %d is not positive", std::string(what), size);
    if (size > kMaxDevices / count) {
      return InvalidArgument("%s: more than %d devices", std::string(what), kMaxDevices);
    }
    count *= size;
  }
  return count;
}

bool IsPermutation(const std::vector<int>& perm, size_t size) {
  if (perm.size() != size) return false;
  std::vector<bool> seen(size);
  for (int i : perm) {
    if (i < 0 || static_cast<size_t>(i) >= size || seen[i]) return false;
    seen[i] = true;
  }
  return true;
}

// values, an array of `dims`, with its dimensions in the order `perm` (both row-major).
std::vector<int64_t> Transpose(const std::vector<int64_t>& values, const std::vector<int64_t>& dims,
                               const std::vector<int>& perm) {
  const size_t rank = dims.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];

  std::vector<int64_t> result;
  result.reserve(values.size());
  std::vector<int64_t> index(rank, 0);
  int64_t position = 0;
  while (result.size() < values.size()) {
    result.push_back(values[position]);
    for (size_t i = rank; i-- > 0;) {
      const int from = perm[i];
      position += strides[from];
      if (++index[i] < dims[from]) break;
      position -= strides[from] * dims[from];
      index[i] = 0;
    }
  }
  return result;
}

std::string IotaToString(const std::vector<int64_t>& reshape_dims,
                         const std::vector<int>& transpose_perm) {
  std::string text = absl::StrCat("[", absl::StrJoin(reshape_dims, ","), "]");
  if (!transpose_perm.empty())
    absl::StrAppend(&text, "T(", absl::StrJoin(transpose_perm, ","), ")");
  return text;
}

// The number of ids, if they can be written out.
absl::StatusOr<int64_t> CheckIota(const std::vector<int64_t>& reshape_dims,
                                  const std::vector<int>& transpose_perm) {
  if (!transpose_perm.empty() && !IsPermutation(transpose_perm, reshape_dims.size())) {
    return InvalidArgument("%s: T(..) is not a permutation",
                           IotaToString(reshape_dims, transpose_perm));
  }
  return DeviceCount(reshape_dims, IotaToString(reshape_dims, transpose_perm));
}

// The number of devices, if the device ids fit the axes.
absl::StatusOr<int64_t> CheckMesh(const Mesh& mesh) {
  XLA_ASSIGN_OR_RETURN(const int64_t count, mesh.NumDevices());
  int64_t num_ids = count;
  if (!mesh.iota_reshape_dims.empty()) {
    XLA_ASSIGN_OR_RETURN(num_ids, CheckIota(mesh.iota_reshape_dims, mesh.iota_transpose_perm));
  } else if (!mesh.device_ids.empty()) {
    num_ids = static_cast<int64_t>(mesh.device_ids.size());
  }
  if (num_ids != count) {
    return InvalidArgument("%s: %d device ids for %d devices", mesh.ToString(), num_ids, count);
  }
  return count;
}

// The devices of a mesh, row-major in its axes.
absl::StatusOr<std::vector<int64_t>> MeshDevices(const Mesh& mesh) {
  if (mesh.maximal_device.has_value()) return std::vector<int64_t>{*mesh.maximal_device};
  XLA_ASSIGN_OR_RETURN(const int64_t count, CheckMesh(mesh));
  if (!mesh.iota_reshape_dims.empty())
    return FlattenIota(mesh.iota_reshape_dims, mesh.iota_transpose_perm);
  if (!mesh.device_ids.empty()) return mesh.device_ids;
  return FlattenIota({count}, {});
}

absl::StatusOr<int> FindAxis(const Mesh& mesh, const std::string& name) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return static_cast<int>(i);
  }
  return InvalidArgument("axis '%s' is not in %s", name, mesh.ToString());
}

// Groups of the devices that differ only along `refs`. Each axis is cut where a sub-axis begins or
// ends: the sub-axis 'y':(2)4 of an axis of 16 is the middle one of the parts 2, 4, 2. The parts
// named go last, in the order of `refs`.
absl::StatusOr<std::vector<std::vector<int64_t>>> MeshGroups(const Mesh& mesh,
                                                             const std::vector<AxisRef>& refs) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> devices, MeshDevices(mesh));
  const size_t num_axes = mesh.axes.size();

  // cuts[a]: products of the sizes of the parts more major than the cut, from 1 to the size of the
  // axis.
  std::vector<std::vector<int64_t>> cuts(num_axes);
  for (size_t a = 0; a < num_axes; ++a) cuts[a] = {1, mesh.axes[a].size};
  std::vector<int> axis_of(refs.size());
  for (size_t r = 0; r < refs.size(); ++r) {
    const AxisRef& ref = refs[r];
    XLA_ASSIGN_OR_RETURN(axis_of[r], FindAxis(mesh, ref.name));
    const int64_t axis_size = mesh.axes[axis_of[r]].size;
    if (!ref.size.has_value()) continue;
    const int64_t pre = ref.pre_size.value_or(1);
    if (pre < 1 || *ref.size < 1 || pre > axis_size || *ref.size > axis_size / pre ||
        axis_size % (pre * *ref.size) != 0) {
      return InvalidArgument("sub-axis %s does not divide the axis of size %d in %s",
                             ref.ToString(), axis_size, mesh.ToString());
    }
    cuts[axis_of[r]].push_back(pre);
    cuts[axis_of[r]].push_back(pre * *ref.size);
  }

  std::vector<int64_t> part_sizes;
  std::vector<int> first_part(num_axes);
  for (size_t a = 0; a < num_axes; ++a) {
    std::vector<int64_t>& cut = cuts[a];
    std::sort(cut.begin(), cut.end());
    cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
    first_part[a] = static_cast<int>(part_sizes.size());
    for (size_t i = 1; i < cut.size(); ++i) {
      if (cut[i] % cut[i - 1] != 0) {
        return InvalidArgument("sub-axes of '%s' in %s cannot stand together", mesh.axes[a].name,
                               mesh.ToString());
      }
      part_sizes.push_back(cut[i] / cut[i - 1]);
    }
  }

  std::vector<bool> is_grouped(part_sizes.size());
  std::vector<int> grouped;
  for (size_t r = 0; r < refs.size(); ++r) {
    const std::vector<int64_t>& cut = cuts[axis_of[r]];
    const int64_t begin = refs[r].size.has_value() ? refs[r].pre_size.value_or(1) : 1;
    const int64_t end =
        refs[r].size.has_value() ? begin * *refs[r].size : mesh.axes[axis_of[r]].size;
    for (size_t i = 1; i < cut.size(); ++i) {
      if (cut[i - 1] < begin || cut[i] > end) continue;
      const int part = first_part[axis_of[r]] + static_cast<int>(i) - 1;
      if (is_grouped[part])
        return InvalidArgument("axis %s stands twice or overlaps", refs[r].ToString());
      is_grouped[part] = true;
      grouped.push_back(part);
    }
  }

  std::vector<int> perm;
  for (size_t i = 0; i < part_sizes.size(); ++i) {
    if (!is_grouped[i]) perm.push_back(static_cast<int>(i));
  }
  int64_t group_size = 1;
  for (int part : grouped) {
    perm.push_back(part);
    group_size *= part_sizes[part];
  }
  const std::vector<int64_t> ordered = Transpose(devices, part_sizes, perm);
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < ordered.size(); i += group_size) {
    groups.emplace_back(ordered.begin() + i, ordered.begin() + i + group_size);
  }
  return groups;
}

}  // namespace

void CanonicalizeIota(std::vector<int64_t>* reshape_dims, std::vector<int>* transpose_perm) {
  std::vector<int> perm = *transpose_perm;
  if (perm.empty()) {
    for (size_t i = 0; i < reshape_dims->size(); ++i) perm.push_back(static_cast<int>(i));
  }
  // Runs of dimensions that stay neighbors in the same order, in the order of the result.
  struct Run {
    int first;
    int64_t size;
  };
  std::vector<Run> runs;
  int last = -1;
  // A dimension of size 1 between two others does not part them.
  auto follows = [&](int dim) {
    for (int i = last + 1; i < dim; ++i) {
      if ((*reshape_dims)[i] != 1) return false;
    }
    return last >= 0 && dim > last;
  };
  for (int dim : perm) {
    const int64_t size = (*reshape_dims)[dim];
    if (size == 1) continue;
    if (!runs.empty() && follows(dim)) {
      runs.back().size *= size;
    } else {
      runs.push_back({dim, size});
    }
    last = dim;
  }
  if (runs.empty()) runs.push_back({0, 1});

  std::vector<int> order(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) order[i] = static_cast<int>(i);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return runs[a].first < runs[b].first; });
  reshape_dims->clear();
  transpose_perm->assign(runs.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    reshape_dims->push_back(runs[order[i]].size);
    (*transpose_perm)[order[i]] = static_cast<int>(i);
  }
  if (runs.size() == 1) transpose_perm->clear();
}

absl::StatusOr<std::vector<int64_t>> FlattenIota(const std::vector<int64_t>& reshape_dims,
                                                 const std::vector<int>& transpose_perm) {
  XLA_ASSIGN_OR_RETURN(const int64_t count, CheckIota(reshape_dims, transpose_perm));
  std::vector<int64_t> ids(count);
  for (int64_t i = 0; i < count; ++i) ids[i] = i;
  return transpose_perm.empty() ? ids : Transpose(ids, reshape_dims, transpose_perm);
}

std::string Mesh::ToString() const {
  if (maximal_device.has_value())
    return absl::StrCat("maximal_mesh[device_id=", *maximal_device, "]");
  std::string text = "mesh[";
  for (size_t i = 0; i < axes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "'" : ",'", axes[i].name, "'=", axes[i].size);
  }
  text += "]";
  if (!iota_reshape_dims.empty()) {
    absl::StrAppend(&text, ", device_ids=(", IotaToString(iota_reshape_dims, iota_transpose_perm),
                    ")");
  } else if (!device_ids.empty()) {
    absl::StrAppend(&text, ", device_ids=(", absl::StrJoin(device_ids, ","), ")");
  }
  return text;
}

MeshProto Mesh::ToProto() const {
  MeshProto proto;
  if (maximal_device.has_value()) {
    proto.add_device_ids(*maximal_device);
    return proto;
  }
  for (const Axis& axis : axes) {
    MeshProto::MeshAxis* axis_proto = proto.add_axes();
    axis_proto->set_name(axis.name);
    axis_proto->set_size(axis.size);
  }
  if (!iota_reshape_dims.empty()) {
    for (int64_t dim : iota_reshape_dims) proto.mutable_iota_transform()->add_reshape_dims(dim);
    for (int dim : iota_transpose_perm) proto.mutable_iota_transform()->add_transpose_perm(dim);
  } else {
    for (int64_t id : device_ids) proto.add_device_ids(id);
  }
  return proto;
}

absl::StatusOr<Mesh> Mesh::FromProto(const MeshProto& proto) {
  Mesh mesh;
  if (proto.axes().empty() && proto.device_ids_size() == 1) {
    mesh.maximal_device = proto.device_ids(0);
    return mesh;
  }
  absl::flat_hash_set<std::string> names;
  for (const MeshProto::MeshAxis& axis : proto.axes()) {
    if (!names.insert(axis.name()).second)
      return InvalidArgument("mesh axis '%s' stands twice", axis.name());
    mesh.axes.push_back({axis.name(), axis.size()});
  }
  mesh.device_ids.assign(proto.device_ids().begin(), proto.device_ids().end());
  if (proto.has_iota_transform()) {
    const auto& dims = proto.iota_transform().reshape_dims();
    mesh.iota_reshape_dims.assign(dims.begin(), dims.end());
    for (int64_t dim : proto.iota_transform().transpose_perm()) {
      if (dim < 0 || dim >= dims.size())
        return InvalidArgument("mesh: transposed dimension %d out of range", dim);
      mesh.iota_transpose_perm.push_back(static_cast<int>(dim));
    }
    mesh.device_ids.clear();
  }
  XLA_RETURN_IF_ERROR(CheckMesh(mesh).status());
  if (!mesh.iota_reshape_dims.empty()) {
    CanonicalizeIota(&mesh.iota_reshape_dims, &mesh.iota_transpose_perm);
    if (mesh.iota_transpose_perm.empty()) mesh.iota_reshape_dims.clear();
  }
  return mesh;
}

absl::StatusOr<int64_t> Mesh::NumDevices() const {
  if (maximal_device.has_value()) return 1;
  std::vector<int64_t> sizes;
  for (const Axis& axis : axes) sizes.push_back(axis.size);
  return DeviceCount(sizes, ToString());
}

std::string AxisRef::ToString() const {
  std::string text = absl::StrCat("'", name, "'");
  if (size.has_value()) absl::StrAppend(&text, ":(", pre_size.value_or(1), ")", *size);
  return text;
}

AxisRefProto AxisRef::ToProto(const Mesh& mesh) const {
  AxisRefProto proto;
  proto.set_mesh_axis_index(FindAxis(mesh, name).value_or(-1));
  if (size.has_value()) {
    proto.mutable_sub_axis_info()->set_pre_size(pre_size.value_or(1));
    proto.mutable_sub_axis_info()->set_size(*size);
  }
  return proto;
}

absl::StatusOr<AxisRef> AxisRef::FromProto(const AxisRefProto& proto, const Mesh& mesh) {
  const int64_t index = proto.mesh_axis_index();
  if (index < 0 || index >= static_cast<int64_t>(mesh.axes.size())) {
    return InvalidArgument("axis index %d is out of range in %s", index, mesh.ToString());
  }
  AxisRef ref{.name = mesh.axes[index].name, .pre_size = {}, .size = {}};
  if (proto.has_sub_axis_info()) {
    ref.pre_size = proto.sub_axis_info().pre_size();
    ref.size = proto.sub_axis_info().size();
    if (*ref.pre_size < 1 || *ref.size < 1) {
      return InvalidArgument("sub-axis %s: sizes must be positive", ref.ToString());
    }
  }
  return ref;
}

CollectiveDeviceList CollectiveDeviceList::Iota(int64_t num_groups, int64_t group_size,
                                                std::vector<int64_t> reshape_dims,
                                                std::vector<int> transpose_perm) {
  CollectiveDeviceList list;
  list.form = Form::kIota;
  list.num_groups = num_groups;
  list.group_size = group_size;
  list.reshape_dims = std::move(reshape_dims);
  list.transpose_perm = std::move(transpose_perm);
  CanonicalizeIota(&list.reshape_dims, &list.transpose_perm);
  return list;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> CollectiveDeviceList::Flatten() const {
  if (form == Form::kExplicit) return groups;
  if (form == Form::kMesh) {
    if (!mesh.has_value()) return InvalidArgument("replica groups over mesh axes have no mesh");
    return MeshGroups(*mesh, mesh_axes);
  }
  XLA_ASSIGN_OR_RETURN(const int64_t count,
                       DeviceCount(std::vector<int64_t>{num_groups, group_size}, ToString()));
  XLA_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, FlattenIota(reshape_dims, transpose_perm));
  if (static_cast<int64_t>(ids.size()) != count) {
    return InvalidArgument("%s: %d ids do not fill %d groups of %d", ToString(), ids.size(),
                           num_groups, group_size);
  }
  std::vector<std::vector<int64_t>> result(num_groups);
  for (int64_t i = 0; i < num_groups; ++i) {
    result[i].assign(ids.begin() + i * group_size, ids.begin() + (i + 1) * group_size);
  }
  return result;
}

std::string CollectiveDeviceList::ToString() const {
  switch (form) {
    case Form::kIota:
      return absl::StrCat("[", num_groups, ",", group_size,
                          "]<=", IotaToString(reshape_dims, transpose_perm));
    case Form::kMesh: {
      std::string text = mesh.has_value() ? mesh->ToString() : "mesh[]";
      text += " {";
      for (size_t i = 0; i < mesh_axes.size(); ++i)
        absl::StrAppend(&text, i == 0 ? "" : ",", mesh_axes[i].ToString());
      return text + "}";
    }
    case Form::kExplicit:
      break;
  }
  std::string text = "{";
  for (size_t i = 0; i < groups.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "{" : ",{", absl::StrJoin(groups[i], ","), "}");
  }
  return text + "}";
}

CollectiveDeviceListProto CollectiveDeviceList::ToListProto() const {
  CollectiveDeviceListProto proto;
  for (const std::vector<int64_t>& group : groups) {
    proto.add_replica_groups()->mutable_replica_ids()->Add(group.begin(), group.end());
  }
  return proto;
}

IotaReplicaGroupListProto CollectiveDeviceList::ToIotaProto() const {
  IotaReplicaGroupListProto proto;
  proto.set_num_replica_groups(num_groups);
  proto.set_num_devices_per_group(group_size);
  proto.mutable_iota_reshape_dims()->Add(reshape_dims.begin(), reshape_dims.end());
  proto.mutable_iota_transpose_perm()->Add(transpose_perm.begin(), transpose_perm.end());
  // The wire always has a permutation.
  if (transpose_perm.empty()) proto.add_iota_transpose_perm(0);
  return proto;
}

MeshAxesReplicaGroupListProto CollectiveDeviceList::ToMeshProto() const {
  MeshAxesReplicaGroupListProto proto;
  if (!mesh.has_value()) return proto;
  *proto.mutable_mesh() = mesh->ToProto();
  for (const AxisRef& axis : mesh_axes) *proto.add_axes() = axis.ToProto(*mesh);
  return proto;
}

absl::StatusOr<CollectiveDeviceList> CollectiveDeviceList::FromProto(
    const CollectiveDeviceListProto& proto) {
  if (proto.has_iota_replica_group_list()) return FromProto(proto.iota_replica_group_list());
  CollectiveDeviceList list;
  for (const ReplicaGroup& group : proto.replica_groups()) {
    list.groups.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  }
  return list;
}

absl::StatusOr<CollectiveDeviceList> CollectiveDeviceList::FromProto(
    const IotaReplicaGroupListProto& proto) {
  CollectiveDeviceList list;
  list.form = Form::kIota;
  list.num_groups = proto.num_replica_groups();
  list.group_size = proto.num_devices_per_group();
  list.reshape_dims.assign(proto.iota_reshape_dims().begin(), proto.iota_reshape_dims().end());
  list.transpose_perm.assign(proto.iota_transpose_perm().begin(),
                             proto.iota_transpose_perm().end());
  XLA_RETURN_IF_ERROR(CheckIota(list.reshape_dims, list.transpose_perm).status());
  CanonicalizeIota(&list.reshape_dims, &list.transpose_perm);
  return list;
}

absl::StatusOr<CollectiveDeviceList> CollectiveDeviceList::FromProto(
    const MeshAxesReplicaGroupListProto& proto) {
  CollectiveDeviceList list;
  list.form = Form::kMesh;
  XLA_ASSIGN_OR_RETURN(list.mesh, Mesh::FromProto(proto.mesh()));
  for (const AxisRefProto& axis : proto.axes()) {
    XLA_ASSIGN_OR_RETURN(AxisRef ref, AxisRef::FromProto(axis, *list.mesh));
    list.mesh_axes.push_back(std::move(ref));
  }
  return list;
}

}  // namespace xla
