// SPDX-License-Identifier: Apache-2.0
// Clients say what runs their programs, and nothing is interpreted in silence.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "tests/test_util.h"
#include "xla/cpu/codegen/llvm_versions.h"
#include "xla/cpu/program.h"

namespace xla::pjrt::testing {
namespace {

std::string VersionOfNewClient() {
  auto create = New<PJRT_Client_Create_Args>();
  EXPECT_CALL_OK(Api().PJRT_Client_Create(&create));
  auto version = New<PJRT_Client_PlatformVersion_Args>();
  version.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_PlatformVersion(&version));
  std::string text(version.platform_version, version.platform_version_size);
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&destroy));
  return text;
}

TEST(PlatformVersionTest, NamesTheCompiler) {
  const absl::StatusOr<std::string> compiler = CpuCompilerVersion();
  EXPECT_TRUE(
      absl::EndsWith(VersionOfNewClient(), absl::StrCat(", ", compiler.value_or("interpreter"))))
      << VersionOfNewClient();
}

// For the test below, in a process that finds no LLVM.
TEST(PlatformVersionTest, DISABLED_PrintVersions) {
  for (int i = 0; i < 2; ++i) std::printf("version: %s\n", VersionOfNewClient().c_str());
}

TEST(PlatformVersionTest, WithoutLlvmTheClientSaysSoOnce) {
  // Files that are no libraries stand for libraries that are not there.
  const std::filesystem::path folder =
      std::filesystem::path(xla::testing::ProcessTempDir()) / "without_llvm";
  std::filesystem::create_directories(folder);
  for (const cpu::LlvmVersion& version : cpu::kLlvmVersions)
    std::ofstream(folder / absl::StrCat("libLLVM.so.", version.major, ".1"));
  // The process runs its one test whatever shard of the tests this process runs.
  const std::string command = absl::StrCat(
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX LD_LIBRARY_PATH='", folder.string(), "' '",
      std::filesystem::read_symlink("/proc/self/exe").string(),
      "' --gtest_also_run_disabled_tests --gtest_filter=*.DISABLED_PrintVersions 2>&1");
  std::FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  EXPECT_EQ(pclose(pipe), 0) << output;
  constexpr char kWarning[] = "Xylem: interpreting, as nothing can be compiled: the compiler needs";
  const size_t first = output.find(kWarning);
  ASSERT_NE(first, std::string::npos) << output;
  EXPECT_EQ(output.find(kWarning, first + 1), std::string::npos) << output;
  EXPECT_TRUE(absl::StrContains(output, ", interpreter\n")) << output;
}

}  // namespace
}  // namespace xla::pjrt::testing
