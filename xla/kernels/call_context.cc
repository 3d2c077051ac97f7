// SPDX-License-Identifier: Apache-2.0
// Allocates scratch memory from front to back; that of a loop body starts anew with each call.
#include "xla/kernels/call_context.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::kernels {

thread_local CallContext::Arena* CallContext::current_ = nullptr;

// Places the reference counts of a shared pointer after the memory that it owns. Both return to the
// arena with the last pointer, if nothing was allocated after them.
template <typename T>
class CallContext::CountAllocator {
 public:
  using value_type = T;
  CountAllocator(Arena* arena, int64_t begin) : arena_(arena), begin_(begin) {}
  template <typename U>
  CountAllocator(const CountAllocator<U>& other)  // NOLINT(google-explicit-constructor)
      : arena_(other.arena_), begin_(other.begin_) {}

  T* allocate(size_t count) {
    T* memory = reinterpret_cast<T*>(arena_->data + arena_->used);
    arena_->used += Aligned(static_cast<int64_t>(count * sizeof(T)));
    return memory;
  }
  void deallocate(T* memory, size_t count) {
    const int64_t end = reinterpret_cast<char*>(memory) - arena_->data +
                        Aligned(static_cast<int64_t>(count * sizeof(T)));
    if (end == arena_->used) arena_->used = begin_;
  }
  template <typename U>
  bool operator==(const CountAllocator<U>& other) const {
    return arena_ == other.arena_ && begin_ == other.begin_;
  }

 private:
  template <typename U>
  friend class CountAllocator;
  Arena* arena_;
  int64_t begin_;
};

CallContext::CallContext(const KernelCall& call, const CallMemory& memory)
    : host_(*call.host),
      memory_(memory),
      shared_{static_cast<char*>(call.scratch), Aligned(memory.shared), 0},
      workers_(static_cast<char*>(call.scratch) + Aligned(memory.shared)) {}

absl::Status CallContext::ParallelFor(int64_t count, int64_t chunk,
                                      absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  chunk = std::max<int64_t>(chunk, 1);
  const int64_t chunks = count <= 0 ? 0 : (count - 1) / chunk + 1;
  std::mutex mutex;
  int64_t failed = chunks;
  absl::Status status;
  const absl::Status stopped =
      RunTasks(host_, chunks, workers_, Aligned(memory_.worker), [&](int64_t index, Task& task) {
        Arena arena = {task.scratch(), Aligned(memory_.worker), 0};
        Arena* const outer = std::exchange(current_, &arena);
        const absl::Status result = body(index * chunk, std::min(count, (index + 1) * chunk));
        current_ = outer;
        if (result.ok()) return;
        std::lock_guard<std::mutex> lock(mutex);
        if (index >= failed) return;
        failed = index;
        status = result;
      });
  return status.ok() ? stopped : status;
}

absl::Status CallContext::Poll() {
  const int32_t code = host_.poll == nullptr ? 0 : host_.poll(host_.caller);
  if (code == 0) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(code), "stopped by the caller of the kernel");
}

absl::StatusOr<std::shared_ptr<void>> CallContext::Allocate(int64_t bytes) {
  Arena& arena = current_ != nullptr ? *current_ : shared_;
  if (Aligned(bytes) + kCountBytes <= arena.size - arena.used) {
    const int64_t begin = arena.used;
    arena.used += Aligned(bytes);
    return std::shared_ptr<void>(
        arena.data + begin, [](void*) {}, CountAllocator<char>(&arena, begin));
  }
  void* data = std::aligned_alloc(64, static_cast<size_t>(Aligned(std::max<int64_t>(bytes, 1))));
  if (data == nullptr)
    return absl::ResourceExhaustedError(absl::StrCat(bytes, " bytes of working memory"));
  return std::shared_ptr<void>(data, std::free);
}

}  // namespace xla::kernels
