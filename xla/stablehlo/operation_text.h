// SPDX-License-Identifier: Apache-2.0
// Programs as text in the form that MLIR prints: the pretty forms of func and StableHLO.
#ifndef XLA_STABLEHLO_OPERATION_TEXT_H_
#define XLA_STABLEHLO_OPERATION_TEXT_H_

#include <string>

#include "xla/mlir/operation_printer.h"

namespace xla::stablehlo {

// The text of a module, with locations if these are asked for.
std::string PrettyText(const mlir::Operation& module, bool locations = false);

// The pretty forms that no format tells; false where the operation has only the generic form.
bool PrintFunction(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintConstant(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintSlice(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintDot(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintDotGeneral(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintConvolution(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintReducePrecision(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintWhile(mlir::OperationPrinter& printer, const mlir::Operation& operation);
bool PrintReduce(mlir::OperationPrinter& printer, const mlir::Operation& operation);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_OPERATION_TEXT_H_
