// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/computation_layout.h"

#include "xla/layout_util.h"

namespace xla {

ComputationLayout::ComputationLayout(ProgramShape shape, bool ignore_layouts)
    : ProgramShape(std::move(shape)) {
  if (ignore_layouts) SetToDefaultLayout();
}

std::vector<ShapeLayout> ComputationLayout::parameter_layouts() const {
  std::vector<ShapeLayout> layouts;
  for (const Shape& parameter : parameters()) layouts.emplace_back(parameter);
  return layouts;
}

void ComputationLayout::SetToDefaultLayout() { LayoutUtil::SetToDefaultLayout(this); }

bool ComputationLayout::LayoutIsSet() const { return LayoutUtil::HasLayout(*this); }

bool ComputationLayout::AnyLayoutSet() const {
  for (const Shape& parameter : parameters()) {
    if (LayoutUtil::HasAnyLayout(parameter)) return true;
  }
  return LayoutUtil::HasAnyLayout(result());
}

}  // namespace xla
