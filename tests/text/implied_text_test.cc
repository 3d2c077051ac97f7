// SPDX-License-Identifier: Apache-2.0
// What XLA fills in, drops or reorders when it reads text, which shows when it is printed again.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/text/printing_test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

void ExpectLacks(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << part << "\nis in\n" << text;
}

std::string PrintedSharding(const std::string& sharding) {
  const std::string text = Printed(
      "HloModule m\nENTRY e { ROOT p = f32[64,64] parameter(0), sharding={" + sharding + "} }");
  const size_t start = text.rfind("sharding={") + 10;
  return text.substr(start, text.rfind('}', text.rfind('}') - 1) - start);
}

TEST(ImpliedText, AMapIsOverAllDimensions) {
  const std::string f = "HloModule m\nf { x = f32[] parameter(0)\nROOT y = f32[] negate(x) }\n";
  for (const char* dimensions : {"", "dimensions={}, ", "dimensions={0,1}, ", "dimensions={7}, "}) {
    ExpectContains(Printed(f + "ENTRY e { p = f32[2,3] parameter(0)\nROOT m = f32[2,3] map(p), " +
                           dimensions + "to_apply=f }"),
                   "map(%p), dimensions={0,1}, to_apply=%f");
  }
}

TEST(ImpliedText, AScanIsNotAssociative) {
  const std::string f =
      "HloModule m\nf { x = f32[] parameter(0)\ny = f32[] parameter(1)\ns = f32[] add(x, y)\n"
      "ROOT t = (f32[], f32[]) tuple(s, s) }\nENTRY e { p = f32[4] parameter(0)\n"
      "z = f32[] constant(0)\n"
      "ROOT r = (f32[4], f32[]) scan(p, z), dimensions={0}, num_carries=1, ";
  ExpectContains(Printed(f + "to_apply=f }"), "num_carries=1, is_associative=false, to_apply=%f");
  ExpectContains(Printed(f + "is_associative=true, to_apply=f }"), "is_associative=true");
}

TEST(ImpliedText, DevicesThatHoldTheSameAreInOrder) {
  EXPECT_EQ(PrintedSharding("devices=[1,2,2]1,0,3,2 last_tile_dim_replicate"),
            "devices=[1,2,2]0,1,2,3 last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[2,1,2]3,2,1,0 last_tile_dim_replicate"),
            "devices=[2,1,2]2,3,0,1 last_tile_dim_replicate");
  // Without replication the order of devices is what the sharding says.
  EXPECT_EQ(PrintedSharding("devices=[2,2]3,2,1,0"), "devices=[2,2]3,2,1,0");
  EXPECT_EQ(PrintedSharding("devices=[4,1,4]<=[2,2,4]T(2,1,0) last_tile_dim_replicate"),
            "devices=[4,1,4]<=[4,4]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[2,1,8]<=[2,2,4]T(1,2,0) last_tile_dim_replicate"),
            "devices=[2,1,8]<=[2,2,4]T(1,0,2) last_tile_dim_replicate");
  // A group takes in a part of a dimension of the iota.
  EXPECT_EQ(PrintedSharding("devices=[2,2,4]<=[2,8]T(1,0) last_tile_dim_replicate"),
            "devices=[2,2,4]<=[2,4,2]T(1,0,2) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[1,1,2,4]<=[2,4]T(1,0) last_tile_dim_replicate"),
            "devices=[1,1,2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate");
  // Two threes do not make a group of two.
  EXPECT_EQ(PrintedSharding("devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate"),
            "devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[9,1,2]<=[2,9]T(1,0) last_tile_dim_replicate"),
            "devices=[9,1,2]<=[2,9]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[3,1,4]<=[2,6]T(1,0) last_tile_dim_replicate"),
            "devices=[3,1,4]<=[2,3,2]T(1,0,2) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[3,1,4]<=[4,3]T(1,0) last_tile_dim_replicate"),
            "devices=[3,1,4]<=[4,3]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[3,1,2]<=[3,2]T(1,0) last_tile_dim_replicate"),
            "devices=[3,1,2]0,2,1,4,3,5 last_tile_dim_replicate");
  EXPECT_EQ(PrintedSharding("devices=[2,2,2]<=[2,2,2]T(2,1,0) last_tile_dims={manual,replicated}"),
            "devices=[2,2,2]<=[2,2,2]T(2,1,0) last_tile_dims={manual, replicated}");
}

TEST(ImpliedText, UnknownDimensionsAfterAllOthersOfACustomCall) {
  const std::string e =
      "HloModule m\nENTRY e { x = s8[1,2,3,4,4] parameter(0)\nk = s8[1,1,4,4,4] parameter(1)\n"
      "ROOT c = s8[1,2,3,4,4] custom-call(x, k), window={size=1x1}, ";
  ExpectContains(Printed(e + "dim_labels=b01f?_01i?o->b01f?, custom_call_target=\"c\" }"),
                 "dim_labels=b01f_01i?o->b01f,");
}

TEST(ImpliedText, FramesThatTheTableLacks) {
  ExpectLacks(Printed("HloModule m\nENTRY e { ROOT p = f32[] parameter(0), metadata={op_name=\"x\" "
                      "stack_frame_id=3} }"),
              "stack_frame_id");
  // Frame 2 is in a file unknown, 3 in a place unknown, 4 and 5 call each other, 6 is called by 2.
  const std::string text = Printed(R"(HloModule m

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=2 column=1 end_column=3}
2 {file_name_id=7 function_name_id=1 line=2 end_line=2 column=1 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=9 parent_frame_id=1}
4 {file_location_id=1 parent_frame_id=6}
5 {file_location_id=1 parent_frame_id=5}
6 {file_location_id=1 parent_frame_id=3}

ENTRY e {
  a = f32[] parameter(0), metadata={op_name="x" stack_frame_id=6}
  b = f32[] negate(a), metadata={op_name="x" stack_frame_id=2}
  c = f32[] negate(b), metadata={op_name="x" stack_frame_id=3}
  d = f32[] negate(c), metadata={op_name="x" stack_frame_id=4}
  f = f32[] negate(d), metadata={op_name="x" stack_frame_id=5}
  ROOT g = f32[] negate(f), metadata={op_name="x" stack_frame_id=1}
})");
  ExpectContains(text, "%g = f32[] negate(%f), metadata={op_name=\"x\" stack_frame_id=1}");
  ExpectContains(text, "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n");
  for (const char* unknown :
       {"parameter(0)", "negate(%a)", "negate(%b)", "negate(%c)", "negate(%d)"})
    ExpectContains(text, std::string(unknown) + ", metadata={op_name=\"x\"}\n");
}

TEST(ImpliedText, OriginOfAnElementOfATuple) {
  const std::string text = Printed(
      "HloModule m\nENTRY e { p = f32[] parameter(0), origin={{\"p\"}}\nq = f32[] parameter(1)\n"
      "t = (f32[], f32[]) tuple(p, q)\ng = f32[] get-tuple-element(t), index=0\n"
      "u = (f32[]) tuple(g)\nh = f32[] get-tuple-element(u), index=0\n"
      "o = f32[] get-tuple-element(t), index=1\nROOT r = f32[] add(h, o) }");
  ExpectContains(text, "%h = f32[] get-tuple-element(%u), index=0, origin={{\"p\"}}\n");
  ExpectContains(text, "%o = f32[] get-tuple-element(%t), index=1\n");
}

TEST(ImpliedText, AliasingOfAnAsyncOperationComesLast) {
  ExpectContains(
      Printed("HloModule m\nENTRY e { p = f32[3] parameter(0)\n"
              "s = ((f32[3]), f32[3], s32[]) custom-call-start(p), custom_call_target=\"c\", "
              "async_execution_thread=\"t\", output_to_operand_aliasing={{1}: (0, {})}\n"
              "ROOT d = f32[3] custom-call-done(s) }"),
      "custom-call-start(%p), async_execution_thread=\"t\", custom_call_target=\"c\", "
      "output_to_operand_aliasing={{1}: (0, {})}\n");
}

TEST(ImpliedText, WhatIsShardedInAnAsyncOperationKeepsItsSharding) {
  const std::string text = Printed(
      "HloModule m\nf { x = f32[2] parameter(0)\n"
      "ROOT y = f32[2] negate(x), sharding={devices=[2,2]<=[4] last_tile_dim_replicate} }\n"
      "ENTRY e { p = f32[2] parameter(0)\n"
      "s = ((f32[2]), f32[2], s32[]) async-start(p), calls=f\n"
      "ROOT d = f32[2] async-done(s) }");
  ExpectContains(text, "negate(%x), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}\n");
  ExpectContains(text, "async-start(%p), calls=%f\n");
  EXPECT_EQ(Printed(text), text);
}

TEST(ImpliedText, WhatAnAsyncOperationCallsRunsInItsThread) {
  const std::string computations =
      "HloModule m\ng { x = f32[] parameter(0)\nROOT y = f32[] negate(x) }, "
      "execution_thread=\"u\"\n"
      "f { x = f32[] parameter(0)\nROOT y = f32[] call(x), to_apply=g }\n";
  const std::string entry =
      "ENTRY e { x = f32[] parameter(0)\n"
      "s = ((f32[]), f32[], s32[]) call-start(x), to_apply=f%\nROOT d = f32[] call-done(s) }";
  const auto with = [&](const std::string& attribute) {
    std::string text = computations + entry;
    return text.replace(text.find('%'), 1, attribute);
  };
  const std::string text = Printed(with(", async_execution_thread=\"t\""));
  ExpectContains(text, "negate(%x)\n}, execution_thread=\"t\"");
  ExpectContains(text, "to_apply=%g\n}, execution_thread=\"t\"");
  ExpectLacks(Printed(with("")), "execution_thread");
  // The last one that calls a computation decides.
  const std::string twice = Printed(
      computations +
      "h { x = f32[] parameter(0)\nROOT y = f32[] call(x), to_apply=g }\n"
      "ENTRY e { x = f32[] parameter(0)\n"
      "s = ((f32[]), f32[], s32[]) call-start(x), to_apply=f, async_execution_thread=\"first\"\n"
      "t = ((f32[]), f32[], s32[]) call-start(x), to_apply=h, async_execution_thread=\"last\"\n"
      "d = f32[] call-done(s)\nu = f32[] call-done(t)\nROOT r = f32[] add(d, u) }");
  ExpectContains(twice, "negate(%x)\n}, execution_thread=\"last\"");
  ExpectContains(twice, "to_apply=%g\n}, execution_thread=\"first\"");
}

// Each tuple has twice the parts of the one before.
TEST(ImpliedText, ShapesAreBounded) {
  const auto program = [](int levels) {
    std::string text = "HloModule m\nENTRY e { t0 = f32[] parameter(0)\n";
    for (int i = 1; i <= levels; ++i)
      absl::StrAppend(&text, "t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
    return text;
  };
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(absl::StrCat(
                           program(10), "ROOT r = get-tuple-element(t10), index=0 }")));
  EXPECT_EQ(ShapeUtil::SubshapeCount(module->entry_computation()->root_instruction()->shape()),
            1023);
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(absl::StrCat(program(60), "ROOT r = tuple(t60) }")),
               "the tuple shapes that this text implies have more than the");
  std::string copies = program(16);
  for (int i = 16; i < 200; ++i) absl::StrAppend(&copies, "t", i + 1, " = copy(t", i, ")\n");
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(absl::StrCat(copies, "ROOT r = tuple(t0) }")),
               "the tuple shapes that this text implies have more than the");
}

}  // namespace
}  // namespace xla
