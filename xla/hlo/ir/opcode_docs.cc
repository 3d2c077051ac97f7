// SPDX-License-Identifier: Apache-2.0
// The documentation in opcodes.def as a table.
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
#include "xla/hlo/ir/opcodes.def"
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
static_assert(EveryOpcodeHasARow(), "an operation of opcodes.def has no OP_DOC");
static_assert(std::size(kRows) <= kNumHloOpcodes, "an operation has two OP_DOC");

}  // namespace

const OpcodeDoc& GetOpcodeDoc(HloOpcode opcode) {
  return kRows[static_cast<size_t>(kRowOf[static_cast<size_t>(opcode)])];
}

}  // namespace xla
