// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/named_sharding.h"

#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using DimensionSharding = NamedSharding::DimensionSharding;

std::string AxesToString(absl::Span<const AxisRef> axes, const Mesh* mesh) {
  return absl::StrJoin(axes, ", ", [mesh](std::string* out, const AxisRef& axis) {
    absl::StrAppend(out, axis.ToString(mesh));
  });
}

absl::Status ValidateOrder(absl::Span<const AxisRef> axes, std::string_view name,
                           const Mesh& mesh) {
  XLA_RETURN_IF_ERROR(ValidateSpanOfAxes(axes, mesh));
  if (absl::c_is_sorted(axes)) return absl::OkStatus();
  return InvalidArgument("%s axes {%s} are not in the order of %s", std::string(name),
                         AxesToString(axes, &mesh), mesh.ToString());
}

absl::Status Validate(const NamedSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  if (mesh.IsMaximal() && sharding.num_dimensions() > 0) {
    return InvalidArgument("a sharding over %s has no dimensions", mesh.ToString());
  }
  for (const DimensionSharding& dim : sharding.dim_shardings()) {
    XLA_RETURN_IF_ERROR(ValidateSpanOfAxes(dim.axes(), mesh));
    if (dim.priority().value_or(0) < 0) {
      return InvalidArgument("a priority is negative: %d", *dim.priority());
    }
  }
  XLA_RETURN_IF_ERROR(ValidateOrder(sharding.replicated_axes(), "replicated", mesh));
  XLA_RETURN_IF_ERROR(ValidateOrder(sharding.unreduced_axes(), "unreduced", mesh));
  XLA_RETURN_IF_ERROR(ValidateOrder(sharding.manual_axes(), "manual", mesh));
  return ValidateSpanOfAxes(sharding.UsedAxes(), mesh, /*allow_mergeable_neighbors=*/true);
}

template <typename Protos>
absl::StatusOr<std::vector<AxisRef>> AxesFromProto(const Protos& protos) {
  std::vector<AxisRef> axes;
  for (const AxisRefProto& proto : protos) {
    XLA_ASSIGN_OR_RETURN(const AxisRef axis, AxisRef::FromProto(proto));
    axes.push_back(axis);
  }
  return axes;
}

template <typename Protos>
void AxesToProto(absl::Span<const AxisRef> axes, Protos* protos) {
  for (const AxisRef& axis : axes) *protos->Add() = axis.ToProto();
}

}  // namespace

void DimensionSharding::Append(const DimensionSharding& other, const Mesh& mesh) {
  for (const AxisRef& axis : other.axes_) AppendAxis(axis, mesh, axes_);
}

std::optional<DimensionSharding> DimensionSharding::Slice(const Mesh& mesh, int64_t slice_size) {
  std::optional<std::vector<AxisRef>> prefix = AxesPrefixOfSize(axes_, slice_size, mesh);
  if (!prefix.has_value()) return std::nullopt;
  axes_ = AxesAfterPrefix(axes_, slice_size, mesh);
  return DimensionSharding(*std::move(prefix), is_closed_, priority_);
}

std::string DimensionSharding::ToString(const Mesh* mesh) const {
  return absl::StrCat("{", AxesToString(axes_, mesh),
                      is_closed_      ? ""
                      : axes_.empty() ? "?"
                                      : ", ?",
                      "}");
}

NamedSharding::NamedSharding(Mesh mesh, std::vector<DimensionSharding> dim_shardings,
                             std::vector<AxisRef> replicated_axes,
                             std::vector<AxisRef> unreduced_axes, std::vector<AxisRef> manual_axes,
                             UnreducedKind unreduced_kind)
    : mesh_(std::move(mesh)),
      dim_shardings_(std::move(dim_shardings)),
      replicated_axes_(std::move(replicated_axes)),
      unreduced_axes_(std::move(unreduced_axes)),
      manual_axes_(std::move(manual_axes)),
      unreduced_kind_(unreduced_axes_.empty() ? UnreducedKind::kSum : unreduced_kind) {
  const absl::Status status = Validate(*this);
  XLA_CHECK(status.ok()) << status.message();
}

absl::StatusOr<NamedSharding> NamedSharding::Create(Mesh mesh,
                                                    std::vector<DimensionSharding> dim_shardings,
                                                    std::vector<AxisRef> replicated_axes,
                                                    std::vector<AxisRef> unreduced_axes,
                                                    std::vector<AxisRef> manual_axes,
                                                    UnreducedKind unreduced_kind) {
  NamedSharding sharding(std::move(mesh));
  sharding.dim_shardings_ = std::move(dim_shardings);
  sharding.replicated_axes_ = std::move(replicated_axes);
  sharding.unreduced_axes_ = std::move(unreduced_axes);
  sharding.manual_axes_ = std::move(manual_axes);
  if (!sharding.unreduced_axes_.empty()) sharding.unreduced_kind_ = unreduced_kind;
  XLA_RETURN_IF_ERROR(Validate(sharding));
  return sharding;
}

NamedSharding NamedSharding::Unreduced(Mesh mesh) {
  std::vector<AxisRef> axes = mesh.AllAxes();
  return NamedSharding(std::move(mesh), {}, {}, std::move(axes));
}

NamedSharding NamedSharding::Manual(Mesh mesh) {
  std::vector<AxisRef> axes = mesh.AllAxes();
  return NamedSharding(std::move(mesh), {}, {}, {}, std::move(axes));
}

NamedSharding NamedSharding::FullyOpen(Mesh mesh, int64_t rank) {
  return NamedSharding(std::move(mesh), std::vector<DimensionSharding>(static_cast<size_t>(rank),
                                                                       DimensionSharding::Open()));
}

NamedSharding NamedSharding::FullyClosed(Mesh mesh, int64_t rank) {
  return NamedSharding(std::move(mesh), std::vector<DimensionSharding>(static_cast<size_t>(rank)));
}

std::vector<int64_t> NamedSharding::dimensions() const {
  std::vector<int64_t> sizes;
  for (const DimensionSharding& dim : dim_shardings_) sizes.push_back(dim.GetShardedSize(mesh_));
  return sizes;
}

bool NamedSharding::IsReplicated() const {
  return !IsSingleDevice() && unreduced_axes_.empty() && manual_axes_.empty() &&
         absl::c_all_of(dim_shardings_, [&](const DimensionSharding& dim) {
           return dim.GetShardedSize(mesh_) == 1;
         });
}

bool NamedSharding::HasPartialReplication() const {
  if (IsReplicatedOrSingleDevice()) return false;
  int64_t used = AxesSize(unreduced_axes_, mesh_) * AxesSize(manual_axes_, mesh_);
  for (const DimensionSharding& dim : dim_shardings_) used *= dim.GetShardedSize(mesh_);
  return used < num_devices();
}

std::vector<AxisRef> NamedSharding::UsedAxes() const {
  std::vector<AxisRef> used;
  for (const DimensionSharding& dim : dim_shardings_) {
    used.insert(used.end(), dim.axes().begin(), dim.axes().end());
  }
  for (const std::vector<AxisRef>* axes : {&replicated_axes_, &unreduced_axes_, &manual_axes_}) {
    used.insert(used.end(), axes->begin(), axes->end());
  }
  return used;
}

NamedSharding NamedSharding::WithDimensions(std::vector<DimensionSharding> dim_shardings) const {
  return NamedSharding(mesh_, std::move(dim_shardings), replicated_axes_, unreduced_axes_,
                       manual_axes_, unreduced_kind_);
}

NamedSharding NamedSharding::Closed() const {
  NamedSharding closed = *this;
  for (DimensionSharding& dim : closed.dim_shardings_) dim = DimensionSharding(dim.axes());
  closed.replicated_axes_.clear();
  return closed;
}

NamedSharding NamedSharding::WithoutAxes(absl::Span<const AxisRef> axes) const {
  NamedSharding result = *this;
  for (DimensionSharding& dim : result.dim_shardings_) {
    dim = DimensionSharding(AxesWithout(dim.axes(), axes, mesh_), dim.is_closed(), dim.priority());
  }
  for (std::vector<AxisRef>* list :
       {&result.replicated_axes_, &result.unreduced_axes_, &result.manual_axes_}) {
    *list = AxesWithout(*list, axes, mesh_);
  }
  if (result.unreduced_axes_.empty()) result.unreduced_kind_ = UnreducedKind::kSum;
  return result;
}

NamedSharding NamedSharding::WithManualAxes(absl::Span<const AxisRef> axes) const {
  std::vector<AxisRef> manual = manual_axes_;
  manual.insert(manual.end(), axes.begin(), axes.end());
  SortAndMergeAxes(manual, mesh_);
  return NamedSharding(mesh_, dim_shardings_, replicated_axes_, unreduced_axes_, std::move(manual),
                       unreduced_kind_);
}

std::string NamedSharding::ToString() const {
  std::string text = mesh_.ToString();
  if (IsSingleDevice()) return text;
  if (dim_shardings_.empty()) {
    if (replicated_axes_.empty() && unreduced_axes_.empty() && manual_axes_.empty()) {
      return text + ", replicated";
    }
    // The words stand for all axes, by name.
    const std::vector<AxisRef> all = mesh_.AllAxes();
    if (unreduced_axes_ == all) return text + ", unreduced";
    if (manual_axes_ == all) return text + ", manual";
  }
  absl::StrAppend(&text, ", [",
                  absl::StrJoin(dim_shardings_, ", ",
                                [&](std::string* out, const DimensionSharding& dim) {
                                  absl::StrAppend(out, dim.ToString(&mesh_));
                                }),
                  "]");
  for (const auto& [name, axes] :
       {std::pair<const char*, const std::vector<AxisRef>*>{"replicated", &replicated_axes_},
        {"unreduced", &unreduced_axes_},
        {"manual", &manual_axes_}}) {
    if (!axes->empty()) {
      absl::StrAppend(&text, ", ", name, "={", AxesToString(*axes, &mesh_), "}");
    }
  }
  return text;
}

NamedShardingProto NamedSharding::ToProto() const {
  NamedShardingProto proto;
  *proto.mutable_mesh() = mesh_.ToProto();
  for (const DimensionSharding& dim : dim_shardings_) {
    NamedShardingProto::DimensionSharding* dim_proto = proto.add_dim_shardings();
    AxesToProto(dim.axes(), dim_proto->mutable_axes());
    dim_proto->set_is_closed(dim.is_closed());
  }
  AxesToProto(replicated_axes_, proto.mutable_replicated_axes());
  AxesToProto(unreduced_axes_, proto.mutable_unreduced_axes());
  AxesToProto(manual_axes_, proto.mutable_manual_axes());
  return proto;
}

absl::StatusOr<NamedSharding> NamedSharding::FromProto(const NamedShardingProto& proto) {
  XLA_ASSIGN_OR_RETURN(Mesh mesh, Mesh::FromProto(proto.mesh()));
  std::vector<DimensionSharding> dims;
  for (const NamedShardingProto::DimensionSharding& dim_proto : proto.dim_shardings()) {
    XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> axes, AxesFromProto(dim_proto.axes()));
    dims.emplace_back(std::move(axes), dim_proto.is_closed());
  }
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> replicated, AxesFromProto(proto.replicated_axes()));
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> unreduced, AxesFromProto(proto.unreduced_axes()));
  XLA_ASSIGN_OR_RETURN(std::vector<AxisRef> manual, AxesFromProto(proto.manual_axes()));
  return Create(std::move(mesh), std::move(dims), std::move(replicated), std::move(unreduced),
                std::move(manual));
}

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding) {
  return out << sharding.ToString();
}

}  // namespace xla
