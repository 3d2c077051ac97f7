// SPDX-License-Identifier: Apache-2.0
// Shardy's meshes and shardings: what their text states, and the HLO shardings they stand for.
//
//   #sdy.mesh<["x"=2, "y"=4]>
//   #sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p1], replicated={"z"}>
#ifndef XLA_STABLEHLO_SHARDING_H_
#define XLA_STABLEHLO_SHARDING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::stablehlo {

// Frontend attribute, of HLO's broadcast of a scalar, that stands for a constant of one value: it
// becomes one again.
inline constexpr char kSplatAttribute[] = "xla.sdy.splat";

// An axis of a mesh, or the part of it that starts after `pre_size` and has `size` devices.
struct ShardyAxis {
  std::string name;
  int64_t pre_size = 1;
  int64_t size = 0;  // 0: the whole axis

  bool operator==(const ShardyAxis&) const = default;
};

struct ShardyDimension {
  std::vector<ShardyAxis> axes;
  bool is_closed = true;  // false: "?", further axes may be added
  std::optional<int64_t> priority;

  bool operator==(const ShardyDimension&) const = default;
};

struct ShardyMesh {
  std::vector<std::pair<std::string, int64_t>> axes;
  std::vector<int64_t> device_ids;  // empty: 0, 1, 2, ...

  bool operator==(const ShardyMesh&) const = default;
};

struct ShardySharding {
  std::string mesh;  // its symbol; empty if it is inlined
  std::optional<ShardyMesh> inlined;
  std::vector<ShardyDimension> dimensions;
  std::vector<ShardyAxis> replicated;
  std::vector<ShardyAxis> unreduced;
  UnreducedKind reduction = UnreducedKind::kSum;  // of `unreduced`
};

using ShardyMeshes = std::map<std::string, ShardyMesh, std::less<>>;

// The text between < and > of the attributes; of sharding_per_value "[<..>, <..>]", of manual_axes
// "{"x", "y"}".
absl::StatusOr<ShardyMesh> ParseShardyMesh(std::string_view text);
absl::StatusOr<ShardySharding> ParseShardySharding(std::string_view text);
absl::StatusOr<std::vector<ShardySharding>> ParseShardyShardings(std::string_view text);
absl::StatusOr<std::vector<std::string>> ParseShardyAxes(std::string_view text);

// As it is in the IR. InvalidArgument: device ids or sizes that do not fit the axes.
absl::StatusOr<Mesh> ToMesh(const ShardyMesh& mesh);

// The sharding of a value whose mesh axes `manual` are handled by the program itself.
// InvalidArgument if a mesh or an axis is not defined, or used twice.
absl::StatusOr<NamedSharding> ToNamedSharding(const ShardySharding& sharding,
                                              const ShardyMeshes& meshes,
                                              absl::Span<const std::string> manual = {});

// Tiles, device order and replication of a value whose mesh axes `manual` are handled by the
// program itself. Errors as of ToNamedSharding.
absl::StatusOr<HloSharding> ToHloSharding(const ShardySharding& sharding,
                                          const ShardyMeshes& meshes,
                                          absl::Span<const std::string> manual = {});

// The sharding without the given axes.
ShardySharding WithoutAxes(ShardySharding sharding, absl::Span<const std::string> axes);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SHARDING_H_
