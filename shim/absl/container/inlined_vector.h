// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_CONTAINER_INLINED_VECTOR_H_
#define SHIM_ABSL_CONTAINER_INLINED_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

// A vector whose first elements need no memory of their own.
template <typename T, size_t kInlined>
class InlinedVector {
  template <typename Iterator>
  using IfIterator =
      std::enable_if_t<std::is_base_of_v<std::input_iterator_tag, typename std::iterator_traits<
                                                                      Iterator>::iterator_category>,
                       int>;

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  InlinedVector() = default;
  explicit InlinedVector(size_t size) { resize(size); }
  InlinedVector(size_t size, const T& value) { assign(size, value); }
  InlinedVector(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  template <typename Iterator, IfIterator<Iterator> = 0>
  InlinedVector(Iterator begin, Iterator end) {
    assign(begin, end);
  }
  InlinedVector(const InlinedVector& other) { assign(other.begin(), other.end()); }
  InlinedVector(InlinedVector&& other) noexcept { Take(other); }
  InlinedVector& operator=(const InlinedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& other) noexcept {
    if (this == &other) return *this;
    Free();
    Take(other);
    return *this;
  }
  ~InlinedVector() { Free(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  const T* begin() const { return data_; }
  T* end() { return data_ + size_; }
  const T* end() const { return data_ + size_; }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }

  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* const data = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), data);
    const size_t size = size_;
    Free();
    data_ = data;
    size_ = size;
    capacity_ = capacity;
  }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      T value(std::forward<Args>(args)...);  // which may refer to an element
      reserve(2 * capacity_);
      return *::new (data_ + size_++) T(std::move(value));
    }
    return *::new (data_ + size_++) T(std::forward<Args>(args)...);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }
  void resize(size_t size) {
    reserve(size);
    while (size_ > size) pop_back();
    while (size_ < size) ::new (data_ + size_++) T();
  }
  void resize(size_t size, const T& value) {
    const T copy = value;
    reserve(size);
    while (size_ > size) pop_back();
    while (size_ < size) ::new (data_ + size_++) T(copy);
  }
  void assign(size_t size, const T& value) {
    const T copy = value;
    clear();
    resize(size, copy);
  }
  template <typename Iterator, IfIterator<Iterator> = 0>
  void assign(Iterator begin, Iterator end) {
    clear();
    for (; begin != end; ++begin) emplace_back(*begin);
  }
  T* insert(const T* place, T value) {
    const std::ptrdiff_t index = place - data_;
    emplace_back(std::move(value));
    std::rotate(data_ + index, end() - 1, end());
    return data_ + index;
  }
  template <typename Iterator, IfIterator<Iterator> = 0>
  T* insert(const T* place, Iterator from, Iterator to) {
    const std::ptrdiff_t index = place - data_;
    const auto before = static_cast<std::ptrdiff_t>(size_);
    for (; from != to; ++from) emplace_back(*from);
    std::rotate(data_ + index, data_ + before, end());
    return data_ + index;
  }
  T* erase(const T* place) { return erase(place, place + 1); }
  T* erase(const T* from, const T* to) {
    T* const first = data_ + (from - data_);
    T* const last = std::move(data_ + (to - data_), end(), first);
    while (end() > last) pop_back();
    return first;
  }

 private:
  void Free() {
    std::destroy(begin(), end());
    if (data_ != Inlined()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = Inlined();
    size_ = 0;
    capacity_ = kInlined;
  }
  // Takes the elements of another vector while this one is empty.
  void Take(InlinedVector& other) {
    if (other.data_ == other.Inlined()) {
      std::uninitialized_move(other.begin(), other.end(), data_);
      size_ = other.size_;
      other.clear();
    } else {
      data_ = std::exchange(other.data_, other.Inlined());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, kInlined);
    }
  }
  T* Inlined() { return reinterpret_cast<T*>(inlined_); }

  T* data_ = Inlined();
  size_t size_ = 0, capacity_ = kInlined;
  alignas(T) unsigned char inlined_[kInlined * sizeof(T)];
};

template <typename T, size_t kInlined>
bool operator==(const InlinedVector<T, kInlined>& a, const InlinedVector<T, kInlined>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_CONTAINER_INLINED_VECTOR_H_
