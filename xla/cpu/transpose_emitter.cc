// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/transpose_emitter.h"

#include <cstddef>
#include <vector>

#include "xla/cpu/index.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

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

class TransposeEmitter {
 public:
  TransposeEmitter(const KernelPlan& plan, ElementOps& ops, ElementEmitter& rows, IrValue source,
                   IrValue target)
      : plan_(plan),
        region_(plan.regions[0]),
        root_(plan.fusion->to_apply()->root_instruction()),
        shape_(root_->shape()),
        ir_(ops.ir()),
        ops_(ops),
        emitter_(rows),
        source_(source),
        target_(target),
        bytes_(primitive_util::ByteWidth(shape_.element_type())),
        lanes_(region_.lanes) {
    const HloInstruction* operand = root_->operand(0);
    const auto rank = static_cast<size_t>(shape_.rank());
    std::vector<int64_t> from(rank, bytes_);
    to_.assign(rank, bytes_);
    for (size_t d = rank; d-- > 1;) {
      from[d - 1] = from[d] * operand->shape().dimensions(static_cast<int>(d));
      to_[d - 1] = to_[d] * shape_.dimensions(static_cast<int>(d));
    }
    for (size_t d = 0; d < rank; ++d)
      from_.push_back(from[static_cast<size_t>(root_->dimensions()[d])]);
    b_ = rank - 1;
    a_ = 0;
    while (root_->dimensions()[a_] != static_cast<int64_t>(rank) - 1) ++a_;
    for (size_t d = 0; d < rank; ++d) {
      if (d == a_ || d == b_) continue;
      outer_.push_back(shape_.dimensions(static_cast<int>(d)));
      outer_dims_.push_back(d);
    }
    vector_ = ir_.Vector(ir_.Int(static_cast<int>(bytes_) * 8), lanes_);
    if (source == nullptr) tile_ = ir_.Alloca(ir_.I8(), bytes_ * lanes_ * lanes_);
  }

  void Emit(IrValue begin, IrValue end) {
    const int64_t tiles_b = CeilOfRatio<int64_t>(size_b(), lanes_);
    const int64_t parts = plan_.interleaves ? region_.segments : tiles_b;
    const IndexMath math(ir_, 1);
    ir_.Loop(begin, end, 1, [&](IrValue unit) {
      const IrValue part = ir_.URem(unit, ir_.Index(parts));
      const IndexVector outer = math.Delinearize({ir_.UDiv(unit, ir_.Index(parts)), 0, 1}, outer_);
      Tile tile = {outer, source_, target_};
      for (size_t i = 0; i < outer_dims_.size(); ++i) {
        if (source_ != nullptr)
          tile.read = ir_.Offset(tile.read, Times(outer[i].base, from_[outer_dims_[i]]));
        tile.write = ir_.Offset(tile.write, Times(outer[i].base, to_[outer_dims_[i]]));
      }
      IrValue first = ir_.Index(0), last = ir_.Index(size_a());
      if (plan_.interleaves) {
        tile.first_b = ir_.Index(0);
        first = Times(part, region_.segment_length);
        last = ir_.Binary("llvm.smin", last, ir_.Add(first, ir_.Index(region_.segment_length)));
      } else {
        tile.first_b = Within(Times(part, lanes_), size_b());
      }
      if (source_ != nullptr) tile.read = ir_.Offset(tile.read, Times(tile.first_b, from_[b_]));
      tile.write = ir_.Offset(tile.write, Times(tile.first_b, bytes_));
      ir_.PolledLoop(first, last, lanes_, PollInterval(size_a() / lanes_, lanes_),
                     [&](IrValue i) { EmitTile(tile, Within(i, size_a())); });
    });
  }

 private:
  // Of the result: dimension a_ is minor in the operand, b_ in the result.
  int64_t size_a() const { return shape_.dimensions(static_cast<int>(a_)); }
  int64_t size_b() const { return shape_.dimensions().back(); }

  struct Tile {
    IndexVector outer;  // of outer_dims_
    IrValue read, write;
    IrValue first_b = nullptr;
  };

  IrValue Times(IrValue value, int64_t factor) { return ir_.Mul(value, ir_.Index(factor)); }

  // The first element of a tile that would otherwise end behind the array.
  IrValue Within(IrValue first, int64_t size) {
    return size % lanes_ == 0 ? first : ir_.Binary("llvm.smin", first, ir_.Index(size - lanes_));
  }

  // Rows of the operand, from first_b on.
  std::vector<IrValue> Rows(const Tile& tile, IrValue first_a, int64_t count) {
    IrValue read = tile_;
    int64_t step = bytes_ * lanes_;
    if (source_ == nullptr) {
      ComputeRows(tile, first_a, count);
    } else {
      read = ir_.Offset(tile.read, Times(first_a, bytes_));
      step = from_[b_];
    }
    std::vector<IrValue> rows;
    for (int64_t r = 0; r < count; ++r) {
      rows.push_back(
          ir_.Load(vector_, ir_.Offset(read, ir_.Index(r * step)), static_cast<int>(bytes_)));
    }
    return rows;
  }

  // To tile_. One copy of the code for all rows.
  void ComputeRows(const Tile& tile, IrValue first_a, int64_t count) {
    const HloInstruction* operand = root_->operand(0);
    const auto dimension = [&](size_t d) { return static_cast<size_t>(root_->dimensions()[d]); };
    IndexVector index(to_.size());
    for (size_t i = 0; i < outer_dims_.size(); ++i)
      index[dimension(outer_dims_[i])] = tile.outer[i];
    index[dimension(a_)] = {first_a, 1, size_a() % lanes_ == 0 ? lanes_ : 1};
    ir_.Loop(ir_.Index(0), ir_.Index(count), 1, [&](IrValue row) {
      const ElementEmitter::Scope scope(&emitter_);
      index[dimension(b_)] = {ir_.Add(tile.first_b, row), 0, 1};
      const Element element = ops_.Splat(emitter_.Emit(operand, index), lanes_);
      ops_.Store(shape_.element_type(), element, tile_, Times(row, bytes_ * lanes_));
    });
  }

  void EmitTile(const Tile& tile, IrValue first_a) {
    const IrValue out = ir_.Offset(tile.write, Times(first_a, to_[a_]));
    const int alignment = static_cast<int>(bytes_);
    if (plan_.interleaves) {
      std::vector<Element> rows;
      for (const IrValue row : Rows(tile, first_a, size_b())) rows.push_back({row});
      ir_.Store(ops_.Interleave(rows).re, out, alignment, plan_.streams);
      return;
    }
    std::vector<IrValue> rows = Rows(tile, first_a, lanes_);
    TransposeRows(ir_, rows);
    for (int r = 0; r < lanes_; ++r) {
      ir_.Store(rows[static_cast<size_t>(r)], ir_.Offset(out, ir_.Index(r * to_[a_])), alignment,
                plan_.streams);
    }
  }

  const KernelPlan& plan_;
  const KernelRegion& region_;
  const HloInstruction* const root_;
  const Shape& shape_;
  Ir& ir_;
  ElementOps& ops_;
  ElementEmitter& emitter_;
  const IrValue source_, target_;
  const int64_t bytes_;  // of an element
  const int lanes_;
  size_t a_, b_;
  std::vector<int64_t> from_, to_;  // bytes between neighbours in each dimension of the result
  std::vector<int64_t> outer_;      // sizes
  std::vector<size_t> outer_dims_;
  IrType vector_;
  IrValue tile_ = nullptr;  // computed rows
};

}  // namespace

void EmitTranspose(const KernelPlan& plan, ElementOps& ops, ElementEmitter& rows, IrValue source,
                   IrValue target, IrValue begin, IrValue end) {
  TransposeEmitter(plan, ops, rows, source, target).Emit(begin, end);
}

}  // namespace xla::cpu
