// SPDX-License-Identifier: Apache-2.0
// Completion scripts of shells, made of the table of commands.
#ifndef XYLEM_TOOLS_COMPLETIONS_H_
#define XYLEM_TOOLS_COMPLETIONS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/command.h"

namespace xla {

// `shell`: bash, zsh or fish; INVALID_ARGUMENT for others.
absl::StatusOr<std::string> CompletionScript(std::string_view shell,
                                             absl::Span<const Command> commands);

}  // namespace xla

#endif  // XYLEM_TOOLS_COMPLETIONS_H_
