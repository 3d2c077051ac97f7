// SPDX-License-Identifier: Apache-2.0
// Real processes on this machine: data, one that is killed, one that is stopped, over Gloo and MPI.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/distributed/jobs.h"

namespace xla::distributed {
namespace {

// Longer than any wait of a busy machine.
const runtime::WaitLimits kPatience = {absl::Minutes(4), nullptr};
const ProgramIdentity kStep = {"jit_step", 17, true};

// What a process of a job does; not 0: what is wrong.
using Body = std::function<int(Communicator& communicator)>;

absl::Status ExchangeAll(Communicator& communicator, size_t bytes) {
  const int size = communicator.size();
  std::vector<int64_t> ids;
  std::vector<int32_t> processes;
  for (int p = 0; p < size; ++p) {
    ids.push_back(p);
    processes.push_back(p);
  }
  const auto run = communicator.StartRun(kStep, ids, processes);
  const std::vector<char> mine(bytes, static_cast<char>('a' + communicator.rank()));
  std::vector<std::vector<char>> theirs(static_cast<size_t>(size), std::vector<char>(bytes));
  std::vector<runtime::ProcessGroup::Outgoing> outgoing;
  std::vector<runtime::ProcessGroup::Incoming> incoming;
  for (int p = 0; p < size; ++p) {
    if (p == communicator.rank()) continue;
    outgoing.push_back({p, {absl::MakeConstSpan(mine)}});
    incoming.push_back({p, {absl::MakeSpan(theirs[static_cast<size_t>(p)])}});
  }
  absl::Status status = run->Exchange({"all-reduce.3", "f32[8]", "all-reduce.3 (step.py:7)"}, ids,
                                      outgoing, incoming, kPatience);
  for (int p = 0; status.ok() && p < size; ++p) {
    if (p != communicator.rank() &&
        theirs[static_cast<size_t>(p)] != std::vector<char>(bytes, static_cast<char>('a' + p))) {
      status = absl::DataLossError("wrong bytes");
    }
  }
  run->Finish(status);
  return status;
}

std::vector<std::string> Names(int size) {
  std::vector<std::string> names;
  for (int p = 0; p < size; ++p) names.push_back(absl::StrCat("process ", p, " (host here)"));
  return names;
}

// The job of `size` forked processes; their numbers, for signals.
class ForkedJob {
 public:
  ForkedJob(int size, bool shares_memory, const Body& body, CommunicatorOptions options = {}) {
    char pattern[] = "/tmp/xylem_job_XXXXXX";
    folder_ = mkdtemp(pattern);
    for (int rank = 0; rank < size; ++rank) {
      const pid_t pid = fork();
      if (pid != 0) {
        pids_.push_back(pid);
        continue;
      }
      auto transport = ConnectRank(rank, size, *MakeFileStore(folder_), shares_memory);
      if (!transport.ok()) {
        std::fprintf(stderr, "%s\n", transport.status().ToString().c_str());
        _exit(100);
      }
      options.process_names = Names(size);
      auto communicator = Communicator::Create(*std::move(transport), options);
      const int result = body(**communicator);
      communicator->reset();
      _exit(result);
    }
  }
  ~ForkedJob() {
    for (const pid_t pid : pids_) {
      if (pid > 0) kill(pid, SIGKILL);
    }
    std::filesystem::remove_all(folder_);
  }
  pid_t pid(int rank) const { return pids_[static_cast<size_t>(rank)]; }
  // The exit status of a process; that of a signal is negative.
  int Wait(int rank) {
    int status = 0;
    waitpid(pid(rank), &status, 0);
    pids_[static_cast<size_t>(rank)] = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  std::string folder_;
  std::vector<pid_t> pids_;
};

bool HasEngine(const char* name) {
  return std::filesystem::exists(absl::StrCat(XYLEM_ENGINE_FOLDER, "/libxylem_", name, ".so"));
}

int ExchangeAllSizes(Communicator& communicator, int times = 20) {
  for (int i = 0; i < times; ++i) {
    for (const size_t bytes : {size_t{0}, size_t{100}, size_t{50000}, size_t{1 << 20}}) {
      const absl::Status status = ExchangeAll(communicator, bytes);
      if (status.ok()) continue;
      std::fprintf(stderr, "rank %d: %s\n", communicator.rank(), status.ToString().c_str());
      return 1;
    }
  }
  return 0;
}

// Whether they share memory.
class GlooProcessesTest : public testing::TestWithParam<bool> {};

TEST_P(GlooProcessesTest, Data) {
  if (!HasEngine("gloo")) GTEST_SKIP() << "there is no Gloo";
  for (const int size : {2, 4}) {
    ForkedJob job(size, GetParam(), [](Communicator& c) { return ExchangeAllSizes(c); });
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(job.Wait(rank), 0) << rank;
  }
}

TEST_P(GlooProcessesTest, AKilledProcess) {
  if (!HasEngine("gloo")) GTEST_SKIP() << "there is no Gloo";
  for (const size_t bytes : {size_t{100}, size_t{4 << 20}}) {
    ForkedJob job(3, GetParam(), [&](Communicator& communicator) {
      for (int i = 0;; ++i) {
        if (communicator.rank() == 1 && i == 20) kill(getpid(), SIGKILL);
        const absl::Status status = ExchangeAll(communicator, bytes);
        if (status.ok()) continue;
        // Told, not found out by waiting.
        if (!absl::IsUnavailable(status) ||
            absl::StrContains(status.message(), " waited 4m for ") ||
            !absl::StrContains(status.message(), "process 1 (host here)") ||
            !absl::StrContains(status.message(), "jit_step")) {
          std::fprintf(stderr, "rank %d: %s\n", communicator.rank(), status.ToString().c_str());
          return 2;
        }
        return 0;
      }
    });
    EXPECT_EQ(job.Wait(1), -SIGKILL);
    EXPECT_EQ(job.Wait(0), 0);
    EXPECT_EQ(job.Wait(2), 0);
  }
}

// A stopped process is reported, and waited for.
TEST_P(GlooProcessesTest, AStoppedProcess) {
  if (!HasEngine("gloo")) GTEST_SKIP() << "there is no Gloo";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  CommunicatorOptions options;
  options.report_after = absl::Seconds(1);
  options.report = [&](absl::string_view text) {
    if (absl::StrContains(text, "process 1 (host here), which does not answer")) {
      EXPECT_EQ(write(ends[1], "r", 1), 1);
    }
  };
  ForkedJob job(
      2, GetParam(),
      [&](Communicator& communicator) {
        if (communicator.rank() == 1) kill(getpid(), SIGSTOP);
        return ExchangeAllSizes(communicator);
      },
      options);
  close(ends[1]);
  int status = 0;
  waitpid(job.pid(1), &status, WUNTRACED);
  EXPECT_TRUE(WIFSTOPPED(status));
  char report = 0;
  EXPECT_EQ(read(ends[0], &report, 1), 1);
  kill(job.pid(1), SIGCONT);
  EXPECT_EQ(job.Wait(0), 0);
  EXPECT_EQ(job.Wait(1), 0);
  close(ends[0]);
}

INSTANTIATE_TEST_SUITE_P(Transports, GlooProcessesTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Memory" : "Gloo"; });

// Started by mpirun, as a rank.
TEST(MpiProcessesTest, DISABLED_Rank) {
  MpiOptions options;
  options.module_folder = XYLEM_ENGINE_FOLDER;
  auto transport = ConnectMpi(options);
  ASSERT_TRUE(transport.ok()) << transport.status();
  CommunicatorOptions communicator_options;
  communicator_options.process_names = Names((*transport)->size());
  auto communicator = Communicator::Create(*std::move(transport), communicator_options);
  ASSERT_TRUE(communicator.ok()) << communicator.status();
  EXPECT_GT((*communicator)->size(), 1);
  // Waits of MPI keep cores busy: a few rounds take long on a busy machine.
  EXPECT_EQ(ExchangeAllSizes(**communicator, 3), 0);
  EXPECT_EQ((*communicator)->Barrier(1, kPatience), absl::OkStatus());
}

TEST(MpiProcessesTest, Data) {
  if (!HasEngine("mpi")) GTEST_SKIP() << "there is no MPI";
  if (std::system("mpirun --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no mpirun";
  for (const int size : {2, 4}) {
    // Of Open MPI: more processes than cores, and the user may be root, as in containers.
    const std::string command = absl::StrCat(
        // Open MPI keeps memory to the end, which LeakSanitizer reports.
        "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX "
        "ASAN_OPTIONS=intercept_tls_get_addr=0:detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none "
        "timeout -k 5 280 mpirun -n ",
        size, " ", std::filesystem::read_symlink("/proc/self/exe").string(),
        " --gtest_filter=MpiProcessesTest.DISABLED_Rank --gtest_also_run_disabled_tests "
        "--gtest_brief=1 > /dev/null");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

}  // namespace
}  // namespace xla::distributed
