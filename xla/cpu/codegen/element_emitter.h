// SPDX-License-Identifier: Apache-2.0
// Emits code for the value of any instruction at an index: operations that move data become
// arithmetic on indices, elementwise operations become code, reductions and windows become loops.
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

// Whether the emitter can emit the instruction as part of a fusion.
bool CanEmitElement(const HloInstruction& instruction);

// Errors are collected: after the first one, values are meaningless and status() says why.
class ElementEmitter {
 public:
  // Arrays in memory, by the instructions whose results they are.
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
  // Treats all arrays of more than one element as vectors of the same length; indices have one
  // term. For fusions of elementwise operations.
  void set_linear(bool linear) { is_linear_ = linear; }
  bool is_linear() const { return is_linear_; }
  // Sets the emitter of the enclosing code: elements that it has emitted for indices that are the
  // same for all lanes are reused.
  void set_outer(const ElementEmitter* outer) {
    outer_ = outer;
    elements_ = outer->elements_;
  }
  // Makes reductions of rows write the elements of `instruction`, which they read, to the memory of
  // an array of the same shape, where other code may read them.
  void set_row_copy(const HloInstruction* instruction, IrValue memory) {
    copied_ = instruction;
    copy_ = memory;
  }
  // Whether a reduction has done so.
  bool has_row_copy() const { return has_copy_; }
  // Estimates the operations that compute an element from what is in memory.
  int64_t OperationsOf(const HloInstruction* instruction, int depth = 0) const;
  // Sets the lanes of the vectors with which scalar code reduces rows.
  void set_row_lanes(int lanes) { row_lanes_ = lanes; }

  // Emits the element of result `output` (of instructions with several) at the index; as scalar
  // code if the index is the same for all lanes.
  Element Emit(const HloInstruction* instruction, absl::Span<const IndexTerm> index,
               int output = 0);
  // Emits the results of a computation on scalars for these arguments, in all lanes. Lanes that the
  // mask leaves out, if there is one, are undefined. See nested_computation.h.
  std::vector<Element> Apply(const HloComputation& computation, std::vector<Element> arguments,
                             IrValue mask = nullptr);

  // Converts integer elements of a type to a term; unsigned ones are clamped to the range of signed
  // ones.
  IndexTerm TermOf(const Element& element, PrimitiveType type);
  // The same, clamped to 0..limit.
  IndexTerm ClampedTerm(const Element& start, PrimitiveType type, int64_t limit);

  // Returns the address of an element of a dense array.
  ElementAddress AddressOf(const ArrayBuffer& buffer, const Shape& shape,
                           absl::Span<const IndexTerm> index);

  // Forgets, at the end of its life, the values that the emitter has emitted meanwhile: for code
  // within a loop or a branch.
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
  // Emitters of instructions with loops of their own (element_emitter_*.cc).
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
  // Emits a reduction along contiguous elements: vectors of partial results, combined in a fixed
  // tree.
  std::vector<Element> EmitRowReduce(const HloInstruction* instruction, Index index,
                                     int64_t row_elements, int block);
  std::vector<Element> EmitReduceWindow(const HloInstruction* instruction, Index index);
  Element EmitMap(const HloInstruction* instruction, Index index);
  // Emits a computation that is not a program of its own: maps the leaves of its parameters to the
  // leaves of its result.
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
  // Emits operand(i) of dynamic-slice and dynamic-update-slice, clamped so that the slice is inside
  // the array.
  IndexTerm StartIndex(const HloInstruction* operand, int64_t limit);
  // Adds bits to the mask while `emit` runs. What one bit for all lanes depends on must be clamped,
  // so that all may be read in spite of it.
  Element UnderMask(IrValue bits, absl::FunctionRef<Element()> emit);
  // Emits condition ? then() : otherwise(), as a branch if the condition is the same for all lanes,
  // so that only one side is computed. Both sides have as many lanes.
  Element Choose(IrValue condition, int lanes, absl::FunctionRef<Element()> then,
                 absl::FunctionRef<Element()> otherwise);
  Element Load(const ArrayBuffer& buffer, const Shape& shape, Index index);
  // Loads the elements of a whole block of columns, if the index is that of one; see block_.
  std::optional<Element> LoadOfBlock(const HloInstruction* instruction, int output,
                                     const ArrayBuffer& buffer, const Shape& shape, Index index);
  // Looks elements up in an array that fits one or two registers, by lanes that are known to be in
  // it.
  std::optional<Element> LoadOfTable(const ArrayBuffer& buffer, const Shape& shape, Index index);
  // Returns how many elements of each row a reduction across rows loads at a time; 0 if it loads
  // them one by one.
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
  bool is_mask_uniform_ = false;  // see ElementAddress
  // The minor indices of elements that are needed one after the other, with the length of the rows
  // and how many elements may be read from the first index on. Arrays of such rows, one for each
  // lane, are loaded for all of the indices at once.
  std::vector<IndexTerm> block_;
  int64_t block_row_ = 0, block_room_ = 0;
  absl::Status status_;
  std::vector<std::map<Key, Element>> scopes_ = std::vector<std::map<Key, Element>>(1);
};

// Whether the last `minor` dimensions of the instruction may be treated as one: going through them
// in order reads elements in memory in order, apart from operands that do not depend on them.
bool ReadsInOrder(const HloInstruction* instruction, int64_t minor,
                  absl::FunctionRef<bool(const HloInstruction*)> is_in_memory);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_ELEMENT_EMITTER_H_
