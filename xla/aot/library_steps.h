// SPDX-License-Identifier: Apache-2.0
// Instructions that functions of the runtime compute (xla/aot/runtime/library_steps.h), and what
// these are told.
#ifndef XLA_AOT_LIBRARY_STEPS_H_
#define XLA_AOT_LIBRARY_STEPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::aot {

struct LibraryStep {
  std::string function;              // of the runtime
  std::vector<std::string> symbols;  // functions of the user that it calls
  std::vector<int64_t> parameters;   // follow the numbers of the symbols
};

// UNIMPLEMENTED for instructions that need other devices, the host, or a client.
absl::StatusOr<LibraryStep> LibraryStepOf(const HloInstruction& instruction);

}  // namespace xla::aot

#endif  // XLA_AOT_LIBRARY_STEPS_H_
