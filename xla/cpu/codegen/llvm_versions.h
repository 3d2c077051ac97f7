// SPDX-License-Identifier: Apache-2.0
// The versions of LLVM that the compiler works with, and where their C API and their IR differ.
//
// The functions of llvm_functions.def, the enumerations that they take (kinds of types, predicates,
// linkages, levels of optimization) and the passes that are run by name are the same in all of
// them.
#ifndef XLA_CPU_CODEGEN_LLVM_VERSIONS_H_
#define XLA_CPU_CODEGEN_LLVM_VERSIONS_H_

namespace xla::cpu {

struct LlvmVersion {
  int major;
  // How masked loads and gathers state their alignment: by an operand after the pointer or, from 22
  // on, by an attribute of the pointer.
  bool masked_alignment_is_operand;
};

// In order of preference: the first one that is found is used. The first version is that of the
// code recorded in the tests.
inline constexpr LlvmVersion kLlvmVersions[] = {
    {19, true}, {20, true}, {21, true}, {22, false}, {18, true},
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_LLVM_VERSIONS_H_
