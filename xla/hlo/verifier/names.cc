// SPDX-License-Identifier: Apache-2.0
// Verifier rules about what instructions state of their origin.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// Whether a node has the structure of a shape, whose tuples nest at most Shape::kMaxTupleDepth
// deep.
bool HasStructure(const OriginalValueNode& node, const Shape& shape) {
  if (!shape.IsTuple()) return !node.is_tuple;
  // XLA compares leaves: a tuple without any fits a tuple without any.
  if (!node.is_tuple) return false;
  if (static_cast<int>(node.elements.size()) != shape.tuple_shapes_size()) return false;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    if (!HasStructure(node.elements[i], shape.tuple_shapes(i))) return false;
  }
  return true;
}

}  // namespace

absl::Status CheckNamesUnchanged(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const auto& rare = instruction->metadata().rare;
      if (!rare.has_value() || rare->scheduling_name.empty()) continue;
      const std::string& name = instruction->name();
      if (rare->scheduling_name == name || absl::StrContains(name, ".remat") ||
          absl::StrContains(name, ".clone")) {
        continue;
      }
      return absl::FailedPreconditionError(
          absl::StrCat("Expected instruction name to remain the same. Was '", rare->scheduling_name,
                       "' is '", name, "'."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOriginalValues(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!instruction->has_extras()) continue;
      const auto& value = instruction->extras().original_value;
      if (!value.has_value() || value->is_synthetic_call ||
          HasStructure(value->root, instruction->shape())) {
        continue;
      }
      return InvalidArgument(
          "Mismatched tuple structure in original_value for instruction %s. Leaf indices in shape "
          "and original_value do not match.",
          instruction->ToShortString());
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
