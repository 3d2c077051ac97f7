// SPDX-License-Identifier: Apache-2.0
// Contents go row-major, with elements of less than a byte packed, whatever the layouts of the two
// buffers.
#include "xla/pjrt/cross_host.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/pjrt/buffer_memory.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/types.h"
#include "xla/runtime/packed_elements.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using distributed::Communicator;
using runtime::ArrayMemory;
using runtime::DeviceBuffer;

absl::StatusOr<distributed::Job*> JobOf(const ClientState& client) {
  if (client.job != nullptr) return client.job.get();
  return absl::FailedPreconditionError("there are no other processes to copy buffers from or to");
}

// The process of a device, which must be another one.
absl::StatusOr<int> ProcessOf(const distributed::Job& job, int64_t device) {
  XLA_ASSIGN_OR_RETURN(const std::vector<int32_t> processes, job.ProcessesOf({device}));
  if (processes[0] != job.self()) return processes[0];
  return absl::InvalidArgumentError(
      absl::StrCat("device ", device,
                   " belongs to this process; it is not copied to or from as that of others"));
}

Shape RowMajor(const Shape& shape) {
  Shape result = shape;
  LayoutUtil::SetToDefaultLayout(&result);
  return result;
}

// The contents as they are sent: of the buffer itself, or in `staging` if its layout is another.
absl::StatusOr<absl::Span<const char>> ContentsOf(const Shape& shape, const void* data,
                                                  std::vector<char>& staging) {
  if (!shape.is_static()) {
    return absl::UnimplementedError(
        absl::StrCat("copies of dynamic arrays between processes: ", shape.ToString()));
  }
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
  const auto size = static_cast<size_t>(bytes);
  const Shape row_major = RowMajor(shape);
  if (ElementStrides(shape) == ElementStrides(row_major)) {
    return absl::MakeConstSpan(static_cast<const char*>(data), size);
  }
  if (runtime::PackedBits(shape.element_type()) == 0) {
    staging.resize(size);
    CopyToHost(shape, data, staging.data(), ElementStrides(row_major));
    return absl::MakeConstSpan(staging);
  }
  std::vector<char> elements(static_cast<size_t>(ShapeUtil::ElementsIn(shape)));
  CopyToHost(shape, data, elements.data(), ElementStrides(row_major));
  staging.resize(size);
  runtime::PackArray(row_major, elements.data(), staging.data());
  return absl::MakeConstSpan(staging);
}

absl::Status SendBuffers(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client},
                               {"buffers", args.buffers},
                               {"dst_global_device_ids", args.dst_global_device_ids},
                               {"transfer_keys", args.transfer_keys},
                               {"send_events", args.send_events}}));
  XLA_ASSIGN_OR_RETURN(distributed::Job* const job, JobOf(*args.client->state));
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<Communicator> communicator, job->Connection());
  struct Sending {
    DeviceBuffer::Use use;
    std::shared_ptr<Communicator> communicator;
    ClientPointer client;  // with the connection
    int process;
    uint64_t key;
    runtime::EventSource done;
  };
  std::vector<std::shared_ptr<Sending>> all;
  for (size_t i = 0; i < args.num_buffers; ++i) {
    XLA_RETURN_IF_ERROR(Require({{"a buffer", args.buffers[i]}}));
    auto sending = std::make_shared<Sending>();
    XLA_ASSIGN_OR_RETURN(sending->process, ProcessOf(*job, args.dst_global_device_ids[i]));
    XLA_ASSIGN_OR_RETURN(sending->use, args.buffers[i]->buffer->Acquire());
    sending->communicator = communicator;
    sending->client = args.client->state;
    sending->key = static_cast<uint64_t>(args.transfer_keys[i]);
    all.push_back(std::move(sending));
  }
  for (size_t i = 0; i < args.num_buffers; ++i) {
    args.send_events[i] = new PJRT_Event(all[i]->done.event());
    const runtime::Event ready = all[i]->use.buffer().ready();
    ready.OnReady([sending = std::move(all[i])](const absl::Status& status) {
      absl::Status end = status;
      if (end.ok()) {
        std::vector<char> staging;
        const auto contents =
            ContentsOf(sending->use.buffer().shape(), sending->use.data(), staging);
        end = contents.ok() ? sending->communicator->Send(sending->process, sending->key, *contents)
                            : contents.status();
      }
      sending->use = DeviceBuffer::Use();
      sending->done.Set(end);
    });
  }
  return absl::OkStatus();
}

// One array that is to come.
struct Receiving {
  std::shared_ptr<DeviceBuffer> buffer;
  std::shared_ptr<ArrayMemory> memory;
  int process = 0;
  uint64_t key = 0;
  runtime::EventSource done;
};

absl::Status ReceiveInto(Receiving& one, Communicator& communicator,
                         const runtime::WaitLimits& limits) {
  XLA_RETURN_IF_ERROR(
      communicator.Receive(one.process, one.key,
                           absl::MakeSpan(static_cast<char*>(one.memory->data()),
                                          static_cast<size_t>(one.memory->size_bytes())),
                           limits));
  if (runtime::PackedBits(one.buffer->shape().element_type()) == 0) {
    NormalizeSubByteElements(one.buffer->shape().element_type(), one.memory->data(),
                             one.memory->size_bytes());
  }
  one.buffer->Define(std::move(one.memory));
  return absl::OkStatus();
}

absl::Status ReceiveBuffers(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client},
                               {"shape_num_dims", args.shape_num_dims},
                               {"num_dims", args.num_dims},
                               {"element_types", args.element_types},
                               {"device", args.device},
                               {"src_global_device_ids", args.src_global_device_ids},
                               {"transfer_keys", args.transfer_keys},
                               {"buffers", args.buffers}}));
  const ClientPointer client = args.client->state;
  XLA_ASSIGN_OR_RETURN(distributed::Job* const job, JobOf(*client));
  XLA_ASSIGN_OR_RETURN(PJRT_Memory* const memory, MemoryOf(*client, nullptr, args.device));
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<Communicator> communicator, job->Connection());
  auto all = std::make_shared<std::vector<Receiving>>(args.num_shapes);
  for (size_t i = 0; i < args.num_shapes; ++i) {
    Receiving& one = (*all)[i];
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.element_types[i], args.num_dims[i],
                                              args.shape_num_dims[i], nullptr));
    XLA_ASSIGN_OR_RETURN(one.process, ProcessOf(*job, args.src_global_device_ids[i]));
    XLA_ASSIGN_OR_RETURN(one.memory, Allocate(*client, args.device->ordinal, shape));
    one.key = static_cast<uint64_t>(args.transfer_keys[i]);
    one.buffer = DeviceBuffer::Pending(std::move(shape), args.device->ordinal, one.done.event());
  }
  const auto receive = [client, all, communicator = std::move(communicator)] {
    runtime::WaitLimits limits;
    limits.timeout = client->collective_timeout;
    for (Receiving& one : *all) one.done.Set(ReceiveInto(one, *communicator, limits));
  };
  XLA_RETURN_IF_ERROR(client->backend->threads().Run(receive));
  for (size_t i = 0; i < args.num_shapes; ++i) {
    args.buffers[i] = new PJRT_Buffer(client, memory, (*all)[i].buffer);
  }
  return absl::OkStatus();
}

constexpr char kOnlyPairs[] =
    "buffers are copied between processes by CrossHostSendBuffers and CrossHostReceiveBuffers";

absl::Status MakeReceiveBuffers(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args&) {
  return absl::UnimplementedError(kOnlyPairs);
}

// The caller is told by its callback, and gives up the event and the descriptor.
absl::Status CopyToRemoteDevice(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args& args) {
  if (args.on_done.on_done != nullptr) {
    args.on_done.on_done(MakeError(absl::UnimplementedError(kOnlyPairs)),
                         /*sends_were_enqueued=*/false, args.on_done.user_arg);
  }
  const std::unique_ptr<PJRT_Event> event(args.event);
  if (event == nullptr || args.descriptor_destructor == nullptr) return absl::OkStatus();
  event->event.OnReady(
      [destroy = args.descriptor_destructor, data = args.serialized_descriptor,
       size = args.serialized_descriptor_size](const absl::Status&) { destroy(data, size); });
  return absl::OkStatus();
}

}  // namespace

PJRT_Extension_Base* CrossHostTransfersExtension(PJRT_Extension_Base* next) {
  static PJRT_CrossHostTransfers_Extension extension = {
      {sizeof(PJRT_CrossHostTransfers_Extension), PJRT_Extension_Type_CrossHostTransfers, next},
      Entry<&MakeReceiveBuffers>,
      VoidEntry<&CopyToRemoteDevice>,
      Entry<&ReceiveBuffers>,
      Entry<&SendBuffers>};
  return &extension.base;
}

}  // namespace xla::pjrt
