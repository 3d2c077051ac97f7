// SPDX-License-Identifier: Apache-2.0
// What the documentation of operations is made of, embedded when the command is built: the programs
// of tests/operations and the header that declares the builder's functions.
#ifndef XYLEM_TOOLS_OPS_DATA_H_
#define XYLEM_TOOLS_OPS_DATA_H_

#include <string_view>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

struct OpExample {
  std::string_view name;  // of the file, without ".hlo": the text name of an opcode
  std::string_view text;
};

// By name. Defined in the generated ops_data.cc (cmake/embed.cmake).
absl::Span<const OpExample> OpExamples();
// xla/hlo/builder/xla_ops.h.
std::string_view BuilderHeader();

// The example that the documentation names for the opcode; null if there is no such file.
const OpExample* ExampleOf(HloOpcode opcode);

}  // namespace xla

#endif  // XYLEM_TOOLS_OPS_DATA_H_
