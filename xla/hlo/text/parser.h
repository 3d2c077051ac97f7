// SPDX-License-Identifier: Apache-2.0
// HLO text to HloModule: the whole grammar of the HLO text format.
#ifndef XLA_HLO_TEXT_PARSER_H_
#define XLA_HLO_TEXT_PARSER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

struct HloParserOptions {
  // Setters of XLA's names. The second chooses nothing here: elided constants are zeros.
  HloParserOptions& set_fill_missing_layouts(bool value) {
    fill_missing_layouts = value;
    return *this;
  }
  HloParserOptions& set_fill_shortform_constants_with_random_values(bool) { return *this; }
  HloParserOptions& set_keep_module_auto_layouts(bool) { return *this; }

  // Give instructions and parameters without layout the default (descending) one.
  bool fill_missing_layouts = true;
  // Nesting of shapes, literals, operands and computations beyond this is "maximum recursion depth
  // exceeded".
  int max_nesting_depth = 1000;
  // Elided constants ({...}) are zeros. Together they may take this much memory, plus 1 KiB for
  // each byte of the text; more is an error.
  int64_t max_elided_bytes = int64_t{1} << 30;
};

// Parses a module, a list of computations without header, or a single instruction.
//
// Errors are INVALID_ARGUMENT, in XLA's form: "Syntax error when trying to parse the text as a
// HloModule:" followed by "was parsing L:C: error: MESSAGE", the source line and a caret line,
// several joined by newlines, innermost first. The module is complete but not verified.
absl::StatusOr<std::unique_ptr<HloModule>> ParseAndReturnUnverifiedModule(
    std::string_view text, const HloParserOptions& options = {});

// The same into a module without computations, which an error leaves unusable.
absl::Status ParseIntoModule(std::string_view text, const HloParserOptions& options,
                             HloModule* module);

absl::StatusOr<Shape> ParseShape(std::string_view text);
absl::StatusOr<Layout> ParseLayout(std::string_view text);
absl::StatusOr<HloSharding> ParseSharding(std::string_view text);
absl::StatusOr<WindowDims> ParseWindowDims(
    std::string_view text);  // "size=3x3 pad=1_1x1_1", without braces
absl::StatusOr<ConvDims> ParseConvDims(std::string_view text);  // "b01f_01io->b01f"
absl::StatusOr<std::vector<PadDim>> ParsePadDims(std::string_view text);
absl::StatusOr<CollectiveDeviceList> ParseCollectiveDeviceList(std::string_view text);
// A literal of the given shape: "{1, 2}" for s32[2].
absl::StatusOr<Literal> ParseLiteral(const Shape& shape, std::string_view text);

}  // namespace xla

#endif  // XLA_HLO_TEXT_PARSER_H_
