// SPDX-License-Identifier: Apache-2.0
// Runs of compiled programs on buffers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/buffer_memory.h"
#include "xla/pjrt/custom_calls.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/profiler.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/python.h"
#include "xla/pjrt/runs_in_flight.h"
#include "xla/service/launch.h"

namespace xla::pjrt {
namespace {

using Devices = absl::InlinedVector<PJRT_Device*, 1>;

// Returns the options that the caller knows: the struct grew several times.
PJRT_ExecuteOptions KnownOptions(const PJRT_ExecuteOptions* options) {
  PJRT_ExecuteOptions complete = {};
  if (options != nullptr) {
    std::memcpy(&complete, options, std::min(options->struct_size, sizeof(PJRT_ExecuteOptions)));
  }
  return complete;
}

// Returns which leaves are donated: all that the program may take, unless the caller keeps them.
// Empty if none is.
absl::StatusOr<std::vector<bool>> Donations(const Program& program,
                                            const PJRT_ExecuteOptions& options) {
  std::vector<bool> donate = program.may_donate;
  if (options.num_non_donatable_input_indices > 0) {
    XLA_RETURN_IF_ERROR(
        Require({{"non_donatable_input_indices", options.non_donatable_input_indices}}));
  }
  for (size_t i = 0; i < options.num_non_donatable_input_indices; ++i) {
    const int64_t index = options.non_donatable_input_indices[i];
    if (index >= 0 && static_cast<size_t>(index) < donate.size()) {
      donate[static_cast<size_t>(index)] = false;
    }
  }
  if (std::find(donate.begin(), donate.end(), true) == donate.end()) donate.clear();
  return donate;
}

// Returns the devices of the run: those of the executable, or the one that the caller names.
absl::StatusOr<Devices> DevicesOf(const PJRT_LoadedExecutable_Execute_Args& args) {
  const std::vector<PJRT_Device*>& devices = args.executable->devices;
  if (args.execute_device != nullptr) {
    if (args.executable->device_ids.size() != 1 || args.num_devices != 1) {
      return absl::UnimplementedError(absl::StrCat("execute_device for a program of ",
                                                   args.executable->device_ids.size(),
                                                   " devices: all of them are run by one call"));
    }
    // Compares addresses: the device of a client that was destroyed must not be dereferenced.
    const auto& known = args.executable->client->local_devices;
    if (std::find(known.begin(), known.end(), args.execute_device) == known.end()) {
      return absl::InvalidArgumentError("execute_device belongs to another client");
    }
    return Devices{args.execute_device};
  }
  if (devices.size() != args.num_devices) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments for ", args.num_devices, " devices of a program that runs on ",
                     devices.size(), args.executable->spans_processes() ? " of this process" : ""));
  }
  return Devices(devices.begin(), devices.end());
}

// Waits for the arguments. Returns whether none has an error.
bool ArgumentsAreGood(const PJRT_LoadedExecutable_Execute_Args& args) {
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!args.argument_lists[d][i]->buffer->ready().Await().ok()) return false;
    }
  }
  return true;
}

}  // namespace

namespace api {

absl::Status ExecuteContext_Create(PJRT_ExecuteContext_Create_Args& args) {
  args.context = MakeExecuteContext();
  return absl::OkStatus();
}

absl::Status ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args& args) {
  DestroyExecuteContext(args.context);
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  PJRT_LoadedExecutable& loaded = *args.executable;
  if (loaded.is_deleted) return absl::FailedPreconditionError("the executable was deleted");
  // All its devices may belong to other processes.
  if (loaded.devices.empty() && args.num_devices == 0) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(Require({{"output_lists", args.output_lists}}));
  const Program& program = *loaded.program;
  const PJRT_ExecuteOptions options = KnownOptions(args.options);
  if (options.num_send_ops > 0 || options.num_recv_ops > 0) {
    return absl::UnimplementedError(
        "callbacks for send and recv with the host are not implemented");
  }
  XLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(args));
  for (size_t d = 0; d < devices.size() && !program.output_types.empty(); ++d) {
    XLA_RETURN_IF_ERROR(Require({{"an output list", args.output_lists[d]}}));
  }
  if (args.num_args > 0) XLA_RETURN_IF_ERROR(Require({{"argument_lists", args.argument_lists}}));

  LaunchRequest request;
  request.has_device_forms = true;
  XLA_ASSIGN_OR_RETURN(request.donate, Donations(program, options));
  const size_t leaves = program.executable->argument_leaves().size();
  if (args.num_args != leaves) {
    return absl::InvalidArgumentError(absl::StrCat("Execution supplied ", args.num_args,
                                                   " buffers but compiled program expected ",
                                                   leaves, " buffers"));
  }
  std::vector<PJRT_Buffer*> donated;
  for (size_t d = 0; d < devices.size(); ++d) {
    LaunchRequest::Buffers& arguments = request.arguments.emplace_back();
    arguments.reserve(args.num_args);
    request.device_ordinals.push_back(devices[d]->ordinal);
    if (args.num_args > 0) {
      XLA_RETURN_IF_ERROR(Require({{"an argument list", args.argument_lists[d]}}));
    }
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* buffer = args.argument_lists[d][i];
      if (buffer == nullptr) return Require({{"an argument buffer", buffer}});
      if (buffer->buffer->IsDeleted()) {
        return absl::InvalidArgumentError(
            absl::StrCat("Invalid buffer passed to Execute() as argument ", i, " to replica ", d,
                         ": Buffer has been deleted or donated."));
      }
      const bool is_donated = !request.donate.empty() && request.donate[i];
      if (is_donated) donated.push_back(buffer);
      if (!is_donated || !buffer->buffer->HasLastingUses()) {
        arguments.push_back(buffer->buffer);
        continue;
      }
      // Memory with external references is kept; a copy is donated.
      XLA_ASSIGN_OR_RETURN(LaunchRequest::Buffer copy,
                           CopyBuffer(loaded.client, buffer->buffer, devices[d]->ordinal));
      arguments.push_back(std::move(copy));
    }
  }
  const std::shared_ptr<const CustomCallRegistry> custom_calls = CustomCallsOf(options.context);
  request.context.custom_calls = custom_calls.get();
  request.context.run_id = options.launch_id;
  const runtime::LaunchQueues& queues = loaded.client->backend->launches();
  request.run_here = program.runs_here || ffi::IsInsideCustomCall();
  // Other processes may be late: their runs are awaited on a thread of their own.
  request.run_here_if_ready =
      !loaded.spans_processes() && (program.is_short || program.length->IsShort()) &&
      std::all_of(request.device_ordinals.begin(), request.device_ordinals.end(),
                  [&](int ordinal) { return queues.Idle(ordinal).IsReady(); });
  request.length = program.length;
  PythonSignals signals;
  if (signals.is_main_thread()) request.context.interrupt = &signals;
  std::shared_ptr<const Executable> executable = program.executable;
  if (IsTracing()) {
    executable = Traced(std::move(executable),
                        {request.device_ordinals.begin(), request.device_ordinals.end()});
  }
  if (loaded.spans_processes()) {
    request.context.wait_timeout = loaded.client->collective_timeout;
    // Last: the others learn of it if the run cannot be launched.
    XLA_ASSIGN_OR_RETURN(
        request.processes,
        loaded.client->job->StartRun(program.identity, loaded.device_ids, loaded.processes));
  }
  XLA_ASSIGN_OR_RETURN(const Launched launched,
                       Launch(*loaded.client->backend, std::move(executable), std::move(request)));
  // Everything that the run refers to must live until it has ended.
  if (!launched.done.IsReady()) {
    launched.done.OnReady([custom_calls](const absl::Status&) {});
    AddRunInFlight(launched, program.has_effects);
  }
  if (signals.was_requested()) EndRunsInFlight(kGraceOfSignals, /*spares_effects=*/false);
  for (PJRT_Buffer* buffer : donated) buffer->Delete();
  if (!loaded.client->is_asynchronous) (void)AwaitUnlessSignaled(launched.done);
  // After a signal the exception of its handler is raised, instead of an error of this call.
  if (program.runs_here && !signals.was_requested()) {
    const absl::Status status = AwaitUnlessSignaled(launched.done);
    // Errors of arguments are reported by the result buffers, not here.
    if (!status.ok() && ArgumentsAreGood(args)) return status;
  }
  for (size_t d = 0; d < devices.size(); ++d) {
    for (size_t i = 0; i < launched.results[d].size(); ++i) {
      args.output_lists[d][i] = new PJRT_Buffer(
          loaded.client, devices[d]->memories[program.output_memories[i]], launched.results[d][i]);
      args.output_lists[d][i]->is_result = true;
    }
    if (args.device_complete_events != nullptr) {
      args.device_complete_events[d] = new PJRT_Event(launched.done);
    }
  }
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
