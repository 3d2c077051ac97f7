// SPDX-License-Identifier: Apache-2.0
// An abstract interpretation of the builder's graph. Facts about an instruction, in one of three
// modes, follow from facts about its operands; Frame::Find computes those first, without recursion
// along operands. Called computations are frames of their own.
#include "xla/hlo/builder/value_inference.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/value_facts.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/literal_util.h"

namespace xla {
namespace value_inference {
namespace {

constexpr int kMaxCallDepth = 50;

// An integer that all elements of an array have, as a constant and multiples of scalars.
struct LinearForm {
  int64_t constant = 0;
  std::map<int64_t, int64_t> coefficients;  // of atoms, by their numbers; none is 0

  void Add(const LinearForm& other, int64_t factor) {
    constant += factor * other.constant;
    for (const auto& [atom, coefficient] : other.coefficients) {
      if ((coefficients[atom] += factor * coefficient) == 0) coefficients.erase(atom);
    }
  }
};

class Frame {
 public:
  // `outer` is null for the builder's own program; else the arguments are its instructions.
  Frame(Frame* outer, std::vector<const HloInstruction*> arguments)
      : outer_(outer),
        arguments_(std::move(arguments)),
        depth_(outer == nullptr ? 0 : outer->depth_ + 1) {}

  // Valid as long as the frame.
  absl::StatusOr<const Facts*> Find(const HloInstruction* root, Mode mode) {
    std::vector<Item> pending = {{root, mode}};
    while (!pending.empty()) {
      const Item item = pending.back();
      if (facts_.contains(item)) {
        pending.pop_back();
        continue;
      }
      const size_t before = pending.size();
      for (const Item& needed : Needs(*item.first, item.second)) {
        if (!facts_.contains(needed)) pending.push_back(needed);
      }
      if (pending.size() > before) continue;
      XLA_ASSIGN_OR_RETURN(Facts facts, Compute(*item.first, item.second));
      facts_[item] = std::make_unique<Facts>(std::move(facts));
      pending.pop_back();
    }
    return &At(root, mode);
  }

 private:
  using Item = std::pair<const HloInstruction*, Mode>;

  const Facts& At(const HloInstruction* instruction, Mode mode) const {
    return *facts_.at(Item(instruction, mode));
  }
  const Literal* ValueAt(const HloInstruction& user, int64_t i, Mode mode) const {
    return &At(user.operand(i), mode).value;
  }

  // --- Which facts others follow from

  std::vector<Item> Needs(const HloInstruction& instruction, Mode mode) {
    std::vector<Item> needs;
    const auto all_operands = [&](Mode operand_mode) {
      for (const HloInstruction* operand : instruction.operands()) {
        needs.emplace_back(operand, operand_mode);
      }
      return needs;
    };
    if (const LinearForm* form = FormOf(instruction)) {
      for (const auto& [atom, coefficient] : form->coefficients) {
        needs.emplace_back(atoms_[static_cast<size_t>(atom)],
                           coefficient > 0 ? mode : Opposite(mode));
      }
      return needs;
    }
    switch (instruction.opcode()) {
      case HloOpcode::kConstant:
      case HloOpcode::kIota:
      case HloOpcode::kParameter:
      case HloOpcode::kGetDimensionSize:
      case HloOpcode::kWhile:
        return {};
      case HloOpcode::kTuple:
      case HloOpcode::kGetTupleElement:
      case HloOpcode::kOptimizationBarrier:
        return all_operands(mode);
      case HloOpcode::kSetDimensionSize:
        return {{instruction.operand(0), mode}};
      case HloOpcode::kCustomCall:
        if (IsMarker(instruction)) return {{instruction.operand(0), mode}};
        return {};
      case HloOpcode::kCall:
        return {};  // the frame of the callee asks this one
      case HloOpcode::kConditional:
        return {{instruction.operand(0), kValue}};
      case HloOpcode::kSelect:
        return {{instruction.operand(0), kValue},
                {instruction.operand(1), mode},
                {instruction.operand(2), mode}};
      default:
        break;
    }
    if (mode == kValue) return HasUnknownResult(instruction) ? needs : all_operands(kValue);
    if (MovesElements(instruction.opcode()) || instruction.opcode() == HloOpcode::kSort) {
      return all_operands(mode);
    }
    if (const int64_t count = IndexedOperands(instruction.opcode())) {
      for (int64_t i = 0; i < instruction.operand_count(); ++i) {
        needs.emplace_back(instruction.operand(i), i < count ? mode : kValue);
      }
      return needs;
    }
    if (IsMonotone(instruction)) {
      for (int64_t i = 0; i < instruction.operand_count(); ++i) {
        const bool rises = Monotonicity(instruction, i) > 0;
        needs.emplace_back(instruction.operand(i), rises ? mode : Opposite(mode));
      }
      return needs;
    }
    if (instruction.opcode() == HloOpcode::kReduce && ReducesMonotonously(instruction)) {
      return all_operands(mode);
    }
    if (UsesBothBounds(instruction)) {
      all_operands(kUpperBound);
      return all_operands(kLowerBound);
    }
    return {{&instruction, kValue}};
  }

  static bool UsesBothBounds(const HloInstruction& instruction) {
    if (!primitive_util::IsIntegralType(instruction.shape().element_type()) &&
        !primitive_util::IsFloatingPointType(instruction.shape().element_type())) {
      return false;
    }
    return instruction.opcode() == HloOpcode::kMultiply ||
           instruction.opcode() == HloOpcode::kDivide || instruction.opcode() == HloOpcode::kAbs;
  }
  // "SetBound" and what only annotates a value.
  static bool IsMarker(const HloInstruction& call) {
    const std::string& target = call.custom_call_target();
    return call.operand_count() == 1 && (target == "SetBound" || target == "Sharding" ||
                                         target == "MoveToHost" || target == "MoveToDevice");
  }
  static bool HasUnknownResult(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kDomain || instruction.HasSideEffect() ||
           instruction.info().HasAny(op_traits::kSideEffect | op_traits::kDependsOnRun);
  }

  // --- Linear forms of integers

  // Null if there is none, or none that says more than the instruction.
  const LinearForm* FormOf(const HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kAdd:
      case HloOpcode::kSubtract:
      case HloOpcode::kNegate:
      case HloOpcode::kMultiply: {
        const auto& form = MakeForm(instruction, 0);
        return form.has_value() ? &*form : nullptr;
      }
      default:
        return nullptr;
    }
  }

  const std::optional<LinearForm>& MakeForm(const HloInstruction& instruction, int depth) {
    const auto it = forms_.find(&instruction);
    if (it != forms_.end()) return *it->second;
    auto form = std::make_unique<std::optional<LinearForm>>(NewForm(instruction, depth));
    return *(forms_[&instruction] = std::move(form));
  }

  std::optional<LinearForm> NewForm(const HloInstruction& instruction, int depth) {
    const Shape& shape = instruction.shape();
    if (!shape.IsArray() || !primitive_util::IsIntegralType(shape.element_type())) {
      return std::nullopt;
    }
    if (depth > 100) return AtomOf(instruction);
    const auto operand = [&](int64_t i) -> const std::optional<LinearForm>& {
      return MakeForm(*instruction.operand(i), depth + 1);
    };
    switch (instruction.opcode()) {
      case HloOpcode::kConstant:
        if (instruction.literal().IsAllFirst()) {
          const std::vector<int64_t> first(static_cast<size_t>(shape.rank()), 0);
          return LinearForm{.constant = *instruction.literal().GetIntegralAsS64(first)};
        }
        return AtomOf(instruction);
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kTranspose:
      case HloOpcode::kSlice:
      case HloOpcode::kReverse:
      case HloOpcode::kCopy:
        if (operand(0).has_value()) return operand(0);
        return AtomOf(instruction);
      case HloOpcode::kConvert:
        if (primitive_util::CastPreservesValues(instruction.operand(0)->shape().element_type(),
                                                shape.element_type()) &&
            operand(0).has_value()) {
          return operand(0);
        }
        return AtomOf(instruction);
      case HloOpcode::kAdd:
      case HloOpcode::kSubtract: {
        const std::optional<LinearForm> lhs = operand(0), rhs = operand(1);
        if (!lhs.has_value() || !rhs.has_value()) return AtomOf(instruction);
        LinearForm sum = *lhs;
        sum.Add(*rhs, instruction.opcode() == HloOpcode::kAdd ? 1 : -1);
        return sum;
      }
      case HloOpcode::kNegate: {
        if (!operand(0).has_value()) return AtomOf(instruction);
        LinearForm negated;
        negated.Add(*operand(0), -1);
        return negated;
      }
      case HloOpcode::kMultiply: {
        const std::optional<LinearForm> lhs = operand(0), rhs = operand(1);
        if (!lhs.has_value() || !rhs.has_value()) return AtomOf(instruction);
        const bool scales = rhs->coefficients.empty();
        if (!scales && !lhs->coefficients.empty()) return AtomOf(instruction);
        LinearForm product;
        const int64_t factor = scales ? rhs->constant : lhs->constant;
        if (factor != 0) product.Add(scales ? *lhs : *rhs, factor);
        return product;
      }
      default:
        return AtomOf(instruction);
    }
  }

  // A scalar that is not taken apart. Sizes of one dimension of one value are one atom.
  std::optional<LinearForm> AtomOf(const HloInstruction& instruction) {
    if (instruction.shape().rank() != 0) return std::nullopt;
    // Its own form must not be asked for again: what is added is not an atom of itself.
    if (instruction.opcode() == HloOpcode::kAdd || instruction.opcode() == HloOpcode::kSubtract ||
        instruction.opcode() == HloOpcode::kNegate ||
        instruction.opcode() == HloOpcode::kMultiply) {
      return std::nullopt;
    }
    std::pair<const HloInstruction*, int64_t> key(&instruction, -1);
    if (instruction.opcode() == HloOpcode::kGetDimensionSize) {
      const int64_t dimension = instruction.dimensions()[0];
      const Shape& shape = instruction.operand(0)->shape();
      if (!shape.is_dynamic_dimension(static_cast<int>(dimension))) {
        return LinearForm{.constant = shape.dimensions(static_cast<int>(dimension))};
      }
      key = {instruction.operand(0), dimension};
    }
    const auto [it, is_new] = atom_numbers_.emplace(key, static_cast<int64_t>(atoms_.size()));
    if (is_new) atoms_.push_back(&instruction);
    LinearForm form;
    form.coefficients[it->second] = 1;
    return form;
  }

  absl::StatusOr<Facts> FromForm(const LinearForm& form, const Shape& shape, Mode mode) {
    XLA_ASSIGN_OR_RETURN(Facts facts, Unknown(shape));
    int64_t sum = form.constant;
    for (const auto& [atom, coefficient] : form.coefficients) {
      const Facts& known =
          At(atoms_[static_cast<size_t>(atom)], coefficient > 0 ? mode : Opposite(mode));
      if (!AllFalse(known.mask)) return facts;
      sum += coefficient * *known.value.GetIntegralAsS64({});
    }
    XLA_ASSIGN_OR_RETURN(const Literal scalar,
                         LiteralUtil::CreateR0<int64_t>(sum).Convert(shape.element_type()));
    XLA_ASSIGN_OR_RETURN(Literal value, scalar.Broadcast(StaticShape(shape), {}));
    return Known(std::move(value));
  }

  // --- Facts

  absl::StatusOr<Facts> Compute(const HloInstruction& instruction, Mode mode) {
    const Shape& shape = instruction.shape();
    if (const LinearForm* form = FormOf(instruction)) return FromForm(*form, shape, mode);
    switch (instruction.opcode()) {
      case HloOpcode::kConstant:
        return Known(instruction.literal().Clone());
      case HloOpcode::kIota: {
        XLA_ASSIGN_OR_RETURN(Literal value, EvaluateOn(instruction, StaticShape(shape), {}));
        return Known(std::move(value));
      }
      case HloOpcode::kParameter:
        return OfParameter(instruction, mode);
      case HloOpcode::kGetDimensionSize:
        return OfSize(instruction, mode);
      case HloOpcode::kWhile:
        return Unknown(shape);
      case HloOpcode::kTuple:
        return OfTuple(instruction, mode);
      case HloOpcode::kGetTupleElement: {
        const Facts& tuple = At(instruction.operand(0), mode);
        const ShapeIndex index = {instruction.tuple_index()};
        return Facts{LiteralSlice(tuple.value, index).Clone(),
                     LiteralSlice(tuple.mask, index).Clone()};
      }
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kSetDimensionSize:
        return Copy(At(instruction.operand(0), mode));
      case HloOpcode::kCustomCall:
        return OfCustomCall(instruction, mode);
      case HloOpcode::kCall:
        return OfCallee(*instruction.to_apply(),
                        {instruction.operands().begin(), instruction.operands().end()}, shape,
                        mode);
      case HloOpcode::kConditional:
        return OfConditional(instruction, mode);
      case HloOpcode::kSelect:
        return OfSelect(instruction, mode);
      case HloOpcode::kSort:
        return OfSort(instruction, mode);
      default:
        break;
    }
    if (MovesElements(instruction.opcode()))
      return OfIndexed(instruction, instruction.operand_count(), mode);
    if (const int64_t indexed = IndexedOperands(instruction.opcode()); indexed > 0)
      return OfIndexed(instruction, indexed, mode);
    if (mode == kValue) return OfGeneral(instruction);
    if (IsMonotone(instruction)) return OfMonotone(instruction, mode);
    if (instruction.opcode() == HloOpcode::kReduce && ReducesMonotonously(instruction)) {
      return OfReduce(instruction, mode);
    }
    if (UsesBothBounds(instruction)) return OfBothBounds(instruction, mode);
    return Copy(At(&instruction, kValue));
  }

  absl::StatusOr<Facts> OfParameter(const HloInstruction& parameter, Mode mode) {
    const auto number = static_cast<size_t>(parameter.parameter_number());
    if (outer_ == nullptr || number >= arguments_.size()) return Unknown(parameter.shape());
    XLA_ASSIGN_OR_RETURN(const Facts* argument, outer_->Find(arguments_[number], mode));
    return Copy(*argument);
  }

  static absl::StatusOr<Facts> OfSize(const HloInstruction& instruction, Mode mode) {
    const int dimension = static_cast<int>(instruction.dimensions()[0]);
    const Shape& shape = instruction.operand(0)->shape();
    const auto bound = static_cast<int32_t>(shape.dimensions(dimension));
    if (!shape.is_dynamic_dimension(dimension) || mode == kUpperBound) {
      if (shape.is_unbounded_dynamic_dimension(dimension)) return Unknown(instruction.shape());
      return Known(LiteralUtil::CreateR0<int32_t>(bound));
    }
    if (mode == kLowerBound) return Known(LiteralUtil::CreateR0<int32_t>(0));
    return Unknown(instruction.shape());
  }

  absl::StatusOr<Facts> OfTuple(const HloInstruction& tuple, Mode mode) const {
    std::vector<Literal> values, masks;
    for (const HloInstruction* operand : tuple.operands()) {
      Facts facts = Copy(At(operand, mode));
      values.push_back(std::move(facts.value));
      masks.push_back(std::move(facts.mask));
    }
    return Facts{LiteralUtil::MakeTupleOwned(std::move(values)),
                 LiteralUtil::MakeTupleOwned(std::move(masks))};
  }

  // "SetBound" has (bound, is dynamic) as its literal.
  absl::StatusOr<Facts> OfCustomCall(const HloInstruction& call, Mode mode) const {
    if (!IsMarker(call)) return Unknown(call.shape());
    const Literal* literal = call.attributes<CustomCallAttributes>().literal.literal.get();
    const Facts& operand = At(call.operand(0), mode);
    if (call.custom_call_target() != "SetBound" || literal == nullptr ||
        !literal->shape().IsTuple() || literal->shape().tuple_shapes_size() != 2) {
      return Copy(operand);
    }
    const LiteralSlice bound(*literal, {0}), is_dynamic(*literal, {1});
    if (!ShapeUtil::Compatible(bound.shape(), StaticShape(call.shape())) ||
        !ShapeUtil::Compatible(is_dynamic.shape(), MaskShape(call.shape()))) {
      return InvalidArgumentStrCat("The literal of SetBound must be a bound and pred of the shape ",
                                   ShapeUtil::HumanString(call.shape()), ".");
    }
    if (mode == kUpperBound) return Known(bound.Clone());
    if (mode == kLowerBound) return Copy(operand);
    return Facts{bound.Clone(), is_dynamic.Clone()};
  }

  absl::StatusOr<Facts> OfCallee(const HloComputation& callee,
                                 std::vector<const HloInstruction*> arguments, const Shape& shape,
                                 Mode mode) {
    if (depth_ >= kMaxCallDepth) return Unknown(shape);
    Frame frame(this, std::move(arguments));
    XLA_ASSIGN_OR_RETURN(const Facts* facts, frame.Find(callee.root_instruction(), mode));
    return Copy(*facts);
  }

  absl::StatusOr<Facts> OfConditional(const HloInstruction& conditional, Mode mode) {
    const auto branch = [&](int64_t i) {
      return OfCallee(*conditional.branch_computation(i), {conditional.operand(i + 1)},
                      conditional.shape(), mode);
    };
    const int64_t count = static_cast<int64_t>(conditional.called_computations().size());
    const Facts& selector = At(conditional.operand(0), kValue);
    if (AllFalse(selector.mask)) {
      int64_t taken = *selector.value.GetIntegralAsS64({});
      if (selector.value.shape().element_type() == PRED) {
        taken = taken != 0 ? 0 : 1;
      } else if (taken < 0 || taken >= count) {
        taken = count - 1;
      }
      return branch(taken);
    }
    XLA_ASSIGN_OR_RETURN(Facts result, branch(0));
    for (int64_t i = 1; i < count; ++i) {
      XLA_ASSIGN_OR_RETURN(const Facts other, branch(i));
      XLA_RETURN_IF_ERROR(Join(other, mode, &result));
    }
    return result;
  }

  absl::StatusOr<Facts> OfSelect(const HloInstruction& select, Mode mode) {
    const Facts& chosen = At(select.operand(0), kValue);
    const Facts& on_true = At(select.operand(1), mode);
    const Facts& on_false = At(select.operand(2), mode);
    Facts result;
    const Shape shape = StaticShape(select.shape());
    XLA_ASSIGN_OR_RETURN(
        result.value, EvaluateOn(select, shape, {&chosen.value, &on_true.value, &on_false.value}));
    XLA_ASSIGN_OR_RETURN(result.mask, EvaluateOn(select, MaskShape(shape),
                                                 {&chosen.value, &on_true.mask, &on_false.mask}));
    if (AllFalse(chosen.mask)) return result;
    // An unknown choice: unknown, or the farther of both bounds.
    Facts joined = Copy(on_true);
    XLA_RETURN_IF_ERROR(Join(on_false, mode == kValue ? kUpperBound : mode, &joined));
    if (mode == kValue) Fill(&joined.mask, true);
    XLA_ASSIGN_OR_RETURN(result.value,
                         EvaluateOn(select, shape, {&chosen.mask, &joined.value, &result.value}));
    XLA_ASSIGN_OR_RETURN(result.mask, EvaluateOn(select, MaskShape(shape),
                                                 {&chosen.mask, &joined.mask, &result.mask}));
    return result;
  }

  // The first `count` operands in the mode; the others are indices, which must be known.
  absl::StatusOr<Facts> OfIndexed(const HloInstruction& instruction, int64_t count, Mode mode) {
    std::vector<const Literal*> values, masks;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Facts& operand = At(instruction.operand(i), i < count ? mode : kValue);
      if (i >= count && !AllFalse(operand.mask)) return Unknown(instruction.shape());
      values.push_back(&operand.value);
      masks.push_back(i < count ? &operand.mask : &operand.value);
    }
    Facts result;
    XLA_ASSIGN_OR_RETURN(result.value,
                         EvaluateOn(instruction, StaticShape(instruction.shape()), values));
    XLA_ASSIGN_OR_RETURN(result.mask,
                         EvaluateOn(instruction, MaskShape(instruction.shape()), masks));
    return result;
  }

  // Elementwise: an element is unknown if one of its operands is.
  absl::StatusOr<Literal> JoinMasks(const HloInstruction& instruction, const auto& mode_of) const {
    XLA_ASSIGN_OR_RETURN(Literal mask, Literal::Make(MaskShape(instruction.shape())));
    const absl::Span<bool> elements = mask.data<bool>();
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      for (const Mode mode : mode_of(i)) {
        const auto operand = At(instruction.operand(i), mode).mask.template data<bool>();
        for (size_t e = 0; e < elements.size(); ++e) {
          elements[e] = elements[e] || operand[operand.size() == 1 ? 0 : e];
        }
      }
    }
    return mask;
  }

  absl::StatusOr<Facts> OfMonotone(const HloInstruction& instruction, Mode mode) {
    const auto mode_of = [&](int64_t i) {
      return std::vector<Mode>{Monotonicity(instruction, i) > 0 ? mode : Opposite(mode)};
    };
    std::vector<const Literal*> values;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      values.push_back(ValueAt(instruction, i, mode_of(i)[0]));
    }
    Facts result;
    XLA_ASSIGN_OR_RETURN(result.value,
                         EvaluateOn(instruction, StaticShape(instruction.shape()), values));
    XLA_ASSIGN_OR_RETURN(result.mask, JoinMasks(instruction, mode_of));
    return result;
  }

  // Product, quotient and magnitude: the farthest of the results on both bounds of each operand.
  absl::StatusOr<Facts> OfBothBounds(const HloInstruction& instruction, Mode mode) {
    const auto mode_of = [](int64_t) { return std::vector<Mode>{kLowerBound, kUpperBound}; };
    XLA_ASSIGN_OR_RETURN(Literal mask, JoinMasks(instruction, mode_of));
    const Shape shape = StaticShape(instruction.shape());
    std::vector<std::vector<Literal>> bounds(static_cast<size_t>(instruction.operand_count()));
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      for (const Mode operand_mode : {kLowerBound, kUpperBound}) {
        bounds[static_cast<size_t>(i)].push_back(ValueAt(instruction, i, operand_mode)->Clone());
      }
    }
    if (instruction.opcode() == HloOpcode::kDivide) {
      XLA_RETURN_IF_ERROR(AvoidZero(&bounds[1], &mask));
    }
    std::vector<Literal> results;
    for (const Literal& lhs : bounds[0]) {
      if (bounds.size() == 1) {
        XLA_ASSIGN_OR_RETURN(results.emplace_back(), EvaluateOn(instruction, shape, {&lhs}));
        continue;
      }
      for (const Literal& rhs : bounds[1]) {
        XLA_ASSIGN_OR_RETURN(results.emplace_back(), EvaluateOn(instruction, shape, {&lhs, &rhs}));
      }
    }
    HloEvaluator evaluator;
    if (instruction.opcode() == HloOpcode::kAbs && mode == kLowerBound) {
      // 0 lies between a negative and a positive bound: max(lower, -upper, 0).
      XLA_ASSIGN_OR_RETURN(const Literal negated,
                           evaluator.EvaluateElementwiseUnaryOp(HloOpcode::kNegate, bounds[0][1]));
      XLA_ASSIGN_OR_RETURN(Literal value, evaluator.EvaluateElementwiseBinaryOp(
                                              HloOpcode::kMaximum, bounds[0][0], negated));
      XLA_ASSIGN_OR_RETURN(const Literal zero, Literal::Make(shape));
      XLA_ASSIGN_OR_RETURN(value,
                           evaluator.EvaluateElementwiseBinaryOp(HloOpcode::kMaximum, value, zero));
      return Facts{std::move(value), std::move(mask)};
    }
    Literal farthest = std::move(results[0]);
    const HloOpcode farther = mode == kUpperBound ? HloOpcode::kMaximum : HloOpcode::kMinimum;
    for (size_t i = 1; i < results.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(farthest,
                           evaluator.EvaluateElementwiseBinaryOp(farther, farthest, results[i]));
    }
    return Facts{std::move(farthest), std::move(mask)};
  }

  absl::StatusOr<Facts> OfReduce(const HloInstruction& reduce, Mode mode) {
    const Facts& operand = At(reduce.operand(0), mode);
    const Facts& init = At(reduce.operand(1), mode);
    Facts result;
    XLA_ASSIGN_OR_RETURN(result.value, EvaluateOn(reduce, StaticShape(reduce.shape()),
                                                  {&operand.value, &init.value}));
    XLA_ASSIGN_OR_RETURN(result.mask, AnyAlong(operand.mask, reduce.dimensions(), reduce.shape()));
    if (!AllFalse(init.mask)) Fill(&result.mask, true);
    return result;
  }

  // The order is known only with all operands; bounds of a result are those of any element along
  // the sorted dimension.
  absl::StatusOr<Facts> OfSort(const HloInstruction& sort, Mode mode) {
    std::vector<const Literal*> values;
    bool all_known = true;
    for (const HloInstruction* operand : sort.operands()) {
      values.push_back(&At(operand, mode).value);
      all_known = all_known && AllFalse(At(operand, mode).mask);
    }
    if (mode == kValue) {
      if (!all_known) return Unknown(sort.shape());
      XLA_ASSIGN_OR_RETURN(Literal sorted, EvaluateOn(sort, StaticShape(sort.shape()), values));
      return Known(std::move(sorted));
    }
    std::vector<Literal> bounds, masks;
    for (const HloInstruction* operand : sort.operands()) {
      XLA_ASSIGN_OR_RETURN(Facts facts,
                           FarthestAlong(At(operand, mode), sort.dimensions()[0], mode));
      bounds.push_back(std::move(facts.value));
      masks.push_back(std::move(facts.mask));
    }
    if (!sort.shape().IsTuple()) return Facts{std::move(bounds[0]), std::move(masks[0])};
    return Facts{LiteralUtil::MakeTupleOwned(std::move(bounds)),
                 LiteralUtil::MakeTupleOwned(std::move(masks))};
  }

  // The value. Elementwise, and for reductions, what is unknown stays at its place; of other
  // operations everything is unknown unless all operands are known.
  absl::StatusOr<Facts> OfGeneral(const HloInstruction& instruction) {
    if (HasUnknownResult(instruction)) return Unknown(instruction.shape());
    std::vector<const Literal*> values;
    bool all_known = true;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!operand->shape().IsArray() && !operand->shape().IsTuple()) {
        return Unknown(instruction.shape());
      }
      values.push_back(&At(operand, kValue).value);
      all_known = all_known && AllFalse(At(operand, kValue).mask);
    }
    const bool is_elementwise =
        instruction.info().family == OpFamily::kElementwise && instruction.shape().IsArray();
    const bool is_reduce = instruction.opcode() == HloOpcode::kReduce;
    if (!all_known && !is_elementwise && !is_reduce) return Unknown(instruction.shape());
    absl::StatusOr<Literal> value =
        EvaluateOn(instruction, StaticShape(instruction.shape()), values);
    if (!value.ok()) return Unknown(instruction.shape());
    if (all_known) return Known(*std::move(value));
    Facts result{.value = *std::move(value), .mask = Literal()};
    if (is_elementwise) {
      XLA_ASSIGN_OR_RETURN(
          result.mask, JoinMasks(instruction, [](int64_t) { return std::vector<Mode>{kValue}; }));
      return result;
    }
    return MaskReduction(instruction, std::move(result));
  }

  absl::StatusOr<Facts> MaskReduction(const HloInstruction& reduce, Facts result) const {
    const Shape& shape = reduce.shape().IsTuple() ? reduce.shape().tuple_shapes(0) : reduce.shape();
    XLA_ASSIGN_OR_RETURN(Literal any, Literal::Make(MaskShape(shape)));
    const int64_t inputs = reduce.operand_count() / 2;
    for (int64_t i = 0; i < reduce.operand_count(); ++i) {
      const Literal& mask = At(reduce.operand(i), kValue).mask;
      if (i >= inputs) {
        if (!AllFalse(mask)) Fill(&any, true);
        continue;
      }
      XLA_ASSIGN_OR_RETURN(const Literal reduced, AnyAlong(mask, reduce.dimensions(), shape));
      const absl::Span<const bool> from = reduced.data<bool>();
      const absl::Span<bool> to = any.data<bool>();
      for (size_t e = 0; e < to.size(); ++e) to[e] = to[e] || from[e];
    }
    if (!reduce.shape().IsTuple()) {
      result.mask = std::move(any);
      return result;
    }
    std::vector<Literal> masks;
    for (int64_t i = 0; i < inputs; ++i) masks.push_back(any.Clone());
    result.mask = LiteralUtil::MakeTupleOwned(std::move(masks));
    return result;
  }

  Frame* const outer_;
  const std::vector<const HloInstruction*> arguments_;
  const int depth_;
  absl::flat_hash_map<Item, std::unique_ptr<Facts>> facts_;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<std::optional<LinearForm>>> forms_;
  absl::flat_hash_map<std::pair<const HloInstruction*, int64_t>, int64_t> atom_numbers_;
  std::vector<const HloInstruction*> atoms_;
};

}  // namespace
}  // namespace value_inference

using value_inference::AllFalse;
using value_inference::Facts;
using value_inference::Frame;

bool OptionalLiteral::AllValid() const { return AllFalse(mask_); }

absl::StatusOr<Literal> ValueInference::AnalyzeIsDynamic(XlaOp op) {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* instruction, builder_->state().Find(op));
  Frame frame(nullptr, {});
  XLA_ASSIGN_OR_RETURN(const Facts* facts, frame.Find(instruction, kValue));
  return facts->mask.Clone();
}

absl::StatusOr<OptionalLiteral> ValueInference::AnalyzeConstant(XlaOp op, ValueInferenceMode mode) {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* instruction, builder_->state().Find(op));
  Frame frame(nullptr, {});
  XLA_ASSIGN_OR_RETURN(const Facts* facts, frame.Find(instruction, mode));
  return OptionalLiteral(facts->value.Clone(), facts->mask.Clone());
}

}  // namespace xla
