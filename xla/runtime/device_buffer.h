// SPDX-License-Identifier: Apache-2.0
// Buffers of asynchronous runs: an array on a device, when it is defined, who uses it, and whether
// it was donated. Executables read and write their memory in place.
//
//   auto x = DeviceBuffer::FromMemory(shape, /*device_ordinal=*/0, memory);
//   XLA_ASSIGN_OR_RETURN(DeviceBuffer::Use use, x->Acquire());
//   XLA_RETURN_IF_ERROR(x->ready().Await());
//   const void* elements = use.data();    // stays until `use` ends, whatever happens to the buffer
#ifndef XLA_RUNTIME_DEVICE_BUFFER_H_
#define XLA_RUNTIME_DEVICE_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/runtime/event.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_memory_allocator.h"

namespace xla::runtime {

// Memory of an array; freed with its last user.
class ArrayMemory {
 public:
  // The allocator of the memory must outlive it.
  explicit ArrayMemory(stream_executor::OwningDeviceMemory memory);
  // Memory of the caller, only read unless it `is_writable`; `release` (may be null) is called when
  // it is not needed any more.
  ArrayMemory(const void* data, int64_t size_bytes, absl::AnyInvocable<void()> release,
              bool is_writable = false);
  ~ArrayMemory();
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  void* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }
  bool is_writable() const { return is_writable_; }

 private:
  stream_executor::OwningDeviceMemory owned_;
  void* data_;
  int64_t size_bytes_;
  bool is_writable_;
  absl::AnyInvocable<void()> release_;
};

// Thread-safe.
class DeviceBuffer : public std::enable_shared_from_this<DeviceBuffer> {
 public:
  // Keeps the memory in place: the buffer may be deleted or donated meanwhile, but a run that it is
  // donated to waits. Movable.
  class Use {
   public:
    Use() = default;
    Use(Use&&) noexcept = default;
    Use& operator=(Use&& other) noexcept {
      std::swap(buffer_, other.buffer_);
      std::swap(is_lasting_, other.is_lasting_);
      return *this;
    }
    ~Use();
    const DeviceBuffer& buffer() const { return *buffer_; }
    // Stays as long as the use. Precondition: buffer().ready() is ready, without an error.
    const std::shared_ptr<ArrayMemory>& memory() const;
    const void* data() const { return memory()->data(); }

   private:
    friend class DeviceBuffer;
    Use(std::shared_ptr<DeviceBuffer> buffer, bool is_lasting)
        : buffer_(std::move(buffer)), is_lasting_(is_lasting) {}
    std::shared_ptr<DeviceBuffer> buffer_;
    bool is_lasting_ = false;
  };

  // A buffer that is ready. The memory has at least ArrayBytes(shape) (buffer_view.h).
  static std::shared_ptr<DeviceBuffer> FromMemory(Shape shape, int device_ordinal,
                                                  stream_executor::OwningDeviceMemory memory);
  // The same on memory of the caller, which is read in place; where it `is_writable`, a run that
  // the buffer is donated to may write there.
  static std::shared_ptr<DeviceBuffer> OnHostMemory(Shape shape, int device_ordinal,
                                                    const void* data, int64_t size_bytes,
                                                    absl::AnyInvocable<void()> release,
                                                    bool is_writable = false);
  // A buffer whose contents come with the event: Define is called before that is ready without an
  // error.
  static std::shared_ptr<DeviceBuffer> Pending(Shape shape, int device_ordinal, Event ready);
  void Define(std::shared_ptr<ArrayMemory> memory);

  const Shape& shape() const { return shape_; }
  int device_ordinal() const { return device_ordinal_; }
  // With the error of the run that should have made the contents.
  const Event& ready() const { return ready_; }

  // INVALID_ARGUMENT after the buffer was deleted or donated.
  absl::StatusOr<Use> Acquire();
  // The same for uses whose end no run may wait for: references from outside, views. Who donates
  // the buffer asks HasLastingUses first, and donates a copy.
  absl::StatusOr<Use> AcquireLasting();
  bool HasLastingUses() const;

  // Gives the contents away: the buffer cannot be acquired any more. Returns an event that is ready
  // when all uses that were acquired before have ended: then TakeMemory gives the memory.
  // INVALID_ARGUMENT after the buffer was deleted or donated.
  absl::StatusOr<Event> Donate();
  // The memory of a donated buffer, which it does not hold any more. Preconditions: ready() and the
  // event of Donate are.
  std::shared_ptr<ArrayMemory> TakeMemory();
  // Takes a donation back, as if it had not happened. Precondition: TakeMemory was not called.
  void CancelDonation();

  // The buffer cannot be acquired any more; its memory is freed when the last use ends.
  void Delete();
  // Deleted or donated.
  bool IsDeleted() const;

 private:
  enum class State : uint8_t { kLive, kDonated, kDeleted };

  DeviceBuffer(Shape shape, int device_ordinal, Event ready)
      : shape_(std::move(shape)), device_ordinal_(device_ordinal), ready_(std::move(ready)) {}
  absl::Status CheckLive() const;
  absl::StatusOr<Use> Acquire(bool is_lasting);
  void EndUse(bool is_lasting);

  const Shape shape_;
  const int device_ordinal_;
  const Event ready_;

  mutable std::mutex mutex_;
  std::atomic<State> state_{State::kLive};  // written with the mutex held
  int64_t uses_ = 0;
  int64_t lasting_uses_ = 0;  // of uses_
  std::shared_ptr<ArrayMemory> memory_;
  std::unique_ptr<EventSource> unused_;  // of a donation that waits for uses
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_DEVICE_BUFFER_H_
