// SPDX-License-Identifier: Apache-2.0
// The list that a call makes of what there is at that time: a vector, which stays as it is while
// the program changes. Unlike a vector's, iterators of two lists of the same elements can be used
// together, and one that was found outlives its list:
//
//   auto it = std::find_if(computation->instructions().begin(), computation->instructions().end(),
//                          HloPredicateIsOp<HloOpcode::kOutfeed>);
//   if (it != computation->instructions().end()) Use(*it);
#ifndef XLA_HLO_IR_SNAPSHOT_LIST_H_
#define XLA_HLO_IR_SNAPSHOT_LIST_H_

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace xla {

// T is a pointer.
template <typename T>
class SnapshotList : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  SnapshotList(std::vector<T> elements)  // NOLINT: a vector is a list
      : std::vector<T>(std::move(elements)) {}

  // Of a list that is about to be destroyed. Equal if as many elements are left.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator() = default;
    Iterator(const T* at, size_t left) : at_(at), left_(left) { Load(); }
    T operator*() const { return element_; }
    T operator->() const { return element_; }
    Iterator& operator++() {
      ++at_;
      --left_;
      Load();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }

   private:
    void Load() { element_ = left_ > 0 ? *at_ : T(); }

    const T* at_ = nullptr;
    size_t left_ = 0;
    T element_ = T();
  };

  auto begin() & { return std::vector<T>::begin(); }
  auto begin() const& { return std::vector<T>::begin(); }
  Iterator begin() && { return Iterator(this->data(), this->size()); }
  auto end() & { return std::vector<T>::end(); }
  auto end() const& { return std::vector<T>::end(); }
  Iterator end() && { return Iterator(this->data() + this->size(), 0); }
};

}  // namespace xla

#endif  // XLA_HLO_IR_SNAPSHOT_LIST_H_
