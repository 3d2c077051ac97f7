// SPDX-License-Identifier: Apache-2.0
// The value of any instruction at an index, as generated code: operations that move data become
// arithmetic on indices, elementwise ones code, reductions and windows loops.
#ifndef XLA_CPU_CODEGEN_ELEMENT_EMITTER_H_
#define XLA_CPU_CODEGEN_ELEMENT_EMITTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/index.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::cpu {

// An array in memory, dense and row-major.
struct ArrayBuffer {
  IrValue pointer = nullptr;
  bool invariant = false;  // nothing writes to it while the code runs
};

// Whether the emitter takes the instruction as part of a fusion.
bool CanEmitElement(const HloInstruction& instruction);

// Errors are collected: after the first one, values are meaningless and status() says why.
class ElementEmitter {
 public:
  // Arrays that are in memory, by the instruction that stands for them.
  using Buffers = absl::flat_hash_map<const HloInstruction*, std::vector<ArrayBuffer>>;

  // Instructions whose single element is known.
  using Elements = absl::flat_hash_map<const HloInstruction*, Element>;
  void set_elements(const Elements* elements) { elements_ = elements; }

  // `lanes`: of vectors. Indices of other emitters may be used by all that share the builder.
  ElementEmitter(ElementOps& ops, const Buffers& buffers, int lanes)
      : ops_(ops), ir_(ops.ir()), buffers_(buffers), lanes_(lanes), math_(ops.ir(), lanes) {}

  int lanes() const { return lanes_; }
  const IndexMath& math() const { return math_; }
  const absl::Status& status() const { return status_; }
  // All arrays of more than one element are taken as vectors of as many elements; indices have one
  // term. For fusions of elementwise operations.
  void set_linear(bool linear) { is_linear_ = linear; }
  bool is_linear() const { return is_linear_; }
  // Code around this emitter's: elements that it has made, of indices that are the same for all
  // lanes, are used again.
  void set_outer(const ElementEmitter* outer) {
    outer_ = outer;
    elements_ = outer->elements_;
  }
  // Reductions of rows write the elements of `instruction`, which they read, to the memory of an
  // array like it, where other code may read them.
  void set_row_copy(const HloInstruction* instruction, IrValue memory) {
    copied_ = instruction;
    copy_ = memory;
  }
  // Whether a reduction has done so.
  bool has_row_copy() const { return has_copy_; }
  // Operations that compute an element, up to what is in memory; about as many as there are.
  int64_t OperationsOf(const HloInstruction* instruction, int depth = 0) const;
  // Lanes of the vectors that scalar code reduces rows with.
  void set_row_lanes(int lanes) { row_lanes_ = lanes; }

  // The element of result `output` (of instructions with several) at the index. Scalar code where
  // the index is the same for all lanes.
  Element Emit(const HloInstruction* instruction, absl::Span<const IndexTerm> index,
               int output = 0);
  // The results of a computation on scalars for these arguments, all lanes; of lanes that the mask
  // leaves out, if there is one, anything. See nested_computation.h.
  std::vector<Element> Apply(const HloComputation& computation, std::vector<Element> arguments,
                             IrValue mask = nullptr);

  // A term from integer elements of a type; unsigned ones are limited to signed ones.
  IndexTerm TermOf(const Element& element, PrimitiveType type);

  // Where an element of a dense array is.
  ElementAddress AddressOf(const ArrayBuffer& buffer, const Shape& shape,
                           absl::Span<const IndexTerm> index);

  // While it lives, values of this emitter that are made are forgotten at its end: for code inside
  // of a loop or a branch.
  class Scope {
   public:
    explicit Scope(ElementEmitter* emitter) : emitter_(emitter) {
      emitter_->scopes_.emplace_back();
    }
    ~Scope() { emitter_->scopes_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ElementEmitter* emitter_;
  };

 private:
  using Index = absl::Span<const IndexTerm>;
  // Code of one instruction with loops of its own (element_emitter_*.cc).
  class DotLoops;
  class ReductionLoops;
  class RowReduction;
  class SingleRowReduction;
  class MultiRowReduction;
  class WindowLoops;

  struct Key {
    const HloInstruction* instruction;
    int output;
    IrValue mask;
    IndexVector index;
    bool operator<(const Key& o) const;
  };

  const Element* FindMade(const Key& key) const;
  Element Fail(const HloInstruction* instruction);
  Element Fail(const HloInstruction* instruction, absl::Status status);
  Element EmitUncached(const HloInstruction* instruction, Index index, int output);
  std::optional<Element> EmitMagnitudeComparison(const HloInstruction* compare, Index index);
  Element EmitElementwiseAt(const HloInstruction* instruction, Index index);
  Element EmitConstant(const HloInstruction* instruction);
  Element EmitBroadcast(const HloInstruction* instruction, Index index);
  Element EmitIota(const HloInstruction* instruction, Index index);
  Element EmitReshape(const HloInstruction* instruction, Index index);
  Element EmitTranspose(const HloInstruction* instruction, Index index);
  Element EmitSlice(const HloInstruction* instruction, Index index);
  Element EmitReverse(const HloInstruction* instruction, Index index);
  Element EmitPad(const HloInstruction* instruction, Index index);
  Element EmitConcatenate(const HloInstruction* instruction, Index index);
  std::optional<Element> EmitJoinedSlices(
      absl::Span<const std::pair<const HloInstruction*, int64_t>> parts, size_t dimension,
      Index index);
  Element EmitDynamicSlice(const HloInstruction* instruction, Index index);
  Element EmitDynamicUpdateSlice(const HloInstruction* instruction, Index index);
  Element EmitGather(const HloInstruction* instruction, Index index);
  std::vector<Element> EmitReduce(const HloInstruction* instruction, Index index);
  // A reduction along contiguous elements: vectors of partial results, combined in a fixed tree.
  std::vector<Element> EmitRowReduce(const HloInstruction* instruction, Index index,
                                     int64_t row_elements, int block);
  std::vector<Element> EmitReduceWindow(const HloInstruction* instruction, Index index);
  Element EmitMap(const HloInstruction* instruction, Index index);
  // Code of a computation that is no program: leaves of its parameters to leaves of its result.
  std::vector<Element> Evaluate(const HloComputation& computation, std::vector<Element> arguments,
                                int lanes);
  std::vector<Element> EvaluateInstruction(const HloInstruction* instruction,
                                           absl::Span<const std::vector<Element>> operands,
                                           int lanes);
  std::vector<Element> EvaluateConditional(const HloInstruction* conditional,
                                           absl::Span<const std::vector<Element>> operands,
                                           int lanes);
  std::vector<Element> EvaluateLoop(const HloInstruction* loop, std::vector<Element> state);
  std::vector<Element> ApplyToElement(const HloComputation& computation,
                                      std::vector<Element> arguments);
  std::vector<Element> ApplyToLanes(const HloComputation& computation,
                                    absl::Span<const Element> arguments, int lanes, IrValue mask);
  std::vector<Element> CallProgram(const HloComputation& computation,
                                   absl::Span<const Element> arguments);
  std::vector<Element> ZerosOf(const HloComputation& computation);
  Element EmitDot(const HloInstruction* instruction, Index index);
  // operand(i) of dynamic-slice and dynamic-update-slice, limited so that the slice is inside.
  IndexTerm StartIndex(const HloInstruction* operand, int64_t limit);
  // Adds bits to the mask while `emit` runs.
  Element UnderMask(IrValue bits, absl::FunctionRef<Element()> emit);
  // condition ? then() : otherwise(), by a branch where the condition is the same for all lanes:
  // only one side is computed then. Both sides give as many lanes.
  Element Choose(IrValue condition, int lanes, absl::FunctionRef<Element()> then,
                 absl::FunctionRef<Element()> otherwise);
  Element Load(const ArrayBuffer& buffer, const Shape& shape, Index index);
  // Loads the elements of a whole block of columns, if the index is one of them: see block_.
  std::optional<Element> LoadOfBlock(const HloInstruction* instruction, int output,
                                     const ArrayBuffer& buffer, const Shape& shape, Index index);
  // How many elements of each row a reduction across rows takes at a time; 0: one by one.
  int64_t BlockOfColumns(const HloInstruction& reduce) const;
  std::vector<Element> EmitAll(const HloInstruction* instruction, Index index);

  ElementOps& ops_;
  Ir& ir_;
  const Buffers& buffers_;
  const int lanes_;
  int row_lanes_ = 1;
  const ElementEmitter* outer_ = nullptr;
  const Elements* elements_ = nullptr;
  const IndexMath math_;
  bool is_linear_ = false;
  const HloInstruction* copied_ = nullptr;
  IrValue copy_ = nullptr;
  bool has_copy_ = false;
  IrValue mask_ = nullptr;
  // Minor indices of elements that are needed one after the other, in rows of so many elements of
  // which so many may be read from the first index on: arrays of such rows, one for each lane, are
  // loaded for all of them at once.
  std::vector<IndexTerm> block_;
  int64_t block_row_ = 0, block_room_ = 0;
  absl::Status status_;
  std::vector<std::map<Key, Element>> scopes_ = std::vector<std::map<Key, Element>>(1);
};

// Whether the instruction's elements in order, along its last `minor` dimensions, need elements in
// memory in order and what those dimensions do not change: they may be seen as one dimension.
bool ReadsInOrder(const HloInstruction* instruction, int64_t minor,
                  absl::FunctionRef<bool(const HloInstruction*)> is_in_memory);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_ELEMENT_EMITTER_H_
