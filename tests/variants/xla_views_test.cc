// SPDX-License-Identifier: Apache-2.0
// Instructions under the names of XLA's subclasses, the options of its verifier, casts, and
// visitors.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/service/hlo_verifier.h"

namespace xla {
namespace {

constexpr char kProgram[] = R"(
HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
less { x = f32[] parameter(0) y = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) ROOT c = pred[] compare(x, y), direction=LT }
pair { x = f32[] parameter(0) i = s32[] parameter(1) y = f32[] parameter(2) j = s32[] parameter(3) a = f32[] add(x, y) b = s32[] add(i, j) ROOT t = (f32[], s32[]) tuple(a, b) }
step { x = f32[6] parameter(0) c = f32[6] parameter(1) s = f32[6] add(c, x) ROOT t = (f32[6], f32[6]) tuple(s, s) }
twice { p = f32[4,6] parameter(0) q = f32[4,6] parameter(1) s = f32[4,6] add(p, q) ROOT n = f32[4,6] negate(s) }
ENTRY e {
  m = f32[4,6] parameter(0)
  k = s32[4,6] parameter(1)
  z = f32[] constant(0)
  one = s32[] constant(1)
  reduce = (f32[4], s32[4]) reduce(m, k, z, one), dimensions={1}, to_apply=pair
  window = (f32[3,6], s32[3,6]) reduce-window(m, k, z, one), window={size=2x1}, to_apply=pair
  sort = (f32[4,6], s32[4,6]) sort(m, k), dimensions={1}, to_apply=less
  c6 = f32[6] broadcast(z), dimensions={}
  scan = (f32[4,6], f32[6]) scan(m, c6), dimensions={0}, is_reverse=true, num_carries=1, to_apply=step
  slice = f32[2,3] dynamic-slice(m, one, one), dynamic_slice_sizes={2,3}
  updated = f32[4,6] dynamic-update-slice(m, slice, one, one)
  rows = s32[5,1] constant({{0},{1},{2},{3},{0}})
  gather = f32[5,6] gather(m, rows), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}, indices_are_sorted=true
  scatter = f32[4,6] scatter(m, rows, gather), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add
  loop = f32[4,6] fusion(m, updated), kind=kLoop, calls=twice
  input = f32[4,6] fusion(m, m), kind=kInput, calls=twice
  output = f32[4,6] fusion(m, m), kind=kOutput, calls=twice, output_to_operand_aliasing={{}: (1, {})}
  custom = f32[4,6] fusion(m, m), kind=kCustom, calls=twice
  call = f32[4,6] call(m, m), to_apply=twice
  plain = f32[4,6] custom-call(m), custom_call_target="t", schedule=SCHEDULE_LATEST, api_version=API_VERSION_STATUS_RETURNING
  constrained = f32[4,6]{1,0} custom-call(m), custom_call_target="t", operand_layout_constraints={f32[4,6]{0,1}}
  tok = token[] after-all()
  infeed = (f32[3], token[]) infeed(tok)
  outfeed = token[] outfeed(m, tok), outfeed_shape=f32[4,6]{0,1}
  topk = (f32[4,2], s32[4,2]) topk(m), k=2, largest=false
  pad = f32[5,6] pad(m, z), padding=0_1x0_0
  state = u64[1] rng-get-and-update-state(), delta=7
  seed = u64[2] constant({1,2})
  bits = (u64[2], u32[3]) rng-bit-generator(seed), algorithm=rng_philox
  compare = pred[4,6] compare(m, m), direction=GE, type=TOTALORDER
  iota = s32[4,6] iota(), iota_dimension=1
  gathered = f32[8,6] all-gather(m), dimensions={0}, replica_groups={{0,1}}
  scattered = f32[4,3] reduce-scatter(m), dimensions={1}, replica_groups={{0,1}}, to_apply=add
  exchanged = f32[4,6] all-to-all(m), dimensions={1}, replica_groups={{0,1}}
  parts = (f32[4,6], f32[4,6]) all-to-all(m, m), replica_groups={{0,1}}
  reshape = f32[24] reshape(m)
  ROOT r = f32[4,6] copy(loop)
})";

std::string Names(absl::Span<HloInstruction* const> instructions) {
  return absl::StrJoin(instructions, " ", [](std::string* out, const HloInstruction* instruction) {
    absl::StrAppend(out, std::string(instruction->name()));
  });
}

class Views : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnUnverifiedModule(kProgram)); }
  HloInstruction* Get(const char* name) {
    return module_->entry_computation()->GetInstructionWithName(name);
  }
  template <typename T>
  T* As(const char* name) {
    return Cast<T>(Get(name));
  }
  std::unique_ptr<HloModule> module_;
};

TEST_F(Views, OfOperandsByTheirParts) {
  EXPECT_EQ(As<HloReduceInstruction>("reduce")->input_count(), 2);
  EXPECT_EQ(Names(As<HloReduceInstruction>("reduce")->inputs()), "m k");
  EXPECT_EQ(Names(As<HloReduceInstruction>("reduce")->init_values()), "z one");
  EXPECT_EQ(As<HloReduceWindowInstruction>("window")->input_count(), 2);
  EXPECT_EQ(Names(As<HloReduceWindowInstruction>("window")->inputs()), "m k");
  EXPECT_EQ(Names(As<HloReduceWindowInstruction>("window")->init_values()), "z one");
  EXPECT_EQ(As<HloSortInstruction>("sort")->values_count(), 1);
  EXPECT_EQ(As<HloSortInstruction>("sort")->sort_dimension(), 1);
  EXPECT_EQ(As<HloScanInstruction>("scan")->scan_dimension(), 0);
  EXPECT_TRUE(As<HloScanInstruction>("scan")->is_reverse());
  EXPECT_EQ(As<HloScanInstruction>("scan")->num_carries(), 1);
  EXPECT_EQ(As<HloDynamicSliceInstruction>("slice")->first_index_operand_number(), 1);
  EXPECT_EQ(Names(As<HloDynamicSliceInstruction>("slice")->index_operands()), "one one");
  EXPECT_EQ(As<HloDynamicUpdateSliceInstruction>("updated")->first_index_operand_number(), 2);
  EXPECT_EQ(Names(As<HloDynamicIndexInstruction>("updated")->index_operands()), "one one");
  EXPECT_EQ(As<HloDynamicUpdateSliceInstruction>("updated")->update(), Get("slice"));
  EXPECT_TRUE(As<HloGatherInstruction>("gather")->indices_are_sorted());
  const auto* scatter = As<HloScatterInstruction>("scatter");
  EXPECT_EQ(scatter->scatter_operand_count(), 1);
  EXPECT_EQ(Names(scatter->scatter_operands()), "m");
  EXPECT_EQ(Names(scatter->scatter_updates()), "gather");
  EXPECT_EQ(scatter->scatter_indices(), Get("rows"));
  EXPECT_FALSE(scatter->indices_are_sorted());
  EXPECT_TRUE(scatter->unique_indices());
  EXPECT_EQ(As<HloPadInstruction>("pad")->padding_value(), Get("z"));
}

TEST_F(Views, OfAttributes) {
  EXPECT_EQ(As<HloTopKInstruction>("topk")->k(), 2);
  EXPECT_FALSE(As<HloTopKInstruction>("topk")->largest());
  EXPECT_EQ(As<HloRngGetAndUpdateStateInstruction>("state")->delta(), 7);
  EXPECT_EQ(As<HloRngBitGeneratorInstruction>("bits")->algorithm(), RandomAlgorithm::RNG_PHILOX);
  EXPECT_EQ(As<HloCompareInstruction>("compare")->direction(), ComparisonDirection::kGe);
  EXPECT_EQ(As<HloCompareInstruction>("compare")->type(), ComparisonType::kFloatTotalOrder);
  EXPECT_EQ(As<HloIotaInstruction>("iota")->iota_dimension(), 1);
  EXPECT_EQ(As<HloAllGatherInstruction>("gathered")->all_gather_dimension(), 0);
  EXPECT_EQ(As<HloReduceScatterInstruction>("scattered")->scatter_dimension(), 1);
  EXPECT_EQ(As<HloAllToAllInstruction>("exchanged")->split_dimension(), 1);
  EXPECT_EQ(As<HloAllToAllInstruction>("parts")->split_dimension(), std::nullopt);
  EXPECT_EQ(As<HloReshapeInstruction>("reshape")->inferred_dimension(), -1);
  EXPECT_EQ(As<HloInfeedInstruction>("infeed")->infeed_shape().ToString(), "f32[3]");
  EXPECT_EQ(As<HloOutfeedInstruction>("outfeed")->outfeed_shape().ToString(true), "f32[4,6]{0,1}");
}

TEST_F(Views, OfFusionsAndCalls) {
  struct Row {
    const char* name;
    bool is_loop, is_input, is_output, is_custom;
  };
  for (const Row& row :
       {Row{"loop", true, false, false, false}, Row{"input", false, true, false, false},
        Row{"output", false, false, true, false}, Row{"custom", false, false, false, true}}) {
    const auto* fusion = As<HloFusionInstruction>(row.name);
    EXPECT_EQ(fusion->IsLoopFusion(), row.is_loop);
    EXPECT_EQ(fusion->IsInputFusion(), row.is_input);
    EXPECT_EQ(fusion->IsOutputFusion(), row.is_output);
    EXPECT_EQ(fusion->IsCustomFusion(), row.is_custom);
  }
  const auto* fusion = As<HloFusionInstruction>("output");
  EXPECT_EQ(Names(fusion->fused_instructions()), "p q s.2 n");
  EXPECT_EQ(Names(fusion->fused_parameters()), "p q");
  EXPECT_EQ(fusion->fused_parameter(1)->name(), "q");
  EXPECT_EQ(fusion->called_computation_root()->name(), "n");
  ASSERT_EQ(fusion->output_operand_aliasing().size(), 1u);
  EXPECT_EQ(fusion->output_operand_aliasing()[0].second.first, 1);
  EXPECT_EQ(As<HloCallInstruction>("call")->called_computation()->name(), "twice");
  As<HloFusionInstruction>("output")->set_output_to_operand_aliasing({{{}, {0, {}}}});
  EXPECT_EQ(fusion->output_operand_aliasing()[0].second.first, 0);
  const auto* plain = As<HloCustomCallInstruction>("plain");
  EXPECT_EQ(plain->custom_call_schedule(), CustomCallSchedule::SCHEDULE_LATEST);
  EXPECT_EQ(plain->api_version(), CustomCallApiVersion::API_VERSION_STATUS_RETURNING);
  EXPECT_FALSE(plain->layout_constrained());
  EXPECT_FALSE(plain->HasLiteral());
  const auto* constrained = As<HloCustomCallInstruction>("constrained");
  EXPECT_TRUE(constrained->layout_constrained());
  EXPECT_EQ(constrained->operand_shapes_with_layout()[0].ToString(true), "f32[4,6]{0,1}");
}

TEST_F(Views, AreOfSomeOpcodesOnly) {
  EXPECT_EQ(DynCast<HloReduceInstruction>(Get("sort")), nullptr);
  EXPECT_EQ(DynCast<HloSortInstruction>(Get("sort")), Get("sort"));
  EXPECT_EQ(DynCast<HloDimensionsInstruction>(Get("sort")), Get("sort"));
  EXPECT_EQ(DynCastOrNull<HloSortInstruction>(static_cast<HloInstruction*>(nullptr)), nullptr);
  EXPECT_EQ(DynCastOrNull<HloSortInstruction>(Get("reduce")), nullptr);
  EXPECT_EQ(DynCastOrNull<HloReduceInstruction>(Get("reduce")), Get("reduce"));
  EXPECT_EQ(CastOrNull<HloSortInstruction>(static_cast<const HloInstruction*>(nullptr)), nullptr);
  EXPECT_EQ(CastOrNull<HloSortInstruction>(Get("sort")), Get("sort"));
  EXPECT_DEATH((void)Cast<HloReduceInstruction>(Get("sort")), "invalid cast of");
  EXPECT_DEATH((void)DynCast<HloReduceInstruction>(static_cast<HloInstruction*>(nullptr)),
               "cast of a null instruction");
}

TEST_F(Views, DimensionNumbersFromTheirParts) {
  const GatherDimensionNumbers gather =
      HloGatherInstruction::MakeGatherDimNumbers({1, 2}, {0}, {3, 4}, 5, {6}, {7});
  EXPECT_EQ(absl::StrJoin(gather.offset_dims(), ","), "1,2");
  EXPECT_EQ(absl::StrJoin(gather.collapsed_slice_dims(), ","), "0");
  EXPECT_EQ(absl::StrJoin(gather.start_index_map(), ","), "3,4");
  EXPECT_EQ(gather.index_vector_dim(), 5);
  EXPECT_EQ(absl::StrJoin(gather.operand_batching_dims(), ","), "6");
  EXPECT_EQ(absl::StrJoin(gather.start_indices_batching_dims(), ","), "7");
  const ScatterDimensionNumbers scatter =
      HloScatterInstruction::MakeScatterDimNumbers({1, 2}, {0}, {3, 4}, 5, {6}, {7});
  EXPECT_EQ(absl::StrJoin(scatter.update_window_dims(), ","), "1,2");
  EXPECT_EQ(absl::StrJoin(scatter.inserted_window_dims(), ","), "0");
  EXPECT_EQ(absl::StrJoin(scatter.scatter_dims_to_operand_dims(), ","), "3,4");
  EXPECT_EQ(scatter.index_vector_dim(), 5);
  EXPECT_EQ(absl::StrJoin(scatter.input_batching_dims(), ","), "6");
  EXPECT_EQ(absl::StrJoin(scatter.scatter_indices_batching_dims(), ","), "7");
}

// Each setter changes its own option and no other.
TEST(VerifierOpts, AreSetOneByOne) {
  using Opts = HloVerifierOpts;
  const auto flags = [](const Opts& o) {
    std::string text;
    for (const bool flag :
         {o.layout_sensitive, o.allow_mixed_precision, o.verify_broadcast_dimensions_order,
          o.verify_reshape_is_bitcast, o.verify_call_nested_computation_thread_name,
          o.allow_bitcast_to_have_different_size, o.verify_sharding_device_numbers,
          o.allow_unbounded_dynamism, o.verify_instruction_name_unchanged,
          o.verify_no_host_memory_space, o.verify_no_collective_deadlocks, o.check_replica_groups,
          o.instruction_can_change_layout != nullptr, o.shape_size != nullptr}) {
      text.push_back(flag ? '1' : '0');
    }
    return text;
  };
  const std::string plain = "00000010000100";
  EXPECT_EQ(flags(Opts()), plain);
  const std::vector<std::pair<size_t, Opts>> set = {
      {0, Opts().MakeLayoutSensitive()},
      {0, Opts().WithLayoutSensitive(true)},
      {1, Opts().AllowMixedPrecision()},
      {1, Opts().WithAllowMixedPrecision(true)},
      {2, Opts().VerifyBroadcastDimensionsOrder()},
      {3, Opts().VerifyReshapeIsBitcast()},
      {4, Opts().VerifyCallNestedComputationThreadName()},
      {5, Opts().WithAllowBitcastToHaveDifferentSize(true)},
      {6, Opts().WithVerifyShardingDeviceNumbers(false)},
      {7, Opts().WithAllowUnboundedDynamism(true)},
      {8, Opts().VerifyInstructionNameUnchanged()},
      {9, Opts().VerifyNoHostMemorySpace()},
      {10, Opts().WithVerifyNoCollectiveDeadlocks(true)},
      {11, Opts().WithCheckReplicaGroups(false)},
      {12, Opts().WithInstructionCanChangeLayout([](const HloInstruction*) { return true; })},
      {13, Opts().WithCustomShapeSize([](const Shape&) { return int64_t{1}; })}};
  for (const auto& [place, opts] : set) {
    std::string expected = plain;
    expected[place] = expected[place] == '0' ? '1' : '0';
    EXPECT_EQ(flags(opts), expected) << place;
  }
  EXPECT_EQ(flags(Opts().WithLayoutSensitive(false).WithVerifyShardingDeviceNumbers(true)), plain);
}

TEST(VerifierOpts, AreObeyed) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { a = f32[2] parameter(0) b = f64[2] parameter(1) ROOT c = f64[2] add(a, b) })"));
  EXPECT_ERROR(HloVerifier(false, false).Run(module.get()), "mixed precision is disallowed");
  EXPECT_OK(HloVerifier(false, true).Run(module.get()));
  EXPECT_OK(HloVerifier(HloVerifierOpts().AllowMixedPrecision()).Run(module.get()));
  ASSERT_OK_AND_ASSIGN(const auto moved, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { a = f32[2,3]{1,0} parameter(0) ROOT c = f32[2,3]{0,1} negate(a) })"));
  const auto never = [](const HloInstruction*) { return false; };
  EXPECT_OK(HloVerifier(false, false).Run(moved.get()));
  EXPECT_ERROR(HloVerifier(false, false, never).Run(moved.get()),
               "Instruction shouldn't change layouts");
  ASSERT_OK_AND_ASSIGN(const auto cast, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { a = f32[2,3]{1,0} parameter(0) ROOT c = f32[5]{0} bitcast(a) })"));
  const auto alike = [](const Shape&) { return int64_t{8}; };
  EXPECT_FALSE(HloVerifier(true, false).Run(cast.get()).ok());
  EXPECT_OK(HloVerifier(true, false, {}, alike).Run(cast.get()));
}

TEST(EvaluatorForms, OfSingleOperations) {
  HloEvaluator evaluator;
  const Literal a = LiteralUtil::CreateR1<float>({1, 5, 3}),
                b = LiteralUtil::CreateR1<float>({4, 2, 3});
  const auto compare = [&](ComparisonDirection direction) {
    return evaluator.EvaluateElementwiseCompareOp(direction, a, b)->ToString();
  };
  EXPECT_EQ(compare(ComparisonDirection::kLt), "pred[3] {1, 0, 0}");
  EXPECT_EQ(compare(ComparisonDirection::kGe), "pred[3] {0, 1, 1}");
  EXPECT_EQ(evaluator.EvaluateElementwiseBinaryOp(HloOpcode::kSubtract, a, b)->ToString(),
            "f32[3] {-3, 3, 0}");
  EXPECT_EQ(evaluator.EvaluateElementwiseUnaryOp(HloOpcode::kNegate, a)->ToString(),
            "f32[3] {-1, -5, -3}");
  const Literal which = LiteralUtil::CreateR1<bool>({true, false, true});
  EXPECT_EQ(evaluator.EvaluateElementwiseTernaryOp(HloOpcode::kSelect, which, a, b)->ToString(),
            "f32[3] {1, 2, 3}");
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(1);
  numbers.add_rhs_contracting_dimensions(0);
  const Literal m = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}),
                n = LiteralUtil::CreateR2<float>({{5, 6, 7}, {8, 9, 10}});
  EXPECT_EQ(*evaluator.EvaluateDotOp(numbers, PrecisionConfig(), m, n),
            LiteralUtil::CreateR2<float>({{21, 24, 27}, {47, 54, 61}}));
  const auto product = HloEvaluator::MatmulArray2D(Array2D<float>({{1, 2}, {3, 4}}),
                                                   Array2D<float>({{5, 6, 7}, {8, 9, 10}}));
  EXPECT_EQ(*product, (Array2D<float>({{21, 24, 27}, {47, 54, 61}})));
  EXPECT_TRUE(HloEvaluator::IsOpcodeImplemented(HloOpcode::kAdd));
}

TEST(EvaluatorForms, CustomCallsAreHandled) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT c = f32[2] custom-call(a, b), custom_call_target="difference" })"));
  HloEvaluator evaluator;
  const Literal a = LiteralUtil::CreateR1<float>({5, 7}), b = LiteralUtil::CreateR1<float>({1, 2});
  const std::vector<const Literal*> arguments = {&a, &b};
  EXPECT_FALSE(evaluator.Evaluate(*module, absl::MakeConstSpan(arguments)).ok());
  evaluator.set_custom_call_handler(
      [](const HloInstruction* call,
         absl::Span<const Literal*> operands) -> absl::StatusOr<Literal> {
        if (call->custom_call_target() != "difference") return absl::InternalError("unknown");
        return HloEvaluator().EvaluateElementwiseBinaryOp(HloOpcode::kSubtract, *operands[0],
                                                          *operands[1]);
      });
  ASSERT_OK_AND_ASSIGN(const Literal result,
                       evaluator.Evaluate(*module, absl::MakeConstSpan(arguments)));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({4, 5}));
}

}  // namespace
}  // namespace xla
