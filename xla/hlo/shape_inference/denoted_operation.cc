// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/shape_inference/denoted_operation.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

bool IsOfOneKind(PrimitiveType a, PrimitiveType b) {
  using namespace primitive_util;  // NOLINT
  return a == b || (IsFloatingPointType(a) && IsFloatingPointType(b)) ||
         (IsComplexType(a) && IsComplexType(b)) || (IsIntegralType(a) && IsIntegralType(b));
}

}  // namespace

absl::Status CheckDenotedResult(const HloInstruction& call, HloOpcode opcode,
                                const Attributes& attributes,
                                absl::Span<const Shape* const> operands) {
  std::vector<ProgramShape> signatures;
  std::vector<const ProgramShape*> callees;
  for (const HloComputation* callee : call.called_computations())
    signatures.push_back(callee->ComputeProgramShape());
  for (const ProgramShape& signature : signatures) callees.push_back(&signature);
  const absl::StatusOr<Shape> inferred = InferShape(
      {.opcode = opcode, .operands = operands, .attributes = attributes, .callees = callees});
  if (!inferred.ok()) return absl::InvalidArgumentError(inferred.status().message());
  const Shape& result = call.shape();
  if (result.IsArray() && inferred->IsArray() && result.dimensions() == inferred->dimensions() &&
      IsOfOneKind(result.element_type(), inferred->element_type())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its operands imply a result of ", inferred->ToString()));
}

}  // namespace xla
