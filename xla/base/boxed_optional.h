// SPDX-License-Identifier: Apache-2.0
// BoxedOptional<T>: an optional whose value is allocated on the heap, for large data that few
// objects have. An empty one is a null pointer. Copying copies the value.
#ifndef XLA_BASE_BOXED_OPTIONAL_H_
#define XLA_BASE_BOXED_OPTIONAL_H_

#include <memory>
#include <optional>
#include <utility>

namespace xla {

template <class T>
class BoxedOptional {
 public:
  BoxedOptional() = default;
  BoxedOptional(T value)
      : value_(std::make_unique<T>(std::move(value))) {}  // implicit, as for std::optional
  BoxedOptional(std::optional<T> value) {
    if (value.has_value()) emplace(*std::move(value));
  }
  BoxedOptional(const BoxedOptional& other) {
    if (other.has_value()) emplace(*other);
  }
  BoxedOptional(BoxedOptional&&) = default;
  BoxedOptional& operator=(BoxedOptional other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  template <class... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  friend bool operator==(const BoxedOptional& a, const BoxedOptional& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace xla

#endif  // XLA_BASE_BOXED_OPTIONAL_H_
