// SPDX-License-Identifier: Apache-2.0
// What a program is reduced for: tests that run this command, or a script, on each smaller program.
#ifndef XYLEM_TOOLS_FAULT_TESTS_H_
#define XYLEM_TOOLS_FAULT_TESTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/debugging/reduction.h"

namespace xla {

struct FaultTestOptions {
  // "crash", "differs", "nan", "error:TEXT", "slower", or the path of an executable.
  std::string kind;
  std::string baseline;                      // of "slower": another xylem command
  double factor = 1.5;                       // of "slower"
  absl::Duration limit = absl::Seconds(60);  // of one test
  std::vector<std::string> options;          // of the command that runs the program
  std::string folder;                        // for temporary files; exists
};

// Whether the test looks at values, so that arguments belong to the program.
bool TestsValues(const std::string& kind);

// INVALID_ARGUMENT for kinds that are not known and no executable files.
absl::StatusOr<FaultTest> MakeFaultTest(const FaultTestOptions& options);

// The program as a file of the folder: HLO text, or a HloSnapshot if it has arguments.
absl::StatusOr<std::string> WriteProgramFile(const ReducibleProgram& program,
                                             const std::string& path_without_extension);

}  // namespace xla

#endif  // XYLEM_TOOLS_FAULT_TESTS_H_
