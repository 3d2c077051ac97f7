// SPDX-License-Identifier: Apache-2.0
// The devices that take part in a collective: replica groups in one of the three forms HLO text
// has.
#ifndef XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_
#define XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/xla_data_enums.h"

namespace xla {

// The device ids 0, 1, 2, ... reshaped to reshape_dims and transposed by transpose_perm (empty: not
// transposed), written [reshape_dims]T(transpose_perm). This brings them into the one form that XLA
// prints: without dimensions of size 1, neighbors that stay together merged, and no permutation
// where nothing moves. [2,2]T(0,1) becomes [4]. Precondition: transpose_perm is empty or a
// permutation.
void CanonicalizeIota(std::vector<int64_t>* reshape_dims, std::vector<int>* transpose_perm);

// The ids written out. Errors: sizes below 1, more than 2^24 ids, a transpose_perm that is no
// permutation.
absl::StatusOr<std::vector<int64_t>> FlattenIota(const std::vector<int64_t>& reshape_dims,
                                                 const std::vector<int>& transpose_perm);

struct CollectiveDeviceList {
  enum class Form : uint8_t { kExplicit, kIota, kMesh };
  Form form = Form::kExplicit;

  // kExplicit: {{0,1},{2,3}}; empty = all devices in one group.
  std::vector<std::vector<int64_t>> groups;

  // kIota: [num_groups,group_size]<=[reshape_dims]T(transpose_perm)
  int64_t num_groups = 0, group_size = 0;
  std::vector<int64_t> reshape_dims;
  std::vector<int> transpose_perm;

  // kMesh: mesh['x'=2,'y'=2] {'x'}: one group for each value of the axes not named.
  std::optional<Mesh> mesh;
  std::vector<AxisRef> mesh_axes;

  bool operator==(const CollectiveDeviceList&) const = default;

  // The form under XLA's names.
  enum class Version : uint8_t { kListOfLists, kIota, kMeshAxes };
  Version version() const { return static_cast<Version>(form); }

  // The iota form, canonicalized. Precondition: transpose_perm is empty or a permutation.
  static CollectiveDeviceList Iota(int64_t num_groups, int64_t group_size,
                                   std::vector<int64_t> reshape_dims,
                                   std::vector<int> transpose_perm = {});

  // The groups written out. Errors: sizes that overflow or exceed 2^24 devices, axes not in the
  // mesh.
  absl::StatusOr<std::vector<std::vector<int64_t>>> Flatten() const;
  // As HLO text prints it (without "replica_groups=").
  std::string ToString() const;

  // The wire form of each; ToListProto is that of kExplicit. Precondition: the form is that one.
  CollectiveDeviceListProto ToListProto() const;
  IotaReplicaGroupListProto ToIotaProto() const;
  MeshAxesReplicaGroupListProto ToMeshProto() const;
  // CollectiveDeviceListProto may hold its former iota form.
  static absl::StatusOr<CollectiveDeviceList> FromProto(const CollectiveDeviceListProto& proto);
  static absl::StatusOr<CollectiveDeviceList> FromProto(const IotaReplicaGroupListProto& proto);
  static absl::StatusOr<CollectiveDeviceList> FromProto(const MeshAxesReplicaGroupListProto& proto);
};

}  // namespace xla

#endif  // XLA_HLO_IR_COLLECTIVE_DEVICE_LIST_H_
