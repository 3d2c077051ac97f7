// SPDX-License-Identifier: Apache-2.0
#include "xla/shape_layout.h"

#include "xla/base/check.h"
#include "xla/layout_util.h"

namespace xla {

bool ShapeLayout::LayoutIsSet() const { return LayoutUtil::HasLayout(*shape_); }

bool ShapeLayout::AnyLayoutIsSet() const { return LayoutUtil::HasAnyLayout(*shape_); }

bool ShapeLayout::MatchesLayoutInShape(const Shape& shape) const {
  return Shape::Equal()(*shape_, shape);
}

absl::Status ShapeLayout::CopyLayoutFromShape(const Shape& other) {
  return LayoutUtil::CopyLayoutBetweenShapes(other, shape_);
}

absl::Status ShapeLayout::AssignLayoutToShape(Shape* to) const {
  return LayoutUtil::CopyLayoutBetweenShapes(*shape_, to);
}

void ShapeLayout::ResetLayout(const Layout& layout) { ResetLayout(layout, {}); }

void ShapeLayout::ResetLayout(const Layout& layout, ShapeIndexView index) {
  Shape* const array = ShapeUtil::GetMutableSubshape(shape_, index);
  *array->mutable_layout() = layout;
  XLA_CHECK_OK(ShapeUtil::ValidateShape(*array));
}

void ShapeLayout::SetToDefaultLayout() { LayoutUtil::SetToDefaultLayout(shape_); }

void ShapeLayout::Clear() { LayoutUtil::ClearLayout(shape_); }

}  // namespace xla
