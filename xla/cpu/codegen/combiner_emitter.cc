// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/combiner_emitter.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/passes/dynamic_resolver.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// The operation if the computation is one operation on both of its parameters.
const HloInstruction* SingleOperation(const HloComputation& function) {
  const HloInstruction* root = function.root_instruction();
  if (function.num_parameters() != 2 || root->operand_count() != 2 || !IsElementwise(*root) ||
      root->shape().rank() != 0) {
    return nullptr;
  }
  const HloInstruction *a = function.parameter_instruction(0),
                       *b = function.parameter_instruction(1);
  const bool in_order = root->operand(0) == a && root->operand(1) == b;
  const bool reversed =
      root->operand(0) == b && root->operand(1) == a && root->info().Has(op_traits::kCommutative);
  switch (root->opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kMultiply:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return in_order || reversed ? root : nullptr;
    default:
      return nullptr;
  }
}

bool HasTypes(const HloComputation& function, PrimitiveType type) {
  const auto is_scalar = [&](const Shape& shape) {
    return shape.IsArray() && shape.rank() == 0 && shape.element_type() == type;
  };
  return function.num_parameters() == 2 && is_scalar(function.parameter_instruction(0)->shape()) &&
         is_scalar(function.parameter_instruction(1)->shape()) &&
         is_scalar(function.root_instruction()->shape());
}

// The type of registers.
PrimitiveType WideType(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32 ? F32
                                                                                          : type;
}

// Elements that are computed at a time: a vector of the type, or of several where that is few,
// which take as long as one to find their places.
constexpr int kFewestLanes = 8;
int LanesOf(const Ir& ir, PrimitiveType type) {
  const int64_t bytes = primitive_util::ByteWidth(WideType(type));
  return std::max(kFewestLanes, ir.target().machine.Lanes(
                                    primitive_util::IsComplexType(type) ? bytes / 2 : bytes));
}

class FoldEmitter {
 public:
  FoldEmitter(Ir& ir, const HloComputation& function, PrimitiveType type)
      : ir_(ir), ops_(ir), function_(function), type_(type), lanes_(LanesOf(ir, type)) {
    if (const HloInstruction* operation = SingleOperation(function)) {
      HloComputation::Builder builder("fold");
      const Shape scalar(WideType(type), {});
      HloInstruction* const a =
          builder.AddInstruction(HloInstruction::CreateParameter(0, scalar, "a"));
      HloInstruction* const b =
          builder.AddInstruction(HloInstruction::CreateParameter(1, scalar, "b"));
      builder.AddInstruction(HloInstruction::Create(operation->opcode(), scalar, {a, b}));
      wide_ = builder.Build();
    }
  }

  absl::Status Emit(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    if (KindOfNested(function_) != NestedKind::kVectors) {
      // Behind the parts and the result: the state of the run.
      const IrValue behind = ir_.Mul(ir_.Add(ir_.Parameter(1), ir_.Index(1)), ir_.Index(8));
      ir_.set_run(ir_.Load(ir_.I64(), ir_.Offset(ir_.Parameter(0), behind), 8, true));
    }
    const IrValue begin = ir_.Parameter(2), end = ir_.Parameter(3);
    const IrValue whole =
        ir_.Mul(ir_.UDiv(ir_.Sub(end, begin), ir_.Index(lanes_)), ir_.Index(lanes_));
    const IrValue vector_end = ir_.Add(begin, whole);
    ir_.Loop(begin, vector_end, lanes_, [&](IrValue i) { Combine(i, lanes_); });
    ir_.Loop(vector_end, end, 1, [&](IrValue i) { Combine(i, 1); });
    ir_.Return();
    return status_;
  }

 private:
  Element LoadFrom(IrValue array, IrValue i, int lanes) {
    const int64_t bytes = primitive_util::ByteWidth(type_);
    ElementAddress address;
    address.pointer =
        ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Mul(array, ir_.Index(8))), 8);
    address.bytes = ir_.Mul(i, ir_.Index(bytes));
    address.step = bytes;
    return ops_.Load(type_, address, lanes);
  }

  void Combine(IrValue i, int lanes) {
    const ElementEmitter::Buffers buffers;
    ElementEmitter emitter(ops_, buffers, lanes);
    const auto carried = [](const Element& element) {
      Ir::Carried values = {element.re};
      if (element.im != nullptr) values.push_back(element.im);
      return values;
    };
    const auto element = [](const Ir::Carried& values) {
      return Element{values[0], values.size() > 1 ? values[1] : nullptr};
    };
    const Ir::Carried total = ir_.Loop(
        ir_.Index(1), ir_.Parameter(1), 1, carried(LoadFrom(ir_.Index(0), i, lanes)),
        [&](IrValue part, const Ir::Carried& so_far) {
          ElementEmitter::Scope scope(&emitter);
          const std::vector<Element> combined = emitter.Apply(
              wide_ == nullptr ? function_ : *wide_, {element(so_far), LoadFrom(part, i, lanes)});
          return carried(ops_.Splat(combined[0], lanes));
        });
    const IrValue out = ir_.Load(
        ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Mul(ir_.Parameter(1), ir_.Index(8))), 8);
    ops_.Store(type_, wide_ == nullptr ? element(total) : ops_.Round(type_, element(total)), out,
               ir_.Mul(i, ir_.Index(primitive_util::ByteWidth(type_))));
    if (status_.ok()) status_ = emitter.status();
  }

  Ir& ir_;
  ElementOps ops_;
  const HloComputation& function_;
  const PrimitiveType type_;
  const int lanes_;
  std::unique_ptr<HloComputation> wide_;
  absl::Status status_;
};

// Of a select-and-scatter, or of the custom call of one with sizes.
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

// A dimension along which every window is one element, in place.
bool IsTrivial(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.padding_high == 0 &&
         dim.base_dilation == 1;
}

class SelectAndScatterEmitter {
 public:
  SelectAndScatterEmitter(Ir& ir, const HloInstruction& instruction)
      : ir_(ir),
        ops_(ir),
        instruction_(instruction),
        operand_(instruction.operand(0)->shape()),
        source_(instruction.operand(1)->shape()),
        select_(instruction.called_computations()[0]),
        scatter_(instruction.called_computations()[1]),
        type_(operand_.element_type()),
        lanes_(LanesOf(ir, type_)) {
    window_ = WindowOf(instruction);
    for (size_t d = 0; d < window_.size(); ++d) {
      const bool is_trivial = IsTrivial(window_[d]) && !IsSized();
      if (is_trivial && d + 1 == window_.size()) {
        minor_ = operand_.dimensions().back();
      } else if (is_trivial) {
        outer_.push_back(d);
        outer_sizes_.push_back(operand_.dimensions(static_cast<int>(d)));
      } else {
        windowed_.push_back(d);
      }
    }
    // What is left of the minor dimension is computed element by element.
    while (lanes_ > kFewestLanes && minor_ % lanes_ != 0) lanes_ /= 2;
  }

  absl::Status Emit(const char* name) {
    const HloComputation &select = *select_, &scatter = *scatter_;
    const auto is_scalar = [&](const HloInstruction* i, PrimitiveType type) {
      return i->shape().IsArray() && i->shape().rank() == 0 && i->shape().element_type() == type;
    };
    if (source_.element_type() != type_ ||
        instruction_.operand(2)->shape().element_type() != type_ || !HasTypes(scatter, type_) ||
        !is_scalar(select.parameter_instruction(0), type_) ||
        !is_scalar(select.parameter_instruction(1), type_) ||
        !is_scalar(select.root_instruction(), PRED)) {
      return absl::UnimplementedError(
          absl::StrCat(instruction_.ToShortString(),
                       ": the types of select or scatter differ from those of the operands"));
    }
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    const auto array = [&](int64_t i) {
      return ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * i)), 8, true);
    };
    for (const int64_t i : {int64_t{0}, int64_t{1}, int64_t{2}, instruction_.operand_count()})
      arrays_.push_back(array(i));
    // Behind the arrays: the state of the run.
    ir_.set_run(ir_.Load(
        ir_.I64(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * (instruction_.operand_count() + 1))),
        8, true));
    for (int64_t i = 3; i < instruction_.operand_count(); ++i) {
      sizes_.push_back(ops_.Convert(S32, S64, ops_.Load(S32, {array(i), ir_.Index(0)}, 1)).re);
    }
    ir_.Loop(ir_.Parameter(1), ir_.Parameter(2), 1, [&](IrValue unit) {
      const IndexMath math(ir_, 1);
      const IndexVector outer = math.Delinearize({unit, 0, 1}, outer_sizes_);
      IndexVector index(window_.size(), math.Constant(0));
      for (size_t i = 0; i < outer_.size(); ++i) index[outer_[i]] = outer[i];
      if (minor_ < 0) {
        EmitWindows(index, 1);
        return;
      }
      const int64_t in_vectors = minor_ / lanes_ * lanes_;
      ir_.Loop(ir_.Index(0), ir_.Index(in_vectors), lanes_, [&](IrValue i) {
        index.back() = {i, 1, lanes_};
        EmitWindows(index, lanes_);
      });
      ir_.Loop(ir_.Index(in_vectors), ir_.Index(minor_), 1, [&](IrValue i) {
        index.back() = {i, 0, 1};
        EmitWindows(index, 1);
      });
    });
    ir_.Return();
    return status_;
  }

 private:
  using Carry = Ir::Carried;

  // Whether sizes and paddings are values: of the custom call.
  bool IsSized() const { return instruction_.operand_count() > 3; }

  struct Range {
    IrValue begin, end;
    int64_t most;  // iterations
  };

  // Nested loops over the windowed dimensions; the body takes so many steps.
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

  // The taps of the windows at a place of the source that lie between the first and the last
  // element: windows may be much larger than the operand.
  std::vector<Range> TapsInside(const std::vector<IrValue>& source) {
    std::vector<Range> ranges;
    for (size_t i = 0; i < windowed_.size(); ++i) {
      const WindowDim& dim = window_[windowed_[i]];
      const int64_t size = operand_.dimensions(static_cast<int>(windowed_[i]));
      const IrValue padding =
          IsSized() ? sizes_[2 * window_.size() + windowed_[i]] : ir_.Index(dim.padding_low);
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

  // For an index of the other dimensions.
  void EmitWindows(const IndexVector& index, int lanes) {
    const ElementEmitter::Buffers buffers;
    ElementEmitter emitter(ops_, buffers, lanes);
    const auto address = [&](size_t array, const Shape& shape, const IndexVector& place) {
      return emitter.AddressOf({arrays_[array], array < 2}, shape, place);
    };
    const auto with = [&](const std::vector<IrValue>& at) {
      IndexVector place = index;
      for (size_t i = 0; i < windowed_.size(); ++i) place[windowed_[i]] = {at[i], 0, 1};
      return place;
    };
    const Element init = ops_.Splat(ops_.Load(type_, {arrays_[2], ir_.Index(0)}, 1), lanes);
    std::vector<IrValue> at;
    ForEach(RangesOf(operand_), at, 1, [&] {
      const ElementAddress to = address(3, operand_, with(at));
      ops_.Store(type_, init, to.pointer, to.bytes);
    });
    double taps_of_window = 2;  // visited twice
    for (const size_t d : windowed_) {
      const int64_t reach = operand_.dimensions(static_cast<int>(d)) * window_[d].base_dilation;
      taps_of_window *= static_cast<double>(std::min(window_[d].size, reach));
    }
    ForEach(RangesOf(source_), at, taps_of_window, [&] {
      ElementEmitter::Scope scope(&emitter);
      const std::vector<IrValue> source_at = at;
      // Found, the number of the tap, the value.
      const Element zero = ops_.Splat(ops_.Zero(type_), lanes);
      Carry initial = {ir_.Const(ir_.I1(), int64_t{0}), ir_.Splat(ir_.Index(0), lanes), zero.re};
      if (zero.im != nullptr) initial.push_back(zero.im);
      std::vector<IrValue> tap;
      const std::vector<Range> taps = TapsInside(source_at);
      const Carry selected = ForEach(taps, tap, 1, initial, [&](const Carry& so_far) {
        const auto [inside, place] = PlaceOf(source_at, tap);
        return ir_.If(
            inside,
            [&, place = place]() -> Carry {
              ElementEmitter::Scope inner(&emitter);
              const Element kept = {so_far[2], so_far.size() > 3 ? so_far[3] : nullptr};
              const Element next =
                  ops_.Splat(ops_.Load(type_, address(0, operand_, with(place)), lanes), lanes);
              const Element keeps =
                  ops_.Splat(emitter.Apply(*select_, {kept, next}, so_far[0])[0], lanes);
              const IrValue stays = ir_.And(ir_.Splat(so_far[0], lanes), keeps.re);
              const Element value = ops_.Select(stays, kept, next);
              Carry carry = {ir_.Const(ir_.I1(), int64_t{1}),
                             ir_.Select(stays, so_far[1], ir_.Splat(NumberOf(tap), lanes)),
                             value.re};
              if (value.im != nullptr) carry.push_back(value.im);
              return carry;
            },
            [&]() -> Carry { return so_far; });
      });
      const Element source =
          ops_.Splat(ops_.Load(type_, address(1, source_, with(source_at)), lanes), lanes);
      IrValue counts = selected[0];
      for (size_t i = 0; i < windowed_.size() && IsSized(); ++i) {
        const IrValue size = sizes_[window_.size() + windowed_[i]];
        counts = ir_.And(counts, ir_.ICmp(LLVMIntSLT, source_at[i], size));
      }
      ir_.If(counts, [&] {
        tap.clear();
        ForEach(taps, tap, 1, [&] {
          const auto [inside, place] = PlaceOf(source_at, tap);
          ir_.If(inside, [&, place = place] {
            ElementEmitter::Scope inner(&emitter);
            const ElementAddress to = address(3, operand_, with(place));
            const Element old = ops_.Splat(ops_.Load(type_, to, lanes), lanes);
            const IrValue is_it = ir_.ICmp(LLVMIntEQ, selected[1], ir_.Splat(NumberOf(tap), lanes));
            const Element combined =
                ops_.Splat(emitter.Apply(*scatter_, {old, source}, is_it)[0], lanes);
            ops_.Store(type_, ops_.Select(is_it, combined, old), to.pointer, to.bytes);
          });
        });
      });
    });
    if (status_.ok()) status_ = emitter.status();
  }

  // Of a tap of the window at a place of the source: whether it is an element, and which.
  std::pair<IrValue, std::vector<IrValue>> PlaceOf(const std::vector<IrValue>& source,
                                                   const std::vector<IrValue>& tap) {
    IrValue inside = ir_.Const(ir_.I1(), int64_t{1});
    std::vector<IrValue> place;
    for (size_t i = 0; i < windowed_.size(); ++i) {
      const WindowDim& dim = window_[windowed_[i]];
      const int64_t size = operand_.dimensions(static_cast<int>(windowed_[i]));
      IrValue position = ir_.Add(ir_.Mul(source[i], ir_.Index(dim.stride)),
                                 ir_.Mul(tap[i], ir_.Index(dim.window_dilation)));
      position = ir_.Sub(position, IsSized() ? sizes_[2 * window_.size() + windowed_[i]]
                                             : ir_.Index(dim.padding_low));
      inside = ir_.And(inside, ir_.ICmp(LLVMIntSGE, position, ir_.Index(0)));
      if (dim.base_dilation > 1) {
        const IrValue rest = ir_.SRem(position, ir_.Index(dim.base_dilation));
        inside = ir_.And(inside, ir_.ICmp(LLVMIntEQ, rest, ir_.Index(0)));
        position = ir_.SDiv(position, ir_.Index(dim.base_dilation));
      }
      inside = ir_.And(inside, ir_.ICmp(LLVMIntSLT, position,
                                        IsSized() ? sizes_[windowed_[i]] : ir_.Index(size)));
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

  Ir& ir_;
  ElementOps ops_;
  const HloInstruction& instruction_;
  const Shape &operand_, &source_;
  const HloComputation *const select_, *const scatter_;
  const PrimitiveType type_;
  int lanes_;
  std::vector<WindowDim> window_;
  std::vector<IrValue> sizes_;  // of operand and source, then low paddings, by dimension
  std::vector<size_t> outer_, windowed_;
  std::vector<int64_t> outer_sizes_;
  int64_t minor_ = -1;  // the size of a minor dimension without a window; -1: it has one
  std::vector<IrValue> arrays_;
  absl::Status status_;
};

}  // namespace

bool CanEmitFold(const HloComputation& function, PrimitiveType type) {
  return SingleOperation(function) != nullptr || HasTypes(function, type);
}

absl::Status EmitFold(Ir& ir, const HloComputation& function, PrimitiveType type,
                      const char* name) {
  return FoldEmitter(ir, function, type).Emit(name);
}

SelectAndScatterPlan PlanSelectAndScatter(const HloInstruction& instruction,
                                          const Machine& machine) {
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& source = instruction.operand(1)->shape();
  const std::vector<WindowDim> window = WindowOf(instruction);
  SelectAndScatterPlan plan;
  plan.units = 1;
  if (instruction.operand_count() > 3) return plan;
  double taps = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    if (!IsTrivial(window[d])) {
      taps *= static_cast<double>(window[d].size);
    } else if (d + 1 < window.size()) {
      plan.units *= operand.dimensions(static_cast<int>(d));
    }
  }
  for (const int64_t size : source.dimensions()) taps *= static_cast<double>(size);
  constexpr double kNanosecondsPerTap = 0.625;
  constexpr int64_t kTasks = 16;
  double cost = 1;
  bool has_order = false;
  for (const HloComputation* applied : instruction.called_computations()) {
    cost += CostOfNested(*applied);
    has_order |= HasOrder(*applied);
  }
  const bool is_for_one_thread =
      has_order || !machine.IsWorthAThread(kNanosecondsPerTap * taps * cost);
  plan.chunk = std::max<int64_t>(is_for_one_thread ? plan.units : plan.units / kTasks, 1);
  return plan;
}

bool IsSelectAndScatter(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kSelectAndScatter ||
         (instruction.opcode() == HloOpcode::kCustomCall &&
          instruction.custom_call_target() == kSizedSelectAndScatterTarget);
}

absl::Status EmitSelectAndScatter(Ir& ir, const HloInstruction& instruction, const char* name) {
  return SelectAndScatterEmitter(ir, instruction).Emit(name);
}

}  // namespace xla::cpu
