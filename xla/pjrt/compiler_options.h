// SPDX-License-Identifier: Apache-2.0
// Options of the compiler that come with a program: jit(f, compiler_options={..}) in JAX.
#ifndef XLA_PJRT_COMPILER_OPTIONS_H_
#define XLA_PJRT_COMPILER_OPTIONS_H_

#include "absl/status/status.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace xla::pjrt {

// Checks the options, which are fields of DebugOptions; only xla_cpu_max_isa has an effect.
// InvalidArgument, in XLA's words, for unknown names, and for values that do not have the type of
// the field.
absl::Status CheckCompilerOptions(const CompileOptionsProto& options);

// Returns the debug options of the build options, or DebugOptionsFromEnv if there are none,
// overridden by env_option_overrides. Precondition: CheckCompilerOptions.
DebugOptions DebugOptionsOf(const CompileOptionsProto& options);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_COMPILER_OPTIONS_H_
