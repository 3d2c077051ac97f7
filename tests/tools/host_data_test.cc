// SPDX-License-Identifier: Apache-2.0
// Infeed and what is received from the host, from files.
#include "tools/host_data.h"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::CommandLine;
using testing::Scalar;
using testing::WriteNpz;

constexpr char kInfeeds[] = R"(
HloModule m, replica_count=2
ENTRY e {
  t = token[] after-all()
  i = ((s32[], s32[]), token[]) infeed(t)
  t1 = token[] get-tuple-element(i), index=1
  ROOT j = (s32[], token[]) infeed(t1)
})";

TEST(HostDataTest, InfeedOfTuplesAndArrays) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kInfeeds));
  std::vector<std::pair<std::string, Literal>> arrays;
  arrays.emplace_back("first.0", Scalar(1));
  arrays.emplace_back("first.1", Scalar(2));
  arrays.emplace_back("device1/second", Scalar(3));
  const std::string path = WriteNpz("infeed", arrays);
  ASSERT_OK_AND_ASSIGN(const Arguments arguments, CommandLine({"--infeed", path, "x.hlo"}));
  runtime::Feeds feeds(2);
  ASSERT_OK(GiveInfeed(*module, {2, 1}, arguments, feeds));
  const Shape pair = ShapeUtil::MakeTupleShape({Scalar(0).shape(), Scalar(0).shape()});
  for (int64_t device = 0; device < 2; ++device) {
    ASSERT_OK_AND_ASSIGN(const Literal tuple, feeds.ReadInfeed(pair, device, {}));
    EXPECT_EQ(LiteralSlice(tuple, {1}).Clone(), Scalar(2));
  }
  ASSERT_OK_AND_ASSIGN(const Literal lone, feeds.ReadInfeed(Scalar(0).shape(), 1, {}));
  EXPECT_EQ(lone, Scalar(3));
  EXPECT_ERROR(feeds.ReadInfeed(Scalar(0).shape(), 0, {}), "no more data will be given");

  std::vector<std::pair<std::string, Literal>> wrong;
  wrong.emplace_back("a", LiteralUtil::CreateR1<int32_t>({1, 2}));
  ASSERT_OK_AND_ASSIGN(const Arguments bad,
                       CommandLine({"--infeed", WriteNpz("wrong", wrong), "x.hlo"}));
  runtime::Feeds others(2);
  EXPECT_ERROR(GiveInfeed(*module, {2, 1}, bad, others),
               "the program has no infeed for this; it reads");
}

// Receives twice on channel 5 and once on 6; sends the sum of the former on 7, the latter on 8.
constexpr char kReceives[] = R"(
HloModule m, replica_count=2
ENTRY e {
  t = token[] after-all()
  a = (s32[2], u32[], token[]) recv(t), channel_id=5, is_host_transfer=true
  a.done = (s32[2], token[]) recv-done(a), channel_id=5, is_host_transfer=true
  a.data = s32[2] get-tuple-element(a.done), index=0
  t1 = token[] get-tuple-element(a.done), index=1
  b = (s32[2], u32[], token[]) recv(t1), channel_id=5, is_host_transfer=true
  b.done = (s32[2], token[]) recv-done(b), channel_id=5, is_host_transfer=true
  b.data = s32[2] get-tuple-element(b.done), index=0
  t2 = token[] get-tuple-element(b.done), index=1
  c = (f32[], u32[], token[]) recv(t2), channel_id=6, is_host_transfer=true
  c.done = (f32[], token[]) recv-done(c), channel_id=6, is_host_transfer=true
  c.data = f32[] get-tuple-element(c.done), index=0
  t3 = token[] get-tuple-element(c.done), index=1
  sum = s32[2] add(a.data, b.data)
  s = (s32[2], u32[], token[]) send(sum, t3), channel_id=7, is_host_transfer=true
  s.done = token[] send-done(s), channel_id=7, is_host_transfer=true
  u = (f32[], u32[], token[]) send(c.data, s.done), channel_id=8, is_host_transfer=true
  u.done = token[] send-done(u), channel_id=8, is_host_transfer=true
  ROOT r = s32[] constant(42)
})";

// The second value of channel 5 is one of each device.
std::string FirstChannel() {
  std::vector<std::pair<std::string, Literal>> arrays;
  arrays.emplace_back("first", LiteralUtil::CreateR1<int32_t>({1, 2}));
  arrays.emplace_back("device0/second", LiteralUtil::CreateR1<int32_t>({10, 20}));
  arrays.emplace_back("device1/second", LiteralUtil::CreateR1<int32_t>({100, 200}));
  return absl::StrCat("5=", WriteNpz("first_channel", arrays));
}

std::string SecondChannel() {
  std::vector<std::pair<std::string, Literal>> arrays;
  arrays.emplace_back("x", LiteralUtil::CreateR0<float>(1.5f));
  return absl::StrCat("6=", WriteNpz("second_channel", arrays));
}

// Results of `xylem run` on kReceives, as "name=value".
absl::StatusOr<std::vector<std::string>> RunReceives(std::vector<std::string> options) {
  const std::string program = absl::StrCat(testing::ProcessTempDir(), "/tools_test_receives.hlo");
  const std::string results = absl::StrCat(testing::ProcessTempDir(), "/tools_test_results.npz");
  std::ofstream(program) << kReceives;
  options.insert(options.end(), {"--output", results, program});
  XLA_ASSIGN_OR_RETURN(const Arguments arguments, CommandLine(options));
  XLA_RETURN_IF_ERROR(RunCommand().run(arguments).status());
  XLA_ASSIGN_OR_RETURN(const NumpyFile outputs, NumpyFile::Open(results));
  std::vector<std::string> texts;
  for (size_t i = 0; i < outputs.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(const Literal value, outputs.Read(i));
    texts.push_back(absl::StrCat(outputs.name(i), "=", value.ToStringWithoutShapeOneline()));
  }
  return texts;
}

TEST(HostDataTest, ReceivesInOrderByChannelAndDevice) {
  ASSERT_OK_AND_ASSIGN(const auto outputs, RunReceives({"--host-recv", FirstChannel(),
                                                        "--host-recv", SecondChannel()}));
  EXPECT_EQ(outputs,
            (std::vector<std::string>{
                "device0/out00=42", "device0/channel7_00={11, 22}", "device0/channel8_00=1.5",
                "device1/out00=42", "device1/channel7_00={101, 202}", "device1/channel8_00=1.5"}));
}

TEST(HostDataTest, WhatIsMissingIsSaidAtOnce) {
  EXPECT_ERROR(RunReceives({"--host-recv", FirstChannel()}), "the host gave nothing on channel 6");
}

// A tuple is given to an infeed of as many elements, not to one that takes its first ones.
TEST(HostDataTest, InfeedOfTuplesOfSeveralSizes) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  pair = ((s32[], s32[]), token[]) infeed(t)
  u = token[] get-tuple-element(pair), index=1
  ROOT three = ((s32[], s32[], s32[]), token[]) infeed(u)
})"));
  std::vector<std::pair<std::string, Literal>> arrays;
  for (int i = 0; i < 3; ++i) arrays.emplace_back(absl::StrCat("data.", i), Scalar(i));
  ASSERT_OK_AND_ASSIGN(const Arguments arguments,
                       CommandLine({"--infeed", WriteNpz("three", arrays), "x.hlo"}));
  runtime::Feeds feeds(1);
  ASSERT_OK(GiveInfeed(*module, {1, 1}, arguments, feeds));
  const Shape scalar = Scalar(0).shape();
  ASSERT_OK_AND_ASSIGN(
      const Literal tuple,
      feeds.ReadInfeed(ShapeUtil::MakeTupleShape({scalar, scalar, scalar}), 0, {}));
  EXPECT_EQ(LiteralSlice(tuple, {2}).Clone(), Scalar(2));
}

TEST(HostDataTest, OptionsThatDoNotFitTheProgram) {
  const std::string file = FirstChannel().substr(2);
  EXPECT_ERROR(RunReceives({"--host-recv", "7=" + file}),
               "the program receives nothing from the host on channel 7; it receives on channel 5 "
               "s32[2], on channel 6 f32[]");
  EXPECT_ERROR(RunReceives({"--host-recv", "6=" + file}),
               ":first: the program has no recv on channel 6 for this; it reads f32[]");
  EXPECT_ERROR(RunReceives({"--replicas=1", "--host-recv", "5=" + file}),
               ":device1/second: there is no device 1; the program runs on 1");
  for (const char* wrong : {"5", "5=", "=x.npz", "five=x.npz"}) {
    EXPECT_ERROR(RunReceives({"--host-recv", wrong}), "--host-recv takes a channel and a file");
  }
  EXPECT_ERROR(RunReceives({"--host-recv", "5=no_such_file.npz"}), "no_such_file.npz");
}

TEST(HostDataTest, AProgramThatReceivesNothing) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { ROOT a = f32[8] parameter(0) })"));
  ASSERT_OK_AND_ASSIGN(const Arguments arguments,
                       CommandLine({"--host-recv", FirstChannel(), "x.hlo"}));
  runtime::HostChannels channels(1);
  EXPECT_ERROR(GiveHostRecv(*module, {1, 1}, arguments, channels),
               "on channel 5; it receives nothing from the host");
}

}  // namespace
}  // namespace xla
