// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_products.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/primitive_util.h"
#include "xla/spmd/plan_steps.h"

namespace xla::spmd {
namespace {

// Operations that leave an array what it is: other layouts, shapes and types.
bool PassesArray(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCopy:
    case HloOpcode::kConvert:
    case HloOpcode::kTranspose:
    case HloOpcode::kOptimizationBarrier:
      return instruction.shape().IsArray();
    default:
      return IsView(instruction.opcode()) || instruction.info().async_role == AsyncRole::kDone;
  }
}

// Bytes that a device receives, and what that does to the array.
struct Movement {
  double bytes = 0;
  bool gathers = false, adds = false;
  DeviceGroups groups;
};

// nullopt for what is not a collective on one array. `position`: of the array among its operands.
absl::StatusOr<std::optional<Movement>> MovementOf(const HloInstruction& instruction,
                                                   int64_t position, const DeviceCounts& counts) {
  Movement movement;
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kAllToAll: {
      XLA_ASSIGN_OR_RETURN(movement.groups, FindDeviceGroups(instruction, counts));
      const double bytes = PlanBytes(instruction.operand(position)->shape());
      const auto p = static_cast<double>(movement.groups.size);
      const bool is_gather = instruction.opcode() == HloOpcode::kAllGather ||
                             instruction.opcode() == HloOpcode::kAllGatherStart;
      const bool is_sum = instruction.opcode() == HloOpcode::kAllReduce ||
                          instruction.opcode() == HloOpcode::kAllReduceStart;
      movement.gathers = is_gather;
      movement.adds = is_sum || instruction.opcode() == HloOpcode::kReduceScatter;
      movement.bytes = is_gather ? bytes * (p - 1)
                       : is_sum  ? 2 * bytes * (p - 1) / p
                                 : bytes * (p - 1) / p;
      return movement;
    }
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
      movement.bytes = PlanBytes(instruction.operand(position)->shape());
      return movement;
    default:
      return std::nullopt;
  }
}

constexpr int kLongestChain = 64;

// The collective that makes the array, behind operations that pass it.
absl::StatusOr<std::optional<Movement>> MovementBefore(const HloInstruction* array,
                                                       const DeviceCounts& counts) {
  for (int i = 0; i < kLongestChain; ++i) {
    const bool is_start = array->info().async_role == AsyncRole::kStart;
    if (array->operand_count() == 1 || is_start) {
      XLA_ASSIGN_OR_RETURN(std::optional<Movement> movement, MovementOf(*array, 0, counts));
      if (movement.has_value()) return movement;
    }
    if (!PassesArray(*array) || array->operand_count() != 1) break;
    array = array->operand(0);
  }
  return std::optional<Movement>();
}

absl::StatusOr<std::optional<Movement>> MovementAfter(const HloInstruction* array,
                                                      const DeviceCounts& counts) {
  for (int i = 0; i < kLongestChain && array->user_count() == 1; ++i) {
    const HloInstruction* const user = array->users()[0];
    const auto position = std::find(user->operands().begin(), user->operands().end(), array) -
                          user->operands().begin();
    XLA_ASSIGN_OR_RETURN(std::optional<Movement> movement, MovementOf(*user, position, counts));
    if (movement.has_value()) return movement;
    if (!PassesArray(*user)) break;
    array = user;
  }
  return std::optional<Movement>();
}

double SizeAlong(const Shape& shape, const std::vector<int64_t>& dimensions) {
  double size = 1;
  for (const int64_t d : dimensions)
    size *= static_cast<double>(shape.dimensions(static_cast<int>(d)));
  return size;
}

double AllElements(const Shape& shape) {
  double size = 1;
  for (const int64_t d : shape.dimensions()) size *= static_cast<double>(d);
  return size;
}

}  // namespace

absl::StatusOr<std::optional<PlannedProduct>> PlanProduct(const HloInstruction& instruction,
                                                          const DeviceCounts& counts,
                                                          const PlanMesh& mesh, double memory) {
  if (instruction.opcode() != HloOpcode::kDot) return std::nullopt;
  const auto& attributes = instruction.attributes<DotAttributes>();
  const Shape &lhs = instruction.operand(0)->shape(), &rhs = instruction.operand(1)->shape();
  PlannedProduct product;
  product.name = instruction.name();
  product.batch = SizeAlong(lhs, attributes.lhs_batch_dims);
  product.k = SizeAlong(lhs, attributes.lhs_contracting_dims);
  const double shared = product.batch * product.k;
  if (shared == 0) return product;
  product.m = AllElements(lhs) / shared;
  product.n = AllElements(rhs) / shared;

  XLA_ASSIGN_OR_RETURN(const std::optional<Movement> left,
                       MovementBefore(instruction.operand(0), counts));
  XLA_ASSIGN_OR_RETURN(const std::optional<Movement> right,
                       MovementBefore(instruction.operand(1), counts));
  XLA_ASSIGN_OR_RETURN(const std::optional<Movement> after, MovementAfter(&instruction, counts));
  std::vector<std::string> axes;
  const auto add = [&](const Movement& movement, double& size) {
    product.devices *= static_cast<double>(movement.groups.size);
    size *= static_cast<double>(movement.groups.size);
    axes.push_back(AxesText(movement.groups, mesh));
  };
  for (const auto* movement : {&left, &right, &after}) {
    if (movement->has_value()) product.moved += (*movement)->bytes;
  }
  const bool gathers_left = left.has_value() && left->gathers,
             gathers_right = right.has_value() && right->gathers;
  if (gathers_left && gathers_right && left->groups.digits == right->groups.digits) {
    // The same product on every device of a group.
    double ignored = 1;
    add(*left, ignored);
  } else {
    if (gathers_left) add(*left, product.n);
    if (gathers_right) add(*right, product.m);
  }
  if (after.has_value() && after->adds) add(*after, product.k);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  product.axes = axes.empty() ? "-" : absl::StrJoin(axes, ",");

  const PrimitiveType type = lhs.element_type();
  const double element = static_cast<double>(primitive_util::BitWidth(type)) / 8;
  const ProductBound bound =
      BoundOfProduct(product.m, product.n, product.k, product.devices, memory / element);
  product.least = bound.numbers * product.batch * element;
  product.regime = std::string(bound.regime);
  return product;
}

}  // namespace xla::spmd
