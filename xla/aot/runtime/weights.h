// SPDX-License-Identifier: Apache-2.0
// The weights of a program that keeps them in a file of their own.
#ifndef XLA_AOT_RUNTIME_WEIGHTS_H_
#define XLA_AOT_RUNTIME_WEIGHTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/aot/runtime/program.h"
#include "xla/aot/runtime/run.h"
#include "xla/aot/runtime/table.h"

namespace xla::aot {

// Returns the weights: the caller's, or those of a file, which is mapped into memory and belongs to
// the program then. An error if there are none, or if they are another program's.
absl::StatusOr<const char*> FindWeights(const ProgramTable& table,
                                        const xylem_load_options& options, Program& program);
void UnmapWeights(void* memory, int64_t bytes);

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_WEIGHTS_H_
