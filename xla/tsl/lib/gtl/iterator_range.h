// SPDX-License-Identifier: Apache-2.0
// A pair of iterators as a range for loops.
#ifndef XLA_TSL_LIB_GTL_ITERATOR_RANGE_H_
#define XLA_TSL_LIB_GTL_ITERATOR_RANGE_H_

#include <utility>

namespace tsl {
namespace gtl {

template <typename Iterator>
class iterator_range {
 public:
  using value_type = decltype(*std::declval<Iterator>());
  using iterator = Iterator;
  using const_iterator = Iterator;

  iterator_range() = default;
  iterator_range(Iterator begin, Iterator end) : begin_(std::move(begin)), end_(std::move(end)) {}

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }

 private:
  Iterator begin_, end_;
};

template <typename Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return iterator_range<Iterator>(std::move(begin), std::move(end));
}

}  // namespace gtl
}  // namespace tsl

#endif  // XLA_TSL_LIB_GTL_ITERATOR_RANGE_H_
