// SPDX-License-Identifier: Apache-2.0
// Verdicts of XLA's verifier where a rule is easily missed, or made too strict.
#include "tests/verifier/verifier_test_util.h"

namespace xla {
namespace {

using testing::Entry;
using testing::ExpectVerified;

const char kSum[] =
    "sum { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y) }\n";

TEST(XlaVerdicts, SchedulesRunControlPredecessorsFirst) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(
                                              Entry("a = f32[] parameter(0)\n b = f32[] negate(a)\n"
                                                    "c = f32[] sine(a), control-predecessors={b}\n"
                                                    "ROOT s = f32[] add(b, c)")));
  HloComputation* const entry = module->entry_computation();
  const std::vector<HloInstruction*> order = entry->instructions();
  EXPECT_OK(entry->SetInstructionOrder({order[0], order[2], order[1], order[3]}));
  EXPECT_OK(VerifyModule(*module));
  module->config().is_scheduled = true;
  EXPECT_ERROR(VerifyModule(*module), "The schedule of e is not valid: c runs before b");
  EXPECT_OK(entry->SetInstructionOrder(order));
  EXPECT_OK(VerifyModule(*module));
}

TEST(XlaVerdicts, OnlyTheOrderOfDimensionsCountsWhereCopiesChangeTheRest) {
  const auto program = [](const std::string& layout) {
    return Entry("a = f32[2,3]{1,0:T(2,128)} parameter(0)\n s = (f32[2,3]" + layout +
                 ", f32[2,3]{1,0}, u32[]) copy-start(a)\n ROOT d = f32[2,3]" + layout +
                 " copy-done(s)");
  };
  ExpectVerified({{program("{1,0:S(5)}"), ""},
                  {program("{1,0:T(8,128)}"), ""},
                  {program("{0,1}"), "Expected instruction to have shape"}},
                 {.layout_sensitive = true});
}

TEST(XlaVerdicts, BuffersThatMustAliasHaveOneShape) {
  const auto program = [](const std::string& result, const std::string& kind) {
    return Entry("a = f32[6] parameter(0)\n ROOT r = " + result, "",
                 ", input_output_alias={ {}: (0, {}, " + kind + ") }");
  };
  ExpectVerified(
      {{program("f32[6] negate(a)", "must-alias"), ""},
       {program("f32[2,3] reshape(a)", "may-alias"), ""},
       {program("f32[2,3] reshape(a)", "must-alias"),
        "must be the same as the shape and memory space of aliased parameter"},
       {program("s32[6] bitcast-convert(a)", "must-alias"),
        "must be the same as the shape and memory space of aliased parameter"},
       {program("f32[3] slice(a), slice={[0:3]}", "may-alias"), "to have the same size"}});
}

TEST(XlaVerdicts, AStartHasOneDone) {
  const std::string start =
      "p = f32[2,3] parameter(0)\n"
      "s = (f32[2,3], f32[4,3]) all-gather-start(p), dimensions={0}, replica_groups={{0,1}}\n";
  ExpectVerified({
      {Entry(start + "ROOT d = f32[4,3] all-gather-done(s)", "", ", replica_count=2"), ""},
      {Entry(start + "d1 = f32[4,3] all-gather-done(s)\n ROOT d2 = f32[4,3] all-gather-done(s)", "",
             ", replica_count=2"),
       "requires one consumer"},
  });
}

TEST(XlaVerdicts, AliasingOfAsyncStart) {
  const auto program = [](const std::string& aliasing) {
    return Entry(
        "p = f32[4] parameter(0)\n"
        "s = ((f32[4]), f32[4], u32[]) async-start(p), calls=w, output_to_operand_aliasing={" +
            aliasing + "}\n ROOT d = f32[4] async-done(s)",
        "w { q = f32[4] parameter(0)\n ROOT n = f32[4] negate(q) }\n");
  };
  ExpectVerified({
      {program("{1}: (0, {})"), ""},
      {program("{0,0}: (0, {})"), ""},
      {program("{1}: (1, {})"), "Invalid aliasing operand index. Operand number 1"},
      {program("{1}: (0, {0})"), "Invalid aliasing operand shape index. There is no {0}"},
      {program("{}: (0, {})"), "Output index should not be empty"},
      {program("{3}: (0, {})"), "Invalid aliasing output shape index. There is no {3}"},
      {program("{2}: (0, {})"), "Different aliasing shapes: f32[4] vs u32[]"},
  });
}

TEST(XlaVerdicts, OffsetsOfRaggedAllToAllHaveRankOneOrTwo) {
  const auto program = [](const std::string& offsets) {
    std::string lines = "i = f32[8] parameter(0)\n o = f32[8] parameter(1)\n";
    for (int k = 0; k < 4; ++k) {
      lines += std::string(1, static_cast<char>('a' + k)) + " = s32[" + offsets + "] parameter(" +
               std::to_string(2 + k) + ")\n";
    }
    return Entry(lines + "ROOT r = f32[8] ragged-all-to-all(i, o, a, b, c, d), replica_groups={}");
  };
  ExpectVerified({{program("1"), ""},
                  {program("1,1"), ""},
                  {program("1,1,1"), "RaggedAllToAll operand 2 must be rank 1 or 2"},
                  {program(""), "RaggedAllToAll operand 2 must be rank 1 or 2"}});
}

TEST(XlaVerdicts, OperandsOfAllToAllHaveOneLayout) {
  const auto program = [](const std::string& second) {
    return Entry("a = f32[2,3]{1,0} parameter(0)\n b = f32[2,3]" + second +
                     " parameter(1)\n ROOT r = (f32[2,3], f32[2,3]) all-to-all(a, b), "
                     "replica_groups={{0,1}}",
                 "", ", replica_count=2");
  };
  ExpectVerified({{program("{1,0}"), ""},
                  {program("{1,0:S(1)}"), ""},
                  {program("{0,1}"),
                   "operands with different shapes: the 0th operand shape f32[2,3]{1,0}, but the "
                   "1th operand has shape f32[2,3]{0,1}"}});
}

TEST(XlaVerdicts, HostTransfersOfAChannelAreAlike) {
  const auto program = [](const std::string& first, const std::string& second,
                          const std::string& config = "") {
    const auto send = [&](const std::string& name, const std::string& type,
                          const std::string& more) {
      return name + " = (" + type + ", u32[], token[]) send(" + name + "x, t), channel_id=1, " +
             "is_host_transfer=true" + more + "\n" + name + "d = token[] send-done(" + name +
             "), channel_id=1, is_host_transfer=true\n";
    };
    return Entry("ax = " + first + " parameter(0)\n bx = " + second +
                 " parameter(1)\n t = token[] after-all()\n" + send("a", first, "") +
                 send("b", second, config) + "ROOT r = token[] after-all(ad, bd)");
  };
  ExpectVerified(
      {{program("f32[2]", "f32[2]"), ""},
       {program("f32[2]", "f32[3]"), "Host-transfer send/recv instructions that use the same"}});
}

TEST(XlaVerdicts, ChannelsAreSharedByKindsOfCollectives) {
  ExpectVerified(
      {{Entry("a = f32[2] parameter(0)\n b = f32[2] all-reduce(a), channel_id=1, "
              "replica_groups={}, to_apply=sum\n"
              " ROOT c = f32[2] collective-permute(b), channel_id=1, source_target_pairs={{0,0}}",
              kSum),
        ""}});
}

TEST(XlaVerdicts, SeedOfTheRandomGenerator) {
  const auto program = [](const std::string& shape, const std::string& operand) {
    return Entry("p = f32[] parameter(0)\n ROOT s = " + shape + " custom-call(" + operand +
                 "), custom_call_target=\"GetRngSeed\"");
  };
  ExpectVerified({{program("u64[]", ""), ""},
                  {program("u64[]", "p"), "must have 0 operands, but has 1"},
                  {program("u32[]", ""), "must return U64 type, but got u32[]"},
                  {program("u64[1]", ""), "must return a scalar, but got u64[1]"}});
}

// What a proto cannot hold is no program.
TEST(XlaVerdicts, NumbersAndLayoutsOfAttributes) {
  ExpectVerified(
      {{Entry("a = f32[] parameter(0)\n ROOT r = f32[] reduce-precision(a), exponent_bits=5, "
              "mantissa_bits=2147483648"),
        "Expected exponent_bits and mantissa_bits of 32 bits; got 5 and 2147483648"},
       {Entry("a = f32[3] parameter(0)\n t = token[] after-all()\n"
              "ROOT o = token[] outfeed(a, t), outfeed_shape=f32[3]{1}"),
        "minor_to_major"},
       {Entry("a = f32[3] parameter(0)\n ROOT c = f32[3]{0} custom-call(a), "
              "custom_call_target=\"f\", operand_layout_constraints={f32[3]{2}}"),
        "minor_to_major"}});
}

TEST(XlaVerdicts, RngOfMixedPrecision) {
  const std::string program =
      Entry("a = f32[] parameter(0)\n ROOT r = bf16[3] rng(a, a), distribution=rng_uniform");
  ExpectVerified({{program, ""}});
  ExpectVerified({{program, "Expected compatible element types for the result and the two"}},
                 {.allow_mixed_precision = false});
}

TEST(XlaVerdicts, ThreadsOfCallees) {
  const std::string callee =
      "f { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }, execution_thread=\"other\"\n";
  ExpectVerified(
      {{Entry("a = f32[] parameter(0)\n ROOT c = f32[] call(a), to_apply=f", callee), ""},
       {Entry("a = f32[] parameter(0)\n ROOT c = f32[] fusion(a), kind=kLoop, calls=f", callee),
        "expects parent computation thread name same as called computation's thread name"}});
}

TEST(XlaVerdicts, TheFirstOperandOfASendIsSent) {
  ExpectVerified({{Entry("a = f32[2] parameter(0)\n t = token[] after-all()\n"
                         "s = (token[], u32[], token[]) send(t, a), channel_id=1\n"
                         "ROOT d = token[] send-done(s), channel_id=1"),
                   ""}});
}

TEST(XlaVerdicts, GroupsOfCollectivesStartTogether) {
  const std::string group =
      "group { a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n"
      "x = f32[2] all-reduce(a), replica_groups={}, to_apply=sum\n"
      "y = f32[2] all-reduce(b), replica_groups={}, to_apply=sum\n"
      "ROOT t = (f32[2], f32[2]) tuple(x, y) }\n";
  const auto program = [&](const std::string& more) {
    return Entry(
        "a = f32[2] parameter(0)\n"
        "s = ((f32[2], f32[2]), (f32[2], f32[2])) async-start(a, a), calls=group" +
            more + "\n ROOT d = (f32[2], f32[2]) async-done(s)",
        kSum + group);
  };
  ExpectVerified({{program(", frontend_attributes={_collectives_group=\"\"}"), ""},
                  {program(""), "expected to contain only the root and parameter instructions"}});
}

TEST(XlaVerdicts, DimensionsOfMap) {
  const std::string negate = "f { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n";
  ExpectVerified(
      {{Entry("a = f32[3] parameter(0)\n ROOT m = f32[3] map(a), to_apply=f", negate), ""},
       {Entry("a = f32[3,2] parameter(0)\n ROOT m = f32[3,2] map(a), dimensions={1}, to_apply=f",
              negate),
        ""}});
}

TEST(XlaVerdicts, PinAndUnpin) {
  const auto program = [](const std::string& target) {
    return Entry("p = f32[4] parameter(0)\n b = b(f32[4]) custom-call(p), custom_call_target=\"" +
                 target + "\", output_to_operand_aliasing={{}: (0, {})}\n" +
                 "ROOT r = f32[4] custom-call(b), custom_call_target=\"Unpin\", "
                 "output_to_operand_aliasing={{}: (0, {})}");
  };
  ExpectVerified({{program("Pin"), ""}, {program("Other"), "Different aliasing shapes"}});
}

TEST(XlaVerdicts, DynamicUpdateSlicesKeepTheirPrecision) {
  const auto program = [](const std::string& result) {
    return Entry("a = f32[4] parameter(0)\n u = bf16[2] parameter(1)\n i = s32[] parameter(2)\n" +
                 ("ROOT d = " + result + "[4] dynamic-update-slice(a, u, i)"));
  };
  ExpectVerified({
      {program("f32"), ""},
      {program("bf16"), "equal to f32[4], actual shape is bf16[4]"},
  });
}

TEST(XlaVerdicts, TransfersOnOneChannelAreAlike) {
  const auto program = [](const std::string& first, const std::string& second) {
    const std::string attributes = ", channel_id=1, is_host_transfer=true";
    return Entry("a = f32[] parameter(0)\n t = token[] after-all()\n" +
                 ("s = (f32[], u32[], token[]) send(a, t)" + attributes + first) +
                 "\n d = token[] send-done(s)" + attributes +
                 "\n r = (f32[], u32[], token[]) send(a, d)" + attributes + second +
                 "\n ROOT e = token[] send-done(r)" + attributes);
  };
  const std::string named = ", frontend_attributes={_xla_host_transfer_rendezvous=\"x\"}";
  ExpectVerified({
      {program("", ""), ""},
      {program(named, named), ""},
      {program(named, ""), "Host-transfer send/recv instructions that use the same channel"},
  });
}

TEST(XlaVerdicts, AsyncComputationsMayTakeElementsOfParameters) {
  const auto program = [](const std::string& line) {
    return Entry(
        "p = (f32[4], f32[4]) parameter(0)\n"
        "s = (((f32[4], f32[4])), f32[4], u32[]) async-start(p), calls=w\n"
        "ROOT d = f32[4] async-done(s)",
        "w { q = (f32[4], f32[4]) parameter(0)\n g = f32[4] get-tuple-element(q), index=0\n" +
            line + " }\n");
  };
  ExpectVerified({
      {program("ROOT n = f32[4] negate(g)"), ""},
      {program("m = f32[4] negate(g)\n ROOT n = f32[4] negate(m)"),
       "expected to contain only the root and parameter instructions"},
  });
}

}  // namespace
}  // namespace xla
