// SPDX-License-Identifier: Apache-2.0
// Memory for the nodes of one MLIR source: allocated one after the other, freed together.
#ifndef XLA_MLIR_ARENA_H_
#define XLA_MLIR_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace xla::mlir {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* Allocate(size_t bytes, size_t alignment) {
    const size_t padding = (alignment - reinterpret_cast<uintptr_t>(next_) % alignment) % alignment;
    if (padding + bytes > left_) return AllocateBlock(bytes);
    void* result = next_ + padding;
    next_ += padding + bytes;
    left_ -= padding + bytes;
    return result;
  }

  // Destructors are not run.
  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }
  template <typename T>
  absl::Span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    // T may be a pointer. NOLINTNEXTLINE(bugprone-sizeof-expression)
    T* data = static_cast<T*>(Allocate(count * sizeof(T), alignof(T)));
    for (size_t i = 0; i < count; ++i) new (data + i) T();
    return absl::MakeSpan(data, count);
  }
  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    const size_t bytes = values.size() * sizeof(T);  // NOLINT(bugprone-sizeof-expression)
    T* data = static_cast<T*>(Allocate(bytes, alignof(T)));
    std::memcpy(static_cast<void*>(data), values.data(), bytes);
    return absl::MakeConstSpan(data, values.size());
  }
  template <typename T>
  absl::Span<const T> Copy(const std::vector<T>& values) {
    return Copy(absl::Span<const T>(values));
  }
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* data = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

  // Bytes taken from the system.
  size_t bytes() const { return bytes_; }

  // Frees what was allocated before `place`, which is in this arena, as far as whole blocks of it.
  void FreeBefore(const void* place) {
    if (is_kept_) return;
    const auto at = reinterpret_cast<uintptr_t>(place);
    size_t i = freed_;
    for (; i < blocks_.size(); ++i) {
      const auto begin = reinterpret_cast<uintptr_t>(blocks_[i].data.get());
      if (at >= begin && at < begin + blocks_[i].size) break;
    }
    if (i == blocks_.size()) return;
    for (; freed_ < i; ++freed_) blocks_[freed_].data.reset();
  }
  // From now on FreeBefore does nothing: something outside points into this arena.
  void Keep() { is_kept_ = true; }

 private:
  static constexpr size_t kFirstBlock = 512;
  static constexpr size_t kLargestBlock = size_t{1} << 20;

  // A large allocation has a block of its own, so that the rest of the current block stays in use.
  void* AllocateBlock(size_t bytes) {
    const size_t block =
        std::min(kLargestBlock, std::max(kFirstBlock, bytes_ / 4));  // grows with the use
    const size_t size = bytes > block / 4 ? bytes : block;
    blocks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
    bytes_ += size;
    char* data = blocks_.back().data.get();
    if (size != bytes) {
      next_ = data + bytes;
      left_ = size - bytes;
    }
    return data;
  }

  struct Block {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  std::vector<Block> blocks_;
  size_t freed_ = 0;  // how many of the blocks
  bool is_kept_ = false;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_ARENA_H_
