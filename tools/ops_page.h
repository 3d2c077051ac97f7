// SPDX-License-Identifier: Apache-2.0
// The documentation of operations as Markdown, generated from the operation table, the descriptions
// of attributes, the builder's header, opcode_docs and the examples.
#ifndef XYLEM_TOOLS_OPS_PAGE_H_
#define XYLEM_TOOLS_OPS_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// One attribute of an operation in HLO text.
struct OpAttribute {
  std::string name;
  std::string form;  // "{1, 0}", "true or false"
  bool required = false;
};
// In the order in which text is printed, called computations last.
std::vector<OpAttribute> OpAttributes(HloOpcode opcode);

// "result = shape add(lhs, rhs)", with the attributes that must be there.
std::string OpSynopsis(HloOpcode opcode);

// Every declaration in the builder's header of a function of this name, without the parameter for
// the place of the call. Empty if there is none.
std::vector<std::string> BuilderSignatures(std::string_view function);
// The names of all functions that the builder's header declares, each once.
std::vector<std::string> BuilderFunctions();

// "Elementwise", as a heading.
std::string_view OpFamilyTitle(OpFamily family);

// The anchor that GitHub derives from a heading.
std::string OpAnchor(std::string_view heading);

// The section of one operation.
std::string OpSection(HloOpcode opcode);

}  // namespace xla

#endif  // XYLEM_TOOLS_OPS_PAGE_H_
