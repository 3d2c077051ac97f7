// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/sharding.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"

namespace xla::stablehlo {
namespace {

constexpr int64_t kMaxDevices = int64_t{1} << 24;

// The parts of a mesh that a sharding distinguishes, in order of the mesh, and what each is for.
class AxisParts {
 public:
  static absl::StatusOr<AxisParts> Make(const ShardyMesh& mesh, const ShardySharding& sharding,
                                        absl::Span<const std::string> manual) {
    AxisParts parts(mesh, manual);
    for (const ShardyDimension& dimension : sharding.dimensions) {
      XLA_RETURN_IF_ERROR(parts.Cut(dimension.axes));
    }
    XLA_RETURN_IF_ERROR(parts.Cut(sharding.replicated));
    XLA_RETURN_IF_ERROR(parts.Cut(sharding.unreduced));
    parts.Divide();
    return parts;
  }

  // The next positions in the order of devices go to these axes; returns their number of devices.
  absl::StatusOr<int64_t> Use(const std::vector<ShardyAxis>& axes) {
    int64_t product = 1;
    for (const ShardyAxis& axis : axes) {
      XLA_ASSIGN_OR_RETURN(const std::vector<size_t> found, Find(axis));
      for (const size_t i : found) {
        uses_[i] = next_++;
        product *= parts_[i].size;
      }
    }
    return product;
  }
  absl::StatusOr<int64_t> UseManual() { return Use(manual_); }

  // These axes are among the others, which get the last positions.
  absl::Status LeaveReplicated(const std::vector<ShardyAxis>& axes) {
    for (const ShardyAxis& axis : axes) {
      XLA_ASSIGN_OR_RETURN(const std::vector<size_t> found, Find(axis));
      for (const size_t i : found) uses_[i] = kReplicated;
    }
    return absl::OkStatus();
  }

  // Gives the other axes the last positions; returns their number of devices.
  int64_t UseRest() {
    int64_t product = 1;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (uses_[i] >= 0) continue;
      uses_[i] = next_++;
      product *= parts_[i].size;
    }
    return product;
  }

  std::vector<int64_t> Sizes() const {
    std::vector<int64_t> sizes;
    for (const ShardyAxis& part : parts_) sizes.push_back(part.size);
    return sizes;
  }
  std::vector<int> Permutation() const {
    std::vector<int> permutation(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      permutation[static_cast<size_t>(uses_[i])] = static_cast<int>(i);
    }
    return permutation;
  }

 private:
  static constexpr int kUnused = -1, kReplicated = -2;  // in place of a position

  AxisParts(const ShardyMesh& mesh, absl::Span<const std::string> manual) : mesh_(&mesh) {
    for (const auto& [name, size] : mesh.axes) cuts_[name] = {1, size};
    for (const std::string& name : manual) manual_.push_back({name, 1, 0});
  }

  absl::Status Cut(const std::vector<ShardyAxis>& axes) {
    for (const ShardyAxis& axis : axes) {
      XLA_ASSIGN_OR_RETURN(const int64_t size, Size(axis));
      if (axis.size == 0) continue;
      cuts_[axis.name].insert(axis.pre_size);
      cuts_[axis.name].insert(axis.pre_size * size);
    }
    return absl::OkStatus();
  }

  void Divide() {
    for (const auto& [name, size] : mesh_->axes) {
      const std::set<int64_t>& places = cuts_[name];
      if (places.size() == 1) {
        parts_.push_back({name, 1, 1});
        continue;
      }
      for (auto at = places.begin(); std::next(at) != places.end(); ++at) {
        parts_.push_back({name, *at, *std::next(at) / *at});
      }
    }
    uses_.assign(parts_.size(), kUnused);
  }

  // The parts that an axis, or a part of one, is made of. None of them may have a use.
  absl::StatusOr<std::vector<size_t>> Find(const ShardyAxis& axis) const {
    XLA_ASSIGN_OR_RETURN(const int64_t size, Size(axis));
    std::vector<size_t> found;
    int64_t product = 1;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const ShardyAxis& part = parts_[i];
      if (part.name != axis.name || part.pre_size < axis.pre_size ||
          part.pre_size * part.size > axis.pre_size * size) {
        continue;
      }
      if (uses_[i] != kUnused) {
        return absl::InvalidArgumentError(
            absl::StrCat("the axis \"", axis.name, "\" is used twice in a sharding"));
      }
      found.push_back(i);
      product *= part.size;
    }
    if (product != size) {
      return absl::InvalidArgumentError(
          absl::StrCat("the parts of the axis \"", axis.name, "\" overlap"));
    }
    return found;
  }

  // The size of an axis or of a part of one, which must exist.
  absl::StatusOr<int64_t> Size(const ShardyAxis& axis) const {
    for (const auto& [name, size] : mesh_->axes) {
      if (name != axis.name) continue;
      if (axis.size == 0) return size;
      // Without their product, which may overflow.
      if (axis.pre_size > 0 && axis.size > 0 && size % axis.pre_size == 0 &&
          size / axis.pre_size % axis.size == 0) {
        return axis.size;
      }
      return absl::InvalidArgumentError(absl::StrCat("the axis \"", name, "\" of size ", size,
                                                     " has no part :(", axis.pre_size, ")",
                                                     axis.size));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the mesh of a sharding has no axis \"", axis.name, "\""));
  }

  const ShardyMesh* mesh_;
  std::map<std::string, std::set<int64_t>> cuts_;
  std::vector<ShardyAxis> parts_;
  std::vector<int> uses_;  // the position of each part in the order of devices
  std::vector<ShardyAxis> manual_;
  int next_ = 0;
};

// The explicit devices of a mesh in the order of a transposed iota.
absl::StatusOr<std::vector<int64_t>> OrderedDevices(const ShardyMesh& mesh,
                                                    const HloSharding& sharding) {
  XLA_ASSIGN_OR_RETURN(std::vector<int64_t> order,
                       FlattenIota(sharding.reshape_dims, sharding.transpose_perm));
  for (int64_t& place : order) {
    if (place < 0 || place >= static_cast<int64_t>(mesh.device_ids.size())) {
      return absl::InvalidArgumentError("a mesh states fewer devices than its axes have");
    }
    place = mesh.device_ids[static_cast<size_t>(place)];
  }
  return order;
}

}  // namespace

absl::StatusOr<HloSharding> ToHloSharding(const ShardySharding& sharding,
                                          const ShardyMeshes& meshes,
                                          absl::Span<const std::string> manual) {
  const auto found = meshes.find(sharding.mesh);
  if (!sharding.inlined.has_value() && found == meshes.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no mesh @", sharding.mesh, " for a sharding"));
  }
  const ShardyMesh& mesh = sharding.inlined.has_value() ? *sharding.inlined : found->second;
  if (mesh.axes.empty()) {
    return mesh.device_ids.empty() ? HloSharding::Replicate()
                                   : HloSharding::AssignDevice(mesh.device_ids[0]);
  }
  if (!manual.empty() && manual.size() == mesh.axes.size()) return HloSharding::Manual();
  int64_t devices = 1;
  for (const auto& [name, size] : mesh.axes) {
    if (__builtin_mul_overflow(devices, size, &devices) || devices > kMaxDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat("a mesh has more than ", kMaxDevices, " devices"));
    }
  }
  HloSharding result;
  result.kind = HloSharding::Kind::kTiled;
  XLA_ASSIGN_OR_RETURN(AxisParts parts, AxisParts::Make(mesh, sharding, manual));
  for (const ShardyDimension& dimension : sharding.dimensions) {
    XLA_ASSIGN_OR_RETURN(const int64_t size, parts.Use(dimension.axes));
    result.tile_dims.push_back(size);
  }
  const auto subgroup = [&](OpSharding_Type type, int64_t size) {
    result.tile_dims.push_back(size);
    result.last_tile_dims.push_back(type);
  };
  if (!manual.empty()) {
    XLA_ASSIGN_OR_RETURN(const int64_t size, parts.UseManual());
    subgroup(OpSharding_Type_MANUAL, size);
  }
  if (!sharding.unreduced.empty()) {
    XLA_ASSIGN_OR_RETURN(const int64_t size, parts.Use(sharding.unreduced));
    subgroup(OpSharding_Type_UNREDUCED, size);
    result.reduction = sharding.reduction;
  }
  XLA_RETURN_IF_ERROR(parts.LeaveReplicated(sharding.replicated));
  const auto is_one = [](int64_t size) { return size == 1; };
  if (std::all_of(result.tile_dims.begin(), result.tile_dims.end(), is_one)) {
    return HloSharding::Replicate();
  }
  if (const int64_t rest = parts.UseRest(); rest > 1) {
    subgroup(OpSharding_Type_REPLICATED, rest);
  }
  result.reshape_dims = parts.Sizes();
  result.transpose_perm = parts.Permutation();
  if (!mesh.device_ids.empty()) {
    XLA_ASSIGN_OR_RETURN(result.devices, OrderedDevices(mesh, result));
    result.reshape_dims.clear();
    result.transpose_perm.clear();
  }
  return result.Canonical();
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
