// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs on buffers.
#include "xla/service/launch.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/element_convert.h"
#include "xla/primitive_util.h"
#include "xla/runtime/interrupt.h"
#include "xla/runtime/packed_elements.h"
#include "xla/shape_util.h"
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
  // By device of the run, where several processes have some.
  std::vector<int> all_ordinals;

  bool IsDonated(size_t leaf) const { return !request.donate.empty() && request.donate[leaf]; }
  // Runs the program, or takes note that it will not run because of its inputs.
  absl::Status Run(const absl::Status& inputs);
  absl::Status Execute();
  absl::StatusOr<std::shared_ptr<ArrayMemory>> Allocate(size_t device, int64_t bytes) const;
  // The memory that a run reads in place of that of an argument; null if it can read that itself.
  absl::StatusOr<std::shared_ptr<ArrayMemory>> Unpacked(size_t device, const Shape& given,
                                                        const Shape& wanted,
                                                        const ArrayMemory& contents) const;
  // A result as buffers hold it: in `donor`, unless that is null.
  absl::StatusOr<std::shared_ptr<ArrayMemory>> Packed(size_t device, const Shape& leaf,
                                                      const ArrayMemory& result,
                                                      std::shared_ptr<ArrayMemory> donor) const;
};

bool HasSameElements(const Shape& a, const Shape& b) {
  return a.element_type() == b.element_type() && a.dimensions() == b.dimensions();
}

// Whether the argument fits, with the error if it does not.
absl::Status CheckArgument(const Shape& given, const Shape& wanted, size_t argument,
                           std::string_view module, bool by_size) {
  if (HasSameElements(given, wanted)) return absl::OkStatus();
  if (!by_size) {
    return absl::InvalidArgumentError(absl::StrCat("argument buffer ", argument, " of program ",
                                                   View(module), ": want ", wanted.ToString(),
                                                   ", got ", given.ToString()));
  }
  XLA_ASSIGN_OR_RETURN(const int64_t given_bytes, runtime::PackedArrayBytes(given));
  XLA_ASSIGN_OR_RETURN(const int64_t wanted_bytes, runtime::PackedArrayBytes(wanted));
  if (given_bytes == wanted_bytes && given.is_static() && wanted.is_static()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Executable(", View(module), ") expected parameter ", argument, " of size ", wanted_bytes,
      " (", wanted.ToString(/*print_layout=*/true), ") but got buffer with incompatible size ",
      given_bytes, " (", given.ToString(/*print_layout=*/true), ")"));
}

absl::Status CheckCounts(const Backend& backend, const Executable& executable,
                         const LaunchRequest& request) {
  const HloModule& module = executable.module();
  const size_t devices = request.processes == nullptr
                             ? static_cast<size_t>(executable.num_devices())
                             : request.processes->local_devices().size();
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
      XLA_RETURN_IF_ERROR(
          CheckArgument(arguments[i]->shape(), wanted, i, module.name(), request.has_device_forms));
      if (arguments[i]->device_ordinal() != ordinal) {
        return absl::InvalidArgumentError(absl::StrCat(
            "argument buffer ", i, " of program ", module.name(), " is on device ",
            arguments[i]->device_ordinal(), ", but the program runs on device ", ordinal));
      }
    }
  }
  return absl::OkStatus();
}

// XLA's words.
std::string GivenTwice(bool first_is_donated, bool second_is_donated, size_t first, size_t second) {
  const char* what = "Attempt to donate the same buffer twice in Execute()";
  const char* example = "f(donate(a), donate(a))";
  if (!second_is_donated) {
    what = "Attempt to use a buffer that was previously donated in the same call to Execute()";
    example = "f(donate(a), a)";
  } else if (!first_is_donated) {
    what = "Attempt to donate a buffer which is also used by the same call to Execute()";
    example = "f(a, donate(a))";
  }
  return absl::StrCat(what, " (flattened argument ", second, ", first use: ", first,
                      "). Toy example for this bug: `", example, "`.");
}

// A donated buffer that is given twice would wait for itself.
absl::Status CheckGivenOnce(const LaunchRequest& request) {
  absl::flat_hash_map<const DeviceBuffer*, size_t> leaf_of;
  for (const Buffers& arguments : request.arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == nullptr) continue;
      const auto [found, is_new] = leaf_of.try_emplace(arguments[i].get(), i);
      if (!is_new && (request.donate[i] || request.donate[found->second])) {
        return absl::InvalidArgumentError(
            GivenTwice(request.donate[found->second], request.donate[i], found->second, i));
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

absl::StatusOr<std::shared_ptr<ArrayMemory>> Flight::Allocate(size_t device, int64_t bytes) const {
  XLA_ASSIGN_OR_RETURN(stream_executor::OwningDeviceMemory memory,
                       backend->memory_allocator()->Allocate(request.device_ordinals[device],
                                                             static_cast<uint64_t>(bytes)));
  return std::make_shared<ArrayMemory>(std::move(memory));
}

absl::StatusOr<std::shared_ptr<ArrayMemory>> Flight::Unpacked(size_t device, const Shape& given,
                                                              const Shape& wanted,
                                                              const ArrayMemory& contents) const {
  const PrimitiveType type = wanted.element_type();
  const bool is_packed = runtime::PackedBits(type) != 0;
  // Bytes of another type may have bits that elements of this one never have.
  const bool is_narrow = type == PRED || primitive_util::IsSubByteNonPredType(type);
  if (!is_packed && !(is_narrow && given.element_type() != type)) return nullptr;
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ArrayBytes(wanted));
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<ArrayMemory> memory, Allocate(device, bytes));
  if (is_packed) {
    // What is defined statically may be given for a dynamic array, and has no sizes.
    runtime::UnpackArray(HasSameElements(given, wanted) ? given : wanted, contents.data(),
                         memory->data());
    return memory;
  }
  const auto* from = static_cast<const uint8_t*>(contents.data());
  auto* to = static_cast<uint8_t*>(memory->data());
  for (int64_t i = 0; i < bytes; ++i) to[i] = type == PRED ? from[i] != 0 : from[i];
  NormalizeSubByteElements(type, to, bytes);
  return memory;
}

absl::StatusOr<std::shared_ptr<ArrayMemory>> Flight::Packed(
    size_t device, const Shape& leaf, const ArrayMemory& result,
    std::shared_ptr<ArrayMemory> donor) const {
  if (donor == nullptr) {
    XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(leaf));
    XLA_ASSIGN_OR_RETURN(donor, Allocate(device, bytes));
  }
  runtime::PackArray(leaf, result.data(), donor->data());
  return donor;
}

absl::Status Flight::Run(const absl::Status& inputs) {
  const auto begin = RunControl::Clock::now();
  control->began.store(begin, std::memory_order_relaxed);
  absl::Status status = inputs;
  if (status.ok() && control->cancel.load(std::memory_order_relaxed))
    status = absl::CancelledError("the run was cancelled before it started");
  if (status.ok()) {
    status = Execute();
    if (request.length != nullptr) request.length->Add(RunControl::Clock::now() - begin);
  }
  if (request.processes != nullptr) request.processes->Finish(status);
  return status;
}

absl::Status Flight::Execute() {
  const size_t devices = held.size();
  const absl::Span<const Shape* const> result_leaves = executable->result_leaves();
  // One device and few arrays take no memory of the heap.
  absl::InlinedVector<absl::InlinedVector<std::shared_ptr<ArrayMemory>, 4>, 1> taken(devices);
  absl::InlinedVector<absl::InlinedVector<std::shared_ptr<ArrayMemory>, 4>, 1> unpacked(devices);
  absl::InlinedVector<absl::InlinedVector<runtime::ArgumentView, 4>, 1> arguments(devices);
  absl::InlinedVector<absl::InlinedVector<runtime::ResultView, 4>, 1> views(devices);
  absl::InlinedVector<absl::Span<const runtime::ArgumentView>, 1> argument_spans;
  absl::InlinedVector<absl::Span<runtime::ResultView>, 1> result_spans;
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < held[d].size(); ++i) {
      const Buffer& buffer = request.arguments[d][i];
      runtime::ArgumentView& view = arguments[d].emplace_back();
      std::shared_ptr<ArrayMemory>& donated = taken[d].emplace_back();
      std::shared_ptr<ArrayMemory>& other_form = unpacked[d].emplace_back();
      const Shape& wanted = *executable->argument_leaves()[i];
      view.shape = &wanted;
      if (buffer == nullptr) continue;
      if (held[d][i].donated != nullptr) donated = buffer->TakeMemory();
      const ArrayMemory* contents =
          donated != nullptr ? donated.get() : held[d][i].use.memory().get();
      if (HasSameElements(buffer->shape(), wanted)) view.shape = &buffer->shape();
      view.is_donated = donated != nullptr && contents->is_writable();
      if (request.has_device_forms && wanted.IsArray()) {
        XLA_ASSIGN_OR_RETURN(other_form, Unpacked(d, buffer->shape(), wanted, *contents));
        if (other_form != nullptr) contents = other_form.get();
      }
      view.data = contents->data();
      view.size_bytes = contents->size_bytes();
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
  // All memory gets its owner before anything can fail.
  absl::InlinedVector<absl::InlinedVector<std::shared_ptr<ArrayMemory>, 4>, 1> made(devices);
  for (size_t d = 0; d < devices; ++d) {
    for (const runtime::ResultView& view : views[d]) {
      if (view.donor < 0) {
        made[d].push_back(std::make_shared<ArrayMemory>(stream_executor::OwningDeviceMemory(
            se::DeviceMemoryBase(view.data, static_cast<uint64_t>(view.size_bytes)),
            request.device_ordinals[d], backend->memory_allocator())));
        continue;
      }
      const auto donor = static_cast<size_t>(view.donor);
      made[d].push_back(unpacked[d][donor] != nullptr ? unpacked[d][donor] : taken[d][donor]);
    }
  }
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < result_leaves.size(); ++i) {
      const Shape& leaf = *result_leaves[i];
      const int32_t donor = views[d][i].donor;
      if (request.has_device_forms && leaf.IsArray() &&
          runtime::PackedBits(leaf.element_type()) != 0) {
        XLA_ASSIGN_OR_RETURN(made[d][i],
                             Packed(d, leaf, *made[d][i],
                                    donor < 0 ? nullptr : taken[d][static_cast<size_t>(donor)]));
      }
      results[d][i]->Define(std::move(made[d][i]));
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
  if (request.processes != nullptr) {
    XLA_RETURN_IF_ERROR(runtime::CheckDeviceCount(
        executable->num_replicas(), executable->num_partitions(),
        request.processes->local_devices().size(), request.processes.get()));
  }
  XLA_RETURN_IF_ERROR(CheckCounts(backend, *executable, request));
  if (!request.donate.empty()) XLA_RETURN_IF_ERROR(CheckGivenOnce(request));
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
  context.processes = flight->request.processes.get();
  if (context.processes != nullptr) {
    const absl::Span<const int64_t> local = context.processes->local_devices();
    flight->all_ordinals.resize(static_cast<size_t>(context.processes->num_devices()), -1);
    for (size_t d = 0; d < local.size(); ++d)
      flight->all_ordinals[static_cast<size_t>(local[d])] = flight->request.device_ordinals[d];
    context.device_ordinals = flight->all_ordinals;
  }
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
      source->Set(flight->Run(AwaitInputs(inputs, made.context.interrupt)));
      return launched;
    }
  }
  context.interrupt = nullptr;
  const absl::InlinedVector<int, 1> ordinals = flight->request.device_ordinals;
  const runtime::Event ended = backend.launches().Launch(
      ordinals, after,
      [flight = std::move(flight)](const absl::Status& inputs) { return flight->Run(inputs); });
  ended.OnReady([source](const absl::Status& status) { source->Set(status); });
  return launched;
}

}  // namespace xla
