// SPDX-License-Identifier: Apache-2.0
// Compiled programs: the same bits for any number of threads, state of loops, memory of updates.
#include "xla/cpu/program.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

absl::StatusOr<Literal> RunProgram(const std::string& text,
                                   const std::vector<const Literal*>& arguments, int threads) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module));
  runtime::ThreadPool pool(threads);
  runtime::ExecutionContext context;
  context.pool = &pool;
  return program->Run(arguments, context);
}

// Values that are all different and of both signs.
Literal Numbers(std::vector<int64_t> dimensions) {
  Literal literal(Shape(F32, dimensions));
  float* data = static_cast<float*>(literal.untyped_data());
  uint32_t state = 1;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
  }
  return literal;
}

void ExpectSameBits(const std::string& text, const std::vector<const Literal*>& arguments) {
  ASSERT_OK_AND_ASSIGN(const Literal one, RunProgram(text, arguments, 1));
  for (const int threads : {2, 5}) {
    ASSERT_OK_AND_ASSIGN(const Literal several, RunProgram(text, arguments, threads));
    EXPECT_EQ(std::memcmp(one.untyped_data(), several.untyped_data(),
                          static_cast<size_t>(one.size_bytes())),
              0)
        << threads << " threads";
  }
}

TEST(CpuProgramTest, SoftmaxHasTheSameBitsForAnyThreads) {
  const Literal x = Numbers({500, 1003});
  ExpectSameBits(R"(
HloModule softmax
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[500,1003] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[500] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[500,1003] broadcast(top), dimensions={0}
  shifted = f32[500,1003] subtract(x, tops)
  e = f32[500,1003] exponential(shifted)
  sum = f32[500] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[500,1003] broadcast(sum), dimensions={0}
  ROOT y = f32[500,1003] divide(e, sums)
})",
                 {&x});
}

TEST(CpuProgramTest, SumsAndScattersHaveTheSameBitsForAnyThreads) {
  const Literal x = Numbers({3000, 130});
  ExpectSameBits(R"(
HloModule columns
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[3000,130] parameter(0)
  zero = f32[] constant(0)
  ROOT sum = f32[130] reduce(x, zero), dimensions={0}, to_apply=add
})",
                 {&x});
  ExpectSameBits(R"(
HloModule scatter
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[3000,130] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[7,130] broadcast(zero), dimensions={}
  i = s32[3000] iota(), iota_dimension=0
  seven = s32[] constant(7)
  sevens = s32[3000] broadcast(seven), dimensions={}
  row = s32[3000] remainder(i, sevens)
  rows = s32[3000,1] reshape(row)
  ROOT sums = f32[7,130] scatter(zeros, rows, x), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})",
                 {&x});
}

TEST(CpuProgramTest, EpiloguesAndLongLoopsHaveTheSameBitsForAnyThreads) {
  const Literal x = Numbers({300, 700}), w = Numbers({700, 130}), bias = Numbers({130});
  ExpectSameBits(R"(
HloModule dense
ENTRY main {
  x = f32[300,700] parameter(0)
  w = f32[700,130] parameter(1)
  b = f32[130] parameter(2)
  d = f32[300,130] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bs = f32[300,130] broadcast(b), dimensions={1}
  sum = f32[300,130] add(d, bs)
  ROOT y = f32[300,130] tanh(sum)
})",
                 {&x, &w, &bias});
  const Literal z = Numbers({30011});
  ExpectSameBits(R"(
HloModule logistic_map
body {
  p = (s32[], f32[30011]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[30011] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f_one = f32[] constant(1)
  ones = f32[30011] broadcast(f_one), dimensions={}
  rest = f32[30011] subtract(ones, a)
  b = f32[30011] multiply(a, rest)
  ROOT t = (s32[], f32[30011]) tuple(next, b)
}
condition {
  p = (s32[], f32[30011]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(40)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  z = f32[30011] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[30011]) tuple(zero, z)
  loop = (s32[], f32[30011]) while(start), condition=condition, body=body
  ROOT y = f32[30011] get-tuple-element(loop), index=1
})",
                 {&z});
}

// Three activations of 128 x 512 numbers are alive at the same time; XLA takes 797,000 bytes.
TEST(CpuProgramTest, TrainingStepsTakeLittleMemory) {
  std::ifstream file(XYLEM_SOURCE_DIR "/tests/programs/mlp_train_step/program.hlo");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text.str()));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  EXPECT_LE(program->ScratchBytes(1), 800000);
}

// Of a chain of equal arrays, every second one is in the memory of the result.
TEST(CpuProgramTest, ChainsUseTheMemoryOfTheResult) {
  std::string text =
      "HloModule m\nENTRY e {\n  w = f32[64,64] parameter(0)\n  x0 = f32[64,64] parameter(1)\n";
  for (int i = 0; i < 6; ++i) {
    absl::StrAppendFormat(
        &text,
        "  %s x%d = f32[64,64] dot(x%d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
        i == 5 ? "ROOT" : "", i + 1, i);
  }
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text + "}"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  EXPECT_EQ(program->ScratchBytes(1), 64 * 64 * 4);
}

// A product by few columns reads its rows where they are, and has no row of padding.
TEST(CpuProgramTest, ProductsByFewColumnsCopyNoRows) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(HloModule m
ENTRY e {
  a = f32[24576,64] parameter(0)
  b = f32[64,4] parameter(1)
  ROOT d = f32[24576,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  EXPECT_LE(program->ScratchBytes(2), 1 << 20);
}

// Both elements of the state take the place of the other one in every step.
TEST(CpuProgramTest, LoopsMaySwapTheirState) {
  const Literal a = LiteralUtil::CreateR1<float>({1, 2, 3}),
                b = LiteralUtil::CreateR1<float>({4, 5, 6});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(
HloModule swap
body {
  p = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[3] get-tuple-element(p), index=1
  b = f32[3] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[3], f32[3]) tuple(next, b, a)
}
condition {
  p = (s32[], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  a = f32[3] parameter(0)
  b = f32[3] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[3], f32[3]) tuple(zero, a, b)
  loop = (s32[], f32[3], f32[3]) while(init), condition=condition, body=body
  x = f32[3] get-tuple-element(loop), index=1
  y = f32[3] get-tuple-element(loop), index=2
  two = f32[] constant(2)
  twos = f32[3] broadcast(two), dimensions={}
  scaled = f32[3] multiply(y, twos)
  ROOT sum = f32[3] add(x, scaled)
})",
                                                        {&a, &b}, 1));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({6, 9, 12}));
}

// An argument and a value that is read later keep their contents when they are updated.
TEST(CpuProgramTest, UpdatesDoNotChangeWhatIsReadLater) {
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(
HloModule update
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] add(x, x)
  u = f32[2] constant({10, 20})
  at = s32[] constant(1)
  y1 = f32[4] dynamic-update-slice(y, u, at)
  x1 = f32[4] dynamic-update-slice(x, u, at)
  s = f32[4] add(y1, y)
  t = f32[4] add(x1, x)
  ROOT r = f32[4] subtract(s, t)
})",
                                                        {&x}, 1));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({2, 2, 3, 8}));
}

TEST(CpuProgramTest, ScalarLoopsRunInRegisters) {
  const Literal n = LiteralUtil::CreateR0<int32_t>(10);
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(
HloModule fibonacci
body {
  p = (s32[], s64[], s64[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = s64[] get-tuple-element(p), index=1
  b = s64[] get-tuple-element(p), index=2
  n = s32[] get-tuple-element(p), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  c = s64[] add(a, b)
  ROOT t = (s32[], s64[], s64[], s32[]) tuple(next, b, c, n)
}
condition {
  p = (s32[], s64[], s64[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=3
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  n = s32[] parameter(0)
  zero = s32[] constant(0)
  a = s64[] constant(0)
  b = s64[] constant(1)
  init = (s32[], s64[], s64[], s32[]) tuple(zero, a, b, n)
  loop = (s32[], s64[], s64[], s32[]) while(init), condition=condition, body=body
  ROOT f = s64[] get-tuple-element(loop), index=1
})",
                                                        {&n}, 1));
  EXPECT_EQ(result, LiteralUtil::CreateR0<int64_t>(55));
}

// The attributes in which passes keep the shapes of the program as it was written.
TEST(CpuProgramTest, AttributesOfProgramsDoNotPassForThoseOfPasses) {
  const Literal x = Numbers({4});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  r = (f32[4], f32[4]) all-reduce(x, y), to_apply=add, frontend_attributes={
    _xylem_dynamic_result="<9>",_xylem_dynamic_operand_0="<99999999>"}
  ROOT z = f32[4] get-tuple-element(r), index=1
})",
                                                        {&x}, 1));
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(result.data<float>()[i], -x.data<float>()[i]);
}

// Passes make calls of these names, and trust what they hold.
TEST(CpuProgramTest, RefusesCustomCallsOfTheCompiler) {
  for (const char* target : {"bitcast", "check_size", "select_and_scatter", "unknown"}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY main { x = f32[4] parameter(0) ROOT y = f32[8] custom-call(x), "
        "custom_call_target=\"xylem.",
        target, "\" }");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    const auto program = CpuProgram::Compile(*module);
    EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument) << program.status();
    EXPECT_NE(program.status().message().find("xylem."), absl::string_view::npos);
  }
}

TEST(CpuProgramTest, ChecksArguments) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] add(x, x)
})"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  EXPECT_STATUS(program->Run({}).status(), absl::StatusCode::kInvalidArgument, "takes 1 arguments");
  const Literal other = LiteralUtil::CreateR1<float>({1, 2, 3});
  EXPECT_STATUS(program->Run({&other}).status(), absl::StatusCode::kInvalidArgument,
                "does not hold f32[4]");
}

}  // namespace
}  // namespace xla
