// SPDX-License-Identifier: Apache-2.0
// Compiled programs as bytes: for serialized executables, and for the files of a cache.
#ifndef XLA_SERVICE_SAVED_PROGRAM_H_
#define XLA_SERVICE_SAVED_PROGRAM_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Returns a program that was compiled with keep_objects as bytes. `key` says of what: the module
// and all options that the caller knows of. RESOURCE_EXHAUSTED beyond the 2 GB that a module can
// have as a proto.
absl::StatusOr<std::string> SaveProgram(const CpuProgram& program, std::string_view key);

// Whether these are unchanged bytes of a program with this key.
bool IsSavedProgram(std::string_view bytes, std::string_view key);

// Loads what SaveProgram has returned in the same build of this library, in a fraction of the time
// of a compilation. `module`: what was compiled. FAILED_PRECONDITION for another key, on another
// kind of machine or with other options, DATA_LOSS if bytes have changed or are missing; the module
// can be compiled instead. The bytes hold machine code: whoever can write them can run any code.
absl::StatusOr<std::unique_ptr<CpuProgram>> LoadProgram(const HloModule& module,
                                                        std::string_view bytes,
                                                        std::string_view key,
                                                        const CpuCompileOptions& options);

}  // namespace xla

#endif  // XLA_SERVICE_SAVED_PROGRAM_H_
