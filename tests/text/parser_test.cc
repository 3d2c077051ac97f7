// SPDX-License-Identifier: Apache-2.0
// What HLO text means: forms of a text, instructions and their attributes.
#include "xla/hlo/text/parser.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "tests/test_util.h"
#include "xla/hlo/text/printer.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// A module whose entry has this body.
absl::StatusOr<std::unique_ptr<HloModule>> ParseBody(const std::string& body,
                                                     const std::string& before = "") {
  return ParseAndReturnUnverifiedModule("HloModule m\n" + before + "\nENTRY e {\n" + body +
                                        "\n}\n");
}

TEST(ParserTest, AModuleHasAHeaderComputationsAndAnEntry) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(R"(
HloModule jit_f, is_scheduled=true, replica_count=2, num_partitions=4, alias_passthrough_params=true,
  input_output_alias={ {1}: (1, {}, must-alias), {0}: (0, {}) }, buffer_donor={ (2, {}) },
  entry_computation_layout={(f32[2,3]{0,1}, f32[2], s32[])->(f32[2,3]{1,0}, f32[2])},
  allow_spmd_sharding_propagation_to_parameters={true,false}, allow_spmd_sharding_propagation_to_output=true,
  frontend_attributes={a={"x":1},b="y"}

%callee (x: f32[2]) -> f32[2] {
  ROOT %x = f32[2]{0} parameter(0)
} // %callee

ENTRY %main (p: f32[2,3], q: f32[2], r: s32[]) -> (f32[2,3], f32[2]) {
  %p = f32[2,3]{0,1} parameter(0)
  %q = f32[2]{0} parameter(1)
  %r = s32[] parameter(2)
  %c = f32[2]{0} call(%q), to_apply=%callee
  ROOT %t = (f32[2,3]{0,1}, f32[2]{0}) tuple(%p, %c)
}, execution_thread="worker"
)"));
  EXPECT_EQ(module->name(), "jit_f");
  const HloModuleConfig& config = module->config();
  EXPECT_TRUE(config.is_scheduled);
  EXPECT_TRUE(config.alias_passthrough_params());
  EXPECT_EQ(config.replica_count(), 2);
  EXPECT_EQ(config.num_partitions(), 4);
  EXPECT_TRUE(config.use_spmd_partitioning());
  ASSERT_EQ(config.input_output_alias.size(), 2u);
  EXPECT_EQ(config.input_output_alias[0],
            (InputOutputAlias{
                .output_index = {0}, .parameter_number = 0, .kind = InputOutputAlias::Kind::kMay}));
  EXPECT_EQ(config.input_output_alias[1].kind, InputOutputAlias::Kind::kMust);
  EXPECT_EQ(config.buffer_donor, (std::vector<BufferDonor>{{.parameter_number = 2}}));
  EXPECT_EQ(config.allow_spmd_sharding_propagation_to_parameters(),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(config.frontend_attributes.at("a"), "{\"x\":1}");
  EXPECT_EQ(config.entry_computation_layout().result().ToString(true),
            "(f32[2,3]{1,0}, f32[2]{0})");
  EXPECT_EQ(module->entry_computation()->name(), "main");
  EXPECT_EQ(module->entry_computation()->execution_thread(), "worker");
  EXPECT_EQ(module->entry_computation()->root_instruction()->name(), "t");
  EXPECT_EQ(module->computation_count(), 2);
}

TEST(ParserTest, WithoutHeaderTheEntryNamesTheModule) {
  ASSERT_OK_AND_ASSIGN(
      auto module, ParseAndReturnUnverifiedModule(
                       "a { ROOT x = f32[] parameter(0) } ENTRY b { y = f32[2]{0} parameter(0) }"));
  EXPECT_EQ(module->name(), "module_b");
  EXPECT_EQ(module->entry_computation()->name(), "b");
}

TEST(ParserTest, WithoutEntryTheLastComputationIsIt) {
  ASSERT_OK_AND_ASSIGN(
      auto module, ParseAndReturnUnverifiedModule(
                       "HloModule m: a { x = f32[] parameter(0) } b { y = s32[] parameter(0) }"));
  EXPECT_EQ(module->entry_computation()->name(), "b");
}

TEST(ParserTest, ASingleInstructionMakesParametersOfUnknownOperands) {
  ASSERT_OK_AND_ASSIGN(
      auto module, ParseAndReturnUnverifiedModule("%s = f32[2]{0} add(f32[2]{0} %x, f32[2]{0})"));
  const HloComputation& entry = *module->entry_computation();
  EXPECT_EQ(entry.num_parameters(), 2);
  EXPECT_EQ(entry.parameter_instruction(0)->name(), "x");
  EXPECT_EQ(entry.parameter_instruction(1)->name(), "_1");
  EXPECT_EQ(entry.root_instruction()->name(), "s");
  EXPECT_TRUE(module->config().is_scheduled);
}

TEST(ParserTest, ASingleInstructionMayBeNamelessAndNested) {
  ASSERT_OK_AND_ASSIGN(auto module,
                       ParseAndReturnUnverifiedModule("f32[] negate(f32[] add(f32[] x, f32[] y))"));
  EXPECT_EQ(module->entry_computation()->num_parameters(), 2);
  EXPECT_EQ(module->entry_computation()->root_instruction()->operand(0)->opcode(), HloOpcode::kAdd);
}

TEST(ParserTest, NestedInstructionsAreNamedByTheirOpcode) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody("a = f32[2] parameter(0)\n"
                                              "ROOT b = add(negate(a), f32[2] negate(negate(a)))"));
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  EXPECT_EQ(root.operand(0)->name(), "negate.anon");
  EXPECT_EQ(root.operand(1)->operand(0)->name(), "negate.anon.1");
  EXPECT_EQ(root.operand(1)->name(), "negate.anon.2");
}

TEST(ParserTest, ShapesWithoutNamesAreNoOperands) {
  const auto parse = [](const std::string& operands) {
    return ParseBody("p = f32[] parameter(0)\nq = f32[2] parameter(1)\nr = (f32[], f32[2]) tuple(" +
                     operands + ")\nROOT s = f32[] add(p, f32[], p)");
  };
  for (const std::string operands :
       {"p, f32[], q", "f32[] p, q, f32[2]{0}", "(f32[], s32[]), p, f32[], q"}) {
    const auto module = parse(operands);
    ASSERT_OK(module);
    const HloInstruction* root = (*module)->entry_computation()->root_instruction();
    EXPECT_EQ(root->operand_count(), 2) << operands;
  }
  // Others are errors, and so is one too few.
  EXPECT_FALSE(parse("p, f32[] nothing, q").ok());
  EXPECT_FALSE(parse("p, f32[]{0}, q").ok());
  const auto too_few = ParseBody("p = f32[] parameter(0)\nROOT s = f32[] add(p, f32[])");
  ASSERT_FALSE(too_few.ok());
  EXPECT_TRUE(absl::StrContains(too_few.status().message(), "expects name")) << too_few.status();
  EXPECT_TRUE(absl::StrContains(too_few.status().message(), "expects 2 operands, but has 1"));
}

TEST(ParserTest, ComputationsMayStandInPlace) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    p = f32[4] parameter(0)
    z = f32[] constant(0)
    ROOT r = reduce(p, z), dimensions={0}, to_apply={
      x = f32[] parameter(0)
      y = f32[] parameter(1)
      ROOT s = add(x, y)
    })"));
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  EXPECT_EQ(root.shape(), ShapeUtil::MakeShape(F32, {}));
  EXPECT_EQ(root.to_apply()->name(), "_");
  EXPECT_EQ(root.attributes<DimensionListAttributes>().dimensions, (Int64s{0}));
}

TEST(ParserTest, NamesAreLocalToTheirComputation) {
  ASSERT_OK_AND_ASSIGN(auto module,
                       ParseBody("x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=f",
                                 "f { x = f32[] parameter(0)\n ROOT y = negate(x) }"));
  EXPECT_EQ(module->entry_computation()->root_instruction()->operand(0)->name(), "x.1");
}

TEST(ParserTest, TheRootIsMarkedOrLast) {
  ASSERT_OK_AND_ASSIGN(auto marked, ParseBody("ROOT a = f32[] parameter(0)\n b = negate(a)"));
  EXPECT_EQ(marked->entry_computation()->root_instruction()->name(), "a");
  ASSERT_OK_AND_ASSIGN(auto last, ParseBody("a = f32[] parameter(0)\n b = negate(a)"));
  EXPECT_EQ(last->entry_computation()->root_instruction()->name(), "b");
}

TEST(ParserTest, AttributesOfAnyInstruction) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    a = f32[2] parameter(0), parameter_replication={true}, sharding={devices=[2]<=[2]}
    b = f32[2] exponential(a), result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}, control-predecessors={a},
      statistics={visualizing_index=1,x=2,y=0.5}, origin={(({"v" {1}}, {}), {"w"})},
      metadata={op_type="t", op_name="n\"" source_line=7 profile_type={1} stack_frame_id=3},
      frontend_attributes={k="v",d={x=1}}, backend_config={"c":{}}
    ROOT c = f32[2] exponential(b), result_accuracy={mode=highest}, backend_config="text", origin={[synthetic_call]})",
                                              R"(
FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=2 column=1 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}
3 {file_location_id=1 parent_frame_id=3}
)"));
  const HloInstruction& c = *module->entry_computation()->root_instruction();
  EXPECT_EQ(c.extras().result_accuracy.mode, AccuracySpec::Mode::kHighest);
  EXPECT_EQ(c.extras().backend_config, "text");
  EXPECT_TRUE(c.extras().original_value->is_synthetic_call);
  const HloInstruction& b = *c.operand(0);
  EXPECT_EQ(
      b.extras().result_accuracy,
      (AccuracySpec{.mode = AccuracySpec::Mode::kTolerance, .atol = 1, .rtol = 0.5, .ulps = 2}));
  EXPECT_EQ(b.control_predecessors().size(), 1u);
  EXPECT_EQ(b.extras().statistics->values.size(), 2u);
  EXPECT_EQ(b.extras().original_value->root.elements[0].elements[0].instruction_name, "v");
  EXPECT_EQ(b.metadata().op_name(), "n\"");
  EXPECT_EQ(b.metadata().source_line(), 7);
  EXPECT_EQ(b.metadata().stack_frame_id(), 3);
  EXPECT_EQ(b.extras().frontend_attributes.at("d"), "{x=1}");
  EXPECT_EQ(b.extras().backend_config, "{\"c\":{}}");
  EXPECT_EQ(b.operand(0)->extras().sharding->ToString(), "{devices=[2]<=[2]}");
}

TEST(ParserTest, UlpsAreIntegersOfSixtyFourBits) {
  ASSERT_OK_AND_ASSIGN(auto module,
                       ParseBody("a = f32[2] parameter(0)\n"
                                 "ROOT b = f32[2] exponential(a), result_accuracy="
                                 "{tolerance={atol=0,rtol=0,ulps=9223372036854775807}}"));
  const AccuracySpec& accuracy =
      module->entry_computation()->root_instruction()->extras().result_accuracy;
  EXPECT_EQ(accuracy.ulps, std::numeric_limits<int64_t>::max());
}

TEST(ParserTest, AttributesOfOneOperation) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    a = f32[1,8,8,3] parameter(0)
    k = f32[3,3,3,5] parameter(1)
    ROOT c = convolution(a, k), window={size=3x3 stride=2x1 pad=1_1x0_-1 rhs_dilate=1x2 rhs_reversal=0x1},
      dim_labels=b01f_01io->b01f, operand_precision={high,default}, feature_group_count=1)"));
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  const auto& attributes = root.attributes<ConvolutionAttributes>();
  ASSERT_EQ(attributes.window.size(), 2u);
  EXPECT_EQ(attributes.window[1], (WindowDim{.size = 3,
                                             .stride = 1,
                                             .padding_low = 0,
                                             .padding_high = -1,
                                             .window_dilation = 2,
                                             .window_reversal = true}));
  EXPECT_EQ(attributes.dim_labels.kernel_spatial, (Int64s{0, 1}));
  EXPECT_EQ(attributes.dim_labels.output_feature, 3);
  EXPECT_EQ(attributes.precision.values[0], PrecisionConfig_Precision_HIGH);
  EXPECT_EQ(root.shape().ToString(), "f32[1,4,3,5]");
}

TEST(ParserTest, AnyOperationHasAnAsyncForm) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    a = f32[2,2] parameter(0)
    s = ((f32[2,2], f32[2,2]), f32[2,2], u32[]) dot-start(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0},
      async_execution_thread="other"
    u = ((f32[2,2], f32[2,2]), f32[2,2], u32[]) dot-update(s)
    ROOT d = f32[2,2] dot-done(u))"));
  const HloInstruction& done = *module->entry_computation()->root_instruction();
  EXPECT_EQ(done.opcode(), HloOpcode::kAsyncDone);
  const HloInstruction& start = *done.operand(0)->operand(0);
  EXPECT_EQ(start.opcode(), HloOpcode::kAsyncStart);
  EXPECT_EQ(start.attributes<AsyncAttributes>().async_execution_thread, "other");
  const HloInstruction& dot = *start.called_computations()[0]->root_instruction();
  EXPECT_EQ(dot.opcode(), HloOpcode::kDot);
  EXPECT_EQ(dot.attributes<DotAttributes>().lhs_contracting_dims, (Int64s{1}));
}

TEST(ParserTest, AnAsyncFormNamedLikeAnotherOperationIsWrittenInFull) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(R"(HloModule m

wrapped {
  x = f32[2] parameter(0)
  ROOT y = f32[2] copy(x)
}

ENTRY main {
  a = f32[2] parameter(0)
  s = ((f32[2]), f32[2], u32[]) async-start(a), calls=wrapped
  ROOT d = f32[2] async-done(s)
})"));
  const std::string text = ModuleToString(*module);
  EXPECT_NE(text.find("async-start("), std::string::npos) << text;
  ASSERT_OK_AND_ASSIGN(auto again, ParseAndReturnUnverifiedModule(text));
  EXPECT_OK(again->CheckEqual(*module));
}

TEST(ParserTest, AnAsyncFormSharesItsAttributesWithTheOperation) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    a = f32[2] parameter(0)
    s = ((f32[2]), f32[2]) exponential-start(a), statistics={visualizing_index=0,x=1}, frontend_attributes={k="v"},
      statistics={visualizing_index=0,x=1}, result_accuracy={mode=highest}
    ROOT d = f32[2] exponential-done(s))"));
  const HloInstruction& start = *module->entry_computation()->root_instruction()->operand(0);
  const HloInstruction& operation = *start.called_computations()[0]->root_instruction();
  EXPECT_EQ(start.extras().statistics->values.size(), 1u);
  EXPECT_EQ(operation.extras().statistics->values.size(), 1u);
  EXPECT_EQ(operation.extras().frontend_attributes.at("k"), "v");
  EXPECT_EQ(operation.extras().result_accuracy.mode, AccuracySpec::Mode::kHighest);
  EXPECT_EQ(start.extras().result_accuracy.mode, AccuracySpec::Mode::kDefault);
}

TEST(ParserTest, SparseConvolutions) {
  const std::string text =
      R"(HloModule m, entry_computation_layout={(f32[1,8]{1,0}, f32[2,1]{1,0}, s32[2,1]{1,0})->f32[1,1]{1,0}}

ENTRY %e (a: f32[1,8], v: f32[2,1], p: s32[2,1]) -> f32[1,1] {
  %a = f32[1,8]{1,0} parameter(0)
  %v = f32[2,1]{1,0} parameter(1)
  %p = s32[2,1]{1,0} parameter(2)
  %k = (f32[2,1]{1,0}, s32[2,1]{1,0}) tuple(%v, %p)
  ROOT %c = f32[1,1]{1,0} convolution(%a, %k), dim_labels=bf_io->bf, sparsity_config={rhs={sparsity=1x4 dimension=0 stride=1}}
}

)";
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(text));
  EXPECT_EQ(ModuleToString(*module), text);
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  const Sparsity& sparsity = root.attributes<ConvolutionAttributes>().sparsity;
  EXPECT_FALSE(sparsity.lhs.has_value());
  ASSERT_TRUE(sparsity.rhs.has_value());
  EXPECT_EQ(sparsity.rhs->num_non_zero, 1);
  EXPECT_EQ(sparsity.rhs->block_size, 4);
  EXPECT_ERROR(ParseBody("a = f32[1,8] parameter(0)\nb = f32[8,1] parameter(1)\n"
                         "ROOT c = f32[1,1] convolution(a, b), dim_labels=bf_io->bf, "
                         "sparsity_config={rhs={sparsity=1x4x2}}")
                   .status(),
               "num_non_zero:block_size");
}

TEST(ParserTest, ShapesMayBeLeftOutWhereTheyFollow) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseBody(R"(
    a = f32[2,3]{0,1} parameter(0)
    i = s32[] parameter(1)
    c = compare(a, a), direction=LT
    s = select(c, a, a)
    t = tuple(s, i)
    ROOT g = get-tuple-element(t), index=1)"));
  EXPECT_EQ(module->entry_computation()->root_instruction()->shape().ToString(true), "s32[]");
}

TEST(ParserTest, StackFramesStandBetweenHeaderAndComputations) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(R"(HloModule m

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=3 column=4 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

ENTRY e { a = f32[] parameter(0) }
)"));
  const StackFrameTable& frames = module->stack_frames();
  EXPECT_EQ(frames.file_names, (std::vector<std::string>{"a.py"}));
  EXPECT_EQ(frames.locations[0].end_column, 5);
  EXPECT_EQ(frames.frames[0].parent_frame_id, 0);
  EXPECT_EQ(frames.frames[1].parent_frame_id, 1);
}

TEST(ParserTest, ShapeTextRoundTrips) {
  for (const char* text :
       {"f32[]", "f32[2,3]{0,1}", "s4[2]{0:E(4)}", "(f32[2]{0}, ())", "token[]", "opaque[]",
        "b(f32[2]{0})", "f32[<=2,?]{1,0}", "bf16[8,128]{1,0:T(8,128)(2,1)S(5)}", "u32[]{:T(128)}",
        "f32[4]{0:T(*,2)L(4)#(u32)*(u8)}", "f32[4]{0:SC(0:1,2)(1:3)M(16)}",
        "f32[2,3]{0,1:W(3,5)V(zero)}", "f32[2]{0:W(4)V(unknown)}"}) {
    ASSERT_OK_AND_ASSIGN(Shape shape, ParseShape(text));
    EXPECT_EQ(shape.ToString(/*print_layout=*/true), text);
  }
  // Read and dropped; blanks; missing layouts.
  ASSERT_OK_AND_ASSIGN(Shape shape, ParseShape("( f32 [ 2 , 3 ] {1, 0 : D(D,C+~)} , s8[3] )"));
  EXPECT_EQ(shape.ToString(true), "(f32[2,3]{1,0}, s8[3]{0})");
}

TEST(ParserTest, ShardingTextRoundTrips) {
  for (const char* text :
       {"{replicated}", "{manual}", "{unknown}", "{unreduced}", "{maximal device=3}",
        "{devices=[2,2]0,2,1,3}", "{devices=[2,2]<=[4]}", "{devices=[2,2]<=[2,2]T(1,0)}",
        "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
        "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}",
        "{devices=[2]<=[2] shard_as 7}", "{{replicated}, {maximal device=1}}", "{}",
        "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}",
        "{mesh['x'=4], device_ids=(0,2,1,3), [{'x'}]}", "{mesh['x'=2,'y'=2], replicated}"}) {
    ASSERT_OK_AND_ASSIGN(HloSharding sharding, ParseSharding(text));
    EXPECT_EQ(sharding.ToString(), text);
  }
}

TEST(ParserTest, DeviceListTextRoundTrips) {
  for (const char* text :
       {"{}", "{{0,1},{2,3}}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)", "mesh['x'=2,'y'=2] {'x'}"}) {
    ASSERT_OK_AND_ASSIGN(CollectiveDeviceList devices, ParseCollectiveDeviceList(text));
    EXPECT_EQ(devices.ToString(), text);
  }
}

TEST(ParserTest, SingleAttributeValues) {
  ASSERT_OK_AND_ASSIGN(WindowDims window, ParseWindowDims("size=2x3 pad=0_1x-1_0"));
  EXPECT_EQ(window[1].padding_low, -1);
  ASSERT_OK_AND_ASSIGN(ConvDims dims, ParseConvDims("b?0f_i0o->b0f"));
  EXPECT_EQ(dims.input_unknown, (Int64s{1}));
  ASSERT_OK_AND_ASSIGN(std::vector<PadDim> padding, ParsePadDims("1_2_3x-1_0"));
  EXPECT_EQ(padding, (std::vector<PadDim>{{1, 2, 3}, {-1, 0, 0}}));
  ASSERT_OK_AND_ASSIGN(Layout layout, ParseLayout("{0,1:T(2)}"));
  EXPECT_EQ(layout.ToString(), "{0,1:T(2)}");
  EXPECT_ERROR(ParseShape("f32[2] x"), "Extra content after shape");
  EXPECT_ERROR(ParseWindowDims("size=2 pad=1_1_1"),
               "expects padding_low and padding_high separated by '_'");
}

}  // namespace
}  // namespace xla
