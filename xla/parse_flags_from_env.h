// SPDX-License-Identifier: Apache-2.0
// Flags in an environment variable, for programs written for XLA: "--steps=3 --name='two words'",
// or the name of a file with such text if the value does not begin with '-'.
//
// Flags are separated by white space. A value in single quotes is taken as it stands; in double
// quotes a backslash makes the next character an ordinary one. Text from the first word on that
// does not begin with '-' is not read.
#ifndef XLA_PARSE_FLAGS_FROM_ENV_H_
#define XLA_PARSE_FLAGS_FROM_ENV_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/tsl/util/command_line_flags.h"

namespace xla {

// Hands the flags of the variable to `flag_list`. The variable is read once in a process: a later
// call sees the flags that no earlier one took. With `reset_envvar` it is read again. Ends the
// process with exit code 1 and a sentence on stderr if a value is not allowed, a file cannot be
// read, or flags remain; ..IgnoreUnknown leaves those for others. Thread-safe.
void ParseFlagsFromEnvAndDieIfUnknown(absl::string_view envvar,
                                      const std::vector<tsl::Flag>& flag_list,
                                      bool reset_envvar = false);
void ParseFlagsFromEnvAndIgnoreUnknown(absl::string_view envvar,
                                       const std::vector<tsl::Flag>& flag_list,
                                       bool reset_envvar = false);

// The flags of the variable as it is now; none if it is not set. NotFound if it names a file that
// cannot be read, ResourceExhausted for files of more than 1 MiB.
absl::StatusOr<std::vector<std::string>> FlagsFromEnv(absl::string_view envvar);

// For tests: forgets what was read. *argc counts the flags that nobody took, after (*argv)[0],
// which stands for the program; both are filled by the next call of the functions above.
void ResetFlagsFromEnvForTesting(absl::string_view envvar, int** argc, std::vector<char*>** argv);

}  // namespace xla

#endif  // XLA_PARSE_FLAGS_FROM_ENV_H_
