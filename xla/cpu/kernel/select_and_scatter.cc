// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/select_and_scatter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/cpu/codegen/combiner_emitter.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Elements computed at a time: a vector of the type, or several vectors if its lanes are few, since
// finding the addresses takes as long for one vector as for several.
constexpr int kFewestLanes = 8;
int LanesOf(const Machine& machine, PrimitiveType type) {
  const int64_t bytes = std::max(4, primitive_util::ByteWidth(type));
  return std::max(kFewestLanes,
                  machine.Lanes(primitive_util::IsComplexType(type) ? bytes / 2 : bytes));
}

// Returns the window of a select-and-scatter, or of the custom call of one with dynamic sizes.
std::vector<WindowDim> WindowOf(const HloInstruction& instruction) {
  std::vector<WindowDim> window;
  if (instruction.opcode() == HloOpcode::kCustomCall) {
    window = instruction.attributes<CustomCallAttributes>().window->dims;
  } else {
    window = instruction.attributes<WindowAttributes>().window.dims;
  }
  window.resize(static_cast<size_t>(instruction.operand(0)->shape().rank()));
  return window;
}

// Whether each window is a single element along the dimension, at the same index.
bool IsTrivial(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.padding_high == 0 &&
         dim.base_dilation == 1;
}

// Returns UNIMPLEMENTED unless select and scatter take numbers of the operands' type.
absl::Status CheckTypes(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  const HloComputation& select = *instruction.called_computations()[0];
  const HloComputation& scatter = *instruction.called_computations()[1];
  const auto is_scalar = [&](const HloInstruction* i, PrimitiveType expected) {
    return i->shape().IsArray() && i->shape().rank() == 0 && i->shape().element_type() == expected;
  };
  if (instruction.operand(1)->shape().element_type() == type &&
      instruction.operand(2)->shape().element_type() == type && CombinesScalars(scatter, type) &&
      is_scalar(select.parameter_instruction(0), type) &&
      is_scalar(select.parameter_instruction(1), type) &&
      is_scalar(select.root_instruction(), PRED)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat(instruction.ToShortString(),
                   ": the types of select or scatter differ from those of the operands"));
}

class SelectAndScatterPlan final : public KernelPlan {
 public:
  explicit SelectAndScatterPlan(const KernelRequest& request);

  void EmitUnits(KernelCode& code) const override;
  PlanDescription Describe() const override;
  int64_t lanes() const override { return minor < 0 ? 1 : vector_lanes; }

  // Whether sizes and paddings are operands, as those of the custom call are.
  bool IsSized() const { return instruction->operand_count() > 3; }

  std::vector<WindowDim> window;
  std::vector<size_t> outer, windowed;  // dimensions without and with a window
  std::vector<int64_t> outer_sizes;
  int vector_lanes = 1;
  int64_t minor = -1;  // size of a minor dimension without a window; -1: has one
};

// Each window selects its first element that no later one replaces, padding apart; elements of the
// source are combined in row-major order.
class SelectAndScatterEmitter {
 public:
  SelectAndScatterEmitter(KernelCode& code, const SelectAndScatterPlan& plan)
      : code_(code),
        ir_(code.ir()),
        ops_(code.ops()),
        plan_(plan),
        instruction_(*plan.instruction),
        operand_(instruction_.operand(0)->shape()),
        source_(instruction_.operand(1)->shape()),
        select_(*instruction_.called_computations()[0]),
        scatter_(*instruction_.called_computations()[1]),
        type_(operand_.element_type()),
        window_(plan.window),
        windowed_(plan.windowed) {}

  void Emit() {
    for (int64_t i = 3; i < instruction_.operand_count(); ++i) {
      sizes_.push_back(
          ops_.Convert(S32, S64,
                       ops_.Load(S32, {code_.operands()[static_cast<size_t>(i)], ir_.Index(0)}, 1))
              .re);
    }
    ir_.Loop(code_.begin(), code_.end(), 1, [&](IrValue unit) {
      const IndexMath math(ir_, 1);
      const IndexVector outer = math.Delinearize({unit, 0, 1}, plan_.outer_sizes);
      IndexVector index(window_.size(), math.Constant(0));
      for (size_t i = 0; i < plan_.outer.size(); ++i) index[plan_.outer[i]] = outer[i];
      if (plan_.minor < 0) {
        EmitWindows(index, 1);
        return;
      }
      const int lanes = plan_.vector_lanes;
      const int64_t in_vectors = plan_.minor / lanes * lanes;
      ir_.Loop(ir_.Index(0), ir_.Index(in_vectors), lanes, [&](IrValue i) {
        index.back() = {i, 1, lanes};
        EmitWindows(index, lanes);
      });
      ir_.Loop(ir_.Index(in_vectors), ir_.Index(plan_.minor), 1, [&](IrValue i) {
        index.back() = {i, 0, 1};
        EmitWindows(index, 1);
      });
    });
  }

 private:
  using Carry = Ir::Carried;

  struct Range {
    IrValue begin, end;
    int64_t most;  // iterations
  };

  // Emits nested loops over the windowed dimensions; the body takes `steps`.
  void ForEach(const std::vector<Range>& ranges, std::vector<IrValue>& at, double steps,
               absl::FunctionRef<void()> body) {
    ForEach(ranges, at, steps, {}, [&](const Carry&) {
      body();
      return Carry();
    });
  }
  Carry ForEach(const std::vector<Range>& ranges, std::vector<IrValue>& at, double steps,
                const Carry& initial, absl::FunctionRef<Carry(const Carry&)> body) {
    if (at.size() == ranges.size()) return body(initial);
    const Range& range = ranges[at.size()];
    double inner = steps;
    for (size_t i = at.size() + 1; i < ranges.size(); ++i)
      inner *= static_cast<double>(ranges[i].most);
    return ir_.PolledLoop(range.begin, range.end, 1, PollInterval(range.most, inner), initial,
                          [&](IrValue i, const Carry& carried) {
                            at.push_back(i);
                            const Carry next = ForEach(ranges, at, steps, carried, body);
                            at.pop_back();
                            return next;
                          });
  }

  // Returns the taps of the windows at an index of the source that are inside the operand: windows
  // may be much larger than the operand.
  std::vector<Range> TapsInside(const std::vector<IrValue>& source) {
    std::vector<Range> ranges;
    for (size_t i = 0; i < windowed_.size(); ++i) {
      const WindowDim& dim = window_[windowed_[i]];
      const int64_t size = operand_.dimensions(static_cast<int>(windowed_[i]));
      const IrValue padding =
          plan_.IsSized() ? sizes_[2 * window_.size() + windowed_[i]] : ir_.Index(dim.padding_low);
      // Tap t is at start + t * dilation.
      const IrValue start = ir_.Sub(ir_.Mul(source[i], ir_.Index(dim.stride)), padding);
      const auto smax = [&](IrValue a, IrValue b) { return ir_.Binary("llvm.smax", a, b); };
      const IrValue dilation = ir_.Index(dim.window_dilation), zero = ir_.Index(0);
      const IrValue missing = smax(ir_.Sub(zero, start), zero);
      const IrValue begin =
          ir_.UDiv(ir_.Add(missing, ir_.Index(dim.window_dilation - 1)), dilation);
      const int64_t last = size == 0 ? -1 : (size - 1) * dim.base_dilation;
      const IrValue reach = ir_.Sub(ir_.Index(last), start);
      const IrValue taps = ir_.Add(ir_.UDiv(smax(reach, zero), dilation), ir_.Index(1));
      const IrValue none = ir_.ICmp(LLVMIntSLT, reach, zero);
      const IrValue end =
          ir_.Binary("llvm.smin", ir_.Select(none, zero, taps), ir_.Index(dim.size));
      ranges.push_back({begin, end, std::min(dim.size, last + 1)});
    }
    return ranges;
  }

  std::vector<Range> RangesOf(const Shape& shape) {
    std::vector<Range> ranges;
    for (const size_t d : windowed_) {
      const int64_t size = shape.dimensions(static_cast<int>(d));
      ranges.push_back({ir_.Index(0), ir_.Index(size), size});
    }
    return ranges;
  }

  // The windows at an index, or a vector of indices, of the other dimensions.
  struct Windows {
    ElementEmitter& emitter;
    const IndexVector& index;
    int lanes;
  };
  enum Array : size_t { kOperand, kSource, kInitial, kResult };

  void EmitWindows(const IndexVector& index, int lanes) {
    const ElementEmitter::Buffers buffers;
    ElementEmitter emitter(ops_, buffers, lanes);
    const Windows windows = {emitter, index, lanes};
    const Element init = ops_.Splat(ops_.Load(type_, {ArrayOf(kInitial), ir_.Index(0)}, 1), lanes);
    std::vector<IrValue> at;
    ForEach(RangesOf(operand_), at, 1, [&] {
      const ElementAddress to = AddressOf(windows, kResult, at);
      ops_.Store(type_, init, to.pointer, to.bytes);
    });
    double taps_of_window = 2;  // visited twice
    for (const size_t d : windowed_) {
      const int64_t reach = operand_.dimensions(static_cast<int>(d)) * window_[d].base_dilation;
      taps_of_window *= static_cast<double>(std::min(window_[d].size, reach));
    }
    ForEach(RangesOf(source_), at, taps_of_window, [&] {
      ElementEmitter::Scope scope(&emitter);
      EmitWindow(windows, at);
    });
    code_.Check(emitter);
  }

  IrValue ArrayOf(Array array) const {
    return array == kResult ? code_.results()[0] : code_.operands()[array];
  }
  ElementAddress AddressOf(const Windows& windows, Array array, const std::vector<IrValue>& at) {
    IndexVector place = windows.index;
    for (size_t i = 0; i < windowed_.size(); ++i) place[windowed_[i]] = {at[i], 0, 1};
    const bool is_invariant = array == kOperand || array == kSource;
    return windows.emitter.AddressOf({ArrayOf(array), is_invariant},
                                     array == kSource ? source_ : operand_, place);
  }
  Element Load(const Windows& windows, const ElementAddress& address) {
    return ops_.Splat(ops_.Load(type_, address, windows.lanes), windows.lanes);
  }

  // Emits the window of one element of the source.
  void EmitWindow(const Windows& windows, const std::vector<IrValue>& source_at) {
    // Carries whether an element is selected, its tap, and its value.
    const Element zero = ops_.Splat(ops_.Zero(type_), windows.lanes);
    Carry initial = {ir_.Const(ir_.I1(), int64_t{0}), ir_.Splat(ir_.Index(0), windows.lanes),
                     zero.re};
    if (zero.im != nullptr) initial.push_back(zero.im);
    std::vector<IrValue> tap;
    const std::vector<Range> taps = TapsInside(source_at);
    const Carry selected = ForEach(taps, tap, 1, initial, [&](const Carry& so_far) {
      const auto [inside, place] = PlaceOf(source_at, tap);
      return ir_.If(
          inside, [&, place = place] { return SelectTap(windows, so_far, tap, place); },
          [&]() -> Carry { return so_far; });
    });
    const Element source = Load(windows, AddressOf(windows, kSource, source_at));
    IrValue counts = selected[0];
    for (size_t i = 0; i < windowed_.size() && plan_.IsSized(); ++i) {
      const IrValue size = sizes_[window_.size() + windowed_[i]];
      counts = ir_.And(counts, ir_.ICmp(LLVMIntSLT, source_at[i], size));
    }
    ir_.If(counts, [&] {
      tap.clear();
      ForEach(taps, tap, 1, [&] {
        const auto [inside, place] = PlaceOf(source_at, tap);
        ir_.If(inside,
               [&, place = place] { ScatterToTap(windows, source, selected[1], tap, place); });
      });
    });
  }

  // Returns the selection after comparing the element at a tap with the one selected so far.
  Carry SelectTap(const Windows& windows, const Carry& so_far, const std::vector<IrValue>& tap,
                  const std::vector<IrValue>& place) {
    ElementEmitter::Scope scope(&windows.emitter);
    const int lanes = windows.lanes;
    const Element kept = {so_far[2], so_far.size() > 3 ? so_far[3] : nullptr};
    const Element next = Load(windows, AddressOf(windows, kOperand, place));
    const Element keeps =
        ops_.Splat(windows.emitter.Apply(select_, {kept, next}, so_far[0])[0], lanes);
    const IrValue stays = ir_.And(ir_.Splat(so_far[0], lanes), keeps.re);
    const Element value = ops_.Select(stays, kept, next);
    Carry carry = {ir_.Const(ir_.I1(), int64_t{1}),
                   ir_.Select(stays, so_far[1], ir_.Splat(NumberOf(tap), lanes)), value.re};
    if (value.im != nullptr) carry.push_back(value.im);
    return carry;
  }

  // Combines the element of the source with the result at a tap, if that is the selected one.
  void ScatterToTap(const Windows& windows, const Element& source, IrValue selected,
                    const std::vector<IrValue>& tap, const std::vector<IrValue>& place) {
    ElementEmitter::Scope scope(&windows.emitter);
    const ElementAddress to = AddressOf(windows, kResult, place);
    const Element old = Load(windows, to);
    const IrValue is_it = ir_.ICmp(LLVMIntEQ, selected, ir_.Splat(NumberOf(tap), windows.lanes));
    const Element combined =
        ops_.Splat(windows.emitter.Apply(scatter_, {old, source}, is_it)[0], windows.lanes);
    ops_.Store(type_, ops_.Select(is_it, combined, old), to.pointer, to.bytes);
  }

  // Returns whether the tap of a window at an index of the source is an element, and the index of
  // that element.
  std::pair<IrValue, std::vector<IrValue>> PlaceOf(const std::vector<IrValue>& source,
                                                   const std::vector<IrValue>& tap) {
    IrValue inside = ir_.Const(ir_.I1(), int64_t{1});
    std::vector<IrValue> place;
    for (size_t i = 0; i < windowed_.size(); ++i) {
      const WindowDim& dim = window_[windowed_[i]];
      const int64_t size = operand_.dimensions(static_cast<int>(windowed_[i]));
      IrValue position = ir_.Add(ir_.Mul(source[i], ir_.Index(dim.stride)),
                                 ir_.Mul(tap[i], ir_.Index(dim.window_dilation)));
      position = ir_.Sub(position, plan_.IsSized() ? sizes_[2 * window_.size() + windowed_[i]]
                                                   : ir_.Index(dim.padding_low));
      inside = ir_.And(inside, ir_.ICmp(LLVMIntSGE, position, ir_.Index(0)));
      if (dim.base_dilation > 1) {
        const IrValue rest = ir_.SRem(position, ir_.Index(dim.base_dilation));
        inside = ir_.And(inside, ir_.ICmp(LLVMIntEQ, rest, ir_.Index(0)));
        position = ir_.SDiv(position, ir_.Index(dim.base_dilation));
      }
      inside = ir_.And(inside, ir_.ICmp(LLVMIntSLT, position,
                                        plan_.IsSized() ? sizes_[windowed_[i]] : ir_.Index(size)));
      place.push_back(position);
    }
    return {inside, place};
  }

  IrValue NumberOf(const std::vector<IrValue>& tap) {
    IrValue number = ir_.Index(0);
    for (size_t i = 0; i < windowed_.size(); ++i) {
      number = ir_.Add(ir_.Mul(number, ir_.Index(window_[windowed_[i]].size)), tap[i]);
    }
    return number;
  }

  KernelCode& code_;
  Ir& ir_;
  ElementOps& ops_;
  const SelectAndScatterPlan& plan_;
  const HloInstruction& instruction_;
  const Shape &operand_, &source_;
  const HloComputation &select_, &scatter_;
  const PrimitiveType type_;
  const std::vector<WindowDim>& window_;
  const std::vector<size_t>& windowed_;
  std::vector<IrValue> sizes_;  // of operand and source, then low paddings, by dimension
};

SelectAndScatterPlan::SelectAndScatterPlan(const KernelRequest& request)
    : KernelPlan(request), window(WindowOf(*request.instruction)) {
  const Shape& operand = instruction->operand(0)->shape();
  const Shape& source = instruction->operand(1)->shape();
  double taps = static_cast<double>(CountOf(source));
  units = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    const bool is_trivial = IsTrivial(window[d]) && !IsSized();
    if (is_trivial && d + 1 == window.size()) {
      minor = operand.dimensions().back();
    } else if (is_trivial) {
      outer.push_back(d);
      outer_sizes.push_back(operand.dimensions(static_cast<int>(d)));
      units *= outer_sizes.back();
    } else {
      windowed.push_back(d);
      taps *= static_cast<double>(window[d].size);
    }
  }
  // The rest of the minor dimension is computed element by element.
  vector_lanes = LanesOf(request.target->machine, operand.element_type());
  while (vector_lanes > kFewestLanes && minor % vector_lanes != 0) vector_lanes /= 2;
  constexpr double kNanosecondsPerTap = 0.625;
  constexpr int64_t kTasks = 16;
  double cost = 1;
  bool has_order = false;
  for (const HloComputation* applied : instruction->called_computations()) {
    cost += CostOfNested(*applied);
    has_order |= HasOrder(*applied);
  }
  const bool is_for_one_thread =
      has_order || !request.target->machine.IsWorthAThread(kNanosecondsPerTap * taps * cost);
  chunk = std::max<int64_t>(is_for_one_thread ? units : units / kTasks, 1);
  const int64_t elements = 2 * CountOf(operand) + CountOf(source);
  bytes = static_cast<double>(elements * primitive_util::ByteWidth(operand.element_type()));
  operations = taps * cost;
}

void SelectAndScatterPlan::EmitUnits(KernelCode& code) const {
  const absl::Status status = CheckTypes(*instruction);
  if (!status.ok()) return code.Check(status);
  SelectAndScatterEmitter(code, *this).Emit();
}

PlanDescription SelectAndScatterPlan::Describe() const {
  std::vector<int64_t> sizes;
  for (const WindowDim& dim : window) sizes.push_back(dim.size);
  PlanDescription description;
  description.loops = absl::StrCat(" windows [", absl::StrJoin(sizes, ","), "] lanes ", lanes());
  return description;
}

}  // namespace

bool FitsSelectAndScatter(const KernelRequest& request) {
  return IsSelectAndScatter(*request.instruction);
}

std::unique_ptr<const KernelPlan> PlanSelectAndScatter(const KernelRequest& request) {
  return std::make_unique<SelectAndScatterPlan>(request);
}

}  // namespace xla::cpu
