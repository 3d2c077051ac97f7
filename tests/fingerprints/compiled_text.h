// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of a program, as text that is the same on every machine.
#ifndef TESTS_FINGERPRINTS_COMPILED_TEXT_H_
#define TESTS_FINGERPRINTS_COMPILED_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/target.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::testing {

// The module in short, with its constants.
std::string TextOf(const HloModule& module);

// The passes that change the program when each runs alone, with a fingerprint of the result; but
// for those that programs of tests/passes specify whole.
std::string AfterEachPass(const HloModule& module);

// Machines that stand for all: with AVX-512, AVX2 and SSE4.2.
const std::vector<cpu::Target>& Targets();

struct CompiledText {
  std::string hlo;    // after all passes, without lowerings
  std::string steps;  // what runs when, and where arrays are
  std::string plans;  // of kernels, for each target
  std::string code;   // LLVM IR for each target; empty where LLVM cannot be loaded
};

// Compiles for each target, without folding constants, which would leave nothing of programs that
// have no arguments. INTERNAL if what a pass leaves is not valid or the lowerings contradict each
// other; other errors are those of programs that cannot be compiled. A fingerprint of `code`
// should be that of NormalizedCode(code).
absl::StatusOr<CompiledText> Compile(const HloModule& module,
                                     absl::Span<const cpu::Target> targets);

// LLVM IR without what depends on the order in which a C++ compiler evaluates arguments.
std::string NormalizedCode(const std::string& code);

}  // namespace xla::testing

#endif  // TESTS_FINGERPRINTS_COMPILED_TEXT_H_
