// SPDX-License-Identifier: Apache-2.0
// Compiles modules ahead of time: to objects that run without the compiler, and the C header that
// declares their functions.
//
//   AotOptions options;
//   options.name = "digits";
//   options.targets = {"x86-64-v3", "x86-64-v2"};
//   XLA_ASSIGN_OR_RETURN(AotLibrary library,
//                        CompileAheadOfTime(module, DefaultCpuCompileOptions(), options));
#ifndef XLA_AOT_COMPILE_H_
#define XLA_AOT_COMPILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/aot/object_file.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::aot {

struct AotOptions {
  // Of the program: a C identifier, with which the names of its functions start.
  std::string name;
  // Names of TargetNamed (xla/cpu/codegen/code_generator.h), of one architecture. The first that a
  // machine has all instructions of is used there.
  std::vector<std::string> targets = {"native"};
  // Whether large constants are in a file of their own rather than in the objects.
  bool weights_in_file = false;
};

struct AotLibrary {
  std::string header;
  std::vector<ArchiveMember> members;
  std::string weights;  // the file; empty if there is none
};

// UNIMPLEMENTED, with the instruction and the reason, for programs of several devices and those
// that exchange data with the host while they run. INVALID_ARGUMENT for names and targets.
absl::StatusOr<AotLibrary> CompileAheadOfTime(const HloModule& module,
                                              const CpuCompileOptions& options,
                                              const AotOptions& aot_options);

}  // namespace xla::aot

#endif  // XLA_AOT_COMPILE_H_
