// SPDX-License-Identifier: Apache-2.0
// TupleTree<T>: a value for every node of nested tuples. As ShapeTree, but without a shape: the
// tree can be built from values and grow.
//
//   TupleTree<int> tree({1, 2});             // a tuple of two leaves
//   tree.CopySubtreeFrom(other, {}, {1, 0});  // leaf {1} becomes a tuple
#ifndef XLA_TUPLE_TREE_H_
#define XLA_TUPLE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/gtl/iterator_range.h"

namespace xla {

namespace internal {

// The nodes of a tree in depth-first order, parents first.
class TupleStructure {
 public:
  struct Node {
    int64_t subtree_size = 1;  // nodes, with this one
    int64_t children = -1;     // -1: a leaf
    bool operator==(const Node&) const = default;
  };

  TupleStructure() = default;
  explicit TupleStructure(const Shape& shape) { Add(shape); }

  size_t size() const { return nodes_.size(); }
  const Node& node(size_t position) const { return nodes_[position]; }
  bool IsLeaf(size_t position) const { return nodes_[position].children < 0; }
  // NotFound or InvalidArgument if no node has this index.
  absl::StatusOr<size_t> Find(ShapeIndexView index) const {
    size_t position = 0;
    for (const int64_t i : index) {
      if (i < 0) return absl::InvalidArgumentError("Negative index in ShapeIndex");
      if (IsLeaf(position)) return absl::InvalidArgumentError("Cannot index into a leaf node");
      if (i >= nodes_[position].children) return absl::NotFoundError("Index out of bounds");
      ++position;
      for (int64_t k = 0; k < i; ++k) {
        position += static_cast<size_t>(nodes_[position].subtree_size);
      }
    }
    return position;
  }
  // Adds the node that follows those that were added before; End gives it its children.
  size_t Begin() {
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }
  void End(size_t position, int64_t children) {
    nodes_[position] = {static_cast<int64_t>(nodes_.size() - position), children};
  }
  TupleStructure Subtree(size_t position) const {
    TupleStructure part;
    part.nodes_.assign(nodes_.begin() + position,
                       nodes_.begin() + position + nodes_[position].subtree_size);
    return part;
  }
  bool operator==(const TupleStructure&) const = default;

 private:
  void Add(const Shape& shape) {
    const size_t position = Begin();
    if (!shape.IsTuple()) return;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) Add(shape.tuple_shapes(i));
    End(position, shape.tuple_shapes_size());
  }

  std::vector<Node> nodes_;
};

}  // namespace internal

template <typename T>
class TupleTree {
 public:
  // A tree to construct a TupleTree from: a leaf, or a tuple with a value of its own.
  class Node {
   public:
    static Node Leaf(const T& value) { return Node(value, std::nullopt); }
    static Node Leaf(T&& value) { return Node(std::move(value), std::nullopt); }
    static Node Tuple() { return Node(T(), std::vector<Node>()); }
    static Node Tuple(const T& value) { return Node(value, std::vector<Node>()); }
    static Node Tuple(T&& value) { return Node(std::move(value), std::vector<Node>()); }
    static Node Tuple(absl::Span<const Node> children) {
      return Node(T(), std::vector<Node>(children.begin(), children.end()));
    }
    static Node Tuple(const T& value, absl::Span<const Node> children) {
      return Node(value, std::vector<Node>(children.begin(), children.end()));
    }
    static Node Tuple(T&& value, absl::Span<const Node> children) {
      return Node(std::move(value), std::vector<Node>(children.begin(), children.end()));
    }
    // The empty tuple.
    Node() : children_(std::vector<Node>()) {}

    bool IsLeaf() const { return !children_.has_value(); }
    const T& value() const { return value_; }
    T* mutable_value() { return &value_; }
    // Precondition: not a leaf.
    const std::vector<Node>& children() const {
      XLA_CHECK(children_.has_value());
      return *children_;
    }
    std::vector<Node>* mutable_children() {
      XLA_CHECK(children_.has_value());
      return &*children_;
    }
    bool operator==(const Node& other) const {
      return value_ == other.value_ && children_ == other.children_;
    }
    bool operator!=(const Node& other) const { return !(*this == other); }

   private:
    Node(T value, std::optional<std::vector<Node>> children)
        : value_(std::move(value)), children_(std::move(children)) {}
    T value_{};
    std::optional<std::vector<Node>> children_;
  };

  using NodePair = std::pair<ShapeIndex, T>;
  using NodePairs = absl::InlinedVector<NodePair, 1>;
  using iterator = typename NodePairs::iterator;
  using const_iterator = typename NodePairs::const_iterator;
  using reverse_iterator = typename NodePairs::reverse_iterator;
  using const_reverse_iterator = typename NodePairs::const_reverse_iterator;

  // Visits the leaves of a tree.
  template <typename Pair>
  class LeafIterator {
    using Tree = std::conditional_t<std::is_const_v<Pair>, const TupleTree, TupleTree>;

   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = std::remove_const_t<Pair>;
    using difference_type = std::ptrdiff_t;
    using pointer = Pair*;
    using reference = Pair&;

    LeafIterator() = default;
    LeafIterator(Tree* tree, size_t position) : tree_(tree), position_(position) { Skip(); }
    Pair& operator*() const { return tree_->nodes_[position_]; }
    Pair* operator->() const { return &tree_->nodes_[position_]; }
    LeafIterator& operator++() {
      ++position_;
      Skip();
      return *this;
    }
    LeafIterator operator++(int) {
      LeafIterator old = *this;
      ++*this;
      return old;
    }
    LeafIterator& operator--() {
      do {
        --position_;
      } while (position_ > 0 && !tree_->structure_.IsLeaf(position_));
      return *this;
    }
    LeafIterator operator--(int) {
      LeafIterator old = *this;
      --*this;
      return old;
    }
    bool operator==(const LeafIterator& other) const { return position_ == other.position_; }
    bool operator!=(const LeafIterator& other) const { return position_ != other.position_; }

   private:
    void Skip() {
      while (position_ < tree_->nodes_.size() && !tree_->structure_.IsLeaf(position_)) ++position_;
    }
    Tree* tree_ = nullptr;
    size_t position_ = 0;
  };
  using leaf_iterator = LeafIterator<NodePair>;
  using const_leaf_iterator = LeafIterator<const NodePair>;
  using reverse_leaf_iterator = std::reverse_iterator<leaf_iterator>;
  using const_reverse_leaf_iterator = std::reverse_iterator<const_leaf_iterator>;

  // The empty tuple; one leaf; a tuple of leaves; a tuple; a tree.
  TupleTree() { Assign(Node::Tuple()); }
  explicit TupleTree(const T& leaf_value) { Assign(Node::Leaf(leaf_value)); }
  explicit TupleTree(T&& leaf_value) { Assign(Node::Leaf(std::move(leaf_value))); }
  TupleTree(std::initializer_list<T> leaves) {
    std::vector<Node> children;
    for (const T& leaf : leaves) children.push_back(Node::Leaf(leaf));
    Assign(Node::Tuple(children));
  }
  TupleTree(std::initializer_list<Node> children) { Assign(Node::Tuple(children)); }
  explicit TupleTree(Node&& root) { Assign(std::move(root)); }
  // Leaves with their indices. Nodes that none of them gives a value are made from the arguments.
  template <typename U, typename... Args>
  explicit TupleTree(absl::Span<U> leaves, Args&&... args) {
    static_assert(std::is_same_v<std::remove_const_t<U>, NodePair>);
    Node root = Node::Tuple(T(args...));
    for (auto& [index, value] : leaves) {
      *NodeAt(&root, index, /*keep_leaf=*/false, args...) =
          Node::Leaf(std::forward<decltype(value)>(value));
    }
    Assign(std::move(root));
  }
  // The nodes of a shape, each made from the arguments.
  template <typename... Args>
  explicit TupleTree(const Shape& shape, Args&&... args) : structure_(shape) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape&, const ShapeIndex& index) {
      nodes_.emplace_back(index, T(args...));
    });
  }

  // Precondition: the index denotes a node.
  const T& element(ShapeIndexView index) const { return nodes_[Position(index)].second; }
  T* mutable_element(ShapeIndexView index) { return &nodes_[Position(index)].second; }
  // False for an invalid index and for tuples, also empty ones.
  bool IsLeaf(ShapeIndexView index) const {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    return position.ok() && structure_.IsLeaf(*position);
  }
  bool IsStructurallyCompatible(const Shape& shape) const {
    return structure_ == internal::TupleStructure(shape);
  }
  bool IsTuple() const { return nodes_.size() > 1; }

  // Copies values; the two subtrees must have the same structure.
  absl::Status CopyCompatibleSubtreeFrom(const TupleTree& other, const ShapeIndex& src_index,
                                         const ShapeIndex& dst_index) {
    const absl::StatusOr<size_t> from = other.structure_.Find(src_index);
    if (!from.ok()) return from.status();
    const absl::StatusOr<size_t> to = structure_.Find(dst_index);
    if (!to.ok()) return to.status();
    const int64_t count = structure_.node(*to).subtree_size;
    for (int64_t i = 0; i < count; ++i) {
      if (i >= other.structure_.node(*from).subtree_size ||
          !(structure_.node(*to + i) == other.structure_.node(*from + i))) {
        return absl::InvalidArgumentError(
            "Subtree structures are incompatible: different number of children");
      }
    }
    for (int64_t i = 0; i < count; ++i) nodes_[*to + i].second = other.nodes_[*from + i].second;
    return absl::OkStatus();
  }
  // Puts a copy of a subtree at dst_index, whatever is there; missing nodes are made. A leaf on the
  // way becomes a tuple with that leaf as its first element.
  void CopySubtreeFrom(const TupleTree& other, const ShapeIndex& src_index,
                       const ShapeIndex& dst_index) {
    absl::StatusOr<Node> subtree = other.ToNode(src_index);
    XLA_CHECK(subtree.ok()) << subtree.status().message();
    if (dst_index.empty()) return Assign(*std::move(subtree));
    Node root = *ToNode();
    *NodeAt(&root, dst_index, /*keep_leaf=*/true) = *std::move(subtree);
    Assign(std::move(root));
  }
  absl::StatusOr<TupleTree> Subtree(const ShapeIndex& index) const {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    if (!position.ok()) return position.status();
    NodePairs nodes;
    for (int64_t i = 0; i < structure_.node(*position).subtree_size; ++i) {
      const NodePair& node = nodes_[*position + i];
      nodes.emplace_back(ShapeIndex(node.first.begin() + index.size(), node.first.end()),
                         node.second);
    }
    return TupleTree(structure_.Subtree(*position), std::move(nodes));
  }
  absl::StatusOr<Node> ToNode(ShapeIndexView index = {}) const {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    if (!position.ok()) return position.status();
    return NodeOf(*position);
  }

  // All nodes, parents first.
  iterator begin() { return nodes_.begin(); }
  iterator end() { return nodes_.end(); }
  const_iterator begin() const { return nodes_.begin(); }
  const_iterator end() const { return nodes_.end(); }
  reverse_iterator rbegin() { return nodes_.rbegin(); }
  reverse_iterator rend() { return nodes_.rend(); }
  const_reverse_iterator rbegin() const { return nodes_.rbegin(); }
  const_reverse_iterator rend() const { return nodes_.rend(); }
  tsl::gtl::iterator_range<iterator> nodes() { return {begin(), end()}; }
  tsl::gtl::iterator_range<const_iterator> nodes() const { return {begin(), end()}; }
  // The node of an index; end() if there is none.
  iterator find(ShapeIndexView index) {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    return position.ok() ? nodes_.begin() + *position : nodes_.end();
  }
  const_iterator find(ShapeIndexView index) const {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    return position.ok() ? nodes_.begin() + *position : nodes_.end();
  }

  leaf_iterator leaf_begin() { return {this, 0}; }
  leaf_iterator leaf_end() { return {this, nodes_.size()}; }
  const_leaf_iterator leaf_begin() const { return {this, 0}; }
  const_leaf_iterator leaf_end() const { return {this, nodes_.size()}; }
  tsl::gtl::iterator_range<leaf_iterator> leaves() { return {leaf_begin(), leaf_end()}; }
  tsl::gtl::iterator_range<const_leaf_iterator> leaves() const {
    return {leaf_begin(), leaf_end()};
  }
  reverse_leaf_iterator leaf_rbegin() { return reverse_leaf_iterator(leaf_end()); }
  reverse_leaf_iterator leaf_rend() { return reverse_leaf_iterator(leaf_begin()); }
  const_reverse_leaf_iterator leaf_rbegin() const {
    return const_reverse_leaf_iterator(leaf_end());
  }
  const_reverse_leaf_iterator leaf_rend() const {
    return const_reverse_leaf_iterator(leaf_begin());
  }
  size_t num_leaves() const { return std::distance(leaf_begin(), leaf_end()); }

  void ForEachElement(absl::FunctionRef<void(const ShapeIndex&, const T&)> f) const {
    for (const NodePair& node : nodes_) f(node.first, node.second);
  }
  void ForEachMutableElement(absl::FunctionRef<void(const ShapeIndex&, T*)> f) {
    for (NodePair& node : nodes_) f(node.first, &node.second);
  }
  absl::Status ForEachElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, const T&)> f) const {
    for (const NodePair& node : nodes_) {
      if (absl::Status status = f(node.first, node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status ForEachMutableElementWithStatus(
      absl::FunctionRef<absl::Status(const ShapeIndex&, T*)> f) {
    for (NodePair& node : nodes_) {
      if (absl::Status status = f(node.first, &node.second); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  // A tree of f(value) for every node.
  template <typename U>
  TupleTree<U> Map(absl::FunctionRef<U(const T&)> f) const {
    typename TupleTree<U>::NodePairs nodes;
    for (const NodePair& node : nodes_) nodes.emplace_back(node.first, f(node.second));
    return TupleTree<U>(structure_, std::move(nodes));
  }
  template <typename U>
  absl::StatusOr<TupleTree<U>> MapWithStatus(
      absl::FunctionRef<absl::StatusOr<U>(const T&)> f) const {
    typename TupleTree<U>::NodePairs nodes;
    for (const NodePair& node : nodes_) {
      absl::StatusOr<U> value = f(node.second);
      if (!value.ok()) return value.status();
      nodes.emplace_back(node.first, *std::move(value));
    }
    return TupleTree<U>(structure_, std::move(nodes));
  }

  bool operator==(const TupleTree& other) const { return nodes_ == other.nodes_; }
  bool operator!=(const TupleTree& other) const { return !(*this == other); }

 private:
  template <typename U>
  friend class TupleTree;

  TupleTree(internal::TupleStructure structure, NodePairs nodes)
      : nodes_(std::move(nodes)), structure_(std::move(structure)) {}

  void Assign(Node root) {
    nodes_.clear();
    structure_ = internal::TupleStructure();
    ShapeIndex index;
    Append(std::move(root), &index);
  }
  void Append(Node node, ShapeIndex* index) {
    const size_t position = structure_.Begin();
    nodes_.emplace_back(*index, std::move(*node.mutable_value()));
    if (node.IsLeaf()) return;
    std::vector<Node>& children = *node.mutable_children();
    for (size_t i = 0; i < children.size(); ++i) {
      index->push_back(static_cast<int64_t>(i));
      Append(std::move(children[i]), index);
      index->pop_back();
    }
    structure_.End(position, static_cast<int64_t>(children.size()));
  }
  // The node of the index, made with all on the way if it is missing.
  template <typename... Args>
  static Node* NodeAt(Node* node, const ShapeIndex& index, bool keep_leaf, const Args&... args) {
    for (const int64_t i : index) {
      XLA_CHECK(i >= 0) << "Negative index in ShapeIndex";
      if (node->IsLeaf()) {
        Node leaf = std::exchange(*node, Node::Tuple(T(args...)));
        if (keep_leaf) node->mutable_children()->push_back(std::move(leaf));
      }
      std::vector<Node>& children = *node->mutable_children();
      while (children.size() <= static_cast<size_t>(i)) children.push_back(Node::Tuple(T(args...)));
      node = &children[static_cast<size_t>(i)];
    }
    return node;
  }
  Node NodeOf(size_t position) const {
    const T& value = nodes_[position].second;
    if (structure_.IsLeaf(position)) return Node::Leaf(value);
    std::vector<Node> children;
    size_t child = position + 1;
    for (int64_t i = 0; i < structure_.node(position).children; ++i) {
      children.push_back(NodeOf(child));
      child += static_cast<size_t>(structure_.node(child).subtree_size);
    }
    return Node::Tuple(value, children);
  }
  size_t Position(ShapeIndexView index) const {
    const absl::StatusOr<size_t> position = structure_.Find(index);
    XLA_CHECK(position.ok()) << position.status().message();
    return *position;
  }

  NodePairs nodes_;
  internal::TupleStructure structure_;
};

}  // namespace xla

#endif  // XLA_TUPLE_TREE_H_
