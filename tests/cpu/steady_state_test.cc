// SPDX-License-Identifier: Apache-2.0
// Runs after the first few take no memory: what they need belongs to the program, the threads and
// the caller.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

// Sanitizers have an allocator of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)
namespace {

std::atomic<bool> counts{false};
std::atomic<int64_t> allocations{0};

}  // namespace

// Counts calls of malloc, those of operator new among them.
extern "C" void* __libc_malloc(size_t bytes);
extern "C" void* malloc(size_t bytes) {
  if (counts.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

namespace xla {
namespace {

struct Freed {
  void operator()(void* data) const { runtime::FreeHostMemory(data); }
};
using HostBlock = std::unique_ptr<void, Freed>;

// Memory of a device's arguments and results.
struct DeviceMemory {
  std::vector<HostBlock> blocks;
  std::vector<runtime::ArgumentView> arguments;
  std::vector<runtime::ResultView> results;

  absl::StatusOr<HostBlock> Allocate(int64_t bytes) {
    HostBlock block(runtime::AllocateHostMemory(static_cast<size_t>(std::max<int64_t>(bytes, 1))));
    if (block == nullptr) return absl::ResourceExhaustedError("no memory");
    std::fill_n(static_cast<char*>(block.get()), bytes, 0);
    return block;
  }
  absl::Status AddLeaves(const Shape& shape, bool is_result) {
    for (const auto& leaf : ShapeUtil::GetLeafShapes(shape)) {
      int64_t bytes = 0;
      if (leaf.shape.IsArray()) {
        XLA_ASSIGN_OR_RETURN(bytes, runtime::ArrayBytes(leaf.shape));
      }
      XLA_ASSIGN_OR_RETURN(HostBlock block, Allocate(bytes));
      shapes.push_back(std::make_unique<Shape>(leaf.shape));
      if (is_result) {
        results.push_back({.data = block.get(), .size_bytes = bytes});
      } else {
        arguments.push_back({shapes.back().get(), block.get(), bytes, false});
      }
      blocks.push_back(std::move(block));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<std::unique_ptr<Shape>> shapes;
};

// Allocations of a run of the program on arguments of zeros, after some others.
absl::StatusOr<int64_t> AllocationsOf(const std::string& text, int64_t replicas = 1) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module));
  std::vector<DeviceMemory> devices(static_cast<size_t>(replicas));
  for (DeviceMemory& device : devices) {
    for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions())
      XLA_RETURN_IF_ERROR(device.AddLeaves(parameter->shape(), false));
    XLA_RETURN_IF_ERROR(
        device.AddLeaves(module->entry_computation()->root_instruction()->shape(), true));
  }
  std::vector<absl::Span<const runtime::ArgumentView>> arguments;
  std::vector<absl::Span<runtime::ResultView>> results;
  for (DeviceMemory& device : devices) {
    arguments.push_back(device.arguments);
    results.push_back(absl::MakeSpan(device.results));
  }
  runtime::ThreadPool pool(2);
  runtime::ReusableThreads threads;
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.threads = &threads;
  int64_t least = INT64_MAX;
  for (int run = 0; run < 6; ++run) {
    allocations = 0;
    counts = run > 1;
    const absl::Status status = program->RunOnDevices(replicas, 1, arguments, results, context);
    counts = false;
    XLA_RETURN_IF_ERROR(status);
    // A thread may meet a kernel for the first time in any run.
    if (run > 1) least = std::min(least, allocations.load());
  }
  return least;
}

TEST(SteadyStateTest, ReferenceProgramsTakeNoMemory) {
  for (const auto& folder :
       std::filesystem::directory_iterator(testing::SourcePath("tests/programs"))) {
    const std::string name = folder.path().filename();
    // The largest take seconds, and are made of the same steps as others.
    if (absl::StrContains(name, "gpt2s") || absl::StrContains(name, "resnet50")) continue;
    std::ifstream file(folder.path() / "program.hlo");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    ASSERT_OK_AND_ASSIGN(const int64_t count, AllocationsOf(text));
    EXPECT_EQ(count, 0) << name;
  }
}

constexpr char kCallees[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
odd_less { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] sine(a) y = f32[] sine(b)
  ROOT c = pred[] compare(x, y), direction=LT }
pairs { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
few { p = (s32[], f32[100,100]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(7) ROOT c = pred[] compare(i, n), direction=LT }
product { p = (s32[], f32[100,100]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[100,100] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[100,100] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[100,100]) tuple(j, y) }
same { ROOT x = f32[100] parameter(0) }
sines { x = f32[100] parameter(0) ROOT y = f32[100] sine(x) }
)";

struct Operation {
  const char* name;
  const char* entry;
};
// Not among them, as they take memory for each run: ragged-dot, transforms of lengths with large
// prime factors, and collectives.
constexpr Operation kOperations[] = {
    {"Sort",
     "x = f32[100000] parameter(0) ROOT r = f32[100000] sort(x), dimensions={0}, to_apply=ge"},
    {"SortByAComparator",
     "x = f32[10000] parameter(0) ROOT r = f32[10000] sort(x), dimensions={0}, to_apply=odd_less"},
    {"SortPairs",
     "x = f32[40000] parameter(0) i = s32[40000] iota(), iota_dimension=0 ROOT r = (f32[40000], "
     "s32[40000]) sort(x, i), dimensions={0}, to_apply=pairs"},
    {"TopK", "x = f32[10,10000] parameter(0) ROOT r = (f32[10,50], s32[10,50]) topk(x), k=50"},
    {"Fft",
     "x = c64[10,1000] parameter(0) ROOT r = c64[10,1000] fft(x), fft_type=FFT, "
     "fft_length={1000}"},
    {"Dot",
     "x = bf16[300,300] parameter(0) ROOT r = bf16[300,300] dot(x, x), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
    {"DotOfIntegers",
     "x = s32[300,300] parameter(0) ROOT r = s32[300,300] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"Convolution",
     "x = f32[2,32,32,16] parameter(0) k = f32[3,3,16,16] parameter(1) ROOT r = "
     "f32[2,30,30,16] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f"},
    {"Cholesky", "x = f32[100,100] parameter(0) ROOT r = f32[100,100] cholesky(x), lower=true"},
    {"TriangularSolve",
     "x = f64[100,100] parameter(0) ROOT r = f64[100,100] triangular-solve(x, x), "
     "left_side=false, lower=true, transpose_a=TRANSPOSE"},
    {"PrefixSum",
     "x = f32[100000] parameter(0) z = f32[] constant(0) ROOT r = f32[100000] "
     "reduce-window(x, z), window={size=100000 pad=99999_0}, to_apply=add"},
    {"SelectAndScatter",
     "x = f32[90,90] parameter(0) s = f32[30,30] parameter(1) z = f32[] "
     "constant(0) ROOT r = f32[90,90] select-and-scatter(x, s, z), "
     "window={size=3x3 stride=3x3}, select=ge, scatter=add"},
    {"RandomBits",
     "s = u64[2] parameter(0) ROOT r = (u64[2], u32[9999]) rng-bit-generator(s), "
     "algorithm=rng_philox"},
    {"RandomNormal",
     "a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[5000] rng(a, b), "
     "distribution=rng_normal"},
    {"Loop",
     "x = f32[100,100] parameter(0) z = s32[] constant(0) t = (s32[], f32[100,100]) "
     "tuple(z, x) ROOT w = (s32[], f32[100,100]) while(t), condition=few, body=product"},
    {"Conditional",
     "x = f32[100] parameter(0) i = s32[] parameter(1) ROOT c = f32[100] "
     "conditional(i, x, x), branch_computations={same, sines}"},
};

TEST(SteadyStateTest, LibrariesLoopsAndBranchesTakeNoMemory) {
  for (const Operation& operation : kOperations) {
    ASSERT_OK_AND_ASSIGN(
        const int64_t count,
        AllocationsOf(absl::StrCat(kCallees, "ENTRY e {\n", operation.entry, "\n}\n")));
    EXPECT_EQ(count, 0) << operation.name;
  }
}

}  // namespace
}  // namespace xla
#endif
