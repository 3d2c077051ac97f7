// SPDX-License-Identifier: Apache-2.0
// Modules: computations and their order, unique names, copies, comparison.
#include "xla/hlo/ir/hlo_module.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hasher.h"
#include "xla/hlo/ir/ir_internal.h"
#include "xla/hlo/ir/name_uniquer.h"
#include "xla/util.h"

namespace xla {

HloModule::HloModule(std::string name)
    : name_(std::move(name)),
      instruction_names_(std::make_unique<Uniquer>()),
      computation_names_(std::make_unique<Uniquer>()) {}

HloModule::HloModule(std::string name, HloModuleConfig config) : HloModule(std::move(name)) {
  config_ = std::move(config);
}

HloModule::~HloModule() = default;

// --- Names

std::string HloModule::UniqueInstructionName(std::string_view prefix) {
  std::string name = instruction_names_->Unique(prefix);
  instruction_names_->Reserve(name);
  return name;
}

bool HloModule::ClaimInstructionName(std::string_view name) {
  if (!instruction_names_->Claim(name)) return false;
  instruction_names_->Reserve(std::string(name));
  return true;
}

std::string HloModule::UniqueComputationName(std::string_view prefix) {
  std::string name = computation_names_->Unique(prefix);
  computation_names_->Reserve(name);
  return name;
}

std::string HloModule::NameForAdded(std::string_view name) {
  std::string wanted(name);
  return instruction_names_->TakeReserved(wanted) ? wanted : instruction_names_->Unique(wanted);
}

// --- Computations

HloComputation* HloModule::AddComputation(std::string_view name) {
  std::string unique(name);
  if (!computation_names_->TakeReserved(unique)) unique = computation_names_->Unique(name);
  computations_.push_back(std::unique_ptr<HloComputation>(
      new HloComputation(std::move(unique), this, next_computation_id_++)));
  return computations_.back().get();
}

HloComputation* HloModule::AddEmbeddedComputation(std::unique_ptr<HloComputation> computation) {
  std::string name = computation->name_;
  if (!computation_names_->TakeReserved(name)) name = computation_names_->Unique(name);
  computation->JoinModule(this, std::move(name), next_computation_id_++);
  computations_.push_back(std::move(computation));
  return computations_.back().get();
}

HloComputation* HloModule::AddEntryComputation(std::unique_ptr<HloComputation> computation) {
  entry_ = AddEmbeddedComputation(std::move(computation));
  SetDefaultEntryLayout();
  return entry_;
}

HloComputation* HloModule::GetComputationWithName(std::string_view name) const {
  for (const auto& computation : computations_) {
    if (computation->name() == name) return computation.get();
  }
  return nullptr;
}

SnapshotList<HloComputation*> HloModule::computations() const {
  SnapshotList<HloComputation*> result;
  result.reserve(computations_.size());
  for (const auto& computation : computations_) result.push_back(computation.get());
  return result;
}

absl::StatusOr<std::vector<HloComputation*>> HloModule::ComputationPostOrder() const {
  absl::flat_hash_set<const HloComputation*> called;
  for (const auto& computation : computations_) {
    if (computation->caller_count() > 0) called.insert(computation.get());
  }
  // Then the rest: there is something left only if computations call each other in a cycle.
  std::vector<HloComputation*> roots;
  for (const auto& computation : computations_) {
    if (!called.contains(computation.get())) roots.push_back(computation.get());
  }
  for (const auto& computation : computations_) {
    if (called.contains(computation.get())) roots.push_back(computation.get());
  }
  return ir_internal::CallPostOrder(roots);
}

std::vector<HloComputation*> HloModule::MakeComputationPostOrder() const {
  absl::StatusOr<std::vector<HloComputation*>> order = ComputationPostOrder();
  XLA_CHECK_OK(order.status());
  return *std::move(order);
}

absl::Status HloModule::RemoveComputation(HloComputation* computation) {
  if (computation == entry_)
    return InvalidArgument("%s is the entry computation", computation->name());
  for (const HloInstruction* caller : computation->callers()) {
    if (caller->parent() == computation) continue;
    return InvalidArgument("computation %s is called by %s", computation->name(),
                           caller->ToShortString());
  }
  auto it = std::find_if(computations_.begin(), computations_.end(),
                         [&](const auto& other) { return other.get() == computation; });
  if (it == computations_.end())
    return absl::InvalidArgumentError("the computation is not in this module");
  computation->ReleaseCallees();
  removed_computations_.push_back(std::move(*it));
  computations_.erase(it);
  return absl::OkStatus();
}

absl::Status HloModule::RemoveUnusedComputations() {
  if (entry_ == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  absl::flat_hash_set<const HloComputation*> used = {entry_};
  std::vector<const HloComputation*> pending = {entry_};
  while (!pending.empty()) {
    const HloComputation* computation = pending.back();
    pending.pop_back();
    for (const HloInstruction* instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (used.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  const auto unused = std::stable_partition(
      computations_.begin(), computations_.end(),
      [&](const auto& computation) { return used.contains(computation.get()); });
  for (auto it = unused; it != computations_.end(); ++it) (*it)->ReleaseCallees();
  std::move(unused, computations_.end(), std::back_inserter(removed_computations_));
  computations_.erase(unused, computations_.end());
  return absl::OkStatus();
}

void HloModule::Cleanup() {
  for (const auto& computation : computations_) computation->Cleanup();
  removed_computations_.clear();
}

int64_t HloModule::instruction_count() const {
  int64_t count = 0;
  for (const auto& computation : computations_) count += computation->instruction_count();
  return count;
}

void HloModule::SetDefaultEntryLayout() {
  if (config_.has_entry_computation_layout() || entry_ == nullptr) return;
  ProgramShape layout = entry_->ComputeProgramShape();
  layout.clear_parameter_names();
  config_.set_entry_computation_layout(std::move(layout));
}

// --- Copies and comparison

std::unique_ptr<HloModule> HloModule::Clone(std::string_view suffix) const {
  std::unique_ptr<HloModule> clone = Clone();
  if (!suffix.empty()) clone->set_name(name_ + "-" + std::string(suffix));
  return clone;
}

std::unique_ptr<HloModule> HloModule::Clone() const {
  auto clone = std::make_unique<HloModule>(name_);
  clone->stack_frames_ = stack_frames_;

  // Callers may come before callees, and a module that is not verified may have cycles of calls: so
  // first all computations, then their instructions.
  CloneMap map;
  const CloneOptions options = {.exact = true};
  for (const auto& computation : computations_) {
    HloComputation* copy = clone->AddComputation(computation->name());
    copy->name_ = computation->name_;
    copy->unique_id_ = computation->unique_id_;
    copy->execution_thread_ = computation->execution_thread_;
    map.computations[computation.get()] = copy;
  }
  for (const auto& computation : computations_) {
    HloComputation* copy = map.Find(computation.get());
    copy->root_ = CloneInstructionsInto(*computation, copy, &map, options);
  }
  if (entry_ != nullptr) clone->entry_ = map.Find(entry_);
  clone->config_ = config_;  // last: while it is not scheduled, nothing is moved
  clone->next_instruction_id_ = next_instruction_id_;
  clone->next_computation_id_ = next_computation_id_;
  return clone;
}

bool HloModule::Equal(const HloModule& other, bool layout_sensitive) const {
  return CheckEqual(other, layout_sensitive).ok();
}

namespace {

absl::Status CheckHeadersEqual(const HloModuleConfig& a, const HloModuleConfig& b,
                               bool layout_sensitive) {
  auto differ = [](const char* what) {
    return InvalidArgumentStrCat("the modules differ in ", what);
  };
  if (a.has_entry_computation_layout() != b.has_entry_computation_layout()) {
    return differ("having an entry_computation_layout");
  }
  if (a.has_entry_computation_layout()) {
    // Names of parameters do not count.
    const ProgramShape& x = a.entry_computation_layout();
    const ProgramShape& y = b.entry_computation_layout();
    const Shape::Equal equal = Shape::Equal().IgnoreLayout(!layout_sensitive);
    bool same = x.parameters_size() == y.parameters_size() && equal(x.result(), y.result());
    for (int i = 0; same && i < x.parameters_size(); ++i)
      same = equal(x.parameters(i), y.parameters(i));
    if (!same) return differ("entry_computation_layout");
  }
  if (a.replica_count() != b.replica_count()) return differ("replica_count");
  if (a.num_partitions() != b.num_partitions()) return differ("num_partitions");
  if (a.use_spmd_partitioning() != b.use_spmd_partitioning())
    return differ("use_spmd_partitioning");
  if (a.is_scheduled != b.is_scheduled) return differ("is_scheduled");
  if (a.alias_passthrough_params() != b.alias_passthrough_params())
    return differ("alias_passthrough_params");
  if (a.input_output_alias != b.input_output_alias) return differ("input_output_alias");
  if (a.buffer_donor != b.buffer_donor) return differ("buffer_donor");
  if (a.allow_spmd_sharding_propagation_to_parameters() !=
      b.allow_spmd_sharding_propagation_to_parameters()) {
    return differ("allow_spmd_sharding_propagation_to_parameters");
  }
  if (a.allow_spmd_sharding_propagation_to_output() !=
      b.allow_spmd_sharding_propagation_to_output()) {
    return differ("allow_spmd_sharding_propagation_to_output");
  }
  if (a.frontend_attributes != b.frontend_attributes) return differ("frontend_attributes");
  if (a.origin_recovery_table != b.origin_recovery_table) return differ("origin_recovery_table");
  return absl::OkStatus();
}

}  // namespace

absl::Status HloModule::CheckEqual(const HloModule& other, bool layout_sensitive) const {
  XLA_RETURN_IF_ERROR(CheckHeadersEqual(config_, other.config_, layout_sensitive));
  if ((entry_ == nullptr) != (other.entry_ == nullptr)) {
    return absl::InvalidArgumentError("one of the modules has no entry computation");
  }
  std::vector<ir_internal::ComputationPair> pairs;
  if (entry_ != nullptr) pairs.emplace_back(entry_, other.entry_);
  // Computations that the entries do not reach.
  auto unreached = [](const HloModule& module) -> absl::StatusOr<std::vector<HloComputation*>> {
    XLA_ASSIGN_OR_RETURN(std::vector<HloComputation*> order, module.ComputationPostOrder());
    if (module.entry_ == nullptr) return order;
    XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> reached,
                         ir_internal::CallPostOrder(absl::MakeConstSpan(&module.entry_, 1)));
    const absl::flat_hash_set<const HloComputation*> is_reached(reached.begin(), reached.end());
    order.erase(std::remove_if(order.begin(), order.end(),
                               [&](const HloComputation* computation) {
                                 return is_reached.contains(computation);
                               }),
                order.end());
    return order;
  };
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> rest, unreached(*this));
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> other_rest, unreached(other));
  if (rest.size() != other_rest.size()) {
    return InvalidArgument("the modules have %d and %d computations that their entries do not call",
                           rest.size(), other_rest.size());
  }
  for (size_t i = 0; i < rest.size(); ++i) pairs.emplace_back(rest[i], other_rest[i]);
  return ir_internal::CheckComputationsEqual(std::move(pairs), layout_sensitive);
}

// --- Schedules

HloSchedule HloModule::schedule() const {
  HloSchedule schedule(this);
  for (const auto& computation : computations_) {
    if (computation->IsFusionComputation()) continue;
    schedule.set_sequence(computation.get(), HloInstructionSequence(computation->instructions()));
  }
  return schedule;
}

absl::Status HloModule::set_schedule(const HloSchedule& schedule) {
  XLA_RETURN_IF_ERROR(schedule.Verify());
  for (const auto& computation : computations_) {
    if (!schedule.is_computation_scheduled(computation.get())) continue;
    XLA_RETURN_IF_ERROR(
        computation->SetInstructionOrder(schedule.sequence(computation.get()).instructions()));
  }
  config_.is_scheduled = true;
  return absl::OkStatus();
}

size_t HloModule::Hash() const {
  ir_internal::Hasher hasher;
  hasher.Add(config_.replica_count());
  hasher.Add(config_.num_partitions());
  hasher.Add(config_.is_scheduled);
  if (entry_ != nullptr) hasher.Add(entry_->Hash());
  return hasher.result();
}

namespace ir_internal {

absl::StatusOr<std::vector<HloComputation*>> CallPostOrder(
    absl::Span<HloComputation* const> roots) {
  enum State : uint8_t { kNew, kOpen, kDone };
  absl::flat_hash_map<const HloComputation*, State> states;
  std::vector<HloComputation*> order;

  // A computation whose callees are being visited.
  struct Frame {
    HloComputation* computation;
    std::vector<HloComputation*> callees;
    size_t next;
  };
  std::vector<Frame> stack;
  auto open = [&](HloComputation* computation) {
    std::vector<HloComputation*> callees;
    for (const HloInstruction* instruction : computation->instructions_by_id()) {
      callees.insert(callees.end(), instruction->called_computations().begin(),
                     instruction->called_computations().end());
    }
    states[computation] = kOpen;
    stack.push_back({computation, std::move(callees), 0});
  };

  for (HloComputation* root : roots) {
    if (states[root] != kNew) continue;
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.callees.size()) {
        states[frame.computation] = kDone;
        order.push_back(frame.computation);
        stack.pop_back();
        continue;
      }
      HloComputation* callee = frame.callees[frame.next++];
      const State state = states[callee];
      if (state == kOpen) {
        std::vector<std::string> names = {callee->name()};
        for (size_t i = stack.size(); i-- > 0;) {
          names.push_back(stack[i].computation->name());
          if (stack[i].computation == callee) break;
        }
        std::reverse(names.begin(), names.end());
        return InvalidArgument("computations call themselves: %s", CycleToString(names));
      }
      if (state == kNew) open(callee);
    }
  }
  return order;
}

}  // namespace ir_internal
}  // namespace xla
