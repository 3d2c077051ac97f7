// SPDX-License-Identifier: Apache-2.0
// OpSharding protos.
#include "xla/hlo/builder/sharding_builder.h"

#include <cstdint>

namespace xla::sharding_builder {

OpSharding Replicate() {
  OpSharding sharding;
  sharding.set_type(OpSharding::REPLICATED);
  return sharding;
}

OpSharding Manual() {
  OpSharding sharding;
  sharding.set_type(OpSharding::MANUAL);
  return sharding;
}

OpSharding AssignDevice(int device) {
  OpSharding sharding;
  sharding.set_type(OpSharding::MAXIMAL);
  sharding.add_tile_assignment_dimensions(1);
  sharding.add_tile_assignment_devices(device);
  return sharding;
}

OpSharding Tile(const Shape& tile_shape, const TileAssignment& tile_assignment) {
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  *sharding.mutable_tile_shape() = tile_shape.ToProto();
  for (const int64_t size : tile_assignment.dimensions()) {
    sharding.add_tile_assignment_dimensions(size);
  }
  for (const int64_t device : tile_assignment) sharding.add_tile_assignment_devices(device);
  return sharding;
}

OpSharding Tile1D(const Shape& tile_shape, int64_t num_tiles) {
  // An invalid number of devices: the sharding has no list of devices, so that using it is an
  // error.
  if (num_tiles < 0 || num_tiles > 1 << 20) {
    OpSharding sharding = Tile(tile_shape, TileAssignment({0}));
    sharding.set_tile_assignment_dimensions(0, num_tiles);
    return sharding;
  }
  TileAssignment devices({num_tiles});
  devices.FillIota(0);
  return Tile(tile_shape, devices);
}

OpSharding Tuple(const std::vector<OpSharding>& shardings) {
  OpSharding sharding;
  sharding.set_type(OpSharding::TUPLE);
  for (const OpSharding& element : shardings) *sharding.add_tuple_shardings() = element;
  return sharding;
}

}  // namespace xla::sharding_builder
