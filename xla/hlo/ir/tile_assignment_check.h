// SPDX-License-Identifier: Apache-2.0
// Iotas are read as XLA reads them, whatever their size; what uses devices needs one for each tile.
#ifndef XLA_HLO_IR_TILE_ASSIGNMENT_CHECK_H_
#define XLA_HLO_IR_TILE_ASSIGNMENT_CHECK_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/tile_assignment.h"

namespace xla {

// InvalidArgument if an iota has another number of devices than there are tiles.
absl::Status CheckIotaCount(const TileAssignment& tiles);

}  // namespace xla

#endif  // XLA_HLO_IR_TILE_ASSIGNMENT_CHECK_H_
