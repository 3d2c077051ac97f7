// SPDX-License-Identifier: Apache-2.0
// The interface that kernels need from their caller: parallel loops, counted memory, and
// cancellation.
//
// Kernels take plain pointers, sizes and strides; they depend on neither the IR nor the runtime.
// All of them follow the same rules:
//   - Results are the same bits for any number of threads and any instruction set.
//   - Working memory comes from Context::Allocate, so that it counts against the caller's limit.
//   - They call Context::Poll at least every 100 ms and return its error, if any. Outputs are then
//     unspecified.
#ifndef XLA_KERNELS_CONTEXT_H_
#define XLA_KERNELS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/machine.h"

namespace xla::kernels {

// The caller of a kernel. Poll and Allocate are called from any thread that runs a loop body.
class Context {
 public:
  virtual ~Context() = default;

  // Calls body(begin, end) for the chunks [0, chunk), [chunk, 2 * chunk), ... of [0, count), on any
  // threads and in any order. Returns the error of the lowest chunk that failed. Kernels do not
  // call it from within a body; they use a SerialContext there.
  virtual absl::Status ParallelFor(
      int64_t count, int64_t chunk,
      absl::FunctionRef<absl::Status(int64_t begin, int64_t end)> body) = 0;

  // Returns an error if the kernel should stop. Cheap enough for every 10 microseconds.
  virtual absl::Status Poll() = 0;

  // Returns uninitialized memory, aligned to 64 bytes and freed with the pointer.
  // RESOURCE_EXHAUSTED if the caller's limit or the system does not allow it.
  virtual absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) = 0;
};

// A context for use within a body of ParallelFor, of the same caller: loops run on the calling
// thread.
class SerialContext final : public Context {
 public:
  explicit SerialContext(Context& caller) : caller_(caller) {}

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override;
  absl::Status Poll() override { return caller_.Poll(); }
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override {
    return caller_.Allocate(bytes);
  }

 private:
  Context& caller_;
};

// An array in memory of Context::Allocate. T must be trivial; elements are uninitialized.
template <typename T>
class ScratchArray {
 public:
  ScratchArray() = default;
  ScratchArray(std::shared_ptr<void> memory, int64_t size)
      : memory_(std::move(memory)), size_(size) {}

  T* data() const { return static_cast<T*>(memory_.get()); }
  int64_t size() const { return size_; }
  T& operator[](int64_t i) const { return data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  absl::Span<T> span() const { return {data(), static_cast<size_t>(size_)}; }

 private:
  std::shared_ptr<void> memory_;
  int64_t size_ = 0;
};

// Returns the bytes of `count` elements, or RESOURCE_EXHAUSTED if they overflow 64 bits.
absl::StatusOr<int64_t> ScratchBytes(int64_t count, int64_t element_bytes);

template <typename T>
absl::StatusOr<ScratchArray<T>> AllocateArray(Context& context, int64_t count) {
  absl::StatusOr<int64_t> bytes = ScratchBytes(count, sizeof(T));
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::shared_ptr<void>> memory = context.Allocate(*bytes);
  if (!memory.ok()) return memory.status();
  return ScratchArray<T>(*std::move(memory), count);
}

// Polls after each ten milliseconds of work or so, which its user estimates.
//
//   WorkMeter meter(context);
//   for (...) {
//     XLA_RETURN_IF_ERROR(meter.Add(/*nanoseconds=*/0.5 * n));
class WorkMeter {
 public:
  explicit WorkMeter(Context& context) : context_(context) {}

  absl::Status Add(double nanoseconds) {
    constexpr auto kInterval = 10.0 * static_cast<double>(kUsualMachine.nanoseconds_between_polls);
    if ((done_ += nanoseconds) < kInterval) return absl::OkStatus();
    done_ = 0;
    return context_.Poll();
  }

 private:
  Context& context_;
  double done_ = 0;
};

// Returns a chunk length for ParallelFor such that a chunk takes about 100 microseconds if an item
// takes about `nanoseconds_per_item`. At least 1; depends only on the arguments.
int64_t ChunkFor(int64_t count, double nanoseconds_per_item);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONTEXT_H_
