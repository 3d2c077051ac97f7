// SPDX-License-Identifier: Apache-2.0
// Reductions along contiguous elements: vectors of partial results, combined in a fixed tree.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/passes/split_reductions.h"

namespace xla::cpu {
namespace {

// Vectors of up to this many lanes are combined with a rotated copy of themselves, which takes
// vector instructions only.
constexpr int kShortVector = 4;

// Rotates the lanes: lane i becomes what lane i + distance was.
Element Rotated(Ir& ir, const Element& element, int distance) {
  const auto rotated = [&](IrValue value) -> IrValue {
    if (value == nullptr || distance == 0) return value;
    std::vector<int> lanes;
    for (int i = 0; i < ir.Lanes(value); ++i) lanes.push_back((i + distance) % ir.Lanes(value));
    return ir.Shuffle(value, value, lanes);
  };
  return {rotated(element.re), rotated(element.im)};
}

Element FirstLaneOf(Ir& ir, const Element& element) {
  const auto first = [&](IrValue value) -> IrValue {
    return value == nullptr || ir.Lanes(value) == 1 ? value : ir.Extract(value, 0);
  };
  return {first(element.re), first(element.im)};
}

}  // namespace

// The base of both kinds of reductions along rows.
class ElementEmitter::RowReduction {
 public:
  RowReduction(ElementEmitter& emitter, const HloInstruction* instruction, Index index, int block)
      : e_(emitter),
        ir_(emitter.ir_),
        ops_(emitter.ops_),
        instruction_(*instruction),
        index_(index),
        inputs_(static_cast<size_t>(instruction->operand_count()) / 2),
        shape_(instruction->operand(0)->shape()),
        reducer_(*instruction->to_apply()),
        identity_(IdentityOfReducer(reducer_)),
        block_(block),
        vector_(emitter.row_lanes_),
        wide_(emitter.ops_, emitter.buffers_, block),
        narrow_(emitter.ops_, emitter.buffers_, vector_) {
    wide_.set_outer(&emitter);
    narrow_.set_outer(&emitter);
  }

 protected:
  bool IsReduced(int64_t dimension) const {
    return absl::c_linear_search(instruction_.dimensions(), dimension);
  }
  Element Identity(int lanes) {
    return ops_.Splat(ops_.Constant(identity_->shape().element_type(), identity_->untyped_data()),
                      lanes);
  }
  void KeepError(const ElementEmitter& emitter) {
    if (!emitter.status().ok() && e_.status_.ok()) e_.status_ = emitter.status();
  }

  ElementEmitter& e_;
  Ir& ir_;
  ElementOps& ops_;
  const HloInstruction& instruction_;
  const Index index_;
  const size_t inputs_;
  const Shape& shape_;  // of the operands
  const HloComputation& reducer_;
  const std::optional<Literal> identity_;  // of the reducer, if it has one
  const int block_;                        // lanes of the partial results
  const int vector_;                       // lanes of one vector
  ElementEmitter wide_, narrow_;           // of `block_` and `vector_` lanes
};

// Reduces all elements as one row.
class ElementEmitter::SingleRowReduction : public RowReduction {
 public:
  // `row_dims`: the reduced dimensions.
  SingleRowReduction(ElementEmitter& emitter, const HloInstruction* instruction, Index index,
                     std::vector<int64_t> row_dims, int64_t row_elements, int block)
      : RowReduction(emitter, instruction, index, block),
        row_dims_(std::move(row_dims)),
        row_elements_(row_elements),
        in_blocks_(row_elements / block * block),
        in_vectors_(row_elements / vector_ * vector_),
        done_(in_vectors_) {}

  std::vector<Element> Emit() {
    EmitBlocks();
    // Halves are combined. At the length of a vector, the vectors after the last block are added;
    // at shorter lengths, the rest of the row.
    for (int lanes = block_; lanes > 1; lanes /= 2) {
      if (lanes < vector_ && lanes >= kShortVector) EmitShortVector(lanes);
      if (lanes == vector_) EmitVectors();
      EmitHalves(lanes);
    }
    for (Element& element : partial_) element = FirstLaneOf(ir_, element);
    KeepError(narrow_);
    Accumulate(e_, done_, row_elements_, 1);
    std::vector<Element> arguments;
    for (size_t i = 0; i < inputs_; ++i) {
      arguments.push_back(e_.Emit(instruction_.operand(static_cast<int64_t>(inputs_ + i)), {}));
    }
    arguments.insert(arguments.end(), partial_.begin(), partial_.end());
    KeepError(wide_);
    return e_.Apply(reducer_, std::move(arguments));
  }

 private:
  bool StartsFromIdentity() const { return identity_.has_value() && inputs_ == 1; }

  // Appends the operands' elements from a position of the row on to the arguments of the reducer.
  std::vector<Element> OperandsAt(ElementEmitter& emitter, IrValue position, int lanes,
                                  std::vector<Element> arguments) {
    IndexTerm linear = {position, lanes > 1 ? 1 : 0, lanes};
    IndexVector operand_index;
    const IndexVector row = emitter.math().Delinearize(linear, row_dims_);
    size_t next_row = 0, next_kept = 0;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      operand_index.push_back(IsReduced(d) ? row[next_row++] : index_[next_kept++]);
    }
    for (size_t i = 0; i < inputs_; ++i) {
      const HloInstruction* operand = instruction_.operand(static_cast<int64_t>(i));
      arguments.push_back(ops_.Splat(emitter.Emit(operand, operand_index), lanes));
      StoreCopy(emitter, *operand, operand_index, lanes);
    }
    return arguments;
  }

  // Stores the elements that set_row_copy requested.
  void StoreCopy(ElementEmitter& emitter, const HloInstruction& operand, const IndexVector& index,
                 int lanes) {
    const HloInstruction* copied = e_.copied_;
    const bool converts = operand.opcode() == HloOpcode::kConvert && operand.operand(0) == copied;
    if (&operand != copied && !converts) return;
    const ElementAddress to = emitter.AddressOf({e_.copy_, false}, copied->shape(), index);
    ops_.Store(copied->shape().element_type(), ops_.Splat(emitter.Emit(copied, index), lanes),
               to.pointer, to.bytes);
    e_.has_copy_ = true;
  }

  // Partial results start from the identity, or else from the first block.
  void EmitBlocks() {
    int64_t begin = 0;
    if (StartsFromIdentity()) {
      partial_ = {Identity(block_)};
    } else {
      Scope scope(&wide_);
      partial_ = OperandsAt(wide_, ir_.Index(0), block_, {});
      begin = block_;
    }
    partial_ = FromCarried(
        ir_.PolledLoop(ir_.Index(begin), ir_.Index(in_blocks_), block_,
                       PollInterval(in_blocks_ / block_, static_cast<double>(block_) / vector_),
                       ToCarried(partial_),
                       [&](IrValue i, const Ir::Carried& carried) {
                         Scope scope(&wide_);
                         return ToCarried(wide_.Apply(
                             reducer_,
                             OperandsAt(wide_, i, block_, FromCarried(carried, partial_))));
                       }),
        partial_);
  }

  void EmitVectors() { Accumulate(narrow_, in_blocks_, in_vectors_, vector_); }

  // Combines the partial results with elements [begin, end), `lanes` at a time.
  void Accumulate(ElementEmitter& emitter, int64_t begin, int64_t end, int lanes) {
    partial_ = FromCarried(
        ir_.Loop(ir_.Index(begin), ir_.Index(end), lanes, ToCarried(partial_),
                 [&](IrValue i, const Ir::Carried& carried) {
                   Scope scope(&emitter);
                   return ToCarried(emitter.Apply(
                       reducer_, OperandsAt(emitter, i, lanes, FromCarried(carried, partial_))));
                 }),
        partial_);
  }

  // Combines partial results of few lanes with as many elements of the rest of the row. At the
  // shortest length fewer may be left: the vector ends with the row, without the elements that are
  // combined already.
  void EmitShortVector(int lanes) {
    const int64_t left = row_elements_ - done_;
    const bool is_last = lanes == kShortVector && left > 0 && left < lanes && StartsFromIdentity();
    if (!is_last && left < lanes) return;
    ElementEmitter part(ops_, e_.buffers_, lanes);
    part.set_outer(&e_);
    const int64_t position = is_last ? row_elements_ - lanes : done_;
    std::vector<Element> elements = OperandsAt(part, ir_.Index(position), lanes, {});
    if (is_last && part.status().ok()) {
      std::vector<int> chosen;
      for (int i = 0; i < lanes; ++i) chosen.push_back(i < lanes - left ? i : i + lanes);
      elements[0].re = ir_.Shuffle(Identity(lanes).re, elements[0].re, chosen);
    }
    elements.insert(elements.begin(), partial_.begin(), partial_.end());
    partial_ = part.Apply(reducer_, std::move(elements));
    KeepError(part);
    done_ += is_last ? left : lanes;
  }

  void EmitHalves(int lanes) {
    std::vector<Element> arguments;
    for (const bool second : {false, true}) {
      for (const Element& element : partial_) {
        arguments.push_back(lanes <= kShortVector ? Rotated(ir_, element, second ? lanes / 2 : 0)
                                                  : HalfOf(ir_, element, second));
      }
    }
    partial_ = wide_.Apply(reducer_, std::move(arguments));
  }

  const std::vector<int64_t> row_dims_;
  const int64_t row_elements_;
  const int64_t in_blocks_, in_vectors_;  // elements in whole blocks, in whole vectors
  int64_t done_;                          // elements that are combined before single ones are
  std::vector<Element> partial_;
};

// Reduces several dimensions row by row, for operands that are simple to compute only along a row.
// The reducer has one operand and an identity.
class ElementEmitter::MultiRowReduction : public RowReduction {
 public:
  MultiRowReduction(ElementEmitter& emitter, const HloInstruction* instruction, Index index,
                    absl::Span<const int64_t> reduced_sizes, int block)
      : RowReduction(emitter, instruction, index, block),
        length_(reduced_sizes.back()),
        outer_sizes_(reduced_sizes.first(reduced_sizes.size() - 1)),
        in_blocks_(length_ / block * block),
        in_vectors_(length_ / vector_ * vector_) {}

  std::vector<Element> Emit() {
    int64_t rows = 1;
    for (const int64_t size : outer_sizes_) rows *= size;
    // Reducers with an identity are of real numbers: elements have one part.
    const Ir::Carried carried = ir_.PolledLoop(
        ir_.Index(0), ir_.Index(rows), 1,
        PollInterval(rows, static_cast<double>(length_) / vector_),
        {Identity(block_).re, Identity(vector_).re},
        [&](IrValue row, const Ir::Carried& before) { return EmitRow(row, before); });
    std::vector<Element> total = {{carried[0]}};
    for (int lanes = block_; lanes > 1; lanes /= 2) {
      if (lanes == vector_) total = wide_.Apply(reducer_, {total[0], {carried[1]}});
      total = wide_.Apply(reducer_, {HalfOf(ir_, total[0], false), HalfOf(ir_, total[0], true)});
    }
    KeepError(wide_);
    KeepError(narrow_);
    return e_.Apply(reducer_, {e_.Emit(instruction_.operand(1), {}), total[0]});
  }

 private:
  // Combines a row with the partial results of whole blocks and those of vectors. Full vectors
  // follow the full blocks; the last vector overlaps its predecessor.
  Ir::Carried EmitRow(IrValue row, Ir::Carried partial) {
    const Scope scope(&e_);
    outer_ = e_.math_.Delinearize({row, 0, 1}, outer_sizes_);
    partial[0] =
        ir_.PolledLoop(ir_.Index(0), ir_.Index(in_blocks_), block_,
                       PollInterval(in_blocks_ / block_, static_cast<double>(block_) / vector_),
                       {partial[0]}, [&](IrValue i, const Ir::Carried& so_far) {
                         const Scope inner(&wide_);
                         return Ir::Carried{Combine(wide_, i, block_, so_far[0], nullptr)};
                       })[0];
    partial[1] = ir_.Loop(ir_.Index(in_blocks_), ir_.Index(in_vectors_), vector_, {partial[1]},
                          [&](IrValue i, const Ir::Carried& so_far) {
                            const Scope inner(&narrow_);
                            return Ir::Carried{Combine(narrow_, i, vector_, so_far[0], nullptr)};
                          })[0];
    if (in_vectors_ < length_) {
      const Scope inner(&narrow_);
      const int64_t first = length_ - vector_;
      const IrValue lane = narrow_.math().ToVector({ir_.Index(0), 1, vector_});
      const IrValue is_new =
          ir_.ICmp(LLVMIntSGE, lane, ir_.Const(ir_.TypeOf(lane), in_vectors_ - first));
      partial[1] = Combine(narrow_, ir_.Index(first), vector_, partial[1], is_new);
    }
    return partial;
  }

  // Combines the elements from a position of the row on; with a mask, only those where it is set.
  IrValue Combine(ElementEmitter& emitter, IrValue position, int lanes, IrValue so_far,
                  IrValue mask) {
    IndexVector operand_index;
    size_t next_outer = 0, next_kept = 0;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (!IsReduced(d)) {
        operand_index.push_back(index_[next_kept++]);
      } else if (next_outer < outer_.size()) {
        operand_index.push_back(outer_[next_outer++]);
      } else {
        operand_index.push_back({position, 1, mask == nullptr ? lanes : 1});
      }
    }
    Element value = ops_.Splat(emitter.Emit(instruction_.operand(0), operand_index), lanes);
    if (mask != nullptr) value = ops_.Select(mask, value, Identity(lanes));
    return emitter.Apply(reducer_, {{so_far}, value})[0].re;
  }

  const int64_t length_;
  const absl::Span<const int64_t> outer_sizes_;
  const int64_t in_blocks_, in_vectors_;  // elements in whole blocks, in whole vectors
  IndexVector outer_;                     // of the current row
};

std::vector<Element> ElementEmitter::EmitRowReduce(const HloInstruction* instruction, Index index,
                                                   int64_t row_elements, int block) {
  const int64_t inputs = instruction->operand_count() / 2;
  const Shape& shape = instruction->operand(0)->shape();
  const absl::Span<const int64_t> reduced = instruction->dimensions();
  std::vector<int64_t> row_dims;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (absl::c_linear_search(reduced, d))
      row_dims.push_back(shape.dimensions(static_cast<int>(d)));
  }
  bool is_in_order = row_dims.size() > 1;
  // From the first reduced dimension on, all dimensions are reduced or have one element.
  const int64_t minor = shape.rank() - *absl::c_min_element(reduced);
  for (int64_t i = 0; i < inputs; ++i) {
    is_in_order =
        is_in_order && ReadsInOrder(instruction->operand(i), minor,
                                    [&](const HloInstruction* o) { return buffers_.contains(o); });
  }
  // Rows that are contiguous in memory are treated as one, along the last dimension that is not 1:
  // indices of dimensions of one element are ignored.
  if (is_in_order) {
    const int64_t all =
        std::accumulate(row_dims.begin(), row_dims.end(), int64_t{1}, std::multiplies<int64_t>());
    size_t last = row_dims.size() - 1;
    while (last > 0 && row_dims[last] == 1) --last;
    std::fill(row_dims.begin(), row_dims.end(), 1);
    row_dims[last] = all;
  }
  if (const int64_t length = row_dims.back();
      row_dims.size() > 1 && length >= row_lanes_ && inputs == 1 && !is_in_order &&
      IdentityOfReducer(*instruction->to_apply()).has_value()) {
    while (block > row_lanes_ && length < 2 * block) block /= 2;
    return MultiRowReduction(*this, instruction, index, row_dims, block).Emit();
  }
  return SingleRowReduction(*this, instruction, index, std::move(row_dims), row_elements, block)
      .Emit();
}

}  // namespace xla::cpu
