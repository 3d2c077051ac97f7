// SPDX-License-Identifier: Apache-2.0
// Attributes and other facts of instructions and modules on the wire: what is written reads back
// equal and prints the same.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"

namespace xla {
namespace {

// Computations that the lines below may call.
constexpr char kCallees[] = R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ge { c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT g = pred[] compare(c, d), direction=GE }
sin { e = f32[8] parameter(0)
  ROOT f = f32[8] sine(e) }
cos { e = f32[8] parameter(0)
  ROOT f = f32[8] cosine(e) }
body { l = (s32[], f32[8]) parameter(0)
  ROOT m = (s32[], f32[8]) copy(l) }
cond { l = (s32[], f32[8]) parameter(0)
  ROOT n = pred[] constant(false) }
step { o = f32[4] parameter(0)
  q = f32[4] parameter(1)
  r = f32[4] add(o, q)
  ROOT t = (f32[4], f32[4]) tuple(r, r) }
)";

std::string Module(const std::string& line) {
  return absl::StrCat("HloModule m\n", kCallees, R"(ENTRY e {
  p = f32[8] parameter(0)
  w = f32[4,6] parameter(1)
  x = f32[6,4] parameter(2)
  i = s32[] parameter(3)
  pr = pred[] parameter(4)
  z = f32[] constant(0)
  img = f32[2,5,5,3] parameter(5)
  k = f32[3,3,3,4] parameter(6)
  sq = f32[3,3] parameter(7)
  tok = token[] parameter(8)
  st = u64[2] parameter(9)
  tu = (s32[], f32[8]) parameter(10)
  idx = s32[2,1] parameter(11)
  ROOT r = )",
                      line, "\n}\n");
}

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module) << text;
  return module.ok() ? *std::move(module) : nullptr;
}

void ExpectRoundTrip(const std::string& text) {
  SCOPED_TRACE(text);
  const auto module = Parse(text);
  ASSERT_NE(module, nullptr);
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_OK_AND_ASSIGN(const auto read, CreateModuleFromProto(proto));
  EXPECT_OK(read->CheckEqual(*module));
  EXPECT_EQ(read->ToString(), module->ToString());
}

TEST(Operations, RoundTrip) {
  for (const char* line : {
           "f32[8] exponential(p), result_accuracy={mode=highest}",
           "f32[8] exponential(p), result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}",
           "pred[8] compare(p, p), direction=LT, type=TOTALORDER",
           "f32[8] reduce-precision(p), exponent_bits=5, mantissa_bits=10",
           "s32[4,2] iota(), iota_dimension=1",
           "f32[2,8] broadcast(p), dimensions={1}",
           "f32[6,4] transpose(w), dimensions={1,0}",
           "f32[16] concatenate(p, p), dimensions={0}",
           "f32[2,4] reshape(p), inferred_dimension=0",
           "f32[2] slice(p), slice={[1:5:2]}",
           "f32[12] pad(p, z), padding=1_-1_0",
           "f32[23] pad(p, z), padding=1_-1_2",
           "f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
           "f32[8] dynamic-update-slice(p, p, i)",
           "f32[2,2] gather(p, idx), offset_dims={1}, collapsed_slice_dims={}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={2}, indices_are_sorted=true",
           "f32[8] scatter(p, idx, w), update_window_dims={1}, inserted_window_dims={}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, "
           "to_apply=add",
           "s32[] get-dimension-size(w), dimensions={1}",
           "f32[4,<=6] set-dimension-size(w, i), dimensions={1}",
           "f32[4] reduce(w, z), dimensions={1}, to_apply=add",
           "f32[8] map(p, p), dimensions={0}, to_apply=add",
           "(f32[4,6], f32[4]) scan(w, z), dimensions={1}, num_carries=1, is_reverse=true, "
           "is_associative=true, to_apply=step",
           "f32[2,2,2,3] reduce-window(img, z), window={size=1x2x2x1 stride=1x2x2x1 "
           "pad=0_0x0_0x0_0x0_0 rhs_dilate=1x2x2x1}, to_apply=add",
           "f32[2,5,5,3] select-and-scatter(img, img, z), window={size=1x1x1x1}, select=ge, "
           "scatter=add",
           "f32[4,6] sort(w), dimensions={1}, is_stable=true, to_apply=ge",
           "(f32[3], s32[3]) topk(p), k=3, largest=false",
           "f32[2,3,3,4] convolution(img, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
           "operand_precision={high,default}",
           "f32[2,5,5,4] convolution(img, k), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, "
           "dim_labels=b01f_01io->b01f, convolution_kind=dgrad",
           "f32[4,4] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
           "operand_precision={highest,highest}, algorithm=dot_tf32_tf32_f32",
           "f32[3,3] cholesky(sq), lower=true",
           "f32[3,3] triangular-solve(sq, sq), left_side=true, unit_diagonal=true, "
           "transpose_a=ADJOINT",
           "c64[5] fft(p), fft_type=RFFT, fft_length={8}",
           "f32[8] rng(z, z), distribution=rng_uniform",
           "(u64[2], u32[4]) rng-bit-generator(st), algorithm=rng_philox",
           "u64[1] rng-get-and-update-state(), delta=4096",
           "f32[8] call(p), to_apply=sin, is_composite=true",
           "(s32[], f32[8]) while(tu), condition=cond, body=body",
           "f32[8] conditional(pr, p, p), true_computation=sin, false_computation=cos",
           "f32[8] conditional(i, p, p), branch_computations={sin, cos}",
           "f32[8] get-tuple-element(tu), index=1",
           "f32[8] custom-call(p), custom_call_target=\"t\", custom_call_has_side_effect=true, "
           "schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, backend_config={a = 1}",
           "f32[8] custom-call(p), custom_call_target=\"t\", operand_layout_constraints={f32[8]{0}}"
           ", output_to_operand_aliasing={{}: (0, {})}, to_apply=sin",
           "f32[8] copy-done((f32[8], f32[8], u32[]) copy-start(p))",
           "f32[8] domain(p), domain={kind=\"sharding\", entry={maximal device=0}, "
           "exit={maximal device=1}}",
           "((f32[8]), token[]) infeed(tok), infeed_config=\"c\"",
           "token[] outfeed(p, tok), outfeed_shape=f32[8]{0}, outfeed_config=\"c\"",
           "(f32[8], u32[], token[]) send(p, tok), channel_id=1, is_host_transfer=true",
           "f32[16] all-gather(p), channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
           "use_global_device_ids=true",
           "f32[8] all-reduce(p), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=add",
           "f32[8] all-reduce(p), replica_groups={}, constrain_layout=true, to_apply=add",
           "f32[8] all-reduce(p), channel_id=1, replica_groups=mesh['x'=2,'y'=4] {'y':(1)2}, "
           "use_global_device_ids=true, to_apply=add",
           "f32[4] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
           "f32[8] all-to-all(p), replica_groups={{0,1}}, dimensions={0}",
           "(f32[8], f32[8]) all-to-all(p, p), replica_groups={{0,1}}",
           "f32[8] collective-permute(p), channel_id=3, source_target_pairs={{0,1},{1,0}}",
           "f32[8] collective-broadcast(p), replica_groups={{0,1}}",
           "f32[8] negate(p), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}",
           "f32[8] negate(p), frontend_attributes={a=\"b\",c={d}}",
           "f32[8] negate(p), statistics={visualizing_index=1,s=1.5,t=2}",
           "f32[8] negate(p), control-predecessors={w, x}, metadata={op_type=\"t\" op_name=\"n\" "
           "source_file=\"f\" source_line=3}",
           "f32[8] negate(p), origin={{\"x\" {1,2}}}",
           "(s32[], f32[8]) copy(tu), origin={({}, {\"b\"})}",
           "f32[4] constant({1, -0.0, nan, -inf})",
           "(f32[], s32[2]) constant((1, {2, 3}))",
       }) {
    ExpectRoundTrip(Module(line));
  }
}

TEST(Operations, FusionsAndAsynchronousOperationsRoundTrip) {
  ExpectRoundTrip(R"(HloModule m
f { a = f32[8] parameter(0)
  ROOT b = f32[8] negate(a) }
ENTRY e { p = f32[8] parameter(0), parameter_replication={true}
  ROOT r = f32[8] fusion(p), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=f })");
  ExpectRoundTrip(R"(HloModule m
f { a = f32[8] parameter(0)
  ROOT b = f32[8] negate(a) }, execution_thread="t"
ENTRY e { p = f32[8] parameter(0)
  s = ((f32[8]), f32[8], u32[]) async-start(p), async_execution_thread="t", calls=f
  u = ((f32[8]), f32[8], u32[]) async-update(s)
  ROOT d = f32[8] async-done(u) })");
}

TEST(Operations, CalleesAreInXlasOrder) {
  const auto module = Parse(Module("(s32[], f32[8]) while(tu), condition=cond, body=body"));
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  const HloComputationProto& entry = proto.computations(proto.computations_size() - 1);
  const HloInstructionProto& loop = entry.instructions(entry.instructions_size() - 1);
  ASSERT_EQ(loop.called_computation_ids_size(), 2);
  auto name = [&](int64_t id) -> std::string {
    for (const auto& computation : proto.computations()) {
      if (computation.id() == id) return computation.name();
    }
    return "";
  };
  EXPECT_EQ(name(loop.called_computation_ids(0)), "body");
  EXPECT_EQ(name(loop.called_computation_ids(1)), "cond");
}

TEST(Operations, TheWireLooksAtDomainsFromTheOtherSide) {
  const auto module = Parse(R"(HloModule m
ENTRY e { p = f32[] parameter(0)
  ROOT d = f32[] domain(p), domain={kind="sharding", entry={maximal device=0}, exit={manual}} })");
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  const HloInstructionProto& domain = proto.computations(0).instructions(1);
  EXPECT_EQ(domain.domain_entry_sharding().type(), OpSharding::MANUAL);
  EXPECT_EQ(domain.domain_exit_sharding().type(), OpSharding::MAXIMAL);
}

TEST(Operations, AScheduleChangesNeitherIdsNorTheOrderOfComputations) {
  const auto module = Parse(R"(HloModule m, is_scheduled=true
f { x = f32[] parameter(0)
  ROOT n = f32[] negate(x) }
g { y = f32[] parameter(0)
  ROOT o = f32[] sine(y) }
ENTRY e { p = f32[] parameter(0)
  a = f32[] call(p), to_apply=f
  b = f32[] call(p), to_apply=g
  ROOT r = f32[] add(a, b) })");
  ASSERT_OK_AND_ASSIGN(HloModuleProto proto, ModuleToProto(*module));
  auto& ids = *(*proto.mutable_schedule()->mutable_sequences())[2].mutable_instruction_ids();
  ids.SwapElements(1, 2);
  ASSERT_OK_AND_ASSIGN(const auto read, CreateModuleFromProto(proto));
  EXPECT_EQ(read->entry_computation()->instructions()[1]->name(), "b");
  EXPECT_EQ(read->MakeComputationPostOrder()[0]->name(), "f");
  ASSERT_OK_AND_ASSIGN(const HloModuleProto written, ModuleToProto(*read));
  EXPECT_EQ(written.schedule().sequences().at(2).instruction_ids(1), ids[1]);
  EXPECT_EQ(written.computations(2).instructions(1).id(),
            proto.computations(2).instructions(1).id());
}

TEST(Header, RoundTrips) {
  ExpectRoundTrip(
      R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {1}, may-alias) }, buffer_donor={ (2, {}) }, entry_computation_layout={(f32[], (s32[], f32[]), f32[])->(f32[], f32[])}, frontend_attributes={a="b"}

FileNames
1 "f.py"
2 "g.py"

FunctionNames
1 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=2 column=3 end_column=4}
2 {file_name_id=2 function_name_id=1 line=5 end_line=6 column=7 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}

ENTRY e { a = f32[] parameter(0)
  b = (s32[], f32[]) parameter(1)
  c = f32[] parameter(2)
  late = f32[] sine(a)
  early = f32[] cosine(a), metadata={op_name="x" stack_frame_id=2}
  ROOT t = (f32[], f32[]) tuple(early, late) })");
}

TEST(Header, RecoveryTablesHoldModules) {
  const auto module = Parse(R"(HloModule m, origin_recovery_table={
  {"a" {1}} : {"p"}
  {"n"} : {"p"},
  "
HloModule recovery
ENTRY r { p = f32[2]{0} parameter(0)
  ROOT n = f32[2]{0} negate(p) }
"
}
ENTRY e { ROOT p = f32[2] parameter(0) })");
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_EQ(proto.original_value_recovery_table().entries_size(), 2);
  EXPECT_EQ(proto.original_value_recovery_table().entries(0).old_original_array().shape_index(0),
            1);
  EXPECT_EQ(proto.original_value_recovery_table().entries(1).recovery_module().name(), "recovery");
  ASSERT_OK_AND_ASSIGN(const auto read, CreateModuleFromProto(proto));
  ASSERT_EQ(read->config().origin_recovery_table.size(), 2u);
  ASSERT_OK(
      ParseAndReturnUnverifiedModule(read->config().origin_recovery_table[1].recovery_module));
  ASSERT_OK_AND_ASSIGN(const HloModuleProto again, ModuleToProto(*read));
  EXPECT_EQ(again.SerializeAsString(), proto.SerializeAsString());
}

TEST(Header, ModulesWithinModulesWithinModulesAreAnError) {
  const auto module = Parse("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }");
  ASSERT_OK_AND_ASSIGN(HloModuleProto proto, ModuleToProto(*module));
  const HloModuleProto plain = proto;
  auto nest = [](HloModuleProto inner, HloModuleProto outer) {
    *outer.mutable_original_value_recovery_table()->add_entries()->mutable_recovery_module() =
        std::move(inner);
    return outer;
  };
  EXPECT_OK(CreateModuleFromProto(nest(plain, plain)));
  EXPECT_ERROR(CreateModuleFromProto(nest(nest(plain, plain), plain)),
               "a recovery module has a recovery table of its own");
}

TEST(Attributes, AliasesNameElementsOfOperands) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  pair = (f32[4], f32[4]) tuple(x, x)
  a = f32[4] custom-call(x, pair), custom_call_target="t", output_to_operand_aliasing={{}: (1, {1})}
  ROOT b = (f32[4], f32[4]) custom-call(pair, a), custom_call_target="t", output_to_operand_aliasing={{1}: (0, {0}), {0}: (1, {})}
})");
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_OK_AND_ASSIGN(const auto read, CreateModuleFromProto(proto));
  EXPECT_OK(read->CheckEqual(*module));
  const auto& aliasing = read->entry_computation()
                             ->GetInstructionWithName("a")
                             ->attributes<CustomCallAttributes>()
                             .output_to_operand_aliasing;
  ASSERT_EQ(aliasing.size(), 1u);
  EXPECT_EQ(aliasing[0].operand, 1);
  EXPECT_EQ(
      std::vector<int64_t>(aliasing[0].operand_index.begin(), aliasing[0].operand_index.end()),
      (std::vector<int64_t>{1}));
}

// A recovery module holds text: the proto is refused where it would hold a module in a module.
TEST(Header, RecoveryModulesWithRecoveryModulesHaveNoProto) {
  const auto module = Parse("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }");
  const auto entry = [](std::string recovery_module) {
    OriginRecoveryEntry made;
    made.old_value.instruction_name = made.replacement.instruction_name = "a";
    made.recovery_module = std::move(recovery_module);
    return made;
  };
  const auto text_with = [&](const OriginRecoveryEntry& inner) {
    const auto outer = Parse("HloModule r\nENTRY e { ROOT p = f32[] parameter(0) }");
    outer->config().origin_recovery_table.push_back(inner);
    return ModuleToString(*outer, HloPrintOptions());
  };
  module->config().origin_recovery_table = {entry(text_with(entry("")))};
  EXPECT_OK(ModuleToProto(*module));
  const std::string plain = "HloModule p\nENTRY e { ROOT p = f32[] parameter(0) }";
  module->config().origin_recovery_table = {entry(text_with(entry(plain)))};
  EXPECT_ERROR(ModuleToProto(*module), "a recovery module has a recovery table of its own");
  module->config().origin_recovery_table = {entry("HloModule")};
  EXPECT_ERROR(ModuleToProto(*module), "recovery module");
}

}  // namespace
}  // namespace xla
