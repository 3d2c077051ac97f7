// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/mesh_and_axis.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/tile_assignment_check.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

const TileAssignment& OneDevice() {
  static const TileAssignment* const one = new TileAssignment(absl::Span<const int64_t>());
  return *one;
}

bool IsPermutation(const TileAssignment& devices) {
  if (devices.iota().has_value()) return true;
  std::vector<bool> seen(static_cast<size_t>(devices.num_elements()));
  for (const int64_t id : devices.array()) {
    if (id < 0 || id >= devices.num_elements() || seen[static_cast<size_t>(id)]) return false;
    seen[static_cast<size_t>(id)] = true;
  }
  return true;
}

std::string AxesToString(absl::Span<const std::string> names, absl::Span<const int64_t> sizes) {
  std::string text = "mesh[";
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "'" : ",'", names[i], "'=", sizes[i]);
  }
  return text + "]";
}

// Where an axis ends whose size is not known without its mesh.
constexpr int64_t kEndOfAxis = std::numeric_limits<int64_t>::max();

int64_t EndOf(const AxisRef& axis) {
  return axis.sub_axis_info() ? axis.sub_axis_info()->next_pre_size() : kEndOfAxis;
}

// The part of an axis between two places; all of it from 1 to kEndOfAxis.
AxisRef Between(int64_t mesh_axis_index, int64_t begin, int64_t end) {
  if (end == kEndOfAxis) return AxisRef(mesh_axis_index);
  return AxisRef(mesh_axis_index, {begin, end / begin});
}

}  // namespace

Mesh::Mesh(int64_t device_id)
    : state_(std::make_shared<const State>(State{TileAssignment(device_id), {}, true})) {}

Mesh::Mesh(absl::Span<const int64_t> axis_sizes, absl::Span<const std::string> axis_names)
    : Mesh(TileAssignment(axis_sizes), axis_names) {}

Mesh::Mesh(TileAssignment device_assignment, absl::Span<const std::string> axis_names) {
  absl::StatusOr<Mesh> mesh =
      Create(std::move(device_assignment), {axis_names.begin(), axis_names.end()});
  XLA_CHECK(mesh.ok()) << mesh.status().message();
  *this = *std::move(mesh);
}

absl::StatusOr<Mesh> Mesh::Create(TileAssignment device_assignment,
                                  std::vector<std::string> axis_names) {
  const std::string text = AxesToString(
      axis_names,
      device_assignment.dimensions().subspan(
          0, std::min<size_t>(axis_names.size(), device_assignment.dimensions().size())));
  if (static_cast<size_t>(device_assignment.num_dimensions()) != axis_names.size()) {
    return InvalidArgument("%s: %d axes have %d names", text, device_assignment.num_dimensions(),
                           axis_names.size());
  }
  absl::flat_hash_set<std::string_view> names;
  for (const std::string& name : axis_names) {
    if (!names.insert(name).second)
      return InvalidArgument("%s: axis '%s' is duplicated", text, name);
  }
  XLA_RETURN_IF_ERROR(CheckIotaCount(device_assignment));
  if (!IsPermutation(device_assignment)) {
    return InvalidArgument("%s: device_ids must name each of the devices 0 to %d once", text,
                           device_assignment.num_elements() - 1);
  }
  if (axis_names.empty()) return Mesh();
  return Mesh(std::make_shared<const State>(
      State{std::move(device_assignment), std::move(axis_names), /*is_maximal=*/false}));
}

absl::StatusOr<Mesh> Mesh::Create(absl::Span<const int64_t> axis_sizes,
                                  std::vector<std::string> axis_names,
                                  absl::Span<const int64_t> device_ids) {
  absl::StatusOr<TileAssignment> devices = device_ids.empty()
                                               ? TileAssignment::CreateIota(axis_sizes)
                                               : TileAssignment::Create(axis_sizes, device_ids);
  if (!devices.ok()) {
    return axis_names.size() == axis_sizes.size()
               ? AddContext(devices.status(), AxesToString(axis_names, axis_sizes))
               : devices.status();
  }
  return Create(*std::move(devices), std::move(axis_names));
}

const TileAssignment& Mesh::device_assignment() const {
  return state_ == nullptr ? OneDevice() : state_->devices;
}

absl::Span<const std::string> Mesh::axis_names() const {
  return state_ == nullptr ? absl::Span<const std::string>() : absl::MakeConstSpan(state_->names);
}

absl::Span<const int64_t> Mesh::axis_sizes() const {
  return state_ == nullptr || state_->is_maximal ? absl::Span<const int64_t>()
                                                 : state_->devices.dimensions();
}

std::optional<int64_t> Mesh::FindAxis(std::string_view name) const {
  for (int64_t i = 0; i < num_axes(); ++i) {
    if (axis_name(i) == name) return i;
  }
  return std::nullopt;
}

absl::StatusOr<AxisRef> Mesh::Axis(std::string_view name) const {
  if (const std::optional<int64_t> index = FindAxis(name)) return AxisRef(*index);
  return InvalidArgument("axis '%s' is not in %s", std::string(name), ToString());
}

std::vector<AxisRef> Mesh::AllAxes() const {
  std::vector<AxisRef> axes;
  for (int64_t i = 0; i < num_axes(); ++i) axes.emplace_back(i);
  return axes;
}

bool Mesh::HasIotaDevices() const {
  const std::optional<IotaTileAssignment>& iota = device_assignment().iota();
  return iota.has_value() && iota->reshape_dims().size() == 1;
}

bool Mesh::operator==(const Mesh& other) const {
  if (state_ == other.state_) return true;
  return IsMaximal() == other.IsMaximal() && axis_names() == other.axis_names() &&
         device_assignment() == other.device_assignment();
}

bool Mesh::DeviceAssignmentEquals(const Mesh& other) const {
  return state_ == other.state_ || device_assignment() == other.device_assignment();
}

bool Mesh::ContainsAllMeshAxesInOrder(absl::Span<const AxisRef> axes) const {
  size_t next = 0;
  for (int64_t i = 0; i < num_axes(); ++i) {
    if (next < axes.size() && axes[next] == AxisRef(i)) {
      ++next;
    } else if (axis_size(i) != 1) {
      return false;
    }
  }
  return next == axes.size();
}

std::string Mesh::ToString() const {
  if (IsMaximal()) {
    return absl::StrCat("maximal_mesh[device_id=", device_assignment().first(), "]");
  }
  std::string text = AxesToString(axis_names(), axis_sizes());
  if (const std::optional<IotaTileAssignment>& iota = device_assignment().iota()) {
    if (iota->reshape_dims().size() > 1) {
      absl::StrAppend(&text, ", device_ids=([", absl::StrJoin(iota->reshape_dims(), ","), "]T(",
                      absl::StrJoin(iota->transpose_perm(), ","), "))");
    }
  } else {
    absl::StrAppend(&text, ", device_ids=(", absl::StrJoin(device_assignment().array(), ","), ")");
  }
  return text;
}

MeshProto Mesh::ToProto() const {
  MeshProto proto;
  if (IsMaximal()) {
    proto.add_device_ids(device_assignment().first());
    return proto;
  }
  for (int64_t i = 0; i < num_axes(); ++i) {
    MeshProto::MeshAxis* axis = proto.add_axes();
    axis->set_name(axis_name(i));
    axis->set_size(axis_size(i));
  }
  if (const std::optional<IotaTileAssignment>& iota = device_assignment().iota()) {
    if (iota->reshape_dims().size() > 1) {
      for (int64_t dim : iota->reshape_dims())
        proto.mutable_iota_transform()->add_reshape_dims(dim);
      for (int dim : iota->transpose_perm())
        proto.mutable_iota_transform()->add_transpose_perm(dim);
    }
  } else {
    for (int64_t id : device_assignment().array()) proto.add_device_ids(id);
  }
  return proto;
}

absl::StatusOr<Mesh> Mesh::FromProto(const MeshProto& proto) {
  if (proto.axes().empty() && proto.device_ids_size() == 1) return Mesh(proto.device_ids(0));
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  for (const MeshProto::MeshAxis& axis : proto.axes()) {
    names.push_back(axis.name());
    sizes.push_back(axis.size());
  }
  if (!proto.has_iota_transform()) {
    return Create(sizes, std::move(names),
                  std::vector<int64_t>(proto.device_ids().begin(), proto.device_ids().end()));
  }
  std::vector<int> perm;
  for (int64_t dim : proto.iota_transform().transpose_perm()) {
    if (dim < 0 || dim >= proto.iota_transform().reshape_dims_size()) {
      return InvalidArgument("mesh: transposed dimension %d out of range", dim);
    }
    perm.push_back(static_cast<int>(dim));
  }
  const auto& dims = proto.iota_transform().reshape_dims();
  XLA_ASSIGN_OR_RETURN(
      TileAssignment devices,
      TileAssignment::CreateIota(sizes, std::vector<int64_t>(dims.begin(), dims.end()), perm));
  return Create(std::move(devices), std::move(names));
}

AxisRef AxisRef::Part(int64_t mesh_axis_index, int64_t pre_size, int64_t next_pre_size,
                      const Mesh& mesh) {
  if (pre_size == 1 && next_pre_size == mesh.axis_size(mesh_axis_index)) {
    return AxisRef(mesh_axis_index);
  }
  return AxisRef(mesh_axis_index, {pre_size, next_pre_size / pre_size});
}

std::strong_ordering AxisRef::operator<=>(const AxisRef& other) const {
  if (const auto order = mesh_axis_index_ <=> other.mesh_axis_index_; order != 0) return order;
  if (const auto order = pre_size() <=> other.pre_size(); order != 0) return order;
  return EndOf(*this) <=> EndOf(other);
}

bool AxisRef::CanCoexist(const AxisRef& other) const {
  if (mesh_axis_index_ != other.mesh_axis_index_ || !IsSubAxis() || !other.IsSubAxis()) return true;
  const auto [min_begin, max_begin] = std::minmax({pre_size(), other.pre_size()});
  const auto [min_end, max_end] = std::minmax({EndOf(*this), EndOf(other)});
  if (min_end > max_begin) {
    // They overlap: the overlap and what is beside it must be sub-axes.
    return min_end % max_begin == 0 && max_begin % min_begin == 0 && max_end % min_end == 0;
  }
  return max_begin % min_end == 0;  // the gap between them is a sub-axis, too
}

bool AxisRef::Overlaps(const AxisRef& other) const {
  return mesh_axis_index_ == other.mesh_axis_index_ && pre_size() < EndOf(other) &&
         other.pre_size() < EndOf(*this);
}

bool AxisRef::Contains(const AxisRef& other) const {
  return mesh_axis_index_ == other.mesh_axis_index_ && pre_size() <= other.pre_size() &&
         EndOf(other) <= EndOf(*this) && CanCoexist(other);
}

bool AxisRef::IsPrefixOf(const AxisRef& other) const {
  return pre_size() == other.pre_size() && other.Contains(*this);
}

std::optional<AxisRef> AxisRef::GetOverlap(const AxisRef& other) const {
  if (!Overlaps(other) || !CanCoexist(other)) return std::nullopt;
  return Between(mesh_axis_index_, std::max(pre_size(), other.pre_size()),
                 std::min(EndOf(*this), EndOf(other)));
}

std::optional<AxisRef> AxisRef::GetGreatestCommonPrefix(const AxisRef& other) const {
  if (IsPrefixOf(other)) return *this;
  if (other.IsPrefixOf(*this)) return other;
  return std::nullopt;
}

std::optional<AxisRef> AxisRef::GetPrefixWithoutOverlap(const AxisRef& other) const {
  if (!CanCoexist(other)) return std::nullopt;
  if (!Overlaps(other)) return *this;
  if (pre_size() >= other.pre_size()) return std::nullopt;
  return Between(mesh_axis_index_, pre_size(), other.pre_size());
}

std::optional<AxisRef> AxisRef::GetSuffixWithoutOverlap(const AxisRef& other,
                                                        const Mesh& mesh) const {
  if (!CanCoexist(other)) return std::nullopt;
  if (!Overlaps(other)) return *this;
  const int64_t begin = other.next_pre_size(mesh), end = next_pre_size(mesh);
  if (begin >= end) return std::nullopt;
  return Part(mesh_axis_index_, begin, end, mesh);
}

bool AxisRef::CanMerge(const AxisRef& other) const {
  return mesh_axis_index_ == other.mesh_axis_index_ && IsSubAxis() && other.IsSubAxis() &&
         sub_axis_info_->next_pre_size() == other.pre_size();
}

bool AxisRef::Merge(const AxisRef& other, const Mesh& mesh) {
  if (!CanMerge(other)) return false;
  *this = Part(mesh_axis_index_, pre_size(), other.next_pre_size(mesh), mesh);
  return true;
}

absl::Status AxisRef::Validate(const Mesh& mesh) const {
  if (mesh_axis_index_ < 0 || mesh_axis_index_ >= mesh.num_axes()) {
    return InvalidArgument("axis index %d is out of range in %s", mesh_axis_index_,
                           mesh.ToString());
  }
  if (!IsSubAxis()) return absl::OkStatus();
  const int64_t axis_size = mesh.axis_size(mesh_axis_index_);
  const auto [pre, size] = *sub_axis_info_;
  // Without their product, which may overflow.
  if (pre < 1 || size < 1 || axis_size % pre != 0 || axis_size / pre % size != 0) {
    return InvalidArgument("sub-axis %s does not divide the axis of size %d in %s", ToString(&mesh),
                           axis_size, mesh.ToString());
  }
  if (size == 1 || size == axis_size) {
    return InvalidArgument(
        "sub-axis %s must be smaller than the axis of size %d, and larger than 1", ToString(&mesh),
        axis_size);
  }
  return absl::OkStatus();
}

std::string AxisRef::ToString(const Mesh* mesh) const {
  std::string text = mesh != nullptr && mesh_axis_index_ >= 0 && mesh_axis_index_ < mesh->num_axes()
                         ? absl::StrCat("'", mesh->axis_name(mesh_axis_index_), "'")
                         : absl::StrCat(mesh_axis_index_);
  if (sub_axis_info_) {
    absl::StrAppend(&text, ":(", sub_axis_info_->pre_size, ")", sub_axis_info_->size);
  }
  return text;
}

AxisRefProto AxisRef::ToProto() const {
  AxisRefProto proto;
  proto.set_mesh_axis_index(mesh_axis_index_);
  if (sub_axis_info_) {
    proto.mutable_sub_axis_info()->set_pre_size(sub_axis_info_->pre_size);
    proto.mutable_sub_axis_info()->set_size(sub_axis_info_->size);
  }
  return proto;
}

absl::StatusOr<AxisRef> AxisRef::FromProto(const AxisRefProto& proto) {
  AxisRef axis(proto.mesh_axis_index());
  if (proto.has_sub_axis_info()) {
    axis.sub_axis_info_ = {proto.sub_axis_info().pre_size(), proto.sub_axis_info().size()};
    if (axis.sub_axis_info_->pre_size < 1 || axis.sub_axis_info_->size < 1) {
      return InvalidArgument("sub-axis %s: sizes must be positive", axis.ToString());
    }
  }
  return axis;
}

std::ostream& operator<<(std::ostream& out, const Mesh& mesh) { return out << mesh.ToString(); }
std::ostream& operator<<(std::ostream& out, const AxisRef& axis) { return out << axis.ToString(); }

int64_t AxesSize(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  int64_t size = 1;
  for (const AxisRef& axis : axes) size *= axis.size(mesh);
  return size;
}

bool AxesCanCoexistWithoutOverlap(absl::Span<const AxisRef> axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!axes[i].CanCoexistWithoutOverlap(axes[j])) return false;
    }
  }
  return true;
}

absl::Status ValidateSpanOfAxes(absl::Span<const AxisRef> axes, const Mesh& mesh,
                                bool allow_mergeable_neighbors) {
  for (size_t i = 0; i < axes.size(); ++i) {
    XLA_RETURN_IF_ERROR(axes[i].Validate(mesh));
    for (size_t j = 0; j < i; ++j) {
      if (!axes[i].CanCoexist(axes[j])) {
        return InvalidArgument("sub-axes %s and %s cannot be used together",
                               axes[j].ToString(&mesh), axes[i].ToString(&mesh));
      }
      if (axes[i].Overlaps(axes[j])) {
        return InvalidArgument("axis %s is duplicated or overlaps %s", axes[i].ToString(&mesh),
                               axes[j].ToString(&mesh));
      }
    }
    if (!allow_mergeable_neighbors && i > 0 && axes[i - 1].CanMerge(axes[i])) {
      return InvalidArgument("adjacent axes %s and %s must be merged", axes[i - 1].ToString(&mesh),
                             axes[i].ToString(&mesh));
    }
  }
  return absl::OkStatus();
}

void AppendAxis(const AxisRef& axis, const Mesh& mesh, std::vector<AxisRef>& axes) {
  if (axes.empty() || !axes.back().Merge(axis, mesh)) axes.push_back(axis);
}

void MergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh) {
  std::vector<AxisRef> merged;
  for (const AxisRef& axis : axes) AppendAxis(axis, mesh, merged);
  axes = std::move(merged);
}

void SortAndMergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh) {
  absl::c_sort(axes);
  MergeAxes(axes, mesh);
}

bool TruncateAxesByRemovingOverlaps(std::vector<AxisRef>& axes, absl::Span<const AxisRef> others) {
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> prefix = axes[i];
    for (const AxisRef& other : others) {
      prefix = prefix->GetPrefixWithoutOverlap(other);
      if (!prefix) break;
    }
    if (prefix == axes[i]) continue;
    axes.erase(axes.begin() + static_cast<ptrdiff_t>(i), axes.end());
    if (prefix) axes.push_back(*prefix);
    return true;
  }
  return false;
}

bool IsAxesPrefix(absl::Span<const AxisRef> prefix, absl::Span<const AxisRef> axes) {
  if (prefix.size() > axes.size()) return false;
  for (size_t i = 0; i + 1 < prefix.size(); ++i) {
    if (prefix[i] != axes[i]) return false;
  }
  return prefix.empty() || prefix.back().IsPrefixOf(axes[prefix.size() - 1]);
}

std::vector<AxisRef> GreatestCommonAxesPrefix(absl::Span<const AxisRef> a,
                                              absl::Span<const AxisRef> b, const Mesh& mesh) {
  std::vector<AxisRef> prefix;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::optional<AxisRef> common = a[i].GetGreatestCommonPrefix(b[i]);
    if (common) prefix.push_back(*common);
    if (a[i] != b[i]) break;
  }
  MergeAxes(prefix, mesh);
  return prefix;
}

std::optional<std::vector<AxisRef>> AxesPrefixOfSize(absl::Span<const AxisRef> axes, int64_t size,
                                                     const Mesh& mesh) {
  std::vector<AxisRef> prefix;
  for (const AxisRef& axis : axes) {
    if (size == 1) break;
    const int64_t axis_size = axis.size(mesh);
    if (size % axis_size == 0) {
      prefix.push_back(axis);
      size /= axis_size;
    } else if (axis_size % size == 0) {
      prefix.push_back(
          AxisRef::Part(axis.mesh_axis_index(), axis.pre_size(), axis.pre_size() * size, mesh));
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  if (size != 1) return std::nullopt;
  return prefix;
}

std::vector<AxisRef> AxesAfterPrefix(absl::Span<const AxisRef> axes, int64_t size,
                                     const Mesh& mesh) {
  std::vector<AxisRef> rest;
  for (const AxisRef& axis : axes) {
    const int64_t axis_size = axis.size(mesh);
    if (size == 1) {
      rest.push_back(axis);
    } else if (size % axis_size == 0) {
      size /= axis_size;
    } else {
      XLA_CHECK(axis_size % size == 0) << "axes have no prefix of size " << size;
      rest.push_back(AxisRef::Part(axis.mesh_axis_index(), axis.pre_size() * size,
                                   axis.next_pre_size(mesh), mesh));
      size = 1;
    }
  }
  return rest;
}

std::vector<AxisRef> RefineAxes(absl::Span<const AxisRef> axes, absl::Span<const AxisRef> others,
                                const Mesh& mesh) {
  std::vector<AxisRef> parts;
  for (const AxisRef& axis : axes) {
    const int64_t begin = axis.pre_size(), end = axis.next_pre_size(mesh);
    std::vector<int64_t> cuts = {begin, end};
    for (const AxisRef& other : others) {
      if (other.mesh_axis_index() != axis.mesh_axis_index()) continue;
      for (const int64_t cut : {other.pre_size(), other.next_pre_size(mesh)}) {
        if (cut > begin && cut < end) cuts.push_back(cut);
      }
    }
    absl::c_sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() == 1) parts.push_back(axis);  // of size 1
    for (size_t i = 1; i < cuts.size(); ++i) {
      parts.push_back(AxisRef::Part(axis.mesh_axis_index(), cuts[i - 1], cuts[i], mesh));
    }
  }
  return parts;
}

std::vector<AxisRef> AxesWithout(absl::Span<const AxisRef> axes, absl::Span<const AxisRef> removed,
                                 const Mesh& mesh) {
  std::vector<AxisRef> kept;
  for (const AxisRef& part : RefineAxes(axes, removed, mesh)) {
    const auto holds = [&](const AxisRef& other) { return other.Overlaps(part); };
    if (absl::c_none_of(removed, holds)) AppendAxis(part, mesh, kept);
  }
  return kept;
}

std::vector<AxisRef> UnusedAxes(absl::Span<const AxisRef> used, const Mesh& mesh) {
  return AxesWithout(mesh.AllAxes(), used, mesh);
}

TileAssignment AxesGroups(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  const std::vector<AxisRef> parts = RefineAxes(mesh.AllAxes(), axes, mesh);
  std::vector<int> grouped, perm;
  std::vector<bool> is_grouped(parts.size());
  for (const AxisRef& axis : RefineAxes(axes, parts, mesh)) {
    const auto part = absl::c_find(parts, axis);
    XLA_CHECK(part != parts.end()) << axis.ToString(&mesh) << " of " << mesh.ToString();
    is_grouped[static_cast<size_t>(part - parts.begin())] = true;
    grouped.push_back(static_cast<int>(part - parts.begin()));
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < parts.size(); ++i) {
    sizes.push_back(parts[i].size(mesh));
    if (!is_grouped[i]) perm.push_back(static_cast<int>(i));
  }
  perm.insert(perm.end(), grouped.begin(), grouped.end());
  const int64_t group = AxesSize(axes, mesh);
  return mesh.device_assignment().Reshape(sizes).Transpose(perm).Reshape(
      std::vector<int64_t>{mesh.num_devices() / group, group});
}

}  // namespace xla
