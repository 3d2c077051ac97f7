// SPDX-License-Identifier: Apache-2.0
// Random numbers and bits.
#include "xla/hlo/builder/builder_state.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape) {
  XlaBuilder* builder = XlaBuilder::Of({mu, sigma});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RngNormal", [&] {
    return builder->state().Add(HloOpcode::kRng, {mu, sigma},
                                RngAttributes{.distribution = RandomDistribution::RNG_NORMAL},
                                &shape);
  });
}

XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape) {
  XlaBuilder* builder = XlaBuilder::Of({a, b});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RngUniform", [&] {
    return builder->state().Add(HloOpcode::kRng, {a, b},
                                RngAttributes{.distribution = RandomDistribution::RNG_UNIFORM},
                                &shape);
  });
}

XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape) {
  XlaBuilder* builder = XlaBuilder::Of({initial_state});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RngBitGenerator", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
    XLA_ASSIGN_OR_RETURN(const Shape* state_shape, builder->state().ShapeOf(initial_state));
    const bool has_bits = shape.IsArray() && shape.element_type() != PRED &&
                          !primitive_util::IsComplexType(shape.element_type());
    if (!has_bits) {
      return InvalidArgumentStrCat("Unsupported shape for RngBitGenerator: ",
                                   ShapeUtil::HumanString(shape));
    }
    const PrimitiveType bits = primitive_util::UnsignedIntegralTypeForBitWidth(
        primitive_util::BitWidth(shape.element_type()));
    const Shape declared =
        ShapeUtil::MakeTupleShape({*state_shape, ShapeUtil::ChangeElementType(shape, bits)});
    return builder->state().Add(HloOpcode::kRngBitGenerator, {initial_state},
                                RngBitGeneratorAttributes{.algorithm = algorithm}, &declared);
  });
}

}  // namespace xla
