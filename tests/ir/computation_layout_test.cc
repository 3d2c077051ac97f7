// SPDX-License-Identifier: Apache-2.0
// Layouts of programs, read and changed through XLA's interface.
#include "xla/hlo/ir/computation_layout.h"

#include <gtest/gtest.h>

#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

const Shape& Rows() {
  static const auto* const shape =
      new Shape(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0}));
  return *shape;
}
const Shape& Columns() {
  static const auto* const shape =
      new Shape(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}));
  return *shape;
}

TEST(ShapeLayout, OwnsItsShape) {
  ShapeLayout layout(Rows());
  ShapeLayout copy = layout;
  layout.ResetLayout(Columns().layout());
  EXPECT_EQ(layout.shape(), Columns());
  EXPECT_EQ(copy.shape(), Rows());
  EXPECT_FALSE(copy == layout);
  copy = layout;
  EXPECT_TRUE(copy == layout);
  EXPECT_TRUE(copy.MatchesLayoutInShape(Columns()));
  EXPECT_FALSE(copy.MatchesLayoutInShape(Rows()));
  EXPECT_EQ(copy.ToString(), "f32[2,3]{0,1}");
  Shape other = Rows();
  EXPECT_OK(copy.AssignLayoutToShape(&other));
  EXPECT_EQ(other, Columns());
  EXPECT_OK(copy.CopyLayoutFromShape(Rows()));
  EXPECT_EQ(copy.shape(), Rows());
  EXPECT_FALSE(copy.CopyLayoutFromShape(ShapeUtil::MakeShape(F32, {6})).ok());
  copy.Clear();
  EXPECT_FALSE(copy.LayoutIsSet() || copy.AnyLayoutIsSet());
  copy.SetToDefaultLayout();
  EXPECT_TRUE(copy.LayoutIsSet());
}

TEST(ShapeLayout, OfTuples) {
  ShapeLayout layout(ShapeUtil::MakeTupleShape({Rows(), Rows()}));
  layout.ResetLayout(Columns().layout(), {1});
  EXPECT_EQ(layout.shape(), ShapeUtil::MakeTupleShape({Rows(), Columns()}));
  Shape half = layout.shape();
  LayoutUtil::ClearLayout(half.mutable_tuple_shapes(0));
  EXPECT_TRUE(ShapeLayout(half).AnyLayoutIsSet());
  EXPECT_FALSE(ShapeLayout(half).LayoutIsSet());
}

TEST(ComputationLayout, IsChangedThroughItsParts) {
  ComputationLayout layout{ShapeLayout(Rows())};
  layout.add_parameter_layout(ShapeLayout(Columns()));
  layout.add_parameter_layout(ShapeLayout(Rows()));
  EXPECT_EQ(layout.parameter_count(), 2);
  ASSERT_EQ(layout.parameter_layouts().size(), 2u);
  EXPECT_EQ(layout.parameter_layouts()[0].shape(), Columns());
  *layout.mutable_parameter_layout(1) = ShapeLayout(Columns());
  EXPECT_EQ(layout.parameter_shape(1), Columns());
  layout.mutable_result_layout()->ResetLayout(Columns().layout());
  EXPECT_EQ(layout.result_layout().shape(), Columns());
  layout.mutable_result_layout()->Clear();
  EXPECT_FALSE(layout.LayoutIsSet());
  EXPECT_TRUE(layout.AnyLayoutSet());
  layout.SetToDefaultLayout();
  EXPECT_TRUE(layout.LayoutIsSet());
  EXPECT_EQ(layout.parameter_shape(0), Rows());
  // A copy of a part is the part no more.
  ShapeLayout part = *layout.mutable_parameter_layout(0);
  part.ResetLayout(Columns().layout());
  EXPECT_EQ(layout.parameter_shape(0), Rows());
}

TEST(Opcodes, Names) {
  EXPECT_EQ(HloOpcodeString(HloOpcode::kAdd), "add");
  const absl::string_view as_absl = HloOpcodeString(HloOpcode::kAllReduce);
  const std::string_view as_std = HloOpcodeString(HloOpcode::kAllReduce);
  EXPECT_EQ(as_absl, "all-reduce");
  EXPECT_EQ(as_std, "all-reduce");
  for (int i = 0; i < HloOpcodeCount(); ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    EXPECT_EQ(*StringToHloOpcode(HloOpcodeString(opcode)), opcode);
  }
  EXPECT_FALSE(StringToHloOpcode(absl::string_view("adds")).ok());
}

TEST(Opcodes, Elementwise) {
  int count = 0;
  for (int i = 0; i < HloOpcodeCount(); ++i) {
    count += HloInstruction::IsOpElementwise(static_cast<HloOpcode>(i));
  }
  EXPECT_EQ(count, 58);  // as many as in XLA
  EXPECT_TRUE(HloInstruction::IsOpElementwise(HloOpcode::kBitcastConvert));
  EXPECT_TRUE(HloInstruction::IsOpElementwise(HloOpcode::kStochasticConvert));
  EXPECT_FALSE(HloInstruction::IsOpElementwise(HloOpcode::kMap));
  const auto operand = HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {4}), "p");
  const auto convert = [&](PrimitiveType type, std::vector<int64_t> dims) {
    return HloInstruction::CreateBitcastConvert(ShapeUtil::MakeShape(type, dims), operand.get())
        ->IsElementwise();
  };
  EXPECT_TRUE(convert(S32, {4}));
  EXPECT_FALSE(convert(S16, {4, 2}));
  EXPECT_FALSE(operand->IsElementwise());
}

}  // namespace
}  // namespace xla
