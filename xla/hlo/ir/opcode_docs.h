// SPDX-License-Identifier: Apache-2.0
// What docs/operations.md says of each operation beyond the operation table: the functions of the
// builder that make it, names for its operands, its rule. Signatures come from the builder's
// header, attributes from their description, examples are programs of tests/operations.
#ifndef XLA_HLO_IR_OPCODE_DOCS_H_
#define XLA_HLO_IR_OPCODE_DOCS_H_

#include <string_view>

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// One OP_DOC of opcodes_*.def:
//   OP_DOC(enumerator, "Builder functions", "operands", R"(rule)")
//   OP_DOC_SHARED(enumerator, example, ...)   where another operation's program is the example
struct OpcodeDoc {
  HloOpcode opcode;
  HloOpcode example;          // tests/operations/NAME.hlo of this opcode shows the operation
  std::string_view builders;  // names of xla_ops.h, blank-separated; empty: XLA's builder has none
  std::string_view operands;  // "lhs, rhs"; "operands..." stands for any number
  std::string_view rule;      // Markdown
};

// Every opcode has a row; one without does not compile.
const OpcodeDoc& GetOpcodeDoc(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_HLO_IR_OPCODE_DOCS_H_
