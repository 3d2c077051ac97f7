// SPDX-License-Identifier: Apache-2.0
// ShapeTree<T>: a value for every node of a shape, tuples and leaves alike.
//
//   ShapeTree<int> sizes(shape, 0);
//   *sizes.mutable_element({1}) = 7;
#ifndef XLA_SHAPE_TREE_H_
#define XLA_SHAPE_TREE_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/base/check.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

template <typename T>
class ShapeTree {
 public:
  // Nodes in depth-first order, parents first.
  using Node = std::pair<ShapeIndex, T>;

  // The tree of the empty tuple.
  ShapeTree() : ShapeTree(ShapeUtil::MakeNil()) {}
  explicit ShapeTree(Shape shape) : ShapeTree(std::move(shape), T()) {}
  explicit ShapeTree(const Shape* shape) : ShapeTree(*shape) {}
  ShapeTree(Shape shape, const T& value) : shape_(std::move(shape)) {
    ShapeUtil::ForEachSubshape(
        shape_, [&](const Shape&, const ShapeIndex& index) { nodes_.emplace_back(index, value); });
  }

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
