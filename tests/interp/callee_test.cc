// SPDX-License-Identifier: Apache-2.0
// Scalar functions: what is recognized, and that blocks and single elements give the same.
#include "xla/interpreter/callee.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/eval_program.h"
#include "xla/interpreter/eval_state.h"

namespace xla::interpreter {
namespace {

// A module whose entry computation is the one under test, and a run to evaluate it in.
struct Fixture {
  explicit Fixture(const std::string& text) {
    absl::StatusOr<std::unique_ptr<HloModule>> parsed =
        ParseAndReturnUnverifiedModule("HloModule m\n" + text);
    EXPECT_OK(parsed);
    module = *std::move(parsed);
    auto prepared = EvalProgram::Create(*module);
    EXPECT_OK(prepared);
    program = *std::move(prepared);
    state = std::make_unique<EvalState>(*program, 1, 1, options);
    function = ScalarFunction::Make(*module->entry_computation());
  }
  std::unique_ptr<HloModule> module;
  std::unique_ptr<EvalProgram> program;
  InterpreterOptions options;
  DeviceRun device;
  std::unique_ptr<EvalState> state;
  std::unique_ptr<ScalarFunction> function;
};

TEST(ScalarFunctionTest, RecognizesBinaryOperations) {
  Fixture add("ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }");
  ASSERT_TRUE(add.function->binary().has_value());
  EXPECT_EQ(add.function->binary()->opcode, HloOpcode::kAdd);
  EXPECT_FALSE(add.function->binary()->swapped);

  Fixture swapped(
      "ENTRY e { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] subtract(b, a) }");
  ASSERT_TRUE(swapped.function->binary().has_value());
  EXPECT_TRUE(swapped.function->binary()->swapped);

  Fixture through_call(R"(
f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] maximum(x, y) }
ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] copy(a) ROOT r = f32[] call(c, b), to_apply=f })");
  ASSERT_TRUE(through_call.function->binary().has_value());
  EXPECT_EQ(through_call.function->binary()->opcode, HloOpcode::kMaximum);

  Fixture same(
      "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, a) }");
  EXPECT_FALSE(same.function->binary().has_value());
  Fixture two(
      "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(a, b) ROOT r = f32[] "
      "add(c, b) }");
  EXPECT_FALSE(two.function->binary().has_value());
}

TEST(ScalarFunctionTest, RecognizesForwardingAndComparing) {
  Fixture overwrite("ENTRY e { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }");
  EXPECT_EQ(overwrite.function->forwarded_parameter(), 1);
  Fixture compare(
      "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(b, a), "
      "direction=GT, "
      "type=TOTALORDER }");
  ASSERT_TRUE(compare.function->compare().has_value());
  EXPECT_EQ(compare.function->compare()->lhs, 1);
  EXPECT_EQ(compare.function->compare()->rhs, 0);
  EXPECT_EQ(compare.function->compare()->direction, ComparisonDirection::kGt);
  EXPECT_TRUE(compare.function->compare()->total_order);
}

TEST(ScalarFunctionTest, TakesScalarsOnly) {
  Fixture array("ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] negate(a) }");
  EXPECT_EQ(array.function, nullptr);
}

// argmax's combiner: tuple result, constants, several types.
constexpr char kArgMax[] = R"(
ENTRY e {
  a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  ge = pred[] compare(a, b), direction=GE
  value = f32[] select(ge, a, b)
  eq = pred[] compare(a, b), direction=EQ
  low = s32[] minimum(i, j)
  k = s32[] select(ge, i, j)
  index = s32[] select(eq, low, k)
  one = s32[] constant(1)
  next = s32[] add(index, one)
  ROOT r = (f32[], s32[]) tuple(value, next)
})";

TEST(ScalarFunctionTest, AppliesToBlocks) {
  Fixture f(kArgMax);
  ASSERT_TRUE(f.function->is_elementwise());
  const int64_t n = 1000;
  std::vector<float> a(n), b(n), value(n);
  std::vector<int32_t> i(n), j(n), index(n);
  for (int64_t k = 0; k < n; ++k) {
    const auto at = static_cast<size_t>(k);
    a[at] = static_cast<float>(k % 7);
    b[at] = static_cast<float>(k % 5);
    i[at] = static_cast<int32_t>(k);
    j[at] = static_cast<int32_t>(n - k);
  }
  EvalContext ctx(f.state.get(), &f.device);
  const void* in[] = {a.data(), i.data(), b.data(), j.data()};
  void* out[] = {value.data(), index.data()};
  ASSERT_OK(f.function->Apply(ctx, n, in, out));
  for (size_t k = 0; k < static_cast<size_t>(n); ++k) {
    EXPECT_EQ(value[k], std::max(a[k], b[k]));
    EXPECT_EQ(index[k], 1 + (a[k] == b[k] ? std::min(i[k], j[k]) : a[k] > b[k] ? i[k] : j[k]));
  }
  // In place.
  const std::vector<float> expected_value = value;
  const std::vector<int32_t> expected_index = index;
  void* in_place[] = {a.data(), i.data()};
  ASSERT_OK(f.function->Apply(ctx, n, in, in_place));
  EXPECT_EQ(a, expected_value);
  EXPECT_EQ(i, expected_index);
}

TEST(ScalarFunctionTest, OutputsMayBeEachOthersInputs) {
  Fixture f(
      "ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = (f32[], f32[]) tuple(b, a) "
      "}");
  std::vector<float> a(600, 1), b(600, 2);
  EvalContext ctx(f.state.get(), &f.device);
  const void* in[] = {a.data(), b.data()};
  void* out[] = {a.data(), b.data()};
  ASSERT_OK(f.function->Apply(ctx, 600, in, out));
  EXPECT_EQ(a, std::vector<float>(600, 2));
  EXPECT_EQ(b, std::vector<float>(600, 1));
}

TEST(ScalarFunctionTest, RunsControlFlowElementByElement) {
  Fixture f(R"(
double { p = f32[] parameter(0) ROOT r = f32[] add(p, p) }
half { p = f32[] parameter(0) c = f32[] constant(0.5) ROOT r = f32[] multiply(p, c) }
ENTRY e {
  a = f32[] parameter(0) b = f32[] parameter(1)
  lt = pred[] compare(a, b), direction=LT
  ROOT r = f32[] conditional(lt, a, a), true_computation=double, false_computation=half
})");
  EXPECT_FALSE(f.function->is_elementwise());
  const std::vector<float> a = {1, 4}, b = {2, 3};
  std::vector<float> r(2);
  EvalContext ctx(f.state.get(), &f.device);
  ASSERT_OK(f.function->ApplyBinary(ctx, 2, a.data(), b.data(), r.data()));
  EXPECT_EQ(r, (std::vector<float>{2, 2}));
}

TEST(ScalarFunctionTest, NarrowFloatsRoundOncePerOperation) {
  Fixture f(
      "ENTRY e { a = bf16[] parameter(0) b = bf16[] parameter(1) s = bf16[] add(a, b) ROOT r = "
      "bf16[] subtract(s, a) }");
  const bfloat16 a(256.0f), b(1.0f);
  bfloat16 r;
  EvalContext ctx(f.state.get(), &f.device);
  ASSERT_OK(f.function->ApplyBinary(ctx, 1, &a, &b, &r));
  EXPECT_EQ(static_cast<float>(r), 0.0f) << "257 is not a bf16: the sum rounds to even, 256";
}

}  // namespace
}  // namespace xla::interpreter
