// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/transpose_emitter.h"

#include <cstddef>
#include <vector>

#include "xla/cpu/index.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Exchanges blocks of half the size, then of a quarter, ... (a power of two of rows.)
void TransposeRows(Ir& ir, std::vector<IrValue>& rows) {
  const int n = static_cast<int>(rows.size());
  for (int half = n / 2; half >= 1; half /= 2) {
    std::vector<int> low, high;
    for (int lane = 0; lane < n; ++lane) {
      const bool upper = (lane & half) != 0;
      low.push_back(upper ? n + lane - half : lane);
      high.push_back(upper ? n + lane : lane + half);
    }
    const auto step = static_cast<size_t>(half);
    for (size_t r = 0; r < rows.size(); ++r) {
      if ((r & step) != 0) continue;
      const IrValue a = rows[r], b = rows[r + step];
      rows[r] = ir.Shuffle(a, b, low);
      rows[r + step] = ir.Shuffle(a, b, high);
    }
  }
}

}  // namespace

void EmitTranspose(Ir& ir, const KernelPlan& plan, IrValue source, IrValue target, IrValue begin,
                   IrValue end) {
  const KernelRegion& region = plan.regions[0];
  const HloInstruction* root = plan.fusion->to_apply()->root_instruction();
  const HloInstruction* operand = root->operand(0);
  const Shape& shape = root->shape();
  const auto& permutation = root->dimensions();
  const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  const int lanes = region.lanes;
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> from(rank, bytes), to(rank, bytes), from_of(rank);
  for (size_t d = rank; d-- > 1;) {
    from[d - 1] = from[d] * operand->shape().dimensions(static_cast<int>(d));
    to[d - 1] = to[d] * shape.dimensions(static_cast<int>(d));
  }
  for (size_t d = 0; d < rank; ++d) from_of[d] = from[static_cast<size_t>(permutation[d])];
  // Of the result: dimension `a` is minor in the operand, `b` in the result.
  const size_t b = rank - 1;
  size_t a = 0;
  while (permutation[a] != static_cast<int64_t>(rank) - 1) ++a;
  const int64_t size_a = shape.dimensions(static_cast<int>(a)), size_b = shape.dimensions().back();
  const IrType vector = ir.Vector(ir.Int(static_cast<int>(bytes) * 8), lanes);
  std::vector<int64_t> outer;
  std::vector<size_t> outer_dims;
  for (size_t d = 0; d < rank; ++d) {
    if (d == a || d == b) continue;
    outer.push_back(shape.dimensions(static_cast<int>(d)));
    outer_dims.push_back(d);
  }
  // The first element of a tile that would otherwise end behind the array.
  const auto within = [&](IrValue first, int64_t size) {
    return size % lanes == 0 ? first : ir.Binary("llvm.smin", first, ir.Index(size - lanes));
  };
  const int64_t tiles_b = (size_b + lanes - 1) / lanes;
  const IndexMath math(ir, 1);
  ir.Loop(begin, end, 1, [&](IrValue unit) {
    const IrValue tile = ir.URem(unit, ir.Index(tiles_b));
    const IndexVector index = math.Delinearize({ir.UDiv(unit, ir.Index(tiles_b)), 0, 1}, outer);
    IrValue read = source, write = target;
    for (size_t i = 0; i < outer_dims.size(); ++i) {
      read = ir.Offset(read, ir.Mul(index[i].base, ir.Index(from_of[outer_dims[i]])));
      write = ir.Offset(write, ir.Mul(index[i].base, ir.Index(to[outer_dims[i]])));
    }
    const IrValue first_b = within(ir.Mul(tile, ir.Index(lanes)), size_b);
    read = ir.Offset(read, ir.Mul(first_b, ir.Index(from_of[b])));
    write = ir.Offset(write, ir.Mul(first_b, ir.Index(bytes)));
    ir.PolledLoop(
        ir.Index(0), ir.Index(size_a), lanes, PollInterval(size_a / lanes, lanes), [&](IrValue i) {
          const IrValue first_a = within(i, size_a);
          std::vector<IrValue> rows;
          for (int r = 0; r < lanes; ++r) {
            const IrValue row = ir.Offset(read, ir.Index(r * from_of[b]));
            rows.push_back(ir.Load(vector, ir.Offset(row, ir.Mul(first_a, ir.Index(bytes))),
                                   static_cast<int>(bytes)));
          }
          TransposeRows(ir, rows);
          const IrValue out = ir.Offset(write, ir.Mul(first_a, ir.Index(to[a])));
          for (int r = 0; r < lanes; ++r) {
            ir.Store(rows[static_cast<size_t>(r)], ir.Offset(out, ir.Index(r * to[a])),
                     static_cast<int>(bytes), plan.streams);
          }
        });
  });
}

}  // namespace xla::cpu
