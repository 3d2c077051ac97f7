// SPDX-License-Identifier: Apache-2.0
// Checks the entry computation against the module header: layout, aliasing of results with
// parameters, donated buffers.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// Tiles, alignment and memory space may be assigned after the entry layout.
bool SameEntryShape(const Shape& a, const Shape& b, const HloVerifierOptions& options) {
  if (!options.layout_sensitive) return ShapeUtil::Compatible(a, b);
  return Shape::Equal()
      .IgnoreTilesInLayout()
      .IgnoreTailPaddingAlignmentInElements()
      .IgnoreMemorySpaceInLayout()
      .IgnoreDynamicDimension()(a, b);
}

absl::Status CheckEntryLayout(const HloComputation& entry, const ProgramShape& layout,
                              const HloVerifierOptions& options) {
  if (entry.num_parameters() != layout.parameters_size()) {
    return InvalidArgument(
        "Number of parameters in entry computation layout (%d) must be same as number of "
        "parameters of entry "
        "computation (%d)",
        layout.parameters_size(), entry.num_parameters());
  }
  for (int i = 0; i < layout.parameters_size(); ++i) {
    XLA_RETURN_IF_ERROR(AddContext(ShapeUtil::ValidateShapeWithOptionalLayout(layout.parameters(i)),
                                   absl::StrCat("entry computation layout, parameter ", i)));
    const Shape& parameter = entry.parameter_instruction(i)->shape();
    if (!SameEntryShape(parameter, layout.parameters(i), options)) {
      return InvalidArgumentStrCat(
          "Shape of the entry computation parameter ", i, " is ", parameter.ToString(true),
          " should be compatible to the one specified in module's entry computation "
          "layout ",
          layout.parameters(i).ToString(true));
    }
  }
  XLA_RETURN_IF_ERROR(AddContext(ShapeUtil::ValidateShapeWithOptionalLayout(layout.result()),
                                 "entry computation layout, result"));
  const Shape& result = entry.root_instruction()->shape();
  if (!SameEntryShape(result, layout.result(), options)) {
    return InvalidArgumentStrCat(
        "Shape of the root instruction of entry computation (", result.ToString(true),
        ") should be compatible to one specified in module's entry computation "
        "layout (",
        layout.result().ToString(true), ")");
  }
  return absl::OkStatus();
}

std::string IndexText(absl::Span<const int64_t> index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

// The array at an index of a parameter.
absl::StatusOr<const Shape*> ParameterBuffer(const ProgramShape& entry, absl::string_view what,
                                             int64_t number, absl::Span<const int64_t> index) {
  if (number < 0 || number >= entry.parameters_size()) {
    return InvalidArgumentStrCat(what, " names parameter ", number,
                                 ", but the entry computation has ", entry.parameters_size());
  }
  const Shape& parameter = entry.parameters(static_cast<int>(number));
  if (!ShapeUtil::IndexIsValid(parameter, index)) {
    return InvalidArgumentStrCat(what, " names index ", IndexText(index), " of parameter ", number,
                                 ", which has shape ", parameter.ToString());
  }
  return &ShapeUtil::GetSubshape(parameter, index);
}

absl::Status CheckAliases(const HloModule& module, const ProgramShape& entry) {
  using Place = std::pair<int64_t, std::vector<int64_t>>;
  std::set<std::vector<int64_t>> outputs;
  std::set<Place> parameters;
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    XLA_ASSIGN_OR_RETURN(const Shape* parameter,
                         ParameterBuffer(entry, "input_output_alias", alias.parameter_number,
                                         alias.parameter_index));
    if (!ShapeUtil::IndexIsValid(entry.result(), alias.output_index)) {
      return InvalidArgumentStrCat("input_output_alias names output index ",
                                   IndexText(alias.output_index), " of result ",
                                   entry.result().ToString());
    }
    const Shape& output = ShapeUtil::GetSubshape(entry.result(), alias.output_index);
    const std::string places = absl::StrCat(
        "parameter ", alias.parameter_number, " at index ", IndexText(alias.parameter_index), " (",
        parameter->ToString(true), ") and output at index ", IndexText(alias.output_index), " (",
        output.ToString(true), ")");
    if (!parameter->IsArray() || !output.IsArray()) {
      return InvalidArgumentStrCat("Aliased buffers must be arrays: ", places);
    }
    if (ShapeUtil::ArraySize(*parameter) != ShapeUtil::ArraySize(output)) {
      return InvalidArgumentStrCat("Expected aliased buffers to have the same size: ", places);
    }
    if (alias.kind == InputOutputAlias::Kind::kMust && *parameter != output) {
      return InvalidArgumentStrCat("Shape and memory space of the result at index ",
                                   IndexText(alias.output_index), " (", output.ToString(true),
                                   ") must be the same as the shape and memory space of aliased "
                                   "parameter ",
                                   alias.parameter_number, " at index ",
                                   IndexText(alias.parameter_index), " (",
                                   parameter->ToString(true), ")");
    }
    if (!outputs.insert(alias.output_index).second) {
      return InvalidArgumentStrCat("Output index ", IndexText(alias.output_index),
                                   " is aliased twice");
    }
    if (!parameters.insert({alias.parameter_number, alias.parameter_index}).second) {
      return InvalidArgumentStrCat("Parameter ", alias.parameter_number, " at index ",
                                   IndexText(alias.parameter_index), " is aliased twice");
    }
  }
  for (const BufferDonor& donor : module.config().buffer_donor) {
    XLA_RETURN_IF_ERROR(
        ParameterBuffer(entry, "buffer_donor", donor.parameter_number, donor.parameter_index)
            .status());
    if (!parameters.insert({donor.parameter_number, donor.parameter_index}).second) {
      return InvalidArgumentStrCat("Parameter ", donor.parameter_number, " at index ",
                                   IndexText(donor.parameter_index),
                                   " is donated or aliased twice");
    }
  }
  return absl::OkStatus();
}

// Byte sizes are defined for shapes with layouts only.
ProgramShape WithLayouts(ProgramShape shape) {
  const auto fill = [](Shape* part) {
    ShapeUtil::ForEachMutableSubshape(part, [](Shape* leaf, const ShapeIndex&) {
      if (leaf->IsArray() && !leaf->has_layout()) LayoutUtil::SetToDefaultLayout(leaf);
    });
  };
  for (int i = 0; i < shape.parameters_size(); ++i) fill(shape.mutable_parameters(i));
  fill(shape.mutable_result());
  return shape;
}

}  // namespace

absl::Status CheckEntry(const HloModule& module, const HloVerifierOptions& options) {
  const HloModuleConfig& config = module.config();
  const HloComputation& entry = *module.entry_computation();
  if (config.has_entry_computation_layout()) {
    XLA_RETURN_IF_ERROR(CheckEntryLayout(entry, config.entry_computation_layout(), options));
  }
  if (config.replica_count() < 1 || config.num_partitions() < 1) {
    return InvalidArgument("replica_count and num_partitions must be positive; got %d and %d",
                           config.replica_count(), config.num_partitions());
  }
  if (config.input_output_alias.empty() && config.buffer_donor.empty()) return absl::OkStatus();
  return CheckAliases(module, WithLayouts(config.has_entry_computation_layout()
                                              ? config.entry_computation_layout()
                                              : ComputationLayout(entry.ComputeProgramShape())));
}

}  // namespace xla::verifier
