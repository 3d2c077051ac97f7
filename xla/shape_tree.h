// SPDX-License-Identifier: Apache-2.0
// ShapeTree<T>: a value for every node of a shape, tuples and leaves alike.
//
//   ShapeTree<int> sizes(shape, 0);
//   *sizes.mutable_element({1}) = 7;
#ifndef XLA_SHAPE_TREE_H_
#define XLA_SHAPE_TREE_H_

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/check.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

template <typename T>
class ShapeTree {
 public:
  // Nodes in depth-first order, parents first.
  using Node = std::pair<ShapeIndex, T>;
  using iterator = typename std::vector<Node>::iterator;
  using const_iterator = typename std::vector<Node>::const_iterator;

  // Visits the leaves of a tree.
  template <typename Iterator>
  class LeafIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using reference = decltype(*std::declval<Iterator>());
    using pointer = decltype(&*std::declval<Iterator>());
    LeafIterator(const ShapeTree* tree, Iterator at, Iterator end)
        : tree_(tree), at_(at), end_(end) {
      Skip();
    }
    reference operator*() const { return *at_; }
    pointer operator->() const { return &*at_; }
    LeafIterator& operator++() {
      ++at_;
      Skip();
      return *this;
    }
    LeafIterator operator++(int) {
      LeafIterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const LeafIterator& other) const { return at_ == other.at_; }
    bool operator!=(const LeafIterator& other) const { return at_ != other.at_; }

   private:
    void Skip() {
      while (at_ != end_ && !tree_->IsLeaf(at_->first)) ++at_;
    }
    const ShapeTree* tree_;
    Iterator at_, end_;
  };

  // The tree of the empty tuple.
  ShapeTree() : ShapeTree(ShapeUtil::MakeNil()) {}
  explicit ShapeTree(Shape shape) : shape_(std::move(shape)) {
    ShapeUtil::ForEachSubshape(
        shape_, [&](const Shape&, const ShapeIndex& index) { nodes_.emplace_back(index, T()); });
  }
  explicit ShapeTree(const Shape* shape) : ShapeTree(*shape) {}
  ShapeTree(Shape shape, const T& value) : shape_(std::move(shape)) {
    ShapeUtil::ForEachSubshape(
        shape_, [&](const Shape&, const ShapeIndex& index) { nodes_.emplace_back(index, value); });
  }

  ShapeTree(const Shape* shape, const T& value) : ShapeTree(*shape, value) {}

  const Shape& shape() const { return shape_; }
  // Precondition: the shapes have the same structure.
  void replace_shape_ptr(const Shape& shape) {
    XLA_CHECK(ShapeUtil::EqualStructure(shape, shape_));
    shape_ = shape;
  }

  // Precondition: the index denotes a node of the shape.
  const T& element(ShapeIndexView index) const { return nodes_[Position(index)].second; }
  T* mutable_element(ShapeIndexView index) { return &nodes_[Position(index)].second; }

  bool IsLeaf(ShapeIndexView index) const { return ShapeUtil::IsLeafIndex(shape_, index); }

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  auto begin() { return nodes_.begin(); }
  auto end() { return nodes_.end(); }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  auto rbegin() { return nodes_.rbegin(); }
  auto rend() { return nodes_.rend(); }
  auto rbegin() const { return nodes_.rbegin(); }
  auto rend() const { return nodes_.rend(); }
  // The node of an index; end() if there is none.
  auto find(ShapeIndexView index) {
    return ShapeUtil::IndexIsValid(shape_, index) ? nodes_.begin() + Position(index) : nodes_.end();
  }
  auto find(ShapeIndexView index) const {
    return ShapeUtil::IndexIsValid(shape_, index) ? nodes_.begin() + Position(index) : nodes_.end();
  }

  // The nodes that are no tuples.
  int64_t leaf_count() const { return ShapeUtil::GetLeafCount(shape_); }
  using leaf_iterator = LeafIterator<typename std::vector<Node>::iterator>;
  using const_leaf_iterator = LeafIterator<typename std::vector<Node>::const_iterator>;
  leaf_iterator leaf_begin() { return {this, nodes_.begin(), nodes_.end()}; }
  leaf_iterator leaf_end() { return {this, nodes_.end(), nodes_.end()}; }
  const_leaf_iterator leaf_begin() const { return {this, nodes_.begin(), nodes_.end()}; }
  const_leaf_iterator leaf_end() const { return {this, nodes_.end(), nodes_.end()}; }
  auto leaf_rbegin() { return ReverseLeaves(this).begin(); }
  auto leaf_rend() { return ReverseLeaves(this).end(); }
  auto leaf_rbegin() const { return ReverseLeaves(this).begin(); }
  auto leaf_rend() const { return ReverseLeaves(this).end(); }
  template <typename Iterator>
  struct Range {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  Range<leaf_iterator> leaves() { return {leaf_begin(), leaf_end()}; }
  Range<const_leaf_iterator> leaves() const { return {leaf_begin(), leaf_end()}; }

  bool operator==(const ShapeTree& other) const { return nodes_ == other.nodes_; }
  bool operator!=(const ShapeTree& other) const { return !(*this == other); }

  // A tree of f(value) for every node.
  template <typename U>
  ShapeTree<U> Map(absl::FunctionRef<U(const T&)> f) const {
    ShapeTree<U> result(shape_);
    for (size_t i = 0; i < nodes_.size(); ++i) result.nodes()[i].second = f(nodes_[i].second);
    return result;
  }
  template <typename U>
  absl::StatusOr<ShapeTree<U>> MapWithStatus(
      absl::FunctionRef<absl::StatusOr<U>(const T&)> f) const {
    ShapeTree<U> result(shape_);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      absl::StatusOr<U> value = f(nodes_[i].second);
      if (!value.ok()) return value.status();
      result.nodes()[i].second = *std::move(value);
    }
    return result;
  }
  // The part at an index. InvalidArgument for an invalid one.
  absl::StatusOr<ShapeTree> SubShapeTree(const ShapeIndex& index) const {
    const absl::StatusOr<const Shape*> shape = ShapeUtil::TryGetSubshape(shape_, index);
    if (!shape.ok()) return shape.status();
    ShapeTree result(**shape);
    result.CopySubtreeFrom(*this, index, {});
    return result;
  }

  void ForEachElement(absl::FunctionRef<void(const ShapeIndex&, const T&)> f) const {
    for (const Node& node : nodes_) f(node.first, node.second);
  }
  void ForEachMutableElement(absl::FunctionRef<void(const ShapeIndex&, T*)> f) {
    for (Node& node : nodes_) f(node.first, &node.second);
  }
  absl::Status ForEachElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, const T&)> f) const {
    for (const Node& node : nodes_) {
      if (absl::Status status = f(node.first, node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ForEachMutableElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, T*)> f) {
    for (Node& node : nodes_) {
      if (absl::Status status = f(node.first, &node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  // Elements before their tuples, last first.
  void ForEachElementPostOrder(absl::FunctionRef<void(const ShapeIndex&, const T&)> f) const {
    for (auto node = rbegin(); node != rend(); ++node) f(node->first, node->second);
  }
  void ForEachMutableElementPostOrder(absl::FunctionRef<void(const ShapeIndex&, T*)> f) {
    for (auto node = rbegin(); node != rend(); ++node) f(node->first, &node->second);
  }

  // Copies a subtree; both must have the same structure there.
  void CopySubtreeFrom(const ShapeTree& other, ShapeIndexView from, ShapeIndexView to) {
    const size_t source = other.Position(from), destination = Position(to);
    const int64_t count = ShapeUtil::SubshapeCount(ShapeUtil::GetSubshape(other.shape_, from));
    XLA_CHECK(count == ShapeUtil::SubshapeCount(ShapeUtil::GetSubshape(shape_, to)));
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      nodes_[destination + i].second = other.nodes_[source + i].second;
    }
  }

 private:
  template <typename Tree>
  static auto ReverseLeaves(Tree* tree) {
    using Iterator = LeafIterator<decltype(tree->nodes().rbegin())>;
    return Range<Iterator>{{tree, tree->nodes().rbegin(), tree->nodes().rend()},
                           {tree, tree->nodes().rend(), tree->nodes().rend()}};
  }
  size_t Position(ShapeIndexView index) const {
    XLA_CHECK(ShapeUtil::IndexIsValid(shape_, index))
        << ShapeIndex(index) << " is not an index of " << shape_;
    size_t position = 0;
    const Shape* at = &shape_;
    for (const int64_t i : index) {
      ++position;
      for (int k = 0; k < i; ++k) {
        position += static_cast<size_t>(ShapeUtil::SubshapeCount(at->tuple_shapes(k)));
      }
      at = &at->tuple_shapes(static_cast<int>(i));
    }
    return position;
  }

  Shape shape_;
  std::vector<Node> nodes_;
};

}  // namespace xla

#endif  // XLA_SHAPE_TREE_H_
