// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_TYPES_SPAN_H_
#define SHIM_ABSL_TYPES_SPAN_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename T>
class Span {
  template <typename C>
  using DataOf = decltype(std::declval<C&>().data());
  // Whether the elements of a container are of this type, or less const.
  template <typename C, typename = void>
  struct IsSource : std::false_type {};
  template <typename C>
  struct IsSource<C, std::void_t<DataOf<C>, decltype(std::declval<C&>().size())>>
      : std::is_convertible<DataOf<C>, T*> {};

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using iterator = T*;
  using const_iterator = const T*;
  using reference = T&;
  static constexpr size_t npos = ~size_t{0};

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t kSize>
  constexpr Span(T (&array)[kSize]) : data_(array), size_(kSize) {}
  template <typename C, std::enable_if_t<IsSource<C>::value && !std::is_same_v<C, Span>, int> = 0>
  constexpr Span(C& container) : data_(container.data()), size_(container.size()) {}
  template <typename C, std::enable_if_t<std::is_const_v<T> && IsSource<const C>::value &&
                                             !std::is_same_v<C, Span>,
                                         int> = 0>
  constexpr Span(const C& container) : data_(container.data()), size_(container.size()) {}
  template <typename U = T, std::enable_if_t<std::is_const_v<U>, int> = 0>
  constexpr Span(std::initializer_list<value_type> list) : Span(list.begin(), list.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t length() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr auto rbegin() const { return std::make_reverse_iterator(end()); }
  constexpr auto rend() const { return std::make_reverse_iterator(begin()); }
  constexpr void remove_prefix(size_t n) { *this = subspan(n); }
  constexpr Span subspan(size_t first, size_t count = npos) const {
    return Span(data_ + first, std::min(count, size_ - first));
  }
  constexpr Span first(size_t count) const { return Span(data_, count); }
  constexpr Span last(size_t count) const { return Span(data_ + size_ - count, count); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

template <typename T, typename U,
          std::enable_if_t<std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<U>>, int> = 0>
bool operator==(Span<T> a, Span<U> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <typename T>
constexpr Span<T> MakeSpan(T* data, size_t size) {
  return Span<T>(data, size);
}
template <typename C>
constexpr auto MakeSpan(C& container) {
  return Span<std::remove_reference_t<decltype(*container.data())>>(container.data(),
                                                                    container.size());
}
template <typename T>
constexpr Span<const T> MakeConstSpan(const T* data, size_t size) {
  return Span<const T>(data, size);
}
template <typename C>
constexpr auto MakeConstSpan(const C& container) {
  return MakeSpan(container);
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_TYPES_SPAN_H_
