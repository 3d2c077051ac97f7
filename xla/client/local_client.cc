// SPDX-License-Identifier: Apache-2.0
// Compiled programs on buffers.
#include "xla/client/local_client.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_core.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/handlers.h"

namespace xla {

LocalExecutable::LocalExecutable(std::unique_ptr<Executable> executable,
                                 std::shared_ptr<ClientCore> core,
                                 ExecutableBuildOptions build_options)
    : executable_(std::move(executable)),
      core_(std::move(core)),
      build_options_(std::move(build_options)),
      ffi_instances_(std::make_shared<ffi::Instances>()),
      custom_calls_(std::make_shared<const CustomCallRegistry>(
          core_->CustomCalls({.instances = ffi_instances_}))),
      gathering_(std::make_shared<RunGathering>()) {}

absl::StatusOr<std::vector<int>> LocalExecutable::DeviceOrdinals(
    const ExecutableRunOptions& run_options) const {
  const int64_t replicas = executable_->num_replicas(), partitions = executable_->num_partitions();
  const DeviceAssignment* assignment = run_options.device_assignment();
  if (assignment == nullptr && build_options_.has_device_assignment()) {
    assignment = &build_options_.device_assignment();
  }
  std::vector<int> ordinals;
  if (assignment == nullptr) {
    for (int64_t d = 0; d < replicas * partitions; ++d) ordinals.push_back(static_cast<int>(d));
    return ordinals;
  }
  if (assignment->replica_count() != replicas || assignment->computation_count() != partitions) {
    return absl::InvalidArgumentError(
        absl::StrCat("the device assignment is for ", assignment->replica_count(), " replicas and ",
                     assignment->computation_count(), " partitions; the program was compiled for ",
                     replicas, " and ", partitions));
  }
  for (int r = 0; r < replicas; ++r) {
    for (int p = 0; p < partitions; ++p) {
      const int64_t device = (*assignment)(r, p);
      if (device < 0 || device >= core_->backend().device_count()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the device assignment has device ", device, " for partition ", p, " of replica ", r,
            "; the client has ", core_->backend().device_count(), " devices"));
      }
      for (const int other : ordinals) {
        if (other == device) {
          return absl::InvalidArgumentError(
              absl::StrCat("the device assignment has device ", device, " twice"));
        }
      }
      ordinals.push_back(static_cast<int>(device));
    }
  }
  return ordinals;
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

ShapedRun LocalExecutable::MakeRun(absl::Span<const int> device_ordinals,
                                   const ExecutableRunOptions& run_options,
                                   const CustomCallRegistry* custom_calls,
                                   std::optional<runtime::Feeds>& feeds) const {
  const Backend& backend = core_->backend();
  ShapedRun run;
  run.device_ordinals = device_ordinals;
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
  for (size_t d = 0; d < device_ordinals.size(); ++d) {
    if (device_ordinals[d] == static_cast<int>(d)) continue;
    run.context.feeds = &feeds.emplace(core_->feeds(), device_ordinals);
    break;
  }
  run.context.run_id = run_options.run_id().ToInt();
  run.context.device_ordinals = device_ordinals;
  run.context.wait_timeout = run_options.wait_timeout();
  run.statistics = run_options.run_statistics();
  return run;
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> LocalExecutable::Execute(
    absl::Span<const absl::Span<const ShapedBuffer* const>> arguments,
    absl::Span<const int> device_ordinals, const ExecutableRunOptions& run_options) const {
  const PendingMemory& pending = core_->backend().pending_memory();
  if (!pending.empty()) {
    for (const absl::Span<const ShapedBuffer* const> device : arguments) {
      for (const ShapedBuffer* argument : device) {
        XLA_RETURN_IF_ERROR(pending.AwaitContents(*argument));
      }
    }
  }
  const auto custom_calls = CustomCallsOf(run_options);
  ExecutionProfile* const profile = run_options.execution_profile();
  if (profile == nullptr) {
    std::optional<runtime::Feeds> feeds;
    ShapedRun run = MakeRun(device_ordinals, run_options, custom_calls.get(), feeds);
    run.arguments = arguments;
    return RunOnShapedBuffers(*executable_, run);
  }
  const auto start = std::chrono::steady_clock::now();
  std::optional<runtime::Feeds> feeds;
  ShapedRun run = MakeRun(device_ordinals, run_options, custom_calls.get(), feeds);
  run.arguments = arguments;
  XLA_ASSIGN_OR_RETURN(std::vector<ScopedShapedBuffer> results,
                       RunOnShapedBuffers(*executable_, run));
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now() - start);
  profile->set_compute_time_ns(spent.count());
  profile->set_compute_and_transfer_time_ns(spent.count());
  return results;
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> LocalExecutable::RunReplicated(
    absl::Span<const std::vector<const ShapedBuffer*>> arguments,
    const ExecutableRunOptions& run_options) {
  if (static_cast<int64_t>(arguments.size()) != device_count()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "arguments for ", arguments.size(), " devices; program ", executable_->module().name(),
        " was compiled for ", executable_->num_replicas(), " replicas and ",
        executable_->num_partitions(), " partitions"));
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
  for (size_t d = 0; d < arguments.size(); ++d) {
    XLA_RETURN_IF_ERROR(CheckArguments(arguments[d], ordinals[d]));
  }
  const std::vector<absl::Span<const ShapedBuffer* const>> spans(arguments.begin(),
                                                                 arguments.end());
  return Execute(spans, ordinals, run_options);
}

absl::StatusOr<LocalExecutable::Place> LocalExecutable::PlaceOf(
    absl::Span<const ShapedBuffer* const> arguments,
    const ExecutableRunOptions& run_options) const {
  Place place = {0, run_options.device_ordinal()};
  if (device_count() == 1) {
    if (run_options.device_assignment() != nullptr || build_options_.has_device_assignment()) {
      XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
      if (place.ordinal != -1 && place.ordinal != ordinals[0]) {
        return absl::InvalidArgumentError(absl::StrCat(
            "device ", place.ordinal, " is not that of the device assignment, ", ordinals[0]));
      }
      place.ordinal = ordinals[0];
    }
    if (place.ordinal == -1) place.ordinal = build_options_.device_ordinal();
    if (place.ordinal == -1) place.ordinal = core_->backend().default_device_ordinal();
    XLA_RETURN_IF_ERROR(core_->backend().CheckDeviceOrdinal(place.ordinal));
  } else {
    XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
    if (place.ordinal == -1 && !arguments.empty() && arguments[0] != nullptr) {
      place.ordinal = arguments[0]->device_ordinal();
    }
    while (place.device < device_count() &&
           ordinals[static_cast<size_t>(place.device)] != place.ordinal) {
      ++place.device;
    }
    if (place.device == device_count()) {
      return absl::InvalidArgumentError(
          absl::StrCat("program ", executable_->module().name(), " was compiled for ",
                       device_count(), " devices; device ", place.ordinal, " is none of them"));
    }
  }
  XLA_RETURN_IF_ERROR(CheckArguments(arguments, place.ordinal));
  return place;
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  XLA_ASSIGN_OR_RETURN(const Place place, PlaceOf(arguments, run_options));
  if (run_options.completion() != nullptr) *run_options.completion() = runtime::Event();
  if (device_count() == 1) {
    XLA_ASSIGN_OR_RETURN(std::vector<ScopedShapedBuffer> results,
                         Execute({arguments}, {place.ordinal}, run_options));
    return std::move(results[0]);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
  return gathering_->Join(run_options.run_id().ToInt(), place.device, device_count(), arguments,
                          run_options.wait_timeout(),
                          [&](absl::Span<const absl::Span<const ShapedBuffer* const>> all) {
                            return Execute(all, ordinals, run_options);
                          });
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::RunAsync(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  XLA_ASSIGN_OR_RETURN(const Place place, PlaceOf(arguments, run_options));
  const Backend& backend = core_->backend();
  // What the run needs until it has ended: it may outlive this executable, but not the client's
  // core, which waits for it.
  struct Flight {
    std::shared_ptr<const Executable> executable;
    std::shared_ptr<const CustomCallRegistry> custom_calls;
    std::shared_ptr<RunGathering> gathering;
    std::vector<int> ordinals;
    std::vector<ShapedBuffer> arguments;
    std::vector<const ShapedBuffer*> pointers;
    std::optional<ShapedBuffer> result;
    std::optional<runtime::Feeds> feeds;
    ShapedRun run;
  };
  auto flight = std::make_shared<Flight>();
  flight->executable = executable_;
  flight->custom_calls = CustomCallsOf(run_options);
  flight->gathering = gathering_;
  if (device_count() == 1) {
    flight->ordinals = {place.ordinal};
  } else {
    XLA_ASSIGN_OR_RETURN(flight->ordinals, DeviceOrdinals(run_options));
  }
  flight->run = MakeRun(flight->ordinals, run_options, flight->custom_calls.get(), flight->feeds);

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
  const int64_t devices = device_count();
  const runtime::Event ended = backend.launches().Launch(
      {place.ordinal}, after,
      [flight, place, devices, run_id = run_options.run_id().ToInt()](const absl::Status& inputs) {
        if (!inputs.ok()) return inputs;
        const auto run_all = [&](absl::Span<const absl::Span<const ShapedBuffer* const>> arguments,
                                 absl::Span<ShapedBuffer* const> results) {
          ShapedRun run = flight->run;
          run.arguments = arguments;
          return RunIntoShapedBuffers(*flight->executable, run, results);
        };
        if (devices == 1) return run_all({flight->pointers}, {&*flight->result});
        return flight->gathering->JoinInto(run_id, place.device, devices, flight->pointers,
                                           &*flight->result, flight->run.context.wait_timeout,
                                           run_all);
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
int LocalClient::default_device_ordinal() const { return backend().default_device_ordinal(); }
bool LocalClient::device_ordinal_supported(int device_ordinal) const {
  return backend().device_ordinal_supported(device_ordinal);
}
const Backend& LocalClient::backend() const { return core().backend(); }
Backend* LocalClient::mutable_backend() { return core().mutable_backend(); }

}  // namespace xla
