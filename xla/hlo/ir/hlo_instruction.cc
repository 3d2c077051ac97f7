// SPDX-License-Identifier: Apache-2.0
// Instructions: operands and users, control dependencies, identity, cloning.
#include "xla/hlo/ir/hlo_instruction.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/backend_config.h"
#include "xla/hlo/ir/hasher.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/ir_internal.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// From this many users on their positions are kept in a map.
constexpr size_t kManyUsers = 16;

const InstructionExtras& EmptyExtras() {
  static const InstructionExtras empty;
  return empty;
}

std::unique_ptr<InstructionExtras> CloneWithoutControl(const InstructionExtras& extras) {
  auto copy = std::make_unique<InstructionExtras>();
  copy->sharding = extras.sharding;
  copy->frontend_attributes = extras.frontend_attributes;
  copy->statistics = extras.statistics;
  copy->result_accuracy = extras.result_accuracy;
  copy->metadata = extras.metadata;
  copy->original_value = extras.original_value;
  copy->backend_config = extras.backend_config;
  copy->backend_decision = extras.backend_decision;
  copy->parameter_replication = extras.parameter_replication;
  return copy;
}

void Erase(std::vector<HloInstruction*>* list, const HloInstruction* instruction) {
  list->erase(std::remove(list->begin(), list->end(), instruction), list->end());
}

bool Contains(const std::vector<HloInstruction*>& list, const HloInstruction* instruction) {
  return std::find(list.begin(), list.end(), instruction) != list.end();
}

void AppendShape(const Shape& shape, int depth, std::string* out) {
  constexpr int kMaxElements = 4;
  constexpr int kMaxDepth = 3;
  if (!shape.IsTuple()) {
    shape.AppendTo(out);
    return;
  }
  *out += "(";
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    if (i > 0) *out += ", ";
    if (i == kMaxElements || depth == kMaxDepth) {
      *out += "..";
      break;
    }
    AppendShape(shape.tuple_shapes(i), depth + 1, out);
  }
  *out += ")";
}

void AppendName(const std::string& name, std::string* out) {
  constexpr size_t kMaxName = 100;
  out->append(name, 0, kMaxName);
  if (name.size() > kMaxName) *out += "..";
}

}  // namespace

// Attributes of the same meaning: those that may be left out are compared as what they then stand
// for.
static bool AttributesEqual(const HloInstruction& a, const HloInstruction& b) {
  if (const auto* compare_a = a.attributes_if<CompareAttributes>();
      compare_a != nullptr && a.operand_count() > 0) {
    const auto* compare_b = b.attributes_if<CompareAttributes>();
    if (compare_b == nullptr || b.operand_count() == 0 ||
        compare_a->direction != compare_b->direction)
      return false;
    auto type = [](const HloInstruction& i, const CompareAttributes& attributes) {
      return attributes.type.value_or(
          Comparison::DefaultComparisonType(i.operand(0)->shape().element_type()));
    };
    return type(a, *compare_a) == type(b, *compare_b);
  }
  if (const auto* outfeed_a = a.attributes_if<OutfeedAttributes>();
      outfeed_a != nullptr && a.operand_count() > 0) {
    const auto* outfeed_b = b.attributes_if<OutfeedAttributes>();
    if (outfeed_b == nullptr || b.operand_count() == 0) return false;
    return outfeed_a->outfeed_config == outfeed_b->outfeed_config &&
           outfeed_a->outfeed_shape.value_or(a.operand(0)->shape()) ==
               outfeed_b->outfeed_shape.value_or(b.operand(0)->shape());
  }
  return a.attributes() == b.attributes();
}

namespace ir_internal {

bool LocallyEqual(const HloInstruction& a, const HloInstruction& b, bool layout_sensitive) {
  if (a.opcode() != b.opcode() || a.operand_count() != b.operand_count() ||
      a.called_computations().size() != b.called_computations().size()) {
    return false;
  }
  const bool same_shape = Shape::Equal().IgnoreLayout(!layout_sensitive)(a.shape(), b.shape());
  if (!same_shape || !AttributesEqual(a, b)) return false;
  if (!a.has_extras() && !b.has_extras()) return true;
  const InstructionExtras& x = a.extras();
  const InstructionExtras& y = b.extras();
  return x.sharding == y.sharding && x.result_accuracy == y.result_accuracy &&
         x.frontend_attributes == y.frontend_attributes &&
         ir_internal::BackendConfigsEqual(x.backend_config, y.backend_config) &&
         x.parameter_replication == y.parameter_replication;
}

}  // namespace ir_internal

struct HloInstruction::UserIndex {
  // As long as users_: of how many operands of the user this is one.
  std::vector<int32_t> use_counts;
  // Position of each user in users_, once there are many: keeps removal constant-time.
  std::unique_ptr<absl::flat_hash_map<const HloInstruction*, int64_t>> positions;
};

HloInstruction::HloInstruction(HloOpcode opcode, Shape shape)
    : opcode_(opcode), shape_(std::move(shape)) {}

HloInstruction::~HloInstruction() {
  // In a computation, whoever destroys this has already detached it, or destroys the others as
  // well.
  if (parent_ == nullptr) Detach();
}

std::unique_ptr<HloInstruction> HloInstruction::Create(HloOpcode opcode, Shape shape,
                                                       absl::Span<HloInstruction* const> operands,
                                                       Attributes attributes,
                                                       absl::Span<HloComputation* const> called) {
  std::unique_ptr<HloInstruction> instruction(new HloInstruction(opcode, std::move(shape)));
  instruction->set_attributes(std::move(attributes));
  instruction->operands_.reserve(operands.size());
  for (HloInstruction* operand : operands) instruction->AppendOperand(operand);
  instruction->called_computations_.assign(called.begin(), called.end());
  return instruction;
}

std::unique_ptr<HloInstruction> HloInstruction::Create(
    HloOpcode opcode, Shape shape, std::initializer_list<HloInstruction*> operands,
    Attributes attributes, std::initializer_list<HloComputation*> called) {
  return Create(opcode, std::move(shape), absl::MakeConstSpan(operands.begin(), operands.size()),
                std::move(attributes), absl::MakeConstSpan(called.begin(), called.size()));
}

std::unique_ptr<HloInstruction> HloInstruction::CreateParameter(int64_t number, Shape shape,
                                                                std::string_view name) {
  auto parameter = Create(HloOpcode::kParameter, std::move(shape), {},
                          ParameterAttributes{.parameter_number = number});
  parameter->SetName(std::string(name));
  return parameter;
}

std::unique_ptr<HloInstruction> HloInstruction::CreateConstant(Literal literal) {
  auto shared = std::make_shared<const Literal>(std::move(literal));
  Shape shape = shared->shape();
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
  });
  return Create(HloOpcode::kConstant, std::move(shape), {},
                ConstantAttributes{.literal = {std::move(shared)}});
}

HloModule* HloInstruction::GetModule() const {
  return parent_ == nullptr ? nullptr : parent_->parent();
}

// --- Operands and users

HloInstruction::UserIndex& HloInstruction::user_index() {
  if (user_index_ == nullptr) {
    user_index_ = std::make_unique<UserIndex>();
    user_index_->use_counts.assign(users_.size(), 1);
  }
  return *user_index_;
}

int64_t HloInstruction::FindUser(const HloInstruction* user) const {
  if (user_index_ != nullptr && user_index_->positions != nullptr) {
    auto it = user_index_->positions->find(user);
    return it == user_index_->positions->end() ? -1 : it->second;
  }
  for (size_t i = 0; i < users_.size(); ++i) {
    if (users_[i] == user) return static_cast<int64_t>(i);
  }
  return -1;
}

void HloInstruction::AddUse(HloInstruction* user) {
  const int64_t position = FindUser(user);
  if (position >= 0) {
    ++user_index().use_counts[position];
    return;
  }
  users_.push_back(user);
  if (user_index_ != nullptr) user_index_->use_counts.push_back(1);
  // Once there is a map it stays, also with few users.
  if (user_index_ != nullptr && user_index_->positions != nullptr) {
    user_index_->positions->emplace(user, user_count() - 1);
    return;
  }
  if (users_.size() <= kManyUsers) return;
  UserIndex& index = user_index();
  index.positions = std::make_unique<absl::flat_hash_map<const HloInstruction*, int64_t>>();
  for (size_t i = 0; i < users_.size(); ++i) index.positions->emplace(users_[i], i);
}

void HloInstruction::RemoveUse(HloInstruction* user) {
  const int64_t position = FindUser(user);
  XLA_CHECK(position >= 0) << user->name() << " is not a user of " << name();
  if (user_index_ != nullptr) {
    UserIndex& index = *user_index_;
    if (--index.use_counts[position] > 0) return;
    index.use_counts[position] = index.use_counts.back();
    index.use_counts.pop_back();
    if (index.positions != nullptr) {
      (*index.positions)[users_.back()] = position;
      index.positions->erase(user);
    }
  }
  users_[position] = users_.back();
  users_.pop_back();
  if (users_.empty()) user_index_ = nullptr;
}

void HloInstruction::Detach() {
  for (HloInstruction* operand : operands_) {
    if (operand != this) operand->RemoveUse(this);
  }
  operands_.clear();
  if (extras_ == nullptr) return;
  for (HloInstruction* predecessor : extras_->control_predecessors) {
    Erase(&predecessor->extras_->control_successors, this);
  }
  for (HloInstruction* successor : extras_->control_successors)
    Erase(&successor->extras_->control_predecessors, this);
  extras_->control_predecessors.clear();
  extras_->control_successors.clear();
}

bool HloInstruction::IsElementwise() const {
  return IsOpElementwise(opcode_) &&
         (opcode_ != HloOpcode::kBitcastConvert ||
          primitive_util::StorageBitWidth(shape().element_type()) ==
              primitive_util::StorageBitWidth(operand(0)->shape().element_type()));
}

bool HloInstruction::IsRoot() const { return parent_ != nullptr && parent_->root_ == this; }

bool HloInstruction::IsUserOf(const HloInstruction* other) const {
  return other->FindUser(this) >= 0;
}

void HloInstruction::AppendOperand(HloInstruction* operand) {
  operands_.push_back(operand);
  operand->AddUse(this);
  ir_internal::KeepScheduleValid(operand, this);
}

void HloInstruction::RemoveOperand(int64_t i) {
  operands_[i]->RemoveUse(this);
  operands_.erase(operands_.begin() + i);
}

// --- Replacement

absl::Status HloInstruction::CheckReplacement(const HloInstruction* other) const {
  if (ShapeUtil::Compatible(shape(), other->shape())) return absl::OkStatus();
  return InvalidArgument("%s cannot replace %s: the shapes are not compatible",
                         other->ToShortString(), ToShortString());
}

void HloInstruction::SetOperand(int64_t i, HloInstruction* new_operand) {
  HloInstruction* old_operand = operands_[i];
  if (old_operand == new_operand) return;
  operands_[i] = new_operand;
  new_operand->AddUse(this);
  old_operand->RemoveUse(this);
  ir_internal::KeepScheduleValid(new_operand, this);
}

absl::Status HloInstruction::ReplaceOperandWithDifferentShape(int64_t i,
                                                              HloInstruction* new_operand) {
  if (i < 0 || i >= operand_count()) {
    return InvalidArgument("%s has no operand %d", ToShortString(), i);
  }
  SetOperand(i, new_operand);
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceOperandWith(int64_t i, HloInstruction* new_operand) {
  if (i >= 0 && i < operand_count() &&
      !ShapeUtil::Compatible(operands_[i]->shape(), new_operand->shape())) {
    return InvalidArgument("operand %d of %s cannot become %s: the shapes are not compatible", i,
                           ToShortString(), new_operand->ToShortString());
  }
  return ReplaceOperandWithDifferentShape(i, new_operand);
}

absl::Status HloInstruction::ReplaceUseWithDifferentShape(HloInstruction* user,
                                                          HloInstruction* other) {
  if (!user->IsUserOf(this)) {
    return InvalidArgument("%s does not use %s", user->ToShortString(), ToShortString());
  }
  for (int64_t i = 0; i < user->operand_count(); ++i) {
    if (user->operands_[i] == this) user->SetOperand(i, other);
  }
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceUseWith(HloInstruction* user, HloInstruction* other) {
  XLA_RETURN_IF_ERROR(CheckReplacement(other));
  return ReplaceUseWithDifferentShape(user, other);
}

absl::Status HloInstruction::ReplaceAllUsesWithDifferentShape(HloInstruction* other) {
  if (other == this) return absl::OkStatus();
  const InstructionVector users = users_;
  for (HloInstruction* user : users) {
    if (user != other) XLA_RETURN_IF_ERROR(ReplaceUseWithDifferentShape(user, other));
  }
  if (IsRoot()) parent_->set_root_instruction(other);
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceAllUsesWith(HloInstruction* other) {
  if (other == this) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(CheckReplacement(other));
  return ReplaceAllUsesWithDifferentShape(other);
}

// --- Attributes

void HloInstruction::set_attributes(Attributes attributes) {
  const size_t expected = info().attributes_index;
  if (attributes.index() == 0 && expected != 0) attributes = Attributes::MakeDefault(expected);
  XLA_CHECK(attributes.index() == expected)
      << "attributes of another operation given to " << std::string(HloOpcodeString(opcode_));
  attributes_ = std::move(attributes);
}

int64_t HloInstruction::parameter_number() const {
  return attributes<ParameterAttributes>().parameter_number;
}

const Literal& HloInstruction::literal() const {
  return *attributes<ConstantAttributes>().literal.literal;
}

int64_t HloInstruction::tuple_index() const { return attributes<TupleIndexAttributes>().index; }

absl::Span<const int64_t> HloInstruction::dimensions() const {
  return attributes_.visit([this](const auto& attributes) -> absl::Span<const int64_t> {
    if constexpr (requires { attributes.dimensions; }) {
      if constexpr (requires { attributes.dimensions.has_value(); }) {
        return attributes.dimensions.has_value() ? absl::MakeConstSpan(*attributes.dimensions)
                                                 : absl::Span<const int64_t>();
      } else {
        return attributes.dimensions;
      }
    } else {
      XLA_CHECK(false) << ToShortString() << " has no dimensions";
      return {};
    }
  });
}

// --- Called computations

void HloInstruction::set_called_computation(int64_t i, HloComputation* computation) {
  if (parent_ != nullptr) {
    called_computations_[i]->RemoveCaller(this);
    computation->AddCaller(this);
  }
  called_computations_[i] = computation;
}

void HloInstruction::AppendCalledComputation(HloComputation* computation) {
  if (parent_ != nullptr) computation->AddCaller(this);
  called_computations_.push_back(computation);
}

// --- Control dependencies

void HloInstruction::AddControlEdgeTo(HloInstruction* successor) {
  std::vector<HloInstruction*>& successors = mutable_extras().control_successors;
  std::vector<HloInstruction*>& predecessors = successor->mutable_extras().control_predecessors;
  const bool known = successors.size() < predecessors.size() ? Contains(successors, successor)
                                                             : Contains(predecessors, this);
  if (known) return;
  successors.push_back(successor);
  predecessors.push_back(this);
}

absl::Status HloInstruction::AddControlDependencyTo(HloInstruction* successor) {
  if (successor == this) return InvalidArgument("%s cannot run before itself", ToShortString());
  if (successor->parent_ != parent_) {
    return InvalidArgument("control dependency from %s to %s, which is in another computation",
                           ToShortString(), successor->ToShortString());
  }
  AddControlEdgeTo(successor);
  ir_internal::KeepScheduleValid(this, successor);
  return absl::OkStatus();
}

absl::Status HloInstruction::RemoveControlDependencyTo(HloInstruction* successor) {
  if (!Contains(control_successors(), successor)) {
    return InvalidArgument("there is no control dependency from %s to %s", ToShortString(),
                           successor->ToShortString());
  }
  Erase(&extras_->control_successors, successor);
  Erase(&successor->extras_->control_predecessors, this);
  return absl::OkStatus();
}

absl::Status HloInstruction::RemoveAllControlDependencies() {
  const std::vector<HloInstruction*> predecessors = control_predecessors();
  const std::vector<HloInstruction*> successors = control_successors();
  for (HloInstruction* predecessor : predecessors) {
    XLA_RETURN_IF_ERROR(predecessor->RemoveControlDependencyTo(this));
    for (HloInstruction* successor : successors) {
      XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(successor));
    }
  }
  for (HloInstruction* successor : successors) {
    XLA_RETURN_IF_ERROR(RemoveControlDependencyTo(successor));
  }
  return absl::OkStatus();
}

absl::Status HloInstruction::MoveControlDependenciesTo(HloInstruction* other) {
  const std::vector<HloInstruction*> predecessors = control_predecessors();
  const std::vector<HloInstruction*> successors = control_successors();
  for (HloInstruction* predecessor : predecessors) {
    XLA_RETURN_IF_ERROR(predecessor->RemoveControlDependencyTo(this));
    if (predecessor != other) XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(other));
  }
  for (HloInstruction* successor : successors) {
    XLA_RETURN_IF_ERROR(RemoveControlDependencyTo(successor));
    if (successor != other) XLA_RETURN_IF_ERROR(other->AddControlDependencyTo(successor));
  }
  return absl::OkStatus();
}

// --- Optional data

const InstructionExtras& HloInstruction::extras() const {
  return extras_ == nullptr ? EmptyExtras() : *extras_;
}

InstructionExtras& HloInstruction::mutable_extras() {
  if (extras_ == nullptr) extras_ = std::make_unique<InstructionExtras>();
  return *extras_;
}

const InstructionMetadata& HloInstruction::metadata() const {
  static const InstructionMetadata empty;
  const InstructionExtras& e = extras();
  return e.metadata.has_value() ? *e.metadata : empty;
}

void HloInstruction::set_metadata(InstructionMetadata metadata) {
  mutable_extras().metadata = std::move(metadata);
}

void HloInstruction::set_metadata_op_name(std::string name) {
  InstructionMetadata copy = metadata();
  copy.set_op_name(std::move(name));
  set_metadata(std::move(copy));
}

void HloInstruction::clear_sharding() {
  if (has_sharding()) extras_->sharding.reset();
}

// --- Whole-instruction operations

// Source: XLA's HloInstruction::HasSideEffectNoRecurse. A channel outside SPMD partitioning ties
// the instruction to other programs, which wait for it.
bool HloInstruction::HasSideEffectNoRecurse() const {
  if (info().Has(op_traits::kSideEffect)) return true;
  if (!info().Has(op_traits::kAttributeEffect)) return false;
  const HloModule* module = GetModule();
  const bool is_spmd = module != nullptr && module->config().use_spmd_partitioning();
  return attributes().visit([is_spmd](const auto& attributes) {
    if constexpr (requires { attributes.has_side_effect; }) {
      if (attributes.has_side_effect) return true;
    }
    if constexpr (requires { attributes.constrain_layout; }) {
      if (attributes.constrain_layout) return true;
    }
    if constexpr (requires { attributes.channel_id; }) {
      return attributes.channel_id.value_or(0) > 0 && !is_spmd;
    }
    return false;
  });
}

bool HloInstruction::HasSideEffect() const {
  if (HasSideEffectNoRecurse()) return true;
  if (called_computations_.empty()) return false;
  // Each computation is looked at once, however often it is called.
  std::vector<const HloComputation*> pending(called_computations_.begin(),
                                             called_computations_.end());
  absl::flat_hash_set<const HloComputation*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const HloComputation* computation = pending.back();
    pending.pop_back();
    for (const auto& slot : computation->slots_) {
      if (slot == nullptr) continue;
      if (slot->HasSideEffectNoRecurse()) return true;
      for (const HloComputation* callee : slot->called_computations_) {
        if (seen.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  return false;
}

bool HloInstruction::Identical(const HloInstruction& other, bool layout_sensitive) const {
  if (this == &other) return true;
  if (operands_ != other.operands_ || !ir_internal::LocallyEqual(*this, other, layout_sensitive))
    return false;
  for (size_t i = 0; i < called_computations_.size(); ++i) {
    if (!called_computations_[i]->Equal(*other.called_computations_[i], layout_sensitive))
      return false;
  }
  return true;
}

size_t HloInstruction::Hash() const {
  ir_internal::Hasher hasher;
  hasher.Add(opcode_);
  hasher.Add(shape_);
  hasher.Add(operand_count());
  hasher.Add(called_computations_.size());
  // A comparison type or outfeed shape left out equals the default written out.
  if (const auto* compare = attributes_if<CompareAttributes>()) {
    hasher.Add(compare->direction);
  } else if (const auto* outfeed = attributes_if<OutfeedAttributes>()) {
    hasher.Add(outfeed->outfeed_config);
  } else if (attributes_.index() != 0) {
    hasher.Add(HashAttributes(attributes_));
  }
  // Not its text: members of JSON objects may stand in any order.
  hasher.Add(extras().backend_config.empty());
  return hasher.result();
}

std::unique_ptr<HloInstruction> HloInstruction::CloneWithNewOperands(
    const Shape& shape, absl::Span<HloInstruction* const> operands) const {
  std::unique_ptr<HloInstruction> clone =
      Create(opcode_, shape, operands, attributes(), called_computations_);
  if (extras_ != nullptr) clone->extras_ = CloneWithoutControl(*extras_);
  clone->name_ = name_;
  return clone;
}

void HloInstruction::SetupDerivedInstruction(HloInstruction* derived) const {
  if (extras_ == nullptr || derived == this) return;
  // A sharding belongs to a shape: of as many leaves, and of the same rank where it is tiled.
  auto fits = [&] {
    return extras_->sharding.has_value() &&
           Shape::Equal().IgnoreLayout().IgnoreElementType().IgnoreDimensions()(shape_,
                                                                                derived->shape_);
  };
  if (!derived->has_sharding() && fits()) derived->mutable_extras().sharding = extras_->sharding;
  if (extras_->metadata.has_value() && !derived->extras().metadata.has_value()) {
    derived->set_metadata(*extras_->metadata);
  }
  if (!extras_->frontend_attributes.empty()) {
    derived->mutable_extras().frontend_attributes.insert(extras_->frontend_attributes.begin(),
                                                         extras_->frontend_attributes.end());
  }
}

std::string HloInstruction::ToShortString() const {
  constexpr size_t kMaxLength = 1000;
  constexpr int64_t kMaxOperands = 8;
  std::string text;
  AppendName(name_, &text);
  text += text.empty() ? "" : " = ";
  AppendShape(shape_, 0, &text);
  absl::StrAppend(&text, " ", std::string(HloOpcodeString(opcode_)), "(");
  for (int64_t i = 0; i < operand_count(); ++i) {
    if (i > 0) text += ", ";
    if (i == kMaxOperands) {
      text += "..";
      break;
    }
    AppendShape(operands_[i]->shape(), 0, &text);
    text += " ";
    AppendName(operands_[i]->name_, &text);
  }
  text += ")";
  if (text.size() > kMaxLength) {
    text.resize(kMaxLength);
    text += "..";
  }
  return text;
}

}  // namespace xla
