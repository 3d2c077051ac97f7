// SPDX-License-Identifier: Apache-2.0
// Compiled programs on buffers.
#include "xla/client/local_client.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_core.h"
#include "xla/client/placement.h"
#include "xla/distributed/job.h"
#include "xla/distributed/program_identity.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/handlers.h"

namespace xla {
namespace {

using Clock = std::chrono::steady_clock;

// Runs the devices of this process, in a run of all processes that have some; these are told how
// it ended. With an error of `inputs` it has ended already.
absl::Status AmongProcesses(const ClientCore& core, const distributed::ProgramIdentity* identity,
                            const Placement& placement, const absl::Status& inputs,
                            runtime::ExecutionContext& context,
                            absl::FunctionRef<absl::Status()> run) {
  if (!placement.spans_processes()) return inputs.ok() ? run() : inputs;
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<runtime::ProcessGroup> processes,
                       core.job()->StartRun(*identity, placement.ids, placement.processes));
  context.processes = processes.get();
  absl::Status status = inputs.ok() ? run() : inputs;
  processes->Finish(status);
  return status;
}

// What an asynchronous run of one device needs until it has ended: it may outlive its executable,
// but not the client's core, which waits for it.
struct Flight {
  std::shared_ptr<const Executable> executable;
  std::shared_ptr<const CustomCallRegistry> custom_calls;
  std::shared_ptr<RunGathering> gathering;
  std::shared_ptr<const distributed::ProgramIdentity> identity;
  const ClientCore* core = nullptr;
  Placement placement;
  std::vector<ShapedBuffer> arguments;
  std::vector<const ShapedBuffer*> pointers;
  std::optional<ShapedBuffer> result;
  std::optional<runtime::Feeds> feeds;
  ShapedRun run;

  // `device`: which of those of this process; `own`: an error of its arguments.
  absl::Status Run(int64_t run_id, int64_t device, const absl::Status& own) {
    const auto run_all = [&](const absl::Status& inputs,
                             absl::Span<const absl::Span<const ShapedBuffer* const>> all,
                             absl::Span<ShapedBuffer* const> results) {
      ShapedRun run_of_all = run;
      run_of_all.arguments = all;
      return AmongProcesses(*core, identity.get(), placement, inputs, run_of_all.context,
                            [&] { return RunIntoShapedBuffers(*executable, run_of_all, results); });
    };
    const auto devices = static_cast<int64_t>(placement.ordinals.size());
    if (devices == 1) return run_all(own, {pointers}, {&*result});
    return gathering->JoinInto(run_id, device, devices, own, pointers, &*result,
                               run.context.wait_timeout, run_all);
  }
};

}  // namespace

LocalExecutable::LocalExecutable(std::unique_ptr<Executable> executable,
                                 std::shared_ptr<ClientCore> core,
                                 ExecutableBuildOptions build_options)
    : executable_(std::move(executable)),
      core_(std::move(core)),
      build_options_(std::move(build_options)),
      ffi_instances_(std::make_shared<ffi::Instances>()),
      custom_calls_(std::make_shared<const CustomCallRegistry>(
          core_->CustomCalls({.instances = ffi_instances_}))),
      gathering_(std::make_shared<RunGathering>()) {
  if (core_->job() != nullptr && device_count() > 1) {
    identity_ = std::make_shared<const distributed::ProgramIdentity>(
        distributed::IdentifyProgram(executable_->module()));
  }
}

absl::StatusOr<Placement> LocalExecutable::PlacementOf(
    const ExecutableRunOptions& run_options) const {
  const DeviceAssignment* assignment = run_options.device_assignment();
  if (assignment == nullptr && build_options_.has_device_assignment()) {
    assignment = &build_options_.device_assignment();
  }
  return PlaceDevices(*core_, executable_->num_replicas(), executable_->num_partitions(),
                      assignment);
}

absl::Status LocalExecutable::CheckArguments(absl::Span<const ShapedBuffer* const> arguments,
                                             int device_ordinal) const {
  const HloModule& module = executable_->module();
  const ProgramShape& program = module.entry_computation_layout();
  if (static_cast<int>(arguments.size()) != program.parameters_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid number of arguments for program ", module.name(), ": expected ",
                     program.parameters_size(), ", got ", arguments.size()));
  }
  for (int i = 0; i < program.parameters_size(); ++i) {
    const ShapedBuffer* argument = arguments[static_cast<size_t>(i)];
    if (argument == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, " of program ", module.name(), " is null"));
    }
    const Shape& wanted = program.parameters(i);
    if (!Shape::Equal().MinorToMajorOnlyInLayout()(wanted, argument->on_device_shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Argument does not match shape or layout of computation parameter ", i, " of program ",
          module.name(), ": want ", wanted.ToString(/*print_layout=*/true), ", got ",
          argument->on_device_shape().ToString(/*print_layout=*/true)));
    }
    if (argument->device_ordinal() != device_ordinal) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " of program ", module.name(), " is on device ",
          argument->device_ordinal(), " but the program runs on device ", device_ordinal));
    }
  }
  return absl::OkStatus();
}

std::shared_ptr<const CustomCallRegistry> LocalExecutable::CustomCallsOf(
    const ExecutableRunOptions& run_options) const {
  ffi::CallContext context = {.intra_op_thread_pool = run_options.intra_op_thread_pool(),
                              .instances = ffi_instances_};
  if (run_options.ffi_execution_context() != nullptr) {
    context.user_data = run_options.ffi_execution_context()->pointers();
  }
  if (context.user_data.empty() && context.intra_op_thread_pool == nullptr) return custom_calls_;
  return std::make_shared<const CustomCallRegistry>(core_->CustomCalls(context));
}

ShapedRun LocalExecutable::MakeRun(const Placement& placement,
                                   const ExecutableRunOptions& run_options,
                                   const CustomCallRegistry* custom_calls,
                                   std::optional<runtime::Feeds>& feeds) const {
  const Backend& backend = core_->backend();
  ShapedRun run;
  run.device_ordinals = placement.ordinals;
  run.allocator =
      run_options.allocator() != nullptr ? run_options.allocator() : backend.memory_allocator();
  run.allocator_takes_host_memory = run.allocator == backend.memory_allocator();
  run.context.pool = &backend.thread_pool();
  run.context.threads = &backend.threads();
  run.context.cancel = run_options.cancel();
  run.context.custom_calls =
      run_options.custom_calls() != nullptr ? run_options.custom_calls() : custom_calls;
  // The client's queues are those of device 0, 1, ...
  run.context.feeds = &core_->feeds();
  for (size_t d = 0; d < placement.all_ordinals.size(); ++d) {
    if (placement.all_ordinals[d] == static_cast<int>(d)) continue;
    std::vector<int> queues = placement.all_ordinals;
    // Nobody here uses those of other processes' devices.
    for (int& ordinal : queues) ordinal = std::max(ordinal, 0);
    run.context.feeds = &feeds.emplace(core_->feeds(), queues);
    break;
  }
  run.context.run_id = run_options.run_id().ToInt();
  run.context.device_ordinals = placement.all_ordinals;
  run.context.wait_timeout = run_options.wait_timeout();
  run.statistics = run_options.run_statistics();
  return run;
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> LocalExecutable::Execute(
    const absl::Status& inputs, absl::Span<const absl::Span<const ShapedBuffer* const>> arguments,
    const Placement& placement, const ExecutableRunOptions& run_options) const {
  const auto custom_calls = CustomCallsOf(run_options);
  std::optional<runtime::Feeds> feeds;
  ShapedRun run = MakeRun(placement, run_options, custom_calls.get(), feeds);
  run.arguments = arguments;
  ExecutionProfile* const profile = run_options.execution_profile();
  std::vector<ScopedShapedBuffer> results;
  XLA_RETURN_IF_ERROR(AmongProcesses(
      *core_, identity_.get(), placement, inputs, run.context, [&]() -> absl::Status {
        const PendingMemory& pending = core_->backend().pending_memory();
        if (!pending.empty()) {
          for (const absl::Span<const ShapedBuffer* const> device : arguments) {
            for (const ShapedBuffer* argument : device) {
              XLA_RETURN_IF_ERROR(pending.AwaitContents(*argument));
            }
          }
        }
        const auto start = profile == nullptr ? Clock::time_point() : Clock::now();
        XLA_ASSIGN_OR_RETURN(results, RunOnShapedBuffers(*executable_, run));
        if (profile == nullptr) return absl::OkStatus();
        const auto spent =
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
        profile->set_compute_time_ns(spent.count());
        profile->set_compute_and_transfer_time_ns(spent.count());
        return absl::OkStatus();
      }));
  return results;
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> LocalExecutable::RunReplicated(
    absl::Span<const std::vector<const ShapedBuffer*>> arguments,
    const ExecutableRunOptions& run_options) {
  XLA_ASSIGN_OR_RETURN(const Placement placement, PlacementOf(run_options));
  if (arguments.size() != placement.ordinals.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "arguments for ", arguments.size(), " devices; program ", executable_->module().name(),
        " was compiled for ", executable_->num_replicas(), " replicas and ",
        executable_->num_partitions(), " partitions",
        placement.spans_processes()
            ? absl::StrCat(", of which this process has ", placement.ordinals.size())
            : ""));
  }
  for (size_t d = 0; d < arguments.size(); ++d) {
    XLA_RETURN_IF_ERROR(CheckArguments(arguments[d], placement.ordinals[d]));
  }
  // All its devices may belong to other processes.
  if (arguments.empty()) return std::vector<ScopedShapedBuffer>();
  const std::vector<absl::Span<const ShapedBuffer* const>> spans(arguments.begin(),
                                                                 arguments.end());
  return Execute(absl::OkStatus(), spans, placement, run_options);
}

absl::StatusOr<LocalExecutable::Place> LocalExecutable::PlaceOf(
    absl::Span<const ShapedBuffer* const> arguments, const ExecutableRunOptions& run_options,
    Placement& placement) const {
  Place place = {0, run_options.device_ordinal()};
  if (device_count() == 1) {
    if (run_options.device_assignment() != nullptr || build_options_.has_device_assignment()) {
      XLA_ASSIGN_OR_RETURN(const Placement given, PlacementOf(run_options));
      if (given.spans_processes()) {
        return absl::InvalidArgumentError(
            absl::StrCat("program ", executable_->module().name(), " runs on device ", given.ids[0],
                         ", which belongs to process ", given.processes[0]));
      }
      if (place.ordinal != -1 && place.ordinal != given.ordinals[0]) {
        return absl::InvalidArgumentError(absl::StrCat("device ", place.ordinal,
                                                       " is not that of the device assignment, ",
                                                       given.ordinals[0]));
      }
      place.ordinal = given.ordinals[0];
    }
    if (place.ordinal == -1) place.ordinal = build_options_.device_ordinal();
    if (place.ordinal == -1) place.ordinal = core_->backend().default_device_ordinal();
    XLA_RETURN_IF_ERROR(core_->backend().CheckDeviceOrdinal(place.ordinal));
    placement.ordinals = placement.all_ordinals = {place.ordinal};
  } else {
    XLA_ASSIGN_OR_RETURN(placement, PlacementOf(run_options));
    if (place.ordinal == -1 && !arguments.empty() && arguments[0] != nullptr) {
      place.ordinal = arguments[0]->device_ordinal();
    }
    const std::vector<int>& ordinals = placement.ordinals;
    const auto found = std::find(ordinals.begin(), ordinals.end(), place.ordinal);
    if (found == ordinals.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("program ", executable_->module().name(), " was compiled for ",
                       device_count(), " devices; device ", place.ordinal, " is none of them"));
    }
    place.device = found - ordinals.begin();
  }
  XLA_RETURN_IF_ERROR(CheckArguments(arguments, place.ordinal));
  return place;
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  Placement placement;
  XLA_ASSIGN_OR_RETURN(const Place place, PlaceOf(arguments, run_options, placement));
  if (run_options.completion() != nullptr) *run_options.completion() = runtime::Event();
  if (placement.ordinals.size() == 1) {
    XLA_ASSIGN_OR_RETURN(std::vector<ScopedShapedBuffer> results,
                         Execute(absl::OkStatus(), {arguments}, placement, run_options));
    return std::move(results[0]);
  }
  return gathering_->Join(
      run_options.run_id().ToInt(), place.device, static_cast<int64_t>(placement.ordinals.size()),
      arguments, run_options.wait_timeout(),
      [&](const absl::Status& inputs, absl::Span<const absl::Span<const ShapedBuffer* const>> all) {
        return Execute(inputs, all, placement, run_options);
      });
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::RunAsync(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  Placement placement;
  XLA_ASSIGN_OR_RETURN(const Place place, PlaceOf(arguments, run_options, placement));
  const Backend& backend = core_->backend();
  auto flight = std::make_shared<Flight>();
  flight->executable = executable_;
  flight->custom_calls = CustomCallsOf(run_options);
  flight->gathering = gathering_;
  flight->identity = identity_;
  flight->core = core_.get();
  flight->placement = std::move(placement);
  flight->run = MakeRun(flight->placement, run_options, flight->custom_calls.get(), flight->feeds);

  std::vector<runtime::Event> after;
  PendingMemory& pending = backend.pending_memory();
  for (const ShapedBuffer* argument : arguments) {
    ShapedBuffer& copy =
        flight->arguments.emplace_back(argument->on_device_shape(), argument->device_ordinal());
    copy.buffers() = argument->buffers();
    for (runtime::Event& event : pending.WritersOf(copy)) after.push_back(std::move(event));
  }
  for (const ShapedBuffer& argument : flight->arguments) flight->pointers.push_back(&argument);
  XLA_ASSIGN_OR_RETURN(
      ScopedShapedBuffer result,
      AllocateShapedBuffer(executable_->module().entry_computation_layout().result(), place.ordinal,
                           flight->run.allocator));
  flight->result.emplace(result.on_device_shape(), place.ordinal);
  flight->result->buffers() = result.buffers();

  // Known to be pending before the run can end and its memory can be freed.
  auto source = std::make_shared<runtime::EventSource>();
  const runtime::Event done = source->event();
  pending.Writes(result, done);
  for (const ShapedBuffer& argument : flight->arguments) pending.Reads(argument, done);
  if (run_options.completion() != nullptr) *run_options.completion() = done;
  const runtime::Event ended = backend.launches().Launch(
      {place.ordinal}, after,
      [flight, place, run_id = run_options.run_id().ToInt()](const absl::Status& inputs) {
        return flight->Run(run_id, place.device, inputs);
      });
  ended.OnReady([source](const absl::Status& status) { source->Set(status); });
  return result;
}

absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> LocalClient::Compile(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    const ExecutableBuildOptions& options) {
  XLA_ASSIGN_OR_RETURN(
      std::unique_ptr<Executable> executable,
      core().Compile(computation, argument_layouts, /*may_omit_layouts=*/false, options));
  std::vector<std::unique_ptr<LocalExecutable>> result;
  result.push_back(
      std::make_unique<LocalExecutable>(std::move(executable), shared_core(), options));
  return result;
}

absl::StatusOr<ScopedShapedBuffer> LocalClient::LiteralToShapedBuffer(
    const LiteralSlice& literal, int device_ordinal, se::DeviceMemoryAllocator* allocator) {
  XLA_RETURN_IF_ERROR(backend().CheckDeviceOrdinal(device_ordinal));
  if (allocator == nullptr) allocator = backend().memory_allocator();
  return BufferFromLiteral(literal.shape(), literal, device_ordinal, allocator);
}

absl::StatusOr<Literal> LocalClient::ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer) {
  XLA_RETURN_IF_ERROR(backend().pending_memory().AwaitContents(shaped_buffer));
  return LiteralFromBuffer(shaped_buffer);
}

absl::StatusOr<const ShapedBuffer*> LocalClient::GlobalDataToShapedBuffer(
    const GlobalDataHandle& data, int replica_number) {
  if (replica_number != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no replica ", replica_number, " of the data: it is on one device"));
  }
  XLA_ASSIGN_OR_RETURN(const ClientCore::Value value, core().FindValue(data.handle()));
  return value.get();
}

absl::Status LocalClient::TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal) {
  XLA_RETURN_IF_ERROR(backend().CheckDeviceOrdinal(device_ordinal));
  return core().feeds().TransferToInfeed(literal, device_ordinal);
}

absl::StatusOr<Literal> LocalClient::TransferFromOutfeedLocal(const Shape& shape,
                                                              int device_ordinal) {
  XLA_RETURN_IF_ERROR(backend().CheckDeviceOrdinal(device_ordinal));
  return core().feeds().TransferFromOutfeed(shape, device_ordinal);
}

absl::Status LocalClient::TransferFromOutfeedLocal(int device_ordinal,
                                                   MutableBorrowingLiteral literal) {
  XLA_ASSIGN_OR_RETURN(const Literal received,
                       TransferFromOutfeedLocal(literal.shape(), device_ordinal));
  return literal.CopyFrom(received);
}

absl::StatusOr<int> LocalClient::ReplicaNumberToDeviceOrdinal(int replica_number) {
  XLA_RETURN_IF_ERROR(backend().CheckDeviceOrdinal(replica_number));
  return replica_number;
}

se::Platform* LocalClient::platform() const { return backend().platform(); }
int LocalClient::device_count() const { return backend().device_count(); }
int LocalClient::process_index() const {
  return core().job() == nullptr ? 0 : static_cast<int>(core().job()->self());
}
int LocalClient::process_count() const {
  return core().job() == nullptr ? 1 : static_cast<int>(core().job()->topology().num_processes());
}
int64_t LocalClient::global_device_count() const { return core().global_device_count(); }
absl::StatusOr<int64_t> LocalClient::GlobalDeviceId(int device_ordinal) const {
  XLA_RETURN_IF_ERROR(backend().CheckDeviceOrdinal(device_ordinal));
  return core().first_device() + device_ordinal;
}
int LocalClient::default_device_ordinal() const { return backend().default_device_ordinal(); }
bool LocalClient::device_ordinal_supported(int device_ordinal) const {
  return backend().device_ordinal_supported(device_ordinal);
}
const Backend& LocalClient::backend() const { return core().backend(); }
Backend* LocalClient::mutable_backend() { return core().mutable_backend(); }

}  // namespace xla
