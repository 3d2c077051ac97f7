// SPDX-License-Identifier: Apache-2.0
// Compilations that Ctrl-C cancels.
#ifndef XLA_PJRT_COMPILATION_H_
#define XLA_PJRT_COMPILATION_H_

#include "absl/status/statusor.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/program.h"

namespace xla::pjrt {

// Calls CompileProgram for the client. On the interpreter's main thread, which receives signals,
// another thread compiles: some steps of the compiler take seconds. A signal whose handler raises
// ends the wait with CANCELLED, and compilations in flight at their next step.
absl::StatusOr<ProgramPointer> CompileUnlessSignaled(const ClientPointer& client,
                                                     ProgramSource source);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_COMPILATION_H_
