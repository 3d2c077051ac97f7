// SPDX-License-Identifier: Apache-2.0
// Shardings by named axes of a mesh:
//   {mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={..}, unreduced={..}, manual={..}}
#ifndef XLA_HLO_IR_NAMED_SHARDING_H_
#define XLA_HLO_IR_NAMED_SHARDING_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/xla_data_enums.h"

namespace xla {

// How the values of unreduced axes make the whole. Shardy states it; the text of HLO has no place
// for it and stands for sums.
enum class UnreducedKind : uint8_t { kSum, kMax, kMin };

// Valid by construction: all axes are of the mesh, overlap nowhere, can coexist, and neighbors are
// merged; replicated, unreduced and manual axes are in the order of the mesh. An axis that is named
// nowhere is replicated, but propagation may use it for open dimensions.
class NamedSharding {
 public:
  class DimensionSharding {
   public:
    DimensionSharding() = default;
    explicit DimensionSharding(std::vector<AxisRef> axes, bool is_closed = true,
                               std::optional<int64_t> priority = std::nullopt)
        : axes_(std::move(axes)), is_closed_(is_closed), priority_(priority) {}
    static DimensionSharding Open(std::vector<AxisRef> axes = {}) {
      return DimensionSharding(std::move(axes), /*is_closed=*/false);
    }

    // Major to minor.
    const std::vector<AxisRef>& axes() const { return axes_; }
    // Whether propagation must not add axes.
    bool is_closed() const { return is_closed_; }
    // When propagation considers the dimension: 0 is first, and what most have. Neither text nor
    // protos of HLO hold it.
    std::optional<int64_t> priority() const { return priority_; }
    int64_t priority_or_default() const { return priority_.value_or(0); }

    int64_t GetShardedSize(const Mesh& mesh) const { return AxesSize(axes_, mesh); }
    // Appends the axes of `other`, over the same mesh.
    void Append(const DimensionSharding& other, const Mesh& mesh);
    // Takes the first axes, of `slice_size` devices together, away from this and returns them.
    // None, and nothing is changed, if there are no such axes.
    std::optional<DimensionSharding> Slice(const Mesh& mesh, int64_t slice_size);
    bool IsPrefixOf(const DimensionSharding& other) const {
      return IsAxesPrefix(axes_, other.axes_);
    }

    std::string ToString(const Mesh* mesh = nullptr) const;
    bool operator==(const DimensionSharding&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const DimensionSharding& dim) {
      return H::combine(std::move(h), dim.axes_, dim.is_closed_, dim.priority_);
    }

   private:
    std::vector<AxisRef> axes_;
    bool is_closed_ = true;
    std::optional<int64_t> priority_;
  };

  // Replicated over the mesh. Over a maximal mesh: on its device.
  explicit NamedSharding(Mesh mesh = Mesh()) : mesh_(std::move(mesh)) {}
  // What Create returns errors for is a programming error (checked).
  NamedSharding(Mesh mesh, std::vector<DimensionSharding> dim_shardings,
                std::vector<AxisRef> replicated_axes = {}, std::vector<AxisRef> unreduced_axes = {},
                std::vector<AxisRef> manual_axes = {},
                UnreducedKind unreduced_kind = UnreducedKind::kSum);
  static absl::StatusOr<NamedSharding> Create(Mesh mesh,
                                              std::vector<DimensionSharding> dim_shardings,
                                              std::vector<AxisRef> replicated_axes = {},
                                              std::vector<AxisRef> unreduced_axes = {},
                                              std::vector<AxisRef> manual_axes = {},
                                              UnreducedKind unreduced_kind = UnreducedKind::kSum);

  static NamedSharding Replicate(Mesh mesh = Mesh()) { return NamedSharding(std::move(mesh)); }
  static NamedSharding SingleDevice(int64_t device) { return NamedSharding(Mesh(device)); }
  static NamedSharding Unreduced(Mesh mesh);
  static NamedSharding Manual(Mesh mesh);
  // A value of this rank of which propagation may decide everything.
  static NamedSharding FullyOpen(Mesh mesh, int64_t rank);
  static NamedSharding FullyClosed(Mesh mesh, int64_t rank);

  const Mesh& mesh() const { return mesh_; }
  const std::vector<DimensionSharding>& dim_shardings() const { return dim_shardings_; }
  const DimensionSharding& dim_sharding(int64_t dim) const {
    return dim_shardings_[static_cast<size_t>(dim)];
  }
  const std::vector<AxisRef>& replicated_axes() const { return replicated_axes_; }
  const std::vector<AxisRef>& unreduced_axes() const { return unreduced_axes_; }
  const std::vector<AxisRef>& manual_axes() const { return manual_axes_; }
  // kSum without unreduced axes.
  UnreducedKind unreduced_kind() const { return unreduced_kind_; }

  int64_t num_dimensions() const { return static_cast<int64_t>(dim_shardings_.size()); }
  // The number of shards along a dimension.
  int64_t dimension(int64_t dim) const { return dim_sharding(dim).GetShardedSize(mesh_); }
  std::vector<int64_t> dimensions() const;
  int64_t num_devices() const { return mesh_.num_devices(); }

  bool IsSingleDevice() const { return mesh_.IsMaximal(); }
  bool IsReplicated() const;
  bool IsReplicatedOrSingleDevice() const { return IsSingleDevice() || IsReplicated(); }
  // Along all axes of the mesh.
  bool IsManual() const {
    return !manual_axes_.empty() && mesh_.ContainsAllMeshAxesInOrder(manual_axes_);
  }
  bool IsUnreduced() const {
    return !unreduced_axes_.empty() && mesh_.ContainsAllMeshAxesInOrder(unreduced_axes_);
  }
  // Whether some devices have the same shard.
  bool HasPartialReplication() const;
  // Every axis that is named, in the order that this class lists them.
  std::vector<AxisRef> UsedAxes() const;
  // The axes not named, in the order of the mesh.
  std::vector<AxisRef> GetImplicitlyReplicatedAxes() const { return UnusedAxes(UsedAxes(), mesh_); }

  // Copies that differ in one part. Preconditions as of the constructor.
  NamedSharding WithDimensions(std::vector<DimensionSharding> dim_shardings) const;
  // Without open dimensions, priorities, and replicated axes that are stated.
  NamedSharding Closed() const;
  // Without these axes, wherever they are named.
  NamedSharding WithoutAxes(absl::Span<const AxisRef> axes) const;
  // These axes are manual as well.
  NamedSharding WithManualAxes(absl::Span<const AxisRef> axes) const;

  // In all parts. XLA's ignores replicated axes and names.
  bool operator==(const NamedSharding&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const NamedSharding& sharding) {
    return H::combine(std::move(h), sharding.dim_shardings_, sharding.replicated_axes_,
                      sharding.unreduced_axes_, sharding.manual_axes_, sharding.unreduced_kind_);
  }

  // As HLO text prints it, without braces: "mesh['x'=2], [{'x'}, {?}]".
  std::string ToString() const;
  // Without metadata.
  NamedShardingProto ToProto() const;
  static absl::StatusOr<NamedSharding> FromProto(const NamedShardingProto& proto);

 private:
  Mesh mesh_;
  std::vector<DimensionSharding> dim_shardings_;
  std::vector<AxisRef> replicated_axes_, unreduced_axes_, manual_axes_;
  UnreducedKind unreduced_kind_ = UnreducedKind::kSum;
};

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding);

}  // namespace xla

#endif  // XLA_HLO_IR_NAMED_SHARDING_H_
