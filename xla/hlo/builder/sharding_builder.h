// SPDX-License-Identifier: Apache-2.0
// Functions that make OpSharding protos for XlaBuilder::SetSharding.
#ifndef XLA_HLO_BUILDER_SHARDING_BUILDER_H_
#define XLA_HLO_BUILDER_SHARDING_BUILDER_H_

#include <cstdint>
#include <vector>

#include "xla/array.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla::sharding_builder {

// The devices of each tile of a tiled sharding.
using TileAssignment = Array<int64_t>;

// Every device has all of the value.
OpSharding Replicate();
// The program itself distributes the value over the devices.
OpSharding Manual();
// The value lives on one device.
OpSharding AssignDevice(int device);
inline OpSharding SingleDevice(int device) { return AssignDevice(device); }
// The value is cut into tiles of tile_shape, one for each device of the assignment.
OpSharding Tile(const Shape& tile_shape, const TileAssignment& tile_assignment);
// Divided along its only dimension into num_tiles tiles, on devices 0, 1, 2, ... Using a sharding
// of fewer than one or more than 2^20 tiles is an error.
OpSharding Tile1D(const Shape& tile_shape, int64_t num_tiles);
// One sharding for each leaf, in pre-order.
OpSharding Tuple(const std::vector<OpSharding>& shardings);

}  // namespace xla::sharding_builder

#endif  // XLA_HLO_BUILDER_SHARDING_BUILDER_H_
