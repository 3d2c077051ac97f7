// SPDX-License-Identifier: Apache-2.0
// Parameters, constants, iota.
#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp XlaBuilder::Parameter(int64_t parameter_number, const Shape& shape, const std::string& name,
                            CallSite site) {
  return Parameter(parameter_number, shape, name, {}, site);
}

XlaOp XlaBuilder::Parameter(int64_t parameter_number, const Shape& shape, const std::string& name,
                            const std::vector<bool>& replicated_at_leaf_buffers, CallSite site) {
  return Record("Parameter", site, [&]() -> absl::StatusOr<XlaOp> {
    if (parameter_number < 0) {
      return InvalidArgument("The parameter number %d is negative.", parameter_number);
    }
    if (!state_->parameter_numbers.insert(parameter_number).second) {
      return InvalidArgument("parameter %d already registered", parameter_number);
    }
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    std::unique_ptr<HloInstruction> parameter = HloInstruction::CreateParameter(
        parameter_number, State::WithLayouts(shape), {name.data(), name.size()});
    if (!replicated_at_leaf_buffers.empty()) {
      const int64_t leaves = ShapeUtil::GetLeafCount(shape);
      if (leaves != static_cast<int64_t>(replicated_at_leaf_buffers.size())) {
        return InvalidArgumentStrCat("replicated_at_leaf_buffers has ",
                                     replicated_at_leaf_buffers.size(), " entries for the ", leaves,
                                     " leaves of ", ShapeUtil::HumanString(shape), ".");
      }
      parameter->mutable_extras().parameter_replication = replicated_at_leaf_buffers;
    }
    XLA_RETURN_IF_ERROR(state_->Decorate(parameter.get()));
    return state_->Adopt(std::move(parameter));
  });
}

XlaOp XlaBuilder::ConstantLiteral(const LiteralSlice& literal, CallSite site) {
  return Record("ConstantLiteral", site, [&]() -> absl::StatusOr<XlaOp> {
    const Shape& shape = literal.shape();
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    if (!shape.IsArray() || ShapeUtil::ElementsIn(shape) <= 1 || shape.is_dynamic() ||
        !literal.IsAllFirst()) {
      return state_->AddConstant(literal.Clone());
    }
    XlaOp scalar;
    {
      // The sharding is that of the array.
      XlaScopedShardingAssignment no_sharding(this, std::nullopt);
      XLA_ASSIGN_OR_RETURN(scalar,
                           state_->AddConstant(LiteralUtil::GetFirstScalarLiteral(literal)));
    }
    return Broadcast(scalar, shape.dimensions());
  });
}

XlaOp XlaBuilder::Iota(const Shape& shape, int64_t iota_dimension, CallSite site) {
  return Record("Iota", site, [&]() -> absl::StatusOr<XlaOp> {
    if (!shape.is_static()) {
      return InvalidArgumentStrCat("The output of iota must not have dynamic dimensions: ",
                                   ShapeUtil::HumanString(shape));
    }
    return state_->Add(HloOpcode::kIota, {}, IotaAttributes{.iota_dimension = iota_dimension},
                       &shape);
  });
}

XlaOp XlaBuilder::Iota(PrimitiveType type, int64_t size, CallSite site) {
  return Record("Iota", site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeUtil::MakeValidatedShape(type, {size}));
    return Iota(shape, 0);
  });
}

}  // namespace xla
