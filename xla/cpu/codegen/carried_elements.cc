// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/carried_elements.h"

#include <algorithm>
#include <cstddef>

namespace xla::cpu {

Ir::Carried ToCarried(absl::Span<const Element> elements) {
  Ir::Carried carried;
  for (const Element& element : elements) {
    carried.push_back(element.re);
    if (element.im != nullptr) carried.push_back(element.im);
  }
  return carried;
}

std::vector<Element> FromCarried(const Ir::Carried& carried, absl::Span<const Element> like) {
  std::vector<Element> elements;
  size_t next = 0;
  for (const Element& element : like) {
    Element result = {carried[next++]};
    if (element.im != nullptr) result.im = carried[next++];
    elements.push_back(result);
  }
  return elements;
}

bool HasLanes(absl::Span<const IndexTerm> index) {
  return std::any_of(index.begin(), index.end(),
                     [](const IndexTerm& t) { return !t.is_uniform(); });
}

Element HalfOf(Ir& ir, const Element& element, bool second) {
  const int half = ir.Lanes(element.re) / 2;
  const auto part = [&](IrValue value) -> IrValue {
    if (value == nullptr) return nullptr;
    if (half == 1) return ir.Extract(value, second ? 1 : 0);
    std::vector<int> lanes;
    for (int i = 0; i < half; ++i) lanes.push_back(i + (second ? half : 0));
    return ir.Shuffle(value, value, lanes);
  };
  return {part(element.re), part(element.im)};
}

}  // namespace xla::cpu
