// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STATUS_STATUSOR_H_
#define SHIM_ABSL_STATUS_STATUSOR_H_

#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(const Status& status) : status_(status) {}
  StatusOr(Status&& status) : status_(std::move(status)) {}
  template <typename U = T, std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                 !std::is_same_v<std::decay_t<U>, StatusOr> &&
                                                 !std::is_same_v<std::decay_t<U>, Status>,
                                             int> = 0>
  StatusOr(U&& value) : value_(std::forward<U>(value)) {}
  template <typename U, std::enable_if_t<std::is_convertible_v<U&&, T>, int> = 0>
  StatusOr(StatusOr<U>&& other) : status_(other.status()) {
    if (other.ok()) value_.emplace(*std::move(other));
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STATUS_STATUSOR_H_
