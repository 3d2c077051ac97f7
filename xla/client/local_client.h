// SPDX-License-Identifier: Apache-2.0
// LocalClient: compiles programs and runs them on buffers in this process.
//
//   LocalClient* client = ClientLibrary::LocalClientOrDie();
//   ScopedShapedBuffer x = client->LiteralToShapedBuffer(literal, 0).value();
//   auto executables = client->Compile(computation, {&x.on_host_shape()},
//                                      ExecutableBuildOptions()).value();
//   ScopedShapedBuffer y = executables[0]->Run({&x}, ExecutableRunOptions()).value();
//   Literal result = client->ShapedBufferToLiteral(y).value();
#ifndef XLA_CLIENT_LOCAL_CLIENT_H_
#define XLA_CLIENT_LOCAL_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/client.h"
#include "xla/client/executable_build_options.h"
#include "xla/client/run_gathering.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/feeds.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"
#include "xla/service/shaped_run.h"
#include "xla/shape_tree.h"
#include "xla/xla_data.pb.h"

namespace xla {

struct Placement;  // placement.h
namespace distributed {
struct ProgramIdentity;  // xla/distributed/program_identity.h
}  // namespace distributed
namespace ffi {
class Instances;  // xla/ffi/handlers.h
}  // namespace ffi

// A compiled program. Thread-safe. Lives as long as it is held, also beyond its client.
class LocalExecutable {
 public:
  // Low-level; LocalClient::Compile is the usual way.
  LocalExecutable(std::unique_ptr<Executable> executable, std::shared_ptr<ClientCore> core,
                  ExecutableBuildOptions build_options);

  // Runs the program and gives its result. Arguments must have the shapes and layouts of the
  // compiled program, and lie on the device that runs it.
  //
  // A program of several replicas and partitions is run by a thread for each device, all with the
  // same run_id, each with its device_ordinal; the calls return together. Or by one RunReplicated.
  //
  // Not in XLA: of a client with a job (LocalClientOptions::set_job), programs may have devices in
  // several processes. Each of these runs its own devices, and all make the same runs in the same
  // order. run_options.wait_timeout() is how long one waits for another.
  absl::StatusOr<ScopedShapedBuffer> Run(absl::Span<const ShapedBuffer* const> arguments,
                                         ExecutableRunOptions run_options);
  // The same, without waiting: the run starts when the arguments are ready and earlier asynchronous
  // runs on the device have ended. The result may be handed to runs and transfers at once, which
  // wait for it; its memory may be looked at when run_options.completion() is ready. If the run
  // fails, whatever takes the result gets its error. Arguments and results may be freed at any
  // time, if their memory is the client's; of other allocators it must stay until the run is done.
  absl::StatusOr<ScopedShapedBuffer> RunAsync(absl::Span<const ShapedBuffer* const> arguments,
                                              ExecutableRunOptions run_options);

  // Not in XLA: all replicas and partitions in one call. arguments[d] and the result [d] are those
  // of partition d % num_partitions of replica d / num_partitions; where other processes have some
  // of them, those of this process, in order.
  absl::StatusOr<std::vector<ScopedShapedBuffer>> RunReplicated(
      absl::Span<const std::vector<const ShapedBuffer*>> arguments,
      const ExecutableRunOptions& run_options);

  const ExecutableBuildOptions& build_options() const { return build_options_; }
  const Executable* executable() const { return executable_.get(); }

 private:
  int64_t device_count() const {
    return executable_->num_replicas() * executable_->num_partitions();
  }
  absl::StatusOr<Placement> PlacementOf(const ExecutableRunOptions& run_options) const;
  absl::Status CheckArguments(absl::Span<const ShapedBuffer* const> arguments,
                              int device_ordinal) const;
  // Which of the program's devices of this process the call runs, and on which ordinal; sets where
  // all run.
  struct Place {
    int64_t device;
    int ordinal;
  };
  absl::StatusOr<Place> PlaceOf(absl::Span<const ShapedBuffer* const> arguments,
                                const ExecutableRunOptions& run_options,
                                Placement& placement) const;
  // What custom calls of a run call, with what the options hand to typed handlers.
  std::shared_ptr<const CustomCallRegistry> CustomCallsOf(
      const ExecutableRunOptions& run_options) const;
  // `feeds` are used where the client's do not fit.
  ShapedRun MakeRun(const Placement& placement, const ExecutableRunOptions& run_options,
                    const CustomCallRegistry* custom_calls,
                    std::optional<runtime::Feeds>& feeds) const;
  // With an error of `inputs`, other processes of the run are told of it, and it is returned.
  absl::StatusOr<std::vector<ScopedShapedBuffer>> Execute(
      const absl::Status& inputs, absl::Span<const absl::Span<const ShapedBuffer* const>> arguments,
      const Placement& placement, const ExecutableRunOptions& run_options) const;

  std::shared_ptr<const Executable> executable_;
  std::shared_ptr<ClientCore> core_;
  const ExecutableBuildOptions build_options_;
  std::shared_ptr<ffi::Instances> ffi_instances_;
  // Asynchronous runs hold on to these.
  std::shared_ptr<const CustomCallRegistry> custom_calls_;
  std::shared_ptr<RunGathering> gathering_;
  // Of programs that may have devices in several processes; null otherwise.
  std::shared_ptr<const distributed::ProgramIdentity> identity_;
};

class LocalClient : public Client {
 public:
  explicit LocalClient(std::shared_ptr<ClientCore> core) : Client(std::move(core)) {}

  // One executable, for all replicas and partitions alike. `argument_layouts` are the shapes of the
  // arguments, one a parameter.
  absl::StatusOr<std::vector<std::unique_ptr<LocalExecutable>>> Compile(
      const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
      const ExecutableBuildOptions& options);

  // Copies the literal, layout and all, to memory of the allocator, the backend's if null.
  absl::StatusOr<ScopedShapedBuffer> LiteralToShapedBuffer(
      const LiteralSlice& literal, int device_ordinal,
      se::DeviceMemoryAllocator* allocator = nullptr);
  absl::StatusOr<Literal> ShapedBufferToLiteral(const ShapedBuffer& shaped_buffer);
  // The buffer of a value that the client keeps: valid as long as the value.
  absl::StatusOr<const ShapedBuffer*> GlobalDataToShapedBuffer(const GlobalDataHandle& data,
                                                               int replica_number);

  // The queues of a device; see Client::TransferToInfeed.
  absl::Status TransferToInfeedLocal(const LiteralSlice& literal, int device_ordinal);
  // Fills `literal`; its shape is the expected one.
  absl::Status TransferFromOutfeedLocal(int device_ordinal, MutableBorrowingLiteral literal);
  absl::StatusOr<Literal> TransferFromOutfeedLocal(const Shape& shape, int device_ordinal);

  // Replica n runs on device n.
  absl::StatusOr<int> ReplicaNumberToDeviceOrdinal(int replica_number);

  se::Platform* platform() const;
  int device_count() const;
  // Not in XLA: of a client with a job, the process that it is among how many, and the devices of
  // all. A device's id is the same in all processes, and what device assignments have.
  int process_index() const;
  int process_count() const;
  int64_t global_device_count() const;
  absl::StatusOr<int64_t> GlobalDeviceId(int device_ordinal) const;
  int default_device_ordinal() const;
  bool device_ordinal_supported(int device_ordinal) const;
  const Backend& backend() const;
  Backend* mutable_backend();
};

}  // namespace xla

#endif  // XLA_CLIENT_LOCAL_CLIENT_H_
