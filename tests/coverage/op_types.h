// SPDX-License-Identifier: Apache-2.0
// Programs with their element types changed: what an operation can be asked of which types.
#ifndef TESTS_COVERAGE_OP_TYPES_H_
#define TESTS_COVERAGE_OP_TYPES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/xla_data_enums.h"

namespace xla {

// All element types of arrays, in the order of xla_data.proto.
std::vector<PrimitiveType> ArrayElementTypes();

using TypeMap = std::map<PrimitiveType, PrimitiveType>;

// The program with every element type on the left replaced by that on the right: in shapes, and in
// constants, whose values are converted. Shapes that follow are inferred again. Errors: the
// specification does not allow the program, in shape inference or in the verifier.
absl::StatusOr<std::unique_ptr<HloModule>> WithElementTypes(const HloModule& module,
                                                            const TypeMap& types);

// The program up to the entry computation's instruction of this name, which is its result.
absl::StatusOr<std::unique_ptr<HloModule>> UpTo(const HloModule& module, const std::string& name);

}  // namespace xla

#endif  // TESTS_COVERAGE_OP_TYPES_H_
