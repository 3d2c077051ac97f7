// SPDX-License-Identifier: Apache-2.0
// Clients that are processes of a job, which here are threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/device_assignment.h"
#include "xla/literal_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// A program over 4 devices, of full arrays.
constexpr char kSharded[] = R"(
HloModule sharded, num_partitions=4
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  y = f32[8] multiply(x, x)
  z = f32[] constant(0)
  s = f32[] reduce(y, z), dimensions={0}, to_apply=add
  b = f32[8] broadcast(s), dimensions={}
  ROOT r = f32[8] add(b, x), sharding={devices=[4]<=[4]}
})";

// The program of kSharded gives this on device `id` of 4.
Literal ExpectedOf(int64_t id) {
  const auto first = 2.0f * static_cast<float>(id);
  return LiteralUtil::CreateR1<float>({140 + first, 141 + first});
}
Literal ArgumentOf(int64_t id) {
  const auto first = 2.0f * static_cast<float>(id);
  return LiteralUtil::CreateR1<float>({first, first + 1});
}

class ClientJob {
 public:
  explicit ClientJob(const std::vector<int>& devices, bool use_compiler = true,
                     const CustomCallRegistry& custom_calls = {}) {
    std::string pattern = ::testing::TempDir() + "client_job_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    clients_.resize(devices.size());
    OnEach([&](size_t process) {
      LocalJobOptions job;
      job.process = static_cast<int64_t>(process);
      job.num_processes = static_cast<int64_t>(devices.size());
      job.folder = folder_;
      job.address = "127.0.0.1";
      auto client = ClientLibrary::MakeLocalClient(LocalClientOptions()
                                                       .set_device_count(devices[process])
                                                       .set_use_compiler(use_compiler)
                                                       .set_custom_calls(custom_calls)
                                                       .set_job(std::move(job)));
      if (client.ok()) {
        clients_[process] = *std::move(client);
      } else if (process == 0) {
        error_ = client.status().ToString();
      }
    });
  }
  ~ClientJob() {
    OnEach([&](size_t process) { clients_[process].reset(); });
    std::filesystem::remove_all(folder_);
  }
  // This build has no engine that connects processes.
  bool CannotConnect() const { return absl::StrContains(error_, "libxylem_gloo.so"); }
  const std::string& error() const { return error_; }
  LocalClient* client(size_t process) { return clients_[process].get(); }

  template <typename F>
  void OnEach(F f) {
    std::vector<std::thread> threads;
    for (size_t process = 0; process < clients_.size(); ++process)
      threads.emplace_back([&f, process] { f(process); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::string folder_, error_;
  std::vector<std::unique_ptr<LocalClient>> clients_;
};

absl::StatusOr<std::unique_ptr<LocalExecutable>> CompileSharded(LocalClient& client) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(kSharded));
  const Shape full = ShapeUtil::MakeShape(F32, {8});
  ExecutableBuildOptions options;
  options.set_num_partitions(4).set_use_spmd_partitioning(true);
  XLA_ASSIGN_OR_RETURN(auto executables,
                       client.Compile(XlaComputation(module->ToProto()), {&full}, options));
  return std::move(executables[0]);
}

// Patient on a busy machine.
ExecutableRunOptions PatientOptions() {
  ExecutableRunOptions options;
  options.set_wait_timeout(absl::Minutes(4));
  return options;
}

// Runs the devices of one process, and compares.
void RunSharded(LocalClient& client, LocalExecutable& executable) {
  std::vector<ScopedShapedBuffer> buffers;
  std::vector<std::vector<const ShapedBuffer*>> arguments;
  for (int d = 0; d < client.device_count(); ++d) {
    ASSERT_OK_AND_ASSIGN(const int64_t id, client.GlobalDeviceId(d));
    ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer buffer,
                         client.LiteralToShapedBuffer(ArgumentOf(id), d));
    buffers.push_back(std::move(buffer));
  }
  for (const ScopedShapedBuffer& buffer : buffers) arguments.push_back({&buffer});
  ASSERT_OK_AND_ASSIGN(const auto results, executable.RunReplicated(arguments, PatientOptions()));
  ASSERT_EQ(results.size(), buffers.size());
  for (size_t d = 0; d < results.size(); ++d) {
    ASSERT_OK_AND_ASSIGN(const int64_t id, client.GlobalDeviceId(static_cast<int>(d)));
    ASSERT_OK_AND_ASSIGN(const Literal result, client.ShapedBufferToLiteral(results[d]));
    EXPECT_EQ(result, ExpectedOf(id));
  }
}

TEST(ClientJobTest, ShardedProgramsRunOnAllProcesses) {
  for (const bool use_compiler : {true, false}) {
    for (const auto& devices : {std::vector<int>{1, 3}, std::vector<int>{1, 1, 2}}) {
      ClientJob job(devices, use_compiler);
      if (job.CannotConnect()) GTEST_SKIP() << job.error();
      ASSERT_EQ(job.error(), "");
      job.OnEach([&](size_t process) {
        LocalClient& client = *job.client(process);
        EXPECT_EQ(client.process_index(), static_cast<int>(process));
        EXPECT_EQ(client.process_count(), static_cast<int>(devices.size()));
        EXPECT_EQ(client.global_device_count(), 4);
        EXPECT_EQ(client.device_count(), devices[process]);
        ASSERT_OK_AND_ASSIGN(const auto executable, CompileSharded(client));
        for (int run = 0; run < 3; ++run) RunSharded(client, *executable);
      });
    }
  }
}

// A thread for each device of a process, with and without waiting.
TEST(ClientJobTest, ThreadsRunTheDevicesOfTheirProcess) {
  ClientJob job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.error();
  job.OnEach([&](size_t process) {
    LocalClient& client = *job.client(process);
    ASSERT_OK_AND_ASSIGN(const auto executable, CompileSharded(client));
    for (int run = 0; run < 4; ++run) {
      std::vector<std::thread> threads;
      for (int d = 0; d < 2; ++d) {
        threads.emplace_back([&, d] {
          ASSERT_OK_AND_ASSIGN(const int64_t id, client.GlobalDeviceId(d));
          ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer argument,
                               client.LiteralToShapedBuffer(ArgumentOf(id), d));
          ExecutableRunOptions options = PatientOptions();
          options.set_run_id(RunId(run)).set_device_ordinal(d);
          absl::StatusOr<ScopedShapedBuffer> result =
              run % 2 == 0 ? executable->Run({&argument}, options)
                           : executable->RunAsync({&argument}, options);
          ASSERT_OK(result);
          ASSERT_OK_AND_ASSIGN(const Literal literal, client.ShapedBufferToLiteral(*result));
          EXPECT_EQ(literal, ExpectedOf(id));
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  });
}

// Programs that fit into a process run there, whatever the others do; others where they are put.
TEST(ClientJobTest, ProgramsRunWhereTheyArePlaced) {
  ClientJob job({2, 3});
  if (job.CannotConnect()) GTEST_SKIP() << job.error();
  LocalClient& client = *job.client(1);
  constexpr char kSum[] = R"(
HloModule sum, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0)  ROOT r = f32[2] all-reduce(x), to_apply=add })";
  ExecutableBuildOptions options;
  options.set_num_replicas(2);
  ASSERT_OK_AND_ASSIGN(const auto executable, CompileText(client, kSum, options));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer a, client.LiteralToShapedBuffer(ArgumentOf(0), 1));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer b, client.LiteralToShapedBuffer(ArgumentOf(1), 2));
  const std::vector<std::vector<const ShapedBuffer*>> both = {{&a}, {&b}};
  DeviceAssignment here(2, 1);
  here(0, 0) = 3;
  here(1, 0) = 4;
  ExecutableRunOptions run = PatientOptions();
  run.set_device_assignment(&here);
  ASSERT_OK_AND_ASSIGN(const auto results, executable->RunReplicated(both, run));
  ASSERT_OK_AND_ASSIGN(const Literal sum, client.ShapedBufferToLiteral(results[1]));
  EXPECT_EQ(sum, LiteralUtil::CreateR1<float>({2, 4}));
  // All devices of the program belong to the other process.
  DeviceAssignment there(2, 1);
  there(0, 0) = 0;
  there(1, 0) = 1;
  run.set_device_assignment(&there);
  ASSERT_OK_AND_ASSIGN(const auto nothing, executable->RunReplicated({}, run));
  EXPECT_TRUE(nothing.empty());
  EXPECT_ERROR(executable->Run({&a}, run), "device 1 is none of them");
  // One here and one there: arguments of one.
  there(1, 0) = 3;
  EXPECT_ERROR(executable->RunReplicated(both, run),
               "arguments for 2 devices; program sum was compiled for 2 replicas and 1 partitions, "
               "of which this process has 1");
  there(1, 0) = 5;
  EXPECT_ERROR(executable->RunReplicated(both, run),
               "has device 5 for partition 0 of replica 1; the job of the client has 5 devices");
  options.set_num_replicas(6);
  EXPECT_ERROR(CompileText(client, kSum, options), "need 6 devices; the job of the client has 5");
}

// An error of one process is told to the others, and the next run is right.
TEST(ClientJobTest, ErrorsAreToldToOtherProcesses) {
  CustomCallRegistry custom_calls;
  ASSERT_OK(custom_calls.Register("fails",
                                  [](CustomCallFrame&) { return absl::InternalError("no luck"); }));
  ClientJob job({1, 1}, /*use_compiler=*/true, custom_calls);
  if (job.CannotConnect()) GTEST_SKIP() << job.error();
  constexpr char kSum[] = R"(
HloModule sum, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0)  ROOT r = f32[2] all-reduce(x), to_apply=add })";
  job.OnEach([&](size_t process) {
    LocalClient& client = *job.client(process);
    ExecutableBuildOptions options;
    options.set_num_replicas(2);
    ASSERT_OK_AND_ASSIGN(const auto executable, CompileText(client, kSum, options));
    ASSERT_OK_AND_ASSIGN(const auto failing, CompileText(client, R"(
HloModule fails
ENTRY e { x = f32[2] parameter(0)  ROOT r = f32[2] custom-call(x), custom_call_target="fails" }
)"));
    for (const bool fails : {true, false}) {
      ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer argument,
                           client.LiteralToShapedBuffer(ArgumentOf(1), 0));
      if (fails && process == 1) {
        // The argument is the result of a run that fails.
        ASSERT_OK_AND_ASSIGN(argument, failing->RunAsync({&argument}, PatientOptions()));
      }
      const auto result = executable->RunAsync({&argument}, PatientOptions());
      ASSERT_OK(result);
      const auto literal = client.ShapedBufferToLiteral(*result);
      if (!fails) {
        ASSERT_OK(literal);
        EXPECT_EQ(*literal, LiteralUtil::CreateR1<float>({4, 6}));
        continue;
      }
      EXPECT_TRUE(absl::StrContains(literal.status().message(), "no luck")) << literal.status();
      EXPECT_EQ(absl::StrContains(literal.status().message(), "process 1 (host"), process == 0)
          << literal.status();
    }
  });
}

TEST(ClientJobTest, WrongOptionsAreErrors) {
  const auto error = [](LocalJobOptions job) {
    return ClientLibrary::MakeLocalClient(LocalClientOptions().set_job(std::move(job))).status();
  };
  EXPECT_ERROR(error({.num_processes = 2}), "needs a folder");
  EXPECT_ERROR(error({.process = 2, .num_processes = 2, .folder = ::testing::TempDir()}),
               "process 2 of 2");
  EXPECT_ERROR(error({.num_processes = 2, .folder = ::testing::TempDir(), .engine = "rdma"}),
               "the engines are gloo, tcp and mpi");
  // One process is a job without others.
  EXPECT_OK(ClientLibrary::MakeLocalClient(LocalClientOptions().set_job({})));
}

}  // namespace
}  // namespace xla
