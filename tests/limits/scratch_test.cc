// SPDX-License-Identifier: Apache-2.0
// Working memory that grows with the data is counted: what operations take from the heap of C++,
// which nobody counts, stays small beside the memory that a run reports.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

// Sanitizers have an allocator of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)
namespace {

std::atomic<bool> counts{false};
std::atomic<int64_t> bytes_now{0}, bytes_most{0};

void* Take(size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  if (counts.load(std::memory_order_relaxed)) {
    const auto taken = static_cast<int64_t>(malloc_usable_size(memory));
    const int64_t now = bytes_now.fetch_add(taken) + taken;
    int64_t most = bytes_most.load();
    while (now > most && !bytes_most.compare_exchange_weak(most, now)) {
    }
  }
  return memory;
}

void Give(void* memory) {
  if (memory == nullptr) return;
  if (counts.load(std::memory_order_relaxed))
    bytes_now.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return Take(size); }
void* operator new[](size_t size) { return Take(size); }
void operator delete(void* memory) noexcept { Give(memory); }
void operator delete[](void* memory) noexcept { Give(memory); }
void operator delete(void* memory, size_t) noexcept { Give(memory); }
void operator delete[](void* memory, size_t) noexcept { Give(memory); }

namespace xla {
namespace {

struct Operation {
  const char* name;
  const char* entry;
};

constexpr char kCallees[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
odd { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] multiply(a, b) ROOT s = f32[] sine(c) }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
odd_less { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] sine(a) y = f32[] sine(b)
  ROOT c = pred[] compare(x, y), direction=LT }
pairs { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
step { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(c, x) ROOT t = (f32[], f32[]) tuple(s, s) }
)";

constexpr Operation kScratchOperations[] = {
    {"Sort",
     "x = f32[1000000] parameter(0) ROOT r = f32[1000000] sort(x), dimensions={0}, "
     "to_apply=less"},
    {"SortByAComparator",
     "x = f32[100000] parameter(0) ROOT r = f32[100000] sort(x), "
     "dimensions={0}, to_apply=odd_less"},
    {"SortPairs",
     "x = f32[400000] parameter(0) i = s32[400000] iota(), iota_dimension=0 ROOT r = "
     "(f32[400000], s32[400000]) sort(x, i), dimensions={0}, to_apply=pairs"},
    {"TopK",
     "x = f32[10,100000] parameter(0) ROOT r = (f32[10,50000], s32[10,50000]) topk(x), "
     "k=50000"},
    {"Fft",
     "x = c64[1048576] parameter(0) ROOT r = c64[1048576] fft(x), fft_type=FFT, "
     "fft_length={1048576}"},
    {"FftOfAPrime",
     "x = c64[100003] parameter(0) ROOT r = c64[100003] fft(x), fft_type=FFT, "
     "fft_length={100003}"},
    {"FftReal",
     "x = f32[300,1001] parameter(0) ROOT r = c64[300,501] fft(x), fft_type=RFFT, "
     "fft_length={300,1001}"},
    {"Dot",
     "x = f32[700,700] parameter(0) ROOT r = f32[700,700] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotS8",
     "x = s8[700,700] parameter(0) ROOT r = s32[700,700] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotBf16",
     "x = bf16[700,700] parameter(0) ROOT r = bf16[700,700] dot(x, x), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
    {"RaggedDot",
     "x = f32[500,400] parameter(0) w = f32[3,400,300] parameter(1) g = s32[3] "
     "constant({100, 200, 150}) ROOT r = f32[500,300] ragged-dot(x, w, g), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
     "rhs_group_dims={0}"},
    {"Convolution",
     "x = f32[2,64,64,64] parameter(0) k = f32[3,3,64,64] parameter(1) ROOT r = "
     "f32[2,62,62,64] convolution(x, k), window={size=3x3}, "
     "dim_labels=b01f_01io->b01f"},
    {"ConvolutionBf16",
     "x = bf16[2,64,64,32] parameter(0) k = bf16[3,3,32,32] parameter(1) ROOT r "
     "= bf16[2,127,127,32] convolution(x, k), window={size=3x3 pad=1_1x1_1 "
     "lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
    {"Cholesky",
     "i = s32[500,500] iota(), iota_dimension=0 j = s32[500,500] iota(), "
     "iota_dimension=1 e = pred[500,500] compare(i, j), direction=EQ x = f32[500,500] "
     "convert(e) ROOT r = f32[500,500] cholesky(x), lower=true"},
    {"TriangularSolve",
     "x = f64[400,400] parameter(0) ROOT r = f64[400,400] triangular-solve(x, "
     "x), left_side=false, lower=true, transpose_a=TRANSPOSE"},
    {"ReduceOddly",
     "x = f32[500000] parameter(0) z = f32[] constant(0) ROOT r = f32[] reduce(x, "
     "z), dimensions={0}, to_apply=odd"},
    {"ReduceMajor",
     "x = f32[1000,1000] parameter(0) z = f32[] constant(0) ROOT r = f32[1000] "
     "reduce(x, z), dimensions={0}, to_apply=add"},
    {"ReduceWindow",
     "x = f32[1000000] parameter(0) z = f32[] constant(0) ROOT r = f32[1000000] "
     "reduce-window(x, z), window={size=31 pad=15_15}, to_apply=add"},
    {"PrefixSum",
     "x = f32[1000000] parameter(0) z = f32[] constant(0) ROOT r = f32[1000000] "
     "reduce-window(x, z), window={size=1000000 pad=999999_0}, to_apply=add"},
    {"SelectAndScatter",
     "x = f32[900,900] parameter(0) s = f32[300,300] parameter(1) z = f32[] "
     "constant(0) ROOT r = f32[900,900] select-and-scatter(x, s, z), "
     "window={size=3x3 stride=3x3}, select=ge, scatter=add"},
    {"Scan",
     "x = f32[300000] parameter(0) z = f32[] constant(0) ROOT r = (f32[300000], f32[]) "
     "scan(x, z), dimensions={0}, num_carries=1, to_apply=step"},
    {"Scatter",
     "x = f32[300000] parameter(0) u = f32[300000] parameter(1) i = s32[300000,1] "
     "iota(), iota_dimension=0 ROOT r = f32[300000] scatter(x, i, u), "
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=odd"},
    {"Gather",
     "x = f32[1000,1000] parameter(0) i = s32[500000,2] iota(), iota_dimension=1 ROOT r = "
     "f32[500000] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"},
    {"RandomBits",
     "s = u64[2] constant({1, 2}) ROOT r = (u64[2], u32[999999]) "
     "rng-bit-generator(s), algorithm=rng_philox"},
    {"RandomNormal",
     "a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[500000] rng(a, b), "
     "distribution=rng_normal"},
    {"BatchNorm",
     "x = f32[16,50,50,32] parameter(0) s = f32[32] parameter(1) ROOT r = "
     "(f32[16,50,50,32], f32[32], f32[32]) batch-norm-training(x, s, s), "
     "epsilon=0.001, feature_index=3"},
    {"Transposes",
     "x = bf16[1000,1000] parameter(0) t = bf16[1000,1000] transpose(x), "
     "dimensions={1,0} ROOT c = f64[1000,1000] convert(t)"},
    {"BitcastOfLayouts", "x = f32[1000,1000]{0,1} parameter(0) ROOT r = f32[1000000] bitcast(x)"},
    {"AllGather",
     "x = f32[500000] parameter(0) ROOT r = f32[500000] all-gather(x), "
     "dimensions={0}, replica_groups={{0}}"},
};

std::string ScratchName(const ::testing::TestParamInfo<Operation>& info) { return info.param.name; }
void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

class ScratchTest : public ::testing::TestWithParam<Operation> {};

TEST_P(ScratchTest, IsCounted) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(absl::StrCat(
                           "HloModule m\n", kCallees, "ENTRY e {\n", GetParam().entry, "\n}\n")));
  ASSERT_OK(VerifyModule(*module));
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    Literal argument(parameter->shape());
    auto* data = static_cast<uint8_t*>(argument.untyped_data());
    for (int64_t i = 0; i < argument.size_bytes(); ++i) data[i] = static_cast<uint8_t>(i % 61);
    arguments.push_back(std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  ASSERT_OK_AND_ASSIGN(const auto program, InterpreterProgram::Create(*module));
  runtime::ThreadPool pool(2);
  InterpreterOptions options;
  options.pool = &pool;
  RunStatistics statistics;
  bytes_now = bytes_most = 0;
  counts = true;
  const auto result = program->Run(pointers, options, &statistics);
  counts = false;
  ASSERT_OK(result.status());
  // The result is a literal at last, whose memory may come from the heap.
  const int64_t allowed =
      statistics.peak_bytes / 20 + (256 << 10) + ShapeUtil::ByteSizeOfLeaves(result->shape());
  EXPECT_LT(bytes_most.load(), allowed)
      << statistics.peak_bytes << " bytes are reported; " << bytes_most.load() << " are not";
}

INSTANTIATE_TEST_SUITE_P(Operations, ScratchTest, ::testing::ValuesIn(kScratchOperations),
                         ScratchName);

}  // namespace
}  // namespace xla
#endif
