// SPDX-License-Identifier: Apache-2.0
// Collectives on replicas and partitions: the rules, one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/interp/replicated_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::RunReplicated;
using testing::RunToStrings;
using Strings = std::vector<std::string>;

std::string Header(int64_t replicas, int64_t partitions) {
  return absl::StrCat("HloModule m, replica_count=", replicas, ", num_partitions=", partitions, R"(
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  r = u32[] replica-id()
  p = u32[] partition-id()
  ten = u32[] constant(10)
  r10 = u32[] multiply(r, ten)
  id = u32[] add(r10, p)
  x = s32[] convert(id)
  x1 = s32[1] reshape(x)
)");
}

TEST(CollectiveTest, IdsOfDevicesAreReplicaMajor) {
  EXPECT_EQ(RunToStrings(Header(2, 3) + "  ROOT t = (u32[], u32[]) tuple(r, p)\n}", 2, 3),
            (Strings{"( 0, 0 )", "( 0, 1 )", "( 0, 2 )", "( 1, 0 )", "( 1, 1 )", "( 1, 2 )"}));
}

TEST(CollectiveTest, GroupModes) {
  const auto gather = [](const std::string& size, const std::string& attributes) {
    return RunToStrings(absl::StrCat(Header(2, 2), "  ROOT g = s32[", size,
                                     "] all-gather(x1), dimensions={0}, ", attributes, "\n}"),
                        2, 2);
  };
  EXPECT_EQ(gather("2", "replica_groups={}"),
            (Strings{"{0, 10}", "{1, 11}", "{0, 10}", "{1, 11}"}));
  EXPECT_EQ(gather("2", "replica_groups={{1,0}}"),
            (Strings{"{10, 0}", "{11, 1}", "{10, 0}", "{11, 1}"}));
  EXPECT_EQ(gather("4", "replica_groups={}, channel_id=1"), Strings(4, "{0, 1, 10, 11}"));
  EXPECT_EQ(gather("4", "replica_groups={{1,0}}, channel_id=1"), Strings(4, "{10, 11, 0, 1}"));
  EXPECT_EQ(gather("2", "replica_groups={{0,3},{2,1}}, channel_id=1, use_global_device_ids=true"),
            (Strings{"{0, 11}", "{10, 1}", "{10, 1}", "{0, 11}"}));
  // A channel below 1 is none.
  EXPECT_EQ(gather("2", "replica_groups={}, channel_id=0"),
            (Strings{"{0, 10}", "{1, 11}", "{0, 10}", "{1, 11}"}));
}

TEST(CollectiveTest, ReductionsGoInOrderOfRank) {
  const std::string text = R"(
HloModule m, replica_count=4
sub {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] subtract(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={{2,0},{3,1}}, to_apply=sub
})";
  std::vector<std::vector<Literal>> arguments;
  for (const float value : {1.f, 10.f, 100.f, 1000.f}) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR1<float>({value, 2 * value}));
  }
  EXPECT_EQ(RunToStrings(text, 4, 1, arguments),
            (Strings{"{99, 198}", "{990, 1980}", "{99, 198}", "{990, 1980}"}));
}

TEST(CollectiveTest, NarrowFloatsAreSummedWideAndRoundedOnce) {
  // In bf16 256 + 1 is 256 again and again; the sum of all is 264.
  const std::string text = R"(
HloModule m, replica_count=8
sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY e {
  r = u32[] replica-id()
  zero = u32[] constant(0)
  is_first = pred[] compare(r, zero), direction=EQ
  large = bf16[] constant(256)
  one = bf16[] constant(1)
  x = bf16[] select(is_first, large, one)
  ROOT y = bf16[] all-reduce(x), replica_groups={}, to_apply=sum
})";
  EXPECT_EQ(RunToStrings(text, 8, 1), Strings(8, "264"));
}

TEST(CollectiveTest, VariadicAllReduceOfDifferentTypes) {
  const std::string text = R"(
HloModule m, num_partitions=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  p = u32[] partition-id()
  f = f32[] convert(p)
  c = c64[] complex(f, f)
  f2 = f32[2] broadcast(f), dimensions={}
  ROOT y = (f32[2], c64[], u32[]) all-reduce(f2, c, p), replica_groups={{0}}, channel_id=1, to_apply=sum
})";
  EXPECT_EQ(RunToStrings(text, 1, 2), Strings(2, "( {1, 1}, (1, 1), 1 )"));
}

TEST(CollectiveTest, InLoopsBranchesAndCalls) {
  // Fibonacci-like: each turn x = sum of all; the number of turns is the same everywhere.
  const std::string text = R"(
HloModule m, replica_count=2
add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
sum_all { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), replica_groups={}, to_apply=add }
same { ROOT x = s32[] parameter(0) }
body {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = s32[] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  two = s32[] constant(2)
  odd = s32[] remainder(i, two)
  y = s32[] conditional(odd, x, x), branch_computations={sum_all, same}
  z = s32[] call(y), to_apply=sum_all
  ROOT u = (s32[], s32[]) tuple(next, z)
}
condition {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  zero = s32[] constant(0)
  t = (s32[], s32[]) tuple(zero, x)
  w = (s32[], s32[]) while(t), condition=condition, body=body
  ROOT y = s32[] get-tuple-element(w), index=1
})";
  // The first sum makes 1 on both; then one doubling and five more of both kinds...: 2^14.
  EXPECT_EQ(RunToStrings(text, 2, 1), Strings(2, absl::StrCat(1 << 14)));
}

TEST(CollectiveTest, InPlacePermuteOfSlices) {
  // Each device sends its second row and writes what it gets over its first column pair.
  const std::string text = R"(
HloModule m, replica_count=3
ENTRY e {
  in = s32[2,2] parameter(0)
  out = s32[3,2] parameter(1)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  two = s32[] constant(2)
  from = (s32[], s32[]) tuple(one, zero)
  to = (s32[], s32[]) tuple(two, zero)
  ROOT r = s32[3,2] collective-permute(in, out, from, to), source_target_pairs={{0,1},{1,0}}, slice_sizes={{1,2}}
})";
  std::vector<std::vector<Literal>> arguments;
  for (int32_t d = 0; d < 3; ++d) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR2<int32_t>({{d, d + 1}, {10 * d, 10 * d + 1}}));
    arguments.back().push_back(LiteralUtil::CreateR2<int32_t>({{7, 7}, {8, 8}, {9, 9}}));
  }
  EXPECT_EQ(RunToStrings(text, 3, 1, arguments),
            (Strings{"{ { 7, 7 }, { 8, 8 }, { 10, 11 } }", "{ { 7, 7 }, { 8, 8 }, { 0, 1 } }",
                     "{ { 7, 7 }, { 8, 8 }, { 9, 9 } }"}));
}

TEST(CollectiveTest, InPlacePermuteOfSeveralSlices) {
  // The k-th pair of a device sends, or receives, its k-th slice.
  const std::string text = R"(
HloModule m, num_partitions=2
ENTRY e {
  in = s32[4] parameter(0)
  out = s32[4] parameter(1)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  three = s32[] constant(3)
  from0 = (s32[]) tuple(zero)
  from1 = (s32[]) tuple(three)
  from = ((s32[]), (s32[])) tuple(from0, from1)
  to0 = (s32[]) tuple(one)
  to1 = (s32[]) tuple(zero)
  to = ((s32[]), (s32[])) tuple(to0, to1)
  start = (s32[4], s32[4], u32[]) collective-permute-start(in, out, from, to), channel_id=1, source_target_pairs={{0,1},{1,0},{0,0},{1,1}}, slice_sizes={{3},{1}}
  ROOT r = s32[4] collective-permute-done(start)
})";
  std::vector<std::vector<Literal>> arguments;
  for (int32_t d = 0; d < 2; ++d) {
    arguments.emplace_back();
    arguments.back().push_back(
        LiteralUtil::CreateR1<int32_t>({10 * d, 10 * d + 1, 10 * d + 2, 10 * d + 3}));
    arguments.back().push_back(LiteralUtil::CreateR1<int32_t>({-1, -1, -1, -1}));
  }
  EXPECT_EQ(RunToStrings(text, 1, 2, arguments), (Strings{"{3, 10, 11, 12}", "{13, 0, 1, 2}"}));
}

TEST(CollectiveTest, SlicesOutsideAndOddOffsetsAreErrors) {
  const auto run = [](const std::string& offset, const std::string& sizes) {
    return RunReplicated(absl::StrCat(R"(
HloModule m
ENTRY e {
  in = s32[4] iota(), iota_dimension=0
  o = )",
                                      offset, R"( constant(3)
  at = ()",
                                      offset, R"() tuple(o)
  ROOT r = s32[4] collective-permute(in, in, at, at), source_target_pairs={{0,0}}, slice_sizes={{)",
                                      sizes, "}}\n}"),
                         1, 1);
  };
  EXPECT_OK(run("s32[]", "1").status());
  EXPECT_ERROR(run("s32[]", "-1"), "does not lie in s32[4]");
  EXPECT_ERROR(run("s32[]", "2"), "the slice of sizes {2} at {3} does not lie in s32[4]");
  EXPECT_ERROR(run("s32[]", "1,1"), "slice_sizes 0 has 2 sizes for the buffer s32[4]");
  EXPECT_ERROR(run("f32[]", "1"), "an offset is f32[], not an integer scalar");
}

std::string Ragged(const std::string& shape, const std::string& attributes = "replica_groups={}") {
  return absl::StrCat(R"(
HloModule m, replica_count=2
ENTRY e {
  input = s32[3] parameter(0)
  output = s32[4] parameter(1)
  input_offsets = )",
                      shape, " parameter(2)\n  send_sizes = ", shape,
                      " parameter(3)\n  output_offsets = ", shape,
                      " parameter(4)\n  recv_sizes = ", shape, R"( parameter(5)
  ROOT r = s32[4] ragged-all-to-all(input, output, input_offsets, send_sizes, output_offsets, recv_sizes), )",
                      attributes, "\n}");
}

std::vector<Literal> RaggedArguments(const std::vector<std::vector<int32_t>>& values) {
  std::vector<Literal> literals;
  for (const auto& value : values) literals.push_back(LiteralUtil::CreateR1<int32_t>(value));
  return literals;
}

TEST(CollectiveTest, RaggedAllToAllErrorsNameTheDevices) {
  const std::vector<int32_t> input = {1, 2, 3}, output = {0, 0, 0, 0};
  const auto run = [&](const std::vector<std::vector<int32_t>>& zero) {
    std::vector<std::vector<Literal>> arguments;
    arguments.push_back(RaggedArguments({input, output, zero[0], zero[1], zero[2], zero[3]}));
    arguments.push_back(RaggedArguments({input, output, {0, 0}, {1, 1}, {0, 0}, {1, 1}}));
    return RunToStrings(Ragged("s32[2]"), 2, 1, arguments)[0];
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nwithout: " << part;
  };
  has(run({{0, 3}, {1, 1}, {0, 0}, {1, 1}}),
      "device 0 sends device 1 1 rows, from its input's row 3, but there are 3 rows");
  has(run({{0, 0}, {1, 1}, {0, -1}, {1, 1}}),
      "device 0 sends device 1 1 rows, to the output's row -1, but there are 4 rows");
  has(run({{0, 0}, {1, 2}, {0, 0}, {1, 1}}), "sends device 1 2 rows, but the receiver expects 1");
}

TEST(CollectiveTest, RaggedAllToAllOfSeveralUpdates) {
  // Two updates for each device, in both shapes that say so.
  for (const char* shape : {"s32[2,2]", "s32[4]"}) {
    const auto entries = [&](std::vector<int32_t> values) {
      if (std::string(shape) == "s32[4]") return LiteralUtil::CreateR1<int32_t>(values);
      return LiteralUtil::CreateR2<int32_t>({{values[0], values[1]}, {values[2], values[3]}});
    };
    std::vector<std::vector<Literal>> arguments(2);
    for (int32_t d = 0; d < 2; ++d) {
      auto& mine = arguments[static_cast<size_t>(d)];
      mine.push_back(LiteralUtil::CreateR1<int32_t>({10 * d + 1, 10 * d + 2, 10 * d + 3}));
      mine.push_back(LiteralUtil::CreateR1<int32_t>({-1, -1, -1, -1}));
      mine.push_back(entries({0, 1, 2, 0}));
      mine.push_back(entries({1, 1, 1, 0}));
      mine.push_back(entries({2 * d, 2 * d + 1, 2 * d, 0}));
      mine.push_back(d == 0 ? entries({1, 1, 1, 1}) : entries({1, 0, 1, 0}));
    }
    EXPECT_EQ(RunToStrings(Ragged(shape), 2, 1, arguments),
              (Strings{"{1, 2, 11, 12}", "{3, -1, 13, -1}"}));
  }
}

TEST(CollectiveTest, DynamicSizesPass) {
  const std::string text = R"(
HloModule m, replica_count=2
ENTRY e {
  r = s32[] parameter(0)
  x = s32[3] iota(), iota_dimension=0
  one = s32[] constant(1)
  size = s32[] add(r, one)
  ten = s32[] constant(10)
  r10 = s32[] multiply(r, ten)
  b = s32[3] broadcast(r10), dimensions={}
  y = s32[3] add(x, b)
  d = s32[<=3] set-dimension-size(y, size), dimensions={0}
  moved = s32[<=3] collective-permute(d), source_target_pairs={{0,1},{1,0}}
  all = s32[<=6] all-gather(d), dimensions={0}, replica_groups={}
  ROOT t = (s32[<=3], s32[<=6]) tuple(moved, all)
})";
  std::vector<std::vector<Literal>> arguments(2);
  arguments[0].push_back(LiteralUtil::CreateR0<int32_t>(0));
  arguments[1].push_back(LiteralUtil::CreateR0<int32_t>(1));
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, arguments));
  EXPECT_EQ(results[0].ToStatic().ToStringWithoutShapeOneline(), "( {10, 11}, {0, 10, 11} )");
  EXPECT_EQ(results[1].ToStatic().ToStringWithoutShapeOneline(), "( {0}, {0, 10, 11} )");
}

TEST(CollectiveTest, SumsOfDifferentRunTimeSizesAreErrors) {
  const std::string text = R"(
HloModule m, replica_count=2
add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
ENTRY e {
  r = u32[] replica-id()
  size = s32[] convert(r)
  x = s32[3] iota(), iota_dimension=0
  d = s32[<=3] set-dimension-size(x, size), dimensions={0}
  ROOT s = s32[<=3] all-reduce(d), replica_groups={}, to_apply=add
})";
  EXPECT_ERROR(RunReplicated(text, 2, 1),
               "operand 0 has dynamic sizes [1] on device 1, but [0] on device 0");
}

// --- The document's examples

std::vector<std::vector<Literal>> Columns(const std::vector<std::vector<float>>& values) {
  std::vector<std::vector<Literal>> arguments;
  for (const auto& value : values) {
    arguments.emplace_back();
    arguments.back().push_back(LiteralUtil::CreateR1<float>(value));
  }
  return arguments;
}

constexpr char kSum[] = R"(
HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
)";

TEST(CollectiveDocumentTest, AllGather) {
  EXPECT_EQ(RunToStrings(std::string(kSum) +
                             "ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={}\n}",
                         2, 1, Columns({{1, 2.5}, {3, 5.25}})),
            Strings(2, "{1, 2.5, 3, 5.25}"));
}

TEST(CollectiveDocumentTest, AllReduce) {
  EXPECT_EQ(RunToStrings(std::string(kSum) +
                             "ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum\n}",
                         2, 1, Columns({{1, 2.5}, {3, 5.25}})),
            Strings(2, "{4, 7.75}"));
}

TEST(CollectiveDocumentTest, ReduceScatter) {
  EXPECT_EQ(RunToStrings(std::string(kSum) + "ROOT r = f32[1] reduce-scatter(x), dimensions={0}, "
                                             "replica_groups={}, to_apply=sum\n}",
                         2, 1, Columns({{1, 2.25}, {3, 5.25}})),
            (Strings{"{4}", "{7.5}"}));
}

TEST(CollectiveDocumentTest, GroupsOfFlattenedIds) {
  // 2 replicas x 4 partitions: {0,1,4,5} are (0,0), (0,1), (1,0), (1,1).
  const std::string text = Header(2, 4) + R"(
  ROOT g = s32[4] all-gather(x1), dimensions={0}, replica_groups={{0,1,4,5},{2,3,6,7}}, channel_id=1, use_global_device_ids=true
})";
  const std::string low = "{0, 1, 10, 11}", high = "{2, 3, 12, 13}";
  EXPECT_EQ(RunToStrings(text, 2, 4), (Strings{low, low, high, high, low, low, high, high}));
}

TEST(CollectiveDocumentTest, GroupsOfAllGather) {
  const std::string text = Header(4, 1) + R"(
  ROOT g = s32[2] all-gather(x1), dimensions={0}, replica_groups={{0,2},{1,3}}
})";
  EXPECT_EQ(RunToStrings(text, 4, 1), (Strings{"{0, 20}", "{10, 30}", "{0, 20}", "{10, 30}"}));
}

TEST(CollectiveDocumentTest, AllToAllJoinsInTheOrderOfTheGroup) {
  // replica_groups={{1,2,3},{4,5,0}}
  const std::string text = R"(
HloModule m, replica_count=6
ENTRY e {
  x = f32[3] parameter(0)
  ROOT r = f32[3] all-to-all(x), dimensions={0}, replica_groups={{1,2,3},{4,5,0}}
})";
  std::vector<std::vector<float>> values;
  for (float d = 0; d < 6; ++d) values.push_back({10 * d, 10 * d + 1, 10 * d + 2});
  EXPECT_EQ(RunToStrings(text, 6, 1, Columns(values)),
            (Strings{"{42, 52, 2}", "{10, 20, 30}", "{11, 21, 31}", "{12, 22, 32}", "{40, 50, 0}",
                     "{41, 51, 1}"}));
}

TEST(CollectiveDocumentTest, AllToAllOfFourCores) {
  // f32[4,16] split along dimension 1 into four f32[4,4], joined along dimension 0 to f32[16,4]:
  // the builder's AllToAll, as it is written in HLO.
  const std::string text = R"(
HloModule m, replica_count=4
ENTRY e {
  r = u32[] replica-id()
  rf = f32[] convert(r)
  k = f32[] constant(100)
  base = f32[] multiply(rf, k)
  b = f32[4,16] broadcast(base), dimensions={}
  i = f32[4,16] iota(), iota_dimension=1
  x = f32[4,16] add(b, i)
  blocks = f32[4,4,4] reshape(x)
  split = f32[4,4,4] transpose(blocks), dimensions={1,0,2}
  sent = f32[4,4,4] all-to-all(split), dimensions={0}, replica_groups={}
  ROOT y = f32[16,4] reshape(sent)
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 4, 1));
  for (int64_t device = 0; device < 4; ++device) {
    const Literal& y = results[static_cast<size_t>(device)];
    for (int64_t row = 0; row < 16; ++row) {
      for (int64_t column = 0; column < 4; ++column) {
        EXPECT_EQ(y.Get<float>({row, column}),
                  static_cast<float>(100 * (row / 4) + 4 * device + column));
      }
    }
  }
}

// Two replicas with f32[2,4]: 1 to 8, and 9 to 16.
std::vector<std::vector<Literal>> OneToSixteen() {
  std::vector<std::vector<Literal>> arguments(2);
  arguments[0].push_back(LiteralUtil::CreateR2<float>({{1, 2, 3, 4}, {5, 6, 7, 8}}));
  arguments[1].push_back(LiteralUtil::CreateR2<float>({{9, 10, 11, 12}, {13, 14, 15, 16}}));
  return arguments;
}

TEST(CollectiveDocumentTest, AllToAllOfTwoReplicas) {
  const std::string text = R"(
HloModule m, replica_count=2
ENTRY e {
  x = f32[2,4] parameter(0)
  blocks = f32[2,2,2] reshape(x)
  split = f32[2,2,2] transpose(blocks), dimensions={1,0,2}
  sent = f32[2,2,2] all-to-all(split), dimensions={0}, replica_groups={{0,1}}
  ROOT y = f32[4,2] reshape(sent)
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, OneToSixteen()));
  EXPECT_EQ(results[0], LiteralUtil::CreateR2<float>({{1, 2}, {5, 6}, {9, 10}, {13, 14}}));
  EXPECT_EQ(results[1], LiteralUtil::CreateR2<float>({{3, 4}, {7, 8}, {11, 12}, {15, 16}}));
}

TEST(CollectiveDocumentTest, ReduceScatterOfTwoReplicas) {
  const std::string text = R"(
HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[2,4] parameter(0)
  ROOT y = f32[2,2] reduce-scatter(x), dimensions={1}, replica_groups={{0,1}}, to_apply=sum
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 2, 1, OneToSixteen()));
  EXPECT_EQ(results[0], LiteralUtil::CreateR2<float>({{10, 12}, {18, 20}}));
  EXPECT_EQ(results[1], LiteralUtil::CreateR2<float>({{14, 16}, {22, 24}}));
}

TEST(CollectiveDocumentTest, RaggedAllToAll) {
  std::vector<std::vector<Literal>> arguments;
  arguments.push_back(RaggedArguments({{1, 2, 2}, {0, 0, 0, 0}, {0, 1}, {1, 2}, {0, 0}, {1, 1}}));
  arguments.push_back(RaggedArguments({{3, 4, 0}, {0, 0, 0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1}}));
  EXPECT_EQ(RunToStrings(Ragged("s32[2]"), 2, 1, arguments),
            (Strings{"{1, 3, 0, 0}", "{2, 2, 4, 0}"}));
}

TEST(CollectiveDocumentTest, DevicesOutsideABroadcastOrPermuteGetZeros) {
  EXPECT_EQ(RunToStrings(Header(4, 1) + R"(
  one = s32[] constant(1)
  y = s32[] add(x, one)
  b = s32[] collective-broadcast(y), replica_groups={{2,1}}
  c = s32[] collective-permute(y), source_target_pairs={{0,1},{2,3}}
  ROOT t = (s32[], s32[]) tuple(b, c)
})",
                         4, 1),
            (Strings{"( 0, 0 )", "( 21, 1 )", "( 21, 0 )", "( 0, 21 )"}));
}

}  // namespace
}  // namespace xla
