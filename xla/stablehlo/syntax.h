// SPDX-License-Identifier: Apache-2.0
// The text of the dialects that StableHLO programs use: func, stablehlo, chlo, mhlo, vhlo, sdy,
// check, interpreter, and what its tests need of arith, tensor and shape.
#ifndef XLA_STABLEHLO_SYNTAX_H_
#define XLA_STABLEHLO_SYNTAX_H_

#include "xla/mlir/source.h"

namespace xla::stablehlo {

// All of them, for mlir::ReadText.
const mlir::Dialects& AllDialects();

// One file each.
void AddFunc(mlir::Dialects* dialects);
void AddStableHlo(mlir::Dialects* dialects);
void AddChlo(mlir::Dialects* dialects);
void AddVhlo(mlir::Dialects* dialects);
void AddMhlo(mlir::Dialects* dialects);  // after StableHLO, most of whose operations it has too
void AddShardy(mlir::Dialects* dialects);
void AddOthers(mlir::Dialects* dialects);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SYNTAX_H_
