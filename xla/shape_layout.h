// SPDX-License-Identifier: Apache-2.0
// A shape whose layout is what matters.
#ifndef XLA_SHAPE_LAYOUT_H_
#define XLA_SHAPE_LAYOUT_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

// The shape of a parameter or result, with its layout. An object has a shape of its own or, if
// ComputationLayout::mutable_.. gave it, stands for one there; copies have their own.
class ShapeLayout {
 public:
  explicit ShapeLayout(Shape shape) : own_(std::move(shape)), shape_(&own_) {}
  ShapeLayout(const ShapeLayout& other) : ShapeLayout(other.shape()) {}
  ShapeLayout& operator=(const ShapeLayout& other) {
    if (this != &other) *shape_ = other.shape();
    return *this;
  }

  const Shape& shape() const { return *shape_; }
  // Precondition: the shape is an array with a layout.
  const Layout& layout() const { return shape_->layout(); }
  // Whether every array, or any, has a layout.
  bool LayoutIsSet() const;
  bool AnyLayoutIsSet() const;
  // Whether the other shape is the same, layout included.
  bool MatchesLayoutInShape(const Shape& shape) const;

  // Take layouts from, or give them to, a shape. InvalidArgument if the shapes are not compatible.
  absl::Status CopyLayoutFromShape(const Shape& other);
  absl::Status AssignLayoutToShape(Shape* to) const;
  // Of an array, or of one in a tuple. Precondition: the layout is valid for it.
  void ResetLayout(const Layout& layout);
  void ResetLayout(const Layout& layout, ShapeIndexView index);
  // Of all arrays.
  void SetToDefaultLayout();
  void Clear();

  std::string ToString() const { return shape_->ToString(/*print_layout=*/true); }
  bool operator==(const ShapeLayout& other) const { return shape() == other.shape(); }

 private:
  friend class ComputationLayout;
  explicit ShapeLayout(Shape* elsewhere) : shape_(elsewhere) {}

  Shape own_;
  Shape* shape_;
};

}  // namespace xla

#endif  // XLA_SHAPE_LAYOUT_H_
