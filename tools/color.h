// SPDX-License-Identifier: Apache-2.0
// Colors on a terminal: --color, which NO_COLOR (https://no-color.org) and a terminal that cannot
// show any overrule where it is "auto".
#ifndef XYLEM_TOOLS_COLOR_H_
#define XYLEM_TOOLS_COLOR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/command.h"

namespace xla {

OptionSpec ColorOption();

// Whether what is written to this file descriptor has colors.
bool UsesColor(const Arguments& arguments, int fd);

// "xylem: MESSAGE" on stderr. In colors, the place "file:line:column:" and the mark under a line of
// source stand out.
void PrintDiagnostic(const Arguments& arguments, const std::string& message);
// The same with the name of the file that the error is about.
void PrintDiagnosticAbout(const Arguments& arguments, const std::string& path,
                          const absl::Status& status);

// A message as PrintDiagnostic shows it.
std::string ColoredDiagnostic(std::string_view message);
// Lines that begin with "- ", "+ " and "~ " in red, green and yellow.
std::string ColoredDifference(std::string_view text);

}  // namespace xla

#endif  // XYLEM_TOOLS_COLOR_H_
