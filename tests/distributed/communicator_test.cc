// SPDX-License-Identifier: Apache-2.0
// Messages between processes, on every transport that this machine has: data, mismatches, failures.
#include "xla/distributed/communicator.h"

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/distributed/jobs.h"

namespace xla::distributed {
namespace {

using Operation = runtime::ProcessGroup::Operation;

// Longer than any wait of a busy machine.
const runtime::WaitLimits kLimits = {absl::Minutes(4), nullptr};
const ProgramIdentity kProgram = {"jit_f", 17, true};

Operation OperationNamed(absl::string_view name) {
  return {name, "f32[8]", absl::StrCat(name, " (model.py:12)")};
}

class CommunicatorTest : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::unique_ptr<Transport>> Transports(int size) {
    if (GetParam() == "memory") return MakeMemoryTransports(size);
    std::string error;
    auto transports = MakeGlooTransports(size, &error, GetParam() == "host");
    EXPECT_EQ(error, "");
    return transports;
  }
  static std::vector<int64_t> Iota(int size) {
    std::vector<int64_t> ids(static_cast<size_t>(size));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }
  static std::vector<int32_t> OneEach(int size) {
    std::vector<int32_t> processes(static_cast<size_t>(size));
    std::iota(processes.begin(), processes.end(), 0);
    return processes;
  }
  // An exchange of `bytes` bytes with everyone.
  static absl::Status ExchangeAll(runtime::ProcessGroup& run, const Operation& operation,
                                  size_t bytes, std::vector<std::vector<char>>& received,
                                  const runtime::WaitLimits& limits = kLimits) {
    const auto size = static_cast<size_t>(run.num_devices());
    const std::vector<char> mine(bytes, static_cast<char>('a' + run.self()));
    received.assign(size, std::vector<char>(bytes));
    std::vector<runtime::ProcessGroup::Outgoing> outgoing;
    std::vector<runtime::ProcessGroup::Incoming> incoming;
    for (size_t p = 0; p < size; ++p) {
      if (p == static_cast<size_t>(run.self())) continue;
      // A small part and the rest.
      const size_t first = std::min<size_t>(bytes, 5);
      const absl::Span<const char> from = mine;
      const absl::Span<char> to = absl::MakeSpan(received[p]);
      outgoing.push_back({static_cast<int32_t>(p), {from.first(first), from.subspan(first)}});
      incoming.push_back({static_cast<int32_t>(p), {to.first(first), to.subspan(first)}});
    }
    return run.Exchange(operation, Iota(static_cast<int>(size)), outgoing, incoming, limits);
  }
};

TEST_P(CommunicatorTest, ExchangesOfAllSizes) {
  constexpr int kSize = 3;
  Job job(Transports(kSize));
  OnRanks(kSize, [&](int rank) {
    const auto run = job.at(rank).StartRun(kProgram, Iota(kSize), OneEach(kSize));
    for (const size_t bytes :
         {size_t{0}, size_t{1}, size_t{1000}, size_t{16385}, size_t{60000}, size_t{3000000}}) {
      std::vector<std::vector<char>> received;
      ASSERT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), bytes, received),
                absl::OkStatus());
      for (int p = 0; p < kSize; ++p) {
        if (p == rank) continue;
        EXPECT_EQ(received[static_cast<size_t>(p)],
                  std::vector<char>(bytes, static_cast<char>('a' + p)));
      }
    }
    run->Finish(absl::OkStatus());
  });
}

TEST_P(CommunicatorTest, ManyLaunches) {
  Job job(Transports(2));
  OnRanks(2, [&](int rank) {
    for (int i = 0; i < 300; ++i) {
      const auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
      std::vector<std::vector<char>> received;
      ASSERT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received), absl::OkStatus());
      run->Finish(absl::OkStatus());
    }
  });
}

TEST_P(CommunicatorTest, MessagesFromDeviceToDevice) {
  Job job(Transports(2));
  const runtime::Rendezvous::Channel channel = {{true, 5}, 0, 1};
  OnRanks(2, [&](int rank) {
    const auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
    for (const size_t bytes : {size_t{3}, size_t{200000}, size_t{7}}) {
      if (rank == 0) {
        const std::vector<char> data(bytes, 'x');
        ASSERT_EQ(run->Send(OperationNamed("send.1"), channel, 1, {absl::MakeConstSpan(data)}),
                  absl::OkStatus());
      }
    }
    for (const size_t bytes : {size_t{3}, size_t{200000}, size_t{7}}) {
      if (rank == 0) continue;
      std::vector<char> data(bytes);
      const absl::Span<char> part = absl::MakeSpan(data);
      // The ticket is that of the sender's operation: both sides name the channel's.
      ASSERT_EQ(run->Receive(OperationNamed("send.1"), channel, 0, absl::MakeConstSpan(&part, 1),
                             kLimits),
                absl::OkStatus());
      EXPECT_EQ(data, std::vector<char>(bytes, 'x'));
    }
    run->Finish(absl::OkStatus());
  });
}

// Programs f, g launched as g, f by the other: both get errors that name both, and the next launch
// is right.
TEST_P(CommunicatorTest, OtherProgramsAreErrorsOnBothSides) {
  Job job(Transports(2));
  OnRanks(2, [&](int rank) {
    const ProgramIdentity f = {"jit_f", 1, true}, g = {"jit_g", 2, true};
    {
      const auto run = job.at(rank).StartRun(rank == 0 ? f : g, Iota(2), OneEach(2));
      std::vector<std::vector<char>> received;
      const absl::Status status = ExchangeAll(
          *run, OperationNamed(rank == 0 ? "all-reduce.1" : "all-gather.2"), 64, received);
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      for (const char* text : {"jit_f", "jit_g", "all-reduce.1 (model.py:12)",
                               "all-gather.2 (model.py:12)", "pid 7"}) {
        EXPECT_TRUE(absl::StrContains(status.message(), text)) << text << " in " << status;
      }
      run->Finish(status);
    }
    const auto run = job.at(rank).StartRun(f, Iota(2), OneEach(2));
    std::vector<std::vector<char>> received;
    EXPECT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received), absl::OkStatus());
    run->Finish(absl::OkStatus());
  });
}

TEST_P(CommunicatorTest, OtherOperationsAndShapesAreErrorsOnBothSides) {
  Job job(Transports(2));
  for (const bool shapes : {false, true}) {
    OnRanks(2, [&](int rank) {
      const auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
      Operation operation = OperationNamed(rank == 0 || shapes ? "all-reduce.1" : "all-gather.2");
      if (shapes && rank == 0) operation.shapes = "f32[4]";
      std::vector<std::vector<char>> received;
      const absl::Status status = ExchangeAll(*run, operation, 64, received);
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      run->Finish(status);
    });
  }
}

TEST_P(CommunicatorTest, AnErrorIsToldToTheOthers) {
  Job job(Transports(3));
  OnRanks(3, [&](int rank) {
    const auto run = job.at(rank).StartRun(kProgram, Iota(3), OneEach(3));
    if (rank == 1) {
      run->Finish(absl::ResourceExhaustedError("no memory"));
      return;
    }
    std::vector<std::vector<char>> received;
    const absl::Status status = ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "process 1 (host h1, pid 7) failed")) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "no memory")) << status;
    run->Finish(status);
  });
}

TEST_P(CommunicatorTest, AProcessThatHasEndedTheRunIsAnError) {
  Job job(Transports(2));
  OnRanks(2, [&](int rank) {
    const auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
    if (rank == 1) {
      run->Finish(absl::OkStatus());
      return;
    }
    std::vector<std::vector<char>> received;
    const absl::Status status = ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "has ended launch 1 of program jit_f"))
        << status;
    run->Finish(status);
  });
}

// A run that fails here alone may be why its process leaves the others in the next one.
TEST_P(CommunicatorTest, AClientThatIsClosedSaysWhatFailed) {
  Job job(Transports(2));
  OnRanks(2, [&](int rank) {
    auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
    std::vector<std::vector<char>> received;
    EXPECT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received), absl::OkStatus());
    if (rank == 1) {
      run->Finish(absl::InternalError("the disk is full"));
      run.reset();
      job.End(1);
      return;
    }
    run->Finish(absl::OkStatus());
    run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
    const absl::Status status = ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_TRUE(absl::StrContains(status.message(),
                                  "process 1 (host h1, pid 7) has closed its client, after launch "
                                  "1 of program jit_f failed there: the disk is full"))
        << status;
    run->Finish(status);
  });
}

TEST_P(CommunicatorTest, AProcessThatGoesIsUnavailable) {
  Job job(Transports(3));
  OnRanks(3, [&](int rank) {
    auto run = job.at(rank).StartRun(kProgram, Iota(3), OneEach(3));
    if (rank == 2) {
      absl::SleepFor(absl::Milliseconds(200));
      // As if it had died: nothing is told.
      run->Finish(absl::OkStatus());
      run.reset();
      job.End(2);
      return;
    }
    std::vector<std::vector<char>> received;
    const absl::Status status = ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received);
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(absl::StrContains(status.message(), "process 2 (host h2, pid 7)")) << status;
    // Told, not found out by waiting.
    EXPECT_FALSE(absl::StrContains(status.message(), " waited 4m for ")) << status;
    run->Finish(status);
    run.reset();
    // The survivors go on without it.
    const std::vector<int64_t> ids = {0, 1};
    const std::vector<int32_t> processes = {0, 1};
    run = job.at(rank).StartRun(kProgram, ids, processes);
    EXPECT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), 200000, received),
              absl::OkStatus());
    run->Finish(absl::OkStatus());
  });
}

// A process that comes late is waited for, and it is said who waits for whom in what.
TEST_P(CommunicatorTest, ALateProcessIsReported) {
  CommunicatorOptions options;
  options.report_after = absl::Milliseconds(100);
  // Reports before the late process has answered say that it does not.
  std::mutex mutex;
  std::condition_variable changed;
  std::string report;
  options.report = [&](absl::string_view text) {
    std::lock_guard<std::mutex> lock(mutex);
    if (report.empty() && !absl::StrContains(text, "does not answer")) report = std::string(text);
    changed.notify_all();
  };
  Job job(Transports(2), options);
  OnRanks(2, [&](int rank) {
    if (rank == 1) {
      std::unique_lock<std::mutex> lock(mutex);
      EXPECT_EQ(runtime::WaitUntil(lock, changed, kLimits, [&] { return !report.empty(); }),
                absl::OkStatus());
    }
    const auto run = job.at(rank).StartRun(kProgram, Iota(2), OneEach(2));
    std::vector<std::vector<char>> received;
    EXPECT_EQ(ExchangeAll(*run, OperationNamed("all-reduce.1"), 64, received), absl::OkStatus());
    run->Finish(absl::OkStatus());
  });
  for (const char* text :
       {"process 0 (host h0, pid 7): all-reduce.1 (model.py:12) of program jit_f, launch 1",
        "for process 1 (host h1, pid 7), which has not launched it yet"}) {
    EXPECT_TRUE(absl::StrContains(report, text)) << text << " in " << report;
  }
}

TEST_P(CommunicatorTest, AWaitHasALimit) {
  Job job(Transports(2));
  const auto run = job.at(0).StartRun(kProgram, Iota(2), OneEach(2));
  std::vector<std::vector<char>> received;
  const absl::Status status = ExchangeAll(*run, OperationNamed("all-reduce.1"), 300000, received,
                                          {absl::Milliseconds(300), nullptr});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "waited 300ms for process 1 (host h1, pid 7)"))
      << status;
  run->Finish(status);
}

TEST_P(CommunicatorTest, CopiesAndBarriers) {
  Job job(Transports(2));
  OnRanks(2, [&](int rank) {
    std::vector<char> data(100000, rank == 0 ? 'q' : ' ');
    if (rank == 0) {
      EXPECT_EQ(job.at(0).Send(1, 9, data), absl::OkStatus());
    } else {
      EXPECT_EQ(job.at(1).Receive(0, 9, absl::MakeSpan(data), kLimits), absl::OkStatus());
      EXPECT_EQ(data, std::vector<char>(100000, 'q'));
    }
    EXPECT_EQ(job.at(rank).Barrier(1, kLimits), absl::OkStatus());
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, CommunicatorTest, testing::Values("memory", "gloo", "host"),
                         [](const auto& info) { return info.param; });

// A connection that is cut in the middle of a message gives its error on both sides.
TEST(MemoryFaultsTest, ACutConnection) {
  MemoryFaults faults;
  faults.cuts_at = [](int, int, uint64_t) { return true; };
  Job job(MakeMemoryTransports(2, faults));
  OnRanks(2, [&](int rank) {
    const auto run = job.at(rank).StartRun(kProgram, {0, 1}, {0, 1});
    const std::vector<char> mine(1000000);
    std::vector<char> theirs(1000000);
    const int32_t other = 1 - rank;
    const absl::Status status = run->Exchange(OperationNamed("all-gather.1"), {0, 1},
                                              {{other, {absl::MakeConstSpan(mine)}}},
                                              {{other, {absl::MakeSpan(theirs)}}}, kLimits);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("process ", other))) << status;
    run->Finish(status);
  });
}

}  // namespace
}  // namespace xla::distributed
