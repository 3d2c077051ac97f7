// SPDX-License-Identifier: Apache-2.0
// Computations: instructions in slots, parameters by number, post order.
#include "xla/hlo/ir/hlo_computation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/ir_internal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

// Distance of the order numbers of instructions added one after the other.
static constexpr int64_t kPositionGap = int64_t{1} << 32;

struct HloComputation::Callers {
  absl::flat_hash_map<HloInstruction*, int64_t> counts;
};

HloComputation::HloComputation(std::string name, HloModule* parent, int64_t unique_id)
    : name_(std::move(name)), unique_id_(unique_id), parent_(parent) {}

HloComputation::~HloComputation() = default;

bool HloComputation::IsEntryComputation() const {
  return parent_ != nullptr && parent_->entry_computation() == this;
}

// --- Callers

void HloComputation::AddCaller(HloInstruction* caller) {
  if (callers_ == nullptr) callers_ = std::make_unique<Callers>();
  ++callers_->counts[caller];
  if (caller->opcode() == HloOpcode::kFusion) ++fusion_caller_count_;
}

void HloComputation::RemoveCaller(HloInstruction* caller) {
  const auto it = callers_->counts.find(caller);
  if (--it->second == 0) callers_->counts.erase(it);
  if (caller->opcode() == HloOpcode::kFusion) --fusion_caller_count_;
}

std::optional<HloInstruction*> HloComputation::GetUniqueCaller(HloOpcode opcode) const {
  std::optional<HloInstruction*> unique;
  for (HloInstruction* caller : callers()) {
    if (caller->opcode() != opcode) continue;
    if (unique.has_value()) return std::nullopt;
    unique = caller;
  }
  return unique;
}

std::vector<HloInstruction*> HloComputation::callers() const {
  std::vector<HloInstruction*> result;
  if (callers_ == nullptr) return result;
  for (const auto& [caller, count] : callers_->counts) result.push_back(caller);
  std::sort(result.begin(), result.end(), [](const HloInstruction* a, const HloInstruction* b) {
    return a->unique_id_ < b->unique_id_;
  });
  return result;
}

int64_t HloComputation::caller_count() const {
  return callers_ == nullptr ? 0 : static_cast<int64_t>(callers_->counts.size());
}

void HloComputation::ReleaseCallees() {
  for (const HloInstruction* i = first_; i != nullptr; i = i->next_) {
    for (HloComputation* callee : i->called_computations_) {
      callee->RemoveCaller(const_cast<HloInstruction*>(i));
    }
  }
}

// --- Order

void HloComputation::Link(HloInstruction* instruction, HloInstruction* next) {
  HloInstruction* const previous = next == nullptr ? last_ : next->previous_;
  instruction->previous_ = previous;
  instruction->next_ = next;
  (previous == nullptr ? first_ : previous->next_) = instruction;
  (next == nullptr ? last_ : next->previous_) = instruction;
  if (next == nullptr) {
    // The last in order; also the last slot unless the instruction was moved here.
    slots_are_in_order_ &=
        previous == nullptr || previous->index_in_parent_ < instruction->index_in_parent_;
    instruction->position_ = previous == nullptr ? 0 : previous->position_ + kPositionGap;
    return;
  }
  slots_are_in_order_ = false;
  const int64_t low =
      previous == nullptr ? next->position_ - 2 * kPositionGap : previous->position_;
  instruction->position_ = low + (next->position_ - low) / 2;
  if (instruction->position_ == low) SpreadPositions(instruction);
}

void HloComputation::Unlink(HloInstruction* instruction) {
  (instruction->previous_ == nullptr ? first_ : instruction->previous_->next_) = instruction->next_;
  (instruction->next_ == nullptr ? last_ : instruction->next_->previous_) = instruction->previous_;
  instruction->previous_ = instruction->next_ = nullptr;
}

// Spreads the instructions in the smallest aligned range of positions that is sparse enough, the
// sparser the larger it is; so many insertions at one place take logarithmic time each. (Bender,
// Cole, Demaine, Farach-Colton, Zito: Two simplified algorithms for maintaining order in a list.)
void HloComputation::SpreadPositions(HloInstruction* around) {
  constexpr int kMaxBits = 60;
  HloInstruction *first = around, *last = around;
  int64_t count = 1;
  double capacity = 1;
  for (int bits = 1; bits <= kMaxBits; ++bits) {
    const int64_t size = int64_t{1} << bits;
    const int64_t begin = around->position_ & ~(size - 1);
    for (; first->previous_ != nullptr && first->previous_->position_ >= begin; ++count) {
      first = first->previous_;
    }
    for (; last->next_ != nullptr && last->next_->position_ < begin + size; ++count) {
      last = last->next_;
    }
    capacity *= 1.4;
    if (static_cast<double>(count) > capacity || size / count < 2) continue;
    int64_t position = begin;
    for (HloInstruction* i = first; i != last->next_; i = i->next_) {
      i->position_ = position;
      position += size / count;
    }
    return;
  }
  int64_t position = 0;
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    i->position_ = position;
    position += kPositionGap;
  }
}

void HloComputation::MoveBefore(HloInstruction* position, HloInstruction* instruction) {
  if (position == instruction) return;
  Unlink(instruction);
  Link(instruction, position);
}

absl::Status HloComputation::SetInstructionOrder(const std::vector<HloInstruction*>& order) {
  std::vector<bool> seen(slots_.size());
  for (const HloInstruction* instruction : order) {
    if (instruction->parent_ != this) {
      return InvalidArgument("order of %s: %s is not in it", name_, instruction->ToShortString());
    }
    if (seen[instruction->index_in_parent_]) {
      return InvalidArgument("order of %s: %s is duplicated", name_, instruction->ToShortString());
    }
    seen[instruction->index_in_parent_] = true;
  }
  if (static_cast<int64_t>(order.size()) != live_count_) {
    return InvalidArgument("order of %s: %d of its %d instructions", name_, order.size(),
                           live_count_);
  }
  first_ = last_ = nullptr;
  for (HloInstruction* instruction : order) Link(instruction, nullptr);
  SortSlots();
  return absl::OkStatus();
}

void HloComputation::SortSlots() {
  std::vector<std::unique_ptr<HloInstruction>> sorted;
  sorted.reserve(live_count_);
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    sorted.push_back(std::move(slots_[i->index_in_parent_]));
    i->index_in_parent_ = static_cast<int32_t>(sorted.size()) - 1;
  }
  slots_ = std::move(sorted);
  slots_are_in_order_ = true;
}

void HloComputation::Cleanup() {
  removed_.clear();
  if (!slots_are_in_order_) SortSlots();
}

// --- Builder

HloComputation::Builder::Builder(std::string_view name) : name_(name) {}
HloComputation::Builder::Builder(Builder&&) noexcept = default;

HloComputation::Builder::~Builder() {
  while (!instructions_.empty()) instructions_.pop_back();  // users before operands
}

HloInstruction* HloComputation::Builder::AddInstruction(
    std::unique_ptr<HloInstruction> instruction) {
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
}

HloInstruction* HloComputation::Builder::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                                        std::string_view name) {
  instruction->SetName(std::string(name));
  return AddInstruction(std::move(instruction));
}

HloInstruction* HloComputation::Builder::last_added_instruction() const {
  return instructions_.empty() ? nullptr : instructions_.back().get();
}

std::unique_ptr<HloComputation> HloComputation::Builder::Build(HloInstruction* root) {
  XLA_CHECK(!instructions_.empty()) << "computation " << name_ << " has no instructions";
  std::unique_ptr<HloComputation> computation(
      new HloComputation(std::move(name_), /*parent=*/nullptr, /*unique_id=*/-1));
  computation->set_root_instruction(root == nullptr ? last_added_instruction() : root);
  for (auto& instruction : instructions_) {
    computation->Insert(std::move(instruction), /*next=*/nullptr);
  }
  instructions_.clear();
  return computation;
}

// --- Instructions

HloInstruction* HloComputation::GetInstructionWithName(std::string_view name) const {
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) {
    if (i->name_ == name) return i;
  }
  return nullptr;
}

SnapshotList<HloInstruction*> HloComputation::instructions() const {
  SnapshotList<HloInstruction*> result;
  result.reserve(live_count_);
  if (slots_are_in_order_) {
    // Several times as fast as the list, each step of which waits for memory.
    for (const auto& slot : slots_) {
      if (slot != nullptr) result.push_back(slot.get());
    }
  } else {
    for (HloInstruction* i = first_; i != nullptr; i = i->next_) result.push_back(i);
  }
  return result;
}

std::vector<HloInstruction*> HloComputation::instructions_by_id() const {
  std::vector<HloInstruction*> result = instructions();
  auto is_older = [](const HloInstruction* a, const HloInstruction* b) {
    return a->unique_id_ < b->unique_id_;
  };
  if (!std::is_sorted(result.begin(), result.end(), is_older)) {
    std::sort(result.begin(), result.end(), is_older);
  }
  return result;
}

HloInstruction* HloComputation::Adopt(std::unique_ptr<HloInstruction> instruction,
                                      std::string_view name, HloInstruction* next) {
  HloInstruction* added = instruction.get();
  XLA_CHECK(added->parent_ == nullptr) << added->name() << " is already in a computation";
  if (!name.empty()) added->name_ = std::string(name);
  if (parent_ != nullptr) NameAndNumber(added);
  Insert(std::move(instruction), next);
  return added;
}

void HloComputation::NameAndNumber(HloInstruction* added) {
  added->name_ = parent_->NameForAdded(added->name_.empty() ? added->info().name
                                                            : std::string_view(added->name_));
  added->unique_id_ = parent_->NextInstructionId();
}

void HloComputation::JoinModule(HloModule* module, std::string name, int64_t unique_id) {
  XLA_CHECK(parent_ == nullptr) << name_ << " is already in a module";
  parent_ = module;
  name_ = std::move(name);
  unique_id_ = unique_id;
  for (HloInstruction* i = first_; i != nullptr; i = i->next_) NameAndNumber(i);
}

void HloComputation::Insert(std::unique_ptr<HloInstruction> instruction, HloInstruction* next) {
  HloInstruction* added = instruction.get();
  added->parent_ = this;
  XLA_CHECK(slots_.size() < std::numeric_limits<int32_t>::max()) << "too many instructions";
  added->index_in_parent_ = static_cast<int32_t>(slots_.size());
  slots_.push_back(std::move(instruction));
  Link(added, next);
  ++live_count_;
  for (HloComputation* callee : added->called_computations_) callee->AddCaller(added);
  if (added->opcode() == HloOpcode::kParameter) ListParameter(added);
}

HloInstruction* HloComputation::AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                               std::string_view name) {
  return Adopt(std::move(instruction), name, nullptr);
}

HloInstruction* HloComputation::InsertBefore(HloInstruction* position,
                                             std::unique_ptr<HloInstruction> instruction,
                                             std::string_view name) {
  HloInstruction* added = Adopt(std::move(instruction), name, position);
  for (HloInstruction* operand : added->operands_) ir_internal::KeepScheduleValid(operand, added);
  return added;
}

HloInstruction* HloComputation::InsertAfter(HloInstruction* position,
                                            std::unique_ptr<HloInstruction> instruction,
                                            std::string_view name) {
  HloInstruction* added = Adopt(std::move(instruction), name, position->next_);
  for (HloInstruction* operand : added->operands_) ir_internal::KeepScheduleValid(operand, added);
  return added;
}

// Numbers come from input, so the list may not grow to any number that is declared: only to about
// twice the number of parameters. Those with larger numbers wait until there are enough.
void HloComputation::ListParameter(HloInstruction* parameter) {
  constexpr int64_t kSlack = 64;
  ++declared_parameters_;
  distant_parameters_.emplace(parameter->parameter_number(), parameter);
  const int64_t limit = kSlack + 2 * declared_parameters_;
  while (!distant_parameters_.empty() && distant_parameters_.begin()->first < limit) {
    const auto [number, waiting] = *distant_parameters_.begin();
    distant_parameters_.erase(distant_parameters_.begin());
    if (number < 0) continue;
    if (number >= num_parameters()) parameters_.resize(number + 1, nullptr);
    if (parameters_[number] != nullptr) continue;
    parameters_[number] = waiting;
    ++listed_parameters_;
  }
  if (listed_parameters_ < declared_parameters_ && listed_parameters_ == num_parameters()) {
    parameters_.push_back(nullptr);
  }
}

absl::Status HloComputation::RemoveInstruction(HloInstruction* instruction) {
  if (instruction->parent_ != this) {
    return InvalidArgument("%s is not in computation %s", instruction->ToShortString(), name_);
  }
  if (instruction == root_)
    return InvalidArgument("%s is the root of %s", instruction->ToShortString(), name_);
  if (instruction->opcode() == HloOpcode::kParameter) {
    return InvalidArgument("%s is a parameter of %s", instruction->ToShortString(), name_);
  }
  if (instruction->user_count() > 0) {
    return InvalidArgument("%s is used by %s", instruction->ToShortString(),
                           instruction->users()[0]->ToShortString());
  }
  if (instruction->HasControlDependencies()) {
    return InvalidArgument("%s has control dependencies", instruction->ToShortString());
  }
  Discard(instruction);
  return absl::OkStatus();
}

void HloComputation::Discard(HloInstruction* instruction) {
  instruction->Detach();
  for (HloComputation* callee : instruction->called_computations_)
    callee->RemoveCaller(instruction);
  instruction->called_computations_.clear();
  Unlink(instruction);
  instruction->parent_ = nullptr;
  instruction->is_dead_ = true;
  removed_.push_back(std::move(slots_[instruction->index_in_parent_]));
  --live_count_;
  if (2 * live_count_ < static_cast<int64_t>(slots_.size())) Compact();
}

absl::Status HloComputation::RemoveParameter(int64_t number) {
  if (number < 0 || number >= num_parameters() || parameters_[number] == nullptr) {
    return InvalidArgument("computation %s has no parameter %d", name_, number);
  }
  HloInstruction* parameter = parameters_[number];
  if (parameter == root_ || parameter->user_count() > 0) {
    return InvalidArgument("%s is used", parameter->ToShortString());
  }
  if (parameter->HasControlDependencies()) {
    return InvalidArgument("%s has control dependencies", parameter->ToShortString());
  }
  Discard(parameter);
  parameters_.erase(parameters_.begin() + number);
  --listed_parameters_;
  --declared_parameters_;
  for (int64_t i = number; i < num_parameters(); ++i) {
    if (parameters_[i] == nullptr) continue;
    parameters_[i]->mutable_attributes<ParameterAttributes>()->parameter_number = i;
  }
  return absl::OkStatus();
}

// Runs at most once in as many removals as there are instructions left.
void HloComputation::Compact() {
  slots_.erase(std::remove(slots_.begin(), slots_.end(), nullptr), slots_.end());
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i]->index_in_parent_ = static_cast<int32_t>(i);
}

absl::Status HloComputation::RemoveInstructionAndUnusedOperands(HloInstruction* instruction) {
  const std::vector<HloInstruction*> operands(instruction->operands().begin(),
                                              instruction->operands().end());
  XLA_RETURN_IF_ERROR(RemoveInstruction(instruction));
  std::vector<HloInstruction*> pending;
  absl::flat_hash_set<const HloInstruction*> considered;
  auto consider = [&](HloInstruction* operand) {
    if (operand->user_count() == 0 && considered.insert(operand).second) pending.push_back(operand);
  };
  for (HloInstruction* operand : operands) consider(operand);
  while (!pending.empty()) {
    HloInstruction* candidate = pending.back();
    pending.pop_back();
    if (candidate == root_ || candidate->opcode() == HloOpcode::kParameter ||
        candidate->HasSideEffect() || candidate->HasControlDependencies()) {
      continue;
    }
    const std::vector<HloInstruction*> next(candidate->operands().begin(),
                                            candidate->operands().end());
    XLA_RETURN_IF_ERROR(RemoveInstruction(candidate));
    for (HloInstruction* operand : next) consider(operand);
  }
  return absl::OkStatus();
}

absl::Status HloComputation::ReplaceInstruction(HloInstruction* old_instruction,
                                                HloInstruction* new_instruction) {
  if (!ShapeUtil::Compatible(old_instruction->shape(), new_instruction->shape())) {
    return InvalidArgument("%s cannot replace %s: the shapes are not compatible",
                           new_instruction->ToShortString(), old_instruction->ToShortString());
  }
  return ReplaceInstructionWithDifferentShape(old_instruction, new_instruction);
}

absl::Status HloComputation::ReplaceInstructionWithDifferentShape(HloInstruction* old_instruction,
                                                                  HloInstruction* new_instruction) {
  if (old_instruction == new_instruction) return absl::OkStatus();
  if (old_instruction->parent_ != this || new_instruction->parent_ != this) {
    return InvalidArgument("%s and %s are not both in computation %s",
                           old_instruction->ToShortString(), new_instruction->ToShortString(),
                           name_);
  }
  if (new_instruction->IsUserOf(old_instruction)) {
    return InvalidArgument("%s uses %s, which it is to replace", new_instruction->ToShortString(),
                           old_instruction->ToShortString());
  }
  XLA_RETURN_IF_ERROR(old_instruction->ReplaceAllUsesWithDifferentShape(new_instruction));
  XLA_RETURN_IF_ERROR(old_instruction->MoveControlDependenciesTo(new_instruction));
  // A parameter stays, without users: it is part of the signature.
  if (old_instruction->opcode() == HloOpcode::kParameter) return absl::OkStatus();
  return RemoveInstruction(old_instruction);
}

absl::StatusOr<HloInstruction*> HloComputation::ReplaceWithNewInstruction(
    HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction) {
  old_instruction->SetupDerivedInstruction(new_instruction.get());
  HloInstruction* added = InsertBefore(old_instruction, std::move(new_instruction));
  XLA_RETURN_IF_ERROR(ReplaceInstruction(old_instruction, added));
  return added;
}

// --- Post order

absl::StatusOr<std::vector<HloInstruction*>> HloComputation::PostOrder() const {
  enum State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(slots_.size(), kNew);
  std::vector<HloInstruction*> order;
  order.reserve(live_count_);

  // An instruction whose dependencies are being visited: control predecessors from last to first,
  // then operands from first to last.
  struct Frame {
    HloInstruction* instruction;
    int64_t next;
  };
  std::vector<Frame> stack;
  auto dependency = [](const Frame& frame) -> HloInstruction* {
    const auto& predecessors = frame.instruction->control_predecessors();
    const int64_t num_predecessors = static_cast<int64_t>(predecessors.size());
    if (frame.next < num_predecessors) return predecessors[num_predecessors - 1 - frame.next];
    const int64_t operand = frame.next - num_predecessors;
    return operand < frame.instruction->operand_count() ? frame.instruction->operand(operand)
                                                        : nullptr;
  };

  auto visit_from = [&](HloInstruction* start) -> absl::Status {
    stack.push_back({start, 0});
    states[start->index_in_parent_] = kOpen;
    while (!stack.empty()) {
      HloInstruction* next = dependency(stack.back());
      if (next == nullptr) {
        HloInstruction* done = stack.back().instruction;
        states[done->index_in_parent_] = kDone;
        order.push_back(done);
        stack.pop_back();
        continue;
      }
      ++stack.back().next;
      if (next->parent_ != this) {
        return InvalidArgument("computation %s: %s depends on %s, which is not in it", name_,
                               stack.back().instruction->ToShortString(), next->ToShortString());
      }
      State& state = states[next->index_in_parent_];
      if (state == kOpen) {
        std::vector<std::string> names = {next->name()};
        for (size_t i = stack.size(); i-- > 0;) {
          names.push_back(stack[i].instruction->name());
          if (stack[i].instruction == next) break;
        }
        std::reverse(names.begin(), names.end());
        return InvalidArgument("computation %s: instructions depend on themselves: %s", name_,
                               ir_internal::CycleToString(names));
      }
      if (state == kNew) {
        state = kOpen;
        stack.push_back({next, 0});
      }
    }
    return absl::OkStatus();
  };

  // Users that are in no computation (copies not yet added) do not count.
  auto is_used = [](const HloInstruction& instruction) {
    return std::any_of(instruction.users_.begin(), instruction.users_.end(),
                       [](const HloInstruction* user) { return user->parent_ != nullptr; });
  };
  const std::vector<HloInstruction*> text_order = instructions();
  for (HloInstruction* i : text_order) {
    if (!is_used(*i) && states[i->index_in_parent_] == kNew) XLA_RETURN_IF_ERROR(visit_from(i));
  }
  // What is left has users, all of them left as well: there is a cycle, which this walk meets.
  for (HloInstruction* i : text_order) {
    if (static_cast<int64_t>(order.size()) == live_count_) break;
    if (states[i->index_in_parent_] == kNew) XLA_RETURN_IF_ERROR(visit_from(i));
  }
  return order;
}

std::vector<HloInstruction*> HloComputation::MakeInstructionPostOrder() const {
  absl::StatusOr<std::vector<HloInstruction*>> order = PostOrder();
  XLA_CHECK_OK(order.status());
  return *std::move(order);
}

ProgramShape HloComputation::ComputeProgramShape() const {
  ProgramShape shape;
  for (const HloInstruction* parameter : parameters_) {
    if (parameter == nullptr) {
      shape.AddParameter(Shape(), "");
    } else {
      shape.AddParameter(parameter->shape(), parameter->name());
    }
  }
  if (root_ != nullptr) *shape.mutable_result() = root_->shape();
  return shape;
}

bool HloComputation::Equal(const HloComputation& other, bool layout_sensitive) const {
  return this == &other ||
         ir_internal::CheckComputationsEqual({{this, &other}}, layout_sensitive).ok();
}

size_t HloComputation::Hash() const {
  HloComputation* self = const_cast<HloComputation*>(this);
  return ir_internal::HashOfComputations(absl::MakeConstSpan(&self, 1));
}

namespace ir_internal {

std::string CycleToString(const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 12;
  if (names.size() <= kMaxNames) return absl::StrJoin(names, " -> ");
  const auto middle = names.begin() + kMaxNames / 2;
  return absl::StrCat(absl::StrJoin(names.begin(), middle, " -> "), " -> .. (",
                      names.size() - kMaxNames, " more) .. -> ",
                      absl::StrJoin(names.end() - kMaxNames / 2, names.end(), " -> "));
}

void KeepScheduleValid(HloInstruction* dependency, HloInstruction* dependent) {
  HloComputation* computation = dependent->parent();
  if (computation == nullptr || dependency->parent() != computation ||
      !dependent->ComesBefore(dependency) || computation->parent() == nullptr ||
      !computation->parent()->config().is_scheduled) {
    return;
  }
  // What the dependency needs of later instructions, in post order: each then moves in front of the
  // dependent. An instruction of a cycle is met again while it is open and left where it is: there
  // is no valid schedule.
  struct Frame {
    HloInstruction* instruction;
    int64_t next;
  };
  std::vector<Frame> stack = {{dependency, 0}};
  absl::flat_hash_set<const HloInstruction*> seen = {dependency};
  while (!stack.empty()) {
    HloInstruction* instruction = stack.back().instruction;
    const std::vector<HloInstruction*>& predecessors = instruction->control_predecessors();
    const int64_t next = stack.back().next++;
    HloInstruction* needed = nullptr;
    if (next < instruction->operand_count()) {
      needed = instruction->operand(next);
    } else if (next - instruction->operand_count() < static_cast<int64_t>(predecessors.size())) {
      needed = predecessors[next - instruction->operand_count()];
    } else {
      computation->MoveBefore(dependent, instruction);
      stack.pop_back();
      continue;
    }
    if (dependent->ComesBefore(needed) && seen.insert(needed).second) stack.push_back({needed, 0});
  }
}

}  // namespace ir_internal
}  // namespace xla
