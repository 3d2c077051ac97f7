// SPDX-License-Identifier: Apache-2.0
// The operation table: names, lookup, attribute structs, traits.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/test_util.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

TEST(Opcode, EveryNameLeadsBackToItsOpcode) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const HloOpcode opcode = static_cast<HloOpcode>(i);
    EXPECT_EQ(GetOpInfo(opcode).opcode, opcode);
    EXPECT_EQ(FindHloOpcode(HloOpcodeString(opcode)), opcode);
    EXPECT_TRUE(names.insert(HloOpcodeString(opcode)).second) << HloOpcodeString(opcode);
  }
}

TEST(Opcode, UnknownNamesAreErrorsThatQuoteThem) {
  EXPECT_EQ(FindHloOpcode(""), std::nullopt);
  EXPECT_EQ(FindHloOpcode("Add"), std::nullopt);
  EXPECT_EQ(FindHloOpcode("add "), std::nullopt);
  EXPECT_ERROR(StringToHloOpcode("frobnicate"), "Unknown opcode: frobnicate");
  const auto status = StringToHloOpcode(std::string(1 << 20, 'a')).status();
  EXPECT_LT(status.message().size(), 200u);
}

TEST(Opcode, DefaultAttributesAreOfTheStructInTheTable) {
  EXPECT_TRUE(MakeDefaultAttributes(HloOpcode::kAdd).holds<NoAttributes>());
  EXPECT_TRUE(MakeDefaultAttributes(HloOpcode::kScaledDot).holds<DotAttributes>());
  EXPECT_TRUE(MakeDefaultAttributes(HloOpcode::kAllReduceStart).holds<AllReduceAttributes>());
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const HloOpcode opcode = static_cast<HloOpcode>(i);
    EXPECT_EQ(MakeDefaultAttributes(opcode).index(), GetOpInfo(opcode).attributes_index);
  }
}

TEST(Opcode, ArityAndTraits) {
  EXPECT_EQ(HloOpcodeArity(HloOpcode::kSelect), 3);
  EXPECT_EQ(HloOpcodeArity(HloOpcode::kTuple), std::nullopt);
  EXPECT_TRUE(HloOpcodeIsVariadic(HloOpcode::kSort));
  EXPECT_TRUE(GetOpInfo(HloOpcode::kAdd).Has(op_traits::kCommutative));
  EXPECT_FALSE(GetOpInfo(HloOpcode::kSubtract).Has(op_traits::kCommutative));
  EXPECT_TRUE(GetOpInfo(HloOpcode::kAllGather).Has(op_traits::kCommunicates));
  EXPECT_FALSE(GetOpInfo(HloOpcode::kAllGather).Has(op_traits::kSideEffect));
}

TEST(Opcode, StartsAndDonesKnowEachOther) {
  EXPECT_TRUE(HloOpcodeIsAsync(HloOpcode::kAsyncUpdate));
  EXPECT_FALSE(HloOpcodeIsAsync(HloOpcode::kCopyDone)) << "as in XLA";
  int starts = 0;
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const OpInfo& info = GetOpInfo(static_cast<HloOpcode>(i));
    if (info.async_role != AsyncRole::kStart) continue;
    ++starts;
    const OpInfo& done = GetOpInfo(info.async_partner);
    EXPECT_EQ(done.async_role, AsyncRole::kDone) << info.name;
    EXPECT_EQ(done.async_partner, info.opcode) << info.name;
  }
  EXPECT_EQ(starts, 7);
  EXPECT_EQ(GetOpInfo(HloOpcode::kAsyncUpdate).async_partner, HloOpcode::kAsyncStart);
}

TEST(Opcode, SchemasOfCalledComputations) {
  const CalleeSchema& loop = GetOpInfo(HloOpcode::kWhile).callee_schema();
  ASSERT_EQ(loop.slots.size(), 2u);
  EXPECT_EQ(loop.slots[0].name, "body");
  EXPECT_TRUE(GetCalleeRoleInfo(loop.slots[1].role).returns_pred);
  const auto parameters = [](HloOpcode opcode, size_t callee, int64_t operands) {
    const CalleeRole role = GetOpInfo(opcode).callee_schema().SlotOf(callee).role;
    return GetCalleeRoleInfo(role).ParameterCount(operands);
  };
  EXPECT_EQ(parameters(HloOpcode::kReduce, 0, 4), 4);
  EXPECT_EQ(parameters(HloOpcode::kScatter, 0, 5), 4);
  EXPECT_EQ(parameters(HloOpcode::kAllReduce, 0, 3), 2);
  EXPECT_EQ(parameters(HloOpcode::kSort, 0, 3), 6);
  EXPECT_EQ(parameters(HloOpcode::kConditional, 4, 6), 1);
  EXPECT_EQ(parameters(HloOpcode::kSelectAndScatter, 1, 3), 2);
}

TEST(Attributes, EqualOnesHashAlike) {
  DotAttributes a{.lhs_contracting_dims = {1}};
  DotAttributes b = a;
  b.precision.values = {PrecisionConfig_Precision_DEFAULT, PrecisionConfig_Precision_DEFAULT};
  EXPECT_EQ(a, b) << "default precision written out is the same as none";
  EXPECT_EQ(HashAttributes(a), HashAttributes(b));
  b.precision.values[1] = PrecisionConfig_Precision_HIGHEST;
  EXPECT_FALSE(a == b);
  EXPECT_NE(HashAttributes(a), HashAttributes(b));
}

TEST(Attributes, EveryAttributeStructEqualsItselfEvenWithNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const BatchNormAttributes a{.epsilon = nan, .feature_index = 1};
  EXPECT_EQ(a, a);
  EXPECT_EQ(HashAttributes(a), HashAttributes(BatchNormAttributes(a)));
  EXPECT_EQ(HashAttributes(BatchNormAttributes{.epsilon = 0.0f}),
            HashAttributes(BatchNormAttributes{.epsilon = -0.0f}));
}

TEST(Attributes, HashIsTheSameInEveryRun) {
  EXPECT_EQ(HashAttributes(SliceAttributes{.slice = {{0, 4, 2}}}), 11350340550540449996u);
}

TEST(Attributes, TakeTheMemoryOfTheirStructOnly) {
  EXPECT_EQ(sizeof(Attributes), 16u);
  EXPECT_EQ(Attributes().heap_bytes(), 0u);
  EXPECT_EQ(Attributes(TupleIndexAttributes{.index = 3}).heap_bytes(), 0u);
  EXPECT_EQ(Attributes(IotaAttributes{.iota_dimension = 1}).heap_bytes(), 0u);
  EXPECT_EQ(Attributes(SliceAttributes()).heap_bytes(), sizeof(SliceAttributes));
}

TEST(Attributes, AreValues) {
  const Attributes slice = SliceAttributes{.slice = {{0, 4, 2}}};
  Attributes copy = slice;
  EXPECT_EQ(copy, slice);
  copy.get<SliceAttributes>().slice[0].limit = 3;
  EXPECT_FALSE(copy == slice);
  EXPECT_EQ(slice.get<SliceAttributes>().slice[0].limit, 4);

  Attributes moved = std::move(copy);
  EXPECT_TRUE(copy.holds<NoAttributes>());  // NOLINT(bugprone-use-after-move): specified
  EXPECT_EQ(moved.get_if<IotaAttributes>(), nullptr);
  moved = TupleIndexAttributes{.index = 3};
  EXPECT_EQ(moved, Attributes(TupleIndexAttributes{.index = 3}));
  EXPECT_FALSE(moved == Attributes(TupleIndexAttributes{.index = 4}));
  EXPECT_FALSE(moved == slice);
  EXPECT_EQ(moved.visit([](const auto& held) { return sizeof(held); }),
            sizeof(TupleIndexAttributes));
}

TEST(Attributes, EveryStructCanBeMadeCopiedAndCompared) {
  for (size_t i = 0; i < kNumAttributeStructs; ++i) {
    const Attributes made = Attributes::MakeDefault(i);
    EXPECT_EQ(made.index(), i);
    EXPECT_EQ(Attributes(made), made);
  }
}

TEST(Attributes, EnumerationNames) {
  for (const char* name : {"kLoop", "kInput", "kOutput", "kCustom"}) {
    ASSERT_TRUE(FusionKindFromName(name).has_value());
    EXPECT_EQ(FusionKindName(*FusionKindFromName(name)), name);
  }
  for (const char* name : {"unset", "fprop", "dgrad", "wgrad"}) {
    ASSERT_TRUE(ConvolutionKindFromName(name).has_value());
    EXPECT_EQ(ConvolutionKindName(*ConvolutionKindFromName(name)), name);
  }
  EXPECT_EQ(FusionKindFromName("loop"), std::nullopt);
}

TEST(HloPredicateTest, IsOpAndIsNotOp) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  const auto x = HloInstruction::CreateParameter(0, shape, "x");
  EXPECT_TRUE((HloPredicateIsOp<HloOpcode::kAdd, HloOpcode::kParameter>(x.get())));
  EXPECT_FALSE((HloPredicateIsOp<HloOpcode::kAdd>(x.get())));
  EXPECT_TRUE((HloPredicateIsNotOp<HloOpcode::kAdd, HloOpcode::kDot>(x.get())));
  EXPECT_FALSE((HloPredicateIsNotOp<HloOpcode::kParameter, HloOpcode::kDot>(x.get())));
}

TEST(HloInstructionTest, CustomCallsByTarget) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  const auto x = HloInstruction::CreateParameter(0, shape, "x");
  const auto call = HloInstruction::CreateCustomCall(shape, {x.get()}, "target", "");
  EXPECT_TRUE(call->IsCustomCall("target"));
  EXPECT_TRUE(call->IsCustomCall({"other", "target"}));
  EXPECT_FALSE(call->IsCustomCall("targe"));
  EXPECT_FALSE(x->IsCustomCall("target"));
}

}  // namespace
}  // namespace xla
