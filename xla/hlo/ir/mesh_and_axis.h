// SPDX-License-Identifier: Apache-2.0
// Device meshes, and the axes and sub-axes that shardings and replica groups name.
//
// A mesh is an array of devices whose dimensions have names: mesh['x'=2,'y'=4] has the devices
// 0..7, of which device 4 * x + y is at position (x, y). A sub-axis 'y':(pre)size is the part of an
// axis that varies after `pre` positions more major: 'y':(1)2 is the major and 'y':(2)2 the minor
// half of the axis above.
//
// No function here costs more for more devices, but for meshes whose devices are a list.
#ifndef XLA_HLO_IR_MESH_AND_AXIS_H_
#define XLA_HLO_IR_MESH_AND_AXIS_H_

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/xla_data_enums.h"

namespace xla {

class AxisRef;

// Immutable and cheap to copy.
class Mesh {
 public:
  // The mesh without axes, of one device.
  Mesh() = default;
  // maximal_mesh[device_id=N]: what is sharded over it is on one device.
  explicit Mesh(int64_t device_id);
  // Programming errors (checked): what Create returns errors for.
  Mesh(absl::Span<const int64_t> axis_sizes, absl::Span<const std::string> axis_names);
  Mesh(std::initializer_list<int64_t> axis_sizes, absl::Span<const std::string> axis_names)
      : Mesh(absl::MakeConstSpan(axis_sizes.begin(), axis_sizes.size()), axis_names) {}
  Mesh(TileAssignment device_assignment, absl::Span<const std::string> axis_names);

  // Errors: a name for each axis, all different; device ids that are not a permutation of 0, 1, 2,
  // ... (those of a maximal mesh aside).
  static absl::StatusOr<Mesh> Create(TileAssignment device_assignment,
                                     std::vector<std::string> axis_names);
  // With the devices in order, or as listed. Errors also: sizes below 1, more than 2^24 devices,
  // another number of device ids.
  static absl::StatusOr<Mesh> Create(absl::Span<const int64_t> axis_sizes,
                                     std::vector<std::string> axis_names,
                                     absl::Span<const int64_t> device_ids = {});

  bool IsMaximal() const { return state_ != nullptr && state_->is_maximal; }
  // The axes are its dimensions. Of the mesh without axes: one device.
  const TileAssignment& device_assignment() const;
  absl::Span<const std::string> axis_names() const;
  absl::Span<const int64_t> axis_sizes() const;
  int64_t num_axes() const { return static_cast<int64_t>(axis_names().size()); }
  const std::string& axis_name(int64_t axis) const { return axis_names()[axis]; }
  int64_t axis_size(int64_t axis) const { return axis_sizes()[axis]; }
  int64_t num_devices() const { return device_assignment().num_elements(); }
  std::optional<int64_t> FindAxis(std::string_view name) const;
  // The axis of that name. Errors: there is none.
  absl::StatusOr<AxisRef> Axis(std::string_view name) const;
  std::vector<AxisRef> AllAxes() const;
  // Whether the devices are 0, 1, 2, ... in row-major order of the axes.
  bool HasIotaDevices() const;

  bool operator==(const Mesh& other) const;
  bool DeviceAssignmentEquals(const Mesh& other) const;
  // Whether these are all axes, whole and in order; axes of size 1 may be missing.
  bool ContainsAllMeshAxesInOrder(absl::Span<const AxisRef> axes) const;

  // "mesh['x'=2,'y'=4]", with ", device_ids=(..)" where they are not in order.
  std::string ToString() const;
  MeshProto ToProto() const;
  static absl::StatusOr<Mesh> FromProto(const MeshProto& proto);

 private:
  struct State {
    TileAssignment devices;
    std::vector<std::string> names;
    bool is_maximal = false;
  };
  explicit Mesh(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;  // null: without axes
};

// An axis of a mesh by its position, or a sub-axis of one. Whether it fits a mesh is for Validate
// to tell.
class AxisRef {
 public:
  struct SubAxis {
    int64_t pre_size = 1;  // the product of the parts that are more major
    int64_t size = 1;
    int64_t next_pre_size() const { return pre_size * size; }
    bool operator==(const SubAxis&) const = default;
  };

  explicit AxisRef(int64_t mesh_axis_index) : mesh_axis_index_(mesh_axis_index) {}
  AxisRef(int64_t mesh_axis_index, SubAxis sub_axis)
      : mesh_axis_index_(mesh_axis_index), sub_axis_info_(sub_axis) {}
  // The part of an axis from `pre_size` to `next_pre_size`; the axis itself if that is all of it.
  static AxisRef Part(int64_t mesh_axis_index, int64_t pre_size, int64_t next_pre_size,
                      const Mesh& mesh);

  int64_t mesh_axis_index() const { return mesh_axis_index_; }
  const std::optional<SubAxis>& sub_axis_info() const { return sub_axis_info_; }
  bool IsSubAxis() const { return sub_axis_info_.has_value(); }
  int64_t pre_size() const { return sub_axis_info_ ? sub_axis_info_->pre_size : 1; }
  int64_t size(const Mesh& mesh) const {
    return sub_axis_info_ ? sub_axis_info_->size : mesh.axis_size(mesh_axis_index_);
  }
  int64_t next_pre_size(const Mesh& mesh) const { return pre_size() * size(mesh); }

  bool operator==(const AxisRef&) const = default;
  // The order of the mesh: by axis, then from major to minor, then by size.
  std::strong_ordering operator<=>(const AxisRef& other) const;

  // Whether both can be axes of one mesh: what they share and what they do not are sub-axes, too.
  //   'a':(1)4, 'a':(2)4 can; 'a':(1)2, 'a':(1)3 cannot, nor 'a':(1)3, 'a':(2)3.
  bool CanCoexist(const AxisRef& other) const;
  bool Overlaps(const AxisRef& other) const;
  bool CanCoexistWithoutOverlap(const AxisRef& other) const {
    return CanCoexist(other) && !Overlaps(other);
  }
  // Whether this axis holds all of `other`.
  bool Contains(const AxisRef& other) const;
  // Whether `other` begins with this axis.
  bool IsPrefixOf(const AxisRef& other) const;
  // What both hold. Nothing if that is empty or no sub-axis.
  std::optional<AxisRef> GetOverlap(const AxisRef& other) const;
  // The largest axis with which both begin.
  std::optional<AxisRef> GetGreatestCommonPrefix(const AxisRef& other) const;
  // The major part of this axis up to `other`; all of it if they do not overlap.
  std::optional<AxisRef> GetPrefixWithoutOverlap(const AxisRef& other) const;
  // The minor part of this axis from the end of `other`; all of it if they do not overlap.
  std::optional<AxisRef> GetSuffixWithoutOverlap(const AxisRef& other, const Mesh& mesh) const;

  // Whether `other` is the next sub-axis of the same axis, so that both are one.
  bool CanMerge(const AxisRef& other) const;
  // Merges if CanMerge; returns whether it did.
  bool Merge(const AxisRef& other, const Mesh& mesh);

  // Errors: not an axis of the mesh; a sub-axis that does not divide its axis, is all of it, or has
  // one position.
  absl::Status Validate(const Mesh& mesh) const;

  std::string ToString(const Mesh* mesh = nullptr) const;  // "'y':(1)2"; without a mesh "1:(1)2"
  AxisRefProto ToProto() const;
  // Errors: sizes that are not positive.
  static absl::StatusOr<AxisRef> FromProto(const AxisRefProto& proto);
  template <typename H>
  friend H AbslHashValue(H h, const AxisRef& axis) {
    return H::combine(std::move(h), axis.mesh_axis_index_, axis.pre_size(),
                      axis.sub_axis_info_ ? axis.sub_axis_info_->size : 0);
  }

 private:
  int64_t mesh_axis_index_;
  std::optional<SubAxis> sub_axis_info_;
};

std::ostream& operator<<(std::ostream& out, const Mesh& mesh);
std::ostream& operator<<(std::ostream& out, const AxisRef& axis);

// --- lists of axes, major to minor

// The product of the sizes.
int64_t AxesSize(absl::Span<const AxisRef> axes, const Mesh& mesh);

bool AxesCanCoexistWithoutOverlap(absl::Span<const AxisRef> axes);

// Errors: axes that are not of the mesh, overlap or cannot coexist; neighbors that should be one.
absl::Status ValidateSpanOfAxes(absl::Span<const AxisRef> axes, const Mesh& mesh,
                                bool allow_mergeable_neighbors = false);

// Appends an axis, merged with the last one where both are neighbors.
void AppendAxis(const AxisRef& axis, const Mesh& mesh, std::vector<AxisRef>& axes);
// Joins neighbors that are one sub-axis. The second also sorts in the order of the mesh.
void MergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh);
void SortAndMergeAxes(std::vector<AxisRef>& axes, const Mesh& mesh);

// Keeps the longest prefix that overlaps none of `others`. Returns whether it removed something.
bool TruncateAxesByRemovingOverlaps(std::vector<AxisRef>& axes, absl::Span<const AxisRef> others);

// Whether `axes` begin with `prefix`, of which the last may be a prefix of an axis.
bool IsAxesPrefix(absl::Span<const AxisRef> prefix, absl::Span<const AxisRef> axes);
// The longest list with which both begin.
std::vector<AxisRef> GreatestCommonAxesPrefix(absl::Span<const AxisRef> a,
                                              absl::Span<const AxisRef> b, const Mesh& mesh);
// The first axes of which the product of sizes is `size`; an axis may be cut. None if there are no
// such axes.
std::optional<std::vector<AxisRef>> AxesPrefixOfSize(absl::Span<const AxisRef> axes, int64_t size,
                                                     const Mesh& mesh);
// What follows the first `size` positions. Precondition: there is a prefix of that size.
std::vector<AxisRef> AxesAfterPrefix(absl::Span<const AxisRef> axes, int64_t size,
                                     const Mesh& mesh);

// The parts of `axes`, in their order, that none of `removed` holds; neighbors merged.
// Precondition: all can coexist.
std::vector<AxisRef> AxesWithout(absl::Span<const AxisRef> axes, absl::Span<const AxisRef> removed,
                                 const Mesh& mesh);
// The parts of all axes of the mesh that none of `used` holds, in the order of the mesh.
std::vector<AxisRef> UnusedAxes(absl::Span<const AxisRef> used, const Mesh& mesh);
// `axes` divided into the largest parts that each of `others` either holds or does not touch.
// Precondition: all can coexist.
std::vector<AxisRef> RefineAxes(absl::Span<const AxisRef> axes, absl::Span<const AxisRef> others,
                                const Mesh& mesh);

// The positions of `axes` in groups: [number of groups, devices of a group] of all devices of the
// mesh, where devices of a group differ only along `axes` and are in their order. Cost: the number
// of axes. Precondition: ValidateSpanOfAxes, mergeable neighbors allowed.
TileAssignment AxesGroups(const Mesh& mesh, absl::Span<const AxisRef> axes);

}  // namespace xla

#endif  // XLA_HLO_IR_MESH_AND_AXIS_H_
