// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of a program from its instructions.
#include "xla/pjrt/cost.h"

#include <cstring>

#include "xla/hlo/ir/operation_cost.h"

namespace xla::pjrt {
namespace {

PJRT_NamedValue Property(const char* name, double value) {
  PJRT_NamedValue property = {};
  property.struct_size = sizeof(PJRT_NamedValue);
  property.name = name;
  property.name_size = std::strlen(name);
  property.type = PJRT_NamedValue_kFloat;
  property.float_value = static_cast<float>(value);
  property.value_size = 1;
  return property;
}

}  // namespace

std::vector<PJRT_NamedValue> CostProperties(const HloModule& module) {
  const OperationCost cost = ModuleCost(module);
  return {Property("flops", cost.flops), Property("transcendentals", cost.transcendentals),
          Property("bytes accessed", cost.bytes)};
}

}  // namespace xla::pjrt
