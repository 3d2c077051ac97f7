// SPDX-License-Identifier: Apache-2.0
// Every operation that can take long ends soon after it is cancelled, in the interpreter and in
// compiled programs.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

// Sanitizers make operations many times slower.
#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)
namespace xla {
namespace {

struct LongOperation {
  const char* name;
  const char* entry;  // the instructions of the entry computation
};

constexpr char kComputations[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
odd { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] multiply(a, b) d = f32[] sine(c)
  ROOT s = f32[] subtract(d, b) }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
odd_less { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[] sine(a) y = f32[] sine(b)
  ROOT c = pred[] compare(x, y), direction=LT }
less2 { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
argmax { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  c = pred[] compare(a, b), direction=GT x = f32[] select(c, a, b) k = s32[] select(c, i, j)
  ROOT t = (f32[], s32[]) tuple(x, k) }
chain { a = f32[] parameter(0) b = f32[] sine(a) c = f32[] cosine(b) d = f32[] tan(c)
  ROOT e = f32[] power(d, b) }
count_condition { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(2000000000) ROOT c = pred[] compare(i, n), direction=LT }
count_body { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[] sine(x) ROOT r = (s32[], f32[]) tuple(j, y) }
array_condition { p = (s32[], f32[100]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(2000000000) ROOT c = pred[] compare(i, n), direction=LT }
array_body { p = (s32[], f32[100]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[100] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[100] sine(x) ROOT r = (s32[], f32[100]) tuple(j, y) }
step { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(c, x) y = f32[] sine(s)
  ROOT t = (f32[], f32[]) tuple(s, y) }
)";

constexpr LongOperation kOperations[] = {
    {"Elementwise", "x = f32[30000000] parameter(0) ROOT r = f32[30000000] power(x, x)"},
    {"ElementwiseF64", "x = f64[30000000] parameter(0) ROOT r = f64[30000000] atan2(x, x)"},
    {"ElementwiseC128", "x = c128[9000000] parameter(0) ROOT r = c128[9000000] tan(x)"},
    {"Narrow", "x = f8e4m3fn[90000000] parameter(0) ROOT r = f8e4m3fn[90000000] exponential(x)"},
    {"Convert", "x = f32[60000000] parameter(0) ROOT r = f8e5m2[60000000] convert(x)"},
    {"Map",
     "x = f32[20000000] parameter(0) ROOT r = f32[20000000] map(x), dimensions={0}, "
     "to_apply=chain"},
    {"DotF32",
     "x = f32[5000,5000] parameter(0) ROOT r = f32[5000,5000] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotF64",
     "x = f64[4000,4000] parameter(0) ROOT r = f64[4000,4000] dot(x, x), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
    {"DotC128",
     "x = c128[2000,2000] parameter(0) ROOT r = c128[2000,2000] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"DotS8",
     "x = s8[6000,6000] parameter(0) ROOT r = s32[6000,6000] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotS64",
     "x = s64[3000,3000] parameter(0) ROOT r = s64[3000,3000] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotBf16",
     "x = bf16[6000,6000] parameter(0) ROOT r = bf16[6000,6000] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotLongRows",
     "x = f32[4,20000000] parameter(0) ROOT r = f32[4,4] dot(x, x), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"DotBatches",
     "x = f32[400000,8,8] parameter(0) ROOT r = f32[400000,8,8] dot(x, x), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}"},
    {"RaggedDot",
     "x = f32[3000,3000] parameter(0) w = f32[4,3000,3000] parameter(1) "
     "g = s32[4] constant({700, 800, 900, 600}) ROOT r = f32[3000,3000] "
     "ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}"},
    {"Convolution",
     "x = f32[1,1,2000,2000] parameter(0) k = f32[1,1,700,700] parameter(1) ROOT r = "
     "f32[1,1,1301,1301] convolution(x, k), window={size=700x700}, "
     "dim_labels=bf01_oi01->bf01"},
    {"ConvolutionF64",
     "x = f64[8,112,112,64] parameter(0) k = f64[5,5,64,64] parameter(1) ROOT r = "
     "f64[8,108,108,64] convolution(x, k), window={size=5x5}, "
     "dim_labels=b01f_01io->b01f"},
    {"ConvolutionOfGroups",
     "x = f32[16,112,112,256] parameter(0) k = f32[9,9,1,256] parameter(1) ROOT r = "
     "f32[16,112,112,256] convolution(x, k), window={size=9x9 pad=4_4x4_4}, "
     "dim_labels=b01f_01io->b01f, feature_group_count=256"},
    {"ConvolutionDilated",
     "x = f32[8,100,100,64] parameter(0) k = f32[7,7,64,64] parameter(1) ROOT r = "
     "f32[8,193,193,64] convolution(x, k), window={size=7x7 lhs_dilate=2x2}, "
     "dim_labels=b01f_01io->b01f"},
    {"ConvolutionS32",
     "x = s32[8,112,112,64] parameter(0) k = s32[5,5,64,64] parameter(1) ROOT r = "
     "s32[8,108,108,64] convolution(x, k), window={size=5x5}, "
     "dim_labels=b01f_01io->b01f"},
    {"Fft",
     "x = c64[8388608] parameter(0) ROOT r = c64[8388608] fft(x), fft_type=FFT, "
     "fft_length={8388608}"},
    {"FftOfAPrime",
     "x = c64[4999999] parameter(0) ROOT r = c64[4999999] fft(x), fft_type=FFT, "
     "fft_length={4999999}"},
    {"FftReal",
     "x = f32[4000,3001] parameter(0) ROOT r = c64[4000,1501] fft(x), fft_type=RFFT, "
     "fft_length={4000,3001}"},
    {"Sort",
     "x = f32[16000000] parameter(0) ROOT r = f32[16000000] sort(x), dimensions={0}, "
     "to_apply=less"},
    {"SortByAComparator",
     "x = f32[2000000] parameter(0) ROOT r = f32[2000000] sort(x), "
     "dimensions={0}, to_apply=odd_less"},
    {"SortPairs",
     "x = f32[8000000] parameter(0) i = s32[8000000] iota(), iota_dimension=0 "
     "ROOT r = (f32[8000000], s32[8000000]) sort(x, i), dimensions={0}, "
     "is_stable=true, to_apply=less2"},
    {"TopK",
     "x = f32[40,500000] parameter(0) ROOT r = (f32[40,100000], s32[40,100000]) topk(x), "
     "k=100000, largest=true"},
    {"Cholesky",
     "i = s32[2500,2500] iota(), iota_dimension=0 j = s32[2500,2500] iota(), "
     "iota_dimension=1 e = pred[2500,2500] compare(i, j), direction=EQ "
     "x = f64[2500,2500] convert(e) ROOT r = f64[2500,2500] cholesky(x), lower=true"},
    {"CholeskyBatches",
     "i = s32[9000,64,64] iota(), iota_dimension=1 j = s32[9000,64,64] iota(), "
     "iota_dimension=2 e = pred[9000,64,64] compare(i, j), direction=EQ x = "
     "f32[9000,64,64] convert(e) ROOT r = f32[9000,64,64] cholesky(x), lower=true"},
    {"TriangularSolve",
     "x = f64[3000,3000] parameter(0) ROOT r = f64[3000,3000] "
     "triangular-solve(x, x), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE"},
    {"TriangularSolveRight",
     "x = f32[3000,3000] parameter(0) ROOT r = f32[3000,3000] "
     "triangular-solve(x, x), left_side=false, lower=false, "
     "transpose_a=TRANSPOSE"},
    {"TriangularSolveVector",
     "x = f64[5000,5000] parameter(0) y = f64[5000,1] parameter(1) ROOT r "
     "= f64[5000,1] triangular-solve(x, y), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE"},
    {"ReduceOddly",
     "x = f32[8000000] parameter(0) z = f32[] constant(0) ROOT r = f32[] "
     "reduce(x, z), dimensions={0}, to_apply=odd"},
    {"ReduceOneLongRowOddly",
     "x = f32[1,60000000] parameter(0) z = f32[] constant(0) ROOT r = f32[1] "
     "reduce(x, z), dimensions={1}, to_apply=odd"},
    {"ReduceLongColumnsOddly",
     "x = f32[6000000,9] parameter(0) z = f32[] constant(0) ROOT r = f32[9] "
     "reduce(x, z), dimensions={0}, to_apply=odd"},
    {"ReduceVariadic",
     "x = f32[20000000] parameter(0) i = s32[20000000] iota(), iota_dimension=0 "
     "z = f32[] constant(0) k = s32[] constant(0) ROOT r = (f32[], s32[]) reduce(x, i, z, k), "
     "dimensions={0}, to_apply=argmax"},
    {"ReduceMajor",
     "x = f32[3000,20000] parameter(0) z = f32[] constant(0) ROOT r = f32[20000] "
     "reduce(x, z), dimensions={0}, to_apply=odd"},
    {"ReduceWindow",
     "x = f32[3000000] parameter(0) z = f32[] constant(0) ROOT r = f32[3000000] "
     "reduce-window(x, z), window={size=3001 pad=1500_1500}, to_apply=add"},
    {"ReduceWindowOddly",
     "x = f32[600,600] parameter(0) z = f32[] constant(0) ROOT r = f32[540,540] "
     "reduce-window(x, z), window={size=61x61}, to_apply=odd"},
    {"PrefixSum",
     "x = f32[9000,3000] parameter(0) z = f32[] constant(0) ROOT r = f32[9000,3000] "
     "reduce-window(x, z), window={size=9000x1 pad=8999_0x0_0}, to_apply=add"},
    {"PrefixSumOfALongLine",
     "x = f32[60000000] parameter(0) z = f32[] constant(0) ROOT r = "
     "f32[60000000] reduce-window(x, z), window={size=60000000 "
     "pad=59999999_0}, to_apply=add"},
    {"OneLargeWindow",
     "x = f32[5000,5000] parameter(0) z = f32[] constant(0) ROOT r = f32[3,3] "
     "reduce-window(x, z), window={size=4998x4998}, to_apply=odd"},
    {"SelectAndScatter",
     "x = f32[3000,3000] parameter(0) s = f32[1000,1000] parameter(1) z = f32[] constant(0) ROOT r "
     "= f32[3000,3000] select-and-scatter(x, s, z), window={size=3x3 stride=3x3}, select=ge, "
     "scatter=add"},
    {"SelectAndScatterOddly",
     "x = f32[1200,1200] parameter(0) s = f32[1160,1160] parameter(1) z = f32[] constant(0) ROOT r "
     "= f32[1200,1200] select-and-scatter(x, s, z), window={size=41x41}, select=odd_less, "
     "scatter=odd"},
    {"Scan",
     "x = f32[9000000] parameter(0) z = f32[] constant(0) ROOT r = (f32[9000000], f32[]) "
     "scan(x, z), dimensions={0}, num_carries=1, to_apply=step"},
    {"Scatter",
     "x = f32[1000000] parameter(0) u = f32[8000000] parameter(1) i = s32[8000000,1] "
     "iota(), iota_dimension=0 ROOT r = f32[1000000] scatter(x, i, u), "
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=odd"},
    {"ScatterMany",
     "x = f32[1000000] parameter(0) u = f32[40000000] parameter(1) i = s32[40000000,1] "
     "iota(), iota_dimension=0 ROOT r = f32[1000000] scatter(x, i, u), "
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=odd"},
    {"ScatterRows",
     "x = f32[1000,20000] parameter(0) u = f32[3000,20000] parameter(1) "
     "i = s32[3000,1] constant({...}) ROOT r = f32[1000,20000] scatter(x, i, u), "
     "update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"},
    {"Gather",
     "x = f32[1000,1000] parameter(0) i = s32[20000000,2] iota(), iota_dimension=1 ROOT r "
     "= f32[20000000] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"},
    {"Transpose",
     "x = f32[8000,8000] parameter(0) ROOT r = f32[8000,8000] transpose(x), "
     "dimensions={1,0}"},
    {"Reverse", "x = f32[64000000] parameter(0) ROOT r = f32[64000000] reverse(x), dimensions={0}"},
    {"Pad",
     "x = f32[4000,4000] parameter(0) z = f32[] constant(0) ROOT r = f32[7999,7999] pad(x, "
     "z), padding=0_0_1x0_0_1"},
    {"RandomBits",
     "s = u64[2] constant({1, 2}) ROOT r = (u64[2], u64[20000000]) "
     "rng-bit-generator(s), algorithm=rng_three_fry"},
    {"RandomNormal",
     "a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[20000000] rng(a, b), "
     "distribution=rng_normal"},
    {"BatchNorm",
     "x = f32[16,100,100,64] parameter(0) s = f32[64] parameter(1) ROOT r = "
     "(f32[16,100,100,64], f32[64], f32[64]) batch-norm-training(x, s, s), "
     "epsilon=0.001, feature_index=3"},
    {"WhileOfScalars",
     "i = s32[] constant(0) x = f32[] constant(1) t = (s32[], f32[]) tuple(i, x) "
     "ROOT r = (s32[], f32[]) while(t), condition=count_condition, "
     "body=count_body"},
    {"WhileOfArrays",
     "i = s32[] constant(0) x = f32[100] parameter(0) t = (s32[], f32[100]) "
     "tuple(i, x) ROOT r = (s32[], f32[100]) while(t), condition=array_condition, "
     "body=array_body"},
};

std::string NameOf(const ::testing::TestParamInfo<LongOperation>& info) { return info.param.name; }
void PrintTo(const LongOperation& operation, std::ostream* out) { *out << operation.name; }

double Seconds(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The processor time that `run` takes on this thread after it was cancelled, a while after it
// began; 0 if it ended before.
template <typename Run>
double SecondsOfOneCancellation(Run run) {
  std::atomic<bool> cancel = false, done = false;
  clockid_t clock = {};
  pthread_getcpuclockid(pthread_self(), &clock);
  const double begin = Seconds(clock);
  double cancelled = 0;
  std::thread canceller([&] {
    // Of processor time, so that a busy machine changes nothing.
    while (!done && Seconds(clock) - begin < 0.05)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cancelled = Seconds(clock);
    cancel = true;
  });
  const absl::Status status = run(&cancel);
  const double end = Seconds(clock);
  done = true;
  canceller.join();
  if (status.ok()) return 0;
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  return end - cancelled;
}

// The least of a few attempts: on a busy machine, the thread that cancels may be interrupted
// between reading the clock and cancelling.
template <typename Run>
double SecondsAfterCancellation(Run run) {
  double least = SecondsOfOneCancellation(run);
  for (int attempt = 1; attempt < 8 && least >= 0.1; ++attempt)
    least = std::min(least, SecondsOfOneCancellation(run));
  return least;
}

class CancellationTest : public ::testing::TestWithParam<LongOperation> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnUnverifiedModule(
                                      absl::StrCat("HloModule m\n", kComputations, "ENTRY e {\n",
                                                   GetParam().entry, "\n}\n"),
                                      Options()));
    ASSERT_OK(VerifyModule(*module_));
    for (const HloInstruction* parameter : module_->entry_computation()->parameter_instructions()) {
      Literal argument(parameter->shape());
      // Of any type: small numbers that differ, in blocks, since these arrays are large.
      const auto bytes = static_cast<size_t>(argument.size_bytes());
      auto* data = static_cast<uint8_t*>(argument.untyped_data());
      const auto width = static_cast<size_t>(
          ShapeUtil::ByteSizeOfPrimitiveType(parameter->shape().element_type()));
      std::vector<uint8_t> block(width << 16);
      for (size_t i = 0; i < block.size(); ++i) {
        const bool is_high = i % width == width - 1;
        block[i] = static_cast<uint8_t>(is_high ? 0x3f : (i * 2654435761u) >> 24);
      }
      for (size_t at = 0; at < bytes; at += block.size())
        std::memcpy(data + at, block.data(), std::min(block.size(), bytes - at));
      arguments_.push_back(std::move(argument));
    }
    for (const Literal& argument : arguments_) pointers_.push_back(&argument);
  }
  static HloParserOptions Options() {
    HloParserOptions options;
    options.max_elided_bytes = int64_t{1} << 30;
    return options;
  }
  std::unique_ptr<HloModule> module_;
  std::vector<Literal> arguments_;
  std::vector<const Literal*> pointers_;
};

TEST_P(CancellationTest, EndsWithin100Milliseconds) {
  EXPECT_LT(SecondsAfterCancellation([&](const std::atomic<bool>* cancel) {
              InterpreterOptions options;
              options.num_threads = 1;
              options.cancel = cancel;
              return Interpret(*module_, pointers_, options).status();
            }),
            0.1)
      << "in the interpreter";
  const auto program = CpuProgram::Compile(*module_);
  if (program.status().code() == absl::StatusCode::kUnimplemented) return;
  ASSERT_OK(program.status());
  EXPECT_LT(SecondsAfterCancellation([&](const std::atomic<bool>* cancel) {
              runtime::ThreadPool pool(1);
              runtime::ExecutionContext context;
              context.pool = &pool;
              context.cancel = cancel;
              return (*program)->Run(pointers_, context).status();
            }),
            0.1)
      << "compiled";
}

INSTANTIATE_TEST_SUITE_P(Operations, CancellationTest, ::testing::ValuesIn(kOperations), NameOf);

}  // namespace
}  // namespace xla
#endif
