// SPDX-License-Identifier: Apache-2.0
// Runs a command as a child process and collects what it prints.
#ifndef XYLEM_TOOLS_CHILD_H_
#define XYLEM_TOOLS_CHILD_H_

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xla {

struct ChildResult {
  int exit_code = -1;          // -1 if a signal ended it
  int signal = 0;              // that ended it; 0: none
  bool is_timed_out = false;   // it was ended since it took too long
  std::string output, errors;  // of standard output and standard error, the first megabyte of each
};

// words[0] is the program, found along PATH if it has no slash; standard input is empty. The child
// is ended, with all that it started, after `limit`, or once `cancel` (may be null) is set.
// NOT_FOUND or PERMISSION_DENIED if it cannot be started.
absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words, absl::Duration limit,
                                     const std::atomic<bool>* cancel = nullptr);

// The executable of this process.
std::string OwnExecutable();

}  // namespace xla

#endif  // XYLEM_TOOLS_CHILD_H_
