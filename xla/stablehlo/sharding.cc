// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/sharding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::stablehlo {
namespace {

// The axis, or the part of one, of which the size must fit.
absl::StatusOr<AxisRef> ToAxisRef(const ShardyAxis& axis, const Mesh& mesh) {
  const std::optional<int64_t> index = mesh.FindAxis(axis.name);
  if (!index.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the mesh of a sharding has no axis \"", axis.name, "\""));
  }
  if (axis.size == 0) return AxisRef(*index);
  const int64_t size = mesh.axis_size(*index);
  // Without their product, which may overflow.
  if (size % axis.pre_size != 0 || size / axis.pre_size % axis.size != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the axis \"", axis.name, "\" of size ", size,
                                                   " has no part :(", axis.pre_size, ")",
                                                   axis.size));
  }
  return AxisRef::Part(*index, axis.pre_size, axis.pre_size * axis.size, mesh);
}

absl::StatusOr<std::vector<AxisRef>> ToAxisRefs(absl::Span<const ShardyAxis> axes,
                                                const Mesh& mesh) {
  std::vector<AxisRef> refs;
  for (const ShardyAxis& axis : axes) {
    XLA_ASSIGN_OR_RETURN(const AxisRef ref, ToAxisRef(axis, mesh));
    AppendAxis(ref, mesh, refs);
  }
  return refs;
}

}  // namespace

absl::StatusOr<Mesh> ToMesh(const ShardyMesh& mesh) {
  if (mesh.axes.empty() && mesh.device_ids.size() == 1) return Mesh(mesh.device_ids[0]);
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  for (const auto& [name, size] : mesh.axes) {
    names.push_back(name);
    sizes.push_back(size);
  }
  return Mesh::Create(sizes, std::move(names), mesh.device_ids);
}

absl::StatusOr<NamedSharding> ToNamedSharding(const ShardySharding& sharding,
                                              const ShardyMeshes& meshes,
                                              absl::Span<const std::string> manual) {
  const auto found = meshes.find(sharding.mesh);
  if (!sharding.inlined.has_value() && found == meshes.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no mesh @", sharding.mesh, " for a sharding"));
  }
  XLA_ASSIGN_OR_RETURN(Mesh mesh,
                       ToMesh(sharding.inlined.has_value() ? *sharding.inlined : found->second));
  if (mesh.IsMaximal()) return NamedSharding(std::move(mesh));
  std::vector<NamedSharding::DimensionSharding> dims;
  for (const ShardyDimension& dimension : sharding.dimensions) {
    XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> axes, ToAxisRefs(dimension.axes, mesh));
    dims.emplace_back(std::move(axes), dimension.is_closed, dimension.priority);
  }
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> replicated, ToAxisRefs(sharding.replicated, mesh));
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> unreduced, ToAxisRefs(sharding.unreduced, mesh));
  std::vector<AxisRef> manual_axes;
  if (mesh.num_axes() == 0) manual = {};
  for (const std::string& name : manual) {
    XLA_ASSIGN_OR_RETURN(const AxisRef axis, ToAxisRef({name, 1, 0}, mesh));
    manual_axes.push_back(axis);
  }
  for (std::vector<AxisRef>* axes : {&replicated, &unreduced, &manual_axes}) {
    SortAndMergeAxes(*axes, mesh);
  }
  return NamedSharding::Create(std::move(mesh), std::move(dims), std::move(replicated),
                               std::move(unreduced), std::move(manual_axes), sharding.reduction);
}

absl::StatusOr<HloSharding> ToHloSharding(const ShardySharding& sharding,
                                          const ShardyMeshes& meshes,
                                          absl::Span<const std::string> manual) {
  XLA_ASSIGN_OR_RETURN(const NamedSharding named, ToNamedSharding(sharding, meshes, manual));
  return HloSharding::V3ToV2Sharding(named);
}

ShardySharding WithoutAxes(ShardySharding sharding, absl::Span<const std::string> axes) {
  const auto drop = [&](std::vector<ShardyAxis>& list) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const ShardyAxis& axis) {
                                return std::find(axes.begin(), axes.end(), axis.name) != axes.end();
                              }),
               list.end());
  };
  for (ShardyDimension& dimension : sharding.dimensions) drop(dimension.axes);
  drop(sharding.replicated);
  drop(sharding.unreduced);
  return sharding;
}

}  // namespace xla::stablehlo
