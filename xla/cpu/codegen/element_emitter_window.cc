// SPDX-License-Identifier: Apache-2.0
// Emits elements of reduce-window: loops over the taps of a window, with a mask for those outside
// of the operand.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/nested_computation.h"

namespace xla::cpu {

class ElementEmitter::WindowLoops {
 public:
  WindowLoops(ElementEmitter& emitter, const HloInstruction* instruction, Index index)
      : e_(emitter),
        ir_(emitter.ir_),
        ops_(emitter.ops_),
        math_(emitter.math_),
        instruction_(*instruction),
        index_(index),
        inputs_(static_cast<size_t>(instruction->operand_count()) / 2),
        shape_(instruction->operand(0)->shape()),
        rank_(static_cast<size_t>(shape_.rank())),
        window_(instruction->attributes<WindowAttributes>().window),
        lanes_(HasLanes(index) ? emitter.lanes_ : 1),
        cost_of_reducer_(CostOfNested(*instruction->to_apply())) {}

  std::vector<Element> Emit() {
    for (size_t i = 0; i < inputs_; ++i) {
      initial_.push_back(
          ops_.Splat(e_.Emit(instruction_.operand(static_cast<int64_t>(inputs_ + i)), {}), lanes_));
    }
    if (!e_.status_.ok()) return initial_;
    tap_.assign(rank_, math_.Constant(0));
    double steps = 1;
    for (size_t d = 0; d < rank_; ++d) steps *= static_cast<double>(StepsOf(d));
    constexpr double kMostUnrolled = 16;
    unroll_ = steps <= kMostUnrolled && AppliesVectors(instruction_);
    const bool visited_rows = ops_.visits_rows();
    ops_.set_visits_rows(true);
    size_t along = 0;
    IrValue all_inside = nullptr;
    while (along < rank_ && (all_inside = AreLanesInside(along)) == nullptr) ++along;
    // Most windows need no mask.
    const Ir::Carried last =
        all_inside == nullptr
            ? EmitLoops(rank_)
            : ir_.If(
                  all_inside, [&] { return EmitLoops(along); }, [&] { return EmitLoops(rank_); });
    ops_.set_visits_rows(visited_rows);
    return FromCarried(last, initial_);
  }

 private:
  // Loops visit the taps of a window, or the elements of the operand where those are fewer: windows
  // may be larger than any array.
  bool VisitsElements(size_t d) const {
    return window_[d].size > shape_.dimensions(static_cast<int>(d));
  }
  int64_t StepsOf(size_t d) const {
    return VisitsElements(d) ? shape_.dimensions(static_cast<int>(d)) : window_[d].size;
  }

  // For a padded dimension along which the lanes' indices differ: whether the windows of all lanes
  // lie within the operand. Null for other dimensions.
  IrValue AreLanesInside(size_t d) {
    const WindowDim& dim = window_[d];
    if (lanes_ == 1 || index_[d].step <= 0 || index_[d].lanes != nullptr || VisitsElements(d) ||
        dim.base_dilation > 1 || (dim.padding_low <= 0 && dim.padding_high <= 0)) {
      return nullptr;
    }
    const int64_t reach =
        (dim.size - 1) * dim.window_dilation + (lanes_ - 1) * index_[d].step * dim.stride;
    const int64_t starts = shape_.dimensions(static_cast<int>(d)) - reach;
    if (starts <= 0) return nullptr;
    const IndexTerm first =
        math_.AddConstant(math_.Multiply(index_[d], dim.stride), -dim.padding_low);
    return ir_.ICmp(LLVMIntULT, first.base, ir_.Index(starts));
  }

  // Emits the loops over all dimensions. Windows are known to lie within the operand along
  // dimension `inside_along`; `rank_` if none is known.
  Ir::Carried EmitLoops(size_t inside_along) {
    const Scope scope(&e_);
    inside_along_ = inside_along;
    return EmitLevel(0, ToCarried(initial_));
  }

  Ir::Carried EmitLevel(size_t d, Ir::Carried carried) {
    if (d == rank_) return EmitTap(carried);
    const int64_t count = StepsOf(d);
    if (count == 1) {
      tap_[d] = math_.Constant(0);
      return EmitLevel(d + 1, std::move(carried));
    }
    if (unroll_) {
      for (int64_t t = 0; t < count; ++t) {
        tap_[d] = math_.Constant(t);
        carried = EmitLevel(d + 1, std::move(carried));
      }
      return carried;
    }
    double inner_steps = 1 + cost_of_reducer_;
    for (size_t k = d + 1; k < rank_; ++k) inner_steps *= static_cast<double>(StepsOf(k));
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(count), 1, PollInterval(count, inner_steps),
                          std::move(carried), [&](IrValue t, const Ir::Carried& inner) {
                            Scope scope(&e_);
                            tap_[d] = {t, 0, 1};
                            return EmitLevel(d + 1, inner);
                          });
  }

  // Combines the element at the current tap, if there is one.
  Ir::Carried EmitTap(const Ir::Carried& carried) {
    IndexVector operand_index;
    inside_ = nullptr;
    for (size_t d = 0; d < rank_; ++d)
      operand_index.push_back(VisitsElements(d) ? IndexOfElement(d) : IndexOfTap(d));
    const IrValue inside = inside_;
    if (inside == nullptr) return ToCarried(Combine(carried, operand_index));
    if (ir_.Lanes(inside) == 1) {
      // The condition is the same for all lanes: a branch skips taps outside.
      return ir_.If(
          inside,
          [&] {
            const Scope scope(&e_);
            return ToCarried(Combine(carried, operand_index));
          },
          [&] { return carried; });
    }
    const std::vector<Element> before = FromCarried(carried, initial_);
    std::vector<Element> after;
    e_.UnderMask(inside, [&] {
      after = Combine(carried, operand_index);
      return after[0];
    });
    for (size_t i = 0; i < inputs_; ++i) after[i] = ops_.Select(inside, after[i], before[i]);
    return ToCarried(after);
  }

  std::vector<Element> Combine(const Ir::Carried& carried, const IndexVector& operand_index) {
    std::vector<Element> arguments = FromCarried(carried, initial_);
    for (size_t i = 0; i < inputs_; ++i) {
      arguments.push_back(ops_.Splat(
          e_.Emit(instruction_.operand(static_cast<int64_t>(i)), operand_index), lanes_));
    }
    return e_.Apply(*instruction_.to_apply(), std::move(arguments));
  }

  // Adds a condition under which the element at the current tap is combined.
  void Require(IrValue bits) {
    if (inside_ == nullptr) {
      inside_ = bits;
      return;
    }
    const int wide = std::max(ir_.Lanes(inside_), ir_.Lanes(bits));
    const auto widen = [&](IrValue b) { return ir_.Lanes(b) == wide ? b : ir_.Splat(b, wide); };
    inside_ = ir_.And(widen(inside_), widen(bits));
  }

  // The index of an element that the loop visits, which must be a tap of the window.
  IndexTerm IndexOfElement(size_t d) {
    const WindowDim& dim = window_[d];
    // From the start of the window to the element.
    IndexTerm reach = math_.Add(math_.Multiply(tap_[d], dim.base_dilation),
                                math_.Multiply(index_[d], -dim.stride));
    reach = math_.AddConstant(reach, dim.padding_low);
    Require(math_.InRange(reach, 0, (dim.size - 1) * dim.window_dilation + 1));
    if (dim.window_dilation > 1) {
      const IrValue distance = math_.ToVector(reach);
      const IrType type = ir_.TypeOf(distance);
      const IrValue step = ir_.Const(type, dim.window_dilation);
      Require(ir_.ICmp(LLVMIntEQ, ir_.SRem(distance, step), ir_.Zero(type)));
    }
    return tap_[d];
  }

  // The index of the element at a tap of the window, which must be in the operand.
  IndexTerm IndexOfTap(size_t d) {
    const WindowDim& dim = window_[d];
    const int64_t size = shape_.dimensions(static_cast<int>(d));
    IndexTerm term = math_.Add(math_.Multiply(index_[d], dim.stride),
                               math_.Multiply(tap_[d], dim.window_dilation));
    term = math_.AddConstant(term, -dim.padding_low);
    const int64_t span = (size - 1) * dim.base_dilation + 1;
    const bool is_padded = dim.padding_low > 0 || dim.padding_high > 0 || dim.base_dilation > 1;
    if (is_padded && d != inside_along_) {
      Require(math_.InRange(term, 0, span));
      term = math_.ClampUnlessAffine(term, 0, span);
    }
    if (dim.base_dilation > 1) {
      const IrValue position = math_.ToVector(term);
      const IrType type = ir_.TypeOf(position);
      const IrValue step = ir_.Const(type, dim.base_dilation);
      Require(ir_.ICmp(LLVMIntEQ, ir_.SRem(position, step), ir_.Zero(type)));
      term = math_.ClampUnlessAffine(math_.FromVector(ir_.SDiv(position, step)), 0, size);
    }
    return term;
  }

  ElementEmitter& e_;
  Ir& ir_;
  ElementOps& ops_;
  const IndexMath& math_;
  const HloInstruction& instruction_;
  const Index index_;
  const size_t inputs_;
  const Shape& shape_;  // of the operands
  const size_t rank_;
  const WindowDims& window_;
  const int lanes_;
  const double cost_of_reducer_;
  std::vector<Element> initial_;
  bool unroll_ = false;
  // A dimension along which the windows of all lanes are known to lie within the operand.
  size_t inside_along_ = 0;
  IndexVector tap_;           // or element, where those are visited
  IrValue inside_ = nullptr;  // the condition so far for the element at the current tap
};

std::vector<Element> ElementEmitter::EmitReduceWindow(const HloInstruction* instruction,
                                                      Index index) {
  return WindowLoops(*this, instruction, index).Emit();
}

}  // namespace xla::cpu
