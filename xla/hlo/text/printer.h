// SPDX-License-Identifier: Apache-2.0
// HloModule to HLO text, under the option sets XLA has.
#ifndef XLA_HLO_TEXT_PRINTER_H_
#define XLA_HLO_TEXT_PRINTER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Names and meaning are those of XLA's HloPrintOptions.
struct HloPrintOptions {
  bool print_large_constants = false;  // more than 10 elements: {...}
  bool print_metadata = true;
  bool print_metadata_only_op_name = false;
  bool print_backend_config = true;
  bool print_operand_shape = false;
  bool print_operand_index_annotation_interval_comments = true;  // /*index=5*/
  bool print_program_shape = true;                               // signatures of computations
  bool print_percent = true;
  bool print_control_dependencies = true;
  bool print_result_shape = true;
  bool print_ids = true;  // names; false in fingerprints
  bool print_extra_attributes = true;
  bool print_name_after_closing_brace = false;
  bool canonicalize_instruction_names = false;  // tmp_0, tmp_1, ...
  bool canonicalize_computations = false;
  bool syntax_sugar_async_ops = true;
  bool print_only_essential_constants = false;
  bool include_layout_in_shapes = true;
  bool print_subcomputation_in_place =
      false;  // to_apply=\n{ ... } with every called computation written out
  bool print_stack_frames = true;
  bool print_header = true;
  int indent_amount = 0;

  static HloPrintOptions Default() { return {}; }  // the long form
  static HloPrintOptions ShortParsable();
  static HloPrintOptions Canonical();
  static HloPrintOptions Fingerprint();
};

// Appends to *out; linear in the module's size. Modules must be acyclic (instructions and calls),
// else an error.
absl::Status PrintModule(const HloModule& module, const HloPrintOptions& options, std::string* out);
std::string ModuleToString(const HloModule& module, const HloPrintOptions& options = {});
void PrintComputation(const HloComputation& computation, const HloPrintOptions& options,
                      std::string* out);
void PrintInstruction(const HloInstruction& instruction, const HloPrintOptions& options,
                      std::string* out);
// ", dimensions={0}, ..." of the operation's own attributes.
void PrintAttributes(const HloInstruction& instruction, const HloPrintOptions& options,
                     std::string* out);

}  // namespace xla

#endif  // XLA_HLO_TEXT_PRINTER_H_
