// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs on buffers.
#include "xla/service/launch.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/runtime/interrupt.h"
#include "xla/stream_executor/device_memory.h"

namespace xla {
namespace {

using runtime::ArrayMemory;
using runtime::DeviceBuffer;
using Buffer = LaunchRequest::Buffer;
using Buffers = LaunchRequest::Buffers;

// A leaf of the arguments while the run is under way: used or donated.
struct Held {
  Buffer donated;
  DeviceBuffer::Use use;
};

// What the run needs until it has ended.
struct Flight {
  const Backend* backend;
  std::shared_ptr<const Executable> executable;
  LaunchRequest request;
  absl::InlinedVector<absl::InlinedVector<Held, 4>, 1> held;
  absl::InlinedVector<Buffers, 1> results;
  std::shared_ptr<RunControl> control;

  bool IsDonated(size_t leaf) const { return !request.donate.empty() && request.donate[leaf]; }
  absl::Status Run();
  absl::Status Execute();
};

absl::Status CheckCounts(const Backend& backend, const Executable& executable,
                         const LaunchRequest& request) {
  const HloModule& module = executable.module();
  const auto devices = static_cast<size_t>(executable.num_devices());
  const size_t leaves = executable.argument_leaves().size();
  if (request.arguments.size() != devices || request.device_ordinals.size() != devices) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", module.name(), " runs on ", devices, " devices; arguments of ",
                     request.arguments.size(), " and the ordinals of ",
                     request.device_ordinals.size(), " were given"));
  }
  if (!request.donate.empty() && request.donate.size() != leaves) {
    return absl::InvalidArgumentError(absl::StrCat("program ", module.name(), " takes ", leaves,
                                                   " buffers; donations of ", request.donate.size(),
                                                   " were given"));
  }
  for (size_t d = 0; d < devices; ++d) {
    const int ordinal = request.device_ordinals[d];
    XLA_RETURN_IF_ERROR(backend.CheckDeviceOrdinal(ordinal));
    for (size_t other = 0; other < d; ++other) {
      if (request.device_ordinals[other] == ordinal) {
        return absl::InvalidArgumentError(
            absl::StrCat("device ", ordinal, " is given twice for program ", module.name()));
      }
    }
    const Buffers& arguments = request.arguments[d];
    if (arguments.size() != leaves) {
      return absl::InvalidArgumentError(absl::StrCat("program ", module.name(), " takes ", leaves,
                                                     " buffers; ", arguments.size(),
                                                     " were given"));
    }
    for (size_t i = 0; i < leaves; ++i) {
      const Shape& wanted = *executable.argument_leaves()[i];
      if (!wanted.IsArray()) continue;
      if (arguments[i] == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument buffer ", i, " of program ", module.name(), " is null"));
      }
      const Shape& given = arguments[i]->shape();
      if (given.element_type() != wanted.element_type() ||
          given.dimensions() != wanted.dimensions()) {
        return absl::InvalidArgumentError(absl::StrCat("argument buffer ", i, " of program ",
                                                       module.name(), ": want ", wanted.ToString(),
                                                       ", got ", given.ToString()));
      }
      if (arguments[i]->device_ordinal() != ordinal) {
        return absl::InvalidArgumentError(absl::StrCat(
            "argument buffer ", i, " of program ", module.name(), " is on device ",
            arguments[i]->device_ordinal(), ", but the program runs on device ", ordinal));
      }
    }
  }
  return absl::OkStatus();
}

// A donated buffer that is given twice would wait for itself.
absl::Status CheckGivenOnce(const Executable& executable, const LaunchRequest& request) {
  absl::flat_hash_map<const DeviceBuffer*, size_t> leaf_of;
  for (const Buffers& arguments : request.arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == nullptr) continue;
      const auto [found, is_new] = leaf_of.try_emplace(arguments[i].get(), i);
      if (!is_new && (request.donate[i] || request.donate[found->second])) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument buffers ", found->second, " and ", i, " of program ",
                         executable.module().name(), " are the same buffer, which is donated"));
      }
    }
  }
  return absl::OkStatus();
}

// Acquires or donates all arguments, or none. Adds what the run must wait for to `after`.
absl::Status HoldArguments(Flight& flight, std::vector<runtime::Event>& after) {
  const absl::Status status = [&]() -> absl::Status {
    for (size_t d = 0; d < flight.request.arguments.size(); ++d) {
      const Buffers& arguments = flight.request.arguments[d];
      flight.held[d].resize(arguments.size());
      for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == nullptr) continue;
        Held& held = flight.held[d][i];
        if (flight.IsDonated(i)) {
          XLA_ASSIGN_OR_RETURN(runtime::Event unused, arguments[i]->Donate());
          held.donated = arguments[i];
          if (!unused.IsReadyOk()) after.push_back(std::move(unused));
        } else {
          XLA_ASSIGN_OR_RETURN(held.use, arguments[i]->Acquire());
        }
        if (!arguments[i]->ready().IsReadyOk()) after.push_back(arguments[i]->ready());
      }
    }
    return absl::OkStatus();
  }();
  if (status.ok()) return status;
  for (auto& device : flight.held) {
    for (Held& held : device) {
      if (held.donated != nullptr) held.donated->CancelDonation();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("program ", flight.executable->module().name(), ": ", status.message()));
}

absl::Status Flight::Run() {
  const auto begin = RunControl::Clock::now();
  control->began.store(begin, std::memory_order_relaxed);
  if (control->cancel.load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was cancelled before it started");
  }
  absl::Status status = Execute();
  if (request.length != nullptr) request.length->Add(RunControl::Clock::now() - begin);
  return status;
}

absl::Status Flight::Execute() {
  const size_t devices = held.size();
  const absl::Span<const Shape* const> result_leaves = executable->result_leaves();
  // One device and few arrays take no memory of the heap.
  absl::InlinedVector<absl::InlinedVector<std::shared_ptr<ArrayMemory>, 4>, 1> taken(devices);
  absl::InlinedVector<absl::InlinedVector<runtime::ArgumentView, 4>, 1> arguments(devices);
  absl::InlinedVector<absl::InlinedVector<runtime::ResultView, 4>, 1> views(devices);
  absl::InlinedVector<absl::Span<const runtime::ArgumentView>, 1> argument_spans;
  absl::InlinedVector<absl::Span<runtime::ResultView>, 1> result_spans;
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < held[d].size(); ++i) {
      const Buffer& buffer = request.arguments[d][i];
      runtime::ArgumentView& view = arguments[d].emplace_back();
      std::shared_ptr<ArrayMemory>& donated = taken[d].emplace_back();
      view.shape = executable->argument_leaves()[i];
      if (buffer == nullptr) continue;
      if (held[d][i].donated != nullptr) donated = buffer->TakeMemory();
      const ArrayMemory& contents = donated != nullptr ? *donated : *held[d][i].use.memory();
      view.shape = &buffer->shape();
      view.data = contents.data();
      view.size_bytes = contents.size_bytes();
      view.is_donated = donated != nullptr && contents.is_writable();
    }
    views[d].resize(result_leaves.size());
    argument_spans.push_back(arguments[d]);
    result_spans.push_back(absl::MakeSpan(views[d]));
  }
  ExecuteRequest execute;
  execute.arguments = argument_spans;
  execute.results = result_spans;
  execute.context = request.context;
  execute.context.cancel = &control->cancel;
  XLA_RETURN_IF_ERROR(executable->Execute(execute));
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < result_leaves.size(); ++i) {
      const runtime::ResultView& view = views[d][i];
      std::shared_ptr<ArrayMemory> own;
      if (view.donor >= 0) {
        own = taken[d][static_cast<size_t>(view.donor)];
      } else {
        own = std::make_shared<ArrayMemory>(stream_executor::OwningDeviceMemory(
            se::DeviceMemoryBase(view.data, static_cast<uint64_t>(view.size_bytes)),
            request.device_ordinals[d], backend->memory_allocator()));
      }
      results[d][i]->Define(std::move(own));
    }
  }
  return absl::OkStatus();
}

// Waits for the arguments of a run on this thread.
absl::Status AwaitInputs(const runtime::Event& inputs, runtime::Interrupt* interrupt) {
  constexpr absl::Duration kPollInterval = absl::Milliseconds(50);
  while (interrupt != nullptr && !inputs.IsReady()) {
    (void)inputs.Await(kPollInterval);
    if (!inputs.IsReady() && interrupt->IsRequested()) {
      return absl::CancelledError("the run was cancelled before it started");
    }
  }
  return inputs.Await();
}

}  // namespace

absl::StatusOr<Launched> Launch(const Backend& backend,
                                std::shared_ptr<const Executable> executable,
                                LaunchRequest request) {
  XLA_RETURN_IF_ERROR(CheckCounts(backend, *executable, request));
  if (!request.donate.empty()) XLA_RETURN_IF_ERROR(CheckGivenOnce(*executable, request));
  for (const Executable::Alias& alias : executable->aliases()) {
    if (alias.is_must &&
        (request.donate.empty() || !request.donate[static_cast<size_t>(alias.argument)])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "An input was configured to be must-alias at compile time but not donated at runtime: "
          "argument buffer ",
          alias.argument, " of program ", executable->module().name()));
    }
  }
  auto flight = std::make_unique<Flight>();
  flight->backend = &backend;
  flight->executable = std::move(executable);
  flight->request = std::move(request);
  flight->held.resize(flight->request.arguments.size());
  flight->control = std::make_shared<RunControl>();
  runtime::ExecutionContext& context = flight->request.context;
  if (context.pool == nullptr) context.pool = &backend.thread_pool();
  if (context.threads == nullptr) context.threads = &backend.threads();
  context.device_ordinals = flight->request.device_ordinals;
  std::vector<runtime::Event> after;
  XLA_RETURN_IF_ERROR(HoldArguments(*flight, after));

  Launched launched;
  launched.control = flight->control;
  // The results need the event of the run, and the run needs the results.
  auto source = std::make_shared<runtime::EventSource>();
  launched.done = source->event();
  for (const int ordinal : flight->request.device_ordinals) {
    Buffers& results = launched.results.emplace_back();
    for (const Shape* leaf : flight->executable->result_leaves()) {
      results.push_back(DeviceBuffer::Pending(*leaf, ordinal, launched.done));
    }
  }
  flight->results = launched.results;
  const LaunchRequest& made = flight->request;
  if (made.run_here || made.run_here_if_ready) {
    const runtime::Event inputs = runtime::Event::All(after);
    if (made.run_here || inputs.IsReady()) {
      const absl::Status status = AwaitInputs(inputs, made.context.interrupt);
      source->Set(status.ok() ? flight->Run() : status);
      return launched;
    }
  }
  context.interrupt = nullptr;
  const absl::InlinedVector<int, 1> ordinals = flight->request.device_ordinals;
  const runtime::Event ended = backend.launches().Launch(
      ordinals, after, [flight = std::move(flight)](const absl::Status& inputs) {
        return inputs.ok() ? flight->Run() : inputs;
      });
  ended.OnReady([source](const absl::Status& status) { source->Set(status); });
  return launched;
}

}  // namespace xla
