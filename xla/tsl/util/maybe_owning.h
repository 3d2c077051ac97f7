// SPDX-License-Identifier: Apache-2.0
// MaybeOwning<T>: a pointer that owns its object or borrows it.
#ifndef XLA_TSL_UTIL_MAYBE_OWNING_H_
#define XLA_TSL_UTIL_MAYBE_OWNING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

// As large as a pointer: the lowest bit says whether it owns, so that objects must lie at even
// addresses.
template <typename T>
class MaybeOwning final {
 public:
  MaybeOwning() = default;
  explicit MaybeOwning(std::unique_ptr<T> owned) : bits_(Bits(owned.release()) | kOwns) {}
  explicit MaybeOwning(const T* borrowed) : bits_(Bits(borrowed)) {}
  MaybeOwning(MaybeOwning&& other) noexcept : bits_(std::exchange(other.bits_, 0)) {}
  MaybeOwning& operator=(MaybeOwning&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  MaybeOwning& operator=(std::unique_ptr<T> owned) { return *this = MaybeOwning(std::move(owned)); }
  MaybeOwning& operator=(const T* borrowed) { return *this = MaybeOwning(borrowed); }
  ~MaybeOwning() {
    if (OwnsPtr()) delete get_mutable();
  }

  const T* get() const { return reinterpret_cast<const T*>(bits_ & ~kOwns); }
  T* get_mutable() { return reinterpret_cast<T*>(bits_ & ~kOwns); }
  const T* operator->() const { return get(); }
  const T& operator*() const { return *get(); }
  bool OwnsPtr() const { return (bits_ & kOwns) != 0; }
  // Copies an owned object; borrows a borrowed one again.
  MaybeOwning Clone() const {
    return get() != nullptr && OwnsPtr() ? MaybeOwning(std::make_unique<T>(*get()))
                                         : MaybeOwning(get());
  }

  friend bool operator==(const MaybeOwning& a, std::nullptr_t) { return a.get() == nullptr; }
  friend bool operator==(std::nullptr_t, const MaybeOwning& a) { return a.get() == nullptr; }
  friend bool operator!=(const MaybeOwning& a, std::nullptr_t) { return a.get() != nullptr; }

 private:
  static constexpr std::uintptr_t kOwns = 1;
  static std::uintptr_t Bits(const T* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
  std::uintptr_t bits_ = 0;
};

#endif  // XLA_TSL_UTIL_MAYBE_OWNING_H_
