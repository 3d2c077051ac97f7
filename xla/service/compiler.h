// SPDX-License-Identifier: Apache-2.0
// What makes the programs of a backend ready, under XLA's name. Programs are compiled by
// LocalClient::Compile; this answers questions about how devices keep values.
#ifndef XLA_SERVICE_COMPILER_H_
#define XLA_SERVICE_COMPILER_H_

#include <cstdint>
#include <functional>

#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

class Compiler {
 public:
  // The shape, with layout, in which devices keep an array: as it is given.
  Shape DefaultDeviceShapeRepresentation(const Shape& shape) const { return shape; }

  // Bytes that a value takes. Tuples take a pointer for each element.
  using ShapeSizeFunction = std::function<int64_t(const Shape&)>;
  ShapeSizeFunction ShapeSizeBytesFunction() const {
    return [](const Shape& shape) { return ShapeUtil::ByteSizeOf(shape, sizeof(void*)); };
  }
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILER_H_
