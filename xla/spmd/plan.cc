// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/passes/communication.h"
#include "xla/spmd/plan_instructions.h"
#include "xla/spmd/plan_timeline.h"

namespace xla::spmd {
namespace {

class Planner {
 public:
  Planner(const HloModule& module, const PlanOptions& options, Plan& plan)
      : module_(module), options_(options), plan_(plan) {}

  absl::Status Run() {
    XLA_RETURN_IF_ERROR(CheckSizes());
    XLA_RETURN_IF_ERROR(SetDevices());
    steps_.emplace(module_, options_.machine, plan_.devices);
    FindPrograms();
    for (const HloComputation* computation : order_)
      XLA_RETURN_IF_ERROR(PlanComputation(*computation));
    CountRuns();
    Collect();
    PlanMemoryOfDevice();
    return absl::OkStatus();
  }

 private:
  // Of one run of a computation, with all that it runs.
  struct Times {
    double seconds = 0, overlapped = 0, chain = 0, computing = 0, communicating = 0;
    bool has_network = false;
  };
  struct Entry {
    const HloInstruction* instruction;
    std::optional<PlannedCollective> collective;
    std::optional<PlannedStep> step;
    std::optional<PlannedProduct> product;
  };
  struct Call {
    const HloComputation* computation;
    double runs;
  };
  struct ComputationPlan {
    Times times;
    std::vector<Entry> entries;
    std::vector<Call> calls;
    double runs = 0;
    double hidden_share = 0;  // of an asynchronous computation: of its time
  };
  // Those of a computation, in order. As written, synchronous collectives stop the device; in
  // `overlapped` none does.
  struct Tasks {
    std::vector<TimelineTask> written, overlapped;
    absl::flat_hash_map<const HloInstruction*, int32_t> numbers;
  };

  void Note(std::string text) {
    if (noted_.insert(text).second) plan_.notes.push_back(std::move(text));
  }

  absl::Status CheckSizes() const {
    for (const HloComputation* computation : module_.computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (!instruction->shape().is_unbounded_dynamic()) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            instruction->ToShortString(), ": an array of shape ", instruction->shape().ToString(),
            " has no size: it has a dimension without a bound"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status SetDevices() {
    const HloModuleConfig& config = module_.config();
    const int64_t replicas = std::max<int64_t>(config.replica_count(), 1),
                  partitions = std::max<int64_t>(config.num_partitions(), 1);
    if (replicas > kMaxDevices / partitions) {
      return absl::InvalidArgumentError(absl::StrCat("the module has ", replicas, " replicas and ",
                                                     partitions, " partitions; at most ",
                                                     kMaxDevices, " devices can be planned for"));
    }
    const int64_t stated = replicas * partitions;
    plan_.mesh = options_.mesh;
    if (plan_.mesh.empty()) plan_.mesh.push_back({"devices", stated});
    plan_.devices = DevicesOf(plan_.mesh);
    counts_ = {replicas, partitions};
    if (stated == 1) {
      // The module does not say: ids of either kind are devices.
      counts_ = {1, plan_.devices};
      devices_are_unstated_ = true;
    } else if (stated != plan_.devices) {
      return absl::InvalidArgumentError(absl::StrCat("the mesh has ", plan_.devices,
                                                     " devices, but the program is for ", replicas,
                                                     " replicas x ", partitions, " partitions"));
    }
    const MachineDescription& machine = options_.machine;
    if (machine.levels.empty()) return absl::InvalidArgumentError("the machine has no level");
    const int64_t available = machine.DevicesInUnit(machine.levels.size() - 1);
    if (plan_.devices > available) {
      return absl::InvalidArgumentError(absl::StrCat("the mesh has ", plan_.devices,
                                                     " devices, but the machine has ", available));
    }
    plan_.machine = machine.name;
    plan_.memory_capacity = machine.memory_bytes;
    for (size_t l = 0; l < machine.levels.size(); ++l) {
      plan_.levels.push_back(machine.levels[l].name);
      plan_.level_devices.push_back(std::min(machine.DevicesInUnit(l), plan_.devices));
    }
    plan_.launch =
        machine.launch * static_cast<double>(std::min(machine.DevicesInUnit(0), plan_.devices));
    return absl::OkStatus();
  }

  // The computations that run step by step, callees first.
  void FindPrograms() {
    absl::flat_hash_map<const HloComputation*, bool> runs;
    const std::vector<HloComputation*> all = module_.MakeComputationPostOrder();
    runs[module_.entry_computation()] = true;
    for (size_t i = all.size(); i-- > 0;) {
      if (!runs[all[i]]) continue;
      for (const HloInstruction* instruction : all[i]->instructions()) {
        if (!RunsCallees(*instruction)) continue;
        for (const HloComputation* called : instruction->called_computations()) runs[called] = true;
      }
    }
    for (const HloComputation* computation : all) {
      if (runs[computation]) order_.push_back(computation);
    }
  }

  DeviceCounts CountsFor(const HloInstruction& instruction) const {
    if (devices_are_unstated_ && !ChannelOf(instruction).has_value()) return {plan_.devices, 1};
    if (devices_are_unstated_ && instruction.attributes().visit([](const auto& attributes) {
          if constexpr (requires { attributes.use_global_device_ids; }) {
            return !attributes.use_global_device_ids;
          } else {
            return false;
          }
        })) {
      return {plan_.devices, 1};
    }
    return counts_;
  }

  // Found once for all collectives with such groups: those that cross units unevenly are written
  // out.
  std::vector<int64_t> MembersOf(const DeviceGroups& groups) {
    if (!groups.is_regular) return MembersByLevel(groups, options_.machine, plan_.devices);
    std::vector<std::pair<int64_t, int64_t>> key;
    for (const DeviceDigit& digit : groups.digits) key.emplace_back(digit.stride, digit.size);
    const auto [found, is_new] = members_.try_emplace(std::move(key));
    if (is_new) found->second = MembersByLevel(groups, options_.machine, plan_.devices);
    return found->second;
  }

  absl::StatusOr<PlannedCollective> PlanCollective(const HloInstruction& instruction,
                                                   CollectiveKind kind) {
    PlannedCollective planned;
    planned.name = instruction.name();
    planned.operation = HloOpcodeString(instruction.opcode());
    planned.computation = instruction.parent()->name();
    planned.source = SourceOfCollective(instruction);
    const DeviceCounts counts = CountsFor(instruction);
    if (kind == CollectiveKind::kPermute) {
      planned.bytes = CollectiveBytes(instruction, kind, 1);
      XLA_ASSIGN_OR_RETURN(const auto pairs, FindDevicePairs(instruction, counts));
      planned.axes = AxesText(pairs, plan_.mesh);
      planned.group_size = 2;
      planned.cost = CostOfPairs(planned.bytes, pairs, options_.machine, plan_.devices);
      return planned;
    }
    XLA_ASSIGN_OR_RETURN(const DeviceGroups groups, FindDeviceGroups(instruction, counts));
    planned.group_size = groups.size;
    planned.axes = AxesText(groups, plan_.mesh);
    planned.bytes = CollectiveBytes(instruction, kind, groups.size);
    planned.cost =
        CostOfCollective(kind, planned.bytes, MembersOf(groups), options_.machine, plan_.devices);
    if (instruction.opcode() == HloOpcode::kRaggedAllToAll)
      Note(absl::StrCat(instruction.name(), " is counted as if all its rows were sent"));
    return planned;
  }

  // A send, or the receiving side of one, which takes as long but sends nothing.
  absl::StatusOr<std::optional<PlannedCollective>> PlanTransfer(const HloInstruction& instruction) {
    if (instruction.attributes<SendRecvAttributes>().is_host_transfer) {
      Note(absl::StrCat(instruction.name(), ": transfers with the host are not counted"));
      return std::nullopt;
    }
    PlannedCollective planned;
    planned.name = instruction.name();
    planned.operation = HloOpcodeString(instruction.opcode());
    planned.computation = instruction.parent()->name();
    planned.source = SourceOf(instruction);
    planned.group_size = 2;
    planned.bytes = PlanBytes(instruction.shape().tuple_shapes(0));
    const DeviceCounts counts = CountsFor(instruction);
    XLA_ASSIGN_OR_RETURN(
        std::optional<DevicePairList> pairs,
        TransferPairs(instruction, {.replicas = counts.replicas, .partitions = counts.partitions}));
    if (!pairs.has_value()) {
      // Whoever sends: over the outermost level.
      pairs = {{0, plan_.devices - 1}};
      planned.axes = "?";
    } else {
      planned.axes = AxesText(*pairs, plan_.mesh);
    }
    planned.cost = CostOfPairs(planned.bytes, *pairs, options_.machine, plan_.devices);
    if (instruction.opcode() == HloOpcode::kRecv)
      std::fill(planned.cost.bytes_by_level.begin(), planned.cost.bytes_by_level.end(), 0.0);
    return planned;
  }

  int64_t TripsOf(const HloInstruction& loop) {
    const auto given = options_.trips.find(loop.name());
    if (given != options_.trips.end()) return given->second;
    if (const std::optional<int64_t> known = KnownTrips(loop)) return *known;
    Note(absl::StrCat(loop.name(), ": the number of trips is not known; counted once"));
    return 1;
  }

  const Times& TimesOf(const HloComputation* computation) const {
    return plans_.at(computation).times;
  }

  // What an instruction that runs other computations takes. Appends to `calls`.
  Times TimesOfCalls(const HloInstruction& instruction, std::vector<Call>& calls) {
    Times times;
    const auto add = [&](const HloComputation* computation, double runs) {
      const Times& once = TimesOf(computation);
      times.seconds += runs * once.seconds;
      times.overlapped += runs * once.overlapped;
      times.chain += runs * once.chain;
      times.computing += runs * once.computing;
      times.communicating += runs * once.communicating;
      times.has_network |= once.has_network;
      calls.push_back({computation, runs});
    };
    if (instruction.opcode() == HloOpcode::kWhile) {
      const auto trips = static_cast<double>(TripsOf(instruction));
      add(instruction.while_body(), trips);
      add(instruction.while_condition(), trips);
    } else if (instruction.opcode() == HloOpcode::kConditional) {
      const HloComputation* dearest = nullptr;
      for (const HloComputation* branch : instruction.called_computations()) {
        if (dearest == nullptr || TimesOf(branch).seconds > TimesOf(dearest).seconds)
          dearest = branch;
      }
      if (dearest != nullptr) {
        add(dearest, 1);
        Note(absl::StrCat(instruction.name(), ": counted with its dearest branch, ",
                          dearest->name()));
      }
    } else {
      for (const HloComputation* called : instruction.called_computations()) add(called, 1);
    }
    return times;
  }

  absl::Status PlanComputation(const HloComputation& computation) {
    ComputationPlan& plan = plans_[&computation];
    const bool is_scheduled = module_.has_schedule();
    std::vector<HloInstruction*> order;
    if (is_scheduled) {
      for (HloInstruction* instruction : computation.instructions()) order.push_back(instruction);
    } else {
      order = computation.MakeInstructionPostOrder();
    }
    Tasks tasks;
    for (const HloInstruction* instruction : order)
      XLA_RETURN_IF_ERROR(PlanInstruction(*instruction, plan, tasks));
    const Timeline timeline = ScheduleTasks(tasks.written, is_scheduled);
    Times& times = plan.times;
    times.seconds = timeline.seconds;
    times.overlapped = std::min(ScheduleTasks(tasks.overlapped, false).seconds, times.seconds);
    times.chain = LongestChain(tasks.overlapped);
    SetHidden(tasks, timeline, plan.entries);
    return absl::OkStatus();
  }

  static absl::Status SetPredecessors(const HloInstruction& instruction, const Tasks& tasks,
                                      TimelineTask& task) {
    for (const auto& before : {absl::MakeConstSpan(instruction.operands()),
                               absl::MakeConstSpan(instruction.control_predecessors())}) {
      for (const HloInstruction* predecessor : before) {
        const auto found = tasks.numbers.find(predecessor);
        if (found == tasks.numbers.end()) {
          return absl::InvalidArgumentError(absl::StrCat("the schedule has ", instruction.name(),
                                                         " before ", predecessor->name(),
                                                         ", on which it depends"));
        }
        task.predecessors.push_back(found->second);
      }
    }
    return absl::OkStatus();
  }

  // Appends its task, and what is printed of it.
  absl::Status PlanInstruction(const HloInstruction& instruction, ComputationPlan& plan,
                               Tasks& tasks) {
    Entry entry{&instruction, std::nullopt, std::nullopt, std::nullopt};
    TimelineTask written;
    XLA_RETURN_IF_ERROR(SetPredecessors(instruction, tasks, written));
    TimelineTask overlapped = written;
    if (RunsCallees(instruction)) {
      PlanCalls(instruction, plan, written, overlapped);
    } else if (KindOfCollective(instruction.opcode()).has_value() ||
               instruction.opcode() == HloOpcode::kSend ||
               instruction.opcode() == HloOpcode::kRecv) {
      XLA_RETURN_IF_ERROR(PlanMessages(instruction, plan, entry, written, overlapped));
    } else {
      PlanStep(instruction, plan, entry, written);
      overlapped.seconds = written.seconds;
      overlapped.uses_compute = written.uses_compute;
    }
    XLA_ASSIGN_OR_RETURN(entry.product, PlanProduct(instruction, CountsFor(instruction), plan_.mesh,
                                                    options_.machine.memory_bytes));
    if (entry.product.has_value()) entry.product->source = SourceOf(instruction);
    tasks.numbers[&instruction] = static_cast<int32_t>(tasks.written.size());
    tasks.written.push_back(std::move(written));
    tasks.overlapped.push_back(std::move(overlapped));
    if (entry.collective.has_value() || entry.step.has_value() || entry.product.has_value())
      plan.entries.push_back(std::move(entry));
    return absl::OkStatus();
  }

  // Loops, conditionals, calls: one task for all that they run.
  void PlanCalls(const HloInstruction& instruction, ComputationPlan& plan, TimelineTask& written,
                 TimelineTask& overlapped) {
    const Times called = TimesOfCalls(instruction, plan.calls);
    const bool is_start = instruction.info().async_role == AsyncRole::kStart;
    written.seconds = called.seconds;
    written.uses_network = overlapped.uses_network = called.has_network;
    written.uses_compute = overlapped.uses_compute = !is_start || !called.has_network;
    overlapped.seconds = called.overlapped;
    plan.times.computing += called.computing;
    plan.times.communicating += called.communicating;
    plan.times.has_network |= called.has_network;
  }

  absl::Status PlanMessages(const HloInstruction& instruction, ComputationPlan& plan, Entry& entry,
                            TimelineTask& written, TimelineTask& overlapped) {
    if (const auto kind = KindOfCollective(instruction.opcode())) {
      XLA_ASSIGN_OR_RETURN(entry.collective, PlanCollective(instruction, *kind));
      written.uses_network = true;
      written.uses_compute = instruction.info().async_role != AsyncRole::kStart;
    } else {
      XLA_ASSIGN_OR_RETURN(entry.collective, PlanTransfer(instruction));
      written.uses_network = instruction.opcode() == HloOpcode::kSend;
    }
    if (!entry.collective.has_value()) return absl::OkStatus();
    written.seconds = overlapped.seconds = entry.collective->cost.seconds();
    overlapped.uses_network = written.uses_network;
    plan.times.has_network = true;
    if (written.uses_network) plan.times.communicating += written.seconds;
    return absl::OkStatus();
  }

  void PlanStep(const HloInstruction& instruction, ComputationPlan& plan, Entry& entry,
                TimelineTask& task) {
    task.is_wait = instruction.info().async_role == AsyncRole::kDone ||
                   instruction.opcode() == HloOpcode::kSendDone ||
                   instruction.opcode() == HloOpcode::kRecvDone;
    PlannedStep step;
    step.cost = steps_->CostOf(instruction);
    task.seconds = step.cost.seconds;
    task.uses_compute = task.seconds > 0;
    plan.times.computing += task.seconds;
    if (task.seconds == 0) return;
    step.name = instruction.name();
    step.operation = HloOpcodeString(instruction.opcode());
    step.computation = instruction.parent()->name();
    step.source = SourceOf(instruction);
    entry.step = std::move(step);
  }

  // How long the device computes during each collective that does not stop it, or during the
  // asynchronous computation that the collective is in.
  void SetHidden(const Tasks& tasks, const Timeline& timeline, std::vector<Entry>& entries) {
    const std::vector<double> hidden = HiddenSeconds(tasks.written, timeline);
    for (const auto& [instruction, number] : tasks.numbers) {
      const auto task = static_cast<size_t>(number);
      if (instruction->opcode() != HloOpcode::kAsyncStart || hidden[task] == 0) continue;
      for (const HloComputation* called : instruction->called_computations())
        plans_.at(called).hidden_share = hidden[task] / tasks.written[task].seconds;
    }
    for (Entry& entry : entries) {
      if (!entry.collective.has_value()) continue;
      entry.collective->hidden = hidden[static_cast<size_t>(tasks.numbers.at(entry.instruction))];
    }
  }

  // Loops within loops.
  void CountRuns() {
    plans_[module_.entry_computation()].runs = 1;
    for (size_t i = order_.size(); i-- > 0;) {
      const ComputationPlan& plan = plans_[order_[i]];
      for (const Call& call : plan.calls) plans_[call.computation].runs += plan.runs * call.runs;
    }
  }

  void Collect() {
    const Times& times = TimesOf(module_.entry_computation());
    plan_.seconds = times.seconds + plan_.launch;
    plan_.overlapped = times.overlapped + plan_.launch;
    plan_.chain = times.chain;
    plan_.computing = times.computing;
    plan_.communicating = times.communicating;
    for (const std::string& level : plan_.levels) plan_.by_level.push_back({level, 0, 0, 0});
    std::map<std::string, size_t> axes;
    for (const HloComputation* computation : order_) {
      ComputationPlan& plan = plans_[computation];
      if (plan.runs == 0) continue;
      for (Entry& entry : plan.entries) {
        if (entry.step.has_value()) AddStep(std::move(*entry.step), plan.runs);
        if (entry.collective.has_value()) {
          entry.collective->runs = plan.runs;
          if (plan.hidden_share > 0)
            entry.collective->hidden = plan.hidden_share * entry.collective->cost.seconds();
          AddToSums(*entry.collective, axes);
          plan_.collectives.push_back(std::move(*entry.collective));
        }
        if (entry.product.has_value()) {
          entry.product->runs = plan.runs;
          plan_.products.push_back(std::move(*entry.product));
        }
      }
    }
  }

  void AddStep(PlannedStep step, double runs) {
    step.runs = runs;
    plan_.work.product_flops += runs * step.cost.product_flops;
    plan_.work.vector_flops += runs * step.cost.vector_flops;
    plan_.work.transcendentals += runs * step.cost.transcendentals;
    plan_.work.bytes += runs * step.cost.bytes;
    plan_.work.seconds += runs * step.cost.seconds;
    plan_.steps.push_back(std::move(step));
  }

  void AddToSums(const PlannedCollective& collective, std::map<std::string, size_t>& axes) {
    const auto [found, is_new] = axes.emplace(collective.axes, plan_.by_axes.size());
    if (is_new) plan_.by_axes.push_back({collective.axes, 0, 0, 0});
    PlanSum& sum = plan_.by_axes[found->second];
    // A recv takes its time beside the send of another device.
    const double seconds =
        collective.operation == "recv" ? 0 : collective.runs * collective.cost.seconds();
    sum.seconds += seconds;
    sum.bytes += collective.runs * collective.cost.bytes();
    ++sum.collectives;
    size_t outermost = 0;
    for (size_t l = 0; l < plan_.by_level.size(); ++l) {
      const double bytes = collective.cost.bytes_by_level[l];
      plan_.by_level[l].bytes += collective.runs * bytes;
      if (bytes > 0) outermost = l;
    }
    // Time is not divided among levels: it counts for the outermost that is passed.
    plan_.by_level[outermost].seconds += seconds;
    ++plan_.by_level[outermost].collectives;
  }

  void PlanMemoryOfDevice() {
    plan_.memory = PlanMemory(module_);
    plan_.memory_source = "live ranges in program order";
    if (options_.temporary_bytes == nullptr) return;
    const absl::StatusOr<int64_t> bytes = options_.temporary_bytes(module_);
    if (bytes.ok()) {
      plan_.memory.temporaries = static_cast<double>(*bytes);
      plan_.memory_source = options_.temporary_bytes_source;
    } else {
      Note(absl::StrCat("temporaries by live ranges: ", bytes.status().message()));
    }
  }

  const HloModule& module_;
  const PlanOptions& options_;
  Plan& plan_;
  DeviceCounts counts_;
  bool devices_are_unstated_ = false;
  std::optional<StepCosts> steps_;
  std::vector<const HloComputation*> order_;
  absl::flat_hash_map<const HloComputation*, ComputationPlan> plans_;
  std::set<std::string> noted_;
  std::map<std::vector<std::pair<int64_t, int64_t>>, std::vector<int64_t>> members_;
};

}  // namespace

std::map<std::string, int64_t> TripsOfLoops(const HloModule& module) {
  std::map<std::string, int64_t> trips;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kWhile) continue;
      if (const std::optional<int64_t> known = KnownTrips(*instruction))
        trips[instruction->name()] = *known;
    }
  }
  return trips;
}

absl::StatusOr<Plan> MakePlan(const HloModule& module, const PlanOptions& options) {
  Plan plan;
  plan.module = module.name();
  XLA_RETURN_IF_ERROR(Planner(module, options, plan).Run());
  return plan;
}

}  // namespace xla::spmd
