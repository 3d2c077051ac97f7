// SPDX-License-Identifier: Apache-2.0
// What must hold for any StableHLO program, and for any program that the CPU compiler takes.
#ifndef FUZZ_HOSTILE_STABLEHLO_CHECKS_H_
#define FUZZ_HOSTILE_STABLEHLO_CHECKS_H_

#include <string>

#include "xla/hlo/ir/hlo_module.h"

namespace xla::fuzz {

// Text or bytecode: what verifies prints, and reads back to the same print; what is translated
// verifies as HLO, and runs within bounds if `run`. True if the program was accepted.
bool CheckStableHlo(const std::string& bytes, bool run);

// The bytecode of a program's portable artifact; empty if there is none.
std::string ToBytecode(const std::string& text);

// Compiles a verified module and runs it on one device: an error or a result of the program's
// shape.
void CheckCompiled(const HloModule& module);

}  // namespace xla::fuzz

#endif  // FUZZ_HOSTILE_STABLEHLO_CHECKS_H_
