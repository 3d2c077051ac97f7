// SPDX-License-Identifier: Apache-2.0
// What a run costs beyond its arithmetic: a program run again and again through the C++ client, on
// the same arguments.
//
//   bench_dispatch tests/programs/dispatch_scalar/program.hlo [RUNS]
//
// Prints nanoseconds, allocations and copies of arrays for each run, and how many threads the
// process then has.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "xla/base/status_macros.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/runtime/execution_context.h"

namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

// Counts calls of malloc, those of operator new among them.
extern "C" void* __libc_malloc(size_t bytes);
extern "C" void* malloc(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

namespace xla {
namespace {

int64_t LiveThreads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

absl::Status Measure(const std::string& path, int64_t runs) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError("cannot read " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(*module));
  const XlaComputation computation(proto);

  XLA_ASSIGN_OR_RETURN(const auto client, ClientLibrary::MakeLocalClient(LocalClientOptions()));
  XLA_ASSIGN_OR_RETURN(const ProgramShape shape, computation.GetProgramShape());
  std::vector<ScopedShapedBuffer> buffers;
  for (const Shape& parameter : shape.parameters()) {
    XLA_ASSIGN_OR_RETURN(Literal zeros, Literal::Make(parameter));
    XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer, client->LiteralToShapedBuffer(zeros, 0));
    buffers.push_back(std::move(buffer));
  }
  std::vector<const ShapedBuffer*> arguments;
  std::vector<const Shape*> shapes;
  for (const ScopedShapedBuffer& buffer : buffers) {
    arguments.push_back(&buffer);
    shapes.push_back(&buffer.on_host_shape());
  }
  XLA_ASSIGN_OR_RETURN(const auto executables, client->Compile(computation, shapes, {}));
  LocalExecutable& executable = *executables[0];

  runtime::RunStatistics statistics;
  XLA_RETURN_IF_ERROR(
      executable.Run(arguments, ExecutableRunOptions().set_run_statistics(&statistics)).status());
  const auto run = [&]() { return executable.Run(arguments, ExecutableRunOptions()).status(); };
  for (int64_t i = 0; i < std::max<int64_t>(runs / 10, 1); ++i) XLA_RETURN_IF_ERROR(run());

  // The best of five rounds: what the program costs, not what else the machine does.
  double best = 0;
  const int64_t allocations_before = allocations.load();
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < runs; ++i) XLA_RETURN_IF_ERROR(run());
    const double nanoseconds =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
        static_cast<double>(runs);
    best = round == 0 ? nanoseconds : std::min(best, nanoseconds);
  }
  std::printf("%s: %.0f ns, %.2f allocations and %ld copies a run; %ld threads\n", path.c_str(),
              best, static_cast<double>(allocations.load() - allocations_before) / (5.0 * runs),
              static_cast<long>(statistics.copies), static_cast<long>(LiveThreads()));
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  int64_t runs = 20000;
  if (argc < 2 || (argc > 2 && !absl::SimpleAtoi(argv[2], &runs)) || runs < 1) {
    std::cerr << "usage: bench_dispatch PROGRAM.hlo [RUNS]\n";
    return 2;
  }
  const absl::Status status = xla::Measure(argv[1], runs);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
