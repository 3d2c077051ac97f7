// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/sort_keys.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::optional<double> ConstantOf(const HloInstruction* instruction) {
  if (instruction->opcode() != HloOpcode::kConstant || instruction->shape().rank() != 0)
    return std::nullopt;
  return instruction->literal().GetAsDouble({});
}

const CompareAttributes& ComparisonOf(const HloInstruction* compare) {
  return compare->attributes<CompareAttributes>();
}

bool IsCompare(const HloInstruction* instruction, ComparisonDirection direction) {
  return instruction->opcode() == HloOpcode::kCompare &&
         ComparisonOf(instruction).direction == direction;
}

bool IsPartialOrderCompare(const HloInstruction* instruction, ComparisonDirection direction) {
  return IsCompare(instruction, direction) &&
         ComparisonOf(instruction).type != ComparisonType::kFloatTotalOrder;
}

}  // namespace

const HloInstruction* WithoutCanonicalNumbers(const HloInstruction* instruction) {
  bool nan = false, zero = false;
  while (instruction->opcode() == HloOpcode::kSelect) {
    const HloInstruction* condition = instruction->operand(0);
    const std::optional<double> value = ConstantOf(instruction->operand(1));
    if (!value.has_value()) return nullptr;
    const HloInstruction* tested = condition->operand_count() > 0 ? condition->operand(0) : nullptr;
    const HloInstruction* inner = instruction->operand(2);
    const HloInstruction* source = inner;
    while (source->opcode() == HloOpcode::kSelect) source = source->operand(2);
    if (tested != source && tested != inner) return nullptr;
    if (std::isnan(*value) && IsPartialOrderCompare(condition, ComparisonDirection::kNe) &&
        condition->operand(1) == tested) {
      nan = true;
    } else if (*value == 0 && !std::signbit(*value) &&
               IsPartialOrderCompare(condition, ComparisonDirection::kEq) &&
               ConstantOf(condition->operand(1)) == 0.0) {
      zero = true;
    } else {
      return nullptr;
    }
    instruction = inner;
  }
  return nan && zero && instruction->opcode() == HloOpcode::kParameter ? instruction : nullptr;
}

std::optional<ComparedOperand> RecognizeComparison(const HloComputation& comparator) {
  const HloInstruction* root = comparator.root_instruction();
  const bool is_greater = IsCompare(root, ComparisonDirection::kGt);
  if (!is_greater && !IsCompare(root, ComparisonDirection::kLt)) return std::nullopt;
  const HloInstruction *left = root->operand(0), *right = root->operand(1);
  KeyOrder order = KeyOrder::kPartial;
  if (ComparisonOf(root).type == ComparisonType::kFloatTotalOrder) {
    order = KeyOrder::kTotal;
    if (left->opcode() == HloOpcode::kSelect) {
      order = KeyOrder::kNumbers;
      left = WithoutCanonicalNumbers(left);
      right = WithoutCanonicalNumbers(right);
      if (left == nullptr || right == nullptr) return std::nullopt;
    }
  }
  if (left->opcode() != HloOpcode::kParameter || right->opcode() != HloOpcode::kParameter)
    return std::nullopt;
  const int64_t a = left->parameter_number(), b = right->parameter_number();
  if (a / 2 != b / 2 || a == b) return std::nullopt;
  return ComparedOperand{a / 2, is_greater == (a < b), order};
}

std::optional<int64_t> IndexDimension(const HloInstruction& array) {
  if (array.opcode() == HloOpcode::kIota) return array.attributes<IotaAttributes>().iota_dimension;
  if (array.opcode() != HloOpcode::kBroadcast) return std::nullopt;
  const std::optional<int64_t> inner = IndexDimension(*array.operand(0));
  if (!inner.has_value()) return std::nullopt;
  return array.dimensions()[static_cast<size_t>(*inner)];
}

namespace {

// Checks whether two expressions are the same, one of elements of the first array and the other of
// the second: parameters 2 i + `side` here are 2 i + 1 - `side` there.
class Mirror {
 public:
  bool Matches(const HloInstruction* a, const HloInstruction* b) {
    if (!known_.insert({a, b}).second) return true;
    if (a->opcode() != b->opcode() || a->shape() != b->shape() || !a->shape().IsArray() ||
        a->shape().rank() != 0) {
      return false;
    }
    if (a->opcode() == HloOpcode::kParameter) {
      const int64_t x = a->parameter_number(), y = b->parameter_number();
      if (x / 2 != y / 2 || x == y || (side_ >= 0 && side_ != x % 2)) return false;
      side_ = x % 2;
      return true;
    }
    if (a->opcode() == HloOpcode::kConstant) return a->literal() == b->literal();
    if (!a->info().Has(op_traits::kElementwiseTrait) || a->attributes() != b->attributes() ||
        IsAnnotated(*a) || IsAnnotated(*b)) {
      return false;
    }
    for (int64_t i = 0; i < a->operand_count(); ++i) {
      if (!Matches(a->operand(i), b->operand(i))) return false;
    }
    return true;
  }
  // The side of the parameters of the first expression; -1 if it has none.
  int64_t side() const { return side_; }

 private:
  std::set<std::pair<const HloInstruction*, const HloInstruction*>> known_;
  int64_t side_ = -1;
};

// Whether the instructions compare the same values, one for order and the other for equality.
bool CompareTheSame(const HloInstruction* order, const HloInstruction* equality) {
  const PrimitiveType type = order->operand(0)->shape().element_type();
  if (primitive_util::IsFloatingPointType(type) &&
      (ComparisonOf(order).type != ComparisonType::kFloatTotalOrder ||
       ComparisonOf(equality).type != ComparisonType::kFloatTotalOrder)) {
    return false;
  }
  const HloInstruction *a = order->operand(0), *b = order->operand(1);
  return (equality->operand(0) == a && equality->operand(1) == b) ||
         (equality->operand(0) == b && equality->operand(1) == a);
}

bool IsOrder(const HloInstruction* instruction) {
  return IsCompare(instruction, ComparisonDirection::kLt) ||
         IsCompare(instruction, ComparisonDirection::kGt);
}

// Returns the comparisons of keys, the most significant first; empty if the comparator is something
// else.
std::vector<const HloInstruction*> KeysOf(const HloInstruction* root) {
  std::vector<const HloInstruction*> keys;
  for (;;) {
    if (IsOrder(root)) {
      keys.push_back(root);
      break;
    }
    const HloInstruction *order = nullptr, *equality = nullptr, *rest = nullptr;
    if (root->opcode() == HloOpcode::kOr) {
      // a < b || (a == b && rest)
      for (const int64_t i : {0, 1}) {
        const HloInstruction* both = root->operand(1 - i);
        if (!IsOrder(root->operand(i)) || both->opcode() != HloOpcode::kAnd) continue;
        for (const int64_t k : {0, 1}) {
          if (!IsCompare(both->operand(k), ComparisonDirection::kEq)) continue;
          if (!CompareTheSame(root->operand(i), both->operand(k))) continue;
          order = root->operand(i);
          equality = both->operand(k);
          rest = both->operand(1 - k);
        }
      }
    } else if (root->opcode() == HloOpcode::kSelect) {
      // a == b ? rest : a < b
      const bool on_equal = IsCompare(root->operand(0), ComparisonDirection::kEq);
      if (!on_equal && !IsCompare(root->operand(0), ComparisonDirection::kNe)) return {};
      equality = root->operand(0);
      order = root->operand(on_equal ? 2 : 1);
      rest = root->operand(on_equal ? 1 : 2);
      if (!IsOrder(order) || !CompareTheSame(order, equality)) return {};
    }
    if (order == nullptr) return {};
    keys.push_back(order);
    root = rest;
  }
  for (const HloInstruction* key : keys) {
    const PrimitiveType type = key->operand(0)->shape().element_type();
    if (primitive_util::IsComplexType(type) ||
        (primitive_util::IsFloatingPointType(type) &&
         ComparisonOf(key).type != ComparisonType::kFloatTotalOrder)) {
      return {};
    }
    Mirror mirror;
    if (!mirror.Matches(key->operand(0), key->operand(1)) || mirror.side() < 0) return {};
  }
  return keys;
}

// Copies expressions of parameters into a computation that has some.
class ExpressionCopier {
 public:
  ExpressionCopier(GraphBuilder& b, std::vector<HloInstruction*> parameters)
      : b_(b), parameters_(std::move(parameters)) {}

  HloInstruction* Copy(const HloInstruction* expression) {
    if (expression->opcode() == HloOpcode::kParameter)
      return parameters_[static_cast<size_t>(expression->parameter_number())];
    const auto found = copies_.find(expression);
    if (found != copies_.end()) return found->second;
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : expression->operands()) operands.push_back(Copy(operand));
    return copies_[expression] =
               b_.Add(expression->CloneWithNewOperands(expression->shape(), operands));
  }

 private:
  GraphBuilder& b_;
  const std::vector<HloInstruction*> parameters_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies_;
};

bool IsOperand(const HloInstruction* key) {
  return key->opcode() == HloOpcode::kParameter || WithoutCanonicalNumbers(key) != nullptr;
}

class SortSplitter {
 public:
  SortSplitter(HloInstruction* sort, std::vector<const HloInstruction*> keys)
      : b_(sort->parent(), sort), sort_(*sort), keys_(std::move(keys)) {
    values_.assign(sort->operands().begin(), sort->operands().end());
  }

  HloInstruction* Run() {
    const size_t results = values_.size();
    std::vector<int64_t> operand_of_key;  // -1: one of the sort's own
    for (const HloInstruction* key : keys_) {
      operand_of_key.push_back(-1);
      if (IsOperand(key->operand(0))) continue;
      operand_of_key.back() = static_cast<int64_t>(values_.size());
      values_.push_back(ValuesOf(key));
    }
    for (size_t k = keys_.size(); k-- > 0;) {
      HloInstruction* const sorted = SortBy(keys_[k], operand_of_key[k]);
      if (k == 0) values_.resize(results);  // keys are not needed any more
      for (size_t i = 0; i < values_.size(); ++i) {
        values_[i] =
            sorted->shape().IsTuple() ? b_.Element(sorted, static_cast<int64_t>(i)) : sorted;
      }
    }
    return sort_.shape().IsTuple() ? b_.Tuple(values_) : values_[0];
  }

 private:
  HloModule* module() const { return sort_.GetModule(); }

  // Returns the values of the key as an array.
  HloInstruction* ValuesOf(const HloInstruction* key) {
    HloComputation* const function = module()->AddComputation(absl::StrCat(key->name(), ".key"));
    GraphBuilder c(function);
    std::vector<HloInstruction*> parameters;
    const auto operands = static_cast<size_t>(sort_.operand_count());
    for (size_t i = 0; i < operands; ++i) {
      const Shape scalar(values_[i]->shape().element_type(), {});
      HloInstruction* const parameter =
          c.Add(HloInstruction::CreateParameter(static_cast<int64_t>(i), scalar, "value"));
      parameters.insert(parameters.end(), {parameter, parameter});
    }
    function->set_root_instruction(ExpressionCopier(c, parameters).Copy(key->operand(0)));
    const Shape shape(key->operand(0)->shape().element_type(), values_[0]->shape().dimensions());
    std::vector<int64_t> all;
    for (int64_t d = 0; d < shape.rank(); ++d) all.push_back(d);
    HloComputation* called[] = {function};
    return b_.Make(HloOpcode::kMap, shape, absl::MakeConstSpan(values_).first(operands),
                   MapAttributes{.dimensions = all}, called);
  }

  HloInstruction* SortBy(const HloInstruction* key, int64_t operand) {
    HloComputation* const comparator = module()->AddComputation(sort_.to_apply()->name());
    GraphBuilder c(comparator);
    std::vector<HloInstruction*> parameters;
    std::vector<Shape> shapes;
    for (HloInstruction* value : values_) {
      const PrimitiveType type = value->shape().element_type();
      shapes.emplace_back(type, value->shape().dimensions());
      for (const char* name : {"a", "b"}) {
        parameters.push_back(c.Add(HloInstruction::CreateParameter(
            static_cast<int64_t>(parameters.size()), Shape(type, {}), name)));
      }
    }
    HloInstruction* sides[2];
    if (operand < 0) {
      ExpressionCopier copier(c, parameters);
      sides[0] = copier.Copy(key->operand(0));
      sides[1] = copier.Copy(key->operand(1));
    } else {
      Mirror mirror;
      mirror.Matches(key->operand(0), key->operand(1));
      for (const int64_t i : {0, 1}) {
        const int64_t side = i == 0 ? mirror.side() : 1 - mirror.side();
        sides[i] = parameters[static_cast<size_t>(2 * operand + side)];
      }
    }
    comparator->set_root_instruction(
        c.Make(HloOpcode::kCompare, Shape(PRED, {}), sides, ComparisonOf(key)));
    SortAttributes attributes = sort_.attributes<SortAttributes>();
    attributes.is_stable = true;
    HloComputation* called[] = {comparator};
    return b_.Make(HloOpcode::kSort,
                   shapes.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes), values_,
                   attributes, called);
  }

  GraphBuilder b_;
  const HloInstruction& sort_;
  const std::vector<const HloInstruction*> keys_;
  std::vector<HloInstruction*> values_;  // what is sorted: the operands, then keys
};

// The most instructions of a comparator, whose expressions are visited recursively.
constexpr int64_t kMostInstructions = 1000;

bool KeepsTypes(const HloInstruction& sort) {
  for (int64_t i = 0; i < sort.operand_count(); ++i) {
    const Shape& result =
        sort.shape().IsTuple() ? sort.shape().tuple_shapes(static_cast<int>(i)) : sort.shape();
    if (result.element_type() != sort.operand(i)->shape().element_type()) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> SplitSortKeys(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* sort : computation->MakeInstructionPostOrder()) {
      if (sort->opcode() != HloOpcode::kSort || !sort->operand(0)->shape().is_static() ||
          !KeepsTypes(*sort) || sort->to_apply()->instruction_count() > kMostInstructions ||
          sort->HasControlDependencies()) {
        continue;
      }
      std::vector<const HloInstruction*> keys = KeysOf(sort->to_apply()->root_instruction());
      if (keys.empty() || (keys.size() == 1 && IsOperand(keys[0]->operand(0)))) continue;
      HloInstruction* const sorted = SortSplitter(sort, std::move(keys)).Run();
      *sorted->mutable_shape() = sort->shape();
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(sort, sorted));
      changed = true;
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

}  // namespace xla
