// SPDX-License-Identifier: Apache-2.0
// xylem info: versions and processor features.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/stubs/common.h"
#include "tools/command.h"
#include "tools/json.h"
#include "xla/base/machine.h"
#include "xla/cpu/program.h"

namespace xla {
namespace {

std::vector<std::string> CpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
#define XYLEM_FEATURE(name) \
  if (__builtin_cpu_supports(name)) features.emplace_back(name)
  XYLEM_FEATURE("sse4.2");
  XYLEM_FEATURE("avx");
  XYLEM_FEATURE("avx2");
  XYLEM_FEATURE("fma");
  XYLEM_FEATURE("bmi2");
  XYLEM_FEATURE("avx512f");
  XYLEM_FEATURE("avx512bw");
  XYLEM_FEATURE("avx512vl");
  XYLEM_FEATURE("avx512dq");
  XYLEM_FEATURE("avx512vnni");
  XYLEM_FEATURE("avx512bf16");
#undef XYLEM_FEATURE
  if (HostMachine().amx) features.emplace_back("amx");
#elif defined(__aarch64__)
  features.emplace_back("neon");
#endif
  return features;
}

#if defined(__clang__)
constexpr char kBuiltWith[] = "clang++ " __clang_version__;
#else
constexpr char kBuiltWith[] = "g++ " __VERSION__;
#endif

absl::StatusOr<int> Info(const Arguments& arguments) {
  // In the order in which they are chosen.
  std::vector<std::string> backends = {"interpreter"};
  const absl::Status loaded = LoadCpuCompiler();
  if (loaded.ok()) backends.insert(backends.begin(), "cpu");
  const std::string code_generator = loaded.ok()
                                         ? CpuCompilerVersion().value_or("")
                                         : absl::StrCat("none: ", std::string(loaded.message()));
  const std::vector<std::string> features = CpuFeatures();
  const std::string compiler = kBuiltWith;
  const std::string protobuf = google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
  if (arguments.Has("--json")) {
    JsonObject json;
    json.String("version", XYLEM_VERSION)
        .Strings("backends", backends)
        .String("code_generator", code_generator)
        .String("compiler", compiler)
        .String("protobuf", protobuf)
        .Integer("cpus", HostMachine().cores)
        .Strings("features", features);
    std::puts(json.ToString().c_str());
  } else {
    std::printf(
        "xylem     %s\nbackends  %s\ncode      %s\ncompiler  %s\nprotobuf  %s\ncpus      %d\n"
        "features  %s\n",
        XYLEM_VERSION, absl::StrJoin(backends, " ").c_str(), code_generator.c_str(),
        compiler.c_str(), protobuf.c_str(), HostMachine().cores,
        absl::StrJoin(features, " ").c_str());
  }
  return kExitOk;
}

}  // namespace

Command InfoCommand() {
  return {"info",
          "",
          "print versions, backends and processor features",
          "",
          {{"--json", "", "print as JSON"}},
          0,
          0,
          Info};
}

}  // namespace xla
