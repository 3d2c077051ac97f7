// SPDX-License-Identifier: Apache-2.0
// Loops as one function: what runs as steps within them.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/cpu/as_interpreted.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/execution_context.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// n counts up to the argument; y is what the custom calls make of x, one after the other.
constexpr char kCalls[] = R"(
HloModule calls
body {
  state = (s32[], s32[], s32[4]) parameter(0)
  n = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  x = s32[4] get-tuple-element(state), index=2
  one = s32[] constant(1)
  ones = s32[4] broadcast(n), dimensions={}
  more = s32[4] add(x, ones)
  first = s32[4] custom-call(more), custom_call_target="test.first", custom_call_has_side_effect=true
  less = s32[4] subtract(first, ones)
  second = s32[4] custom-call(less), custom_call_target="test.second", custom_call_has_side_effect=true
  next_n = s32[] add(n, one)
  ROOT next = (s32[], s32[], s32[4]) tuple(next_n, limit, second)
}
condition {
  state = (s32[], s32[], s32[4]) parameter(0)
  n = s32[] get-tuple-element(state), index=0
  limit = s32[] get-tuple-element(state), index=1
  ROOT more = pred[] compare(n, limit), direction=LT
}
ENTRY main {
  limit = s32[] parameter(0)
  x = s32[4] parameter(1)
  zero = s32[] constant(0)
  begin = (s32[], s32[], s32[4]) tuple(zero, limit, x)
  end = (s32[], s32[], s32[4]) while(begin), condition=condition, body=body
  ROOT y = s32[4] get-tuple-element(end), index=2
})";

class CompiledWhileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kCalls));
    CpuCompileOptions options;
    options.keep_llvm = true;
    ASSERT_OK_AND_ASSIGN(program_, CpuProgram::Compile(*module, options));
    ASSERT_TRUE(absl::StrContains(program_->llvm_text(), "@while_0("));
    const auto add = [](int* calls, int fails_at) {
      return [calls, fails_at](CustomCallFrame& call) -> absl::Status {
        XLA_ASSIGN_OR_RETURN(const auto in, call.argument<int32_t>(0));
        XLA_ASSIGN_OR_RETURN(const auto out, call.result<int32_t>(0));
        if (++*calls == fails_at) return absl::DataLossError("the call has failed");
        for (size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 1;
        return absl::OkStatus();
      };
    };
    ASSERT_OK(registry_.Register("test.first", add(&first_, 4)));
    ASSERT_OK(registry_.Register("test.second", add(&second_, 0)));
    context_.custom_calls = &registry_;
  }

  absl::StatusOr<Literal> Run(int32_t limit) {
    const Literal n = LiteralUtil::CreateR0<int32_t>(limit);
    const Literal x = LiteralUtil::CreateR1<int32_t>({0, 10, 20, 30});
    return program_->Run({&n, &x}, context_);
  }

  std::unique_ptr<CpuProgram> program_;
  CustomCallRegistry registry_;
  runtime::ExecutionContext context_;
  int first_ = 0, second_ = 0;
};

TEST_F(CompiledWhileTest, RunsCustomCalls) {
  ASSERT_OK_AND_ASSIGN(const Literal y, Run(3));
  EXPECT_EQ(y, LiteralUtil::CreateR1<int32_t>({6, 16, 26, 36}));
  EXPECT_EQ(first_, 3);
  EXPECT_EQ(second_, 3);
}

TEST_F(CompiledWhileTest, RunsNothingWithoutAnIteration) {
  ASSERT_OK_AND_ASSIGN(const Literal y, Run(0));
  EXPECT_EQ(y, LiteralUtil::CreateR1<int32_t>({0, 10, 20, 30}));
  EXPECT_EQ(first_, 0);
}

TEST_F(CompiledWhileTest, EndsWithTheFirstError) {
  EXPECT_STATUS(Run(1000000).status(), absl::StatusCode::kDataLoss, "the call has failed");
  EXPECT_EQ(first_, 4);
  EXPECT_EQ(second_, 3);
  // The next run starts anew.
  EXPECT_OK(Run(3).status());
}

// The plan says how: x is copied before its next value takes its place.
TEST(LoopStateTest, KeepsItsLastValues) {
  const std::string text =
      testing::ReadWholeFile(XYLEM_SOURCE_DIR "/tests/cpu/plans/loop-keeps-last.hlo");
  ASSERT_TRUE(absl::StrContains(text, "constant(1000)"));
  Literal argument(ShapeUtil::MakeShape(S32, {2048}));
  for (int32_t i = 0; i < 2048; ++i) argument.data<int32_t>()[static_cast<size_t>(i)] = i * 7 % 97;
  for (int count = 0; count < 8; ++count)
    ExpectAsInterpreted(
        absl::StrReplaceAll(text, {{"constant(1000)", absl::StrCat("constant(", count, ")")}}),
        argument);
}

}  // namespace
}  // namespace xla
