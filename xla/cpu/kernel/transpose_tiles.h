// SPDX-License-Identifier: Apache-2.0
// Emits transposes of tiles of vectors in registers.
#ifndef XLA_CPU_KERNEL_TRANSPOSE_TILES_H_
#define XLA_CPU_KERNEL_TRANSPOSE_TILES_H_

#include <cstdint>
#include <vector>

#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The sizes of tiles and blocks, along the minor dimension of the operand (a) and along that of the
// result (b).
struct TransposeTiles {
  int lanes = 1;
  int tile = 1;                      // elements along each side of a tile
  int64_t block_a = 0, block_b = 0;  // elements of a unit
  // The units of the same block at all indices of the other dimensions are consecutive.
  bool blocks_are_outer = false;
  // Rows of the result are so short that vectors of columns are stored interleaved.
  bool interleaves = false;
  // Rows of the result are shorter than tiles and stored in two parts that overlap.
  bool pads = false;
  bool streams = false;
};

// Transposes n vectors of n lanes. n is a power of 2.
void TransposeRows(Ir& ir, std::vector<IrValue>& rows);

// Emits a loop over the units [begin, end) to the array at `target`, which shares no memory with
// the operand. Tiles of rows of the operand, as wide as the lanes of `rows`, are transposed in
// registers and written by rows of the result; tiles of narrow types consist of smaller ones, so
// that they are read and written by whole vectors. A unit is a block of tiles or, if rows of the
// result are short, a segment. The operand is in memory at `source`, or computed by `rows` if
// `source` is null. The last tiles of rows and columns that are not multiples of a tile overlap
// those before: units write the same values there.
void EmitTranspose(const HloInstruction& transpose, const TransposeTiles& tiles, ElementOps& ops,
                   ElementEmitter& rows, IrValue source, IrValue target, IrValue begin,
                   IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_TRANSPOSE_TILES_H_
