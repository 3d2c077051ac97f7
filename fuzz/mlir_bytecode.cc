// SPDX-License-Identifier: Apache-2.0
// MLIR bytecode from anyone: a program that prints, or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "xla/mlir/ir.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/vhlo.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source =
      xla::mlir::ReadBytecode(std::string(reinterpret_cast<const char*>(data), size), "input",
                              xla::stablehlo::AllDialects(), xla::stablehlo::BytecodeEncodings());
  if (!source.ok() || !xla::stablehlo::UpgradeVhlo(source->get()).ok()) return 0;
  // Entries are shared: a print may exceed the file by far.
  if (size < 4096) xla::mlir::ToString(*(*source)->module);
  return 0;
}
