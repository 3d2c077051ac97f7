// SPDX-License-Identifier: Apache-2.0
// An instruction made again through the functions of XlaBuilder.
#ifndef TESTS_COVERAGE_OP_REBUILD_H_
#define TESTS_COVERAGE_OP_REBUILD_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A program that the builder makes from one call for the instruction's opcode, with parameters of
// the operands' shapes in place of its operands (tokens: after-all). Errors: those of the builder;
// UNIMPLEMENTED for opcodes that XLA's builder has no function for.
absl::StatusOr<std::unique_ptr<HloModule>> RebuildWithBuilder(const HloInstruction& instruction);

}  // namespace xla

#endif  // TESTS_COVERAGE_OP_REBUILD_H_
