// SPDX-License-Identifier: Apache-2.0
// The verifier's rules of single instructions: declared shapes, attributes, callees.
#include "tests/verifier/verifier_test_util.h"

namespace xla {
namespace {

using testing::Entry;
using testing::ExpectVerified;

const char kAdd[] =
    "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }";

TEST(InstructionVerifier, DeclaredShapesAreThoseInferred) {
  ExpectVerified({
      {Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[2,3] negate(a)"), ""},
      {Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[3,2] negate(a)"),
       "Expected instruction to have shape equal to f32[2,3], actual shape is f32[3,2], for "
       "instruction b"},
      {Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[2,3]{0,1} negate(a)"), ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = s32[2] negate(a)"),
       "equal to f32[2], actual shape is s32[2]"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = (f32[3]) tuple(a)"),
       "equal to (f32[2]), actual shape is (f32[3])"},
      {Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[4] reshape(a)"),
       "mismatched element counts"},
      {Entry("a = f32[5] parameter(0)\n ROOT b = f32[3] slice(a), slice={[0:2]}"),
       "equal to f32[2]"},
      {Entry("a = f32[5] parameter(0)\n ROOT b = s32[] get-dimension-size(a), dimensions={1}"),
       "out of bounds: 1"},
      {Entry("a = f32[5] parameter(0)\n ROOT b = (f32[5], token[]) infeed(a)"),
       "to be token-shaped"},
  });
}

TEST(InstructionVerifier, MessagesNameInstructionOperandsAndComputation) {
  const absl::Status status = testing::Verify(
      Entry("a = f32[2] parameter(0)\n b = f32[3] parameter(1)\n ROOT sum = f32[2] add(a, b)"));
  for (const char* part : {"incompatible shapes: f32[2] and f32[3]",
                           "sum = f32[2] add(f32[2] a, f32[3] b)", "in computation e"}) {
    EXPECT_ERROR(status, part);
  }
}

TEST(InstructionVerifier, FloatingPointPrecisionMayDiffer) {
  const std::string mixed = Entry("a = f32[2] parameter(0)\n ROOT b = bf16[2] negate(a)");
  const std::string operands =
      Entry("a = f32[2] parameter(0)\n b = bf16[2] parameter(1)\n ROOT c = f32[2] add(a, b)");
  ExpectVerified({{mixed, ""}, {operands, ""}});
  ExpectVerified(
      {{mixed, "Expected instruction to have shape"}, {operands, "mixed precision is disallowed"}},
      {.allow_mixed_precision = false});
  // What is reduced, and what the computation takes.
  const std::string reduced =
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  const std::string window = Entry(
      "a = bf16[4] parameter(0)\n b = f32[] parameter(1)\n "
      "ROOT c = f32[3] reduce-window(a, b), window={size=2}, to_apply=sum",
      reduced);
  ExpectVerified({{window, ""}});
  ExpectVerified({{window, "Shape mismatch between to_apply computation parameter and operand 0"}},
                 {.allow_mixed_precision = false});
  // But not where a value is only passed on.
  ExpectVerified(
      {{Entry("a = (f32[2]) parameter(0)\n ROOT b = bf16[2] get-tuple-element(a), index=0"),
        "equal to f32[2]"}});
}

TEST(InstructionVerifier, UpdatesOfOneScatterHaveOneShape) {
  const std::string keep =
      "keep { a = s32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n "
      "d = f32[] parameter(3)\n ROOT t = (s32[], f32[]) tuple(c, d) }\n";
  const auto scatter = [&](const std::string& second) {
    return Entry(
        "a = s32[4,5] parameter(0)\n b = f32[4,5] parameter(1)\n i = s32[1] parameter(2)\n "
        "u = s32[4,4] parameter(3)\n w = " +
            second +
            " parameter(4)\n "
            "ROOT s = (s32[4,5], f32[4,5]) scatter(a, b, i, u, w), update_window_dims={0,1}, "
            "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
            "to_apply=keep",
        keep);
  };
  ExpectVerified({{scatter("f32[4,4]"), ""},
                  {scatter("f32[1,1]"), "All updates of scatter must have the same dimensions"}});
}

TEST(InstructionVerifier, Comparisons) {
  ExpectVerified({
      {Entry("a = f32[2] parameter(0)\n ROOT b = pred[2] compare(a, a), direction=LT, "
             "type=TOTALORDER"),
       ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = pred[2] compare(a, a), direction=LT, type=SIGNED"),
       "Expected comparison type FLOAT or TOTALORDER"},
      {Entry("a = u8[2] parameter(0)\n ROOT b = pred[2] compare(a, a), direction=LT, type=SIGNED"),
       "Expected comparison type UNSIGNED"},
      {Entry("a = c64[2] parameter(0)\n ROOT b = pred[2] compare(a, a), direction=NE"), ""},
      {Entry("a = c64[2] parameter(0)\n ROOT b = pred[2] compare(a, a), direction=LT"),
       "Complex numbers have no order"},
  });
}

TEST(InstructionVerifier, BitcastsKeepTheirBytes) {
  ExpectVerified({
      {Entry("a = f32[2,3]{0,1} parameter(0)\n ROOT b = f32[3,2]{1,0} bitcast(a)"), ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = s8[8] bitcast(a)"), ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[3] bitcast(a)"),
       "different shape sizes of output (12) and operand (8)"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = (f32[2]) bitcast(a)"), "anything but arrays"},
  });
}

TEST(InstructionVerifier, LayoutsCountWhereDataIsPassedOn) {
  const std::string text = Entry(
      "a = (f32[2,3]{1,0}) parameter(0)\n ROOT b = f32[2,3]{0,1} get-tuple-element(a), index=0");
  ExpectVerified({{text, ""}});
  ExpectVerified({{text, "equal to f32[2,3]{1,0}, actual shape is f32[2,3]{0,1}"}},
                 {.layout_sensitive = true});
}

TEST(InstructionVerifier, Callees) {
  ExpectVerified({
      {Entry("a = f32[2,3] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[2] reduce(a, z), "
             "dimensions={1}, to_apply=add",
             kAdd),
       ""},
      {Entry("a = s32[2,3] parameter(0)\n z = s32[] constant(0)\n ROOT r = s32[2] reduce(a, z), "
             "dimensions={1}, to_apply=add",
             kAdd),
       "differs from the init_value shape: f32[] vs s32[]"},
      {Entry("a = f32[2] parameter(0)\n ROOT r = f32[2] sort(a), dimensions={0}, to_apply=add",
             kAdd),
       "scalar predicate"},
      {Entry("a = f32[] parameter(0)\n ROOT r = f32[] call(a), to_apply=add", kAdd),
       "to have 1 parameters, has 2"},
      {Entry("a = f32[] parameter(0)\n ROOT r = f32[] while(a), condition=add, body=add", kAdd),
       "to have 1 parameters, has 2"},
      {Entry("a = f32[] parameter(0)\n p = pred[] parameter(1)\n ROOT r = f32[] conditional(p, a, "
             "a), true_computation=add, false_computation=add",
             kAdd),
       "Expected computation add called from r to have 1 parameters, has 2"},
  });
}

TEST(InstructionVerifier, Fusions) {
  const char fused[] = "f { x = f32[2] parameter(0)\n ROOT n = f32[2] negate(x) }";
  const char wasteful[] =
      "f { x = f32[2] parameter(0)\n y = f32[2] negate(x)\n ROOT n = f32[2] negate(x) }";
  ExpectVerified({
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] fusion(a), kind=kLoop, calls=f", fused),
       ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] fusion(a, a), kind=kLoop, calls=f", fused),
       "2 operands, but its computation has 1 parameters"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[3] fusion(a), kind=kLoop, calls=f", fused),
       "not equal to the fusion shape (f32[3]{0})"},
      {Entry("a = f32[3] parameter(0)\n ROOT b = f32[2] fusion(a), kind=kLoop, calls=f", fused),
       "Shape mismatch between parameter number 0"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] fusion(a), kind=kLoop, calls=f", wasteful),
       "Non-root instruction y = f32[2] negate(f32[2] x) in b = "},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] fusion(a), kind=kLoop, "
             "output_to_operand_aliasing={{}: (1, {})}, calls=f",
             fused),
       "Invalid aliasing operand index. There is no operand 1"},
  });
}

TEST(InstructionVerifier, CompositeCalls) {
  const char f[] = "f { ROOT x = f32[2] parameter(0) }";
  const std::string call =
      "a = f32[2] parameter(0)\n ROOT b = f32[2] call(a), to_apply=f, is_composite=true";
  ExpectVerified({
      {Entry(call + ", frontend_attributes={composite.name=\"foo.bar\",composite.version=\"1\"}",
             f),
       ""},
      {Entry(call, f), "key composite.name"},
      {Entry(call + ", frontend_attributes={composite.name=\"foo\",composite.version=\"-1\"}", f),
       "non-negative integer but got: -1"},
  });
}

TEST(InstructionVerifier, ResultAccuracyAndReplication) {
  ExpectVerified({
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] exponential(a), "
             "result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}"),
       ""},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] exponential(a), "
             "result_accuracy={tolerance={atol=-1,rtol=0.5,ulps=2}}"),
       "must not be negative"},
      {Entry("ROOT a = (f32[2], f32[3]) parameter(0), parameter_replication={true,false}"), ""},
  });
}

TEST(InstructionVerifier, Shardings) {
  ExpectVerified({
      {Entry("ROOT a = f32[4,4] parameter(0), sharding={devices=[2,2]<=[4]}", "",
             ", num_partitions=4"),
       ""},
      {Entry("ROOT a = f32[4] parameter(0), sharding={devices=[2,2]<=[4]}", "",
             ", num_partitions=4"),
       "Invalid sharding"},
      {Entry("ROOT a = (f32[4], f32[4]) parameter(0), sharding={{replicated}, {replicated}, "
             "{replicated}}"),
       "Invalid sharding"},
      {Entry("ROOT a = f32[4] parameter(0), sharding={maximal device=9}", "", ", num_partitions=4"),
       "Invalid sharding"},
      // What tokens and tuples without arrays have is not used, but must be readable.
      {Entry("b = () tuple()\n ROOT a = ((), ()) tuple(b, b), sharding={devices=[2,2]<=[4]}"), ""},
      {Entry("ROOT a = token[] parameter(0), sharding={devices=[2,2]<=[4]}"), ""},
      {Entry("ROOT a = token[] parameter(0), sharding={maximal device=-1}"),
       "device -1 is negative"},
  });
}

TEST(InstructionVerifier, AsyncPairs) {
  const char wrapped[] =
      "w { x = f32[2] parameter(0)\n ROOT n = f32[2] custom-call(x), custom_call_target=\"foo\" }";
  const char two[] =
      "w { x = f32[2] parameter(0)\n y = f32[2] negate(x)\n ROOT n = f32[2] negate(y) }";
  const std::string pair =
      "a = f32[2] parameter(0)\n s = ((f32[2]), f32[2], s32[]) async-start(a), calls=w\n ROOT d = "
      "f32[2] async-done(s)";
  ExpectVerified({
      {Entry(pair, wrapped), ""},
      {Entry(pair, two), "expected to contain only the root and parameter instructions"},
      {Entry("a = f32[2] parameter(0)\n s = (f32[2], f32[2], u32[]) copy-start(a)\n ROOT d = "
             "f32[2] copy-done(s)"),
       ""},
      {Entry("a = f32[2] parameter(0)\n s = (f32[2], f32[2], u32[]) copy-start(a)\n d = f32[2] "
             "copy-done(s)\n ROOT e = f32[2] copy-done(s)"),
       "The copy-start instruction requires one consumer, found 2"},
      {Entry("a = f32[2] parameter(0)\n s = (f32[2], f32[4]) all-gather-start(a), dimensions={0}, "
             "replica_groups={{0,1}}\n d = f32[4] all-gather-done(s)\n ROOT e = f32[4] "
             "all-gather-done(s)"),
       "The all-gather-start instruction requires one consumer, found 2"},
      {Entry("a = (f32[2], f32[2], u32[]) parameter(0)\n ROOT d = f32[2] copy-done(a)"),
       "The operand of a copy-done instruction needs to be copy-start, found parameter"},
      {Entry("a = f32[2] parameter(0)\n s = f32[2] all-reduce-start(a), replica_groups={}, "
             "to_apply=add\n ROOT d = f32[2] negate(s)",
             kAdd),
       "The consumer of a all-reduce-start instruction needs to be all-reduce-done, found negate"},
  });
}

TEST(InstructionVerifier, SendsAndReceives) {
  const std::string send =
      "a = f32[2] parameter(0)\n t = token[] after-all()\n s = (f32[2], u32[], token[]) send(a, "
      "t), channel_id=1\n";
  ExpectVerified({
      {Entry(send + "ROOT d = token[] send-done(s), channel_id=1"), ""},
      {Entry(send + "ROOT d = token[] send-done(s), channel_id=1, is_host_transfer=true"),
       "same is-host-transfer property"},
      {Entry(send + "ROOT d = token[] get-tuple-element(s), index=2"),
       "The consumer of a send instruction needs to be send-done or tuple"},
  });
}

TEST(InstructionVerifier, CallsAliasNothing) {
  ASSERT_OK_AND_ASSIGN(auto module,
                       ParseAndReturnUnverifiedModule(
                           Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] call(a), to_apply=f",
                                 "f { x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x) }")));
  ASSERT_OK(VerifyModule(*module));
  module->entry_computation()
      ->root_instruction()
      ->mutable_attributes<CallAttributes>()
      ->output_to_operand_aliasing.emplace_back();
  EXPECT_ERROR(VerifyModule(*module), "may not have an output-to-operand aliasing set");
}

TEST(InstructionVerifier, SendAndItsEndShareTheChannel) {
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(Entry(
                                        "a = f32[2] parameter(0)\n t = token[] after-all()\n s = "
                                        "(f32[2], u32[], token[]) send(a, t), channel_id=1\n"
                                        "ROOT d = token[] send-done(s), channel_id=1")));
  ASSERT_OK(VerifyModule(*module));
  module->entry_computation()
      ->root_instruction()
      ->mutable_attributes<SendRecvAttributes>()
      ->channel_id = 2;
  EXPECT_ERROR(VerifyModule(*module), "same channel id, actual channel ids are: 1 and 2");
}

TEST(InstructionVerifier, Collectives) {
  const std::string all_reduce =
      "a = f32[2] parameter(0)\n ROOT b = f32[2] all-reduce(a), to_apply=add, ";
  ExpectVerified({
      {Entry(all_reduce + "replica_groups={{0,1},{2,3}}", kAdd, ", replica_count=4"), ""},
      {Entry(all_reduce + "replica_groups={{0,1},{1,3}}", kAdd, ", replica_count=4"),
       "Replica 1 is repeated"},
      {Entry(all_reduce + "replica_groups={{0,1}}", kAdd, ", replica_count=4"),
       "should contain 4 replicas, but found 2"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[8] all-gather(a), dimensions={0}, "
             "replica_groups={{0,1}}"),
       "shard_count = 4, subgroup_size = 2"},
      {Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] collective-permute(a), "
             "source_target_pairs={{0,1},{0,2}}"),
       "Source 0 appears more than once"},
  });
}

}  // namespace
}  // namespace xla
