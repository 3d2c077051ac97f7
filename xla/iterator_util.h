// SPDX-License-Identifier: Apache-2.0
// Views of containers: raw pointers of smart pointers, filtered elements, elements with positions.
#ifndef XLA_ITERATOR_UTIL_H_
#define XLA_ITERATOR_UTIL_H_

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "xla/tsl/lib/gtl/iterator_range.h"

namespace xla {

// Iterates over smart pointers and yields the raw ones. An input iterator.
template <typename NestedIter>
class UnwrappingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(std::declval<NestedIter>()->get());
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type&;

  explicit UnwrappingIterator(NestedIter at) : at_(std::move(at)) {}

  value_type operator*() const { return at_->get(); }
  UnwrappingIterator& operator++() {
    ++at_;
    return *this;
  }
  UnwrappingIterator operator++(int) {
    UnwrappingIterator old = *this;
    ++at_;
    return old;
  }
  friend bool operator==(const UnwrappingIterator& a, const UnwrappingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const UnwrappingIterator& a, const UnwrappingIterator& b) {
    return !(a == b);
  }
  NestedIter underlying_iterator() const { return at_; }

 private:
  NestedIter at_;
};

template <typename NestedIter>
UnwrappingIterator<NestedIter> MakeUnwrappingIterator(NestedIter at) {
  return UnwrappingIterator<NestedIter>(std::move(at));
}

// Iterates over the elements that satisfy the predicate. An input iterator.
template <typename NestedIter, typename UnaryPredicate>
class FilteringIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(*std::declval<NestedIter>());
  using difference_type = std::ptrdiff_t;
  using pointer = std::remove_reference_t<value_type>*;
  using reference = std::remove_reference_t<value_type>&;

  FilteringIterator(NestedIter at, NestedIter end, UnaryPredicate predicate)
      : at_(std::move(at)), end_(std::move(end)), predicate_(std::move(predicate)) {
    Skip();
  }

  value_type operator*() const { return *at_; }
  FilteringIterator& operator++() {
    ++at_;
    Skip();
    return *this;
  }
  FilteringIterator operator++(int) {
    FilteringIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const FilteringIterator& a, const FilteringIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const FilteringIterator& a, const FilteringIterator& b) {
    return !(a == b);
  }
  NestedIter underlying_iterator() const { return at_; }

 private:
  void Skip() {
    while (at_ != end_ && !predicate_(*at_)) ++at_;
  }
  NestedIter at_, end_;
  UnaryPredicate predicate_;
};

template <typename NestedIter, typename UnaryPredicate>
using FilteringUnwrappingIterator =
    FilteringIterator<UnwrappingIterator<NestedIter>, UnaryPredicate>;

template <typename NestedIter, typename UnaryPredicate>
FilteringUnwrappingIterator<NestedIter, UnaryPredicate> MakeFilteringUnwrappingIterator(
    NestedIter at, NestedIter end, UnaryPredicate predicate) {
  return {MakeUnwrappingIterator(std::move(at)), MakeUnwrappingIterator(std::move(end)),
          std::move(predicate)};
}

template <typename NestedIter, typename UnaryPredicate>
tsl::gtl::iterator_range<FilteringUnwrappingIterator<NestedIter, UnaryPredicate>>
MakeFilteringUnwrappingIteratorRange(NestedIter begin, NestedIter end, UnaryPredicate predicate) {
  return {MakeFilteringUnwrappingIterator(begin, end, predicate),
          MakeFilteringUnwrappingIterator(end, end, predicate)};
}

// Yields (position, element). Refers to a named container, keeps a temporary one.
//   for (const auto& [i, name] : WithIndex(names)) ...
template <typename T, typename Storage>
class WithIndex {
  using Nested = decltype(std::declval<const T&>().begin());
  using Element = decltype(*std::declval<Nested>());
  static_assert(std::is_reference_v<Element>);

 public:
  explicit WithIndex(T&& container) : container_(std::move(container)) {}
  explicit WithIndex(const T& container) : container_(container) {}

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::pair<size_t, Element>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = value_type;

    iterator& operator++() {
      ++index_;
      ++at_;
      return *this;
    }
    value_type operator*() const { return {index_, *at_}; }
    bool operator==(const iterator& other) const { return at_ == other.at_; }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    friend class WithIndex;
    explicit iterator(Nested at) : at_(at) {}
    size_t index_ = 0;
    Nested at_;
  };

  iterator begin() const { return iterator(container_.begin()); }
  iterator end() const { return iterator(container_.end()); }

 private:
  Storage container_;
};

template <typename T>
WithIndex(const T&) -> WithIndex<T, const T&>;
template <typename T>
WithIndex(T&) -> WithIndex<T, const T&>;
template <typename T>
WithIndex(T&&) -> WithIndex<T, T>;

}  // namespace xla

#endif  // XLA_ITERATOR_UTIL_H_
