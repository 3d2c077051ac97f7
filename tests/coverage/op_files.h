// SPDX-License-Identifier: Apache-2.0
// The page docs/emitters.md: for each operation the files in which it is inferred, evaluated and
// compiled.
#ifndef TESTS_COVERAGE_OP_FILES_H_
#define TESTS_COVERAGE_OP_FILES_H_

#include <string>
#include <vector>

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// Paths from the root of the repository. Those of inference and interpreter are found by the names
// of their functions (InferDot, EvalDot), those of the compiler are listed in op_files.cc.
struct OpFiles {
  std::vector<std::string> inferred, evaluated, compiled;
};

// `root`: of the repository, whose sources are read.
OpFiles FilesOf(HloOpcode opcode, const std::string& root);

// What the table of the compiler says wrongly: files that do not exist, or none of which mentions
// the operation. One finding a line; empty if all is well.
std::string CheckOpFiles(const std::string& root);

std::string OpFilesPage(const std::string& root);

}  // namespace xla

#endif  // TESTS_COVERAGE_OP_FILES_H_
