// SPDX-License-Identifier: Apache-2.0
// MLIR text from anyone: what reads prints in the generic form, and that reads to the same program.
#include <cstddef>
#include <cstdint>
#include <string>

#include "xla/base/check.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = xla::mlir::ReadText(std::string(reinterpret_cast<const char*>(data), size),
                                          "input", xla::stablehlo::AllDialects());
  if (!source.ok()) return 0;
  const std::string printed = xla::mlir::ToString(*(*source)->module);
  const auto again = xla::mlir::ReadText(printed, "print", xla::stablehlo::AllDialects());
  XLA_CHECK(again.ok()) << again.status() << "\nin the print\n" << printed;
  XLA_CHECK(xla::mlir::ToString(*(*again)->module) == printed);
  return 0;
}
