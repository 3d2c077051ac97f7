// SPDX-License-Identifier: Apache-2.0
// A folder of compiled programs, which later compilations of the same programs by any process take.
#ifndef XLA_SERVICE_PROGRAM_CACHE_H_
#define XLA_SERVICE_PROGRAM_CACHE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// CpuProgram::Compile with a folder, which is created if it is missing; none if it is empty. A file
// (saved_program.h) is that of one module and its options, made by the same build of this library
// for the same kind of machine. There are no errors of files: one that cannot be read, is damaged
// or does not fit counts as missing, and one that cannot be written is not kept. Files are written
// under temporary names and renamed, so that several processes may share a folder. Whoever can
// write to it can make its users run any code, so it is created for the owner alone. With options
// that look at the compilation (passes, LLVM IR, assembly, objects), or for another machine,
// programs are compiled.
absl::StatusOr<std::unique_ptr<CpuProgram>> CompileWithCache(const HloModule& module,
                                                             CpuCompileOptions options,
                                                             const std::string& folder);

}  // namespace xla

#endif  // XLA_SERVICE_PROGRAM_CACHE_H_
