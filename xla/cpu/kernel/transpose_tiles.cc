// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/transpose_tiles.h"

#include <cstddef>
#include <numeric>
#include <vector>

#include "xla/cpu/codegen/index.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {

// Exchanges blocks of half the size, then of a quarter, and so on. The number of rows is a power of
// two.
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

namespace {

class TransposeEmitter {
 public:
  TransposeEmitter(const HloInstruction& transpose, const TransposeTiles& tiles, ElementOps& ops,
                   ElementEmitter& rows, IrValue source, IrValue target)
      : tiles_(tiles),
        root_(&transpose),
        shape_(root_->shape()),
        ir_(ops.ir()),
        ops_(ops),
        emitter_(rows),
        source_(source),
        target_(target),
        bytes_(primitive_util::ByteWidth(shape_.element_type())),
        lanes_(tiles_.lanes) {
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
    wide_ = ir_.Vector(ir_.Int(static_cast<int>(bytes_) * 8), tiles_.tile);
    if (source == nullptr || IsWide()) rows_ = ir_.Alloca(ir_.I8(), bytes_ * lanes_ * tiles_.tile);
    if (IsWide()) staged_ = ir_.Alloca(ir_.I8(), bytes_ * tiles_.tile * tiles_.tile);
  }

  void Emit(IrValue begin, IrValue end) {
    const int64_t blocks_a = CeilOfRatio(size_a(), tiles_.block_a);
    const int64_t blocks_b = CeilOfRatio(size_b(), tiles_.block_b);
    const int64_t blocks = blocks_a * blocks_b;
    int64_t others = 1;
    for (const int64_t size : outer_) others *= size;
    const IndexMath math(ir_, 1);
    ir_.Loop(begin, end, 1, [&](IrValue unit) {
      const auto quotient = [&](int64_t divisor) { return ir_.UDiv(unit, ir_.Index(divisor)); };
      const auto rest = [&](int64_t divisor) { return ir_.URem(unit, ir_.Index(divisor)); };
      const IrValue block = tiles_.blocks_are_outer ? quotient(others) : rest(blocks);
      const IrValue other = tiles_.blocks_are_outer ? rest(others) : quotient(blocks);
      Rows rows = {math.Delinearize({other, 0, 1}, outer_), source_, target_};
      for (size_t i = 0; i < outer_dims_.size(); ++i) {
        const IrValue index = rows.outer[i].base;
        if (source_ != nullptr)
          rows.read = ir_.Offset(rows.read, Times(index, from_[outer_dims_[i]]));
        rows.write = ir_.Offset(rows.write, Times(index, to_[outer_dims_[i]]));
      }
      const IrValue first_a = Times(ir_.URem(block, ir_.Index(blocks_a)), tiles_.block_a);
      const IrValue first_b = Times(ir_.UDiv(block, ir_.Index(blocks_a)), tiles_.block_b);
      const IrValue last_a = EndOf(first_a, tiles_.block_a, size_a());
      ir_.Loop(first_a, last_a, tiles_.tile, [&](IrValue a) {
        a = Within(a, size_a());
        if (tiles_.interleaves || tiles_.pads) {
          EmitShortRows(rows, a);
          return;
        }
        const IrValue last_b = EndOf(first_b, tiles_.block_b, size_b());
        ir_.Loop(first_b, last_b, tiles_.tile, [&](IrValue b) {
          b = Within(b, size_b());
          IsWide() ? EmitWideTile(rows, a, b) : EmitTile(rows, a, b);
        });
      });
    });
  }

 private:
  // Sizes of the result's dimensions: a_ is minor in the operand, b_ in the result.
  int64_t size_a() const { return shape_.dimensions(static_cast<int>(a_)); }
  int64_t size_b() const { return shape_.dimensions().back(); }

  // Rows at one index of all other dimensions.
  struct Rows {
    IndexVector outer;  // of outer_dims_
    IrValue read, write;
  };

  // Whether tiles consist of smaller ones, as those of narrow types do.
  bool IsWide() const { return tiles_.tile > lanes_; }

  IrValue Times(IrValue value, int64_t factor) { return ir_.Mul(value, ir_.Index(factor)); }

  IrValue EndOf(IrValue first, int64_t block, int64_t size) {
    const IrValue end = ir_.Add(first, ir_.Index(block));
    return size % block == 0 ? end : ir_.Binary("llvm.smin", end, ir_.Index(size));
  }

  // Moves a tile that would end after the array back to its end.
  IrValue Within(IrValue first, int64_t size) {
    return size % tiles_.tile == 0 ? first
                                   : ir_.Binary("llvm.smin", first, ir_.Index(size - tiles_.tile));
  }

  // Reads a vector of each of `count` rows of the operand.
  std::vector<IrValue> ReadRows(const Rows& at, IrValue first_a, IrValue first_b, int64_t count,
                                IrType type) {
    IrValue read = rows_;
    int64_t step = bytes_ * lanes_;
    if (source_ == nullptr) {
      ComputeRows(at, first_a, first_b, count);
    } else {
      read = ir_.Offset(ir_.Offset(at.read, Times(first_a, bytes_)), Times(first_b, from_[b_]));
      step = from_[b_];
    }
    std::vector<IrValue> rows;
    for (int64_t r = 0; r < count; ++r) {
      rows.push_back(
          ir_.Load(type, ir_.Offset(read, ir_.Index(r * step)), static_cast<int>(bytes_)));
    }
    return rows;
  }

  // Computes rows to rows_, with one copy of the code for all rows.
  void ComputeRows(const Rows& at, IrValue first_a, IrValue first_b, int64_t count) {
    const HloInstruction* operand = root_->operand(0);
    const auto dimension = [&](size_t d) { return static_cast<size_t>(root_->dimensions()[d]); };
    IndexVector index(to_.size());
    for (size_t i = 0; i < outer_dims_.size(); ++i) index[dimension(outer_dims_[i])] = at.outer[i];
    index[dimension(a_)] = {first_a, 1, size_a() % lanes_ == 0 ? lanes_ : 1};
    ir_.Loop(ir_.Index(0), ir_.Index(count), 1, [&](IrValue row) {
      const ElementEmitter::Scope scope(&emitter_);
      index[dimension(b_)] = {ir_.Add(first_b, row), 0, 1};
      const Element element = ops_.Splat(emitter_.Emit(operand, index), lanes_);
      ops_.Store(shape_.element_type(), element, rows_, Times(row, bytes_ * lanes_));
    });
  }

  IrValue WriteTo(const Rows& at, IrValue first_a, IrValue first_b) {
    return ir_.Offset(ir_.Offset(at.write, Times(first_a, to_[a_])), Times(first_b, bytes_));
  }

  void EmitTile(const Rows& at, IrValue first_a, IrValue first_b) {
    std::vector<IrValue> rows = ReadRows(at, first_a, first_b, lanes_, vector_);
    TransposeRows(ir_, rows);
    const IrValue out = WriteTo(at, first_a, first_b);
    for (int r = 0; r < lanes_; ++r) {
      ir_.Store(rows[static_cast<size_t>(r)], ir_.Offset(out, ir_.Index(r * to_[a_])),
                static_cast<int>(bytes_), tiles_.streams);
    }
  }

  // Reads and writes whole vectors: a few rows at a time are copied and transposed to a staging
  // area. One copy of the code serves all parts of the tile.
  void EmitWideTile(const Rows& at, IrValue first_a, IrValue first_b) {
    const int64_t row_bytes = bytes_ * tiles_.tile;
    const auto alignment = static_cast<int>(bytes_);
    const IrValue zero = ir_.Index(0), end = ir_.Index(tiles_.tile);
    ir_.Loop(zero, end, lanes_, [&](IrValue b) {
      const std::vector<IrValue> wide = ReadRows(at, first_a, ir_.Add(first_b, b), lanes_, wide_);
      for (size_t r = 0; r < wide.size(); ++r) {
        ir_.Store(wide[r], ir_.Offset(rows_, ir_.Index(static_cast<int64_t>(r) * row_bytes)),
                  alignment);
      }
      ir_.Loop(zero, end, lanes_, [&](IrValue part) {
        const IrValue read = ir_.Offset(rows_, Times(part, bytes_));
        const IrValue write =
            ir_.Offset(ir_.Offset(staged_, Times(part, row_bytes)), Times(b, bytes_));
        std::vector<IrValue> rows;
        for (int r = 0; r < lanes_; ++r)
          rows.push_back(ir_.Load(vector_, ir_.Offset(read, ir_.Index(r * row_bytes)), alignment));
        TransposeRows(ir_, rows);
        for (int r = 0; r < lanes_; ++r) {
          ir_.Store(rows[static_cast<size_t>(r)], ir_.Offset(write, ir_.Index(r * row_bytes)),
                    alignment);
        }
      });
    });
    const IrValue out = WriteTo(at, first_a, first_b);
    ir_.Loop(zero, end, 1, [&](IrValue r) {
      const IrValue row = ir_.Load(wide_, ir_.Offset(staged_, Times(r, row_bytes)), alignment);
      ir_.Store(row, ir_.Offset(out, Times(r, to_[a_])), alignment, tiles_.streams);
    });
  }

  // Emits all rows of a result whose rows are shorter than the lanes.
  void EmitShortRows(const Rows& at, IrValue first_a) {
    const IrValue zero = ir_.Index(0), out = WriteTo(at, first_a, zero);
    const auto alignment = static_cast<int>(bytes_);
    std::vector<IrValue> rows = ReadRows(at, first_a, zero, size_b(), vector_);
    if (tiles_.interleaves) {
      std::vector<Element> elements;
      for (const IrValue row : rows) elements.push_back({row});
      ir_.Store(ops_.Interleave(elements).re, out, alignment, tiles_.streams);
      return;
    }
    while (static_cast<int>(rows.size()) < lanes_) rows.push_back(ir_.Undef(vector_));
    TransposeRows(ir_, rows);
    for (int r = 0; r < lanes_; ++r) {
      for (const int64_t first : {int64_t{0}, size_b() - lanes_ / 2}) {
        std::vector<int> half(static_cast<size_t>(lanes_) / 2);
        std::iota(half.begin(), half.end(), static_cast<int>(first));
        const IrValue row = rows[static_cast<size_t>(r)];
        ir_.Store(ir_.Shuffle(row, row, half),
                  ir_.Offset(out, ir_.Index(r * to_[a_] + first * bytes_)), alignment);
      }
    }
  }

  const TransposeTiles& tiles_;
  const HloInstruction* const root_;
  const Shape& shape_;
  Ir& ir_;
  ElementOps& ops_;
  ElementEmitter& emitter_;
  const IrValue source_, target_;
  const int64_t bytes_;  // of an element
  const int lanes_;
  size_t a_, b_;
  std::vector<int64_t> from_, to_;  // bytes between neighbors in each dimension of the result
  std::vector<int64_t> outer_;      // sizes
  std::vector<size_t> outer_dims_;
  IrType vector_, wide_;
  IrValue rows_ = nullptr;    // computed, or copied
  IrValue staged_ = nullptr;  // of a wide tile
};

}  // namespace

void EmitTranspose(const HloInstruction& transpose, const TransposeTiles& tiles, ElementOps& ops,
                   ElementEmitter& rows, IrValue source, IrValue target, IrValue begin,
                   IrValue end) {
  TransposeEmitter(transpose, tiles, ops, rows, source, target).Emit(begin, end);
}

}  // namespace xla::cpu
