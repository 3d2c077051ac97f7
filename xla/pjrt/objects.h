// SPDX-License-Identifier: Apache-2.0
// The objects behind the opaque pointers of the interface.
#ifndef XLA_PJRT_OBJECTS_H_
#define XLA_PJRT_OBJECTS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/distributed/job.h"
#include "xla/pjrt/abi.h"
#include "xla/pjrt/platform.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/device_buffer.h"
#include "xla/runtime/event.h"
#include "xla/service/backend.h"

struct PJRT_Error {
  const PJRT_Error_FunctionTable* functions;
  absl::Status status;
  std::string message;
};

struct PJRT_Event {
  explicit PJRT_Event(xla::runtime::Event event) : event(std::move(event)) {}
  xla::runtime::Event event;
  std::unique_ptr<xla::runtime::EventSource> source;  // of an event that the caller sets
  std::atomic<bool> is_set{false};
};

struct PJRT_MemoryDescription {
  std::string kind;
  int kind_id;
};

struct PJRT_DeviceDescription {
  int id, process_index;
  std::string kind, debug_string, to_string;
  std::vector<PJRT_NamedValue> attributes;
  std::vector<PJRT_MemoryDescription> memories;
  std::vector<PJRT_MemoryDescription*> memory_pointers;
};

namespace xla::pjrt {

struct ClientState;

// Counts the memory of a device's buffers. Thread-safe.
class MemoryCount {
 public:
  void Add(int64_t bytes);
  void Remove(int64_t bytes) { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t largest() const { return largest_.load(std::memory_order_relaxed); }
  int64_t count() const { return count_.load(std::memory_order_relaxed); }
  void ResetPeak() { peak_.store(in_use(), std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> in_use_{0}, peak_{0}, largest_{0}, count_{0};
};

}  // namespace xla::pjrt

struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* functions;
  int id;
  PJRT_MemoryDescription* description;
  PJRT_Device* device;  // each memory belongs to one
  std::string debug_string, to_string;
};

struct PJRT_Device {
  xla::pjrt::ClientState* client;
  PJRT_DeviceDescription* description;
  int ordinal;  // among those of this process; -1 for a device of another one
  std::vector<PJRT_Memory*> memories;  // the default one first; none of another process's device
  xla::pjrt::MemoryCount memory_count;
};

namespace xla::pjrt {

// The devices of one process, whose ids follow each other.
struct ProcessDevices {
  int64_t process = 0, num_devices = 1;
  int64_t host = -1;  // an attribute of the devices, if there is one
};

}  // namespace xla::pjrt

struct PJRT_TopologyDescription {
  const xla::pjrt::Platform* platform;
  int64_t first_id = 0;
  std::vector<xla::pjrt::ProcessDevices> processes;  // in the order of ids
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> devices;
  std::vector<PJRT_DeviceDescription*> device_pointers;
  std::vector<PJRT_NamedValue> attributes;
};

namespace xla::pjrt {

class CallerStore;

// Buffers and executables keep it alive beyond PJRT_Client_Destroy.
struct ClientState {
  bool is_asynchronous = true;
  int process_index = 0;
  int64_t num_devices = 0;  // of all processes; a program may run on so many
  // Of a client that is one of several processes; null otherwise.
  std::unique_ptr<distributed::Job> job;
  std::shared_ptr<CallerStore> store;
  absl::Duration collective_timeout;
  // Of what the caller says of the other processes: the last incarnation of each.
  std::mutex incarnations_mutex;
  std::map<int64_t, size_t> incarnations;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<PJRT_TopologyDescription> topology;
  std::vector<std::unique_ptr<PJRT_Device>> devices;  // of all processes, by id
  std::vector<std::unique_ptr<PJRT_Memory>> memories;
  std::vector<PJRT_Device*> device_pointers;
  std::vector<PJRT_Device*> local_devices;  // of this process, by ordinal
  std::vector<PJRT_Memory*> memory_pointers;

  // Return the device with an id, and with a number among those of this process.
  absl::StatusOr<PJRT_Device*> FindDevice(int id) const;
  absl::StatusOr<PJRT_Device*> DeviceAt(int ordinal) const;
};
using ClientPointer = std::shared_ptr<ClientState>;

// Returns "Xylem 0.1.0, LLVM 19.1.7", or "Xylem 0.1.0, interpreter" without LLVM or if clients do
// not use it.
const std::string& PlatformVersion(bool use_compiler = true);

// Makes devices without a client, whose ids follow each other from `first_id`. InvalidArgument for
// a number out of range.
absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> MakeTopology(
    std::vector<ProcessDevices> processes, int64_t first_id, const Platform& platform);

// Returns a string of the plugin to the caller.
inline void Put(const std::string& text, const char*& data, size_t& size) {
  data = text.c_str();
  size = text.size();
}

}  // namespace xla::pjrt

struct PJRT_Client {
  xla::pjrt::ClientPointer state;
};

struct PJRT_Buffer {
  PJRT_Buffer(xla::pjrt::ClientPointer client, PJRT_Memory* memory,
              std::shared_ptr<xla::runtime::DeviceBuffer> buffer);
  ~PJRT_Buffer();
  void Delete();

  const xla::pjrt::ClientPointer client;
  PJRT_Memory* const memory;
  const std::shared_ptr<xla::runtime::DeviceBuffer> buffer;
  std::vector<size_t> dynamic_dimensions;
  std::vector<int64_t> minor_to_major;

  std::mutex mutex;
  // External references, for which the memory is kept in place.
  std::vector<xla::runtime::DeviceBuffer::Use> external;
  std::atomic<bool> is_counted;  // by the device's memory_count
  bool is_result = false;        // of a program
  int64_t counted_bytes;
};

#endif  // XLA_PJRT_OBJECTS_H_
