// SPDX-License-Identifier: Apache-2.0
// Custom calls, and the custom calls that mark manually partitioned parts.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<XlaOp> XlaBuilder::State::AddCustomCall(absl::Span<const XlaOp> operands,
                                                       const Shape& shape,
                                                       const CustomCallArguments& arguments) {
  if (absl::StartsWith(arguments.target, "$")) {
    return InvalidArgumentStrCat("Invalid custom_call_target \"", arguments.target,
                                 "\": Call targets that start with '$' are reserved for internal "
                                 "use.");
  }
  CustomCallAttributes attributes;
  attributes.custom_call_target = std::string(arguments.target);
  attributes.has_side_effect = arguments.has_side_effect;
  attributes.output_to_operand_aliasing = ToAliases(arguments.aliasing);
  attributes.schedule = arguments.schedule;
  attributes.api_version = arguments.api_version;
  if (arguments.literal != nullptr) {
    attributes.literal.literal = std::make_shared<const Literal>(arguments.literal->Clone());
  }
  if (arguments.window != nullptr) attributes.window = ToWindowDims(*arguments.window);
  if (arguments.numbers != nullptr) {
    XLA_ASSIGN_OR_RETURN(attributes.dim_labels, ToConvDims(*arguments.numbers));
  }
  if (arguments.operand_layouts.has_value()) {
    if (!LayoutUtil::HasLayout(shape)) {
      return InvalidArgument(
          "Result shape must have layout for custom call with constrained layout.");
    }
    if (operands.size() != arguments.operand_layouts->size()) {
      return InvalidArgument(
          "Must specify a shape with layout for each operand for custom call with constrained "
          "layout; given %u shapes, expected %u",
          arguments.operand_layouts->size(), operands.size());
    }
    attributes.operand_layout_constraints.emplace();
    for (const Shape& operand : *arguments.operand_layouts) {
      if (!LayoutUtil::HasLayout(operand)) {
        return InvalidArgument(
            "No layout specified for operand %u for custom call with constrained layout.",
            attributes.operand_layout_constraints->size());
      }
      attributes.operand_layout_constraints->push_back(operand);
    }
  }
  XLA_ASSIGN_OR_RETURN(const XlaOp op, Add(HloOpcode::kCustomCall, operands, std::move(attributes),
                                           &shape, arguments.callees));
  if (!arguments.opaque.empty()) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * call, Find(op));
    call->mutable_extras().backend_config = std::string(arguments.opaque);
  }
  return op;
}

XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape, const std::string& opaque,
                 bool has_side_effect, AliasingPairs output_operand_aliasing,
                 const Literal* literal, CustomCallSchedule schedule,
                 CustomCallApiVersion api_version) {
  return builder->Record("CustomCall", [&] {
    return builder->state().AddCustomCall(operands, shape,
                                          {.target = call_target_name,
                                           .opaque = opaque,
                                           .has_side_effect = has_side_effect,
                                           .aliasing = output_operand_aliasing,
                                           .literal = literal,
                                           .schedule = schedule,
                                           .api_version = api_version});
  });
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                AliasingPairs output_operand_aliasing, const Literal* literal,
                                CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  return builder->Record("CustomCallWithComputation", [&] {
    return builder->state().AddCustomCall(operands, shape,
                                          {.target = call_target_name,
                                           .opaque = opaque,
                                           .has_side_effect = has_side_effect,
                                           .aliasing = output_operand_aliasing,
                                           .literal = literal,
                                           .schedule = schedule,
                                           .api_version = api_version,
                                           .callees = {&computation, 1}});
  });
}

XlaOp CustomCallWithComputationAndLayouts(XlaBuilder* builder, const std::string& call_target_name,
                                          absl::Span<const XlaOp> operands,
                                          XlaComputationRef computation, const Shape& shape,
                                          absl::Span<const Shape> operand_shapes_with_layout,
                                          const std::string& opaque, bool has_side_effect,
                                          AliasingPairs output_operand_aliasing,
                                          const Literal* literal, CustomCallSchedule schedule,
                                          CustomCallApiVersion api_version) {
  return builder->Record("CustomCallWithComputationAndLayouts", [&] {
    return builder->state().AddCustomCall(operands, shape,
                                          {.target = call_target_name,
                                           .opaque = opaque,
                                           .has_side_effect = has_side_effect,
                                           .aliasing = output_operand_aliasing,
                                           .literal = literal,
                                           .schedule = schedule,
                                           .api_version = api_version,
                                           .operand_layouts = operand_shapes_with_layout,
                                           .callees = {&computation, 1}});
  });
}

XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque, bool has_side_effect,
                           AliasingPairs output_operand_aliasing, const Literal* literal,
                           CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  return builder->Record("CustomCallWithLayout", [&] {
    return builder->state().AddCustomCall(operands, shape_with_layout,
                                          {.target = call_target_name,
                                           .opaque = opaque,
                                           .has_side_effect = has_side_effect,
                                           .aliasing = output_operand_aliasing,
                                           .literal = literal,
                                           .schedule = schedule,
                                           .api_version = api_version,
                                           .operand_layouts = operand_shapes_with_layout});
  });
}

XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              AliasingPairs output_operand_aliasing, const Literal* literal,
                              Window window, ConvolutionDimensionNumbers dnums,
                              CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  return builder->Record("CustomCallWithConvDnums", [&] {
    XlaBuilder::State::CustomCallArguments arguments{.target = call_target_name,
                                                     .opaque = opaque,
                                                     .has_side_effect = has_side_effect,
                                                     .aliasing = output_operand_aliasing,
                                                     .literal = literal,
                                                     .schedule = schedule,
                                                     .api_version = api_version,
                                                     .window = &window,
                                                     .numbers = &dnums};
    if (!operand_shapes_with_layout.empty()) {
      arguments.operand_layouts = operand_shapes_with_layout;
    }
    return builder->state().AddCustomCall(operands, shape, arguments);
  });
}

// --- Borders of hand-partitioned parts

namespace {

// Attributes of these custom calls for the partitioner.
std::string UnspecifiedDims(absl::Span<const int64_t> dimensions) {
  if (dimensions.empty()) return "";
  return absl::StrCat("unspecified_dims=[", absl::StrJoin(dimensions, ","), "]");
}

// Of the value within the hand-partitioned part. With single_dim only that dimension is cut by
// hand: its devices move to a last, manual tile dimension.
absl::StatusOr<OpSharding> ManualSharding(const OpSharding& whole, int single_dim) {
  OpSharding manual;
  if (single_dim < 0 || whole.type() != OpSharding::OTHER) {
    manual.set_type(OpSharding::MANUAL);
    return manual;
  }
  const auto& tiles = whole.tile_assignment_dimensions();
  int64_t devices = 1;
  for (const int64_t size : tiles) {
    if (size < 1 || devices > whole.tile_assignment_devices_size()) devices = 0;
    devices *= size;
  }
  if (single_dim >= tiles.size() || devices < 1 ||
      devices != whole.tile_assignment_devices_size()) {
    return InvalidArgumentStrCat("The sharding has no explicit list of devices along dimension ",
                                 single_dim, ".");
  }
  manual.set_type(OpSharding::OTHER);
  for (int i = 0; i < tiles.size(); ++i) {
    manual.add_tile_assignment_dimensions(i == single_dim ? 1 : tiles[i]);
  }
  manual.add_tile_assignment_dimensions(tiles[single_dim]);
  int64_t inner = 1;
  for (int i = single_dim + 1; i < tiles.size(); ++i) inner *= tiles[i];
  const int64_t cut = tiles[single_dim];
  for (int64_t outer = 0; outer < devices / (cut * inner); ++outer) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t c = 0; c < cut; ++c) {
        manual.add_tile_assignment_devices(
            whole.tile_assignment_devices(static_cast<int>((outer * cut + c) * inner + i)));
      }
    }
  }
  if (whole.replicate_on_last_tile_dim()) manual.add_last_tile_dims(OpSharding::REPLICATED);
  for (const int type : whole.last_tile_dims()) {
    manual.add_last_tile_dims(static_cast<OpSharding::Type>(type));
  }
  manual.add_last_tile_dims(OpSharding::MANUAL);
  return manual;
}

// Two custom-calls: the input with its sharding, and the conversion with that of the result.
absl::StatusOr<XlaOp> ConvertSpmd(XlaBuilder* builder, XlaOp input, const char* target,
                                  const Shape& output_shape, const OpSharding& from,
                                  const OpSharding& to, absl::Span<const int64_t> unspecified) {
  XLA_ASSIGN_OR_RETURN(const Shape input_shape, builder->GetShape(input));
  XlaOp annotated, result;
  {
    XlaScopedShardingAssignment scope(builder, from);
    annotated = CustomCall(builder, "Sharding", {input}, input_shape, UnspecifiedDims(unspecified));
  }
  {
    XlaScopedShardingAssignment scope(builder, to);
    result = CustomCall(builder, target, {annotated}, output_shape, UnspecifiedDims(unspecified));
  }
  XLA_RETURN_IF_ERROR(builder->first_error());
  return result;
}

}  // namespace

absl::StatusOr<XlaOp> ConvertSpmdFullToShardShape(XlaBuilder* builder, XlaOp input, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims) {
  XLA_ASSIGN_OR_RETURN(Shape shard_shape, builder->GetShape(input));
  if (!shard_shape.IsArray()) {
    return InvalidArgumentStrCat("Expected an array to be cut into shards, but got ",
                                 ShapeUtil::HumanString(shard_shape), ".");
  }
  if (manual_sharding.type() == OpSharding::OTHER) {
    const auto& tiles = manual_sharding.tile_assignment_dimensions();
    for (int i = 0; i < shard_shape.rank() && i < tiles.size(); ++i) {
      if ((single_dim >= 0 && i != single_dim) || tiles[i] <= 1) continue;
      shard_shape.set_dimensions(i, CeilOfRatio(shard_shape.dimensions(i), tiles[i]));
    }
  }
  XLA_ASSIGN_OR_RETURN(const OpSharding manual, ManualSharding(manual_sharding, single_dim));
  return ConvertSpmd(builder, input, "SPMDFullToShardShape", shard_shape, manual_sharding, manual,
                     unspecified_dims);
}

absl::StatusOr<XlaOp> ConvertSpmdShardToFullShape(XlaBuilder* builder, XlaOp input,
                                                  const Shape& output_shape, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims) {
  XLA_ASSIGN_OR_RETURN(const OpSharding manual, ManualSharding(manual_sharding, single_dim));
  return ConvertSpmd(builder, input, "SPMDShardToFullShape", output_shape, manual, manual_sharding,
                     unspecified_dims);
}

}  // namespace xla
