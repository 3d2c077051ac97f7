// SPDX-License-Identifier: Apache-2.0
// Client: compiles and runs programs on values that it keeps, which programs name by handles.
//
//   auto x = client->TransferToServer(LiteralUtil::CreateR1<float>({1, 2})).value();
//   Literal y = client->ExecuteAndTransfer(computation, {x.get()}).value();
//
// Every method may be called from several threads. Errors: InvalidArgument for what does not fit
// the program (counts, shapes, devices), NotFound for handles of data that was freed, and the
// errors of the program itself.
#ifndef XLA_CLIENT_CLIENT_H_
#define XLA_CLIENT_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/global_data.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/statusor.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {

class ClientCore;
class LocalExecutable;

class Client {
 public:
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client();

  // A handle for Execute. `argument_shapes` give the layouts of the arguments; none: the program's.
  // The program stays compiled as long as the client.
  absl::StatusOr<ExecutionHandle> Compile(const XlaComputation& computation,
                                          absl::Span<const Shape> argument_shapes,
                                          const ExecutionOptions* execution_options = nullptr);
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(
      const ExecutionHandle& handle, absl::Span<GlobalData* const> arguments,
      ExecutionProfile* execution_profile = nullptr);

  // Compiles and runs once. ExecutionOptions may name one device and a result layout; programs of
  // several replicas or partitions go through LocalClient.
  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(
      const XlaComputation& computation, absl::Span<GlobalData* const> arguments,
      const ExecutionOptions* execution_options = nullptr,
      ExecutionProfile* execution_profile = nullptr);
  // Execute and Transfer in one.
  absl::StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation,
                                             absl::Span<GlobalData* const> arguments,
                                             const ExecutionOptions* execution_options = nullptr,
                                             ExecutionProfile* execution_profile = nullptr);

  // Handles 0, 1, ... of the first devices.
  absl::StatusOr<std::vector<DeviceHandle>> GetDeviceHandles(int64_t device_count);

  // The value, in the layout of `shape_with_layout` unless null.
  absl::StatusOr<Literal> Transfer(const GlobalData& data,
                                   const Shape* shape_with_layout = nullptr);
  // Copies a value to a device, the default device if null.
  absl::StatusOr<std::unique_ptr<GlobalData>> TransferToServer(
      const LiteralSlice& literal, const DeviceHandle* device_handle = nullptr);

  // The queues of the device `device_handle` (0 if null) + replica_id. An outfeed that is empty is
  // waited for.
  absl::Status TransferToInfeed(const LiteralSlice& literal, int64_t replica_id = 0,
                                const DeviceHandle* device_handle = nullptr);
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape* shape_with_layout,
                                              int64_t replica_id = 0,
                                              const DeviceHandle* device_handle = nullptr);

  // The value of a program without parameters and effects, in `output_layout` unless null.
  absl::StatusOr<Literal> ComputeConstant(const XlaComputation& computation,
                                          const Layout* output_layout = nullptr) const;

  // Frees the value; the handle is not valid any more.
  absl::Status Unregister(const GlobalData& data);
  // Handles to the elements of a tuple, which share its memory.
  absl::StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData& data);

  // With layout.
  absl::StatusOr<Shape> GetShape(const GlobalData& data);
  absl::StatusOr<std::unique_ptr<ProgramShape>> GetComputationShape(
      const XlaComputation& computation);

  // Channels with numbers of their own, for XlaBuilder's Send and Recv.
  absl::StatusOr<ChannelHandle> CreateChannelHandle();
  absl::StatusOr<ChannelHandle> CreateHostToDeviceChannelHandle();
  absl::StatusOr<ChannelHandle> CreateDeviceToHostChannelHandle();

  absl::StatusOr<XlaComputation> LoadSnapshot(const HloSnapshot& module);

 protected:
  explicit Client(std::shared_ptr<ClientCore> core);
  ClientCore& core() const { return *core_; }
  const std::shared_ptr<ClientCore>& shared_core() const { return core_; }

 private:
  absl::StatusOr<int> DeviceOf(const DeviceHandle* handle, int64_t replica_id) const;
  absl::StatusOr<ChannelHandle> MakeChannel(ChannelHandle::ChannelType type);

  std::shared_ptr<ClientCore> core_;
  // Programs by ExecutionHandle.
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<LocalExecutable>> executables_;
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_H_
