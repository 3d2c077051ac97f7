// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_module_config.h"

#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/xla.pb.h"

namespace xla {

bool ShapeLayout::LayoutIsSet() const { return LayoutUtil::HasLayout(shape_); }

bool ShapeLayout::AnyLayoutIsSet() const { return LayoutUtil::HasAnyLayout(shape_); }

bool ShapeLayout::MatchesLayoutInShape(const Shape& shape) const {
  return Shape::Equal()(shape_, shape);
}

ComputationLayout::ComputationLayout(ProgramShape shape, bool ignore_layouts)
    : ProgramShape(std::move(shape)) {
  if (!ignore_layouts) return;
  for (int i = 0; i < parameters_size(); ++i) LayoutUtil::SetToDefaultLayout(mutable_parameters(i));
  LayoutUtil::SetToDefaultLayout(mutable_result());
}

bool ComputationLayout::LayoutIsSet() const {
  for (const Shape& parameter : parameters()) {
    if (!LayoutUtil::HasLayout(parameter)) return false;
  }
  return LayoutUtil::HasLayout(result());
}

bool ComputationLayout::AnyLayoutSet() const {
  for (const Shape& parameter : parameters()) {
    if (LayoutUtil::HasAnyLayout(parameter)) return true;
  }
  return LayoutUtil::HasAnyLayout(result());
}

void HloModuleConfig::set_debug_options(const DebugOptions& options) {
  requests_.debug_options = std::make_shared<const DebugOptions>(options);
}

const DebugOptions& HloModuleConfig::debug_options() const {
  return requests_.debug_options != nullptr ? *requests_.debug_options
                                            : DebugOptions::default_instance();
}

}  // namespace xla
