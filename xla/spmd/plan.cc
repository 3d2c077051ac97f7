// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/passes/communication.h"
#include "xla/passes/loop_analysis.h"
#include "xla/spmd/plan_timeline.h"

namespace xla::spmd {
namespace {

std::optional<CollectiveKind> KindOfCollective(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
      return CollectiveKind::kAllReduce;
    case HloOpcode::kReduceScatter:
      return CollectiveKind::kReduceScatter;
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
      return CollectiveKind::kAllGather;
    case HloOpcode::kAllToAll:
    case HloOpcode::kRaggedAllToAll:
      return CollectiveKind::kAllToAll;
    case HloOpcode::kCollectiveBroadcast:
      return CollectiveKind::kBroadcast;
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
      return CollectiveKind::kPermute;
    default:
      return std::nullopt;
  }
}

// Bytes that the instruction brings from its device; of all-gather those of the result.
double CollectiveBytes(const HloInstruction& collective, CollectiveKind kind, int64_t group_size) {
  // The others of these are where and how updates go.
  const bool has_one_array =
      collective.opcode() == HloOpcode::kRaggedAllToAll ||
      (kind == CollectiveKind::kPermute && collective.operand_count() == 4 &&
       !collective.attributes<CollectivePermuteAttributes>().slice_sizes.empty());
  double bytes = 0;
  for (const HloInstruction* operand : collective.operands()) {
    bytes += PlanBytes(operand->shape());
    if (has_one_array) break;
  }
  return kind == CollectiveKind::kAllGather ? bytes * static_cast<double>(group_size) : bytes;
}

// The number of XLA's loop annotation: backend_config={"known_trip_count":{"n":"12"}}.
std::optional<int64_t> AnnotatedTrips(const HloInstruction& loop) {
  const std::string& config = loop.raw_backend_config_string();
  size_t at = config.find("known_trip_count");
  if (at == std::string::npos) return std::nullopt;
  at = config.find_first_of("0123456789", at);
  if (at == std::string::npos) return std::nullopt;
  int64_t trips = 0;
  const size_t end = config.find_first_not_of("0123456789", at);
  if (!absl::SimpleAtoi(config.substr(at, end - at), &trips)) return std::nullopt;
  return trips;
}

std::optional<int64_t> KnownTrips(const HloInstruction& loop) {
  if (const std::optional<int64_t> annotated = AnnotatedTrips(loop)) return annotated;
  if (const std::optional<CountedLoop> counted = AnalyzeCountedLoop(loop)) return counted->trips;
  return std::nullopt;
}

// The innermost frame of the user's program that the metadata name.
std::string SourceOf(const HloInstruction& instruction) {
  const InstructionMetadata& metadata = instruction.metadata();
  if (!metadata.source_file().empty())
    return absl::StrCat(metadata.source_file(), ":", metadata.source_line());
  const StackFrameTable& table = instruction.GetModule()->stack_frames();
  const auto entry = [](const auto& list, int64_t id) {
    return id > 0 && id <= static_cast<int64_t>(list.size()) ? &list[static_cast<size_t>(id - 1)]
                                                             : nullptr;
  };
  if (const auto* frame = entry(table.frames, metadata.stack_frame_id())) {
    if (const auto* location = entry(table.locations, frame->file_location_id)) {
      if (const auto* file = entry(table.file_names, location->file_name_id))
        return absl::StrCat(*file, ":", location->line);
    }
  }
  return metadata.op_name();
}

// A collective that a partitioner made may have no source of its own: that of its operand, or of
// the first instruction that uses it.
std::string SourceOfCollective(const HloInstruction& collective) {
  std::string source = SourceOf(collective);
  if (source.empty() && collective.operand_count() > 0)
    source = SourceOf(*SkipViews(collective.operand(0)));
  for (const HloInstruction* user = &collective; source.empty() && user->user_count() > 0;) {
    user = user->users()[0];
    source = SourceOf(*user);
    if (!IsView(user->opcode()) && user->info().async_role != AsyncRole::kDone) break;
  }
  return source;
}

// Whether a computation that is called runs as a part of the program, step by step.
bool RunsCallees(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCall:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kAsyncStart:
      return true;
    default:
      return false;
  }
}

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
    std::vector<HloInstruction*> order;
    const bool is_scheduled = module_.has_schedule();
    if (is_scheduled) {
      for (HloInstruction* instruction : computation.instructions()) order.push_back(instruction);
    } else {
      order = computation.MakeInstructionPostOrder();
    }
    // As written, synchronous collectives stop the device; else all overlap.
    std::vector<TimelineTask> written, free;
    absl::flat_hash_map<const HloInstruction*, int32_t> numbers;
    std::vector<int32_t> collective_tasks;
    Times& times = plan.times;
    for (const HloInstruction* instruction : order) {
      Entry entry{instruction, std::nullopt, std::nullopt, std::nullopt};
      TimelineTask task;
      for (const auto& before : {absl::MakeConstSpan(instruction->operands()),
                                 absl::MakeConstSpan(instruction->control_predecessors())}) {
        for (const HloInstruction* predecessor : before) {
          const auto found = numbers.find(predecessor);
          if (found == numbers.end()) {
            return absl::InvalidArgumentError(absl::StrCat("the schedule has ", instruction->name(),
                                                           " before ", predecessor->name(),
                                                           ", on which it depends"));
          }
          task.predecessors.push_back(found->second);
        }
      }
      const int32_t number = static_cast<int32_t>(written.size());
      numbers[instruction] = number;
      TimelineTask overlapped = task;
      const bool is_start = instruction->info().async_role == AsyncRole::kStart;
      double free_seconds = -1;
      if (const auto kind = KindOfCollective(instruction->opcode())) {
        XLA_ASSIGN_OR_RETURN(entry.collective, PlanCollective(*instruction, *kind));
        task.seconds = entry.collective->cost.seconds();
        task.uses_network = true;
        task.uses_compute = !is_start;
      } else if (instruction->opcode() == HloOpcode::kSend ||
                 instruction->opcode() == HloOpcode::kRecv) {
        XLA_ASSIGN_OR_RETURN(entry.collective, PlanTransfer(*instruction));
        if (entry.collective.has_value()) task.seconds = entry.collective->cost.seconds();
        task.uses_network = instruction->opcode() == HloOpcode::kSend;
      } else if (RunsCallees(*instruction)) {
        const Times called = TimesOfCalls(*instruction, plan.calls);
        task.seconds = called.seconds;
        free_seconds = called.overlapped;
        task.uses_network = called.has_network;
        task.uses_compute = !is_start || !called.has_network;
        times.computing += called.computing;
        times.communicating += called.communicating;
        times.has_network |= called.has_network;
        overlapped.uses_compute = task.uses_compute;
      } else {
        task.is_wait = instruction->info().async_role == AsyncRole::kDone ||
                       instruction->opcode() == HloOpcode::kSendDone ||
                       instruction->opcode() == HloOpcode::kRecvDone;
        PlannedStep step;
        step.cost = steps_->CostOf(*instruction);
        task.seconds = step.cost.seconds;
        task.uses_compute = task.seconds > 0;
        times.computing += task.seconds;
        overlapped.uses_compute = task.uses_compute;
        if (task.seconds > 0) {
          step.name = instruction->name();
          step.operation = HloOpcodeString(instruction->opcode());
          step.computation = computation.name();
          step.source = SourceOf(*instruction);
          entry.step = std::move(step);
        }
      }
      if (entry.collective.has_value()) {
        collective_tasks.push_back(number);
        times.has_network = true;
        if (task.uses_network) times.communicating += task.seconds;
      }
      XLA_ASSIGN_OR_RETURN(entry.product, PlanProduct(*instruction, CountsFor(*instruction),
                                                      plan_.mesh, options_.machine.memory_bytes));
      if (entry.product.has_value()) entry.product->source = SourceOf(*instruction);
      overlapped.seconds = free_seconds >= 0 ? free_seconds : task.seconds;
      overlapped.uses_network = task.uses_network;
      written.push_back(std::move(task));
      free.push_back(std::move(overlapped));
      if (entry.collective.has_value() || entry.step.has_value() || entry.product.has_value())
        plan.entries.push_back(std::move(entry));
    }
    const Timeline timeline = ScheduleTasks(written, is_scheduled);
    times.seconds = timeline.seconds;
    times.overlapped = std::min(ScheduleTasks(free, false).seconds, times.seconds);
    times.chain = LongestChain(free);
    SetHidden(written, timeline, numbers, plan.entries);
    return absl::OkStatus();
  }

  // How long the device computes during each collective that does not stop it.
  static void SetHidden(const std::vector<TimelineTask>& tasks, const Timeline& timeline,
                        const absl::flat_hash_map<const HloInstruction*, int32_t>& numbers,
                        std::vector<Entry>& entries) {
    std::vector<TimelineSpan> busy;
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].uses_compute && !tasks[i].uses_network && tasks[i].seconds > 0)
        busy.push_back(timeline.tasks[i]);
    }
    std::sort(busy.begin(), busy.end(),
              [](const TimelineSpan& a, const TimelineSpan& b) { return a.begin < b.begin; });
    // Seconds of computing before each span, so that each collective takes two searches.
    std::vector<double> before = {0};
    for (const TimelineSpan& span : busy) before.push_back(before.back() + span.end - span.begin);
    const auto computed_until = [&](double time) {
      const auto next =
          std::upper_bound(busy.begin(), busy.end(), time,
                           [](double t, const TimelineSpan& span) { return t < span.begin; });
      const auto count = static_cast<size_t>(next - busy.begin());
      if (count == 0) return 0.0;
      return before[count - 1] + std::min(time, busy[count - 1].end) - busy[count - 1].begin;
    };
    for (Entry& entry : entries) {
      if (!entry.collective.has_value()) continue;
      const auto number = static_cast<size_t>(numbers.at(entry.instruction));
      if (tasks[number].uses_compute) continue;
      const TimelineSpan& span = timeline.tasks[number];
      entry.collective->hidden = computed_until(span.end) - computed_until(span.begin);
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
