// SPDX-License-Identifier: Apache-2.0
// The element types of XLA that types of MLIR stand for.
#ifndef XLA_MLIR_ELEMENT_TYPE_H_
#define XLA_MLIR_ELEMENT_TYPE_H_

#include "xla/mlir/types.h"
#include "xla/xla_data_enums.h"

namespace xla::mlir {

// Of an integer, float or complex type. index is S64. PRIMITIVE_TYPE_INVALID where there is none.
PrimitiveType PrimitiveTypeOf(const Type& type);

}  // namespace xla::mlir

#endif  // XLA_MLIR_ELEMENT_TYPE_H_
