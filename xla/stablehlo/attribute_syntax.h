// SPDX-License-Identifier: Apache-2.0
// The attributes and types of StableHLO and CHLO in text. Structured ones become parameters, whose
// names are those of MLIR: #stablehlo.dot<lhs_batching_dimensions = [0], ..>; enumerations keep
// their keyword as text: #stablehlo<precision HIGH>.
#ifndef XLA_STABLEHLO_ATTRIBUTE_SYNTAX_H_
#define XLA_STABLEHLO_ATTRIBUTE_SYNTAX_H_

#include "xla/mlir/attribute_reader.h"

namespace xla::stablehlo {

mlir::AttributeRef ParseStableHloAttribute(mlir::AttributeReader& reader, std::string_view name,
                                           bool has_body);
mlir::TypeRef ParseStableHloType(mlir::AttributeReader& reader, std::string_view name,
                                 bool has_body);
// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] as #stablehlo.conv with parameters.
mlir::AttributeRef ParseConvolutionDimensions(mlir::AttributeReader& reader);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_ATTRIBUTE_SYNTAX_H_
