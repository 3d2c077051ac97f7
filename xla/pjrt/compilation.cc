// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/compilation.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "xla/pjrt/python.h"
#include "xla/pjrt/runs_in_flight.h"
#include "xla/runtime/event.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/service/backend.h"

namespace xla::pjrt {
namespace {

// The state of the compiling thread, which may outlive the call.
struct Compilation {
  ClientPointer client;
  ProgramSource source;
  CompilationInFlight in_flight;
  absl::StatusOr<ProgramPointer> program;
  runtime::EventSource end;

  void Run() {
    try {
      program = CompileProgram(*client->backend, client->num_devices, std::move(source),
                               in_flight.cancel);
    } catch (const std::bad_alloc&) {
      program = absl::ResourceExhaustedError("out of memory");
    } catch (const std::exception& error) {
      program = absl::InternalError(error.what());
    }
    end.Set(absl::OkStatus());
  }
};

}  // namespace

absl::StatusOr<ProgramPointer> CompileUnlessSignaled(const ClientPointer& client,
                                                     ProgramSource source) {
  const auto compilation = std::make_shared<Compilation>();
  compilation->client = client;
  compilation->source = std::move(source);
  const runtime::Event end = compilation->end.event();
  if (!PythonSignals().is_main_thread() ||
      !client->backend->threads().Run([compilation] { compilation->Run(); }).ok()) {
    compilation->Run();
  }
  const absl::Status status = AwaitUnlessSignaled(end);
  if (!status.ok()) {
    EndCompilationsInFlight();
    return status;
  }
  return std::move(compilation->program);
}

}  // namespace xla::pjrt
