// SPDX-License-Identifier: Apache-2.0
// Dimension relations of windows that slide over an array.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {
namespace {

// Each window is one element, and there is one for each.
bool IsIdentity(const WindowDims& window, int64_t d) {
  if (window.empty()) return true;
  const WindowDim& dim = window[static_cast<size_t>(d)];
  return dim.size == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.padding_high == 0 &&
         dim.base_dilation == 1;
}

}  // namespace

// Windows are divided; their elements come from neighbors too.
Relations RelateReduceWindow(const RelationInput& in) {
  const auto& window = in.attributes<WindowAttributes>().window;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    DimensionFactor factor{.size = in.result().dimensions(static_cast<int>(d))};
    if (!IsIdentity(window, d)) {
      factor.kind = FactorKind::kPermutation;
      factor.is_blocked = in.is_conservative;
    }
    builder.AddEverywhere(d, factor);
  }
  return std::move(builder).Build();
}

Relations RelateSelectAndScatter(const RelationInput& in) {
  const auto& window = in.attributes<WindowAttributes>().window;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    const int64_t size = in.result().dimensions(static_cast<int>(d));
    if (IsIdentity(window, d)) {
      builder.AddEverywhere(d, {.size = size});
      continue;
    }
    builder.Add({kNoDim, d, kNoDim}, {kNoDim},
                {.size = in.operand(1).dimensions(static_cast<int>(d)),
                 .kind = FactorKind::kNeedReplication,
                 .is_blocked = in.is_conservative});
    builder.Add({d, kNoDim, kNoDim}, {d},
                {.size = size, .kind = FactorKind::kPermutation, .is_blocked = in.is_conservative});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
