// SPDX-License-Identifier: Apache-2.0
// Parameters, constants, iota.
#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name) {
  return Parameter(builder, parameter_number, shape, name, {});
}

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers) {
  return builder->Record("Parameter", [&]() -> absl::StatusOr<XlaOp> {
    if (parameter_number < 0) {
      return InvalidArgument("The parameter number %d is negative.", parameter_number);
    }
    if (!builder->state().parameter_numbers.insert(parameter_number).second) {
      return InvalidArgument("parameter %d already registered", parameter_number);
    }
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    std::unique_ptr<HloInstruction> parameter = HloInstruction::CreateParameter(
        parameter_number, XlaBuilder::State::WithLayouts(shape), {name.data(), name.size()});
    if (!replicated_at_leaf_buffers.empty()) {
      const int64_t leaves = ShapeUtil::GetLeafCount(shape);
      if (leaves != static_cast<int64_t>(replicated_at_leaf_buffers.size())) {
        return InvalidArgumentStrCat("replicated_at_leaf_buffers has ",
                                     replicated_at_leaf_buffers.size(), " entries for the ", leaves,
                                     " leaves of ", ShapeUtil::HumanString(shape), ".");
      }
      parameter->mutable_extras().parameter_replication = replicated_at_leaf_buffers;
    }
    XLA_RETURN_IF_ERROR(builder->state().Decorate(parameter.get()));
    return builder->state().Adopt(std::move(parameter));
  });
}

XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal) {
  return builder->Record("ConstantLiteral", [&]() -> absl::StatusOr<XlaOp> {
    const Shape& shape = literal.shape();
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    if (!shape.IsArray() || ShapeUtil::ElementsIn(shape) <= 1 || shape.is_dynamic() ||
        !literal.IsAllFirst()) {
      return builder->state().AddConstant(literal.Clone());
    }
    XlaOp scalar;
    {
      // The sharding is that of the array.
      XlaScopedShardingAssignment no_sharding(builder, std::nullopt);
      XLA_ASSIGN_OR_RETURN(
          scalar, builder->state().AddConstant(LiteralUtil::GetFirstScalarLiteral(literal)));
    }
    return Broadcast(scalar, shape.dimensions());
  });
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension) {
  return builder->Record("Iota", [&]() -> absl::StatusOr<XlaOp> {
    if (!shape.is_static()) {
      return InvalidArgumentStrCat("The output of iota must not have dynamic dimensions: ",
                                   ShapeUtil::HumanString(shape));
    }
    return builder->state().Add(HloOpcode::kIota, {},
                                IotaAttributes{.iota_dimension = iota_dimension}, &shape);
  });
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size) {
  return builder->Record("Iota", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeUtil::MakeValidatedShape(type, {size}));
    return Iota(builder, shape, 0);
  });
}

}  // namespace xla
