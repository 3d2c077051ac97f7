// SPDX-License-Identifier: Apache-2.0
// Copies to the host, transfers in parts, donation to events of the caller.
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/overflow_util.h"
#include "xla/pjrt/buffer_memory.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/types.h"
#include "xla/primitive_util.h"
#include "xla/runtime/packed_elements.h"
#include "xla/shape_util.h"

using xla::runtime::ArrayMemory;
using xla::runtime::DeviceBuffer;

struct PJRT_AsyncHostToDeviceTransferManager {
  struct Entry {
    std::shared_ptr<DeviceBuffer> buffer;
    std::shared_ptr<ArrayMemory> memory;
    xla::runtime::EventSource ready;
    bool is_done = false;
    bool is_retrieved = false;
  };
  xla::pjrt::ClientPointer client;
  PJRT_Memory* memory;
  std::mutex mutex;
  std::deque<Entry> entries;
};

struct PJRT_CopyToDeviceStream {
  std::mutex mutex;
  std::vector<char> bytes;
  int64_t total = 0;
};

namespace xla::pjrt {
namespace {

// Calls `copy` with the memory of the buffer when that is ready; the event gets its status.
using Copy = absl::AnyInvocable<absl::Status(const ArrayMemory& memory)>;
absl::StatusOr<PJRT_Event*> WhenReady(PJRT_Buffer* buffer, Copy copy) {
  struct Flight {
    DeviceBuffer::Use use;
    Copy copy;
    runtime::EventSource done;
  };
  auto flight = std::make_shared<Flight>();
  XLA_ASSIGN_OR_RETURN(flight->use, buffer->buffer->Acquire());
  flight->copy = std::move(copy);
  const runtime::Event done = flight->done.event();
  buffer->buffer->ready().OnReady([flight](const absl::Status& status) {
    const absl::Status end = status.ok() ? flight->copy(*flight->use.memory()) : status;
    flight->use = DeviceBuffer::Use();
    flight->done.Set(end);
  });
  return new PJRT_Event(done);
}

absl::Status CheckRange(const PJRT_Buffer& buffer, int64_t offset, int64_t size) {
  if (offset >= 0 && size >= 0 && offset <= buffer.counted_bytes &&
      size <= buffer.counted_bytes - offset) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("bytes ", offset, " to ", offset, " + ", size,
                                                 " of a buffer of ", buffer.counted_bytes));
}

absl::StatusOr<PJRT_AsyncHostToDeviceTransferManager::Entry*> OpenEntry(
    PJRT_AsyncHostToDeviceTransferManager& manager, int index) {
  if (index < 0 || static_cast<size_t>(index) >= manager.entries.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer ", index, " of a transfer of ", manager.entries.size()));
  }
  auto& entry = manager.entries[static_cast<size_t>(index)];
  if (entry.is_done) {
    return absl::FailedPreconditionError(
        absl::StrCat("the transfer to buffer ", index, " has ended"));
  }
  return &entry;
}

void Finish(PJRT_AsyncHostToDeviceTransferManager::Entry& entry, const absl::Status& status) {
  entry.is_done = true;
  if (status.ok()) {
    const PrimitiveType type = entry.buffer->shape().element_type();
    if (runtime::PackedBits(type) == 0) {
      NormalizeSubByteElements(type, entry.memory->data(), entry.memory->size_bytes());
    }
    entry.buffer->Define(std::move(entry.memory));
  }
  entry.ready.Set(status);
}

// From the smallest stride up, each dimension must step over all that lies within it.
absl::Status CheckDistinct(const Shape& array, absl::Span<const int64_t> strides) {
  std::vector<size_t> order;
  for (size_t d = 0; d < strides.size(); ++d) {
    const int64_t size = array.dimensions(static_cast<int>(d));
    if (size == 0) return absl::OkStatus();
    if (size > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t within = 0;  // the last element of the dimensions before
  for (const size_t d : order) {
    const int64_t reach =
        MultiplyWithoutOverflow(array.dimensions(static_cast<int>(d)) - 1, strides[d]);
    if (strides[d] <= within || reach < 0 || reach > std::numeric_limits<int64_t>::max() - within) {
      return absl::InvalidArgumentError(
          absl::StrCat("a host_layout of strides by which elements of ", array.ToString(),
                       " would overlap: ", absl::StrJoin(strides, ", "), " elements"));
    }
    within += reach;
  }
  return absl::OkStatus();
}

// The layout of an array on the host.
struct HostArray {
  absl::InlinedVector<int64_t, 6> strides;  // in elements
  int64_t size_bytes = 0;                   // up to the end of the last element
};

// Returns the array as `layout` describes it; if that is null, with the layout of the buffer. Each
// element has bytes of its own: InvalidArgument for strides by which elements would overlap.
absl::StatusOr<HostArray> HostArrayOf(const Shape& array, const PJRT_Buffer_MemoryLayout* layout) {
  HostArray host;
  const auto rank = static_cast<size_t>(array.rank());
  if (layout == nullptr) {
    host.strides = ElementStrides(array);
  } else if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides& strides = layout->strides;
    if (rank > 0) XLA_RETURN_IF_ERROR(Require({{"byte_strides", strides.byte_strides}}));
    XLA_ASSIGN_OR_RETURN(host.strides,
                         ElementStridesOf(array, {strides.byte_strides, strides.num_byte_strides}));
    XLA_RETURN_IF_ERROR(CheckDistinct(array, host.strides));
  } else {
    XLA_ASSIGN_OR_RETURN(const Shape ordered,
                         ShapeOf(ToBufferType(array.element_type()), array.dimensions().data(),
                                 array.dimensions().size(), layout));
    host.strides = ElementStrides(ordered);
  }
  int64_t elements = 1;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t size = array.dimensions(static_cast<int>(d));
    if (size == 0) return host;
    const int64_t reach = MultiplyWithoutOverflow(size - 1, host.strides[d]);
    elements = reach < 0 ? -1 : elements + reach;
    if (elements < 1) return absl::InvalidArgumentError("the host strides overflow");
  }
  host.size_bytes =
      MultiplyWithoutOverflow(elements, primitive_util::ByteWidth(array.element_type()));
  if (host.size_bytes < 0) return absl::InvalidArgumentError("the host strides overflow");
  return host;
}

}  // namespace

namespace api {

absl::Status Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"src", args.src}}));
  const Shape& from = args.src->buffer->shape();
  if (!from.IsArray())
    return absl::InvalidArgumentError("a token has no elements to copy to the host");
  XLA_ASSIGN_OR_RETURN(const HostArray to, HostArrayOf(from, args.host_layout));
  if (args.dst == nullptr) {
    args.dst_size = static_cast<size_t>(to.size_bytes);
    args.event = nullptr;
    return absl::OkStatus();
  }
  if (args.dst_size < static_cast<size_t>(to.size_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("`dst_size` must be >= ", to.size_bytes, " for ",
                                                   from.ToString(), ", got ", args.dst_size, "."));
  }
  XLA_ASSIGN_OR_RETURN(args.event, WhenReady(args.src, [from, strides = to.strides,
                                                        dst = args.dst](const ArrayMemory& memory) {
                         if (memory.size_bytes() > 0) CopyToHost(from, memory.data(), dst, strides);
                         return absl::OkStatus();
                       }));
  return absl::OkStatus();
}

absl::Status Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  XLA_RETURN_IF_ERROR(CheckRange(*args.buffer, args.offset, args.transfer_size));
  if (args.transfer_size > 0) XLA_RETURN_IF_ERROR(Require({{"dst", args.dst}}));
  XLA_ASSIGN_OR_RETURN(
      args.event, WhenReady(args.buffer, [dst = args.dst, offset = args.offset,
                                          size = args.transfer_size](const ArrayMemory& memory) {
        if (size > 0) {
          std::memcpy(dst, static_cast<const char*>(memory.data()) + offset,
                      static_cast<size_t>(size));
        }
        return absl::OkStatus();
      }));
  return absl::OkStatus();
}

// The caller passes the destination later.
absl::Status Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  XLA_RETURN_IF_ERROR(CheckRange(*args.buffer, args.offset, args.transfer_size));
  struct Promise {
    PJRT_Buffer_CopyRawToHostFuture_Args request;
    DeviceBuffer::Use use;
    runtime::EventSource done;
  };
  auto promise = std::make_unique<Promise>();
  promise->request = args;
  XLA_ASSIGN_OR_RETURN(promise->use, args.buffer->buffer->Acquire());
  args.event = new PJRT_Event(promise->done.event());
  args.callback_data = promise.release();
  args.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* callback) {
    const std::shared_ptr<Promise> promise(static_cast<Promise*>(callback->callback_data));
    const absl::Status given =
        StatusOf(callback->error_code, callback->error_message, callback->error_message_size);
    promise->use.buffer().ready().OnReady(
        [promise, given, dst = callback->dst](const absl::Status& status) {
          absl::Status end = given.ok() ? status : given;
          const auto size = static_cast<size_t>(promise->request.transfer_size);
          if (end.ok() && size > 0 && dst == nullptr) {
            end = absl::InvalidArgumentError("the destination of a copy is null");
          }
          if (end.ok() && size > 0) {
            std::memcpy(
                dst, static_cast<const char*>(promise->use.data()) + promise->request.offset, size);
          }
          promise->use = DeviceBuffer::Use();
          promise->done.Set(end);
        });
  };
  return absl::OkStatus();
}

absl::Status Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  const std::shared_ptr<DeviceBuffer> source = args.buffer->buffer;
  if (source->HasLastingUses()) {
    return absl::InvalidArgumentError("Donation requested for buffer with external reference");
  }
  struct Promise {
    runtime::EventSource dependency;
  };
  auto promise = std::make_unique<Promise>();
  XLA_ASSIGN_OR_RETURN(const runtime::Event unused, source->Donate());
  auto ready = std::make_shared<runtime::EventSource>();
  auto result = DeviceBuffer::Pending(source->shape(), source->device_ordinal(), ready->event());
  const runtime::Event inputs =
      runtime::Event::All({unused, source->ready(), promise->dependency.event()});
  inputs.OnReady([source, result, ready](const absl::Status& status) {
    if (status.ok()) result->Define(source->TakeMemory());
    ready->Set(status);
  });
  args.out_buffer = new PJRT_Buffer(args.buffer->client, args.buffer->memory, std::move(result));
  args.callback_data = promise.release();
  args.dependency_ready_callback =
      [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* callback) {
        const std::unique_ptr<Promise> promise(static_cast<Promise*>(callback->callback_data));
        promise->dependency.Set(
            StatusOf(callback->error_code, callback->error_message, callback->error_message_size));
      };
  return absl::OkStatus();
}

absl::Status Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  if (args.num_shape_specs > 0) XLA_RETURN_IF_ERROR(Require({{"shape_specs", args.shape_specs}}));
  if (args.num_device_layouts != 0 && args.num_device_layouts != args.num_shape_specs) {
    return absl::InvalidArgumentError(
        absl::StrCat(args.num_device_layouts, " layouts for ", args.num_shape_specs, " shapes"));
  }
  auto manager = std::make_unique<PJRT_AsyncHostToDeviceTransferManager>();
  manager->client = args.client->state;
  XLA_ASSIGN_OR_RETURN(manager->memory, MemoryOf(*manager->client, args.memory, nullptr));
  const int ordinal = manager->memory->device->ordinal;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    const bool has_layout = args.num_device_layouts > 0 && args.device_layouts != nullptr;
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(spec.element_type, spec.dims, spec.num_dims,
                                              has_layout ? args.device_layouts[i] : nullptr));
    auto& entry = manager->entries.emplace_back();
    XLA_ASSIGN_OR_RETURN(entry.memory, Allocate(*manager->client, ordinal, shape));
    entry.buffer = DeviceBuffer::Pending(std::move(shape), ordinal, entry.ready.event());
  }
  args.transfer_manager = manager.release();
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  delete args.transfer_manager;
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  const std::lock_guard<std::mutex> lock(args.transfer_manager->mutex);
  XLA_ASSIGN_OR_RETURN(auto* entry, OpenEntry(*args.transfer_manager, args.buffer_index));
  const int64_t bytes = entry->memory->size_bytes();
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > bytes ||
      args.transfer_size > bytes - args.offset) {
    return absl::InvalidArgumentError(absl::StrCat(args.transfer_size, " bytes at offset ",
                                                   args.offset, " of a buffer of ", bytes));
  }
  if (args.transfer_size > 0) {
    XLA_RETURN_IF_ERROR(Require({{"data", args.data}}));
    std::memcpy(static_cast<char*>(entry->memory->data()) + args.offset, args.data,
                static_cast<size_t>(args.transfer_size));
  }
  if (args.is_last_transfer) Finish(*entry, absl::OkStatus());
  args.done_with_h2d_transfer = new PJRT_Event(runtime::Event());
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  const std::lock_guard<std::mutex> lock(args.transfer_manager->mutex);
  XLA_ASSIGN_OR_RETURN(auto* entry, OpenEntry(*args.transfer_manager, args.buffer_index));
  XLA_ASSIGN_OR_RETURN(const Shape from, ShapeOf(args.shape_element_type, args.shape_dims,
                                                 args.shape_num_dims, args.shape_layout));
  const Shape& to = entry->buffer->shape();
  if (!ShapeUtil::Compatible(from, to)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal of ", from.ToString(), " for a buffer of ", to.ToString()));
  }
  if (entry->memory->size_bytes() > 0) {
    XLA_RETURN_IF_ERROR(Require({{"data", args.data}}));
    CopyFromHost(args.data, ElementStrides(from), to, entry->memory->data());
  }
  Finish(*entry, absl::OkStatus());
  args.done_with_h2d_transfer = new PJRT_Event(runtime::Event());
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  PJRT_AsyncHostToDeviceTransferManager& manager = *args.transfer_manager;
  const std::lock_guard<std::mutex> lock(manager.mutex);
  if (args.buffer_index < 0 || static_cast<size_t>(args.buffer_index) >= manager.entries.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer ", args.buffer_index, " of a transfer of ", manager.entries.size()));
  }
  auto& entry = manager.entries[static_cast<size_t>(args.buffer_index)];
  if (entry.is_retrieved) {
    return absl::FailedPreconditionError(
        absl::StrCat("buffer ", args.buffer_index, " has been retrieved already"));
  }
  entry.is_retrieved = true;
  args.buffer_out = new PJRT_Buffer(manager.client, manager.memory, entry.buffer);
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  args.device_out = args.transfer_manager->memory->device;
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  args.buffer_count = args.transfer_manager->entries.size();
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  const auto& entries = args.transfer_manager->entries;
  if (args.buffer_index < 0 || static_cast<size_t>(args.buffer_index) >= entries.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer ", args.buffer_index, " of a transfer of ", entries.size()));
  }
  const Shape& shape = entries[static_cast<size_t>(args.buffer_index)].buffer->shape();
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
  args.buffer_size = static_cast<size_t>(bytes);
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"transfer_manager", args.transfer_manager}}));
  const std::lock_guard<std::mutex> lock(args.transfer_manager->mutex);
  XLA_ASSIGN_OR_RETURN(auto* entry, OpenEntry(*args.transfer_manager, args.buffer_index));
  if (args.error_code == PJRT_Error_Code_OK) {
    return absl::InvalidArgumentError("a buffer cannot have the error OK");
  }
  Finish(*entry, StatusOf(args.error_code, args.error_message, args.error_message_size));
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args) {
  return Require({{"transfer_manager", args.transfer_manager}});
}

absl::Status CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args& args) {
  delete args.stream;
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"stream", args.stream}, {"chunk", args.chunk}}));
  const std::lock_guard<std::mutex> lock(args.stream->mutex);
  const PJRT_Chunk& chunk = *args.chunk;
  std::vector<char>& bytes = args.stream->bytes;
  if (chunk.size > static_cast<size_t>(args.stream->total) - bytes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a chunk of ", chunk.size, " bytes after ",
                                                   bytes.size(), " of ", args.stream->total));
  }
  const char* data = static_cast<const char*>(chunk.data);
  bytes.insert(bytes.end(), data, data + chunk.size);
  if (chunk.deleter != nullptr) chunk.deleter(chunk.data, chunk.deleter_arg);
  args.transfer_complete = new PJRT_Event(runtime::Event());
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"stream", args.stream}}));
  args.total_bytes = args.stream->total;
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"stream", args.stream}}));
  args.granule_size_in_bytes = 1;
  return absl::OkStatus();
}

absl::Status CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"stream", args.stream}}));
  const std::lock_guard<std::mutex> lock(args.stream->mutex);
  args.current_bytes = static_cast<int64_t>(args.stream->bytes.size());
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
