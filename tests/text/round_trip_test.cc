// SPDX-License-Identifier: Apache-2.0
// What is printed is read again, and printed the same.
#include <memory>
#include <string>

#include "tests/test_util.h"
#include "tests/text/printing_test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"

namespace xla {
namespace {

std::string PrintedEntry(const std::string& lines, const std::string& before = "") {
  return Printed("HloModule m\n" + before + "\nENTRY e {\n" + lines + "\n}\n");
}

TEST(RoundTrip, ShardingOverAListOfDevices) {
  ExpectContains(PrintedEntry("ROOT a = token[] parameter(0), sharding={devices=[2,1,2]<=[4] "
                              "last_tile_dim_replicate}"),
                 "sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  ExpectContains(
      PrintedEntry("ROOT a = f32[4,4] parameter(0), sharding={devices=[2,2]<=[2,2]T(1,0)}"),
      "devices=[2,2]<=[2,2]T(1,0)");
}

TEST(RoundTrip, LayoutsOfElementsOfTuples) {
  ExpectContains(
      PrintedEntry("ROOT p = (f32[2,3]{0,1}, (s32[4,5]{1,0:T(8,128)}, f32[])) parameter(0)"),
      "(f32[2,3]{0,1}, (s32[4,5]{1,0:T(8,128)}, f32[])) parameter(0)");
}

// The name of a computation is repeated at its end if it has more than five instructions.
TEST(RoundTrip, NamesAfterTheClosingBrace) {
  HloPrintOptions options;
  options.print_name_after_closing_brace = true;
  for (const int count : {5, 6}) {
    std::string text = "HloModule m\nENTRY e {\n x0 = f32[] parameter(0)\n";
    for (int i = 1; i < count; ++i) {
      text += (i + 1 == count ? " ROOT x" : " x") + std::to_string(i) + " = f32[] negate(x" +
              std::to_string(i - 1) + ")\n";
    }
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text + "}"));
    EXPECT_EQ(ModuleToString(*module, options).find("} // e") != std::string::npos, count == 6)
        << ModuleToString(*module, options);
  }
}

TEST(RoundTrip, AModuleCalledLikeAType) {
  ExpectContains(Printed("HloModule f32\nENTRY e { ROOT c = f32[] constant(1) }"),
                 "HloModule f32, ");
  ExpectContains(Printed("HloModule f32:\nENTRY e { ROOT c = f32[] constant(1) }"),
                 "HloModule f32, ");
}

TEST(RoundTrip, AsyncSendsAreWrittenInFull) {
  const std::string printed = PrintedEntry(
      "d = f32[] constant(5)\n t = token[] after-all()\n"
      "s = ((f32[], token[]), (f32[], u32[], token[]), s32[]) async-start(d, t), calls=w\n"
      "x = (f32[], u32[], token[]) async-done(s)\n ROOT o = f32[] get-tuple-element(x), index=0",
      "w { d = f32[] parameter(0)\n t = token[] parameter(1)\n"
      "ROOT s = (f32[], u32[], token[]) send(d, t), channel_id=1, "
      "frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}} }");
  ExpectContains(printed, " async-start(");
  ExpectContains(printed, "{_xla_send_recv_source_target_pairs={{0,1}}}");
}

TEST(RoundTrip, FrontendAttributesOfAWrappedOperation) {
  ExpectContains(PrintedEntry("p = f32[2] parameter(0)\n"
                              "s = ((f32[2]), f32[2], u32[]) async-start(p), calls=w\n"
                              "ROOT d = f32[2] async-done(s)",
                              "w { q = f32[2] parameter(0)\n"
                              "ROOT n = f32[2] negate(q), frontend_attributes={a=\"b\"} }"),
                 "negate-start(%p), frontend_attributes={a=\"b\"}");
}

TEST(RoundTrip, CalleesOfAWrappedOperation) {
  ExpectContains(PrintedEntry("p = f32[4] parameter(0)\n z = f32[] constant(0)\n"
                              "s = ((f32[4], f32[]), f32[], u32[]) async-start(p, z), calls=w\n"
                              "ROOT d = f32[] async-done(s)",
                              "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
                              "ROOT a = f32[] add(x, y) }\n"
                              "w { q = f32[4] parameter(0)\n i = f32[] parameter(1)\n"
                              "ROOT r = f32[] reduce(q, i), dimensions={0}, to_apply=add }"),
                 "reduce-start(%p, %z), dimensions={0}, to_apply=%add");
}

TEST(RoundTrip, BranchesOfAConditional) {
  const std::string printed = PrintedEntry(
      "i = s32[] parameter(0)\n x = f32[] parameter(1)\n"
      "ROOT c = f32[] conditional(i, x, x, x), branch_computations={a, b, c}",
      "a { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n"
      "b { p = f32[] parameter(0)\n ROOT n = f32[] sine(p) }\n"
      "c { p = f32[] parameter(0)\n ROOT n = f32[] cosine(p) }\n");
  ExpectContains(printed, "branch_computations={%a, %b, %c}");
}

TEST(RoundTrip, PaddingTypesAndSchedulesOfCustomCalls) {
  for (const char* attribute :
       {"padding_type=PADDING_SAME", "padding_type=PADDING_VALID", "schedule=SCHEDULE_EARLIEST",
        "schedule=SCHEDULE_LATEST", "api_version=API_VERSION_STATUS_RETURNING"}) {
    ExpectContains(PrintedEntry(std::string("p = f32[4] parameter(0)\n ROOT c = f32[4] "
                                            "custom-call(p), custom_call_target=\"f\", ") +
                                attribute),
                   attribute);
  }
}

TEST(RoundTrip, TolerancesOfAccuracy) {
  const std::string lines = "p = f32[4] parameter(0)\n ROOT e = f32[4] exponential(p), ";
  ExpectContains(PrintedEntry(lines + "result_accuracy={tolerance={atol=0.5,rtol=0.25,ulps=7}}"),
                 "result_accuracy={tolerance={atol=0.5,rtol=0.25,ulps=7}}");
  ExpectContains(PrintedEntry(lines + "result_accuracy={mode=highest}"),
                 "result_accuracy={mode=highest}");
  EXPECT_ERROR(ParseAndReturnUnverifiedModule("HloModule m\nENTRY e {\n" + lines +
                                              "result_accuracy={tolerance=1} }"),
               "expected '{' to start result accuracy list");
}

TEST(RoundTrip, SeveralMetadataOfASharding) {
  ExpectContains(PrintedEntry("ROOT p = f32[4] parameter(0), sharding={replicated "
                              "metadata={{op_name=\"a\"}, {op_name=\"b\"}}}"),
                 "metadata={{op_name=\"a\"}, {op_name=\"b\"}}");
}

TEST(ParserErrors, ListsAndCalleesOfCustomCalls) {
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(
                   "HloModule m\nf { ROOT q = f32[] parameter(0) }\nENTRY e { p = f32[] "
                   "parameter(0)\n ROOT c = f32[] custom-call(p), custom_call_target=\"t\", "
                   "to_apply=f, called_computations={f} }"),
               "can't have both to_apply and calls");
  EXPECT_FALSE(ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { p = f32[4] parameter(0)\n "
                                              "ROOT r = f32[4] reverse(p), dimensions={0 1} }")
                   .ok());
  EXPECT_FALSE(ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { p = f32[4] parameter(0)\n "
                                              "ROOT r = f32[4] reverse(p), dimensions={0) }")
                   .ok());
}

TEST(ParserErrors, TextIsUtf8) {
  const auto parse = [](const std::string& name) {
    return ParseAndReturnUnverifiedModule(
        "HloModule m\nENTRY e { ROOT p = f32[] parameter(0), metadata={op_name=\"" + name +
        "\"} }");
  };
  EXPECT_OK(parse("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf \xc3\xa4"));
  for (const char* bad : {"\xf4\x90\x80\x80", "\xf0\x8f\x80\x80", "\xc0\xaf", "\xed\xa0\x80"}) {
    const auto module = parse(bad);
    if (module.ok())
      Printed("HloModule m\nENTRY e { ROOT p = f32[] parameter(0), metadata={op_name=\"" +
              std::string(bad) + "\"} }");
  }
}

TEST(RoundTrip, PrecisionInAnyCase) {
  ExpectContains(PrintedEntry("a = f32[2,3] parameter(0)\n b = f32[3,2] parameter(1)\n"
                              "ROOT d = f32[2,2] dot(a, b), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}, operand_precision={HIGH, Highest}"),
                 "operand_precision={high,highest}");
}

TEST(RoundTrip, PayloadOfMetadata) {
  ExpectContains(PrintedEntry("ROOT p = f32[] parameter(0), metadata={metadata_payload=\"abc\"}"),
                 "metadata={metadata_payload=\"abc\"}");
}

// As in XLA, a real part that is no number makes the imaginary part one, too.
TEST(RoundTrip, ComplexNumbersWithOneNan) {
  ExpectContains(PrintedEntry("ROOT c = c64[3] constant({(nan, 2), (1, nan), (-inf, 3)})"),
                 "constant({(nan, nan), (1, nan), (-inf, 3)})");
}

TEST(ParserErrors, ListsOfAWindowAreAsLongAsItsSizes) {
  for (const char* list :
       {"stride=2", "pad=1_1", "lhs_dilate=2", "rhs_dilate=2", "rhs_reversal=1"}) {
    const std::string name(list, std::string(list).find('='));
    EXPECT_ERROR(ParseAndReturnUnverifiedModule(
                     std::string("HloModule m\nENTRY e { a = f32[1,8,8,1] parameter(0)\n k = "
                                 "f32[3,3,1,1] parameter(1)\n ROOT c = f32[1,6,6,1] "
                                 "convolution(a, k), window={size=3x3 ") +
                     list + "}, dim_labels=b01f_01io->b01f }"),
                 "expects '" + name + "=' has the same size as 'size='");
  }
}

TEST(ParserErrors, PermutationsOfDevices) {
  for (const auto& [perm, error] :
       {std::pair<const char*, const char*>{"1,1", "names a dimension twice"},
        {"0", "should have the same rank"},
        {"0,2", "Out of range"}}) {
    EXPECT_ERROR(ParseAndReturnUnverifiedModule(
                     std::string("HloModule m\nENTRY e { ROOT a = f32[4,4] parameter(0), "
                                 "sharding={devices=[2,2]<=[2,2]T(") +
                     perm + ")} }"),
                 error);
  }
}

TEST(RoundTrip, ConstantsOfOneValueWithoutBraces) {
  ExpectContains(PrintedEntry("ROOT c = f32[2,3] constant(7)"),
                 "constant({ { 7, 0, 0 }, { 0, 0, 0 } })");
  EXPECT_ERROR(
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { ROOT c = f32[2,3] constant({7}) }"),
      "expects nested array in rank 2, but sees 1");
}

TEST(RoundTrip, RecoveryModules) {
  const std::string before = "HloModule m, origin_recovery_table={\n  {\"x\"} : {\"y\"},\n  \"";
  const std::string after = "\"\n}\n\nENTRY e { ROOT p = f32[4] parameter(0) }\n";
  // Indented, as XLA prints it.
  ExpectContains(Printed(before + "HloModule r\nENTRY f { ROOT p = f32[4] parameter(0) }" + after),
                 "  {\"x\"} : {\"y\"},\n  \"\n    HloModule r, entry_computation_layout="
                 "{(f32[4]{0})->f32[4]{0}}\n\n    ENTRY %f (p: f32[4]) -> f32[4] {\n"
                 "      ROOT %p = f32[4]{0} parameter(0)\n    }\n");
  // Escaped where it holds quotes.
  ExpectContains(Printed(before +
                         "HloModule r\nENTRY f { ROOT p = f32[4] parameter(0), "
                         "metadata={op_name=\\\"n\\\"} }" +
                         after),
                 "metadata={op_name=\\\"n\\\"}");
}

TEST(RoundTrip, MetadataOfNamedShardingsIsAList) {
  ExpectContains(PrintedEntry("ROOT a = f32[4] parameter(0), "
                              "sharding={mesh['a'=2], [{'a'}], metadata={{op_name=\"n\"}}}"),
                 "metadata={{op_name=\"n\"}}");
  ExpectContains(
      PrintedEntry("ROOT a = f32[4] parameter(0), sharding={replicated metadata={op_name=\"n\"}}"),
      "sharding={replicated metadata={op_name=\"n\"}}");
}

TEST(Printing, CanonicalInstructionsHaveNoNames) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ParseAndReturnUnverifiedModule("HloModule m\nf { q = f32[2] parameter(0)\n ROOT r = f32[2] "
                                     "negate(q) }\nENTRY e { p = f32[2] parameter(0)\n ROOT c = "
                                     "f32[2] fusion(p), kind=kLoop, calls=f }"));
  EXPECT_EQ(module->entry_computation()->root_instruction()->ToString(HloPrintOptions::Canonical()),
            "f32[2]{0} fusion(f32[2]{0}), kind=kLoop, calls=\n{\n  tmp_0 = f32[2]{0} "
            "parameter(0)\n  ROOT tmp_1 = f32[2]{0} negate(f32[2]{0} tmp_0)\n}");
}

}  // namespace
}  // namespace xla
