// SPDX-License-Identifier: Apache-2.0
// How modules, computations and instructions are printed (xla/hlo/text/printer.h).
#ifndef XLA_HLO_IR_HLO_PRINT_OPTIONS_H_
#define XLA_HLO_IR_HLO_PRINT_OPTIONS_H_

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

  // Setters that chain, as XLA's.
  HloPrintOptions& set_print_large_constants(bool value) {
    print_large_constants = value;
    return *this;
  }
  HloPrintOptions& set_print_metadata(bool value) {
    print_metadata = value;
    return *this;
  }
  HloPrintOptions& set_print_metadata_only_op_name(bool value) {
    print_metadata_only_op_name = value;
    return *this;
  }
  HloPrintOptions& set_print_backend_config(bool value) {
    print_backend_config = value;
    return *this;
  }
  HloPrintOptions& set_print_operand_shape(bool value) {
    print_operand_shape = value;
    return *this;
  }
  HloPrintOptions& set_print_operand_index_annotation_interval_comments(bool value) {
    print_operand_index_annotation_interval_comments = value;
    return *this;
  }
  HloPrintOptions& set_print_operand_index_annotation_interval(int value) {
    return set_print_operand_index_annotation_interval_comments(value != 0);
  }
  HloPrintOptions& set_print_program_shape(bool value) {
    print_program_shape = value;
    return *this;
  }
  HloPrintOptions& set_print_percent(bool value) {
    print_percent = value;
    return *this;
  }
  HloPrintOptions& set_print_control_dependencies(bool value) {
    print_control_dependencies = value;
    return *this;
  }
  HloPrintOptions& set_print_result_shape(bool value) {
    print_result_shape = value;
    return *this;
  }
  HloPrintOptions& set_print_ids(bool value) {
    print_ids = value;
    return *this;
  }
  HloPrintOptions& set_print_extra_attributes(bool value) {
    print_extra_attributes = value;
    return *this;
  }
  HloPrintOptions& set_print_name_after_closing_brace(bool value) {
    print_name_after_closing_brace = value;
    return *this;
  }
  HloPrintOptions& set_canonicalize_instruction_names(bool value) {
    canonicalize_instruction_names = value;
    return *this;
  }
  HloPrintOptions& set_canonicalize_computations(bool value) {
    canonicalize_computations = value;
    return *this;
  }
  HloPrintOptions& set_syntax_sugar_async_ops(bool value) {
    syntax_sugar_async_ops = value;
    return *this;
  }
  HloPrintOptions& set_print_only_essential_constants(bool value) {
    print_only_essential_constants = value;
    return *this;
  }
  HloPrintOptions& set_include_layout_in_shapes(bool value) {
    include_layout_in_shapes = value;
    return *this;
  }
  HloPrintOptions& set_print_subcomputation_in_place(bool value) {
    print_subcomputation_in_place = value;
    return *this;
  }
  HloPrintOptions& set_print_stack_frames(bool value) {
    print_stack_frames = value;
    return *this;
  }
  HloPrintOptions& set_print_header(bool value) {
    print_header = value;
    return *this;
  }
  HloPrintOptions& set_indent_amount(int value) {
    indent_amount = value;
    return *this;
  }

  static HloPrintOptions Default() { return {}; }  // the long form
  static HloPrintOptions ShortParsable();
  static HloPrintOptions Canonical();
  static HloPrintOptions Fingerprint();
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_PRINT_OPTIONS_H_
