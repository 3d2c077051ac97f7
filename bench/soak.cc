// SPDX-License-Identifier: Apache-2.0
// A long run: programs executed from several threads at once, in random order, with results that
// must not change; then compiled and dropped again and again. Prints the memory of the process as
// it goes, and fails if it grows.
//
//   bench_soak [--executions N] [--compiles N] [--threads N] FOLDER...
//
// Each folder holds a program.hlo and the golden.json that states its arguments.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/files.h"
#include "tools/golden.h"
#include "tools/golden_check.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct Options {
  int64_t executions = 1'000'000, compiles = 1'000, threads = 8;
  std::vector<std::string> folders;
};

struct Program {
  std::string folder;
  XlaComputation computation;
  std::vector<const Shape*> shapes;  // of the arguments
  std::vector<ScopedShapedBuffer> arguments;
  std::unique_ptr<LocalExecutable> executable;
  uint64_t result = 0;  // a hash
  double seconds = 0;   // of a run
};

int64_t ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

// 64-bit FNV-1a over the words of all arrays.
absl::StatusOr<uint64_t> HashOf(LocalClient& client, const ShapedBuffer& buffer) {
  XLA_ASSIGN_OR_RETURN(const Literal literal, client.ShapedBufferToLiteral(buffer));
  uint64_t hash = 0xcbf29ce484222325u;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (!part.IsArray()) return;
    const auto* bytes = static_cast<const unsigned char*>(literal.untyped_data(index));
    for (int64_t i = 0; i < literal.size_bytes(index); ++i) {
      hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
  });
  return hash;
}

absl::StatusOr<ScopedShapedBuffer> Run(const Program& program) {
  std::vector<const ShapedBuffer*> arguments;
  for (const ScopedShapedBuffer& argument : program.arguments) arguments.push_back(&argument);
  return program.executable->Run(arguments, ExecutableRunOptions());
}

absl::Status Compile(LocalClient& client, Program& program) {
  XLA_ASSIGN_OR_RETURN(auto executables, client.Compile(program.computation, program.shapes, {}));
  program.executable = std::move(executables[0]);
  return absl::OkStatus();
}

absl::StatusOr<Program> Load(LocalClient& client, const std::string& folder) {
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/golden.json"));
  XLA_ASSIGN_OR_RETURN(const Golden golden, ParseGolden(text));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> literals, DrawArguments(golden));
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(folder + "/program.hlo"));
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(*module));
  Program program;
  program.folder = folder;
  program.computation = XlaComputation(proto);
  for (const Literal& literal : literals) {
    XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer, client.LiteralToShapedBuffer(literal, 0));
    program.arguments.push_back(std::move(buffer));
  }
  for (const ScopedShapedBuffer& buffer : program.arguments) {
    program.shapes.push_back(&buffer.on_host_shape());
  }
  XLA_RETURN_IF_ERROR(Compile(client, program));
  XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer first, Run(program));
  XLA_ASSIGN_OR_RETURN(program.result, HashOf(client, first));
  const double start = Seconds();
  for (int i = 0; i < 3; ++i) XLA_RETURN_IF_ERROR(Run(program).status());
  program.seconds = (Seconds() - start) / 3;
  return program;
}

absl::Status CheckResult(LocalClient& client, const Program& program, const ShapedBuffer& result) {
  XLA_ASSIGN_OR_RETURN(const uint64_t hash, HashOf(client, result));
  if (hash == program.result) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(program.folder, ": another result than at first"));
}

// Tells progress, and the memory at a tenth of the way and at the end.
class Progress {
 public:
  Progress(const char* what, int64_t total) : what_(what), total_(total) {}

  void Step(int64_t done) {
    const int64_t tenth = std::max<int64_t>(total_ / 10, 1);
    if (done % tenth != 0) return;
    const int64_t megabytes = ResidentMegabytes();
    if (done == tenth) first_ = megabytes;
    std::printf("%lld %s: %lld MB\n", static_cast<long long>(done), what_,
                static_cast<long long>(megabytes));
    std::fflush(stdout);
    last_ = megabytes;
  }

  // Allocators keep some of what is freed, so that small changes say nothing.
  absl::Status Flat() const {
    if (last_ <= first_ + first_ / 10 + 16) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("memory grew from ", first_, " to ", last_, " MB"));
  }

 private:
  const char* what_;
  int64_t total_, first_ = 0, last_ = 0;
};

// Short programs are run often, long ones for as long in total.
absl::Status Execute(LocalClient& client, const std::vector<Program>& programs,
                     const Options& options) {
  constexpr double kShort = 2e-4;
  constexpr int64_t kCheckedRuns = 16;  // of as many, one is compared
  std::vector<double> weights;
  for (const Program& program : programs) weights.push_back(1 / std::max(program.seconds, kShort));
  Progress progress("executions", options.executions);
  std::mutex mutex;
  absl::Status status;
  int64_t done = 0;
  const auto work = [&](int64_t thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread));
    std::discrete_distribution<size_t> draw(weights.begin(), weights.end());
    for (int64_t i = 0;; ++i) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!status.ok() || done == options.executions) return;
        progress.Step(++done);
      }
      const Program& program = programs[draw(random)];
      absl::StatusOr<ScopedShapedBuffer> result = Run(program);
      absl::Status outcome = result.status();
      if (outcome.ok() && i % kCheckedRuns == 0) outcome = CheckResult(client, program, *result);
      if (outcome.ok()) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      status = outcome;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < options.threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  XLA_RETURN_IF_ERROR(status);
  return progress.Flat();
}

absl::Status CompileAndDrop(LocalClient& client, std::vector<Program>& programs, int64_t count) {
  Progress progress("compilations", count);
  for (int64_t i = 0; i < count; ++i) {
    Program& program = programs[static_cast<size_t>(i) % programs.size()];
    XLA_RETURN_IF_ERROR(Compile(client, program));
    XLA_ASSIGN_OR_RETURN(const ScopedShapedBuffer result, Run(program));
    XLA_RETURN_IF_ERROR(CheckResult(client, program, result));
    progress.Step(i + 1);
  }
  return progress.Flat();
}

absl::Status Soak(const Options& options) {
  XLA_ASSIGN_OR_RETURN(LocalClient * client, ClientLibrary::GetOrCreateLocalClient());
  std::vector<Program> programs;
  for (const std::string& folder : options.folders) {
    XLA_ASSIGN_OR_RETURN(Program program, Load(*client, folder));
    programs.push_back(std::move(program));
  }
  const double start = Seconds();
  XLA_RETURN_IF_ERROR(Execute(*client, programs, options));
  XLA_RETURN_IF_ERROR(CompileAndDrop(*client, programs, options.compiles));
  std::printf("%zu programs, %.0f s\n", programs.size(), Seconds() - start);
  return absl::OkStatus();
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    int64_t* number = word == "--executions" ? &options->executions
                      : word == "--compiles" ? &options->compiles
                      : word == "--threads"  ? &options->threads
                                             : nullptr;
    if (number == nullptr) {
      if (word.substr(0, 1) == "-") return false;
      options->folders.emplace_back(word);
    } else if (++i == argc || !absl::SimpleAtoi(argv[i], number) || *number < 1) {
      return false;
    }
  }
  return !options->folders.empty();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  xla::Options options;
  if (!xla::ParseOptions(argc, argv, &options)) {
    std::cerr << "usage: bench_soak [--executions N] [--compiles N] [--threads N] FOLDER...\n";
    return 2;
  }
  const absl::Status status = xla::Soak(options);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
