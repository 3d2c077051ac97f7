// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/lib/tuple.h"

#include <utility>
#include <vector>

#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {

absl::StatusOr<ShapeTree<XlaOp>> DisassembleTuple(XlaOp tuple) {
  XLA_ASSIGN_OR_RETURN(Shape shape, tuple.builder()->GetShape(tuple));
  ShapeTree<XlaOp> parts(std::move(shape), XlaOp());
  parts.ForEachMutableElement([&](const ShapeIndex& index, XlaOp* part) {
    if (index.empty()) {
      *part = tuple;
      return;
    }
    const ShapeIndexView whole = ShapeIndexView(index).first(index.size() - 1);
    *part = GetTupleElement(parts.element(whole), index.back());
  });
  return parts;
}

XlaOp AssembleTuple(XlaBuilder* builder, ShapeTree<XlaOp> elements) {
  elements.ForEachMutableElementPostOrder([&](const ShapeIndex& index, XlaOp* element) {
    const Shape& shape = ShapeUtil::GetSubshape(elements.shape(), index);
    if (!shape.IsTuple()) return;
    std::vector<XlaOp> children;
    ShapeIndex child = index;
    child.push_back(0);
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      child.back() = i;
      children.push_back(elements.element(child));
    }
    *element = Tuple(builder, children);
  });
  return elements.element({});
}

}  // namespace xla
