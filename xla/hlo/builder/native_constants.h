// SPDX-License-Identifier: Apache-2.0
// Constants from C++ values. Part of xla_builder.h; include that.
//
//   ConstantR0<float>(&b, 1)   ConstantR1<int32_t>(&b, {1, 2})   ConstantR2<bool>(&b, {{true},
//   {false}})
//
// The element type is that of the C++ type: bool PRED, int32_t S32, float F32, Eigen-like half F16,
// and so on (primitive_util::NativeToPrimitiveType).
#ifndef XLA_HLO_BUILDER_NATIVE_CONSTANTS_H_
#define XLA_HLO_BUILDER_NATIVE_CONSTANTS_H_

#include <cstdint>
#include <initializer_list>

#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_ops.h"
#include "xla/literal_util.h"

namespace xla {

template <typename NativeT>
XlaOp ConstantR0(XlaBuilder* builder, NativeT value) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<NativeT>(value));
}

template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, absl::Span<const NativeT> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<NativeT>(values));
}

// `length` times the value. Error: a negative length.
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, int64_t length, NativeT value) {
  return Broadcast(ConstantR0<NativeT>(builder, value), {length});
}

template <typename NativeT>
XlaOp ConstantR2(XlaBuilder* builder,
                 std::initializer_list<std::initializer_list<NativeT>> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<NativeT>(values));
}

template <typename NativeT>
XlaOp ConstantFromArray(XlaBuilder* builder, const Array<NativeT>& values) {
  return ConstantLiteral(builder, LiteralUtil::CreateFromArray<NativeT>(values));
}

template <typename NativeT>
XlaOp ConstantFromArrayWithLayout(XlaBuilder* builder, const Array<NativeT>& values,
                                  const Layout& layout) {
  return ConstantLiteral(builder, LiteralUtil::CreateFromArrayWithLayout<NativeT>(values, layout));
}

template <typename NativeT>
XlaOp ConstantR2FromArray2D(XlaBuilder* builder, const Array2D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}
template <typename NativeT>
XlaOp ConstantR2FromArray2DWithLayout(XlaBuilder* builder, const Array2D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}
template <typename NativeT>
XlaOp ConstantR3FromArray3D(XlaBuilder* builder, const Array3D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}
template <typename NativeT>
XlaOp ConstantR3FromArray3DWithLayout(XlaBuilder* builder, const Array3D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}
template <typename NativeT>
XlaOp ConstantR4FromArray4D(XlaBuilder* builder, const Array4D<NativeT>& values) {
  return ConstantFromArray<NativeT>(builder, values);
}
template <typename NativeT>
XlaOp ConstantR4FromArray4DWithLayout(XlaBuilder* builder, const Array4D<NativeT>& values,
                                      const Layout& layout) {
  return ConstantFromArrayWithLayout<NativeT>(builder, values, layout);
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_NATIVE_CONSTANTS_H_
