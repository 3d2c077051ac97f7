// SPDX-License-Identifier: Apache-2.0
// `xylem plan` as a process: text, JSON, partitioned programs, measured runs, errors.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"

namespace xla {
namespace {

struct PlanOutput {
  std::string text;
  int exit_code = -1;
};

PlanOutput RunPlan(const std::string& arguments) {
  const std::string command = absl::StrCat("exec 2>&1; '" XYLEM_BINARY "' plan ", arguments);
  PlanOutput output;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.text.append(buffer, count);
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::string PlanFile(const std::string& name) {
  return testing::SourcePath(absl::StrCat("tests/spmd/plan_programs/", name));
}

std::string WritePlanFile(const std::string& name, const std::string& text) {
  const std::string path = absl::StrCat(testing::ProcessTempDir(), "/", name);
  std::ofstream(path) << text;
  return path;
}

const std::string& OnTwoHosts() {
  static const std::string options = absl::StrCat(" --machine ", PlanFile("machine.txt"));
  return options;
}

TEST(PlanCommandTest, TextAndJson) {
  const std::string program = absl::StrCat(PlanFile("tensor_parallel.hlo"), OnTwoHosts());
  const PlanOutput text = RunPlan(absl::StrCat(program, " --mesh d=4,m=2"));
  EXPECT_EQ(text.exit_code, 0) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "buffer assignment of the CPU compiler")) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "mlp.py:6")) << text.text;
  const PlanOutput json = RunPlan(absl::StrCat(program, " --mesh d=4,m=2 --json"));
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_TRUE(absl::StartsWith(json.text,
                               "{\"module\":\"tensor_parallel\",\"machine\":\"two hosts\","
                               "\"devices\":8,"))
      << json.text;
  EXPECT_TRUE(absl::StrContains(json.text, "\"axes\":\"m\",\"group_size\":2,\"bytes\":65536.0,"))
      << json.text;
  EXPECT_TRUE(absl::StrContains(json.text, "\"moved_bytes\":65536.0")) << json.text;
}

TEST(PlanCommandTest, ShardedProgramsArePartitionedFirst) {
  const std::string path = WritePlanFile("sharded.hlo", R"(HloModule sharded, num_partitions=8
ENTRY main {
  x = f32[64,256] parameter(0), sharding={devices=[1,8]<=[8]}
  w = f32[256,128] parameter(1), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
}
)");
  const PlanOutput text =
      RunPlan(absl::StrCat(path, OnTwoHosts(), " --mesh d=4,m=2 --memory liveness"));
  EXPECT_EQ(text.exit_code, 0) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "note: the program was partitioned first")) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "all-reduce  d,m")) << text.text;
  // An eighth of 2 * 64 * 256 * 128.
  EXPECT_TRUE(absl::StrContains(text.text, "524 kflop")) << text.text;
  const PlanOutput local = RunPlan(absl::StrCat(path, OnTwoHosts(), " --local"));
  EXPECT_TRUE(absl::StrContains(local.text, "4.19 Mflop")) << local.text;
  EXPECT_TRUE(absl::StrContains(local.text, "no collectives")) << local.text;
}

TEST(PlanCommandTest, CompiledAndMeasured) {
  const PlanOutput text = RunPlan(absl::StrCat(PlanFile("tensor_parallel.hlo"), OnTwoHosts(),
                                               " --compiled --measure --rows 1"));
  EXPECT_EQ(text.exit_code, 0) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "\nmeasured: ")) << text.text;
  EXPECT_TRUE(absl::StrContains(text.text, "more (--rows)")) << text.text;
}

TEST(PlanCommandTest, Errors) {
  const std::string program = PlanFile("tensor_parallel.hlo");
  const auto error = [](const std::string& arguments) {
    const PlanOutput output = RunPlan(arguments);
    EXPECT_NE(output.exit_code, 0) << output.text;
    return output.text;
  };
  EXPECT_TRUE(absl::StrContains(error(program), "plan needs --machine FILE"));
  EXPECT_TRUE(absl::StrContains(error("--json"), "plan takes the FILE of a program"));
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat(program, OnTwoHosts(), " --mesh d=4")),
                                "tensor_parallel.hlo: the mesh has 4 devices, but the program is "
                                "for 1 replicas x 8 partitions"));
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat(program, OnTwoHosts(), " --mesh d=0")),
                                "'0' is not a size"));
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat(program, " --machine /no/such/file")),
                                "No such file or directory"));
  const std::string machine = WritePlanFile("machine.txt", "device { memory_rate: 1 flops { } }");
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat(program, " --machine ", machine)),
                                "machine.txt:1:1: the device has no flops"));
  const std::string small = WritePlanFile("small.txt",
                                          "device { memory_rate: 1e9 flops { f32: 1e9 } }\n"
                                          "level { name: \"host\" size: 4 alpha: 0 rate: 1e9 }");
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat(program, " --machine ", small)),
                                "the mesh has 8 devices, but the machine has 4"));
  EXPECT_TRUE(absl::StrContains(error(absl::StrCat("--calibrate ", program)),
                                "plan --calibrate takes no program"));
  EXPECT_TRUE(absl::StrContains(error("--calibrate --devices 1"), "from 2 to 256"));
}

}  // namespace
}  // namespace xla
