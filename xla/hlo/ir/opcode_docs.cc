// SPDX-License-Identifier: Apache-2.0
// The rows of opcode_docs_*.def as a table.
#include "xla/hlo/ir/opcode_docs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xla {
namespace {

constexpr OpcodeDoc kRows[] = {
#define OP_DOC_SHARED(enumerator, example, builders, operands, rule) \
  {HloOpcode::enumerator, HloOpcode::example, builders, operands, rule},
#define OP_DOC(enumerator, builders, operands, rule) \
  OP_DOC_SHARED(enumerator, enumerator, builders, operands, rule)
#include "xla/hlo/ir/opcode_docs_array.def"
#include "xla/hlo/ir/opcode_docs_elementwise.def"
#include "xla/hlo/ir/opcode_docs_program.def"
#undef OP_DOC
#undef OP_DOC_SHARED
};

// Where the row of each opcode is.
constexpr int kMissing = -1;
constexpr std::array<int, kNumHloOpcodes> RowOfOpcode() {
  std::array<int, kNumHloOpcodes> rows{};
  for (int& row : rows) row = kMissing;
  int next = 0;
  for (const OpcodeDoc& doc : kRows) rows[static_cast<size_t>(doc.opcode)] = next++;
  return rows;
}
constexpr std::array<int, kNumHloOpcodes> kRowOf = RowOfOpcode();

constexpr bool EveryOpcodeHasARow() {
  for (const int row : kRowOf) {
    if (row == kMissing) return false;
  }
  return true;
}
static_assert(EveryOpcodeHasARow(), "an operation of opcodes.def has no row in opcode_docs_*.def");
static_assert(std::size(kRows) <= kNumHloOpcodes, "an operation has two rows in opcode_docs_*.def");

}  // namespace

const OpcodeDoc& GetOpcodeDoc(HloOpcode opcode) {
  return kRows[static_cast<size_t>(kRowOf[static_cast<size_t>(opcode)])];
}

}  // namespace xla
