// SPDX-License-Identifier: Apache-2.0
// Products of matrices with the collectives that they need, beside what any algorithm must move
// (plan_bounds.h).
//
// The program of one device shows its part of a product only. Collectives on operands and result
// say how devices work together: those of a group that gathers the left operand have different
// columns of the right one, those that gather the right one different rows of the left one, and
// those that add results different parts of the contracted dimension. Other devices have products
// of their own.
#ifndef XLA_SPMD_PLAN_PRODUCTS_H_
#define XLA_SPMD_PLAN_PRODUCTS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/plan_bounds.h"
#include "xla/spmd/plan_groups.h"

namespace xla::spmd {

struct PlannedProduct {
  std::string name, source;
  double batch = 1, m = 1, n = 1, k = 1;  // of the devices that work together
  double devices = 1;                     // how many
  std::string axes;                       // of the mesh that they span
  double runs = 1;
  double moved = 0;    // bytes that a device receives by collectives on operands and result
  double least = 0;    // bytes, of the bound
  std::string regime;  // see ProductBound
};

// nullopt for other instructions than dots. `memory`: bytes of a device, 0 if not known.
absl::StatusOr<std::optional<PlannedProduct>> PlanProduct(const HloInstruction& instruction,
                                                          const DeviceCounts& counts,
                                                          const PlanMesh& mesh, double memory);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_PRODUCTS_H_
