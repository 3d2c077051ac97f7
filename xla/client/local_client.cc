// SPDX-License-Identifier: Apache-2.0
// Compiled programs on buffers.
#include "xla/client/local_client.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_core.h"

namespace xla {

LocalExecutable::LocalExecutable(std::unique_ptr<Executable> executable,
                                 std::shared_ptr<ClientCore> core,
                                 ExecutableBuildOptions build_options)
    : executable_(std::move(executable)),
      core_(std::move(core)),
      build_options_(std::move(build_options)),
      custom_calls_(core_->CustomCalls()) {}

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
      return absl::InvalidArgumentError(
          absl::StrCat("argument does not match shape or layout of parameter ", i, " of program ",
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

absl::StatusOr<std::vector<ScopedShapedBuffer>> LocalExecutable::Execute(
    absl::Span<const std::vector<const ShapedBuffer*>> arguments,
    absl::Span<const int> device_ordinals, const ExecutableRunOptions& run_options) const {
  const auto start = std::chrono::steady_clock::now();
  Feeds feeds(core_->feeds(), device_ordinals);
  ExecuteRequest request;
  request.arguments = arguments;
  request.device_ordinals = device_ordinals;
  request.allocator = run_options.allocator() != nullptr ? run_options.allocator()
                                                         : core_->backend().memory_allocator();
  request.context.pool = &core_->backend().thread_pool();
  request.context.threads = &core_->backend().threads();
  request.context.custom_calls =
      run_options.custom_calls() != nullptr ? run_options.custom_calls() : &custom_calls_;
  request.context.feeds = &feeds;
  request.context.run_id = run_options.run_id().ToInt();
  request.context.wait_timeout = run_options.wait_timeout();
  XLA_ASSIGN_OR_RETURN(std::vector<ScopedShapedBuffer> results, executable_->Execute(request));
  if (ExecutionProfile* profile = run_options.execution_profile()) {
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::steady_clock::now() - start);
    profile->set_compute_time_ns(spent.count());
    profile->set_compute_and_transfer_time_ns(spent.count());
  }
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
  return Execute(arguments, ordinals, run_options);
}

absl::StatusOr<ScopedShapedBuffer> LocalExecutable::Run(
    absl::Span<const ShapedBuffer* const> arguments, ExecutableRunOptions run_options) {
  std::vector<const ShapedBuffer*> own(arguments.begin(), arguments.end());
  int ordinal = run_options.device_ordinal();
  if (device_count() == 1) {
    if (run_options.device_assignment() != nullptr || build_options_.has_device_assignment()) {
      XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
      if (ordinal != -1 && ordinal != ordinals[0]) {
        return absl::InvalidArgumentError(absl::StrCat(
            "device ", ordinal, " is not that of the device assignment, ", ordinals[0]));
      }
      ordinal = ordinals[0];
    }
    if (ordinal == -1) ordinal = build_options_.device_ordinal();
    if (ordinal == -1) ordinal = core_->backend().default_device_ordinal();
    XLA_RETURN_IF_ERROR(core_->backend().CheckDeviceOrdinal(ordinal));
    XLA_RETURN_IF_ERROR(CheckArguments(arguments, ordinal));
    XLA_ASSIGN_OR_RETURN(std::vector<ScopedShapedBuffer> results,
                         Execute({std::move(own)}, {ordinal}, run_options));
    return std::move(results[0]);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<int> ordinals, DeviceOrdinals(run_options));
  if (ordinal == -1 && !arguments.empty() && arguments[0] != nullptr) {
    ordinal = arguments[0]->device_ordinal();
  }
  int64_t device = 0;
  while (device < device_count() && ordinals[static_cast<size_t>(device)] != ordinal) ++device;
  if (device == device_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", executable_->module().name(), " was compiled for ", device_count(),
                     " devices; device ", ordinal, " is none of them"));
  }
  XLA_RETURN_IF_ERROR(CheckArguments(arguments, ordinal));
  return gathering_.Join(run_options.run_id().ToInt(), device, device_count(), std::move(own),
                         run_options.wait_timeout(),
                         [&](absl::Span<const std::vector<const ShapedBuffer*>> all) {
                           return Execute(all, ordinals, run_options);
                         });
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
