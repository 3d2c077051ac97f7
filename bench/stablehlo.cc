// SPDX-License-Identifier: Apache-2.0
// bench_stablehlo [FILE]...: how fast StableHLO is read, verified and translated, and what memory
// that takes.
//
// Files are text or bytecode. Without arguments: a generated program of 10^6 operations as text and
// as a portable artifact. The columns of a row: size of the file; MB of it per second for reading,
// and for all of reading, verification and translation, at the best of several runs (processor time
// of the thread), and for a copy of the HloModule, which bounds what a translation can reach;
// nanoseconds an instruction; the peak of memory beyond what the process held before, and what of
// it the HloModule takes, as multiples of the file.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/thread_time.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

// A line of /proc/self/status in bytes.
int64_t StatusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, name.size(), name) == 0) return 1024 * std::stoll(line.substr(name.size()));
  }
  return 0;
}

bool ReadAll(const std::string& path, std::string* bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return false;
  bytes->resize(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  return static_cast<bool>(file.read(bytes->data(), static_cast<std::streamsize>(bytes->size())));
}

struct Memory {
  int64_t peak = 0;
  int64_t module = 0;
};

// Measured in a process of its own. The file is read from the disk there, and counts.
Memory MeasureMemory(const std::string& path) {
  int ends[2];
  Memory memory;
  if (pipe(ends) != 0) return memory;
  const pid_t child = fork();
  if (child == 0) {
    // The code that runs, and what it allocates once, is in memory beforehand.
    (void)stablehlo::ReadStableHlo("func.func @main() { return }", "first");
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // starts the peak anew
    const int64_t before = StatusBytes("VmRSS:");
    const auto in_use = static_cast<int64_t>(mallinfo2().uordblks + mallinfo2().hblkhd);
    std::string bytes;
    if (ReadAll(path, &bytes)) {
      const auto module = stablehlo::ReadStableHlo(std::move(bytes), path);
      memory.peak = StatusBytes("VmHWM:") - before;
      memory.module = static_cast<int64_t>(mallinfo2().uordblks + mallinfo2().hblkhd) - in_use;
    }
    const bool ok = write(ends[1], &memory, sizeof(memory)) == sizeof(memory);
    _exit(ok ? 0 : 1);
  }
  if (read(ends[0], &memory, sizeof(memory)) != sizeof(memory)) memory = {};
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return memory;
}

bool Measure(const std::string& path) {
  std::string bytes;
  if (!ReadAll(path, &bytes)) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const Memory memory = MeasureMemory(path);
  double read = std::numeric_limits<double>::infinity();
  double all = std::numeric_limits<double>::infinity();
  double copying = std::numeric_limits<double>::infinity();
  int64_t instructions = 1;
  double spent = 0;
  for (int run = 0; run < 3 || (spent < 1 && run < 1000); ++run) {
    {
      std::string copy = bytes;
      const double start = ThreadSeconds();
      const auto source = stablehlo::LoadStableHlo(std::move(copy), path, /*verify=*/false);
      read = std::min(read, ThreadSeconds() - start);
    }
    std::string copy = bytes;
    const double start = ThreadSeconds();
    const auto module = stablehlo::ReadStableHlo(std::move(copy), path);
    const double seconds = ThreadSeconds() - start;
    if (!module.ok()) {
      std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
      return false;
    }
    all = std::min(all, seconds);
    const double copy_start = ThreadSeconds();
    const std::unique_ptr<HloModule> clone = (*module)->Clone();
    copying = std::min(copying, ThreadSeconds() - copy_start);
    spent += seconds;
    instructions = std::max<int64_t>(1, (*module)->instruction_count());
  }
  const auto size = static_cast<double>(bytes.size());
  std::printf("%-44s %9.2f %9.0f %9.0f %9.0f %9.0f %9.1f %9.1f\n",
              path.substr(path.rfind('/') + 1).c_str(), size / 1e6, size / read / 1e6,
              size / all / 1e6, size / copying / 1e6, all * 1e9 / static_cast<double>(instructions),
              static_cast<double>(memory.peak) / size, static_cast<double>(memory.module) / size);
  std::fflush(stdout);
  return true;
}

// A function of `operations` operations as those of a network.
std::string Generate(int64_t operations) {
  std::string text =
      "module @generated {\n  func.func public @main(%arg0: tensor<8x128xf32>, %arg1: "
      "tensor<128x128xf32>, %arg2: tensor<128xf32>) -> tensor<8x128xf32> {\n"
      "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
      "    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<8x128xf32>\n";
  std::string x = "%arg0";
  int64_t next = 0;
  const auto add = [&](const std::string& line) {
    absl::StrAppend(&text, "    %", next, " = stablehlo.", line, "\n");
    return absl::StrCat("%", next++);
  };
  const char* const f32 = "tensor<8x128xf32>";
  while (next + 10 < operations) {
    const std::string dot =
        add(absl::StrCat("dot_general ", x, ", %arg1, contracting_dims = [1] x [0] : (", f32,
                         ", tensor<128x128xf32>) -> ", f32));
    const std::string bias =
        add(absl::StrCat("broadcast_in_dim %arg2, dims = [1] : "
                         "(tensor<128xf32>) -> ",
                         f32));
    const std::string sum = add(absl::StrCat("add ", dot, ", ", bias, " : ", f32));
    const std::string zero =
        add(absl::StrCat("broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> ", f32));
    const std::string positive = add(absl::StrCat("compare  GT, ", sum, ", ", zero, ",  FLOAT : (",
                                                  f32, ", ", f32, ") -> tensor<8x128xi1>"));
    const std::string gate = add(absl::StrCat("tanh ", sum, " : ", f32));
    const std::string chosen =
        add(absl::StrCat("select ", positive, ", ", sum, ", ", gate, " : tensor<8x128xi1>, ", f32));
    const std::string moved = add(
        absl::StrCat("transpose ", chosen, ", dims = [1, 0] : (", f32, ") -> tensor<128x8xf32>"));
    const std::string flat =
        add(absl::StrCat("reshape ", moved, " : (tensor<128x8xf32>) -> ", f32));
    x = add(absl::StrCat("multiply ", flat, ", %cst_0 : ", f32));
  }
  absl::StrAppend(&text, "    return ", x, " : ", f32, "\n  }\n}\n");
  return text;
}

int Main(int argc, char** argv) {
  std::printf("%-44s %9s %9s %9s %9s %9s %9s %9s\n", "file", "MB", "read MB/s", "all MB/s",
              "copy MB/s", "ns/instr", "peak/file", "HLO/file");
  bool ok = true;
  for (int i = 1; i < argc; ++i) ok = Measure(argv[i]) && ok;
  if (argc > 1) return ok ? 0 : 1;
  const std::string base =
      (std::filesystem::temp_directory_path() / absl::StrCat("bench_stablehlo_", getpid()))
          .string();
  std::string text = Generate(1000000);
  auto source = stablehlo::LoadStableHlo(text, "generated");
  const auto version = stablehlo::ParseVersion("current");
  if (!source.ok() || !version.ok()) return 1;
  const auto artifact = stablehlo::WritePortableArtifact(source->get(), *version);
  source = std::unique_ptr<mlir::Source>();
  for (const std::string suffix : {".mlir", ".mlirbc"}) {
    const std::string path = base + suffix;
    if (suffix == ".mlirbc" && !artifact.ok()) return 1;
    std::ofstream(path, std::ios::binary) << (suffix == ".mlir" ? text : *artifact);
    ok = Measure(path) && ok;
    std::remove(path.c_str());
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
