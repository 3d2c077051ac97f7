// SPDX-License-Identifier: Apache-2.0
// Runs of several devices: errors, time-outs, cancellation, infeed, outfeed, send and recv.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/interp/replicated_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {
namespace {

using testing::RunReplicated;
using testing::RunToStrings;
using Strings = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Longer than any of these errors takes, shorter than the time-out where none is set.
constexpr double kSoon = 30;

constexpr char kAdd[] = R"(
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
)";

// --- Errors

TEST(DeviceTest, ArgumentsOfEachDeviceAreChecked) {
  const std::string text = "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }";
  std::vector<std::vector<Literal>> arguments(2);
  arguments[0].push_back(LiteralUtil::CreateR1<float>({1, 2}));
  arguments[1].push_back(LiteralUtil::CreateR1<float>({1, 2, 3}));
  EXPECT_ERROR(RunReplicated(text, 1, 2, arguments),
               "device 1 (replica 0, partition 1): argument 0 has shape f32[3]");
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  EXPECT_ERROR(InterpretReplicated(*module, 0, 1, {}), "0 replicas of 1 partitions");
  EXPECT_ERROR(InterpretReplicated(*module, 1 << 20, 1 << 20, {}), "a run has 1 to 1024 devices");
  EXPECT_ERROR(InterpretReplicated(*module, 2, 1, {}), "arguments of 0 devices were given");
}

TEST(DeviceTest, AnErrorOnOneDeviceStopsAllAndIsReported) {
  // Device 2 fails; 0 and 1 wait for it, 3 loops for ever.
  const std::string text = absl::StrCat("HloModule m, replica_count=4\n", kAdd, R"(
fail {
  x = s32[] parameter(0)
  ROOT y = s32[] custom-call(x), custom_call_target="fail"
}
sum { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), replica_groups={}, to_apply=add }
forever { x = s32[] parameter(0)  ROOT t = pred[] constant(true) }
same { ROOT x = s32[] parameter(0) }
spin { x = s32[] parameter(0)  ROOT y = s32[] while(x), condition=forever, body=same }
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  ROOT y = s32[] conditional(x, x, x, x, x), branch_computations={sum, sum, fail, spin}
})");
  InterpreterOptions options;
  options.custom_calls.emplace_back(
      "fail", [](const HloInstruction&, absl::Span<const LiteralSlice>, Literal*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return absl::DataLossError("no luck today");
      });
  const auto start = Clock::now();
  const auto results = RunReplicated(text, 4, 1, {}, options);
  EXPECT_LT(SecondsSince(start), kSoon);
  EXPECT_STATUS(results, absl::StatusCode::kDataLoss, "device 2 (replica 2, partition 0): y = ");
  EXPECT_ERROR(results, "no luck today");
}

TEST(DeviceTest, ADeviceThatEndsWithoutItsCollectiveIsNamed) {
  const std::string text = absl::StrCat("HloModule m, num_partitions=2\n", kAdd, R"(
sum { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add }
same { ROOT x = s32[] parameter(0) }
ENTRY e {
  p = u32[] partition-id()
  x = s32[] convert(p)
  ROOT y = s32[] conditional(x, x, x), branch_computations={sum, same}
})");
  const auto start = Clock::now();
  const auto results = RunReplicated(text, 1, 2);
  EXPECT_LT(SecondsSince(start), kSoon);
  EXPECT_ERROR(results, "all-reduce(s32[] x)");
  EXPECT_ERROR(results, "device 0 waits for device 1 of the group {0,1}, but device 1 has ended");
}

TEST(DeviceTest, DifferentTurnsOfALoopAreAnErrorAtOnce) {
  // Replica r makes r + 1 turns with a collective each.
  const std::string text = absl::StrCat("HloModule m, replica_count=3\n", kAdd, R"(
body {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  sum = s32[] all-reduce(one), replica_groups={}, to_apply=add
  nothing = s32[] subtract(sum, sum)
  less = s32[] subtract(x, one)
  ROOT y = s32[] add(less, nothing)
}
condition {
  x = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT c = pred[] compare(x, zero), direction=GE
}
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  ROOT w = s32[] while(x), condition=condition, body=body
})");
  const auto start = Clock::now();
  EXPECT_ERROR(RunReplicated(text, 3, 1), "ended the program without it");
  EXPECT_LT(SecondsSince(start), kSoon);
}

TEST(DeviceTest, DifferentCollectivesAreAnErrorAtOnce) {
  const std::string header = absl::StrCat("HloModule m, replica_count=2\n", kAdd);
  const std::string entry = R"(
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  ROOT y = s32[] conditional(x, x, x), branch_computations={one, other}
})";
  const auto start = Clock::now();
  // Without a channel they do not meet at all.
  EXPECT_ERROR(
      RunReplicated(header + R"(
one { x = s32[] parameter(0)  ROOT first = s32[] all-reduce(x), replica_groups={}, to_apply=add }
other { x = s32[] parameter(0)  ROOT second = s32[] all-reduce(x), replica_groups={}, to_apply=add }
)" + entry,
                    2, 1),
      "wait for each other: device 0 in first for device 1; device 1 in second for device 0");
  // With one they meet, and are not the same.
  EXPECT_ERROR(RunReplicated(header + R"(
one {
  x = s32[] parameter(0)
  x2 = s32[2] broadcast(x), dimensions={}
  ROOT first = s32[] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add
}
other {
  x = s32[] parameter(0)
  x2 = s32[2] broadcast(x), dimensions={}
  second = s32[2] all-reduce(x2), channel_id=1, replica_groups={}, to_apply=add
  s = s32[1] slice(second), slice={[0:1]}
  ROOT z = s32[] reshape(s)
}
)" + entry,
                             2, 1),
               "devices meet on channel 1 with different operations");
  EXPECT_LT(SecondsSince(start), kSoon);
}

TEST(DeviceTest, AMissingParticipantGivesTheErrorWithinTheTimeOut) {
  const std::string text = absl::StrCat("HloModule m, replica_count=2\n", kAdd, R"(
busy { x = s32[] parameter(0)  ROOT y = s32[] custom-call(x), custom_call_target="busy" }
sum { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), replica_groups={{0,1}}, to_apply=add }
ENTRY e {
  r = u32[] replica-id()
  x = s32[] convert(r)
  ROOT y = s32[] conditional(x, x, x), branch_computations={sum, busy}
})");
  std::atomic<bool> may_end{false};
  InterpreterOptions options;
  options.wait_timeout = absl::Milliseconds(300);
  options.custom_calls.emplace_back(
      "busy", [&](const HloInstruction&, absl::Span<const LiteralSlice>, Literal*) {
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return absl::OkStatus();
      });
  // The host function cannot be stopped: it is let go once the error must have come.
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    may_end = true;
  });
  const auto results = RunReplicated(text, 2, 1, {}, options);
  release.join();
  EXPECT_STATUS(results, absl::StatusCode::kDeadlineExceeded,
                "device 0 (replica 0, partition 0): y");
  EXPECT_ERROR(results, "device 0 waited 300ms for device 1 of the group {0,1}");
}

TEST(DeviceTest, CancellationReachesDevicesThatWait) {
  const std::string text = R"(
HloModule m, replica_count=2
ENTRY e {
  t = token[] after-all()
  ROOT i = (s32[], token[]) infeed(t)
})";
  std::atomic<bool> cancel{false};
  runtime::Feeds feeds(2);
  InterpreterOptions options;
  options.cancel = &cancel;
  options.feeds = &feeds;
  options.wait_timeout = absl::InfiniteDuration();
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = true;
  });
  EXPECT_STATUS(RunReplicated(text, 2, 1, {}, options), absl::StatusCode::kCancelled, "cancelled");
  host.join();
}

TEST(DeviceTest, GroupsThatDoNotFitTheRunAreErrors) {
  const auto run = [](const std::string& instruction, int64_t replicas) {
    return RunReplicated(absl::StrCat("HloModule m\n", kAdd,
                                      "ENTRY e {\n r = u32[] replica-id()\n x = s32[] convert(r)\n"
                                      " x2 = s32[2] broadcast(x), dimensions={}\n ROOT y = ",
                                      instruction, "\n}"),
                         replicas, 1);
  };
  EXPECT_ERROR(run("s32[] all-reduce(x), replica_groups={{0,1}}, to_apply=add", 3),
               "device 2 (replica 2, partition 0) is in none of its replica groups");
  EXPECT_ERROR(run("s32[] all-reduce(x), replica_groups={{0,1,2}}, to_apply=add", 2),
               "there is no replica 2: the run has 2 replicas");
  EXPECT_ERROR(run("s32[4] all-gather(x2), replica_groups={}, dimensions={0}", 3),
               "4 indices are not 3 times 2");
  EXPECT_ERROR(run("s32[2] all-to-all(x2), replica_groups={}, dimensions={0}", 3),
               "2 indices are not 3 times 0");
  EXPECT_ERROR(run("(s32[2], s32[2]) all-to-all(x2, x2), replica_groups={}", 3),
               "it has 2 operands, but a group of 3 devices");
  EXPECT_ERROR(run("s32[] collective-permute(x), source_target_pairs={{0,5}}", 2),
               "there is no replica 5");
}

TEST(DeviceTest, NoCommunicationInComputationsOnElements) {
  const std::string text = absl::StrCat("HloModule m, replica_count=2\n", kAdd, R"(
f { x = s32[] parameter(0)  ROOT y = s32[] all-reduce(x), replica_groups={}, to_apply=add }
ENTRY e {
  x = s32[4] iota(), iota_dimension=0
  ROOT y = s32[4] map(x), dimensions={0}, to_apply=f
})");
  EXPECT_ERROR(RunReplicated(text, 2, 1), "computation f");
}

TEST(DeviceTest, TheSameBitsAtAnyNumberOfThreads) {
  const std::string text = R"(
HloModule m, replica_count=3
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  r = u32[] replica-id()
  f = f32[] convert(r)
  i = f32[100000] iota(), iota_dimension=0
  b = f32[100000] broadcast(f), dimensions={}
  p = f32[100000] add(i, b)
  s = f32[100000] sine(p)
  all = f32[100000] all-reduce(s), replica_groups={}, to_apply=add
  zero = f32[] constant(0)
  ROOT t = f32[] reduce(all, zero), dimensions={0}, to_apply=add
})";
  InterpreterOptions options;
  options.num_threads = 1;
  const Strings expected = RunToStrings(text, 3, 1, {}, options);
  for (const int threads : {2, 5, 8}) {
    options.num_threads = threads;
    EXPECT_EQ(RunToStrings(text, 3, 1, {}, options), expected);
  }
}

TEST(DeviceTest, StatefulRandomNumbersDoNotDependOnOtherDevices) {
  const std::string text = R"(
HloModule m
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(1)
  ROOT r = f32[1000] rng(a, b), distribution=rng_uniform
})";
  const Strings one = RunToStrings(text, 1, 1);
  EXPECT_EQ(RunToStrings(text, 2, 2), Strings(4, one[0]));
}

// --- Infeed and outfeed

constexpr char kFeedLoop[] = R"(
HloModule m
body {
  c = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  t = token[] get-tuple-element(c), index=1
  in = ((s32[2], s32[]), token[]) infeed(t)
  d = (s32[2], s32[]) get-tuple-element(in), index=0
  t2 = token[] get-tuple-element(in), index=1
  t3 = token[] outfeed(d, t2), outfeed_shape=(s32[2], s32[])
  go = s32[] get-tuple-element(d), index=1
  ROOT r = (s32[], token[]) tuple(go, t3)
}
condition {
  c = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  zero = s32[] constant(0)
  ROOT p = pred[] compare(i, zero), direction=NE
}
ENTRY e {
  t = token[] after-all()
  one = s32[] constant(1)
  c = (s32[], token[]) tuple(one, t)
  ROOT w = (s32[], token[]) while(c), condition=condition, body=body
})";

Literal Fed(int32_t value, int32_t go_on) {
  std::vector<Literal> parts;
  parts.push_back(LiteralUtil::CreateR1<int32_t>({value, value + 1}));
  parts.push_back(LiteralUtil::CreateR0<int32_t>(go_on));
  return LiteralUtil::MakeTupleOwned(std::move(parts));
}

TEST(FeedTest, ALoopReadsWhatTheHostGivesAndWritesItBack) {
  runtime::Feeds feeds(2);
  InterpreterOptions options;
  options.feeds = &feeds;
  std::thread host([&] {
    for (int32_t i = 0; i < 20; ++i) {
      for (int64_t device = 0; device < 2; ++device) {
        EXPECT_OK(feeds.TransferToInfeed(
            Fed(100 * static_cast<int32_t>(device) + i, i == 19 ? 0 : 1), device));
        const auto back = feeds.TransferFromOutfeed(device);
        ASSERT_OK(back.status());
        EXPECT_EQ(*back, Fed(100 * static_cast<int32_t>(device) + i, i == 19 ? 0 : 1));
      }
    }
  });
  EXPECT_OK(RunReplicated(kFeedLoop, 2, 1, {}, options).status());
  host.join();
}

// A loop that never ends writes as much as it is let.
TEST(FeedTest, OutputsThatAreKeptCountAsMemory) {
  for (const char* write :
       {"o = token[] outfeed(x, t)",
        "s = (f32[1000], u32[], token[]) send(x, t), channel_id=3, is_host_transfer=true\n"
        "o = token[] send-done(s), channel_id=3, is_host_transfer=true"}) {
    const std::string text = std::string(R"(
HloModule m
c { p = (f32[1000], token[]) parameter(0)
  ROOT t = pred[] constant(true) }
b { p = (f32[1000], token[]) parameter(0)
  x = f32[1000] get-tuple-element(p), index=0
  t = token[] get-tuple-element(p), index=1
  )") + write + R"(
  ROOT r = (f32[1000], token[]) tuple(x, o) }
ENTRY e { x = f32[1000] iota(), iota_dimension=0
  t = token[] after-all()
  i = (f32[1000], token[]) tuple(x, t)
  ROOT w = (f32[1000], token[]) while(i), condition=c, body=b })";
    runtime::Feeds feeds(1, INT64_MAX);
    runtime::HostChannels channels(1, INT64_MAX);
    InterpreterOptions options;
    options.feeds = &feeds;
    options.host_channels = &channels;
    options.outputs_are_kept = true;
    options.memory_limit_bytes = 102'000;
    EXPECT_STATUS(RunReplicated(text, 1, 1, {}, options), absl::StatusCode::kResourceExhausted,
                  "does not allow 4000 bytes more of output for the host");
    EXPECT_LE(feeds.OutfeedSize(), 25);
  }
}

TEST(FeedTest, TokensOrderReads) {
  // The second infeed comes first in the text.
  const std::string text = R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  a = (s32[], token[]) infeed(t)
  at = token[] get-tuple-element(a), index=1
  b = (s32[], token[]) infeed(at)
  ad = s32[] get-tuple-element(a), index=0
  bd = s32[] get-tuple-element(b), index=0
  ROOT r = (s32[], s32[]) tuple(bd, ad)
})";
  runtime::Feeds feeds(1);
  for (int32_t i = 1; i <= 2; ++i)
    ASSERT_OK(feeds.TransferToInfeed(LiteralUtil::CreateR0<int32_t>(i)));
  InterpreterOptions options;
  options.feeds = &feeds;
  EXPECT_EQ(RunToStrings(text, 1, 1, {}, options), Strings{"( 2, 1 )"});
}

TEST(FeedTest, EffectsHappenEvenWhereNobodyWantsTheResult) {
  const std::string text = R"(
HloModule m
write {
  x = s32[] parameter(0)
  t = token[] after-all()
  o = token[] outfeed(x, t)
  ROOT y = s32[] add(x, x)
}
ENTRY e {
  t = token[] after-all()
  i = (s32[], token[]) infeed(t)
  one = s32[] constant(1)
  unused = s32[] call(one), to_apply=write
  ROOT r = s32[] constant(7)
})";
  runtime::Feeds feeds(1);
  ASSERT_OK(feeds.TransferToInfeed(LiteralUtil::CreateR0<int32_t>(5)));
  InterpreterOptions options;
  options.feeds = &feeds;
  EXPECT_EQ(RunToStrings(text, 1, 1, {}, options), Strings{"7"});
  feeds.CloseInfeeds();
  EXPECT_EQ(feeds.OutfeedSize(), 1);
  EXPECT_ERROR(RunReplicated(text, 1, 1, {}, options),
               "the infeed queue of device 0 is empty, and no more data will be given");
}

TEST(FeedTest, Errors) {
  const std::string text = R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  ROOT i = (f32[2], token[]) infeed(t)
})";
  EXPECT_ERROR(RunReplicated(text, 1, 1), "infeed(token[] t)");
  EXPECT_ERROR(RunReplicated(text, 1, 1), "the run has no infeed and outfeed queues");
  runtime::Feeds feeds(1);
  InterpreterOptions options;
  options.feeds = &feeds;
  options.wait_timeout = absl::Milliseconds(30);
  EXPECT_STATUS(RunReplicated(text, 1, 1, {}, options), absl::StatusCode::kDeadlineExceeded,
                "no data was given to the infeed queue of device 0 after 30ms");
  ASSERT_OK(feeds.TransferToInfeed(LiteralUtil::CreateR0<float>(1)));
  EXPECT_ERROR(RunReplicated(text, 1, 1, {}, options),
               "the program reads f32[2], but the next data in the infeed queue of device 0 has "
               "shape f32[]");
  runtime::Feeds fewer(1);
  options.feeds = &fewer;
  ASSERT_OK(fewer.TransferToInfeed(LiteralUtil::CreateR1<float>({1, 2})));
  EXPECT_ERROR(RunReplicated(text, 2, 1, {}, options), "there is no feed of device 1");
}

TEST(FeedTest, AnEmptyTupleIsReadWithoutData) {
  const std::string text = R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  i = ((), token[]) infeed(t)
  ROOT r = s32[] constant(3)
})";
  EXPECT_EQ(RunToStrings(text, 1, 1), Strings{"3"});
}

// --- Send and recv

std::string Ring(int64_t devices, const std::string& module, const std::string& id,
                 const std::string& channel) {
  std::string pairs;
  for (int64_t d = 0; d < devices; ++d)
    absl::StrAppend(&pairs, d == 0 ? "" : ",", "{", d, ",", (d + 1) % devices, "}");
  // recv-done stands before send: the order of effects must not make the ring wait for itself.
  return absl::StrCat(module, R"(
ENTRY e {
  d = u32[] )",
                      id, R"(()
  t = token[] after-all()
  recv = (u32[], u32[], token[]) recv(t), )",
                      channel, ", frontend_attributes={_xla_send_recv_source_target_pairs={", pairs,
                      R"(}}
  recv-done = (u32[], token[]) recv-done(recv), )",
                      channel, R"(
  send = (u32[], u32[], token[]) send(d, t), )",
                      channel, ", frontend_attributes={_xla_send_recv_source_target_pairs={", pairs,
                      R"(}}
  send-done = token[] send-done(send), )",
                      channel, R"(
  ROOT r = u32[] get-tuple-element(recv-done), index=0
})");
}

TEST(TransferTest, ARingOfReplicasOrPartitions) {
  EXPECT_EQ(
      RunToStrings(Ring(4, "HloModule m, replica_count=4", "replica-id", "channel_id=0"), 4, 1),
      (Strings{"3", "0", "1", "2"}));
  EXPECT_EQ(
      RunToStrings(Ring(3, "HloModule m, num_partitions=3", "partition-id", "channel_id=2"), 1, 3),
      (Strings{"2", "0", "1"}));
  // Each replica has its own ring of partitions.
  EXPECT_EQ(RunToStrings(Ring(2, "HloModule m, replica_count=2, num_partitions=2", "partition-id",
                              "channel_id=2"),
                         2, 2),
            (Strings{"1", "0", "1", "0"}));
}

TEST(TransferTest, DevicesWithoutSourceGetZeros) {
  const std::string pairs =
      ", channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,2}}\"}";
  const std::string text = absl::StrCat(R"(
HloModule m, num_partitions=3
ENTRY e {
  p = u32[] partition-id()
  k = u32[] constant(5)
  x = u32[] add(p, k)
  t = token[] after-all()
  send = (u32[], u32[], token[]) send(x, t))",
                                        pairs, R"(
  send-done = token[] send-done(send), channel_id=1
  recv = (u32[], u32[], token[]) recv(t))",
                                        pairs, R"(
  recv-done = (u32[], token[]) recv-done(recv), channel_id=1
  ROOT r = u32[] get-tuple-element(recv-done), index=0
})");
  EXPECT_EQ(RunToStrings(text, 1, 3), (Strings{"0", "0", "5"}));
}

TEST(TransferTest, RecvsCompleteInAnyOrder) {
  // The second message is waited for first.
  const std::string pairs =
      ", channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}}";
  const std::string text = absl::StrCat(R"(
HloModule m, num_partitions=2
ENTRY e {
  p = u32[] partition-id()
  k = u32[] constant(10)
  x = u32[] add(p, k)
  t = token[] after-all()
  first = (u32[], u32[], token[]) send(p, t))",
                                        pairs, R"(
  first_done = token[] send-done(first), channel_id=1
  second = (u32[], u32[], token[]) send(x, first_done))",
                                        pairs, R"(
  second_done = token[] send-done(second), channel_id=1
  r1 = (u32[], u32[], token[]) recv(t))",
                                        pairs, R"(
  r2 = (u32[], u32[], token[]) recv(t))",
                                        pairs, R"(, control-predecessors={r1}
  r2d = (u32[], token[]) recv-done(r2), channel_id=1
  r1d = (u32[], token[]) recv-done(r1), channel_id=1, control-predecessors={r2d}
  a = u32[] get-tuple-element(r1d), index=0
  b = u32[] get-tuple-element(r2d), index=0
  ROOT r = (u32[], u32[]) tuple(a, b)
})");
  EXPECT_EQ(RunToStrings(text, 1, 2), (Strings{"( 1, 11 )", "( 0, 10 )"}));
}

TEST(TransferTest, WithinAnAsyncOperation) {
  const std::string pairs =
      ", channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}}";
  const std::string text = absl::StrCat(R"(
HloModule m, num_partitions=2
wrapped {
  x = u32[2] parameter(0)
  t = token[] parameter(1)
  send = (u32[2], u32[], token[]) send(x, t))",
                                        pairs, R"(
  recv = (u32[2], u32[], token[]) recv(t))",
                                        pairs, R"(
  ROOT both = ((u32[2], u32[], token[]), (u32[2], u32[], token[])) tuple(send, recv)
}
ENTRY e {
  p = u32[] partition-id()
  x = u32[2] broadcast(p), dimensions={}
  t = token[] after-all()
  start = ((u32[2], token[]), ((u32[2], u32[], token[]), (u32[2], u32[], token[])), s32[]) async-start(x, t), calls=wrapped
  done = ((u32[2], u32[], token[]), (u32[2], u32[], token[])) async-done(start)
  recv = (u32[2], u32[], token[]) get-tuple-element(done), index=1
  ROOT r = u32[2] get-tuple-element(recv), index=0
})");
  EXPECT_EQ(RunToStrings(text, 1, 2), (Strings{"{1, 1}", "{0, 0}"}));
}

TEST(TransferTest, AChannelWithoutPairsHasOneSenderAndOneReceiver) {
  // As StableHLO's tests have it: one program sends twice, another receives twice.
  const std::string text = R"(
HloModule m, num_partitions=2
sender {
  x = s64[2,2] parameter(0)
  t = token[] after-all()
  sent1 = (s64[2,2], u32[], token[]) send(x, t), channel_id=1
  d1 = token[] send-done(sent1), channel_id=1
  c = s64[2,2] constant({{5,6},{7,8}})
  sent2 = (s64[2,2], u32[], token[]) send(c, d1), channel_id=1
  d2 = token[] send-done(sent2), channel_id=1
  ROOT r = (s64[2,2], s64[2,2]) tuple(x, x)
}
receiver {
  x = s64[2,2] parameter(0)
  t = token[] after-all()
  r1 = (s64[2,2], u32[], token[]) recv(t), channel_id=1
  d1 = (s64[2,2], token[]) recv-done(r1), channel_id=1
  t1 = token[] get-tuple-element(d1), index=1
  r2 = (s64[2,2], u32[], token[]) recv(t1), channel_id=1
  d2 = (s64[2,2], token[]) recv-done(r2), channel_id=1
  a = s64[2,2] get-tuple-element(d1), index=0
  b = s64[2,2] get-tuple-element(d2), index=0
  ROOT r = (s64[2,2], s64[2,2]) tuple(a, b)
}
ENTRY e {
  p = u32[] partition-id()
  i = s32[] convert(p)
  x = s64[2,2] constant({{1,2},{3,4}})
  ROOT r = (s64[2,2], s64[2,2]) conditional(i, x, x), branch_computations={sender, receiver}
})";
  ASSERT_OK_AND_ASSIGN(const auto results, RunReplicated(text, 1, 2));
  EXPECT_EQ(results[1].ToStringWithoutShapeOneline(),
            "( { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } )");
  const std::string all_send = R"(
HloModule m, num_partitions=2
ENTRY e {
  x = s32[] constant(1)
  t = token[] after-all()
  s = (s32[], u32[], token[]) send(x, t), channel_id=1
  ROOT d = token[] send-done(s), channel_id=1
})";
  EXPECT_ERROR(RunReplicated(all_send, 1, 2), "both send on channel 1");
}

constexpr char kHostEcho[] = R"(
HloModule m, replica_count=2
ENTRY e {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=3, is_host_transfer=true
  rd = (f32[2], token[]) recv-done(r), channel_id=3, is_host_transfer=true
  x = f32[2] get-tuple-element(rd), index=0
  y = f32[2] add(x, x)
  t2 = token[] get-tuple-element(rd), index=1
  s = (f32[2], u32[], token[]) send(y, t2), channel_id=4, is_host_transfer=true
  ROOT sd = token[] send-done(s), channel_id=4, is_host_transfer=true
})";

TEST(TransferTest, WithTheHost) {
  runtime::HostChannels channels(2);
  InterpreterOptions options;
  options.host_channels = &channels;
  std::thread host([&] {
    for (int64_t device = 0; device < 2; ++device) {
      const auto value = static_cast<float>(device);
      EXPECT_OK(channels.ToDevice(LiteralUtil::CreateR1<float>({value, 3}), device, 3));
    }
  });
  EXPECT_OK(RunReplicated(kHostEcho, 2, 1, {}, options).status());
  host.join();
  for (int64_t device = 0; device < 2; ++device) {
    ASSERT_OK_AND_ASSIGN(const Literal back, channels.FromDevice(device, 4));
    EXPECT_EQ(back, LiteralUtil::CreateR1<float>({2 * static_cast<float>(device), 6}));
  }
}

TEST(TransferTest, Errors) {
  EXPECT_ERROR(RunReplicated(kHostEcho, 2, 1), "the run has no channels to the host");
  runtime::HostChannels channels(2);
  channels.Close();
  InterpreterOptions options;
  options.host_channels = &channels;
  EXPECT_ERROR(RunReplicated(kHostEcho, 2, 1, {}, options), "the host gave nothing on channel 3");

  const std::string nobody_sends = R"(
HloModule m, num_partitions=2
ENTRY e {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}}
  ROOT rd = (f32[2], token[]) recv-done(r), channel_id=3
})";
  const auto start = Clock::now();
  EXPECT_ERROR(RunReplicated(nobody_sends, 1, 2),
               "wait for each other: device 0 in r for device 1");
  EXPECT_ERROR(RunReplicated(R"(
HloModule m, num_partitions=2
ENTRY e {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  ROOT rd = (f32[2], token[]) recv-done(r), channel_id=3
})",
                             1, 2),
               "device 1 waits for device 0 to send on channel 3, but that has ended");
  EXPECT_LT(SecondsSince(start), kSoon);

  EXPECT_ERROR(RunReplicated(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  x = f32[3] iota(), iota_dimension=0
  s = (f32[3], u32[], token[]) send(x, t), channel_id=3
  sd = token[] send-done(s), channel_id=3
  r = (f32[2], u32[], token[]) recv(sd), channel_id=3
  ROOT rd = (f32[2], token[]) recv-done(r), channel_id=3
})",
                             1, 1),
               "r receives f32[2] on channel 3, but f32[3] was sent");
  EXPECT_ERROR(RunReplicated(R"(
HloModule m
ENTRY e {
  t = token[] after-all()
  x = f32[3] iota(), iota_dimension=0
  s = (f32[3], u32[], token[]) send(x, t), channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs={{0,x}}}
  ROOT sd = token[] send-done(s), channel_id=3
})",
                             1, 1),
               "must be a list of pairs");
  // A tuple that no recv made.
  EXPECT_ERROR(RunReplicated(R"(
HloModule m
ENTRY e {
  x = f32[2] iota(), iota_dimension=0
  c = u32[] constant(9)
  t = token[] after-all()
  r = (f32[2], u32[], token[]) tuple(x, c, t)
  o = ((f32[2], u32[], token[])) tuple(r)
  g = (f32[2], u32[], token[]) get-tuple-element(o), index=0
  ROOT rd = (f32[2], token[]) recv-done(g), channel_id=3
})",
                             1, 1),
               "not the result of a pending recv");
  EXPECT_ERROR(RunReplicated(R"(
HloModule m
ENTRY e {
  x = f32[2] iota(), iota_dimension=0
  r = (f32[2]) tuple(x)
  o = ((f32[2])) tuple(r)
  g = (f32[2]) get-tuple-element(o), index=0
  ROOT rd = (f32[2], token[]) recv-done(g), channel_id=3
})",
                             1, 1),
               "not the result of a pending recv");
}

}  // namespace
}  // namespace xla
