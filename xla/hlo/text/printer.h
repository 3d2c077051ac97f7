// SPDX-License-Identifier: Apache-2.0
// HloModule to HLO text, under the option sets XLA has.
#ifndef XLA_HLO_TEXT_PRINTER_H_
#define XLA_HLO_TEXT_PRINTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"  // IWYU pragma: export

namespace xla {

// Appends to *out; linear in the module's size. Modules must be acyclic (instructions and calls),
// else an error.
absl::Status PrintModule(const HloModule& module, const HloPrintOptions& options, std::string* out);
std::string ModuleToString(const HloModule& module, const HloPrintOptions& options = {});
void PrintComputation(const HloComputation& computation, const HloPrintOptions& options,
                      std::string* out);
void PrintInstruction(const HloInstruction& instruction, const HloPrintOptions& options,
                      std::string* out);
// "b01f_01io->b01f"; "0_1x2_3"; "{a="x",b="y"}".
std::string ConvDimsToString(const ConvDims& dims);
std::string PadDimsToString(const std::vector<PadDim>& dims);
std::string FrontendAttributesToString(const std::map<std::string, std::string>& attributes);
// ", dimensions={0}, ..." of the operation's own attributes.
void PrintAttributes(const HloInstruction& instruction, const HloPrintOptions& options,
                     std::string* out);

}  // namespace xla

#endif  // XLA_HLO_TEXT_PRINTER_H_
