// SPDX-License-Identifier: Apache-2.0
// Replica groups: written out, as text and as protos.
#include "xla/hlo/ir/collective_device_list.h"

#include <algorithm>
#include <utility>

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

// Groups of the devices that differ only along `axes`.
absl::StatusOr<std::vector<std::vector<int64_t>>> MeshGroups(const Mesh& mesh,
                                                             const std::vector<AxisRef>& axes) {
  XLA_RETURN_IF_ERROR(ValidateSpanOfAxes(axes, mesh, /*allow_mergeable_neighbors=*/true));
  const TileAssignment groups = AxesGroups(mesh, axes);
  const Array<int64_t>& devices = groups.array();
  std::vector<std::vector<int64_t>> result;
  for (auto group = devices.begin(); group != devices.end(); group += groups.dim(1)) {
    result.emplace_back(group, group + groups.dim(1));
  }
  return result;
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
        absl::StrAppend(&text, i == 0 ? "" : ",",
                        mesh_axes[i].ToString(mesh.has_value() ? &*mesh : nullptr));
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
  for (const AxisRef& axis : mesh_axes) *proto.add_axes() = axis.ToProto();
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
    XLA_ASSIGN_OR_RETURN(AxisRef ref, AxisRef::FromProto(axis));
    list.mesh_axes.push_back(ref);
  }
  XLA_RETURN_IF_ERROR(
      ValidateSpanOfAxes(list.mesh_axes, *list.mesh, /*allow_mergeable_neighbors=*/true));
  return list;
}

}  // namespace xla
