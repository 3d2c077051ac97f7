// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value computed at its first use. Not thread-safe.
#ifndef XLA_LAZY_H_
#define XLA_LAZY_H_

#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"

namespace xla {

// The value keeps its address when a Lazy is moved.
template <typename T>
class Lazy {
 public:
  using Initializer = absl::AnyInvocable<T() &&>;

  explicit Lazy(Initializer initializer) : initializer_(std::move(initializer)) {}
  Lazy(Lazy&& other) noexcept : initialized_(other.initialized_) {
    if (initialized_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&initializer_, std::move(other.initializer_));
    }
  }
  Lazy& operator=(Lazy&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~Lazy() {
    if (initialized_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&initializer_);
    }
  }

  bool has_value() const { return initialized_; }
  const T& get() const {
    if (!initialized_) {
      auto value = std::make_unique<T>(std::move(initializer_)());
      std::destroy_at(&initializer_);
      std::construct_at(&value_, std::move(value));
      initialized_ = true;
    }
    return *value_;
  }

 private:
  union {
    mutable Initializer initializer_;
    mutable std::unique_ptr<T> value_;
  };
  mutable bool initialized_ = false;
};

}  // namespace xla

#endif  // XLA_LAZY_H_
