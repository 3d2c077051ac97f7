// SPDX-License-Identifier: Apache-2.0
// Uses and donation of buffers.
#include "xla/runtime/device_buffer.h"

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"

namespace xla::runtime {

ArrayMemory::ArrayMemory(stream_executor::OwningDeviceMemory memory)
    : owned_(std::move(memory)),
      data_(const_cast<void*>(owned_.cref().opaque())),
      size_bytes_(static_cast<int64_t>(owned_.cref().size())),
      is_writable_(true) {}

ArrayMemory::ArrayMemory(const void* data, int64_t size_bytes, absl::AnyInvocable<void()> release,
                         bool is_writable)
    : data_(const_cast<void*>(data)),
      size_bytes_(size_bytes),
      is_writable_(is_writable),
      release_(std::move(release)) {}

ArrayMemory::~ArrayMemory() {
  if (release_ != nullptr) std::move(release_)();
}

DeviceBuffer::Use::~Use() {
  if (buffer_ != nullptr) buffer_->EndUse(is_lasting_);
}

const std::shared_ptr<ArrayMemory>& DeviceBuffer::Use::memory() const {
  // No lock: the memory was set before the buffer became ready, and stays while there are uses.
  XLA_CHECK(buffer_->memory_ != nullptr) << "the contents of a buffer that is not ready";
  return buffer_->memory_;
}

std::shared_ptr<DeviceBuffer> DeviceBuffer::FromMemory(Shape shape, int device_ordinal,
                                                       stream_executor::OwningDeviceMemory memory) {
  auto buffer = Pending(std::move(shape), device_ordinal, Event());
  buffer->Define(std::make_shared<ArrayMemory>(std::move(memory)));
  return buffer;
}

std::shared_ptr<DeviceBuffer> DeviceBuffer::OnHostMemory(Shape shape, int device_ordinal,
                                                         const void* data, int64_t size_bytes,
                                                         absl::AnyInvocable<void()> release,
                                                         bool is_writable) {
  auto buffer = Pending(std::move(shape), device_ordinal, Event());
  buffer->Define(std::make_shared<ArrayMemory>(data, size_bytes, std::move(release), is_writable));
  return buffer;
}

std::shared_ptr<DeviceBuffer> DeviceBuffer::Pending(Shape shape, int device_ordinal, Event ready) {
  return std::shared_ptr<DeviceBuffer>(
      new DeviceBuffer(std::move(shape), device_ordinal, std::move(ready)));
}

void DeviceBuffer::Define(std::shared_ptr<ArrayMemory> memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_CHECK(memory_ == nullptr) << "a buffer is defined once";
  if (state_ != State::kDeleted || uses_ > 0) memory_ = std::move(memory);
}

absl::Status DeviceBuffer::CheckLive() const {
  if (state_ == State::kLive) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the buffer of shape ", shape_.ToString(/*print_layout=*/true), " on device ",
                   device_ordinal_, " has no contents any more: it was ",
                   state_ == State::kDonated ? "donated" : "deleted"));
}

absl::StatusOr<DeviceBuffer::Use> DeviceBuffer::Acquire(bool is_lasting) {
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_RETURN_IF_ERROR(CheckLive());
  ++uses_;
  if (is_lasting) ++lasting_uses_;
  return Use(shared_from_this(), is_lasting);
}

absl::StatusOr<DeviceBuffer::Use> DeviceBuffer::Acquire() { return Acquire(/*is_lasting=*/false); }

absl::StatusOr<DeviceBuffer::Use> DeviceBuffer::AcquireLasting() {
  return Acquire(/*is_lasting=*/true);
}

bool DeviceBuffer::HasLastingUses() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lasting_uses_ > 0;
}

void DeviceBuffer::EndUse(bool is_lasting) {
  std::unique_ptr<EventSource> unused;
  std::shared_ptr<ArrayMemory> freed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_lasting) --lasting_uses_;
    if (--uses_ > 0) return;
    unused = std::move(unused_);
    if (state_ == State::kDeleted) freed = std::move(memory_);
  }
  if (unused != nullptr) unused->Set(absl::OkStatus());
}

absl::StatusOr<Event> DeviceBuffer::Donate() {
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_RETURN_IF_ERROR(CheckLive());
  state_ = State::kDonated;
  if (uses_ == 0) return Event();
  unused_ = std::make_unique<EventSource>();
  return unused_->event();
}

std::shared_ptr<ArrayMemory> DeviceBuffer::TakeMemory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_CHECK(state_ == State::kDonated && uses_ == 0);
  return std::move(memory_);
}

void DeviceBuffer::CancelDonation() {
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_CHECK(state_ == State::kDonated);
  state_ = State::kLive;
  unused_ = nullptr;
}

void DeviceBuffer::Delete() {
  std::shared_ptr<ArrayMemory> freed;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kLive) return;
  state_ = State::kDeleted;
  if (uses_ == 0) freed = std::move(memory_);
}

bool DeviceBuffer::IsDeleted() const { return state_ != State::kLive; }

}  // namespace xla::runtime
