// SPDX-License-Identifier: Apache-2.0
// Shardings by tiles as shardings by the axes of a mesh: of one that is given, or of one made up
// for them. The other direction is HloSharding::V3ToV2Sharding.
//
//   {devices=[2,4]<=[4,2]T(1,0)}  over  mesh['_axis_0'=4,'_axis_1'=2]  is  [{'_axis_1'},
//   {'_axis_0'}]
//
// Cost: the number of dimensions, but for tiles or meshes whose devices are a list.
#ifndef XLA_HLO_IR_SHARDING_AXES_H_
#define XLA_HLO_IR_SHARDING_AXES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/named_sharding.h"

namespace xla {

// The mesh of the fewest axes, "_axis_0", "_axis_1", ... as XLA names them, over which these
// shardings (or, of tuples, their elements) of `num_devices` devices are shardings by whole axes.
// If there is no such mesh, those that come first are served. Devices are in order, but if one of
// the shardings lists them in an order that is no transposition of axes: then the first that does
// gives the order. Shardings of another number of devices, and those without tiles, add no axes.
// Precondition: 1 <= num_devices <= 2^24.
Mesh MakeMeshFor(absl::Span<const HloSharding* const> shardings, int64_t num_devices);

// The sharding of an array of this rank over the axes of the mesh, closed; an unknown sharding is
// open. One of a single device is over a maximal mesh. Errors: tiles that are no sub-axes of the
// mesh, or of another number of devices or rank; maximal subgroups; tuples.
absl::StatusOr<NamedSharding> ToNamedSharding(const HloSharding& sharding, const Mesh& mesh,
                                              int64_t rank);

// The same over a mesh of its own.
absl::StatusOr<NamedSharding> ToNamedSharding(const HloSharding& sharding, int64_t num_devices,
                                              int64_t rank);

}  // namespace xla

#endif  // XLA_HLO_IR_SHARDING_AXES_H_
