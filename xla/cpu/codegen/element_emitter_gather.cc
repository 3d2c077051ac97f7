// SPDX-License-Identifier: Apache-2.0
// Gathers, and what is looked up in small arrays.
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {

IndexTerm ElementEmitter::ClampedTerm(const Element& start, PrimitiveType type, int64_t limit) {
  if (ops_.Lanes(start) == 1 || limit > IndexMath::kMostOffset)
    return math_.ClampUnlessAffine(TermOf(start, type), 0, limit + 1);
  // Positions are numbers of 32 bits then, of which twice as many fit a register.
  const IrType narrow = ir_.Vector(ir_.I32(), lanes_);
  const auto clamped = [&](IrValue value) {
    const IrValue most = ir_.Const(ir_.TypeOf(value), limit);
    if (primitive_util::IsUnsignedIntegralType(type)) return ir_.Binary("llvm.umin", value, most);
    const IrValue zero = ir_.Const(ir_.TypeOf(value), int64_t{0});
    return ir_.Binary("llvm.smin", ir_.Binary("llvm.smax", value, zero), most);
  };
  if (primitive_util::BitWidth(type) == 64)
    return math_.FromOffsets(ir_.Trunc(clamped(start.re), narrow), limit);
  const PrimitiveType wide = primitive_util::IsUnsignedIntegralType(type) ? U32 : S32;
  return math_.FromOffsets(clamped(ops_.Convert(type, wide, start).re), limit);
}

Element ElementEmitter::EmitGather(const HloInstruction* instruction, Index index) {
  const auto& g = instruction->attributes<GatherAttributes>();
  const HloInstruction* operand = instruction->operand(0);
  const HloInstruction* indices = instruction->operand(1);
  const Shape& operand_shape = operand->shape();
  IndexVector batch, offsets;
  for (size_t d = 0; d < index.size(); ++d) {
    (absl::c_linear_search(g.offset_dims, static_cast<int64_t>(d)) ? offsets : batch)
        .push_back(index[d]);
  }
  IndexVector operand_index(static_cast<size_t>(operand_shape.rank()), math_.Constant(0));
  size_t next_offset = 0;
  for (int64_t d = 0; d < operand_shape.rank(); ++d) {
    if (absl::c_linear_search(g.collapsed_slice_dims, d) ||
        absl::c_linear_search(g.operand_batching_dims, d))
      continue;
    operand_index[static_cast<size_t>(d)] = offsets[next_offset++];
  }
  // The position of a dimension of start_indices among the batch dimensions.
  const auto batch_term = [&](int64_t dim) {
    return batch[static_cast<size_t>(dim - (dim > g.index_vector_dim ? 1 : 0))];
  };
  for (size_t i = 0; i < g.operand_batching_dims.size(); ++i) {
    operand_index[static_cast<size_t>(g.operand_batching_dims[i])] =
        batch_term(g.start_indices_batching_dims[i]);
  }
  const int64_t indices_rank = indices->shape().rank();
  for (size_t i = 0; i < g.start_index_map.size(); ++i) {
    const auto d = static_cast<size_t>(g.start_index_map[i]);
    IndexVector position;
    for (int64_t dim = 0; dim < indices_rank; ++dim) {
      position.push_back(dim == g.index_vector_dim ? math_.Constant(static_cast<int64_t>(i))
                                                   : batch_term(dim));
    }
    const int64_t limit = operand_shape.dimensions(static_cast<int>(d)) - g.slice_sizes[d];
    if (limit == 0) continue;
    const Element start = Emit(indices, position);
    operand_index[d] =
        math_.Add(operand_index[d], ClampedTerm(start, indices->shape().element_type(), limit));
  }
  return Emit(operand, operand_index);
}

namespace {

// Elements of 4 bytes at positions in a table, which fills one or two registers.
class Table {
 public:
  // `lanes`: of a register.
  Table(Ir& ir, IrType element, const ArrayBuffer& buffer, int64_t count, int lanes)
      : ir_(ir), is_float_(ir.IsFloat(element)), lanes_(lanes) {
    const IrType vector = ir.Vector(element, lanes), positions = ir.Vector(ir.I32(), lanes);
    for (int64_t first = 0; first < count; first += lanes) {
      const IrValue place = ir.Offset(buffer.pointer, ir.Index(first * kBytes));
      const int64_t rest = count - first;
      registers_.push_back(rest >= lanes ? ir.Load(vector, place, kBytes, buffer.invariant)
                                         : ir.MaskedLoad(vector, place, kBytes,
                                                         ir.ICmp(LLVMIntULT, ir.Steps(positions, 1),
                                                                 ir.Const(positions, rest))));
    }
  }

  // Of a register; 0 if the machine has no instruction that takes positions.
  static int LanesOf(const Ir& ir) {
    const Machine& machine = ir.target().machine;
    if (machine.avx512 && machine.vector_bytes == 64) return 16;
    return machine.avx2 ? 8 : 0;
  }

  // The elements at as many positions as a register has lanes.
  IrValue LookUp(IrValue positions) const {
    if (lanes_ == 16) {
      if (registers_.size() == 1) {
        return ir_.Intrinsic(
            is_float_ ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx512.permvar.si.512", {},
            {registers_[0], positions});
      }
      return ir_.Intrinsic(
          is_float_ ? "llvm.x86.avx512.vpermi2var.ps.512" : "llvm.x86.avx512.vpermi2var.d.512", {},
          {registers_[0], positions, registers_[1]});
    }
    const auto of = [&](IrValue part) {
      return ir_.Intrinsic(is_float_ ? "llvm.x86.avx2.permps" : "llvm.x86.avx2.permd", {},
                           {part, positions});
    };
    if (registers_.size() == 1) return of(registers_[0]);
    const IrValue is_first =
        ir_.ICmp(LLVMIntULT, positions, ir_.Const(ir_.TypeOf(positions), int64_t{lanes_}));
    return ir_.Select(is_first, of(registers_[0]), of(registers_[1]));
  }

 private:
  static constexpr int kBytes = 4;

  Ir& ir_;
  const bool is_float_;
  const int lanes_;
  std::vector<IrValue> registers_;
};

}  // namespace

std::optional<Element> ElementEmitter::LoadOfTable(const ArrayBuffer& buffer, const Shape& shape,
                                                   Index index) {
  const PrimitiveType type = shape.element_type();
  const int64_t count = CountOf(shape);
  const int lanes = Table::LanesOf(ir_);
  if (is_linear_ || lanes == 0 || lanes_ % lanes != 0 || count == 1 || count > 2 * lanes ||
      (type != F32 && type != S32 && type != U32)) {
    return std::nullopt;
  }
  const IndexTerm linear = math_.Linearize(index, shape.dimensions());
  int64_t base = 0;
  if (!linear.nearby || !ir_.IsConst(linear.nearby->base, &base) || base != 0 ||
      linear.nearby->most >= count) {
    return std::nullopt;
  }
  const Table table(ir_, ops_.MemoryType(type), buffer, count, lanes);
  const IrValue positions = linear.nearby->offsets;
  return Element{ir_.ByRegisters(positions, positions,
                                 [&](IrValue part, IrValue) { return table.LookUp(part); })};
}

}  // namespace xla::cpu
