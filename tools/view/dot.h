// SPDX-License-Identifier: Apache-2.0
// Programs as graphs for Graphviz.
#ifndef XYLEM_TOOLS_VIEW_DOT_H_
#define XYLEM_TOOLS_VIEW_DOT_H_

#include <string>

#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A digraph with a cluster for each computation: nodes with name, opcode and shape, edges from
// operands to users, and dashed ones to the computations that an instruction calls.
std::string ModuleToDot(const HloModule& module);

}  // namespace xla

#endif  // XYLEM_TOOLS_VIEW_DOT_H_
